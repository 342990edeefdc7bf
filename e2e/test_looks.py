"""How README, documentation, live pages and the report look, wide and light, and narrow and dark.

axe-core finds nothing, nothing moves, Tab leads through, nothing is wider than the window.
`python -m e2e.views` takes all pages, at both widths in both schemes.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from .browser import ROOT
from .looks import WATCHED, broken_links, faults, site_by_name
from .views import CHECKED, HOW, VIEWS, How, build, chromium, opened

pytestmark = pytest.mark.timeout(300)

BAD = """<!doctype html><title></title><style>:focus { outline: 0 }</style>
<button tabindex=1>a</button>
<div style="width: 3000px"><img src="none.png"></div><p id=late style=height:400px>Text.</p>"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with build(CHECKED) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.mark.parametrize("how", [HOW[0], HOW[3]], ids=lambda how: f"{how.width}-{how.scheme}")
@pytest.mark.parametrize("name", CHECKED)
def test_a_page(address: str, browser: Browser, name: str, how: How) -> None:
    with opened(browser, address, VIEWS[name], how) as page:
        assert faults(page) == []


def test_links_of_live_pages_lead_somewhere(tmp_path: Path) -> None:
    """Their pages alone: what they load besides is built, and seen to work elsewhere."""
    live = tmp_path / "live"
    for name, folder in (("edges", live), ("bignum", live / "bignum")):
        folder.mkdir()
        shutil.copy(ROOT / "examples" / name / "live" / "index.html", folder)
        for each in ("icon.svg", "style.css", "page.css", "live.mjs", "page.mjs", "runtime/index.js"):
            (folder / each).parent.mkdir(exist_ok=True)
            (folder / each).touch()
    (tmp_path / "site").mkdir()
    assert broken_links({"/": site_by_name(tmp_path / "site"), "/live/": live}) == []


def test_a_bad_page_is_seen_to_be(browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(WATCHED)
    page = context.new_page()
    page.route("**/*", lambda route: route.fulfill(content_type="text/html", body=BAD))
    page.goto("http://127.0.0.1:9/")
    page.evaluate("() => new Promise((after) => requestAnimationFrame(() => setTimeout(after, 100)))")
    page.evaluate("() => late.insertAdjacentHTML('beforebegin', '<p style=height:400px>')")
    page.wait_for_function("() => shifts.some(([value]) => value > 0.05)")
    found = "\n".join(faults(page))
    for what in ("image-alt", "document-title", "moves:", "wider than the window", "shows no focus"):
        assert what in found
    context.close()
