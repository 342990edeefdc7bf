"""Contenders outside a browser: we and the loops by hand in wasmtime, here; NumPy, numexpr and Numba in a process of
their own, whose environment, `build/peers_py`, is made from requirements.txt."""

from __future__ import annotations

import ctypes
import json
import math
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime
from numpy.typing import NDArray

import hologram_web as hg
from e2e.browser import ROOT
from hologram_web.backends.wasm.arena import advise

from .cases import Case
from .nodes import literals, loop_text, of_numexpr
from .pages import FAST, HAND_CODE, LOOPS, code_of, loop_of

__all__ = ["Here", "Loops", "Others", "large_pages", "others"]

HERE = Path(__file__).resolve().parent
FOLDER = ROOT / "build" / "peers_py"
LOOPS_2 = f"{LOOPS}, 2 threads"
PARALLEL = ", parallel"
_PAGE = 65536
Array = NDArray[Any]


def least(wanted: Array) -> float:
    """Smaller results are compared with this."""
    return float(np.abs(wanted).max(initial=0)) * 1e-2 or 1.0


class Timed:
    """Runs of the cases, by title: warmed up, and repeated until a turn takes some time."""

    def __init__(self, name: str, version: str, threads: int) -> None:
        self.name, self.version, self.threads = name, version, threads
        self.clock: Callable[[], float] = time.perf_counter
        self.runs: dict[str, tuple[Callable[[], object], int]] = {}

    def keep(self, title: str, run: Callable[[], object], milliseconds: float, turn: float) -> None:
        end, best = time.perf_counter() + milliseconds / 1000, math.inf
        while time.perf_counter() < end:
            begun = time.perf_counter()
            run()
            best = min(best, time.perf_counter() - begun)
        self.runs[title] = run, max(1, math.ceil(turn / 1000 / best))

    def time(self, title: str) -> float:
        run, repeats = self.runs[title]
        begun = self.clock()
        for _ in range(repeats):
            run()
        return 1000 * (self.clock() - begun) / repeats

    def forget(self, title: str) -> None:
        self.runs.pop(title, None)


class Here(Timed):
    """We, natively: the compiled program with Buffers of an Executor, on one thread or on all."""

    def __init__(self, name: str) -> None:
        self.math = "fast" if name.startswith(FAST) else "exact"  # collectives fuse on devices that are asked to
        alone = {} if name.endswith(PARALLEL) else {"threads": 1}
        self.executor = hg.Executor("wasm", math=self.math, **alone)
        super().__init__(name, hg.__version__, self.executor.device.threads.number)

    def prepare(self, title: str, case: Case, milliseconds: float, turn: float) -> tuple[int, float] | None:
        """How many results are wrong, and by how much; None where we have no other code than the exact."""
        program = case.ours(self.math)
        if self.math == "fast" and code_of(program.to_bytes()) == code_of(case.ours("exact").to_bytes()):
            return None
        given: dict[str, Any] = {name: self.executor.array(value) for name, value in case.arrays.items()}
        given |= {name: value if name == "step" else int(value) for name, value in case.scalars.items()}
        z, between = (self.executor.array(np.zeros(case.wanted.shape, case.result)) for _ in range(2))

        def run() -> None:
            last = given.get("x")
            for call in range(1, case.calls + 1):
                following = between if (case.calls - call) % 2 else z
                self.executor.run(program, **given if last is None else given | {"x": last}, z=following)
                last = following

        run()
        wanted = case.wanted.astype(np.float64)
        error = np.abs(z.numpy() - wanted) / np.maximum(np.abs(wanted), least(wanted))
        self.keep(title, run, milliseconds, turn)
        return int(np.count_nonzero(~(error <= case.tolerance))), float(error.max(initial=0))


def large_pages(store: wasmtime.Store, memory: wasmtime.Memory) -> None:
    """For loops by hand what our memory and NumPy's have."""
    advise(ctypes.cast(memory.data_ptr(store), ctypes.c_void_p).value or 0, memory.data_len(store))


class Loops(Timed):
    """The loops of bench/hand, whose results they check themselves, on one thread or two with memories of their own."""

    def __init__(self, name: str) -> None:
        super().__init__(name, version("wasmtime"), 2 if name == LOOPS_2 else 1)
        self.pool = ThreadPoolExecutor(self.threads)

    def prepare(self, title: str, case: Case, milliseconds: float, turn: float) -> tuple[int, float] | None:
        loop = loop_of(case)
        if loop is None:
            return None
        size = -(-loop["bytes"] // self.threads // 128) * 128
        calls = [self._call(loop["name"], size, loop["rounds"]) for _ in range(self.threads)]

        def run() -> None:
            if len(calls) == 1:
                calls[0]()
            else:
                list(self.pool.map(lambda call: call(), calls))

        self.keep(title, run, milliseconds, turn)
        return 0, 0.0

    def _call(self, name: str, size: int, rounds: int) -> Callable[[], object]:
        engine = wasmtime.Engine()
        store = wasmtime.Store(engine)
        target = _PAGE + -(-size // _PAGE) * _PAGE
        memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(2 * target // _PAGE, 65536)))
        text = (HAND_CODE / ("v128_relaxed.wat" if name == "fma" else "v128.wat")).read_text(encoding="utf-8")
        function = wasmtime.Instance(store, wasmtime.Module(engine, text), [memory]).exports(store)[name]
        assert isinstance(function, wasmtime.Func)
        large_pages(store, memory)
        source = (np.arange(size // 4) % 8).astype(np.float32)
        memory.write(store, source.tobytes(), _PAGE)
        function(store, target, _PAGE, size, rounds)
        found = np.frombuffer(bytes(memory.read(store, target, target + size)), np.float32)
        right = {
            "copy": lambda: np.array_equal(found, source),
            "read": lambda: found[:4].sum() == source.sum(dtype=np.float64),
        }.get(name, lambda: bool((found[:40] == 2).all()))  # what x / 2 + 1 comes to, and 2 x / 2
        if not right():
            sys.exit(f"the {name} loop is wrong")
        return lambda: function(store, target, _PAGE, size, rounds)


class Others:
    """The process of the other libraries: `prepare` gives by name how many results are wrong, and by how much."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        told = json.loads(self._line())
        self.contenders = {name: tuple(found) for name, found in told["contenders"].items()}

    def _line(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the process of the other libraries ended with status {self.process.wait()}")
        return line

    def ask(self, **what: Any) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        return json.loads(self._line())

    def prepare(self, title: str, case: Case, milliseconds: float, turn: float) -> dict[str, tuple[int, float]]:
        folder = FOLDER / "data"
        folder.mkdir(exist_ok=True)
        wanted = case.wanted.astype(np.float64)
        for name, value in {**case.arrays, "wanted": wanted}.items():
            np.save(folder / f"{title}.{name}.npy", value)
        chain = bool(case.nodes) and not case.columns
        order = {
            "title": title,
            "name": case.name,
            "calls": case.calls,
            "arrays": {name: str(folder / f"{title}.{name}.npy") for name in case.arrays},
            "scalars": case.scalars,
            "wanted": str(folder / f"{title}.wanted.npy"),
            "result": case.result,
            "nodes": case.nodes,
            "columns": case.columns,
            "text": loop_text("loop", case.nodes, case.columns) if case.nodes else "",
            "expression": of_numexpr(case.nodes) if chain else "",
            "literals": literals(case.nodes),
            "tolerance": case.tolerance,
            "least": least(wanted),
            "warm": milliseconds / 1000,
            "turn": turn / 1000,
        }
        return {name: tuple(found) for name, found in self.ask(**order).items()}


@contextmanager
def others() -> Iterator[Others]:
    """NumPy, numexpr and Numba, in an environment that is made when it is not there or has other versions."""
    python, wanted = FOLDER / "bin" / "python", (HERE / "requirements.txt").read_text(encoding="utf-8")
    stamp = FOLDER / "requirements.txt"
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
        venv.create(FOLDER, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", HERE / "requirements.txt"], check=True)
        stamp.write_text(wanted, encoding="utf-8")
    command = [str(python), str(HERE / "native.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Others(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
