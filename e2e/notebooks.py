"""All cells of all notebooks in JupyterLite: prints what each shows, and ends with 1 where one fails. With a folder
it draws pictures of them and of the site's other pages there at both widths, light and dark, to be looked at. The
tests run them, too.

    .venv/bin/python -m e2e.notebooks [FOLDER [NAME ...]]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Error, Page, Request, Response

from examples.notebooks import NOTEBOOKS
from examples.notebooks.__main__ import build
from hologram_web_tools.cli.server import Mount, server, serving

from .views import HOW, chromium

__all__ = ["Cell", "Heard", "Lab", "served"]

SECONDS = 150  # for one notebook and its kernel's start, where the machine has other work
# They share a kernel, whose start takes longer than all their cells; that each runs by itself is tested natively.
OPEN = """async (path) => {
  await jupyterapp.restored;
  const kernel = globalThis.kernel && { id: globalThis.kernel.id };
  globalThis.panel = await jupyterapp.commands.execute("docmanager:open", { path, kernel });
  await panel.context.ready;
  await panel.sessionContext.ready;
  globalThis.kernel = panel.sessionContext.session.kernel;
}"""
# An error ends it. What a cell shows is all there when its run has ended.
START = """() => {
  globalThis.ran = false;
  jupyterapp.commands.execute("notebook:run-all-cells").finally(() => { globalThis.ran = true; });
}"""
SHOWN = """() => [...panel.content.model.cells].filter(({ type }) => type === "code").map((cell) => {
  const outputs = cell.outputs.toJSON();
  const of = (kinds, read) => outputs.filter(({ output_type }) => kinds.includes(output_type)).flatMap(read);
  return {
    number: cell.executionCount,
    printed: of(["stream"], ({ text }) => text).join(""),
    errors: of(["error"], ({ ename, evalue }) => `${ename}: ${evalue}`),
    shows: of(["execute_result", "display_data"], ({ data }) => Object.keys(data)),
  };
})"""
# Without what is beside the notebook; then all of it is in the window.
ALONE = """async () => {
  if (!document.querySelector("#jp-left-stack").classList.contains("lm-mod-hidden"))
    await jupyterapp.commands.execute("application:toggle-left-area");
}"""
TALL = "() => Math.ceil(panel.node.querySelector('.jp-WindowedPanel-viewport').scrollHeight) + 200"
TOP = """() => {
  panel.content.activeCellIndex = 0;
  panel.node.querySelector(".jp-WindowedPanel-outer").scrollTop = 0;
}"""


class Cell(NamedTuple):
    """What a cell of code did; `number` is None where it did not run."""

    number: int | None
    printed: str
    errors: list[str]
    shows: list[str]

    @property
    def failed(self) -> bool:
        return self.number is None or bool(self.errors)


class Heard:
    """What went wrong behind a page: answers that are none, requests to other servers, errors of its own."""

    def __init__(self, page: Page, address: str) -> None:
        self.wrong: list[str] = []
        self.here = address.removesuffix("notebooks/")
        page.on("request", self._request)
        page.on("response", self._response)
        page.on("pageerror", lambda error: self._error(error, page.url))

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.here, "data:", "blob:")):
            self.wrong.append(f"another server: {request.url}")

    def _error(self, error: Error, place: str) -> None:
        # marimo says so where Python takes a minute to start, and goes on.
        if "/marimo/" not in place or error.message != "RPC request timed out.":
            self.wrong.append(f"error: {error}")

    def _response(self, response: Response) -> None:
        # JupyterLite asks for icons of busy notebooks, which its builder leaves out.
        if response.status >= 400 and not response.url.endswith(".ico"):
            self.wrong.append(f"{response.status}: {response.url}")


class Lab:
    """JupyterLab in a page, with the notebooks of the site."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.goto(f"{address}lite/lab/index.html")
        page.wait_for_function("() => globalThis.jupyterapp", timeout=1000 * SECONDS)

    def run(self, name: str) -> list[Cell]:
        """Opens a notebook and runs its cells, until one fails."""
        self.page.evaluate(OPEN, name)
        self.page.evaluate(START)
        self.page.wait_for_function("() => ran", timeout=1000 * SECONDS)
        return [Cell(**cell) for cell in self.page.evaluate(SHOWN)]

    def draw(self, folder: Path, name: str) -> None:
        """Pictures of the notebook that was run."""
        self.page.evaluate(ALONE)
        for width, scheme in HOW:
            self.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.wait_for_timeout(1000)  # the theme comes as a file
            self.page.set_viewport_size({"width": width, "height": self.page.evaluate(TALL)})
            self.page.evaluate(TOP)
            self.page.wait_for_timeout(1000)
            self.page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
        self.page.set_viewport_size({"width": 1280, "height": 900})


# The other pages, and what holds once they show what they are for.
PAGES = {
    "index": "() => document.readyState === 'complete'",
    "pyscript": "() => document.querySelectorAll('#out .hw-view').length === 2",
    "marimo/index": "() => document.querySelector('[alt=\"the array as a picture\"]')",
}


def draw_page(page: Page, folder: Path, address: str, name: str) -> None:
    page.goto(f"{address}{name}.html")
    page.wait_for_function(PAGES[name], timeout=4000 * SECONDS)
    for width, scheme in HOW:
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        page.set_viewport_size({"width": width, "height": 2400 if "/" in name else 900})  # marimo scrolls inside
        page.wait_for_timeout(1000)
        page.screenshot(path=folder / f"{name.partition('/')[0]}-{width}-{scheme}.png", full_page=True)


@contextmanager
def served() -> Iterator[str]:
    """The address of the site of the notebooks, built for it, as `make serve` has it."""
    with serving(server({"/notebooks/": Mount(build(), "")}, 0)) as address:
        yield f"{address}/notebooks/"


def main(folder: str | None = None, *names: str) -> int:
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
    bad = False
    with served() as address, chromium() as browser:
        page = browser.new_page()
        heard = Heard(page, address)
        lab = Lab(page, address)
        for path in NOTEBOOKS:
            if names and path.stem not in names:
                continue
            cells = lab.run(path.name)
            bad |= any(cell.failed for cell in cells)
            print(path.stem)
            for cell in cells:
                print(f"  [{cell.number}]", cell.printed.strip()[:200], *cell.shows, *cell.errors, flush=True)
            if folder:
                lab.draw(Path(folder), path.stem)
        for name in PAGES:
            if folder and (not names or name.partition("/")[0] in names):
                draw_page(page, Path(folder), address, name)
        print(*heard.wrong, sep="\n")
    return 1 if bad or heard.wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
