"""Rows and other parts of arrays, arrays of up to eight axes, and of bool: beside NumPy, on every device."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg

BODIES = {
    "a row": "row = m[k, :]\nfor j in range(len(row)):\n    s = s * 3 + row[j]",
    "a row without the colon": "row = m[k]\nfor v in row:\n    s = s * 3 + v",
    "a column": "column = m[:, k]\nfor v in column:\n    s = s * 3 + v",
    "stored through": "row = m[1]\nrow[0], row[2] = 40, 50\nrow[1] += 7\ns = m[1, 0] + m[1, 1] + m[1, 2]",
    "the index changes afterwards": "i = 0\nrow = m[i, :]\ni = 1\ns = row[1] * 10 + i",
    "another row each round": "for i in range(2):\n    row = m[i]\n    for v in row:\n        s = s * 3 + v",
    "on two paths": "if k > 1:\n    row = m[0]\nelse:\n    row = m[1]\ns = row[2]",
    "loops over a row that is found once": "i = 0\nfor v in m[i]:\n    i = 1\n    s = s * 3 + v",
    "zip of rows": "for v, w in zip(m[0], m[1]):\n    s = s * 3 + v * w",
    "lengths": "row = c[1, :, 0]\ns = len(row) * 100 + row.shape[0] * 10 + len(c[0, 1]) + c[1].shape[1]",
    "of three axes": "plane = c[1]\nrow = plane[1]\ns = row[3] * 100 + plane[0, 2] + plane[1][1] + c[0][1, :][2]",
    "the middle": "cut = c[:, 1, :]\ns = cut[1, 2] * 10 + cut[0][3]",
    "all of it": "same = x[:]\nsame[1] = 5\nboth = m[:, :]\ns = x[1] + both[1, 1]",
    "as an argument": "s = total(m[k - 1]) * 100 + total(m[:, 1]) + total(x)\nclear(m[0])\ns += m[0, 1]",
    "a named row as an argument": "row = c[0, 1]\ns = total(row)\nclear(row)\ns = s * 7 + c[0, 1, 2] + c[1, 1, 2]",
    "unpacked": "row = m[0]\nrow[0], row[1] = row[1], row[0]\ns = m[0, 0] * 10 + m[0, 1]",
    "four axes": "s = e[1, 0, 1, 2] * 100 + e[0][1, 1][k]",
    "a part of an array": "part = x[1:3]\npart[0] += 4\nfor v in part:\n    s = s * 3 + v\ns = s * 10 + len(part)",
    "to the end, and beyond it": "for v in x[k - 1:]:\n    s = s * 3 + v\nfor v in x[1:90]:\n    s = s * 5 + v",
    "an empty part": "part = x[2:k - 1]\ns = len(part) * 10 + len(x[5:])",
    "of rows and columns": "part = m[1:, k - 1:k + 1]\ns = part[1, 0] * 100 + len(part) * 10 + part.shape[1]",
    "a row's part": "part = m[k, 1:]\ns = part[0] * 10 + part[1] + part.shape[0]",
    "a part of a part": "part = x[1:]\nlast = part[1:]\nlast[0] = 9\ns = last[0] * 10 + len(last) + x[2]",
    "a row of a part": "part = m[1:, :2]\nrow = part[k - 1]\ns = row[1] * 10 + len(row)",
    "another part each round": "for i in range(2):\n    part = x[i:i + 2]\n    s = s * 7 + part[1]",
    "a row of a part, by number": "part = c[:, 1:, k:]\nrow = part[0, 0]\ns = row[0] * 10 + len(row)",
    "parts as arguments": "s = total(x[k - 1:2]) * 100 + total(m[1, 1:])\nclear(x[1:])\ns += x[2]",
    "a part with numbers of the loop": "part = x[1:]\nfor i, v in enumerate(part):\n    s = s * 3 + i * v",
    "a row is unpacked": "a, b, d = m[k]\ns = a * 100 + b * 10 + d\np, q = x[1:3]\ns = s * 100 + p + q * k",
    "a column is unpacked into it": "m[0, 0], m[1, 0], m[2, 0] = m[:, 1]\ns = m[0, 0] + m[1, 0] * 3 + m[2, 0] * 9",
    "sums of rows": "s = sum(m[k]) * 1000 + max(m[:, k]) * 100 + min(m[k - 1:, 1]) + any(m[0]) + all(m[0])",
    "lengths of axes": "for n in c.shape:\n    s = s * 10 + n\nfor j, n in enumerate(m.shape):\n    s += j * n",
    "the greatest length": "s = max(c.shape) * 10 + sum(m.shape)",
    "a plane of four axes": "plane = e[1, :, 0]\ns = plane[1, 2] + len(plane) * 1000 + plane.shape[1] * 100",
}
HEAD = """
def total(row):
    s = 0
    for j in range(len(row)):
        s = s * 2 + row[j]
    return s

def clear(row):
    for j in range(row.shape[0]):
        row[j] = -j

def f(x: hg.Array[hg.i32], m: hg.Array[hg.i32, 2], c: hg.Array[hg.i32, 3], e: hg.Array[hg.i32, 4], k: hg.i32,
      out: hg.Array[hg.i32]):
    s = 0
"""


@pytest.mark.parametrize("name", BODIES)
def test_as_numpy_does(device, name):
    text = HEAD + "".join(f"    {line}\n" for line in BODIES[name].splitlines()) + "    out[0] = s\n"
    kernel = hg.kernel_from_source(text, name="f").on(device)
    scope = {"hg": hg}
    exec(text, scope)
    for k in (1, 2):
        given = [np.array([5, -6, 8], "i4"), np.arange(9).reshape(3, 3), np.arange(16).reshape(2, 2, 4) * 3]
        given = [array.astype("i4") for array in (*given, np.arange(24).reshape(2, 2, 2, 3))]
        theirs = [array.copy() for array in given]
        found, expected = np.zeros(1, "i4"), np.zeros(1, "i4")
        kernel[1](*given, k, found)
        scope["f"](*theirs, k, expected)
        assert found == expected
        for ours, other in zip(given, theirs, strict=True):
            assert (ours == other).all()


@hg.kernel
def row_sums(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32]):
    i = hg.global_id()
    row = x[i, :]
    for v in row:
        y[i] += v


def test_lanes_follow_from_rows(device):
    x, y = np.arange(12, dtype="f4").reshape(3, 4), np.zeros(3, "f4")
    row_sums.on(device)(x, y)
    assert (y == x.sum(1)).all()
    assert ("x", 0, 0) in row_sums.indexed


@pytest.mark.parametrize("length", [1, 3])
def test_a_row_is_unpacked_to_as_many_names_as_it_has_elements(device, length):
    """A longer one is a fault, too, as it is to Python."""

    @hg.kernel
    def pairs(m: hg.Array[hg.i32, 2], y: hg.Array[hg.i32]):
        i = hg.global_id()
        a, b = m[i]
        y[i] = a * 10 + b

    y = np.zeros(2, "i4")
    pairs.on(device)[2](np.array([[1, 2], [3, 4]], "i4"), y)
    assert y.tolist() == [12, 34]
    with pytest.raises(hg.ExecutionError, match=r"OutOfBounds.* (values_to_unpack|axis 1 of m) ") as caught:
        pairs.on(device)[2](np.zeros((2, length), "i4"), y)
    assert caught.value.__notes__[0].endswith("a, b = m[i]")


def test_an_index_beyond_its_axis_names_the_array(device):
    @hg.kernel
    def beyond(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32]):
        row = x[hg.global_id() + 1]
        y[hg.global_id()] = row[0]

    @hg.kernel
    def along(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32]):
        row = x[0, :]
        y[hg.global_id()] = row[hg.global_id() + 2]

    for kernel, index, axis, length in ((beyond, 3, 0, 3), (along, 4, 1, 4)):
        with pytest.raises(hg.ExecutionError, match=f"index {index} of axis {axis} of x is .*, which is {length}"):
            kernel.on(device)[3](np.zeros((3, 4), "i4"), np.zeros(3, "i4"))


def test_a_sum_in_a_row_that_was_read_is_a_race():
    text = "def k(h: hg.Array[hg.i32, 2], x: hg.Array[hg.i32]):\n    row = h[x[hg.global_id()]]\n"
    text += "    row[hg.global_id()] += 1"
    with pytest.warns(hg.RaceWarning, match=r"write hg.atomic_add\(row, hg.global_id\(\), 1\)"):
        hg.kernel_from_source(text)


@hg.kernel
def counted(x: hg.Array[hg.u8, 2], bins: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    row = bins[i]
    for v in x[i]:
        hg.atomic_add(row, hg.i32(v), 1)


def test_atomics_in_a_row(device):
    x, bins = np.array([[1, 1, 0], [2, 1, 2]], "u1"), np.zeros((2, 3), "i4")
    counted.on(device)[2](x, bins)
    assert bins.tolist() == [[1, 2, 0], [0, 1, 2]]


@pytest.mark.parametrize("axes", [4, 5, 8])
def test_arrays_of_many_axes(device, axes):
    shape = (2, 3, 2, 3, 1, 2, 2, 2)[:axes]
    names = [f"i{axis}" for axis in range(axes)]
    lines = [f"    {name} = at % {n}\n    at //= {n}\n" for name, n in reversed(list(zip(names, shape, strict=True)))]
    text = f"def f(x: hg.Array[hg.i32, {axes}], y: hg.Array[hg.i32, {axes}]):\n    at = hg.global_id()\n"
    text += "".join(lines) + f"    y[{', '.join(names)}] = x[{', '.join(names)}] * 2 + x.shape[{axes - 1}]\n"
    kernel = hg.kernel_from_source(text)
    x, y = np.arange(np.prod(shape), dtype="i4").reshape(shape), np.zeros(shape, "i4")
    kernel.on(device).over(y)(x, y)
    assert (y == x * 2 + shape[-1]).all()
    compiled = hg.load(hg.compile(kernel, lanes=x.size, shapes={"x": shape, "y": shape}).to_bytes())
    assert (compiled.run(device, x) == y).all()
    with pytest.raises(hg.LaunchError, match=f"x has 1 axis; {axes} axes are expected"):
        kernel[1](x.ravel(), y)


def test_shared_and_local_arrays_of_four_axes(device):
    @hg.kernel
    def boxes(y: hg.Array[hg.i32]):
        s = hg.shared(hg.i32, (2, 3, 2, 2))
        p = hg.local(hg.i32, (2, 1, 2, 2, 3))
        i = hg.local_id()
        s[i // 12, i // 4 % 3, i // 2 % 2, i % 2] = i
        p[1, 0, i % 2, 1, 2] = i
        hg.barrier()
        j = 23 - i
        y[i] = s[j // 12, j // 4 % 3, j // 2 % 2, j % 2] * 100 + p[1, 0, i % 2, 1, 2]

    y = np.zeros(24, "i4")
    boxes.on(device)[24, 24](y)
    assert (y == np.arange(24)[::-1] * 100 + np.arange(24)).all()


@hg.kernel
def flags(x: hg.Array[hg.f32], m: hg.Array[bool], n: hg.Array[hg.bool_, 2], y: hg.Array[hg.i32]):
    i = hg.global_id()
    above = hg.shared(bool, 64)
    mine = hg.local(hg.bool_, 2)
    above[hg.local_id()] = x[i] > 0
    mine[0] = x[i]
    hg.barrier()
    m[i] = above[hg.local_id()] and not n[i, 0]
    n[i, 1] |= x[i] > 2
    n[i][0] = 3
    y[i] = m[i] + 2 * n[i, 1] + 4 * mine[0] + hg.select(m[i], 8, 0) + (16 if mine[1] else 32)
    if m[i] == n[i, 1] or not mine[0]:
        y[i] = -y[i]


def _flags(x, m, n):
    m, n, first = (x > 0) & ~n[:, 0], n.copy(), n
    n[:, 1] |= x > 2
    n[:, 0] = True
    y = m + 2 * n[:, 1] + 4 * (x != 0) + np.where(m, 8, 0) + 32
    assert first is not n
    return m, n, np.where((m == n[:, 1]) | (x == 0), -y, y)


def test_arrays_of_bool(device):
    x = np.array([1, -1, 3, 0, 0.5, 7], "f4")
    given = np.zeros(6, bool), np.array([[0, 1], [0, 0], [1, 1], [0, 0], [1, 0], [0, 0]], bool)
    expected = _flags(x, *given)
    ours = [array.copy() for array in given] + [np.zeros(6, "i4")]
    flags.on(device)[6, 64](x, *ours, partial=True)
    with hg.Executor("wasm") as executor:
        buffers = [executor.array(array) for array in (x, *given, np.zeros(6, "i4"))]
        flags[6, 64](*buffers, partial=True)
        assert [buffer.dtype for buffer in buffers] == [hg.f32, hg.bool_, hg.bool_, hg.i32]
        back = [buffer.numpy() for buffer in buffers[1:]]
        assert buffers[1].tolist() == expected[0].tolist()
    shapes = {"x": ("n",), "m": ("n",), "n": ("n", 2), "y": ("n",)}
    compiled = hg.load(hg.compile(flags, lanes="n", block=64, shapes=shapes).to_bytes())
    assert compiled.metadata["element.m"] == "bool"
    found = compiled.run(device, x, *given, np.zeros(6, "i4"))
    for results in (ours, back, list(found.values())):
        for mine, other in zip(results, expected, strict=True):
            assert (mine == other).all()
            assert mine.dtype == (bool if other.dtype == bool else np.int32)
    bytes_ = compiled.run(device, x, *(array.view("u1") for array in given), np.zeros(6, "i4"))
    assert (bytes_["m"] == expected[0]).all()


def test_what_is_no_array_of_bool():
    with pytest.raises(hg.LaunchError, match="m has dtype uint8; bool is expected"):
        flags[6, 64](np.zeros(6, "f4"), np.zeros(6, "u1"), np.zeros((6, 2), bool), np.zeros(6, "i4"), partial=True)
    text = "def k(m: hg.Array[bool]):\n    hg.atomic_or(m, 0, 1)\n"
    with pytest.raises(hg.TranslateError, match="m is bool: atomics work on i32, u32, i64 and u64"):
        hg.kernel_from_source(text)
    text = "def k(m: hg.Array[bool]):\n    hg.parallel_map_unary(m, m, 'neg', 3)\n"
    with pytest.raises(hg.TranslateError, match=r"m is of bool, and hg\.parallel_map_unary works on numbers"):
        hg.kernel_from_source(text)
    text = "def k(m: hg.Array[bool]):\n    total = 0\n    total = m[0]\n"
    with pytest.raises(hg.TranslateError, match="total is int literal elsewhere and bool here"):
        hg.kernel_from_source(text)


def test_buffers_of_bool_are_bytes_to_kernels_of_u8():
    @hg.kernel
    def inverted(x: hg.Array[hg.u8]):
        x[hg.global_id()] ^= 1

    with hg.Executor("wasm") as executor:
        x = executor.array(np.array([True, False]))
        inverted[2](x)
        assert x.numpy().tolist() == [False, True]
        assert executor.full(2, True, hg.bool_).tolist() == executor.zeros(2, bool).fill(True).tolist() == [True, True]


def test_damaged_descriptions_of_elements():
    compiled = hg.compile(flags, lanes=6, block=64, shapes={"x": (6,), "m": (6,), "n": (6, 2), "y": (6,)})
    compiled.metadata["element.x"] = "bool"
    with pytest.raises(hg.ArtifactError, match="damaged artifact: 'x' has no elements of bool"):
        compiled.elements  # noqa: B018
    compiled = hg.compile(flags, lanes=6, block=64, metadata={"element.m": "blob"})
    with pytest.raises(hg.ArtifactError, match="'blob' describes no elements"):
        compiled.elements  # noqa: B018


@pytest.mark.parametrize(
    ("body", "length"),
    [
        ("part = x[1:4]\n    part[i + 3] = 1", 3),
        ("part = x[1:n]\n    part[n] = 1", 1),
        ("part = x[2:1]\n    part[i] = 1", 0),
    ],
)
def test_indices_stay_within_a_part(device, body, length):
    text = f"def f(x: hg.Array[hg.i32], n: hg.i32):\n    i = hg.global_id()\n    {body}\n"
    x = np.zeros(6, "i4")
    with pytest.raises(hg.ExecutionError, match=f"axis 0 of x is beyond its length, which is {length}"):
        hg.kernel_from_source(text).on(device)[1](x, 2)


def test_parts_of_shared_memory(device):
    text = """
def f(x: hg.Array[hg.i32]):
    tile = hg.shared(hg.i32, 8)
    i = hg.local_id()
    half = tile[4:]
    tile[i] = x[i]
    hg.barrier()
    x[i] = half[i % 4] * 10 + len(half)
"""
    x = np.arange(8, dtype="i4")
    hg.kernel_from_source(text).on(device)[8, 8](x)
    assert x.tolist() == [(4 + i % 4) * 10 + 4 for i in range(8)]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("v = x[-2:]", "the index -2 is negative: indices count from 0; from the end, write len(x) - 2"),
        ("v = x[::2]", "a part of an array has no step: loop over range(first, stop, step)"),
        ("v = x[1:3][0]", "give it a name first, part = x[1:3]"),
        ("v = x[1:3].shape[0]", "give it a name, part = x[1:3], and take part.shape"),
        (
            "part = x[1:3]\n    v = part[-1]",
            "the index -1 is negative: indices count from 0; from the end, write len(part) - 1",
        ),
        (
            "part = x[1.5:]",
            "an index is an integer, not float literal: convert with hg.i32(x), which rounds toward zero",
        ),
        ("x[1:3] = 5", "a part of an array is no element: give it a name, part = x[1:3], or loop over its elements"),
    ],
)
def test_parts_that_are_refused(body, message):
    with pytest.raises(hg.TranslateError) as raised:
        hg.kernel_from_source(f"def f(x: hg.Array[hg.i32]):\n    {body}\n")
    assert raised.value.message.split("\n")[0] == message


def test_vectors_of_a_part(device):
    text = """
def f(x: hg.Array[hg.i32], y: hg.Array[hg.i32], n: hg.i32):
    part = x[n:n + 3]
    part.store(1, hg.vec2(50, 60))
    v = part.load(0, 3)
    y[0] = v.x + v.y + v.z
"""
    x, y = np.arange(5, dtype="i4"), np.zeros(1, "i4")
    kernel = hg.kernel_from_source(text).on(device)
    kernel[1](x, y, 1)
    assert (x.tolist(), y[0]) == ([0, 1, 50, 60, 4], 111)
    with pytest.raises(hg.ExecutionError, match="index 2 of axis 0 of x is beyond its length, which is 2"):
        kernel[1](x, y, 3)
    assert x.tolist() == [0, 1, 50, 60, 4]
