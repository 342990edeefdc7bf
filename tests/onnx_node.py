"""A node of ONNX: its inputs, its attributes, what comes out, and arrays that its row makes."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Node", "NotCovered", "listed", "need"]

Array = NDArray[Any]
TYPES = {np.dtype(name): short for name, short in (
    ("float16", "f16"), ("float32", "f32"), ("float64", "f64"), ("int8", "i8"), ("int16", "i16"), ("int32", "i32"),
    ("int64", "i64"), ("uint8", "u8"), ("uint16", "u16"), ("uint32", "u32"), ("uint64", "u64"), ("bool", "u8"),
)}  # fmt: skip


class NotCovered(Exception):
    """What a node is that no instruction of ours is."""


@dataclass
class Node:
    """A node: its inputs, None where one is left out; its attributes; how many results are asked for."""

    name: str
    inputs: list[Array | None]
    attributes: dict[str, Any]
    wanted: list[Array]
    made: dict[str, Array] = field(default_factory=dict)  # arrays of the program beside its inputs and results

    def __getitem__(self, number: int) -> Array:
        given = self.get(number)
        if given is None:
            raise NotCovered("an input is left out")
        return given

    def get(self, number: int) -> Array | None:
        return self.inputs[number] if number < len(self.inputs) else None

    def attribute(self, name: str, otherwise: Any = None) -> Any:
        found = self.attributes.get(name, otherwise)
        return found.decode() if isinstance(found, bytes) else found

    @property
    def ty(self) -> str:
        return self.of(self.wanted[0])

    @staticmethod
    def of(array: Array) -> str:
        if array.dtype not in TYPES:
            raise NotCovered(f"elements are {array.dtype}")
        return TYPES[array.dtype]

    def array(self, values: Array) -> str:
        """The name of an array that the row makes."""
        name = f"m{len(self.made)}"
        self.made[name] = values
        return name

    def temporary(self, count: int, ty: str = "") -> str:
        """The name of an array between instructions."""
        dtype = next(each for each, short in TYPES.items() if short == (ty or self.ty))
        return self.array(np.zeros(count, dtype))

    def along(self, otherwise: int) -> str:
        """The same as text."""
        outer, length, inner = self.axis(otherwise)
        return f"{outer}, {length}, inner={inner}"

    def axis(self, otherwise: int, shape: tuple[int, ...] | None = None) -> tuple[int, int, int]:
        """What lies outside the axis, its length, and what lies inside."""
        shape = self[0].shape if shape is None else shape
        number = self.attribute("axis", otherwise) % max(len(shape), 1)
        return prod(shape[:number]), shape[number], prod(shape[number + 1 :])


def need(condition: Any, reason: str) -> None:
    if not condition:
        raise NotCovered(reason)


def listed(values: Any) -> str:
    return f"({', '.join(map(str, values))})"
