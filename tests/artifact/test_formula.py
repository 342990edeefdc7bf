"""Formulas: text, value, and the rules of 53 bits."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hologram_web.errors import LaunchError
from hologram_web.plan.formula import LARGEST, MAX_STACK, MAX_TOKENS, OPERATORS, Formula

NUMBERS = st.one_of(st.integers(-9, 9), st.integers(-LARGEST, LARGEST))
FORMULAS = st.recursive(
    st.one_of(NUMBERS, st.sampled_from(["n", "m", "x.len", "$k0"])).map(lambda leaf: (leaf,)),
    lambda inner: st.builds(lambda a, b, o: (*a, *b, o), inner, inner, st.sampled_from(list(OPERATORS))),
    max_leaves=20,
).map(Formula)


def meaning(code, values):
    """The value by another way: exact fractions."""
    stack: list = []
    for token in code:
        if token in OPERATORS:
            b, a = stack.pop(), stack.pop()
            result = {
                "+": lambda a, b: a + b,
                "-": lambda a, b: a - b,
                "*": lambda a, b: a * b,
                "//": lambda a, b: math.floor(Fraction(a, b)),
                "ceildiv": lambda a, b: math.ceil(Fraction(a, b)),
                "min": lambda a, b: a if a < b else b,
                "max": lambda a, b: b if a < b else a,
            }[token](a, b)
        else:
            result = values[token] if isinstance(token, str) else token
        if abs(result) > LARGEST:
            raise OverflowError
        stack.append(result)
    return stack[0]


@given(FORMULAS)
def test_text_reads_back(formula):
    assert Formula.of(str(formula)).code == formula.code


@given(FORMULAS, st.fixed_dictionaries({name: NUMBERS for name in ("n", "m", "x.len", "$k0")}))
def test_value(formula, values):
    try:
        expected = meaning(formula.code, values)
    except (OverflowError, ZeroDivisionError):
        with pytest.raises(LaunchError, match=r"leaves the range|divides by zero"):
            formula.evaluate(values)
    else:
        assert formula.evaluate(values) == expected


@given(FORMULAS, FORMULAS, NUMBERS, st.sampled_from(list(OPERATORS)))
def test_putting_together_keeps_the_value(left, right, number, operator):
    values = {"n": 3, "m": -2, "x.len": 100, "$k0": 0}
    try:
        both = left.with_(operator, right), left.with_(operator, number)
    except LaunchError:
        return  # too large
    for formula, other in zip(both, (right.code, (number,)), strict=True):
        try:
            expected = meaning((*left.code, *other, operator), values)
        except (OverflowError, ZeroDivisionError):
            continue
        assert formula.evaluate(values) == expected


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "a number or a name is missing"),
        ("1 +", "a number or a name is missing"),
        ("n m", "'m' is not expected"),
        ("min(a)", "',' is missing"),
        ("min(a, b, c)", "'\\)' is missing"),
        ("(a", "'\\)' is missing"),
        ("a / b", "write integers, names"),
        ("a ** b", "a number or a name is missing"),
        ("--a", "a number or a name is missing"),
        ("9007199254740992", "not well formed"),
        ("1" * 17, "write integers, names"),
        ("٣", "write integers, names"),
        ("(" * 1000 + "n" + ")" * 1000, "nested more than 32 deep"),
        ("-".join("n" * 200), "at most 256 parts"),
        ("n" * 5000, "at most 4096 characters"),
        ("min", "'\\(' is missing"),
    ],
)
def test_texts_that_are_none(text, what):
    with pytest.raises(LaunchError, match=what):
        Formula.of(text)


@pytest.mark.parametrize("code", [(), ("+",), (1, 2), (1, "+"), (1, True), ("a b",), (1.0,), (LARGEST + 1,)])
def test_codes_that_are_none(code):
    with pytest.raises(LaunchError):
        Formula(code)


def test_limits_are_reached():
    assert Formula(("n",) * MAX_STACK + ("+",) * (MAX_STACK - 1)).evaluate({"n": 2}) == 2 * MAX_STACK
    with pytest.raises(LaunchError, match="nested"):
        Formula(("n",) * (MAX_STACK + 1) + ("+",) * MAX_STACK)
    assert len(Formula(("n", *(1, "+") * 127)).code) == MAX_TOKENS - 1


def test_errors_say_what_is_missing():
    with pytest.raises(LaunchError, match=r"the formula n \* m needs m: give the argument that has it"):
        Formula.of("n * m").evaluate({"n": 2})
    with pytest.raises(LaunchError, match=r"the formula n // m divides by zero with n = 2, m = 0"):
        Formula.of("n // m").evaluate({"n": 2, "m": 0})
    with pytest.raises(LaunchError, match="leaves the range of 53 bits with n = 9007199254740991"):
        Formula.of("n + 1").evaluate({"n": LARGEST})
    with pytest.raises(LaunchError, match="a formula is an integer or a text"):
        Formula.of(1.5)  # type: ignore[arg-type]


def test_substitute():
    assert str(Formula.of("n * (m - n)").substitute("n", Formula.of("a + 1"))) == "(a + 1) * (m - (a + 1))"
