"""The picture of the directions, which takes two planes: made on the device, so that the page need not read them."""

# mypy: ignore-errors

from __future__ import annotations

import hologram_web as hg

from ..kernels import TILE

__all__ = ["compass_plan"]

BRIGHTEST = 40 * 256.0  # as in views.mjs


@hg.kernel
def compass(
    direction: hg.Array[hg.u8, 2],
    magnitude: hg.Array[hg.u16, 2],
    colours: hg.Array[hg.u8, 2],
    picture: hg.Array[hg.u8, 3],
):
    """The colour of a direction, as bright as the gradient is steep."""
    x, y = hg.global_id(0), hg.global_id(1)
    bright = min(hg.sqrt(hg.f32(magnitude[y, x]) / BRIGHTEST), 1.0)
    way = direction[y, x] & 7
    for k in range(3):
        picture[y, x, k] = hg.u8(bright * hg.f32(colours[way, k]) + 0.5)


def compass_plan() -> hg.CompiledProgram:
    plane = ("height", "width")
    return hg.compile(
        [(compass, ("width", "height"), (TILE, TILE))],
        name="compass",
        shapes={"direction": plane, "magnitude": plane, "colours": (8, 4), "picture": (*plane, 3)},
    )
