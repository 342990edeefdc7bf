"""The site of the notebooks, offline: the front page, and a kernel in PyScript, with what a notebook loads."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from examples.notebooks.__main__ import build
from hologram_web_tools.cli.server import Mount, server

from .browser import ROOT, Browser

pytestmark = pytest.mark.timeout(600)

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
FOUND = "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map((n) => n.html)]))"


@pytest.fixture(scope="module")
def site() -> Path:
    return build()


@pytest.fixture(scope="module")
def page(site: Path) -> Iterator[Page]:
    """A page of the site, which fails requests to other servers."""
    running = server({"/notebooks/": Mount(site, "")}, 0)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    with Browser() as browser:
        here = f"http://127.0.0.1:{running.server_port}/"
        found = browser.page("/e2e/README.md")
        found.route("**/*", lambda route: route.continue_() if route.request.url.startswith(here) else route.abort())
        found.goto(f"{here}notebooks/index.html")
        yield found
    running.shutdown()
    running.server_close()


def test_the_lock_names_files_of_the_site(site: Path) -> None:
    folder = site / "lite" / "static" / "pyodide"
    packages = json.loads((folder / "pyodide-lock.json").read_bytes())["packages"]
    assert {"anywidget", "hologram-web", "hologram-web-tensor", "hologram-web-tools", "ipython"} <= set(packages)
    for entry in packages.values():
        assert sha256((folder / entry["file_name"]).read_bytes()).hexdigest() == entry["sha256"]
        assert set(entry["depends"]) <= set(packages)


def test_the_front_page_leads_to_all(page: Page, site: Path) -> None:
    listed = json.loads((site / "lite" / "api" / "contents" / "all.json").read_bytes())["content"]
    for link in page.locator("a").all():
        place, _, asked = (link.get_attribute("href") or "").partition("?")
        assert (site / place).is_file()
        assert not asked or asked.removeprefix("path=") in [each["name"] for each in listed]
    page.add_script_tag(path=AXE)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(FOUND) == []


def test_a_kernel_in_pyscript(page: Page) -> None:
    page.goto(page.url.replace("index.html", "pyscript.html"))
    views = page.locator("#out .hw-view")
    expect(views).to_have_count(2, timeout=300_000)
    expect(page.locator("#device")).to_have_text("wasm")
    expect(page.get_by_alt_text("the array as a picture")).to_be_visible()
    expect(views.last).to_contain_text("def ripples")
    page.add_script_tag(path=AXE)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(FOUND) == []
