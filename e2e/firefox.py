"""Firefox as the system has it, in Debian firefox-esr, driven by WebDriver BiDi: jobs in a page or a module worker.

Playwright drives a Firefox of its own, which is another one; puppeteer-core drives any.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import Any

from .browser import HEADERS, ROOT, Jobs, NoBrowser

__all__ = ["Firefox"]


class Firefox(Jobs):
    """A running Firefox with these preferences; a context manager. Raises NoBrowser where there is none."""

    def __init__(
        self,
        preferences: dict[str, bool] | None = None,
        page: str = "/e2e/page.html",
        headers: dict[str, str] = HEADERS,
    ) -> None:
        super().__init__()
        self.preferences, self.page, self.headers = preferences or {}, page, headers

    def __enter__(self) -> Firefox:
        path = os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
        if path is None:
            raise NoBrowser("install Firefox (Debian: firefox-esr), or say where it is with FIREFOX=/path/to/it")
        self.serve()
        command = ["node", "e2e/firefox.mjs", path, self.address + self.page, json.dumps(self.preferences)]
        pipe = subprocess.PIPE
        self._node = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        assert self._node.stdout is not None
        self.version = self._node.stdout.readline().strip()
        if not self.version:
            self.__exit__()
            raise NoBrowser(f"{path} did not start: node ended with {self._node.returncode}")
        return self

    def __exit__(self, *_: object) -> None:
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        self._node.stdin.close()  # which ends it
        self._node.wait(60)
        self._node.stdout.close()
        self.end()

    def start(self, order: dict[str, Any]) -> None:
        assert self._node.stdin is not None
        self._node.stdin.write(json.dumps(order) + "\n")
        self._node.stdin.flush()

    def look(self) -> None:
        if self._node.poll() is not None:
            raise RuntimeError(f"Firefox is gone: node ended with {self._node.returncode}")
