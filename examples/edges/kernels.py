"""The stages of a Canny edge detector as kernels in Python: integers in fixed point from the luminance on.

Planes are arrays of rows and columns; `luma`, `blur_rows`, `smooth` and `magnitude` have 8 bits after the point. A
launch has one lane a pixel: `kernel[(width, height), (TILE, TILE)](...)`. Where neighbours are needed, a block fetches
its pixels and a halo around them into shared memory, each pixel once, and waits at a barrier. Lanes outside the picture
are off, so those that are on share the work; beyond the edge of the picture the last pixel goes on.

The same stages in floating point are in float_kernels.py.
"""

# mypy: ignore-errors
# To Python hg.u32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

import hologram_web as hg

__all__ = [
    "TILE",
    "double_threshold",
    "gaussian_cols",
    "gaussian_rows",
    "histogram",
    "hysteresis_step",
    "luminance",
    "mandelbrot",
    "sobel",
    "strong_edges",
    "suppress",
]

TILE = 16
RADIUS = 4
TAPS = (316, 1882, 6738, 14485, 18694, 14485, 6738, 1882, 316)  # a Gaussian, sigma 1.4, times 65536; the sum is exact
HALF = 32768  # of what is shifted out: results are rounded
WEAK = 1
STRONG = 2
BINS = 256


def clamped(i, n):
    """The index of the pixel that stands for one outside."""
    return max(0, min(i, n - 1))


def lanes_on(n, axis):
    """How many lanes of this block are on along an axis."""
    return min(TILE, n - TILE * hg.block_id(axis))


def fetch_row(tile, plane):
    """Fetches the pixels of a block, and RADIUS more to the left and to the right."""
    across, down = hg.local_id(0), hg.local_id(1)
    width = plane.shape[1]
    lanes = lanes_on(width, 0)
    for column in range(across, lanes + 2 * RADIUS, lanes):
        tile[down, column] = plane[hg.global_id(1), clamped(TILE * hg.block_id(0) + column - RADIUS, width)]
    hg.barrier()


def fetch_column(tile, plane):
    """Fetches the pixels of a block, and RADIUS more above and below."""
    across, down = hg.local_id(0), hg.local_id(1)
    height = plane.shape[0]
    lanes = lanes_on(height, 1)
    for row in range(down, lanes + 2 * RADIUS, lanes):
        tile[row, across] = plane[clamped(TILE * hg.block_id(1) + row - RADIUS, height), hg.global_id(0)]
    hg.barrier()


def fetch_around(tile, plane, dark):
    """Fetches the pixels of a block and one more on all sides: outside the picture 0 if `dark`, else its last pixel."""
    height, width = plane.shape
    across, down = lanes_on(width, 0), lanes_on(height, 1)
    for row in range(hg.local_id(1), down + 2, down):
        for column in range(hg.local_id(0), across + 2, across):
            y, x = TILE * hg.block_id(1) + row - 1, TILE * hg.block_id(0) + column - 1
            if dark and not (0 <= y < height and 0 <= x < width):
                tile[row, column] = 0
            else:
                tile[row, column] = plane[clamped(y, height), clamped(x, width)]
    hg.barrier()


def change(tile, x, y):
    """How much brighter the pixel at (x, y) from this one is than the one opposite."""
    i, j = hg.local_id(1) + 1, hg.local_id(0) + 1
    return tile[i + y, j + x] - tile[i - y, j - x]


def eighth(dx, dy, horizontal, vertical):
    """Which of eight directions: 0 to the right, on clockwise; 8 if nowhere."""
    way = 0
    if horizontal and vertical:
        way = 8
    elif horizontal:
        way = 4 if dx < 0 else 0
    elif vertical:
        way = 6 if dy < 0 else 2
    elif dx < 0:
        way = 5 if dy < 0 else 3
    else:
        way = 7 if dy < 0 else 1
    return way


def is_highest(tile, direction):
    """Whether no neighbour along the gradient is higher. Of two that are equal the second one counts as higher."""
    i, j = hg.local_id(1), hg.local_id(0)
    way = direction & 3  # opposite directions are the same line
    dx = 0 if way == 2 else -1 if way == 3 else 1
    dy = 0 if way == 0 else 1
    here = tile[i + 1, j + 1]
    return here > tile[i + 1 - dy, j + 1 - dx] and here >= tile[i + 1 + dy, j + 1 + dx]


def mark(value, low, high):
    """STRONG above `high`, WEAK above `low`, else 0."""
    return STRONG if value > high else WEAK if value > low else 0


@hg.kernel
def luminance(rgb: hg.Array[hg.u8, 3], luma: hg.Array[hg.u16, 2]):
    """One brightness from red, green and blue."""
    x, y = hg.global_id(0), hg.global_id(1)
    red, green, blue = hg.u32(rgb[y, x, 0]), hg.u32(rgb[y, x, 1]), hg.u32(rgb[y, x, 2])
    luma[y, x] = (19595 * red + 38470 * green + 7471 * blue + 128) >> 8


@hg.kernel
def gaussian_rows(luma: hg.Array[hg.u16, 2], blur_rows: hg.Array[hg.u16, 2]):
    """Nine taps along the rows."""
    tile = hg.shared(hg.u32, (TILE, TILE + 2 * RADIUS))
    fetch_row(tile, luma)
    total = hg.u32(HALF)
    for k in range(len(TAPS)):
        total += TAPS[k] * tile[hg.local_id(1), hg.local_id(0) + k]
    blur_rows[hg.global_id(1), hg.global_id(0)] = total >> 16


@hg.kernel
def gaussian_cols(blur_rows: hg.Array[hg.u16, 2], smooth: hg.Array[hg.u16, 2]):
    """The same along the columns."""
    tile = hg.shared(hg.u32, (TILE + 2 * RADIUS, TILE))
    fetch_column(tile, blur_rows)
    total = hg.u32(HALF)
    for k in range(len(TAPS)):
        total += TAPS[k] * tile[hg.local_id(1) + k, hg.local_id(0)]
    smooth[hg.global_id(1), hg.global_id(0)] = total >> 16


def isqrt(n):
    """The root of a U32, rounded down: one binary digit a round, as with pencil and paper."""
    root, digit = hg.u32(0), hg.u32(1 << 30)
    for _ in range(16):
        tried = root + digit
        root >>= 1
        if n >= tried:
            n -= tried
            root += digit
        digit >>= 2
    return root


@hg.kernel
def sobel(
    smooth: hg.Array[hg.u16, 2],
    gx: hg.Array[hg.i16, 2],
    gy: hg.Array[hg.i16, 2],
    magnitude: hg.Array[hg.u16, 2],
    direction: hg.Array[hg.u8, 2],
):
    """How fast the brightness changes, and in which direction."""
    tile = hg.shared(hg.i32, (TILE + 2, TILE + 2))
    fetch_around(tile, smooth, False)
    x, y = hg.global_id(0), hg.global_id(1)
    falling, rising = change(tile, 1, 1), change(tile, 1, -1)
    dx = (falling + rising + 2 * change(tile, 1, 0) + 4) >> 3
    dy = (falling - rising + 2 * change(tile, 0, 1) + 4) >> 3
    gx[y, x] = dx
    gy[y, x] = dy
    a, b = hg.u32(abs(dx)), hg.u32(abs(dy))
    magnitude[y, x] = isqrt(a * a + b * b)
    # Closer to the horizontal than to a diagonal is |dy| < (sqrt(2) - 1) |dx|, or (|dx| + |dy|) ** 2 < 2 |dx| ** 2.
    both = (a + b) ** 2
    direction[y, x] = eighth(dx, dy, both <= 2 * a * a, both <= 2 * b * b)


@hg.kernel
def suppress(magnitude: hg.Array[hg.u16, 2], direction: hg.Array[hg.u8, 2], thin: hg.Array[hg.u16, 2]):
    """Non-maximum suppression: along the gradient only the highest pixel stays. Outside the picture all is 0."""
    tile = hg.shared(hg.i32, (TILE + 2, TILE + 2))
    fetch_around(tile, magnitude, True)
    x, y = hg.global_id(0), hg.global_id(1)
    thin[y, x] = magnitude[y, x] if is_highest(tile, direction[y, x]) else 0


@hg.kernel
def double_threshold(thin: hg.Array[hg.u16, 2], marks: hg.Array[hg.u8, 2], low: hg.u32, high: hg.u32):
    """STRONG above `high`, WEAK above `low`, else 0."""
    x, y = hg.global_id(0), hg.global_id(1)
    marks[y, x] = mark(thin[y, x], low, high)


@hg.kernel
def hysteresis_step(marks: hg.Array[hg.u8, 2], grown: hg.Array[hg.u8, 2], changed: hg.Array[hg.u32], step: hg.u32):
    """A weak pixel next to a strong one becomes strong; then `changed[0]`, the last step that was needed, is `step`."""
    x, y = hg.global_id(0), hg.global_id(1)
    height, width = marks.shape
    here = marks[y, x]
    if here == WEAK:
        for v in range(max(y - 1, 0), min(y + 2, height)):
            for u in range(max(x - 1, 0), min(x + 2, width)):
                if marks[v, u] == STRONG:
                    here = hg.u8(STRONG)
        if here == STRONG:
            hg.atomic_max(changed, 0, step)
    grown[y, x] = here


@hg.kernel
def strong_edges(marks: hg.Array[hg.u8, 2], edges: hg.Array[hg.u8, 2]):
    """Back to 8 bits: 255 where an edge is."""
    x, y = hg.global_id(0), hg.global_id(1)
    edges[y, x] = 255 if marks[y, x] == STRONG else 0


# Two that ride along


@hg.kernel
def histogram(luma: hg.Array[hg.u16, 2], counts: hg.Array[hg.u32]):
    """How often each brightness occurs: a block counts in shared memory, and adds that to `counts` at the end."""
    own = hg.shared(hg.u32, BINS)
    height, width = luma.shape
    for y in range(hg.global_id(1), height, hg.grid_dim(1) * hg.block_dim(1)):
        for x in range(hg.global_id(0), width, hg.grid_dim(0) * hg.block_dim(0)):
            hg.atomic_add(own, luma[y, x] >> 8, 1)
    hg.barrier()
    for i in range(hg.local_id(1) * hg.block_dim(0) + hg.local_id(0), BINS, hg.block_dim(0) * hg.block_dim(1)):
        hg.atomic_add(counts, i, own[i])


@hg.kernel
def mandelbrot(rounds: hg.Array[hg.u16, 2], left: hg.f32, top: hg.f32, step: hg.f32, most: hg.i32):
    """After how many rounds of z = z * z + c the number z is further from 0 than 2; `most` if it stays."""
    x, y = hg.global_id(0), hg.global_id(1)
    cr, ci = left + x * step, top + y * step
    zr = zi = hg.f32(0)
    n = 0
    while n < most and zr * zr + zi * zi <= 4:
        zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
        n += 1
    rounds[y, x] = n
