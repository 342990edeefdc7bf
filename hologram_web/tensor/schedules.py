"""What schedules of the tensor library are chosen by: they are pure functions of sizes, types and these traits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

__all__ = ["TRAITS", "DeviceTraits", "traits_for"]


@dataclass(frozen=True)
class DeviceTraits:
    """Whether the lanes of a block run at the same time, bytes of shared memory, and which schedules were found faster
    by timing them (hologram_web_tools/tune.py): by the class of sizes and types, a text and its constants. Where it
    `fuses` a product and a sum are one instruction, and no register is for what is between; what is `native` runs here,
    on wasm compiled by Cranelift, and is in no file. `fast` says that sums need not be in order,
    and `gpu` that lanes run by the ten thousand, which is known natively only: software that plays a GPU has few."""

    name: str
    together: bool
    shared: int = 16_384  # which every adapter has
    tuned: tuple[tuple[str, Any], ...] = ()
    fuses: bool = False
    native: bool = False
    fast: bool = False
    gpu: bool = False


# By target. Plans are made with what is here.
TRAITS = {each.name: each for each in (DeviceTraits("wasm", False), DeviceTraits("webgpu", True))}


def traits_for(target: str, math: str = "exact", here: str = "") -> DeviceTraits:
    """The traits of a target that computes floats like that, in files or natively."""
    found = TRAITS[target]
    fast = math == "fast"
    if found.together:
        return replace(found, fast=fast, gpu=here == "gpu", native=bool(here))
    return replace(found, fuses=fast, fast=fast, native=bool(here))
