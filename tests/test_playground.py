"""What the playground's Python makes of texts: its programs, and what is wrong with others, each at its place."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hologram_web.plan.reader import read
from playground import inside
from playground.__main__ import build
from playground.programs import programs

PROGRAMS = {program["name"]: program for program in programs()}
KERNEL = """\
import hologram_web as hg

@hg.kernel
def half(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    y[hg.global_id()] = x[hg.global_id()] / 2

program = hg.compile(half, lanes="n", shapes={"x": ("n",), "y": ("n",)})
"""


def compiled(text: str) -> dict[str, Any]:
    return asyncio.run(inside.compiled(text))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_to_begin_with_compiles(name: str) -> None:
    program = PROGRAMS[name]
    assert program["title"]
    assert program["summary"].endswith(".")
    for word in ("TITLE", "numpy", "np.", "mypy"):
        assert word not in program["text"]
    assert "\n\n\n\n" not in program["text"]
    found = compiled(program["text"])
    assert found["problem"] is None
    if "\nprogram = " in program["text"]:
        assert found["units"][0] == "program"
        ports = {port.name for port in read(found["file"]).plan.ports}
        assert {one["name"] for one in found["inputs"]} <= ports
    for unit in found["units"]:
        assert all(inside.view(unit, kind) for kind in ("isa", "wgsl", "wat"))


@pytest.mark.parametrize(
    ("ty", "x", "shape", "data"),
    [
        ("f32", "[2, 4]", [2], b"\0\0\0@\0\0\x80@"),
        ("f32", "hg.Executor('wasm').array([2, 4], hg.f32)", [2], b"\0\0\0@\0\0\x80@"),
        ("f32", "array('f', [2])", [1], b"\0\0\0@"),
        ("f32", "[]", [0], b""),
        ("u128", "[1]", [1], b"\1" + bytes(15)),
        ("complex64", "[2j]", [1, 2], bytes(6) + b"\0@"),
        ("u8", "(3,)", [3], None),
    ],
)
def test_inputs_are_elements_or_zeros(ty: str, x: str, shape: list[int], data: bytes | None) -> None:
    text = KERNEL.replace("f32", ty).replace(" / 2", " * 1" if ty != "complex64" else "")
    found = compiled(f"{text}from array import array\ninputs = lambda: {{'x': {x}}}\nprint('here')")
    assert found["problem"] is None
    assert found["printed"] == "here\n"
    ((one,), stored) = found["inputs"], "f32" if ty == "complex64" else ty
    assert one == {"name": "x", "type": stored, "shape": shape, "bytes": data, "value": None}


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("x = (\n", "SyntaxError: '(' was never closed", (1, 5, None, None)),
        ("y = 1\nx = y + zed\n", "NameError: name 'zed' is not defined", (2, 9, 2, 12)),
        (KERNEL.replace("/ 2", "/ zed"), "the name zed is not known: ", (5, 45, None, None)),
        (
            KERNEL + "inputs = {}",
            "ValueError: inputs has no 'x': the program takes x: f32[n] read, y: f32[n] write",
            None,
        ),
        (KERNEL + "inputs = {'x': [1], 'z': 1}", "ValueError: inputs has 'z', which the program does not take: ", None),
        (KERNEL + "inputs = [1]", "TypeError: inputs is a list; a dict is expected", None),
        ("program = 3", "TypeError: program is a int; what hg.compile or a function's compile gives is expected", None),
        ("raise SystemExit(3)", "SystemExit: 3", None),
    ],
)
def test_what_is_wrong_is_told_at_its_place(text: str, message: str, place: tuple[int | None, ...] | None) -> None:
    found = compiled(text)
    assert found["problem"]["message"].startswith(message), found["problem"]
    told = found["problem"]["place"]
    assert (None if told is None else tuple(told.values())) == place
    assert found["file"] is None


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(FileExistsError, match="is not empty, and no playground"):
        build(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_is_printed_is_bounded() -> None:
    found = compiled("for _ in range(10_000):\n    print('a' * 100)\n")
    assert inside.MOST <= len(found["printed"]) <= inside.MOST + 200


def test_what_has_no_code_says_so() -> None:
    compiled(
        "from typing import TypeVar\nimport hologram_web as hg\nT = TypeVar('T', hg.f32, hg.u8)\n"
        "@hg.kernel\ndef same(x: hg.Array[T]):\n    x[0] = x[1]\n"
    )
    assert "take same.specialize(T=hg.f32)" in inside.view("same", "wgsl")
    assert inside.view("nobody", "isa") == ""
