"""Kernels with type variables: one program for each choice of types."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import LaunchError, TranslateError, outermost
from ..frontends.python.names import ALLOWED, Annotation, ArrayType
from ..frontends.python.source import Definition
from ..frontends.python.translate import parameters
from ..isa.types import Type
from .choices import Choices
from .kernel import Kernel, make_choice

if TYPE_CHECKING:
    from ..backends import Backend

__all__ = ["GenericKernel"]


class GenericKernel(Kernel):
    """A kernel with type variables. A launch chooses their types by its arguments, `specialize` by name.

    `variables` are those without a type. Until there are types for all there is no program, and what asks for it
    raises TranslateError.
    """

    def __init__(
        self,
        definition: Definition,
        device: Backend | None = None,
        known: Mapping[TypeVar, Type] | None = None,
        family: GenericKernel | None = None,
    ) -> None:
        """Raises TranslateError for parameters that cannot be, whatever the types are."""
        self._name(definition, parameters(definition), device)
        self._known = dict(known or {})
        self.variables: tuple[TypeVar, ...] = tuple(v for v in definition.variables if v not in self._known)
        self.told_by_arrays = set(self.variables) <= {ty.ty for ty in self.params.values() if isinstance(ty, ArrayType)}
        self._choices: Choices = Choices(device, None if family is None else family._choices)

    def __getattr__(self, name: str) -> Any:
        if name in ("program", "hidden", "lines", "_translation", "_source_map"):
            raise TranslateError(f"{self.name} has type variables: take {self._example()}, which has a program")
        raise AttributeError(f"a generic kernel has no {name}")

    def _example(self, known: Mapping[TypeVar, Type] | None = None) -> str:
        left = [variable for variable in self.variables if variable not in (known or {})]
        types = [f"{v.__name__}=hg.{(v.__constraints__ or (Type.F32,))[0]}" for v in left]
        return f"{self.name}.specialize({', '.join(types)})"

    def _on(self, device: Backend) -> Kernel:
        return GenericKernel(self._definition, device, self._known, self)

    def checking(self, checks: str) -> Kernel:
        definition = self._definition.checking(checks)
        same = definition.checks == self._definition.checks
        return self if same else GenericKernel(definition, self._device, self._known)

    @outermost
    def specialize(self, **types: Type) -> Kernel:
        known = dict(self._known)
        for name, ty in types.items():
            variable = next((v for v in self.variables if v.__name__ == name), None)
            if variable is None:
                listed = ", ".join(v.__name__ for v in self.variables)
                raise TranslateError(f"{self.name} has no type variable {name!r}: it has {listed}")
            if not isinstance(ty, Type):
                raise TranslateError(f"{name} of {self.name} is a type, such as hg.f32, not {ty!r}")
            if ty not in _choices(variable):
                raise TranslateError(f"{name} of {self.name} is one of {_listed(variable)}, not {ty}")
            known[variable] = ty
        return self._kernel(known)

    def _kernel(self, known: Mapping[TypeVar, Type]) -> Kernel:
        key = tuple(known.get(variable) for variable in self._definition.variables)
        chosen = {v: known[v] for v in self._definition.variables if v in known}
        return self._choices.get(key, lambda: self._make(chosen))

    def _make(self, known: Mapping[TypeVar, Type]) -> Kernel:
        if len(known) < len(self._definition.variables):
            return GenericKernel(self._definition, None, known, self)
        return make_choice(self._definition.with_types(known))

    def decided(self, offers: Iterable[tuple[str, TypeVar, tuple[Type, ...]]]) -> Kernel:
        """The kernel for arguments: of each its name, the type variable in its annotation, and the types it can be.

        Raises LaunchError where they do not decide, and TranslateError for what is wrong with these types.
        """
        left: dict[TypeVar, tuple[Type, ...]] = {}
        by: dict[TypeVar, str] = {}
        for name, variable, types in offers:
            before = left.setdefault(variable, types)
            left[variable] = tuple(ty for ty in before if ty in types)
            first = by.setdefault(variable, name)
            if not left[variable]:
                raise LaunchError(
                    f"{variable.__name__} of {self.name} is {_either(before)} by {first!r} and {_either(types)} by "
                    f"{name!r}: give both one type"
                )
        known = dict(self._known)
        for variable in self.variables:
            if variable not in left:
                raise LaunchError(
                    f"nothing says what {variable.__name__} of {self.name} is: arrays and NumPy's numbers do, Python's "
                    f"do not; take {self._example(known)}"
                )
            found = [ty for ty in left[variable] if ty in _choices(variable)]
            where = f"{variable.__name__} of {self.name} is one of {_listed(variable)}"
            if not found:
                raise LaunchError(f"{where}, and {by[variable]!r} is {_either(left[variable])}")
            if found[0].is_wide and len(found) > 1:
                taken = f"{self.name}.specialize({variable.__name__}=hg.{found[0]})"
                raise LaunchError(f"{by[variable]!r} is {_either(tuple(found))}: say which, as in {taken}")
            known[variable] = found[0]
        return self._kernel(known)

    def for_types(self, types: Mapping[str, Type]) -> Kernel:
        """The kernel for arguments of these types, by name. Raises LaunchError and TranslateError."""
        offers = [
            (name, variable, (types[name],))
            for name, ty in self.params.items()
            if name in types and (variable := variable_of(ty)) in self.variables
        ]
        return self.decided(offers)

    def _chosen(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> Kernel:
        from .launch import bound, offers

        given = bound(self.params, self._definition.defaults, args, named)
        wanted = {name: ty for name, ty in self.params.items() if variable_of(ty) in self.variables}
        return self.decided(offers(wanted, given))


def variable_of(annotation: Annotation) -> Any:
    """The type variable in an annotation, or a type."""
    return annotation.ty if isinstance(annotation, ArrayType) else annotation


def _choices(variable: TypeVar) -> tuple[Type, ...]:
    return variable.__constraints__ or ALLOWED


def _listed(variable: TypeVar) -> str:
    return ", ".join(map(str, _choices(variable)))


def _either(types: tuple[Type, ...]) -> str:
    return " or ".join(map(str, types))
