"""The TypeScript runtime on WebAssembly in Firefox, and where it lacks shared memory and relaxed SIMD, as in Safari."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from . import cases, crews, relaxed, samples
from .browser import WITH_WORKERS, NoBrowser
from .firefox import Firefox
from .test_runtime import answers_of, wrong_of
from .test_threads import is_right

pytestmark = pytest.mark.timeout(600)

ABSENT = {"javascript.options.wasm_relaxed_simd": False}


@pytest.fixture(scope="module")
def bundle() -> int:
    samples.written()
    crews.write()
    return cases.written()


@pytest.fixture(scope="module")
def firefox(bundle: int) -> Iterator[Firefox]:
    try:
        with Firefox(headers=WITH_WORKERS) as found:
            yield found
    except NoBrowser as error:
        pytest.skip(str(error))


def test_filetests(firefox: Firefox, bundle: int) -> None:
    assert firefox.run("features.mjs").json == {"isolated": True, "shared": True, "relaxed": True}
    found = firefox.run("conformance.mjs", "page", 200, backend="wasm")
    assert found.json["threads"]["number"] > 1
    answers = answers_of(found)
    assert len(answers) == bundle > 2500
    assert not wrong_of(answers, "wasm")


def test_filetests_in_a_worker(firefox: Firefox, bundle: int) -> None:
    """Where it starts no workers if it is not told to: Firefox may sleep for ever then (web/src/backends/wasm.ts)."""
    found = firefox.run("conformance.mjs", "worker", 200, backend="wasm")
    assert found.json["threads"] == {"number": 1, "reason": "workers of workers may hang in Firefox"}
    answers = answers_of(found)
    assert len(answers) == bundle
    assert not wrong_of(answers, "wasm")


def test_fast_files(firefox: Firefox) -> None:
    relaxed.write()
    relaxed.is_right(firefox.run("relaxed.mjs", "page", 60).json, True)


def test_threads(firefox: Firefox) -> None:
    """All launches are shared, by a build for tests."""
    found = firefox.run("threads.mjs", "page", 240, number=3, all=True, runtime=crews.all_shared()).json
    assert found["threads"] == {"number": 3, "reason": "it was asked for"}
    assert found["met"] is True, "blocks run at the same time"
    assert (found["workers"], found["left"]) == (2, 0)
    is_right(found)


def test_without_shared_memory_and_relaxed_simd(bundle: int) -> None:
    """A plain page has no shared memory."""
    try:
        with Firefox(ABSENT, "/e2e/page.html?plain") as firefox:
            assert firefox.run("features.mjs").json == {"isolated": False, "shared": False, "relaxed": False}
            relaxed.write()
            relaxed.is_right(firefox.run("relaxed.mjs", "page", 60).json, False)
            answers = answers_of(firefox.run("conformance.mjs", "page", 500, backend="wasm", step=4))
            assert len(answers) == -(-bundle // 4)
            assert not wrong_of(answers, "wasm")
    except NoBrowser as error:
        pytest.skip(str(error))
