"""The programs and kernels of the tensor library that are kept, and those that lie in the wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.store import disk
from hologram_web.store.disk import DiskStore, Library
from hologram_web.store.store import compiled_store, sealed
from hologram_web.tensor import programs
from hologram_web_tools import precompiled
from hologram_web_tools.typical import PARAMS

TEXT = """
    .param c: buffer f32 read_write
    .param a: buffer f32 read
    log_softmax.f32 [c], [a], 3, 5
"""


@pytest.fixture(autouse=True)
def kept_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "on")
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE_DIR", str(tmp_path / "kept"))
    monkeypatch.setattr(programs, "_PROGRAMS", {})
    monkeypatch.setattr(disk, "LIBRARY", tmp_path / "none")  # a clone may have the one of a release
    return tmp_path / "kept"


def _run() -> tuple[Any, Any]:
    programs._PROGRAMS.clear()
    with hg.Executor("wasm") as executor:
        a = np.linspace(-2, 2, 15, dtype=np.float32)
        c = executor.array(np.zeros(15, np.float32))
        executor.run(hg.Program.from_text(TEXT), 1, a=executor.array(a), c=c)
        return c.numpy().tobytes(), executor.device.stats


def test_a_second_process_translates_nothing(kept_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, made = _run()
    assert list(kept_files.glob("*.program"))
    assert made.kernels
    monkeypatch.setattr(programs, "_translated", lambda *_: pytest.fail("translated again"))
    again, found = _run()
    assert (again, found.kernels, found.stored) == (first, 0, made.kernels)


def test_a_program_that_is_none_is_made_anew(kept_files: Path) -> None:
    first, _ = _run()
    for path in kept_files.glob("*.program"):
        key = bytes.fromhex(path.stem)
        path.write_bytes(sealed("program", key, b"HGPR"))
    assert _run()[0] == first
    assert _run()[0] == first


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (3, "int 3"),
        (True, "bool True"),
        (-0.0, "float -0.0"),
        (None, "NoneType None"),
        (hg.f32, "Type Type.F32"),
        ((1, 2.0), "['int 1', 'float 2.0']"),
        (programs.program_of, "hologram_web.tensor.programs.program_of"),
        (lambda x: x, None),
        (_run, None),
        ((1, _run), None),
        (object(), None),
    ],
)
def test_what_has_no_name_elsewhere_is_not_kept(value: Any, name: str | None) -> None:
    assert programs._named(value) == name


def test_what_the_folder_has_not_may_be_in_the_library(tmp_path: Path) -> None:
    key, other = b"\1" * 32, b"\2" * 32
    DiskStore(tmp_path / "one").put("program", key, b"value")
    library = Library(tmp_path / "library.bin")
    library.write((tmp_path / "one").iterdir())
    assert len(Library(library.path)) == 1
    disk = DiskStore(tmp_path / "two", library=library.path)
    assert (disk.get("program", key), disk.get("wasm", key), disk.get("program", other)) == (b"value", None, None)
    assert disk.found == 1


@pytest.mark.parametrize("spoil", [lambda raw: b"", lambda raw: raw[:-1], lambda raw: raw[:-9] + b"\0" * 9])
def test_a_spoiled_library_has_nothing(tmp_path: Path, spoil: Any) -> None:
    DiskStore(tmp_path / "one").put("program", b"\1" * 32, b"value" * 9)
    library = Library(tmp_path / "library.bin")
    library.write((tmp_path / "one").iterdir())
    library.path.write_bytes(spoil(library.path.read_bytes()))
    assert DiskStore(tmp_path / "two", library=library.path).get("program", b"\1" * 32) is None


def test_first_calls_find_what_the_library_has(
    tmp_path: Path, kept_files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "rms_norm.f32 [c], [a], [b], 7, 9"
    monkeypatch.setattr(precompiled, "CALLS", {"rms_norm": text})
    place = tmp_path / "library.bin"
    assert precompiled.make(place) >= 2  # a program and its kernels
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE_DIR", str(kept_files))
    store = compiled_store()
    assert isinstance(store, DiskStore)
    monkeypatch.setattr(store, "_library", Library(place))
    monkeypatch.setattr(programs, "_translated", lambda *_: pytest.fail("translated again"))
    with hg.Executor("wasm") as executor:
        program = hg.Program.from_text(f"{PARAMS}    {text}")
        executor.run(program, 1, alpha=2.0, **precompiled.arguments(executor))
        assert executor.device.stats.kernels == 0 < executor.device.stats.stored
