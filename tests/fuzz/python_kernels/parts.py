"""Random vectors, complex numbers, registers, tuples, records, arrays of them, constants, functions as arguments,
random numbers: the second part of the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from .expressions import FORMS, Expressions
from .forms import Form, annotation, complex_of, leaves, record, registers, tuple_of, vector
from .maker import F32, F64, I32, U32, Place, Variable
from .numbers import BOOL, Ty
from .statements import STATEMENTS, Statements

__all__ = ["PartStatements", "Rich"]

_BOTH = F32, F64  # parts of complex numbers


class Rich(NamedTuple):
    """An array whose elements have parts, or are bools. `own`: the index that is the lane's, where it is written."""

    name: str
    form: Ty | Form
    shape: tuple[int, ...]
    own: str = ""


class PartStatements(Statements):
    """Makes lines with values that have parts. They are `scope.compounds`: names and forms."""

    rich: list[Rich]
    records: list[Form]
    numbers: list[str]  # integer constants of the launch: from 1 to 4
    weights: list[str]  # float constants
    types_given: list[tuple[str, Ty]]
    functions_given: list[tuple[str, Ty, Ty]]  # constants that are functions: of what type, and of what they return
    tests: list[str]  # conditions that are known while translating

    # Forms

    def form(self) -> Form:
        kind = self.random.randrange(14)
        floats = [ty for ty in self.types if ty in _BOTH]
        if kind < 4:
            return vector(self.random.choice(self.types), self.random.randrange(2, 5))
        if kind < 8 and floats:
            return complex_of(self.random.choice(floats))
        if kind < 10:
            return registers(self.random.choice(self.types), self.choice((2,), (3,), (2, 2), (1, 3)))
        if kind < 12 and self.records:
            return self.random.choice(self.records)
        choices: list[Ty | Form] = [*self.types, vector(self.types[0], 2)]
        parts = [self.random.choice(choices) for _ in range(self.choice(2, 3))]
        if self.chance(30):
            parts[0] = tuple_of(self.random.choice(self.types), self.random.choice(self.types))
        return tuple_of(*parts)

    def field(self) -> Ty | Form:
        kind = self.random.randrange(10)
        floats = [ty for ty in self.types if ty in _BOTH]
        narrow = [ty for ty in self.types if ty.bits <= 64]
        if kind < 5:
            return self.random.choice(narrow)
        if kind == 5:
            return BOOL
        if kind == 6 and floats:
            return complex_of(floats[0])
        if kind == 7 and self.records:
            return self.random.choice(self.records)
        return vector(self.random.choice(narrow), self.choice(2, 3, 4))

    def classes(self) -> str:
        """The text of the records."""
        text = ""
        for form in self.records:
            head = {"named": f"class {form.name}(NamedTuple):", "open": f"@dataclass\nclass {form.name}:"}
            head["frozen"] = f"@dataclass(frozen=True)\nclass {form.name}:"
            text += head[form.kind] + "\n" + "".join(f"    {p[1:]}: {annotation(f)}\n" for p, f in form.parts) + "\n\n"
        return text

    def record(self) -> None:
        names = self.random.sample(["a", "b", "at", "speed", "hits", "z"], self.choice(2, 2, 3))
        kind, name = self.choice("named", "open", "open", "frozen"), self.fresh("P")
        self.records.append(record(kind, name, [(field, self.field()) for field in names]))

    # Values

    def whole(self, form: Ty | Form, depth: int) -> str:
        """An expression of a form."""
        if isinstance(form, Ty):
            return self.test(min(depth, 1)) if form is BOOL else f"hg.{form.name}({self.expression(form, depth)})"
        known = [name for name, other in self.scope.compounds if other == form]
        known += [self.place(rich, 0) for rich in self.rich if rich.form == form]
        if known and (depth <= 0 or self.chance(45)):
            return str(self.random.choice(known))
        if depth > 0 and self.chance(15):
            return f"({self.whole(form, depth - 1)} if {self.test(1)} else {self.whole(form, depth - 1)})"
        make: Callable[[Form, int], str] = getattr(self, f"of_{form.kind}", self.made)
        return make(form, depth)

    def scalar(self, ty: Ty, depth: int) -> str:
        """A number of a type, with it known, as values with parts know theirs."""
        return f"hg.{ty.name}({self.expression(ty, max(depth, 0))})"

    def made(self, form: Form, depth: int) -> str:
        return f"{form.name}({', '.join(self.whole(part, min(depth, 1) - 1) for _, part in form.parts)})"

    def of_tuple(self, form: Form, depth: int) -> str:
        parts = ", ".join(self.whole(part, min(depth, 1) - 1) for _, part in form.parts)
        return f"({parts})"

    def of_registers(self, form: Form, depth: int) -> str:
        ty = form.ty
        if depth <= 0 or self.chance(50):
            start = f", {self.scalar(ty, 1)}" if self.chance(50) else ""
            return f"hg.registers({form.name}, hg.{ty.name}{start})"
        return self.arithmetic(form, depth)

    def arithmetic(self, form: Form, depth: int) -> str:
        """Operators and functions that work part by part."""
        ty, a = form.ty, self.whole(form, depth - 1)
        other = self.whole(form, depth - 1) if self.chance(60) else self.scalar(ty, depth - 1)
        forms = [f"({a} {self.choice(*('+-*' if ty.kind == 'f' else '+-*&|^'))} {other})", f"(-{a})"]
        forms.append(f"{self.choice('min', 'max')}({a}, {other})")
        forms.append(f"{self.choice('abs', 'hg.sign', 'hg.relu')}({a})")
        forms.append(f"hg.clamp({a}, {self.whole(form, depth - 1)}, {self.scalar(ty, 0)})")
        forms.append(f"hg.select({self.test(1)}, {a}, {self.whole(form, depth - 1)})")
        if ty.kind != "f":
            forms.append(f"({a} {self.choice('<<', '>>')} {self.random.randrange(ty.bits)})")
            forms.append(f"({a} {self.choice('//', '%')} {self.random.randrange(1, 9)})")
        elif not self.profile.tame:
            forms.append(f"({a} / {other})")
        return self.tamed(ty, self.random.choice(forms))

    def of_vector(self, form: Form, depth: int) -> str:
        ty, size = form.ty, len(form.parts)
        kind = self.random.randrange(14)
        others = [(name, found) for name, found in self.scope.compounds if found.kind == "vector"]
        same = [(name, found) for name, found in others if found.ty is ty]
        if kind < 2 and same:
            name, found = self.random.choice(same)
            letters = self.choice("xyzw", "rgba")[: len(found.parts)]
            return f"{name}.{''.join(self.random.choice(letters) for _ in range(size))}"
        casts = [name for name, found in others if len(found.parts) == size]
        if kind == 2 and casts and not (self.profile.tame and ty.kind == "f"):
            return f"hg.{ty.name}({self.random.choice(casts)})"
        if kind == 3 and (places := self.loadable(ty, size)):
            return self.loaded(self.random.choice(places), size)
        if depth > 0 and kind < 10:
            if kind == 4 and size == 3:
                return self.tamed(ty, f"hg.cross({self.whole(form, depth - 1)}, {self.whole(form, depth - 1)})")
            if kind == 5 and not self.scope.helper:
                self.used.add("turned")
                return self.tamed(ty, f"turned({self.whole(form, depth - 1)}, {self.whole(form, depth - 1)})")
            return self.arithmetic(form, depth)
        head = f"hg.vec{size}" + self.choice("", f"[hg.{ty.name}]")
        if kind == 10:
            return f"{head}({self.scalar(ty, 1)})"
        if kind == 11 and size > 2:
            shorter = vector(ty, size - 1)
            parts = [self.whole(shorter, depth - 1), self.scalar(ty, 1)]
            self.random.shuffle(parts)
            return f"{head}({', '.join(parts)})"
        return f"{head}({', '.join(self.scalar(ty, depth - 1) for _ in range(size))})"

    def of_complex(self, form: Form, depth: int) -> str:
        ty, name = form.ty, form.name
        if depth <= 0 or self.chance(25):
            return f"hg.{name}({self.scalar(ty, depth - 1)}, {self.scalar(ty, depth - 1)})"
        a, b = self.whole(form, depth - 1), self.whole(form, depth - 1)
        number = self.choice(self.scalar(ty, depth - 1), str(self.random.randrange(1, 5)), "2j", "(1 - 0.5j)")
        forms = [f"({a} {self.choice(*'+-*')} {b})", f"({a} {self.choice(*'+-*')} {number})", f"(-{a})"]
        forms += [f"({number} {self.choice(*'+-*')} {a})", f"{a}.conjugate()", f"hg.conj({a})", f"{a} ** 2"]
        if not self.profile.tame:
            forms += [f"({a} / {b})", f"({a} / {number})", f"({number} / {a})"]
        found = str(self.random.choice(forms))
        if not self.profile.tame:
            return f"({found})" if " ** " in found else found
        self.used |= {"tame", f"tame_{name}"}
        return f"tame_{name}({found})"

    def loadable(self, ty: Ty, size: int) -> list[Place]:
        """Arrays with so many elements in a row."""
        return [p for p in self.scope.places if p.ty is ty and not p.own and p.shape[-1] >= size]

    def loaded(self, place: Place, size: int) -> str:
        return f"{place.name}.load({self.places(place, size)}, {size})"

    def places(self, place: Place, size: int) -> str:
        indices = [self.index(length, 0) for length in place.shape[:-1]]
        indices.append(self.index(place.shape[-1] - size + 1, 0))
        return indices[0] if len(indices) == 1 else f"({', '.join(indices)})"

    def place(self, rich: Rich, depth: int) -> str:
        """An element."""
        indices = [self.index(length, depth) for length in rich.shape]
        return f"{rich.name}[{rich.own or ', '.join(indices)}]"

    def test(self, depth: int) -> str:
        truths = [f"{name}{path}" for name, form in self.scope.compounds for path, ty in leaves(form) if ty is BOOL]
        if not self.scope.helper:
            truths += [self.place(r, 0) + path for r in self.rich for path, ty in leaves(r.form) if ty is BOOL]
        return str(self.random.choice(truths)) if truths and self.chance(15) else super().test(depth)

    # Statements

    def statements(self, count: int, depth: int) -> None:
        before = len(self.scope.compounds)
        super().statements(count, depth)
        if self.indent > 1 and not self.scope.helper:
            for name, form in self.scope.compounds[before:]:
                self.hashed(name, form)

    def compound(self, depth: int) -> None:
        """A new value with parts, or another value of one."""
        scope = self.scope
        if scope.helper:
            return
        if scope.compounds and self.chance(45):
            name, form = self.random.choice(scope.compounds)
            self.say(f"{name} = {self.whole(form, 2)}")
            return
        form, name = self.form(), self.fresh("q")
        self.say(f"{name} = {self.whole(form, 2)}")
        scope.compounds.append((name, form))

    def changed(self, depth: int) -> None:
        """One part of a value, or several."""
        if self.scope.helper:
            return
        free = [(n, f) for n, f in self.scope.compounds if f.kind in ("vector", "registers", "open")]
        free += [(self.place(rich, 0), rich.form) for rich in self.rich if rich.own]  # type: ignore[misc]
        if not free:
            return
        name, form = self.random.choice(free)
        if isinstance(form, Ty):
            self.say(f"{name} = {self.test(2)}")
            return
        if "[" in name and self.chance(30):
            self.say(f"{name} = {self.whole(form, 2)}")
            return
        if form.kind == "vector" and "[" not in name and self.chance(30):
            names = [path[1:] for path, _ in form.parts]
            first, second = self.random.sample(names, 2)
            self.say(f"{name}.{first}{second} = {name}.{second}{first}")
            return
        path, part = self.random.choice(list(_assignable(form, "[" in name)))
        if form.kind == "vector" and self.chance(30):
            path = f"[{'xyzw'.index(path[1])}]"
        if isinstance(part, Form) or part is BOOL:
            self.say(f"{name}{path} = {self.whole(part, 1)}")
        elif self.chance(50) and part.kind != "f":
            self.say(f"{name}{path} {self.choice(*'+-*^')}= {self.scalar(part, 1)}")
        else:
            self.say(f"{name}{path} = {self.scalar(part, 2)}")

    def augmented(self, depth: int) -> None:
        """`v += w`, of all parts."""
        free = [(n, f) for n, f in self.scope.compounds if f.kind in ("vector", "registers", "complex")]
        if free and not self.scope.helper:
            name, form = self.random.choice(free)
            if self.profile.tame and form.ty.kind == "f":
                self.say(f"{name} = {self.whole(form, 2)}")
            else:
                self.say(f"{name} {self.choice(*'+-*')}= {self.whole(form, 1)}")

    def taken_apart(self, depth: int) -> None:
        """Unpacking."""
        free = [(n, f) for n, f in self.scope.compounds if f.kind in ("vector", "tuple", "named")]
        if not free or self.scope.helper:
            return
        value, form = self.random.choice(free)
        if any(ty is BOOL for _, ty in leaves(form)):
            return
        names = [self.fresh("u") for _ in form.parts]
        self.say(f"{', '.join(names)} = {value}")
        for name, (_, part) in zip(names, form.parts, strict=True):
            if isinstance(part, Form):
                self.scope.compounds.append((name, part))
            else:
                self.new(part, name)

    def new(self, ty: Ty, text: str) -> None:
        """A variable of what may have no type of its own for the oracle."""
        name = self.fresh()
        self.say(f"{name} = hg.{ty.name}({text})")
        self.scope.variables.append(Variable(name, ty))

    def compared(self, depth: int) -> None:
        if self.scope.helper or not self.scope.compounds:
            return
        name, form = self.random.choice(self.scope.compounds)
        if form.kind != "registers":  # of which there is no one answer
            condition = self.fresh("b")
            self.say(f"{condition} = {name} {self.choice('==', '!=')} {self.whole(form, 1)}")
            self.scope.variables.append(Variable(condition, None))

    def measured(self, depth: int) -> None:
        """A product or a length of vectors."""
        vectors = [(name, form) for name, form in self.scope.compounds if form.kind == "vector"]
        if vectors and not self.scope.helper:
            name, form = self.random.choice(vectors)
            found = f"hg.dot({name}, {self.whole(form, 1)})"
            if form.ty in _BOTH and not self.profile.tame and self.chance(50):
                found = f"hg.length({name})"
            self.new(form.ty, self.tamed(form.ty, found))

    def vector_store(self, depth: int) -> None:
        if self.indent == 1 and not self.scope.helper and self.chance(50):
            ty, name = self.random.choice(self.types), self.fresh("m")
            shape = (5,) if self.flat else (2, 4)
            self.say(f"{name} = hg.local(hg.{ty.name}, {shape[0] if len(shape) == 1 else shape})")
            self.scope.places.append(Place(name, ty, shape))
        places = [p for p in self.scope.places if p.name.startswith("m") and p.shape[-1] >= 2]
        if places and not self.scope.helper:
            place = self.random.choice(places)
            size = self.random.randrange(2, min(4, place.shape[-1]) + 1)
            self.say(f"{place.name}.store({self.places(place, size)}, {self.whole(vector(place.ty, size), 1)})")

    def row(self, depth: int) -> None:
        """A part of an array, by name."""
        arrays = [place for place in self.scope.places if len(place.shape) > 1 and not place.own]
        if not arrays or self.indent > 1 or self.scope.helper:
            return
        place, name = self.random.choice(arrays), self.fresh("r")
        axis = self.random.randrange(len(place.shape))
        left = [length for at, length in enumerate(place.shape) if at != axis]
        indices = [":" if at != axis else self.index(length, 1) for at, length in enumerate(place.shape)]
        self.say(f"{name} = {place.name}[{', '.join(indices)}]")
        self.scope.places.append(Place(name, place.ty, tuple(left)))

    def static_loop(self, depth: int) -> None:
        """Written out, over registers."""
        held = [(name, form) for name, form in self.scope.compounds if form.kind == "registers"]
        if depth <= 0 or self.loops >= 2 or not held or self.scope.helper:
            return
        name, form = self.random.choice(held)
        sizes = [max(places) + 1 for places in zip(*_indices(form), strict=True)]
        names = [self.fresh("c") for _ in sizes]
        before = self.indent
        for loop, size in zip(names, sizes, strict=True):
            bounds = self.choice(f"{size}", f"{size - 1}, -1, -1", f"len({name})" if loop is names[0] else f"{size}")
            self.say(f"for {loop} in hg.static_range({bounds}):")
            self.indent += 1
        target = f"{name}[{', '.join(names)}]"
        if form.ty.kind == "f":
            changed = f"{target} {self.choice(*'+-')} {self.scalar(form.ty, 1)}"
            self.say(f"{target} = {self.tamed(form.ty, changed)}")
        else:
            self.say(f"{target} {self.choice(*'+-*^')}= {self.scalar(form.ty, 1)}")
            self.say(f"h = mix(h, hg.u32({target}) + {names[0]})")
        if self.chance(20):
            self.say(f"if {self.test(1)}:")
            self.say(f"    {self.choice('break', 'continue')}")
            self.say(f"h = mix(h, {names[-1]})")
        self.indent = before

    def known_branch(self, depth: int) -> None:
        """A condition that is known: one side is not translated."""
        if depth <= 0 or not self.tests:
            return
        self.say(f"if {self.random.choice(self.tests)}:")
        for side in range(2):
            if side:
                self.say("else:")
            with self.block():
                self.compound(depth)
                if not self.scope.helper:
                    self.say(f"h = mix(h, {self.random.randrange(99)})")
                self.changed(depth)

    def number_loop(self, depth: int) -> None:
        """A loop over a constant of the launch, with an else."""
        if depth <= 0 or self.loops >= 2 or not self.numbers:
            return
        name, bound = self.fresh("j"), self.random.choice(self.numbers)
        known = self.chance(50)
        self.say(f"for {name} in {self.choice('hg.static_range') if known else 'range'}({bound}):")
        with self.block():
            self.loops += 1
            if known:
                self.scope.known.append(name)
            else:
                self.scope.variables.append(Variable(name, I32, frozen=True))
            self.statements(1, depth - 1)
            if self.chance(60):
                self.say(f"if {self.test(1)}:")
                self.say("    break")
            self.loops -= 1
        if self.chance(60):
            self.say("else:")
            with self.block():
                self.statements(1, depth - 1)

    def element_loop(self, depth: int) -> None:
        """Over the elements of an array, of a table, or of both."""
        arrays = [p for p in self.scope.places if len(p.shape) == 1 and not p.own]
        if depth <= 0 or self.loops >= 2 or not arrays or self.scope.helper:
            return
        place, name = self.random.choice(arrays), self.fresh("e")
        tables = sorted(self.tuples)
        if tables and self.chance(50):
            table, count = self.random.choice(tables), self.fresh("e")
            form = self.choice("enumerate", "zip", "reversed")
            over = {
                "enumerate": f"enumerate({table})",
                "zip": f"zip({table}, {table})",
                "reversed": f"reversed({table})",
            }
            names = name if form == "reversed" else f"{count}, {name}"
            self.say(f"for {names} in {over[form]}:")
            with self.block():
                self.loops += 1
                self.say(f"h = mix(h, hg.u32({name}) * 3{'' if form == 'reversed' else f' + hg.u32({count})'})")
                self.statements(1, depth - 1)
                self.loops -= 1
            return
        self.say(f"for {name} in {place.name}:")
        with self.block():
            self.loops += 1
            self.scope.variables.append(Variable(name, place.ty, frozen=True))
            self.say(self.mix(self.scope.variables[-1]))
            self.statements(1, depth - 1)
            self.loops -= 1

    def drawn(self, depth: int) -> None:
        """Random numbers."""
        if self.scope.helper:
            return
        seed = self.choice(str(self.random.randrange(1 << 40)), self.scalar(U32, 0))
        at = self.choice("i", f"i * {self.random.randrange(99)}", "h")
        stream = self.choice("", "", f", {self.random.randrange(9)}", ", i")
        if self.chance(50):
            names = [self.fresh("u") for _ in range(4)]
            self.say(f"{', '.join(names)} = hg.random({seed}, {at}{stream})")
            for name in names[: self.random.randrange(1, 5)]:
                self.new(U32, name)
        elif self.chance(50):
            low = self.random.randrange(-50, 50)
            self.new(I32, f"hg.random_integers({seed}, {at}, {low}, {low + self.random.randrange(1, 99)}{stream})")
        elif F32 in self.types:
            self.new(F32, self.tamed(F32, f"hg.random_uniform({seed}, {at}{stream})"))

    def nested(self, depth: int) -> None:
        """A function in the function, which sees what is around it, or a lambda."""
        if self.indent > 1 or self.scope.helper:
            return
        ty, name = self.random.choice(self.types), self.fresh("w")
        outer = self.running(ty)
        if self.chance(50):
            body = self.tamed(ty, f"x {self.choice(*'+-*')} {outer}")
            self.new(ty, f"applied(lambda x: {body}, {self.scalar(ty, 1)})")
            self.used.add("applied")
            return
        self.say(f"def {name}(x, *more, by=2):")
        value = self.tamed(ty, f"x {self.choice(*'+-')} {outer}")
        tail = "" if ty.kind == "f" else " + len(more) * by"
        self.say(f"    return hg.{ty.name}({value}{tail})")
        self.new(ty, f"{name}({self.scalar(ty, 1)}{self.choice('', ', 1, 2', ', by=5')})")

    def summed(self, depth: int) -> None:
        """A sum of a generator, and quotient with remainder."""
        integers = [ty for ty in self.types if ty.kind != "f" and 32 <= ty.bits <= 64]
        if self.scope.helper:
            return
        ty = self.random.choice(integers)
        if self.chance(40):
            quotient, rest = self.fresh("u"), self.fresh("u")
            self.say(f"{quotient}, {rest} = divmod({self.scalar(ty, 2)}, {self.random.randrange(1, 99)})")
            self.new(ty, self.choice(quotient, rest))
        elif self.tuples:
            table, count, weight = self.random.choice(sorted(self.tuples)), self.fresh("e"), self.fresh("e")
            term = f"{weight} * ({self.running(ty)} + {count})"
            self.new(ty, f"sum({term} for {count}, {weight} in enumerate({table}))")

    def hashed(self, name: str, form: Form) -> None:
        for path, ty in leaves(form):
            self.say(self.mix(Variable(name + path, None if ty is BOOL else ty)))

    # Parameters

    def given_constants(self) -> list[tuple[str, str, str]]:
        """Constants of the launch: name, type, and how the value is written."""
        made: list[tuple[str, str, str]] = []
        if self.chance(60):
            self.numbers.append("N0")
            value = self.random.randrange(1, 5)
            made.append(("N0", "int", str(value)))
            self.tests += [f"N0 {self.choice('<', '==', '>')} {self.random.randrange(1, 5)}"]
        if self.chance(40):
            made.append(("FLAG", "bool", self.choice("True", "False")))
            self.tests += ["FLAG", "not FLAG"]
        if self.chance(30):
            made.append(("MODE", "str", self.choice("'add'", "'sub'")))
            self.tests += ["MODE == 'add'", "MODE != 'mul'"]
        if self.chance(40):
            ty = self.random.choice(self.types)
            made.append(("T0", "type", f"hg.{ty.name}"))
            self.types_given.append(("T0", ty))
            self.tests += [f"T0 is hg.{self.random.choice(self.types).name}"]
        floats = [ty for ty in self.types if ty.kind == "f"]
        if floats and self.chance(30):
            made.append(("X0", "float", self.choice("0.5", "-2.0", "1.25")))
            self.weights.append("X0")
        if self.chance(30):
            self.tuples["W0"] = tuple(self.random.randrange(0, 8) for _ in range(self.random.randrange(2, 5)))
            made.append(("W0", "tuple", repr(self.tuples["W0"])))
        fitting = [helper for helper in self.own_helpers if len(helper[1]) == 1]
        if fitting:
            name, parameters, returned = self.random.choice(fitting)
            made.append(("F0", "Callable", name))
            self.functions_given.append(("F0", parameters[0][1], returned))
        return made


def _assignable(form: Ty | Form, element: bool) -> Iterator[tuple[str, Ty | Form]]:
    """Parts that are assigned: of records that are not frozen, of vectors; of elements of arrays all."""
    for path, part in form.parts if isinstance(form, Form) else ():
        yield path, part
        if isinstance(part, Form) and (element or part.kind in ("vector", "open")):
            for behind, inner in _assignable(part, element):
                yield path + behind, inner


def _indices(form: Form) -> list[tuple[int, ...]]:
    return [tuple(int(n) for n in path[1:-1].split(",")) for path, _ in form.parts]


# Forms of expressions: numbers out of values with parts


def _part(m: Expressions, ty: Ty, depth: int) -> str | None:
    options = [
        f"hg.{ty.name}({name}{path})" for name, form in m.scope.compounds for path, leaf in leaves(form) if leaf is ty
    ]
    return m.random.choice(options) if options else None


def _product(m: Expressions, ty: Ty, depth: int) -> str | None:
    vectors = [(n, f) for n, f in m.scope.compounds if f.kind == "vector" and f.ty is ty]
    if not vectors:
        return None
    name, form = m.random.choice(vectors)
    other = m.random.choice([n for n, f in vectors if f == form])
    if ty in _BOTH and not m.profile.tame and m.chance(30):
        return f"hg.{ty.name}(hg.length({name}))"
    return m.tamed(ty, f"hg.{ty.name}(hg.dot({name}, {other}))")


def _count(m: Expressions, ty: Ty, depth: int) -> str | None:
    names = [name for name, form in m.scope.compounds if form.kind in ("vector", "registers", "tuple", "named")]
    return f"hg.{ty.name}(len({m.random.choice(names)}))" if names and ty.kind != "f" else None


def _rich(m: Expressions, ty: Ty, depth: int) -> str | None:
    """A number of an element."""
    assert isinstance(m, PartStatements)
    options = [(rich, path) for rich in m.rich for path, leaf in leaves(rich.form) if leaf is ty]
    if not options or m.scope.helper:
        return None
    rich, path = m.random.choice(options)
    return f"hg.{ty.name}({m.place(rich, 0)}{path})"


def _given(m: Expressions, ty: Ty, depth: int) -> str | None:
    """By constants of the launch."""
    assert isinstance(m, PartStatements)
    options = [f"{name}({m.expression(I32, 1)})" for name, found in m.types_given if found is ty and ty.kind != "f"]
    if ty.kind != "f" and not m.scope.helper:
        options += [f"hg.{ty.name}({name})" for name in m.numbers]
        options += [f"hg.{ty.name}(hg.{ty.name}(7) if {test} else hg.{ty.name}(9))" for test in m.tests]
    if m.scope.helper:
        return None
    if ty.kind == "f":
        options += [m.tamed(ty, f"({m.scalar(ty, depth)} * {weight})") for weight in m.weights]
    for name, parameter, returned in m.functions_given:
        if returned is ty:
            options.append(f"hg.{ty.name}({name}({m.whole(parameter, 1)}))")
    return m.random.choice(options) if options else None


PART_FORMS: tuple[Callable[[Expressions, Ty, int], str | None], ...] = (
    *FORMS,
    *(_part,) * 4,
    *(_product,) * 8,
    _count,
    *(_rich,) * 2,
    *(_given,) * 2,
)
PART_STATEMENTS = (
    *STATEMENTS,
    *(PartStatements.compound,) * 9,
    *(PartStatements.changed,) * 6,
    *(PartStatements.augmented,) * 3,
    *(PartStatements.taken_apart,) * 3,
    *(PartStatements.compared,) * 4,
    *(PartStatements.measured,) * 4,
    *(PartStatements.vector_store,) * 5,
    *(PartStatements.row,) * 5,
    *(PartStatements.static_loop,) * 5,
    *(PartStatements.known_branch,) * 3,
    *(PartStatements.number_loop,) * 3,
    *(PartStatements.element_loop,) * 3,
    *(PartStatements.drawn,) * 3,
    *(PartStatements.nested,) * 2,
    *(PartStatements.summed,) * 2,
)
