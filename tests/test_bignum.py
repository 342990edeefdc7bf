"""The example `examples/bignum`: every number of every plan on every native device equals that of Python's integers."""

# mypy: ignore-errors

from __future__ import annotations

import random

import pytest
from click.testing import CliRunner

import hologram_web as hg
from examples.bignum import reference
from examples.bignum.__main__ import main, measure
from examples.bignum.kernels import P
from examples.bignum.tasks import make_tasks

TASKS = make_tasks(70)


def _compare(device, task):
    found = task.found(task.plan().run(device, **task.given()))
    for given, got, wanted in zip(zip(*task.args.values(), strict=True), found, task.expected(), strict=True):
        assert got == wanted, f"{task.name} of {given}"


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("device", ["cpu", "wasm"])
def test_every_number(device, name):
    _compare(hg.backends.DEVICES[device](), TASKS[name])


def test_a_shader():
    """llvmpipe compiles the others for long: e2e/test_bignum.py has them, and `python -m examples.bignum`."""
    try:
        device = hg.backends.WebGpuBackend()
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))
    _compare(device, TASKS["multiply"])


def test_the_reference_is_the_textbook():
    rows = zip(*TASKS["add"].args.values(), strict=True)
    kinds = set()
    for x1, y1, z1, x2, y2 in rows:
        p, q = reference.affine(x1, y1, z1), (x2, y2)
        found = reference.sum_of(p, q)
        assert reference.affine(*reference.add(x1, y1, z1, x2, y2)) == found
        assert found == (0, 0) or (found[1] ** 2 - found[0] ** 3 - 3) % P == 0
        kinds.add((p == (0, 0), q == (0, 0), p == q, found == (0, 0)))
    # infinity on either side and on both, equal points, inverse points, others
    assert kinds == {
        (True, True, True, True),
        (True, False, False, False),
        (False, True, False, False),
        (False, False, True, False),
        (False, False, False, True),
        (False, False, False, False),
    }
    order = 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001
    assert reference.multiples(3)[2] == reference.sum_of(reference.sum_of((1, 2), (1, 2)), (1, 2))
    assert _times(order, (1, 2)) == (0, 0)
    assert _times(order + 1, (1, 2)) == (1, 2)


def _times(number, point):
    total = (0, 0)
    for bit in f"{number:b}":
        total = reference.sum_of(total, total)
        if bit == "1":
            total = reference.sum_of(total, point)
    return total


def test_montgomery_form_and_back():
    values = [0, 1, P - 1, random.Random(2).randrange(P)]
    assert reference.from_montgomery(reference.to_montgomery(values)) == values


def test_a_difference_is_counted():
    task = make_tasks(1)["multiply"]
    wrong = {"wasm": 0}
    device = hg.backends.WasmBackend()
    measure(task, {"wasm": device}, 1, wrong)
    assert wrong == {"wasm": 0}
    task = type(task)(task.name, task.args, task.results, lambda a, b: 0 if a == 1 else a * b % P)
    measure(task, {"wasm": device}, 1, wrong)
    assert 0 < wrong["wasm"] < task.count


def test_the_program():
    result = CliRunner().invoke(main, ["--device", "wasm", "--count", "20", "--rounds", "1"])
    assert result.exit_code == 0, result.output
    assert [
        word for word in ("multiply", "power", "add", "affine", "Python", "wasm") if word not in result.output
    ] == []
    assert CliRunner().invoke(main, ["--device", "abacus"]).exit_code == 2
