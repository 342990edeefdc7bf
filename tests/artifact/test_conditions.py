"""Shaders without checks in artifacts: which launches run them, and that they compute the same."""

from __future__ import annotations

import re

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends import WebGpuBackend
from hologram_web.backends.webgpu.probe import AdapterTraits
from hologram_web.plan.artifact import Artifact
from hologram_web.plan.plan import MAX_CONDITIONS, WgslCode
from hologram_web.plan.reader import read

from .holo_gpu import GpuRunner, device

SAXPY = hg.Program.from_text("""
    .program saxpy
    .param a: f32
    .param x: buffer f32 read
    .param y: buffer f32 read_write
    ldg.f32 r10, [x + r255*4]
    ldg.f32 r11, [y + r255*4]
    mad.f32 r11, r1, r10, r11
    stg.f32 [y + r255*4], r11
""")
SUMS = """
    .program sums
    .param x: buffer u32 read
    .param y: buffer u32 write
    .param n: u32
    mov_imm.u32 r10, 0
    mov_imm.u32 r11, 0
    mov_imm.u32 r12, 1
again:
    set.ge.u32 p0, r10, r3
    bra done, p0
    ldg.u32 r13, [x + r10*4]
    add.u32 r11, r11, r13
    add.u32 r10, r10, r12
    bra again
done:
    stg.u32 [y + r255*4], r11
"""


def _variant(artifact: Artifact) -> WgslCode:
    variant = artifact.kernels[0].wgsl[0]
    assert isinstance(variant, WgslCode)
    return variant


@pytest.fixture(scope="module")
def gpu():
    return device()


@pytest.mark.parametrize(("n", "proven"), [(1024, 1), (1000, 1), (1001, 1), (3, 1), (5000, 1)])
def test_a_proven_launch_runs_without_checks(gpu, n, proven):
    compiled = hg.compile(SAXPY, shapes={"x": ("n",), "y": ("n",)})
    variant = _variant(compiled.artifact)
    checked, *fast = map(compiled.artifact.shader, [variant.shader, *(each.shader for each in variant.fast)])
    assert "fault(" in checked
    assert ["vec4<" in code for code in fast] == [True, False]  # four elements at a time, where the last four are on
    assert all("fault(" not in code and len(code) < 0.6 * len(checked) for code in fast)
    runner = GpuRunner(compiled.to_bytes(), gpu)
    x = np.arange(n, dtype=np.float32)
    arrays = {"x": (x.tobytes(), (n,)), "y": (np.ones(n, np.float32).tobytes(), (n,))}
    found = runner.run({"a": hg.f32.encode(2.0)}, arrays)
    assert (np.frombuffer(found["y"][0], np.float32) == 2 * x + 1).all()
    assert runner.proven == proven


def test_what_is_not_proven_is_checked(gpu):
    """x is shorter than y: the lanes behind its end are a fault, as before."""
    compiled = hg.compile(SAXPY, shapes={"x": ("m",), "y": ("n",)})
    runner = GpuRunner(compiled.to_bytes(), gpu)
    arrays = {"x": (bytes(4 * 999), (999,)), "y": (bytes(4000), (1000,))}
    with pytest.raises(hg.ExecutionError) as caught:
        runner.run({"a": 0}, arrays)
    assert (caught.value.kind, caught.value.lane) == ("OutOfBounds", 999)
    assert runner.proven == 0


@pytest.mark.parametrize(("n", "steps", "proven"), [(100, 1 << 26, 1), (100, 50, 0), (101, 1 << 26, 0)])
def test_scalars_and_steps_decide(gpu, n, steps, proven):
    compiled = hg.compile(hg.Program.from_text(SUMS), shapes={"x": (100,), "y": (256,)})
    runner = GpuRunner(compiled.to_bytes(), gpu, steps)
    x = np.arange(100, dtype=np.uint32)
    arrays = {"x": (x.tobytes(), (100,)), "y": (bytes(1024), (256,))}
    if proven:
        found = np.frombuffer(runner.run({"n": n}, arrays)["y"][0], np.uint32).tolist()
        assert found == [4950] * 256
    else:
        with pytest.raises(hg.ExecutionError) as caught:
            runner.run({"n": n}, arrays)
        assert caught.value.kind == ("OutOfBounds" if steps > n else "StepLimit")
    assert runner.proven == proven


def test_conditions_are_kept_by_the_file():
    artifact = hg.compile(SAXPY, shapes={"x": ("n",), "y": ("n",)}).artifact
    assert read(hg.compile(SAXPY, shapes={"x": ("n",), "y": ("n",)}).to_bytes()) == artifact
    last = "(min(x * y * z * 256 - (x * 256 - lx), 2147483647) - 1) * 4 - 1"
    wanted = {f"max(m0 - 3, 0) - {last}", f"max(m1 - 3, 0) - {last}", "1 - y", "1 - z"}
    found = [{str(condition) for condition in fast.conditions} for fast in _variant(artifact).fast]
    assert found == [wanted | {"(lx - 1 + 1) // 4 * 4 - (lx - 1 + 1)"}, wanted]


PLACES = """
def places(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    y[r, c] = x[r, c] + 1
"""


@pytest.mark.parametrize(("lanes", "proven"), [((33, 17), 1), ((34, 17), 0), ((33, 18), 0)])
def test_lanes_that_are_off_prove_nothing_wrong(gpu, lanes, proven):
    """A kernel without a condition of its own, on blocks that its lanes do not fill."""
    kernel = hg.kernel_from_source(PLACES)
    plan = hg.PlanBuilder("places", shapes={"x": (17, 33), "y": (17, 33)})
    plan.launch(kernel, lanes, (16, 16))
    runner = GpuRunner(hg.CompiledProgram.from_builder(plan).to_bytes(), gpu)
    x = np.arange(17 * 33, dtype=np.float32).reshape(17, 33)
    arrays = {"x": (x.tobytes(), x.shape), "y": (bytes(x.nbytes), x.shape)}
    if proven:
        found = np.frombuffer(runner.run({}, arrays)["y"][0], np.float32)
        assert (found == x.ravel() + 1).all()
    else:
        with pytest.raises(hg.ExecutionError):
            runner.run({}, arrays)
    assert runner.proven == proven


GEMM = hg.Program.from_text("""
    .param m: u32
    .param n: u32
    .param k: u32
    .param a: buffer f32 read
    .param b: buffer f32 read
    .param c: buffer f32 write
    gemm.f32 [c], [a], [b], m, n, k
""")
FAR = hg.Program.from_text("""
    .program far
    .param x: buffer f32 read
    .param y: buffer f32 write
    .param n: u32
    .param m: u32
    cvt.u64.u32 r10, r3
    cvt.u64.u32 r11, r4
    mul.u64 r10, r10, r11
    add.u64 r10, r10, r255
    ldg.f32 r11, [x + r10*4]
    stg.f32 [y + r255*4], r11
""")
CHOICES = {
    "four elements at a time": ("saxpy", {"x": 1024, "y": 1024}, [0]),
    "one by one": ("saxpy", {"x": 1001, "y": 1001}, [1]),
    "with checks": ("saxpy", {"x": 999, "y": 1000}, [None]),
    "as many rounds as x is long": ("sums", {"x": 100, "y": 256, "n": 100}, [0]),
    "a round more": ("sums", {"x": 100, "y": 256, "n": 101}, [None]),
    "tiles": ("gemm", {"m": 64, "n": 96, "k": 40}, [0]),
    "few lanes": ("gemm", {"m": 3, "n": 5, "k": 7}, [0]),
    "a product that formulas have": ("far", {"x": 100, "y": 70, "n": 5, "m": 6}, [0]),
    "one beyond 53 bits": ("far", {"x": 100, "y": 70, "n": 1 << 31, "m": 1 << 25}, [None]),
}


def choice(name, sizes):
    """What one of these runs, its scalars and its arrays."""
    program = {"saxpy": SAXPY, "sums": hg.Program.from_text(SUMS), "gemm": GEMM, "far": FAR}[name]
    shapes = {"x": ("p",), "y": ("q",)} if name != "gemm" else {"a": ("m", "k"), "b": ("k", "n"), "c": ("m", "n")}
    compiled = hg.compile(program, shapes=shapes)
    ports = compiled.plan.arrays
    lengths = {x: tuple(sizes[f.variable] if f.variable in sizes else sizes[x] for f in ports[x].shape) for x in ports}
    arrays = {x: np.ones(shape, ports[x].ty.numpy) for x, shape in lengths.items()}
    return compiled, {name: sizes.get(name, 1) for name in compiled.plan.scalars}, arrays


@pytest.mark.parametrize(("name", "sizes", "wanted"), CHOICES.values(), ids=CHOICES)
def test_native_launches_take_the_shader_that_files_do(gpu, monkeypatch, name, sizes, wanted):
    """The text of each that runs, here and from the file, and the how manieth of the fast ones it is. What this adapter
    needs besides, the canary of llvmpipe, is left out."""
    compiled, scalars, arrays = choice(name, sizes)
    native, ran = [], []
    device = WebGpuBackend(cache=False)
    monkeypatch.setitem(WebGpuBackend._traits, device._gpu.generation, AdapterTraits(exact=True, ends_loops=False))
    assert device._patience()  # measured by launches of its own
    pipeline = device._gpu.pipeline

    def recorded(kernel, code):
        native.append(code)
        ran.append(next((k for k, fast in enumerate(kernel.fast) if fast.code is code), None))
        return pipeline(kernel, code)

    monkeypatch.setattr(device._gpu, "pipeline", recorded)
    runner, chosen = GpuRunner(compiled.to_bytes(), gpu), []
    shader_for = runner.shader_for

    def noted(*given):
        found = shader_for(*given)
        chosen.append(runner.file["shaders"][found[0]])
        return found

    monkeypatch.setattr(runner, "shader_for", noted)
    bits = {key: compiled.plan.scalars[key].ty.encode(value) for key, value in scalars.items()}
    given = {x: (array.tobytes(), array.shape) for x, array in arrays.items()}
    faults = wanted == [None]
    for run in (
        lambda: compiled.run(device, **scalars, **arrays),
        lambda: runner.run(bits, given),
    ):
        if faults:
            with pytest.raises(hg.ExecutionError):
                run()
        else:
            run()
    assert ran == wanted
    assert list(map(_lines, native)) == list(map(_lines, chosen))


def _lines(code):
    """Of a shader, whatever the order of its bindings."""
    return sorted(re.sub(r"\bb\d+\b|binding\(\d+\)|^ +", "", code, flags=re.M).splitlines())


FFT = """
    .param y: buffer f32 write
    .param x: buffer f32 read
    fft.f32 [y], [x], 256, batch=3
"""


def test_more_conditions_than_a_file_holds_are_joined(gpu, monkeypatch):
    """A pass of the transform has a hundred: its shader without checks runs."""
    compiled = hg.compile(hg.Program.from_text(FFT), shapes={"x": (3, 256, 2), "y": (3, 256, 2)}, grid=1)
    codes = [code for kernel in compiled.artifact.kernels if not isinstance(kernel.wgsl, str) for code in kernel.wgsl]
    lists = [fast.conditions for code in codes for fast in code.fast]
    assert max(map(len, lists)) <= MAX_CONDITIONS
    assert max(str(each).count("2147483647 - ") for formulas in lists for each in formulas) > 1
    runner, asked = GpuRunner(compiled.to_bytes(), gpu), []
    shader_for = runner.shader_for

    def noted(*given):
        asked.append(shader_for(*given))
        return asked[-1]

    monkeypatch.setattr(runner, "shader_for", noted)
    x = np.random.default_rng(2).standard_normal((3, 256, 2)).astype(np.float32)
    found = runner.run({}, {"x": (x.tobytes(), x.shape), "y": (bytes(x.nbytes), x.shape)})
    assert runner.proven == len(asked) > 3
    wanted = np.fft.fft(x.astype(np.float64).view(np.complex128)[..., 0])
    made = np.frombuffer(found["y"][0], np.float32).reshape(x.shape).astype(np.float64).view(np.complex128)[..., 0]
    np.testing.assert_allclose(made, wanted, atol=1e-3)
