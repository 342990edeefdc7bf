"""The standard library against NumPy on every device, and what there is of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hologram_web as hg
from hologram_web import stdlib
from hologram_web.isa.lift import lift
from hologram_web.isa.operands import Access
from hologram_web.isa.table import LANE_ROWS
from hologram_web.store.blake3 import blake3
from hologram_web_tools.build_stdlib import build
from hologram_web_tools.cli.commands import commands

from ..everywhere.stdlib_cases import BOUNDARIES, LOOPS, arguments, lanes
from .reference import problem

_LANES_AND_MAPS = {"Maps and reductions", *(row.group for row in LANE_ROWS)}
# All sizes on all devices: python -m tests.stdlib
SIZES = {"cpu": (0, 1, 33, 257), "wasm": tuple(n for n in BOUNDARIES if n <= 10_001), "webgpu": (0, 1, 257, 2049)}


def test_all_kernels_are_those_of_numpy(device: Any) -> None:
    found = [problem(name, size, device) for size in SIZES[device.name] for name in stdlib.NAMES]
    assert [text for text in found if text is not None] == []


def test_the_table() -> None:
    assert len(stdlib.NAMES) == len(set(stdlib.NAMES)) == 60
    for name in stdlib.NAMES:
        program = getattr(stdlib, name.upper())
        program.validate()
        assert program is stdlib.kernel(name).program
        loops = any(instruction.name == "LOOP" for instruction in program.instructions)
        assert loops is (name in LOOPS and name not in stdlib.CALLS) or name == "matrix_gemm", name
        tensor = any(instruction.row.group not in _LANES_AND_MAPS for instruction in program.instructions)
        assert tensor is (name in stdlib.CALLS and name != "vector_sum"), name
    signatures = {str(stdlib.kernel(name)) for name in stdlib.NAMES}
    assert "<Kernel exp(a: Array[f32], b: Array[f32], n: u32)>" in signatures
    assert {"VECTOR_ADD", "SOFTMAX"} <= set(dir(stdlib))
    with pytest.raises(AttributeError, match="has no attribute 'VECTOR_ROOT'"):
        _ = stdlib.VECTOR_ROOT
    with pytest.raises(KeyError, match=r"the standard library has no 'VECTOR_ADD': stdlib\.NAMES lists"):
        stdlib.kernel("VECTOR_ADD")


def test_products_of_primes(device: Any) -> None:
    """m, n and k are not mixed up."""
    source = np.random.default_rng(3)
    a, b = source.random((5, 3), np.float32), source.random((3, 7), np.float32)
    out = np.zeros((5, 7), np.float32)
    stdlib.kernel("matmul").on(device)[35](a.ravel(), b.ravel(), out.reshape(-1), 5, 7, 3)
    assert np.allclose(out, a @ b, rtol=1e-6)
    for flags in range(4):
        args = (a.T if flags & 1 else a).copy().ravel(), (b.T if flags & 2 else b).copy().ravel()
        c = source.random((5, 7), np.float32)
        stdlib.kernel("gemm").on(device)[35](
            *args, c.ravel(), out.reshape(-1), 5, 7, 3, 2.0, -0.5, flags & 1, flags >> 1
        )
        assert np.allclose(out, 2 * (a @ b) - 0.5 * c, rtol=1e-5, atol=1e-6)


def test_special_values(device: Any) -> None:
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0], np.float32)
    for name, wanted in (("relu", np.maximum(x, 0)), ("activation_relu", np.where(x > 0, x, 0))):
        y = np.ones(5, np.float32)
        stdlib.kernel(name).on(device)[5](x, y, 5)
        assert np.array_equal(y, wanted, equal_nan=True)
    y, top = np.ones(3, np.float32), np.zeros(1, np.float32)
    stdlib.kernel("softmax").on(device)[3](np.array([1e30, 1e30, -1e30], np.float32), top, y, 3)
    assert y.tolist() == [0.5, 0.5, 0.0]
    assert top.tolist() == [np.float32(1e30)]


def test_no_lane_is_lost_beside_an_odd_shape(device: Any) -> None:
    """What is left over at the edges, windows larger than the image, and empty slices."""
    x = np.arange(2 * 3 * 5, dtype=np.float32)
    y = np.zeros(2 * 1 * 2, np.float32)
    stdlib.kernel("averagepool").on(device)[4](x, y, 1, 2, 3, 5, 2)
    assert y.tolist() == [3.0, 5.0, 18.0, 20.0]
    y[:] = 7
    stdlib.kernel("conv").on(device)[4](x, x, y, 2, 2, 3, 1)
    stdlib.kernel("slice").on(device)[4](x, y, 9, 9)
    stdlib.kernel("slice").on(device)[4](x, y, 9, 2)
    assert y.tolist() == [7.0] * 4


def test_a_plan_gives_what_a_launch_gives() -> None:
    device = hg.backends.WasmBackend()
    for name in stdlib.NAMES:
        args, compiled = arguments(name, 100), stdlib.compiled(name)
        # What is only written need not be given.
        given = {port.name: args[port.name] for port in compiled.ports if port.access is not Access.WRITE}
        assert (given.keys() == args.keys()) is (name in ("vector_dot", "vector_sum"))
        found = compiled.run(device, **given)
        stdlib.kernel(name).on(device)[lanes(name, args)](**args)
        for key, value in (found if isinstance(found, dict) else {None: found}).items():
            written = key or next(p.name for p in stdlib.kernel(name).program.params if p.access and p.access.writes)
            assert value.tobytes() == args[written].tobytes(), (name, written)


def test_matrices_with_and_without_gaps(device: Any) -> None:
    """Without, it is the tensor library that multiplies."""
    source = np.random.default_rng(5)
    for gap in (0, 1):
        a, b = source.random((5, 3 + gap), np.float32), source.random((3, 7 + gap), np.float32)
        out = np.full((5, 7 + gap), 9, np.float32)
        args = (a.reshape(-1), b.reshape(-1), out.reshape(-1), 5, 7, 3, 3 + gap, 7 + gap, 7 + gap)
        stdlib.kernel("matrix_gemm").on(device)[35](*args)
        assert np.allclose(out[:, :7], a[:, :3] @ b[:, :7], rtol=1e-6)
        assert (out[:, 7:] == 9).all()


def test_files_hold_the_programs_of_python(tmp_path: Path) -> None:
    """What is compiled at first use in Python, and what the npm package carries, have the same bytes."""
    assert build(tmp_path) == sum(path.stat().st_size for path in tmp_path.glob("*.holo"))
    index = json.loads((tmp_path / "index.json").read_text())
    assert [row["name"] for row in index] == list(stdlib.NAMES)
    for row in index:
        name, file = row["name"], (tmp_path / f"{row['name']}.holo").read_bytes()
        loaded = hg.load(file)
        (program,) = loaded.programs
        assert program.to_bytes() == lift(getattr(stdlib, name.upper()))[0].to_bytes()
        assert stdlib.compiled(name).to_bytes() == file
        assert row["kernel"] == stdlib.kernel(name).name == program.metadata.name
        assert list(row["parameters"]) == [port.name for port in loaded.ports]
        assert (row["bytes"], row["blake3"]) == (len(file), blake3(file).hex())
    assert index[0]["parameters"] == {"a": "f32[]", "b": "f32[]", "c": "f32[]", "n": "u32"}
    assert len(list(tmp_path.iterdir())) == 61


def test_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    result = CliRunner().invoke(commands, ["build-stdlib", "--output", str(folder), "matmul", "relu"])
    assert result.exit_code == 0
    assert result.output.rstrip().split("\n")[-1].startswith("2 kernels, ")
    assert sorted(path.name for path in folder.iterdir()) == ["index.json", "matmul.holo", "relu.holo"]
    result = CliRunner().invoke(commands, ["build-stdlib", "--output", str(folder), "root"])
    assert result.exit_code == 2
    assert "LaunchError: the standard library has no 'root': it has vector_add, " in result.output


def test_the_npm_package_knows_the_names() -> None:
    text = (Path(__file__).parents[2] / "web" / "src" / "stdlib.ts").read_text()
    listed = text[text.index("STDLIB = [") : text.index("] as const")]
    assert re.findall(r'"(\w+)"', listed) == list(stdlib.NAMES)
