"""Launches that are made again and again: what does not change from one to the next is found once."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from struct import Struct
from typing import Any, NamedTuple

from ..errors import ExecutionError, LaunchError
from ..isa.arguments import scalar_bits
from ..isa.cfg import END
from ..isa.launch import ExecutionParams, LaunchConfig
from ..isa.operands import BufferHandle, Immediate
from ..isa.program import Param, Program
from ..isa.types import Type
from ..isa.verify import Base
from .protocol import stop_of_call

__all__ = ["InOrder", "Prepared", "ShortWay"]


class Prepared:
    """Launches of a program in one configuration, called with the values of the parameters `names`: handles and
    numbers. `fixed` are those of the others.

    A call is `execute_program_with_params`, with all that it checks and raises. The device keeps it: others have weak
    references.
    """

    def __init__(
        self, device: Any, program: Program, config: LaunchConfig, names: Sequence[str], fixed: Mapping[str, Any]
    ) -> None:
        self.device, self.program, self.config, self.names = device, program, config, tuple(names)
        self.fixed = dict(fixed)
        self._args: dict[str, Any] = {param.name: fixed.get(param.name) for param in program.params}

    def __call__(self, values: Sequence[Any]) -> None:
        self.device.execute_program_with_params(self.program, ExecutionParams(self.config, self._given(values)))

    def _given(self, values: Sequence[Any]) -> dict[str, Any]:
        """All arguments, in the order of the parameters."""
        args = self._args.copy()
        args.update(zip(self.names, values, strict=True))
        return args


# What Struct makes the 8 bytes of a scalar of, and the class of the number; of other types it takes the bits.
_FORMATS: dict[Type, tuple[str, type]] = {
    Type.F32: ("f4x", float), Type.F64: ("d", float),
    Type.I8: ("b7x", int), Type.I16: ("h6x", int), Type.I32: ("i4x", int), Type.I64: ("q", int),
    Type.U8: ("B7x", int), Type.U16: ("H6x", int), Type.U32: ("I4x", int), Type.U64: ("Q", int),
}  # fmt: skip


class ShortWay(Prepared):
    """Launches that write a few numbers and run, where they are one kernel on buffers and scalars.

    They go the common way before anything is known, and whenever something is not as it was: errors are told there.
    Devices give `_learn` and `_go`, and add to `_state`, what they were told, and `_is_mine`, what is the launch's own.
    """

    def __init__(
        self, device: Any, program: Program, config: LaunchConfig, names: Sequence[str], fixed: Mapping[str, Any]
    ) -> None:
        super().__init__(device, program, config, names, fixed)
        self._places = {name: place for place, name in enumerate(self.names)}
        self._ready = False

    def __call__(self, values: Sequence[Any]) -> None:
        if not (self._ready and self._run(values)):
            self._ready = False
            super().__call__(values)
            device = self.device
            with device._lock:
                self._ready = device._recording is None is device.timeline and self._is_short() and self._learn(values)
                self._seen = self._state()

    def _learn(self, values: Sequence[Any]) -> bool:
        """Takes over what the launch with these arguments, which is done, has found out. False if there is no short
        way."""
        raise NotImplementedError

    def _go(self, numbers: list[Any], memories: list[Any], values: Sequence[Any], places: Sequence[int]) -> bool:
        """Launches, if the numbers fit their types; its own values are at those places. Raises what a launch raises
        that runs."""
        raise NotImplementedError

    def _run(self, values: Sequence[Any]) -> bool:
        """Launches, if all is as it was and the arguments are right. Raises what a launch raises that runs."""
        device = self.device
        with device._lock:
            if not self._is_same():
                return False
            device._call_stopped = stop_of_call()
            device._may_start()
            try:
                device._running = True  # before anything is written: a signal's handler may launch, too
                taken = self._taken(values)
                return taken is not None and self._go(*taken, values, range(len(values)))
            except ExecutionError as fault:
                raise self._known.as_written(fault) from None
            finally:
                device._running = False

    def _is_short(self) -> bool:
        device = self.device
        known = self._known = device._known(self.program)
        if not known.is_verified(device.atlas.bound) or known.extra or known.adds_resonance or self.config.promises:
            return False
        analysis = self._analysis = known.analysis
        return not (
            analysis.has_collectives
            or analysis.atlas_bases
            or analysis.graph.entry == END
            or not self.config.total_threads()
            or any(param.kind == "pool" or (param.ty is not None and param.ty.is_wide) for param in self.program.params)
        )

    def _is_same(self) -> bool:
        """Whether the program and what the device was told are as they were; no other thread is learning."""
        return self._ready and self._state() == self._seen and self._is_mine() and self._may_go()

    def _state(self) -> tuple[Any, ...]:
        """What the device was told."""
        device = self.device
        return device._recording, device.limits, device.math, device.timeline

    def _is_mine(self) -> bool:
        """Whether the program is as it was, and what is kept of it."""
        device, known = self.device, self._known
        return known.analysis is self._analysis and known.is_verified(device.atlas.bound) and known.holds(self.program)

    def _may_go(self) -> bool:
        """Whether the device has nothing to do before."""
        return True

    def _lay_out(self, scalars: Iterable[tuple[str, Type]], bases: Iterable[Base], more: str = "") -> None:
        """Says what a kernel's argument block has: scalars, then `more` numbers; and which memories the kernel uses."""
        read: list[tuple[int, int, type | None, str, Type]] = []
        numbers: list[Any] = []
        slots = ""
        for name, ty in scalars:
            form, kind = _FORMATS.get(ty, ("Q", None))
            if name in self._places:
                read.append((len(numbers), self._places[name], kind, name, ty))
                numbers.append(0)
            else:
                form = "Q"
                numbers.append(scalar_bits(name, ty, self.fixed[name]))
            slots += form
        self._scalars, self._numbers = read, numbers
        self._layout = Struct(f"<{slots}{more}")
        # What the kernel does not use is looked at all the same.
        given = {base: param.name for base, param in self._analysis.given}
        used = [given[base] for base in bases]
        self._memories = [self._places[name] for name in used]
        used += [name for _, _, _, name, _ in read]
        self._others: list[tuple[int, Param]] = [
            (self._places[param.name], param)
            for param in self.program.params
            if param.name in self._places and param.name not in used
        ]

    def _taken(self, values: Sequence[Any]) -> tuple[list[Any], list[Any]] | None:
        """The numbers of an argument block and the memories. None if one of the values is wrong."""
        numbers, buffers = self._numbers.copy(), self.device._buffers
        try:
            for at, place, kind, name, ty in self._scalars:
                value = values[place]
                if type(value) is not kind:
                    bits = scalar_bits(name, ty, value)
                    value = bits if kind is None else ty.decode(bits)
                if value != value:
                    return None  # Struct would keep more bits of a NaN than the contract says
                numbers[at] = value
            for place, param in self._others:
                if param.kind == "scalar":
                    assert param.ty is not None
                    scalar_bits(param.name, param.ty, values[place])
                else:
                    buffers[values[place]]
            return numbers, [buffers[values[place]] for place in self._memories]
        except (KeyError, TypeError, LaunchError):
            return None


class _Laid(NamedTuple):
    """A launch of several: where its values are, its scalars in its numbers and among the values, and its memories."""

    launch: ShortWay
    places: Sequence[int]
    scalars: list[tuple[int, int, Type | None]]
    memories: list[int]


class InOrder:
    """Launches one after the other, made again and again: each with its places in a list of values that they share,
    handles and numbers that fit.

    To `cancel` and to the limit of seconds they are one. What is looked at for each launch that is made by itself is
    looked at once for all of them. The device keeps it, as it keeps `Prepared`.
    """

    def __init__(self, device: Any, launches: Sequence[tuple[Prepared, Sequence[int]]]) -> None:
        self.device, self._launches = device, list(launches)
        self._laid: list[_Laid] = []  # all of them, if all go the short way
        self._each: list[tuple[ShortWay, tuple[Any, ...]]] = []  # with what each has seen when they were laid out

    def __call__(self, values: Sequence[Any]) -> None:
        with self.device._lock, self.device.together():
            done = self._short(values) if self._laid and self._is_same() else 0
            if done < len(self._launches):
                for prepared, places in self._launches[done:]:
                    prepared([values[place] for place in places])
                self._lay_out()

    def _lay_out(self) -> None:
        each = dict.fromkeys(prepared for prepared, _ in self._launches)
        short = [one for one in each if isinstance(one, ShortWay) and one._ready]
        self._laid, self._each = [], [(one, one._seen) for one in short]
        if len(short) < len(each) or any(one._seen != short[0]._seen for one in short):
            return
        for launch, places in self._launches:
            assert isinstance(launch, ShortWay)
            scalars = [(at, places[own], None if kind else ty) for at, own, kind, _, ty in launch._scalars]
            self._laid.append(_Laid(launch, places, scalars, [places[own] for own in launch._memories]))

    def _is_same(self) -> bool:
        for one, seen in self._each:
            if one._seen is not seen or not one._is_mine():
                return False
        first, seen = self._each[0]
        return first._state() == seen and first._may_go()

    def _short(self, values: Sequence[Any]) -> int:
        """How many are done, the short way. Raises what a launch raises that runs."""
        device, done, buffers = self.device, 0, self.device._buffers
        try:
            held = [buffers[value] if type(value) is BufferHandle else None for value in values]
        except KeyError:
            return 0
        # Struct would keep more bits of a NaN than the contract says; what has to keep its bits comes as an Immediate.
        if any(type(value) is Immediate or (type(value) is float and value != value) for value in values):
            return 0
        device._call_stopped = stop_of_call()
        device._may_start()
        until = device._together.deadline
        try:
            device._running = True
            for launch, places, scalars, memories in self._laid:
                if device._stopped() or (until < math.inf and time.monotonic() > until):
                    device._may_go_on()
                numbers = launch._numbers.copy()
                for at, place, encoded in scalars:
                    numbers[at] = encoded.encode(values[place]) if encoded else values[place]
                if not launch._go(numbers, [held[place] for place in memories], values, places):
                    break
                done += 1
        except ExecutionError as fault:
            raise launch._known.as_written(fault) from None
        finally:
            device._running = False
        return done
