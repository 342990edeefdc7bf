"""Calls and programs: what `compile` makes and what it refuses."""

from __future__ import annotations

import copy
import pickle

import pytest

import hologram_web as hg
from hologram_web import circuit
from hologram_web.circuit import Call


def test_the_program_of_a_sum():
    compiled = circuit.compile("merge@c00[c01,c02]", bindings={0: "x", 1: "y", 2: "z"})
    assert (
        compiled.program.to_text()
        == """.program "circuit"
.param x: buffer f32 read
.param y: buffer f32 read
.param z: buffer f32 write
.param n: u64
    set.geu.u64 p0, r255, r4
    bra region0, p0
    ldg.f32 r5, [x + r255*4]
    ldg.f32 r6, [y + r255*4]
    add.f32 r5, r5, r6
    stg.f32 [z + r255*4], r5
region0:
    exit
"""
    )
    assert hg.CircuitToIsa().translate(compiled) is compiled.program
    assert hg.CircuitToIsa().translate("mark@c00") == circuit.compile("mark@c00").program
    assert [param.name for param in circuit.compile("swap@c00<->c01", bindings={0: "x", 1: "y"}).program.params] == [
        "x",
        "y",
        "n",
    ]


def test_calls():
    text = "mark@c01 . copy@c01->c02 . swap@c01<->c02 . merge:gelu@c00[c01,c02] . split:div@c00[c01,c02]"
    text += " . quote@c03 . evaluate@c04 . mark@c[0..1] . quote@c[0..1] . evaluate@c[0..1] . merge:max@c[0..1]"
    calls = circuit.compile(text).calls
    assert [call.to_dict() for call in calls] == [
        {"call": "Mark", "class": 1},
        {"call": "Copy", "src": 1, "dst": 2},
        {"call": "Swap", "a": 1, "b": 2},
        {"call": "Merge", "src": 0, "context": 1, "dst": 2, "variant": "Gelu"},
        {"call": "Split", "src": 0, "context": 1, "dst": 2, "variant": "Div"},
        {"call": "Quote", "class": 3},
        {"call": "Evaluate", "class": 4},
        {"call": "MarkRange", "start": 0, "end": 1},
        {"call": "QuoteRange", "start": 0, "end": 1},
        {"call": "EvaluateRange", "start": 0, "end": 1},
        {"call": "MergeRange", "start": 0, "end": 1, "variant": "Max"},
    ]
    assert [Call.from_dict(call.to_dict()) for call in calls] == calls
    assert circuit.compile(calls).program == circuit.compile(text).program
    assert (calls[0].class_, calls[4].variant, hash(calls[1])) == (1, "Div", hash(Call.Copy(src=1, dst=2)))
    assert pickle.loads(pickle.dumps(calls)) == copy.deepcopy(calls) == calls
    assert repr(Call.Split(1, 2, dst=3)) == "Call.Split(src=1, context=2, dst=3, variant='Sub')"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Call.Mark(96), "Mark: class is a class from 0 to 95, not 96"),
        (lambda: Call.Copy(1), "Copy takes src, dst, not 1"),
        (lambda: Call.Copy(1, 2, src=3), "Copy takes src, dst, not 1, 2, src"),
        (lambda: Call.Split(1, 2, 3, "Mul"), "Split: variant is one of Sub, Div, not 'Mul'"),
        (lambda: Call.Softmax(1, 2, -1), "Softmax: n is from 0 to 2**31 - 1, or None, not -1"),
        (lambda: Call.MarkRange(3, 3), "MarkRange: the range from 3 to 3 has no two classes"),
        (lambda: Call.from_dict({"call": "Foo"}), "there is no call 'Foo': there are Mark, Copy, Swap, Merge, Split, "
         "Quote, Evaluate, ReduceSum, ReduceMin, ReduceMax, Softmax, MarkRange, QuoteRange, EvaluateRange, MergeRange"),
        (lambda: circuit.compile("mark@c00", bindings={96: "x"}),
         "96 cannot be bound: give a class from 0 to 95, or the two ends of a range"),
        (lambda: circuit.compile("mark@c00", bindings={5: "n"}),
         "class 5 cannot be bound to 'n': the name is taken, choose another one"),
        (lambda: circuit.compile("mark@c00", bindings={5: 7.5}),
         "class 5 is bound to 7.5: give a name for a parameter, a buffer or its handle"),
        (lambda: circuit.compile("merge@c[0..9]", bindings={(0, 9): "x"}),
         "c[0..9] is bound to 1 places, and has 2 inputs: bind them, and after them where its result goes if that is "
         "not the range"),
        (lambda: circuit.compile("merge@c[0..9]", bindings={(0, 9): (5, "x")}),
         "the input of c[0..9] that starts at class 5 overlaps the result, which starts at class 0: let it start "
         "there, too, or elsewhere"),
        (lambda: circuit.compile("merge@c[0..9]", bindings={(0, 9): (90, "x")}),
         "an input of c[0..9] has 10 classes: they cannot start at 90"),
        (lambda: circuit.compile("merge@c[0..9]", bindings={3: "x"}),
         "class 3 is in c[0..9], which is one vector: bind the range, or not the class"),
    ],
)  # fmt: skip
def test_what_is_wrong(make, message):
    with pytest.raises(hg.TranslateError) as caught:
        make()
    assert str(caught.value) == message


def test_operations_that_are_no_calls():
    with pytest.raises(hg.TranslateError) as caught:
        circuit.compile("mark@c00 .\n  R+1@ merge@c02")
    assert str(caught.value) == (
        "2:8: merge needs explicit operands at 18: merge@c26 becomes no call, write merge@c00[c01,c02]"
    )
    assert caught.value.offset == 18
    with pytest.raises(AttributeError, match="there is no call 'Foo'"):
        _ = Call.Foo


def test_types_that_do_not_fit():
    with pytest.raises(hg.TranslateError, match=r"the circuit does not work on u32: (?s:.)*EXP does not work on u32"):
        circuit.compile("merge:exp@c00[c00,c00]", ty=hg.u32)


def test_warnings():
    compiled = circuit.compile("copy@c00->c01@3 . mark@c01 || copy@c02->c01 || (copy@c03->c04 || swap@c04<->c05)")
    assert compiled.warnings == [
        "copy@c00->c01@3: the page 3 says nothing to a call, which works on the whole class",
        "class 1 is written in branches 1 and 2, which have no order",
        "class 4 is written in branches 1 and 2, which have no order",
    ]
    moved = circuit.compile("copy@c05->c06 . mark@c21 . copy@c05->c06 . mark@c21", rules="all")
    assert moved.calls == [Call.Mark(0)]
    assert moved.warnings == ["the rule 'H² = I' took copies away: what they would have written is not there"]
    kept = circuit.compile("copy@c05->c06 . mark@c21 . copy@c05->c06 . mark@c21")
    assert (len(kept.calls), kept.warnings) == (4, [])


def test_programs_do_not_depend_on_handles_and_counts():
    one, two = (
        circuit.compile([Call.Merge(0, 1, 2), Call.ReduceSum(2, 3, n)], bindings={0: hg.BufferHandle(n)}).program
        for n in (7, 8)
    )
    from hologram_web.isa.lift import lift

    assert lift(one)[0] == lift(two)[0]
