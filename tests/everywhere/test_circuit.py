"""Circuits: text, and programs in buffers and in class memory, without NumPy."""

from __future__ import annotations

import math
from array import array

import pytest

import hologram_web as hg
from hologram_web import circuit
from hologram_web.circuit import Call


def test_text() -> None:
    found = circuit.canonicalize("copy@c05->c06 . mark@c21 . copy@c05->c06 . mark@c21 . merge@c[0..95]")
    assert (found.text, found.applied_rules, found.reduction_pct) == ("merge@c[0..95]", ["H² = I", "I absorb"], 80.0)
    assert circuit.evaluate_bytes("R-1 T+5 ~@ ((copy@c05 . evaluate@c21^+1~@2) || swap@c72)") == [0xC4, 0xE6, 0x8A]
    assert circuit.evaluate_words("R-1@ swap@c72") == ["→ρ[3]", "swap", "←ρ[3]"]
    with pytest.raises(hg.TranslateError) as caught:
        circuit.parse("mark@c01 .\nmark@c96")
    assert str(caught.value) == "2:6: syntax error: class index out of range at 16: 96 is not from 0 to 95"
    assert (caught.value.line, caught.value.column, caught.value.offset) == (2, 6, 16)


def test_buffers(ex: hg.Executor) -> None:
    x, y = ex.array(array("f", [-1, 0, 0.5, 2])), ex.array(array("f", [3, 2, 1, 0]))
    z = ex.zeros(4)
    names = {0: "x", 1: "y", 2: "z"}
    circuit.compile("split@c00[c01,c02] . swap@c01<->c02 . merge:max@c01[c02,c01]", bindings=names).run(
        ex, 3, x=x, y=y, z=z
    )
    assert (y.numpy().tolist(), z.numpy().tolist()) == ([3, 2, 1, 0], [3, 2, 1, 0])
    circuit.compile("merge:gelu@c00[c01,c02]", bindings=names).run(ex, 4, x=x, z=z)
    wanted = [v / 2 * math.erfc(-v / math.sqrt(2)) for v in (-1, 0, 0.5, 2)]
    assert z.numpy().tolist() == pytest.approx(wanted, rel=1e-6)


def test_class_memory(ex: hg.Executor) -> None:
    source = ex.array(array("f", range(4000)))
    out = ex.zeros(4000)
    circuit.compile("merge@c[10..11] . copy@c10->c20", bindings={(10, 11): ("x", "x")}).run(ex, 3000, x=source)
    back = circuit.compile("merge:abs@c[0..1]", bindings={(0, 1): (10, "out")})
    back.run(ex, 3000, out=out)
    assert out.numpy().tolist()[:3000] == [2 * number for number in range(3000)]
    circuit.compile("copy@c20->c00", bindings={0: "out"}).run(ex, 3000, out=out)
    assert out.numpy().tolist()[2999] == 5998
    circuit.compile("merge:max@c[10..11]", bindings={(10, 11): ("x", "x")}).run(ex, 4000, x=source)
    back.run(ex, 4000, out=out)
    assert out.numpy().tolist() == list(range(4000))


def test_reductions(ex: hg.Executor) -> None:
    names = {0: "x", 1: "y", 2: "z"}
    x, y, z = ex.array(array("f", [1, 5, 2, 5])), ex.zeros(4), ex.zeros(1)
    circuit.compile([Call.Softmax(0, 1, None), Call.ReduceSum(1, 2, 3)], bindings=names).run(ex, 4, x=x, y=y, z=z)
    powers = [math.exp(v - 5) for v in (1, 5, 2, 5)]
    assert y.numpy().tolist() == pytest.approx([power / sum(powers) for power in powers], rel=1e-6)
    assert z.numpy().tolist() == pytest.approx([sum(powers[:3]) / sum(powers)], rel=1e-6)
    circuit.compile([Call.ReduceMin(0, 2, 0)], bindings=names).run(ex, x=x, z=z)
    assert z.numpy().tolist() == [math.inf]
