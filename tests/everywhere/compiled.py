"""What a program is compiled to, as hashes, and what an error says."""

from __future__ import annotations

from typing import Any

import hologram_web as hg
from hologram_web.store.blake3 import blake3


def hashes(program: hg.Program, block: tuple[int, ...] = (256, 1, 1)) -> dict[str, Any]:
    """Of the program, of its WebAssembly and WGSL, and of the artifact; or the error that keeps it from being made."""
    try:
        compiled = hg.compile(program, grid=1, block=block)
        artifact = compiled.artifact
    except hg.CompileError as error:
        return {"error": described(error)}
    return {
        "program": blake3(program.to_bytes()).hex(),
        "wasm": [blake3(module).hex() for module in artifact.modules],
        "wgsl": [blake3(artifact.shader(number).encode()).hex() for number in range(len(artifact.shaders))],
        "artifact": blake3(compiled.to_bytes()).hex(),
    }


def described(error: Exception) -> list[Any]:
    """The class, the whole text and the fields of an error."""
    fields = {name: getattr(error, name, None) for name in ("kind", "instruction", "lane", "buffer", "offset")}
    return [type(error).__name__, str(error), {name: value for name, value in fields.items() if value is not None}]
