"""Files made with math="fast" in Chromium and in Node; test_firefox.py has Firefox, with and without relaxed SIMD."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from . import relaxed
from .browser import ROOT, Browser, NoBrowser


def test_chromium_takes_the_relaxed_module() -> None:
    relaxed.write()
    try:
        with Browser() as browser:
            relaxed.is_right(browser.run("relaxed.mjs", "page", 60).json, True)
    except NoBrowser as error:
        pytest.skip(str(error))


def test_node_takes_what_it_has(tmp_path: Path) -> None:
    """Node 20 has no relaxed SIMD but by a flag."""
    relaxed.write()
    out = tmp_path / "found.json"
    subprocess.run(["node", "e2e/node.mjs", "relaxed.mjs", "{}", str(out)], cwd=ROOT, check=True, timeout=60)
    version = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout
    raw = out.read_bytes()
    found = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    relaxed.is_right(found, int(version[1:].split(".")[0]) > 20)
