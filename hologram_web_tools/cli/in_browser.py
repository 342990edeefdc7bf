"""What a browser of this machine has for pages: it is started without a window, on a page that tells."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from tempfile import TemporaryDirectory
from typing import Any

from ..browsers import browser_flags
from .server import HEADERS, serving

__all__ = ["look_in"]

_SECONDS = 60  # a machine may be busy; an idle one takes about two
# An i8x16.relaxed_swizzle of zeros: what validates it has relaxed SIMD.
_RELAXED = "0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,10,16,1,14,0,65,0,253,15,65,0,253,15,253,128,2,26,11"
_PAGE = f"""<!doctype html><meta charset="utf-8"><title>A page that tells</title><script type="module">
const told = {{ agent: navigator.userAgent, processors: navigator.hardwareConcurrency }};
told.webassembly = typeof WebAssembly === "object";
told.threads = globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === "function";
told.relaxed = told.webassembly && WebAssembly.validate(Uint8Array.of({_RELAXED}));
told.webgpu = Boolean(navigator.gpu);
try {{
  const info = (await navigator.gpu?.requestAdapter())?.info;
  if (info) told.adapter = [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(" ");
}} catch (error) {{
  told.failed = String(error);
}}
await fetch("told", {{ method: "POST", body: JSON.stringify(told) }});
</script>"""


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        for name, value in {**HEADERS, "Content-Type": "text/html"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(_PAGE.encode())

    def do_POST(self) -> None:
        body = self.rfile.read(min(int(self.headers.get("Content-Length") or 0), 1 << 16))
        self.send_response(204)
        self.end_headers()
        self.server.told.put(body)  # type: ignore[attr-defined]

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def _asked() -> Iterator[tuple[str, Queue[bytes]]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    told: Queue[bytes] = Queue()
    server.told = told  # type: ignore[attr-defined]
    with serving(server) as address:
        yield f"{address}/", told


def look_in(path: str, seconds: float = _SECONDS) -> dict[str, Any] | None:
    """What a page finds in the browser at a path; None where it did not start or tell in time."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile, _asked() as (address, told):
        if "firefox" in path:
            options = ["--headless", "--no-remote", "--profile", profile]
        else:
            options = ["--headless", f"--user-data-dir={profile}", "--no-first-run", *browser_flags(False)]
        nowhere = subprocess.DEVNULL
        try:
            running = subprocess.Popen([path, *options, address], stdin=nowhere, stdout=nowhere, stderr=nowhere)
        except OSError:
            return None
        try:
            found = json.loads(told.get(timeout=seconds))
        except (Empty, ValueError):
            return None
        finally:
            running.kill()
            running.wait()
        return found if isinstance(found, dict) else None
