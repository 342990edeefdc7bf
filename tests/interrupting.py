"""Sends itself SIGINT while the main thread waits for launches: `python -m tests.interrupting DEVICE`.

Prints for each scene what was raised, and how many seconds after the signal (as clock.Heart counts them).
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import hologram_web as hg

from .clock import Heart

NESTED = """
.param x: buffer u32 read_write
    mov_imm.u32 r10, 60000
outer:
    mov_imm.u32 r11, 60000
middle:
    mov_imm.u32 r12, 60000
inner:
    stg.u32 [x], r12
    loop r12, inner
    loop r11, middle
    loop r10, outer
"""
BARRIERS = """
.param x: buffer u32 read_write
    mov_imm.u32 r10, 0
again:
    bar_sync 0
    ldg.u32 r11, [x]
    bar_sync 1
    set.eq.u32 p0, r10, r11
    bra again, p0
"""
DIVERGENT = """
.param x: buffer u32 read_write
    mov_imm.u32 r10, 0
    set.eq.u32 p1, r252, r10
    bra again, p1
    exit
again:
    bar_sync 0
    ldg.u32 r11, [x + r252*4]
    set.eq.u32 p0, r10, r11
    bra again, p0
"""
SPIN = """
.param x: buffer u32 read_write
again:
    bra again
"""
SHORT = """
.param x: buffer u32 read_write
    ldg.u32 r10, [x]
    stg.u32 [x], r10
"""
LOOPS = {"nested": NESTED, "barriers": BARRIERS, "divergent": DIVERGENT, "spin": SPIN}


def plan_of_many() -> Any:
    """A million launches."""
    builder = hg.PlanBuilder("many", shapes={"x": (4,)})
    with builder.repeat(500_000):
        builder.launch(hg.Program.from_text(SHORT), 1)
    return hg.CompiledProgram.from_builder(builder)


class Scenes:
    def __init__(self, name: str) -> None:
        self.device = hg.backends.DEVICES[name]()
        self.x = self.device.allocate_buffer(64)
        self.found: dict[str, list[Any]] = {}

    def launch(self, text: str) -> None:
        program, config = hg.Program.from_text(text), hg.LaunchConfig.linear(12, 4)
        self.device.execute_program_with_params(program, hg.ExecutionParams(config, {"x": self.x}))

    def scene(self, name: str, work: Callable[[], object], number: int = signal.SIGINT) -> None:
        """Sends a signal in the midst of work; afterwards the device has to do what it is told."""
        heart, over = Heart(), threading.Event()

        def send() -> None:
            self.wait(over)
            if not over.wait(0.3):
                heart.start()
                os.kill(os.getpid(), number)

        sender = threading.Thread(target=send)
        sender.start()
        try:
            work()
            self.found[name] = ["nothing", 0]
        except BaseException as error:
            self.found[name] = [type(error).__name__, heart.seconds, str(error)]
        over.set()
        sender.join()
        self.device.copy_to_buffer(self.x, np.zeros(16, np.uint32))
        self.launch(SHORT)

    def wait(self, over: threading.Event) -> None:
        """Until a launch runs."""
        while not self.device._running and not over.wait(0.01):
            pass

    def behind_another(self) -> None:
        """The main thread waits for a launch of another thread to end."""
        other = threading.Thread(target=self.cancelled)
        other.start()
        self.wait(threading.Event())
        try:
            self.launch(SHORT)
        finally:
            self.device.cancel()
            other.join()

    def cancelled(self) -> None:
        try:
            self.launch(NESTED)
        except hg.ExecutionError as error:
            self.other = error.kind

    def awaited(self) -> None:
        params = hg.ExecutionParams(hg.LaunchConfig(), {"x": self.x})
        asyncio.run(self.device.execute_async(hg.Program.from_text(NESTED), params))

    def run(self) -> dict[str, list[Any]]:
        for name, text in LOOPS.items():
            self.scene(name, lambda text=text: self.launch(text))  # type: ignore[misc]
        many = plan_of_many()
        self.scene("plan", lambda: many.run(self.device, x=np.zeros(4, np.uint32)))
        self.scene("lock", self.behind_another)
        self.scene("async", self.awaited)

        def handler(*_: object) -> None:
            raise ValueError("from a handler")

        signal.signal(signal.SIGUSR1, handler)
        self.scene("handler", lambda: self.launch(NESTED), signal.SIGUSR1)

        def launches(*_: object) -> None:
            self.launch(SHORT)

        signal.signal(signal.SIGUSR1, launches)
        self.scene("launches", lambda: self.launch(NESTED), signal.SIGUSR1)
        return self.found


if __name__ == "__main__":
    print(json.dumps(Scenes(sys.argv[1]).run()))
