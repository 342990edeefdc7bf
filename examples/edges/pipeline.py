"""The stages, and how a device runs them.

A program says itself what it reads and makes: its buffer parameters are named after the planes of the pipeline (one
value, or for `rgb` three, a pixel), its scalar parameters after the settings. So a stage is a program, a launch, a
reference function, and words about it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg

from . import reference
from .reference import Planes

__all__ = ["CREDIT", "LEVEL", "PROGRAMS", "STAGES", "Result", "Stage", "photograph", "run", "run_reference"]

PROGRAMS = Path(__file__).parent / "programs"
CREDIT = "The photograph shows Eileen Collins; it is by NASA, in the public domain, and comes with scikit-image."
LEVEL = 12 * 256  # what counts as an edge: twelve grey levels a pixel, in Q8

Launch = Callable[[int, int], hg.LaunchConfig]


def _lane_per_pixel(width: int, height: int) -> hg.LaunchConfig:
    return hg.LaunchConfig.linear(width * height)


def _tiles(width: int, height: int) -> hg.LaunchConfig:
    return hg.LaunchConfig.grid_2d(width, height, block=(16, 16))


@dataclass(frozen=True)
class Stage:
    """One program of the pipeline."""

    name: str  # of the program's file
    launch: Launch
    launch_text: str
    reference: Callable[..., Planes]
    title: str
    about: str
    formula: str

    def source(self, folder: Path = PROGRAMS) -> str:
        """The text of the program."""
        return (folder / f"{self.name}.atlas").read_text(encoding="utf-8")

    def program(self, folder: Path = PROGRAMS) -> hg.Program:
        """The program, verified. Raises IsaError."""
        program = hg.Program.from_text(self.source(folder))
        program.validate()
        return program


STAGES = (
    Stage(
        "luminance",
        _lane_per_pixel,
        "linear, one lane a pixel",
        reference.luminance,
        "Luminance",
        "One brightness from red, green and blue, in fixed point: 16 bits, 8 of them after the point.",
        "luma = (19595 R + 38470 G + 7471 B + 128) >> 8",
    ),
    Stage(
        "gaussian_rows",
        _tiles,
        "blocks of 16 x 16 lanes",
        reference.gaussian_rows,
        "Gaussian, along the rows",
        "Nine taps. The block fetches its tile and a halo of four columns into shared memory, waits at a barrier, and "
        "then every lane finds its neighbours close by.",
        "blur_rows(x, y) = (sum of tap(i) * luma(x + i, y) + 32768) >> 16",
    ),
    Stage(
        "gaussian_cols",
        _tiles,
        "blocks of 16 x 16 lanes",
        reference.gaussian_cols,
        "Gaussian, along the columns",
        "The same with the axes exchanged: 9 + 9 products a pixel do the work of 81.",
        "smooth(x, y) = (sum of tap(i) * blur_rows(x, y + i) + 32768) >> 16",
    ),
    Stage(
        "sobel",
        _tiles,
        "blocks of 16 x 16 lanes",
        reference.sobel,
        "Sobel gradient",
        "How fast the brightness changes and in which of eight directions. The square root is a function of the "
        "program, a loop that finds one binary digit a round.",
        "magnitude = floor(sqrt(gx * gx + gy * gy))",
    ),
    Stage(
        "threshold",
        _lane_per_pixel,
        "linear, one lane a pixel",
        reference.threshold,
        "Threshold",
        "An edge is where the brightness changes by more than a given number of grey levels a pixel.",
        "edges = 255 if magnitude > level else 0",
    ),
)


@dataclass(frozen=True)
class Result:
    """What one device made of one stage."""

    device: str
    stage: Stage
    ms: float
    planes: Planes
    differing: dict[str, int]  # pixels that are not the reference's, for each plane

    @property
    def total_differing(self) -> int:
        return sum(self.differing.values())


def photograph() -> NDArray:
    """512 x 512 pixels, from the scikit-image package (no download)."""
    from skimage import data

    photo: NDArray = data.astronaut()
    return photo


def run_reference(photo: NDArray, level: int = LEVEL) -> tuple[Planes, dict[str, float]]:
    """All planes as SciPy makes them, and the milliseconds of each stage."""
    known: dict[str, Any] = {"rgb": photo, "level": level}
    ms = {}
    for stage in STAGES:
        wanted = {name: known[name] for name in signature(stage.reference).parameters}
        start = time.perf_counter()
        known |= stage.reference(**wanted)
        ms[stage.name] = 1000 * (time.perf_counter() - start)
    return {name: value for name, value in known.items() if name != "level"}, ms


def run(
    device: hg.Backend,
    expected: Planes,
    programs: Mapping[str, hg.Program],
    level: int = LEVEL,
    repeat: int = 1,
) -> Iterator[Result]:
    """Runs the stages on a device, one result at a time; each stage works on what the device made before.

    `expected` holds the photograph (`rgb`) and the planes to compare with, `programs` the program of each stage. The
    time of a stage is the best of `repeat` launches, from the call until the answer can be read.
    """
    height, width = expected["rgb"].shape[:2]
    settings = {"width": width, "height": height, "level": level}
    handles = {"rgb": _upload(device, expected["rgb"])}
    try:
        for stage in STAGES:
            program = programs[stage.name]
            made = [param for param in program.params if param.access is not None and param.access.writes]
            for param in made:
                # A pixel that no lane writes keeps this value, so that it does not pass for a zero.
                handles[param.name] = _upload(device, np.full(expected[param.name].shape, 0x5A, _dtype(param)))
            args: dict[str | hg.Register, Any] = {
                param.name: (handles | settings)[param.name] for param in program.params
            }
            params = hg.ExecutionParams(stage.launch(width, height), args)
            ms = min(_timed(device, program, params, handles[made[0].name]) for _ in range(repeat))
            planes = {}
            for param in made:
                planes[param.name] = np.empty(expected[param.name].shape, _dtype(param))
                device.copy_from_buffer(handles[param.name], out=planes[param.name])
            differing = {name: int(np.count_nonzero(plane != expected[name])) for name, plane in planes.items()}
            yield Result(device.name, stage, ms, planes, differing)
    finally:
        for handle in handles.values():
            device.free_buffer(handle)


def _dtype(param: hg.Param) -> np.dtype:
    assert param.ty is not None  # it is a buffer
    return np.dtype(f"{param.ty.kind}{param.ty.size_bytes}")


def _upload(device: hg.Backend, array: NDArray) -> hg.BufferHandle:
    handle = device.allocate_buffer(array.nbytes)
    device.copy_to_buffer(handle, np.ascontiguousarray(array))
    return handle


def _timed(device: hg.Backend, program: hg.Program, params: hg.ExecutionParams, result: hg.BufferHandle) -> float:
    """Milliseconds of a launch. Reading the first byte of a result waits for devices that work in the background."""
    start = time.perf_counter()
    device.execute_program_with_params(program, params)
    device.copy_from_buffer(result, out=bytearray(1))
    return 1000 * (time.perf_counter() - start)
