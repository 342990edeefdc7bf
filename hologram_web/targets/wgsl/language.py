"""WGSL as a table: how its types, constants and operations are written.

I32, U32, F32 and predicates are WGSL's types, pairs (`compiler/pairs.py`) vec2u. Scalars of shorter types come in
words. Everything is fully parenthesised: Tint refuses to mix operators that naga takes.
"""

from __future__ import annotations

from functools import cache

from ...compiler.ir import PRED, Node, ValueType
from ...compiler.traits import PAIRS, Traits, word
from ...isa.types import Type
from ..clike.expressions import Expressions
from ..clike.language import Key, Language
from .library import CALL

__all__ = ["language_of", "pair", "traits_of"]

_NATIVE = frozenset({Type.I32, Type.U32, Type.F32})
_FLOATS = {"min": 2, "max": 2, "rem": 2, "neg": 1, "abs": 1, "trunc": 1, "floor": 1, "ceil": 1, "round": 1, "fma": 3}
_CODED = {"add": 2, "sub": 2, "mul": 2, "div": 2, "sqrt": 1}
_COUNTS = {"popcount": "countOneBits", "clz": "countLeadingZeros", "ctz": "countTrailingZeros"}


def traits_of(math: str) -> Traits:
    """What WGSL has; F32 arithmetic that is not its own cannot be folded."""
    return _TRAITS[math == "exact"]


_TRAITS = [Traits(_NATIVE, fused=True, wraps=False, bytes=False, folds=folds) for folds in (False, True)]


def _call(name: str, operands: int) -> str:
    return f"{name}({', '.join(f'{{{number}}}' for number in range(operands))})"


def _integers(ty: Type) -> dict[Key, str]:
    u = "" if ty.is_signed else "u"
    bits = "bitcast<u32>({0})" if ty.is_signed else "{0}"
    found: dict[Key, str] = {
        **{(op, ty): f"({{0}} {sign} {{1}})" for op, sign in (("add", "+"), ("sub", "-"), ("mul", "*"))},
        **{(op, ty): f"({{0}} {sign} {{1}})" for op, sign in (("eq", "=="), ("lt", "<"), ("le", "<="))},
        **{(op, ty): f"({{0}} {sign} {{1}})" for op, sign in (("shl", "<<"), ("shr", ">>"))},
        # WGSL gives x / 0 = x, the ISA 0; MIN / -1 is MIN in both
        **{(op, ty): f"select({{0}} {sign} {{1}}, 0{u}, {{1}} == 0{u})" for op, sign in (("div", "/"), ("rem", "%"))},
        **{(op, ty): _call(op, 2) for op in ("min", "max")},
        **{(op, ty): f"{name}({bits})" for op, name in _COUNTS.items()},
        ("neg", ty): f"(0{u} - {{0}})",
        ("abs", ty): "abs({0})" if ty.is_signed else "{0}",
        ("rotl", ty): f"bitcast<i32>(u32_rotl({bits}, {{1}}))" if ty.is_signed else "u32_rotl({0}, {1})",
    }
    return found


def _operations(strict: bool) -> dict[Key, str]:
    found: dict[Key, str] = {**_integers(Type.I32), **_integers(Type.U32)}
    found["inverse", Type.U32] = _call("u32_inverse", 2)
    for ty in (Type.I32, Type.U32, Type.U64):
        found |= {(op, ty): f"({{0}} {sign} {{1}})" for op, sign in (("and", "&"), ("or", "|"), ("xor", "^"))}
        found["not", ty] = "(~{0})"
    # `&&` is a branch, which costs as much as what it leaves out.
    found |= {("pand", PRED): "({0} & {1})", ("por", PRED): "({0} | {1})", ("pnot", PRED): "(!{0})"}
    found |= {("select", ty): "select({2}, {1}, {0})" for ty in (PRED, Type.I32, Type.U32, Type.U64, Type.F32)}
    found |= {("extend", ty): f"(({{0}} << {32 - ty.bits}u) >> {32 - ty.bits}u)" for ty in (Type.I8, Type.I16)}
    found["opaque", Type.U32] = "({0} ^ arguments.misc.z)"
    # Floats, by functions of the library where WGSL is not exact
    found |= {(op, Type.F32): _call(f"f32_{op}", count) for op, count in _FLOATS.items()}
    if strict:
        found |= {(op, Type.F32): _call(f"f32_{op}", count) for op, count in _CODED.items()}
    for ty in (Type.I32, Type.U32):
        found["cvt", Type.F32, ty] = f"f32_{'' if strict else 'sum_'}from_{ty}({{0}})"
        found["cvt", ty, Type.F32] = f"f32_to_{ty}({{0}})"
    found |= {("cvt_odd", Type.F32, ty): f"f32_odd_from_{ty}({{0}})" for ty in (Type.I64, Type.U64)}
    found["cvt_odd", Type.F32, Type.F64] = "f64_to_f32_odd({0})"
    found["const", Type.F32] = "f32_bits({0})"
    # Words and pairs
    found["cvt", Type.U32, Type.U64] = "({0}).x"
    found["cvt", Type.U64, Type.U32] = "vec2u({0}, 0u)"
    found["cvt", Type.U64, Type.I32] = "u64_from_i32({0})"
    found |= {("bitcast", to, of): "{0}" for to in PAIRS for of in PAIRS}
    found |= {("bitcast", to, of): f"bitcast<{to}>({{0}})" for to in _NATIVE for of in _NATIVE if to is not of}
    found["cvt", Type.I32, Type.U32], found["cvt", Type.U32, Type.I32] = "bitcast<i32>({0})", "bitcast<u32>({0})"
    for ty in Type:  # scalars
        if ty.bits <= 16:
            found["cvt", word(ty), ty] = found["bitcast", word(ty), ty] = "{0}"
    return found


def _constant(ty: Type, bits: int) -> str:
    if ty.bits == 64:
        return f"vec2u({bits & 0xFFFFFFFF}u, {bits >> 32}u)"
    if ty is Type.F32:
        return f"f32_bits({bits:#x}u)"
    if ty.kind == "i":
        number = int(ty.decode(bits))
        return f"({number})" if number != -(1 << 31) else "(-2147483647 - 1)"
    return f"{bits}u"


def pair(values: Expressions, node: Node, text: str | None = None) -> str:
    """A legal integer as a pair; `text` is its value, if that is known."""
    text = values.value(node) if text is None else text
    return (
        values.call("u64_from_i32", text)
        if node.ty is Type.I32
        else f"vec2u({text}, 0u)"
        if node.ty is Type.U32
        else text
    )


def _held(ty: Type) -> str:
    return "u32" if ty.is_wide else "vec2u" if ty.bits == 64 else str(word(ty))


_TYPES: dict[ValueType, str] = {ty: _held(ty) for ty in Type}
_TYPES[PRED] = "bool"


@cache
def language_of(math: str) -> Language:
    """WGSL; `math` is as in `Floats`."""
    return Language(
        types=_TYPES,
        zeros={"f32": "0.0", "i32": "0", "u32": "0u", "vec2u": "vec2u(0u)", "bool": "false"},
        operations=_operations(math == "strict"),
        constant=_constant,
        operand="{1}: {0}",
        function="fn {1}({2}) -> {0} {{",
        counter="var {} = 0u;",
        value="let {1} = {2};",
        loop="loop {",
        once="switch (0u) { default: {",
        library=CALL,
    )
