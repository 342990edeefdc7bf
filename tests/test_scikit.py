"""Estimators of scikit-learn on our arrays, by its array API path; examples of arrays beside it and NumPy."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

import hologram_web as hg
from examples.arrays.programs import clusters, heat, logistic

RNG = np.random.default_rng(193)
X = RNG.random((60, 5)).astype("f4")
Y = (X @ np.arange(5) + 0.1 * RNG.random(60)).astype("f4")
CLASSES = (np.mean(Y) < Y).astype("i4")

ESTIMATORS = """
import warnings
import numpy as np
from sklearn import config_context
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
import hologram_web as hg
from hologram_web import array_api as xp
from tests.test_scikit import CLASSES, X, Y

ESTIMATORS = {
    "PCA": lambda x, y, c: abs(PCA(2, svd_solver="full").fit(x).transform(x)),
    "Ridge": lambda x, y, c: Ridge(solver="svd").fit(x, y).predict(x),
    "LDA": lambda x, y, c: LinearDiscriminantAnalysis(solver="svd").fit(x, c).predict(x),
    "naive Bayes": lambda x, y, c: GaussianNB().fit(x, c).predict(x),
    "logistic regression": lambda x, y, c: LogisticRegression(solver="lbfgs").fit(x, c).predict(x),
    "scaler": lambda x, y, c: StandardScaler().fit_transform(x),
}
with hg.Executor("wasm") as ex, config_context(array_api_dispatch=True):
    given = [xp.asarray(each, device=ex) for each in (X, Y, CLASSES)]
    for name, run in ESTIMATORS.items():
        found = run(*given)
        assert type(found).__name__ == "Array", (name, type(found))
        np.testing.assert_allclose(found.numpy(), run(X, Y, CLASSES), rtol=2e-3, atol=2e-3, err_msg=name)
"""


def test_estimators_of_scikit_learn_take_arrays() -> None:
    """In a process of its own: SciPy reads whether it takes arrays of others when it is imported."""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    command = [sys.executable, "-W", "ignore", "-c", ESTIMATORS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_heat_is_what_numpy_computes(ex: hg.Executor) -> None:
    plate = RNG.random((9, 13)).astype("f4")
    wanted = plate.astype("f8")
    for _ in range(7):
        around = wanted[:-2, 1:-1] + wanted[2:, 1:-1] + wanted[1:-1, :-2] + wanted[1:-1, 2:]
        wanted[1:-1, 1:-1] += (around - 4 * wanted[1:-1, 1:-1]) * 0.2
    found = heat(ex.array(plate), 0.2, steps=7)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-6)


def test_clusters_are_those_of_scikit_learn(ex: hg.Executor) -> None:
    from sklearn.cluster import KMeans

    middles = RNG.normal(0, 5, (4, 2))
    points = (middles[RNG.integers(0, 4, 120)] + RNG.normal(0, 1, (120, 2))).astype("f4")
    centers, member = clusters(ex.array(points), ex.array(points[:4]))
    wanted = KMeans(4, init=points[:4], n_init=1, algorithm="lloyd", tol=0).fit(points)
    np.testing.assert_allclose(centers.numpy(), wanted.cluster_centers_, rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(member.numpy(), wanted.labels_)


def test_logistic_regression_is_that_of_scikit_learn(ex: hg.Executor) -> None:
    from sklearn.linear_model import LogisticRegression

    w = logistic(ex.array(X), ex.array(CLASSES.astype("f4")), 2.0).numpy()
    wanted = LogisticRegression(C=0.5, tol=1e-8, max_iter=1000).fit(X.astype("f8"), CLASSES)
    np.testing.assert_allclose(w, [*wanted.coef_[0], *wanted.intercept_], rtol=2e-3, atol=2e-3)
