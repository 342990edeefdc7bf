"""What the parts of the generator share while one program is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, TypeVar

from hologram_web.isa import Register, Type
from hologram_web.isa.launch import LaunchConfig

from .emit import Code, Value
from .plan import Combination, Profile, combinations

if TYPE_CHECKING:
    from .atlas import Ground
    from .memory import Memories

__all__ = ["Context", "Function"]

_T = TypeVar("_T")


@dataclass
class Function:
    """A function of the program: where it is, which registers it takes and gives, and where it may be called."""

    label: str
    level: int
    arguments: list[Value]
    results: list[Value]
    uniform: bool  # it holds a barrier: all lanes of a block have to call it
    trips: int  # its longest loop


@dataclass
class Context:
    """The state of one generator: the random numbers, the code so far, the memory, what is still planned."""

    rng: Random
    profile: Profile
    config: LaunchConfig
    code: Code
    plan: list[Combination]
    features: set[str]
    functions: list[Function] = field(default_factory=list)
    used: set[str] = field(default_factory=set)  # features that came to pass
    depth: int = 0  # of values made for values
    global_lane: Value | None = None
    block_lane: Value | None = None
    memories: Memories = field(init=False)
    ground: Ground | None = None

    @property
    def block_lanes(self) -> int:
        return self.config.block_lanes

    @property
    def lanes(self) -> int:
        return self.config.blocks * self.config.block_lanes

    # Choices

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, choices: Sequence[_T]) -> _T:
        return choices[self.rng.randrange(len(choices))]

    def between(self, low: int, high: int) -> int:
        return self.rng.randint(low, high)

    def integer_type(self, top: int = 0) -> Type:
        """An integer type that holds 0 to `top`, and that addresses may be computed in."""
        return self.pick([ty for ty in self.profile.types if ty.is_integer and not ty.is_wide and ty.max_value >= top])

    # The plan

    def take(self, *names: str, ty: Type | None = None) -> Combination | None:
        """Takes a planned combination off the plan: of one of the instructions, with that type first; or None."""
        for number, combination in enumerate(self.plan):
            if combination.row.name in names and (ty is None or combination.types[0] is ty):
                return self.plan.pop(number)
        return None

    def next_combination(self) -> Combination:
        """What is to be emitted next: the first of the plan, or anything."""
        if self.plan:
            return self.plan.pop(0)
        return self.pick(combinations(self.profile))

    # Names of registers that hold parameters

    @staticmethod
    def parameter(number: int) -> Register:
        return Register(number)
