"""Frames a second of the pages, and how long a frame is computed: python -m examples.gallery.measure [NAME ...]

First what two of them take of the processor, in Node (measure.mjs); then the pages, on WebAssembly in Chromium. Frames
are shown at most as often as the screen is, 60 times a second in a headless browser.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from e2e.browser import FLAGS, WITH_WORKERS, Browser

from . import NAMES
from .__main__ import build

__all__ = ["measure"]

SECONDS = 8


def measure(names: Iterable[str]) -> None:
    """Prints a row for each page."""
    build()
    subprocess.run(["node", str(Path(__file__).with_suffix(".mjs"))], check=True)
    with Browser(flags=FLAGS, headers=WITH_WORKERS) as browser:
        print(f"Chromium {browser.version}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
        for name in names:
            page = browser.page(f"/build/gallery/{name}.html#wasm")
            page.wait_for_function("() => document.body.dataset.frames >= 1", timeout=60_000)
            page.wait_for_timeout(1000 * SECONDS)
            rate, computed = page.text_content("#rate"), page.text_content("#computed")
            fastest = page.get_attribute("#computed", "title")
            print(f"{name:<12} {rate:>6} frames a second, computed in {computed}, {fastest}")
            page.close()


if __name__ == "__main__":
    measure(sys.argv[1:] or NAMES)
