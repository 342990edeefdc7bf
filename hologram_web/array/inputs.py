"""How operations read their operands: where these lie in memory, or what is computed in their place."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from ..isa.types import Type
from .elementwise import DEAR, MAPS
from .expression import Expression, LoopOver
from .node import ArrayNode
from .sizes import is_known
from .types import kind_of
from .view import Strides, lies_whole, row_major, through

__all__ = ["CORES", "Lying", "arrays_of", "is_row", "lies", "lying", "prologue", "why_before"]

# Operations that are more than maps and views: what they read lies in memory, and what they give.
CORES = ("reduce", "product", "tensor", "kernel", "launch", "control", "part")
_QUICK = {"relu", "floor", "ceil", "trunc"}  # of the dear ones what is an instruction or two
_MOST_BUFFERS = 8  # that a stage of WebGPU has at least
_MOST_INSIDE = 16  # functions that are computed for an element, each time that it is read
_FEW = 4  # times as many elements as are taken: to find some by division costs less than to compute all


class Lying(NamedTuple):
    """An operand in memory: whose elements are there, at which of them it begins, and of a product's how far its rows,
    columns and matrices are apart, if not side by side; `turned` says whether columns lie side by side."""

    node: ArrayNode
    first: Any = 0
    steps: tuple[Any, Any, Any] | None = None
    turned: bool = False


class _Read(NamedTuple):
    """How kernels read an operand that may be computed there: how `often` each element; how long the rows are of which
    `global_id(1)` is the number, None where it is of none; and how many buffers they have that are no operands."""

    often: Callable[[Mapping[str, Any]], Any] = lambda given: 1
    row: Callable[[Mapping[str, Any]], Any] = lambda given: None
    beside: int = 1


def _ratio(many: Any, of: Any) -> Any:
    """How often elements are read, if so many are of so many; 1 where that is not known."""
    return -(-many // of) if is_known(many) and is_known(of) and of else 1


def _side_by_side(given: Mapping[str, Any]) -> Any:
    return given["n"] if is_known(given["inner"]) and given["inner"] == 1 else None


def _of_images(given: Mapping[str, Any]) -> Any:
    return given["spatial"]


def _joined(name: str) -> _Read:
    return _Read(row=lambda given: given[name] * given["inner"])


_SOFT = _Read(lambda given: 3, _side_by_side)
_NORM = _Read(lambda given: 3, lambda given: given["n"])
_EACH = _Read(row=_of_images)
_TAKEN = _Read(lambda given: _ratio(given["count"], given["axis_len"]))
_POOL = _Read(
    lambda given: _ratio(given["kernel_h"], given["stride"][0]) * _ratio(given["kernel_w"], given["stride"][1])
)
# What is in no row is read again and again, for each row and column of a product, tap of a kernel, or step of a sort.
READS: dict[tuple[str, str], _Read] = {
    **dict.fromkeys([("Softmax", "input"), ("LogSoftmax", "input")], _SOFT),
    **dict.fromkeys([("LayerNorm", "input"), ("RMSNorm", "input")], _NORM),
    ("GroupNorm", "input"): _NORM._replace(
        row=lambda given: (
            given["channels"] // given["groups"] * given["spatial"] if is_known(given["channels"]) else None
        )
    ),
    ("InstanceNorm", "input"): _NORM._replace(row=_of_images),
    ("BatchNorm", "input"): _EACH,
    ("LayerScale", "input"): _Read(row=lambda given: given["n"]),
    **dict.fromkeys([("ArgMin", "input"), ("ArgMax", "input")], _Read(row=_side_by_side)),
    ("CumSum", "input"): _Read(beside=3),
    **dict.fromkeys([("Gather", "input"), ("GatherElements", "input")], _TAKEN),
    ("GatherElements", "indices"): _Read(),
    ("Scatter", "input"): _Read(beside=2),
    ("Concat", "a"): _joined("a_len"),
    ("Concat", "b"): _joined("b_len"),
    **dict.fromkeys([("MaxPool2D", "input"), ("AvgPool2D", "input")], _POOL),
}


# Where operands lie


def lying(node: ArrayNode, kept: Container[int]) -> ArrayNode:
    """The node whose elements lie in memory as those of an operand: what it shows in another shape, if it is no result
    that is `kept` itself."""
    while node.op == "view" and id(node) not in kept and lies_whole(node.attrs, node.args[0].shape):
        if node.args[0].op == "scalar":
            break
        node = node.args[0]
    return node


def lies(core: ArrayNode, number: int, kept: Container[int]) -> Lying:
    """Where an operand of a core is to lie: in memory of another node, where an operation takes it from there, or else
    in its own."""
    arg = core.args[number]
    whole = lying(arg, kept)
    if whole.op != "view" or id(whole) in kept or core.op not in ("product", "tensor") or is_row(core):
        return Lying(whole)
    if not all(not is_known(length) or length > 0 for length in arg.shape):
        return Lying(whole)
    node, place = _under(arg, kept)
    if node.op != "source" and node.op not in CORES and id(node) not in kept:
        return Lying(whole)  # of what would be computed for that it may be a small part
    if core.op == "product":
        return _steps(core, number, node, place) or Lying(whole)
    return Lying(node, place.offset) if place.strides == row_major(arg.shape) else Lying(whole)


def is_row(node: ArrayNode) -> bool:
    """Whether it puts arrays one behind the other, which are computed there (joining.py)."""
    return node.op == "tensor" and node.attrs[0] == "Concat" and dict(node.attrs[3])["outer"] == 1


def _under(arg: ArrayNode, kept: Container[int]) -> tuple[ArrayNode, Strides]:
    """The node that a view shows, and where its elements are there."""
    node, place = arg, Strides(row_major(arg.shape))
    while node.op == "view" and id(node) not in kept and node.args[0].op != "scalar":
        further = through(place, arg.shape, node.attrs)
        if further.views:
            break
        place, (node,) = further, node.args
    return node, place


def _steps(core: ArrayNode, number: int, node: ArrayNode, place: Strides) -> Lying | None:
    """Of a product's operand: its rows or its columns lie side by side, and matrices evenly, none before another."""
    m, n, k, *turned, _ = core.attrs
    shape = core.args[number].shape
    (down, right), (rows, columns) = place.strides[-2:], (m, k) if number == 0 else (k, n)
    if turned[number]:
        down, right = right, down
    matrices = _together(place.strides[:-2], shape[:-2])
    if matrices is None or not _is_forward(matrices):
        return None
    if right == 1 or columns == 1:
        return Lying(node, place.offset, (down, 1, matrices))
    if down == 1 or rows == 1:
        return Lying(node, place.offset, (1, right, matrices), True)
    return None


def _is_forward(step: Any) -> bool:
    return not is_known(step) or step >= 0


def _together(strides: Sequence[Any], sizes: Sequence[Any]) -> Any:
    """The one step along axes, counted row by row; None where there is none."""
    found, length = 0, 1
    for stride, size in reversed([each for each in zip(strides, sizes, strict=True) if each[1] != 1]):
        if length == 1:
            found = stride
        elif stride != found * length:
            return None
        length = length * size
    return found


# What is computed where it is read

_PROLOGUE = """def prologue({parameters}):
    {lines}
    return {text}
"""


def why_before(
    core: ArrayNode,
    number: int,
    node: ArrayNode,
    held: Container[int],
    users: Mapping[int, Sequence[ArrayNode]],
    others: int,
) -> str:
    """Why an operand's `node` is computed by a kernel before those of a core; "" if it can be a part of these. `others`
    are the arrays that they take for what is computed of their result."""
    if core.op == "product":
        return "would compute it for each tile that reads it" if node.op != "view" else _AS_IT_LIES
    read = None if core.op != "tensor" or is_row(core) else READS.get((core.attrs[0], core.attrs[2][number]))
    if read is None:
        return _AS_IT_LIES
    given, root = dict(core.attrs[3]), core.args[number]
    if not _is_alone(node, core, users):
        return "is not alone in reading it"
    inside, leaves = _parts(root, node, held)
    if not isinstance(root.dtype, Type) or any(kind_of(each.dtype) == "c" for each in (*inside, *leaves)):
        return "reads numbers of the instruction set only where it computes them"
    if any(each.line is not None for each in inside):
        return "would not tell whose fault it is"
    if arrays_of(root, node, held) + len(core.args) - 1 + len(core.attrs[4]) + read.beside + others > _MOST_BUFFERS:
        return "has no room for so many arrays beside it"
    often, maps = read.often(given), [each.op for each in inside if each.op in MAPS]
    if often > 1 and (dear := next((each for each in maps if each in DEAR - _QUICK), "")):
        return f"would compute {dear} {often} times for each element"
    if len(maps) * often > _MOST_INSIDE:
        return f"would compute {len(maps) * often} functions for each element"
    places = [place for some in leaves.values() for place in some]
    if read is _TAKEN:
        if not any(
            place.strides == row_major(root.shape) for each in leaves if each.op != "count" for place in leaves[each]
        ):
            return "tells a number beyond the axis where it reads memory"
        if is_known(core.size) and is_known(node.size) and core.size * _FEW <= node.size:
            return ""
    outer = _outer(root.shape, read.row(given))
    steps = [None if each.views else _together(each.strides[outer:], root.shape[outer:]) for each in places]
    if None in steps:
        return "would divide to find each element" if maps else _AS_IT_LIES
    # Softmax of a transposed matrix of 1024 x 1024 took 1.8 times as long as behind a copy.
    if often > 1 and any(step is not None and is_known(step) and abs(step) > 1 for step in steps):
        return f"would go across memory {often} times"
    return ""


def arrays_of(root: ArrayNode, node: ArrayNode, held: Container[int]) -> int:
    """How many arrays an operand is computed of if `node` is in no memory."""
    return sum(each.op != "count" for each in _parts(root, node, held)[1])


_AS_IT_LIES = "takes elements as they lie in memory"


def prologue(core: ArrayNode, number: int, held: set[int]) -> tuple[str, Expression]:
    """The function that computes an element of an operand, and the expression in it. Its parameters are the number of
    the element and those of the expression."""
    root, read = core.args[number], READS[core.attrs[0], core.attrs[2][number]]
    length = read.row(dict(core.attrs[3]))
    outer = _outer(root.shape, length)
    loops = [LoopOver("row", root.shape[:outer]), LoopOver("column", root.shape[outer:])] if outer else []
    made = Expression([root], loops or [LoopOver("i", root.shape)], held, None, f"p{number}", "i" if outer else "")
    lines = [*made.lines]
    if any("column" in line for line in (*lines, *made.text)):
        lines.insert(0, f"column = i - row * {made._number(length)}")
    if any("row" in line for line in (*lines, *made.text)):
        lines.insert(0, "row = global_id(1)")
    text = _PROLOGUE.format(
        parameters=", ".join(["i", *made.arrays, *made.scalars]),
        lines="\n    ".join(lines) or "pass",
        text=made.text[0],
    )
    return text, made


def _outer(shape: Sequence[Any], length: Any) -> int:
    """How many axes rows of a length are counted along; 0 if they are none of whole axes."""
    if length is None:
        return 0
    return next((axis for axis in range(len(shape)) if prod(shape[axis:]) == length), 0)


def _is_alone(node: ArrayNode, core: ArrayNode, users: Mapping[int, Sequence[ArrayNode]]) -> bool:
    """Whether only the core reads a node, once, perhaps in another shape."""
    while len(users[id(node)]) == 1:
        (node,) = users[id(node)]
        if node is core:
            return True
        if node.op != "view":
            return False
    return False


def _parts(
    root: ArrayNode, node: ArrayNode, held: Container[int]
) -> tuple[list[ArrayNode], dict[ArrayNode, list[Strides]]]:
    """The nodes that an operand is computed of if `node` is in no memory, and what is in memory, or numbers of
    elements, with the places that are read."""
    inside: dict[ArrayNode, None] = {}
    leaves: dict[ArrayNode, list[Strides]] = {}
    work, seen = [(root, Strides(row_major(root.shape)))], set[tuple[ArrayNode, Strides]]()
    while work:
        each, place = work.pop()
        if (each, place) in seen:
            continue
        seen.add((each, place))
        if each.op in ("source", "count") or (id(each) in held and each is not node):
            leaves.setdefault(each, []).append(place)
        elif each.op != "scalar":
            inside[each] = None
            place = through(place, root.shape, each.attrs) if each.op == "view" else place
            work += [(arg, place) for arg in each.args]
    return list(inside), leaves
