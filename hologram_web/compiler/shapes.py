"""Shapes: how a value differs between the lanes of a block that have it together, and what operations make of them.

A value has a step along each axis of the block: 0 is uniform, a number is affine in the lane's coordinate, `SOME` is
affine with a step that is uniform but not known here, `ANY` may be anything. Axes with `ANY` part the lanes into groups
of equal coordinates on them; in a group the value is one uniform number plus coordinates times steps, modulo 2**bits.
So `x[row * n + col]` is uniform plus `col` along x in each row of a block of 16 x 16, whatever lanes do in others.

Integers of 32 bits wrap, and so a sum of them that is made longer has its steps modulo 2**32. That is enough for
addresses: what is in bounds of a memory of less than 4 GB is where its lower half says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ..isa.types import Type
from .ir import Node
from .ranges import Ranges

__all__ = ["ANY", "SOME", "UNIFORM", "VARYING", "Shape", "Stride", "either", "meaning", "opaque", "scaled", "without"]

SOME, ANY = "n", "?"
Stride = int | str
_BITS = 64


class Shape(NamedTuple):
    """How a value differs between lanes that have it together: steps along x, y and z, which hold modulo 2**bits."""

    steps: tuple[Stride, Stride, Stride]
    bits: int = _BITS

    @property
    def axes(self) -> int:
        """Along which axes lanes differ: 1 for x, 2 for y and 4 for z, added."""
        x, y, z = self.steps
        return (x != 0) | (y != 0) << 1 | (z != 0) << 2

    def __str__(self) -> str:
        if self is UNIFORM or not self.axes:
            return "uniform"
        terms = [
            "any " + axis if step == ANY else axis if step == 1 else f"{step}*{axis}"
            for step, axis in zip(self.steps, "xyz", strict=True)
            if step != 0
        ]
        return " + ".join(terms) + ("" if self.bits == _BITS else f" mod 2**{self.bits}")


UNIFORM = Shape((0, 0, 0))
# Nothing is known along some axes, lanes are alike along the others.
VARYING = [Shape(tuple(ANY if axes & bit else 0 for bit in (1, 2, 4))) for axes in range(8)]  # type: ignore[arg-type]  # three


def _whole(node: Node) -> bool:
    """Whether a value is an integer whose arithmetic is followed."""
    return isinstance(node.ty, Type) and node.ty.is_integer and not node.ty.is_wide


def opaque(args: Iterable[Shape]) -> Shape:
    """Of a function of which nothing is known: the same where its operands are."""
    axes = 0
    for arg in args:
        axes |= arg.axes
    return VARYING[axes] if axes else UNIFORM


def without(shape: Shape, axes: int) -> Shape:
    """The same with nothing known along some axes."""
    x, y, z = shape.steps
    return Shape((ANY if axes & 1 else x, ANY if axes & 2 else y, ANY if axes & 4 else z), shape.bits)


def either(a: Shape, b: Shape) -> Shape:
    """One of two for all lanes together."""
    if a == b:
        return a
    steps = [p if p == q else ANY if ANY in (p, q) else SOME for p, q in zip(a.steps, b.steps, strict=True)]
    return Shape((steps[0], steps[1], steps[2]), min(a.bits, b.bits))


def _made(steps: Iterable[Stride], bits: int, width: int) -> Shape:
    """Of an integer of `width` bits, of steps that hold modulo 2**bits: a multiple of that is no uniform number."""
    bits = min(bits, _BITS)
    x, y, z = found = tuple([_wrapped(step, bits, width) if step != 0 else 0 for step in steps])
    if found == (0, 0, 0):
        return UNIFORM
    return Shape((x, y, z), _BITS if {0, ANY}.issuperset(found) else bits)


def _wrapped(step: Stride, bits: int, width: int) -> Stride:
    if not isinstance(step, int):
        return step
    half = 1 << bits - 1
    rest = step if -half <= step < half else (step + half) % (2 * half) - half
    return rest or (0 if bits >= width else ANY)


def scaled(shape: Shape, factor: int, width: int) -> Shape:
    """Times a number: that of a power of two holds modulo a greater one."""
    if not factor:
        return UNIFORM
    zeros = (factor & -factor).bit_length() - 1
    steps = [step * factor if isinstance(step, int) else step for step in shape.steps]
    return _made(steps, min(shape.bits + zeros, width), width)


def _width(node: Node) -> int:
    assert isinstance(node.ty, Type)
    return node.ty.bits


def _plus(a: Stride, b: Stride) -> Stride:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return ANY if ANY in (a, b) else SOME


def _sum(node: Node, ranges: Ranges, a: Shape, b: Shape) -> Shape:
    width = _width(node)
    return _made(map(_plus, a.steps, b.steps), min(a.bits, b.bits, width), width)


def _negative(node: Node, ranges: Ranges, a: Shape) -> Shape:
    return scaled(a, -1, _width(node))


def _difference(node: Node, ranges: Ranges, a: Shape, b: Shape) -> Shape:
    return _sum(node, ranges, a, scaled(b, -1, _width(node)))


def _product(node: Node, ranges: Ranges, a: Shape, b: Shape) -> Shape:
    width = _width(node)
    for shape, factor in ((a, node.args[1]), (b, node.args[0])):
        if factor.is_const and isinstance(factor.ty, Type):
            return scaled(shape, int(factor.ty.decode(factor.attr)), width)
    # Affine along the axes along which one of them is uniform, in groups along which the other is.
    if b.axes & 1 or (b.axes and not a.axes):
        a, b = b, a
    found = [
        ANY if q != 0 or p == ANY else SOME if p != 0 else 0
        for p, q in zip(a.steps, b.steps, strict=True)
    ]  # fmt: skip
    return _made(found, min(a.bits, width), width)


def _shifted(node: Node, ranges: Ranges, a: Shape, amount: Shape) -> Shape:
    width = _width(node)
    if node.args[1].is_const:
        return scaled(a, 1 << int(node.args[1].attr) % width, width)
    found = [ANY if q != 0 or p == ANY else SOME if p != 0 else 0 for p, q in zip(a.steps, amount.steps, strict=True)]
    return _made(found, min(a.bits, width), width)


def _converted(node: Node, ranges: Ranges, a: Shape) -> Shape:
    """Of another width: the shorter one wraps, so that the longer has its steps modulo its width, if it may."""
    arg, width = node.args[0], _width(node)
    if not _whole(arg):
        return opaque([a])
    if width <= _width(arg):
        return _made(a.steps, min(a.bits, width), width)
    return _made(a.steps, _exact_bits(arg, ranges, a), width)


def _cut(node: Node, ranges: Ranges, a: Shape) -> Shape:
    """The lower bits with their sign above them: of the same steps modulo as many bits, if they may wrap."""
    return _lower(node, ranges, a, node.attr.bits)


def _masked(node: Node, ranges: Ranges, a: Shape, b: Shape) -> Shape:
    """The same of lower bits with zeros above them."""
    for arg, shape, mask in ((node.args[0], a, node.args[1]), (node.args[1], b, node.args[0])):
        if mask.is_const and arg is not mask and int(mask.attr) & (int(mask.attr) + 1) == 0:
            return _lower(node, ranges, shape, int(mask.attr).bit_length())
    return opaque([a, b])


def _lower(node: Node, ranges: Ranges, a: Shape, bits: int) -> Shape:
    if not bits:
        return UNIFORM
    cut = _made(a.steps, min(a.bits, bits), bits)
    return _made(cut.steps, _exact_bits(node, ranges, cut), _width(node))


def _exact_bits(node: Node, ranges: Ranges, a: Shape) -> int:
    """Modulo how many bits a node has these steps as a longer number: two lanes differ by them and a multiple of
    2**bits, which is 0 if the node's interval and the steps leave no room for more."""
    if a.bits < _BITS and all(isinstance(step, int) for step in a.steps):
        low, high = ranges.of(node)
        far = sum(abs(int(step)) * (size - 1) for step, size in zip(a.steps, ranges.block_shape, strict=True))
        if high - low + far < 1 << a.bits:
            return _BITS
    return a.bits


def _chosen(node: Node, ranges: Ranges, condition: Shape, a: Shape, b: Shape) -> Shape:
    found = either(a, b)
    return without(found, condition.axes) if condition.axes else found


_RULES: dict[str, Callable[..., Shape]] = {
    "add": _sum,
    "sub": _difference,
    "neg": _negative,
    "not": _negative,
    "mul": _product,
    "shl": _shifted,
    "cvt": _converted,
    "bitcast": _converted,
    "extend": _cut,
    "and": _masked,
    "select": _chosen,
}


def meaning(node: Node, ranges: Ranges, args: list[Shape]) -> Shape:
    """The shape of a pure operation on operands of these shapes."""
    for arg in args:
        if arg is not UNIFORM:
            break
    else:
        return UNIFORM
    rule = _RULES.get(node.op)
    return rule(node, ranges, *args) if rule is not None and _whole(node) else opaque(args)
