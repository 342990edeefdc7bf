"""The source documents' examples, on every device, through the public names of `import hologram_web as hg`."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.testing import assert_buffer_eq, assert_typed_buffer_eq, run_program

A = np.arange(256, dtype=np.float32)
B = 2 * A


def test_types_have_short_names():
    for ty in hg.Type:
        assert getattr(hg, ty.name.lower()) is ty


def test_vector_add(device):
    """hologram-backends-specification: Integration Tests."""
    a, b, c = (device.allocate_buffer(1024) for _ in range(3))
    device.copy_to_buffer(a, A)
    device.copy_to_buffer(b, B)

    builder = hg.ProgramBuilder()
    builder.add(
        hg.Instruction.ParallelMapBinary(
            dst_array=hg.Address.BufferOffset(c, 0),
            src_a=hg.Address.BufferOffset(a, 0),
            src_b=hg.Address.BufferOffset(b, 0),
            count=256,
            operation=hg.BinaryMapOperation.Add,
        )
    )
    program = builder.build()
    device.execute_program(program, hg.LaunchConfig.linear(256))

    result = np.zeros(256, np.float32)
    device.copy_from_buffer(c, result)
    assert result[0] == 0.0
    assert result[1] == 3.0
    assert_buffer_eq(device, c, A + B, tolerance=0)


def test_vector_add_with_typed_buffers(device):
    """hologram-backends-specification: backend_test!, its setup, execution and verification."""
    a, b, c = (hg.TypedBuffer.allocate(device, hg.f32, 256) for _ in range(3))
    a.copy_to([float(i) for i in range(256)])
    b.copy_to([float(i * 2) for i in range(256)])

    run_program(
        device,
        hg.Instruction.ParallelMapBinary(
            dst_array=hg.Address.BufferOffset(c.raw(), 0),
            src_a=hg.Address.BufferOffset(a.raw(), 0),
            src_b=hg.Address.BufferOffset(b.raw(), 0),
            count=256,
            operation=hg.BinaryMapOperation.Add,
        ),
    )

    assert_typed_buffer_eq(device, c, [float(i + i * 2) for i in range(256)])


def test_add_and_relu_chain(device):
    """hologram-backends-specification: Building ISA Program."""
    src_a, src_b, dst = (hg.TypedBuffer.allocate(device, hg.f32, 1024) for _ in range(3))
    source = np.random.default_rng(1)
    x, y = source.standard_normal((2, 1024), np.float32)
    src_a.copy_to(x)
    src_b.copy_to(y)
    dst_addr, src_a_addr, src_b_addr = (hg.Address.Buffer(buffer.raw()) for buffer in (dst, src_a, src_b))

    program = (
        hg.ProgramBuilder()
        .add(
            hg.Instruction.ParallelMapBinary(
                dst_array=dst_addr, src_a=src_a_addr, src_b=src_b_addr, count=1024, operation=hg.BinaryMapOperation.Add
            )
        )
        .add(
            hg.Instruction.ParallelMap(
                dst_array=dst_addr, src_array=dst_addr, count=1024, operation=hg.MapOperation.Relu
            )
        )
        .build()
    )
    device.execute_program(program, hg.LaunchConfig())

    assert_typed_buffer_eq(device, dst, np.maximum(x + y, 0), tolerance=0)


def test_creating_a_backend(device):
    """hologram-backends-specification: Creating a Backend."""
    handle = device.allocate_buffer(4096)
    data = np.ones(1024, np.float32)
    device.copy_to_buffer(handle, data)
    assert device.copy_from_buffer(handle) == data.tobytes()


def test_quick_start(device):
    """project-status: Quick Start, on the layer below the Executor."""
    a, b, c = (hg.TypedBuffer.allocate(device, hg.f32, 1024) for _ in range(3))
    x, y = np.random.default_rng(2).standard_normal((2, 1024), np.float32)
    a.copy_to(x)
    b.copy_to(y)
    hg.GenericExecutor(device).execute_binary(hg.BinaryMapOperation.Add, a, b, c)
    np.testing.assert_array_equal(c.copy_from(), x + y)


def test_generic_executor(device):
    """hologram-backends-specification: Generic Operation Execution, for several types."""
    executor = hg.GenericExecutor(device)
    for ty, values in ((hg.f32, [1.5, -2.0, 0.0]), (hg.i64, [2**40, -7, 3]), (hg.u8, [200, 100, 3])):
        x, y, total = (hg.TypedBuffer.allocate(device, ty, count) for count in (3, 3, 1))
        assert x.type() is ty
        assert x.count() == 3
        array = np.array(values, ty.numpy)
        x.copy_to(array)
        executor.execute_unary(hg.MapOperation.Neg, x, y)
        assert_typed_buffer_eq(device, y, -array, tolerance=0)
        executor.execute_reduce(hg.ReduceOperation.Sum, x, total)
        assert_typed_buffer_eq(device, total, [array.sum(dtype=ty.numpy)], tolerance=0)
        executor.execute_binary(hg.BinaryMapOperation.Max, x, y, x)
        assert_typed_buffer_eq(device, x, np.maximum(array, -array), tolerance=0)
        with pytest.raises(hg.InvalidBuffer, match="2 elements do not fit a buffer of 3"):
            x.copy_to([1, 2])
        for buffer in (x, y, total):
            buffer.free()


# The four pool loops: a pool of a fixed size, and data of any length that passes through it.

LARGE = np.random.default_rng(3).integers(0, 1000, 10_240).astype(np.float32)


def _doubling(pool, count):
    """Adds the first `count` floats of a pool to themselves, in place."""
    place = hg.Address.Pool(pool)
    return hg.Program([hg.Instruction.ParallelMapBinary("add", place, place, place, count)])


def _chunks(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)]


def test_pool_loop_of_the_readme(device):
    """hologram-backends-readme: Linear Pool Storage, with pool_store and pool_load."""
    pool = device.allocate_pool(4096)
    program, config = _doubling(pool, 1024), hg.LaunchConfig()
    found = []
    for chunk in _chunks(LARGE, 1024):
        device.pool_store(pool, 0, chunk)
        device.execute_program(program, config)
        results = np.zeros(1024, np.float32)
        device.pool_load(pool, 0, results)
        found.append(results)
    device.free_pool(pool)
    np.testing.assert_array_equal(np.concatenate(found), 2 * LARGE)


def test_pool_loop_of_boundary_size(device):
    """hologram-backends-readme: Pool Storage Example, with a pool of 12,288 bytes."""
    pool = device.allocate_pool(12288)
    add_program, config = _doubling(pool, 1024), hg.LaunchConfig.linear(1024)
    found = []
    for chunk in _chunks(LARGE, 1024):
        device.copy_to_pool(pool, 0, chunk)
        device.execute_program(add_program, config)
        results = np.zeros(1024, np.float32)
        device.copy_from_pool(pool, 0, results)
        found.append(results)
    assert device.copy_from_pool(pool, 4096, 8192) == bytes(8192)
    device.free_pool(pool)
    np.testing.assert_array_equal(np.concatenate(found), 2 * LARGE)


def test_pool_loop_of_a_large_dataset(device):
    """hologram-backends-specification: Pool Storage, chunks of 1024 bytes into 4 KB."""
    pool = device.allocate_pool(4096)
    program = _doubling(pool, 256)
    found = b""
    for chunk in _chunks(LARGE.tobytes(), 1024):
        device.copy_to_pool(pool, 0, chunk)
        device.execute_program(program, hg.LaunchConfig())
        found += device.copy_from_pool(pool, 0, 1024)
    assert device.pool_size(pool) == 4096
    device.free_pool(pool)
    assert found == (2 * LARGE).tobytes()


def test_pool_loop_around_the_pool(device):
    """hologram-backends-specification: process(pool.read(0, 1024)), the chunks going around the pool."""
    pool = device.allocate_pool(4096)
    total = device.allocate_buffer(4)
    start = hg.Param("start", "scalar", hg.u32)
    program = hg.Program(
        [
            hg.Instruction.ParallelReduce(
                "add", hg.r(2), hg.Address.Register(hg.Address.Pool(pool), hg.r(1)), 256, hg.f32
            ),
            hg.Instruction.LDG(hg.f32, hg.r(3), hg.Address.Buffer(total)),
            hg.Instruction.ADD(hg.f32, hg.r(3), hg.r(3), hg.r(2)),
            hg.Instruction.STG(hg.f32, hg.Address.Buffer(total), hg.r(3)),
        ],
        params=[start],
    )
    for number, chunk in enumerate(_chunks(LARGE, 256)):
        offset = number % 4 * 1024
        device.copy_to_pool(pool, offset, chunk)
        device.execute_program_with_params(program, hg.ExecutionParams(args={"start": offset}))
    device.free_pool(pool)
    assert_buffer_eq(device, total, [LARGE.sum(dtype=np.float64)])  # integers: exact in any order


def test_basic_example_of_the_readme_is_an_error(device):
    """hologram-backends-readme: Basic Example adds two registers that nothing wrote (names.md)."""
    program = hg.Program()
    program.instructions.append(hg.Instruction.ADD(ty=hg.Type.F32, dst=hg.Register(0), src1=hg.r(1), src2=hg.r(2)))
    with pytest.raises(hg.IsaError) as caught:
        device.execute_program(program, hg.LaunchConfig())
    assert str(caught.value) == (
        "program has 2 problems:\n"
        "  instruction 0 (add.f32 r0, r1, r2): r1 is read but not written: write it before this instruction\n"
        "  instruction 0 (add.f32 r0, r1, r2): r2 is read but not written: write it before this instruction"
    )
    assert len(caught.value.problems) == 2


def test_basic_example_with_values(device):
    """The same, with something in the registers."""
    out = device.allocate_buffer(4)
    builder = hg.ProgramBuilder()
    builder.add_mov_imm(hg.f32, hg.r(1), 1.25).add_mov_imm(hg.f32, hg.r(2), 2)
    builder.add_add(hg.f32, hg.r(0), hg.r(1), hg.r(2)).add_fma(hg.f32, hg.r(0), hg.r(0), hg.r(2), hg.r(1))
    builder.add_stg(hg.f32, hg.Address.Buffer(out), hg.r(0))
    device.execute_program(builder.build(), hg.LaunchConfig())
    assert_buffer_eq(device, out, [7.75], tolerance=0)


def test_scopes_are_written_as_in_the_source():
    for name in ("Thread", "Block", "Device", "System"):
        assert hg.MemoryScope[name] is hg.MemoryScope[name.upper()]
    assert len(hg.MemoryScope) == 4
    assert str(hg.Instruction.MemFence(hg.MemoryScope.Block)) == "mem_fence.block"


@pytest.mark.parametrize(
    ("ty", "value"), [(hg.f32, 1.25), (hg.f64, 1.25), (hg.bf16, 1), (hg.i8, -3), (hg.u64, 1 << 63)]
)
def test_an_immediate_without_a_type_takes_the_instruction_s(ty, value):
    found = hg.Instruction.MOV_IMM(ty, hg.r(1), hg.Immediate(value))
    assert found == hg.Instruction.MOV_IMM(ty, hg.r(1), value)
    assert found.value == hg.Immediate.of(ty, value)
    assert hg.Immediate(value).value == value
    assert hg.Immediate(value) == hg.Immediate(value)
    assert pickle.loads(pickle.dumps(found.value)) == copy.deepcopy(found.value) == found.value


def test_an_immediate_without_a_type_has_to_fit():
    with pytest.raises(hg.IsaError) as caught:
        hg.Instruction.MOV_IMM(hg.u8, hg.r(1), hg.Immediate(300))
    assert str(caught.value) == "MOV_IMM, operand value: the immediate 300 does not fit u8: it has 8 bits"


def test_an_immediate_without_a_type_is_a_scalar_of_a_launch(device):
    program = hg.Program.from_text(".param a: f32\n.param y: buffer f32 write\nstg.f32 [y + r255*4], r1\n")
    out = device.allocate_buffer(4)
    arguments = {"a": hg.Immediate(2.5), "y": out}
    device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), arguments))
    assert_buffer_eq(device, out, [2.5], tolerance=0)
