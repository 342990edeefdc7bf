"""A server of files on 127.0.0.1, for pages that compute: standard library only.

Pages are cross-origin isolated, so WebAssembly threads (SharedArrayBuffer) work in them.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Mount", "serve", "server"]

HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


class Mount(NamedTuple):
    """A folder, what it is, and what makes it where it is missing."""

    folder: Path
    what: str
    maker: str = ""


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or the end of a file waits for the acknowledgement of its beginning: 40 ms
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

    def translate_path(self, path: str) -> str:
        """The longest address that fits wins."""
        mount = max((address for address in self.mounts if path.startswith(address)), key=len, default=None)
        if mount is None:
            return os.devnull + "/none"
        self.directory = str(self.mounts[mount].folder)
        return super().translate_path(path[len(mount) - 1 :])

    def do_GET(self) -> None:
        first, dash, last = self.headers.get("Range", "").removeprefix("bytes=").partition("-")
        file = Path(self.translate_path(self.path))
        if not (dash and first.isdecimal() and (last or "0").isdecimal() and file.is_file()):
            super().do_GET()
            return
        size = file.stat().st_size
        start, end = int(first), min(int(last or size), size - 1)
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
            self.wfile.write(stream.read(end - start + 1))

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        if str(code) >= "400":
            super().log_request(code, size)


def server(mounts: Mapping[str, Mount], port: int) -> ThreadingHTTPServer:
    """A server of folders by their addresses, which start and end with a slash. Raises OSError."""
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, mounts))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise OSError(error.errno, f"port {port} is taken: give another one, or 0 for any that is free") from None
        raise


def serve(mounts: Mapping[str, Mount], port: int) -> None:
    """Serves until Ctrl-C. Raises OSError."""
    with server(mounts, port) as running:
        for address, (folder, what, maker) in mounts.items():
            there = folder.is_dir()
            state = f"http://127.0.0.1:{running.server_port}{address}" if there else f"not there yet: {maker}"
            print(f"{what + ':':<30} {state}")
        print("Ctrl-C stops it.")
        sys.stdout.flush()
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            print()
