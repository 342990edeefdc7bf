"""Wrong kernels: the whole text of every error."""

# ruff: noqa: E501

from __future__ import annotations

import math
from typing import Any

__all__ = ["PYTHON", "SCHEMAS", "kernel"]

F32: dict[str, Any] = {"kind": "scalar", "type": "f32"}
X = {"name": "x", "type": {"kind": "device_array", "element_type": F32}}
N = {"name": "n", "type": {"kind": "scalar", "type": "u32"}}
B = {"name": "b", "type": {"kind": "scalar", "type": "bool"}}


def var(name: str) -> dict[str, Any]:
    return {"type": "var", "name": name}


def number(value: Any) -> dict[str, Any]:
    return {"type": "literal", "value": value}


def call(function: Any, *args: Any) -> dict[str, Any]:
    return {"type": "call", "function": function, "args": list(args)}


def binary(op: str, left: Any, right: Any) -> dict[str, Any]:
    return {"type": "binary_op", "op": op, "left": left, "right": right}


def element(index: Any = None) -> dict[str, Any]:
    return {"type": "index", "array": var("x"), "index": index or number(0)}


def let(name: Any, value: Any) -> dict[str, Any]:
    return {"type": "let", "name": name, "value": value}


def store(value: Any) -> dict[str, Any]:
    return {"type": "assign", "target": element(), "value": value}


def reduce(operation: Any, count: Any, source: Any = None) -> dict[str, Any]:
    fields = {"input": source or var("x"), "output": var("x"), "operation": operation, "count": count}
    return {"type": "parallel_reduce", **fields}


def kernel(*body: Any, params: Any = (X, N, B), name: Any = "k", version: Any = "1.0") -> dict[str, Any]:
    return {"version": version, "kernel": {"name": name, "params": list(params), "body": list(body)}}


def _typed(ty: Any, version: str = "1.0") -> dict[str, Any]:
    return kernel(params=[{"name": "y", "type": ty}], version=version)


FLAG: dict[str, Any] = {"type": "if", "condition": var("b"), "then_body": [], "else_body": None}
ID = call("get_global_id")
FIRST = binary("eq", ID, number(0))
AT = "/kernel/body/0"

# A schema, the pointer of what is wrong, and what is said.
SCHEMAS: list[tuple[Any, str, str]] = [
    # The schema
    (3, "", "an object with version, kernel stands here, not 3"),
    ([3], "/0", "an object with version, kernel stands here, not 3"),
    ([], "", "say which one: the kernels are none"),
    ({"version": "1.0"}, "", "the field 'kernel' is missing"),
    ({**kernel(), "author": 1}, "/author", "there is no such field here, only version, kernel"),
    ({**kernel(), "a/b~c": 1}, "/a~1b~0c", "there is no such field here, only version, kernel"),
    (kernel(version="2.0"), "/version", "the version is '2.0': there are '1.0' and '1.1'"),
    (kernel(version=1.0), "/version", "the version is 1.0: there are '1.0' and '1.1'"),
    (kernel(name=""), "/kernel/name", "'' is no name: a name is an identifier that is no word of Python"),
    (kernel(name="lambda"), "/kernel/name", "'lambda' is no name: a name is an identifier that is no word of Python"),
    (kernel(name=None), "/kernel/name", "null is no name: a name is an identifier that is no word of Python"),
    ([kernel(), kernel()], "/1/kernel/name", "there is a kernel k already"),
    ([kernel(), kernel(name="l")], "", "say which one: the kernels are k, l"),
    ({"version": "1.0", "kernel": []}, "/kernel", "an object with name, params, body stands here, not an array"),
    ({"version": "1.0", "kernel": {"name": "k", "params": {}, "body": []}}, "/kernel/params", "an array stands here, not an object"),
    ({"version": "1.0", "kernel": {"name": "k", "params": [], "body": None}}, "/kernel/body", "an array stands here, not null"),
    # Parameters and types
    (kernel(params=[7]), "/kernel/params/0", "an object with name, type stands here, not 7"),
    (kernel(params=[X, X]), "/kernel/params/1/name", "there is a parameter x already"),
    (kernel(params=[{**N, "name": "range"}]), "/kernel/params/0/name", "'range' is no name: a name is an identifier that is no word of Python"),
    (kernel(params=[{**N, "name": "r3"}]), "/kernel/params/0", "'r3' cannot name a parameter: use letters, digits, '_', '$' and '.', not starting with a digit, at most 128 of them, and none of the forms r0, p0, shared, pool, class, phi, true, false, none, inf, nan"),
    (_typed("f32"), "/kernel/params/0/type/kind", "null is no kind of type here: there is scalar and device_array"),
    (_typed({"kind": "vector"}), "/kernel/params/0/type/kind", "'vector' is no kind of type here: there is scalar and device_array"),
    (_typed({"kind": "device_ptr"}), "/kernel/params/0/type", "a device_ptr does not say what it points to: use a device_array"),
    (_typed({"kind": "scalar", "type": "f16"}), "/kernel/params/0/type/type", "'f16' is no scalar type of version '1.0': there are u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, bool, usize"),
    (_typed({"kind": "scalar", "type": "u32", "unit": "m"}), "/kernel/params/0/type/unit", "there is no such field here, only kind, type"),
    (_typed({"kind": "device_array"}), "/kernel/params/0/type", "the field 'element_type' is missing"),
    (_typed({"kind": "device_array", "element_type": X["type"]}), "/kernel/params/0/type/element_type/kind", "'device_array' is no kind of type here: there is scalar"),
    # Statements
    (kernel("pass"), AT, "a statement stands here, an object with a type, not 'pass'"),
    (kernel({}), AT, "the field 'type' is missing"),
    (kernel({"type": "goto"}), f"{AT}/type", "'goto' is no type of a statement: there are let, assign, if, for, while, break, continue, return, call, parallel_map_unary, parallel_map_binary, parallel_reduce"),
    (kernel({"type": ["let"]}), f"{AT}/type", "an array is no type of a statement: there are let, assign, if, for, while, break, continue, return, call, parallel_map_unary, parallel_map_binary, parallel_reduce"),
    (kernel({"type": "let", "name": "a"}), AT, "the field 'value' is missing"),
    (kernel({"type": "break", "label": "a"}), f"{AT}/label", "there is no such field here, only type"),
    (kernel({"type": "break"}), AT, "break stands outside a loop"),
    (kernel(let("a b", number(1))), f"{AT}/name", "'a b' is no name: a name is an identifier that is no word of Python"),
    (kernel(let("b", number(1))), f"{AT}/name", "b is a parameter of type bool, which is not assigned: use another name"),
    (kernel(let("x", number(1))), f"{AT}/name", "x is an array: store an element, x[i] = ..., or use another name"),
    (kernel({"type": "assign", "target": var("a"), "value": number(1)}), f"{AT}/target", "a is assigned before any let: a variable starts with let"),
    (kernel({"type": "assign", "target": number(1), "value": number(1)}), f"{AT}/target/type", "'literal' is no type of a target: there are var, index"),
    (kernel({**FLAG, "then_body": {}}), f"{AT}/then_body", "an array stands here, not an object"),
    (kernel({**FLAG, "then_body": [{"type": "continue"}]}), f"{AT}/then_body/0", "continue stands outside a loop"),
    (kernel({"type": "for", "var": 1, "start": number(0), "stop": var("n"), "step": number(1), "body": []}), f"{AT}/var", "1 is no name: a name is an identifier that is no word of Python"),
    (kernel({"type": "for", "var": "i", "start": number(0), "stop": number(2.5), "step": number(1), "body": []}), f"{AT}/stop", "range counts integers, not float literal: convert with i32(x)"),
    (kernel({"type": "for", "var": "i", "start": number(0), "stop": var("n"), "step": number(0), "body": []}), f"{AT}/step", "the step of range is not 0"),
    (kernel({"type": "return", "value": number(1)}), f"{AT}/value", "a kernel returns nothing: store the result in an array"),
    # Expressions
    (kernel(store(None)), f"{AT}/value", "an expression stands here, an object with a type, not null"),
    (kernel(store({"type": "string"})), f"{AT}/value/type", "'string' is no type of an expression: there are var, literal, binary_op, unary_op, index, call, if_expr"),
    (kernel(store(number(None))), f"{AT}/value/value", "a number or a bool stands here, not null"),
    (kernel(store(number("1"))), f"{AT}/value/value", "a number or a bool stands here, not '1'"),
    (kernel(store(number(math.nan))), f"{AT}/value/value", "a number or a bool stands here, not nan"),
    (kernel(store(number(1 << 5000))), f"{AT}/value/value", "an integer has at most 4096 bits"),
    (kernel(store(binary("unknown", number(1), number(2)))), f"{AT}/value/op", "'unknown' is no operator: older compilers wrote it for // and all they did not know; write floor_div"),
    (kernel(store(binary("shl", number(1), number(2)))), f"{AT}/value/op", "'shl' is no operator: there are add, sub, mul, div, floor_div, mod, pow, lt, le, gt, ge, eq, ne, and, or"),
    (kernel(store({"type": "unary_op", "op": "abs", "operand": number(1)})), f"{AT}/value/op", "'abs' is no operator: there are neg, pos, not, inv"),
    (kernel(store(binary("floor_div", var("n"), number(0)))), f"{AT}/value/right", "division by zero: the divisor is never 0"),
    (kernel(store(binary("and", var("n"), var("b")))), f"{AT}/value/left", "and joins conditions, and this is u32: compare it, as in x != 0"),
    (kernel(store(var("y"))), f"{AT}/value", "the name y is not known: assign it before, or make it a parameter or a module constant"),
    (kernel(store(var("x"))), f"{AT}/value", "x is an array: read an element of it, x[i]"),
    (kernel(store(var("len"))), f"{AT}/value", "the name len is not known: assign it before, or make it a parameter or a module constant"),
    (kernel(store(element(number(1.5)))), f"{AT}/value/index", "an index is an integer, not float literal: convert with i32(x), which rounds toward zero"),
    (kernel(store(element(number(-1)))), f"{AT}/value/index", "the index -1 is negative: indices count from 0; from the end, write len(x) - 1"),
    (kernel(store({"type": "index", "array": var("n"), "index": number(0)})), f"{AT}/value/array", "n is no array: only arrays have elements"),
    # Calls
    (kernel(store(call("fast_exp", number(1)))), f"{AT}/value/function", "'fast_exp' is no function: those there are stand in docs/kernel_json.md"),
    (kernel(store(call("len", var("x")))), f"{AT}/value/function", "'len' is no function: those there are stand in docs/kernel_json.md"),
    (kernel(call("helper", var("x"))), f"{AT}/function", "'helper' is no function: those there are stand in docs/kernel_json.md"),
    (kernel(call("parallel_scan", var("x"))), f"{AT}/function", "parallel_scan is a reserved name that has no meaning yet: write the loop"),
    (kernel(call(None)), f"{AT}/function", "null is no function: those there are stand in docs/kernel_json.md"),
    (kernel(store(call("f16", number(1)))), f"{AT}/value/function", "f16 is a type of version '1.1'"),
    (kernel(store(call("exp"))), f"{AT}/value", "exp is given 0 arguments; 1 is expected: write exp(src)"),
    (kernel(store(call("atomic_add_f32", var("x"), number(1)))), f"{AT}/value", "atomic_add_f32 has no result: call it as a statement, or use atomic_add(array, index, value)"),
    (kernel(call("atomic_add_f32", var("x"))), AT, "atomic_add_f32 takes an array and a value, and here are 1 arguments"),
    (kernel(call("atomic_add_u32", var("x"), number(1))), f"{AT}/args/0", "atomic_add_u32 works on an array of u32"),
    (kernel(call("atomic_min", var("x"), number(0), number(1))), AT, "x is f32: atomics work on i32, u32, i64 and u64"),
    (kernel(let("exp", number(1)), store(call("exp", number(1)))), "/kernel/body/1/value", "exp is no function"),
    # What the launch does once
    (kernel(reduce("mean", var("n"))), f"{AT}/operation", "the operation of parallel_reduce is one of these texts: sum, product, min, max"),
    (kernel(reduce(None, var("n"))), f"{AT}/operation", "a text stands here, not null"),
    (kernel(reduce("sum", number(1.5))), f"{AT}/count", "the count of parallel_reduce is an integer, not f32: round it, and convert with i32(x)"),
    (kernel(reduce("sum", number(-1))), f"{AT}/count", "the count of parallel_reduce is from 0 to 2**48 - 1, not -1"),
    (kernel(reduce("sum", call("u32", ID))), f"{AT}/count", "the count of parallel_reduce is computed by lanes, or of what they read: it is done once, by the whole launch, so compute it from scalar parameters and lengths of arrays alone"),
    (kernel(reduce("sum", var("n"), var("n"))), f"{AT}/input", "n is no array: only arrays have elements"),
    (kernel({**FLAG, "condition": FIRST, "then_body": [reduce("sum", var("n"))]}), f"{AT}/then_body/0", "whether parallel_reduce runs depends on the lane, by /kernel/body/0: it is done once, by the whole launch, so write it where every lane comes, under conditions of scalar parameters and lengths alone"),
    (kernel({**FLAG, "condition": FIRST, "then_body": [{"type": "return", "value": None}]}, reduce("sum", var("n"))), "/kernel/body/1", "whether parallel_reduce runs depends on the lane, by /kernel/body/0: it is done once, by the whole launch, so write it where every lane comes, under conditions of scalar parameters and lengths alone"),
    (kernel(let("i", ID), reduce("sum", var("n")), store(var("i"))), "/kernel/body/2/value", "i is not kept over a collective: compute it again behind it"),
]  # fmt: skip

# Texts with $ where it is wrong, and what is said.
PYTHON: list[tuple[str, str]] = [
    ("def k(x: DeviceArray[f32]$:\n    pass", "this is no Python: "),
    ("$x = 3", "a module of kernels has imports and functions: write numbers where they are used"),
    ("@$numba.jit\ndef k(n: u32):\n    pass", "functions have no decorator but @inline and @atlas_kernel"),
    ("$def _k(n: u32):\n    pass", "_k is no name of a kernel: mark a helper with @inline"),
    ("def k(n: u32):\n    pass\n$def k(n: u32):\n    pass", "there is a function k already"),
    ("def k($a):\n    a[0] = 1.0", "a has no type: write a: f32, or a: DeviceArray[f32]"),
    ("def k(a: $DeviceArray):\n    a[0] = 1.0", "DeviceArray is no type: write f32, i32 and so on, or DeviceArray[f32]"),
    ("def k(a: DeviceArray[$DeviceArray[f32]]):\n    pass", "DeviceArray[f32] is no type of elements: write DeviceArray[f32]"),
    ("def k(a: $str):\n    pass", "str is no type: write f32, i32 and so on, or DeviceArray[f32]"),
    ("def k(*$n):\n    pass", "*args, **kwargs and keyword-only parameters are not available: list the parameters"),
    ("def k(n: u32 = $3):\n    pass", "default values are not available: give every argument at the call"),
    ("HEAD\n    $x = y = 1.0", "unsupported statement Assign: assign one name at a time"),
    ("HEAD\n    $y: f32 = 1.0", "unsupported statement AnnAssign: leave the annotation out, and cast the value"),
    ("HEAD\n    $y += 1", "y is used before it is assigned: assign it before"),
    ("HEAD\n    $a, b = 1, 2", "unsupported target Tuple: an array has one index, and each value a name of its own"),
    ("HEAD\n    $x.y = 1", "unsupported target Attribute: names stand alone, and lengths are parameters"),
    ("HEAD\n    $assert n", "unsupported statement Assert: assert is not available: test with if, and return or store a flag"),
    ("HEAD\n    $del n", "unsupported statement Delete: del is not available: registers are freed by themselves"),
    ("HEAD\n    $n + 1", "this line has no effect: assign the value, or store it in an array"),
    ("HEAD\n    y = x[$1:2]", "unsupported expression Slice: a part of an array is no element: give it a name, part = x[1:3], or loop over its elements"),
    ("HEAD\n    y = x[$1, 2]", "unsupported expression Tuple: an array has one index, and each value a name of its own"),
    ("HEAD\n    y = $[1]", "unsupported expression List: kernel JSON has nothing that says this"),
    ("HEAD\n    y = $lambda: 1", "unsupported expression Lambda: a lambda is no number: give it a name, f = lambda a: a * 2, and call that, or pass it to a function"),
    ("HEAD\n    y = $'text'", "unsupported literal of type str: kernels compute with numbers"),
    ("HEAD\n    y = $None", "unsupported literal of type None: kernels compute with numbers"),
    ("HEAD\n    y = $1e999", "the literal is infinite, which JSON cannot say"),
    ("HEAD\n    y = $n << 1", "unsupported operator LShift: there are add, sub, mul, div, floor_div, mod, pow"),
    ("HEAD\n    y = $n @ n", "unsupported operator MatMult: @ is not available in a kernel: write the loops"),
    ("HEAD\n    y = $n in x", "unsupported operator In: in is not available: compare with ==, or write a loop"),
    ("HEAD\n    y = $math.sin(n)", "math.sin is not called by a name: write sin(x), not math.sin(x)"),
    ("HEAD\n    y = sin(x=$n)", "sin takes no keyword arguments: give them by position"),
    ("HEAD\n    y = $x.shape", "unsupported expression Attribute: names stand alone, and lengths are parameters"),
    ("HEAD\n    for i in $x:\n        pass", "for loops over a range: write for i in range(n)"),
    ("HEAD\n    for $i, j in range(3):\n        pass", "the variable of a loop over a range is one name"),
    ("HEAD\n    for i in $range():\n        pass", "range takes 1 to 3 arguments, not 0"),
    ("HEAD\n    for i in range(3):\n        pass\n    else:\n        $y = 1", "else after a loop is not available: set a flag before break"),
    ("HEAD\n    parallel_reduce(x, x, $n, n)", "the operation of parallel_reduce is written as a text, such as 'exp' or 'sum'"),
    ("HEAD\n    $parallel_reduce(x, x, 'sum')", "write parallel_reduce(input, output, operation, count): arguments are missing or too many"),
    ("HEAD\n    y = $parallel_reduce(x, x, 'sum', n)", "parallel_reduce has no result: call it in a line of its own"),
    ("@inline\ndef f(n: u32) -> u32:\n    return $f(n)\ndef k(a: DeviceArray[u32]):\n    a[0] = f(1)", "f calls itself: an inline function is not recursive"),
    ("@inline\n$def f(n: u32):\n    m = n\n    return m\ndef k(a: DeviceArray[u32]):\n    a[0] = f(1)", "f is inlined, so its body is one return of a value"),
    ("@inline\ndef f(n: u32):\n    return n + $m\ndef k(a: DeviceArray[u32]):\n    a[0] = f(1)", "m is no parameter of f, which is inlined"),
    ("@inline\ndef f(n: u32):\n    return n\ndef k(a: DeviceArray[u32]):\n    a[0] = $f(1, 2)", "write f(n): arguments are missing or too many"),
    ("@inline\ndef f(n: u32):\n    return n\ndef k(a: DeviceArray[u32]):\n    $f(1)", "f is a value: assign it, or store it in an array"),
]  # fmt: skip
