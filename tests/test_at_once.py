"""Maps that read the same are one kernel with several results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp

RNG = np.random.default_rng(19)
X, Y, Z = (RNG.integers(-9, 9, (9, 14)).astype("f4") for _ in range(3))
B = RNG.integers(-9, 9, (14,)).astype("f4")


def adam(p: Any, x: Any, y: Any, z: Any, b: Any) -> Any:
    m = x * 0.5 + z * 0.5
    v = y * 0.25 + z * z * 0.75
    return m, v, x - m / (abs(v) + 1.0)


def inner(p: Any, x: Any, y: Any, z: Any, b: Any) -> Any:
    both = x * y - 1.0
    return both + 2.0, both * 2.0


def of_product(p: Any, x: Any, y: Any, z: Any, b: Any) -> Any:
    product = x @ y.T
    return product * 2.0, product + 1.0


# By name: the function, of a namespace and four arrays, and how many kernels its maps are.
CASES: dict[str, tuple[Callable[..., Any], int]] = {
    "of one array": (lambda p, x, y, z, b: (x + 1.0, x * 2.0), 1),
    "of other arrays": (lambda p, x, y, z, b: (x + 1.0, y * 2.0), 2),
    "of some in common": (lambda p, x, y, z, b: (x + y, y - z, z * 2.0), 1),
    "one of another": (adam, 1),
    "what nobody else needs": (inner, 1),
    "one and a sum of it": (lambda p, x, y, z, b: (x * 2.0, p.sum(x * 2.0, axis=1), (x * 2.0) + 1.0), 1),
    "behind a sum": (lambda p, x, y, z, b: (x + 1.0, x - p.sum(x + 1.0)), 2),
    "turned": (lambda p, x, y, z, b: (x + 1.0, (x + 1.0)[::-1] * 2.0), 2),
    "in other rows": (lambda p, x, y, z, b: (x + 1.0, x[::-1] * 2.0), 2),
    "with a row for all": (lambda p, x, y, z, b: (x + b, x * b), 1),
    "with a number for all": (lambda p, x, y, z, b: (x + y[0, 0], x * 2.0), 1),
    "of other shapes": (lambda p, x, y, z, b: (x + 1.0, x[:3] * 2.0), 2),
    "of other types": (lambda p, x, y, z, b: (x + 1.0, x > y, p.astype(x, p.int32)), 2),
    "many": (lambda p, x, y, z, b: tuple(x * float(k) for k in range(9)), 3),
    "of a product": (of_product, 1),
    "the same twice": (lambda p, x, y, z, b: (x + 1.0, x, x + 1.0), 1),
}


def _results(found: Any) -> list[Any]:
    return [each.numpy() for each in hg.tree_leaves(found)]


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_numpy(ex: hg.Executor, name: str) -> None:
    function, count = CASES[name]
    made = hg.function(lambda *given: function(xp, *given), device=ex)
    given = [ex.array(each) for each in (X, Y, Z, B)]
    wanted = function(np, X, Y, Z, B)
    for _ in range(2):
        for one, other in zip(_results(made(*given)), wanted, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=1e-6)
    lines = [line for line in made.explain(*given).splitlines() if line.startswith("map[")]
    assert len(lines) == count, lines
    read = hg.load(made.compile(*given).to_bytes())
    found = ex.run(read, **dict(zip([port.name for port in read.ports], (X, Y, Z, B), strict=False)))
    for one, other in zip(found.values(), wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("shape", [(0,), (1,), (13,), (5000,), (131, 67)])
def test_sizes_and_donated_arrays(ex: hg.Executor, shape: tuple[int, ...]) -> None:
    x, y = (RNG.normal(size=shape).astype("f4") for _ in "xy")

    def step(x: Any, y: Any) -> Any:
        z = x * 0.5 + y
        return z, y - z * 0.5, x * y

    made = hg.function(step, donate=("x", "y"))
    before = ex.stats()["reused"]
    found = _results(made(ex.array(x), ex.array(y)))
    for one, other in zip(found, step(x, y), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    assert ex.stats()["reused"] == before + 2


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs(ex: hg.Executor, seed: int) -> None:
    """Integers, so that no bit may differ."""

    def drawn(p: Any, given: Any) -> Any:
        rng = np.random.default_rng(seed)
        found = list(given)
        for _ in range(25):
            a, b = (found[int(rng.integers(len(found)))] for _ in "ab")
            match int(rng.integers(9)):
                case 0:
                    found.append(a[::-1])
                case 1:
                    found.append(p.sum(a, axis=1, dtype=p.int32)[:, None] + b)
                case 2:
                    found.append(p.permute_dims(a, (1, 0)))
                case 3:
                    found.append(a @ b)
                case 4:
                    found.append(p.where(a > b, a, b))
                case 5:
                    found.append(p.concat([a[:5], b[5:]]))
                case _:
                    found.append(a * 2 - b)
        return tuple(found[int(rng.integers(4, len(found)))] for _ in range(6)) + tuple(found[-2:])

    values = [RNG.integers(-4, 5, (7, 7)).astype("i4") for _ in range(4)]
    with np.errstate(all="ignore"):
        wanted = drawn(np, values)
    found = hg.function(lambda *given: drawn(xp, given), device=ex)(*map(ex.array, values))
    for one, other in zip(_results(found), wanted, strict=True):
        np.testing.assert_array_equal(one, other)
