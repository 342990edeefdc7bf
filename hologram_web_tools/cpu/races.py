"""The race checker: finds two lanes that touch one byte, one of them writing, with nothing that orders them.

Accesses are ordered if one lane makes both, or if the lanes are of one block and a barrier lies between. Two atomics
never race. The checker writes down every access and looks through them at the end of the lanes' run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Race", "RaceChecker"]

Array = NDArray[Any]


class Race(NamedTuple):
    """Two accesses that race: global lanes, instruction indices, and whether each writes."""

    region: str
    offset: int
    lanes: tuple[int, int]
    instructions: tuple[int, int]
    writes: tuple[bool, bool]


_COLUMNS = ("address", "lane", "block", "epoch", "point", "writes", "atomic")


class RaceChecker:
    """Collects accesses as arrays, by region."""

    def __init__(self) -> None:
        self._log: dict[str, list[Array]] = {}

    def record(
        self,
        region: str,
        absolute: Array,
        size: int,
        lane: Array,
        block: Array,
        epoch: Array,
        instruction: int,
        writes: bool,
        atomic: bool,
    ) -> None:
        """Notes that lanes touch `size` bytes each, from `absolute` on."""
        count = absolute.size
        if count == 0:  # a lane that reduces no elements
            return
        rows = np.empty((count * size, len(_COLUMNS)), np.int64)
        rows[:, 0] = (absolute[:, None] + np.arange(size)).ravel()
        for column, values in enumerate((lane, block, epoch), 1):
            rows[:, column] = np.repeat(values, size)
        rows[:, 4:] = instruction, writes, atomic
        self._log.setdefault(region, []).append(rows)

    def find(self, offset_of: Callable[[str, int], int]) -> Race | None:
        """A race, or None. `offset_of` gives the offset a program sees."""
        for region, parts in sorted(self._log.items()):
            rows = np.concatenate(parts)
            rows = rows[np.lexsort((rows[:, 1], rows[:, 3], rows[:, 2], rows[:, 0]))]
            # A race is between lanes of one block in one epoch, or between blocks: look at those groups only.
            starts = _group_starts(rows[:, 0])
            for group in (_group_starts(rows[:, 0], rows[:, 2], rows[:, 3]), starts):
                between = rows[:, 1] if group is not starts else rows[:, 2]
                several = np.minimum.reduceat(between, group) != np.maximum.reduceat(between, group)
                written = np.maximum.reduceat(rows[:, 5], group) > 0
                plain = np.minimum.reduceat(rows[:, 6], group) == 0
                ends = np.r_[group[1:], len(rows)]
                chosen = several & written & plain
                for start, end in zip(group[chosen], ends[chosen], strict=True):
                    if pair := _conflict(rows[start:end]):
                        first, second = pair
                        return Race(
                            region,
                            offset_of(region, int(first[0])),
                            (int(first[1]), int(second[1])),
                            (int(first[4]), int(second[4])),
                            (bool(first[5]), bool(second[5])),
                        )
        return None


def _group_starts(*columns: Array) -> Array:
    """Where the values of sorted columns change."""
    changes = np.zeros(columns[0].size, bool)
    changes[0] = True
    for column in columns:
        changes[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(changes)


def _conflict(rows: Array) -> tuple[Array, Array] | None:
    """Two accesses to one byte that race."""
    for number, first in enumerate(rows):
        later = rows[number + 1 :]
        _, lane, block, epoch, _, writes, atomic = first
        ordered = (later[:, 2] == block) & (later[:, 3] != epoch)
        harmless = (atomic & later[:, 6]).astype(bool) | ((writes | later[:, 5]) == 0)
        races = (later[:, 1] != lane) & ~ordered & ~harmless
        if races.any():
            return first, later[int(np.argmax(races))]
    return None
