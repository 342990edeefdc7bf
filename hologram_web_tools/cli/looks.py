"""What is here, what is missing and what to do about it; and whether the devices that are here answer alike."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any

from hologram_web import __version__, kernel_from_source
from hologram_web.backends import DEVICES
from hologram_web.backends.selection import is_software, open_backend
from hologram_web.errors import BackendUnavailable, ExecutionError, HologramError
from hologram_web.isa.types import Type
from hologram_web.runtime.executor import Executor
from hologram_web.store.store import folder

from ..browsers import CHROMIUMS
from .in_browser import look_in

__all__ = ["CHECKS", "Diagnosis", "Outcome", "look_around", "try_devices"]

_PACKAGES = {"numpy": "arrays", "wasmtime": "the device wasm", "wgpu": "the device webgpu", "blake3": "fast hashes"}
_BROWSERS = (*CHROMIUMS, "firefox", "firefox-esr")
_OLDEST_NODE = 20


@dataclass(frozen=True)
class Diagnosis:
    """`state` is "there", "missing", or "note" for what is there and not all that one may want."""

    what: str
    state: str
    found: str
    advice: str = ""
    needed: bool = False  # whether nothing runs without it


def look_around() -> Iterator[Diagnosis]:
    yield Diagnosis("hologram-web", "there", __version__)
    yield Diagnosis("Python", "there", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    for name, what in _PACKAGES.items():
        try:
            yield Diagnosis(name, "there", version(name))
        except PackageNotFoundError:
            yield Diagnosis(name, "missing", "", f"pip install {name}: it is for {what}", name == "numpy")
    for name in DEVICES:
        yield _device(name)
    yield _chosen()
    yield _node()
    yield from _browsers()
    yield Diagnosis("cache", "there", str(folder()))


def _device(name: str) -> Diagnosis:
    what = f"device {name}"
    try:
        backend = DEVICES[name]()
    except BackendUnavailable as error:
        return Diagnosis(what, "missing", "", error.reason, name == "cpu")
    backend.close()
    if name != "webgpu":
        return Diagnosis(what, "there", "WebAssembly" if name == "wasm" else "the reference")
    from hologram_web.backends.webgpu.gpu import adapter_info

    adapter, real = adapter_info()
    told = str(adapter.get("device") or adapter.get("vendor") or "an adapter without a name")
    if real:
        return Diagnosis(what, "there", told)
    return Diagnosis(
        what, "note", told, "this is a program that plays a GPU: auto passes it over, --device webgpu takes it"
    )


def _chosen() -> Diagnosis:
    try:
        backend, selection = open_backend("auto")
    except BackendUnavailable as error:
        return Diagnosis("auto takes", "missing", "", error.reason, True)
    backend.close()
    return Diagnosis("auto takes", "there", str(selection))


def _browsers() -> Iterator[Diagnosis]:
    """Each browser, under the first of its names, with what pages have there."""
    found = {os.path.realpath(path): name for name in reversed(_BROWSERS) if (path := shutil.which(name))}
    if not found:
        advice = "install Chromium, to run files in a page here; other machines' browsers need nothing"
        yield Diagnosis("browser", "missing", "", advice)
    for path, name in reversed(found.items()):
        told = look_in(path)
        if told is None:
            yield Diagnosis(name, "note", path, "it did not show a page without a window; try one with a window")
            continue
        adapter = told.get("adapter") or ("WebGPU without an adapter" if told.get("webgpu") else "no WebGPU")
        has = {"threads": told.get("threads"), "relaxed SIMD": told.get("relaxed")}
        parts = ["WebAssembly with " + (" and ".join(what for what, there in has.items() if there) or "one thread")]
        advice = (
            "" if told.get("adapter") else "pages run on WebAssembly there; WebGPU needs a GPU that the browser takes"
        )
        if software := is_software(str(adapter)):
            advice = "this adapter is a program that plays a GPU: auto passes it over"
        state = "there" if told.get("adapter") and not software else "note"
        yield Diagnosis(name, state, "; ".join([*parts, str(adapter)]), advice)


def _node() -> Diagnosis:
    path = shutil.which("node")
    told = (
        subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout.strip() if path else ""
    )
    major = told.removeprefix("v").partition(".")[0]
    if major.isdigit() and int(major) >= _OLDEST_NODE:
        return Diagnosis("Node", "there", told)
    return Diagnosis(
        "Node", "note" if told else "missing", told, f"install Node {_OLDEST_NODE} or newer, for the npm package"
    )


_SAXPY = """
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]
"""
_BINS = """
def bins(x: hg.Array[hg.u32], found: hg.Array[hg.u32]):
    i = hg.global_id()
    if i < len(x):
        hg.atomic_add(found, x[i] % 16, 1)
"""
_WIDE = """
def power(x: hg.Array[hg.u32], out: hg.Array[hg.u32]):
    i = hg.global_id()
    if i < len(out):
        v = hg.u256(x[i])
        for k in range(7):
            v = v * v + hg.u256(x[i])
        out[i] = hg.u32(v >> 200)
"""


def _saxpy(ex: Executor) -> Any:
    x, y = ex.array([k / 7 for k in range(1000)], Type.F32), ex.array([k / 3 for k in range(1000)], Type.F32)
    kernel_from_source(_SAXPY)[1000](0.1, x, y)
    return y.tolist()


def _bins(ex: Executor) -> Any:
    x, found = ex.array([k * k % 1009 for k in range(5000)], Type.U32), ex.zeros(16, Type.U32)
    kernel_from_source(_BINS)[5000](x, found)
    return found.tolist()


def _wide(ex: Executor) -> Any:
    x, out = ex.array(range(3, 67), Type.U32), ex.zeros(64, Type.U32)
    kernel_from_source(_WIDE)[64](x, out)
    return out.tolist()


def _outside(ex: Executor) -> Any:
    """A lane that leaves its array: the fault, where it was."""
    kernel = kernel_from_source("def outside(x: hg.Array[hg.i32]):\n    x[hg.global_id() + 1] = 1\n")
    try:
        kernel[8](ex.zeros(8, Type.I32))
        ex.sync()
    except ExecutionError as error:
        return error.kind, error.lane
    return "no fault"


CHECKS: dict[str, Callable[[Executor], Any]] = {
    "floats": _saxpy,
    "atomics": _bins,
    "integers of 256 bits": _wide,
    "an index outside": _outside,
}


@dataclass(frozen=True)
class Outcome:
    """`state` is "same" as on the reference, "differs", "failed" or "missing"."""

    device: str
    check: str
    state: str
    ms: float
    detail: str = ""
    adapter: dict[str, Any] | None = None


def try_devices() -> Iterator[Outcome]:
    """Every check on every device, beside what the reference gives. Raises BackendUnavailable without the reference."""
    with Executor("cpu") as reference:
        expected = {name: check(reference) for name, check in CHECKS.items()}
    for device in DEVICES:
        try:
            ex = Executor(device)
        except BackendUnavailable as error:
            yield Outcome(device, "", "missing", 0, error.reason)
            continue
        with ex:
            adapter = ex.backend.adapter
            for name, check in CHECKS.items():
                start = perf_counter()
                try:
                    found = check(ex)
                except HologramError as error:
                    yield Outcome(device, name, "failed", _ms(start), f"{type(error).__name__}: {error}", adapter)
                    continue
                state = "same" if found == expected[name] else "differs"
                yield Outcome(device, name, state, _ms(start), adapter=adapter)


def _ms(start: float) -> float:
    return round(1000 * (perf_counter() - start), 2)
