"""Functions of `isa/mathematics` and of the compiler's library as text."""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.ir import PRED
from ...compiler.legalise import legalise
from ...compiler.library import function_of, routine_of
from ...compiler.out_of_ssa import Assign, lower
from ...compiler.traits import Traits
from ...isa.types import Type
from .expressions import Expressions
from .language import Language

__all__ = ["function_text", "guarded_text", "head"]

# What makes a function's values the language's own, and the texts that it computes once, by name.
Own = Callable[[Expressions], dict[str, str]]


def function_text(name: str, language: Language, traits: Traits, own: Own) -> tuple[str, set[str]]:
    """A function, whose operands are x0, x1 and so on, and the names of those that it calls."""
    function = legalise(function_of(name), traits)
    lowered = lower(function)
    values = Expressions(language, lowered.variables, lambda node: f"x{node.attr}")
    hoisted = own(values)
    lines = []
    for statement in lowered.resumes[0].statements:
        assert isinstance(statement, Assign)
        value = statement.value
        text = values.compute(value)
        lines.append(f"  {language.value.format(values.type_name(value), values.name(statement.variable), text)}")
    result = function.blocks[0].end.value
    assert result is not None
    end = f"  return {values.value(result)};"
    hoists = [f"  {language.value.format(language.types[Type.U32], name, text)}" for text, name in hoisted.items()]
    text = "\n".join([head(name, name, language, []), *hoists, *lines, end, "}", ""])
    return text, values.called


def guarded_text(name: str, language: Language) -> str:
    """The function where a condition holds, else a value."""
    found = routine_of(name)
    first = [language.operand.format(language.types[PRED], "p")]
    first.append(language.operand.format(language.types[found.result], "otherwise"))
    operands = ", ".join(f"x{number}" for number in range(len(found.operands)))
    start = head(f"{name}_if", name, language, first)
    return "\n".join([start, "  if (p) {", f"    return {name}({operands});", "  }", "  return otherwise;", "}", ""])


def head(name: str, of: str, language: Language, first: list[str]) -> str:
    """The head of a function with the operands of another one, behind the first ones."""
    found = routine_of(of)
    operands = [language.operand.format(language.types[ty], f"x{number}") for number, ty in enumerate(found.operands)]
    return language.function.format(language.types[found.result], name, ", ".join([*first, *operands]))
