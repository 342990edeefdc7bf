"""Products of matrices of bytes, with exact sums in 32 bits, that are scaled.

Elements of a row of a, and of a column of b, are packed two by two into words, zero points taken off: 9 bits with a
sign each. WebAssembly multiplies and adds four pairs of such numbers in one instruction (`dot` of the IR).
"""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..isa.types import Type
from .budgets import choices, size_class, timed
from .language import (
    Callable,
    Constant,
    Elements,
    T,
    block_id,
    f32,
    global_id,
    i32,
    local_id,
    registers,
    static_range,
)  # fmt: skip
from .matmul import FEW_TILES, STRIP, _same
from .operation import TensorOperation, ceildiv, flag, function, part

__all__ = ["OPERATIONS", "choose"]

SOME = 64  # pairs of a panel that are brought at once: a block of one takes as long as what it does


def _pair(low, high):
    """Two numbers of at most 16 bits in a word."""
    return (high << 16) | (low & 0xFFFF)


def _dot(x, y):
    """The sum of products of the numbers in two words."""
    return ((x << 16) >> 16) * ((y << 16) >> 16) + (x >> 16) * (y >> 16)


def _rows(
    rows: Elements[i32], a: Elements[T], a_zero: Elements[i32], k: i32, pairs: i32,
    T: Constant[type], ZERO: Constant[bool],
):  # fmt: skip
    """a in pairs along its rows; the last one of an odd number is beside 0."""
    p, row = global_id(0), global_id(1)
    zero = 0
    if ZERO:
        zero = i32(T(a_zero[0]))
    low, high = i32(a[row * k + 2 * p]) - zero, 0
    if 2 * p + 1 < k:
        high = i32(a[row * k + 2 * p + 1]) - zero
    rows[row * pairs + p] = _pair(low, high)


def _strips(
    rows: Elements[i32], a: Elements[T], a_zero: Elements[i32], m: i32, k: i32, pairs: i32,
    T: Constant[type], ZERO: Constant[bool], TALL: Constant[int],
):  # fmt: skip
    """a in pairs along its rows, in strips of TALL rows: column after column."""
    p, strip, zero = global_id(0), global_id(1), 0
    if ZERO:
        zero = i32(T(a_zero[0]))
    for i in static_range(TALL):
        first = min(strip * TALL + i, m - 1) * k + 2 * p
        low, high = i32(a[first]) - zero, 0
        if 2 * p + 1 < k:
            high = i32(a[first + 1]) - zero
        rows[(strip * pairs + p) * TALL + i] = _pair(low, high)


def _element(b, at, BITS, SIGNED):
    """Element number `at`; of two in a byte the first one is in its lower half."""
    found = i32(0)
    if BITS == 4:
        found = i32(b[at // 2]) >> (at % 2 * 4) & 15
        if SIGNED:
            found = (found ^ 8) - 8
    else:
        found = i32(b[at])
    return found


def _panels(
    panels: Elements[i32],
    b: Elements[T],
    b_zero: Elements[i32],
    n: i32,
    k: i32,
    pairs: i32,
    T: Constant[type],
    BITS: Constant[int],
    SIGNED: Constant[bool],
    ZERO: Constant[bool],
    EACH: Constant[bool],
    WIDTH: Constant[int],
    SOME: Constant[int],
):
    """b in panels of WIDTH columns, each pair of rows after the other; zeros stand beside the last columns. A block
    brings SOME pairs of a panel."""
    column, begin, panel = global_id(0), global_id(1) * SOME, global_id(2)
    left, zero = panel * WIDTH + column, 0
    if ZERO and left < n:
        zero = i32(T(b_zero[left if EACH else 0]))
    for p in range(begin, min(begin + SOME, pairs)):
        low, high = 0, 0
        if left < n:
            low = _element(b, 2 * p * n + left, BITS, SIGNED) - zero
            if 2 * p + 1 < k:
                high = _element(b, (2 * p + 1) * n + left, BITS, SIGNED) - zero
        panels[(panel * pairs + p) * WIDTH + column] = _pair(low, high)


def _tiles(
    c: Elements[f32],
    rows: Elements[i32],
    panels: Elements[i32],
    a_scale: Elements[f32],
    b_scale: Elements[f32],
    bias: Elements[f32],
    m: i32,
    n: i32,
    pairs: i32,
    EACH: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    ROWS: Constant[int],
    COLUMNS: Constant[int],
    ACROSS: Constant[int],
    DOWN: Constant[int],
):
    """A lane makes ROWS x COLUMNS elements, its columns ACROSS apart. Blocks side by side share a panel, which stays
    in the cache. The loop and what comes first in it are those of tiles of floats (matmul.py)."""
    sums, x, y = registers((ROWS, COLUMNS), i32), registers(ROWS, i32), registers(COLUMNS, i32)
    lane, top = local_id(0), (block_id(0) * DOWN + local_id(1)) * ROWS
    left, panel = block_id(1) * (ACROSS * COLUMNS) + lane, block_id(1) * (ACROSS * COLUMNS) * pairs + lane
    places, p = registers(ROWS, i32), i32(0)
    for i in static_range(ROWS):
        places[i] = min(top + i, m - 1) * pairs
    while p < pairs:
        for j in static_range(COLUMNS):
            y[j] = panels[panel + p * (ACROSS * COLUMNS) + ACROSS * j]
        for i in static_range(ROWS):
            x[i] = rows[places[i] + p]
        for i in static_range(ROWS):
            for j in static_range(COLUMNS):
                sums[i, j] += _dot(x[i], y[j])
        p += 1
    for i in static_range(ROWS):
        if top + i < m:
            for j in static_range(COLUMNS):
                column = left + ACROSS * j
                if column < n:
                    scale = a_scale[0] * b_scale[column if EACH else 0]
                    total = f32(sums[i, j]) * scale
                    if BIAS:
                        total = total + bias[column]
                    c[(top + i) * n + column] = EPILOGUE(total)


def _strip_tiles(
    c: Elements[f32],
    rows: Elements[i32],
    panels: Elements[i32],
    a_scale: Elements[f32],
    b_scale: Elements[f32],
    bias: Elements[f32],
    m: i32,
    n: i32,
    pairs: i32,
    below: i32,
    EACH: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    ROWS: Constant[int],
    COLUMNS: Constant[int],
    UNROLLED: Constant[int],
    STRIP: Constant[int],
):
    """Four lanes make ROWS rows of a panel's 4 * COLUMNS columns after the others, of up to STRIP strips: a block asks
    what it has proven once for all."""
    sums, y = registers((ROWS, COLUMNS), i32), registers(COLUMNS, i32)
    left, begin = block_id(0) * (4 * COLUMNS) + local_id(0), block_id(1) * STRIP
    panel = block_id(0) * (4 * COLUMNS) * pairs + local_id(0)
    for number in range(begin, min(begin + STRIP, below)):
        strip, top = number * ROWS * pairs, number * ROWS
        for i in static_range(ROWS):
            for j in static_range(COLUMNS):
                sums[i, j] = i32(0)
        for some in range(pairs // UNROLLED):
            for step in static_range(UNROLLED):
                for j in static_range(COLUMNS):
                    y[j] = panels[panel + some * (UNROLLED * 4 * COLUMNS) + (step * COLUMNS + j) * 4]
                for i in static_range(ROWS):
                    x = rows[strip + some * (UNROLLED * ROWS) + (step * ROWS + i)]
                    for j in static_range(COLUMNS):
                        sums[i, j] += _dot(x, y[j])
        for p in range(pairs // UNROLLED * UNROLLED, pairs):
            for i in static_range(ROWS):
                x = rows[strip + p * ROWS + i]
                for j in static_range(COLUMNS):
                    sums[i, j] += _dot(x, panels[panel + p * (4 * COLUMNS) + 4 * j])
        for i in static_range(ROWS):
            if top + i < m:
                for j in static_range(COLUMNS):
                    column = left + 4 * j
                    if column < n:
                        scale = a_scale[0] * b_scale[column if EACH else 0]
                        total = f32(sums[i, j]) * scale
                        if BIAS:
                            total = total + bias[column]
                        c[(top + i) * n + column] = EPILOGUE(total)


WIDTH = 64  # of panels on GPUs, with tiles of both sizes
# Rows and columns of a lane, and lanes of a block along each. By hand, 512 x 512 by 512 took SwiftShader 196 ms with
# the small one and 122 with the large one, 112 with floats whose sums are exact, of 256 steps at most, and 152 with
# `dot4I8Packed`, which that adapter has no instruction for; exact products of F32 124.
LARGE = {"ROWS": 8, "COLUMNS": 8, "ACROSS": 8, "DOWN": 8}
LITTLE = {"ROWS": 4, "COLUMNS": 4, "ACROSS": 16, "DOWN": 4}


def choose(m, n, traits, key=None):
    """Schedules, with how often each is launched, which sizes say that are not known."""
    if (found := timed(traits, key)) is not None:
        return [(found[1], 1)]
    if not traits.together:
        return [({"ROWS": 5, "COLUMNS": 2, "UNROLLED": 4}, 1)]
    large = flag(m - 31) * flag(n - 31)
    if traits.gpu:
        large = large * flag(m * n - FEW_TILES)
    return [each for each in ((LARGE, large), (LITTLE, 1 - large)) if not isinstance(each[1], int) or each[1]]


def _schedules(o, traits):
    """Sums are of integers: all have the same bits."""
    if traits.together:  # of panels of WIDTH
        shapes = ((2, 4, 16, 4), (4, 4, 16, 8), (8, 4, 16, 4))
        found = [LARGE, LITTLE, *(dict(zip(LARGE, shape, strict=True)) for shape in shapes)]
    else:
        shapes = ((4, 2, 4), (5, 2, 2), (6, 2, 4), (3, 3, 4), (3, 2, 4), (2, 4, 4))
        found = [{"ROWS": rows, "COLUMNS": columns, "UNROLLED": turns} for rows, columns, turns in shapes]
    return _key(o), choices(*(("tiles", each) for each in [choose(o.m, o.n, traits)[0][0], *found]))


def _key(o):
    found = size_class(o.m, o.n, o.k)
    return found and f"quantized {o.ty} {o.values.get('b_ty') or o.ty} {o.bits} {found}"


def _launches(o, traits):
    found, of_b = choose(o.m, o.n, traits, _key(o)), o.values.get("b_ty") or o.ty
    (chosen, _), tall = found[0], found[0][0]["ROWS"]
    width = WIDTH if traits.together else 4 * chosen["COLUMNS"]
    pairs, many, below = ceildiv(o.k, 2), ceildiv(o.n, width), ceildiv(o.m, tall)
    scalars = {"m": o.m, "n": o.n, "k": o.k, "pairs": pairs, "below": below}
    padded = 1 if traits.together else tall
    # There are at most width - 1 columns beside those of b, and a byte of b is one pair of rows or two at least.
    words = (
        (o.most["a"] * padded, o.most["b"] * 2 * width)
        if o.late
        else ((o.m if traits.together else below * tall) * pairs, many * width * pairs)
    )
    memory = [{name: (Type.I32, count)} for name, count in zip(("rows", "panels"), words, strict=True)]
    each, some = bool(o.per_channel), 1 if traits.together else SOME
    of_rows = {"temporaries": memory[0], "scalars": scalars, "T": o.ty, "ZERO": o.a_zero is not None}
    final = {"scalars": scalars, "EACH": each, "BIAS": o.bias is not None}
    final["EPILOGUE"] = _same if o.activation is None else function(o.activation.value)
    if traits.together:
        first, last = part(o, _rows, (pairs, o.m), (64,), **of_rows), []
        for tile, times in found:
            across, down = tile["ACROSS"], tile["DOWN"]
            lanes = ceildiv(o.m, down * tile["ROWS"]) * across, many * down
            last.append(part(o, _tiles, lanes, (across, down), times=times, **tile, **final))
    else:
        first = part(o, _strips, (pairs, below), (64,), TALL=tall, **of_rows)
        lanes = many * 4, ceildiv(below, STRIP)
        last = [part(o, _strip_tiles, lanes, (4,), **{**chosen, "STRIP": STRIP}, **final)]
    return [
        first,
        part(o, _panels, (width, ceildiv(pairs, some), many), (width,), temporaries=memory[1], scalars=scalars, T=of_b,
             BITS=o.bits, SIGNED=of_b.is_signed, ZERO=o.b_zero is not None, EACH=each, WIDTH=width, SOME=some),
        *last,
    ]  # fmt: skip


def _extents(o):
    of_each = o.n if o.per_channel else 1
    optional = {"a_zero": 1, "b_zero": of_each, "bias": o.n}
    found = {"a": o.m * o.k, "b": ceildiv(o.k * o.n * o.bits, 8), "a_scale": 1, "b_scale": of_each}
    return found | {name: count for name, count in optional.items() if o.values[name] is not None} | {"c": o.m * o.n}


def _wrong(o):
    return None if o.bits in (4, 8) else f"elements of b have 8 or 4 bits, not {o.bits}"


def _by_numpy(np, o, a, b, a_scale, b_scale, a_zero=(0,), b_zero=(0,), bias=None):
    def whole(x):
        return np.asarray(x).astype(np.int64)

    def points(x, ty):
        return (whole(x) - ty.min_value) % (1 << ty.bits) + ty.min_value

    b, of_b = whole(b), o.values.get("b_ty") or o.ty
    if o.bits == 4:
        b = np.stack([b & 15, b >> 4 & 15], axis=1).ravel()[: o.k * o.n]
        b = (b ^ 8) - 8 if of_b.is_signed else b
    left = whole(a).reshape(o.m, o.k) - points(a_zero, o.ty)
    total = left @ (b.reshape(o.k, o.n) - points(b_zero, of_b))
    scale = np.float32(a_scale[0]) * np.asarray(b_scale, np.float32)
    found = total.astype(np.int32).astype(np.float32) * scale
    return found if bias is None else found + np.asarray(bias, np.float32)


OPERATIONS = (
    TensorOperation("QuantizedGEMM", _extents, _launches, _by_numpy, _wrong, epilogue="", schedules=_schedules),
)
