"""Kernel JSON: what is written, what it does, and the whole text of every error."""

from __future__ import annotations

import copy
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import stdlib
from hologram_web.frontends.python import ArrayType
from hologram_web.kernel_json import JsonToIsa, compile, compile_all, from_python, validate
from hologram_web_tools.kernel_json.tables import FUNCTIONS

from .wrong import PYTHON, SCHEMAS, kernel, number, store

CASES = json.loads(Path(__file__).with_name("cases.json").read_text())


def exactly(a: Any, b: Any) -> bool:
    """Whether two values are the same JSON: 1, 1.0 and true are three."""
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["note"])
def test_cases(case: Any, device: Any) -> None:
    assert exactly(from_python(case["python"]), case["json"])
    made = compile(json.dumps(case["json"]))
    types = {name: ty.ty for name, ty in made.params.items() if isinstance(ty, hg.ArrayType)}
    args = {
        name: np.array(value, types[name].numpy) if name in types else value for name, value in case["inputs"].items()
    }
    made.on(device)[case["lanes"]](**args)
    for name, wanted in case["expected"].items():
        assert np.allclose(args[name], wanted, rtol=1e-6, atol=0), name


def _renamed(schema: Any, name: str) -> Any:
    return {**schema, "kernel": {**schema["kernel"], "name": name}}


@pytest.mark.parametrize("name", [name for name in stdlib.NAMES if name not in stdlib.CALLS])
def test_the_standard_library_round_trips(name: str) -> None:
    """Python, JSON and back give the program that the Python frontend gives, and the name of a kernel means nothing."""
    direct = stdlib.kernel(name)
    written = from_python(stdlib.source(name))
    found = compile(json.loads(json.dumps(written)), direct.name)
    assert found.program.to_bytes() == direct.program.to_bytes()
    (schema,) = (
        one for one in (written if isinstance(written, list) else [written]) if one["kernel"]["name"] == direct.name
    )
    for other in ("gelu", "vector_add", "relu", "reduce_sum"):
        program = compile(_renamed(schema, other)).program
        assert program.metadata.name == other
        program.metadata = direct.program.metadata
        assert program.to_bytes() == direct.program.to_bytes()


def test_validate_takes_what_compile_takes() -> None:
    for case in CASES:
        validate(case["json"])
    validate([_renamed(case["json"], f"k{number}") for number, case in enumerate(CASES)])


@pytest.mark.parametrize(("schema", "pointer", "message"), SCHEMAS, ids=[text for _, _, text in SCHEMAS])
def test_errors_of_json(schema: Any, pointer: str, message: str) -> None:
    before = copy.deepcopy(schema)
    with pytest.raises(hg.TranslateError) as raised:
        compile(schema, file="page.json")
    assert str(raised.value) == f"page.json#{pointer}: {message}"
    assert raised.value.file == f"page.json#{pointer}"
    assert schema == before or schema != schema


def test_errors_of_json_text() -> None:
    for text, message in (
        ('{"version": }', "kernel.json:1:13: this is no JSON: Expecting value"),
        ("[" * 100_000, "kernel.json: this is no JSON that can be read: maximum recursion depth exceeded"),
        ('{"version": "1.0", "version": "1.1", "kernel": {}}', "kernel.json#: the field 'version' is there twice"),
        (b"\xff", "kernel.json: this is no JSON that can be read: 'utf-8' codec can't decode byte 0xff in position 0"),
    ):
        with pytest.raises(hg.TranslateError) as raised:
            compile(text)
        assert str(raised.value).startswith(message)
    deep: Any = number(1)
    for _ in range(20_000):
        deep = {"type": "unary_op", "op": "neg", "operand": deep}
    with pytest.raises(hg.TranslateError, match=r"^kernel\.json#/kernel: the kernel is nested too deeply"):
        compile(kernel(store(deep)))


@pytest.mark.parametrize(("text", "message"), PYTHON, ids=[message for _, message in PYTHON])
def test_errors_of_python(text: str, message: str) -> None:
    before, _, after = text.replace("HEAD", "def k(x: DeviceArray[f32], n: u32):").partition("$")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    with pytest.raises(hg.TranslateError) as raised:
        from_python(before + after, "page.py")
    error = raised.value
    if not message.startswith("this is no Python"):
        assert (error.file, error.line, error.column) == ("page.py", line, column)
    assert str(error).startswith(f"page.py:{error.line}:{error.column}: {message}")
    assert message.endswith(": ") or str(error).split("\n")[0].endswith(message)


def test_python_without_kernels_or_too_large() -> None:
    for text, message in (
        ("from atlas_kernel import f32\n", "page.py: the text has no kernel: write a function"),
        ("\0", "page.py"),
        ("x = " + "(" * 5000, "page.py"),
        ("def k(n: u32):\n    y = " + "-" * 50_000 + "n\n", "page.py: the text is nested too deeply"),
    ):
        with pytest.raises(hg.TranslateError) as raised:
            from_python(text, "page.py")
        assert str(raised.value).startswith(message)
    lines = "".join(f"@inline\ndef f{n}(x: f32):\n    return f{n - 1}(x) * f{n - 1}(x)\n" for n in range(1, 40))
    with pytest.raises(hg.TranslateError, match="more than 100000 parts, with what is inlined"):
        from_python(
            f"@inline\ndef f0(x: f32):\n    return x * x\n{lines}def k(y: DeviceArray[f32]):\n    y[0] = f39(2.0)"
        )
    nested = "x"
    for _ in range(60):
        nested = f"f({nested})"
    text = f"@inline\ndef f(x: f32):\n    return x * x\ndef k(y: DeviceArray[f32], x: f32):\n    y[0] = {nested}"
    with pytest.raises(hg.TranslateError, match="more than 100000 parts, with what is inlined"):
        from_python(text)


def test_several_kernels_keep_their_order() -> None:
    written = from_python("def b(n: u32):\n    pass\n@atlas_kernel\ndef a(n: u32):\n    '''Nothing.'''\n")
    assert isinstance(written, list)
    assert list(compile_all(written)) == ["b", "a"]
    assert written[1] == {
        "version": "1.0",
        "kernel": {"name": "a", "params": [{"name": "n", "type": {"kind": "scalar", "type": "u32"}}], "body": []},
    }
    assert compile(written, "a").name == "a"
    assert JsonToIsa().translate(written[0]).metadata.name == "b"
    with pytest.raises(hg.TranslateError, match=r"^kernel\.json#: there is no 'c': the kernels are b, a$"):
        compile(written, "c")


def test_types_of_version_1_1(device: Any) -> None:
    written = from_python(
        "def k(x: DeviceArray[f16], y: DeviceArray[u128], w: u128):\n    x[0] = x[1] + f16(0.5)\n    y[0] = y[1] + w\n"
    )
    assert isinstance(written, dict)
    assert written["version"] == "1.1"
    made = compile(written)
    assert made.params == {"x": ArrayType(hg.f16), "y": ArrayType(hg.u128), "w": hg.u128}
    x, y = np.array([0, 2], np.float16), np.arange(4, dtype=np.uint64).view(hg.u128.numpy)
    made.on(device)[1](x, y, 2**64 + 7)
    assert x.tolist() == [2.5, 2.0]
    assert y.view(np.uint64).tolist() == [9, 4, 2, 3]
    with pytest.raises(hg.TranslateError, match=r"'f16' is no scalar type of version '1\.0'"):
        compile({**written, "version": "1.0"})


def test_bools_and_sizes(device: Any) -> None:
    text = """
def k(flags: DeviceArray[bool], both: DeviceArray[bool], sizes: DeviceArray[usize], some: bool, n: usize):
    i = get_global_id()
    if i < n:
        both[i] = flags[i] and some
        if not flags[i]:
            sizes[i] = n
"""
    made = compile(json.dumps(from_python(text)))
    flags, both, sizes = np.array([1, 0, 255, 1], np.uint8), np.full(4, 9, np.uint8), np.zeros(4, np.uint64)
    made.on(device)[4](flags, both, sizes, 1, 3)
    assert both.tolist() == [1, 0, 1, 9]
    assert sizes.tolist() == [0, 3, 0, 0]
    made.on(device)[4](flags, both, sizes, 0, 3)
    assert both.tolist() == [0, 0, 0, 9]


def test_atomics_casts_and_functions(device: Any) -> None:
    text = """
def k(x: DeviceArray[f32], bins: DeviceArray[u32], total: DeviceArray[i32], y: DeviceArray[f32], n: u32):
    i = get_global_id()
    if 0 <= i < n and n > 0:
        atomic_add_f32(y, sqrtf(x[i]))
        atomic_add_u32(bins, 1)
        atomic_add_i32(total, int(x[i]) % 2)
        old = atomic_add(bins, 1, 2)
        atomic_min(total, 1, i32(i) - 5)
        y[1 + i] = pow(float(i), 2) + max(x[i], 2.5) // 2 if i != 2 else -x[i] ** 0.5
"""
    x, bins, total = np.array([1, 4, 9], np.float32), np.zeros(2, np.uint32), np.zeros(2, np.int32)
    y = np.zeros(4, np.float32)
    compile(from_python(text)).on(device)[5](x, bins, total, y, 3)
    assert y.tolist() == [6.0, 0 + 1.0, 1 + 2.0, -3.0]
    assert bins.tolist() == [3, 6]
    assert total.tolist() == [2, -5]


def test_what_a_launch_does_once(device: Any) -> None:
    """The count may be computed; lanes work before, between and behind."""
    text = """
def k(x: DeviceArray[f32], y: DeviceArray[f32], m: u32, n: u32):
    i = get_global_id()
    x[i] = x[i] + 1.0
    parallel_map_unary(x, y, "reciprocal", m * n)
    parallel_map_binary(x, y, x, "mul", m * n)
    i = get_global_id()
    y[i] = y[i] + x[i]
    parallel_reduce(y, y, "max", 2)
"""
    x, y = np.array([0, 1, 3, 7], np.float32), np.zeros(4, np.float32)
    compile(from_python(text)).on(device)[4](x, y, 2, 2)
    assert x.tolist() == [1.0] * 4
    assert y.tolist() == [2.0, 1.5, 1.25, 1.125]


def test_no_warnings_and_lines(device: Any) -> None:
    """Signs are not warned of, errors of a launch name the line, explain() shows the lines."""
    text = "def k(x: DeviceArray[i32], n: u32):\n    i = get_global_id()\n    if i < n:\n        x[i + n] = 1\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = compile(from_python(text), file="page.json")
    with pytest.raises(hg.ExecutionError) as raised:
        made.on(device)[4](np.zeros(4, np.int32), 4)
    assert raised.value.__notes__ == ["page.json:4: x[i + n] = 1"]
    assert "    3 | if i < n:" in made.explain()


def test_functions_that_are_listed_are_there() -> None:
    page = (Path(__file__).parents[2] / "docs" / "kernel_json.md").read_text()
    for name, function in FUNCTIONS.items():
        assert f"`{name}" in page or isinstance(function, hg.Type), name
