"""The table in which languages like C differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...compiler.ir import Node, ValueType
from ...compiler.operations import CHANGES, COMPARISONS, COUNTS
from ...isa.types import Type

__all__ = ["Key", "Language", "key_of"]

# An operation and the type that says how it is written: of what is compared or counted, else of the result. What
# changes the type of a value has both, of the result first.
Key = tuple[str, ValueType] | tuple[str, ValueType, ValueType]

_OF_OPERANDS = COMPARISONS | COUNTS | {"extend"}
_CHANGES = CHANGES | {"cvt_odd"}


def key_of(node: Node) -> Key:
    """Where an operation stands in the table."""
    if node.op in _CHANGES:
        return node.op, node.ty, node.attr
    return node.op, node.attr if node.op in _OF_OPERANDS else node.ty


@dataclass(frozen=True)
class Language:
    """`types` names what holds a value of a type, `zeros` writes its zero. `operations` are formats of expressions over
    those of the operands, `{0}`, `{1}` and `{2}`, which are written so that they can stand anywhere. `constant` writes
    a constant from its type and bits.
    """

    types: Mapping[ValueType, str]
    zeros: Mapping[str, str]
    operations: Mapping[Key, str]
    constant: Callable[[Type, int], str]
    operand: str  # of a function, from its type and name
    function: str  # the head of one, from the type of the result, its name and its operands
    counter: str  # the declaration of a U32 that starts as 0, from its name
    value: str  # what names a value that stays, from its type, name and expression
    loop: str  # the head of a loop that ends by `break`
    once: str  # the head of what is left by `break`: a switch of one case, whose end is two braces
    library: re.Pattern[str] | None = None  # what names functions of the language's library, before a parenthesis
    uses: dict[Key, frozenset[str]] = field(default_factory=dict, init=False)  # those that operations call

    def __post_init__(self) -> None:
        if self.library is not None:
            found = ((key, frozenset(self.library.findall(form))) for key, form in self.operations.items())
            self.uses.update((key, names) for key, names in found if names)
