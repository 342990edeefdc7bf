"""`python -m bench.short`: kernels that compute with numbers of 8 and 16 bits, beside loops by hand over whole vectors.

In wasmtime: the processor's time of one thread, in turns, the least of many. By hand nothing is checked. All must leave
the same bytes before anything is timed. `--before` takes what another checkout made of the kernels, a file which this
writes there: `python -m bench.short --write FILE`.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import click
import wasmtime

import hologram_web as hg
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.verify import analyze
from hologram_web.targets.wasm import compile_kernel

from .relaxed import ELEMENTS, launched, words_of

__all__ = ["KERNELS", "left", "sides"]

_X, _Z = 65536, 65536 + (1 << 18)  # where `relaxed` has x and z
_APART = ELEMENTS - 496  # of the two operands, which are whole vectors apart and differ
_Side = tuple[bytes, list[tuple[int, int]]]  # a module, and the words of its arguments

_WEIGHTS = "(i16x8.add (i16x8.mul X (i16x8.splat (i32.const 3))) (i16x8.shr_s Y (i32.const 2)))"
_HALVES = "(f32x4.mul (f32x4.convert_i32x4_s (i32x4.extend_{}_i16x8_s X)) (f32x4.splat (f32.const 0.7)))"
_PRODUCT = "(i32x4.shr_s (i32x4.extmul_{}_i16x8_s X Y) (i32.const 15))"
_QUOTIENT = """(i32x4.trunc_sat_f32x4_s (f32x4.div (f32x4.convert_i32x4_u (i32x4.extend_{}_i16x8_u X))
    (f32x4.splat (f32.const 7))))"""


def _of_halves(text: str, sign: str = "s") -> str:
    return f"(i16x8.narrow_i32x4_{sign} {' '.join(text.format(half) for half in ('low', 'high'))})"


# Of -1 by -1, which is beyond 16 bits, the highest bits are cut off.
_CUT = f"""(i8x16.shuffle {" ".join(str(4 * lane + byte) for lane in range(8) for byte in (0, 1))}
    {_PRODUCT.format("low")} {_PRODUCT.format("high")})"""
# The type, what is computed of elements a and b, and the same of vectors X and Y.
KERNELS = {
    "sum, i16": ("i16", "a + b", "(i16x8.add X Y)"),
    "sum, u16": ("u16", "a + b", "(i16x8.add X Y)"),
    "sum, i8": ("i8", "a + b", "(i8x16.add X Y)"),
    "sum, u8": ("u8", "a + b", "(i8x16.add X Y)"),
    "the lesser, i16": ("i16", "min(a, b)", "(i16x8.min_s X Y)"),
    "the lesser, i8": ("i8", "min(a, b)", "(i8x16.min_s X Y)"),
    "how far apart, i16": ("i16", "abs(hg.i16(a - b))", "(i16x8.abs (i16x8.sub X Y))"),
    "chosen, i16": ("i16", "a if a < b else b - a", "(v128.bitselect X (i16x8.sub Y X) (i16x8.lt_s X Y))"),
    "3 x + y / 4, i16": ("i16", "a * 3 + (b >> 2)", _WEIGHTS),
    "saturated sum, i16": ("i16", "min(max(hg.i32(a) + hg.i32(b), -32768), 32767)", "(i16x8.add_sat_s X Y)"),
    "saturated sum, u8": ("u8", "min(hg.i32(a) + hg.i32(b), 255)", "(i8x16.add_sat_u X Y)"),
    "average, u8": ("u8", "(hg.i32(a) + hg.i32(b) + 1) >> 1", "(i8x16.avgr_u X Y)"),
    "product of fractions, i16": ("i16", "(hg.i32(a) * hg.i32(b)) >> 15", _CUT),
    "0.7 x by floats, i16": ("i16", "hg.f32(a) * 0.7", _of_halves(f"(i32x4.trunc_sat_f32x4_s {_HALVES})")),
    "a seventh, u16": ("u16", "a // hg.u16(7)", _of_halves(_QUOTIENT, "u")),
}


def _by_hand(ty: str, value: str) -> str:
    size = int(ty[1:]) // 8
    text = value.replace("X", "(local.get $x)").replace("Y", "(local.get $y)")
    return f"""(module (import "env" "memory" (memory 2 65536))
  (func (export "kernel") (param i32 i32 i32) (local $p i32) (local $x v128) (local $y v128)
    (loop $more
      (local.set $x (v128.load offset={_X} (local.get $p)))
      (local.set $y (v128.load offset={_X + size * _APART} (local.get $p)))
      (v128.store offset={_Z} (local.get $p) {text})
      (br_if $more (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16)))
        (i32.const {size * ELEMENTS}))))))"""


def _ours(what: str) -> _Side:
    ty, text, _ = KERNELS[what]
    source = f"""
def kernel(x: hg.Array[hg.{ty}], z: hg.Array[hg.{ty}]):
    i = hg.global_id()
    a = x[i]
    b = x[i + {_APART}]
    z[i] = hg.{ty}({text})
"""
    function = optimize(build(analyze(hg.kernel_from_source(source).program), (256, 1, 1)))
    made, size = compile_kernel(function, splats=True), int(ty[1:]) // 8
    words = words_of(made, {"x": 2 * size * ELEMENTS, "z": size * ELEMENTS}, {"x": 2 * ELEMENTS, "z": ELEMENTS})
    return made.code, words


def sides(what: str) -> dict[str, _Side]:
    """Modules and the words of their arguments."""
    ty, _, value = KERNELS[what]
    return {"ours": _ours(what), "by hand": (bytes(wasmtime.wat2wasm(_by_hand(ty, value))), [])}


def left(what: str) -> list[bytes]:
    """What each side leaves."""
    return [_left(side) for side in sides(what).values()]


def _left(side: _Side) -> bytes:
    run, results = launched(*side)
    run()
    return results()


@click.command(help=__doc__)
@click.option("--rounds", default=200, show_default=True, type=click.IntRange(1))
@click.option("--write", type=click.Path(path_type=Path))
@click.option("--before", type=click.Path(exists=True, path_type=Path))
def main(rounds: int, write: Path | None, before: Path | None) -> None:
    if write is not None:
        made = {what: _ours(what) for what in KERNELS}
        write.write_text(
            json.dumps({what: [base64.b64encode(code).decode(), words] for what, (code, words) in made.items()})
        )
        return
    there = {} if before is None else json.loads(before.read_text())
    runs: dict[tuple[str, str], Callable[[], object]] = {}
    for what in KERNELS:
        each = sides(what)
        if what in there:
            code, words = there[what]
            each["before"] = base64.b64decode(code), [(place, word) for place, word in words]
        assert len({_left(side) for side in each.values()}) == 1, what
        runs |= {(what, way): launched(*side)[0] for way, side in each.items()}
    least = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for key, run in runs.items():
            start = time.thread_time()
            run()
            least[key] = min(least[key], time.thread_time() - start)
    ways = [*dict.fromkeys(way for _, way in runs)]
    head = [*ways, "of by hand", *(["of before"] if there else [])]
    click.echo(f"{date.today()}, load {os.getloadavg()[0]:.1f}, ns an element, the least of {rounds} turns\n")
    click.echo(f"| kernel | {' | '.join(head)} |\n|{'---|' * (len(head) + 1)}")
    for what in KERNELS:
        took = {way: 1e9 * least[what, way] / 20 / ELEMENTS for way in ways}
        cells = [f"{each:.3f}" for each in took.values()] + [f"{took['ours'] / took['by hand']:.2f}"]
        cells += [f"{took['ours'] / took['before']:.2f}"] if there else []
        click.echo(f"| {what} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
