"""Expressions of elements as text of a kernel in our own language."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

from ..frontends.python.names import INTRINSICS, LIBRARY, Array, Elements
from ..frontends.python.source import Definition, Source
from ..isa.elements import ElementType, bool_, complex64, complex128
from ..isa.types import Type
from .elementwise import MAPS
from .node import ArrayNode
from .sizes import is_known
from .types import kind_of
from .view import Strides, View, apart, row_major, through

__all__ = ["Expression", "LoopOver", "defined"]

_MANY = 1024  # elements, for which a kernel of their own pays
_SHORT = 8  # lanes along an axis, so that a packet of them is not full


class LoopOver(NamedTuple):
    """A variable of a kernel that counts elements along some axes, row by row."""

    variable: str
    sizes: tuple[int, ...]


class _Instance(NamedTuple):
    """A node for elements at a place."""

    node: ArrayNode
    place: Strides
    args: tuple[tuple[int, Strides], ...]


class Expression:
    """The text that computes elements of nodes for each round of loops, from memory and numbers.

    `loops` are the variables, the outermost first, and the places of `roots` are those of elements row by row along all
    of them; sizes alone are the lanes of a launch, `grid`. Nodes in `held` lie in memory, those in `values` have a name
    in the kernel. Statements are in `lines`; `text` has what a root is then. `arrays` has the nodes whose memory the
    kernel takes, by name, `scalars` numbers with their types, or the nodes that have them. Names begin with `prefix`.
    The number of a round of all loops may be in the kernel already, as `whole`.
    """

    def __init__(
        self,
        roots: Sequence[ArrayNode],
        loops: list[LoopOver] | tuple[int, ...],
        held: set[int],
        values: dict[int, str] | None = None,
        prefix: str = "",
        whole: str = "",
    ) -> None:
        self.held, self.values, self.prefix, self.whole = held, values or {}, prefix, whole
        self.dtype = roots[0].dtype
        self.grid: list[int] = []
        self.sizes = [n for loop in loops for n in (loop.sizes if isinstance(loop, LoopOver) else (loop,))]
        self._many = all(map(is_known, self.sizes)) and prod(self.sizes) >= _MANY
        self.arrays: dict[str, ArrayNode] = {}
        self.scalars: dict[str, tuple[ElementType, Any]] = {}
        self.lines: list[str] = []
        self._names: dict[Any, str] = {}
        start = Strides(row_major(self.sizes))
        self._found: dict[tuple[int, Strides], _Instance] = {}
        keys = [self._collect(root, start) for root in roots]
        self.row_major = start
        places = [each.place for each in self._found.values()] + [start]
        if isinstance(loops, list):
            self._merge(loops, places)
        else:
            self._spread(places)
        texts = {key: self._element(instance) for key, instance in self._found.items()}
        self._texts = texts
        self.text = [texts[key] for key in keys]

    # What is needed

    def _collect(self, root: ArrayNode, start: Strides) -> tuple[int, Strides]:
        """Finds the instances that a root needs, each behind its arguments, and gives its key."""
        work: list[tuple[ArrayNode, Strides, bool]] = [(root, start, False)]
        while work:
            node, place, ready = work.pop()
            node, place = self._looked_through(node, place)
            key = id(node), place
            if key in self._found:
                continue
            inner = () if id(node) in self.held or id(node) in self.values else node.args
            args = [self._looked_through(arg, place) for arg in inner]
            if ready or not args:
                self._found[key] = _Instance(node, place, tuple((id(arg), at) for arg, at in args))
                continue
            work.append((node, place, True))
            work += [(arg, at, False) for arg, at in reversed(args) if (id(arg), at) not in self._found]
        node, place = self._looked_through(root, start)
        return id(node), place

    def _looked_through(self, node: ArrayNode, place: Strides) -> tuple[ArrayNode, Strides]:
        while node.op == "view" and id(node) not in self.held:
            place = through(place, self.sizes, node.attrs)
            (node,) = node.args
        return node, Strides(()) if node.op == "scalar" else place

    # Axes

    def _merge(self, loops: Sequence[LoopOver], places: Sequence[Strides]) -> None:
        """`axes` has those along which loops go, each with the text of where the loop is along it, and its length."""
        self.axes: list[tuple[int, str, int]] = []
        first = 0
        for loop in loops:
            groups = self._joined(range(first, first + len(loop.sizes)), places)
            first += len(loop.sizes)
            self._along(loop.variable, groups)

    def _spread(self, places: Sequence[Strides]) -> None:
        """Lanes along x go along the last axis; those along z along all that x and y leave."""
        groups = self._joined(range(len(self.sizes)), places)
        self.axes = []
        lengths = [prod(self.sizes[axis] for axis in group) for group in groups]
        # Where the last axis would not fill a packet lanes go along all of them, if shifts say where each is.
        alone = self._many and len(groups) > 1 and lengths[-1] < _SHORT and all(n & (n - 1) == 0 for n in lengths[1:])
        for number, some in enumerate((groups,) if alone else (groups[-1:], groups[-2:-1], groups[:-2])):
            if some or not number:
                self.grid.append(prod(self.sizes[axis] for group in some for axis in group))
                self.lines.append(f"{self.prefix}{'ijk'[number]} = global_id({number})")
                self._along(f"{self.prefix}{'ijk'[number]}", some)

    def _joined(self, axes: Sequence[int], places: Sequence[Strides]) -> list[list[int]]:
        """Axes, with those together along which all places go with one stride."""
        groups: list[list[int]] = []
        for axis in axes:
            if self.sizes[axis] == 1:
                continue
            if groups and all(self._joins(place, groups[-1][-1], axis) for place in places if place.strides):
                groups[-1].append(axis)
            else:
                groups.append([axis])
        return groups

    def _along(self, variable: str, groups: list[list[int]]) -> None:
        lengths = [prod(self.sizes[axis] for axis in group) for group in groups]
        for number, group in enumerate(groups):
            text = variable
            if number < len(groups) - 1:
                text = f"{text} // {self._divisor(prod(lengths[number + 1 :]))}"
            if number:
                text = f"{text} % {self._divisor(lengths[number])}"
            self.axes.append((group[-1], variable if text == variable else self._named(text), lengths[number]))

    def _joins(self, place: Strides, outer: int, inner: int) -> bool:
        return place.strides[outer] == place.strides[inner] * self.sizes[inner]

    def index(self, place: Strides) -> str:
        """The number of an element."""
        if not place.views:
            return self._sum(place)
        first, *others = place.views
        axes = [axis for axis, _, _ in self.axes]
        start = Strides(tuple(place.strides[axis] for axis in axes), place.offset)
        parts = [self._number(first.offset)] if first.offset != 0 else []
        for its, view in apart(start, [size for _, _, size in self.axes], first):
            whole = its._replace(strides=_at(its.strides, axes, len(self.sizes)))
            if view is None:
                parts += [text] if (text := self._sum(whole)) != "0" else []
            else:
                parts += self._looked_up(self._named(self._sum(whole)), view)
        for view in others:
            at = self._named(" + ".join(parts) or "0")
            parts = [self._number(view.offset)] if view.offset != 0 else []
            parts += self._looked_up(at, view)
        return " + ".join(parts) or "0"

    def _sum(self, place: Strides) -> str:
        if len(self.grid) == 1 and len(self.axes) > 1 and place == self.row_major:
            return f"{self.prefix}i"
        if self.whole and place.strides == self.row_major.strides:
            return self.whole + (f" + {self._number(place.offset)}" if place.offset != 0 else "")
        parts = [self._times(text, place.strides[axis]) for axis, text, _ in self.axes if place.strides[axis] != 0]
        if place.offset != 0:
            parts.append(self._number(place.offset))
        return " + ".join(parts) or "0"

    def _looked_up(self, at: str, view: View) -> list[str]:
        """What is to be added up for the element of a number."""
        parts, step = [], prod(view.shape)
        for length, stride in zip(view.shape, view.strides, strict=True):
            step = step // length if length != 0 else step
            if length not in (0, 1) and stride != 0:
                digit = at if step == 1 else f"{at} // {self._divisor(step)}"
                outermost = step * length == prod(view.shape)
                parts.append(self._times(digit if outermost else f"{digit} % {self._divisor(length)}", stride))
        return parts

    def _times(self, text: str, stride: int) -> str:
        if stride == 1:
            return text
        text = text if text.isidentifier() else f"({text})"
        return f"{text} * {self._number(stride)}"

    def _number(self, number: int) -> str:
        """A number that differs from shape to shape: a parameter of the kernel."""
        return self._scalar(Type.I32, number)

    def _divisor(self, number: int) -> str:
        """A number that divides: where many elements do, a power of two stands in the kernel, as a division by it is a
        shift."""
        is_power = self._many and is_known(number) and number > 0 and number & (number - 1) == 0
        return str(number) if is_power else self._number(number)

    def _scalar(self, ty: ElementType, number: Any) -> str:
        key = ty, number
        if key not in self._names:
            self._names[key] = name = f"{self.prefix}n{len(self.scalars)}"
            self.scalars[name] = ty, number
        return self._names[key]

    # Elements

    def _element(self, instance: _Instance) -> str:
        """The text of an element: a name, or what is as short."""
        node, place, args = instance
        known = self._names.get((id(node), place))
        if known is None:
            known = self._names[id(node), place] = self._made(node, place, args)
        return known

    def _made(self, node: ArrayNode, place: Strides, args: tuple[tuple[int, Strides], ...]) -> str:
        if id(node) in self.values:
            return self.values[id(node)]
        if node.op == "scalar":
            if node.dtype is bool_:
                return str(bool(node.held))
            # One parameter for each node: numbers change from run to run, and which are equal says nothing.
            name = f"{self.prefix}a{len(self.scalars)}"
            self.scalars[name] = node.dtype, node
            return name
        if node.op == "count":
            return self._named(_cast(node.dtype, self.index(place)))
        if node.op == "source" or id(node) in self.held:
            return self._named(f"{self._array(node)}[{self.index(place)}]")
        row = MAPS[node.op]
        given = [self._names[key] for key in args]
        text = row.text_of(kind_of(node.args[-1].dtype))
        return self._named(text.format(*given, T=typed(node.dtype), bits=8 * node.dtype.size_bytes))

    def _array(self, node: ArrayNode) -> str:
        name = next((name for name, other in self.arrays.items() if other is node), None)
        if name is None:
            name = f"{self.prefix}x{len(self.arrays)}"
            self.arrays[name] = node
        return name

    def _named(self, text: str) -> str:
        if text not in self._names:
            self._names[text] = name = f"{self.prefix}v{len(self.lines)}"
            self.lines.append(f"{name} = {text}")
        return self._names[text]

    @property
    def block(self) -> tuple[int, ...]:
        """The block of a launch over `grid`. Where axes are short it has more lanes along others, since one beyond an
        axis takes as long as others."""
        if len(self.grid) == 1 or not is_known(self.grid[0]) or self.grid[0] >= 128:
            return (256,)
        found, room = [], 256
        for axis, length in enumerate(self.grid):
            most = min(room, 16 if axis < 2 else 64)
            found.append(min(1 << max(length - 1, 0).bit_length(), most) if is_known(length) else most)
            room //= found[-1]
        return tuple(found)

    @property
    def alike(self) -> list[ArrayNode]:
        """The nodes in memory of which each round reads the element of its own place only."""
        elsewhere = {id(each.node) for each in self._found.values() if each.place != self.row_major}
        return [node for node in self.arrays.values() if id(node) not in elsewhere]

    @property
    def parameters(self) -> list[str]:
        """The kernel's parameters for it, as written."""
        arrays = [f"{name}: Array[{typed(node.dtype)}]" for name, node in self.arrays.items()]
        return arrays + [f"{name}: {typed(ty)}" for name, (ty, _) in self.scalars.items()]


def _at(strides: tuple[int, ...], axes: Sequence[int], count: int) -> tuple[int, ...]:
    """Strides of some of so many axes, as those of all."""
    found = dict(zip(axes, strides, strict=True))
    return tuple(found.get(axis, 0) for axis in range(count))


def typed(ty: ElementType) -> str:
    """A type, as kernels name it."""
    return "bool" if ty is bool_ else str(ty)


def _cast(ty: ElementType, text: str) -> str:
    return f"{typed(ty)}({text})"


def _names() -> dict[str, Any]:
    from ..frontends.python import library
    from . import of_complex, of_integers

    found: dict[str, Any] = {str(ty): ty for ty in Type} | dict(INTRINSICS)
    found |= {name: getattr(library, name) for name in LIBRARY}
    known = {"Array": Array, "Elements": Elements, "inf": math.inf, "bool": bool, "complex": complex}
    known |= {"complex64": complex64, "complex128": complex128}
    return found | known | of_complex.FUNCTIONS | of_integers.FUNCTIONS


_KNOWN: dict[str, Any] = {}


def defined(text: str) -> Definition:
    """The function of a text."""
    if not _KNOWN:
        _KNOWN.update(_names())
    source = Source("<arrays>", text.splitlines(), 1, _KNOWN)
    node: Any = ast.parse(text).body[0]
    return Definition(node, source)
