"""What is compiled here is what another process of native Python compiled, byte for byte; and it does the same."""

from __future__ import annotations

import base64
import warnings
from typing import Any

import hologram_web as hg
from hologram_web.backends import IN_PAGE, BlockDim, ExecutionParams, GridDim, LaunchConfig
from hologram_web.isa import Immediate, Type

from .compiled import described, hashes


def test_random_kernels_are_compiled_to_the_same_bytes(expected: Any) -> None:
    assert len(expected["kernels"]) >= 16
    for row in expected["kernels"]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hg.WrapWarning)  # small integers wrap: it is meant
            kernel = hg.kernel_from_source(row["text"])
        assert hashes(kernel.program) == row["hashes"], row["text"]


def test_random_programs_are_compiled_to_the_same_bytes(expected: Any) -> None:
    assert len(expected["programs"]) >= 16
    for row in expected["programs"]:
        program = hg.Program.from_bytes(base64.b64decode(row["program"]))
        assert hashes(program, tuple(row["config"][1])) == row["hashes"], program.to_text()


def test_random_programs_do_the_same(expected: Any) -> None:
    device = hg.backends.WasmBackend()
    for row in expected["programs"]:
        problem = _problem(device, row)
        if IN_PAGE and "error" in row["hashes"]:  # the one limit of these devices, and it is told
            assert problem == f"the error is {row['hashes']['error'][1]}, not None"
            continue
        assert problem is None, f"{problem}\n{hg.Program.from_bytes(base64.b64decode(row['program'])).to_text()}"


def test_run_lines_of_filetests_do_the_same(expected: Any) -> None:
    device = hg.backends.WasmBackend()
    found = {row["id"]: _problem(device, row) for row in expected["filetests"]}
    wrong = {name: problem for name, problem in found.items() if problem is not None}
    assert len(found) > 100
    assert not wrong


def _problem(device: Any, row: dict[str, Any]) -> str | None:
    """Runs a program as `expected.py` did; what is other than there."""
    grid, block, shared, lanes = row["config"]
    config = LaunchConfig(GridDim(*grid), BlockDim(*block), shared, lanes and tuple(lanes))
    handles: dict[str, Any] = {}
    for name, memory in row["memories"].items():
        data = base64.b64decode(memory["data"])
        if memory["kind"] == "class":
            device.class_memory(memory["number"])[:] = memoryview(data)
        elif memory["kind"] == "pool":
            handles[name] = device.allocate_pool(len(data))
            device.copy_to_pool(handles[name], 0, data)
        else:
            handles[name] = device.allocate_buffer(len(data))
            device.copy_to_buffer(handles[name], data)
    args = {
        name: handles[value] if isinstance(value, str) else Immediate(Type.named(value[0]), value[1])
        for name, value in row["arguments"].items()
    }
    steps, seconds = row.get("limits", (1 << 26, None))
    before, device.limits = device.limits, hg.Limits(steps, seconds)
    error = None
    try:
        program = hg.Program.from_bytes(base64.b64decode(row["program"]))
        device.execute_program_with_params(program, ExecutionParams(config, args))
        device.sync()
    except hg.HologramError as problem:
        error = problem
    finally:
        device.limits = before
    try:
        told = error and (described(error) if isinstance(row["error"], list) else str(error))
        if told != row["error"]:
            return f"the error is {told}, not {row['error']}"
        for name, memory in row["memories"].items():
            if memory["result"] is None or (error is not None and memory["kind"] != "class"):
                continue
            if memory["kind"] == "class":
                raw = bytes(device.class_memory(memory["number"])[:])
            elif memory["kind"] == "pool":
                raw = device.copy_from_pool(handles[name], 0, device.pool_size(handles[name]))
            else:
                raw = device.copy_from_buffer(handles[name])
            if not _same(raw, base64.b64decode(memory["result"]), memory["views"]):
                return f"{name} is another one"
        return None
    finally:
        for name, handle in handles.items():
            (device.free_pool if row["memories"][name]["kind"] == "pool" else device.free_buffer)(handle)


def _same(found: bytes, wanted: bytes, views: list[Any]) -> bool:
    """Whether bytes agree, all NaNs being alike."""
    if found == wanted:
        return True
    if len(found) != len(wanted):
        return False
    forgiven: set[int] = set()
    for offset, name, length in views:
        ty = Type.named(name)
        for place in range(offset, offset + length * ty.size_bytes, ty.size_bytes):
            bits = [int.from_bytes(data[place : place + ty.size_bytes], "little") for data in (found, wanted)]
            if all(map(ty.is_nan, bits)):
                forgiven.update(range(place, place + ty.size_bytes))
    return all(a == b or place in forgiven for place, (a, b) in enumerate(zip(found, wanted, strict=True)))
