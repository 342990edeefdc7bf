"""What a plan or a file holds, as plain values: for tables of the command line, for JSON and for notebooks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from hologram_web.compiler.driver import lane_function
from hologram_web.compiler.ir import Function
from hologram_web.compiler.lanes import LaneAnalysis
from hologram_web.compiler.passes import fired
from hologram_web.compiler.recursion import deep_recursion
from hologram_web.errors import CompileError, HologramError
from hologram_web.isa.launch import checked_math
from hologram_web.isa.verify import analyze
from hologram_web.plan.formula import Formula
from hologram_web.plan.plan import LAUNCH_VARIABLES, TARGETS, KernelCode, calls_of
from hologram_web.plan.writer import write
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.runtime.weights import described
from hologram_web.store.blake3 import blake3

from .cli.clean import brief
from .collective_launches import collective_launches, has_collectives
from .disassemble import disassemble
from .lane_listing import annotated

__all__ = ["FORMULA", "MOST", "first", "held", "texts_of"]

# What is shown is bounded, for files are foreign: 60,000 steps with long formulas were 34 MB and 22 s of text.
MOST = 500  # ports, constants, steps, kernels, shaders
FORMULA = 200  # characters
# What conditions have of a launch, as `runtime.explain` of pages writes it.
_OF_LAUNCH = ("blocks.x", "blocks.y", "blocks.z", "lanes.x", "lanes.y", "lanes.z", "steps", "rounds")
_Item = TypeVar("_Item")


def first(items: Sequence[_Item], what: str, notes: list[str]) -> Iterable[_Item]:
    """The first of the items; what is left out is noted."""
    if len(items) > MOST:
        notes.append(f"{len(items) - MOST:,} more {what} are not shown")
    return islice(items, MOST)


def held(file: Path, compiled: CompiledProgram, texts: Sequence[str]) -> dict[str, Any]:
    """What a plan takes and holds, with the texts that were asked for (isa, ir, lanes, wgsl, wat, variants)."""
    artifact, notes = compiled.artifact, list[str]()
    raw = write(artifact)
    ports = [
        {
            "name": port.name,
            "dtype": str(port.ty),
            "access": port.access.value if port.access else "scalar",
            "shape": [brief(str(length), FORMULA) for length in port.shape],
        }
        for port in first(compiled.ports, "ports", notes)
    ]
    kernels = [
        {"name": kernel.name, "block": kernel.block, "shared": kernel.shared}
        for kernel in first(artifact.kernels, "kernels", notes)
    ]
    says = described(compiled)
    constants = []
    for name, number in first(compiled.plan.constants, "constants", notes):
        blob, (ty, lengths) = compiled.blobs[number], says[name]
        told = {"name": name, "dtype": str(ty), "shape": list(lengths), "bytes": blob.length, "blake3": blob.hash.hex()}
        constants.append({**told, "file": blob.location, "offset": blob.offset} if blob.location else told)
    found = {
        "name": compiled.name or file.name,
        "bytes": len(raw),
        "blake3": blake3(raw).hex(),
        "metadata": dict(first(list(compiled.metadata.items()), "metadata", notes)),
        "ports": ports,
        "constants": constants,
        "kernels": kernels,
        "texts": {kind: dict(texts_of(kind, compiled, notes)) for kind in texts},
    }
    return {**found, "notes": notes}


def _listing(function: Function, kind: str) -> str:
    if kind == "ir":
        return str(function)
    with deep_recursion():
        return annotated(function, LaneAnalysis(function))


def _variants(kernel: KernelCode, place: int, metadata: Mapping[str, str]) -> Iterator[str]:
    """Lines that say which code of a kernel launches take, on what conditions, and what the file says of why."""
    if isinstance(kernel.wasm, str):
        yield f"wasm: {kernel.wasm}"
    else:
        either = "the module with relaxed SIMD where the engine has that, else the exact one"
        module = "one module" if kernel.wasm.relaxed is None else either
        why = metadata.get(f"why.wasm.{place}")
        one = f", lanes one after another, because {brief(why, FORMULA)}" if why else ""
        yield f"wasm: {module}{one}; each block checks what it cannot prove"
    if isinstance(kernel.wgsl, str):
        yield f"webgpu: {kernel.wgsl}"
        return
    names = dict(zip(LAUNCH_VARIABLES, _OF_LAUNCH, strict=True))
    names |= {f"s{number}": name for number, (name, _) in enumerate(kernel.scalars)}
    for number, (memory, base, _) in enumerate(kernel.memories):
        names[f"m{number}"] = "bytes(class memory)" if base is None else f"bytes({memory} {base})"

    def written(condition: Formula) -> str:
        text = re.sub(r"[a-z]\w*", lambda found: names.get(found[0], found[0]), str(condition))
        return f"{brief(text, FORMULA)} >= 0"

    for number, variant in enumerate(kernel.wgsl, 1):
        start = f"webgpu, variant {number}: " if len(kernel.wgsl) > 1 else "webgpu: "
        for fast in variant.fast:
            several = f" of {fast.blocks} blocks a workgroup" if fast.blocks > 1 else ""
            wanted = " and ".join(map(written, fast.conditions)) or "always"
            yield f"{start}the shader without needless checks{several} if {wanted}"
            start = "else "
        why = metadata.get(f"why.webgpu.{place}.{number - 1}")
        yield f"{start}the shader with checks" + (f": {brief(why, FORMULA)}" if why else "")


def _collectives(compiled: CompiledProgram, notes: list[str]) -> Iterator[tuple[str, str]]:
    """What is to be said of launches that collectives become, by program: which faster way is not taken, and why, or
    which is."""
    found: dict[int, list[str]] = {}
    if any(map(has_collectives, compiled.programs)):
        given = compiled.plan, compiled.programs
        try:
            for target in TARGETS:
                for number, *told, why in collective_launches(*given, target, checked_math(compiled.math or "exact")):
                    if why:
                        about = ": ".join(brief(text, FORMULA) for text in told)
                        found.setdefault(number, []).append(f"{target}: {about}: {why}")
        except HologramError as error:
            notes.append(f"why collectives become what they do is not known: {error}")
    for number, lines in found.items():
        yield f"collectives of program {number}", "\n".join(first(lines, "launches of collectives", notes))


def texts_of(kind: str, compiled: CompiledProgram, notes: list[str]) -> Iterator[tuple[str, str]]:
    artifact = compiled.artifact
    if kind == "isa":
        for number, program in enumerate(first(compiled.programs, "programs", notes)):
            yield f"program {number}", program.to_text()
    elif kind in ("ir", "lanes"):
        shapes = {(call.program, call.block): None for call in calls_of(compiled.plan.steps)}
        for number, block in first(list(shapes), "programs in blocks", notes):
            try:
                function = lane_function(analyze(compiled.programs[number]), block)
                text = f"{_listing(function, kind)}; passes: {fired(function)}"
            except CompileError as error:
                text = f"; {error}"
            yield f"program {number} in blocks of {' x '.join(map(str, block))}", text
    elif kind == "variants":
        for number, kernel in enumerate(first(artifact.kernels, "kernels", notes)):
            yield f"kernel {number} {kernel.name}", "\n".join(_variants(kernel, number, artifact.metadata))
        yield from _collectives(compiled, notes)
    elif kind == "wgsl":
        for number in first(range(len(artifact.shaders)), "shaders", notes):
            yield f"shader {number}", artifact.shader(number)
    else:
        for number, module in enumerate(first(artifact.modules, "modules", notes)):
            yield f"module {number}", disassemble(module)
