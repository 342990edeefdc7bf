"""What is written to a Buffer does not change Arrays that were made of it before, computed or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends import LaunchConfig

ADDS = hg.Program.from_text("""
    .param x: buffer f32 read_write
        mov_imm.f32 r1, 10
        ldg.f32 r2, [x + r255*4]
        add.f32 r2, r2, r1
        stg.f32 [x + r255*4], r2
""")


@hg.kernel
def sets(x: hg.Array[hg.f32], y: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    x[i] = y[i] - 3


def _replayed(ex: Any, x: Any) -> Callable[[], None]:
    with ex.record() as recording:
        sets[4](x, x.executor.zeros(4))
    return recording.replay


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "from_numpy": lambda ex, x: lambda: x.from_numpy(np.full(4, 7, np.float32)),
    "fill": lambda ex, x: lambda: x.fill(7),
    "copy_from": lambda ex, x: lambda: x.copy_from(ex.full(4, 7)),
    "a kernel": lambda ex, x: lambda: sets[4](x, ex.zeros(4)),
    "a kernel again": lambda ex, x: (sets[4](x, x), x.from_numpy(np.arange(4)), lambda: sets[4](x, x))[-1],
    "a program": lambda ex, x: lambda: ex.run(ADDS, LaunchConfig.linear(4), x=x),
    "a compiled one": lambda ex, x: lambda: hg.compile(ADDS, grid=4, shapes={"x": (4,)}).run(ex, x=x),
    "a replay": _replayed,
    "out": lambda ex, x: lambda: hg.ops.add(ex.full(4, 1), ex.full(4, 2), out=x),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("device", ["cpu", "wasm", "webgpu"])
def test_what_waits_for_a_buffer_is_computed_before_it_changes(device: str, write: str) -> None:
    with hg.Executor(device) as ex:
        x = ex.array(np.arange(4, dtype=np.float32))
        do = WRITES[write](ex, x)
        y, row, gone = x * 2 + 1, x[1:], x - 1
        del gone
        z = y.sum()
        do()
        assert x.tolist() != [0, 1, 2, 3]
        assert y.tolist() == [1, 3, 5, 7]
        assert row.tolist() == [1, 2, 3]
        assert z.tolist() == 16
        assert (x * 0 + 1).tolist() == [1, 1, 1, 1]


def test_arrays_of_a_result_that_is_written() -> None:
    with hg.Executor("wasm") as ex:
        x = ex.array(np.arange(4, dtype=np.float32)) + 1
        y = x * x
        sets[4](x.buffer, ex.zeros(4))
        assert y.tolist() == [1, 4, 9, 16]
        assert x.tolist() == [-3, -3, -3, -3]


def test_readers_that_are_gone_are_forgotten() -> None:
    with hg.Executor("wasm") as ex:
        x = ex.zeros(4)
        kept = x + 1
        for _ in range(1000):
            x * 2
        node = x._node()
        assert len(node.readers) < 70
        x.fill(5)
        assert kept.tolist() == [1, 1, 1, 1]
