"""Block operations, records, complex numbers, random numbers, constants, rows: launched, and from a file."""

# mypy: ignore-errors

from __future__ import annotations

from typing import Any

import pytest

import hologram_web as hg

from .second_part import CASES


def _flat(values: Any) -> list[Any]:
    """Numbers one after the other; a complex one is two."""
    if isinstance(values, complex):
        return [values.real, values.imag]
    return [leaf for part in values for leaf in _flat(part)] if isinstance(values, list) else [values]


def _check(found: Any, left: list[Any]) -> None:
    assert _flat(found.tolist()) == pytest.approx(_flat(left), rel=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_launched(ex: hg.Executor, name: str) -> None:
    case = CASES[name]()
    case.kernel.on(ex.device)[case.lanes, case.block](**case.args)
    for key, left in case.left.items():
        _check(case.args[key], left)


@pytest.mark.parametrize("name", CASES)
def test_from_a_file(ex: hg.Executor, name: str) -> None:
    case = CASES[name]()
    compiled = hg.load(hg.compile(case.kernel, lanes=case.lanes, block=case.block).to_bytes())
    args = dict(case.args)
    if name == "records":
        del args["world"]
        args |= {"world.size.low": 0.5, "world.size.high": 4.0, "world.gain": 1.5}
    if name == "waves":
        c = args.pop("c")
        args |= {"c.real": c.real, "c.imag": c.imag}
    found = compiled.run(ex, **args)
    for key, left in case.left.items():
        _check(found[key] if isinstance(found, dict) else found, left)
