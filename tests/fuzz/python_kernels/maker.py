"""What the parts of the generator of kernels share: profiles, what can be named at a place, random choices, lines and
values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from .forms import Form
from .numbers import TYPES, Ty, rounded, wrap

__all__ = ["F32", "F64", "I32", "PROFILES", "U32", "Maker", "Place", "Scope", "Variable"]

_SMALL = tuple(ty for ty in TYPES.values() if ty.bits <= 64)
_WIDE = tuple(TYPES[name] for name in ("i128", "u128", "i256", "u256", "u512"))
I32, U32, F32, F64 = (TYPES[name] for name in ("i32", "u32", "f32", "f64"))


@dataclass(frozen=True)
class Profile:
    """`tame`: floats are as GPUs have them exactly. `wide`: how many kernels of a hundred have wide integers.
    `rewritten`: compilers may rewrite floats, so that zeros of both signs are not told apart. `blocks`: lanes of a
    block work together. `parts`: values have parts, and the launch gives constants. `rows`: lanes of a
    block share rows."""

    types: tuple[Ty, ...]
    tame: bool = False
    wide: int = 8
    lines: int = 12
    rewritten: bool = False
    blocks: bool = False
    parts: bool = False
    rows: bool = False


PROFILES = {
    "python": Profile(_SMALL, lines=12),
    "python-gpu": Profile(tuple(ty for ty in _SMALL if ty is not F64), tame=True, wide=3, lines=9),
}
# Tame floats are multiples of 1/16 below 128, so that what is computed of two of them is exact, in whatever order.
PROFILES["python-fast"] = replace(PROFILES["python-gpu"], rewritten=True)
PROFILES["python-blocks"] = replace(PROFILES["python"], blocks=True, lines=8)
PROFILES["python-rows"] = replace(PROFILES["python"], rows=True, lines=6)
PROFILES["python-parts"] = replace(PROFILES["python"], parts=True, lines=16)
PROFILES["python-parts-gpu"] = replace(PROFILES["python-gpu"], parts=True, lines=12)
PROFILES["python-blocks-gpu"] = replace(PROFILES["python-gpu"], blocks=True, lines=6)


@dataclass
class Variable:
    """A variable that is assigned on all paths to here."""

    name: str
    ty: Ty | None  # None for conditions
    fixed: bool = False  # annotated
    frozen: bool = False  # not to be assigned: counters


@dataclass
class Place:
    """An array that an expression may read, and the index that is the lane's own where it may be written."""

    name: str
    ty: Ty
    shape: tuple[int, ...]
    own: str = ""


@dataclass
class Scope:
    """What can be named here."""

    variables: list[Variable] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    known: list[str] = field(default_factory=list)  # constants: variables of loops that are written out
    compounds: list[tuple[str, Form]] = field(default_factory=list)  # variables that have parts
    helper: bool = False


class Maker:
    """The state of one generator, and what is chosen at random."""

    def __init__(self, seed: int, profile: str) -> None:
        self.random = Random(f"{profile} {seed}")
        self.profile = PROFILES[profile]
        self.seed, self.name = seed, profile
        chosen = self.random.sample(self.profile.types, 4)
        if self.random.randrange(100) < self.profile.wide:
            chosen.append(self.random.choice(_WIDE[:2] if self.profile.tame else _WIDE))
        self.types = list(dict.fromkeys([*chosen, I32, U32]))
        if (
            self.profile.rewritten
            or self.profile.parts
            or (self.profile.tame and not any(ty.kind == "f" for ty in self.types))
        ):
            self.types = list(dict.fromkeys([*self.types, F32]))
        self.scope = Scope()
        self.lines: list[str] = []
        self.indent = 1
        self.count = 0
        self.loops = 0
        self.used: set[str] = set()  # helpers that are needed
        self.own_helpers: list[tuple[str, list[tuple[str, Ty, bool]], Ty]] = []
        self.helper_text = ""
        self.tuples: dict[str, tuple[Any, ...]] = {}
        self.flat = self.chance(50)  # no array has two axes
        self.block_shape: tuple[int, ...] = ()
        self.cells: list[tuple[str, Ty, str, int]] = []  # arrays of cells: name, type, atomic, length
        self.forms: Any = ()  # of expressions, and
        self.kinds: Any = ()  # of statements: what is chosen from
        self.own_cells: Ty | None = None  # the type of those that are a lane's own, once there are some

    # Small choices

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def choice(self, *options: Any) -> Any:
        return self.random.choice(options)

    def fresh(self, prefix: str = "v") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def say(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    @contextmanager
    def block(self) -> Iterator[None]:
        """Lines further in. What is assigned first in there is not known behind."""
        outer = self.scope
        self.scope = replace(
            outer,
            variables=list(outer.variables),
            places=list(outer.places),
            known=list(outer.known),
            compounds=list(outer.compounds),
        )
        self.indent += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.say("pass")
        self.indent -= 1
        self.scope = outer

    # Values

    def integer(self, ty: Ty) -> int:
        kind = self.random.randrange(6)
        if kind < 3:
            value = self.random.randrange(-9, 101)
        elif kind == 3:
            value = self.choice(ty.low, ty.high, ty.high - 1, ty.low + 1, ty.high // 2 + 1)
        elif kind == 4:
            value = 1 << self.random.randrange(ty.bits)
        else:
            value = self.random.getrandbits(ty.bits)
        return wrap(ty, value)

    def number(self, ty: Ty) -> Any:
        """A value of memory."""
        if ty.kind != "f":
            return self.integer(ty)
        if self.profile.tame:
            return (
                self.random.randrange(-16 * 128, 16 * 128 + 1) / 16
                if ty.name != "bf16"
                else self.random.randrange(-128, 129) / 4
            )
        kind = self.random.randrange(8)
        if kind == 0:
            return self.choice(0.0, -0.0, float("inf"), float("-inf"), float("nan"))
        if kind == 1:
            return rounded(ty, self.choice(1e-40, 6e-8, 5e-324, 65504.0, 3.4e38, 1.7e308, 2.0**24 + 1, 2.0**53, -1e-5))
        if kind < 5:
            return rounded(ty, self.random.randrange(-40, 41) / 4)
        return rounded(ty, self.random.gauss(0, 100))

    def literal(self, ty: Ty) -> str:
        """A literal that fits a type."""
        if ty.kind == "f":
            if self.chance(30):
                text = str(self.random.randrange(-9, 10))
            elif self.profile.tame:
                text = repr(self.random.randrange(-160, 161) / 16)
            else:
                text = self.choice(
                    "0.1", "-2.5", "1e-3", "0.0", "-0.0", "1e10", "math.inf", "3.0", "0.5", "7.25", "math.pi"
                )
        elif self.chance(12):  # a constant expression
            a, b = self.random.randrange(1, 9), self.random.randrange(1, 6)
            b = min(b, 3)  # at most 64
            sums = (
                f"({a} + {b})",
                f"{a} * {b}",
                f"({a} << {b})",
                f"min({a}, {b})",
                f"{a} ** 2 % 50",
                f"({a + b} // {b})",
            )
            text = self.random.choice(sums)
            return f"({text})"
        else:
            text = str(self.integer(ty) if self.chance(60) else self.random.randrange(0, 10))
        return f"({text})" if text.startswith("-") else text
