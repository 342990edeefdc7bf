"""What people type: loops over arrays and tuples, `else` of loops, m[i][j], beside Python running the same function."""

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg

# mypy: ignore-errors

TAPS = (1, 2, 3)

BODIES = {
    "enumerate a tuple": "for n, t in enumerate(TAPS, 1):\n    s += n * t",
    "enumerate a tuple, start by name": "for n, t in enumerate(TAPS, start=2):\n    s += n * t",
    "zip tuples": "for a, b in zip(TAPS, (4, 5, 6, 7)):\n    s += a * b",
    "zip a range": "for a, b in zip(TAPS, range(2, 9, 3)):\n    s += a * b",
    "reversed tuple": "for q in reversed(TAPS):\n    s = s * 2 + q",
    "an array": "for v in x:\n    s += v",
    "an array backwards": "for v in reversed(x):\n    s = s * 2 + v",
    "zip arrays of different lengths": "for v, w in zip(x, y):\n    s = s * 3 + v * w",
    "enumerate an array": "for j, v in enumerate(y):\n    s += j * v",
    "enumerate an array from 5": "for j, v in enumerate(y, 5):\n    s += j * v",
    "a range backwards": "for q in reversed(range(len(x))):\n    s = s * 2 + q",
    "a range of two numbers backwards": "for q in reversed(range(2, len(y) + 1)):\n    s = s * 2 + q",
    "search with else": "for j, v in enumerate(y):\n    if v == k:\n        s = j\n        break\nelse:\n    s = 99",
    "else of a range": "for j in range(len(y)):\n    if y[j] == k:\n        break\nelse:\n    s = 7",
    "else of a loop without rounds": "for j in range(k - k):\n    s = 3\nelse:\n    s = 5",
    "else of a tuple": "for t in TAPS:\n    if t == k:\n        break\nelse:\n    s = 8",
    "else of while": "n = 0\nwhile n < 5:\n    n += 1\n    if n == k:\n        break\nelse:\n    n = 50\ns = n",
    "else in a loop": "for a in range(3):\n    for b in range(3):\n        if b == k:\n            break\n"
    "    else:\n        s += 10\n        continue\n    s += 1",
    "what else assigns": "for j in range(3):\n    if j == k:\n        found = j\n        break\nelse:\n"
    "    found = -1\ns = found",
    "of constants": "s = sum(TAPS) * 10 + any((0, 0)) + all(TAPS)\nif any(TAPS) and not all((1, 0)):\n    s += 100",
    "rows": "for r in range(2):\n    for c in range(3):\n        s = s * 5 + m[r][c]\n",
    "rows are stored": "m[1][2] = k\nm[0][1] += 5\ns = m[1][2] * 100 + m[0][1]",
    "of arrays": "s = sum(x) * 100 + max(x) * 10 + min(y) + any(x) + all(y) * 7",
    "of a part of an array": "s = sum(x[1:]) * 100 + max(x[:k - 1]) if k < 5 else max(x) - min(x)",
    "of tuples that are computed": "s = sum((k, x[1], 3)) + max((k, y[0])) * min((x[0], k)) + any((k > 3, k < 0))",
    "an array is unpacked": "a, b, c, d = x\ns = a + 10 * b + 100 * c + 1000 * d",
    "divmod in a loop": "for v in x:\n    q, r = divmod(v, 3)\n    s += q * 10 + r",
}


def _indented(text, by):
    return "\n".join(" " * by + line for line in text.splitlines()) + "\n"


@pytest.mark.parametrize("name", BODIES)
def test_as_python_does(device, name):
    head = "(x: hg.Array[hg.i32], y: hg.Array[hg.i32], m: hg.Array[hg.i32, 2], k: hg.i32, out: hg.Array[hg.i32]):\n"
    body = "    s = 0\n" + _indented(BODIES[name], 4)
    kernel = hg.kernel_from_source(f"TAPS = {TAPS}\ndef f{head}{body}    out[0] = s\n").on(device)
    scope = {"hg": hg, "TAPS": TAPS}
    exec(f"def f{head}{body}    out[0] = s\n", scope)
    for k in (2, 4, 77):
        arrays = [np.array([5, -6, 8, 2], "i4"), np.array([1, 7, 4], "i4"), np.arange(6, dtype="i4").reshape(2, 3)]
        found, expected = np.zeros(1, "i4"), np.zeros(1, "i4")
        theirs = [array.copy() for array in arrays]
        kernel[1](*arrays, k, found)
        scope["f"](*theirs, k, expected)
        assert found == expected
        np.testing.assert_array_equal(arrays[2], theirs[2])


WRONG = [
    ("for v in m:\n    s += v", "m is 2-D, and for goes over arrays of one axis: loop over range"),
    ("for v in k:\n    s += v", "k is one number: write range(k)"),
    ("for v in enumerate(x):\n    s += v", "enumerate gives two values: for i, v in enumerate(x)"),
    ("for v, w in zip(x, TAPS):\n    s += v", "for loops over a range, a constant tuple, an array, or enumerate, zip"),
    (
        "for v in reversed(range(1, 9, 2)):\n    s += k\nfor v in reversed(range(1, k, 2)):\n    s += v",
        "without a step",
    ),
    ("for v in reversed(x, y):\n    s += v", "reversed is given 2 arguments; 1 is expected: write reversed(x)"),
    ("for i, v in enumerate(TAPS, k):\n    s += v", "enumerate starts with an integer that is known while translating"),
    ("s = sum(k)", "sum is of tuples, vectors, arrays, rows and generators, and this is i32"),
    ("s = m[0][1][2]", "m is 2-D, and here are 3 indices: write m[i, j]"),
    ("s = m[0]", "s is in use already: give the part of m a name of its own"),
]


@pytest.mark.parametrize(("body", "message"), WRONG)
def test_what_is_wrong_is_said(body, message):
    head = "def f(x: hg.Array[hg.i32], y: hg.Array[hg.i32], m: hg.Array[hg.i32, 2], k: hg.i32):"
    text = f"TAPS = {TAPS}\n{head}\n    s = 0\n"
    with pytest.raises(hg.TranslateError) as caught:
        hg.kernel_from_source(text + _indented(body, 4))
    assert message in str(caught.value)
