"""WebAssembly instructions: name, bytes, and the kinds of immediates. The encoder and the disassembler share it.

Immediates: `i32` and `i64` signed LEB128, `f32` and `f64` as their bit patterns, `u` an index, `mem` alignment and
offset, `block` a block type, `table` the labels of br_table as a tuple, `memory` a memory index.
"""

from __future__ import annotations

__all__ = ["OPCODES"]

_CONTROL = {
    "unreachable": (b"\x00", ""),
    "nop": (b"\x01", ""),
    "block": (b"\x02", "block"),
    "loop": (b"\x03", "block"),
    "if": (b"\x04", "block"),
    "else": (b"\x05", ""),
    "end": (b"\x0b", ""),
    "br": (b"\x0c", "u"),
    "br_if": (b"\x0d", "u"),
    "br_table": (b"\x0e", "table"),
    "return": (b"\x0f", ""),
    "call": (b"\x10", "u"),
    "drop": (b"\x1a", ""),
    "select": (b"\x1b", ""),
    "local.get": (b"\x20", "u"),
    "local.set": (b"\x21", "u"),
    "local.tee": (b"\x22", "u"),
    "i32.const": (b"\x41", "i32"),
    "i64.const": (b"\x42", "i64"),
    "f32.const": (b"\x43", "f32"),
    "f64.const": (b"\x44", "f64"),
    "i32.atomic.load": (b"\xfe\x10", "mem"),
    "i32.atomic.rmw.add": (b"\xfe\x1e", "mem"),
    "i32.atomic.rmw.and": (b"\xfe\x2c", "mem"),
    "i32.atomic.rmw.or": (b"\xfe\x33", "mem"),
    "i32.atomic.rmw.xor": (b"\xfe\x3a", "mem"),
    "i32.atomic.rmw.xchg": (b"\xfe\x41", "mem"),
    "i32.atomic.rmw.cmpxchg": (b"\xfe\x48", "mem"),
    "memory.copy": (b"\xfc\x0a", "memory memory"),
    "memory.fill": (b"\xfc\x0b", "memory"),
    "i64.add128": (b"\xfc\x13", ""),
    "i64.mul_wide_u": (b"\xfc\x16", ""),
}

# Runs of one-byte opcodes, in the order of the specification.
_MEMORY = (
    0x28,
    """i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u
    i64.load8_s i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u i32.store i64.store f32.store
    f64.store i32.store8 i32.store16 i64.store8 i64.store16 i64.store32""",
)
_NUMERIC = (
    0x45,
    """i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u
    i64.eqz i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u
    f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge
    i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u i32.and i32.or i32.xor
    i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr
    i64.clz i64.ctz i64.popcnt i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u i64.and i64.or i64.xor
    i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr
    f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt f32.add f32.sub f32.mul f32.div f32.min f32.max
    f32.copysign
    f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt f64.add f64.sub f64.mul f64.div f64.min f64.max
    f64.copysign
    i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u i64.extend_i32_s i64.extend_i32_u
    i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u f32.convert_i32_s f32.convert_i32_u
    f32.convert_i64_s f32.convert_i64_u f32.demote_f64 f64.convert_i32_s f64.convert_i32_u f64.convert_i64_s
    f64.convert_i64_u f64.promote_f32 i32.reinterpret_f32 i64.reinterpret_f64 f32.reinterpret_i32 f64.reinterpret_i64
    i32.extend8_s i32.extend16_s i64.extend8_s i64.extend16_s i64.extend32_s""",
)
_SATURATING = """i32.trunc_sat_f32_s i32.trunc_sat_f32_u i32.trunc_sat_f64_s i32.trunc_sat_f64_u
    i64.trunc_sat_f32_s i64.trunc_sat_f32_u i64.trunc_sat_f64_s i64.trunc_sat_f64_u"""

OPCODES: dict[str, tuple[bytes, str]] = {
    **_CONTROL,
    **{name: (bytes([_MEMORY[0] + number]), "mem") for number, name in enumerate(_MEMORY[1].split())},
    **{name: (bytes([_NUMERIC[0] + number]), "") for number, name in enumerate(_NUMERIC[1].split())},
    **{name: (bytes([0xFC, number]), "") for number, name in enumerate(_SATURATING.split())},
}
