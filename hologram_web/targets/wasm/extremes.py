"""The lesser and the greater of vectors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...compiler.ir import Node
from ...isa.types import Type
from .wholes import INTEGERS, lanes_of

if TYPE_CHECKING:
    from .vectors import Vectors

__all__ = ["VectorExtremes", "choice_of"]


class VectorExtremes:
    """Pushes parts of min and max.

    Of those of floats engines make eight instructions on x86, for NaN and the signs of zeros. `pmin` and `pmax` are
    one: the second operand where it is beyond the first, else the first, NaN as well.
    """

    def __init__(self, values: Vectors) -> None:
        self.values, self.put = values, values.put

    def part(self, node: Node, part: int) -> None:
        ty = node.ty
        assert isinstance(ty, Type)
        if ty.is_float:
            self._of_floats(node, ty, part)
        elif ty.bits < 64:
            self._operands(node, part)
            self.put((f"{lanes_of(ty)}.{node.op}_{'s' if ty.is_signed else 'u'}",))
        else:
            self._of_long_integers(node, ty, part)

    def _operands(self, node: Node, part: int) -> None:
        for arg in node.args:
            self.values.part(arg, part)

    def _of_long_integers(self, node: Node, ty: Type, part: int) -> None:
        put = self.put
        with self.values.temporary("v128") as x, self.values.temporary("v128") as y:
            for arg, local in zip(node.args, (x, y), strict=True):
                self.values.part(arg, part)
                put(("local.set", local))
            put(("local.get", x), ("local.get", y))
            pairs = [*zip(node.args, (x, y), strict=True)]
            (a, first), (b, second) = pairs if node.op == "min" else pairs[::-1]
            self.values.less(ty, (a, b), lambda place: put(("local.get", (first, second)[place])))
        put(("v128.bitselect",))

    def _of_floats(self, node: Node, ty: Type, part: int) -> None:
        op, put, values = node.op, self.put, self.values
        shape, limit = lanes_of(ty), node.args[-1]
        choice = (f"{shape}.p{op}",)
        if values.fuses or (limit.is_const and _chooses(op, limit)):
            self._operands(node, part)
            put(choice)
            return
        for other, number in (node.args, node.args[::-1]):
            if values.is_vector(other) and not values.is_vector(number):
                mended = values.ahead((op, number), number, partial(self._mend, op, number, ty))
                if mended is not None:
                    values.part(other, part)
                    values.part(number, part)
                    put(choice, ("local.get", mended), ("v128.or",) if op == "min" else (f"{shape}.add",))
                    return
        with values.temporary("v128") as x, values.temporary("v128") as y:
            a, b = ("local.get", x), ("local.get", y)
            for arg, local in zip(node.args, (x, y), strict=True):
                values.part(arg, part)
                put(("local.set", local))
            put(a, b, choice, b, a, choice)  # they differ if one is NaN, and where both are zeros
            if op == "max":
                put(("local.set", y), ("local.tee", x), b, ("v128.and",), a, b, (f"{shape}.ne",))
        put(("v128.or",))

    def _mend(self, op: str, number: Node, ty: Type) -> None:
        """Pushes what makes of a choice with a number, by `or`, its min, and by a sum, its max: NaN if it is NaN, the
        zero that it is if that is the lesser, or the greater, one, and else what changes nothing."""
        values, count, sign = self.values, 128 // ty.bits, 1 << (ty.bits - 1)
        values.numbers(ty, [sign] * count)
        values.part(number, 0)
        values.numbers(ty, [sign if op == "min" else 0] * count)
        self.put((f"{INTEGERS[ty.bits]}.eq",), ("v128.and" if op == "min" else "v128.andnot",))
        values.part(number, 0)
        values.part(number, 0)
        self.put((f"{lanes_of(ty)}.ne",), ("v128.or",))


def choice_of(node: Node) -> tuple[str, Node, Node] | None:
    """The choice that a select is which takes one of the two floats that its condition compares."""
    condition, first, second = node.args
    while condition.op == "pnot":
        condition, first, second = condition.args[0], second, first
    if condition.op != "lt" or not condition.attr.is_float:
        return None
    a, b = condition.args
    if _is_same(first, b) and _is_same(second, a):
        return "pmax", a, b
    return ("pmin", b, a) if _is_same(first, a) and _is_same(second, b) else None


def _is_same(a: Node, b: Node) -> bool:
    return a is b or (a.is_const and b.is_const and a.ty == b.ty and a.attr == b.attr)


def _chooses(op: str, limit: Node) -> bool:
    """Whether min or max with a constant is a choice: it is no NaN, and no zero of the sign that matters."""
    assert isinstance(limit.ty, Type)
    bits, sign = int(limit.attr), 1 << (limit.ty.bits - 1)
    value = limit.ty.decode(bits)
    return value == value and bits != (sign if op == "min" else 0)
