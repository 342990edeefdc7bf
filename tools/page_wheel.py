"""Converts the ordinary wheel to the wheels for pages. page_wheel.mjs runs this in Pyodide, whose Python compiles it.

The families of the tensor library and arrays are a wheel of their own, hologram-web-tensor, which pages ask for by the
extra `tensor`: one file of sources, beside those of the first. A third, hologram-web-library, which it asks for, has
what typical calls of it become (hologram_web/tensor/made.py), with the fingerprint of the first wheel: no other one
takes it. It is made where page_wheel.mjs is given what `python -m hologram_web_tools.precompiled --pages` writes.

The other modules become two compressed files: bytecode of what is needed first, and the sources of all others, which
Python compiles when they are imported. Both without what pages cannot use. A third has the texts that modules read: the
runtime in TypeScript and the device libraries; they are files again when the package is imported. Bytecode is twice as
large; reading what an import needs took 9 ms, and compiling its sources 372. The modules in the order in which an
import and then a first kernel need them get it, as many as the wheel has room for within LIMIT: what bytecode saves and
what it adds both go with the length of a source. Sources and texts are packed by bzip2, whose files are a twentieth
smaller than Zstandard's, and unpacked in tens of milliseconds, when the first of them is needed.

Docstrings and annotations stay where help() shows them, what is for checkers of types alone goes; line numbers stay
everywhere. The device libraries have no
comments, and nothing has asserts, which tell mistakes of this package: tests find them natively.
"""

from __future__ import annotations

import ast
import bz2
import marshal
import os
import re
import sys
import sysconfig
import tokenize
import zlib
from base64 import urlsafe_b64encode
from bisect import bisect_left
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from io import BytesIO
from pathlib import Path
from types import CodeType, ModuleType
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

LIMIT = 449_990  # bytes of the first wheel; tests/test_figures.py holds it to 450,000
TENSOR_LIMIT = 200_000  # bytes of the second
LIBRARY_LIMIT = 440_000  # and of the third
PACKAGE = "hologram_web"
# What only native devices and tests use.
_NATIVE = ("backends.wasm", "backends.webgpu", "backends.host_device", "backends.forms", "store.disk", "store.kept")
# Where functions are that kernels call: their text is read, with the types in it.
READ = re.compile(r"/tensor/|/frontends/python/\w*library\.py$")
# Nobody is given all of such a module.
INNER = re.compile(r"/(backends|compiler|frontends/python|isa|kernels|page|plan|runtime|store|targets)/(?!.*__init__)")
CODE = re.compile(r"\.(compiler|targets)\b")
LEFT_OUT = ("__main__", *_NATIVE, "compiler.check", "frontends.python.described", "testing")  # 522 bytes of testing
NEEDED = (
    "hg.kernel, hg.compile, hg.u32",
    "hg.compile(hg.kernel_from_source('def f(x: hg.u32):\\n pass'), grid=1).to_bytes()",
)
_SECOND = (
    rf"{PACKAGE}\.(tensor\.|array\b|nn\b|ops$|array_api$|atlas\b|backends\.hosted$|plan\.(tensor_steps|brought|hosting)$|compiler\.host$|runtime\.(weights|stream|typed)$"
    r"|frontends\.python\.collective_calls$|isa\.json_form$)"
)
# Of the tensor library what tells an operation that is there from one that is not.
_ALWAYS = {f"{PACKAGE}.tensor{module}" for module in ("", ".families", ".operation", ".schedules")}
_DROPPED = ("RECORD", "WHEEL", "entry_points.txt")  # of dist-info; two are made anew, the script is of the command line


def convert(wheel: str, library: bytes = b"") -> list[str]:
    """The names of the wheels for pages, which lie in this folder then."""
    from compression import zstd  # type: ignore[import-not-found]

    files: dict[str, bytes] = {}
    sources: dict[str, tuple[bool, str | bytes | None]] = {}  # by name: is it a package, and its text
    places: dict[str, str] = {}
    texts: dict[str, bytes] = {}
    metadata = b""
    needed, at_import, public = _looked_at(wheel)
    with ZipFile(wheel) as archive:
        for place in sorted(archive.namelist()):
            data = archive.read(place)
            if place.endswith(".py"):
                name = place.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                left_out = any(f"{name}.".startswith(f"{PACKAGE}.{room}.") for room in LEFT_OUT)
                sources[name] = (place.endswith("/__init__.py"), None if left_out else stripped(data, place, public))
                places[name] = place
            elif place.endswith("crew.wat"):
                pass  # threads of native devices: the runtime in TypeScript has its own
            elif place.endswith((".wgsl", ".js")):
                texts[place.removeprefix(f"{PACKAGE}/")] = bare(data) if not place.endswith(".js") else data
            elif ".dist-info/" not in place:
                if not place.endswith((".pyi", ".bin")):  # for editors, and of native devices
                    files[place] = data
            elif place.rsplit("/", 1)[1] == "METADATA":
                metadata = _of_pages(data.split(b"\n\n")[0])
            elif place.rsplit("/", 1)[1] not in _DROPPED:
                files[place] = data
    for room in {name.rpartition(".")[0] for name in sources} - {"", *sources}:  # folders without __init__.py
        sources[room] = (True, "")
    bytecode: dict[str, tuple[bool, str | bytes | None]] = {}
    for name in needed:
        package, text = sources[name]
        if text is not None and not READ.search(places.get(name, name)):
            code = compile(text, places.get(name, name), "exec", dont_inherit=True, optimize=0)
            bytecode[name] = (package, marshal.dumps(_without_columns(code)))
    tensor = {name for name in sources if re.match(_SECOND, name)} - _ALWAYS
    second = {name: sources.pop(name) for name in sorted(tensor)}  # not in the order of hashes, which are random
    init = Path(__file__).with_name("page_init.py").read_bytes()
    files[f"{PACKAGE}/__init__.py"] = stripped(init, "page_init.py", set()).encode()
    # What this wheel's record tells apart (store.py) has to be another where the tensor library is another.
    texts["tensor.sum"] = sha256(marshal.dumps(second, 2)).hexdigest()[:32].encode()
    files[f"{PACKAGE}/texts.bz2"] = bz2.compress(marshal.dumps(texts))
    names = list(bytecode)
    version = wheel.split("-")[1]
    asks = f"Requires-Dist: {PACKAGE.replace('_', '-')}-tensor=={version}; extra == 'tensor'\n"

    def written(count: int) -> str:
        """The name of the wheel, with bytecode of so many modules."""
        first = {module: bytecode[module] for module in names[:count]}
        rest = {module: found for module, found in sources.items() if module not in first}
        packed = {_part("first", "zst"): zstd.compress(marshal.dumps(first), level=22), **_packed("rest", rest)}
        return _written(PACKAGE, version, metadata + asks.encode(), files | packed)

    def small(count: int) -> bool:
        return Path(written(count)).stat().st_size <= LIMIT

    count = bisect_left(range(1, len(names) + 1), True, key=lambda count: not small(count))  # the most that fits
    if count < at_import:
        most = Path(written(at_import)).stat().st_size
        raise RuntimeError(f"with bytecode of the {at_import} modules of an import it has {most} bytes, not {LIMIT}")
    about = f"Metadata-Version: 2.1\nName: {PACKAGE}-tensor\nVersion: {version}\n"
    about += f"Summary: The tensor library of hologram-web, for pages\nRequires-Dist: hologram-web=={version}\n"
    made = [written(count)]
    if library:
        about += f"Requires-Dist: hologram-web-library=={version}\n"
    made.append(_written(f"{PACKAGE}_tensor", version, about.encode(), _packed("tensor", second)))
    if library:
        about = f"Metadata-Version: 2.1\nName: {PACKAGE}-library\nVersion: {version}\n"
        about += f"Summary: Compiled operations of hologram-web, for pages\nRequires-Dist: hologram-web=={version}\n"
        made.append(_written(f"{PACKAGE}_library", version, about.encode(), _library(made[0], library)))
    for name, limit in zip(made[1:], (TENSOR_LIMIT, LIBRARY_LIMIT), strict=False):
        if Path(name).stat().st_size > limit:
            raise RuntimeError(f"{name} has more than {limit} bytes")
    return made


def _of_pages(metadata: bytes) -> bytes:
    """Without the README, what is not for pages, as the extras of developers, and what indexes sort by."""
    lines = metadata.decode().split("\n")
    ours = {"tensor"} | {
        found[1] for line in lines if (found := re.match(r"Requires-Dist: hologram-web-.*extra == '(\w+)'", line))
    }
    kept = []
    for line in lines:
        name, _, value = line.partition(": ")
        extra = re.search(r"extra == '(\w+)'", value)
        if name in ("Classifier", "Keywords") or (name == "Provides-Extra" and value not in ours):
            continue
        if name == "Requires-Dist" and ("sys_platform" in value or (extra and extra[1] not in ours)):
            continue
        kept.append(f"{line}\n")
    return "".join(kept).encode()


def _part(part: str, kind: str) -> str:
    return f"{PACKAGE}/{part}.{sys.implementation.cache_tag}.{kind}"


def _packed(part: str, modules: dict[str, tuple[bool, str | bytes | None]]) -> dict[str, bytes]:
    """Modules that are alike lie together, in blocks of the length that makes the least of them: a hundredth less."""
    data = marshal.dumps(dict(sorted(modules.items(), key=lambda item: (not CODE.search(item[0]), item[0]))))
    return {_part(part, "bz2"): min((bz2.compress(data, level) for level in range(5, 10)), key=len)}


def _written(project: str, version: str, metadata: bytes, files: dict[str, bytes]) -> str:
    """The name of a wheel with these files, which it writes."""
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}-none-pyemscripten_{_abi()}_wasm32"
    info = f"{project}-{version}.dist-info"
    kind = f"Wheel-Version: 1.0\nGenerator: page_wheel\nRoot-Is-Purelib: true\nTag: {tag}\n".encode()
    files = {**files, f"{info}/METADATA": metadata, f"{info}/WHEEL": kind}
    lines = [_line(place, data) for place, data in files.items()]
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"]).encode()
    name = f"{project}-{version}-{tag}.whl"
    with ZipFile(name, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for place, data in files.items():
            small = len(zlib.compress(data, 9)) - 6 < len(data)  # without the head and the sum of zlib's format
            archive.writestr(ZipInfo(place), data, ZIP_DEFLATED if small else ZIP_STORED)
    return name


def bare(text: bytes) -> bytes:
    """A file of a device library without comments, which its reader (`library.py` of the target) leaves out, too."""
    lines = [(line, re.sub(rb" *//.*", b"", line)) for line in text.split(b"\n")]
    return b"\n".join(short for line, short in lines if short or not line)


def _abi() -> str:
    return str(sysconfig.get_config_var("PYODIDE_ABI_VERSION"))


def _line(place: str, data: bytes) -> str:
    digest = urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode()
    return f"{place},sha256={digest},{len(data)}\n"


def _looked_at(wheel: str) -> tuple[list[str], int, set[str]]:
    """The modules in the order in which they are needed, and how many an import needs; and the names that users are
    given: those of the package, and of the modules among them."""
    with ZipFile(wheel) as archive:
        archive.extractall("installed")
    sys.path.insert(0, "installed")
    os.environ["HOLOGRAM_WEB_CACHE"] = "off"
    package = import_module(PACKAGE)
    counts = []
    for statement in NEEDED:
        exec(statement, {"hg": package})
        needed = [name for name in sys.modules if f"{name}.".startswith(f"{PACKAGE}.")]
        counts.append(len(needed))
    found = set(package.__all__)
    for name in package.__all__:
        value = getattr(package, name)
        if isinstance(value, ModuleType):
            found |= set(value.__all__)
    return needed, counts[0], found


def _library(wheel: str, parts: bytes) -> dict[str, bytes]:
    """The file of what typical calls become, for who has this wheel, too."""
    from compression import zstd

    with ZipFile(wheel) as archive:
        archive.extractall("page")
    made, store = import_module(f"{PACKAGE}.tensor.made"), import_module(f"{PACKAGE}.store.store")
    (record,) = Path("page").glob("*.dist-info/RECORD")
    packed = marshal.dumps([zstd.compress(part, level=22) for part in marshal.loads(parts)], 2)
    head = made.MARK + store.recorded(record) + store.blake3(packed)
    return {f"{PACKAGE}/{made.FILE.name}": head + packed}


def stripped(text: bytes, place: str, public: set[str]) -> str:
    """The text without comments, docstrings, annotations of functions and most of the indentation. Every line keeps its
    number. Docstrings and annotations of what help() shows stay: `public` names, and the methods of such classes."""
    lines = text.split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    cuts: list[tuple[int, int, bytes]] = []

    def cut(first: tuple[int, int], last: tuple[int, int], instead: bytes = b"") -> None:
        begin, end = (starts[line - 1] + column for line, column in (first, last))
        cuts.append((begin, end, instead + b"\n" * text.count(b"\n", begin, end)))

    tree = ast.parse(text, place)
    if place != f"{PACKAGE}/__init__.py" and ast.get_docstring(tree, clean=False) is not None:
        cut(_begin(tree.body[0]), _end(tree.body[0]))
    fields = {part for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in node.body}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and _does_nothing(node, place):
            cut(_begin(node), _end(node), b"" if node in tree.body else b"0")
        elif isinstance(node, ast.AnnAssign) and node not in fields and not READ.search(place):
            if node.value is None:
                cut(_begin(node), _end(node), b"0")
            else:
                cut(_end(node.target), _end(node.annotation))
    for node in _hidden(tree, public):
        if ast.get_docstring(node, clean=False) is not None:  # a dataclass without one makes one, slowly
            cut(
                _begin(node.body[0]),
                _end(node.body[0]),
                b"" if len(node.body) > 1 and isinstance(node, _FUNCTIONS) else b"'-'",
            )
        if isinstance(node, ast.ClassDef) or READ.search(place):
            continue
        if node.returns is not None:
            arrow = text.rindex(b"->", 0, starts[node.returns.lineno - 1] + node.returns.col_offset)
            number = text.count(b"\n", 0, arrow)
            cut((number + 1, arrow - starts[number]), _end(node.returns))
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg) and argument.annotation is not None:
                named = (argument.lineno, argument.col_offset + len(argument.arg.encode()))
                cut(named, _end(argument.annotation))
    inside: set[int] = set()  # lines that begin within a string
    strings: list[int] = []
    for token in tokenize.tokenize(BytesIO(text).readline):
        if token.type == tokenize.COMMENT:
            number, column = token.start
            text_of = lines[number - 1]
            cut((number, len(text_of.decode()[:column].encode())), (number, len(text_of)))
        elif token.type == tokenize.FSTRING_START:  # type: ignore[attr-defined]  # since Python 3.12
            strings.append(token.start[0])
        elif token.type in (tokenize.STRING, tokenize.FSTRING_END):  # type: ignore[attr-defined]
            begin = token.start[0] if token.type == tokenize.STRING else strings.pop()
            inside.update(range(begin + 1, token.end[0] + 1))
    parts, done = [], 0
    for begin, end, instead in sorted(cuts):
        if begin >= done:  # a comment may stand in an annotation
            parts += [text[done:begin], instead]
            done = end
    parts.append(text[done:])
    found = []
    for number, whole in enumerate(b"".join(parts).decode().split("\n"), 1):
        short = whole if number + 1 in inside else whole.rstrip()
        found.append(short if number in inside else " " * ((len(short) - len(short.lstrip())) // 4) + short.lstrip())
    return "\n".join(found)


def _does_nothing(node: ast.stmt, place: str) -> bool:
    """Whether a statement is for tests and checkers of types alone, or says what there is where nobody asks."""
    if isinstance(node, ast.Assign) and INNER.search(place):
        return ast.unparse(node.targets[0]) == "__all__"
    return isinstance(node, ast.Assert) or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")


def _begin(node: ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.stmt | ast.expr) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _hidden(node: ast.AST, shown: set[str] | None) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """The functions and classes in a node that help() does not show; None shows what has no underscore."""
    for child in ast.iter_child_nodes(node):
        inner: set[str] | None = set()
        if isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            if child.name.startswith("_") or not (shown is None or child.name in shown):
                yield child
            elif isinstance(child, ast.ClassDef):
                inner = None
        yield from _hidden(child, inner)


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
