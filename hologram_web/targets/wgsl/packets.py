"""Packets: kernels of straight code, of which one invocation does several lanes of a block, one after the other.

An invocation costs as much as reading two numbers and writing their sum (on SwiftShader 1 Mi lanes that do nothing take
13 ms, and adding two arrays 22; with eight lanes an invocation 9), and a branch costs what stands on both of its ways.
So the code of a packet's lanes stands side by side, without branches, behind one test: that all of them are on, go
the same way, and access what they may. Where it fails they are run one by one, with all checks.

Neighbouring invocations do neighbouring lanes, so that their accesses are next to each other.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from ...compiler.accesses import Check, access_of, axes_of, checks_of
from ...compiler.bounds import Bounds, open_conditions
from ...compiler.ir import Function, Node
from ...compiler.legalise import Legal
from ...compiler.lower import Do, Let, Lowered, Piece, Variable
from ...compiler.operations import OPERATIONS
from ...compiler.passes.costs import total
from ...isa.address import ON_CHIP
from ...isa.types import Type
from .body import Body
from .shader import Shader
from .wide import is_wide

__all__ = ["Packet", "conditions_of", "packet_of", "packet_text"]

_WIDTHS = (8, 4, 2)  # lanes of an invocation
_LEAST = 32  # invocations of a workgroup: GPUs have as many in step
_MOST_COST = 2_500  # of all lanes: what shader compilers take grows with it


@dataclass(frozen=True)
class Packet:
    """`guards` are conditions under which a lane does anything, with their truth; `statements` what it does then."""

    width: int
    guards: tuple[tuple[Node, bool], ...]
    statements: tuple[Let | Do, ...]

    @property
    def effects(self) -> Iterator[Node]:
        return (statement.node for statement in self.statements if isinstance(statement, Do))


def packet_of(function: Function, lowered: Lowered) -> Packet | None:
    """The packet of a function, if it is code in a row, where nothing that is read says where memory is accessed."""
    lanes, *others = function.block_shape
    width = next((w for w in _WIDTHS if lanes % w == 0 and lanes // w >= _LEAST), 0)
    cost = total(function.nodes())
    while width > 1 and width * cost > _MOST_COST:
        width //= 2
    row = _in_a_row(lowered.resumes[0])
    if others != [1, 1] or width < 2 or row is None or not all(map(_fits, row[1])):
        return None
    guards, statements = row
    packet = Packet(width, tuple(guards), tuple(statements))
    effects = list(packet.effects)
    tested = [*(node for node, _ in packet.guards), *(arg for node in effects for arg in _places(node))]
    return None if not effects or any(_reads(node, {}) for node in tested) else packet


def _in_a_row(piece: Piece) -> tuple[list[tuple[Node, bool]], list[Let | Do]] | None:
    """Guards and statements of pieces one after the other; a branch on the way may only end the lane."""
    guards: list[tuple[Node, bool]] = []
    statements: list[Let | Do] = []
    seen: set[Piece] = set()
    while piece not in seen:
        seen.add(piece)
        for statement in piece.statements:
            if not isinstance(statement, Let | Do):
                return None
            statements.append(statement)
        match piece.kind, piece.ways:
            case "exit", _:
                return guards, statements
            case "jump", [way]:
                piece = way
            case "branch", [way, other] if piece.value is not None and _is_end(other):
                guards.append((piece.value, True))
                piece = way
            case "branch", [other, way] if piece.value is not None and _is_end(other):
                guards.append((piece.value, False))
                piece = way
            case _:
                return None
    return None


def _is_end(piece: Piece) -> bool:
    while piece.kind == "jump" and not piece.statements:
        piece = piece.ways[0]
    return piece.kind == "exit" and not piece.statements


def _fits(statement: Let | Do) -> bool:
    if isinstance(statement, Let):
        return not is_wide(statement.variable.ty)
    access = access_of(statement.node)
    if statement.node.op not in ("load", "store") or access is None:
        return False
    aligned = not (access.scale % access.element.alignment or access.offset % access.element.alignment)
    return aligned and access.base.space not in ON_CHIP and not access.element.is_wide


def _places(node: Node) -> list[Node]:
    """What an access computes where it reaches from."""
    return [node.args[0], *(arg for _, *pair in axes_of(node) for arg in pair)]


def _reads(node: Node, known: dict[Node, bool]) -> bool:
    """Whether a value depends on memory."""
    if node not in known:
        pure = OPERATIONS[node.op].kind in ("pure", "leaf")
        known[node] = not pure or any(_reads(arg, known) for arg in node.args)
    return known[node]


def conditions_of(
    packet: Packet, function: Function, legal: Legal, bounds: Bounds, proven: Container[Check]
) -> list[Node] | None:
    """Conditions under which all lanes of a launch are on and do what `statements` say, with nothing left to check.

    None if nothing shows that."""
    if not all(check in proven for node in packet.effects for check in checks_of(legal.origin(node))):
        return None
    wanted = []
    lanes = bounds.const(function.block_shape[0])
    for axis in "XYZ":
        blocks = bounds.special(f"GRID_DIM_{axis}")
        on = bounds.op("add", bounds.special(f"LAST_ID_{axis}"), bounds.const(1))
        wanted.append(bounds.compare("le", bounds.op("mul", blocks, lanes) if axis == "X" else blocks, on))
    for node, truth in packet.guards:
        found = bounds.always(legal.origin(node), truth)
        if found is None:
            return None
        wanted += found
    return open_conditions(wanted)


def packet_text(shader: Shader, packet: Packet, block: Iterable[str], tested: bool) -> str:
    """`main`: the lanes of a packet side by side, if a test says so; else one by one, by `run`."""
    lanes = shader.function.block_shape[0]
    step = lanes // packet.width
    code = Body(shader, in_packet=True, proven={check for node in packet.effects for check in checks_of(node)})
    test = _test(Body(shader, in_packet=True, hoisted=code.hoisted), packet) if tested else []
    work = _work(code, packet)
    hoisted = [(name, kind, text) for text, (name, kind) in code.hoisted.items()]
    taken = "".join(f", {name}: {kind}" for name, kind, _ in hoisted)
    given = "".join(f", {name}" for name, _, _ in hoisted)
    place = [
        "  let lane_id = vec3u(lane, 0u, 0u);",
        f"  let global_id = block * {lanes}u + lane;",
    ]
    functions = [f"fn work(block: u32, block_id: vec3u, lane: u32{taken}) {{", *place, *work, "}"]
    calls = [f"work(block, block_of, index + {start}u{given});" for start in range(0, lanes, step)]
    if tested:
        functions = [
            f"fn inside(block: u32, block_id: vec3u, lane: u32{taken}) -> bool {{",
            *place,
            *test,
            "}",
            *functions,
        ]
        asked = [call.replace("work", "inside")[:-1] for call in calls]
        if _ends_say_all(shader.legal, packet, lanes):
            asked = [asked[0], asked[-1]]
        calls = [
            f"let together = {' & '.join(asked)};",
            "if (together) {",
            *(f"  {call}" for call in calls),
            "}",
            f"for (var first = select(0u, {lanes}u, together); first < {lanes}u; first += {step}u) {{",
            "  lane = first + index;",
            "  lane_id = vec3u(lane, 0u, 0u);",
            "  block_id = block_of;",
            f"  global_id = block * {lanes}u + lane;",
            f"  if (all(block_of * vec3u({lanes}u, 1u, 1u) + lane_id < arguments.lanes.xyz)) {{",
            "    run();",
            "  }",
            "}",
        ]
    main = [
        f"@compute @workgroup_size({step}, 1, 1)",
        "fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {",
    ]
    lets = [f"  let {name} = {text};" for name, _, text in hoisted]
    return "\n".join([*functions, "", *main, *block, *lets, *(f"  {call}" for call in calls), "}", ""])


def _test(code: Body, packet: Packet) -> list[str]:
    """Whether a lane is on, does something, and accesses what it may."""
    accesses = list(packet.effects)
    needed = _needed(code, [*(node for node, _ in packet.guards), *(a for node in accesses for a in _places(node))])
    for statement in packet.statements:
        if isinstance(statement, Let) and statement.variable in needed:
            _put(code, statement)
    lanes = code.shader.function.block_shape[0]
    found = [f"all(block_id * vec3u({lanes}u, 1u, 1u) + lane_id < arguments.lanes.xyz)"]
    for node, truth in packet.guards:
        found.append(code.values.value(node) if truth else f"!{code.values.value(node)}")
    found += [f"!{text}" for node in accesses for text in code.effects.beyond(node)]
    code.put(f"return {' & '.join(dict.fromkeys(found))};")
    return code.writer.lines


def _work(code: Body, packet: Packet) -> list[str]:
    """What a lane does for which the test holds."""
    for statement in packet.statements:
        _put(code, statement)
    return code.writer.lines


def _put(code: Body, statement: Let | Do) -> None:
    values = code.values
    match statement:
        case Let(variable, value):
            code.put(f"let {values.name(variable)} = {values.compute(value)};")
        case Do(node, variable):
            if variable is not None:
                code.put(f"var {code.shader.declared(variable)};")
            code.effects.effect(node, None if variable is None else values.name(variable))


def _ends_say_all(legal: Legal, packet: Packet, lanes: int) -> bool:
    """Whether what the test says of the first lane and the last it says of those between."""
    known: dict[Node, bool] = {}
    effects = map(legal.origin, packet.effects)
    places = (_is_place(node.args[0], lanes, known) and not axes_of(node) for node in effects)
    guards = ((legal.origin(node), truth) for node, truth in packet.guards)
    return all(_is_convex(node, truth, lanes, known) for node, truth in guards) and all(places)


def _needed(code: Body, nodes: Iterable[Node]) -> set[Variable]:
    """The variables that these are made of."""
    found: set[Variable] = set()
    work, seen = list(nodes), set[Node]()
    while work:
        node = work.pop()
        if node not in seen:
            seen.add(node)
            work += node.args
            if node in code.shader.lowered.variables:
                found.add(code.shader.lowered.variables[node])
    return found


def _is_convex(node: Node, truth: bool, lanes: int, known: dict[Node, bool]) -> bool:
    """Whether a predicate holds of all lanes between two of which it holds."""
    if node.op == "pnot":
        return _is_convex(node.args[0], not truth, lanes, known)
    if node.op == ("pand" if truth else "por"):
        return all(_is_convex(arg, truth, lanes, known) for arg in node.args)
    ordered = node.op in ("lt", "le") and not node.attr.is_float
    return ordered and all(_is_place(arg, lanes, known) for arg in node.args)


def _is_place(node: Node, lanes: int, known: dict[Node, bool]) -> bool:
    """Whether a value is the lane's place in the launch, below 2**31, or the same for all lanes of a block."""
    while node.op in ("cvt", "bitcast") and isinstance(node.ty, Type) and node.ty.is_integer and node.ty.bits >= 32:
        node = node.args[0]
    if node.op == "add":
        for block, lane in (node.args, node.args[::-1]):
            if block.op == "mul" and block.args[0].op == "special" and block.args[1].is_const:
                place = block.args[0].attr, block.args[1].attr, lane.op, lane.attr
                if place == ("BLOCK_IDX_X", lanes, "special", "LANE_IDX_X"):
                    return True
    return (node.op, node.attr) == ("special", "GLOBAL_LANE_ID") or _is_uniform(node, known)


def _is_uniform(node: Node, known: dict[Node, bool]) -> bool:
    if node not in known:
        lane = node.op == "special" and (node.attr == "GLOBAL_LANE_ID" or node.attr.startswith("LANE_IDX"))
        known[node] = not lane and all(_is_uniform(arg, known) for arg in node.args)
    return known[node]
