"""Runs of mutants: on devices of this process, and in a process of Node, which has the TypeScript reader."""

from __future__ import annotations

import contextlib
import json
import os
import select
import struct
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

import hologram_web as hg
from hologram_web.errors import HologramError, LaunchError
from hologram_web.runtime.compiled import CompiledProgram

__all__ = ["Answer", "Node", "Ran", "arguments", "devices"]

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 20.0  # seconds for an answer of Node, before its process is ended
DEADLINE = 0.5  # seconds for a run: none takes a second then (`SECONDS` of mutants.py)
MOST = 64  # of an extent of an array


@dataclass
class Ran:
    """How a run ended. `typed`: with a result or a HologramError; `hung`: it did not."""

    where: str
    answer: str
    typed: bool
    seconds: float = 0
    hung: bool = False

    @classmethod
    def of(cls, device: Any, compiled: CompiledProgram) -> Ran:
        start = time.process_time()
        try:
            compiled.run(device, **arguments(compiled))
            answer, typed = "a result", True
        except HologramError as error:
            answer, typed = f"{type(error).__name__}: {error}", True
        except Exception as error:
            answer, typed = f"{type(error).__name__}: {error}", False
        return cls(device.name, answer, typed, time.process_time() - start)


def devices() -> list[Any]:
    limits = hg.Limits(steps=10_000, seconds=DEADLINE)
    return [hg.backends.CpuBackend(limits=limits), hg.backends.WasmBackend(limits=limits, cache=False)]


def arguments(compiled: CompiledProgram) -> dict[str, Any]:
    """Small arguments for the ports."""
    given: dict[str, Any] = {}
    values: dict[str, int] = {}
    for port in compiled.ports:
        if port.access is None:
            given[port.name] = values[port.name] = 3
    for port in compiled.ports:
        if port.access is not None:
            shape = []
            for formula in port.shape:
                for name in formula.names:
                    values.setdefault(name, 4)
                try:
                    shape.append(min(max(formula.evaluate(values), 0), MOST))
                except LaunchError:
                    shape.append(1)
            given[port.name] = np.zeros(shape[:8], port.ty.numpy)
    return given


@dataclass
class Answer:
    """What the TypeScript runtime said of a file: the name of the error that refused it, and how its run ended."""

    refusal: str | None
    text: str
    seconds: float
    ran: Ran | None


class Node:
    """The process of Node, started anew where it did not answer."""

    def __init__(self) -> None:
        self.bundle = ROOT / "build" / "mutants" / f"node{os.getpid()}.mjs"
        self.bundle.parent.mkdir(parents=True, exist_ok=True)
        tool = ROOT / "node_modules" / ".bin" / "esbuild"
        subprocess.run(
            [tool, ROOT / "tests/artifact/mutants.ts", "--bundle", "--format=esm", "--platform=node",
             f"--outfile={self.bundle}", "--log-level=error"],
            check=True,
        )  # fmt: skip
        self.read = b""
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        # A mutant may ask for gigabytes, which is no matter of this test: memory ends at 256 MB.
        command = ["node", "--wasm-max-mem-pages=4096", str(self.bundle)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, raw: bytes, run: bool) -> Answer:
        reading = self._line(struct.pack("<IB", len(raw), run) + raw)
        if reading is None:
            return Answer("nothing", "no answer", PATIENCE, None)
        name, text, seconds = reading["refusal"], reading["text"], reading["seconds"]
        if name is not None or not run:
            return Answer(name, text, seconds, None)
        ran = self._line(b"")
        if ran is None:
            return Answer(None, "", seconds, Ran("Node", "hung", False, PATIENCE, hung=True))
        return Answer(None, "", seconds, Ran("Node", ran["answer"], ran["typed"], ran["seconds"]))

    def _line(self, data: bytes) -> dict[str, Any] | None:
        """The next line of the process; None if it does not come, and the process is another one from then on."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it died, and does not answer
            self.process.stdin.write(data)
            self.process.stdin.flush()
        end = time.monotonic() + PATIENCE
        while b"\n" not in self.read:
            ready, _, _ = select.select([self.process.stdout], [], [], max(end - time.monotonic(), 0))
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            self.read += more
            if not more:
                break
        line, newline, self.read = self.read.partition(b"\n")
        if newline:
            found: dict[str, Any] = json.loads(line)
            return found
        self.read = b""
        self._end()
        self.process = self._start()
        return None

    def _end(self) -> None:
        self.process.kill()
        with contextlib.suppress(BrokenPipeError):  # of what was not sent
            self.process.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self.bundle.unlink()
