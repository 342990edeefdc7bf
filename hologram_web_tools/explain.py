"""What becomes of a kernel, from its source to the code of every target, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from hologram_web.backends import IN_PAGE
from hologram_web.compiler.accesses import access_of, checks_of, repeated
from hologram_web.compiler.bounds import Bounds
from hologram_web.compiler.conditions import shown
from hologram_web.compiler.driver import lane_function
from hologram_web.compiler.ir import Function, Node
from hologram_web.compiler.passes import fired, optimize
from hologram_web.compiler.several_rounds import with_rounds_together
from hologram_web.errors import CompileError, UnsupportedInstruction
from hologram_web.isa.verify import analyze
from hologram_web.plan.conditions import with_formulas
from hologram_web.plan.plan import TARGETS
from hologram_web.tensor.made import STATE

from .collective_launches import has_collectives, of_program

if TYPE_CHECKING:
    from hologram_web.kernels.kernel import Kernel
    from hologram_web.targets.wasm import WasmKernel
    from hologram_web.targets.wgsl import WgslKernel

__all__ = ["PARTS", "explain"]


def explain(kernel: Kernel, parts: tuple[str, ...], block: tuple[int, int, int]) -> str:
    """The parts that are asked for, each below a heading. Raises ValueError for a part that there is not."""
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"a kernel has no part {part!r} to explain: there are {', '.join(PARTS)}")
    texts = {}
    for part in parts or PARTS:
        try:
            texts[part] = PARTS[part](kernel, block)
        except CompileError as error:  # such as one with collectives, which the host runs
            texts[part] = f"not to be had: {error}\n"
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n".join(f"== {part} ==\n{text}" for part, text in texts.items())


def _isa(kernel: Kernel, block: tuple[int, int, int]) -> str:
    """The program with the source line above the instructions it became."""
    labels: dict[int, list[str]] = {}
    for name, place in kernel.program.labels.items():
        labels.setdefault(place, []).append(name)
    lines = [f"{kernel.name}({', '.join(map(str, kernel.program.params))})"]
    before, own = None, kernel.file
    for number, instruction in enumerate(kernel.program.instructions):
        if kernel.lines[number] != before:
            before = kernel.lines[number]
            other = f"{PurePath(before[0]).name}:" if before[0] != own else ""  # of a helper elsewhere
            lines.append(f"{other + str(before[1]):>5} | {kernel.line(number)}".rstrip())
        lines += [f"      {label}:" for label in labels.get(number, ())]
        lines.append(f"          {instruction}")
    lines += [f"      {label}:" for label in labels.get(len(kernel.program), ())]
    return "\n".join(lines) + "\n"


def _ir(kernel: Kernel, block: tuple[int, int, int]) -> str:
    """The function as it is built, and after each pass that changed it."""
    stages: list[str] = []
    _function(kernel, block, lambda name, text: stages.append(f"-- {name} --\n{text}\n"))
    return "".join(stages)


def _passes(kernel: Kernel, block: tuple[int, int, int]) -> str:
    """How often each pass of the optimizer fired."""
    return f"passes: {fired(_function(kernel, block))}\n"


def _variants(kernel: Kernel, block: tuple[int, int, int]) -> str:
    """Which code runs on each device, and why."""
    from hologram_web.targets.wasm.kernel import form_of

    if has_collectives(kernel.program):
        return "".join(f"{line}\n" for line in _collectives(kernel, block))
    function = _function(kernel, block)
    accesses = [access for node in function.nodes() if (access := access_of(node)) is not None]
    checked = sum(access.checked for access in accesses)
    device = _bound(kernel, "wasm")
    choice = form_of(function, getattr(device, "packets", None))
    form = f"{choice.width} lanes side by side"
    if choice.width == 1:
        form = f"lanes one after another, because {choice.reason}"
    elif device is not None and device.fuses:
        form += ", a product and the sum it is in rounded once by relaxed SIMD"
    lines = [
        f"wasm: one module, {form}; {checked} of {len(accesses)} accesses are checked, but for those "
        "that a block proves to be in bounds by its coordinates, the parameters and the sizes"
    ]
    lines += _shaders(with_rounds_together(function), _shader(kernel, block), kernel.program.shared_memory)
    return "\n".join(lines) + "\n"


def _collectives(kernel: Kernel, block: tuple[int, int, int]) -> Iterator[str]:
    """Which launches collectives become."""
    for target in TARGETS:
        device = _bound(kernel, target)
        math, here = (device.math, device.here) if device is not None else ("exact", "")
        yield from of_program(kernel.program, block, target, math, here)
    if IN_PAGE:
        yield from STATE
    yield "what lanes do around them: hg.compile(kernel).artifact has its code"


def _shaders(function: Function, compiled: WgslKernel[Node], shared: int) -> Iterator[str]:
    """Lines about the shaders of a kernel, in the order in which launches and files look at their conditions."""
    bounds = Bounds(function, launch=True)
    _, proven = bounds.prove(function.nodes())
    accesses = [checks for node in function.nodes() if (checks := checks_of(node))]
    needless = proven | repeated(function)
    still = sum(not needless.issuperset(checks) for checks in accesses)
    names = [name for name, _ in compiled.scalars]
    fast = [
        each
        for each in compiled.fast
        if with_formulas(replace(compiled, fast=(each,)), names, compiled.bases, shared).fast
    ]
    if not fast:
        yield f"webgpu: one shader, with checks: {with_formulas(compiled, names, compiled.bases, shared).why}"
    what = f"a shader with checks of {still} of {len(accesses)} accesses" if still else "a shader without checks"
    for number, each in enumerate(fast):
        wanted = " and ".join(map(shown, each.conditions)) or "always"
        start = "webgpu: " if number == 0 else "else "
        several = f", {each.blocks} blocks a workgroup," if each.blocks > 1 else ""
        last = "; else the one with all checks" if still else "; else the one with checks"
        yield f"{start}{what}{several} if {wanted}{last if number == len(fast) - 1 else ''}"


def _function(kernel: Kernel, block: tuple[int, int, int], show: Callable[[str, str], None] | None = None) -> Function:
    for number, instruction in enumerate(kernel.program.instructions):
        if instruction.row.collective:
            where = "hg.compile(kernel).artifact has all of it"
            raise UnsupportedInstruction(number, f"what the whole launch does once is code of its own: {where}")
    return lane_function(analyze(kernel.program), block, passes=partial(optimize, show=show))


def _bound(kernel: Kernel, name: str) -> Any:
    """The device that the kernel is bound to, if it is of that name and compiles here: what it runs is shown. Others
    run what is compiled for any device of the target, as files have it."""
    device: Any = kernel.device
    return device if device is not None and device.name == name and hasattr(device, "kernel_of") else None


def _shader(kernel: Kernel, block: tuple[int, int, int]) -> WgslKernel[Node]:
    from hologram_web.targets import wgsl

    function = _function(kernel, block)
    if device := _bound(kernel, "webgpu"):
        shader: WgslKernel[Node] = device.kernel_of(kernel.program, block)
        return shader
    groups = wgsl.apart(wgsl.memories_of(analyze(kernel.program)))
    return wgsl.compile_kernel(function, groups, kernel.program.shared_memory)


def _module(kernel: Kernel, block: tuple[int, int, int]) -> WasmKernel:
    from hologram_web.targets.wasm import compile_kernel

    function = _function(kernel, block)
    if device := _bound(kernel, "wasm"):
        module: WasmKernel = device.kernel_of(kernel.program, block)
        return module
    return compile_kernel(function)


def _wgsl(kernel: Kernel, block: tuple[int, int, int]) -> str:
    return _shader(kernel, block).code


def _wat(kernel: Kernel, block: tuple[int, int, int]) -> str:
    from .disassemble import disassemble

    return disassemble(_module(kernel, block).code)


PARTS: dict[str, Callable[[Kernel, tuple[int, int, int]], str]] = {
    "isa": _isa,
    "ir": _ir,
    "passes": _passes,
    "wgsl": _wgsl,
    "wat": _wat,
    "variants": _variants,
}
