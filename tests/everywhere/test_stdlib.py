"""The standard library in every place: the bits that native Python on wasm gave, which tests/stdlib compares with
NumPy. WHERE_SIZES="2047 65537" takes other sizes."""

from __future__ import annotations

from typing import Any

import pytest

import hologram_web as hg
from hologram_web import stdlib
from hologram_web.backends import DEVICES
from hologram_web.store.blake3 import blake3

from .stdlib_cases import arguments, lanes


@pytest.mark.parametrize("name", ["wasm", "webgpu"])
def test_all_kernels(name: str, expected: Any) -> None:
    assert expected["stdlib"].keys() == set(stdlib.NAMES)
    try:
        device = DEVICES[name]()
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))
    for kernel, sizes in expected["stdlib"].items():
        for size, results in sizes.items():
            args = arguments(kernel, int(size))
            stdlib.kernel(kernel).on(device)[lanes(kernel, args)](**args)
            for array, wanted in results.items():
                assert blake3(args[array].tobytes()).hex() == wanted, (kernel, size, array)
