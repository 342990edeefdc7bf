"""Serve the documentation at / and the latest report at /report/, on this machine only.

    python3 tools/serve.py [port]

Pages are cross-origin isolated, so WebAssembly threads (SharedArrayBuffer) work in them.
"""

from __future__ import annotations

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOUNTS = {  # address: (folder, what it is, what makes it); the longest matching address wins
    "/report/": (ROOT / "build" / "report", "the report of the latest run", "make run"),
    "/": (ROOT / "build" / "site", "the documentation", "make docs"),
}
HEADERS = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Handler(SimpleHTTPRequestHandler):
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def translate_path(self, path: str) -> str:
        mount = max((m for m in MOUNTS if path.startswith(m)), key=len, default="/")
        self.directory = str(MOUNTS[mount][0])
        return super().translate_path(path[len(mount) - 1 :])

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        if str(code) >= "400":
            super().log_request(code, size)


def main(port: int) -> None:
    with ThreadingHTTPServer(("127.0.0.1", port), partial(Handler, directory=str(ROOT))) as server:
        for mount, (folder, what, maker) in MOUNTS.items():
            state = f"http://127.0.0.1:{server.server_port}{mount}" if folder.is_dir() else f"not there yet: {maker}"
            print(f"{what + ':':<30} {state}")
        print("Ctrl-C stops it.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
