"""Steps of training: gradients of a loss by weights, and the weights after it, one after the other."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web import nn

from . import steps
from .cases import Case

__all__ = ["TRAINING"]


def _entropy(logits, t):
    return -(xp.log_softmax(logits, axis=-1) * t).sum() / logits.shape[0]


def _mlp(weights, x, t):
    w1, b1, w2, b2 = weights
    return _entropy(xp.maximum(x @ w1 + b1, 0.0) @ w2 + b2, t)


def _convnet(weights, x, t):
    w1, b1, w2, b2, w3, b3 = weights
    h = xp.maximum(hg.ops.conv2d(x, w1, stride=2, bias=b1), 0.0)
    k = xp.maximum(hg.ops.conv2d(h, w2, stride=2, bias=b2), 0.0)
    return _entropy(k.reshape(x.shape[0], -1) @ w3 + b3, t)


def _case(name, size, loss, by_hand, arrays, work):
    def step(**given):
        x, t, *weights = (given[key] for key in arrays)
        gradients = hg.grad(loss)(weights, x, t)
        made = nn.SGD(steps.RATE).update(weights, gradients, nn.SGD(steps.RATE).init(weights))[0]
        return {"z": xp.concat([each.reshape(-1) for each in made])}

    def ours(math):
        with hg.Executor("wasm", math=math) as ex:
            return hg.function(step, device=ex).compile(**arrays)

    exact = {key: value.astype(np.float64) for key, value in arrays.items()}
    wanted = np.empty(sum(value.size for key, value in arrays.items() if key not in "xt"))
    by_hand(*exact.values(), wanted)
    moved = 4 * (sum(value.size for value in arrays.values()) + wanted.size)
    return Case(name, size, ours, arrays, wanted, moved, work, tolerance=1e-3)


def _some(rng, *shape):
    """Numbers of the size that weights begin with."""
    return ((rng.random(shape) - 0.5) * 2 / np.sqrt(max(np.prod(shape[1:]) if len(shape) > 2 else shape[0], 1))).astype(
        "f4"
    )


def _labels(rng, batch):
    return np.eye(10, dtype="f4")[rng.integers(0, 10, batch)]


def mlp(batch: int = 128, pixels: int = 784, hidden: int = 256) -> Case:
    rng = np.random.default_rng(8)
    arrays = {
        "x": rng.random((batch, pixels)).astype("f4"), "t": _labels(rng, batch), "w1": _some(rng, pixels, hidden),
        "b1": _some(rng, hidden), "w2": _some(rng, hidden, 10), "b2": _some(rng, 10),
    }  # fmt: skip
    work = 2 * batch * (2 * pixels * hidden + 3 * hidden * 10)
    return _case("mlp", f"{batch} x {pixels}, {hidden}, 10", _mlp, steps.mlp, arrays, work)


def convnet(batch: int = 32, side: int = 28, channels: tuple[int, int] = (8, 16)) -> Case:
    rng = np.random.default_rng(9)
    first, second = channels
    one, two = (side - 3) // 2 + 1, ((side - 3) // 2 + 1 - 3) // 2 + 1
    arrays = {
        "x": rng.random((batch, 1, side, side)).astype("f4"), "t": _labels(rng, batch),
        "w1": _some(rng, first, 1, 3, 3), "b1": _some(rng, first), "w2": _some(rng, second, first, 3, 3),
        "b2": _some(rng, second), "w3": _some(rng, second * two * two, 10), "b3": _some(rng, 10),
    }  # fmt: skip
    work = 2 * batch * (2 * 9 * first * one**2 + 3 * 9 * first * second * two**2 + 3 * second * two**2 * 10)
    return _case("convnet", f"{batch} of {side} x {side}", _convnet, steps.convnet, arrays, work)


TRAINING = {"mlp": mlp, "convnet": convnet}
