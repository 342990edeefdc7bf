"""Random expressions, each made for a type, so that the text is accepted; what it means is left to the oracle."""

from __future__ import annotations

from .maker import I32, Maker, Place
from .numbers import Ty, join

__all__ = ["FORMS", "UNSIGNED_BITS", "Expressions"]

_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
UNSIGNED_BITS = {"f16": "u16", "bf16": "u16", "f32": "u32", "f64": "u64"}


class Expressions(Maker):
    """Makes expressions and conditions."""

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
        if self.profile.rewritten and ty.kind == "f" and self.chance(40):
            return self.tamed(ty, self.sum(ty, 3))
        form = self.random.choice(self.forms)
        made = form(self, ty, depth - 1)
        return made if made is not None else self.leaf(ty, depth)

    def sum(self, ty: Ty, depth: int) -> str:
        """What is the same in any order: sums and small multiples of tame floats need few bits."""
        if depth == 0 or self.chance(10):
            return self.running(ty)
        if self.chance(35):
            return f"({self.sum(ty, depth - 1)} * {self.random.randrange(2, 6)})"
        a, b = self.sum(ty, depth - 1), self.sum(ty, depth - 1)
        forms = f"({a} - {b})", f"({a} - {b})", f"({a} + {b})", f"(-{a} + {b})", f"hg.fma({a}, 3.0, {b})"
        return str(self.choice(*forms))

    def both(self, ty: Ty, depth: int) -> tuple[str, str]:
        """Two operands, one of them of the type, in any order."""
        pair = [self.expression(ty, depth), self.operand(ty, depth)]
        self.random.shuffle(pair)
        return pair[0], pair[1]

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
            other = self.expression(ty, depth - 1)  # not in the middle, as it may be known
            return f"({other} {self.choice(*_COMPARISONS)} {left} {self.choice(*_COMPARISONS)} {right})"
        if kind == 7 and not right.lstrip("(-").replace(".", "").rstrip(")").isalnum():
            return f"({right} {self.choice(*_COMPARISONS)} {left})"
        return f"({left} {self.choice(*_COMPARISONS)} {right})"


# Forms of expressions: each makes one of a type, or None where it has none


def _binary(m: Expressions, ty: Ty, depth: int) -> str:
    a, b = m.both(ty, depth)
    symbols = "+-*" if ty.kind == "f" else "+-*&|^"
    return m.tamed(ty, f"({a} {m.choice(*symbols)} {b})")


def _with_length(m: Expressions, ty: Ty, depth: int) -> str | None:
    narrow = [other for other in m.types if other.kind != "f" and other.bits < 32]
    if ty is not I32 or not narrow:
        return None
    pair = [m.expression(m.random.choice(narrow), depth), m.counted()]
    m.random.shuffle(pair)
    return f"({pair[0]} {m.choice('+', '-', '*')} {pair[1]}{m.choice('', ' * 70', ' * 3')})"


def _unary(m: Expressions, ty: Ty, depth: int) -> str:
    return f"({m.choice('-', '-', '+') if ty.kind == 'f' else m.choice('-', '~', '+')}{m.expression(ty, depth)})"


def _conditional(m: Expressions, ty: Ty, depth: int) -> str:
    test = m.test(depth)
    if m.scope.helper:
        return f"(hg.{ty.name}({m.expression(ty, depth)}) if {test} else hg.{ty.name}({m.expression(ty, depth)}))"
    a, b = m.both(ty, depth)
    return f"({a} if {test} else {b})"


def _select(m: Expressions, ty: Ty, depth: int) -> str:
    a, b = m.both(ty, depth)
    return f"hg.select({m.test(depth)}, {a}, {b})"


def _cast(m: Expressions, ty: Ty, depth: int) -> str:
    other = m.random.choice(m.types)
    value = m.expression(other, depth)
    if m.profile.tame and ty.kind == "f" and other.kind != "f":
        value = f"hg.i8({value})"
    return f"hg.{ty.name}({value})"


def _extreme(m: Expressions, ty: Ty, depth: int) -> str:
    parts = list(m.both(ty, depth))
    if m.chance(30):
        parts.append(m.literal(ty))
    return f"{m.choice('min', 'max')}({', '.join(parts)})"


def _function(m: Expressions, ty: Ty, depth: int) -> str:
    value = m.expression(ty, depth)
    name = m.choice("abs", "hg.sign", "hg.relu", "round", "hg.floor", "hg.ceil", "hg.trunc", "hg.clamp")
    if name == "hg.clamp":
        return f"hg.clamp({value}, {m.operand(ty, depth)}, {m.literal(ty)})"
    return f"{name}({value})"


def _called(m: Expressions, ty: Ty, depth: int) -> str | None:
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


def _shift(m: Expressions, ty: Ty, depth: int) -> str | None:
    if ty.kind == "f":
        return None
    if m.chance(12):
        return f"({m.random.randrange(1, 100)} {m.choice('<<', '>>')} {m.expression(ty, depth)})"
    return f"({m.expression(ty, depth)} {m.choice('<<', '>>')} {m.amount(ty, depth)})"


def _division(m: Expressions, ty: Ty, depth: int) -> str | None:
    symbol = m.choice("//", "%")
    if ty.kind == "f":
        if m.profile.tame or ty.bits == 16:
            return None
        a, b = m.both(ty, depth)
        return f"({a} {m.choice('/', '/', symbol)} {b})"
    return f"({m.expression(ty, depth)} {symbol} {m.divisor(ty, depth)})"


def _power(m: Expressions, ty: Ty, depth: int) -> str:
    if m.profile.tame and ty.kind == "f":
        return m.tamed(ty, f"{m.leaf(ty)} ** 2")
    exponent = m.choice(0, 1, 2, 3, "-1", "0.5") if ty.kind == "f" else m.choice(0, 1, 2, 3, 4, 5, 10)
    return f"({m.expression(ty, depth)} ** {exponent})"


def _bits(m: Expressions, ty: Ty, depth: int) -> str | None:
    if ty.kind == "f":
        if m.profile.tame:
            return None
        unsigned = UNSIGNED_BITS[ty.name]
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


def _exact(m: Expressions, ty: Ty, depth: int) -> str | None:
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


def _atomic(m: Expressions, ty: Ty, depth: int) -> str | None:
    """An atomic on a cell of the lane's own, whose old value is therefore known."""
    if m.scope.helper or ty is not m.own_cells:
        return None
    if m.chance(20):
        return f"hg.atomic_cas(D, i, {m.operand(ty, depth)}, {m.operand(ty, depth)})"
    name = m.choice("add", "min", "max", "and", "or", "xor", "exch")
    return f"hg.atomic_{name}(D, i, {m.operand(ty, depth)})"


def _met(m: Expressions, ty: Ty, depth: int) -> str | None:
    """Two of other types that meet in this one, as f16 and bf16 do in f32, and i64 and f32 in f64."""
    others = [other for other in m.types if other is not ty and (other.kind == "f" or not m.profile.tame)]
    pairs = [(a, b) for a in others for b in others if a is not b and join(a, b) is ty]
    if not pairs:
        return None
    a, b = m.random.choice(pairs)
    return m.tamed(ty, f"({m.expression(a, depth)} {m.choice(*'+-*')} {m.expression(b, depth)})")


def _edge(m: Expressions, ty: Ty, depth: int) -> str | None:
    """Zeros of both signs and NaNs, where MIN, MAX and RELU have rules of their own."""
    if ty.kind != "f" or m.profile.tame:
        return None
    zeros = m.choice("0.0, -0.0", "-0.0, 0.0")
    if m.chance(20):
        return f"hg.{ty.name}({m.choice('min', 'max')}({zeros}))"
    value = f"{m.running(ty, depth)} * {m.choice('0.0', '-0.0', 'math.inf')}"
    if m.chance(30):
        return f"hg.relu({value})"
    pair = [value, m.choice("0.0", "-0.0", m.running(ty, depth))]
    m.random.shuffle(pair)
    return f"{m.choice('min', 'max')}({', '.join(pair)})"


def _in_turn(m: Expressions, ty: Ty, depth: int) -> str | None:
    """An atomic whose index and value have atomics of the same cell: they come one after the other."""
    first, second = _atomic(m, ty, 0), _atomic(m, ty, 0)
    if first is None or second is None or depth < 1:
        return None
    return f"hg.atomic_{m.choice('add', 'xor')}(D, i + ({first} & 0), {second})"


FORMS = (
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
    *(_met,) * 2,
    _edge,
    _atomic,
    _in_turn,
)
