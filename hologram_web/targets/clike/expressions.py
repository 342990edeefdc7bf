"""Expressions: from legal IR values to text, by the table of a language."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...compiler.ir import PRED, Node
from ...compiler.operations import CALLS, LEAVES
from ...compiler.out_of_ssa import Variable
from ...isa.types import Type
from .language import Language, key_of

__all__ = ["Expressions"]


class Expressions:
    """Gives the expression of each value. `leaf` writes parameters and lane coordinates. `own`, which may be set,
    writes what needs more than a table: it gives None for everything else.
    """

    def __init__(
        self,
        language: Language,
        variables: Mapping[Node, Variable],
        leaf: Callable[[Node], str],
        called: set[str] | None = None,
    ) -> None:
        """`called` gets the names of the functions that are."""
        self.language, self.variables, self.leaf = language, variables, leaf
        self.called: set[str] = set() if called is None else called
        self.own: Callable[[Node], str | None] = lambda node: None
        self.named: set[Variable] = set()  # of which something was written
        self.places: Mapping[Variable, str] = {}  # of variables that are none of the language

    def type_name(self, node: Node) -> str:
        """The type that holds a value."""
        return self.language.types[node.ty]

    def name(self, variable: Variable) -> str:
        """What names a variable, or where it is."""
        if variable in self.places:
            return self.places[variable]
        self.named.add(variable)
        return f"v{variable.number}"

    def value(self, node: Node) -> str:
        """The expression of a value: its variable's name, or how it is computed."""
        variable = self.variables.get(node)
        return self.compute(node) if variable is None else self.name(variable)

    def compute(self, node: Node) -> str:
        """The expression that computes a value."""
        own = self.own(node)
        if own is not None:
            return own
        op, ty = node.op, node.ty
        if op == "const":
            if ty == PRED:
                return "true" if node.attr else "false"
            assert isinstance(ty, Type)
            return self.constant(ty, node.attr)
        if op in LEAVES:
            return self.leaf(node)
        args = map(self.value, node.args)
        if op in CALLS:
            return self.call(f"{node.attr}_if" if op == "call_if" else node.attr, *args)
        key = key_of(node)
        self.called.update(self.language.uses.get(key, ()))
        return self.language.operations[key].format(*args)

    def call(self, name: str, *args: object) -> str:
        """A call of a function."""
        self.called.add(name)
        return f"{name}({', '.join(map(str, args))})"

    def constant(self, ty: Type, bits: int) -> str:
        self.called.update(self.language.uses.get(("const", ty), ()))
        return self.language.constant(ty, bits)
