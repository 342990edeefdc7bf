"""Makes random kernels: text as people write it, which is sure to be translated, to end, and to fault nowhere.

Each expression is made for a type, so that the text is accepted; but what it means is left to the oracle. Of tests one
side at least is known only while running: what a known condition rules out is not translated, nor are its types joined.
"""

from __future__ import annotations

from math import prod

from .case import Array, KernelCase, Scalar, Whole
from .expressions import FORMS, UNSIGNED_BITS
from .forms import Form, annotation, complex_of, leaves, vector
from .maker import F32, F64, I32, PROFILES, U32, Place, Scope, Variable
from .numbers import BOOL, Ty, bits_of
from .parts import PART_FORMS, PART_STATEMENTS, PartStatements, Rich
from .statements import STATEMENTS

__all__ = ["PROFILES", "generate"]

_HELPERS = """
def mix(h, v):
    return (hg.rotl(h, 5) ^ hg.u32(v)) * 2654435761
"""
_OF_WIDTH = {
    "64": "def mix64(h, v):\n    return mix(mix(h, v), v >> 32)\n",
    "wide": "def mix_wide(h, v):\n    return mix(mix(mix(h, v), v >> 61), v >> 101)\n",
}
_OTHERS = {
    **_OF_WIDTH,
    **{
        f"tame_complex{bits}": f"def tame_complex{bits}(z):\n    return hg.complex{bits}(tame(z.real), tame(z.imag))\n"
        for bits in (64, 128)
    },
    "turned": "def turned(a, b):\n    return a * b - a\n",
    "applied": "def applied(of, x):\n    return of(x)\n",
}
_TAMED = "def tame(v):\n    return round(hg.clamp(v, -128.0, 128.0) * 16.0) * 0.0625\n"


def _of_float(ty: str, rewritten: bool) -> str:
    """The bits of a float, of NaN those of 1: arithmetic makes NaNs whose bits are unspecified."""
    bits = f"hg.bitcast(hg.{UNSIGNED_BITS[ty]}, hg.{ty}(v if v == v else 1.0))"
    if rewritten:
        bits = f"({bits} if v != 0 else hg.{UNSIGNED_BITS[ty]}(0))"
    return f"def bits_{ty}(v):\n    return {bits}\n"


class _Generator(PartStatements):
    """Makes the whole kernel with its launch."""

    def __init__(self, seed: int, profile: str) -> None:
        super().__init__(seed, profile)
        parts = self.profile.parts
        self.forms, self.kinds = (PART_FORMS, PART_STATEMENTS) if parts else (FORMS, STATEMENTS)
        self.rich, self.records, self.numbers, self.weights, self.tests = [], [], [], [], []
        self.types_given, self.functions_given = [], []
        self.constants: list[tuple[str, str, str]] = []
        self.wholes: list[Whole] = []

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
        if self.profile.blocks and self.chance(20):
            lanes, self.block_shape = (random.randrange(30, 80),), (self.choice(33, 40, 64, 70),)
            two = False
        if self.profile.rows:
            lanes = (random.randrange(4, 17), random.randrange(2, 5)) if two else (random.randrange(20, 70),)
            self.block_shape = (self.choice(4, 8), 2) if two else (self.choice(8, 16, 24, 33),)
        total = prod(lanes)
        for _ in range(random.randrange(0, 3)):
            size = random.randrange(2, 5)
            name = self.fresh("T")
            self.tuples[name] = tuple(random.randrange(0, 8) for _ in range(size))
        for _ in range(random.randrange(0, 3)):
            self.helper()
        scope = self.scope
        arrays: list[Array] = []
        scalars: list[Scalar] = []
        if self.profile.parts:
            self.parameters(arrays, total)
        for number in range(2 if self.profile.tame else random.randrange(2, 4)):
            ty = self.types[number]
            shape: tuple[int, ...] = (
                (random.randrange(1, 4), random.randrange(1, 5))
                if not self.flat and self.chance(50)
                else (random.randrange(1, 10),)
            )
            if self.profile.parts and not self.flat and self.chance(25):
                shape = tuple(random.randrange(1, 3) for _ in range(random.randrange(3, 9)))
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
        for whole in self.wholes:
            name = self.fresh("q")
            self.say(f"{name} = {whole.name}")
            scope.compounds.append((name, whole.form))
        for ty in self.types:
            self.first(ty)
        if self.profile.rewritten:
            self.sums()
        for _ in range(3 if self.profile.blocks else 0):
            self.statements(random.randrange(1, 3), 2)
            self.together()
        for _ in range(3 if self.profile.rows else 0):
            self.shared_row()
            self.statements(random.randrange(0, 2), 2)
        self.statements(random.randrange(3, self.profile.lines), 2)
        for variable in scope.variables:
            if variable.name != "h":
                self.say(self.mix(variable))
        for held, form in scope.compounds:
            self.hashed(held, form)
        self.say("H[i] = h")
        return KernelCase(
            self.text(arrays, scalars),
            lanes,
            self.block_shape,
            tuple(arrays),
            tuple(scalars),
            self.seed,
            self.name,
            tuple(self.wholes),
            tuple((name, written) for name, _, written in self.constants),
        )

    def parameters(self, arrays: list[Array], total: int) -> None:
        """Parameters that have parts, bools, and constants."""
        self.constants = self.given_constants()
        for _ in range(self.random.randrange(0, 3)):
            self.record()
        narrow = [ty for ty in self.types if ty.bits <= 64]
        floats = [ty for ty in self.types if ty in (F32, F64)]
        forms: list[Ty | Form] = [BOOL, vector(self.random.choice(narrow), self.choice(2, 3, 4)), *self.records]
        forms += [complex_of(ty) for ty in floats[:1]]
        for number in range(1 if self.profile.tame else self.random.randrange(1, 4)):
            form, own = self.random.choice(forms), "i" if self.chance(60) else ""
            shape = (total,) if own else self.choice((3,), (5,)) if self.flat else (2, 2)
            bits = self.bits_for(form, prod(shape))
            self.rich.append(Rich(f"R{number}", form, shape, own))
            ty = "" if isinstance(form, Form) else form.name
            arrays.append(Array(f"R{number}", ty, shape, bits, form if isinstance(form, Form) else None))
        for number, form in enumerate([form for form in forms[2:] if isinstance(form, Form) and self.chance(40)][:2]):
            self.wholes.append(Whole(f"K{number}", form, self.bits_for(form, 1)))

    def bits_for(self, form: Ty | Form, count: int) -> tuple[int, ...]:
        types = [ty for _, ty in leaves(form)] * count
        return tuple(self.random.randrange(2) if ty is BOOL else bits_of(ty, self.number(ty)) for ty in types)

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

    def sums(self) -> None:
        """What compilers may rewrite, in F32."""
        for name, depth in (("a", 1), ("b", 2), ("c", 3), ("d", 3)):
            self.say(f"{name} = {self.tamed(F32, self.sum(F32, depth))}")
            self.scope.variables.append(Variable(name, F32))

    def text(self, arrays: list[Array], scalars: list[Scalar]) -> str:
        parameters = [f"{scalar.name}: hg.{scalar.ty}" for scalar in scalars]
        for array in arrays:
            axes = f", {len(array.shape)}" if len(array.shape) > 1 else ""
            parameters.append(f"{array.name}: hg.Array[{annotation(array.element)}{axes}]")
        parameters += [f"{whole.name}: {annotation(whole.form)}" for whole in self.wholes]
        parameters += [f"{name}: hg.Constant[{ty}]" for name, ty, _ in self.constants]
        if "tame" in self.used:
            helpers = f"{_HELPERS}\n{_TAMED}"
        else:
            helpers = _HELPERS
        for name in sorted(self.used - {"tame"}):
            helpers += "\n" + (_OTHERS[name] if name in _OTHERS else _of_float(name, self.profile.rewritten))
        tuples = "".join(f"{name} = {value!r}\n" for name, value in self.tuples.items() if name != "W0")
        body = "\n".join(self.lines)
        head = f"@hg.kernel\ndef k({', '.join(parameters)}):"
        imports = "import math\nimport hologram_web as hg\n"
        if any(ty == "Callable" for _, ty, _ in self.constants):
            imports = f"from collections.abc import Callable\n{imports}"
        if self.records:
            imports = f"from dataclasses import dataclass\nfrom typing import NamedTuple\n{imports}"
        return f"{imports}\n{self.classes()}{tuples}{helpers}{self.helper_text}\n{head}\n{body}\n"


def generate(seed: int, profile: str = "python") -> KernelCase:
    """The kernel of a seed."""
    return _Generator(seed, profile).make()
