"""Functions, called from several places, and lanes that leave early."""

from __future__ import annotations

from hologram_web.isa import Condition, Label, Predicate, Type

from . import control, expressions, sharing, values
from .context import Context, Function
from .emit import Value
from .tame import CANONICAL

__all__ = ["call", "early_exit", "one_arm_leaves", "two_ways_to_call"]


# Lanes that leave


def early_exit(g: Context) -> None:
    """Some lanes leave for good; what the others do later, barriers included, goes on without them."""
    if "exits" not in g.features:
        return
    test = _some_lanes(g)
    stay = g.code.label("stay")
    g.code.branch(stay, ~test)
    with g.code.open(uniform=False):
        if g.chance(0.6):
            control.block(g, g.between(1, 2))
            expressions.settle(g)
    g.code.emit("EXIT")
    g.code.place(stay)
    g.used.add("early exit")


def _some_lanes(g: Context) -> Predicate:
    """True in some lanes, most often not in all."""
    lane = g.pick([v for v in (g.global_lane, g.block_lane) if v is not None])
    most = g.block_lanes if lane is g.block_lane else g.lanes
    if g.chance(0.7):
        condition = g.pick((Condition.LTU, Condition.GT, Condition.EQ))
        few = g.rng.randrange(most // 3 + 1)
        bound = g.code.constant(Type.U32, most - 1 - few if condition is Condition.GT else few)
        found = expressions.flag_of(g, condition, Type.U32, lane, bound)
    else:
        found = expressions.flag(g)
    g.code.touch(found)
    return found.predicate


def one_arm_leaves(g: Context) -> None:
    """if: a barrier; else: leave. Only lanes that have left miss the barrier."""
    if "exits" not in g.features or not g.code.scope.uniform:
        return
    test = _some_lanes(g)
    out, after = g.code.label("leave"), g.code.label("after")
    g.code.branch(out, test)
    with g.code.open(uniform=True):
        if "shared memory" in g.features and g.chance(0.5):
            sharing.exchange(g, [g.pick(g.profile.types)])
        else:
            sharing.barrier(g)
        control.block(g, g.between(1, 3))
        expressions.settle(g)
    g.code.branch(after)
    g.code.place(out)
    g.code.emit("EXIT")
    g.code.place(after)
    g.used.update(("early exit", "barrier in an arm"))


# Functions


def call(g: Context) -> None:
    """Calls a function: a known one, or a new one."""
    scope, level = g.code.scope, g.code.level
    fitting = [
        f
        for f in g.functions
        if f.level > level and (scope.uniform or not f.uniform) and f.trips * g.code.trips <= 2 * control.MOST_TRIPS
    ]
    if fitting and (g.chance(0.6) or len(g.functions) > 3):
        _call(g, g.pick(fitting))
    elif level == 0 and g.code.room_for_function and len(g.functions) <= 3:
        if g.chance(0.4):
            _function(g, 2)
        _call(g, _function(g, g.between(1, 2)))


def _function(g: Context, level: int) -> Function:
    uniform = g.code.scope.uniform and "barriers" in g.features and g.chance(0.4)
    label = g.code.label("f")
    arguments = [_plain(g, g.pick(g.profile.types)) for _ in range(g.between(0, 3))]
    results = [_plain(g, g.pick(g.profile.types)) for _ in range(g.between(1, 2))]
    function = Function(label, level, arguments, results, uniform, 5)
    with g.code.function(label, level, uniform, 4) as scope:
        g.code.place(label)
        for argument in arguments:
            argument.pending = True
            scope.values.append(argument)
        control.block(g, g.between(2, 5))
        if uniform:
            sharing.barrier(g)
        if level == 1 and any(f.level == 2 for f in g.functions):
            call(g)
        if "exits" in g.features and g.chance(0.2):
            early_exit(g)
            g.used.add("exit in a function")
        for result in results:
            values.assign(g, result, values.value(g, result.ty))
        scope.values = [v for v in scope.values if v not in arguments]
        expressions.settle(g)
        g.code.emit("RET")
    g.functions.append(function)
    return function


def _plain(g: Context, ty: Type) -> Value:
    """A register to pass a value in: nothing is known of it."""
    register = g.code.own_register()
    span = CANONICAL.get(ty) if g.profile.tame else None
    return Value(register, ty, nan=ty.is_float and not g.profile.tame, span=span, kept=True)


def _call(g: Context, function: Function) -> None:
    for argument in function.arguments:
        values.assign(g, argument, values.value(g, argument.ty))
    g.code.emit("CALL", Label(function.label))
    for result in function.results:
        found = values.copy(g, result)
        found.pending = True
    g.used.add("call")
    if g.code.level:
        g.used.add("nested call")
    if function.uniform:
        g.used.add("barrier in a function")


def two_ways_to_call(g: Context) -> None:
    """if: f(); else: f(). All lanes come to the same barrier, in f, by different calls."""
    fitting = [f for f in g.functions if f.level > g.code.level and f.uniform]
    if not fitting or not g.code.scope.uniform or g.code.trips > 2:
        return
    function = g.pick(fitting)
    test = control.decide(g)
    other, after = g.code.label("else"), g.code.label("endif")
    for argument in function.arguments:
        values.assign(g, argument, values.value(g, argument.ty))
    g.code.branch(other, test.predicate)
    g.code.emit("CALL", Label(function.label))
    g.code.branch(after)
    g.code.place(other)
    g.code.emit("CALL", Label(function.label))
    g.code.place(after)
    for result in function.results:
        values.copy(g, result).pending = True
    g.used.update(("call", "one barrier by two calls"))
