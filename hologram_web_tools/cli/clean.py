"""Foreign text as people see it: names, metadata, paths and errors come from files that anybody made.

Control characters would move the cursor, colour the terminal or change its title, and marks of direction would show
text in another order than it has. Standard library only.
"""

from __future__ import annotations

import json

__all__ = ["brief", "cleaned"]

_MOST = 2000


def cleaned(text: str, *, lines: bool = False) -> str:
    """The text with escapes for what is not printable, as JSON has them; `lines` keeps line ends and tabs.

    Programs as text quote names and metadata as JSON does: cleaned, they are the same programs.
    """
    if text.isprintable():
        return text
    kept = "\n\t" if lines else ""
    return "".join(c if c.isprintable() or c in kept else _escape(c) for c in text)


def _escape(character: str) -> str:
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]


def brief(text: str, most: int = _MOST) -> str:
    """The text, or its beginning and end if it has more than `most` characters."""
    if len(text) <= most:
        return text
    return f"{text[: most * 3 // 4]} ... ({len(text):,} characters) ... {text[-most // 4 :]}"
