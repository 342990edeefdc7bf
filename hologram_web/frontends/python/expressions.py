"""Expressions: names, elements of arrays, conditions, and what may be computed without being needed."""

from __future__ import annotations

import ast
from contextlib import ExitStack
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NoReturn

from ...errors import like
from ...isa.address import Address
from ...isa.operands import Label
from ...isa.types import Type
from .arithmetic import literal
from .compounds import METHODS_OF_PARTS, AnyValue, Compound, Parts, Tuple, parts_type, tuple_of
from .emit import ArrayRef, Scope
from .names import BLOCKS, Intrinsic, VectorName
from .parts import Meeting, PartValues
from .places import Reach, Spot, spot_of
from .source import MISSING, Definition, chain_of, constant, walk
from .spans import tell
from .types import INDEX, Value, ValueKind, Weak, default, float_of
from .views import INDICES, along_axes, check_literal, element_of, row_of

__all__ = ["ArrayShape", "Expressions"]

_PURE_BUILTINS = (abs, min, max, pow, round, len)
_EFFECTS = ("barrier", "atomic")


@dataclass(frozen=True)
class ArrayShape:
    """`x.shape` of an array."""

    array: ArrayRef


class Expressions(PartValues):
    """Makes values of syntax nodes."""

    def call(self, node: ast.Call) -> AnyValue | None:
        """A call; None if it has no value."""
        raise NotImplementedError

    def value(self, node: ast.expr) -> Value:
        """The value of an expression that is a number."""
        found = self.any_value(node)
        return found if isinstance(found, Value) else self.no_number(node, found)

    def no_number(self, node: ast.AST, found: Parts) -> NoReturn:
        text = ast.unparse(node)
        if isinstance(node, ast.Tuple):
            self.scope.source.unsupported(node)
        if isinstance(node, ast.Call) and isinstance(found.form, Tuple):
            self.fail(
                node, f"{ast.unparse(node.func)} returns {len(found.values)} values: give each a name, a, b = ..."
            )
        if isinstance(self.static(node), (tuple, ArrayShape)):
            what = "length" if isinstance(self.static(node), ArrayShape) else "element"
            self.fail(node, f"{text} is a tuple: take one {what}, {text}[0]")
        self.fail(node, f"{text} is {found.form}: {found.form.advice(text)}")

    def any_value(self, node: ast.expr) -> AnyValue:
        """The value of an expression."""
        make = getattr(self, f"expr_{type(node).__name__}", None)
        if make is None:
            self.scope.source.unsupported(node)
        before, self.at = self.at, (self.scope.source, node)
        found: AnyValue = make(node)
        self.at = before
        return found

    def is_read(self, node: ast.AST) -> bool:
        """Whether the value of an expression depends on elements of arrays."""
        return any(
            part.id in self.scope.read
            if isinstance(part, ast.Name)
            else (isinstance(part, ast.Subscript) or (isinstance(part, ast.Attribute) and part.attr == "load"))
            and isinstance(self.static(part.value), ArrayRef)
            for part in walk(node)
        )

    # Names and constants

    def static(self, node: ast.AST) -> Any:
        """The object an expression stands for without being computed: an array, a constant, a function; or MISSING."""
        if isinstance(node, ast.Name):
            scope = self.scope_of(node.id)
            if scope is None:
                return self.scope.source.lookup(node.id)
            found = scope.bound.get(node.id, MISSING)
            if isinstance(found, ArrayRef) and found.fixed and node.id in scope.local_names:
                self.is_assigned(node, scope)
            return found
        if isinstance(node, ast.Lambda):
            return self.function_here(node)
        if isinstance(node, ast.Attribute):
            owner = self.static(node.value)
            if node.attr == "shape":
                whole = row_of(self, node.value, False) if owner is MISSING else owner
                if isinstance(whole, ArrayRef):
                    if whole is not owner and any(
                        isinstance(p, ast.Slice) and (p.lower or p.upper) for p in walk(node)
                    ):
                        self.fail(node.value, f"give it a name, part = {ast.unparse(node.value)}, and take part.shape")
                    return ArrayShape(whole)
            if isinstance(owner, Parts):
                return MISSING if node.attr in METHODS_OF_PARTS else self.part(node, owner)
            return self.scope.source.attribute(owner, node.attr)
        if isinstance(node, ast.Subscript):
            owner = self.static(node.value)
            if isinstance(owner, (tuple, str, ArrayShape)):
                return self._element(node, owner)
            if isinstance(owner, Parts):
                return self.part(node, owner)
            if isinstance(owner, VectorName):
                return parts_type(self.scope.source, node)
        if isinstance(node, ast.Constant) and isinstance(node.value, (bytes, str)):
            return self.scope.source.meant(node.value)
        return self.scope.source.fold(node) if isinstance(node, ast.Tuple) else MISSING

    def scope_of(self, name: str) -> Scope | None:
        """Where a name is one of a function's own: here, or in a function around this one."""
        scope: Scope | None = self.scope
        while scope is not None and name not in scope.bound and name not in scope.local_names:
            scope = scope.around
        return scope

    def function_here(self, node: ast.Lambda | ast.FunctionDef) -> Definition:
        """A function in a function: what it does not assign is what it is around it, when it is called."""
        return Definition(node, self.scope.source, around=self.scope)

    def _element(self, node: ast.Subscript, owner: tuple[Any, ...] | str | ArrayShape) -> Any:
        """Element of a constant tuple, of a text or of a shape."""
        if isinstance(owner, (tuple, str)):
            kind = "text" if isinstance(owner, str) else "tuple"
            what = f"the index into a {kind}"
            return owner[self.known_index(node.slice, what, "element", f"the {kind}", len(owner))]
        array = owner.array
        return self.length(array, self.known_index(node.slice, "an axis of a shape", "axis", array.name, array.ndim))

    def object_value(self, node: ast.AST, found: Any) -> AnyValue:
        """The value of what `static` found."""
        if isinstance(found, (Value, Parts)):
            return found
        if isinstance(found, ArrayShape):
            return tuple_of(tuple(self.length(found.array, axis) for axis in range(found.array.ndim)))
        if isinstance(found, complex):
            from .complexes import complex_literal

            return complex_literal(found)
        of_class = "_fields" if isinstance(found, tuple) else "__dataclass_fields__"
        if hasattr(type(found), of_class) and not type(found).__module__.startswith(__package__.partition(".")[0]):
            from .records import value_of_instance

            return value_of_instance(self, node, found)
        if isinstance(found, tuple):
            return tuple_of(tuple(self.object_value(node, part) for part in found))
        number = constant(found)
        if isinstance(number, (int, float)):
            return literal(number)
        text = ast.unparse(node)
        if isinstance(found, ArrayRef):
            brackets = f"[{', '.join(INDICES[: found.ndim])}]"
            self.fail(node, f"{text} is an array: read an element of it, {text}{brackets}")
        if isinstance(found, str):
            self.fail(node, f"{text} is text: ord(c) is the number of one of its characters")
        if isinstance(found, (Type, Intrinsic, Definition)) or callable(found):
            self.fail(node, f"{text} is {'a type' if isinstance(found, Type) else 'a function'}: call it, {text}(...)")
        if found is MISSING:
            self.unknown(node)
        self.fail(
            node,
            f"{text} is of type {type(found).__name__}: kernels see ints, floats, bools and tuples of them from "
            "outside; pass everything else as an argument",
        )

    def unknown(self, node: ast.AST) -> Any:
        """Raises TranslateError for a name or attribute that means nothing."""
        from .unknown import unknown_name

        unknown_name(self, node)

    def expr_Name(self, node: ast.Name) -> AnyValue:
        scope = self.scope_of(node.id)
        if scope is not None and node.id not in scope.bound:
            return self.local(node, scope)
        return self.object_value(node, self.static(node))

    def local(self, node: ast.Name, scope: Scope) -> AnyValue:
        """A variable's value."""
        self.is_assigned(node, scope, node.id not in scope.registers and not self.has_parts(scope, node.id))
        ty = self.facts.types[scope.path, node.id]
        if isinstance(ty, Compound):
            return self.got(scope.registers, (scope.path,), node.id, node.id)
        span = self.span_at((scope.path, node.id), ty)
        return Value(ty, scope.registers[node.id], lane=scope.lanes.get(node.id), span=span)

    def is_assigned(self, node: ast.Name, scope: Scope, never: bool = False) -> None:
        """Refuses a variable that some path to here does not assign."""
        if never or (scope.assigned is not None and node.id not in scope.assigned):
            near = like(node.id, sorted(scope.assigned or ())) if never else ""
            otherwise = " on some path: assign it before, on all paths"
            self.fail(node, f"{node.id} is used before it is assigned{near or otherwise}")

    def expr_Attribute(self, node: ast.Attribute) -> AnyValue:
        found = self.static(node)
        if found is MISSING and (spot := spot_of(self, node)) is not None:
            return Reach(self, spot).load()
        if found is MISSING and (part := self.any_part(node)) is not None:
            return part
        return self.object_value(node, found)

    def expr_Tuple(self, node: ast.Tuple) -> AnyValue:
        return tuple_of(tuple(map(self.any_value, node.elts)))

    def expr_Constant(self, node: ast.Constant) -> AnyValue:
        if isinstance(node.value, bytes):
            return self.object_value(node, tuple(node.value))
        if isinstance(node.value, complex):
            return self.object_value(node, node.value)
        if not isinstance(node.value, (int, float)):
            self.scope.source.unsupported(node)
        return literal(node.value)

    # Elements of arrays

    def expr_Subscript(self, node: ast.Subscript) -> AnyValue:
        owner = self.static(node.value)
        if isinstance(owner, (tuple, str, ArrayShape)):
            return self.object_value(node, self._element(node, owner))
        if isinstance(owner, Parts):
            return self.part(node, owner)
        if owner is MISSING and (part := self.any_part(node)) is not None:
            return part
        return Reach(self, self.spot(node)).load()

    def is_element(self, node: ast.expr) -> bool:
        return spot_of(self, node) is not None

    def spot(self, node: ast.Subscript) -> Spot:
        """The element of an array that is named. Raises TranslateError for other things."""
        found = spot_of(self, node)
        if found is None:
            array, index = element_of(self, node)
            found = Spot(array, index, array.means)
        return found

    def array(self, node: ast.expr) -> ArrayRef:
        """The array an expression names. Raises TranslateError if it is none."""
        found = self.static(node)
        if not isinstance(found, ArrayRef):
            if not (isinstance(node, ast.Name) and node.id in self.scope.local_names):
                if found is MISSING and isinstance(node, (ast.Name, ast.Attribute)):
                    self.unknown(node)
                if found is not MISSING and not isinstance(found, Value) and constant(found) is MISSING:
                    self.object_value(node, found)
            self.fail(node, f"{ast.unparse(node)} is no array: only arrays have elements")
        return found

    def place_of(self, array: ArrayRef, index: ast.expr) -> Address:
        """The address of an element: row-major, counted from 0."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        for part in parts:
            if isinstance(part, (ast.Slice, ast.Starred)):
                self.scope.source.unsupported(part)
        if len(parts) != array.ndim:
            wanted = ", ".join(INDICES[: array.ndim])
            self.fail(
                index,
                f"{array.title} is {array.ndim}-D, and here are {len(parts)} indices: write {array.title}[{wanted}]",
            )
        of_last = self._index if array.fixed and array.fixed[-1] is not None else self._split
        split = [*map(self._index, parts[:-1]), of_last(parts[-1])]
        within: list[tuple[Any, ...]] = []
        if array.fixed:
            parts, split = along_axes(self, array, parts, split, index, within)
            array = array.whole
        for axis, (part, (value, offset)) in enumerate(zip(parts, split, strict=True)):
            if value is None:
                check_literal(self, part, array, axis, offset)
        placed = self.placed = [("", 0) if value is None else value.lane for value, _ in split]
        if array.shape is None:
            for axis, (lane, (_, offset)) in enumerate(zip(placed, split, strict=True)):
                if lane is not None and lane[0] == "global_id" and not offset:
                    self.facts.indexed.add((array.name, axis, lane[1]))
        self.checked = within
        several = array.element is not None and bool(array.element.parts)  # accesses
        if self.axes and (array.ndim > 1 or array.shape is not None or several):
            self._check_axes(array, parts, split)
        for operands in self.checked:
            self.emit("CHK", *operands)
        if all(value is None for value, _ in split) and (array.ndim == 1 or array.shape is not None):
            position = 0
            for (_, offset), length in zip(split, array.shape or (0,), strict=True):
                position = position * length + offset
            return self.access(array, None, position)
        if array.ndim == 1:
            value, offset = split[0]
            assert value is not None
            ty = INDEX if array.placed else default(value.ty)
            return self.access(array, self.register(index, value, ty), offset)
        with ExitStack() as kept:  # what further accesses check again
            for value, _ in split if several else ():
                kept.enter_context(self.pinned(value))
            return self._row_major(array, parts, split)

    def _check_axes(self, array: ArrayRef, parts: list[ast.expr], split: list[tuple[Value | None, int]]) -> None:
        """Writes down that each index is on its axis. Shared and local arrays lie behind each other, those of one axis
        too; of other arrays of one axis the length is that of the buffer."""
        for axis, (part, (value, offset)) in enumerate(zip(parts, split, strict=True)):
            length = array.shape[axis] if array.shape is not None else self.length(array, axis).reg
            if value is not None:
                ty = default(value.ty)
                register = self.register(part, value, ty)
                split[axis] = Value(ty, register), offset
                self.checked.append((register, length, array.name, axis, offset))
            elif array.shape is None:  # of axes whose length is known, literals were looked at
                self.checked.append((offset, length, array.name, axis))

    def _row_major(self, array: ArrayRef, parts: list[ast.expr], split: list[tuple[Value | None, int]]) -> Address:
        position, last = None, 0
        for axis, (part, (value, offset)) in enumerate(zip(parts, split, strict=True)):
            if value is None or axis < array.ndim - 1:
                value, last = value or Value(INDEX, const=offset), 0
            else:
                last = offset
            if value.ty in (Type.I64, Type.U64):
                self.fail(part, f"an index of several is {INDEX}, not {value.ty}: convert with hg.i32(x)")
            here = self.register(part, value, INDEX)
            if position is None:
                position = here
            else:
                length = self.register(part, self.length(array, axis), INDEX)
                position = self.op("MAD", INDEX, position, length, here)
        return self.access(array, position, last)

    def index(self, node: ast.expr) -> Value:
        """An index."""
        return self._whole_number(node, self.value(node))

    def _index(self, node: ast.expr) -> tuple[Value | None, int]:
        """An index: a value, or None and a literal."""
        return self._parts(self.index(node))

    def _whole_number(self, node: ast.expr, value: Value) -> Value:
        if float_of(value.ty) is value.ty:
            self.fail(node, f"an index is an integer, not {value.ty}: convert with hg.i32(x), which rounds toward zero")
        if isinstance(value.ty, Type) and value.ty.is_wide and value.const is None:
            self.fail(node, f"an index has at most 64 bits, not those of {value.ty}: convert with hg.i32(x)")
        return tell(self, node, value, "an index")

    @staticmethod
    def _parts(value: Value) -> tuple[Value | None, int]:
        return (value, 0) if value.const is None else (None, int(value.const))

    def _split(self, node: ast.expr) -> tuple[Value | None, int]:
        """The same, with a literal that is added to an I32 kept apart: addresses have room for it."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            left = self._whole_number(node.left, self.value(node.left))
            other = self.value(node.right)
            known = other.const if other.ty in (Weak.INT, INDEX) else None
            if left.const is None and default(left.ty) is INDEX and known is not None and abs(known) < 1 << 20:
                return left, int(known) * (1 if isinstance(node.op, ast.Add) else -1)
            return self._parts(self._whole_number(node, self.binary(node, node.op, left, other)))
        return self._index(node)

    # Operators

    def expr_BinOp(self, node: ast.BinOp) -> AnyValue:
        first, chain = chain_of(node)
        for part in chain:
            if isinstance(part.op, ast.MatMult):
                self.scope.source.unsupported(part, "MatMult")
        value = self.any_value(first)
        for part in chain:
            value = self.combined(part, part.op, value, self.any_value(part.right))
        return value

    def expr_UnaryOp(self, node: ast.UnaryOp) -> AnyValue:
        if not isinstance(node.op, ast.Not):
            value = self.any_value(node.operand)
            return value.form.unary(self, node, value) if isinstance(value, Parts) else self.unary(node, value)
        value = self.value(node.operand)
        if value.const is not None:
            return literal(not value.const)
        return self.negated(self.truth(node, value))

    def expr_Compare(self, node: ast.Compare) -> Value:
        if any(isinstance(self.static(part), (Type, str)) for part in (node.left, *node.comparators)):
            from .comparisons import compared_constants

            return compared_constants(self, node)
        for between in node.comparators[:-1]:
            if isinstance(between, ast.BinOp) and isinstance(between.op, (ast.BitAnd, ast.BitOr)):
                sign, word = ("&", "and") if isinstance(between.op, ast.BitAnd) else ("|", "or")
                self.fail(between, f"{sign} binds closer than a comparison: write a > 0 {word} b > 0")
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return self._among(node, isinstance(node.ops[0], ast.NotIn))
        for operator in node.ops:
            if isinstance(operator, (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
                self.scope.source.unsupported(node, type(operator).__name__)
        left, right = self.any_value(node.left), self.any_value(node.comparators[0])
        if isinstance(left, Parts) or isinstance(right, Parts):
            return self.compare_parts(node, left, right)
        more = node.comparators[1:]
        result = self.compare(node, node.ops[0], left, right, keep=bool(more))
        if not more:
            return result
        if all(map(self.pure, more)):
            for number, (operator, operand) in enumerate(zip(node.ops[1:], more, strict=True)):
                left, right = right, self.value(operand)
                step = self.compare(node, operator, left, right, keep=number < len(more) - 1)
                result = self.both_hold(result, step)
            return result
        if result.const is not None:
            if not result.const:
                return result
            result = Value(Weak.BOOL, pred=self.truth_of(node, result))
        end, assigned = self.label(), result.pred
        assert assigned is not None
        for number, (operator, operand) in enumerate(zip(node.ops[1:], more, strict=True)):
            self.jump(end, ~assigned)
            left, right = right, self.value(operand)
            step = self.compare(node, operator, left, right, keep=number < len(more) - 1)
            other = self.truth_of(node, step)
            self.emit("PAND", assigned, assigned, other)
            self.drop(other)
        self.place(end)
        return result

    def _among(self, node: ast.Compare, negated: bool) -> Value:
        """`x in (1, 2, y)`: compared with each."""
        right = node.comparators[0]
        left, found = self.any_value(node.left), self.static(right)
        if not isinstance(right, ast.Tuple) and not isinstance(found, tuple) and not self.part_of(right):
            self.fail(right, "in looks for a number in a tuple, x in (1, 2): in an array with a loop")
        among = self.any_value(right)
        assert isinstance(among, Parts)
        others = among.form.elements(among)
        result = literal(False)
        for number, other in enumerate(others):
            test = self.equal(node, other, left, keep=number < len(others) - 1)
            if result.pred is not None and test.pred is not None:
                result = self.both("POR", result.pred, test.pred)
            elif not result.const:
                result = result if test.const is False else test
        if result.const is not None:
            return literal(bool(result.const) is not negated)
        assert result.pred is not None
        return self.negated(result.pred) if negated else result

    def expr_BoolOp(self, node: ast.BoolOp) -> Value:
        conjunction = isinstance(node.op, ast.And)
        result: Value | None = None
        end = None
        for operand in node.values:
            if result is not None and result.const is not None:
                if bool(result.const) is not conjunction:
                    return result
                result = None
            if result is not None and not self.pure(operand):
                assert result.pred is not None
                end = end or self.label()
                self.jump(end, ~result.pred if conjunction else result.pred)
            value = self.condition(operand, "and" if conjunction else "or")
            if value.const is None:
                value = Value(Weak.BOOL, pred=self.truth(operand, value))
            if result is None:
                result = value
            elif end is None and value.const is not None:
                result = value if bool(value.const) is not conjunction else result
            elif end is None:
                assert result.pred is not None
                assert value.pred is not None
                result = self.both("PAND" if conjunction else "POR", result.pred, value.pred)
            else:
                assert result.pred is not None
                other = self.truth_of(operand, value)
                self.emit("PAND" if conjunction else "POR", result.pred, result.pred, other)
                self.drop(other)
        if end is not None:
            self.place(end)
        assert result is not None
        return result

    def expr_IfExp(self, node: ast.IfExp) -> AnyValue:
        test = self.value(node.test)
        if test.const is not None:
            return self.any_value(node.body if test.const else node.orelse)
        condition = self.truth(node.test, test)
        if self.pure(node.body) and self.pure(node.orelse):
            a, b = self.any_value(node.body), self.any_value(node.orelse)
            return self.chosen(node, condition, a, b, (node.body, node.orelse))
        otherwise, end = self.label(), self.label()
        meeting = Meeting({"": self.temporary()}, ("if", self.scope.path, node), self.temporary, self.choice)
        self.jump(otherwise, ~condition)
        self.drop(condition)
        for branch in (node.body, node.orelse):
            self.put(meeting, node, "", "", self.any_value(branch), branch)
            if branch is node.body:
                self.jump(end)
                self.place(otherwise)
        self.place(end)
        return self.got(meeting.registers, meeting.owner, "", "")

    def choice(self, node: ast.AST, _: str, place: tuple[Any, ...], new: ValueKind) -> ValueKind:
        """The type of a conditional expression or of a result, one more of whose values has type `new`."""
        known = self.facts.types.get(place, new)
        kind = known if known is new or place in self.facts.fixed else self.meet(node, Value(known), Value(new))
        self.facts.learn(place, kind)
        return kind

    # Conditions that decide where to go

    def branch(self, node: ast.expr, label: Label, when: bool, joined: str = "") -> bool | None:
        """Jumps to the label if a condition is `when`. If that is known while translating, it says whether it jumps."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.branch(node.operand, label, not when)
        if isinstance(node, ast.BoolOp) and not all(map(self.pure, node.values[1:])):
            word = "and" if isinstance(node.op, ast.And) else "or"
            if (word == "and") is not when:  # one operand that is `when` decides
                return self._branches(node.values, label, when, word)
            past = self.label()
            known = self._branches(node.values[:-1], past, not when, word)
            last = None if known else self.branch(node.values[-1], label, when, word)
            self.place(past)
            return False if known else last if known is False else None
        value = self.condition(node, joined) if joined else self.value(node)
        if value.const is not None:
            if bool(value.const) is when:
                self.jump(label)
                return True
            return False
        predicate = self.truth(node, value)
        self.jump(label, predicate if when else ~predicate)
        self.drop(predicate)
        return None

    def _branches(self, nodes: list[ast.expr], label: Label, when: bool, word: str) -> bool | None:
        """Jumps if one of these is `when`; what stands behind one that surely is, is not translated."""
        known: list[bool | None] = []
        for node in nodes:
            known.append(self.branch(node, label, when, word))
            if known[-1]:
                return True
        return None if None in known else False

    def condition(self, node: ast.expr, word: str) -> Value:
        """The value of an operand of `and` or `or`."""
        value = self.value(node)
        if value.ty is not Weak.BOOL:
            self.fail(node, f"{word} joins conditions, and this is {value.ty}: compare it, as in x != 0")
        return value

    def pure(self, node: ast.AST) -> bool:
        """Whether an expression can be computed where it is not needed: it cannot fault and changes nothing."""
        for part in walk(node):
            if isinstance(part, ast.Subscript):
                known = isinstance(self.static(part.value), (tuple, str, ArrayShape, Parts))
                if not known and self.part_of(part.value) is None:
                    return False
            if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.FloorDiv, ast.Mod)):
                right = part.right
                if not (isinstance(right, ast.Constant) and right.value) and constant(self.static(right)) is MISSING:
                    return False
            if isinstance(part, ast.Call):
                called = self.static(part.func)
                if called in (min, max) and len(part.args) == 1:  # of an array, which may have no elements
                    return False
                if isinstance(called, Intrinsic):
                    if called.name.startswith(_EFFECTS) or called.name in BLOCKS:
                        return False
                elif isinstance(called, FunctionType) or not (isinstance(called, Type) or called in _PURE_BUILTINS):
                    return False
        return True

    def expr_Call(self, node: ast.Call) -> AnyValue:
        value = self.call(node)
        if value is None:
            self.fail(node, f"{ast.unparse(node.func)} returns nothing: call it in a line of its own")
        return value
