"""F32 in WGSL, whose compilers may fold, contract and reorder what is exact.

`math` (isa.md section 3): "exact" passes F32 results through a xor with a run-time zero, which shader compilers
cannot fold (measured: without it llvmpipe turns (a + b) - b into a); "fast" does not, and "strict" computes F32
+ - * / and the square root in integers.
"""

from __future__ import annotations

from collections.abc import Callable, Container

from ...compiler.ir import Node
from ...isa.types import Type
from ..clike.expressions import Expressions

__all__ = ["Floats"]

_SIGN, _INFINITY = 0x80000000, 0x7F800000  # of an F32
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
# Comparisons of a value with a positive constant.
_BELOW = {"lt": "f32_below", "le": "f32_up_to"}


class Floats:
    """Writes F32 arithmetic and comparisons. `hoist` lets a function compute a text once, under a name, of a type;
    `unfenced` are results that need no fence (`fences.py`)."""

    def __init__(
        self,
        values: Expressions,
        math: str,
        hoist: Callable[[str, str, str], str],
        unfenced: Container[Node] = frozenset(),
    ) -> None:
        self.values, self.math, self.hoist, self.unfenced = values, math, hoist, unfenced

    def compute(self, node: Node) -> str | None:
        """The expression of what is F32's; None for everything else."""
        if node.op in ("eq", "lt", "le"):
            return self._comparison(node, *node.args) if node.attr is Type.F32 else None
        if node.ty is not Type.F32:
            return None
        bare = self._bare(node)
        if bare is None:
            return None
        return self.fence(bare) if self.math == "exact" and node not in self.unfenced else f"({bare})"

    def fence(self, text: str) -> str:
        # The zero is read once: Mandelbrot took a third longer on llvmpipe.
        if self.math != "exact":
            return text
        return self.values.call("fence", text, self.hoist("arguments.misc.z", "zero", "u32"))

    def _bare(self, node: Node) -> str | None:
        """What may be folded, without a fence."""
        if node.op == "opaque":
            return self.values.value(node.args[0])
        if self.math == "strict":
            return None
        if node.op == "sqrt":
            return f"sqrt({self.values.value(node.args[0])})"
        if node.op not in _OPERATORS:
            return None
        left, right = map(self.values.value, node.args)
        if node.op == "sub" and self.math == "exact" and not any(_is_known(arg) for arg in node.args):
            # llvmpipe takes x - x for 0 where both sides are proven equal, and NaN and infinities are not. This
            # zero is another one than that of the sum: two equal ones cancel out, and show what is behind them.
            right = self.values.call("fence", right, self.hoist("arguments.spare.w", "other_zero", "u32"))
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
        here = node.ty is Type.F32 and node not in self.values.variables and node.op not in ("param", "special")
        bare = self._bare(node) if here else None
        return self.values.value(node) if bare is None else f"({bare})"


def _is_known(node: Node) -> bool:
    return node.is_const or node.op == "opaque"
