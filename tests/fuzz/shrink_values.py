"""What the instructions of a program gave when it ran: constants to put in their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from hologram_web.isa import Immediate, Type
from hologram_web_tools.cpu.machine import Machine

from .case import Case, execute
from .devices import HASTY, reference

__all__ = ["constants_of"]

_KEPT = 3  # different values of each instruction


@contextmanager
def _watched(found: dict[int, list[Immediate]]) -> Iterator[None]:
    write = Machine.write

    def noting_write(self: Machine, number: int, ty: Any, values: Any) -> None:
        if isinstance(ty, Type):
            known = found.setdefault(self.graph.code[self.point], [])
            if len(known) < _KEPT:
                wide = ty.is_wide  # held as Python's integers
                bits = np.ravel(values if wide else np.ascontiguousarray(values).view(f"<u{ty.size_bytes}"))
                for pattern in (bits[0], bits[-1]):
                    value = Immediate(ty, int(pattern))
                    if value not in known:
                        known.append(value)
        write(self, number, ty, values)

    machine: Any = Machine
    machine.write = noting_write
    try:
        yield
    finally:
        machine.write = write


def constants_of(case: Case) -> dict[int, list[Immediate]]:
    """Some of the values that each instruction wrote, by index."""
    found: dict[int, list[Immediate]] = {}
    with _watched(found):
        execute(reference(limits=HASTY), case)
    return found
