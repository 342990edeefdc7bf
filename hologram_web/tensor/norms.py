"""Normalisation of rows, groups and channels."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..isa.types import Type
from .language import (
    Constant,
    Elements,
    T,
    W,
    global_id,
    i32,
    local_id,
    registers,
    select,
    shared,
    sqrt,
    static_range,
    total_of_block,
)
from .operation import PIECE, ROW_LANES, TensorOperation, ceildiv, flag, function, part

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


def _term(value, mean, SQUARES):
    """What an element adds: itself, or the square of how far it is from the mean."""
    if SQUARES:
        value = value - mean
        value = value * value
    return value


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
    HELD: Constant[int],
    PIECE: Constant[int],
    LANES: Constant[int],
):
    """LANES lanes for each row of n elements, of which each has HELD in registers, one alone all; without, rows are
    read three times. The factor of an element is BY its place in the row, the row's channel, or its channel within a
    group of some. Lanes add up a long row in pieces, and what is lost of these apart: the sum of one piece would have
    the same bits without. Not all lanes have a last element."""
    partial = shared(W, LANES + 1)
    held = registers(max(HELD, 1), W)
    lane, row, last = i32(0), global_id(1), 0  # the last lane that has as many elements as the first
    if LANES > 1:
        lane, last = local_id(0), n - 1 - (HELD - 1) * LANES
    first = row * n
    for i in static_range(HELD):
        if i < HELD - 1:
            held[i] = W(input[first + (i * LANES + lane)])
        else:
            held[i] = W(input[first + (i * LANES + min(lane, last))])
    mean, scale = W(0), W(0)
    for squares in static_range(2):
        if MEAN or squares > 0:
            total, lost = W(0), W(0)
            for i in static_range(HELD):
                away = held[i]
                if squares:
                    if MEAN:
                        away = away - mean
                        held[i] = away
                    away = away * away
                if i == HELD - 1:
                    away = select(lane <= last, away, W(0))
                total = total + away
            if PIECE > 0:
                for start in range(0, n, PIECE * LANES):
                    some = W(0)
                    for turn in range(min(PIECE, (n - start + (LANES - 1)) // LANES)):  # which says how many at most
                        place = start + turn * LANES + lane
                        if place < n:
                            some = some + _term(W(input[first + place]), mean, squares)
                    longer = total + some
                    lost = lost + (some - (longer - total))
                    total = longer
                total = total + select(abs(lost) < _INFINITY, lost, W(0))  # of an infinite total nothing is lost
            elif HELD == 0:
                for place in range(lane, n, LANES):
                    total = total + _term(W(input[first + place]), mean, squares)
            if LANES > 1:
                total = total_of_block(total, partial, _add, LANES)
            average = total / W(n)
            if squares:
                scale = 1 / sqrt(average + eps)
            else:
                mean = average
    for i in static_range(HELD):
        if i < HELD - 1 or lane <= last:
            column = i * LANES + lane
            channel = column
            if BY != "column":
                channel = _channel(column, row, groups, channels, spatial, BY)
            value = held[i] * scale * W(gamma[channel])
            if MEAN:
                value = value + W(beta[channel])
            output[first + column] = T(value)
    if HELD == 0:
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
    """What numbers are computed in: halves in F32, integers of 8 and 16 bits in I32, whose sums wrap to the same: a
    product of 512 x 512 of I8 took 109 ms natively in lanes of 8 bits, and 12 in words."""
    if ty.size_bytes < 4:
        return Type.F32 if ty.is_float else Type.I32
    return ty


# Rounds of a row's elements that lanes have in registers. More of them are more code: of shaders whose rows have 1,024
# elements SwiftShader takes 0.71 of the time, and 110 ms more before, llvmpipe 0.73, and 420 more; with 256 and fewer
# 0.74 to 0.91, and no more (`python -m bench.rows_once`).
_ROUNDS = {"software": 8, "other": 32}


def choose(n, traits, computed=False):
    """How many elements of a row of n each of its ROW_LANES lanes has in registers, so that they are read once, or
    computed once where they are `computed`; 0 where rows are read again. And why, where that is to be told. On
    WebAssembly what is read again comes from the first cache, and registers are memory, too: it gains nothing."""
    most = _ROUNDS["software" if traits.native and not traits.gpu else "other"]
    if not (traits.together or computed):
        return 0, ""
    if not isinstance(n, int):
        return 0, f"{_AGAIN}: their length is not known"
    rounds = ceildiv(max(n, 0), ROW_LANES)
    if rounds > most:
        return 0, f"{_AGAIN}: registers have room for {most * ROW_LANES} elements"
    return rounds, ""


_AGAIN = "rows are read again"


def _rows(o, traits, rows, n, by, groups=1, channels=1, spatial=1, mean=True):
    scalars = {"n": n, "groups": groups, "channels": channels, "spatial": spatial, "eps": o.eps}
    buffers = {} if mean else {"beta": "gamma"}
    held, why = choose(n, traits, o.computes("input"))
    lanes, shape, block = ROW_LANES, (ROW_LANES, rows), (ROW_LANES,)
    if traits.together and held == 1:  # see softmaxes.py: a lane with all of a row adds up in the same order
        held, lanes, shape, block = n, 1, (1, rows), (1, 64)
    found, long = [], flag(n - PIECE * ROW_LANES)
    for times, piece in ((1 - long, 0), (long, PIECE)):
        if not isinstance(times, int) or times:
            found.append(
                part(
                    o,
                    _normalise,
                    shape,
                    block,
                    buffers=buffers,
                    times=times,
                    why=why,
                    scalars=scalars,
                    T=o.ty,
                    W=wide(o.ty),
                    MEAN=mean,
                    BY=by,
                    HELD=held,
                    PIECE=piece,
                    LANES=lanes,
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
    rows = _normal(np, input.reshape(o.batch, o.groups, o.channels // o.groups * o.spatial), o.eps).reshape(
        o.batch, o.channels, o.spatial
    )
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
        lambda o, traits: _rows(o, traits, o.rows, o.n, "column"),
        _layer,
        epilogue="n",
    ),
    TensorOperation(
        "RMSNorm",
        lambda o: {"input": o.rows * o.n, "gamma": o.n, "output": o.rows * o.n},
        lambda o, traits: _rows(o, traits, o.rows, o.n, "column", mean=False),
        _rms,
        epilogue="n",
    ),
    TensorOperation(
        "GroupNorm",
        lambda o: _affine(_image(o), o.channels),
        lambda o, traits: _rows(
            o,
            traits,
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
        lambda o, traits: _rows(o, traits, o.batch * o.channels, o.spatial, "row", o.channels),
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
