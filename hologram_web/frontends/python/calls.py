"""Calls: casts, built-in functions, the functions of `hg`, and functions that are inlined."""

from __future__ import annotations

import ast
from collections.abc import Callable
from math import copysign, nan, prod
from types import BuiltinFunctionType, FunctionType
from typing import Any

from ...isa.elements import Element, axes_of, bool_, stored_as
from ...isa.operands import PRELOADED, AtomicOperation, Register
from ...isa.program import MAX_LOCAL_MEMORY, MAX_SHARED_MEMORY
from ...isa.row import TYPE_SETS
from ...isa.types import ATOMIC_INTS, FLOATS, Type
from .arithmetic import literal, typed
from .compounds import METHODS_OF_PARTS, AnyValue, Parts, PartsType, tuple_of
from .emit import ArrayRef
from .expressions import ArrayShape, Expressions
from .names import (
    ALLOWED,
    ATOMICS,
    BLOCKS,
    LIBRARY,
    MATH,
    MAX_AXES,
    VECTOR_FUNCTIONS,
    InstructionFunction,
    Intrinsic,
    VectorName,
    shown,
)
from .parts import shape_of
from .source import MISSING, Definition
from .spans import converted, inside, tell
from .types import INDEX, Value, ValueKind, Weak, default, fits, float_of
from .views import row_of

__all__ = ["Calls"]

_BUILTINS: dict[Any, str] = {abs: "abs", min: "min", max: "max", pow: "power", round: "round", len: "len"}
_WHOLE = ("floor", "ceil", "round", "trunc")  # of an integer it is itself
_IDS = {name: number for number, (name, _) in PRELOADED.items()}
# Registers of each id, by axis.
_AXES = {
    "local_id": [Register(_IDS[f"LANE_IDX_{axis}"]) for axis in "XYZ"],
    "block_id": [Register(_IDS[f"BLOCK_IDX_{axis}"]) for axis in "XYZ"],
    "block_dim": [Register(_IDS[f"BLOCK_DIM_{axis}"]) for axis in "XYZ"],
    "grid_dim": [Register(_IDS[f"GRID_DIM_{axis}"]) for axis in "XYZ"],
}
_MOST = {
    "shared": (MAX_SHARED_MEMORY, "at most 2**24 are allowed"),
    "local": (MAX_LOCAL_MEMORY, f"a lane has at most {MAX_LOCAL_MEMORY}"),
}
_CASTS = (int, float, bool)
_HOST = ("numpy", "hologram_web.array", "hologram_web.kernels", "hologram_web.runtime")  # kernels do not run theirs
# But these, which arrays' own kernels call.
_FOR_KERNELS = ("hologram_web.array.of_complex", "hologram_web.array.of_integers")
_COLLECTIVES = ("parallel_map_unary", "parallel_map_binary", "parallel_reduce")
_OF_MATH = {"fabs": "abs", "pow": "power"}


class Calls(Expressions):
    """Translates calls. A method `call_...` for each function of `hg` that is no single instruction."""

    def inline(self, node: ast.Call, definition: Definition) -> AnyValue | None:
        """A call of a function that is translated in its place."""
        raise NotImplementedError

    def call(self, node: ast.Call) -> AnyValue | None:
        if (method := self._method(node)) is not None:
            return method
        called = self.static(node.func)
        if isinstance(called, FunctionType) and called.__module__ == "dataclasses" and called.__name__ == "replace":
            from .records import replaced

            return replaced(self, node, node.args[0] if node.args else node.func)
        if isinstance(called, FunctionType):
            module = called.__module__ or ""
            if module in _FOR_KERNELS or not module.startswith(_HOST):
                return self.inline(node, self.definition(called))
        if isinstance(called, Definition):
            return self.inline(node, called)
        if isinstance(called, BuiltinFunctionType) and called.__module__ == "math":
            return self._of_math(node, called.__name__)
        if isinstance(called, (VectorName, PartsType)) or (
            isinstance(called, Intrinsic) and called.name in VECTOR_FUNCTIONS
        ):
            return self._of_vectors(node, called)
        if called is MISSING and isinstance(node.func, ast.Attribute) and node.func.attr in ("load", "store"):
            owner = self.static(node.func.value)
            owner = row_of(self, node.func.value) if owner is MISSING else owner
            if isinstance(owner, ArrayRef):
                self._no_keywords(node)
                if owner.element is not None:
                    have = f"{owner.title} is of {shown(owner.means)}"
                    what = f"{ast.unparse(node.func)} is of arrays of numbers, and {have}"
                    self.fail(node, f"{what}: write {owner.title}[i]")
                from . import componentwise

                return (componentwise.load if node.func.attr == "load" else componentwise.store)(self, node, owner)
        if isinstance(called, BuiltinFunctionType) and called.__module__ == "cmath" and called.__name__ == "exp":
            return self.math(node, "exp")
        if called is complex or (isinstance(called, Element) and called.parts and not called.is_vector):
            from .complexes import complex_of

            return complex_of(self, node, called)
        if isinstance(called, type) and called not in (*_CASTS, enumerate, zip, reversed, range, type):
            from .records import constructed, is_record

            if is_record(called):
                return constructed(self, node, called)
        if called in _CASTS or called is bool_:
            return self._python_cast(node, bool if called is bool_ else called)
        if called in (sum, any, all):
            self._no_keywords(node)
            self._arguments(node, "elements")
            return self.of_elements(node, called)
        if called is divmod:
            return self._divmod(node)
        if called is ord:
            return self._ord(node)
        if called is print:
            self.print_(node)
            return None
        if isinstance(called, InstructionFunction):
            from .instructions import call_instruction

            return call_instruction(self, node, called.name)
        name = _BUILTINS.get(called) if isinstance(called, BuiltinFunctionType) else None
        if isinstance(called, Intrinsic):
            name = called.name
        if isinstance(called, Type):
            return self.cast(node, called)
        if name is None:
            self._unknown_call(node, called)
        if name in _AXES or name == "global_id":
            return self.identity(node, name)
        if name in BLOCKS:
            from . import block_calls

            return block_calls.call(self, node, name)
        if name in _COLLECTIVES or (name and name.startswith("tensor.")):
            from .collective_calls import call_collective

            return call_collective(self, node, name)
        self._no_keywords(node)
        if name in MATH:
            return self.math(node, name)
        if name in ATOMICS:
            return self.atomic(node, ATOMICS[name])
        special: Callable[[ast.Call], AnyValue | None] = getattr(self, f"call_{name}")
        return special(node)

    def _of_vectors(self, node: ast.Call, called: Any) -> AnyValue:
        """hg.vec3(x, y, z), hg.vec3[hg.f32](x, y, z), hg.dot(a, b) and its kin."""
        from . import componentwise

        self._no_keywords(node)
        if isinstance(called, PartsType):
            return componentwise.make_vector(self, node, len(called.types), called.types[0])
        if isinstance(called, VectorName):
            return componentwise.make_vector(self, node, called.size)
        return componentwise.FUNCTIONS[called.name](self, node)

    def call_registers(self, node: ast.Call) -> AnyValue:
        from . import componentwise

        return componentwise.make_registers(self, node)

    def _method(self, node: ast.Call) -> AnyValue | None:
        """`z.conjugate()`, `p._replace(x=1)`; None for other calls."""
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in METHODS_OF_PARTS:
            return None
        owner = self.static(func.value)
        if owner is not MISSING and not isinstance(owner, (Parts, Value)):
            return None
        if func.attr == "_replace":
            from .records import replaced

            return replaced(self, node, func.value)
        from .complexes import conjugate

        self._no_keywords(node)
        self._arguments(node, "")
        return conjugate(self, node, self.any_value(func.value))

    def call_conj(self, node: ast.Call) -> AnyValue:
        from .complexes import conjugate

        (argument,) = self._arguments(node, "z")
        return conjugate(self, argument, self.any_value(argument))

    def _of_math(self, node: ast.Call, name: str) -> AnyValue | None:
        """A function of Python's math: that of `hg` with its name; floor, ceil and trunc give integers, as there."""
        name = _OF_MATH.get(name, name)
        if name in ("floor", "ceil", "trunc"):
            (argument,) = self._arguments(node, "x")
            value = self.value(argument)
            if float_of(value.ty) is not value.ty:
                return value
            result = self.op(MATH[name], default(value.ty), self.register(argument, value, default(value.ty)))
            return Value(INDEX, self.convert(INDEX, default(value.ty), result))
        if name == "log" and len(node.args) == 2:
            name = "log_base"
        if name in LIBRARY or name == "log_base":
            from . import library

            return self.inline(node, self.definition(getattr(library, name)))
        if name in _COLLECTIVES or (name and name.startswith("tensor.")):
            from .collective_calls import call_collective

            return call_collective(self, node, name)
        self._no_keywords(node)
        if name in MATH:
            return self.math(node, name)
        if name == "power":
            return self.call_power(node)
        from .elsewhere import ELSEWHERE

        instead = f"write {ELSEWHERE[name]}" if name in ELSEWHERE else "compute it on the host, and give an hg.Array"
        self.fail(node, f"math.{name} is not available in a kernel: {instead}")

    def _python_cast(self, node: ast.Call, called: type) -> AnyValue:
        """int(x), float(x), bool(x): integers and floats stay what they are, else they become I32 and F32; F64, if the
        integer has 64 bits."""
        self._no_keywords(node)
        (argument,) = self._arguments(node, "x")
        if called is float and is_text(argument):  # float("inf")
            try:
                return literal(float(argument.value))  # type: ignore[attr-defined]
            except ValueError:
                self.fail(argument, f"{argument.value!r} is no number")  # type: ignore[attr-defined]
        value = self.value(argument)
        if called is bool:
            if value.const is not None:
                return literal(bool(value.const))
            return Value(Weak.BOOL, pred=self.truth(argument, value))
        floats = float_of(value.ty) is value.ty
        if value.const is not None and isinstance(value.ty, Weak):
            return literal(called(value.const))
        if called is float:
            return value if floats else self.cast(node, default(float_of(default(value.ty))))
        return value if not floats and value.ty is not Weak.BOOL else self.cast(node, INDEX)

    def of_elements(self, node: ast.Call, called: Callable[..., Any]) -> AnyValue:
        """sum, any, all, min or max of one argument."""
        raise NotImplementedError

    def print_(self, node: ast.Call) -> None:
        """print(...)."""
        raise NotImplementedError

    def _ord(self, node: ast.Call) -> Value:
        """ord(c) of a character, or of one byte."""
        self._no_keywords(node)
        (argument,) = self._arguments(node, "c")
        found = self.static(argument)
        if not isinstance(found, (str, tuple)) or len(found) != 1:
            self.fail(
                argument, "ord is of one character that is known while translating: ord('a'), or of a text's, s[0]"
            )
        return literal(ord(found) if isinstance(found, str) else int(found[0]))

    def _divmod(self, node: ast.Call) -> Parts:
        """divmod(a, b): a // b and a % b."""
        self._no_keywords(node)
        left, right = self._arguments(node, "a, b")
        a, b = self.value(left), self.value(right)
        with self.pinned(a), self.pinned(b):
            quotient = self.binary(node, ast.FloorDiv(), a, b)
        return tuple_of((quotient, self.binary(node, ast.Mod(), a, b)))

    def definition(self, called: FunctionType) -> Definition:
        """The text of a Python function."""
        raise NotImplementedError

    def _unknown_call(self, node: ast.Call, called: Any) -> None:
        from .unknown import unknown_call

        unknown_call(self, node, called)

    def is_local(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id in self.scope.local_names

    def _no_keywords(self, node: ast.Call) -> None:
        if node.keywords:
            where = node.keywords[0].value
            self.fail(where, f"{ast.unparse(node.func)} takes no keyword arguments: give them by position")
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self.scope.source.unsupported(argument)

    def _arguments(self, node: ast.Call, form: str) -> list[ast.expr]:
        """The arguments, as many as in `form`, which messages show."""
        wanted = form.count(",") + 1 if form else 0
        if len(node.args) != wanted:
            self.fail(node, self.counted(ast.unparse(node.func), form, len(node.args), wanted))
        return node.args

    # Casts and numbers

    @staticmethod
    def counted(name: str, form: str, given: int, wanted: int) -> str:
        """What is wrong with a number of arguments."""
        have = f"{given} argument{'s' * (given != 1)}"
        return f"{name} is given {have}; {wanted} {'is' if wanted == 1 else 'are'} expected: write {name}({form})"

    def cast(self, node: ast.Call, ty: Type) -> AnyValue:
        """hg.u32(x): integers wrap, floats are rounded or truncated and saturated."""
        self._no_keywords(node)
        (argument,) = self._arguments(node, "x")
        value = self.any_value(argument)
        return self.of_parts(node, lambda v: self._cast(argument, v, ty), [value])

    def of_parts(self, node: ast.Call, make: Callable[..., AnyValue], values: list[AnyValue]) -> AnyValue:
        """A function of numbers; of values with parts it is what their form says."""
        form = next((value.form for value in values if isinstance(value, Parts)), None)
        return make(*values) if form is None else form.math(self, node, make, values)

    def _cast(self, argument: ast.expr, value: Value, ty: Type) -> Value:
        if value.span is not None:
            converted(self, argument, value, ty)
        if value.const is None:
            return Value(ty, self.register(argument, value, ty), span=inside(value, ty))
        number = ty.from_float(value.const) if isinstance(value.const, float) else value.const
        return Value(ty, const=ty.decode(ty.encode(number)))

    def math(self, node: ast.Call, name: str) -> AnyValue:
        """A function that is one instruction."""
        row = MATH[name]
        operands = [operand.name for operand in row.operands if operand.role == "use"]
        chain = name in ("min", "max")
        if chain and len(node.args) == 1:
            return self.of_elements(node, min if name == "min" else max)
        if chain and not node.args:
            self.fail(node, f"{name} takes two or more numbers, or an array: write {name}(a, b)")
        if name == "round" and len(node.args) == 2:
            number, digits = map(ast.unparse, node.args)
            by = f"10 ** {digits}"
            self.fail(node, f"round takes no digits in a kernel: write round({number} * {by}) / {by}")
        arguments = node.args if chain else self._arguments(node, ", ".join(operands))
        values = list(map(self.any_value, arguments))
        return self.of_parts(node, lambda *numbers: self._math(node, name, arguments, numbers), values)

    def _math(self, node: ast.Call, name: str, arguments: list[ast.expr], values: tuple[Value, ...]) -> Value:
        row, chain = MATH[name], name in ("min", "max")
        values = tuple(tell(self, node, value, f"an operand of {name}") for value in values)
        ty: ValueKind = values[0].ty
        for value in values[1:]:
            ty = self.meet(node, Value(ty), value)
        ty = Weak.INT if ty is Weak.BOOL else ty
        whole = float_of(ty) is not ty
        if chain and all(value.const is not None for value in values):
            extreme = self._extreme(name, ty, [value.const for value in values])
            if extreme is not None:
                return extreme
        if (whole and name in _WHOLE) or (name == "abs" and isinstance(ty, Type) and ty.is_unsigned):
            return Value(ty, self.register(node, values[0], default(ty)), None)
        if whole and TYPE_SETS[row.operands[0].type] == FLOATS:
            ty = float_of(ty)
        exact = default(ty)
        registers = [self.register(argument, value, exact) for argument, value in zip(arguments, values, strict=True)]
        result = registers[0]
        if chain:
            for register in registers[1:]:
                result = self.op(row, exact, result, register)
        else:
            result = self.op(row, exact, *registers)
        return Value(ty, result)

    @staticmethod
    def _extreme(name: str, ty: ValueKind, numbers: list[Any]) -> Value | None:
        """MIN or MAX of literals, or of integers that fit the type: NaN if one is, and -0 is less than +0."""
        if isinstance(ty, Type):
            if not ty.is_integer or not all(fits(int(number), ty) for number in numbers):
                return None
            return typed(ty, (min if name == "min" else max)(map(int, numbers)))
        if ty is Weak.INT:
            return literal((min if name == "min" else max)(map(int, numbers)))
        floats = [float(number) for number in numbers]
        if any(number != number for number in floats):
            return literal(nan)
        return literal((min if name == "min" else max)(floats, key=lambda number: (number, copysign(1, number))))

    def call_power(self, node: ast.Call) -> Value:
        base, exponent = self._arguments(node, "x, y")
        return self.power(node, self.value(base), self.value(exponent))

    def call_bitcast(self, node: ast.Call) -> Value:
        target, argument = self._arguments(node, "hg.u32, x")
        ty = self.type_of(target)
        value = self.value(argument)
        source = default(value.ty)
        if source.bits != ty.bits:
            self.fail(
                node, f"{source} has {source.bits} bits and {ty} {ty.bits}: convert first, or cast with hg.{ty}(x)"
            )
        return Value(ty, self.reinterpret(ty, source, self.register(argument, value, source)))

    def type_of(self, node: ast.expr) -> Type:
        found = self.static(node)
        if found not in ALLOWED:
            text = ast.unparse(node)
            from .elsewhere import INSTEAD_OF_TYPES

            instead = INSTEAD_OF_TYPES.get(text.rpartition(".")[2], "hg.f32, hg.i32 and so on")
            self.fail(node, f"{text} is no type of numbers: write {instead}")
        assert isinstance(found, Type)
        return found

    def call_select(self, node: ast.Call) -> AnyValue:
        test, yes, no = self._arguments(node, "condition, a, b")
        condition, a, b = self.value(test), self.any_value(yes), self.any_value(no)
        return self.chosen(node, self.truth_of(test, condition), a, b, (yes, no))

    def call_len(self, node: ast.Call) -> Value:
        (argument,) = self._arguments(node, "x")
        found = self.static(argument)
        if isinstance(found, (tuple, str)):
            return Value(INDEX, const=len(found))
        if isinstance(found, ArrayShape):
            return Value(INDEX, const=found.array.ndim)
        if isinstance(found, Parts) or self.part_of(argument) is not None:
            value = self.any_value(argument)
            if isinstance(value, Parts) and value.form.indexed:
                return Value(INDEX, const=len(value.form.elements(value)))
            self.fail(argument, f"{ast.unparse(argument)} is {shape_of(value)}, which has no length")
        return self.length(row_of(self, argument) or self.array(argument), 0)

    # Bits

    def _integer(self, node: ast.expr) -> tuple[Value, Type]:
        value = self.value(node)
        if float_of(value.ty) is value.ty:
            self.fail(node, f"bits are counted and rotated in integers, not {value.ty}: use hg.bitcast(hg.u32, x)")
        return value, default(value.ty)

    def call_rotl(self, node: ast.Call) -> Value:
        argument, by = self._arguments(node, "x, k")
        value, ty = self._integer(argument)
        bits = self.register(argument, value, ty)
        amount, _ = self._integer(by)
        if amount.const is not None:
            amount = literal(int(amount.const) % ty.bits)
        left = self.register(by, amount, Type.U32)
        if not ty.is_wide:
            return Value(ty, self.op("ROTL", ty, bits, left))
        bits = self.reinterpret(ty.unsigned, ty, bits)
        right = self.op("SUB", Type.U32, self.immediate(Type.U32, ty.bits), left, keep=True)
        high = self.op("SHL", ty.unsigned, bits, left, keep=True)
        low = self.op("SHR", ty.unsigned, bits, right)
        return Value(ty, self.reinterpret(ty, ty.unsigned, self.op("OR", ty.unsigned, high, low)))

    def _bits_counted(self, node: ast.Call, instruction: str) -> Value:
        (argument,) = self._arguments(node, "x")
        value, ty = self._integer(argument)
        if ty.is_wide:
            self.fail(argument, f"bits of {ty} are counted in parts: shift, and convert with hg.u64(x)")
        count = self.op(instruction, ty, self.register(argument, value, ty))
        return Value(INDEX, self.convert(INDEX, Type.U32, count))

    def call_popcount(self, node: ast.Call) -> Value:
        return self._bits_counted(node, "POPCNT")

    def call_clz(self, node: ast.Call) -> Value:
        return self._bits_counted(node, "CLZ")

    def call_ctz(self, node: ast.Call) -> Value:
        return self._bits_counted(node, "CTZ")

    # Lanes, shared memory, atomics

    def identity(self, node: ast.Call, name: str) -> Value:
        """hg.global_id(axis) and its kin, as I32."""
        given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "axis")]
        values = [Value(INDEX, const=-1) if is_text(argument) else self.value(argument) for argument in given]
        axis = values[0].const if values else 0
        if len(values) > 1 or len(given) < len(node.args) + len(node.keywords) or axis not in (0, 1, 2):
            self.fail(node, f"write hg.{name}(axis): the axis is 0, 1 or 2, known while translating")
        number = int(axis)
        if name != "block_dim" and name != "grid_dim":
            self.facts.axes.add(number)
        if name == "global_id":
            lane, block, size = (_AXES[ids][number] for ids in ("local_id", "block_id", "block_dim"))
            found = self.op("MAD", Type.U32, block, size, lane)
        else:
            found = _AXES[name][number]
        return Value(INDEX, self.convert(INDEX, Type.U32, found), lane=(name, number))

    def call_barrier(self, node: ast.Call) -> None:
        self._arguments(node, "")
        self.emit("BarSync", 0)

    def call_static_range(self, node: ast.Call) -> Value:
        self.fail(node, "hg.static_range stands only in for i in hg.static_range(...)")

    def call_static_assert(self, node: ast.Call) -> None:
        """hg.static_assert(condition), or with a text that says what is wrong."""
        if not 1 <= len(node.args) <= 2:
            self.fail(node, "write hg.static_assert(condition) or hg.static_assert(condition, 'what is wrong')")
        text = getattr(node.args[1], "value", None) if len(node.args) == 2 else ast.unparse(node.args[0])
        if not isinstance(text, str):
            self.fail(node.args[1], "the text of hg.static_assert is written out: 'what is wrong'")
        known = self.value(node.args[0]).const
        if known is None:
            self.fail(node.args[0], "hg.static_assert tests what is known while translating")
        if not known:
            self.fail(node, f"{text}: hg.static_assert")

    def call_shared(self, node: ast.Call) -> Value:
        self.fail(node, "shared memory gets a name: write tile = hg.shared(hg.f32, 256) in a line of its own")

    def call_local(self, node: ast.Call) -> Value:
        self.fail(node, "local memory gets a name: write mine = hg.local(hg.u32, 64) in a line of its own")

    def own_array(self, kind: str, name: str, node: ast.Call) -> ArrayRef:
        """`name = hg.shared(type, size)` or `hg.local(type, size)`: the next bytes of shared or local memory."""
        self._no_keywords(node)
        target, size = self._arguments(node, "hg.f32, size")
        element = self.element(target)
        ty = stored_as(element)
        lengths = self.known_shape(size, f"{kind} memory")
        alignment = 16 if axes_of(element) else ty.alignment  # of any field
        offset = -(-self.own_bytes[kind] // alignment) * alignment
        end = self.own_bytes[kind] = offset + prod(lengths) * element.size_bytes
        most, rule = _MOST[kind]
        if end > most:
            self.fail(node, f"{end} bytes of {kind} memory: {rule}")
        of = element if isinstance(element, Element) else None
        return ArrayRef(name, ty, len(lengths), lengths, offset, kind == "local", element=of)

    def known_shape(self, size: ast.expr, what: str) -> tuple[int, ...]:
        """One length or several, known while translating."""
        found = self.static(size)
        parts = size.elts if isinstance(size, ast.Tuple) else None
        shape = [self.value(part).const for part in parts] if parts is not None else [None]
        if parts is None:
            shape = list(found) if isinstance(found, tuple) else [self.value(size).const]
        if not 1 <= len(shape) <= MAX_AXES or any(
            not isinstance(n, int) or isinstance(n, bool) or n < 1 for n in shape
        ):
            self.fail(size, f"the size of {what} is known while translating: 1 to {MAX_AXES} positive integers")
        return tuple(int(n or 0) for n in shape)

    def element(self, node: ast.expr) -> Type | Element:
        """The type of elements that is named."""
        found = self.static(node)
        if isinstance(found, Type) or found is MISSING:
            return self.type_of(node)
        from .records import element_of_any

        return element_of_any(found) or self.type_of(node)

    def atomic(self, node: ast.Call, operation: AtomicOperation) -> Value:
        """hg.atomic_add(x, i, v): the old element."""
        cas = operation is AtomicOperation.CAS
        form = "array, i, compare, value" if cas else "array, i, value"
        arguments = self._arguments(node, form)
        array = self.array(arguments[0])
        if array.local:
            self.fail(node, f"{array.name} is the lane's own, which needs no atomics: read and write its elements")
        adds = operation is AtomicOperation.ADD
        if array.means not in ATOMIC_INTS and not (adds and array.means is Type.F32):
            also = ", atomic_add on f32 too" if adds else ""
            self.fail(node, f"{array.title} is {shown(array.means)}: atomics work on i32, u32, i64 and u64{also}")
        address = self.place_of(array, arguments[1])
        operands = [self.stored(argument, self.value(argument), array.ty) for argument in arguments[2:]]
        if array.shape is None:
            self.facts.reads.add(array.name)
            self.facts.writes.add(array.name)
        self.drop(address.index, *operands)
        result = self.temporary()
        self.emit("ATOM", operation, array.ty, result, address, *reversed(operands))
        return Value(array.ty, result)

    def stored(self, node: ast.AST, value: Value, ty: Type) -> Register:
        """A register that holds a value as it is stored: floats do not become integers by themselves."""
        if ty.is_integer and float_of(value.ty) is value.ty:
            self.fail(node, f"{value.ty} does not become {ty} by itself: round it, and convert with hg.{ty}(x)")
        return self.register(node, value, ty)


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
