"""The suite in Pyodide, in a page of Chromium: a bundle of it, of what it needs, and of ours, and runs of tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..where import BUNDLE, write_bundle

__all__ = ["InPage"]

_SECONDS = 3000
_OURS = Path(__file__).parent


class InPage:
    """What runs tests of a copy of the suite. `packages` is a folder of Python without compiled parts (hypothesis,
    sortedcontainers, ndindex, pytest-json-report, pytest-metadata)."""

    def __init__(self, suite: Path, packages: Path) -> None:
        compiled = [path.name for path in packages.rglob("*.so")]
        if compiled:
            raise SystemExit(f"{packages} has what Pyodide cannot load, such as {compiled[0]}: docs/array_api.md")
        more = {f"suite/{path.relative_to(suite).as_posix()}": path for path in suite.rglob("*") if path.is_file()}
        for folder, into in ((packages, ""), (_OURS, "tests/array_api/")):
            more |= {
                into + path.relative_to(folder).as_posix(): path
                for path in folder.rglob("*")
                if path.is_file() and "__pycache__" not in path.parts
            }
        self.bundle = BUNDLE.with_name("suite.zip")
        write_bundle(expected=False, path=self.bundle, more=more)

    def __call__(self, tests: list[str], **how: Any) -> Any:
        """What became of tests. A page for each call, whose memory goes with it."""
        from e2e.browser import Browser

        order = {"tests": tests, **how}
        with Browser() as browser:
            given = {"names": order, "bundle": f"/build/pyodide/{self.bundle.name}", "inside": "tests.array_api.suite"}
            made = browser.run("pyodide.mjs", "page", _SECONDS, **given).json
        if "failed" in made["reports"].values():
            print(*made["lines"][-150:], sep="\n")
        return made["reports"]
