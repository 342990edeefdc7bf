"""A random case of a collective: its text, its arrays, how far each result may be from `cpu`; and how it is run."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg
from hologram_web.backends.webgpu.gpu import Gpu
from hologram_web.isa.table import BY_MNEMONIC
from hologram_web.isa.types import WIDE
from hologram_web_tools.cpu.vector_ops import VECTOR_OPS

from .fuzz.devices import reference

__all__ = [
    "UNIT",
    "Array",
    "Bound",
    "Case",
    "Chance",
    "difference",
    "executed",
    "listed",
    "near",
    "numbers",
    "random_of",
    "run",
    "type_in",
    "types_of",
    "whole",
]

Array = NDArray[Any]
Chance = random.Random
Bound = Callable[[Array], Any]
UNIT = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}
_BEHIND = 3  # elements behind each array, which nobody may touch


@dataclass
class Case:
    """The operands of an instruction as text, where `[name]` is an array; what is in the arrays before. `bound(found)`
    says for each result how far it may be from what `cpu` found, where not its bits are wanted; `shaders` the same
    where these have divisions, roots and functions of their own. Where results are `sums` of products, bounds say how
    far they may be from what `cpu` finds in F64 by the instruction of that name, and their bits are wanted, too."""

    text: str
    arrays: dict[str, Array]
    bound: dict[str, Bound] = field(default_factory=dict)
    of: str = ""  # the operation in the mnemonic
    shaders: dict[str, Bound] = field(default_factory=dict)
    sums: str = ""


def random_of(chance: Chance) -> np.random.Generator:
    return np.random.default_rng(chance.randrange(1 << 30))


def numbers(chance: Chance, ty: str, size: int) -> Array:
    """Multiples of 1/64, which every type of floats holds and whose sums are exact in F32; or integers."""
    given = random_of(chance).integers(-96, 96, size)
    return given / 64.0 if ty in UNIT else abs(given) if ty.startswith("u") else given


def listed(values: Any) -> str:
    return f"({', '.join(map(str, values))})"


def near(ty: str, k: int, about: Array) -> Bound:
    """The bound of sums of k products; `about` is norm(a) * norm(b), and what is added to them."""
    unit = 2.0 ** -(51 if ty == "f64" else 22)
    return lambda wanted: np.sqrt(max(k, 1)) * unit * about + UNIT[ty] * abs(wanted) + 2.0**-24 * (ty == "f16")


def types_of(name: str) -> list[str]:
    """The types of an instruction's elements, without integers of more than 64 bits."""
    row = BY_MNEMONIC[name]
    operand = row.operands[row.positions["ty"]]
    return sorted(str(ty) for ty in operand.allowed - WIDE)


def whole(chance: Chance, ty: str, case: Case, *arrays: str) -> Case:
    """A case of integers with any of the type in its arrays: sums wrap, and have the same bits everywhere."""
    if ty not in UNIT:
        least, most = int(hg.Type[ty.upper()].min_value), min(int(hg.Type[ty.upper()].max_value), (1 << 63) - 1)
        for name in arrays:
            case.arrays[name] = random_of(chance).integers(least, most, case.arrays[name].size, np.int64, endpoint=True)
        case.bound, case.shaders, case.sums = {}, {}, ""
    return case


def type_in(name: str, array: str, ty: str) -> str:
    """The type of an operand's elements."""
    found = next(each.type for each in BY_MNEMONIC[name].operands if each.name == array)
    return ty if found in ("", "ty", "b_ty") else found


def run(device: Any, name: str, ty: str, case: Case) -> dict[str, Array]:
    types = {array: type_in(name, array, ty) for array in case.arrays}
    params = "".join(f".param {array}: buffer {types[array]}\n" for array in case.arrays)
    of = f".{case.of}" if case.of else ""
    return executed(device, hg.Program.from_text(f"{params}    {name}{of}.{ty} {case.text}\n"), types, case.arrays)


def executed(
    device: Any,
    program: hg.Program,
    types: dict[str, str],
    arrays: dict[str, Array],
    before: int = 0,
    **scalars: Any,
) -> dict[str, Array]:
    """What is in arrays after a launch of one lane, with so many elements before and behind what they hold."""
    buffers = {}
    for array, values in arrays.items():
        given = values if types[array] in UNIT else values.astype(int)
        given = np.concatenate([np.arange(before), given.ravel(), np.arange(_BEHIND)])
        buffers[array] = hg.TypedBuffer.allocate(device, hg.Type[types[array].upper()], given.size)
        buffers[array].copy_to(given.tolist())
    held = {array: buffer.raw() for array, buffer in buffers.items()} | scalars
    held |= {f"{array}.shape0": buffers[array].count() for array in buffers if program.param(f"{array}.shape0")}
    device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), held))
    found = {}
    for array, buffer in buffers.items():
        values = np.array(buffer.copy_from())
        if types[array] == "bf16":
            values = values.astype(np.uint32).__lshift__(16).view(np.float32)
        found[array] = values.astype(np.float64) if types[array] in UNIT else values
        buffer.free()
    return found


def _in_order(device: Any) -> bool:
    """Whether it rounds a product before it adds it: compilers of GPUs, and so browsers', need not."""
    return not device.name.endswith("webgpu") or (device.name == "webgpu" and not Gpu.shared().real)


def _rounded(name: str, ty: str, case: Case) -> Case:
    """With elements that the type has."""
    made = {}
    for array, values in case.arrays.items():
        of = hg.Type[type_in(name, array, ty).upper()]
        held = VECTOR_OPS.cvt(of, hg.Type.F64, np.asarray(values, np.float64)) if of is not hg.Type.F64 else values
        made[array] = VECTOR_OPS.cvt(hg.Type.F64, of, held) if of is not hg.Type.F64 else values
    return replace(case, arrays=made)


def difference(name: str, ty: str, case: Case, device: Any) -> str:
    """What `cpu` finds and a device does not; empty if nothing is."""
    bounds = case.bound | (case.shaders if device.name.endswith("webgpu") else {})
    wanted, found = (run(each, name, ty, case) for each in (reference(), device))
    if case.sums:
        if _in_order(device) and (told := _beyond(found, wanted, {})):
            return f"in order, {told}"
        wanted |= {array: run(reference(), case.sums, "f64", _rounded(name, ty, case))[array] for array in bounds}
    return _beyond(found, wanted, bounds)


def _beyond(found: dict[str, Array], wanted: dict[str, Array], bounds: dict[str, Bound]) -> str:
    for array, values in wanted.items():
        far: Any = 0
        if array in bounds:
            far = np.append(bounds[array](values[:-_BEHIND]), np.zeros(_BEHIND))
        with np.errstate(invalid="ignore"):
            same = (found[array] == values) | (np.isnan(found[array]) & np.isnan(values))
            same |= abs(found[array] - values) <= far if array in bounds else False
        if not same.all():
            at = np.flatnonzero(~same)[:3]
            return f"{array} {at} is {found[array][at]}, not {values[at]}"
    return ""
