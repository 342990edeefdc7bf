"""`hg.ops` against NumPy and SciPy, lazily, into buffers, and in the classic forms."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse, special

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.errors import LaunchError

ops = hg.ops
RNG = np.random.default_rng(20)
X = (RNG.random((6, 9)) * 2 - 1).astype("f4")
Y = (RNG.random((6, 9)) + 0.5).astype("f4")
N = RNG.integers(0, 9, 6).astype("i4")
IMAGES = RNG.random((2, 3, 8, 8)).astype("f4")
KERNELS = RNG.random((4, 3, 3, 3)).astype("f4")


@pytest.fixture(scope="module", params=("wasm", "webgpu"))
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    with hg.Executor(request.param) as found:
        yield found


def _softmax(x: Any) -> Any:
    return special.softmax(x, axis=-1)


def test_operations_are_in_groups(ex: hg.Executor) -> None:
    for group in (ops.math, ops.reduce, ops.activation, ops.loss, ops.linalg, ops.memory):
        assert all(function is getattr(ops, name) for name, function in vars(group).items())
    a, b, c = ex.array([1.0, 2.0], hg.f32), ex.array([3.0, 4.0], hg.f32), ex.zeros(2)
    ops.math.vector_add(ex, a, b, c, 2)
    assert c.numpy().tolist() == [4.0, 6.0]
    assert ops.reduce.sum(a).item() == 3.0


CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (lambda x, y: ops.add(x, y), lambda x, y: x + y),
    "sub, mul, div": (lambda x, y: ops.div(ops.mul(ops.sub(x, y), 2.0), y), lambda x, y: (x - y) * 2 / y),
    "mod": (lambda x, y: ops.mod(x, y), lambda x, y: x % y),
    "pow": (lambda x, y: ops.pow(y, x), lambda x, y: y**x),
    "min of two": (lambda x, y: ops.min(x, y), np.minimum),
    "max along": (lambda x, y: ops.max(x, axis=0), lambda x, y: x.max(axis=0)),
    "abs, neg, sign": (lambda x, y: ops.sign(ops.neg(ops.abs(x))), lambda x, y: np.sign(-np.abs(x))),
    "exp, log": (lambda x, y: ops.exp(x) + ops.log(y), lambda x, y: np.exp(x) + np.log(y)),
    "sqrt, rsqrt": (lambda x, y: ops.sqrt(y) * ops.rsqrt(y), lambda x, y: y * 0 + 1),
    "atan2": (lambda x, y: ops.atan2(x, y), np.arctan2),
    "sigmoid": (lambda x, y: ops.sigmoid(x), lambda x, y: special.expit(x)),
    "silu": (lambda x, y: ops.silu(x), lambda x, y: x * special.expit(x)),
    "softplus": (lambda x, y: ops.softplus(x), lambda x, y: np.logaddexp(0, x)),
    "leaky_relu": (lambda x, y: ops.leaky_relu(x, 0.1), lambda x, y: np.where(x > 0, x, 0.1 * x)),
    "elu": (lambda x, y: ops.elu(x), lambda x, y: np.where(x > 0, x, np.expm1(x))),
    "selu": (
        lambda x, y: ops.selu(x),
        lambda x, y: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
    ),
    "clip": (lambda x, y: ops.clip(x, -0.2, 0.3), lambda x, y: np.clip(x, -0.2, 0.3)),
    "lerp": (lambda x, y: ops.lerp(x, y, 0.25), lambda x, y: x + (y - x) * 0.25),
    "where": (lambda x, y: ops.where(ops.gt(x, 0.0), x, y), lambda x, y: np.where(x > 0, x, y)),
    "sum, mean, var": (
        lambda x, y: ops.sum(x, axis=1) + ops.mean(y, axis=1) * ops.var(x, axis=1),
        lambda x, y: x.sum(axis=1) + y.mean(axis=1) * x.var(axis=1),
    ),
    "argmax": (lambda x, y: ops.argmax(x, axis=1), lambda x, y: x.argmax(axis=1)),
    "cumsum": (lambda x, y: ops.cumsum(x, axis=1), lambda x, y: np.cumsum(x, axis=1)),
    "softmax": (lambda x, y: ops.softmax(x), lambda x, y: _softmax(x)),
    "layer_norm": (
        lambda x, y: ops.layer_norm(x, y[0], x[1]),
        lambda x, y: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * y[0] + x[1],
    ),
    "rms_norm": (
        lambda x, y: ops.rms_norm(x, y[0]),
        lambda x, y: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * y[0],
    ),
    "mse_loss": (lambda x, y: ops.mse_loss(x, y), lambda x, y: ((x - y) ** 2).mean()),
    "cross_entropy_loss": (
        lambda x, y: ops.cross_entropy_loss(x, xp.asarray(N, device=x.executor)),
        lambda x, y: -np.log(_softmax(x))[np.arange(6), N].mean(),
    ),
    "of probabilities": (
        lambda x, y: ops.cross_entropy_loss(ops.softmax(x), ops.softmax(y), from_logits=False),
        lambda x, y: -(np.log(_softmax(x)) * _softmax(y)).sum(-1).mean(),
    ),
    "binary_cross_entropy_loss": (
        lambda x, y: ops.binary_cross_entropy_loss(x, ops.sigmoid(y), from_logits=True),
        lambda x, y: (np.logaddexp(0, x) - x * special.expit(y)).mean(),
    ),
    "matmul, matvec": (lambda x, y: ops.matvec(ops.matmul(x, y.T), x[:, 0]), lambda x, y: x @ y.T @ x[:, 0]),
    "einsum": (lambda x, y: ops.einsum("ij,kj->ik", x, y), lambda x, y: x @ y.T),
    "einsum of stacks": (
        lambda x, y: ops.einsum("ij,ij,ik->jk", x, y, x),
        lambda x, y: np.einsum("ij,ij,ik->jk", x, y, x),
    ),
    "einsum, a trace": (lambda x, y: ops.einsum("ii", x[:, :6]), lambda x, y: np.trace(x[:, :6])),
    "tensordot": (lambda x, y: ops.tensordot(x, y, axes=2), lambda x, y: np.tensordot(x, y, 2)),
    "one_hot": (
        lambda x, y: ops.one_hot(ops.argmax(x, axis=1), 9),
        lambda x, y: np.eye(9, dtype="f4")[x.argmax(axis=1)],
    ),
    "split": (lambda x, y: ops.split(x, 3, axis=1)[1], lambda x, y: np.split(x, 3, axis=1)[1]),
    "slice": (lambda x, y: ops.slice(x, (1, 0), (6, 9), (2, 3)), lambda x, y: x[1:6:2, 0:9:3]),
    "pad": (
        lambda x, y: ops.pad(x, ((1, 0), (2, 3)), 7.0),
        lambda x, y: np.pad(x, ((1, 0), (2, 3)), constant_values=7),
    ),
    "topk": (lambda x, y: ops.topk(x, 3)[0], lambda x, y: -np.sort(-x, axis=1)[:, :3]),
    "histogram": (lambda x, y: ops.histogram(x, 7)[0], lambda x, y: np.histogram(x, 7)[0]),
    "edges": (lambda x, y: ops.histogram(x, 4, (-0.5, 0.5))[1], lambda x, y: np.histogram(x, 4, (-0.5, 0.5))[1]),
    "fft": (lambda x, y: ops.fft(x), lambda x, y: np.fft.fft(x)),
    "irfft": (lambda x, y: ops.irfft(ops.rfft(x), n=9), lambda x, y: x),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_what_numpy_says(ex: hg.Executor, name: str) -> None:
    ours, theirs = CASES[name]
    found, expected = ours(*(xp.asarray(each, device=ex) for each in (X, Y))), theirs(X, Y)
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-5, atol=2e-5)


def test_images_and_attention(ex: hg.Executor) -> None:
    x, k = ex.array(IMAGES), ex.array(KERNELS)
    padded = np.pad(IMAGES, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    expected = np.einsum("nchwij,ocij->nohw", windows, KERNELS)
    np.testing.assert_allclose(ops.conv2d(x, k, stride=2, padding=1).numpy(), expected, rtol=1e-4, atol=1e-5)
    added = np.arange(4, dtype="f4")
    with_bias = ops.conv2d(x, k, stride=2, padding=1, bias=ex.array(added)).numpy()
    np.testing.assert_allclose(with_bias, expected + added[:, None, None], rtol=1e-4)
    blocks = IMAGES.reshape(2, 3, 4, 2, 4, 2)
    np.testing.assert_array_equal(ops.max_pool2d(x, 2).numpy(), blocks.max(axis=(3, 5)))
    np.testing.assert_allclose(ops.avg_pool2d(x, 2).numpy(), blocks.mean(axis=(3, 5)), rtol=1e-6)
    nearest = ops.upsample2d(x, (16, 16), linear=False).numpy()
    np.testing.assert_array_equal(nearest, IMAGES.repeat(2, axis=2).repeat(2, axis=3))
    weights = _softmax(IMAGES @ IMAGES.swapaxes(2, 3) / np.sqrt(8))
    for attention in (ops.attention, ops.flash_attention):
        np.testing.assert_allclose(attention(x, x, x).numpy(), weights @ IMAGES, rtol=1e-4)


@pytest.mark.parametrize(
    ("stride", "padding", "output_padding", "dilation", "groups"),
    [(1, 0, 0, 1, 1), (2, 1, 1, 1, 1), ((3, 2), (1, 0), (1, 0), (1, 2), 1), (2, 1, 0, 1, 3)],
)
def test_a_transposed_convolution_is_the_gradient_of_one(
    ex: hg.Executor, stride: Any, padding: Any, output_padding: Any, dilation: Any, groups: int
) -> None:
    """<conv(y), x> = <y, conv_transpose(x)> for every y, so that of the unit vectors gives its elements."""
    kernels = RNG.random((3, 2, 3, 3)).astype("f4")
    given = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    made = ops.conv_transpose2d(ex.array(IMAGES), ex.array(kernels), output_padding=output_padding, **given)
    there = RNG.random(made.shape).astype("f4")
    back = ops.conv2d(ex.array(there), ex.array(kernels), **given)
    assert back.shape == IMAGES.shape
    assert made.shape[1] == 2 * groups
    one, other = (made.numpy() * there).sum(dtype="f8"), (back.numpy() * IMAGES).sum(dtype="f8")
    np.testing.assert_allclose(one, other, rtol=1e-5)
    with_bias = ops.conv_transpose2d(
        ex.array(IMAGES),
        ex.array(kernels),
        output_padding=output_padding,
        bias=ex.array(np.ones(2 * groups, "f4")),
        **given,
    )
    np.testing.assert_allclose(with_bias.numpy(), made.numpy() + 1, rtol=1e-5)


@pytest.mark.parametrize("interleaved", [False, True])
def test_pairs_are_turned(ex: hg.Executor, interleaved: bool) -> None:
    x, freqs = RNG.random((2, 5, 3, 8)).astype("f4"), RNG.random((5, 4)).astype("f4")
    pairs = x[..., 0::2] + 1j * x[..., 1::2] if interleaved else x[..., :4] + 1j * x[..., 4:]
    turned = pairs * np.exp(1j * freqs)[:, None, :]
    parts = [turned.real, turned.imag]
    expected = np.stack(parts, -1).reshape(x.shape) if interleaved else np.concatenate(parts, -1)
    found = ops.rope(ex.array(x), ex.array(freqs), interleaved=interleaved)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(LaunchError, match=r"rope: freqs has shape \(4, 5\); \(5, 4\), an angle for each pair of x"):
        ops.rope(ex.array(x), ex.array(freqs.T.copy()))


def test_caches_are_updated(ex: hg.Executor) -> None:
    cache, new = RNG.random((2, 3, 6, 4)).astype("f4"), RNG.random((2, 3, 2, 4)).astype("f4")
    held = ex.array(cache)
    found = ops.kv_cache_update(held, ex.array(new[:, :, 0].copy()), 5)
    np.testing.assert_array_equal(found.numpy(), np.concatenate([cache[:, :, :5], new[:, :, :1]], axis=2))
    assert ops.kv_cache_update(held, ex.array(new), 1, out=held) is held
    np.testing.assert_array_equal(held.numpy(), np.concatenate([cache[:, :, :1], new, cache[:, :, 3:]], axis=2))
    with pytest.raises(LaunchError, match="has 6 elements; positions 5 to 6 are asked for"):
        ops.kv_cache_update(held, ex.array(new), 5)
    with pytest.raises(LaunchError, match=r"axis 3 of new, whose shape is \(2, 3, 6, 3\), has 3 elements"):
        ops.kv_cache_update(held, ex.array(cache[..., 1:].copy()), 0)


def test_sparse_matrices(ex: hg.Executor) -> None:
    dense = np.where(RNG.random((7, 11)) < 0.3, RNG.random((7, 11)), 0).astype("f4")
    dense[2] = 0
    matrix, x = sparse.csr_matrix(dense), RNG.random((11, 5)).astype("f4")
    given = [ex.array(each) for each in (matrix.data, matrix.indices, matrix.indptr, x)]
    found = ops.sparse_matmul(*given)
    np.testing.assert_allclose(found.numpy(), dense @ x, rtol=1e-5)
    into = ex.zeros((7, 5))
    assert ops.sparse_matmul(*given, out=into) is into
    np.testing.assert_array_equal(into.numpy(), found.numpy())


@pytest.mark.parametrize("each", [False, True])
def test_quantized_matrices(ex: hg.Executor, each: bool) -> None:
    a, b = RNG.integers(-128, 128, (5, 19), dtype="i1"), RNG.integers(-128, 128, (19, 6), dtype="i1")
    scale = RNG.random(6).astype("f4") if each else np.float32(0.25)
    zero = RNG.integers(-9, 9, 6, dtype="i4") if each else np.int32(3)
    bias = RNG.random(6).astype("f4")
    options = {"a_zero": -4, "b_zero": ex.array(zero) if each else 3, "bias": ex.array(bias)}
    found = ops.quantized_matmul(ex.array(a), ex.array(b), 0.5, ex.array(scale) if each else 0.25, **options)
    exact = (a.astype("i4") + 4) @ (b.astype("i4") - zero)
    np.testing.assert_allclose(found.numpy(), exact * (np.float32(0.5) * scale) + bias, rtol=1e-5)
    nibbles = RNG.integers(-8, 8, (19, 6), dtype="i1")
    packed = (nibbles[:, ::2] & 15 | nibbles[:, 1::2] << 4).astype("i1")
    found = ops.quantized_matmul(ex.array(a), ex.array(packed), 1.0, 2.0, bits=4)
    np.testing.assert_array_equal(found.numpy(), 2.0 * (a.astype("i4") @ nibbles.astype("i4")))


def test_results_are_written_where_out_says(ex: hg.Executor) -> None:
    x, y, z = ex.array(X), ex.array(Y), ex.zeros(X.shape)
    assert ops.add(x, y, out=z) is z
    np.testing.assert_array_equal(z.numpy(), X + Y)
    assert ops.mul(z, z[::-1], out=z) is z  # of itself, in another order
    np.testing.assert_array_equal(z.numpy(), (X + Y) * (X + Y)[::-1])
    ops.copy(x[:, ::-1], out=z)
    np.testing.assert_array_equal(z.numpy(), X[:, ::-1])
    with pytest.raises(LaunchError, match="out is a Buffer of shape"):
        ops.sum(x, axis=0, out=z)


def test_classic_forms(ex: hg.Executor) -> None:
    a, b, c = ex.array(X.ravel()), ex.array(Y.ravel()), ex.zeros(X.size)
    for name, expected in (("add", X + Y), ("sub", X - Y), ("mul", X * Y), ("min", np.minimum(X, Y))):
        getattr(ops, f"vector_{name}")(ex, a, b, c, X.size)
        np.testing.assert_array_equal(c.numpy(), expected.ravel())
    ops.vector_add(ex, a, b, c, 5)
    np.testing.assert_array_equal(c.numpy()[:6], np.append((X + Y).ravel()[:5], np.minimum(X, Y).ravel()[5]))
    ops.scalar_mul(ex, a, 3.0, c, X.size)
    np.testing.assert_array_equal(c.numpy(), X.ravel() * 3)
    ops.vector_clip(ex, a, -0.5, 0.5, c, X.size)
    np.testing.assert_array_equal(c.numpy(), X.ravel().clip(-0.5, 0.5))
    ops.sigmoid(ex, a, c, X.size)
    np.testing.assert_allclose(c.numpy(), special.expit(X.ravel()), rtol=1e-5)
    one = ex.zeros(1)
    ops.reduce_sum(ex, a, one, 7)
    np.testing.assert_allclose(one.numpy(), X.ravel()[:7].sum(), rtol=1e-5)
    ops.mse_loss(ex, a, b, one, X.size)
    np.testing.assert_allclose(one.numpy(), ((X - Y) ** 2).mean(), rtol=1e-5)
    left, right, product = (RNG.random(shape).astype("f4") for shape in ((3, 7), (7, 5), (3, 5)))
    made = ex.array(product)
    ops.gemm(ex, ex.array(left), ex.array(right), made, 3, 5, 7)
    np.testing.assert_allclose(made.numpy(), left @ right, rtol=1e-5)
    vector = ex.zeros(3)
    ops.matvec(ex, ex.array(left), ex.array(right[:, 0].copy()), vector, 3, 7)
    np.testing.assert_allclose(vector.numpy(), left @ right[:, 0], rtol=1e-5)


def test_random_numbers_are_the_same_everywhere() -> None:
    with hg.Executor("wasm") as wasm, hg.Executor("webgpu") as gpu:
        found = [ops.random((5, 7), seed=3, device=each).numpy() for each in (wasm, gpu)]
        np.testing.assert_array_equal(*found)
        later = ops.random((30,), seed=3, offset=5, device=wasm).numpy()
        np.testing.assert_array_equal(found[0].ravel()[5:], later)


def test_there_are_as_many_as_the_specification_names() -> None:
    assert len(ops.__all__) > 100
    assert all(callable(getattr(ops, name)) for name in ops.__all__)
    with pytest.raises(AttributeError):
        ops.nothing  # noqa: B018


@pytest.mark.parametrize("text", ["ij,jk", "i->ii", "ij->k", "...ij->i", "ij"])
def test_what_einsum_does_not_take(text: str) -> None:
    with hg.Executor("wasm") as wasm, pytest.raises(LaunchError):
        ops.einsum(text, wasm.array(X[0]))
