"""The gallery: each page shows frames, and no error, on each kind of device; nothing is wrong with its looks, and
axe-core finds nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from examples.gallery import NAMES, module
from examples.gallery.__main__ import FOLDER, build

from .browser import FLAGS, WITH_WORKERS, Browser, NoBrowser
from .looks import WATCHED, broken_links, faults, site_by_name, violations
from .test_live import CANVAS, WEBCAM

pytestmark = pytest.mark.timeout(600)

IGNORED = ("log", "info", "debug", "warning")
ON_WEBGPU = ("reaction", "edges", "sorting")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    build()
    try:
        with Browser(flags=(*FLAGS, *CANVAS, *WEBCAM), headers=WITH_WORKERS) as found:
            yield found
    except NoBrowser as error:
        pytest.skip(str(error))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    found = browser.page("/e2e/README.md")
    said: list[str] = []
    found.on("pageerror", lambda error: said.append(str(error)))
    found.on("console", lambda message: said.append(f"{message.type}: {message.text} {message.location}"))
    found.set_viewport_size({"width": 1280, "height": 900})
    found.add_init_script(WATCHED)
    yield found
    found.close()
    assert [text for text in said if not text.startswith(IGNORED) and "favicon" not in text] == []


def show(page: Page, browser: Browser, name: str, device: str, frames: int = 1) -> None:
    """Opens a page, and waits for a frame: what does not move has one."""
    page.goto(f"{browser.address}/build/gallery/{name}.html#{device}")
    enough = "count => document.body.dataset.frames >= count || !document.getElementById('message').hidden"
    page.wait_for_function(enough, arg=frames, timeout=240_000)
    expect(page.get_by_role("alert")).to_be_hidden()


def colours(page: Page) -> int:
    """How many colours the canvas shows."""
    count = """() => {
      const { width, height } = document.getElementById("canvas");
      const picture = new OffscreenCanvas(width, height).getContext("2d");
      picture.drawImage(document.getElementById("canvas"), 0, 0);
      return new Set(new Uint32Array(picture.getImageData(0, 0, width, height).data.buffer)).size;
    }"""
    return int(page.evaluate(count))


@pytest.mark.parametrize("name", NAMES)
def test_a_page_on_webassembly(page: Page, browser: Browser, name: str) -> None:
    show(page, browser, name, "wasm")
    expect(page.locator("#device")).to_contain_text("WebAssembly")
    for _ in range(50):  # what fades has two colours in its first frame
        if colours(page) > 2:
            break
        page.wait_for_timeout(200)
    assert colours(page) > 2
    assert faults(page) == []
    expect(page.locator("h1")).to_have_text(module(name).TITLE)
    overflow = "() => document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(overflow) <= 0
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(overflow) <= 0


@pytest.mark.parametrize("name", ON_WEBGPU)
def test_a_page_on_a_software_adapter_does_not_call_it_a_gpu(page: Page, browser: Browser, name: str) -> None:
    show(page, browser, name, "webgpu")
    expect(page.locator("#device")).to_have_text("WebGPU")
    expect(page.locator("#adapter")).to_contain_text("which is a program on the processor and no GPU")


def test_pause_step_and_another_device(page: Page, browser: Browser) -> None:
    show(page, browser, "life", "wasm")
    frames = "Number(document.body.dataset.frames)"
    page.keyboard.press(" ")
    expect(page.locator("#pause")).to_have_attribute("aria-pressed", "true")
    for _ in range(50):  # the frame that is being computed comes to its end
        before = page.evaluate(frames)
        page.wait_for_timeout(200)
        if page.evaluate(frames) == before:
            break
    page.wait_for_timeout(200)
    assert page.evaluate(frames) == before
    page.keyboard.press(".")
    expect(page.locator("body")).to_have_attribute("data-frames", str(before + 1))
    page.click("#restart")
    expect(page.locator("#said")).to_have_text("Generation 2")
    page.select_option("#backend", "webgpu")
    expect(page.locator("#device")).to_have_text("WebGPU")
    page.wait_for_function(f"() => {frames} >= {before + 3}")
    expect(page.get_by_role("alert")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, browser: Browser, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{browser.address}/build/gallery/index.html")
    assert page.locator("#cards li").count() == len(NAMES)
    widths = "() => [...document.images].map((image) => { image.loading = 'eager'; return image.decode(); })"
    page.evaluate(f"Promise.all(({widths})())")
    assert violations(page) == []
    for name in ("reaction", "mandelbrot"):
        show(page, browser, name, "wasm")
        page.locator("summary").click()
        assert violations(page) == []


def test_links_lead_somewhere(browser: Browser, tmp_path: Path) -> None:
    assert broken_links({"/": site_by_name(tmp_path), "/gallery/": FOLDER}) == []
