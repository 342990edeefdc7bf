"""Windows over images, as convolutions and pools have them: how many there are, and what they see."""

# mypy: ignore-errors

from __future__ import annotations

from .operation import at_least, ceildiv, flag

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
    return None


def every(start, count, step):
    """`count` places from a start on, so far apart."""
    return slice(start, start + (count - 1) * step + 1 if count else start, step)


def windows(np, o, image, fill=0):
    """For each place of a window, in order, what windows see there, where an image ends in so much of `fill`."""
    top, left, bottom, right = o.padding
    (height, width), steps = out_lengths(o), o.values.get("dilation", (1, 1))
    more = [at_least((o.kernel_h, o.kernel_w)[axis], 1) * steps[axis] + o.stride[axis] for axis in (0, 1)]
    sides = o.height + top + bottom + more[0], o.width + left + right + more[1]
    padded = np.full((*image.shape[:-2], *sides), fill, image.dtype)
    padded[..., top : top + o.height, left : left + o.width] = image
    for ky in range(o.kernel_h):
        for kx in range(o.kernel_w):
            yield (
                ky,
                kx,
                padded[..., every(ky * steps[0], height, o.stride[0]), every(kx * steps[1], width, o.stride[1])],
            )
