"""From groups of nodes to a plan: the text of each kernel, its program, its launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ..isa.collectives import COLLECTIVE_ROWS
from ..isa.elements import ElementType, stored_as
from ..plan.builder import PlanBuilder
from ..plan.plan import ProgramCall
from ..plan.symbols import NotExpressible
from ..plan.tensor_steps import add_operation, own_memory
from ..tensor.families import operation
from ..tensor.fuse import Computed, fuse
from .algorithms import KERNELS
from .at_once import at_once
from .elementwise import MAPS
from .expression import Expression, LoopOver, defined, typed
from .grouping import FusedKernel, columns_of, groups, is_written, read_by
from .inputs import Lying, lies, lying, prologue
from .joining import joins
from .node import ArrayNode
from .sizes import UnknownSize, of_plan, of_tensor
from .tracing import Parameter
from .types import kind_of, real_of
from .view import lies_whole
from .writing import GraphPlan, KernelWriter

if TYPE_CHECKING:
    from .launched import KernelLaunch

__all__ = ["GraphPlan", "lower"]

_EPILOGUE = """def epilogue({parameters}):
    {lines}
    return {text}
"""

_NO_EPILOGUE = "its kernels take no function of what they write"


def lower(
    roots: Sequence[ArrayNode],
    order: Sequence[ArrayNode],
    plan: PlanBuilder,
    names: dict[int, str] | None = None,
    first: Mapping[int, Any] | None = None,
) -> GraphPlan:
    """The plan that computes roots; `order` has all nodes, as `in_order` gives them. Raises CompileError.

    With `names`, sources and roots that are in it lie in buffers that the plan has, numbers are parts of the plan, and
    Parameters are scalars of it; without, all of these are ports. `first` says at which element of its buffer a root
    begins that is a map.
    """
    whole = names is None
    names = {} if names is None else names
    numbers: dict[int, Any] = {}
    lowered = GraphPlan(plan, [], [], [])
    for node in order:
        if node.op == "source" and id(node) not in names:
            names[id(node)] = plan.array(plan.unused(f"x{len(lowered.sources)}"), node.dtype, _shape(node))
            lowered.sources.append(names[id(node)])
        elif node.op == "scalar" and not whole:
            numbers[id(node)] = node.held.name if isinstance(node.held, Parameter) else node.held
        elif node.op == "scalar":
            numbers[id(node)] = name = f"a{len(lowered.scalars)}"
            plan.scalar(name, stored_as(node.dtype))
            lowered.scalars.append(name)
    for node in roots:
        if id(node) not in names:
            names[id(node)] = plan.array(f"y{len(lowered.results)}", node.dtype, _shape(node))
        lowered.results.append(names[id(node)])
    found, held, before = groups(roots, first or {})
    found = _without_copies(found, held, roots, names, first or {})
    kept = set(map(id, roots))
    joined = joins(order, found, kept, names)
    found = at_once(found, held, {*joined.placed, *joined.parts, *(first or {})}, kept)
    (writer := _Writer(plan, names, numbers, held, lowered)).first = dict(first or {})
    writer.kept = kept
    writer.mapped = {id(lying(arg, kept)) for node in order if node.op in MAPS for arg in node.args}
    parts: dict[int, dict[int, ArrayNode]] = {}
    for node in order:
        if node.op == "part":
            parts.setdefault(id(node.args[0]), {})[node.attrs] = node
    last = {
        id(node): number for number, each in enumerate(found) for node in (*each.written, *read_by(each, held, kept))
    }
    idle: dict[int, list[str]] = {}

    def place(node: ArrayNode, number: int) -> str:
        """The buffer that a node's elements go to."""
        if id(node) in joined.placed:
            whole, writer.first[id(node)] = joined.placed[id(node)]
            names[id(node)] = place(whole, number)
        elif id(node) not in names:
            size = prod(node.shape) * node.dtype.size_bytes
            free = idle.get(size)
            names[id(node)] = name = free.pop() if free else plan.temporary(plan.unused(f"t{number}"), of_plan(size))
            lowered.written.setdefault(name, is_written(node))
            writer.temporary.add(id(node))
        return names[id(node)]

    for number, group in enumerate(found):
        node = group.root
        if node.op == "control":
            from .control_plan import add_control

            made = parts[id(node)]
            results = [
                place(made.get(k, root), number)
                if k in made or node.attrs.kind != "scan" or k < node.attrs.carries
                else plan.temporary(
                    plan.unused(f"t{number}"), of_plan(node.attrs.length * root.size * root.dtype.size_bytes)
                )
                for k, root in enumerate(node.attrs.graphs[-1].roots)
            ]
            lowered.texts += add_control(plan, node, [names[id(arg)] for arg in node.args], results, lower)
        elif node.op == "launch":
            made = parts[id(node)]
            writer.launch(
                node,
                [
                    place(made[k], number)
                    if k in made
                    else plan.temporary(plan.unused(f"t{number}"), of_plan(prod(each.shape) * each.dtype.size_bytes))
                    for k, each in enumerate(node.attrs.results)
                ],
            )
        elif node.op != "part":
            for each in group.written:
                place(each, number)
            if id(node) in joined.parts:
                writer.copy(node, joined.parts[id(node)])
            else:
                writer.write(group)
                copied = _is_copy(node, held)
                if group.core is None and id(node) in before and (copied or id(node) not in joined.placed):
                    name, why = before[id(node)]
                    writer.tell(f"{'a copy' if copied else 'computed before'}: {name} {why}")
        for each in {id(n): n for n in (*group.written, *read_by(group, held, kept))}.values():
            if last[id(each)] == number and id(each) in writer.temporary:
                idle.setdefault(prod(each.shape) * each.dtype.size_bytes, []).append(names[id(each)])
    # What one operation left in memory of its own another one may find there: they write it before they read it.
    lowered.written |= dict.fromkeys(own_memory(plan), True)
    return lowered


def _without_copies(
    found: Sequence[FusedKernel],
    held: set[int],
    roots: Sequence[ArrayNode],
    names: dict[int, str],
    first: Mapping[int, Any],
) -> list[FusedKernel]:
    """Without kernels that copy what an operation made, as it lies, into a result: the operation writes it there. (Of
    the depthwise convolution of bench.peers the copy took a fifth of the time.)"""
    left, given = [], {id(root) for root in roots}
    for group in found:
        root, made = group.root, group.root.args[0] if group.root.op == "view" else None
        if (
            made is not None
            and group.core is None
            and id(root) in given
            and id(root) not in first
            and id(made) in held
            and id(made) not in names
            and made.op in ("tensor", "kernel")
            and lies_whole(root.attrs, made.shape)
        ):
            names[id(made)] = names[id(root)]
        else:
            left.append(group)
    return left


def _is_copy(node: ArrayNode, held: set[int]) -> bool:
    """Whether its elements are those of another node in memory."""
    under = node
    while under.op == "view" and (under is node or id(under) not in held):
        under = under.args[0]
    return under is not node and id(under) in held


def _shape(node: ArrayNode) -> tuple[Any, ...]:
    return tuple(map(of_plan, node.shape))


class _Writer(KernelWriter):
    """Adds kernels of groups to a plan. Of nodes that are `mapped` something is computed, those `kept` are results."""

    mapped: set[int]
    kept: set[int]

    def tell(self, why: str) -> None:
        """Lets explanations say it of the launch that was added last, if it is one."""
        for step in self.plan._steps[-1][-1:]:
            if isinstance(step, ProgramCall):
                self.lowered.told[step] = why

    def write(self, group: FusedKernel) -> None:
        core = group.core
        if core is None:
            self._map(*group.written)
        elif core.op == "reduce":
            self._reduce(group.root, core)
        elif core.op == "product":
            self._product(group.root, core)
        elif core.op == "kernel":
            self._kernel(group.root)
        else:
            self._tensor(group.root, core)

    def _product(self, root: ArrayNode, core: ArrayNode) -> None:
        m, n, k, *turned, batch = core.attrs
        a, b = (lies(core, number, self.kept) for number in (0, 1))
        ty = stored_as(core.dtype)
        one = 1.0 if ty.is_float else 1
        # An operand of one matrix is for all.
        apart = [m * k if a.node.size != m * k else 0, k * n if b.node.size != k * n else 0]
        steps: list[tuple[str, Any]] = []
        for number, (each, names) in enumerate(((a, ("a_row", "a_step")), (b, ("b_step", "b_column")))):
            if each.steps is not None:
                turned[number] = each.turned
                steps += zip(names, each.steps[:2], strict=True)
                apart[number] = each.steps[2]
        values = {
            "ty": ty, "m": m, "n": n, "k": k, "alpha": one, "beta": one * 0, "trans_a": turned[0], "trans_b": turned[1],
            "bias": None, "activation": None, "batch": batch, "steps": tuple(steps),
            "strides": (*apart, m * n) if batch != 1 else (),
        }  # fmt: skip
        buffers = {"a": self.names[id(a.node)], "b": self.names[id(b.node)], "c": self.names[id(root)]}
        after: Expression | None = None
        place: tuple[str, ...] = ()
        if root is not core:
            after, place = self._placed(root, core)
            self._aligned(root, after, a.node, b.node)
        first = {"a": self._starts(a), "b": self._starts(b), "c": self._first(root)}
        self._operation(operation("BatchedGEMM"), "c", values, buffers, after, first, place)

    def _placed(self, root: ArrayNode, core: ArrayNode) -> tuple[Expression, tuple[str, ...]]:
        """What is computed of each element of a product, or of an operation, and what of its place it takes from the
        kernels of that: to divide an element's number by the columns for each operand that is the same in all rows, or
        in all columns, took up to 1.8 times as long as the product alone."""
        values = {id(core): "value"}
        n, batch = (core.attrs[1], core.attrs[-1]) if core.op == "product" else (columns_of(core), 1)
        if root.shape[-1:] != (n,):
            return self._after(root, core, LoopOver("i", root.shape)), ()
        loops = [LoopOver("row", root.shape[:-1]), LoopOver("column", root.shape[-1:])]
        made = Expression([root], loops, self.held - {id(root)}, values, "e", "i")
        if batch == 1:
            return made, ("row", "column")
        # Rows of all matrices are counted, not those of one.
        if any("row" in line for line in (*made.lines, *made.text)):
            made.lines.insert(0, f"row = i // {made._divisor(core.attrs[1])}")
        return made, ("column",)

    def _tensor(self, root: ArrayNode, core: ArrayNode) -> None:
        name, result, operands, numbers, scratch = core.attrs
        others = (operand.name for operand in next(row for row in COLLECTIVE_ROWS if row.name == name).operands)
        values = {**dict.fromkeys(others), "ty": stored_as((core.args or (core,))[0].dtype), **dict(numbers)}
        buffers: dict[str, str] = {}
        first = {result: self._first(root)}
        read: dict[str, tuple[str, Expression]] = {}
        elsewhere: list[ArrayNode] = []
        for number, each in enumerate(operands):
            at = lies(core, number, self.kept)
            if id(at.node) in self.names:
                buffers[each], first[each] = self.names[id(at.node)], self._starts(at)
                elsewhere.append(at.node)
            else:
                read[each] = prologue(core, number, self.held)
                elsewhere += read[each][1].arrays.values()
                values[each] = True
        buffers |= {each: self.plan.temporary(self.plan.unused(each), of_plan(size)) for each, size in scratch}
        row, output = operation(name), self.names[id(root)]
        if result in row.updated:
            self._begun(root.dtype, root.shape, buffers.pop(result, None), output, first.pop(result))
        # Its elements as they lie are what it writes.
        after, place = (None, ()) if lying(root, ()) is core else self._placed(root, core)
        if after is not None:
            self._aligned(root, after, *elsewhere)
        self._operation(row, result, values, buffers | {result: output}, after, first, place, read)
        if row.epilogue is None and id(core) in self.mapped:
            self.tell(f"what is computed of it is a kernel behind it: {row.apart or _NO_EPILOGUE}")

    def _first(self, root: ArrayNode) -> Any:
        """At which element of its buffer an operation's result begins, as the operation counts."""
        return self._starts(Lying(root, self.first.get(id(root), 0)))

    def _starts(self, at: Lying) -> Any:
        """At which element of its buffer an operand begins, as operations count."""
        return of_tensor(at.first * (at.node.dtype.size_bytes // stored_as(at.node.dtype).alignment))

    def _begun(
        self, dtype: ElementType, shape: tuple[int, ...], start: str | None, result: str, first: Any = 0
    ) -> None:
        """Lets a buffer begin with what is in another one, or with zeros."""
        ty = stored_as(dtype)
        size = {"ty": ty, "count": prod(shape) * dtype.size_bytes // ty.size_bytes, "value": 0}
        given = {} if start is None else {"input": start}
        self._operation(
            operation("Copy" if given else "Fill"), "output", size, {**given, "output": result}, None, {"input": first}
        )

    def launch(self, node: ArrayNode, results: Sequence[str]) -> None:
        """A kernel of the user's. The lengths that it wants to know are those of the arrays."""
        made: KernelLaunch = node.attrs
        args: dict[str, Any] = {}
        shapes = {each.name: each.shape for each in made.results}
        for name, arg in zip(made.operands, node.args, strict=True):
            args[name] = self.numbers[id(arg)] if arg.op == "scalar" and not arg.shape else self.names[id(arg)]
            shapes[name] = arg.shape
        for each, buffer in zip(made.results, results, strict=True):
            start = None if each.start is None else args[each.name]
            self._begun(each.dtype, each.shape, start, buffer)
            args[each.name] = buffer
        lengths = {name: shapes[array][axis] for name, (array, axis) in made.kernel.hidden.items()}
        given = {name: of_plan(value) for name, value in (args | lengths).items()}
        self.plan.launch(made.kernel, tuple(map(of_plan, made.lanes)), made.block, given)

    def _kernel(self, root: ArrayNode) -> None:
        name, lanes, numbers, together = root.attrs
        first = root.args[0].dtype
        text = KERNELS[name].format(
            O=typed(root.dtype), T=typed(first), R=typed(real_of(first)), W=together,
            real=".real" if kind_of(first) == "c" else "", meet="barrier()" if together > 1 else "pass",
        )  # fmt: skip
        parameters = [
            each.partition(":")[0].strip() for each in text[text.index("(") + 1 : text.index("):")].split(",")
        ]
        nodes = [root, *(lies(root, number, self.kept).node for number in range(len(root.args)))]
        values = [*(self.names[id(node)] for node in nodes), *numbers]
        self._launch(text, (lanes,), (64,), dict(zip(parameters, values, strict=True)))

    def _operation(
        self,
        row: Any,
        result: str,
        values: dict[str, Any],
        buffers: dict[str, str],
        after: Expression | None,
        first: Mapping[str, Any],
        place: tuple[str, ...] = (),
        read: Mapping[str, tuple[str, Expression]] | None = None,
    ) -> None:
        """Adds an operation, with what is computed `after` it and of operands that it reads."""
        written: dict[str, Computed] = {}
        computed: dict[str, Computed] = {}
        if after is not None:
            text = _EPILOGUE.format(
                parameters=", ".join(["value", "i", *place, *after.arrays, *after.scalars]),
                lines="\n    ".join(after.lines) or "pass",
                text=after.text[0],
            )
            written[result] = self._computed(text, after, place)
        for name, (text, made) in (read or {}).items():
            computed[name] = self._computed(text, made)
        if written or computed:
            row = fuse(row, computed, written)
        for each in [*([after] if after is not None else ()), *(made for _, made in (read or {}).values())]:
            given = self._given(each)
            values = values | {name: given[name] for name in each.scalars}
            buffers = buffers | {name: given[name] for name in each.arrays}
        try:
            values = {name: of_tensor(value) for name, value in values.items()}
            add_operation(self.plan, row, values, buffers, first)
        except NotExpressible as error:
            raise UnknownSize(f"{row.name}: {error}") from None

    def _computed(self, text: str, made: Expression, place: tuple[str, ...] = ()) -> Computed:
        """The function of a text that computes an expression."""
        if text not in _functions:
            _functions[text] = defined(text)
        self.lowered.texts.append(text)
        scalars = {name: stored_as(ty) for name, (ty, _) in made.scalars.items()}
        arrays = {name: node.dtype for name, node in made.arrays.items()}
        return Computed(_functions[text], arrays, scalars, made.dtype, place)


_functions: dict[str, Any] = {}
