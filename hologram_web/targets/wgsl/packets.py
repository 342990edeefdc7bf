"""Packets: kernels of straight code, of which one invocation does several lanes of a block, one after the other.

An invocation costs as much as reading two numbers and writing their sum (on SwiftShader 1 Mi lanes that do nothing take
13 ms), a loop costs as much again, and a branch costs what stands on both of its ways. So the code of a packet's lanes
stands side by side, without branches: what a lane computes and reads is computed and read in any case (WebGPU keeps it
in its buffer), and only stores ask whether the lane is on, went their way and stays in its memory. A lane notes an
access that fails where nothing proves that none does, and the packet reports one fault at its end.

Neighbouring invocations do neighbouring lanes, so that their accesses are next to each other. Where a launch knows
that all lanes do the same, it does not matter which block they are of, and a workgroup does several: it costs as much
as some hundred lanes (1 Mi sums took 0.7 times as long in 512 workgroups as in 4,096, SwiftShader, 2026-11-23). Where
lanes access nothing but their own elements, of 32 bits, four of them share an access (`_Quads`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from ...compiler.accesses import Check, access_of, axes_of, checks_of
from ...compiler.bounds import Bounds
from ...compiler.conditions import open_conditions
from ...compiler.ir import Function, MemoryAccess, Node
from ...compiler.operations import ACCESSES, CHANGES, OPERATIONS
from ...compiler.out_of_ssa import Assign, Do, Piece
from ...compiler.passes.costs import total
from ...isa.address import ON_CHIP, Space
from ...isa.types import Type
from .body import Body
from .effects import Report, fault_number
from .language import pair
from .memory import as_kind
from .shader import Shader
from .wide import is_wide

__all__ = ["Closing", "Guard", "Packet", "closings_of", "packet_of", "packet_text"]

_WIDTHS = (8, 4, 2)  # lanes of an invocation
_WIDEST_OF_AXES = 4  # where blocks have several axes: stencils of 8 compiled twice as long and ran no faster
_LEAST = 32  # invocations of a workgroup: GPUs have as many in step
_MOST = 256  # invocations of a workgroup that does several blocks: every adapter has as many
_MOST_COST = 2_500  # of all lanes: what shader compilers take grows with it


@dataclass(frozen=True)
class Guard:
    """A predicate, and which truth of it lets a lane go on."""

    node: Node
    truth: bool


@dataclass(frozen=True)
class Packet:
    width: int
    statements: tuple[Assign | Do | Guard, ...]

    @property
    def effects(self) -> Iterator[Node]:
        return (statement.node for statement in self.statements if isinstance(statement, Do))

    @property
    def guards(self) -> Iterator[Guard]:
        return (statement for statement in self.statements if isinstance(statement, Guard))


def packet_of(function: Function, shader: Shader) -> Packet | None:
    """The packet of a function, if it is code in a row whose faults can be told at its end."""
    lanes = prod(function.block_shape)
    widest = _WIDTHS[0] if lanes == function.block_shape[0] else _WIDEST_OF_AXES
    width = next((w for w in _WIDTHS if w <= widest and lanes % w == 0 and lanes // w >= _LEAST), 0)
    cost = total(function.nodes())
    while width > 1 and width * cost > _MOST_COST:
        width //= 2
    row = _in_a_row(shader.lowered.resumes[0]) if shader.plain else None
    if width < 2 or row is None or not all(map(_fits, row)):
        return None
    packet = Packet(width, tuple(row))
    return packet if any(packet.effects) and all(map(_is_given, _lengths(packet, shader.proven))) else None


def _lengths(packet: Packet, proven: Container[Check]) -> list[Node]:
    """The lengths of axes that are checked."""
    return [
        length
        for node in packet.effects
        for number, (_, _, length) in enumerate(axes_of(node))
        if (node, number) not in proven
    ]


def _in_a_row(piece: Piece) -> list[Assign | Do | Guard] | None:
    """Statements of pieces one after the other; a branch on the way may only end the lane."""
    found: list[Assign | Do | Guard] = []
    seen: set[Piece] = set()
    while piece not in seen:
        seen.add(piece)
        for statement in piece.statements:
            if not isinstance(statement, Assign | Do):
                return None
            found.append(statement)
        match piece.kind, piece.ways:
            case "exit", _:
                return found
            case "jump", [way]:
                piece = way
            case "branch", [way, other] if piece.value is not None and _is_end(other):
                found.append(_guard(piece.value, True))
                piece = way
            case "branch", [other, way] if piece.value is not None and _is_end(other):
                found.append(_guard(piece.value, False))
                piece = way
            case _:
                return None
    return None


def _guard(node: Node, truth: bool) -> Guard:
    return _guard(node.args[0], not truth) if node.op == "pnot" else Guard(node, truth)


def _is_end(piece: Piece) -> bool:
    while piece.kind == "jump" and not piece.statements:
        piece = piece.ways[0]
    return piece.kind == "exit" and not piece.statements


def _fits(statement: Assign | Do | Guard) -> bool:
    if isinstance(statement, Guard):
        return True
    if isinstance(statement, Assign):
        return not is_wide(statement.variable.ty)
    access = access_of(statement.node)
    if statement.node.op not in ACCESSES or access is None:
        return False
    aligned = not (access.scale % access.element.alignment or access.offset % access.element.alignment)
    return aligned and access.base.space not in ON_CHIP and not access.element.is_wide


def _is_given(node: Node) -> bool:
    """Whether a value is made of what a launch gives."""
    pure = OPERATIONS[node.op].kind == "pure" or node.op in ("const", "param")
    return pure and all(map(_is_given, node.args))


class Closing(NamedTuple):
    """Conditions of launches whose lanes all do the same: the shader asks only where they end. A workgroup does so many
    `blocks`; `quads` if four lanes share an access."""

    conditions: list[Node]
    blocks: int
    quads: bool


def closings_of(shader: Shader, packet: Packet, bounds: Bounds) -> list[Closing]:
    """What it takes that all lanes that are on do the same, the best ways first. None if they never do, or if accesses
    are checked and a lane cannot be done twice."""
    proven = all(check in shader.proven for node in packet.effects for check in checks_of(node))
    if not proven and not _is_repeatable(shader, packet):
        return []
    wanted: list[Node] = []
    for guard in packet.guards:
        found = bounds.always(shader.legal.origin(guard.node), guard.truth)
        if found is None:
            return []
        wanted += found
    blocks = max(_MOST * packet.width // prod(shader.function.block_shape), 1)
    conditions = open_conditions(wanted)
    closings = [] if conditions is None else [Closing(conditions, blocks, False)]
    stores = any(node.op == "store" for node in packet.effects)  # else a quad would have nothing to give
    if closings and proven and stores and packet.width % 4 == 0 and _are_quads(shader, packet):  # four are on together
        on = bounds.op("add", bounds.special("LAST_ID_X"), bounds.const(1))
        fours = bounds.op("mul", bounds.op("shr", on, bounds.const(2)), bounds.const(4))
        conditions = open_conditions([*wanted, bounds.compare("le", on, fours)])
        closings = [*([] if conditions is None else [Closing(conditions, blocks, True)]), *closings]
    return closings


def _is_repeatable(shader: Shader, packet: Packet) -> bool:
    """Whether a lane may be done twice: it reads nothing that lanes write."""
    read, written = (
        {shader.binding(node.attr.base) for node in packet.effects if node.op == op} for op in ("load", "store")
    )
    return read.isdisjoint(written)


def _are_quads(shader: Shader, packet: Packet) -> bool:
    """Whether lanes access nothing but their own elements, of 32 bits.

    They read none that they have stored to: four lanes read before they store."""
    stored: set[str] = set()
    for node in packet.effects:
        access: MemoryAccess = node.attr
        memory = shader.binding(access.base)
        if node.op == "store":
            stored.add(memory)
        elif memory in stored:
            return False
        own = access.scale == 4 and access.element.bits == 32 and not access.offset % 16
        place = shader.legal.origin(node).args[0]
        if not own or access.base.space is Space.CLASS or not _is_place(place, prod(shader.function.block_shape)):
            return False
    return True


def _is_place(node: Node, lanes: int) -> bool:
    """Whether a value is the lane's place in a launch of one row of blocks."""
    while node.op in CHANGES and isinstance(node.ty, Type) and node.ty.is_integer and node.ty.bits >= 32:
        node = node.args[0]
    if node.op == "add":
        for block, lane in (node.args, node.args[::-1]):
            if block.op == "mul" and block.args[0].op == "special" and block.args[1].is_const:
                place = block.args[0].attr, block.args[1].attr, lane.op, lane.attr
                if place == ("BLOCK_IDX_X", lanes, "special", "LANE_IDX_X"):
                    return True
    return (node.op, node.attr) == ("special", "GLOBAL_LANE_ID")


# Lanes one by one


def packet_text(shader: Shader, packet: Packet, block: Iterable[str]) -> str:
    """`main`, which does the lanes of a packet; `block` says which block a workgroup is."""
    emit = (_Quads if shader.quads else _Closed if shader.blocks else _Lanes)(shader, packet)
    emit.write()
    telling = emit.telling()
    main = [
        f"@compute @workgroup_size({emit.step}, 1, 1)",
        "fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {",
        *(emit.start() or block),
        *(f"  let {name} = {text};" for text, (name, _) in emit.hoisted.items()),
        *(f"  {call}" for call in emit.calls()),
    ]
    report: list[str] = []
    if telling:
        known = emit.known_to_report
        main += ["  if (fault_site != 0u) {", f"    report({', '.join(known)}{emit.given});", "  }"]
        report = [f"fn report({', '.join(f'{name}: u32' for name in known)}{emit.taken}) {{", *telling, "}"]
    return "\n".join([*emit.work(), *report, *main, "}", ""])


class _Lanes:
    """Emits lanes of a block that access their elements one by one: what they do (`write`) and what tells of faults
    (`telling`) first, so that it is known then what is `hoisted`, and which coordinates of lanes are asked for.

    `is_on` says whether a lane is on, `unit` which one it is; what tells faults knows where units begin.
    """

    is_on, unit = "on", "lane"
    known_to_report: tuple[str, ...] = ("block",)

    def __init__(self, shader: Shader, packet: Packet) -> None:
        self.shader, self.packet = shader, packet
        self.hoisted: dict[str, tuple[str, str]] = {}  # what an invocation computes once
        self.code = self.body()
        self.reports: list[Report] = []  # of checks that are not proven
        self.known: dict[tuple[str, str], str] = {}  # what holds conditions that were looked at, of an index
        x, y, _ = shader.function.block_shape
        self.lanes = prod(shader.function.block_shape)
        self.step = self.lanes // packet.width  # invocations of a workgroup
        failing = [report for node in packet.effects for _, report in self.code.effects.unguarded(node)[2]]
        self.open = len(failing)
        self.short = all(report.is_short for report in failing)  # whether 32 bits say where it was
        place = "lane, 0u, 0u" if self.lanes == x else f"lane % {x}u, lane / {x}u % {y}u, lane / {x * y}u"
        # Coordinates of the lane, and what each is made of
        self.place: dict[str, tuple[str, tuple[str, ...]]] = {
            "global_id": (f"block * {self.lanes}u + lane", ()),
            "lane_id": (f"vec3u({place})", ()),
        }

    @property
    def taken(self) -> str:
        """What is hoisted, as parameters of a function."""
        return "".join(f", {name}: {kind}" for name, kind in self.hoisted.values())

    @property
    def given(self) -> str:
        """The same in a call."""
        return "".join(f", {name}" for name, _ in self.hoisted.values())

    def body(self) -> Body:
        return Body(self.shader, hoisted=self.hoisted)

    def start(self) -> list[str]:
        """Where the workgroup begins, if that is no block."""
        return []

    def calls(self) -> list[str]:
        """What an invocation does."""
        return [f"work(block, block_of, index + {start}u{self.given});" for start in range(0, self.lanes, self.step)]

    def on(self) -> str:
        """Whether the lane is on."""
        x, y, z = self.shader.function.block_shape
        if self.lanes != x:
            self.code.asked.add("lane_id")
            return f"all(block_id * vec3u({x}u, {y}u, {z}u) + lane_id < arguments.lanes.xyz)"
        # What is the same for all lanes is asked once.
        row = self.code.hoist("select(0u, arguments.lanes.x, all(block_of.yz < arguments.lanes.yz))", "row", "u32")
        return f"block_id.x * {x}u + lane < {row}"

    def write(self) -> None:
        """Writes what a lane does."""
        self.code.put(f"var on = {self.on()};")
        self.put_all()

    def put_all(self) -> None:
        for statement in self.packet.statements:
            self.put(statement)
        self.lines = [*self.places(), *self.code.writer.lines]

    def work(self) -> list[str]:
        """What does a lane."""
        head = f"fn work(block: u32, block_id: vec3u, lane: u32{self.taken}) {{"
        return [*self.noting(), head, *self.lines, "}"]

    def noting(self) -> list[str]:
        """Where the first fault is noted."""
        place = "u32" if self.short else "vec2u"
        return ["var<private> fault_site: u32;", f"var<private> fault_place: {place};"] * bool(self.reports)

    def places(self) -> list[str]:
        """Those coordinates of the lane that code asks for: not all shader compilers leave out the others."""
        asked, found = set(self.code.asked), list[str]()
        for name, (text, made_of) in reversed(self.place.items()):  # of those before it
            if name in asked:
                found.insert(0, f"  let {name} = {text};")
                asked.update(made_of)
        return found

    def is_behind(self, statement: Assign | Do | Guard, nodes: set[Node]) -> bool:
        """Whether a statement computes one of these."""
        return isinstance(statement, Assign) and self.shader.held[statement.variable] in nodes

    def put(self, statement: Assign | Do | Guard) -> None:
        code, values = self.code, self.code.values
        match statement:
            case Assign(variable, value):
                code.put(f"let {values.name(variable)} = {values.compute(value)};")
            case Guard(node, truth):
                self.go_on(values.value(node), truth)
            case Do(node, variable):
                if variable is not None:
                    code.put(f"var {self.shader.declared(variable)};")
                self._access(node, None if variable is None else values.name(variable))

    def go_on(self, condition: str, truth: bool) -> None:
        """A lane goes on if a condition is as it should be."""
        self.code.put(f"on = on & {condition if truth else f'!{condition}'};")

    def _access(self, node: Node, target: str | None) -> None:
        code = self.code
        index, place, failed = code.effects.unguarded(node)
        bad, new = [], []
        for condition, report in failed:
            name = self.known.get((index, condition))
            if name is None:
                self.reports.append(report)
                name = self.known[index, condition] = f"bad{len(self.reports)}"
                code.put(f"var {name} = {self.is_on};")
                new.append((name, condition, report, len(self.reports)))
            bad.append(name)
        code.writer.begin("{")
        code.put(f"let index = {index};")
        for name, condition, report, number in new:
            code.put(f"{name} = {name} & ({condition});")
            noted = name
            if self.open > 1:  # what fails behind it may come of it; of several lanes any may be told
                noted = f"first{number}"
                code.put(f"let {noted} = {name} & (fault_site == 0u);")
            code.put(f"fault_site = select(fault_site, {self.unit} * {self.open}u + {number}u, {noted});")
            code.put(f"fault_place = select(fault_place, {self.noted(report)}, {noted});")
        if node.op == "load":  # of a lane that fails, or is off: some word of the memory
            code.effects.access_at(node, place, target)
        else:
            going = [*[self.is_on] * (self.is_on != "true"), *(f"!{name}" for name in bad)]
            code.writer.begin(f"if ({' & '.join(going)}) {{" if going else "{")
            code.effects.access_at(node, place, None)
            code.writer.end()
        code.writer.end()

    def noted(self, report: Report) -> str:
        """The index of a fault."""
        values, signed = self.code.values, report.place.ty is Type.I32
        if not self.short:
            return pair(values, report.place)
        return f"bitcast<u32>({values.value(report.place)})" if signed else values.value(report.place)

    def told(self) -> str:
        """The lane whose fault was noted."""
        return f"block * {self.lanes}u + (fault_site - 1u) / {self.open}u"

    def telling(self) -> list[str]:
        """What tells of the fault that was noted last."""
        if not self.reports:
            return []

        def chosen(texts: Sequence[str]) -> str:
            found = texts[0]
            for number, text in enumerate(texts[1:], 1):
                if text != texts[0]:
                    found = f"select({found}, {text}, site == {number}u)"
            return found

        reports = self.reports
        self.code = self.body()
        for statement in self.packet.statements:
            if self.is_behind(statement, _behind(_lengths(self.packet, self.shader.proven))):
                self.put(statement)
        lengths = self.code.writer.lines
        what = chosen([f"vec3u({fault_number(r.kind)}u, {r.at}u, {r.base}u)" for r in reports])
        places = ["fault_place"] * len(reports)
        if self.short:
            high = "bitcast<u32>(bitcast<i32>(fault_place) >> 31u)"
            places = [f"vec2u(fault_place, {high if r.place.ty is Type.I32 else '0u'})" for r in reports]
        offset = chosen([self.code.effects.offset(r, place) for r, place in zip(reports, places, strict=True)])
        need, other = chosen([r.need for r in reports]), chosen([r.other for r in reports])
        told = self.code.values.call("fault", "what.x", "what.y", "what.z", offset, need, other)
        return [
            *lengths,
            f"  let site = (fault_site - 1u) % {self.open}u;",
            f"  global_id = {self.told()};",
            f"  let what = {what};",
            f"  {told};",
        ]


# Lanes of several blocks


class _Closed(_Lanes):
    """Emits lanes that all do the same, up to the last one: which block they are of does not matter.

    Where accesses are checked a fault is told at the end, so that nothing may return before; an invocation does its
    last lane again for each that it has not (`far` is how far that is from its first). To ask each store whether its
    lane is on costs more: of a gather with its checks 1.2 times this, 1.25 times with a function that returns
    (processor time of SwiftShader, 2026-11-23).
    """

    is_on, unit = "true", "turn"
    known_to_report = ("first", "far")
    does, share = "work", 1  # what is called, and how many lanes it does

    def __init__(self, shader: Shader, packet: Packet) -> None:
        super().__init__(shader, packet)
        self.step *= shader.blocks
        self.place = {
            "block": (f"global_id / {self.lanes}u", ()),
            "lane": (f"global_id % {self.lanes}u", ()),
            "block_id": ("vec3u(block, 0u, 0u)", ("block",)),
            "lane_id": ("vec3u(lane, 0u, 0u)", ("lane",)),
        }

    def body(self) -> Body:
        """The place of the lane is given, and need not be made of where it is in its block."""
        body = super().body()
        own, shader = body.values.own, self.shader
        lanes = prod(shader.function.block_shape)

        def expression(node: Node) -> str | None:
            is_place = node.op == "add" and node.ty is Type.U32 and _is_place(shader.legal.origin(node), lanes)
            return "global_id" if is_place else own(node)

        body.values.own = expression
        return body

    def start(self) -> list[str]:
        """The first unit of the invocation, and where they end: a launch may be dispatched in parts."""
        units = self.lanes // self.share
        end = f"min(arguments.misc.x * {self.lanes}u, arguments.lanes.x)"
        return [
            f"  let group_of = (group.x + group.y * 65535u) * {self.shader.blocks}u;",
            f"  let first = (arguments.spare.y + group_of) * {units}u + index;",
            f"  let end = {end}{f' / {self.share}u' if self.share > 1 else ''};",
        ]

    def calls(self) -> list[str]:
        if self.reports:
            turns = range(self.lanes * self.shader.blocks // self.step)
            return [
                "if (first >= end) { return; }",
                f"let far = (end - 1u - first) / {self.step}u * {self.step}u;",
                *(f"work(first + min({turn * self.step}u, far), {turn}u{self.given});" for turn in turns),
            ]
        found = []
        for start in range(0, self.lanes * self.shader.blocks // self.share, self.step):
            # An end costs less than a condition of each store.
            found.append(f"if (first + {start}u >= end) {{ return; }}")
            found.append(f"{self.does}(first + {start}u{self.given});")
        return found

    def write(self) -> None:
        self.put_all()

    def work(self) -> list[str]:
        turn = ", turn: u32" if self.reports else ""
        return [*self.noting(), f"fn work(global_id: u32{turn}{self.taken}) {{", *self.lines, "}"]

    def told(self) -> str:
        return f"first + min((fault_site - 1u) / {self.open}u * {self.step}u, far)"

    def go_on(self, condition: str, truth: bool) -> None:
        pass  # all do


class _Quads(_Closed):
    """Emits lanes by four: `quad` loads and stores, `work` computes what one of them stores."""

    does, share = "quad", 4

    def __init__(self, shader: Shader, packet: Packet) -> None:
        super().__init__(shader, packet)
        self.loads: list[tuple[str, str]] = []  # what is accessed, and the type of its words
        self.stores: list[tuple[str, str]] = []

    def write(self) -> None:
        code, values, loads, stores = self.code, self.code.values, self.loads, self.stores
        needed = _behind([node.args[1] for node in self.packet.effects if node.op == "store"])
        for statement in self.packet.statements:
            if self.is_behind(statement, needed):
                self.put(statement)
            if isinstance(statement, Do):
                node, variable = statement.node, statement.variable
                memory, access = self.shader.binding(node.attr.base), node.attr
                place = f"{memory}[quad{f' + {access.offset // 16}u' if access.offset else ''}]"
                held = self.shader.kinds.get(memory, "u32")
                if node.op == "store":
                    text = as_kind(held, values.value(node.args[1]), values.type_name(node.args[1]))
                    code.put(f"let store{len(stores)} = {text};")
                    stores.append((place, held))
                elif variable is not None:
                    text = as_kind(values.type_name(node), f"load{len(loads)}", held)
                    code.put(f"let {values.name(variable)} = {text};")
                    loads.append((place, held))
        self.lines = [*self.places(), *code.writer.lines]

    def work(self) -> list[str]:
        loads, stores = self.loads, self.stores
        taken = "".join(f", load{number}: {held}" for number, (_, held) in enumerate(loads))
        one = len(stores) == 1
        fields = ", ".join(f"store{number}: {held}" for number, (_, held) in enumerate(stores))
        result = ", ".join(f"store{number}" for number in range(len(stores)))
        quad = [f"  let load{number} = {place};" for number, (place, _) in enumerate(loads)]
        for lane, part in enumerate("xyzw"):
            given = "".join(f", load{number}.{part}" for number in range(len(loads)))
            quad.append(f"  let {part} = work(quad * 4u + {lane}u{given}{self.given});")
        for number, (place, held) in enumerate(stores):
            parts = ", ".join(part if one else f"{part}.store{number}" for part in "xyzw")
            quad.append(f"  {place} = vec4<{held}>({parts});")
        return [
            *[f"struct Stored {{ {fields} }}"] * (not one),
            f"fn work(global_id: u32{taken}{self.taken}) -> {stores[0][1] if one else 'Stored'} {{",
            *self.lines,
            f"  return {result if one else f'Stored({result})'};",
            "}",
            f"fn quad(quad: u32{self.taken}) {{",
            *quad,
            "}",
        ]


def _behind(nodes: Iterable[Node]) -> set[Node]:
    """What these are made of, and these; of loads not the place."""
    found: set[Node] = set()
    work = list(nodes)
    while work:
        node = work.pop()
        if node not in found:
            found.add(node)
            work += node.args if node.op != "load" else ()
    return found
