"""What a fresh clone has to do by itself: each command that the documentation names works alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bench import launch_js
from examples.edges import chromium

from . import where

sys.path.insert(0, str(where.ROOT / "tools"))
import setup


def test_the_bundle_makes_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pytest tests/everywhere --where=node` and `make bench` opened a file of build/pyodide before that was there."""

    def wheels(folder: Path) -> list[Path]:
        with zipfile.ZipFile(folder / "a.whl", "w") as archive:
            archive.writestr("hologram_web/__init__.py", "")
        return [folder / "a.whl"]

    bundle = tmp_path / "build" / "pyodide" / "bundle.zip"
    monkeypatch.setattr(where, "BUNDLE", bundle)
    monkeypatch.setattr(where, "write_page_wheels", wheels)
    where.write_bundle(expected=False)
    with zipfile.ZipFile(bundle) as archive:
        assert {"hologram_web/__init__.py", "tests/everywhere/inside.py", "pytest.ini"} <= set(archive.namelist())
    assert list(bundle.parent.iterdir()) == [bundle]


def test_wheels_and_benchmarks_bundle_what_they_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m e2e.notebook` alone had a wheel without a runtime, and `python -m bench.launch_js` no web/dist."""
    done: list[str] = []

    def bundle() -> None:
        done.append("bundle")

    def run(command: list[str], **_: object) -> None:
        done.append(command[2])
        (Path(command[command.index("-w") + 1]) / "hologram_web-1-py3-none-any.whl").touch()

    monkeypatch.setattr(chromium, "bundle", bundle)
    monkeypatch.setattr(chromium, "WHEELS", tmp_path)
    monkeypatch.setattr(subprocess, "run", run)
    chromium.build_wheel(tmp_path)
    assert done == ["bundle", "pip"]

    def stop(_: object) -> None:
        raise InterruptedError

    done.clear()
    monkeypatch.setattr(launch_js, "bundle", bundle)
    monkeypatch.setattr(launch_js, "in_node", stop)
    with pytest.raises(InterruptedError):
        launch_js.main.main(["--rounds", "1"], standalone_mode=False)
    assert done == ["bundle"]


def test_the_browser_tests_bundle_what_they_load() -> None:
    """`pytest e2e` alone: there was no web/dist but after `make test`."""
    command = [sys.executable, "-m", "pytest", "-q", "--setup-plan", "-n", "0", "e2e/test_edges.py"]
    told = subprocess.run(command, cwd=where.ROOT, capture_output=True, text=True, check=True)
    assert re.findall(r"SETUP\s+S (\w+)", told.stdout)[0] == "_bundled"


def test_scripts_of_npm_set_up_what_they_call() -> None:
    """`npm pack` said `.venv/bin/python: not found`."""
    scripts = json.loads((where.ROOT / "package.json").read_text())["scripts"]

    def called(name: str) -> list[str]:
        """The commands of a script, those of the scripts it calls in their places."""
        found: list[str] = []
        for part in (*scripts.get(f"pre{name}", "").split(" && "), *scripts[name].split(" && ")):
            inner = re.fullmatch(r"npm run (?:--silent )?(\w+)", part)
            found += called(inner[1]) if inner else [part] if part else []
        return found

    firsts = {"prepack": "python3 tools/setup.py pack", "test": "node web/needs.mjs", "size": "node web/needs.mjs"}
    for name, first in firsts.items():
        assert called(name)[0] == first


def test_scripts_of_npm_say_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    shutil.copy(where.ROOT / "web" / "needs.mjs", tmp_path / "web")

    def told() -> tuple[int, str]:
        done = subprocess.run(["node", "web/needs.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    both = "this needs node_modules/esbuild and .venv/bin/python, which are not there: run make setup\n"
    assert told() == (1, both)
    (tmp_path / "node_modules" / "esbuild").mkdir(parents=True)
    assert told() == (1, "this needs .venv/bin/python, which is not there: run make setup\n")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").touch()
    assert told() == (0, "")


@pytest.mark.parametrize(
    ("there", "goal", "installs"),
    [
        ("", "pack", True),
        ("pack", "pack", False),
        ("run", "pack", True),
        ("test", "pack", False),
        ("pack", "run", True),
        ("run", "run", False),
        ("test", "run", False),
        ("pack", "test", True),
        ("run", "test", True),
    ],
)
def test_a_set_up_that_holds_another_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str, goal: str, installs: bool
) -> None:
    key, steps = setup.digest("pyproject.toml", "constraints.txt", "3.11"), []
    if there:
        (tmp_path / f".set-up-for-{there}").write_text(key)
    monkeypatch.setattr(setup, "VENV", tmp_path)
    monkeypatch.setattr(setup, "venv_version", lambda: "3.11")
    monkeypatch.setattr(setup, "step", lambda what, *command: steps.append(what))
    setup.set_up_python(goal)
    assert steps == ([f"pip install .[{setup.EXTRAS[goal]}]"] if installs else [])
    assert (tmp_path / f".set-up-for-{goal}").exists() == (installs or there == goal)


def test_node_beside_python_is_found() -> None:
    """Where the system has no Node, the set-up puts it there; `.venv/bin/pytest` by itself has to find it."""
    assert os.environ["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
