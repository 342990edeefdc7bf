"""One type for one expression, known while translating or not, and Python's order of evaluation."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg


@pytest.fixture(scope="module", params=["cpu", "wasm"])
def device(request):
    return hg.backends.DEVICES[request.param]()


def ran(device, body, x, y, before="", constants=None):
    """What the lines leave in y, run by one lane."""
    types = [f"hg.Array[hg.{array.dtype.kind}{8 * array.itemsize}]" for array in (x, y)]
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    text = f"import math\nT = (1, 2, 3)\n{before}\ndef k(x: {types[0]}, y: {types[1]}):\n{lines}"
    kernel = hg.kernel_from_source(text, "k", constants=constants)
    y = y.copy()
    kernel.on(device)[1](x.copy(), y)
    return y.tolist()


BYTE = np.array([200, 7, 0], "u1")
SMALL = np.array([100, 7, 0], "i1")
LONG = np.array([2**40, 3, -1], "i8")


@pytest.mark.filterwarnings("ignore::hologram_web.WrapWarning")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("t = hg.shared(hg.f32, 100)\ny[0] = x[0] + len(t)", 300),
        ("t = hg.local(hg.f32, (2, 100))\ny[0] = x[0] + t.shape[1]", 300),
        ("t = hg.local(hg.f32, (2, 100))\na, b = t.shape\ny[0] = x[0] + b", 300),
        ("y[0] = x[0] + len(T) * 20", 260),
        ("t = hg.shared(hg.f32, 100)\nm = hg.local(hg.u8, len(t) * 2 - 150)\ny[0] = len(m) + x[0]", 250),
        ("for i in range(3):\n    y[i] = x[0] + i * 100", [200, 300, 400]),
        ("for i in range(3):\n    y[i] = x[0] + i * 100 + T[i] * 0", [200, 300, 400]),
        ("for i in range(2, -1, -1):\n    y[i] = x[0] + i * 100 + T[i] * 0", [200, 300, 400]),
        ("for i in range(hg.i64(3)):\n    y[i] = hg.i32((i * 3000000000 + T[i] * 0) >> 30)", [0, 2, 5]),
        ("for i in range(hg.i64(3)):\n    y[i] = hg.i32((i * 3000000000) >> 30)", [0, 2, 5]),
        ("for i in range(1, 3):\n    y[T[i - 1]] = T[i + 0] * (i + 1) - T[i] * min(i, 1)", [0, 2, 6]),
        ("for i in range(3):\n    if i > 0:\n        y[i] = T[i - 1]", [0, 1, 2]),
        ("for i in range(3):\n    y[-i + 2] = T[i] << i", [12, 4, 1]),
        ("for i in range(3):\n    y[i] = hg.i32(2**i) + T[i] * 0", [1, 2, 4]),
        ("for v in T:\n    y[v - 1] = x[0] + v * 50", [250, 44, 94]),
        ("v = hg.i64(0)\nfor v in range(3):\n    y[v] = hg.i32((v * 3000000000 + T[v] * 0) >> 30)", [0, 2, 5]),
        ("b = hg.u8(200) + hg.u8(100)\ny[0] = b", 44),
        ("y[0] = 5 if hg.u8(200) + 100 < 100 else 6", 5),
    ],
)
def test_lengths_and_variables_of_loops_are_i32(device, body, expected):
    found = ran(device, body, BYTE, np.zeros(3, "i4"))
    assert (found if isinstance(expected, list) else found[0]) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y[0] = 5000000000 if x[1] > 0 else x[2]", 5000000000),
        ("y[0] = x[2] if x[1] < 0 else 5000000000", 5000000000),
        ("y[0] = 5000000000 if x[1] < 0 else -6000000000 if x[1] == 3 else x[2]", -6000000000),
        ("a = 5000000000\na += x[1]\ny[0] = a", 5000000003),
        ("y[0] = far(x, x[1])", 5000000000),
        ("a = 0\nfor j in range(2):\n    if a - 5000000000 < 0:\n        y[0] = j\n    a = x[1]", 1),
        ("a = 0\nif a - hg.u16(x[1]) <= 1650278972:\n    y[0] = 4\na += 1", 4),
        ("y[0] = far(x, x[2])", 3),
    ],
)
def test_literals_take_the_type_of_what_they_meet_behind_them(device, body, expected):
    far = "def far(x, c):\n    if c > 0:\n        return 5000000000\n    return x[1]\n"
    assert ran(device, body, LONG, np.zeros(1, "i8"), far) == [expected]


def test_infinite_literals_wait_for_the_type_of_the_other_side(device):
    x = np.array([1, 2], "f8")
    assert ran(device, "y[0] = math.inf if x[0] > 5 else x[1]", x, np.zeros(1)) == [2]
    assert ran(device, "v = -math.inf\nv = max(v, x[1])\ny[0] = v", x, np.zeros(1)) == [2]


def test_conditionals_of_literals_adapt_whether_or_not_a_side_could_fault(device):
    for side in ("3", "3 + (x[1] < 0)"):
        assert ran(device, f"y[0] = x[0] + (100 if x[1] < 0 else {side} + 97)", BYTE, np.zeros(1, "i4")) == [44]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("min(1.0, math.nan)", "nan"),
        ("min(math.nan, 1)", "nan"),
        ("max(math.nan, 1.0, 2)", "nan"),
        ("max(-0.0, 0.0)", "0.0"),
        ("max(0.0, -0.0)", "0.0"),
        ("min(0.0, -0.0)", "-0.0"),
        ("min(0, -0.0)", "-0.0"),
        ("min(1, 2.0) / 2", "0.5"),
        ("max(-math.inf, math.inf)", "inf"),
    ],
)
def test_min_and_max_of_literals_are_min_and_max(device, text, expected):
    x = np.zeros(1, "f4")
    assert str(ran(device, f"y[0] = {text}", x, x)[0]) == expected


@pytest.mark.filterwarnings("ignore::hologram_web.WrapWarning")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("y[0] = x[1] << 40", 7 << 8),
        ("y[0] = x[1] << -30", 7 << 2),
        ("y[0] = x[0] >> 33", 2),
        ("y[0] = x[0] >> -31", 2),
        ("y[0] = hg.rotl(x[1], 33)", 14),
        ("y[0] = hg.rotl(x[1], -1)", (7 >> 1) - 2**31),
        ("y[0] = (x[1] > 0) << 33", 2),
        ("a = x[1]\na <<= 35\ny[0] = a", 56),
        ("n = 40\ny[0] = x[1] << n", 7 << 8),
        ("y[0] = hg.i8(1) << 9", 2),
    ],
)
def test_amounts_of_shifts_are_taken_modulo_the_width(device, body, expected):
    assert ran(device, body, np.array([5, 7], "i4"), np.zeros(1, "i4")) == [expected]


def test_what_a_known_condition_rules_out_makes_no_types(device):
    for known, expected in (("hg.i32(9) > 512", 7), ("x[1] > hg.i32(9) > 512", 7), ("x[1] > 512", 0)):
        text = f"v = hg.i32(x[1])\nif {known}:\n    v = hg.i64(v)\ny[0] = v >> 32"
        assert ran(device, text, np.array([0, 7], "i4"), np.zeros(1, "i8")) == [expected], known


def test_atomics_compute_the_index_before_the_value(device):
    """As Python does: arguments from left to right."""
    text = "hg.atomic_add(y, hg.atomic_add(y, 0, 1), hg.atomic_add(y, 0, 10) * 100)\ny[2] = {0}"
    x = np.zeros(1, "i4")
    assert ran(device, text.format(0), x, np.array([1, 5, 0], "i4")) == [12, 205, 0]
    found = ran(
        device,
        "y[3] = hg.atomic_cas(y, hg.atomic_add(y, 0, 1), hg.atomic_add(y, 0, 1), hg.atomic_add(y, 0, 1))",
        x,
        np.array([1, 2, 9, 9], "i4"),
    )
    assert found == [4, 3, 9, 2]


@pytest.mark.parametrize(
    ("helper", "body", "expected"),
    [
        ("def h(p: hg.u8):\n    p = p + hg.i32(300)\n    return p", "y[0] = h(hg.u8(7))", (7 + 300) % 256),
        ("def h(p: hg.u8):\n    p += 250\n    return p", "y[0] = h(x[1])", 1),
        ("def h(p: hg.i64):\n    p = 1\n    return p << 40 >> 38", "y[0] = hg.i32(h(3))", 4),
        ("def h(p: hg.u8 = 250):\n    for j in range(3):\n        p += 3\n    return p", "y[0] = h()", 3),
        ("def h(p: hg.f32):\n    p = 7\n    return p / 2", "y[0] = hg.i32(h(1) * 10)", 35),
    ],
)
def test_annotated_parameters_of_functions_are_annotated_variables(device, helper, body, expected):
    before = f"import hologram_web as hg\n{helper}\n"
    assert ran(device, body, np.array([200, 7], "u1"), np.zeros(1, "i4"), before) == [expected]


def test_annotated_parameters_refuse_what_annotated_variables_refuse():
    text = "import hologram_web as hg\ndef h(p: hg.i32):\n    p = 1.5\n    return p\n"
    with pytest.raises(hg.TranslateError) as raised:
        hg.kernel_from_source(f"{text}def k(x: hg.Array[hg.i32]):\n    x[0] = h(3)\n", "k", file="page.py")
    assert str(raised.value) == (
        "page.py:3:9: float literal does not become i32 by itself: round it, and convert with hg.i32(x)\n"
        "    p = 1.5\n        ^"
    )
