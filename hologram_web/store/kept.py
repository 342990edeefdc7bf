"""What is kept of compiled kernels, as bytes: JSON in one line, then the bytes that it tells of.

A `Form` writes values of one type and reads them back; forms of records are tables of their fields, from which both are
made. Reading makes nothing but what the forms name, and runs nothing: whatever is of another type, missing or too
much is a ValueError, for which `recall` (disk.py) compiles anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

__all__ = [
    "BYTES",
    "CODE",
    "FLAG",
    "NAME",
    "TEXT",
    "WHOLE",
    "Form",
    "Tail",
    "list_of",
    "mapped",
    "one_of",
    "read",
    "record",
    "tuple_of",
    "write",
]

T = TypeVar("T")
U = TypeVar("U")


class Tail:
    """The bytes behind the JSON, taken in order."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def take(self, count: int) -> bytes:
        start, self.position = self.position, self.position + count
        if self.position > len(self.data):
            raise ValueError("bytes are missing")
        return self.data[start : self.position]


@dataclass(frozen=True)
class Form(Generic[T]):
    """How values of a type are written as what JSON has, with a tail of bytes, and read. Both raise ValueError."""

    pack: Callable[[T, bytearray], Any]
    unpack: Callable[[Any, Tail], T]


def _checked(holds: Callable[[Any], bool]) -> Form[Any]:
    """Values that JSON has as they are, if they are what they should be: `True` is no number."""

    def check(value: Any, _: object) -> Any:
        if not holds(value):
            raise ValueError(f"{value!r} is of another type")
        return value

    return Form(check, check)


TEXT: Form[str] = _checked(lambda value: type(value) is str)
FLAG: Form[bool] = _checked(lambda value: type(value) is bool)
WHOLE: Form[int] = _checked(lambda value: type(value) is int and value >= 0)
NAME: Form[str | int | None] = _checked(lambda value: value is None or type(value) in (str, int))


def mapped(form: Form[U], to: Callable[[T], U], back: Callable[[U], T]) -> Form[T]:
    """Values that are written as others."""
    return Form(lambda value, tail: form.pack(to(value), tail), lambda item, tail: back(form.unpack(item, tail)))


def _bytes(data: bytes, tail: bytearray) -> int:
    tail += data
    return len(data)


BYTES: Form[bytes] = Form(_bytes, lambda item, tail: tail.take(WHOLE.unpack(item, tail)))

CODE: Form[str] = mapped(BYTES, str.encode, bytes.decode)


def list_of(form: Form[T]) -> Form[list[T]]:
    """Any number of values."""

    def unpack(items: Any, tail: Tail) -> list[T]:
        if type(items) is not list:
            raise ValueError(f"{items!r} is no list")
        return [form.unpack(item, tail) for item in items]

    return Form(lambda values, tail: [form.pack(value, tail) for value in values], unpack)


def tuple_of(*forms: Form[Any]) -> Form[Any]:
    """As many values as there are forms."""

    def unpack(items: Any, tail: Tail) -> tuple[Any, ...]:
        if type(items) is not list or len(items) != len(forms):
            raise ValueError(f"{items!r} are not {len(forms)} values")
        return tuple([form.unpack(item, tail) for form, item in zip(forms, items, strict=True)])

    return Form(
        lambda values, tail: [form.pack(value, tail) for form, value in zip(forms, values, strict=True)], unpack
    )


def record(kind: Callable[..., T], fields: Mapping[str, Form[Any]]) -> Form[T]:
    """A class by its fields, all of which are in the table, in the order of its constructor."""
    return mapped(
        tuple_of(*fields.values()),
        lambda value: tuple([getattr(value, name) for name in fields]),
        lambda values: kind(*values),
    )


def one_of(members: Mapping[int, T], number: Callable[[T], int]) -> Form[T]:
    """Members of an enum, by number."""

    def back(item: int) -> T:
        if item not in members:
            raise ValueError(f"there is no number {item}")
        return members[item]

    return mapped(WHOLE, number, back)


def write(form: Form[T], value: T) -> bytes:
    """The bytes of a value. Raises ValueError for what the form does not hold."""
    tail = bytearray()
    text = json.dumps(form.pack(value, tail), separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n" + tail


def read(form: Form[T], raw: bytes) -> T:
    """The value of bytes. Raises ValueError, and nothing else, for what `write` did not write."""
    text, line, rest = raw.partition(b"\n")
    tail = Tail(rest)
    try:
        value = form.unpack(json.loads(text), tail)
    except RecursionError:
        raise ValueError("lists in lists without end") from None
    if not line or tail.position != len(rest):
        raise ValueError("it ends elsewhere")
    return value
