"""Products of rows and a matrix on WebAssembly. The sum of an element runs over k in increasing order, as in all."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import Callable, Constant, Elements, T, U, W, block_id, i32, local_id, registers, shared, static_range
from .panels import _scaled

__all__ = ["SPANS", "TOGETHER"]

# Columns of one row whose sums a block has, of few columns, so that threads share them, and of many; and rows of b
# that are read together. Of 1,024 x 1,024 V8 took 0.55 to 0.71 of the time with 512 that a block took of 32 columns,
# which reads two lines of the cache 4 KB apart; with 256 0.79 and 0.80, and 0.73 and 0.89 with four rows.
SPANS, TOGETHER = (512, 1024), 8


def _gemm_thin(
    c: Elements[T],
    a: Elements[U],
    b: Elements[U],
    bias: Elements[T],
    n: i32,
    k: i32,
    a_row: i32,
    a_step: i32,
    a_batch: i32,
    b_step: i32,
    b_batch: i32,
    c_batch: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    BATCHED: Constant[bool],
    BETA: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    SPAN: Constant[int],
    STEPS: Constant[int],
):
    """Four lanes make SPAN columns of one row, whose sums stay in the first cache: of STEPS rows of b at a time each is
    read from one end of the span to the other, as memory brings it."""
    sums = shared(W, SPAN)
    x = registers(STEPS, W)
    lane, begin, right = local_id(0), block_id(0) * SPAN, i32(0)
    row = block_id(1)  # what is computed of elements asks for it
    left, result = row * a_row, row * n
    if BATCHED:
        left, right, result = left + block_id(2) * a_batch, block_id(2) * b_batch, result + block_id(2) * c_batch
    width = min(n - begin, SPAN)
    whole, rest = width // 4, width // 4 * 4 + lane
    for j in range(SPAN // 4):
        sums[4 * j + lane] = W(0)
    for some in range(k // STEPS):
        for step in static_range(STEPS):
            x[step] = W(a[left + (some * STEPS + step) * a_step])
        from_row = right + some * STEPS * b_step + begin + lane
        for j in range(whole):
            total = sums[4 * j + lane]
            for step in static_range(STEPS):
                total += x[step] * W(b[from_row + step * b_step + 4 * j])
            sums[4 * j + lane] = total
    for p in range(k // STEPS * STEPS, k):
        y = W(a[left + p * a_step])
        for j in range(whole):
            sums[4 * j + lane] += y * W(b[right + p * b_step + begin + lane + 4 * j])
    if rest < width:
        total = W(0)
        for p in range(k):
            total += W(a[left + p * a_step]) * W(b[right + p * b_step + begin + rest])
        sums[rest] = total
    for j in range((width + 3) // 4):
        if 4 * j + lane < width:
            column = begin + 4 * j + lane
            total = _scaled(sums[4 * j + lane], alpha, beta, c, result + column, BETA)
            if BIAS:
                total = total + W(bias[column])
            c[result + column] = EPILOGUE(T(total))
