"""What a device keeps from launch to launch for the Atlas, and the arguments that launches get of it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..errors import LaunchError
from ..isa.atlas import CELL_UNIT, CELLS
from ..isa.lift import Hidden
from ..isa.operands import BufferHandle, Immediate
from ..isa.phase import advance
from ..isa.program import Program
from ..isa.rules import LaunchRules

__all__ = ["AtlasState", "resonance_of"]


class AtlasState:
    """The resonance of the 96 classes, exact; the phase and how often it went around; buffers bound to classes."""

    def __init__(self) -> None:
        self.resonance = [Fraction(0)] * 96
        self.phase = self.epoch = 0
        self.bound: dict[int, BufferHandle] = {}

    def advance(self, delta: int) -> int:
        """Goes on by `delta` phases; the phase then."""
        self.phase, rounds = advance(self.phase, delta)
        self.epoch += rounds
        return self.phase

    def bind(self, class_id: int, handle: BufferHandle | None) -> None:
        """Lets a class mean a buffer, or its class memory. Raises LaunchError for a class that does not exist."""
        if not 0 <= class_id < 96:
            raise LaunchError(f"class {class_id} does not exist: classes are 0 to 95")
        self.bound.pop(class_id, None)
        if handle is not None:
            self.bound[class_id] = handle

    def forget_resonance(self) -> None:
        """Makes the resonance of every class 0."""
        self.resonance = [Fraction(0)] * 96

    def forget(self, handle: BufferHandle) -> None:
        """Unbinds a buffer that is freed."""
        self.bound = {class_id: other for class_id, other in self.bound.items() if other != handle}

    def number(self, hidden: Hidden, rules: LaunchRules, program: Program, args: Mapping[Any, Any]) -> int:
        """A number that a launch gets: its phase, footprint, whether there is unity, the size of a pool."""
        if hidden.kind == "phase":
            return self.phase
        if hidden.kind == "footprint":
            return rules.footprint.word
        value = _value(hidden.value, program, args)
        if hidden.kind == "pool":
            if not isinstance(value, int) or value < 0:
                raise LaunchError(f"a pool has a number of bytes from 0 on, not {value!r}: {hidden.value!r} says so")
            return value
        if not value >= 0:
            raise LaunchError(f"epsilon is {value}: it is a number from 0 on")
        total = abs(sum(self.resonance, Fraction(0)))
        return int(total == 0 if value == 0 else value == float("inf") or total < Fraction(value))

    def commit(self, deltas: list[Fraction], rules: LaunchRules) -> None:
        """Adds what a launch that succeeded added. Raises LaunchError where that breaks its rules."""
        rules.check_classes(deltas)
        self.resonance = [a + b for a, b in zip(self.resonance, deltas, strict=True)]
        rules.check_neutral(deltas)


def _value(value: Any, program: Program, args: Mapping[Any, Any]) -> Any:
    """A number, or the argument for a scalar parameter."""
    if not isinstance(value, str):
        return value
    found = args.get(value)
    if found is None:
        number = next(k for k, param in program.register_params().items() if param.name == value)
        found = next((v for key, v in args.items() if getattr(key, "index", None) == number), None)
    if found is None:
        raise LaunchError(f"parameter {value!r} is missing")
    return found.value if isinstance(found, Immediate) else found.item() if hasattr(found, "item") else found


def resonance_of(cells: bytes) -> list[Fraction]:
    """The sums of the 96 classes in the cells of a launch (isa/meanings.py)."""
    size = 12 * CELLS
    found = []
    for start in range(0, 96 * size, size):
        numbers = (int.from_bytes(cells[at : at + 12], "little", signed=True) for at in range(start, start + size, 12))
        found.append(Fraction(sum(number << 8 * place for place, number in enumerate(numbers)), 1 << -CELL_UNIT))
    return found
