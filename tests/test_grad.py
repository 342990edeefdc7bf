"""Gradients of functions of arrays, against differences in F64 and closed forms."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array.array import Array, mapped
from hologram_web.array.derivatives import DERIVATIVES
from hologram_web.array.elementwise import MAPS

# Operations that are constant between steps, of integers, or of truth: they have no row.
WITHOUT = {
    *("floor_divide", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf"),
    *("isfinite", "floor", "ceil", "trunc", "round", "bits"),
    *("real", "imag", "conj", "complex"),  # told: gradients are those of real numbers
    *(name for name, row in MAPS.items() if "f" not in row.kinds),
}


def check(ex: hg.Executor, fn: Callable[..., Array], *values: np.ndarray, step: float = 1e-6) -> None:
    """The gradient of a weighted sum of what it gives, along a random direction, against differences in F64."""
    rng = np.random.default_rng(5)
    arrays = [xp.asarray(value.astype("f8"), device=ex) for value in values]
    weights = xp.asarray(rng.standard_normal(fn(*arrays).shape), device=ex)

    @hg.function
    def loss(*args: Array) -> Array:
        return (fn(*args) * weights).sum()

    ways = [rng.standard_normal(value.shape) for value in values]
    ends = [
        loss(
            *(xp.asarray(value + sign * step * way, device=ex) for value, way in zip(values, ways, strict=True))
        ).item()
        for sign in (1, -1)
    ]
    found = hg.grad(loss, tuple(range(len(values))))(*arrays)
    assert [each.shape for each in found] == [value.shape for value in values]
    along = sum(float((each.numpy() * way).sum()) for each, way in zip(found, ways, strict=True))
    np.testing.assert_allclose(along, (ends[0] - ends[1]) / (2 * step), rtol=1e-4 if step > 1e-4 else 1e-6, atol=1e-6)


def test_every_operation_has_a_derivative_or_none() -> None:
    assert set(DERIVATIVES) == set(MAPS) - WITHOUT


DOMAINS = {"acosh": (1.5, 3), "atanh": (-0.9, 0.9), "asin": (-0.9, 0.9), "acos": (-0.9, 0.9)} | dict.fromkeys(
    ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "power", "cbrt"), (0.2, 3)
)


@pytest.mark.parametrize("name", sorted(set(DERIVATIVES) - {"where", "cast"}))
def test_derivatives_of_maps(wasm: hg.Executor, name: str) -> None:
    low, high = DOMAINS.get(name, (-2, 2))
    rng = np.random.default_rng([len(name), *name.encode()])
    shape = (int(rng.integers(1, 6)), 1, int(rng.integers(1, 9)))
    values = [rng.uniform(low, high, shape[axis:]) for axis in range(len(DERIVATIVES[name]))]
    if name in ("copysign", "atan2", "hypot"):
        values[1] = rng.uniform(0.3, 2, shape[1:])
    check(wasm, lambda *args: mapped(name, *args), *values)


A, B, C = (np.random.default_rng(3).uniform(-1, 1, shape) for shape in ((7, 13), (13,), (4, 5, 6)))
CASES: dict[str, Callable[..., Any]] = {
    "where": lambda a, b, c: xp.where(a > 0.1, a * b, -a),
    "types": lambda a, b, c: (a.astype(hg.f32) * 3.0).astype(hg.f64) + b,
    "of a number": lambda a, b, c: 2.0 / (a + 3.0) - a**3 + 2.0**a,
    "broadcast": lambda a, b, c: a * b + b[:, None][0] - c[0, 0, 0],
    "strided": lambda a, b, c: a[1:6:2, ::-1] * b,
    "steps": lambda a, b, c: a[::3, 2:11:4] * c[1:, 1, 2][:, None],
    "rows": lambda a, b, c: a[2] * a[-1] + a[3, ::-1],
    "turned": lambda a, b, c: c.transpose(2, 0, 1)[1:4, ::2] ** 2,
    "joined axes": lambda a, b, c: c.reshape(20, 6)[3:17, 1:5] * c.ravel()[7:11],
    "crossing rows": lambda a, b, c: c.ravel()[5:95].reshape(9, 10)[:, 0:8] ** 2,
    "twice": lambda a, b, c: a.T.reshape(13 * 7)[3:] * a.ravel()[:-3],
    "sums": lambda a, b, c: a.sum(axis=1) * c.sum(axis=(0, 2))[0] + c.sum(axis=1).sum(),
    "sums of turned": lambda a, b, c: c.sum(axis=(0, 2)) * c.transpose(1, 0, 2).sum(axis=2)[:, 0],
    "products": lambda a, b, c: c.prod(axis=1) + c[0].prod(),
    "least and greatest": lambda a, b, c: a.max(axis=1) * a.min() + c.max(axis=0).sum(),
    "spread": lambda a, b, c: (a - a.mean(axis=1, keepdims=True)) / a.std(axis=0),
    "matrices": lambda a, b, c: a @ a.T @ a,
    "vectors": lambda a, b, c: (a @ b) * (b @ a.T) + b @ b,
    "stacks": lambda a, b, c: c @ c.mT @ c,
    "one for all": lambda a, b, c: c @ c[0].T,
    "one turned for all": lambda a, b, c: c[0].T @ c,
    "turned twice": lambda a, b, c: (a.T @ a).T @ a.T,
    "softmax": lambda a, b, c: xp.softmax(a, axis=0) + xp.log_softmax(c, axis=1)[0, 0, 0],
    "taken": lambda a, b, c: a.take(xp.asarray([3, 0, 3, 6], device=a.executor), axis=0) * b,
    "taken columns": lambda a, b, c: a.take(xp.asarray([1, 1, 12], device=a.executor), axis=1) ** 2,
    "put together": lambda a, b, c: xp.concat([a, a[:2] * b], axis=0) * 2 + xp.stack([b, b]).sum(axis=0),
    "sorted": lambda a, b, c: xp.sort(a, axis=1) * b,
    "running": lambda a, b, c: xp.cumulative_sum(c, axis=1) * c,
    "shifted": lambda a, b, c: xp.roll(a, 3, axis=1) * a + xp.diff(c, axis=0).sum(),
    "repeated": lambda a, b, c: xp.tile(b[:3], (2, 2)) * xp.repeat(b[:6], 1),
    "clipped": lambda a, b, c: xp.clip(a, -0.3, 0.4) * xp.square(b) + xp.sign(a) + xp.logaddexp(a, b),
    "by hand": lambda a, b, c: xp.exp(a - a.max(axis=1, keepdims=True)) / xp.exp(a).sum(axis=1, keepdims=True),
    "distances": lambda a, b, c: xp.sqrt(((a[:, None, :] - a[None] + 1e-3) ** 2).sum(axis=2) + 0.1),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients_of_graphs(wasm: hg.Executor, name: str) -> None:
    check(wasm, CASES[name], A, B, C, step=0.1 if name == "types" else 1e-6)


def test_random_shapes_of_layers(wasm: hg.Executor) -> None:
    rng = np.random.default_rng(11)
    for _ in range(4):
        rows, inner, outer = (int(n) for n in rng.integers(1, 9, 3))
        x, w, b = rng.standard_normal((rows, inner)), rng.standard_normal((outer, inner)), rng.standard_normal(outer)
        check(wasm, lambda x, w, b: xp.tanh(x @ w.T + b).mean(axis=0), x, w, b)


@pytest.mark.parametrize("shape", [(0,), (1,), (0, 3)])
def test_edges(wasm: hg.Executor, shape: tuple[int, ...]) -> None:
    x = xp.asarray(np.full(shape, 0.5), device=wasm)
    np.testing.assert_allclose(hg.grad(lambda x: (x[:1] * x[::-1] * 3.0).sum())(x).numpy(), np.full(shape, 3.0))
    np.testing.assert_array_equal(hg.grad(lambda x: xp.sum(x * 0.0) + 1.0)(x).numpy(), np.zeros(shape))


def test_on_every_device(ex: hg.Executor) -> None:
    x, w = (xp.asarray(each.astype("f4"), device=ex) for each in (A, A[:3]))

    @hg.function
    def step(w, x, rate):
        value, found = hg.value_and_grad(lambda w: (xp.tanh(x @ w.T) ** 2).mean())(w)
        return w - found * rate, value

    stepped, value = step(w, x, 0.5)
    h = np.tanh(A @ A[:3].T)
    np.testing.assert_allclose(value.item(), (h**2).mean(), rtol=1e-5)
    expected = A[:3] - 0.5 * ((2 * h * (1 - h**2) / h.size).T @ A)
    np.testing.assert_allclose(stepped.numpy(), expected, rtol=1e-4, atol=1e-5)


def test_trees_aux_and_several_arguments(wasm: hg.Executor) -> None:
    params = {"w": xp.asarray(A, device=wasm), "b": [xp.asarray(B, device=wasm)]}

    def loss(params, scale, x):
        h = (params["w"] * scale + params["b"][0]) * x
        return h.sum(), {"h": h}

    (value, aux), found = hg.value_and_grad(loss, (0, 1), has_aux=True)(params, 2.0, 3.0)
    np.testing.assert_allclose(value.item(), ((A * 2 + B) * 3).sum(), rtol=1e-9)
    np.testing.assert_allclose(aux["h"].numpy(), (A * 2 + B) * 3)
    np.testing.assert_allclose(found[0]["w"].numpy(), np.full(A.shape, 6.0))
    np.testing.assert_allclose(found[0]["b"][0].numpy(), np.full(B.shape, 21.0))
    np.testing.assert_allclose(found[1].numpy(), A.sum() * 3, rtol=1e-5)
    only, aux = hg.grad(loss, has_aux=True)(params, 2.0, 3.0)
    assert set(only) == {"w", "b"}
    updated = hg.tree_map(lambda p, g: p - g * 0.1, params, only)
    np.testing.assert_allclose(updated["b"][0].numpy(), B - 2.1)
    with pytest.raises(hg.LaunchError, match=r"one has the leaves b\.0, w, another w"):
        hg.tree_map(lambda p, g: p, params, {"w": 1})


def test_derivatives_of_derivatives(wasm: hg.Executor) -> None:
    x = xp.asarray(A, device=wasm)
    second = hg.grad(lambda x: (hg.grad(lambda y: (xp.sin(y) * y).sum())(x) * 2.0).sum())
    np.testing.assert_allclose(second(x).numpy(), 2 * (2 * np.cos(A) - A * np.sin(A)), rtol=1e-9)
    np.testing.assert_array_equal(hg.function(second)(x).numpy(), second(x).numpy())


def test_vjp(wasm: hg.Executor) -> None:
    x, b = xp.asarray(A, device=wasm), xp.asarray(B, device=wasm)
    found, back = hg.vjp(lambda x, b: {"product": x * b, "sum": x.sum(axis=0)}, x, b)
    np.testing.assert_allclose(found["product"].numpy(), A * B)  # reading it changes nothing
    for factor in (1.0, 3.0):
        by_x, by_b = back({"product": x * 0.0 + factor, "sum": b})
        np.testing.assert_allclose(by_x.numpy(), factor * B + B + A * 0)
        np.testing.assert_allclose(by_b.numpy(), factor * A.sum(axis=0))
    with pytest.raises(hg.LaunchError, match=r"a cotangent has shape \(7, 13\); \(13,\) is expected"):
        back({"product": x, "sum": x})
    with pytest.raises(hg.LaunchError, match="of the form of the function's result"):
        back(x)


def test_a_gradient_of_ones_own(wasm: hg.Executor) -> None:
    @hg.custom_gradient
    def clipped(x):  # identity, whose gradient is clipped
        return x * 1.0, lambda g: xp.clip(g, -0.5, 0.5)

    @hg.custom_gradient
    def scaled(x, by):
        y = {"y": x * by}
        return y, lambda g: (g["y"] * 100.0, None)

    x = xp.asarray(A, device=wasm)
    assert clipped(x).shape == A.shape
    np.testing.assert_array_equal(hg.grad(lambda x: (clipped(x * 2.0) * 3.0).sum())(x).numpy(), np.full(A.shape, 1.0))
    by_x, by = hg.function(hg.grad(lambda x, by: scaled(x, by)["y"].sum(), (0, 1)))(x, x)
    np.testing.assert_array_equal(by_x.numpy(), np.full(A.shape, 100.0))
    np.testing.assert_array_equal(by.numpy(), np.zeros(A.shape))
    twice = hg.grad(lambda x: hg.grad(lambda x: (clipped(x) ** 2).sum())(x).sum())(x)
    np.testing.assert_array_equal(twice.numpy(), np.where(np.abs(2 * A) < 0.5, 0.5, 0.0))  # clipped twice
    wrong = hg.custom_gradient(lambda x, y: (x, lambda g: g))
    with pytest.raises(hg.LaunchError, match="has 2 arguments, and 7 cotangents"):
        hg.grad(lambda x: wrong(x, x).sum())(x)


def test_checkpoints_compute_again(wasm: hg.Executor) -> None:
    x, w = xp.asarray(A, device=wasm), xp.asarray(A[:, :7], device=wasm)

    def part(h, w):
        return xp.tanh(xp.tanh(w @ h) @ xp.ones((13, 13), dtype=hg.f64))

    def loss(part):
        return hg.function(hg.grad(lambda x, w: (part(part(x, w), w) ** 2).sum(), (0, 1)))

    plain, again = loss(part), loss(hg.checkpoint(part))
    for one, other in zip(plain(x, w), again(x, w), strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())
    count = [text.count("gemm") for text in (plain.explain(x, w), again.explain(x, w))]
    assert count[1] > count[0]  # products are computed once more
    np.testing.assert_array_equal(hg.function(hg.checkpoint(part))(x, w).numpy(), hg.function(part)(x, w).numpy())


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x: hg.grad(lambda x: x * 2)(x), "a gradient is that of one number, and the function gives an array "
                                                "(7, 13) of f64: sum it up, or use hg.vjp"),
        (lambda x: hg.grad(lambda x: xp.real(x.astype(hg.complex64)).sum())(x), "gradients are those of real numbers, "
                                                                                "and cast gives complex64"),
        (lambda x: hg.grad(lambda x: 3.0)(x), "a gradient is that of one number, and the function gives 3.0: "
                                              "sum it up, or use hg.vjp"),
        (lambda x: hg.grad(lambda x: x.sum())(x.astype(hg.i32)), "gradients are taken by arrays of floats: argument 0 "
                                                                 "is of i32"),
        (lambda x: hg.grad(lambda x: x.sum(), 1)(x), "gradients by the arguments (1,) are asked for, and 1 are given "
                                                     "by position"),
    ],
)  # fmt: skip
def test_what_has_no_gradient_is_told(wasm: hg.Executor, make: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(hg.LaunchError) as caught:
        make(xp.asarray(A, device=wasm))
    assert str(caught.value) == text


def test_reading_within_a_gradient_names_the_line(wasm: hg.Executor) -> None:
    with pytest.raises(hg.TranslateError, match=r"test_grad.py:\d+: a value is read here"):
        hg.grad(lambda x: x.sum() if x[0, 0] > 0 else -x.sum())(xp.asarray(A, device=wasm))
