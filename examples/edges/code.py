"""The code of kernels: Python, the ISA, and what the artifacts hold for WebGPU and WebAssembly."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from types import ModuleType

import hologram_web as hg
from hologram_web_tools.disassemble import disassemble

from . import float_kernels, kernels

__all__ = ["Code", "codes"]


@dataclass(frozen=True)
class Code:
    """A kernel in its four forms; `wasm_size` in bytes, `shared` bytes of shared memory a block."""

    kernel: hg.Kernel
    python: str
    wgsl: str
    wat: str
    wasm_size: int
    shared: int


def codes(plan: hg.CompiledProgram) -> dict[str, Code]:
    """The code of every kernel of a plan, by its name. Raises CompileError."""
    artifact = plan.artifact
    found = {}
    for made in artifact.kernels:
        assert not isinstance(made.wasm, str)  # both targets have these kernels
        assert not isinstance(made.wgsl, str)
        module = artifact.modules[made.wasm.module]
        home = kernels if hasattr(kernels, made.name) else float_kernels
        shader = artifact.shader(made.wgsl[0].shader)
        found[made.name] = Code(
            getattr(home, made.name),
            _python(home, made.name),
            shader,
            disassemble(module),
            len(module),
            made.shared,
        )
    return found


def _python(module: ModuleType, name: str) -> str:
    """The text of a kernel, with the functions that it calls below it."""
    texts = {}
    for home in dict.fromkeys((kernels, module)):
        for part in re.split(r"\n(?=@hg\.kernel)|(?<!hg\.kernel)\n(?=def )", inspect.getsource(home)):
            if found := re.match(r"(?:@hg\.kernel\n)?def (\w+)", part):
                texts[found[1]] = part.split("\n\n\n# ")[0].strip("\n")
    wanted = {name}
    while more := {word for key in wanted for word in re.findall(r"\b(\w+)\(", texts[key]) if word in texts} - wanted:
        wanted |= more
    helpers = [text for key, text in texts.items() if key in wanted and key != name]
    return "\n\n\n".join([texts[name], *helpers])
