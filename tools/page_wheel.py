"""Converts the ordinary wheel to the wheel for pages. page_wheel.mjs runs this in Pyodide, whose Python compiles it.

The modules become bytecode in one compressed file, without what pages cannot use. Docstrings and annotations stay where
help() shows them; line numbers and asserts stay everywhere.
"""

from __future__ import annotations

import ast
import marshal
import re
import sys
import sysconfig
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import CodeType, ModuleType
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

PACKAGE = "hologram_web"
TEXTS = re.compile(r".*/stdlib/(?!__init__|build)\w+\.py")  # of kernels: they are read, never imported
LEFT_OUT = ("__main__", "backends.wasm", "backends.webgpu", "cli", "isa.metadata", "runtime.disk", "stdlib.build")
_DROPPED = ("RECORD", "WHEEL", "entry_points.txt")  # of dist-info; two are made anew, the script is of the command line


def convert(wheel: str) -> str:
    """The name of the wheel for pages, which lies in this folder then."""
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}-none-pyemscripten_{_abi()}_wasm32"
    files: dict[str, bytes] = {}
    modules: dict[str, tuple[bool, bytes | None]] = {}
    public = _public(wheel)
    with ZipFile(wheel) as archive:
        for place in sorted(archive.namelist()):
            data = archive.read(place)
            if place.endswith(".py") and not TEXTS.fullmatch(place):
                name = place.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                left_out = any(f"{name}.".startswith(f"{PACKAGE}.{room}.") for room in LEFT_OUT)
                code = None if left_out else marshal.dumps(_compiled(data, place, public))
                modules[name] = (place.endswith("/__init__.py"), code)
            elif ".dist-info/" not in place:
                files[place] = data
            elif place.rsplit("/", 1)[1] == "METADATA":
                files[place] = data.split(b"\n\n")[0] + b"\n"  # without the README
            elif place.rsplit("/", 1)[1] not in _DROPPED:
                files[place] = data
    for room in {name.rpartition(".")[0] for name in modules} - {"", *modules}:  # folders without __init__.py
        modules[room] = (True, marshal.dumps(compile("", room, "exec")))
    from compression import zstd  # type: ignore[import-not-found]

    packed = zstd.compress(marshal.dumps(modules), level=22)
    files[f"{PACKAGE}/modules.{sys.implementation.cache_tag}.zst"] = packed
    files[f"{PACKAGE}/__init__.py"] = Path(__file__).with_name("page_init.py").read_bytes()
    project = "-".join(wheel.split("-")[:2])
    info = f"{project}.dist-info"
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: page_wheel\nRoot-Is-Purelib: true\nTag: {tag}\n".encode()
    record = f"{info}/RECORD"
    files[record] = "".join([_line(place, data) for place, data in files.items()] + [f"{record},,\n"]).encode()
    name = f"{project}-{tag}.whl"
    with ZipFile(name, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for place, data in files.items():
            archive.writestr(ZipInfo(place), data, ZIP_DEFLATED)
    return name


def _abi() -> str:
    return str(sysconfig.get_config_var("PYODIDE_ABI_VERSION"))


def _line(place: str, data: bytes) -> str:
    digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
    return f"{place},sha256={digest},{len(data)}\n"


def _public(wheel: str) -> set[str]:
    """The names that users are given: those of the package, and of the modules among them."""
    sys.path.insert(0, wheel)
    package = import_module(PACKAGE)
    found = set(package.__all__)
    for name in package.__all__:
        value = getattr(package, name)
        if isinstance(value, ModuleType):
            found |= set(value.__all__)
    return found


def _compiled(text: bytes, place: str, public: set[str]) -> CodeType:
    tree = ast.parse(text, place)
    if place != f"{PACKAGE}/__init__.py":
        _strip_docstring(tree)
    for node in tree.body:
        _strip(node, public)
    return _without_columns(compile(tree, place, "exec", dont_inherit=True, optimize=0))


def _without_columns(code: CodeType) -> CodeType:
    """The code with a location table of lines only: pages have no source text to underline. An entry of the table is
    for one to eight code units: kind 13 has the difference of the lines, kind 15 is for code without a line."""
    table, before = bytearray(), code.co_firstlineno
    for start, end, line in code.co_lines():
        for units in _eights((end - start) // 2):
            table.append(128 | (15 if line is None else 13) << 3 | units - 1)
            if line is not None:
                difference, before = line - before, line
                number = -difference << 1 | 1 if difference < 0 else difference << 1
                while number > 63:
                    table.append(64 | number & 63)
                    number >>= 6
                table.append(number)
    constants = (_without_columns(value) if isinstance(value, CodeType) else value for value in code.co_consts)
    return code.replace(co_linetable=bytes(table), co_consts=tuple(constants))


def _eights(units: int) -> Iterator[int]:
    for first in range(0, units, 8):
        yield min(8, units - first)


def _strip(node: ast.AST, public: set[str] | None) -> None:
    """Takes docstrings and annotations from functions that help() does not show: it shows those of `public` names, and
    the methods of such classes; None shows what has no underscore."""
    shown = isinstance(node, _NAMED) and not node.name.startswith("_") and (public is None or node.name in public)
    if isinstance(node, _FUNCTIONS) and not shown:
        _strip_docstring(node)
        node.returns = None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
    inner: set[str] | None = None if isinstance(node, ast.ClassDef) and shown else set()
    for child in ast.iter_child_nodes(node):
        _strip(child, inner)


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NAMED = (*_FUNCTIONS, ast.ClassDef)


def _strip_docstring(node: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Classes keep theirs: a dataclass without one makes one, slowly."""
    if ast.get_docstring(node, clean=False) is not None:
        node.body[:1] = [] if len(node.body) > 1 else [ast.copy_location(ast.Pass(), node.body[0])]
