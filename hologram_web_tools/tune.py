"""Timing schedules of the tensor library: which of a handful is fastest on a device, for sizes like these.

A family of operations says which schedules are valid (`tunable` in tensor/matmul.py and tensor/conv.py). Each is run
and its result compared with that of what is chosen without timing; then they are timed in turns. The fastest is kept
in the cache folder, by the class of its sizes (which powers of two they lie between), types, device and adapter. Plans
whose sizes are known, made afterwards, take it, and so do files of them. `use_tuned` does that in another process: no
plan depends by itself on what lies on a disk.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from hologram_web.array import run as arrays_run
from hologram_web.backends.protocol import Backend
from hologram_web.errors import LaunchError
from hologram_web.isa.collectives import COLLECTIVE_ROWS
from hologram_web.isa.operands import Access
from hologram_web.isa.row import REQUIRED, Operand, Row
from hologram_web.isa.types import Type
from hologram_web.plan.builder import PlanBuilder
from hologram_web.plan.plan import size_of
from hologram_web.plan.tensor_steps import add_operation
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.runtime.executor import Executor
from hologram_web.runtime.walking import target_of
from hologram_web.store.store import compiled_store, key_of
from hologram_web.tensor import conv, matmul
from hologram_web.tensor.families import operation as operation_named
from hologram_web.tensor.operation import Operands, extents
from hologram_web.tensor.schedules import TRAITS, DeviceTraits

__all__ = ["TUNABLE", "Candidate", "Tuned", "forget_tuned", "tune", "use_tuned"]

TimedSchedule = tuple[str, tuple[tuple[str, Any], ...]]  # a text's name, and its constants
Timer = Callable[[TimedSchedule, Callable[[], None]], float]  # runs it, and says for how many seconds

TUNABLE: dict[str, Any] = {
    **dict.fromkeys(("GEMM", "BatchedGEMM", "MixedPrecisionGEMM"), matmul.tunable),
    "Conv2D": conv.tunable,
}
_KIND = "schedules"
_LEAST_ROUNDS, _MOST_ROUNDS = 3, 1000
_WORTH = 0.97  # of the time of what is chosen without timing: what wins less may be noise
_SLOW = 2  # times the fastest: what is so slow after the first rounds is timed no more
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

    Raises LaunchError for what cannot be tuned, and what the operation raises for its numbers.
    """
    device = device.device if isinstance(device, Executor) else device
    target, named = target_of(device), _named(device)
    if operation not in TUNABLE or device.name == "cpu":
        where = f"{operation} on {device.name}" if operation in TUNABLE else repr(operation)
        raise LaunchError(f"{where} has no schedules to choose from: tune {', '.join(TUNABLE)}, on wasm or webgpu")
    trial = _Trial(operation, shapes, dtype, device, replace(TRAITS[target], tuned=()))
    known = {} if again else {**_kept(device), **dict(TRAITS[target].tuned)}
    if known.get(trial.key) in trial.choices:
        _install(target, {trial.key: known[trial.key]})
        return Tuned(operation, trial.key, named, known[trial.key], ())
    try:
        found = trial.found(seconds, timer or _timed)
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


def _timed(choice: TimedSchedule, run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


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
        key, self.choices = TUNABLE[operation](o, traits)
        assert key is not None  # all sizes are numbers
        self.key: str = key
        self.arrays = {name: (_type(arrays[name], dtype), count, arrays[name].kind) for name, count in counts.items()}
        self.handles: dict[str, Any] = {}
        self.start: dict[str, Any] = {}  # what is in them before a run
        random = np.random.default_rng(7)
        for name, (ty, count, _) in self.arrays.items():
            data = random.standard_normal(count) if ty.is_float else random.integers(0, 4, count)
            self.start[name] = bytes(memoryview(_encoded(data, ty)).cast("B"))
            self.handles[name] = device.allocate_buffer(len(self.start[name]))
        self.temporaries: list[Any] = []

    def close(self) -> None:
        for handle in (*self.handles.values(), *self.temporaries):
            self.device.free_buffer(handle)

    def found(self, seconds: float, timer: Timer) -> list[Candidate]:
        """The candidates, what is chosen without timing first. Raises what that one raises."""
        runs: dict[TimedSchedule, Callable[[], None]] = {}
        refused: dict[TimedSchedule, str] = {}
        expected: dict[str, Any] = {}
        for choice in self.choices:
            try:
                run = self._run(choice)
                result = self._result(run)
            except Exception as error:  # whatever is wrong with it, others go on
                if not runs:
                    raise
                refused[choice] = f"{type(error).__name__}: {error}".partition("\n")[0]
                continue
            expected = expected or result
            if all(_alike(result[name], expected[name], self.arrays[name][0]) for name in result):
                runs[choice] = run
            else:
                refused[choice] = "its result is another one"
        times: dict[TimedSchedule, list[float]] = {choice: [] for choice in runs}
        spent, rounds = 0.0, 0
        while rounds < _MOST_ROUNDS and (rounds < _LEAST_ROUNDS or spent < seconds):
            if rounds == _LEAST_ROUNDS:
                most = _SLOW * min(map(median, times.values()))
                runs = {choice: run for choice, run in runs.items() if median(times[choice]) <= most}
            for choice, run in runs.items():
                times[choice].append(timer(choice, run))
                spent += times[choice][-1]
            rounds += 1
        return [
            Candidate(choice, None, refused[choice]) if choice in refused else Candidate(choice, median(times[choice]))
            for choice in self.choices
        ]

    def _run(self, choice: TimedSchedule) -> Callable[[], None]:
        """Runs it with a schedule, and waits for it."""
        target, device = self.traits.name, self.device
        builder = PlanBuilder("tuned", targets=(target,))
        for name, (ty, count, kind) in self.arrays.items():
            builder.array(name, ty, (count,), Access.READ if kind == "load" else Access.READ_WRITE)
        traits = {target: replace(self.traits, tuned=((self.key, choice),))}
        add_operation(builder, self.operation, self.values, {name: name for name in self.arrays}, traits=traits)
        compiled = CompiledProgram.from_builder(builder)
        handles = dict(self.handles)
        for temporary in compiled.plan.temporaries:
            handles[temporary.name] = device.allocate_buffer(size_of(temporary, {}))
            self.temporaries.append(handles[temporary.name])

        def run() -> None:
            compiled.execute(device, handles, {}, {})
            device.sync()

        return run

    def _result(self, run: Callable[[], None]) -> dict[str, Any]:
        for name, data in self.start.items():
            self.device.copy_to_buffer(self.handles[name], data)
        run()
        found = {}
        for name, (ty, _, kind) in self.arrays.items():
            if kind != "load":
                out = bytearray(len(self.start[name]))
                self.device.copy_from_buffer(self.handles[name], out)
                found[name] = np.asarray(ty.unpack(bytes(out)), np.float64)
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


def _type(operand: Operand, dtype: Type) -> Type:
    return Type.named(operand.type) if operand.type not in ("", "ty") else dtype


def _encoded(data: Any, ty: Type) -> Any:
    if ty is not Type.BF16:
        return data.astype(ty.numpy)
    return (data.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def _alike(found: Any, expected: Any, ty: Type) -> bool:
    """Whether two results are one but for rounding: GPUs may fuse in one schedule and not in another."""
    apart = _APART[ty.size_bytes] * np.abs(expected).max(initial=0) if ty.is_float else 0
    return bool(np.allclose(found, expected, rtol=0, atol=apart))
