"""Normalisation of rows, groups and channels."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..isa.types import Type
from .language import Constant, Elements, T, W, global_id, i32, local_id, select, shared, sqrt, total_of_block
from .operation import PIECE, ROW_LANES, TensorOperation, flag, function, part

__all__ = ["OPERATIONS"]

_add = function("add")
_INFINITY = float("inf")


def _channel(i, row, groups, channels, spatial, BY):
    """Which factor an element of a row has."""
    channel = i
    if BY == "row":
        channel = row % groups
    if BY == "group":
        channel = row % groups * channels + i // spatial
    return channel


def _sum(input, first, lane, n, mean: W, SQUARES, PIECE, LANES):
    """What a lane adds up of a long row in pieces, and what is lost of these apart: elements, or squares of how far
    they are from the mean. The sum of one piece would have the same bits without."""
    total, lost = W(0), W(0)
    for start in range(0, n, PIECE * LANES):
        some = W(0)
        for turn in range(min(PIECE, (n - start + (LANES - 1)) // LANES)):  # which says how many at most
            i = start + turn * LANES
            if i + lane < n:
                away = W(input[first + (i + lane)])
                if SQUARES:
                    away = away - mean
                    away = away * away
                some = some + away
        longer = total + some
        lost = lost + (some - (longer - total))
        total = longer
    return total + select(abs(lost) < _INFINITY, lost, W(0))  # of an infinite total nothing is lost


def _normalise(
    output: Elements[T],
    input: Elements[T],
    gamma: Elements[T],
    beta: Elements[T],
    n: i32,
    groups: i32,
    channels: i32,
    spatial: i32,
    eps: W,
    T: Constant[type],
    W: Constant[type],
    MEAN: Constant[bool],
    BY: Constant[str],
    PIECE: Constant[int],
    LANES: Constant[int],
):
    """LANES lanes for each row of n elements, which is read three times. The factor of an element is BY its place in
    the row, the row's channel, or its channel within a group of some. Not all lanes have a last element."""
    partial = shared(W, LANES + 1)
    lane, row = local_id(0), global_id(1)
    first = row * n
    mean = W(0)
    if MEAN:
        if PIECE > 0:
            mean = _sum(input, first, lane, n, mean, False, PIECE, LANES)
        else:
            for i in range(lane, n, LANES):
                mean = mean + W(input[first + i])
        mean = total_of_block(mean, partial, _add, LANES) / W(n)
    squares = W(0)
    if PIECE > 0:
        squares = _sum(input, first, lane, n, mean, True, PIECE, LANES)
    else:
        for i in range(lane, n, LANES):
            away = W(input[first + i]) - mean
            squares = squares + away * away
    scale = 1 / sqrt(total_of_block(squares, partial, _add, LANES) / W(n) + eps)
    for column in range(lane, n, LANES):
        channel = _channel(column, row, groups, channels, spatial, BY)
        value = (W(input[first + column]) - mean) * scale * W(gamma[channel])
        if MEAN:
            value = value + W(beta[channel])
        output[first + column] = T(value)


def _by_channel(
    output: Elements[T],
    input: Elements[T],
    gamma: Elements[T],
    beta: Elements[T],
    mean: Elements[T],
    variance: Elements[T],
    channels: i32,
    spatial: i32,
    eps: W,
    T: Constant[type],
    W: Constant[type],
):
    """BatchNorm: one lane for each element."""
    i, row = global_id(0), global_id(1)
    channel = row % channels
    place = row * spatial + i
    scale = W(gamma[channel]) / sqrt(W(variance[channel]) + eps)
    output[place] = T((W(input[place]) - W(mean[channel])) * scale + W(beta[channel]))


def _scaled_rows(output: Elements[T], input: Elements[T], scale: Elements[T], n: i32, T: Constant[type]):
    column, row = global_id(0), global_id(1)
    place = row * n + column
    output[place] = input[place] * scale[column]


def wide(ty):
    """What numbers are computed in: halves in F32, integers of 8 and 16 bits in I32, whose sums wrap to the same."""
    if ty.size_bytes < 4:
        return Type.F32 if ty.is_float else Type.I32
    return ty


def _rows(o, rows, n, by, groups=1, channels=1, spatial=1, mean=True):
    scalars = {"n": n, "groups": groups, "channels": channels, "spatial": spatial, "eps": o.eps}
    buffers = {} if mean else {"beta": "gamma"}
    found, long = [], flag(n - PIECE * ROW_LANES)
    for times, piece in ((1 - long, 0), (long, PIECE)):
        if not isinstance(times, int) or times:
            found.append(
                part(
                    o,
                    _normalise,
                    (ROW_LANES, rows),
                    (ROW_LANES,),
                    buffers=buffers,
                    times=times,
                    scalars=scalars,
                    T=o.ty,
                    W=wide(o.ty),
                    MEAN=mean,
                    BY=by,
                    PIECE=piece,
                    LANES=ROW_LANES,
                )
            )
    return found


def _affine(size, n):
    return {"input": size, "gamma": n, "beta": n, "output": size}


def _normal(np, rows, eps, mean=True):
    """Rows of NumPy with mean 0 and variance 1, or by their root mean square."""
    away = rows - rows.mean(axis=-1, keepdims=True) if mean else rows
    return away / np.sqrt((away * away).mean(axis=-1, keepdims=True) + eps)


def _layer(np, o, input, gamma, beta):
    return _normal(np, input.reshape(o.rows, o.n), o.eps) * gamma + beta


def _rms(np, o, input, gamma):
    return _normal(np, input.reshape(o.rows, o.n), o.eps, mean=False) * gamma


def _group(np, o, input, gamma, beta):
    rows = _normal(np, input.reshape(o.batch, o.groups, -1), o.eps).reshape(o.batch, o.channels, o.spatial)
    return rows * gamma[:, None] + beta[:, None]


def _instance(np, o, input, gamma, beta):
    return _normal(np, input.reshape(o.batch, o.channels, o.spatial), o.eps) * gamma[:, None] + beta[:, None]


def _batch(np, o, input, gamma, beta, mean, variance):
    rows = input.reshape(o.batch, o.channels, o.spatial) - mean[:, None]
    return rows / np.sqrt(variance + o.eps)[:, None] * gamma[:, None] + beta[:, None]


def _image(o):
    return o.batch * o.channels * o.spatial


def _divides(o):
    known = isinstance(o.channels, int) and isinstance(o.groups, int)
    if known and (o.groups == 0 or o.channels % o.groups):
        return f"{o.channels} channels are no {o.groups} groups of the same size"
    return None


OPERATIONS = (
    TensorOperation(
        "LayerNorm",
        lambda o: _affine(o.rows * o.n, o.n),
        lambda o, traits: _rows(o, o.rows, o.n, "column"),
        _layer,
        epilogue="n",
    ),
    TensorOperation(
        "RMSNorm",
        lambda o: {"input": o.rows * o.n, "gamma": o.n, "output": o.rows * o.n},
        lambda o, traits: _rows(o, o.rows, o.n, "column", mean=False),
        _rms,
        epilogue="n",
    ),
    TensorOperation(
        "GroupNorm",
        lambda o: _affine(_image(o), o.channels),
        lambda o, traits: _rows(
            o,
            o.batch * o.groups,
            o.channels // o.groups * o.spatial,
            "group",
            o.groups,
            o.channels // o.groups,
            o.spatial,
        ),
        _group,
        _divides,
        epilogue="",
    ),
    TensorOperation(
        "InstanceNorm",
        lambda o: _affine(_image(o), o.channels),
        lambda o, traits: _rows(o, o.batch * o.channels, o.spatial, "row", o.channels),
        _instance,
        epilogue="",
    ),
    TensorOperation(
        "BatchNorm",
        lambda o: {
            "input": _image(o),
            **dict.fromkeys(("gamma", "beta", "mean", "variance"), o.channels),
            "output": _image(o),
        },
        lambda o, traits: [
            part(
                o,
                _by_channel,
                (o.spatial, o.batch * o.channels),
                (64,),
                scalars={"channels": o.channels, "spatial": o.spatial, "eps": o.eps},
                T=o.ty,
                W=wide(o.ty),
            )
        ],
        _batch,
        epilogue="",
    ),
    TensorOperation(
        "LayerScale",
        lambda o: {"input": o.rows * o.n, "scale": o.n, "output": o.rows * o.n},
        lambda o, traits: [part(o, _scaled_rows, (o.n, o.rows), (64,), scalars={"n": o.n}, T=o.ty)],
        lambda np, o, input, scale: input.reshape(o.rows, o.n) * scale,
        epilogue="n",
    ),
)
