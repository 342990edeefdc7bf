"""What a file holds, as tables, and its programs in every form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.tree import Tree

from hologram_web.plan.artifact import Artifact
from hologram_web.plan.plan import (
    Argument,
    BoundsCheck,
    Branch,
    Copy,
    Launch,
    Let,
    Loop,
    ProgramCall,
    Read,
    Repeat,
    Step,
    Target,
    Triple,
    When,
    bodies,
)
from hologram_web.plan.writer import write
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.runtime.weights import described
from hologram_web.store.blake3 import blake3

from ..contents import FORMULA, MOST, first, texts_of
from .clean import brief, cleaned
from .console import shown

__all__ = ["show"]

_COLOURED = 100_000  # characters of a text that is shown in colours: they take 10 s for 1 MB
LEXERS = {"isa": "nasm", "ir": "llvm", "lanes": "llvm", "wgsl": "rust", "wat": "lisp"}  # the nearest that Pygments has


def _lines(source: str) -> str:
    """The lines of Python that a file knows its instructions by, which are too many to show."""
    try:
        lines = {(str(file), number) for known, _ in json.loads(source) for file, number, _ in known}
    except (ValueError, TypeError, RecursionError):  # somebody else's
        return source
    return f"{len(lines)} line{'s' * (len(lines) != 1)} of {', '.join(sorted({file for file, _ in lines}))}"


def _formula(text: object) -> str:
    return shown(brief(str(text), FORMULA))


def show(console: Console, file: Path, compiled: CompiledProgram, texts: Sequence[str]) -> None:
    """Prints what `compiled` takes, does and holds, and the texts that were asked for (isa, ir, lanes, wgsl, wat,
    variants)."""
    artifact = compiled.artifact
    raw = write(artifact)
    name = shown(compiled.name or file.name)
    if file.suffix == ".holo":
        console.print(f"[bold]{name}[/]: an artifact, {file.stat().st_size:,} bytes")
    else:
        console.print(f"[bold]{name}[/]: a program; as an artifact {len(raw):,} bytes")
    console.print(f"BLAKE3 {blake3(raw).hex()}")
    notes: list[str] = []
    for key, value in first(list(compiled.metadata.items()), "metadata", notes):
        console.print(f"{shown(key)}: {shown(_lines(value) if key == 'source' else value)}")
    console.print(_buffers(compiled, notes))
    console.print(_schedule(compiled, notes))
    console.print(_kernels(artifact, notes))
    for kind in texts:
        for title, text in texts_of(kind, compiled, notes):
            console.print(f"\n[bold]{shown(title)}[/]")
            if kind in LEXERS and len(text) <= _COLOURED:
                console.print(Syntax(text.rstrip(), LEXERS[kind], background_color="default", word_wrap=False))
            else:
                click.echo(cleaned(text.rstrip(), lines=True))
    for note in notes:
        console.print(note)


def _buffers(compiled: CompiledProgram, notes: list[str]) -> Table:
    table = Table("", "name", "type", "shape or bytes", "access", box=None, header_style="bold", title_justify="left")
    for port in first(compiled.ports, "ports", notes):
        shape = f"[{', '.join(map(str, port.shape))}]" if port.access else ""
        table.add_row(
            "port", shown(port.name), str(port.ty), _formula(shape), port.access.value if port.access else "scalar"
        )
    for temporary in first(compiled.plan.temporaries, "temporaries", notes):
        table.add_row("temporary", shown(temporary.name), "", _formula(temporary.size), "")
    says = described(compiled)
    for name, number in first(compiled.plan.constants, "constants", notes):
        blob, (ty, lengths) = compiled.blobs[number], says[name]
        where = f" in {shown(blob.location)}" if blob.location else ""
        shape = _formula(f"[{', '.join(map(str, lengths))}]")
        table.add_row("constant", shown(name), str(ty), shape, f"{blob.length:,} bytes{where}")
    return table


def _schedule(compiled: CompiledProgram, notes: list[str]) -> Tree:
    """The steps of a run, with their formulas."""
    tree = Tree("[bold]schedule[/]")
    count = 0

    def add(parent: Tree, steps: Sequence[Step]) -> None:
        nonlocal count
        for step in steps:
            count += 1
            if count > MOST:
                return
            branch = parent.add(shown(_line(step)))
            for body in bodies(step):
                add(branch, body)

    def triple(formulas: Triple) -> str:
        return " x ".join(f"({f})" if " " in str(f) and not str(f).endswith(")") else str(f) for f in formulas)

    def _line(step: Step) -> str:
        match step:
            case Repeat():
                return f"repeat {step.variable} below {brief(str(step.count), FORMULA)}"
            case ProgramCall():
                program = compiled.programs[step.program]
                name = program.metadata.name or f"program {step.program}"
                given = zip(program.params, step.args, strict=True)
                args = ", ".join(f"{param.name}={arg.value}" for param, arg in given)
                block = " x ".join(map(str, step.block))
                return f"{name}({args}): grid {triple(step.grid)}, blocks of {block}, lanes {triple(step.lanes)}"
            case Launch():
                variant = f", variant {step.variant}" if step.variant > 1 else ""
                return f"kernel {step.kernel} {compiled.artifact.kernels[step.kernel].name}{variant}"
            case Copy():
                return f"copy {step.source} to {step.target}"
            case BoundsCheck():
                return f"check {step.need} bytes at {step.offset} of {step.memory}, which has {step.size}"
            case Target():
                return f"on {step.name}"
            case Let():
                args = ", ".join(map(_argument, step.args))
                of = "" if step.of == step.ty else f" of {step.of}"
                return f"{step.value}: {step.ty} = {step.op}{of} {args}"
            case Read():
                return f"{step.value}: {step.ty} = {step.buffer}[{step.offset}], when what runs is done"
            case When():
                return f"if {step.condition}" + (" (the last steps: else)" if step.otherwise else "")
            case Branch():
                return f"branch {step.levels} out"
            case _:
                return "loop" if isinstance(step, Loop) else "nest"

    add(tree, compiled.plan.steps)
    if count > MOST:
        notes.append("more steps of the schedule are not shown")
    return tree


def _kernels(artifact: Artifact, notes: list[str]) -> Table:
    table = Table("kernel", "name", "block", "shared", "WebAssembly", "WGSL", box=None, header_style="bold")
    for number, kernel in enumerate(first(artifact.kernels, "kernels", notes)):
        if isinstance(kernel.wasm, str):
            wasm = kernel.wasm
        else:
            wasm = f"{len(artifact.modules[kernel.wasm.module]):,} bytes"
            if kernel.wasm.relaxed is not None:
                wasm += f", or {len(artifact.modules[kernel.wasm.relaxed]):,} where there is relaxed SIMD"
        shaders = [] if isinstance(kernel.wgsl, str) else [len(artifact.shader(v.shader).encode()) for v in kernel.wgsl]
        wgsl = " + ".join(f"{size:,}" for size in shaders) + " bytes" if shaders else str(kernel.wgsl)
        block = " x ".join(map(str, kernel.block))
        table.add_row(str(number), shown(kernel.name), block, f"{kernel.shared:,}", shown(wasm), shown(wgsl))
    return table


def _argument(arg: Argument) -> str:
    return hex(arg.value) if arg.kind == "bits" else str(arg.value)
