"""Operations of the tensor library are as near to F64 as they have to be: some cases of `python -m tests.accuracy`."""

from __future__ import annotations

import numpy as np
import pytest

from hologram_web.backends import WasmBackend
from hologram_web.isa import Type
from hologram_web.tensor.families import operation

from . import accuracy


@pytest.fixture(scope="module")
def wasm():
    with WasmBackend() as device:
        yield device


@pytest.mark.parametrize("name", accuracy.CASES)
def test_operations_are_near_to_f64(wasm, name):
    for number, ty in enumerate((Type.F32, Type.BF16, Type.F32)):
        assert accuracy.share(wasm, name, ty, np.random.default_rng((7, number))) <= 1


def test_a_wrong_result_is_seen(wasm, monkeypatch):
    monkeypatch.setattr(accuracy, "operation", lambda name: _Other())
    assert accuracy.share(wasm, "RoPE", Type.F32, np.random.default_rng(8)) > 1


class _Other:
    """A reference of which nearly everything is right."""

    @staticmethod
    def reference(np, o, input, freqs):
        right = operation("RoPE").reference
        assert right is not None
        turned = right(np, o, input=input, freqs=freqs).ravel()
        turned[0] += 1e-5 * abs(turned).max()
        return turned
