"""Assemble wasm/*.wat. Needs wasmtime, and the package.

`web/src/*.gen.ts` have whole modules, in hexadecimal digits, which gzip packs better than base64.
`hologram_web/targets/wasm/assembled.py` has the functions of the device library one by one, as the compiler links those
that a kernel calls. Of them this reads the text itself, and knows this much of it: functions, named parameters, locals
and labels, and one instruction after the other, never folded.

.venv/bin/python tools/assemble_wasm.py
"""

from __future__ import annotations

import re
from pathlib import Path

import wasmtime

from hologram_web.targets.wasm.encoder import Instr, encoded
from hologram_web.targets.wasm.opcodes import OPCODES

ROOT = Path(__file__).resolve().parent.parent
LIBRARIES = ("blake3", "crew")
FUNCTIONS = {"FUNCTIONS": "wide", "WIDE_ARITHMETIC": "wide128"}  # those of the second take the place of others
_TOKEN = re.compile(r"\(|\)|[^\s()]+")
_FUNCTION = re.compile(r"^  \(func \$(\w+)(.*?)\)\n(?=\n|\))", re.MULTILINE | re.DOTALL)
_HEAD = '''"""The device library: the functions of wasm/wide.wat, and those of wasm/wide128.wat.

Made by tools/assemble_wasm.py: do not edit. Of each function the types of parameters, results and further locals, the
names of parameters and locals, and code: bytes in hexadecimal digits, and names of the functions that it calls.
"""

from __future__ import annotations

__all__ = ["FUNCTIONS", "WIDE_ARITHMETIC"]
'''


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


def functions(path: Path) -> dict[str, tuple[str, ...]]:
    """The functions of a .wat file, as the compiler links them."""
    text = re.sub(r" *;;.*", "", path.read_text(encoding="utf-8"))
    return {match[1]: _function(_TOKEN.findall(match[2])) for match in _FUNCTION.finditer(text)}


def module() -> str:
    """The Python module with the functions of the device library."""
    found = _HEAD
    for name, file in FUNCTIONS.items():
        found += f"\n{name} = {{\n"
        for function, parts in functions(ROOT / "wasm" / f"{file}.wat").items():
            found += f'    "{function}": (\n' + "".join(f'        "{part}",\n' for part in parts) + "    ),\n"
        found += "}\n"
    return found


def _function(code: list[str]) -> tuple[str, ...]:
    head = []
    while code[0] == "(":
        end = code.index(")")
        head.append(code[1:end])
        del code[: end + 1]
    kinds = [" ".join(part[-1] for part in head if part[0] == kind) for kind in ("param", "result", "local")]
    names = [part[1] for part in head if part[0] in ("param", "local")]
    labels: list[str] = []
    pieces = [""]
    starts = [place for place, token in enumerate(code) if token in OPCODES]
    for start, end in zip(starts, [*starts[1:], len(code)], strict=True):
        opcode, values = code[start], code[start + 1 : end]
        if opcode == "call":
            pieces += [values[0].lstrip("$"), ""]
        else:
            pieces[-1] += encoded((opcode, *_immediates(opcode, values, names, labels))).hex()
    return *kinds, " ".join(name.lstrip("$") for name in names), " ".join(piece for piece in pieces if piece)


def _immediates(opcode: str, values: list[str], names: list[str], labels: list[str]) -> Instr:
    kind = OPCODES[opcode][1]
    if kind == "block":
        labels.append(values[0] if values else "")
        return (None,)
    if opcode == "end":
        labels.pop()
    elif opcode in ("br", "br_if"):
        return (labels[::-1].index(values[0]),)
    elif kind == "u":
        return (names.index(values[0]),)
    elif kind == "mem":
        return 0, 0
    elif kind in ("i32", "i64"):
        return (int(values[0], 0),)
    elif kind in ("f32", "f64"):
        return ({"0": 0, "1": 0x3FF << 52}[values[0]],)
    return ()


if __name__ == "__main__":
    for name in LIBRARIES:
        (ROOT / "web" / "src" / f"{name}.gen.ts").write_text(generated(ROOT / "wasm" / f"{name}.wat"), encoding="utf-8")
    (ROOT / "hologram_web" / "targets" / "wasm" / "assembled.py").write_text(module(), encoding="utf-8")
