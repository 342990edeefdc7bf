"""Which operands of TensorContract are read where they lie, and which are copied in order before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from bench.orders import CASES, text_of
from hologram_web.isa.types import Type
from hologram_web.plan import tensor_steps
from hologram_web.tensor.families import operation
from hologram_web.tensor.operation import Operands
from hologram_web.tensor.schedules import TRAITS, traits_for

Pairs = tuple[tuple[int, int], ...]


def launches(device: str, a: tuple[int, ...], b: tuple[int, ...], summed: Pairs, batch: Pairs) -> list[Any]:
    values = {"ty": Type.F32, "shape_a": a, "shape_b": b, "contract_dims": summed, "batch_dims": batch}
    there: dict[str, Any] = dict.fromkeys(("a", "b", "output"), True)
    return operation("TensorContract").launches(Operands(values | there, {}), TRAITS[device])


@pytest.mark.parametrize("device", ["wasm", "webgpu"])
@pytest.mark.parametrize(("a", "b", "summed", "batch", "copied"), [
    ((6, 40, 20), (6, 20, 300), ((2, 1),), ((0, 0),), ""),
    ((40, 6, 20), (20, 6, 300), ((2, 0),), ((1, 1),), ""),
    ((20, 6, 40), (300, 6, 20), ((0, 2),), ((1, 1),), ""),
    ((40, 1, 20, 6), (6, 20, 300), ((2, 1),), ((3, 0),), "a"),  # neighbours are of the batch
    ((10, 20, 4), (20, 300), ((1, 0),), (), "a"),  # rows lie on both sides of what is summed up
    ((40, 20), (30, 20, 10), ((1, 1),), (), "b"),
    ((40, 4, 5), (5, 4, 300), ((1, 1), (2, 0)), (), "b"),  # summed up in another order than it lies
])  # fmt: skip
def test_what_lies_evenly_is_not_copied(
    device: str, a: tuple[int, ...], b: tuple[int, ...], summed: Pairs, batch: Pairs, copied: str
) -> None:
    found = launches(device, a, b, summed, batch)
    assert [launch.why.split(",")[0] for launch in found if "copy" in launch.why] == [
        f"a copy of {name}" for name in copied
    ]


def test_few_rows_take_b_where_it_lies() -> None:
    found = launches("wasm", (6, 2, 20), (20, 6, 300), ((2, 0),), ((0, 1),))
    assert ["a copy of b" in launch.why for launch in found] == [False]


@pytest.mark.parametrize(("device", "where"), [("cpu", ""), ("wasm", ""), ("wasm", "in files"), ("webgpu", "")])
@pytest.mark.parametrize("axes", ["ibk,kbj->bij", "kbi,jbk->bij", "ibk,bjk->bij", "bki,kbj->bij"])
def test_steps_of_operands_are_those_of_numpy(
    device: str, where: str, axes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if where:  # schedules of pages, here
        monkeypatch.setattr(tensor_steps, "traits_for", lambda target, math, here: traits_for(target, math))
    size = {"b": 3, "i": 21, "j": 37, "k": 18}
    names = axes.split("->")[0].split(",")
    shapes = [tuple(size[axis] for axis in name) for name in names]
    a, b = (np.random.default_rng(1).integers(-9, 9, shape).astype(np.float32) for shape in shapes)
    text = "".join(f".param {name}: buffer f32 {how}\n" for name, how in (("c", "write"), ("a", "read"), ("b", "read")))
    pairs = {axis: ":".join(str(name.index(axis)) for name in names) for axis in "bk"}
    text += (
        f"    tensor_contract.f32 [c], [a], [b], {shapes[0]}, {shapes[1]}, ({pairs['k']}), batch_dims=({pairs['b']})\n"
    )
    with hg.Executor(device) as executor:
        c = executor.array(np.zeros(3 * 21 * 37, np.float32))
        executor.run(hg.Program.from_text(text), 1, a=executor.array(a), b=executor.array(b), c=c)
        assert np.array_equal(c.numpy().reshape(3, 21, 37), np.einsum(axes, a, b))


def test_the_bench_has_orders_of_each_kind() -> None:
    programs = {case: hg.Program.from_text(text_of(case)) for case in CASES}
    assert len({program.to_bytes() for program in programs.values()}) == len(CASES)
