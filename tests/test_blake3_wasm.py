"""wasm/blake3.wat against the package blake3, and whether what is made from files there is up to date."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wasmtime
from blake3 import blake3

ROOT = Path(__file__).resolve().parent.parent
TOOL = runpy.run_path(str(ROOT / "tools" / "assemble_wasm.py"))
PIECE = 65_536
LENGTHS = [
    *(0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 3073, 4096, 5121, 8192, 16384),
    *(31744, 102400, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 1025, 10**6, 3 * 2**20 + 7, 5 * 10**6),
]


@pytest.fixture(scope="module")
def hasher():
    store = wasmtime.Store()
    module = wasmtime.Module(store.engine, TOOL["assemble"](ROOT / "wasm" / "blake3.wat"))
    instance = wasmtime.Instance(store, module, [])
    exports: Any = instance.exports(store)
    memory, update = exports["memory"], exports["update"]
    at, result = 4096, 0

    def run(data: bytes, piece: int) -> bytes:
        for start in range(0, max(len(data), 1), piece):
            part = data[start : start + piece]
            memory.write(store, part, at)
            update(store, len(part), int(start + piece < len(data)))
        return bytes(memory.read(store, result, result + 32))

    return run


@pytest.mark.parametrize("length", LENGTHS)
def test_hash(hasher, length):
    data = np.random.default_rng(length).bytes(length)
    assert hasher(data, PIECE) == blake3(data).digest()


@pytest.mark.parametrize("piece", [1024, 3 * 1024, PIECE])
def test_pieces(hasher, piece):
    """The test vectors' input: bytes that count to 250, again and again."""
    data = (bytes(range(251)) * 409)[:102_400]
    assert hasher(data, piece) == blake3(data).digest()


@pytest.mark.parametrize("name", TOOL["LIBRARIES"])
def test_generated_files_are_up_to_date(name):
    expected = TOOL["generated"](ROOT / "wasm" / f"{name}.wat")
    found = (ROOT / "web" / "src" / f"{name}.gen.ts").read_text(encoding="utf-8")
    assert found == expected, "run tools/assemble_wasm.py"


def test_the_assembled_device_library_is_up_to_date():
    found = (ROOT / "hologram_web" / "targets" / "wasm" / "assembled.py").read_text(encoding="utf-8")
    assert found == TOOL["module"](), "run tools/assemble_wasm.py"
    assert sorted(TOOL["functions"](ROOT / "wasm" / "wide128.wat")) == ["wide_mul"]
