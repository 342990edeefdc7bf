"""Calls of the tensor library in texts of the standard library: `tensor.gemm(Y, A, B, M, N, K)`.

Such a call is the collective of that name (isa.md section 6), its operands in the order of the instruction's row:
arrays by their names, sizes and factors computed from scalar parameters alone, flags by name. It stands at the top
level of the kernel, or under an `if` that the host can decide, else the verifier refuses the program.
"""

from __future__ import annotations

import ast
from typing import Any

import hologram_web.tensor
from hologram_web.frontends.python.collective_calls import elements_of, lose_variables, whole
from hologram_web.frontends.python.compounds import Parts
from hologram_web.frontends.python.translate import Translator
from hologram_web.frontends.python.types import Value
from hologram_web.isa.address import Address
from hologram_web.isa.collectives import COLLECTIVE_ROWS
from hologram_web.isa.operands import ReduceOperation
from hologram_web.isa.types import Type

__all__ = ["CollectiveCalls"]

_ROWS = {row.mnemonic: row for row in COLLECTIVE_ROWS}


class CollectiveCalls(Translator):
    """Translates kernels that call the tensor library. All of it works on F32 here."""

    def call(self, node: ast.Call) -> Value | Parts | None:
        func = node.func
        if isinstance(func, ast.Attribute) and self.scope.source.resolve(func.value) is hologram_web.tensor:
            return self._tensor(node, func.attr)
        return super().call(node)

    def _tensor(self, node: ast.Call, name: str) -> Value | None:
        if name not in _ROWS:
            self.fail(node, f"the tensor library has no {name!r}: it has {', '.join(_ROWS)}")
        row, held = _ROWS[name], list[Any]()
        given = dict(zip((operand.name for operand in row.operands), node.args, strict=False))
        given |= {keyword.arg or "": keyword.value for keyword in node.keywords}
        found: dict[str, Any] = {"ty": Type.F32}
        for operand in row.operands:
            argument = given.get(operand.name)
            if argument is None:
                continue  # the instruction says what is missing, or has a default
            if operand.is_address or (operand.kind == "result" and isinstance(argument, ast.Name)):
                array = whole(self, argument)
                found[operand.name] = Address.Buffer(array.name)
                (self.facts.reads if operand.kind == "load" else self.facts.writes).add(array.name)
            elif operand.kind == "size":
                found[operand.name] = elements_of(self, argument)
            elif operand.kind == "scalar":
                found[operand.name] = self.register(argument, self.value(argument), Type.F32)
            elif operand.kind == "ReduceOperation":
                found[operand.name] = ReduceOperation[ast.literal_eval(argument).title()]
            else:
                found[operand.name] = ast.literal_eval(argument)
            held.append(found[operand.name])
        total = None
        if "dst" not in found and row.name == "ParallelReduce":  # what the lanes behind it are all told
            found["dst"] = total = self.temporary()
        self.drop(*held)
        self.emit(row, **found)
        lose_variables(self)
        return None if total is None else Value(Type.F32, total)
