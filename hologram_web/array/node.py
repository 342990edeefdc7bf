"""Nodes of a graph of arrays: what was asked for, before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any
from weakref import ref

from ..errors import LaunchError
from ..isa.elements import Element, ElementType
from .lines import FAULTS, line_of
from .sizes import is_known
from .types import kind_of
from .view import Strides, View, row_major, through

if TYPE_CHECKING:
    from ..runtime.executor import Buffer

__all__ = [
    "DEEPEST",
    "ArrayAxisError",
    "ArrayNode",
    "ArrayShapeError",
    "broadcast",
    "broadcast_shapes",
    "copy_of",
    "in_order",
    "map_",
    "misfit",
    "misshapen",
    "scalar",
    "source",
    "view",
]

DEEPEST = 1 << 14  # operations that wait one behind the other; an Array of more is computed when it is made


class ArrayShapeError(LaunchError, ValueError):
    """A shape that an array cannot have."""


class ArrayAxisError(ArrayShapeError, IndexError):
    """An axis that an array does not have, or that is named twice."""


def misfit(function: str, operand: str, shape: Sequence[Any], axis: int, expected: str) -> ArrayShapeError:
    """What is said where an axis of an operand, by its parameter's name, has another length than the function needs."""
    length = f"{shape[axis]} element{'s' * (shape[axis] != 1)}"
    return ArrayShapeError(
        f"{function}: axis {axis} of {operand}, whose shape is {tuple(shape)}, has {length}; {expected}"
    )


def misshapen(function: str, operand: str, shape: Sequence[Any], expected: str) -> ArrayShapeError:
    """The same where an operand has other axes, or several of other lengths."""
    return ArrayShapeError(f"{function}: {operand} has shape {tuple(shape)}; {expected}")


class ArrayNode:
    """An array that can be computed. By `op`:

    | op | args | attrs |
    |---|---|---|
    | `source` | | its elements lie in `held` |
    | `scalar` | | `held` is the number that all of its elements are |
    | `count` | | elements are their own number, counted row by row |
    | `view` | the array | a View |
    | `reduce` | the array | the operation; the lengths outer, n, inner |
    | `product` | a, b | m, n, k, whether a and b lie transposed, how many products, for all of which one matrix is |
    | `tensor` | operands | the row's name, the operand that is written, names of those read, numbers, scratch memory |
    | `kernel` | operands | a row of `algorithms.KERNELS`; how many lanes there are; numbers; how many go together |
    | `launch` | operands | see launched.py: a KernelLaunch; it has several results |
    | `control` | see control_flow.py | a ControlFlow; it has several results |
    | `part` | a node with several results | the number of one |
    | others | operands of this shape | a row of `elementwise.MAPS` |

    An operand of `tensor` that is read and has the name of the one that is written is what that holds before.
    """

    __slots__ = ("__weakref__", "args", "attrs", "depth", "dtype", "held", "line", "op", "readers", "shape")

    def __init__(
        self,
        op: str,
        args: tuple[ArrayNode, ...],
        dtype: ElementType,
        shape: tuple[int, ...],
        attrs: Any = None,
        held: Any = None,
    ) -> None:
        self.op = op
        self.args = args
        self.dtype = dtype
        self.shape = shape
        self.attrs = attrs
        self.held = held
        self.line = line_of(op, kind_of(dtype) == "i", attrs) if op in FAULTS else None
        self.readers: list[ref[ArrayNode]] | None = None
        depth: int = 0
        for arg in args:
            if arg.depth >= depth:
                depth = arg.depth + 1
            readers = arg.readers
            if readers is None:
                if arg.op != "scalar":  # which has no buffer
                    arg.readers = [ref(self)]
                continue
            readers.append(ref(self))
            if len(readers) & 63 == 0:  # of those that are gone
                arg.readers = [each for each in readers if each() is not None]
        self.depth: int = depth  # the most that is waited for, one behind the other

    def changes(self) -> None:
        """Before a source's buffer is written: what waits for its elements is computed."""
        from .run import realize
        from .tracing import is_unknown

        found = [each() for each in self.readers or ()]
        self.readers = None
        waiting = [each for each in found if each is not None and self in each.args]
        realize([each for each in waiting if not any(map(is_unknown, in_order([each])))], self.held.executor)

    @property
    def size(self) -> int:
        return prod(self.shape)

    def settle(self, buffer: Buffer) -> None:
        """Its elements lie in a buffer now: what they were computed from is not held any more."""
        self.op, self.args, self.attrs, self.held, self.depth = "source", (), None, buffer, 0
        buffer._node = ref(self)


def source(buffer: Buffer) -> ArrayNode:
    """A buffer's elements: one node for a buffer, as long as somebody has it."""
    known = None if buffer._node is None else buffer._node()
    if known is None:
        known = ArrayNode("source", (), buffer.dtype, buffer.shape, None, buffer)
        buffer._node = ref(known)
    return known


def scalar(number: complex, dtype: ElementType, shape: tuple[int, ...] = ()) -> ArrayNode:
    """An array of one number. A complex one is made of two."""
    if isinstance(dtype, Element) and dtype.width:
        parts = scalar(number.real, dtype.storage, shape), scalar(number.imag, dtype.storage, shape)
        return ArrayNode("complex", parts, dtype, shape)
    return ArrayNode("scalar", (), dtype, shape, None, number)


def map_(op: str, dtype: ElementType, *args: ArrayNode) -> ArrayNode:
    """An operation on each element, of arrays that fit one another."""
    shapes = {arg.shape for arg in args}
    if len(shapes) == 1:
        return ArrayNode(op, args, dtype, shapes.pop())
    shapes.discard(())  # that of a number, which fits all
    shape = shapes.pop() if len(shapes) == 1 else broadcast_shapes([arg.shape for arg in args], _NAMES.get(op))
    return ArrayNode(op, tuple([broadcast(arg, shape) for arg in args]), dtype, shape)


_NAMES = {"where": ("condition", "x1", "x2")}  # of operands that have others than x1, x2, ...


def broadcast_shapes(shapes: Iterable[tuple[int, ...]], names: Sequence[str] | None = None) -> tuple[int, ...]:
    """The shape of arrays together, as NumPy's rules have it. Raises ArrayShapeError, which calls them by `names`."""
    shapes = list(shapes)
    found: list[int] = []
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        lengths = {shape[-axis] for shape in shapes if len(shape) >= axis} - {1}
        if len(lengths) > 1:
            names = names or [f"x{number}" for number in range(1, len(shapes) + 1)]
            told = " and ".join(f"{name} of shape {shape}" for name, shape in zip(names, shapes, strict=True))
            several = dict.fromkeys(str(shape[-axis]) for shape in shapes if len(shape) >= axis and shape[-axis] != 1)
            counts = f"{' and '.join(several)} elements; as many are expected, or 1"
            raise ArrayShapeError(f"{told} do not fit one another: axis {-axis} has {counts}")
        found.append(lengths.pop() if lengths else 1)
    return tuple(reversed(found))


def broadcast(node: ArrayNode, shape: tuple[int, ...], name: str = "x") -> ArrayNode:
    """The array with further and longer axes, along which it repeats. Raises ArrayShapeError, which calls it `name`."""
    if node.shape == shape:
        return node
    more = len(shape) - len(node.shape)
    if any(is_known(length) and length < 0 for length in shape):
        raise ArrayShapeError(f"an array cannot have the shape {shape}")
    if more < 0 or any(old not in (1, new) for old, new in zip(node.shape, shape[more:], strict=True)):
        wrong = next(
            (a for a in range(-1, max(-more, 0) - len(node.shape) - 1, -1) if node.shape[a] not in (1, shape[a])), 0
        )
        why = (
            f"axis {wrong} has {node.shape[wrong]} elements; {shape[wrong]} or 1 is expected"
            if wrong
            else (f"it has {len(node.shape)} axes; {len(shape)} are expected at most")
        )
        raise ArrayShapeError(f"{name} of shape {node.shape} cannot be broadcast to {shape}: {why}")
    if node.op == "scalar":
        return ArrayNode("scalar", (), node.dtype, shape, None, node.held)
    return view(node, View(shape, (0,) * more + row_major(node.shape)))


def copy_of(node: ArrayNode) -> ArrayNode:
    """An array with the same elements that lies elsewhere."""
    return ArrayNode("view", (node,), node.dtype, node.shape, View(node.shape, row_major(node.shape)))


def view(node: ArrayNode, found: View) -> ArrayNode:
    """Elements of an array in other places; of a view of another array, of that one where strides can say it."""
    if node.op == "view" and 0 not in (node.size, prod(found.shape)):
        joined = through(Strides(found.strides, found.offset), found.shape, node.attrs)
        if not joined.views:
            (node,), found = node.args, View(found.shape, joined.strides, joined.offset)
    if found == View(node.shape, row_major(node.shape)):
        return node
    if node.op == "scalar":
        return ArrayNode("scalar", (), node.dtype, found.shape, None, node.held)
    return ArrayNode("view", (node,), node.dtype, found.shape, found)


def in_order(roots: Sequence[ArrayNode]) -> list[ArrayNode]:
    """All nodes that roots need, each behind its arguments. Graphs may be deeper than Python calls."""
    found: dict[ArrayNode, None] = {}
    work = list(reversed(roots))
    while work:
        node = work[-1]
        if node not in found:
            if node.args and (missing := [arg for arg in node.args if arg not in found]):
                missing.reverse()
                work += missing
                continue
            found[node] = None
        work.pop()
    return list(found)
