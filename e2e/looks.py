"""How pages look to people: what axe-core finds, what moves, where the keys lead, and where links do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Page

from .browser import ROOT

__all__ = ["MOST_SHIFT", "WATCHED", "broken_links", "faults", "site_by_name", "violations"]

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
# All rules are at work, of WCAG and of good practice.
_CHECK = """axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]))"""

# For `add_init_script`: what moves without anybody's doing.
WATCHED = """globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (!hadRecentInput) shifts.push([value, sources.map(({ node }) => node?.outerHTML?.slice(0, 120) ?? "gone")]);
  }
}).observe({ type: "layout-shift", buffered: true });"""
MOST_SHIFT = 0.02  # in sum; Web Vitals call 0.1 good

# What Tab reached, once the page has scrolled there: where it stands among the elements, and what is wrong with it. An
# editor may show its focus around it, and a switch that is not seen beside it, on its label.
_FOCUSED = """async () => {
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const seen = [element, ...element.parentElement.children].find((each) => each.offsetWidth) ?? element;
  const { width, height, top, bottom, left, right } = seen.getBoundingClientRect();
  const shows = (each) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  };
  const wrong = [];
  if (!width || !height) wrong.push("has no size");
  if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth) wrong.push("is outside of the window");
  const around = element.isContentEditable && shows(element.parentElement.parentElement);
  if (!shows(seen) && !around) wrong.push("shows no focus");
  const number = [...document.querySelectorAll("*")].indexOf(element);
  return { number, wrong, what: element.outerHTML.slice(0, 160) };
}"""

_OPEN = """() => {
  const [first, ...others] = document.querySelectorAll("details");
  if (first) first.open = true;
  for (const each of others) each.remove();
}"""


def violations(page: Page) -> list[Any]:
    """What axe-core finds wrong in a page as it is, from a world of its own, where the page's policy does not hold."""
    session = page.context.new_cdp_session(page)
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "looks"})["executionContextId"]
    for text in (AXE.read_text(encoding="utf-8"), _CHECK):
        order = {"expression": text, "contextId": world, "awaitPromise": True, "returnByValue": True}
        told = session.send("Runtime.evaluate", order)
        if "exceptionDetails" in told:
            raise RuntimeError(f"axe-core failed: {told['exceptionDetails']}")
    session.detach()
    return list(told["result"]["value"])


def _tab(page: Page) -> Any:
    """Presses Tab; gives what it reached, None where that is the page itself."""
    page.keyboard.press("Tab")
    return page.evaluate(_FOCUSED)


def _keys(page: Page, most: int) -> list[str]:
    """What is wrong with the first places that Tab leads to: they are seen, and come in the order of the page."""
    page.evaluate("() => { document.activeElement?.blur(); scrollTo(0, 0); }")
    wrong, last = [], -1
    for _ in range(most):
        found = _tab(page)
        if found and found["number"] == last:  # an editor, in which Tab indents
            page.keyboard.press("Escape")
            found = _tab(page)
            if found and found["number"] == last:
                wrong.append(f"Tab: is kept by {found['what']}")
                break
        if found is None or found["number"] < last:  # round the page
            break
        wrong += [f"Tab: {what} {found['what']}" for what in found["wrong"]]
        last = found["number"]
    if last < 0:
        wrong.append("Tab: leads nowhere")
    return wrong


def faults(page: Page, keys: int = 12) -> list[str]:
    """All that is wrong with the looks of a page that has been opened with `WATCHED`; Tab goes `keys` places far.

    Of parts that open the first is opened, and the others, which are alike, are taken out: they have 127,000 spans.
    """
    found = []
    shifts = page.evaluate("() => shifts")
    if sum(value for value, _ in shifts) > MOST_SHIFT:
        found.append(f"moves: {shifts}")
    if (over := page.evaluate("() => document.documentElement.scrollWidth - innerWidth")) > 0:
        found.append(f"is {over} pixels wider than the window")
    found += _keys(page, keys)
    page.evaluate(_OPEN)
    return found + [f"axe-core: {name} {nodes}" for name, nodes in violations(page)]


class _Parsed(HTMLParser):
    """The links of a file, and the names that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.names.add(value)
            elif value and (name == "href" or (name == "src" and tag != "iframe")):
                self.links.append(value)


def site_by_name(folder: Path) -> Path:
    """A folder with a file for each page of the site, empty, for links that lead there from elsewhere."""
    pages = [f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")]
    for page in (*pages, "gallery/index.html", "live/index.html", "playground/index.html"):
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).touch()
    return folder


def broken_links(mounts: Mapping[str, Path]) -> list[str]:
    """Links of the pages of folders, by their addresses, to files or to places in pages that there are not."""
    parsed = {path: _Parsed(path.read_text(encoding="utf-8")) for path in _pages(mounts)}
    places = {folder: address for address, folder in mounts.items()}
    broken = []
    for path, page in parsed.items():
        folder = next(folder for folder in mounts.values() if path.is_relative_to(folder))
        address = places[folder] + path.relative_to(folder).as_posix()
        for link in dict.fromkeys(page.links):
            where, fragment = _target(mounts, address, link)
            if where is None:
                continue
            name = unquote(fragment)
            if not where.is_file() or (name and where in parsed and name not in parsed[where].names):
                broken.append(f"{address}: {link}")
    return broken


def _pages(mounts: Mapping[str, Path]) -> Iterator[Path]:
    for folder in mounts.values():
        yield from folder.rglob("*.html")


def _target(mounts: Mapping[str, Path], address: str, link: str) -> tuple[Path | None, str]:
    """The file that a link of a page leads to, None for one of another host; and the place in it."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc or parts.path.startswith("/"):  # the theme's page for what is not there has such
        return None, ""
    name = "" if "=" in parts.fragment else parts.fragment  # the playground's name programs
    steps = address.split("/")[:-1]
    for step in unquote(parts.path).split("/") if parts.path else ():
        steps = steps[:-1] if step == ".." else steps if step == "." else [*steps, step]
    whole = "/".join(steps) if parts.path else address
    mount = max((each for each in mounts if f"{whole}/".startswith(each)), key=len)
    found = mounts[mount] / whole.removeprefix(mount).removeprefix("/")
    return (found / "index.html" if found.is_dir() else found), name
