"""What kernel JSON consists of: types, operators, functions, and the fields of statements and expressions."""

from __future__ import annotations

import ast
from typing import Any

from hologram_web.frontends.python.names import ATOMICS, INTRINSICS, MATH, Array
from hologram_web.isa.types import Type

__all__ = [
    "ARITHMETIC",
    "BINARY",
    "COLLECTIVES",
    "COMPARISONS",
    "EXPRESSIONS",
    "FUNCTIONS",
    "LOGIC",
    "NAMES",
    "PLACED",
    "SCALARS",
    "STATEMENTS",
    "UNARY",
]

# Scalar types of version 1.0; 1.1 has all of the ISA.
SCALARS: dict[str, Type] = {
    **{name: Type.named(name) for name in ("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64")},
    "bool": Type.U8,
    "usize": Type.U64,
}

# Operators by their names.
ARITHMETIC: dict[str, type[ast.operator]] = {
    "add": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "div": ast.Div,
    "floor_div": ast.FloorDiv,
    "mod": ast.Mod,
    "pow": ast.Pow,
}
COMPARISONS: dict[str, type[ast.cmpop]] = {
    "lt": ast.Lt,
    "le": ast.LtE,
    "gt": ast.Gt,
    "ge": ast.GtE,
    "eq": ast.Eq,
    "ne": ast.NotEq,
}
LOGIC: dict[str, type[ast.boolop]] = {"and": ast.And, "or": ast.Or}
BINARY: dict[str, Any] = {**ARITHMETIC, **COMPARISONS, **LOGIC}
UNARY: dict[str, type[ast.unaryop]] = {"neg": ast.USub, "pos": ast.UAdd, "not": ast.Not, "inv": ast.Invert}

# What stands for a statement or an expression: its fields and their kinds, in the order of the schema.
_MAP = "operation:text count:expression"
COLLECTIVES = {
    "parallel_map_unary": f"input:expression output:expression {_MAP}",
    "parallel_map_binary": f"input_a:expression input_b:expression output:expression {_MAP}",
    "parallel_reduce": f"input:expression output:expression {_MAP}",
}
STATEMENTS = {
    "let": "name:name value:expression",
    "assign": "target:target value:expression",
    "if": "condition:expression then_body:body else_body:body?",
    "for": "var:name start:expression stop:expression step:expression body:body",
    "while": "condition:expression body:body",
    "break": "",
    "continue": "",
    "return": "value:expression?",
    "call": "function:function args:expressions",
    **COLLECTIVES,
}
EXPRESSIONS = {
    "var": "name:name",
    "literal": "value:number",
    "binary_op": "op:binary left:expression right:expression",
    "unary_op": "op:unary operand:expression",
    "index": "array:expression index:expression",
    "call": "function:function args:expressions",
    "if_expr": "condition:expression then:expression else:expression",
}

# Two-argument atomics, which work on element 0: the function and the type of the elements.
PLACED = {f"atomic_add_{ty}": ("atomic_add", ty) for ty in ("f32", "u32", "i32")}

_MATH = {name: INTRINSICS[name] for name in MATH if name in INTRINSICS}
FUNCTIONS: dict[str, Any] = {
    **{str(ty): ty for ty in Type},
    "usize": Type.U64,
    "int": Type.I32,
    "float": Type.F32,
    "abs": abs,
    "min": min,
    "max": max,
    "pow": pow,
    "round": round,
    **_MATH,
    **{f"{name}f": INTRINSICS[name] for name in ("exp", "log", "sin", "cos", "sqrt")},
    **{name: INTRINSICS[name] for name in ATOMICS},
    "get_global_id": INTRINSICS["global_id"],
}

# What the names in a kernel mean to the Python frontend.
NAMES: dict[str, Any] = {
    **FUNCTIONS,
    "bool": Type.U8,
    "DeviceArray": Array,
    "range": range,
    **{name: INTRINSICS[name] for name in COLLECTIVES},
}
