"""examples/digits: what it learns, on every device, and with the same bits on one thread and on two."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import numpy as np
import pytest

import hologram_web as hg
from examples.digits.data import drawn
from examples.digits.model import accuracy, classifier, initial, trained
from hologram_web import nn

TRAIN, TEST = drawn(1000, 1), drawn(200, 2)
FEW = drawn(300, 1)


def by_numpy(params, images, labels, epochs):
    """The same training, written in NumPy: forward, backward and Adam."""
    x, y = np.array(images, "f4"), np.array(labels)
    w = [params[0]["w"], params[0]["b"], params[2]["w"], params[2]["b"]]
    m, v = [0 * each for each in w], [0 * each for each in w]
    for number, first in enumerate([*range(0, len(x), 50)] * epochs, 1):
        a, t = x[first : first + 50], np.eye(10, dtype="f4")[y[first : first + 50]]
        h = np.maximum(a @ w[0].T + w[1], 0)
        scores = h @ w[2].T + w[3]
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        g = (p / p.sum(axis=1, keepdims=True) - t) / len(a)
        back = (g @ w[2]) * (h > 0)
        for n, each in enumerate((back.T @ a, back.sum(axis=0), g.T @ h, g.sum(axis=0))):
            m[n] = 0.9 * m[n] + 0.1 * each
            v[n] = 0.999 * v[n] + 0.001 * each * each
            w[n] = w[n] - 0.03 * (m[n] / (1 - 0.9**number)) / (np.sqrt(v[n] / (1 - 0.999**number)) + 1e-8)
    return w


def test_it_learns_the_same_with_one_thread_and_with_two() -> None:
    files = []
    for threads in (1, 2):
        with hg.Executor("wasm", threads=threads) as ex:
            params, losses = trained(ex, *TRAIN, epochs=8)
            assert losses[-1] < 0.1 < losses[0]
            assert accuracy(ex, params, *TEST) > 0.93
            files.append(nn.save(params))
    assert files[0] == files[1]


@pytest.mark.parametrize("device", ["cpu", "wasm"])
def test_it_learns_what_numpy_does(device: str) -> None:
    with hg.Executor(device) as ex:
        start = hg.tree_map(lambda p: p.numpy(), initial(ex))
        params, _ = trained(ex, *FEW, epochs=2)
        found = [params[0]["w"], params[0]["b"], params[2]["w"], params[2]["b"]]
        for one, other in zip(found, by_numpy(start, *FEW, epochs=2), strict=True):
            np.testing.assert_allclose(one.numpy(), other, rtol=1e-3, atol=1e-4)
        compiled = hg.load(classifier(ex, params).to_bytes())
        images = np.array(TEST[0][:7], "f4")
        read = ex.run(compiled, images=images)
        h = np.maximum(images @ found[0].numpy().T + found[1].numpy(), 0) @ found[2].numpy().T + found[3].numpy()
        np.testing.assert_array_equal(read["digits"], h.argmax(axis=1))
        np.testing.assert_allclose(read["scores"].sum(axis=1), np.ones(7), rtol=1e-5)
