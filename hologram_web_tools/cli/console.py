"""Where the commands print. What is printed is cleaned at the end, whoever wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.console import Console, ConsoleOptions
from rich.markup import escape
from rich.segment import Segment

from .clean import brief, cleaned

__all__ = ["STDOUT", "as_json", "console", "shown", "tell", "working"]

STDOUT = "hologram_web_tools.cli.stdout"  # where `tell` prints, in the context's `meta`


class _Clean(Console):
    def render(self, renderable: Any, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=cleaned(segment.text, lines=True))


def console() -> Console:
    """As wide as the terminal; where it goes to a file, lines are not broken."""
    found = _Clean(highlight=False)
    return found if found.is_terminal else _Clean(highlight=False, width=200)


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Tells a terminal, and nobody else, what is being done; the function that it gives tells what is done next."""
    with console().status(what, refresh_per_second=4) as status:
        yield status.update


def shown(text: object) -> str:
    """Foreign text for a line or a cell of what is printed: on one line, not too long, and without markup."""
    return escape(brief(cleaned(str(text))))


def _noted(ctx: click.Context, _: Any, given: bool) -> bool:
    ctx.find_root().obj = given  # for errors, too
    return given


as_json = click.option("--json", "as_json", is_flag=True, callback=_noted, is_eager=True, help="Print one JSON object.")


def tell(**found: Any) -> None:
    """Prints JSON: what is no number for it, an infinity or a NaN, is null."""
    text = cleaned(json.dumps(_plain(found), allow_nan=False))
    click.echo(text, file=click.get_current_context().meta[STDOUT])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return value if value - value == 0 else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
