"""Which operands are read where they lie, and which a kernel copies first, as docs/arrays.md says: explain() tells."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp

SHAPES = {"x": (4, 6), "y": (4, 3), "w": (6, 2), "s": (3, 4, 5), "one": (2, 4), "g": (6,), "f": (4,)}
SHAPES |= {"some": (2, 1, 4, 5), "all": (2, 3, 5, 4), "image": (1, 2, 5, 6), "k": (3, 2, 3, 3)}


@hg.kernel
def doubled(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    y[i] = x[i] * 2.0


def _doubled(x: Any) -> Any:
    return hg.call_kernel(doubled, {"y": x.shape}, x=x)


# What is computed, by which operation, and how many operands it has copied.
CASES: dict[str, tuple[Callable[[dict[str, Any]], Any], str, int]] = {
    "maps and reductions": (lambda a: (a["x"][1:, ::-2] * 2.0 + a["y"][:3]).sum(axis=0), "", 0),
    "matrices": (lambda a: a["x"] @ a["w"], "product", 0),
    "a transposed matrix": (lambda a: a["x"].T @ a["y"], "product", 0),
    "another shape": (lambda a: a["x"].reshape(2, 12) @ a["x"].reshape(12, 2), "product", 0),
    "transposed matrices of a stack": (lambda a: a["s"] @ a["s"].mT, "product", 0),
    "a matrix for all": (lambda a: a["one"] @ a["s"], "product", 0),
    "einsum of matrices": (lambda a: hg.ops.einsum("ji,jk->ik", a["x"], a["y"]), "product", 0),
    "rows from the second on": (lambda a: a["x"][1:] @ a["w"], "product", 1),
    "every second column": (lambda a: a["x"][:, ::2] @ a["y"][:3], "product", 2),
    "stacks of which some repeat": (lambda a: a["some"] @ a["all"], "product", 1),
    "einsum in another order": (lambda a: hg.ops.einsum("bij,bkj->ik", a["s"], a["s"]), "product", 2),
    "softmax along any axis": (lambda a: xp.softmax(a["s"], axis=0), "Softmax", 0),
    "softmax of another shape": (lambda a: xp.softmax(a["x"].reshape(8, 3)), "Softmax", 0),
    "running sums along any axis": (lambda a: xp.cumulative_sum(a["s"], axis=1), "CumSum", 0),
    "the greatest along any axis": (lambda a: xp.argmax(a["s"], axis=1), "ArgMax", 0),
    "a choice along any axis": (lambda a: a["s"].take(a["i"], axis=1), "Gather", 0),
    "softmax of a part": (lambda a: xp.softmax(a["x"][1:]), "Softmax", 1),
    "softmax in another order": (lambda a: xp.softmax(a["x"].T), "Softmax", 1),
    "sorted": (lambda a: xp.sort(a["x"]), "Sort", 0),
    "sorted along another axis": (lambda a: xp.sort(a["x"], axis=0), "Sort", 1),
    "transforms": (lambda a: xp.fft.fft(a["z"]), "FFT", 0),
    "transforms along another axis": (lambda a: xp.fft.fft(a["z"], axis=0), "FFT", 1),
    "a norm": (lambda a: hg.ops.layer_norm(a["x"].reshape(2, 2, 6), a["g"], a["g"]), "LayerNorm", 0),
    "a norm in another order": (lambda a: hg.ops.layer_norm(a["x"].T, a["f"], a["f"]), "LayerNorm", 1),
    "images": (lambda a: hg.ops.conv2d(a["image"], a["k"]), "Conv2D", 0),
    "images in another order": (lambda a: hg.ops.conv2d(a["image"].mT, a["k"]), "Conv2D", 1),
    "a kernel of one's own": (lambda a: _doubled(a["g"]), "doubled", 0),
    "a kernel of one's own on a view": (lambda a: _doubled(a["x"].reshape(24)), "doubled", 1),
}  # fmt: skip


@pytest.fixture(scope="module")
def given() -> Iterator[dict[str, Any]]:
    with hg.Executor("wasm") as ex:
        rng = np.random.default_rng(18)
        found: dict[str, Any] = {
            name: xp.asarray(rng.random(shape, np.float32), device=ex) for name, shape in SHAPES.items()
        }
        found["i"] = xp.asarray(np.array([3, 1], np.int32), device=ex)
        found["z"] = xp.asarray(rng.random((4, 6), np.float32).astype(np.complex64), device=ex)
        yield found


@pytest.mark.parametrize("name", CASES)
def test_copies_are_told(given: dict[str, Any], name: str) -> None:
    make, reader, count = CASES[name]
    text = make(given).explain()
    told = [line for line in text.splitlines() if ": a copy: " in line]
    assert len(told) == count, text
    assert all(line.endswith(f": a copy: {reader} takes elements as they lie in memory") for line in told), text


def test_copies_in_functions_and_loops_are_told(given: dict[str, Any]) -> None:
    soft = hg.function(lambda x: xp.softmax(x.T) @ x)
    assert soft.explain(given["x"]).count(": a copy: Softmax takes elements as they lie in memory") == 1
    scanned = hg.function(lambda x: hg.scan(lambda c, v: (c + 1.0, xp.softmax(v.T)), x[0, 0] * 0.0, x)[1])
    assert "  map[" in scanned.explain(given["s"])
    assert scanned.explain(given["s"]).count(": a copy: Softmax takes") == 1


def test_why_nothing_is_computed_on_in_softmax_is_told(given: dict[str, Any]) -> None:
    why = "what is computed of it is a kernel behind it: "
    why += "its text keeps exponentials in the result until their sum is known"
    for name in ("softmax", "log_softmax"):
        soft = getattr(xp, name)(given["x"])
        assert why not in soft.explain()
        lines = [line for line in (soft * 2.0).explain().splitlines() if line.endswith(f": {why}")]
        assert len(lines) == 1
        assert lines[0].startswith("softmax_")
    normed = hg.ops.layer_norm(given["x"], given["g"], given["g"]) * 2.0
    assert why not in normed.explain()
