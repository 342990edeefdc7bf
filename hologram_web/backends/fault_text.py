"""What faults say. Every device that knows as much says the same."""

from __future__ import annotations

from ..isa.types import Type

__all__ = [
    "ADAPTER_LOOPS",
    "CANCELLED",
    "COORDINATES",
    "DIVISOR",
    "NOTES",
    "clock",
    "divergent",
    "element_divisor",
    "misaligned",
    "note",
    "off_axis",
    "outside",
    "steps",
]

DIVISOR = "the divisor is zero: test it before"
CANCELLED = "the launch was cancelled"
ADAPTER_LOOPS = (
    "this adapter ends the loops of a shader after 65,535 rounds in all: do less in a lane, or run on another device"
)
# Coordinates of Phi and how many of each there are.
COORDINATES = (("class", 96), ("page", 48), ("byte", 256))


def outside(many: int, offset: int, name: str, size: int, element: int) -> str:
    """OutOfBounds of `many` bytes, of `element` each; of one element its index is told, too."""
    index, elements = "", ""
    if many == element and offset % element == 0:
        index, elements = f" (index {offset // many})", f" ({size // many} element{'s' * (size // many != 1)})"
    what = f"{many} bytes at offset {offset}{index} are outside {name}, which has {size} bytes{elements}"
    return f"{what}: check the index against the length"


def off_axis(index: int, length: int, array: str, axis: int) -> str:
    """OutOfBounds of an index on one axis of an array."""
    what = f"index {index} of axis {axis} of {array}"
    wrong = f"is negative, and the length is {length}" if index < 0 else f"is beyond its length, which is {length}"
    return f"{what} {wrong}: check the index against the length"


def misaligned(ty: Type, offset: int, name: str) -> str:
    return f"{ty} at offset {offset} of {name} is not aligned: the offset has to be a multiple of {ty.alignment}"


# What is wrong with one number: coordinates of Phi first, then the notes of the Atlas instructions (isa/meanings.py).
NOTES = (
    *(f"{what} {{}} does not exist: it is from 0 to {limit - 1}" for what, limit in COORDINATES),
    "class {} does not exist: it is from 0 to 95",
    "page {} is not in the footprint of the launch",
    "byte {} is not in the footprint of the launch",
    "class {} has no neighbour of that index: there are 5 or 6, from 0 on",
    "no element is at byte {} of a class, which has 12288",
    "coordinate {} is outside the torus",
    "a torus of {} points has no 32 orbits: its size is a multiple of 32",
    "orbit {} does not exist: it is from 0 to 31",
    "{} has no inverse to that modulus: they have a common divisor, or the modulus is below 2",
    "character {} does not exist: it is from 0 to 31",
    "the value with the bits {} is not finite",
)


def note(number: int, value: int) -> str:
    """What is wrong with a number."""
    return NOTES[number].format(value)


def element_divisor(element: int) -> str:
    """DivisionByZero in a collective."""
    return f"the divisor of element {element} is zero"


def steps(limit: int) -> str:
    return f"a lane went around loops more than {limit} times: does a loop not end?"


def clock(seconds: float | None) -> str:
    return f"the launch did not end within {seconds} seconds: does a loop not end? Limits(seconds=...) allows more time"


def divergent(block: int, first: tuple[int, int], second: tuple[int, int]) -> str:
    """DivergentBarrier; each of the two is a lane and the instruction it waits at, the lower instruction first."""
    return (
        f"lanes of block {block} wait at different places: lane {first[0]} at instruction {first[1]}, "
        f"lane {second[0]} at instruction {second[1]}; let all lanes of a block reach the same bar_sync"
    )
