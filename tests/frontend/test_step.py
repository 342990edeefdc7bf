"""Stepping: which lines come, with which values, and that what comes out is what a launch gives."""

# mypy: ignore-errors

from __future__ import annotations

import subprocess
import sys
import threading
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, settings

import hologram_web as hg
from hologram_web import stdlib
from hologram_web_tools.cpu.stepping import SteppingDevice

from ..everywhere.stdlib_cases import arguments
from ..everywhere.stdlib_cases import lanes as lanes_of
from . import plain, stepped, stepped_helpers
from .test_programs import PHOTOS, _canny, transpose
from .test_random import LANES, _bare, _data, kernels

FILES = (stepped.__file__, stepped_helpers.__file__)
X = np.array([1, 2, 3, 10, 7, 20, 0, 5, 9, 1, 1, 1, 0], "i4")


def exhausted(kernel, config, *args, **named):
    """Runs a kernel step by step, and how many steps that took."""
    return sum(1 for _ in kernel.steps[config](*args, **named))


# The way of a lane, against Python running the function


def traced(fn, lanes, block, *args):
    """Function, line and variables of every line that Python runs, by global id."""
    here, runs = threading.local(), []

    def trace(frame, event, arg):
        if frame.f_code.co_filename not in FILES:
            return None
        if event == "call" and frame.f_code.co_name == fn.__name__:
            here.run = []
            runs.append(here.run)
        if event == "line":
            values = {name: np.array(value) for name, value in frame.f_locals.items()}
            here.run.append((frame.f_code.co_name, frame.f_lineno, values))
        return trace

    before = sys.gettrace()
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        plain.run(fn, (lanes,), (block,), *args, helpers=(stepped_helpers.collatz, stepped_helpers.twice))
    finally:
        sys.settrace(before)
        threading.settrace(None)
    return {int(run[-1][2]["i"]): run for run in runs}


@pytest.mark.parametrize(
    ("fn", "lanes", "block"),
    [(stepped.branches, 7, 4), (stepped.loops, 8, 4), (stepped.calls, 6, 3), (stepped.tiles, 8, 4)],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_lane_takes_the_lines_that_python_takes(fn, lanes, block):
    kernel = hg.kernel(fn)
    expected = np.zeros(13, "i4")
    ways = traced(fn, lanes, block, X, expected, 3)
    for lane, way in ways.items():
        y = np.zeros(13, "i4")
        steps = list(kernel.steps(lane=lane)[lanes, block](X, y, 3))
        assert [(step.function, step.line) for step in steps] == [(name, line) for name, line, _ in way]
        assert {step.file for step in steps} <= set(FILES)
        for step, (_, _, values) in zip(steps, way, strict=True):
            assert (step.block, step.lanes) == (lane // block, (lane % block,))
            for name, value in step.values.items():
                if np.ndim(value) == 0:  # arrays are of now, when all has ended
                    assert value == values[name], (step, name)
        assert (y == expected).all()


@pytest.mark.filterwarnings("ignore::hologram_web.WrapWarning")
@given(kernels())
@settings(max_examples=15)
def test_random_kernels(case):
    """Every lane takes the lines that Python takes, and its variables have Python's values."""
    ty, text = case
    names, runs = {}, []
    exec(compile(_bare(text), "<kernel>", "exec"), names)

    def trace(frame, event, arg):
        if frame.f_code.co_filename != "<kernel>":
            return None
        if event == "call":
            runs.append([])
        if event == "line":
            runs[-1].append((frame.f_lineno, dict(frame.f_locals)))
        return trace

    arrays, expected, found = (
        _data(),
        np.zeros(LANES, hg.Type.named(ty).numpy),
        np.zeros(LANES, hg.Type.named(ty).numpy),
    )
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        plain.run(names["k"], (LANES,), (4,), *arrays, expected)
    finally:
        sys.settrace(before)
    kernel = hg.kernel_from_source(text)
    ways = [[] for _ in range(LANES)]
    for step in kernel.steps[LANES, 4](*arrays, found):
        variables = step.values.keys() - kernel.params.keys()
        for at, lane in enumerate(step.lanes):
            ways[4 * step.block + lane].append((step.line, {name: step.values[name][at] for name in variables}))
    np.testing.assert_array_equal(found, expected)
    for run, way in zip(runs, ways, strict=True):
        assert [line for line, _ in run] == [line for line, _ in way], text
        for (_, wanted), (_, values) in zip(run, way, strict=True):
            for name, value in values.items():
                np.testing.assert_equal(np.asarray(value), np.asarray(wanted[name]), err_msg=f"{name}\n{text}")


def test_lanes_together():
    """A step has all lanes of the block that run the line, and ends are as in a launch."""
    kernel = hg.kernel(stepped.branches)
    y = np.zeros(13, "i4")
    found = [(step.block, step.source, step.lanes) for step in kernel.steps[7, 4](X, y, 3)]
    assert found[:6] == [
        (0, "i = hg.global_id()", (0, 1, 2, 3)),
        (0, "value = x[i]", (0, 1, 2, 3)),
        (0, "if value > a:", (0, 1, 2, 3)),
        (0, "value -= a", (3,)),
        (0, "if value > 2 * a:", (3,)),
        (0, "y[i] = -1", (3,)),
    ]
    assert (0, "elif value == a:", (0, 1, 2)) in found
    assert (0, "value = 100", (2,)) in found
    assert found[-1] == (1, "y[i] += value", (0, 2))
    only = [(step.block, step.source, step.lanes) for step in kernel.steps(block=1)[7, 4](X, y, 3)]
    assert only == [step for step in found if step[0] == 1]


def test_barriers_and_shared_memory():
    kernel, seen = hg.kernel(stepped.tiles), []
    for step in kernel.steps[4, 4](X, np.zeros(1, "i4"), 2):
        seen.append((step.source, len(step.lanes), step.values["tile"].tolist() if "tile" in step.values else None))
    assert ("hg.barrier()", 4, [2, 4, 6, 20]) in seen
    assert ("tile[j] += tile[j + half]", 1, [8, 24, 6, 20]) in seen
    assert seen[-1] == ("y[hg.block_id()] = tile[0]", 1, [32, 24, 6, 20])


def test_local_memory_is_shown_per_lane():
    kernel, x = hg.kernel(stepped.sorted_three), np.array([9, 4, 7, 1, 8], "i4")
    last = list(kernel.steps[3, 3](x, np.zeros(3, "i4")))[-1]
    assert last.source == "y[i] = mine[0]"
    assert last.values["mine"].tolist() == [[4, 9, 7], [4, 7, 1], [1, 7, 8]]
    last = list(kernel.steps(lane=1)[3, 3](x, np.zeros(3, "i4")))[-1]
    assert last.values["mine"].tolist() == [4, 7, 1]


def test_loops_over_constants_and_lines_without_code():
    kernel = hg.kernel(stepped.taps)
    x, y = np.arange(40, dtype="u1"), np.zeros(4, "u1")
    found = [(step.source, step.values.get("k"), step.values.get("tap")) for step in kernel.steps(lane=1)[4](x, y)]
    assert found[2:8] == [
        ("for k in range(len(TAPS)):", None, None),
        ("tap = TAPS[k]", 0, None),
        ("if tap == 4:", 0, 1),
        ("total += tap * hg.i32(x[twice(i) + k])", 0, 1),
        ("return n * 2", None, None),
        ("for k in range(len(TAPS)):", 0, 1),
    ]
    assert ("continue", 1, 4) in found
    assert found.count(("return n * 2", None, None)) == 3  # in the rounds 0, 2 and 4
    assert found[-3:] == [
        ("for tap, k in ((1, 2), (3, 4)):  # noqa: B007", 2, 1),
        ("for tap, k in ((1, 2), (3, 4)):  # noqa: B007", 4, 3),
        ("y[i] = total >> 4", None, 3),
    ]
    assert "pass" not in [source for source, *_ in found]


def test_statements_in_one_line_are_a_step():
    text = (
        "def k(x: hg.Array[hg.i32]):\n    i = hg.global_id(); j = i + 1\n    for n in range(2): j += n\n    x[i] = j\n"
    )
    steps = hg.kernel_from_source(text).steps[2](np.zeros(2, "i4"))
    assert [(step.line, step.source) for step in steps] == [
        (2, "i = hg.global_id(); j = i + 1"),
        *[(3, "for n in range(2): j += n")] * 3,
        (4, "x[i] = j"),
    ]


# Results


@pytest.mark.parametrize("name", stdlib.NAMES)
def test_the_standard_library_gives_the_same_bits(name):
    kernel, stepped_args, args = stdlib.kernel(name), arguments(name, 3), arguments(name, 3)
    kernel.on("cpu")[lanes_of(name, args)](**args)
    assert exhausted(kernel, lanes_of(name, args), **stepped_args) > 0
    for key, value in args.items():
        assert bytes(memoryview(np.asarray(value))) == bytes(memoryview(np.asarray(stepped_args[key]))), key


def test_the_examples_give_the_same_bits():
    class Stepping:
        def __init__(self, kernel):
            self.kernel = kernel

        def __getitem__(self, config):
            return lambda *args, **named: exhausted(self.kernel, config, *args, **named)

    photo = PHOTOS["photograph"][:17, :20]
    expected, found = _canny(lambda kernel: kernel.on("cpu"), photo), _canny(Stepping, photo)
    assert expected.keys() == found.keys()
    for name, plane in expected.items():
        np.testing.assert_array_equal(found[name], plane)


def test_several_axes():
    x, y = np.arange(15, dtype="f4").reshape(3, 5).T, np.zeros((3, 5), "f4")
    steps = []
    for step in transpose.steps[(16, 32), (16, 16)](x, y):
        steps.append((step.block, step.lanes[0], step.lanes[-1], len(step.lanes)))
        assert step.values["x"].shape == (5, 3)
        np.testing.assert_array_equal(step.values["x"], x)  # a copy of what is not contiguous
    assert steps[0] == ((0, 0), (0, 0), (15, 15), 256)
    assert steps[-1][0] == (0, 1)
    np.testing.assert_array_equal(y, x.T)
    lane = [step.lanes for step in transpose.steps(lane=(3, 17))[(16, 32), (16, 16)](x, y)]
    assert set(lane) == {((3, 1),)}
    assert {step.block for step in transpose.steps(block=(0, 1))[(16, 32), (16, 16)](x, y)} == {(0, 1)}

    @hg.kernel
    def cube(x: hg.Array[hg.i32, 3]):
        k, j, i = hg.global_id(2), hg.global_id(1), hg.global_id()
        x[k, j, i] += 100 * k + 10 * j + i

    x = np.zeros((2, 3, 4), "i4")
    last = list(cube.steps[(4, 3, 2), (2, 2, 2)](x))[-1]
    assert (last.block, last.lanes) == ((1, 1, 0), ((0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1)))
    assert x[1, 2, 3] == 123


def test_parts_of_values_are_shown():
    @hg.kernel
    def split(x: hg.Array[hg.f32]):
        v = hg.vec2(x[0], 2.0)
        t = v.y, hg.global_id()
        x[1] = v.x + t[1]

    *_, last = split.steps[1](np.array([5, 0], "f4"))
    shown = {name: value.item() for name, value in last.values.items() if name != "x"}
    assert shown == {"v.x": 5, "v.y": 2, "t[0]": 2, "t[1]": 0}


def test_the_whole_launch_and_atomics():
    @hg.kernel
    def whole(x: hg.Array[hg.i32], top: hg.Array[hg.i32], n: hg.i32):
        mine, half = x[hg.global_id()], n // 2
        x[hg.global_id()] = mine
        hg.parallel_reduce(x, top, "sum", 2 * half)
        i = hg.global_id()
        old = hg.atomic_add(top, 0, i)
        x[i] = old

    x, top = np.arange(6, dtype="i4"), np.zeros(1, "i4")
    seen = [(s.line, s.block, s.values["top"][0].item(), {*s.values}) for s in whole.steps[6, 4](x, top, 6)]
    first = seen[0][0]
    assert [(line - first, block, total) for line, block, total, _ in seen] == [
        *((line, block, 0) for block in (0, 1) for line in (0, 1, 2)),
        *((3, 0, 15), (4, 0, 15), (5, 0, 21), (3, 1, 21), (4, 1, 21), (5, 1, 30)),
    ]
    assert seen[2][3] == {"x", "top", "n", "half", "mine"}
    assert seen[6][3] == {"x", "top", "n", "half"}  # which the host can compute; lanes have no more
    assert (top[0], x.tolist()) == (30, [15, 15, 16, 18, 21, 25])


@pytest.mark.parametrize("ty", hg.Type, ids=str)
def test_every_type(ty):
    text = f"""
        def k(x: hg.Array[hg.{ty}], y: hg.Array[hg.{ty}]):
            i = hg.global_id()
            value = x[i]
            small = value < 3
            y[i] = value
    """
    numbers = [1, 2, 5]
    given = (np.array(numbers, "f4").view("u4") >> 16).astype("u2") if ty is hg.bf16 else numbers
    x = hg.Executor("cpu").array(given, ty).numpy()
    y = np.zeros_like(x)
    step = list(hg.kernel_from_source(dedent(text)).steps[3](x, y))[-1]
    assert step.values["value"].tolist() == step.values["x"].tolist() == numbers
    assert step.values["small"].tolist() == [True, True, False]
    assert y.tobytes() == x.tobytes()
    rows = [line.split() for line in str(step).splitlines()]
    assert [row[1] for row in rows[3:]] == [f"{ty}[3]", f"{ty}[3]", "i32", str(ty), "bool"]


# What a step says


def test_the_table():
    text = """
        def k(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.u8, 2]):
            i = hg.global_id()
            if i < len(x):
                small = i < 3
                last = i == 98
                for tap in (1, 2):
                    x[i] = a * x[i] + tap
    """
    kernel = hg.kernel_from_source(dedent(text), file="page.py")
    x, y = np.linspace(0, 1, 100, dtype="f4"), np.zeros((2, 3), "u1")
    steps = list(kernel.steps[128, 128](0.1, x.copy(), y))
    assert repr(steps[2]) == "<DebugStep page.py:5: small = i < 3>"
    step = next(step for step in kernel.steps[128, 128](0.1, x, y) if step.line == 8)
    assert str(step) == dedent("""\
        page.py:8: x[i] = a * x[i] + tap
        k, block 0, 100 lanes
          of lane            0 1 2 3 4 5 ... 99
          a        f32       0.1
          x        f32[100]  0.0 0.01010101 0.02020202 0.030303031 0.04040404 0.05050505 ... 1.0
          y        u8[2, 3]  0 0 0 0 0 0
          tap      int       1
          i        i32       0 1 2 3 4 5 ... 99
          small    bool      True in 3 lanes, False in 97 lanes
          last     bool      False in 99 lanes, True in 98""")
    one = next(step for step in kernel.steps(lane=98)[128, 128](0.1, x, y) if step.line == 8)
    assert str(one).splitlines()[1:3] == ["k, block 0, lane 98", "  a      f32       0.1"]
    assert str(one).splitlines()[-2:] == ["  small  bool      False", "  last   bool      True"]
    assert (one.values["i"], one.values["last"], one.values["tap"]) == (98, True, 1)


def test_numbers_are_numpys_and_arrays_cannot_be_written():
    kernel = hg.kernel(stepped.branches)
    step = list(kernel.steps(lane=3)[7, 4](X, np.zeros(13, "i4"), 3))[2]
    assert type(step.values["value"]) is type(step.values["a"]) is np.int32
    with pytest.raises(ValueError, match="read-only"):
        step.values["x"][0] = 1
    together = list(kernel.steps[7, 4](X, np.zeros(13, "i4"), 3))[2]
    assert together.values["value"].tolist() == [1, 2, 3, 10]
    together.values["value"][0] = 7  # a copy


# Ends


def shift(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    i = hg.global_id()
    y[i] = 1
    value = x[i + 1]
    y[i] = value


def forever(y: hg.Array[hg.i32]):
    while True:
        y[0] += 1


def test_a_fault_comes_after_the_steps_before_it():
    kernel, x, y = hg.kernel(shift), np.zeros(4, "i4"), np.zeros(4, "i4")
    with pytest.raises(hg.ExecutionError) as expected:
        kernel.on("cpu")[4](x, y)
    steps = kernel.steps[4](x, y)
    sources = [next(steps).source for _ in range(3)]
    assert sources[-1] == "value = x[i + 1]"
    with pytest.raises(hg.ExecutionError) as caught:
        next(steps)
    error = caught.value
    assert (str(error), error.__notes__) == (str(expected.value), expected.value.__notes__)
    assert (error.kind, error.lane) == ("OutOfBounds", 3)
    assert not y.any()
    assert next(steps, None) is None


def test_a_loop_that_does_not_end_can_be_left(monkeypatch):
    freed = []
    monkeypatch.setattr(SteppingDevice, "free_buffer", lambda self, handle: freed.append(handle))
    kernel, y = hg.kernel(forever), np.zeros(1, "i4")
    steps = kernel.steps[1](y)
    for _ in range(100):
        last = next(steps)
    assert last.values["y"][0] == 49
    steps.close()
    assert len(freed) == 1
    assert y[0] == 0
    kernel.steps[1](y)  # never asked for a step
    assert len(freed) == 2
    assert exhausted(kernel, 0, y) == 0
    assert len(freed) == 3


def test_programs_stay_what_they_are():
    kernel = hg.kernel(stepped.calls)
    before = kernel.program.to_bytes(), list(kernel.lines)
    exhausted(kernel, 2, X, np.zeros(2, "i4"), 3)
    assert (kernel.program.to_bytes(), list(kernel.lines)) == before
    assert kernel.program.to_bytes() == hg.kernel(stepped.calls).program.to_bytes()


def test_it_is_the_reference_whatever_the_device_is():
    kernel = hg.kernel(stepped.branches).on("wasm")
    y = np.zeros(13, "i4")
    assert exhausted(kernel, 7, X, y, 3)
    assert y.any()


def refusal(error, call):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_refusals():
    kernel, y = hg.kernel(stepped.branches), np.zeros(13, "i4")
    assert refusal(hg.LaunchError, lambda: kernel.steps[7, 4](X, y)) == (
        "parameter 'a' is missing: the kernel takes (x: Array[i32], y: Array[i32], a: i32)"
    )
    assert refusal(hg.LaunchError, lambda: kernel.steps[7, 4](X, y.astype("f4"), 3)) == (
        "y has dtype float32; i32 is expected: give y.astype('int32')"
    )
    assert refusal(hg.LaunchError, lambda: kernel.steps(block=0, lane=3)[7, 4](X, y, 3)) == (
        "steps are those of a block or of a lane, which is in one block: give one of the two"
    )
    for options, text in (
        ({"lane": 7}, "lane 7 does not run: the launch has 7 x 1 x 1 lanes"),
        ({"lane": (3, 1)}, "lane (3, 1) does not run: the launch has 7 x 1 x 1 lanes"),
        ({"block": 2}, "block 2 does not run: the launch has 2 x 1 x 1 blocks"),
        ({"block": -1}, "block -1 does not run: the launch has 2 x 1 x 1 blocks"),
        ({"block": "first"}, "block 'first' does not run: the launch has 2 x 1 x 1 blocks"),
    ):
        assert refusal(hg.LaunchError, lambda options=options: kernel.steps(**options)[7, 4](X, y, 3)) == text
        assert refusal(hg.LaunchError, lambda options=options: kernel.debug(**options)[7, 4](X, y, 3)) == text
    with pytest.raises(hg.LaunchError, match=r"write kernel\[n\]"):
        kernel.steps[7, 4, 2]


def test_what_a_kernel_uses_has_to_be_what_it_was(monkeypatch):
    kernel = hg.kernel(stepped.taps)
    monkeypatch.setattr(stepped, "TAPS", (1, 2, 3))
    x, y = np.zeros(12, "u1"), np.zeros(2, "u1")
    exhausted(kernel, 2, x, y)  # constants are those that were there when it was made
    kernel = hg.kernel(calling)
    monkeypatch.setattr(stepped_helpers, "FACTOR", 3)
    line = calling.__code__.co_firstlineno
    assert refusal(hg.TranslateError, lambda: kernel.steps[2](y)) == (
        f"{__file__}:{line}: a function or a constant that calling uses has changed since: make the kernel anew to "
        "step through it"
    )


def calling(y: hg.Array[hg.u8]):
    y[hg.global_id()] = stepped_helpers.FACTOR


def test_without_numpy():
    script = """
        import sys
        sys.modules["numpy"] = None
        import hologram_web as hg
        kernel = hg.kernel_from_source("def k(x: hg.Array[hg.i32]):\\n    x[0] = 1\\n")
        for run in (kernel.steps[1], kernel.debug[1]):
            try:
                run(bytearray(4))
            except hg.BackendUnavailable as error:
                print(error)
    """
    found = subprocess.run([sys.executable, "-c", dedent(script)], capture_output=True, text=True, check=True)
    text = "backend 'cpu' is not available: there is no module 'numpy' here: pip install numpy"
    assert found.stdout.splitlines() == [text, text]
