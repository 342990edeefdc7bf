"""A slice of tests/matrix.py, and what it found: operations of arrays against NumPy."""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp

from .matrix import TYPES, checks, failure
from .matrix_cases import CASES

_OTHERS = {  # they compute nothing of arrays, or are no functions
    "array_like", "arange", "asarray", "broadcast_to", "can_cast", "default_executor", "empty", "empty_like", "eye",
    "finfo", "from_dlpack", "full", "full_like", "iinfo", "isdtype", "linspace", "ones", "ones_like", "result_type",
    "zeros", "zeros_like", "fft", "linalg", "broadcast_shapes",
}  # fmt: skip


@pytest.mark.parametrize(("device", "count"), [("wasm", 400), ("webgpu", 130), ("cpu", 130)])
def test_a_slice_of_the_matrix(device: str, count: int) -> None:
    with hg.Executor(device) as ex:
        wrong = {str(check): told for check in checks(seed=19)[:count] if (told := failure(ex, check))}
    assert not wrong


def test_the_matrix_has_every_function_of_the_namespace() -> None:
    """But those that make arrays of nothing, or only say something."""
    named = " ".join([*CASES, *(name for case in CASES.values() for name in case.run.__code__.co_names)])
    words = set(named.replace(",", "").split())
    missing = {name for name in xp.__all__ if callable(getattr(xp, name)) and not isinstance(getattr(xp, name), type)}
    assert sorted(missing - words - _OTHERS) == []
    assert {each.ty for each in checks()} == set(TYPES)
    assert min(Counter(each.case for each in checks()).values()) > 10
    pairs = Counter((each.case, each.ty) for each in checks())
    assert Counter((each.case, each.ty) for each in checks(each=2)) == Counter(dict.fromkeys(pairs, 2))


def test_a_wrong_result_is_told() -> None:
    with hg.Executor("wasm") as ex:
        check = next(each for each in checks(only="floor") if each.shape == (13,) and each.ty == "f32")
        wrong = CASES["ceil"]
        right, CASES[check.case] = CASES[check.case], wrong.__class__(lambda p, x: x if p is np else x + 1, "f")
        try:
            assert "of 13 differ, at (0,)" in failure(ex, check)
        finally:
            CASES[check.case] = right


@pytest.mark.parametrize("ty", ["i8", "i32", "i64", "u8", "u32", "u64"])
def test_powers_of_integers(ex: hg.Executor, ty: str) -> None:
    name = f"{ty[0]}{int(ty[1:]) // 8}"
    given = np.array([0, 1, 2, 3, 7, 100], name)
    x = xp.asarray(given, device=ex)
    for exponent in (0, 1, 2, 65):  # which wraps
        assert (x**exponent).tolist() == (given ** np.array(exponent, name)).tolist()
    assert (x ** xp.asarray(given % 5, device=ex)).tolist() == (given ** (given % 5)).tolist()
    if ty[0] == "i":
        less = xp.asarray(np.array([1, -1, -1, 2], name), device=ex) ** xp.asarray(
            np.array([-1, -2, -3, -1], name), device=ex
        )
        assert less.tolist() == [1, 1, -1, 0]


@pytest.mark.parametrize("of", ["mean", "var", "std"])
def test_means_of_16_bits_are_summed_in_32(ex: hg.Executor, of: str) -> None:
    given = np.tile(np.array([30000, -30000, 1000], "f2"), 50)
    found: Any = operator.methodcaller(of)(xp.asarray(given.astype("f4") / 128, device=ex).astype(hg.f16))
    assert found.dtype is hg.f16
    expected = float(getattr(np, of)(given.astype("f4") / 128))
    assert float(found.astype(hg.f32)) == pytest.approx(expected, rel=2e-3)


def test_means_that_sums_of_16_bits_do_not_hold(wasm: hg.Executor) -> None:
    x = wasm.full(9000, 10, hg.f16)
    assert float(hg.ops.mse_loss(x, 0.0).astype(hg.f32)) == 100.0
    assert float(xp.linalg.vector_norm(xp.asarray(x)).astype(hg.f32)) == pytest.approx(10 * 9000**0.5, rel=1e-3)


def test_products_of_no_complex_numbers(ex: hg.Executor) -> None:
    for shape, axis in (((0, 3), 0), ((3, 0), 0), ((3, 0), 1), ((0,), None)):
        given = np.zeros(shape, "c8")
        np.testing.assert_array_equal(xp.prod(xp.asarray(given, device=ex), axis=axis).numpy(), given.prod(axis=axis))
