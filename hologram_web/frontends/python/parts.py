"""What is done with values that have parts: a variable of them is a variable for each part, `v.x` of `v`, and so are
results of functions and of conditional expressions. One way for all forms (compounds.py)."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NoReturn, cast

from ...isa.operands import Predicate, Register
from ...isa.types import Type
from .arithmetic import Arithmetic, literal, typed
from .compounds import AnyValue, Compound, Parts, PartsType
from .emit import ArrayRef, Scope
from .source import walk
from .spans import between, is_small, span_of
from .types import INDEX, Value, ValueKind, Weak, default, float_of

if TYPE_CHECKING:
    from .expressions import Expressions

__all__ = ["Meeting", "PartValues", "shape_of", "written"]


@dataclass
class Meeting:
    """Where values go that have one type: those of a variable, of what a function returns, of a conditional
    expression. `registers` are by name, types are kept by `owner` and name; `join` is the rule by which types meet."""

    registers: dict[str, Register]
    owner: tuple[Any, ...]
    take: Callable[[], Register]
    join: Callable[[ast.AST, str, tuple[Any, ...], ValueKind], ValueKind]


class PartValues(Arithmetic):
    """Values with parts. `calling` are the functions around."""

    calling: list[ast.FunctionDef]

    def value(self, node: ast.expr) -> Value:
        """The value of an expression that is a number."""
        raise NotImplementedError

    def any_value(self, node: ast.expr) -> AnyValue:
        """The value of an expression."""
        raise NotImplementedError

    def static(self, node: ast.AST) -> Any:
        """What an expression stands for without being computed."""
        raise NotImplementedError

    def is_element(self, node: ast.expr) -> bool:
        """Whether it names an element of an array."""
        raise NotImplementedError

    def scope_of(self, name: str) -> Scope | None:
        """Where a name is a variable."""
        raise NotImplementedError

    def is_assigned(self, node: ast.Name, scope: Scope, never: bool = False) -> None:
        """Refuses a variable that some path to here does not assign."""
        raise NotImplementedError

    def stored(self, node: ast.AST, value: Value, ty: Type) -> Register:
        """A register that holds a value as it is stored."""
        raise NotImplementedError

    # Where they are

    def part_of(self, node: ast.AST) -> tuple[Scope, str, str] | None:
        """A variable with parts, or a part of one: its scope, its name, and that of its type. None for other things."""
        if isinstance(node, ast.Name):
            scope = self.scope_of(node.id)
            if scope is None or node.id in scope.bound or not self.has_parts(scope, node.id):
                return None
            self.is_assigned(node, scope)
            return scope, node.id, node.id
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            found = self.part_of(node.value)
            if found is not None and isinstance(form := self.facts.types[found[0].path, found[2]], Compound):
                part = self._named(form, node)
                return None if part is None else (found[0], f"{found[1]}.{part}", form.key(found[2], part))
        return None

    def has_parts(self, scope: Scope, name: str) -> bool:
        return isinstance(self.facts.types.get((scope.path, name)), Compound)

    def _named(self, form: Compound, node: ast.Attribute | ast.Subscript) -> str | None:
        """The name of the part that this is of a value."""
        if isinstance(node, ast.Subscript):
            return form.names[form.place(cast("Expressions", self), node)]
        return form.named(node.attr)

    def part(self, node: ast.Attribute | ast.Subscript, owner: Parts) -> AnyValue:
        """`v.name` or `v[i]`."""
        part = self._named(owner.form, node)
        if part is not None:
            return owner.values[owner.form.names.index(part)]
        assert isinstance(node, ast.Attribute)
        return owner.form.attribute(cast("Expressions", self), node, owner.values)

    def any_part(self, node: ast.Attribute | ast.Subscript) -> AnyValue | None:
        """`v.name` or `v[i]` of a value with parts; None of other things."""
        place = self.part_of(node)
        if place is not None:
            return self.got(place[0].registers, (place[0].path,), *place[1:])
        base: ast.expr = node
        while isinstance(base, (ast.Attribute, ast.Subscript)):
            base = base.value
        if isinstance(base, ast.Name) and self.part_of(base) is None and not self.is_element(node.value):
            return None
        found = self.any_value(node.value)
        return self.part(node, found) if isinstance(found, Parts) else None

    def known_index(self, node: ast.expr, what: str, part: str, whole: str, size: int) -> int:
        """An index that is known while translating. Raises TranslateError for others."""
        index = self.value(node).const if not isinstance(node, ast.Slice) else None
        if index is None or isinstance(index, float):
            literal_range = ", or the variable of a for loop over a literal range"
            if whole == "the tuple":
                literal_range += "; a table for indices that are computed is an hg.Array parameter"
            loop = "" if part == "axis" else literal_range if whole.startswith("the ") else self._loop_of(node)
            self.fail(node, f"{what} is known while translating: write a number{loop}")
        if not -size <= index < size:
            self.fail(node, f"there is no {part} {index}: {whole} has {size}, counted from 0")
        return int(index) % size

    def _loop_of(self, index: ast.expr) -> str:
        """What to do about the loop whose variable is in an index that has to be known."""
        names = {part.id for part in walk(index) if isinstance(part, ast.Name)}
        for loop in walk(self.calling[-1]):
            if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
                continue
            if isinstance(loop.target, ast.Name) and loop.target.id in names and self.static(loop.iter.func) is range:
                counted = ", ".join(map(ast.unparse, loop.iter.args))
                static = f"for {loop.target.id} in hg.static_range({counted})"
                return f", or let the loop in line {self.scope.source.line(loop)} be written out, {static}"
        return ", or the variable of a loop over hg.static_range"

    # What goes where

    def leaves(self, value: AnyValue, name: str = "") -> Iterator[tuple[str, Value]]:
        """The numbers that a value consists of, and their names."""
        if isinstance(value, Value):
            yield written(name), value
        elif isinstance(value, Parts):
            for part, inner in zip(value.form.names, value.values, strict=True):
                yield from self.leaves(inner, f"{name}.{part}")

    @contextmanager
    def pinned_all(self, value: AnyValue) -> Iterator[None]:
        """Keeps the registers of a value that is needed once more."""
        with ExitStack() as stack:
            for _, leaf in self.leaves(value):
                stack.enter_context(self.pinned(leaf))
            yield

    def put(self, to: Meeting, node: ast.AST, name: str, key: str, value: AnyValue, origin: ast.AST) -> None:
        """Moves a value, made at the node `origin`, to where it goes: part by part."""
        place = (*to.owner, key)
        known = self.facts.types.get(place)
        if isinstance(value, ArrayRef):
            self.fail(origin, f"{ast.unparse(origin)} holds an array, {value.name}: only parameters do")
        if isinstance(value, Value) and isinstance(known, Compound):
            value = known.lifted(self, origin, value)
        if isinstance(value, Parts):
            if (
                known is not None
                and known != value.form
                and not (value.form.lifts and isinstance(known, (Type, Weak)) and place not in self.facts.fixed)
            ):
                self.differ(node, name, known, value.form)
            self.facts.learn(place, value.form)
            if value.form.declared() is not None:
                self.facts.fixed.add((*to.owner, value.form.key(key, "")))
                self.facts.learn((*to.owner, value.form.key(key, "")), value.form.declared())
            for part, inner in zip(value.form.names, value.values, strict=True):
                self.put(to, node, f"{name}.{part}", value.form.key(key, part), inner, origin)
            return
        if isinstance(known, Compound):
            self.differ(node, name, known, value.ty)
        kind = to.join(node, name, place, value.ty)
        fixed = place in self.facts.fixed
        if is_small(kind):
            self.note_span(place, kind, None if fixed else span_of(value))
        if fixed:
            register = self.stored(origin, value, default(kind))
        else:
            register = self.register(origin, value, default(kind))
        if name not in to.registers:
            to.registers[name] = to.take()
        self.move(to.registers[name], register)

    def got(self, registers: dict[str, Register], owner: tuple[Any, ...], name: str, key: str) -> AnyValue:
        """The value that was put there."""
        ty = self.facts.types[(*owner, key)]
        if isinstance(ty, Compound):
            parts = (self.got(registers, owner, f"{name}.{part}", ty.key(key, part)) for part in ty.names)
            return Parts(ty, tuple(parts))
        return Value(ty, registers[name], span=self.span_at((*owner, key), ty))

    def differ(self, node: ast.AST, name: str, old: Compound | ValueKind, new: Compound | ValueKind) -> NoReturn:
        """Raises TranslateError: values of two forms meet."""
        what = f"{written(name)} is {old} elsewhere and {new} here, and a variable has one type: use another name"
        if name.partition(".")[0] == "return":
            what = f"{self.scope.name} returns {old} elsewhere, and {new} here"
        elif not name or name.startswith("."):
            what = f"one side is {old}, and the other one {new}"
        self.fail(node, what)

    def declare(self, owner: tuple[Any, ...], key: str, ty: Any) -> None:
        """Writes down a type that an annotation says."""
        if ty is None:  # a vector of any type
            return
        place = (*owner, key)
        self.annotated[place] = ty
        if isinstance(ty, PartsType):
            self.facts.learn(place, ty.form)
            for part, inner in zip(ty.form.names, ty.types, strict=True):
                self.declare(owner, ty.form.key(key, part), inner)
            return
        self.facts.fixed.add(place)
        self.facts.learn(place, ty)

    def conform(self, node: ast.AST, value: AnyValue, wanted: Any) -> AnyValue:
        """A value as an annotation wants it."""
        if isinstance(wanted, PartsType) and isinstance(value, Value):
            value = wanted.form.lifted(self, node, value)
        if isinstance(wanted, PartsType) is not isinstance(value, Parts):
            self.fail(node, f"this is {shape_of(value)}, and {wanted} is wanted here")
        if isinstance(value, Parts):
            if value.form != wanted.form:
                self.fail(node, f"this is {value.form}, and {wanted} is wanted here")
            pairs = zip(value.values, wanted.types, strict=True)
            return Parts(value.form, tuple(self.conform(node, inner, ty) for inner, ty in pairs))
        if not isinstance(wanted, Type) or value.ty is wanted:
            return replace(value, span=None) if value.span is not None else value
        whole = wanted.is_integer and float_of(value.ty) is not value.ty
        if value.const is not None and whole and self.check_fits(node, value, wanted):
            return typed(wanted, int(value.const))
        if value.const is not None and wanted.is_float:
            return Value(wanted, const=wanted.from_float(float(value.const)))
        return Value(wanted, self.stored(node, value, wanted))

    def apart(self, value: AnyValue, name: str, registers: dict[str, Register]) -> AnyValue:
        """A value that goes to a variable, with copies of what it reads from other parts of this variable."""
        if isinstance(value, Parts):
            own = {register for known, register in registers.items() if known.startswith(f"{name.partition('.')[0]}.")}
            return self._apart(value, name, registers, own) if own else value
        return value

    def _apart(self, value: AnyValue, name: str, registers: dict[str, Register], own: set[Register]) -> AnyValue:
        if isinstance(value, Parts):
            named = zip(value.form.names, value.values, strict=True)
            return Parts(value.form, tuple(self._apart(v, f"{name}.{part}", registers, own) for part, v in named))
        return self.copied(value) if value.reg in own and value.reg != registers.get(name) else value

    def copied(self, value: AnyValue) -> AnyValue:
        """A value in registers of the statement's own, where it is in such of variables."""
        if isinstance(value, Parts):
            return Parts(value.form, tuple(map(self.copied, value.values)))
        if value.reg is None or value.reg in self.temporaries[-1]:
            return value
        copy = self.temporary()
        self.emit("MOV", copy, value.reg)
        return Value(value.ty, copy, lane=value.lane, span=value.span)

    def another(self, value: Value) -> Value:
        """A value once more, where its register is the statement's own and goes with its first use."""
        if value.pred is not None:
            with self.pinned(value):
                return Value(value.ty, self.from_predicate(value.pred, INDEX))
        if value.reg is None or value.reg not in self.temporaries[-1]:
            return value
        copy = self.temporary()
        self.emit("MOV", copy, value.reg)
        return Value(value.ty, copy, span=value.span)

    # Two values

    def chosen(
        self, node: ast.AST, condition: Predicate, a: AnyValue, b: AnyValue, nodes: tuple[ast.AST, ast.AST]
    ) -> AnyValue:
        """a where the predicate holds, else b."""
        if isinstance(a, Value) and isinstance(b, Value):
            ty = a.ty if a.ty is b.ty else self.meet(node, a, b)
            exact = default(ty)
            left, right = self.register(nodes[0], a, exact), self.register(nodes[1], b, exact)
            return Value(ty, self.op("SEL", exact, condition, left, right), span=between(ty, a.span, b.span))
        pairs = self.paired(node, a, b)
        with self.pinned(Value(Weak.BOOL, pred=condition)):
            form = a.form if isinstance(a, Parts) else b.form  # type: ignore[union-attr]
            return Parts(form, tuple(self.chosen(node, condition, x, y, nodes) for x, y in pairs))

    def paired(self, node: ast.AST, a: AnyValue, b: AnyValue) -> list[tuple[AnyValue, AnyValue]]:
        """The parts of two values of one form. Raises TranslateError for others."""
        if isinstance(a, Parts) and isinstance(b, Value):
            b = a.form.lifted(self, node, b)
        elif isinstance(b, Parts) and isinstance(a, Value):
            a = b.form.lifted(self, node, a)
        forms = [shape_of(a), shape_of(b)]
        if forms[0] != forms[1] or not isinstance(a, Parts) or not isinstance(b, Parts):
            self.fail(node, f"one side is {forms[0]}, and the other one {forms[1]}")
        return list(zip(a.values, b.values, strict=True))

    def equal(self, node: ast.AST, a: AnyValue, b: AnyValue, keep: bool = False) -> Value:
        """a == b: whether all parts are equal."""
        if isinstance(a, Value) and isinstance(b, Value):
            return self.compare(node, ast.Eq(), a, b, keep)
        result = Value(Weak.BOOL, const=True)
        for x, y in self.paired(node, a, b):
            result = self.both_hold(result, self.equal(node, x, y, keep))
        return result

    def compare_parts(self, node: ast.Compare, a: AnyValue, b: AnyValue) -> Value:
        """`v == w`, `v != w`: whether all parts are equal."""
        if len(node.ops) > 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            form = (a if isinstance(a, Parts) else b).form  # type: ignore[union-attr]
            self.fail(node, f"{form} is compared by == and != alone: compare its parts")
        same = self.equal(node, a, b)
        if isinstance(node.ops[0], ast.Eq):
            return same
        return literal(not same.const) if same.pred is None else self.negated(same.pred)

    def combined(self, node: ast.AST, operator: ast.operator, a: AnyValue, b: AnyValue) -> AnyValue:
        """The result of a binary operator: a form of values with parts says what it means."""
        if isinstance(a, Parts):
            return a.form.binary(cast("Expressions", self), node, operator, a, b)
        if isinstance(b, Parts):
            return b.form.binary(cast("Expressions", self), node, operator, a, b)
        return self.binary(node, operator, a, b)

    def both_hold(self, a: Value, b: Value) -> Value:
        """a and b, two conditions."""
        for one, other in ((a, b), (b, a)):
            if one.const is not None:
                return other if one.const else one
        assert a.pred is not None
        assert b.pred is not None
        return self.both("PAND", a.pred, b.pred)

    def each(self, form: Compound, make: Callable[..., AnyValue], *operands: AnyValue) -> Parts:
        """A value of a form, each part of which is made of the same parts of the operands; numbers are of all parts."""
        size = len(form.names)
        made = []
        for number in range(size):
            with ExitStack() as stack:
                for operand in operands:
                    if isinstance(operand, Value) and number < size - 1:
                        stack.enter_context(self.pinned(operand))
                made.append(make(*(v.values[number] if isinstance(v, Parts) else v for v in operands)))
        return Parts(form.holding(tuple(made)), tuple(made))


def shape_of(value: AnyValue) -> Compound | ValueKind:
    """What a value is, for messages."""
    return value.form if isinstance(value, Parts) else value.ty


def written(name: str) -> str:
    """The name of a part as it is written: t.0 is t[0]."""
    first, *parts = name.split(".")
    return first + "".join(f"[{part.replace(',', ', ')}]" if part[:1].isdigit() else f".{part}" for part in parts)
