"""What the tests of this folder compare with, made by another process of native Python: `expected.json`.

    python -m tests.everywhere.expected FILE

Random kernels and programs with hashes of what they are compiled to, and what run lines of filetests and programs of
the fuzzer give on the device wasm of wasmtime. Not for Pyodide: it needs NumPy.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path
from random import Random
from typing import Any

import hologram_web as hg
from hologram_web import stdlib
from hologram_web.store.blake3 import blake3

from ..kept import ROOT, kept
from .compiled import described, hashes
from .random_kernel import random_kernel
from .stdlib_cases import LARGEST_OF_LOOPS, LOOPS, arguments, lanes

KERNELS, PROGRAMS = 16, 16
LARGEST = 1 << 15  # bytes of arrays
SIZES = [int(size) for size in os.environ.get("WHERE_SIZES", "0 1 3 33 255 256 257 2049 10001").split()]
SEED = os.environ.get("WHERE_SEED", "1")
STEP = int(os.environ.get("WHERE_STEP", "8"))  # every so-manieth run line of the filetests


def _text(data: Any) -> str:
    return base64.b64encode(bytes(data)).decode()


def _kernels(seed: int) -> list[dict[str, Any]]:
    found = []
    for number in range(KERNELS):
        text = random_kernel(Random(f"{seed} {number}"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # what wraps, wraps everywhere
            found.append({"text": text, "hashes": hashes(hg.kernel_from_source(text).program)})
    return found


def _programs(seed: int) -> list[dict[str, Any]]:
    from ..fuzz.case import Memory, execute
    from ..fuzz.generator import generate

    found = []
    device = hg.backends.WasmBackend()
    for number in range(PROGRAMS):
        case = generate(1000 * seed + number, "exact")
        names = {id(memory): f"m{k}" for k, memory in enumerate(case.memories)}
        outcome = execute(device, case)
        memories = {
            names[id(memory)]: {
                "kind": memory.kind,
                "number": memory.number,
                "data": _text(memory.data),
                "result": _text(outcome.memories[k]) if outcome.memories else None,
                "views": [(view.offset, str(view.ty), view.length) for view in memory.views],
            }
            for k, memory in enumerate(case.memories)
        }
        arguments = {
            name: names[id(value)] if isinstance(value, Memory) else [str(value.ty), value.bits]
            for name, value in case.arguments.items()
        }
        found.append(
            {
                "program": _text(case.program.to_bytes()),
                "hashes": hashes(case.program, tuple(case.config.block)),
                "config": _config(case.config),
                "arguments": arguments,
                "memories": memories,
                "error": None if outcome.fault is None else outcome.detail,
            }
        )
    return found


def _config(config: hg.LaunchConfig) -> list[Any]:
    return [list(config.grid), list(config.block), config.shared_memory, config.lanes and list(config.lanes)]


def _filetests() -> list[dict[str, Any]]:
    import numpy as np

    from ..artifact.test_filetests import LEFT_OUT  # what artifacts cannot do
    from ..filetest import FOLDER, load
    from ..filetest_run import _bytes
    from ..filetest_values import Alias

    found = []
    device = hg.backends.WasmBackend()
    number = 0
    for path in sorted(FOLDER.glob("**/*.atlas")):
        for case in load(path).cases():
            if case.run is None or not case.test.runs_on("wasm") or case.id in LEFT_OUT:
                continue
            number += 1
            if number % STEP:
                continue
            launch = case.launch("wasm")
            if sum(len(_bytes(v)) for v in launch.arguments.values() if hasattr(v, "__len__")) > LARGEST:
                continue
            arguments: dict[str, Any] = {}
            memories: dict[str, Any] = {}
            handles: dict[str, Any] = {}
            args: dict[str, Any] = {}
            for param in launch.program.params:
                value = launch.arguments[param.name]
                if param.kind == "scalar":
                    assert param.ty is not None
                    immediate = value if isinstance(value, hg.Immediate) else None
                    if immediate is None:
                        plain = value.item() if isinstance(value, np.generic) else value
                        immediate = hg.Immediate.of(param.ty, plain)
                    arguments[param.name], args[param.name] = [str(param.ty), immediate.bits], immediate
                elif isinstance(value, Alias):
                    arguments[param.name], args[param.name] = value.name, handles[value.name]
                else:
                    data = _bytes(value)
                    arguments[param.name] = param.name
                    views = [] if param.ty is None else [(0, str(param.ty), len(data) // param.ty.size_bytes)]
                    memories[param.name] = {"kind": param.kind, "number": 0, "data": _text(data), "views": views}
                    allocate = device.allocate_pool if param.kind == "pool" else device.allocate_buffer
                    args[param.name] = handles[param.name] = handle = allocate(len(data))
                    if param.kind == "pool":
                        device.copy_to_pool(handle, 0, data)
                    else:
                        device.copy_to_buffer(handle, data)
            default = device.limits
            device.limits = launch.limits or hg.Limits(steps=1 << 26)
            limits = [device.limits.steps, device.limits.seconds]
            error = None
            try:
                device.execute_program_with_params(launch.program, hg.backends.ExecutionParams(launch.config, args))
            except hg.HologramError as problem:
                error = described(problem)
            device.limits = default
            for name, handle in handles.items():
                if memories[name]["kind"] == "pool":
                    memories[name]["result"] = _text(device.copy_from_pool(handle, 0, device.pool_size(handle)))
                    device.free_pool(handle)
                else:
                    memories[name]["result"] = _text(device.copy_from_buffer(handle))
                    device.free_buffer(handle)
            found.append(
                {
                    "id": case.id,
                    "program": _text(launch.program.to_bytes()),
                    "config": _config(launch.config),
                    "limits": limits,
                    "arguments": arguments,
                    "memories": memories,
                    "error": error,
                }
            )
    return found


def _twelve() -> dict[str, Any]:
    """What the kernels of examples/twelve take, what NumPy makes of it, and what wasm does."""
    import numpy as np

    from examples.twelve.cases import cases

    def packed(value: Any) -> Any:
        if not isinstance(value, np.ndarray):
            return value
        numbers = value.view(value.real.dtype) if value.dtype.kind == "c" else value
        return {"dtype": str(value.dtype), "code": numbers.dtype.char, "shape": value.shape, "data": _text(numbers)}

    found = {}
    for case in cases():
        wanted = {name: array.view(array.real.dtype).ravel().tolist() for name, array in case.wanted.items()}
        found[case.kernel.name] = {
            "launch": [case.lanes, case.block],
            "args": {name: packed(value) for name, value in case.args.items()},
            "tolerance": {name: case.tolerance * float(np.abs(array).max()) for name, array in case.wanted.items()},
            "wanted": wanted,
            "wasm": {name: packed(array)["data"] for name, array in case.launched(case.kernel.on("wasm")).items()},
        }
    return found


def _stdlib() -> dict[str, Any]:
    """The BLAKE3 of what the kernels of the standard library write, by kernel, size and array."""
    device = hg.backends.WasmBackend()
    found: dict[str, Any] = {}
    for name in stdlib.NAMES:
        kernel = stdlib.kernel(name).on(device)
        written = [p.name for p in kernel.program.params if p.access is not None and p.access.writes]
        for size in SIZES:
            if size > LARGEST_OF_LOOPS and name in LOOPS:
                continue
            args = arguments(name, size)
            kernel[lanes(name, args)](**args)
            found.setdefault(name, {})[str(size)] = {array: blake3(args[array].tobytes()).hex() for array in written}
    return found


def write() -> str:
    """All of it as JSON. WHERE_SEED chooses other random programs."""
    seed = int(SEED)
    kernels, programs, filetests = _kernels(seed), _programs(seed), _filetests()
    made = {"kernels": kernels, "programs": programs, "filetests": filetests, "stdlib": _stdlib(), "twelve": _twelve()}
    return json.dumps(made)


def written() -> Path:
    """The file, made by another process with another hash seed, once for the sources as they are."""
    path = ROOT / "build" / "pyodide" / "expected.json"
    command = [sys.executable, "-m", "tests.everywhere.expected", str(path)]
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    return kept(path, lambda: subprocess.run(command, cwd=ROOT, check=True, env=environment), f"{SIZES} {STEP} {SEED}")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(write())
