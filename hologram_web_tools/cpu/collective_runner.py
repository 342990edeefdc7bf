"""Runs a collective on the cpu device: finds its operands on the host side and calls `collective_functions.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hologram_web.backends.device import CLASS_BYTES
from hologram_web.backends.fault_text import element_divisor
from hologram_web.errors import FaultKind, LaunchError
from hologram_web.isa.address import Address, Space
from hologram_web.isa.operands import BinaryMapOperation, MapOperation, ReduceOperation, Register
from hologram_web.isa.table import BY_MNEMONIC
from hologram_web.isa.types import Type
from hologram_web.tensor.families import operation
from hologram_web.tensor.operation import MOST, Operands, extents, whole_factors

from .collective_functions import canonical_reduce, elements_of, gemm, map_binary, map_unary, numbers_of
from .machine import Registers, Run
from .memory import LanePlaces, byte_offsets, checked, gather, scatter
from .vector_ops import VECTOR_OPS

__all__ = ["CollectiveOps"]

Array = NDArray[Any]
# Products between two looks at the clock.
_AT_ONCE = 1 << 26
_OF_STREAMS = ("seed", "offset")  # which may be large


class CollectiveOps:
    """The ops namespace of one collective: its primitives are the methods named in `isa/collectives.py`."""

    def __init__(self, run: Run, point: int, values: Registers) -> None:
        self.run, self.point, self.values = run, point, values
        self.index = run.analysis.graph.code[point]
        self.instruction = run.analysis.graph.instruction(point)

    def execute(self) -> Any:
        """Runs it; the value of its register, if it has one."""
        row = self.instruction.row
        assert row.reference is not None  # the device refuses such programs
        inputs = [
            self._input(i, operand.kind, value)
            for i, (operand, value) in enumerate(zip(row.operands, self.instruction.values, strict=True))
        ]
        values = dict(zip(row.positions, inputs, strict=True))
        whole_factors(row, self.instruction.ty, values)
        self.operands = values
        return row.reference(self, *values.values())

    def _input(self, position: int, kind: str, value: Any) -> Any:
        if isinstance(value, Address):
            return self._place(position, value)
        if kind in ("size", "scalar") and isinstance(value, (Register, str)):
            number = self._number(value)
            return max(number, 0) if kind == "size" else number  # a negative size is none
        return value

    def _number(self, value: Register | str) -> int | float:
        """A register or scalar parameter as a number."""
        params = self.run.analysis.program.register_params()
        if isinstance(value, Register):
            ty = self.run.analysis.numbers[self.point, value.index]
            if (value.index, ty) in self.values:
                held = self.values[value.index, ty]
                return ty.decode(int((held if ty.is_wide else held.view(f"<u{ty.size_bytes}"))[0]))
            value = params[value.index].name
        ty, bits = self.run.scalars[value]
        return ty.decode(bits)

    def _place(self, position: int, address: Address) -> LanePlaces:
        region = self.run.regions[self.run.analysis.bases[self.point, position]]
        if address.space is Space.POINTER:
            assert isinstance(address.base, Register)
            offset = self.values[address.base.index, "pointer"]
        elif address.space is Space.PHI:
            at = [self._number(c) if isinstance(c, Register) else c for c in address.coordinates]
            inside = 0 <= at[0] < 96 and 0 <= at[1] < 48 and 0 <= at[2] < 256
            offset = np.array([int(at[0]) * CLASS_BYTES + int(at[1]) * 256 + int(at[2]) if inside else -1])
        else:
            index = None if address.index is None else np.array([self._number(address.index)], object)
            if index is not None:
                index = np.clip(index, -(1 << 62), 1 << 62).astype(np.int64)
            offset = byte_offsets(index, address.scale, address.offset, 1)
        return LanePlaces(region, offset, offset)

    def fail(
        self, kind: FaultKind, mask: Array, detail: Callable[[int], str], buffer: str | None, offsets: Array | None
    ) -> None:
        offset = None if offsets is None else int(offsets[0])
        raise self.run.fault(kind, self.index, detail(0), buffer=buffer, offset=offset)

    def _elements(self, place: LanePlaces, ty: Type, count: int) -> LanePlaces:
        """`count` consecutive elements from a place on, checked."""
        checked(place, ty, count, self.fail)
        offsets = place.offsets + np.arange(count) * ty.size_bytes
        return LanePlaces(place.region, offsets, offsets)

    def _read(self, place: LanePlaces, ty: Type, *shape: int) -> Array:
        return gather(self._elements(place, ty, int(np.prod(shape, dtype=object))), ty).reshape(shape)

    def _write(self, place: LanePlaces, ty: Type, values: Array) -> None:
        scatter(self._elements(place, ty, values.size), ty, values.ravel(), False)

    def _fit(self) -> None:
        """Kernels take sizes as I32, but for those of a stream of numbers. Raises LaunchError."""
        row, params = self.instruction.row, self.run.analysis.program.register_params()
        for operand, value in zip(row.operands, self.instruction.values, strict=True):
            number = self.operands[operand.name]
            if operand.kind == "size" and operand.name not in _OF_STREAMS and number > MOST:
                given = params[value.index].name if isinstance(value, Register) and value.index in params else value
                name = given if isinstance(given, str) else operand.name
                raise LaunchError(f"{name} is {number} here, which does not fit i32")

    # Collectives

    def collective(self, *_: Any) -> None:
        """An operation of the tensor library, by its reference."""
        if self.run.meets is not None:
            from .. import several

            if several.meet_on_cpu(self):
                return
        found, operands = operation(self.instruction.name), Operands(self.operands, {}, lane=_lane)
        counts = extents(found, operands, self.index)
        assert found.reference is not None
        rows = {operand.name: operand for operand in self.instruction.row.operands}
        types = {name: cast(Type, self.instruction.type_of(rows[name])) for name in counts}
        for name in [name for name, count in counts.items() if count is None]:  # as much as there is
            place = self.operands[name]
            counts[name] = max(place.region.size - int(place.offsets[0]), 0) // types[name].size_bytes
        written = [name for name in counts if rows[name].kind in ("store", "rmw")]
        given = {}
        for name, count in counts.items():
            if name not in written or name in found.updated:
                given[name] = numbers_of(types[name], self._read(self.operands[name], types[name], count))
            else:
                self._elements(self.operands[name], types[name], count)
        self._fit()
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                result = found.reference(np, operands, **given)
        except IndexError as error:  # an index among the elements
            raise self.run.fault(FaultKind.OUT_OF_BOUNDS, self.index, str(error)) from None
        for name in written:
            values = result[name] if isinstance(result, dict) else result
            gaps = np.ma.getmask(values)
            values = np.asarray(values).reshape(counts[name])
            elements, activation = elements_of(types[name], values), self.operands.get("activation")
            if activation is not None:
                elements = map_unary(activation, types[name], elements)
            if gaps is not np.ma.nomask:
                elements = np.where(gaps, self._read(self.operands[name], types[name], counts[name]), elements)
            self._write(self.operands[name], types[name], elements)

    def parallel_map(self, operation: MapOperation, dst: LanePlaces, src: LanePlaces, count: int, ty: Type) -> None:
        values = self._read(src, ty, count)
        self._elements(dst, ty, count)
        self._write(dst, ty, map_unary(operation, ty, values))

    def parallel_map_binary(
        self, operation: BinaryMapOperation, dst: LanePlaces, a: LanePlaces, b: LanePlaces, count: int, ty: Type
    ) -> None:
        lhs, rhs = self._read(a, ty, count), self._read(b, ty, count)
        self._elements(dst, ty, count)
        zero = (rhs == 0) if ty.is_integer and operation in _DIVISIONS else np.zeros(1, bool)
        if zero.any():
            where = int(np.argmax(zero))
            raise self.run.fault(FaultKind.DIVISION_BY_ZERO, self.index, element_divisor(where), lane=where)
        self._write(dst, ty, map_binary(operation, ty, lhs, rhs))

    def parallel_reduce(
        self, operation: ReduceOperation, dst: LanePlaces | Register, src: LanePlaces, count: int, ty: Type
    ) -> Array | None:
        result = canonical_reduce(operation.value, ty, self._read(src, ty, count))
        if isinstance(dst, Register):
            return result
        self._write(dst, ty, result)
        return None

    def gemm(
        self,
        c: LanePlaces,
        a: LanePlaces,
        b: LanePlaces,
        m: int,
        n: int,
        k: int,
        alpha: float,
        beta: float,
        trans_a: bool,
        trans_b: bool,
        bias: LanePlaces | None,
        activation: MapOperation | None,
        ty: Type,
    ) -> None:
        left = self._read(a, ty, k, m).T if trans_a else self._read(a, ty, m, k)
        right = self._read(b, ty, n, k).T if trans_b else self._read(b, ty, k, n)
        old = self._read(c, ty, m, n) if beta != 0 else None
        row = None if bias is None else self._read(bias, ty, n)
        self._elements(c, ty, m * n)
        self._fit()
        rows = max(1, _AT_ONCE // max(n * k, 1))
        for first in range(0, m, rows):
            self.run.look_up(self.index)
            part = slice(first, first + rows)
            before = None if old is None else old[part]
            made = gemm(ty, left[part], right, before, row, alpha, beta, activation)
            size = first * n * ty.size_bytes
            self._write(LanePlaces(c.region, c.offsets + size, c.absolute + size), ty, made)


def _lane(mnemonic: str, ty: Type, *values: Array) -> Array:
    """A lane instruction on every element."""
    reference = BY_MNEMONIC[mnemonic].reference
    assert reference is not None
    result: Array = reference(VECTOR_OPS, ty, *values)
    return result


_DIVISIONS = (BinaryMapOperation.Div, BinaryMapOperation.Rem)
