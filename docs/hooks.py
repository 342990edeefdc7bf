"""MkDocs hook: writes the instruction reference, one page per group, from the instruction table, and the references of
the names that Python and JavaScript have, from their signatures and what stands above them. The front page has parts of
README.

The pages exist only while the site is built. Examples are the filetests of an instruction's name, or the shortest that
use it, so what the reference shows has been run on every device.
"""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import hologram_web
from hologram_web import array_api, nn, ops, testing
from hologram_web.frontends.python.names import Intrinsic
from hologram_web.isa.kinds import KINDS
from hologram_web.isa.row import REQUIRED, TYPE_SETS, Operand, Row
from hologram_web.isa.table import ROWS
from hologram_web_tools import notebook

ROOT = Path(__file__).parent.parent
FILETESTS = ROOT / "tests" / "filetests"
INDEX = "reference/index.md"
PYTHON = "reference/python.md"
WIDTH = 72  # characters of a signature in one line
JAVASCRIPT = "reference/javascript.md"
# What `make serve` shows beside the site: where texts name such a place, the site leads there.
BESIDE = ("gallery", "live", "live/bignum", "notebooks", "playground", "report")
_NAMED = re.compile(rf"<code>/({'|'.join(BESIDE)})/</code>")
# What each module of the npm package is for; docs/javascript.md tells more.
MODULES = {
    "index": ("hologram-web", "The runtime: what pages, workers and Node load."),
    "ops": ("hologram-web/ops", "The tensor library's operations by their names."),
    "stdlib": ("hologram-web/stdlib", "The kernels of the standard library."),
    "pool": ("hologram-web/pool", "Runs in workers."),
    "offline": ("hologram-web/offline", "Files that are there without a network."),
    "playwright": ("hologram-web/playwright", "Pages on a pinned device, for tests."),
    "tree": ("hologram-web/errors", "All errors, with those that only a compiler raises."),
}
# Sections of README that the front page has, too, where its text has a comment with their names.
SHARED = re.compile(r"^<!-- README: (.*) -->$", re.M)
_LINK = re.compile(r"\[([^\]]*)\]\((?:docs/([^)]*\.md)|(?!https:)[^)]*)\)")
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
    for part in config.nav or []:
        part.get("Reference", []).append({"Instructions, one by one": pages})
    return config


def on_page_markdown(markdown: str, **_: Any) -> str:
    return SHARED.sub(lambda names: "\n".join(map(of_readme, names[1].split(", "))), markdown)


def of_readme(title: str) -> str:
    """A section of README. Its links lead into the site; those to files that are not of the site are words."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (section,) = re.findall(rf"^## {title}\n.*?(?=^## )", text, re.M | re.S)
    return _LINK.sub(lambda link: f"[{link[1]}]({link[2]})" if link[2] else link[1], section)


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Corners of tables are no headers: who hears a page read hears an empty one else. What lies beside is led to."""
    up = "../" * page.url.count("/")
    return _NAMED.sub(rf'<a href="{up}\1/index.html">\g<0></a>', html.replace("<th></th>", "<td></td>"))


def on_post_page(output: str, **_: Any) -> str:
    """The theme's search has no name; docs/extra.js mends what the theme makes in the page."""
    return output.replace('role="dialog">', 'role="dialog" aria-label="Search">')


def on_files(files: Files, config: MkDocsConfig) -> Files:
    pages = {INDEX: "\n".join(index_page()), PYTHON: "\n".join(python_page()), JAVASCRIPT: "\n".join(javascript_page())}
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
        defaults = [default(o) for o in row.operands]
        cells = (
            [f"`{o.name}`", o.kind, ROLES.get(o.role or o.kind, ""), type_of(o), *([text] if any(defaults) else [])]
            for o, text in zip(row.operands, defaults, strict=True)
        )
        yield from table(f"Operand | Kind | Role | Type{' | Default' if any(defaults) else ''}", cells)
    if example := examples().get(row.mnemonic):
        text = example.read_text(encoding="utf-8").strip()
        yield f"Example: `{example.relative_to(FILETESTS.parent.parent).as_posix()}`\n\n```text\n{text}\n```\n"


ROLES = {"def": "written", "store": "written", "use": "read", "load": "read", "update": "both", "rmw": "both"}


def type_of(operand: Operand) -> str:
    """A type, a name of one, or a set that the overview lists."""
    if not operand.is_address and operand.kind not in ("type", "register", "imm", "result"):
        return ""
    return f"[{operand.type}]({Path(INDEX).name}#sets-of-types)" if operand.type in TYPE_SETS else operand.type


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
    """The names of `hologram_web` by what they are, then those of its modules."""
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
    yield from operations()
    for module in (array_api, nn, testing, notebook):
        public = {name: getattr(module, name) for name in module.__all__}
        listed = {name: value for name, value in public.items() if callable(value)}
        yield from names(module.__name__, module.__name__.rpartition(".")[2], listed)


def operations() -> Iterator[str]:
    """All of `hologram_web.ops` by their groups, then those that say more than their names."""
    grouped = {f"hg.ops.{group}": members.split() for group, members in ops._GROUPS.items()}
    ungrouped = [name for name in ops.__all__ if not any(name in members for members in grouped.values())]
    yield f"## {ops.__name__}\n"
    yield from described("", ops)
    cells = {of: ", ".join(f"`{name}`" for name in members) for of, members in {"hg.ops": ungrouped, **grouped}.items()}
    yield from table("Of | There are", ((f"`{of}`", cell) for of, cell in cells.items()))
    for name in ops.__all__:
        if inspect.getdoc(getattr(ops, name)):
            yield f"### ops.{name}\n"
            yield from described(name, getattr(ops, name))


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


def folded(signature: str) -> str:
    """A signature with a line for each parameter."""
    inside, end = (signature.rpartition(") -> ") if ") -> " in signature else signature.rpartition(")"))[::2]
    parts, depth = [""], 0
    for mark in inside.removeprefix("("):
        depth += (mark in "([{") - (mark in ")]}")
        if mark == "," and not depth:
            parts.append("")
        else:
            parts[-1] += mark
    lines = "".join(f"\n    {part.strip()}," for part in parts)
    return f"({lines}\n){f' -> {end}' if end else ''}"


def described(name: str, value: Any) -> Iterator[str]:
    try:
        signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(value)))  # annotations are strings
    except (TypeError, ValueError):  # a property, or a class that C made
        signature = ""
    if signature:
        yield f"```text\n{name}{folded(signature) if len(name + signature) > WIDTH else signature}\n```\n"
    text = inspect.getdoc(value) or ""
    paragraphs = (part if part.startswith("    ") else _plain(part.replace("\n", " ")) for part in text.split("\n\n"))
    yield "\n\n".join(paragraphs) + "\n"


def _plain(text: str) -> str:
    """A text in which nothing is a mark but what stands between backticks."""
    return re.sub(r"(`[^`]*`)|([<_*\[])", lambda found: found[1] or f"\\{found[2]}", text)


def javascript_page() -> Iterator[str]:
    """The names of the npm package's modules, as TypeScript writes their declarations; what is internal is left out."""
    yield "# The JavaScript API\n\nMade from the types of the package. [JavaScript](../javascript.md) explains it."
    with TemporaryDirectory() as made:
        tsc = ("node_modules/.bin/tsc", "-p", "web/tsconfig.build.json", "--declarationMap", "false", "--stripInternal")
        subprocess.run([*tsc, "--outDir", made], cwd=ROOT, check=True)
        told: set[str] = set()
        for module, (name, about) in MODULES.items():
            yield f"\n## {name}\n\n{about}\n"
            for exported, text in exports(Path(made), module).items():
                if exported not in told:
                    yield f"### {exported} {{ #{name.rpartition('/')[2]}-{exported.lower()} }}\n\n```ts\n{text}\n```\n"
                told.add(exported)


# A statement at the left margin, with the comment right above it: to the line that closes it, or its only one.
_DECLARED = (
    r"(?:^/\*\*(?:(?!\*/).)*\*/\n)?^export (?:declare )?(?:class|interface|type|const|function) (\w+)"
    r".*?(?:;|\})$(?=\n[^\s}]|\s*\Z)"
)


def exports(folder: Path, module: str) -> dict[str, str]:
    """What a module of declarations exports: its own, and what it takes from others."""
    text = re.sub(r"\n?//# sourceMappingURL.*", "", (folder / f"{module}.d.ts").read_text(encoding="utf-8"))
    text = re.sub(r"\n    (?:/\*\*[^\n]*\*/\n    )?private [^\n]*", "", text)
    found = {match[1]: match[0].strip() for match in re.finditer(_DECLARED, text, re.M | re.S)}
    for names, source in re.findall(r'^export (?:type )?(\{[^}]*\}|\*) from "\./(.*)\.js";', text, re.M):
        others = exports(folder, source)
        wanted = list(others) if names == "*" else re.findall(r"\w+", names)
        found |= {name: others[name] for name in wanted if name in others}
    return dict(sorted(found.items()))


def table(header: str, rows: Any) -> Iterator[str]:
    """A Markdown table; `|` in cells is escaped."""
    yield f"| {header} |\n|{'---|' * (header.count('|') + 1)}"
    for row in rows:
        cells = (text.replace("|", "\\|") for text in row)
        yield f"| {' | '.join(cells)} |"
    yield ""
