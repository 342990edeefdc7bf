"""math="exact", "fast" and "strict" (isa.md section 3): as an option of devices, launches, plans, files, and `run`."""

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import ExecutionParams, LaunchConfig, Program
from hologram_web.backends import DEVICES, CpuBackend, WebGpuBackend
from hologram_web.isa import Type

from .artifact.holo_gpu import GpuRunner, device
from .filetest import FOLDER, load
from .filetest_run import check

# What a GPU is not asked to do exactly: subnormal operands and results, quotients and roots.
FILES = ["add", "sub", "mul", "mad", "div", "rcp", "rsqrt", "sqrt", "sqrt_exact", "small_results", "lerp", "rem", "fma"]
PROGRAM = Program.from_text("""
.program quotient
.param x: buffer f32 read
.param y: buffer f32 read
.param z: buffer f32 write
    ldg.f32 r10, [x + r255*4]
    ldg.f32 r11, [y + r255*4]
    div.f32 r12, r10, r11
    sqrt.f32 r13, r10
    add.f32 r12, r12, r13
    stg.f32 [z + r255*4], r12
""")


def _operands() -> tuple[np.ndarray, np.ndarray]:
    """Positive numbers of any size, a third of them subnormal."""
    bits = np.random.default_rng(3).integers(1, 0x7F800000, (2, 3000), np.uint32)
    bits[:, ::3] &= 0x7FFFFF
    x, y = bits.view(np.float32)
    return x, y


def _run(backend, math=None) -> bytes:
    x, y = _operands()
    handles = {name: backend.allocate_buffer(x.nbytes) for name in "xyz"}
    backend.copy_to_buffer(handles["x"], x)
    backend.copy_to_buffer(handles["y"], y)
    backend.execute_program_with_params(PROGRAM, ExecutionParams(LaunchConfig.linear(x.size), handles, math))
    found = backend.copy_from_buffer(handles["z"])
    for handle in handles.values():
        backend.free_buffer(handle)
    return found


def _last_code() -> str:
    """Of what ran last on webgpu: there are adapters whose own arithmetic has the bits of the reference."""
    return WebGpuBackend._kernels.values()[-1].code


@pytest.fixture(scope="module")
def exact() -> bytes:
    return _run(CpuBackend())


def _cases():
    for path in [*sorted(FOLDER.glob("arithmetic/*.atlas")), FOLDER / "collective/parallel_map_binary_float.atlas"]:
        if path.stem.removesuffix("_float") in FILES or "parallel" in path.stem:
            yield from (case for case in load(path).cases() if case.run and Type.F32 in _types(case))


def _types(case):
    return {value for instruction in case.program().instructions for value in instruction.values}


@pytest.mark.parametrize("case", list(_cases()), ids=lambda case: case.id)
def test_strict_is_what_the_reference_gives(case):
    check(case.launch("cpu"), WebGpuBackend(math="strict"))


@pytest.mark.parametrize("name", DEVICES)
def test_of_a_device_and_of_a_launch(name, exact):
    assert _run(DEVICES[name](math="strict")) == exact
    backend = DEVICES[name]()
    assert backend.math == "exact"
    assert _run(backend, "strict") == exact
    assert name != "webgpu" or "f32_div(" in _last_code()
    # Normal quotients and roots are within 2.5 ULP, each; the launch before changed nothing for this one.
    x, y = _operands()
    with np.errstate(over="ignore"):
        good = (x >= 2.0**-126) & (y >= 2.0**-126) & (x / y >= 2.0**-126) & (x / y < 2.0**126)
    bits = np.frombuffer(exact, np.int32)[good].astype(np.int64)
    for math in (None, "fast"):
        assert np.abs(np.frombuffer(_run(backend, math), np.int32)[good] - bits).max() <= 7


def test_each_way_has_its_own_code():
    code = {math: WebGpuBackend(math=math).compile_to_wgsl(PROGRAM) for math in ("exact", "fast", "strict")}
    assert "f32_div(" in code["strict"]
    assert "f32_sqrt(" in code["strict"]
    assert "f32_add(" in code["strict"]
    assert "fence(" not in code["strict"]
    assert "fence(" in code["exact"]
    for math in ("exact", "fast"):
        assert "f32_div(" not in code[math]
    assert "fence(" not in code["fast"]


NESTED = Program.from_text("""
.param x: buffer f32 read
.param y: buffer f32 read_write
    ldg.f32 r10, [x + r255*4]
    ldg.f32 r11, [y + r255*4]
    mov_imm.f32 r13, 3.0
    add.f32 r12, r10, r11
    mul.f32 r12, r12, r13
    sub.f32 r12, r11, r12
    sub.f32 r14, r10, r11
    sub.f32 r14, r12, r14
    mul.f32 r14, r14, r13
    stg.f32 [y + r255*4], r14
""")


@pytest.mark.parametrize("math", ["exact", "fast", "strict"])
@pytest.mark.parametrize("name", DEVICES)
def test_operands_that_are_sums_are_sums_of_their_own(name, math):
    """Whole numbers have the same results however they are computed. With math="fast" WGSL had y - x + y * 3 for
    y - (x + y) * 3."""
    x, y = np.random.default_rng(5).integers(-100, 100, (2, 300)).astype(np.float32)
    backend = DEVICES[name](math=math)
    handles = {"x": backend.allocate_buffer(x.nbytes), "y": backend.allocate_buffer(y.nbytes)}
    backend.copy_to_buffer(handles["x"], x)
    backend.copy_to_buffer(handles["y"], y)
    backend.execute_program_with_params(NESTED, ExecutionParams(LaunchConfig.linear(x.size), handles))
    found = np.frombuffer(backend.copy_from_buffer(handles["y"]), np.float32)
    assert (found == ((y - (x + y) * 3) - (x - y)) * 3).all()


@pytest.mark.parametrize("name", DEVICES)
def test_sums_are_never_fast(name):
    """Maps and reductions keep their bits (isa.md section 3)."""
    program = Program.from_text(".param x: buffer f32 read_write\nparallel_reduce.add.f32 [x], [x], 5000\n")
    x = np.random.default_rng(0).normal(0, 1e6, 5000).astype(np.float32)
    found = []
    for backend in (CpuBackend(), DEVICES[name](math="fast")):
        handle = backend.allocate_buffer(x.nbytes)
        backend.copy_to_buffer(handle, x)
        backend.execute_program_with_params(program, ExecutionParams(LaunchConfig.linear(1), {"x": handle}))
        found.append(backend.copy_from_buffer(handle)[:4])
        backend.free_buffer(handle)
    assert found[0] == found[1]
    assert name != "webgpu" or "fence(" in _last_code()


def test_in_a_plan_and_in_a_file(exact):
    x, y = _operands()
    compiled = hg.compile(PROGRAM, shapes={"x": ("n",), "y": ("n",), "z": ("n",)}, math="strict")
    assert compiled.math == "strict"
    WebGpuBackend.forget_kernels()
    with hg.Executor("webgpu") as ex:
        assert compiled.run(ex.device, x=x, y=y).tobytes() == exact
        assert any("f32_div(" in each.code for each in WebGpuBackend._kernels.values())
    again = hg.load(compiled.to_bytes())
    assert again.math == "strict"
    assert again.metadata == {"name": "quotient", "math": "strict"}
    assert "f32_div(" in again.artifact.shader(0)
    arrays = {"x": (x.tobytes(), x.shape), "y": (y.tobytes(), y.shape)}
    (raw, _shape) = GpuRunner(compiled.to_bytes(), device()).run({}, arrays)["z"]
    assert raw == exact
    plain = hg.compile(PROGRAM, shapes={"x": ("n",), "y": ("n",), "z": ("n",)})
    assert plain.math is None
    assert plain.to_bytes() != compiled.to_bytes()


def test_files_have_exact_collectives():
    text = ".param x: buffer f32 read_write\nparallel_reduce.add.f32 [x], [x], 5000\n"
    files = [hg.compile(Program.from_text(text), shapes={"x": (5000,)}, grid=1, math=m) for m in ("exact", "fast")]
    first, second = ([file.artifact.shader(k) for k in range(len(file.artifact.shaders))] for file in files)
    assert first == second


def test_other_ways_are_refused():
    text = "math is 'exact', 'fast' or 'strict', not 'precise'"
    for name in DEVICES:
        with pytest.raises(hg.LaunchError, match=text):
            DEVICES[name](math="precise")
        with pytest.raises(hg.LaunchError, match=text):
            _run(DEVICES[name](), "precise")
    with pytest.raises(hg.LaunchError, match=text):
        hg.compile(PROGRAM, math="precise")
