"""Launches that would answer wrongly in silence: each is refused, warned of, or infers the lanes that are meant."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import hologram_web as hg

# mypy: ignore-errors


@hg.kernel
def invert(img: hg.Array[hg.u8, 2], out: hg.Array[hg.u8, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    if row < img.shape[0] and column < img.shape[1]:
        out[row, column] = 255 - img[row, column]


@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.block_id(0) * hg.block_dim(0) + hg.local_id(0)  # as in CUDA
    if i < len(y):
        y[i] = a * x[i] + y[i]


@hg.kernel
def tiled(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    tile = hg.shared(hg.f32, (16, 16))
    row, column = hg.global_id(1), hg.global_id(0)
    i, j = hg.local_id(1), hg.local_id(0)
    if row < x.shape[0] and column < x.shape[1]:
        tile[i, j] = x[row, column]
    hg.barrier()
    if row < x.shape[0] and column < x.shape[1]:
        y[row, column] = tile[i, 15 - j]


@hg.kernel
def total(x: hg.Array[hg.i32], sums: hg.Array[hg.i32]):
    hg.atomic_add(sums, 0, x[hg.global_id()])


@hg.kernel
def halved(x: hg.Array[hg.i32, 2]):
    i = hg.global_id()
    x[i // x.shape[1], i % x.shape[1]] //= 2


@hg.kernel
def rows(x: hg.Array[hg.f32, 2], sums: hg.Array[hg.f32]):
    row = hg.global_id()
    found = 0.0
    for column in range(x.shape[1]):
        found += x[row, column]
    sums[row] = found


@hg.kernel
def volume(x: hg.Array[hg.i32, 3]):
    x[hg.global_id(2), hg.global_id(1), hg.global_id(0)] += 1


@hg.kernel
def nothing(x: hg.Array[hg.i32]):
    x[0] = 1


IMAGE = np.arange(64 * 80, dtype=np.uint8).reshape(64, 80)


def planes():
    return IMAGE, np.zeros_like(IMAGE)


def vectors(n=1000):
    return np.ones(n, np.float32), np.zeros(n, np.float32)


REFUSED = [
    (
        "a tuple of sizes, which Python takes for two numbers",
        lambda: invert[(80, 64)](*planes()),
        "invert asks where its lane is along x and y, and invert[80, 64] has 80 lanes, in blocks of 64, along x only: "
        "write invert[(80, 64), block], such as invert[(w, h), (16, 16)]",
    ),
    (
        "two numbers",
        lambda: invert[8, 8](*planes()),
        "invert asks where its lane is along x and y, and invert[8, 8] has 8 lanes, in blocks of 8, along x only: "
        "write invert[(8, 8), block], such as invert[(w, h), (16, 16)]",
    ),
    (
        "one number",
        lambda: invert[5120](*planes()),
        "invert asks where its lane is along x and y, and invert[...] has lanes along x only: "
        "write invert[(w, h), block], such as invert[(w, h), (16, 16)]",
    ),
    (
        "two axes of three",
        lambda: volume[(4, 4), (4, 4)](np.zeros((4, 4, 4), np.int32)),
        "volume asks where its lane is along x and y and z, and volume[...] has lanes along x and y only: "
        "write volume[(w, h, d), block], such as volume[(w, h, d), (8, 8, 4)]",
    ),
    (
        "blocks and lanes of a block, as in Numba",
        lambda: saxpy[4, 256](2.0, *vectors()),
        "saxpy[4, 256] has 4 lanes, fewer than a block, and x has 1000 elements: the number of lanes comes first here, "
        "not that of blocks. Write saxpy[1000, 256], or say that it is meant, with partial=True",
    ),
    (
        "the same along two axes",
        lambda: invert[(5, 4), (16, 16)](*planes()),
        "invert[(5, 4), (16, 16)] has 5 x 4 lanes, fewer than a block, and img has 64 elements: the number of lanes "
        "comes first here, not that of blocks. Write invert[(80, 64), (16, 16)], or say that it is meant, with "
        "partial=True",
    ),
    (
        "arrays of different lengths",
        lambda: saxpy(2.0, vectors(9)[0], vectors()[0]),
        "how many lanes saxpy has is not plain: x has 9 elements along x, and y has 1000. "
        "Write saxpy[n](...), or saxpy.over(x)(...)",
    ),
    (
        "lanes that work together",
        lambda: tiled(np.ones((50, 70), np.float32), np.ones((50, 70), np.float32)),
        "how many lanes tiled has is not plain: lanes of a block work together, through shared memory. "
        "Write tiled[(w, h), (16, 16)](...), or tiled.over(x)(...)",
    ),
    (
        "an index that is computed",
        lambda: halved(np.ones((2, 2), np.int32)),
        "how many lanes halved has is not plain: hg.global_id(0) indexes no array by itself. Write halved[n](...)",
    ),
    (
        "no lane at all",
        lambda: nothing(np.ones(2, np.int32)),
        "how many lanes nothing has is not plain: it never asks which lane it is. Write nothing[n](...)",
    ),
    (
        "more axes than lanes have",
        lambda: invert.over(np.ones((1, 1, 1, 1)))(*planes()),
        "lanes lie along one to three axes, and the array has 4",
    ),
]


@pytest.mark.parametrize(("call", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_refused(call, message):
    for _ in range(2):  # the second time, too
        with pytest.raises(hg.LaunchError) as caught:
            call()
        assert str(caught.value) == message


def test_refused_though_another_launch_of_these_arrays_ran():
    x, y = vectors()
    saxpy[1000](2.0, x, y)
    saxpy[1000, 256](2.0, x, y)
    with pytest.raises(hg.LaunchError, match="fewer than a block"):
        saxpy[4, 256](2.0, x, y)
    assert (y == 4).all()


def test_what_is_meant_runs():
    x, y = vectors()
    saxpy[998](1.0, x, y)
    saxpy[500](1.0, x, y)
    saxpy[500, 256](1.0, x, y)  # more than a block
    saxpy[3, 64](1.0, x, y)  # three blocks of 64 would not cover it
    saxpy[4, 256](1.0, x, y, partial=True)
    saxpy[4, 256](1.0, x, y=y, partial=True)
    assert y[[0, 3, 400, 997, 999]].tolist() == [6, 5, 3, 1, 0]
    img, out = planes()
    invert[(5, 4), (16, 16)](img, out, partial=True)
    assert (out != 0).sum() == (img[:4, :5] != 255).sum()
    invert[hg.LaunchConfig.linear(80)](img, out)  # means what it says
    assert (out[0] == 255 - img[0]).all()
    assert not out[5:].any()


async def _asynchronously(x, y):
    await saxpy.launch_async((4, 256), 1.0, x, y, partial=True)
    with pytest.raises(hg.LaunchError, match="fewer than a block"):
        await saxpy.launch_async((4, 256), 1.0, x, y)


def test_asynchronous_launches_are_looked_at_too():
    import asyncio

    x, y = vectors()
    asyncio.run(_asynchronously(x, y))
    assert y[:5].tolist() == [1, 1, 1, 1, 0]


def test_a_parameter_may_be_called_partial():
    kernel = hg.kernel_from_source("def k(x: hg.Array[hg.i32], partial: hg.i32):\n    x[hg.global_id()] = partial\n")
    x = np.zeros(4, np.int32)
    kernel[4](x, partial=7)
    assert x.tolist() == [7] * 4


@pytest.mark.parametrize("kind", ["numpy", "buffers"])
def test_inferred(kind):
    with hg.Executor("wasm") as ex:

        def here(array):
            return ex.array(array) if kind == "buffers" else array

        def back(array):
            return array.numpy() if kind == "buffers" else array

        img, out = (here(plane) for plane in planes())
        invert(img, out)
        np.testing.assert_array_equal(back(out), 255 - IMAGE)
        x, y = (here(vector) for vector in vectors())
        saxpy(2.0, x, y)
        saxpy(2.0, x=x, y=y)
        assert (back(y) == 4).all()
        ones, sums = here(np.ones(100, np.int32)), here(np.zeros(1, np.int32))
        total(ones, sums)
        assert back(sums).tolist() == [100]
        matrix, found = here(np.ones((3, 5), np.float32)), here(np.zeros(3, np.float32))
        rows(matrix, found)
        assert back(found).tolist() == [5, 5, 5]
        cube = here(np.zeros((3, 4, 5), np.int32))
        volume(cube)
        assert (back(cube) == 1).all()


def test_over():
    img, out = planes()
    invert.over(out)(img, out)
    np.testing.assert_array_equal(out, 255 - img)
    x = np.full((3, 5), 8, np.int32)
    halved.over(x)(x)  # it asks for one axis only: all elements along it
    assert (x == 4).all()
    long, y = np.ones(9, np.float32), np.zeros(5, np.float32)
    saxpy.over(y)(2.0, long, y)
    assert (y == 2).all()


def test_type_variables():
    kernel = hg.kernel_from_source(
        "from typing import TypeVar\nT = TypeVar('T')\ndef k(x: hg.Array[T]):\n    x[hg.global_id()] += 1\n"
    )
    for dtype in ("f4", "i2"):
        x = np.zeros(7, dtype)
        kernel(x)
        kernel.over(x)(x)
        kernel[7](x, partial=True)
        assert (x == 3).all()


def test_blocks_that_lanes_do_not_fill():
    x, y = np.ones((50, 70), np.float32), np.zeros((50, 70), np.float32)
    with pytest.warns(hg.LaunchWarning) as caught:
        tiled[(70, 50), (16, 16)](x, y)
    (warning,) = caught
    assert warning.filename == __file__
    assert str(warning.message) == (
        "the lanes of tiled[(70, 50), (16, 16)] do not fill its blocks, and tiled has shared memory and barriers: what "
        "the missing lanes would do is not done. Launch tiled[(80, 64), (16, 16)] and let the kernel test its indices, "
        "or say that it is meant, with partial=True"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tiled[(70, 50), (16, 16)](x, y, partial=True)
        tiled[(80, 64), (16, 16)](x, y)


WARNED = [
    ("    x[x[i]] += 1\n", "the index of x[x[i]] was read from memory", "hg.atomic_add(x, x[i], 1)"),
    ("    b = x[i] % 4\n    c = b + 1\n    x[c] += 2\n", "the index of x[c] was read", "hg.atomic_add(x, c, 2)"),
    ("    bump(x, x[i])\n", "the index of h[b] was read", "hg.atomic_add(x, b, 1)"),
    ("    x[0] += i\n", "several lanes change x[0]", "hg.atomic_add(x, 0, i)"),
    ("    x[hg.block_id()] |= i\n", "several lanes change x[hg.block_id()]", "hg.atomic_or(x, hg.block_id(), i)"),
    ("    for k in range(3):\n        y[i] *= 2.0\n        y[k - k] *= 2.0\n", None, None),
    ("    y[0] *= 2.0\n", "several lanes change y[0]", "let one lane do it"),
    ("    t = hg.shared(hg.i32, 4)\n    t[2] += 1\n", "several lanes change t[2]", "hg.atomic_add(t, 2, 1)"),
    ("    x[i] += 1\n    x[2 * i + 1] += 1\n    x[i // 8] += 1\n", None, None),  # who can tell?
    ("    if i == 0:\n        x[0] += 1\n", None, None),
    ("    if i:\n        return\n    x[0] += 1\n", None, None),
    ("    mine = hg.local(hg.i32, 4)\n    mine[x[i]] += 1\n    mine[0] += 1\n    x[i] = mine[0]\n", None, None),
    ("    t = hg.shared(hg.i32, 256)\n    t[hg.local_id()] += 1\n", None, None),
    ("    hg.atomic_add(x, x[i], 1)\n", None, None),
]


@pytest.mark.parametrize(("body", "says", "advice"), WARNED)
def test_sums_without_atomics(body, says, advice):
    text = (
        "def bump(h, b):\n    h[b] += 1\n\n"
        f"@hg.kernel\ndef k(x: hg.Array[hg.i32], y: hg.Array[hg.f32]):\n    i = hg.global_id()\n{body}"
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hg.kernel_from_source(text, file="page.py")
    assert [w.category for w in caught] == ([] if says is None else [hg.RaceWarning])
    if says is not None:
        assert says in str(caught[0].message)
        assert advice in str(caught[0].message)
        assert caught[0].filename == "page.py"


def _said(call):
    with pytest.raises(hg.ExecutionError) as caught:
        call()
    return caught.value.kind, [
        note.partition(": ")[0] + ": " + note.rpartition(": ")[2] for note in caught.value.__notes__
    ]


def test_check_finds_races():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hg.RaceWarning)
        kernel = hg.kernel_from_source(
            "def k(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):\n    i = hg.global_id()\n    y[0] = x[i]\n"
        )
    x = np.zeros(8, np.int32)
    assert _said(lambda: kernel.check[8](x, x.copy())) == ("DataRace", ["lane 0: y[0] = x[i]", "lane 1: y[0] = x[i]"])


def test_check_finds_memory_that_nobody_wrote():
    x, y = np.ones((50, 70), np.float32), np.zeros((50, 70), np.float32)
    with pytest.raises(hg.ExecutionError, match="no lane of the block wrote what is read there") as caught:
        tiled.check[(70, 50), (16, 16)](x, y, partial=True)
    assert caught.value.kind == "Uninitialized"
    assert caught.value.__notes__[0].endswith("y[row, column] = tile[i, 15 - j]")
    x, y = np.ones((32, 32), np.float32), np.zeros((32, 32), np.float32)
    tiled.check[(32, 32), (16, 16)](x, y)
    assert (y == 1).all()


def test_check_lets_atomics_count_in_zeroed_memory():
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.i32], h: hg.Array[hg.i32]):\n"
        "    bins = hg.shared(hg.i32, 4)\n"
        "    hg.atomic_add(bins, x[hg.global_id()], 1)\n"
        "    hg.barrier()\n"
        "    if hg.local_id() < 4:\n"
        "        h[hg.local_id()] = bins[hg.local_id()]\n"
    )
    h = np.zeros(4, np.int32)
    kernel.check[8, 8](np.array([1, 1, 2, 2, 2, 1, 1, 1], np.int32), h)
    assert h.tolist() == [0, 5, 3, 0]


def test_check_finds_divergent_barriers_and_names_both_lines():
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.i32]):\n"
        "    i = hg.global_id()\n"
        "    if i < 3:\n"
        "        hg.barrier()  # these\n"
        "    else:\n"
        "        hg.barrier()  # those\n"
        "    x[i] = i\n"
    )
    kind, notes = _said(lambda: kernel.check[8](np.zeros(8, np.int32)))
    assert (kind, notes) == ("DivergentBarrier", ["lane 0: hg.barrier()  # these", "lane 3: hg.barrier()  # those"])


def test_check_looks_at_axes_whatever_the_kernel_does():
    @hg.kernel(checks="buffer")
    def over(x: hg.Array[hg.i32, 2]):
        x[0, hg.global_id() + 1] = 1

    x = np.zeros((2, 4), np.int32)
    over[4](x)
    with pytest.raises(hg.ExecutionError, match="index 4 of axis 1 of x is beyond its length, which is 4"):
        over.check[4](x)


def test_check_infers_and_takes_buffers():
    with hg.Executor("wasm") as ex:
        x, y = (ex.array(vector) for vector in vectors())
        saxpy.check[1000](3.0, x, y)
        saxpy.check(3.0, x, y)
        assert (y.numpy() == 6).all()
