"""Assemble wasm/*.wat into web/src/*.gen.ts, in hexadecimal digits, which gzip packs better
than base64. Needs wasmtime.

.venv/bin/python tools/assemble_wasm.py
"""

from __future__ import annotations

from pathlib import Path

import wasmtime

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ("blake3", "crew")


def assemble(path: Path) -> bytes:
    """The module of a .wat file, without the section of names."""
    code = bytes(wasmtime.wat2wasm(path.read_text(encoding="utf-8")))
    out, at = bytearray(code[:8]), 8
    while at < len(code):
        start, shift, size = at, 0, 0
        at += 1
        while True:
            byte = code[at]
            size |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                break
        at += size
        if code[start] != 0:
            out += code[start:at]
    return bytes(out)


def generated(path: Path) -> str:
    """The TypeScript file of a .wat file."""
    text = assemble(path).hex()
    return f'// Made from wasm/{path.name} by tools/assemble_wasm.py: do not edit.\nexport const CODE =\n  "{text}";\n'


if __name__ == "__main__":
    for name in LIBRARIES:
        (ROOT / "web" / "src" / f"{name}.gen.ts").write_text(generated(ROOT / "wasm" / f"{name}.wat"), encoding="utf-8")
