"""From groups of nodes to a plan: the text of each kernel, its program, its launch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ..frontends.python.translate import translate
from ..isa.collectives import COLLECTIVE_ROWS
from ..isa.elements import ElementType, stored_as
from ..isa.ops import IDENTITIES, reduce_type
from ..isa.program import Program
from ..plan.builder import PlanBuilder
from ..plan.symbols import NotExpressible
from ..plan.tensor_steps import add_operation, tell
from ..tensor.families import operation
from ..tensor.fuse import Computed, fuse
from ..tensor.operation import at_least, ceildiv
from .algorithms import KERNELS
from .expression import Expression, LoopOver, defined, typed
from .grouping import ANY_SHAPE, FusedKernel, groups, is_written, lying
from .node import ArrayNode
from .sizes import UnknownSize, is_known, of_plan, of_tensor
from .tracing import Parameter
from .types import kind_of, real_of
from .view import lies_whole

if TYPE_CHECKING:
    from .launched import KernelLaunch

__all__ = ["REDUCTIONS", "GraphPlan", "lower"]

REDUCTIONS = {"sum": "{0} + {1}", "prod": "{0} * {1}", "min": "min({0}, {1})", "max": "max({0}, {1})"}
_COMBINE = {"sum": "add", "prod": "mul", "min": "min", "max": "max"}
_BLOCK = 2048  # elements that a block of 32 lanes reduces: isa.md section 3
_LANES = 64  # of a block that reduces rows
_MOST_LINES = 64  # of a lane that reduces a row by itself
_MOST_PASSES = 3  # of which each has a 2,048th of the elements: no buffer has more
_UNTOLD = f"{_MOST_PASSES} passes, also of short rows: their length is not known"

_MAP = """def map({parameters}):
    {lines}
    out[{index}] = {text}
"""
# Four lanes for each row, or for each 2,048 elements of one, with eight of its 32 orbits each: packets load and add
# eight vectors a round, none of which waits for another. Places are cut where a row ends, so that its length is all
# that a proof needs.
_REDUCE = """def reduce({parameters}):
    partial = shared({wide}, ({rows}, {lanes}))
    row, lane, line = local_id(1), local_id(0), global_id(1)
    o = {outer}
    totals = registers({orbits}, {wide})
    for j in static_range({orbits}):
        totals[j] = {wide}({identity})
    first = {first}
    here = max({end} - first, 0) if line < lines else 0
    rounds = here // 32
{full}{rest}    for half in static_range({halves}):
        for j in static_range({orbits} >> half + 1):
            totals[j] = {within}
    partial[row, lane] = totals[0]
    barrier()
    for half in static_range({across}):
        if lane < {lanes} >> half + 1:
            partial[row, lane] = {between}
        barrier()
    if lane == 0 and line < lines:
        value = {result}(partial[row, 0])
        {after}
        out[{place}] = {text}
"""
_FULL = """    for round in range(rounds):
        place = max(min(first + round * 32, count - 32), 0) + lane
        for j in static_range({orbits}):
            k = place + j * {lanes}
            {lines}
            totals[j] = {combined}
"""
_REST = """    if rounds * 32 < here:
        for j in static_range({orbits}):
            k = max(min(first + rounds * 32 + j * {lanes} + lane, count - 1), 0)
            {lines}
            if rounds * 32 + j * {lanes} + lane < here:
                totals[j] = {combined}
"""
# A lane for each row of a few elements, in the order that the others have.
_SHORT = """def reduce({parameters}):
    line = global_id(0)
    o = line
    if line < lines:
        totals = registers({orbits}, {wide})
        for j in static_range({orbits}):
            totals[j] = {wide}({identity})
        for j in static_range({count}):
            k = j
            {lines}
            totals[j] = {combined}
        for half in static_range({halves}):
            for j in static_range({orbits} >> half + 1):
                totals[j] = {within}
        value = {result}(totals[0])
        {after}
        out[line] = {text}
"""
# A lane for each row, whose elements lie apart.
_COLUMNS = """def reduce_columns({parameters}):
    c, o = global_id(0), global_id(1)
    total = {wide}({identity})
    for k in range(count):
        {lines}
        total = {combined}
    value = {result}(total)
    i = o * width + c
    {after}
    out[i] = {text}
"""
# Four lanes for so many times four columns: a packet goes along whole cache lines. The last ones may have columns of
# their neighbours, so that no lane asks where a row ends: with that question sums took twice as long.
_SEVERAL_COLUMNS = """def reduce_columns({parameters}):
    own, o = global_id(1) * {most}, global_id(2)
    first = max(min(own, width - {most}), 0) + local_id(0)
    totals = registers({columns}, {wide})
    for j in static_range({columns}):
        totals[j] = {wide}({identity})
    rounds = count if {whole} else 0
    for k in range(rounds):
        for j in static_range({columns}):
            c = first + j * 4
            {lines}
            totals[j] = {combined}
{narrow}    for j in static_range({columns}):
        if first + j * 4 >= own and first + j * 4 < width:
            value = {result}(totals[j])
            i = o * width + first + j * 4
            {after}
            out[i] = {text}
"""
# Where it is not known that a row has as many.
_NARROW = """    if width < {most} and own == 0:
        for j in static_range({columns}):
            c = first + j * 4
            if c < width:
                for k in range(count):
                    {lines}
                    totals[j] = {combined}
"""
_EPILOGUE = """def epilogue({parameters}):
    {lines}
    return {text}
"""

_programs: dict[str, Program] = {}


class GraphPlan:
    """A plan for nodes: what its ports are, by the numbers of nodes in their order."""

    def __init__(self, plan: PlanBuilder, sources: list[str], scalars: list[str], results: list[str]) -> None:
        self.plan, self.sources, self.scalars, self.results = plan, sources, scalars, results
        self.texts: list[str] = []
        # Pairs of a result and what its kernel reads, of each element before it is written: one memory could be both.
        self.aligned: set[tuple[str, str]] = set()
        self.written: dict[str, bool] = {}  # whether a temporary's elements are all written before any is read


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
    found, held = groups(roots, first or {})
    found = _without_copies(found, held, roots, names, first or {})
    (writer := _Writer(plan, names, numbers, held, lowered)).first = first or {}
    parts: dict[int, dict[int, ArrayNode]] = {}
    for node in order:
        if node.op == "part":
            parts.setdefault(id(node.args[0]), {})[node.attrs] = node
    last = {id(node): number for number, each in enumerate(found) for node in (each.root, *_read(each, held))}
    kept = set(map(id, roots))
    idle: dict[int, list[str]] = {}

    def place(node: ArrayNode, number: int) -> str:
        """The buffer that a node's elements go to."""
        if id(node) not in names:
            size = prod(node.shape) * node.dtype.size_bytes
            free = idle.get(size)
            names[id(node)] = name = free.pop() if free else plan.temporary(plan.unused(f"t{number}"), of_plan(size))
            lowered.written.setdefault(name, is_written(node))
            writer.temporary.add(id(node))
        return names[id(node)]

    for number, group in enumerate(found):
        node = group.root
        for arg in group.core.args if group.core is not None and group.core.op in ANY_SHAPE else ():
            if id(under := lying(arg, kept)) in names:
                names.setdefault(id(arg), names[id(under)])
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
            place(node, number)
            writer.write(group)
        for each in {id(n): n for n in (node, *_read(group, held))}.values():
            if last[id(each)] == number and id(each) in writer.temporary:
                idle.setdefault(prod(each.shape) * each.dtype.size_bytes, []).append(names[id(each)])
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


def _shape(node: ArrayNode) -> tuple[Any, ...]:
    return tuple(map(of_plan, node.shape))


def _read(group: FusedKernel, held: set[int]) -> list[ArrayNode]:
    """The nodes in memory that a kernel reads."""
    found: dict[int, ArrayNode] = {}
    work, seen = list(group.root.args), set[int]()
    while work:
        node = work.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if id(node) in held:
            found[id(node)] = node
        else:
            work += node.args
    return list(found.values())


class _Writer:
    """Adds kernels of groups to a plan."""

    def __init__(
        self, plan: PlanBuilder, names: dict[int, str], numbers: dict[int, Any], held: set[int], lowered: GraphPlan
    ) -> None:
        self.plan, self.names, self.numbers, self.held, self.lowered = plan, names, numbers, held, lowered
        self.temporary: set[int] = set()
        self.between: list[ArrayNode] = []
        self.first: Mapping[int, Any] = {}

    def write(self, group: FusedKernel) -> None:
        core = group.core
        if core is None:
            self._map(group.root)
        elif core.op == "reduce":
            self._reduce(group.root, core)
        elif core.op == "product":
            self._product(group.root, core)
        elif core.op == "kernel":
            self._kernel(group.root)
        else:
            self._tensor(group.root, core)

    def _expression(
        self, root: ArrayNode, loops: Any, values: dict[int, str] | None = None, prefix: str = ""
    ) -> Expression:
        """That of a node that is written."""
        return Expression([root], loops, self.held - {id(root)}, values, prefix)

    def _launch(
        self, text: str, lanes: tuple[int, ...], block: tuple[int, ...], args: dict[str, Any], *made: Expression
    ) -> None:
        program = _programs.get(text)
        if program is None:
            program = _programs[text] = translate(defined(text).checking("buffer")).program
            program.metadata.name = text[4 : text.index("(")]
        if text not in self.lowered.texts:
            self.lowered.texts.append(text)
        given = dict(args)
        for each in made:
            given |= self._given(each)
        given = {name: of_plan(value) for name, value in given.items()}
        self.plan.launch(program, tuple(map(of_plan, lanes)), (*block, 1, 1)[:3], given)

    def _aligned(self, root: ArrayNode, made: Expression, *others: ArrayNode) -> None:
        """Notes what an expression that is written to `root` reads at its own place only, but for `others`."""
        elsewhere = set(map(id, others))
        pairs = {(self.names[id(root)], self.names[id(node)]) for node in made.alike if id(node) not in elsewhere}
        self.lowered.aligned |= pairs

    def _given(self, made: Expression) -> dict[str, Any]:
        """What an expression's parameters are: buffers, numbers, and scalars of the plan."""
        arrays = {name: self.names[id(node)] for name, node in made.arrays.items()}
        scalars = {
            name: self.numbers[id(value)] if isinstance(value, ArrayNode) else value
            for name, (_, value) in made.scalars.items()
        }
        return arrays | scalars

    def _map(self, root: ArrayNode) -> None:
        made = self._expression(root, root.shape)
        index = made.index(made.row_major)
        if id(root) in self.first:
            index = f"{index} + {made._number(self.first[id(root)])}"
        else:
            self._aligned(root, made)
        text = _MAP.format(
            parameters=", ".join([f"out: Array[{typed(root.dtype)}]", *made.parameters]),
            lines="\n    ".join(made.lines),
            index=index,
            text=made.text[0],
        )
        self._launch(text, tuple(made.grid), made.block, {"out": self.names[id(root)]}, made)

    def _reduce(self, root: ArrayNode, core: ArrayNode) -> None:
        """`root` is the reduction, or what is computed of each of its results."""
        kind, outer, along, inner = core.attrs
        (arg,) = core.args
        rows, count, width = prod(outer), prod(along), prod(inner)
        if width == 1:
            self._rows(root, core, kind, arg, (*outer, *inner), along, rows, count)
            return
        made = Expression([arg], [LoopOver("o", outer), LoopOver("k", along), LoopOver("c", inner)], self.held)
        after = self._after(root, core, LoopOver("i", root.shape))
        columns = _orbits(made, core.dtype)
        while columns > 1 and is_known(width) and width < 4 * columns:
            columns //= 2
        several, most = columns > 1, 4 * columns
        about = _about(kind, core.dtype, made.text[0], "totals[j]" if several else "total")
        body = {"most": most, "columns": columns, **about}
        text = (_SEVERAL_COLUMNS if several else _COLUMNS).format(
            parameters=self._parameters(root, made, after, "count: i32, width: i32"),
            lines=("\n            " if several else "\n        ").join(made.lines),
            whole="own < width" if is_known(width) else f"own < width and width >= {most}",
            narrow="" if is_known(width) else _NARROW.format(lines=("\n" + " " * 20).join(made.lines), **body),
            after=("\n            " if several else "\n    ").join(after.lines) or "pass",
            text=after.text[0],
            **body,
        )
        self._aligned(root, after, *made.arrays.values())
        args = {"out": self.names[id(root)], "count": count, "width": width}
        high = _LANES // 4
        grid = (4, ceildiv(width, most * high) * high, rows) if several else (width, rows)
        self._launch(text, grid, (4, high) if several else (_LANES,), args, made, after)

    def _rows(
        self,
        root: ArrayNode,
        core: ArrayNode,
        kind: str,
        arg: ArrayNode,
        outer: tuple[int, ...],
        along: tuple[int, ...],
        rows: int,
        count: int,
    ) -> None:
        blocks = at_least(ceildiv(count, _BLOCK), 1)
        made = Expression([arg], [LoopOver("o", outer), LoopOver("k", along)], self.held)
        passes = 1 if blocks == 1 else 2 if is_known(blocks) and blocks <= _BLOCK else _MOST_PASSES
        for round in range(1, passes + 1):
            final = round == passes
            after = self._after(root, core, LoopOver("line", outer))
            partial = reduce_type(stored_as(core.dtype))
            about = _about(kind, core.dtype, made.text[0], "totals[j]")
            known = is_known(count)
            short = final and known and count < 32 and count * len(made.lines) <= _MOST_LINES
            orbits = 1 << (count - 1).bit_length() if short else _orbits(made, core.dtype)
            lanes = 1 if short else 32 // orbits
            high = _LANES // lanes
            body = {"lines": "\n            ".join(made.lines), "lanes": lanes, "orbits": orbits, **about}
            text = (_SHORT if short else _REDUCE).format(
                parameters=self._parameters(root, made, after if final else None, "lines: i32, count: i32"),
                rows=high,
                # That of lanes beyond the last row, too: nothing they read is elsewhere.
                outer="max(min(line, lines - 1), 0)" if final else "global_id(2)",
                first="0" if final else f"line * {_BLOCK}",
                end="count" if final else f"min(count, first + {_BLOCK})",
                place="line" if final else "o * lines + line",
                # Short rows have no round, others perhaps no rest.
                full="" if known and count < 32 else _FULL.format(**body),
                rest="" if known and count % 32 == 0 else _REST.format(**body),
                count=count,
                after="\n        ".join(after.lines if final else ()) or "pass",
                halves=orbits.bit_length() - 1,
                across=lanes.bit_length() - 1,
                within=REDUCTIONS[kind].format("totals[j]", f"totals[j + ({orbits} >> half + 1)]"),
                between=REDUCTIONS[kind].format("partial[row, lane]", f"partial[row, lane + ({lanes} >> half + 1)]"),
                text=after.text[0] if final else "value",
                **(body if final else {**body, "result": about["wide"]}),
            )
            lines, out = rows if final else blocks, self.names[id(root)]
            if not final:
                out = self.plan.temporary(self.plan.unused("partial"), of_plan(rows * blocks * partial.size_bytes))
            args = {"out": out, "lines": lines, "count": count}
            grid = (lines,) if short else (lanes, ceildiv(lines, high) * high, *(() if final else (rows,)))
            self._launch(
                text, grid, (lanes * high,) if short else (lanes, high), args, made, *((after,) if final else ())
            )
            tell(self.plan, _UNTOLD if round == 1 and not known else "")
            if final:
                self._aligned(root, after, *made.arrays.values())
                return
            count, blocks = blocks, at_least(ceildiv(blocks, _BLOCK), 1)
            between = ArrayNode("source", (), partial, (rows, count))
            self.names[id(between)] = out
            self.between.append(between)  # so that nothing else gets its identity
            made = Expression([between], [LoopOver("o", (rows,)), LoopOver("k", (count,))], self.held)

    def _after(self, root: ArrayNode, core: ArrayNode, loop: LoopOver) -> Expression:
        return self._expression(root, [loop], {id(core): "value"}, "e")

    def _parameters(self, root: ArrayNode, made: Expression, after: Expression | None, more: str) -> str:
        """Those of a reduction; without what comes after it, it writes what is not rounded yet."""
        ty = root.dtype if after is not None else reduce_type(stored_as(made.dtype))
        own = [f"out: Array[{typed(ty)}]", *made.parameters, *(after.parameters if after is not None else ())]
        return ", ".join([*own, more])

    def _product(self, root: ArrayNode, core: ArrayNode) -> None:
        m, n, k, turned_a, turned_b, batch = core.attrs
        a, b = core.args
        ty = stored_as(core.dtype)
        one = 1.0 if ty.is_float else 1
        values = {
            "ty": ty, "m": m, "n": n, "k": k, "alpha": one, "beta": one * 0, "trans_a": turned_a, "trans_b": turned_b,
            "bias": None, "activation": None, "batch": batch,
            # An operand of one matrix is for all.
            "strides": (m * k if a.size != m * k else 0, k * n if b.size != k * n else 0, m * n) if batch != 1 else (),
        }  # fmt: skip
        buffers = {"a": self.names[id(a)], "b": self.names[id(b)], "c": self.names[id(root)]}
        after = None if root is core else self._after(root, core, LoopOver("i", root.shape))
        if after is not None:
            self._aligned(root, after, *(lying(each, ()) for each in (a, b)))
        self._operation(operation("BatchedGEMM"), "c", values, buffers, after)

    def _tensor(self, root: ArrayNode, core: ArrayNode) -> None:
        name, result, operands, numbers, scratch = core.attrs
        others = (operand.name for operand in next(row for row in COLLECTIVE_ROWS if row.name == name).operands)
        values = {**dict.fromkeys(others), "ty": stored_as((core.args or (core,))[0].dtype), **dict(numbers)}
        buffers = {each: self.names[id(arg)] for each, arg in zip(operands, core.args, strict=True)}
        buffers |= {each: self.plan.temporary(self.plan.unused(each), of_plan(size)) for each, size in scratch}
        row, output = operation(name), {"output": self.names[id(root)]}
        if result in row.updated:
            self._begun(root.dtype, root.shape, buffers.pop(result, None), output["output"])
        self._operation(row, result, values, buffers | {result: output["output"]}, None)

    def _begun(self, dtype: ElementType, shape: tuple[int, ...], start: str | None, result: str) -> None:
        """Lets a buffer begin with what is in another one, or with zeros."""
        ty = stored_as(dtype)
        size = {"ty": ty, "count": prod(shape) * dtype.size_bytes // ty.size_bytes, "value": 0}
        given = {} if start is None else {"input": start}
        self._operation(operation("Copy" if given else "Fill"), "output", size, {**given, "output": result}, None)

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
        values = [*(self.names[id(node)] for node in (root, *root.args)), *numbers]
        self._launch(text, (lanes,), (64,), dict(zip(parameters, values, strict=True)))

    def _operation(
        self,
        row: Any,
        result: str,
        values: dict[str, Any],
        buffers: dict[str, str],
        after: Expression | None,
    ) -> None:
        if after is not None:
            text = _EPILOGUE.format(
                parameters=", ".join(["value", "i", *after.arrays, *after.scalars]),
                lines="\n    ".join(after.lines) or "pass",
                text=after.text[0],
            )
            if text not in _functions:
                _functions[text] = defined(text)
            arrays = {name: node.dtype for name, node in after.arrays.items()}
            scalars = {name: stored_as(ty) for name, (ty, _) in after.scalars.items()}
            computed = Computed(_functions[text], arrays, scalars, after.dtype)
            row = fuse(row, written={result: computed})
            given = self._given(after)
            values = values | {name: given[name] for name in scalars}
            buffers = buffers | {name: given[name] for name in arrays}
            self.lowered.texts.append(text)
        try:
            values = {name: of_tensor(value) for name, value in values.items()}
            add_operation(self.plan, row, values, buffers)
        except NotExpressible as error:
            raise UnknownSize(f"{row.name}: {error}") from None


_functions: dict[str, Any] = {}


def _orbits(made: Expression, dtype: ElementType) -> int:
    """How many elements a lane reduces side by side. What they are made of is in the kernel for each of them, twice."""
    several = 8 if len(made.lines) <= 4 else 4 if len(made.lines) <= 12 else 1
    return several * 4 // reduce_type(stored_as(dtype)).size_bytes or 1


def _about(kind: str, dtype: ElementType, text: str, total: str = "total") -> dict[str, Any]:
    """What is said of a reduction."""
    ty = stored_as(dtype)
    wide = reduce_type(ty)
    return {
        "wide": str(wide),
        "result": str(ty),
        "identity": repr(IDENTITIES[_COMBINE[kind]](wide)),
        "combined": REDUCTIONS[kind].format(total, f"{wide}({text})"),
    }
