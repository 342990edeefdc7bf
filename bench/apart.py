"""`python -m bench.apart`: kernels that read short elements some places apart, as pixels of several channels are.

What they are compiled to stands beside the same with such loads lane by lane, and beside loops by hand that load whole
vectors, pick lanes by shuffles, and check nothing, in wasmtime: the processor's time of one thread, in turns, the least
of many. All must leave the same bytes before anything is timed. `--chromium` has them in a page, too, by the clock.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Callable
from datetime import date
from unittest.mock import patch

import click
import wasmtime

import hologram_web as hg
from e2e.browser import Browser
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.verify import analyze
from hologram_web.targets.wasm import WasmKernel, compile_kernel
from hologram_web.targets.wasm.packet_accesses import PacketAccesses

from .relaxed import ELEMENTS, launched, words_of

__all__ = ["KERNELS", "left", "sides"]

_X, _Z = 65536, 65536 + (1 << 18)  # where `relaxed` has x and z


class _Kernel:
    """`text` of elements that are so many places apart; by hand, `value` makes a vector of results, of what `apart`
    says of channels, in so many lanes."""

    def __init__(self, ty: str, step: int, text: str, value: Callable[[Callable[[int, int], str]], str]) -> None:
        self.ty, self.step, self.text, self.value = ty, step, text, value
        self.size = int(ty[1:]) // 8


def _picked(step: int, size: int, base: str, channel: int, first: int) -> str:
    """Vector `first` of elements of a channel, by whole vectors, none of which goes beyond the group's own end."""
    lanes = range(16 // size)
    found, places = "", dict[int, int]()
    for number in range(step):
        here = {lane: (lane * step + channel) * size - 16 * number for lane in lanes}
        here = {lane: place for lane, place in here.items() if 0 <= place < 16}
        load = f"(v128.load offset={16 * (first * step + number)} {base})"
        if not found:
            found, places = load, here
            continue
        if not here:
            continue
        known = places | {lane: 16 + place for lane, place in here.items()}
        bytes_of = " ".join(str(known.get(lane, 0) + byte) for lane in lanes for byte in range(size))
        found, places = f"(i8x16.shuffle {bytes_of} {found} {load})", {lane: lane * size for lane in known}
    return found


def _grey(channel: Callable[[int, int], str]) -> str:
    """Of a vector of bytes: 77, 150 and 29 parts of 256."""
    halves = []
    for half in ("low", "high"):
        sums = ""
        for number, weight in enumerate((77, 150, 29)):
            wide = f"(i16x8.extend_{half}_i8x16_u {channel(number, 0)})"
            product = f"(i16x8.mul {wide} (i16x8.splat (i32.const {weight})))"
            sums = f"(i16x8.add {sums} {product})" if sums else product
        halves.append(f"(i16x8.shr_u {sums} (i32.const 8))")
    return f"(i8x16.narrow_i16x8_u {' '.join(halves)})"


def _of(*channels: int, how: str) -> Callable[[Callable[[int, int], str]], str]:
    def value(channel: Callable[[int, int], str]) -> str:
        found = channel(channels[0], 0)
        for other in channels[1:]:
            found = f"({how} {found} {channel(other, 0)})"
        return found

    return value


def _weighted(step: int) -> str:
    parts = (f"hg.u32(x[{step} * i + {k}]) * {weight}" for k, weight in enumerate((77, 150, 29)))
    return f"({' + '.join(parts)}) >> 8"


KERNELS = {
    "grey of RGB": _Kernel("u8", 3, _weighted(3), _grey),
    "grey of RGBA": _Kernel("u8", 4, _weighted(4), _grey),
    "the greater of two bytes": _Kernel("u8", 2, "max(x[2 * i], x[2 * i + 1])", _of(0, 1, how="i8x16.max_u")),
    "every third byte": _Kernel("u8", 3, "x[3 * i + 1]", _of(1, how="")),
    "a sum of stereo": _Kernel("i16", 2, "x[2 * i] + x[2 * i + 1]", _of(0, 1, how="i16x8.add")),
    "the greatest of three": _Kernel(
        "i16", 3, "max(x[3 * i], x[3 * i + 1], x[3 * i + 2])", _of(0, 1, 2, how="i16x8.max_s")
    ),
    "every fourth byte": _Kernel("u8", 4, "x[4 * i + 2]", _of(2, how="")),
    "every second of 16 bits": _Kernel("u16", 2, "x[2 * i + 1]", _of(1, how="")),
    "every third of 16 bits": _Kernel("u16", 3, "x[3 * i + 1]", _of(1, how="")),
    "every fourth of 16 bits": _Kernel("u16", 4, "x[4 * i + 3]", _of(3, how="")),
}


def _by_hand(kernel: _Kernel) -> str:
    step, size = kernel.step, kernel.size
    value = kernel.value(lambda channel, first: _picked(step, size, "(local.get $q)", channel, first))
    return f"""(module (import "env" "memory" (memory 2 65536))
  (func (export "kernel") (param i32 i32 i32) (local $p i32) (local $q i32)
    (local.set $p (i32.const {_Z}))
    (local.set $q (i32.const {_X}))
    (loop $more
      (v128.store (local.get $p) {value})
      (local.set $q (i32.add (local.get $q) (i32.const {16 * step})))
      (br_if $more (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16)))
        (i32.const {_Z + size * ELEMENTS}))))))"""


def _compiled(kernel: _Kernel, splats: bool) -> WasmKernel:
    source = f"""
def kernel(x: hg.Array[hg.{kernel.ty}], z: hg.Array[hg.{kernel.ty}]):
    i = hg.global_id()
    z[i] = hg.{kernel.ty}({kernel.text})
"""
    function = optimize(build(analyze(hg.kernel_from_source(source).program), (256, 1, 1)))
    return compile_kernel(function, splats=splats)


def sides(what: str, splats: bool = True) -> dict[str, tuple[bytes, list[tuple[int, int]]]]:
    """Modules and the words of their arguments: compiled, lane by lane, by hand. Natively what is compiled `splats`."""
    kernel = KERNELS[what]
    with patch.object(PacketAccesses, "_load_apart", lambda *_: False):
        plain = _compiled(kernel, splats)
    sizes = {"x": kernel.step * kernel.size * ELEMENTS, "z": kernel.size * ELEMENTS}
    found = {}
    for name, made in (("ours", _compiled(kernel, splats)), ("lane by lane", plain)):
        found[name] = made.code, words_of(made, sizes, {"x": kernel.step * ELEMENTS, "z": ELEMENTS})
    return found | {"by hand": (bytes(wasmtime.wat2wasm(_by_hand(kernel))), [])}


def left(what: str) -> list[bytes]:
    """What each side leaves."""
    found = []
    for code, words in sides(what).values():
        run, results = launched(code, words)
        run()
        found.append(results())
    return found


@click.command(help=__doc__)
@click.option("--rounds", default=60, show_default=True, type=click.IntRange(1))
@click.option("--chromium", is_flag=True, help="in a page, too")
def main(rounds: int, chromium: bool) -> None:
    runs: dict[tuple[str, str], Callable[[], object]] = {}
    pages = []
    for what in KERNELS:
        assert len(set(left(what))) == 1, what
        runs |= {(what, way): launched(code, words)[0] for way, (code, words) in sides(what).items()}
        for way, (code, words) in sides(what, False).items():
            side = {"variant": what, "name": way, "code": base64.b64encode(code).decode(), "words": words}
            pages.append(side | {"blocks": ELEMENTS // 256, "calls": 20})
    least = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for key, run in runs.items():
            start = time.thread_time()
            run()
            least[key] = min(least[key], time.thread_time() - start)
    tables = {"wasmtime": least}
    if chromium:
        with Browser() as browser:
            found = browser.run("tiles.mjs", seconds=560, sides=pages, rounds=rounds).json
        tables["Chromium"] = {(what, way): found[what][way] / 1000 for what, way in runs}
    load = os.getloadavg()[0]
    click.echo(f"{date.today()}, load {load:.1f}, ns an element, the least of {rounds} turns")
    for engine, took in tables.items():
        head = ("ours", "lane by lane", "by hand", "of lane by lane", "of by hand")
        click.echo(f"\n| {engine} | {' | '.join(head)} |\n|---|---|---|---|---|---|")
        for what in KERNELS:
            ours, plain, hand = (1e9 * took[what, way] / 20 / ELEMENTS for way in ("ours", "lane by lane", "by hand"))
            click.echo(f"| {what} | {ours:.3f} | {plain:.3f} | {hand:.3f} | {ours / plain:.2f} | {ours / hand:.2f} |")


if __name__ == "__main__":
    main()
