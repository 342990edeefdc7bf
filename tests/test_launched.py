"""Kernels of the user's within graphs of arrays: in functions, in files, with derivatives of their own."""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: UP037  # names of sizes in annotations

from __future__ import annotations

from typing import TypeVar

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp

RNG = np.random.default_rng(192)
T = TypeVar("T")


@hg.kernel
def scaled(x: hg.Array[hg.f32], y: hg.Array[hg.f32], by: hg.f32):
    i = hg.global_id()
    if i < len(y):
        y[i] = x[i] * by


@hg.kernel
def turned(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2], z: hg.Array[hg.i32, 2]):
    j, i = hg.global_id(0), hg.global_id(1)
    if i < y.shape[0] and j < y.shape[1]:
        y[i, j] = x[j, i]
        z[i, j] = i * 10 + j


@hg.kernel
def counted(x: hg.Array[hg.i32], bins: hg.Array[hg.i32]):
    i = hg.global_id()
    if i < len(x):
        hg.atomic_add(bins, x[i], 1)


@hg.kernel
def doubled(x: hg.Array[T], y: hg.Array[T]):
    i = hg.global_id()
    y[i] = x[i] + x[i]


def test_they_are_lazy_and_fit_in(ex: hg.Executor) -> None:
    a = RNG.random((7, 33), "f4")
    x = xp.asarray(a, device=ex)
    y = hg.call_kernel(scaled, {"y": (x.size,)}, x=(x + 1.0).reshape(-1), by=3.0)
    assert "not computed yet" in repr(y)
    np.testing.assert_allclose((y.reshape(7, 33) * 2.0).sum(axis=0).numpy(), ((a + 1) * 6).sum(0), rtol=1e-5)
    both = hg.call_kernel(turned, {"y": (33, 7), "z": (33, 7)}, x=x * 2.0)
    np.testing.assert_array_equal(both["y"].numpy(), a.T * 2)
    assert (both["y"] + both["z"])[32, 6].item() == a[6, 32] * 2 + 326
    alone = hg.call_kernel(turned, {"y": (33, 7), "z": (33, 7)}, x=x)["z"]
    assert alone[32, 6].item() == 326


def test_results_begin_with_zeros_or_with_what_is_given(ex: hg.Executor) -> None:
    chosen = RNG.integers(0, 5, 100).astype("i4")
    x = xp.asarray(chosen, device=ex)
    first = hg.call_kernel(counted, {"bins": 5}, x=x, grid=100)
    again = hg.call_kernel(counted, {"bins": first}, x=x, grid=100)
    wanted = np.bincount(chosen, minlength=5)
    np.testing.assert_array_equal(again.numpy(), 2 * wanted)
    np.testing.assert_array_equal(first.numpy(), wanted)


def test_in_functions_of_any_length_and_their_files(ex: hg.Executor) -> None:
    calls = []

    @hg.function(device=ex)
    def f(x: hg.Array[hg.f32, "n", 4], by: hg.f32):
        calls.append(1)
        y = hg.call_kernel(turned, {"y": (4, x.shape[0]), "z": (4, x.shape[0])}, x=x)["y"]
        return hg.call_kernel(scaled, {"y": y.size}, x=y.reshape(-1), by=by).reshape(4, -1) + 1.0

    program = hg.load(f.compile().to_bytes())
    for n in (1, 5):
        a = RNG.random((n, 4), "f4")
        np.testing.assert_allclose(f(a, 0.5).numpy(), a.T * 0.5 + 1, rtol=1e-6)
        np.testing.assert_array_equal(ex.run(program, x=a, by=0.5), f(a, 0.5).numpy())
    assert len(calls) == 2


def test_type_variables_and_scans(wasm: hg.Executor) -> None:
    for ty in (hg.f64, hg.i32):
        x = xp.arange(6, dtype=ty, device=wasm)
        assert hg.call_kernel(doubled, {"y": 6}, x=x).tolist() == [2 * k for k in range(6)]
        assert hg.call_kernel(doubled, {"y": 6}, x=x).dtype is ty
    rows = xp.asarray(np.ones((5, 3), "f4"), device=wasm)
    total, _ = hg.scan(lambda c, row: (hg.call_kernel(doubled, {"y": 3}, x=c + row), c), rows[0] * 0.0, rows)
    assert total.tolist() == [62.0] * 3


def test_a_derivative_of_its_own(wasm: hg.Executor) -> None:
    @hg.custom_gradient
    def triple(x):
        return hg.call_kernel(scaled, {"y": x.shape}, x=x, by=3.0), lambda g: g * 3.0

    x = xp.asarray(RNG.random(5, "f4"), device=wasm)
    np.testing.assert_allclose(hg.grad(lambda x: (triple(x) ** 2).sum())(x).numpy(), 18 * x.numpy(), rtol=1e-6)
    with pytest.raises(hg.LaunchError, match=r"launch has no derivative: give one by hg\.custom_gradient"):
        hg.grad(lambda x: hg.call_kernel(scaled, {"y": x.shape}, x=x, by=3.0).sum())(x)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x: hg.call_kernel(scaled, {"y": 5}, x=x), "'by' is missing: scaled takes x, y, by"),
        (lambda x: hg.call_kernel(scaled, {}, x=x, y=x, by=1.0), "y is written: name it in the results"),
        (
            lambda x: hg.call_kernel(scaled, {"y": (5, 1)}, x=x, by=1.0),
            r"y has shape \(5, 1\).*Array\[f32\] is",
        ),
        (lambda x: hg.call_kernel(scaled, {"y": 5}, x=x.astype(hg.i32), by=1.0), "x has shape.*elements of i32"),
        (lambda x: hg.call_kernel(scaled, {"y": 5}, x=x, by=x.sum()), "by is a number of f32: give one"),
        (lambda x: hg.call_kernel(scaled, {"y": 5}, x=x, bye=1.0), "takes x, y, by, each once: not 'bye'"),
        (
            lambda x: hg.call_kernel(counted, {"bins": 5}, x=x.astype(hg.i32)),
            "how many lanes there are does not",
        ),
    ],
)
def test_what_does_not_fit_is_told(wasm: hg.Executor, make, text: str) -> None:
    with pytest.raises(hg.LaunchError, match=text):
        make(xp.asarray(np.ones(5, "f4"), device=wasm))
