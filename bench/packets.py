"""What packets of lanes gain on WebAssembly: kernels beside their own scalar form, natively in one process.

    python -m bench.packets [--rounds 15] [--only mandelbrot,blur] [--json FILE]

All forms of all kernels are interleaved, each on one thread. Times are processor time, the least of all rounds, since
others at the machine only add to them, and `median` is that of the ratios of a round. Every form has to give the same
bytes before anything is timed. What the code of a form weighs stands beside it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg
from hologram_web.backends.wasm import WasmBackend

from . import cases as programs

__all__ = ["CASES", "Case", "main", "measured"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """A launch. Arrays among the arguments become buffers; `result` names the one that is compared."""

    name: str
    program: hg.Program
    config: hg.LaunchConfig
    arguments: dict[str, Any]
    result: str = "z"


@hg.kernel
def _collatz(z: hg.Array[hg.u32]) -> None:
    i = hg.global_id()
    if i < len(z):
        n = hg.u32(i + 1)
        steps = hg.u32(0)
        while n != hg.u32(1):
            if n % hg.u32(2) == hg.u32(0):
                n = n // hg.u32(2)
            else:
                n = hg.u32(3) * n + hg.u32(1)
            steps += hg.u32(1)
        z[i] = steps


@hg.kernel
def _chain(x: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(z):
        a = x[i] * y[i] + x[i]
        z[i] = hg.sqrt(abs(a)) * y[i] - a * a


@hg.kernel
def _exponential(x: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = hg.exp(x[i] * y[i] + x[i])


@hg.kernel
def _sine(x: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = hg.sin(x[i])


@hg.kernel
def _gray_scott(
    u: hg.Array[hg.f32], v: hg.Array[hg.f32], z: hg.Array[hg.f32], w: hg.Array[hg.f32], width: hg.i32, height: hg.i32
) -> None:
    x, y = hg.global_id(0), hg.global_id(1)
    if x > 0 and y > 0 and x < width - 1 and y < height - 1:
        i = y * width + x
        around_u = u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - hg.f32(4.0) * u[i]
        around_v = v[i - 1] + v[i + 1] + v[i - width] + v[i + width] - hg.f32(4.0) * v[i]
        both = u[i] * v[i] * v[i]
        z[i] = u[i] + hg.f32(0.16) * around_u - both + hg.f32(0.035) * (hg.f32(1.0) - u[i])
        w[i] = v[i] + hg.f32(0.08) * around_v + both - hg.f32(0.1) * v[i]


@hg.kernel
def _search(x: hg.Array[hg.u8], z: hg.Array[hg.u8], wanted: hg.u8) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = hg.u8(1) if x[i] == wanted else hg.u8(0)


@hg.kernel
def _histogram(x: hg.Array[hg.u32], z: hg.Array[hg.u32]) -> None:
    i = hg.global_id()
    if i < len(x):
        hg.atomic_add(z, x[i], hg.u32(1))


@hg.kernel
def _transpose(x: hg.Array[hg.f32], z: hg.Array[hg.f32], width: hg.i32, height: hg.i32) -> None:
    i, j = hg.global_id(0), hg.global_id(1)
    if i < width and j < height:
        z[i * height + j] = x[j * width + i]


@hg.kernel
def _complex(x: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32]) -> None:
    i = hg.global_id()
    if i * 2 + 1 < len(z):
        z[2 * i] = x[2 * i] * y[2 * i] - x[2 * i + 1] * y[2 * i + 1]
        z[2 * i + 1] = x[2 * i] * y[2 * i + 1] + x[2 * i + 1] * y[2 * i]


_PRIME = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47


@hg.kernel
def _wide_sum(x: hg.Array[hg.u256], y: hg.Array[hg.u256], z: hg.Array[hg.u256]) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = x[i] + y[i]


@hg.kernel
def _wide_modular(x: hg.Array[hg.u256], z: hg.Array[hg.u256], a: hg.u256) -> None:
    i = hg.global_id()
    if i < len(z):
        z[i] = hg.u256(hg.u512(x[i]) * hg.u512(a) % _PRIME)


@hg.kernel
def _wide_power(x: hg.Array[hg.u256], n: hg.Array[hg.u32], z: hg.Array[hg.u256]) -> None:
    i = hg.global_id()
    if i < len(z):
        found, base, left = hg.u256(1), x[i], n[i]
        while left > hg.u32(0):
            if left % hg.u32(2) == hg.u32(1):
                found = found * base
            base = base * base
            left = left // hg.u32(2)
        z[i] = found


@hg.kernel
def _wide_few(x: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32], w: hg.Array[hg.u128]) -> None:
    i = hg.global_id()
    if i < len(z):
        a = hg.exp(x[i] * y[i]) + hg.sin(x[i])
        w[i] = w[i] + hg.u128(hg.u32(a * hg.f32(1000)))
        z[i] = hg.exp(a)


@hg.kernel
def _wide_less(x: hg.Array[hg.u256], y: hg.Array[hg.u256], z: hg.Array[hg.u256], n: hg.Array[hg.u32]) -> None:
    i = hg.global_id()
    if i < len(z):
        difference = x[i] - y[i]
        if x[i] < y[i]:
            difference = difference + hg.u256(_PRIME)
            n[i] += hg.u32(1)
        z[i] = difference >> 3


def _wide(count: int, bits: int = 256) -> Array:
    return np.random.default_rng(3).integers(0, 256, count * bits // 8, np.uint8).view(f"V{bits // 8}")


def _numbers(below: int, ty: Any) -> Array:
    return np.random.default_rng(2).integers(0, below, _N).astype(ty)


def _floats(*shape: int) -> Array:
    return np.random.default_rng(1).random(shape, np.float32)


def _linear(name: str, kernel: Any, n: int, /, **arguments: Any) -> Case:
    return Case(name, kernel.program, hg.LaunchConfig.linear(n), arguments)


def _picture(kernel: Any, name: str, width: int, height: int, **arguments: Any) -> Case:
    blocks = hg.GridDim(-(-width // 16), -(-height // 16), 1)
    config = hg.LaunchConfig(blocks, hg.BlockDim(16, 16, 1))
    return Case(name, kernel.program, config, {**arguments, "width": width, "height": height})


def _of(case: programs.Case) -> Case:
    return Case(case.name, case.program, case.config, case.arguments)


_TURN = 4.0  # milliseconds
_N = 1 << 20
_SIDE = 512
_W = 1 << 13


def _all() -> list[Case]:
    x, y = _floats(2, _N)
    return [
        _of(programs.saxpy(_N)),
        _linear("chain", _chain, _N, x=x, y=y, z=np.zeros_like(x)),
        _linear("exp", _exponential, _N // 4, x=x[: _N // 4], y=y[: _N // 4], z=np.zeros(_N // 4, np.float32)),
        _linear("sin", _sine, _N // 4, x=x[: _N // 4] * 10, z=np.zeros(_N // 4, np.float32)),
        _of(programs.mandelbrot()),
        _linear("collatz", _collatz, _N // 8, z=np.zeros(_N // 8, np.uint32)),
        _of(programs.blur()),
        _picture(
            _gray_scott, "gray_scott", _SIDE, _SIDE,
            **{name: _floats(_SIDE * _SIDE) for name in "uvzw"},
        ),
        _linear("search", _search, _N, x=_numbers(8, np.uint8), z=np.zeros(_N, np.uint8), wanted=3),
        _linear("histogram", _histogram, _N, x=_numbers(256, np.uint32), z=np.zeros(256, np.uint32)),
        _picture(_transpose, "transpose", _SIDE, _SIDE, x=_floats(_SIDE * _SIDE), z=_floats(_SIDE * _SIDE)),
        _linear("complex", _complex, _N // 2, x=x, y=y, z=np.zeros_like(x)),
        _of(programs.block_sum(1 << 18)),
        _linear("wide_sum", _wide_sum, _W, x=_wide(_W), y=_wide(_W)[::-1], z=_wide(_W)),
        _linear("wide_modular", _wide_modular, _W, x=_wide(_W), z=_wide(_W), a=3**150),
        _linear("wide_power", _wide_power, _W, x=_wide(_W), n=_numbers(1 << 16, np.uint32)[:_W], z=_wide(_W)),
        _linear("wide_few", _wide_few, _W, x=x[:_W], y=y[:_W], z=np.zeros(_W, np.float32), w=_wide(_W, 128)),
        _linear(
            "wide_less", _wide_less, _W, x=_wide(_W), y=_wide(_W)[::-1], z=_wide(_W), n=_numbers(9, np.uint32)[:_W]
        ),
    ]  # fmt: skip


CASES = ("saxpy", "chain", "exp", "sin", "mandelbrot", "collatz", "blur", "gray_scott", "search", "histogram",
         "transpose", "complex", "block_sum", "wide_sum", "wide_modular", "wide_power", "wide_few",
         "wide_less")  # fmt: skip


class _Form:
    """A case on a device of its own, in one form."""

    def __init__(self, case: Case, packets: int | None) -> None:
        self.device = WasmBackend(packets=packets, cache=False, threads=1)
        self.buffers: dict[str, Any] = {}
        arguments: dict[str, Any] = {}
        for name, value in case.arguments.items():
            if isinstance(value, np.ndarray):
                handle = self.device.allocate_buffer(value.nbytes)
                self.device.view(handle)[:] = np.ascontiguousarray(value).view(np.uint8).ravel()
                self.buffers[name] = arguments[name] = handle
            else:
                arguments[name] = value
        for parameter in case.program.params:
            if parameter.name.endswith(".shape0"):
                arguments[parameter.name] = case.arguments[parameter.name.removesuffix(".shape0")].size
        self.program, self.params = case.program, hg.ExecutionParams(case.config, arguments)
        self.size = len(self.device.compile_to_wasm(case.program, case.config.block))

    def run(self) -> float:
        """Milliseconds of a run, the least of a turn: what the forms before have left in caches is gone then."""
        found: list[float] = []
        while sum(found) < _TURN:
            start = time.thread_time()
            self.device.execute_program_with_params(self.program, self.params)
            found.append(1000 * (time.thread_time() - start))
        return min(found)

    def result(self, name: str) -> bytes:
        return self.device.view(self.buffers[name]).tobytes()


def measured(rounds: int, only: Sequence[str] = CASES, widths: Sequence[int | None] = (None,)) -> dict[str, Any]:
    """By kernel: milliseconds and bytes of the scalar form, and of each other form with its ratio."""
    forms: dict[str, dict[int | None, _Form]] = {}
    for case in _all():
        if case.name not in only:
            continue
        forms[case.name] = {width: _Form(case, width) for width in (1, *widths)}
        for form in forms[case.name].values():
            form.run()
        results = {form.result(case.result) for form in forms[case.name].values()}
        if len(results) > 1:
            raise AssertionError(f"{case.name}: the forms differ")
    times: dict[tuple[str, int | None], list[float]] = {}
    for _ in range(rounds):
        for name, ours in forms.items():
            for width, form in ours.items():
                times.setdefault((name, width), []).append(form.run())
    found: dict[str, Any] = {}
    for name, ours in forms.items():
        scalar = times[name, 1]
        found[name] = {"scalar": {"ms": min(scalar), "bytes": ours[1].size}}
        for width in widths:
            mine = times[name, width]
            found[name]["packets" if width is None else f"packets of {width}"] = {
                "ms": min(mine),
                "bytes": ours[width].size,
                "times": min(scalar) / min(mine),
                "median": median(a / b for a, b in zip(scalar, mine, strict=True)),
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--widths", default="", help="4,8,16 beside what is chosen")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    widths = [None, *map(int, filter(None, options.widths.split(",")))]
    found = measured(options.rounds, options.only.split(","), widths)
    print("| kernel | form | ms | times the scalar form | median | bytes |\n|---|---|---|---|---|---|")
    for name, forms in found.items():
        for form, one in forms.items():
            ratios = f"{one.get('times', 1):.2f} | {one.get('median', 1):.2f}"
            print(f"| {name} | {form} | {one['ms']:.3f} | {ratios} | {one['bytes']} |")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
