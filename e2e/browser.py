"""Chromium, driven by Playwright, and a server on 127.0.0.1: pages to look at, and jobs in a page or a module worker.

Jobs are modules in e2e/jobs, or elsewhere by their address. Pages are cross-origin isolated, if their address does not
end with ?plain, and their content security policy allows scripts of the server and WebAssembly.
"""

from __future__ import annotations

import json
import queue
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Error, Page, sync_playwright

from hologram_web_tools.browsers import browser_flags, find_chromium
from hologram_web_tools.cli.server import serving

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("/web/", "/e2e/", "/build/", "/examples/", "/node_modules/pyodide/")
CACHING = {"Cache-Control": "no-store"}
HEADERS = {"Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'", **CACHING}
POLICY = "Content-Security-Policy"
WITH_WORKERS = HEADERS | {POLICY: f"{HEADERS[POLICY]}; worker-src 'self' blob:"}  # for threads
ISOLATION = {"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp"}
FLAGS = ("--no-sandbox", *browser_flags(software=True))  # our own pages, in containers too


class NoBrowser(Exception):
    """No Chromium could be started; the text says why."""


class JobFailed(Exception):
    """A job threw; the text has the stack."""


class Result(NamedTuple):
    json: Any
    blob: bytes


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or the end of a body waits for the acknowledgement of what was before: 40 ms
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".mjs": "text/javascript"}

    def __init__(self, browser: Jobs, *args: Any) -> None:
        self.browser = browser
        super().__init__(*args, directory=str(ROOT))

    def do_GET(self) -> None:
        if not self.path.startswith(FOLDERS):
            self._answer(404)
        elif "Range" in self.headers:
            self._range()
        else:
            super().do_GET()

    def _range(self) -> None:
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        file = Path(self.translate_path(self.path))
        if file.is_file():
            self._answer(206, file.read_bytes()[first : last + 1])
        else:
            self._answer(404)

    def _answer(self, status: int, body: bytes = b"", kind: str = "application/octet-stream") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        _, what, number = self.path.split("/")
        self._answer(200)
        self.browser.answers.put((int(number), what, body))

    def end_headers(self) -> None:
        headers = self.browser.headers if self.path.endswith("?plain") else self.browser.headers | ISOLATION
        for name, value in headers.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Jobs:
    """Runs jobs in a page of a browser, which sends what they give to a server; a context manager."""

    headers: dict[str, str]

    def __init__(self) -> None:
        self.answers: queue.Queue[tuple[int, str, bytes]] = queue.Queue()
        self.count = 0
        self._served = ExitStack()

    def serve(self, port: int = 0) -> None:
        """Starts the server, at this port if it is free."""
        handler = partial(_Handler, self)
        try:
            server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        except OSError:
            server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = self._served.enter_context(serving(server))

    def end(self) -> None:
        self._served.close()

    def start(self, order: dict[str, Any]) -> None:
        """Starts a job in the page."""
        raise NotImplementedError

    def look(self) -> None:
        """Raises RuntimeError if the page is gone."""
        raise NotImplementedError

    def run(self, job: str, where: str = "page", seconds: float = 300, **args: Any) -> Result:
        """What a job gives. `where` is "page" or "worker". Raises JobFailed, TimeoutError, RuntimeError."""
        self.count += 1
        self.start({"id": self.count, "job": job, "where": where, "args": args})
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                number, what, body = self.answers.get(timeout=0.2)
            except queue.Empty:
                self.look()
                continue
            if number != self.count:  # of a job that took too long
                continue
            if what == "failure":
                raise JobFailed(body.decode())
            size = int.from_bytes(body[:8], "little")
            return Result(json.loads(body[8 : 8 + size]), body[8 + size :])
        raise TimeoutError(f"{job} did not end within {seconds} seconds")


class Browser(Jobs):
    """A running Chromium; a context manager. Raises NoBrowser where there is none.

    With `profile`, a folder, pages keep data from one start to the next, if `port` is free.
    """

    def __init__(
        self,
        path: str | None = None,
        flags: Iterable[str] = FLAGS,
        profile: Path | None = None,
        port: int = 0,
        headers: dict[str, str] = HEADERS,
    ) -> None:
        super().__init__()
        self.path = path or find_chromium()
        self.flags, self.headers = list(flags), headers
        self.profile, self.port = profile, port
        self._jobs: Page | None = None
        self._crashed = False

    def __enter__(self) -> Browser:
        self._driver = sync_playwright().start()
        try:
            # The channel is Playwright's whole Chromium, where it has one: its headless shell has no WebGPU.
            channel = None if self.path else "chromium"
            chromium = self._driver.chromium
            options: dict[str, Any] = {"executable_path": self.path, "channel": channel, "args": self.flags}
            self._browser: Any = (
                chromium.launch(**options)
                if self.profile is None
                else chromium.launch_persistent_context(self.profile, **options)
            )
        except Error as error:
            self._driver.stop()
            what = "install Chromium, say where it is with CHROMIUM=/path/to/it, or run playwright install chromium"
            raise NoBrowser(f"{what}: {error.message}") from None
        self.serve(self.port)
        return self

    def __exit__(self, *_: object) -> None:
        self._browser.close()
        self._driver.stop()
        self.end()

    @property
    def version(self) -> str:
        browser = self._browser if self.profile is None else self._browser.browser
        return str(browser.version)

    @contextmanager
    def tabs(self) -> Iterator[Callable[[str], Page]]:
        """What opens pages as tabs of one window, which has been at the server before."""
        context = self._browser if self.profile else self._browser.new_context()
        try:
            self._visit(context, "/e2e/README.md")
            yield partial(self._visit, context)
        finally:
            if not self.profile:
                context.close()

    def _visit(self, window: Any, path: str) -> Page:
        page: Page = window.new_page()
        page.goto(self.address + path)
        return page

    def page(self, path: str) -> Page:
        """A new page with a file of the server, such as "/e2e/page.html"; close it when it is not needed any more."""
        return self._visit(self._browser, path)

    def start(self, order: dict[str, Any]) -> None:
        if self._jobs is None:
            self._jobs = self.page("/e2e/page.html")
            self._jobs.on("crash", self._crash)
            self._jobs.wait_for_function("() => globalThis.start")
        self._jobs.evaluate("order => start(order)", order)

    def look(self) -> None:
        if self._jobs is not None:
            self._jobs.wait_for_timeout(0)  # a crash is heard of only in Playwright's own waiting
        if self._crashed:
            raise RuntimeError("the page crashed")

    def reload(self) -> None:
        """Visits the page of the jobs again: what it keeps for the next visit is there."""
        if self._jobs is not None:
            self._jobs.reload()
            self._jobs.wait_for_function("() => globalThis.start")

    def _crash(self, _: Page) -> None:
        self._crashed, self._jobs = True, None


def main(job: str, where: str, args: str, out: str) -> None:
    with Browser() as browser:
        result = browser.run(job, where, 560, **json.loads(args))
    text = json.dumps(result.json).encode()
    Path(out).write_bytes(len(text).to_bytes(8, "little") + text + result.blob)


if __name__ == "__main__":
    main(*sys.argv[1:])
