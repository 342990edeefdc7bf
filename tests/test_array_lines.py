"""Faults of arrays name the lines that asked for what faulted, and Buffers do what arrays of NumPy do."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp

DEVICES = ("cpu", "wasm", "webgpu")


@pytest.fixture(params=DEVICES)
def executor(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    with hg.Executor(request.param) as found:
        assert found.backend.selected == request.param
        yield found


def notes(error: pytest.ExceptionInfo[BaseException]) -> str:
    return "\n".join(error.value.__notes__)


def test_a_division_names_its_line(executor: hg.Executor) -> None:
    a = executor.array([1, 2, 3])
    harmless = a // 2
    wrong = a // 0  # this line
    with pytest.raises(hg.ExecutionError, match="DivisionByZero") as error:
        (wrong + 1).tolist()
    assert "wrong = a // 0  # this line" in notes(error)
    assert "asked for in\n" in notes(error)
    assert harmless.tolist() == [0, 1, 1]


def test_several_divisions_are_told_as_such(executor: hg.Executor) -> None:
    a, b = executor.array([1, 2, 3]), executor.array([1, 0, 3])
    first = a // b
    second = a % b
    with pytest.raises(hg.ExecutionError, match="DivisionByZero") as error:
        (first + second).numpy()
    told = notes(error)
    assert "asked for in one of\n" in told
    assert "first = a // b" in told
    assert "second = a % b" in told


def test_an_index_on_the_device_names_its_line(executor: hg.Executor) -> None:
    x, rows = executor.array([1.0, 2.0], hg.f32), executor.array([0, 5])
    divided = executor.array([4, 4]) // 2
    chosen = x[rows]  # beyond
    with pytest.raises(hg.ExecutionError, match="OutOfBounds") as error:
        (chosen * divided).tolist()
    assert "chosen = x[rows]  # beyond" in notes(error)
    assert "divided" not in notes(error)
    assert x[executor.array([1, 0])].tolist() == [2.0, 1.0]  # the next one has nothing of it


def test_floats_have_no_line(executor: hg.Executor) -> None:
    x = executor.array([1.0, 0.0], hg.f32)
    assert (x / 0).node.line is None
    assert (x // 2).node.line is None
    assert x.sum().node.line is None


def test_a_function_names_the_line_that_was_traced(executor: hg.Executor) -> None:
    @hg.function
    def ratio(a: Any, b: Any) -> Any:
        return a // b  # in the function

    a = executor.array([1, 2])
    assert ratio(a, executor.array([1, 2])).tolist() == [1, 1]
    with pytest.raises(hg.ExecutionError, match="DivisionByZero") as error:
        ratio(a, executor.array([1, 0])).tolist()
    assert "return a // b  # in the function" in notes(error)


@pytest.mark.parametrize("key", [[2], np.array([0, -3]), ([0, 1], [1, 3]), [[0], [4]]])
def test_an_index_of_the_hosts_is_looked_at_at_once(key: Any) -> None:
    with hg.Executor("cpu") as ex:
        x = ex.zeros((2, 3))
        with pytest.raises(IndexError, match="is beyond axis"):
            x[key]
        with pytest.raises(IndexError, match="is beyond axis"):
            x[key] = 1.0


def test_buffers_do_what_arrays_of_numpy_do(executor: hg.Executor) -> None:
    mine, x = np.arange(6, dtype=np.float32).reshape(2, 3), executor.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    waiting = x * 2
    for key, value in (((0, slice(None)), 9), ((slice(None), 1), [7, 8]), ([1], mine[:1] + 1)):
        mine[key] = value
        x[key] = value
    x[x > 8] = -1
    mine[mine > 8] = -1
    np.testing.assert_array_equal(x.numpy(), mine)
    assert waiting.tolist() == [[0, 2, 4], [6, 8, 10]]
    assert -1.0 in x
    assert 77 not in x
    assert f"{x.sum():.3f}" == f"{mine.sum():.3f}"
    assert not executor.array([0.0])
    assert executor.array(3).item() == 3
    assert float(executor.array([2.5])) == 2.5
    with pytest.raises(hg.LaunchError, match="is no number: it has 6 elements"):
        bool(x)
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{x:.2f}"


def test_copies_keep_their_elements(executor: hg.Executor) -> None:
    x = executor.array([1, 2, 3])
    for made in (copy.copy(x), copy.deepcopy(x), copy.deepcopy({"x": xp.asarray(x)})["x"]):
        x[0] = 10
        assert made.tolist() == [1, 2, 3]
        assert made.executor is executor
        x[0] = 1
    with pytest.raises(TypeError, match=r"pickle its elements, x.numpy\(\)"):
        pickle.dumps(x)


def test_a_device_is_an_executor() -> None:
    with pytest.raises(hg.LaunchError, match=r"device is an Executor, .* not 'gpu'"):
        xp.zeros(3, device="gpu")  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "instead"), [("einsum", "ops.einsum"), ("linalg", "array_api.linalg")])
def test_a_name_that_lies_elsewhere_says_where(name: str, instead: str) -> None:
    with pytest.raises(AttributeError, match=f"has no '{name}': write hologram_web.{instead}"):
        getattr(hg, name)
