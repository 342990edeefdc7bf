"""Which nodes of a graph become kernels, and what is computed on the way."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from ..tensor.families import operation
from .elementwise import DEAR, MAPS
from .inputs import CORES, arrays_of, lies, why_before
from .node import ArrayNode, in_order
from .sizes import is_known
from .types import kind_of
from .view import View, lies_whole, row_major

__all__ = [
    "ANY_SHAPE", "CORES", "MOST_ARRAYS", "MOST_NODES", "FusedKernel", "columns_of", "groups", "is_written", "read_by",
]  # fmt: skip

ANY_SHAPE = ("product", "tensor", "kernel")  # to which shapes of buffers say nothing

# Storage buffers that a stage of WebGPU has at least: 8, of which one or two are written.
MOST_ARRAYS = 6
_MOST_BESIDE = 5  # of a kernel that computes a product or the like, whose operands are up to four
_MOST_BUFFERS = 8  # of an operation that has more
_MOST_AFTER = 16  # nodes behind an operation: its kernels write up to 64 elements one by one
_MOST_REPEATED = 1 << 14  # times that a function is computed anew: more take longer than a launch
MOST_NODES = 160  # of a kernel: V8 and shader compilers take longer than linearly for long functions


@dataclass(frozen=True)
class FusedKernel:
    """A kernel: `root` is the node whose elements it writes, `core` the reduction, product or operation that it
    computes first, if there is one. A map may write `more` of its shape."""

    root: ArrayNode
    core: ArrayNode | None
    more: tuple[ArrayNode, ...] = ()

    @property
    def written(self) -> tuple[ArrayNode, ...]:
        return (self.root, *self.more)


def groups(
    roots: Sequence[ArrayNode], maps: Container[int] = ()
) -> tuple[list[FusedKernel], set[int], dict[int, tuple[str, str]]]:
    """The kernels in the order in which they run, the nodes that lie in memory, by identity, and of those that are
    there for an operation its name, and why it needs them. Those in `maps` are no part of a reduction or a product."""
    order = in_order(roots)
    held = {id(node) for node in order if node.op == "source"}
    kept = {id(root) for root in roots}
    held |= kept
    for node in order:
        if _is_core(node):
            held.add(id(node))
            if node.op != "reduce":
                args = [lies(node, k, kept).node for k in range(len(node.args))] if node.op in ANY_SHAPE else node.args
                held |= {id(arg) for arg in args if node.op != "launch" or arg.op != "scalar"}
    users: dict[int, list[ArrayNode]] = {id(node): [] for node in order}
    for node in order:
        for arg in node.args:
            users[id(arg)].append(node)
    _hold_repeated(order, held, users)
    arrays = _split(order, held)
    owners: dict[int, set[int]] = {}
    for node in reversed(order):
        above = [{id(user)} if id(user) in held else owners[id(user)] for user in users[id(node)]]
        mine = set[int]().union(*above)
        if len(mine) > 1 and node.op in MAPS and node.args:
            held.add(id(node))
        owners[id(node)] = mine
    cores: dict[int, ArrayNode] = {}
    by_id = {id(node): node for node in order}
    for node in order:
        if not _has_epilogue(node) or id(node) in kept:
            continue
        root = _epilogue(node, users, held, by_id)
        most = _MOST_BESIDE if node.op != "tensor" else min(_MOST_BESIDE, _MOST_BUFFERS - len(node.args))
        if (
            root is not None
            and id(root) not in cores
            and id(root) not in maps
            and len(arrays[id(root)]) <= most
            and (node.op != "tensor" or _is_beside(root, node, held))
        ):
            cores[id(root)] = node
            held.discard(id(node))
    beside = {id(core): len(arrays[root]) - 1 for root, core in cores.items()}
    before: dict[int, tuple[str, str]] = {}
    for node in order:
        if not _is_core(node) or node.op in ("reduce", "part"):
            continue
        others = beside.get(id(node), 0)
        for number, arg in enumerate(node.args):
            made = lies(node, number, kept).node if node.op in ANY_SHAPE else arg
            if id(made) in kept or id(made) in cores or made.op == "source" or _is_core(made):
                continue
            why = why_before(node, number, made, held, users, others)
            if why:
                before.setdefault(id(made), (_name(node), why))
            else:
                others += arrays_of(node.args[number], made, held) - 1  # which other operands have beside them
                held.discard(id(made))
    found = [
        FusedKernel(node, cores.get(id(node), node if _is_core(node) else None))
        for node in order
        if id(node) in held and node.op != "source"
    ]
    return found, held, before


def _name(core: ArrayNode) -> str:
    """That of a core, as explanations have it."""
    name: str = core.attrs[0] if core.op in ("tensor", "kernel") else getattr(core.attrs, "kind", core.op)
    return name


def read_by(group: FusedKernel, held: Container[int], kept: Container[int]) -> list[ArrayNode]:
    """The nodes in memory that a kernel reads."""
    found: dict[int, ArrayNode] = {}

    def of(node: ArrayNode) -> Sequence[ArrayNode]:
        """What it is computed of: operands of operations where these take them, whatever else lies in memory."""
        if node.op in ANY_SHAPE and node is group.core:
            return [lies(node, number, kept).node for number in range(len(node.args))]
        return node.args

    work, seen = [arg for root in group.written for arg in of(root)], set[int]()
    while work:
        node = work.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if id(node) in held:
            found[id(node)] = node
        else:
            work += of(node)
    return list(found.values())


def is_written(node: ArrayNode) -> bool:
    """Whether what computes a node writes each of its elements, whatever was there. Others may begin with zeros."""
    return node.op in MAPS or node.op in ("scalar", "count", "view", "reduce", "product", "tensor")


def _is_core(node: ArrayNode) -> bool:
    return node.op in CORES


def _hold_repeated(order: Sequence[ArrayNode], held: set[int], users: dict[int, list[ArrayNode]]) -> None:
    """Lets functions of few elements lie in memory that many elements of another array would compute anew."""
    dear: set[int] = set()
    for node in order:
        if id(node) in held or not (node.op in DEAR or any(id(arg) in dear for arg in node.args)):
            continue
        sizes = [user.size for user in users[id(node)] if user.op == "view"] if node.op in MAPS else []
        if any(is_known(size) and is_known(node.size) and size - node.size > _MOST_REPEATED for size in sizes):
            held.add(id(node))
        else:
            dear.add(id(node))


def columns_of(core: ArrayNode) -> int | None:
    """How long the rows are of which the kernels of an operation know row and column of each element they write."""
    by = operation(core.attrs[0]).epilogue
    return dict(core.attrs[3])[by] if by else None


def _has_epilogue(node: ArrayNode) -> bool:
    if node.op == "tensor":
        return operation(node.attrs[0]).epilogue is not None
    return node.op in ("reduce", "product")


def _is_beside(root: ArrayNode, core: ArrayNode, held: Container[int]) -> bool:
    """Whether a root is computed of few nodes, and of elements that lie where the operation's does, or that its row or
    column tells: to find others by its number would take divisions, which may take longer than to go over all again."""
    columns = columns_of(core)
    columns = columns if root.shape[-1:] == (columns,) else None
    work, seen = [root], {id(root)}
    while work:
        node = work.pop()
        if node.op == "view" and not _is_told(node.attrs, node.args[0].shape, columns):
            return False
        for arg in node.args:
            if id(arg) not in held and id(arg) not in seen and arg.op != "scalar":
                seen.add(id(arg))
                work.append(arg)
    return len(seen) <= _MOST_AFTER


def _is_told(view: View, shape: Sequence[int], columns: int | None) -> bool:
    if lies_whole(view, shape):
        return True
    if not all(map(is_known, (*view.shape, *view.strides, view.offset))):
        return False
    *outer, last = view.strides or (0,)
    if columns is None or view.shape[-1:] != (columns,):
        return not any(view.strides)
    return not any(outer) or (last == 0 and tuple(outer) == row_major(view.shape[:-1]))


def _split(order: Sequence[ArrayNode], held: set[int]) -> dict[int, frozenset[int]]:
    """Lets nodes lie in memory where a kernel would read too many arrays, or be too long. Gives the arrays that each
    node is computed from."""
    arrays: dict[int, frozenset[int]] = {}
    within: dict[int, frozenset[int]] = {}
    nothing = frozenset[int]()
    for node in order:

        def read(arg: ArrayNode) -> frozenset[int]:
            return frozenset((id(arg),)) if id(arg) in held else arrays[id(arg)]

        def inside(arg: ArrayNode) -> frozenset[int]:
            return nothing if id(arg) in held else within[id(arg)]

        while True:
            leaves = nothing.union(*map(read, node.args))
            nodes = frozenset((id(node),)).union(*map(inside, node.args))
            if len(leaves) <= MOST_ARRAYS and len(nodes) <= MOST_NODES:
                break
            inner = [arg for arg in node.args if id(arg) not in held and arg.args]
            if not inner:
                break
            largest = max(inner, key=lambda arg: (len(arrays[id(arg)]), len(within[id(arg)])))
            held.add(id(largest))
        arrays[id(node)], within[id(node)] = leaves, nodes
    return arrays


def _epilogue(
    core: ArrayNode, users: dict[int, list[ArrayNode]], held: set[int], by_id: dict[int, ArrayNode]
) -> ArrayNode | None:
    """The node in memory that is computed of each element of another one and of nothing else of it."""
    found: set[int] = set()
    work = [core]
    seen: set[int] = set()
    while work:
        node = work.pop()
        for user in users[id(node)]:
            if user.op not in MAPS and not (user.op == "view" and lies_whole(user.attrs, core.shape)):
                return None
            if core.op != "reduce" and any(kind_of(each.dtype) == "c" for each in (user, *user.args)):
                return None  # functions that go into operations have numbers of the ISA
            if id(user) in held:
                found.add(id(user))
            elif id(user) not in seen:
                seen.add(id(user))
                work.append(user)
    return by_id[found.pop()] if len(found) == 1 else None
