"""F32 in WGSL, whose compilers may fold, contract and reorder what is exact.

`math` (isa.md section 3): "exact" passes F32 results through a xor with a run-time zero, which shader compilers
cannot fold (measured: without it llvmpipe turns (a + b) - b into a): these are the opaque values that
`compiler/fences.py` made; "fast" does not, and "strict" computes F32 + - * / and the square root in integers.
"""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.ir import Node
from ...compiler.operations import COMPARISONS
from ...isa.types import Type
from ..clike.expressions import Expressions

__all__ = ["Floats"]

_SIGN, _INFINITY = 0x80000000, 0x7F800000  # of an F32
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
# Comparisons of a value with a positive constant.
_BELOW = {"lt": "f32_below", "le": "f32_up_to"}


class Floats:
    """Writes F32 arithmetic and comparisons. `hoist` lets a function compute a text once, under a name, of a type."""

    def __init__(
        self,
        values: Expressions,
        math: str,
        hoist: Callable[[str, str, str], str],
    ) -> None:
        self.values, self.math, self.hoist = values, math, hoist

    def compute(self, node: Node) -> str | None:
        """The expression of what is F32's; None for everything else."""
        if node.op in COMPARISONS:
            return self._comparison(node, *node.args) if node.attr is Type.F32 else None
        if node.ty is not Type.F32:
            return None
        if node.op == "opaque":
            return self.fence(self._bare(node) or self.values.value(node.args[0]), node.attr == "other")
        bare = self._arithmetic(node)
        return bare and f"({bare})"

    def fence(self, text: str, other: bool = False) -> str:
        # The zeros are read once: Mandelbrot took a third longer on llvmpipe.
        if self.math != "exact":
            return text
        zero = ("arguments.spare.w", "other_zero") if other else ("arguments.misc.z", "zero")
        return self.values.call("fence", text, self.hoist(*zero, "u32"))

    def _bare(self, node: Node) -> str | None:
        """What a fence is around, or what may be folded; None for other values."""
        inner = node.args[0] if node.op == "opaque" else node
        return None if inner in self.values.variables else self._arithmetic(inner)

    def _arithmetic(self, node: Node) -> str | None:
        if self.math == "strict" or node.ty is not Type.F32:
            return None
        if node.op == "sqrt":
            return f"sqrt({self.values.value(node.args[0])})"
        if node.op not in _OPERATORS:
            return None
        left, right = map(self.values.value, node.args)
        return f"{left} {_OPERATORS[node.op]} {right}"

    def _comparison(self, node: Node, a: Node, b: Node) -> str:
        if a is b and node.op == "eq":
            return f"(!{self.values.call('f32_is_nan', f'bitcast<u32>({self._bits(a)})')})"
        ordered = node.op != "eq"
        if ordered and a.is_const and 0 < a.attr < _INFINITY:
            return self._among(b, a.attr + (node.op == "lt"), _INFINITY)
        if ordered and b.is_const and _SIGN < b.attr < _SIGN + _INFINITY:
            return self._among(a, b.attr + (node.op == "lt"), _SIGN + _INFINITY)
        if ordered and b.is_const and 0 < b.attr < _INFINITY:
            return self.values.call(_BELOW[node.op], self._bits(a), f"{b.attr:#x}")
        return self.values.call(f"f32_{node.op}", self._bits(a), self._bits(b))

    def _among(self, node: Node, first: int, last: int) -> str:
        """Whether the bits of a float are from the first to the last."""
        start = f"{(_SIGN - first) & 0xFFFFFFFF:#x}u"
        return self.values.call("f32_among", self._bits(node), start, last - first + 1 - _SIGN)

    def _bits(self, node: Node) -> str:
        """A float whose bits are compared: no compiler sees a float operation on it, so it takes no fence."""
        if node.op == "opaque" and node not in self.values.variables:
            node = node.args[0]
        return self.values.value(node)
