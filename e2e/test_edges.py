"""The rows of examples/edges in Chromium: artifacts from files, and from Python that compiles in the page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import numpy as np
import pytest

from examples.edges import reference
from examples.edges.chromium import CHROMIUM, ROOT, Chromium, InChromium, figures
from examples.edges.pictures import photograph
from examples.edges.rows import Expected, Scipy, measure
from examples.edges.tasks import Settings, Task, make_tasks, save

pytestmark = pytest.mark.timeout(600)  # shaders are compiled on the processor, and Pyodide starts twice

FOLDER = ROOT / "build" / "e2e" / "edges"


@pytest.fixture(scope="module")
def tasks() -> Iterator[dict[str, Task]]:
    found = make_tasks(photograph()[90:153, 170:245], Settings(rounds=4))
    save(found, FOLDER)
    yield found
    shutil.rmtree(FOLDER)


def test_every_row_equals_the_reference(tasks: dict[str, Task]) -> None:
    with Chromium(FOLDER) as chromium:
        runners = [InChromium(title, chromium) for title in CHROMIUM]
        scipy, *rows = measure([Scipy(), *runners], tasks, 1, lambda _: None)
        found = figures(chromium, runners)
    exact = reference.float_planes(**tasks["floats"].args, dtype=np.float64)
    assert [row.title for row in rows] == list(CHROMIUM)
    for row in rows:
        assert not row.error, f"{row.title}: {row.error}"
        row.compare(Expected(scipy.planes, exact))
        assert (row.differing_integers, row.max_ulp) == (0, 0), row.differing
        assert row.adapter
        assert row.adapter.endswith(", no GPU") is ("WebGPU" in row.title)
        assert row.good
    assert not [figure.error for figure in found if figure.error]
    assert all(figure.value for figure in found)
