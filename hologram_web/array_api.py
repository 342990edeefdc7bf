"""The Python array API standard (2024.12) on arrays of hologram_web; `of_version` has those before and 2025.12.

Functions come from `array/creation.py`, `functions.py` and `sets.py`, the extensions from `linalg.py` and `fft.py`.
"""

from __future__ import annotations

import builtins
import math
import sys
from functools import cache, wraps
from types import ModuleType, SimpleNamespace
from typing import Any

from .array import creation, fft, linalg
from .array.array import Array
from .array.creation import *  # noqa: F403
from .array.creation import __all__ as _creation
from .array.functions import *  # noqa: F403
from .array.functions import __all__ as _functions
from .array.node import broadcast_shapes as _together
from .array.sets import *  # noqa: F403
from .array.sets import __all__ as _sets
from .array.types import kind_of, promoted, real_of
from .isa.elements import ElementType, bool_, complex64, complex128
from .isa.types import Type
from .runtime import arrays

__array_api_version__ = "2024.12"

bool = bool_
int8, int16, int32, int64 = Type.I8, Type.I16, Type.I32, Type.I64
uint8, uint16, uint32, uint64 = Type.U8, Type.U16, Type.U32, Type.U64
float16, bfloat16, float32, float64 = Type.F16, Type.BF16, Type.F32, Type.F64
e, pi, inf, nan, newaxis = math.e, math.pi, math.inf, math.nan, None

_TYPES: dict[str, ElementType] = {
    "bool": bool, "int8": int8, "int16": int16, "int32": int32, "int64": int64, "uint8": uint8, "uint16": uint16,
    "uint32": uint32, "uint64": uint64, "float32": float32, "float64": float64, "complex64": complex64,
    "complex128": complex128,
}  # fmt: skip
_KINDS = {
    "bool": "b", "signed integer": "s", "unsigned integer": "u", "integral": "su", "real floating": "f",
    "complex floating": "c", "numeric": "sufc",
}  # fmt: skip

__all__ = [
    *_creation, *_functions, *_sets, *_TYPES, "bfloat16", "broadcast_shapes", "can_cast", "e", "fft", "finfo",
    "float16", "iinfo", "inf", "isdtype", "linalg", "nan", "newaxis", "pi",
]  # fmt: skip


def _letter(ty: ElementType) -> str:
    kind = kind_of(ty)
    return kind if kind != "i" else "s" if ty.is_signed else "u"  # type: ignore[union-attr]


def isdtype(dtype: Any, kind: Any) -> Any:
    """Whether a type is of a kind, is another type, or one of several of these."""
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, each) for each in kind)
    if isinstance(kind, str):
        return _letter(dtype) in _KINDS[kind]
    return dtype == kind


def can_cast(from_: Any, to: Any, /) -> Any:
    """Whether no value is lost: the two together make the second."""
    given = from_.dtype if isinstance(from_, Array) else from_
    return promoted(given, to) is to and ("f" in (_letter(given), _letter(to))) <= (_letter(given) in "fb")


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of arrays of these shapes together."""
    return _together(shapes)


def finfo(type: Any, /) -> Any:
    """Bits, eps, max, min, smallest_normal and dtype of a type of floats."""
    ty: Any = real_of(type.dtype if isinstance(type, Array) else arrays.to_type(type))
    digits, least, bits = {
        Type.F16: (10, -14, 16), Type.BF16: (7, -126, 16), Type.F32: (23, -126, 32), Type.F64: (52, -1022, 64),
    }[ty]  # fmt: skip
    most = (2 - 2.0**-digits) * 2.0 ** (1 - least)
    return SimpleNamespace(bits=bits, eps=2.0**-digits, max=most, min=-most, smallest_normal=2.0**least, dtype=ty)


def iinfo(type: Any, /) -> Any:
    """Bits, max, min and dtype of a type of integers."""
    ty: Any = type.dtype if isinstance(type, Array) else arrays.to_type(type)
    return SimpleNamespace(bits=ty.bits, max=ty.max_value, min=ty.min_value, dtype=ty)


class _Info:
    """What `__array_namespace_info__` tells."""

    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> Any:
        return creation.default_executor()

    def devices(self) -> Any:
        return [creation.default_executor()]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        return {
            "real floating": float32, "complex floating": complex64, "integral": int32, "indexing": int32,
        }  # fmt: skip

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        return {name: ty for name, ty in _TYPES.items() if kind is None or isdtype(ty, kind)}


class _Info2025(_Info):
    def devices(self) -> Any:
        return (*super().devices(),)


def __array_namespace_info__() -> _Info:  # noqa: N807  # the standard's name
    return _Info()


@cache
def of_version(version: str | None = None) -> ModuleType:
    """The namespace of a version of the standard; it is this module up to 2024.12. That of 2025.12 gives tuples where
    the ones before give lists. Raises ValueError for others."""
    this = sys.modules[__name__]
    if version in (None, "2021.12", "2022.12", "2023.12", __array_api_version__):
        return this
    if version != "2025.12":
        raise ValueError(f"the versions of the standard are 2021.12 to 2025.12, not {version}")
    made = ModuleType(__name__, __doc__)
    vars(made).update({name: value for name, value in vars(this).items() if not name.startswith("__")})
    vars(made).update(__all__=__all__, __array_api_version__=version, __array_namespace_info__=_Info2025)
    for name in ("broadcast_arrays", "meshgrid"):
        setattr(made, name, _in_tuple(getattr(this, name)))
    return made


def _in_tuple(function: Any) -> Any:
    @wraps(function)
    def call(*given: Any, **options: Any) -> Any:
        return (*function(*given, **options),)

    return call
