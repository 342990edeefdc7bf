"""Rows of the table: what a device made of every task, and how it compares with the reference."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg
from hologram_web.plan.plan import Port

from .reference import FLOAT_ERRORS, Planes
from .tasks import Task

__all__ = ["NATIVE", "REFERENCE", "Expected", "Native", "Row", "Runner", "Scipy", "measure", "ulps", "written"]

REFERENCE = "SciPy, NumPy"
LONG_MS = 2000  # what takes longer runs once


class Runner(Protocol):
    """Something that does tasks."""

    title: str
    compiled: int  # kernels and artifacts
    kept: int  # taken from the cache instead

    def start(self, tasks: Mapping[str, Task]) -> tuple[str, float]:
        """Compiles all tasks; gives the adapter, and the ms from the file of `edges` until it could run. May raise
        anything."""

    def run(self, task: Task, keep: bool) -> tuple[float, Planes]:
        """Does a task; gives the ms it took, and with `keep` the planes."""

    def close(self) -> None: ...


class Native:
    """A device of this process. Arguments are NumPy arrays: copies to the device and back count."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.title = name, folder, NATIVE[name]
        self.loaded: dict[str, hg.CompiledProgram] = {}
        self.compiled = self.kept = 0

    def start(self, tasks: Mapping[str, Task]) -> tuple[str, float]:
        self.device: Any = hg.backends.DEVICES[self.name]()
        ms = {}
        for name, task in tasks.items():
            small = {"rgb": task.args["rgb"][:16, :16]} if "rgb" in task.args else {"width": 16, "height": 16}
            start = time.perf_counter()
            self.loaded[name] = hg.load(self.folder / f"{name}.holo")
            self.loaded[name].run(self.device, **{**task.args, **small})
            ms[name] = 1000 * (time.perf_counter() - start)
        if self.name != "cpu":
            self.compiled, self.kept = self.device.stats.kernels, self.device.stats.stored
        return self._adapter(), ms["edges"]

    def _adapter(self) -> str:
        if self.name == "webgpu":
            adapter = self.device.adapter
            return f"{adapter.get('device') or adapter.get('description')}{'' if adapter['real'] else ', no GPU'}"
        package = _LIBRARIES.get(self.name, "numpy")
        return f"{package} {version(package)}"

    def run(self, task: Task, keep: bool) -> tuple[float, Planes]:
        start = time.perf_counter()
        found = self.loaded[task.name].run(self.device, **task.args)
        ms = 1000 * (time.perf_counter() - start)
        return ms, found if isinstance(found, dict) else {written(task)[0].name: found}

    def close(self) -> None:
        if hasattr(self, "device"):
            self.device.close()


_LIBRARIES = {"wasm": "wasmtime", "webgpu": "wgpu"}
NATIVE = {name: f"{name} ({_LIBRARIES[name]})" if name in _LIBRARIES else name for name in hg.backends.DEVICES}


def written(task: Task) -> list[Port]:
    return [port for port in task.plan.ports if port.access is not None and port.access.writes]


class Scipy:
    """The reference, timed like a device."""

    title = REFERENCE
    compiled = kept = 0

    def start(self, tasks: Mapping[str, Task]) -> tuple[str, float]:
        return f"scipy {version('scipy')}, numpy {version('numpy')}", 0.0

    def run(self, task: Task, keep: bool) -> tuple[float, Planes]:
        start = time.perf_counter()
        planes = task.expected()
        return 1000 * (time.perf_counter() - start), planes

    def close(self) -> None:
        pass


@dataclass
class Expected:
    """What should come out: planes by task, and the floats in double precision."""

    planes: Mapping[str, Planes]
    exact: Planes


@dataclass
class Row:
    """A device's line of the table. `differing` and `ulp` are by task and plane, `float_errors` in grey levels."""

    title: str
    adapter: str = ""
    compile_ms: float = 0.0
    compiled: int = 0
    kept: int = 0
    run_ms: dict[str, list[float]] = field(default_factory=dict)
    planes: dict[str, Planes] = field(default_factory=dict)
    error: str = ""
    differing: dict[str, dict[str, int]] = field(default_factory=dict)
    max_ulp: int = 0
    float_errors: dict[str, float] = field(default_factory=dict)

    def ms(self, task: str) -> float:
        """The median."""
        return median(self.run_ms[task])

    def compare(self, expected: Expected) -> None:
        """Counts what differs from the reference; planes that are missing differ everywhere."""
        for task, planes in expected.planes.items():
            found = {name: _shaped(plane, planes[name]) for name, plane in self.planes.get(task, {}).items()}
            self.planes[task] = found
            self.differing[task] = {name: _differing(found.get(name), plane) for name, plane in planes.items()}
        for name in FLOAT_ERRORS:
            plane, wanted = self.planes["floats"].get(name), expected.planes["floats"][name]
            fits = plane is not None and plane.shape == wanted.shape
            floats = plane if plane is not None and fits else np.full(wanted.shape, np.nan, np.float32)
            self.max_ulp = max(self.max_ulp, ulps(floats, wanted))
            self.float_errors[name] = float(np.abs(floats - expected.exact[name]).max())  # NaN is never within

    @property
    def differing_integers(self) -> int:
        """Pixels of the integer tasks that are not the reference's."""
        return sum(sum(planes.values()) for task, planes in self.differing.items() if task != "floats")

    @property
    def within(self) -> bool:
        """Whether the floats are as close to exact arithmetic as reference.py says."""
        return all(self.float_errors[name] <= bound for name, bound in FLOAT_ERRORS.items())

    @property
    def good(self) -> bool:
        return not self.error and not self.differing_integers and self.within

    @property
    def verdict(self) -> str:
        if self.error:
            return "did not run"
        if self.differing_integers:
            return f"{self.differing_integers:,} differ"
        if not self.within:
            return "floats too far off"
        return "the same" if not self.max_ulp and not sum(self.differing["floats"].values()) else "floats within bounds"


def _shaped(found: NDArray, expected: NDArray) -> NDArray:
    """A plane with the axes it should have; pages give bytes."""
    return found.reshape(expected.shape) if found.size == expected.size else found


def _differing(found: NDArray | None, expected: NDArray) -> int:
    if found is None or found.shape != expected.shape or found.dtype != expected.dtype:
        return expected.size
    return int(np.count_nonzero(found != expected))


def ulps(found: NDArray, expected: NDArray) -> int:
    """The largest distance of two arrays of f32, counted in floats that lie between; NaN is far from everything."""
    places = [np.asarray(values, np.float32).view(np.int32).astype(np.int64) for values in (found, expected)]
    a, b = (np.where(place < 0, -(place & 0x7FFFFFFF), place) for place in places)
    return int(np.abs(a - b).max(initial=0))


def measure(
    runners: Sequence[Runner], tasks: Mapping[str, Task], rounds: int, tell: Callable[[str], None]
) -> Iterator[Row]:
    """Does all tasks with every runner, then `rounds` more of each, one after another; gives the rows at the end.

    What a runner raises is its row's error. A task that took more than two seconds runs once, and that is its time.
    """
    rows = {}
    for runner in runners:
        row = rows[runner.title] = Row(runner.title)
        try:
            tell(f"{runner.title}: start")
            row.adapter, row.compile_ms = runner.start(tasks)
            row.compiled, row.kept = runner.compiled, runner.kept
            for name, task in tasks.items():
                tell(f"{runner.title}: {name}")
                ms, row.planes[name] = runner.run(task, keep=True)
                row.run_ms[name] = [ms]
        except Exception as error:
            row.error = f"{type(error).__name__}: {error}"
    for turn in range(rounds):
        tell(f"round {turn + 1} of {rounds}")
        for runner in runners:
            row = rows[runner.title]
            for name, task in tasks.items():
                if row.error or row.run_ms[name][0] > LONG_MS:
                    continue
                try:
                    ms, _ = runner.run(task, keep=False)
                except Exception as error:
                    row.error = f"{type(error).__name__}: {error}"
                    continue
                if turn == 0:
                    row.run_ms[name].clear()  # the first one warmed up
                row.run_ms[name].append(ms)
    for runner in runners:
        runner.close()
    yield from rows.values()
