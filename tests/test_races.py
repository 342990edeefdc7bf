"""The race checker of the reference device: what is a race, and what it says of one."""

from __future__ import annotations

import numpy as np
import pytest

from hologram_web import ExecutionError, ExecutionParams, FaultKind, LaunchConfig, Program
from hologram_web.backends import CpuBackend

HEAD = ".param x: buffer i32 read_write\n.shared 256\n    cvt.i32.u64 r10, r255\n    mov_imm.i32 r11, 1\n"


def _check(text, config, **options):
    backend = CpuBackend(check_races=True, **options)
    x = backend.allocate_buffer(400)
    backend.execute_program_with_params(Program.from_text(HEAD + text), ExecutionParams(config, {"x": x}))
    return np.frombuffer(backend.copy_from_buffer(x), np.int32)


ONE_BLOCK, TWO_BLOCKS = LaunchConfig.linear(8), LaunchConfig.linear(8, 4)
LANE_0 = "    set.eq.u32 p0, r252, r253\n    bra end, !p0\n"

RACES = [
    (
        "two stores to one place",
        "    stg.i32 [x + 4], r10\n",
        "byte 4 of buffer x: lane 0 writes it at instruction 2 (stg.i32 [x + 4], r10) and lane 1 writes it at "
        "instruction 2 (stg.i32 [x + 4], r10), with no barrier or atomic between them",
    ),
    (
        "a load and a store",
        "    stg.i32 [x + r10*4], r10\n    ldg.i32 r12, [x + 12]\n",
        "byte 12 of buffer x: lane 0 reads it at instruction 3 (ldg.i32 r12, [x + 12]) and lane 3 writes it at "
        "instruction 2 (stg.i32 [x + r10*4], r10), with no barrier or atomic between them",
    ),
    (
        "overlapping elements of different types",
        "    stg.i32 [x + r10*4], r10\n    ldg.u8 r12, [x + r10*4 + 1]\n    ldg.u8 r12, [x + r10*4 + 4]\n",
        "byte 4 of buffer x: lane 0 reads it at instruction 4 (ldg.u8 r12, [x + r10*4 + 4]) and lane 1 writes it at "
        "instruction 2 (stg.i32 [x + r10*4], r10), with no barrier or atomic between them",
    ),
    (
        "an atomic and a plain load",
        "    atom.add.i32 r12, [x], r11\n    ldg.i32 r12, [x]\n",
        "byte 0 of buffer x: lane 0 writes it at instruction 2 (atom.add.i32 r12, [x], r11) and lane 1 reads it at "
        "instruction 3 (ldg.i32 r12, [x]), with no barrier or atomic between them",
    ),
    (
        "shared memory before the barrier",
        "    sts.i32 [shared + r252*4], r10\n    lds.i32 r12, [shared + 20]\n    bar_sync 0\n",
        "byte 20 of shared memory: lane 0 reads it at instruction 3 (lds.i32 r12, [shared + 20]) and lane 5 writes it "
        "at instruction 2 (sts.i32 [shared + r252*4], r10), with no barrier or atomic between them",
    ),
    (
        "a reduction reads what another lane stores",
        "    stg.i32 [x + r10*4], r10\n    reduce_add.i32 r12, [x], 2\n",
        "byte 0 of buffer x: lane 0 writes it at instruction 2 (stg.i32 [x + r10*4], r10) and lane 1 reads it at "
        "instruction 3 (reduce_add.i32 r12, [x], 2), with no barrier or atomic between them",
    ),
]


@pytest.mark.parametrize("order", ["ascending", "descending"])
@pytest.mark.parametrize(("text", "detail"), [race[1:] for race in RACES], ids=[race[0] for race in RACES])
def test_races(text, detail, order):
    with pytest.raises(ExecutionError) as caught:
        _check(text, ONE_BLOCK, lane_order=order)
    assert caught.value.kind is FaultKind.DATA_RACE
    assert caught.value.detail == detail
    assert caught.value.instruction is None
    assert str(caught.value).startswith(f"DataRace, lane {caught.value.lane}: byte {caught.value.offset} of ")


def test_a_barrier_orders_a_block_but_not_blocks():
    text = "    stg.i32 [x + r10*4], r10\n    bar_sync 0\n    ldg.i32 r12, [x + 20]\n"
    _check(text, ONE_BLOCK)
    with pytest.raises(ExecutionError, match=r"byte 20 of buffer x: lane 0 reads it .* and lane 5 writes it"):
        _check(text, TWO_BLOCKS)


@pytest.mark.parametrize(
    "text",
    [
        "    stg.i32 [x + r10*4], r10\n    ldg.i32 r12, [x + r10*4]\n    stg.i32 [x + r10*4], r12\n",
        "    ldg.i32 r12, [x]\n    ldg.i32 r12, [x + 4]\n",
        "    atom.add.i32 r12, [x], r11\n    atom.min.i32 r12, [x], r11\n",
        "    sts.i32 [shared + r252*4], r10\n    bar_sync 0\n    lds.i32 r12, [shared]\n",
        "    stg.i32 [x + r10*4], r10\n    parallel_map.neg.i32 [x], [x], 8\n    ldg.i32 r12, [x]\n",
        LANE_0 + "    stg.i32 [x], r10\nend:\n",
    ],
)
def test_what_is_no_race(text):
    _check(text, ONE_BLOCK)


def test_shared_memory_of_blocks_is_apart():
    text = "    sts.i32 [shared + r252*4], r10\n    lds.i32 r12, [shared + r252*4]\n    stg.i32 [x + r10*4], r12\n"
    assert _check(text, TWO_BLOCKS)[:8].tolist() == list(range(8))


def test_barriers_in_turn():
    """What one barrier orders, the next turn of the loop does not undo: a missing second barrier is found."""
    text = """
    mov_imm.u32 r13, 2
turn:
    sts.i32 [shared + r252*4], r10
    bar_sync 0
    mov_imm.u32 r14, 7
    sub.u32 r14, r14, r252
    lds.i32 r12, [shared + r14*4]
    {}
    loop r13, turn
"""
    _check(text.format("bar_sync 1"), ONE_BLOCK)
    with pytest.raises(ExecutionError, match="DataRace"):
        _check(text.format("mem_fence.block"), ONE_BLOCK)
