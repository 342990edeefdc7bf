"""Integers of 8 and 16 bits that wrap where NumPy, Numba or CUDA would have promoted them: 200 + 200 is not 144 without
a word."""

# mypy: ignore-errors
# ruff: noqa: E501

from __future__ import annotations

import warnings

import numpy as np
import pytest

import hologram_web as hg

HEAD = "def k(x: hg.Array[hg.u8], y: hg.Array[hg.u8], s: hg.Array[hg.i8], w: hg.Array[hg.u16], z: hg.Array[hg.i32], f: hg.Array[hg.f32], n: hg.i32):\n    i = hg.global_id()\n"


def told(body):
    text = HEAD + "".join(f"    {line}\n" for line in body.split("\n"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hg.kernel_from_source(text, file="page.py")
    assert all(warning.category is hg.WrapWarning and warning.filename == "page.py" for warning in caught)
    return [(warning.lineno - 2, str(warning.message)) for warning in caught]


SUM = "x[i] + y[i] wraps in u8 (510 becomes 254) and is {}: write hg.i32(x[i]) + y[i], or hg.u8(...) around it, if wrapping is meant"


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("z[i] = x[i] + y[i]", "widened to i32"),
        ("z[i] = hg.i32(x[i] + y[i])", "widened to i32"),
        ("w[i] = x[i] + y[i]", "widened to u16"),
        ("f[i] = x[i] + y[i]", "widened to f32"),
        ("f[i] = (x[i] + y[i]) / 2", "widened to f32"),
        ("z[i] += x[i] + y[i]", "widened to i32"),
        ("x[i] = (x[i] + y[i]) // 2", "divided"),
        ("x[i] = (x[i] + y[i]) % 10", "divided"),
        ("x[i] = (x[i] + y[i]) >> 1", "shifted to the right"),
        ("x[i] = min(x[i] + y[i], 255)", "an operand of min"),
        ("z[x[i] + y[i]] = 1", "an index"),
        ("print(x[i] + y[i])", "printed"),
        ("z[i] = x[i] + y[i] if n > 2 else 0", "widened to i32"),
        ("for j in range(x[i] + y[i]):\n    z[i] += j", "widened to i32"),
        ("if x[i] + y[i] > 200:\n    z[i] = 1", "compared"),
        ("if x[i] + y[i] == 0:\n    z[i] = 1", "compared"),
        ("if x[i] + y[i]:\n    z[i] = 1", "compared"),
    ],
)
def test_where_it_shows(body, use):
    assert told(body) == [(1, SUM.format(use))]


@pytest.mark.parametrize(
    ("body", "line", "begins"),
    [
        ("t = x[i] + y[i]\nz[i] = t", 2, "x[i] + y[i] wraps in u8 (510 becomes 254) and is widened to i32"),
        (
            "t = 0\nfor j in range(n):\n    t += x[j]\nz[i] = t",
            4,
            "t += x[j] wraps in u8 and is widened to i32: let t be wider, t: hg.i32,",
        ),
        ("t = x[i]\nif n > 3:\n    t = x[i] * 3\nz[i] = t", 4, "x[i] * 3 wraps in u8 and is widened to i32"),
        ("t = lambda a: a + a\nz[i] = t(x[i])", 2, "a + a wraps in u8 (510 becomes 254)"),
        ("v = hg.vec2(x[i], y[i])\nz[i] = hg.dot(v, v)", 2, "hg.dot(v, v) wraps in u8 (130050 becomes 2)"),
        ("x[i] = abs(x[i] - y[i])", 1, "x[i] - y[i] wraps in u8 (-255 becomes 1) and is an operand of abs"),
        ("z[i] += s[i] * s[i]", 1, "s[i] * s[i] wraps in i8 (16384 becomes 0) and is widened to i32"),
        ("z[i] = x[i] << 8 | y[i]", 1, "x[i] << 8 wraps in u8 (65280 becomes 0) and is widened to i32"),
        ("z[i] = -s[i]", 1, "-s[i] wraps in i8 (128 becomes -128) and is widened to i32"),
        ("z[i] = x[i] ** 2", 1, "x[i] ** 2 wraps in u8 (65025 becomes 1)"),
        ("z[i] = hg.u8(200) + hg.u8(200)", 1, "hg.u8(200) + hg.u8(200) wraps in u8 (400 becomes 144)"),
        ("z[i] = w[i] * w[i]", 1, "w[i] * w[i] wraps in u16 (4294836225 becomes 1)"),
    ],
)
def test_through_variables_and_operators(body, line, begins):
    ((found, message),) = told(body)
    assert found == line
    assert message.startswith(begins)


@pytest.mark.parametrize(
    "body",
    [
        "x[i] = x[i] + y[i]",
        "x[i] += y[i]",
        "z[i] = (x[i] + y[i]) & 0xff",
        "z[i] = hg.u8(x[i] + y[i])",
        "z[i] = hg.i32(x[i]) + y[i]",
        "z[i] = (x[i] & 15) + (y[i] & 15)",
        "z[i] = (x[i] >> 1) + (y[i] >> 1)",
        "z[i] = x[i] // 2 + y[i] % 128",
        "z[i] = hg.u8(n & 15) * 3",
        "z[i] = 255 - x[i]",
        "z[i] = hg.u16(x[i]) + hg.u16(y[i])",
        "w[i] = hg.u16(x[i]) << 8 | y[i]",
        "f[i] = x[i] * 0.5",
        "if x[i] - y[i] == 0:\n    z[i] = 1",
        "z[(x[i] + y[i]) % 16] = 1",
        "t: hg.u8 = x[i] + y[i]\nz[i] = t",
        "t = x[i] + y[i]\nt = t & 127\nz[i] = t",
        "h = x[0]\nfor j in range(n):\n    h = h * 31 + x[j]\nz[h & 7] = 1",
        "t = 0\nfor j in range(n):\n    t += x[j]\ny[i] = t",
        "z[i] = (x[i] > 3) + (y[i] > 3)",
        "m = x[0]\nfor j in range(n):\n    m = max(m, x[j])\nz[i] = m",
    ],
)
def test_what_is_meant_or_fits_is_not_told(body):
    assert told(body) == []


def test_the_numbers_are_those_of_the_type(device):
    text = HEAD + "    z[i] = hg.u8(x[i] + y[i])\n    w[i] = hg.u16(x[i]) + y[i]\n"
    kernel = hg.kernel_from_source(text).on(device)
    x, w, z = np.array([200, 7], np.uint8), np.zeros(2, np.uint16), np.zeros(2, np.int32)
    kernel[2](x, x.copy(), np.zeros(2, np.int8), w, z, np.zeros(2, np.float32), 1)
    assert (z.tolist(), w.tolist()) == ([144, 14], [400, 14])
