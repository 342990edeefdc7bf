"""The commonest mistakes, whole messages: none is silent."""

# mypy: ignore-errors
# ruff: noqa: E501

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import hologram_web as hg

from .mistakes import HEAD, WRITTEN

F = np.zeros(300, np.float32)
SIGNATURE = "(a: f32, x: Array[f32], y: Array[f32], n: i32)"


@hg.kernel
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32], n: hg.i32 = 0):
    i = hg.global_id()
    y[i] = a * x[i] + y[i + n]


@hg.kernel
def invert(img: hg.Array[hg.u8, 2], out: hg.Array[hg.u8, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    out[row, column] = 255 - img[row, column]


@hg.kernel
def endless(x: hg.Array[hg.f32]):
    while x[0] == 0:
        x[1] = x[0]


@hg.kernel
def half_waits(x: hg.Array[hg.f32]):
    tile = hg.shared(hg.f32, 8)
    i = hg.local_id()
    tile[i] = x[i]
    if i < 4:
        hg.barrier()
    else:
        hg.barrier()
    x[i] = tile[7 - i]


@hg.kernel
def quotient(x: hg.Array[hg.i32], d: hg.i32):
    x[hg.global_id()] //= d


@hg.kernel
def beyond_its_tile(x: hg.Array[hg.f32]):
    tile = hg.shared(hg.f32, 8)
    i = hg.local_id()
    tile[i + 1] = x[i]
    x[i] = tile[i]


@pytest.mark.parametrize(("text", "message"), WRITTEN, ids=[text.split("\n")[0] for text, _ in WRITTEN])
def test_written(text, message):
    text = text if "def k(" in text else f"{HEAD}    {text}\n"
    before, _, after = text.partition("$")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(hg.TranslateError) as raised:
        hg.kernel_from_source(before + after, file="page.py")
    shown = (before + after).split("\n")[line - 1]
    caret = " " * (column - 1 - (len(shown) - len(shown.lstrip()))) + "^"
    assert str(raised.value) == f"page.py:{line}:{column}: {message}\n    {shown.strip()}\n    {caret}"


IMAGE = np.zeros((64, 80), np.uint8)
LAUNCHED = [
    (lambda: saxpy[300](2, F.astype(float), F), "x has dtype float64; f32 is expected: give x.astype('float32')"),
    (lambda: saxpy[300](2, F.reshape(20, 15), F), "x has 2 axes; 1 axis is expected"),
    (lambda: invert[(80, 64), (16, 16)](np.zeros(9), IMAGE), "img has dtype float64 and 1 axis; u8 and 2 axes are expected: give img.astype('uint8')"),
    (lambda: saxpy[300](2, F.tolist(), F.copy()), "x is a list; Array[f32] is expected: give a NumPy array or a Buffer"),
    (lambda: saxpy[300](2, F, None), "y is None; Array[f32] is expected: give a NumPy array or a Buffer"),
    (lambda: saxpy[300](F, F, F.copy()), "a is an ndarray; f32 is expected, a number"),
    (lambda: saxpy[300]("2", F, F.copy()), "a is '2'; f32 is expected, a number"),
    (lambda: saxpy[300](2, F, F.copy(), 0.5), "n is 0.5; i32 is expected, an integer"),
    (lambda: saxpy[300](2, F, F.copy(), 1 << 31), "n is 2147483648; i32 is expected, -2147483648 to 2147483647"),
    (lambda: saxpy[300](2, F), f"parameter 'y' is missing: the kernel takes {SIGNATURE}"),
    (lambda: saxpy[300](2, F, F, 0, 0), f"5 arguments are given; 4 are expected: the kernel takes {SIGNATURE}"),
    (lambda: saxpy[300](A=2, x=F, y=F.copy()), f"there is no parameter 'A': did you mean a? the kernel takes {SIGNATURE}"),
    (lambda: saxpy[300](2, F, F, x=F), f"parameter 'x' is given twice: the kernel takes {SIGNATURE}"),
    (lambda: saxpy[299](2, F[:-1], F[1:]), "'y', which is written, and 'x' share memory in part: give a copy of one"),
    (lambda: saxpy[300](2, F, np.broadcast_to(np.float32(0), 300)), "y is read-only, and the kernel writes it: give a copy"),
    (lambda: saxpy["300"](2, F, F), "write kernel[n], kernel[n, 256], kernel[(w, h), (16, 16)] or kernel[(w, h, d), (8, 8, 4)]: lanes, and lanes of a block along as many axes; not kernel['300']"),
    (lambda: saxpy[2, 256](2, F, F.copy()), "saxpy[2, 256] has 2 lanes, fewer than a block, and x has 300 elements: the number of lanes comes first here, not that of blocks. Write saxpy[300, 256], or say that it is meant, with partial=True"),
    (lambda: invert[(80, 64)](IMAGE, IMAGE.copy()), "invert asks where its lane is along x and y, and invert[80, 64] has 80 lanes, in blocks of 64, along x only: write invert[(80, 64), block], such as invert[(w, h), (16, 16)]"),
    (lambda: invert[IMAGE.shape, (16, 16)](IMAGE, IMAGE.copy()), "invert[(64, 80), ...] has 64 lanes along x, and img has 80 elements there: x is the last axis of an array. Write invert[(80, 64), ...], or say that it is meant, with partial=True"),
    (lambda: saxpy[300](2, np.ma.masked_array(F), F.copy()), "x has a mask, which kernels do not see: give x.filled(0), or x.data"),
    (lambda: saxpy(2, F, F.copy(), block=64), f"there is no parameter 'block': lanes and their block stand in the brackets, kernel[n, block]; the kernel takes {SIGNATURE}"),
    (lambda: saxpy(2, F, F[1:].copy()), "how many lanes saxpy has is not plain: x has 300 elements along x, and y has 299. Write saxpy[n](...), or saxpy.over(x)(...)"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), LAUNCHED, ids=[message[:60] for _, message in LAUNCHED])
def test_launched(call, message):
    with pytest.raises(hg.LaunchError) as raised:
        call()
    assert str(raised.value) == message


CHECK = "check the index against the length"
RUN = [
    (lambda: saxpy[301](2, F, F.copy()), f"OutOfBounds at instruction 2, lane 300: 4 bytes at offset 1200 (index 300) are outside buffer x, which has 1200 bytes (300 elements): {CHECK}, in ldg.f32 r5, [x + r6*4]", "y[i] = a * x[i] + y[i + n]"),
    (lambda: quotient[1](np.ones(1, np.int32), 0), "DivisionByZero at instruction 3, lane 0: the divisor is zero: test it before, in div.i32 r5, r4, r2", "x[hg.global_id()] //= d"),
    (lambda: beyond_its_tile[8, 8](F[:8].copy()), f"OutOfBounds at instruction 2, lane 7: index 8 of axis 0 of tile is beyond its length, which is 8: {CHECK}, in chk r3, 8, tile, 0, offset=1", "tile[i + 1] = x[i]"),
    (lambda: half_waits.check[8, 8](F[:8].copy()), "DivergentBarrier at instruction 7, lane 0: lanes of block 0 wait at different places: lane 0 at instruction 7, lane 4 at instruction 9; let all lanes of a block reach the same bar_sync, in bar_sync 0", "hg.barrier()"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message", "line"), RUN, ids=[message[:30] for _, message, _ in RUN])
def test_run(call, message, line):
    with pytest.raises(hg.ExecutionError) as raised:
        call()
    assert str(raised.value) == message
    assert f"{__file__}:" in raised.value.__notes__[0]
    assert raised.value.__notes__[0].endswith(f": {line}")


def test_a_loop_that_does_not_end():
    with hg.Executor("wasm") as ex:
        ex.device.limits = hg.Limits(seconds=0.05)
        x = ex.zeros(2)
        with pytest.raises(hg.ExecutionError) as raised:
            endless[1](x)
    assert str(raised.value).startswith("StepLimit")
    assert ": does a loop not end?" in str(raised.value)


def test_an_import_that_is_forgotten(tmp_path):
    path = tmp_path / "module.py"
    text = "import hologram_web as hg\n\n@hg.kernel\ndef k(x: hg.Array[hg.f32]):\n    x[0] = math.isnan(x[0])\n"
    path.write_text(text)
    with pytest.raises(hg.TranslateError) as raised:
        exec(compile(text, str(path), "exec"), {"__name__": "module"})
    message = "the name math is not known: write import math at the top of the file"
    assert str(raised.value) == f"{path}:5:12: {message}\n    x[0] = math.isnan(x[0])\n           ^"
    path.write_text("import math\n" + text)
    found = {"__name__": "module"}
    exec(compile("import math\n" + text, str(path), "exec"), found)
    x = np.array([np.nan], np.float32)
    found["k"][1](x)
    assert x[0] == 1


def test_what_only_kernels_have_on_the_host():
    with pytest.raises(hg.TranslateError) as raised:
        hg.sqrt(2.0)
    assert str(raised.value) == "hg.sqrt belongs into a kernel: call it in a function under @hg.kernel"


WARNED = [
    ("x[i]", "v = x[i]\n    v *= 2\n    y[i] = 0", hg.LostWarning, "v is a copy of x[i], and nothing reads what it becomes: write x[i] *= 2, or x[i] = v behind it"),
    ("a record", "q = p[i]\n    q.at += q.speed * 2\n    y[i] = 0", hg.LostWarning, "q is a copy of p[i], and nothing reads what it becomes: write p[i].at += q.speed * 2, or p[i] = q behind it"),
    ("a vector", "v = m.load((i, 0), 3)\n    v.x = 5\n    y[i] = 0", hg.LostWarning, "v is a copy of m.load((i, 0), 3), and nothing reads what it becomes: write m.store((i, 0), v) behind it"),
    ("nothing stored", "total = x[i] + y[i]", hg.LostWarning, "k reads arrays and changes none: what it computes is lost. Store it, y[i] = ..."),
]  # fmt: skip


@dataclasses.dataclass
class Particle:
    at: hg.f32
    speed: hg.f32


def _defined(text, folder):
    """Defines a kernel of particles, too."""
    path = folder / "module.py"
    path.write_text(HEAD.replace("n: hg.i32", "p: hg.Array[Particle]") + f"    {text}\n")
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "module", "Particle": Particle})


@pytest.mark.parametrize(
    ("text", "category", "message"), [case[1:] for case in WARNED], ids=[case[0] for case in WARNED]
)
def test_lost(text, category, message, tmp_path):
    with pytest.warns(category) as told:
        _defined(text, tmp_path)
    assert [str(warning.message) for warning in told] == [message]


@pytest.mark.parametrize(
    "text",
    [
        "v = x[i]\n    v *= 2\n    y[i] = v",
        "q = p[i]\n    q.at += q.speed\n    if q.at > 1:\n        y[i] = 0",
        "q = p[i]\n    q.at += q.speed\n    p[i] = q",
        "q = p[i]\n    q.at = hg.f32(hg.atomic_add(h, 0, 1))\n    y[i] = 0",
        "row = m[i, :]\n    row[0] += 1",
        "v = x[i]\n    v = 2.0\n    v += 1\n    y[i] = 0",
    ],
)
def test_what_is_not_lost(text, tmp_path):
    _defined(text, tmp_path)  # warnings are errors


def test_lanes_that_do_the_same():
    message = (
        "saxpy asks where its lane is along x only, and saxpy[...] has 3 lanes along y, which all do the same: leave "
        "them out, or say that it is meant, with partial=True"
    )
    with pytest.warns(hg.LaunchWarning) as told:
        saxpy[(300, 3), (16, 1)](2, F, F.copy())
    assert [str(warning.message) for warning in told] == [message]
    saxpy[(300, 3), (16, 1)](2, F, F.copy(), partial=True)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("launch", "kernel[n](...), with n lanes"),
        ("jit", "@hg.kernel"),
        ("empty", "NumPy arrays, or hg.Executor().array(x), which stays on the device"),
        ("synchronize", "x.numpy() of a Buffer: NumPy arrays are there after a launch"),
        ("init", "kernel.on(device)[n](...): nothing is set up"),
    ],
)
def test_names_of_other_systems_on_the_host(name, instead):
    with pytest.raises(AttributeError) as raised:
        getattr(hg, name)
    assert str(raised.value) == f"hologram_web has no {name!r}: write {instead}"


def test_a_sum_that_lanes_share():
    text = HEAD + "    h[h[i]] += 1\n"
    message = (
        "the index of h[h[i]] was read from memory and may be that of several lanes, of which one counts: write "
        "hg.atomic_add(h, h[i], 1)"
    )
    with pytest.warns(hg.RaceWarning) as told:
        hg.kernel_from_source(text)
    assert [str(warning.message) for warning in told] == [message]


def test_there_are_forty_and_more():
    assert len({message for _, message in WRITTEN}) + len(LAUNCHED) + len(RUN) > 60
