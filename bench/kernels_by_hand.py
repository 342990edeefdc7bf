"""`python -m bench.kernels_by_hand`: kernels of `bench.peers` beside v128 loops by hand in the same engine, natively.

One thread each, by the time of the processor, in turns, once the results agree. Loops by hand check nothing, cannot be
cancelled and know no faults: they say what the engine gives. Times of ours are of launches from Python; `alone` is what
is spent in the kernel, which is what the loop by hand stands beside: what Python does of a launch comes out of memory
again behind one that moved megabytes. Chains stand beside the loop that copies as many bytes, too.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from statistics import median
from struct import unpack
from typing import Any

import click
import numpy as np
import wasmtime
from numpy.typing import NDArray

from bench.peers.cases import CASES as ALL
from bench.peers.cases import Case, blur, gray_scott, histogram, search
from bench.peers.pages import LOOPS
from bench.peers.processes import Here, Loops, large_pages
from e2e.browser import Browser
from hologram_web.backends.wasm.arena import FastCall
from hologram_web.targets.wasm import ARGUMENTS
from hologram_web_tools.disassemble import disassemble

CODE = Path(__file__).with_name("hand") / "kernels.wat"
CASES: dict[str, Callable[[], Case]] = {
    "add": ALL["add"],
    "fused8": ALL["fused8"],
    "fused8_16mi": ALL["fused8_16mi"],
    "gray_scott": lambda: gray_scott(calls=1),
    "blur": blur,
    "histogram": histogram,
    "search": search,
    "block_sum": ALL["block_sum"],
    "block_tree": ALL["block_sum"],  # by hand in memory, as lanes do it
    "block_tree_memory": ALL["block_sum"],  # the last levels, too; steps are counted
}
SIDES = "ours, ms", "alone, ms", "by hand, ms", "copy, ms"
_PAGE = 65536


def by_hand(name: str, case: Case) -> Callable[[], object]:
    """A call of the loop by hand, whose result is right."""
    store = wasmtime.Store()
    inputs = [*case.arrays.values()]
    places, end = [], _PAGE
    for size in (*(value.nbytes for value in inputs), case.wanted.size * np.dtype(case.result).itemsize):
        places.append(end)
        end += (size // _PAGE + 2) * _PAGE
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(end // _PAGE, 65536)))
    large_pages(store, memory)
    module = wasmtime.Module(store.engine, CODE.read_text(encoding="utf-8"))
    function = wasmtime.Instance(store, module, [memory]).exports(store)[name.removesuffix("_16mi")]
    assert isinstance(function, wasmtime.Func)
    for place, value in zip(places, inputs, strict=False):
        memory.write(store, value.tobytes(), place)
    count = case.wanted.shape[-1] if case.wanted.ndim > 1 else inputs[0].size // 4 * 4
    count = case.wanted.size if name == "search" else count
    given = places[0], places[1 if len(inputs) > 1 else 0], places[-1], count

    fast = FastCall(store, function, len(given))

    def call() -> None:
        fast(*given)

    call()
    size = case.wanted.size * np.dtype(case.result).itemsize
    raw = bytes(memory.read(store, places[-1], places[-1] + size))
    found: NDArray[Any] = np.frombuffer(raw, case.result).reshape(case.wanted.shape)
    wanted = case.wanted
    if name == "gray_scott":
        found, wanted = found[..., 4:-4], wanted[..., 4:-4]
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    return call


def _exported(file: Path, name: str, end: int, *given: int) -> dict[str, Any]:
    """A loop as a module for by_hand.mjs: its memory is grown first, and written, so that it is no page of zeros."""
    pages = end // _PAGE + 1
    fill = f"(memory.fill (i32.const {_PAGE}) (i32.const 63) (i32.const {end - _PAGE}))"
    start = f"(drop (memory.grow (i32.const {pages}))) {fill}"
    call = " ".join(f"(i32.const {number})" for number in given)
    text = file.read_text(encoding="utf-8").rstrip().removesuffix(")")
    text = text.replace(f'(func (export "{name}")', f'(func ${name} (export "{name}")')
    text += f"""(func (export "run") (param i32)
      (if (i32.lt_u (memory.size) (i32.const {pages})) (then {start})) (call ${name} {call})))"""
    return {"code": base64.b64encode(wasmtime.wat2wasm(text)).decode(), "times": 1}


def _ours(case: Case, end: int, *memories: int) -> dict[str, Any]:
    """Our kernel for pages as such a module, without its launch: it writes its arguments itself."""
    here = Here("ours")
    device: Any = here.executor.device
    device.splats = False
    assert here.prepare(case.name, case, 20, 1e-3) is not None
    loaded = next(reversed(device._kernels._kept.values()))
    words = list(unpack(f"<{len(loaded.block) // 4}I", loaded.block))
    words[: ARGUMENTS["grid"] // 4] = [0] * 7 + [1]  # no fault, no answer, and no other call
    at = loaded.kernel.memories_at // 4
    words[at : at + 2 * len(memories) : 2] = memories
    stores = "".join(f"(i32.store (i32.const {1024 + 4 * k}) (i32.const {word}))" for k, word in enumerate(words))
    pages = end // _PAGE + 1
    text = disassemble(loaded.kernel.code).rstrip().removesuffix(")")
    text += f"""(func (export "run") (param i32)
      (if (i32.lt_u (memory.size) (i32.const {pages})) (then (drop (memory.grow (i32.const {pages})))))
      {stores} (call $kernel (i32.const 1024) (i32.const 0) (i32.const {words[ARGUMENTS["grid"] // 4]}))))"""
    return {"code": base64.b64encode(wasmtime.wat2wasm(text)).decode(), "times": 1}


def _in_chromium(rounds: int) -> None:
    """Chains by hand, and ours, beside the copy of as many bytes, of 4 Mi elements."""
    size = 1 << 22
    x, y, z, end = (_PAGE + 4 * size * k for k in range(4))
    sides = {name: _exported(CODE, name, end, x, y, z, size) for name in ("add", "fused8")}
    sides["fused8, ours"] = _ours(CASES["fused8"](), end, x, y, z)
    sides["copy"] = _exported(CODE.with_name("v128.wat"), "copy", end, x + 6 * size, x, 6 * size, 1)
    with Browser() as browser:
        load = os.getloadavg()[0]
        least = browser.run("/e2e/jobs/by_hand.mjs", sides=[*sides.values()], rounds=rounds).json
    print(f"{date.today()}, Chromium, load {load:.1f}, least of {rounds} turns\n")
    print("| loop | ms | of the copy |\n|---|---|---|")
    for name, found in zip(sides, least, strict=True):
        print(f"| {name} | {found:.2f} | {found / least[-1]:.2f} |")


@click.command()
@click.option("--rounds", default=101, show_default=True, type=click.IntRange(1))
@click.option("--case", "names", multiple=True, type=click.Choice(list(CASES)), help="One of them.  [default: all]")
@click.option("--chromium", is_flag=True, help="Chains by hand and ours beside the copy, in Chromium.")
def main(rounds: int, names: tuple[str, ...], chromium: bool) -> None:
    """Kernels beside v128 loops by hand in the same engine."""
    if chromium:
        _in_chromium(rounds)
        return
    load = os.getloadavg()[0]
    print(f"{date.today()}, {os.cpu_count()} cores, load {load:.1f}, {rounds} turns\n")
    print(f"| case | size | {' | '.join(SIDES)} | of by hand | of the least times | of the copy |\n{'|---' * 9}|")
    for name in names or CASES:
        case, here, loops = CASES[name](), Here("ours"), Loops(LOOPS)
        assert here.prepare(name, case, 20, 1e-3) is not None
        sides = [here.runs[name][0], by_hand(name, case)]
        if case.bound == "copy":
            loops.prepare(name, case, 20, 1e-3)
            sides.append(loops.runs[name][0])
        times: list[list[float]] = [[] for _ in sides]
        alone = []
        for _ in range(rounds):
            with _calls() as calls:
                times[0].append(_spent(sides[0]))
            alone.append(sum(calls))
            for side, found in zip(sides[1:], times[1:], strict=True):
                found.append(_spent(side))
        launch, *others = map(median, times)
        ours, copied = median(alone), others[1] if len(others) > 1 else 0.0
        cells = [f"{time:.3f}" for time in (launch, ours, others[0])] + [f"{copied:.3f}" if copied else ""]
        ratios = [f"{ours / others[0]:.2f}", f"{min(alone) / min(times[1]):.2f}"]
        ratios.append(f"{ours / copied:.2f}" if copied else "")
        print(f"| {name} | {case.size} | {' | '.join([*cells, *ratios])} |", flush=True)


def _spent(side: Callable[[], object]) -> float:
    begun = time.process_time()
    side()
    return 1000 * (time.process_time() - begun)


@contextmanager
def _calls() -> Iterator[list[float]]:
    """The milliseconds of each call of a kernel."""
    found: list[float] = []
    again = FastCall.again

    def timed(call: FastCall) -> None:
        found.append(_spent(lambda: again(call)))

    FastCall.again = timed  # type: ignore[method-assign, assignment]
    try:
        yield found
    finally:
        FastCall.again = again  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
