"""The analysis of lanes: what it says of programs, and that what lanes do is what it says."""

from __future__ import annotations

import numpy as np
import pytest

from hologram_web import stdlib
from hologram_web.compiler import lanes, shapes
from hologram_web.compiler.build import build
from hologram_web.compiler.ir import Node
from hologram_web.compiler.lanes import LaneAnalysis
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.shapes import ANY, SOME, UNIFORM, Shape
from hologram_web.isa import Program, Type
from hologram_web.isa.verify import analyze
from hologram_web_tools.lane_listing import COUNTED, annotated, counted

from .filetest import FOLDER, load
from .filetest_run import check, without_places
from .fuzz.devices import LIMITS, open_devices
from .fuzz.runner import run_seeds
from .fuzz.traced import SEEN, TracedBackend, difference

PATHS = [
    path for folder in ("lanes", "sync", "control", "passes") for path in sorted((FOLDER / folder).glob("*.atlas"))
]


def compiled(text: str, block: tuple[int, int, int] = (256, 1, 1)):
    return optimize(build(analyze(Program.from_text(text)), block))


# What lanes do


def _traced(path) -> None:
    test = load(path)
    cases = {case.ty: case for case in test.cases() if case.run is not None}  # one run line of each type
    for case in cases.values():
        check(without_places(case.launch("cpu")), TracedBackend(limits=LIMITS))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_lanes_of_filetests_do_what_is_said_of_them(path):
    _traced(path)


@pytest.mark.parametrize(("profile", "count"), [("exact", 40), ("faults", 30), ("gpu", 20), ("wide", 5)])
def test_lanes_of_random_programs_do_what_is_said_of_them(profile, count):
    SEEN.clear()
    assert run_seeds([(profile, seed) for seed in range(count)], open_devices(["traced"])) == ([], {})
    assert SEEN["programs"] > count / 2
    assert min(SEEN["uniform"], SEEN["affine"]) > 20 * count


def _always(value):
    return lambda *operands: value


def _wraps_never(node: Node, ranges, a: Shape) -> Shape:
    return Shape(a.steps)


def _difference(node: Node, ranges, a: Shape, b: Shape) -> Shape:
    return shapes._sum(node, ranges, a, b)


def _square(node: Node, ranges, a: Shape, b: Shape) -> Shape:
    return shapes.scaled(a, 2, 64) if a.axes else shapes.scaled(b, 2, 64)


_RULES, _LANES, _specials = shapes._RULES, LaneAnalysis, lanes._specials
# Mistakes that an analysis may have: what is wrong, the place, what is there instead.
BUGS = {
    "differences are sums": (_RULES, "sub", _difference),
    "squares are affine": (_RULES, "mul", _square),
    "shorter integers do not wrap": (_RULES, "cvt", _wraps_never),
    "selections by lanes are by all": (_RULES, "select", lambda node, ranges, p, a, b: shapes.either(a, b)),
    "one of two steps is the first": (shapes, "either", lambda a, b: a),
    "lanes never meet": (_LANES, "_parting", _always(([], []))),
    "loops are left together": (_LANES, "at", lambda self, node, block: self.of(node)),
    "rounds are never mixed": (_LANES, "_ragged", _always([])),
    "lanes along y are one": (lanes, "_specials", lambda sizes: _specials((sizes[0], 1, sizes[2]))),
    "what atomics give is uniform": (lanes, "VARYING", [UNIFORM] * 8),
}


@pytest.mark.parametrize("name", BUGS)
def test_mistakes_in_the_analysis_are_found(name, monkeypatch):
    where, what, wrong = BUGS[name]
    monkeypatch.setattr(TracedBackend, "_functions", {})
    (monkeypatch.setitem if isinstance(where, dict) else monkeypatch.setattr)(where, what, wrong)
    if where is shapes:  # lanes.py has it by its name, too
        monkeypatch.setattr(lanes, what, wrong)
    found = []
    for path in PATHS:
        try:
            _traced(path)
        except AssertionError as error:
            found.append(str(error))
            break
    assert found
    assert " is no " in found[0]


@pytest.mark.parametrize(
    ("shape", "values", "holds"),
    [
        (Shape((0, 0, 0)), [3, 3, 3, 3], True),
        (Shape((0, 0, 0)), [3, 3, 3, 4], False),
        (Shape((4, 0, 0)), [8, 12, 8, 12], True),
        (Shape((4, 0, 0)), [8, 12, 8, 16], False),
        (Shape((4, 0, 0), 4), [12, 0, 12, 0], True),
        (Shape((4, 0, 0), 5), [12, 0, 12, 0], False),
        (Shape((1, SOME, 0)), [0, 1, 7, 8], True),
        (Shape((1, SOME, 0)), [0, 1, 7, 9], False),
        (Shape((1, ANY, 0)), [0, 1, 7, 8], True),
        (Shape((ANY, 1, 0)), [0, 1, 7, 8], False),
        (Shape((ANY, ANY, 0)), [0, 1, 7, 5], True),
    ],
)
def test_shapes_are_compared_with_values(shape, values, holds):
    """Of the lanes of a block of 2 x 2."""
    at = np.array([[0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 0]])
    assert (difference(shape, np.array(values, np.uint64), at) is None) == holds


# What is said of programs

HEAD = ".param n: u32\n.param y: buffer u32\n.shared 256\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("add.u32 r2, r1, r253\n stg.u32 [y], r2", [True]),
        ("add.u32 r2, r1, r252\n stg.u32 [y], r2", [False]),
        ("ldg.u32 r2, [y]\n stg.u32 [y + 4], r2", [False]),
        ("atom.add.u32 r2, [y], r1\n stg.u32 [y], r2", [False]),
        # A value merged where lanes took different ways, and where all took the same.
        (
            "mov r3, r1\n set.lt.u32 p0, r252, r1\n bra on, p0\n mov_imm.u32 r3, 1\non:\n stg.u32 [y], r3",
            [False],
        ),
        ("mov r3, r1\n set.lt.u32 p0, r253, r1\n bra on, p0\n mov_imm.u32 r3, 1\non:\n stg.u32 [y], r3", [True]),
        # Lanes that exit leave those that stay together.
        (
            "mov r3, r1\n set.lt.u32 p0, r252, r1\n bra on, p0\n exit\non:\n bar_sync 0\n stg.u32 [y], r3",
            [True],
        ),
        # A loop that lanes leave in different rounds: its counter is the same inside only.
        ("mov_imm.u32 r3, 0\n mov_imm.u32 r4, 1\n mov r5, r252\nl:\n add.u32 r3, r3, r4\n loop r5, l\n"
         " stg.u32 [y], r3", [False]),
        ("mov_imm.u32 r3, 0\n mov_imm.u32 r4, 1\n mov r5, r1\nl:\n add.u32 r3, r3, r4\n loop r5, l\n"
         " stg.u32 [y], r3", [True]),
        ("mov_imm.u32 r3, 0\n mov_imm.u32 r4, 1\n mov r5, r252\nl:\n bar_sync 0\n add.u32 r3, r3, r4\n"
         " stg.u32 [y], r3\n loop r5, l\n stg.u32 [y + 4], r3", [True, False]),
        ("mov_imm.u32 r3, 0\n mov_imm.u32 r4, 1\n mov r5, r252\nl:\n bar_sync 0\n add.u32 r3, r3, r4\n"
         " loop r5, l\n add.u32 r3, r3, r4\n stg.u32 [y], r3", [False]),
    ],
)  # fmt: skip
def test_stored_values_are_uniform(code, expected):
    function = compiled(HEAD + code)
    found = LaneAnalysis(function)
    stores = [(node, block) for block in function.blocks for node in block.nodes if node.op == "store"]
    assert [found.is_uniform(node.args[1], block) for node, block in stores] == expected


def test_values_made_since_are_taken_up():
    function = compiled(HEAD + "add.u32 r2, r1, r252\n stg.u32 [y], r2")
    found = LaneAnalysis(function)
    varying = next(node for node in function.nodes() if node.op == "add")
    uniform = next(node for node in function.nodes() if node.op == "param")
    made = [Node("xor", Type.U32, (uniform, node)) for node in (uniform, varying)]
    for node in made:
        found.learn(node)
    assert [found.is_uniform(node) for node in made] == [True, False]


def test_a_kernel_as_text():
    """Which lanes come to a block, what values are like along the block's axes, and how far places are apart."""
    function = optimize(build(analyze(stdlib.kernel("matrix_gemv").program), (256, 1, 1)))
    text = annotated(function, LaneAnalysis(function))
    for line in (
        "lanes of b0",
        "lt {u32} %10, %3     ; any x",
        "; divergent along x",
        "cvt {u32} %19              ; n*x mod 2**32",
        "; any x, reaches strided (n bytes along x), 4 bytes a %16",
        "; uniform, reaches uniform, 4 bytes a %16",
        "; reaches contiguous (4 bytes along x)",
    ):
        assert line in text, text


def test_the_standard_library_is_classed():
    """Guards of the launch's edge are what lanes part at, and few accesses are gathers: a change is to be seen."""
    total = {name: 0 for name in COUNTED}
    for name in stdlib.NAMES:
        function = optimize(build(analyze(stdlib.kernel(name).program), (256, 1, 1)))
        for kind, count in counted(function, LaneAnalysis(function)).items():
            total[kind] += count
    assert {kind: count for kind, count in total.items() if count} == {
        "branch-uniform": 21,
        "branch-divergent": 52,
        "load-uniform": 3,
        "load-contiguous": 52,
        "load-strided": 8,
        "load-any": 4,
        "store-contiguous": 44,
        "store-strided": 2,
        "store-any": 2,
        "atomic-uniform": 1,
    }
