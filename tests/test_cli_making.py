"""The commands that make something: compile, bench, bundle."""

from __future__ import annotations

import json
import zipfile
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import hologram_web as hg
from hologram_web_tools.cli import side_by_side
from hologram_web_tools.cli.commands import commands
from hologram_web_tools.cli.definitions import formula, split

from .test_cli import call

HELPER = """
import hologram_web as hg

@hg.function
def twice(v):
    return v * 2
"""
KERNELS = """
import hologram_web as hg
from helper import twice
from typing import TypeVar

T = TypeVar("T", hg.f32, hg.i32)

@hg.kernel
def flip(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    i, j = hg.global_id(0), hg.global_id(1)
    if i < x.shape[1] and j < x.shape[0]:
        y[j, x.shape[1] - 1 - i] = twice(x[j, i])

@hg.kernel
def scale(x: hg.Array[T], y: hg.Array[T], BY: hg.Constant[int]):
    i = hg.global_id()
    if i < len(y):
        y[i] = x[i] * BY

@hg.function
def total(x: hg.Array[hg.f32, (4,)]):
    return twice(x).sum()

plan = hg.PlanBuilder
_hidden = total
if __name__ == "__main__":
    raise SystemExit("it is imported, not run")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("helper.py").write_text(HELPER)
    Path("kernels.py").write_text(KERNELS)
    Path("fails.py").write_text("def f():\n    return 1 // 0\n\nf()\n")
    Path("wrong.py").write_text("import hologram_web as hg\n\n@hg.kernel\ndef k(x: hg.Array[hg.f32]):\n    x[0] = z\n")
    Path("broken.py").write_text("x = = 1\n")
    Path("empty.py").write_text("x = 1\n")
    Path("one.atlas").write_text(".param y: buffer u32 write\nmov_imm.u32 r2, 4\nstg.u32 [y + r255*4], r2\n")
    Path("bytes.atlas").write_bytes(b"\xff\xfe")
    return tmp_path


def test_kernels_functions_and_programs_become_files(folder):
    call("compile", "kernels.py:flip", "--lanes", "w,h", "--block", "16,16", "--shape", "x=h,w", "--shape", "y=h,w")
    call("compile", "kernels.py:scale", "--set", "T=i32", "--set", "BY=7", "-o", "sevens.holo")
    call("compile", "kernels.py:total")
    assert call("compile", "one.atlas").startswith("(y: u32[y.len] write): ")
    with hg.Executor("wasm") as ex:
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        assert (hg.load("flip.holo").run(ex, x=x) == 2 * x[:, ::-1]).all()
        sevens = hg.load("sevens.holo").run(ex, np.arange(5, dtype=np.int32), np.zeros(5, np.int32))
        assert sevens.tolist() == [0, 7, 14, 21, 28]
        assert hg.load("total.holo").run(ex, np.ones(4, np.float32)) == 8
        assert hg.load("one.holo").run(ex, np.zeros(3, np.uint32)).tolist() == [4, 4, 4]


def test_other_commands_take_python_files(folder):
    assert call("run", "kernels.py:total", "x=1,2,3,4", "--device", "cpu").split()[-1] == "20"
    assert "flip" in call("inspect", "kernels.py:flip")
    assert "Total" in call("types", "kernels.py:total")


def test_kernels_are_made_smaller_as_text(folder):
    Path("doubled.py").write_text(
        "import typing\nimport hologram_web as hg\n\nT = typing.TypeVar('T')\n\n"
        "@hg.kernel\ndef doubled(x: hg.Array[T]):\n    x[hg.global_id()] *= 2\n\n"
        "@hg.function\ndef total(x: hg.Array[hg.f32, 4]):\n    return x.sum()\n"
    )
    for command in ("compile", "optimize"):
        assert "doubled has type variables: compile says their types, --set T=f32" in call(
            command, "doubled.py:doubled", code=2
        )
    assert ".param x: buffer i32 read_write" in call("optimize", "doubled.py:doubled", "--set", "T=i32")
    assert "total is no kernel and no program" in call("optimize", "doubled.py:total", code=2)
    assert "doubled.holo\n" in call("compile", "doubled.py:doubled", "--set", "T=i32")
    assert "source: 1 line of doubled.py" in call("inspect", "doubled.holo")


def test_compile_as_json(folder):
    made = json.loads(call("compile", "kernels.py:total", "--json"))
    assert (made["name"], made["written"], made["bytes"]) == ("total", "total.holo", Path("total.holo").stat().st_size)
    assert made["ports"] == ["x: f32[4] read", "result: f32[] write"]


def test_what_programs_print_is_not_among_json(folder, capsys):
    """It stood in front of the object, and no reader took both."""
    Path("loud.py").write_text("""
import hologram_web as hg

print("hello")

@hg.kernel
def loud(y: hg.Array[hg.i32]):
    i = hg.global_id()
    if i < len(y):
        print("lane", i)
        y[i] = i
""")
    line = ("run", "loud.py", "y=0,0", "--device", "cpu")
    commands.main([*line, "--json"], standalone_mode=False)
    out, err = capsys.readouterr()
    assert json.loads(out)["results"]["y"]["head"] == [0, 1]
    assert err.splitlines() == ["hello", "lane 0", "lane 1"]
    commands.main(line, standalone_mode=False)
    assert capsys.readouterr().out.splitlines()[:3] == ["hello", "lane 0", "lane 1"]
    commands.main(["compile", "loud.py:none", "--json"], standalone_mode=False)
    assert "none" in json.loads(capsys.readouterr().out)["error"]["message"]


def test_weights_lie_in_a_file_of_their_own(folder):
    Path("net.py").write_text("""
import hologram_web as hg
import numpy as np

weights = np.arange(20480, dtype="f4")

@hg.function(device=hg.Executor("wasm"))
def scores(x: hg.Array[hg.f32, (20480,)]):
    return x * weights
""")
    Path("out").mkdir()
    made = json.loads(call("compile", "net.py", "-o", "out/net.holo", "--weights", "w.safetensors", "--json"))
    holo, weights = Path("out/net.holo"), Path("out/w.safetensors")
    assert (made["written"], made["weights"]) == (str(holo), str(weights))
    assert made["bytes"] == holo.stat().st_size + weights.stat().st_size
    assert holo.stat().st_size < 20480 * 4 < weights.stat().st_size
    with hg.Executor("wasm") as ex:
        assert hg.load(holo).run(ex, np.full(20480, 2, "f4")).tolist() == list(range(0, 40960, 2))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("compile", "kernels.py", "--weights", "a/b"), "kernels.py defines flip, scale, total: say which"),
        (("compile", "kernels.py:total", "--weights", "a/b"), "a/b"),
        (("compile", "kernels.py"), "kernels.py defines flip, scale, total: say which, kernels.py:flip"),
        (("compile", "kernels.py:twice"), "defines no 'twice' that can be compiled: it has flip, scale, total"),
        (("compile", "none.py"), "there is no file none.py"),
        (("compile", "fails.py"), "fails.py:2 fails: ZeroDivisionError: integer division or modulo by zero"),
        (("compile", "wrong.py"), "TranslateError: wrong.py:5"),
        (("compile", "broken.py"), "broken.py fails: SyntaxError"),
        (("compile", "empty.py"), "empty.py defines nothing that can be compiled"),
        (("compile", "one.atlas", "--set", "A=1"), "one.atlas is no Python: it has no names and no constants"),
        (("compile", "kernels.py:scale"), "scale has constants without a value: BY"),
        (("compile", "kernels.py:scale", "--set", "BY"), "'BY' is no constant: write name=value"),
        (("compile", "kernels.py:scale", "--set", "BY=x y"), "BY=x y is no value: a type such as f32"),
        (("compile", "kernels.py:flip", "--lanes", "w+"), "'w+' is no formula: names and integers with + - * //"),
        (("compile", "kernels.py:flip", "--block", "a"), "'a' is no length of a block"),
        (("compile", "kernels.py:total", "--lanes", "4"), "total says its lanes, shapes and math itself"),
        (("compile", "kernels.py:total", "--set", "A=1"), "total is no kernel: it has no constants"),
        (
            ("compile", "kernels.py:total", "-o", "nowhere/t.holo"),
            "t.holo cannot be written: there is no folder nowhere",
        ),
        (
            ("types", "one.atlas", "-o", "nowhere/t.d.ts"),
            "t.d.ts cannot be written: there is no folder nowhere",
        ),
        (("optimize", "one.atlas", "-o", "."), ". is a folder"),
        (("compile", "kernels.py:flop"), "it has flip, scale, total: did you mean flip?"),
        (("compile", "kernels.py:flip", "--shape", "z=h,w"), "--shape z: flip has no array 'z': x, y"),
        (("compile", "one.atlas", "--shape", "x=n"), "has no array 'x': y"),
        (("bundle", "kernels.py"), "kernels.py is a file: a site is written into a new folder"),
        (("bundle", "site", "none.py"), "there is no file none.py"),
        (("compile", "bytes.atlas"), "IsaError: bytes.atlas is no text"),
        (("bench", "kernels.py:flip"), "x: f32[x.len0, x.len1] read is not given, and x.len0 is not known: --size"),
        (("bench", "kernels.py:flip", "--size", "w=2"), "--size w: no array has a length 'w': x.len0, x.len1, y.len0"),
        (("bench", "kernels.py:flip", "--size", "w=x"), "w=x is no length: an integer from 0 on is expected"),
    ],
)
def test_wrong_input_is_told(folder, arguments, text):
    assert text in " ".join(call(*arguments, code=2).split())


@pytest.mark.parametrize(
    ("text", "sizes", "value"),
    [("n", {"n": 5}, 5), ("ceildiv(n, 4) * 2 - 1", {"n": 9}, 5), ("max(a, min(b, 3)) // 2 + 1", {"a": 1, "b": 9}, 2)],
)
def test_formulas(text, sizes, value):
    assert formula(text).evaluate(sizes) == value


@pytest.mark.parametrize("text", ["", "n.x", "f(n)", "n / 2", "1.5", "'n'", "__import__('os')", "-n", "min(n)"])
def test_what_is_no_formula(text):
    with pytest.raises(hg.LaunchError, match="is no formula"):
        formula(text)


def test_names_behind_files():
    assert split("a/b.py:k") == (Path("a/b.py"), "k")
    assert split("b.py") == (Path("b.py"), "")
    assert split("C:\\x.py") == (Path("C:\\x.py"), "")


def test_bench_compares_before_it_tells_a_ratio(folder):
    call("compile", "kernels.py:scale", "--set", "T=f32", "--set", "BY=3", "--shape", "x=n", "--shape", "y=n")
    line = ("bench", "scale.holo", "--size", "n=1000", "--device", "cpu", "--device", "wasm", "--rounds", "3")
    output = call(*line)
    assert "8,000 bytes, medians of 3 in turns" in output
    assert "of cpu's speed" in output
    found = json.loads(call(*line, "--json"))
    assert [(each["device"], each["agrees"], each["adapter"]) for each in found["devices"]] == [
        ("cpu", "same bits", None),
        ("wasm", "same bits", None),
    ]
    given = json.loads(call("bench", "scale.holo", "x=1,2", "--device", "wasm", "--rounds", "1", "--json"))
    assert given["bytes"] == 16


def test_bench_ends_with_1_where_results_differ(folder, monkeypatch):
    call("compile", "kernels.py:total")
    results = iter([np.float32(8), np.float32(9)])
    monkeypatch.setattr(side_by_side, "named_results", lambda compiled, found: {"result": np.array(next(results))})
    devices = ("--device", "cpu", "--device", "wasm", "--rounds", "1")
    output = call("bench", "total.holo", "x=1,1,1,1", *devices, code=1)
    assert "differs" in output
    assert "speed" not in output


def test_a_device_that_is_not_here_is_an_error(folder, monkeypatch):
    def none(name, **options):
        raise hg.BackendUnavailable(name, "it is not here")

    call("compile", "kernels.py:total")
    monkeypatch.setattr(side_by_side, "Executor", none)
    assert "BackendUnavailable" in call("bench", "total.holo", "x=1,1,1,1", "--device", "webgpu", code=2)


def test_bench_without_a_device_takes_those_that_are_here(folder, monkeypatch):
    def only_wasm(name, **options):
        if name != "wasm":
            raise hg.BackendUnavailable(name, "it is not here")
        return hg.Executor(name, **options)

    call("compile", "kernels.py:total")
    monkeypatch.setattr(side_by_side, "Executor", only_wasm)
    line = ("bench", "total.holo", "x=1,1,1,1", "--rounds", "1")
    assert "without webgpu: it is not here" in call(*line)
    found = json.loads(call(*line, "--json"))
    assert [each["device"] for each in found["devices"]] == ["wasm"]
    assert found["missing"] == {"webgpu": "it is not here"}


@pytest.fixture
def parts(tmp_path):
    """A folder as Pyodide's and an archive as a release's, both small."""
    pyodide, pages = tmp_path / "pyodide", tmp_path / "hologram_web-9-pages.zip"
    pyodide.mkdir()
    entries = {}
    for name, needs in (("numpy", ["blas"]), ("blas", []), ("other", ["numpy", "gone"]), ("gone", [])):
        data = name.encode()
        if name != "gone":
            (pyodide / f"{name}.whl").write_bytes(data)
        entries[name] = _entry(name, data, needs)
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"):
        (pyodide / name).write_text(name)
    (pyodide / "pyodide-lock.json").write_text(json.dumps({"info": {"python": "3"}, "packages": entries}))
    ours = {f"hologram-web{end}": _entry(f"ours{end}", b"ours", []) for end in ("", "-library", "-tensor", "-tools")}
    with zipfile.ZipFile(pages, "w") as packed:
        packed.writestr("hologram-web/pyodide.js", "// runtime")
        packed.writestr("pyodide-lock-entries.json", json.dumps({"packages": ours}))
        for entry in ours.values():
            packed.writestr(entry["file_name"], "ours")
    return "--pyodide", str(pyodide), "--pages", str(pages)


def _entry(name, data, needs):
    return {"file_name": f"{name}.whl", "sha256": sha256(data).hexdigest(), "version": "1", "depends": needs}


def test_bundle_takes_what_is_there_and_names_what_is_missing(folder, parts):
    made = json.loads(call("bundle", "site", "kernels.py", *parts, "--with", "numpy", "--with", "other", "--json"))
    ours = {"hologram-web", "hologram-web-library", "hologram-web-tensor", "hologram-web-tools"}
    assert set(made["packages"]) == {*ours, "blas", "numpy"}
    assert set(made["missing"]) == {"gone"}
    assert made["missing"]["gone"].startswith("put gone.whl of this Pyodide's release into ")
    site = Path("site")
    names = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert made["files"] == len(names)
    assert {"index.html", "worker.js", "main.py", "hologram-web/pyodide.js", "pyodide/numpy.whl"} <= names
    assert (site / "main.py").read_text() == KERNELS
    lock = json.loads((site / "pyodide" / "pyodide-lock.json").read_text())
    assert set(lock["packages"]) == set(made["packages"])
    for entry in lock["packages"].values():
        assert sha256((site / "pyodide" / entry["file_name"]).read_bytes()).hexdigest() == entry["sha256"]
    assert json.loads((site / "site.json").read_text())["packages"][-2:] == ["blas", "numpy"]
    assert "site is not empty" in call("bundle", "site", *parts, code=2)


def test_bundle_without_what_it_needs(folder, parts):
    _, pyodide, _, pages = parts
    assert "Pyodide is not here: npm install pyodide" in call("bundle", "site", "--pages", pages, code=2)
    assert "is no folder of Pyodide: it has no pyodide.mjs" in call("bundle", "site", "--pyodide", ".", code=2)
    assert "and there is none in dist" in call("bundle", "site", "--pyodide", pyodide, code=2)
    assert "is no archive of a release" in call("bundle", "site", "--pyodide", pyodide, "--pages", "one.atlas", code=2)
    assert "there is no file none.py" in call("bundle", "site", "none.py", *parts, code=2)
    (Path(pyodide) / "blas.whl").write_text("another")
    assert "blas.whl is not the file that pyodide-lock.json names" in call("bundle", "site", *parts, code=2)
    assert not Path("site").exists()
