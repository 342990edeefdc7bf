"""OpenCL C by the base for languages like C (`targets/clike`): a second table, and what only this language has.

It is no device of the package: a C compiler runs what it says, with a few lines for what OpenCL has and C has not, and
so shows that the base carries two languages. Kernels without barriers, shared memory, atomics and reductions; an access
out of bounds, or of another memory, ends the lane and says so.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from hologram_web.compiler.accesses import access_of
from hologram_web.compiler.build import build
from hologram_web.compiler.ir import PRED, Function, Node, ValueType
from hologram_web.compiler.legalise import legalise
from hologram_web.compiler.out_of_ssa import Count, Do, Piece, Statement, lower
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.structure import structure
from hologram_web.compiler.traits import Traits, word
from hologram_web.isa.address import ON_CHIP
from hologram_web.isa.types import Type
from hologram_web.targets.clike.control import Control
from hologram_web.targets.clike.expressions import Expressions
from hologram_web.targets.clike.functions import function_text, guarded_text
from hologram_web.targets.clike.language import Key, Language
from hologram_web.targets.clike.writer import Writer
from hologram_web_tools.cpu import CpuBackend

__all__ = ["TRAITS", "CBackend", "opencl"]

_NAMES = {Type.I32: "int", Type.U32: "uint", Type.I64: "long", Type.U64: "ulong", Type.F32: "float", Type.F64: "double"}
TRAITS = Traits(frozenset(_NAMES), fused=True, wraps=False)
_INTEGERS = [ty for ty in _NAMES if ty.is_integer]
_FLOATS = [ty for ty in _NAMES if ty.is_float]
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "eq": "==", "lt": "<", "le": "<="}
_UNARY = ("sqrt", "floor", "ceil", "trunc")


def _operations() -> dict[Key, str]:
    found: dict[Key, str] = {("pand", PRED): "({0} & {1})", ("por", PRED): "({0} | {1})", ("pnot", PRED): "(!{0})"}
    for ty, name in _NAMES.items():
        found |= {(op, ty): f"({{0}} {sign} {{1}})" for op, sign in _SIGNS.items()}
        found["select", ty] = "({0} ? {1} : {2})"
        for of in _NAMES:
            saturates = ty.is_integer and of.is_float
            found["cvt", ty, of] = f"convert_{name}_sat({{0}})" if saturates else f"(({name}){{0}})"
            found["bitcast", ty, of] = f"as_{name}({{0}})"
    found["select", PRED] = "({0} ? {1} : {2})"
    for ty in _INTEGERS:
        found |= {(op, ty): f"({{0}} {sign} {{1}})" for op, sign in (("and", "&"), ("or", "|"), ("xor", "^"))}
        found |= {(op, ty): f"({{0}} {sign} ({{1}} & {ty.bits - 1}u))" for op, sign in (("shl", "<<"), ("shr", ">>"))}
        found |= {(op, ty): f"{op}_{_NAMES[ty]}({{0}}, {{1}})" for op in ("div", "rem", "min", "max", "rotl")}
        found |= {(op, ty): f"{op}_{_NAMES[ty]}({{0}})" for op in ("popcount", "clz", "ctz")}
        found |= {("neg", ty): "(-{0})", ("not", ty): "(~{0})", ("abs", ty): f"abs_{_NAMES[ty]}({{0}})"}
    for ty in _FLOATS:
        found["div", ty], found["neg", ty], found["rem", ty] = "({0} / {1})", "(-{0})", "fmod({0}, {1})"
        found["abs", ty], found["round", ty], found["fma", ty] = "fabs({0})", "rint({0})", "fma({0}, {1}, {2})"
        found |= {(op, ty): f"{op}({{0}})" for op in _UNARY}
        found |= {(op, ty): f"{op}_{_NAMES[ty]}({{0}}, {{1}})" for op in ("min", "max")}
    for ty in Type:
        if ty.bits <= 16:
            found["cvt", word(ty), ty] = found["bitcast", word(ty), ty] = "{0}"
    found |= {("extend", ty): f"(({{0}} << {32 - ty.bits}) >> {32 - ty.bits})" for ty in (Type.I8, Type.I16)}
    return found


def _constant(ty: Type, bits: int) -> str:
    if ty.is_float:
        return f"as_{_NAMES[ty]}({bits:#x}{'u' if ty is Type.F32 else 'ul'})"
    return f"(({_NAMES[ty]}){bits}{'u' if ty.bits == 32 else 'ul'})"


_TYPES: dict[ValueType, str] = {ty: _NAMES[word(ty)] for ty in Type if word(ty) in _NAMES}
_TYPES[PRED] = "bool"
OPENCL = Language(
    types=_TYPES,
    zeros={name: "0" for name in _NAMES.values()},
    operations=_operations(),
    constant=_constant,
    operand="{0} {1}",
    function="{0} {1}({2}) {{",
    counter="uint {} = 0u;",
    value="const {0} {1} = {2};",
    loop="for (;;) {",
    once="switch (0u) { default: {",
)


def opencl(function: Function) -> str:
    """A kernel, whose operands are its memories with their sizes, its scalars, and where it counts faults."""
    function = legalise(function, TRAITS)
    lowered = lower(function)
    memories = {base: f"b{number}" for number, base in enumerate(function.bases)}
    writer = Writer()

    def leaf(node: Node) -> str:
        return f"p_{node.attr}" if node.op == "param" else f"(({OPENCL.types[node.ty]}){_SPECIALS[node.attr]})"

    values = Expressions(OPENCL, lowered.variables, leaf)

    def statement(statement: Statement) -> None:
        if isinstance(statement, Count):  # of budgets, which this has not
            return
        assert isinstance(statement, Do), statement
        node, variable = statement.node, statement.variable
        if node.op == "guard":
            writer.put(f"if ({values.value(node.args[0])}) {{ *fault = 1u; return; }}")
            return
        access = access_of(node)
        assert access is not None
        assert node.op in ("load", "store")
        assert not access.axes
        memory, element = memories[access.base], f"{str(access.element).replace('bf', 'u').replace('f16', 'u16')}_t"
        writer.begin("{")
        writer.put(f"const ulong place = (ulong)({values.value(node.args[0])} * {access.scale}l + {access.offset}l);")
        need = access.element.size_bytes
        writer.put(f"if (s_{memory} < {need}ul || place > s_{memory} - {need}ul) {{ *fault = 1u; return; }}")
        cell = f"*(global {element} *)({memory} + place)"
        if node.op == "store":
            writer.put(f"{cell} = ({element}){values.value(node.args[1])};")
        elif variable is not None:
            writer.put(f"{values.name(variable)} = {cell};")
        writer.end()

    def stop(piece: Piece) -> None:
        assert piece.kind == "exit", piece.kind
        writer.put("return;")

    control = Control(writer, values, statement, stop)
    control.trees(structure(lowered.resumes[0]))
    operands = [f"global uchar *{name}, const ulong s_{name}" for name in memories.values()]
    operands += [f"const {OPENCL.types[node.ty]} p_{node.attr}" for node in _params(function)]
    held = {variable: node for node, variable in lowered.variables.items()}
    named = sorted(values.named, key=lambda variable: variable.number)
    own = [f"  {values.type_name(held[variable])} {values.name(variable)};" for variable in named]
    text = _functions({node.attr for node in function.nodes() if node.op in ("call", "call_if")})
    guarded = sorted({node.attr for node in function.nodes() if node.op == "call_if"})
    text += [guarded_text(name, OPENCL) for name in guarded]
    head = f"kernel void lane({', '.join([*operands, 'global uint *fault'])}) {{"
    return "\n".join([*text, head, *own, *control.flags(), *writer.lines, "}", ""])


_SPECIALS = {"GLOBAL_LANE_ID": "get_global_id(0)"}
for _axis, _number in zip("XYZ", range(3), strict=True):
    _SPECIALS[f"LANE_IDX_{_axis}"] = f"get_local_id({_number})"
    _SPECIALS[f"BLOCK_IDX_{_axis}"] = f"get_group_id({_number})"
    _SPECIALS[f"BLOCK_DIM_{_axis}"] = f"get_local_size({_number})"
    _SPECIALS[f"GRID_DIM_{_axis}"] = f"get_num_groups({_number})"


def _params(function: Function) -> list[Node]:
    return list({node.attr: node for node in function.nodes() if node.op == "param"}.values())


def _functions(names: set[str]) -> list[str]:
    """Functions of the compiler's library and those that they call, first what is called."""
    found: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in found:
            text, calls = function_text(name, OPENCL, TRAITS, lambda values: {})
            for other in sorted(calls):
                add(other)
            found[name] = text

    for name in sorted(names):
        add(name)
    return list(found.values())


# What runs it: OpenCL in C, and lanes one after the other.

_PRELUDE = """
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#define kernel static
#define global
typedef unsigned char uchar;
#define uint unsigned int
#define ulong unsigned long
typedef int8_t i8_t; typedef uint8_t u8_t; typedef int16_t i16_t; typedef uint16_t u16_t;
typedef int32_t i32_t; typedef uint32_t u32_t; typedef int64_t i64_t; typedef uint64_t u64_t;
typedef float f32_t; typedef double f64_t;
static ulong ids[13];
#define get_global_id(k) ids[12]
#define get_local_id(k) ids[k]
#define get_group_id(k) ids[3 + k]
#define get_local_size(k) ids[6 + k]
#define get_num_groups(k) ids[9 + k]
#define AS(name) static inline name as_##name##_of(const void *x) { name y; memcpy(&y, x, sizeof(y)); return y; }
AS(int) AS(uint) AS(long) AS(ulong) AS(float) AS(double)
#define OF(name, x) ({ __typeof__(x) kept = (x); as_##name##_of(&kept); })
#define as_int(x) OF(int, x)
#define as_uint(x) OF(uint, x)
#define as_long(x) OF(long, x)
#define as_ulong(x) OF(ulong, x)
#define as_float(x) OF(float, x)
#define as_double(x) OF(double, x)
#define SAT(name, tag, low, high, end) static inline name convert_##tag##_sat(double x) {\\
  return x != x ? 0 : x <= (double)(low) ? (low) : x >= (end) ? (high) : (name)x; }
SAT(int, int, INT32_MIN, INT32_MAX, 2147483648.0)
SAT(uint, uint, 0u, UINT32_MAX, 4294967296.0)
SAT(long, long, INT64_MIN, INT64_MAX, 9223372036854775808.0)
SAT(ulong, ulong, 0ul, UINT64_MAX, 18446744073709551616.0)
#define INTEGERS(name, tag, other, width, tail) \\
  static inline name min_##tag(name a, name b) { return a < b ? a : b; } \\
  static inline name max_##tag(name a, name b) { return a < b ? b : a; } \\
  static inline name abs_##tag(name a) { return a < 0 ? -a : a; } \\
  static inline name div_##tag(name a, name b) { return b == 0 ? 0 : b == (name)-1 && (name)-1 < 0 ? -a : a / b; } \\
  static inline name rem_##tag(name a, name b) { return b == 0 || (b == (name)-1 && (name)-1 < 0) ? 0 : a % b; } \\
  static inline name rotl_##tag(name a, uint n) { other x = (other)a; \\
    return (name)(x << (n & (width - 1)) | x >> (-n & (width - 1))); } \\
  static inline uint popcount_##tag(name a) { return __builtin_popcount##tail((other)a); } \\
  static inline uint clz_##tag(name a) { return a ? __builtin_clz##tail((other)a) : width; } \\
  static inline uint ctz_##tag(name a) { return a ? __builtin_ctz##tail((other)a) : width; }
INTEGERS(int, int, uint, 32, ) INTEGERS(uint, uint, uint, 32, )
INTEGERS(long, long, ulong, 64, l) INTEGERS(ulong, ulong, ulong, 64, l)
#define FLOATS(name) \\
  static inline name min_##name(name a, name b) { \\
    return a != a ? a : b != b ? b : a == b ? (signbit(a) ? a : b) : a < b ? a : b; } \\
  static inline name max_##name(name a, name b) { \\
    return a != a ? a : b != b ? b : a == b ? (signbit(a) ? b : a) : a < b ? b : a; }
FLOATS(float) FLOATS(double)
"""


@cache
def _compiled(text: str, calls: str, folder: Path) -> Any:
    """The function that runs a lane, in a library that a C compiler made."""
    name = folder / hashlib.sha256(text.encode()).hexdigest()[:20]
    source = f"{_PRELUDE}{text}\nvoid run(const ulong *at, void **m, const ulong *s, const ulong *p, uint *fault)\n"
    source += f"{{ memcpy(ids, at, sizeof(ids)); lane({calls}); }}\n"
    name.with_suffix(".c").write_text(source)
    flags = ["-shared", "-fPIC", "-O1", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-w"]
    made = str(name.with_suffix(".so"))
    subprocess.run(["cc", *flags, str(name.with_suffix(".c")), "-o", made, "-lm"], check=True)
    return ctypes.CDLL(made).run


class CBackend(CpuBackend):
    """`cpu`, whose lanes are run by a C compiler's code, one after the other."""

    def __init__(self, folder: Path, **options: Any) -> None:
        super().__init__(**options)
        self.folder = folder

    def _run(self, run: Any) -> None:
        config = run.config
        function = optimize(build(run.analysis, tuple(config.block)))
        text = opencl(function)
        bases, params = function.bases, _params(function)
        assert not any(base.space in ON_CHIP for base in bases)
        calls = [f"m[{number}], s[{number}]" for number in range(len(bases))]
        calls += [f"OF({OPENCL.types[node.ty]}, p[{number}])" for number, node in enumerate(params)]
        lane = _compiled(text, ", ".join([*calls, "fault"]), self.folder)
        regions = [run.regions[base] for base in bases]
        pointers = (ctypes.c_void_p * max(len(bases), 1))(*(region.data.ctypes.data for region in regions))
        sizes = (ctypes.c_uint64 * max(len(bases), 1))(*(region.size for region in regions))
        scalars = (ctypes.c_uint64 * max(len(params), 1))()
        for number, node in enumerate(params):
            ty, bits = run.scalars[node.attr]
            number_ = int(ty.decode(bits)) if ty.is_integer else bits
            scalars[number] = number_ & 0xFFFFFFFFFFFFFFFF
        fault = ctypes.c_uint32()
        block = tuple(config.block)
        grid = (*config.grid, 1, 1)[:3]
        for number in range(config.blocks * math.prod(block)):
            inside, outside = number % math.prod(block), number // math.prod(block)
            at = [inside % block[0], inside // block[0] % block[1], inside // (block[0] * block[1])]
            where = [outside % grid[0], outside // grid[0] % grid[1], outside // (grid[0] * grid[1])]
            lanes = config.lanes or tuple(b * g for b, g in zip(block, grid, strict=True))
            if all(w * b + a < n for w, b, a, n in zip(where, block, at, lanes, strict=True)):
                lane(
                    (ctypes.c_uint64 * 13)(*at, *where, *block, *grid, number),
                    pointers,
                    sizes,
                    scalars,
                    ctypes.byref(fault),
                )
        assert not fault.value, "a fault"
