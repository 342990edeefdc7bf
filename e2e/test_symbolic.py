"""Sizes that are symbols, in a page on WebGPU: as many lanes as with numbers in their place, and never one; and in the
shaders that native launches run, too."""

from __future__ import annotations

import re
from typing import Any

import pytest

import hologram_web as hg
from tests.artifact.test_conditions import CHOICES, choice
from tests.artifact.test_symbolic import GEMM, SUM

from .browser import ROOT, Browser, JobFailed

pytestmark = pytest.mark.timeout(300)

COUNT, SIDES = 100_000, {"product": (100, 300, 7), "narrow": (100, 6, 7), "flat": (3, 300, 7)}
# Lanes of each launch: those of products make 8 x 8 elements each, or 2 x 2.
_LANES = {
    "sum": [("64", "1"), ("32", "1")],
    "product": [("40", "13")],
    "narrow": [("4", "25")],
    "flat": [("152", "2")],
}


def _files(name: str) -> tuple[hg.CompiledProgram, hg.CompiledProgram, dict[str, Any]]:
    """A program of symbols, the same of numbers, and what both take."""
    if name == "sum":
        numbers = hg.Program.from_text(SUM.replace("[x], n", f"[x], {COUNT}"))
        given: dict[str, Any] = {"x": [1.0] * COUNT, "n": COUNT}
        symbols = hg.compile(hg.Program.from_text(SUM), shapes={"x": ("n",), "y": (1,)})
        return symbols, hg.compile(numbers, shapes={"x": (COUNT,), "y": (1,)}), given
    m, n, k = SIDES[name]
    shapes = {"a": (m, k), "b": (k, n), "c": (m, n)}
    given = {"m": m, "n": n, "k": k, "beta": 0.5}
    given |= {each: {"data": [1.0] * (shape[0] * shape[1]), "shape": shape} for each, shape in shapes.items()}
    numbers = hg.Program.from_text(GEMM.replace(" m, n, k, beta", f" {m}, {n}, {k}, beta"))
    symbols = hg.compile(hg.Program.from_text(GEMM), shapes={"a": ("m", "k"), "b": ("k", "n"), "c": ("m", "n")})
    return symbols, hg.compile(numbers, shapes=shapes), given


@pytest.mark.parametrize("name", _LANES)
def test_launches_of_symbols_are_as_wide_as_those_of_numbers(browser: Browser, name: str) -> None:
    folder = ROOT / "build" / "symbolic"
    folder.mkdir(parents=True, exist_ok=True)
    *files, given = _files(name)
    told = []
    for file, kind in zip(files, ("symbols", "numbers"), strict=True):
        file.save(folder / f"{name}.{kind}.holo")
        inputs = {port.name: given[port.name] for port in file.ports if port.name in given}
        address = f"/build/symbolic/{name}.{kind}.holo"
        found = browser.run("functions.mjs", file=address, inputs=inputs, backend="webgpu", explained=True)
        told.append(found.json)
    lines = [line for each in told for line in each.splitlines()[1:]]
    assert all(re.search(r"; \d+\.\d{3} ms by the GPU's clock$", line) for line in lines)
    lanes = [re.findall(r": (\d+) x (\d+) x 1 lanes in", each) for each in told]
    assert lanes[0] == lanes[1]
    assert lanes[0] == _LANES[name], told[0]


def _explained(name: str, sizes: dict[str, int]) -> dict[str, Any]:
    """What a job is given to explain one of these."""
    compiled, scalars, arrays = choice(name, sizes)
    folder = ROOT / "build" / "symbolic"
    folder.mkdir(parents=True, exist_ok=True)
    compiled.save(folder / f"{name}.holo")
    inputs = scalars | {x: {"data": array.ravel().tolist(), "shape": array.shape} for x, array in arrays.items()}
    return {"file": f"/build/symbolic/{name}.holo", "inputs": inputs, "backend": "webgpu", "explained": True}


_OF_FLOATS = {name: found for name, found in CHOICES.items() if found[0] != "sums" and found[2] != [None]}


@pytest.mark.parametrize(("name", "sizes", "wanted"), _OF_FLOATS.values(), ids=_OF_FLOATS)
def test_a_page_takes_the_shader_that_native_launches_do(
    browser: Browser, name: str, sizes: dict[str, int], wanted: list[int]
) -> None:
    """As tests/artifact/test_conditions.py has it of these."""
    given = _explained(name, sizes)
    where, *told = browser.run("functions.mjs", **given).json.splitlines()
    assert where.startswith("on WebGPU on ")
    taken = [re.findall(r"(not )?the shader (without|with) (?:needless )?checks", line) for line in told]
    assert [[("not ", "without")] * number + [("", "without")] for number in wanted] == taken, told


def test_a_number_beyond_53_bits_proves_nothing_in_a_page(browser: Browser) -> None:
    """The shader with checks runs, and finds the fault."""
    name, sizes, _ = CHOICES["one beyond 53 bits"]
    with pytest.raises(JobFailed, match="OutOfBounds at instruction 4, "):
        browser.run("functions.mjs", **_explained(name, sizes))
