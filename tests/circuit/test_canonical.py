"""Canonical circuits: a slow engine and matrices say what is right."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hologram_web as hg
from hologram_web import circuit

from .circuits import CALLS, phrases

RULES = (
    ("HXH = Z", "HXXHX", "Z"),
    ("H² = I", "HXHX", "I"),
    ("X² = I", "XX", "I"),
    ("Z² = I", "ZZ", "I"),
    ("S² = Z", "SS", "Z"),
    ("I.I = I", "II", "I"),
)
TEXTS = {"I": "mark@c00", "X": "mark@c21", "Z": "mark@c42", "S": "mark@c07", "H": "copy@c05->c06", "Q": "quote@c21"}
TEXTS |= {"K": "copy@c05->c07", "P": "mark@c21@3", "G": "(mark@c21 || mark@c00)"}
WORDS = st.text("".join(TEXTS), min_size=1, max_size=14) | st.text("HXIZS", min_size=1, max_size=14)


def _slow(word, rules):
    """The engine as the specification words it, on letters; K is a copy to another class than H."""
    applied = []
    while True:
        for name, pattern, mark in rules:
            spots = [word.find(form) for form in (pattern, pattern.replace("H", "K"))]
            if found := [spot for spot in spots if spot >= 0]:
                word = word[: min(found)] + mark + word[min(found) + len(pattern) :]
                applied.append(name)
                break
        else:
            if "I" not in word or len(word) == 1 or not rules:
                return word, applied
            word = word.replace("I", "", 1)
            applied.append("I absorb")


@given(WORDS, st.sampled_from(["all", "marks", "none"]))
def test_against_the_slow_engine(word, rules):
    chosen = {"all": RULES, "marks": RULES[2:], "none": ()}[rules]
    wanted, applied = _slow(word, chosen)
    found = circuit.canonicalize(" . ".join(TEXTS[letter] for letter in word), rules)
    text = " . ".join(TEXTS[letter] for letter in wanted)
    assert found.text == (text[1:-1] if wanted == "G" else text)
    assert found.applied_rules == applied
    assert found.canonical_ops == len(wanted) + wanted.count("G")


def _product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in (0, 1)) for j in (0, 1)] for i in (0, 1)]


@given(st.text("HXIZS", min_size=1, max_size=16))
def test_rules_keep_the_matrix(word):
    """With matrices a word means their product, and a copy alone H X."""
    half = 2**-0.5
    letters = {"I": [[1, 0], [0, 1]], "X": [[0, 1], [1, 0]], "Z": [[1, 0], [0, -1]], "S": [[1, 0], [0, 1j]]}
    letters["H"] = _product([[half, half], [half, -half]], letters["X"])
    names = {TEXTS[letter]: matrix for letter, matrix in letters.items()}

    def meaning(text):
        found: Any = letters["I"]
        for term in text.split(" . "):
            found = _product(found, names[term])
        return [number for row in found for number in row]

    text = " . ".join(TEXTS[letter] for letter in word)
    assert meaning(circuit.canonicalize(text).text) == pytest.approx(meaning(text), abs=1e-9)


def _controls(words):
    return [word for word in words if word[0] not in "→←"]


@given(phrases())
def test_canonical_circuits(tree):
    try:
        none = circuit.canonicalize(tree, "none")
    except hg.TranslateError:
        assume(False)
    assert none.applied_rules == []
    assert none.original_ops == none.canonical_ops
    assert circuit.evaluate(none.text).pairs == circuit.evaluate(tree).pairs
    assert circuit.evaluate_words(none.text) == _controls(circuit.evaluate_words(tree))
    for rules in ("all", "marks", "none"):
        found = circuit.canonicalize(tree, rules)
        again = circuit.canonicalize(found.text, rules)
        assert (again.text, again.applied_rules, again.reduction_pct) == (found.text, [], 0)
        assert found.canonical_ops <= found.original_ops
        assert found == circuit.canonicalize(str(tree), rules)


@given(CALLS)
def test_rules_for_marks_keep_what_moves_data(tree):
    with_rules, without = circuit.compile(tree), circuit.compile(tree, "none")
    moving = [[call for call in found.calls if call.call != "Mark"] for found in (with_rules, without)]
    assert moving[0] == moving[1]
    assert with_rules.program == without.program


def test_long_circuits():
    """The slow engine would look at every term for every step."""
    xs = circuit.canonicalize(" . ".join(["mark@c21"] * 10_000))
    assert (xs.text, xs.original_ops, xs.canonical_ops) == ("mark@c00", 10_000, 1)
    assert xs.applied_rules == ["X² = I"] * 5000 + ["I.I = I"] * 4999
    mixed = circuit.canonicalize(" . ".join(["copy@c05->c06", "mark@c21", "mark@c42", "mark@c42"] * 2500))
    assert (mixed.original_ops, mixed.canonical_ops) == (10_000, 1)
    marks = circuit.canonicalize(" . ".join(["mark@c21", "mark@c00"] * 5000), "marks")
    assert (marks.text, marks.canonical_ops) == ("mark@c00", 1)


def test_groups_and_branches():
    table = {
        "((mark@c01)) . (mark@c02 . mark@c03)": "mark@c01 . mark@c02 . mark@c03",
        "mark@c00 . (mark@c01 || mark@c02)": "mark@c01 || mark@c02",
        "(mark@c01 || mark@c02) || mark@c03": "(mark@c01 || mark@c02) || mark@c03",
        "(mark@c00 . (mark@c01 || mark@c02) || mark@c21)": "(mark@c01 || mark@c02) || mark@c21",
        "R+1@ mark@c[0..9]": "mark@c[24..33]",
        "copy@c05 . mark@c21 . copy@c05 . mark@c21": "mark@c00",
        "copy@c05 . mark@c21 . copy@c05->c06 . mark@c21": "copy@c05 . mark@c21 . copy@c05->c06 . mark@c21",
        "mark@c00^+7 . mark@c00^+7": "mark@c42",
    }
    for source, wanted in table.items():
        assert circuit.canonicalize(source).text == wanted
    assert circuit.canonicalize("(mark@c21 . mark@c21) . mark@c42").reduction_pct == 66.6667
    with pytest.raises(hg.TranslateError, match="the rules 'some' do not exist: use all, marks or none"):
        circuit.canonicalize("mark@c00", "some")
    with pytest.raises(hg.TranslateError) as caught:
        circuit.canonicalize("mark@c00 .\nmark@c[5..14]^+3")
    assert (caught.value.offset, caught.value.line, caught.value.column) == (11, 2, 1)
