"""Sums over rows, of Softmax and norms, have one order: the bits are the same on each device that runs kernels. Rows
that registers have room for are read once where the schedule says so."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends import CpuBackend
from hologram_web.isa.types import Type
from hologram_web.tensor.families import operation
from hologram_web.tensor.fuse import Computed, fuse
from hologram_web.tensor.norms import choose
from hologram_web.tensor.operation import Operands
from hologram_web.tensor.schedules import traits_for
from hologram_web_tools.cpu import machine

ROOM = "rows are read again: registers have room for"
# What is known of rows of n elements, by the operation; each has three rows.
SIZES: dict[str, Any] = {
    "LayerNorm": lambda n: {"rows": 3, "n": n},
    "RMSNorm": lambda n: {"rows": 3, "n": n},
    "GroupNorm": lambda n: {"batch": 1, "groups": 3, "channels": 3, "spatial": n},
    "InstanceNorm": lambda n: {"batch": 1, "channels": 3, "spatial": n},
    "Softmax": lambda n: {"outer": 3, "n": n, "inner": 1},
    "LogSoftmax": lambda n: {"outer": 3, "n": n, "inner": 1},
}


@pytest.mark.parametrize("length", [1, 31, 100, 1000, 5000])
def test_rows_have_the_same_bits_on_wasm_and_webgpu(length: int) -> None:
    x = np.random.default_rng(length).standard_normal((5, length)).astype(np.float32)
    found = []
    for device in ("wasm", "webgpu"):
        with hg.Executor(device) as ex:
            a, gamma, beta = (ex.array(each) for each in (x, x[0], x[1]))
            found.append([hg.ops.softmax(a).numpy(), hg.ops.layer_norm(a, gamma, beta).numpy()])
    for one, other in zip(*found, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(("length", "inner"), [(900, 2), (50_000, 1), (20_000, 3)])
def test_softmax_of_long_axes_is_near_to_f64(length: int, inner: int) -> None:
    """Terms that are small beside the sum are not lost one by one."""
    x = (np.random.default_rng(length).standard_normal((2, length, inner)) * 5).astype(np.float32)
    with hg.Executor("wasm") as ex:
        found = hg.ops.softmax(ex.array(x), axis=1).numpy()
    terms = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    wanted = terms / terms.sum(axis=1, keepdims=True)
    units = np.spacing(wanted.max(axis=1, keepdims=True).astype(np.float32))
    assert (abs(found - wanted) / units).max() <= 8


@pytest.mark.parametrize("length", [4000, 1_000_000])
def test_norms_of_long_rows_are_near_to_f64(length: int) -> None:
    rng = np.random.default_rng(length)
    x = (rng.standard_normal((2, length)) * 3 + 3).astype(np.float32)
    with hg.Executor("wasm") as ex:
        a, gamma, beta = (ex.array(each) for each in (x, np.ones(length, "f4"), np.zeros(length, "f4")))
        found = hg.ops.layer_norm(a, gamma, beta).numpy()
    rows = x.astype(np.float64)
    wanted = (rows - rows.mean(axis=1, keepdims=True)) / np.sqrt(rows.var(axis=1, keepdims=True) + 1e-5)
    assert (abs(found - wanted) / np.spacing(np.float32(abs(wanted).max()))).max() <= 8


def _reads(
    monkeypatch: pytest.MonkeyPatch, name: str, n: int, traits: Any, row: Any = None
) -> tuple[Counter[int], Any]:
    """How often each element of the first operand is read when the launches run on `cpu`, and the result."""
    found: Counter[int] = Counter()
    load, of = machine.Machine.load, "buffer input" if row is None else "buffer more.x"

    def counted(self: Any, ty: Type, place: Any) -> Any:
        if place.region.name == of:
            found.update((place.offsets // ty.size_bytes).tolist())
        return load(self, ty, place)

    row = row or operation(name)
    values = {"ty": Type.F32, "eps": 1e-5, **SIZES[name](n)}
    sizes = row.extents(Operands({**values, "x": True}, {}))
    operands = {**sizes, "x": 3 * n} if "input" not in sizes else sizes
    rng, device = np.random.default_rng(n), CpuBackend()
    memory = {}
    for each, count in operands.items():
        memory[each] = device.allocate_buffer(4 * count)
        device.copy_to_buffer(memory[each], rng.standard_normal(count).astype("f4").tobytes())
    for launch in row.launches(Operands({**values, **dict.fromkeys(operands, True)}, {}), traits):
        grid = [-(-lanes // size) for lanes, size in zip((*launch.lanes, 1)[:3], launch.block, strict=False)]
        config = hg.LaunchConfig(hg.GridDim(*grid), hg.BlockDim(*launch.block), lanes=(*launch.lanes, 1, 1)[:3])
        arguments = dict(launch.scalars) | {param: memory[name] for param, name in launch.buffers.items()}
        with monkeypatch.context() as patch:
            patch.setattr(machine.Machine, "load", counted)
            device.execute_program_with_params(launch.program, hg.ExecutionParams(config, arguments))
    return found, device.copy_from_buffer(memory["output"])


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("n", [1, 10, 31, 32, 33, 100, 1024, 1025])
def test_rows_that_registers_hold_are_read_once(monkeypatch: pytest.MonkeyPatch, name: str, n: int) -> None:
    """All but the last of a row, which lanes read that have no element of their own then. The bits are the same."""
    once, result = _reads(monkeypatch, name, n, traits_for("webgpu"))
    again, same = _reads(monkeypatch, name, n, traits_for("wasm"))
    assert result == same
    wanted = {place: 1 for place in range(3 * n) if (place + 1) % n}
    if n <= 1024:
        assert {place: times for place, times in once.items() if (place + 1) % n} == wanted
        assert max(once.values()) <= 32
    else:
        assert set(once.values()) == set(again.values())
    assert set(again.values()) == {2 if name in ("RMSNorm", "Softmax") else 3}


def test_how_many_elements_lanes_hold() -> None:
    files, gpu, software = (traits_for("webgpu", here=here) for here in ("", "gpu", "processor"))
    for n, held in ((0, 0), (1, 1), (32, 1), (33, 2), (256, 8)):
        assert [choose(n, traits) for traits in (files, gpu, software)] == [(held, "")] * 3
    assert choose(1024, files) == choose(1024, gpu) == (32, "")
    assert choose(257, software) == (0, f"{ROOM} 256 elements")
    assert choose(1025, gpu) == (0, f"{ROOM} 1024 elements")
    for here in ("", "processor"):
        assert choose(100, traits_for("wasm", here=here)) == (0, "")
        assert choose(100, traits_for("wasm", here=here), computed=True) == (4, "")


def _halved(i, x):
    return x[i] * 0.5


@pytest.mark.parametrize("name", ["LayerNorm", "Softmax"])
@pytest.mark.parametrize("target", ["wasm", "webgpu"])
def test_what_is_computed_in_front_is_computed_once(monkeypatch: pytest.MonkeyPatch, name: str, target: str) -> None:
    row = fuse(operation(name), read={"input": Computed(_halved, {"x": hg.f32})})
    found, _ = _reads(monkeypatch, name, 100, traits_for(target), row)
    assert {place: times for place, times in found.items() if (place + 1) % 100} == {
        place: 1 for place in range(300) if (place + 1) % 100
    }
