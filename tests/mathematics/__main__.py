"""Measures functions on the device wasm against F64 and exact arithmetic.

    python -m tests.mathematics exp sin              samples, F32 and F64
    python -m tests.mathematics --exhaustive exp     all 2**32 F32 operands, of functions of one operand
    python -m tests.mathematics --exhaustive --every 61    every 61st of them

What is done is kept in a file, and an exhaustive run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hologram_web.backends import WasmBackend
from hologram_web.isa import Type

from .device import run
from .measure import BINARY, BOUNDS, NAMES, exact_f64, reference_f32, ulps, ulps_f64
from .samples import samples

_CHUNK = 1 << 21
_BLOCK = 1 << 14  # what the processor's cache holds
_KEPT = 4  # worst operands


def _distance(found: NDArray[np.float32], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
    """As `ulps`, by a short way for chunks in which everything is finite and not small."""
    field = wanted.view(np.uint64) >> np.uint64(52) & np.uint64(0x7FF)
    if field.min() < 1023 - 126 or field.max() > 1023 + 126:
        return ulps(found, wanted)
    scale = (np.uint64(1023 + 23 + 1023) - field << np.uint64(52)).view(np.float64)
    distance: NDArray[np.float64] = np.abs(found.astype(np.float64) - wanted) * scale
    distance[~(distance < 1e30)] = np.inf
    return distance


def exhaustive(name: str, every: int, path: Path) -> dict[str, Any]:
    """All 2**32 operands (or some, evenly), in chunks; the file at `path` says how far it is."""
    state: dict[str, Any] = {"name": name, "every": every, "done": 0, "seconds": 0.0, "worst": []}
    if path.exists():
        state = json.loads(path.read_text())
    backend = WasmBackend()
    while state["done"] < 1 << 32:
        start = time.process_time()
        end = min(state["done"] + every * _CHUNK, 1 << 32)
        patterns = np.arange(state["done"], end, every, dtype=np.uint64).astype(np.uint32)
        operands = patterns.view(np.float32)
        found = run(backend, name, Type.F32, operands)
        distance = np.empty(operands.size)
        for first in range(0, operands.size, _BLOCK):
            part = slice(first, first + _BLOCK)
            distance[part] = _distance(found[part], reference_f32(name, operands[part]))
        top = np.argpartition(distance, -_KEPT)[-_KEPT:]
        worst = [[float(distance[k]), int(patterns[k])] for k in top.tolist()]
        state["worst"] = sorted(state["worst"] + worst, reverse=True)[:_KEPT]
        state["done"] = int(patterns[-1]) + every
        state["seconds"] += time.process_time() - start
        path.write_text(json.dumps(state))
    return state


def sampled(name: str, ty: Type, count: int) -> tuple[float, list[float]]:
    """The greatest distance, and the operands it has."""
    operands = samples(name, ty, count)
    found = run(WasmBackend(), name, ty, *operands)
    wanted = reference_f32(name, *operands)
    if ty is Type.F32:
        distance = ulps(found, wanted)
    else:  # the rough result finds candidates, and exact arithmetic decides
        distance = np.zeros(found.size)
        finite = np.isfinite(wanted) & (np.abs(wanted) > 0)
        for operand in operands:
            finite &= np.isfinite(operand) & (operand != 0)
        if name == "pow":
            finite &= operands[0] > 0
        for place in np.flatnonzero(finite)[:: max(1, int(finite.sum()) // 20_000)].tolist():
            exact = exact_f64(name, *(float(operand[place]) for operand in operands))
            distance[place] = ulps_f64(float(found[place]), exact)
    worst = int(np.argmax(distance))
    return float(distance[worst]), [float(operand[worst]) for operand in operands]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mathematics", description=__doc__)
    parser.add_argument("names", nargs="*", help="functions, all by default")
    parser.add_argument("--exhaustive", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="of the operands of an exhaustive run")
    parser.add_argument("--count", type=int, default=1_000_000, help="samples of each kind")
    parser.add_argument("--state", type=Path, default=Path(".ulp"), help="folder for what is done")
    options = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    print(f"{commit.stdout.strip()}, {platform.machine()}, {datetime.now(UTC):%Y-%m-%d}", flush=True)
    for name in options.names or NAMES:
        if options.exhaustive and name not in BINARY:
            options.state.mkdir(exist_ok=True)
            state = exhaustive(name, options.every, options.state / f"{name}_{options.every}.json")
            shown = ", ".join(f"{distance:.4f} at {pattern:#010x}" for distance, pattern in state["worst"][:2])
            verdict = "within" if state["worst"][0][0] < BOUNDS[name][0] else "BEYOND"
            number = (1 << 32) // options.every
            print(f"{name} f32, {number}: {shown}; {verdict} {BOUNDS[name][0]}; {state['seconds']:.0f} s", flush=True)
            continue
        for ty, bound in zip((Type.F32, Type.F64), BOUNDS[name], strict=True):
            distance, operands = sampled(name, ty, options.count)
            verdict = "within" if distance < bound else "BEYOND"
            print(f"{name} {ty}, sampled: {distance:.4f} at {operands}; {verdict} {bound}", flush=True)


if __name__ == "__main__":
    main()
