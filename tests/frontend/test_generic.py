"""Kernels with type variables: what launches choose, on every device against NumPy, and the whole text of errors."""

# mypy: ignore-errors
# ruff: noqa: E501

from __future__ import annotations

import sys
import threading
import typing

import numpy as np
import pytest

import hologram_web as hg
from hologram_web_tools import kernel_json

T = typing.TypeVar("T")
N = typing.TypeVar("N", hg.f32, hg.f64, hg.i32, hg.u32, hg.u8)
A = typing.TypeVar("A")
F = typing.TypeVar("F", hg.f32, hg.f64)
BITS = (hg.f16, hg.bf16, hg.i16, hg.u16)
DEVICES = ("cpu", "wasm", "webgpu")
PLAIN = ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


@pytest.fixture(scope="module", params=DEVICES)
def device(request):
    return hg.backends.DEVICES[request.param]()


@hg.kernel
def axpy(a: T, x: hg.Array[T], y: hg.Array[T]):
    """a * x + y"""
    i = hg.global_id()
    if i < len(y):
        y[i] = a * x[i] + y[i]


@hg.function
def square(v: A) -> A:
    return v * v


def first(x: hg.Array[A], default: A):
    return x[0] if len(x) > 0 else default


@hg.kernel
def sums(x: hg.Array[T, 2], y: hg.Array[A]):
    """Sums of squares of rows, in the type A."""
    tile = hg.shared(A, 4)
    row, lane = hg.block_id(), hg.local_id()
    total: A = A(0)
    for j in range(lane, x.shape[1], 4):
        total += square(A(x[row, j]))
    tile[lane] = total
    hg.barrier()
    if lane == 0:
        y[row] = tile[0] + tile[1] + tile[2] + tile[3]


@hg.kernel
def halves(x: hg.Array[T], y: hg.Array[T], bits: hg.Array[hg.i32]):
    i = hg.global_id()
    bits[i] = T.bits if T in BITS else -T.size_bytes
    if T is hg.f64 or (T.is_float and x[i] > 100):
        y[i] = hg.floor(x[i] / 2)
        return
    if not T.is_float:
        y[i] = x[i] >> 1
    else:
        y[i] = T(hg.floor(x[i] / 2))


@pytest.mark.parametrize("dtype", PLAIN)
def test_all_types(device, dtype):
    x, y = np.arange(9).astype(dtype), np.arange(9)[::-1].astype(dtype)
    expected = (np.array(3, dtype) * x + y).astype(dtype)
    axpy.on(device)[len(y)](3, x, y)
    np.testing.assert_array_equal(y, expected)
    if dtype not in ("f2", "i1"):
        out, bits = np.zeros(9, dtype), np.zeros(9, "i4")
        halves.on(device)[9](x, out, bits)
        np.testing.assert_array_equal(out, (np.arange(9) // 2).astype(dtype))
        np.testing.assert_array_equal(bits, 16 if dtype in ("i2", "u2") else -x.itemsize)


@pytest.mark.parametrize(("dtype", "acc"), [("u1", "u4"), ("f4", "f8"), ("i4", "f4"), ("i2", "i8"), ("f4", "f4")])
def test_two_variables(device, dtype, acc):
    x = (np.arange(30) % 11).reshape(3, 10).astype(dtype)
    y = np.zeros(3, acc)
    sums.on(device)[12, 4](x, y)
    np.testing.assert_array_equal(y, (x.astype(acc) ** 2).sum(1))


def test_sixteen_bits_and_wide_integers():
    x = np.arange(4, dtype="u2")
    axpy[4](1, x, x)
    assert x.tolist() == [0, 2, 4, 6]
    bits = np.array([0x3F80, 0x4000], "u2")  # 1.0 and 2.0 in bf16
    axpy.specialize(T=hg.bf16)[2](1, bits, bits)
    assert bits.tolist() == [0x4000, 0x4080]
    values = np.frombuffer(bytearray(hg.u128.pack([1 << 100, 3])), "V16")

    text = "T = TypeVar('T', hg.f32, hg.u128)\n\ndef k(x: hg.Array[T]):\n    x[hg.global_id()] *= 2\n"
    hg.kernel_from_source("from typing import TypeVar\n" + text)[2](values)
    assert hg.u128.unpack(values.tobytes()) == [1 << 101, 6]


def test_specialize():
    made = axpy.specialize(T=hg.f32)
    assert made is axpy.specialize(T=hg.f32) is not axpy.specialize(T=hg.f64)
    assert type(made) is hg.Kernel
    assert made.name == made.program.metadata.name == "axpy[T=f32]"
    assert made.__doc__ == axpy.__doc__ == "a * x + y"
    assert repr(axpy) == "<Kernel axpy(a: T, x: Array[T], y: Array[T])>"
    assert repr(made) == "<Kernel axpy[T=f32](a: f32, x: Array[f32], y: Array[f32])>"
    assert made.specialize() is made
    assert [v.__name__ for v in sums.variables] == ["T", "A"]
    part = sums.specialize(A=hg.f64)
    assert part is sums.specialize(A=hg.f64)
    assert part.specialize(T=hg.u8) is sums.specialize(T=hg.u8, A=hg.f64)
    x, y = np.ones((2, 4), "f4"), np.zeros(2, "f8")
    part[8, 4](x, y)
    assert y.tolist() == [4, 4]
    for shown in (made.wgsl(), made.wat(), made.explain("isa"), made.program.to_text()):
        assert shown
    assert hg.Program.from_bytes(made.program.to_bytes()).metadata.name == made.name


def test_one_program_for_all_threads(monkeypatch):
    from hologram_web.kernels import generic

    made = []
    make = generic.make_choice
    monkeypatch.setattr(generic, "make_choice", lambda definition: made.append(definition.name) or make(definition))
    kernel = hg.kernel_from_source(
        "import typing\nT = typing.TypeVar('T')\ndef k(x: hg.Array[T]):\n    x[hg.global_id()] += 1\n"
    )
    arrays = [np.zeros(5, dtype) for dtype in ("f4", "i4", "u8") * 6]
    threads = [threading.Thread(target=lambda x=x: kernel[5](x)) for x in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((x == 1).all() for x in arrays)
    assert sorted(made) == ["k[T=f32]", "k[T=i32]", "k[T=u64]"]


def test_scalars_decide_if_no_array_does():
    @hg.kernel
    def fill(y: hg.Array[hg.f64], value: T, scale: A):
        y[hg.global_id()] = hg.f64(value) + (T.bits if T.is_float else -T.bits) + hg.f64(scale)

    y = np.zeros(1)
    fill[1](y, np.float32(0.5), np.int8(1))
    assert y.tolist() == [33.5]
    fill.specialize(A=hg.i32)[1](y, np.uint16(7), 1)
    assert y.tolist() == [-8]
    x = np.ones(3, "f4")  # the array says what T is, and the number is converted as for any kernel
    axpy[3](np.float64(2), x, x)
    assert x.tolist() == [3, 3, 3]


def test_helpers():
    @hg.kernel
    def k(x: hg.Array[N], y: hg.Array[N]):
        i = hg.global_id()
        y[i] = square(x[i]) + first(x, 7) + square(N(2))

    for dtype in ("f4", "u1", "i4"):
        x, y = np.arange(3, 6).astype(dtype), np.zeros(3, dtype)
        k[3](x, y)
        np.testing.assert_array_equal(y, x * x + 7)


def test_plans():
    compiled = hg.compile(axpy.specialize(T=hg.i64))
    again = hg.load(compiled.to_bytes())
    assert compiled.name == again.name == "axpy[T=i64]"
    assert [kernel.name for kernel in again.artifact.kernels] == ["axpy[T=i64]"]
    x = np.arange(3)
    assert again.run(hg.backends.WasmBackend(), a=2, x=x, y=x).tolist() == [0, 3, 6]

    plan = hg.PlanBuilder("two")
    plan.array("x", hg.f32, ("n",))
    plan.array("y", hg.f32, ("n",))
    plan.launch(axpy, args={"a": 2})
    made = hg.CompiledProgram.from_builder(plan)
    assert made.programs[0].metadata.name == "axpy[T=f32]"
    mixed = hg.PlanBuilder()
    mixed.array("x", hg.f32, ("n",))
    mixed.array("y", hg.f64, ("n",))
    with pytest.raises(hg.LaunchError, match=r"T of axpy is f32 by 'x' and f64 by 'y': give both one type"):
        mixed.launch(axpy)


def _text(body, head="x: hg.Array[T], n: T"):
    return f'import typing\nT = typing.TypeVar("T", hg.f32, hg.u8, hg.i64)\nU = typing.TypeVar("U")\n\ndef h(u: U, v: U):\n    return u + v\n\ndef none() -> U:\n    return U(1)\n\ndef k({head}):\n    {body}\n'


@pytest.mark.parametrize(
    ("body", "ty", "message"),
    [
        ("x[0] = $x[0] << 1", hg.f32, "<< works on integers, not f32: convert with hg.i32(x)"),
        ("x[0] = x[0] + $300", hg.u8, "300 does not fit u8: convert the other side first, as in hg.i32(x)"),
        ("x[0] = h(x[0], $1.5)", hg.u8, "float literal does not become u8 by itself: round it, and convert with hg.u8(x)"),
        ("x[0] = h(x[0], $hg.i32(1))", hg.u8, "U is u8 by an argument before, and i32 by this one"),
        ("x[0] = 1 if T is $3 else 2", hg.u8, "types are compared with types: T is hg.f32, or T in (hg.f32, hg.f64)"),
        ("x[0] = 1 if T in $hg.f32 else 2", hg.u8, "types are compared with types: T is hg.f32, or T in (hg.f32, hg.f64)"),
        ("x[0] = 1 if $T < hg.f32 else 2", hg.u8, "types are compared with is, is not, in and not in"),
        ("x[0] = $T", hg.u8, "T is a type: call it, T(...)"),
        ("x[0] = $T.width", hg.u8, "types have no width in a kernel: there are bits, size_bytes, is_float, is_integer, is_signed, is_unsigned, min_value, max_value"),
    ],
)  # fmt: skip
def test_errors_say_the_types(body, ty, message):
    column = body.index("$") + 5
    kernel = hg.kernel_from_source(_text(body.replace("$", "")), "k", file="page.py")
    with pytest.raises(hg.TranslateError) as raised:
        kernel.specialize(T=ty)
    error = raised.value
    assert (error.file, error.line, error.column) == ("page.py", 12, column)
    shown = body.replace("$", "")
    assert str(error) == f"page.py:12:{column}: in k[T={ty}]: {message}\n    {shown}\n    {' ' * (column - 5)}^"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("T = typing.TypeVar($'T', bound=hg.f32)", 'a type variable has a name, and types: write T = typing.TypeVar("T", hg.f32, hg.i32), or without types for all'),
        ("T = typing.TypeVar('T', $float, hg.f32)", 'float is no type of the ISA: write T = typing.TypeVar("T", hg.f32, hg.i32), or without types for all'),
        ("T = typing.TypeVar('T', $hg.f32)", "T stands for one of several types, and here is one: write the type itself"),
        ("T = typing.TypeVar('T')\ndef none() -> $T: return T(1)\ndef k(x: hg.Array[hg.f32]): x[0] = none()", "no parameter of none says what T is"),
        ("T = typing.TypeVar('T', hg.f32, hg.f64)\ndef h(v: T): return v\ndef k(x: hg.Array[hg.i32]): x[0] = h($x[0])", "T is one of f32, f64, and this is i32"),
        ("T = typing.TypeVar('T', hg.f32, hg.f64)\ndef h(v: T): return v\ndef k(x: hg.Array[hg.i32]): x[0] = h($1)", "T is one of f32, f64, and this is i32"),
        ("T = typing.TypeVar('T')\ndef h(v: hg.Array[T, 2]): return v[0, 0]\ndef k(x: hg.Array[hg.i32]): x[0] = h($x)", "x is Array[i32], and Array[i32, 2] is wanted here"),
        ("def k(x: hg.Array[hg.i32]): x[0] = hg.f32.$bits.real", "numbers have no attribute real in a kernel"),
    ],
)  # fmt: skip
def test_errors_before_there_are_types(line, message):
    before, _, after = line.partition("$")
    text = "import typing\n" + before + after
    row, column = before.count("\n") + 2, len(before) - before.rfind("\n")
    if "first" in message or "has a name" in message or "numbers have" in message:
        column = 5 if "has a name" in message else before.rindex("hg.f32") + 1
    with pytest.raises(hg.TranslateError) as raised:
        hg.kernel_from_source(text, "k", file="page.py")
    assert str(raised.value).split("\n")[0] == f"page.py:{row}:{column}: {message}"


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        (typing.TypeVar("B", bound=float), 'B has a bound, which says nothing about types of the ISA: write B = typing.TypeVar("B", hg.f32, hg.i32), or without types for all'),
        (typing.TypeVar("B", float, int), 'B may be float, no type of the ISA: write B = typing.TypeVar("B", hg.f32, hg.i32), or without types for all'),
        *([(typing.TypeVar("B", default=hg.f32), "B has a default: give the type with specialize instead")] if sys.version_info >= (3, 13) else []),
    ],
)  # fmt: skip
def test_wrong_variables(variable, message):
    B = variable

    def k(x: hg.Array[hg.f32]):
        x[0] = B(1)

    with pytest.raises(hg.TranslateError) as raised:
        hg.kernel(k)
    assert str(raised.value).split(": ", 1)[1] == f"{message}\n    x[0] = B(1)\n           ^"


ONE, OTHER = np.zeros(3, "f4"), np.zeros(3, "i4")


@pytest.mark.parametrize(
    ("error", "call", "message"),
    [
        (hg.TranslateError, lambda: axpy.program, "axpy has type variables: take axpy.specialize(T=hg.f32), which has a program"),
        (hg.TranslateError, lambda: sums.specialize(A=hg.u8).wgsl(), "sums has type variables: take sums.specialize(T=hg.f32), which has a program"),
        (hg.TranslateError, lambda: axpy.wat(), "axpy has type variables: take axpy.specialize(T=hg.f32), which has a program"),
        (hg.TranslateError, lambda: axpy.explain(), "axpy has type variables: take axpy.specialize(T=hg.f32), which has a program"),
        (hg.TranslateError, lambda: hg.compile(axpy), "axpy has type variables: take axpy.specialize(T=hg.f32), which has a program"),
        (hg.LaunchError, lambda: hg.PlanBuilder().launch(axpy), "nothing says what T of axpy is: arrays and NumPy's numbers do, Python's do not; take axpy.specialize(T=hg.f32)"),
        (hg.TranslateError, lambda: axpy.specialize(U=hg.f32), "axpy has no type variable 'U': it has T"),
        (hg.TranslateError, lambda: axpy.specialize(T=hg.f32).specialize(T=hg.f32), "axpy[T=f32] has no type variable 'T'"),
        (hg.TranslateError, lambda: axpy.specialize(T="f32"), "T of axpy is a type, such as hg.f32, not 'f32'"),
        (hg.LaunchError, lambda: axpy[3](1, ONE, OTHER), "T of axpy is f32 by 'x' and i32 by 'y': give both one type"),
        (hg.LaunchError, lambda: axpy[3](1, [1], OTHER), "x is a list; Array[T] is expected: give a NumPy array or a Buffer"),
        (hg.LaunchError, lambda: axpy[3](1, ONE > 0, ONE), "x has dtype bool, which is no type here; T is expected: use x.astype(...)"),
        (hg.LaunchError, lambda: axpy[3](1, ONE), "parameter 'y' is missing: the kernel takes (a: T, x: Array[T], y: Array[T])"),
        (hg.LaunchError, lambda: axpy[3](1, ONE.view("V12").view("V4"), ONE), "x has dtype |V4, which is no type here; T is expected: use x.astype(...)"),
        (hg.LaunchError, lambda: axpy[3](1, *[np.zeros(3, "V16")] * 2), "'x' is i128 or u128: say which, as in axpy.specialize(T=hg.i128)"),
    ],
)  # fmt: skip
def test_wrong_arguments(error, call, message):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message


def test_what_a_variable_stands_for():
    kernel = hg.kernel_from_source(_text("x[0] += n"), "k")
    with pytest.raises(hg.LaunchError) as raised:
        kernel[1](np.zeros(3, "u2"), 1)
    assert str(raised.value) == "T of k is one of f32, u8, i64, and 'x' is u16 or bf16"
    with pytest.raises(hg.TranslateError) as refused:
        kernel.specialize(T=hg.u16)
    assert str(refused.value) == "T of k is one of f32, u8, i64, not u16"
    only = hg.kernel_from_source(_text("x[0] += hg.f32(n)", "x: hg.Array[hg.f32], n: T"), "k")
    with pytest.raises(hg.LaunchError) as raised:
        only[1](ONE, 1)
    assert str(raised.value) == (
        "nothing says what T of k is: arrays and NumPy's numbers do, Python's do not; take k.specialize(T=hg.f32)"
    )


def test_kernel_json_has_no_variables():
    with pytest.raises(hg.TranslateError, match="kernel JSON has no type variables: write a kernel for each type"):
        kernel_json.from_python("T = TypeVar('T')\n\ndef k(x: DeviceArray[T]):\n    x[0] = 1\n")


TYPE_PARAMETERS = """
def h[V](v: V) -> V:
    return v + v


@hg.kernel
def k[T: (hg.f32, hg.u8), U](x: hg.Array[T], y: hg.Array[U]):
    i = hg.global_id()
    y[i] = U(h(x[i])) + (T.bits if T is hg.u8 else 0)
"""


@pytest.mark.parametrize(
    ("brackets", "message"),
    [
        ("$*T", "only type variables are available here: list the parameters, and give each a type"),
        ("T: $hg.f32", "the types of T stand in parentheses: T: (hg.f32, hg.f64)"),
        ("T: (hg.f32, $float)", 'float is no type of the ISA: write T = typing.TypeVar("T", hg.f32, hg.i32), or without types for all'),
        ("T: ($hg.f32,)", "T stands for one of several types, and here is one: write the type itself"),
        *([("$T = hg.f32", "T has a default: give the type with specialize instead")] if sys.version_info >= (3, 13) else []),
    ],
)  # fmt: skip
def test_type_parameters(brackets, message, tmp_path):
    """The syntax of Python 3.12; before, it is none."""
    wrong = f"def k[{brackets.replace('$', '')}](x: hg.Array[hg.f32]):\n    x[0] = 1\n"
    if sys.version_info < (3, 12):
        with pytest.raises(hg.TranslateError, match="this is no Python"):
            hg.kernel_from_source(TYPE_PARAMETERS)
        return
    with pytest.raises(hg.TranslateError) as raised:
        hg.kernel_from_source(wrong, file="page.py")
    assert str(raised.value).split("\n")[0] == f"page.py:1:{brackets.index('$') + 7}: {message}"
    path = tmp_path / "module.py"
    path.write_text("import hologram_web as hg\n" + TYPE_PARAMETERS)
    names = {"__name__": "module"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    for kernel in (names["k"], hg.kernel_from_source(TYPE_PARAMETERS, "k")):
        x, y = np.arange(3).astype("u1"), np.zeros(3, "i8")
        kernel[3](x, y)
        assert y.tolist() == [8, 10, 12]
        assert [variable.__name__ for variable in kernel.variables] == ["T", "U"]


def test_steps():
    x, y = np.ones(2, "f4"), np.ones(2, "f4")
    found = [step.values for step in axpy.specialize(T=hg.f32).steps[2](2, x, y)]
    assert found[-1]["i"].tolist() == [0, 1]
    assert y.tolist() == [3, 3]
    with pytest.raises(hg.TranslateError, match="axpy has type variables: take"):
        axpy.steps[2](2, x, y)
