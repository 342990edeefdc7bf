"""Windows over images, as convolutions and pools have them: how many there are, and what they see."""

# mypy: ignore-errors

from __future__ import annotations

from .operation import MOST, at_least, ceildiv, flag

__all__ = ["check_window", "every", "is_one", "may_be", "out_lengths", "windows"]


def may_be(number):
    """Whether a number of times is not known to be 0."""
    return not isinstance(number, int) or number != 0


def is_one(number):
    """1 where a number is 1, else 0."""
    return 1 - flag(number - 1) - flag(1 - number)


def out_lengths(o):
    """Height and width of what windows of a size see of an image: none where they are larger than it is, padded."""
    found, steps = [], o.values.get("dilation", (1, 1))
    for axis, (length, kernel) in enumerate(((o.height, o.kernel_h), (o.width, o.kernel_w))):
        reach = (at_least(kernel, 1) - 1) * steps[axis] + 1
        before, after, stride = o.padding[axis], o.padding[axis + 2], o.stride[axis]
        count = (length + before + after - reach) // stride + 1
        if o.values.get("ceil_mode"):
            # One more where something is left, if it begins before the padding at the end.
            count = ceildiv(length + before + after - reach, stride) + 1
            count = count - at_least(count - ceildiv(length + before, stride), 0)
        found.append(at_least(count, 0))
    return found


def check_window(o):
    """Lists of numbers of a convolution or a pool."""
    for name, length, least in (("stride", 2, 1), ("padding", 4, 0), ("dilation", 2, 1), ("output_padding", 2, 0)):
        given = o.values.get(name, (1,) * length)
        if len(given) != length:
            return f"{name} has {len(given)} numbers, and it takes {length}"
        if min(given) < least:
            return f"{name} is {tuple(given)}, and each has to be at least {least}"
        if max(given) > MOST:
            return f"{name} is {tuple(given)}, and each has to be at most {MOST:,}, which fits i32"
    return None


def every(start, count, step):
    """`count` places from a start on, so far apart."""
    return slice(start, start + (count - 1) * step + 1 if count else start, step)


def windows(np, o, image, fill=0):
    """For each place of a window, in order, what windows see there, where an image ends in so much of `fill`."""
    lengths, steps, kernel = out_lengths(o), o.values.get("dilation", (1, 1)), (o.kernel_h, o.kernel_w)

    def seen(axis, place):
        """The lines of an image along an axis, and which of them are there."""
        found = np.arange(lengths[axis]) * o.stride[axis] + place * steps[axis] - o.padding[axis]
        most = image.shape[axis - 2]
        return found.clip(0, max(most - 1, 0)), (found >= 0) & (found < most)

    if not image.size:
        image = np.full((*image.shape[:-2], max(image.shape[-2], 1), max(image.shape[-1], 1)), fill, image.dtype)
    for ky in range(kernel[0] if lengths[0] * lengths[1] else 0):
        rows, row_there = seen(0, ky)
        for kx in range(kernel[1]):
            columns, column_there = seen(1, kx)
            yield ky, kx, np.where(row_there[:, None] & column_there, image[..., rows[:, None], columns], fill)
