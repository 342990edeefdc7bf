"""The page of integers of 256 bits: what the devices give in the browser is what BigInt gives."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from examples.bignum.live.__main__ import FOLDER, build

from .browser import Browser, NoBrowser

pytestmark = pytest.mark.timeout(600)

TASKS = 4


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    build()
    try:
        with Browser() as found:
            yield found
    except NoBrowser as error:
        pytest.skip(str(error))


def test_both_devices_agree_with_bigint(browser: Browser) -> None:
    page = browser.page("/e2e/README.md")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_viewport_size({"width": 1240, "height": 1000})
    page.goto(browser.address + "/build/live/bignum/index.html")
    _finished(page, 1)
    expect(page.locator(".wasm .badge")).to_have_text(_agreeing(1024))
    expect(page.locator(".webgpu .badge")).to_have_text(_agreeing(1024))
    expect(page.locator("#verdict")).to_have_text("4,352 results, all equal to BigInt’s")
    expect(page.get_by_role("alert")).to_be_hidden()
    if path := os.environ.get("SCREENSHOT"):
        page.screenshot(path=path, full_page=True)
    page.select_option("#count", "256")
    page.uncheck("[value=webgpu]")
    page.click("#run")
    _finished(page, 2)
    expect(page.locator(".wasm .badge")).to_have_text(_agreeing(256))
    expect(page.locator(".webgpu .rate")).to_have_text(["–"] * TASKS)
    page.close()
    assert not errors


def _finished(page: Page, runs: int) -> None:
    expect(page.locator("body")).to_have_attribute("data-runs", str(runs), timeout=300_000)


def _agreeing(count: int) -> list[str]:
    counts = (count, max(16, count // 16), count, max(16, count // 16))
    return [f"{number:,} agree" for number in counts]


def test_a_wrong_number_is_seen(browser: Browser) -> None:
    source = (FOLDER / "bigint.mjs").read_text(encoding="utf-8")
    wrong = source.replace("=> (a * b) % P;", "=> (a === 2n ? 1n : (a * b) % P);")
    assert wrong != source
    page = browser.page("/e2e/README.md")
    page.route(
        "**/bigint.mjs",
        lambda route: route.fulfill(body=wrong, content_type="text/javascript"),
    )
    page.goto(browser.address + "/build/live/bignum/index.html#wasm")
    _finished(page, 1)
    expect(page.locator(".wasm .badge").first).to_contain_text(" differ")
    expect(page.locator("#verdict")).to_contain_text("results differ from BigInt’s")
    page.close()
