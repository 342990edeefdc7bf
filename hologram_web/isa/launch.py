"""How a program is launched: grid, block, shared memory and the values of its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import LaunchError
from .operands import Register

if TYPE_CHECKING:
    from .rules import LaunchRules

__all__ = [
    "MAX_BLOCK_LANES",
    "MAX_LANES",
    "BlockDim",
    "ExecutionParams",
    "GridDim",
    "LaunchConfig",
    "checked_math",
    "linear",
]

MAX_BLOCK_LANES = 1024
MAX_LANES = (1 << 31) - 1


class GridDim(NamedTuple):
    """Number of blocks along x, y and z."""

    x: int = 1
    y: int = 1
    z: int = 1


class BlockDim(NamedTuple):
    """Number of lanes of a block along x, y and z."""

    x: int = 1
    y: int = 1
    z: int = 1


@dataclass(frozen=True)
class LaunchConfig:
    """A grid of blocks of lanes; by default one lane. Ints and short tuples are accepted for `grid` and `block`.

    `shared_memory` adds bytes to the program's own. `lanes`, if given, is how many lanes along x, y and z really
    run: the others of the last blocks are off from the start (they count as exited at barriers). `promises` are
    what the launch promises about the Atlas, if it does.
    """

    grid: GridDim = GridDim()
    block: BlockDim = BlockDim()
    shared_memory: int = 0
    lanes: tuple[int, int, int] | None = None
    promises: LaunchRules | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", GridDim(*_triple(self.grid, "grid", 0)))
        object.__setattr__(self, "block", BlockDim(*_triple(self.block, "block", 1)))
        if self.lanes is not None:
            lanes = _triple(self.lanes, "lanes", 0)
            object.__setattr__(self, "lanes", lanes)
            if any(asked > had * size for asked, had, size in zip(lanes, self.grid, self.block, strict=True)):
                raise LaunchError(f"{lanes} lanes do not fit a grid of {tuple(self.grid)} blocks {tuple(self.block)}")
        if self.block_lanes > MAX_BLOCK_LANES:
            raise LaunchError(
                f"a block of {tuple(self.block)} has {self.block_lanes} lanes: at most {MAX_BLOCK_LANES} are allowed"
            )
        # Lanes are numbered block by block. Those of the last block that are off do not count: a number of lanes may be
        # rounded up to whole blocks.
        last = [(count - 1) % size for count, size in zip(self.lanes_on, self.block, strict=True)]
        x, y, _ = self.block
        ends = (self.blocks - 1) * self.block_lanes + last[0] + x * (last[1] + y * last[2]) + 1
        if ends > MAX_LANES:
            total = self.blocks * self.block_lanes
            raise LaunchError(f"the launch has {total} lanes: at most 2**31 - 1 are allowed; launch parts of it")
        if not isinstance(self.shared_memory, int) or not 0 <= self.shared_memory <= 1 << 24:
            raise LaunchError(f"shared_memory is a number of bytes up to 2**24, not {self.shared_memory!r}")

    @cached_property
    def blocks(self) -> int:
        return self.grid.x * self.grid.y * self.grid.z

    @cached_property
    def block_lanes(self) -> int:
        return self.block.x * self.block.y * self.block.z

    def with_rules(self, **promises: Any) -> LaunchConfig:
        """The same launch with promises about the Atlas: see LaunchRules. Raises LaunchError."""
        from .rules import LaunchRules

        return replace(self, promises=LaunchRules(**promises))

    @property
    def rules(self) -> LaunchRules:
        """What is promised about the Atlas: by default nothing."""
        from .rules import LaunchRules

        return self.promises or LaunchRules()

    @cached_property
    def lanes_on(self) -> tuple[int, int, int]:
        """Lanes that run along x, y and z."""
        return self.lanes or (self.grid.x * self.block.x, self.grid.y * self.block.y, self.grid.z * self.block.z)

    def total_threads(self) -> int:
        """Lanes that run."""
        x, y, z = self.lanes_on
        return x * y * z

    @classmethod
    def linear(cls, total_threads: int, block: int = 256, shared_memory: int = 0) -> LaunchConfig:
        """Exactly `total_threads` lanes along x, in blocks of `block`."""
        return cls._exact((total_threads, 1, 1), (block, 1, 1), shared_memory)

    @classmethod
    def grid_2d(
        cls, width: int, height: int, block: tuple[int, int] = (16, 16), shared_memory: int = 0
    ) -> LaunchConfig:
        """Exactly `width` x `height` lanes."""
        return cls._exact((width, height, 1), (*block, 1), shared_memory)

    @classmethod
    def grid_3d(
        cls, width: int, height: int, depth: int, block: tuple[int, int, int] = (8, 8, 4), shared_memory: int = 0
    ) -> LaunchConfig:
        """Exactly `width` x `height` x `depth` lanes."""
        return cls._exact((width, height, depth), block, shared_memory)

    @classmethod
    def _exact(cls, asked: Any, block: Any, shared_memory: int) -> LaunchConfig:
        lanes, size = _triple(asked, "lanes", 0), _triple(block, "block", 1)
        grid = GridDim(*(-(-count // each) for count, each in zip(lanes, size, strict=True)))
        return cls(grid, BlockDim(*size), shared_memory, lanes)


@lru_cache(256, typed=True)
def linear(lanes: int) -> LaunchConfig:
    """`LaunchConfig.linear`, made once."""
    return LaunchConfig.linear(lanes)


def checked_math(math: str) -> str:
    """`math`, if it is a way to compute floats. Raises LaunchError."""
    if math not in ("exact", "fast", "strict"):
        raise LaunchError(f"math is 'exact', 'fast' or 'strict', not {math!r}")
    return math


def _triple(value: Any, what: str, least: int) -> tuple[int, int, int]:
    numbers = (value,) if not isinstance(value, (tuple, list)) else tuple(value)
    try:
        found = [int(number.__index__()) for number in (*numbers, 1, 1, 1)[: max(len(numbers), 3)]]
    except (AttributeError, TypeError):
        found = []
    if not numbers or len(found) != 3 or any(not least <= number < 1 << 32 for number in found):
        raise LaunchError(f"{what} is one to three integers of at least {least}, not {value!r}")
    return found[0], found[1], found[2]


@dataclass(frozen=True)
class ExecutionParams:
    """A launch configuration and the values of the parameters, by name or register.

    Buffers and pools are given by handle, scalars as Python or NumPy numbers. `math` is how F32 is computed, if not as
    the device was told to.
    """

    launch: LaunchConfig = field(default_factory=LaunchConfig)
    args: Mapping[str, Any] | Mapping[str | Register, Any] = field(default_factory=dict)
    math: str | None = None
