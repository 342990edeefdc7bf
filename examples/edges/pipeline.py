"""The stages, and how a device runs them.

A program says itself what it reads and makes: its buffer parameters are named after the planes of the pipeline (one
value, or for `rgb` three, a pixel), its scalar parameters after the settings. So a stage is a program, a launch, a
reference function, and words about it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg

from . import reference
from .reference import Planes

__all__ = [
    "CREDIT",
    "LEVEL",
    "PROGRAMS",
    "REFERENCE",
    "STAGES",
    "Result",
    "Stage",
    "photograph",
    "run",
    "run_reference",
]

PROGRAMS = Path(__file__).parent / "programs"
CREDIT = "The photograph shows Eileen Collins; it is by NASA, in the public domain, and comes with scikit-image."
REFERENCE = "SciPy"  # who else does the stages, by examples/edges/reference.py
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
    """What SciPy or a device made of one stage: milliseconds of the first run, and of each one after it."""

    device: str
    stage: Stage
    first_ms: float
    rounds_ms: tuple[float, ...]
    planes: Planes
    differing: dict[str, int]  # pixels that are not SciPy's, for each plane

    @property
    def ms(self) -> float:
        """The median of the runs after the first."""
        return median(self.rounds_ms)

    @property
    def total_differing(self) -> int:
        return sum(self.differing.values())


def photograph() -> NDArray:
    """512 x 512 pixels, from the scikit-image package (no download)."""
    from skimage import data

    photo: NDArray = data.astronaut()
    return photo


def run_reference(photo: NDArray, level: int = LEVEL) -> Planes:
    """All planes as SciPy makes them, with the photograph as `rgb`."""
    scipy = _Scipy(photo, level)
    expected: Planes = {"rgb": photo}
    for stage in STAGES:
        scipy.prepare(stage)()
        expected |= scipy.planes(stage)
    return expected


def run(
    devices: Sequence[hg.Backend],
    photo: NDArray,
    programs: Mapping[str, hg.Program],
    level: int = LEVEL,
    rounds: int = 1,
) -> Iterator[Result]:
    """Runs the stages by SciPy and on every device: for each stage the result of SciPy, then those of the devices.

    Each works on what it made before. `programs` are those of the stages. After its first run a stage runs `rounds`
    times: one round of SciPy, one of each device, again and again, so that a machine that slows down slows down all.
    """
    runners: list[_Scipy | _Device] = [_Scipy(photo, level), *(_Device(device, photo, level) for device in devices)]
    try:
        for stage in STAGES:
            runs = [runner.prepare(stage, programs[stage.name]) for runner in runners]
            first = [_timed(run) for run in runs]
            later = [[_timed(run) for run in runs] for _ in range(rounds)]
            expected = runners[0].planes(stage)
            for number, runner in enumerate(runners):
                planes = runner.planes(stage)
                differing = {name: int(np.count_nonzero(planes[name] != expected[name])) for name in expected}
                yield Result(runner.name, stage, first[number], tuple(ms[number] for ms in later), planes, differing)
    finally:
        for runner in runners:
            runner.close()


def _timed(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - start)


class _Scipy:
    """The stages by SciPy."""

    name = REFERENCE

    def __init__(self, photo: NDArray, level: int) -> None:
        self.known: dict[str, Any] = {"rgb": photo, "level": level}
        self.made: Planes = {}

    def prepare(self, stage: Stage, program: hg.Program | None = None) -> Callable[[], None]:
        """What runs the stage once, until its planes can be read. It takes no program."""
        wanted = {name: self.known[name] for name in signature(stage.reference).parameters}

        def once() -> None:
            self.made = stage.reference(**wanted)

        return once

    def planes(self, stage: Stage) -> Planes:
        """What the stage made."""
        self.known |= self.made
        return self.made

    def close(self) -> None:
        pass


class _Device:
    """The stages on a device, whose buffers hold the planes."""

    def __init__(self, device: hg.Backend, photo: NDArray, level: int) -> None:
        self.device, self.name = device, device.name
        self.shape = photo.shape[:2]
        height, width = self.shape
        self.settings = {"width": width, "height": height, "level": level}
        self.handles = {"rgb": _upload(device, photo)}
        self.made: list[hg.Param] = []

    def prepare(self, stage: Stage, program: hg.Program) -> Callable[[], None]:
        """What runs the stage once. Reading the first byte waits for devices that work in the background."""
        self.made = [param for param in program.params if param.access is not None and param.access.writes]
        for param in self.made:
            # A pixel that no lane writes keeps this value, so that it does not pass for a zero.
            self.handles[param.name] = _upload(self.device, np.full(self.shape, 0x5A, _dtype(param)))
        args: dict[str | hg.Register, Any] = {
            param.name: (self.handles | self.settings)[param.name] for param in program.params
        }
        height, width = self.shape
        params = hg.ExecutionParams(stage.launch(width, height), args)
        result, byte = self.handles[self.made[0].name], bytearray(1)

        def once() -> None:
            self.device.execute_program_with_params(program, params)
            self.device.copy_from_buffer(result, out=byte)

        return once

    def planes(self, stage: Stage) -> Planes:
        """What the stage made."""
        found = {param.name: np.empty(self.shape, _dtype(param)) for param in self.made}
        for name, plane in found.items():
            self.device.copy_from_buffer(self.handles[name], out=plane)
        return found

    def close(self) -> None:
        for handle in self.handles.values():
            self.device.free_buffer(handle)


def _dtype(param: hg.Param) -> np.dtype:
    assert param.ty is not None  # it is a buffer
    return np.dtype(f"{param.ty.kind}{param.ty.size_bytes}")


def _upload(device: hg.Backend, array: NDArray) -> hg.BufferHandle:
    handle = device.allocate_buffer(array.nbytes)
    device.copy_to_buffer(handle, np.ascontiguousarray(array))
    return handle
