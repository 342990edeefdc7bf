"""Matrix products. The sum of an element runs over k in increasing order, whatever the schedule."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..isa.types import Type
from .language import (
    Callable,
    Constant,
    Elements,
    T,
    W,
    block_id,
    global_id,
    i32,
    local_id,
    registers,
    static_range,
)  # fmt: skip
from .norms import wide
from .operation import TensorOperation, ceildiv, flag, function, part

__all__ = ["OPERATIONS"]


def _same(x):
    return x


def _gemm_plain(
    c: Elements[T],
    a: Elements[T],
    b: Elements[T],
    bias: Elements[T],
    n: i32,
    k: i32,
    a_row: i32,
    a_step: i32,
    b_step: i32,
    b_column: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    W: Constant[type],
    BETA: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
):
    """One lane for each element of c."""
    column, row = global_id(0), global_id(1)
    total = W(0)
    for p in range(k):
        total = _mad(W(a[row * a_row + p * a_step]), W(b[column * b_column + p * b_step]), total)
    total = total * alpha
    if BETA and beta != 0:
        total = _mad(W(c[row * n + column]), beta, total)
    if BIAS:
        total = total + W(bias[column])
    c[row * n + column] = EPILOGUE(T(total))


_mad = function("mad")


def _gemm_tiles(
    c: Elements[T],
    a: Elements[T],
    b: Elements[T],
    bias: Elements[T],
    m: i32,
    n: i32,
    k: i32,
    a_row: i32,
    a_step: i32,
    b_step: i32,
    b_column: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    W: Constant[type],
    BETA: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    ROWS: Constant[int],
    COLUMNS: Constant[int],
    ACROSS: Constant[int],
):
    """A lane makes ROWS x COLUMNS elements in registers, its columns ACROSS apart: lanes side by side read elements
    side by side. Lanes beyond the last row and column make those again, and store nothing.

    A loop with its condition first: SwiftShader took 1.5 times as long for what `range` becomes."""
    top, left = global_id(1) * ROWS, block_id(0) * (ACROSS * COLUMNS) + local_id(0)
    rows, columns = registers(ROWS, i32), registers(COLUMNS, i32)
    for i in static_range(ROWS):
        rows[i] = min(top + i, m - 1) * a_row
    for j in static_range(COLUMNS):
        columns[j] = min(left + ACROSS * j, n - 1) * b_column
    sums, right = registers((ROWS, COLUMNS), W), registers(COLUMNS, W)
    p = 0
    while p < k:
        for j in static_range(COLUMNS):
            right[j] = W(b[columns[j] + p * b_step])
        for i in static_range(ROWS):
            x = W(a[rows[i] + p * a_step])
            for j in static_range(COLUMNS):
                sums[i, j] += x * right[j]
        p += 1
    for i in static_range(ROWS):
        if top + i < m:
            for j in static_range(COLUMNS):
                column = left + ACROSS * j
                if column < n:
                    total = sums[i, j] * alpha
                    if BETA and beta != 0:
                        total = _mad(W(c[(top + i) * n + column]), beta, total)
                    if BIAS:
                        total = total + W(bias[column])
                    c[(top + i) * n + column] = EPILOGUE(T(total))


def _extents(o):
    bias = {} if o.bias is None else {"bias": o.n}
    return {"a": o.m * o.k, "b": o.k * o.n, **bias, "c": o.m * o.n}


def _panels(panels: Elements[T], b: Elements[T], n: i32, k: i32, b_step: i32, b_column: i32, T: Constant[type]):
    """b in panels of WIDTH columns, each row after row; zeros stand beside the last columns."""
    column, row, panel = global_id(0), global_id(1), global_id(2)
    value = T(0)
    if panel * WIDTH + column < n:
        value = b[row * b_step + (panel * WIDTH + column) * b_column]
    panels[(panel * k + row) * WIDTH + column] = value


def _transposed(rows: Elements[T], a: Elements[T], m: i32, k: i32, T: Constant[type]):
    p, i = global_id(0), global_id(1)
    rows[i * k + p] = a[p * m + i]


def _gemm_panels(
    c: Elements[T],
    a: Elements[T],
    panels: Elements[T],
    bias: Elements[T],
    m: i32,
    n: i32,
    k: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    W: Constant[type],
    BETA: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
):
    """Four lanes make 4 rows of WIDTH columns: 12 sums in the registers of each lane, which are 12 vectors of a packet.
    Blocks side by side share a panel, which stays in the cache."""
    sums = registers((4, 3), W)
    panel = block_id(1) * WIDTH * k + local_id(0)
    top, left = block_id(0) * 4, block_id(1) * WIDTH + local_id(0)
    places = registers(4, i32)
    for i in static_range(4):
        places[i] = min(top + i, m - 1) * k
    for some in range(k // 4):
        for step in static_range(4):
            # What is added last and known is part of the address, and one proof for all of a round.
            for i in static_range(4):
                x = a[places[i] + some * 4 + step]
                for j in static_range(3):
                    sums[i, j] += x * panels[panel + some * (4 * WIDTH) + (step * WIDTH + 4 * j)]
    for p in range(k // 4 * 4, k):
        for i in static_range(4):
            x = a[places[i] + p]
            for j in static_range(3):
                sums[i, j] += x * panels[panel + p * WIDTH + 4 * j]
    for i in static_range(4):
        if top + i < m:
            for j in static_range(3):
                column = left + 4 * j
                if column < n:
                    total = sums[i, j] * alpha
                    if BETA and beta != 0:
                        total = _mad(W(c[(top + i) * n + column]), beta, total)
                    if BIAS:
                        total = total + W(bias[column])
                    c[(top + i) * n + column] = EPILOGUE(T(total))


WIDTH = 12  # columns of a panel: three vectors
TILE = {"ROWS": 8, "COLUMNS": 8, "ACROSS": 8}  # of a lane; blocks have as many lanes along each axis


def choose(m, n, ty, traits):
    """Schedules, with how often each is launched, which sizes say that are not known: which text, and its constants."""
    # GPUs compute F64 in integers: products side by side are too much code. Tiles of wide integers are too large.
    if traits.together and wide(ty).size_bytes == 4:
        # Below, few lanes would do all, most of it beyond the last row or column.
        tiles = flag(m - 15) * flag(n - 31)
        found = [(_gemm_tiles, TILE, tiles), (_gemm_plain, {}, 1 - tiles)]
    elif not traits.together and ty in (Type.F32, Type.I32, Type.U32):
        found = [(_gemm_panels, {}, 1)]
    else:
        found = [(_gemm_plain, {}, 1)]
    return [each for each in found if not isinstance(each[2], int) or each[2]]


def _launches(o, traits):
    """F16 and BF16 accumulate in F32."""
    ty = o.ty
    scalars = {
        "m": o.m, "n": o.n, "k": o.k,
        "a_row": 1 if o.trans_a else o.k, "a_step": o.m if o.trans_a else 1,
        "b_step": 1 if o.trans_b else o.n, "b_column": o.k if o.trans_b else 1,
        "alpha": o.alpha, "beta": o.beta,
    }  # fmt: skip
    found = []
    for kernel, constants, times in choose(o.m, o.n, ty, traits):
        lanes, block, buffers = (o.n, o.m), (16, 16), {}
        if kernel is _gemm_tiles:
            across = TILE["ACROSS"]
            lanes = ceildiv(o.n, across * TILE["COLUMNS"]) * across, ceildiv(o.m, TILE["ROWS"])
            block = across, across
        elif kernel is _gemm_panels:
            panels = ceildiv(o.n, WIDTH)
            lanes, block = (ceildiv(o.m, 4) * 4, panels), (4,)
            # There are at most 11 columns beside those of b, and b has a column if it has rows.
            memory = {"panels": (ty, o.most["b"] * WIDTH if o.late else panels * WIDTH * o.k)}
            found.append(part(o, _panels, (WIDTH, o.k, panels), (WIDTH,), temporaries=memory, scalars=scalars, T=ty))
            if o.trans_a:
                buffers = {"a": "rows"}
                memory = {"rows": (ty, o.most["a"])}
                found.append(part(o, _transposed, (o.k, o.m), (64,), temporaries=memory, scalars=scalars, T=ty))
        constants = constants | {
            "T": ty,
            "W": wide(ty),
            "BETA": not isinstance(o.beta, (int, float)) or o.beta != 0,
            "BIAS": o.bias is not None,
            "EPILOGUE": _same if o.activation is None else function(o.activation.value),
        }
        found.append(
            part(o, kernel, lanes, block, buffers=buffers, times=times, scalars=scalars, fast=True, **constants)
        )
    return found


OPERATIONS = (TensorOperation("GEMM", _extents, _launches),)
