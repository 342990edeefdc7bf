"""What several devices of a process do together: buffers of them combined or joined, by way of the host, and a program
that runs on each of them, and meets the others at AllReduce and AllGather.

Each device of a mesh has a thread. At a meeting it hands over its bytes, and waits; whoever comes last computes what
all get. Who waits has given back the lock of its device, as devices on one GPU share one. The meeting ends with an
error for all where a device failed, was done without coming, or came to something else: nobody waits for who does not
come, and what the others launched is cancelled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple, cast

import numpy as np

from hologram_web.backends.compiled import CompiledDevice
from hologram_web.backends.hosted import HostedLaunch
from hologram_web.errors import LaunchError, outermost
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.operands import BinaryMapOperation, ReduceOperation
from hologram_web.isa.program import Program
from hologram_web.isa.types import Type
from hologram_web.isa.verify import Analysis, analysis_of
from hologram_web.plan.plan import BoundsCheck, Launch
from hologram_web.runtime import arrays
from hologram_web.runtime.executor import Buffer, Executor

from .cpu.collective_functions import map_binary
from .cpu.collective_runner import CollectiveOps
from .cpu.cpu_backend import CpuBackend
from .cpu.memory import LanePlaces, MemoryRegion, gather, scatter

__all__ = ["Mesh", "all_gather", "all_reduce"]

_COMBINING = {name: each for each in ReduceOperation for name in (each.name.lower(), each.value)}
_LOOKS = 0.05  # seconds between two looks of who waits at whether its own launch is to end


def all_reduce(operation: str, *buffers: Buffer) -> None:
    """Writes into each of the buffers, which may lie on several devices, what all of them are combined, element by
    element: "sum", "product", "min" or "max". The host does it, in the order of the buffers and with the bits that
    `cpu` has, so that all have the same. Raises LaunchError for buffers that differ in shape or type."""
    if operation not in _COMBINING:
        raise LaunchError(f"all_reduce combines by sum, product, min or max, not {operation!r}")
    _check("all_reduce", buffers, whole=True)
    if len(buffers) < 2:
        return
    found = combined(_COMBINING[operation], cast(Type, buffers[0].dtype), list(map(_raw, buffers)))
    for each in buffers:
        each.changes()
        each.executor.device.copy_to_buffer(each.handle, found)


def all_gather(*buffers: Buffer) -> list[Buffer]:
    """For each of the buffers, which may lie on several devices, a new one on its device: all of them joined along the
    first axis. Raises LaunchError for buffers that differ in type, or in the lengths of other axes."""
    _check("all_gather", buffers, whole=False)
    if not buffers:
        return []
    found = arrays.numpy().concatenate([each.numpy() for each in buffers])
    return [each.executor.array(found, each.dtype) for each in buffers]


def combined(operation: ReduceOperation, ty: Type, parts: Sequence[bytes]) -> bytes:
    """The elements of arrays of `ty`, combined in the order of the arrays: ((a, b), c), with the bits of `cpu`."""
    first, *others = [_places(part, ty) for part in parts]
    found = gather(first, ty)
    with np.errstate(all="ignore"):
        for other in others:
            found = map_binary(BinaryMapOperation(operation.value), ty, found, gather(other, ty))
    scatter(first, ty, found, False)
    return first.region.data.tobytes()


def _places(raw: bytes, ty: Type) -> LanePlaces:
    """All elements of an array."""
    offsets = np.arange(0, len(raw), ty.size_bytes)
    return LanePlaces(MemoryRegion("", np.frombuffer(raw, np.uint8).copy(), len(raw)), offsets, offsets)


def _raw(buffer: Buffer) -> bytes:
    return bytes(buffer.executor.device.copy_from_buffer(buffer.handle) or b"")


def _check(name: str, buffers: tuple[Buffer, ...], whole: bool) -> None:
    """Whether buffers go together: by their `whole` shape, or but for the first axis."""
    for number, each in enumerate(buffers):
        if not isinstance(each, Buffer) or not isinstance(each.dtype, Type):
            raise LaunchError(f"{name} takes buffers of numbers: number {number} is {each!r}")
        first = buffers[0]
        if not whole and not each.shape:
            raise LaunchError(f"{name} joins along the first axis: number {number} has none")
        if each.dtype is not first.dtype or each.shape[not whole :] != first.shape[not whole :]:
            raise LaunchError(
                f"{name}: number {number} has the shape {each.shape} of {each.dtype}, and number 0 {first.shape} "
                f"of {first.dtype}"
            )


# A mesh


class Mesh:
    """Executors of this process, on devices of their own, that run one program each and meet at its AllReduce and
    AllGather. Their numbers, which `devices` of these instructions names, are their places."""

    def __init__(self, *executors: Executor) -> None:
        """Raises LaunchError for none, and for two on one device."""
        for number, each in enumerate(executors):
            if not isinstance(each, Executor):
                raise LaunchError(f"a mesh is made of executors: number {number} is {each!r}")
            if not isinstance(each.device, CompiledDevice | CpuBackend):
                raise LaunchError("a mesh runs natively: a page has one device of a kind and no threads of Python")
        if not executors or len({id(each.device) for each in executors}) < len(executors):
            raise LaunchError("a mesh is made of one executor or more, each on a device of its own")
        self.executors = executors

    def __len__(self) -> int:
        return len(self.executors)

    def __repr__(self) -> str:
        return f"<Mesh of {', '.join(each.device.name for each in self.executors)}>"

    @outermost
    def run(self, program: Any, config: Any = None, /, **params: Any) -> list[Any]:
        """Runs a program, kernel or compiled program on each device at once, as `Executor.run` does; gives what each
        gives. A parameter is a number that all get, or a list or tuple with the argument of each device, in order.

        Raises LaunchError for another number of arguments, and for devices that meet over different instructions, types
        or numbers of elements, or not at all; else the first error that a device has, with a note which one it was.
        After an error the devices can be used as before.
        """
        given = [dict[str, Any]() for _ in self.executors]
        for name, value in params.items():
            several = isinstance(value, list | tuple)
            if not several and not isinstance(value, int | float | np.number):
                raise LaunchError(
                    f"{name} is one {type(value).__name__}: give a list of {len(self)}, one for each device"
                )
            if several and len(value) != len(self):
                raise LaunchError(f"{name} has {len(value)} arguments for a mesh of {len(self)} devices")
            for number, of in enumerate(given):
                of[name] = value[number] if several else value
        meeting = _Meeting(self.executors)
        runs = [partial(each.run, program, config, **of) for each, of in zip(self.executors, given, strict=True)]
        return meeting.run(runs)


class _Arrived(NamedTuple):
    """A device that waits at an instruction, which is `what` all have to come to, with its bytes."""

    what: tuple[Any, ...]
    raw: bytes


class _Apart(Exception):
    """The meeting failed, which another device tells."""


class _Meeting:
    """What the devices of a mesh share while they run."""

    def __init__(self, executors: Sequence[Executor]) -> None:
        self.devices = [each.device for each in executors]
        self.lock = threading.Lock()  # taken for moments only, and last
        self.conditions: list[threading.Condition] = [
            threading.Condition(device._lock)
            for device in self.devices  # it is ours
        ]
        self.arrived: dict[int, _Arrived] = {}
        self.found: dict[int, bytes] = {}  # for those who have not taken it yet
        self.gone: set[int] = set()
        self.problem: tuple[int, BaseException] | None = None

    def run(self, runs: Sequence[Callable[[], Any]]) -> list[Any]:
        """What the runs give, each in a thread of its own. Raises the first error."""
        results: list[Any] = [None] * len(runs)

        def one(number: int) -> None:
            device: Any = self.devices[number]
            device.meets = partial(_Meets, self, number) if isinstance(device, CompiledDevice) else (self, number)
            try:
                results[number] = runs[number]()
                device.sync()
            except BaseException as error:
                self.fail(number, error)
            finally:
                device.meets = None
                self.leave(number)

        threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(len(runs))]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(_LOOKS)  # so that Ctrl-C comes through
                    self._end()
        except BaseException as error:
            self.fail(-1, error)
            for thread in threads:
                while thread.is_alive():
                    self._end()
                    thread.join(_LOOKS)
            raise
        if self.problem is not None:
            number, found = self.problem
            if len(self.devices) > 1:
                found.add_note(f"on device {number} of the mesh, {self.devices[number].name}")
            raise found
        return results

    def fail(self, number: int, error: BaseException) -> None:
        """The first error is that of all; who waits goes on with `_Apart`."""
        with self.lock:
            if not isinstance(error, _Apart) and self.problem is None:
                self.problem = number, error

    def _end(self) -> None:
        """After an error the launches of the others are ended: one may go around a loop without a limit."""
        with self.lock:
            ended = [] if self.problem is None else [k for k in range(len(self.devices)) if k not in self.gone]
        for number in ended:
            self.devices[number].cancel()

    def leave(self, number: int) -> None:
        """A device is done: nobody waits for it any more."""
        with self.lock:
            self.gone.add(number)
        self._wake()

    def _wake(self) -> None:
        for condition in self.conditions:
            with condition:
                condition.notify_all()

    def meet(self, number: int, instruction: Instruction, count: int, raw: bytes, look: Callable[[], None]) -> bytes:
        """What all get from what each hands over, when all are there. `look` raises what ends the launch that waits."""
        operands = dict(zip(instruction.row.positions, instruction.values, strict=True))
        order = operands["devices"]
        if sorted(order) != list(range(len(self.devices))):
            mesh = f"a mesh of {len(self.devices)}, whose devices are 0 to {len(self.devices) - 1}"
            raise LaunchError(f"{instruction} names devices {_listed(order)} of {mesh}: name each of them once")
        what = instruction.name, operands.get("operation"), operands["ty"], order, count
        with self.lock:
            self.arrived[number] = _Arrived(what, raw)
            last = len(self.arrived) == len(self.devices)
            if last:
                came, self.arrived = self.arrived, {}
                self._differing(came)
                parts = [came[each].raw for each in order]
                whole = (
                    b"".join(parts)
                    if instruction.name == "AllGather"
                    else combined(operands["operation"], operands["ty"], parts)
                )
                self.found = dict.fromkeys(came, whole)
        if last:
            self._wake()
        condition = self.conditions[number]
        with condition:
            while True:
                with self.lock:
                    if number in self.found:
                        return self.found.pop(number)
                    if self.problem is not None:
                        raise _Apart
                    if self.gone:
                        each = min(self.gone)
                        name = self.devices[each].name
                        raise LaunchError(
                            f"device {each} of the mesh, {name}, was done without coming to {instruction}"
                        )
                look()
                condition.wait(_LOOKS)

    def _differing(self, came: Mapping[int, _Arrived]) -> None:
        """Raises LaunchError for devices that come to different things."""
        for number, each in came.items():
            if each.what != came[0].what:
                here, there = (_told(arrived.what) for arrived in (came[0], each))
                raise LaunchError(f"device 0 of the mesh comes to {here}, and device {number} to {there}")


def _told(what: tuple[Any, ...]) -> str:
    name, operation, ty, devices, count = what
    by = "" if operation is None else f" by {operation.value}"
    return f"{name}{by} of {count} elements of {ty} over {_listed(devices)}"


def _listed(numbers: Sequence[int]) -> str:
    return f"({', '.join(map(str, numbers))})"


# On devices that compile


@lru_cache(256)
def _alone(source: bytes) -> tuple[Analysis, dict[int, Instruction]]:
    """The program as one device runs it between the meetings, at whose instructions it does nothing, and these."""
    program = Program.from_bytes(source)
    meetings = {at: each for at, each in enumerate(program.instructions) if _meets(each)}
    alone = list(program.instructions)
    for at, each in meetings.items():
        place = each.row.positions["devices"]
        alone[at] = Instruction(each.row, (*each.values[:place], (0,), *each.values[place + 1 :]))
    program.instructions = alone
    return analysis_of(program.to_bytes()), meetings


def _meets(instruction: Instruction) -> bool:
    return instruction.name in ("AllReduce", "AllGather") and len(instruction.devices) > 1


class _Meets(HostedLaunch[Any]):
    """A launch on one device of a mesh. The checks of an instruction's operands come in their order, what is read
    first: behind the last one all meet."""

    def __init__(self, meeting: _Meeting, number: int, device: Any, analysis: Analysis, *given: Any) -> None:
        alone, self.meetings = _alone(analysis.program.to_bytes())
        self.meeting, self.number, self.written = meeting, number, analysis
        config, scalars, memory, deadline = given
        super().__init__(device, alone, config, scalars, memory, deadline)
        self.source: tuple[Any, int, int] | None = None

    def _text(self, index: int) -> str:
        return f", in {self.written.program.instructions[index]}"

    def bounds(self, step: BoundsCheck) -> None:
        instruction = self.meetings.get(step.instruction)
        if instruction is None:
            return super().bounds(step)
        gathers, devices = instruction.name == "AllGather", len(instruction.devices)
        into = gathers and self.source is not None
        super().bounds(step._replace(need=step.need * devices) if into else step)
        need, offset = (formula.evaluate(self.numbers, exact=True) for formula in (step.need, step.offset))
        memory = next(self.own[base] for base in self.own if str(base) == step.memory)
        if gathers and not into:
            self.source = memory, offset, need
            return None
        (of, start, size), self.source = self.source or (memory, offset, need), None
        device, raw = self.device, bytearray(max(size, 0))
        if raw:
            device._read(of, start, memoryview(raw))
        index = step.instruction

        def look() -> None:
            device._check_time(self.written, index, self.deadline)

        found = self.meeting.meet(self.number, instruction, size // step.ty.size_bytes, bytes(raw), look)
        if found:
            device._write(memory, offset, memoryview(found))
        return None

    def _part(self, step: Launch, kernel: Any, scalars: Any) -> None:
        if step.origin - 1 not in self.meetings:
            super()._part(step, kernel, scalars)


# On the device `cpu`


def meet_on_cpu(ops: CollectiveOps) -> bool:
    """Meets the others of a mesh, if the launch is one of a mesh and the instruction names several devices."""
    meets, instruction = ops.run.meets, ops.instruction
    if meets is None or not _meets(instruction):
        return False
    meeting, number = meets
    ty, count, devices = instruction.ty, ops.operands["n"], len(instruction.devices)
    gathers = instruction.name == "AllGather"
    source = ops._elements(ops.operands["input" if gathers else "buffer"], ty, count)
    target = ops._elements(ops.operands["output"], ty, count * devices) if gathers else source
    raw = _bytes(source, ty).tobytes()
    found = meeting.meet(number, instruction, count, raw, lambda: ops.run.look_up(ops.index))
    _bytes(target, ty)[:] = np.frombuffer(found, np.uint8)
    return True


def _bytes(place: LanePlaces, ty: Type) -> Any:
    """The bytes of elements that lie side by side, in their memory."""
    start = int(place.absolute[0]) if place.absolute.size else 0
    return place.region.data[start : start + place.absolute.size * ty.size_bytes]
