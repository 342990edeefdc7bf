"""From text to a tree (the grammar is in docs/circuits.md)."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from hologram_web.errors import TranslateError

from .classes import CLASSES, PAGES
from .tree import VARIANTS, Group, Op, Phrase, Range, Sigil, Term, Transform

__all__ = ["parse"]

MAX_DEPTH = 100
MAX_CLASSES = 65_536  # a program has no more instructions; every reading of as many takes less than 2 s
_GENERATORS = ("mark", "copy", "swap", "merge", "split", "quote", "evaluate")
_WORDS = {**dict.fromkeys(_GENERATORS, "GEN"), "c": "c", "R": "R", "D": "D", "T": "T"}
_TOKEN = re.compile(
    r"[ \t\r\n]+|//[^\n]*|(?P<sign><->|->|\|\||\.\.|[.@^~+\-()\[\],:])|(?P<NUM>[0-9]+)|(?P<word>[A-Za-z_]+)|(?P<bad>.)",
    re.DOTALL,
)
_CHARACTERS = "a circuit is made of letters, digits and . | @ ^ ~ + - ( ) [ ] , : < >"
_ADVICE = {
    "GEN": f"a term is one of {', '.join(_GENERATORS)} with its target, a group in parentheses, or a transform",
    "c": "write a class, such as c05",
    "EOF": "join terms with . or ||",
    "@": "a generator and a transform, R, D, T and ~ in this order, end with @",
}


class _Token(NamedTuple):
    kind: str  # a sign or letter itself, NUM, GEN, variant or EOF
    text: str
    offset: int


def place_error(text: str, offset: int, message: str) -> TranslateError:
    """The error of a place in a text."""
    line = text.count("\n", 0, offset) + 1
    return TranslateError(message, None, line, offset - text.rfind("\n", 0, offset), offset)


def parse(text: str) -> Phrase:
    """The tree of a circuit.

    Raises TranslateError for anything else, with the line, the column and the offset of what is wrong.
    """
    return _Parser(text).circuit()


class _Parser:
    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TranslateError(f"a circuit is text, not {text!r}")
        self.text = text
        self.tokens = self.read()
        self.at = self.classes = 0

    def fail(self, what: str, offset: int, advice: str = "") -> NoReturn:
        message = f"syntax error: {what} at {offset}"
        raise place_error(self.text, offset, f"{message}: {advice}" if advice else message)

    def read(self) -> list[_Token]:
        tokens: list[_Token] = []
        for match in _TOKEN.finditer(self.text):
            kind, text = match.lastgroup, match.group()
            if kind is None:
                continue
            if kind == "sign":
                kind = text
            elif kind == "bad":
                self.fail(f"bad char {text!r}", match.start(), _CHARACTERS)
            elif kind == "word":
                kind = "variant" if tokens and tokens[-1].kind == ":" else _WORDS.get(text, "")
                if not kind:
                    self.fail(f"unknown word {text}", match.start(), f"words are {', '.join(_WORDS)}")
            tokens.append(_Token(kind, text, match.start()))
        return [*tokens, _Token("EOF", "", len(self.text))]

    @property
    def kind(self) -> str:
        return self.tokens[self.at].kind

    def accept(self, *kinds: str) -> _Token | None:
        """The next token, if it is of one of these kinds."""
        token = self.tokens[self.at]
        if token.kind not in kinds:
            return None
        self.at += 1
        return token

    def expect(self, kind: str) -> _Token:
        token = self.accept(kind)
        if token is None:
            found = self.tokens[self.at]
            self.fail(f"expected {kind} got {found.kind}", found.offset, _ADVICE.get(kind, ""))
        return token

    def circuit(self) -> Phrase:
        phrase = self.phrase(0)
        self.expect("EOF")
        return phrase

    def phrase(self, depth: int) -> Phrase:
        if depth > MAX_DEPTH:
            self.fail(f"more than {MAX_DEPTH} groups and transforms in one another", self.tokens[self.at].offset)
        transform = self.prefix()
        branches: list[tuple[Term, ...]] = []
        while not branches or self.accept("||"):
            terms = [self.term(depth)]
            while self.accept("."):
                terms.append(self.term(depth))
            branches.append(tuple(terms))
        return Phrase(transform, tuple(branches))

    def term(self, depth: int) -> Term:
        if self.kind in ("R", "D", "T", "~"):
            return self.phrase(depth + 1)
        if self.accept("("):
            group = Group(self.phrase(depth + 1))
            self.expect(")")
            return group
        return self.op()

    def prefix(self) -> Transform | None:
        if self.kind not in ("R", "D", "T", "~"):
            return None
        rotate, triality, twist = [self.amount() if self.accept(letter) else None for letter in "RDT"]
        transform = Transform(rotate, triality, twist, self.accept("~") is not None)
        self.expect("@")
        return transform

    def count(self, classes: int, offset: int) -> None:
        """Counts classes: one that is written, or those of a range."""
        self.classes += classes
        if self.classes > MAX_CLASSES:
            self.fail(f"more than {MAX_CLASSES} classes", offset, "divide the circuit")

    def op(self) -> Op:
        generator = self.expect("GEN")
        name, offset = generator.text, generator.offset
        allowed = VARIANTS.get(name, ("",))
        variant = allowed[0]
        if self.accept(":"):
            token = self.expect("variant")
            variant = token.text
            if variant not in allowed:
                known = ", ".join(allowed)
                advice = f"{name} has {known}" if known else f"{name} has no variants"
                self.fail(f"unknown variant {variant}", token.offset, advice)
        self.expect("@")
        if self.kind == "c" and self.tokens[self.at + 1].kind == "[":
            return Op(name, self.range(), "", variant, offset)
        sigils, form = [self.sigil()], ""
        if sign := self.accept("->", "<->"):
            form = sign.kind
            sigils.append(self.sigil())
        elif self.accept("["):
            form = "["
            sigils.append(self.sigil())
            self.expect(",")
            sigils.append(self.sigil())
            self.expect("]")
        return Op(name, tuple(sigils), form, variant, offset)

    def range(self) -> Range:
        offset = self.expect("c").offset
        self.expect("[")
        start = self.below(CLASSES, "class index")
        self.expect("..")
        end = self.below(CLASSES, "class index")
        if start >= end:
            self.fail("bad range", offset, f"its end is a class of its own, above {start}, not {end}")
        self.expect("]")
        self.count(end - start + 1, offset)
        return Range(start, end, self.postfix())

    def sigil(self) -> Sigil:
        offset = self.expect("c").offset
        number = self.below(CLASSES, "class index", offset)
        self.count(1, offset)
        post = self.postfix()
        return Sigil(number, post, self.below(PAGES, "page") if self.accept("@") else None)

    def postfix(self) -> Transform | None:
        amounts: dict[str, int] = {}
        if self.accept("^"):
            letter = self.accept("R", "D", "T")
            amounts[letter.kind if letter else "T"] = self.amount()
        mirror = self.accept("~") is not None
        rotate, triality, twist = map(amounts.get, "RDT")
        return Transform(rotate, triality, twist, mirror) if amounts or mirror else None

    def below(self, limit: int, what: str, offset: int | None = None) -> int:
        """A number below a limit."""
        token = self.expect("NUM")
        digits = token.text.lstrip("0") or "0"
        if len(digits) > 2 or int(digits) >= limit:
            shown = digits if len(digits) < 20 else f"a number of {len(digits)} digits"
            where = token.offset if offset is None else offset
            self.fail(f"{what} out of range", where, f"{shown} is not from 0 to {limit - 1}")
        return int(digits)

    def amount(self) -> int:
        """A number with a sign or none. One with more than a thousand digits is kept modulo 24, of which 4, 3 and 8 are
        divisors, since Python refuses to print it."""
        sign = self.accept("+", "-")
        digits = self.expect("NUM").text.lstrip("0")
        value = int(digits[:1000] or "0")
        for start in range(1000, len(digits), 1000):
            part = digits[start : start + 1000]
            value = (value * 10 ** len(part) + int(part)) % 24
        return -value if sign and sign.kind == "-" else value
