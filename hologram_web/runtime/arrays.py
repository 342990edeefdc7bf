"""Arrays of the caller: NumPy's, or memoryviews in a page that has not imported NumPy.

Both have `shape`, `nbytes`, `tolist()` and indexing. Without NumPy an array is any object with the buffer protocol, a
typed array of JavaScript, a number, or lists of numbers. BF16 is held as the bits in 16-bit integers, a type of more
than 64 bits as bytes; complex numbers and records, without NumPy, as their numbers and bytes along a further axis.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import prod
from typing import Any

from ..errors import IsaError, UnsupportedType
from ..isa.elements import Element, ElementType, axes_of, bool_, complex64, complex128, element_of, stored_as
from ..isa.types import Type

__all__ = ["array", "empty", "full", "lengths", "lent", "listed", "numpy", "of_type", "raw", "to_type", "type_of"]

_FORMATS: dict[ElementType, str] = {
    Type.F16: "e", Type.BF16: "H", Type.F32: "f", Type.F64: "d",
    Type.I8: "b", Type.I16: "h", Type.I32: "i", Type.I64: "q",
    Type.U8: "B", Type.U16: "H", Type.U32: "I", Type.U64: "Q", bool_: "?",
}  # fmt: skip
_TYPES = {format: ty for ty, format in _FORMATS.items() if ty is not Type.BF16} | {"c": Type.U8}

_ALIKE = {(Type.BF16, Type.U16), (bool_, Type.U8), (Type.U8, bool_)}  # types of the same memory


def numpy() -> Any:
    """NumPy; in Pyodide None, if the program has not imported it."""
    if sys.platform == "emscripten":
        return sys.modules.get("numpy")
    import numpy

    return numpy


def array(data: Any, ty: ElementType | None = None) -> Any:
    """What NumPy or DLPack takes for an array, row by row; converted to `ty`, if there is one, as NumPy does."""
    np = numpy()
    if np is None:
        return _plain(data, ty)
    if isinstance(ty, Type) and ty.is_wide:
        return _wide(np, data, ty)
    if hasattr(data, "to_memoryview"):
        data = data.to_memoryview()
    foreign = hasattr(data, "__dlpack__") and not isinstance(data, np.ndarray)
    found = np.from_dlpack(data) if foreign and not hasattr(data, "__array__") else np.asarray(data)
    if ty in (Type.I64, Type.U64) and found.dtype == np.float64 and not hasattr(data, "dtype"):
        found = np.asarray(data, ty.numpy)  # of numbers from 2**63 on beside smaller ones NumPy makes floats by itself
    if ty is Type.BF16:
        found = _bf16(np, found)
    return np.ascontiguousarray(found, None if ty is None else ty.numpy).reshape(found.shape)


def _wide(np: Any, data: Any, ty: Type) -> Any:
    """Integers of more than 64 bits: of numbers or text, or of bytes that hold them."""
    if getattr(data, "dtype", None) == ty.numpy:
        return np.ascontiguousarray(data)
    found = np.asarray(data, None if isinstance(data, (np.ndarray, bytes, bytearray, memoryview)) else object)
    if found.dtype == object or (found.dtype.kind in "iu" and found.dtype.itemsize > 1):
        return np.frombuffer(bytearray(ty.pack(found.ravel().tolist())), ty.numpy).reshape(found.shape)
    return np.ascontiguousarray(found).reshape(-1).view("u1").view(ty.numpy)


def _bf16(np: Any, values: Any) -> Any:
    """The bits of numbers, rounded to the nearest, ties to even; ml_dtypes' bfloat16 as it is, and uint16, which is
    bits."""
    if _is_bfloat16(values):
        return values.view("u2")
    if values.dtype == np.uint16:
        return values
    exact = values.astype("f8")
    with np.errstate(over="ignore"):
        near = exact.astype("f4")
    # To odd: of what was cut off one bit is kept, so that rounding again is right.
    bits = near.view("u4") - (np.abs(near) > np.abs(exact))
    bits |= (near != exact) & ~np.isnan(exact)
    rounded = (bits + (0x7FFF + (bits >> 16 & 1))) >> 16
    return np.where(np.isnan(exact), (bits >> 16 & 0x8000) | 0x7FC0, rounded).astype("u2")


def of_type(values: Any, ty: ElementType) -> Any:
    """The array, if its elements are of that type, else None. BF16 are ml_dtypes', or the bits, and come as bits; bools
    without NumPy may be bytes, as JavaScript has no others."""
    if isinstance(values, memoryview):
        have = type_of(values)
        if isinstance(ty, Element) and have is ty.storage and (values.shape or (0,))[-1] % prod(axes_of(ty)) == 0:
            return values
        return values if have is ty or (ty, have) in _ALIKE else None
    if isinstance(ty, Element) and ty.is_vector and values.shape[-1:] != (ty.width,):
        return None
    if values.dtype == ty.numpy:
        return values
    return values.view(ty.numpy) if ty is Type.BF16 and _is_bfloat16(values) else None


def _is_bfloat16(values: Any) -> bool:
    """Whether they are of the type of ml_dtypes."""
    return bool(values.dtype.name == "bfloat16")


def to_type(dtype: Any) -> ElementType:
    """The type, which may be given as NumPy's dtype. Raises UnsupportedType."""
    np = numpy()
    if isinstance(dtype, (Type, Element)):
        return dtype
    try:
        return type_of(np.empty(0, dtype))
    except (TypeError, AttributeError):
        raise UnsupportedType(None, f"{dtype!r} is no type: take hg.f32, or another one of hg.Type") from None


def type_of(values: Any) -> ElementType:
    """The type of an array's elements. Raises UnsupportedType for what is no type of the ISA."""
    np = numpy()
    if np is None or isinstance(values, memoryview):
        format = values.format.lstrip("@=<")
        if format in ("l", "L"):  # of the machine
            format = {4: "i", 8: "q"}[values.itemsize] if format == "l" else {4: "I", 8: "Q"}[values.itemsize]
        if format not in _TYPES:
            raise UnsupportedType(None, f"there is no type for elements of the format {values.format!r}: convert them")
        return _TYPES[format]
    try:
        return element_of(values.dtype.newbyteorder("="))
    except IsaError:
        text = f"there is no type for NumPy's {values.dtype}: convert the array, or give a dtype"
        raise UnsupportedType(None, text) from None


def empty(shape: Sequence[int], ty: ElementType) -> Any:
    """An array to be written."""
    np = numpy()
    if np is not None:
        return np.empty(shape, ty.numpy)
    return _shaped(memoryview(bytearray(prod(shape) * ty.size_bytes)), shape, ty)


def full(shape: Sequence[int], value: int | float, ty: ElementType) -> Any:
    """An array of one value."""
    np = numpy()
    if np is not None:
        return np.full(shape, ty.encode(value) if ty is Type.BF16 else value, ty.numpy)
    return _shaped(memoryview(bytearray(_element(ty, value) * prod(shape))), shape, ty)


def raw(values: Any) -> memoryview:
    """The bytes of an array, without a copy."""
    if not isinstance(values, memoryview):
        values = memoryview(values.reshape(-1).view("u1"))
    return values.cast("B") if values.nbytes else memoryview(bytearray())


def _holds(values: Any, ty: Element) -> bool:
    """Whether an array has such elements, and not the numbers that they are: memoryviews have numbers."""
    have = getattr(values, "dtype", None)
    return have == ty if have is None or isinstance(have, (Type, Element)) else bool(have == ty.numpy)


def lengths(values: Any, ty: ElementType) -> tuple[int, ...]:
    """The shape of a Buffer with these elements: as NumPy's, in whose shape vectors alone have an axis of their own."""
    return shape(values, ty) if isinstance(values, memoryview) else tuple(values.shape)


def listed(values: memoryview, ty: Element) -> Any:
    """The elements of a memoryview as Python's complex numbers, or tuples of their parts, in lists of lists."""
    data, size = bytes(raw(values)), ty.size_bytes
    found: list[Any] = [_read(ty, data, at) for at in range(0, len(data), size)]
    for length in reversed(lengths(values, ty)[1:]):
        found = [found[k : k + length] for k in range(0, len(found), length or 1)]
    return found


def _read(ty: ElementType, data: bytes, at: int) -> Any:
    if isinstance(ty, Type):
        return ty.decode(int.from_bytes(data[at : at + ty.size_bytes], "little"))
    if ty is bool_:
        return data[at] != 0
    parts = [_read(part.ty, data, at + part.offset) for part in ty.parts]
    return complex(*parts) if _is_complex(ty) else tuple(parts)


def shape(values: Any, ty: ElementType) -> tuple[int, ...]:
    """How many elements there are along each axis: of what is given as numbers, without their own axis."""
    own = axes_of(ty)
    if not own or not values.shape or (isinstance(ty, Element) and not ty.is_vector and _holds(values, ty)):
        return tuple(values.shape)
    if tuple(values.shape[-1:]) == own and values.ndim > 1:
        return tuple(values.shape[:-1])
    return (*values.shape[:-1], values.shape[-1] // prod(own))


def numbers(values: Any, ty: ElementType) -> Any:
    """The array as the numbers that its elements are in memory, along a further axis where one is several."""
    if isinstance(values, memoryview) or isinstance(ty, Type) or ty.is_vector:
        return values
    return values.view(ty.storage.numpy).reshape(*values.shape, *axes_of(ty))


def elements(values: Any, ty: ElementType) -> Any:
    """The opposite."""
    if isinstance(values, memoryview) or isinstance(ty, Type) or ty.is_vector:
        return values
    return values.view(ty.numpy).reshape(values.shape[: values.ndim - len(axes_of(ty))])


def lent(data: Any) -> Any:
    """The memory of an object as an array, without a copy; None if it lends none. Typed arrays are copied."""
    np = numpy()
    if np is not None and isinstance(data, np.ndarray):
        return data
    try:
        view = data.to_memoryview() if hasattr(data, "to_memoryview") else memoryview(data)
    except (TypeError, ValueError, BufferError):
        return None
    return view if np is None else np.asarray(view)


def _shaped(view: memoryview, shape: Sequence[int], ty: ElementType) -> memoryview:
    """Bytes as an array; without bytes, or of wide integers, they stay as they are."""
    if not view.nbytes or ty.is_wide:
        return view
    shaped: Any = view.cast("B").cast(_FORMATS.get(ty) or _FORMATS[stored_as(ty)], [*shape, *axes_of(ty)])  # type: ignore[call-overload]
    return shaped  # type: ignore[no-any-return]


def _plain(data: Any, ty: ElementType | None) -> memoryview:
    view = lent(data)
    if view is None:
        return _listed(data, ty)
    own = type_of(view)
    if isinstance(ty, Element) and ty is not bool_ and of_type(view, ty) is not None:
        ty = own  # its numbers, or bytes
    if not view.c_contiguous:
        view = _shaped(memoryview(view.tobytes()), view.shape or (), own)
    same = ty is None or ty is own or (ty is Type.BF16 and own is Type.U16)
    return view if same else _listed(view.tolist(), ty)


def _listed(data: Any, ty: ElementType | None) -> memoryview:
    """Numbers in lists: by default integers are I64, and with floats among them F64, as in NumPy."""
    shape: list[int] = []
    rows: Any = [data]
    while rows and isinstance(rows[0], (list, tuple)):
        shape.append(len(rows[0]))
        if any(not isinstance(row, (list, tuple)) or len(row) != shape[-1] for row in rows):
            raise TypeError("the lists of an array have to be of the same length")
        rows = list(chain.from_iterable(rows))
    if isinstance(ty, Element) and not (ty is bool_ or _is_complex(ty)):
        raise TypeError(f"an array of {ty} is made of bytes, or of an object with the buffer protocol, not {data!r}")
    if not all(isinstance(value, (int, float, complex) if _is_complex(ty) else (int, float)) for value in rows):
        raise TypeError(
            f"an array is made of numbers, lists of them, or an object with the buffer protocol, not {data!r}"
        )
    ty = ty or (Type.F64 if any(isinstance(value, float) for value in rows) else Type.I64)
    return _shaped(memoryview(bytearray(b"".join(_elements(ty, rows)))), shape, ty)


def _is_complex(ty: ElementType | None) -> bool:
    return ty in (complex64, complex128)


def _elements(ty: ElementType, values: Iterable[int | float]) -> Iterator[bytes]:
    return (_element(ty, value) for value in values)


def _element(ty: ElementType, value: int | float | complex) -> bytes:
    if isinstance(ty, Element) and _is_complex(ty):
        return b"".join(_element(ty.storage, float(part)) for part in (value.real, value.imag))
    assert not isinstance(value, complex)
    if isinstance(ty, Element):
        return bytes([bool(value)])
    return ty.encode(value if ty.is_float else ty.from_float(value) if isinstance(value, float) else value).to_bytes(
        ty.size_bytes, "little"
    )
