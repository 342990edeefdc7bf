"""Kernel JSON: kernels as data, versions 1.0 and 1.1. `from_python` writes it, `compile` makes kernels of it.

Every error is a TranslateError. One of the JSON has as its file `kernel.json#/kernel/body/0`: behind # stands the JSON
pointer (RFC 6901) of what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hologram_web.errors import TranslateError
from hologram_web.kernels.kernel import Kernel, make

from .reader import Schema, read
from .writer import from_python

if TYPE_CHECKING:
    from hologram_web.isa.program import Program

__all__ = ["JsonToIsa", "Schema", "compile", "compile_all", "from_python", "validate"]


def compile_all(schema: Schema, file: str = "kernel.json") -> dict[str, Kernel]:
    """The kernels of a schema, or of an array of schemas, by their names. `schema` is JSON text or what it stands for.
    Raises TranslateError."""
    return {name: make(definition(), warn=False) for name, definition in read(schema, file).items()}


def compile(schema: Schema, name: str | None = None, file: str = "kernel.json") -> Kernel:
    """The kernel of a schema; of several the one called `name`. Raises TranslateError."""
    found = read(schema, file)
    if name is None and len(found) == 1:
        (name,) = found
    if name is None or name not in found:
        wanted = "say which one" if name is None else f"there is no {name!r}"
        raise TranslateError(f"{wanted}: the kernels are {', '.join(found) or 'none'}", f"{file}#")
    return make(found[name](), warn=False)


def validate(schema: Schema, file: str = "kernel.json") -> None:
    """Checks the form of kernels, but not their types. Raises TranslateError."""
    for definition in read(schema, file).values():
        definition()


class JsonToIsa:
    """`compile(schema).program`, under the name that the specification has for it."""

    def translate(self, schema: Schema) -> Program:
        return compile(schema).program
