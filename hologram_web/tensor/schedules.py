"""What schedules of the tensor library are chosen by: they are pure functions of sizes, types and these traits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

__all__ = ["ROWS", "TRAITS", "DeviceTraits", "size_class", "traits_for"]

# Rows of two vectors of sums that a block makes on wasm, and how many steps of theirs are one round of a loop. V8 has
# 15 vectors for sums, a row of a panel, an element of the other factor, and, unless it fuses, a product: of the peak
# five rows exactly came to 0.80, six to 0.50, and six fused to 0.96. Cranelift computes what is in a round behind all
# of its loads, whatever the order, so that more steps are more in memory meanwhile, and sums in memory cost it little
# (`python -m bench.tiles`).
ROWS = {"exact": (5, 4), "fused": (6, 2), "native": (8, 2)}


@dataclass(frozen=True)
class DeviceTraits:
    """Whether the lanes of a block run at the same time, bytes of shared memory, and which schedules were found faster
    by timing them (hologram_web_tools/tune.py): by the class of sizes and types, a text and its constants. Where it
    `fuses` a product and a sum are one instruction, and no register is for what is between; what is `native` runs here,
    compiled by Cranelift, and is in no file. `fast` says that sums need not be in order,
    and `gpu` that lanes run by the ten thousand, which is known natively only: software that plays a GPU has few."""

    name: str
    together: bool
    shared: int = 16_384  # which every adapter has
    tuned: tuple[tuple[str, Any], ...] = ()
    fuses: bool = False
    native: bool = False
    fast: bool = False
    gpu: bool = False

    @property
    def rows(self) -> int:
        """How many rows of sums there is room for."""
        return ROWS["fused" if self.fuses else "exact"][0]

    @property
    def tile(self) -> tuple[int, int]:
        """Rows of sums where both factors are packed, and steps of a round."""
        return ROWS["native" if self.native else "fused" if self.fuses else "exact"]


# By target. Plans are made with what is here.
TRAITS = {each.name: each for each in (DeviceTraits("wasm", False), DeviceTraits("webgpu", True))}


def traits_for(target: str, math: str = "exact", here: str = "") -> DeviceTraits:
    """The traits of a target that computes floats like that, in files or natively."""
    found = TRAITS[target]
    fast = math == "fast"
    if found.together:
        return replace(found, fast=fast, gpu=here == "gpu")
    return replace(found, fuses=fast, fast=fast, native=bool(here))


def size_class(*sizes: Any) -> str | None:
    """What sizes have in common that lie between the same powers of two; None where one is not known yet."""
    if not all(isinstance(size, int) for size in sizes):
        return None
    return "x".join(f"{(1 << size.bit_length()) >> 1}" for size in sizes)
