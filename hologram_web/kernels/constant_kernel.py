"""Kernels with parameters that are known while translating: one program for each choice of their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any

from ..errors import LaunchError, TranslateError, like, outermost
from ..frontends.python.names import ConstantType
from ..frontends.python.source import Definition
from ..frontends.python.translate import annotated
from .choices import Choices
from .kernel import Kernel, make_choice
from .launch import signature

if TYPE_CHECKING:
    from ..backends import Backend

__all__ = ["ConstantKernel"]

_EMPTY = CellType()  # of a variable that is not assigned yet
_OF_PROGRAMS = ("program", "hidden", "prints", "defaults", "lines", "variables", "for_types", "_translation",
    "_source_map")  # fmt: skip


class ConstantKernel(Kernel):
    """A kernel with constants among its parameters, `BM: hg.Constant[int] = 64`. A launch gives them like any argument,
    `specialize(BM=32)` makes the kernel without them. Its own `program` is that of their default values.

    `constants` are those that have no value yet, with the types they take.
    """

    def __init__(
        self, definition: Definition, device: Backend | None = None, family: ConstantKernel | None = None
    ) -> None:
        """Raises TranslateError for parameters that cannot be, whatever the constants are."""
        self._name(definition, annotated(definition), device)
        self.constants = {name: ty for name, ty in self.params.items() if isinstance(ty, ConstantType)}
        self._choices: Choices = Choices(device, None if family is None else family._choices)
        for name, value in definition.defaults.items():
            if name in self.constants:
                self._checked(name, value)

    def __getattr__(self, name: str) -> Any:
        if name not in _OF_PROGRAMS:
            raise AttributeError(f"a kernel with constants has no {name}")
        missing = [constant for constant in self.constants if constant not in self._definition.defaults]
        if missing:
            example = ", ".join(f"{constant}=..." for constant in missing)
            raise TranslateError(f"{self.name} has constants without a value: take {self.name}.specialize({example})")
        return getattr(self.specialize(), name)

    def _on(self, device: Backend) -> Kernel:
        return ConstantKernel(self._definition, device, self)

    def checking(self, checks: str) -> Kernel:
        definition = self._definition.checking(checks)
        same = definition.checks == self._definition.checks
        return self if same else ConstantKernel(definition, self._device)

    @outermost
    def specialize(self, **values: Any) -> Kernel:
        types = {name: value for name, value in values.items() if name not in self.constants}
        given = {name: self._checked(name, value) for name, value in values.items() if name in self.constants}
        for name in self.constants:
            if name not in given and name in self._definition.defaults:
                given[name] = self._definition.defaults[name]
        missing = [name for name in self.constants if name not in given]
        if missing:
            raise TranslateError(f"{self.name} has constants without a value: {', '.join(missing)}")
        made = self._kernel(given)
        if types and not hasattr(made, "decided"):  # no type variables
            listed = ", ".join(self.constants)
            raise TranslateError(f"{self.name} has no constant {next(iter(types))!r}: it has {listed}")
        return made.specialize(**types) if types else made

    def _kernel(self, values: Mapping[str, Any]) -> Kernel:
        key = tuple(_key(values[name]) for name in self.constants)
        return self._choices.get(key, lambda: make_choice(self._definition.with_constants(values)))

    def _checked(self, name: str, value: Any) -> Any:
        """A value that a constant takes. Raises TranslateError."""
        wanted = self.constants[name]
        if hasattr(value, "item") and getattr(value, "shape", None) == ():
            value = value.item()
        if wanted.takes(value):
            return float(value) if wanted.ty is float else value
        raise TranslateError(f"the constant {name} of {self.name} is {wanted}, not {value!r}")

    def resolved(
        self, args: tuple[Any, ...], named: Mapping[str, Any]
    ) -> tuple[Kernel, tuple[Any, ...], dict[str, Any]]:
        """The kernel that arguments are for, and those that it takes. Raises LaunchError and TranslateError."""
        names = list(self.params)
        values = {name: value for name, value in zip(names, args, strict=False) if name in self.constants}
        for name in named:
            if name not in self.params:
                near = like(name, names) or ":"
                raise LaunchError(f"there is no parameter {name!r}{near} the kernel takes ({signature(self.params)})")
        for name in self.constants:
            if name in named:
                if name in values:
                    raise LaunchError(f"constant {name!r} is given twice")
                values[name] = named[name]
            elif name not in values and name not in self._definition.defaults:
                raise LaunchError(f"constant {name!r} is missing: {self.name} takes {name}: {self.constants[name]}")
        places = [*names, *[""] * max(len(args) - len(names), 0)]
        rest = tuple(value for name, value in zip(places, args, strict=False) if name not in self.constants)
        return self.specialize(**values), rest, {k: v for k, v in named.items() if k not in self.constants}

    @outermost
    def __call__(self, *args: Any, **named: Any) -> None:
        kernel, args, named = self.resolved(args, named)
        kernel(*args, **named)

    def over(self, array: Any) -> Callable[..., None]:
        @outermost
        def launch(*args: Any, **named: Any) -> None:
            kernel, args, named = self.resolved(args, named)
            kernel.over(array)(*args, **named)

        return launch

    def _chosen(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> Kernel:
        kernel, args, rest = self.resolved(args, named)
        return kernel._chosen(args, rest)


def _key(value: Any) -> Any:
    """What tells values of a constant apart: 1, 1.0 and True are equal, and so are 0.0 and -0.0."""
    if isinstance(value, tuple):
        return tuple(map(_key, value))
    if isinstance(value, FunctionType):  # made anew, it is the same if it does the same, and sees the same around it
        cells = [cell.cell_contents for cell in value.__closure__ or () if cell != _EMPTY]
        seen = [(FunctionType, cell) if isinstance(cell, FunctionType) else _key(cell) for cell in cells]
        return value.__code__, id(value.__globals__), *seen, _key(value.__defaults__ or ())
    plain = isinstance(value, (bool, int, float, str, bytes))
    return type(value), repr(value) if plain else id(value)  # which the kernel that is made of it keeps
