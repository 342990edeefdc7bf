"""Kernels to step through; `plain.py` runs the same functions as Python."""

# mypy: ignore-errors

from __future__ import annotations

import hologram_web as hg

from .stepped_helpers import collatz, twice

TAPS = (1, 4, 6, 4, 1)


def branches(x: hg.Array[hg.i32], y: hg.Array[hg.i32], a: hg.i32):
    """The lines behind this one are what the tests step through."""
    i = hg.global_id()
    value = x[i]
    if value > a:
        value -= a
        if value > 2 * a:
            y[i] = -1
            return
    elif value == a:
        value = 100
    else:
        value = -value if value > 1 else value + x[value]
    even = value % 2 == 0
    if even and value != 0:
        y[i] = 1
    y[i] += value


def loops(x: hg.Array[hg.i32], y: hg.Array[hg.i32], a: hg.i32):
    i = hg.global_id()
    total = hg.i32(0)
    for k in range(i):
        if k == a:
            continue
        if k > 4:
            break
        total += x[k]
    n = i
    while n > 0:
        n -= 2
        for m in range(3, 0, -1):
            total += m
    while n > -10 and x[n + 10] > 0:
        n -= 1
    while True:
        total += 1
        if total > a:
            break
    y[i] = total


def calls(x: hg.Array[hg.i32], y: hg.Array[hg.i32], a: hg.i32):
    i = hg.global_id()
    y[i] = collatz(x[i]) + twice(twice(i) + a)
    steps = collatz(i + 1)
    y[i] += steps


def tiles(x: hg.Array[hg.i32], y: hg.Array[hg.i32], a: hg.i32):
    tile = hg.shared(hg.i32, 4)
    i, j = hg.global_id(), hg.local_id()
    tile[j] = x[i] * a
    hg.barrier()
    half = hg.block_dim() // 2
    while half > 0:
        if j < half:
            tile[j] += tile[j + half]
        hg.barrier()
        half //= 2
    if j == 0:
        y[hg.block_id()] = tile[0]


def sorted_three(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    i = hg.global_id()
    mine = hg.local(hg.i32, 3)
    for k in range(3):
        mine[k] = x[i + k]
    if mine[0] > mine[1]:
        swapped = mine[0]
        mine[0] = mine[1]
        mine[1] = swapped
    y[i] = mine[0]


def taps(x: hg.Array[hg.u8], y: hg.Array[hg.u8]):
    i = hg.global_id()
    total = hg.i32(8)
    for k in range(len(TAPS)):
        tap = TAPS[k]
        if tap == 4:
            continue
        total += tap * hg.i32(x[twice(i) + k])
    for tap, k in ((1, 2), (3, 4)):  # noqa: B007
        pass
    y[i] = total >> 4
