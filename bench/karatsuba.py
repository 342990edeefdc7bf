"""Whether Karatsuba's way to multiply pays: nanoseconds of a product by rows and in Karatsuba's way, in wasmtime.

.venv/bin/python -m bench.karatsuba

The device library multiplies by rows. Here its functions are linked with those below: `full` is the product of two
numbers with twice the bytes, `low` its lower half, which MUL is. Numbers of at most `least` bytes go by rows. Every
product is compared with Python's; processor time, rounds interleaved, medians.
"""

from __future__ import annotations

import random
import re
import statistics
import time
from pathlib import Path

import wasmtime

SIZES, ROUNDS, WORK = (64, 128, 256, 512), 15, 3_000_000
ROWS = 1 << 20  # as `least`: all goes by rows

KARATSUBA = """
  (global $least (export "least") (mut i32) (i32.const 0))
  ;; |a - b|, and whether a is less
  (func $distance (param $dst i32) (param $a i32) (param $b i32) (param $size i32) (result i32)
    (if (result i32) (call $wide_lt (local.get $a) (local.get $b) (local.get $size) (i64.const 0))
      (then (call $wide_sub (local.get $dst) (local.get $b) (local.get $a) (local.get $size)) (i32.const 1))
      (else (call $wide_sub (local.get $dst) (local.get $a) (local.get $b) (local.get $size)) (i32.const 0))))
  ;; The middle is the sum of the outer products less the product of differences.
  (func $full (export "full") (param $dst i32) (param $a i32) (param $b i32) (param $size i32) (param $work i32)
    (local $h i32) (local $negative i32) (local $carry i64) (local $at i32) (local $x i64)
    (local $high i32) (local $product i32)
    (if (i32.le_u (local.get $size) (global.get $least)) (then
      (call $wide_mul (local.get $dst) (local.get $a) (local.get $b)
        (i32.shl (local.get $size) (i32.const 1)) (local.get $size) (local.get $size))
      (return)))
    (local.set $h (i32.shr_u (local.get $size) (i32.const 1)))
    (local.set $high (i32.add (local.get $dst) (local.get $size)))
    (local.set $product (i32.add (local.get $work) (local.get $size)))
    (call $full (local.get $dst) (local.get $a) (local.get $b) (local.get $h) (local.get $work))
    (call $full (local.get $high) (i32.add (local.get $a) (local.get $h)) (i32.add (local.get $b) (local.get $h))
      (local.get $h) (local.get $work))
    (local.set $negative (i32.xor
      (call $distance (local.get $work) (local.get $a) (i32.add (local.get $a) (local.get $h)) (local.get $h))
      (call $distance (i32.add (local.get $work) (local.get $h)) (local.get $b)
        (i32.add (local.get $b) (local.get $h)) (local.get $h))))
    (call $full (local.get $product) (local.get $work) (i32.add (local.get $work) (local.get $h)) (local.get $h)
      (i32.add (local.get $product) (local.get $size)))
    (local.set $carry (call $add (local.get $work) (local.get $dst) (local.get $high) (local.get $size)))
    (local.set $carry (if (result i64) (local.get $negative)
      (then (i64.add (local.get $carry)
        (call $add (local.get $work) (local.get $work) (local.get $product) (local.get $size))))
      (else (i64.sub (local.get $carry)
        (call $sub (local.get $work) (local.get $work) (local.get $product) (local.get $size))))))
    (local.set $at (i32.add (local.get $dst) (local.get $h)))
    (local.set $carry (i64.add (local.get $carry)
      (call $add (local.get $at) (local.get $at) (local.get $work) (local.get $size))))
    (local.set $at (i32.add (local.get $at) (local.get $size)))
    (block $done (loop $next
      (br_if $done (i64.eqz (local.get $carry)))
      (local.set $x (i64.add (i64.load (local.get $at)) (local.get $carry)))
      (i64.store (local.get $at) (local.get $x))
      (local.set $carry (i64.extend_i32_u (i64.lt_u (local.get $x) (local.get $carry))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br $next))))
  (func $low (export "low") (param $dst i32) (param $a i32) (param $b i32) (param $size i32) (param $work i32)
    (local $h i32) (local $high i32)
    (if (i32.le_u (i32.shr_u (local.get $size) (i32.const 1)) (global.get $least)) (then
      (call $wide_mul (local.get $dst) (local.get $a) (local.get $b)
        (local.get $size) (local.get $size) (local.get $size))
      (return)))
    (local.set $h (i32.shr_u (local.get $size) (i32.const 1)))
    (local.set $high (i32.add (local.get $dst) (local.get $h)))
    (call $full (local.get $dst) (local.get $a) (local.get $b) (local.get $h) (local.get $work))
    (call $low (local.get $work) (local.get $a) (i32.add (local.get $b) (local.get $h)) (local.get $h)
      (i32.add (local.get $work) (local.get $h)))
    (call $wide_add (local.get $high) (local.get $high) (local.get $work) (local.get $h))
    (call $low (local.get $work) (i32.add (local.get $a) (local.get $h)) (local.get $b) (local.get $h)
      (i32.add (local.get $work) (local.get $h)))
    (call $wide_add (local.get $high) (local.get $high) (local.get $work) (local.get $h)))
"""
MANY = """
  (func (export "many_KIND") (param $count i32) (param $size i32)
    (loop $next
      (call $KIND (i32.const 4096) (i32.const 0) (i32.const 2048) (local.get $size) (i32.const 8192))
      (br_if $next (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))
"""


def functions(name: str) -> dict[str, str]:
    """The functions of a file of the device library."""
    text = (Path(__file__).parents[1] / "wasm" / name).read_text(encoding="utf-8")
    return {match[1]: match[0] for match in re.finditer(r"^  \(func \$(\w+).*?\)\n(?=\n|\))", text, re.M | re.S)}


def module(wide_arithmetic: bool) -> str:
    """The library with Karatsuba's way; `add` and `sub` are the library's, and give what they carry."""
    library = functions("wide.wat") | (functions("wide128.wat") if wide_arithmetic else {})
    carrying = ""
    for name, carry in (("add", "carry"), ("sub", "borrow")):
        text = library[f"wide_{name}"].replace(f'$wide_{name} (export "wide_{name}")', f"${name}")
        text = text.replace("(param $size i32)", "(param $size i32) (result i64)", 1)
        carrying += f"{text.rstrip()[:-1]}\n    local.get ${carry})\n"
    many = "".join(MANY.replace("KIND", kind) for kind in ("full", "low"))
    return f'(module (memory (export "memory") 16)\n{"".join(library.values())}{carrying}{KARATSUBA}{many})'


def main() -> None:
    config = wasmtime.Config()
    config.wasm_wide_arithmetic = True
    engine, source = wasmtime.Engine(config), random.Random(1)
    for wide_arithmetic in (False, True):
        store = wasmtime.Store(engine)
        exports = wasmtime.Instance(store, wasmtime.Module(engine, module(wide_arithmetic)), []).exports(store)
        memory: wasmtime.Memory = exports["memory"]  # type: ignore[assignment]
        least: wasmtime.Global = exports["least"]  # type: ignore[assignment]
        for size in SIZES:
            times: dict[tuple[str, int], list[float]] = {}
            count = WORK // size**2
            for _ in range(ROUNDS):
                for kind in ("full", "low"):
                    many: wasmtime.Func = exports[f"many_{kind}"]  # type: ignore[assignment]
                    halves = [part for part in (32, 64, 128, 256) if part * (2 if kind == "low" else 1) < size]
                    for limit in (ROWS, *halves):
                        least.set_value(store, limit)
                        a, b = source.getrandbits(8 * size), source.getrandbits(8 * size)
                        memory.write(store, a.to_bytes(size, "little"), 0)
                        memory.write(store, b.to_bytes(size, "little"), 2048)
                        start = time.thread_time()
                        many(store, count, size)
                        times.setdefault((kind, limit), []).append((time.thread_time() - start) / count * 1e9)
                        wide = size * (2 if kind == "full" else 1)
                        found = int.from_bytes(memory.read(store, 4096, 4096 + wide), "little")
                        assert found == a * b % (1 << 8 * wide), (kind, size, limit)
            for kind in ("full", "low"):
                texts = [
                    f"{'rows' if limit == ROWS else f'Karatsuba above {8 * limit}'} {statistics.median(values):,.0f} ns"
                    for (found_kind, limit), values in times.items()
                    if found_kind == kind
                ]
                way = "wide arithmetic" if wide_arithmetic else "portable"
                print(f"{way}, {8 * size} bits, {kind}: {', '.join(texts)}", flush=True)


if __name__ == "__main__":
    main()
