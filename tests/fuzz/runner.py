"""Runs many seeds in chunks, in processes that are started anew now and then, and keeps what is done in a file.

A process that dies, or hangs, fails the seed it was at, and the others go on.
"""

from __future__ import annotations

import gc
import json
import time
import traceback
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from .case import Case, execute
from .devices import Failure, Opponent, against, check, open_devices, reference
from .generator import generate
from .liveness import Statistics
from .plan import PROFILES
from .python_kernels.check import check_kernel
from .python_kernels.shrink import smallest_kernel
from .report import filetest_of
from .shrink import fails_like, shrink, sound

__all__ = ["Progress", "Settings", "run", "run_seeds", "smallest"]

_CHUNK = 50  # seeds that are done or not, in the file
_CHUNKS = 8  # of one process: to start one takes as long as two to four programs
_HANG = 400.0  # seconds for one seed, on a machine that has other work


@dataclass(frozen=True)
class Settings:
    """What a run does; a resumed run has to have the same."""

    devices: tuple[str, ...] = ("cpu",)
    profiles: tuple[tuple[str, int], ...] = (("exact", 1500),)  # and how many programs of each
    seed: int = 0
    in_turn: bool = False  # each program runs on one of the devices, which its seed says

    @property
    def jobs(self) -> list[tuple[str, int]]:
        """Profiles and seeds, mixed evenly, so that a run that ends early has tried something of every profile."""
        places = ((number / count, name, number) for name, count in self.profiles for number in range(count))
        return [(name, self.seed + number) for _, name, number in sorted(places)]


@dataclass
class Progress:
    """What is done so far."""

    done: set[int] = field(default_factory=set)  # chunks
    statistics: dict[str, Statistics] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    processor: float = 0.0  # seconds of processor time

    def save(self, path: Path, settings: Settings) -> None:
        data = {
            "settings": asdict(settings),
            "done": sorted(self.done),
            "statistics": {name: found.to_json() for name, found in self.statistics.items()},
            "failures": [asdict(failure) for failure in self.failures],
            "refused": self.refused,
            "seconds": self.seconds,
            "processor": self.processor,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(data), encoding="utf-8")
        fresh.replace(path)

    @classmethod
    def load(cls, path: Path, settings: Settings) -> Progress:
        """Raises ValueError if the file belongs to another run."""
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["settings"] != json.loads(json.dumps(asdict(settings))):
            raise ValueError(f"{path} belongs to another run: {data['settings']}")
        statistics = {name: Statistics.from_json(found) for name, found in data["statistics"].items()}
        failures = [Failure(**failure) for failure in data["failures"]]
        return cls(set(data["done"]), statistics, failures, data["refused"], data["seconds"], data["processor"])

    @property
    def programs(self) -> int:
        return sum(found.programs for found in self.statistics.values())

    def merge(self, statistics: dict[str, Any], refused: dict[str, int]) -> None:
        for name, found in statistics.items():
            self.statistics.setdefault(name, Statistics()).add(Statistics.from_json(found))
        for name, count in refused.items():
            self.refused[name] = self.refused.get(name, 0) + count


def run_seeds(
    jobs: list[tuple[str, int]],
    opponents: list[Opponent],
    statistics: dict[str, Statistics] | None = None,
    in_turn: bool = False,
) -> tuple[list[Failure], dict[str, int]]:
    """Runs seeds in this process: the failures, and how many programs each device refused."""
    first = reference()
    failures: list[Failure] = []
    refused: dict[str, int] = {}
    for profile, seed in jobs:
        chosen = _chosen(seed, opponents, in_turn)
        found, who = _one(profile, seed, first, chosen, statistics if statistics is not None else {})
        failures += found
        for name in who:
            refused[name] = refused.get(name, 0) + 1
    return failures, refused


def _chosen(seed: int, opponents: list[Opponent], in_turn: bool) -> list[Opponent]:
    return [opponents[seed % len(opponents)]] if in_turn else opponents


def _one(
    profile: str, seed: int, first: Any, opponents: list[Opponent], statistics: dict[str, Statistics]
) -> tuple[list[Failure], list[str]]:
    if PROFILES[profile].python:
        kernel, analysis, failures, refused = check_kernel(profile, seed, first, opponents)
        if kernel is not None and analysis is not None:
            statistics.setdefault(profile, Statistics()).count(analysis, kernel.features)
        return failures, refused
    try:
        case = generate(seed, profile)
    except Exception:
        return [Failure(seed, profile, "generator", "crash", traceback.format_exc(limit=-3))], []
    analysis, failures, refused = check(case, first, opponents)
    statistics.setdefault(profile, Statistics()).count(analysis, case.features)
    return failures, refused


# Processes


def _work(pipe: Connection, devices: tuple[str, ...], in_turn: bool) -> None:
    opponents = open_devices(list(devices))
    first = reference()
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)  # a program leaves little in cycles: a tenth of the time
    said = 0.0
    while (jobs := pipe.recv()) is not None:
        for number, (profile, seed) in enumerate(jobs):
            pipe.send(("at", number))
            statistics: dict[str, Statistics] = {}
            failures, refused = _one(profile, seed, first, _chosen(seed, opponents, in_turn), statistics)
            found = {name: one.to_json() for name, one in statistics.items()}
            pipe.send(("done", found, failures, dict.fromkeys(refused, 1)))
        pipe.send(("end", (now := time.process_time()) - said))
        said = now


class _Worker:
    """A process at work on chunks, one after the other."""

    def __init__(self, devices: tuple[str, ...], in_turn: bool) -> None:
        self.devices, self.in_turn = devices, in_turn
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self.pipe, child = context.Pipe()
        self.process = context.Process(target=_work, args=(child, self.devices, self.in_turn), daemon=True)
        self.process.start()
        child.close()
        self.chunks = 0

    def take(self, number: int, jobs: list[tuple[str, int]]) -> None:
        self.number, self.jobs = number, jobs
        self.chunks += 1
        self._give(0)

    def _give(self, first: int) -> None:
        self.at = self.base = first
        self.since = time.monotonic()
        with suppress(OSError):  # it died while it had nothing to do, which reading tells
            self.pipe.send(self.jobs[first:])

    def lost(self, kind: str) -> tuple[Failure, bool]:
        """The process is gone, or hangs: the failure, and whether another process goes on with the chunk."""
        self.process.kill()
        self.process.join()
        self.pipe.close()
        profile, seed = self.jobs[min(self.at, len(self.jobs) - 1)]
        failure = Failure(seed, profile, ", ".join(self.devices), kind, f"exit code {self.process.exitcode}")
        self._start()
        more = self.at + 1 < len(self.jobs)
        if more:
            self._give(self.at + 1)
        return failure, more

    def finish(self) -> None:
        """Lets the process end."""
        with suppress(OSError):
            self.pipe.send(None)
        self.process.join(10)
        self.process.kill()
        self.process.join()
        self.pipe.close()


def run(
    settings: Settings,
    *,
    jobs: int = 1,
    state: Path | None = None,
    seconds: float | None = None,
    most_failures: int = 20,
    say: Any = print,
) -> Progress:
    """Runs what is not done yet. With `state`, progress is kept there, and taken up again."""
    progress = Progress.load(state, settings) if state is not None and state.exists() else Progress()
    everything = settings.jobs
    chunks = {n: everything[n * _CHUNK : (n + 1) * _CHUNK] for n in range(-(-len(everything) // _CHUNK))}
    waiting = [number for number in chunks if number not in progress.done]
    workers: list[_Worker] = []
    idle: list[_Worker] = []
    start, before = time.monotonic(), progress.seconds
    said = start
    while (waiting or workers) and len(progress.failures) < most_failures:
        over = seconds is not None and time.monotonic() - start > seconds
        if over:
            waiting = []
        while waiting and len(workers) < jobs:
            number = waiting.pop(0)
            workers.append(idle.pop() if idle else _Worker(settings.devices, settings.in_turn))
            workers[-1].take(number, chunks[number])
        before_wait = time.monotonic()
        ready = wait([worker.pipe for worker in workers], timeout=1.0)
        if (stood := time.monotonic() - before_wait - 1.0) > 5:  # this process was stopped, and others with it
            for worker in workers:
                worker.since += stood
        for worker in list(workers):
            if worker.pipe in ready:
                alive = _listen(worker, progress, say)
            elif time.monotonic() - worker.since > _HANG:
                alive = _lost(worker, "hangs", progress, say)
            else:
                continue
            if not alive:
                workers.remove(worker)
                if worker.chunks < _CHUNKS:
                    idle.append(worker)
                else:
                    worker.finish()
                progress.done.add(worker.number)
                progress.seconds = before + time.monotonic() - start
                if state is not None:
                    progress.save(state, settings)
        if time.monotonic() - said > 5:
            said = time.monotonic()
            rate = progress.programs / max(before + said - start, 0.001)
            say(f"{progress.programs} of {len(everything)} programs, {rate:.0f} a second, {_failed(progress)}")
    for worker in workers:
        worker.process.kill()
    for worker in (*workers, *idle):
        worker.finish()
    progress.seconds = before + time.monotonic() - start
    return progress


def _failed(progress: Progress) -> str:
    return f"{len(progress.failures)} failure{'' if len(progress.failures) == 1 else 's'}"


def _listen(worker: _Worker, progress: Progress, say: Any) -> bool:
    """Takes one message; False if the worker is done."""
    try:
        message = worker.pipe.recv()
    except (EOFError, ConnectionResetError):
        return _lost(worker, "died", progress, say)
    worker.since = time.monotonic()
    match message[0]:
        case "at":
            worker.at = worker.base + message[1]
        case "done":
            progress.merge(message[1], message[3])
            for failure in message[2]:
                progress.failures.append(failure)
                say(str(failure))
        case _:
            progress.processor += message[1]
            return False
    return True


def _lost(worker: _Worker, kind: str, progress: Progress, say: Any) -> bool:
    failure, alive = worker.lost(kind)
    progress.failures.append(failure)
    say(str(failure))
    return alive


# Failures


def smallest(failure: Failure, folder: Path, seconds: float = 60.0) -> tuple[Path, Case]:
    """Shrinks the case of a failure, writes it to `folder` as a filetest, and gives both."""
    if PROFILES[failure.profile].python and failure.device == "cpu":
        return smallest_kernel(failure, Opponent("cpu", reference()), folder, seconds)
    opponents = open_devices([{"cpu, lanes descending": "cpu"}.get(failure.device, failure.device)])
    if PROFILES[failure.profile].python:
        return smallest_kernel(failure, opponents[0], folder, seconds)
    case = generate(failure.seed, failure.profile)
    return write_smallest(case, failure, reference(), opponents[0], folder, seconds)


def write_smallest(
    case: Case, failure: Failure, first: Any, opponent: Opponent, folder: Path, seconds: float
) -> tuple[Path, Case]:
    """Shrinks a case on which the opponent fails, and writes it to `folder`."""
    fails = fails_like(failure, opponent)
    if sound(case) and fails(case):
        case = shrink(case, fails, seconds)
    expected = execute(first, case)
    last = against(case, expected, opponent) or failure
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{failure.profile}-{failure.seed}.atlas"
    path.write_text(filetest_of(case, expected, last), encoding="utf-8")
    return path, case
