"""Compiled circuits on every device, against NumPy."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import circuit
from hologram_web.backends import DEVICES
from hologram_web.circuit import Call

PER = 3072  # elements of a class
CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))["cases"]
_erfc = np.vectorize(math.erfc, otypes=["f8"])
UNARY: dict[str, Callable] = {
    "Abs": np.abs,
    "Exp": np.exp,
    "Log": np.log,
    "Sqrt": np.sqrt,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Tanh": np.tanh,
    "Gelu": lambda x: np.where(x == -np.inf, -0.0, x / 2 * _erfc(-x / math.sqrt(2))),
}
BINARY: dict[str, Callable] = {
    "Add": np.add,
    "Mul": np.multiply,
    "Min": np.minimum,
    "Max": np.maximum,
    "Sub": np.subtract,
    "Div": np.divide,
}
EXACT = {"Add", "Mul", "Min", "Max", "Sub", "Abs"}
SPECIAL = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 2, -2, 0.5, 88, -88, 1e-3, 3.5, -5.25, 12], "f4")


@pytest.fixture(scope="module", params=list(DEVICES))
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    wanted = request.config.getoption("--device")
    if wanted not in (None, request.param):
        pytest.skip(f"--device {wanted}")
    try:
        executor = hg.Executor(request.param)
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))
    with executor:
        yield executor


def _put(ex: hg.Executor, c: int, values: Any) -> None:
    raw = np.ascontiguousarray(values, "f4").view(np.uint8)
    ex.class_memory(c)[: len(raw)] = raw


def _get(ex: hg.Executor, c: int, n: int = PER, dtype: str = "f4") -> Any:
    return np.asarray(ex.class_memory(c)).view(dtype)[:n].copy()


def _inputs(seed: int, n: int) -> Any:
    values = np.random.default_rng(seed).normal(0, 3, n).astype("f4")
    values[: len(SPECIAL)] = np.random.default_rng(seed + 1).permutation(SPECIAL)
    return values


def _check(found: Any, variant: str, *inputs: Any) -> None:
    """The bits of exact operations, else an error of at most 8 units in the last place of F32."""
    with np.errstate(all="ignore"):
        if variant in EXACT:
            np.testing.assert_array_equal(found, (BINARY | UNARY)[variant](*inputs))
            return
        wide = [values.astype("f8") for values in inputs]
        wanted = (BINARY | UNARY)[variant](*wide)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted.astype("f4")))
        np.testing.assert_allclose(found, wanted.astype("f4"), rtol=8 * 2**-24, atol=1e-37, equal_nan=True)


@pytest.mark.parametrize("variant", [*UNARY, *BINARY])
def test_variants_in_class_memory_and_in_buffers(ex, variant):
    """Element-wise calls leave elements from n on alone."""
    n = 300
    inputs = [_inputs(seed, n) for seed in (1, 2)][: 2 if variant in BINARY else 1]
    generator = "split" if variant in ("Sub", "Div") else "merge"
    text = f"{generator}:{variant.lower()}@c10[c11,c12]"
    _put(ex, 10, inputs[0])
    _put(ex, 11, inputs[-1])
    _put(ex, 12, np.full(n, 7))
    circuit.compile(text).run(ex, n - 1)
    _check(_get(ex, 12, n - 1), variant, *(values[: n - 1] for values in inputs))
    assert _get(ex, 12, n)[n - 1] == 7

    compiled = circuit.compile(text, bindings={10: "x", 11: "y", 12: "z"})
    names = [param.name for param in compiled.program.params]
    assert names == (["x", "y", "z", "n"] if variant in BINARY else ["x", "z", "n"])
    with ex.zeros(n) as z, ex.array(inputs[0]) as x, ex.array(inputs[-1]) as y:
        compiled.run(ex, n, **{name: {"x": x, "y": y, "z": z}[name] for name in names[:-1]})
        _check(z.numpy(), variant, *inputs)


@pytest.mark.parametrize("case", [case for case in CASES if "execution" in case], ids=lambda case: case["id"])
def test_executions_of_the_specification(ex, case):
    before, after = case["execution"]["before"], case["execution"]["after"]
    compiled = circuit.compile(case["source"], bindings=dict(zip((0, 1, 2, 5, 6), "ABCAB", strict=True)))
    buffers = {name: ex.array(np.array(values, "f4")) for name, values in before.items()}
    used = [param.name for param in compiled.program.params if param.kind == "buffer"]
    compiled.run(ex, 4, **{name: buffers[name] for name in used})
    assert {name: buffer.numpy().tolist() for name, buffer in buffers.items()} == after


def test_classes_chain_and_swap(ex):
    x, y = _inputs(3, PER), _inputs(4, PER)
    _put(ex, 0, x)
    _put(ex, 1, y)
    compiled = circuit.compile(
        "split@c00[c01,c02] . swap@c00<->c02 . R+1@ copy@c00->c02 . mark@c21 . merge:max@c24[c01,c01]"
    )
    assert [call.call for call in compiled.calls] == ["Split", "Swap", "Copy", "Mark", "Merge"]
    _put(ex, 24, [5])
    compiled.run(ex, PER)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(_get(ex, 0), x - y)
    np.testing.assert_array_equal(_get(ex, 2), x)
    np.testing.assert_array_equal(_get(ex, 26), _get(ex, 24))


@pytest.mark.parametrize("n", [0, 1, 31, 2049, PER])
def test_reductions_and_softmax(ex, n):
    x = np.random.default_rng(n).normal(0, 2, PER).astype("f4")
    _put(ex, 3, x)
    _put(ex, 4, np.full(PER, 9))
    calls = [
        Call.ReduceSum(3, 5, n),
        Call.ReduceMin(3, 6, None),
        Call.ReduceMax(src=3, dst=7, n=n),
        Call.Softmax(3, 4, n),
        Call.Merge(4, 3, 8),
        Call.ReduceSum(8, 9, None),
    ]
    circuit.compile(calls).run(ex, n)
    found = [_get(ex, c, 1)[0] for c in (5, 6, 7)]
    assert found[0] == pytest.approx(x[:n].sum(dtype="f8"), rel=1e-5, abs=1e-4)
    assert found[1:] == ([x[:n].min(), x[:n].max()] if n else [np.inf, -np.inf])
    powers = np.exp(x[:n].astype("f8") - x[:n].max(initial=-np.inf))
    np.testing.assert_allclose(_get(ex, 4, n), powers / powers.sum(), rtol=1e-6)
    assert (_get(ex, 4)[n:] == 9).all()
    np.testing.assert_array_equal(_get(ex, 8, n), _get(ex, 4, n) + x[:n])
    assert _get(ex, 9, 1)[0] == pytest.approx(_get(ex, 8, n).sum(dtype="f8"), rel=1e-5, abs=1e-4)


def _long(ex: hg.Executor, start: int, n: int) -> Any:
    return np.concatenate([_get(ex, start + chunk) for chunk in range(-(-max(n, 1) // PER))])[:n]


@pytest.mark.parametrize("n", [0, 1, PER + 1, 10 * PER])
def test_ranges(ex, n):
    a, b = _inputs(5, 10 * PER), _inputs(6, 10 * PER)
    for c in range(30, 50):
        _put(ex, c, np.full(PER, 7))
    compiled = circuit.compile("merge:mul@c[30..39] . merge:tanh@c[40..49]", bindings={(40, 49): 30})
    assert compiled.capacity == 10 * PER
    with ex.array(a) as left, ex.array(b) as right:
        compiled.run(ex, n, a=left, b=right)
    _check(_long(ex, 30, n), "Mul", a[:n], b[:n])
    _check(_long(ex, 40, n), "Tanh", _long(ex, 30, n))
    whole = _long(ex, 30, 20 * PER)
    assert (whole[n : 10 * PER] == 7).all()
    assert (whole[10 * PER + n :] == 7).all()


def test_the_whole_class_memory_and_a_bound_result(ex):
    n = 96 * PER
    a = np.arange(n, dtype="f4")
    with ex.array(a) as left, ex.array(a[::-1].copy()) as right, ex.zeros(n) as out:
        circuit.compile("merge@c[0..95]").run(ex, n, a=left, b=right)
        assert (_get(ex, 0) == n - 1).all()
        assert (_get(ex, 95) == n - 1).all()
        bound = circuit.compile("merge:min@c[0..95]", bindings={(0, 95): ("p", "q", "r")})
        bound.run(ex, n, p=left, q=right, r=out)
        np.testing.assert_array_equal(out.numpy(), np.minimum(a, a[::-1]))
    ex.reset_class_memory()


def test_beyond_the_end(ex):
    compiled = circuit.compile("merge:abs@c[2..3]", bindings={(2, 3): "x"})
    with ex.zeros(3 * PER) as x:
        with pytest.raises(hg.LaunchError) as caught:
            compiled.run(ex, 2 * PER + 1, x=x)
        assert str(caught.value) == (
            "the circuit works on 6145 elements: give a number from 0 to 6144, which its ranges hold"
        )
        _put(ex, 4, [3])
        program, config = compiled.program, hg.LaunchConfig.linear(2 * PER + 1)
        with pytest.raises(hg.ExecutionError, match=r"OutOfBounds.*lane 6144: page 48 does not exist"):
            _synced(ex, program, config, n=2 * PER + 1, x=x)
    assert _get(ex, 4, 1)[0] == 3
    single = circuit.compile("copy@c05->c06")
    with pytest.raises(hg.ExecutionError, match="outside class 5, which has 12288 bytes"):
        _synced(ex, single.program, hg.LaunchConfig.linear(PER + 1), n=PER + 1)


def _synced(ex: hg.Executor, program: hg.Program, config: hg.LaunchConfig, **params: Any) -> None:
    ex.run(program, config, **params)
    ex.sync()


def test_bindings_at_the_launch_and_handles(ex):
    x = np.arange(5000, dtype="f4")
    with ex.array(x) as source, ex.zeros(5000) as target:
        ex.bind_class(5, source)
        ex.bind_class(6, target)
        circuit.compile("copy@c05->c06").run(ex, 5000)
        np.testing.assert_array_equal(target.numpy(), x)
        ex.bind_class(5, None)
        ex.bind_class(6, None)
        circuit.compile("merge@c05[c06,c07]", bindings={5: source, 6: target.handle, 7: target}).run(ex, 5000)
        np.testing.assert_array_equal(target.numpy(), 2 * x)
    typed = hg.TypedBuffer.allocate(ex.device, hg.f32, 9)
    typed.copy_to(range(9))
    circuit.compile("merge:mul@c05[c05,c05]", bindings={5: typed}).run(ex, 9)
    assert typed.copy_from().tolist() == [number**2 for number in range(9)]
    with pytest.raises(hg.LaunchError, match="the circuit works on n elements: say how many"):
        circuit.compile("copy@c05->c06").run(ex)


def test_an_artifact(ex, tmp_path):
    """A circuit's program is one like others: it can be kept in a file."""
    program = circuit.compile("merge:mul@c00[c01,c02]", bindings={0: "x", 1: "y", 2: "z"}).program
    hg.compile(program, shapes={name: ("size",) for name in "xyz"}).save(tmp_path / "circuit.holo")
    x, y = np.arange(5, dtype="f4"), np.full(5, 3, "f4")
    found = ex.run(hg.load(tmp_path / "circuit.holo"), x=x, y=y, n=5)
    np.testing.assert_array_equal(found, x * y)


@pytest.mark.parametrize("ty", [hg.i32, hg.u8, hg.u64, hg.f16], ids=str)
def test_types(ex, ty):
    per = 12288 // ty.size_bytes
    a = np.arange(2 * per).astype(ty.numpy)
    with ex.array(a, ty) as x:
        load = circuit.compile("merge@c[50..51]", bindings={(50, 51): ("x", "x")}, ty=ty)
        assert load.capacity == 2 * per
        load.run(ex, 2 * per, x=x)
    found = np.concatenate([_get(ex, c, per, ty.numpy) for c in (50, 51)])
    np.testing.assert_array_equal(found, a + a)


@pytest.mark.parametrize("seed", range(2))
def test_ranges_that_lie_across_one_another(ex, seed):
    """Other lanes see an element in another range: a fence is between them."""
    n = 2 * PER + 100
    rng = random.Random(seed)
    model = np.random.default_rng(seed).integers(-50, 50, 12 * PER).astype("f4")
    for chunk in range(12):
        _put(ex, 60 + chunk, model[chunk * PER :][:PER])
    calls: list[Call] = []
    bindings: dict[Any, Any] = {}
    for _ in range(5):
        start, other = rng.sample(range(6), 2)
        other = bindings.setdefault((60 + start, 62 + start), (60 + (start if abs(start - other) < 3 else other),) * 2)[
            0
        ]
        calls.append(Call.MergeRange(60 + start, 62 + start, rng.choice(["Add", "Max", "Mul"])))
        source = model[(other - 60) * PER :][:n].copy()
        model[start * PER :][:n] = BINARY[calls[-1].variant](source, source)
    circuit.compile(calls, bindings=bindings).run(ex, n)
    np.testing.assert_array_equal(np.concatenate([_get(ex, 60 + chunk) for chunk in range(12)]), model)


def test_long_programs_are_divided(ex):
    """More calls than a shader should hold, each of them on what the one before left."""
    _put(ex, 0, np.ones(9))
    _put(ex, 1, np.arange(9))
    compiled = circuit.compile(" . ".join(["merge@c00[c01,c00]"] * 150))
    assert sum(instruction.row.collective for instruction in compiled.program.instructions) == 2
    compiled.run(ex, 9)
    np.testing.assert_array_equal(_get(ex, 0, 9), 1 + 150 * np.arange(9))
