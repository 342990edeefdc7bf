"""`python -m bench.relaxed`: instructions of relaxed SIMD, and loads of strides, beside what packets have for the same.

Loops by hand over operands in the first cache, in wasmtime and in Chromium, in turns: a vector of four is loaded or two
are, something is made of them, and it is stored. All ways of one thing leave the same bytes, which is checked before
anything is timed. Natively it is the time of the processor, in Chromium the clock's, and the least counts.
Kernels of lanes that cut floats off to integers follow, their module for all engines and that for relaxed SIMD.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType

import click
import wasmtime

import hologram_web as hg
from e2e.browser import Browser
from hologram_web.backends.wasm.arena import FastCall
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.verify import analyze
from hologram_web.targets.wasm import ARGUMENTS, WasmKernel, compile_kernel

__all__ = ["ELEMENTS", "WAYS", "launched", "left", "module", "words_of"]

_SIZE = 1 << 14  # bytes of an operand
_RESULTS = 2 * _SIZE
_TIMES = 200  # over all elements, in a call
_VECTORS = 4  # of a round


def _lanes(step: int) -> Callable[[int], str]:
    """A vector of elements so many bytes apart, lane by lane."""

    def text(at: int) -> str:
        found = f"(v128.load32_zero offset={at} (local.get $q))"
        for lane in range(1, 4):
            found = f"(v128.load32_lane offset={at + lane * step} {lane} (local.get $q) {found})"
        return found

    return text


def _shuffled(step: int) -> Callable[[int], str]:
    """The same by whole vectors, none of which goes beyond the last of its lanes, but where the step is 16."""

    def load(at: int) -> str:
        return f"(v128.load offset={at} (local.get $q))"

    def pick(first: str, second: str, *places: int) -> str:
        return (
            f"(i8x16.shuffle {' '.join(str(place + byte) for place in places for byte in range(4))} {first} {second})"
        )

    def text(at: int) -> str:
        if step < 16:
            last = at + 3 * step - 12
            return pick(load(at), load(last), 0, step, 16 + 2 * step - (last - at), 28)
        first, second = (pick(load(at + place), load(at + place + 16), 0, 16, 0, 16) for place in (0, 32))
        return pick(first, second, 0, 4, 16, 20)

    return text


def _short_lanes(step: int, size: int) -> Callable[[int], str]:
    """A vector of elements of one or two bytes so many bytes apart, lane by lane."""
    shape, load = f"i{8 * size}x{16 // size}", f"i32.load{8 * size}_u"

    def text(at: int) -> str:
        found = f"({shape}.splat ({load} offset={at} (local.get $q)))"
        for lane in range(1, 16 // size):
            found = f"({shape}.replace_lane {lane} {found} ({load} offset={at + lane * step} (local.get $q)))"
        return found

    return text


def _short_shuffled(step: int, size: int) -> Callable[[int], str]:
    """The same by whole vectors, none of which goes beyond the last of its lanes."""
    lanes = range(16 // size)
    last = lanes[-1] * step + size - 16

    def text(at: int) -> str:
        found, start, places = f"(v128.load offset={at} (local.get $q))", 0, dict[int, int]()
        while True:
            here = {lane: lane * step - start for lane in lanes if 0 <= lane * step - start <= 16 - size}
            if start:
                here = {lane: 16 + place for lane, place in here.items()} | places
                bytes_of = " ".join(str(here.get(lane, 0) + byte) for lane in lanes for byte in range(size))
                found = f"(i8x16.shuffle {bytes_of} {found} (v128.load offset={at + start} (local.get $q)))"
                here = {lane: lane * size for lane in here}
            places = here
            if len(places) == len(lanes):
                return found
            start = min(len(places) * step, last)

    return text


def _of_two(text: str) -> Callable[[int], str]:
    full = text.replace("X", "(local.get $x)").replace("Y", "(local.get $y)")
    return lambda at: full


# What is done, and the ways of doing it: of packets first.
WAYS: dict[str, dict[str, Callable[[int], str]]] = {
    "the lesser of two": {
        "pmin, pmin, or": _of_two("(v128.or (f32x4.pmin X Y) (f32x4.pmin Y X))"),
        "pmin": _of_two("(f32x4.pmin X Y)"),
        "relaxed_min": _of_two("(f32x4.relaxed_min X Y)"),
        "min": _of_two("(f32x4.min X Y)"),
    },
    "integers of floats": {
        "trunc_sat_s": _of_two("(i32x4.trunc_sat_f32x4_s X)"),
        "relaxed_trunc_s": _of_two("(i32x4.relaxed_trunc_f32x4_s X)"),
    },
    "integers of floats from 0 on": {
        "trunc_sat_u": _of_two("(i32x4.trunc_sat_f32x4_u (f32x4.abs X))"),
        "relaxed_trunc_u": _of_two("(i32x4.relaxed_trunc_f32x4_u (f32x4.abs X))"),
        "relaxed_trunc_s": _of_two("(i32x4.relaxed_trunc_f32x4_s (f32x4.abs X))"),
    },
    "one of two": {
        "bitselect": _of_two("(v128.bitselect X Y (f32x4.lt X Y))"),
        "relaxed_laneselect": _of_two("(i32x4.relaxed_laneselect X Y (f32x4.lt X Y))"),
    },
    "every second": {"shuffle": _shuffled(8), "by lanes": _lanes(8)},
    "every third": {"shuffle": _shuffled(12), "by lanes": _lanes(12)},
    "every fourth": {"by lanes": _lanes(16), "shuffles": _shuffled(16)},
}
_STEPS = {"every second": 2, "every third": 3, "every fourth": 4}
for _name, _step in tuple(_STEPS.items()):
    for _size in (2, 1):
        WAYS[f"{_name} of {8 * _size} bits"] = {
            "shuffles": _short_shuffled(_step * _size, _size),
            "by lanes": _short_lanes(_step * _size, _size),
        }
        _STEPS[f"{_name} of {8 * _size} bits"] = _step


def _vectors(what: str) -> int:
    """Of results, in whole rounds."""
    return 2 * _SIZE // _STEPS[what] // 64 * 4 - _VECTORS if what in _STEPS else _SIZE // 16


def module(what: str, way: str) -> str:
    """Its text: `kernel(_, _, times)`. Operands are numbers from -300 to 724, none a zero with a sign; of what only
    moves all bytes differ."""
    fill = """(f32.store (local.get $p) (f32.sub (f32.mul (f32.const 0.25) (f32.convert_i32_u
        (i32.and (i32.mul (local.get $p) (i32.const 7919)) (i32.const 4095)))) (f32.const 300)))"""
    if what in _STEPS:
        fill = "(i32.store (local.get $p) (i32.mul (local.get $p) (i32.const -1640531535)))"
    lines = []
    for part in range(_VECTORS):
        if what in _STEPS:
            value = WAYS[what][way](16 * part * _STEPS[what])
        else:
            lines += [
                f"(local.set $x (v128.load offset={16 * part} (local.get $p)))",
                f"(local.set $y (v128.load offset={_SIZE + 16 * part} (local.get $p)))",
            ]
            value = WAYS[what][way](0)
        lines.append(f"(v128.store offset={_RESULTS + 16 * part} (local.get $p) {value})")
    return f"""(module (import "env" "memory" (memory 2 65536))
  (func $fill (local $p i32)
    (loop $more
      {fill}
      (br_if $more (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 4))) (i32.const {_RESULTS})))))
  (start $fill)
  (func (export "kernel") (param i32 i32) (param $times i32)
    (local $p i32) (local $q i32) (local $x v128) (local $y v128)
    (loop $again
      (local.set $p (i32.const 0))
      (loop $more
        (local.set $q (i32.mul (local.get $p) (i32.const {_STEPS.get(what, 1)})))
        {" ".join(lines)}
        (br_if $more (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const {16 * _VECTORS})))
          (i32.const {16 * _vectors(what)}))))
      (br_if $again (local.tee $times (i32.sub (local.get $times) (i32.const 1)))))))"""


ELEMENTS, _CALLS = 1 << 14, 20
_PLACE, _BUFFERS = 1024, 65536  # as e2e/jobs/tiles.mjs has them
KERNELS = {
    "u8 of weighted bytes": ("u8", "u8", "hg.f32(x[i]) * 0.587 + hg.f32(x[i + 1]) * 0.299 + 0.5"),
    "i32 of u16 and constants": ("u16", "i32", "hg.f32(x[i]) * 0.587 - 3.5"),
    "u8 of chosen bytes": ("u8", "u8", "hg.f32(x[i]) * 0.5 if x[i] < 99 else 255.5 - hg.f32(x[i])"),
}


def _compiled(of: str, to: str, text: str) -> WasmKernel:
    source = f"""
def kernel(x: hg.Array[hg.{of}], z: hg.Array[hg.{to}]):
    i = hg.global_id()
    z[i] = hg.{to}({text})
"""
    return compile_kernel(optimize(build(analyze(hg.kernel_from_source(source).program), (256, 1, 1))))


def words_of(
    kernel: WasmKernel, sizes: dict[str, int], lengths: Mapping[str, int] = MappingProxyType({})
) -> list[tuple[int, int]]:
    """The argument block of a launch of all elements: places and words. Arrays have as many elements as `lengths` say,
    or one more than there are lanes."""
    blocks = ELEMENTS // 256
    numbers = {"alone": 1, "grid": blocks, "lanes": ELEMENTS, "scratch": 512}
    words = [(ARGUMENTS[name], number) for name, number in numbers.items()]
    words += [(ARGUMENTS["grid"] + 4, 1), (ARGUMENTS["grid"] + 8, 1), (ARGUMENTS["lanes"] + 4, 1)]
    words += [(ARGUMENTS["lanes"] + 8, 1), (ARGUMENTS["budget"] + 4, 1 << 28)]
    for number, (name, _) in enumerate(kernel.scalars):
        words.append((ARGUMENTS["values"] + 8 * number, lengths.get(name.split(".")[0], ELEMENTS + 1)))
    for number, base in enumerate(kernel.bases):
        name = str(base.name)
        start = kernel.memories_at + 8 * number
        words += [(start, _BUFFERS + (1 << 18) * (name != "x")), (start + 4, sizes[name])]
    return words


def launched(code: bytes, words: list[tuple[int, int]]) -> tuple[Callable[[], object], Callable[[], bytes]]:
    """What launches a kernel, and what gives its results."""
    store = wasmtime.Store()
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(64, 65536)))
    poll = wasmtime.Func(store, wasmtime.FuncType([], []), lambda: None)
    loaded = wasmtime.Module(store.engine, code)
    given: dict[str | None, wasmtime.Memory | wasmtime.Func] = {"memory": memory, "poll": poll}
    run = wasmtime.Instance(store, loaded, [given[each.name] for each in loaded.imports]).exports(store)["kernel"]
    assert isinstance(run, wasmtime.Func)
    for place, word in words:
        memory.write(store, word.to_bytes(4, "little"), _PLACE + place)
    memory.write(store, bytes(k * 7919 >> 3 & 255 for k in range(4 * ELEMENTS)), _BUFFERS)

    fast = FastCall(store, run, 3)

    def call() -> None:
        for _ in range(_CALLS):
            fast(_PLACE, 0, ELEMENTS // 256)

    def results() -> bytes:
        assert not any(memory.read(store, _PLACE, _PLACE + 4)), "a fault"
        return bytes(memory.read(store, _BUFFERS + (1 << 18), _BUFFERS + (1 << 19)))

    return call, results


def _kernels(rounds: int) -> None:
    """The table of kernels."""
    calls: dict[tuple[str, str], Callable[[], object]] = {}
    sides = []
    for what, (of, to, text) in KERNELS.items():
        kernel = _compiled(of, to, text)
        bytes_of = {"u8": 1, "u16": 2, "i32": 4}
        words = words_of(kernel, {"x": bytes_of[of] * (ELEMENTS + 1), "z": bytes_of[to] * ELEMENTS})
        left = []
        for way, code in (("for all engines", kernel.code), ("relaxed", kernel.relaxed)):
            calls[what, way], results = launched(code, words)
            calls[what, way]()
            left.append(results())
            side = {"variant": what, "name": way, "code": base64.b64encode(code).decode()}
            sides.append(side | {"words": words, "blocks": ELEMENTS // 256, "calls": _CALLS})
        assert left[0] == left[1], what
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(3 * rounds):
        for key, call in calls.items():
            start = time.thread_time()
            call()
            least[key] = min(least[key], 1000 * (time.thread_time() - start))
    with Browser() as browser:
        there = browser.run("tiles.mjs", seconds=560, sides=sides, rounds=rounds).json
    click.echo("\n| kernel | module | wasmtime, ns an element | of the first | Chromium | of the first |")
    click.echo("|---|---|---|---|---|---|")
    for (what, way), ms in least.items():
        cells = []
        for took, first in ((ms, least[what, "for all engines"]), (there[what][way], there[what]["for all engines"])):
            cells += [f"{1e6 * took / _CALLS / ELEMENTS:.3f}", f"{took / first:.2f}"]
        click.echo(f"| {what} | {way} | {' | '.join(cells)} |")


def _native(code: bytes) -> tuple[Callable[[int], object], Callable[[], bytes]]:
    """What runs it so many times, and what gives its results."""
    store = wasmtime.Store()
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(2, 65536)))
    run = wasmtime.Instance(store, wasmtime.Module(store.engine, code), [memory]).exports(store)["kernel"]
    assert isinstance(run, wasmtime.Func)
    return lambda times: run(store, 0, 0, times), lambda: bytes(memory.read(store, _RESULTS, _RESULTS + _SIZE))


def left(what: str, way: str) -> bytes:
    """What it leaves."""
    run, results = _native(bytes(wasmtime.wat2wasm(module(what, way))))
    run(1)
    return results()


def _in_wasmtime(codes: dict[tuple[str, str], bytes], rounds: int) -> dict[tuple[str, str], float]:
    """Least milliseconds."""
    runs = {key: _native(code)[0] for key, code in codes.items()}
    least = dict.fromkeys(codes, float("inf"))
    for _ in range(rounds):
        for key, run in runs.items():
            for _ in range(3):  # the first one behind another is slower than the next
                start = time.thread_time()
                run(_TIMES)
                least[key] = min(least[key], 1000 * (time.thread_time() - start))
    return least


def _in_chromium(codes: dict[tuple[str, str], bytes], rounds: int) -> tuple[str, dict[tuple[str, str], float]]:
    sides = [
        {"variant": what, "name": way, "code": base64.b64encode(code).decode(), "rounds": _TIMES}
        for (what, way), code in codes.items()
    ]
    with Browser() as browser:
        found = browser.run("tiles.mjs", seconds=560, sides=sides, rounds=rounds).json
        return browser.version, {(what, way): found[what][way] for what, way in codes}


@click.command()
@click.option("--rounds", default=60, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    """Instructions of relaxed SIMD beside those that packets have."""
    codes = {(what, way): bytes(wasmtime.wat2wasm(module(what, way))) for what, ways in WAYS.items() for way in ways}
    for what, ways in WAYS.items():
        assert len({left(what, way) for way in ways}) == 1, what
    click.echo(f"{date.today()}, load {os.getloadavg()[0]:.1f}, ns a vector, the least of {rounds} turns\n")
    natively = _in_wasmtime(codes, rounds)
    version, there = _in_chromium(codes, rounds)
    click.echo(
        f"| what | way | wasmtime | of the first | Chromium {version} | of the first |\n|---|---|---|---|---|---|"
    )
    for (what, way), ms in natively.items():
        cells = []
        for found, took in ((natively, ms), (there, there[what, way])):
            first = found[what, next(iter(WAYS[what]))]
            cells += [f"{1e6 * took / _TIMES / _vectors(what):.2f}", f"{took / first:.2f}"]
        click.echo(f"| {what} | {way} | {' | '.join(cells)} |")
    _kernels(rounds)


if __name__ == "__main__":
    main()
