"""The one key of what is compiled: `store.key_of` of what it is, the target, its options and the compiler's version."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hologram_web as hg
from hologram_web.backends import DEVICES
from hologram_web.backends.wasm import WasmBackend, wasm_backend
from hologram_web.backends.webgpu import WebGpuBackend, webgpu_backend
from hologram_web.backends.webgpu.probe import AdapterTraits
from hologram_web.compiler.driver import identity_of, lane_function
from hologram_web.compiler.passes import optimize
from hologram_web.isa.address import Space
from hologram_web.isa.verify import Analysis, Base, analyze
from hologram_web.store import store as stores
from hologram_web.store.store import key_of
from hologram_web.targets import wasm, wgsl
from hologram_web.targets.wasm import WasmOptions
from hologram_web.targets.wgsl import WgslOptions
from hologram_web_tools.cli.commands import commands
from hologram_web_tools.disassemble import disassemble

TEXT = """
import hologram_web as hg

@hg.kernel
def scale(n: hg.i32, a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < n:
        y[i] = a * x[i] + y[i]
"""


def _kernel() -> Any:
    return hg.kernel_from_source(TEXT, "scale")


def _run(device: Any, block: int = 256) -> None:
    x, y = np.arange(9, dtype=np.float32), np.ones(9, np.float32)
    _kernel().on(device)[9, block](9, 2.0, x, y)
    assert y.tolist() == [2.0 * value + 1 for value in range(9)]


def _analysis(text: str = TEXT) -> Analysis:
    program = hg.kernel_from_source(text, "scale").program
    return replace(analyze(program), source=program.to_bytes())


def test_every_part_changes_the_key() -> None:
    first, other = _analysis(), _analysis(TEXT.replace("a * x", "a + x"))
    names = {(3, hg.i32): "n"}, {(4, hg.i32): "n"}
    units = [
        identity_of(first, (256, 1, 1), None, {}),
        identity_of(other, (256, 1, 1), None, {}),
        identity_of(first, (128, 1, 1), None, {}),
        identity_of(first, (256, 1, 1), 7, {}),
        *(identity_of(first, (256, 1, 1), 7, uniform) for uniform in names),
    ]
    bases = Base(Space.BUFFER, "x"), Base(Space.BUFFER, "y")
    apart = WgslOptions((bases[:1], bases[1:]), 0)
    options: list[tuple[str, Any]] = [
        ("wasm", WasmOptions()),
        ("wasm", WasmOptions(wide_arithmetic=True)),
        ("wasm", WasmOptions(packets=1)),
        ("wasm", WasmOptions(packets=4)),
        ("wasm", WasmOptions(fuses=True)),
        ("wasm", WasmOptions(splats=True)),
        ("wgsl", apart),
        ("wgsl", apart._replace(groups=(bases,))),
        ("wgsl", apart._replace(shared=64)),
        ("wgsl", apart._replace(math="fast")),
        ("wgsl", apart._replace(canary=True)),
        ("wgsl", apart._replace(half=True)),
        ("wgsl", apart._replace(parts=(1, 2))),
        ("wgsl", apart._replace(window=1 << 20)),
    ]
    keys = [key_of(unit, *option, version) for unit in units for option in options for version in (b"1", b"2")]
    assert len(set(keys)) == len(keys) == 168
    again = identity_of(_analysis(), (256, 1, 1), _analysis().graph.entry, {})
    assert key_of(again, "wasm", WasmOptions(), b"1") == keys[0]


def test_the_version_is_this_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    assert key_of("what", "wasm", ()) == key_of("what", "wasm", (), stores.fingerprint())
    before = key_of("what", "wasm", ())
    monkeypatch.setattr(stores, "fingerprint", lambda: b"another")
    assert key_of("what", "wasm", ()) != before


@pytest.mark.parametrize(("compiler", "options"), [(wasm, WasmOptions), (wgsl, WgslOptions)])
def test_options_are_all_that_a_target_takes(compiler: Any, options: Any) -> None:
    """A new argument that shapes code has to be a field, and so is in the key."""
    taken = list(inspect.signature(compiler.compile_kernel).parameters)
    without = {"function", "fast"}  # `fast`: whether the second shader is made, too; devices always have it made
    assert [name for name in taken if name not in without] == list(options._fields)


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], list[bytes]]:
    """The keys that a run on a device asks the disk for."""
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "on")
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE_DIR", str(tmp_path / "kept"))
    found: list[bytes] = []

    def seen(*parts: Any) -> bytes:
        found.append(key_of(*parts))
        return found[-1]

    _run(WebGpuBackend(cache=False))  # the adapter is probed, by programs of its own
    monkeypatch.setattr(wasm_backend, "key_of", seen)
    monkeypatch.setattr(webgpu_backend, "key_of", seen)

    def run(device: Any, block: int = 256) -> list[bytes]:
        found.clear()
        WebGpuBackend.forget_kernels()
        _run(device, block)
        device.close()
        return found.copy()

    return run


_LIMITS = hg.Limits(steps=12345, seconds=7)


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("wasm", [{"limits": _LIMITS}, {"threads": 2}, {"math": "strict"}]),
        ("webgpu", [{"limits": _LIMITS}, {"check": "sync"}]),
    ],
)
def test_devices_of_a_target_share_keys(keys: Any, name: str, others: list[dict[str, Any]]) -> None:
    """What shapes no code is in no key; a second device finds what the first made."""
    (first,) = keys(DEVICES[name]())
    for options in others:
        device = DEVICES[name](**options)
        assert keys(device) == [first], options
        assert (device.stats.kernels, device.stats.stored) == (0, 1), options


def test_what_shapes_code_is_another_key(keys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [keys(WasmBackend()), keys(WasmBackend(packets=1)), keys(WasmBackend(packets=4)), keys(WasmBackend(), 64)]
    found += [keys(WebGpuBackend()), keys(WebGpuBackend(math="fast")), keys(WebGpuBackend(), 64)]
    for exact, ends_loops in ((False, False), (True, True)):
        monkeypatch.setattr(WebGpuBackend, "traits", AdapterTraits(exact, ends_loops))
        found.append(keys(WebGpuBackend()))
    assert all(len(one) == 1 for one in found)
    # An adapter whose floats are not exact takes the strict form; the probed one is one of the two above.
    assert sum(a == b for a, b in combinations(found, 2)) <= 1


def test_what_is_compiled_without_a_pass_is_not_kept(keys: Any) -> None:
    keys(WasmBackend())
    device: Any = WasmBackend()
    device.optimize = partial(optimize, without={"cse"})
    assert not keys(device)
    assert (device.stats.kernels, device.stats.stored) == (1, 0)


# What people are shown is what runs


@pytest.mark.parametrize("packets", [None, 1, 4])
def test_the_wat_is_what_a_device_ran(packets: int | None) -> None:
    device = WasmBackend(cache=False, packets=packets)
    _run(device, 64)
    (loaded,) = device._kernels.values()
    kernel = _kernel().on(device)
    assert kernel.wat((64, 1, 1)) == disassemble(loaded.kernel.code)
    form = "lanes one after another" if packets == 1 else f"{packets or 8} lanes side by side"
    assert form in kernel.explain("variants", block=(64, 1, 1))


@pytest.mark.parametrize("options", [{}, {"math": "fast"}, {"math": "strict"}])
def test_the_wgsl_is_what_a_device_ran(options: dict[str, Any]) -> None:
    WebGpuBackend.forget_kernels()
    device = WebGpuBackend(cache=False, **options)
    _run(device, 64)
    (ready,) = (ready for ready in device._readies.values() if ready.analysis.program.metadata.name == "scale")
    assert _kernel().on(device).wgsl((64, 1, 1)) == ready.kernel.code
    device.close()


@pytest.mark.parametrize("module", [wasm_backend, webgpu_backend])
def test_the_ir_is_what_a_device_compiled(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    WebGpuBackend.forget_kernels()
    texts = []

    def seen(*args: Any, **named: Any) -> Any:
        texts.append(str(lane_function(*args, **named)))
        return lane_function(*args, **named)

    monkeypatch.setattr(module, "lane_function", seen)
    device = DEVICES["wasm" if module is wasm_backend else "webgpu"](cache=False)
    _run(device, 64)
    device.close()
    shown = _kernel().explain("ir", block=(64, 1, 1))
    assert shown.rpartition("-- ")[2].partition("--\n")[2] == texts[-1] + "\n"


def test_the_texts_of_a_file_are_what_pages_run(tmp_path: Path) -> None:
    """What `inspect` prints is made of the file's code, and by the compiler that made it."""
    compiled = hg.compile(_kernel(), grid=1, block=64)
    compiled.save(tmp_path / "scale.holo")
    found = CliRunner().invoke(commands, ["inspect", str(tmp_path / "scale.holo"), "--ir", "--wat", "--wgsl"])
    assert found.exit_code == 0, found.output
    printed = [line.strip() for line in found.output.splitlines()]
    kernel, function = _kernel(), lane_function(analyze(compiled.programs[0]), (64, 1, 1))
    assert compiled.artifact.modules[0] == wasm.compile_kernel(function).code
    for text in (str(function), kernel.wat((64, 1, 1)), kernel.wgsl((64, 1, 1))):
        lines = [line.strip() for line in text.strip().splitlines()]
        start = printed.index(lines[0])
        assert printed[start : start + len(lines)] == lines
