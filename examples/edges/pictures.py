"""Pictures of planes: how each is made visible, and where two of them differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from .reference import Planes

__all__ = ["COMPASS", "CREDIT", "PLANES", "PlaneView", "difference", "photograph"]

CREDIT = "The photograph shows Eileen Collins; it is by NASA, in the public domain, and comes with scikit-image."

_BRIGHTEST = 40  # grey levels a pixel; hardly a gradient in a photograph is steeper
# Colours of the eight directions: opposite directions get opposite colours.
COMPASS = ("#ff5a5f", "#ff9f1c", "#ffe14d", "#8ee04e", "#2ec4b6", "#3a86ff", "#8a5cf6", "#f15bb5")


def photograph() -> NDArray:
    """512 x 512 pixels, from the scikit-image package (no download)."""
    from skimage import data

    photo: NDArray = data.astronaut()
    return photo


@dataclass(frozen=True)
class PlaneView:
    """What a plane shows, and its picture, which may use other planes of the same device."""

    caption: str
    picture: Callable[[Planes], NDArray]  # of uint8, grey or RGB


def _q8(name: str) -> Callable[[Planes], NDArray]:
    return lambda planes: (planes[name] >> 8).astype(np.uint8)


def _signed(name: str) -> Callable[[Planes], NDArray]:
    return lambda planes: _clipped(128 + planes[name] / (2 * _BRIGHTEST))


def _magnitude(planes: Planes) -> NDArray:
    return _clipped(255 * np.sqrt(planes["magnitude"] / (256 * _BRIGHTEST)))


def _direction(planes: Planes) -> NDArray:
    colours = [tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5)) for colour in COMPASS]
    palette = np.array([*colours, *[(0, 0, 0)] * (256 - len(COMPASS))], np.float64)
    return _clipped(palette[planes["direction"]] * (_magnitude(planes)[..., None] / 255))


def _clipped(values: NDArray) -> NDArray:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


PLANES = {
    "rgb": PlaneView("the photograph", lambda planes: planes["rgb"]),
    "luma": PlaneView("luminance", _q8("luma")),
    "blur_rows": PlaneView("blurred along the rows", _q8("blur_rows")),
    "smooth": PlaneView("blurred both ways", _q8("smooth")),
    "gx": PlaneView("gradient to the right (grey is 0)", _signed("gx")),
    "gy": PlaneView("gradient downwards (grey is 0)", _signed("gy")),
    "magnitude": PlaneView("magnitude of the gradient", _magnitude),
    "direction": PlaneView("its direction, as bright as its magnitude", _direction),
    "edges": PlaneView("edges", lambda planes: planes["edges"]),
}


def difference(plane: NDArray, expected: NDArray) -> NDArray:
    """Black; a pixel that differs is white in a red frame, so that a single one can be seen."""
    differs = plane != expected
    near = ndimage.maximum_filter(differs, size=7)
    return np.where(differs[..., None], 255, near[..., None] * np.array([255, 40, 60])).astype(np.uint8)
