"""Chromium and a server on 127.0.0.1, that run jobs in a page or in a module worker.

Jobs are modules in e2e/jobs. The page asks for them and posts what they give, so that a browser and a socket are all it
takes. Pages are cross-origin isolated, and their content security policy allows scripts of the server and WebAssembly.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("/web/dist/", "/e2e/", "/build/e2e/")
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cache-Control": "no-store",
}
FLAGS = (
    "--headless=new",
    "--no-sandbox",  # as root, such as in containers
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",  # the same adapter everywhere, GPU or not
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
)


def find_chromium() -> str | None:
    """$CHROMIUM, one on the path, one that Playwright installed, or the application on macOS."""
    if os.environ.get("CHROMIUM"):
        return os.environ["CHROMIUM"]
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"):
        if found := shutil.which(name):
            return found
    home = Path.home()
    patterns = (
        (home / ".cache/ms-playwright", "chromium-*/chrome-linux*/chrome"),
        (home / "Library/Caches/ms-playwright", "chromium-*/chrome-mac*/Chromium.app/Contents/MacOS/Chromium"),
        (Path("/Applications"), "*Chrom*.app/Contents/MacOS/*Chrom*"),
    )
    installed = [path for folder, pattern in patterns for path in sorted(folder.glob(pattern), reverse=True)]
    return str(installed[0]) if installed else None


class JobFailed(Exception):
    """A job threw; the text has the stack."""


class Result(NamedTuple):
    json: Any
    blob: bytes


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".js": "text/javascript", ".mjs": "text/javascript"}

    def __init__(self, browser: Browser, *args: Any) -> None:
        self.browser = browser
        super().__init__(*args, directory=str(ROOT))

    def do_GET(self) -> None:
        if self.path == "/next":
            try:
                body = self.browser.orders.get(timeout=5)
            except queue.Empty:
                self._answer(204)
                return
            self._answer(200, body, "application/json")
        elif not self.path.startswith(FOLDERS):
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
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Browser:
    """A running browser; a context manager. Raises RuntimeError where it ends by itself."""

    def __init__(self, path: str, flags: Iterable[str] = FLAGS) -> None:
        self.command = [path, *flags]
        self.orders: queue.Queue[bytes] = queue.Queue()
        self.answers: queue.Queue[tuple[int, str, bytes]] = queue.Queue()
        self.count = 0

    def __enter__(self) -> Browser:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, self))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.log = open(Path(self.folder.name, "log"), "w+b")
        address = f"{self.address}/e2e/page.html"
        self.process = subprocess.Popen(
            [*self.command, f"--user-data-dir={self.folder.name}/profile", address], stdout=self.log, stderr=self.log
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.server.shutdown()
        self.server.server_close()
        self.log.close()
        self.folder.cleanup()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def run(self, job: str, where: str = "page", seconds: float = 300, **args: Any) -> Result:
        """What a job gives. `where` is "page" or "worker". Raises JobFailed, TimeoutError."""
        self.count += 1
        order = {"id": self.count, "job": job, "where": where, "args": args}
        self.orders.put(json.dumps(order).encode())
        for _ in range(max(int(seconds), 1)):
            try:
                number, what, body = self.answers.get(timeout=1)
            except queue.Empty:
                if self.process.poll() is not None:
                    self.log.seek(0)
                    told = self.log.read().decode(errors="replace")[-4000:]
                    raise RuntimeError(f"the browser ended: {told}") from None
                continue
            if number != self.count:  # of a job that took too long
                continue
            if what == "failure":
                raise JobFailed(body.decode())
            size = int.from_bytes(body[:8], "little")
            return Result(json.loads(body[8 : 8 + size]), body[8 + size :])
        raise TimeoutError(f"{job} did not end within {seconds} seconds")


def main(job: str, where: str, args: str, out: str) -> None:
    path = find_chromium()
    assert path, "there is no Chromium"
    with Browser(path) as browser:
        result = browser.run(job, where, 560, **json.loads(args))
    text = json.dumps(result.json).encode()
    Path(out).write_bytes(len(text).to_bytes(8, "little") + text + result.blob)


if __name__ == "__main__":
    main(*sys.argv[1:])
