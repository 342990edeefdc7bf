"""What schedules of the tensor library are chosen by: they are pure functions of sizes, types and these traits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

__all__ = ["EXACT_ROWS", "FUSED_ROWS", "TRAITS", "DeviceTraits", "size_class", "traits_for"]

# Rows of two vectors of sums that a block makes on wasm, fused and exact. V8 has 15 vectors for sums, a row of a panel,
# an element of the other factor, and, unless it fuses, a product: with six rows then an exact product of 512 x 512 took
# 10.6 ms on one thread of Chromium, with five 7.9.
FUSED_ROWS, EXACT_ROWS = 6, 5


@dataclass(frozen=True)
class DeviceTraits:
    """Whether the lanes of a block run at the same time, bytes of shared memory, and which schedules were found faster
    by timing them (hologram_web_tools/tune.py): by the class of sizes and types, a text and its constants. Where it
    `fuses` a product and a sum are one instruction, and no register is for what is between."""

    name: str
    together: bool
    shared: int = 16_384  # which every adapter has
    tuned: tuple[tuple[str, Any], ...] = ()
    fuses: bool = False

    @property
    def rows(self) -> int:
        """How many rows of sums there is room for."""
        return FUSED_ROWS if self.fuses else EXACT_ROWS


# By target. Plans are made with what is here.
TRAITS = {each.name: each for each in (DeviceTraits("wasm", False), DeviceTraits("webgpu", True))}


def traits_for(target: str, math: str = "exact") -> DeviceTraits:
    """The traits of a target that computes floats like that."""
    found = TRAITS[target]
    return replace(found, fuses=True) if math == "fast" and not found.together else found


def size_class(*sizes: Any) -> str | None:
    """What sizes have in common that lie between the same powers of two; None where one is not known yet."""
    if not all(isinstance(size, int) for size in sizes):
        return None
    return "x".join(f"{(1 << size.bit_length()) >> 1}" for size in sizes)
