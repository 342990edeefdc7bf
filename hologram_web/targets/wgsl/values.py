"""Expressions: from IR values to WGSL.

How values are held: I8 to I32 as i32 (small ones sign-extended), U8 to U32 as u32, predicates as bool, F32 as f32,
F16 and BF16 as their bits in a u32; I64 and U64 as vec2u, or as u32 where range analysis shows that they fit; F64
as its bits in a vec2u, computed in integers.
Everything is fully parenthesised: Tint refuses to mix operators that naga takes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ...compiler.ir import PRED, Node
from ...compiler.lower import Variable
from ...compiler.ranges import Ranges
from ...errors import UnsupportedType
from ...isa.types import Type
from .wide import Wide, is_wide

__all__ = ["Values"]

_HALVES = {Type.F16: "f16", Type.BF16: "bf16"}
_LONG = (Type.I64, Type.U64)
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_SIGN, _INFINITY = 0x80000000, 0x7F800000  # of an F32
_FENCED = re.compile(r"fence\((.*), [\w.]+\)", re.DOTALL)
_OVERFLOWING = frozenset({"add", "sub", "mul", "shl", "neg", "abs", "div", "not"})
_F32_FUNCTIONS = frozenset({"min", "max", "neg", "abs", "trunc", "floor", "ceil", "round", "rem", "fma"})
_CODED = frozenset({"add", "sub", "mul", "div", "sqrt"})
_F64_FUNCTIONS = _F32_FUNCTIONS | _CODED
# Comparisons of a value with a positive constant.
_BELOW = {"lt": "f32_below", "le": "f32_up_to"}
_COUNTS = {"popcount": "countOneBits", "clz": "countLeadingZeros", "ctz": "countTrailingZeros"}
# Operations on 64-bit values that are right on their low words where operands and result fit 32 bits.
_NARROWING = frozenset({"add", "sub", "mul", "and", "or", "xor", "min", "max", "div", "rem", "select", "shr", "shl"})


class Values:
    """Gives the WGSL expression of each value. `leaf` names parameters and lane coordinates.

    `math` (isa.md section 3): "exact" passes F32 results through a xor with a run-time zero, which shader compilers
    cannot fold (measured: without it llvmpipe turns (a + b) - b into a); "fast" does not, and "strict" computes F32
    + - * / and the square root in integers.
    """

    def __init__(
        self,
        ranges: Ranges,
        variables: dict[Node, Variable],
        leaf: Callable[[Node], str],
        math: str = "exact",
        hoist: Callable[[str, str, str], str] = lambda text, name, kind: text,
    ) -> None:
        """`hoist` lets a function compute a text once, under a name, of a type."""
        self.ranges, self.variables, self.leaf, self.math, self.hoist = ranges, variables, leaf, math, hoist
        self.wide: Wide | None = None
        self.unfenced: set[Node] = set()  # results of F32 that need no fence (`fences.py`)
        self.named: set[Variable] = set()  # of which something was written

    # Representation

    def is_narrow(self, node: Node) -> bool:
        """Whether a 64-bit value is held as a u32."""
        if node.ty not in _LONG or node.op in ("phi", "load", "param", "reduce", "call", "call_if"):
            return False
        low, high = self.ranges.of(node)
        return low >= 0 and high < 1 << 32

    def type_name(self, node: Node) -> str:
        """The WGSL type that holds a value."""
        ty = node.ty
        if ty == PRED:
            return "bool"
        assert isinstance(ty, Type)
        if ty.bits == 64:
            return "u32" if self.is_narrow(node) else "vec2u"
        if ty is Type.F32:
            return "f32"
        return "i32" if ty.kind == "i" else "u32"

    def name(self, variable: Variable) -> str:
        self.named.add(variable)
        return f"v{variable.number}"

    def value(self, node: Node) -> str:
        """The expression of a value: its variable's name, or how it is computed."""
        if self.wide is not None and is_wide(node.ty):
            return self.wide.value(node)
        variable = self.variables.get(node)
        return self.compute(node) if variable is None else self.name(variable)

    def long(self, node: Node) -> str:
        """A 64-bit value as vec2u."""
        return f"vec2u({self.value(node)}, 0u)" if self.is_narrow(node) else self.value(node)

    def long_or_plain(self, node: Node) -> str:
        """A value in the form that a memory of its type has."""
        return self.long(node) if node.ty in _LONG else self.value(node)

    def compute(self, node: Node) -> str:
        """The expression that computes a value."""
        op, ty = node.op, node.ty
        if op == "const":
            return self._constant(node)
        if op in ("param", "special"):
            return self.leaf(node)
        if op in ("eq", "lt", "le"):
            return self._comparison(node)
        if op in ("pand", "por"):  # `&&` is a branch, which costs as much as what it leaves out
            return f"({self.value(node.args[0])} {'&' if op == 'pand' else '|'} {self.value(node.args[1])})"
        if op == "pnot":
            return f"(!{self.value(node.args[0])})"
        assert isinstance(ty, Type)
        if op == "select":
            a, b = (self.held_as(node, arg) for arg in node.args[1:])
            return f"select({b}, {a}, {self.value(node.args[0])})"
        if op in ("call", "call_if"):
            if node.attr.endswith("_f64"):
                raise UnsupportedType(None, "WGSL has no functions of f64: use f32, or run on wasm")
            operands = ", ".join(map(self.long_or_plain, node.args))
            return f"{node.attr}{'_if' if op == 'call_if' else ''}({operands})"
        if op == "cvt":
            return self._convert(node, ty, node.attr)
        if op in _COUNTS:
            return self._count(op, node.args[0], node.attr)
        if op == "bitcast":
            return self._bitcast(node, ty, node.attr)
        if ty in _LONG:
            return self._long_operation(node, op, ty)
        if ty in _HALVES:  # only the sign bit is touched; everything else was widened
            return f"({self.value(node.args[0])} {'^ 0x8000u' if op == 'neg' else '& 0x7fffu'})"
        if ty is Type.F64:
            return self._double(node, op)
        if ty is Type.F32:
            return self._float(node, op)
        return self._integer(node, op, ty)

    def held_as(self, node: Node, arg: Node) -> str:
        """A value in the representation of `node`."""
        if node.ty in _LONG and not self.is_narrow(node):
            return self.long(arg)
        if node.ty in _LONG and not self.is_narrow(arg):
            return f"({self.value(arg)}).x"
        return self._unknown(arg)

    def _unknown(self, arg: Node) -> str:
        """A value of which a shader compiler does not know that it is a float's zero: to it x + 0 is x, and x * 0 is 0,
        also where the zero is one side of a select, or what a variable starts with."""
        text = self.value(arg)
        if not arg.is_const or not isinstance(arg.ty, Type) or arg.attr << 1 & (1 << arg.ty.bits) - 1:
            return text
        if arg.ty in _HALVES and self.math == "exact":
            return f"({text} ^ arguments.misc.z)"
        return self.fence(text) if arg.ty is Type.F32 else text

    def _constant(self, node: Node) -> str:
        ty, bits = node.ty, node.attr
        if ty == PRED:
            return "true" if bits else "false"
        assert isinstance(ty, Type)
        if ty.bits == 64:
            return f"{bits}u" if self.is_narrow(node) else f"vec2u({bits & 0xFFFFFFFF}u, {bits >> 32}u)"
        if ty is Type.F32:
            return f"f32_bits({bits:#x}u)"
        if ty.kind == "i":
            number = int(ty.decode(bits))
            return f"({number})" if number != -(1 << 31) else "(-2147483647 - 1)"
        return f"{bits}u"

    def fence(self, text: str) -> str:
        return f"fence({text}, {self._zero()})" if self.math == "exact" else text

    def _fenced(self, node: Node, text: str) -> str:
        return f"({text})" if node in self.unfenced else self.fence(text)

    def _zero(self) -> str:
        return self.hoist("arguments.misc.z", "zero", "u32")  # read once: Mandelbrot took a third longer on llvmpipe

    def _normalise(self, text: str, ty: Type) -> str:
        if ty.bits == 32:
            return text
        if ty.kind == "i":
            return f"(({text} << {32 - ty.bits}u) >> {32 - ty.bits}u)"
        return f"({text} & {(1 << ty.bits) - 1}u)"

    def _comparison(self, node: Node) -> str:
        ty: Type = node.attr
        a, b = node.args
        if self.wide is not None and ty.is_wide:
            return self.wide.compare(node.op, ty, a, b)
        if ty is Type.F32:
            if a is b and node.op == "eq":
                return f"(!f32_is_nan(bitcast<u32>({self._bits(a)})))"
            ordered = node.op != "eq"
            if ordered and a.is_const and 0 < a.attr < _INFINITY:
                return self._among(b, a.attr + (node.op == "lt"), _INFINITY)
            if ordered and b.is_const and _SIGN < b.attr < _SIGN + _INFINITY:
                return self._among(a, b.attr + (node.op == "lt"), _SIGN + _INFINITY)
            if ordered and b.is_const and 0 < b.attr < _INFINITY:
                return f"{_BELOW[node.op]}({self._bits(a)}, {b.attr:#x})"
            return f"f32_{node.op}({self._bits(a)}, {self._bits(b)})"
        if ty is Type.F64:
            return f"f64_{node.op}({self.value(a)}, {self.value(b)})"
        if ty in _LONG and not (self.is_narrow(a) and self.is_narrow(b)):
            x, y = self.long(a), self.long(b)
            if node.op == "eq":
                return f"u64_eq({x}, {y})"
            kind = "i64" if ty.is_signed else "u64"
            return f"{kind}_lt({x}, {y})" if node.op == "lt" else f"(!{kind}_lt({y}, {x}))"
        sign = {"eq": "==", "lt": "<", "le": "<="}[node.op]
        return f"({self.value(a)} {sign} {self.value(b)})"

    def _among(self, node: Node, first: int, last: int) -> str:
        """Whether the bits of a float are from the first to the last."""
        return f"f32_among({self._bits(node)}, {(_SIGN - first) & 0xFFFFFFFF:#x}u, {last - first + 1 - _SIGN})"

    def _bits(self, node: Node) -> str:
        """A float whose bits are compared: no compiler sees a float operation on it, so it takes no fence."""
        text = self.value(node)
        fenced = _FENCED.fullmatch(text)
        return f"({fenced[1]})" if fenced else text

    # Integers

    def _integer(self, node: Node, op: str, ty: Type) -> str:
        args = [self.value(arg) for arg in node.args]
        suffix = "" if ty.kind == "i" else "u"
        if op in _OPERATORS:
            text = f"({args[0]} {_OPERATORS[op]} {args[1]})"
        elif op in ("min", "max"):
            text = f"{op}({args[0]}, {args[1]})"
        elif op == "neg":
            text = f"(0{suffix} - {args[0]})"
        elif op == "not":
            text = f"(~{args[0]})"
        elif op == "abs":
            text = f"abs({args[0]})" if suffix == "" else args[0]
        elif op == "div":  # WGSL gives x / 0 = x, the ISA 0; MIN / -1 is MIN in both
            text = f"select({args[0]} / {args[1]}, 0{suffix}, {args[1]} == 0{suffix})"
        elif op == "rem":
            text = f"select({args[0]} % {args[1]}, 0{suffix}, {args[1]} == 0{suffix})"
        elif op == "inverse":
            text = f"u32_inverse({args[0]}, {args[1]})"
        elif op == "rotl":
            return self._rotate(args[0], args[1], ty)
        elif op in ("shl", "shr"):
            text = f"({args[0]} {'<<' if op == 'shl' else '>>'} ({args[1]} & {ty.bits - 1}u))"
        else:
            raise AssertionError(f"the wgsl target has no {op} on {ty}")
        return self._normalise(text, ty) if op in _OVERFLOWING else text

    def _rotate(self, text: str, amount: str, ty: Type) -> str:
        bits = self._word(text, ty)
        if ty.bits < 32:  # copies of it side by side: what comes in below is what goes out above
            bits = f"({bits} * {'0x01010101' if ty.bits == 8 else '0x00010001'}u)"
        rotated = f"u32_rotl({bits}, {amount})"
        return self._normalise(f"bitcast<i32>({rotated})" if ty.kind == "i" else rotated, ty)

    def _word(self, text: str, ty: Type) -> str:
        """The bits of a value of at most 32, zeros above them."""
        if ty.kind == "u":
            return text
        bits = f"bitcast<u32>({text})"
        return bits if ty.bits == 32 else f"({bits} & {(1 << ty.bits) - 1}u)"

    def _count(self, op: str, arg: Node, ty: Type) -> str:
        """How many bits are 1, or 0 above or below all others."""
        if ty in _LONG:
            return f"u64_{op}({self.long(arg)})"
        bits = self._word(self.value(arg), ty)
        if ty.bits < 32 and op == "ctz":
            bits = f"({bits} | {1 << ty.bits}u)"
        text = f"{_COUNTS[op]}({bits})"
        return f"({text} - {32 - ty.bits}u)" if ty.bits < 32 and op == "clz" else text

    def _long_operation(self, node: Node, op: str, ty: Type) -> str:
        if self.is_narrow(node) and op in _NARROWING and all(self._fits(arg) for arg in node.args):
            args = [self.value(arg) for arg in node.args]
            if op in _OPERATORS:
                return f"({args[0]} {_OPERATORS[op]} {args[1]})"
            if op in ("min", "max"):
                return f"{op}({args[0]}, {args[1]})"
            if op in ("div", "rem"):
                return f"select({args[0]} {'/' if op == 'div' else '%'} {args[1]}, 0u, {args[1]} == 0u)"
            if op == "shr" and node.args[1].is_const and node.args[1].attr % 64 < 32:
                return f"({args[0]} >> {node.args[1].attr % 64}u)"
            if op == "shl" and node.args[1].is_const and node.args[1].attr % 64 < 32:
                return f"({args[0]} << {node.args[1].attr % 64}u)"
        text = self._long_text(node, op, ty)
        return f"({text}).x" if self.is_narrow(node) else text

    def _fits(self, node: Node) -> bool:
        return node.ty not in _LONG or self.is_narrow(node)

    def _long_text(self, node: Node, op: str, ty: Type) -> str:
        kind = "i64" if ty.is_signed else "u64"
        args = [self.long(arg) if arg.ty in _LONG else self.value(arg) for arg in node.args]
        if op in ("add", "sub", "mul", "shl", "neg", "rotl"):
            return f"u64_{op}({', '.join(args)})"
        if op in ("and", "or", "xor"):
            return f"({args[0]} {_OPERATORS[op]} {args[1]})"
        if op == "not":
            return f"(~{args[0]})"
        if op == "abs":
            return f"i64_abs({args[0]})" if ty.is_signed else args[0]
        if op in ("div", "rem", "shr"):
            return f"{kind}_{op}({', '.join(args)})"
        if op in ("min", "max"):
            first = f"{kind}_lt({args[0]}, {args[1]})"
            a, b = (args[0], args[1]) if op == "min" else (args[1], args[0])
            return f"select({b}, {a}, {first})"
        raise AssertionError(f"the wgsl target has no {op} on {ty}")

    # Floats

    def _float(self, node: Node, op: str) -> str:
        if op in ("add", "sub", "mul", "div") and self.math != "strict":
            args = [self._unknown(arg) for arg in node.args]
            if op == "sub" and self.math == "exact" and not any(arg.is_const for arg in node.args):
                # llvmpipe takes x - x for 0 where both sides are proven equal, and NaN and infinities are not. This
                # zero is another one than that of the sum: two equal ones cancel out, and show what is behind them.
                args[1] = f"fence({args[1]}, {self.hoist('arguments.spare.w', 'other_zero', 'u32')})"
            return self._fenced(node, f"{args[0]} {'/' if op == 'div' else _OPERATORS[op]} {args[1]}")
        args = [self.value(arg) for arg in node.args]
        if self.math == "strict" and op in _CODED:
            return f"f32_{op}({', '.join(args)})"
        if op == "sqrt":
            return self._fenced(node, f"sqrt({args[0]})")
        if op in _F32_FUNCTIONS:
            return f"f32_{op}({', '.join(args)})"
        raise AssertionError(f"the wgsl target has no {op} on f32")

    def _double(self, node: Node, op: str) -> str:
        if op not in _F64_FUNCTIONS:
            raise AssertionError(f"the wgsl target has no {op} on f64")
        return f"f64_{op}({', '.join(map(self.value, node.args))})"

    def _convert(self, node: Node, dst: Type, src: Type) -> str:
        arg = node.args[0]
        if self.wide is not None and src.is_wide:
            return (
                self.wide.to_float(arg, dst, src)
                if dst.is_float
                else self._from_word(node, self.wide.narrow(arg, dst), dst)
            )
        if not src.is_float:
            return self._to_float(arg, dst, src) if dst.is_float else self._resize(node, arg, dst, src)
        text, src = self.as_float(arg, src)
        if dst is src:
            return text
        if dst is Type.F64:
            return f"f64_from_f32({text})"
        if dst in _HALVES:
            return f"f32_to_{_HALVES[dst]}({f'f64_to_f32_odd({text})' if src is Type.F64 else text})"
        if dst.is_float or dst.bits == 32:
            return f"{src}_to_{dst}({text})"
        if dst in _LONG:
            wide = f"{src}_to_{dst}({text})"
            return f"({wide}).x" if self.is_narrow(node) else wide
        low, high = int(dst.min_value), int(dst.max_value)
        if dst.kind == "i":
            return f"clamp({src}_to_i32({text}), {low}, {high})"
        return f"min({src}_to_u32({text}), {high}u)"

    def as_float(self, node: Node, src: Type) -> tuple[str, Type]:
        """A float, halves as F32."""
        text = self.value(node)
        return (f"{_HALVES[src]}_to_f32({text})", Type.F32) if src in _HALVES else (text, src)

    def _from_word(self, node: Node, text: str, dst: Type) -> str:
        """An integer from its low words."""
        if dst in _LONG:
            return f"({text}).x" if self.is_narrow(node) else text
        return self._normalise(f"bitcast<i32>({text})" if dst.kind == "i" else text, dst)

    def _to_float(self, arg: Node, dst: Type, src: Type) -> str:
        kind = "i" if src.is_signed else "u"
        if src in _LONG:
            wide = self.long(arg)
        elif (src.bits <= 16 and dst in _HALVES) or dst is Type.F32:  # exact in F32, or rounded once
            single = f"f32_{'' if self.math == 'strict' else 'sum_'}from_{kind}32({self.value(arg)})"
            return single if dst is Type.F32 else f"f32_to_{_HALVES[dst]}({single})"
        else:
            wide = f"u64_from_i32({self.value(arg)})" if src.is_signed else f"vec2u({self.value(arg)}, 0u)"
        if dst in _HALVES:
            return f"f32_to_{_HALVES[dst]}(f32_odd_from_{kind}64({wide}))"
        return f"{dst}_from_{kind}64({wide})"

    def _resize(self, node: Node, arg: Node, dst: Type, src: Type) -> str:
        text = self.value(arg)
        if dst in _LONG:
            if src in _LONG:
                return self.held_as(node, arg)
            if self.is_narrow(node):
                return f"u32({text})" if src.kind == "i" else text
            return f"u64_from_i32({text})" if src.is_signed else f"vec2u({text}, 0u)"
        if src in _LONG and not self.is_narrow(arg):
            text = f"({text}).x"
        source_signed = src.kind == "i" and src not in _LONG
        if dst.kind == "i" and not source_signed:
            text = f"bitcast<i32>({text})"
        elif dst.kind == "u" and source_signed:
            text = f"bitcast<u32>({text})"
        fits = src.bits < dst.bits and (not src.is_signed or dst.is_signed)
        return text if fits else self._normalise(text, dst)

    def _bitcast(self, node: Node, dst: Type, src: Type) -> str:
        text = self.value(node.args[0])
        if dst.bits == 64:
            return self.long(node.args[0]) if dst is Type.F64 else self.held_as(node, node.args[0])
        if Type.F32 in (dst, src):
            return f"bitcast<{'f32' if dst is Type.F32 else 'i32' if dst.kind == 'i' else 'u32'}>({text})"
        if (dst.kind == "i") != (src.kind == "i"):
            text = f"bitcast<{'i32' if dst.kind == 'i' else 'u32'}>({text})"
        return self._normalise(text, dst)
