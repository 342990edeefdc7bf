"""Random statements: assignments, stores, branches, loops, private and shared arrays, atomics."""

from __future__ import annotations

from math import prod

from .expressions import Expressions
from .maker import I32, U32, Place, Variable
from .numbers import Ty, join

__all__ = ["STATEMENTS", "Statements"]


class Statements(Expressions):
    """Makes lines. Every variable is hashed where it goes out of sight."""

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
            self.random.choice(self.kinds)(self, depth)
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
        # What an integer that it meets becomes holds all that the integer holds.
        met = [(other, join(other, to)) for other in self.types if other.kind != "f" and join(other, ty) is other]
        holds = to.kind == "f" or all(new.low <= old.low and old.high <= new.high for old, new in met)
        return same and far and to.bits > ty.bits and (to.kind != "u" or ty.kind == "u") and holds

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
        typed = int(name[1:]) % 2 == 0
        self.say(f"{name} = {'hg.i32(0)' if typed else 0}")
        self.say(f"while {name} < {self.random.randrange(1, 6)} and {self.test(1)}:")
        # What only literals made takes the type of what it meets, be it the amount of a shift.
        counter = Variable(name if typed else f"hg.i32({name})", I32, frozen=True)
        with self.block():
            self.say(f"{name} += 1")
            self.scope.variables.append(counter)
            self._body(depth, self.random.randrange(1, 4))
        self.scope.variables.append(counter)

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
        if self.indent > 1 or self.scope.helper or self.profile.blocks or self.chance(60):
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

    def shared_row(self) -> None:
        """Lanes of a block share a row, of which each has every so manieth element; or fill one in shared memory."""
        width = prod(self.block_shape)
        lane = (
            "hg.local_id()" if len(self.block_shape) == 1 else f"hg.local_id(1) * {self.block_shape[0]} + hg.local_id()"
        )
        # Few rounds of known number are written out, so that ends are not known mostly.
        length = self.random.randrange(12 if width < 20 else 4) * width + self.random.randrange(1, width + 1)
        length = min(length, 127)  # indices of 8 bits are taken modulo that
        name = self.fresh("j")
        counter = Variable(name, I32, frozen=True)
        if self.chance(35):
            place = Place(self.fresh("t"), self.random.choice(self.types), (length,))
            self.say(f"{place.name} = hg.shared(hg.{place.ty.name}, {length})")
            self.say(f"for {name} in range({lane}, {length}, {width}):")
            with self.block():
                self.scope.variables.append(counter)
                self.say(f"{place.name}[{name}] = {self.expression(place.ty, 2)}")
            self.say("hg.barrier()")
            self.scope.places.append(place)
            return
        begin = self.choice(lane, lane, lane, f"{lane} + {self.random.randrange(9)}", f"{lane} - 1", f"2 * ({lane})")
        end = self.choice(f"{length}", "len(H)", "len(H)", f"len(H) + {self.random.randrange(9)}", "2 * H.shape[0]")
        self.say(
            f"for {name} in range({begin}, {end}, {self.choice(width, width, width, 2 * width, width - 1, 1, 5)}):"
        )
        with self.block():
            self.scope.variables.append(counter)
            for _ in range(self.random.randrange(1, 3)):
                free = [v for v in self.scope.variables if not v.frozen and v.ty is not None]
                if self.chance(40) or not free:
                    self.say(self.mix(counter))
                else:
                    self.augment(self.random.choice(free))

    def together(self) -> None:
        """A block operation, by all lanes, or several in a loop that they go through together."""
        rounds = self.random.randrange(2, 4) if self.chance(30) else 0
        if rounds:
            self.say(f"for {self.fresh('j')} in range({rounds}):")
            with self.block():
                self._operation()
        self._operation()

    def _operation(self) -> None:
        narrow = [ty for ty in self.types if ty.bits <= 64 or not self.profile.tame]  # shaders have little memory
        ty, name = self.random.choice(narrow), self.fresh()
        value = f"hg.{ty.name}({self.expression(ty, 2)})"
        form = self.random.randrange(7)
        operations = ["sum", "min", "max", "prod", "and", "or", "xor"]
        if ty.kind == "f":
            operations = operations[:3] if self.profile.tame else operations[:4]
        operation = self.choice(*operations)
        result: Ty | None = ty
        if form < 2:
            call = f"hg.block_{operation}({value})"
        elif form == 2:
            exclusive = ", exclusive=True" if self.chance(50) and (ty.kind != "f" or operation == "sum") else ""
            call = f"hg.block_scan({value}, '{operation}'{exclusive})"
        elif form == 3:
            call, result = f"hg.block_{self.choice('any', 'all')}({self.test(2)})", None
        elif form == 4:
            call, result = f"hg.block_{self.choice('argmin', 'argmax')}({value})", I32
        elif form == 5:
            call = f"hg.shuffle{self.choice('', '_up', '_down', '_xor')}({value}, {self.expression(I32, 1)})"
        else:
            call = f"hg.block_broadcast({value}, 0)"
        if result is not None and result.kind == "f":
            call = self.tamed(result, call)
        self.say(f"{name} = {call}")
        if self.indent == 1:
            self.scope.variables.append(Variable(name, result))
        else:
            self.say(self.mix(Variable(name, result)))


STATEMENTS = (
    *(Statements.assign,) * 9,
    *(Statements.store,) * 2,
    Statements.swap,
    *(Statements.branch,) * 4,
    *(Statements.count_loop,) * 2,
    *(Statements.constant_loop,) * 2,
    Statements.while_loop,
    Statements.private,
    Statements.leave,
    Statements.gather,
    *(Statements.exchange,) * 2,
)
