"""Random kernels of typed expressions, on `cpu` and `wasm` against the same text run by Python with NumPy scalars."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hologram_web as hg
from hologram_web.backends import DEVICES

from . import plain

TYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64")
LANES = 9


@pytest.fixture(scope="module")
def devices():
    """Those with all types; the fuzzer compares the others with them."""
    found = {}
    for name in ("cpu", "wasm"):
        with contextlib.suppress(hg.BackendUnavailable):
            found[name] = DEVICES[name]()
    return found


@st.composite
def expressions(draw, ty, depth):
    """An expression of a type, over the elements a_ty[i], b_ty[i] and the variable t."""
    if depth == 0:
        return draw(st.sampled_from([f"a_{ty}[i]", f"b_{ty}[i]", "t"]))
    inner = expressions(ty, depth - 1)
    small = draw(st.integers(0, 100))
    kind = draw(st.integers(0, 8))
    left, right = draw(inner), draw(inner)
    if kind == 0:
        other = draw(st.sampled_from(TYPES))
        return f"hg.{ty}({left if other == ty else f'b_{other}[i]'})"
    if kind == 1:
        condition = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
        return f"({left} if {draw(inner)} {condition} {small} else {right})"
    if kind == 2:
        return f"({left} if {left} < {right} and not {right} == {small} or {draw(inner)} > 5 else {small} + {right})"
    if ty[0] == "f":
        operator = draw(st.sampled_from(["+", "-", "*", "/", "//", "%"]))
        literal = draw(st.sampled_from([f"{small}", f"{small / 7}", right]))
        return draw(st.sampled_from([f"({left} {operator} {literal})", f"abs({left})", f"(-{left})", f"({left} ** 2)"]))
    if kind == 3:
        return f"({left} {draw(st.sampled_from(['//', '%']))} ({right} | 1))"
    if kind == 4:
        return f"({left} {draw(st.sampled_from(['//', '%']))} {small + 1})"
    if kind == 5:
        return f"({left} {draw(st.sampled_from(['<<', '>>']))} ({right} & 7))"
    if kind == 6:
        return draw(st.sampled_from([f"abs({left})", f"(-{left})", f"(~{left})", f"min({left}, {right}, {small})"]))
    operator = draw(st.sampled_from(["+", "-", "*", "&", "|", "^"]))
    return f"({left} {operator} {draw(st.sampled_from([str(small), right]))})"


@st.composite
def kernels(draw):
    ty = draw(st.sampled_from(TYPES))

    def expression(depth=2):
        return draw(expressions(ty, depth))

    lines = ["i = hg.global_id()", f"t = a_{ty}[i]", f"t = {expression()}"]
    for _ in range(draw(st.integers(0, 3))):
        match draw(st.integers(0, 3)):
            case 0:
                lines.append(f"t = {expression(3)}")
            case 1:
                lines += [f"if {expression(1)} > {expression(1)}:", f"    t = {expression()}", "else:", "    t += 1"]
            case 2:
                bounds = draw(st.sampled_from(["3", "i", "2, 9, 3", "i, -2, -2"]))
                lines += [f"for k in range({bounds}):", f"    if t == {draw(st.integers(0, 9))}:", "        break"]
                lines.append(f"    t = {expression(1)}")
            case _:
                lines += ["n = 0", "while n < i:", "    n += 2", f"    t = {expression(1)}"]
    lines.append(f"y[i] = {expression()}")
    arrays = ", ".join(f"{name}_{each}: hg.Array[hg.{each}]" for each in TYPES for name in "ab")
    return ty, f"def k({arrays}, y: hg.Array[hg.{ty}]):\n" + "".join(f"    {line}\n" for line in lines)


def _data():
    random = np.random.default_rng(3)
    arrays = []
    for name in TYPES:
        ty = hg.Type.named(name)
        for _ in "ab":
            values: Any
            if ty.is_float:
                values = random.normal(size=LANES) * 100
                values[:4] = [0, -0.0, 1, -3]
            else:
                values = random.integers(ty.min_value, ty.max_value, LANES, dtype=ty.numpy, endpoint=True)  # type: ignore[arg-type]
                values[:4] = [0, 1, ty.min_value, ty.max_value]
            arrays.append(random.permutation(values).astype(ty.numpy))
    return arrays


@given(kernels())
def test_random_kernel(devices, case):
    ty, text = case
    names: dict = {}
    exec(_bare(text), names)
    arrays = _data()
    expected = np.zeros(LANES, hg.Type.named(ty).numpy)
    plain.run(names["k"], (LANES,), (4,), *arrays, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel = hg.kernel_from_source(text)
    assert hg.kernel_from_source(text).program.to_bytes() == kernel.program.to_bytes()
    kernel.program.validate()
    for name, device in devices.items():
        found = np.zeros_like(expected)
        kernel.on(device)[LANES, 4](*arrays, found)
        np.testing.assert_array_equal(found, expected, err_msg=f"{name}\n{text}")


def _bare(text):
    """The function without annotations."""
    head, _, body = text.partition("):\n")
    names = [part.partition(":")[0] for part in head.removeprefix("def k(").split(", ")]
    return f"def k({', '.join(names)}):\n{body}"
