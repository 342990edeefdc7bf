"""The colours of a picture by k-means: pixels join the nearest colour, and colours move to the mean of their own."""

# mypy: ignore-errors

import numpy as np

import hologram_web as hg

TITLE = "k-means colours"
SUMMARY = "A picture in a few colours of its own, found by k-means: a round of it for every frame."
SIZE = (480, 360)
KEYS = "The webcam starts when it is asked for."
HINT = "Below the picture lie its colours, as wide as they are frequent."
TOLERANCE = 0.01
FRAMES = 40


def nearest(photo, row, column, colours):
    """The number of the colour that is nearest to a pixel."""
    red, green, blue = hg.f32(photo[row, column, 0]), hg.f32(photo[row, column, 1]), hg.f32(photo[row, column, 2])
    best, found = 1e9, 0
    for k in range(colours.shape[0]):
        dr, dg, db = red - colours[k, 0], green - colours[k, 1], blue - colours[k, 2]
        far = dr * dr + dg * dg + db * db
        if far < best:
            best, found = far, k
    return found


@hg.kernel
def gather(photo: hg.Array[hg.u8, 3], colours: hg.Array[hg.f32, 2], sums: hg.Array[hg.u32, 2]):
    """Adds each pixel to its colour: in the block first, then for all. At most 32 colours."""
    mine = hg.shared(hg.u32, (32, 4))
    row, column = hg.global_id(1), hg.global_id(0)
    lane = hg.local_id(1) * 16 + hg.local_id(0)
    if row < photo.shape[0] and column < photo.shape[1]:
        k = nearest(photo, row, column, colours)
        for part in hg.static_range(3):
            hg.atomic_add(mine, (k, part), photo[row, column, part])
        hg.atomic_add(mine, (k, 3), 1)
    hg.barrier()
    if lane < 4 * sums.shape[0]:
        hg.atomic_add(sums, (lane // 4, lane % 4), mine[lane // 4, lane % 4])


@hg.kernel
def update(sums: hg.Array[hg.u32, 2], colours: hg.Array[hg.f32, 2], counts: hg.Array[hg.u32]):
    k = hg.global_id()
    count = sums[k, 3]
    counts[k] = count
    for part in hg.static_range(3):
        if count > 0:
            colours[k, part] = hg.f32(sums[k, part]) / hg.f32(count)


@hg.kernel
def paint(
    photo: hg.Array[hg.u8, 3],
    colours: hg.Array[hg.f32, 2],
    counts: hg.Array[hg.u32],
    picture: hg.Array[hg.u8, 3],
    bar: hg.i32,
):
    """The picture in its colours, and `bar` rows of them below."""
    row, column = hg.global_id(1), hg.global_id(0)
    height = photo.shape[0]
    k = nearest(photo, row, column, colours)
    if row >= height - bar:
        place, passed = column * height, 0
        k = -1
        for other in range(len(counts)):
            passed += hg.i32(counts[other])
            if k < 0 and place < passed:
                k = other
        k = max(k, 0)
    for part in hg.static_range(3):
        picture[row, column, part] = hg.u8(colours[k, part] + 0.5)
    picture[row, column, 3] = 255


def programs():
    size, lanes = ("height", "width", 4), ("width", "height")
    shapes = {"photo": size, "picture": size, "colours": ("k", 3), "counts": ("k",)}
    plan = hg.PlanBuilder("kmeans", shapes=shapes)
    plan.temporary("sums", ("k", 4), hg.u32)
    whole = ("(width + 15) // 16 * 16", "(height + 15) // 16 * 16")  # blocks, so that all lanes meet at the barrier
    plan.launch(gather, whole, (16, 16))
    plan.launch(update, "k")
    plan.launch(paint, lanes)
    return {"round": hg.CompiledProgram.from_builder(plan)}


def examples():
    """Runs, and what NumPy says of them."""
    rng = np.random.default_rng(10)
    photo, colours = rng.integers(0, 256, (32, 48, 4), dtype=np.uint8), rng.random((5, 3), np.float32) * 255
    pixels = photo[..., :3].reshape(-1, 3).astype(float)
    near = ((pixels[:, None] - colours[None]) ** 2).sum(2).argmin(1)
    means = np.array([pixels[near == k].mean(0) for k in range(5)])
    counts = np.bincount(near, minlength=5)
    after = ((pixels[:, None] - means[None]) ** 2).sum(2).argmin(1)
    picture = np.concatenate([np.floor(means + 0.5)[after], np.full((len(after), 1), 255)], 1).reshape(photo.shape)
    args = {"photo": photo, "colours": colours, "counts": np.zeros(5, np.uint32), "picture": np.zeros_like(photo)}
    yield "round", args | {"bar": 0}, {"colours": means, "counts": counts, "picture": picture}
