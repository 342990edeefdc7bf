"""The twelve kernels."""

# mypy: ignore-errors

import math

import hologram_web as hg

NEEDLE = b"GATTACA"


@hg.kernel
def sepia(photo: hg.Array[hg.u8, 3], old: hg.Array[hg.u8, 3]):
    """A photograph as it was a hundred years ago."""
    row, column = hg.global_id(1), hg.global_id(0)
    if row < photo.shape[0] and column < photo.shape[1]:
        r, g, b = float(photo[row, column, 0]), float(photo[row, column, 1]), float(photo[row, column, 2])
        old[row, column, 0] = int(min(0.393 * r + 0.769 * g + 0.189 * b, 255))
        old[row, column, 1] = int(min(0.349 * r + 0.686 * g + 0.168 * b, 255))
        old[row, column, 2] = int(min(0.272 * r + 0.534 * g + 0.131 * b, 255))


@hg.kernel
def scan(x: hg.Array[hg.u32], y: hg.Array[hg.u32]):
    """Sums of all elements so far, of each block of 256."""
    sums = hg.shared(hg.u32, 256)
    i, lane = hg.global_id(), hg.local_id()
    sums[lane] = x[i]
    hg.barrier()
    step = 1
    while step < 256:
        before = 0
        if lane >= step:
            before = sums[lane - step]
        hg.barrier()
        sums[lane] += before
        hg.barrier()
        step *= 2
    y[i] = sums[lane]


@hg.kernel
def matmul(a: hg.Array[hg.f32, 2], b: hg.Array[hg.f32, 2], c: hg.Array[hg.f32, 2], TILE: hg.Constant[int] = 16):
    """A matrix product by tiles in shared memory."""
    here = hg.shared(hg.f32, (TILE, TILE))
    there = hg.shared(hg.f32, (TILE, TILE))
    row, column = hg.global_id(1), hg.global_id(0)
    i, j = hg.local_id(1), hg.local_id(0)
    total = 0.0
    for tile in range((a.shape[1] + TILE - 1) // TILE):
        k = tile * TILE
        here[i, j] = a[row, k + j] if row < a.shape[0] and k + j < a.shape[1] else 0
        there[i, j] = b[k + i, column] if k + i < b.shape[0] and column < b.shape[1] else 0
        hg.barrier()
        for q in range(TILE):
            total += here[i, q] * there[q, j]
        hg.barrier()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


@hg.kernel
def nbody(place: hg.Array[hg.f32, 2], speed: hg.Array[hg.f32, 2], mass: hg.Array[hg.f32], dt: hg.f32):
    """Bodies that attract each other: their speeds a moment later."""
    i = hg.global_id()
    here = hg.vec3(place[i, 0], place[i, 1], place[i, 2])
    pull = hg.vec3(0.0, 0.0, 0.0)
    for j in range(len(mass)):
        d = hg.vec3(place[j, 0], place[j, 1], place[j, 2]) - here
        pull += d * (mass[j] * hg.rsqrt(hg.dot(d, d) + 0.01) ** 3)
    speed[i, 0] += pull.x * dt
    speed[i, 1] += pull.y * dt
    speed[i, 2] += pull.z * dt


@hg.kernel
def monte_carlo(inside: hg.Array[hg.u32], seed: hg.u32, rounds: hg.i32):
    """How many of random points lie in a quarter of a circle."""
    found = 0
    for k in range(rounds):
        number = 2 * (hg.global_id() * rounds + k)
        x, y = hg.random_uniform(seed, number), hg.random_uniform(seed, number + 1)
        if x * x + y * y < 1:
            found += 1
    hg.atomic_add(inside, 0, found)


@hg.kernel
def search(text: hg.Array[hg.u8], found: hg.Array[hg.u32]):
    """Marks where the needle starts."""
    i = hg.global_id()
    same = True
    for k, letter in enumerate(NEEDLE):
        if i + k >= len(text) or text[min(i + k, len(text) - 1)] != letter:
            same = False
    found[i] = same


@hg.kernel
def sort(x: hg.Array[hg.f32]):
    """Sorts each block of 256, bitonically."""
    values = hg.shared(hg.f32, 256)
    i, lane = hg.global_id(), hg.local_id()
    values[lane] = x[i]
    hg.barrier()
    size = 2
    while size <= 256:
        half = size // 2
        while half > 0:
            other = lane ^ half
            if other > lane:
                a, b = values[lane], values[other]
                upwards = lane & size == 0
                if (a > b) == upwards:
                    values[lane], values[other] = b, a
            hg.barrier()
            half //= 2
        size *= 2
    x[i] = values[lane]


@hg.kernel
def histogram(x: hg.Array[hg.u8], counts: hg.Array[hg.u32]):
    """How often each byte is there: counted in each block first."""
    mine = hg.shared(hg.u32, 256)
    i, lane = hg.global_id(), hg.local_id()
    if i < len(x):
        hg.atomic_add(mine, int(x[i]), 1)
    hg.barrier()
    hg.atomic_add(counts, lane, mine[lane])


@hg.kernel
def convolve(x: hg.Array[hg.f32, 4], weights: hg.Array[hg.f32, 4], y: hg.Array[hg.f32, 4]):
    """Pictures, channels, rows and columns by 3 x 3 weights of each channel to each."""
    column, row, place = hg.global_id(0), hg.global_id(1), hg.global_id(2)
    picture, to = place // y.shape[1], place % y.shape[1]
    total = 0.0
    for channel in range(x.shape[1]):
        for i in range(3):
            for j in range(3):
                total += weights[to, channel, i, j] * x[picture, channel, row + i, column + j]
    y[picture, to, row, column] = total


@hg.kernel
def edit_distance(word: hg.Array[hg.u8], words: hg.Array[hg.u8, 2], distance: hg.Array[hg.i32]):
    """How many letters one has to change, add or drop, for each of many words of 16 letters."""
    i = hg.global_id()
    row = hg.local(hg.i32, 17)
    for k in range(17):
        row[k] = k
    for letter in word:
        corner, row[0] = row[0], row[0] + 1
        for k in range(16):
            change = corner + (1 if words[i, k] != letter else 0)
            corner = row[k + 1]
            row[k + 1] = min(change, row[k] + 1, row[k + 1] + 1)
    distance[i] = row[16]


def around(m, row, column):
    """The sum of the four neighbours on a torus, less four times the middle."""
    height, width = m.shape
    up, down = m[(row + height - 1) % height, column], m[(row + 1) % height, column]
    left, right = m[row, (column + width - 1) % width], m[row, (column + 1) % width]
    return up + down + left + right - 4 * m[row, column]


@hg.kernel
def gray_scott(
    u: hg.Array[hg.f32, 2],
    v: hg.Array[hg.f32, 2],
    next_u: hg.Array[hg.f32, 2],
    next_v: hg.Array[hg.f32, 2],
    feed: hg.f32 = 0.055,
    kill: hg.f32 = 0.062,
):
    """A step of two substances that react and spread."""
    row, column = hg.global_id(1), hg.global_id(0)
    here, there = u[row, column], v[row, column]
    reaction = here * there * there
    next_u[row, column] = here + 0.16 * around(u, row, column) - reaction + feed * (1 - here)
    next_v[row, column] = there + 0.08 * around(v, row, column) + reaction - (feed + kill) * there


@hg.kernel
def fft(x: hg.Array[hg.complex64], y: hg.Array[hg.complex64]):
    """The Fourier transform of each 256 numbers."""
    tile = hg.shared(hg.complex64, 256)
    i, lane = hg.global_id(), hg.local_id()
    place = 0
    for k in hg.static_range(8):
        place |= (lane >> k & 1) << (7 - k)
    tile[place] = x[i]
    hg.barrier()
    half = 1
    while half < 256:
        k = lane % half
        low = lane - lane % (2 * half) + k
        turned = tile[low + half] * hg.exp(-1j * math.pi * k / half)
        sum = tile[low] + turned if lane % (2 * half) < half else tile[low] - turned
        hg.barrier()
        tile[lane] = sum
        hg.barrier()
        half *= 2
    y[i] = tile[lane]
