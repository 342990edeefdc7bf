"""What every device is given to do: plans saved as files, their arguments, and what should come out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg

from . import reference
from .pipeline import PLANS
from .reference import Planes

__all__ = ["HIGH", "LOW", "MANDELBROT", "ROUNDS", "Settings", "Task", "make_tasks", "save"]

LOW, HIGH = 6.0, 10.0  # grey levels a pixel: edges start above the higher one, and go on above the lower one
ROUNDS = 20  # 41 steps of a pixel; the photograph in scikit-image needs 39
MANDELBROT = {"width": 320, "height": 256, "left": -2.25, "top": -1.25, "step": 2.5 / 256, "most": 200}


@dataclass(frozen=True)
class Settings:
    """Thresholds in grey levels a pixel, and how often edges grow by two pixels."""

    low: float = LOW
    high: float = HIGH
    rounds: int = ROUNDS


@dataclass(frozen=True)
class Task:
    """A plan, its arguments by port, and the function that gives the planes it should make."""

    name: str
    plan: hg.CompiledProgram
    args: Mapping[str, Any]
    expected: Callable[[], Planes]


def make_tasks(
    photo: NDArray, settings: Settings | None = None, plans: Mapping[str, Callable[[], hg.CompiledProgram]] = PLANS
) -> dict[str, Task]:
    """The tasks by name, the edges first."""
    photo, settings = np.ascontiguousarray(photo), settings or Settings()
    floats: dict[str, Any] = {"low": settings.low, "high": settings.high, "rounds": settings.rounds}
    integers = floats | {"low": round(256 * settings.low), "high": round(256 * settings.high)}

    def edges() -> Planes:
        return {"edges": reference.integer_planes(photo, **integers)["edges"]}

    found: dict[str, tuple[Mapping[str, Any], Callable[[], Planes]]] = {
        "edges": ({"rgb": photo, **integers}, edges),
        "stages": ({"rgb": photo, **integers}, lambda: reference.integer_planes(photo, **integers)),
        "floats": ({"rgb": photo, **floats}, lambda: reference.float_planes(photo, **floats)),
        "histogram": ({"rgb": photo}, lambda: {"counts": reference.histogram(photo)}),
        "mandelbrot": (MANDELBROT, lambda: {"rounds": reference.mandelbrot(**MANDELBROT)}),  # type: ignore[arg-type]
    }
    return {name: Task(name, plans[name](), *parts) for name, parts in found.items()}


def save(tasks: Mapping[str, Task], folder: Path) -> None:
    """Writes NAME.holo for each plan, `rgb.bin`, and `tasks.json`, which says for pages what goes in."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name, task in tasks.items():
        task.plan.save(folder / f"{name}.holo")
        args = dict(task.args)
        if "rgb" in args:
            (folder / "rgb.bin").write_bytes(args["rgb"].tobytes())
            args["rgb"] = {"file": "rgb.bin", "shape": args["rgb"].shape}
        rows.append({"name": name, "args": args})
    (folder / "tasks.json").write_text(json.dumps(rows))
