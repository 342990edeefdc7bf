"""Every page that people see, built and opened at both widths and in both schemes of colours.

.venv/bin/python -m e2e.views FOLDER [NAME ...]

says what is wrong with the looks of each, and writes pictures of them into a folder, to be looked at. A page of the
documentation is named like its file, arrays.md. Without a name it takes all, and every page of the documentation;
`make run` has made the report then.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from markdown_it import MarkdownIt
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from examples.bignum.live.__main__ import build as build_bignum
from examples.edges.live.__main__ import build as build_live
from examples.edges.pictures import photograph
from examples.edges.report import write_report
from examples.edges.rows import Expected, Native, Scipy, measure
from examples.edges.tasks import Settings, make_tasks, save
from examples.gallery.__main__ import build as build_gallery
from hologram_web_tools.browsers import find_chromium
from hologram_web_tools.cli.server import Mount, server, serving
from playground.__main__ import build as build_playground

from .browser import FLAGS, ROOT
from .looks import WATCHED, faults

__all__ = ["CHECKED", "HOW", "VIEWS", "How", "build", "chromium", "opened"]

WAIT = 240_000  # milliseconds: Python starts in seconds on a machine that has nothing else to do


class View(NamedTuple):
    address: str
    ready: str = "() => document.readyState === 'complete'"  # holds once it shows what it is for


VIEWS = {
    "README": View("/readme/index.html"),
    "site": View("/index.html"),
    "kernels": View("/kernels.html"),
    "support": View("/support.html"),
    "instructions": View("/reference/arithmetic.html"),
    "python": View("/reference/python.html"),
    "playground": View(
        "/playground/index.html", "() => /^(Compiled|Done) in/.test(document.getElementById('state').textContent)"
    ),
    "gallery": View("/gallery/index.html"),
    "life": View("/gallery/life.html#wasm", "() => document.body.dataset.frames >= 1"),
    "live": View("/live/index.html", "() => document.body.dataset.runs >= 1"),
    "bignum": View("/live/bignum/index.html", "() => document.body.dataset.runs >= 1"),
    "report": View("/report/index.html"),
}
# What CI takes: test_playground.py and test_gallery.py look at theirs themselves.
CHECKED = ("README", "site", "kernels", "instructions", "support", "live", "bignum", "report")


class How(NamedTuple):
    width: int
    scheme: str


HOW = [How(width, scheme) for width in (1280, 390) for scheme in ("light", "dark")]

# As GitHub shows a text: its measures and colours.
README = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>README</title>
<style>
:root {{ color-scheme: light dark; --text: light-dark(#1f2328, #f0f6fc); --line: light-dark(#d1d9e0, #3d444d);
  --code: light-dark(#f6f8fa, #151b23); --link: light-dark(#0969da, #4493f8); --page: light-dark(#fff, #0d1117); }}
body {{ margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }}
main {{ max-width: 1012px; margin: 0 auto; padding: 32px; box-sizing: border-box; overflow-wrap: break-word; }}
h1, h2 {{ padding-bottom: 0.3em; border-bottom: 1px solid var(--line); line-height: 1.25; }}
img {{ max-width: 100%; height: auto; }}
a {{ color: var(--link); }}
code {{ padding: 0.2em 0.4em; border-radius: 6px; background: var(--code); font: 85% ui-monospace, monospace; }}
pre {{ padding: 16px; overflow: auto; border-radius: 6px; background: var(--code); line-height: 1.45; }}
pre code {{ padding: 0; }}
table {{ display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; }}
th, td {{ padding: 6px 13px; border: 1px solid var(--line); }}
@media (max-width: 600px) {{ main {{ padding: 16px; }} }}
</style>
<main>{}</main>
"""


def _readme(folder: Path) -> None:
    folder.mkdir()
    text = MarkdownIt("commonmark").enable("table").render((ROOT / "README.md").read_text(encoding="utf-8"))
    # On GitHub room for a picture is made when it comes; here it has its size, so that what else moves is seen.
    for address in re.findall(r'src="([^"]+)"', text):
        with Image.open(ROOT / address) as picture:
            width, height = picture.size
        text = text.replace(f'src="{address}"', f'src="{address}" width="{width}" height="{height}"')
    # As there, what scrolls is reached by keys.
    text = text.replace("<pre>", '<pre tabindex="0">').replace("<table>", '<table tabindex="0">')
    (folder / "index.html").write_text(README.format(text), encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "images", folder / "docs" / "images")


def _report(folder: Path) -> None:
    """One of a part of the photograph, on one device."""
    photo = photograph()[90:153, 170:245]
    tasks = make_tasks(photo, Settings(rounds=4))
    save(tasks, folder)
    scipy, *rows = measure([Scipy(), Native("wasm", folder)], tasks, 1, lambda _: None)
    for row in rows:
        row.compare(Expected(scipy.planes, tasks["floats"].expected()))
    write_report(folder, photo, tasks, scipy, rows, [], "A part of the photograph.")


def _site(folder: Path) -> None:
    command = (sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder)
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})


BUILDERS: dict[str, Callable[[Path], object]] = {
    "/readme/": _readme,
    "/live/": build_live,
    "/live/bignum/": build_bignum,
    "/gallery/": build_gallery,
    "/playground/": build_playground,
    "/report/": _report,
    "/": _site,
}


@contextmanager
def build(names: Iterable[str], report: Path | None = None) -> Iterator[str]:
    """The address of a server with the pages of these views, built for it. `report` is the folder of one to take."""
    with TemporaryDirectory() as place:
        mounts = {}
        for name in names:
            mount = max((each for each in BUILDERS if VIEWS[name].address.startswith(each)), key=len)
            if mount in mounts:
                continue
            folder = Path(place) / (mount.strip("/").replace("/", "-") or "site")
            if mount == "/report/" and report:
                folder = report
            else:
                BUILDERS[mount](folder)
            mounts[mount] = Mount(folder, name)
        with serving(server(mounts, 0)) as address:
            yield address


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium as `Browser` of browser.py has it, for pages of servers of their own."""
    path = find_chromium()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, channel=None if path else "chromium", args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Browser, address: str, view: View, how: How) -> Iterator[Page]:
    """The page of a view, once it shows what it is for, and is still."""
    height = 900 if how.width > 600 else 844
    context = browser.new_context(
        viewport={"width": how.width, "height": height},
        color_scheme="dark" if how.scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    context.set_default_timeout(WAIT)
    context.add_init_script(WATCHED)
    page = context.new_page()
    page.goto(address + view.address)
    page.wait_for_function(view.ready)
    page.evaluate(
        "() => Promise.all([...document.images].map((image) => { image.loading = 'eager'; return image.decode(); }))"
    )
    yield page
    context.close()


def main(folder: Path, names: list[str]) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    docs = {path.name: View(f"/{path.stem}.html") for path in sorted((ROOT / "docs").glob("*.md"))}
    known = VIEWS | {name: view for name, view in docs.items() if view not in VIEWS.values()}
    views = {name: known[name] for name in names or known}
    bad = 0
    made = ROOT / "build" / "report"
    report = made if (made / "index.html").is_file() else None
    with build([name if name in VIEWS else "site" for name in views], report) as address, chromium() as browser:
        for name, view in views.items():
            for how in HOW:
                with opened(browser, address, view, how) as page:
                    page.screenshot(path=folder / f"{name}-{how.width}-{how.scheme}.png", full_page=True)
                    found = faults(page)
                bad += bool(found)
                print(f"{name}, {how.width} wide, {how.scheme}: {'good' if not found else ''}", flush=True)
                for what in found:
                    print(f"    {what[:600]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
