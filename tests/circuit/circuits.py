"""Random circuits, as trees that text can have."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hologram_web.circuit import Group, Op, Phrase, Range, Sigil, Transform
from hologram_web_tools.circuit.tree import VARIANTS

AMOUNTS = st.integers(-30, 30)
MAYBE = st.none() | AMOUNTS
PREFIXES = st.builds(Transform, MAYBE, MAYBE, MAYBE, st.booleans()).filter(lambda t: t != Transform())
LETTERS = st.builds(Transform, AMOUNTS) | st.builds(Transform, triality=AMOUNTS) | st.builds(Transform, twist=AMOUNTS)
POSTFIXES = st.builds(lambda t, m: Transform(t.rotate, t.triality, t.twist, m), LETTERS, st.booleans())
POSTFIXES |= st.just(Transform(mirror=True))
SIGILS = st.builds(Sigil, st.integers(0, 95), st.none() | POSTFIXES, st.none() | st.integers(0, 47))
RANGES = st.tuples(st.integers(0, 94), st.integers(1, 95), st.none() | POSTFIXES).map(
    lambda t: Range(t[0], max(t[0] + 1, t[1]), t[2])
)
GENERATORS = ("mark", "copy", "swap", "merge", "split", "quote", "evaluate")
# Classes that the rules know, in the forms that they know.
RULED = st.sampled_from([0, 7, 21, 42]).map(lambda c: Op("mark", (Sigil(c),)))
RULED |= st.sampled_from([6, 7]).map(lambda c: Op("copy", (Sigil(5), Sigil(c)), "->"))


@st.composite
def ops(draw: Any) -> Op:
    if draw(st.booleans()):
        return draw(RULED)
    name = draw(st.sampled_from(GENERATORS))
    variant = draw(st.sampled_from(VARIANTS.get(name, ("",))))
    form, count = draw(st.sampled_from([("", 1), ("->", 2), ("<->", 2), ("[", 3), ("..", 0)]))
    if form == "..":
        return Op(name, draw(RANGES), "", variant)
    return Op(name, tuple(draw(SIGILS) for _ in range(count)), form, variant)


@st.composite
def phrases(draw: Any, depth: int = 2, transformed: bool = False) -> Phrase:
    transform = draw(PREFIXES if transformed else st.none() | PREFIXES)
    branches = [
        [
            Group(draw(phrases(depth - 1))) if depth and draw(st.integers(0, 4)) == 0 else draw(ops())
            for _ in range(draw(st.integers(1, 4)))
        ]
        for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3])))
    ]
    if depth and draw(st.integers(0, 3)) == 0:  # a transform goes on to the end of its group
        branches[-1].append(draw(phrases(depth - 1, transformed=True)))
    return Phrase(transform, tuple(map(tuple, branches)))


def _op(name: str, form: str, count: int) -> Any:
    return st.builds(
        lambda sigils, variant: Op(name, tuple(sigils), form, variant),
        st.lists(SIGILS, min_size=count, max_size=count),
        st.sampled_from(VARIANTS.get(name, ("",))),
    )


# Circuits whose operations are all calls.
CALLS = st.builds(
    lambda transform, terms: Phrase(transform, (tuple(terms),)),
    st.none() | PREFIXES,
    st.lists(
        st.one_of(
            RULED,
            _op("copy", "->", 2),
            _op("swap", "<->", 2),
            _op("merge", "[", 3),
            _op("split", "[", 3),
            _op("mark", "", 1),
        ),
        min_size=1,
        max_size=8,
    ),
)
