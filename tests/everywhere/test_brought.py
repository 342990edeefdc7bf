"""The library of pages: what this compiler makes, and nothing of another one or of a damaged file (tensor/made.py)."""

from __future__ import annotations

import marshal
from pathlib import Path
from typing import Any

import pytest

import hologram_web as hg
from hologram_web.backends import IN_PAGE
from hologram_web.isa.lift import lift
from hologram_web.plan import kernels
from hologram_web.plan.lowering import lower_plan
from hologram_web.plan.single import launch_plan
from hologram_web.plan.writer import write
from hologram_web.store.blake3 import blake3
from hologram_web.store.store import BROUGHT, HASH, fingerprint
from hologram_web.tensor import made, programs

TEXT = """
    .param c: buffer f32 read_write
    .param a: buffer f32 read
    .param b: buffer f32 read
    {}
"""
GEMM = "gemm.f32 [c], [a], [b], 64, 64, 64"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if nothing was asked for yet."""
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "on")
    monkeypatch.setattr(programs, "_PROGRAMS", {})
    monkeypatch.setattr(programs, "NAMED", {})
    monkeypatch.setattr(programs, "compiled_store", lambda: None)
    monkeypatch.setattr(made, "STATE", [])
    BROUGHT.clear()
    made._library.cache_clear()
    made._codes.cache_clear()


def _file(text: str, target: str) -> bytes:
    """The artifact of a launch whose counts are arguments."""
    program, _ = lift(hg.Program.from_text(TEXT.format(text)))
    aliases = {param.name: param.name for param in program.params if param.kind == "buffer"}
    plan = launch_plan(program, hg.LaunchConfig(), (True, True, True), aliases)
    return write(lower_plan(plan, [program], (), {}, target=target))


def _telling(real: Any, found: list[str]) -> Any:
    def coding(self: kernels.LaneKernel, *args: Any) -> Any:
        if self.program is None:
            found.append(f"{real.__name__} {self.facts.name}")
        return real(self, *args)

    return coding


def _compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the programs that are translated, and of the parts of collectives that are compiled, from now on."""
    found: list[str] = []
    translated, learnt = programs._translated, kernels.LaneKernel._learnt

    def translating(kernel: Any, *args: Any) -> hg.Program:
        found.append(kernel.__name__)
        return translated(kernel, *args)

    def compiling(self: kernels.LaneKernel) -> kernels.LearntFacts:
        if self.program is None:
            found.append(self.analysis.program.metadata.name)
        return learnt(self)

    monkeypatch.setattr(programs, "_translated", translating)
    monkeypatch.setattr(kernels.LaneKernel, "_learnt", compiling)
    for name in ("_wasm", "_wgsl"):
        monkeypatch.setattr(kernels.LaneKernel, name, _telling(getattr(kernels.LaneKernel, name), found))
    return found


@pytest.mark.page
@pytest.mark.parametrize("target", ["wasm", "webgpu"])
@pytest.mark.parametrize("text", [GEMM, "softmax.f32 [c], [a], 64, 64", "cum_sum.f32 [c], [a], 64, 64"])
def test_with_the_library_nothing_is_compiled(text: str, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert made.FILE.is_file()
    compiled = _compiles(monkeypatch)
    found = _file(text, target)
    assert compiled == []
    assert made.STATE[0].startswith("the library of typical calls, ")
    programs._PROGRAMS.clear()
    made._library.cache_clear()
    BROUGHT.clear()
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "off")  # which reads no library
    assert _file(text, target) == found
    assert compiled


@pytest.mark.page
@pytest.mark.parametrize("name", ["wasm"])
def test_a_device_runs_what_the_library_has(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = _compiles(monkeypatch)
    ex = hg.Executor(name)
    a, b, c = (ex.full(64 * 64, value, hg.f32) for value in (1, 2, 0))
    ex.run(hg.Program.from_text(TEXT.format(GEMM)), 1, a=a, b=b, c=c)
    assert c.numpy().tolist() == [128.0] * (64 * 64)
    assert compiled == []


def _spoilt(raw: bytes, what: str) -> bytes:
    head = len(made.MARK)
    match what:
        case "another version":
            return raw[:head] + bytes(HASH) + raw[head + HASH :]
        case "a byte":
            return raw[:-9] + bytes([raw[-9] ^ 1]) + raw[-8:]
        case "too short":
            return raw[: len(raw) // 2]
        case "no library":
            return b"<!doctype html>" + raw
    raise AssertionError(what)


def _written(place: Path) -> bytes:
    """A library: of pages the one that is there, natively one without code, of which nothing else is read."""
    if IN_PAGE:
        return made.FILE.read_bytes()
    packed = marshal.dumps([b""] * 3, 2)
    return made.MARK + fingerprint() + blake3(packed) + packed


@pytest.mark.parametrize("what", ["another version", "a byte", "too short", "no library"])
def test_another_file_is_not_taken_and_told(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "library.zst"
    place.write_bytes(_spoilt(_written(place), what))
    monkeypatch.setattr(made, "FILE", place)
    compiled = _compiles(monkeypatch)
    _file("cum_sum.f32 [c], [a], 64, 64", "wasm")
    assert compiled
    told = "is of another version of hologram-web" if what == "another version" else "is damaged"
    assert made.STATE[0].startswith(f"{place} {told}, so that all is compiled here: install ")


def test_without_a_library_all_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "FILE", tmp_path / "none")
    compiled = _compiles(monkeypatch)
    _file("cum_sum.f32 [c], [a], 64, 64", "wasm")
    assert compiled
    assert made.STATE == ["there is no library of typical calls: hologram-web-library has one"]


@pytest.mark.page
def test_explain_says_what_became_of_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = hg.kernel_from_source("""
def powers(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    hg.parallel_map_unary(x, y, "exp", 16)
""")
    assert kernel.explain("variants").splitlines()[-2] == made.STATE[0]
    assert made.STATE[0].endswith("library.zst")
    made._library.cache_clear()
    monkeypatch.setattr(made, "FILE", tmp_path / "none")
    programs._PROGRAMS.clear()
    assert "there is no library of typical calls" in kernel.explain("variants")
