"""What the plans are run on, edges first, and what comes out on Python's integers."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

import hologram_web as hg

from . import reference
from .kernels import ONE, P
from .plans import PLANS

__all__ = ["Task", "make_tasks", "packed", "unpacked"]

NUMBERS = (0, 1, 2, P - 1, P - 2, ONE, P - ONE, ONE * ONE % P, P >> 1, (P >> 1) + 1, 2**253, 2**128 - 1, 2**128, 2**64)
EXPONENTS = (0, 1, 2, 3, P - 1, P - 2, P, 2**255, 2**256 - 1, 2**64, 0x5555 << 200)
Column = list[int]


@dataclass(frozen=True)
class Task:
    """A plan and columns of plain numbers. `function` is what it does to a row of them, on Python's integers; columns
    whose name is in `plain` do not go through Montgomery form."""

    name: str
    args: dict[str, Column]
    results: tuple[str, ...]
    function: Callable[..., Any]
    plain: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(next(iter(self.args.values())))

    def expected(self) -> list[Any]:
        """The results, row by row. This is what is timed of Python."""
        return list(map(self.function, *self.args.values()))

    def given(self) -> dict[str, Any]:
        """The arrays that go into the plan."""
        return {
            name: packed(column if name in self.plain else reference.to_montgomery(column))
            for name, column in self.args.items()
        }

    def found(self, result: Any) -> list[Any]:
        """What came out of the plan, as `expected` has it."""
        columns = [
            reference.from_montgomery(unpacked(result[name] if isinstance(result, dict) else result))
            for name in self.results
        ]
        return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))

    def plan(self) -> hg.CompiledProgram:
        return PLANS[self.name]()


def packed(values: Column) -> Any:
    return np.frombuffer(hg.u256.pack(values), hg.u256.numpy)


def unpacked(array: Any) -> Column:
    return [int(value) for value in hg.u256.unpack(array.tobytes())]


def make_tasks(count: int, seed: int = 1) -> dict[str, Task]:
    """The tasks, with at least `count` rows: all edges, and then random ones."""
    source = random.Random(seed)

    def filled(rows: list[tuple[int, ...]], limits: tuple[int, ...]) -> list[Column]:
        rows = rows + [tuple(map(source.randrange, limits)) for _ in range(count - len(rows))]
        return [list(column) for column in zip(*rows, strict=True)]

    a, b = filled(list(product(NUMBERS, NUMBERS)), (P, P))
    base, exponent = filled(list(product(NUMBERS[:6], EXPONENTS)), (P, 2**256))
    x1, y1, z1, x2, y2 = (list(column) for column in zip(*_sums(source, count), strict=True))
    points = zip(x1, y1, z1, x2, y2, strict=True)
    x, y, z = (list(column) for column in zip(*(reference.add(*row) for row in points), strict=True))
    found = (
        Task("multiply", {"a": a, "b": b}, ("c",), lambda a, b: a * b % P),
        Task("power", {"base": base, "exponent": exponent}, ("result",), lambda b, e: pow(b, e, P), ("exponent",)),
        Task("add", {"x1": x1, "y1": y1, "z1": z1, "x2": x2, "y2": y2}, ("x3", "y3", "z3"), reference.add),
        Task("affine", {"x": x, "y": y, "z": z}, ("ax", "ay"), reference.affine),
    )
    return {task.name: task for task in found}


def _sums(source: random.Random, count: int) -> list[tuple[int, ...]]:
    """Points to add: the first in Jacobian coordinates, with a z of its own, the second affine."""
    points = [reference.GENERATOR, *reference.multiples(63, (1, P - 2))]  # which go through infinity to 61 G
    p = points[5]
    special = [((0, 0), (0, 0)), ((0, 0), p), (p, (0, 0)), (p, p), (p, (p[0], P - p[1])), (p, points[6])]
    pairs = 3 * special + [(source.choice(points), source.choice(points)) for _ in range(count - 3 * len(special))]
    rows: list[tuple[int, ...]] = []
    for (x, y), second in pairs:
        z = source.choice((1, P - 1, source.randrange(1, P)))
        if (x, y) == (0, 0):
            rows.append((source.randrange(P), source.randrange(P), 0, *second))
        else:
            rows.append((x * z * z % P, y * z**3 % P, z, *second))
    return rows
