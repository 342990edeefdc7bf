"""Records: NamedTuples and dataclasses as values, as elements of arrays and as parameters of kernels, and NumPy's
structured types as elements.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from ...errors import IsaError, TranslateError
from ...isa.elements import Element, ElementType, Part, bool_, element_of, record, vector
from ...isa.types import Type
from .compounds import Compound, Parts, PartsType
from .names import ArrayType
from .types import Weak

if TYPE_CHECKING:
    from .expressions import Expressions

__all__ = [
    "constructed",
    "dtype_of",
    "element_of_class",
    "flattened",
    "form_of_element",
    "given_parts",
    "is_record",
    "record_type",
    "replaced",
    "value_of_instance",
]


@dataclass(frozen=True)
class Record(Compound):
    """Values of a dataclass, or, without a class, of a structured type of NumPy: its fields may be assigned."""

    made_by: Any
    mutable = True
    indexed = False

    def place(self, kernel: Expressions, node: ast.Subscript) -> int:
        """Which part `p["x"]` is; of NamedTuples also `p[0]`."""
        text = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(text, str) and text in self.names:
            return self.names.index(text)
        if isinstance(text, str) or not self.indexed:
            listed = ", ".join(self.names)
            kernel.fail(
                node.slice, f"there is no field {ast.unparse(node.slice)}: {ast.unparse(node.value)} has {listed}"
            )
        return super().place(kernel, node)

    def __str__(self) -> str:
        return self.made_by.__name__ if self.made_by is not None else f"a record of {', '.join(self.names)}"


@dataclass(frozen=True)
class Frozen(Record):
    """Values of a frozen dataclass."""

    mutable = False


@dataclass(frozen=True)
class Named(Frozen):
    """Values of a NamedTuple, which are also tuples."""

    indexed = True


def is_record(found: Any) -> bool:
    """Whether it is a NamedTuple or a dataclass of the user's, or a generic one with types, `P[hg.f32]`."""
    found = get_origin(found) or found
    of_class = isinstance(found, type) and (_is_named(found) or dataclasses.is_dataclass(found))
    return of_class and found.__module__.partition(".")[0] != __package__.partition(".")[0]


def _is_named(cls: Any) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


@cache
def _form(cls: Any) -> Record:
    cls = get_origin(cls) or cls
    if _is_named(cls):
        return Named(tuple(cls._fields), cls)
    names = tuple(field.name for field in dataclasses.fields(cls))
    return (Frozen if cls.__dataclass_params__.frozen else Record)(names, cls)


def form_of_element(element: Element) -> Record:
    """What records of arrays are as values."""
    if element.made_by is not None:
        return _form(element.made_by)
    return Record(tuple(part.name for part in element.parts), None)


def _fields(cls: Any) -> dict[str, Any]:
    """The annotations of the fields, evaluated. Raises TranslateError."""
    if (origin := get_origin(cls)) is not None:
        known = dict(zip(origin.__parameters__, get_args(cls), strict=True))
        return {name: _with(ty, known) for name, ty in _fields(origin).items()}
    found: dict[str, Any] = {}
    around = _around(cls)
    for base in reversed(cls.__mro__):
        names = {**around, **vars(sys.modules.get(base.__module__, object))}
        for name, said in getattr(base, "__annotations__", {}).items():
            said = getattr(said, "__forward_arg__", said)
            try:
                found[name] = _meant(said, dict(names), dict(vars(base))) if isinstance(said, str) else said
            except Exception as error:
                raise TranslateError(f"the type of {cls.__name__}.{name}, {said}, is not known: {error}") from None
    return {name: found[name] for name in _form(cls).names}


def _with(ty: Any, known: Mapping[Any, Any]) -> Any:
    """An annotation where type variables are what is known of them."""
    if isinstance(ty, PartsType):
        return ty.meant(lambda inner: known.get(inner, inner))
    if isinstance(ty, TypeVar):
        return known.get(ty, ty)
    origin: Any = get_origin(ty)
    return origin[tuple(_with(inner, known) for inner in get_args(ty))] if origin and is_record(ty) else ty


def _meant(said: str, names: dict[str, Any], inside: dict[str, Any]) -> Any:
    """What an annotation means that is kept as a text, as all are after `from __future__ import annotations`."""

    def annotated() -> None:
        pass

    annotated.__annotations__ = {"return": said}
    return inspect.get_annotations(annotated, globals=names, locals=inside, eval_str=True)["return"]


def _around(cls: Any) -> dict[str, Any]:
    """The names where a class is defined, in a function or in text that is executed: no module has them."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_locals.get(cls.__name__) is not cls:
        frame = frame.f_back
    return {} if frame is None else {**frame.f_globals, **frame.f_locals}


@cache
def record_type(cls: Any) -> PartsType:
    """What a class means as an annotation. Raises TranslateError for fields that are no numbers, arrays or records."""
    return PartsType(_form(cls), tuple(_type(cls, name, ty) for name, ty in _fields(cls).items()))


def _type(cls: Any, name: str, ty: Any) -> Any:
    if isinstance(ty, (Type, ArrayType, PartsType, TypeVar)):  # fields of a type variable take what they are given
        return ty
    if ty in (bool, bool_):
        return Weak.BOOL
    if isinstance(ty, Element) and ty.text.startswith("complex"):
        from .complexes import type_of_complex

        return type_of_complex(ty)
    if is_record(ty):
        return record_type(ty)
    raise _no_field(cls, name, ty)


# Arguments do not tell the types of fields: a function around the kernel, whose argument is the type, does.
_WHICH = "elements of arrays say which type, hg.Array[{0}[hg.f32]]; for several, def made(ty) makes the kernel, {0}[ty]"


def _no_field(cls: Any, name: str, ty: Any) -> TranslateError:
    if isinstance(ty, TypeVar):
        return TranslateError(f"the field {name} of {cls.__name__} is {ty.__name__}: {_WHICH.format(cls.__name__)}")
    advice = {int: "hg.i32", float: "hg.f32", complex: "hg.complex64"}.get(ty, "hg.f32, hg.i32 and so on")
    return TranslateError(
        f"the field {name} of {cls.__name__} is {getattr(ty, '__name__', ty)!s}, no type of a kernel: write {advice}"
    )


@cache
def element_of_class(cls: Any, align: bool = False) -> Element:
    """Elements that are of a class: their fields one after another, as NumPy's types have them. Raises
    TranslateError."""
    parts, size, most = [], 0, 1
    for name, ty in _fields(cls).items():
        found = element_of_any(ty)
        if found is None:
            raise _no_field(cls, name, ty)
        alignment = _alignment(found)
        most = max(most, alignment)
        size = -(-size // alignment) * alignment if align else size
        parts.append(Part(name, found, size))
        size += found.size_bytes
    size = -(-size // most) * most if align else size
    try:
        return dataclasses.replace(record(tuple(parts), size), made_by=cls)
    except IsaError as error:
        raise TranslateError(f"{cls.__name__} cannot be an element of arrays: {error}") from None


def _alignment(ty: ElementType) -> int:
    return ty.alignment if isinstance(ty, Type) else max([ty.storage.alignment, *(_alignment(p.ty) for p in ty.parts)])


def element_of_any(ty: Any) -> ElementType | None:
    """The elements of arrays that something means: a type, a class, a dtype of NumPy; None for other things."""
    if isinstance(ty, Element) or (isinstance(ty, Type) and not ty.is_wide):
        return ty
    if ty is bool:
        return bool_
    if is_record(ty):
        return element_of_class(ty)
    if isinstance(ty, PartsType) and all(inner is ty.types[0] and isinstance(inner, Type) for inner in ty.types):
        return vector(ty.types[0], len(ty.types)) if ty.form.names == tuple("xyzw"[: len(ty.types)]) else None
    if isinstance(ty, PartsType) and isinstance(ty.types[0], TypeVar):
        raise TranslateError(f"{ty.form} of {ty.types[0].__name__}: {_WHICH.format(f'hg.vec{len(ty.types)}')}")
    if type(ty).__module__.startswith("numpy") and hasattr(ty, "fields"):
        try:
            return element_of(ty)
        except IsaError as error:
            raise TranslateError(str(error)) from None
    return None


def dtype_of(cls: Any, align: bool = False) -> Any:
    """The NumPy dtype of an array whose elements are of a NamedTuple or a dataclass: `np.zeros(9, hg.dtype_of(P))`.

    Its fields lie one after another; with `align` where C would put them. In a page without NumPy what Buffers take for
    one, `ex.zeros(9, hg.dtype_of(P))`.
    """
    if not is_record(cls):
        raise TranslateError(f"hg.dtype_of takes a NamedTuple or a dataclass, not {cls!r}")
    element = element_of_class(cls, align)
    return element.numpy if _has_numpy() else element


def _has_numpy() -> bool:
    """Whether arrays are NumPy's: in a page those of a program that has imported it."""
    return sys.platform != "emscripten" or "numpy" in sys.modules


# Values


def constructed(kernel: Expressions, node: ast.Call, cls: Any) -> Parts:
    """`Particle(x, v=1)`."""
    ty, given = record_type(cls), {}
    names = ty.form.names
    form = f"{cls.__name__}({', '.join(names)})"
    for name, argument in [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]:
        if name not in names or name in given or isinstance(argument, ast.Starred):
            what = "is given twice" if name in given else "is no field"
            kernel.fail(argument, f"{name} {what}: write {form}")
        given[name] = _conformed(kernel, argument, ty.types[names.index(name)])
    defaults = _defaults(cls)
    if len(node.args) > len(names) or any(name not in given and name not in defaults for name in names):
        kernel.fail(node, f"write {form}: arguments are missing or too many")
    for name, inner in zip(names, ty.types, strict=True):
        if name not in given:
            given[name] = kernel.conform(node, kernel.object_value(node, defaults[name]), inner)
    return Parts(ty.form, tuple(given[name] for name in names))


def _conformed(kernel: Expressions, argument: ast.expr, ty: Any) -> Any:
    if isinstance(ty, ArrayType):
        return kernel.array(argument)
    return kernel.conform(argument, kernel.any_value(argument), ty)


def _defaults(cls: Any) -> Mapping[str, Any]:
    if _is_named(cls):
        found: Mapping[str, Any] = cls._field_defaults
        return found
    return {field.name: field.default for field in dataclasses.fields(cls) if field.default is not dataclasses.MISSING}


def replaced(kernel: Expressions, node: ast.Call, owner: ast.expr) -> Parts:
    """`p._replace(x=1)` and `dataclasses.replace(p, x=1)`."""
    value = kernel.any_value(owner)
    if not isinstance(value, Parts) or not isinstance(value.form, Record) or value.form.made_by is None:
        kernel.fail(owner, f"{ast.unparse(owner)} is no record of a class: only their fields are replaced")
    ty, parts = record_type(value.form.made_by), list(value.values)
    for keyword in node.keywords:
        if keyword.arg not in ty.form.names:
            listed = ", ".join(ty.form.names)
            kernel.fail(keyword.value, f"{keyword.arg} is no field: {ty.form} has {listed}")
        number = ty.form.names.index(keyword.arg)
        parts[number] = _conformed(kernel, keyword.value, ty.types[number])
    return Parts(value.form, tuple(parts))


def value_of_instance(kernel: Expressions, node: ast.AST, found: Any) -> Parts:
    """A record from outside, which is a constant."""
    made_by: Any = type(found)
    form = _form(made_by)
    return Parts(form, tuple(kernel.object_value(node, getattr(found, name)) for name in form.names))


# Parameters of kernels


def flattened(name: str, ty: Any) -> dict[str, Any]:
    """The parameters that one of a kernel becomes: of a record one for each of its fields, with dotted names."""
    if not isinstance(ty, PartsType):
        return {name: Type.I32 if ty is Weak.BOOL else ty}
    pairs = zip(ty.form.names, ty.types, strict=True)
    return {key: inner for part, of in pairs for key, inner in flattened(f"{name}.{part}", of).items()}


def given_parts(name: str, ty: PartsType, value: Any) -> dict[str, Any] | None:
    """The arguments that one for a record becomes; None for what is no such record."""
    made_by = getattr(ty.form, "made_by", None)
    found: dict[str, Any] = {}
    if made_by is not None and not isinstance(value, made_by):
        return None
    for number, (part, inner) in enumerate(zip(ty.form.names, ty.types, strict=True)):
        try:
            of = value[number] if ty.form.indexed and made_by is None else getattr(value, part)
        except (AttributeError, IndexError, TypeError):
            return None
        if isinstance(inner, PartsType):
            parts = given_parts(f"{name}.{part}", inner, of)
            if parts is None:
                return None
            found |= parts
        else:
            found[f"{name}.{part}"] = int(bool(of)) if inner is Weak.BOOL else of
    return found
