"""The live page: what it shows are the native results, and it goes on after what is wrong."""

from __future__ import annotations

import hashlib
import io
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

import hologram_web as hg
from examples.edges.live.__main__ import build
from examples.edges.pictures import photograph
from examples.edges.pipeline import stages_plan

from .browser import FLAGS, Browser, NoBrowser

pytestmark = pytest.mark.timeout(600)

# Without a GPU Chromium shows nothing of what WebGPU draws to a canvas, if not so.
CANVAS = ("--enable-features=Vulkan", "--use-vulkan=swiftshader", "--use-angle=vulkan")
WEBCAM = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
SETTINGS = {"low": 6 * 256, "high": 10 * 256, "rounds": 16}
# What WebGPU drew to a canvas is there until it is shown: the page draws it again, and the next frame looks.
HASH = """async () => {
  const { width, height } = document.getElementById("large");
  const picture = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  document.querySelector("#planes button[aria-pressed=true]").click();
  let data;
  for (let frame = 0; frame < 60 && !data?.[3]; frame++) {
    await new Promise(requestAnimationFrame);
    picture.drawImage(document.getElementById("large"), 0, 0);
    ({ data } = picture.getImageData(0, 0, width, height));
  }
  const red = data.filter((_, k) => k % 4 === 0);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", red));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    build()
    try:
        with Browser(flags=(*FLAGS, *CANVAS, *WEBCAM)) as found:
            yield found
    except NoBrowser as error:
        pytest.skip(str(error))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    found = browser.page("/build/live/index.html")
    errors: list[str] = []
    found.on("pageerror", lambda error: errors.append(str(error)))
    yield found
    found.close()
    assert not errors


def runs(page: Page) -> int:
    return int(page.evaluate("Number(document.body.dataset.runs ?? 0)"))


def until(page: Page, holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end, page.locator("#message").text_content()
        page.wait_for_timeout(50)


def after_runs(page: Page, count: int) -> None:
    until(page, lambda: runs(page) >= count)


def shows(page: Page, expected: str) -> None:
    """Waits until the page shows these edges: which of its runs shows them is its own matter."""
    until(page, lambda: bool(page.evaluate(HASH) == expected))


def native(rgb: Any, **settings: int) -> str:
    edges = stages_plan().run(hg.backends.WasmBackend(), rgb=rgb, **(SETTINGS | settings))["edges"]
    return hashlib.sha256(np.ascontiguousarray(edges).tobytes()).hexdigest()


def noise(height: int, width: int) -> tuple[Any, bytes]:
    coarse = np.random.default_rng(3).integers(0, 256, (height // 20, width // 20, 3), np.uint8)
    rgb = np.ascontiguousarray(coarse.repeat(20, 0).repeat(20, 1))
    stream = io.BytesIO()
    Image.fromarray(rgb).save(stream, "PNG")
    return rgb, stream.getvalue()


@pytest.mark.parametrize("backend", ["wasm", "webgpu"])
def test_the_photograph_on_each_device(page: Page, backend: str) -> None:
    after_runs(page, 1)
    before = runs(page)
    page.select_option("#backend", backend)
    after_runs(page, before + 1)
    expect(page.locator("#selected")).to_have_text({"wasm": "WebAssembly", "webgpu": "WebGPU"}[backend])
    expect(page.locator("#reason")).to_have_text("it was asked for")
    shows(page, native(photograph()))
    expect(page.locator("#run")).to_contain_text(" ms (")
    assert page.locator("#planes canvas").count() == 12


def test_auto_says_why_it_passes_over_an_adapter_that_is_no_gpu(page: Page) -> None:
    after_runs(page, 1)
    expect(page.locator("#selected")).to_have_text("WebAssembly")
    expect(page.locator("#reason")).to_contain_text("is no GPU but a program")
    expect(page.locator("#adapter")).to_contain_text("none; there is ")  # what ran was no adapter


def test_sliders_and_stages(page: Page) -> None:
    after_runs(page, 1)
    before = runs(page)
    page.fill("#high", "20")
    after_runs(page, before + 1)
    shows(page, native(photograph(), high=20 * 256))
    page.get_by_role("button", name="Luminance").click()
    expect(page.locator("#shown")).to_have_text("Luminance")


def test_a_picture_a_file_that_is_none_and_a_picture_again(page: Page) -> None:
    after_runs(page, 1)
    before = runs(page)
    rgb, data = noise(240, 300)
    page.set_input_files("#file", {"name": "noise.png", "mimeType": "image/png", "buffer": data})
    after_runs(page, before + 1)
    shows(page, native(rgb))
    expect(page.locator("#size")).to_have_text("300 × 240")
    page.set_input_files("#file", {"name": "text.png", "mimeType": "image/png", "buffer": b"nothing of the kind"})
    expect(page.get_by_role("alert")).to_contain_text("text.png is no picture that this browser can read")
    before = runs(page)
    page.click("#photo")
    after_runs(page, before + 1)
    expect(page.get_by_role("alert")).to_be_hidden()
    shows(page, native(photograph()))


DROP = """async ([name, kind, bytes]) => {
  const dataTransfer = new DataTransfer();
  if (bytes) dataTransfer.items.add(new File([Uint8Array.from(bytes)], name, { type: kind }));
  else dataTransfer.setData("text/plain", name);
  for (const type of ["dragenter", "dragover", "drop"]) {
    const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event);
    if (!event.defaultPrevented) throw new Error(`the page leaves ${type} to the browser, which opens the file`);
  }
}"""


def test_what_is_dropped(page: Page) -> None:
    after_runs(page, 1)
    before = runs(page)
    rgb, data = noise(200, 160)
    page.evaluate(DROP, ["noise.png", "image/png", list(data)])
    after_runs(page, before + 1)
    shows(page, native(rgb))
    page.evaluate(DROP, ["some words", "", None])
    expect(page.get_by_role("alert")).to_contain_text("What was dropped is no file")


def test_a_lost_device_is_told_and_replaced(browser: Browser) -> None:
    page = browser.page("/e2e/README.md")
    page.add_init_script(
        "const request = GPUAdapter.prototype.requestDevice;"
        "GPUAdapter.prototype.requestDevice = async function (...given) {"
        "  return (globalThis.device = await request.apply(this, given));"
        "};"
    )
    page.goto(browser.address + "/build/live/index.html")
    after_runs(page, 1)
    page.select_option("#backend", "webgpu")
    after_runs(page, 2)
    expect(page.locator("#selected")).to_have_text("WebGPU")
    before = runs(page)
    page.evaluate("device.destroy()")
    expect(page.get_by_role("alert")).to_contain_text("The device was lost", timeout=60_000)
    after_runs(page, before + 1)
    page.fill("#rounds", "8")
    after_runs(page, before + 2)
    shows(page, native(photograph(), rounds=8))
    page.close()


def test_the_webcam(page: Page) -> None:
    after_runs(page, 1)
    before = runs(page)
    page.click("#webcam")
    after_runs(page, before + 3)
    expect(page.locator("#fps")).to_contain_text("a second")
    expect(page.locator("#webcam")).to_have_attribute("aria-pressed", "true")
    page.click("#webcam", timeout=120_000)  # Playwright's click takes some ten turns of the page: as many pictures
    expect(page.locator("#fps")).to_have_text("–")


def test_python_compiles_the_kernels_in_the_page(page: Page) -> None:
    after_runs(page, 1)
    page.locator("summary").click()
    source = page.locator("#source")
    expect(source).to_have_value(re.compile(r"def luminance\("), timeout=20_000)
    original = source.input_value()
    page.click("#compile")
    expect(page.locator("#compiled")).to_contain_text("which run above", timeout=300_000)
    shows(page, native(photograph()))
    source.fill(original.replace("STRONG = 2", "STRONG = 2\nWRONG = ", 1))
    page.click("#compile")
    expect(page.locator("#compiled")).to_contain_text("SyntaxError", timeout=60_000)
    source.fill(original)
    page.click("#compile")
    expect(page.locator("#compiled")).to_contain_text("which run above", timeout=60_000)
