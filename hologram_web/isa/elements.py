"""What elements of arrays are besides numbers of the ISA: bools, complex numbers, vectors, records.

In programs and in files they are numbers of one type, or bytes; a text says what these mean:

| text                                   | lies in memory as                                            |
|----------------------------------------|--------------------------------------------------------------|
| `bool`                                 | a byte, 0 or 1                                               |
| `complex64`, `complex128`              | real and imaginary part                                      |
| `vec3<f32>`                            | three numbers; to NumPy a last axis                          |
| `{x: f32 @0, v: vec3<f32> @4} 16`      | bytes: the fields at their offsets, and how many there are   |
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import gcd
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import IsaError
from .types import Type

if TYPE_CHECKING:
    import numpy

__all__ = [
    "Element",
    "ElementType",
    "Part",
    "axes_of",
    "bool_",
    "complex64",
    "complex128",
    "element_named",
    "element_of",
    "record",
    "stored_as",
    "vector",
]

_MOST_BYTES = 1 << 16  # of one element: the largest scale of an address
_MOST_NESTED = 16


class Part(NamedTuple):
    """A number, or again an element, `offset` bytes behind the beginning of one."""

    name: str
    ty: ElementType
    offset: int


@dataclass(frozen=True)
class Element:
    """Elements that lie in memory as `width` numbers of the type `storage`; without `width` as one. `made_by` is the
    class that says what records are.

    To a program an array of them is one of `storage`, with `width` as the length of a further, last axis.
    """

    text: str
    storage: Type
    width: int | None = None
    parts: tuple[Part, ...] = ()
    made_by: Any = field(default=None, compare=False, repr=False)

    is_wide = False

    @property
    def size_bytes(self) -> int:
        return self.storage.size_bytes * (self.width or 1)

    @property
    def is_vector(self) -> bool:
        """Whether NumPy has an axis for the parts, as it has no type for it."""
        return self.text.startswith("vec")

    @property
    def numpy(self) -> numpy.dtype[Any]:
        """The NumPy dtype of an array of them."""
        import numpy as np

        if self.is_vector:
            return self.storage.numpy
        if not self.text.startswith("{"):
            return np.dtype(self.text)
        axes = [axes_of(part.ty) if _is_vector(part.ty) else () for part in self.parts]
        formats = [(part.ty.numpy, own) if own else part.ty.numpy for part, own in zip(self.parts, axes, strict=True)]
        names, offsets = [part.name for part in self.parts], [part.offset for part in self.parts]
        return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": self.size_bytes})

    def aligned(self, offset: int, ty: Type) -> int:
        """Of how many bytes a multiple is the place of a number at that offset, in every element; at most its own."""
        return gcd(self.size_bytes, offset, ty.alignment)

    def __str__(self) -> str:
        return self.text


ElementType = Type | Element


def _complex(text: str, ty: Type) -> Element:
    return Element(text, ty, 2, (Part("real", ty, 0), Part("imag", ty, ty.size_bytes)))


bool_ = Element("bool", Type.U8)
complex64, complex128 = _complex("complex64", Type.F32), _complex("complex128", Type.F64)
_NAMED: dict[str, ElementType] = {element.text: element for element in (bool_, complex64, complex128)}
_NAMED |= {str(ty): ty for ty in Type if not ty.is_wide}


def vector(ty: Type, size: int) -> Element:
    """Vectors of two to four numbers."""
    parts = tuple(Part(name, ty, number * ty.size_bytes) for number, name in enumerate("xyzw"[:size]))
    return Element(f"vec{size}<{ty}>", ty, size, parts)


def record(parts: tuple[Part, ...], size: int) -> Element:
    """Records of so many bytes. Raises IsaError for parts that are not in them."""
    for part in parts:
        if not part.name.isidentifier():
            raise IsaError(f"the field {part.name!r} has no name that can be written in a kernel")
        if not 0 <= part.offset <= size - part.ty.size_bytes:
            raise IsaError(f"the field {part.name} is not within the {size} bytes of its record")
    if not parts or len({part.name for part in parts}) < len(parts) or size > _MOST_BYTES:
        raise IsaError(f"a record has fields of different names, in at most {_MOST_BYTES} bytes")
    listed = ", ".join(f"{part.name}: {part.ty} @{part.offset}" for part in parts)
    return Element(f"{{{listed}}} {size}", Type.U8, size, parts)


_TEXT = re.compile(r"\s*(\{|\}|,|:|@|[A-Za-z_]\w*(?:<\w+>)?|\d{1,9})")
_VECTOR = re.compile(r"vec([234])<(\w+)>")


def element_named(text: str) -> Element:
    """The elements that a text describes. Raises IsaError."""
    words = _TEXT.findall(text[: 1 << 16])
    try:
        found = _read(words, 0)
    except (IndexError, ValueError):
        found = Type.U8
    if isinstance(found, Type) or words or found.text != text:
        raise IsaError(f"{text[:200]!r} describes no elements")
    return found


def _read(words: list[str], depth: int) -> ElementType:
    """What the next words describe, which are taken. Raises ValueError and IndexError."""
    word = words.pop(0)
    if word != "{":
        match = _VECTOR.fullmatch(word)
        found = _NAMED.get(match[2] if match else word)
        if found is None or depth > _MOST_NESTED or (match and isinstance(found, Element)):
            raise ValueError(word)
        return vector(stored_as(found), int(match[1])) if match else found
    parts = []
    while word != "}":
        name, _ = words.pop(0), words.pop(0)
        ty, _ = _read(words, depth + 1), words.pop(0)
        parts.append(Part(name, ty, int(words.pop(0))))
        word = words.pop(0)
    return record(tuple(parts), int(words.pop(0)))


def element_of(dtype: Any) -> ElementType:
    """What elements of a NumPy dtype are. Raises IsaError."""
    if dtype.subdtype is not None and dtype.subdtype[1] in ((2,), (3,), (4,)):
        base = element_of(dtype.subdtype[0])
        if isinstance(base, Type):
            return vector(base, dtype.subdtype[1][0])
    if dtype.names is not None:
        fields = ((name, *dtype.fields[name][:2]) for name in dtype.names)
        return record(tuple(Part(name, element_of(ty), offset) for name, ty, offset in fields), dtype.itemsize)
    name = "bfloat16" if dtype.name == "bfloat16" else f"{dtype.kind}{dtype.itemsize}"
    found = _BY_KIND.get(name)
    if found is None or dtype.byteorder == ">":
        raise IsaError(f"there are no elements of NumPy's {dtype}")
    return found


_BY_KIND: dict[str, ElementType] = {"b1": bool_, "c8": complex64, "c16": complex128, "bfloat16": Type.BF16}
_BY_KIND |= {f"{ty.kind}{ty.size_bytes}": ty for ty in Type if not ty.is_wide and ty is not Type.BF16}


def _is_vector(ty: ElementType) -> bool:
    return isinstance(ty, Element) and ty.is_vector


def axes_of(ty: ElementType) -> tuple[int, ...]:
    """The axes of one element in memory."""
    return () if isinstance(ty, Type) or ty.width is None else (ty.width,)


def stored_as(ty: ElementType) -> Type:
    """The type of the numbers that elements are in memory."""
    return ty.storage if isinstance(ty, Element) else ty
