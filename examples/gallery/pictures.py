"""Makes the pictures of the index, by running the pages: python -m examples.gallery.pictures [NAME ...]

Some of them are one picture at the top of README, too.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path

from PIL import Image, ImageOps

from e2e.browser import FLAGS, WITH_WORKERS, Browser

from . import NAMES, module
from .__main__ import build

__all__ = ["make", "put_together"]

FOLDER = Path(__file__).parent / "pictures"
TOGETHER = Path(__file__).parents[2] / "docs" / "images" / "gallery.webp"
CHOSEN = (
    *("reaction", "mandelbrot", "pathtracing", "edges", "raymarching", "particles"),
    *("nbody", "life", "fluid", "kmeans", "spectrum", "heat"),
)
SIDE, GAP, COLUMNS = 160, 8, 6  # pixels, and how many stand side by side
SIZE = (480, 360)
FRAMES = 120  # where a module has no other number
SECONDS = 300


def make(names: Iterable[str]) -> None:
    """Runs the pages on WebAssembly, and keeps what their canvases show after so many frames."""
    build()
    FOLDER.mkdir(exist_ok=True)
    with Browser(flags=FLAGS, headers=WITH_WORKERS) as browser:
        for name in names:
            page = browser.page(f"/build/gallery/{name}.html#wasm")
            page.set_viewport_size({"width": 1280, "height": 900})
            frames = getattr(module(name), "FRAMES", FRAMES)
            page.wait_for_function("count => document.body.dataset.frames >= count", arg=frames, timeout=1000 * SECONDS)
            page.keyboard.press(" ")
            page.evaluate("() => { stage.style.borderRadius = 0; }")  # corners of the page around it are no picture
            shown = Image.open(io.BytesIO(page.locator("#canvas").screenshot())).convert("RGB")
            page.close()
            ImageOps.fit(shown, SIZE, Image.Resampling.LANCZOS).save(FOLDER / f"{name}.webp", quality=72, method=6)
            print(f"{name}: {(FOLDER / f'{name}.webp').stat().st_size:,} bytes")


def put_together() -> None:
    """Some of the pictures, cut to squares, in rows."""
    step = SIDE + GAP
    rows = -(-len(CHOSEN) // COLUMNS)
    whole = Image.new("RGBA", (COLUMNS * step - GAP, rows * step - GAP))
    for number, name in enumerate(CHOSEN):
        part = ImageOps.fit(Image.open(FOLDER / f"{name}.webp").convert("RGBA"), (SIDE, SIDE), Image.Resampling.LANCZOS)
        whole.paste(part, (number % COLUMNS * step, number // COLUMNS * step))
    whole.save(TOGETHER, quality=80, method=6)


if __name__ == "__main__":
    make(sys.argv[1:] or NAMES)
    put_together()
