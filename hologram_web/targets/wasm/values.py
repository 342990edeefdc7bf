"""Expressions: from IR values to WebAssembly instructions.

How values are held: I64 and U64 as i64, F32 and F64 as themselves, I32, U32 and predicates (0 or 1) as i32. Shorter
types are in words already (`compiler/legalise.py`), but for scalars of them, which loads extend.
"""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.ir import Node, ValueType
from ...compiler.operations import CLAMPS, COMPARISONS, LEAVES, MODULAR, SHIFTS
from ...compiler.out_of_ssa import Variable
from ...compiler.ranges import Ranges
from ...compiler.traits import Traits
from ...compiler.wide import read
from ...isa.types import Type
from .encoder import FunctionBody, Instr
from .wide import Wide, is_wide

__all__ = ["TRAITS", "Values", "value_type"]

TRAITS = Traits(frozenset({Type.I32, Type.U32, Type.I64, Type.U64, Type.F32, Type.F64}), dots=True)


def _is_truth(one: Node, zero: Node) -> bool:
    """Whether a choice of two numbers is the predicate, as a number."""
    return one.is_const and one.attr == 1 and zero.is_const and zero.attr == 0


def value_type(ty: ValueType) -> str:
    """The WebAssembly type that holds a value."""
    if not isinstance(ty, Type) or ty.bits < 32 or ty in (Type.I32, Type.U32):
        return "i32"
    return ("f" if ty.is_float else "i") + str(ty.bits)


# Primitives that are one instruction of the value's type.
_SIMPLE = {"add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor"}
_FLOAT = {
    **{op: op for op in ("add", "sub", "mul", "div", "min", "max", "sqrt", "floor", "ceil", "trunc", "abs", "neg")},
    "round": "nearest",
}
_PREDICATES = {"pand": "i32.and", "por": "i32.or"}
_COUNTS = {"popcount": "popcnt", "clz": "clz", "ctz": "ctz"}


class SpareLocal:
    """A local that nothing else uses meanwhile, as a context."""

    __slots__ = ("_free", "_number")

    def __init__(self, free: list[int], number: int) -> None:
        self._free, self._number = free, number

    def __enter__(self) -> int:
        return self._number

    def __exit__(self, *raised: object) -> None:
        self._free.append(self._number)


class Values:
    """Appends the instructions that compute values to a function's code.

    `leaf` pushes constants' kin (parameters, lane coordinates), `routine` gives the index of a library function.
    """

    def __init__(
        self,
        function: FunctionBody,
        variables: dict[Node, Variable],
        leaf: Callable[[Node], None],
        routine: Callable[[str], int],
        ranges: Ranges,
    ) -> None:
        self.function = function
        self.push = function.code.append  # one instruction
        self.ranges = ranges
        self.variables = variables
        self.leaf = leaf
        self.routine = routine
        self.wide: Wide | None = None
        self._locals: dict[Variable, int] = {}
        self._free: dict[str, list[int]] = {}

    def put(self, *code: Instr) -> None:
        self.function.code.extend(code)

    def local(self, variable: Variable) -> int:
        """The local of a variable."""
        if variable not in self._locals:
            self._locals[variable] = self.function.local(value_type(variable.ty))
        return self._locals[variable]

    def temporary(self, ty: str) -> SpareLocal:
        """A local, for a `with`."""
        free = self._free.setdefault(ty, [])
        return SpareLocal(free, free.pop() if free else self.function.local(ty))

    def value(self, node: Node) -> None:
        """Pushes the value of a node."""
        variable = self.variables.get(node)
        if self.wide is not None and is_wide(node.ty):
            self.wide.value(node)
        elif variable is not None:
            self.push(("local.get", self.local(variable)))
        else:
            self.compute(node)

    def compute(self, node: Node) -> None:
        """Pushes the value of a node, computed here."""
        op = node.op
        if self.wide is not None and (call := read(node)) is not None:
            self.wide.called(call)
        elif op == "const":
            self._constant(node)
        elif op in LEAVES:
            self.leaf(node)
        elif op in COMPARISONS:
            self._comparison(node)
        elif op in _PREDICATES:
            self._operands(node)
            self.put((_PREDICATES[op],))
        elif op == "pnot":
            self._operands(node)
            self.put(("i32.eqz",))
        elif op == "select" and value_type(node.ty) == "i32" and _is_truth(*node.args[1:]):
            self.value(node.args[0])
        elif op == "select":
            self.value(node.args[1])
            self.value(node.args[2])
            self.value(node.args[0])
            self.put(("select",))
        elif op == "call":
            self._operands(node)
            self.put(("call", self.routine(node.attr)))
        elif op == "call_if":
            condition, otherwise, *operands = node.args
            self.value(condition)
            self.put(("if", value_type(node.ty)))
            for operand in operands:
                self.value(operand)
            self.put(("call", self.routine(node.attr)), ("else",))
            self.value(otherwise)
            self.put(("end",))
        elif op == "cvt":
            assert isinstance(node.ty, Type)
            self._operands(node)
            self.convert(node.ty, node.attr)
        elif op == "extend":
            self._operands(node)
            self.put((f"i32.extend{node.attr.bits}_s",))
        elif op in _COUNTS:
            self._operands(node)
            self.put((f"{value_type(node.attr)}.{_COUNTS[op]}",))
            if node.attr.bits == 64:
                self.put(("i32.wrap_i64",))
        elif op == "bitcast":
            self._operands(node)
            to, of = value_type(node.ty), value_type(node.attr)
            if to != of:
                self.put((f"{to}.reinterpret_{of}",))
        else:
            assert isinstance(node.ty, Type)
            (self._float if node.ty.is_float else self._integer)(op, node, node.ty)

    def _dot(self, node: Node) -> None:
        """Pushes the sum of products of the upper and of the lower halves of two words."""
        self._operands(node)
        with self.temporary("i32") as a, self.temporary("i32") as b:
            self.put(("local.set", b), ("local.tee", a), ("i32.extend16_s",), ("local.get", b), ("i32.extend16_s",))
            self.put(("i32.mul",))
            for word in (a, b):
                self.put(("local.get", word), ("i32.const", 16), ("i32.shr_s",))
            self.put(("i32.mul",), ("i32.add",))

    def low(self, node: Node) -> None:
        """Pushes the lower half of a 64-bit integer."""
        if node not in self.variables:
            if node.op == "cvt" and node.attr.is_integer and not node.attr.is_wide:
                if node.attr.bits == 64:
                    self.low(node.args[0])
                else:
                    self.value(node.args[0])
                return
            if node.op in MODULAR and node.ty in (Type.I64, Type.U64):
                self.low(node.args[0])
                self.low(node.args[1])
                self.put((f"i32.{node.op}",))
                return
        self.value(node)
        self.put(("i32.wrap_i64",))

    def all_hold(self, conditions: list[Node]) -> None:
        """Pushes whether all predicates hold; what several of them need is computed once."""
        uses: dict[Node, int] = {}
        order: list[Node] = []

        def visit(node: Node) -> None:
            uses[node] = uses.get(node, 0) + 1
            if uses[node] == 1 and node not in self.variables:
                for arg in node.args:
                    visit(arg)
                order.append(node)

        for node in conditions:
            visit(node)
        shared = [node for node in order if uses[node] > 1 and node.op not in LEAVES]
        for node in shared:
            self.compute(node)
            self.variables[node] = Variable(-1, node.ty)
            self.put(("local.set", self.local(self.variables[node])))
        self.put(("i32.const", 1))
        for node in conditions:
            self.value(node)
            self.put(("i32.and",))
        for node in shared:
            del self.variables[node]

    def _operands(self, node: Node) -> None:
        for arg in node.args:
            self.value(arg)

    def _constant(self, node: Node) -> None:
        ty = node.ty
        if isinstance(ty, Type) and ty in (Type.F32, Type.F64):
            self.push((f"{value_type(ty)}.const", node.attr))
        else:
            number = ty.decode(node.attr) if isinstance(ty, Type) and ty.is_integer else node.attr
            self.push((f"{value_type(ty)}.const", int(number)))

    def _comparison(self, node: Node) -> None:
        ty: Type = node.attr
        self._operands(node)
        sign = "" if ty.is_float or node.op == "eq" else "_s" if ty.is_signed else "_u"
        self.put((f"{value_type(ty)}.{node.op}{sign}",))

    # Integers

    def _integer(self, op: str, node: Node, ty: Type) -> None:
        kind = value_type(ty)
        sign = "s" if ty.is_signed else "u"
        if op in _SIMPLE:
            self._operands(node)
            self.put((f"{kind}.{_SIMPLE[op]}",))
        elif op in CLAMPS:
            self._extreme(node, kind, f"{kind}.{'lt' if op == 'min' else 'gt'}_{sign}")
        elif op == "neg":
            self.put((f"{kind}.const", 0))
            self._operands(node)
            self.put((f"{kind}.sub",))
        elif op == "not":
            self._operands(node)
            self.put((f"{kind}.const", -1), (f"{kind}.xor",))
        elif op == "abs":
            self._absolute(node, kind, ty)
        elif op == "dot":
            self._dot(node)
        elif op in SHIFTS:
            self.value(node.args[0])
            self.value(node.args[1])
            if kind == "i64":
                self.put(("i64.extend_i32_u",))
            self.put((f"{kind}.{op}" + (f"_{sign}" if op == "shr" else ""),))
        elif op == "rem":
            self._operands(node)
            self.put((f"{kind}.rem_{sign}",))
        elif op == "div":
            self._divide(node, kind, ty)
        elif op == "inverse":
            self._operands(node)
            self.put(("call", self.routine("inverse")))
        else:
            raise AssertionError(f"the wasm target has no {op} on {ty}")

    def _extreme(self, node: Node, kind: str, less: str) -> None:
        with self.temporary(kind) as a, self.temporary(kind) as b:
            self.value(node.args[0])
            if node.args[1].is_const:  # as a limit is
                self.put(("local.tee", a))
                for pushed in (("local.get", a), (less,)):
                    self.value(node.args[1])
                    self.put(pushed)
                self.put(("select",))
                return
            self.put(("local.set", a))
            self.value(node.args[1])
            self.put(("local.set", b))
            pair = ("local.get", a), ("local.get", b)
            self.put(*pair, *pair, (less,), ("select",))

    def _absolute(self, node: Node, kind: str, ty: Type) -> None:
        self._operands(node)
        if ty.is_signed:
            with self.temporary(kind) as x:
                self.put(("local.set", x), (f"{kind}.const", 0), ("local.get", x), (f"{kind}.sub",), ("local.get", x))
                self.put(("local.get", x), (f"{kind}.const", 0), (f"{kind}.lt_s",), ("select",))

    def _divide(self, node: Node, kind: str, ty: Type) -> None:
        """The divisor is not zero: a guard stands before. MIN / -1, which would trap, wraps."""
        self.value(node.args[0])
        self.value(node.args[1])
        (lowest, _), (low, high) = (self.ranges.of(arg) for arg in node.args)
        if not ty.is_signed or lowest > ty.min_value or not low <= -1 <= high:
            self.put((f"{kind}.div_{'s' if ty.is_signed else 'u'}",))
            return
        with self.temporary(kind) as a, self.temporary(kind) as b:
            self.put(("local.set", b), ("local.set", a))
            self.put(("local.get", b), (f"{kind}.const", -1), (f"{kind}.eq",), ("if", kind))
            self.put((f"{kind}.const", 0), ("local.get", a), (f"{kind}.sub",), ("else",))
            self.put(("local.get", a), ("local.get", b), (f"{kind}.div_s",), ("end",))

    # Floats

    def _float(self, op: str, node: Node, ty: Type) -> None:
        kind = value_type(ty)
        if op in _FLOAT:
            self._operands(node)
            self.put((f"{kind}.{_FLOAT[op]}",))
        elif op == "rem":
            for arg in node.args:
                self.value(arg)
                if kind == "f32":
                    self.put(("f64.promote_f32",))
            self.put(("call", self.routine("fmod")))
            if kind == "f32":
                self.put(("f32.demote_f64",))
        else:
            raise AssertionError(f"the wasm target has no {op} on {ty}")

    # Conversions of what is on the stack

    def convert(self, dst: Type, src: Type) -> None:
        to, of = value_type(dst), value_type(src)
        if src.is_integer and dst.is_integer:
            if src.is_wide:
                self.put(("i64.load", 0, 0))
                of = "i64"
            if to != of:
                self.put(("i32.wrap_i64" if to == "i32" else f"i64.extend_i32_{'s' if src.is_signed else 'u'}",))
        elif src.is_integer:
            self.put((f"{to}.convert_{of}_{'s' if src.is_signed else 'u'}",))
        elif dst.is_integer:
            self.put((f"{to}.trunc_sat_{of}_{'s' if dst.is_signed else 'u'}",))
        elif dst is not src:
            self.put(("f64.promote_f32" if dst is Type.F64 else "f32.demote_f64",))
