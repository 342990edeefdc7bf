"""Caches: in memory for all threads, on disk for all processes."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hologram_web as hg
from hologram_web.backends import DEVICES
from hologram_web.isa.types import Type
from hologram_web.runtime import store as stores
from hologram_web.runtime.disk import DiskStore, recall

from .where import ROOT


@pytest.fixture
def disk(tmp_path: Path) -> DiskStore:
    return DiskStore(tmp_path / "cache")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which devices keep what they compile."""
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "on")
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE_DIR", str(tmp_path / "kept"))
    return tmp_path / "kept"


# In memory


@given(st.lists(st.integers(0, 6), max_size=40), st.integers(1, 4))
def test_what_was_used_last_stays(keys: list[int], capacity: int) -> None:
    gone: list[tuple[int, int]] = []
    cache: hg.ProgramCache[int, int] = hg.ProgramCache(capacity, lambda *pair: gone.append(pair))
    order: list[int] = []
    made = 0
    for key in keys:
        found = cache.get_or_create(key, partial(int, 10 * key))
        assert found == 10 * key
        made += key not in order
        order = [other for other in order if other != key] + [key]
        order = order[-capacity:]
    assert [key for key in range(7) if key in cache] == sorted(order)
    assert (len(cache), cache.misses, cache.hits) == (len(order), made, len(keys) - made)
    assert len(gone) == made - len(order)
    assert cache.is_empty() == (not keys)


def test_a_value_is_made_once_and_its_object_is_given() -> None:
    cache: hg.ProgramCache[Any, Any] = hg.ProgramCache()
    first = cache.get_or_create(("vector_add", 3), lambda: [42])
    assert cache.get_or_create(("vector_add", 3), lambda: [999]) is first
    assert cache.get(("vector_add", 3)) is first
    assert cache.get(("vector_add", 4)) is None
    cache.insert(("vector_add", 4), 7)
    assert cache.get(("vector_add", 4)) == 7
    cache.clear()
    assert cache.is_empty()


def test_threads_wait_for_the_one_that_makes_it() -> None:
    cache: hg.ProgramCache[str, object] = hg.ProgramCache()
    go, calls, found = threading.Event(), [], []

    def make() -> object:
        calls.append(threading.get_ident())
        go.wait(10)
        return object()

    threads = [threading.Thread(target=lambda: found.append(cache.get_or_create("k", make))) for _ in range(8)]
    for thread in threads:
        thread.start()
    while not calls:
        pass
    go.set()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert len(set(map(id, found))) == 1
    assert len(found) == 8


def test_a_factory_that_fails_keeps_nothing_and_the_next_tries() -> None:
    cache: hg.ProgramCache[str, int] = hg.ProgramCache()
    with pytest.raises(ZeroDivisionError):
        cache.get_or_create("k", lambda: 1 // 0)
    assert cache.is_empty()
    assert cache.get_or_create("k", lambda: 5) == 5


def test_a_factory_may_ask_for_its_own_key() -> None:
    cache: hg.ProgramCache[str, int] = hg.ProgramCache()
    assert cache.get_or_create("k", lambda: cache.get_or_create("k", lambda: 1) + 1) == 2


def test_a_cache_needs_room() -> None:
    with pytest.raises(ValueError, match=r"^a cache has room for 1 value or more, not 0$"):
        hg.ProgramCache(0)


# On disk


def test_values_by_key(disk: DiskStore) -> None:
    assert disk.get("wasm", b"k") is None
    disk.put("wasm", b"k", b"value")
    assert disk.get("wasm", b"k") == b"value"
    assert disk.get("wgsl", b"k") is None
    assert disk.info() == {"wasm": (1, stores.HASH + 5)}
    assert disk.clear() == 1
    assert disk.get("wasm", b"k") is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: raw[:-1],
        lambda raw: b"",
        lambda raw: raw[:40] + bytes([raw[40] ^ 1]) + raw[41:],
        lambda raw: raw * 2,
    ],
)
def test_a_spoiled_value_is_thrown_away_and_made_anew(disk: DiskStore, spoil: Any) -> None:
    made: list[int] = []

    def make() -> dict[str, Type]:
        made.append(1)
        return {"x": Type.F32}

    assert recall(disk, "wasm", lambda: b"k", make) == ({"x": Type.F32}, True)
    assert recall(disk, "wasm", lambda: b"k", make) == ({"x": Type.F32}, False)
    (file,) = disk.folder.iterdir()
    file.write_bytes(spoil(file.read_bytes()))
    assert recall(disk, "wasm", lambda: b"k", make) == ({"x": Type.F32}, True)
    assert recall(disk, "wasm", lambda: b"k", make) == ({"x": Type.F32}, False)
    assert len(made) == 2


def test_only_classes_of_the_package_are_made(disk: DiskStore) -> None:
    disk.put("wasm", b"k", pickle.dumps(os.getcwd))
    assert recall(disk, "wasm", lambda: b"k", lambda: 1) == (1, True)


def test_what_was_not_used_for_longest_goes(tmp_path: Path) -> None:
    disk = DiskStore(tmp_path, limit=3000)
    for number in range(1, 60):  # the folder is looked at with the first
        disk.put("wasm", bytes([number]), bytes(500))
        os.utime(tmp_path / f"{number:02x}.wasm", (number, number))
    disk.get("wasm", bytes([7]))
    disk._prune()
    left = sorted(path.stem for path in tmp_path.iterdir())
    assert left == sorted(f"{number:02x}" for number in (7, 56, 57, 58, 59))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 3000


def test_other_files_of_the_folder_are_left_alone(disk: DiskStore) -> None:
    (disk.folder / "notes.txt").write_text("mine")
    disk.put("wasm", b"k", b"value")
    assert disk.clear() == 1
    assert [path.name for path in disk.folder.iterdir()] == ["notes.txt"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners here")
def test_a_folder_that_others_write_is_not_used(kept: Path) -> None:
    kept.mkdir()
    kept.chmod(0o777)
    with pytest.raises(PermissionError, match=r"belongs to somebody else, or others may write there$"):
        DiskStore(kept)
    assert stores.compiled_store() is None  # programs run all the same
    assert _twice(DEVICES["wasm"]()) == [2.0, 4.0]


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "on")
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert stores.compiled_store() is None
    assert _twice(DEVICES["wasm"]()) == [2.0, 4.0]


def test_keys_say_which_compiler_and_options(monkeypatch: pytest.MonkeyPatch) -> None:
    key = stores.key_of(b"program", (256, 1, 1), "exact")
    assert key == stores.key_of(b"program", (256, 1, 1), "exact")
    assert key != stores.key_of(b"program", (256, 1, 1), "fast")
    monkeypatch.setattr(stores, "fingerprint", lambda: b"another")
    assert key != stores.key_of(b"program", (256, 1, 1), "exact")


@pytest.mark.parametrize(("value", "modules", "compiled"), [("off", 0, 0), ("modules", 1, 0), ("on", 1, 1)])
def test_it_can_be_turned_off(
    kept: Path, monkeypatch: pytest.MonkeyPatch, value: str, modules: int, compiled: int
) -> None:
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", value)
    assert _twice(DEVICES["wasm"]()) == [2.0, 4.0]
    files = [path.suffix for path in kept.iterdir()] if kept.exists() else []
    assert (files.count(".module"), files.count(".wasm")) == (modules, compiled)


# Devices

_TWICE = """
import hologram_web as hg

@hg.kernel
def twice(a: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(a):
        a[i] = a[i] + a[i]
"""


def _twice(device: Any) -> list[float]:
    kernel = hg.kernel_from_source(_TWICE, "twice")
    found: list[float] = hg.compile(kernel).run(device, a=np.array([1, 2], np.float32)).tolist()
    return found


_SECOND = """
import json, sys
import numpy as np
import hologram_web as hg
from tests.test_cache import _twice, _TWICE

device = hg.backends.DEVICES[sys.argv[1]]()
found = _twice(device)
plan = hg.compile(hg.kernel_from_source(_TWICE, "twice"))
raw = plan.to_bytes()
modules = getattr(device.stats, "modules", 0)
print(json.dumps([found, device.stats.kernels, device.stats.stored, modules, len(raw), "lowering" in str(sys.modules)]))
"""


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_a_second_process_compiles_nothing(kept: Path, name: str) -> None:
    def run() -> Any:
        told = subprocess.run(
            [sys.executable, "-c", _SECOND, name], cwd=ROOT, check=True, capture_output=True, text=True, env=os.environ
        )
        return json.loads(told.stdout)

    results, kernels, stored, modules, size, compiler = run()
    assert (results, kernels, stored, modules, compiler) == ([2.0, 4.0], 1, 0, int(name == "wasm"), True)
    assert run() == [results, 0, 1, 0, size, False]


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_faults_of_a_kernel_from_the_disk(kept: Path, name: str) -> None:
    """What a status word means is kept with the kernel."""
    texts = []
    kernel = hg.kernel_from_source(_TWICE.replace("if i < len(a):", "if i >= 0:"), "twice")
    for _ in range(2):
        device = DEVICES[name]()
        if name == "webgpu":
            type(device).forget_kernels()
        plan = hg.compile(kernel, grid=3)
        with pytest.raises(hg.ExecutionError) as caught:
            plan.run(device, a=np.ones(2, np.float32))
        assert caught.value.kind is hg.FaultKind.OUT_OF_BOUNDS
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert device.stats.stored == 1


def test_artifacts_from_the_disk_are_the_same(kept: Path) -> None:
    plan = hg.compile(hg.kernel_from_source(_TWICE, "twice"))
    raw = plan.to_bytes()
    again = hg.compile(hg.kernel_from_source(_TWICE, "twice"))
    assert [path.suffix for path in kept.iterdir()] == [".holo"]
    assert again.artifact == plan.artifact
    assert again.to_bytes() == raw
    assert hg.compile(hg.kernel_from_source(_TWICE, "twice"), math="fast").to_bytes() != raw
