"""What everybody computes. What a library writes for a case stands in its module, by the case's name."""

# mypy: ignore-errors

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg

from .. import cases as programs

__all__ = ["CASES", "Case"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """`wanted` is what `calls` calls give, of which each has for x what the one before gave.

    A call moves so many bytes and does so many operations, if nothing is moved twice. Results differ from what is
    wanted by at most `tolerance` relatively, but for a share of `strays`: those are pixels at the rim.
    """

    name: str
    size: str
    ours: Callable[[], hg.CompiledProgram]
    arrays: dict[str, Array]
    wanted: Array
    moved: int
    work: int
    calls: int = 1
    scalars: dict[str, float] = field(default_factory=dict)
    nodes: Sequence[tuple[str, str, str]] = ()  # of the ONNX model; none where only shaders by hand compare
    lanes: int = 0  # of the shader by hand, if there is one
    tolerance: float = 1e-6
    strays: float = 0.0

    @property
    def title(self) -> str:
        return self.name if self.calls == 1 else f"{self.name}, {self.calls} calls"


@hg.kernel
def _add(x: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = x[i] + y[i]


@hg.kernel
def _exp_chain(x: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = hg.exp(x[i] * y[i] + x[i])


def _elementwise(
    name: str, kernel: Any, one: Callable[[Array, Array], Array], work: int, nodes: Any, calls: int, n: int
) -> Case:
    x, y = np.random.default_rng(1).random((2, n), np.float32) - np.float32(0.5)
    y = (y - np.float32(3.5)) / np.float32(4)  # -1 to -0.75: a chain of exponentials stays finite
    wanted = x.astype(np.float64)
    for _ in range(calls):
        wanted = one(wanted, y.astype(np.float64)).astype(np.float32).astype(np.float64)

    def ours() -> hg.CompiledProgram:
        return hg.compile(kernel, grid="n", shapes=dict.fromkeys("xyz", ("n",)))

    tolerance = 1e-6 * calls
    return Case(
        name, f"{n:,}", ours, {"x": x, "y": y}, wanted, 12 * n, work * n, calls, nodes=nodes, tolerance=tolerance
    )


def add(calls: int = 1, n: int = 1 << 20) -> Case:
    return _elementwise("add", _add, np.add, 1, [("Add", "x y", "z")], calls, n)


def exp_chain(calls: int = 1, n: int = 1 << 20) -> Case:
    nodes = [("Mul", "x y", "product"), ("Add", "product x", "sum"), ("Exp", "sum", "z")]
    return _elementwise("exp_chain", _exp_chain, lambda x, y: np.exp(x * y + x), 3, nodes, calls, n)


def _by_hand(case: programs.Case, **options: Any) -> Case:
    """A case of `bench` that has a shader by hand."""
    config = case.config
    arrays = {name: value for name, value in case.arguments.items() if name != "z" and isinstance(value, np.ndarray)}
    scalars = {name: float(v) for name, v in case.arguments.items() if not isinstance(v, np.ndarray)}

    def ours() -> hg.CompiledProgram:
        shapes = {name: (v.size,) for name, v in case.arguments.items() if isinstance(v, np.ndarray)}
        return hg.compile(case.program, grid=config, shapes=shapes)

    wanted = case.peer().ravel()
    return Case(
        case.name, case.size, ours, arrays, wanted, case.moved, case.work, scalars=scalars, lanes=case.lanes, **options
    )


CASES: dict[str, Callable[[], Case]] = {
    "add": add,
    "add8": lambda: add(8),
    "exp_chain": exp_chain,
    "exp_chain8": lambda: exp_chain(8),
    "mandelbrot": lambda: _by_hand(programs.mandelbrot(), strays=0.01),
    "block_sum": lambda: _by_hand(programs.block_sum(1 << 18)),
}
