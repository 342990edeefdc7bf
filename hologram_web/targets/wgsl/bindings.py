"""What a shader is compiled with besides its function, and which memories share its bindings."""

from __future__ import annotations

from typing import NamedTuple

from ...isa.address import ON_CHIP, Space
from ...isa.verify import Analysis, Base

__all__ = ["WgslOptions", "apart", "memories_of"]


class WgslOptions(NamedTuple):
    """The arguments of `compile_kernel` that a device decides; equal ones give equal shaders."""

    groups: tuple[tuple[Base, ...], ...]
    shared: int
    math: str = "exact"
    canary: bool = False
    half: bool = False
    parts: tuple[int, ...] = ()
    window: int = 0


def memories_of(analysis: Analysis) -> list[Base]:
    """Memories that the program names, in a fixed order: parameters first, shared and local memory left out."""
    params = {param.name: number for number, param in enumerate(analysis.program.params)}
    bases = {base for base in analysis.bases.values() if base.space not in ON_CHIP}
    return sorted(bases, key=lambda base: (params.get(str(base.name), len(params)), base.space.name, str(base.name)))


def apart(bases: list[Base]) -> tuple[tuple[Base, ...], ...]:
    """The groups where all memories differ: each has a binding of its own, but for classes, which are one memory."""
    inside = tuple(base for base in bases if base.space in (Space.CLASS, Space.PHI))
    groups = [(base,) for base in bases if base not in inside]
    return (*groups, inside) if inside else tuple(groups)
