"""Programs of the library's kernels by what names them (programs.py), and the wheel that they were made for.

There are none in an ordinary wheel; tools/page_wheel.py writes this module anew for pages, which have no cache folder
that is full: `CORE` is the fingerprint of the page wheel beside it, and without that one nothing here is used.
"""

from __future__ import annotations

__all__ = ["CORE", "PROGRAMS"]

CORE = b""
PROGRAMS: dict[tuple[str, ...], bytes] = {}
