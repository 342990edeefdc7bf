"""hg.compile, save, load and run: on every device, and from the stored WebAssembly."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from examples.edges.pictures import photograph
from examples.edges.pipeline import stages_plan
from examples.edges.reference import integer_planes
from hologram_web.plan.plan import MAX_STEPS_RUN, calls_of
from hologram_web.store.blake3 import blake3

from . import samples
from .holo_runner import Runner, check_aliases
from .samples import SAMPLES


@pytest.fixture(params=list(hg.backends.DEVICES))
def backend(request):
    try:
        return hg.backends.DEVICES[request.param]()
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))


def stored(compiled, **given):
    """Runs the file's WebAssembly."""
    plan = compiled.plan
    scalars = {n: hg.Immediate.of(port.ty, given[n]).bits for n, port in plan.scalars.items()}
    arrays = {n: (np.ascontiguousarray(given[n]).tobytes(), np.shape(given[n])) for n in plan.arrays if n in given}
    found = Runner(compiled.to_bytes()).run(scalars, arrays)
    results = {
        name: np.frombuffer(data, plan.arrays[name].ty.numpy).reshape(shape) for name, (data, shape) in found.items()
    }
    return next(iter(results.values())) if len(results) == 1 else results


def everywhere(compiled, backend, **given):
    """The result on a device, which the loaded file and the stored code have to give, too."""
    result = compiled.run(backend, **given)
    for other in (hg.load(compiled.to_bytes()).run(backend, **given), stored(compiled, **given)):
        pairs = [(result[n], other[n]) for n in result] if isinstance(result, dict) else [(result, other)]
        for a, b in pairs:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
    return result


@pytest.mark.parametrize("n", [0, 1, 3, 255, 256, 257, 10_001])
def test_saxpy(backend, n):
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    np.testing.assert_array_equal(everywhere(samples.saxpy(), backend, a=0.5, x=x, y=y), 0.5 * x + y)
    assert (y == 1).all()  # nothing that is passed is changed


@pytest.mark.parametrize("rounds", [0, 1, 4])
@pytest.mark.parametrize("n", [1, 5, 3000])
def test_collectives_in_a_loop(backend, n, rounds):
    x = np.arange(n, dtype=np.int32) - 2
    found = everywhere(samples.collectives(), backend, x=x, n=n, rounds=rounds)
    for name, expected in zip("xy", samples.rounds_reference(x, rounds), strict=True):
        np.testing.assert_array_equal(found[name], expected)


@pytest.mark.parametrize("count", [-5, 0, 1, 2, 6])
def test_repeat_and_constants(backend, count):
    x = np.array([1, 2, 3, 1 << 30], np.uint32)
    found = everywhere(samples.powers(), backend, count=count, x=x)
    np.testing.assert_array_equal(found, samples.powers_reference(x, count))


def test_constants_are_kept_once_and_aligned():
    raw = samples.powers().to_bytes()
    assert len(raw) % 64 == 0
    place = raw.index(np.array([1, 2, 3, 4], np.uint32).tobytes())
    assert place % 64 == 0
    assert raw.count(np.array([1, 2, 3, 4], np.uint32).tobytes()) == 1
    assert len(hg.load(raw).blobs) == 2


# The kernels of examples/edges as one plan


LEVELS = {"low": 6 * 256, "high": 10 * 256}


@pytest.fixture(scope="module")
def edges():
    return stages_plan()


@pytest.mark.parametrize(("size", "rounds"), [((1, 1), 0), ((16, 16), 1), ((33, 47), 5)])
def test_edges_as_one_plan(backend, edges, size, rounds):
    photo = photograph()[100 : 100 + size[0], 150 : 150 + size[1]]
    expected = integer_planes(photo, **LEVELS, rounds=rounds)
    found = everywhere(edges, backend, rgb=photo, rounds=rounds, **LEVELS)
    assert found.keys() == expected.keys()
    assert {name: int((plane != expected[name]).sum()) for name, plane in found.items()} == dict.fromkeys(found, 0)


def test_edges_of_the_whole_photograph_from_the_file(edges, tmp_path):
    edges.save(tmp_path / "edges.holo")
    expected = integer_planes(photograph(), **LEVELS, rounds=20)
    loaded = hg.load(tmp_path / "edges.holo")
    given = {"rgb": photograph(), "rounds": 20, **LEVELS}
    for found in (loaded.run(hg.backends.WasmBackend(), **given), stored(loaded, **given)):
        assert sum(int((plane != expected[name]).sum()) for name, plane in found.items()) == 0


# Lengths that Python kernels want to know

NARROW = "def narrow(x: hg.Array[hg.u16, 2], y: hg.Array[hg.u8, 2]):\n"
NARROW += "    i, j = hg.global_id(1), hg.global_id(0)\n    y[i, j] = x[x.shape[0] - 1 - i, j] >> 8\n"
REVERSE = "def reverse(x: hg.Array[hg.u8], y: hg.Array[hg.u8]):\n"
REVERSE += "    y[hg.global_id()] = x[len(x) - 1 - hg.global_id()]\n"


@pytest.fixture(scope="module")
def narrow():
    return hg.kernel_from_source(NARROW)


@pytest.fixture(scope="module")
def reverse():
    return hg.kernel_from_source(REVERSE)


def test_kernels_learn_the_lengths_of_ports_temporaries_and_constants(backend, narrow, reverse):
    """Rows are turned over, in a temporary, in a constant and in ports, whose names stand for the parameters'."""
    table = np.arange(12, dtype=np.uint16).reshape(3, 4) << 8
    plan = hg.PlanBuilder("turn", shapes={"flat": ("2 * w",)})
    plan.constant("table", table)
    plan.temporary("t", (3, 4), hg.u16)
    plan.array("image", hg.u16, ("h", "w"))
    plan.launch(narrow, (4, 3), args={"x": "table", "y": "turned"})
    plan.launch(narrow, (4, 3), args={"x": "t", "y": "nothing"})
    plan.launch(narrow, ("w", "h"), args={"x": "image", "y": "small"})
    plan.launch(reverse, 6, args={"x": "flat", "y": "back"})
    compiled = hg.CompiledProgram.from_builder(plan)
    assert [str(port) for port in compiled.ports] == [
        "image: u16[h, w] read",
        "turned: u8[turned.len0, turned.len1] write",
        "nothing: u8[nothing.len0, nothing.len1] write",
        "small: u8[small.len0, small.len1] write",
        "flat: u8[2 * w] read",
        "back: u8[back.len] write",
    ]
    image, flat = np.arange(6, dtype=np.uint16).reshape(2, 3) << 8, np.arange(6, dtype=np.uint8)
    given = {name: np.zeros(shape, np.uint8) for name, shape in [("turned", (3, 4)), ("small", (2, 3)), ("back", 6)]}
    found = everywhere(compiled, backend, image=image, flat=flat, nothing=np.ones((3, 4), np.uint8), **given)
    np.testing.assert_array_equal(found["turned"], table[::-1] >> 8)
    np.testing.assert_array_equal(found["small"], image[::-1] >> 8)
    np.testing.assert_array_equal(found["back"], flat[::-1])
    assert not found["nothing"].any()


def test_lengths_that_nobody_knows_are_refused(narrow, reverse):
    for launch, what in [
        ({"x": "bytes", "y": "y"}, "needs the length of x: buffer u16 read, and 'bytes' has elements of 1 bytes"),
        ({"x": "line", "y": "y"}, r"x: buffer u16 read takes an array of 2 axes, and line is line\[8\]"),
        ({"x": "cube", "y": "y"}, r"takes an array of 2 axes, and cube is cube\[n, 2, 2\]"),
    ]:
        plan = hg.PlanBuilder(shapes={"cube": ("n", 2, 2)})
        plan.temporary("bytes", 16)
        plan.temporary("line", 8, hg.u16)
        with pytest.raises(hg.LaunchError, match=what):
            plan.launch(narrow, (1, 1), args=launch)
    compiled = hg.compile(
        [(reverse, 4, None, {"y": "t"}), (reverse, 4, None, {"x": "t"})],
        shapes={"x": (4,), "y": (4,)},
        temporaries={"t": ((4,), hg.u8)},
    )
    assert compiled.run(hg.backends.CpuBackend(), np.arange(4, dtype=np.uint8)).tolist() == [0, 1, 2, 3]


DEFAULTS = """
def k(x: hg.Array[hg.f32], by: hg.f32 = 0.5, more: hg.i32 = -3, big: hg.i64 = 2**60):
    i = hg.global_id()
    x[i] = x[i] * by + hg.f32(more) + hg.f32(big >> 60)
"""


def test_default_values_are_those_of_the_kernel(backend, tmp_path):
    kernel = hg.kernel_from_source(DEFAULTS)
    compiled = hg.compile(kernel, lanes="x.len")
    compiled.save(tmp_path / "k.holo")
    for made in (compiled, hg.load(tmp_path / "k.holo")):
        assert made.defaults == {"by": 0.5, "more": -3}
        assert made.run(backend, [8, -2], big=0).tolist() == [1, -4]
        assert made.run(backend, [8, -2], more=1, big=2**60).tolist() == [6, 1]
        with pytest.raises(hg.LaunchError, match="'big' is missing"):  # more than JavaScript's numbers hold
            made.run(backend, [8, -2])
    other = hg.kernel_from_source(DEFAULTS.replace("-3", "4"))
    plan = hg.PlanBuilder()
    plan.launch(kernel, "x.len", args={"big": 0})
    plan.launch(other, "x.len", args={"big": 0})
    assert hg.CompiledProgram.from_builder(plan).defaults == {"by": 0.5}  # that of more is not one
    damaged = hg.CompiledProgram(compiled.plan, compiled.programs, compiled.blobs, {"default.more": "2.5"})
    with pytest.raises(hg.ArtifactError, match="damaged artifact: the default of more: i32: "):
        damaged.run(backend, [8, -2])


# What is refused


def test_arguments_are_checked(backend):
    compiled, x = samples.saxpy(), np.zeros(4, np.float32)
    takes = r"saxpy takes a: f32, x: f32\[n\] read, y: f32\[n\] read_write"
    for args, named, what in [
        ((1.0, x), {}, f"'y' is missing: {takes}"),
        ((1.0, x, x, x), {}, f"4 arguments are given; 3 are expected: {takes}"),
        ((1.0, x, x), {"x": x}, f"'x' is given twice: {takes}"),
        ((1.0, x, x), {"z": x}, f"'z' is no port: {takes}"),
        (("a", x, x), {}, "a is"),
        ((1.0, x.astype(float), x), {}, r"x has dtype float64; f32 is expected: give x.astype\('float32'\)"),
        ((1.0, x, x[:3]), {}, r"y has the shape \(3,\); \(4,\) is expected, as y: f32\[n\] read_write"),
        ((1.0, x.reshape(2, 2), x), {}, "has 2 axes; 1 axis is expected"),
        ((1.0, ["a"], x), {}, "x is a list; an array of f32 is expected: "),
        ((1.0, object(), x), {}, "x has dtype object and 0 axes; f32 and 1 axis are expected"),
    ]:
        with pytest.raises(hg.LaunchError, match=what):
            compiled.run(backend, *args, **named)
    assert compiled.run(backend, 1, [1, 2], [3.5, 4]).tolist() == [4.5, 6]


def test_strided_arrays_are_taken(backend):
    x = np.arange(20, dtype=np.float32)
    result = samples.saxpy().run(backend, 1.0, x[::2], np.asfortranarray(x.reshape(2, 10))[1])
    np.testing.assert_array_equal(result, x[::2] + x[10:])


def test_outputs_that_are_left_out_and_given(backend):
    program = hg.Program.from_text("""
        .program first
        .param x: buffer f32 read
        .param y: buffer f32 write
            ldg.f32 r10, [x + r255*4]
            stg.f32 [y + r255*4], r10
    """)
    compiled = hg.compile(program, grid="n", shapes={"x": ("n",), "y": ("n + 1", 1)})
    x = np.array([3, 4], np.float32)
    assert compiled.run(backend, x).tolist() == [[3], [4], [0]]
    assert compiled.run(backend, x, np.full((3, 1), 9, np.float32)).tolist() == [[3], [4], [9]]
    alone = hg.compile(program)
    with pytest.raises(hg.LaunchError, match=r"the formula y\.len needs y\.len: give the argument that has it"):
        alone.run(backend, x)
    assert alone.run(backend, x, np.zeros(2, np.float32)).tolist() == [3, 4]


def test_the_grid_is_what_the_first_written_array_has():
    step: Any = samples.saxpy().plan.steps[0]
    assert [str(f) for f in step.lanes] == ["n", "1", "1"]
    assert [str(f) for f in step.grid] == ["ceildiv(n, 256)", "1", "1"]
    with pytest.raises(hg.LaunchError, match="writes no array of the caller: say how many lanes"):
        hg.compile(hg.Program.from_text(".param x: buffer u32 read\n    ldg.u32 r10, [x]\n"))


def test_an_object_with_a_program_is_taken(backend):
    class Kernel:
        program = samples.SAXPY

    x = np.ones(3, np.float32)
    assert hg.compile(Kernel(), shapes={"x": ("n",), "y": ("n",)}).run(backend, 2.0, x, x).tolist() == [3, 3, 3]
    with pytest.raises(hg.LaunchError, match="give a Program, or an object that has one"):
        hg.compile("saxpy")


def test_wrong_plans_are_refused():
    for build, what in [
        (lambda: hg.compile(samples.SAXPY, grid="m"), "a launch uses m, which is no integer scalar and no dimension"),
        (lambda: hg.compile(samples.SAXPY, grid="a"), "a launch uses a, which is no integer scalar"),
        (lambda: hg.compile(samples.DOUBLE, constants={"x": bytes(16)}, grid=4), "is written, and x is read only"),
        (lambda: hg.compile(samples.SAXPY, grid=1, block=2000), "at most 1024 are allowed"),
        (lambda: hg.compile([(samples.SAXPY, 1, None, {"b": "x"})]), "there is no parameter 'b'"),
        (lambda: hg.compile([(samples.SAXPY, 1, None, {"a": "n"})]), "takes a number or a scalar f32, not 'n'"),
        (lambda: hg.compile([(samples.SAXPY, 1, None, {"x": 3})]), "takes the name of a buffer"),
        (lambda: hg.compile([(samples.SAXPY, 1, None, {"x": "a"})]), "takes a buffer, and 'a' is a scalar"),
        (lambda: hg.compile(samples.SAXPY, temporaries={"x": "n"}, grid=1), "the size of x uses n"),
        (lambda: hg.compile(samples.SAXPY, shapes={"x": ("min",)}), "'\\(' is missing"),
    ]:
        with pytest.raises((hg.ArtifactError, hg.LaunchError), match=what):
            build()
    builder = hg.PlanBuilder()
    builder.temporary("t", 4)
    with pytest.raises(hg.LaunchError, match="a port, temporary or constant 't' already"):
        builder.scalar("t", hg.u32)


def test_handles_are_no_parameters():
    here = hg.Address.Buffer(hg.BufferHandle(1))
    program = hg.Program([hg.Instruction.ParallelMap("neg", here, here, 3)])
    with pytest.raises(hg.LaunchError, match="names buffers by their handles"):
        hg.compile(program, grid=1)


@pytest.mark.parametrize(
    "body",
    [
        "and.u32 r10, r1, r4\nparallel_map.neg.f32 [x + r10*4], [x], 3",
        "xor.u32 r10, r1, r4\nk: parallel_map.neg.f32 [x], [x], 3\nloop r10, k",
        "mov r10, r4\nk: parallel_map.neg.f32 [x], [x], r1\nmul.u32 r1, r1, r10\nloop r10, k",
        "mov r10, r1\nmov_imm.u32 r11, 5\nk: parallel_map.neg.f32 [x], [x], 3\nset.eq.u32 p0, r10, r11\n"
        "bra j, p0\nparallel_map.abs.f32 [x], [x], 3\nj: loop r10, k",
        "cvt.i32.f32 r10, r3\nk: parallel_map.neg.f32 [x], [x], r10\nexp.f32 r3, r3\nset.le.f32 p0, r3, r3\n"
        "cvt.i32.f32 r10, r3\nmov_imm.i32 r11, 9\nset.lt.i32 p0, r10, r11\nbra k, p0",
        "k: parallel_map.neg.f32 [x], [x], 3\nl: parallel_map.abs.f32 [x], [x], 2\nloop r4, l\nloop r1, k",
    ],
)
def test_what_no_formula_says(backend, body):
    """The host computes it, in loops, too."""
    text = f".param n: u32\n.param x: buffer f32 read_write\n.param f: f32\n.param m: u32\n{body}\n"
    compiled = hg.compile(hg.Program.from_text(re.sub(r"^(\w): ", r"\1:\n", text, flags=re.M)), grid=1)
    x = np.linspace(-9, 9, 1000, dtype=np.float32)
    for n, f, m in ((5, 0.5, 2), (3, 1.5, 0), (7, -1.0, 1)):
        expected = compiled.run(hg.backends.CpuBackend(), n=n, f=f, m=m, x=x)
        np.testing.assert_array_equal(everywhere(compiled, backend, n=n, f=f, m=m, x=x), expected)


def test_places_of_phi_that_the_host_computes(backend):
    body = ".param n: u32\nparallel_map.neg.f32 [phi 1, r1, 8], [phi 1, r1, 0], 2\n"
    compiled = hg.compile(hg.Program.from_text(body), grid=1)
    compiled.run(backend, 3)
    stored(compiled, n=3)
    with pytest.raises(hg.ExecutionError, match="are outside class memory"):
        compiled.run(backend, 48)
    with pytest.raises(hg.ExecutionError, match="are outside class memory"):
        stored(compiled, n=48)


@pytest.mark.parametrize(("n", "scale"), [(1, 0.5), (6, 0.1), (100, -3.0)])
def test_what_the_host_computes(backend, n, scale):
    given = {"x": np.arange(2 * n, dtype=np.int32) - 3, "n": n, "scale": scale, "key": 3**150}
    expected = samples.hosted().run(hg.backends.CpuBackend(), **given)
    for name, found in everywhere(samples.hosted(), backend, **given).items():
        assert found.tobytes() == expected[name].tobytes()


def test_counts_that_a_launch_found_out(backend):
    x = np.array([2**32 - 10, 5, 7], np.uint32)
    left, other = np.array([4], np.uint32), np.zeros(1, np.uint32)
    found = everywhere(samples.counted(), backend, x=x, left=left, other=other)
    # 4 rounds for all, then as many of as many lanes as the first element says: 2
    assert found["x"].tolist() == [8, 23, 19]


def test_reading_what_is_not_there():
    builder = hg.PlanBuilder()
    with pytest.raises(hg.LaunchError, match="the plan has no buffer 'x' to read"):
        builder.read("x", hg.u32)
    builder.temporary("t", 4)
    with pytest.raises(hg.LaunchError, match="by integers of at most 64 bits, not by f32"):
        builder.read("t", hg.f32)
    builder.read("t", hg.u32, 1)
    with pytest.raises(hg.LaunchError, match="a value of 4 bytes at offset 4 of t is wanted, which has 4"):
        hg.CompiledProgram.from_builder(builder).run(hg.backends.CpuBackend())


def test_a_kernel_that_wgsl_does_not_have_says_why():
    far = 1 << 31
    program = hg.Program.from_text(f"""
        .param x: buffer f64 read_write
            mov_imm.u64 r11, 0
            set.eq.u64 p0, r255, r11
            bra near, p0
            ldg.f64 r10, [x + r255*8 + {far}]
            stg.f64 [x], r10
        near:
            ldg.f64 r10, [x + r255*8]
            add.f64 r10, r10, r10
            stg.f64 [x + r255*8], r10
    """)
    compiled = hg.compile(program)
    (kernel,) = hg.load(compiled.to_bytes()).artifact.kernels
    assert kernel.wgsl == f"instruction 3: an offset of {far} bytes: WebGPU's memories are below 2 GiB"
    assert stored(compiled, x=np.array([1.25])).tolist() == [2.5]


def wide(values, ty=hg.u256):
    return np.frombuffer(ty.pack(values), ty.numpy)


@pytest.mark.parametrize("n", [1, 3, 300])
def test_scalars_of_wide_integers(backend, n):
    x, k = [pow(3, i * i, 2**256) for i in range(n)], 2**256 - 5
    found = everywhere(samples.field(), backend, k=k, x=wide(x))
    assert hg.u256.unpack(found.tobytes()) == samples.field_reference(x, k)
    with pytest.raises(hg.LaunchError) as caught:
        samples.field().run(backend, k=2**256, x=wide(x))
    refused = "k is an integer of 257 bits; u256 is expected, 0 to 2**256 - 1"
    assert str(caught.value) == refused


def test_wide_integers_in_formulas(backend):
    """They have 53 bits there, as everywhere."""
    program = hg.Program.from_text(".param n: u128\n.param x: buffer u128 write\n    stg.u128 [x + r255*16], r1\n")
    compiled = hg.compile(program, grid="n", shapes={"x": ("n",)})
    assert hg.u128.unpack(everywhere(compiled, backend, n=3).tobytes()) == [3, 3, 3]
    with pytest.raises(
        hg.LaunchError, match=r"^the formula n leaves the range of 53 bits with n = 18446744073709551616$"
    ):
        compiled.run(backend, 1 << 64)


@pytest.mark.parametrize(
    "body",
    [
        "mul.u256 r10, r1, r1\ncvt.u32.u256 r11, r10\nparallel_map.neg.f32 [x], [x], r11",
        "set.lt.u256 p0, r1, r5\nbra j, p0\nparallel_map.neg.f32 [x], [x], 3\nj:\nparallel_map.neg.f32 [x], [x], 2",
        "mov r10, r3\nmov r11, r1\nk:\nmul.u256 r11, r11, r1\nparallel_map.neg.f32 [x], [x], 3\nloop r10, k\n"
        "stg.u256 [y], r11",
    ],
)
def test_wide_integers_that_no_formula_says(backend, body):
    params = ".param w: u256\n.param x: buffer f32 read_write\n.param n: u32\n.param y: buffer u256 write\n"
    program = hg.Program.from_text(f"{params}.param v: u256\n{body}\n")
    compiled = hg.compile(program, grid=1, shapes={"y": (1,)})
    given = {"w": 2**131 + 3, "v": 2**200, "n": 4, "x": np.arange(16, dtype=np.float32), "y": np.zeros(32, np.uint8)}
    given = {name: value for name, value in given.items() if name in {port.name for port in compiled.ports}}
    given["y"] = wide([0])
    expected = compiled.run(hg.backends.CpuBackend(), **given)
    found = everywhere(compiled, backend, **given)
    assert {n: a.tobytes() for n, a in found.items()} == {n: a.tobytes() for n, a in expected.items()}


def test_what_is_kept_and_no_formula_says(backend):
    """Floats and bits of narrow integers, too; a branch that such a value decides stays with the lanes."""
    compiled = hg.compile(
        hg.Program.from_text("""
        .param f: f32
        .param n: u32
        .param x: buffer f32 read_write
        .param y: buffer u32 write
            mul.f32 r10, r1, r1
            xor.u32 r11, r2, r2
            not.u32 r11, r11
            set.lt.f32 p0, r10, r1
            sel.u32 r12, p0, r11, r2
            parallel_map.neg.f32 [x], [x], n
            ldg.f32 r13, [x + r255*4]
            bra skip, p0
            add.u32 r12, r12, r2
            sub.f32 r13, r13, r10
        skip:
            add.f32 r13, r13, r10
            stg.f32 [x + r255*4], r13
            stg.u32 [y + r255*4], r12
        """),
        shapes={"x": ("n",), "y": ("n",)},
        grid="n",
    )
    x = np.array([1, 2, 4], np.float32)
    for f in (0.5, 3.0):
        found = everywhere(compiled, backend, f=f, n=3, x=x)
        small = f * f < f
        assert found["x"].tolist() == (f * f * small - x).tolist()
        assert found["y"].tolist() == [2**32 - 1 if small else 6] * 3


def test_a_plan_stops_at_its_step_limit(backend):
    builder = hg.PlanBuilder()
    builder.scalar("n", hg.u32)
    with builder.repeat("n"), builder.repeat(f"{1 << 50}"):
        pass
    compiled = hg.CompiledProgram.from_builder(builder)
    assert compiled.run(backend, 0) == {}
    with pytest.raises(hg.ExecutionError, match=f"a plan runs at most {MAX_STEPS_RUN} steps") as caught:
        compiled.run(backend, 1)
    assert caught.value.kind == "StepLimit"


def test_memory_is_given_back(backend):
    compiled = samples.powers()
    calls = {"allocate": 0, "free": 0}

    class Counting:
        def __getattr__(self, name):
            for key in calls:
                calls[key] += name == f"{key}_buffer"
            return getattr(backend, name)

    compiled.run(Counting(), 2, np.zeros(4, np.uint32))
    with pytest.raises(hg.LaunchError):
        compiled.run(Counting(), 1 << 31, np.zeros(4, np.uint32))
    assert calls["allocate"] == calls["free"] > 0


def test_aliases_as_the_page_says():
    assert check_aliases([("x", False, 1), ("z", False, 1), ("y", True, 1), ("w", False, 2)]) == ["x", "z"]
    assert check_aliases([("x", False, 1), ("z", False, 1)]) == []
    with pytest.raises(hg.InvalidBuffer, match="x, y are one buffer"):
        check_aliases([("x", True, 1), ("y", True, 1)])


def test_one_buffer_twice_takes_a_variant_of_its_own():
    compiled = hg.compile(
        [(samples.DOUBLE, 4, None, {"w": "v"}), (samples.DOUBLE, 4, None, {"w": "x"})], shapes={"x": (4,), "v": (4,)}
    )
    (kernel,) = compiled.artifact.kernels
    variants: list[Any] = list(kernel.wgsl)
    calls: list[Any] = list(calls_of(compiled.artifact.plan.steps))
    assert [[b.memories for b in variant.bindings] for variant in variants] == [[(0,), (1,)], [(0, 1)]]
    assert [code.variant for call in calls for code in call.code] == [1, 2]


# Files


@pytest.mark.parametrize("name", SAMPLES)
def test_saving_and_loading(name, tmp_path):
    compiled = SAMPLES[name]()
    compiled.save(tmp_path / "x.holo")
    raw = (tmp_path / "x.holo").read_bytes()
    loaded = hg.load(tmp_path / "x.holo")
    assert loaded.to_bytes() == raw == hg.load(raw).to_bytes() == SAMPLES[name]().to_bytes()
    assert loaded.artifact == compiled.artifact
    assert loaded.metadata == compiled.artifact.metadata


_HASH = """
import hashlib
from tests.artifact.samples import SAMPLES
from examples.edges.pipeline import stages_plan
print([hashlib.sha256(make().to_bytes()).hexdigest() for make in (*SAMPLES.values(), stages_plan)])
"""


def test_bytes_do_not_depend_on_the_process():
    printed = {
        subprocess.run(
            [sys.executable, "-c", _HASH], env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.getcwd()},
            check=True, capture_output=True, text=True, timeout=120,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    here = [hashlib.sha256(make().to_bytes()).hexdigest() for make in (*SAMPLES.values(), stages_plan)]
    assert printed == {f"{here}\n"}


def test_importing_brings_no_dependency():
    code = "import sys, hologram_web; print([m for m in ('numpy', 'wasmtime', 'blake3') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60)
    assert ran.stdout == "[]\n"
    code = (
        "import sys, hologram_web as hg; raw = open(sys.argv[1], 'rb').read(); hg.load(raw);"
        "print([m for m in sys.modules if m in ('numpy', 'wasmtime') or '.compiler' in m or '.wasm.kernel' in m])"
    )
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"holo{os.getpid()}.holo")
    samples.saxpy().save(path)
    try:
        ran = subprocess.run([sys.executable, "-c", code, path], check=True, capture_output=True, text=True, timeout=60)
    finally:
        os.unlink(path)
    assert ran.stdout == "[]\n"
    assert blake3(b"")  # the hash is at hand without the package
