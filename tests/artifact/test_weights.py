"""Constants in a file of their own: what is written, what is read and when, and every way in which it can be wrong."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web import nn
from hologram_web_tools.cli.commands import commands

from . import samples

WORDS = np.array([1, 2, 3, 4], "u4").tobytes()
X = np.linspace(-1, 1, 3 * 64, dtype="f4").reshape(3, 64)


@pytest.fixture(scope="module")
def ex() -> Any:
    with hg.Executor("wasm") as found:
        yield found


@pytest.fixture(scope="module")
def compiled(ex: hg.Executor) -> hg.CompiledProgram:
    rng = np.random.default_rng(1)
    params = {"w": ex.array(rng.normal(size=(64, 32)).astype("f4")), "b": ex.array(np.ones(32, "f4"))}
    table = ex.array(np.arange(5000) % 2 == 0)

    def layer(x: Any) -> Any:
        return x @ params["w"] + params["b"]

    inner = hg.function(layer)

    @hg.function(device=ex)
    def scores(x: Any) -> Any:
        return xp.where(table[:32], inner(x), 0.0)

    return scores.compile(hg.Array[hg.f32, ("n", 64)])


@pytest.fixture(params=list(hg.backends.DEVICES))
def backend(request: pytest.FixtureRequest) -> Any:
    try:
        return hg.backends.DEVICES[request.param]()
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def saved(compiled: hg.CompiledProgram, tmp_path: Path) -> Path:
    compiled.save(tmp_path / "f.holo", weights="f.safetensors")
    return tmp_path / "f.holo"


def test_large_constants_go_into_a_file_that_other_programs_read(
    compiled: hg.CompiledProgram, saved: Path, ex: hg.Executor
) -> None:
    found = nn.load(saved.with_name("f.safetensors"), device=ex)
    assert {name: (each.shape, str(each.dtype)) for name, each in found.items()} == {
        "params.w": ((64, 32), "f32"), "table": ((5000,), "bool"),
    }  # fmt: skip
    whole = saved.with_name("whole.holo")
    compiled.save(whole)
    moved = sum(blob.length for blob in compiled.blobs if blob.length >= 4096)
    assert abs(os.path.getsize(whole) - os.path.getsize(saved) - moved) <= 128  # parts are aligned
    expected = ex.run(hg.load(whole), x=X)
    np.testing.assert_array_equal(ex.run(hg.load(saved), x=X), expected)
    raw, path = saved.with_name("f.safetensors").read_bytes(), saved.with_name("moved.bin")
    saved.with_name("f.safetensors").rename(path)
    for weights in (path, str(path), raw, bytearray(raw), memoryview(raw)):
        for source in (saved, saved.read_bytes()):
            np.testing.assert_array_equal(ex.run(hg.load(source, weights=weights), x=X), expected)
    fetched = hg.load(saved.read_bytes(), fetch=lambda _, offset, length: raw[offset:][:length])
    np.testing.assert_array_equal(ex.run(fetched, x=X), expected)


def test_files_are_the_same_each_time_and_come_back_whole(compiled: hg.CompiledProgram, saved: Path) -> None:
    first = saved.read_bytes(), saved.with_name("f.safetensors").read_bytes()
    loaded = hg.load(saved)
    assert loaded.to_bytes() == first[0]
    loaded.save(saved, weights="f.safetensors")  # over what it reads
    assert (saved.read_bytes(), saved.with_name("f.safetensors").read_bytes()) == first
    loaded.save(saved, weights="g.safetensors", least=1 << 30)  # nothing is as large
    assert hg.load(saved).to_bytes() == compiled.to_bytes()
    assert nn.load(saved.with_name("g.safetensors")) == {}


@pytest.mark.parametrize(("least", "inside"), [(0, set()), (17, {WORDS}), (99, {WORDS, b"of odd"})])
def test_of_any_plan_and_any_size(tmp_path: Path, least: int, inside: set[bytes], backend: Any) -> None:
    made, x = samples.powers(), np.array([1, 2, 3, 4], np.uint32)
    made.save(tmp_path / "x.holo", weights="x.bin", least=least)
    raw = (tmp_path / "x.holo").read_bytes()
    assert {each for each in (WORDS, b"of odd") if each in raw} == inside
    loaded = hg.load(tmp_path / "x.holo")
    assert [blob.hash for blob in loaded.blobs] == [blob.hash for blob in made.blobs]
    np.testing.assert_array_equal(loaded.run(backend, 3, x), samples.powers_reference(x, 3))
    names = {"w": "U32", "other": "U8"} if not least else {"other": "U8"} if least < 99 else {}
    data = (tmp_path / "x.bin").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert {name: each["dtype"] for name, each in header.items()} == names


def test_they_are_read_once_and_late(saved: Path, ex: hg.Executor) -> None:
    raw, asked = saved.with_name("f.safetensors").read_bytes(), []

    def fetch(location: str, offset: int, length: int) -> bytes:
        asked.append((location, length))
        return raw[offset : offset + length]

    loaded = hg.load(saved.read_bytes(), fetch=fetch)
    assert not asked
    for _ in range(2):
        ex.run(loaded, x=X)
    assert sorted(asked) == [("f.safetensors", 5000), ("f.safetensors", 8192)]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda raw: raw[:-5], r"the constant table in 'f.safetensors', 5000 bytes at \d+, are not all there: was "),
        (lambda raw: b"", r"the constant table in 'f.safetensors', 5000 bytes at \d+, are not all there"),
        (lambda raw: raw[:-1] + b"\7", r"table in 'f.safetensors' is damaged: its 5000 bytes do not have the hash "),
        (lambda raw: bytes(len(raw)), r"table in 'f.safetensors' is damaged: .* get the file again that was saved "),
    ],
)
def test_what_is_damaged_is_told(saved: Path, ex: hg.Executor, change: Any, told: str) -> None:
    file = saved.with_name("f.safetensors")
    raw = change(file.read_bytes())
    file.write_bytes(raw)
    for loaded in (hg.load(saved), hg.load(saved, weights=raw)):
        with pytest.raises(hg.ArtifactError, match=told):
            ex.run(loaded, x=X)


def test_what_is_missing_is_told(saved: Path, compiled: hg.CompiledProgram, ex: hg.Executor) -> None:
    with pytest.raises(hg.ArtifactError, match=r"is in 'f.safetensors': load the artifact from its path, or with `we"):
        ex.run(hg.load(saved.read_bytes()), x=X)
    saved.with_name("f.safetensors").unlink()
    for weights in (None, saved.with_name("none")):
        with pytest.raises(hg.ArtifactError, match=r"table is in 'f.safetensors', which cannot be read: .*No such fi"):
            ex.run(hg.load(saved, weights=weights), x=X)
    with pytest.raises(hg.ArtifactError, match="weights= is one file; the artifact has constants in no other file"):
        hg.load(compiled.to_bytes(), weights=b"")
    for name in ("../x.bin", "/etc/passwd", "a/b", "..", "", "c:x", "a\\b"):
        with pytest.raises(hg.ArtifactError, match="no file beside"):
            compiled.save(saved.with_name("y.holo"), weights=name)
        assert not saved.with_name("y.holo").exists()


def test_inspect_lists_them(saved: Path) -> None:
    printed = CliRunner().invoke(commands, ["inspect", str(saved)], env={"COLUMNS": "150"}).output
    printed = " ".join(printed.split())  # columns are as wide as what is in them
    assert "params.w f32 [64, 32] 8,192 bytes in f.safetensors" in printed
    assert "table bool [5000] 5,000 bytes in f.safetensors" in printed
    assert "params.b f32 [32] 128 bytes" in printed
    found = json.loads(CliRunner().invoke(commands, ["inspect", "--json", str(saved)]).output)["constants"]
    assert [(each["name"], each.get("file"), each["shape"]) for each in found] == [
        ("table", "f.safetensors", [5000]), ("params.w", "f.safetensors", [64, 32]), ("params.b", None, [32]),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["f32[63, 32]", "f99[64, 32]", "f32", "f32[99999999999999999999]", "f32[64, 32] "])
def test_descriptions_that_do_not_fit_are_not_believed(saved: Path, text: str) -> None:
    loaded = hg.load(saved)
    changed = {**loaded.metadata, "constant.params.w": text}
    strange = hg.CompiledProgram(loaded.plan, loaded.programs, loaded.blobs, changed)
    from hologram_web.runtime.weights import described

    ty, shape = described(strange)["params.w"]
    assert (ty, shape) in ((hg.f32, (2048,)), (hg.u8, (8192,)))
