"""Pages of values: a line of what it is, and parts that open. What is foreign text is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from math import prod
from pathlib import Path
from typing import Any

from hologram_web.array.array import Array
from hologram_web.errors import HologramError
from hologram_web.frontends.python.names import shown
from hologram_web.isa.types import Type
from hologram_web.kernels.kernel import Kernel
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.runtime.executor import Buffer
from hologram_web.runtime.timeline import Timeline

from ..browsers import device_named
from ..contents import held
from .png import is_picture, png_address

__all__ = ["asset", "html_of"]

_ROWS, _COLUMNS = 12, 8  # of a table; of what is longer the beginning and the end
_MOST = 64 << 20  # bytes of an array that are read to be shown
_SPANS = 60
_TEXT = 100_000  # characters of a part
_PARTS = ("isa", "wgsl", "wat")


@cache
def asset(name: str) -> str:
    """A file beside this one."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def html_of(value: Any) -> str:
    """The page of an Array, a Buffer, a kernel, a plan or a timeline; of anything else, its `repr`. Raises what reading
    them raises."""
    if isinstance(value, (Array, Buffer)):
        title, facts, parts = _array(value)
    elif isinstance(value, Kernel):
        title, facts, parts = _kernel(value)
    elif isinstance(value, CompiledProgram):
        title, facts, parts = _plan(value)
    elif isinstance(value, Timeline):
        title, facts, parts = _timeline(value)
    else:
        title, facts, parts = type(value).__name__, [], [("repr", f"<pre>{escape(repr(value))}</pre>")]
    head = f'<p class="hw-head"><b>{escape(title)}</b>{"".join(f"<span>{escape(fact)}</span>" for fact in facts)}</p>'
    body = "".join(
        f'<details class="hw-part"{" open" if number == 0 else ""}><summary>{escape(name)}</summary>'
        f'<div class="hw-body">{html}</div></details>'
        for number, (name, html) in enumerate(parts)
    )
    return f'<div class="hw-view"><style>{asset("view.css")}</style>{head}{body}</div>'


_Page = tuple[str, list[str], list[tuple[str, str]]]


def _array(value: Array | Buffer) -> _Page:
    shape, dtype = tuple(value.shape), str(value.dtype)
    size = prod(shape) * value.dtype.size_bytes
    facts = [
        f"{dtype}[{', '.join(map(str, shape))}]",
        f"{size:,} bytes",
        device_named(value.executor.backend.selected, value.executor.backend.adapter),
    ]
    title = type(value).__name__
    if size > _MOST:
        return title, facts, [("Elements", f"<p>more than {_MOST:,} bytes are not shown: show a part of it</p>")]
    found: Any = value.numpy()
    parts = [("Elements", _table(shape, _nested(value, found)))]
    if is_picture(shape, dtype):
        address, said = png_address(found, shape, dtype)
        picture = f'<img src="{address}" alt="the array as a picture" width="{shape[1]}" height="{shape[0]}">'
        parts.insert(0, ("Picture", f"<figure>{picture}<figcaption>{escape(said)}</figcaption></figure>"))
    return title, facts, parts


def _nested(value: Array | Buffer, found: Any) -> Any:
    """The elements that a table shows, as numbers in lists: the ends of each axis."""
    if not hasattr(found, "astype") or value.dtype is Type.BF16 or found.dtype.kind == "V":  # or a memoryview, or wide
        return value.tolist()
    return found


def _ends(length: int, most: int) -> list[int | None]:
    """The indices that are shown; None stands for those between them."""
    if length <= most:
        return list(range(length))
    return [*range(most // 2), None, *range(length - most // 2, length)]


def _table(shape: tuple[int, ...], elements: Any) -> str:
    if not prod(shape):
        return "<p>no elements</p>"
    note = ""
    while len(shape) > 2:
        elements, shape = elements[0], shape[1:]
        note += "0, "
    if len(shape) < 2:
        elements, shape = [elements if shape else [elements]], (1, *(shape or (1,)))
    columns = _ends(shape[1], _COLUMNS if shape[0] > 1 else 2 * _COLUMNS)
    head = "".join(f'<th scope="col">{"…" if k is None else k}</th>' for k in columns)
    lines = "".join(
        f'<tr><th scope="row">{"…" if row is None else row}</th>'
        + "".join(f"<td>{'…' if None in (row, k) else escape(_number(elements[row][k]))}</td>" for k in columns)
        + "</tr>"
        for row in _ends(shape[0], _ROWS)
    )
    caption = f"<caption>[{note}:, :]</caption>" if note else ""
    return f"<table>{caption}<thead><tr><th></th>{head}</tr></thead><tbody>{lines}</tbody></table>"


def _number(value: Any) -> str:
    value = value.item() if hasattr(value, "item") else value
    return f"{value:.5g}" if isinstance(value, (float, complex)) else str(value)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _text(text: str) -> str:
    cut = f"\n... {len(text) - _TEXT:,} more characters" if len(text) > _TEXT else ""
    return f'<pre tabindex="0">{escape(text[:_TEXT])}{cut}</pre>'


def _kernel(kernel: Kernel) -> _Page:
    source = ("Python", _text(kernel.source))
    try:
        takes = ", ".join(f"{name}: {shown(ty)}" for name, ty in kernel.params.items())
        facts = [takes, f"{len(kernel.program)} instructions"]
    except HologramError as error:  # type variables or constants that nobody gave
        return kernel.name, [str(error)], [source]
    return kernel.name, facts, [source, *((part.upper(), _text(kernel.explain(part))) for part in _PARTS)]


def _plan(plan: CompiledProgram) -> _Page:
    found = held(Path(plan.name or "plan"), plan, _PARTS)
    ports = _rows(
        ("port", "type", "shape", "access"),
        ((port["name"], port["dtype"], ", ".join(port["shape"]), port["access"]) for port in found["ports"]),
    )
    texts = (
        (kind.upper(), _text("\n".join(f"// {title}\n{text}" for title, text in each.items())))
        for kind, each in found["texts"].items()
    )
    facts = [f"{found['bytes']:,} bytes as a file", _counted(len(found["kernels"]), "kernel")]
    return found["name"], facts, [("Ports", ports), *texts]


def _rows(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    line = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{line}</tr></thead><tbody>{body}</tbody></table>"


def _timeline(timeline: Timeline) -> _Page:
    spans = timeline.spans
    whole = max((span.start + span.seconds for span in spans), default=0.0)
    lines = "".join(
        f'<li><span>{escape(span.name)}</span><span class="hw-when">'
        f'<span class="hw-track"><i class="hw-{escape(span.kind)}" '
        f'style="margin-left:{100 * span.start / whole:.2f}%;width:{100 * span.seconds / whole:.2f}%"></i></span>'
        f"<span>{1e3 * span.seconds:.3g} ms</span></span></li>"
        for span in spans[:_SPANS]
    )
    more = f"<p>{len(spans) - _SPANS} more are not shown</p>" if len(spans) > _SPANS else ""
    totals = ((name, str(times), f"{1e3 * seconds:.3f}") for name, (times, seconds) in timeline.totals().items())
    facts = [_counted(len(spans), "span"), f"{1e3 * whole:.3g} ms", *timeline.devices().values()]
    listed = f'<ol class="hw-spans">{lines}</ol>{more}' if spans else "<p>nothing was launched</p>"
    parts = [("Timeline", listed), ("Totals", _rows(("name", "times", "ms"), totals))]
    return "Timeline", facts, parts
