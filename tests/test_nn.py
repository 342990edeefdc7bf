"""Layers, losses and optimizers against NumPy; files in the format safetensors."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web import nn

RNG = np.random.default_rng(4)


def numbers(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype("f4")


def near(found, expected, tolerance=1e-5):
    np.testing.assert_allclose(found.numpy(), expected, rtol=tolerance, atol=tolerance)


def test_random_numbers_have_the_same_bits_everywhere(ex: hg.Executor, wasm: hg.Executor) -> None:
    for make in (nn.uniform, nn.normal):
        here, there = (make(7, (1000,), device=each).numpy() for each in (ex, wasm))
        np.testing.assert_allclose(here, there, rtol=1e-6, atol=1e-6)
        if make is nn.uniform:
            assert here.tobytes() == there.tobytes()
    x = nn.normal(3, (200, 500), device=wasm).numpy()
    assert abs(x.mean()) < 0.01
    assert abs(x.std() - 1) < 0.01
    assert abs(np.corrcoef(x[0], x[1])[0, 1]) < 0.15
    u = nn.uniform(3, (100_000,), -2.0, 5.0, device=wasm).numpy()
    assert -2 <= u.min() < -1.99 < 4.99 < u.max() < 5
    assert np.bincount(((u + 2) / 7 * 10).astype(int), minlength=10).min() > 9_500
    keys = [int(key.item()) for key in nn.split(1, 50, device=wasm)]
    assert len(set(keys)) == 50
    same = nn.fold_in(xp.asarray(1, dtype=hg.u32, device=wasm), 3)
    assert int(same) == int(nn.fold_in(1, 3, device=wasm))  # a key may be an array


def test_layers(ex: hg.Executor) -> None:
    x, images = numbers(3, 5, 8), numbers(2, 4, 7, 6)
    given, seen = xp.asarray(x, device=ex), xp.asarray(images, device=ex)

    def made(layer):
        params = layer.init(1, device=ex)
        return params, hg.tree_map(lambda p: p.numpy(), params)

    layer = nn.Linear(8, 6)
    params, p = made(layer)
    assert np.abs(p["w"]).max() <= 8**-0.5
    near(layer(params, given), x @ p["w"].T + p["b"])
    for norm, mean in ((nn.LayerNorm(8), x.mean(-1, keepdims=True)), (nn.RMSNorm(8), 0)):
        params, p = made(norm)
        scale = np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)
        near(norm(params, given), (x - mean) / scale, 1e-4)
    for groups in (1, 2, 4):
        grouped = nn.GroupNorm(groups, 4)
        params, _ = made(grouped)
        parts = images.reshape(len(images), groups, -1)
        mean, scale = parts.mean(-1, keepdims=True), np.sqrt(parts.var(-1, keepdims=True) + 1e-5)
        near(grouped(params, seen), ((parts - mean) / scale).reshape(images.shape), 1e-4)
    with pytest.raises(hg.LaunchError, match="whole groups"):
        nn.GroupNorm(3, 4)(params, seen)
    batch = nn.BatchNorm(4)
    params, _ = made(batch)
    state = batch.state(device=ex)
    y, after = batch(params, seen, state, training=True)
    axes = (0, 2, 3)
    mean, variance = images.mean(axes, keepdims=True), images.var(axes, keepdims=True)
    near(y, (images - mean) / np.sqrt(variance + 1e-5), 1e-4)
    near(after["mean"], 0.1 * mean.ravel(), 1e-4)
    near(after["variance"], 0.9 + 0.1 * images.transpose(1, 0, 2, 3).reshape(4, -1).var(1, ddof=1), 1e-4)
    y, same = batch(params, seen, state, training=False)
    near(y, images / np.sqrt(1 + 1e-5))
    assert same is state
    table = nn.Embedding(10, 3)
    params, p = made(table)
    near(table(params, xp.asarray([[1, 9], [0, 1]], device=ex)), p["table"][[[1, 9], [0, 1]]])


def test_convolutions(ex: hg.Executor) -> None:
    images = numbers(2, 4, 7, 6)
    layer = nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, dilation=(1, 2), groups=2)
    params = layer.init(2, device=ex)
    w, b = params["w"].numpy(), params["b"].numpy()
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    rows, columns = (9 - 3) // 2 + 1, (8 - 3) // 2 + 1
    expected = np.zeros((2, 6, rows, columns), "f4")
    for n, o, r, c in np.ndindex(*expected.shape):
        group = slice(0, 2) if o < 3 else slice(2, 4)
        window = padded[n, group, 2 * r : 2 * r + 3, 2 * c : 2 * c + 3 : 2]
        expected[n, o, r, c] = (window * w[o]).sum() + b[o]
    near(layer(params, xp.asarray(images, device=ex)), expected, 1e-4)


def test_attention(ex: hg.Executor) -> None:
    x = numbers(2, 5, 8)
    layer = nn.MultiHeadAttention(8, 2, causal=True)
    params = layer.init(3, device=ex)
    p = hg.tree_map(lambda each: each.numpy(), params)

    def parts(name):
        return (x @ p[name]["w"].T + p[name]["b"]).reshape(2, 5, 2, 4).transpose(0, 2, 1, 3)

    q, k, v = map(parts, ("query", "key", "value"))
    scores = np.where(np.tri(5, dtype=bool), q @ k.transpose(0, 1, 3, 2) / 2, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    h = (weights / weights.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(2, 5, 8)
    near(layer(params, xp.asarray(x, device=ex)), h @ p["out"]["w"].T + p["out"]["b"], 1e-4)


def test_gradients_of_layers(wasm: hg.Executor) -> None:
    """In F64, along a direction of the parameters, against differences."""
    f8 = {"dtype": hg.f64}
    network = nn.Sequential(
        nn.Conv2d(2, 3, 3, padding=1, **f8), nn.GroupNorm(3, 3, **f8), xp.tanh,
        lambda x: x.reshape(x.shape[0], 4, 12), nn.Linear(12, 8, **f8),
        nn.LayerNorm(8, **f8), nn.MultiHeadAttention(8, 2, **f8), nn.RMSNorm(8, **f8), xp.gelu,
    )  # fmt: skip
    params = network.init(5, device=wasm)
    x = xp.asarray(RNG.standard_normal((2, 2, 4, 4)), device=wasm)
    weights = xp.asarray(RNG.standard_normal((2, 4, 8)), device=wasm)
    loss = hg.function(lambda params: (network(params, x) * weights).sum())
    found = hg.grad(loss)(params)
    way = hg.tree_map(lambda p: xp.asarray(RNG.standard_normal(p.shape), device=wasm), params)
    ends = [loss(hg.tree_map(lambda p, w, s=sign: p + w * (s * 1e-6), params, way)).item() for sign in (1, -1)]
    along = sum(float((g * w).sum()) for g, w in zip(hg.tree_leaves(found), hg.tree_leaves(way), strict=True))
    np.testing.assert_allclose(along, (ends[0] - ends[1]) / 2e-6, rtol=1e-5)


def test_dropout(wasm: hg.Executor) -> None:
    drop = nn.Dropout(0.25)
    x = xp.ones((100, 100), device=wasm)
    y = drop(x, 1).numpy()
    assert set(np.unique(y)) == {0, np.float32(1 / 0.75)}
    assert abs((y == 0).mean() - 0.25) < 0.02
    assert drop(x, None) is x
    assert (drop(x, 2).numpy() != y).any()
    step = hg.function(lambda x, key: drop(x, key))  # the key is an argument, so that one plan does for all
    np.testing.assert_array_equal(step(x, 1).numpy(), y)
    np.testing.assert_array_equal(step(x, 2).numpy(), drop(x, 2).numpy())


def test_losses(ex: hg.Executor) -> None:
    x, t = numbers(6, 4), numbers(6, 4)
    a, b = xp.asarray(x, device=ex), xp.asarray(t, device=ex)
    near(nn.mse(a, b), ((x - t) ** 2).mean())
    near(nn.l1(a, b), np.abs(x - t).mean())
    d = np.abs(x - t)
    near(nn.huber(a, b, 0.7), np.where(d <= 0.7, d * d / 2, 0.7 * (d - 0.35)).mean())
    log = x - np.log(np.exp(x).sum(1, keepdims=True))
    labels = np.array([0, 3, 1, 2, 2, 0], "i4")
    near(nn.cross_entropy(a, xp.asarray(labels, device=ex)), -log[np.arange(6), labels].mean())
    soft = 0.9 * np.eye(4, dtype="f4")[labels] + 0.025
    near(nn.cross_entropy(a, xp.asarray(labels, device=ex), smoothing=0.1), -(log * soft).sum(1).mean())
    near(nn.cross_entropy(a, xp.asarray(soft.astype("f4"), device=ex)), -(log * soft).sum(1).mean())
    p = 1 / (1 + np.exp(-x * 30))
    y = (t > 0).astype("f4")
    with np.errstate(divide="ignore"):
        exact = -(y * np.log(np.maximum(p, 1e-45)) + (1 - y) * np.log(np.maximum(1 / (1 + np.exp(x * 30)), 1e-45)))
    near(nn.binary_cross_entropy(a * 30.0, b > 0), exact.mean(), 1e-4)
    for wrong in (lambda: nn.mse(a, b[0]), lambda: nn.cross_entropy(a, xp.asarray(labels[:3], device=ex))):
        with pytest.raises(hg.LaunchError):
            wrong()


def reference(name: str, p: np.ndarray, grads: list[np.ndarray]) -> np.ndarray:
    """Optimizers as their papers say, in F64."""
    p, m, v = p.astype("f8"), 0 * p, 0 * p
    for step, g in enumerate(grads, 1):
        g = g.astype("f8")
        if name.startswith("sgd"):
            g = g + 0.1 * p
            m = 0.9 * m + g
            p = p - 0.05 * (g + 0.9 * m if name == "sgd nesterov" else m)
            continue
        if name == "adam":
            g = g + 0.1 * p
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        by = (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        p = p - 0.05 * (by + (0.1 * p if name == "adamw" else 0))
    return p


OPTIMIZERS: dict[str, Any] = {
    "sgd": nn.SGD(0.05, 0.9, weight_decay=0.1),
    "sgd nesterov": nn.SGD(0.05, 0.9, nesterov=True, weight_decay=0.1),
    "adam": nn.Adam(0.05, weight_decay=0.1),
    "adamw": nn.AdamW(0.05, weight_decay=0.1),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(wasm: hg.Executor, name: str) -> None:
    optimizer = OPTIMIZERS[name]
    start, grads = [numbers(3, 2), numbers(5)], [[numbers(3, 2), numbers(5)] for _ in range(4)]
    params: Any = {"a": xp.asarray(start[0], device=wasm), "b": [xp.asarray(start[1], device=wasm)]}
    state = optimizer.init(params)
    update = hg.function(optimizer.update)
    for one, other in grads:
        given = {"a": xp.asarray(one, device=wasm), "b": [xp.asarray(other, device=wasm)]}
        params, state = update(params, given, state)
    near(params["a"], reference(name, start[0], [each[0] for each in grads]), 1e-4)
    near(params["b"][0], reference(name, start[1], [each[1] for each in grads]), 1e-4)
    assert int(state["step"]) == 4


def test_clipping_and_schedules(wasm: hg.Executor) -> None:
    tree = {"a": xp.asarray(numbers(3), device=wasm), "b": xp.asarray(numbers(2, 2), device=wasm)}
    whole = np.concatenate([leaf.numpy().ravel() for leaf in hg.tree_leaves(tree)])
    for most in (0.5, 100.0):
        clipped, norm = nn.clip_by_norm(tree, most)
        near(norm, np.linalg.norm(whole))
        near(nn.norm_of(clipped), min(most, np.linalg.norm(whole)))

    def rates(schedule):
        return [float(schedule(xp.asarray(float(n), dtype=hg.f32, device=wasm))) for n in (0, 5, 10, 30)]

    np.testing.assert_allclose(rates(nn.linear(1.0, 0.2, 10)), [1, 0.6, 0.2, 0.2], rtol=1e-5)
    np.testing.assert_allclose(rates(nn.cosine(1.0, 10, 0.2)), [1, 0.6, 0.2, 0.2], rtol=1e-5)
    np.testing.assert_allclose(rates(nn.exponential(2.0, 0.5, 5)), [2, 1, 0.5, 2 / 64], rtol=1e-5)
    np.testing.assert_allclose(rates(nn.warmed_up(nn.exponential(2.0, 0.5, 5), 5)), [0, 2, 1, 2 / 32], rtol=1e-5)
    sgd = nn.SGD(nn.linear(1.0, 0.0, 2))
    params, state = {"a": tree["a"]}, sgd.init({"a": tree["a"]})
    for rate in (1.0, 0.5, 0.0):
        before = params["a"].numpy()
        params, state = sgd.update(params, {"a": xp.ones(3, device=wasm)}, state)
        near(params["a"], before - rate)


TYPES = ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")


def test_files_of_parameters(wasm: hg.Executor, tmp_path) -> None:
    tree: Any = {ty: xp.asarray(np.arange(6).reshape(2, 3).astype(ty), device=wasm) for ty in TYPES}
    tree["layers"] = [{"w": xp.asarray(numbers(2, 0), device=wasm)}, {"w": xp.asarray(numbers(), device=wasm)}]
    tree["half"] = xp.asarray(numbers(4), device=wasm).astype(hg.bf16)
    data = nn.save(tree, tmp_path / "state.safetensors", {"step": "3"})
    assert (tmp_path / "state.safetensors").read_bytes() == data
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert length % 8 == 0
    assert header["__metadata__"] == {"step": "3"}
    assert header["layers.0.w"] == {
        "dtype": "F32",
        "shape": [2, 0],
        "data_offsets": header["layers.0.w"]["data_offsets"],
    }
    named = nn.load(data, device=wasm)
    np.testing.assert_array_equal(named["?"].numpy(), np.arange(6).reshape(2, 3).astype("?"))
    found = nn.load(tmp_path / "state.safetensors", tree, device=wasm)
    for one, other in zip(hg.tree_leaves(found), hg.tree_leaves(tree), strict=True):
        assert one.dtype is other.dtype
        assert one.numpy().tobytes() == other.numpy().tobytes()
    with pytest.raises(hg.ArtifactError, match=r"'\?' is in the file only"):
        nn.load(data, {"f4": tree["f4"]}, device=wasm)
    with pytest.raises(hg.ArtifactError, match=r"array is f32\[2, 3\]; f32\[4\] is expected"):
        nn.load(nn.save(tree["f4"]), tree["f4"].ravel()[:4], device=wasm)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:7], lambda data: data[:40], lambda data: data[:-1], lambda data: data + b"\0",
        lambda data: data.replace(b"[0,24]", b"[4,24]"), lambda data: data.replace(b"[2,3]", b"[2,4]"),
        lambda data: data.replace(b"[2,3]", b"[-2,-3]"), lambda data: data.replace(b"F32", b"F31"),
        lambda data: b"\x02\0\0\0\0\0\0\0[]", lambda data: b"\xff" * 16,
        lambda data: data.replace(b'"dtype"', b'"dtypo"'),
    ],
)  # fmt: skip
def test_damaged_files_are_told(wasm: hg.Executor, change) -> None:
    data = nn.save({"w": xp.asarray(np.arange(6, dtype="f4").reshape(2, 3), device=wasm)})
    with pytest.raises(hg.ArtifactError, match="damaged safetensors"):
        nn.load(change(data), device=wasm)


def test_what_does_not_fit_is_told(wasm: hg.Executor) -> None:
    x = xp.ones((2, 5), device=wasm)
    linear = nn.Linear(4, 3)
    with pytest.raises(hg.LaunchError, match=r"takes arrays whose last axis has 4 elements, not of shape \(2, 5\)"):
        linear(linear.init(1, device=wasm), x)
    with pytest.raises(hg.LaunchError, match="8 elements are no 3 heads"):
        nn.MultiHeadAttention(8, 3).init(1, device=wasm)
    conv = nn.Conv2d(1, 1, 5)
    with pytest.raises(hg.LaunchError, match="has no window in images of 2 x 5"):
        conv(conv.init(1, device=wasm), x.reshape(1, 1, 2, 5))
    assert repr(nn.Sequential(nn.Dropout(0.5), xp.tanh)) == "Sequential(Dropout(rate=0.5), tanh)"


def test_training_is_the_same_on_one_thread_and_two() -> None:
    """To the last bit: a convolution in steps of two, a layer, twenty steps of Adam."""
    drawn = np.random.default_rng(5)
    x, w, v = (drawn.random(shape).astype("f4") - 0.5 for shape in ((8, 1, 12, 12), (4, 1, 3, 3), (100, 3)))

    def loss(weights: Any, images: Any) -> Any:
        seen = xp.maximum(hg.ops.conv2d(images, weights[0], stride=2), 0.0)
        return xp.mean((seen.reshape(8, -1) @ weights[1]) ** 2.0)

    found = []
    for threads in (1, 2):
        with hg.Executor("wasm", threads=threads) as ex:
            weights = [xp.asarray(each, device=ex) for each in (w, v)]
            images, adam = xp.asarray(x, device=ex), nn.Adam(0.01)
            state = adam.init(weights)
            for _ in range(20):
                weights, state = adam.update(weights, hg.grad(loss)(weights, images), state)
            found.append([each.numpy().tobytes() for each in weights])
    assert found[0] == found[1]
