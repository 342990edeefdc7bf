"""Convolutions of each channel by a kernel of its own: images come between zeros just before they are used, and on GPUs
are read as they lie.

The sum of an element runs over (row, column) of its kernel in increasing order, as in all texts of convolutions.
"""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from .language import (
    Callable,
    Constant,
    Elements,
    T,
    W,
    barrier,
    block_id,
    global_id,
    i32,
    local_id,
    registers,
    select,
    static_range,
)
from .operation import at_most, ceildiv, covering, flag, part
from .sliding import may_be

__all__ = ["NINE", "choose", "launches"]

LINES, PITCH = 64, 72  # of an image that a block has at once, in 18 KB: they stay in the first cache
EDGE = 4  # zeros before a row, and behind it: padding is at most that
NINE = 9  # elements of a kernel that is written out
ROWS = 4  # of results in registers, beside those
BLOCKS = 8  # which share the images
# Rows of results of a lane on GPUs, the elements of a kernel that it has registers for, and the rows that it reads, of
# which each line is code. Of 64 channels, 56 x 56 and 3 x 3, shaders by hand took SwiftShader 15.5 ms with one row, 9.9
# with two, 6.6 with four, 5.2 with eight and 7.3 with 14, by the processor.
SHADER_ROWS, SHADER_TAPS, SHADER_LINES = 8, 25, 24


def _each_alone(
    output: Elements[T],
    input: Elements[T],
    kernel: Elements[T],
    bias: Elements[T],
    plane: Elements[W],
    groups: i32,
    outs: i32,
    images: i32,
    height: i32,
    width: i32,
    out_height: i32,
    out_width: i32,
    top: i32,
    left: i32,
    T: Constant[type],
    W: Constant[type],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    HIGH: Constant[int],
    WIDE: Constant[int],
    DOWN: Constant[int],
    STRIDE: Constant[int],
    BELOW: Constant[int],
    STEP: Constant[int],
    TALL: Constant[int],
    BROAD: Constant[int],
    SHIFTED: Constant[bool],
    PARTS: Constant[bool],
):
    """Four lanes bring what TALL rows and BROAD columns of a result see of an image, and make them side by side.

    The last ROWS rows and four columns are made where they end, SHIFTED over what is made already: where a loop may
    call what stores a part of a packet, V8 keeps no vector in registers from one round to the next. Of results that are
    smaller PARTS are stored."""
    lane, base = local_id(0), block_id(0) * (LINES * PITCH)
    sums, weights = registers(ROWS, W), registers(HIGH * WIDE, W)
    for image in range(block_id(0), images, BLOCKS):
        # Clamped so that proofs know the ends of a remainder.
        channel = max(min(image % max(groups, 1), groups - 1), 0)
        for strip in range((out_height + TALL - 1) // TALL):
            for tile in range((out_width + BROAD - 1) // BROAD):
                upper, begin = strip * TALL, tile * BROAD
                if SHIFTED:
                    upper, begin = min(upper, out_height - ROWS), min(begin, out_width - 4)
                above, before = upper * DOWN - top, begin * STRIDE - EDGE
                rows, columns = min(out_height - upper, TALL), min(out_width - begin, BROAD)
                # What a row has of them, and behind it zeros; packets read what is there.
                here = width - max(before, 0)
                every = (EDGE - left + (columns - 1) * STRIDE + (WIDE - 1) * STEP + 4) // 4
                start = i32(0)
                if before < 0:
                    start = i32(1)
                count = max(min(here // 4, every - start), 0)
                for line in range((rows - 1) * DOWN + (HIGH - 1) * BELOW + 1):
                    y, to = above + line, base + line * PITCH + lane
                    at = (image * height + max(min(y, height - 1), 0)) * width + max(before, 0) + lane
                    if y >= 0 and y < height:
                        if before < 0:
                            plane[to] = W(0)
                            to += 4
                        for some in range(count // 4):
                            for part in static_range(4):
                                plane[to + some * 16 + part * 4] = W(input[at + some * 16 + part * 4])
                        for some in range(count // 4 * 4, count):
                            plane[to + some * 4] = W(input[at + some * 4])
                        if count < every - start:
                            rest, value = max(min(count * 4, here - 1), 0), W(0)
                            if count * 4 + lane < here:
                                value = W(input[at + rest])
                            plane[to + count * 4] = value
                            if count + 1 < every - start:
                                plane[to + count * 4 + 4] = W(0)
                    else:
                        for some in range(every):
                            plane[to + some * 4] = W(0)
                barrier()
                for out in range(outs):
                    for k in static_range(HIGH * WIDE):
                        weights[k] = W(kernel[(channel * outs + out) * (HIGH * WIDE) + k])
                    added = W(0)
                    if BIAS:
                        added = W(bias[channel * outs + out])
                    for group in range((rows + ROWS - 1) // ROWS):
                        down = group * ROWS
                        if SHIFTED:
                            down = min(down, rows - ROWS)
                        row = upper + down
                        if SHIFTED:
                            row = min(row, out_height - ROWS)  # as it is, so that proofs know it
                        first = base + down * (DOWN * PITCH) + EDGE - left + lane * STRIDE
                        result = ((image * outs + out) * out_height + row) * out_width + lane
                        for some in range((columns + 3) // 4):
                            across = some * 4
                            if SHIFTED:
                                across = min(across, columns - 4)
                            column = begin + across
                            if SHIFTED:
                                column = min(column, out_width - 4)
                            for line in static_range((ROWS - 1) * DOWN + (HIGH - 1) * BELOW + 1):
                                for kx in static_range(WIDE):
                                    seen = plane[first + across * STRIDE + (line * PITCH + kx * STEP)]
                                    for i in static_range(ROWS):
                                        for ky in static_range(HIGH):
                                            if i * DOWN + ky * BELOW == line:
                                                if ky + kx == 0:
                                                    sums[i] = seen * weights[0]
                                                else:
                                                    sums[i] += seen * weights[ky * WIDE + kx]
                            for i in static_range(ROWS):
                                total = sums[i] + W(0)
                                if BIAS:
                                    total = total + added
                                if not PARTS or (row + i < out_height and column + lane < out_width):
                                    output[result + i * out_width + column] = EPILOGUE(T(total))
                barrier()


def _in_shaders(
    output: Elements[T],
    input: Elements[T],
    kernel: Elements[T],
    bias: Elements[T],
    outs: i32,
    images: i32,
    channels: i32,
    height: i32,
    width: i32,
    out_height: i32,
    out_width: i32,
    top: i32,
    left: i32,
    T: Constant[type],
    W: Constant[type],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    HIGH: Constant[int],
    WIDE: Constant[int],
    DOWN: Constant[int],
    STRIDE: Constant[int],
    BELOW: Constant[int],
    STEP: Constant[int],
    TALL: Constant[int],
):
    """Lanes side by side make columns side by side, each of TALL rows, from the rows of an image that these see, each
    of which is read once; what is beyond the image is zero.

    Places are clamped so that proofs know their ends. They would know those of each row by itself, with conditions of
    its own, but for `abs`: of what is beyond the image any element is read."""
    column, row, number = global_id(0), global_id(1) * TALL, global_id(2)
    # No lane divides by zero and leaves.
    image, many = max(min(number // max(outs, 1), images - 1), 0) * height, max(channels, 1)
    channel = max(min(number - number // many * many, channels - 1), 0)
    sums, weights, x = registers(TALL, W), registers(HIGH * WIDE, W), registers(WIDE, W)
    for k in static_range(HIGH * WIDE):
        weights[k] = W(kernel[channel * (HIGH * WIDE) + k])
    for line in static_range((TALL - 1) * DOWN + (HIGH - 1) * BELOW + 1):
        y = row * DOWN - top + line
        from_row = (image + max(min(abs(y), height - 1), 0)) * width
        for kx in static_range(WIDE):
            across = column * STRIDE - left + kx * STEP
            seen = W(input[from_row + max(min(abs(across), width - 1), 0)])
            x[kx] = select(y >= 0 and y < height and across >= 0 and across < width, seen, W(0))
        for i in static_range(TALL):
            for ky in static_range(HIGH):
                if i * DOWN + ky * BELOW == line:
                    for kx in static_range(WIDE):
                        sums[i] += x[kx] * weights[ky * WIDE + kx]
    added = W(0)
    if BIAS:
        added = W(bias[channel])
    for i in static_range(TALL):
        line = row + i
        if line < out_height:
            # Adapters that are programs take what is added to a 0 that they know for the sum, also -0, which no sum
            # from 0 on is.
            total = select(sums[i] == W(0), W(0), sums[i])
            if BIAS:
                total = total + added
            output[(number * out_height + line) * out_width + column] = EPILOGUE(T(total))


def choose(o, traits):
    """How many rows and columns of a result are made at once, if each channel has kernels of its own and this way is
    taken; else None. And why, if there is something to say."""
    sizes = o.in_channels, o.kernel_h, o.kernel_w
    if traits.together:
        return _of_shaders(o)
    if not all(isinstance(size, int) for size in sizes):
        return None, "channels and the kernel are not known when memory is made"
    if o.groups != o.in_channels:
        return None, ""
    if not 0 < o.kernel_h * o.kernel_w <= NINE:
        return None, f"registers have no room for kernels of more than {NINE} elements"
    if max(o.padding) > EDGE:
        return None, f"there is more padding than {EDGE}"
    rows = (LINES - (o.kernel_h - 1) * o.dilation[0] - 1) // o.stride[0] + 1
    columns = (PITCH - 2 * EDGE - (o.kernel_w - 1) * o.dilation[1] - 1) // o.stride[1] + 1
    found = {"TALL": rows // ROWS * ROWS, "BROAD": columns // 4 * 4}
    return (found, "") if min(found.values()) > 0 else (None, "elements of a window are too far apart")


def _of_shaders(o):
    """The rows of a lane on a GPU. One kernel a channel: of more, tiles read an image once for eight."""
    sizes = o.in_channels, o.out_channels, o.kernel_h, o.kernel_w
    if not all(isinstance(size, int) for size in sizes) or not o.groups == o.in_channels == o.out_channels:
        return None, ""
    if not 0 < o.kernel_h * o.kernel_w <= SHADER_TAPS:
        return None, f"registers have no room for kernels of more than {SHADER_TAPS} elements"
    if o.computes("input"):
        return None, "elements of the images are computed, each once"
    tall = (SHADER_LINES - (o.kernel_h - 1) * o.dilation[0] - 1) // o.stride[0] + 1
    tall = min(tall, SHADER_ROWS)
    return ({"TALL": tall}, "") if tall > 0 else (None, "rows of a window are too far apart")


def schedules(o, traits):
    """What may be timed, if this way is taken: parts of the image as large as it chooses, and smaller ones."""
    found, _ = choose(o, traits)
    if found is None:
        return []
    tall = found["TALL"]
    if traits.together:
        return [{"TALL": high} for high in (tall, tall // 2, tall // 4) if high]
    broad = found["BROAD"]
    sizes = [(tall, broad), (tall, broad // 8 * 4), (tall // (2 * ROWS) * ROWS, broad)]
    return [{"TALL": high, "BROAD": wide} for high, wide in sizes if high and wide]


def launches(o, chosen, scalars, constants):
    """Its launch, or those of which sizes choose one."""
    images = o.batch * o.groups
    steps = {"DOWN": o.stride[0], "STRIDE": o.stride[1], "BELOW": o.dilation[0], "STEP": o.dilation[1]}
    if "BROAD" not in chosen:
        tall = chosen["TALL"]
        lanes = scalars["out_width"], ceildiv(scalars["out_height"], tall), images * scalars["outs"]
        scalars = scalars | {"images": images, "channels": o.out_channels}
        return [
            part(o, _in_shaders, lanes, covering(lanes, (64,), True), fast=True, scalars=scalars, HIGH=o.kernel_h,
                 WIDE=o.kernel_w, why="each channel from the image as it lies", **steps, **chosen, **constants)
        ]  # fmt: skip
    blocks, acc = at_most(images, BLOCKS), constants["W"]
    memory = {"plane": (acc, blocks * LINES * PITCH)}
    sides = scalars["out_height"], scalars["out_width"]
    even = all(isinstance(size, int) and size % by == 0 for size, by in zip(sides, (ROWS, 4), strict=True))
    # Columns that are shifted begin behind the zeros before a row, as there are eight at once.
    whole = flag(sides[0] - (ROWS - 1)) * flag(sides[1] - 3) if even or chosen["BROAD"] >= 2 * EDGE else 0
    found = []
    for often, parts in ((whole, False), (1 - whole, True)):
        if may_be(often):
            about = {"scalars": scalars | {"images": images}, "temporaries": {} if found else memory, "times": often}
            found.append(
                part(o, _each_alone, (blocks * 4,), (4,), fast=True, HIGH=o.kernel_h, WIDE=o.kernel_w, PARTS=parts,
                     SHIFTED=not even and not parts, why="each channel between zeros, brought just before", **about,
                     **steps, **chosen, **constants)
            )  # fmt: skip
    return found
