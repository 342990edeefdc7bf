"""The standard library as files: an artifact for each kernel, and `index.json`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from hologram_web.errors import LaunchError
from hologram_web.frontends.python.names import ArrayType
from hologram_web.store.blake3 import blake3
from hologram_web_tools.build_ops import write_modules
from hologram_web_tools.stdlib import NAMES, compiled, kernel, lanes

__all__ = ["build"]


def build(
    folder: Path, names: Sequence[str] = NAMES, done: Callable[[], None] = lambda: None, *, modules: bool = False
) -> int:
    """Writes the kernels of these names and says how many bytes the artifacts have; `done` is called after each. With
    `modules` they are modules of JavaScript, as the npm package has them.

    The index has for each kernel its name, its own name in the program, its parameters with their types (`f32[]` is an
    array), the formula of its lanes, and size and BLAKE3 of the file. Raises LaunchError for a name that there is not.
    """
    if unknown := [name for name in names if name not in NAMES]:
        raise LaunchError(f"the standard library has no {unknown[0]!r}: it has {', '.join(NAMES)}")
    if modules:
        return write_modules(folder, ((name, compiled(name).to_bytes()) for name in names), done)
    folder.mkdir(parents=True, exist_ok=True)
    index, total = [], 0
    for name in names:
        data = compiled(name).to_bytes()
        (folder / f"{name}.holo").write_bytes(data)
        made, total = kernel(name), total + len(data)
        params = {key: f"{ty.ty}[]" if isinstance(ty, ArrayType) else str(ty) for key, ty in made.params.items()}
        row = {"name": name, "kernel": made.name, "parameters": params, "lanes": lanes(name)}
        index.append({**row, "bytes": len(data), "blake3": blake3(data).hex()})
        done()
    (folder / "index.json").write_text("[\n" + ",\n".join(map(json.dumps, index)) + "\n]\n")
    return total
