"""MkDocs hook: writes the instruction reference, one page per group, from the instruction table, and the reference of
the names that Python has, from their signatures and docstrings.

The pages exist only while the site is built. Examples are the filetests of an instruction's name, or the shortest that
use it, so what the reference shows has been run on every device.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import hologram_web
from hologram_web import array_api, nn
from hologram_web.frontends.python.names import Intrinsic
from hologram_web.isa.kinds import KINDS
from hologram_web.isa.row import REQUIRED, TYPE_SETS, Operand, Row
from hologram_web.isa.table import ROWS

FILETESTS = Path(__file__).parent.parent / "tests" / "filetests"
INDEX = "reference/index.md"
PYTHON = "reference/python.md"
INTRODUCTION = """\
# Instruction reference

{lane} lane instructions, which every lane executes for itself, and {collective} collective instructions, which the
whole device executes once per launch. Opcodes are never renumbered. [Kinds of operands](#kinds-of-operands) and
[sets of types](#sets-of-types) are explained at the end.
"""


def page_of(group: str) -> str:
    return f"reference/{re.sub(r'[^a-z0-9]+', '-', group.lower())}.md"


def groups() -> dict[str, list[Row]]:
    """Rows by group, in the order of the table."""
    result: dict[str, list[Row]] = {}
    for row in ROWS:
        result.setdefault(row.group, []).append(row)
    return result


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    pages: list[Any] = [{"Overview": INDEX}, *({group: page_of(group)} for group in groups())]
    config.nav = [*(config.nav or []), {"Instruction reference": pages}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    pages = {INDEX: "\n".join(index_page()), PYTHON: "\n".join(python_page())}
    for group, rows in groups().items():
        pages[page_of(group)] = "\n".join([f"# {group}\n", *(line for row in rows for line in section(row))])
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def index_page() -> Iterator[str]:
    collective = sum(row.collective for row in ROWS)
    yield INTRODUCTION.format(lane=len(ROWS) - collective, collective=collective)
    for group, rows in groups().items():
        page = Path(page_of(group)).name
        yield f"## {group}\n"
        yield from table(
            "Instruction | Text | Meaning",
            ((f"[{r.name}]({page}#{r.mnemonic})", f"`{r.mnemonic}`", r.doc) for r in rows),
        )
    yield "## Kinds of operands\n"
    yield from table("Kind | What it takes", ((f"`{name}`", kind.what) for name, kind in KINDS.items()))
    yield "## Sets of types\n"
    ordered = ((name, sorted(types, key=lambda ty: ty.id)) for name, types in TYPE_SETS.items())
    yield from table("Set | Types", ((f"`{name}`", " ".join(ty.name for ty in types)) for name, types in ordered))


def section(row: Row) -> Iterator[str]:
    yield f"## {row.name} {{ #{row.mnemonic} }}\n\n{row.doc}\n\n```text\n{syntax(row)}\n```\n"
    yield f"Builder `{row.builder}`, opcode {row.opcode:#x}, effect: {row.effect.value}.\n"
    if row.operands:
        cells = (
            (f"`{o.name}`", o.kind, ROLES.get(o.role or o.kind, ""), o.type if is_typed(o) else "", default(o))
            for o in row.operands
        )
        yield from table("Operand | Kind | Role | Type | Default", cells)
    if example := examples().get(row.mnemonic):
        text = example.read_text(encoding="utf-8").strip()
        yield f"Example: `{example.relative_to(FILETESTS.parent.parent).as_posix()}`\n\n```text\n{text}\n```\n"


ROLES = {"def": "written", "store": "written", "use": "read", "load": "read", "update": "both", "rmw": "both"}


def is_typed(operand: Operand) -> bool:
    return operand.is_address or operand.kind in ("type", "register", "imm", "result")


def syntax(row: Row) -> str:
    """The text form: `add.ty dst, lhs, rhs`; what may be left out stands in brackets."""

    def part(operand: Operand, text: str) -> str:
        return text if operand.default is REQUIRED else f"[{text}]"

    suffixes = "".join(part(o, f".{o.name}") for o in row.operands if o.suffix)
    operands = (part(o, f"{o.name}=..." if o.named else o.name) for o in row.operands if not o.suffix)
    return f"{row.mnemonic}{suffixes} {', '.join(operands)}".rstrip()


def default(operand: Operand) -> str:
    if operand.default is REQUIRED:
        return ""
    return "none" if operand.default is None else f"`{operand.codec.text(operand.default)}`"


@cache
def examples() -> dict[str, Path]:
    """For each mnemonic the filetest of its name, or else the shortest that uses it; all goes well in it."""
    mnemonics = {row.mnemonic for row in ROWS}
    result: dict[str, Path] = {}
    paths = [path for path in FILETESTS.glob("**/*.atlas") if path.parent.name not in ("errors", "faults")]
    named = {path.stem: path for path in paths}
    for path in sorted(paths, key=lambda path: (path.stat().st_size, path)):
        for word in re.findall(r"^[ \t]*(?:[\w$.]+:[ \t]*)?([a-z][\w.]*)", path.read_text(encoding="utf-8"), re.M):
            parts = word.split(".")  # in "set.lt.f32" the mnemonic is the longest beginning that is one
            beginnings = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
            if mnemonic := next((text for text in beginnings if text in mnemonics), None):
                result.setdefault(mnemonic, path)
    return {mnemonic: named.get(mnemonic, path) for mnemonic, path in result.items()}


def python_page() -> Iterator[str]:
    """The names of `hologram_web` by what they are, then those of its modules for arrays and networks."""
    yield "# The Python API\n\nMade from signatures and docstrings. `import hologram_web as hg`.\n"
    found = {name: getattr(hologram_web, name) for name in hologram_web.__all__}
    kinds: dict[str, dict[str, Any]] = {"Functions": {}, "Classes": {}, "Errors": {}, "In kernels": {}}
    for name, value in found.items():
        if isinstance(value, type):
            kinds["Errors" if issubclass(value, BaseException) else "Classes"][name] = value
        elif isinstance(value, Intrinsic):
            kinds["In kernels"][name] = value
        elif inspect.isfunction(value):
            kinds["Functions"][name] = value
    for title, members in kinds.items():
        yield from names(title, "hg", members)
    for module in (array_api, nn):
        public = {name: getattr(module, name) for name in module.__all__}
        listed = {name: value for name, value in public.items() if callable(value)}
        yield from names(module.__name__, module.__name__.rpartition(".")[2], listed)


def names(title: str, prefix: str, members: dict[str, Any]) -> Iterator[str]:
    """A section with a heading for each name; of a class also its methods and properties."""
    yield f"## {title}\n"
    for name, value in sorted(members.items()):
        yield f"### {prefix}.{name}\n"
        yield from described(name, value)
        for inner, member in vars(value).items() if isinstance(value, type) and title == "Classes" else ():
            known = inspect.getdoc(member)
            if not inner.startswith("_") and known and (inspect.isroutine(member) or isinstance(member, property)):
                yield f"**{inner}**\n"
                yield from described(inner, getattr(member, "__func__", member))


def described(name: str, value: Any) -> Iterator[str]:
    try:
        signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(value)))  # annotations are strings
    except (TypeError, ValueError):  # a property, or a class that C made
        signature = ""
    if signature:
        yield f"```text\n{name}{signature}\n```\n"
    text = inspect.getdoc(value) or ""
    paragraphs = [part.replace("\n", " ") if not part.startswith("    ") else part for part in text.split("\n\n")]
    yield "\n\n".join(re.sub(r"([<_*\[])", r"\\\1", part) if "`" not in part else part for part in paragraphs) + "\n"


def table(header: str, rows: Any) -> Iterator[str]:
    """A Markdown table; `|` in cells is escaped."""
    yield f"| {header} |\n|{'---|' * (header.count('|') + 1)}"
    for row in rows:
        cells = (text.replace("|", "\\|") for text in row)
        yield f"| {' | '.join(cells)} |"
    yield ""
