"""All cells of all notebooks in JupyterLite: prints what each shows, and ends with 1 where one fails. A command, for it
takes minutes:

    .venv/bin/python -m e2e.notebooks [FOLDER FOR PICTURES]
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from examples.notebooks import NOTEBOOKS
from examples.notebooks.__main__ import build
from hologram_web_tools.browsers import find_chromium
from hologram_web_tools.cli.server import Mount, server

from .browser import FLAGS

MINUTES = 8  # for one notebook, where the machine has other work
CELLS = "[...jupyterapp.shell.currentWidget.content.model.cells].filter((cell) => cell.type === 'code')"
READY = "async () => { await jupyterapp.shell.currentWidget.sessionContext.ready; }"
START = "() => { jupyterapp.commands.execute('notebook:run-all-cells'); }"
DONE = f"""() => {{
  const outputs = {CELLS}.map((cell) => cell.outputs.toJSON());
  return outputs.flat().some((each) => each.output_type === "error") || outputs.at(-1).length > 0;
}}"""
SHOWN = f"""() => {CELLS}.flatMap((cell) => cell.outputs.toJSON().map((each) =>
  each.output_type === "error" ? ["error", each.evalue]
  : [each.output_type, each.text ?? Object.keys(each.data).join(" ")]))"""


def cells(page: Page, address: str) -> list[list[str]]:
    """What the cells of a notebook show; each ends with an error or its last cell's output."""
    page.goto(address)
    page.wait_for_selector(".jp-NotebookPanel .jp-Cell", timeout=60_000 * MINUTES)
    page.wait_for_function("() => globalThis.jupyterapp")
    page.evaluate(READY)
    page.evaluate(START)
    page.wait_for_function(DONE, timeout=60_000 * MINUTES)
    found: Any = page.evaluate(SHOWN)
    return found


def main(pictures: str | None = None) -> int:
    failed = 0
    with server({"/notebooks/": Mount(build(), "")}, 0) as running, sync_playwright() as driver:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        chromium = driver.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        for path in NOTEBOOKS:
            page = chromium.new_page()
            place = f"http://127.0.0.1:{running.server_port}/notebooks/lite/notebooks/index.html?path={path.name}"
            shown = cells(page, place)
            failed += any(kind == "error" for kind, _ in shown)
            print(path.stem, *(f"  {kind}: {text.strip()[:200]}" for kind, text in shown), sep="\n", flush=True)
            if pictures:
                page.screenshot(path=Path(pictures, f"{path.stem}.png"))
            page.close()
        chromium.close()
        running.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
