"""Vectors and arrays in registers: beside NumPy computing the same in f32, on every device."""

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg

# mypy: ignore-errors

HEAD = """
T = typing.TypeVar("T")

def reflected(v, n):
    return v - 2 * hg.dot(v, n) * n

def typed(v: hg.vec3[hg.f32], s: hg.f32) -> hg.vec3[hg.f32]:
    return v * s

def generic(v: hg.vec2[T], s: T) -> T:
    return v.x * s + v.y

def any_of(v: hg.vec4):
    return v.wzyx

def larger(v, w):
    if hg.dot(v, v) > hg.dot(w, w):
        return v
    return w
"""
# Bodies, and what they store: a and b are vec3 of the arguments, s and t numbers of the array, n is 3.
# fmt: off
CASES = {
    "parts": ("out(a.x, a.y, a.z)", "a"),
    "colours and indices": ("out(a.r, a[1], a.b)", "a"),
    "swizzles": ("v = a.zyx\nw = v.xy\nout(v.x, w.y, a.bgr.b)", "[a[2], a[1], a[0]]"),
    "a part more than once": ("v = (a + b).xxy\nout(v)", "(a + b)[[0, 0, 1]]"),
    "in place": ("v = hg.vec3(a)\nv = v.yzx\nout(v)", "a[[1, 2, 0]]"),
    "parts are assigned": ("v = hg.vec3(a)\nv.x = s\nv[1] += t\nv.z *= 2\nout(v)", "[s, a[1] + t, a[2] * 2]"),
    "swizzles are assigned": ("v = hg.vec3(a)\nv.zx = v.xy\nout(v)", "[a[1], a[1], a[0]]"),
    "made of vectors": ("v = hg.vec4(a, s)\nout(hg.vec3(v.w, v.xy))", "[s, a[0], a[1]]"),
    "one number for all": ("out(hg.vec3(s + t) * a)", "(s + t) * a"),
    "arithmetic": ("out(a * b - s / b + 2 * a)", "a * b - s / b + 2 * a"),
    "it is changed": ("v = hg.vec3(a)\nv += b\nv *= s\nv -= 1\nout(v)", "(a + b) * s - 1"),
    "signs": ("out(-a + +b)", "b - a"),
    "remainders": ("out(a // 0.5 + b % 0.75)", "a // f(0.5) + b % f(0.75)"),
    "functions": (
        "out(abs(a) + max(a, b) - min(a, 0.5) + hg.floor(b))",
        "abs(a) + np.maximum(a, b) - np.minimum(a, f(0.5)) + np.floor(b)",
    ),
    "clamp and lerp": ("out(hg.clamp(a, 0.0, 1.0) + hg.fma(a, b, s))", "np.clip(a, 0, 1) + (a * b + s)"),
    "functions of the library": (
        "out(hg.atan(a) + hg.hypot(a, s) + hg.isnan(a))",
        "np.arctan(a) + np.hypot(a, s)",
    ),
    "functions of math": ("out(math.sqrt(abs(a)) + a ** 2)", "np.sqrt(abs(a)) + a * a"),
    "swizzles are changed": ("v = hg.vec3(a)\nv.yx += b.xy * s\nout(v)", "a + s * np.array([b[1], b[0], 0])"),
    "an annotated variable": ("v: hg.vec3 = a\nw: hg.vec3[hg.f32] = hg.vec3(1, 2, 3)\nout(v + w)", "a + [1, 2, 3]"),
    "loops over results": ("total = 0.0\nfor p in hg.cross(a, b):\n    total = total * 2 + p\n"
        "for p, k in zip(hg.vec2(s, t), (1, 2)):\n    total += p * k\nout(total, 0, 0)",
        "[(np.cross(a, b) * [4, 2, 1]).sum() + s + 2 * t, 0, 0]"),
    "select": ("out(hg.select(s > t, a, b))", "a if s > t else b"),
    "a conditional expression": ("out(a + b if s > t else a * x[0])", "a + b if s > t else a * s"),
    "dot": ("d = hg.dot(a, b)\nout(d, hg.dot(a.xy, b.yx), d)", "[dot, a[0] * b[1] + a[1] * b[0], dot]"),
    "cross": ("out(hg.cross(a, b))", "np.cross(a, b)"),
    "cross of what was computed": ("out(hg.cross(a + b, a * b))", "np.cross(a + b, a * b)"),
    "length": ("out(hg.length(a), hg.length(a.xy), hg.length(hg.vec2(3, 4)))", "[norm(a), norm(a[:2]), 5]"),
    "normalize": ("out(hg.normalize(a))", "a / norm(a)"),
    "of functions": ("out(reflected(a, b))", "a - 2 * dot * b"),
    "annotations": ("out(typed(a, s))", "a * s"),
    "any type": ("v = any_of(hg.vec4(a, s))\nout(v.xyz)", "[s, a[2], a[1]]"),
    "type variables": ("out(generic(a.xy, s), 0.0, 0.0)", "[a[0] * s + a[1], 0, 0]"),
    "results of branches": ("out(larger(a, b))", "a if a @ a > b @ b else b"),
    "branches": ("if s > t:\n    v = a * 2\nelse:\n    v = hg.vec3(1)\nout(v)", "a * 2 if s > t else [1, 1, 1]"),
    "loops": ("v = hg.vec3(0)\nfor k in range(n):\n    v = v * s + a\nout(v)", "(a * s + a) * s + a"),
    "a loop over parts": ("total = 0.0\nfor p in a:\n    total = total * s + p\nout(total, len(a), 0)",
        "[(a[0] * s + a[1]) * s + a[2], 3, 0]"),
    "unpacked": ("p, q, r = a\nout(r, q, p)", "a[::-1]"),
    "equal": ("out(a == a, a != a, hg.vec3(1, 2, 3) == a)", "[1, 0, 0]"),
    "casts": ("v = hg.i32(a * 10)\nout(hg.f32(v // 4))", "(a * 10).astype('i4') // 4"),
    "types": ("v = hg.vec3[hg.u8](250, 3, 4) * hg.u8(2)\nout(hg.f32(v))", "[244, 6, 8]"),
    "integers": ("v = hg.vec3(7, n, -2)\nv = v << 1 & 15 ^ 1\nout(hg.f32(v))", "[15, 7, 13]"),
    "tuples of vectors": ("t2 = a, (b, s)\nt2 = t2[1][0], (t2[0], t)\nout(t2[0] + t2[1][0] * t2[1][1])", "b + a * t"),
    "they are seen in functions": ("f = lambda k: a * k\nout(f(s))", "a * s"),
    "registers": ("acc = hg.registers(3, hg.f32)\nfor k in hg.static_range(3):\n    acc[k] = a[k] + acc[2 - k]\n"
        "out(acc[0], acc[1], acc[2])", "[a[0], a[1], a[2] + a[0]]"),
    "registers of two axes": ("m = hg.registers((2, 3), hg.f32, 1.0)\nfor k in range(n):\n"
        "    for i in hg.static_range(2):\n        for j in hg.static_range(3):\n            m[i, j] += a[j] * i\n"
        "out(m[1, 0] + m[0, 0], m[1, 1], m[-1, -1])", "1 + sum3(a) + np.array([1, 0, 0])"),
    "arithmetic of registers": ("m = hg.registers((2, 2), hg.f32, 2.0)\nm = m * s + m\nm -= 1\n"
        "out(m[0, 0], m[1, 1], len(m) + m.shape[1])", "[2 * s + 1, 2 * s + 1, 4]"),
    "registers have their type": ("m = hg.registers(3, hg.u8)\nfor k in hg.static_range(3):\n    m[k] = 300 * n\n"
        "out(m[0], m[1], m[2])", "[132, 132, 132]"),
    "registers in branches": ("m = hg.registers(3, hg.f32)\nif s > t:\n    m[1] = s\nelse:\n    m = m + 3\n"
        "out(m[0], m[1], m[2])", "[0, s, 0] if s > t else [3, 3, 3]"),
    "rows of registers": ("m = hg.registers((2, 3), hg.f32)\nm[1, 2] = s\ntotal = 0.0\nfor row in m:\n"
        "    for v in row:\n        total = total * 2 + v\nout(total, m.shape[0], len(m))", "[s, 2, 2]"),
    "registers are results": ("f = lambda m: m * 2\nm = f(hg.registers(3, hg.f32, 1.5))\n"
        "out(m[0], m[1], m[2])", "[3, 3, 3]"),
    "loads": ("v = x.load(1, 3)\nout(v)", "[t, x[2], x[3]]"),
    "loads and stores": ("y.store(3, x.load(n - 2, 4).wzyx)\nout(y.load(4, 3))", "[x[3], x[2], x[1]]"),
    "of two axes": ("m2.store((1, n - 2), a)\nout(m2.load((1, 1), 3).zyx)", "a[::-1]"),
    "rows": ("row = m2[1, :]\nrow.store(1, a + row.load(0, 3))\nout(m2.load((1, 1), 3))", "a + [4, 5, 6]"),
    "sums and extremes": ("r = hg.registers(3, hg.f32, s)\nout(sum(a), max(a) - min(b), sum(r) + max(r))",
        "[a.sum(dtype='f4'), a.max() - b.min(), 4 * s]"),
    "sums of vectors": ("total = sum(a * w for w in (1, 2, 3))\nout(total)", "a * 6"),
    "shared memory": ("tile = hg.shared(hg.f32, 8)\ntile.store(2, a)\nout(tile.load(1, 3))", "[0, a[0], a[1]]"),
}
# fmt: on


def _kernel(body):
    text = f"import math\nimport typing\nimport hologram_web as hg\n{HEAD}\n"
    head = ", ".join(f"{name}{k}: hg.f32" for name in "ab" for k in range(3))
    arrays = "x: hg.Array[hg.f32], m2: hg.Array[hg.f32, 2], y: hg.Array[hg.f32]"
    lines = body.split("\n")
    made = []
    for line in lines:
        before, _, given = line.partition("out(")
        if not given:
            made.append(line)
            continue
        made.append(f"{before}made = hg.vec3({given}")
        made.append(f"{before}y[0], y[1], y[2] = made.x, made.y, made.z")
    start = ["a, b = hg.vec3(a0, a1, a2), hg.vec3(b0, b1, b2)", "s, t = x[0], x[1]"]
    return text + f"def f({arrays}, {head}, n: hg.i32):\n" + "".join(f"    {line}\n" for line in [*start, *made])


@pytest.mark.parametrize("name", CASES)
def test_vectors(device, name):
    body, wanted = CASES[name]
    kernel = hg.kernel_from_source(_kernel(body), name="f").on(device)
    for s, t in ((0.5, 2.0), (3.0, 0.25)):
        x = np.array([s, t, 6, 7, 8], "f4")
        y, m2 = np.zeros(8, "f4"), np.arange(8, dtype="f4").reshape(2, 4)
        a, b = np.array([1.5, -2, 0.75], "f4"), np.array([-0.5, 4, 3], "f4")
        kernel[1](x, m2, y, *a.tolist(), *b.tolist(), 3)
        f = np.float32
        names = {"np": np, "f": f, "a": a, "b": b, "s": f(s), "t": f(t), "x": x, "dot": a @ b, "norm": np.linalg.norm}
        names["sum3"] = lambda v: v * 3
        np.testing.assert_allclose(y[:3], np.array(eval(wanted, names), "f4"), rtol=1e-6)


@pytest.mark.parametrize(("at", "fault"), [(5, "index 8"), (-2, "index -2"), (6, "index 9"), (8, "index 11")])
def test_a_store_that_does_not_fit_writes_nothing(device, at, fault):
    @hg.kernel
    def write(y: hg.Array[hg.f32], at: hg.i32):
        y.store(at, hg.vec4(1.0, 2.0, 3.0, 4.0))

    y = np.zeros(8, "f4")
    with pytest.raises(hg.ExecutionError, match=f"OutOfBounds.*{fault}"):
        write.on(device)[1](y, at)
    if device.name != "webgpu":
        assert not y.any()
    write.on(device)[1](y, 4)
    assert y.tolist() == [0, 0, 0, 0, 1, 2, 3, 4]


@pytest.mark.parametrize("at", [5, -1, 100, -100])
def test_a_load_that_does_not_fit_is_a_fault(device, at):
    @hg.kernel
    def read(x: hg.Array[hg.i32], y: hg.Array[hg.i32], at: hg.i32):
        y.store(0, x.load(at, 4))

    x, y = np.arange(8, dtype="i4"), np.zeros(4, "i4")
    with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
        read.on(device)[1](x, y, at)
    read.on(device)[1](x, y, 4)
    assert y.tolist() == [4, 5, 6, 7]


def test_parts_of_elements_are_assigned(device):
    """`p[i].yx = v` was "attributes cannot be assigned", and so was `p[i].g`."""

    @hg.kernel
    def turn(p: hg.Array[hg.vec3[hg.f32]], n: hg.Array[hg.i32]):
        i = hg.global_id()
        p[i].yx = p[i].xy
        p[i].zx += hg.vec2(10.0, 20.0)
        p[i].g -= 1.0
        p[hg.atomic_add(n, 0, 1)].xyz *= 2.0

    p, n = np.arange(12, dtype="f4").reshape(4, 3), np.zeros(1, "i4")
    turn.on(device)[4](p, n)
    x, y, z = np.arange(12, dtype="f4").reshape(4, 3).T
    np.testing.assert_array_equal(p, 2 * np.stack([y + 20, x - 1, z + 10], axis=1))
    assert n[0] == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("p[0].xy = hg.vec3(1.0, 2.0, 3.0)", "this is a vec3, and here are 2 parts: assign a vec2"),
        ("p[0].xy = 1.0", "this is float literal, and here are 2 parts: assign a vec2"),
        ("p[0].xx = p[1].xy", "attributes cannot be assigned"),
    ],
)
def test_what_does_not_fit_parts_of_elements(line, message):
    with pytest.raises(hg.TranslateError, match=message):
        hg.kernel_from_source(f"def k(p: hg.Array[hg.vec3[hg.f32]]):\n    {line}\n")


def test_names_of_vectors_outside_of_kernels():
    with pytest.raises(hg.TranslateError, match=r"hg.vec3 belongs into a kernel"):
        hg.vec3(1, 2, 3)
    assert str(hg.vec3[hg.f32]) == "a vec3 of f32, f32, f32"


@pytest.mark.parametrize(
    ("over", "total"),
    [("x.load(0, 3)", 3), ("v.zy", 5), ("v + v", 12), ("-v", -6), ("(v if x[0] > 0 else -v)", -6), ("r * 2", 12)],
)
def test_loops_over_what_is_computed(over, total):
    """They were refused: `take one part, v + v.x`."""
    text = (
        "def k(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):\n    v = x.load(1, 3)\n    r = hg.registers(3, hg.f32, 2.0)\n"
    )
    kernel = hg.kernel_from_source(f"{text}    t = 0.0\n    for b in {over}:\n        t += b\n    y[0] = t\n")
    y = np.zeros(1, np.float32)
    kernel[1](np.arange(4, dtype=np.float32), y)
    assert y[0] == total
