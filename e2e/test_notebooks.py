"""The site of the notebooks, offline: the front page, PyScript, marimo, every cell in JupyterLite."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from examples.notebooks import NOTEBOOKS
from examples.notebooks.__main__ import FOLDER
from tests.test_notebooks import SAID, VIEWS, WIDGET

from .looks import violations
from .notebooks import Heard, Lab, served
from .views import chromium

pytestmark = pytest.mark.timeout(600)

SITE = FOLDER / "site"


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """The front page of the site, which asks no other server, and misses nothing."""
    with served() as address, chromium() as browser:
        found = browser.new_page()
        heard = Heard(found, address)
        found.goto(f"{address}index.html")
        yield found
        assert heard.wrong == []


@pytest.fixture(scope="module")
def lab(page: Page) -> Lab:
    return Lab(page, page.url.partition("/notebooks/")[0] + "/notebooks/")


def test_the_lock_names_files_of_the_site(page: Page) -> None:
    folder = SITE / "lite" / "static" / "pyodide"
    packages = json.loads((folder / "pyodide-lock.json").read_bytes())["packages"]
    ours = {"hologram-web", "hologram-web-library", "hologram-web-tensor", "hologram-web-tools"}
    assert {"anywidget", "ipython", *ours} <= set(packages)
    for entry in packages.values():
        assert sha256((folder / entry["file_name"]).read_bytes()).hexdigest() == entry["sha256"]
        assert set(entry["depends"]) <= set(packages)


def test_the_front_page_leads_to_all(page: Page) -> None:
    listed = json.loads((SITE / "lite" / "api" / "contents" / "all.json").read_bytes())["content"]
    for link in page.locator("a").all():
        place, _, asked = (link.get_attribute("href") or "").partition("?")
        assert (SITE / place).is_file()
        assert not asked or asked.removeprefix("path=") in [each["name"] for each in listed]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []


def test_a_kernel_in_pyscript(page: Page) -> None:
    page.goto(page.url.replace("index.html", "pyscript.html"))
    views = page.locator("#out .hw-view")
    expect(views).to_have_count(2, timeout=300_000)
    expect(page.locator("#device")).to_have_text("wasm")
    expect(page.get_by_alt_text("the array as a picture")).to_be_visible()
    expect(views.last).to_contain_text("def ripples")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []


def test_a_notebook_of_marimo(page: Page) -> None:
    """Cells run again when the slider moves, which the mean tells, and a widget has its tabs."""
    page.goto(page.url.replace("pyscript.html", "marimo/index.html"))
    told = page.get_by_text(re.compile(r"On wasm; the mean is -?0\.\d+"))  # and not the cell's source
    expect(told).to_be_visible(timeout=300_000)
    before = told.inner_text()
    expect(page.get_by_alt_text("the array as a picture")).to_be_visible()
    expect(page.get_by_role("tab", name="WGSL")).to_be_visible()
    page.get_by_role("slider").press("ArrowRight")
    expect(told).not_to_have_text(before, timeout=60_000)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell(lab: Lab, path: Path) -> None:
    cells = lab.run(path.name)
    assert [cell for cell in cells if cell.failed] == []
    assert SAID[path.stem] in "".join(cell.printed for cell in cells)
    assert sum("text/html" in cell.shows for cell in cells) == VIEWS[path.stem]
    if path.stem == "first_kernel":
        assert sum(WIDGET in cell.shows for cell in cells) == 2
