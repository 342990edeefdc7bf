"""Debuggers at the lines of kernels: real pdb in a process of its own, and what debuggers are made of."""

# mypy: ignore-errors

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import hologram_web as hg

from . import stepped, stepped_helpers

ROOT = Path(__file__).resolve().parents[2]
KERNEL = '''\
import sys

import numpy as np
from helpers import halved

import hologram_web as hg

any = breakpoint = None  # names of the module's own


@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    """a * x + y, for some."""
    i = hg.global_id()
    for k in range(2):
        part = halved(k + i)
        y[i] = a * x[i] + y[i]


x, y = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
if "stop" in sys.argv:
    saxpy.debug(lane=3, stop=lambda step: step.line == 17)[4](2.0, x, y)
else:
    saxpy.debug[4](2.0, x, y)
print("end", y)
'''
HELPERS = """\
import hologram_web as hg


@hg.function
def halved(n):
    half = n // 2
    return half
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNEL)
    (tmp_path / "helpers.py").write_text(HELPERS)
    return tmp_path


def pdb(folder, commands, *command):
    """What pdb prints, by the command before it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        input="\n".join([*commands, "q"]) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    parts = [part.strip().replace(f"{folder}{os.sep}", "") for part in run.stdout.split("(Pdb) ")]
    assert len(parts) > len(commands), run.stdout + run.stderr
    return parts[0], dict(zip([f"{number} {text}" for number, text in enumerate(commands)], parts[1:], strict=False))


def test_pdb_stops_at_a_breakpoint(folder):
    commands = ["b kernels.py:17", "c", "p i", "p k", "p x", "n", "n", "b helpers.py:7", "c", "w", "p half", "up"]
    commands += ["p part is k", "cl 1", "cl 2", "c"]
    _, said = pdb(folder, commands, "-m", "pdb", "kernels.py")
    assert said["0 b kernels.py:17"] == "Breakpoint 1 at kernels.py:17"
    assert said["1 c"] == "> kernels.py(17)saxpy()\n-> y[i] = a * x[i] + y[i]"
    assert said["2 p i"] == "array([0, 1, 2, 3], dtype=int32)"
    assert said["3 p k"] == "array([0, 0, 0, 0], dtype=int32)"
    assert said["4 p x"] == "array([0., 1., 2., 3.], dtype=float32)"
    assert said["5 n"] == "> kernels.py(15)saxpy()\n-> for k in range(2):"
    assert said["6 n"] == "> kernels.py(16)saxpy()\n-> part = halved(k + i)"
    assert said["8 c"] == "> helpers.py(7)halved()\n-> return half"
    assert said["9 w"].endswith(
        "  kernels.py(16)saxpy()\n-> part = halved(k + i)\n> helpers.py(7)halved()\n-> return half"
    )
    assert said["10 p half"] == "array([0, 1, 1, 2], dtype=int32)"
    assert said["11 up"] == "> kernels.py(16)saxpy()\n-> part = halved(k + i)"
    assert said["15 c"].startswith("end [ 1.  5.  9. 13.]")


def test_step_goes_into_functions_and_nowhere_else(folder):
    _, said = pdb(folder, ["b kernels.py:16", "c", *["s"] * 6], "-m", "pdb", "kernels.py")
    assert list(said.values())[2:] == [
        "--Call--\n> helpers.py(5)halved()\n-> def halved(n):",
        "> helpers.py(6)halved()\n-> half = n // 2",
        "> helpers.py(7)halved()\n-> return half",
        "--Return--\n> helpers.py(7)halved()->None\n-> return half",
        "> kernels.py(17)saxpy()\n-> y[i] = a * x[i] + y[i]",
        "> kernels.py(15)saxpy()\n-> for k in range(2):",
    ]


def test_pdb_with_a_condition(folder):
    commands = ["b kernels.py:17, k[0] == 1 and y[3] == 7", "c", "p __step__", "p y", "n", "p y", "r", "c"]
    _, said = pdb(folder, commands, "-m", "pdb", "kernels.py")
    assert said["1 c"] == "> kernels.py(17)saxpy()\n-> y[i] = a * x[i] + y[i]"
    assert said["2 p __step__"] == "<DebugStep kernels.py:17: y[i] = a * x[i] + y[i]>"
    assert said["3 p y"] == "array([1., 3., 5., 7.], dtype=float32)"
    assert said["5 p y"] == "array([ 1.,  5.,  9., 13.], dtype=float32)"


def test_stop_calls_breakpoint(folder):
    first, said = pdb(folder, ["p i, k", "n", "ll", "c", "p k", "c"], "kernels.py", "stop")
    assert first == "> kernels.py(17)saxpy()\n-> y[i] = a * x[i] + y[i]"
    assert said["0 p i, k"] == "(np.int32(3), np.int32(0))"
    assert said["1 n"] == "> kernels.py(15)saxpy()\n-> for k in range(2):"
    assert "15  ->\t    for k in range(2):" in said["2 ll"]
    assert said["4 p k"] == "np.int32(1)"
    assert said["5 c"].startswith("end [ 1.  5.  9. 13.]")


def followed(run, events=("line",)):
    """Events in the functions of `stepped.py` and its helpers: name, line, and the variable n or i."""
    files, found = (stepped.__file__, stepped_helpers.__file__), []

    def trace(frame, event, arg):
        if frame.f_code.co_filename not in files:
            return None
        if event in events:
            found.append((event, frame.f_code.co_name, frame.f_lineno, dict(frame.f_locals), frame.f_back))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return found


X = np.array([1, 2, 3, 10, 7, 20, 0, 5, 9, 1, 1, 1, 0], "i4")


@pytest.mark.parametrize("name", ["branches", "loops", "calls", "tiles"])
def test_tracing_sees_every_step(name):
    kernel = hg.kernel(getattr(stepped, name))
    expected, y = np.zeros(13, "i4"), np.zeros(13, "i4")
    kernel.on("cpu")[8, 4](X, expected, 3)
    steps = list(kernel.steps[8, 4](X, y.copy(), 3))
    found = followed(lambda: kernel.debug[8, 4](X, y, 3))
    assert [(name, line) for _, name, line, *_ in found] == [(step.function, step.line) for step in steps]
    for (*_, values, _), step in zip(found, steps, strict=True):
        assert values.keys() == step.values.keys()
        assert all((values[name] == step.values[name]).all() for name in values.keys() - {"x", "y", "tile"})
    np.testing.assert_array_equal(y, expected)


def test_frames_are_like_those_of_functions():
    kernel, y = hg.kernel(stepped.calls), np.zeros(13, "i4")
    found = followed(lambda: kernel.debug[2](X, y, 3), ("call", "line", "return"))
    assert found[0][:3] == ("call", "calls", stepped.calls.__code__.co_firstlineno)
    assert (found[-1][0], found[-1][1]) == ("return", "calls")
    assert [event for event, name, *_ in found if name == "calls"].count("call") == 1
    inner = [back for event, name, _, _, back in found if name == "twice" and event == "line"]
    assert {frame.f_code.co_name for frame in inner} == {"calls"}
    assert sum(event == "call" for event, name, *_ in found if name == "collatz") == 2
    assert sum(event == "return" for event, name, *_ in found if name == "collatz") == 2


if hasattr(sys, "monitoring"):  # from Python 3.12 on

    def test_monitoring_sees_every_step():
        kernel, y, found = hg.kernel(stepped.calls), np.zeros(13, "i4"), []
        monitoring = sys.monitoring
        monitoring.use_tool_id(4, "test")
        try:
            line = lambda code, line: found.append((code.co_name, line)) if "stepped" in code.co_filename else None  # noqa: E731
            monitoring.register_callback(4, monitoring.events.LINE, line)
            monitoring.set_events(4, monitoring.events.LINE)
            kernel.debug[2](X, y, 3)
        finally:
            monitoring.set_events(4, 0)
            monitoring.free_tool_id(4)
        assert found == [(step.function, step.line) for step in kernel.steps[2](X, y, 3)]


def test_a_fault_has_the_kernels_line_in_its_traceback():
    kernel, y = hg.kernel(stepped.branches), np.zeros(1, "i4")
    with pytest.raises(hg.ExecutionError) as caught:
        kernel.debug[2](X, y, 3)
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.name, last.line) == (stepped.__file__, "branches", "y[i] = 1")
    assert caught.value.__notes__[0].endswith(": y[i] = 1")
    assert not y.any()


def test_who_leaves_leaves_arrays_as_they_were():
    kernel, y = hg.kernel(stepped.calls), np.zeros(13, "i4")

    def leave(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kernel.debug(stop=leave)[2](X, y, 3)
    assert not y.any()
    kernel.debug[0](X, y, 3)
    kernel.debug[2](X, y, 3)
    assert y.any()


def test_a_text_without_a_file_can_be_listed():
    text = """
        def k(x: hg.Array[hg.i32]):
            i = hg.global_id()
            x[i] = 1 // x[i]
    """
    kernel = hg.kernel_from_source(dedent(text).strip(), file="<typed>")
    with pytest.raises(hg.ExecutionError) as caught:
        kernel.debug[1](np.zeros(1, "i4"))
    last = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == "<typed>"]
    assert [(frame.lineno, frame.line) for frame in last] == [(3, "x[i] = 1 // x[i]")]
