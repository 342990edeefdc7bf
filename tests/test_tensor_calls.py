"""Collectives that kernels call, `hg.tensor.softmax(y, x, m, n)`: each of the table, against its instruction."""

from __future__ import annotations

import random
from collections.abc import Mapping
from enum import Enum
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.frontends.python.collective_calls import form_of
from hologram_web.isa.collectives import COLLECTIVE_ROWS
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.table import BY_MNEMONIC
from hologram_web_tools.stubs import stub

from .collective import UNIT, Case, executed, random_of, run, type_in, types_of
from .shapes import CASES

_TYPES = ("f32", "f16", "bf16", "f64", "i32", "u8", "i8")
# Of those that tests/shapes.py leaves to tests/accuracy.py: operands as text, and how many elements arrays have.
_MORE: dict[str, tuple[str, dict[str, int]]] = {
    "softmax": ("[output], [input], 3, 5, inner=2", {"output": 30, "input": 30}),
    "log_softmax": ("[output], [input], 3, 5, inner=2", {"output": 30, "input": 30}),
    "rms_norm": ("[output], [input], [gamma], 3, 5, eps=0.25", {"output": 15, "input": 15, "gamma": 5}),
    "attention": (
        "[output], [query], [key], [value], 1, 2, 3, 4, 5, mask=[mask], scale=0.5",
        {"output": 30, "query": 30, "key": 40, "value": 40, "mask": 12},
    ),
    "flash_attention": (
        "[output], [query], [key], [value], 1, 2, 4, 4, 5, causal=true, block_size=16",
        {"output": 40, "query": 40, "key": 40, "value": 40},
    ),
    "rope": ("[output], [input], [freqs], 2, 3, 2, 4, interleaved=true", {"output": 48, "input": 48, "freqs": 6}),
    "fft": ("[output], [input], 6, batch=2, inverse=true", {"output": 24, "input": 24}),
}
_EVERY = [(row.mnemonic, ty) for row in COLLECTIVE_ROWS for ty in types_of(row.mnemonic) if ty in _TYPES]


def _case(name: str, ty: str) -> Case:
    """A case with elements in each of its arrays."""
    if name in _MORE:
        text, sizes = _MORE[name]
        numbers = random_of(random.Random(name))
        return Case(text, {array: numbers.standard_normal(size) for array, size in sizes.items()})
    for seed in range(1000):
        case = CASES[name](random.Random(f"{name} {seed}"), ty, False)
        if all(values.size for values in case.arrays.values()):
            return case
    raise AssertionError(f"{name} has no case")


def _instruction(name: str, ty: str, case: Case, types: Mapping[str, str]) -> Instruction:
    params = "".join(f".param {array}: buffer {types[array]}\n" for array in case.arrays)
    of = f".{case.of}" if case.of else ""
    (found,) = hg.Program.from_text(f"{params}    {name}{of}.{ty} {case.text}\n").instructions
    return found


def _given(instruction: Instruction) -> dict[str, Any]:
    """The operands that are no default; None stands for an array of their name."""
    found: dict[str, Any] = {}
    for operand, value in zip(instruction.row.operands, instruction.values, strict=True):
        if operand.kind != "type" and not operand.is_default(value):
            at = operand.is_address or operand.kind == "result"
            found[operand.name] = None if at else value.name.lower() if isinstance(value, Enum) else value
    return found


def _kernel(name: str, types: Mapping[str, str], scalars: Mapping[str, str], call: str) -> hg.Kernel:
    params = [f"{array}: hg.Array[hg.{ty}]" for array, ty in types.items()]
    params += [f"{scalar}: hg.{ty}" for scalar, ty in scalars.items()]
    text = f"import hologram_web as hg\n\ndef {name}({', '.join(params)}):\n    hg.tensor.{name}({call})\n"
    return hg.kernel_from_source(text)


@pytest.mark.parametrize(("name", "ty"), _EVERY)
def test_a_call_is_the_instruction(name: str, ty: str) -> None:
    """Arguments by place as far as there are no gaps, types by the annotations."""
    case = _case(name, ty)
    types = {array: type_in(name, array, ty) for array in case.arrays}
    instruction = _instruction(name, ty, case, types)
    given, words, by_place = _given(instruction), list[str](), True
    for operand in instruction.row.operands:
        if operand.kind == "type":
            continue
        by_place &= operand.name in given
        if operand.name in given:
            value = given[operand.name]
            word = operand.name if value is None else repr(value)
            words.append(word if by_place else f"{operand.name}={word}")
    kernel = _kernel(name, types, {}, ", ".join(words))
    (called,) = kernel.program.instructions
    assert called.replace(ty=instruction.ty) == instruction
    assert called.ty is instruction.ty


@pytest.mark.parametrize("device", ["cpu", "wasm"], indirect=True)
@pytest.mark.parametrize("name", [row.mnemonic for row in COLLECTIVE_ROWS])
def test_each_with_scalars_at_offsets(name: str, device: Any) -> None:
    """Sizes, factors and where arrays begin are scalars of the kernel: the bits are those of the instruction."""
    row = BY_MNEMONIC[name]
    for ty in [ty for ty in ("f32", "f16", "i32", "i8") if ty in types_of(name)][:2]:
        case = _case(name, ty)
        types = {array: type_in(name, array, ty) for array in case.arrays}
        given = _given(_instruction(name, ty, case, types))
        numbers = {
            operand.name: ("u32" if operand.kind == "size" else "f32", given[operand.name])
            for operand in row.operands
            if operand.kind in ("size", "scalar") and operand.name in given
        }
        words = [
            f"{word}={word}[skip:]"
            if value is None
            else f"{word}=by_{word}"
            if word in numbers
            else f"{word}={value!r}"
            for word, value in given.items()
        ]
        scalars = {f"by_{word}": of for word, (of, _) in numbers.items()} | {"skip": "u32"}
        kernel = _kernel(name, types, scalars, ", ".join(words))
        values = {f"by_{word}": value for word, (_, value) in numbers.items()} | {"skip": 2}
        found = executed(device, kernel.program, types, case.arrays, before=2, **values)
        for array, wanted in run(device, name, ty, case).items():
            if name == "fft":  # of a length that is known there are other ways: within 8 roundings of the row
                far = 8 * UNIT[ty] * np.abs(wanted[:-3]).max()
                np.testing.assert_allclose(found[array][2:], wanted, rtol=0, atol=far)
            else:
                assert found[array][2:].tobytes() == wanted.tobytes(), (ty, array)
            assert found[array][:2].tolist() == [0, 1]


# What stands between work of lanes


def _normalised(y: hg.Array[hg.f32, 2], rows: hg.i32) -> None:
    hg.tensor.softmax(y, y, rows, y.shape[1])


@hg.kernel
def _between(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2], bias: hg.Array[hg.f32], rounds: hg.i32, wide: hg.i32):
    """Lanes, a loop and a condition that the host goes through, numbers that it computes, what all lanes are told."""
    row, column = hg.global_id(1), hg.global_id(0)
    if row < len(y) and column < y.shape[1]:
        y[row, column] = x[row, column] + bias[column]
    half = len(y) // 2
    for step in range(rounds):
        if wide > 4:
            _normalised(y, half + step % 2)
        else:
            hg.tensor.fill(y[step], y.shape[1], step)
        hg.tensor.copy(y[half:], y, y.shape[1])
    total = hg.tensor.parallel_reduce("sum", src_array=bias, count=wide)
    row, column = hg.global_id(1), hg.global_id(0)
    if row < len(y) and column < y.shape[1]:
        y[row, column] += total


def _wanted(x: Any, bias: Any, rounds: int, wide: int) -> Any:
    y = x + bias
    for step in range(rounds):
        if wide > 4:
            rows = np.exp(y[: 2 + step % 2] - y[: 2 + step % 2].max(1, keepdims=True))
            y[: 2 + step % 2] = rows / rows.sum(1, keepdims=True)
        else:
            y[step] = step
        y[2] = y[0]
    return y + bias[:wide].sum()


def test_between_the_work_of_lanes(device: Any) -> None:
    source = np.random.default_rng(4)
    x, bias = source.random((5, 6), np.float32), source.random(6, np.float32)
    for rounds, wide in ((0, 6), (1, 6), (3, 6), (2, 3)):
        y = np.zeros_like(x)
        _between.on(device)[(6, 5), (8, 8)](x, y, bias, rounds, wide)
        np.testing.assert_allclose(y, _wanted(x, bias, rounds, wide), rtol=2e-6)


def test_from_a_file_and_in_a_plan() -> None:
    x, bias = np.arange(30, dtype=np.float32).reshape(5, 6) / 8, np.ones(6, np.float32)
    made = hg.compile(_between, lanes=(6, 5), block=(8, 8))
    loaded = hg.load(made.to_bytes())
    found = loaded.run(hg.backends.WasmBackend(), x=x, y=np.zeros_like(x), bias=bias, rounds=3, wide=6)
    np.testing.assert_allclose(found.reshape(5, 6), _wanted(x, bias, 3, 6), rtol=2e-6)


def test_who_has_collectives_alone_needs_no_lanes() -> None:
    @hg.kernel
    def product(a: hg.Array[hg.f16, 2], b: hg.Array[hg.f16, 2], c: hg.Array[hg.f16, 2], bias: hg.Array[hg.f16]):
        hg.tensor.gemm(c, a, b, len(a), b.shape[1], len(b), bias=bias, activation="relu")

    source = np.random.default_rng(5)
    a, b = (source.integers(-4, 4, shape).astype(np.float16) for shape in ((3, 5), (5, 7)))
    c, bias = np.zeros((3, 7), np.float16), np.arange(7, dtype=np.float16) - 3
    product(a, b, c, bias)
    assert (c == np.maximum(a @ b + bias, 0)).all()
    assert (hg.compile(product).run(hg.backends.WasmBackend(), a=a, b=b, c=0 * c, bias=bias) == c).all()
    access = [str(param.access and param.access.value) for param in product.program.params]
    assert access[:4] == ["read", "read", "write", "read"]


def test_what_is_added_to_is_read() -> None:
    @hg.kernel
    def more(a: hg.Array[hg.i64], c: hg.Array[hg.i64], beta: hg.i64):
        hg.tensor.gemm(c, a, a, 2, 2, 2, alpha=1 << 53, beta=beta)
        hg.tensor.fill(a, 1, (1 << 53) + 1)

    a, c = np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8])
    more(a, c, 3)
    assert c.tolist() == ((np.array([7, 10, 15, 22]) << 53) + [15, 18, 21, 24]).tolist()
    assert a[0] == (1 << 53) + 1
    assert ".param c: buffer i64 read_write\n" in more.program.to_text()
    arrays = ", ".join(f"{name}: hg.Array[hg.f32]" for name in "xgy")
    text = f"def k({arrays}):\n    hg.tensor.layer_norm(y, x, g, g, 1, 4)\n"
    assert ".param y: buffer f32 write\n" in hg.kernel_from_source(text).program.to_text()  # where beta is an array


def test_types_and_options_may_be_constants() -> None:
    text = """
from hologram_web import Array, Constant, tensor, u32

def turned(x: Array[T], y: Array[T], shape: Constant[tuple], down: Constant[bool], n: u32):
    tensor.transpose(y, x, shape, permutation=(1, 0))
    tensor.sort(y, y, 1, n, descending=down)
"""
    turned = hg.kernel_from_source("from typing import TypeVar\nT = TypeVar('T')\n" + text)
    for dtype in (np.float32, np.int16, np.uint8):
        x = np.array([3, 1, 2, 6, 5, 4], dtype)
        for down, wanted in ((True, [6, 3, 2, 5, 1, 4]), (False, [2, 3, 6, 5, 1, 4])):
            y = np.zeros_like(x)
            turned(x, y, (2, 3), down, 3)
            assert y.tolist() == [sorted([3, 6, 1], reverse=down), [5, 2, 4]][0] + [5, 2, 4], wanted


def test_where_arrays_begin_is_looked_at() -> None:
    @hg.kernel
    def part(x: hg.Array[hg.i32, 3], y: hg.Array[hg.i32], row: hg.i32, first: hg.i32, count: hg.i32):
        hg.tensor.copy(y, x[1, row, first:], count)

    x, y = np.arange(24, dtype=np.int32).reshape(2, 3, 4), np.zeros(6, np.int32)
    part[1](x, y, 1, 2, 6)
    assert y.tolist() == [18, 19, 20, 21, 22, 23]
    for given, kind in (((2, 0, 5), "OutOfBounds"), ((3, 0, 0), "OutOfBounds"), ((-1, 0, 1), "OutOfBounds")):
        with pytest.raises(hg.ExecutionError, match=kind):
            part[1](x, y, *given)


@pytest.mark.parametrize("ty", [hg.i32, hg.u32, hg.i64, hg.u64])
def test_where_arrays_begin_does_not_wrap(ty: Any, device: Any) -> None:
    """Of places in 32 bits row 2^30 of four columns is row 0, and so is what begins at 2^32."""
    text = f"""
import hologram_web as hg

def row(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32], k: hg.{ty}):
    hg.tensor.copy(y, x[k], 2)

def rest(x: hg.Array[hg.i32, 2], y: hg.Array[hg.i32], k: hg.{ty}):
    hg.tensor.copy(y, x[k:], 2)

def end(x: hg.Array[hg.i32], y: hg.Array[hg.i32], k: hg.{ty}):
    hg.tensor.copy(y, x[k:], 2)

def lane(x: hg.Array[hg.i32], y: hg.Array[hg.i32], k: hg.{ty}):
    part = x[k:]
    i = hg.global_id(0)
    y[i] = part[i]
"""
    x, y = np.arange(24, dtype=np.int32), np.zeros(2, np.int32)
    outside = [k for k in (6, 1 << 30, -1 << 30, (1 << 32) - 3, 1 << 32, -1 << 32) if ty.min_value <= k <= ty.max_value]
    for name in ("row", "rest", "end", "lane"):
        kernel, of = hg.kernel_from_source(text, name=name), x.reshape(6, 4) if name in ("row", "rest") else x
        kernel.on(device)[2 if name == "lane" else 1](of, y, 3)
        assert y.tolist() == ([12, 13] if of is not x else [3, 4])
        for k in outside if of is not x else [24, *outside[1:]]:
            with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
                kernel.on(device)[2 if name == "lane" else 1](of, y, k)


def test_what_editors_show() -> None:
    assert len(dir(hg.tensor)) == len(COLLECTIVE_ROWS)
    function = hg.tensor.rms_norm
    assert (repr(function), function.__doc__) == (
        "hg.tensor.rms_norm",
        "Divides each row by its root mean square, then scales.",
    )
    assert str(signature(function)) == "(output, input, gamma, rows, n, eps=1e-05)"
    with pytest.raises(hg.TranslateError, match=r"hg\.tensor\.rms_norm belongs into a kernel"):
        getattr(hg.tensor, "rms_norm")(1)  # noqa: B009  # wrong to checkers, too
    with pytest.raises(AttributeError, match="has no 'dct'"):
        getattr(hg.tensor, "dct")  # noqa: B009


def test_what_type_checkers_read_is_made_from_the_table() -> None:
    made = "python -m hologram_web_tools.stubs > hologram_web/tensor/__init__.pyi"
    assert (Path(hg.__file__).parent / "tensor" / "__init__.pyi").read_text("utf-8") == stub(), made


def test_the_forms_in_the_documentation() -> None:
    text = (Path(__file__).parents[1] / "docs" / "kernel_reference.md").read_text("utf-8")
    forms = "".join(f"hg.tensor.{row.mnemonic}({form_of(row)})\n" for row in COLLECTIVE_ROWS)
    assert f"```text\n{forms}```\n" in text
