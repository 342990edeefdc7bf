"""Wrong kernels: the text, and what is said about it. `$` in the text stands where the caret points and is taken out.

A text without `def k(` is the body of the kernel that HEAD begins.
"""

# ruff: noqa: E501

from __future__ import annotations

MODULE = "import hologram_web as hg\n\n\n@hg.kernel\n"
HEAD = "def k(x: hg.Array[hg.f32], m: hg.Array[hg.i32, 2], u: hg.u32, n: hg.i32):\n"

WRONG: list[tuple[str, str]] = [
    (
        "v = $[1, 2]",
        "lists are not available: use hg.local(type, size), or a tuple at module level",
    ),
    (
        "v = ${}",
        "dicts are not available: use an array, or a tuple at module level",
    ),
    (
        "v = ${1}",
        "sets are not available: use an array",
    ),
    (
        "v = ${1: 2}",
        "dicts are not available: use an array, or a tuple at module level",
    ),
    (
        'v = $"text"',
        "text is no number: ord(c) is that of a character",
    ),
    (
        'v = $n + b"bytes"',
        "a tuple is no number: assign its elements to names of their own",
    ),
    (
        'v = $f"{n}"',
        "text is not available: kernels compute with numbers",
    ),
    (
        "v = $None",
        "None is not available: use a number with a meaning of your choice",
    ),
    (
        "v = ${i for i in range(3)}",
        "comprehensions are not available: write a for loop",
    ),
    (
        "v = $[i for i in range(3)]",
        "comprehensions are not available: write a for loop",
    ),
    (
        "v = $(i for i in range(3))",
        "comprehensions are not available: write a for loop",
    ),
    (
        "v = ($w := 3)",
        ":= is not available: assign in a line of its own",
    ),
    (
        "v = 1 + x[$1:3]",
        "a part of an array is no element: give it a name, part = x[1:3], or loop over its elements",
    ),
    (
        "x[0] = $1, 2",
        "a tuple is no number: assign its elements to names of their own",
    ),
    (
        "$try:\n    pass\nfinally:\n    pass",
        "try is not available: a fault ends the launch and the host gets ExecutionError",
    ),
    (
        "$with n:\n    pass",
        "with is not available in a kernel",
    ),
    (
        "$import math",
        "import is not available in a kernel: import at module level",
    ),
    (
        "$from math import pi",
        "import is not available in a kernel: import at module level",
    ),
    (
        "$global g",
        "global is not available: lanes give results through arrays",
    ),
    (
        "$class C:\n    pass",
        "classes are not available in a kernel: use functions and arrays",
    ),
    (
        "$async def f(a):\n    return a",
        "async is not available: write def",
    ),
    (
        "$assert n > 0",
        "assert is not available: test with if, and return or store a flag",
    ),
    (
        "$raise n",
        "raise is not available: store a flag in an array",
    ),
    (
        "$del n",
        "del is not available: registers are freed by themselves",
    ),
    (
        "$match n:\n    case 1:\n        pass",
        "match is not available: use if and elif",
    ),
    (
        "for $i, j in range(3):\n    pass",
        "the variable of a loop over a range is one name",
    ),
    (
        "for i in $range():\n    pass",
        "range takes 1 to 3 arguments, not 0",
    ),
    (
        "for i in range(0, n, $0):\n    pass",
        "the step of range is not 0",
    ),
    (
        "for i in range($1.5):\n    pass",
        "range counts integers, not float literal: convert with hg.i32(x)",
    ),
    (
        "$break",
        "break stands outside a loop",
    ),
    (
        "$continue",
        "continue stands outside a loop",
    ),
    (
        "return $n",
        "a kernel returns nothing: store the result in an array",
    ),
    (
        "v = $nowhere",
        "the name nowhere is not known: assign it before, or make it a parameter or a module constant",
    ),
    (
        "v = $math.nothing",
        "math has no nothing",
    ),
    (
        "v = $math.gamma(2.0)",
        "math.gamma is not available in a kernel: compute it on the host, and give an hg.Array",
    ),
    (
        "v = $x",
        "x is an array: read an element of it, x[i]",
    ),
    (
        "v = $hg.f32",
        "hg.f32 is a type: call it, hg.f32(...)",
    ),
    (
        "v = $hg.sqrt",
        "hg.sqrt is a function: call it, hg.sqrt(...)",
    ),
    (
        "v = $hg.global_id",
        "hg.global_id is a function: call it, hg.global_id(...)",
    ),
    (
        "v = $x.dtype",
        "arrays have no dtype in a kernel: types are known from the annotations",
    ),
    (
        "v = $x.T",
        "arrays have no T in a kernel: exchange the indices: x[j, i]",
    ),
    (
        "v = $x.sum()",
        "arrays have no sum in a kernel: write sum(x), of one axis",
    ),
    (
        "x[0] = $x.shape",
        "x.shape is a tuple: take one length, x.shape[0]",
    ),
    (
        "v = x.shape[$n]",
        "an axis of a shape is known while translating: write a number",
    ),
    (
        "v = x.shape[$1]",
        "there is no axis 1: x has 1, counted from 0",
    ),
    (
        "v = x[$0, 1]",
        "x is 1-D, and here are 2 indices: write x[i]",
    ),
    (
        "v = 1 + m[$0]",
        "m is 2-D, and here are 1 indices: write m[i, j]",
    ),
    (
        "row = m[0]\nv = 1 + row[$1, 1]",
        "row is 1-D, and here are 2 indices: write row[i]",
    ),
    (
        "row = m[0]\nv = 1 + $row",
        "row is an array: read an element of it, row[i]",
    ),
    (
        "v = 1 + m[0, $:]",
        "m[0, :] is a part of an array, no element: name it, row = m[0, :], or loop over its elements",
    ),
    (
        "row = m[0, 1::$2]",
        "a part of an array has no step: loop over range(first, stop, step)",
    ),
    (
        "if n:\n    row = m[0]\nx[0] = $row[0]",
        "row is used before it is assigned on some path: assign it before, on all paths",
    ),
    (
        "row = m[0]\n$row = m[:, 0]",
        "row is a part of m elsewhere, along other axes or of another array than m[:, 0]: give this one a name of its own",
    ),
    (
        "row = 1\n$row = m[0]",
        "row is in use already: give the part of m a name of its own",
    ),
    (
        "row = m[0]\n$row = 1",
        "row is an array: store an element, row[i] = ..., or use another name",
    ),
    (
        "row = m[$-1]\nv = row[0]",
        "the index -1 is negative: indices count from 0; from the end, write m.shape[0] - 1",
    ),
    (
        "row = m[$1.5]",
        "an index is an integer, not float literal: convert with hg.i32(x), which rounds toward zero",
    ),
    (
        "v = x[$0.5]",
        "an index is an integer, not float literal: convert with hg.i32(x), which rounds toward zero",
    ),
    (
        "v = x[$u * 0.5]",
        "an index is an integer, not f32: convert with hg.i32(x), which rounds toward zero",
    ),
    (
        "v = x[$-1]",
        "the index -1 is negative: indices count from 0; from the end, write len(x) - 1",
    ),
    (
        "v = m[0, $-2]",
        "the index -2 is negative: indices count from 0; from the end, write m.shape[1] - 2",
    ),
    (
        "v = $n[0]",
        "n is no array: only arrays have elements",
    ),
    (
        "v = $u.real",
        "numbers have no attribute real in a kernel",
    ),
    (
        "$x = 1.0",
        "x is an array: store an element, x[i] = ..., or use another name",
    ),
    (
        "$x += 1.0",
        "x is an array: store an element, x[i] = ..., or use another name",
    ),
    (
        "$n.real = 1",
        "attributes cannot be assigned: use a variable or an element of an array",
    ),
    (
        "x[$:] = 1.0",
        "x[:] is a part of an array, no element: name it, row = x[:], or loop over its elements",
    ),
    (
        "if n:\n    v = 1\nx[0] = $v",
        "v is used before it is assigned on some path: assign it before, on all paths",
    ),
    (
        "while n > 0:\n    v = 1.0\n    n -= 1\nx[0] = $v",
        "v is used before it is assigned on some path: assign it before, on all paths",
    ),
    (
        "x[0] = $v\nv = 1.0",
        "v is used before it is assigned on some path: assign it before, on all paths",
    ),
    (
        "v = n\n$v = 0.5",
        "v is i32 elsewhere and float literal here, and a variable has one type: convert one of them, as in hg.f32(x), or use another name",
    ),
    (
        "v = n > 0\n$v = 1",
        "v is bool elsewhere and int literal here, and a variable has one type: convert one of them, as in hg.i32(x), or use another name",
    ),
    (
        "v: hg.i32 = 1\nw: hg.f32 = v\n$v: hg.f32 = 2",
        "v is i32 by annotation elsewhere: a variable has one type",
    ),
    (
        "v: $float = 1",
        "float is no type of numbers: write hg.f32",
    ),
    (
        "v: hg.i32 = $0.5",
        "float literal does not become i32 by itself: round it, and convert with hg.i32(x)",
    ),
    (
        "m[0, 0] = $0.5",
        "float literal does not become i32 by itself: round it, and convert with hg.i32(x)",
    ),
    (
        "m[0, 0] = $x[0]",
        "f32 does not become i32 by itself: round it, and convert with hg.i32(x)",
    ),
    (
        "m[0, 0] = $x[0] * n",
        "f32 does not become i32 by itself: round it, and convert with hg.i32(x)",
    ),
    (
        "$m[0, 0] /= 2",
        "f32 does not become i32 by itself: round it, and convert with hg.i32(x)",
    ),
    (
        "v = u + $-1",
        "-1 does not fit u32: convert the other side first, as in hg.i32(x)",
    ),
    (
        "v: hg.u8 = $300",
        "300 does not fit u8: convert the other side first, as in hg.i32(x)",
    ),
    (
        "v = hg.u8(n) + $256",
        "256 does not fit u8: convert the other side first, as in hg.i32(x)",
    ),
    (
        "v = $n & 0.5",
        "& works on integers, not float literal: convert with hg.i32(x)",
    ),
    (
        "v = $~x[0]",
        "~ works on integers, not f32: convert with hg.i32(x)",
    ),
    (
        "v = $~(n > 0)",
        "~ works on integers: write not for a condition",
    ),
    (
        "v = hg.i64(n) if x[0] > 0 and $1 << -1 else 2",
        "this constant cannot be computed: negative shift count",
    ),
    (
        "v = x[$hg.i128(n)]",
        "an index has at most 64 bits, not those of i128: convert with hg.i32(x)",
    ),
    (
        "v = $5000000000 if x[0] > n else 2",
        "5000000000 does not fit i32: convert the other side first, as in hg.i64(x)",
    ),
    (
        "v = $5000000000\nv += n",
        "5000000000 does not fit i32: convert the other side first, as in hg.i64(x)",
    ),
    (
        "v = $n ** n",
        "** of integers needs a literal exponent up to 64: write a loop, or convert with hg.f32(x)",
    ),
    (
        "v = $n ** -1",
        "i32 to a negative power is no integer: convert with hg.f32(x) first",
    ),
    (
        "v = $n @ n",
        "@ is not available in a kernel: write the loops",
    ),
    (
        "v = $hg.where(n > 1, 1, 2)",
        "hg has no where: write hg.select(condition, a, b)",
    ),
    (
        "v = $hg.min(n, 1)",
        "hg has no min: write min(a, b)",
    ),
    (
        "v = $hg.zeros(8)",
        "hg.zeros is for the host: write hg.local(type, size)",
    ),
    (
        "v = $hg.uniform(7, n)",
        "hg has no uniform: write hg.random_uniform(seed, i)",
    ),
    (
        "v = $threadIdx.x",
        "threadIdx.x is not known in a kernel: write hg.local_id(axis)",
    ),
    (
        "v = $cuda.grid(1)",
        "cuda.grid is not known in a kernel: write hg.global_id(axis)",
    ),
    (
        "$syncthreads()",
        "the name syncthreads is not known: write hg.barrier()",
    ),
    (
        "$hg.atomic_sub(m, 0, 1)",
        "hg has no atomic_sub: write hg.atomic_add with the number negated",
    ),
    (
        "v = n in $x",
        "in looks for a number in a tuple, x in (1, 2): in an array with a loop",
    ),
    (
        "v = $1 < n in (1, 2)",
        "in is not available: compare with ==, or write a loop",
    ),
    (
        "a, $*b = 1, 2, 3",
        "* is not available here: write the values one by one",
    ),
    (
        "v = $x @ x",
        "@ is not available in a kernel: write the loops",
    ),
    (
        "v = $n is 1",
        "is is not available: compare with ==",
    ),
    (
        "v = n % $0",
        "division by zero: the divisor is never 0",
    ),
    (
        "v = $1 // 0",
        "this constant cannot be computed: integer division or modulo by zero",
    ),
    (
        "v = $2 ** 100000",
        "the constant is too large: it may have 4096 bits",
    ),
    (
        "v = $n and u > 1",
        "and joins conditions, and this is i32: compare it, as in x != 0",
    ),
    (
        "v = $hg.bitcast(hg.u64, n)",
        "i32 has 32 bits and u64 64: convert first, or cast with hg.u64(x)",
    ),
    (
        "v = hg.bitcast($x, n)",
        "x is no type of numbers: write hg.f32, hg.i32 and so on",
    ),
    (
        "v = 1 + $hg.local(hg.u32, 64)",
        "local memory gets a name: write mine = hg.local(hg.u32, 64) in a line of its own",
    ),
    (
        "v = $hg.local(hg.u32, 1025)",
        "4100 bytes of local memory: a lane has at most 4096",
    ),
    (
        "v = hg.local(hg.u32, $n)",
        "the size of local memory is known while translating: 1 to 8 positive integers",
    ),
    (
        "$n = hg.local(hg.u32, 4)",
        "n is in use already: give the local memory a name of its own",
    ),
    (
        "v = hg.local(hg.u32, 4)\n$hg.atomic_add(v, 0, 1)",
        "v is the lane's own, which needs no atomics: read and write its elements",
    ),
    (
        "v = hg.local(hg.u32, 4)\n$hg.parallel_map_unary(x, x, 'neg', 3)",
        "local memory is not kept over hg.parallel_map_unary: make it behind",
    ),
    (
        "v = 1 + $hg.shared(hg.u32, 64)",
        "shared memory gets a name: write tile = hg.shared(hg.f32, 256) in a line of its own",
    ),
    (
        "v = hg.shared(hg.u32, $n)",
        "the size of shared memory is known while translating: 1 to 8 positive integers",
    ),
    (
        "v = hg.shared(hg.u32, $0)",
        "the size of shared memory is known while translating: 1 to 8 positive integers",
    ),
    (
        "v = hg.shared($int, 4)",
        "int is no type of numbers: write hg.i32",
    ),
    (
        "$n = hg.shared(hg.u32, 4)",
        "n is in use already: give the shared memory a name of its own",
    ),
    (
        "v = $hg.global_id(3)",
        "write hg.global_id(axis): the axis is 0, 1 or 2, known while translating",
    ),
    (
        "v = $hg.global_id(axis=n)",
        "write hg.global_id(axis): the axis is 0, 1 or 2, known while translating",
    ),
    (
        "v = $hg.global_id(dim=1)",
        "write hg.global_id(axis): the axis is 0, 1 or 2, known while translating",
    ),
    (
        "v = $hg.sqrt(n, 1)",
        "hg.sqrt is given 2 arguments; 1 is expected: write hg.sqrt(src)",
    ),
    (
        "v = hg.sqrt(x=$n)",
        "hg.sqrt takes no keyword arguments: give them by position",
    ),
    (
        "v = $max()",
        "max takes two or more numbers, or an array: write max(a, b)",
    ),
    (
        "v = max($())",
        "max is of something: here is nothing",
    ),
    (
        "v = $max(x[k] for k in range(n))",
        "max of none has no value: write a loop, which starts with the first one",
    ),
    (
        "v = sum($m)",
        "m is 2-D, and sum is of the numbers along one axis: write a loop",
    ),
    (
        "a, b = $m",
        "m is an array: read an element of it, m[i, j]",
    ),
    (
        "t = hg.shared(hg.f32, 3)\na, b = $t",
        "t has 3 elements, and here are 2 names",
    ),
    (
        "v = min($n)",
        "min is of tuples, vectors, arrays, rows and generators, and this is i32: give it two numbers or more",
    ),
    (
        "v = $round(x[0], 2)",
        "round takes no digits in a kernel: write round(x[0] * 10 ** 2) / 10 ** 2",
    ),
    (
        "v = hg.popcount($x[0])",
        "bits are counted and rotated in integers, not f32: use hg.bitcast(hg.u32, x)",
    ),
    (
        "v = hg.popcount($hg.i128(n))",
        "bits of i128 are counted in parts: shift, and convert with hg.u64(x)",
    ),
    (
        "$hg.atomic_add(x, 0)",
        "hg.atomic_add is given 2 arguments; 3 are expected: write hg.atomic_add(array, i, value)",
    ),
    (
        "hg.atomic_add($n, 0, 1)",
        "n is no array: only arrays have elements",
    ),
    (
        "$hg.atomic_max(x, 0, 1.0)",
        "x is f32: atomics work on i32, u32, i64 and u64",
    ),
    (
        "v = $hg.barrier()",
        "hg.barrier returns nothing: call it in a line of its own",
    ),
    (
        "$hg.barrier(1)",
        "hg.barrier is given 1 argument; 0 are expected: write hg.barrier()",
    ),
    (
        "$n + 1",
        "this line has no effect: assign the value, or store it in an array",
    ),
    (
        "$n == 1",
        "this line has no effect: assign the value, or store it in an array",
    ),
    (
        "v = $n(1)",
        "n is no function",
    ),
    (
        "v = $(n + 1)(2)",
        "only functions are called, by their name",
    ),
    (
        "v = $k(n)",
        "k calls itself: recursion is not available, write a loop",
    ),
    (
        "a, b = $n",
        "only a tuple of values, a constant tuple or a shape is unpacked: assign one name at a time",
    ),
    (
        "$a, b = 1, 2, 3",
        "3 values for 2 names",
    ),
    (
        "(a) = b = $hg.shared(hg.u32, 4)",
        "shared memory gets a name: write tile = hg.shared(hg.f32, 256) in a line of its own",
    ),
    (
        "v = (1, 2)[$n]",
        "the index into a tuple is known while translating: write a number, or the variable of a for loop over a literal range; a table for indices that are computed is an hg.Array parameter",
    ),
    (
        "v = $hg.exp3(x[0])",
        "hg has no exp3: did you mean hg.exp?",
    ),
    (
        "v = $hg.Program(n)",
        "hg.Program is for the host: call it outside of kernels",
    ),
    (
        "s = hg.shared(hg.f32, 4)\nv = s[$4]",
        "there is no element 4: axis 0 of s has 4",
    ),
    (
        "$x[0]: hg.f32 = 1.0",
        "annotate one name at a time: total: hg.f32 = 0",
    ),
    (
        "import hologram_web as hg\ndef k(x: hg.f32=$n):\n    pass",
        "a default value is a constant: a number, or a tuple of numbers",
    ),
    (
        "import hologram_web as hg\n$def k(x: hg.Array[hg.f32]=1.0):\n    pass",
        "x has a default value, and only numbers have one here: give it at the launch",
    ),
    (
        "import hologram_web as hg\n$def k(x: hg.u8=1.5):\n    pass",
        "the default value 1.5 of x does not fit u8",
    ),
    (
        "import hologram_web as hg\ndef k(x: $'hg.f32['):\n    pass",
        "'hg.f32[' is no type of a parameter: write hg.f32, hg.i32 and so on, or hg.Array[hg.f32]",
    ),
    (
        "import hologram_web as hg\ndef k(x: hg.Array[$f32]):\n    pass",
        "f32 is not known here: write hg.Array[hg.f32]",
    ),
    (
        "def k($x):\n    pass",
        "x has no type: write x: hg.f32, or hg.Array[hg.f32]",
    ),
    (
        "def k(*$args):\n    pass",
        "*args, **kwargs and keyword-only parameters are not available: list the parameters",
    ),
    (
        "def k(**$args):\n    pass",
        "*args, **kwargs and keyword-only parameters are not available: list the parameters",
    ),
    (
        "def k(*, $x: hg.f32):\n    pass",
        "*args, **kwargs and keyword-only parameters are not available: list the parameters",
    ),
    (
        "def k(x: hg.f32) -> $hg.f32:\n    pass",
        "a kernel returns nothing: leave the annotation out, and store the result in an array",
    ),
    (
        "def k(x: $float):\n    pass",
        "float is no type of a parameter: write hg.f32",
    ),
    (
        "def k(x: $hg.Array):\n    pass",
        "hg.Array is no type of a parameter: write hg.Array[hg.f32]",
    ),
    (
        "def k(x: $hg.Array[hg.vec3]):\n    pass",
        "hg.vec3 is no type of array elements: write hg.Array[hg.vec3[hg.f32]]",
    ),
    (
        "def k(x: $hg.Array[float]):\n    pass",
        "<class 'float'> is no type of array elements: write hg.Array[hg.f32]",
    ),
    (
        "def k(x: $hg.Array[hg.f32, 9]):\n    pass",
        "an array of 9 dimensions: write hg.Array[hg.f32, 2], with 1 to 8 of them",
    ),
    (
        "def k($pool: hg.f32):\n    pass",
        "'pool' cannot name a parameter: use letters, digits, '_', '$' and '.', not starting with a digit, at most 128 of them, and none of the forms r0, p0, shared, pool, class, phi, true, false, none, inf, nan",
    ),
    (
        "def k($größe: hg.f32):\n    pass",
        "'größe' cannot name a parameter: use letters, digits, '_', '$' and '.', not starting with a digit, at most 128 of them, and none of the forms r0, p0, shared, pool, class, phi, true, false, none, inf, nan",
    ),
    (
        "@$staticmethod\ndef k(x: hg.f32):\n    pass",
        "kernels have no decorator but @hg.kernel, functions none but @hg.function",
    ),
    (
        "$async def f():\n    pass\ndef k():\n    pass",
        "at module level there are only imports, constants and functions: move it into a kernel",
    ),
    (
        "$while True:\n    pass\ndef k():\n    pass",
        "at module level there are only imports, constants and functions: move it into a kernel",
    ),
    (
        "A = $[1]\ndef k():\n    pass",
        "only constants are assigned at module level: numbers and tuples of numbers",
    ),
    (
        "$import numpy as np\ndef k():\n    pass",
        "numpy cannot be imported here: there are hologram_web, math and typing",
    ),
    (
        "def k($:\n    pass",
        "this is no Python: invalid syntax",
    ),
    (
        "def f(a):\n    return $f(a)\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f(1.0)",
        "f calls itself: recursion is not available, write a loop",
    ),
    (
        "def f(a):\n    return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = $f(1.0, 2.0)",
        "f is given 2 arguments; 1 is expected: write f(a)",
    ),
    (
        "def f(a, b=$x):\n    return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f(1.0)",
        "a default value is a constant: a number, or a tuple of numbers",
    ),
    (
        "def f(a, b=2):\n    return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = $f(b=1.0)",
        "a is missing: write f(a, b = 2)",
    ),
    (
        "def f(a, b=2):\n    return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f(1.0, c=$1.0)",
        "c is no parameter: write f(a, b = 2)",
    ),
    (
        "def f(a, b=2):\n    return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f(1.0, a=$1.0)",
        "a is given twice: write f(a, b = 2)",
    ),
    (
        "C = (1, 2)\ndef f(a, b):\n    return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f($*C)",
        "* is not available here: write the values one by one",
    ),
    (
        "def f(a):\n    return a, a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = $f(1.0)",
        "f returns 2 values: give each a name, a, b = ...",
    ),
    (
        "def f(a):\n    return a, a\ndef k(x: hg.Array[hg.f32]):\n    $p, q, r = f(1.0)",
        "2 values for 3 names",
    ),
    (
        "def f(a):\n    if a > 1:\n        return a, a\n    $return a\ndef k(x: hg.Array[hg.f32]):\n    p, q = f(x[0])",
        "f returns 2 values elsewhere, and a value here",
    ),
    (
        "def f(a) -> $float:\n    return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f(x[0])",
        "float is no type of a parameter: write hg.f32",
    ),
    (
        "def f(a) -> $hg.Array[hg.f32]:\n    return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f(x[0])",
        "functions return numbers, and Array[f32] is none: leave the annotation out",
    ),
    (
        "$def f(a):\n    if a > 0:\n        return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f(x[1])",
        "f returns a value on some paths only: end it with a return",
    ),
    (
        "def f(a):\n    if a > 0:\n        return a\n    $return\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f(x[1])",
        "f returns a value on some paths only: return one on all of them",
    ),
    (
        "def f(a):\n    a += 1\ndef k(x: hg.Array[hg.f32]):\n    x[0] = $f(x[1])",
        "f returns nothing: call it in a line of its own",
    ),
    (
        "def f(a: hg.Array[hg.i32]):\n    return a[0]\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f($x)",
        "x is Array[f32], and Array[i32] is wanted here",
    ),
    (
        "def f(a: hg.Array[hg.i32]):\n    return a[0]\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f($1)",
        "1 is no array: only arrays have elements",
    ),
    (
        "def f(a: hg.i32):\n    return a\ndef k(x: hg.Array[hg.f32]):\n    x[0] = f($x[0])",
        "f32 does not become i32 by itself: round it, and convert with hg.i32(x)",
    ),
    (
        "def f(a):\n    return $b\ndef k(x: hg.Array[hg.f32]):\n    b = 1\n    x[0] = f(1)",
        "the name b is not known: assign it before, or make it a parameter or a module constant",
    ),
    (
        "T = (1, 2, 3)\ndef k(x: hg.Array[hg.i32], n: hg.i32):\n    x[0] = T[$n]",
        "the index into a tuple is known while translating: write a number, or the variable of a for loop over a literal range; a table for indices that are computed is an hg.Array parameter",
    ),
    (
        "T = (1, 2, 3)\ndef k(x: hg.Array[hg.i32]):\n    x[0] = T[$3]",
        "there is no element 3: the tuple has 3, counted from 0",
    ),
    (
        "T = (1, 2, 3)\ndef k(x: hg.Array[hg.i32]):\n    x[0] = $T",
        "T is a tuple: take one element, T[0]",
    ),
    (
        "T = (1, 2, 3)\ndef k(x: hg.Array[hg.i32]):\n    for i in range(3):\n        $i = T[i]",
        "i is the variable of an unrolled loop: use another name",
    ),
    (
        "T = (1, (2, 3))\ndef k(x: hg.Array[hg.i32]):\n    for $a, b in T:\n        x[a] = b",
        "1 is not unpacked to 2 names",
    ),
    (
        "T = (1, 2, 3)\ndef k(x: hg.Array[hg.i32]):\n    for i in range(0):\n        x[0] = T[i]\n    x[1] = $i",
        "i is used before it is assigned on some path: assign it before, on all paths",
    ),
    (
        "def k(x: hg.Array[hg.i32]):\n    for i in range(len(x)):\n        pass\n    x[1] = $i",
        "i is used before it is assigned on some path: assign it before, on all paths",
    ),
    (
        "def k(x: hg.Array[hg.f32, 2]):\n    $x = 1\n    x[0, 0] = 0.0",
        "x is an array: store an element, x[i] = ..., or use another name",
    ),
    (
        "def k(x: hg.Array[hg.i64, 2], n: hg.i64):\n    x[$n, 0] = 0",
        "an index of several is i32, not i64: convert with hg.i32(x)",
    ),
    (
        "v = hg.u8(n) // $256",
        "256 does not fit u8: convert the other side first, as in hg.i32(x)",
    ),
    (
        "for i in range($2**70):\n    pass",
        "1180591620717411303424 does not fit i32: convert the other side first, as in hg.i64(x)",
    ),
    (
        "T = (1, 2)\ndef k(x: hg.Array[hg.i32]):\n    for i in $range(2**70):\n        x[0] += T[i]",
        "loops over constants are written out, those in each other at most 16384 times in all, not 1180591620717411303424: let "
        "one count with range",
    ),
    (
        f"T = ({'1, ' * 100})\ndef k(x: hg.Array[hg.i32]):\n    for a in T:\n        for b in T:\n            for c in $T:\n"
        "                x[0] += a * b * c",
        "loops over constants are written out, those in each other at most 16384 times in all, not 1000000: let one "
        "count with range",
    ),
    (
        "v = $f(n)",
        "the function f is not known: define it above the kernel",
    ),
    (
        "v = $hg.parallel_reduce(x, x, 'sum', u)",
        "hg.parallel_reduce returns nothing: call it in a line of its own",
    ),
    (
        "if hg.global_id() < n:\n    $hg.parallel_reduce(x, x, 'sum', u)",
        "whether hg.parallel_reduce runs depends on the lane, by line 6, `if hg.global_id() < n:`: it is done once, by the whole launch, so write it where every lane comes, under conditions of scalar parameters and lengths alone",
    ),
    (
        "if x[0] > 1:\n    return\n$hg.parallel_reduce(x, x, 'sum', u)",
        "whether hg.parallel_reduce runs depends on the lane, by line 6, `if x[0] > 1:`: it is done once, by the whole launch, so write it where every lane comes, under conditions of scalar parameters and lengths alone",
    ),
    (
        "tile = hg.shared(hg.f32, 4)\n$hg.parallel_reduce(x, x, 'sum', u)",
        "shared memory is not kept over hg.parallel_reduce: make it behind",
    ),
    (
        "$hg.tensor.softmax(x, x, u)",
        "hg.tensor.softmax has no n: write hg.tensor.softmax(output, input, outer, n, inner=1)",
    ),
    (
        "hg.tensor.fill(x, u, 1, $2)",
        "hg.tensor.fill has 3 arguments: write hg.tensor.fill(output, count, value)",
    ),
    (
        "hg.tensor.softmax(x, x, 1, u, axis=$1)",
        "hg.tensor.softmax has no argument axis: write hg.tensor.softmax(output, input, outer, n, inner=1)",
    ),
    (
        "hg.tensor.softmax(x, x, 1, u, iner=$1)",
        "hg.tensor.softmax has no argument iner: did you mean inner?",
    ),
    (
        "hg.tensor.fill(x, u, count=$u, value=1)",
        "count of hg.tensor.fill is given twice",
    ),
    (
        "hg.tensor.softmax($m, x, 1, u)",
        "the output of hg.tensor.softmax is of one of f16, bf16, f32, f64, and m of i32",
    ),
    (
        "hg.tensor.arg_max($x, x, 1, u)",
        "the output of hg.tensor.arg_max is of i32 here, and x of f32",
    ),
    (
        "hg.tensor.copy(x, $x[3], u)",
        "x[3] is an element of an array: from there on it is x[3:]",
    ),
    (
        "hg.tensor.copy(x, $x[3:5], u)",
        "x[3:5] has an end of its own, and hg.tensor.copy knows ends by sizes: write x[first:]",
    ),
    (
        "hg.tensor.fill($m[:, 1], u, 1)",
        "the elements of m[:, 1] do not lie side by side, and hg.tensor.fill works on such: give indices along the first axes alone",
    ),
    (
        "hg.tensor.fill(x, $x[0], 1)",
        "the count of hg.tensor.fill is an integer, not f32: round it, and convert with hg.i32(x)",
    ),
    (
        "hg.tensor.fill(x, $-1, 1)",
        "the count of hg.tensor.fill is from 0 to 2**48 - 1, not -1",
    ),
    (
        "hg.tensor.fill(x, $u > 1, 1)",
        "the count of hg.tensor.fill is a number, not true or false",
    ),
    (
        "hg.tensor.sort(x, x, 1, u, descending=$u)",
        "the descending of hg.tensor.sort is known while translating: write a boolean (true or false), or pass it as hg.Constant",
    ),
    (
        "hg.tensor.sort(x, x, 1, u, descending=$3)",
        "the descending of hg.tensor.sort is a boolean (true or false), not 3",
    ),
    (
        "hg.tensor.gemm(x, x, x, 1, 1, u, activation=$'step')",
        "the activation of hg.tensor.gemm is one of these texts: abs, neg, sqrt, exp, log, sin, cos, tan, relu, sigmoid, tanh, rcp, rsqrt, sign, floor, ceil, round, trunc, log2, log10, erf, gelu, swish, not",
    ),
    (
        "for i in range(x.shape[0]):\n    if x[i] > 0:\n        $hg.tensor.fill(x, u, 1)",
        "whether hg.tensor.fill runs depends on the lane, by line 7, `if x[i] > 0:`: it is done once, by the whole launch, so write it where every lane comes, under conditions of scalar parameters and lengths alone",
    ),
    (
        "i = hg.global_id()\nwhile u > 0:\n    x[$i] = 1\n    hg.tensor.fill(x, u, 1)",
        "i is not kept over a collective: compute it again behind it",
    ),
    (
        "$hg.ops.softmax(x)",
        "hg.ops.softmax is for the host: write hg.tensor.softmax(output, input, outer, n)",
    ),
    (
        "$softmax(x, x, 1, u)",
        "the function softmax is not known: write hg.tensor.softmax(output, input, outer, n)",
    ),
    (
        "$hg.tensor.soft_max(x, x, 1, u)",
        "hg.tensor has no soft_max: did you mean hg.tensor.softmax?",
    ),
    (
        "hg.parallel_map_unary(x, x, $'mean', u)",
        "the operation of hg.parallel_map_unary is one of these texts: abs, neg, sqrt, exp, log, sin, cos, tan, sigmoid, tanh, relu, ceil, floor, round, erf, reciprocal",
    ),
    (
        "hg.parallel_map_binary(x, x, x, $n, u)",
        "the operation of hg.parallel_map_binary is one of these texts: add, sub, mul, div, pow, min, max, atan2",
    ),
    (
        "hg.parallel_reduce($x, m, 'sum', u)",
        "the input of hg.parallel_reduce is of i32 here, and x of f32",
    ),
    (
        "hg.parallel_reduce(x, x, 'sum', $m[0, 0])",
        "the count of hg.parallel_reduce is computed by lanes, or of what they read: it is done once, by the whole launch, so compute it from scalar parameters and lengths of arrays alone",
    ),
    (
        "hg.parallel_reduce(x, x, 'sum', $u * 0.5)",
        "the count of hg.parallel_reduce is an integer, not f32: round it, and convert with hg.i32(x)",
    ),
    (
        "i = hg.global_id()\nhg.parallel_reduce(x, x, 'sum', u)\nx[$i] = 1",
        "i is not kept over a collective: compute it again behind it",
    ),
    (
        "def k(x: hg.Array[hg.f32], y: hg.Array[hg.i32]):\n    hg.parallel_reduce($y, x, 'sum', 3)",
        "the input of hg.parallel_reduce is of f32 here, and y of i32",
    ),
    (
        "def k(x: hg.Array[hg.i32]):\n    hg.parallel_map_unary(x, x, $'sqrt', 3)",
        "'sqrt' does not work on i32, of which the output of hg.parallel_map_unary is",
    ),
    (
        "v = $pow(n)",
        "pow is given 1 argument; 2 are expected: write pow(x, y)",
    ),
    (
        "v = $pow(n, -2)",
        "i32 to a negative power is no integer: convert with hg.f32(x) first",
    ),
    (
        "t = n, n\n$t = 1",
        "t is a tuple of 2 elsewhere and int literal here, and a variable has one type: use another name",
    ),
    (
        "t = n\n$t = n, n",
        "t is i32 elsewhere and a tuple of 2 here, and a variable has one type: use another name",
    ),
    (
        "if n > 0:\n    t = n, n\nelse:\n    $t = n, n, n",
        "t is a tuple of 2 elsewhere and a tuple of 3 here, and a variable has one type: use another name",
    ),
    (
        "t = n, x[0]\n$t = x[0], n",
        "t[0] is i32 elsewhere and f32 here, and a variable has one type: convert one of them, as in hg.f32(x), or use another name",
    ),
    (
        "t = n, n\nv = $t + 1",
        "a tuple is no number: assign its elements to names of their own",
    ),
    (
        "t = n, n\nv = $-t",
        "- does not work on a tuple of 2: compute with its parts",
    ),
    (
        "t = n, n\nx[0] = $t",
        "t is a tuple of 2: take one element, t[0]",
    ),
    (
        "t = n, n\nx[$t] = 1",
        "t is a tuple of 2: take one element, t[0]",
    ),
    (
        "t = n, n\n$t[0] = 1",
        "t is a tuple of 2, whose parts are not assigned: make a new one, or take hg.registers(size, type)",
    ),
    (
        "t = n, n\nx[0] = t[$2]",
        "there is no part 2: t has 2, counted from 0",
    ),
    (
        "t = n, n\nx[0] = t[$n]",
        "the index into t is known while translating: write a number, or the variable of a loop over hg.static_range",
    ),
    (
        "t = n, n\nfor k in range(0, 2):\n    x[k] = t[$k]",
        "the index into t is known while translating: write a number, or let the loop in line 7 be written out, for k in hg.static_range(0, 2)",
    ),
    (
        "t = n, n\nx[0] = $t.x",
        "there is no x: t is a tuple of 2, which has [0], [1] and so on",
    ),
    (
        "t = n, n\nif $t < (1, 2):\n    x[0] = 1",
        "a tuple of 2 is compared by == and != alone: compare its parts",
    ),
    (
        "t = n, n\nif $t == (1, 2, 3):\n    x[0] = 1",
        "one side is a tuple of 2, and the other one a tuple of 3",
    ),
    (
        "t = $(n, n) if n > 0 else n",
        "one side is a tuple of 2, and the other one i32",
    ),
    (
        "t = $(x[0], n) if n > 0 else n",
        "one side is a tuple of 2, and the other one i32",
    ),
    (
        "if n > 0:\n    t = n, n\nx[0] = $t[0]",
        "t is used before it is assigned on some path: assign it before, on all paths",
    ),
    (
        "if $(n, n):\n    x[0] = 1",
        "a tuple is no number: assign its elements to names of their own",
    ),
    (
        "def f(p):\n    $p[0] = 1\n    return p\ndef k(x: hg.Array[hg.f32], n: hg.i32):\n    q = f((n, n))",
        "p is a parameter, and its caller would see no change: give it a name of its own first, and return it",
    ),
    (
        "def f(p: tuple[hg.i32, hg.f32]):\n    return p[0]\ndef k(x: hg.Array[hg.f32], n: hg.i32):\n    q = f($(n, n, n))",
        "this is a tuple of 3, and a tuple of 2 of i32, f32 is wanted here",
    ),
    (
        "def f(p: tuple[hg.i32, hg.i32]):\n    return p[0]\ndef k(x: hg.Array[hg.f32]):\n    q = f($(1, x[0]))",
        "f32 does not become i32 by itself: round it, and convert with hg.i32(x)",
    ),
    (
        "def f(p: hg.i32):\n    return p\ndef k(x: hg.Array[hg.f32], n: hg.i32):\n    q = f($(n, n))",
        "this is a tuple of 2, and i32 is wanted here",
    ),
    (
        "def f(p: tuple[hg.i32, hg.i32]):\n    return p[0]\ndef k(x: hg.Array[hg.f32], n: hg.i32):\n    q = f($n)",
        "this is i32, and a tuple of 2 of i32, i32 is wanted here",
    ),
    (
        "def f(a):\n    if a > 1:\n        return a, (a, a)\n    $return a, a\ndef k(x: hg.Array[hg.f32]):\n    p, q = f(x[0])",
        "f returns a tuple of 2 elsewhere, and f32 here",
    ),
    (
        "def k(x: $tuple[hg.f32, hg.i32]):\n    pass",
        "a parameter of a kernel is a number or an array, not a tuple of 2",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nx[0] = $v",
        "v is a vec3: take one part, v.x",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nx[0] = $v.q",
        "there is no q: v is a vec3 with the parts x, y, z, and such as v.yx",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nx[0] = $v.xw",
        "there is no xw: v is a vec3 with the parts x, y, z, and such as v.yx",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\n$v.w = 1.0",
        "there is no w: v is a vec3 with the parts x, y, z, and such as v.yx",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\n$v.xx = v.xy",
        "there is no xx: v is a vec3 with the parts x, y, z, and such as v.yx",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nx[0] = v[$3]",
        "there is no part 3: v has 3, counted from 0",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nx[0] = v[$n]",
        "the index into v is known while translating: write a number, or the variable of a loop over hg.static_range",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nw = $v + hg.vec2(1.0, 2.0)",
        "one side is a vec3, and the other one a vec2",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nw = $v + (1.0, 2.0, 3.0)",
        "one side is a vec3, and the other one a tuple of 3",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nif $v < 1:\n    x[0] = 1",
        "a vec3 is compared by == and != alone: compare its parts",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nif $v == 1.0:\n    x[0] = 1",
        "one side is a vec3, and the other one float literal",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\n$v = 1.0",
        "v is a vec3 elsewhere and float literal here, and a variable has one type: use another name",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nx[$v] = 1.0",
        "v is a vec3: take one part, v.x",
    ),
    (
        "v = $hg.vec3(1.0, 2.0)",
        "write hg.vec3(x, y, z), vectors among them, or one number: here are 2 parts",
    ),
    (
        "v = hg.vec3($x, 1.0, 2.0)",
        "x is an array: read an element of it, x[i]",
    ),
    (
        "v = hg.vec2($(1, 2))",
        "a tuple is no number: assign its elements to names of their own",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nw = hg.dot(v, $n)",
        "hg.dot is of vectors, and this is i32",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nw = $hg.dot(v)",
        "write hg.dot(a, b): arguments are missing or too many",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nw = $hg.cross(v.xy, v.xy)",
        "hg.cross is of vec3, and this is a vec2",
    ),
    (
        "v = hg.vec3(1.0, 2.0, 3.0)\nw = hg.popcount($v)",
        "v is a vec3: take one part, v.x",
    ),
    (
        "v = x.load(0, $n)",
        "a vector has 2 to 4 parts: their number is known while translating",
    ),
    (
        "v = x.load(0, $5)",
        "a vector has 2 to 4 parts: their number is known while translating",
    ),
    (
        "x.store(0, $1.0)",
        "what is stored is a vector, and this is float literal: write x[i] = v",
    ),
    (
        "v = m.load($0, 2)",
        "m is 2-D, and here are 1 indices: write m[i, j]",
    ),
    (
        "def f(v):\n    $v.x = 1.0\n    return v\ndef k(x: hg.Array[hg.f32]):\n    w = f(hg.vec2(1.0, 2.0))",
        "v is a parameter, and its caller would see no change: give it a name of its own first, and return it",
    ),
    (
        "def f(v: hg.vec2[hg.f32]):\n    return v\ndef k(x: hg.Array[hg.f32]):\n    w = f($hg.vec3(1.0, 2.0, 3.0))",
        "this is a vec3, and a vec2 of f32, f32 is wanted here",
    ),
    (
        "def f(v: hg.vec2[$hg.f3]):\n    return v\ndef k(x: hg.Array[hg.f32]):\n    w = f(1)",
        "hg.f3 is no type of numbers: write hg.f32, hg.i32 and so on",
    ),
    (
        "acc = hg.registers((2, 4), hg.f32)\nfor q in range(2):\n    for p in range(n):\n        acc[$q, 1] += 1",
        "an index into registers such as acc is known while translating: write a number, or let the loop in line 7 be written out, for q in hg.static_range(2)",
    ),
    (
        "acc = hg.registers((2, 4), hg.f32)\nacc[0, $n] = 1.0",
        "an index into registers such as acc is known while translating: write a number, or the variable of a loop over hg.static_range",
    ),
    (
        "acc = hg.registers((2, 4), hg.f32)\nacc[0, $4] = 1.0",
        "there is no element 4: acc has 4, counted from 0",
    ),
    (
        "acc = hg.registers((2, 4), hg.f32)\nacc[$0] = 1.0",
        "acc is 2-D, and here are 1 indices: write acc[i, j]",
    ),
    (
        "acc = hg.registers((2, 4), hg.f32)\nacc[0, 0] = $x",
        "x is an array: read an element of it, x[i]",
    ),
    (
        "acc = hg.registers((2, 4), hg.f32)\nx[0] = $acc",
        "acc is registers of f32[2, 4]: take one element, acc[0, 0]",
    ),
    (
        "acc = hg.registers((2, 4), hg.f32)\n$acc = acc * hg.f64(2)",
        "acc is registers of f32[2, 4] elsewhere and registers of f64[2, 4] here, and a variable has one type: use another name",
    ),
    (
        "acc = hg.registers((2, 4), hg.f32)\n$acc = 0.0",
        "acc is registers of f32[2, 4] elsewhere and float literal here, and a variable has one type: use another name",
    ),
    (
        "acc = hg.registers($n, hg.f32)",
        "the size of registers is known while translating: 1 to 8 positive integers",
    ),
    (
        "acc = hg.registers($(40, 40), hg.f32)",
        "1600 registers: at most 128, the others in hg.local(type, size)",
    ),
    (
        "acc = $hg.registers(4)",
        "write hg.registers((4, 4), hg.f32), or with a first value, hg.registers(4, hg.f32, 1.0)",
    ),
]
