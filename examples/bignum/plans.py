"""The kernels as plans. All arrays are u256[n] in Montgomery form, but for exponents, which are plain numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hologram_web as hg

from . import kernels

__all__ = ["PLANS", "add_plan", "affine_plan", "multiply_plan", "power_plan"]

BLOCK = 64


class _Plan:
    """A plan over columns of n numbers."""

    def __init__(self, name: str, arguments: str, results: str) -> None:
        self.builder = hg.PlanBuilder(name)
        for names, access in ((arguments, hg.Access.READ), (results, hg.Access.WRITE)):
            for column in names.split():
                self.builder.array(column, hg.u256, ("n",), access)
        self.columns = {*arguments.split(), *results.split()}

    def launch(self, kernel: hg.Kernel, *columns: str, **scalars: Any) -> None:
        """A lane for each number; columns that are new are temporaries."""
        for column in columns:
            if column not in self.columns:
                self.columns.add(column)
                self.builder.temporary(column, ("n",), hg.u256)
        names = [param.name for param in kernel.program.params if param.access is not None]
        self.builder.launch(kernel, "n", BLOCK, dict(zip(names, columns, strict=True), **scalars))

    def power(self, kernel: hg.Kernel, *columns: str) -> None:
        """A launch for each part of the exponent."""
        with self.builder.repeat(kernels.BITS // kernels.PART) as part:
            self.launch(kernel, *columns, part=part)

    def multiply(self, *products: str) -> None:
        """Products: "c = a * b"."""
        for text in products:
            result, _, a, _, b = text.split()
            self.launch(kernels.multiply, a, b, result)

    def done(self) -> hg.CompiledProgram:
        return hg.CompiledProgram.from_builder(self.builder)


def multiply_plan() -> hg.CompiledProgram:
    """`c` = a * b."""
    plan = _Plan("multiply", "a b", "c")
    plan.launch(kernels.multiply, "a", "b", "c")
    return plan.done()


def power_plan() -> hg.CompiledProgram:
    """`result` = base ** exponent."""
    plan = _Plan("power", "base exponent", "result")
    plan.power(kernels.power, "base", "exponent", "result")
    return plan.done()


def add_plan() -> hg.CompiledProgram:
    """`x3`, `y3`, `z3`: the sum of (x1, y1, z1) in Jacobian coordinates and the affine (x2, y2)."""
    plan = _Plan("add", "x1 y1 z1 x2 y2", "x3 y3 z3")
    plan.multiply("zz = z1 * z1", "u = x2 * zz", "zzz = z1 * zz", "s = y2 * zzz", "square = x1 * x1")
    plan.launch(kernels.slope, "x1", "y1", "u", "s", "square", "h", "r")
    plan.multiply("hh = h * h", "cubed = h * hh", "v = x1 * hh", "squared = r * r", "z = z1 * h")
    plan.launch(kernels.abscissa, "x1", "u", "squared", "cubed", "v", "x", "left")
    plan.multiply("up = r * left", "down = y1 * cubed")
    plan.launch(kernels.difference, "up", "down", "y")
    for axis in "xy":
        plan.launch(kernels.choose, axis, f"{axis}1", f"{axis}2", "z1", "x2", "y2", f"{axis}3")
    plan.launch(kernels.choose_z, "z", "z1", "x2", "y2", "z3")
    return plan.done()


def affine_plan() -> hg.CompiledProgram:
    """`ax`, `ay`: the affine coordinates of (x, y, z); (0, 0) for infinity."""
    plan = _Plan("affine", "x y z", "ax ay")
    plan.power(kernels.inverse, "z", "i")
    plan.multiply("ii = i * i", "ax = x * ii", "iii = i * ii", "ay = y * iii")
    return plan.done()


PLANS: dict[str, Callable[[], hg.CompiledProgram]] = {
    "multiply": multiply_plan,
    "power": power_plan,
    "add": add_plan,
    "affine": affine_plan,
}
