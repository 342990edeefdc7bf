"""Gradients of linalg against finite differences in F64, and linalg of many matrices by hg.vmap."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp

LA = xp.linalg
RNG = np.random.default_rng(191)


def _square(n, *stack):
    return RNG.standard_normal((*stack, n, n)) + 3 * np.eye(n)


def _definite(n, *stack):
    a = _square(n, *stack)
    return a @ np.swapaxes(a, -1, -2) + np.eye(n)


def _even(x):
    return (x + x.mT) * 0.5


# The function, of whose result a weighted sum is taken, and its arguments.
CASES: dict[str, Any] = {
    "solve": (LA.solve, _square(4), RNG.random((4, 3))),
    "solve a vector": (LA.solve, _square(5), RNG.random(5)),
    "solve stacks": (LA.solve, _square(3, 2, 1), RNG.random((2, 3, 2))),
    "solve large": (LA.solve, _square(13), RNG.random((13, 1))),
    "inv": (LA.inv, _square(4, 2)),
    "det": (LA.det, _square(4, 3)),
    "slogdet": (lambda x: LA.slogdet(x).logabsdet, _square(4, 2)),
    "cholesky": (lambda x: LA.cholesky(_even(x)), _definite(4, 2)),
    "upper cholesky": (lambda x: LA.cholesky(_even(x), upper=True), _definite(3)),
    "qr": (lambda x: xp.concat(LA.qr(x), axis=-2), RNG.standard_normal((2, 5, 3))),
    "eigenvalues": (lambda x: LA.eigvalsh(_even(x)), _square(4)),
    "eigenvectors": (lambda x: LA.eigh(_even(x)).eigenvectors ** 2, _square(4)),
    "svdvals": (LA.svdvals, RNG.standard_normal((2, 4, 3))),
    "nuclear norm": (lambda x: LA.matrix_norm(x, ord="nuc"), RNG.standard_normal((3, 4))),
    "matrix_power": (lambda x: LA.matrix_power(x, -2), _square(3)),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_what_differences_say(wasm: hg.Executor, name: str) -> None:
    function, *given = CASES[name]
    arrays = [xp.asarray(each, device=wasm) for each in given]
    shape = function(*arrays).shape
    weights = xp.asarray(RNG.standard_normal(shape), device=wasm)

    def loss(*args):
        return (function(*args) * weights).sum()

    gradients = hg.grad(loss, argnums=tuple(range(len(given))))(*arrays)
    for at, (each, gradient) in enumerate(zip(given, gradients, strict=True)):
        away = RNG.standard_normal(each.shape) * 1e-5
        ends = []
        for sign in (1, -1):
            moved = [xp.asarray(x + sign * away if k == at else x, device=wasm) for k, x in enumerate(given)]
            ends.append(loss(*moved).item())
        found = float((gradient.numpy() * away).sum())
        assert found == pytest.approx((ends[0] - ends[1]) / 2, rel=2e-5, abs=1e-11)


MANY: dict[str, Any] = {
    "solve": (LA.solve, _square(3, 4), RNG.random((4, 3, 2))), "inv": (LA.inv, _square(3, 4)),
    "det": (LA.det, _square(3, 4)), "cholesky": (LA.cholesky, _definite(3, 4)),
    "qr": (lambda x: LA.qr(x).R, RNG.random((4, 5, 3))), "svdvals": (LA.svdvals, RNG.random((4, 3, 2))),
    "gradient": (hg.grad(lambda x: LA.slogdet(x).logabsdet), _square(3, 4)),
    "a stack": (LA.inv, _square(3, 4, 2)),
}  # fmt: skip


@pytest.mark.parametrize("name", MANY)
def test_many_matrices(ex: hg.Executor, name: str) -> None:
    function, *given = MANY[name]
    arrays = [xp.asarray(each.astype("f4"), device=ex) for each in given]
    found = hg.vmap(function)(*arrays).numpy()
    for number in range(4):
        np.testing.assert_allclose(found[number], function(*(x[number] for x in arrays)).numpy(), rtol=1e-6, atol=1e-6)


def test_one_side_for_all(wasm: hg.Executor) -> None:
    a, b = _square(3).astype("f4"), RNG.random((4, 3, 2), "f4")
    found = hg.vmap(LA.solve, in_axes=(None, 0))(xp.asarray(a, device=wasm), xp.asarray(b, device=wasm))
    np.testing.assert_allclose(found.numpy(), np.linalg.solve(a, b), rtol=1e-4, atol=1e-5)


def test_what_has_none_is_told(wasm: hg.Executor) -> None:
    wide = xp.asarray(RNG.random((2, 3)), device=wasm)
    with pytest.raises(hg.LaunchError, match="as many rows as columns or more, and mode is 'reduced'"):
        hg.grad(lambda x: LA.qr(x).Q.sum())(wide)
    with pytest.raises(hg.LaunchError, match=r"svd has no derivative: give one by hg\.custom_gradient"):
        hg.grad(lambda x: LA.svd(x).U.sum())(wide)
    with pytest.raises(hg.LaunchError, match="solve has no derivative"):  # of the first derivative
        hg.grad(lambda x: hg.grad(lambda y: LA.inv(y).sum())(x).sum())(wide[:, :2])
