"""The types of a file for TypeScript: what `run` of a program takes and gives, by the file's ports."""

from __future__ import annotations

import json
import re

from hologram_web.runtime.compiled import CompiledProgram

__all__ = ["declaration", "type_name"]


def type_name(name: str) -> str:
    """A name of a type, made of a file's or a program's: `edge_blur[t=f32]` is EdgeBlur."""
    words = re.findall(r"[A-Za-z0-9]+", name.partition("[")[0])
    found = "".join(word[0].upper() + word[1:] for word in words)
    return found if found and not found[0].isdigit() else f"Program{found}"


def declaration(compiled: CompiledProgram, name: str) -> str:
    """The text of a .d.ts file with one type, to which `runtime.load<NAME>(...)` is a promise. Names of ports come from
    the file, so they are quoted, and no comment holds them."""
    lines = []
    for port in compiled.ports:
        fields = [f'dtype: "{port.ty}"', f'access: "{port.access.value if port.access else "scalar"}"']
        if port.access is not None:
            fields.append(f"rank: {len(port.shape)}")
        elif port.name in compiled.defaults:
            fields.append("optional: true")
        lines.append(f"  {json.dumps(port.name)}: {{ {'; '.join(fields)} }};\n")
    head = 'import type { Program } from "hologram-web";\n\n'
    return f"{head}export type {name} = Program<{{\n{''.join(lines)}}}>;\n"
