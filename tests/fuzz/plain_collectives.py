"""Collectives of the plain interpreter: nested loops over single numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hologram_web.errors import ExecutionError, FaultKind
from hologram_web.isa import Address, Instruction, Register, Type
from hologram_web.isa.ops import SCALAR_OPS
from hologram_web.isa.table import BY_MNEMONIC

if TYPE_CHECKING:
    from .plain import _Run

__all__ = ["PlainCollectives"]


class PlainCollectives:
    """The ops namespace of one collective, which any lane that came to it can speak for."""

    def __init__(self, run: _Run, registers: dict[int, Any]) -> None:
        self.run, self.registers = run, registers

    def execute(self, instruction: Instruction) -> Any:
        row = instruction.row
        assert row.reference is not None
        inputs = [self._input(o.kind, v) for o, v in zip(row.operands, instruction.values, strict=True)]
        return row.reference(self, *inputs)

    def _input(self, kind: str, value: Any) -> Any:
        if isinstance(value, Address):
            return self.run.at(value, self.registers)
        if kind in ("size", "scalar") and isinstance(value, Register):
            ty, bits = self.registers[value.index]
            return ty.decode(bits)
        if kind in ("size", "scalar") and isinstance(value, str):
            param = self.run.program.param(value)
            assert param is not None
            assert param.ty is not None
            return param.ty.decode(self.run.memories[value])
        return value

    def _read(self, ty: Type, place: Any, count: int) -> list[int]:
        self.run.inside(ty, place, count)
        return [self.run.element(ty, place, number) for number in range(count)]

    def _write(self, ty: Type, place: Any, values: list[int]) -> None:
        self.run.inside(ty, place, len(values))
        for number, bits in enumerate(values):
            self.run.put(ty, place, number, bits)

    def parallel_map(self, operation: Any, dst: Any, src: Any, count: int, ty: Type) -> None:
        reference = BY_MNEMONIC[operation.value].reference
        assert reference is not None
        self._write(ty, dst, [reference(SCALAR_OPS, ty, value) for value in self._read(ty, src, count)])

    def parallel_map_binary(self, operation: Any, dst: Any, a: Any, b: Any, count: int, ty: Type) -> None:
        reference = BY_MNEMONIC[operation.value].reference
        assert reference is not None
        lhs, rhs = self._read(ty, a, count), self._read(ty, b, count)
        if ty.is_integer and operation.value in ("div", "rem") and 0 in rhs:
            raise ExecutionError(FaultKind.DIVISION_BY_ZERO, None, "found by the plain interpreter")
        self._write(ty, dst, [reference(SCALAR_OPS, ty, x, y) for x, y in zip(lhs, rhs, strict=True)])

    def parallel_reduce(self, operation: Any, dst: Any, src: Any, count: int, ty: Type) -> int | None:
        from .plain import canonical

        result = canonical(operation.value, ty, self._read(ty, src, count))
        if isinstance(dst, Register):
            return result
        self._write(ty, dst, [result])
        return None

    def gemm(
        self,
        c: Any,
        a: Any,
        b: Any,
        m: int,
        n: int,
        k: int,
        alpha: float,
        beta: float,
        trans_a: bool,
        trans_b: bool,
        bias: Any,
        activation: Any,
        ty: Type,
    ) -> None:
        left = [ty.decode(value) for value in self._read(ty, a, m * k)]
        right = [ty.decode(value) for value in self._read(ty, b, k * n)]
        old = [ty.decode(value) for value in self._read(ty, c, m * n)] if beta else [0] * (m * n)
        row = [ty.decode(value) for value in self._read(ty, bias, n)] if bias is not None else [0] * n
        number = (lambda x: x) if ty.is_float else int
        results = []
        for i in range(m):
            for j in range(n):
                total: Any = number(0)
                for place in range(k):
                    x = left[place * m + i] if trans_a else left[i * k + place]
                    y = right[j * k + place] if trans_b else right[place * n + j]
                    total += x * y
                total = number(alpha) * total + number(beta) * old[i * n + j] + row[j]
                bits = ty.encode(total)
                if activation is not None:
                    reference = BY_MNEMONIC[activation.value].reference
                    assert reference is not None
                    bits = reference(SCALAR_OPS, ty, bits)
                results.append(bits)
        self._write(ty, c, results)
