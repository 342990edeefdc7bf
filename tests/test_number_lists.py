"""Lists of numbers of collectives that no place of an element holds: errors that name them, alike on every device; and
large ones that are right."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.errors import CompileError, ExecutionError

DEVICES = ("cpu", "wasm", "webgpu")
FAR, MOST = 2**31, 2**31 - 1
_POOL = "max_pool2d.f32 [y], [x], 1, 1, 3, 4, 2, 2"
_CONV = ".f32 [y], [x], [w], 1, 1, 1, 3, 4, 2, 2"


def run(device: str, text: str, size: int = 12) -> Any:
    """The first 12 elements of y behind an instruction, which were -1."""
    params = [f".param {name}: buffer f32 {access}" for name, access in (("y", "write"), ("x", "read"), ("w", "read"))]
    program = hg.Program.from_text("\n".join([*(line for line in params if f"[{line[7]}]" in text), f"    {text}"]))
    with hg.Executor(device) as ex:
        given = {"y": np.full(12, -1, "f4"), "x": np.arange(size, dtype="f4"), "w": np.ones(4, "f4")}
        held = {param.name: ex.array(given[param.name]) for param in program.params}
        handles = {name: each.handle for name, each in held.items()}
        ex.device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), handles))
        return held["y"].numpy()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            f"{_POOL}, stride=({FAR}, 1)",
            r"MaxPool2D: stride is \(2147483648, 1\), and each has to be at most 2,147",
        ),
        (f"{_POOL}, padding=(0, 0, {FAR}, 0)", r"MaxPool2D: padding is \(0, 0, 2147483648, 0\), and each has to be at"),
        (f"{_POOL}, dilation=(1, {2**40})", r"MaxPool2D: dilation is \(1, 1099511627776\), and each has to be at most"),
        (f"conv2d{_CONV}, stride=(1, {FAR})", r"Conv2D: stride is \(1, 2147483648\), and each has to be at most 2,147"),
        (
            f"conv_transpose2d{_CONV}, output_padding=({FAR}, 0)",
            r"ConvTranspose2D: output_padding is \(21474",
        ),
        (
            f"transpose.f32 [y], [x], ({FAR}, 3), (1, 0)",
            r"the shape \(2147483648, 3\) has more elements than the",
        ),
        (
            f"transpose.f32 [y], [x], ({2**16}, {2**16}), (1, 0)",
            r"the shape \(65536, 65536\) has more elements",
        ),
        ("transpose.f32 [y], [x], (-1, 3), (1, 0)", r"the shape \(-1, 3\) has a negative length"),
        (f"slice.f32 [y], [x], (3, {FAR}), (0, 0), (1, 1), (1, 1)", r"the shape \(3, 2147483648\) has more elements"),
        (f"pad.f32 [y], [x], (3, 4), (0, {FAR}), (0, 0)", r"Pad: with its pads the shape \(3, 2147483652\) has more"),
        (f"tensor_contract.f32 [y], [x], [w], (3, {FAR}), (4, 3), (0:1)", r"a's shape \(3, 2147483648\) has more elem"),
    ],
)
def test_numbers_that_no_place_holds(device: str, text: str, told: str) -> None:
    with pytest.raises(CompileError, match=told):
        run(device, text)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"{_POOL}, stride=({MOST}, {MOST})", [5]),
        (f"{_POOL}, stride=(1, {MOST}), padding=(0, 1, 0, 0)", [4, 8]),
        (f"{_POOL}, dilation=({MOST}, 1)", []),
        (f"conv2d{_CONV}, stride=({MOST}, {MOST})", [10]),
        (f"slice.f32 [y], [x], (3, 4), (1, 0), (9, 4), ({2**40}, 2)", [4, 6]),
        (f"slice.f32 [y], [x], (3, 4), (1, 3), ({-FAR}, {-FAR}), ({-FAR}, -3)", [7, 4]),
        ("group_norm.f32 [y], [x], [w], [w], 0, 4, 2, 3", []),
    ],
)
def test_numbers_that_are_large(device: str, text: str, wanted: list[float]) -> None:
    np.testing.assert_array_equal(run(device, text), wanted + [-1] * (12 - len(wanted)))


@pytest.mark.parametrize("device", DEVICES)
def test_what_a_shape_says_is_looked_for(device: str) -> None:
    with pytest.raises(ExecutionError, match="OutOfBounds at instruction 0"):
        run(device, "transpose.f32 [y], [x], (1, 12), (1, 0)", 11)
