"""The stages of a Canny edge detector as kernels in Python: integers in fixed point from the luminance on.

Planes are arrays of rows and columns; `luma`, `blur_rows`, `smooth` and `magnitude` have 8 bits after the point. A
launch has one lane a pixel: `kernel[(width, height), (TILE, TILE)](...)`. Where neighbours are needed, a block fetches
its pixels and a halo around them into shared memory, each pixel once, and waits at a barrier. Lanes outside the picture
are off, so those that are on share the work; beyond the edge of the picture the last pixel goes on.
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
    "hysteresis_step",
    "luminance",
    "sobel",
    "strong_edges",
    "suppress",
    "threshold",
]

TILE = 16
RADIUS = 4
TAPS = (316, 1882, 6738, 14485, 18694, 14485, 6738, 1882, 316)  # a Gaussian, sigma 1.4, times 65536; the sum is exact
HALF = 32768  # of what is shifted out: results are rounded
WEAK, STRONG = 1, 2


def clamped(i, n):
    """The index of the pixel that stands for one outside."""
    return max(0, min(i, n - 1))


def lanes_on(n, axis):
    """How many lanes of this block are on along an axis."""
    return min(TILE, n - TILE * hg.block_id(axis))


@hg.kernel
def luminance(rgb: hg.Array[hg.u8, 3], luma: hg.Array[hg.u16, 2]):
    """One brightness from red, green and blue."""
    x, y = hg.global_id(0), hg.global_id(1)
    red, green, blue = hg.u32(rgb[y, x, 0]), hg.u32(rgb[y, x, 1]), hg.u32(rgb[y, x, 2])
    luma[y, x] = (19595 * red + 38470 * green + 7471 * blue + 128) >> 8


@hg.kernel
def gaussian_rows(luma: hg.Array[hg.u16, 2], blur_rows: hg.Array[hg.u16, 2]):
    """Nine taps along the rows; the tile has a halo of four columns on either side."""
    tile = hg.shared(hg.u32, (TILE, TILE + 2 * RADIUS))
    x, y = hg.global_id(0), hg.global_id(1)
    across, down = hg.local_id(0), hg.local_id(1)
    width = luma.shape[1]
    lanes = lanes_on(width, 0)
    for column in range(across, lanes + 2 * RADIUS, lanes):
        tile[down, column] = luma[y, clamped(TILE * hg.block_id(0) + column - RADIUS, width)]
    hg.barrier()
    total = hg.u32(HALF)
    for k in range(len(TAPS)):
        total += TAPS[k] * tile[down, across + k]
    blur_rows[y, x] = total >> 16


@hg.kernel
def gaussian_cols(blur_rows: hg.Array[hg.u16, 2], smooth: hg.Array[hg.u16, 2]):
    """The same along the columns."""
    tile = hg.shared(hg.u32, (TILE + 2 * RADIUS, TILE))
    x, y = hg.global_id(0), hg.global_id(1)
    across, down = hg.local_id(0), hg.local_id(1)
    height = blur_rows.shape[0]
    lanes = lanes_on(height, 1)
    for row in range(down, lanes + 2 * RADIUS, lanes):
        tile[row, across] = blur_rows[clamped(TILE * hg.block_id(1) + row - RADIUS, height), x]
    hg.barrier()
    total = hg.u32(HALF)
    for k in range(len(TAPS)):
        total += TAPS[k] * tile[down + k, across]
    smooth[y, x] = total >> 16


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
    """How fast the brightness changes, and in which of eight directions: 0 to the right, on clockwise; 8 if nowhere."""
    tile = hg.shared(hg.i32, (TILE + 2, TILE + 2))
    x, y = hg.global_id(0), hg.global_id(1)
    i, j = hg.local_id(1), hg.local_id(0)
    height, width = smooth.shape
    across, down = lanes_on(width, 0), lanes_on(height, 1)
    for row in range(i, down + 2, down):
        for column in range(j, across + 2, across):
            source = clamped(TILE * hg.block_id(1) + row - 1, height)
            tile[row, column] = smooth[source, clamped(TILE * hg.block_id(0) + column - 1, width)]
    hg.barrier()
    falling = tile[i + 2, j + 2] - tile[i, j]
    rising = tile[i, j + 2] - tile[i + 2, j]
    dx = (falling + rising + 2 * (tile[i + 1, j + 2] - tile[i + 1, j]) + 4) >> 3
    dy = (falling - rising + 2 * (tile[i + 2, j + 1] - tile[i, j + 1]) + 4) >> 3
    gx[y, x] = dx
    gy[y, x] = dy
    a, b = hg.u32(abs(dx)), hg.u32(abs(dy))
    magnitude[y, x] = isqrt(a * a + b * b)
    # Closer to the horizontal than to a diagonal is |dy| < (sqrt(2) - 1) |dx|, or (|dx| + |dy|) ** 2 < 2 |dx| ** 2.
    both = (a + b) ** 2
    horizontal, vertical = both <= 2 * a * a, both <= 2 * b * b
    if horizontal and vertical:
        direction[y, x] = 8
    elif horizontal:
        direction[y, x] = 4 if dx < 0 else 0
    elif vertical:
        direction[y, x] = 6 if dy < 0 else 2
    elif dx < 0:
        direction[y, x] = 5 if dy < 0 else 3
    else:
        direction[y, x] = 7 if dy < 0 else 1


@hg.kernel
def threshold(magnitude: hg.Array[hg.u16, 2], edges: hg.Array[hg.u8, 2], level: hg.u32):
    """An edge is where the brightness changes by more than `level`."""
    x, y = hg.global_id(0), hg.global_id(1)
    edges[y, x] = 255 if magnitude[y, x] > level else 0


@hg.kernel
def suppress(magnitude: hg.Array[hg.u16, 2], direction: hg.Array[hg.u8, 2], thin: hg.Array[hg.u16, 2]):
    """Non-maximum suppression: along the gradient only the highest pixel stays. Outside the picture all is 0."""
    tile = hg.shared(hg.i32, (TILE + 2, TILE + 2))
    x, y = hg.global_id(0), hg.global_id(1)
    i, j = hg.local_id(1), hg.local_id(0)
    height, width = magnitude.shape
    across, down = lanes_on(width, 0), lanes_on(height, 1)
    for row in range(i, down + 2, down):
        for column in range(j, across + 2, across):
            v, u = TILE * hg.block_id(1) + row - 1, TILE * hg.block_id(0) + column - 1
            inside = 0 <= v < height and 0 <= u < width
            tile[row, column] = magnitude[v, u] if inside else 0
    hg.barrier()
    way = direction[y, x] & 3  # opposite directions are the same line
    dx = 0 if way == 2 else -1 if way == 3 else 1
    dy = 0 if way == 0 else 1
    here = tile[i + 1, j + 1]
    highest = here > tile[i + 1 - dy, j + 1 - dx] and here >= tile[i + 1 + dy, j + 1 + dx]
    thin[y, x] = here if highest else 0


@hg.kernel
def double_threshold(thin: hg.Array[hg.u16, 2], marks: hg.Array[hg.u8, 2], low: hg.u32, high: hg.u32):
    """STRONG above `high`, WEAK above `low`, else 0."""
    x, y = hg.global_id(0), hg.global_id(1)
    value = thin[y, x]
    marks[y, x] = STRONG if value > high else WEAK if value > low else 0


@hg.kernel
def hysteresis_step(marks: hg.Array[hg.u8, 2], grown: hg.Array[hg.u8, 2], changed: hg.Array[hg.u32]):
    """A weak pixel next to a strong one becomes strong; then `changed[0]` is 1, and another step is needed."""
    x, y = hg.global_id(0), hg.global_id(1)
    height, width = marks.shape
    mark = marks[y, x]
    if mark == WEAK:
        for v in range(max(y - 1, 0), min(y + 2, height)):
            for u in range(max(x - 1, 0), min(x + 2, width)):
                if marks[v, u] == STRONG:
                    mark = hg.u8(STRONG)
        if mark == STRONG:
            hg.atomic_or(changed, 0, 1)
    grown[y, x] = mark


@hg.kernel
def strong_edges(marks: hg.Array[hg.u8, 2], edges: hg.Array[hg.u8, 2]):
    """Back to 8 bits: 255 where an edge is."""
    x, y = hg.global_id(0), hg.global_id(1)
    edges[y, x] = 255 if marks[y, x] == STRONG else 0
