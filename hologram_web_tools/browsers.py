"""Where a browser is, what it is started with so that pages have WebGPU, and how devices are called."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from hologram_web.backends.selection import device_named

__all__ = ["CHROMIUMS", "browser_flags", "device_named", "find_chromium"]

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find_chromium() -> str | None:
    """$CHROMIUM, or one on the path, or the application on macOS. None leaves it to Playwright, which has its own
    after `playwright install chromium`."""
    if os.environ.get("CHROMIUM"):
        return os.environ["CHROMIUM"]
    for name in CHROMIUMS:
        if found := shutil.which(name):
            return found
    return next(map(str, Path("/Applications").glob("*Chrom*.app/Contents/MacOS/*Chrom*")), None)


def browser_flags(software: bool) -> list[str]:
    """Chromium's flags for WebGPU: with `software` on SwiftShader, the same adapter everywhere, GPU or not."""
    flags = ["--enable-unsafe-webgpu", "--disable-extensions"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")  # as root, such as in containers
    if software:
        flags.append("--use-webgpu-adapter=swiftshader")
    elif sys.platform == "linux":
        flags.append("--enable-features=Vulkan")  # a real GPU's
    return flags
