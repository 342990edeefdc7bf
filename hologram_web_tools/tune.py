"""Timing schedules of the tensor library: which of a handful is fastest on a device, for sizes like these.

The row of an operation says which schedules are valid (`schedules` in tensor/operation.py). Each is run
and its result compared with that of what is chosen without timing; then they are timed in turns. The fastest is kept
in the cache folder, by the class of its sizes (which powers of two they lie between), types, device and adapter. Plans
whose sizes are known, made afterwards, take it, and so do files of them. `use_tuned` does that in another process: no
plan depends by itself on what lies on a disk.

It goes by steps: a candidate's plan, the code of each of its launches, each turn, a part of a comparison. `tune` takes
one after the other. In Pyodide, where a page's own thread may be the one that tunes, the page has its turn between
them, and so has every other task beside `tune_async`.
"""

from __future__ import annotations

import asyncio
import json
import random
import struct
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import replace
from statistics import median
from typing import Any, NamedTuple, TypeAlias, TypeVar

from hologram_web.array import run as arrays_run
from hologram_web.backends.protocol import Backend
from hologram_web.errors import LaunchError
from hologram_web.isa.collectives import COLLECTIVE_ROWS
from hologram_web.isa.operands import Access
from hologram_web.isa.row import REQUIRED, Row
from hologram_web.isa.types import Type
from hologram_web.plan.builder import PlanBuilder
from hologram_web.plan.plan import Target, size_of
from hologram_web.plan.tensor_steps import add_operation
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.runtime.executor import Executor
from hologram_web.runtime.walking import LaunchWalk, target_of
from hologram_web.store.store import compiled_store, key_of
from hologram_web.tensor.families import FAMILIES
from hologram_web.tensor.families import operation as operation_named
from hologram_web.tensor.operation import Operands, extents
from hologram_web.tensor.schedules import TRAITS, DeviceTraits

__all__ = ["Candidate", "Tuned", "forget_tuned", "tunable", "tune", "tune_async", "use_tuned"]

TimedSchedule = tuple[str, tuple[tuple[str, Any], ...]]  # a text's name, and its constants
Timer = Callable[[TimedSchedule, float], float]  # what counts of a run that took so many seconds
# What is read before the next step: where it is empty, nothing, after waiting for the device; where None, nothing.
T = TypeVar("T")
Steps: TypeAlias = Generator["dict[Any, bytearray] | None", None, T]

_KIND = "schedules"
_LEAST_ROUNDS, _MOST_ROUNDS = 3, 1000
_WORTH = 0.97  # of the time of what is chosen without timing: what wins less may be noise
_SLOW = 2  # times the fastest: what is so slow after the first rounds is timed no more
_PATTERN = 1021  # numbers that arrays hold again and again: a prime, so that no two rows begin alike
_COMPARED = 8192  # elements of a step
# Of steps behind which others have a turn, and the turn: what sleeps less in Pyodide is no timer, and comes before
# what else the page has to do.
_LONG_S, _TURN_S = 0.01, 0.003
_APART = {1: 0.0, 2: 2.0**-6, 4: 2.0**-14, 8: 2.0**-40}  # of floats' bytes, how far results may be, of the greatest


class Candidate(NamedTuple):
    """A schedule: the median of its times in seconds, or why it is none."""

    choice: TimedSchedule
    seconds: float | None
    refused: str = ""

    def __str__(self) -> str:
        text = " ".join([self.choice[0], *(f"{name}={value}" for name, value in self.choice[1])])
        return f"{text}: {self.refused}" if self.seconds is None else f"{text}: {1e6 * self.seconds:,.1f} us"


class Tuned(NamedTuple):
    """What was found for a class of sizes and types on a device. Without `candidates` it was known already."""

    operation: str
    key: str
    device: str
    choice: TimedSchedule
    candidates: tuple[Candidate, ...]

    def __str__(self) -> str:
        head = f"{self.operation} on {self.device}, {self.key}: {Candidate(self.choice, None, 'taken')}"
        return "\n".join([head, *(f"  {each}" for each in self.candidates)])


def tunable() -> tuple[str, ...]:
    """The operations that have schedules to choose from, as their rows say."""
    return tuple(name for names in FAMILIES.values() for name in names if operation_named(name).schedules is not None)


def tune(
    operation: str,
    shapes: Mapping[str, Any],
    dtype: Type,
    device: Backend | Executor,
    *,
    seconds: float = 1.0,
    again: bool = False,
    timer: Timer | None = None,
) -> Tuned:
    """Finds the fastest schedule of an operation and takes it for plans to come. `shapes` are the numbers of the
    instruction by name, `{"m": 384, "n": 77, "k": 1000}`; an optional array such as `bias` is there if it is True.
    What is known of the device already is not timed `again`. Timing takes `seconds`, and three rounds at least.

    Raises LaunchError for what cannot be tuned, what the operation raises for its numbers, and BackendUnavailable in a
    page where Python cannot wait: `tune_async` is for it.
    """
    device = device.device if isinstance(device, Executor) else device
    steps = _tuning(operation, shapes, dtype, device, seconds, again, timer)
    if sys.platform == "emscripten":
        from hologram_web.page.session import wait

        turns = _in_turns(steps, device)
        try:
            found: Tuned = wait(turns, "await hg.tune_async(...)")
        finally:
            turns.close()
        return found
    return _at_once(steps, device)


async def tune_async(
    operation: str,
    shapes: Mapping[str, Any],
    dtype: Type,
    device: Backend | Executor,
    *,
    seconds: float = 1.0,
    again: bool = False,
    timer: Timer | None = None,
) -> Tuned:
    """`tune` that lets others run between its steps, of which the longest translates one launch, or makes its code."""
    device = device.device if isinstance(device, Executor) else device
    return await _in_turns(_tuning(operation, shapes, dtype, device, seconds, again, timer), device)


def _at_once(steps: Steps[T], device: Backend) -> T:
    """What steps come to, one after the other: of what nothing waits for the first step is the last."""

    async def collect(reads: dict[Any, bytearray]) -> None:
        device.collect(reads)

    try:
        _stepped(steps, collect, None).send(None)
    except StopIteration as done:
        found: T = done.value
        return found
    raise AssertionError("nothing is waited for")


async def _in_turns(steps: Steps[T], device: Backend) -> T:
    """What steps come to, where others have a turn behind those that took long."""
    return await _stepped(steps, device.collect_async, _TURN_S)


async def _stepped(
    steps: Steps[T], collect: Callable[[dict[Any, bytearray]], Awaitable[None]], turn: float | None
) -> T:
    error: Exception | None = None
    reads: dict[Any, bytearray] | None = None
    turned = time.perf_counter()
    try:
        while True:
            # Behind what was waited for nobody has a turn: how long it took is not told yet.
            if turn is not None and reads is None and time.perf_counter() - turned > _LONG_S:
                await asyncio.sleep(turn)
                turned = time.perf_counter()
            try:
                reads = next(steps) if error is None else steps.throw(error)
            except StopIteration as done:
                found: T = done.value
                return found
            error = None
            try:
                if reads is not None:
                    await collect(reads)
            except Exception as caught:  # it is the step's
                error = caught
    finally:
        steps.close()


def _tuning(
    operation: str,
    shapes: Mapping[str, Any],
    dtype: Type,
    device: Backend,
    seconds: float,
    again: bool,
    timer: Timer | None,
) -> Steps[Tuned]:
    target, named = target_of(device), _named(device)
    there = any(operation in names for names in FAMILIES.values()) and operation_named(operation).schedules is not None
    if not there or device.name == "cpu":
        where = f"{operation} on {device.name}" if there else repr(operation)
        raise LaunchError(f"{where} has no schedules to choose from: tune {', '.join(tunable())}, on wasm or webgpu")
    trial = _Trial(operation, shapes, dtype, device, replace(TRAITS[target], tuned=()))
    try:
        trial.allocate()
        known = {} if again else {**_kept(device), **dict(TRAITS[target].tuned)}
        if known.get(trial.key) in trial.choices:
            _install(target, {trial.key: known[trial.key]})
            return Tuned(operation, trial.key, named, known[trial.key], ())
        found = yield from trial.found(seconds, timer or (lambda choice, spent: spent))
    finally:
        trial.close()
    default, *_ = found
    best = min((each for each in found if each.seconds is not None), key=lambda each: each.seconds or 0.0)
    assert best.seconds is not None
    assert default.seconds is not None  # what it raises is raised
    choice = (best if best.seconds < _WORTH * default.seconds else default).choice
    _install(target, {trial.key: choice})
    if (store := compiled_store()) is not None:
        data = json.dumps({**_kept(device), trial.key: choice}).encode()
        store.put(_KIND, _place(device), data)
    return Tuned(operation, trial.key, named, choice, tuple(found))


def use_tuned(device: Backend | Executor) -> int:
    """Takes all that was tuned on a device, by any process, for plans to come; how much that is."""
    device = device.device if isinstance(device, Executor) else device
    found = _kept(device)
    _install(target_of(device), found)
    return len(found)


def forget_tuned() -> None:
    """Chooses as if nothing had been timed, in this process."""
    for target, traits in TRAITS.items():
        TRAITS[target] = replace(traits, tuned=())
    arrays_run._plans.clear()


def _install(target: str, found: Mapping[str, TimedSchedule]) -> None:
    tuned = {**dict(TRAITS[target].tuned), **found}
    TRAITS[target] = replace(TRAITS[target], tuned=tuple(sorted(tuned.items())))
    arrays_run._plans.clear()  # of arrays: they were made with other schedules


# What is kept


def _named(device: Backend) -> str:
    adapter = getattr(device, "adapter", None) or {}
    return " ".join([device.name, *(str(adapter[part]) for part in ("vendor", "device") if adapter.get(part))])


def _place(device: Backend) -> bytes:
    adapter = getattr(device, "adapter", None) or {}
    return key_of(("tuned schedules", sorted(map(str, adapter.items()))), device.name, ())


def _kept(device: Backend) -> dict[str, TimedSchedule]:
    """The choices of a device by their keys; of a file that is no such thing none."""
    store = compiled_store()
    raw = None if store is None else store.get(_KIND, _place(device))
    found: dict[str, TimedSchedule] = {}
    with suppress(ValueError, TypeError, AttributeError):
        for key, (text, constants) in json.loads(raw or b"{}").items():
            found[key] = str(text), tuple((str(name), int(value)) for name, value in constants)
    return found


# Timing


class _Trial:
    """An operation with arrays of its own on a device."""

    def __init__(
        self, operation: str, shapes: Mapping[str, Any], dtype: Type, device: Backend, traits: DeviceTraits
    ) -> None:
        self.operation, self.device, self.traits = operation_named(operation), device, traits
        row = next(each for each in COLLECTIVE_ROWS if each.name == operation)
        self.values = _values(row, shapes, dtype)
        arrays = {each.name: each for each in row.operands if each.is_address and self.values[each.name]}
        o = Operands(self.values, {})
        counts = extents(self.operation, o)
        assert self.operation.schedules is not None  # it was looked at before
        key, self.choices = self.operation.schedules(o, traits)
        assert key is not None  # all sizes are numbers
        self.key: str = key
        self.arrays = {
            name: (row.element_type(name, self.values), count, arrays[name].kind) for name, count in counts.items()
        }
        self.handles: dict[str, Any] = {}
        self.start: dict[str, bytes] = {}  # what is in them before a run
        self.temporaries: list[Any] = []

    def allocate(self) -> None:
        """Its arrays; where there is no room for one of them, `close` frees the others."""
        patterns: dict[Type, bytes] = {}
        for name, (ty, count, _) in self.arrays.items():
            pattern = patterns.setdefault(ty, _pattern(ty))
            size = count * len(pattern) // _PATTERN
            self.start[name] = (pattern * (size // len(pattern) + 1))[:size]
            self.handles[name] = self.device.allocate_buffer(size)

    def close(self) -> None:
        for handle in (*self.handles.values(), *self.temporaries):
            self.device.free_buffer(handle)

    def found(self, seconds: float, timer: Timer) -> Steps[list[Candidate]]:
        """The candidates, what is chosen without timing first. Raises what that one raises."""
        runs: dict[TimedSchedule, Callable[[], None]] = {}
        refused: dict[TimedSchedule, str] = {}
        expected: dict[str, bytearray] = {}
        for choice in self.choices:
            yield None
            try:
                run = yield from self._run(choice)
                result = yield from self._result(run)
            except Exception as error:  # whatever is wrong with it, others go on
                if not runs:
                    raise
                refused[choice] = f"{type(error).__name__}: {error}".partition("\n")[0]
                continue
            expected = expected or result
            runs[choice] = run
            for name, values in result.items():
                if not (yield from _alike(values, expected[name], self.arrays[name][0])):
                    refused[choice] = "its result is another one"
                    runs.pop(choice, None)
        times: dict[TimedSchedule, list[float]] = {choice: [] for choice in runs}
        spent, rounds = 0.0, 0
        while rounds < _MOST_ROUNDS and (rounds < _LEAST_ROUNDS or spent < seconds):
            if rounds == _LEAST_ROUNDS:
                most = _SLOW * min(map(median, times.values()))
                runs = {choice: run for choice, run in runs.items() if median(times[choice]) <= most}
            for choice, run in runs.items():
                start = time.perf_counter()
                run()
                yield {}
                times[choice].append(timer(choice, time.perf_counter() - start))
                spent += times[choice][-1]
                yield None
            rounds += 1
        return [
            Candidate(choice, None, refused[choice]) if choice in refused else Candidate(choice, median(times[choice]))
            for choice in self.choices
        ]

    def _run(self, choice: TimedSchedule) -> Steps[Callable[[], None]]:
        """What runs it with a schedule, and does not wait for it."""
        target, device = self.traits.name, self.device
        builder = PlanBuilder("tuned", targets=(target,))
        for name, (ty, count, kind) in self.arrays.items():
            builder.array(name, ty, (count,), Access.READ if kind == "load" else Access.READ_WRITE)
        traits = replace(self.traits, tuned=((self.key, choice),))
        names = {name: name for name in self.arrays}
        for launch in self.operation.launches(Operands({**self.values, **dict.fromkeys(names, True)}, {}), traits):
            yield None
            launch.make()  # what it translates add_operation finds again
        yield None
        add_operation(builder, self.operation, self.values, names, traits={target: traits})
        yield None
        compiled = CompiledProgram.from_builder(builder)
        yield None
        handles = dict(self.handles)
        for temporary in compiled.plan.temporaries:
            handles[temporary.name] = device.allocate_buffer(size_of(temporary, {}))
            self.temporaries.append(handles[temporary.name])
        # A run that makes the code, of one launch a step: that of a convolution has five.
        walk = LaunchWalk(compiled, device, handles, {}, {})
        for step in compiled.plan.steps:
            for each in step.body if isinstance(step, Target) and step.name == target else (step,):
                walk.run((each,))
                yield None
        return lambda: compiled.execute(device, handles, {}, {})

    def _result(self, run: Callable[[], None]) -> Steps[dict[str, bytearray]]:
        """What it writes, by name."""
        for name, data in self.start.items():
            self.device.copy_to_buffer(self.handles[name], data)
        run()
        found = {name: bytearray(self.start[name]) for name, (_, _, kind) in self.arrays.items() if kind != "load"}
        yield {self.handles[name]: out for name, out in found.items()}
        return found


def _values(row: Row, shapes: Mapping[str, Any], dtype: Type) -> dict[str, Any]:
    """The numbers of an instruction, True for arrays that are there. Raises LaunchError."""
    names = [each.name for each in row.operands if each.kind != "type"]
    for name in shapes:
        if name not in names:
            raise LaunchError(f"{row.name} has no {name!r}: it has {', '.join(names)}")
    found: dict[str, Any] = {"ty": dtype}
    for operand in row.operands:
        if operand.kind == "type":
            continue
        given = shapes.get(operand.name, operand.default)
        if operand.is_address:
            given = True if operand.default is REQUIRED else given or None
        elif given is REQUIRED:
            raise LaunchError(f"{row.name} needs {operand.name!r} to be tuned: give a number")
        found[operand.name] = given
    return found


def _pattern(ty: Type) -> bytes:
    """The bytes of some numbers."""
    chance = random.Random(7)
    return ty.pack([chance.gauss(0, 1) if ty.is_float else chance.randrange(4) for _ in range(_PATTERN)])


def _floats(data: bytes | bytearray, ty: Type) -> tuple[float, ...]:
    if ty is Type.BF16:  # the upper halves of F32
        wide = bytearray(2 * len(data))
        wide[2::4], wide[3::4] = data[::2], data[1::2]
        data, ty = bytes(wide), Type.F32
    return struct.unpack(f"<{len(data) // ty.size_bytes}{'efd'[ty.size_bytes // 4]}", data)


def _alike(found: bytearray, expected: bytearray, ty: Type) -> Steps[bool]:
    """Whether two results are one but for rounding: GPUs may fuse in one schedule and not in another."""
    if found == expected or not ty.is_float:
        return found == expected
    parts = [slice(at, at + _COMPARED * ty.size_bytes) for at in range(0, len(found), _COMPARED * ty.size_bytes)]
    greatest = 0.0
    for part in parts:
        greatest = max(greatest, *map(abs, _floats(expected[part], ty)))
        yield None
    apart = _APART[ty.size_bytes] * greatest
    for part in parts:
        pairs = zip(_floats(found[part], ty), _floats(expected[part], ty), strict=True)
        if not all(one == other or abs(one - other) <= apart for one, other in pairs):
            return False
        yield None
    return True
