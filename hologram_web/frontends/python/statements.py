"""Statements: assignments, branches, loops."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from ...isa.operands import Label, Register
from ...isa.types import Type
from .arithmetic import literal, trips_of, typed
from .calls import Calls
from .compounds import AnyValue, Compound, Parts, parts_type, tuple_of
from .emit import ArrayRef, EnclosingLoop
from .names import Intrinsic, marks
from .parts import Meeting, written
from .places import Reach, Spot, numbers_of, numbers_of_parts, parts_named, spot_of
from .source import MISSING, walk
from .types import INDEX, Value, ValueKind, Weak, default, float_of, join
from .views import name_view, row_of

__all__ = ["Statements"]

_WRITTEN_OUT = 16_384  # instructions of one


class Statements(Calls):
    """Translates statements. `calling` are the functions around, `own_arrays`, shared and local ones, are by call.

    `rounds` are those of the loops around that are written out, from instruction `written_from` on.
    """

    calling: list[ast.FunctionDef]
    own_arrays: dict[Any, ArrayRef]
    rounds: list[int]
    written_from = 0
    sums: Any = None  # of sums.py, where there are any
    kernel_body: list[ast.stmt]

    def row_elements(self, node: ast.expr, count: int) -> list[AnyValue] | None:
        """The elements of an array or a row that is unpacked to so many names; None for other things."""
        raise NotImplementedError

    def statements(self, body: list[ast.stmt]) -> None:
        """Translates statements up to one that no path goes on from."""
        for node in body:
            if self.scope.assigned is not None:
                self.statement(node)

    def statement(self, node: ast.stmt) -> None:
        make = getattr(self, f"stmt_{type(node).__name__}", None)
        if make is None:
            self.scope.source.unsupported(node)
        before, self.at = self.at, (self.scope.source, node)
        self.temporaries.append([])
        make(node)
        self.free_temporaries()
        self.temporaries.pop()
        self.at = before

    def free_temporaries(self) -> None:
        """Gives back the registers of the statement's expressions, before what is nested in it."""
        for held in self.temporaries[-1]:
            self.give(held)
        self.temporaries[-1].clear()

    def stmt_Pass(self, node: ast.Pass) -> None:
        pass

    def stmt_Expr(self, node: ast.Expr) -> None:
        value = node.value
        if isinstance(value, ast.Call):
            self.call(value)
        elif not (isinstance(value, ast.Constant) and (isinstance(value.value, str) or value.value is ...)):
            from .elsewhere import NODES

            if type(value).__name__ in NODES:
                self.scope.source.unsupported(value)
            self.fail(node, "this line has no effect: assign the value, or store it in an array")

    # Assignments

    def stmt_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        called = self.static(node.value.func) if isinstance(node.value, ast.Call) else None
        own = called.name if isinstance(called, Intrinsic) and called.name in self.own_bytes else None
        if own is not None and len(node.targets) == 1 and isinstance(target, ast.Name):
            self._own(own, target, node.value)
            return
        if len(node.targets) == 1 and isinstance(target, (ast.Tuple, ast.List)):
            row = self.row_elements(node.value, len(target.elts))
            self._unpack(target, node.value, self.any_value(node.value) if row is None else tuple_of(tuple(row)))
            return
        if isinstance(node.value, ast.Lambda) and len(node.targets) == 1 and isinstance(target, ast.Name):
            self._function(target, target.id, node.value)
            return
        view = row_of(self, node.value) if len(node.targets) == 1 and isinstance(target, ast.Name) else None
        if view is not None and isinstance(target, ast.Name) and isinstance(node.value, ast.Subscript):
            name_view(self, target, view, node.value.slice)
            return
        value = self.any_value(node.value)
        for target in node.targets[:-1]:
            with self.pinned_all(value):
                self.assign(target, node.value, value)
        self.assign(node.targets[-1], node.value, value)
        if isinstance(target, (ast.Attribute, ast.Subscript)) and self.part_of(target.value) is not None:
            self._look_at_change(node, target)

    def _look_at_change(self, node: ast.Assign | ast.AugAssign, target: ast.expr) -> None:
        from .lost import look_at_change  # an import of the package does not need it

        look_at_change(self, node, target)

    def stmt_FunctionDef(self, node: ast.FunctionDef) -> None:
        for decorator in node.decorator_list:
            if not marks(self.static(decorator)):
                self.fail(decorator, "a function in a kernel has no decorator but @hg.function")
        self._function(node, node.name, node)

    def _function(self, node: ast.AST, name: str, made: ast.Lambda | ast.FunctionDef) -> None:
        """A function in this one gets its name."""
        known = self.scope.bound.get(name)
        if name in self.scope.registers or (known is not None and getattr(known, "made_of", None) is not made):
            self.fail(node, f"{name} is in use already: give the function a name of its own")
        self.scope.bound[name] = self.function_here(made)

    def _own(self, kind: str, target: ast.Name, call: ast.expr) -> None:
        """`target = hg.shared(...)` or `hg.local(...)`."""
        assert isinstance(call, ast.Call)
        name, scope = target.id, self.scope
        key = *scope.path, call
        if key not in self.own_arrays:
            if name in scope.bound or name in scope.registers:
                self.fail(target, f"{name} is in use already: give the {kind} memory a name of its own")
            self.own_arrays[key] = self.own_array(kind, name, call)
        scope.bound[name] = self.own_arrays[key]

    def _unpack(self, target: ast.Tuple | ast.List, node: ast.AST, value: AnyValue) -> None:
        """Assigns the parts of a value: what all of them are is read before the first one is assigned."""
        for part in target.elts:
            if isinstance(part, ast.Starred):
                self.scope.source.unsupported(part)
        if not isinstance(value, Parts) or not value.form.indexed:
            self.fail(
                node, "only a tuple of values, a constant tuple or a shape is unpacked: assign one name at a time"
            )
        values = value.form.elements(value)
        if len(values) != len(target.elts):
            self.fail(target, f"{len(values)} values for {len(target.elts)} names")
        for part, held in zip(target.elts, [self.copied(inner) for inner in values], strict=True):
            self.assign(part, node, held)

    def assign(self, target: ast.expr, node: ast.AST, value: AnyValue) -> None:
        """Assigns a value to a name, to a part of what a name stands for, or to an element."""
        if isinstance(target, ast.Name):
            self.assign_name(target, target.id, value, node)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, node, value)
        elif (several := self.changed_parts(target)) is not None:
            self._unpack(several, node, value)
        elif (place := self.changed_part(target)) is not None:
            self.put(self._variables(), target, *place, self.apart(value, place[0], self.scope.registers), node)
        elif isinstance(target, ast.Subscript):
            self._store(node, self.spot(target), value)
        elif isinstance(target, ast.Attribute) and (spot := spot_of(self, target)) is not None:
            self._store(node, spot, value)
        elif (named := parts_named(self, target)) is not None:
            numbers = numbers_of_parts(self, node, *named, value)
            Reach(self, named[0]).store(numbers)
        elif isinstance(target, ast.Attribute):
            self.fail(target, "attributes cannot be assigned: use a variable or an element of an array")
        else:
            self.scope.source.unsupported(target)

    def _store(self, node: ast.AST, spot: Spot, value: AnyValue) -> None:
        """Stores a value, made at a node."""
        numbers = numbers_of(self, node, spot.means, spot.offset, value)
        Reach(self, spot).store(numbers)

    def changed_parts(self, target: ast.expr) -> ast.Tuple | None:
        """Of `v.xy`, which is assigned, v.x and v.y."""
        if not isinstance(target, ast.Attribute) or (owner := self.part_of(target.value)) is None:
            return None
        form = self.facts.types[owner[0].path, owner[2]]
        names = form.several(target.attr) if isinstance(form, Compound) else []
        if len(names) < 2 or len(set(names)) < len(names):
            return None
        parts: list[ast.expr] = [ast.Attribute(target.value, name, ast.Store()) for name in names]
        return ast.copy_location(ast.Tuple([ast.copy_location(part, target) for part in parts], ast.Store()), target)

    def changed_part(self, target: ast.expr) -> tuple[str, str] | None:
        """The name, and that of the type, of a part of a variable that is assigned; None for other targets."""
        if not isinstance(target, (ast.Attribute, ast.Subscript)):
            return None
        owner = self.part_of(target.value)
        if owner is None:
            first: ast.expr = target
            while isinstance(first, (ast.Attribute, ast.Subscript)):
                first = first.value
            if isinstance(self.static(first), Parts) and spot_of(self, target) is None:
                self.fail(target, f"{ast.unparse(first)} is a parameter, and its caller would see no change: give it a "
                    "name of its own first, and return it")  # fmt: skip
            return None
        form = self.facts.types[owner[0].path, owner[2]]
        if isinstance(form, Compound):
            if not form.mutable:
                more = (
                    ", or take hg.registers(size, type)" if form.indexed and isinstance(target, ast.Subscript) else ""
                )
                text = f"{ast.unparse(target.value)} is {form}, whose parts are not assigned: make a new one{more}"
                self.fail(target, text)
            if owner[0] is not self.scope:
                self.fail(target, f"{owner[1]} belongs to the function around: return the new value")
        place = self.part_of(target)
        if place is None and isinstance(form, Compound) and isinstance(target, ast.Attribute):
            form.no_attribute(self, target)
        return None if place is None else place[1:]

    def _variables(self) -> Meeting:
        return Meeting(self.scope.registers, (self.scope.path,), self.take, self._joined)

    def assign_name(self, node: ast.AST, name: str, value: AnyValue, origin: ast.AST | None = None) -> None:
        """Assigns a value, made at the node `origin`, to a variable, whose type joins all it is ever assigned."""
        origin = origin or node
        scope = self.scope
        bound = scope.bound.get(name)
        if isinstance(bound, ArrayRef):
            self.fail(node, f"{name} is an array: store an element, {name}[i] = ..., or use another name")
        if bound is not None:
            self.fail(node, f"{name} is the variable of an unrolled loop: use another name")
        self.put(self._variables(), node, name, name, self.apart(value, name, scope.registers), origin)
        if isinstance(value, Value) and value.lane is not None and name in scope.once:
            scope.lanes[name] = value.lane
        if name not in scope.read and self.is_read(origin):
            scope.read.add(name)
        if scope.assigned is not None:
            scope.assigned.add(name)

    def _joined(self, node: ast.AST, name: str, key: tuple[Any, ...], new: ValueKind) -> ValueKind:
        """The type of a variable to which a value of type `new` is assigned."""
        old: ValueKind | None = self.facts.types.get(key)
        if old is not None and key in self.facts.fixed:
            return old
        if old is None or old is new:
            kind = new
        else:
            strong = isinstance(old, Type) or isinstance(new, Type)
            floats = [float_of(ty) is ty for ty in (old, new)]
            literal_int = Weak.INT in (old, new) and True in floats
            if (Weak.BOOL in (old, new)) or (strong and floats[0] != floats[1] and not literal_int):
                self.fail(
                    node,
                    f"{written(name)} is {old} elsewhere and {new} here, and a variable has one type: convert one of "
                    f"them, as in hg.{default(join(old, new))}(x), or use another name",
                )
            kind = self.meet(node, Value(old), Value(new))
        self.facts.learn(key, kind)
        return kind

    def stmt_AnnAssign(self, node: ast.AnnAssign) -> None:
        if not isinstance(node.target, ast.Name):
            self.scope.source.unsupported(node)
        name, ty = node.target.id, parts_type(self.scope.source, node.annotation) or self.type_of(node.annotation)
        said = self.annotated.get((self.scope.path, name), ty)
        if said != ty:
            self.fail(node, f"{name} is {said} by annotation elsewhere: a variable has one type")
        self.declare((self.scope.path,), name, ty)
        if node.value is not None:
            self.assign_name(node.target, name, self.any_value(node.value), node.value)

    def stmt_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            if isinstance(bound := self.scope.bound.get(node.target.id), ArrayRef):
                self.assign_name(node.target, bound.name, literal(0))
            load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            old = self.any_value(load)
            self.assign_name(node.target, node.target.id, self.combined(node, node.op, old, self.any_value(node.value)))
            self._look_at_change(node, node.target)
            return
        if isinstance(node.target, (ast.Attribute, ast.Subscript)) and self.part_of(node.target.value) is not None:
            self._look_at_change(node, node.target)
        if (several := self.changed_parts(node.target)) is not None:
            before = self.any_value(node.target)
            self._unpack(several, node, self.combined(node, node.op, before, self.any_value(node.value)))
            return
        if (place := self.changed_part(node.target)) is not None:
            before = self.got(self.scope.registers, (self.scope.path,), *place)
            after = self.combined(node, node.op, before, self.any_value(node.value))
            self.put(self._variables(), node.target, *place, self.apart(after, place[0], self.scope.registers), node)
            return
        named = parts_named(self, node.target)
        spot = self.spot(node.target) if isinstance(node.target, ast.Subscript) else spot_of(self, node.target)
        spot = named[0] if named is not None else spot
        if spot is None:
            self.assign(node.target, node, literal(0))
            return
        reach = Reach(self, spot)
        if self.sums is None:
            from .sums import Sums

            self.sums = Sums(self, self.kernel_body)
        self.sums.look_at(node, spot.array, spot.index)
        with self.pinned(reach.index):
            before = reach.load()
            if named is not None and isinstance(before, Parts) and isinstance(node.target, ast.Attribute):
                before = before.form.attribute(self, node.target, before.values)
            result = self.combined(node, node.op, before, self.any_value(node.value))
            if named is not None:
                numbers = numbers_of_parts(self, node, *named, result)
            else:
                numbers = numbers_of(self, node, spot.means, spot.offset, result)
            reach.store(numbers)

    # Flow. `assigned` of the scope follows it: None where no path leads

    def stmt_If(self, node: ast.If) -> None:
        otherwise = self.label()
        known = self.branch(node.test, otherwise, False)
        self.free_temporaries()
        before = self.scope.assigned
        after: list[set[str] | None] = []
        if known is not True:
            self.scope.assigned = _copy(before)
            self.statements(node.body)
            after.append(self.scope.assigned)
        self.scope.assigned = _copy(before)
        end = self.label()
        if node.orelse and known is None and after[0] is not None:
            self.jump(end)
        self.place(otherwise)
        if known is not False:
            self.statements(node.orelse)
            after.append(self.scope.assigned)
        self.place(end)
        self.scope.assigned = _common(after)

    def stmt_While(self, node: ast.While) -> None:
        loop = self._loop(node)
        self.place(loop.again)
        before = self.scope.assigned
        known = self.branch(node.test, loop.through, False)
        self.free_temporaries()
        if known is not True:
            self.scope.assigned = _copy(before)
            self._body(loop, node.body)
            if self.scope.assigned is not None:
                self.jump(loop.again)
        self._behind(node, loop, None if known is False else before)

    def _loop(self, node: ast.While | ast.For) -> EnclosingLoop:
        again, end = self.label(), self.label()
        return EnclosingLoop(again, end, self.label() if node.orelse else end)

    def _behind(self, node: ast.While | ast.For, loop: EnclosingLoop, assigned: set[str] | None) -> None:
        """What follows a loop: its `else`, for those whom no break led out; `assigned` are the variables of these."""
        if node.orelse:
            self.place(loop.through)
            self.scope.assigned = _copy(assigned)
            if assigned is not None:
                self.statements(node.orelse)
            assigned = self.scope.assigned
        self.place(loop.end)
        self.scope.assigned = _common([*loop.at_end, assigned])

    def _body(self, loop: EnclosingLoop, body: list[ast.stmt]) -> None:
        self.scope.loops.append(loop)
        self.statements(body)
        self.scope.loops.pop()

    def stmt_Break(self, node: ast.Break) -> None:
        self._leave(node, "end")

    def stmt_Continue(self, node: ast.Continue) -> None:
        self._leave(node, "again")

    def _leave(self, node: ast.stmt, where: str) -> None:
        if not self.scope.loops:
            self.fail(node, f"{type(node).__name__.lower()} stands outside a loop")
        loop = self.scope.loops[-1]
        if self.scope.assigned is not None:
            getattr(loop, f"at_{where}").append(set(self.scope.assigned))
        self.jump(getattr(loop, where))
        self.scope.assigned = None

    def stmt_For(self, node: ast.For) -> None:
        from .iteration import elements, over_arrays  # pages import it with the first loop

        call = node.iter
        if isinstance(call, ast.Call) and self.static(call.func) is range:
            self._no_keywords(call)
            if not 1 <= len(call.args) <= 3:
                self.fail(call, f"range takes 1 to 3 arguments, not {len(call.args)}")
            if not isinstance(node.target, ast.Name):
                self.fail(node.target, "the variable of a loop over a range is one name")
            values = [self.value(argument) for argument in call.args]
            for argument, value in zip(call.args, values, strict=True):
                if float_of(value.ty) is value.ty:
                    self.fail(argument, f"range counts integers, not {value.ty}: convert with hg.i32(x)")
            if len(values) == 3 and values[2].const == 0:
                self.fail(call.args[2], "the step of range is not 0")
            return self._range(node, node.target, values)
        found = elements(self, call)
        if found is not None:
            held: list[Register] = []
            self._unroll(node, [self._held(call, element, held) for element in found], len(found))
            for register in held:
                self.give(register)
            return
        counted = over_arrays(self, node)
        if counted is None:
            if isinstance(call, (ast.Name, ast.Attribute, ast.Subscript, ast.BinOp, ast.Constant)):
                found = self.static(call)
                if isinstance(found, (Value, int)) or (found is MISSING and self.value(call)):
                    text = ast.unparse(call)
                    self.fail(call, f"{text} is one number: write range({text})")
            self.fail(
                call, "for loops over a range, a constant tuple, an array, or enumerate, zip or reversed of these"
            )
        self.stmt_For(counted)

    def _range(self, node: ast.For, target: ast.Name, values: list[Value]) -> None:
        values = [literal(0), *values] if len(values) == 1 else values
        start, stop, step = values if len(values) == 3 else [*values, literal(1)]
        kind = self.meet(node, start, stop)
        ty = default(kind if isinstance(step.ty, Weak) else self.meet(node, Value(kind), step))
        ty = ty if ty.bits >= 32 else INDEX
        start, stop, step = (
            typed(ty, int(value.const)) if isinstance(value.ty, Type) and value.const is not None else value
            for value in (start, stop, step)
        )
        numbers = [int(value.const) for value in (start, stop, step) if value.const is not None]
        trips = trips_of(*numbers) if len(numbers) == 3 else None
        if trips is not None and self._indexes_tuple(node, target.id):
            self._unroll(node, self._counted(node, target, numbers, ty), trips)
            return
        loop, before = self._loop(node), self.scope.assigned
        here, left = self.take(), self.take()
        by = self._count(node, loop.through, (start, stop, step), ty, here, left, trips)
        self.free_temporaries()
        body = self.label()
        self.place(body)
        self.scope.assigned = _copy(before)
        self.assign_name(target, target.id, Value(ty, here))
        self.free_temporaries()
        self._body(loop, node.body)
        self.place(loop.again)
        reached = _common([*loop.at_again, self.scope.assigned])
        self.emit("ADD", ty, here, here, by)
        self._again(left, ty.unsigned, body, loop.through)
        for register in (here, left, by):
            self.give(register)
        self._behind(node, loop, reached if trips else before)

    def _counted(self, node: ast.For, target: ast.Name, numbers: list[int], ty: Type) -> Iterator[Value]:
        """What the variable of a loop over a range of literals is, one round after another: of its own type."""
        for value in map(literal, numbers):
            self.check_fits(node.iter, value, ty)
        for number in range(*numbers):
            kind = default(self._joined(target, target.id, (self.scope.path, target.id), ty))
            yield Value(kind, const=kind.decode(kind.encode(number)))

    def _count(
        self, node: ast.For, end: Label, values: Any, ty: Type, here: Register, left: Register, trips: int | None
    ) -> Register:
        """Sets the counters of a loop: `here` to its start, `left` to the rounds after the first; jumps if none is.

        Returns a register that holds the step.
        """
        bits, by = ty.unsigned, self.take()
        if trips is not None and not self.check_fits(getattr(node.iter, "args", [])[:2][-1], values[1], ty):
            trips = 1
        self.move(by, self.register(node, values[2], ty))
        start = self.register(node, values[0], ty)
        if trips is not None:
            self.move(here, start)
            self.emit("MOV_IMM", bits, left, max(trips - 1, 0))
            if trips == 0:
                self.jump(end)
            return by
        stop = self.register(node, values[1], ty)
        low, high, size = start, stop, by
        known = values[2].const
        if known is not None and known < 0:
            low, high = stop, start
        if known is None and ty.is_signed:
            up = self.test("gt", ty, by, self.immediate(ty, 0), keep=True)
            low = self.op("SEL", ty, up, start, stop, keep=True)
            high = self.op("SEL", ty, up, stop, start, keep=True)
            size = self.op("ABS", ty, by)
        difference = [self.reinterpret(bits, ty, register, keep=True) for register in (high, low)]
        rounds = self.op("SUB", bits, *difference, keep=True)
        rounds = self.op("SUB", bits, rounds, self.immediate(bits, 1))
        if known not in (1, -1):
            divisor = self.immediate(bits, abs(known)) if known is not None else self.reinterpret(bits, ty, size)
            rounds = self.op("DIV", bits, rounds, divisor)
        none = self.test("ge", ty, low, high, keep=True)
        self.emit("MOV", left, rounds)
        self.emit("MOV", here, start)
        self.jump(end, none)
        return by

    def _again(self, left: Register, ty: Type, body: Label, end: Label) -> None:
        if ty is Type.U32:
            self.emit("LOOP", left, body)
            return
        self.jump(end, self.test("eq", ty, left, self.immediate(ty, 0), keep=True))
        self.emit("SUB", ty, left, left, self.immediate(ty, 1))
        self.jump(body)

    def _indexes_tuple(self, node: ast.For, name: str) -> bool:
        """Whether the loop's variable is in the index of a constant tuple."""
        for part in walk(*node.body):
            if isinstance(part, ast.Subscript) and isinstance(part.value, (ast.Name, ast.Attribute)):
                names = {inner.id for inner in walk(part.slice) if isinstance(inner, ast.Name)}
                if name in names and isinstance(self.static(part.value), tuple):
                    return True
        return False

    def _held(self, node: ast.AST, element: Any, held: list[Register]) -> Any:
        """What a loop goes over next, in registers of the loop's own: its body may assign what it was made of."""
        if isinstance(element, tuple):
            return tuple(self._held(node, part, held) for part in element)
        if isinstance(element, Parts):
            return Parts(element.form, self._held(node, element.values, held))
        if not isinstance(element, Value) or element.const is not None:
            return element
        held.append(self.take())
        self.move(held[-1], self.register(node, element, default(element.ty)))
        return Value(element.ty, held[-1])

    def _read_behind(self) -> frozenset[str]:
        """The names that the function reads outside of the loops over them."""
        function = self.calling[-1]
        if function not in self.facts.behind:
            self.facts.behind[function] = frozenset(_outside(frozenset(), function))
        return self.facts.behind[function]

    def _unroll(self, node: ast.For, elements: Iterable[Any], count: int) -> None:
        """A loop over constants: its body once for each."""
        from .iteration import rounds, variables

        loop, scope = self._loop(node), self.scope
        if not self.rounds:
            self.written_from = len(self.code)
        rounds(self, node.iter, count)
        self.rounds.append(count)
        self.free_temporaries()
        names = [part.id for part in walk(node.target) if isinstance(part, ast.Name)]
        kept = self._read_behind().intersection(names)
        for done, element in enumerate(elements):
            made = len(self.code) - self.written_from
            if made > _WRITTEN_OUT:
                self.fail(
                    node.iter,
                    f"loops over constants are written out, as at most {_WRITTEN_OUT} instructions, and here are {made}"
                    f" after {done} of {count} rounds: let one count with range",
                )
            for name, value in variables(self, node.target, element).items():
                if isinstance(scope.bound.get(name), ArrayRef) or (
                    name in scope.registers and isinstance(value, (str, tuple))
                ):
                    what = f"{name} is in use already"
                    self.fail(node.target, f"{what}: give the variable of this loop a name of its own")
                scope.bound.pop(name, None)
                changes = isinstance(value, Parts) or (isinstance(value, Value) and value.const is None)
                if not isinstance(value, (str, tuple)) and (changes or name in scope.registers or name in kept):
                    self.assign_name(node.target, name, value)
                if not changes:
                    scope.bound[name] = value
            again = loop.again = self.label()
            loop.at_again = []
            self._body(loop, node.body)
            self.place(again)
            scope.assigned = _common([*loop.at_again, scope.assigned])
        self.rounds.pop()
        for name in names:
            scope.bound.pop(name, None)
        self._behind(node, loop, scope.assigned)


def _outside(within: frozenset[str], *nodes: ast.AST) -> Iterator[str]:
    """The names that are read in nodes and are not among those of the loops around them."""
    for node in walk(*nodes, but=(ast.For,)):
        if isinstance(node, ast.Name):
            if node.id not in within and isinstance(node.ctx, ast.Load):
                yield node.id
        elif isinstance(node, ast.For):
            yield from _outside(within, node.iter)
            inner = within.union(part.id for part in walk(node.target) if isinstance(part, ast.Name))
            yield from _outside(inner, node.target, *node.body, *node.orelse)


def _copy(assigned: set[str] | None) -> set[str] | None:
    return None if assigned is None else set(assigned)


def _common(states: list[set[str] | None]) -> set[str] | None:
    """What is assigned where several paths meet."""
    reached = [state for state in states if state is not None]
    return set.intersection(*reached) if reached else None
