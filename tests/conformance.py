"""What every device has to do: a suite of tests that a device's test module takes by inheritance.

class TestCpu(BackendConformance):
    make = staticmethod(CpuBackend)
"""

from __future__ import annotations

import array
import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import Address, ExecutionParams, Instruction, LaunchConfig, Limits, Program, r
from hologram_web.backends import DEVICES

from .clock import Heart, again_and_again

ENDLESS = "loop:\n    bra loop\n"
# LOOP with the greatest counter: proven to end, and nobody waits for it.
VERY_LONG = "    mov_imm.u32 r10, 4294967295\nloop:\n    loop r10, loop\n"
DOUBLE = """
.param x: buffer i32 read
.param y: buffer i32 write
    ldg.i32 r10, [x + r255*4]
    add.i32 r10, r10, r10
    stg.i32 [y + r255*4], r10
"""
NARROW = [ty for ty in hg.Type if not ty.is_wide]

# One address mode a row: declarations, instructions before, the address of element r255, load and store.
MODES: dict[str, tuple[str, str, str, str]] = {
    "buffer": (".param m: buffer $ty read_write", "", "[m + r255*$size]", "g"),
    "register": (".param m: buffer $ty read_write", "mov r20, r3", "[r20 + r255*$size]", "g"),
    "pool": (".param m: pool", "", "[pool m + r255*$size + 32]", "g"),
    "shared": (".shared 1024", "", "[shared + r252*$size]", "s"),
    "local": (".local 1024", "mov_imm.u32 r20, 63\nand.u32 r20, r252, r20", "[.local + r20*$size + 16]", "s"),
    "pointer into local": (".local 64", "lea r20, [.local + 24]", "[*r20]", "s"),
    "class": ("", "", "[class 17 + r255*$size + 4096]", "g"),
    "phi": ("", "mov_imm.u64 r21, $size\nmul.u64 r21, r255, r21", "[phi 95, 40, r21]", "g"),
    "pointer": (".param m: buffer $ty read_write", "lea r20, [m + r255*$size]", "[*r20]", "g"),
    "pointer into a pool": (".param m: pool", "lea r20, [pool m + r255*$size]\nmov r22, r20", "[*r22]", "g"),
    "pointer into shared": (".shared 1024", "lea r20, [shared + r252*$size + 16]", "[*r20]", "s"),
}


def program(text: str) -> Program:
    return Program.from_text(text)


class BackendConformance:
    """Tests of the device called `name`; `make()` gives a new one, which raises faults at once."""

    name: str
    limits = Limits()
    without: tuple[hg.Type, ...] = ()  # types of at most 64 bits that the device does not have
    # A program that takes very long, and the instruction where it is stopped.
    very_long = VERY_LONG
    stopped_at = "loop r10, loop"

    def make(self) -> Any:
        return DEVICES[self.name]()

    @pytest.fixture
    def backend(self, request: pytest.FixtureRequest) -> Any:
        if request.config.getoption("--device") not in (None, self.name):
            pytest.skip(f"--device {request.config.getoption('--device')}")
        try:
            return self.make()
        except hg.BackendUnavailable as error:
            pytest.skip(str(error))

    # Helpers

    @staticmethod
    def buffer(backend: Any, data: Any) -> Any:
        raw = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()
        handle = backend.allocate_buffer(len(raw))
        backend.copy_to_buffer(handle, raw)
        return handle

    @staticmethod
    def read(backend: Any, handle: Any, dtype: Any = np.int32) -> Any:
        return np.frombuffer(backend.copy_from_buffer(handle), dtype)

    @staticmethod
    def run(backend: Any, text: str, lanes: int | LaunchConfig = 1, **args: Any) -> None:
        config = lanes if isinstance(lanes, LaunchConfig) else LaunchConfig.linear(lanes)
        backend.execute_program_with_params(program(text), ExecutionParams(config, args))

    def works(self, backend: Any) -> None:
        """Runs a program and looks at its result."""
        x, y = self.buffer(backend, np.arange(100, dtype=np.int32)), backend.allocate_buffer(400)
        self.run(backend, DOUBLE, 100, x=x, y=y)
        assert self.read(backend, y).tolist() == list(range(0, 200, 2))
        backend.free_buffer(x)
        backend.free_buffer(y)

    def refused(self, error: type[Exception], call: Callable[..., Any], *args: Any, **named: Any) -> str:
        with pytest.raises(error) as caught:
            call(*args, **named)
        assert type(caught.value) is error
        return str(caught.value)

    # The protocol

    def test_protocol(self, backend):
        assert isinstance(backend, hg.Backend)
        assert backend.name == self.name
        assert backend.limits == self.limits
        assert backend.native is not None

    # Buffers

    @pytest.mark.parametrize("size", [0, 1, 3, 64, 4097, 1 << 20])
    def test_new_memory_is_zero(self, backend, size):
        buffer, pool = backend.allocate_buffer(size), backend.allocate_pool(size)
        assert backend.buffer_size(buffer) == backend.pool_size(pool) == size
        assert backend.copy_from_buffer(buffer) == backend.copy_from_pool(pool, 0, size) == bytes(size)

    def test_memory_is_zero_when_it_is_used_again(self, backend):
        for _ in range(3):
            handle = backend.allocate_buffer(1000)
            assert backend.copy_from_buffer(handle) == bytes(1000)
            backend.copy_to_buffer(handle, b"\xff" * 1000)
            backend.free_buffer(handle)

    def test_handles_differ(self, backend):
        handles = [backend.allocate_buffer(4) for _ in range(20)]
        assert len(set(handles)) == 20
        backend.free_buffer(handles[3])
        assert backend.allocate_buffer(4) not in handles

    @pytest.mark.parametrize("dtype", ["?", "i1", "u1", "<i2", "<f2", "<i4", ">i4", "<f4", "<u8", "<f8", "<c16", "V16"])
    def test_transfers_of_every_dtype(self, backend, dtype):
        data = np.frombuffer(np.random.default_rng(1).bytes(64), "u1" if dtype == "?" else dtype)
        data = data > 100 if dtype == "?" else data
        handle = backend.allocate_buffer(data.nbytes)
        backend.copy_to_buffer(handle, data)
        assert backend.copy_from_buffer(handle) == data.tobytes()
        out = np.zeros_like(data)
        assert backend.copy_from_buffer(handle, out) is None
        assert out.tobytes() == data.tobytes()

    def test_transfers_of_bfloat16(self, backend):
        ml_dtypes = pytest.importorskip("ml_dtypes")
        data = np.array([1, -2, 0.5], ml_dtypes.bfloat16)
        handle, pool = backend.allocate_buffer(6), backend.allocate_pool(8)
        backend.copy_to_buffer(handle, data)
        backend.copy_to_pool(pool, 2, data)
        out = np.zeros(3, ml_dtypes.bfloat16)
        backend.copy_from_buffer(handle, out)
        assert out.tolist() == [1, -2, 0.5]
        backend.copy_from_pool(pool, 4, out[:2])
        assert out.tolist() == [-2, 0.5, 0.5]

    @pytest.mark.parametrize(
        "data",
        [
            b"abcdefgh",
            bytearray(b"abcdefgh"),
            memoryview(b"abcdefgh"),
            memoryview(b"abcdefgh").cast("I"),
            array.array("I", [1, 2]),
            np.float64(1.5),
            np.array(7, np.int64),
            np.arange(16, dtype=np.uint8).reshape(4, 4)[::2, ::2],
            np.arange(4, dtype=np.int16).reshape(2, 2).T,
            np.arange(2, dtype=np.int32)[::-1],
            np.asfortranarray(np.arange(8, dtype=np.uint8).reshape(2, 4)),
        ],
        ids=lambda data: type(data).__name__,
    )
    def test_transfers_of_every_object(self, backend, data):
        raw = data.tobytes() if hasattr(data, "tobytes") else bytes(data)
        handle, pool = backend.allocate_buffer(len(raw)), backend.allocate_pool(len(raw) + 1)
        backend.copy_to_buffer(handle, data)
        assert backend.copy_from_buffer(handle) == raw
        backend.copy_to_pool(pool, 1, data)
        assert backend.copy_from_pool(pool, 1, len(raw)) == raw

    @pytest.mark.parametrize(
        "nothing", [b"", bytearray(), memoryview(b""), array.array("f"), np.zeros(0), np.zeros((3, 0), np.int8)]
    )
    def test_transfers_of_nothing(self, backend, nothing):
        for size in (0, 8):
            handle, pool = self.buffer(backend, b"x" * size), backend.allocate_pool(size)
            backend.copy_to_buffer(handle, nothing)
            backend.copy_to_pool(pool, size, nothing)
            assert backend.copy_from_buffer(handle) == b"x" * size
            assert backend.copy_from_pool(pool, size, 0) == b""
            if not isinstance(nothing, bytes) and not (isinstance(nothing, memoryview) and nothing.readonly):
                backend.copy_from_buffer(handle, nothing)
                backend.copy_from_pool(pool, size, nothing)

    def test_parts_of_a_buffer(self, backend):
        handle = self.buffer(backend, b"abcdefgh")
        backend.copy_to_buffer(handle, b"XY")
        assert backend.copy_from_buffer(handle) == b"XYcdefgh"
        out = bytearray(3)
        backend.copy_from_buffer(handle, out)
        assert out == b"XYc"
        backend.copy_from_buffer(handle, memoryview(out)[1:])
        assert out == b"XXY"

    def test_copies_are_copies(self, backend):
        data = np.arange(4)
        handle = self.buffer(backend, data)
        first, out = backend.copy_from_buffer(handle), np.zeros(4, np.int64)
        backend.copy_from_buffer(handle, out)
        data[:] = 9
        backend.copy_to_buffer(handle, bytes(32))
        assert first == np.arange(4).tobytes()
        assert out.tolist() == [0, 1, 2, 3]

    def test_too_long_transfers(self, backend):
        handle = self.buffer(backend, b"abcd")
        text = "5 bytes at offset 0 do not fit a buffer of 4 bytes"
        assert self.refused(hg.InvalidBuffer, backend.copy_to_buffer, handle, b"12345") == text
        assert self.refused(hg.InvalidBuffer, backend.copy_from_buffer, handle, bytearray(5)) == text
        assert backend.copy_from_buffer(handle) == b"abcd"

    def test_what_cannot_be_copied(self, backend):
        handle = self.buffer(backend, b"abcd")
        for wrong in ([1, 2], "text", 5, None, {1: 2}):
            with pytest.raises(TypeError, match="give bytes, an array or another object with the buffer protocol"):
                backend.copy_to_buffer(handle, wrong)
        for readonly in (b"abcd", memoryview(b"abcd"), np.broadcast_to(np.int8(1), 4)):
            with pytest.raises(TypeError, match="out has to be writable and contiguous"):
                backend.copy_from_buffer(handle, readonly)
        for strided in (np.zeros(8, np.int8)[::2], memoryview(bytearray(8))[::2], np.zeros((2, 2), np.int8).T):
            with pytest.raises(TypeError, match="out has to be writable and contiguous"):
                backend.copy_from_buffer(handle, strided)
        assert backend.copy_from_buffer(handle) == b"abcd"

    def test_freed_buffers(self, backend):
        handle = self.buffer(backend, b"abcd")
        backend.free_buffer(handle)
        text = f"{handle!r} is no buffer of this {backend.name} backend: it was freed, or another backend made it"
        for call, *args in (
            (backend.free_buffer,),
            (backend.copy_to_buffer, b"x"),
            (backend.copy_from_buffer,),
            (backend.copy_from_buffer, bytearray(1)),
            (backend.buffer_size,),
        ):
            assert self.refused(hg.InvalidBuffer, call, handle, *args) == text
        other = self.buffer(backend, bytes(4))
        assert self.refused(hg.InvalidBuffer, self.run, backend, DOUBLE, x=handle, y=other) == text
        self.works(backend)

    def test_handles_of_others(self, backend):
        stranger = self.make()
        handle, pool = stranger.allocate_buffer(4), stranger.allocate_pool(4)
        text = f"{handle!r} is no buffer of this {backend.name} backend: it was freed, or another backend made it"
        assert self.refused(hg.InvalidBuffer, backend.copy_from_buffer, handle) == text
        text = f"{pool!r} is no pool of this {backend.name} backend: it was freed, or another backend made it"
        assert self.refused(hg.InvalidPool, backend.copy_from_pool, pool, 0, 1) == text
        mine, my_pool = backend.allocate_buffer(4), backend.allocate_pool(4)
        no_buffer: Any
        for no_buffer in (my_pool, hg.BufferHandle(0), 1, None, "buffer", []):
            self.refused(hg.InvalidBuffer, backend.buffer_size, no_buffer)
        for no_pool in (mine, hg.PoolHandle(0), 1, None):
            self.refused(hg.InvalidPool, backend.pool_size, no_pool)
        assert stranger.copy_from_buffer(handle) == bytes(4)

    @pytest.mark.parametrize("size", [-1, 1.5, True, "8", None])
    def test_sizes_that_are_none(self, backend, size):
        text = f"a size is a number of bytes from 0 on, not {size!r}"
        assert self.refused(hg.AllocationFailed, backend.allocate_buffer, size) == text
        assert self.refused(hg.AllocationFailed, backend.allocate_pool, size) == text

    @pytest.mark.parametrize("size", [1 << 50, 1 << 62, 1 << 100])
    def test_memory_that_cannot_be_had(self, backend, size):
        for allocate in (backend.allocate_buffer, backend.allocate_pool):
            text = self.refused(hg.AllocationFailed, allocate, size)
            assert " bytes cannot be had" in text
            assert text.endswith(": free other buffers or work in parts")
        self.works(backend)

    def test_sizes_of_numpy(self, backend):
        assert backend.buffer_size(backend.allocate_buffer(np.int64(8))) == 8
        assert backend.pool_size(backend.allocate_pool(np.prod([2, 3]))) == 6

    # Pools

    def test_pools_with_offsets(self, backend):
        pool = backend.allocate_pool(8)
        backend.copy_to_pool(pool, 3, b"abc")
        assert backend.copy_from_pool(pool, 0, 8) == b"\0\0\0abc\0\0"
        out = np.zeros(2, np.uint8)
        assert backend.copy_from_pool(pool, 4, out) is None
        assert bytes(out) == b"bc"
        backend.pool_store(pool, 7, b"z")
        assert backend.pool_load(pool, 6, 2) == b"\0z"
        backend.free_pool(pool)
        text = f"{pool!r} is no pool of this {backend.name} backend: it was freed, or another backend made it"
        for call, *args in (
            (backend.free_pool,),
            (backend.pool_size,),
            (backend.copy_to_pool, 0, b"x"),
            (backend.copy_from_pool, 0, 1),
        ):
            assert self.refused(hg.InvalidPool, call, pool, *args) == text

    @pytest.mark.parametrize(("offset", "count"), [(0, 9), (8, 1), (-1, 1), (100, 1), (9, 0), (1 << 70, 1)])
    def test_transfers_outside_a_pool(self, backend, offset, count):
        pool = backend.allocate_pool(8)
        text = f"{count} bytes at offset {offset} do not fit a pool of 8 bytes"
        assert self.refused(hg.InvalidPool, backend.copy_to_pool, pool, offset, bytes(count)) == text
        assert self.refused(hg.InvalidPool, backend.copy_from_pool, pool, offset, count) == text
        assert self.refused(hg.InvalidPool, backend.copy_from_pool, pool, offset, bytearray(count)) == text

    def test_a_negative_number_of_bytes(self, backend):
        pool = backend.allocate_pool(8)
        text = "-1 bytes at offset 4 do not fit a pool of 8 bytes"
        assert self.refused(hg.InvalidPool, backend.copy_from_pool, pool, 4, -1) == text

    # Launches

    def test_execute_with_handles_and_counts(self, backend):
        """The source documents' style: no parameters, handles and counts in the program."""
        for count in (3, 100):
            a, b = self.buffer(backend, np.arange(count, dtype=np.float32)), backend.allocate_buffer(4 * count)
            here = hg.Program([Instruction.ParallelMap("neg", Address.Buffer(b), Address.Buffer(a), count)])
            backend.execute_program(here, LaunchConfig())
            assert self.read(backend, b, np.float32).tolist() == [-i for i in range(count)]

    def test_execute_with_handles_in_lane_code(self, backend):
        a, p = self.buffer(backend, np.arange(4, dtype=np.int32)), backend.allocate_pool(16)
        here = hg.Program(
            [
                Instruction.LDG(hg.i32, r(1), Address.Register(Address.Buffer(a), r(255), scale=4)),
                Instruction.ADD(hg.i32, r(1), r(1), r(1)),
                Instruction.STG(hg.i32, Address.Register(Address.Pool(p), r(255), scale=4), r(1)),
                Instruction.STG(hg.i32, Address.Register(Address.Buffer(a), r(255), scale=4), r(1)),
            ]
        )
        before = here.to_bytes()
        backend.execute_program(here, LaunchConfig.linear(4))
        assert self.read(backend, a).tolist() == [0, 2, 4, 6]
        assert backend.copy_from_pool(p, 0, 16) == backend.copy_from_buffer(a)
        assert here.to_bytes() == before

    def test_pointers_into_handles(self, backend):
        a, p = self.buffer(backend, np.arange(4, dtype=np.int32)), backend.allocate_pool(16)
        here = hg.Program(
            [
                Instruction.LEA(r(1), Address.Register(Address.Buffer(a), r(255), scale=4)),
                Instruction.LEA(r(2), Address.Register(Address.Pool(p), r(255), scale=4)),
                Instruction.LDG(hg.i32, r(3), Address.Register(r(1))),
                Instruction.STG(hg.i32, Address.Register(r(2)), r(3)),
            ]
        )
        backend.execute_program(here, LaunchConfig.linear(4))
        assert backend.copy_from_pool(p, 0, 16) == backend.copy_from_buffer(a)

    def test_handles_in_a_program_are_looked_up(self, backend):
        a = self.make().allocate_buffer(4)
        here = hg.Program([Instruction.ParallelMap("neg", Address.Buffer(a), Address.Buffer(a), 1)])
        text = self.refused(hg.InvalidBuffer, backend.execute_program, here, LaunchConfig())
        assert text == f"{a!r} is no buffer of this {backend.name} backend: it was freed, or another backend made it"

    def test_handles_and_parameters_together(self, backend):
        a = self.buffer(backend, np.arange(4, dtype=np.int32))
        here = program(".param k: i32\n")
        place = Address.Register(Address.Buffer(a), r(255), scale=4)
        for instruction in (
            Instruction.LDG(hg.i32, r(2), place),
            Instruction.MUL(hg.i32, r(2), r(2), r(1)),
            Instruction.STG(hg.i32, place, r(2)),
        ):
            here.add(instruction)
        backend.execute_program_with_params(here, ExecutionParams(LaunchConfig.linear(4), {"k": -3}))
        assert self.read(backend, a).tolist() == [0, -3, -6, -9]

    def test_arguments_by_name_and_by_register(self, backend):
        text = """
.param k: i32
.param x: buffer i32 read_write
.param f: f32
.param y: buffer f32 write
    ldg.i32 r10, [x + r255*4]
    mul.i32 r10, r10, r1
    stg.i32 [x + r255*4], r10
    stg.f32 [y + r255*4], r3
"""
        x, y = self.buffer(backend, np.arange(3, dtype=np.int32)), backend.allocate_buffer(12)
        immediate = hg.Immediate.of(hg.f32, 0.1)
        ways: tuple[dict[Any, Any], ...] = (
            {"k": 2, "x": x, "f": 0.1, "y": y},
            {r(1): 2, r(2): x, r(3): 0.1, r(4): y},
            {"k": np.int64(2), r(2): x, "f": np.float64(0.1), r(4): y},
            {"k": np.array(2, np.int8), "x": x, "f": immediate, "y": y},
        )
        for args in ways:
            backend.execute_program_with_params(program(text), ExecutionParams(LaunchConfig.linear(3), args))
        assert self.read(backend, x).tolist() == [0, 16, 32]
        assert self.read(backend, y, np.float32).tolist() == [np.float32(0.1)] * 3

    @pytest.mark.parametrize("mode", MODES)
    @pytest.mark.parametrize("ty", NARROW, ids=str)
    def test_address_modes(self, backend, mode, ty):
        declarations, before, address, letter = MODES[mode]
        count = 256 // ty.size_bytes if mode == "phi" else 32
        text = f"""
.param x: buffer u$bits read
.param y: buffer u$bits write
{declarations}
{before}
    ldg.$ty r10, [x + r255*$size]
    st{letter}.$ty {address}, r10
    ld{letter}.$ty r11, {address}
    stg.$ty [y + r255*$size], r11
"""
        for word, value in (("$ty", str(ty)), ("$size", str(ty.size_bytes)), ("$bits", str(ty.bits))):
            text = text.replace(word, value)
        data = np.random.default_rng(ty.id).bytes(count * ty.size_bytes)
        x, y = self.buffer(backend, data), backend.allocate_buffer(len(data))
        args = {"x": x, "y": y}
        if "m: buffer" in text:
            args["m"] = backend.allocate_buffer(len(data))
        elif "m: pool" in text:
            args["m"] = backend.allocate_pool(len(data) + 32)
        if ty in self.without:
            self.refused(hg.UnsupportedType, self.run, backend, text, LaunchConfig.linear(count), **args)
            return
        self.run(backend, text, LaunchConfig.linear(count), **args)
        assert backend.copy_from_buffer(y) == data
        if "m: buffer" in text:
            assert backend.copy_from_buffer(args["m"]) == data

    def test_aliasing(self, backend):
        text = """
.param a: buffer i32 read
.param b: buffer i32 read_write
.param c: buffer i32 write
    ldg.i32 r10, [a + r255*4]
    ldg.i32 r11, [b + r255*4]
    add.i32 r10, r10, r11
    stg.i32 [b + r255*4], r10
    ldg.i32 r12, [a + r255*4]
    add.i32 r12, r12, r12
    stg.i32 [c + r255*4], r12
"""
        ones = np.ones(5, np.int32)
        for same, wanted in (("abc", [4]), ("ab", [2, 4]), ("bc", [1, 2]), ("ac", [2, 2]), ("", [1, 2, 2])):
            shared = self.buffer(backend, ones)
            args = {name: shared if name in same else self.buffer(backend, ones) for name in "abc"}
            self.run(backend, text, 5, **args)
            found = [self.read(backend, handle).tolist() for handle in dict.fromkeys(args.values())]
            assert found == [[value] * 5 for value in wanted], same

    def test_empty_launches(self, backend):
        x = self.buffer(backend, np.arange(3, dtype=np.int32))
        for config in (
            LaunchConfig.linear(0),
            LaunchConfig.grid_2d(5, 0),
            LaunchConfig.grid_3d(0, 2, 2),
            LaunchConfig(hg.GridDim(0)),
            LaunchConfig(lanes=(0, 1, 1)),
        ):
            assert config.total_threads() == 0
            self.run(backend, DOUBLE, config, x=x, y=x)
        assert self.read(backend, x).tolist() == [0, 1, 2]
        text = "parameter 'y' is missing: the program takes x: buffer i32 read, y: buffer i32 write"
        assert self.refused(hg.LaunchError, self.run, backend, DOUBLE, 0, x=x) == text
        self.refused(hg.IsaError, self.run, backend, "    ret\n", 0)

    def test_empty_programs(self, backend):
        backend.execute_program(Program(), LaunchConfig.linear(1000))
        self.run(backend, ".entry end\n    add.i32 r1, r2, r3\nend:\n", 10)

    def test_shared_memory_of_the_launch(self, backend):
        text = ".param y: buffer u32 write\n    sts.u32 [shared + 4092], r252\n    lds.u32 r1, [shared + 4092]\n"
        y = backend.allocate_buffer(4)
        store = ".param y: buffer u32 write\n    mov_imm.u32 r9, 5\n    sts.u32 [shared + 4092], r9\n"
        store += "    lds.u32 r10, [shared + 4092]\n    stg.u32 [y], r10\n"
        self.run(backend, store, LaunchConfig(shared_memory=4096), y=y)
        assert self.read(backend, y).tolist() == [5]
        self.refused(hg.ExecutionError, self.run, backend, text, LaunchConfig(shared_memory=4092), y=y)

    @pytest.mark.parametrize("lanes", range(1, 18))
    def test_memory_beside_that_of_a_block(self, backend, lanes):
        """Spills, local and shared memory of awkward sizes leave buffers alone that lie right behind them."""
        text = """
            .param x: buffer u8 read
            .param y: buffer u8 write
            .shared 50
                ldg.u8 r10, [x + r252]
                bar_sync 0
                sts.u8 [shared + r252], r10
                lds.u8 r11, [shared + r252]
                stg.u8 [y + r252], r11
        """
        local = text.replace("shared + r252", ".local + 4").replace(".shared 50", ".shared 50\n.local 5")
        config, data = LaunchConfig.linear(lanes, block=lanes), bytes(range(1, lanes + 1))
        x, y = self.buffer(backend, data), self.buffer(backend, bytes(lanes))
        self.run(backend, text, config, x=x, y=y)
        beside = {size: self.buffer(backend, b"\xa5" * size) for size in (4, 16, 64, 256)}
        for one in (text, local):
            self.run(backend, one, config, x=x, y=y)
            assert backend.copy_from_buffer(y) == data
            assert [backend.copy_from_buffer(beside[size]) for size in beside] == [b"\xa5" * size for size in beside]

    def test_much_shared_memory(self, backend):
        """Blocks that do not all fit into memory at once."""
        text = ".param y: buffer u32 write\n    mov_imm.u32 r9, 5\n    sts.u32 [shared + 1048572], r9\n"
        text += "    lds.u32 r10, [shared + 1048572]\n    stg.u32 [y + r255*4], r10\n"
        y = backend.allocate_buffer(4 * 3000)
        self.run(backend, text, LaunchConfig(hg.GridDim(3000), shared_memory=1 << 20), y=y)
        assert (self.read(backend, y) == 5).all()

    def test_class_memory_stays(self, backend):
        store = ".param v: u32\n    stg.u32 [class 40 + 100], r1\n"
        load = ".param y: buffer u32 write\n    ldg.u32 r10, [class 40 + 100]\n    stg.u32 [y], r10\n"
        y = self.buffer(backend, np.array([9], np.uint32))
        self.run(backend, load, y=y)
        assert self.read(backend, y).tolist() == [0]
        self.run(backend, store, v=77)
        self.run(backend, load, y=y)
        assert self.read(backend, y).tolist() == [77]
        stranger = self.make()
        other = self.buffer(stranger, np.array([9], np.uint32))
        self.run(stranger, load, y=other)
        assert self.read(stranger, other).tolist() == [0]

    def test_the_host_sees_class_memory(self, backend):
        self.run(backend, "    mov_imm.u32 r10, 66051\n    stg.u32 [class 95 + 12284], r10\n")
        assert bytes(backend.class_memory(95)[-4:]) == b"\x03\x02\x01\x00"
        backend.class_memory(95)[0] = 200
        y = backend.allocate_buffer(1)
        self.run(backend, ".param y: buffer u8 write\n    ldg.u8 r10, [phi 95, 0, 0]\n    stg.u8 [y], r10\n", y=y)
        assert backend.copy_from_buffer(y) == b"\xc8"
        for wrong in (-1, 96):
            text = self.refused(hg.LaunchError, backend.class_memory, wrong)
            assert text == f"class {wrong} does not exist: classes are 0 to 95"

    def test_a_program_that_changes_is_seen(self, backend):
        y = backend.allocate_buffer(4)
        here = program(".param y: buffer u32 write\n    mov_imm.u32 r10, 1\n    stg.u32 [y], r10\n")
        for value in (1, 2):
            here.instructions[0] = Instruction.MOV_IMM(hg.u32, r(10), value)
            backend.execute_program_with_params(here, ExecutionParams(args={"y": y}))
            assert self.read(backend, y).tolist() == [value]

    def test_many_programs(self, backend):
        """More than any cache keeps."""
        y = backend.allocate_buffer(4)
        for value in [*range(300), 0, 1, 299]:
            self.run(backend, f".param y: buffer u32 write\n    mov_imm.u32 r9, {value}\n    stg.u32 [y], r9\n", y=y)
            assert self.read(backend, y).tolist() == [value]

    # Errors before a launch

    def test_arguments_that_are_wrong(self, backend):
        text = """
.param x: buffer f32 read_write
.param k: u8
.param f: f32
.param p: pool
    exit
"""
        signature = "the program takes x: buffer f32 read_write, k: u8, f: f32, p: pool"
        x, p = backend.allocate_buffer(4), backend.allocate_pool(4)
        good = {"x": x, "k": 5, "f": 1.5, "p": p}
        self.run(backend, text, **good)

        def complaint(*without: str, **other: Any) -> str:
            args = {key: value for key, value in good.items() if key not in without}
            return self.refused(hg.LaunchError, self.run, backend, text, **{**args, **other})

        assert complaint("x") == f"parameter 'x' is missing: {signature}"
        assert complaint("f", "p") == f"parameter 'f' is missing: {signature}"
        assert complaint(z=1) == f"there is no parameter z: {signature}"
        assert complaint(x=p) == "x is a PoolHandle; a BufferHandle is expected, as it is a buffer"
        assert complaint(x=np.zeros(3)) == "x is an ndarray; a BufferHandle is expected, as it is a buffer"
        assert complaint(p=x) == "p is a BufferHandle; a PoolHandle is expected, as it is a pool"
        assert complaint(p=None) == "p is None; a PoolHandle is expected, as it is a pool"
        assert complaint(k=x) == "k is a BufferHandle; u8 is expected, a number"
        assert complaint(k=True) == "k is True; u8 is expected, a number"
        assert complaint(k="5") == "k is '5'; u8 is expected, a number"
        assert complaint(k=np.array([5])) == "k is an ndarray; u8 is expected, a number"
        assert complaint(k=5.0) == "k is 5.0; u8 is expected, an integer"
        assert complaint(k=np.float32(5)) == "k is 5.0; u8 is expected, an integer"
        assert complaint(k=256) == "k is 256; u8 is expected, 0 to 255"
        assert complaint(k=-1) == "k is -1; u8 is expected, 0 to 255"
        assert complaint(k=hg.Immediate.of(hg.i8, 5)) == "k is 5 of type i8; u8 is expected"
        assert complaint(f=1j) == "f is 1j; f32 is expected, a number"

        def registers(args: Any) -> str:
            params = ExecutionParams(LaunchConfig(), args)
            return self.refused(hg.LaunchError, backend.execute_program_with_params, program(text), params)

        assert registers({**good, r(1): x}) == "parameter 'x' is given twice, by name and by register"
        assert registers({**good, r(5): x}) == f"there is no parameter r5: {signature}"
        assert registers({**good, r(255): 1}) == f"there is no parameter r255: {signature}"
        assert self.refused(hg.LaunchError, self.run, backend, "    exit\n", z=1) == (
            "there is no parameter z: the program takes no parameters"
        )
        missing = self.refused(hg.LaunchError, backend.execute_program, program(DOUBLE), LaunchConfig())
        assert missing == "parameter 'x' is missing: the program takes x: buffer i32 read, y: buffer i32 write"

    def test_scalars_of_every_type(self, backend):
        for ty in [ty for ty in NARROW if ty not in self.without]:
            text = f".param v: {ty}\n.param y: buffer {ty} write\n    stg.{ty} [y], r1\n"
            y = backend.allocate_buffer(ty.size_bytes)
            values = [ty.min_value, ty.max_value, 0, 1] if ty.is_integer else [0.1, -0.0, float("inf"), 1e300, 7]
            for value in values:
                self.run(backend, text, v=value, y=y)
                assert backend.copy_from_buffer(y) == ty.encode(value).to_bytes(ty.size_bytes, "little")
            nan = hg.Immediate(ty, ty.encode(float("nan")) | 1) if ty.is_float else hg.Immediate(ty, 3)
            self.run(backend, text, v=nan, y=y)
            assert backend.copy_from_buffer(y) == nan.bits.to_bytes(ty.size_bytes, "little")

    def test_invalid_programs(self, backend):
        """All problems at once, in terms of the program as it was written; nothing runs."""
        x = self.buffer(backend, np.arange(2, dtype=np.int32))
        here = Program(
            [
                Instruction.STG(hg.i32, Address.Buffer(x), r(7)),
                Instruction.ParallelMap("neg", Address.Buffer(x), Address.Buffer("z"), 300),
            ],
            metadata=hg.ProgramMetadata("wrong"),
        )
        number = x.id
        assert self.refused(hg.IsaError, backend.execute_program, here, LaunchConfig()) == (
            "program 'wrong' has 2 problems:\n"
            f"  instruction 0 (stg.i32 [buffer #{number}], r7): r7 is read but not written: "
            "write it before this instruction\n"
            f"  instruction 1 (parallel_map.neg.f32 [buffer #{number}], [z], 300): "
            "there is no parameter 'z': the program has none"
        )
        assert self.read(backend, x).tolist() == [0, 1]
        unplaced = Program([Instruction.BRA("away")])
        assert self.refused(hg.IsaError, backend.execute_program, unplaced, LaunchConfig()).startswith(
            "program has 1 problem:\n  instruction 0 (bra away): label 'away' is not placed: place it"
        )
        self.works(backend)

    def test_scalars_of_wide_integers(self, backend):
        """As all their bits, beside a narrow one; too large ones are refused in few words."""
        for ty in [ty for ty in hg.Type if ty.is_wide]:
            text = f".param n: i8\n.param v: {ty}\n.param y: buffer {ty} write\n    stg.{ty} [y], r2\n"
            y = backend.allocate_buffer(ty.size_bytes)
            for value in (ty.min_value, ty.max_value, 3**80, hg.Immediate(ty, 1 << (ty.bits - 1))):
                self.run(backend, text, n=-1, v=value, y=y)
                bits = value.bits if isinstance(value, hg.Immediate) else ty.encode(value)
                assert backend.copy_from_buffer(y) == bits.to_bytes(ty.size_bytes, "little")
            top = ty.bits - 1 if ty.is_signed else ty.bits
            given = f"an integer of {top + 1} bits" if top > 255 else str(1 << top)
            assert self.refused(hg.LaunchError, self.run, backend, text, n=-1, v=1 << top, y=y) == (
                f"v is {given}; {ty} is expected, {f'-2**{top}' if ty.is_signed else 0} to 2**{top} - 1"
            )
            backend.free_buffer(y)
        text = ".param v: u128\n    mov r9, r1\n"
        for wrong, what in (
            (1.0, "1.0; u128 is expected, an integer"),
            ("1", "'1'; u128 is expected, a number"),
            (1 << 20000, "an integer of 20001 bits; u128 is expected, 0 to 2**128 - 1"),
            (hg.Immediate.of(hg.u64, 5), "5 of type u64; u128 is expected"),
        ):
            refused = self.refused(hg.LaunchError, self.run, backend, text, v=wrong)
            assert refused == f"v is {what}"
        self.works(backend)

    # Faults

    FAULTS = (
        (
            "OutOfBounds",
            ".param x: buffer i32 read_write\n    ldg.i32 r10, [x + r255*4 + 4]\n    stg.i32 [x], r10\n",
            "OutOfBounds at instruction 0, lane 2: 4 bytes at offset 12 (index 3) "
            "are outside buffer x, which has 12 bytes (3 elements): "
            "check the index against the length, in ldg.i32 r10, [x + r255*4 + 4]",
        ),
        (
            "MisalignedAccess",
            ".param x: buffer i32 read_write\n    mov_imm.i32 r10, 1\n    stg.i32 [x + r255*2], r10\n",
            "MisalignedAccess at instruction 1, lane 1: i32 at offset 2 of buffer x is not aligned: "
            "the offset has to be a multiple of 4, in stg.i32 [x + r255*2], r10",
        ),
        (
            "DivisionByZero",
            ".param x: buffer i32 read_write\n    ldg.i32 r10, [x + r255*4]\n    div.i32 r10, r10, r10\n",
            "DivisionByZero at instruction 1, lane 0: the divisor is zero: test it before, in div.i32 r10, r10, r10",
        ),
        (
            "InvalidClass",
            ".param x: buffer i32 read\n    mov_imm.u8 r10, 96\n    ldg.i32 r11, [phi r10, 0, 0]\n",
            "InvalidClass at instruction 1, lane 0: class 96 does not exist: it is from 0 to 95, "
            "in ldg.i32 r11, [phi r10, 0, 0]",
        ),
        (
            "StepLimit",
            ".param x: buffer i32 read\n" + ENDLESS,
            "StepLimit at instruction 0, lane 0: a lane went around loops more than 1000 times: "
            "does a loop not end?, in bra loop",
        ),
        (
            "DivergentBarrier",
            """
.param x: buffer i32 read
    mov_imm.u32 r10, 1
    set.lt.u32 p0, r252, r10
    bra other, p0
    bar_sync 0
    exit
other:
    bar_sync 0
""",
            "DivergentBarrier at instruction 3, lane 1: lanes of block 0 wait at different places: "
            "lane 1 at instruction 3, lane 0 at instruction 5; let all lanes of a block reach the same bar_sync, "
            "in bar_sync 0",
        ),
    )

    # Where every lane would fault one runs: which of several a GPU names is open.
    ALONE = ("DivisionByZero", "InvalidClass", "StepLimit")

    @pytest.mark.parametrize(("kind", "text", "message"), FAULTS, ids=[fault[0] for fault in FAULTS])
    def test_faults_and_the_launch_after(self, backend, kind, text, message):
        x, bystander = self.buffer(backend, np.zeros(3, np.int32)), self.buffer(backend, b"bystander")
        backend.limits = Limits(steps=1000)
        for _ in range(2):
            with pytest.raises(hg.ExecutionError) as caught:
                self.run(backend, text, 1 if kind in self.ALONE else 3, x=x)
            assert caught.value.kind == hg.FaultKind(kind)
            assert str(caught.value) == message
            self.works(backend)
        assert backend.copy_from_buffer(bystander) == b"bystander"

    def test_what_a_fault_says(self, backend):
        x = self.buffer(backend, np.zeros(3, np.int32))
        with pytest.raises(hg.ExecutionError) as caught:
            self.run(backend, self.FAULTS[0][1], 3, x=x)
        fault = caught.value
        assert (fault.kind, fault.instruction, fault.lane) == ("OutOfBounds", 0, 2)
        assert (fault.buffer, fault.offset) == ("buffer x", 12)
        assert fault.detail == str(fault).partition("lane 2: ")[2]

    def test_a_fault_in_a_collective(self, backend):
        x = self.buffer(backend, np.zeros(3, np.float32))
        text = ".param x: buffer f32 read_write\n.param n: u32\n    parallel_map.neg.f32 [x], [x], n\n"
        with pytest.raises(hg.ExecutionError) as caught:
            self.run(backend, text, 3, x=x, n=4)
        assert str(caught.value) == (
            "OutOfBounds at instruction 0: 16 bytes at offset 0 are outside buffer x, which has 12 bytes: "
            "check the index against the length, in parallel_map.neg.f32 [x], [x], n"
        )
        self.run(backend, text, 3, x=x, n=3)

    def test_a_fault_in_a_program_with_handles(self, backend):
        """It is told with the handles and counts that the program has."""
        x, p = self.buffer(backend, np.zeros(3, np.float32)), backend.allocate_pool(8)
        here = hg.Program([Instruction.ParallelMap("neg", Address.Buffer(x), Address.Buffer(x), 4)])
        with pytest.raises(hg.ExecutionError) as caught:
            backend.execute_program(here, LaunchConfig())
        assert (caught.value.buffer, caught.value.offset) == (f"buffer #{x.id}", 0)
        assert str(caught.value) == (
            f"OutOfBounds at instruction 0: 16 bytes at offset 0 are outside buffer #{x.id}, which has 12 bytes: "
            f"check the index against the length, in parallel_map.neg.f32 [buffer #{x.id}], [buffer #{x.id}], 4"
        )
        here = hg.Program([Instruction.LDG(hg.i32, r(1), Address.Register(Address.Pool(p), r(255), scale=4))])
        with pytest.raises(hg.ExecutionError) as caught:
            backend.execute_program(here, LaunchConfig.linear(3))
        assert caught.value.buffer == f"pool #{p.id}"
        assert str(caught.value).endswith(f"ldg.i32 r1, [pool #{p.id} + r255*4]")

    # Limits and cancelling

    def test_step_limit(self, backend):
        backend.limits = Limits(steps=10)
        count = """
.param n: u32
    mov_imm.u32 r10, 0
    mov_imm.u32 r11, 1
next:
    add.u32 r10, r10, r11
    set.lt.u32 p0, r10, r1
    bra next, p0
"""
        self.run(backend, count, 100, n=11)
        self.refused(hg.ExecutionError, self.run, backend, count, 100, n=12)
        backend.limits = Limits(steps=11)
        self.run(backend, count, 100, n=12)

    def test_time_limit(self, backend):
        backend.limits = Limits(seconds=0.2)
        start = time.monotonic()
        with Heart() as heart, pytest.raises(hg.ExecutionError) as caught:
            self.run(backend, self.very_long, 1)
        assert time.monotonic() - start >= 0.2
        assert heart.seconds < 10
        assert caught.value.kind is hg.FaultKind.STEP_LIMIT
        assert "the launch did not end within 0.2 seconds: does a loop not end?" in str(caught.value)
        self.works(backend)

    def test_cancel(self, backend):
        backend.limits = Limits(seconds=0.01)  # to have it compiled, so that the timer comes while it runs
        self.refused(hg.ExecutionError, self.run, backend, self.very_long, 4)
        backend.limits = Limits(seconds=60)
        with again_and_again(backend.cancel) as heart, pytest.raises(hg.ExecutionError) as caught:
            self.run(backend, self.very_long, 4)
        assert heart.seconds < 30
        assert caught.value.kind is hg.FaultKind.CANCELLED
        assert str(caught.value) == f"Cancelled at instruction 1: the launch was cancelled, in {self.stopped_at}"
        self.works(backend)

    def test_cancel_when_nothing_runs(self, backend):
        backend.cancel()
        self.works(backend)
        backend.cancel()
        backend.cancel()
        self.works(backend)

    # Async

    def test_async(self, backend):
        async def scene():
            x, y = self.buffer(backend, np.arange(4, dtype=np.int32)), backend.allocate_buffer(16)
            params = ExecutionParams(LaunchConfig.linear(4), {"x": x, "y": y})
            assert await backend.execute_async(program(DOUBLE), params) is None
            assert np.frombuffer(await backend.read_async(y), np.int32).tolist() == [0, 2, 4, 6]
            out = np.zeros(2, np.int32)
            assert await backend.read_async(y, out) is None
            assert out.tolist() == [0, 2]
            here = Program([Instruction.ParallelMap("neg", Address.Buffer(y), Address.Buffer(x), 4, hg.i32)])
            await backend.execute_async(here, LaunchConfig())
            assert self.read(backend, y).tolist() == [0, -1, -2, -3]
            with pytest.raises(hg.LaunchError):
                await backend.execute_async(program(DOUBLE), ExecutionParams())
            with pytest.raises(hg.InvalidBuffer):
                await backend.read_async(hg.BufferHandle(0))

        asyncio.run(scene())

    def test_async_leaves_the_loop_free(self, backend):
        backend.limits = Limits(seconds=60)

        async def scene():
            running = asyncio.create_task(backend.execute_async(program(self.very_long), LaunchConfig()))
            for _ in range(20):
                await asyncio.sleep(0.01)
            assert not running.done()
            backend.cancel()
            with pytest.raises(hg.ExecutionError, match="Cancelled"):
                await running

        asyncio.run(scene())
        self.works(backend)

    def test_many_at_once(self, backend):
        async def scene():
            x = self.buffer(backend, np.arange(50, dtype=np.int32))
            outs = [backend.allocate_buffer(200) for _ in range(10)]
            launches = [ExecutionParams(LaunchConfig.linear(50), {"x": x, "y": y}) for y in outs]
            await asyncio.gather(*(backend.execute_async(program(DOUBLE), launch) for launch in launches))
            for raw in await asyncio.gather(*(backend.read_async(y) for y in outs)):
                assert np.frombuffer(raw, np.int32).tolist() == list(range(0, 100, 2))

        asyncio.run(scene())

    # Threads, use over and over, determinism

    def test_threads(self, backend):
        problems: list[BaseException] = []

        def work(number: int) -> None:
            try:
                for turn in range(20):
                    data = np.arange(64, dtype=np.int32) * (number + turn)
                    x, y = self.buffer(backend, data), backend.allocate_buffer(256)
                    pool = backend.allocate_pool(16)
                    self.run(backend, DOUBLE, 64, x=x, y=y)
                    assert self.read(backend, y).tolist() == (2 * data).tolist()
                    if turn % 5 == 0:
                        self.refused(hg.ExecutionError, self.run, backend, DOUBLE, 65, x=x, y=y)
                    for free, handle in (
                        (backend.free_buffer, x),
                        (backend.free_buffer, y),
                        (backend.free_pool, pool),
                    ):
                        free(handle)
            except BaseException as error:
                problems.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []

    def test_300_cycles(self, backend):
        for turn in range(300):
            x, y = self.buffer(backend, np.full(10, turn, np.int32)), backend.allocate_buffer(40)
            pool = backend.allocate_pool(100)
            self.run(backend, DOUBLE, 10, x=x, y=y)
            assert self.read(backend, y).tolist() == [2 * turn] * 10
            backend.free_buffer(x)
            backend.free_buffer(y)
            backend.free_pool(pool)

    def test_determinism(self, backend):
        text = """
.param x: buffer f32 read
.param y: buffer f32 read_write
.param count: buffer u32 read_write
    ldg.f32 r10, [x + r255*4]
    rsqrt.f32 r10, r10
    mad.f32 r10, r10, r10, r10
    mov_imm.u32 r11, 1
    atom.add.u32 r12, [count], r11
    stg.f32 [y + r255*4], r10
    parallel_reduce.add.f32 [y], [y], 5000
"""
        data = np.random.default_rng(5).random(5000, np.float32)
        results = set()
        for _ in range(3):
            device = self.make()
            for _ in range(2):
                x, y, count = self.buffer(device, data), device.allocate_buffer(20000), device.allocate_buffer(4)
                self.run(device, text, 5000, x=x, y=y, count=count)
                assert self.read(device, count).tolist() == [5000]
                results.add(device.copy_from_buffer(y))
        assert len(results) == 1
