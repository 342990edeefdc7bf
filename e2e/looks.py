"""How pages look to people: what axe-core finds, and where links lead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.sync_api import Page

from .browser import ROOT

__all__ = ["broken_links", "site_by_name", "violations"]

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
# All rules are at work, of WCAG and of good practice.
_CHECK = """() => axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]))"""


def violations(page: Page) -> list[Any]:
    """What axe-core finds wrong in a page as it is."""
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return list(page.evaluate(_CHECK))


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
    for page in (*pages, "gallery/index.html", "playground/index.html"):
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
