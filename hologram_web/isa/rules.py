"""What a launch promises about the Atlas, and the checks of it before and after lanes run.

Mirror safety is a promise about the set of classes only: nobody tests that results do not change under the mirror.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction

from ..errors import LaunchError
from .classes import BYTES_PER_PAGE, CLASSES, NEIGHBORS, PAGES, mirror
from .phase import PHASES

__all__ = ["ALL_CLASSES", "FULL_FOOTPRINT", "FULL_WINDOW", "Footprint", "LaunchRules", "Window"]


@dataclass(frozen=True)
class Window:
    """The phases from `begin` on, `span` of them, going around: 768 are always, 0 never. Raises LaunchError."""

    begin: int = 0
    span: int = PHASES

    def __post_init__(self) -> None:
        if not (0 <= self.begin < PHASES and 0 <= self.span <= PHASES):
            raise LaunchError(
                f"the phase window begins at {self.begin} and spans {self.span}: it begins below {PHASES} and spans at "
                f"most {PHASES}"
            )

    def __contains__(self, phase: int) -> bool:
        return (phase - self.begin) % PHASES < self.span


@dataclass(frozen=True)
class Footprint:
    """Pages and bytes that BoundMap may name; first and last belong to it. Raises LaunchError."""

    page_min: int = 0
    page_max: int = PAGES - 1
    byte_min: int = 0
    byte_max: int = BYTES_PER_PAGE - 1

    def __post_init__(self) -> None:
        pages = 0 <= self.page_min <= self.page_max < PAGES
        if not pages or not 0 <= self.byte_min <= self.byte_max < BYTES_PER_PAGE:
            raise LaunchError(
                f"the footprint has pages {self.page_min} to {self.page_max} and bytes {self.byte_min} to "
                f"{self.byte_max}: the first is not after the last, pages are below {PAGES}, bytes below "
                f"{BYTES_PER_PAGE}"
            )

    @property
    def word(self) -> int:
        """The four bounds as bytes of one U32."""
        return self.page_min | self.page_max << 8 | self.byte_min << 16 | self.byte_max << 24


ALL_CLASSES = frozenset(range(CLASSES))
FULL_WINDOW, FULL_FOOTPRINT = Window(), Footprint()


@dataclass(frozen=True)
class LaunchRules:
    """Promises of a launch. `classes` are those it may run in, store to as neighbours, and change the resonance of;
    `mirror_safe`: the mirror of each of them is one of them; `unity_neutral`: what it adds to the resonance adds up to
    0; `window`: phases of the device at which it may start. Raises LaunchError for a set with nothing or more in it.
    """

    classes: Collection[int] = ALL_CLASSES
    mirror_safe: bool = False
    unity_neutral: bool = False
    footprint: Footprint = FULL_FOOTPRINT
    window: Window = FULL_WINDOW

    def __post_init__(self) -> None:
        classes = frozenset(self.classes)
        object.__setattr__(self, "classes", classes)
        if not classes:
            raise LaunchError("the launch may run in no class: name at least one")
        if wrong := sorted(classes - ALL_CLASSES):
            raise LaunchError(f"class {wrong[0]} does not exist: classes are 0 to {CLASSES - 1}")

    def check(self, phase: int, blocks: int, stores: Iterable[int]) -> None:
        """Before lanes run: `blocks` is the length of the grid along x, `stores` the indices of neighbours stored to.

        Raises LaunchError.
        """
        if phase not in self.window:
            raise LaunchError(
                f"the device is at phase {phase}, and the launch has the window of {self.window.span} phases from "
                f"{self.window.begin} on: advance the phase, or widen the window"
            )
        if self.mirror_safe and (lone := sorted(c for c in self.classes if mirror(c) not in self.classes)):
            raise LaunchError(
                f"the launch is to be mirror safe, and class {mirror(lone[0])}, the mirror of {lone[0]}, is not among "
                "its classes: add it"
            )
        if self.classes == ALL_CLASSES:
            return
        running = range(min(blocks, CLASSES))
        if lone := [c for c in running if c not in self.classes]:
            raise LaunchError(
                f"block {lone[0]} is of class {lone[0]}, which is not among the classes of the launch: add it, or make "
                "the grid smaller along x"
            )
        for index in stores:
            for c in running:
                if 0 <= index < len(NEIGHBORS[c]) and NEIGHBORS[c][index] not in self.classes:
                    raise LaunchError(
                        f"block {c} stores to class {NEIGHBORS[c][index]}, its neighbour {index}, which is not among "
                        "the classes of the launch: add it"
                    )

    def check_classes(self, deltas: Iterable[Fraction | int]) -> None:
        """After lanes ran: of which classes they changed the resonance. Raises LaunchError."""
        if lone := [c for c, delta in enumerate(deltas) if delta and c not in self.classes]:
            raise LaunchError(
                f"the launch changed the resonance of class {lone[0]}, which is not among its classes: nothing was "
                "added"
            )

    def check_neutral(self, deltas: Iterable[Fraction | int]) -> None:
        """After that was added: whether it adds up to 0. Raises LaunchError."""
        if self.unity_neutral and (total := sum(deltas, Fraction(0))):
            raise LaunchError(
                f"the launch is to be unity neutral, and what it added to the resonance adds up to {total}: it stays "
                "added, with reset_resonance() it goes"
            )
