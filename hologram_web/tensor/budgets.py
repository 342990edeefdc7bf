"""What registers have room for on WebAssembly, and what sizes have in common: schedules are chosen by both."""

from __future__ import annotations

from typing import Any

from .schedules import DeviceTraits

__all__ = ["ROWS", "UNBOUNDED", "choices", "rows_of", "size_class", "tile_of", "timed"]

# Rows of two vectors of sums that a block makes on wasm, and how many steps of theirs are one round of a loop. V8 has
# 15 vectors for sums, a row of a panel, an element of the other factor, and, unless it fuses, a product: of the peak
# five rows exactly came to 0.80, six to 0.50, and six fused to 0.96; with four steps, not two, whole fused products of
# 512 take 0.96 of the time, where k is odd 0.80. Cranelift computes what is in a round behind all of its loads,
# whatever the order, so that more steps are more in memory meanwhile, and sums in memory cost it little
# (`python -m bench.tiles`).
ROWS = {"exact": (5, 4), "fused": (6, 4), "native": (8, 2)}
# Why a way is not taken that needs memory for as many elements as sizes say.
UNBOUNDED = "nobody knows how much memory a faster way needs: the program computes its sizes"


def rows_of(traits: DeviceTraits) -> int:
    """How many rows of sums there is room for."""
    return ROWS["fused" if traits.fuses else "exact"][0]


def tile_of(traits: DeviceTraits) -> tuple[int, int]:
    """Rows of sums where both factors are packed, and steps of a round."""
    return ROWS["native" if traits.native else "fused" if traits.fuses else "exact"]


def size_class(*sizes: Any) -> str | None:
    """What sizes have in common that lie between the same powers of two; None where one is not known yet."""
    if not all(isinstance(size, int) for size in sizes):
        return None
    return "x".join(f"{(1 << size.bit_length()) >> 1}" for size in sizes)


def timed(traits: DeviceTraits, key: str | None) -> tuple[str, dict[str, Any]] | None:
    """What the tuner found fastest for a class of sizes: a text and its constants. None where nothing was timed."""
    found = dict(traits.tuned).get(key) if key is not None else None
    return None if found is None else (found[0], dict(found[1]))


def choices(*found: tuple[str, dict[str, Any]]) -> list[tuple[str, tuple[tuple[str, Any], ...]]]:
    """Schedules to be timed, each once: what is chosen without that is the first."""
    return list(dict.fromkeys((text, tuple(constants.items())) for text, constants in found))
