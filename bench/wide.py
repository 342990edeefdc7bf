"""Nanoseconds an operation on U256 takes: on wasm with and without wide arithmetic, and in Python's integers.

.venv/bin/python -m bench.wide

Processor time, so that a busy machine can measure it; rounds are interleaved, medians printed. What wasm takes is
that of a launch with the operation less that of one without.
"""

from __future__ import annotations

import operator
import random
import statistics
import time
from collections.abc import Callable

from hologram_web.backends import ExecutionParams, LaunchConfig, WasmBackend
from hologram_web.isa import Program, Type

TY, COUNT, REPEATED, ROUNDS = Type.U256, 20_000, 8, 15
MASK = (1 << TY.bits) - 1
PYTHON: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y & MASK,
    "mul": lambda x, y: x * y & MASK,
    "div": operator.floordiv,
}


def program(name: str, times: int) -> Program:
    """y[i] = a[i] <op> b[i], so many times: each on a fresh dividend, so that quotients are no smaller."""
    size = TY.size_bytes
    body = "".join(f" {name}.{TY} r12, r10, r11\n xor.{TY} r10, r10, r12\n" for _ in range(times))
    plain = f" xor.{TY} r10, r10, r11\n" * (REPEATED - times)
    return Program.from_text(
        f".param a: buffer {TY} read\n.param b: buffer {TY} read\n.param y: buffer {TY} write\n"
        f" ldg.{TY} r10, [a + r255*{size}]\n ldg.{TY} r11, [b + r255*{size}]\n{body}{plain}"
        f" stg.{TY} [y + r255*{size}], r10\n"
    )


def main() -> None:
    source = random.Random(1)
    a, b = ([source.getrandbits(bits) for _ in range(COUNT)] for bits in (TY.bits, TY.bits // 2))
    devices = {}
    for way, wide in (("wasm", True), ("wasm, portable", False)):
        device = WasmBackend(cache=False)
        device._wide_arithmetic = device._wide_arithmetic and wide
        handles = {name: device.allocate_buffer(COUNT * TY.size_bytes) for name in "aby"}
        device.copy_to_buffer(handles["a"], TY.pack(a))
        device.copy_to_buffer(handles["b"], TY.pack(b))
        devices[way] = device, ExecutionParams(LaunchConfig.linear(COUNT), handles)
    times: dict[tuple[str, str], list[float]] = {}

    def timed(key: tuple[str, str], run: Callable[[], object], scale: float) -> None:
        start = time.thread_time()
        run()
        times.setdefault(key, []).append((time.thread_time() - start) / COUNT / scale * 1e9)

    plain = program("add", 0)
    for _ in range(ROUNDS):
        for name, function in PYTHON.items():
            timed((name, "Python"), lambda f=function: list(map(f, a, b)), 1)  # type: ignore[misc]
            for way, (device, params) in devices.items():
                for times_, text in ((REPEATED, program(name, REPEATED)), (0, plain)):
                    run = lambda d=device, t=text, p=params: d.execute_program_with_params(t, p)  # noqa: E731
                    timed((name, f"{way} {times_}"), run, REPEATED)
    median = {key: statistics.median(values[1:]) for key, values in times.items()}
    for name in PYTHON:
        found = [f"{way} {median[name, f'{way} {REPEATED}'] - median[name, f'{way} 0']:.0f} ns" for way in devices]
        print(f"{name}: {', '.join(found)}, Python {median[name, 'Python']:.0f} ns")


if __name__ == "__main__":
    main()
