"""What a file defines that can be compiled: `hologram-web compile FILE[:NAME]`."""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

from hologram_web.errors import HologramError, IsaError, LaunchError, like
from hologram_web.isa.program import Program
from hologram_web.isa.types import Type
from hologram_web.kernels.generic import GenericKernel
from hologram_web.kernels.kernel import Kernel
from hologram_web.plan.formula import Formula
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.runtime.making import compile

from .arguments import named

__all__ = ["compile_named", "defined", "formula", "program_named", "program_of", "split"]

_PYTHON = (".py", ".pyw")
_JOINED: dict[type[ast.operator], Callable[[Formula, Formula], Formula]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
}
_CALLED = {"ceildiv": Formula.ceildiv, "min": Formula.min, "max": Formula.max}


def split(source: str) -> tuple[Path, str]:
    """`FILE[:NAME]`: the file, and the name or nothing. A colon of a path, as in `C:\\x.py`, is none of these."""
    file, colon, name = source.rpartition(":")
    return (Path(file), name) if colon and name.isidentifier() and Path(file).suffix else (Path(source), "")


def program_of(file: Path) -> Program:
    """The program in a file of text. Raises IsaError, OSError."""
    try:
        return Program.from_text(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise IsaError(f"{file} is no text: {error}") from None


def program_named(source: str, constants: Sequence[str] = ()) -> Program:
    """The program of a file of text, or of what `FILE[:NAME]` names. Raises LaunchError where that is no single one."""
    file, name = split(source)
    values = {key: _value(key, text) for key, text in named(constants, "constant").items()}
    if file.suffix not in _PYTHON:
        _check_text(file, name, values)
        return program_of(file)
    name, value = _chosen(file, name)
    if isinstance(value, Kernel):
        value = _specialized(name, value, values).program
    if not isinstance(value, Program):
        raise LaunchError(f"{name} is no kernel and no program: plans and functions of arrays become several programs")
    return value


def defined(file: Path) -> dict[str, Any]:
    """What a Python file defines that can be compiled, by name: kernels, functions of arrays, programs and plans.

    The file runs as it does when it is imported; what it imports from its own folder is found. Raises LaunchError
    where it fails, and what the package raises as it is.
    """
    sys.path.insert(0, str(file.resolve().parent))
    try:
        found = run_path(str(file), run_name=file.stem)
    except HologramError:
        raise
    except Exception as error:
        last = [at for at in traceback.extract_tb(error.__traceback__) if at.filename == str(file)][-1:]
        line = f":{last[0].lineno}" if last else ""
        raise LaunchError(f"{file}{line} fails: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    return {name: each for name, each in found.items() if not name.startswith("_") and _can_be_compiled(each, file)}


def _can_be_compiled(value: Any, file: Path) -> bool:
    if isinstance(value, Kernel):
        return Path(value.file).resolve() == file.resolve()  # and none that it imports
    if isinstance(value, (Program, CompiledProgram)):
        return True
    return hasattr(value, "inlined") and hasattr(value, "compile") and value.__module__ == file.stem


def formula(text: str) -> Formula:
    """`n`, `64`, `ceildiv(n, 4) * 2`: a formula over sizes and scalars. Raises LaunchError."""
    try:
        return _formula(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, KeyError, TypeError):
        raise LaunchError(
            f"{text!r} is no formula: names and integers with + - * //, ceildiv(a, b), min(a, b) and max(a, b)"
        ) from None


def _formula(node: ast.expr) -> Formula:
    match node:
        case ast.Constant(value=int(number)):
            return Formula((number,))
        case ast.Name(id=name):
            return Formula((name,))
        case ast.BinOp(left=left, op=op, right=right):
            return _JOINED[type(op)](_formula(left), _formula(right))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _CALLED[name](*map(_formula, args))
    raise ValueError


def _formulas(text: str) -> list[Formula]:
    """Formulas with commas between them: of a shape, or of lanes along x, y and z."""
    try:
        body = ast.parse(f"({text},)", mode="eval").body
    except SyntaxError:
        body = None
    if not isinstance(body, ast.Tuple):
        return [formula(text)]  # which says what is wrong
    return [formula(ast.unparse(each)) for each in body.elts]


def _value(name: str, text: str) -> Any:
    """A constant of a kernel: a type, or what Python writes as a literal."""
    types = {str(ty): ty for ty in Type}
    if text in types:
        return types[text]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        raise LaunchError(f"{name}={text} is no value: a type such as f32, a number, True, a tuple or 'text'") from None


def compile_named(
    source: str,
    *,
    lanes: str = "",
    block: str = "",
    shapes: Sequence[str] = (),
    constants: Sequence[str] = (),
    math: str | None = None,
) -> CompiledProgram:
    """What `FILE[:NAME]` names, compiled; without a name the file has to define one thing.

    `shapes` are `port=h,w`, `constants` values of a kernel's constants and type variables, `name=value`. Raises
    LaunchError, TranslateError, and what the file raises.
    """
    file, name = split(source)
    given: dict[str, Any] = {"math": math} if math else {}
    if lanes:
        given["lanes"] = _formulas(lanes)
    if block:
        given["block"] = tuple(_length(part) for part in block.split(","))
    if shapes:
        given["shapes"] = {port: _formulas(text) for port, text in named(shapes, "shape").items()}
    values = {key: _value(key, text) for key, text in named(constants, "constant").items()}
    if file.suffix not in _PYTHON:
        _check_text(file, name, values)
        program = program_of(file)
        program.validate()
        made = compile(program, **given)
    else:
        made = _compiled(*_chosen(file, name), given, values)
    arrays = [port.name for port in made.ports if port.access is not None]
    if wrong := [port for port in given.get("shapes", ()) if port not in arrays]:
        raise LaunchError(f"--shape {wrong[0]}: {made.name} has no array {wrong[0]!r}: {', '.join(arrays) or 'none'}")
    return made


def _check_text(file: Path, name: str, values: Mapping[str, Any]) -> None:
    if name or values:
        raise LaunchError(f"{file} is no Python: it has no names and no constants")


def _specialized(name: str, kernel: Kernel, values: Mapping[str, Any]) -> Kernel:
    """The kernel with these constants and types. Raises LaunchError where a type is missing."""
    made = kernel.specialize(**values) if values or hasattr(kernel, "constants") else kernel
    if isinstance(made, GenericKernel):
        first = made.variables[0].__name__
        raise LaunchError(f"{name} has type variables: compile says their types, --set {first}=f32")
    return made


def _length(text: str) -> int:
    if not text.strip().isdigit():
        raise LaunchError(f"{text!r} is no length of a block: write up to three integers, 16,16")
    return int(text)


def _chosen(file: Path, name: str) -> tuple[str, Any]:
    if not file.is_file():
        raise LaunchError(f"there is no file {file}")
    found = defined(file)
    if not found:
        raise LaunchError(
            f"{file} defines nothing that can be compiled: no kernel, function of arrays, program or plan"
        )
    listed = ", ".join(found)
    if name and name not in found:
        raise LaunchError(f"{file} defines no {name!r} that can be compiled: it has {listed}{like(name, found)}")
    if not name and len(found) > 1:
        raise LaunchError(f"{file} defines {listed}: say which, {file}:{next(iter(found))}")
    name = name or next(iter(found))
    return name, found[name]


def _compiled(name: str, value: Any, given: Mapping[str, Any], values: Mapping[str, Any]) -> CompiledProgram:
    if isinstance(value, Kernel):
        return compile(_specialized(name, value, values), **given)
    if values:
        raise LaunchError(f"{name} is no kernel: it has no constants")
    if isinstance(value, Program):
        return compile(value, **given)
    if given:
        raise LaunchError(f"{name} says its lanes, shapes and math itself: they are not given here")
    return value if isinstance(value, CompiledProgram) else value.compile()
