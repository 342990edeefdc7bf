"""Values with parts, beside Python running the same function: tuples as values."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import hologram_web as hg

# mypy: ignore-errors

T, U = TypeVar("T"), TypeVar("U")
HEAD = """
PAIRS = ((1, 2), (3, 4), (5, 6))

def ordered(a, b):
    if a > b:
        return b, a
    return a, b

def swapped(pair):
    return pair[1], pair[0]

def nested(a, b):
    return (a, b), a - b

def moved(pair, by):
    for n in range(by):
        pair = (pair[1], pair[0] + n)
    return pair

def annotated(pair: tuple[hg.i32, hg.i32]) -> tuple[hg.i32, tuple[hg.i32, hg.i32]]:
    return pair[0] * 2, pair
"""
# fmt: off
BODIES = {
    "a tuple is a value": "t = (a, b)\ns = t[0] * 10 + t[1]",
    "it is read when it is made": "t = a, b\na = 100\ns = t[0] * 10 + t[1]",
    "it is assigned again": "t = a, b\nt = t[1], t[0] + 1\nt = t[1], t[0]\ns = t[0] * 10 + t[1]",
    "it is turned around in place": "t = a, b, 3\nt = t[2], t[0], t[1]\ns = t[0] * 100 + t[1] * 10 + t[2]",
    "branches": "if a > b:\n    t = a, 1\nelif a == b:\n    t = 7, 7\nelse:\n    t = 2, b\ns = t[0] * 10 + t[1]",
    "a loop": "t = 0, 1\nfor n in range(a):\n    t = t[1], t[0] + t[1]\ns = t[0]",
    "while": "t = a, b\nwhile t[0] < 30:\n    t = t[0] + t[1] + 1, t[0]\ns = t[0] * 100 + t[1]",
    "break and continue": "t = a, b\nfor n in range(9):\n    if n == b:\n        continue\n    t = t[1] + n, t[0]\n"
    "    if t[0] > 9:\n        break\ns = t[0] * 100 + t[1]",
    "a conditional expression": "t = (a, b) if a > b else (b, a)\ns = t[0] * 10 + t[1]",
    "one that reads arrays": "t = (x[0], a) if a > b else (b, x[1])\ns = t[0] * 10 + t[1]",
    "one with calls": "t = ordered(a, b) if a > 3 else swapped((a, b))\ns = t[0] * 10 + t[1]",
    "results": "t = ordered(a, b)\ns = t[0] * 10 + t[1]",
    "results are arguments": "t = swapped(swapped(ordered(a, b)))\ns = t[0] * 10 + t[1]",
    "one element of a result": "s = ordered(a, b)[0] * 10 + swapped((a, b))[1]",
    "in each other": "t = nested(a, b)\ns = t[0][0] * 100 + t[0][1] * 10 + t[1]",
    "unpacked in each other": "(p, q), r = nested(a, b)\ns = p * 100 + q * 10 + r",
    "a parameter that is assigned": "t = moved((a, b), a)\ns = t[0] * 10 + t[1]",
    "annotations": "d, t = annotated((a, b))\ns = d * 100 + t[0] * 10 + t[1]",
    "it is unpacked": "t = a, b, a + b\np, q, r = t\np, q = q, p\ns = p * 100 + q * 10 + r",
    "several names": "t = u = a, b\nt = t[1], t[0]\ns = t[0] * 1000 + t[1] * 100 + u[0] * 10 + u[1]",
    "a copy": "t = a, b\nu = t\nt = 0, 0\ns = u[0] * 10 + u[1] + t[0]",
    "equal": "t = a, b\ns = (t == (2, 3)) * 1 + (t != (3, 2)) * 10 + ((a, (b, 1)) == (3, (2, 1))) * 100",
    "among": "s = 1 if (a, b) in ((1, 2), (2, 3), (b, a)) else 2\nt = a, 5\ns += 10 if b in t else 20",
    "joined": "t = a + b, ()\nu = t[0], 3\nw = (a, b) + (u + (9,))\ns = len(w) * 1000 + w[4] * 100 + w[2] * 10 + w[-2]",
    "a loop over it": "t = a, b, 5\nfor v in t:\n    t = 0, 0, 0\n    s = s * 10 + v",
    "a loop over variables": "for v in (a, b, a * b):\n    a, b = b + 1, a\n    s = s * 10 + v",
    "a loop over tuples": "for p, q in ((a, 1), (b, 2), (3, a)):\n    s = s * 10 + p * q\n",
    "what is behind it": "for v in (a, 4, b):\n    if v == 3:\n        break\ns = v",
    "enumerate and zip": "t = b, a\nfor n, v in enumerate(t, 1):\n    s += n * v\n"
    "for v, w in zip(t, (3, 4)):\n    s += v * w",
    "constants": "t = PAIRS[1]\nif a > b:\n    t = PAIRS[2]\ns = t[0] * 10 + t[1]\nfor p, q in PAIRS:\n    s += p * q",
    "a shape": "t = m.shape\ns = t[0] * 10 + t[1] + len(t) * 100\nt = t[1], t[0]\ns += t[0] * 1000",
    "functions see it": "t = a, b\nf = lambda v: t[0] * v + t[1]\nt = t[1], t[0]\ns = f(10)",
    "bools": "t = a > b, a < b\ns = 1 if t[0] else 2\ns += 10 if t[1] else 20\nt = t[1], t[0]\n"
    "if t[0] and not t[1]:\n    s += 100",
    "a static index": "t = a, b, 4\nfor n in STATIC(3):\n    s = s * 10 + t[2 - n]",
    "two loops": "t = a, b\nfor n in range(3):\n    u = t\n    for k in range(2):\n        u = u[0] + k, u[1] + n\n"
    "    t = u[1], u[0]\ns = t[0] * 100 + t[1]",
}
# fmt: on


def _indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("name", BODIES)
def test_as_python_does(device, name):
    head = "(x: hg.Array[hg.i32], m: hg.Array[hg.i32, 2], a: hg.i32, b: hg.i32, out: hg.Array[hg.i32]):\n    s = 0\n"
    text = f"{HEAD}\ndef f{head}{_indented(BODIES[name])}    out[0] = s\n"
    kernel = hg.kernel_from_source(text.replace("STATIC", "hg.static_range"), name="f").on(device)
    scope = {"hg": hg}
    exec(text.replace("STATIC", "range"), scope)
    x, m = np.array([5, -6], "i4"), np.zeros((2, 3), "i4")
    for a, b in ((2, 3), (3, 2), (4, 4)):
        found, expected = np.zeros(1, "i4"), np.zeros(1, "i4")
        kernel[1](x, m, a, b, found)
        scope["f"](x, m, a, b, expected)
        assert found == expected, (a, b)


@hg.kernel
def types(x: hg.Array[hg.f32], y: hg.Array[hg.f32], n: hg.i32):
    """A part's type is joined over all assignments: 1 is an f32, and 0 an i32."""
    i = hg.global_id()
    t = 1, 0
    for _ in range(n):
        t = t[0] * x[i] + 0.5, t[1] + n
    y[i] = t[0] + t[1]


def test_types_of_parts_are_joined(device):
    x, y = np.array([1, 2, 4], "f4"), np.zeros(3, "f4")
    types.on(device)[3](x, y, 2)
    assert y.tolist() == [x * x + x * 0.5 + 0.5 + 4 for x in (1, 2, 4)]


def scaled(pair: tuple[T, hg.i32], by: U) -> tuple[T, hg.f32]:
    return pair[0] * T(by), pair[1] / 2 + U(258)


@hg.kernel
def generic(x: hg.Array[hg.f32], n: hg.Array[hg.u8], y: hg.Array[hg.f32]):
    i = hg.global_id()
    pair = scaled((x[i], 3), n[i])
    y[i] = pair[0] + pair[1]


def test_type_variables_of_parts(device):
    x, n, y = np.array([1.5, 2], "f4"), np.array([2, 5], "u1"), np.zeros(2, "f4")
    generic.on(device)[2](x, n, y)
    assert y.tolist() == [6.5, 13.5]
