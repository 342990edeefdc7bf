"""The benchmarks: whoever does a case, by hand or not, gets what NumPy gets. Small sizes; nothing is timed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from bench import launch
from bench.__main__ import check, sides
from bench.by_hand import Gpu, variants
from bench.cases import CASES, block_sum, blur, mandelbrot, saxpy, total
from hologram_web.backends import DEVICES

SMALL = {
    "saxpy": partial(saxpy, 1024),
    "sum": partial(total, 5000),
    "block_sum": partial(block_sum, 1024),
    "mandelbrot": partial(mandelbrot, 32, 50),
    "blur": partial(blur, 16),
}


@pytest.fixture(scope="module")
def gpu():
    return Gpu()


def test_every_case_is_here():
    assert list(SMALL) == list(CASES)
    assert {name for name, make in SMALL.items() if variants(make())} == {"saxpy", "block_sum", "mandelbrot"}


@pytest.mark.parametrize("name", SMALL)
def test_all_sides_agree(name, gpu):
    case = SMALL[name]()
    names = []
    for side, _, peer in sides(case, gpu, DEVICES):
        check(case, side, peer)
        names.append(side)
    assert {"cpu", "wasm", "NumPy"} <= set(names)
    assert ("our WGSL" in names) == (name != "sum")
    assert len(names) == len(set(names))


def test_all_launches_agree(capsys):
    names = [side.name for side in launch.sides()]  # each is checked
    assert names[:3] == ["wasm, Buffers", "wasm, NumPy arrays", "wasm, the engine's own call"]
    told = capsys.readouterr().out
    assert ("left out: Numba, which is not installed" in told) != ("Numba, NumPy arrays" in names)


@pytest.mark.parametrize("name", ["saxpy", "block_sum", "mandelbrot"])
def test_a_wrong_result_ends_the_benchmark(name):
    case = SMALL[name]()
    wrong = case.peer().ravel().astype(np.float64) + 1
    with pytest.raises(SystemExit, match="results are not NumPy's: nothing was timed"):
        check(case, "wasm", (lambda: 0.0, lambda: wrong))
