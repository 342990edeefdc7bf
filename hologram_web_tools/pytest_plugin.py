"""A pytest plugin: executors on pinned devices, and pages whose runtime runs on a pinned device.

    pytest --hologram-device webgpu --hologram-software

`hologram_executor` is an Executor, `hologram_page` a page of Playwright's, and `hologram_site` serves folders. A test
that takes one of the first two runs once for each `--hologram-device`, by default on wasm. No other device takes its
place: one that is not here is an error, a program that stands in for a GPU needs `--hologram-software`, and a page that
ran nothing on its device fails. Of a test that fails, its page's picture and trace are kept.

What is imported here costs everybody who has pytest: the package and Playwright are, when a fixture is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from hologram_web.runtime.executor import Executor

DEVICES = ("wasm", "webgpu", "cpu")
OF_PAGES = ("wasm", "webgpu")
_OUTCOME = pytest.StashKey[pytest.TestReport]()

# What Runtime.create looks for: the device to take whatever it is asked for, and who wants to know of the runtime.
_PIN = """device => {
    const made = [];
    globalThis.hologramPin = { options: { backend: device }, created: (runtime) => made.push(runtime) };
    globalThis.hologramRan = () => made.map((runtime) => ({ ...runtime.info, launches: runtime.stats().launches }));
}"""
_RAN = "() => globalThis.hologramRan?.() ?? []"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("hologram_web")
    group.addoption(
        "--hologram-device",
        action="append",
        choices=DEVICES,
        help="The device that fixtures of hologram_web are on; more than once for several. By default wasm.",
    )
    group.addoption(
        "--hologram-software",
        action="store_true",
        help="Take a program that stands in for a GPU: SwiftShader, llvmpipe.",
    )
    group.addoption(
        "--hologram-results",
        type=Path,
        default=Path("hologram-results"),
        help="Where pictures and traces of failed tests go; by default hologram-results.",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "hologram_device" in metafunc.fixturenames:
        given = metafunc.config.getoption("--hologram-device") or ["wasm"]
        metafunc.parametrize("hologram_device", list(dict.fromkeys(given)), scope="session")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report: pytest.TestReport = yield  # type: ignore[assignment]
    if report.when == "call":
        item.stash[_OUTCOME] = report
    return report  # type: ignore[return-value]


@pytest.fixture(scope="session")
def hologram_software(pytestconfig: pytest.Config) -> bool:
    """Whether a program that stands in for a GPU will do."""
    return bool(pytestconfig.getoption("--hologram-software"))


@pytest.fixture
def hologram_executor(hologram_device: str, hologram_software: bool) -> Iterator[Executor]:
    """An Executor on the pinned device. Fails where it is not here."""
    from hologram_web.errors import BackendUnavailable
    from hologram_web.runtime.executor import Executor

    try:
        executor = Executor(hologram_device)
    except BackendUnavailable as error:
        pytest.fail(str(error), pytrace=False)
    with executor:
        _check_adapter(executor.backend.adapter, hologram_software)
        yield executor


def _check_adapter(adapter: dict[str, Any] | None, software: bool) -> None:
    if adapter is not None and not adapter["real"] and not software:
        told = adapter.get("description") or adapter.get("device") or adapter.get("vendor")
        pytest.fail(f"the adapter {told} is a program and no GPU: --hologram-software takes it", pytrace=False)


@pytest.fixture(scope="session")
def hologram_browser(request: pytest.FixtureRequest, hologram_software: bool) -> Iterator[Browser]:
    """Chromium, started so that pages have WebGPU: $CHROMIUM, one of this machine, or Playwright's own."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ModuleNotFoundError:
        pytest.fail("pages need Playwright: pip install playwright", pytrace=False)
    from .browsers import browser_flags, find_chromium

    path = find_chromium()
    shared = request.config.pluginmanager.hasplugin("playwright")  # pytest-playwright, whose driver is the only one
    with nullcontext(request.getfixturevalue("playwright")) if shared else sync_playwright() as driver:
        try:
            # The channel is Playwright's whole Chromium, where it has one: its headless shell has no WebGPU.
            browser = driver.chromium.launch(
                executable_path=path, channel=None if path else "chromium", args=browser_flags(hologram_software)
            )
        except Error as error:
            pytest.fail(f"playwright install chromium, or CHROMIUM=/path/to/it: {error.message}", pytrace=False)
        yield browser
        browser.close()


@pytest.fixture
def hologram_page(
    request: pytest.FixtureRequest, hologram_device: str, hologram_software: bool, hologram_browser: Browser
) -> Iterator[Page]:
    """A page in which every runtime is on the pinned device, whatever it is created with, and has to run something.

    Runtimes of workers are not pinned: say `Runtime.create({ backend })` there.
    """
    if hologram_device not in OF_PAGES:
        pytest.fail(f"pages have no device {hologram_device}: they have {' and '.join(OF_PAGES)}", pytrace=False)
    context = hologram_browser.new_context()
    try:
        context.tracing.start(screenshots=True, snapshots=True, sources=True)
        context.add_init_script(f'({_PIN})("{hologram_device}")')
        page = context.new_page()
        yield page
        ran = page.evaluate(_RAN)
        report = request.node.stash.get(_OUTCOME, None)
        failed = report is None or report.failed
        wrong = "" if failed else _wrong(ran, hologram_device, hologram_software)
        if failed or wrong:
            where = _keep(page, request)
            if wrong:
                pytest.fail(f"{wrong}; its picture and trace are in {where}", pytrace=False)
    finally:
        context.close()


@pytest.fixture
def hologram_ran(hologram_page: Page) -> Callable[[], list[dict[str, Any]]]:
    """Gives the `info` of the page's runtimes until now, each with its `launches`."""
    return lambda: hologram_page.evaluate(_RAN)


def _wrong(ran: list[dict[str, Any]], device: str, software: bool) -> str:
    """What is wrong with what ran in a page: nothing did, or on another device, or on an adapter nobody asked for."""
    if not any(each["launches"] for each in ran):
        return f"the page ran nothing on {device}" + ("" if ran else ": it created no Runtime")
    for each in ran:
        if each["selected"] != device:
            return f"the page ran on {each['selected']}, not on {device}: {each['reason']}"
        adapter = each["adapter"]
        if device == "webgpu" and adapter and not adapter["real"] and not software:
            return f"the page ran on {each['device']}: --hologram-software takes it"
    return ""


def _keep(page: Page, request: pytest.FixtureRequest) -> Path:
    """Writes the page's picture and trace, which `playwright show-trace` shows."""
    folder: Path = request.config.getoption("--hologram-results")
    where = folder / re.sub(r"[^\w.-]+", "-", request.node.nodeid).strip("-")
    where.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=where / "page.png", full_page=True)
    page.context.tracing.stop(path=where / "trace.zip")
    return where


@pytest.fixture(scope="session")
def hologram_site() -> Iterator[Callable[[str | Path], str]]:
    """`hologram_site(folder)` serves a folder on 127.0.0.1 and gives the address; pages are isolated, for threads."""
    from .cli.server import Mount, server, serving

    with ExitStack() as stack:

        def serve(folder: str | Path) -> str:
            return stack.enter_context(serving(server({"/": Mount(Path(folder), str(folder))}, 0))) + "/"

        yield serve
