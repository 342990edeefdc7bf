"""The playground's Python, in a worker with Pyodide: runs a program's text, and tells what became of it.

A program is an ordinary module. Two of its names are looked at: `program` is the CompiledProgram that runs on the
devices of the browser, `inputs` a dict of what it takes; each may be a function without parameters that gives it.
"""

from __future__ import annotations

import ast
import inspect
import io
import linecache
import re
import sys
import traceback
from contextlib import redirect_stdout
from math import prod
from types import ModuleType
from typing import Any

import hologram_web as hg
from hologram_web.errors import HologramError, TranslateError
from hologram_web.isa.operands import Access
from hologram_web.runtime import arrays
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web_tools.disassemble import disassemble
from hologram_web_tools.explain import PARTS

FILE = "program.py"
WHOLE = "program"  # among the units: all that the file has
MOST = 200_000  # characters of a text that is shown
_POINTER = re.compile(r"\n.*\n *\^+$")
_OWN_LINE = re.compile(rf"\b{re.escape(FILE)}:(\d+)")

_module = ModuleType("program")
_compiled: CompiledProgram | None = None


class _Printed(io.StringIO):
    """What is printed, as far as somebody reads it."""

    def write(self, text: str) -> int:
        if self.tell() <= MOST:
            super().write(text)
        return len(text)


async def compiled(text: str) -> dict[str, Any]:
    """Runs a text from its beginning: what it printed, its units, the file of its program with inputs, and what is
    wrong: a message and its place."""
    global _module, _compiled
    printed = _Printed()
    _module, _compiled = ModuleType("program"), None
    sys.modules["program"] = _module
    linecache.cache[FILE] = (len(text), None, text.splitlines(keepends=True), FILE)
    found: dict[str, Any] = {"problem": None, "file": None, "inputs": None}
    with redirect_stdout(printed):
        try:
            code = compile(text, FILE, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            waiting = eval(code, _module.__dict__)
            if inspect.iscoroutine(waiting):
                await waiting
            await _take_program(found)
        except Exception as error:
            found["problem"] = _told(error)
        except SystemExit as error:
            found["problem"] = _problem(f"SystemExit: {error}", None)
    return found | {"printed": printed.getvalue(), "units": _units()}


async def _take_program(found: dict[str, Any]) -> None:
    global _compiled
    made = await _value("program")
    if made is None:
        return
    if not isinstance(made, CompiledProgram):
        kind = type(made).__name__
        raise TypeError(f"program is a {kind}; what hg.compile or a function's compile gives is expected")
    _compiled = made
    file = made.to_bytes()
    found["inputs"] = _inputs(made, await _value("inputs"))
    found["file"] = file


async def _value(name: str) -> Any:
    """What a name of the module stands for: itself, or what it gives."""
    value = getattr(_module, name, None)
    if inspect.isfunction(value):
        value = value()
    return await value if inspect.iscoroutine(value) else value


def _inputs(made: CompiledProgram, given: Any) -> list[dict[str, Any]]:
    """What a run takes, as JavaScript gives it to the runtime. A tuple of lengths is an array of zeros."""
    if given is not None and not isinstance(given, dict):
        raise TypeError(
            f"inputs is a {type(given).__name__}; a dict is expected, with a value for each of {_ports(made)}"
        )
    values, found = dict(given or {}), []
    for port in made.ports:
        if port.name not in values:
            if port.access is Access.WRITE or port.name in made.defaults:
                continue
            raise ValueError(f"inputs has no {port.name!r}: the program takes {_ports(made)}")
        value = values.pop(port.name)
        one: dict[str, Any] = {"name": port.name, "type": str(port.ty), "shape": None, "bytes": None, "value": None}
        if port.name in made.plan.scalars:
            one["value"] = value
        elif isinstance(value, tuple) and all(type(length) is int for length in value):
            one["shape"] = list(value)
        else:
            element = made.elements.get(port.name, port.ty)
            one["shape"] = _shape(value)
            one["bytes"] = data = bytes(arrays.raw(arrays.array(_read(value), element)))
            numbers, count = len(data) // port.ty.size_bytes, prod(one["shape"])
            if count and numbers > count:  # such as the two of a complex number: along a further axis
                one["shape"].append(numbers // count)
        found.append(one)
    if values:
        raise ValueError(f"inputs has {next(iter(values))!r}, which the program does not take: {_ports(made)}")
    return found


def _shape(value: Any) -> list[int]:
    """How many elements there are along each axis."""
    if isinstance(value, (list, tuple)):
        return [len(value), *(_shape(value[0]) if value else ())]
    shape = getattr(value, "shape", None)
    return list(shape) if shape is not None else [len(value)] if hasattr(value, "__len__") else []


def _read(value: Any) -> Any:
    """What was computed on a device, as an array; others as they are."""
    return value.numpy() if hasattr(value, "numpy") else value


def _ports(made: CompiledProgram) -> str:
    return ", ".join(map(str, made.ports))


def _units() -> list[str]:
    """Whose code can be looked at: the whole program, and the kernels."""
    kernels = [name for name, value in vars(_module).items() if isinstance(value, hg.Kernel)]
    return [WHOLE] * (_compiled is not None) + kernels


def view(unit: str, kind: str) -> str:
    """The code of a unit: kind is isa, wgsl or wat. What cannot be compiled is told in its place."""
    try:
        kernel = getattr(_module, unit, None)
        if unit == WHOLE and _compiled is not None:
            text = "\n".join(_whole(_compiled, kind))
        else:
            text = PARTS[kind](kernel, (256, 1, 1)) if isinstance(kernel, hg.Kernel) else ""
    except HologramError as error:
        text = f"not to be had: {error}\n"
    return text if len(text) <= MOST else f"{text[:MOST]}\n... {len(text) - MOST:,} more characters\n"


def _whole(made: CompiledProgram, kind: str) -> list[str]:
    artifact = made.artifact
    if kind == "isa":
        return [program.to_text() for program in made.programs]
    if kind == "wgsl":
        return [f"// Shader {number + 1}\n{artifact.shader(number)}" for number in range(len(artifact.shaders))]
    return [f";; Module {number + 1}\n{disassemble(module)}" for number, module in enumerate(artifact.modules)]


def _told(error: Exception) -> dict[str, Any]:
    """What is wrong, and where: from the error itself, from its notes, or from the frames of the program."""
    notes = getattr(error, "__notes__", [])
    if isinstance(error, TranslateError) and error.file == FILE and error.line is not None:
        message = _POINTER.sub("", error.message)  # the editor shows the line
        return _problem("\n".join([message, *notes]), (error.line, error.column or 1, None, None))
    name = "" if isinstance(error, HologramError) else f"{type(error).__name__}: "
    if isinstance(error, SyntaxError) and error.filename == FILE and error.lineno is not None:
        first, last = (error.lineno, error.offset or 1), (error.end_lineno or 0, error.end_offset or 0)
        return _problem(f"{name}{error.msg}", (*first, *(last if last > first else (None, None))))
    message = "\n".join([f"{name}{error}", *notes])
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == FILE and frame.lineno is not None:
            column, end = frame.colno, frame.end_colno
            place = (frame.lineno, 1 + (column or 0), frame.end_lineno, None if end is None else end + 1)
            return _problem(message, place)
    if line := _OWN_LINE.search(message):
        return _problem(message, (int(line[1]), None, None, None))
    return _problem(message, None)


def _problem(message: str, place: tuple[Any, Any, Any, Any] | None) -> dict[str, Any]:
    return {"message": message, "place": None if place is None else dict(zip(_PLACE, place, strict=True))}


_PLACE = ("line", "column", "endLine", "endColumn")  # from 1; the end is behind the last character
