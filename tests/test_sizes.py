"""Functions of arrays whose axes have names for lengths: one trace and one file for all of them."""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821, UP037  # names of sizes in annotations

from __future__ import annotations

import random
from itertools import product
from math import ceil

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web import nn
from hologram_web.array.sizes import Size, UnknownSize

RNG = np.random.default_rng(190)
LENGTHS = (1, 2, 7, 33)


# Each with what NumPy does; x is n rows of 12, y one of 12.
VIEWS = {
    "reshape": lambda xp, x, y: x.reshape(-1, 3, 4).sum(axis=2),
    "flat": lambda xp, x, y: x.reshape(-1) * 2,
    "turned": lambda xp, x, y: x.T * 2 + 1,
    "moved": lambda xp, x, y: x.reshape(-1, 3, 4).transpose(2, 0, 1).reshape(4, -1) + 1,
    "first": lambda xp, x, y: x[0] + x[-1],
    "reversed": lambda xp, x, y: x[::-1, ::2],
    "rest": lambda xp, x, y: x[1:],
    "half": lambda xp, x, y: x[::2] * y,
    "but_one": lambda xp, x, y: x[:-1].sum(axis=0),
    "outer": lambda xp, x, y: x[:, None, :4] - x[None, :, :4],
    "joined": lambda xp, x, y: xp.concatenate([x, y[None], x * 2]) if xp is np else xp.concat([x, y[None], x * 2]),
    "stack": lambda xp, x, y: xp.stack([x, x + y], axis=1),
    "counted": lambda xp, x, y: xp.arange(x.shape[0]) * 3,
    "full": lambda xp, x, y: xp.full((x.shape[0], 2), 3.0) + x[:, :2],
    "spread": lambda xp, x, y: xp.broadcast_to(y, x.shape) * 2,
    "tiled": lambda xp, x, y: xp.tile(x, (2, 1)),
}
COMPUTED = {
    "sums": lambda xp, x, y: x.sum(axis=0) + y,
    "whole": lambda xp, x, y: x.sum(),
    "greatest": lambda xp, x, y: x.max(axis=0) - x.max(axis=1).min(),
    "means": lambda xp, x, y: x.mean(axis=0) + x.var(axis=0),
    "by_length": lambda xp, x, y: x / x.shape[0] + 2 * x.shape[0],
    "product": lambda xp, x, y: x @ x.T,
    "gram": lambda xp, x, y: x.T @ x,
    "softmax": lambda xp, x, y: _softmax(xp, x),
    "best": lambda xp, x, y: x.argmax(axis=1),
    "best_of_all": lambda xp, x, y: x.argmax(axis=0),
    "sorted": lambda xp, x, y: xp.sort(x, axis=0),
    "running": lambda xp, x, y: xp.cumsum(x, axis=0) if xp is np else xp.cumulative_sum(x, axis=0),
    "chosen": lambda xp, x, y: x[xp.argsort(x[:, 0])],
}


def _softmax(xp, x):
    if xp is not np:
        return xp.softmax(x, axis=0)
    e = np.exp(x - x.max(axis=0))
    return e / e.sum(axis=0)


@pytest.mark.parametrize("some", [VIEWS, COMPUTED], ids=["views", "computed"])
def test_one_trace_serves_all_lengths(ex: hg.Executor, some) -> None:
    calls = []

    @hg.function(device=ex)
    def traced(x: hg.Array[hg.f32, "n", 12], y: hg.Array[hg.f32, (12,)]):
        calls.append(1)
        return {name: fn(xp, x, y) for name, fn in some.items()}

    y = RNG.random(12, "f4")
    program = hg.load(traced.compile().to_bytes())
    for n in (*LENGTHS, 1):
        x = RNG.random((n, 12), "f4")
        found, read = traced(x, y), ex.run(program, x=x, y=y)
        for name, fn in some.items():
            np.testing.assert_allclose(found[name].numpy(), fn(np, x, y), rtol=1e-5, atol=1e-6, err_msg=name)
            np.testing.assert_array_equal(read[name], found[name].numpy(), err_msg=name)
    assert len(calls) == 2  # one for the calls, one for the file


def test_long_sums_are_those_of_a_trace_of_their_length(wasm: hg.Executor) -> None:
    def sums(x):
        return x.sum(axis=1), xp.exp(x).prod(), x.astype(hg.f16).sum()

    def named(x: hg.Array[hg.f32, 2, "n"]):
        return sums(x)

    any_length = hg.function(device=wasm)(named)
    for n in (5, 2048, 2049, 5000):
        x = RNG.standard_normal((2, n)).astype("f4") / np.float32(50)
        for one, other in zip(any_length(x), hg.function(device=wasm)(sums)(x), strict=True):
            np.testing.assert_array_equal(one.numpy(), other.numpy())


def test_channels_with_a_name_may_be_in_groups(wasm: hg.Executor) -> None:
    """Whether they are a multiple of the groups is not known while it is traced."""

    @hg.function(device=wasm)
    def normalised(x: hg.Array[hg.f32, 2, "c", 3, 3], g: hg.Array[hg.f32, "c"]):
        return hg.ops.group_norm(x, g, g, 2)

    @hg.function(device=wasm)
    def made(x: hg.Array[hg.f32, 2, 4, 3, 3], kernel: hg.Array[hg.f32, "o", 2, 1, 1]):
        return hg.ops.conv2d(x, kernel, groups=2)

    x, kernel = RNG.random((2, 4, 3, 3), "f4"), RNG.random((6, 2, 1, 1), "f4")
    wanted = np.concatenate(
        [np.einsum("nchw,oc->nohw", x[:, 2 * k : 2 * k + 2], kernel[3 * k : 3 * k + 3, :, 0, 0]) for k in (0, 1)], 1
    )
    np.testing.assert_allclose(made(x, kernel).numpy(), wanted, rtol=1e-5)
    rows = x.reshape(2, 2, -1)
    rows = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5) + 1
    np.testing.assert_allclose(normalised(x, np.ones(4, "f4")).numpy(), rows.reshape(x.shape), rtol=1e-4, atol=1e-5)


NETWORKS = {
    "perceptron": (nn.Sequential(nn.Linear(12, 8), xp.tanh, nn.Linear(8, 5)), (12,)),
    "images": (
        nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), xp.relu, lambda x: hg.ops.max_pool2d(x, 2),
                      lambda x: x.reshape(x.shape[0], -1), nn.Linear(12, 5)), (1, 4, 4),
    ),
    "attention": (
        nn.Sequential(nn.MultiHeadAttention(8, 2), nn.LayerNorm(8), lambda x: x.mean(axis=1), nn.Linear(8, 5)), (3, 8),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_training_of_any_batch_has_the_bits_of_one_of_that_length(wasm: hg.Executor, name: str) -> None:
    network, shape = NETWORKS[name]
    optimizer = nn.Adam(0.01)
    calls = []

    def step(params, state, x, labels):
        calls.append(1)
        value, gradient = hg.value_and_grad(lambda p: nn.cross_entropy(network(p, x), labels))(params)
        return *optimizer.update(params, gradient, state), value

    def any_step(params, state, x, labels):
        return step(params, state, x, labels)

    any_step.__annotations__ = {"x": hg.Array[(hg.f32, "n", *shape)], "labels": hg.Array[hg.i32, "n"]}
    known, named = hg.function(device=wasm)(step), hg.function(device=wasm)(any_step)
    start = network.init(1, device=wasm)
    trees = {each: (start, optimizer.init(start), None) for each in (named, known)}
    for n in LENGTHS:
        x, labels = RNG.random((n, *shape), "f4"), RNG.integers(0, 5, n).astype("i4")
        for each in (named, known):
            trees[each] = each(*trees[each][:2], x, labels)
    for one, other in zip(*(hg.tree_leaves(each) for each in trees.values()), strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())
    assert len(calls) == 1 + len(LENGTHS)


def test_what_has_to_be_known_is_named(wasm: hg.Executor) -> None:
    def rows(x: hg.Array[hg.f32, "n", 12]):
        return sum(x[number] for number in range(x.shape[0]))

    def chosen(x: hg.Array[hg.f32, "n", 12]):
        return x * 2 if x.shape[0] == 4 else x

    def first(x: hg.Array[hg.f32, "n", 12]):
        return x[:5] + 1

    def other(x: hg.Array[hg.f32, "n", "m"]):
        return x + x.T

    cases = {
        rows: "the number n is needed here", chosen: "whether n is 4 depends on n", first: "whether n is above 5",
    }  # fmt: skip
    x = RNG.random((4, 12), "f4")
    for fn, told in cases.items():
        function = hg.function(device=wasm)(fn)
        with pytest.raises(hg.TranslateError, match=f"test_sizes.py:[0-9]+: .*{told}, which is not known") as error:
            function.compile()
        assert isinstance(error.value, UnknownSize)
        # Calls trace for each length, and files for those that are said.
        np.testing.assert_allclose(function(x).numpy(), np.asarray(fn(x)), rtol=1e-6)
        found = wasm.run(function.compile(hg.Array[hg.f32, 4, 12]), x=x)
        np.testing.assert_array_equal(found, function(x).numpy())
    with pytest.raises(hg.LaunchError, match=r"x1 of shape \(n, m\) and x2 of shape \(m, n\) do not fit one another"):
        hg.function(device=wasm)(other).compile()
    with pytest.raises(UnknownSize, match="the number n is needed here"):
        hg.function(device=wasm)(lambda x: xp.fft.fft(x.T)).compile(hg.Array[hg.f32, "n", 12])


def test_sizes_are_polynomials() -> None:
    """Against numbers: whatever two of them make is what their numbers make."""
    random.seed(19)
    names = ("a", "b")

    def made(depth):
        if depth == 0:
            name = random.choice((*names, None))
            number = random.randint(1, 5)
            return (Size.named(name), name) if name else (number, str(number))
        (x, left), (y, right) = made(depth - 1), made(depth - 1)
        op = random.choice("+*//-")
        if op == "-":
            return x + y - y, f"({left} + {right} - {right})"
        op = "//" if op == "/" else op
        return (x // y if op == "//" else x + y if op == "+" else x * y), f"({left} {op} {right})"

    for _ in range(300):
        try:
            (x, left), (y, right) = made(2), made(2)
        except ZeroDivisionError:
            continue
        for a, b in product((1, 2, 7), (1, 3)):
            values = {"a": a, "b": b}
            try:
                p, q = eval(left, values), eval(right, values)
            except ZeroDivisionError:
                continue
            pairs = [(x, p), (x + y, p + q), (x - y, p - q), (x * y, p * q)]
            if q and hash(y):
                pairs += [(x // y, p // q), (x % y, p % q)]
                pairs += [(x.ceildiv(y), ceil(p / q))] if isinstance(x, Size) else []
            for size, number in pairs:
                assert (size.formula.evaluate(values) if isinstance(size, Size) else size) == number
            for compared, told in (("__lt__", p < q), ("__ge__", p >= q), ("__eq__", p == q)):
                try:
                    found = getattr(x, compared)(y)
                except UnknownSize:
                    continue
                assert found in (told, NotImplemented) or isinstance(x, int)
