"""Steps of training by NumPy, with gradients written by hand; native.py, which knows nothing of us, times them."""

# mypy: ignore-errors

from __future__ import annotations

import numpy as np

__all__ = ["RATE", "adam", "convnet", "mlp"]

RATE = 0.1


def _of_logits(logits, t):
    """The gradient of the mean cross entropy."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (powers / powers.sum(axis=1, keepdims=True) - t) / np.asarray(len(t), logits.dtype)


def _update(weights, gradients, z):
    """The new weights, one after the other."""
    at, rate = 0, np.asarray(RATE, z.dtype)
    for w, g in zip(weights, gradients, strict=True):
        z[at : at + w.size] = (w - g * rate).reshape(-1)
        at += w.size


def mlp(x, t, w1, b1, w2, b2, z):
    """Two layers with a ReLU between them."""
    h = np.maximum(x @ w1 + b1, 0)
    g = _of_logits(h @ w2 + b2, t)
    below = g @ w2.T * (h > 0)
    _update((w1, b1, w2, b2), (x.T @ below, below.sum(axis=0), h.T @ g, g.sum(axis=0)), z)


def _windows(x, size):
    """Every second one, along rows and columns."""
    return np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))[:, :, ::2, ::2]


def _convolved(windows, w, b):
    return np.tensordot(windows, w, ([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2) + b[:, None, None]


def convnet(x, t, w1, b1, w2, b2, w3, b3, z):
    """Two convolutions in steps of two with ReLUs, and a layer."""
    seen = _windows(x, 3)
    h = np.maximum(_convolved(seen, w1, b1), 0)
    seen_h = _windows(h, 3)
    k = np.maximum(_convolved(seen_h, w2, b2), 0)
    flat = k.reshape(len(x), -1)
    g = _of_logits(flat @ w3 + b3, t)
    gk = (g @ w3.T).reshape(k.shape) * (k > 0)
    gh = np.zeros_like(h)
    rows, columns = gk.shape[2:]
    for i in range(3):
        for j in range(3):
            part = np.tensordot(gk, w2[:, :, i, j], ([1], [0])).transpose(0, 3, 1, 2)
            gh[:, :, i : i + 2 * rows : 2, j : j + 2 * columns : 2] += part
    gh *= h > 0
    gradients = (
        np.tensordot(gh, seen, ([0, 2, 3], [0, 2, 3])), gh.sum(axis=(0, 2, 3)),
        np.tensordot(gk, seen_h, ([0, 2, 3], [0, 2, 3])), gk.sum(axis=(0, 2, 3)), flat.T @ g, g.sum(axis=0),
    )  # fmt: skip
    _update((w1, b1, w2, b2, w3, b3), gradients, z)


def adam(x, t, w, m, v, z):
    """A weight for each feature, the gradient of squared errors, and the tenth step of Adam."""
    g = 2 * (x * w - t) * x
    m = m * 0.9 + g * 0.1
    v = v * 0.999 + g * g * 0.001
    z[:] = w - m / (1 - 0.9**10) / (np.sqrt(v / (1 - 0.999**10)) + 1e-8) * RATE
