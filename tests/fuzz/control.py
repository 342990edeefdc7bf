"""Control flow: branches, loops of every shape, functions, jumps into loops, lanes that leave early.

`block(g, n)` writes n statements; the rest of this module are statements that hold blocks. Every loop ends: it counts,
or burns fuel.
"""

from __future__ import annotations

from collections.abc import Callable

from hologram_web.isa import Condition, Label, Type
from hologram_web.isa.row import Effect

from . import atlas, expressions, functions, memory, sharing, values
from .context import Context
from .emit import Flag, Value
from .plan import Combination

__all__ = ["CONSTRUCTS", "block", "statement"]

MOST_TRIPS = 20


# Statements


def block(g: Context, count: int) -> None:
    """Some statements, inner blocks among them."""
    for _ in range(count):
        if len(g.code.scopes) < 5 and not g.code.crowded and g.chance(0.09 * g.profile.constructs):
            construct(g, g.pick(_NESTED))
        else:
            statement(g)


def construct(g: Context, name: str) -> None:
    """A statement that holds blocks, if it may stand here."""
    g.code.clock += 1
    if not g.code.crowded:
        CONSTRUCTS[name](g)


def statement(g: Context) -> None:
    """One instruction of the plan with all it needs."""
    g.code.clock += 1
    if g.code.short:
        expressions.settle(g)
    combination = g.next_combination()
    row, ty = combination.row, combination.types[0] if combination.types else Type.U32
    match row.name:
        case _ if row.effect is Effect.STATE:
            atlas.statement(g, combination)
        case "STG":
            memory.store(g, values.value(g, ty))
        case "LDS" | "STS":
            g.take("STS" if row.name == "LDS" else "LDS", ty=ty)
            if g.code.scope.uniform and g.chance(0.5) and "shared memory" in g.features:
                sharing.exchange(g, [ty])
            elif sharing.private(g, ty) is None:
                memory.store(g, values.value(g, ty))
        case "ATOM":
            if g.memories.cells is not None:
                sharing.atomic(g, combination)
        case "ReduceAdd" | "ReduceMin" | "ReduceMax" | "ReduceMul":
            _few_lanes(g, combination)
        case _:
            result = expressions.pure(g, combination)
            if isinstance(result, Value) and g.chance(0.25):  # as it is, before something hides it
                memory.store(g, result)
            if g.chance(0.05):
                sharing.fence(g)


def _few_lanes(g: Context, combination: Combination) -> None:
    """Reductions of the plan, in the first lanes only."""
    if g.lanes <= 3 and g.code.trips < 4:
        sharing.reduction(g, combination)
        return
    if g.code.crowded or g.code.trips > 4:
        g.plan.append(combination)  # once more, elsewhere
        return
    assert g.global_lane is not None
    after = g.code.label("few")
    limit = g.code.constant(Type.U32, g.between(1, 3))
    outside = expressions.flag_of(g, Condition.GEU, Type.U32, g.global_lane, limit)
    g.code.touch(outside)
    g.code.branch(after, outside.predicate)
    with g.code.open(uniform=False):
        sharing.reduction(g, combination)
        for _ in range(g.between(0, 2)):
            more = g.take("ReduceAdd", "ReduceMin", "ReduceMax", "ReduceMul")
            if more is not None:
                sharing.reduction(g, more)
        expressions.settle(g)
    g.code.place(after)


# Branches


def branch(g: Context) -> None:
    """if, or if and else; either arm may come first in the code."""
    _variables(g)
    test = decide(g)
    uniform = g.code.scope.uniform and test.uniform
    other, after = g.code.label("else"), g.code.label("endif")
    two = g.chance(0.5)
    guard = test.predicate if g.chance(0.5) else ~test.predicate
    g.code.branch(other if two else after, guard)
    _arm(g, uniform)
    if two:
        g.code.branch(after)
        g.code.place(other)
        _arm(g, uniform)
    g.code.place(after)
    g.used.add("branch" if uniform else "divergent branch")


def _arm(g: Context, uniform: bool) -> None:
    with g.code.open(uniform=uniform):
        block(g, g.between(1, 4))
        if uniform and "barriers" in g.features and g.chance(0.3):
            sharing.barrier(g)
        expressions.settle(g)


def decide(g: Context) -> Flag:
    found = expressions.flag(g, uniform=g.chance(0.3))
    g.code.touch(found)
    return found


def _variables(g: Context) -> None:
    """Lets there be something that inner blocks can assign."""
    for _ in range(g.between(1, 2)):
        ty = g.plan[0].types[0] if g.plan and g.plan[0].types and g.chance(0.7) else g.pick(g.profile.types)
        if not any(v.assignable for v in g.code.visible(ty)):
            values.variable(g, ty)


# Loops


def loop(g: Context) -> None:
    """LOOP with a constant count, a computed one, or one from a parameter."""
    _variables(g)
    counter, trips, uniform = _counter(g)
    body = g.code.label("loop")
    g.code.place(body)
    with g.code.open(uniform=g.code.scope.uniform and uniform, trips=trips):
        _show(g, counter, Type.U32, uniform, trips)
        block(g, g.between(2, 6))
        if not uniform and g.chance(0.15):  # less trips than it seemed
            least = g.code.constant(Type.U32, g.between(0, 2))
            g.code.emit("MIN", Type.U32, counter.register, counter.register, least.register)
        expressions.settle(g)
    g.code.emit("LOOP", counter.register, Label(body))
    g.used.add("loop")


def _counter(g: Context) -> tuple[Value, int, bool]:
    """The counter of a LOOP, how many trips it makes at most, and whether all lanes of a block make as many."""
    most = max(1, min(5, MOST_TRIPS // g.code.trips))
    register = g.code.held()
    uniform = True
    if g.chance(0.5) or most == 1:
        trips = g.between(1, most)
        g.code.emit("MOV_IMM", Type.U32, register, trips - 1)
    else:
        few = [v for v in g.code.visible(Type.U32) if v.uniform] if g.chance(0.3) else []
        source = g.pick(few) if few else values.value(g, Type.U32)
        count = values.reduced(g, source, most - 1)
        g.code.touch(count)
        uniform, trips = count.uniform, most
        g.code.emit("MOV", register, count.register)
        if not uniform:
            g.used.add("divergent loop")
    return Value(register, Type.U32, top=most, kept=True), trips, uniform


def _show(g: Context, counter: Value, ty: Type, uniform: bool, top: int) -> None:
    """Lets the body read its counter."""
    known = top if ty.is_integer else None
    span = (0, 4) if ty.is_float else None
    seen = Value(counter.register, ty, uniform=uniform, kept=True, pending=False, top=known, span=span)
    g.code.scope.values.append(seen)


def while_loop(g: Context) -> None:
    """A loop of BRA over a counter of any type: tested first or last, with break and continue."""
    _variables(g)
    ty = g.pick(g.profile.types)
    most = max(1, min(5, MOST_TRIPS // g.code.trips))
    trips = g.between(1, most) | 1
    uniform = g.code.scope.uniform
    counter, limit = Value(g.code.held(), ty, kept=True), Value(g.code.held(), ty, kept=True)
    up = g.chance(0.5)
    g.code.emit("MOV_IMM", ty, counter.register, 0 if up else trips)
    if ty.is_integer and g.chance(0.4):  # as many trips as the lane says
        count = values.reduced(g, values.value(g, ty), min(trips, int(ty.max_value)))
        g.code.touch(count)
        uniform = uniform and count.uniform
        if up:
            g.code.emit("MOV", limit.register, count.register)
        else:  # at least 1, for a loop that is tested last
            g.code.emit("OR", ty, counter.register, count.register, g.code.constant(ty, 1).register)
            g.code.emit("MOV_IMM", ty, limit.register, 0)
    else:
        g.code.emit("MOV_IMM", ty, limit.register, trips if up else 0)
    first = g.chance(0.5)
    breaks, continues = g.chance(0.3), g.chance(0.25)
    even = not (breaks or continues) or g.chance(0.3)  # whether they are the same for all lanes
    top, latch, end = g.code.label("while"), g.code.label("next"), g.code.label("done")
    g.code.place(top)
    with g.code.open(uniform=uniform and even, trips=max(trips, 1)):
        if first:
            g.code.branch(end, _reached(g, counter, limit, up).predicate)
        _show(g, counter, ty, uniform, trips)
        block(g, g.between(1, 4))
        for leaves, target in ((breaks, end), (continues, latch)):
            if leaves:
                test = expressions.flag(g, uniform=even)
                g.code.touch(test)
                g.code.branch(target, test.predicate)
                with g.code.open(uniform=uniform and even):
                    block(g, g.between(1, 3))
                    expressions.settle(g)
        expressions.settle(g)
        g.code.place(latch)
        g.code.clock += 1
        one = g.code.constant(ty, 1)
        g.code.emit("ADD" if up else "SUB", ty, counter.register, counter.register, one.register)
        if first:
            g.code.branch(top)
        else:
            g.code.branch(top, ~_reached(g, counter, limit, up).predicate)
    g.code.place(end)
    g.used.update({"loop", "while loop"} | ({"break"} if breaks else set()) | ({"continue"} if continues else set()))


def _reached(g: Context, counter: Value, limit: Value, up: bool) -> Flag:
    """Whether the loop is over."""
    conditions = [Condition.GE if up else Condition.LE]
    if counter.ty.is_integer:
        conditions.append(Condition.GEU if up else Condition.LEU)
    found = expressions.flag_of(g, g.pick(conditions), counter.ty, counter, limit)
    g.code.touch(found)
    return found


def jump_into_loop(g: Context) -> None:
    """A loop that some lanes enter in the middle: no structured program can say that."""
    _variables(g)
    counter, trips, _ = _counter(g)
    head, middle = g.code.label("head"), g.code.label("middle")
    test = decide(g)
    g.code.branch(middle, test.predicate if g.chance(0.5) else ~test.predicate)
    for start in (head, middle):
        g.code.place(start)
        with g.code.open(uniform=False, trips=trips):
            block(g, g.between(1, 3))
            expressions.settle(g)
    g.code.emit("LOOP", counter.register, Label(head))
    g.used.update(("loop", "irreducible"))


def tangle(g: Context) -> None:
    """A few blocks that jump to each other in any way, for as long as the fuel lasts."""
    _variables(g)
    ty = g.integer_type(8)
    fuel = g.code.held()
    trips = max(2, min(6, MOST_TRIPS // g.code.trips))
    g.code.emit("MOV_IMM", ty, fuel, g.between(2, trips))
    names = [g.code.label("tangle") for _ in range(g.between(2, 4))]
    end = g.code.label("out")
    g.code.branch(g.pick(names), decide(g).predicate)
    for name in names:
        g.code.place(name)
        with g.code.open(uniform=False, trips=trips):
            block(g, g.between(1, 3))
            expressions.settle(g)
            g.code.clock += 1
            way = decide(g)
            one = g.code.constant(ty, 1)
            zero = g.code.constant(ty, 0)
            g.code.emit("SUB", ty, fuel, fuel, one.register)
            empty = expressions.flag_of(g, Condition.EQ, ty, Value(fuel, ty), zero)
            g.code.branch(end, empty.predicate)
            g.code.branch(g.pick(names), way.predicate if g.chance(0.5) else ~way.predicate)
            if g.chance(0.5) and name != names[-1]:
                g.code.branch(g.pick(names))
            g.code.touch(empty)
    g.code.branch(g.pick(names))
    g.code.place(end)
    g.used.update(("loop", "irreducible", "tangle"))


# The table


def _exchange(g: Context) -> None:
    if g.code.scope.uniform and "shared memory" in g.features:
        sharing.exchange(g, [g.pick(g.profile.types) for _ in range(g.between(1, 2))])


def _shared_atomics(g: Context) -> None:
    if g.code.scope.uniform and "atomics" in g.features and "shared memory" in g.features:
        sharing.shared_atomics(g)


def _barrier(g: Context) -> None:
    if g.code.scope.uniform and "barriers" in g.features:
        sharing.barrier(g)


CONSTRUCTS: dict[str, Callable[[Context], None]] = {
    "branch": branch,
    "loop": loop,
    "while": while_loop,
    "jump into loop": jump_into_loop,
    "tangle": tangle,
    "exit": lambda g: functions.early_exit(g),
    "arm": lambda g: functions.one_arm_leaves(g),
    "call": lambda g: functions.call(g),
    "two ways": lambda g: functions.two_ways_to_call(g),
    "exchange": _exchange,
    "shared atomics": _shared_atomics,
    "barrier": _barrier,
}
_NESTED = (
    *("branch",) * 4,
    *("loop", "while") * 2,
    "jump into loop",
    "tangle",
    "exit",
    "arm",
    "call",
    "call",
    "exchange",
    "exchange",
    "shared atomics",
    "barrier",
)
