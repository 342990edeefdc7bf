"""A server of files on 127.0.0.1, for pages that compute: standard library only.

Pages are cross-origin isolated, so WebAssembly threads (SharedArrayBuffer) work in them.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from http.server import HTTPServer, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import unquote

from .clean import cleaned

__all__ = ["Mount", "serve", "server", "serving"]

HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


_RANGE = re.compile("bytes=([0-9]+)-([0-9]*)")
_PART = 1 << 20
_NOWHERE = os.devnull + "/none"


class Mount(NamedTuple):
    """A folder, what it is, and what makes it where it is missing."""

    folder: Path
    what: str
    maker: str = ""


class _Server(ThreadingHTTPServer):
    def server_bind(self) -> None:
        super().server_bind()
        names = ("127.0.0.1", "localhost", "[::1]", str(self.server_address[0]))
        self.hosts = {f"{name}:{self.server_port}" for name in names}
        if self.server_port == 80:  # which browsers leave out
            self.hosts.update(names)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):  # who asked has gone
            super().handle_error(request, client_address)


class _Handler(SimpleHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds, for those who ask slowly
    disable_nagle_algorithm = True  # or the end of a file waits for the acknowledgement of its beginning: 40 ms
    index_pages = ("index.html", "index.htm")
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".holo": "application/octet-stream",
        ".js": "text/javascript",
        ".json": "application/json",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".whl": "application/zip",
    }

    def __init__(self, mounts: Mapping[str, Mount], *args: Any) -> None:
        self.mounts = mounts
        super().__init__(*args)

    def parse_request(self) -> bool:
        """Refuses what was sent to another name: a page of that name would read along (DNS rebinding)."""
        if not super().parse_request():
            return False
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].strip().lower() not in self.server.hosts:
            self.send_error(421, explain=f"This server answers for {', '.join(sorted(self.server.hosts))} only")
            return False
        path = unquote(self.path.partition("?")[0], errors="surrogateescape")
        if not path.startswith("/") or any(character < " " or character == "\x7f" for character in path):
            self.send_error(400, explain="An address starts with / and has no control characters")
            return False
        if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:  # a body, which nobody reads
            self.close_connection = True
        return True

    def translate_path(self, path: str) -> str:
        """The longest address that fits wins. What links lead out of the folder to is not there."""
        mount = max((address for address in self.mounts if path.startswith(address)), key=len, default=None)
        if mount is None:
            return _NOWHERE
        self.directory = os.path.realpath(self.mounts[mount].folder)
        found = super().translate_path(path[len(mount) - 1 :])
        served = [found, *(os.path.join(found, name) for name in self.index_pages)]
        inside = all(Path(os.path.realpath(place)).is_relative_to(self.directory) for place in served)
        return found if inside else _NOWHERE

    def do_GET(self) -> None:
        asked = _RANGE.fullmatch(self.headers.get("Range", ""))
        file = Path(self.translate_path(self.path))
        if asked is None or not file.is_file():
            super().do_GET()
            return
        size = file.stat().st_size
        # Longer numbers are beyond any file: Python reads them slowly, or not at all.
        start, last = (int(number or size) if len(number) <= 20 else sys.maxsize for number in asked.groups())
        end = min(last, size - 1)
        if start > end:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{size}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206)
        self.send_header("Content-Type", self.guess_type(str(file)))
        self.send_header("Content-Range", f"bytes {start}-{end}/{size}")
        self.send_header("Content-Length", str(end - start + 1))
        self.end_headers()
        with file.open("rb") as stream:
            stream.seek(start)
            for at in range(start, end + 1, _PART):
                self.wfile.write(stream.read(min(_PART, end + 1 - at)))

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        if str(code) >= "400":
            super().log_request(code, size)

    def log_message(self, format: str, *args: Any) -> None:
        if getattr(self, "path", "") != "/favicon.ico":  # browsers ask for it, and nobody has to have it
            super().log_message(format, *args)

    def log_error(self, format: str, *args: Any) -> None:
        if not any(isinstance(arg, TimeoutError) for arg in args):  # browsers keep connections that they need no more
            super().log_error(format, *args)


def server(mounts: Mapping[str, Mount], port: int) -> _Server:
    """A server of folders by their addresses, which start and end with a slash. Raises OSError."""
    try:
        return _Server(("127.0.0.1", port), partial(_Handler, mounts))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OSError(error.errno, f"port {port} is taken: give another one, or 0 for any that is free") from None
        raise


@contextmanager
def serving(running: HTTPServer) -> Iterator[str]:
    """The address of a server of 127.0.0.1, without a slash at its end: it answers in a thread, and ends."""
    Thread(target=running.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        running.server_close()


def serve(mounts: Mapping[str, Mount], port: int, told: Callable[[int], None] | None = None) -> None:
    """Serves until Ctrl-C; says where, or `told` does that for the port. Raises OSError."""
    with server(mounts, port) as running:
        (told or partial(_say, mounts))(running.server_port)
        sys.stdout.flush()
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print()


def _say(mounts: Mapping[str, Mount], port: int) -> None:
    for address, (folder, what, maker) in mounts.items():
        state = f"http://127.0.0.1:{port}{address}" if folder.is_dir() else f"not there yet: {maker}"
        print(f"{cleaned(what) + ':':<30} {state}")
    print("Ctrl-C stops it.")
