"""Conditions of bounds proofs: what they are made of, and which of them a launch is asked (compiler/bounds.py)."""

from __future__ import annotations

import random

import pytest

import hologram_web as hg
from hologram_web.compiler.bounds import Bounds
from hologram_web.compiler.build import build
from hologram_web.compiler.conditions import EXACT, open_conditions, shown, strictest
from hologram_web.compiler.ir import PRED, Node
from hologram_web.isa import Program, Type
from hologram_web.isa.verify import analyze
from hologram_web.plan.reader import read

from .nodes import holds


def _bounds() -> Bounds:
    return Bounds(build(analyze(Program.from_text("exit")), (1, 1, 1)), launch=True)


def _special(of: Bounds, name: str) -> Node:
    return of.node("special", Type.I64, attr=name)


@pytest.mark.parametrize("name", EXACT)
def test_whatever_conditions_are_made_of_is_computed(name: str) -> None:
    """Constants are folded to it, a launch computes it, and it has a text; nothing else can be made."""
    of = _bounds()
    leaf, other = (_special(of, name) for name in ("x", "y"))
    make = of.compare if name in ("lt", "le") else of.op
    for a in (-3, 0, 2, 7) if name != "div" else (0, 2, 7):  # only of such are there quotients
        for b in {"shr": (0, 2, 7), "div": (2, 7)}.get(name, (-3, 0, 2, 7)):
            one, two = of.const(a), of.const(b)
            if name == "cvt":
                node, constant = of.node("cvt", Type.I64, leaf, attr=Type.I64), one
            else:
                node, constant = make(name, leaf, other), make(name, one, two)
            exact = EXACT[name](*(a, b)[: len(node.args)])
            assert constant.is_const
            assert constant.attr == (exact if constant.ty is PRED else Type.I64.encode(exact))
            for condition in (node, constant):
                assert holds(condition, {leaf: a, other: b}.__getitem__) == bool(exact)
        assert shown(node)
    with pytest.raises(AssertionError, match="xor"):
        of.op("xor", leaf, other)


def test_a_constant_decides_before_a_launch_does() -> None:
    of = _bounds()
    open_ = of.compare("lt", _special(of, "STEPS"), of.const(1))
    always, never = (of.compare("le", of.const(a), of.const(2)) for a in (1, 3))
    assert open_conditions([always, open_]) == [open_]
    assert open_conditions([open_, never]) is None
    assert holds(always, dict[Node, int]().__getitem__)
    assert not holds(never, dict[Node, int]().__getitem__)


@pytest.mark.parametrize(
    ("conditions", "kept"),
    [
        (["x + 0 <= 9", "x + 0 < 9"], ["x + 0 < 9"]),
        (["x + 0 < 9", "x + 0 <= 9"], ["x + 0 < 9"]),
        (["x + 3 <= 9", "x + 2 < 9"], ["x + 3 <= 9"]),
        (["x + 2 < 9", "x + 4 <= 9"], ["x + 4 <= 9"]),
        (["x + 0 < 9", "x + 0 <= 8"], ["x + 0 < 9"]),  # they say the same
        (["x + 0 <= 9", "y + 0 <= 8"], ["x + 0 <= 9", "y + 0 <= 8"]),
    ],
)
def test_the_strictest_condition_is_kept(conditions: list[str], kept: list[str]) -> None:
    of = _bounds()
    made = {}
    for text in conditions:
        name, _, plus, sign, limit = text.split()
        value = of.op("add", _special(of, name), of.const(int(plus)))
        made[of.compare("lt" if sign == "<" else "le", value, of.const(int(limit)))] = text
    assert [made[condition] for condition in strictest(made)] == kept


def test_the_strictest_conditions_say_the_others() -> None:
    of = _bounds()
    leaves = [_special(of, name) for name in "xyz"]
    chance, dropped = random.Random(5), 0

    def value(depth: int) -> Node:
        if not depth:
            return chance.choice(leaves)
        op = chance.choice(("add", "min", "max", "mul", "sub"))
        return of.op("add", of.op(op, value(depth - 1), value(depth - 1)), of.const(chance.randrange(3)))

    for _ in range(300):
        shape, numbers = value(2), of.const
        made = [
            of.compare(
                op, of.op("min", of.op("add", shape, numbers(i)), leaves[0]), of.op("max", leaves[1], numbers(j))
            )
            for op in ("lt", "le")
            for i in range(3)
            for j in range(2)
        ]
        kept = strictest(made)
        dropped += len(made) - len(kept)
        for _ in range(20):
            known = {leaf: chance.randrange(6) for leaf in leaves}
            told = all(holds(condition, known.__getitem__) for condition in kept)
            assert told == all(holds(condition, known.__getitem__) for condition in made)
    assert dropped > 300 * 8


def test_ends_of_nested_loops_stay_short() -> None:
    """Of the least and the greatest of the same value, with numbers added, one is left."""
    of, chance = _bounds(), random.Random(7)
    leaves = [_special(of, name) for name in "xyz"]
    x, y, _ = leaves
    assert of.op("max", of.op("min", x, y), x) is x
    assert of.op("min", y, of.op("max", x, y)) is y
    assert of.op("min", of.op("add", x, of.const(63)), x) is x
    assert shown(of.op("max", of.op("add", x, of.const(-1)), of.op("add", x, of.const(3)))) == "x + 3"
    for _ in range(300):
        values = [(leaf, [k - 3 for k in range(7)]) for leaf in leaves]
        for _ in range(6):
            op = chance.choice(("min", "max", "add"))
            (a, known), (b, others) = chance.choice(values), chance.choice(values)
            if op == "add":
                b, others = of.const(number := chance.randrange(-3, 4)), [number] * 7
            values.append((of.op(op, a, b), list(map(EXACT[op], known, others))))
        for node, known in values:
            for k, number in enumerate(known):
                assert holds(of.compare("le", node, of.const(number)), dict.fromkeys(leaves, k - 3).__getitem__)
                assert not holds(of.compare("lt", node, of.const(number)), dict.fromkeys(leaves, k - 3).__getitem__)


TREE = """
import hologram_web as hg

def tree(x: hg.Array[hg.f32], z: hg.Array[hg.f32]):
    lane, half = hg.local_id(), 8
    part = hg.shared(hg.f32, 16)
    part[lane] = x[lane]
    hg.barrier()
    while half > 0:
        if lane < half:
            part[lane] = part[lane] + part[lane + half]
        hg.barrier()
        half = half >> 1
    z[0] = part[0]
"""
ATTENTION = """
.param q: buffer f32 read
.param k: buffer f32 read
.param v: buffer f32 read
.param y: buffer f32 write
    attention.f32 [y], [q], [k], [v], 1, 2, 64, 64, 64
"""


@pytest.mark.parametrize("what", ["tree", "attention"])
def test_what_a_launch_proves_of_a_tree_and_of_attention(what: str) -> None:
    """Steps of a tree over lanes, halved as a signed number; loops over keys in loops over tiles of keys."""
    if what == "tree":
        made = hg.compile(
            hg.kernel_from_source(TREE),
            grid=hg.LaunchConfig(hg.GridDim(1, 1, 1), hg.BlockDim(16, 1, 1)),
            shapes={"x": (16,), "z": (1,)},
        )
    else:
        made = hg.compile(
            hg.Program.from_text(ATTENTION), grid=hg.LaunchConfig(), shapes=dict.fromkeys("qkvy", (2, 64, 64))
        )
    for kernel in read(made.to_bytes()).kernels:
        if not isinstance(kernel.wgsl, str):
            for variant in kernel.wgsl:
                assert variant.fast
                conditions = [condition for fast in variant.fast for condition in fast.conditions]
                assert max(len(condition.code) for condition in conditions) < 128
                assert all(condition.value is None or condition.value >= 0 for condition in conditions)
