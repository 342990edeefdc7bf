"""What an operation of the tensor library is: a row with its extents, its reference, and the launches it becomes.

Kernels are functions in the language of Python kernels, whose operands are `Elements[T]`: arrays that start anywhere in
a buffer. Sizes may be symbols (plan/symbols.py), which do the same as integers by methods of their own: code that makes
launches may not branch on a size. What is chosen by a size is launched `times` 1 or 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..errors import CompileError
from ..frontends.python.names import InstructionFunction
from ..isa.elements import ElementType
from ..isa.program import Program
from ..isa.row import Row
from ..isa.types import Type
from .schedules import DeviceTraits

if TYPE_CHECKING:
    from .fuse import Fusion

__all__ = [
    "FACTOR",
    "MOST",
    "PIECE",
    "ROW_LANES",
    "Operands",
    "PartLaunch",
    "TensorOperation",
    "across",
    "at_least",
    "at_most",
    "beyond",
    "ceildiv",
    "extents",
    "flag",
    "function",
    "part",
    "product",
    "rows_of_lanes",
    "summable",
    "too_many",
    "whole_factors",
]

FACTOR = Type.I64  # what factors of integer collectives are, before they wrap


@dataclass
class Operands:
    """The operands of a collective, as attributes: sizes and factors as numbers, addresses as None or not None.

    `first` is where each address operand starts, in units of its type's alignment. `most` is how many elements an
    operand may have at most, where its memory tells before the number is known: temporaries are made for as many.
    `late` says that some number is not known before, so that temporaries may not be made for it. `fusion` says which of
    them are computed by functions (fuse.py). References call the instructions of lanes on arrays: `lane("exp", ty, x)`.
    `here` is empty in files.
    """

    values: dict[str, Any]
    first: dict[str, Any]
    most: dict[str, Any] = field(default_factory=dict)
    late: bool = False
    fusion: Fusion | None = None
    lane: Callable[..., Any] | None = None
    here: str = "processor"

    def computes(self, name: str) -> bool:
        """Whether what is read of an operand is computed, so that no memory has it."""
        return self.fusion is not None and name in self.fusion.read

    def __getattr__(self, name: str) -> Any:
        try:
            return self.values[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(frozen=True)
class PartLaunch:
    """One launch of a lane program: `lanes` along x, y and z, in blocks of `block`.

    `buffers` gives for each buffer parameter the operand of the collective whose memory it is, or a temporary;
    `scalars` the values of the scalar parameters. `temporaries` are buffers, with their bytes, that this launch and
    those after it use. It runs `times` times, which depends on sizes. `fast` allows shader compilers to rewrite
    F32 arithmetic (isa.md section 3, `math="fast"`). `why` is what `explain` says of it: which faster way is not taken,
    and why, or which is. Of the operands it writes, `fresh` are those that it reads only where it wrote before. The
    program is made when it is first asked for: a device translates no kernel that its sizes rule out.
    """

    make: Callable[[], tuple[Program, dict[str, str], Mapping[str, Any]]]  # the program, buffers and scalars
    lanes: tuple[Any, ...]
    block: tuple[int, int, int]
    temporaries: Mapping[str, Any] = field(default_factory=dict)
    times: Any = 1
    fast: bool = False
    why: str = ""
    fresh: tuple[str, ...] = ()

    @cached_property
    def _made(self) -> tuple[Program, dict[str, str], Mapping[str, Any]]:
        return self.make()

    @property
    def program(self) -> Program:
        return self._made[0]

    @property
    def buffers(self) -> dict[str, str]:
        return self._made[1]

    @property
    def scalars(self) -> Mapping[str, Any]:
        return self._made[2]


@dataclass(frozen=True)
class TensorOperation:
    """A row of the tensor library.

    `extents(o)` says how many elements each address operand has, what is read before what is written; None where only
    other elements tell: there are as many as memory has, and kernels check. `launches(o, traits)` is what it does.
    `reference(np, o, **arrays)` gives the elements of what is written, a dict where that are several, from those that
    are read (flat arrays; floats in F64), for the device `cpu`; where they are masked, memory stays as it is.
    `check(o)` is text of what is wrong with its numbers, which are known when programs are made.
    `updated` are those written that are read, too, by the reference. An operation `in_place` reads element i of its
    sources for element i of its result only. What is written may be computed on (fuse.py) where `epilogue` is no None:
    no kernel reads its result back, or writes an element twice but with the same value. It is the number that says how
    long rows are of which kernels have `row` and `column`, if they do. `apart` is why there is none, where that is to
    be told. What is not written `whole`, each element once, cannot be computed on at all. `types` are of operands that
    fused functions take, or write in the place of the row's. `schedules` are what the tuner may time
    (hologram_web_tools/tune.py): the key of the class of sizes, None where one is not known, and texts with constants.
    """

    name: str
    extents: Callable[[Operands], dict[str, Any]]
    launches: Callable[[Operands, DeviceTraits], list[PartLaunch]]
    reference: Callable[..., Any] | None = None
    check: Callable[[Operands], str | None] | None = None
    in_place: bool = False
    updated: tuple[str, ...] = ()
    epilogue: str | None = None
    apart: str = ""
    whole: bool = True
    types: Mapping[str, ElementType] = field(default_factory=dict)
    schedules: Callable[[Operands, DeviceTraits], tuple[str | None, list[Any]]] | None = None

    @property
    def gradient(self) -> Callable[..., Any] | None:
        """Its rule (gradients.py), if it has one."""
        from .gradients import RULES

        rule: Callable[..., Any] | None = RULES.get(self.name)  # type: ignore[assignment]
        return rule


def ceildiv(number: Any, by: int) -> Any:
    return -(-number // by) if isinstance(number, int) else number.ceildiv(by)


def at_least(number: Any, least: int) -> Any:
    return max(number, least) if isinstance(number, int) else number.at_least(least)


def at_most(number: Any, most: int) -> Any:
    return min(number, most) if isinstance(number, int) else number.at_most(most)


def beyond(ty: Type) -> int:
    """An index in front of each buffer, wherever in it an array of that type begins: what touches it is a fault."""
    return -(1 << 31) * ty.alignment // ty.size_bytes


MOST = (1 << 31) - 1  # places of elements, and what is added to them


def too_many(name: str, shape: Iterable[int]) -> str | None:
    """What is wrong with the lengths of an array that are known, which texts have as constants; None if nothing is."""
    lengths = tuple(each for each in shape if isinstance(each, int))
    if min(lengths, default=0) < 0:
        return f"{name} {lengths} has a negative length"
    fits = max(*lengths, math.prod(lengths), 0) <= MOST
    return None if fits else f"{name} {lengths} has more elements than the {MOST:,} whose places fit i32"


def flag(number: Any) -> Any:
    """1 where a number is above 0, else 0."""
    return at_most(at_least(number, 0), 1)


def function(mnemonic: str) -> InstructionFunction:
    """The lane instruction of that mnemonic, as a function that kernels call."""
    return InstructionFunction(mnemonic)


def part(
    o: Operands,
    kernel: FunctionType,
    lanes: tuple[Any, ...],
    block: tuple[int, ...],
    /,
    *,
    buffers: Mapping[str, str] | None = None,
    temporaries: Mapping[str, tuple[Type, Any]] | None = None,
    times: Any = 1,
    fast: bool = False,
    why: str = "",
    fresh: tuple[str, ...] = (),
    scalars: Mapping[str, Any],
    **constants: Any,
) -> PartLaunch:
    """A launch of a kernel. Its arrays are the operands of their names, or what `buffers` says; an operand that is left
    out is any: a kernel does not touch it then. `temporaries` have a type and a number of elements."""
    fusion = o.fusion
    if fusion is not None:
        fusion = fusion.within({name: (buffers or {}).get(name, name) for name in kernel.__annotations__})
    said, first = buffers or {}, dict(o.first)

    def made() -> tuple[Program, dict[str, str], Mapping[str, Any]]:
        from .programs import program_of

        program = program_of(kernel, constants, fusion)
        named = {p.name: said.get(p.name, p.name.removeprefix("more.")) for p in program.params if p.kind == "buffer"}
        there = next(name for name in named.values() if o.values.get(name) is not None or name not in o.values)
        named = {
            name: there if operand in o.values and o.values[operand] is None else operand
            for name, operand in named.items()
        }
        given = dict(scalars) if fusion is None else {**scalars, **{f"more.{n}": o.values[n] for n in fusion.scalars}}
        for param in program.params:
            array, _, what = param.name.rpartition(".")
            if what == "first":
                given[param.name] = first.get(named[array], 0)
        return program, named, given

    sizes = {name: count * ty.size_bytes for name, (ty, count) in (temporaries or {}).items()}
    shape = (*block, 1, 1)[:3]
    return PartLaunch(made, lanes, shape, sizes, times, fast, why, fresh)  # type: ignore[arg-type]


def covering(lanes: tuple[Any, ...], block: tuple[int, ...], together: bool) -> tuple[int, ...]:
    """A block of 64 lanes that go along all axes which are short, where lanes run together and their numbers are known:
    there one that reaches beyond an axis costs as much as one that does not, and a block more than many lanes."""
    if not together or not all(isinstance(length, int) for length in lanes):
        return block
    found, room = [], 64
    for length in lanes:
        found.append(min(1 << max(length - 1, 0).bit_length(), room))
        room //= found[-1]
    return tuple(found)


def along_one(lanes: tuple[Any, ...], together: bool) -> str:
    """Why a block of `covering` is what it is, where it could have covered more axes."""
    known = not together or all(isinstance(length, int) for length in lanes)
    return "" if known else "a block along one axis, however short it is: lengths are not known"


_SHARED = 8_192  # bytes of shared memory for the elements of those lanes
# Lanes of a block that has a row: as many on each device, so that sums have the same order. Of 1024 x 1024 with 64 of
# them and trees of barriers SwiftShader took 157 ms of the processor for Softmax and 147 for LayerNorm, now 81 and 63.
ROW_LANES = 32
PIECE = 64  # elements of a lane that are added up by themselves: of a long row little is lost then
SHORT = 8  # lanes along an axis that do not fill a block


def rows_of_lanes(
    o: Operands,
    kernel: FunctionType,
    together: int,
    /,
    scalars: Mapping[str, Any],
    ways: Iterable[tuple[Any, dict[str, Any]]] = ((1, {}),),
    **constants: Any,
) -> list[PartLaunch]:
    """Launches for rows of an axis of `o.n` elements, `o.inner` apart: `together` LANES for each where they lie side
    by side, else one. Where `inner` is a symbol, it says which of the two is launched. There are several `ways` to do
    rows that lie side by side: how often each, which sizes say, and constants of its own."""
    found = []
    rows = o.outer * o.inner  # of elements side by side: none where `inner` is 0
    alone = flag(o.inner - 1) if o.ty.size_bytes * together <= _SHARED else 1
    ways = [each for each in ways if not isinstance(each[0], int) or each[0]]
    beside = [(together, (1 - alone) * often, (together, rows), more) for often, more in ways]
    for lanes, times, shape, more in (*beside, (1, alone, (o.inner, o.outer), {})):
        if not isinstance(times, int) or times:
            block, said = (lanes if lanes > 1 else 64,), {**constants, **more}
            found.append(part(o, kernel, shape, block, times=times, scalars=scalars, LANES=lanes, **said))
    return found


def across(
    o: Operands,
    kernel: FunctionType,
    lanes: tuple[Any, ...],
    often: Any = 1,
    /,
    *,
    scalars: Mapping[str, Any],
    **constants: Any,
) -> list[PartLaunch]:
    """Launches in blocks of 64 lanes along the first axis, or along the second where the first is short: of a block
    along one element, one lane in 64 would work. All is done `often` times."""
    found, short = [], flag(SHORT - lanes[0])
    for needed, block in ((1 - short, (64, 1)), (short, (1, 64))):
        times = needed * often
        if not isinstance(times, int) or times:
            found.append(part(o, kernel, lanes, block, times=times, scalars=scalars, **constants))
    return found


def whole_factors(row: Row, ty: Type, values: dict[str, Any]) -> None:
    """Factors of an integer collective that are floats lose their fraction, as CVT to `FACTOR` does it: NaN is 0, and
    what is beyond its ends is the end. The integers then wrap."""
    for operand in row.operands:
        factor = values.get(operand.name)
        if operand.kind == "scalar" and ty.is_integer and isinstance(factor, float):
            clipped = max(float(FACTOR.min_value), min(factor, float(FACTOR.max_value)))
            values[operand.name] = 0 if math.isnan(factor) else min(int(clipped), FACTOR.max_value)


def summable(np: Any, ty: Type, values: Any) -> Any:
    """Elements as references add products of them up: floats of at most 32 bits in F32; integers wrap modulo 2**64, and
    so modulo every smaller power of two."""
    if ty.is_integer and not ty.is_wide:
        return np.asarray(values).astype(np.int64, copy=False).astype(np.uint64)
    return np.asarray(values, np.float32) if ty.is_float and ty.size_bytes <= 4 else values


_AT_ONCE = 1 << 12  # products that references add up together: a loop over k takes 5 microseconds a round


def product(np: Any, left: Any, right: Any) -> Any:
    """Stacks of m x k and of k x n matrices of what `summable` gives, multiplied. Sums of floats run over k in
    increasing order, each product rounded before it is added, as those of kernels do."""
    if left.dtype.kind != "f":
        return left @ right
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left, right = (np.broadcast_to(each, (*stack, *each.shape[-2:])) for each in (left, right))
    columns, rows = np.moveaxis(left, -1, 0)[..., None], np.moveaxis(right, -2, 0)[..., None, :]
    total = np.zeros((1, *stack, left.shape[-2], right.shape[-1]), left.dtype)
    some = max(_AT_ONCE // max(total.size, 1), 1)
    for first in range(0, left.shape[-1], some):
        products = columns[first : first + some] * rows[first : first + some]
        if some == 1:
            total += products
        else:
            total = np.add.accumulate(np.concatenate([total, products]), axis=0)[-1:]
    return total[0]


def extents(operation: TensorOperation, operands: Operands, index: int | None = None) -> dict[str, Any]:
    """Elements that a collective touches from each of its addresses on, in the order in which they are checked. Raises
    CompileError for numbers that cannot be."""
    if operation.check is not None and (wrong := operation.check(operands)) is not None:
        raise CompileError(index, f"{operation.name}: {wrong}")
    found = operation.extents(operands)
    return {name: count for name, count in found.items() if operands.values.get(name) is not None}
