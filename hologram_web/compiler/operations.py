"""The operations of the IR: one row each, and what follows from the rows.

What passes, proofs and costs need to know of an operation stands in its row: operands and result, what it does, what it
may trap on, what it costs, what range and exact value it has. `check.py` verifies functions against these rows.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

__all__ = [
    "ABSORBING",
    "ACCESSES",
    "ADDS",
    "BITWISE",
    "CALLS",
    "CANCELLING",
    "CHANGES",
    "CHOICES",
    "CLAMPS",
    "COMPARISONS",
    "COUNTS",
    "DIVISIONS",
    "DROPPING",
    "EFFECTS",
    "FOLDED",
    "IDLE",
    "JOINING",
    "LEAVES",
    "LOGIC",
    "MODULAR",
    "OPERATIONS",
    "PLACED",
    "PURE",
    "REACHING",
    "SAME",
    "SHIFTS",
    "SIGNLESS",
    "WRAPPING",
    "WRITES",
    "Extremes",
    "Operation",
]

Extremes = tuple[int, int]  # the least and the greatest value, both included


class Operation(NamedTuple):
    """A row.

    `takes` has a letter for each operand: `t` of the result's type, `a` of the type that `attr` is, `p` a predicate,
    `u` U32, `l` I64, `n` an integer of any type, `e` of the element's type, `*` anything, and `...` any number of
    them. `gives` is one of `t` any type, `i` an integer, `f` a float, `u` U32, `p` a
    predicate, and empty for nothing. `attr`
    names what the attribute is. `kind` is `pure`, `leaf` (there from the start), `phi` or `effect`.
    """

    takes: str
    gives: str
    kind: str = "pure"
    attr: str = ""
    cost: str = "dear"  # "free", "cheap" or "dear": see passes/costs.py
    primitive: str = ""  # the method of an ops namespace, where it is called otherwise
    commutes: bool = False
    traps: bool = False  # on integers, where the second operand is 0
    writes: bool = False  # memory, which others see
    may_go: bool = False  # an effect that is nothing without its value, once it is proven not to fault
    range: Callable[..., Extremes | None] | None = None  # of integers; None where nothing is known
    exact: Callable[..., int] | None = None  # on exact integers, as conditions of proofs are computed
    sign: str = ""  # how it is written in conditions for people
    idle: int | None = None  # the second operand that changes nothing, of integers and predicates
    itself: str = ""  # what it makes of an integer or predicate and the same once more, its last two: "same", "zero"
    absorbs: bool = False  # with 0 it is 0, of integers
    adds: int = 0  # its second operand to the first one, or takes it away if it is -1
    joins: bool = False  # of integers, one with a constant after another is one, with what both constants make
    grows: int = 0  # with its first operand; and with the second one, or falls with it if it is -1
    wraps: bool = False  # of small integers, what it makes may be none
    bitwise: bool = False  # each bit by itself
    drops: bool = False  # bits that leave the integer are gone, moved by a second operand modulo its bits
    folded: bool = False  # of F32, compilers of a target's code may compute it otherwise
    signless: bool = False  # the same bits with and without a sign
    opposite: str = ""  # the comparison of the operands the other way around that holds where it does not
    in_pairs: int = 3  # what a cheap one costs of 64 bits


def _sum(a: Extremes, b: Extremes) -> Extremes:
    return a[0] + b[0], a[1] + b[1]


def _difference(a: Extremes, b: Extremes) -> Extremes:
    return a[0] - b[1], a[1] - b[0]


def _product(a: Extremes, b: Extremes) -> Extremes:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _bits(a: Extremes, b: Extremes) -> Extremes:
    """Of what is made bit by bit: no more of them, and a sign if one has it."""
    most = (1 << max(max(high, ~low).bit_length() for low, high in (a, b))) - 1
    return (0, most) if min(a[0], b[0]) >= 0 else (~most, most)


def _and(a: Extremes, b: Extremes) -> Extremes:
    positive = [high for low, high in (a, b) if low >= 0]
    return (0, min(positive)) if positive else _bits(a, b)


def _divide(a: Extremes, b: Extremes) -> Extremes:
    if b[0] < 0:
        most = max(-a[0], a[1])
        return -most, most
    return min(a[0] // max(b[0], 1), 0), max(a[1] // max(b[0], 1), 0)


def _remainder(a: Extremes, b: Extremes) -> Extremes | None:
    return (0, max(min(a[1], b[1] - 1), 0)) if a[0] >= 0 and b[0] >= 0 else None


def _right(a: Extremes, b: Extremes) -> Extremes:
    if b[0] == b[1] and b[1] < 32:
        return a[0] >> b[0], a[1] >> b[0]
    return min(a[0], 0), max(a[1], -1)


def _left(a: Extremes, b: Extremes) -> Extremes | None:
    return (a[0] << b[0], a[1] << b[0]) if b[0] == b[1] and b[1] < 32 else None


def _smaller(a: Extremes, b: Extremes) -> Extremes:
    return min(a[0], b[0]), min(a[1], b[1])


def _greater(a: Extremes, b: Extremes) -> Extremes:
    return max(a[0], b[0]), max(a[1], b[1])


# fmt: off
OPERATIONS: dict[str, Operation] = {
    # What is there from the start of the kernel or the lane
    "const": Operation("", "t", "leaf", "bits", "free"),
    "param": Operation("", "t", "leaf", "name", "free"),
    "special": Operation("", "t", "leaf", "name", "free"),
    "phi": Operation("t...", "t", "phi", cost="free"),
    # Arithmetic
    "add": Operation(
        "tt", "t", cost="cheap", commutes=True, exact=operator.add, sign="+", range=_sum,
        idle=0, adds=1, grows=1, wraps=True, folded=True, signless=True,
    ),
    "sub": Operation(
        "tt", "t", cost="cheap", exact=operator.sub, sign="-", range=_difference,
        idle=0, itself="zero", adds=-1, grows=-1, wraps=True, folded=True, signless=True,
    ),
    "mul": Operation(
        "tt", "t", cost="cheap", commutes=True, exact=operator.mul, sign="*", range=_product,
        idle=1, absorbs=True, joins=True, grows=1, wraps=True, folded=True, signless=True, in_pairs=8,
    ),
    "div": Operation(
        "tt", "t", traps=True, exact=operator.floordiv, sign="//", range=_divide, idle=1, wraps=True, folded=True,
    ),
    "rem": Operation("tt", "t", traps=True, range=_remainder),
    "min": Operation("tt", "t", cost="cheap", commutes=True, exact=min, range=_smaller, itself="same", grows=1),
    "max": Operation("tt", "t", cost="cheap", commutes=True, exact=max, range=_greater, itself="same", grows=1),
    "neg": Operation("t", "t", cost="cheap", range=lambda a: (-a[1], -a[0]), wraps=True, signless=True),
    "abs": Operation("t", "t", cost="cheap", range=lambda a: (max(a[0], -a[1], 0), max(-a[0], a[1])), wraps=True),
    "fma": Operation("ttt", "f"),
    "sqrt": Operation("t", "f", folded=True),
    "floor": Operation("t", "f", cost="cheap"),
    "ceil": Operation("t", "f", cost="cheap"),
    "round": Operation("t", "f", cost="cheap"),
    "trunc": Operation("t", "f", cost="cheap"),
    # Bits
    "and": Operation(
        "tt", "i", cost="cheap", primitive="and_", commutes=True, range=_and,
        itself="same", absorbs=True, joins=True, bitwise=True,
    ),
    "or": Operation(
        "tt", "i", cost="cheap", primitive="or_", commutes=True, range=_bits,
        idle=0, itself="same", joins=True, bitwise=True,
    ),
    "xor": Operation(
        "tt", "i", cost="cheap", commutes=True, range=_bits, idle=0, itself="zero", joins=True, bitwise=True,
    ),
    "not": Operation("t", "i", cost="cheap", primitive="not_", range=lambda a: (~a[1], ~a[0]), bitwise=True),
    "shl": Operation("tu", "i", cost="cheap", range=_left, idle=0, wraps=True, drops=True, signless=True),
    "shr": Operation("tu", "i", cost="cheap", exact=operator.rshift, range=_right, idle=0, drops=True),
    "rotl": Operation("tu", "i", cost="cheap", signless=True),
    "popcount": Operation("a", "u", attr="type", cost="cheap", range=lambda a: (0, 64)),
    "clz": Operation("a", "u", attr="type", cost="cheap", range=lambda a: (0, 64)),
    "ctz": Operation("a", "u", attr="type", cost="cheap", range=lambda a: (0, 64)),
    "inverse": Operation("tt", "i"),
    # Types, choices, comparisons
    "cvt": Operation("a", "t", attr="type", cost="cheap", exact=int, grows=1, in_pairs=1),
    "bitcast": Operation("a", "t", attr="type", cost="cheap"),
    # Of what legalise.py makes: the sign of the lower bits of a word, a value of which compilers of the target's code
    # know nothing, and a number as a float rounded to odd
    "extend": Operation("t", "i", attr="type", cost="cheap"),
    "opaque": Operation("t", "t", cost="cheap"),
    # Of I32: the products of the upper and of the lower 16 bits, which have signs, together
    "dot": Operation("tt", "i", cost="cheap"),
    "cvt_odd": Operation("a", "f", attr="type"),
    "select": Operation("ptt", "t", cost="cheap", itself="same"),
    "eq": Operation("aa", "p", attr="type", cost="cheap", commutes=True),
    "lt": Operation("aa", "p", attr="type", cost="cheap", exact=operator.lt, sign="<", opposite="le"),
    "le": Operation("aa", "p", attr="type", cost="cheap", exact=operator.le, sign="<=", opposite="lt"),
    "pand": Operation("pp", "p", cost="cheap", commutes=True, idle=1, itself="same"),
    "por": Operation("pp", "p", cost="cheap", commutes=True, idle=0, itself="same"),
    "pnot": Operation("p", "p", cost="cheap"),
    # Of what packets.py makes: a mask, and whether it has a lane
    "mask": Operation("", "p", cost="free"),
    "any": Operation("p", "p", cost="cheap"),
    # Functions: `call_if` computes one only where a predicate holds, and gives its second operand elsewhere
    "call": Operation("*...", "t", attr="routine", cost="long"),
    "call_if": Operation("pt*...", "t", attr="routine", cost="long"),
    # Effects
    "load": Operation("n", "t", "effect", "access", "cheap", may_go=True, in_pairs=1),
    "store": Operation("ne", "", "effect", "access", "cheap", writes=True, in_pairs=1),
    "atomic": Operation("nt...", "t", "effect", "operation", writes=True),
    "reduce": Operation("nl", "t", "effect", "operation"),
    "guard": Operation("p*...", "", "effect", "fault"),
    "fence": Operation("", "", "effect"),
    # Of what the host does with a program (host.py): a launch of a lane region, and a collective
    "region": Operation("*...", "", "effect", "region"),
    "collective": Operation("*...", "", "effect", "collective"),
}
# fmt: on


def _those(holds: Callable[[Operation], bool]) -> frozenset[str]:
    return frozenset(name for name, row in OPERATIONS.items() if holds(row))


EFFECTS = _those(lambda row: row.kind == "effect")
# Values that are there from the start of the kernel or the lane: never kept in variables of their own.
LEAVES = _those(lambda row: row.kind == "leaf")
ACCESSES = _those(lambda row: row.attr == "access")
WRITES = _those(lambda row: row.writes)
CALLS = _those(lambda row: row.attr == "routine")
DIVISIONS = _those(lambda row: row.traps)
SHIFTS = _those(lambda row: row.takes == "tu")
ADDS = {name: row.adds for name, row in OPERATIONS.items() if row.adds}
IDLE = _those(lambda row: row.idle is not None and row.gives != "p")
SAME = _those(lambda row: row.itself == "same")
CHOICES = _those(lambda row: row.itself == "same" and row.gives == "t")  # one of the operands
CLAMPS = CHOICES & _those(lambda row: row.takes == "tt")
CANCELLING = _those(lambda row: row.itself == "zero")
ABSORBING = _those(lambda row: row.absorbs)
JOINING = _those(lambda row: row.joins)
LOGIC = _those(lambda row: row.takes == "pp")
WRAPPING = _those(lambda row: row.wraps)
BITWISE = _those(lambda row: row.bitwise)
DROPPING = _those(lambda row: row.drops)
FOLDED = _those(lambda row: row.folded)
SIGNLESS = _those(lambda row: row.signless)
MODULAR = SIGNLESS & _those(lambda row: row.takes == "tt")  # lower bits follow from lower bits of both
PURE = _those(lambda row: row.kind == "pure")
PLACED = _those(lambda row: row.attr == "access" or (row.attr == "operation" and row.writes))  # of one element each
REACHING = _those(lambda row: row.attr in ("access", "operation"))  # memory
COUNTS = _those(lambda row: (row.takes, row.gives) == ("a", "u"))
COMPARISONS = _those(lambda row: (row.takes, row.gives) == ("aa", "p"))
CHANGES = _those(lambda row: (row.takes, row.gives) == ("a", "t"))  # of types
