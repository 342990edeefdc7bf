"""Packets whose lanes find what most do (compiler/likely.py): neighbours across the edges of pictures of all widths."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import HologramError
from hologram_web.backends import WasmBackend
from hologram_web.compiler.build import build
from hologram_web.compiler.likely import with_likely
from hologram_web.compiler.passes import optimize
from hologram_web.isa.verify import analyze

from .support import reference


@hg.kernel
def around(x: hg.Array[hg.f32, 2], z: hg.Array[hg.f32, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = x.shape
    if row < height and column < width:
        left = column - 1 if column > 0 else width - 1
        right = column + 1 if column < width - 1 else 0
        up = row - 1 if row > 0 else height - 1
        z[row, column] = x[row, left] - 2.0 * x[row, right] + 4.0 * x[up, column]


@hg.kernel
def clamped(x: hg.Array[hg.f32, 2], z: hg.Array[hg.f32, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = x.shape
    if row < height and column < width:
        left = max(column, 1) - 1
        right = min(column + 1, width - 1)
        z[row, column] = x[row, left] - 2.0 * x[row, right]


@hg.kernel
def folded(x: hg.Array[hg.f32, 2], z: hg.Array[hg.f32, 2]):
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = x.shape
    if row < height and column < width:
        further = column + 3 if column + 3 < width else 2
        value = x[row, further]
        if value > 0.5:
            value = x[row, column] + value
        z[row, column] = value


@hg.kernel
def few(x: hg.Array[hg.f32], z: hg.Array[hg.f32]):
    i = hg.global_id(0)
    if i < z.shape[0]:
        z[i] = 2.0 * x[min(i, 7)]  # what most lanes find is not along the row


def expected(kernel, x):
    columns = np.arange(x.shape[1])
    if kernel is around:
        return np.roll(x, 1, 1) - np.float32(2) * np.roll(x, -1, 1) + np.float32(4) * np.roll(x, 1, 0)
    if kernel is clamped:
        return x[:, np.maximum(columns, 1) - 1] - np.float32(2) * x[:, np.minimum(columns + 1, x.shape[1] - 1)]
    value = x[:, np.where(columns + 3 < x.shape[1], columns + 3, 2)]
    return np.where(value > 0.5, x + value, value)


def launched(device, kernel, x, block, room):
    """The bytes that a launch leaves in z, of which `room` are z's, or what the fault says and they."""
    height, width = x.shape
    handles = {"x": device.allocate_buffer(x.nbytes), "z": device.allocate_buffer(room)}
    device.view(handles["x"])[:] = np.frombuffer(x.tobytes(), np.uint8)
    shapes = {f"{name}.shape{axis}": size for name in handles for axis, size in enumerate(x.shape)}
    given = {**handles, **shapes}
    blocks = (-(-width // block[0]), -(-height // block[1]), 1)
    config = hg.LaunchConfig(hg.GridDim(*blocks), hg.BlockDim(*block))
    said = ""
    try:
        arguments = {param.name: given[param.name] for param in kernel.program.params}
        device.execute_program_with_params(kernel.program, hg.ExecutionParams(config, arguments))
    except HologramError as error:
        said = str(error)
    left = np.frombuffer(bytes(device.view(handles["z"])), np.float32)
    for handle in handles.values():
        device.free_buffer(handle)
    return left, said


KERNELS = [around, clamped, folded]
DEVICES = [WasmBackend(packets=width, cache=False) for width in (1, 4, 8, 16)]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_there_is_code_for_what_most_lanes_find(kernel):
    function, other = (optimize(build(analyze(each.program), (256, 1, 1))) for each in (kernel, few))
    assert with_likely(function).likely is not None
    assert function.likely is None
    assert with_likely(other) is other


@pytest.mark.parametrize("block", [(256, 1, 1), (64, 2, 1), (16, 4, 1), (8, 8, 1), (4, 1, 1)])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_neighbours_across_edges(kernel, block):
    numbers = np.random.default_rng(7)
    for width in (3, 4, 5, 8, 9, 15, 16, 17, 31, 33, 48, 64, 65, 255, 256, 257, 300, 513):
        x = numbers.random((5, width), np.float32)
        for device in DEVICES:
            left, said = launched(device, kernel, x, block, x.nbytes)
            assert not said
            assert np.array_equal(left.reshape(x.shape), expected(kernel, x)), (width, device.packets)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_the_lane_that_leaves_the_picture_is_told(kernel):
    x = np.random.default_rng(8).random((3, 70), np.float32)
    for room in (0, 4, 60, 64, 68, 276, 280, 284, 560, 832, 836):
        told = [launched(device, kernel, x, (64, 2, 1), room) for device in (reference(), *DEVICES)]
        assert told[0][1]
        assert {said for _, said in told} == {told[0][1]}, room
