"""`generate(seed, profile)` makes a program that means one thing, whatever the device and the order of lanes.

The same seed gives the same program, always. A program is free of faults by construction: divisors are made non-zero,
indices are brought into range, loops count or burn fuel. It is free of races by construction: see `memory.py`. NaNs
made by arithmetic have no bits that the contract knows, so they are replaced before a BITCAST sees them.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from random import Random

from hologram_web.errors import FaultKind
from hologram_web.isa import Immediate, Register, Type
from hologram_web.isa.launch import BlockDim, GridDim, LaunchConfig
from hologram_web.isa.operands import PRELOADED

from . import atlas, collective, control, expressions, faults
from .case import Case, Memory
from .context import Context
from .emit import Code, Crowded, Scope, Value
from .memory import Memories
from .plan import PROFILES, Combination, Profile, slice_of
from .tame import CANONICAL

__all__ = ["generate"]

# Preloaded registers that a program may do without and use for other things: coordinates of blocks, sizes of the grid.
_SPARE = (253, 249, 248, 245, 244, 243)

# How many of the programs have a feature at all.
_FEATURES = {
    "barriers": 0.6,
    "shared memory": 0.6,
    "atomics": 0.6,
    "exits": 0.35,
    "class memory": 0.15,
}
# What top-level code holds, and in how many of the programs.
_CONSTRUCTS = {
    "branch": 0.5,
    "loop": 0.3,
    "while": 0.25,
    "jump into loop": 0.12,
    "tangle": 0.12,
    "exit": 0.6,
    "arm": 0.3,
    "call": 0.25,
    "two ways": 0.3,
    "exchange": 0.4,
    "shared atomics": 0.3,
    "barrier": 0.2,
}


def generate(seed: int, profile: Profile | str = "exact") -> Case:
    """The test case of a seed."""
    profile = PROFILES[profile] if isinstance(profile, str) else profile
    for attempt in count():
        with suppress(Crowded):
            return _generate(seed, profile, Random(f"{profile.name} {seed} {attempt}"))
    raise AssertionError


def _generate(seed: int, profile: Profile, rng: Random) -> Case:
    plan, collectives = slice_of(profile, seed)
    features = {name for name, share in _FEATURES.items() if rng.random() < share}
    if any(combination.row.name == "ATOM" for combination in plan):
        features.add("atomics")
    if collectives:
        features = features - {"exits", "class memory"} | {"collectives"}
    g = Context(rng, profile, _config(rng, profile), Code(rng), plan, features)
    g.memories = Memories(g)
    g.memories.declare(g)
    g.ground = atlas.Ground(g) if profile.atlas else None
    g.code.place("main")
    _globals(g)
    with g.code.open(uniform=True):
        _parameters(g)
        if profile.atlas:
            atlas.begin(g)
        fault = g.pick(list(faults.KINDS)) if profile.faults else None
        _main(g, collectives, fault)
        if profile.atlas:
            atlas.end(g)
        if g.functions or g.chance(0.5):
            g.code.emit("EXIT")
    return _case(g, seed, fault)


def _config(rng: Random, profile: Profile) -> LaunchConfig:
    """A shape of the launch: often awkward, often with lanes that are off from the start."""
    most = profile.block_lanes
    if profile.atlas and rng.random() < 0.4:  # many blocks, of which each has a class
        return LaunchConfig.linear(rng.randint(1, 120), rng.choice((1, 1, 3, 32)))
    roll = rng.random()
    if roll < 0.3:
        return LaunchConfig.linear(
            rng.choice((1, 2, 31, 33, 100, 255, 257)), min(most, rng.choice((16, 32, 64, 256, 257)))
        )
    if roll < 0.5:
        return LaunchConfig(GridDim(rng.randint(1, 3)), BlockDim(min(most, rng.choice((1, 7, 31, 32, 33, 64)))))
    if roll < 0.75:
        block = rng.choice(((8, 8), (5, 7), (16, 2), (3, 11), (1, 9)))
        return LaunchConfig.grid_2d(rng.randint(1, 17), rng.randint(1, 13), block)
    if roll < 0.85:
        return LaunchConfig.grid_3d(
            rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 4), rng.choice(((4, 2, 2), (3, 1, 5)))
        )
    return LaunchConfig(GridDim(), BlockDim(rng.choice((1, 2, 3, 5, 16))))


def _globals(g: Context) -> None:
    """Values that are the same all through, and visible in functions: where the lane is."""
    scope = Scope(uniform=True)
    g.code.scopes.append(scope)
    g.global_lane = Value(g.code.own_register(), Type.U32, top=g.lanes - 1, pending=False, kept=True)
    g.block_lane = g.global_lane
    scope.values.append(g.global_lane)
    if g.config.blocks > 1:
        g.block_lane = Value(g.code.own_register(), Type.U32, top=g.block_lanes - 1, pending=False, kept=True)
        scope.values.append(g.block_lane)
    overwritten = [number for number in _SPARE if g.chance(0.4)] if g.chance(0.4) else []
    if overwritten:
        g.used.add("preloaded registers overwritten")
    for number, (name, ty) in PRELOADED.items():
        if number in overwritten:
            g.code.give(Register(number))
            continue
        uniform = "DIM" in name or "BLOCK" in name
        scope.values.append(Value(Register(number), ty, uniform=uniform, pending=False, kept=True))
    collective.prologue(g)


def _parameters(g: Context) -> None:
    """Scalars are values from the start; some buffers are also held by other registers."""
    for number, param in enumerate(g.memories.params, 1):
        if param.kind == "scalar" and param.ty is not None:
            bits = g.memories.scalars[param.name].bits
            value = Value(Register(number), param.ty, uniform=True, nan=param.ty.is_nan(bits), host=True)
            value.kept = g.chance(0.7)  # else the register may hold other things later
            if g.profile.tame and param.ty.is_float:
                value.span = CANONICAL[param.ty]
            g.code.scope.values.append(value)
            if param.name == "few":
                value.top = bits
    for holder in g.memories.holders:
        if holder.registers and g.chance(0.3):
            moved = g.code.own_register()
            g.code.emit("MOV", moved, g.pick(holder.registers))
            holder.registers.append(moved)


def _main(g: Context, collectives: list[Combination], fault: FaultKind | None) -> None:
    """Statements of the plan with constructs between them."""
    constructs = [name for name, share in _CONSTRUCTS.items() if g.chance(share * g.profile.constructs)]
    g.rng.shuffle(constructs)
    regions = []
    while collectives:
        count = g.between(1, 4)
        regions.append(collectives[:count])
        collectives = collectives[count:]
    total = len(g.plan)
    turns, faulty = 0, g.between(0, 20) if fault else -1
    while (g.plan or constructs or regions) and turns < 200:
        turns += 1
        if turns == faulty + 1 and fault is not None:
            faults.plant(g, fault)
        done = 1 - len(g.plan) / total
        if regions and (not g.plan or g.chance(0.1 + done / 8)):
            g.code.clock += 1
            collective.region(g, regions.pop())
        elif constructs and (not g.plan or g.chance(0.25)):
            control.construct(g, constructs.pop())
        elif g.plan:
            control.statement(g)
    g.code.clock += 1
    expressions.settle(g)


def _case(g: Context, seed: int, fault: FaultKind | None) -> Case:
    memories = g.memories
    program = g.code.program(
        memories.params,
        len(memories.shared.data),
        len(memories.local.data),
        "main" if g.code.streams.keys() - {"main"} else None,
        sorted(g.code.streams.keys() - {"main"}) if g.chance(0.3) else [],
    )
    bound = memories.memories()
    arguments: dict[str, Memory | Immediate] = {}
    for param in memories.params:
        arguments[param.name] = memories.scalars[param.name] if param.kind == "scalar" else bound[param.name]
    features = tuple(sorted(g.used))
    classes = memories.classes()
    case = Case(program, g.config, arguments, classes, seed, g.profile.name, fault, features)
    if g.ground is not None:
        case.classes = g.ground.memories(g)
        case.phase, case.resonance = g.ground.phase, g.ground.resonance
    return case
