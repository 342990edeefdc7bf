"""Modules for engines with relaxed SIMD, in files made with math="fast". e2e/test_relaxed.py has pages."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import hologram_web as hg
from hologram_web.backends.wasm import WasmBackend
from hologram_web.plan.plan import WasmCode
from hologram_web.plan.reader import read
from hologram_web_tools.cli.commands import commands

from .holo_runner import Runner

MADD = b"\xfd\x85\x02"


@hg.kernel
def decay(x: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = hg.exp(x[i]) * x[i] + 1.0


@hg.kernel
def doubled(x: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = x[i] + x[i]


def compiled(kernel: object, math: str) -> hg.CompiledProgram:
    return hg.compile(kernel, grid="n", shapes={"x": ("n",), "z": ("n",)}, math=math)


def module_of(kernel: object, math: str) -> tuple[bytes, bytes | None]:
    """The ordinary module, and the relaxed one."""
    file = read(compiled(kernel, math).to_bytes())
    code = file.kernels[0].wasm
    assert isinstance(code, WasmCode)
    return file.modules[code.module], None if code.relaxed is None else file.modules[code.relaxed]


def test_fast_files_have_a_module_more():
    exact, none = module_of(decay, "exact")
    assert none is None
    ordinary, relaxed = module_of(decay, "fast")
    assert ordinary == exact
    assert relaxed is not None
    assert MADD in relaxed
    assert MADD not in exact
    assert module_of(doubled, "fast")[1] is None, "there is nothing to fuse"


def test_both_modules_run():
    x = np.linspace(-20, 20, 1001).astype(np.float32)
    wanted = np.exp(x.astype(np.float64)) * x + 1
    found = []
    for relaxed in (False, True):
        runner = Runner(compiled(decay, "fast").to_bytes(), relaxed=relaxed)
        ((data, _),) = runner.run({}, {"x": (x.tobytes(), x.shape)}).values()
        found.append(np.frombuffer(data, np.float32))
        np.testing.assert_allclose(found[-1], wanted, rtol=1e-6)
    with WasmBackend() as device:
        np.testing.assert_array_equal(found[0], compiled(decay, "exact").run(device, x=x))
    assert (found[0] != found[1]).any()


@pytest.mark.parametrize("math", ["exact", "fast"])
def test_inspect_says_which_there_are(tmp_path, math):
    path = tmp_path / "decay.holo"
    compiled(decay, math).save(path)
    text = CliRunner().invoke(commands, ["inspect", str(path)], env={"COLUMNS": "300"}).output
    assert ("where there is relaxed SIMD" in text) is (math == "fast")


@pytest.mark.parametrize("math", ["exact", "fast"])
def test_explain_says_which_is_run(math):
    with WasmBackend(math=math) as device:
        text = decay.on(device).explain("variants")
        assert ("rounded once by relaxed SIMD" in text) is device.fuses is (math == "fast")


def test_the_short_exponential():
    """Its bound is that of the ordinary one, 2 ULP, and 0 for what is below 2**-125, or some of it."""
    x = np.concatenate([np.linspace(low, high, 4096) for low, high in ((-86.643, 88.7228), (-1, 1), (-20, 0))])
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 88.73, 1e30, -87.3366, -104.0, -1e30])
    x = np.concatenate([x, special]).astype(np.float32)

    @hg.kernel
    def powers(x: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
        i = hg.global_id()
        if i < len(z):
            z[i] = hg.exp(x[i])

    z = np.empty_like(x)
    with WasmBackend(math="fast") as device:
        powers.on(device)[len(x)](x, z)
    wanted = np.exp(x[: -len(special)].astype(np.float64))
    unit = np.spacing(wanted.astype(np.float32)).astype(np.float64)
    assert (np.abs(z[: -len(special)] - wanted) <= 1.2 * unit).all()
    np.testing.assert_array_equal(
        z[-len(special) :], np.array([np.nan, np.inf, 0, 1, 1, np.inf, np.inf, 0, 0, 0], np.float32)
    )


def test_a_reciprocal_that_waits_at_a_barrier() -> None:
    """What a lane keeps at barriers need not be of one size in both modules: LayerNorm divides by n behind one."""
    program = hg.Program.from_text("""
        .param x: buffer f32 read
        .param y: buffer f32 read
        .param z: buffer f32 write
            layer_norm.f32 [z], [x], [y], [y], 24, 40
    """)
    shapes = {"x": (24, 40), "y": (40,), "z": (24, 40)}
    file = read(hg.compile(program, grid=hg.LaunchConfig(), shapes=shapes, math="fast").to_bytes())
    assert any(isinstance(kernel.wasm, WasmCode) and kernel.wasm.relaxed is not None for kernel in file.kernels)
