"""Functions of `isa/mathematics` as WGSL, of which a shader gets those it calls."""

from __future__ import annotations

import re
from functools import cache

from ...compiler.ir import Node
from ...compiler.legalise import legalise
from ...compiler.library import function_of
from ...compiler.lower import Let, lower
from ...isa.mathematics import FUNCTIONS, PARTS, routine
from ...isa.types import Type
from ..clike.expressions import Expressions
from .floats import Floats
from .language import language_of, traits_of

__all__ = ["functions_for"]

_CALL = re.compile(rf"\b((?:{'|'.join([*FUNCTIONS, *PARTS])})_f32)(_if)?\(")


def _type_name(ty: Type) -> str:
    return {Type.F32: "f32", Type.I32: "i32", Type.U32: "u32", Type.U64: "vec2u"}[ty]


@cache
def _function(name: str, math: str) -> str:
    function = legalise(function_of(name), traits_of(math))
    lowered = lower(function)
    hoisted: dict[str, str] = {}

    def leaf(node: Node) -> str:
        return f"x{node.attr}"

    def hoist(text: str, name: str, kind: str) -> str:
        return hoisted.setdefault(text, name)

    values = Expressions(language_of(math), lowered.variables, leaf)
    values.own = Floats(values, math, hoist).compute
    operands = ", ".join(f"x{number}: {_type_name(ty)}" for number, ty in enumerate(routine(name).operands))
    lines = []
    for statement in lowered.resumes[0].statements:
        assert isinstance(statement, Let)
        lines.append(f"  let {values.name(statement.variable)} = {values.compute(statement.value)};")
    result = function.blocks[0].end.value
    assert result is not None
    head = f"fn {name}({operands}) -> {_type_name(routine(name).result)} {{"
    end = f"  return {values.value(result)};"
    return "\n".join([head, *(f"  let {name} = {text};" for text, name in hoisted.items()), *lines, end, "}", ""])


@cache
def _guarded(name: str) -> str:
    """The function where a condition holds, else a value."""
    kinds = [_type_name(ty) for ty in routine(name).operands]
    operands = ", ".join(f"x{number}: {kind}" for number, kind in enumerate(kinds))
    result = _type_name(routine(name).result)
    return "\n".join(
        [
            f"fn {name}_if(p: bool, otherwise: {result}, {operands}) -> {result} {{",
            "  if (p) {",
            f"    return {name}({', '.join(f'x{number}' for number in range(len(kinds)))});",
            "  }",
            "  return otherwise;",
            "}",
            "",
        ]
    )


def functions_for(code: str, math: str) -> str:
    """The functions that `code` calls, and those that they call. `math` is as in `Floats`.

    They are fenced always: what shader compilers would make of sums that recover rounding errors has no bound.
    """
    math = "exact" if math == "fast" else math
    found: dict[str, str] = {}
    work = [code]
    while work:
        for name, guarded in _CALL.findall(work.pop()):
            if name not in found:
                found[name] = _function(name, math)
                work.append(found[name])
            if guarded:
                found[f"{name}_if"] = _guarded(name)
    return "\n".join(found.values())
