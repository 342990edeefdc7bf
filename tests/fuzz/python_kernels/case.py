"""One kernel with its launch: the text, the arrays and scalars it is given; what the oracle and devices make of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from hologram_web.isa import Immediate, Type
from hologram_web.isa.launch import LaunchConfig
from hologram_web.kernels.lanes import asked

from ..case import Case, Memory, Outcome, View
from . import numbers, oracle
from .compounds import Cells
from .forms import Form, leaves
from .module import kernel_of

__all__ = ["Array", "KernelCase", "Scalar", "Whole", "expected", "launch_of"]

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
    form: Form | None = None  # of elements that have parts, each of which has bits

    @property
    def element(self) -> numbers.Ty | Form:
        return self.form or _type(self.ty)


@dataclass(frozen=True)
class Scalar:
    """A scalar parameter and the bits of its value."""

    name: str
    ty: str
    bits: int


@dataclass(frozen=True)
class Whole:
    """A parameter that has parts, complex or a record, and the bits of each."""

    name: str
    form: Form
    bits: tuple[int, ...]

    @property
    def numbers(self) -> list[Scalar]:
        """Those that a program takes."""
        return [
            Scalar(self.name + path, ty.name, n) for (path, ty), n in zip(leaves(self.form), self.bits, strict=True)
        ]


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
    wholes: tuple[Whole, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()  # how each is written

    def with_text(self, text: str) -> KernelCase:
        return replace(self, text=text)

    def __str__(self) -> str:
        """The kernel with comments that say what it was launched with."""
        lines = [f"# seed {self.seed} of profile {self.profile}: lanes {self.lanes}, block {self.block}"]
        lines += [f"# {name} = {written}" for name, written in self.constants]
        for scalar in [*self.scalars, *(number for whole in self.wholes for number in whole.numbers)]:
            lines.append(f"# {scalar.name}: {scalar.ty} = {_shown(scalar.ty, scalar.bits)}")
        for array in self.arrays:
            types = [ty.name for _, ty in leaves(array.element)]
            values = ", ".join(_shown(types[at % len(types)], bits) for at, bits in enumerate(array.bits))
            lines.append(f"# {array.name}: {array.ty}[{', '.join(map(str, array.shape))}] = [{values}]")
        return "\n".join([*lines, self.text])


def _type(name: str) -> numbers.Ty:
    return numbers.BOOL if name == "bool" else numbers.TYPES[name]


def _shown(ty: str, bits: int) -> str:
    return f"{numbers.of_bits(_type(ty), bits)!r}"


def _values(form: numbers.Ty | Form, bits: tuple[int, ...]) -> list[Any]:
    types = [ty for _, ty in leaves(form)]
    return [numbers.of_bits(types[at % len(types)], one) for at, one in enumerate(bits)]


def expected(case: KernelCase) -> Outcome:
    """What Python makes of the kernel. Raises OracleError for one that it cannot speak about."""
    arguments: dict[str, Any] = {}
    for scalar in case.scalars:
        ty = numbers.TYPES[scalar.ty]
        arguments[scalar.name] = numbers.Num(ty, numbers.of_bits(ty, scalar.bits))
    for whole in case.wholes:
        arguments[whole.name] = oracle.Whole(Cells(whole.form, (1,), _values(whole.form, whole.bits)))
    for array in case.arrays:
        arguments[array.name] = Cells(array.element, array.shape, _values(array.element, array.bits))
    oracle.run(case.text, oracle.Launch(case.lanes, case.block, arguments, dict(case.constants)))
    left = []
    for array in case.arrays:
        types, values = [ty for _, ty in leaves(array.element)], arguments[array.name].values
        left.append(b"".join(_bytes(types[at % len(types)], value) for at, value in enumerate(values)))
    return Outcome(None, "", tuple(left))


def _bytes(ty: numbers.Ty, value: Any) -> bytes:
    return numbers.bits_of(ty, value).to_bytes(-(-ty.bits // 8), "little")


def launch_of(case: KernelCase) -> Case:
    """The translated kernel as a case of the fuzzer, which any device runs. Raises TranslateError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        kernel = kernel_of(case.text, dict(case.constants))
    memories = {array.name: _memory(array) for array in case.arrays}
    shapes = {array.name: array.shape for array in case.arrays}
    arguments: dict[str, Memory | Immediate] = {}
    given = [*case.scalars, *(number for whole in case.wholes for number in whole.numbers)]
    scalars = {scalar.name: scalar for scalar in given}
    for param in kernel.program.params:
        if param.name in memories:
            arguments[param.name] = memories[param.name]
        elif param.name in scalars:
            assert param.ty is not None
            arguments[param.name] = Immediate(param.ty, scalars[param.name].bits)
        else:
            name, axis = kernel.hidden[param.name]
            arguments[param.name] = Immediate.of(Type.I32, shapes[name][axis])
    single = len(case.lanes) == 1
    config: LaunchConfig = asked((case.lanes[0], case.block[0]) if single else (case.lanes, case.block)).config
    features = tuple(name for name, word in _FEATURES.items() if word in case.text)
    return Case(kernel.program, config, arguments, seed=case.seed, profile=case.profile, features=features)


def _memory(array: Array) -> Memory:
    """Elements one after the other, the parts of each without gaps."""
    views, data = [], b""
    types = [ty for _, ty in leaves(array.element)]
    for at, bits in enumerate(array.bits):
        ty = types[at % len(types)]
        if at == 0 or len(types) > 1:
            views.append(View(len(data), _stored(ty), 1 if len(types) > 1 else prod(array.shape)))
        data += bits.to_bytes(-(-ty.bits // 8), "little")
    return Memory(array.name, "buffer", data, views)


def _stored(ty: numbers.Ty) -> Type:
    return Type.U8 if ty is numbers.BOOL else Type.named(ty.name)
