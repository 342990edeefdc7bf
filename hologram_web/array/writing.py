"""Kernels of maps and reductions: their texts, their programs, their launches."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

from ..frontends.python.translate import translate
from ..isa.elements import ElementType, stored_as
from ..isa.ops import IDENTITIES, reduce_type
from ..isa.program import Program
from ..plan.builder import PlanBuilder
from ..plan.plan import ProgramCall
from ..plan.tensor_steps import tell
from ..tensor.operation import at_least, ceildiv
from ..tensor.programs import unchanging
from .expression import Expression, LoopOver, defined, typed
from .node import ArrayNode, copy_of
from .sizes import is_known, of_plan

__all__ = ["GraphPlan", "KernelWriter"]

_KINDS = {"sum": "{0} + {1}", "prod": "{0} * {1}", "min": "min({0}, {1})", "max": "max({0}, {1})"}
_COMBINE = {"sum": "add", "prod": "mul", "min": "min", "max": "max"}
_BLOCK = 2048  # elements that a block of 32 lanes reduces: isa.md section 3
_LANES = 64  # of a block that reduces rows
_MOST_LINES = 64  # of a lane that reduces a row by itself
_MOST_PASSES = 3  # of which each has a 2,048th of the elements: no buffer has more
_UNTOLD = f"{_MOST_PASSES} passes, also of short rows: their length is not known"

_MAP = """def map({parameters}):
    {lines}
    {stores}
"""
# Four lanes for each row, or for each 2,048 elements of one, with eight of its 32 orbits each: packets load and add
# eight vectors a round, none of which waits for another; 16 with two each, where elements are short. Places are cut
# where a row ends, so that its length is all that a proof needs.
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
        out[{place}{begins}] = {text}
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
        out[line{begins}] = {text}
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
    out[i{begins}] = {text}
"""
# Lanes side by side for so many times as many columns: a packet goes along whole cache lines. The last ones may have
# columns of their neighbours, so that no lane asks where a row ends: with that question sums took twice as long.
_SEVERAL_COLUMNS = """def reduce_columns({parameters}):
    own, o = global_id(1) * {most}, global_id(2)
    first = max(min(own, width - {most}), 0) + local_id(0)
    totals = registers({columns}, {wide})
    for j in static_range({columns}):
        totals[j] = {wide}({identity})
    rounds = count if {whole} else 0
    for k in range(rounds):
        for j in static_range({columns}):
            c = first + j * {lanes}
            {lines}
            totals[j] = {combined}
{narrow}    for j in static_range({columns}):
        if first + j * {lanes} >= own and first + j * {lanes} < width:
            value = {result}(totals[j])
            i = o * width + first + j * {lanes}
            {after}
            out[i{begins}] = {text}
"""
# Where it is not known that a row has as many.
_NARROW = """    if width < {most} and own == 0:
        for j in static_range({columns}):
            c = first + j * {lanes}
            if c < width:
                for k in range(count):
                    {lines}
                    totals[j] = {combined}
"""
_programs: dict[str, Program] = {}
_told: WeakKeyDictionary[PlanBuilder, dict[ProgramCall, str]] = WeakKeyDictionary()


class GraphPlan:
    """A plan for nodes: what its ports are, by the numbers of nodes in their order."""

    def __init__(self, plan: PlanBuilder, sources: list[str], scalars: list[str], results: list[str]) -> None:
        self.plan, self.sources, self.scalars, self.results = plan, sources, scalars, results
        self.texts: list[str] = []
        # Pairs of a result and what its kernel reads, of each element before it is written: one memory could be both.
        self.aligned: set[tuple[str, str]] = set()
        self.written: dict[str, bool] = {}  # whether a temporary's elements are all written before any is read
        self.told = _told.setdefault(plan, {})  # what explanations say of launches, and files do not


class KernelWriter:
    """Adds launches of kernels to a plan that compute nodes element by element, and reduce them."""

    def __init__(
        self, plan: PlanBuilder, names: dict[int, str], numbers: dict[int, Any], held: set[int], lowered: GraphPlan
    ) -> None:
        self.plan, self.names, self.numbers, self.held, self.lowered = plan, names, numbers, held, lowered
        self.temporary: set[int] = set()
        self.between: list[ArrayNode] = []
        self.first: dict[int, Any] = {}

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
            program = _programs[text] = unchanging(translate(defined(text).checking("buffer")).program)
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
        if id(root) in self.first:
            return
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

    def _map(self, *roots: ArrayNode) -> None:
        """Writes roots of one shape: all that a lane reads it reads before it writes."""
        made = Expression(roots, roots[0].shape, self.held - set(map(id, roots)))
        outs = {f"out{number or ''}": root for number, root in enumerate(roots)}
        stores = []
        for text, (name, root) in zip(made.text, outs.items(), strict=True):
            self._aligned(root, made)
            stores.append(f"{name}[{made.index(made.row_major) + self._begins(root, made)}] = {text}")
        own = [f"{name}: Array[{typed(root.dtype)}]" for name, root in outs.items()]
        text = _MAP.format(
            parameters=", ".join([*own, *made.parameters]),
            lines="\n    ".join(made.lines),
            stores="\n    ".join(stores),
        )
        written = {name: self.names[id(root)] for name, root in outs.items()}
        self._launch(text, tuple(made.grid), made.block, written, made)

    def copy(self, whole: ArrayNode, parts: Sequence[tuple[ArrayNode, Any]]) -> None:
        """Copies parts of a whole to the elements where each begins."""
        for part, start in parts:
            node = copy_of(part)
            self.names[id(node)], self.first[id(node)] = self.names[id(whole)], start
            self.between.append(node)
            self._map(node)

    def _begins(self, root: ArrayNode, made: Expression) -> str:
        """What is added to the number of an element that is written of a root."""
        return f" + {made._number(self.first[id(root)])}" if id(root) in self.first else ""

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
        sizes = [each.dtype.size_bytes for each in (root, *made.arrays.values())]
        lanes, most = 16 // min(max(sizes), 4), 4 * _orbits(made, core.dtype)
        while most > 4 and is_known(width) and width < most:
            most //= 2
        lanes = min(lanes, most)
        several, columns = most > 4, most // lanes
        about = _about(kind, core.dtype, made.text[0], "totals[j]" if several else "total")
        body = {"most": most, "columns": columns, "lanes": lanes, **about}
        begins = self._begins(root, after)
        text = (_SEVERAL_COLUMNS if several else _COLUMNS).format(
            begins=begins,
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
        high = _LANES // lanes
        grid = (lanes, ceildiv(width, most * high) * high, rows) if several else (width, rows)
        self._launch(text, grid, (lanes, high) if several else (_LANES,), args, made, after)

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
            orbits = 1 << (count - 1).bit_length() if short else min(_orbits(made, core.dtype), 32 // _abreast(made))
            lanes = 1 if short else 32 // orbits
            high = _LANES // lanes
            body = {"lines": "\n            ".join(made.lines), "lanes": lanes, "orbits": orbits, **about}
            text = (_SHORT if short else _REDUCE).format(
                begins=self._begins(root, after) if final else "",
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
                within=_KINDS[kind].format("totals[j]", f"totals[j + ({orbits} >> half + 1)]"),
                between=_KINDS[kind].format("partial[row, lane]", f"partial[row, lane + ({lanes} >> half + 1)]"),
                text=after.text[0] if final else "value",
                **(body if final else {**body, "result": about["wide"]}),
            )
            lines, out = rows if final else blocks, self.names[id(root)]
            if not final:
                out = self.plan.temporary(self.plan.unused("partial"), of_plan(rows * blocks * partial.size_bytes))
                self.lowered.written[out] = True
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


def _orbits(made: Expression, dtype: ElementType) -> int:
    """How many elements a lane reduces side by side. What they are made of is in the kernel for each of them, twice."""
    several = 8 if len(made.lines) <= 4 else 4 if len(made.lines) <= 12 else 1
    return several * 4 // reduce_type(stored_as(dtype)).size_bytes or 1


def _abreast(made: Expression) -> int:
    """Lanes that go side by side: 16 where all that is loaded is short, so that packets of them fill vectors."""
    return 16 if made.arrays and all(each.dtype.size_bytes <= 2 for each in made.arrays.values()) else 4


def _about(kind: str, dtype: ElementType, text: str, total: str = "total") -> dict[str, Any]:
    """What is said of a reduction."""
    ty = stored_as(dtype)
    wide = reduce_type(ty)
    return {
        "wide": str(wide),
        "result": str(ty),
        "identity": repr(IDENTITIES[_COMBINE[kind]](wide)),
        "combined": _KINDS[kind].format(total, f"{wide}({text})"),
    }
