"""Functions of arrays as files, in JavaScript: the classifier of digits, control flow, and weights in a second file, in
Node and in pages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from examples.digits.data import drawn
from examples.digits.model import classifier, trained
from hologram_web import array_api as xp
from tests.where import in_node

from .browser import ROOT, Browser

pytestmark = pytest.mark.timeout(300)

COUNT = 20


def _settled(values: Any, most: Any) -> Any:
    """Rounds until all are below a bound, then sums on the way."""
    times, small = hg.while_loop(
        lambda state: state[1].max() > most, lambda state: (state[0] + 1, state[1] * 0.5), (xp.asarray(0), values)
    )
    last, kept = hg.scan(lambda total, value: (total + value, total), small[0] * 0.0, small)
    turned = hg.cond(last > 1.0, lambda kept: kept * -1.0, lambda kept: kept, kept)
    return {"times": times, "kept": turned}


@pytest.fixture(scope="module")
def jobs() -> dict[str, tuple[str, dict[str, Any], dict[str, Any]]]:
    """Of each job the file, what it is given, and what it gives natively."""
    folder = ROOT / "build" / "functions"
    folder.mkdir(parents=True, exist_ok=True)
    images = np.array(drawn(COUNT, 2)[0], "f4")
    values = np.linspace(0.5, 9.0, 6, dtype="f4")
    with hg.Executor("wasm") as ex:
        params, _ = trained(ex, *drawn(300, 1), epochs=2)
        digits = classifier(ex, params)
        settled = hg.function(_settled, device=ex).compile(hg.Array[hg.f32, (6,)], hg.f32)
        digits.save(folder / "digits.holo")
        settled.save(folder / "settled.holo")
        return {
            name: (
                "digits",
                {"images": {"data": some.ravel().tolist(), "shape": some.shape}},
                ex.run(digits, images=some),
            )
            for name, some in (("digits", images), ("one digit", images[:1]))
        } | {
            "settled": ("settled", {"values": values.tolist(), "most": 1.5}, ex.run(settled, values=values, most=1.5)),
        }


def _check(found: dict[str, Any], wanted: dict[str, Any], exact: bool) -> None:
    assert set(found) == set(wanted)
    for name, array in wanted.items():
        have = np.array(found[name], array.dtype).reshape(array.shape)
        if exact or array.dtype.kind == "i":
            np.testing.assert_array_equal(have, array)
        else:
            np.testing.assert_allclose(have, array, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["digits", "one digit", "settled"])
def test_in_node(jobs: Any, name: str) -> None:
    file, inputs, wanted = jobs[name]
    found = in_node("functions.mjs", {"file": f"/build/functions/{file}.holo", "inputs": inputs, "backend": "wasm"})
    _check(found, wanted, exact=True)


@pytest.mark.parametrize("backend", ["wasm", "webgpu"])
@pytest.mark.parametrize("name", ["digits", "one digit", "settled"])
def test_in_pages(browser: Browser, jobs: Any, name: str, backend: str) -> None:
    file, inputs, wanted = jobs[name]
    args = {"file": f"/build/functions/{file}.holo", "inputs": inputs, "backend": backend}
    _check(browser.run("functions.mjs", **args).json, wanted, exact=backend == "wasm")


@pytest.fixture(scope="module")
def weighty() -> tuple[dict[str, Any], np.ndarray]:
    """What the job of weights is given, and what the function gives natively."""
    folder = ROOT / "build" / "functions"
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(3)
    with hg.Executor("wasm") as ex:
        layers = [ex.array(rng.normal(size=size).astype("f4")) for size in ((64, 300), (300, 120), (120, 7))]

        def network(x: Any) -> Any:
            for weights in layers:
                x = xp.tanh(x @ weights)
            return x

        compiled = hg.function(network, device=ex).compile(hg.Array[hg.f32, ("n", 64)])
        compiled.save(folder / "weighty.holo", weights="weighty.safetensors", least=1)
        x = rng.normal(size=(5, 64)).astype("f4")
        found = ex.run(hg.load(folder / "weighty.holo"), x=x)
    args = {"file": "/build/functions/weighty.holo", "weights": "/build/functions/weighty.safetensors"}
    return {**args, "x": x.ravel().tolist(), "shape": x.shape}, found


def _check_weights(given: dict[str, Any], wanted: np.ndarray, exact: bool) -> None:
    assert list(given["found"]) == ["beside", "address", "bytes", "blob", "response", "stream"]
    for name, values in given["found"].items():
        _check({name: values}, {name: wanted}, exact)
    total = 4 * (64 * 300 + 300 * 120 + 120 * 7)
    assert given["told"][-1] == [total, total]
    assert given["told"] == sorted(given["told"])
    assert len(given["told"]) == 6  # two, three and one piece of 65,536 bytes
    damaged, cut, missing, ended = given["errors"]
    assert "constant layers.2 in 'weighty.safetensors' is damaged: its 3360 bytes do not have the hash" in damaged
    assert "constant layers.2 in 'weighty.safetensors', 3360 bytes at" in cut
    assert "constant layers.0 is in 'weighty.safetensors', which cannot be read: Error: status 404" in missing
    assert ended.startswith("ExecutionError: Cancelled")
    assert given["kept"] == 0


@pytest.mark.parametrize("where", ["page", "worker"])
@pytest.mark.parametrize("backend", ["wasm", "webgpu"])
def test_weights_are_streamed_in_pages(browser: Browser, weighty: Any, backend: str, where: str) -> None:
    args, wanted = weighty
    _check_weights(browser.run("weights.mjs", where, backend=backend, **args).json, wanted, exact=backend == "wasm")
