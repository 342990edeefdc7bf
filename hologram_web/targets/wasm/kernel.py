"""Kernels: a function of IR as a WebAssembly function over a range of blocks.

`kernel(arguments, begin, end)` runs the lanes of blocks begin to end - 1. `arguments` is the address of the argument
block; its layout is ARGUMENTS, then 8 bytes for each scalar (all bytes of a wide integer), then address and size (u32
each) of each memory. A fault is written into the status words, and the kernel returns at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from ...compiler.accesses import access_of
from ...compiler.fission import Fission
from ...compiler.ir import Function
from ...compiler.legalise import legalise
from ...compiler.likely import with_likely
from ...compiler.out_of_ssa import argument_starts
from ...compiler.packet_forms import Forms
from ...compiler.passes import optimize
from ...compiler.passes.unroll import unroll_loops
from ...compiler.ranges import Ranges
from ...compiler.recursion import deep_recursion
from ...compiler.several_rounds import with_rounds_together
from ...compiler.structure import structure
from ...compiler.taken import taken
from ...compiler.together import checked_together
from ...compiler.turned import copied, turned
from ...compiler.whole_rounds import with_whole_rounds
from ...errors import UnsupportedInstruction
from ...garbage import seldom_collected
from ...isa.address import Space
from ...isa.types import Type
from ...isa.verify import Base
from .addresses import Addresses
from .barriers import Division, LaneRuns, Runs, Segments
from .blocks import Blocks, leaf
from .choice import Choice, chosen
from .code import ARGUMENTS, FAULT_KINDS, Code
from .effects import Effects
from .encoder import Instr
from .lanes import Lanes
from .packet_accesses import PacketAccesses
from .packet_effects import PacketEffects
from .packet_faults import PacketFaults
from .packet_runs import PacketRuns
from .packet_steps import PacketSteps
from .packets import Packets
from .polls import FIRST_TICKS, Polls
from .reciprocals import with_reciprocals
from .routines import Routines
from .trees import ScalarStatements
from .values import TRAITS, Values
from .vectors import Vectors
from .wide import Wide, is_wide

__all__ = ["ARGUMENTS", "FAULT_KINDS", "FIRST_TICKS", "WasmKernel", "WasmOptions", "compile_kernel", "form_of"]


# Packets select by masks alone, whose bytes are all ones or zeros. Truncation is relaxed where ranges have numbers fit.
_RELAXED: dict[Instr, Instr] = {("v128.bitselect",): ("i8x16.relaxed_laneselect",)}
_PLAIN: dict[Instr, Instr] = {
    ("i8x16.relaxed_laneselect",): ("v128.bitselect",),
    ("i32x4.relaxed_trunc_f32x4_s",): ("i32x4.trunc_sat_f32x4_s",),
}


@dataclass
class WasmKernel:
    """A compiled kernel. `scalars` and `bases` name what the argument block holds, in order.

    `spill` is the number of bytes each lane needs across barriers and for local memory, `code` the module's bytes.
    `atomic` is whether it has atomics on memory that several threads may be at. `relaxed` is a module with the same
    results for engines with relaxed SIMD, if that gains something. `why` is why lanes go one after another, if they do.
    """

    code: bytes
    scalars: list[tuple[str, Type]]
    bases: list[Base]
    spill: int
    block_lanes: int
    atomic: bool
    relaxed: bytes = b""
    why: str = ""

    @property
    def arguments_size(self) -> int:
        return self.memories_at + 8 * len(self.bases)

    @property
    def memories_at(self) -> int:
        """Where the memories are in the argument block."""
        return ARGUMENTS["values"] + argument_starts(self.scalars)[-1]


class _Kernel:
    """Writes a kernel, lane after lane or in packets; `block` writes what a block does."""

    def __init__(self, function: Function, options: WasmOptions, choice: Choice) -> None:
        self.code = code = Code(function, choice.width)
        self.polls = polls = Polls(code)
        self.routines = Routines(code.module, options.wide_arithmetic, lambda: polls.look_routine(()), options.fuses)
        self.why, self.parts = choice.reason, list[Any]()
        given = code.body, dict(code.lowered.variables), partial(leaf, code), self.routines, Ranges(function)
        self.values = values = Values(*given) if choice.forms is None else Vectors(*given, choice.forms, choice.width)
        self.wide = Wide(function, values, lambda: code.get("frame"), code.wide_scalar)
        if any(is_wide(node.ty) for node in function.nodes()):
            if isinstance(values, Vectors):
                from .packet_wide import WideLanes

                self.wide = values.wide_lanes = WideLanes(code, values)
            values.wide = self.wide
        self.blocks, self.effects = Blocks(code, values, self.wide, polls), Effects(code, values, self.wide, polls)
        self.statements = ScalarStatements(code, values, self.wide, self.effects)
        if isinstance(values, Vectors) and choice.forms is not None:
            self.block = self._in_packets(values, choice.forms, options.splats)
        else:
            self.block = self._lane_by_lane()

    def _lane_by_lane(self) -> Callable[[], None]:
        code, values = self.code, self.values
        lanes = Lanes(code, values, self.statements, self.effects, self.polls, self.blocks)
        if code.plan is not None:
            return self._divided(code.plan, LaneRuns(code, values, self.wide, lanes))
        if code.segmented:
            return Segments(code, values, self.wide, self.effects, self.polls, lanes).block
        return lambda: lanes.both_ways(code.lowered.pieces, structure(code.lowered.resumes[0]), lanes.fresh)

    def _in_packets(self, values: Vectors, forms: Forms, splats: bool) -> Callable[[], None]:
        code = self.code
        faults, addresses = PacketFaults(code, values, self.effects), Addresses(code, values, splats)
        steps, accesses = PacketSteps(code, values, faults), PacketAccesses(code, values, faults, addresses, splats)
        effects = PacketEffects(values, self.effects, faults, accesses)
        packets = Packets(code, values, forms, self.statements, effects, faults, steps, self.polls, self.blocks)
        self.parts += [packets, accesses]
        if code.plan is not None:
            return self._divided(code.plan, PacketRuns(code, values, steps, packets))
        if code.segmented:
            from .packet_segments import PacketSegments

            segments = PacketSegments(code, values, steps, packets, self.effects, self.polls)
            self.parts.append(segments)
            return segments.block
        return lambda: packets.both_ways(code.lowered.pieces, structure(code.lowered.resumes[0]), packets.fresh)

    def _divided(self, plan: Fission, runs: Runs) -> Callable[[], None]:
        division = Division(self.code, plan, self.values, self.statements, self.effects, self.polls, runs)
        self.parts += [runs, division]
        return division.block

    def made(self) -> WasmKernel:
        code, put = self.code, self.code.put
        self.blocks.prologue()
        put(("local.get", 1), ("local.tee", code.named("block")), ("local.get", 2), ("i32.lt_s",), ("if", None))
        self.blocks.first()
        put(("loop", None))
        self.blocks.begin()
        put(("block", None))
        self.blocks.enter()
        self.block()
        put(("end",))
        self.blocks.next()
        put(("local.get", 2), ("i32.lt_s",), ("br_if", 0), ("end",), ("end",))
        # The frame is behind the spills of all lanes, in parts that lanes have for it.
        own = 0 if code.stride else code.own_room
        frame = -(-(self.wide.size + own) // code.lanes // 8) * 8
        raw, relaxed = self._encoded(_RELAXED) if self.routines.relaxes else code.module.encode(), b""
        if self.routines.relaxes and not self.routines.fuses:
            raw, relaxed = self._encoded(_PLAIN), raw
        spill = code.stride + frame
        made = WasmKernel(raw, code.scalars, code.bases, spill, code.lanes, code.atomic, relaxed, self.why)
        # What else there is lies in cycles, which Python's collector would go through.
        for part in (*code.module.functions, *self.parts, self.values, code, self):
            vars(part).clear()
        return made

    def _encoded(self, others: dict[Instr, Instr]) -> bytes:
        """The module with other instructions in place of some."""
        for function in self.code.module.functions:
            function.code[:] = [others.get(instr, instr) for instr in function.code]
        return self.code.module.encode()


def check_supported(function: Function) -> None:
    """Raises CompileError for what the target does not have."""
    for node in function.nodes():
        access = access_of(node)
        if access is not None and access.base.space is Space.POINTER:
            raise UnsupportedInstruction(access.at, "an address without a base")


class WasmOptions(NamedTuple):
    """The arguments of `compile_kernel` that a device decides; equal ones give equal modules."""

    wide_arithmetic: bool = False
    packets: int | None = None
    fuses: bool = False
    splats: bool = False


def form_of(function: Function, packets: int | None = None) -> Choice:
    """Whether a kernel is made of packets of lanes, and why not; `packets` as `compile_kernel` takes it."""
    with deep_recursion():
        return chosen(_legal(function), packets)


def _legal(function: Function, fuses: bool = False) -> Function:
    """The function as it is written, in types of the target. It stays as it is.

    Loops with barriers are unrolled here alone, as WebAssembly goes through them block by block (a tree of eight levels
    in shared memory took 0.8 of the time): shaders gain nothing, and engines compile longer ones for longer.
    """
    if any(block.end.kind == "barrier" for block in function.blocks):
        trees = copied(function)
        function = optimize(trees) if unroll_loops(trees, True) else function
    together = with_rounds_together(with_reciprocals(function) if fuses else function)
    return checked_together(turned(legalise(together, TRAITS)))


@seldom_collected()
def compile_kernel(
    function: Function,
    wide_arithmetic: bool = False,
    packets: int | None = None,
    fuses: bool = False,
    splats: bool = False,
) -> WasmKernel:
    """The WebAssembly kernel of a function, for engines with wide arithmetic or for all. Raises CompileError.

    `packets` are the lanes of a packet, where the code can be one; 1 for lane after lane, and None to choose. Where it
    `fuses`, for engines with relaxed SIMD, packets may round a product and the sum it is in once, and
    what `math="fast"` allows besides: reciprocals, and MIN and MAX that do not look for NaN and the sign of zero.
    Where it `splats`, for wasmtime, a number is loaded first, and then put into all lanes, and fewer stay in registers.
    """
    check_supported(function)
    with deep_recursion():
        legal = _legal(function, fuses)
        choice = chosen(legal, packets)
        if choice.forms is not None and (made := with_whole_rounds(legal)) is not legal:
            legal, choice = made, chosen(made, choice.width)
        if choice.forms is not None and (made := with_likely(legal)) is not legal:
            legal, choice = made, chosen(made, choice.width)
        if choice.forms is not None and (made := taken(choice.forms)) is not legal:
            legal, choice = made, chosen(made, choice.width)
        return _Kernel(legal, WasmOptions(wide_arithmetic, packets, fuses, splats), choice).made()
