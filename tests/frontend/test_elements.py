"""Bytes and texts as constants, and sum, any and all of generators: beside Python itself."""

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg

# mypy: ignore-errors

HEAD = """
TAPS = (3, 1, 2)
PATTERN = b"abc"
WORD = "neue\\u00e9"

"""
# fmt: off
BODIES = {
    "over bytes": "s = 0\nfor c in PATTERN:\n    s = s * 2 + c\nout[i] = s + len(PATTERN) + PATTERN[-1] + b'z'[0]",
    "enumerate over bytes": "s = 0\nfor k, c in enumerate(PATTERN, 2):\n    s += k * c\nout[i] = s",
    "zip and reversed": "s = 0\nfor c, d in zip(PATTERN, reversed(b'xyz')):\n    s = s * 3 + c - d\nout[i] = s",
    "bytes that are looked for": "out[i] = x[i] + 97 in PATTERN",
    "text": "s = len(WORD) + ord('a') + ord(WORD[1]) - ord(b'b')\nfor k, c in enumerate(WORD):\n    s += k * ord(c)\n"
    "    if c == 'e':\n        s += 1000\nout[i] = s",
    "by a literal range": "s = 0\nfor k in range(len(PATTERN)):\n    s += PATTERN[k] * (x[i] == k)\nout[i] = s",
    "a sum that is known": "out[i] = sum(v * v for v in TAPS) + sum(c for c in PATTERN)",
    "a sum of elements": "out[i] = sum(w * x[(i + k) % len(x)] for k, w in enumerate(TAPS))",
    "a sum over a range": "out[i] = sum(x[k] for k in range(i, len(x)))",
    "a sum over an array": "out[i] = sum(v * v for v in x if v > a)",
    "a static range": "out[i] = sum(x[k] << k for k in range_(4))",
    "generators in each other": "out[i] = sum(v * w for v in TAPS for w in x if v != w)",
    "any that is known": "out[i] = any(v > 2 for v in TAPS) + 2 * all(v > 2 for v in TAPS)",
    "any of constants": "out[i] = any(v == x[i] for v in TAPS) + 2 * all(v > x[i] for v in TAPS)",
    "any of elements": "out[i] = any(x[k] == a for k in range(i, len(x))) + 2 * all(v > a for v in x)",
    "no element": "out[i] = sum(v for v in ()) + any(v for v in ()) + all(x[k] > 1 for k in range(3, 3))",
    "a variable of the same name": "v = 5\ns = sum(v for v in TAPS)\nout[i] = s * 10 + v",
    "in a function": "def g(n):\n    return sum(n * v for v in TAPS)\nout[i] = g(x[i]) + sum(g(v) for v in x)",
    "one of several texts": "out[i] = (WORD in ('abc', 'neu')) + 2 * (WORD[1] in 'xe') + 4 * ('u' not in ('u', 'v'))\n"
    "for c in WORD:\n    if c in ('e', 'u'):\n        out[i] += 8",
    "the greatest": "out[i] = max(TAPS) * 10 + min(PATTERN)",
}
# fmt: on


def _indented(text, by=4):
    return "\n".join(" " * by + line for line in text.splitlines()) + "\n"


@pytest.mark.parametrize("name", BODIES)
def test_as_python_does(device, name):
    text = HEAD + "def f(x: hg.Array[hg.i32], out: hg.Array[hg.i32], a: hg.i32):\n    i = hg.global_id()\n"
    text += _indented(BODIES[name])
    kernel = hg.kernel_from_source(text.replace("range_(", "hg.static_range("), "f").on(device)
    scope = {"hg": hg}
    exec(text.replace("hg.global_id()", "at").replace("range_(", "range(").replace("a: hg.i32", "a, at"), scope)
    x = np.array([3, -4, 5, 0, 7], "i4")
    found, expected = np.zeros(5, "i4"), np.zeros(5, "i4")
    kernel[5](x, found, 1)
    for at in range(5):
        scope["f"](x, expected, 1, at)
    np.testing.assert_array_equal(found, expected)


def test_a_sum_is_a_size():
    kernel = hg.kernel_from_source(
        "def f(x: hg.Array[hg.i32]):\n    t = hg.shared(hg.i32, sum(v * v for v in (1, 2, 3)))\n    x[0] = len(t)\n"
    )
    x = np.zeros(1, "i4")
    kernel[1](x)
    assert x.tolist() == [14]


def test_bytes_are_found(device):
    """A search for a pattern that is given at the launch."""

    @hg.kernel
    def find(text: hg.Array[hg.u8], out: hg.Array[hg.u8], PATTERN: hg.Constant[bytes] = b"ab"):
        i = hg.global_id()
        out[i] = i + len(PATTERN) <= len(text) and all(text[i + k] == c for k, c in enumerate(PATTERN))

    text = np.frombuffer(b"abcabbab", np.uint8)
    for pattern in (b"ab", b"cabb", b"b", b"xyz"):
        found = np.zeros(8, "u1")
        find.on(device)[8](text, found, pattern)
        assert found.tolist() == [bytes(text)[at:].startswith(pattern) for at in range(8)]
    assert find.specialize(PATTERN=b"c").name == "find[PATTERN=b'c']"
    assert find.specialize().name == "find[PATTERN=(97, 98)]"
    with pytest.raises(hg.TranslateError, match=r"the constant PATTERN of find is Constant\[bytes\], not 'ab'"):
        find[8](text, found, "ab")


WRONG = [
    ("x[0] = ord('ab')", "ord is of one character that is known while translating: ord('a'), or of a text's, s[0]"),
    ("x[0] = ord(x[0])", "ord is of one character that is known while translating: ord('a'), or of a text's, s[0]"),
    ("x[0] = WORD[x[0]]", "the index into a text is known while translating: write a number, or the variable of a for"),
    ("x[0] = WORD[9]", "there is no element 9: the text has 2, counted from 0"),
    ("x[0] = WORD", "WORD is text: ord(c) is the number of one of its characters"),
    ("for c in WORD:\n    x[0] = c", "c is text: ord(c) is the number of one of its characters"),
    ("x[0] = sum(v for v in x[0])", "x[0] is one number: write range(x[0])"),
    ("x[0] = sum(a for a, b in ((1, 2), (3,)))", "(3,) is not unpacked to 2 names"),
    ("x[0] = lambda v: v", "a lambda is no number: give it a name, f = lambda a: a * 2, and call that, or pass it"),
]


@pytest.mark.parametrize(("body", "message"), WRONG)
def test_what_is_wrong_is_said(body, message):
    with pytest.raises(hg.TranslateError) as caught:
        hg.kernel_from_source("WORD = 'ab'\ndef f(x: hg.Array[hg.i32]):\n" + _indented(body))
    assert message in str(caught.value)


def test_text_from_outside():
    text = "def f(x: hg.Array[hg.i32]):\n    x[0] = ord(NAME[1]) + sum(c for c in DATA) + (MODE == 'fast')\n"
    kernel = hg.kernel_from_source(text, constants={"NAME": "xyz", "DATA": b"\1\2", "MODE": "fast"})
    x = np.zeros(1, "i4")
    kernel[1](x)
    assert x.tolist() == [ord("y") + 3 + 1]
