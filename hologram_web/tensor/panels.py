"""Matrix products whose right factor lies in panels of some columns, for packets on WebAssembly."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import Callable, Constant, Elements, T, U, W, block_id, global_id, i32, local_id, registers, static_range
from .operation import function

__all__ = ["AS_IT_LIES", "AS_IT_LIES_HERE", "SOME", "STRIP", "WIDTH"]

WIDTH = 8  # columns of a panel
STRIP = 16  # blocks below each other
AS_IT_LIES, AS_IT_LIES_HERE = 256, 32  # columns for which the other factor is not packed, in V8 and natively
SOME = 64  # rows of a panel that are brought at once: a block of one takes as long as what it does


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
):
    """b in panels of WIDTH columns, `many` for each of its matrices, each row after row; zeros stand beside the last
    columns. A block brings SOME rows of a panel, one after the other."""
    lane, begin, number, panel, first = local_id(0), block_id(1) * SOME, block_id(2), block_id(2), i32(0)
    if BATCHED:
        panel, first = block_id(0) * many + number, block_id(0) * b_batch
    column, to = number * WIDTH + lane, panel * k * WIDTH + lane
    if number * WIDTH + WIDTH <= n:
        for row in range(begin, min(begin + SOME, k)):
            panels[to + row * WIDTH] = W(b[first + column * b_column + row * b_step])
    else:
        for row in range(begin, min(begin + SOME, k)):
            value = W(0)
            if column < n:
                value = W(b[first + column * b_column + row * b_step])
            panels[to + row * WIDTH] = value


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
):
    """a in strips of TALL rows, `below` each other in each of its matrices: column after column."""
    p, strip, batch = global_id(0), global_id(1), global_id(2)
    to = ((batch * below + strip) * k + p) * TALL
    for i in static_range(TALL):
        strips[to + i] = W(a[batch * a_batch + min(strip * TALL + i, m - 1) * a_row + p * a_step])


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
    STEPS: Constant[int],
    PACKED: Constant[bool],
    STEP: Constant[int],
    REST: Constant[bool],
    EDGE: Constant[bool],
):
    """Four lanes make TALL rows of WIDTH columns after the others, of up to STRIP strips: their sums are two vectors of
    a packet for each row. Blocks side by side go through the same strips, which stay in caches. Those that are not
    PACKED are rows of a as it lies, whose step is STEP, or 0 if it is not known. REST says that rounds may leave some
    of k, EDGE that there may be columns beyond the last."""
    sums, y = registers((TALL, 2), W), registers(2, W)
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
            for j in static_range(2):
                sums[i, j] = W(0)
        for some in range(k // STEPS):
            for step in static_range(STEPS):
                # What is added last and known is part of the address, and one proof for all of a round.
                for j in static_range(2):
                    y[j] = panels[panel + some * (STEPS * WIDTH) + (step * WIDTH + 4 * j)]
                for i in static_range(TALL):
                    if PACKED:
                        x = W(strips[strip + some * (STEPS * TALL) + (step * TALL + i)])
                    else:
                        x = W(strips[rows[i] + some * STEPS * ahead + step * ahead])
                    for j in static_range(2):
                        sums[i, j] += x * y[j]
        if REST:
            for p in range(k // STEPS * STEPS, k):
                for j in static_range(2):
                    y[j] = panels[panel + p * WIDTH + 4 * j]
                for i in static_range(TALL):
                    if PACKED:
                        x = W(strips[strip + p * TALL + i])
                    else:
                        x = W(strips[rows[i] + p * ahead])
                    for j in static_range(2):
                        sums[i, j] += x * y[j]
        for i in static_range(TALL):
            if top + i < m:
                for j in static_range(2):
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
