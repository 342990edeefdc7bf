"""Functions that kernels call: the compiler's library made WebAssembly, fmod, and others."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...compiler.ir import Node
from ...compiler.library import function_of, routine_of
from ...compiler.out_of_ssa import Assign, Variable, lower
from ...compiler.ranges import Ranges
from ...compiler.shapes import ANY, Stride
from ...isa.types import Type
from .encoder import FunctionBody, Instr, Module
from .library import library_function
from .values import Values, value_type
from .vectors import Vectors

__all__ = ["Routines", "load_instruction", "store_instruction"]

_FAST = {"exp_f32": "exp_fast_f32"}
_OF_PACKETS = re.compile(r"(.*)x(4|8|16)")


def load_instruction(ty: Type, offset: int = 0) -> Instr:
    """The load of an element into the form that values have."""
    size = ty.size_bytes
    if size < 4:
        return (f"i32.load{ty.bits}_{'s' if ty.kind == 'i' else 'u'}", size.bit_length() - 1, offset)
    return (f"{value_type(ty)}.load", size.bit_length() - 1, offset)


def store_instruction(ty: Type, offset: int = 0) -> Instr:
    size = ty.size_bytes
    return (f"{value_type(ty)}.store{ty.bits if size < 4 else ''}", size.bit_length() - 1, offset)


class _Opened:
    """All that operands make is vectors."""

    def __init__(self) -> None:
        self.variables: dict[Variable, Stride] = {}
        self._known: dict[Node, Stride] = {}

    def of(self, node: Node) -> Stride:
        if node not in self._known:
            own = node.op == "param" or any(self.of(arg) for arg in node.args)
            self._known[node] = ANY if own else 0
        return self._known[node]


class Routines:
    """The routines of a module, each made when first asked for. `look` gives the function that asks for ticks."""

    def __init__(
        self, module: Module, wide_arithmetic: bool = False, look: Callable[[], int] | None = None, fuses: bool = False
    ) -> None:
        self.module, self.wide_arithmetic, self.look, self.fuses = module, wide_arithmetic, look, fuses
        self.relaxes = False  # whether there are instructions of relaxed SIMD

    def __call__(self, name: str) -> int:
        """The function index of a routine: of the libraries, `fmod`, `inverse`, `reduce_add_f32` and its kin."""
        if name not in self.module.numbers:
            if name == "fmod":
                self.module.add(_fmod())
            elif name == "inverse":
                self.module.add(_inverse())
            elif name.startswith("wide_"):
                self.module.add(library_function(name, self.wide_arithmetic, self))
            elif name.startswith("reduce_"):
                from .vector_reductions import reduction  # in functions: few kernels need it

                reduction(name, self)
            elif found := _OF_PACKETS.fullmatch(name):
                self._of_packets(found[1], int(found[2]))
            else:
                self._library(name)
        return self.module.numbers[name]

    def _library(self, name: str) -> None:
        routine, function = routine_of(name), function_of(name)
        lowered = lower(function)
        result = function.blocks[0].end.value
        assert result is not None
        body = FunctionBody(name, tuple(map(value_type, routine.operands)), (value_type(routine.result),))
        self.module.add(body)
        leaf: Callable[[Node], None] = lambda node: body.code.append(("local.get", node.attr))  # noqa: E731
        values = Values(body, lowered.variables, leaf, self, Ranges(function))
        for statement in lowered.resumes[0].statements:
            assert isinstance(statement, Assign)
            values.compute(statement.value)
            values.put(("local.set", values.local(statement.variable)))
        values.value(result)

    def _of_packets(self, name: str, width: int) -> None:
        """A function of the library on packets; that for math="fast" where there is one, and engines may fuse."""
        source = _FAST.get(name, name) if self.fuses else name
        routine, function = routine_of(source), function_of(source)
        lowered, forms = lower(function), _Opened()
        body = FunctionBody(f"{name}x{width}", (), ())
        starts: list[int] = []

        def part(node: Node, number: int) -> None:
            body.code.append(("local.get", starts[node.attr] + number))

        values = Vectors(body, lowered.variables, lambda node: None, self, Ranges(function), forms, width, part)
        for ty in routine.operands:
            starts.append(len(body.params))
            body.params += ("v128",) * values.parts(ty)
        body.results = ("v128",) * values.parts(routine.result)
        self.module.add(body)
        for statement in lowered.resumes[0].statements:
            assert isinstance(statement, Assign)
            values.let(statement.variable, statement.value)
        result = function.blocks[0].end.value
        assert result is not None
        with values.statement(result):
            for number in range(len(body.results)):
                values.part(result, number)


def _inverse() -> FunctionBody:
    """inverse(a, m) on U32, 0 where there is none: Euclid's algorithm with the sign of the factor kept apart."""
    body = FunctionBody("inverse", ("i32", "i32"), ("i32",))
    r, modulus = 0, 1  # the two rests are s and r, the factors t and u
    s, t, u, q, odd, rest = (body.local("i32") for _ in range(6))
    get: dict[int, Instr] = {number: ("local.get", number) for number in range(8)}
    code: list[Instr] = [
        get[modulus], ("i32.const", 2), ("i32.lt_u",), ("if", None), ("i32.const", 0), ("return",), ("end",),
        get[modulus], ("local.set", s), get[r], get[modulus], ("i32.rem_u",), ("local.set", r),
        ("i32.const", 1), ("local.set", u),
        ("block", None), ("loop", None), get[r], ("i32.eqz",), ("br_if", 1),
        get[s], get[r], ("i32.div_u",), ("local.set", q),
        get[s], get[q], get[r], ("i32.mul",), ("i32.sub",), ("local.set", rest),
        get[r], ("local.set", s), get[rest], ("local.set", r),
        get[t], get[q], get[u], ("i32.mul",), ("i32.add",), ("local.set", rest),
        get[u], ("local.set", t), get[rest], ("local.set", u),
        get[odd], ("i32.eqz",), ("local.set", odd), ("br", 0), ("end",), ("end",),
        get[s], ("i32.const", 1), ("i32.ne",), ("if", None), ("i32.const", 0), ("return",), ("end",),
        get[t], get[modulus], get[t], ("i32.sub",), get[odd], ("select",),
    ]  # fmt: skip
    body.code += code
    return body


def _fmod() -> FunctionBody:
    """fmod(x, y) on F64, exact: long division of the significands, one bit of the quotient a round."""
    body = FunctionBody("fmod", ("f64", "f64"), ("f64",))
    x, y = 0, 1
    mx, my, sign = (body.local("i64") for _ in range(3))
    ex, ey = (body.local("i32") for _ in range(2))
    put = body.code.extend
    absolute: dict[int, list[Instr]] = {v: [("local.get", v), ("f64.abs",)] for v in (x, y)}
    infinity: Instr = ("f64.const", 0x7FF << 52)
    # x infinite or NaN, y NaN or zero: NaN
    put(
        [
            *absolute[x],
            infinity,
            ("f64.lt",),
            ("i32.eqz",),
            ("local.get", y),
            ("local.get", y),
            ("f64.ne",),
            ("i32.or",),
        ]
    )
    put([("local.get", y), ("f64.const", 0), ("f64.eq",), ("i32.or",), ("if", None)])
    put([("f64.const", 0x7FF8 << 48), ("return",), ("end",)])
    put([*absolute[x], *absolute[y], ("f64.lt",), ("if", None), ("local.get", x), ("return",), ("end",)])
    put([("local.get", x), ("i64.reinterpret_f64",), ("i64.const", -(1 << 63)), ("i64.and",), ("local.set", sign)])
    for value, significand, exponent in ((x, mx, ex), (y, my, ey)):
        bits: list[Instr] = [*absolute[value], ("i64.reinterpret_f64",)]
        put([*bits, ("i64.const", 52), ("i64.shr_u",), ("i32.wrap_i64",), ("local.set", exponent)])
        put([*bits, ("i64.const", (1 << 52) - 1), ("i64.and",), ("local.set", significand)])
        put([("local.get", exponent), ("if", None), ("local.get", significand), ("i64.const", 1 << 52), ("i64.or",)])
        # A subnormal has the exponent of the least normal number and no leading bit: nothing else differs.
        put([("local.set", significand), ("else",), ("i32.const", 1), ("local.set", exponent), ("end",)])
    reduce_once: list[Instr] = [
        ("local.get", mx), ("local.get", my), ("i64.ge_u",), ("if", None),
        ("local.get", mx), ("local.get", my), ("i64.sub",), ("local.set", mx), ("end",),
    ]  # fmt: skip
    # A subnormal y has few digits, so mx may hold many times my before the first round: take the remainder at once.
    put([("local.get", mx), ("local.get", my), ("i64.rem_u",), ("local.set", mx)])
    put([("block", None), ("loop", None), ("local.get", ex), ("local.get", ey), ("i32.le_s",), ("br_if", 1)])
    put([("local.get", mx), ("i64.const", 1), ("i64.shl",), ("local.set", mx), *reduce_once])
    put([("local.get", ex), ("i32.const", 1), ("i32.sub",), ("local.set", ex), ("br", 0), ("end",), ("end",)])
    # mx * 2**(ey - 1075) with ey at least 1: shift up to the leading bit, or leave it subnormal.
    put(
        [
            ("local.get", mx),
            ("i64.eqz",),
            ("if", None),
            ("local.get", sign),
            ("f64.reinterpret_i64",),
            ("return",),
            ("end",),
        ]
    )
    put([("block", None), ("loop", None), ("local.get", mx), ("i64.const", 1 << 52), ("i64.ge_u",), ("br_if", 1)])
    put([("local.get", ey), ("i32.const", 1), ("i32.le_s",), ("br_if", 1)])
    put([("local.get", mx), ("i64.const", 1), ("i64.shl",), ("local.set", mx)])
    put([("local.get", ey), ("i32.const", 1), ("i32.sub",), ("local.set", ey), ("br", 0), ("end",), ("end",)])
    # The leading bit, if it is there, adds one to an exponent field of ey - 1.
    put([("local.get", ey), ("i32.const", 1), ("i32.sub",), ("i64.extend_i32_u",), ("i64.const", 52), ("i64.shl",)])
    put([("local.get", mx), ("i64.add",), ("local.get", sign), ("i64.or",), ("f64.reinterpret_i64",)])
    return body
