"""Circuits as text: the cases of the specification, printing and parsing again, errors and their places."""

from __future__ import annotations

import json
import pickle
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hologram_web as hg
from hologram_web import circuit
from hologram_web.circuit import Group, Op, Phrase, Range, Sigil, Transform

from .circuits import phrases

FOUND = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", FOUND["cases"], ids=lambda case: case["id"])
def test_cases(case):
    source, wanted = case["source"], case["recommended"]
    found = circuit.evaluate(source)
    assert circuit.parse(str(found.phrase)) == found.phrase
    assert (found.bytes, found.addresses or None, found.words) == (
        wanted["literal_bytes"],
        wanted["addresses"],
        wanted["words"],
    )
    assert (circuit.evaluate_bytes(source), circuit.evaluate_words(source)) == (found.bytes, found.words)
    if "error" in wanted:
        for work in (circuit.canonicalize, circuit.compile):
            with pytest.raises(hg.TranslateError, match=wanted["error"]):
                work(source)
        return
    canonical = circuit.canonicalize(source)
    assert canonical.text == wanted["canonical"]
    assert canonical.applied_rules == wanted["rules_applied"]
    assert canonical.original_ops == wanted["original_ops"]
    assert canonical.canonical_ops == wanted["canonical_ops"]
    assert canonical.reduction_pct == wanted["reduction_pct"]
    if isinstance(wanted["calls"], dict):
        with pytest.raises(hg.TranslateError, match=wanted["calls"]["error"]):
            circuit.compile(source, rules="all")
        return
    compiled = circuit.compile(source, rules="all")
    assert [call.to_dict() for call in compiled.calls] == wanted["calls"]
    assert (compiled.original_expr, compiled.canonical_expr) == (source, canonical.text)


@pytest.mark.parametrize(("source", "wanted"), FOUND["errors"])
def test_errors_of_the_specification(source, wanted):
    parses, _, rejected = wanted.partition("parses")
    if not parses:
        circuit.parse(source)
        if rejected:
            with pytest.raises(hg.TranslateError, match=rejected.split(": ")[1]) as caught:
                circuit.compile(source)
            assert caught.value.offset == 0
        return
    with pytest.raises(hg.TranslateError) as caught:
        circuit.parse(source)
    error = caught.value
    assert wanted in str(error)
    assert error.offset is not None
    if " at " in wanted:
        assert error.offset == int(wanted.rpartition(" ")[2])
    assert (error.line, error.column) == (1, error.offset + 1)


def test_tables():
    assert [circuit.canonical_byte(c) for c in range(96)] == FOUND["byte_of_class"]
    assert [circuit.class_index(b) for b in range(256)] == FOUND["class_of_byte"]
    assert len({circuit.triality_orbit(c) for c in range(96)}) == 32
    assert circuit.triality_orbit(21) == (5, 13, 21)
    assert circuit.belt_address(47, 255) == 12287
    assert all(
        circuit.decode_belt_address(circuit.belt_address(*divmod(a, 256))) == divmod(a, 256) for a in range(12288)
    )
    with pytest.raises(ValueError, match="class 96 does not exist: it is from 0 to 95"):
        circuit.canonical_byte(96)
    with pytest.raises(ValueError, match="page 48 does not exist"):
        circuit.belt_address(48, 0)


def _slow(transform, c):
    """A transform as the table of the specification says it."""
    h, d, ring = c // 24, c % 24 // 8, c % 8
    h, ring = (h + (transform.rotate or 0)) % 4, (ring + (transform.twist or 0)) % 8
    d = (d + (transform.triality or 0)) % 3
    return 24 * h + 8 * (-d % 3 if transform.mirror else d) + ring


TRANSFORMS = [Transform(r, k, t, m) for r, k, t, m in product((None, 3), range(3), (0, 5), (False, True))]


def test_transforms_exhaustively():
    for transform in [
        Transform(r, k, t, m) for r, k, t, m in product((-5, 0, 1, 2, 7), range(-3, 4), (-3, 0, 9), (False, True))
    ]:
        assert [transform.map(c) for c in range(96)] == [_slow(transform, c) for c in range(96)]
    for inner, outer in product(TRANSFORMS, TRANSFORMS):
        both = inner.map.then(outer.map)
        assert [both(c) for c in range(96)] == [_slow(outer, _slow(inner, c)) for c in range(96)]


def test_nested_transforms_keep_their_order():
    for inner, outer in product(TRANSFORMS[::5], TRANSFORMS):
        wanted = circuit.canonical_byte(_slow(outer, _slow(inner, 13)))
        assert circuit.evaluate_bytes(f"{outer.prefix}({inner.prefix}mark@c13)") == [wanted]
    assert circuit.evaluate_bytes("D+1@(~@ mark@c00)") == [0x10]
    assert circuit.evaluate_words("R+1@(R+6@ mark@c05)") == ["→ρ[1]", "→ρ[2]", "mark", "←ρ[2]", "←ρ[1]"]
    assert circuit.evaluate_words("R+4 D-3 T+8@ mark@c05") == ["mark"]


def test_readings():
    table = {
        "mark@c21": "2A",
        "evaluate@c21 . copy@c05 || swap@c72": "2A 0A C0",
        "R+1@ (copy@c05 . evaluate@c21)": "4A 6A",
        "T+4@mark@c00": "08",
        "~@mark@c13": "2A",
        "R+2 T+3@mark@c07": "84",
        "D-1@ mark@c21": "1A",
        "mark@c21^R+1~@5": "5A",
        "merge@c13 . split@c20 . quote@c30 . evaluate@c45": "1A 28 4C 6A",
    }
    for source, wanted in table.items():
        assert bytes(circuit.evaluate_bytes(source)) == bytes.fromhex(wanted)
    found = circuit.evaluate("mark@c42^+3~@17 . copy@c05->c06@1")
    assert found.pairs == [(0x5A, 4442), (0x0A, None), (0x0C, 268)]
    assert str(found).splitlines() == [
        "Expression: mark@c42^+3~@17 . copy@c05->c06@1",
        "",
        "Literal Backend (Bytes):",
        "  0x5A 0x0A 0x0C",
        "  Addresses: 4442, 268",
        "",
        "Operational Backend (Words):",
        "  copy[d=0]",
        "  mark",
    ]


def test_trees_and_spellings():
    assert circuit.parse("mark @ c 005 ^ T 3 ~ @ 07 // end") == Phrase(
        None, ((Op("mark", (Sigil(5, Transform(twist=3, mirror=True), 7),)),),)
    )
    assert str(circuit.parse("R1 T-2~@merge:add@c[0..9]^D1\n||(merge:mul@c1[c2,c3~@4])")) == (
        "R+1 T-2 ~@ merge@c[0..9]^D+1 || (merge:mul@c01[c02,c03~@4])"
    )
    tree = circuit.parse("copy@c01 . R+1@ merge@c02 || mark@c03")
    assert isinstance(tree.branches[0][1], Phrase)
    assert len(tree.branches) == 1
    last = circuit.parse("mark@c00 . swap@c01<->c02").branches[0][1]
    assert isinstance(last, Op)
    assert last.offset == 11
    assert circuit.parse("(split@c[1..2])").branches[0][0] == Group(
        Phrase(None, ((Op("split", Range(1, 2), "", "sub"),),))
    )
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_numbers_of_any_length():
    nines = "9" * 50_000
    assert circuit.evaluate_bytes(f"mark@c{'0' * 9999}5^+{nines}") == circuit.evaluate_bytes(f"mark@c05^+{'9' * 1000}")
    assert circuit.evaluate_bytes(f"R-{nines} D-{nines} T-{nines}@ mark@c00") == circuit.evaluate_bytes(
        "R-3 T-7@ mark@c00"
    )
    tree = circuit.parse(f"T-{nines}@ mark@c00")
    assert circuit.parse(str(tree)) == tree
    with pytest.raises(hg.TranslateError, match="out of range at 5: a number of 50000 digits is not from 0 to 95"):
        circuit.parse(f"mark@c{nines}")


TERM = (
    "a term is one of mark, copy, swap, merge, split, quote, evaluate with its target, a group in parentheses, "
    "or a transform"
)
AT = "a generator and a transform, R, D, T and ~ in this order, end with @"
MORE_ERRORS = [
    ("", f"1:1: syntax error: expected GEN got EOF at 0: {TERM}"),
    ("mark@c01 .\n  copy@c02-c03", "2:11: syntax error: expected EOF got - at 21: join terms with . or ||"),
    ("T+1 R+1@ mark@c00", f"1:5: syntax error: expected @ got R at 4: {AT}"),
    ("~~@ mark@c00", f"1:2: syntax error: expected @ got ~ at 1: {AT}"),
    ("mark@c21^R+1^T+1", "1:13: syntax error: expected EOF got ^ at 12: join terms with . or ||"),
    ("mark@c[3..3]", "1:6: syntax error: bad range at 5: its end is a class of its own, above 3, not 3"),
    ("mark@c[0..5]@3", "1:13: syntax error: expected EOF got @ at 12: join terms with . or ||"),
    (
        "split:add@c00[c01,c02]",
        "1:7: syntax error: unknown variant add at 6: split has sub, div",
    ),
    ("mark:add@c00", "1:6: syntax error: unknown variant add at 5: mark has no variants"),
    (
        "add@c00",
        "1:1: syntax error: unknown word add at 0: words are mark, copy, swap, merge, split, quote, "
        "evaluate, c, R, D, T",
    ),
    (
        "mark@cé",
        "1:7: syntax error: bad char 'é' at 6: a circuit is made of letters, digits and . | @ ^ ~ + - ( ) [ ] , : < >",
    ),
    ("mark@c00^", "1:10: syntax error: expected NUM got EOF at 9"),
    ("mark@c", "1:7: syntax error: expected NUM got EOF at 6"),
    ("(mark@c00 ]", "1:11: syntax error: expected ) got ] at 10"),
]


@pytest.mark.parametrize(("source", "message"), MORE_ERRORS)
def test_messages(source, message):
    with pytest.raises(hg.TranslateError) as caught:
        circuit.parse(source)
    assert str(caught.value) == message


def test_depth():
    deep = "(" * 100 + "mark@c21 . mark@c21" + ")" * 100
    tree = circuit.parse(deep)
    assert str(tree) == deep
    assert tree == circuit.parse(deep)
    assert circuit.canonicalize(deep).text == "mark@c00"
    assert circuit.compile("R+1@ " * 100 + "mark@c00").calls == [circuit.Call.Mark(0)]
    for nested, offset in (("(" * 100_000, 101), ("R+1@" * 50_000, 404), ("(~@" * 30_000, 301)):
        with pytest.raises(hg.TranslateError) as caught:
            circuit.parse(nested)
        assert "more than 100 groups and transforms in one another" in str(caught.value)
        assert caught.value.offset == offset


def test_size():
    """As many classes as a program has instructions; a text of 1 MB that had more took 13 s."""
    assert circuit.compile(" . ".join(["mark@c21"] * 65_536)).canonical_ops == 1
    for text, offset in (
        (" . ".join(["mark@c21"] * 65_537), 11 * 65_536 + 5),
        (" || ".join(["merge@c[0..95]"] * 683), 18 * 682 + 6),
        (" . ".join(["merge@c05[c07,c09]"] * 21_846), 21 * 21_845 + 10),
    ):
        with pytest.raises(hg.TranslateError) as caught:
            circuit.parse(text)
        place = f"1:{offset + 1}: syntax error: more than 65536 classes at {offset}"
        assert str(caught.value) == f"{place}: divide the circuit"
        assert caught.value.offset == offset


@given(phrases())
def test_what_is_printed_parses(tree):
    assert circuit.parse(str(tree)) == tree
    assert circuit.parse(str(tree).replace(" ", "")) == tree
    assert circuit.evaluate_bytes(tree) == circuit.evaluate_bytes(str(tree))


_PIECES = [*"@^~+-.()[],cRDTxé|$ \n", "->", "<->", "||", "..", "//"]
_PIECES += ["mark", "merge:", "gelu", "copy", "05", "c21", "mark@c21", "[c01,c02]"]


@given(st.lists(st.sampled_from(_PIECES), max_size=20).map("".join) | st.text(max_size=30))
def test_any_text_is_a_circuit_or_an_error_with_a_place(text):
    error = None
    try:
        tree = circuit.parse(text)
    except hg.TranslateError as found:
        error = found
    if error is None:
        assert circuit.parse(str(tree)) == tree
        return
    assert error.offset is not None
    assert 0 <= error.offset <= len(text)
    assert error.line == text[: error.offset].count("\n") + 1
    assert f" at {error.offset}" in str(error)


def test_other_things_are_no_text():
    with pytest.raises(hg.TranslateError, match="a circuit is text, not 5"):
        circuit.parse(5)  # type: ignore[arg-type]
