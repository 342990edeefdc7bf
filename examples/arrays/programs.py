"""Heat, clusters and a classifier, as functions of arrays."""

from __future__ import annotations

from typing import Any

import hologram_web as hg
from hologram_web import array_api as xp

__all__ = ["clusters", "heat", "logistic"]


@hg.function(static=("steps",))
def heat(u: Any, rate: Any, *, steps: int) -> Any:
    """A plate after so many steps: each point gets a part of what its neighbours have more. The edges stay."""

    def step(u: Any, _: Any) -> Any:
        inner = u[1:-1, 1:-1]
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        after = xp.asarray(u, copy=True)
        after[1:-1, 1:-1] = inner + (around - inner * 4.0) * rate
        return after, None

    return hg.scan(step, u, xp.zeros(steps))[0]


@hg.function
def clusters(points: Any, centers: Any) -> Any:
    """Lloyd's k-means from centers on, until they no longer move: the centers, and the cluster of each point."""

    def nearest(centers: Any) -> Any:
        distances = (centers * centers).sum(axis=1) - 2.0 * (points @ centers.T)
        return distances.argmin(axis=1)

    def step(state: Any) -> Any:
        centers, _ = state
        member = hg.ops.one_hot(nearest(centers), centers.shape[0], centers.dtype)
        counts = member.sum(axis=0)[:, None]
        means = xp.where(counts > 0, (member.T @ points) / xp.maximum(counts, 1.0), centers)
        return means, xp.max(xp.abs(means - centers))

    centers, _ = hg.while_loop(lambda state: state[1] > 0, step, (centers, xp.asarray(1.0)))
    return centers, nearest(centers)


@hg.function(static=("rounds",))
def logistic(x: Any, y: Any, strength: Any, *, rounds: int = 12) -> Any:
    """Weights, the last one of the constant, that make `y` (0 or 1) the likeliest, with a penalty of `strength / 2` on
    the squares of the others: Newton's method."""
    count, width = x.shape
    rows = xp.concat([x, xp.ones((count, 1), dtype=x.dtype)], axis=1)
    penalty = xp.concat([xp.ones(width, dtype=x.dtype), xp.zeros(1, dtype=x.dtype)]) * strength

    def loss(w: Any) -> Any:
        scores = rows @ w
        return (hg.ops.softplus(scores) - y * scores).sum() + 0.5 * (penalty * w * w).sum()

    def step(w: Any, _: Any) -> Any:
        p = hg.ops.sigmoid(rows @ w)
        curvature = (rows.T * (p * (1.0 - p))) @ rows + xp.eye(width + 1, dtype=x.dtype) * penalty
        return w - xp.linalg.solve(curvature, hg.grad(loss)(w)), None

    return hg.scan(step, xp.zeros(width + 1, dtype=x.dtype), xp.zeros(rounds))[0]
