"""Views: where the elements of an array lie among those of another one, row by row, without a copy."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from .sizes import UnknownSize

__all__ = ["Strides", "View", "apart", "lies_whole", "row_major", "through"]


class View(NamedTuple):
    """Element (c0, c1, ...) is element `offset + sum(c * stride)` of the other array, counted row by row."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0


class Strides(NamedTuple):
    """Where a loop over some axes finds elements: `offset + sum(c * stride)` of an array, which is then looked up in
    each of the `views` in turn, as an element's number."""

    strides: tuple[int, ...]
    offset: int = 0
    views: tuple[View, ...] = ()


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of an array whose elements lie row by row. Axes of one element have none."""
    found = []
    step = 1
    for length in reversed(shape):
        found.append(0 if length == 1 else step)
        step *= length
    return tuple(reversed(found))


def through(place: Strides, sizes: Sequence[int], view: View) -> Strides:
    """The place of elements of an array that is a view, for a loop of these sizes: in the other array directly, if the
    loop goes along its axes."""
    if 0 in view.shape:  # nothing is read
        return Strides((0,) * len(place.strides))
    if place == Strides(row_major(view.shape)) and tuple(sizes) == view.shape:  # whatever its lengths are
        return Strides(tuple(0 if n == 1 else step for n, step in zip(sizes, view.strides, strict=True)), view.offset)
    if not place.views and (found := _direct_if_known(place, sizes, view)) is not None:
        return found
    if _is_plain(view):
        return place if view.offset == 0 else place._replace(views=(*place.views, view))
    return place._replace(views=(*place.views, view))


def _is_plain(view: View) -> bool:
    return view.strides == row_major(view.shape)


def lies_whole(view: View, shape: Sequence[int]) -> bool:
    """Whether a view has all elements of an array of this shape in their order; only numbers are known to be."""
    known = all(isinstance(length, int) for length in (*view.shape, *shape, view.offset))
    return known and view.offset == 0 and _is_plain(view) and prod(view.shape) == prod(shape)


def _direct_if_known(place: Strides, sizes: Sequence[int], view: View) -> Strides | None:
    try:
        return _direct(place, sizes, view)
    except UnknownSize:  # sums that may carry, or not
        return None


def _direct(place: Strides, sizes: Sequence[int], view: View) -> Strides | None:
    """Digits of the offset and of each stride in the axes of the view: none of the sums may carry."""
    lengths, steps, targets = _merged(view)
    at = list(_digits(place.offset, lengths, steps))
    low, high = list(at), list(at)
    strides = []
    for stride, size in zip(place.strides, sizes, strict=True):
        if size in (0, 1) or stride == 0:
            strides.append(0)
            continue
        sign = -1 if stride < 0 else 1
        digits = _digits(abs(stride), lengths, steps)
        for axis, digit in enumerate(digits):
            end = sign * digit * (size - 1)
            low[axis] += min(end, 0)
            high[axis] += max(end, 0)
        strides.append(sign * sum(digit * target for digit, target in zip(digits, targets, strict=True)))
    if any(least < 0 or most >= length for least, most, length in zip(low, high, lengths, strict=True)):
        return None
    offset = view.offset + sum(digit * target for digit, target in zip(at, targets, strict=True))
    return Strides(tuple(strides), offset)


def apart(place: Strides, sizes: Sequence[int], view: View) -> list[tuple[Strides, View | None]]:
    """What is to be added up to say where the elements at a place lie that is looked up in a view. Each is of some axes
    of the view alone, as no sum carries from these into others: a place, or one that is looked up in a smaller view."""
    lengths, _, targets = _merged(view)
    found: list[tuple[Strides, View | None]] = []
    strides, offset, end = place.strides, place.offset, len(lengths)
    for cut in reversed(range(end)):
        step = prod(lengths[cut:end])
        mine = _below(Strides(strides, offset), sizes, step) if cut else Strides(strides, offset)
        if mine is None:
            continue
        some = View(tuple(lengths[cut:end]), tuple(targets[cut:end]))
        direct = _direct_if_known(mine, sizes, some)
        found.append((mine, some) if direct is None else (direct, None))
        if cut:
            strides = tuple((stride - its) // step for stride, its in zip(strides, mine.strides, strict=True))
            offset, end = offset // step, cut
    return found


def _below(place: Strides, sizes: Sequence[int], step: int) -> Strides | None:
    """What of a place is no multiple of a step, if all its numbers are known to be below the step, and not negative."""
    try:
        inner = Strides(tuple(stride if stride % step else 0 for stride in place.strides), place.offset % step)
        ends = [stride * (size - 1) for stride, size in zip(inner.strides, sizes, strict=True) if stride != 0]
        least, most = (inner.offset + sum(each(end, 0) for end in ends) for each in (min, max))
        return inner if least >= 0 and most < step else None
    except UnknownSize:
        return None


def _digits(number: int, lengths: Sequence[int], steps: Sequence[int]) -> tuple[int, ...]:
    return tuple(
        number // step % length if axis else number // step
        for axis, (length, step) in enumerate(zip(lengths, steps, strict=True))
    )


def _merged(view: View) -> tuple[list[int], list[int], list[int]]:
    """The axes of a view with those joined that one stride covers: lengths, strides row by row, strides of the view."""
    lengths: list[int] = []
    targets: list[int] = []
    for length, stride in zip(view.shape, view.strides, strict=True):
        if length == 1:
            continue
        if lengths and targets[-1] == stride * length:
            lengths[-1] *= length
            targets[-1] = stride
        else:
            lengths.append(length)
            targets.append(stride)
    if not lengths:
        lengths, targets = [1], [0]
    steps = [prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
    return lengths, steps, targets
