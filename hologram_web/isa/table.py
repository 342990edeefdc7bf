"""The instruction table, lane instructions (isa.md section 5). Opcodes are never renumbered.

One row is: opcode, name, mnemonic, operands (the language of `row.py`), doc line, reference semantics. To add an
instruction, add a row here and a filetest; builder, text, bytes, JSON, verifier, documentation, JavaScript metadata
and the reference device follow from the row.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..errors import FaultKind
from .atlas import ATLAS_ROWS
from .collectives import COLLECTIVE_ROWS
from .mathematics import function
from .operands import AtomicOperation, Condition
from .row import Effect, Row, primitive, row
from .types import Type

__all__ = ["BY_MNEMONIC", "BY_NAME", "BY_OPCODE", "ROWS"]


def _constant(o: Any, ty: Type, number: int) -> Any:
    return o.const(ty, ty.encode(number))


def _compare(o: Any, cond: Condition, ty: Type, lhs: Any, rhs: Any) -> Any:
    if cond.unsigned:
        lhs, rhs, ty = o.bitcast(ty.unsigned, ty, lhs), o.bitcast(ty.unsigned, ty, rhs), ty.unsigned
    match cond.value[:2]:
        case "eq":
            return o.eq(ty, lhs, rhs)
        case "ne":
            return o.pnot(o.eq(ty, lhs, rhs))
        case "lt":
            return o.lt(ty, lhs, rhs)
        case "le":
            return o.le(ty, lhs, rhs)
        case "gt":
            return o.lt(ty, rhs, lhs)
        case _:
            return o.le(ty, rhs, lhs)


def _sign(o: Any, ty: Type, src: Any) -> Any:
    zero, minus = _constant(o, ty, 0), _constant(o, ty, -1)
    below = o.select(ty, o.lt(ty, src, zero), minus, src) if ty.is_signed else src
    return o.select(ty, o.lt(ty, zero, src), _constant(o, ty, 1), below)


def _relu(o: Any, ty: Type, src: Any) -> Any:
    zero = _constant(o, ty, 0)
    return o.select(ty, o.lt(ty, src, zero), zero, src)


def _gelu(o: Any, ty: Type, src: Any, approximate: bool = False) -> Any:
    return function("gelu_tanh" if approximate else "gelu")(o, ty, src)


def _by_zero(o: Any, ty: Type, lhs: Any, rhs: Any) -> Any:
    return o.eq(ty, rhs, _constant(o, ty, 0)) if ty.is_integer else None


def _no_unsigned_floats(cond: Condition, ty: Type, **_: Any) -> str | None:
    if cond.unsigned and ty.is_float:
        return f"the condition {cond.value} compares integers, not {ty}: use {cond.value[:2]}"
    return None


def _same_width(dst_ty: Type, src_ty: Type, **_: Any) -> str | None:
    if dst_ty.bits != src_ty.bits:
        return f"{src_ty} has {src_ty.bits} bits and {dst_ty} {dst_ty.bits}: BITCAST needs equal widths, use CVT"
    return None


def _atomic(operation: AtomicOperation, ty: Type, compare: Any, **_: Any) -> str | None:
    if (operation is AtomicOperation.CAS) != (compare is not None):
        return "the operand compare belongs to cas and to nothing else"
    if ty is Type.F32 and operation is not AtomicOperation.ADD:
        return f"atomic {operation.value} works on integers of 32 and 64 bits; on f32 there is add only"
    return None


_data = partial(row, "Data movement", Effect.PURE)
_load = partial(row, "Data movement", Effect.LOAD)
_store = partial(row, "Data movement", Effect.STORE)
_math = partial(row, "Arithmetic", Effect.PURE)
_logic = partial(row, "Logic", Effect.PURE)
_trans = partial(row, "Transcendental", Effect.PURE)
_control = partial(row, "Control", Effect.CONTROL)
_sync = partial(row, "Synchronization", Effect.BARRIER)
_reduce = partial(row, "Lane reductions", Effect.LOAD)

_BINARY = ".ty:NUMBERS dst:=ty lhs:ty rhs:ty"
_UNARY = ".ty:NUMBERS dst:=ty src:ty"
_UNARY_F = ".ty:FLOATS dst:=ty src:ty"
_BITS = ".ty:INTEGERS dst:=ty lhs:ty rhs:ty"
_SHIFT = ".ty:INTEGERS dst:=ty src:ty amount:U32"
_COUNT = ".ty:WORDS dst:=U32 src:ty"
_TRIPLE = ".ty:FLOATS dst:=ty a:ty b:ty c:ty"
_ARRAY = ".ty:NUMBERS dst:=ty src_array:load count:size"
_DIVIDE = {"fault": (FaultKind.DIVISION_BY_ZERO, _by_zero)}


# fmt: off
LANE_ROWS: tuple[Row, ...] = (
    _load(0x01, "LDG", "ldg", ".ty:NUMBERS dst:=ty src:load", "dst = the element at an address in a buffer, pool or class memory.", reference=primitive("load")),
    _store(0x02, "STG", "stg", ".ty:NUMBERS dst:store src:ty", "Stores src at an address in a buffer, pool or class memory.", reference=primitive("store")),
    _load(0x03, "LDS", "lds", ".ty:NUMBERS dst:=ty src:load", "dst = the element at an address in shared or local memory.", reference=primitive("load")),
    _store(0x04, "STS", "sts", ".ty:NUMBERS dst:store src:ty", "Stores src at an address in shared or local memory.", reference=primitive("store")),
    _data(0x05, "MOV", "mov", "dst:=any src:any", "dst = src, with its type; also copies a parameter or a pointer.", reference=lambda o, src: src),
    _data(0x06, "MOV_IMM", "mov_imm", ".ty:NUMBERS dst:=ty value:imm", "dst = a constant. A hexadecimal constant gives the bits, also of floats.", reference=lambda o, ty, value: o.const(ty, value.bits)),
    _data(0x07, "CVT", "cvt", ".dst_ty:NUMBERS .src_ty:NUMBERS dst:=dst_ty src:src_ty", "Converts: integers wrap, floats round to nearest even, float to integer truncates and saturates, NaN gives 0.", reference=primitive("cvt")),
    _data(0x08, "BITCAST", "bitcast", ".dst_ty:NUMBERS .src_ty:NUMBERS dst:=dst_ty src:src_ty", "Reinterprets the bits as another type of the same width.", reference=primitive("bitcast"), check=_same_width),
    _data(0x09, "LEA", "lea", "dst:=pointer src:place", "dst = a pointer to the address, for `Address.Register(dst)`; no arithmetic is done on it.", reference=primitive("place")),

    row("Data movement", Effect.CHECK, 0x0A, "CHK", "chk", "index:size length:size array:name axis:u8 offset:i32~0", "The fault OutOfBounds, unless 0 <= index + offset < length, exactly; array and axis are what it tells. On WebGPU an access that follows then does nothing.", reference=primitive("check")),

    _math(0x10, "ADD", "add", _BINARY, "dst = lhs + rhs; integers wrap.", reference=primitive("add")),
    _math(0x11, "SUB", "sub", _BINARY, "dst = lhs - rhs; integers wrap.", reference=primitive("sub")),
    _math(0x12, "MUL", "mul", _BINARY, "dst = lhs * rhs; integers wrap.", reference=primitive("mul")),
    _math(0x13, "DIV", "div", _BINARY, "dst = lhs / rhs; integers truncate toward zero, division by zero gives 0 and the fault DivisionByZero, MIN/-1 wraps.", reference=primitive("div"), **_DIVIDE),
    _math(0x14, "REM", "rem", _BINARY, "dst = the remainder of DIV, with the sign of lhs; floats as C's fmod, exact.", reference=primitive("rem"), **_DIVIDE),
    _math(0x15, "MAD", "mad", ".ty:NUMBERS dst:=ty a:ty b:ty c:ty", "dst = a * b + c, rounded twice.", reference=lambda o, ty, a, b, c: o.add(ty, o.mul(ty, a, b), c)),
    _math(0x16, "FMA", "fma", _TRIPLE, "dst = a * b + c, rounded once (F16, BF16: the F32 FMA, then rounding).", reference=primitive("fma")),
    _math(0x17, "FMS", "fms", _TRIPLE, "dst = a * b - c, rounded once.", reference=lambda o, ty, a, b, c: o.fma(ty, a, b, o.neg(ty, c))),
    _math(0x18, "MIN", "min", _BINARY, "dst = the lesser; NaN if one is NaN; -0 is less than +0.", reference=primitive("min")),
    _math(0x19, "MAX", "max", _BINARY, "dst = the greater; NaN if one is NaN; +0 is greater than -0.", reference=primitive("max")),
    _math(0x1A, "ABS", "abs", _UNARY, "dst = |src|; of floats only the sign bit changes; |MIN| wraps to MIN.", reference=primitive("abs")),
    _math(0x1B, "NEG", "neg", _UNARY, "dst = -src; of floats only the sign bit changes.", reference=primitive("neg")),
    _math(0x1C, "RCP", "rcp", _UNARY_F, "dst = 1 / src, correctly rounded.", reference=lambda o, ty, src: o.div(ty, _constant(o, ty, 1), src)),
    _math(0x1D, "RSQRT", "rsqrt", _UNARY_F, "dst = 1 / sqrt(src), each of the two operations correctly rounded.", reference=lambda o, ty, src: o.div(ty, _constant(o, ty, 1), o.sqrt(ty, src))),
    _math(0x1E, "CLAMP", "clamp", ".ty:NUMBERS dst:=ty src:ty min:ty max:ty", "dst = MIN(MAX(src, min), max).", reference=lambda o, ty, src, low, high: o.min(ty, o.max(ty, src, low), high)),
    _math(0x1F, "LERP", "lerp", ".ty:FLOATS dst:=ty a:ty b:ty t:ty", "dst = a + (b - a) * t, each operation rounded.", reference=lambda o, ty, a, b, t: o.add(ty, a, o.mul(ty, o.sub(ty, b, a), t))),
    _math(0x20, "SIGN", "sign", _UNARY, "dst = -1, 0 or 1; of NaN NaN, of a zero that zero.", reference=_sign),
    _math(0x21, "FLOOR", "floor", _UNARY_F, "dst = the nearest integer not above src.", reference=primitive("floor")),
    _math(0x22, "CEIL", "ceil", _UNARY_F, "dst = the nearest integer not below src.", reference=primitive("ceil")),
    _math(0x23, "ROUND", "round", _UNARY_F, "dst = the nearest integer, halves to even.", reference=primitive("round")),
    _math(0x24, "TRUNC", "trunc", _UNARY_F, "dst = src without its fraction.", reference=primitive("trunc")),
    _math(0x25, "RELU", "relu", _UNARY, "dst = 0 where src < 0, else src: NaN and -0 stay.", reference=_relu),
    _math(0x26, "SQRT", "sqrt", _UNARY_F, "dst = the square root, correctly rounded.", reference=primitive("sqrt")),

    _logic(0x30, "AND", "and", _BITS, "dst = lhs & rhs.", reference=primitive("and_")),
    _logic(0x31, "OR", "or", _BITS, "dst = lhs | rhs.", reference=primitive("or_")),
    _logic(0x32, "XOR", "xor", _BITS, "dst = lhs ^ rhs.", reference=primitive("xor")),
    _logic(0x33, "NOT", "not", ".ty:INTEGERS dst:=ty src:ty", "dst = ~src.", reference=primitive("not_")),
    _logic(0x34, "SHL", "shl", _SHIFT, "dst = src << (amount modulo the width).", reference=primitive("shl")),
    _logic(0x35, "SHR", "shr", _SHIFT, "dst = src >> (amount modulo the width); arithmetic on signed types.", reference=primitive("shr")),
    _logic(0x36, "SETcc", "set", ".cond:Condition .ty:NUMBERS pred:p= lhs:ty rhs:ty", "pred = lhs cond rhs; with a NaN only NE is true; the U conditions compare integers as unsigned.", reference=_compare, check=_no_unsigned_floats),
    _logic(0x37, "SEL", "sel", ".ty:NUMBERS dst:=ty pred:p true_val:ty false_val:ty", "dst = pred ? true_val : false_val.", reference=primitive("select")),
    _logic(0x38, "PAND", "pand", "pred:p= a:p b:p", "pred = a and b.", reference=primitive("pand")),
    _logic(0x39, "POR", "por", "pred:p= a:p b:p", "pred = a or b.", reference=primitive("por")),
    _logic(0x3A, "PNOT", "pnot", "pred:p= a:p", "pred = not a.", reference=primitive("pnot")),

    _logic(0x3B, "POPCNT", "popcnt", _COUNT, "dst = how many bits of src are 1.", reference=primitive("popcount")),
    _logic(0x3C, "CLZ", "clz", _COUNT, "dst = how many bits of src are 0 above the highest 1; of 0 all of them.", reference=primitive("clz")),
    _logic(0x3D, "CTZ", "ctz", _COUNT, "dst = how many bits of src are 0 below the lowest 1; of 0 all of them.", reference=primitive("ctz")),
    _logic(0x3E, "ROTL", "rotl", ".ty:WORDS dst:=ty src:ty amount:U32", "dst = src rotated to the left by amount modulo the width.", reference=primitive("rotl")),

    _trans(0x40, "EXP", "exp", _UNARY_F, "dst = e ** src.", reference=function("exp")),
    _trans(0x41, "LOG", "log", _UNARY_F, "dst = the natural logarithm.", reference=function("log")),
    _trans(0x42, "LOG2", "log2", _UNARY_F, "dst = the logarithm to base 2.", reference=function("log2")),
    _trans(0x43, "LOG10", "log10", _UNARY_F, "dst = the logarithm to base 10.", reference=function("log10")),
    _trans(0x44, "POW", "pow", ".ty:FLOATS dst:=ty lhs:ty rhs:ty", "dst = lhs ** rhs.", reference=function("pow")),
    _trans(0x45, "SIN", "sin", _UNARY_F, "dst = the sine of src in radians.", reference=function("sin")),
    _trans(0x46, "COS", "cos", _UNARY_F, "dst = the cosine of src in radians.", reference=function("cos")),
    _trans(0x47, "TAN", "tan", _UNARY_F, "dst = the tangent of src in radians.", reference=function("tan")),
    _trans(0x48, "TANH", "tanh", _UNARY_F, "dst = the hyperbolic tangent.", reference=function("tanh")),
    _trans(0x49, "SIGMOID", "sigmoid", _UNARY_F, "dst = 1 / (1 + e ** -src).", reference=function("sigmoid")),
    _trans(0x4A, "ATAN2", "atan2", ".ty:FLOATS dst:=ty lhs:ty rhs:ty", "dst = the angle of the point (rhs, lhs), from -pi to pi.", reference=function("atan2")),
    _trans(0x4B, "ERF", "erf", _UNARY_F, "dst = the error function.", reference=function("erf")),
    _trans(0x4C, "GELU", "gelu", ".ty:FLOATS dst:=ty src:ty approximate:bool~false", "dst = src/2 * erfc(-src/sqrt 2); with approximate, the tanh form.", reference=_gelu),
    _trans(0x4D, "SWISH", "swish", _UNARY_F, "dst = src * SIGMOID(src).", reference=function("swish")),

    _control(0x50, "BRA", "bra", "target:label pred:guard?", "Branches to the label, if the predicate (or its negation) holds."),
    _control(0x51, "CALL", "call", "target:label", "Calls the function at the label; RET comes back here."),
    _control(0x52, "RET", "ret", "", "Returns from a function."),
    _control(0x53, "EXIT", "exit", "", "Ends the lane, also in a function. Running off the end does too."),
    _control(0x54, "LOOP", "loop", "counter:&U32 target:label", "If counter is not 0: counter -= 1 and branch to the label."),

    _sync(0x60, "BarSync", "bar_sync", "id:u8", "Waits until every lane of the block that has not exited is at this BarSync."),
    row("Synchronization", Effect.FENCE, 0x61, "MemFence", "mem_fence", ".scope:MemoryScope", "Keeps the compiler from moving memory accesses across it.", reference=lambda o, scope: None),
    row("Synchronization", Effect.ATOMIC, 0x62, "ATOM", "atom", ".operation:AtomicOperation .ty:ATOMICS dst:=ty address:rmw src:ty compare:ty?", "dst = the old element, which is combined with src in one step; cas stores src if the old element equals compare.", reference=primitive("atomic"), check=_atomic),

    _reduce(0x90, "ReduceAdd", "reduce_add", _ARRAY, "dst = the sum of count consecutive elements, in canonical order.", reference=lambda o, ty, src, count: o.reduce("add", ty, src, count)),
    _reduce(0x91, "ReduceMin", "reduce_min", _ARRAY, "dst = the least of count consecutive elements.", reference=lambda o, ty, src, count: o.reduce("min", ty, src, count)),
    _reduce(0x92, "ReduceMax", "reduce_max", _ARRAY, "dst = the greatest of count consecutive elements.", reference=lambda o, ty, src, count: o.reduce("max", ty, src, count)),
    _reduce(0x93, "ReduceMul", "reduce_mul", _ARRAY, "dst = the product of count consecutive elements, in canonical order.", reference=lambda o, ty, src, count: o.reduce("mul", ty, src, count)),
)
# fmt: on

LANE_ROWS = tuple(sorted(LANE_ROWS + ATLAS_ROWS, key=lambda row: row.opcode))
ROWS: tuple[Row, ...] = LANE_ROWS + COLLECTIVE_ROWS
BY_NAME: dict[str, Row] = {row.name: row for row in ROWS}
BY_OPCODE: dict[int, Row] = {row.opcode: row for row in ROWS}
BY_MNEMONIC: dict[str, Row] = {row.mnemonic: row for row in ROWS}
