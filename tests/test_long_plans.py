"""Programs of many collectives: devices run any number of them; a file holds 65,536 steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends import DEVICES
from hologram_web.plan import lowering
from hologram_web.plan.plan import MAX_NAMES

_HEAD = ".param x: buffer i32 read_write\n.param y: buffer i32 read_write\n"
_MANY = MAX_NAMES + 4  # more than were taken natively, and than a file has names of temporaries


def _reductions(count: int, size: int = 2049) -> hg.Program:
    """Each writes the sum of x, which is longer by it: two blocks are added up in a temporary."""
    return hg.Program.from_text(_HEAD + f"    parallel_reduce.add.i32 [x], [x], {size}\n" * count)


def test_a_device_runs_any_number_of_collectives() -> None:
    maps = "    parallel_map_binary.add.i32 [x], [x], [y], 2\n" * _MANY
    found = hg.compile(hg.Program.from_text(_HEAD + maps), grid=1, block=1).run(
        DEVICES["wasm"](cache=False), np.arange(2, dtype=np.int32), np.array([1, 2], np.int32)
    )
    assert found["x"].tolist() == [_MANY, 1 + 2 * _MANY]


@pytest.mark.parametrize("name", ["cpu", "wasm", "webgpu"])
def test_temporaries_are_used_again(name: str) -> None:
    """What a collective alone needs, the next one has: memory does not grow with their number."""
    x = np.ones(2049, np.int32)
    compiled = hg.compile(_reductions(5), grid=1, block=1)
    assert len(compiled.artifact.plan.temporaries) == len(
        hg.compile(_reductions(1), grid=1, block=1).artifact.plan.temporaries
    )
    found = compiled.run(DEVICES[name](), x, np.zeros(1, np.int32))
    assert found["x"][0] == 2049 + 4 * 2048


@pytest.mark.parametrize("device", ["wasm", "webgpu"])
def test_operations_of_arrays_share_memory_that_each_needs_alone(device: str) -> None:
    """Of products one after another each packs its factors where the one before did, if there is room."""

    @hg.function
    def powers(x: hg.Array[hg.f32, 64, 520], w: hg.Array[hg.f32, 520, 520]) -> Any:
        return (x @ w @ w @ w)[:, :100] @ w[:100]

    compiled = powers.compile()
    named = [temporary.name for temporary in compiled.artifact.plan.temporaries]
    assert [name for name in named if name.startswith("panels")] == ["panels"]
    assert [name for name in named if name.startswith("strips")] == ["strips"]
    rng = np.random.default_rng(2)
    x, w = rng.random((64, 520), "f4"), rng.random((520, 520), "f4") / np.float32(260)
    with hg.Executor(device) as ex:
        result = ex.zeros((64, 520))
        for _ in range(2):  # what an earlier run left there changes nothing
            compiled.run(ex, x=x, w=w, result=result)
        exact = x.astype("f8")
        for _ in range(3):
            exact = exact @ w
        np.testing.assert_allclose(result.numpy(), exact[:, :100] @ w[:100], rtol=1e-5)


def test_operations_over_sizes_that_are_not_known_share_memory_of_one_formula(wasm: hg.Executor) -> None:
    compiled = hg.function(lambda x, w: (x @ w) @ w, device=wasm).compile(
        hg.Array[hg.f32, "n", 300], hg.Array[hg.f32, 300, 300]
    )
    named = [temporary.name for temporary in compiled.artifact.plan.temporaries]
    assert [name for name in named if name.startswith("panels")] == ["panels"]
    x, w = np.ones((40, 300), "f4"), np.eye(300, dtype="f4")
    result = wasm.zeros((40, 300))
    compiled.run(wasm, x=x, w=w, result=result)
    np.testing.assert_array_equal(result.numpy(), x)


def test_a_file_says_where_it_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "MAX_STEPS", 50)
    compiled = hg.compile(_reductions(20), grid=1, block=1)
    with pytest.raises(
        hg.CompileError, match="more than 50 steps, and a file holds no more: count by a LOOP"
    ) as caught:
        compiled.to_bytes()
    assert caught.value.instruction in range(1, 20)
    found = compiled.run(DEVICES["wasm"](), np.ones(2049, np.int32), np.zeros(1, np.int32))
    assert found["x"][0] == 2049 + 19 * 2048
