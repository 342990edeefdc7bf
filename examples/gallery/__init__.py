"""The gallery: small programs with a page each, which run in a browser without Python.

A module has TITLE, SUMMARY, SIZE (of its picture), KEYS and HINT (what a reader may do), its kernels, `programs()`,
which compiles them for files, and `examples()`, small runs with what NumPy says comes out, within TOLERANCE of the
largest element. At the top it imports nothing but hologram_web and NumPy, so that it can be tried in the playground.
Its page is page/NAME.mjs, whose picture in the index is that after FRAMES frames. NAMES is their order.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__all__ = ["NAMES", "module"]

NAMES = (
    "reaction",
    "mandelbrot",
    "pathtracing",
    "fluid",
    "life",
    "raymarching",
    "particles",
    "nbody",
    "edges",
    "kmeans",
    "filters",
    "spectrum",
    "heat",
    "sorting",
    "digits",
    "curve",
    "sha256",
)


def module(name: str) -> ModuleType:
    """The module of an example."""
    return import_module(f"{__name__}.{name}")
