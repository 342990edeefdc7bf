"""Every cell of the notebooks, run natively; e2e has the site. And that their files are as they are to be reviewed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples.notebooks import HERE, NOTEBOOKS, ripples_marimo
from examples.notebooks.__main__ import entries_of

ROOT = Path(__file__).resolve().parent.parent
SAID = {  # in what its cells print
    "arrays_and_pictures": "mean 0.1",
    "first_kernel": ":4: y[i] = x[i + 1]\n",
    "small_network": "% of the points are on the right side",
    "sound": "away from the tune by",
    "wide_integers": "2^p - 1 is prime for p = 3 5 7 13 17 19 31 61 89 107 127\n",
}
VIEWS = {"arrays_and_pictures": 5, "first_kernel": 2, "small_network": 3, "sound": 6, "wide_integers": 0}
pytestmark = pytest.mark.timeout(600)
WIDGET = "application/vnd.jupyter.widget-view+json"


def test_all_are_told_of() -> None:
    assert [path.stem for path in NOTEBOOKS] == sorted(SAID)
    linked = re.findall(r"path=(\w+)\.ipynb", (HERE / "index.html").read_text(encoding="utf-8"))
    assert sorted(linked) == sorted(SAID)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_files_have_no_results_in_them(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = json.loads(text)
    assert text == json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    ids = [cell["id"] for cell in found["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(cell["outputs"] == [] for cell in found["cells"] if cell["cell_type"] == "code")
    there = {each.name for each in NOTEBOOKS}
    for cell in found["cells"]:
        assert set(re.findall(r"\]\((\w+\.ipynb)\)", "".join(cell["source"]))) <= there


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_run(path: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "examples.notebooks.cells", str(path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    cells = [json.loads(line) for line in done.stdout.splitlines()]
    printed = "".join(cell["printed"] for cell in cells)
    assert SAID[path.stem] in printed
    if path.stem == "arrays_and_pictures":
        assert printed.count("\ndef map(") == 3  # as its text says: one for all pixels, two small ones
    assert sum("text/html" in cell["shows"] for cell in cells) == VIEWS[path.stem]
    if path.stem == "first_kernel":
        assert sum(WIDGET in cell["shows"] for cell in cells) == 2


def test_the_notebook_of_marimo_is_a_program() -> None:
    """All its cells run, and none is asked for a value of a page."""
    outputs, defined = ripples_marimo.app.run()
    assert defined["picture"].shape == (240, 400)
    told = [each.text for each in outputs if hasattr(each, "text")]
    assert any("the mean is 0.0" in text for text in told)
    (tabs,) = (each for each in outputs if type(each).__name__ == "View")
    assert "def ripples" in tabs.html


def test_the_lock_has_what_kernels_need(tmp_path: Path) -> None:
    """Of a wheel its name, hash, modules, and what it needs in Pyodide of what is there."""
    from zipfile import ZipFile

    wheels = []
    for name, needs in (("a_b", 'c; sys_platform != "emscripten"'), ("hologram_web", "a-b>=1"), ("c", "missing")):
        wheels.append(tmp_path / f"{name}-1.0-py3-none-any.whl")
        with ZipFile(wheels[-1], "w") as archive:
            archive.writestr(f"{name}/__init__.py", "")
            archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Name: {name}\nVersion: 1.0\nRequires-Dist: {needs}\n")
    found = entries_of(wheels)
    assert list(found) == ["a-b", "c", "hologram-web"]
    assert [entry["depends"] for entry in found.values()] == [[], [], ["a-b"]]
    assert found["a-b"]["imports"] == ["a_b"]
    assert all(re.fullmatch("[0-9a-f]{64}", entry["sha256"]) for entry in found.values())
