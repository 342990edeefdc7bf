"""Buffers of several devices, combined and joined."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import hologram_web as hg

NAMES = ("webgpu", "wasm", "cpu", "wasm")


@pytest.fixture(scope="module")
def several() -> Iterator[list[hg.Executor]]:
    found = [hg.Executor(name) for name in NAMES]
    yield found
    for each in found:
        each.close()


@pytest.mark.parametrize(("operation", "combine"), [("sum", np.add), ("product", np.multiply), ("max", np.maximum)])
@pytest.mark.parametrize("dtype", ["f4", "i4", "u1", "f8"])
def test_all_have_what_all_are_combined(
    several: list[hg.Executor], operation: str, combine: np.ufunc, dtype: str
) -> None:
    rng = np.random.default_rng(3)
    given = [(rng.random((3, 50)) * 5).astype(dtype) for _ in several]
    buffers = [ex.array(x) for ex, x in zip(several, given, strict=True)]
    hg.all_reduce(operation, *buffers)
    wanted = given[0]
    for x in given[1:]:
        wanted = combine(wanted, x)
    for each in buffers:
        assert each.numpy().tobytes() == wanted.tobytes()
        assert each.shape == (3, 50)


def test_all_have_what_all_are_joined(several: list[hg.Executor]) -> None:
    given = [np.arange(5 * rows, dtype="f4").reshape(rows, 5) for rows in (2, 0, 3, 1)]
    buffers = [ex.array(x) for ex, x in zip(several, given, strict=True)]
    found = hg.all_gather(*buffers)
    for ex, each in zip(several, found, strict=True):
        assert each.executor is ex
        np.testing.assert_array_equal(each.numpy(), np.concatenate(given))
    for each, x in zip(buffers, given, strict=True):
        np.testing.assert_array_equal(each.numpy(), x)


def test_halves_keep_their_type(several: list[hg.Executor]) -> None:
    buffers = [ex.array([1.5, -2.0], hg.bf16) for ex in several]
    hg.all_reduce("sum", *buffers)
    assert [each.tolist() for each in buffers] == [[6.0, -8.0]] * len(buffers)
    assert {each.dtype for each in hg.all_gather(*buffers)} == {hg.bf16}


def test_of_one_and_of_none(several: list[hg.Executor]) -> None:
    x = several[1].array(np.arange(3, dtype="f4"))
    hg.all_reduce("min", x)
    hg.all_reduce("min")
    assert x.tolist() == [0, 1, 2]
    assert hg.all_gather() == []
    (joined,) = hg.all_gather(x)
    assert joined.tolist() == [0, 1, 2]


def test_what_does_not_go_together_is_told(several: list[hg.Executor]) -> None:
    x, y = several[0].zeros((2, 3)), several[1].zeros((2, 4))
    with pytest.raises(hg.LaunchError, match=r"number 1 has the shape \(2, 4\) of f32, and number 0 \(2, 3\) of f32"):
        hg.all_reduce("sum", x, y)
    with pytest.raises(hg.LaunchError, match=r"all_gather: number 1 has the shape \(2, 4\)"):
        hg.all_gather(x, y)
    with pytest.raises(hg.LaunchError, match="of i32, and number 0"):
        hg.all_gather(x, several[1].zeros((2, 3), hg.i32))
    with pytest.raises(hg.LaunchError, match="by sum, product, min or max, not 'mean'"):
        hg.all_reduce("mean", x)
    with pytest.raises(hg.LaunchError, match="takes buffers of numbers: number 0 is 3"):
        hg.all_reduce("sum", 3)  # type: ignore[arg-type]
    with pytest.raises(hg.LaunchError, match="along the first axis: number 0 has none"):
        hg.all_gather(several[1].zeros(()))


# Meshes: one program on several devices

MEETING = """
.param x: buffer {ty} read_write
.param y: buffer {ty} write
.param rounds: u32
    mov r10, r3
round:
    all_reduce.{op}.{ty} [x + {skip}], 5, devices=({order})
    loop r10, round
    all_gather.{ty} [y], [x], 7, devices=({order})
"""
SETS = {
    "wasm": ("wasm", "wasm"),
    "webgpu": ("webgpu", "webgpu"),
    "cpu": ("cpu", "cpu"),
    "mixed": ("cpu", "webgpu", "wasm", "wasm", "webgpu"),
}


@pytest.fixture(scope="module", params=list(SETS))
def mesh(request: pytest.FixtureRequest) -> Iterator[hg.Mesh]:
    found = hg.Mesh(*map(hg.Executor, SETS[request.param]))
    yield found
    for each in found.executors:
        each.close()


def _meeting(ty: str, op: str, order: Sequence[int], skip: int = 0) -> hg.Program:
    return hg.Program.from_text(MEETING.format(ty=ty, op=op, order=",".join(map(str, order)), skip=skip))


@pytest.mark.parametrize("op", ["add", "mul", "min", "max"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i1", "u2", "i8"])
def test_devices_meet_at_each_instruction(mesh: hg.Mesh, op: str, dtype: str) -> None:
    """In a loop, not at the start of a buffer; with the bits of hg.all_reduce, in the order that `devices` has."""
    rng, count = np.random.default_rng(5), len(mesh)
    given = [(rng.standard_normal(7) * 9).astype(dtype) for _ in range(count)]
    given[0][3:5] = 0
    if dtype[0] == "f":  # subnormal numbers, which some GPUs lose
        given[0][4], given[-1][4] = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).smallest_subnormal * 3
    order = [*range(1, count), 0]
    ty = {"f": "f", "i": "i", "u": "u"}[dtype[0]] + str(8 * int(dtype[1:]))
    xs = [ex.array(x) for ex, x in zip(mesh.executors, given, strict=True)]
    ys = [ex.zeros(7 * count + 1, xs[0].dtype) for ex in mesh.executors]
    skip = 2 * given[0].itemsize
    assert mesh.run(_meeting(ty, op, order, skip), 3, x=xs, y=ys, rounds=1) == [None] * count
    wanted = [mesh.executors[0].array(given[number][2:]) for number in order]
    for _ in range(2):
        hg.all_reduce({"add": "sum", "mul": "product"}.get(op, op), *wanted)
    for x, old in zip(xs, given, strict=True):
        assert x.numpy().tobytes() == old[:2].tobytes() + wanted[0].numpy().tobytes()
    joined = b"".join(xs[number].numpy().tobytes() for number in order)
    for y in ys:
        assert y.numpy().tobytes() == joined + bytes(given[0].itemsize)


def test_wide_integers_and_bf16_meet(mesh: hg.Mesh) -> None:
    text = ".param x: buffer {0} read_write\n    all_reduce.add.{0} [x], 2, devices=({1})"
    order = ",".join(map(str, range(len(mesh))))
    for ty, values in ((hg.bf16, [1.5, -2.0]), (hg.Type.U256, [1 << 200, (1 << 256) - 1])):
        xs = [ex.array(values, ty) for ex in mesh.executors]
        mesh.run(hg.Program.from_text(text.format(ty, order)), 1, x=xs)
        wanted = [value * len(mesh) % (1 << 256) if ty is not hg.bf16 else value * len(mesh) for value in values]
        assert [x.tolist() for x in xs] == [wanted] * len(mesh)


def test_plans_and_files_meet(mesh: hg.Mesh, tmp_path: Path) -> None:
    order = range(len(mesh))
    plan = hg.compile(_meeting("f32", "add", order), grid=1, shapes={"x": (7,), "y": (7 * len(mesh),)})
    plan.save(tmp_path / "meeting.holo")
    for compiled in (plan, hg.load(tmp_path / "meeting.holo")):
        for turn in range(3):  # the second and third go shorter ways
            xs = [ex.full(7, 1.0 + turn) for ex in mesh.executors]
            ys = [ex.zeros(7 * len(mesh)) for ex in mesh.executors]
            found = mesh.run(compiled, x=xs, y=ys, rounds=0)
            assert [each["x"] is x for each, x in zip(found, xs, strict=True)] == [True] * len(mesh)
            sums = [len(mesh) * (1.0 + turn)] * 5 + [1.0 + turn] * 2
            assert [x.tolist() for x in xs] == [sums] * len(mesh)
            assert [y.tolist() for y in ys] == [sums * len(mesh)] * len(mesh)
        arrays = [np.full(7, 2.0, "f4") for _ in order]
        found = mesh.run(compiled, x=arrays, y=[np.zeros(7 * len(mesh), "f4") for _ in order], rounds=0)
        assert [each["x"].tolist() for each in found] == [[2.0 * len(mesh)] * 5 + [2.0] * 2] * len(mesh)


def test_the_code_of_a_file_is_for_one_device(tmp_path: Path) -> None:
    program = hg.Program.from_text(MEETING.format(ty="f32", op="add", order="0,1", skip=0))
    kernels = hg.compile(program, grid=1, shapes={"x": (7,), "y": (14,)}).artifact.kernels
    told = {
        why for kernel in kernels if kernel.name in ("AllReduce", "AllGather") for why in (kernel.wasm, kernel.wgsl)
    }
    why = "it is over 2 devices, and a page has one: natively hg.Mesh(...).run runs the file, on several"
    assert told == {why, "this kernel is for the other target"}


def test_a_fault_ends_the_meeting_and_devices_go_on(mesh: hg.Mesh) -> None:
    """A device that faults before it comes, one that comes to nothing, and one with too short a buffer."""
    order = ",".join(map(str, range(len(mesh))))
    program = hg.Program.from_text(f"""
.param x: buffer f32 read_write
.param at: i32
    ldg.f32 r10, [x + r2*4]
    stg.f32 [x], r10
    all_reduce.add.f32 [x], 3, devices=({order})
""")
    last = len(mesh) - 1
    for _ in range(3):
        xs = [ex.array([1, 2, 3], hg.f32) for ex in mesh.executors]
        with pytest.raises(hg.ExecutionError, match="OutOfBounds") as told:
            mesh.run(program, 1, x=xs, at=[*[1] * last, 3])
        assert told.value.__notes__ == [f"on device {last} of the mesh, {mesh.executors[-1].device.name}"]
        xs[-1] = mesh.executors[-1].array([1, 2], hg.f32)
        with pytest.raises(hg.ExecutionError, match=r"OutOfBounds.*, in all_reduce\.add\.f32 \[x\], 3, devices=\(0"):
            mesh.run(program, 1, x=xs, at=1)
        xs = [ex.array([1, 2, 3], hg.f32) for ex in mesh.executors]
        mesh.run(program, 1, x=xs, at=2)
        assert [x.tolist() for x in xs] == [[3 * len(mesh), 2 * len(mesh), 3 * len(mesh)]] * len(mesh)
    skipping = hg.Program.from_text(f"""
.param x: buffer f32 read_write
.param skip: u32
    mov_imm.u32 r10, 0
    set.ne.u32 p0, r2, r10
    bra done, p0
    all_reduce.add.f32 [x], 3, devices=({order})
done:
""")
    with pytest.raises(hg.LaunchError, match=rf"device {last} of the mesh, \w+, was done without coming to all_reduce"):
        mesh.run(skipping, 1, x=xs, skip=[*[0] * last, 1])
    mesh.run(skipping, 1, x=xs, skip=1)  # nobody comes: nobody waits


def test_devices_that_come_to_different_things(several: list[hg.Executor]) -> None:
    mesh = hg.Mesh(several[1], several[2])
    program = hg.Program.from_text("""
.param x: buffer f32 read_write
.param n: u32
    all_reduce.max.f32 [x], n, devices=(1,0)
""")
    xs = [ex.zeros(4) for ex in mesh.executors]
    told = (
        r"device 0 of the mesh comes to AllReduce by max of 3 elements of f32 over \(1, 0\), and device 1 to AllReduce "
        r"by max of 4 elements of f32 over \(1, 0\)"
    )
    with pytest.raises(hg.LaunchError, match=told):
        mesh.run(program, 1, x=xs, n=[3, 4])
    mesh.run(program, 1, x=xs, n=4)
    for executors, text in (
        (several[:1], r"names devices \(1, 0\) of a mesh of 1, whose devices are 0 to 0: name each of them once"),
        (several[:3], r"names devices \(1, 0\) of a mesh of 3, whose devices are 0 to 2: name each of them once"),
    ):
        with pytest.raises(hg.LaunchError, match=text):
            hg.Mesh(*executors).run(program, 1, x=[ex.zeros(4) for ex in executors], n=4)


def test_what_is_no_mesh_and_no_argument(several: list[hg.Executor]) -> None:
    for executors in ((), (several[0], several[0])):
        with pytest.raises(hg.LaunchError, match="one executor or more, each on a device of its own"):
            hg.Mesh(*executors)
    with pytest.raises(hg.LaunchError, match="a mesh is made of executors: number 1 is 3"):
        hg.Mesh(several[0], 3)  # type: ignore[arg-type]
    mesh = hg.Mesh(*several[1:3])
    program = hg.Program.from_text(".param x: buffer f32 read_write\n    all_reduce.add.f32 [x], 2, devices=(0,1)")
    x = several[1].zeros(2)
    with pytest.raises(hg.LaunchError, match="x is one Buffer: give a list of 2, one for each device"):
        mesh.run(program, 1, x=x)
    with pytest.raises(hg.LaunchError, match="x has 1 arguments for a mesh of 2 devices"):
        mesh.run(program, 1, x=[x])
    with pytest.raises(hg.InvalidBuffer):
        mesh.run(program, 1, x=[x, x])
    assert repr(mesh) == "<Mesh of wasm, cpu>"


def test_who_waits_too_long_ends_and_ctrl_c_ends_all() -> None:
    """The seconds of a launch go on while it waits for a device that goes around a loop."""
    program = hg.Program.from_text("""
.param x: buffer u32 read_write
.param rounds: u32
    mov r10, r2
    mov r11, r2
round:
    add.u32 r11, r11, r2
    loop r10, round
    stg.u32 [x], r11
    all_reduce.add.u32 [x], 1, devices=(0,1)
""")
    with hg.Executor("cpu", limits=hg.Limits(seconds=0.3)) as one, hg.Executor("wasm", limits=hg.Limits()) as other:
        mesh = hg.Mesh(one, other)
        xs = [ex.zeros(1, hg.u32) for ex in mesh.executors]
        with pytest.raises(hg.ExecutionError, match="StepLimit"):
            mesh.run(program, 1, x=xs, rounds=[1, (1 << 32) - 1])
        threading.Timer(0.3, _thread.interrupt_main).start()

        def until_stopped() -> None:
            while True:
                mesh.run(program, 1, x=xs, rounds=[1, 1 << 20])

        with pytest.raises(KeyboardInterrupt):
            until_stopped()
        mesh.run(program, 1, x=xs, rounds=[1, 5])
        assert [x.tolist() for x in xs] == [[38], [38]]
