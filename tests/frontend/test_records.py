"""Records: NamedTuples, dataclasses and NumPy's structured types as values, elements and parameters."""

# mypy: ignore-errors
# ruff: noqa: E501

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import pytest

import hologram_web as hg


class Point(NamedTuple):
    x: hg.f32
    y: hg.f32 = 0.5


@dataclass
class Particle:
    at: Point
    mass: hg.f64 = 1.0
    alive: bool = True
    tag: hg.u8 = 3


@dataclass(frozen=True)
class Pair:
    low: hg.i32
    high: hg.i32


@dataclass
class Field:
    """Scalars and arrays."""

    values: hg.Array[hg.f32, 2]
    scale: hg.f32
    origin: Point
    wrap: bool
    flags: hg.Array[bool]


ORIGIN = Point(1.0, 2.0)


def moved(p: Point, by: Point) -> Point:
    return Point(p.x + by.x, p.y + by[1])


def ordered(a, b):
    if a > b:
        return Pair(b, high=a)
    return Pair(a, b)


BODIES = {
    "made and read": "p = Point(a, y=b)\ns = p.x * 10 + p.y + p[0] + Point(4.0).y",
    "a dataclass is changed": "p = Particle(Point(a, b))\np.mass += 2\np.tag = 7\np.at = Point(p.at.y, p.at.x)\n"
    "s = p.mass * 100 + p.tag * 10 + p.at.x",
    "copies are apart": "p = Particle(Point(a, b))\nq = dataclasses.replace(p, mass=5.0)\np.mass = 7.0\ns = p.mass * 10 + q.mass",
    "_replace": "p = Point(a, b)\np = p._replace(y=p.x, x=p.y)\ns = p.x * 10 + p.y",
    "results": "p = ordered(a, b)\nq = ordered(b, a)\ns = p.low * 10.0 + q.high + (p == q) * 100",
    "arguments": "p = moved(moved(Point(a, b), ORIGIN), by=Point(y=3.0, x=4.0))\ns = p.x * 10 + p.y",
    "unpacked": "x, y = moved(Point(a, b), ORIGIN)\nq = Point(y, x)\nfor v in q:\n    s = s * 10 + v",
    "branches": "if a > b:\n    p = Point(a, 1)\nelse:\n    p = Point(2, b)\nq = p if a > 2 else ORIGIN\ns = p.x * 10 + q.y",
    "loops": "p = Point(a, b)\nfor n in range(3):\n    p = moved(p, Point(n, 1))\ns = p.x * 100 + p.y",
    "among tuples": "t = (Point(a, b), 3)\ns = t[0].x * 10 + t[0][1] + t[1]",
    "from outside": "s = ORIGIN.x + ORIGIN[1] + LIMITS.high * a",
}
HEAD = "s = 0.0\n"


@pytest.mark.parametrize("name", BODIES)
def test_as_python_does(device, name, tmp_path):
    body = "".join(f"    {line}\n" for line in (HEAD + BODIES[name]).splitlines())
    path = tmp_path / "k.py"
    path.write_text(f"def f(a: hg.i32, b: hg.i32, out: hg.Array[hg.f64]):\n{body}    out[0] = s\n")
    scope = {**globals(), "LIMITS": Pair(3, 9)}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    kernel = hg.kernel(scope["f"]).on(device)
    for a, b in ((2, 3), (5, 1), (3, 3)):
        found, expected = np.zeros(1), np.zeros(1)
        kernel[1](a, b, found)
        scope["f"](a, b, expected)
        assert found == expected


@hg.kernel
def advance(p: hg.Array[Particle], q: hg.Array[Particle, 2], by: Point, n: hg.Array[hg.i32]):
    i = hg.global_id()
    if i < len(p):
        a = p[i]
        a.at = moved(a.at, by)
        a.alive = a.mass > 1
        q[i, 1] = a
        q[i][1].tag += 250
        p[i].at.x *= 2
        p[i].at = p[i].at._replace(y=7)
        p[i].alive = not p[i].alive
        if q[i, 1].alive:
            n[i] = q[i, 1].tag


def _particles(dtype):
    p = np.zeros(5, dtype)
    p["at"]["x"], p["at"]["y"], p["mass"], p["tag"] = np.arange(5), 0.25, [0, 1, 2, 3, 4], [1, 2, 3, 4, 10]
    p["alive"][::2] = True
    return p


def _advanced(p):
    q, n = np.zeros((5, 2), p.dtype), np.zeros(5, "i4")
    q[:, 1] = p
    q["at"]["x"][:, 1] += 10
    q["at"]["y"][:, 1] += 20
    q["alive"][:, 1] = p["mass"] > 1
    q["tag"][:, 1] += 250
    n[:] = np.where(q["alive"][:, 1], q["tag"][:, 1], 0)
    p = p.copy()
    p["at"]["x"] *= 2
    p["at"]["y"] = 7
    p["alive"] = ~p["alive"]
    return p, q, n


PACKED = hg.dtype_of(Particle)
ALIGNED = hg.dtype_of(Particle, align=True)
by_dtype = {}


@hg.kernel
def advance_aligned(p: hg.Array[ALIGNED], q: hg.Array[ALIGNED, 2], by: Point, n: hg.Array[hg.i32]):
    i = hg.global_id()
    if i < len(p):
        a = p[i]
        a["at"].x += by.x
        a.at.y += by.y
        a.alive = a.mass > 1
        q[i, 1] = Particle(Point(a.at.x, a.at.y), a.mass, a.alive, a.tag)
        q[i][1]["tag"] += 250
        p[i].at.x *= 2
        p[i]["at"]["y"] = 7
        p[i].alive = not p[i].alive
        if q[i, 1].alive:
            n[i] = q[i, 1].tag


@pytest.mark.parametrize(
    ("kernel", "dtype"), [(advance, PACKED), (advance_aligned, ALIGNED)], ids=["packed", "aligned"]
)
def test_elements(device, kernel, dtype):
    assert dtype.itemsize == {PACKED: 18, ALIGNED: 24}[dtype]
    given, expected = _particles(dtype), _advanced(_particles(dtype))
    ours = given.copy(), np.zeros((5, 2), dtype)
    n = np.zeros(5, "i4")
    kernel.on(device)[8](*ours, Point(10.0, 20.0), n)
    with hg.Executor("wasm") as executor:
        buffers = executor.array(given), executor.zeros((5, 2), dtype), executor.array(np.zeros(5, "i4"))
        assert buffers[0].dtype == buffers[1].dtype
        kernel[8](*buffers[:2], Point(10.0, 20.0), buffers[2])
        back = [buffer.numpy() for buffer in buffers]
    compiled = hg.load(hg.compile(kernel, lanes=8, shapes={"p": ("n",), "q": ("n", 2), "n": ("n",)}).to_bytes())
    assert str(compiled.ports[0]) == f"p: u8[n, {dtype.itemsize}] read_write"
    scalars = {"by.x": 10.0, "by.y": 20.0}
    found = compiled.run(device, p=given, q=np.zeros((5, 2), dtype), n=np.zeros(5, "i4"), **scalars)
    for results in ((*ours, n), back, found.values()):
        for one, other in zip(results, expected, strict=True):
            assert one.dtype == other.dtype
            assert (one == other).all()


def test_rows_and_loops_of_records(device):
    @hg.kernel
    def total(p: hg.Array[Pair, 2], y: hg.Array[hg.i32]):
        i = hg.global_id()
        row = p[i]
        for v in row:
            y[i] += v.low * v.high
        row[0] = Pair(1, 2)
        mine = hg.local(Pair, 3)
        mine[i] = row[1]
        y[i] += mine[i].high * 1000

    p, y = np.zeros((2, 3), hg.dtype_of(Pair)), np.zeros(2, "i4")
    p["low"], p["high"] = np.arange(6).reshape(2, 3), 2
    total.on(device)[2](p, y)
    assert y.tolist() == [2006, 2024]
    assert p[:, 0].tolist() == [(1, 2), (1, 2)]


def shifted(field, r):
    return field.origin.x if field.values[r, 0] > 4 else field.origin.y


@hg.kernel
def smooth(field: Field, y: hg.Array[hg.f32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    row = field.values[r]
    left = row[(c - 1) % len(row)] if field.wrap else row[max(c - 1, 0)]
    y[r, c] = (left + field.values[r, c]) * field.scale + shifted(field, r)
    if c == 0:
        field.flags[r] = y[r, c] > 0


def test_parameters_of_kernels(device):
    assert list(smooth.params) == [
        *("field.values", "field.scale", "field.origin.x", "field.origin.y", "field.wrap", "field.flags", "y"),
    ]
    values = np.arange(12, dtype="f4").reshape(3, 4)
    for wrap in (True, False):
        field = Field(values, 0.5, Point(100.0, 200.0), wrap, np.zeros(3, bool))
        left = np.roll(values, 1, 1) if wrap else values[:, [0, 0, 1, 2]]
        expected = (left + values) * 0.5 + np.array([[200], [200], [100]])
        y = np.zeros_like(values)
        smooth.on(device)[(4, 3), (16, 16)](field, y)
        assert (y == expected).all()
        assert field.flags.all()
        y[:] = 0
        smooth.on(device)(y=y, field=field)
        assert (y == expected).all()
        with hg.Executor("wasm") as executor:
            there = dataclasses.replace(field, values=executor.array(values), flags=executor.zeros(3, bool))
            out = executor.zeros((3, 4))
            smooth[(4, 3), (16, 16)](there, out)
            smooth[(4, 3), (16, 16)](there, out)
            assert (out.numpy() == expected).all()
            assert there.flags.tolist() == [True] * 3
    with pytest.raises(hg.LaunchError, match="parameter 'field' is Field: give one, not 3"):
        smooth[(4, 3), (16, 16)](3, y)
    with pytest.raises(hg.LaunchError, match=r"field.values has dtype float64; f32 is expected"):
        smooth[(4, 3), (16, 16)](dataclasses.replace(field, values=values.astype("f8")), y)
    with pytest.raises(hg.LaunchError, match=r"parameter 'y' is missing: the kernel takes \(field: Field"):
        smooth[(4, 3), (16, 16)](field)


def test_constants_beside_records(device):
    @hg.kernel
    def scaled(p: Pair, y: hg.Array[hg.i32], N: hg.Constant[int] = 2):
        y[hg.global_id()] = p.low * N + p.high

    y = np.zeros(2, "i4")
    scaled.on(device)[2](Pair(3, 4), y, N=5)
    assert y.tolist() == [19, 19]


def test_an_index_beyond_the_records(device):
    @hg.kernel
    def beyond(p: hg.Array[Pair]):
        p[hg.global_id() + 2] = Pair(1, 1)

    p = np.zeros(3, hg.dtype_of(Pair))
    with pytest.raises(hg.ExecutionError, match="index 3 of axis 0 of p is beyond its length, which is 3"):
        beyond.on(device)[2](p)


def test_strided_and_offset_arrays(device):
    @hg.kernel
    def double(p: hg.Array[Pair]):
        p[hg.global_id()].low *= 2

    p = np.zeros(6, hg.dtype_of(Pair))
    p["low"] = np.arange(6)
    double.on(device)[3](p[::2])
    assert p["low"].tolist() == [0, 1, 4, 3, 8, 5]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("p[0] = 1", "int literal does not become Pair: store one, or its parts one by one"),
        ("p[0] = Point(1.0, 2.0)", "Point does not become Pair: store one, or its parts one by one"),
        ("y[0] = p[0]", "p[0] is Pair: take one part, p[0].low"),
        ("y[0] = p[0].middle", "there is no middle: p[0] is Pair, which has low, high"),
        ("y[0] = p[0]['middle']", "there is no field 'middle': p[0] has low, high"),
        ("y[0] = p[0] + p[1]", "+ does not work on Pair: compute with its parts"),
        ("q = Pair(1)", "write Pair(low, high): arguments are missing or too many"),
        ("q = Pair(1, 2, low=3)", "low is given twice: write Pair(low, high)"),
        ("q = Pair(1, 2, mid=3)", "mid is no field: write Pair(low, high)"),
        ("q = Pair(1.5, 2)", "float literal does not become i32 by itself: round it, and convert with hg.i32(x)"),
        ("q = Pair(1, 2)\n    q.low = 3", "q is Pair, whose parts are not assigned: make a new one"),
        (
            "q = Point(1.0)\n    q = Pair(1, 2)",
            "q is Point elsewhere and Pair here, and a variable has one type: use another name",
        ),
        (
            "by.low = 3",
            "by is a parameter, and its caller would see no change: give it a name of its own first, and return it",
        ),
        ("q = by._replace(mid=1)", "mid is no field: Pair has low, high"),
        ("hg.atomic_add(p, 0, 1)", "p is Pair: atomics work on i32, u32, i64 and u64, atomic_add on f32 too"),
        ("q = f", "f holds an array, f.values: only parameters do"),
        ("y[0] = f.values", "f.values is an array: read an element of it, f.values[i, j]"),
    ],
)
def test_messages(body, message, tmp_path):
    path = tmp_path / "k.py"
    path.write_text(f"def k(p: hg.Array[Pair], y: hg.Array[hg.i32], by: Pair, f: Field):\n    {body}\n")
    scope = dict(globals())
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(hg.TranslateError) as raised:
        hg.kernel(scope["k"])
    assert raised.value.message.partition("\n")[0] == message


def test_classes_that_are_no_records():
    class Odd(NamedTuple):
        n: int

    class Wide(NamedTuple):
        n: hg.u128

    with pytest.raises(hg.TranslateError, match=r"the field n of Odd is int, no type of a kernel: write hg\.i32"):
        hg.Array[Odd]
    with pytest.raises(hg.TranslateError, match="the field n of Wide is u128, no type of a kernel"):
        hg.Array[Wide]
    with pytest.raises(hg.TranslateError, match="there are no elements of NumPy's"):
        hg.Array[np.dtype([("a", "U3")])]
    with pytest.raises(hg.TranslateError, match=r"hg\.dtype_of takes a NamedTuple or a dataclass, not 3"):
        hg.dtype_of(3)
    other = np.zeros(3, hg.dtype_of(Point))
    with pytest.raises(hg.LaunchError, match=r"p has dtype .*; Particle is expected"):
        advance[1](other, np.zeros((3, 2), PACKED), Point(1.0, 1.0), np.zeros(3, "i4"))


def test_steps_show_records():
    given = _particles(PACKED), np.zeros((5, 2), PACKED), Point(1.0, 2.0), np.zeros(5, "i4")
    last = list(advance.steps[1](*given))[-1]
    assert last.values["p"]["tag"].tolist() == [1, 2, 3, 4, 10]
    assert last.values["q"]["tag"][0, 1] == 251
    assert last.values["a.tag"].tolist() == [1]


T = TypeVar("T")
U = TypeVar("U", hg.f32, hg.f64, hg.i32)


class Counted(NamedTuple, Generic[T]):
    value: T
    count: hg.i32 = 1


@dataclass
class Line(Generic[T]):
    ends: hg.vec2[T]
    best: Counted[T]


def merged(a: Counted[T], b: Counted[T]) -> Counted[T]:
    return Counted(a.value + b.value, a.count + b.count)


def first(line: Line):
    return line.ends.x


@hg.kernel
def of_any(x: hg.Array[U], y: hg.Array[U], one: Counted[U]):
    i = hg.global_id()
    total = Counted(x[i])
    for _ in range(3):
        total = merged(total, one)
    line = Line(hg.vec2(x[i], total.value), total._replace(count=total.count + 1))
    line.ends.x += 1
    line.best = merged(line.best, total)
    y[i] = first(line) * 100 + line.best.value + line.best.count


@pytest.mark.parametrize("ty", ["f4", "f8", "i4"])
def test_fields_of_any_type(device, ty):
    x, y = np.array([1, 2, 2**20], ty), np.zeros(3, ty)
    of_any.on(device)[3](x, y, Counted(np.dtype(ty).type(2), 1))
    total = x + 6
    np.testing.assert_array_equal(y, ((x + 1) * 100 + 2 * total + 9).astype(ty))


@hg.kernel
def of_one(p: hg.Array[Line[hg.f64]], q: hg.Array[Counted[hg.u8]], by: Counted[hg.f32]):
    i = hg.global_id()
    p[i].best = merged(p[i].best, Counted(hg.f64(by.value), by.count))
    p[i].ends.y = q[i].value
    q[i] = Counted(7, i)


def test_elements_of_generic_records(device):
    p, q = np.ones(2, hg.dtype_of(Line[hg.f64])), np.ones(2, hg.dtype_of(Counted[hg.u8]))
    of_one.on(device)[2](p, q, Counted(0.5, 3))
    assert p["ends"].tolist() == [[1.0, 1.0]] * 2
    assert p["best"].tolist() == [(1.5, 4)] * 2
    assert q.tolist() == [(7, 0), (7, 1)]


def made(ty):
    @hg.kernel
    def doubled(x: hg.Array[Counted[ty]], v: hg.Array[hg.vec2[ty]], y: hg.Array[ty]):
        i = hg.global_id()
        x[i].count += 1
        y[i] = x[i].value * 2 + v[i].y

    return doubled


@pytest.mark.parametrize("ty", [hg.f32, hg.i32, hg.u64])
def test_a_function_makes_a_kernel_for_records_of_its_type(device, ty):
    x, v, y = np.zeros(2, hg.dtype_of(Counted[ty])), np.ones((2, 2), ty.numpy), np.zeros(2, ty.numpy)
    x["value"] = 3, 4
    made(ty).on(device)[2](x, v, y)
    assert y.tolist() == [7, 9]
    assert x["count"].tolist() == [1, 1]


def test_types_that_records_lack():
    which = (
        "elements of arrays say which type, hg.Array[{0}[hg.f32]]; for several, def made(ty) makes the kernel, {0}[ty]"
    )
    where = re.escape(f"the field value of Counted is T: {which.format('Counted')}") + "$"
    with pytest.raises(hg.TranslateError, match=where):
        hg.dtype_of(Counted)
    with pytest.raises(hg.TranslateError, match=where):
        hg.Array[Counted[T]]
    with pytest.raises(hg.TranslateError, match=re.escape(f"a vec3 of T: {which.format('hg.vec3')}") + "$"):
        hg.Array[hg.vec3[T]]

    def unknown(p: hg.Array[Counted[nowhere]]):  # noqa: F821
        p[0].count = 1

    with pytest.raises(hg.TranslateError, match=r"Counted\[nowhere\] is not known here: write hg\.Array\[hg\.f32\]"):
        hg.kernel(unknown)

    def k(p: Counted, y: hg.Array[hg.f32]):
        y[0] = p.value

    with pytest.raises(hg.TranslateError, match=r"Counted has fields of the type T: say which, Counted\[hg\.f32\]"):
        hg.kernel(k)
