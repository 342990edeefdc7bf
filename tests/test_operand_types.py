"""Of each operation of the tensor library, each operand: an array of elements of another type is refused."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array.applied import apply
from hologram_web.isa.collectives import COLLECTIVE_ROWS
from hologram_web.isa.row import Operand, Row
from hologram_web.isa.types import Type
from hologram_web.plan.builder import PlanBuilder
from hologram_web.plan.tensor_steps import add_operation
from hologram_web.tensor.families import operation

_READ = ("load", "rmw")


def _first_type(row: Row) -> Type:
    return min(row.operands[row.positions["ty"]].allowed, key=lambda ty: ty.id)


def _others(row: Row, operand: Operand) -> list[Type]:
    """Types of 8 to 64 bits that the operand's elements are not of, and may not be."""
    values = {"ty": _first_type(row)}
    allowed = {row.element_type(operand.name, values)}
    if operand.type in row.positions and operand.type != "ty":
        allowed = set(row.operands[row.positions[operand.type]].allowed)
    return [ty for ty in Type if not ty.is_wide and ty not in allowed]


def _operands() -> Iterator[tuple[Row, Operand]]:
    for row in COLLECTIVE_ROWS:
        yield from ((row, operand) for operand in row.operands if operand.is_address)


_CASES = list(_operands())


def _name(value: object) -> str:
    return value.name if isinstance(value, (Row, Operand)) else str(value)


def test_all_operations_are_here() -> None:
    assert len(_CASES) > 120
    assert {row.name for row, _ in _CASES} >= {"GEMM", "QuantizedGEMM", "AllReduce", "Gather"}


@pytest.mark.parametrize(("row", "operand"), _CASES, ids=_name)
def test_arrays_of_another_type(wasm: hg.Executor, row: Row, operand: Operand) -> None:
    reads = [each for each in row.operands if each.kind in _READ]
    if operand.kind in _READ and operand is not reads[0]:  # the first one says the type
        values = {"ty": _first_type(row)}
        for ty in _others(row, operand):
            arrays = {each.name: xp.ones(4, dtype=row.element_type(each.name, values), device=wasm) for each in reads}
            with pytest.raises(hg.LaunchError, match=f"{row.name}: {operand.name} is of {ty}[,;]"):
                apply(row.name, **{**arrays, operand.name: xp.ones(4, dtype=ty, device=wasm)})


@pytest.mark.parametrize(("row", "operand"), _CASES, ids=_name)
def test_ports_of_another_type(row: Row, operand: Operand) -> None:
    values = {"ty": _first_type(row)}
    for ty in _others(row, operand):
        plan = PlanBuilder("types")
        plan.array("x", ty, (4,))
        wanted = row.element_type(operand.name, values)
        with pytest.raises(
            hg.LaunchError, match=f"^{operand.name} of {row.name} is of {wanted}, and x is declared {ty}$"
        ):
            add_operation(plan, operation(row.name), values, {operand.name: "x"})


def test_a_first_array_of_no_type_of_the_operation(wasm: hg.Executor) -> None:
    with pytest.raises(hg.LaunchError, match="Softmax: input is of i32; use one of f16, bf16, f32, f64: convert it"):
        apply("Softmax", input=xp.ones(4, dtype=Type.I32, device=wasm))


def test_bytes_of_two_types(ex: hg.Executor) -> None:
    """They were read as those of one: -1 was 255."""
    a, b = np.array([[200, 7]], np.uint8), np.array([[-1, 3], [100, -128]], np.int8)
    product = hg.ops.quantized_matmul(ex.array(a), ex.array(b), 0.5, 2.0)
    np.testing.assert_array_equal(np.asarray(product), a.astype(np.int32) @ b)
