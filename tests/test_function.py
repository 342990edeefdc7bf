"""Functions of arrays: traced once, compiled to a plan, saved and run from the file."""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821, UP037  # names of sizes in annotations

from __future__ import annotations

import gc
import weakref
from collections import namedtuple

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array.array import Array

RNG = np.random.default_rng(19)
X, W, B = RNG.random((5, 7), "f4"), RNG.random((3, 7), "f4") - np.float32(0.5), RNG.random(3, "f4")


def layer(params, x, scale=2.0):
    h = xp.tanh(x @ params["w"].T + params["b"]) * scale
    return {"h": h, "sums": (h.sum(axis=1), x), "more": [params["b"] + 1]}


def expected(scale):
    h = np.tanh(X @ W.T + B) * np.float32(scale)
    return {"h": h, "sums.0": h.sum(axis=1), "sums.1": X, "more.0": B + 1}


def test_trees_and_numbers_go_in_and_trees_come_out(ex: hg.Executor) -> None:
    calls = []

    @hg.function
    def counted(params, x, scale=2.0):
        calls.append(1)
        return layer(params, x, scale)

    x = xp.asarray(X, device=ex)
    for scale in (3.0, 0.5):
        found = counted({"w": ex.array(W), "b": B}, x, scale)
        named = {
            "h": found["h"], "sums.0": found["sums"][0], "sums.1": found["sums"][1], "more.0": found["more"][0],
        }  # fmt: skip
        for name, value in expected(scale).items():
            np.testing.assert_allclose(named[name].numpy(), value, rtol=1e-5, atol=1e-6)
        assert found["sums"][1].buffer is x.buffer  # an argument that is a result stays where it is
    assert len(calls) == 1
    counted({"w": W[:2], "b": B[:2]}, x, 1.0)
    counted({"w": W, "b": B}, x, 7)  # an integer
    assert len(calls) == 3


def test_it_is_a_file(ex: hg.Executor, tmp_path) -> None:
    weights = {"w": xp.asarray(W, device=ex), "b": xp.asarray(B, device=ex)}

    @hg.function(device=ex)
    def model(x: hg.Array[hg.f32, 5, 7], scale: hg.f32):
        return layer(weights, x, scale)

    model.compile().save(tmp_path / "model.holo")
    loaded = hg.load(tmp_path / "model.holo")
    assert loaded.name == "model"
    assert [str(port) for port in loaded.ports] == [
        "x: f32[5, 7] read", "scale: f32", "h: f32[5, 3] write", "more.0: f32[3] write", "sums.0: f32[5] write",
        "sums.1: f32[5, 7] write",
    ]  # fmt: skip
    found = ex.run(loaded, x=X, scale=1.5)
    given = model(X, 1.5)
    for name, value in expected(1.5).items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(given["h"].numpy(), found["h"])


def test_what_is_captured_is_computed_once(wasm: hg.Executor) -> None:
    w = xp.asarray(W, device=wasm)

    @hg.function
    def scaled(x):
        return x * (xp.exp(w).sum(axis=0) / 3.0) + xp.arange(7, dtype=hg.f32)

    np.testing.assert_allclose(scaled(ex_array(wasm, X)).numpy(), X * np.exp(W).sum(0) / 3 + np.arange(7), rtol=1e-5)
    text = scaled.explain(ex_array(wasm, X))
    assert "exp" not in text  # the sums are a constant
    assert text.count("def ") == 1  # and the numbers 0, 1, ... none


def ex_array(ex: hg.Executor, x: np.ndarray) -> Array:
    return xp.asarray(x, device=ex)


Pair = namedtuple("Pair", "left right")


def test_forms_of_results(wasm: hg.Executor) -> None:
    x = ex_array(wasm, X)
    found = hg.function(lambda x: Pair(x + 1, {"n": 3.0, "none": None}))(x)
    assert isinstance(found, Pair)
    assert found.right["none"] is None
    assert found.right["n"].item() == 3.0
    same = hg.function(lambda x, y: (x, x + y, x + y, x))(x, x)
    np.testing.assert_array_equal(same[1].numpy(), same[2].numpy())
    assert same[0].buffer is same[3].buffer
    empty = hg.function(lambda x: x[:0] + 1)(x)
    assert empty.shape == (0, 7)


def test_static_arguments_are_known(wasm: hg.Executor) -> None:
    calls = []

    @hg.function(static=("axis", "steps"))
    def total(x, axis, *, steps=(1,)):
        calls.append(axis)
        for step in steps:
            x = x * float(step)
        return x.sum(axis=axis)

    x = ex_array(wasm, X)
    for axis in (0, 1, 0):
        np.testing.assert_allclose(total(x, axis, steps=(1, 2)).numpy(), (X * 2).sum(axis), rtol=1e-6)
    assert calls == [0, 1]
    with pytest.raises(hg.LaunchError, match=r"steps is named in static=\(...\), and \[1\] cannot be hashed"):
        total(x, 0, steps=[1])
    with pytest.raises(hg.LaunchError, match="f has no parameter 'y'"):
        hg.function(static=("y",), name="f")(lambda x: x)(x)


def test_functions_call_functions_and_kernels_inline_them(wasm: hg.Executor) -> None:
    @hg.function
    def twice(x):
        return x + x

    np.testing.assert_array_equal(hg.function(lambda x: twice(x) * 3.0)(ex_array(wasm, X)).numpy(), X * 6)
    assert twice(4) == 8  # with numbers it is what it was

    @hg.kernel
    def doubled(x: hg.Array[hg.f32]):
        i = hg.global_id()
        x[i] = twice(x[i])

    x = np.arange(4, dtype="f4")
    doubled(x)
    np.testing.assert_array_equal(x, [0, 2, 4, 6])


def test_branching_in_python_names_the_line(wasm: hg.Executor) -> None:
    def branches(x):
        if x.sum() > 0:
            return x
        return -x

    with pytest.raises(hg.TranslateError, match=r"choose by hg\.where or hg\.cond") as caught:
        hg.function(branches)(ex_array(wasm, X))
    assert caught.value.file == __file__
    assert caught.value.line == branches.__code__.co_firstlineno + 1
    with pytest.raises(hg.TranslateError, match="named in static"):
        hg.function(lambda x, axis: x.sum(axis=range(5)[axis]))(ex_array(wasm, X), 1)
    escaped = []

    def keeping(x):
        escaped.append(x + 1)
        return x

    hg.function(keeping)(ex_array(wasm, X))
    with pytest.raises(hg.TranslateError, match="not known while the function is traced"):
        escaped[0].numpy()


@hg.function
def misnamed(x: hg.Array[hg.f32, n], y: Nowhere = None):
    return x


@hg.function
def annotated(x: hg.Array[hg.f32, "n", 7], y: hg.Array[hg.f32, "n"], scale: hg.f64 = 1.0):
    return x * y[:, None] * scale


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ((X, B), "axis 0 of y has 3 elements; Array[f32, n] is expected: n is 5 in x"),
        ((X[:, :6], B), "axis 1 of x has 6 elements; Array[f32, n, 7] is expected"),
        ((X.astype("f8"), B), "x has elements of f64; Array[f32, n, 7] is expected"),
        ((X[0], B), "x has 1 axis, as its shape is (7,); Array[f32, n, 7] is expected"),
        ((X,), "annotated: missing a required argument: 'y'"),
        ((X, X[:, 0], X), "scale is an array of f32; a number of f64 is expected"),
    ],
)  # fmt: skip
def test_annotations_are_checked(wasm: hg.Executor, args, text: str) -> None:
    with pytest.raises(hg.LaunchError) as caught:
        annotated(*(ex_array(wasm, each) for each in args))
    assert str(caught.value) == text


def test_names_of_sizes_are_strings(wasm: hg.Executor) -> None:
    with pytest.raises(hg.LaunchError, match=r"x: hg\.Array.*: name 'n' is not defined; names of sizes are strings"):
        misnamed(ex_array(wasm, X))


def test_numbers_have_the_type_of_their_annotation(wasm: hg.Executor) -> None:
    found = annotated(ex_array(wasm, X), ex_array(wasm, X[:, 0].copy()), 1 / 3)
    assert found.dtype is hg.f64
    np.testing.assert_array_equal(found.numpy(), (X * X[:, :1]).astype("f8") * (1 / 3))


def test_files_compute_as_their_executor_does() -> None:
    """They were always exact."""
    for math in ("exact", "fast"):
        with hg.Executor("wasm", math=math) as ex:
            made = hg.function(lambda x: xp.exp(x) @ x, device=ex).compile(X.T[:5])
            assert (made.math or "exact") == math


def test_what_lies_in_memory_that_a_plan_is_lent_does_not_matter(ex: hg.Executor) -> None:
    @hg.function(device=ex)
    def steps(x, w):
        h = xp.maximum(x @ w.T, 0.1)
        h = h / xp.sum(h, axis=1, keepdims=True)
        return hg.ops.softmax(xp.cumulative_sum(h, axis=1) @ w), xp.reshape(h.T @ x, (-1,)) * 2

    h = np.maximum(X @ W.T, 0.1)
    h /= h.sum(axis=1, keepdims=True)
    powers = np.exp(np.cumsum(h, axis=1) @ W)
    for _ in range(3):
        old = [ex.array(np.full(size, np.nan, "f4")) for size in (16, 64, 256, 1 << 16)]
        while old:
            old.pop().free()
        first, second = steps(X, W)
        np.testing.assert_allclose(first.numpy(), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
        np.testing.assert_allclose(second.numpy(), (h.T @ X).ravel() * 2, rtol=1e-5)


def test_what_is_no_result_is_told(wasm: hg.Executor) -> None:
    with pytest.raises(hg.LaunchError, match="its results are arrays and numbers"):
        hg.function(lambda x: object())(ex_array(wasm, X))
    with pytest.raises(hg.LaunchError, match="what 'x' is follows from no annotation"):
        hg.function(lambda x: x).compile()


def test_views_of_views_are_views_of_the_array(wasm: hg.Executor) -> None:
    x, w = ex_array(wasm, X), ex_array(wasm, W)
    assert "def " not in (x @ w.T).explain()  # the product reads w as it lies there
    found = x.T[1:, ::2].T.reshape(3, 6)[:, 1::2]
    assert found.node.args[0].op == "source"
    np.testing.assert_array_equal((found + 0).numpy(), X.T[1:, ::2].T.reshape(3, 6)[:, 1::2])


def test_a_reduction_of_a_result_reads_it(wasm: hg.Executor) -> None:
    x, w = ex_array(wasm, X), ex_array(wasm, W)
    h, total = hg.function(lambda x: ((h := xp.tanh(x @ w.T)), h.sum(axis=1)))(x)
    np.testing.assert_allclose(total.numpy(), np.tanh(X @ W.T).sum(axis=1), rtol=1e-5)
    np.testing.assert_allclose(h.numpy(), np.tanh(X @ W.T), rtol=1e-5)


def test_executors_that_are_gone_are_not_held() -> None:
    doubled = hg.function(lambda x: (x * 2.0, x))
    ex = hg.Executor("wasm")
    there = weakref.ref(ex)
    np.testing.assert_array_equal(doubled(ex_array(ex, X))[0].numpy(), X * 2)
    del ex
    gc.collect()
    assert there() is None


@pytest.mark.parametrize("math", ["exact", "fast"])
def test_a_file_has_the_mathematics_of_its_executor(math: str) -> None:
    with hg.Executor("wasm", math=math) as ex:
        compiled = hg.function(lambda x, w: x @ w.T, device=ex).compile(X, W)
        again = hg.load(compiled.to_bytes())
        assert again.math == (None if math == "exact" else math)
        shaders = [again.artifact.shader(number) for number in range(len(again.artifact.shaders))]
        assert any("fence(" in text for text in shaders) == (math == "exact")
        z = ex.zeros((X @ W.T).shape)
        again.run(ex, x=X, w=W, result=z)
        np.testing.assert_allclose(z.numpy(), X @ W.T, rtol=1e-5)
