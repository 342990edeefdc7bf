"""Recipes: how lanes compute, at the start of a region, what the host knows of before it.

The host of a device hands a lane region numbers. Where there is no such host when scalars become known, the region is
handed the scalars instead, and a recipe for each value that is kept: its instructions, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..isa.types import Type

__all__ = ["Constant", "Do", "Input", "Kept", "Part", "Recipe", "recipe_of", "with_inputs"]

_MAX_STEPS = 256


class Input(NamedTuple):
    """A scalar that the region is handed; what it is given for it is `value`. A predicate ("pred") is 0 or 1."""

    ty: Type | str
    value: Any


class Constant(NamedTuple):
    ty: Type | str
    bits: int


class Part(NamedTuple):
    """What an earlier step gave."""

    number: int


class Do(NamedTuple):
    """An instruction without its written operand; `at` is where it stands. Registers are Parts."""

    row: str
    at: int
    operands: tuple[Any, ...]


Recipe = tuple[Input | Constant | Do, ...]  # the last step gives the value


class Kept(NamedTuple):
    """A register or predicate of a region that is computed. Input n is called `name`.n."""

    name: str
    recipe: Recipe

    @property
    def inputs(self) -> dict[str, Input]:
        """By name, what the region is handed."""
        return {f"{self.name}.{n}": step for n, step in enumerate(self.recipe) if isinstance(step, Input)}


def recipe_of(row: str, at: int, operands: Iterable[Any]) -> Recipe | None:
    """The recipe of an instruction whose operands may be Inputs, Constants and recipes; None if it is too long."""
    steps: dict[Input | Constant | Do, Part] = {}

    def add(step: Input | Constant | Do) -> Part:
        return steps.setdefault(step, Part(len(steps)))

    def found(operand: Any) -> Any:
        if isinstance(operand, (Input, Constant)):
            return add(operand)
        if type(operand) is not tuple:
            return operand
        parts: list[Part] = []
        for step in operand:
            if isinstance(step, Do):
                step = step._replace(
                    operands=tuple(parts[p.number] if isinstance(p, Part) else p for p in step.operands)
                )
            parts.append(add(step))
        return parts[-1]

    add(Do(row, at, tuple(found(operand) for operand in operands)))
    return tuple(steps) if len(steps) <= _MAX_STEPS else None


def with_inputs(recipe: Recipe, change: Callable[[Any], Any]) -> Recipe:
    """The recipe with other values of its inputs."""
    return tuple(step._replace(value=change(step.value)) if isinstance(step, Input) else step for step in recipe)
