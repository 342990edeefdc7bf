"""Makes random kernels: text as people write it, which is sure to be translated, to end, and to fault nowhere.

Each expression is made for a type, so that the text is accepted; but what it means is left to the oracle. Of tests one
side at least is known only while running: what a known condition rules out is not translated, nor are its types joined.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any

from .case import Array, KernelCase, Scalar
from .numbers import TYPES, Ty, bits_of, join, rounded, wrap

__all__ = ["PROFILES", "generate"]

_SMALL = tuple(ty for ty in TYPES.values() if ty.bits <= 64)
_WIDE = tuple(TYPES[name] for name in ("i128", "u128", "i256", "u256", "u512"))
I32, U32, F32, F64 = (TYPES[name] for name in ("i32", "u32", "f32", "f64"))
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_TAME = 128.0  # the greatest float of profile "gpu"; all are multiples of 1/16 there
_UNSIGNED_BITS = {"f16": "u16", "bf16": "u16", "f32": "u32", "f64": "u64"}

_HELPERS = """
def mix(h, v):
    return (hg.rotl(h, 5) ^ hg.u32(v)) * 2654435761
"""
_OF_WIDTH = {
    "64": "def mix64(h, v):\n    return mix(mix(h, v), v >> 32)\n",
    "wide": "def mix_wide(h, v):\n    return mix(mix(mix(h, v), v >> 61), v >> 101)\n",
}
_TAMED = "def tame(v):\n    return round(hg.clamp(v, -128.0, 128.0) * 16.0) * 0.0625\n"


def _of_float(ty: str) -> str:
    """The bits of a float, of NaN those of 1: arithmetic makes NaNs whose bits are unspecified."""
    unsigned = _UNSIGNED_BITS[ty]
    return f"def bits_{ty}(v):\n    return hg.bitcast(hg.{unsigned}, hg.{ty}(v if v == v else 1.0))\n"


@dataclass(frozen=True)
class Profile:
    """`tame`: floats are as GPUs have them exactly. `wide`: how many kernels of a hundred have wide integers."""

    types: tuple[Ty, ...]
    tame: bool = False
    wide: int = 8
    lines: int = 12


PROFILES = {
    "python": Profile(_SMALL, lines=12),
    "python-gpu": Profile(tuple(ty for ty in _SMALL if ty is not F64), tame=True, wide=3, lines=9),
}


@dataclass
class Variable:
    """A variable that is assigned on all paths to here."""

    name: str
    ty: Ty | None  # None for conditions
    fixed: bool = False  # annotated
    frozen: bool = False  # not to be assigned: counters


@dataclass
class Place:
    """An array that an expression may read, and the index that is the lane's own where it may be written."""

    name: str
    ty: Ty
    shape: tuple[int, ...]
    own: str = ""


@dataclass
class Scope:
    """What can be named here."""

    variables: list[Variable] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    known: list[str] = field(default_factory=list)  # constants: variables of loops that are written out
    helper: bool = False


class _Maker:
    def __init__(self, seed: int, profile: str) -> None:
        self.random = Random(f"{profile} {seed}")
        self.profile = PROFILES[profile]
        self.seed, self.name = seed, profile
        chosen = self.random.sample(self.profile.types, 4)
        if self.random.randrange(100) < self.profile.wide:
            chosen.append(self.random.choice(_WIDE[:2] if self.profile.tame else _WIDE))
        self.types = list(dict.fromkeys([*chosen, I32, U32]))
        if self.profile.tame and not any(ty.kind == "f" for ty in self.types):
            self.types.append(F32)
        self.scope = Scope()
        self.lines: list[str] = []
        self.indent = 1
        self.count = 0
        self.loops = 0
        self.used: set[str] = set()  # helpers that are needed
        self.own_helpers: list[tuple[str, list[tuple[str, Ty, bool]], Ty]] = []
        self.helper_text = ""
        self.tuples: dict[str, tuple[Any, ...]] = {}
        self.flat = self.chance(50)  # no array has two axes

    # Small choices

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def choice(self, *options: Any) -> Any:
        return self.random.choice(options)

    def fresh(self, prefix: str = "v") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def say(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    @contextmanager
    def block(self) -> Iterator[None]:
        """Lines further in. What is assigned first in there is not known behind."""
        outer = self.scope
        self.scope = Scope(list(outer.variables), list(outer.places), list(outer.known), outer.helper)
        self.indent += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.say("pass")
        self.indent -= 1
        self.scope = outer

    # Values

    def integer(self, ty: Ty) -> int:
        kind = self.random.randrange(6)
        if kind < 3:
            value = self.random.randrange(-9, 101)
        elif kind == 3:
            value = self.choice(ty.low, ty.high, ty.high - 1, ty.low + 1, ty.high // 2 + 1)
        elif kind == 4:
            value = 1 << self.random.randrange(ty.bits)
        else:
            value = self.random.getrandbits(ty.bits)
        return wrap(ty, value)

    def number(self, ty: Ty) -> Any:
        """A value of memory."""
        if ty.kind != "f":
            return self.integer(ty)
        if self.profile.tame:
            return (
                self.random.randrange(-16 * 128, 16 * 128 + 1) / 16
                if ty.name != "bf16"
                else self.random.randrange(-128, 129) / 4
            )
        kind = self.random.randrange(8)
        if kind == 0:
            return self.choice(0.0, -0.0, float("inf"), float("-inf"), float("nan"))
        if kind == 1:
            return rounded(ty, self.choice(1e-40, 6e-8, 5e-324, 65504.0, 3.4e38, 1.7e308, 2.0**24 + 1, 2.0**53, -1e-5))
        if kind < 5:
            return rounded(ty, self.random.randrange(-40, 41) / 4)
        return rounded(ty, self.random.gauss(0, 100))

    def literal(self, ty: Ty) -> str:
        """A literal that fits a type."""
        if ty.kind == "f":
            if self.chance(30):
                text = str(self.random.randrange(-9, 10))
            elif self.profile.tame:
                text = repr(self.random.randrange(-160, 161) / 16)
            else:
                text = self.choice(
                    "0.1", "-2.5", "1e-3", "0.0", "-0.0", "1e10", "math.inf", "3.0", "0.5", "7.25", "math.pi"
                )
        elif self.chance(12):  # a constant expression
            a, b = self.random.randrange(1, 9), self.random.randrange(1, 6)
            b = min(b, 3)  # at most 64
            sums = (
                f"({a} + {b})",
                f"{a} * {b}",
                f"({a} << {b})",
                f"min({a}, {b})",
                f"{a} ** 2 % 50",
                f"({a + b} // {b})",
            )
            text = self.random.choice(sums)
            return f"({text})"
        else:
            text = str(self.integer(ty) if self.chance(60) else self.random.randrange(0, 10))
        return f"({text})" if text.startswith("-") else text

    # Expressions

    def index(self, length: int, depth: int) -> str:
        """An integer from 0 to length - 1, as an I32 at most."""
        if self.chance(15) or length == 1:
            return str(self.random.randrange(length))
        if depth <= 0:  # elements whose indices are elements come to an end
            counts = [v.name for v in self.scope.variables if v.ty is not None and v.ty.kind != "f" and v.ty.bits <= 32]
            return f"{self.random.choice([*counts, 'hg.local_id()', 'hg.global_id()'])} % {length}"
        ty = self.choice(I32, I32, *(ty for ty in self.types if ty.kind != "f" and ty.bits <= 32))
        value = self.expression(ty, depth)
        kind = self.random.randrange(5)
        if kind == 0 and ty.kind == "i":
            return f"min(max({value}, 0), {length - 1})"
        if kind == 1 and ty.kind == "i":
            return f"hg.clamp({value}, 0, {length - 1})"
        if kind == 2 and not length & (length - 1):
            return f"({value} & {length - 1})"
        if kind == 3:
            return f"{length - 1} - {value} % {length}"
        return f"{value} % {length}"

    def element(self, place: Place, depth: int) -> str:
        if place.own:
            return f"{place.name}[{place.own}]"
        return f"{place.name}[{', '.join(self.index(length, depth - 1) for length in place.shape)}]"

    def running(self, ty: Ty, depth: int = 0) -> str:
        """A value of a type that only running shows."""
        options = [variable.name for variable in self.scope.variables if variable.ty is ty] * 2
        options += [self.element(place, depth) for place in self.scope.places if place.ty is ty]
        if options:
            return str(self.random.choice(options))
        others = [variable for variable in self.scope.variables if variable.ty is not None and variable.ty.kind != "f"]
        if others:
            source = self.random.choice(others).name
        elif self.scope.places:
            source = self.element(self.random.choice(self.scope.places), depth)
        else:
            source = "hg.local_id()"
        if self.profile.tame and ty.kind == "f":
            return f"hg.{ty.name}(hg.i8({source}) >> 2)"
        return f"hg.{ty.name}({source})"

    def leaf(self, ty: Ty, depth: int = 0) -> str:
        kind = self.random.randrange(10)
        if kind == 0:
            literal = self.literal(ty)
            return f"hg.{ty.name}({literal.removeprefix('(').removesuffix(')') if '(' not in literal[1:] else literal})"
        if kind == 1 and ty is I32:
            return self.counted()
        if kind == 2 and self.scope.known and ty.kind != "f":
            return f"hg.{ty.name}({self.random.choice(self.scope.known)})"
        return self.running(ty, depth)

    def counted(self) -> str:
        """A length, an id or the variable of a written-out loop: they are I32, known or not."""
        arrays = [place for place in self.scope.places if not place.own]
        arrays += [place for place in arrays if place.name[0] in "mt"] * 6  # whose lengths are known
        options = [f"len({place.name})" for place in arrays] + [f"len({name})" for name in self.tuples]
        options += [f"{place.name}.shape[{self.random.randrange(len(place.shape))}]" for place in arrays]
        known = self.scope.known * 6 if self.chance(60) else []
        ids = ["hg.block_dim()", "hg.local_id()", "hg.global_id()", "hg.grid_dim()"]
        return str(self.random.choice(known or [*options, *ids]))

    def operand(self, ty: Ty, depth: int) -> str:
        """What leaves the type as it is when both meet: a value of it, of a narrower type, a literal, a condition."""
        kind = self.random.randrange(10)
        if kind < 3:
            return self.literal(ty)
        if kind == 3:
            others = [other for other in self.types if other is not ty and join(ty, other) is ty]
            if others:
                return self.expression(self.random.choice(others), depth)
        if kind == 4:
            test = self.test(min(depth, 1))
            return self.choice(
                f"({test})",
                f"(({test}) + {self.random.randrange(1, 4)})",
                f"(1 if {test} else {self.random.randrange(9)})",
            )
        return self.expression(ty, depth)

    def tamed(self, ty: Ty, text: str) -> str:
        if not self.profile.tame or ty.kind != "f":
            return text
        self.used.add("tame")
        return f"tame({text})"

    def expression(self, ty: Ty, depth: int) -> str:
        """An expression of a type."""
        if depth <= 0 or self.chance(12):
            return self.leaf(ty, depth)
        form = self.random.choice(_FORMS)
        made = form(self, ty, depth - 1)
        return made if made is not None else self.leaf(ty, depth)

    def both(self, ty: Ty, depth: int) -> tuple[str, str]:
        """Two operands, one of them of the type, in any order."""
        pair = [self.expression(ty, depth), self.operand(ty, depth)]
        self.random.shuffle(pair)
        return pair[0], pair[1]

    def test(self, depth: int) -> str:
        """A condition."""
        kind = self.random.randrange(11)
        if depth > 0 and kind < 3:
            parts = [self.test(depth - 1) for _ in range(self.choice(2, 2, 3))]
            return f"({self.choice(' and ', ' or ').join(parts)})"
        if depth > 0 and kind == 3:
            return f"(not {self.test(depth - 1)})"
        conditions = [variable.name for variable in self.scope.variables if variable.ty is None]
        if kind == 4 and conditions:
            return str(self.random.choice(conditions))
        ty = self.random.choice(self.types)
        left = self.running(ty, depth)
        if self.chance(40):
            left = self.tamed(ty, f"({left} {self.choice(*'+-')} {self.operand(ty, depth - 1)})")
        if kind == 5:
            others = ", ".join(self.operand(ty, depth - 1) for _ in range(self.random.randrange(1, 4)))
            return f"({left} {self.choice('in', 'not in')} ({others},))"
        right = self.operand(ty, depth - 1)
        if kind == 6:
            middle = self.expression(ty, depth - 1)
            return f"({left} {self.choice(*_COMPARISONS)} {middle} {self.choice(*_COMPARISONS)} {right})"
        if kind == 7 and not right.lstrip("(-").replace(".", "").rstrip(")").isalnum():
            return f"({right} {self.choice(*_COMPARISONS)} {left})"
        return f"({left} {self.choice(*_COMPARISONS)} {right})"

    # Statements

    def mix(self, variable: Variable) -> str:
        """The line that hashes a variable."""
        name, ty = variable.name, variable.ty
        if ty is None:
            return f"h = mix(h, 3 if {name} else 5)"
        if ty.kind == "f":
            self.used.add(ty.name)
            name, bits = f"bits_{ty.name}({name})", ty.bits
        else:
            bits = ty.bits
        if bits <= 32:
            return f"h = mix(h, {name})"
        self.used.add("64" if bits == 64 else "wide")
        return f"h = {'mix64' if bits == 64 else 'mix_wide'}(h, {name})"

    def statements(self, count: int, depth: int) -> None:
        """Lines, and then the hash of what they were the first to assign."""
        before = len(self.scope.variables)
        for _ in range(count):
            self.random.choice(_STATEMENTS)(self, depth)
        if not self.scope.helper and self.indent > 1:
            for variable in self.scope.variables[before:]:
                self.say(self.mix(variable))

    def assign(self, depth: int) -> None:
        del depth
        scope, kind = self.scope, self.random.randrange(12)
        free = [variable for variable in scope.variables if not variable.frozen and variable.ty is not None]
        if kind < 4 or not free:
            self.declare()
        elif kind < 8:
            variable = self.random.choice(free)
            assert variable.ty is not None
            if kind == 4 and not variable.fixed and not scope.helper and not self.profile.tame:
                wider = [ty for ty in self.types if self._widens(variable.ty, ty)]
                if wider:
                    ty = self.random.choice(wider)
                    self.say(f"{variable.name} = {self.expression(ty, 2)}")
                    variable.ty = ty
                    return
            value = self.value_for(variable, 3)
            self.say(f"{variable.name} = {value}")
        else:
            self.augment(self.random.choice(free))

    def _widens(self, ty: Ty, to: Ty) -> bool:
        """Whether a variable may become wider, so that every literal it meets goes on to fit."""
        same = (ty.kind == "f") == (to.kind == "f")
        # An index has 64 bits at most, one of several 32.
        far = to.bits <= 64 and (self.flat or (to.bits > 32) == (ty.bits > 32))
        return same and far and to.bits > ty.bits and (to.kind != "u" or ty.kind == "u")

    def value_for(self, variable: Variable, depth: int) -> str:
        ty = variable.ty
        assert ty is not None
        if variable.fixed and self.chance(50) and not (self.profile.tame and ty.kind == "f"):  # converted
            others = [other for other in self.types if (other.kind == "f") <= (ty.kind == "f")]
            return self.expression(self.random.choice(others), depth)
        value = self.expression(ty, depth)
        return f"hg.{ty.name}({value})" if self.scope.helper and not variable.fixed else value

    def declare(self) -> None:
        scope = self.scope
        if self.chance(10):
            name = self.fresh("b")
            self.say(f"{name} = {self.test(2)}")
            scope.variables.append(Variable(name, None))
            return
        ty = self.random.choice(self.types)
        variable = Variable(self.fresh(), ty, fixed=self.chance(25))
        value = self.value_for(variable, 3)
        self.say(f"{variable.name}{f': hg.{ty.name}' if variable.fixed else ''} = {value}")
        scope.variables.append(variable)

    def augment(self, variable: Variable) -> None:
        ty = variable.ty
        assert ty is not None
        name = variable.name
        if ty.kind == "f":
            if self.profile.tame:
                changed = f"{name} {self.choice(*'+-*')} {self.operand(ty, 2)}"
                self.say(f"{name} = {self.tamed(ty, changed)}")
            else:
                self.say(f"{name} {self.choice(*'+-*/')}= {self.operand(ty, 2)}")
            return
        symbol = self.choice("+", "-", "*", "&", "|", "^", "<<", ">>", "//", "%")
        if symbol in ("<<", ">>"):
            value = self.amount(ty, 1)
        elif symbol in ("//", "%"):
            value = self.divisor(ty, 1)
        else:
            value = self.operand(ty, 2)
        self.say(f"{name} {symbol}= {value}")

    def amount(self, ty: Ty, depth: int) -> str:
        """By how many bits to shift."""
        if self.chance(50):
            return (
                str(self.random.randrange(0, ty.bits + 5)) if self.chance(90) else f"(-{self.random.randrange(1, 9)})"
            )
        other = self.random.choice([other for other in self.types if other.kind != "f"])
        return self.expression(other, depth)

    def divisor(self, ty: Ty, depth: int) -> str:
        if self.chance(50):
            value = self.integer(ty) or 3
            return f"({value})" if value < 0 else str(value)
        return f"({self.expression(ty, depth)} | 1)"

    def store(self, depth: int) -> None:
        """A store to an element of the lane's own, or to a private array."""
        del depth
        places = [place for place in self.scope.places if place.own or place.name.startswith("m")]
        if not places:
            return
        place = self.random.choice(places)
        target = self.element(place, 1)
        if place.ty.kind != "f" and self.chance(30):
            symbol = self.choice(*"+-*&|^")
            self.say(f"{target} {symbol}= {self.operand(place.ty, 2)}")
        elif place.ty.kind != "f" and self.chance(30):
            other = self.random.choice([ty for ty in self.types if ty.kind != "f"])
            self.say(f"{target} = {self.expression(other, 2)}")
        else:
            self.say(f"{target} = {self.expression(place.ty, 3)}")

    def swap(self, depth: int) -> None:
        del depth
        free = [v for v in self.scope.variables if not v.frozen and v.ty is not None]
        if len(free) < 2:
            return
        a, b = self.random.sample(free, 2)
        if a.ty is b.ty and self.chance(60):
            self.say(f"{a.name}, {b.name} = {b.name}, {a.name}")
        else:
            self.say(f"{a.name}, {b.name} = {self.value_for(a, 2)}, {self.value_for(b, 2)}")

    def branch(self, depth: int) -> None:
        if depth <= 0:
            return
        self.say(f"if {self.test(2) if self.chance(85) else self.running(self.random.choice(self.types))}:")
        with self.block():
            self.statements(self.random.randrange(1, 3), depth - 1)
        for _ in range(self.choice(0, 0, 0, 1, 2)):
            self.say(f"elif {self.test(1)}:")
            with self.block():
                self.statements(self.random.randrange(1, 3), depth - 1)
        if self.chance(50):
            self.say("else:")
            with self.block():
                self.statements(self.random.randrange(1, 3), depth - 1)

    def _body(self, depth: int, count: int) -> None:
        """The body of a loop, with a way out."""
        self.loops += 1
        if self.chance(35):
            place = self.random.randrange(2)
            if place:
                self.statements(1, depth - 1)
            self.say(f"if {self.test(1)}:")
            with self.block():
                if self.chance(50):
                    self.statements(1, 0)
                self.say(self.choice("break", "continue"))
        self.statements(count, depth - 1)
        self.loops -= 1

    def count_loop(self, depth: int) -> None:
        if depth <= 0 or self.loops >= 2:
            return
        name = self.fresh("j")
        n = self.random.randrange(1, 5)
        start = self.random.randrange(-3, 6)
        integers = [ty for ty in self.types if ty.kind != "f" and ty.bits <= 64]
        ty = self.random.choice(integers)
        counted = ty if ty.bits >= 32 else I32
        value = self.running(ty)
        forms = [
            (f"{n}", I32),
            (f"{start}, {start + 2 * n}, {self.choice(1, 2)}", I32),
            (f"{start + 3 * n}, {start}, {self.choice(-1, -2, -3)}", I32),
            (f"({value} & 3)", counted),
            (f"({value} & 7), 9, 2", counted),
            (f"0, 7, ({value} & 1) + 2", counted),
            (f"hg.{ty.name}({n})", counted),
        ]
        if ty.kind == "i":
            forms += [(f"{value} % 5, -2, -2", counted), (f"3, -5, -1 - ({value} & 3)", counted)]
        text, counted = self.random.choice(forms)
        self.say(f"for {name} in range({text}):")
        with self.block():
            self.scope.variables.append(Variable(name, counted, frozen=True))
            self._body(depth, self.random.randrange(1, 4))

    def constant_loop(self, depth: int) -> None:
        """A loop that is written out."""
        if depth <= 0 or self.loops >= 2 or not self.tuples:
            return
        table = self.random.choice(sorted(self.tuples))
        name = self.fresh("c")
        size = len(self.tuples[table])
        if self.chance(40):
            self.say(f"for {name} in {table}:")
            with self.block():
                self.loops += 1
                free = [
                    v for v in self.scope.variables if not v.frozen and v.ty and v.ty.kind != "f" and v.ty.bits >= 8
                ]
                for variable in free[:2]:
                    self.say(f"{variable.name} {self.choice(*'+-*^')}= {name}")
                self.statements(1, depth - 1)
                self.loops -= 1
            return
        bounds = self.choice(f"{size}", f"len({table})", f"{size - 1}, -1, -1", f"hg.u8({size})")
        self.say(f"for {name} in range({bounds}):")
        with self.block():
            self.scope.known.append(name)
            self.loops += 1
            narrow = [v for v in self.scope.variables if v.ty and v.ty.kind != "f" and v.ty.bits < 32]
            if narrow and self.chance(60):
                wide = Variable(self.fresh(), I32)
                self.say(f"{wide.name} = {self.random.choice(narrow).name} + {name} * {self.random.randrange(2, 99)}")
                self.scope.variables.append(wide)
            ints = [v for v in self.scope.variables if not v.frozen and v.ty and v.ty.kind != "f" and not v.fixed]
            if ints:
                variable = self.random.choice(ints)
                value = self.choice(f"{table}[{name}]", f"{table}[{size - 1} - {name}]", f"{table}[min({name}, 1)]")
                self.say(f"{variable.name} = hg.{variable.ty.name}({variable.name} + {name} * {value})")  # type: ignore[union-attr]
            else:
                new = Variable(self.fresh(), I32)
                self.say(f"{new.name} = hg.i32({table}[{name}])")
                self.scope.variables.append(new)
            self.statements(self.random.randrange(1, 3), depth - 1)
            self.loops -= 1

    def while_loop(self, depth: int) -> None:
        if depth <= 0 or self.loops >= 2:
            return
        name = self.fresh("f")
        self.say(f"{name} = 0")
        self.say(f"while {name} < {self.random.randrange(1, 6)} and {self.test(1)}:")
        with self.block():
            self.say(f"{name} += 1")
            self.scope.variables.append(Variable(name, I32, frozen=True))
            self._body(depth, self.random.randrange(1, 4))
        self.scope.variables.append(Variable(name, I32, frozen=True))

    def private(self, depth: int) -> None:
        """A private array, filled by a loop."""
        if self.indent > 1 or self.scope.helper:
            return
        ty, name = self.random.choice(self.types), self.fresh("m")
        shape = self.choice((3,), (4,), (7,)) if self.flat else self.choice((3,), (2, 3), (3, 2))
        self.say(f"{name} = hg.local(hg.{ty.name}, {shape[0] if len(shape) == 1 else shape})")
        place = Place(name, ty, shape)
        self.scope.places.append(place)
        for _ in range(2):
            self.say(f"{self.element(place, 1)} = {self.expression(ty, min(depth, 2))}")

    def leave(self, depth: int) -> None:
        """Some lanes are through."""
        del depth
        if self.indent > 1 or self.scope.helper or self.chance(60):
            return
        self.say(f"if {self.test(1)}:")
        with self.block():
            self.say("H[i] = h ^ 77")
            self.say("return")

    def gather(self, depth: int) -> None:
        """An atomic on cells that all lanes share, of one kind for each array."""
        del depth
        if self.scope.helper:
            return
        name, ty, operation, size = self.random.choice(self.cells)
        call = f"hg.atomic_{operation}({name}, {self.index(size, 1)}, {self.operand(ty, 2)})"
        self.say(call)

    def exchange(self, depth: int) -> None:
        """Through shared memory, with barriers."""
        if self.indent > 1 or self.scope.helper or self.chance(50):
            return
        name, ty = self.fresh("t"), self.random.choice(self.types)
        width, height = (*self.block_shape, 1)[:2]
        two = len(self.block_shape) == 2
        shape = (height, width) if two else (width,)
        mine = "hg.local_id(1), hg.local_id()" if two else "hg.local_id()"
        self.say(f"{name} = hg.shared(hg.{ty.name}, {shape if two else width})")
        place = Place(name, ty, shape)
        if self.chance(30) and ty in (I32, U32):
            operation = self.choice("add", "min", "max", "xor", "or")
            index = ", ".join(self.index(length, 1) for length in shape)
            self.say(f"hg.atomic_{operation}({name}, {f'({index})' if two else index}, {self.operand(ty, 2)})")
            self.say("hg.barrier()")
        elif self.chance(40):
            variable = Variable(self.fresh(), ty)
            self.say(f"{variable.name} = {self.expression(ty, 2)}")
            self.scope.variables.append(variable)
            self.say(f"for {self.fresh('j')} in range({self.choice('2', '1, 7, 3', '3, 0, -1')}):")
            with self.block():
                self.say(f"{name}[{mine}] = {self.expression(ty, 2)}")
                self.say("hg.barrier()")
                joined = f"{variable.name} {self.choice(*'+-*')} {self.element(place, 1)}"
                self.say(f"{variable.name} = {self.tamed(ty, joined)}")
                self.say("hg.barrier()")
        else:
            self.say(f"{name}[{mine}] = {self.expression(ty, 3)}")
            self.say("hg.barrier()")
        self.scope.places.append(place)

    # The whole

    def helper(self) -> None:
        """A function that is inlined. Its results are of one type, whatever it is given."""
        name, ty = self.fresh("g"), self.random.choice(self.types)
        parameters = [
            (self.fresh("p"), self.random.choice(self.types), self.chance(60))
            for _ in range(self.random.randrange(1, 4))
        ]
        outer, lines, loops = self.scope, self.lines, self.loops
        variables = [Variable(p, t, fixed=annotated, frozen=not annotated) for p, t, annotated in parameters]
        self.scope, self.lines, self.loops = Scope(variables, helper=True), [], 1
        self.statements(self.random.randrange(0, 3), 1)
        if self.chance(40):
            self.say(f"if {self.test(1)}:")
            with self.block():
                self.say(f"return hg.{ty.name}({self.expression(ty, 2)})")
        self.say(f"return hg.{ty.name}({self.expression(ty, 2)})")
        signature = ", ".join(f"{p}: hg.{t.name}" if annotated else p for p, t, annotated in parameters)
        returns = f" -> hg.{ty.name}" if self.chance(30) else ""
        self.helper_text += f"\ndef {name}({signature}){returns}:\n" + "".join(f"{line}\n" for line in self.lines)
        self.scope, self.lines, self.loops = outer, lines, loops
        self.own_helpers.append((name, parameters, ty))

    def make(self) -> KernelCase:
        random = self.random
        two = not self.flat and self.chance(40)
        lanes: tuple[int, ...] = (random.randrange(1, 13),)
        if two:
            lanes = (random.randrange(1, 5), random.randrange(1, 4))
        self.block_shape = (self.choice(1, 2, 3), self.choice(1, 2)) if two else (self.choice(1, 2, 4, 8),)
        total = prod(lanes)
        for _ in range(random.randrange(0, 3)):
            size = random.randrange(2, 5)
            name = self.fresh("T")
            self.tuples[name] = tuple(random.randrange(0, 8) for _ in range(size))
        for _ in range(random.randrange(0, 3)):
            self.helper()
        scope = self.scope
        arrays, scalars = [], []
        for number in range(2 if self.profile.tame else random.randrange(2, 4)):
            ty = self.types[number]
            shape = (
                (random.randrange(1, 4), random.randrange(1, 5))
                if not self.flat and self.chance(50)
                else (random.randrange(1, 10),)
            )
            bits = tuple(bits_of(ty, self.number(ty)) for _ in range(prod(shape)))
            arrays.append(Array(f"A{number}", ty.name, shape, bits))
            scope.places.append(Place(f"A{number}", ty, shape))
        for number in range(random.randrange(0, 3)):
            ty = random.choice([ty for ty in self.types if ty.bits <= 64])
            scalars.append(Scalar(f"s{number}", ty.name, bits_of(ty, self.number(ty))))
            scope.variables.append(Variable(f"s{number}", ty, fixed=True))
        for number in range(1 if self.profile.tame else 2):
            ty = random.choice(self.types)
            bits = tuple(bits_of(ty, self.number(ty)) for _ in range(total))
            arrays.append(Array(f"O{number}", ty.name, (total,), bits))
            scope.places.append(Place(f"O{number}", ty, (total,), "i"))
        self.cells = []
        for number in range(1 if self.profile.tame else 2):
            ty, size = self.choice(I32, U32), random.randrange(1, 5)
            operation = self.choice("add", "min", "max", "and", "or", "xor")
            self.cells.append((f"C{number}", ty, operation, size))
            arrays.append(
                Array(f"C{number}", ty.name, (size,), tuple(bits_of(ty, self.integer(ty)) for _ in range(size)))
            )
        self.own_cells = self.choice(I32, U32)
        bits = tuple(bits_of(self.own_cells, self.integer(self.own_cells)) for _ in range(total))
        arrays.append(Array("D", self.own_cells.name, (total,), bits))
        arrays.append(Array("H", "u32", (total,), (0,) * total))
        index = f"hg.global_id(1) * {lanes[0]} + hg.global_id()" if two else "hg.global_id()"
        scope.variables += [Variable("i", I32, frozen=True), Variable("h", U32, frozen=True)]
        self.say(f"i = {index}")
        self.say(f"h = hg.u32({random.randrange(1000)})")
        for ty in self.types:
            self.first(ty)
        self.statements(random.randrange(3, self.profile.lines), 2)
        for variable in scope.variables:
            if variable.name != "h":
                self.say(self.mix(variable))
        self.say("H[i] = h")
        return KernelCase(
            self.text(arrays, scalars), lanes, self.block_shape, tuple(arrays), tuple(scalars), self.seed, self.name
        )

    def first(self, ty: Ty) -> None:
        """A variable whose value the lanes do not share."""
        variable = Variable(self.fresh(), ty, fixed=self.chance(20))
        if ty.kind == "f":
            value = f"hg.{ty.name}(i - {self.random.randrange(5)}) {self.choice(*'+-')} {self.literal(ty)}"
        else:
            value = f"hg.{ty.name}({self.literal(I32)} + i * {self.random.randrange(1, 200)})"
        elements = [self.element(place, 0) for place in self.scope.places if place.ty is ty]
        value = self.random.choice([value, *elements])
        self.say(f"{variable.name}{f': hg.{ty.name}' if variable.fixed else ''} = {value}")
        self.scope.variables.append(variable)

    def text(self, arrays: list[Array], scalars: list[Scalar]) -> str:
        parameters = [f"{scalar.name}: hg.{scalar.ty}" for scalar in scalars]
        for array in arrays:
            axes = f", {len(array.shape)}" if len(array.shape) > 1 else ""
            parameters.append(f"{array.name}: hg.Array[hg.{array.ty}{axes}]")
        if "tame" in self.used:
            helpers = f"{_HELPERS}\n{_TAMED}"
        else:
            helpers = _HELPERS
        for name in sorted(self.used - {"tame"}):
            helpers += "\n" + (_OF_WIDTH[name] if name in _OF_WIDTH else _of_float(name))
        tuples = "".join(f"{name} = {value!r}\n" for name, value in self.tuples.items())
        body = "\n".join(self.lines)
        head = f"@hg.kernel\ndef k({', '.join(parameters)}):"
        return f"import math\nimport hologram_web as hg\n\n{tuples}{helpers}{self.helper_text}\n{head}\n{body}\n"


# Forms of expressions: each makes one of a type, or None where it has none


def _binary(m: _Maker, ty: Ty, depth: int) -> str:
    a, b = m.both(ty, depth)
    symbols = "+-*" if ty.kind == "f" else "+-*&|^"
    return m.tamed(ty, f"({a} {m.choice(*symbols)} {b})")


def _with_length(m: _Maker, ty: Ty, depth: int) -> str | None:
    narrow = [other for other in m.types if other.kind != "f" and other.bits < 32]
    if ty is not I32 or not narrow:
        return None
    pair = [m.expression(m.random.choice(narrow), depth), m.counted()]
    m.random.shuffle(pair)
    return f"({pair[0]} {m.choice('+', '-', '*')} {pair[1]}{m.choice('', ' * 70', ' * 3')})"


def _unary(m: _Maker, ty: Ty, depth: int) -> str:
    return f"({m.choice('-', '-', '+') if ty.kind == 'f' else m.choice('-', '~', '+')}{m.expression(ty, depth)})"


def _conditional(m: _Maker, ty: Ty, depth: int) -> str:
    test = m.test(depth)
    if m.scope.helper:
        return f"(hg.{ty.name}({m.expression(ty, depth)}) if {test} else hg.{ty.name}({m.expression(ty, depth)}))"
    a, b = m.both(ty, depth)
    return f"({a} if {test} else {b})"


def _select(m: _Maker, ty: Ty, depth: int) -> str:
    a, b = m.both(ty, depth)
    return f"hg.select({m.test(depth)}, {a}, {b})"


def _cast(m: _Maker, ty: Ty, depth: int) -> str:
    other = m.random.choice(m.types)
    value = m.expression(other, depth)
    if m.profile.tame and ty.kind == "f" and other.kind != "f":
        value = f"hg.i8({value})"
    return f"hg.{ty.name}({value})"


def _extreme(m: _Maker, ty: Ty, depth: int) -> str:
    parts = list(m.both(ty, depth))
    if m.chance(30):
        parts.append(m.literal(ty))
    return f"{m.choice('min', 'max')}({', '.join(parts)})"


def _function(m: _Maker, ty: Ty, depth: int) -> str:
    value = m.expression(ty, depth)
    name = m.choice("abs", "hg.sign", "hg.relu", "round", "hg.floor", "hg.ceil", "hg.trunc", "hg.clamp")
    if name == "hg.clamp":
        return f"hg.clamp({value}, {m.operand(ty, depth)}, {m.literal(ty)})"
    return f"{name}({value})"


def _called(m: _Maker, ty: Ty, depth: int) -> str | None:
    fitting = [helper for helper in m.own_helpers if helper[2] is ty]
    if not fitting or m.scope.helper:
        return None
    name, parameters, _ = m.random.choice(fitting)
    arguments = []
    for _, wanted, annotated in parameters:
        if annotated and m.chance(30):
            arguments.append(m.literal(wanted))
        else:
            value = m.expression(wanted, depth)
            arguments.append(value if annotated else f"hg.{wanted.name}({value})")
    return f"{name}({', '.join(arguments)})"


def _shift(m: _Maker, ty: Ty, depth: int) -> str | None:
    if ty.kind == "f":
        return None
    if m.chance(12):
        return f"({m.random.randrange(1, 100)} {m.choice('<<', '>>')} {m.expression(ty, depth)})"
    return f"({m.expression(ty, depth)} {m.choice('<<', '>>')} {m.amount(ty, depth)})"


def _division(m: _Maker, ty: Ty, depth: int) -> str | None:
    symbol = m.choice("//", "%")
    if ty.kind == "f":
        if m.profile.tame or ty.bits == 16:
            return None
        a, b = m.both(ty, depth)
        return f"({a} {m.choice('/', '/', symbol)} {b})"
    return f"({m.expression(ty, depth)} {symbol} {m.divisor(ty, depth)})"


def _power(m: _Maker, ty: Ty, depth: int) -> str:
    if m.profile.tame and ty.kind == "f":
        return m.tamed(ty, f"{m.leaf(ty)} ** 2")
    exponent = m.choice(0, 1, 2, 3, "-1", "0.5") if ty.kind == "f" else m.choice(0, 1, 2, 3, 4, 5, 10)
    return f"({m.expression(ty, depth)} ** {exponent})"


def _bits(m: _Maker, ty: Ty, depth: int) -> str | None:
    if ty.kind == "f":
        if m.profile.tame:
            return None
        unsigned = _UNSIGNED_BITS[ty.name]
        return f"hg.bitcast(hg.{ty.name}, hg.{unsigned}({m.expression(m.random.choice(m.types), depth)}))"
    if m.chance(40):
        return f"hg.rotl({m.expression(ty, depth)}, {m.amount(ty, depth)})"
    if ty is I32 and m.chance(60):
        other = m.random.choice([other for other in m.types if other.kind != "f" and other.bits <= 64])
        return f"hg.{m.choice('popcount', 'clz')}(hg.{other.name}({m.expression(other, depth)}))"
    floats = [other for other in m.types if other.kind == "f" and other.bits == ty.bits]
    if floats and not m.scope.helper:
        name = floats[0].name
        m.used.add(name)
        return f"hg.{ty.name}(bits_{name}({m.expression(floats[0], depth)}))"
    other_sign = ("u" if ty.kind == "i" else "i") + str(ty.bits)
    return f"hg.bitcast(hg.{ty.name}, hg.{other_sign}({m.expression(ty, depth)}))"


def _exact(m: _Maker, ty: Ty, depth: int) -> str | None:
    """Functions of floats."""
    if ty.kind != "f":
        return None
    a, b, c = m.expression(ty, depth), m.operand(ty, depth), m.literal(ty)
    if m.profile.tame:
        return m.tamed(ty, m.choice(f"hg.fma({a}, {b}, {c})", f"({a} * {b})"))
    forms = [f"hg.sqrt({a})", f"hg.rcp({a})", f"hg.fma({a}, {b}, {c})", f"({a} / {b})"]
    if ty.bits > 16:
        forms.append(f"hg.lerp({a}, {b}, {c})")
    return str(m.random.choice(forms))


def _atomic(m: _Maker, ty: Ty, depth: int) -> str | None:
    """An atomic on a cell of the lane's own, whose old value is therefore known."""
    if m.scope.helper or ty is not getattr(m, "own_cells", None):
        return None
    if m.chance(20):
        return f"hg.atomic_cas(D, i, {m.operand(ty, depth)}, {m.operand(ty, depth)})"
    name = m.choice("add", "min", "max", "and", "or", "xor", "exch")
    return f"hg.atomic_{name}(D, i, {m.operand(ty, depth)})"


_FORMS = (
    *(_binary,) * 6,
    *(_unary,) * 2,
    *(_with_length,) * 3,
    *(_conditional,) * 3,
    _select,
    *(_cast,) * 3,
    *(_extreme,) * 2,
    *(_function,) * 2,
    *(_called,) * 2,
    *(_shift,) * 2,
    *(_division,) * 3,
    _power,
    *(_bits,) * 2,
    *(_exact,) * 2,
    _atomic,
)
_STATEMENTS = (
    *(_Maker.assign,) * 9,
    *(_Maker.store,) * 2,
    _Maker.swap,
    *(_Maker.branch,) * 4,
    *(_Maker.count_loop,) * 2,
    *(_Maker.constant_loop,) * 2,
    _Maker.while_loop,
    _Maker.private,
    _Maker.leave,
    _Maker.gather,
    *(_Maker.exchange,) * 2,
)


def generate(seed: int, profile: str = "python") -> KernelCase:
    """The kernel of a seed."""
    return _Maker(seed, profile).make()
