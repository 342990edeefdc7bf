"""What the kernels of `stepped.py` call."""

# mypy: ignore-errors

import hologram_web as hg

FACTOR = 2


def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps == 9:
            return -1
    return steps


@hg.function
def twice(n):
    return n * 2
