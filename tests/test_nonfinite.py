"""What GPUs make of infinities and NaN under math="exact": the same as the reference, whatever shader compilers prove.

Operations on one value twice, on zeros and ones, on what is loaded twice or comes out of a loop: what a compiler
would fold that leaves NaN out of account. Quotients are of numbers whose results are exact.
"""

# mypy: ignore-errors

from __future__ import annotations

import warnings

import numpy as np
import pytest

import hologram_web as hg

from .collective import Case, run
from .fuzz.devices import reference

FORMS = {
    "x-x": "y[i] = x[i] - x[i]",
    "v-v": "v = x[i]\ny[i] = v - v",
    "v+(-v)": "v = x[i]\ny[i] = v + (-v)",
    "-v+v": "v = x[i]\ny[i] = -v + v",
    "v*0": "y[i] = x[i] * 0.0",
    "0*v": "y[i] = 0.0 * x[i]",
    "v*z": "y[i] = x[i] * z",
    "v*za": "y[i] = x[i] * a[0]",
    "v/v": "v = x[i]\ny[i] = v / v",
    "x/x": "y[i] = x[i] / x[i]",
    "0-v": "y[i] = 0.0 - x[i]",
    "v-0": "y[i] = x[i] - 0.0",
    "0/v": "y[i] = 0.0 / x[i]",
    "v/0": "y[i] = x[i] / 0.0",
    "v*1": "y[i] = x[i] * 1.0",
    "v/1": "y[i] = x[i] / 1.0",
    "(v+w)-w": "v = x[i]\nw = b[i]\ny[i] = (v + w) - w",
    "(v+w)-(w+v)": "v = x[i]\nw = b[i]\ny[i] = (v + w) - (w + v)",
    "v*w-v*w": "v = x[i]\nw = b[i]\ny[i] = v * w - v * w",
    "v*w/w": "v = x[i]\nw = b[i]\ny[i] = v * w / w",
    "2v-v": "v = x[i]\ny[i] = 2.0 * v - v",
    "v==v": "v = x[i]\ny[i] = 1.0 if v == v else 2.0",
    "v!=v": "v = x[i]\ny[i] = 1.0 if v != v else 2.0",
    "v<v": "v = x[i]\ny[i] = 1.0 if not v < v else 2.0",
    "v<=v": "v = x[i]\ny[i] = 1.0 if v <= v else 2.0",
    "not v<w": "v = x[i]\nw = b[i]\ny[i] = 1.0 if not v < w else 2.0",
    "min": "y[i] = min(x[i], b[i])",
    "max": "y[i] = max(x[i], b[i])",
    "max0": "y[i] = max(x[i], 0.0)",
    "abs": "v = x[i]\ny[i] = abs(v) - v",
    "sqrt2": "v = hg.sqrt(x[i])\ny[i] = v * v - v * v",
    "fma": "v = x[i]\ny[i] = hg.fma(v, 0.0, 1.0)",
    "fma2": "v = x[i]\ny[i] = hg.fma(v, 1.0, -v)",
    "phi": "v = x[i]\nw = v\nfor k in range(2):\n    w = x[i]\ny[i] = v - w",
    "shared": "t = hg.shared(hg.f32, 64)\nt[hg.local_id()] = x[i]\ny[i] = t[hg.local_id()] - x[i]",
    "local": "t = hg.local(hg.f32, 4)\nt[i & 3] = x[i]\ny[i] = t[i & 3] - x[i]",
    "select": "v = x[i]\ny[i] = hg.select(b[i] > 0, v, x[i]) - v",
    "min-": "v = min(x[i], b[i])\ny[i] = v - min(b[i], x[i])",
    "f16": "y[i] = hg.f16(x[i]) - hg.f16(x[i])",
    "clamp": "y[i] = hg.clamp(x[i], -1.0, 1.0)",
    "lerp": "y[i] = hg.lerp(x[i], x[i], b[i])",
    "v%v": "v = x[i]\ny[i] = v % v",
    "floor": "v = x[i]\ny[i] = hg.floor(v) - v",
    "sum": "s = 0.0\nfor k in range(len(x)):\n    s += x[k] * b[k]\ny[i] = s - s",
    "bits": "v = x[i]\ny[i] = hg.bitcast(hg.f32, hg.bitcast(hg.u32, v)) - v",
}
X = np.array([1.5, -0.0, 0, np.inf, -np.inf, np.nan, -2, 3e38], "f4")
B = np.array([2, 1, -1, 3, np.inf, 1, np.nan, 3e38], "f4")


@pytest.fixture(scope="module", params=["wasm", "webgpu"])
def device(request):
    return hg.backends.DEVICES[request.param]()


@pytest.mark.parametrize("name", FORMS)
def test_nothing_is_folded(device, name):
    arrays = ", ".join(f"{array}: hg.Array[hg.f32]" for array in "abxy")
    lines = "".join(f"    {line}\n" for line in FORMS[name].split("\n"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hg.SignWarning)
        kernel = hg.kernel_from_source(f"def k(z: hg.f32, {arrays}):\n    i = hg.global_id()\n{lines}")
    expected, found = np.zeros(8, "f4"), np.zeros(8, "f4")
    for where, y in (("cpu", expected), (device, found)):
        kernel.on(where)[8, 8](0.0, np.zeros(1, "f4"), B, X, y)
    same = (found.view("u4") == expected.view("u4")) | (np.isnan(found) & np.isnan(expected))
    assert same.all(), f"{expected.tolist()} expected, {found.tolist()} found"


@pytest.mark.parametrize("name", ["attention", "flash_attention"])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_values_that_are_not_seen(device, name, value):
    """They are NaN, or left out: whoever sees them has what `cpu` has."""
    length, dim = 40, 8
    given = np.random.default_rng(5)
    arrays = {each: given.standard_normal(length * dim) for each in ("output", "query", "key", "value")}
    arrays["value"][(length - 1) * dim + 1] = value  # of the last key, which the last query sees
    text = f"[output], [query], [key], [value], 1, 1, {length}, {length}, {dim}, causal=true"
    case = Case(text, arrays)
    wanted, found = (run(each, name, "f32", case)["output"] for each in (reference(), device))
    arrays["value"] = np.where(np.isfinite(arrays["value"]), arrays["value"], 0)
    seen = run(reference(), name, "f32", case)["output"]
    last = slice((length - 1) * dim, length * dim)
    np.testing.assert_allclose(found[last], wanted[last], rtol=1e-4)
    assert np.isnan(wanted).sum() >= length - 1
    left_out = np.isclose(found, seen, rtol=1e-4, atol=1e-6)
    assert (np.isnan(found) & np.isnan(wanted) | left_out)[: last.start].all()
