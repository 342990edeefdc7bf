"""The tree of a circuit. `str` of a node is text that parses to the same tree; `offset`, where an operation stands in
its text, is no part of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["VARIANTS", "Group", "Op", "Phrase", "Range", "Sigil", "Term", "Transform"]

# The variants of a generator, the default first.
VARIANTS = {
    "merge": ("add", "mul", "min", "max", "abs", "exp", "log", "sqrt", "sigmoid", "tanh", "gelu"),
    "split": ("sub", "div"),
}


class ClassMap(NamedTuple):
    """What transforms do to a class: h + rotate modulo 4, sign * d + shift modulo 3, l + twist modulo 8."""

    rotate: int = 0
    sign: int = 1
    shift: int = 0
    twist: int = 0

    def __call__(self, c: int) -> int:
        d = (self.sign * (c % 24 // 8) + self.shift) % 3
        return 24 * ((c // 24 + self.rotate) % 4) + 8 * d + (c + self.twist) % 8

    def then(self, outer: ClassMap) -> ClassMap:
        """This map, and `outer` after it."""
        return ClassMap(
            (self.rotate + outer.rotate) % 4,
            self.sign * outer.sign,
            (outer.sign * self.shift + outer.shift) % 3,
            (self.twist + outer.twist) % 8,
        )


@dataclass(frozen=True, slots=True)
class Transform:
    """A transform as written: amounts of R, D and T, None where the letter is missing, and whether it mirrors."""

    rotate: int | None = None
    triality: int | None = None
    twist: int | None = None
    mirror: bool = False

    @property
    def map(self) -> ClassMap:
        """R, D and T, then the mirror d to -d."""
        sign = -1 if self.mirror else 1
        return ClassMap((self.rotate or 0) % 4, sign, sign * (self.triality or 0) % 3, (self.twist or 0) % 8)

    def amounts(self) -> list[tuple[str, int]]:
        """The letters that are written, with their amounts."""
        found = (("R", self.rotate), ("D", self.triality), ("T", self.twist))
        return [(letter, amount) for letter, amount in found if amount is not None]

    @property
    def prefix(self) -> str:
        parts = [f"{letter}{amount:+d}" for letter, amount in self.amounts()]
        return " ".join(parts + ["~"] * self.mirror) + "@ "

    @property
    def postfix(self) -> str:
        parts = [f"^{letter if letter != 'T' else ''}{amount:+d}" for letter, amount in self.amounts()]
        return "".join(parts) + "~" * self.mirror


@dataclass(frozen=True, slots=True)
class Sigil:
    """A class, the transform behind it, and a page."""

    class_index: int
    post: Transform | None = None
    page: int | None = None

    def __str__(self) -> str:
        post = self.post.postfix if self.post else ""
        return f"c{self.class_index:02d}{post}" + (f"@{self.page}" if self.page is not None else "")


@dataclass(frozen=True, slots=True)
class Range:
    """The classes from `start` to `end`, both included."""

    start: int
    end: int
    post: Transform | None = None

    def __str__(self) -> str:
        return f"c[{self.start}..{self.end}]{self.post.postfix if self.post else ''}"


@dataclass(frozen=True, slots=True)
class Op:
    """A generator on a target: a Range, or sigils in the form "" (one), "->", "<->" (two) or "[" (three)."""

    generator: str
    target: Range | tuple[Sigil, ...]
    form: str = ""
    variant: str = ""
    offset: int = field(default=0, compare=False, repr=False)

    @property
    def sigils(self) -> tuple[Sigil, ...]:
        """In textual order; of a range, one for each member."""
        if isinstance(self.target, tuple):
            return self.target
        return tuple(Sigil(c, self.target.post) for c in range(self.target.start, self.target.end + 1))

    def __str__(self) -> str:
        name = self.generator
        if self.variant and self.variant != VARIANTS[name][0]:
            name += f":{self.variant}"
        if isinstance(self.target, Range):
            return f"{name}@{self.target}"
        first, *rest = map(str, self.target)
        return f"{name}@{first}[{','.join(rest)}]" if self.form == "[" else f"{name}@{self.form.join([first, *rest])}"


@dataclass(frozen=True, slots=True)
class Phrase:
    """Branches, which are sequences of terms, under a transform or none. A term under a transform is one, too."""

    transform: Transform | None
    branches: tuple[tuple[Term, ...], ...]

    def __str__(self) -> str:
        prefix = self.transform.prefix if self.transform else ""
        return prefix + " || ".join(" . ".join(map(str, branch)) for branch in self.branches)


@dataclass(frozen=True, slots=True)
class Group:
    """A phrase in parentheses."""

    body: Phrase

    def __str__(self) -> str:
        return f"({self.body})"


Term = Op | Group | Phrase
