"""The kernels of examples/twelve, unchanged: natively and in Pyodide, on numbers that another process drew."""

# mypy: ignore-errors

from __future__ import annotations

import base64
from array import array
from typing import Any

import pytest

import hologram_web as hg
from examples.twelve import kernels

from .programs import complexes

NAMES = [name for name, found in vars(kernels).items() if isinstance(found, hg.Kernel)]


def _array(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    numbers = memoryview(array(value["code"], base64.b64decode(value["data"]))).cast("B")
    if value["dtype"] == "complex64":
        return complexes(numbers.cast("f", [*value["shape"], 2]))
    return numbers.cast(value["code"], value["shape"])


def _flat(values: Any) -> list[Any]:
    if isinstance(values, complex):
        return [values.real, values.imag]
    return [leaf for part in values for leaf in _flat(part)] if isinstance(values, list) else [values]


def test_there_are_twelve() -> None:
    assert len(NAMES) == 12


@pytest.mark.parametrize("name", NAMES)
def test_launched(ex: hg.Executor, expected: Any, name: str) -> None:
    """What NumPy makes of it; on wasm the same bits as natively."""
    case = expected["twelve"][name]
    args = {key: _array(value) for key, value in case["args"].items()}
    lanes, block = (tuple(axis) if isinstance(axis, list) else axis for axis in case["launch"])
    getattr(kernels, name).on(ex.device)[lanes, block](**args)
    for key, wanted in case["wanted"].items():
        found = _flat(args[key].tolist())
        assert len(found) == len(wanted)
        assert all(abs(one - other) <= case["tolerance"][key] for one, other in zip(found, wanted, strict=True))
        if ex.device.name == "wasm":
            assert bytes(args[key]) == base64.b64decode(case["wasm"][key])
