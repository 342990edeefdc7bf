"""Rounds of loops that all lanes of a block do, apart from the last one: the same as on the reference device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.compiler.check import check
from hologram_web.compiler.ir import Function
from hologram_web.compiler.whole_rounds import with_whole_rounds
from hologram_web.targets.wasm import kernel as target

FAR = 2**31 - 1


@hg.kernel
def shared_row(out: hg.Array[hg.i32], sums: hg.Array[hg.u32], begin: hg.i32, end: hg.i32):
    """Lanes of a block of 64 share numbers; what is behind the loop wants the last of them, too."""
    lane, last, total = hg.local_id(0), -1, hg.u32(0)
    for i in range(begin + lane, end, 64):
        total = total * 3 + hg.u32(i)
        last = i
    out[hg.global_id()] = last
    sums[hg.global_id()] = total


@hg.kernel
def shared_thirds(out: hg.Array[hg.i32], sums: hg.Array[hg.u32], begin: hg.i32, end: hg.i32):
    """Three numbers apart in each lane, a step that is no power of two, of blocks with their own places."""
    total, last = hg.u32(1), hg.i32(0)
    for i in range(begin + 3 * hg.local_id(0) + hg.block_id(0), end, 192):
        total ^= hg.u32(i) * 5 + total
        last = i + 1
    out[hg.global_id()] = last
    sums[hg.global_id()] = total


@hg.kernel
def shared_rows(out: hg.Array[hg.i32], sums: hg.Array[hg.u32], begin: hg.i32, end: hg.i32):
    """Blocks of 16 x 4: lanes along both axes share, and write memory that others read."""
    i = hg.i32(0)
    parts = hg.shared(hg.i32, 64)
    number = 16 * hg.local_id(1) + hg.local_id(0)
    parts[number] = number
    hg.barrier()
    for i in range(begin + number, end, 64):
        parts[number] += i
    hg.barrier()
    total = hg.u32(0)
    for k in range(number, 64, 16):
        total = total * 7 + hg.u32(parts[k])
    place = hg.block_id(0) * 64 + number
    out[place] = i
    sums[place] = total


KERNELS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "row": (shared_row, (128,)), "thirds": (shared_thirds, (128,)), "rows": (shared_rows, (32, 4)),
}  # fmt: skip
BLOCKS = {"row": (64,), "thirds": (64,), "rows": (16, 4)}
ENDS = [(0, n) for n in (0, 1, 3, 4, 5, 63, 64, 65, 127, 128, 129, 191, 192, 193, 575, 576, 1000)]
ENDS += [(-100, 90), (-1, 64), (7, 71), (7, 70), (1000, 0), (FAR - 300, FAR), (FAR - 191, FAR), (FAR - 300, FAR - 64)]


@pytest.mark.parametrize("name", KERNELS)
def test_lanes_do_what_they_do_on_the_reference_device(name: str) -> None:
    kernel, lanes = KERNELS[name]
    for begin, end in ENDS:
        results = []
        for device in ("cpu", "wasm"):
            out, sums = np.zeros(128, np.int32), np.zeros(128, np.uint32)
            kernel.on(device)[lanes, BLOCKS[name]](out, sums, begin, end)
            results.append((out, sums))
        for found, wanted in zip(results[1], results[0], strict=True):
            assert (found == wanted).all(), (begin, end)


@pytest.mark.parametrize("name", KERNELS)
def test_loops_are_found_and_stay_valid(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[tuple[int, int]] = []

    def loops(function: Function) -> int:
        return sum(block in block.end.ways for block in function.blocks)

    def looked_at(function: Function) -> Function:
        made = with_whole_rounds(function)
        check(made)
        found.append((loops(function), loops(made)))
        return made

    monkeypatch.setattr(target, "with_whole_rounds", looked_at)
    KERNELS[name][0].explain("wat", block=BLOCKS[name])
    assert found
    assert all(made == loops + 1 for loops, made in found)
