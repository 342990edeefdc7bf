"""Functions of arrays as files, in JavaScript: the classifier of digits, and control flow, in Node and in pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from examples.digits.data import drawn
from examples.digits.model import classifier, trained
from hologram_web import array_api as xp
from tests.where import in_node

from .browser import ROOT, Browser, NoBrowser

pytestmark = pytest.mark.timeout(300)

COUNT = 20


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        with Browser() as found:
            yield found
    except NoBrowser as error:
        pytest.skip(str(error))


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
