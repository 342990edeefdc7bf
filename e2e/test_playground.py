"""The playground: what is typed is compiled and runs on both devices; errors, addresses, files, keys; no network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from hologram_web_tools.cli.server import Mount, server, serving
from playground.__main__ import build

from .looks import WATCHED, broken_links, faults, site_by_name, violations
from .views import chromium

pytestmark = pytest.mark.timeout(600)
WAIT = 240_000  # milliseconds: Python starts in seconds on a machine that has nothing else to do
PROGRAM = """\
import hologram_web as hg

@hg.kernel
def triple(x: hg.Array[hg.i32], y: hg.Array[hg.i32]):
    y[hg.global_id()] = x[hg.global_id()] * 3

print("hello")
program = hg.compile(triple, lanes="n", shapes={"x": ("n",), "y": ("n",)})
inputs = {"x": [1, 2, 14]}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the playground's site."""
    folder = tmp_path_factory.mktemp("site")
    build(folder / "playground")
    return folder


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    """The address of the playground's server."""
    with serving(server({"/": Mount(folder, "the playground")}, 0)) as address:
        yield address


@pytest.fixture(scope="module")
def window(site: str) -> Iterator[BrowserContext]:
    """A window that has been at the playground; its pages share what the service worker keeps."""
    with chromium() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
        context.set_default_timeout(WAIT)
        context.add_init_script(WATCHED)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield context


@pytest.fixture(scope="module")
def page(window: BrowserContext, site: str) -> Iterator[Page]:
    """One page for all tests: Python takes long to start."""
    found = window.new_page()
    errors: list[str] = []
    found.on("pageerror", lambda error: errors.append(str(error)))
    found.goto(f"{site}/playground/")
    yield found
    assert not errors


def compiled(page: Page) -> None:
    expect(page.locator("#state")).to_contain_text(re.compile("Compiled in|Done in"), timeout=WAIT)


def type_in(page: Page, text: str) -> None:
    page.locator("#editor .cm-content").fill(text)


def ran(page: Page) -> int:
    return int(page.evaluate("() => Number(document.getElementById('report').dataset.runs ?? 0)"))


def run(page: Page, devices: str = "both") -> None:
    before = ran(page)
    page.select_option("#devices", devices)
    page.click("#run")
    expect(page.locator("#report")).to_have_attribute("data-runs", str(before + 1), timeout=WAIT)


def code(page: Page) -> str:
    return str(page.locator("#code .cm-content").inner_text())


def test_nothing_moves_while_it_starts_and_keys_lead_through(page: Page) -> None:
    compiled(page)
    assert faults(page) == []
    for name in ("arrays", "first"):  # Tab has indented a line of the program
        page.select_option("#example", name)


def test_the_first_example_runs_on_both_devices(page: Page) -> None:
    compiled(page)
    run(page)
    report = page.locator("#report")
    expect(report).to_contain_text("Results are equal, bit by bit")
    assert report.locator(".result tbody td").all_inner_texts() == ["12", "24", "36", "48", "60"]
    labels = report.locator(".times tbody th").all_inner_texts()
    assert labels[0].startswith("WebAssembly, ")
    assert re.fullmatch(r"WebGPU on .*swiftshader.* \(software, no GPU\)", labels[1], re.IGNORECASE)


def test_what_is_typed_is_seen_as_code_at_once(page: Page) -> None:
    type_in(page, PROGRAM)
    compiled(page)
    page.click("#tab-wgsl")
    expect(page.locator("#code")).to_contain_text("var<storage, read_write>")
    page.click("#tab-wat")
    expect(page.locator("#code")).to_contain_text("(module")
    page.select_option("#unit", "triple")
    page.click("#tab-isa")
    expect(page.locator("#code")).to_contain_text("y[hg.global_id()] = x[hg.global_id()] * 3")
    type_in(page, PROGRAM.replace("* 3", "* 4"))
    expect(page.locator("#code")).to_contain_text("y[hg.global_id()] = x[hg.global_id()] * 4")
    page.click("#tab-printed")
    expect(page.locator("#text")).to_have_text("hello\n")


@pytest.mark.parametrize(
    ("before", "after", "place", "under"),
    [
        ("* 3", "* z", "Line 5, column 45: ", "z"),
        ("* 3", "* (", "Line 5, column 45: SyntaxError", "("),
        ('"n"', "n", "Line 8, column 36: NameError", "n"),
        ("[1, 2, 14]", "[1]}\ninputs = {", "ValueError: inputs has no 'x'", None),
    ],
)
def test_errors_are_underlined_and_told(page: Page, before: str, after: str, place: str, under: str | None) -> None:
    type_in(page, PROGRAM.replace(before, after, 1))
    expect(page.locator("#problem")).to_contain_text(place)
    marks = page.locator("#editor .cm-lintRange-error")
    assert marks.all_inner_texts()[:1] == ([] if under is None else [under])
    type_in(page, PROGRAM)
    expect(page.locator("#problem")).to_be_hidden()
    expect(marks).to_have_count(0)


def test_a_fault_is_told_with_its_line(page: Page) -> None:
    type_in(page, PROGRAM.replace("x[hg.global_id()] * 3", "x[hg.global_id() + 1] * 3"))
    run(page, "wasm")
    expect(page.locator("#report .bad")).to_contain_text("OutOfBounds")
    expect(page.locator("#problem")).to_contain_text("Line 5: ")


def test_an_endless_program_is_stopped(page: Page) -> None:
    type_in(page, "while True:\n    pass\n")
    stop = page.locator("#stop")
    expect(stop).to_be_enabled()
    stop.click()
    expect(page.locator("#problem")).to_have_text("it was stopped")
    type_in(page, PROGRAM)
    compiled(page)


def test_keys(page: Page) -> None:
    type_in(page, PROGRAM)
    before = ran(page)
    page.select_option("#devices", "wasm")
    page.locator("#editor .cm-content").focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#report")).to_have_attribute("data-runs", str(before + 1))
    page.keyboard.press("Escape")
    expect(page.locator("#run")).to_be_focused()
    page.locator("#tab-results").focus()
    page.keyboard.press("End")
    expect(page.locator("#tab-wat")).to_be_focused()
    expect(page.locator("#panel-code")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel-results")).to_be_visible()


def test_an_address_has_the_program(page: Page) -> None:
    text = PROGRAM.replace("14", "1414") + "# ü\n"
    type_in(page, text)
    page.evaluate(  # what is compiled meanwhile is told, too
        """() => {
          const state = document.querySelector("#state");
          globalThis.told = [];
          new MutationObserver(() => told.push(state.textContent)).observe(state, { childList: true, subtree: true });
        }"""
    )
    page.click("#share")
    page.wait_for_function("() => told.some((text) => text.includes('clipboard'))")
    assert page.evaluate("() => navigator.clipboard.readText()") == page.url
    address = page.url
    page.select_option("#example", "picture")
    expect(page.locator("#editor")).to_contain_text("def waves")
    expect(page.locator("#report")).to_contain_text("Run the program")
    page.select_option("#example", "script")
    expect(page.locator("#report")).to_contain_text("the tab Printed")
    page.evaluate("(address) => { location.href = address }", address)
    expect(page.locator("#editor")).to_contain_text("1414")
    expect(page.locator("#editor")).to_contain_text("# ü")


def test_files_run_without_the_playground(page: Page, window: BrowserContext, tmp_path: Path) -> None:
    import hologram_web as hg

    type_in(page, PROGRAM)
    compiled(page)
    with page.expect_download() as taken:
        page.click("#save-holo")
    taken.value.save_as(tmp_path / "triple.holo")
    found = hg.load(tmp_path / "triple.holo").run(hg.Executor("cpu"), x=[1, 2, 14])
    assert found.tolist() == [3, 6, 42]

    with page.expect_download() as taken:
        page.click("#save-page")
    taken.value.save_as(tmp_path / "triple.html")
    alone = window.new_page()
    asked: list[str] = []
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto((tmp_path / "triple.html").as_uri())
    expect(alone.locator("#report")).to_contain_text("Results are equal, bit by bit")
    assert alone.locator(".result tbody td").all_inner_texts() == ["3", "6", "42"]
    assert [url for url in asked if not url.startswith(("blob:", "data:"))] == [alone.url]
    assert violations(alone) == []
    alone.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_violations_and_no_scrolling_sideways(page: Page, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    type_in(page, PROGRAM.replace("* 3", "* z"))
    expect(page.locator("#problem")).to_be_visible()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for tab in ("results", "printed", "isa"):
            page.click(f"#tab-{tab}")
            assert violations(page) == [], f"{tab}, {width} wide"
            wide = page.evaluate("() => document.documentElement.scrollWidth")
            assert wide == width, f"{tab}: {wide}"
    page.emulate_media(color_scheme=None)


def test_arrays_are_pictures_and_plots(page: Page) -> None:
    page.select_option("#example", "picture")
    run(page, "wasm")
    expect(page.locator("#report canvas")).to_have_attribute("aria-label", "picture: a picture, 600 by 400")
    page.select_option("#example", "arrays")
    run(page, "wasm")
    expect(page.locator("#report svg")).to_have_attribute("aria-label", re.compile("a plot of 1,024 elements, from -"))
    page.get_by_role("button", name="Text").click()
    expect(page.locator("#report pre")).to_contain_text("[-0.")


def test_it_works_offline(page: Page, window: BrowserContext) -> None:
    expect(page.locator("#offline")).to_have_text("Works offline.")
    window.set_offline(True)
    try:
        page.goto(f"{page.url.partition('#')[0]}#example=wide")
        page.reload()
        compiled(page)
        run(page, "wasm")
        expect(page.locator("#report .result")).to_contain_text("y u256[64]")
    finally:
        window.set_offline(False)


def test_it_asks_its_own_server_only(folder: Path) -> None:
    """What the folder has is all that the page can ask for: its policy allows nothing else."""
    folder /= "playground"
    policy = re.findall(r'Policy" content="([^"]+)"', (folder / "index.html").read_text(encoding="utf-8"))
    assert policy
    assert "http" not in policy[0]
    assert len(json.loads((folder / "examples.json").read_text(encoding="utf-8"))) >= 6


def test_links_lead_somewhere(folder: Path, tmp_path: Path) -> None:
    folder /= "playground"
    assert broken_links({"/": site_by_name(tmp_path), "/playground/": folder}) == []
