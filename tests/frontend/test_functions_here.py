"""Functions in functions, *args, parameters by name, what is known while translating: beside Python itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

import hologram_web as hg

# mypy: ignore-errors

HEAD = """
TAPS = (3, 1, 2)
SIZE = 4

def apply(f, v, *more, scale, off=1):
    s = f(v) * scale + off
    for m in more:
        s += m
    return s

def count(*values):
    return len(values)

def twice(g, v):
    return g(g(v))
"""
# fmt: off
BODIES = {
    "a lambda": "sq = lambda v: v * v\nout[i] = sq(x[i]) + sq(2)",
    "a lambda as an argument": "out[i] = twice(lambda v: v * 3 + 1, x[i])",
    "it sees what is around it when it is called": "b = a\nf = lambda v: v * b\nb = b + 5\nout[i] = f(x[i])",
    "a function": "def g(v):\n    t = v + 1\n    t *= 2\n    return t\nt = 100\nout[i] = g(x[i]) + t",
    "a function with a branch": "def g(v):\n    if v > a:\n        return v - a\n    return a - v\n"
    "out[i] = twice(g, x[i])",
    "functions in each other": "def g(v):\n    def h(w):\n        return w * a + v\n"
    "    return h(v + 1)\nout[i] = g(x[i])",
    "it is given on": "def g(f, v):\n    return twice(f, v) + twice(lambda w: w - a, v)\n"
    "out[i] = g(lambda w: w * a, x[i])",
    "it reads arrays": "at = lambda k: x[(i + k) % len(x)]\nout[i] = at(1) * 10 + at(2)",
    "it is made in a loop": "s = 0\nfor k in range(4):\n    f = lambda v: v * k\n    s += f(x[i])\nout[i] = s",
    "arguments by name only": "out[i] = apply(lambda v: v + a, x[i], scale=2)",
    "defaults of these": "out[i] = apply(lambda v: v, x[i], off=a, scale=3)",
    "more arguments": "out[i] = apply(lambda v: v, x[i], a, 10, x[0], scale=1) + 100 * count() + 1000 * count(a, i)",
    "a static loop": "s = 0\nfor k in range_(SIZE):\n    if TAPS[k % 3] == 1:\n        continue\n"
    "    if k == 3:\n        break\n"
    "    s += TAPS[k] * x[i]\nout[i] = s",
    "a static loop with steps": "s = 0\nfor k in range_(SIZE * 2, -SIZE, -3):\n    s = s * 3 + k\n"
    "else:\n    s += 1\nout[i] = s",
}
# fmt: on


def _indented(text, by=4):
    return "\n".join(" " * by + line for line in text.splitlines()) + "\n"


@pytest.mark.parametrize("name", BODIES)
def test_as_python_does(device, name):
    text = HEAD + "def f(x: hg.Array[hg.i32], out: hg.Array[hg.i32], a: hg.i32):\n    i = hg.global_id()\n"
    text += _indented(BODIES[name])
    kernel = hg.kernel_from_source(text.replace("range_(", "hg.static_range("), "f").on(device)
    theirs = text.replace("hg.global_id()", "at").replace("range_(", "range(").replace("a: hg.i32", "a, at")
    scope = {"hg": hg}
    exec(theirs, scope)
    x = np.array([3, -4, 5, 0, 7], "i4")
    for a in (2, -3):
        found, expected = np.zeros(5, "i4"), np.zeros(5, "i4")
        kernel[5](x, found, a)
        for at in range(5):
            scope["f"](x, expected, a, at)
        np.testing.assert_array_equal(found, expected)


def test_static_assert():
    text = "SIZE = 4\ndef f(x: hg.Array[hg.i32]):\n    hg.static_assert(SIZE % {} == 0{})\n    x[0] = 1\n"
    hg.kernel_from_source(text.format(2, ""))
    with pytest.raises(hg.TranslateError, match=r"page\.py:3:5: SIZE % 3 == 0: hg\.static_assert\n"):
        hg.kernel_from_source(text.format(3, ""), file="page.py")
    with pytest.raises(hg.TranslateError, match=r"a size is a multiple of 3: hg\.static_assert"):
        hg.kernel_from_source(text.format(3, ", 'a size is a multiple of 3'"))


WRONG = [
    ("g = 1\ng = lambda v: v\nx[0] = g(2)", "g is in use already: give the function a name of its own"),
    ("g = lambda v: v\ng = lambda v: v + 1\nx[0] = g(2)", "g is in use already: give the function a name of its own"),
    ("g = lambda v: v\nx[0] = g", "g is a function: call it, g(...)"),
    ("def g(v):\n    return g(v)\nx[0] = g(1)", "g calls itself: recursion is not available, write a loop"),
    ("@staticmethod\ndef g(v):\n    return v\nx[0] = g(1)", "a function in a kernel has no decorator but @hg.function"),
    ("def g(**more):\n    return 1\nx[0] = g()", "**kwargs is not available: list the parameters"),
    ("def g(a, *, b):\n    return a\nx[0] = g(1, 2)", "g is given 2 arguments; 1 is expected: write g(a, *, b)"),
    ("def g(a, *r, b=2):\n    return a\nx[0] = g(c=2)", "c is no parameter: write g(a, *r, b = 2)"),
    (
        "for k in hg.static_range(x[0]):\n    x[k] = 1",
        "hg.static_range counts integers that are known while translating",
    ),
    ("for k in hg.static_range(9, 1, 0):\n    x[k] = 1", "the step is not 0"),
    (
        "for k in hg.static_range(99999):\n    x[k] = 1",
        "loops over constants are written out, those in each other at most 16384 times in all, not 99999",
    ),
    (
        "s = 0\nfor k in hg.static_range(9999):\n    s += x[k] * 3\nx[0] = s",
        "<kernel>:3:14: loops over constants are written out, as at most 16384 instructions, and here are 16388 after "
        "4097 of 9999 rounds: let one count with range",
    ),
    ("x[0] = hg.static_range(3)", "hg.static_range stands only in for i in hg.static_range(...)"),
    ("hg.static_assert(x[0] == 1)", "hg.static_assert tests what is known while translating"),
    ("hg.static_assert(True, x)", "the text of hg.static_assert is written out: 'what is wrong'"),
]


@pytest.mark.parametrize(("body", "message"), WRONG)
def test_what_is_wrong_is_said(body, message):
    with pytest.raises(hg.TranslateError) as caught:
        hg.kernel_from_source("def f(x: hg.Array[hg.i32]):\n" + _indented(body))
    assert message in str(caught.value)


@hg.kernel
def applied(x: hg.Array[hg.f32], op: hg.Constant[Callable] = lambda v: v + 1, then: hg.Constant[Callable] = abs):
    i = hg.global_id()
    x[i] = then(op(x[i]))


def _applied(*functions):
    x = np.array([1, -2, 3], "f4")
    applied[3](x, *functions)
    return x.tolist()


def test_functions_from_the_host():
    """Lambdas where they are given, several of them in a line, functions in functions, closures over numbers."""
    n, scale = 3, (2, 5)

    def nested(v):
        return v * scale[1] - n

    both = [lambda v: v * 2, lambda v: v * 2 + n]
    assert _applied() == [2, 1, 4]
    assert _applied(nested) == [2, 13, 12]
    assert _applied(lambda v: v * n) == [3, 6, 9]
    assert [_applied(op) for op in both] == [[2, 4, 6], [5, 1, 9]]
    assert _applied(lambda v: v * 2, lambda v: -v) == [-2, 4, -6]
    assert _applied(lambda v: (lambda w: w * w)(v) + 1) == [2, 5, 10]
    assert _applied((lambda by: lambda v: v * by)(4)) == [4, 8, 12]
    assert _applied(
        lambda v:
            v
            + 7
    ) == [8, 5, 10]  # fmt: skip
    assert [_applied(lambda v: v * by) for by in (1, 2)] == [[1, 2, 3], [2, 4, 6]]  # noqa: B023


def test_lambdas_of_a_loop_are_translated_once():
    kernels = [applied.specialize(op=lambda v: v * 2 - 1) for _ in range(3)]
    assert kernels[0] is kernels[1] is kernels[2]
    others = [applied.specialize(op=lambda v: v * n) for n in (1, 1.0, 2, 1)]  # noqa: B023
    assert others[0] is others[3]
    assert len(set(others)) == 3


def test_lambdas_that_nothing_tells_apart(tmp_path):
    (tmp_path / "two.py").write_text(
        "import hologram_web as hg\nfrom collections.abc import Callable\n\n@hg.kernel\n"
        "def k(x: hg.Array[hg.i32], f: hg.Constant[Callable]):\n    x[0] = f(x[0])\n\n"
        "two = [lambda v: v + 1, lambda v: v + 2]\nk.specialize(f=lambda v: v)\n"
        "print('one is fine')\nk.specialize(f=two[0])\n"
    )
    run = subprocess.run(
        [sys.executable, "-X", "no_debug_ranges", "two.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.stdout == "one is fine\n"
    wanted = "several lambdas begin in line 8, and nothing tells which one this is: give each a line of its own"
    assert wanted in run.stderr, run.stderr
