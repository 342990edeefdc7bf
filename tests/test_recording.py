"""Launches that are recorded and replayed with one call, on every device; what cannot be recorded."""

# mypy: ignore-errors

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import hologram_web as hg

N = 1000


@hg.kernel
def axpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]


@hg.kernel
def pick(x: hg.Array[hg.f32], k: hg.Array[hg.u32], y: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    y[i] = x[k[i]]


@hg.kernel
def total(x: hg.Array[hg.f32], y: hg.Array[hg.f32], n: hg.u32) -> None:
    hg.parallel_reduce(x, y, "sum", n)


CARRIED = hg.Program.from_text("""
    .param x: buffer u32 read
    .param y: buffer u32 write

    parallel_reduce.max.u32 r13, [x], 4
    stg.u32 [y], r13
""")
PHASE = hg.Program.from_text("""
    .param y: buffer u32 write
    phase_get r10
    stg.u32 [y], r10
""")


@pytest.fixture(params=["cpu", "wasm", "webgpu"])
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    with hg.Executor(request.param) as found:
        yield found


def ones(ex: hg.Executor) -> tuple[hg.Buffer, hg.Buffer]:
    return ex.array(np.ones(N, np.float32)), ex.zeros(N)


def test_a_replay_does_all_launches_in_order(ex: hg.Executor) -> None:
    x, y = ones(ex)
    k = axpy.on(ex)[N]
    with ex.record() as recording:
        k(1.0, x, y)  # y = x + y
        k(1.0, y, x)  # x = y + x
        ex.run(axpy, N, a=2.0, x=x, y=y)
    assert len(recording) == 3
    assert not y.numpy().any()
    recording.replay()
    assert (x.numpy()[0], y.numpy()[0]) == (2, 5)
    x.fill(1)
    y.fill(0)  # it takes the elements of then
    x.fill(1)
    recording.replay()
    recording.replay()
    assert (x.numpy()[0], y.numpy()[0]) == (9, 25)
    k(1.0, x, y)
    assert y.numpy()[0] == 34


def test_launches_before_and_behind_keep_their_places(ex: hg.Executor) -> None:
    x, y = ones(ex)
    k = axpy.on(ex)[N]
    with ex.record() as recording:
        k(10.0, x, y)
    k(1.0, x, y)
    recording.replay()
    k(1.0, y, x)
    assert (x.numpy()[0], y.numpy()[0]) == (12, 11)


def test_collectives_and_compiled_programs(ex: hg.Executor) -> None:
    x, y = ones(ex)
    result = ex.zeros(1)
    builder = hg.PlanBuilder("three")
    builder.array("source", hg.f32, ("n",))
    builder.array("target", hg.f32, ("n",))
    builder.array("k", hg.u32, ("m",))
    builder.temporary("between", "n", hg.f32)
    builder.constant("steps", np.array([3.0, 4.0], np.float32))
    builder.launch(axpy, "n", args={"a": 2.0, "x": "source", "y": "between"})
    builder.launch(axpy, "n", args={"a": 1.0, "x": "between", "y": "target"})
    builder.launch(pick, "m", args={"x": "steps", "k": "k", "y": "target"})
    compiled = hg.CompiledProgram.from_builder(builder)
    places = ex.array(np.array([1, 0], np.uint32))
    with ex.record() as recording:
        assert ex.run(compiled, source=x, target=y, k=places) is y
        total.on(ex)[1](y, result, N)
    assert not y.numpy().any()
    for _ in range(2):  # its temporaries are zeros again
        y.fill(0)
        recording.replay()
        assert y.numpy()[:3].tolist() == [4, 3, 2]
        assert result.numpy()[0] == 2 * N + 3
    before = ex.stats()["live_bytes"]
    recording.free()
    recording.free()
    assert ex.stats()["live_bytes"] == before
    with pytest.raises(hg.LaunchError, match="it was freed"):
        recording.replay()


def test_what_cannot_be_recorded_is_an_error_and_leaves_no_recording(ex: hg.Executor) -> None:
    x, y = ones(ex)
    count, cell = ex.full(4, 3, hg.u32), ex.zeros(1, hg.u32)
    array = np.ones(N, np.float32)
    k = axpy.on(ex)[N]
    k(1.0, array, array.copy())  # the checks of this signature are known
    made = hg.compile(axpy, grid="n", shapes={"x": ("n",), "y": ("n",)})
    cases = {
        "nothing can be read": (y.numpy, ex.sync, lambda: ex.device.collect({}), lambda: y.copy_from(x)),
        "takes Buffers": (
            lambda: k(1.0, array, array.copy()),
            lambda: k(1.0, x, array),
            lambda: ex.run(made, a=1.0, x=array, y=y),
            lambda: ex.run(made, a=1.0, x=x, y=array),
        ),
        "reads what lanes wrote": (lambda: ex.run(CARRIED, 1, x=count, y=cell),),
        "state of the Atlas": (lambda: ex.run(PHASE, 1, y=cell),),
        "recording is being made": (lambda: ex.record().__enter__(),),
        "there is no parameter 'z': the kernel takes ": (lambda: k(1.0, x, z=y),),
    }
    for text, works in cases.items():
        for work in works:
            with pytest.raises(hg.LaunchError, match=text), ex.record() as recording:  # noqa: PT012
                k(1.0, x, y)
                work()
            with pytest.raises(hg.LaunchError, match="it was freed"):
                recording.replay()
    with ex.record() as recording:
        with pytest.raises(hg.LaunchError, match="takes Buffers"):
            k(1.0, array, array.copy())
        with pytest.raises(hg.LaunchError, match="still being made"):
            recording.replay()
        k(1.0, x, y)
    assert len(recording) == 1
    assert not y.numpy().any()
    recording.replay()
    assert np.array_equal(y.numpy(), array)


def test_freed_buffers_are_refused(ex: hg.Executor) -> None:
    x, y = ones(ex)
    with ex.record() as recording:
        axpy.on(ex)[N](1.0, x, y)
    x.free()
    x = ex.array(np.full(N, 7, np.float32))  # may have its memory
    with pytest.raises(hg.InvalidBuffer, match=r"the recording uses .*, which was freed"):
        recording.replay()
    assert not y.numpy().any()
    with ex.record() as other:
        axpy.on(ex)[N](1.0, x, y)
    ex.close()
    with pytest.raises(hg.HologramError, match="freed"):
        other.replay()


def test_what_is_made_inside(ex: hg.Executor) -> None:
    """Memory is zeroed again, and what is written is written again, with the values of then."""
    x, y = ones(ex)
    array = np.full(N, 5, np.float32)
    with ex.record() as recording:
        with ex.zeros(N) as inside:
            axpy.on(ex)[N](1.0, x, inside)
            axpy.on(ex)[N](1.0, inside, y)
        x.from_numpy(array)
    array[:] = 9
    other = ex.array(np.full(N, 3, np.float32))
    recording.replay()
    recording.replay()
    assert (y.numpy()[0], x.numpy()[0], other.numpy()[0]) == (6, 5, 3)


def test_faults_name_launch_and_line(ex: hg.Executor) -> None:
    x, y = ones(ex)
    k = ex.array(np.array([0, 1, N, 0], np.uint32))
    with ex.record() as recording:
        axpy.on(ex)[N](1.0, x, y)
        pick.on(ex)[4](x, k, ex.zeros(4))

    def replayed() -> None:
        recording.replay()
        ex.sync()

    with pytest.raises(hg.ExecutionError, match=rf"index {N}.* \(launch 2 of a recording, pick\)") as caught:
        replayed()
    assert (caught.value.kind, caught.value.lane, caught.value.program) == (hg.FaultKind.OUT_OF_BOUNDS, 2, "pick")
    assert "y[i] = x[k[i]]" in "".join(caught.value.__notes__)
    k.fill(0)
    replayed()


def test_other_devices_buffers_and_kernels(ex: hg.Executor) -> None:
    """What is launched elsewhere is not recorded."""
    x, y = ones(ex)
    with hg.Executor("wasm") as other, ex.record() as recording:
        there, result = ones(other)
        axpy[N](1.0, there, result)
        assert result.numpy()[0] == 1
        axpy[N](1.0, x, y)
    assert len(recording) == 1
    recording.replay()
    assert y.numpy()[0] == 1


def test_class_memory(ex: hg.Executor) -> None:
    stores = hg.Program.from_text("""
        ldg.u32 r10, [class 5 + r255*4]
        add.u32 r10, r10, r252
        stg.u32 [class 5 + r255*4], r252
    """)
    with ex.record() as recording:
        ex.run(stores, 8)
    recording.replay()
    assert bytes(ex.class_memory(5))[:12].hex() == "000000000100000002000000"
    ex.close()
    ex.class_memory(5)
    with pytest.raises(hg.HologramError, match="freed"):
        recording.replay()


def test_a_replay_is_one_submit() -> None:
    with hg.Executor("webgpu") as ex:
        x, y = ones(ex)
        k = axpy.on(ex)[N]
        k(0.0, x, y)
        with ex.record() as recording:
            for _ in range(300):
                k(1.0, x, y)
        ex.sync()
        before = ex.device._recorder.submits
        recording.replay()
        assert ex.device.stats.submits == before + 1
        assert y.numpy()[0] == 300


def test_more_launches_than_a_submit_has_room_for() -> None:
    with hg.Executor("webgpu", timed=True) as ex:
        x, y = ones(ex)
        k = axpy.on(ex)[4]
        with ex.record() as recording:
            for _ in range(2500):
                k(1.0, x, y)
        recording.replay()
        assert y.numpy()[:5].tolist() == [2500] * 4 + [0]
        assert len(ex.device.times) in (0, 2500)


def test_an_encoder_and_a_recording() -> None:
    wgpu = pytest.importorskip("wgpu")
    with hg.Executor("webgpu") as found:
        found.sync()
    device = wgpu.gpu.request_adapter_sync().request_device_sync()
    with hg.Executor(device=device) as ex:
        x, y = ones(ex)
        with ex.record() as recording:
            axpy.on(ex)[N](1.0, x, y)
        for work in (recording.replay, lambda: ex.record().__enter__()):
            with pytest.raises(hg.LaunchError, match="encoder"), ex.encode(device.create_command_encoder()):
                work()
        recording.replay()
        assert y.numpy()[0] == 1


def test_faults_of_many_launches_before_anything_is_read() -> None:
    """What shaders write to a new buffer at offsets, wgpu had zeroed when it was read first."""
    with hg.Executor("webgpu") as ex:
        ex.device._gpu.trim()  # statuses are in a new buffer
    with hg.Executor("webgpu") as ex:
        x, y = ones(ex)
        k = ex.array(np.array([0, N], np.uint32))
        for number in range(200):
            axpy.on(ex)[N](1.0, x, y) if number else pick.on(ex)[2](x, k, y)
        with pytest.raises(hg.ExecutionError, match=r"launch 1 of this backend, pick"):
            ex.sync()
