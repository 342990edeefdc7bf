"""`python -m bench.rows_by_hand`: what it costs on WebAssembly that norms and Softmax read a row more than once.

Loops by hand on vectors over rows of an array that no cache holds, in turns, the least time of each: in Chromium, or
natively with `--native`. What is read again comes from the first cache. Rows of 32 elements fit into registers: a loop
that keeps them there, and so reads all once, stands beside one that reads them three times. Rows of 1,024 do not: there
the loop that reads them three times, as ours do, stands beside one that reads them twice (sums and squares in one loop,
with other bits), and that beside the copy, which reads them once and sums up nothing. Of Softmax one loop computes an
exponential twice, as ours does, and the other keeps it in the row of the result.
"""

# mypy: ignore-errors

from __future__ import annotations

import base64
import os
import time
from datetime import date
from functools import partial

import click
import numpy as np
import wasmtime

from e2e.browser import Browser

from .turns import in_turns

__all__ = ["SIDES", "result", "wanted"]

_PAGE = 65_536
_ELEMENTS = 1 << 20
_G, _B, _X = 4096, 4096 * 3, _PAGE  # factors, what is added, and the array; its result is behind it
_Z = _X + 4 * _ELEMENTS + 320
_PAGES = -(-(_Z + 4 * _ELEMENTS) // _PAGE)
_EPS = 1e-5


def _get(name: str) -> str:
    return f"(local.get ${name})"


def _set(name: str, value: str) -> str:
    return f"(local.set ${name} {value})"


def _four(number: float) -> str:
    return f"(v128.const f32x4 {' '.join([repr(number)] * 4)})"


def _op(name: str, *args: str) -> str:
    return f"(f32x4.{name} {' '.join(args)})"


def _load(name: str, j: int) -> str:
    return f"(v128.load offset={16 * j} {_get(name)})"


def _more(name: str, by: int) -> str:
    return _set(name, f"(i32.add {_get(name)} (i32.const {by}))")


def _over(n: int, label: str, starts: dict[str, str], body) -> str:
    """A loop over a row, four vectors a round; `starts` are places that go along."""
    some = min(4, n // 4)
    found = [_set(name, value) for name, value in starts.items()]
    found += [_set("i", f"(i32.const {n // 4 // some})"), f"(loop ${label}"]
    found += [line for j in range(some) for line in body(j)]
    found += [_more(name, 16 * some) for name in starts]
    found.append(f"(br_if ${label} (local.tee $i (i32.sub {_get('i')} (i32.const 1)))))")
    return "\n".join(found)


def _zeros(names: str, start: float = 0.0) -> str:
    return "\n".join(_set(f"{name}{j}", _four(start)) for name in names for j in range(4))


def _all(name: str, combine: str = "add") -> str:
    """The numbers of four vectors combined."""
    pairs = (_op(combine, _get(f"{name}{j}"), _get(f"{name}{j + 1}")) for j in (0, 2))
    low, high, last, end = (f"(f32x4.extract_lane {lane} {_get('t')})" for lane in range(4))
    of = f"f32.{combine.removeprefix('p')}"
    total = f"({of} ({of} {low} {high}) ({of} {last} {end}))"
    return "\n".join([_set("t", _op(combine, *pairs)), _set("f", total)])


def _mean(n: int, name: str = "s") -> str:
    return "\n".join([_all(name), _set("f", f"(f32.mul {_get('f')} (f32.const {1 / n!r}))")])


def _root() -> str:
    return _set("r", f"(f32x4.splat (f32.div (f32.const 1) (f32.sqrt (f32.add {_get('f')} (f32.const {_EPS})))))")


def _normal(value: str, j: int) -> str:
    factor = _op("mul", _op("sub", value, _get("m")), _get("r"))
    return f"(v128.store offset={16 * j} {_get('to')} {_op('add', _op('mul', factor, _load('g', j)), _load('b', j))})"


_WHERE = {"at": _get("x"), "to": _get("z"), "g": f"(i32.const {_G})", "b": f"(i32.const {_B})"}


def _written(n: int) -> str:
    return _over(n, "out", _WHERE, lambda j: [_normal(_load("at", j), j)])


def _norm(n: int, reads: int) -> str:
    """Mean, variance and result: the row is read so many times."""
    x = {"at": _get("x")}
    if reads == 2:
        both = _over(n, "sums", x, lambda j: [
            _set("v", _load("at", j)), _set(f"s{j}", _op("add", _get(f"s{j}"), _get("v"))),
            _set(f"q{j}", _op("add", _get(f"q{j}"), _op("mul", _get("v"), _get("v")))),
        ])  # fmt: skip
        mean = [_mean(n), _set("m", f"(f32x4.splat {_get('f')})"), _set("h", _get("f")), _mean(n, "q")]
        less = _set("f", f"(f32.sub {_get('f')} (f32.mul {_get('h')} {_get('h')}))")
        return "\n".join([_zeros("sq"), both, *mean, less, _root(), _written(n)])
    sums = _over(n, "sums", x, lambda j: [_set(f"s{j}", _op("add", _get(f"s{j}"), _load("at", j)))])
    squares = _over(n, "squares", x, lambda j: [
        _set("v", _op("sub", _load("at", j), _get("m"))),
        _set(f"s{j}", _op("add", _get(f"s{j}"), _op("mul", _get("v"), _get("v")))),
    ])  # fmt: skip
    mean = [_mean(n), _set("m", f"(f32x4.splat {_get('f')})")]
    return "\n".join([_zeros("s"), sums, *mean, _zeros("s"), squares, _mean(n), _root(), _written(n)])


def _norm_kept(n: int) -> str:
    """The same with the row in registers."""
    count = n // 4
    lines = [_set(name, value) for name, value in _WHERE.items()]
    lines += [_set(f"k{j}", _load("at", j)) for j in range(count)]
    lines.append(_zeros("s"))
    lines += [_set(f"s{j % 4}", _op("add", _get(f"s{j % 4}"), _get(f"k{j}"))) for j in range(count)]
    lines += [_mean(n), _set("m", f"(f32x4.splat {_get('f')})"), _zeros("s")]
    for j in range(count):
        lines.append(_set("v", _op("sub", _get(f"k{j}"), _get("m"))))
        lines.append(_set(f"s{j % 4}", _op("add", _get(f"s{j % 4}"), _op("mul", _get("v"), _get("v")))))
    lines += [_mean(n), _root(), *(_normal(_get(f"k{j}"), j) for j in range(count))]
    return "\n".join(lines)


def _softmax(n: int, kept: bool) -> str:
    x = {"at": _get("x")}
    most = _over(n, "most", x, lambda j: [_set(f"s{j}", _op("pmax", _get(f"s{j}"), _load("at", j)))])
    exp = lambda j: f"(call $exp {_op('sub', _load('at', j), _get('m'))})"  # noqa: E731
    held = lambda j: [f"(v128.store offset={16 * j} {_get('to')} {_get('v')})"] if kept else []  # noqa: E731
    sums = _over(n, "sums", x | ({"to": _get("z")} if kept else {}), lambda j: [
        _set("v", exp(j)), *held(j), _set(f"s{j}", _op("add", _get(f"s{j}"), _get("v")))
    ])  # fmt: skip
    out = _over(n, "out", {"to": _get("z")} | ({} if kept else x), lambda j: [
        f"(v128.store offset={16 * j} {_get('to')} {_op('div', _load('to', j) if kept else exp(j), _get('r'))})"
    ])  # fmt: skip
    top = [_zeros("s", -3e38), most, _all("s", "pmax"), _set("m", f"(f32x4.splat {_get('f')})")]
    return "\n".join([*top, _zeros("s"), sums, _all("s"), _set("r", f"(f32x4.splat {_get('f')})"), out])


def _copy(n: int) -> str:
    places = {"at": _get("x"), "to": _get("z")}
    return _over(n, "out", places, lambda j: [f"(v128.store offset={16 * j} {_get('to')} {_load('at', j)})"])


def _exp() -> str:
    """e to a power, of numbers of at most 0, to some 2 ULP: as many steps as our own of `math="fast"`."""
    lines = [
        _set("x", _op("max", _get("x"), _four(-87.0))),
        _set("t", _op("add", _op("mul", _get("x"), _four(1.4426950408889634)), _four(12582912.0))),
        _set("k", _op("sub", _get("t"), _four(12582912.0))),
        _set("x", _op("sub", _get("x"), _op("mul", _get("k"), _four(0.693145751953125)))),
        _set("x", _op("sub", _get("x"), _op("mul", _get("k"), _four(1.4286068202862268e-06)))),
    ]
    value = _four(1 / 720)
    for factor in (1 / 120, 1 / 24, 1 / 6, 0.5, 1.0, 1.0):
        value = _op("add", _op("mul", value, _get("x")), _four(factor))
    lines.append(f"(i32x4.add {value} (i32x4.shl {_get('t')} (i32.const 23)))")
    return "(func $exp (param $x v128) (result v128) (local $t v128) (local $k v128)\n" + "\n".join(lines) + ")"


def module(n: int, body: str) -> str:
    """A module whose `run(times)` goes over all rows so often. A memory that is too small grows, and is filled."""
    vectors = ("t", "v", "m", "r", *(f"{name}{j}" for name in "sq" for j in range(4)), *(f"k{j}" for j in range(8)))
    names = " ".join(f"(local ${name} i32)" for name in ("x", "z", "at", "to", "g", "b", "i", "rows"))
    names += " " + " ".join(f"(local ${name} v128)" for name in vectors) + " (local $f f32) (local $h f32)"
    return f"""(module (import "env" "memory" (memory 1))
    {_exp()}
    (func (export "run") (param $times i32) {names}
      (if (i32.lt_u (memory.size) (i32.const {_PAGES})) (then
        (drop (memory.grow (i32.const {_PAGES})))
        (memory.fill (i32.const 0) (i32.const 63) (i32.const {_PAGES * _PAGE}))))
      (loop $again
        {_set("x", f"(i32.const {_X})")} {_set("z", f"(i32.const {_Z})")}
        {_set("rows", f"(i32.const {_ELEMENTS // n})")}
        (loop $next {body} {_more("x", 4 * n)} {_more("z", 4 * n)}
          (br_if $next (local.tee $rows (i32.sub {_get("rows")} (i32.const 1)))))
        (br_if $again (local.tee $times (i32.sub {_get("times")} (i32.const 1)))))))"""


SIDES: dict[str, tuple[int, str]] = {
    "norm of 32, in registers": (32, _norm_kept(32)),
    "norm of 32, read three times": (32, _norm(32, 3)),
    "norm of 1,024, read three times": (1024, _norm(1024, 3)),
    "norm of 1,024, read twice": (1024, _norm(1024, 2)),
    "copy": (1024, _copy(1024)),
    "softmax of 1,024, exponentials twice": (1024, _softmax(1024, kept=False)),
    "softmax of 1,024, exponentials kept": (1024, _softmax(1024, kept=True)),
}
# What each stands beside.
_BESIDE = {
    "norm of 32, read three times": "norm of 32, in registers",
    "norm of 1,024, read three times": "norm of 1,024, read twice",
    "norm of 1,024, read twice": "copy",
    "softmax of 1,024, exponentials twice": "softmax of 1,024, exponentials kept",
}


def _natively(name: str):
    """Its call, and what there is of its memory."""
    store = wasmtime.Store()
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(_PAGES, _PAGES)))
    code = wasmtime.Module(store.engine, module(*SIDES[name]))
    run = wasmtime.Instance(store, code, [memory]).exports(store)["run"]
    return lambda times: run(store, times), store, memory


def result(name: str, x: np.ndarray, g: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What a loop makes of an array, natively."""
    run, store, memory = _natively(name)
    for place, value in ((_X, x), (_G, g), (_B, b)):
        memory.write(store, value.astype(np.float32).tobytes(), place)
    run(1)
    return np.frombuffer(bytes(memory.read(store, _Z, _Z + 4 * _ELEMENTS)), np.float32)


def wanted(name: str, x: np.ndarray, g: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The same by NumPy."""
    n = SIDES[name][0]
    rows = x.astype(np.float64).reshape(-1, n)
    if name == "copy":
        return rows.ravel()
    if name.startswith("softmax"):
        e = np.exp(rows - rows.max(1, keepdims=True))
        return (e / e.sum(1, keepdims=True)).ravel()
    away = rows - rows.mean(1, keepdims=True)
    return (away / np.sqrt((away**2).mean(1, keepdims=True) + _EPS) * g[:n] + b[:n]).ravel()


def _least(native: bool, rounds: int) -> list[float]:
    """Milliseconds."""
    if not native:
        codes = [bytes(wasmtime.wat2wasm(module(*side))) for side in SIDES.values()]
        sides = [{"code": base64.b64encode(code).decode(), "times": 1} for code in codes]
        with Browser() as browser:
            return browser.run("/e2e/jobs/by_hand.mjs", sides=sides, rounds=rounds).json
    loops = [_natively(name) for name in SIDES]
    for _, store, memory in loops:
        memory.write(store, b"?" * (_PAGES * _PAGE), 0)
    runs = {number: partial(run, 1) for number, (run, *_) in enumerate(loops)}
    return [min(each) for each in in_turns(runs, rounds, time.thread_time).values()]


@click.command(help=__doc__)
@click.option("--rounds", default=100, show_default=True, type=click.IntRange(1))
@click.option("--native", is_flag=True, help="In wasmtime, by the time of the thread.")
def main(rounds: int, native: bool) -> None:
    load = os.getloadavg()[0]
    least = dict(zip(SIDES, _least(native, rounds), strict=True))
    print(f"{date.today()}, {'wasmtime' if native else 'Chromium'}, load {load:.1f}, least of {rounds} turns\n")
    print("| loop over 1 Mi elements | ms | beside | times that |\n|---|---|---|---|")
    for name, ms in least.items():
        beside = _BESIDE.get(name, "")
        print(f"| {name} | {ms:.3f} | {beside} | {f'{ms / least[beside]:.2f}' if beside else ''} |")


if __name__ == "__main__":
    main()
