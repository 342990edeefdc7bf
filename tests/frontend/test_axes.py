"""Indices beyond their own axis: always a fault that names array, axis, index and length, and harms nothing else."""

# mypy: ignore-errors

from __future__ import annotations

import typing

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends import WebGpuBackend
from hologram_web.compiler.accesses import axes_of
from hologram_web.compiler.bounds import Bounds
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.verify import analyze

T = typing.TypeVar("T")


@pytest.fixture(scope="module", params=["cpu", "wasm", "webgpu"])
def device(request):
    return hg.backends.DEVICES[request.param]()


@hg.kernel
def right(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    y[hg.global_id(1), hg.global_id(0)] = x[hg.global_id(1), hg.global_id(0) + 1]


@hg.kernel
def left(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    y[hg.global_id(1), hg.global_id(0)] = x[hg.global_id(1), hg.global_id(0) - 1]


@hg.kernel
def literal(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    y[hg.global_id(1), hg.global_id(0)] = x[0, 7]


@hg.kernel
def box(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    z = hg.shared(hg.i32, (2, 3, 4))
    i = x[0, 0] + 3
    z[1, i, 0] = 3
    y[0, 0] = z[1, 0, 0]


@hg.kernel
def neighbour(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    first = hg.shared(hg.i32, 4)
    second = hg.shared(hg.i32, 4)
    second[hg.local_id() & 3] = 7
    hg.barrier()
    y[hg.global_id(1), hg.global_id(0)] = first[hg.global_id(0) + x[0, 0] + 3] + second[0]


@hg.kernel
def private(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    first = hg.local(hg.u8, (2, 2))
    second = hg.local(hg.u8, 4)
    first[x[0, 0] + 2, 0] = 1
    y[0, 0] = second[0]


@hg.kernel
def unsigned(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    y[0, 0] = x[hg.u32(x[0, 0]) - 1, 0]


@hg.kernel
def count(x: hg.Array[hg.u32, 2], y: hg.Array[hg.u32, 2]):
    hg.atomic_add(y, (hg.global_id(1), hg.global_id(0) + 1), x[0, 0])


@pytest.mark.parametrize(
    ("kernel", "lane", "text"),
    [
        (right, 3, "index 4 of axis 1 of x is beyond its length, which is 4"),
        (left, 0, "index -1 of axis 1 of x is negative, and the length is 4"),
        (literal, 0, "index 7 of axis 1 of x is beyond its length, which is 4"),
        (box, 0, "index 3 of axis 1 of z is beyond its length, which is 3"),
        (neighbour, 1, "index 4 of axis 0 of first is beyond its length, which is 4"),
        (private, 0, "index 2 of axis 0 of first is beyond its length, which is 2"),
        (unsigned, 0, "index 4294967295 of axis 0 of x is beyond its length, which is 4"),
        (count, 3, "index 4 of axis 1 of y is beyond its length, which is 4"),
    ],
    ids=lambda case: case.name if isinstance(case, hg.Kernel) else None,
)
def test_the_fault_of_an_index_beyond_its_axis(device, kernel, lane, text):
    dtype = np.uint32 if kernel is count else np.int32
    x, y = np.zeros((4, 4), dtype), np.zeros((4, 4), dtype)
    with pytest.raises(hg.ExecutionError) as caught:
        kernel.on(device)[(4, 4), (4, 1)](x, y)
    error = caught.value
    instruction = kernel.program.instructions[error.instruction]
    assert (error.kind, error.buffer, error.offset, instruction.name) == ("OutOfBounds", None, None, "CHK")
    assert error.detail.startswith(f"{text}: check the index against the length, in {instruction}")
    if device.name != "webgpu":
        assert error.lane == lane
    assert not x.any()
    assert not y.any()


@hg.kernel
def scattered(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    y[r, c + x[r, c]] = 5
    y[r, c] += 7


def test_on_a_gpu_the_access_does_nothing_and_the_others_are_done():
    device = WebGpuBackend()
    x, y = np.zeros((2, 4), np.int32), np.zeros((2, 4), np.int32)
    x[0, 3], x[1, 1] = 1, 100
    program = scattered.program
    handles = [device.allocate_buffer(32), device.allocate_buffer(32)]
    for handle, array in zip(handles, (x, y), strict=True):
        device.copy_to_buffer(handle, array)
    sizes = {name: 4 if axis else 2 for name, (_, axis) in scattered.hidden.items()}
    params = {"x": handles[0], "y": handles[1], **sizes}
    device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.grid_2d(4, 2), params))
    with pytest.raises(hg.ExecutionError, match=r"index (4|101) of axis 1 of y is beyond its length, which is 4"):
        device.sync()
    found = np.frombuffer(device.copy_from_buffer(handles[1]), np.int32).reshape(2, 4)
    assert found.tolist() == [[12, 12, 12, 7], [12, 7, 12, 12]]


@hg.kernel
def added(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32, 2]):
    y[0, hg.global_id(0)] += 1


def test_what_is_added_where_nothing_is_read_is_not_written():
    device = WebGpuBackend()
    y = device.allocate_buffer(32)
    params = {"x": y, "y": y, **{name: 4 if axis else 2 for name, (_, axis) in added.hidden.items()}}
    device.execute_program_with_params(added.program, hg.ExecutionParams(hg.LaunchConfig.linear(6), params))
    with pytest.raises(hg.ExecutionError, match="axis 1 of y"):
        device.sync()
    assert np.frombuffer(device.copy_from_buffer(y), np.int32).tolist() == [1, 1, 1, 1, 0, 0, 0, 0]


def test_checks_of_the_buffer_are_for_what_lies_behind(device):
    kernel = right.checking("buffer")
    x, y = np.arange(16, dtype=np.int32).reshape(4, 4), np.zeros((4, 4), np.int32)
    kernel.on(device)[(4, 3), (4, 1)](x, y)
    assert y[:3].tolist() == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    with pytest.raises(hg.ExecutionError) as caught:
        kernel.on(device)[(4, 4), (4, 1)](x, y)
    assert caught.value.detail.startswith(
        "4 bytes at offset 64 (index 16) are outside buffer x, which has 64 bytes (16 elements): check the index"
    )


def test_where_checks_are_said():
    assert all(i.name != "CHK" for i in right.checking("buffer").program.instructions)
    assert right.checking("axis") is right
    assert right.checking("buffer").checking("axis").program.to_bytes() == right.program.to_bytes()

    @hg.kernel(checks="buffer")
    def plain(x: hg.Array[T, 2]):
        x[0, hg.global_id()] = 1

    assert "x.shape0" not in plain.specialize(T=hg.f32).hidden
    assert list(plain.checking("axis").specialize(T=hg.f32).hidden) == ["x.shape0", "x.shape1"]
    text = "def k(x: hg.Array[hg.f32, 2]):\n    x[0, hg.global_id()] = 1\n"
    assert list(hg.kernel_from_source(text, checks="buffer").hidden) == ["x.shape1"]
    compiled = [
        hg.compile(right, grid=("w", "h"), scalars={"w": hg.u32, "h": hg.u32}, checks=c) for c in ("axis", "buffer")
    ]
    assert ["chk" in one.programs[0].to_text() for one in compiled] == [True, False]
    with pytest.raises(hg.TranslateError) as caught:
        right.checking("none")
    assert str(caught.value) == "checks are 'axis' or 'buffer', not 'none'"


# Proofs


@hg.kernel
def guarded(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    if r < x.shape[0] and c < x.shape[1]:
        y[r, c] = x[r, c]


@hg.kernel
def looped(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32]):
    r = hg.global_id()
    total = hg.f32(0)
    if r < len(x):
        for c in range(x.shape[1]):
            total += x[r, c]
        for c in range(1, x.shape[1], 3):
            total += x[r, c - 1] * x[r, c]
        for c in range(r, x.shape[1]):
            total += x[r, c]
        y[r] = total


@hg.kernel
def clamped(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    y[r, c] = x[max(0, min(r - 3, x.shape[0] - 1)), hg.clamp(c + 3, 0, x.shape[1] - 1)]


@hg.kernel
def masked(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    tile = hg.shared(hg.f32, (16, 16))
    i = hg.global_id()
    tile[i >> 4 & 15, i & 15] = x[i]
    hg.barrier()
    y[i] = tile[i & 15, i % 16]


@hg.kernel
def loaded(x: hg.Array[hg.i32, 2], y: hg.Array[hg.f32, 2]):
    y[0, x[0, hg.global_id()]] = 1


def unproven(kernel):
    """The checks that are left in the code of launches whose conditions hold, and accesses that are."""
    function = optimize(build(analyze(kernel.program), (16, 16, 1)))
    _, proven = Bounds(function, launch=True).prove(function.nodes())
    accesses = [node for node in function.nodes() if node.op in ("load", "store")]
    axes = [(node, number) for node in accesses for number in range(len(axes_of(node)))]
    return sum(check not in proven for check in axes), sum(node not in proven for node in accesses)


@pytest.mark.parametrize(
    ("kernel", "expected"), [(guarded, (0, 0)), (looped, (0, 0)), (clamped, (0, 0)), (masked, (0, 0)), (loaded, (1, 0))]
)
def test_what_proofs_leave(kernel, expected):
    assert unproven(kernel) == expected


def test_loops_run_through_their_axes(device):
    x = np.random.default_rng(3).random((5, 9), np.float32)
    y = np.zeros(7, np.float32)
    looped.on(device)[7](x, y)
    wanted = [x[r].sum() + sum(x[r, c - 1] * x[r, c] for c in range(1, 9, 3)) + x[r, r:].sum() for r in range(5)]
    assert np.allclose(y, [*wanted, 0, 0])


@hg.kernel
def loops(x: hg.Array[hg.i32, 2], low: hg.i32, high: hg.i32, y: hg.Array[hg.i32]):
    for c in range(low, high):
        y[0] += x[0, c]


@pytest.mark.parametrize(
    ("low", "high", "index"),
    [
        *[(0, 9, None), (9, 3, None), (-5, -9, None), (2147483647, -2147483648, None), (-1, 3, -1), (3, 12, 9)],
        *[(2147483645, 2147483647, 2147483645), (-2147483648, 4, -2147483648)],
    ],
)
def test_loops_beyond_their_axis(device, low, high, index):
    x, y = np.ones((2, 9), np.int32), np.zeros(1, np.int32)
    if index is None:
        loops.on(device)[1](x, low, high, y)
        assert y[0] == max(high - low, 0)
        return
    with pytest.raises(hg.ExecutionError, match=f"index {index} of axis 1 of x"):
        loops.on(device)[1](x, low, high, y)
