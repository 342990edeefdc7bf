"""What elements of arrays are besides numbers of the ISA. In programs and in files they are numbers, or bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import IsaError
from .types import Type

if TYPE_CHECKING:
    import numpy

__all__ = ["Element", "ElementType", "axes_of", "bool_", "element_named", "stored_as"]


@dataclass(frozen=True)
class Element:
    """Elements that lie in memory as `width` numbers of the type `storage`; without `width` as one.

    To a program an array of them is one of `storage`, with `width` as the length of a further, last axis.
    """

    name: str
    storage: Type
    width: int | None = None

    is_wide = False

    @property
    def size_bytes(self) -> int:
        return self.storage.size_bytes * (self.width or 1)

    @property
    def numpy(self) -> numpy.dtype[Any]:
        """The NumPy dtype of an array of them."""
        import numpy

        return numpy.dtype(self.name)

    def __str__(self) -> str:
        return self.name


ElementType = Type | Element
bool_ = Element("bool", Type.U8)  # a byte, 0 or 1


_NAMED = {element.name: element for element in (bool_,)}


def element_named(text: str) -> Element:
    """The elements that a text describes, as files have it. Raises IsaError."""
    found = _NAMED.get(text)
    if found is None:
        raise IsaError(f"{text!r} describes no elements: there are {', '.join(_NAMED)}")
    return found


def axes_of(ty: ElementType) -> tuple[int, ...]:
    """The axes of one element in memory."""
    return () if isinstance(ty, Type) or ty.width is None else (ty.width,)


def stored_as(ty: ElementType) -> Type:
    """The type of the numbers that elements are in memory."""
    return ty.storage if isinstance(ty, Element) else ty
