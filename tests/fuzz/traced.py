"""`cpu` that runs the optimized IR of a program, and holds the analysis of lanes to what it says of it.

The lanes of a block go together, as compiler/lanes.py says that they do: those that parted wait for each other. What it
says of a value, an access or a branch is compared with what the lanes of a group have. Raises AssertionError where one
is otherwise. Programs with collectives or Atlas state run as on `cpu`.

    python -m tests.fuzz --devices traced --profile exact:300,faults:200
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hologram_web.compiler.accesses import access_of, axes_of
from hologram_web.compiler.build import build
from hologram_web.compiler.check import check
from hologram_web.compiler.ir import PRED, Block, Function, MemoryAccess, Node
from hologram_web.compiler.lanes import LaneAnalysis
from hologram_web.compiler.legalise import legalise
from hologram_web.compiler.library import routine_of
from hologram_web.compiler.operations import OPERATIONS
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.shapes import ANY, SOME, Shape, Stride
from hologram_web.compiler.traits import Traits
from hologram_web.errors import ExecutionError, FaultKind
from hologram_web.isa.address import ON_CHIP, Space
from hologram_web.isa.cfg import END
from hologram_web.isa.ops import SCALAR_OPS
from hologram_web.isa.types import Type
from hologram_web.targets.wasm.values import TRAITS
from hologram_web.targets.wgsl.language import traits_of
from hologram_web_tools.cpu import CpuBackend
from hologram_web_tools.cpu.collective_functions import canonical_reduce
from hologram_web_tools.cpu.memory import LanePlaces, MemoryRegion, byte_offsets, checked, gather, scatter
from hologram_web_tools.cpu.vector_ops import VECTOR_OPS

from .lane_order import Order

__all__ = ["SEEN", "LegalBackend", "PairsBackend", "TracedBackend", "difference"]

Array = NDArray[Any]
SEEN: Counter[str] = Counter()  # claims that were looked at while lanes differed in something: "affine", "uniform"
_FIRST = ("const", "cvt", "bitcast", "call", "call_if", "pand", "por", "pnot")
_OF_OPERANDS = ("eq", "lt", "le", "popcount", "clz", "ctz")


class TracedBackend(CpuBackend):
    """Each block of a launch by itself, one after the other."""

    traits: Traits | None = None
    _functions: ClassVar[dict[Any, Any]] = {}

    def _compiled(self, analysis: Any, block: tuple[int, int, int]) -> tuple[Function, LaneAnalysis, Order]:
        """What is traced; the analysis of the program is kept with it, so that its number stays its own."""
        key = id(analysis), block, self.traits
        if key not in self._functions:
            if len(self._functions) > 64:
                self._functions.clear()
            function = optimize(build(analysis, block))
            if self.traits is not None:
                function = legalise(function, self.traits)
                check(function)
            self._functions[key] = analysis, (function, LaneAnalysis(function), Order(function))
        found: tuple[Function, LaneAnalysis, Order] = self._functions[key][1]
        return found

    def _run(self, run: Any) -> None:
        program = run.analysis.program
        if run.analysis.graph.entry == END:
            return
        function, lanes, order = self._compiled(run.analysis, tuple(run.config.block))
        names = {node.attr for node in function.nodes() if node.op == "special"}
        plain = not any(instruction.row.collective for instruction in program.instructions)
        known = {name for name in names if str(name).startswith(("LANE_IDX", "BLOCK_", "GRID_DIM", "GLOBAL_LANE_ID"))}
        if not plain or names != known or any(node.attr not in run.scalars for node in _params(function)):
            super()._run(run)
            return
        SEEN["programs"] += 1
        with np.errstate(all="ignore"):
            for block in range(run.config.blocks):
                _Machine(run, function, lanes, order, block).go()


class LegalBackend(TracedBackend):
    """The same of what `compiler/legalise.py` makes of it for WebAssembly."""

    traits = TRAITS


class PairsBackend(TracedBackend):
    """The same for WGSL, where 64 bits are pairs of words."""

    traits = traits_of("exact")


def _params(function: Function) -> list[Node]:
    return [node for node in function.nodes() if node.op == "param"]


class _Machine:
    """The lanes of one block."""

    def __init__(self, run: Any, function: Function, lanes: LaneAnalysis, order: Order, number: int) -> None:
        self.run, self.function, self.shapes, self.order = run, function, lanes, order
        config = run.config
        self.size = config.block_lanes
        linear = np.arange(self.size, dtype=np.int64)
        x, y, _ = config.block
        self.at = np.stack([linear % x, linear // x % y, linear // (x * y)])
        gx, gy = max(config.grid[0], 1), max(config.grid[1], 1)
        place = number % gx, number // gx % gy, number // (gx * gy)
        self.special: dict[str, Array] = {"GLOBAL_LANE_ID": number * self.size + linear}
        alive = np.ones(self.size, bool)
        for axis, name in enumerate("XYZ"):
            self.special[f"LANE_IDX_{name}"] = self.at[axis]
            self.special[f"BLOCK_IDX_{name}"] = np.full(self.size, place[axis])
            self.special[f"BLOCK_DIM_{name}"] = np.full(self.size, config.block[axis])
            self.special[f"GRID_DIM_{name}"] = np.full(self.size, config.grid[axis])
            if config.lanes is not None:
                alive &= place[axis] * config.block[axis] + self.at[axis] < config.lanes[axis]
        program = run.analysis.program
        shared = program.shared_memory + config.shared_memory
        own = -(-program.local_memory // 16) * 16
        self.memory = {
            Space.SHARED: MemoryRegion("shared memory", np.zeros(-(-shared // 16) * 16, np.uint8), shared),
            Space.LOCAL: MemoryRegion("local memory", np.zeros(self.size * own, np.uint8), program.local_memory, own),
        }
        self.values: dict[Node, Array] = {}
        self.came = np.full(self.size, -1)  # the number of the block that each lane comes from
        self.steps = np.zeros(self.size, np.int64)
        self.parked: dict[Block, Array] = {}
        start = function.blocks[0], False
        self.groups: dict[tuple[Block, bool], Array] = {start: np.flatnonzero(alive)} if alive.any() else {}

    def go(self) -> None:
        while True:
            while self.groups:
                place = self.order.first(list(self.groups))
                self.block(place[0], self.groups.pop(place))
            if not self.parked:
                return
            if len({block.end.at for block in self.parked}) > 1:
                raise ExecutionError(FaultKind.DIVERGENT_BARRIER, None, "lanes wait at several barriers")
            parked, self.parked = self.parked, {}
            for block, lanes in parked.items():
                self.enter(block, block.end.ways[0], lanes)

    def enter(self, source: Block, way: Block, lanes: Array) -> None:
        if not lanes.size:
            return
        self.came[lanes] = source.number
        place = way, self.order.is_back(source, way)
        other = self.groups.get(place)
        self.groups[place] = lanes if other is None else np.sort(np.concatenate([other, lanes]))

    def block(self, block: Block, lanes: Array) -> None:
        """Does a block with a group, which is at its start."""
        found = []
        for phi in block.phis:
            value = np.zeros(lanes.size, _dtype(phi))
            for arg, before in zip(phi.args, block.predecessors, strict=True):
                mine = self.came[lanes] == before.number
                if mine.any():
                    value[mine] = self.values[arg][lanes[mine]]
            found.append((phi, value))
        for phi, value in found:
            self.keep(phi, value, block, lanes)
        for node in block.nodes:
            for arg in node.args:
                self.look(arg, block, lanes)
            result = self.effect(node, lanes) if OPERATIONS[node.op].kind == "effect" else self.pure(node, lanes)
            if node.ty is not None:
                self.keep(node, np.broadcast_to(result, lanes.shape), block, lanes)
        end = block.end
        if end.kind == "barrier":
            others = self.parked.get(block)
            self.parked[block] = lanes if others is None else np.sort(np.concatenate([others, lanes]))
        elif end.kind == "jump":
            self.step(block, end.ways[0], lanes)
        elif end.kind == "branch":
            assert end.value is not None
            self.look(end.value, block, lanes)
            taken = self.values[end.value][lanes]
            axes = self.shapes.divergent.get(block, 0)
            steps: list[Stride] = [ANY if axes >> axis & 1 else 0 for axis in range(3)]
            self.compare(Shape((steps[0], steps[1], steps[2])), taken, lanes, f"the branch of b{block.number}")
            self.step(block, end.ways[0], lanes[taken])
            self.enter(block, end.ways[1], lanes[~taken])

    def step(self, block: Block, way: Block, lanes: Array) -> None:
        if block.end.steps and lanes.size:
            self.steps[lanes] += 1
            if self.steps[lanes].max() > self.run.limits.steps:
                raise ExecutionError(FaultKind.STEP_LIMIT, None, "no steps are left")
            self.run.look_up(0)
        self.enter(block, way, lanes)

    # Claims

    def keep(self, node: Node, value: Array, block: Block, lanes: Array) -> None:
        held = self.values.get(node)
        if held is None:
            held = self.values[node] = np.zeros(self.size, value.dtype)
        held[lanes] = value
        self.compare(self.shapes.of(node), value, lanes, f"%{node.number} in b{block.number}")

    def look(self, node: Node, block: Block, lanes: Array) -> None:
        """A use: what was computed in another block may have been in another round."""
        if OPERATIONS[node.op].kind != "leaf":
            what = f"%{node.number} used in b{block.number}"
            self.compare(self.shapes.at(node, block), self.values[node][lanes], lanes, what)

    def compare(self, shape: Shape, value: Array, lanes: Array, what: str) -> None:
        problem = difference(shape, value, self.at[:, lanes])
        if problem is not None:
            raise AssertionError(f"{what} is no {shape}: {problem}\n{self.function}")

    # Operations

    def pure(self, node: Node, lanes: Array) -> Array:
        if node.op == "const":
            if node.ty == PRED:
                return np.array([bool(node.attr)])
            assert isinstance(node.ty, Type)
            return VECTOR_OPS.const(node.ty, node.attr)
        if node.op == "param":
            return VECTOR_OPS.const(*self.run.scalars[node.attr])
        if node.op == "special":
            assert isinstance(node.ty, Type)
            return self.special[node.attr][lanes].astype(node.ty.numpy)
        if node.op == "call":
            args = [self.values[arg][lanes] for arg in node.args]
            found: Array = routine_of(node.attr).body(VECTOR_OPS, *args)
            return found
        if node.op == "extend":
            value = self.values[node.args[0]][lanes]
            return value.astype(node.attr.numpy).astype(value.dtype)
        if node.op == "bitcast" and isinstance(node.ty, Type) and node.ty.bits > node.attr.bits:
            return _held(self.values[node.args[0]][lanes], node.attr, node)
        if node.op == "cvt_odd":
            assert isinstance(node.ty, Type)
            return _odd(node.ty, node.attr, self.values[node.args[0]][lanes])
        if node.op == "dot":
            x, y = (self.values[arg][lanes] for arg in node.args)
            return (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16)
        if node.op == "opaque":
            return self.values[node.args[0]][lanes]
        name = OPERATIONS[node.op].primitive or node.op
        args = [self.values[arg][lanes] for arg in node.args]
        before: list[Any] = [node.ty]
        if node.op in ("cvt", "bitcast"):
            before = [node.ty, node.attr]
        elif node.op in _OF_OPERANDS or node.op in ("call", "call_if"):
            before = [node.attr]
        elif node.op in _FIRST:
            before = []
        result: Array = getattr(VECTOR_OPS, name)(*before, *args)
        return result

    def place(self, node: Node, access: MemoryAccess, lanes: Array, index: Array) -> LanePlaces:
        region = self.memory[access.base.space] if access.base.space in ON_CHIP else self.run.regions[access.base]
        offsets = byte_offsets(index, access.scale, access.offset, lanes.size)
        return LanePlaces(region, offsets, offsets + lanes * region.stride)

    def fail(self, kind: FaultKind, mask: Array, detail: Any, buffer: Any, offsets: Any) -> None:
        raise ExecutionError(kind, None, detail(int(np.argmax(mask))))

    def effect(self, node: Node, lanes: Array) -> Any:
        args = [self.values[arg][lanes] for arg in node.args]
        if node.op == "fence":
            return None
        if node.op == "guard":
            if args[0].any():
                raise ExecutionError(node.attr[0], None, "a guard")
            return None
        for axis, index, length in axes_of(node):
            places = byte_offsets(self.values[index][lanes], 1, axis.offset, lanes.size)
            ends = np.maximum(byte_offsets(self.values[length][lanes], 1, 0, lanes.size), 0)
            if ((places < 0) | (places >= ends)).any():
                raise ExecutionError(FaultKind.OUT_OF_BOUNDS, None, "an index beyond its axis")
        access = access_of(node)
        assert access is not None
        place = self.place(node, access, lanes, args[0])
        reach = Shape(self.shapes.reach(node), 32)
        self.compare(reach, place.offsets.astype(np.uint64), lanes, f"the place of %{node.number}")
        ty = access.element
        if node.op == "reduce":
            counts = np.maximum(args[1], 0)
            checked(place, ty, counts, self.fail)
            parts = [
                canonical_reduce(node.attr[0], ty, gather(LanePlaces(place.region, offset, start + steps), ty))
                for offset, start, n in zip(place.offsets, place.absolute.tolist(), counts.tolist(), strict=True)
                for steps in (np.arange(n) * ty.size_bytes,)
            ]
            return _held(np.concatenate(parts), ty, node)
        checked(place, ty, 1, self.fail)
        if access.in_word:  # of which the rest is ones: who takes it for a part of the element is wrong
            shift = ((place.offsets & 3) * 8).astype(np.uint32)
            mask = np.uint32((1 << ty.bits) - 1) << shift
            if node.op == "load":
                return (gather(place, ty).view(f"<u{ty.size_bytes}").astype(np.uint32) << shift) | ~mask
            assert not (args[1] & ~mask).any()
            assert (args[2] == mask).all()
            scatter(place, ty, (args[1] >> shift).astype(f"<u{ty.size_bytes}").view(ty.numpy), self.run.descending)
            return None
        if node.op == "load":
            return _held(gather(place, ty), ty, node)
        if node.op == "store":
            value = args[1]
            if node.args[1].ty is not ty:  # a word that holds it
                value = value.astype(f"<u{ty.size_bytes}").view(ty.numpy)
            scatter(place, ty, value, self.run.descending)
            return None
        return self.atomic(node.attr[0], ty, place, args)

    @staticmethod
    def atomic(operation: str, ty: Type, place: LanePlaces, args: list[Array]) -> Array:
        size, bits = ty.size_bytes, np.dtype(f"<u{ty.size_bytes}")
        cells = place.region.data[: place.region.data.size // size * size].view(bits)
        new, old = args[1].view(bits).tolist(), []
        for lane, cell in enumerate((place.absolute // size).tolist()):
            held = int(cells[cell])
            old.append(held)
            if operation == "cas":
                if held == int(args[2].view(bits)[lane]):
                    cells[cell] = new[lane]
            elif operation == "exch":
                cells[cell] = new[lane]
            else:
                name = {"and": "and_", "or": "or_"}.get(operation, operation)
                cells[cell] = getattr(SCALAR_OPS, name)(ty, held, new[lane])
        return np.array(old, bits).view(ty.numpy)


def _dtype(node: Node) -> Any:
    if node.ty == PRED:
        return bool
    assert isinstance(node.ty, Type)
    return object if node.ty.is_wide else node.ty.numpy


def _held(value: Array, ty: Type, node: Node) -> Array:
    """An element as a node holds it: in a word, its bits or with its sign."""
    if node.ty is ty:
        return value
    assert isinstance(node.ty, Type)
    return (value.view(f"<u{ty.size_bytes}") if ty.is_float else value).astype(node.ty.numpy)


def _odd(ty: Type, src: Type, values: Array) -> Array:
    """Numbers as floats, rounded to odd."""
    if src is Type.F64:
        odd: Array = routine_of("f64_to_f32_odd").body(VECTOR_OPS, values)
        return odd
    digits, last = (53, 970) if ty is Type.F64 else (24, 104)
    found = []
    for value in values:
        exact = int(src.decode(value) if src.is_wide else value)
        shift = max(abs(exact).bit_length() - digits, 0)
        kept = abs(exact) >> shift
        kept |= int(kept << shift != abs(exact))
        found.append(math.copysign(math.ldexp(kept, shift) if shift <= last else math.inf, exact))
    return np.array(found, ty.numpy)


# Whether values are what is said of them


def difference(shape: Shape, value: Array, at: Array) -> str | None:
    """How the values of some lanes, whose coordinates are the columns of `at`, are other than a shape says."""
    if value.size < 2:
        return None
    apart = [axis for axis in range(3) if shape.steps[axis] == ANY]
    places = _places(at, apart)
    if np.bincount(places).max() < 2:
        return None
    bits = _patterns(value)
    for mine in _lines(places):
        if mine.size > 1 and (problem := _of_group(shape, bits[mine], at[:, mine])) is not None:
            return problem
    return None


def _places(at: Array, axes: list[int]) -> Array:
    """Numbers from 0, one for each place along these axes."""
    code = np.zeros(at.shape[1], np.int64)
    for axis in axes:
        code = code * (int(at[axis].max()) + 1) + at[axis]
    found: Array = np.unique(code, return_inverse=True)[1]
    return found


def _of_group(shape: Shape, bits: Array, at: Array) -> str | None:
    moving = [axis for axis in range(3) if shape.steps[axis] not in (0, ANY)]
    still = _places(at, moving)
    first = np.zeros(int(still.max()) + 1, int)
    first[still[::-1]] = np.arange(bits.size)[::-1]
    if (bits != bits[first[still]]).any():
        return f"lanes at the same place have {_shown(bits)}"
    SEEN["uniform"] += int((first[still] != np.arange(bits.size)).any())
    if not moving:
        return None
    mask = np.uint64((1 << shape.bits) - 1)
    rest = bits.copy()
    for axis in moving:
        step = shape.steps[axis]
        if isinstance(step, int):
            rest -= np.uint64(step % (1 << 64)) * at[axis].astype(np.uint64)
    unknown = [axis for axis in moving if shape.steps[axis] == SOME]
    if not unknown:
        SEEN["affine"] += 1
        return f"what is left of {_shown(bits)} differs" if ((rest - rest[0]) & mask).any() else None
    for axis in unknown:
        others = [other for other in moving if other != axis]
        lines = _places(at, others)
        pairs = [(rest[m] - rest[m[0]], (at[axis, m] - at[axis, m[0]]).astype(np.uint64)) for m in _lines(lines)]
        up, along = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
        moved = np.flatnonzero(along)
        if moved.size:
            SEEN["affine"] += int(moved.size > 1)
            one = moved[0]
            if ((up * along[one] - up[one] * along) & mask).any():
                return f"{_shown(bits)} has no step along {'xyz'[axis]}"
    return None


def _lines(numbers: Array) -> list[Array]:
    """Where each of the numbers from 0 is."""
    return np.split(np.argsort(numbers, kind="stable"), np.cumsum(np.bincount(numbers))[:-1])


def _patterns(value: Array) -> Array:
    """Numbers that are the same where the values are: bits of integers, NaNs all alike."""
    if value.dtype == object:
        return np.unique(np.array([*value, None], object)[:-1].astype(str), return_inverse=True)[1].astype(np.uint64)
    if value.dtype.kind == "f":
        value = np.where(np.isnan(value), value.dtype.type("nan"), value)
        return np.ascontiguousarray(value).view(f"<u{value.dtype.itemsize}").astype(np.uint64)
    return value.astype(np.uint64)


def _shown(bits: Array) -> str:
    return ", ".join(map(str, bits[:20].astype(np.int64).tolist()))
