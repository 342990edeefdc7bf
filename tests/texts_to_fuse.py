"""Kernels with operands as they are in none of the tensor library, for tests/test_fuse.py."""

# mypy: ignore-errors

from __future__ import annotations

import hologram_web as hg
from hologram_web.tensor.language import Elements

__all__ = ["adds", "by_name", "lets_write", "passes_on", "writes_two"]


def element(x, i):
    return x[i]


def element_of_others(x, i):
    return element(x, i)


def emptied(x, i):
    x[i] = 0.0
    return x[i]


def passes_on(output: Elements[hg.f32], input: Elements[hg.f32]):
    output[0] = element_of_others(input, 1)


def lets_write(output: Elements[hg.f32], input: Elements[hg.f32]):
    output[0] = emptied(input, 1)


def by_name(output: Elements[hg.f32], input: Elements[hg.f32]):
    output[0] = element(x=input, i=1)


def writes_two(output: Elements[hg.f32], input: Elements[hg.f32]):
    output[0], output[1] = input[1], input[0]


def adds(output: Elements[hg.f32], input: Elements[hg.f32]):
    output[0] += input[1]
