"""hg.vmap against the function for one after another."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web import nn
from hologram_web.array.applied import apply

A, B = np.random.default_rng(1).uniform(-1, 1, (3, 4, 5)), np.random.default_rng(2).uniform(-1, 1, (3, 5))
I = np.random.default_rng(3).integers(0, 4, (3, 2))  # noqa: E741


CASES: dict[str, Callable[..., Any]] = {
    "maps": lambda a, b, i: xp.where(a > 0, a * b, xp.exp(b) - 1.0),
    "views": lambda a, b, i: a.T[1:4:2, ::-1].reshape(8) * 2.0 + a[0, 1],
    "sums": lambda a, b, i: (a.sum(axis=0) * b, a.mean(), a.max(axis=1), a.std()),
    "matrix and vector": lambda a, b, i: a @ b,
    "matrices": lambda a, b, i: (a @ a.T) @ a,
    "stacks": lambda a, b, i: xp.stack([a, a * b]) @ a.T,
    "softmax": lambda a, b, i: xp.softmax(a, axis=0) + xp.log_softmax(b),
    "chosen": lambda a, b, i: {"rows": a.take(i, axis=0), "columns": a.take(i, axis=1), "all": xp.argmax(a, axis=1)},
    "put together": lambda a, b, i: xp.concat([a, xp.ones((1, 5), dtype=hg.f64) * b], axis=0),
    "sorted": lambda a, b, i: xp.sort(a, axis=0) * xp.cumulative_sum(b),
    "the same for all": lambda a, b, i: (xp.arange(3), a),
    "gradients": lambda a, b, i: hg.grad(lambda b: (xp.tanh(a @ b) ** 2).sum())(b),
}


@pytest.mark.parametrize("name", CASES)
def test_one_after_another(wasm: hg.Executor, name: str) -> None:
    fn = CASES[name]
    arrays = [xp.asarray(each, device=wasm) for each in (A, B, I)]
    found = hg.tree_leaves(hg.function(hg.vmap(fn))(*arrays))
    rows = [hg.tree_leaves(hg.function(lambda *args: fn(*args))(*(each[n] for each in arrays))) for n in range(3)]
    for number, each in enumerate(found):
        np.testing.assert_allclose(each.numpy(), np.stack([row[number].numpy() for row in rows]), rtol=1e-9, atol=1e-12)


def test_axes(wasm: hg.Executor) -> None:
    a, b = xp.asarray(A, device=wasm), xp.asarray(B, device=wasm)
    found = hg.vmap(lambda a, b: a @ b, in_axes=(1, None), out_axes=1)(a, b.T)
    np.testing.assert_allclose(found.numpy(), np.stack([A[:, n] @ B.T for n in range(4)], axis=1))
    twice = hg.vmap(hg.vmap(lambda x, y: (x * y).sum(), (None, 0)), (0, None))(b, b)
    np.testing.assert_allclose(twice.numpy(), B @ B.T)


def test_gradients_of_each_example(wasm: hg.Executor) -> None:
    layer = nn.Linear(5, 2, dtype=hg.f64)
    params = layer.init(1, device=wasm)
    x, labels = xp.asarray(B, device=wasm), xp.asarray([0, 1, 1], device=wasm)

    def loss(params, x, label):
        return nn.cross_entropy(layer(params, x[None]), label[None])

    each = hg.vmap(hg.grad(loss), in_axes=(None, 0, 0))(params, x, labels)
    whole = hg.grad(lambda params: nn.cross_entropy(layer(params, x), labels))(params)
    assert each["w"].shape == (3, 2, 5)
    np.testing.assert_allclose(each["w"].numpy().mean(axis=0), whole["w"].numpy(), rtol=1e-9, atol=1e-12)
    through = hg.grad(lambda params: hg.vmap(loss, in_axes=(None, 0, 0))(params, x, labels).mean())(params)
    np.testing.assert_allclose(through["b"].numpy(), whole["b"].numpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
def test_elements_chosen_by_numbers_of_their_own(wasm: hg.Executor, axes: tuple[int | None, int | None]) -> None:
    """GatherElements has a rule: 300 of them one after another would be too many."""
    rng = np.random.default_rng(4)
    a, i = rng.random((300, 2, 4, 5)), rng.integers(-4, 4, (300, 2, 3, 5)).astype("i4")
    a, i = (each if axis == 0 else each[0] for each, axis in zip((a, i), axes, strict=True))

    def chosen(a, i):
        numbers = {"outer": 2, "axis_len": 4, "inner": 5, "count": 3}
        return apply("GatherElements", input=a, indices=i, **numbers).reshape(2, 3, 5)

    found = hg.vmap(chosen, in_axes=axes)(*(xp.asarray(each, device=wasm) for each in (a, i)))
    assert found.explain().count("\ngather_") == 1
    wanted = np.take_along_axis(np.broadcast_to(a, (300, 2, 4, 5)), np.broadcast_to(i, (300, 2, 3, 5)), axis=2)
    np.testing.assert_array_equal(found.numpy(), wanted)


def test_what_does_not_go_is_told(wasm: hg.Executor) -> None:
    a, b = xp.asarray(A, device=wasm), xp.asarray(B, device=wasm)
    with pytest.raises(hg.LaunchError, match=r"axes of one length, not of \[3, 4\]"):
        hg.vmap(lambda a, b: a)(a, a[0])
    with pytest.raises(hg.LaunchError, match="in_axes has 1 axes, and there are 2 arguments"):
        hg.vmap(lambda a, b: a, in_axes=(0,))(a, b)
    many = xp.ones((300, 5), dtype=hg.f64, device=wasm)
    with pytest.raises(hg.LaunchError, match=r"hg\.vmap has no rule for cond, which is done 300 times then"):
        hg.function(hg.vmap(lambda b: hg.cond(b[0] > 0, lambda: b, lambda: -b)))(many)


@hg.kernel
def halves(x: hg.Array[hg.f64], y: hg.Array[hg.f64], rest: hg.Array[hg.f64]):
    i = hg.global_id(0)
    y[i] = x[i] * 0.5
    rest[i] = x[i] - y[i]


def test_what_has_no_rule_is_done_for_one_after_another(wasm: hg.Executor) -> None:
    """Kernels, control flow, and operations whose parameters are many. They were refused."""
    a, b = xp.asarray(A, device=wasm), xp.asarray(B, device=wasm)

    def by_kernel(b, c):
        made = hg.call_kernel(halves, {"y": b.shape, "rest": b.shape}, x=b * c)
        return made["y"] + made["rest"] * 2.0, made["y"].sum()

    both, sums = hg.function(hg.vmap(by_kernel, in_axes=(0, None)))(b, xp.asarray(2.0, dtype=hg.f64, device=wasm))
    np.testing.assert_allclose(both.numpy(), B * 3)
    np.testing.assert_allclose(sums.numpy(), B.sum(axis=1))

    def signed(b):
        return hg.cond(b[0] > 0, lambda: b * 2.0, lambda: -b)

    def doubled(b):
        return hg.while_loop(lambda x: (x * x).sum() < 9.0, lambda x: x * 2.0, b)

    wanted = [row * 2 if row[0] > 0 else -row for row in B]
    np.testing.assert_allclose(hg.function(hg.vmap(signed))(b).numpy(), wanted)
    grown = [row * 2 ** max(0, int(np.ceil(np.log2(3 / np.linalg.norm(row))))) for row in B]
    np.testing.assert_allclose(hg.function(hg.vmap(doubled))(b).numpy(), grown)

    norm = nn.LayerNorm(5, dtype=hg.f64)
    scales = xp.asarray([[1.0], [2.0], [3.0]], dtype=hg.f64, device=wasm)
    params = hg.tree_map(lambda p: p[None] * scales, norm.init(1, device=wasm))
    found = hg.vmap(norm)(params, a).numpy()
    centred = A - A.mean(axis=-1, keepdims=True)
    normed = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(found, normed * np.array([1, 2, 3])[:, None, None], rtol=1e-6)
