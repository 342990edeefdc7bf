"""print in kernels: the same lines on every device, in the order of lanes."""

from __future__ import annotations

import struct
import subprocess
import sys

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.isa.logs import Print, new_log, show

# mypy: ignore-errors


def _kernel(body, head="x: hg.Array[hg.f32]"):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return hg.kernel_from_source(f"TAPS = (1, 2)\nNAME = 'abc'\ndef k({head}):\n    i = hg.global_id()\n{lines}")


# fmt: off
PRINTS = [
    ("print(i, x[i])", "0 0.1\n1 -2.0\n2 inf\n"),
    ("print('lane', i, sep=':', end=';')", "lane:0;lane:1;lane:2;"),
    ("print()", "\n\n\n"),
    ("print(f'{i:>3}|{x[i]:+.2f}|{i!r}|{{}}')", "  0|+0.10|0|{}\n  1|-2.00|1|{}\n  2|+inf|2|{}\n"),
    ("if i == 1:\n    print(i == 1, i > 5, not i, True, 7, 0.5, TAPS, NAME, NAME[1], len(x))",
     "True False False True 7 0.5 (1, 2) abc b 3\n"),
    ("if i == 0:\n    print(hg.u8(300 + i), hg.i8(-i - 3), hg.u16(i - 1), hg.i64(i) - 2**40, hg.u64(i) - 1)",
     "44 -3 65535 -1099511627776 18446744073709551615\n"),
    ("if i == 0:\n    print(hg.f16(x[i]), hg.bf16(x[i]), hg.f64(0.1) + i, hg.f64(x[i]))",
     "0.1 0.1 0.1 0.10000000149011612\n"),
    ("for j in range(2):\n    print(i, j)", "0 0\n0 1\n1 0\n1 1\n2 0\n2 1\n"),
    ("v = i\nprint(v, (v, x[i] > 0))\nv += 10\nprint(v)",
     "0 (0, True)\n10\n1 (1, False)\n11\n2 (2, True)\n12\n"),
]
# fmt: on


@pytest.mark.parametrize(("body", "lines"), PRINTS)
def test_lines(device, capsys, body, lines):
    _kernel(body).on(device)[3](np.array([0.1, -2, np.inf], "f4"))
    assert capsys.readouterr().out == lines


def test_lanes_of_blocks_come_in_order(device, capsys):
    kernel = _kernel("if hg.global_id(1) % 3 == 0:\n    print(hg.global_id(1), i)")
    kernel.on(device)[(20, 8), (4, 2)](np.zeros(1, "f4"))
    found = [tuple(map(int, line.split())) for line in capsys.readouterr().out.splitlines()]
    lanes = [
        (y, x)
        for block in range(20)
        for y in range(block // 5 * 2, block // 5 * 2 + 2)
        for x in range(block % 5 * 4, block % 5 * 4 + 4)
    ]
    assert found == [lane for lane in lanes if lane[0] % 3 == 0]


def test_what_has_no_room_is_counted(device, capsys):
    _kernel("print(i)").on(device)[30_000](np.zeros(1, "f4"))
    *lines, last = capsys.readouterr().out.splitlines()
    assert len(lines) == 65_534 // 3
    assert len(set(lines)) == len(lines)
    assert last == f"({30_000 - len(lines)} more prints did not fit into the log of 65536 words)"


def test_lines_before_a_fault(capsys):
    """On devices that end at a fault: those of the lanes before it."""
    kernel = _kernel("print(i)\nif i == 2:\n    x[i + 1000] = 1.0")
    for name in ("cpu", "wasm"):
        with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
            kernel.on(name)[3](np.zeros(3, "f4"))
        assert capsys.readouterr().out == "0\n1\n2\n"


@pytest.mark.filterwarnings("ignore::hologram_web.WrapWarning")
def test_with_buffers_types_constants_and_checks(capsys):
    kernel = hg.kernel_from_source(
        "from typing import TypeVar\nT = TypeVar('T')\n"
        "def k(x: hg.Array[T], N: hg.Constant[int] = 2):\n    i = hg.global_id()\n    print(x[i] * N)\n    x[i] += 1\n"
    )
    with hg.Executor("wasm") as ex:
        x = ex.array(np.arange(3, dtype="i2"))
        kernel[3](x)
        kernel[3](x, N=10)
    kernel[2](np.array([0.5, 1.5]))
    kernel.check[2](np.array([5, 6], "u1"), N=1)
    assert capsys.readouterr().out.split() == ["0", "2", "4", "10", "20", "30", "1.0", "3.0", "5", "6"]


def test_no_print_no_log():
    assert [str(param) for param in _kernel("x[i] = 1.0").program.params] == ["x: buffer f32 write"]
    assert [param.name for param in _kernel("print(i)\nx[i] = len(x)").program.params] == ["x", "print.log", "x.shape0"]


@pytest.mark.parametrize(("body", "lines"), PRINTS)
def test_lines_of_files(ex, capsys, body, lines):
    file = hg.compile(_kernel(body), lanes=3).to_bytes()
    hg.load(file).run(ex, np.array([0.1, -2, np.inf], "f4"))
    assert capsys.readouterr().out == lines


def test_plans_print_launch_after_launch(ex, capsys):
    """Rounds of one launch are lane after lane, as those of a loop in it are. A second run prints its own alone."""
    plan = hg.PlanBuilder("twice")
    plan.launch(_kernel("print('first', i)\nx[i] += 1"), 2)
    with plan.repeat(2):
        plan.launch(_kernel("print('more', i, x[i])\nx[i] += 1"), 2)
    plan.launch(_kernel("print('first', i)\nx[i] += 1"), 1)
    compiled = hg.CompiledProgram.from_builder(plan)
    assert [port.name for port in compiled.ports] == ["x"]
    expected = ["first 0", "first 1", "more 0 {1}", "more 0 {2}", "more 1 {1}", "more 1 {2}", "first 0"]
    x = ex.zeros(2, hg.f32)
    for start in (0.0, 4.0, 0.0):
        x.from_numpy(np.full(2, start, "f4"))
        compiled.run(ex, x)
        lines = [line.replace("{1}", str(start + 1)).replace("{2}", str(start + 2)) for line in expected]
        assert capsys.readouterr().out.splitlines() == lines


def test_lines_of_a_plan_before_a_fault(capsys):
    compiled = hg.compile(_kernel("print(i)\nif i == 2:\n    x[i + 1000] = 1.0"), lanes=3)
    for name in ("cpu", "wasm"):
        with hg.Executor(name) as ex, pytest.raises(hg.ExecutionError, match="OutOfBounds"):
            compiled.run(ex, np.zeros(3, "f4"))
        assert capsys.readouterr().out == "0\n1\n2\n"


def test_kernels_of_arrays_print_when_they_are_computed(ex, capsys):
    x = ex.array(np.arange(3, dtype="f4"))
    kernel = _kernel("print(i)\ny[i] = x[i]", "x: hg.Array[hg.f32], y: hg.Array[hg.f32]")
    made = hg.call_kernel(kernel, {"y": (3,)}, x=x)
    assert capsys.readouterr().out == ""
    assert np.asarray(made).tolist() == [0, 1, 2]
    assert capsys.readouterr().out == "0\n1\n2\n"


def test_recordings_print_nothing():
    compiled = hg.compile(_kernel("print(i)"), lanes=3)
    with hg.Executor("wasm") as ex:
        x = ex.zeros(3, hg.f32)
        with pytest.raises(hg.LaunchError, match="a recording prints nothing: run k by itself"), ex.record():
            compiled.run(ex, x)


# fmt: off
DAMAGED = [
    "", "3", "[1]", "[" * 5000, '[["x",[[]]],["other",[]]]', '[["other",[]]]', '[["print.log",[[5]]]]',
    '[["print.log",[[["f128","",""]]]]]', '[["print.log",[[["f32",""]]]]]', '[["print.log",[[["f32","x",""]]]]]',
    '[["print.log",[[["f32","","q"]]]]]', '[["print.log",[[["f32","",">9999"]]]]]',
]
# fmt: on


@pytest.mark.parametrize("prints", DAMAGED)
def test_damaged_prints_of_files(prints):
    whole = hg.compile(_kernel("print(x[i])"), lanes=3)
    with hg.Executor("cpu") as ex, pytest.raises(hg.ArtifactError, match="damaged artifact: its prints"):
        hg.CompiledProgram(whole.plan, whole.programs, metadata={"prints": prints}).run(ex, np.zeros(3, "f4"))


def test_a_log_that_others_wrote_ends_there(capsys):
    log = new_log()
    log[:20] = struct.pack("<5I", 9, 0, 0, 1, 7)
    show(log, [Print(("x",))])
    assert capsys.readouterr().out == "x"


def test_to_standard_output(tmp_path):
    (tmp_path / "main.py").write_text(
        "import hologram_web as hg\n\n@hg.kernel\ndef hello(n: hg.i32):\n"
        "    print('hello from', hg.global_id(), 'of', n)\n\nhello[2](2)\n"
    )
    run = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout == "hello from 0 of 2\nhello from 1 of 2\n"


WRONG = [
    ("print(i, file=3)", "print takes sep and end here, texts that are known while translating"),
    ("print(i, sep=x)", "print takes sep and end here, texts that are known while translating"),
    ("print(f'{i:z}')", "print cannot show this so: "),
    ("print(f'{i:{i}}')", "how a value is shown is known while translating: f'{x:.3f}'"),
    ("print(hg.u128(i))", "print shows numbers of up to 64 bits, not u128: shift, and convert with hg.u64(x)"),
    ("print(x)", "x is an array: read an element of it, x[i]"),
    ("v = print(i)", "print returns nothing: call it in a line of its own"),
    ("print(*TAPS)", "* is not available here"),
]


@pytest.mark.parametrize(("body", "message"), WRONG)
def test_what_is_wrong_is_said(body, message):
    with pytest.raises(hg.TranslateError) as caught:
        _kernel(body)
    assert message in str(caught.value)
