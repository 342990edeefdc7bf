"""Canonical circuits: transforms resolved, groups flattened, sequences rewritten (docs/circuits.md)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import NamedTuple, NoReturn

from hologram_web.errors import TranslateError

from .evaluate import final_class, inner_map
from .parse import parse, place_error
from .tree import ClassMap, Group, Op, Phrase, Range, Sigil, Term

__all__ = ["Canonical", "canonicalize"]


class _Rule(NamedTuple):
    """What is rewritten to a mark: generators with their first class. `moves` says that it takes copies away."""

    name: str
    pattern: tuple[tuple[str, int], ...]
    mark: int
    moves: bool


_X, _H = ("mark", 21), (("copy", 5), ("mark", 21))
# By priority: of those that match somewhere the first is applied, where it matches first.
_RULES = (
    _Rule("HXH = Z", (*_H, _X, *_H), 42, True),
    _Rule("H² = I", (*_H, *_H), 0, True),
    _Rule("X² = I", (_X, _X), 0, False),
    _Rule("Z² = I", (("mark", 42),) * 2, 0, False),
    _Rule("S² = Z", (("mark", 7),) * 2, 42, False),
    _Rule("I.I = I", (("mark", 0),) * 2, 0, False),
)
_LONGEST = 5
_ABSORB = "I absorb"
_SETS = {"all": _RULES, "marks": tuple(rule for rule in _RULES if not rule.moves), "none": ()}
MOVING = frozenset(rule.name for rule in _RULES if rule.moves)


@dataclass(frozen=True)
class Canonical:
    """A circuit rewritten: its text, operations before and after, the percentage saved (rounded to four decimals) and
    the names of the rules, one for each time that one was applied, in order."""

    text: str
    original_ops: int
    canonical_ops: int
    reduction_pct: float
    applied_rules: list[str]
    phrase: Phrase = field(compare=False, repr=False)


def canonicalize(text: str | Phrase, rules: str = "all") -> Canonical:
    """The canonical form of a circuit. `rules` is "all", "marks" (those that leave copies alone) or "none".

    Raises TranslateError for text that is no circuit, a range whose transformed classes are no run, or other `rules`.
    """
    if rules not in _SETS:
        raise TranslateError(f"the rules {rules!r} do not exist: use all, marks or none")
    phrase = parse(text) if isinstance(text, str) else text
    resolved = _resolve(phrase, ClassMap(), text if isinstance(text, str) else str(text))
    applied: list[str] = []
    found = _rewrite(resolved, _SETS[rules], applied)
    while len(found.branches) == 1 and len(found.branches[0]) == 1 and isinstance(found.branches[0][0], Group):
        found = found.branches[0][0].body
    before, after = count(resolved), count(found)
    return Canonical(str(found), before, after, round(100 * (1 - after / before), 4), applied, found)


def count(phrase: Phrase) -> int:
    """Operations; a range is one."""
    terms = [term for branch in phrase.branches for term in branch]
    return sum(count(term.body) if isinstance(term, Group) else 1 for term in terms)


def _resolve(phrase: Phrase, outer: ClassMap, text: str) -> Phrase:
    """Without transforms, and without groups of one branch."""
    inner = inner_map(phrase, outer)
    branches = []
    for branch in phrase.branches:
        terms: list[Term] = []
        for term in branch:
            if isinstance(term, Op):
                terms.append(_resolve_op(term, inner, text))
                continue
            body = _resolve(term.body if isinstance(term, Group) else term, inner, text)
            terms += body.branches[0] if len(body.branches) == 1 else [Group(body)]
        branches.append(tuple(terms))
    return Phrase(None, tuple(branches))


def _resolve_op(op: Op, outer: ClassMap, text: str) -> Op:
    if isinstance(op.target, tuple):
        target = tuple(Sigil(final_class(s, outer), None, s.page) for s in op.target)
        return op if target == op.target else replace(op, target=target)
    images = [final_class(sigil, outer) for sigil in op.sigils]
    if images != list(range(images[0], images[0] + len(images))):
        _no_run(op, images, text)
    return replace(op, target=Range(images[0], images[-1]))


def _no_run(op: Op, images: list[int], text: str) -> NoReturn:
    shown = ", ".join(map(str, images[:12])) + (", ..." if len(images) > 12 else "")
    raise place_error(
        text,
        op.offset,
        f"transformed range is not contiguous at {op.offset}: the classes of {op} become {shown}; "
        "write operations on single classes, or move all of a quarter",
    )


def _rewrite(phrase: Phrase, rules: tuple[_Rule, ...], applied: list[str]) -> Phrase:
    if not rules:
        return phrase
    branches = []
    for branch in phrase.branches:
        inner = [Group(_rewrite(t.body, rules, applied)) if isinstance(t, Group) else t for t in branch]
        branches.append(tuple(_Sequence(inner, rules, applied).terms()))
    return Phrase(None, tuple(branches))


class _Sequence:
    """Terms as a linked list, and for each rule a heap of the places where it may match: every step looks at the
    neighbourhood of the last one only, so that a sequence of n terms takes n log n."""

    def __init__(self, terms: list[Term], rules: tuple[_Rule, ...], applied: list[str]) -> None:
        self.items: list[Term | None] = list(terms)
        self.length = len(terms)
        self.keys = [_key(term) for term in terms]
        self.after = list(range(1, len(terms) + 1))
        self.before = list(range(-1, len(terms) - 1))
        self.rules = rules
        self.heaps: list[list[int]] = [[] for _ in rules]
        self.starts: dict[tuple[str, int], list[int]] = {}  # rules by what they start with
        for number, rule in enumerate(rules):
            self.starts.setdefault(rule.pattern[0], []).append(number)
        for place in range(len(terms)):
            self.note(place, 1)
        self.marks = [p for p in range(len(terms)) if self.keys[p] == ("mark", 0, None)]
        while name := self.step():
            applied.append(name)

    def terms(self) -> list[Term]:
        return [item for item in self.items if item is not None]

    def match(self, rule: _Rule, place: int) -> bool:
        """Whether a rule matches from a place on: all copies have to have the same destination."""
        copies = set()
        for generator, class_index in rule.pattern:
            if place >= len(self.items) or self.items[place] is None:
                return False
            key = self.keys[place]
            if key is None or key[:2] != (generator, class_index):
                return False
            if generator == "copy":
                copies.add(key[2])
            place = self.after[place]
        return len(copies) <= 1

    def step(self) -> str:
        """Applies one rule, or drops an identity; its name, or nothing if there is nothing to do."""
        for rule, heap in zip(self.rules, self.heaps, strict=True):
            while heap and not self.match(rule, heap[0]):
                heappop(heap)
            if heap:
                self.apply(rule, heap[0])
                return rule.name
        while self.marks and (self.items[self.marks[0]] is None or self.keys[self.marks[0]] != ("mark", 0, None)):
            heappop(self.marks)
        if not self.marks or self.length == 1:
            return ""
        place = heappop(self.marks)
        self.remove(place)
        self.look(self.before[place])
        return _ABSORB

    def apply(self, rule: _Rule, place: int) -> None:
        for _ in rule.pattern[1:]:
            self.remove(self.after[place])
        old = self.items[place]
        self.items[place] = Op("mark", (Sigil(rule.mark),), offset=old.offset if isinstance(old, Op) else 0)
        self.keys[place] = ("mark", rule.mark, None)
        if rule.mark == 0:
            heappush(self.marks, place)
        self.look(place)

    def remove(self, place: int) -> None:
        self.items[place] = None
        self.length -= 1
        before, after = self.before[place], self.after[place]
        if before >= 0:
            self.after[before] = after
        if after < len(self.items):
            self.before[after] = before

    def look(self, place: int) -> None:
        """Notes what matches around a place."""
        for length in range(1, _LONGEST + 1):
            if place < 0:
                return
            self.note(place, length)
            place = self.before[place]

    def note(self, place: int, length: int) -> None:
        """Notes the rules of at least a length that match from a place on."""
        key = self.keys[place]
        for number in self.starts.get(key[:2], ()) if key else ():
            rule = self.rules[number]
            if len(rule.pattern) >= length and self.match(rule, place):
                heappush(self.heaps[number], place)


def _key(term: Term) -> tuple[str, int, int | None] | None:
    """What rules see of a term: its generator, its class and the destination of a copy. None matches no rule."""
    if not isinstance(term, Op) or not isinstance(term.target, tuple) or any(s.page is not None for s in term.target):
        return None
    first = term.target[0].class_index
    if term.generator == "mark" and not term.form:
        return "mark", first, None
    if term.generator == "copy" and term.form in ("", "->"):
        return "copy", first, term.target[-1].class_index if term.form else None
    return None
