"""Caches: in memory for all threads, on disk for all processes."""

from __future__ import annotations

import ast
import json
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hologram_web as hg
from hologram_web.backends import DEVICES
from hologram_web.backends.compiled import Job
from hologram_web.backends.forms import TYPE
from hologram_web.backends.wasm.cache import WASM_KERNEL
from hologram_web.backends.webgpu.cache import WGSL_KERNEL, fits
from hologram_web.isa.address import Space
from hologram_web.isa.types import Type
from hologram_web.isa.verify import Base, analyze
from hologram_web.plan.formula import Formula
from hologram_web.store import kept
from hologram_web.store import store as stores
from hologram_web.store.disk import DiskStore, recall
from hologram_web.targets.wgsl import Proven, WgslKernel

from .where import ROOT


@pytest.fixture
def disk(tmp_path: Path) -> DiskStore:
    return DiskStore(tmp_path / "cache")


@pytest.fixture
def kept_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


_PAIR = kept.tuple_of(kept.TEXT, TYPE)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: raw[:-1],
        lambda raw: b"",
        lambda raw: raw[:-2] + bytes([raw[-2] ^ 1]) + raw[-1:],
        lambda raw: raw * 2,
    ],
)
def test_a_spoiled_value_is_thrown_away_and_made_anew(disk: DiskStore, spoil: Any) -> None:
    made: list[int] = []

    def make() -> tuple[str, Type]:
        made.append(1)
        return "x", Type.F32

    assert recall(disk, "wasm", lambda: b"k", make, _PAIR) == (("x", Type.F32), True)
    assert recall(disk, "wasm", lambda: b"k", make, _PAIR) == (("x", Type.F32), False)
    (file,) = disk.folder.iterdir()
    file.write_bytes(spoil(file.read_bytes()))
    assert recall(disk, "wasm", lambda: b"k", make, _PAIR) == (("x", Type.F32), True)
    assert recall(disk, "wasm", lambda: b"k", make, _PAIR) == (("x", Type.F32), False)
    assert len(made) == 2


def test_a_value_under_another_name_is_spoiled(disk: DiskStore) -> None:
    disk.put("wasm", b"k", b"value")
    (file,) = disk.folder.iterdir()
    for other in (b"l".hex() + ".wasm", b"k".hex() + ".wgsl"):
        (disk.folder / other).write_bytes(file.read_bytes())
    assert disk.get("wasm", b"l") is None
    assert disk.get("wgsl", b"k") is None
    assert disk.get("wasm", b"k") == b"value"


def _pickled_call(name: str, *texts: str) -> bytes:
    """A pickle that calls what is found by dotted names from the module of the cache folder."""

    def text(value: str) -> bytes:
        return pickle.SHORT_BINUNICODE + bytes([len(value)]) + value.encode()

    called = text("hologram_web.store.disk") + text(name) + pickle.STACK_GLOBAL
    given = pickle.MARK + b"".join(map(text, texts)) + pickle.TUPLE
    return pickle.PROTO + b"\x04" + called + given + pickle.REDUCE + pickle.STOP


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_a_poisoned_file_calls_nothing(kept_files: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pickle in a cache file, with the right checksum, used to reach any class by dotted names."""
    monkeypatch.chdir(kept_files.parent)
    kind = {"wasm": "wasm", "webgpu": "wgsl"}[name]
    _twice(_device(name))
    poison = _pickled_call("tempfile._io.FileIO", "pwned", "w")
    for file in kept_files.glob(f"*.{kind}"):
        file.write_bytes(stores.sealed(kind, bytes.fromhex(file.stem), poison))
    device = _device(name)
    assert _twice(device) == [2.0, 4.0]
    assert (device.stats.kernels, device.stats.stored) == (1, 0)
    assert not (kept_files.parent / "pwned").exists()


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_a_kernel_with_a_byte_changed_is_no_kernel_or_whole(kept_files: Path, name: str) -> None:
    """Also where the checksum agrees: what is read has the types of the table, and names what the launch has."""
    forms: dict[str, tuple[str, kept.Form[Any]]] = {"wasm": ("wasm", WASM_KERNEL), "webgpu": ("wgsl", WGSL_KERNEL)}
    kind, form = forms[name]
    _twice(_device(name))
    file = max(kept_files.glob(f"*.{kind}"), key=lambda path: path.stat().st_mtime_ns)
    key, disk = bytes.fromhex(file.stem), DiskStore(kept_files)
    sealed = file.read_bytes()
    for changed in _changed(sealed):
        assert stores.unsealed(kind, key, changed) is None
    raw = stores.unsealed(kind, key, sealed)
    assert raw is not None
    right = kept.read(form, raw)
    assert kept.write(form, right) == raw
    misses = 0
    for changed in _changed(raw[: raw.index(b"\n") + 2]):  # behind it is the code of WebAssembly
        disk.put(kind, key, changed + raw[raw.index(b"\n") + 2 :])
        value, fresh = recall(disk, kind, lambda: key, lambda: right, form)
        assert {part: type(held) for part, held in vars(value).items()} == {
            part: type(held) for part, held in vars(right).items()
        }
        misses += fresh
    assert misses > 100


def _changed(raw: bytes) -> Iterator[bytes]:
    """With each byte changed in three ways, and ended after each."""
    for position, byte in enumerate(raw):
        yield raw[:position]
        for other in (byte ^ 1, byte ^ 0x20, ord("9")):
            if other != byte:
                yield raw[:position] + bytes([other]) + raw[position + 1 :]


def _wgsl(**fields: Any) -> WgslKernel[Formula]:
    buffer, fast = Base(Space.BUFFER, "a"), _fast("max(m0 - 3, 0) - s0 - 1")
    kernel = WgslKernel("code", [("n", Type.I32)], [buffer], [[buffer]], [True], (8, 1, 1), [], 4, 0, fast)
    return replace(kernel, **fields)


def _fast(*conditions: str, blocks: int = 1) -> tuple[Proven[Formula], ...]:
    return (Proven("fast", tuple(map(Formula.of, conditions)), blocks, False),)


_BUFFER = Base(Space.BUFFER, "b")


@pytest.mark.parametrize(
    "fields",
    [
        {"scalars": [("m", Type.I32)]},
        {"scalars": [("n", Type.F32)]},
        {"bases": [_BUFFER]},
        {"groups": [[_BUFFER]]},
        {"groups": []},
        {"written": []},
        {"written": [True] * 3},
        {"block": (8, 2, 1)},
        {"further": [(1, 1)], "written": [True] * 2},
        {"words": 2},
        {"fast": _fast("s0 - s1")},
        {"scalars": [("n", Type.I32), ("a", Type.F32)], "fast": _fast("s1"), "words": 5},
        {"fast": _fast("z - last")},
        {"fast": _fast("m1")},
        {"fast": _fast(blocks=0)},
    ],
)
def test_a_kernel_for_webgpu_has_to_fit_the_launch(fields: dict[str, Any]) -> None:
    program = hg.Program.from_text(".param n: i32\n.param a: buffer i32 read\nexit\n")
    buffer = Base(Space.BUFFER, "a")
    config = hg.LaunchConfig.linear(8, 8)
    scalars = {"n": (Type.I32, 3), "a": (Type.F32, 0)}
    job = Job(analyze(program), 0, config, {buffer: 1}, scalars, {}, None, None, "exact")
    assert fits(_wgsl(), job, [[buffer]])
    assert not fits(_wgsl(**fields), job, [[buffer]])


@pytest.mark.parametrize(
    ("tokens", "error"),
    [
        ('["s0"]', None),
        ('["s0","frob "]', "a formula is not well formed at 'frob '"),
        ('["s0",null,"+"]', "a formula is not well formed at None"),
        ('["s0","+"]', "a formula is not well formed at '+'"),
        ('["s0",1]', "a formula has at most 256 parts, nested at most 32 deep"),
        (json.dumps(["s0"] + ["s0", "+"] * 128), "a formula has at most 256 parts, nested at most 32 deep"),
        ('["s0",true,"+"]', "True is of another type"),
        ('"s0"', "'s0' is no list"),
    ],
)
def test_conditions_that_are_no_formulas_are_not_read(tokens: str, error: str | None) -> None:
    raw = kept.write(WGSL_KERNEL, _wgsl(fast=_fast("z"))).replace(b'["z"]', tokens.encode())
    if error is None:
        assert kept.read(WGSL_KERNEL, raw) == _wgsl(fast=_fast("s0"))
        return
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        kept.read(WGSL_KERNEL, raw)


def test_what_a_form_does_not_hold_is_not_kept(disk: DiskStore) -> None:
    kernel = _wgsl(words=-1)
    with pytest.raises(ValueError, match=r"^-1 is of another type$"):
        kept.write(WGSL_KERNEL, kernel)
    for _ in range(2):
        assert recall(disk, "wgsl", lambda: b"k", lambda: kernel, WGSL_KERNEL) == (kernel, True)
    assert disk.info() == {}


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (b'["x",2]', "it ends elsewhere"),
        (b'["x",2]\nmore', "it ends elsewhere"),
        (b'["x"]\n', "['x'] are not 2 values"),
        (b'{"x":2}\n', "{'x': 2} are not 2 values"),
        (b'[2,"x"]\n', "2 is of another type"),
        (b'["x",true]\n', "True is of another type"),
        (b'["x",24]\n', "there is no number 24"),
        (b"[" * 100_000 + b"\n", "lists in lists without end"),
    ],
)
def test_values_of_another_form_are_not_read(raw: bytes, error: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(error)}$"):
        kept.read(_PAIR, raw)


def test_bytes_are_as_many_as_it_says() -> None:
    assert kept.read(kept.BYTES, kept.write(kept.BYTES, b"\0\n")) == b"\0\n"
    with pytest.raises(ValueError, match=r"^bytes are missing$"):
        kept.read(kept.BYTES, b"3\n\0\n")


def test_the_package_reads_no_code() -> None:
    """No pickles or marshalled code, and no texts that are run."""
    for file in ROOT.glob("hologram_web*/**/*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [node.func.id] if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else []
            # Of kernels, as the program has them; and a file of an installation for pages, as its modules are, which
            # the other two write.
            brought = {name: {"marshal"} for name in ("made.py", "typical.py", "precompiled.py")}
            fine = {"frames.py": {"exec"}, **brought}.get(file.name, set())
            assert not {"pickle", "marshal", "shelve", "eval", "exec"}.intersection(names) - fine, file


def test_an_artifact_that_is_none_is_made_anew(kept_files: Path) -> None:
    raw = hg.compile(hg.kernel_from_source(_TWICE, "twice")).to_bytes()
    (file,) = kept_files.iterdir()
    file.write_bytes(stores.sealed("holo", bytes.fromhex(file.stem), b"no artifact"))
    assert hg.compile(hg.kernel_from_source(_TWICE, "twice")).to_bytes() == raw


def test_a_spoiled_value_that_cannot_be_removed(disk: DiskStore, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(f"{path} stays")

    disk.put("wasm", b"k", b"value")
    (file,) = disk.folder.iterdir()
    file.write_bytes(b"spoiled")
    monkeypatch.setattr(Path, "unlink", forbidden)
    assert disk.get("wasm", b"k") is None


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
def test_a_folder_that_others_write_is_not_used(kept_files: Path) -> None:
    kept_files.mkdir()
    kept_files.chmod(0o777)
    with pytest.raises(PermissionError, match=r"belongs to somebody else, or others may write there$"):
        DiskStore(kept_files)
    assert stores.compiled_store() is None  # programs run all the same
    assert _twice(DEVICES["wasm"]()) == [2.0, 4.0]


def test_a_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "on")
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert stores.compiled_store() is None
    assert _twice(DEVICES["wasm"]()) == [2.0, 4.0]


@pytest.mark.parametrize(("value", "modules", "compiled"), [("off", 0, 0), ("modules", 1, 0), ("on", 1, 1)])
def test_it_can_be_turned_off(
    kept_files: Path, monkeypatch: pytest.MonkeyPatch, value: str, modules: int, compiled: int
) -> None:
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", value)
    assert _twice(DEVICES["wasm"]()) == [2.0, 4.0]
    files = [path.suffix for path in kept_files.iterdir()] if kept_files.exists() else []
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


def _device(name: str) -> Any:
    device = DEVICES[name]()
    if name == "webgpu":
        type(device).forget_kernels()
    return device


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
def test_a_second_process_compiles_nothing(kept_files: Path, name: str) -> None:
    def run() -> Any:
        told = subprocess.run(
            [sys.executable, "-c", _SECOND, name], cwd=ROOT, check=True, capture_output=True, text=True, env=os.environ
        )
        return json.loads(told.stdout)

    results, kernels, stored, modules, size, compiler = run()
    assert (results, kernels, stored, modules, compiler) == ([2.0, 4.0], 1, 0, int(name == "wasm"), True)
    assert run() == [results, 0, 1, 0, size, False]


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_faults_of_a_kernel_from_the_disk(kept_files: Path, name: str) -> None:
    """What a status word means is kept with the kernel."""
    texts = []
    kernel = hg.kernel_from_source(_TWICE.replace("if i < len(a):", "if i >= 0:"), "twice")
    for _ in range(2):
        device = _device(name)
        plan = hg.compile(kernel, grid=3)
        with pytest.raises(hg.ExecutionError) as caught:
            plan.run(device, a=np.ones(2, np.float32))
        assert caught.value.kind is hg.FaultKind.OUT_OF_BOUNDS
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert device.stats.stored == 1


def test_artifacts_from_the_disk_are_the_same(kept_files: Path) -> None:
    plan = hg.compile(hg.kernel_from_source(_TWICE, "twice"))
    raw = plan.to_bytes()
    again = hg.compile(hg.kernel_from_source(_TWICE, "twice"))
    assert [path.suffix for path in kept_files.iterdir()] == [".holo"]
    assert again.artifact == plan.artifact
    assert again.to_bytes() == raw
    assert hg.compile(hg.kernel_from_source(_TWICE, "twice"), math="fast").to_bytes() != raw
