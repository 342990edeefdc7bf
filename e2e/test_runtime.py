"""The TypeScript runtime in Chromium: in a page and in a worker, on WebAssembly and on WebGPU."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from . import cases, samples
from .browser import Browser, NoBrowser, Result

pytestmark = pytest.mark.timeout(1600)  # shaders are compiled on the processor

PLACES = [(where, backend) for backend in ("wasm", "webgpu") for where in ("page", "worker")]

# SwiftShader computes F32, and bf16 with it, without subnormal numbers; these run lines are about them.
_LINES = {
    "arithmetic/add_float": (18,),
    "arithmetic/div_float": (18, 20),
    "arithmetic/mad_float": (22,),
    "arithmetic/mul_float": (18, 19),
    "arithmetic/rcp": (13, 15),
    "arithmetic/rsqrt": (12,),
    "arithmetic/sqrt": (12, 13),
    "arithmetic/sub_float": (18,),
    "collective/parallel_map_binary_float": (24,),
    "collective/parallel_map_float": (27,),
    "transcendental/atan2": (19,),  # it begins with a quotient
}
SUBNORMAL = {f"{path}.atlas:{ty}:{line}" for path, lines in _LINES.items() for line in lines for ty in ("bf16", "f32")}
SUBNORMAL |= {"collective/overlap.atlas:6", "sync/atom_add_f32_special.atlas:11"}
WIDE_BLOCKS = "and maxComputeInvocationsPerWorkgroup is 256 on this adapter"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    samples.written()
    try:
        with Browser() as found:
            yield found
    except NoBrowser as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def bundle() -> int:
    return cases.written()


@pytest.mark.parametrize(("where", "backend"), PLACES)
def test_runtime(browser: Browser, where: str, backend: str) -> None:
    found = browser.run("runtime.mjs", where, backend=backend)
    assert found.json["info"]["selected"] == backend
    failed = {name: text for name, text in found.json["found"].items() if text is not None}
    assert not failed, "\n".join(f"{name}: {text}" for name, text in failed.items())
    assert len(found.json["found"]) > 15


def answers_of(found: Result) -> dict[str, cases.Answer]:
    def cut(place: list[int]) -> bytes:
        return found.blob[place[0] : place[0] + place[1]]

    return {
        answer["id"]: cases.Answer({name: cut(place) for name, place in answer["outputs"].items()}, answer["error"])
        for answer in found.json["answers"]
    }


def wrong_of(answers: dict[str, cases.Answer], device: str) -> dict[str, str]:
    problems = {name: cases.judge(name, answer, device) for name, answer in answers.items()}
    return {name: problem for name, problem in problems.items() if problem is not None}


def test_filetests_on_wasm(browser: Browser, bundle: int) -> None:
    found = browser.run("conformance.mjs", backend="wasm")
    answers = answers_of(found)
    assert len(answers) == bundle > 2500
    assert not wrong_of(answers, "wasm")
    again = answers_of(browser.run("conformance.mjs", "worker", backend="wasm"))
    # An endless loop is ended by the clock or by the count of turns, whichever is first: busy machines differ.
    differ = {name for name, answer in again.items() if answer != answers[name]}
    timed = {row["id"] for row in json.loads((cases.BUILD / "cases.json").read_text()) if row["seconds"] is not None}
    assert differ <= timed
    assert not wrong_of(again, "wasm")


@pytest.mark.parametrize("where", ["page", "worker"])
def test_filetests_on_webgpu(browser: Browser, bundle: int, where: str) -> None:
    """Each third, with E2E_STEP=1 all of them: of these one of three in a worker, which hands the same shaders to the
    same adapter, the others in a page. Natively tests/test_filetests.py runs all."""
    step = int(os.environ.get("E2E_STEP", "3"))
    every, these = 3 * step, [0] if where == "worker" else [step, 2 * step]
    found = browser.run("conformance.mjs", where, 1500, backend="webgpu", these=these, step=every)
    answers = answers_of(found)
    rows = [row for k, row in enumerate(json.loads((cases.BUILD / "cases.json").read_text())) if k % every in these]
    assert len(rows) >= len(these) * (bundle // every)
    assert list(answers) == [row["id"] for row in rows if row["seconds"] is None or row["webgpu"]]
    flushed = SUBNORMAL & set(answers)
    wrong = wrong_of(answers, "webgpu")
    for name, problem in sorted(wrong.items()):
        case = cases.cases()[name]
        if WIDE_BLOCKS in problem:
            assert problem.startswith("LaunchError"), name
        elif case.test.runs_on("webgpu"):
            assert name in flushed, f"{name}: {problem}"
    assert flushed <= set(wrong), "these are right: take them out of SUBNORMAL"
    assert found.json["info"]["adapter"]["inexact"] == ["subnormals"]


def test_one_saxpy_and_the_edges_plan_are_timed(browser: Browser) -> None:
    """Prints what loading and running takes; nothing is asserted on times."""
    for backend in ("wasm", "webgpu"):
        found = browser.run("times.mjs", backend=backend)
        print(backend, json.dumps(found.json))
        assert set(found.json) == {"saxpy", "edges"}
