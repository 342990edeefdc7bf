"""Where the commands print. What is printed is cleaned at the end, whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.markup import escape
from rich.segment import Segment

from .clean import brief, cleaned

__all__ = ["console", "shown"]


class _Clean(Console):
    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=cleaned(segment.text, lines=True))


def console() -> Console:
    """As wide as the terminal; where it goes to a file, lines are not broken."""
    found = _Clean(highlight=False)
    return found if found.is_terminal else _Clean(highlight=False, width=200)


def shown(text: object) -> str:
    """Foreign text for a line or a cell of what is printed: on one line, not too long, and without markup."""
    return escape(brief(cleaned(str(text))))
