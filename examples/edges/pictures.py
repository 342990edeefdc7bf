"""Pictures of planes: how each is made visible, and where two of them differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from .reference import STRONG, WEAK, Planes
from .tasks import MANDELBROT

__all__ = ["COMPASS", "CREDIT", "MARKS", "VIEWS", "View", "difference", "photograph"]

CREDIT = "The photograph shows Eileen Collins; it is by NASA, in the public domain, and comes with scikit-image."
_BRIGHTEST = 40  # grey levels a pixel; hardly a gradient in a photograph is steeper
# Colours of the eight directions: opposite directions get opposite colours.
COMPASS = ("#ff5a5f", "#ff9f1c", "#ffe14d", "#8ee04e", "#2ec4b6", "#3a86ff", "#8a5cf6", "#f15bb5")
MARKS = {WEAK: "#3a86ff", STRONG: "#ffffff"}


def photograph() -> NDArray:
    """512 x 512 pixels, from the scikit-image package (no download)."""
    from skimage import data

    photo: NDArray = data.astronaut()
    return photo


@dataclass(frozen=True)
class View:
    """What a plane shows, and its picture (uint8, grey or RGB), which may use other planes of the same task."""

    caption: str
    picture: Callable[[Planes], NDArray]


def _levels(name: str, planes: Planes) -> NDArray:
    """A plane in grey levels: integers have 8 bits after the point."""
    plane = planes[name].astype(np.float64)
    return plane / 256 if planes[name].dtype.kind in "iu" else plane


def _grey(name: str) -> Callable[[Planes], NDArray]:
    return lambda planes: np.clip(np.floor(_levels(name, planes)), 0, 255).astype(np.uint8)


def _signed(name: str) -> Callable[[Planes], NDArray]:
    return lambda planes: _clipped(128 + 128 * _levels(name, planes) / _BRIGHTEST)


def _root(name: str) -> Callable[[Planes], NDArray]:
    return lambda planes: _clipped(255 * np.sqrt(_levels(name, planes) / _BRIGHTEST))


def _direction(planes: Planes) -> NDArray:
    palette = _palette(dict(enumerate(COMPASS))).astype(np.float64)
    return _clipped(palette[planes["direction"]] * (_root("magnitude")(planes)[..., None] / 255))


def _marks(name: str) -> Callable[[Planes], NDArray]:
    return lambda planes: _palette(MARKS)[planes[name]]


def _mandelbrot(planes: Planes) -> NDArray:
    """Blue to yellow with the logarithm of the rounds; black where z stays."""
    most = MANDELBROT["most"]
    place = np.log1p(planes["rounds"].astype(np.float64)) / np.log1p(most)
    stops = np.array([(5, 8, 40), (20, 50, 130), (60, 130, 200), (240, 220, 130), (255, 250, 230)], np.float64)
    at = np.linspace(0, 1, len(stops))
    colours = np.stack([np.interp(place, at, stops[:, channel]) for channel in range(3)], axis=-1)
    return _clipped(np.where(planes["rounds"][..., None] == most, 0, colours))


def _palette(colours: dict[int, str]) -> NDArray:
    found = np.zeros((256, 3), np.uint8)
    for value, colour in colours.items():
        found[value] = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return found


def _clipped(values: NDArray) -> NDArray:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


VIEWS = {
    "rgb": View("the photograph", lambda planes: planes["rgb"]),
    "luma": View("luminance", _grey("luma")),
    "blur_rows": View("blurred along the rows", _grey("blur_rows")),
    "smooth": View("blurred both ways", _grey("smooth")),
    "gx": View("gradient to the right (grey is 0)", _signed("gx")),
    "gy": View("gradient downwards (grey is 0)", _signed("gy")),
    "magnitude": View("magnitude of the gradient", _root("magnitude")),
    "direction": View("its direction, as bright as its magnitude", _direction),
    "thin": View("the highest pixels", _root("thin")),
    "marks": View("strong and weak pixels", _marks("marks")),
    "grown": View("after hysteresis", _marks("grown")),
    "edges": View("edges", lambda planes: planes["edges"]),
    "rounds": View("rounds until z leaves", _mandelbrot),
}


def difference(plane: NDArray, expected: NDArray) -> NDArray:
    """Black; a pixel that differs is white in a red frame, so that a single one can be seen."""
    differs = plane != expected
    near = ndimage.maximum_filter(differs, size=7)
    return np.where(differs[..., None], 255, near[..., None] * np.array([255, 40, 60])).astype(np.uint8)
