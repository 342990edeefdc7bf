"""Matrix products whose right factor lies in panels of some columns, for packets on WebAssembly."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import (
    Callable,
    Constant,
    Elements,
    T,
    U,
    V,
    W,
    block_id,
    global_id,
    i32,
    local_id,
    registers,
    static_range,
)  # fmt: skip
from .operation import at_most, ceildiv, function, part

__all__ = ["AS_IT_LIES", "AS_IT_LIES_HERE", "SOME", "STRIP", "just_before", "width_of"]

STRIP = 16  # blocks below each other
# Columns for which the other factor is not packed, in V8 and natively: fused products of 512 x 512 by 512 took V8 0.93
# of the time, those of 1,024 1.04.
AS_IT_LIES, AS_IT_LIES_HERE = 512, 32
BLOCKS = 16  # which share panels that are packed just before they are used
# Elements of strips that go over such a panel: they stay in the second cache for the next one. With a quarter of them
# 1,024 x 1,024 by 1,024 took 1.12 of the time, 384 x 1,000 by 77 1.2, as panels are packed more often.
CACHED = 1 << 18
TOGETHER = 64  # strips that go over it where sizes are not known
SOME = 8  # rows that a block brings into all panels


# One lane for each element took 512 x 512 by 512 of F64 195 ms natively where panels took 24, of I64 225 and 46.
def width_of(ty):
    """Columns of a panel, which are two registers of sums for each row."""
    return 4 if ty.size_bytes == 8 else 8


def _same(x):
    return x


_mad = function("mad")


def _scaled(total: W, alpha, beta, c, at, BETA):
    """A sum as it goes into c, before what is added to all of its column."""
    total = total * alpha
    if BETA and beta != 0:
        total = _mad(W(c[at]), beta, total)
    return total


def _panels(
    panels: Elements[W],
    b: Elements[U],
    n: i32,
    k: i32,
    b_step: i32,
    b_column: i32,
    b_batch: i32,
    many: i32,
    U: Constant[type],
    W: Constant[type],
    BATCHED: Constant[bool],
    TURNED: Constant[bool],
    WIDTH: Constant[int],
):
    """b in panels of WIDTH columns, `many` for each of its matrices, each row after row; zeros stand beside the last
    columns. Four lanes bring SOME rows of all panels, one panel after the other: a line of the cache has columns of
    two. b is TURNED if its columns lie one after the other."""
    lane, begin, first, base = local_id(0), block_id(0) * SOME, i32(0), i32(0)
    step, apart = b_step, i32(1)
    if TURNED:
        step, apart = 1, b_column
    if BATCHED:
        first, base = block_id(1) * b_batch, block_id(1) * many
    for number in range(many):
        left = number * WIDTH + lane
        at, to = first + left * apart, (base + number) * k * WIDTH + lane
        if begin + SOME <= k and number * WIDTH + WIDTH <= n:
            for i in static_range(SOME):
                for j in static_range(WIDTH // 4):
                    panels[to + (begin + i) * WIDTH + 4 * j] = W(b[at + (begin + i) * step + 4 * j * apart])
        else:
            for row in range(begin, min(begin + SOME, k)):
                for j in static_range(WIDTH // 4):
                    value = W(0)
                    if left + 4 * j < n:
                        value = W(b[at + row * step + 4 * j * apart])
                    panels[to + row * WIDTH + 4 * j] = value


def _strips(
    strips: Elements[W],
    a: Elements[U],
    m: i32,
    k: i32,
    a_row: i32,
    a_step: i32,
    a_batch: i32,
    below: i32,
    U: Constant[type],
    W: Constant[type],
    TALL: Constant[int],
    STEP: Constant[int],
):
    """a in strips of TALL rows, `below` each other in each of its matrices: column after column. STEP is a's, or 0."""
    p, strip, batch, ahead = global_id(0), global_id(1), global_id(2), a_step
    if STEP:
        ahead = STEP
    to = ((batch * below + strip) * k + p) * TALL
    for i in static_range(TALL):
        strips[to + i] = W(a[batch * a_batch + min(strip * TALL + i, m - 1) * a_row + p * ahead])


def _tile(none: W, panels, left, panel, strip, rows, ahead, k, TALL, WIDTH, STEPS, PACKED, REST):
    """Sums of TALL rows and WIDTH columns. `left` reads strips, which may be computed there; those that are
    not PACKED are rows as they lie, which go on by `ahead`. REST says that rounds of STEPS may leave some of k."""
    sums, y = registers((TALL, WIDTH // 4), W, none), registers(WIDTH // 4, W)
    for some in range(k // STEPS):
        for step in static_range(STEPS):
            # What is added last and known is part of the address, and one proof for all of a round.
            for j in static_range(WIDTH // 4):
                y[j] = panels[panel + some * (STEPS * WIDTH) + (step * WIDTH + 4 * j)]
            for i in static_range(TALL):
                if PACKED:
                    x = left(strip + some * (STEPS * TALL) + (step * TALL + i))
                else:
                    x = left(rows[i] + some * STEPS * ahead + step * ahead)
                for j in static_range(WIDTH // 4):
                    sums[i, j] += x * y[j]
    if REST:
        for p in range(k // STEPS * STEPS, k):
            for j in static_range(WIDTH // 4):
                y[j] = panels[panel + p * WIDTH + 4 * j]
            for i in static_range(TALL):
                if PACKED:
                    x = left(strip + p * TALL + i)
                else:
                    x = left(rows[i] + p * ahead)
                for j in static_range(WIDTH // 4):
                    sums[i, j] += x * y[j]
    return sums


def _gemm_panels(
    c: Elements[T],
    strips: Elements[U],
    panels: Elements[W],
    bias: Elements[T],
    m: i32,
    n: i32,
    k: i32,
    a_row: i32,
    a_step: i32,
    a_batch: i32,
    c_batch: i32,
    many: i32,
    below: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    BATCHED: Constant[bool],
    BETA: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    TALL: Constant[int],
    WIDTH: Constant[int],
    STEPS: Constant[int],
    PACKED: Constant[bool],
    STEP: Constant[int],
    REST: Constant[bool],
    EDGE: Constant[bool],
):
    """Four lanes make TALL rows of WIDTH columns after the others, of up to STRIP strips: their sums are vectors of
    a packet, WIDTH // 4 for each row. Blocks side by side go through the same strips, which stay in caches. Those that
    are not PACKED are rows of a as it lies, whose step is STEP, or 0 if it is not known. REST says that rounds may
    leave some of k, EDGE that there may be columns beyond the last."""
    left, panel, begin, result = block_id(0) * WIDTH + local_id(0), block_id(0), block_id(1) * STRIP, i32(0)
    first = i32(0)
    if BATCHED:
        panel, first, result = block_id(2) * many + panel, block_id(2) * below, block_id(2) * c_batch
    panel = panel * WIDTH * k + local_id(0)
    rows, ahead = registers(TALL, i32), a_step
    if STEP:
        ahead = STEP
    for number in range(begin, min(begin + STRIP, below)):
        strip, top = (first + number) * TALL * k, number * TALL
        for i in static_range(TALL):
            if not PACKED:
                rows[i] = min(top + i, m - 1) * a_row
                if BATCHED:
                    rows[i] += block_id(2) * a_batch
        sums = _tile(
            W(0), panels, lambda place: W(strips[place]), panel, strip, rows, ahead, k, TALL, WIDTH, STEPS, PACKED, REST
        )
        for i in static_range(TALL):
            if top + i < m:
                for j in static_range(WIDTH // 4):
                    row, column = top + i, left + 4 * j
                    if EDGE:
                        inside = column < n
                    else:
                        inside = block_id(0) * WIDTH + WIDTH <= n
                    if inside:
                        at = result + row * n + column
                        total = _scaled(sums[i, j], alpha, beta, c, at, BETA)
                        if BIAS:
                            total = total + W(bias[column])
                        c[at] = EPILOGUE(T(total))


def _gemm_fresh(
    c: Elements[T],
    strips: Elements[U],
    b: Elements[V],
    bias: Elements[T],
    panels: Elements[W],
    batch: i32,
    m: i32,
    n: i32,
    k: i32,
    a_row: i32,
    a_step: i32,
    a_batch: i32,
    b_step: i32,
    b_column: i32,
    b_batch: i32,
    c_batch: i32,
    many: i32,
    below: i32,
    apart: i32,
    some: i32,
    each: i32,
    turns: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    U: Constant[type],
    V: Constant[type],
    W: Constant[type],
    BETA: Constant[bool],
    BIAS: Constant[int],
    EPILOGUE: Constant[Callable],
    TALL: Constant[int],
    WIDTH: Constant[int],
    STEPS: Constant[int],
    PACKED: Constant[bool],
    STEP: Constant[int],
    TURNED: Constant[bool],
    ALONE: Constant[bool],
    REST: Constant[bool],
    EDGE: Constant[bool],
    NARROW: Constant[bool],
):
    """Four lanes bring WIDTH columns of b, and make TALL rows of them after the others: `_gemm_panels` with each panel
    packed just before it is used. A block has `each` turns, which take neighbours: a line of the cache has columns of
    two. Of a matrix ALONE a turn is one of its `many` panels; else `some` of the strips go over those of all matrices
    before the next ones do. Strips of a matrix begin `apart`. At the EDGE a panel begins earlier, and stores what no
    other one has made; NARROW matrices may have fewer columns than a panel. BIAS 1 is of columns, 2 of rows."""
    rows, lane, base = registers(TALL, i32), local_id(0), block_id(0) * (WIDTH * k) + local_id(0)
    ahead, down, right = a_step, b_step, i32(1)
    if STEP:
        ahead = STEP
    if TURNED:
        down, right = 1, b_column
    for turn in range(block_id(0) * each, min(block_id(0) * each + each, turns)):
        number, image, begin = turn, i32(0), i32(0)
        if not ALONE:
            # Clamped so that proofs know the ends of quotients, and that no lane divides by zero and leaves.
            rest = turn // max(many, 1)
            number = max(min(turn - rest * many, many - 1), 0)
            image = max(min(rest % max(batch, 1), batch - 1), 0)
            begin = max(min(rest // max(batch, 1) * some, below - 1), 0)
        first = number * WIDTH
        left = first
        if EDGE:
            left = max(min(first, n - WIDTH), 0)
        at = image * b_batch + (left + lane) * right
        if not NARROW or n >= WIDTH:
            for p in range(k):
                for j in static_range(WIDTH // 4):
                    panels[base + p * WIDTH + 4 * j] = W(b[at + p * down + 4 * j * right])
        else:
            for p in range(k):
                for j in static_range(WIDTH // 4):
                    value = W(0)
                    if left + lane + 4 * j < n:
                        value = W(b[at + p * down + 4 * j * right])
                    panels[base + p * WIDTH + 4 * j] = value
        for strip in range(begin, min(begin + some, below)):
            top, weights = strip * TALL, (image * apart + strip) * (TALL * k)
            for i in static_range(TALL):
                if not PACKED:
                    rows[i] = image * a_batch + min(top + i, m - 1) * a_row
            sums = _tile(
                W(0),
                panels,
                lambda place: W(strips[place]),
                base,
                weights,
                rows,
                ahead,
                k,
                TALL,
                WIDTH,
                STEPS,
                PACKED,
                REST,
            )
            for i in static_range(TALL):
                row = top + i
                if row < m:
                    added = W(0)
                    if BIAS == 2:
                        added = W(bias[row])
                    for j in static_range(WIDTH // 4):
                        column = left + lane + 4 * j
                        if (not EDGE or column >= first) and (not NARROW or column < n):
                            to = image * c_batch + row * n + column
                            total = _scaled(sums[i, j], alpha, beta, c, to, BETA)
                            if BIAS == 1:
                                total = total + W(bias[column])
                            if BIAS == 2:
                                total = total + added
                            c[to] = EPILOGUE(T(total))


def just_before(o, sizes, batch, scalars, chosen, left, right, held, times=1, why="", buffers=None, **constants):
    """Launches that pack each panel just before it is used, of `batch` products of `sizes` m, n and k. `left` is the
    operand that is packed in strips, if it is, and `right` the other one; `scalars` are steps of both."""
    m, n, k = sizes
    acc, tall = constants["W"], chosen["TALL"]
    width = width_of(acc)
    many, below = ceildiv(n, width), ceildiv(m, tall)
    some = TOGETHER
    if isinstance(m, int) and isinstance(k, int):  # as many at once as stay in a cache, and all of them about as many
        some = ceildiv(below, max(ceildiv(below * tall * k, CACHED), 1))
    shared = isinstance(scalars["a_batch"], int) and scalars["a_batch"] == 0
    turns = batch * many * ceildiv(below, max(some, 1))
    each, blocks = ceildiv(turns, BLOCKS), at_most(turns, BLOCKS)
    if isinstance(turns, int):
        blocks = ceildiv(turns, max(each, 1))
    scalars = scalars | {"m": m, "n": n, "k": k, "batch": batch, "many": many, "below": below, "some": some}
    scalars |= {"each": each, "turns": turns, "apart": 0 if shared else below}
    own, found, of_strips = {**(buffers or {}), "b": right, "strips": left}, [], held
    if chosen["PACKED"]:
        of_strips, own["strips"] = acc, "strips"
        together = 1 if shared else batch
        memory = {"strips": (acc, below * tall * k * together * times)}
        given = {"buffers": {"a": left}, "temporaries": memory, "times": times}
        found.append(
            part(o, _strips, (k, below, together), (64,), **given, scalars=scalars, U=held, W=acc, TALL=tall,
                 STEP=(chosen | constants)["STEP"])
        )  # fmt: skip
    memory = {"panels": (acc, blocks * width * k * times)}
    rest, edge = (not isinstance(size, int) or size % by != 0 for size, by in ((k, chosen["STEPS"]), (n, width)))
    narrow = not isinstance(n, int) or n < width
    alone = isinstance(turns, int) and turns == many
    how = {
        "REST": rest,
        "EDGE": edge and not (isinstance(n, int) and narrow),
        "NARROW": narrow,
        "ALONE": alone,
        "WIDTH": width,
    }
    found.append(
        part(o, _gemm_fresh, (blocks * 4,), (4,), buffers=own, temporaries=memory, scalars=scalars, times=times,
             fast=True, why=why, U=of_strips, V=held, **how, **chosen, **constants)
    )  # fmt: skip
    return found
