"""The two readings of a circuit that compute nothing: bytes (with belt addresses) and words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .classes import belt_address, canonical_byte
from .parse import parse
from .tree import ClassMap, Group, Op, Phrase, Sigil, Term, Transform

__all__ = ["Evaluation", "evaluate", "evaluate_bytes", "evaluate_words"]

_LETTERS = {"R": ("ρ", 4), "D": ("δ", 3), "T": ("τ", 8)}


@dataclass(frozen=True)
class Evaluation:
    """Both readings. `pairs` has the byte and the belt address, or None, of each class, `addresses` those that there
    are, in textual order."""

    phrase: Phrase
    pairs: list[tuple[int, int | None]]
    words: list[str]

    @property
    def bytes(self) -> list[int]:
        return [byte for byte, _ in self.pairs]

    @property
    def addresses(self) -> list[int]:
        return [address for _, address in self.pairs if address is not None]

    def __str__(self) -> str:
        shown = " ".join(f"0x{byte:02X}" for byte in self.bytes)
        addresses = [f"  Addresses: {', '.join(map(str, self.addresses))}"] if self.addresses else []
        words = [f"  {word}" for word in self.words]
        heads = f"Expression: {self.phrase}", "", "Literal Backend (Bytes):", f"  {shown}"
        return "\n".join([*heads, *addresses, "", "Operational Backend (Words):", *words])


def evaluate(text: str | Phrase) -> Evaluation:
    """The bytes, addresses and words of a circuit. Raises TranslateError."""
    phrase = text if isinstance(text, Phrase) else parse(text)
    pairs = []
    for op, outer in _leaves(phrase, ClassMap()):
        for sigil in op.sigils:
            byte = canonical_byte(final_class(sigil, outer))
            pairs.append((byte, None if sigil.page is None else belt_address(sigil.page, byte)))
    return Evaluation(phrase, pairs, list(_words(phrase, ClassMap())))


def evaluate_bytes(text: str | Phrase) -> list[int]:
    """The canonical bytes of the transformed classes, in textual order. Raises TranslateError."""
    return evaluate(text).bytes


def evaluate_words(text: str | Phrase) -> list[str]:
    """The words of a circuit: of a sequence the last first, of branches in textual order. Raises TranslateError."""
    return evaluate(text).words


def final_class(sigil: Sigil, outer: ClassMap) -> int:
    """The class of a sigil under the transform behind it, then those around it."""
    return outer(sigil.post.map(sigil.class_index) if sigil.post else sigil.class_index)


def inner_map(phrase: Phrase, outer: ClassMap) -> ClassMap:
    """What happens to classes in a phrase."""
    return phrase.transform.map.then(outer) if phrase.transform else outer


def _leaves(phrase: Phrase, outer: ClassMap) -> Iterator[tuple[Op, ClassMap]]:
    inner = inner_map(phrase, outer)
    for branch in phrase.branches:
        for term in branch:
            if isinstance(term, Op):
                yield term, inner
            else:
                yield from _leaves(term.body if isinstance(term, Group) else term, inner)


def _words(phrase: Phrase, outer: ClassMap) -> Iterator[str]:
    inner = inner_map(phrase, outer)
    controls = _controls(phrase.transform) if phrase.transform else []
    yield from (f"→{word}" for word in controls)
    several = len(phrase.branches) > 1
    for number, branch in enumerate(phrase.branches):
        if several:
            yield "⊗_sep" if number else "⊗_begin"
        for term in reversed(branch):
            yield from _of_term(term, inner)
    if several:
        yield "⊗_end"
    yield from (f"←{word}" for word in reversed(controls))


def _controls(transform: Transform) -> list[str]:
    """The words of a transform, amounts reduced, those that do nothing left out."""
    found = []
    for letter, amount in transform.amounts():
        sign, period = _LETTERS[letter]
        if amount % period:
            found.append(f"{sign}[{amount % period}]")
    return found + ["μ"] * transform.mirror


def _of_term(term: Term, outer: ClassMap) -> Iterator[str]:
    if not isinstance(term, Op):
        yield from _words(term.body if isinstance(term, Group) else term, outer)
        return
    c = final_class(term.sigils[0], outer)
    match term.generator:
        case "copy" | "merge":
            yield f"{term.generator}[d={c % 24 // 8}]"
        case "split" | "quote":
            yield f"{term.generator}[ℓ={c % 8}]"
        case "evaluate":
            yield f"phase[h₂={c // 24}]"
            yield "evaluate"
        case name:
            yield name
