"""Generator calls: what a circuit comes down to before it becomes a Program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hologram_web.errors import TranslateError

from .classes import CLASSES
from .parse import place_error
from .tree import VARIANTS, Group, Op, Phrase, Range

__all__ = ["Call", "calls_of"]

_CLASS = ("class",)
_PAIR = ("src", "dst")
_THREE = ("src", "context", "dst", "variant")
_REDUCTION = ("src", "dst", "n")
_SPAN = ("start", "end")
# Every call with its fields.
_FIELDS: dict[str, tuple[str, ...]] = {
    "Mark": _CLASS,
    "Copy": _PAIR,
    "Swap": ("a", "b"),
    "Merge": _THREE,
    "Split": _THREE,
    "Quote": _CLASS,
    "Evaluate": _CLASS,
    "ReduceSum": _REDUCTION,
    "ReduceMin": _REDUCTION,
    "ReduceMax": _REDUCTION,
    "Softmax": _REDUCTION,
    "MarkRange": _SPAN,
    "QuoteRange": _SPAN,
    "EvaluateRange": _SPAN,
    "MergeRange": (*_SPAN, "variant"),
}


class _Constructors(type):
    """Makes `Call.Merge(...)` a constructor, and so on."""

    def __getattr__(cls, name: str) -> Callable[..., Call]:
        if name not in _FIELDS:
            raise AttributeError(f"there is no call {name!r}: there are {', '.join(_FIELDS)}")
        return lambda *args, **fields: Call._make(name, args, fields)


class Call(metaclass=_Constructors):
    """A generator call, immutable: `Call.Merge(0, 1, 2, "Mul")`, `Call.ReduceSum(src=0, dst=1, n=100)`.

    Fields are attributes (`class_`, since `class` is a word of Python) and go by position, too; classes are 0 to 95,
    `variant` is Add or Sub if left out, `n` a number of elements, or None for the number that is given at a launch.
    Raises TranslateError for fields that are wrong.
    """

    __slots__ = ("call", "fields")

    def __init__(self, call: str, fields: dict[str, Any]) -> None:
        self.call = call
        self.fields = fields

    @classmethod
    def _make(cls, call: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> Call:
        names = _FIELDS[call]
        named = {name.rstrip("_"): value for name, value in given.items()}
        fields = {**dict(zip(names, args, strict=False)), **named}
        if "variant" in names:
            fields.setdefault("variant", "Sub" if call == "Split" else "Add")
        if set(fields) != set(names) or len(args) > len(names) or any(name in named for name in names[: len(args)]):
            raise TranslateError(
                f"{call} takes {', '.join(names)}, not {', '.join(map(str, (*args, *given))) or 'none'}"
            )
        for name in names:
            _check(call, name, fields[name])
        if "start" in fields and fields["start"] >= fields["end"]:
            raise TranslateError(f"{call}: the range from {fields['start']} to {fields['end']} has no two classes")
        return cls(call, {name: fields[name] for name in names})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Call:
        """The call that `to_dict` describes. Raises TranslateError."""
        name = data.get("call")
        if name not in _FIELDS:
            raise TranslateError(f"there is no call {name!r}: there are {', '.join(_FIELDS)}")
        return cls._make(str(name), (), {key: value for key, value in data.items() if key != "call"})

    def to_dict(self) -> dict[str, Any]:
        """`{"call": "Copy", "src": 5, "dst": 6}`."""
        return {"call": self.call, **self.fields}

    def __reduce__(self) -> tuple[Any, ...]:
        return Call, (self.call, self.fields)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name.rstrip("_")]
        except KeyError:
            raise AttributeError(f"{self.call} has no {name!r}: it has {', '.join(self.fields)}") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Call) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.call, *self.fields.values()))

    def __repr__(self) -> str:
        return f"Call.{self.call}({', '.join(f'{name}={value!r}' for name, value in self.fields.items())})"


def variants(call: str) -> tuple[str, ...]:
    """The variants of a call."""
    return tuple(name.capitalize() for name in VARIANTS["split" if call == "Split" else "merge"])


def _check(call: str, name: str, value: Any) -> None:
    whole = type(value) is int
    if name == "variant":
        wrong = "" if value in variants(call) else f"one of {', '.join(variants(call))}"
    elif name == "n":
        wrong = "" if value is None or (whole and 0 <= value < 1 << 31) else "from 0 to 2**31 - 1, or None"
    else:
        wrong = "" if whole and 0 <= value < CLASSES else f"a class from 0 to {CLASSES - 1}"
    if wrong:
        raise TranslateError(f"{call}: {name} is {wrong}, not {value!r}")


def calls_of(phrase: Phrase, text: str) -> list[Call]:
    """The calls of a canonical circuit, in textual order, groups and branches one after another.

    Raises TranslateError, with the place in `text`, for an operation that is no call.
    """
    found: list[Call] = []
    for branch in phrase.branches:
        for term in branch:
            if isinstance(term, Op):
                found.append(_call(term, text))
            else:
                found += calls_of(term.body if isinstance(term, Group) else term, text)
    return found


# The form of operands that a generator takes, and how it is written.
_FORMS = {"copy": ("->", "copy@c05->c06"), "swap": ("<->", "swap@c05<->c06")}
_FORMS |= {name: ("[", f"{name}@c00[c01,c02]") for name in ("merge", "split")}


def _call(op: Op, text: str) -> Call:
    name = op.generator.capitalize()
    form, written = _FORMS.get(op.generator, ("", f"{op.generator}@c00"))
    if isinstance(op.target, Range):
        if form and name != "Merge":
            _fail(op, text, f"{op.generator} is not supported on ranges", f"write {written}")
        fields: list[Any] = [op.target.start, op.target.end]
        return Call._make(f"{name}Range", (*fields, op.variant.capitalize()) if form else tuple(fields), {})
    if op.form != form:
        what = "needs explicit operands" if not op.form else "target form does not fit generator"
        _fail(op, text, f"{op.generator} {what}" if not op.form else what, f"write {written}")
    classes = [sigil.class_index for sigil in op.target]
    return Call._make(name, (*classes, op.variant.capitalize()) if op.variant else tuple(classes), {})


def _fail(op: Op, text: str, what: str, advice: str) -> None:
    raise place_error(text, op.offset, f"{what} at {op.offset}: {op} becomes no call, {advice}")
