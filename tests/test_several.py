"""Buffers of several devices, combined and joined."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import hologram_web as hg

NAMES = ("webgpu", "wasm", "cpu", "wasm")


@pytest.fixture(scope="module")
def several() -> Iterator[list[hg.Executor]]:
    found = [hg.Executor(name) for name in NAMES]
    yield found
    for each in found:
        each.close()


@pytest.mark.parametrize(("operation", "combine"), [("sum", np.add), ("product", np.multiply), ("max", np.maximum)])
@pytest.mark.parametrize("dtype", ["f4", "i4", "u1", "f8"])
def test_all_have_what_all_are_combined(
    several: list[hg.Executor], operation: str, combine: np.ufunc, dtype: str
) -> None:
    rng = np.random.default_rng(3)
    given = [(rng.random((3, 50)) * 5).astype(dtype) for _ in several]
    buffers = [ex.array(x) for ex, x in zip(several, given, strict=True)]
    hg.all_reduce(operation, *buffers)
    wanted = given[0]
    for x in given[1:]:
        wanted = combine(wanted, x)
    for each in buffers:
        assert each.numpy().tobytes() == wanted.tobytes()
        assert each.shape == (3, 50)


def test_all_have_what_all_are_joined(several: list[hg.Executor]) -> None:
    given = [np.arange(5 * rows, dtype="f4").reshape(rows, 5) for rows in (2, 0, 3, 1)]
    buffers = [ex.array(x) for ex, x in zip(several, given, strict=True)]
    found = hg.all_gather(*buffers)
    for ex, each in zip(several, found, strict=True):
        assert each.executor is ex
        np.testing.assert_array_equal(each.numpy(), np.concatenate(given))
    for each, x in zip(buffers, given, strict=True):
        np.testing.assert_array_equal(each.numpy(), x)


def test_halves_keep_their_type(several: list[hg.Executor]) -> None:
    buffers = [ex.array([1.5, -2.0], hg.bf16) for ex in several]
    hg.all_reduce("sum", *buffers)
    assert [each.tolist() for each in buffers] == [[6.0, -8.0]] * len(buffers)
    assert {each.dtype for each in hg.all_gather(*buffers)} == {hg.bf16}


def test_of_one_and_of_none(several: list[hg.Executor]) -> None:
    x = several[1].array(np.arange(3, dtype="f4"))
    hg.all_reduce("min", x)
    hg.all_reduce("min")
    assert x.tolist() == [0, 1, 2]
    assert hg.all_gather() == []
    (joined,) = hg.all_gather(x)
    assert joined.tolist() == [0, 1, 2]


def test_what_does_not_go_together_is_told(several: list[hg.Executor]) -> None:
    x, y = several[0].zeros((2, 3)), several[1].zeros((2, 4))
    with pytest.raises(hg.LaunchError, match=r"number 1 has the shape \(2, 4\) of f32, and number 0 \(2, 3\) of f32"):
        hg.all_reduce("sum", x, y)
    with pytest.raises(hg.LaunchError, match=r"all_gather: number 1 has the shape \(2, 4\)"):
        hg.all_gather(x, y)
    with pytest.raises(hg.LaunchError, match="of i32, and number 0"):
        hg.all_gather(x, several[1].zeros((2, 3), hg.i32))
    with pytest.raises(hg.LaunchError, match="by sum, product, min or max, not 'mean'"):
        hg.all_reduce("mean", x)
    with pytest.raises(hg.LaunchError, match="takes buffers of numbers: number 0 is 3"):
        hg.all_reduce("sum", 3)  # type: ignore[arg-type]
    with pytest.raises(hg.LaunchError, match="along the first axis: number 0 has none"):
        hg.all_gather(several[1].zeros(()))
