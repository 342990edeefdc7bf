"""Who may import whom: the table of rooms in CONTRIBUTING.md, held against every import of the package."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("hologram_web", "hologram_web_tools")
BASE = ("errors", "forks", "garbage", "extras", "_version")  # the first row: what all may import
# Which import by names in tables; mathematics and the tensor library only what is in their folders. Operators of
# Buffers make Arrays, whose room is below in that table.
NAMING = {
    "hologram_web",
    "hologram_web.backends",
    "hologram_web.extras",
    "hologram_web.isa.mathematics",
    "hologram_web.runtime.operators",
    "hologram_web.tensor.families",
}


@dataclass(frozen=True)
class Room:
    """A row: its places, and what it may import in which ways: "" is any way."""

    name: str
    places: tuple[str, ...]
    may: frozenset[tuple[str, str]]

    def allows(self, found: Import) -> bool:
        return (found.room, "") in self.may or (found.room, found.way) in self.may


@dataclass(frozen=True)
class Import:
    """`room` is a room or a package from elsewhere; `way` is "in functions", "types", "by name" or "" (at the top)."""

    line: int
    module: str
    room: str
    way: str


def rooms() -> list[Room]:
    """The rows with Python of the package in them, in their order."""
    found: list[Room] = []
    for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        places = tuple(re.findall(r"`(hologram_web[\w./]*)`", cells[0]))
        if len(cells) != 3 or not places:
            continue
        may = {(name, way) for name, way in re.findall(r"`(\w+)`(?: \(([\w ]+)\))?", cells[2])}
        if "all of the above" in cells[2]:
            may |= {(room.name, "") for room in found}
        found.append(Room(_name(places[0]), places, frozenset(may)))
    return found


def _name(place: str) -> str:
    return place.rstrip("/").removesuffix(".py").rpartition("/")[2]


def modules() -> dict[str, Path]:
    """All but the kernels of the standard library, which are text that nobody imports."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        if path.parent.name != "stdlib" or path.name == "__init__.py"
    }


MODULES = modules()
STUBS = ("hologram_web.frontends.python.language",)  # for type checkers: nothing of it is there at run time
ROOMS = rooms()


def room_of(path: Path) -> Room:
    place = path.relative_to(ROOT).as_posix()
    for room in ROOMS:
        if any(place == own or (own.endswith("/") and place.startswith(own)) for own in room.places):
            return room
    raise AssertionError(f"{place} is in no row of the table of rooms in CONTRIBUTING.md")


def imports(name: str, path: Path, text: str) -> Iterator[Import]:
    """All imports of other rooms and of packages that are not Python's own."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(text, str(path))
    ways: dict[ast.AST, str] = {}
    for node in ast.walk(tree):  # outer nodes come first
        way = ways.get(node, "")
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            way = "types"
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            way = "in functions"
        ways |= dict.fromkeys(ast.iter_child_nodes(node), way)
        for module in _modules(node, package):
            top = module.partition(".")[0]
            if module in MODULES:
                room, own = room_of(MODULES[module]).name, room_of(path).name
                if room not in (own, *BASE):
                    yield Import(getattr(node, "lineno", 0), module, room, "by name" if _by_name(node) else way)
            elif top not in sys.stdlib_module_names and module not in STUBS:
                yield Import(getattr(node, "lineno", 0), module, top, way)


def _modules(node: ast.AST, package: str) -> list[str]:
    """The modules that a node imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        parts = package.split(".")
        above = ".".join(parts[: len(parts) + 1 - node.level]) if node.level else ""
        base = ".".join(filter(None, (above, node.module)))
        return [found if (found := f"{base}.{alias.name}") in MODULES else base for alias in node.names]
    if _by_name(node):
        assert isinstance(node, ast.Call)
        return (
            [f"hologram_web_tools.{ast.literal_eval(node.args[0])}"] if isinstance(node.args[0], ast.Constant) else []
        )
    return []


def _by_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "tools"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_room_imports_what_its_row_lists(room: Room) -> None:
    wrong = [
        f"{name}:{found.line} imports {found.module} {found.way}".rstrip()
        for name, path in MODULES.items()
        if room_of(path) is room
        for found in imports(name, path, _text(path))
        if not room.allows(found)
    ]
    assert not wrong


def test_rows_list_rooms_above_them() -> None:
    """So there is no circle of more than a room. Types and names may point down: nothing is imported for them.
    The names that users import are loaded when they are asked for."""
    names = [room.name for room in ROOMS]
    below = {
        (room.name, name)
        for place, room in enumerate(ROOMS)
        for name, way in room.may
        if name in names[place:] and way not in ("types", "by name")
    }
    assert below == {("__init__", "hologram_web_tools")}


def test_every_listed_import_is_made() -> None:
    """The table allows nothing that no longer happens."""
    made = {
        (room_of(path).name, found.room, way)
        for name, path in MODULES.items()
        for found in imports(name, path, _text(path))
        for way in ("", found.way)
    }
    listed = {(room.name, other, way) for room in ROOMS[:-2] for other, way in room.may}
    assert not listed - made


@pytest.mark.parametrize("folder", ["backends", "targets", "frontends"])
def test_devices_and_targets_do_not_know_each_other(folder: str) -> None:
    """`targets/clike` is what those share whose code is text."""
    inner = f"hologram_web.{folder}."
    wrong = []
    for name, path in MODULES.items():
        own = name.removeprefix(inner).partition(".")[0]
        if name.startswith(inner) and (path.parent.name == own or path.name == "__init__.py"):
            package = name if path.name == "__init__.py" else name.rpartition(".")[0]
            for node in ast.walk(ast.parse(_text(path))):
                for module in _modules(node, package):
                    other = module.removeprefix(inner).partition(".")[0]
                    folders = (ROOT / "hologram_web" / folder / part for part in (own, other))
                    if module.startswith(inner) and other not in (own, "clike") and all(map(Path.is_dir, folders)):
                        wrong.append(f"{name} imports {module}")
    assert not wrong


def test_modules_are_imported_by_statements() -> None:
    """But for the tables of names that users and devices have."""
    named = {
        name
        for name, path in MODULES.items()
        for node in ast.walk(ast.parse(_text(path)))
        if isinstance(node, ast.Name | ast.Attribute)
        and ast.unparse(node).rpartition(".")[2] in ("import_module", "__import__", "meta_path")
    }
    assert named == NAMING


def test_every_way_to_import_is_seen() -> None:
    text = """
from typing import TYPE_CHECKING
import numpy
if TYPE_CHECKING:
    from ..backends import Backend
def f():
    from .. import plan
    def g():
        import hologram_web.compiler.ir
        tools("cpu.machine")
from . import types
from ..errors import IsaError
"""
    path = ROOT / "hologram_web" / "isa" / "program.py"
    assert [
        (found.line, found.module, found.room, found.way) for found in imports("hologram_web.isa.program", path, text)
    ] == [
        (3, "numpy", "numpy", ""),
        (5, "hologram_web.backends", "backends", "types"),
        (7, "hologram_web.plan", "plan", "in functions"),
        (9, "hologram_web.compiler.ir", "compiler", "in functions"),
        (10, "hologram_web_tools.cpu.machine", "hologram_web_tools", "by name"),
    ]


# Public names that two modules define all the same, and why.
TWICE = {
    "Array": "what the reference calls NDArray[Any], the annotation of kernels `hg.Array`, and an array of users",
    "ClassMemory": "the same view of class memory, of two devices",
    "Expressions": "of Python's syntax, and of a text like C",
    "Label": "of a class (atlas) and of an instruction: as their papers say",
    "WasmBackend": "the same device, natively and in a page",
    "WebGpuBackend": "the same device, natively and in a page",
}
# What the issue that asked for this test named, and five files, four and three, and what was found beside: none has two
# meanings now.
PARTED = {"Run", "Step", "Memory", "Region", "Values", "Pass", "Loop", "Access", "Bounds", "Launch"}
PARTED |= {"Kernel", "Call", "Linear", "Lanes", "Place", "Effects", "Wide"}
# Rooms may have modules of the same name where they do the same for another target, device or language.
SAME_NAMES = {
    "arguments": "of launches; of the command line",
    "atlas": "the instructions; what the compiler and the reference make of them",
    "barriers": "in two targets",
    "builder": "of programs; of plans",
    "cache": "in memory; what two devices keep on disk",
    "calls": "in kernels; in circuits",
    "check": "the verifier of the IR; what a target refuses",
    "classes": "of the Atlas; in circuits",
    "compiled": "devices that compile; programs that are",
    "conditions": "of code that runs without checks: proven, and as formulas of a file",
    "effects": "in two targets",
    "expressions": "of Python; of a text like C",
    "functions": "in kernels; of a text like C and of what differs in WGSL",
    "kernel": "what users write; the compilers of two targets",
    "lanes": "the analysis; what a target puts around them",
    "language": "of texts like C; WGSL as one",
    "launch": "its configuration; launching a kernel",
    "library": "of functions; of what two targets have",
    "memory": "in a target; of the reference",
    "ops": "what instructions are; operations on arrays",
    "packets": "the analysis; in two targets",
    "prepared": "launches that are made again: the base and three devices",
    "reader": "of plans, of modules, of kernel JSON",
    "recording": "the base and a device",
    "tables": "of functions; of kernel JSON",
    "types": "of the ISA; of what a kernel's expressions have",
    "values": "in a target; in an optimizer",
    "wide": "in two targets",
    "writer": "of plans, of text, of kernel JSON",
}


def test_names_mean_one_thing() -> None:
    """Public classes and types, by the modules that define them. A reason that is no longer needed goes."""
    homes: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for node in ast.parse(_text(path)).body:
            made = [node.name] if isinstance(node, ast.ClassDef) else _types(node)
            for each in made:
                homes.setdefault(each, []).append(name)
    twice = {name: places for name, places in homes.items() if len(places) > 1 and not name.startswith("_")}
    assert not {name: places for name, places in twice.items() if name not in TWICE}
    assert TWICE.keys() == twice.keys()
    assert not PARTED & twice.keys()


def _types(node: ast.stmt) -> list[str]:
    """The type that an assignment names: in capitals and small letters."""
    names = [target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)]
    return [name for name in names if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name)]


def test_modules_have_names_of_their_own() -> None:
    homes: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        if path.stem != "__init__":
            homes.setdefault(path.stem, []).append(name)
    twice = {stem: places for stem, places in homes.items() if len(places) > 1}
    assert not {stem: places for stem, places in twice.items() if stem not in SAME_NAMES}
    assert SAME_NAMES.keys() == twice.keys()
    assert all(len(homes[stem]) == 1 for stem in ("device", "collectives", "lower"))


def test_exported_types_of_typescript_mean_one_thing() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted((ROOT / "web" / "src").rglob("*.ts")):
        for name in re.findall(r"^export (?:interface|type|class|const enum|enum) (\w+)", _text(path), re.MULTILINE):
            homes.setdefault(name, []).append(path.name)
    assert {name for name, places in homes.items() if len(places) > 1} == {
        "Ends",  # how far a run may go, and how one on a GPU ended
        "Place",  # the memory of two devices
        "Replay",  # the interface, and the class that has it
    }


MOST_LINES = 600
# Modules that are longer, and why they are not parted.
LONGER: dict[str, str] = {}


def test_modules_are_read_at_one_sitting() -> None:
    """Of the package, and of the kernels that come with it."""
    long = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if _text(path).count("\n") > MOST_LINES
    }
    assert long == LONGER.keys()
