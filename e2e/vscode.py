"""The page in which VS Code shows widgets: `@vscode/jupyter-ipywidgets8`, the renderer of its extension for notebooks,
which npm has, with a kernel that tells of models and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route

from .packages import unpacked

__all__ = ["show", "update"]

ORIGIN = "https://outputs.vscode-cdn.net/"
SCRIPTS = {  # by place
    "renderer.js": ("@vscode/jupyter-ipywidgets8@1.0.9", "dist/ipywidgets.js"),
    "require.js": ("requirejs@2.3.7", "require.js"),
}
# VS Code has no policy for its outputs, if not by a setting.
OUTPUTS = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Outputs</title>
<script src="require.js"></script><main></main></html>"""
# What the extension does: a kernel's comms open models, a loader finds scripts of widgets, a view is put into a cell.
_SHOW = """async ([models, shown]) => {
  const { activate } = await import("/renderer.js");
  activate();
  vscIPyWidgets8.load();
  const signal = { connect: () => true, disconnect: () => true };
  const signals = [
    "statusChanged", "connectionStatusChanged", "iopubMessage", "unhandledMessage", "anyMessage", "disposed",
  ];
  let open;
  const kernel = {
    id: "kernel", name: "python3", clientId: "client", username: "", status: "idle", connectionStatus: "connected",
    handleComms: true, isDisposed: false, model: { id: "kernel", name: "python3" }, serverSettings: {},
    ...Object.fromEntries(signals.map((name) => [name, signal])),
    registerCommTarget: (_, opened) => { open = opened; },
    removeCommTarget: () => {},
    requestCommInfo: async () => ({ content: { status: "ok", comms: {} } }),
  };
  globalThis.wrong = [];
  const loader = {
    widgetsRegisteredInRequireJs: new Set(),
    loadWidgetScript: async (name) => requirejs.config({ paths: { [name]: `/nbextensions/${name}/index` } }),
    errorHandler: (...what) => wrong.push(what.map(String)),
    successHandler: () => {},
  };
  const main = document.querySelector("main");
  const manager = new vscIPyWidgets.WidgetManager(kernel, main, loader, () => {});
  globalThis.comms = {};
  for (const [id, state] of Object.entries(models)) {
    comms[id] = { commId: id, targetName: "jupyter.widget", send: () => ({}), open: () => ({}), close: () => ({}) };
    const content = { comm_id: id, target_name: "jupyter.widget", data: { state, buffer_paths: [] } };
    await open(comms[id], { content, metadata: { version: "2.1.0" }, buffers: [], header: {}, parent_header: {} });
  }
  const view = await manager.create_view(await manager.get_model(shown), {});
  await manager.display_view(undefined, view, { node: main });
}"""
_UPDATE = """([id, state]) => comms[id].onMsg({
  content: { comm_id: id, data: { method: "update", state, buffer_paths: [] } }, buffers: [], parent_header: {},
})"""


def show(page: Page, widget: Any) -> None:
    """Opens the page of outputs with a widget of Python's in it."""
    import anywidget

    places = {name: unpacked(package) / file for name, (package, file) in SCRIPTS.items()}
    places["nbextensions/anywidget/index.js"] = Path(anywidget.__file__).parent / "nbextension" / "index.js"

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(ORIGIN)
        if name in places:
            route.fulfill(content_type="text/javascript", body=places[name].read_text(encoding="utf-8"))
        else:
            route.fulfill(content_type="text/html", body=OUTPUTS, status=200 if not name else 404)

    page.route(f"{ORIGIN}**", answer)
    page.goto(ORIGIN)
    models = {each.model_id: each.get_state() for each in (widget.layout, widget)}
    page.evaluate(_SHOW, [models, widget.model_id])


def update(page: Page, widget: Any, name: str) -> None:
    """Tells the page of a trait's new value, as a kernel does."""
    page.evaluate(_UPDATE, [widget.model_id, {name: getattr(widget, name)}])
