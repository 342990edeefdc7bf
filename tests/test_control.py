"""hg.cond, hg.while_loop and hg.scan: in functions, in files, and their gradients."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp

X = np.random.default_rng(8).uniform(-1, 1, (5, 4))
W = np.random.default_rng(9).uniform(-1, 1, (4, 4))


def choosing(x, flag):
    return hg.cond(flag > 0, lambda x: {"y": x * 2.0, "n": x.sum()}, lambda x: {"y": x - 1.0, "n": x.max()}, x)


def doubling(x):
    """How often all has to be doubled until the greatest is above 100."""
    return hg.while_loop(lambda s: s[1].max() <= 100.0, lambda s: (s[0] + 1, s[1] * 2.0), (xp.asarray(0), x))


def running(x, w):
    """Rounds of a small recurrent network."""

    def body(h, row):
        h = xp.tanh(h @ w + row)
        return h, {"h": h, "sum": h.sum()}

    return hg.scan(body, x[0] * 0.0, x)


def recurrent(x, w):
    h, states = np.zeros(4), []
    for row in x:
        h = np.tanh(h @ w + row)
        states.append(h)
    return h, np.stack(states)


def test_in_functions_on_every_device(ex: hg.Executor) -> None:
    x, w = (xp.asarray(each.astype("f4"), device=ex) for each in (X, W))
    chosen = hg.function(choosing)
    for flag in (1, 0, 1):
        found = chosen(x, flag)
        np.testing.assert_allclose(found["y"].numpy(), X * 2 if flag else X - 1, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(found["n"].item(), X.sum() if flag else X.max(), rtol=1e-4)
    times, doubled = hg.function(doubling)(x)
    assert int(times) == np.ceil(np.log2(100 / X.max()))
    np.testing.assert_allclose(doubled.numpy(), X * 2.0 ** int(times), rtol=1e-5)
    h, kept = hg.function(running)(x, w)
    expected, states = recurrent(X, W)
    np.testing.assert_allclose(h.numpy(), expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(kept["h"].numpy(), states, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(kept["sum"].numpy(), states.sum(axis=1), rtol=1e-4, atol=1e-5)


def test_in_files(ex: hg.Executor, tmp_path) -> None:
    def whole(x, flag):
        times, doubled = doubling(choosing(x, flag)["y"])
        return {"times": times, "h": running(doubled, xp.asarray(W.astype("f4")))[0]}

    made = hg.function(whole, device=ex)
    made.compile(hg.Array[hg.f32, 5, 4], hg.i32).save(tmp_path / "control.holo")
    loaded = hg.load(tmp_path / "control.holo")
    for flag in (0, 1):
        found = ex.run(loaded, x=np.abs(X).astype("f4") + 1, flag=flag)
        given = made(np.abs(X).astype("f4") + 1, flag)
        assert found["times"] == int(given["times"])
        np.testing.assert_array_equal(found["h"], given["h"].numpy())


def test_outside_of_functions_they_run(wasm: hg.Executor) -> None:
    x, w = xp.asarray(X, device=wasm), xp.asarray(W, device=wasm)
    np.testing.assert_allclose(choosing(x, xp.asarray(0, device=wasm))["y"].numpy(), X - 1)
    n, _ = hg.while_loop(lambda s: s[1].max() <= 100.0, lambda s: (s[0] + 1, s[1] * 2.0), (0, x))
    assert n == np.ceil(np.log2(100 / X.max()))
    np.testing.assert_allclose(running(x, w)[1]["h"].numpy(), recurrent(X, W)[1], rtol=1e-9)


def test_within_one_another(wasm: hg.Executor) -> None:
    x = xp.asarray(X, device=wasm)

    @hg.function
    def nested(x, most):
        def body(total, row):
            inner, _ = hg.scan(
                lambda c, v: (hg.cond(v > 0, lambda c: c + v, lambda c: c * 0.5, c), None), total * 0.0, row
            )
            return hg.while_loop(lambda t: t < most, lambda t: t + 1.0 + xp.abs(inner), total + inner), inner

        return hg.scan(body, x[0, 0] * 0.0, x, reverse=True)

    total, sums = 0.0, []
    for row in X[::-1]:
        c = 0.0
        for v in row:
            c = c + v if v > 0 else c * 0.5
        total += c
        while total < 3.0:
            total += 1 + abs(c)
        sums.append(c)
    found, kept = nested(x, 3.0)
    np.testing.assert_allclose(found.item(), total, rtol=1e-6)
    np.testing.assert_allclose(kept.numpy(), sums[::-1], rtol=1e-6)


def test_by_length_and_of_nothing(wasm: hg.Executor) -> None:
    x = xp.asarray(X, device=wasm)
    powers = hg.function(lambda x: hg.scan(lambda c, _: (c * x, c), x * 0.0 + 1.0, length=4))
    last, kept = powers(x)
    np.testing.assert_allclose(last.numpy(), X**4, rtol=1e-12)
    np.testing.assert_allclose(kept.numpy(), np.stack([X**n for n in range(4)]), rtol=1e-12)
    same, none = hg.function(lambda x: hg.scan(lambda c, r: (c + r, r * 2.0), x[0], x[:0]))(x)
    np.testing.assert_array_equal(same.numpy(), X[0])
    assert none.shape == (0, 4)


def differences(fn: Callable[..., Any], wasm: hg.Executor, *values: np.ndarray) -> None:
    """The gradient along a direction, against differences in F64."""
    rng = np.random.default_rng(2)
    run = hg.function(fn)
    ways = [rng.standard_normal(value.shape) for value in values]
    ends = [
        run(*(xp.asarray(v + s * w, device=wasm) for v, w in zip(values, ways, strict=True))).item()
        for s in (1e-6, -1e-6)
    ]
    found = hg.grad(run, tuple(range(len(values))))(*(xp.asarray(v, device=wasm) for v in values))
    along = sum(float((g.numpy() * w).sum()) for g, w in zip(found, ways, strict=True))
    np.testing.assert_allclose(along, (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


def test_gradients(wasm: hg.Executor) -> None:
    def loss(x, w):
        h, kept = running(x, w)
        return (h * h).sum() + (kept["h"] * kept["sum"][:, None]).sum()

    differences(loss, wasm, X, W)
    differences(lambda x, w: running(x, w)[0].sum(), wasm, X, W)

    def branches(x, w):
        chosen = hg.cond(x[0, 0] > w[0, 0], lambda x: xp.sin(x) @ w, lambda x: x * 3.0, x)
        return (chosen * chosen).sum() * x[1, 1]

    differences(branches, wasm, X, W)
    differences(branches, wasm, X + 2, W)
    differences(lambda x: hg.scan(lambda c, r: (hg.cond(r[0] > 0, lambda c: c * r, lambda c: c + r, c), c.sum()),
                                  x[0], x, reverse=True)[1].sum(), wasm, X)  # fmt: skip
    second = hg.grad(lambda x: hg.grad(lambda x: hg.scan(lambda c, r: (c * r, None), x[0], x)[0].sum())(x)[1, 1])
    np.testing.assert_allclose(
        second(xp.asarray(X, device=wasm)).numpy()[2, 1], X[0, 1] ** 2 * X[3, 1] * X[4, 1], rtol=1e-9
    )


WRONG: dict[str, tuple[Callable[..., Any], str]] = {
    "another type": (
        lambda x: hg.cond(x[0] > 0, lambda: x, lambda: x.astype(hg.i32)),
        r"what hg.cond chooses from are of one type and shape, not f64\[3\] and i32\[3\]",
    ),
    "another form": (
        lambda x: hg.cond(x[0] > 0, lambda: {"a": x}, lambda: x),
        "are trees of one form: the leaves are a, and one alone",
    ),
    "no condition": (
        lambda x: hg.cond(x > 0, lambda: x, lambda: x),
        r"a condition is one bool or integer, not .*\[3\]",
    ),
    "no test": (lambda x: hg.while_loop(lambda s: s, lambda s: s, x), "the test of hg.while_loop gives one bool"),
    "another state": (
        lambda x: hg.while_loop(lambda s: s[0] > 0, lambda s: s[:2], x),
        r"the states of hg.while_loop are of one type and shape, not f64\[3\] and f64\[2\]",
    ),
    "lengths": (lambda x: hg.scan(lambda c, r: (c, r), x, (x, x[:2])), r"lengths are \[2, 3\]"),
    "no lengths": (lambda x: hg.scan(lambda c, r: (c, r), x), "lengths are none"),
    "no pair": (lambda x: hg.scan(lambda c, r: c, x, x), "gives a pair of the carry and what is kept"),
    "another carry": (
        lambda x: hg.scan(lambda c, r: (c[0], r), x, x),
        r"the carries of hg.scan are .*f64\[3\] and f64\[\]",
    ),
    "a gradient of a loop": (
        lambda x: hg.grad(lambda x: hg.while_loop(lambda s: s.sum() < 9, lambda s: s * 2.0, x).sum())(x),
        "hg.while_loop has no gradient, as its rounds are not known: use hg.scan",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_told(wasm: hg.Executor, name: str) -> None:
    make, text = WRONG[name]
    with pytest.raises(hg.LaunchError, match=text):
        hg.function(lambda x: make(x))(xp.asarray(X[0, :3], device=wasm))
