"""What relaxed SIMD gains without another result: floats whose range is known are cut off, and masks choose lanes."""

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.verify import analyze
from hologram_web.plan.plan import WasmCode
from hologram_web.plan.reader import read
from hologram_web.targets.wasm import compile_kernel
from hologram_web_tools.disassemble import disassemble

NAMES = "i32x4.relaxed_trunc_f32x4_s", "i32x4.trunc_sat_f32x4_s", "i32x4.trunc_sat_f32x4_u", "relaxed_laneselect"
PIXELS = """
def pixels(x: hg.Array[hg.u8], z: hg.Array[hg.{to}]):
    i = hg.global_id()
    v = hg.f32(x[i]) * 0.5 - {less}
    z[i] = hg.{to}(v if x[i] < 200 else 7.75)
"""
CLAMPED = """
def clamped(x: hg.Array[hg.f32], z: hg.Array[hg.{to}]):
    i = hg.global_id()
    z[i] = hg.{to}(hg.clamp(x[i], {less}, 255.0))
"""


def _kernel(text, **how):
    program = hg.kernel_from_source(text).program
    return compile_kernel(optimize(build(analyze(program), (256, 1, 1))), packets=4, **how)


def _counted(code):
    text = disassemble(code)
    return [text.count(name) > 0 for name in NAMES]


@pytest.mark.parametrize(("to", "less", "relaxes"), [("i32", 3.25, True), ("u32", 3.25, False), ("u32", 0.25, True)])
def test_floats_that_fit_are_cut_off_by_relaxed_instructions(to, less, relaxes):
    """Down to -0.5 is 0 with a sign and without one."""
    kernel = _kernel(PIXELS.format(to=to, less=less))
    assert _counted(kernel.code) == [False, relaxes, not relaxes, False]
    assert bool(kernel.relaxed) == relaxes
    if relaxes:
        assert _counted(kernel.relaxed) == [True, False, False, True]
    fused = _kernel(PIXELS.format(to=to, less=less), fuses=True)
    assert fused.relaxed == b""
    assert _counted(fused.code)[0] == relaxes


@pytest.mark.parametrize(("to", "less", "signed"), [("i32", 0.0, True), ("u32", 0.0, True), ("u32", -1.0, False)])
def test_what_may_be_nan_is_cut_off_exactly(to, less, signed):
    kernel = _kernel(CLAMPED.format(to=to, less=less))
    assert _counted(kernel.code) == [False, signed, not signed, False]
    assert kernel.relaxed == b""


def test_files_have_both_modules_and_devices_the_same_results():
    kernel = hg.kernel_from_source(PIXELS.format(to="u32", less=0.25))
    file = read(hg.compile(kernel, grid="n", shapes={"x": ("n",), "z": ("n",)}).to_bytes())
    (code,) = (kernel.wasm for kernel in file.kernels)
    assert isinstance(code, WasmCode)
    assert code.relaxed is not None
    assert [_counted(file.modules[number])[0] for number in (code.module, code.relaxed)] == [False, True]
    x, found = np.arange(256, dtype=np.uint8), []
    for relaxed in (True, False):
        with hg.Executor("wasm") as ex:
            ex.device._relaxed = relaxed
            z = ex.zeros(256, hg.u32)
            ex.run(kernel, 256, x=x, z=z)
            found.append(z.numpy().copy())
    wanted = np.where(x < 200, x * np.float32(0.5) - np.float32(0.25), 7.75).astype(np.int64).astype(np.uint32)
    assert all(np.array_equal(each, wanted) for each in found)
