"""The network, a step of its training, and the classifier that is exported."""

from __future__ import annotations

from typing import Any

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web import nn

from .data import PIXELS

__all__ = ["NETWORK", "accuracy", "classifier", "initial", "trained"]

BATCH = 50
NETWORK = nn.Sequential(nn.Linear(PIXELS, 32), xp.relu, nn.Linear(32, 10))
OPTIMIZER = nn.Adam(0.03)


@hg.function
def step(params: Any, state: Any, images: Any, labels: Any) -> Any:
    """Parameters and state after a batch, and the loss before."""

    def loss(params: Any) -> Any:
        return nn.cross_entropy(NETWORK(params, images), labels)

    value, gradients = hg.value_and_grad(loss)(params)
    return *OPTIMIZER.update(params, gradients, state), value


def initial(ex: hg.Executor) -> Any:
    """Parameters to begin with."""
    return NETWORK.init(1, device=ex)


def trained(ex: hg.Executor, images: list[list[float]], labels: list[int], epochs: int) -> tuple[Any, list[float]]:
    """Parameters, and the loss of the last batch of each epoch."""
    x, y = ex.array(images, hg.f32), ex.array(labels, hg.i32)
    params = initial(ex)
    state = OPTIMIZER.init(params)
    losses = []
    for _ in range(epochs):
        for first in range(0, len(images), BATCH):
            batch = slice(first, first + BATCH)
            params, state, loss = step(params, state, x[batch], y[batch])
        losses.append(loss.item())
    return params, losses


@hg.function
def guess(params: Any, images: Any) -> Any:
    """The likeliest digit of each image."""
    return xp.argmax(NETWORK(params, images), axis=1)


def accuracy(ex: hg.Executor, params: Any, images: list[list[float]], labels: list[int]) -> float:
    """The part of images whose digit is found."""
    right = guess(params, ex.array(images, hg.f32)) == ex.array(labels, hg.i32)
    return float(right.astype(hg.f32).mean().item())


def classifier(ex: hg.Executor, params: Any) -> Any:
    """The program for a file, with its weights: any number of images in, scores and digits out."""

    @hg.function(device=ex, name="digits")
    def digits(images: Any) -> Any:
        scores = NETWORK(params, images)
        return {"scores": xp.softmax(scores), "digits": xp.argmax(scores, axis=1)}

    return digits.compile(images=hg.Array[hg.f32, "count", PIXELS])
