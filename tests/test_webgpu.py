"""What the webgpu device does beside what all do: batching, deferred faults, recycling, loss, large grids."""

from __future__ import annotations

import contextlib
import gc
import weakref

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import ExecutionParams, LaunchConfig, Program
from hologram_web.backends import WebGpuBackend
from hologram_web.backends.webgpu.gpu import Gpu

from .filetest import FOLDER, load
from .filetest_run import check

DOUBLE = Program.from_text("""
.program double
.param x: buffer i32 read
.param y: buffer i32 write
    ldg.i32 r10, [x + r255*4]
    add.i32 r10, r10, r10
    stg.i32 [y + r255*4], r10
""")


@pytest.fixture
def backend():
    return WebGpuBackend()


def buffer(backend, data):
    handle = backend.allocate_buffer(data.nbytes)
    backend.copy_to_buffer(handle, data)
    return handle


def run(backend, program, lanes, **args):
    config = lanes if isinstance(lanes, LaunchConfig) else LaunchConfig.linear(lanes)
    backend.execute_program_with_params(program, ExecutionParams(config, args))


def read(backend, handle, dtype=np.int32):
    return np.frombuffer(backend.copy_from_buffer(handle), dtype)


# Batching


def test_many_launches_are_one_submit(backend):
    x, y = buffer(backend, np.arange(10, dtype=np.int32)), backend.allocate_buffer(40)
    backend.sync()
    run(backend, DOUBLE, 10, x=x, y=y)
    assert read(backend, y)[3] == 6
    before = backend._recorder.submits
    for _ in range(10):
        run(backend, DOUBLE, 10, x=x, y=y)
        run(backend, DOUBLE, 10, x=y, y=x)
    assert backend._recorder.submits == before
    assert read(backend, x)[3] == 3 * 4**10
    assert backend._recorder.submits == before + 1


def test_writes_wait_for_launches_that_read(backend):
    x, y, z = (buffer(backend, np.full(4, value, np.int32)) for value in (1, 0, 0))
    run(backend, DOUBLE, 4, x=x, y=y)
    backend.copy_to_buffer(x, np.full(4, 5, np.int32))
    run(backend, DOUBLE, 4, x=x, y=z)
    assert read(backend, y).tolist() == [2] * 4
    assert read(backend, z).tolist() == [10] * 4


def test_more_launches_than_there_are_slots(backend):
    x, y = buffer(backend, np.ones(4, np.int32)), backend.allocate_buffer(16)
    add = Program.from_text("""
.param x: buffer i32 read
.param y: buffer i32 read_write
    ldg.i32 r10, [x + r255*4]
    ldg.i32 r11, [y + r255*4]
    add.i32 r10, r10, r11
    stg.i32 [y + r255*4], r10
""")
    for _ in range(2500):
        run(backend, add, 4, x=x, y=y)
    assert read(backend, y).tolist() == [2500] * 4


@pytest.mark.parametrize("size", [1, 2, 3, 5, 257, 1023])
def test_bytes_that_are_no_words(backend, size):
    """WebGPU copies whole words; neighbouring bytes stay."""
    generator = np.random.default_rng(size)
    pool, mirror = backend.allocate_pool(size), np.zeros(size, np.uint8)
    for _ in range(12):
        start = int(generator.integers(0, size))
        raw = generator.integers(0, 256, int(generator.integers(0, size - start + 1)), np.uint8)
        backend.copy_to_pool(pool, start, raw)
        mirror[start : start + raw.size] = raw
        assert backend.copy_from_pool(pool, 0, size) == mirror.tobytes()
        assert backend.copy_from_pool(pool, start, size - start) == mirror[start:].tobytes()


# Faults


def test_a_fault_waits_for_the_next_read(backend):
    x, y, other = (buffer(backend, np.zeros(4, np.int32)) for _ in range(3))
    run(backend, DOUBLE, 4, x=x, y=y)
    run(backend, DOUBLE, 5, x=x, y=y)
    run(backend, DOUBLE, 4, x=x, y=other)
    with pytest.raises(hg.ExecutionError) as caught:
        backend.copy_from_buffer(other)
    number = backend.stats.launches
    assert str(caught.value) == (
        "OutOfBounds at instruction 0, lane 4: 4 bytes at offset 16 (index 4) "
        "are outside buffer x, which has 16 bytes (4 elements): check "
        f"the index against the length, in ldg.i32 r10, [x + r255*4] (launch {number - 1} of this backend, double)"
    )
    assert read(backend, other).tolist() == [0] * 4


@pytest.mark.parametrize("end", ["sync", "close"])
def test_a_fault_waits_for_sync_and_close(end):
    backend = WebGpuBackend()
    x = buffer(backend, np.zeros(4, np.int32))
    run(backend, DOUBLE, 5, x=x, y=x)
    with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
        getattr(backend, end)()
    backend.sync()


def test_a_fault_can_be_raised_at_once():
    backend = WebGpuBackend(check="sync")
    x = buffer(backend, np.zeros(4, np.int32))
    with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
        run(backend, DOUBLE, 5, x=x, y=x)
    with pytest.raises(ValueError, match="check is 'deferred' or 'sync', not 'never'"):
        WebGpuBackend(check="never")


def test_faults_of_other_backends_stay_theirs(backend):
    other = WebGpuBackend()
    x, mine = buffer(other, np.zeros(4, np.int32)), buffer(backend, np.arange(4, dtype=np.int32))
    run(other, DOUBLE, 5, x=x, y=x)
    run(backend, DOUBLE, 4, x=mine, y=mine)
    assert read(backend, mine).tolist() == [0, 2, 4, 6]
    with pytest.raises(hg.ExecutionError):
        other.sync()


def test_loops_that_the_adapter_ends_are_a_fault():
    """llvmpipe of Mesa 22 ends the loops of a shader after 65,535 rounds; on others this takes a while and is right."""
    backend = WebGpuBackend(check="sync")
    text = """
.param n: u32
.param y: buffer u32 write
    mov_imm.u32 r10, 0
    mov_imm.u32 r11, 1
next:
    add.u32 r10, r10, r11
    set.lt.u32 p0, r10, r1
    bra next, p0
    stg.u32 [y], r10
"""
    y = backend.allocate_buffer(4)
    run(backend, Program.from_text(text), 1, n=60_000, y=y)
    assert read(backend, y, np.uint32)[0] == 60_000
    if backend.traits.ends_loops:
        with pytest.raises(hg.ExecutionError, match=r"StepLimit.*this adapter ends the loops") as caught:
            run(backend, Program.from_text(text), 1, n=70_000, y=y)
        assert caught.value.instruction is None
    else:
        run(backend, Program.from_text(text), 1, n=70_000, y=y)
        assert read(backend, y, np.uint32)[0] == 70_000


# Memory


def test_freed_memory_is_recycled(backend):
    gpu = Gpu.shared()
    x = buffer(backend, np.arange(1000, dtype=np.int32))
    levels = set()
    for turn in range(200):
        y = backend.allocate_buffer(4000)
        assert not read(backend, y).any() or turn < 0
        run(backend, DOUBLE, 1000, x=x, y=y)
        if turn % 3:
            assert read(backend, y)[999] == 1998
        backend.free_buffer(y)
        levels.add(gpu.live_bytes)
    assert len(levels) == 1
    backend.sync()


def test_memory_that_is_in_flight_may_be_freed(backend):
    x = buffer(backend, np.arange(1 << 20, dtype=np.int32))
    outs = []
    for _ in range(20):
        y, z = backend.allocate_buffer(1 << 22), backend.allocate_buffer(1 << 22)
        run(backend, DOUBLE, 1 << 20, x=x, y=y)
        run(backend, DOUBLE, 1 << 20, x=y, y=z)
        backend.free_buffer(y)
        outs.append(z)
    backend.free_buffer(x)
    wanted = np.arange(1 << 20, dtype=np.int32) * 4
    for z in outs:
        assert (read(backend, z) == wanted).all()
        backend.free_buffer(z)


def fill(backend):
    """Allocates until there is no more."""
    held: list = []
    with contextlib.suppress(hg.AllocationFailed):
        while len(held) < 10_000:
            held.append(backend.allocate_buffer(1 << 30))
    assert len(held) < 10_000
    return held


def test_too_much_memory_is_refused_and_nothing_is_lost(backend):
    x = buffer(backend, np.arange(4, dtype=np.int32))
    with pytest.raises(hg.AllocationFailed, match="cannot be had: free other buffers or work in parts"):
        backend.allocate_buffer(Gpu.shared().limits["max-buffer-size"] + 1)
    if not Gpu.shared().real:  # a real GPU would really be filled
        held = fill(backend)
        for handle in held:
            backend.free_buffer(handle)
        Gpu.shared().trim()
    run(backend, DOUBLE, 4, x=x, y=x)
    assert read(backend, x).tolist() == [0, 2, 4, 6]


def test_a_memory_longer_than_a_binding(backend):
    # Where a binding holds more than 256 MiB, the memory is no longer than that.
    most = min(Gpu.shared().limits["max-storage-buffer-binding-size"], 1 << 28)
    count = most // 4 + 1000
    x = buffer(backend, np.arange(count, dtype=np.int32))
    run(backend, DOUBLE, count, x=x, y=x)
    assert (read(backend, x) == 2 * np.arange(count, dtype=np.int32)).all()
    run(backend, DOUBLE, count + 1, x=x, y=x)
    with pytest.raises(hg.ExecutionError, match=f"OutOfBounds at instruction 0, lane {count}: .* outside buffer x"):
        backend.sync()
    backend.free_buffer(x)


_REFUSED = {"memory/class.atlas", "atlas/nbr_load.atlas", "atlas/nbr_store.atlas", "wide/parallel_map.atlas"}


def _long_cases():
    """Run lines with arrays that are of two or three times 512 bytes, one for every second program, and for those that
    are refused."""
    for number, path in enumerate(sorted(FOLDER.glob("**/*.atlas"))):
        test = load(path)
        if number % 2 and test.path not in _REFUSED:
            continue
        for case in test.cases() if test.runs_on("webgpu") else ():
            if path.parent.name == "large":  # integers that need one long binding
                break
            if case.run is None or case.ty in ("f64", "bf16") or case.source in ("f64", "bf16"):
                continue
            launch = case.launch("webgpu")
            longest = max(
                (value.nbytes for value in launch.arguments.values() if isinstance(value, np.ndarray)), default=0
            )
            if 512 < longest <= 3 * 512 and not any(p.kind == "pool" for p in launch.program.params):
                yield case, launch
                break


def test_filetests_with_memories_in_parts(backend, monkeypatch):
    assert backend.traits
    assert backend.converts_halves in (False, True)  # found out with the limits of the adapter
    monkeypatch.setitem(Gpu.shared().limits, "max-storage-buffer-binding-size", 512)
    x = buffer(backend, np.arange(1000, dtype=np.uint32))
    run(
        backend, Program.from_text(".param x: buffer u32 read_write\nparallel_reduce.add.u32 [x], [x + 8], 900"), 1, x=x
    )
    assert read(backend, x, np.uint32)[0] == sum(range(2, 902))
    ran, refused = 0, {}
    for case, launch in _long_cases():
        try:
            check(launch, backend)
            ran += 1
        except hg.LaunchError as error:  # class memory has too many parts
            refused[case.test.path] = str(error)
    assert ran > 18, ran
    assert all("in parts: this adapter binds at most" in text for text in refused.values())
    assert set(refused) == _REFUSED


def test_too_many_bindings(backend):
    most = Gpu.shared().limits["max-storage-buffers-per-shader-stage"]
    names = [f"b{number}" for number in range(most)]
    text = "".join(f".param {name}: buffer u32 read_write\n" for name in names)
    text += "".join(f"    ldg.u32 r200, [{name}]\n    stg.u32 [{name}], r200\n" for name in names)
    args = {name: backend.allocate_buffer(4) for name in names}
    with pytest.raises(hg.LaunchError, match=f"the program uses {most} buffers: this adapter binds at most {most - 1}"):
        run(backend, Program.from_text(text), 1, **args)
    run(backend, Program.from_text(text), 1, **{**args, names[0]: args[names[1]]})  # two of them are one binding
    backend.sync()


# Losing the device


def test_a_lost_device_is_an_error_and_the_next_call_works():
    backend, other = WebGpuBackend(), WebGpuBackend()
    x = buffer(backend, np.arange(4, dtype=np.int32))
    run(backend, DOUBLE, 4, x=x, y=x)
    Gpu.shared().device.destroy()
    with pytest.raises(hg.BackendUnavailable, match="the device was lost, and what its memory held") as caught:
        backend.copy_from_buffer(x)
    assert caught.value.backend == "webgpu"
    for call in (lambda: read(backend, x), lambda: run(backend, DOUBLE, 4, x=x, y=x)):
        with pytest.raises(hg.InvalidBuffer, match="this memory held went with a lost device"):
            call()
    backend.free_buffer(x)
    for each in (backend, other, WebGpuBackend()):
        y = buffer(each, np.arange(4, dtype=np.int32))
        run(each, DOUBLE, 4, x=y, y=y)
        assert read(each, y).tolist() == [0, 2, 4, 6]
        each.class_memory(5)[0] = 7
        assert each.class_memory(5)[0] == 7


def _to_the_end(ex, launch, *args):
    launch(*args)
    ex.sync()


def test_prepared_launches_keep_nothing_that_goes():
    """Buffers in the memory of those that were freed, recycled buffers that are let go of, a lost device, checks."""
    doubled = hg.kernel_from_source(
        "def doubled(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):\n"
        "    y[hg.global_id()] = x[hg.global_id()] + x[hg.global_id()]\n"
    )
    with hg.Executor("webgpu") as ex:
        launch, x = doubled[10], ex.array(np.arange(10, dtype=np.int32))
        for turn in range(12):
            y = ex.zeros(10, hg.i32)
            for _ in range(3):
                launch(x, y)
            if turn % 2:
                Gpu.shared().trim()
            launch(y, y)
            assert y.tolist() == list(range(0, 40, 4))
            y.free()
        memory = x.executor.device._buffers[x.handle]
        kept = weakref.ref(memory.buffer)
        launch(x, x)
        x.free()
        ex.sync()
        del memory
        Gpu.shared().trim()
        gc.collect()
        assert kept() is None
        x, y = ex.array(np.arange(10, dtype=np.int32)), ex.zeros(10, hg.i32)
        for check in ("deferred", "sync", "deferred"):
            ex.device.check = check
            for _ in range(3):
                launch(x, y)
                with pytest.raises(hg.ExecutionError) as caught:
                    _to_the_end(ex, doubled[11], x, y)
                assert ("of this backend, doubled)" in str(caught.value)) == (check == "deferred")
        Gpu.shared().lost = True
        with pytest.raises(hg.InvalidBuffer, match="this memory held went with a lost device"):
            launch(x, y)
        x, y = ex.array(np.arange(10, dtype=np.int32)), ex.zeros(10, hg.i32)
        for _ in range(3):
            launch(x, y)
        assert y.tolist() == list(range(0, 20, 2))


@pytest.mark.parametrize("call", ["allocate", "write", "launch", "sync"])
def test_a_device_may_be_lost_at_any_call(call):
    backend = WebGpuBackend()
    x = buffer(backend, np.arange(4, dtype=np.int32))
    backend.sync()
    if call == "sync":
        run(backend, DOUBLE, 4, x=x, y=x)
    Gpu.shared().device.destroy()
    calls = {
        "allocate": lambda: backend.allocate_buffer(123_456_789),
        "write": lambda: backend.copy_to_buffer(x, np.zeros(4, np.int32)),
        "launch": lambda: (run(backend, DOUBLE, 4, x=x, y=x), backend.sync()),
        "sync": backend.sync,
    }
    with pytest.raises(hg.BackendUnavailable, match="the device was lost"):
        calls[call]()
    y = buffer(backend, np.arange(4, dtype=np.int32))
    run(backend, DOUBLE, 4, x=y, y=y)
    assert read(backend, y).tolist() == [0, 2, 4, 6]


# Compiling


def test_nothing_is_compiled_for_another_n_or_another_buffer(backend):
    scale = Program.from_text("""
.param k: i32
.param n: u32
.param x: buffer i32 read
.param y: buffer i32 write
    cvt.u32.u64 r10, r255
    set.ge.u32 p0, r10, r2
    bra end, p0
    ldg.i32 r11, [x + r10*4]
    mul.i32 r11, r11, r1
    stg.i32 [y + r10*4], r11
end:
""")
    made = (0, 0)
    for turn in (1, 16, *range(1, 51)):  # the shader with checks, and that for multiples of 4
        count = turn * turn
        data = np.arange(count, dtype=np.int32)
        x, y = buffer(backend, data), backend.allocate_buffer(4 * count)
        run(backend, scale, count, k=turn, n=count, x=x, y=y)
        assert (read(backend, y) == data * turn).all()
        if turn % 2:
            backend.free_buffer(x)
        counters = backend.stats.kernels, backend.stats.pipelines
        made = (1, 1) if not any(made) else (1, 2)
        assert counters == made
    for n in (4, 9, 16, 25):  # aliasing takes a variant of its own, once: of both shaders
        run(backend, scale, n, k=2, n=n, x=y, y=y)
    assert (backend.stats.kernels, backend.stats.pipelines) == (made[0] + 1, made[1] + 2)


def test_shaders_can_be_read(backend):
    code = backend.compile_to_wgsl(DOUBLE, (64, 1, 1))
    assert "@compute @workgroup_size(32, 1, 1)" in code


# Large grids


@pytest.mark.parametrize(("block", "lanes"), [(256, 16_776_961), (1, 65_537), (1, 200_000), (64, 65_536 * 64 + 1)])
def test_more_blocks_than_an_axis_holds(backend, block, lanes):
    index = Program.from_text("""
.param y: buffer u32 write
    cvt.u32.u64 r10, r255
    stg.u32 [y + r255*4], r10
""")
    y = backend.allocate_buffer(4 * lanes)
    run(backend, index, LaunchConfig.linear(lanes, block=block), y=y)
    assert (read(backend, y, np.uint32) == np.arange(lanes, dtype=np.uint32)).all()
    backend.free_buffer(y)


# What it says of itself


def test_adapter(backend):
    assert {"vendor", "device", "adapter_type", "real"} <= set(backend.adapter)
    software = "llvmpipe" in str(backend.adapter) or "SwiftShader" in str(backend.adapter)
    assert backend.adapter["real"] is not software
    assert backend.traits.exact


def test_times():
    backend = WebGpuBackend(timed=True)
    x = buffer(backend, np.arange(100_000, dtype=np.int32))
    y = backend.allocate_buffer(400_000)
    for _ in range(3):
        run(backend, DOUBLE, 100_000, x=x, y=y)
    assert (read(backend, y) == 2 * np.arange(100_000)).all()
    if "timestamp-query" in Gpu.shared().features:
        assert [name for name, _ in backend.times] == ["double"] * 3
        assert all(0 < seconds < 60 for _, seconds in backend.times)
    else:
        assert backend.times == []


@pytest.mark.parametrize("clock", [True, False])
def test_a_timeline_has_the_time_on_the_gpu(monkeypatch, clock):
    if not clock:
        monkeypatch.setattr(Gpu.shared(), "features", ["shader-f16"])
    clock = "timestamp-query" in Gpu.shared().features
    with hg.Executor("webgpu", math="exact") as ex:
        backend = ex.device
        x = ex.array(np.arange(100_000, dtype=np.int32))
        faulty = Program.from_text(".param x: buffer i32 read_write\nldg.i32 r10, [x + 400000]\nstg.i32 [x], r10")
        run(backend, DOUBLE, 100_000, x=x.handle, y=x.handle)  # waits, and is none of the timeline's
        with ex.trace() as timeline:
            run(backend, DOUBLE, 100_000, x=x.handle, y=x.handle)
            with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
                run(backend, faulty, 1, x=x.handle)
        run(backend, DOUBLE, 100_000, x=x.handle, y=x.handle)
        assert x.numpy()[5] == 40
        assert backend.times == []
        first, second = timeline.spans
        assert (first.name, second.gpu_seconds) == ("double", None)
        if clock:
            assert first.gpu_seconds is not None
            assert 0 < first.gpu_seconds < first.seconds
            assert timeline.to_chrome()["traceEvents"][3]["args"]["gpu_ms"] == 1e3 * first.gpu_seconds
            assert f" {1e3 * first.gpu_seconds:.3f} " in str(timeline)
            assert "timestamp-query" not in str(timeline)
        else:
            assert "the adapter has no timestamp-query" in str(timeline)
            assert first.gpu_seconds is None
            assert str(timeline).splitlines()[1].split()[4] == "-"


def test_functions_of_f64_add_and_multiply_in_one_place():
    """Shader compilers put every call in line."""
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.f64]):\n    i = hg.global_id()\n    x[i] = hg.erf(x[i]) + hg.tan(x[i])\n"
    )
    text = kernel.wgsl()
    functions = dict(zip(text.split("\nfn ")[1:], text.split("\nfn ")[1:], strict=True))
    for name in ("erf_f64(", "tan_f64("):
        body = next(each for each in functions if each.startswith(name))
        assert body.count("f64_mul(") == body.count("f64_add(") == 1
        assert body.count("case ") > 50


def test_functions_of_f64_have_the_bits_of_the_reference(backend):
    numbers = np.random.default_rng(6).normal(size=400) * np.logspace(-3, 3, 400)
    x = np.concatenate([numbers, [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e-310, 709.78, -745.1, 1e22, 6.3e300]])
    kernel = hg.kernel_from_source(
        "def k(x: hg.Array[hg.f64], y: hg.Array[hg.f64]):\n    i = hg.global_id()\n    y[i] = hg.sin(x[i])\n"
    )
    wanted, found = np.zeros_like(x), np.zeros_like(x)
    kernel.on("cpu")[len(x)](x, wanted)
    kernel.on(backend)[len(x)](x, found)
    np.testing.assert_array_equal(found, wanted)
    assert (np.signbit(found) == np.signbit(wanted))[~np.isnan(wanted)].all()


def test_functions_of_f64_arguments_compile(backend):
    """Mesa's search for uniforms in conditions did not end in them. The text comes first: the launch would hang."""
    kernel = hg.kernel_from_source("def k(v: hg.f64, y: hg.Array[hg.f64]):\n    y[hg.global_id()] = hg.acos(v)\n")
    words = kernel.wgsl().partition("let p0 = ")[2].partition(";")[0]
    assert words.count("u + arguments.misc.z]") == 2
    wanted, found = np.zeros(3), np.zeros(3)
    kernel.on("cpu")[3](0.3, wanted)
    kernel.on(backend)[3](0.3, found)
    np.testing.assert_array_equal(found, wanted)
