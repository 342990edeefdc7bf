"""The notebook view in a page: tabs by mouse and keys, values that change, and nothing that axe-core finds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import hologram_web as hg
from hologram_web_tools.notebook import html_of, view
from hologram_web_tools.notebook.html import asset

from . import vscode
from .browser import Browser
from .looks import violations

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A notebook</title>
<style>:root { color-scheme: light dark } body { color: CanvasText; background: Canvas }</style>
<main><h1>Cells</h1></main></html>"""
# What Jupyter does with an anywidget, with a model that holds `html` only.
SHOW = """async ([code, html]) => {
  const { default: { render } } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const el = document.querySelector("main").appendChild(document.createElement("div"));
  const heard = [];
  globalThis.model = { html, get: (name) => model[name], on: (_, each) => heard.push(each), off: () => 0 };
  globalThis.change = (html) => { model.html = html; for (const each of heard) each(); };
  render({ model, el });
}"""

# VS Code's page of outputs, whose policy is this one where `notebook.experimental.enableCsp` is on; else it has none.
OWN = "'self' https://*.vscode-cdn.net"
POLICY = (
    f"default-src 'none'; script-src {OWN} 'unsafe-inline' 'unsafe-eval'; style-src {OWN} 'unsafe-inline'; "
    f"img-src {OWN} https: http: data:; font-src {OWN} https:; connect-src https:; child-src https: data:;"
)
OUTPUTS = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Outputs</title>
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<script>
  globalThis.refused = [];
  document.addEventListener("securitypolicyviolation", ({{ violatedDirective }}) => refused.push(violatedDirective));
</script>
<main></main></html>"""
# The module's text in the page, for the policy refuses modules of blobs; what it changes elsewhere is told.
INLINE = """async ([code, html]) => {
  const script = document.head.appendChild(document.createElement("script"));
  script.type = "module";
  script.textContent = code.replace("export default", "globalThis.widget =");
  while (!globalThis.widget) await new Promise((resolve) => setTimeout(resolve, 10));
  const el = document.querySelector("main").appendChild(document.createElement("div"));
  globalThis.outside = [];
  const told = (changes) => {  // what is in no document any more was in `el` before
    for (const { target } of changes) if (!el.contains(target) && target.isConnected) outside.push(target.nodeName);
  };
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(told).observe(document, all);
  globalThis.forget = widget.render({ model: { get: () => html, on: () => 0, off: () => 0 }, el });
}"""


@hg.kernel
def double(x: hg.Array[hg.f32, 2]):
    i, j = hg.global_id(0), hg.global_id(1)
    x[j, i] *= 2


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as found:
        yield found


@pytest.fixture(params=["light", "dark"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    found = browser.page("/e2e/README.md")
    found.goto("about:blank")
    found.emulate_media(color_scheme=request.param)
    found.set_content(PAGE)
    yield found
    found.close()


def test_tabs_and_values(page: Page) -> None:
    with hg.Executor("wasm") as ex:
        x = ex.array(np.arange(120, dtype=np.float32).reshape(10, 12))
        page.evaluate(SHOW, [asset("view.js"), html_of(x)])
        picture, elements = page.get_by_role("tab", name="Picture"), page.get_by_role("tab", name="Elements")
        expect(picture).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("img")).to_be_visible()
        picture.focus()
        page.keyboard.press("ArrowRight")
        expect(elements).to_be_focused()
        expect(page.get_by_role("cell", name="119", exact=True)).to_be_visible()
        expect(page.get_by_role("img")).to_be_hidden()
        double[(12, 10), (16, 16)](x)
        page.evaluate("html => change(html)", html_of(x))
        expect(elements).to_have_attribute("aria-selected", "true")  # the tab stays
        expect(page.get_by_role("cell", name="238", exact=True)).to_be_visible()


def test_axe_finds_nothing(page: Page) -> None:
    with hg.Executor("wasm") as ex:
        with ex.trace() as timeline:
            double[(12, 10), (16, 16)](ex.zeros((10, 12)))
        values = (ex.zeros((10, 12)), double, timeline, hg.compile(double, shapes={"x": ("h", "w")}))
        for value in values:
            page.evaluate(SHOW, [asset("view.js"), html_of(value)])
        page.evaluate("html => document.querySelector('main').insertAdjacentHTML('beforeend', html)", html_of(double))
    assert violations(page) == []


def test_in_the_outputs_of_vs_code(browser: Browser) -> None:
    """The view keeps to VS Code's policy for outputs, and to its own element. Its widgets come as a module of a blob,
    which that policy refuses to anywidget, whoever made the widget: so it is seen to be in force."""
    found = browser.page("/e2e/README.md")
    found.route("https://outputs.vscode-cdn.net/", lambda route: route.fulfill(content_type="text/html", body=OUTPUTS))
    found.goto("https://outputs.vscode-cdn.net/")
    with hg.Executor("wasm") as ex:
        x = ex.array(np.arange(120, dtype=np.float32).reshape(10, 12))
        found.evaluate(INLINE, [asset("view.js"), html_of(x)])
    expect(found.get_by_role("img")).to_be_visible()
    assert (
        found.evaluate("async () => { await document.images[0].decode(); return document.images[0].naturalWidth }") > 0
    )
    found.get_by_role("tab", name="Picture").press("ArrowRight")
    expect(found.get_by_role("cell", name="119", exact=True)).to_be_visible()
    assert found.evaluate("getComputedStyle(document.querySelector('.hw-view')).borderTopWidth") == "1px"
    found.evaluate("forget()")
    assert found.evaluate("[refused, outside]") == [[], []]
    made = "URL.createObjectURL(new Blob(['export default 1'], { type: 'text/javascript' }))"
    assert "Failed to fetch" in found.evaluate(f"import({made}).then(() => '', String)")
    assert found.evaluate("refused") == ["script-src-elem"]
    found.close()


def test_in_the_renderer_of_vs_code(browser: Browser) -> None:
    """The renderer that VS Code's extension has for widgets shows the view, and lets it follow its value."""
    found = browser.page("/e2e/README.md")
    with hg.Executor("wasm") as ex:
        x = ex.array(np.arange(120, dtype=np.float32).reshape(10, 12))
        widget = view(x)
        vscode.show(found, widget)
        expect(found.get_by_role("img")).to_be_visible()
        found.get_by_role("tab", name="Picture").press("ArrowRight")
        expect(found.get_by_role("cell", name="119", exact=True)).to_be_visible()
        double[(12, 10), (16, 16)](x)
        widget.refresh()
        vscode.update(found, widget, "html")
        expect(found.get_by_role("cell", name="238", exact=True)).to_be_visible()
    assert found.evaluate("wrong") == []
    found.close()
