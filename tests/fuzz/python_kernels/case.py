"""One kernel with its launch: the text, the arrays and scalars it is given; what the oracle and devices make of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from hologram_web import kernel_from_source
from hologram_web.isa import Immediate, Type
from hologram_web.isa.launch import LaunchConfig
from hologram_web.kernels.lanes import asked

from ..case import Case, Memory, Outcome, View
from . import numbers, oracle
from .namespace import Cells

__all__ = ["Array", "KernelCase", "Scalar", "expected", "launch_of"]

_FEATURES = {
    "loop": " in range(",
    "while": "while ",
    "written out": "for c",
    "conditional": " else ",
    "barrier": "hg.barrier()",
    "blocks": "hg.block_",
    "shuffle": "hg.shuffle",
    "local": "hg.local(",
    "helper": "def g",
    "atomic": "hg.atomic_",
    "return": "return\n",
}


@dataclass(frozen=True)
class Array:
    """An array parameter: its type by name, its shape and the bits of its elements."""

    name: str
    ty: str
    shape: tuple[int, ...]
    bits: tuple[int, ...]


@dataclass(frozen=True)
class Scalar:
    """A scalar parameter and the bits of its value."""

    name: str
    ty: str
    bits: int


@dataclass(frozen=True)
class KernelCase:
    """What is run. `lanes` and `block` have one or two axes."""

    text: str
    lanes: tuple[int, ...]
    block: tuple[int, ...]
    arrays: tuple[Array, ...]
    scalars: tuple[Scalar, ...] = ()
    seed: int = 0
    profile: str = "python"

    def with_text(self, text: str) -> KernelCase:
        return replace(self, text=text)

    def __str__(self) -> str:
        """The kernel with comments that say what it was launched with."""
        lines = [f"# seed {self.seed} of profile {self.profile}: lanes {self.lanes}, block {self.block}"]
        for scalar in self.scalars:
            lines.append(f"# {scalar.name}: {scalar.ty} = {_shown(scalar.ty, scalar.bits)}")
        for array in self.arrays:
            values = ", ".join(_shown(array.ty, bits) for bits in array.bits)
            lines.append(f"# {array.name}: {array.ty}[{', '.join(map(str, array.shape))}] = [{values}]")
        return "\n".join([*lines, self.text])


def _shown(ty: str, bits: int) -> str:
    return f"{numbers.of_bits(numbers.TYPES[ty], bits)!r}"


def expected(case: KernelCase) -> Outcome:
    """What Python makes of the kernel. Raises OracleError for one that it cannot speak about."""
    arguments: dict[str, Any] = {}
    for scalar in case.scalars:
        ty = numbers.TYPES[scalar.ty]
        arguments[scalar.name] = numbers.Num(ty, numbers.of_bits(ty, scalar.bits))
    for array in case.arrays:
        ty = numbers.TYPES[array.ty]
        arguments[array.name] = Cells(ty, array.shape, [numbers.of_bits(ty, bits) for bits in array.bits])
    oracle.run(case.text, oracle.Launch(case.lanes, case.block, arguments))
    left = []
    for array in case.arrays:
        ty, values = numbers.TYPES[array.ty], arguments[array.name].values
        left.append(b"".join(numbers.bits_of(ty, value).to_bytes(ty.bits // 8, "little") for value in values))
    return Outcome(None, "", tuple(left))


def launch_of(case: KernelCase) -> Case:
    """The translated kernel as a case of the fuzzer, which any device runs. Raises TranslateError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        kernel = kernel_from_source(case.text)
    memories = {array.name: _memory(array) for array in case.arrays}
    shapes = {array.name: array.shape for array in case.arrays}
    arguments: dict[str, Memory | Immediate] = {}
    scalars = {scalar.name: Immediate(Type.named(scalar.ty), scalar.bits) for scalar in case.scalars}
    for param in kernel.program.params:
        if param.name in memories:
            arguments[param.name] = memories[param.name]
        elif param.name in scalars:
            arguments[param.name] = scalars[param.name]
        else:
            name, axis = kernel.hidden[param.name]
            arguments[param.name] = Immediate.of(Type.I32, shapes[name][axis])
    single = len(case.lanes) == 1
    config: LaunchConfig = asked((case.lanes[0], case.block[0]) if single else (case.lanes, case.block)).config
    features = tuple(name for name, word in _FEATURES.items() if word in case.text)
    return Case(kernel.program, config, arguments, seed=case.seed, profile=case.profile, features=features)


def _memory(array: Array) -> Memory:
    ty = Type.named(array.ty)
    data = b"".join(bits.to_bytes(ty.size_bytes, "little") for bits in array.bits)
    return Memory(array.name, "buffer", data, [View(0, ty, prod(array.shape))])
