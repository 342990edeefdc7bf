"""What those get who test pages of theirs (docs/testing.md): the pytest plugin and hologram-web/playwright."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from hologram_web_tools.browsers import find_chromium
from hologram_web_tools.cli.in_browser import look_in
from hologram_web_tools.cli.server import Mount, server, serving
from tests.artifact.samples import saxpy
from tests.test_docs import BLOCKS
from tests.test_pytest_plugin import run

from .browser import ROOT

PAGE = """<!doctype html><title>A page</title><button>Run</button><pre></pre><script type="module">
import { Runtime } from "./dist/index.js";
document.querySelector("button").onclick = async () => {
  const runtime = await Runtime.create();
  const saxpy = await runtime.load("saxpy.holo");
  document.querySelector("pre").textContent = await saxpy.run({ a: 2, x: [1, 2, 3], y: [10, 20, 30] });
};
</script>"""
# The programs of the page, and beside them tests that run nothing.
PYTEST, PLAYWRIGHT, CONFIG, *_ = (block.text for block in BLOCKS[ROOT / "docs" / "testing.md"])
PYTEST += """
def test_runs_nothing(hologram_page, hologram_site):
    hologram_page.goto(hologram_site(HERE))
"""
PLAYWRIGHT += """
test("runs nothing", async ({ page }) => {
  await page.goto(process.env.SITE);
});
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site")
    (place / "index.html").write_text(PAGE)
    (place / "test_page.py").write_text(PYTEST)
    (place / "page.spec.mjs").write_text(PLAYWRIGHT)
    (place / "playwright.config.mjs").write_text(CONFIG)
    shutil.copytree(ROOT / "web" / "dist", place / "dist")
    saxpy().save(place / "saxpy.holo")
    modules = place / "node_modules"
    modules.mkdir()
    for name in ("@playwright", "playwright", "playwright-core"):
        (modules / name).symlink_to((ROOT / "node_modules").resolve() / name)
    own = modules / "hologram-web"
    (own / "web").mkdir(parents=True)
    shutil.copy(ROOT / "package.json", own)
    shutil.copytree(ROOT / "web" / "dist", own / "web" / "dist")
    return place


def test_pytest_on_both_devices(folder: Path) -> None:
    devices = ("--hologram-device", "wasm", "--hologram-device", "webgpu", "--hologram-software")
    code, output = run(folder, *devices, "-k", "not nothing")
    assert code == 0, output
    assert "PASSED test_page.py::test_runs[wasm]" in output
    assert "PASSED test_page.py::test_runs[webgpu]" in output
    assert re.search(r"^WebAssembly 1$", output, re.M)
    assert re.search(r"^WebGPU on .*swiftshader.*, a program and no GPU 1$", output, re.M | re.I)
    assert not (folder / "hologram-results").exists()


def test_pytest_where_nothing_runs(folder: Path) -> None:
    code, output = run(folder, "-k", "nothing")
    assert code == 1
    assert "the page ran nothing on wasm: it created no Runtime; its picture and trace are in" in output
    (kept,) = (folder / "hologram-results").iterdir()
    assert {path.name for path in kept.iterdir()} == {"page.png", "trace.zip"}
    shutil.rmtree(folder / "hologram-results")


def test_playwright_on_both_devices(folder: Path) -> None:
    where = find_chromium()
    env = {**os.environ, **({"CHROMIUM": where} if where else {})}
    with serving(server({"/": Mount(folder, "site")}, 0)) as site:
        done = subprocess.run(
            ("node", "node_modules/@playwright/test/cli.js", "test", "--workers=1", "--reporter=line"),
            cwd=folder,
            env={**env, "SITE": f"{site}/", "CI": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    output = done.stdout + done.stderr
    assert done.returncode == 1, output
    assert "wasm, 1 launch" in output
    assert "webgpu, 1 launch" in output
    assert "Error: the page ran nothing on webgpu: it created no Runtime" in output
    assert "2 failed" in output
    assert "2 passed" in output
    kept = {path.name for path in (folder / "test-results").rglob("*.*")}
    assert {"trace.zip", "test-failed-1.png"} <= kept


def test_doctor_asks_a_browser() -> None:
    """A page on the way that `hologram-web doctor` goes: started by its name, without Playwright."""
    told = look_in(find_chromium() or pytest.fail("there is no Chromium"), 120)
    assert told is not None
    assert {name: told[name] for name in ("webassembly", "threads", "relaxed")} == dict.fromkeys(
        ("webassembly", "threads", "relaxed"), True
    )
