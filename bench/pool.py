"""`python -m bench.pool`: the figures that the predecessor's documents state for pools, measured.

They state about 11 GB/s of pool loads and stores, about 10 ns for an instruction, 1 MB to 100 MB through a pool of
36 KB at a rate that does not depend on the size, and "memory amplification": the data's size over the pool's.
`copies` has lanes load from one half of a pool and store to the other, beside a v128 loop by hand in the same engine.
Here bytes are those that lanes load from or store to a pool, 4 for each; instructions are those that lanes execute.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import click
import numpy as np
import wasmtime
from numpy.typing import NDArray

import hologram_web as hg

from .peers.processes import large_pages
from .stream import POOL, PROGRAM, blocks, resident

_LANES = 8192  # which reach 32 KB of the pool
_ROUNDS = 500
_BODY = {  # instructions of a round, and accesses to the pool
    "load": ("pool_load.u32 r11, p, r10\n add.u32 r12, r12, r11", 1),
    "store": ("pool_store.u32 p, r10, r12\n add.u32 r12, r12, r16", 1),
    "load and store": ("pool_load.u32 r11, p, r10\n add.u32 r11, r11, r16\n pool_store.u32 p, r10, r11", 2),
}


def program_of(body: str) -> tuple[hg.Program, int]:
    """A lane walks through the pool, one word further in each round; instructions of a round."""
    text = f"""
.param p: pool
.param sums: buffer u32 write

    mov_imm.u64 r14, 4
    mov_imm.u64 r15, {4 * _LANES - 1}
    mul.u64 r10, r255, r14
    mov_imm.u32 r12, 0
    mov_imm.u32 r16, 3
    mov_imm.u32 r13, {_ROUNDS}
again:
    {body}
    add.u64 r10, r10, r14
    and.u64 r10, r10, r15
    loop r13, again
    stg.u32 [sums + r255*4], r12
"""
    return hg.Program.from_text(text), body.count("\n") + 4


def by_numpy(what: str, words: NDArray[np.uint32], sums: NDArray[np.uint32]) -> None:
    """The same loads or stores, a row of words at a time."""
    for _ in range(_ROUNDS):
        if what == "load":
            np.add(sums, words, out=sums)
        elif what == "store":
            words[:] = sums
        else:
            np.add(words, 3, out=words)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def accesses(executors: dict[str, hg.Executor], rounds: int) -> None:
    """Loads and stores of lanes, the devices and NumPy in turn; medians."""
    print("| what | by | GB/s | ns an instruction of a lane |\n|---|---|---|---|")
    words, own = np.zeros(_LANES, np.uint32), np.zeros(_LANES, np.uint32)
    memory = {name: (ex.allocate_pool(POOL), ex.zeros(_LANES, hg.u32)) for name, ex in executors.items()}
    for what, (body, count) in _BODY.items():
        program, instructions = program_of(body)

        def launch(name: str, program: hg.Program = program) -> None:
            pool, sums = memory[name]
            executors[name].run(program, _LANES, p=pool, sums=sums)
            executors[name].sync()

        works: dict[str, Callable[[], object]] = {name: partial(launch, name) for name in executors}
        works["NumPy"] = partial(by_numpy, what, words, own)
        times: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(rounds + 1):
            for name, work in works.items():
                times[name].append(timed(work))
        for name, found in times.items():
            seconds, size = median(found[1:]), 4 * _LANES * _ROUNDS * count  # the first compiles
            each = "" if name == "NumPy" else f"{1e9 * seconds / (_LANES * _ROUNDS * instructions):.2f}"
            print(f"| {what} | {name} | {size / seconds / 1e9:.2f} | {each} |")


_COPY = """
.param p: pool
    mov_imm.u64 r14, 4
    mov_imm.u64 r15, {half}
    mul.u64 r10, r255, r14
    pool_load.u32 r11, p, r10
    add.u64 r10, r10, r15
    pool_store.u32 p, r10, r11
"""


_WORD = bytes(range(1, 5))


def by_hand(size: int) -> Callable[[], object]:
    """The loop of bench/hand/v128.wat that copies so many bytes, none of which lie in the one page of zeros that the
    system shows for memory that nobody has written: reading that, from the first cache, the loop was a tenth faster."""
    store, page = wasmtime.Store(), 65536
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(2 * size // page + 2, 65536)))
    large_pages(store, memory)
    memory.write(store, _WORD * (size // len(_WORD)), page)
    text = (Path(__file__).with_name("hand") / "v128.wat").read_text(encoding="utf-8")
    function = wasmtime.Instance(store, wasmtime.Module(store.engine, text), [memory]).exports(store)["copy"]
    assert isinstance(function, wasmtime.Func)
    function(store, page + size, page, size, 1)
    assert memory.read(store, page + size, page + 2 * size) == _WORD * (size // len(_WORD))
    return lambda: function(store, page + size, page, size, 1)


def copies(rounds: int) -> None:
    """Halves of pools, copied by lanes and by hand in turn, one thread each, by the time of the processor; medians."""
    print("| copied, MiB | by lanes, ms | by hand, ms | of its speed | GB/s read and written, by lanes | by hand |")
    print("|---|---|---|---|---|---|")
    with hg.Executor("wasm", threads=1) as ex:
        for size in (1 << 20, 1 << 22, 1 << 24):
            program = hg.Program.from_text(_COPY.format(half=size))
            pool, data = ex.allocate_pool(2 * size), _WORD * (size // len(_WORD))
            ex.device.copy_to_pool(pool, 0, data)
            lanes = partial(ex.run, program, size // 4, p=pool)
            lanes()
            assert ex.device.copy_from_pool(pool, size, size) == data
            works: tuple[Callable[[], object], ...] = (lanes, by_hand(size))
            times: list[list[float]] = [[], []]
            for _ in range(10 * rounds):
                for work, found in zip(works, times, strict=True):
                    start = time.process_time()
                    work()
                    found.append(time.process_time() - start)
            ours, hand = (median(found[1:]) for found in times)
            rates = " | ".join(f"{2 * size / seconds / 1e9:.1f}" for seconds in (ours, hand))
            print(f"| {size >> 20} | {1000 * ours:.3f} | {1000 * hand:.3f} | {hand / ours:.2f} | {rates} |")


def streams(executors: dict[str, hg.Executor]) -> None:
    """Data of several sizes through the pool of 36 KB."""
    print("| streamed, MB | by | seconds | GB/s | over the pool's size | the process grew by, MB |")
    print("|---|---|---|---|---|---|")
    for megabytes in (1, 10, 100):
        for name, ex in executors.items():
            sums = ex.zeros(POOL // 8, hg.u32)
            hg.stream(PROGRAM, blocks(10 * POOL), POOL, executor=ex, args={"sums": sums})
            before = resident()
            report = hg.stream(PROGRAM, blocks(megabytes * 10**6), POOL, executor=ex, args={"sums": sums})
            grown = max(resident() - before, 0) / 1e6
            ratio = f"{megabytes * 1e6 / POOL:,.0f} | {grown:.1f}"
            print(f"| {megabytes} | {name} | {report.seconds:.2f} | {report.gb_per_s:.3f} | {ratio} |")


@click.command()
@click.option("--device", "names", multiple=True, default=("wasm", "webgpu"), show_default=True)
@click.option("--rounds", default=7, show_default=True, type=click.IntRange(1))
def main(names: tuple[str, ...], rounds: int) -> None:
    executors = {name: hg.Executor(name) for name in names}
    accesses(executors, rounds)
    print()
    copies(rounds)
    print()
    streams(executors)
    for ex in executors.values():
        ex.close()


if __name__ == "__main__":
    main()
