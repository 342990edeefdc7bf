"""Pages of a host that serves files and no headers: isolation by a service worker, a pool of workers, kept files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Page

from hologram_web_tools.cli.server import serving

from . import samples
from .browser import ROOT, Browser

MODULE = '<!doctype html><title>A page</title>{}<pre></pre><script type="module">{}</script>'
# Before isolate.js: a module may be fetched still when the page is loaded again, and never runs then.
COUNT = "<script>sessionStorage.loads = 1 + Number(sessionStorage.loads ?? 0)</script>"
SHOW = "const show = (text) => (document.querySelector('pre').textContent = text);"
ISOLATED = """
import { Runtime } from "./hologram-web/index.js";
if (crossOriginIsolated) {
  const runtime = await Runtime.create({ backend: "wasm", threads: 2 });
  show(`${sessionStorage.loads} loads, ${runtime.threads.number} threads: ${runtime.threads.reason}`);
}
"""
OFFLINE = """
import { Runtime } from "./hologram-web/index.js";
if (crossOriginIsolated) {
  const runtime = await Runtime.create({ backend: "wasm", threads: 2 });
  const saxpy = await runtime.load("saxpy.holo");
  show(`${await saxpy.run({ a: 2, x: [1, 2], y: [10, 20] })} by ${runtime.threads.number} threads`);
}
"""
POOL = """
import { Pool } from "./hologram-web/pool.js";
const pool = await Pool.create({ size: 2, backend: "wasm" });
const one = (a) => pool.run("saxpy.holo", { a, x: new Float32Array([1, 2]), y: [10, 20] });
show(`${await Promise.all([1, 2, 3].map(one))} on ${pool.info.device}`);
"""
KEPT = """
import { Runtime } from "./hologram-web/index.js";
import { loadKept, settled } from "./hologram-web/offline.js";
const runtime = await Runtime.create({ backend: "wasm" });
const load = async () => {
  const saxpy = await loadKept(runtime, "saxpy.holo");
  const found = await saxpy.run({ a: 2, x: [1], y: [1] });
  await settled();
  return found;
};
show(await load().catch((error) => error));
"""
LOGGED = """
import { Runtime } from "./hologram-web/index.js";
const runtime = await Runtime.create({ backend: "wasm" });
console.log(runtime.buffer("f32", [1, 2, 3], { shape: [3, 1] }));
show("done");
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    samples.written()
    folder = tmp_path_factory.mktemp("host")
    (folder / "hologram-web").symlink_to(ROOT / "web" / "dist")
    shutil.copy(ROOT / "web" / "dist" / "isolate.js", folder)
    shutil.copy(samples.BUILD / "saxpy.holo", folder)
    script = '<script src="isolate.js"></script>'
    (folder / "isolated.html").write_text(MODULE.format(COUNT + script, SHOW + ISOLATED))
    (folder / "offline.html").write_text(MODULE.format(script.replace(".js", ".js?offline"), SHOW + OFFLINE))
    (folder / "frame.html").write_text('<!doctype html><title>A frame</title><iframe src="isolated.html"></iframe>')
    for name, text in (("pool", POOL), ("kept", KEPT), ("logged", LOGGED)):
        (folder / f"{name}.html").write_text(MODULE.format("", SHOW + text))
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """In a window of its own, which keeps nothing of another."""
    found = browser.page("/e2e/README.md")
    yield found
    found.close()


def _shown(page: Page) -> str:
    page.wait_for_selector("pre:not(:empty)", timeout=60_000)
    return str(page.text_content("pre"))


def test_a_page_is_isolated_at_its_second_load(host: str, page: Page) -> None:
    page.goto(f"{host}/isolated.html")
    assert _shown(page) == "2 loads, 2 threads: it was asked for"
    page.reload()  # under the worker from the start
    assert _shown(page) == "3 loads, 2 threads: it was asked for"


def test_a_page_runs_without_a_network_once_it_was_loaded(host: str, page: Page) -> None:
    page.goto(f"{host}/offline.html")
    assert _shown(page) == "12,24 by 2 threads"
    page.context.set_offline(True)
    page.reload()
    assert _shown(page) == "12,24 by 2 threads"
    lost = "address => fetch(address).then(() => 'there', (error) => error.name)"
    assert page.evaluate(lost, "isolated.html") == "TypeError"  # what was never loaded is not there
    page.context.set_offline(False)
    assert page.evaluate(lost, "isolated.html") == "there"


def test_what_cannot_be_isolated_is_not_loaded_forever(host: str, page: Page) -> None:
    """A frame of a page that is not isolated never is."""
    with page.expect_console_message(lambda said: "not isolated, though" in said.text, timeout=60_000):
        page.goto(f"{host}/frame.html")
    page.wait_for_function("() => sessionStorage.loads >= 2")
    page.wait_for_timeout(500)
    assert page.evaluate("sessionStorage.loads") == "2"


def test_a_pool_of_workers(host: str, page: Page) -> None:
    page.goto(f"{host}/pool.html")
    assert _shown(page) == "11,22,12,24,13,26 on WebAssembly"


def test_a_file_is_there_without_a_network(host: str, page: Page) -> None:
    address = f"{host}/kept.html"
    page.route("**/*.holo", lambda route: route.abort())
    page.goto(address)
    assert "saxpy.holo cannot be read: TypeError" in _shown(page)
    page.unroute("**/*.holo")
    page.goto(address)
    assert _shown(page) == "3"
    page.route("**/*.holo", lambda route: route.abort())
    page.goto(address)
    assert _shown(page) == "3"
    page.unroute("**/*.holo")
    page.route("**/*.holo", lambda route: route.fulfill(status=404, body="gone"))
    page.goto(address)
    assert "cannot be read: status 404" in _shown(page)


def test_consoles_show_what_a_buffer_is(host: str, page: Page) -> None:
    # The browser says there, too, that the host has no icon.
    with page.expect_console_message(lambda said: said.text.startswith("Buffer"), timeout=60_000) as said:
        page.goto(f"{host}/logged.html")
    assert said.value.args[0].evaluate("buffer => `${buffer}`") == "Buffer f32[3, 1] [1, 2, 3] on WebAssembly"
    assert said.value.args[0].evaluate("buffer => Object.keys(buffer).slice(0, 2)") == ["dtype", "shape"]
