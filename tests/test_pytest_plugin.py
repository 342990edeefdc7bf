"""What the pytest plugin gives natively, in a pytest of its own; e2e/test_testing.py has its pages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = """
import numpy as np
import hologram_web as hg


@hg.kernel
def double(x: hg.Array[hg.f32]):
    x[hg.global_id()] *= 2


def test_double(hologram_executor):
    x = hologram_executor.array(np.arange(4, dtype="f4"))
    double[4](x)
    assert x.tolist() == [0, 2, 4, 6]
    print("ran on", hologram_executor.backend.selected)


def test_of_somebody_else():
    pass
"""


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """A pytest of its own in a folder: its code, and what it printed."""
    plugin = ("-p", "hologram_web_tools.pytest_plugin", "-p", "no:cacheprovider")
    command = (sys.executable, "-m", "pytest", "-rA", "--color=no", *plugin, *arguments)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "test_double.py").write_text(TESTS)
    return tmp_path


def test_each_device_that_is_named(folder):
    code, output = run(folder, "--hologram-device", "cpu", "--hologram-device", "wasm")
    assert code == 0, output
    for device in ("cpu", "wasm"):
        assert f"PASSED test_double.py::test_double[{device}]" in output
        assert f"ran on {device}" in output
    assert "PASSED test_double.py::test_of_somebody_else" in output


def test_wasm_by_default(folder):
    code, output = run(folder)
    assert code == 0, output
    assert "PASSED test_double.py::test_double[wasm]" in output


def test_nothing_is_imported_before_it_is_used(folder):
    (folder / "test_imports.py").write_text(
        "import sys\n\ndef test_none():\n    assert not {'hologram_web', 'playwright', 'numpy'} & set(sys.modules)\n"
    )
    code, output = run(folder, "test_imports.py")
    assert code == 0, output


def test_a_program_that_plays_a_gpu_is_taken_only_if_told(folder):
    """llvmpipe here; on a machine with a GPU both pass."""
    code, output = run(folder, "--hologram-device", "webgpu", "--hologram-software", "test_double.py")
    assert code == 0, output
    code, output = run(folder, "--hologram-device", "webgpu", "test_double.py")
    assert code == 0 or "is a program and no GPU: --hologram-software takes it" in output


def test_pages_have_no_cpu(folder):
    (folder / "test_page.py").write_text("def test_page(hologram_page):\n    pass\n")
    code, output = run(folder, "--hologram-device", "cpu", "test_page.py")
    assert code == 1
    assert "pages have no device cpu: they have wasm and webgpu" in output


def test_a_device_that_does_not_exist(folder):
    code, output = run(folder, "--hologram-device", "cuda")
    assert code == 4
    assert "invalid choice: 'cuda'" in output
