"""What faults say. Every device that knows as much says the same."""

from __future__ import annotations

from ..isa.types import Type

__all__ = [
    "ADAPTER_LOOPS",
    "COORDINATES",
    "DIVISOR",
    "clock",
    "divergent",
    "element_divisor",
    "misaligned",
    "no_coordinate",
    "outside",
    "steps",
]

DIVISOR = "the divisor is zero: test it before"
ADAPTER_LOOPS = (
    "this adapter ends the loops of a shader after 65,535 rounds in all: do less in a lane, or run on another device"
)
# Coordinates of Phi and how many of each there are.
COORDINATES = (("class", 96), ("page", 48), ("byte", 256))


def outside(many: int, offset: int, name: str, size: int) -> str:
    """OutOfBounds of `many` bytes."""
    what = f"{many} bytes at offset {offset} are outside {name}, which has {size} bytes"
    return f"{what}: check the index against the length"


def misaligned(ty: Type, offset: int, name: str) -> str:
    return f"{ty} at offset {offset} of {name} is not aligned: the offset has to be a multiple of {ty.alignment}"


def no_coordinate(number: int, value: int) -> str:
    """A coordinate of Phi that does not exist; `number` is 0 for the class, 1 for the page, 2 for the byte."""
    what, limit = COORDINATES[number]
    return f"{what} {value} does not exist: it is from 0 to {limit - 1}"


def element_divisor(element: int) -> str:
    """DivisionByZero in a collective."""
    return f"the divisor of element {element} is zero"


def steps(limit: int) -> str:
    return f"a lane went around loops more than {limit} times: does a loop not end?"


def clock(seconds: float | None) -> str:
    return f"the launch did not end within {seconds} seconds: does a loop not end?"


def divergent(block: int, first: tuple[int, int], second: tuple[int, int]) -> str:
    """DivergentBarrier; each of the two is a lane and the instruction it waits at, the lower instruction first."""
    return (
        f"lanes of block {block} wait at different places: lane {first[0]} at instruction {first[1]}, "
        f"lane {second[0]} at instruction {second[1]}; let all lanes of a block reach the same bar_sync"
    )
