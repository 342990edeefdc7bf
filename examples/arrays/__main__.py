"""`python -m examples.arrays`: a plate that cools, clusters of points, and a classifier, on a device."""

from __future__ import annotations

import argparse
import time

import numpy as np

import hologram_web as hg

from .programs import clusters, heat, logistic


def main() -> None:
    """Runs all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="wasm")
    parser.add_argument("--size", type=int, default=128, help="of the plate")
    given = parser.parse_args()
    rng = np.random.default_rng(19)
    with hg.Executor(given.device) as ex:
        plate = np.zeros((given.size, given.size), "f4")
        plate[0] = 100
        began = time.perf_counter()
        found = heat(ex.array(plate), 0.2, steps=200).numpy()
        print(f"heat: {found[1:-1, 1:-1].mean():.3f} degrees on average after 200 steps, {_took(began)}")
        centers = rng.normal(0, 10, (5, 2))
        points = (centers[rng.integers(0, 5, 2000)] + rng.normal(0, 1, (2000, 2))).astype("f4")
        began = time.perf_counter()
        _, member = clusters(ex.array(points), ex.array(points[:5]))
        print(f"k-means: clusters of {np.bincount(member.numpy(), minlength=5).tolist()} points, {_took(began)}")
        x = rng.normal(0, 1, (1000, 6)).astype("f4")
        y = (x @ np.arange(6) + rng.normal(0, 1, 1000) > 0).astype("f4")
        began = time.perf_counter()
        w = logistic(ex.array(x), ex.array(y), 1.0).numpy()
        right = ((x @ w[:-1] + w[-1] > 0) == (y > 0.5)).mean()
        print(f"logistic regression: {100 * right:.1f} % are right, {_took(began)}")


def _took(began: float) -> str:
    return f"{1e3 * (time.perf_counter() - began):.0f} ms with compiling"


if __name__ == "__main__":
    main()
