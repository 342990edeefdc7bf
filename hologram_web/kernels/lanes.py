"""How many lanes a launch has: what is inferred, and what is refused because it would go wrong in silence."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

from ..errors import LaunchError
from ..frontends.python.advice import LaunchWarning
from ..isa.launch import LaunchConfig, linear

if TYPE_CHECKING:
    from ..frontends.python.translate import Translation

__all__ = ["Asked", "asked", "check", "inferred", "over"]

_XYZ = "xyz"
_MAKE: dict[int, Any] = {1: LaunchConfig.linear, 2: LaunchConfig.grid_2d, 3: LaunchConfig.grid_3d}
_EXAMPLES = {1: "n", 2: "(w, h), (16, 16)", 3: "(w, h, d), (8, 8, 4)"}
_FORMS = "kernel[n], kernel[n, 256], kernel[(w, h), (16, 16)] or kernel[(w, h, d), (8, 8, 4)]"


@dataclass(frozen=True)
class Asked:
    """What stands in the brackets: along how many axes it says the number of lanes (0 where it is a LaunchConfig, which
    means what it says), and whether it says how many lanes a block has. `partial`: it is meant, whatever it leaves out.
    """

    config: LaunchConfig
    axes: int = 0
    says_block: bool = False
    partial: bool = False

    def parted(self, names: Container[str], named: Mapping[str, Any]) -> tuple[Asked, Mapping[str, Any]]:
        """With `partial=...` of a call, which is taken out of the arguments, unless a parameter is called so."""
        if "partial" not in named or "partial" in names:
            return self, named
        rest = dict(named)
        return replace(self, partial=bool(rest.pop("partial"))), rest


def asked(key: Any) -> Asked:
    """`n`, `n, block`, `(w, h), (bx, by)`, `(w, h, d), (bx, by, bz)`, or a LaunchConfig. Raises LaunchError.

    Python does not tell `kernel[(n, m)]` from `kernel[n, m]`: two numbers are lanes and lanes of a block.
    """
    if type(key) is int:
        return Asked(linear(key), 1)
    lanes, *rest = key if isinstance(key, tuple) and key else (key,)
    if isinstance(lanes, LaunchConfig) and not rest:
        return Asked(lanes)
    sizes = lanes if isinstance(lanes, tuple) else (lanes,)
    block = rest[0] if rest else (256,)
    shape = block if isinstance(block, tuple) else (block,)
    whole = all(hasattr(size, "__index__") for size in (*sizes, *shape))
    if len(rest) > 1 or len(shape) != len(sizes) or not 1 <= len(sizes) <= 3 or not whole:
        raise LaunchError(f"write {_FORMS}: lanes, and lanes of a block along as many axes; not kernel[{key!r}]")
    if len(sizes) == 1:
        return Asked(LaunchConfig.linear(sizes[0], shape[0]), 1, bool(rest))
    return Asked(_MAKE[len(sizes)](*sizes, shape), len(sizes), True)


def check(translation: Translation, launch: Asked, shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Raises LaunchError for lanes that cannot be what is meant, and warns of blocks that lanes do not fill though the
    lanes of a block work together. `shapes` are those of the arrays."""
    config, name = launch.config, translation.program.metadata.name or "kernel"
    if not launch.axes:
        return
    lanes, block = config.lanes_on, config.block
    read = max(translation.axes, default=0) + 1
    if read > launch.axes:
        two = launch.axes == 1 and launch.says_block  # Python does not tell kernel[(80, 64)] from kernel[80, 64]
        example = f"{lanes[0]}, {block[0]}" if two else "w, h"
        form = f"{name}[({example}), block]" if read == 2 else f"{name}[(w, h, d), block]"
        have = f"{lanes[0]}, {block[0]}] has {lanes[0]} lanes, in blocks of {block[0]}," if two else "...] has lanes"
        raise LaunchError(
            f"{name} asks where its lane is along {' and '.join(_XYZ[:read])}, and {name}[{have} along "
            f"{' and '.join(_XYZ[: launch.axes])} only: write {form}, such as {name}[{_EXAMPLES[read]}]"
        )
    if launch.partial:
        return
    again = [f"{lanes[axis]} lanes along {_XYZ[axis]}" for axis in range(read, launch.axes) if lanes[axis] > 1]
    if translation.axes and again and not translation.cooperates:
        warnings.warn(
            f"{name} asks where its lane is along {' and '.join(_XYZ[:read])} only, and {name}[...] has "
            f"{' and '.join(again)}, which all do the same: leave them out, or say that it is meant, with partial=True",
            LaunchWarning,
            stacklevel=_outside(),
        )
    lengths = _lengths(translation, shapes)
    _refuse_exchanged(name, launch, lengths)
    few = [axis for axis, found in lengths.items() if lanes[axis] < max(found.values())]
    if launch.says_block and few and all(_are_blocks(launch, axis, max(lengths[axis].values())) for axis in few):
        _refuse_blocks(name, launch, lengths, few)
    if translation.cooperates:
        whole = tuple(-(-count // size) * size for count, size in zip(lanes, block, strict=True))[: launch.axes]
        if whole != lanes[: launch.axes]:
            have, rounded = _brackets(lanes, block, launch.axes), _brackets(whole, block, launch.axes)
            warnings.warn(
                f"the lanes of {name}[{have}] do not fill its blocks, and {name} has shared memory and barriers: what "
                f"the missing lanes would do is not done. Launch {name}[{rounded}] and let the kernel test its "
                "indices, or say that it is meant, with partial=True",
                LaunchWarning,
                stacklevel=_outside(),
            )


def _are_blocks(launch: Asked, axis: int, length: int) -> bool:
    """Whether the number of lanes looks like that of the blocks that an axis of this length needs. Along one axis any
    number will do that covers it; of several, (63, 8) in blocks of (64, 4) are the lanes of a border left out."""
    lanes, block = launch.config.lanes_on[axis], launch.config.block[axis]
    return lanes < block and lanes * block >= length and (launch.axes == 1 or (lanes - 1) * block < length)


def _refuse_blocks(name: str, launch: Asked, lengths: Mapping[int, Mapping[str, int]], few: list[int]) -> None:
    """Numba's and CUDA's habit: `kernel[blocks, lanes of a block]`."""
    lanes, block = launch.config.lanes_on, launch.config.block
    meant = tuple(max(lengths[axis].values()) if axis in lengths else lanes[axis] for axis in range(launch.axes))
    array, length = max(lengths[few[0]].items(), key=lambda item: item[1])
    have = _brackets(lanes, block, launch.axes)
    raise LaunchError(
        f"{name}[{have}] has {_count(lanes, launch.axes)} lanes, fewer than a block, and {array} has {length} "
        "elements: the number of lanes comes first here, not that of blocks. Write "
        f"{name}[{_brackets(meant, block, launch.axes)}], or say that it is meant, with partial=True"
    )


def _refuse_exchanged(name: str, launch: Asked, lengths: Mapping[int, Mapping[str, int]]) -> None:
    """NumPy's order of axes: `kernel[image.shape, block]`, which leaves a part of the columns out."""
    x, y = (set(lengths.get(axis, {"": 0}).values()) for axis in (0, 1))
    if launch.axes != 2 or len(x) != 1 or len(y) != 1 or x == y:
        return
    (width,), (height,), lanes = x, y, launch.config.lanes_on
    if lanes[:2] == (height, width):
        array = next(iter(lengths[0]))
        raise LaunchError(
            f"{name}[({height}, {width}), ...] has {height} lanes along x, and {array} has {width} elements there: x "
            f"is the last axis of an array. Write {name}[({width}, {height}), ...], or say that it is meant, with "
            "partial=True"
        )


def inferred(translation: Translation, shapes: Mapping[str, tuple[int, ...]]) -> LaunchConfig:
    """One lane for each element that the lane's numbers index; one where lanes do nothing. Raises LaunchError where
    that is not plain."""
    name = translation.program.metadata.name or "kernel"
    lengths = _lengths(translation, shapes)
    reason = unplain(translation)
    if reason is None:
        for axis in sorted(lengths):
            found = lengths[axis]
            if len(set(found.values())) > 1:
                (one, first), (other, second) = next(
                    (a, b) for a in found.items() for b in found.items() if a[1] != b[1]
                )
                reason = f"{one} has {first} elements along {_XYZ[axis]}, and {other} has {second}"
                break
    if reason is not None:
        form = f"{name}[{_EXAMPLES[max(translation.axes, default=0) + 1]}](...)"
        array = next((array for array, _, _ in translation.indexed), None)
        more = f", or {name}.over({array})(...)" if array is not None else ""
        raise LaunchError(f"how many lanes {name} has is not plain: {reason}. Write {form}{more}")
    sizes = [next(iter(lengths[axis].values())) for axis in sorted(lengths)]
    made: LaunchConfig = _MAKE[len(sizes)](*sizes) if sizes else linear(1)
    return made


def unplain(translation: Translation) -> str | None:
    """Why the lanes of a kernel do not follow from its arrays; None if they do, but for the arrays' lengths."""
    axes = translation.axes
    known = {axis for _, _, axis in translation.indexed}
    if not axes:
        return None if translation.of_collectives else "it never asks which lane it is"
    if translation.cooperates:
        return "lanes of a block work together, through shared memory"
    missing = [axis for axis in range(max(axes) + 1) if axis not in known]
    if missing:
        return f"hg.global_id({missing[0]}) indexes no array by itself"
    return None


def over(translation: Translation, shape: tuple[int, ...]) -> Asked:
    """One lane for each element of an array of that shape: x along its last axis. Raises LaunchError."""
    if translation.axes <= {0}:
        return Asked(linear(prod(shape)), 1)
    if not 1 <= len(shape) <= 3:
        raise LaunchError(f"lanes lie along one to three axes, and the array has {len(shape)}")
    return Asked(_MAKE[len(shape)](*reversed(shape)), len(shape))


def _lengths(translation: Translation, shapes: Mapping[str, tuple[int, ...]]) -> dict[int, dict[str, int]]:
    """Of each axis of the lanes, the arrays that the lane's number along it indexes, and their lengths."""
    found: dict[int, dict[str, int]] = {}
    for array, axis, lane_axis in translation.indexed:
        lengths = found.setdefault(lane_axis, {})
        lengths[array] = min(shapes[array][axis], lengths.get(array, shapes[array][axis]))
    return found


def _brackets(lanes: tuple[int, ...], block: tuple[int, ...], axes: int) -> str:
    if axes == 1:
        return f"{lanes[0]}, {block[0]}"
    return f"({', '.join(map(str, lanes[:axes]))}), ({', '.join(map(str, block[:axes]))})"


def _outside() -> int:
    """The `stacklevel` of the caller's for the line outside of this package that launches."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hologram_web"):
        level, frame = level + 1, frame.f_back
    return level


def _count(lanes: tuple[int, ...], axes: int) -> str:
    return " x ".join(map(str, lanes[:axes]))
