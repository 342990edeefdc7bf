"""Inputs of about 1 MB that are as hard to read as possible, for every reader and the verifier.

`python -m tests.worst` reads all of them, each in a process of its own, and prints the seconds and MB that it took;
names after it pick some. `tests/test_worst.py` sees to it that none takes more than the limits.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import hologram_web as hg
from hologram_web import circuit, kernel_json

from .artifact.slow import SLOW

__all__ = ["CASES", "measure"]

_SIZE = 1_000_000
_Reader = Callable[[], object]


def _lines(line: str, most: int = 65_000) -> str:
    """A line again and again, with its number for {0} and others for {1} and {2}: 1 MB, or `most` of them."""
    count = min(most, _SIZE // (len(line) + 6))
    return "\n".join(line.format(k, (k * 7919) % count, k + 1) for k in range(count))


def _text(text: str) -> _Reader:
    return lambda: hg.Program.from_text(text).validate()


def _through(text: str) -> _Reader:
    """The same program as bytes and as JSON."""

    def read() -> None:
        program = hg.Program.from_text(text)
        hg.Program.from_bytes(program.to_bytes()).validate()
        hg.Program.from_json(program.to_json())

    return read


def _json(text: str) -> _Reader:
    return lambda: hg.Program.from_json(text)


def _bytes(raw: bytes) -> _Reader:
    return lambda: hg.Program.from_bytes(raw)


def _circuits(text: str) -> _Reader:
    """Parsed, rewritten and compiled; what evaluates it takes less."""
    return lambda: circuit.compile(text)


def _kernel_json(text: str) -> _Reader:
    return lambda: kernel_json.compile(text)


def _source(body: str, head: str = "") -> _Reader:
    text = f"{head}\n@hg.kernel\ndef k(x: hg.Array[hg.i32], n: hg.i32):\n{body}\n"
    return lambda: hg.kernel_from_source(text)


def _artifact(make: Callable[[], bytes]) -> _Reader:
    raw = make()
    return lambda: hg.load(raw)


_CALLS = "call f0\nexit\n" + _lines("f{0}:\ncall f{2}\nret", 21_000) + "\n"
_FULL = "\n".join(f"mov_imm.u32 r{k}, {k}" for k in range(1, 240)) + "\n"
_SUM = " . ".join(["mark@c21"] * (_SIZE // 11))

CASES: dict[str, Callable[[], _Reader]] = {
    "text: spaces": lambda: _text(" " * _SIZE),
    "text: empty lines": lambda: _text("\n" * _SIZE),
    "text: comments": lambda: _text(";" * _SIZE),
    "text: one word": lambda: _text("a" * _SIZE),
    "text: one bracket": lambda: _text("[" * _SIZE),
    "text: digits": lambda: _text("mov_imm.i4096 r1, " + "9" * _SIZE),
    "text: hexadecimal digits": lambda: _text("mov_imm.i4096 r1, 0x" + "f" * _SIZE),
    "text: digits of a float": lambda: _text("mov_imm.f32 r1, 0." + "1" * _SIZE),
    "text: instructions": lambda: _through(_lines("mov_imm.u32 r1, 1")),
    "text: labels": lambda: _text(_lines("l{0}:")),
    "text: labels placed twice": lambda: _text("l:\n" * (_SIZE // 3)),
    "text: parameters": lambda: _text(_lines(".param p{0}: u32")),
    "text: parameters of one name": lambda: _text(_lines(".param p: u32")),
    "text: parameters that are there no more": lambda: _text(_lines("stg.u32 [p{0}], r1")),
    "text: branches": lambda: _through(_lines("l{0}:\nbra l{1}, p0", 60_000)),
    "text: branches, registers": lambda: _text(_FULL + _lines("l{0}:\nmov r5, r3\nbra l{1}, p0")),
    "text: branches to nowhere": lambda: _text(_lines("bra x{0}")),
    "text: branches to nowhere, many labels": lambda: _text(_lines("l{0}:\nbra x{0}", 30_000)),
    "text: reads of nothing": lambda: _text(_lines("add.u32 r1, r2, r3")),
    "text: calls in each other": lambda: _through(_CALLS + "f" + str(_CALLS.count("ret")) + ":\nret\n"),
    "text: calls of each other": lambda: _text(_CALLS + "f" + str(_CALLS.count("ret")) + ":\ncall f0\nret\n"),
    "text: twice as many calls": lambda: _text(
        "call f0\nexit\n" + _lines("f{0}:\ncall f{2}\ncall f{2}\nret", 16_000) + "\n"
    ),
    "text: loops": lambda: _text(_FULL + _lines("l{0}:", 20_000) + "\n" + _lines("loop r1, l{1}", 20_000)),
    "text: loops in each other": lambda: _text(
        _FULL
        + "".join(f"l{k}:\nmov r2, r3\n" for k in range(8000))
        + "".join(f"loop r1, l{k}\n" for k in range(7999, -1, -1))
    ),
    "text: pools": lambda: _text(_lines("pool_alloc 16 -> #{0}")),
    "json: lists": lambda: _json("[" + "[]," * (_SIZE // 3) + "[]]"),
    "json: depth": lambda: _json("[" * _SIZE),
    "json: digits": lambda: _json('{"a":' + "9" * _SIZE + "}"),
    "json: keys": lambda: _json("{" + ",".join(f'"k{k}":0' for k in range(_SIZE // 11)) + "}"),
    "bytes: ones": lambda: _bytes(b"HGPR\1\0" + b"\xff" * _SIZE),
    "bytes: zeros": lambda: _bytes(b"HGPR\1\0" + b"\0" * _SIZE),
    "kernel JSON: depth": lambda: _kernel_json("[" * _SIZE),
    "kernel JSON: lists": lambda: _kernel_json("[" + "[]," * (_SIZE // 3) + "[]]"),
    "circuit: one after the other": lambda: _circuits(_SUM),
    "circuit: side by side": lambda: _circuits(_SUM.replace(" . ", " || ")),
    "circuit: pairs that cancel": lambda: _circuits(" . ".join(["mark@c00", "mark@c07"] * (_SIZE // 22))),
    "circuit: merges": lambda: _circuits(
        " . ".join(f"merge@c{k % 90:02}[c{k * 7 % 90:02},c{k * 11 % 90:02}]" for k in range(_SIZE // 24))
    ),
    "circuit: ranges": lambda: _circuits(" . ".join(["merge@c[0..95]"] * (_SIZE // 17))),
    "circuit: as many operations as may be": lambda: _circuits(" . ".join(["mark@c21"] * 65_536)),
    "circuit: as many operands as may be": lambda: _circuits(" || ".join(["merge@c05[c07,c09]"] * 21_845)),
    "circuit: brackets": lambda: _circuits("(" * _SIZE),
    "circuit: digits": lambda: _circuits("R" + "9" * _SIZE + "@ mark@c00"),
    "source: brackets": lambda: _source("    x[0] = " + "(" * 5000 + "1" + ")" * 5000),
    "source: a sum": lambda: _source("    x[0] = " + "+".join(["n"] * (_SIZE // 2))),
    "source: as long a sum as may be": lambda: _source("    x[0] = " + "+".join(["n"] * 131_000)),
    "source: as long a tuple as may be": lambda: _source("    x[0] = T[1]", "T = (" + "1," * 131_000 + ")"),
    "source: quotes": lambda: _source("    x[0] = " + "'" * _SIZE),
    "source: triple quotes": lambda: _source("    x[0] = 1\n" + '"""' * (_SIZE // 3 | 1)),
    "source: backslashes": lambda: _source("    x[0] = '" + "\\" * _SIZE),
    "source: assignments": lambda: _source("    v = n\n" + "    v = v * 3 + n\n" * 20_000 + "    x[0] = v"),
    "source: elifs": lambda: _source(
        "    if n == 0:\n        x[0]=1\n" + "".join(f"    elif n == {k}:\n        x[0]={k}\n" for k in range(3000))
    ),
    "source: loops over tuples": lambda: _source(
        "    for a in T:\n        for b in T:\n            for c in T:\n                x[0] += a * b * c",
        "T = (" + "1," * 100 + ")",
    ),
    "source: empty loops over tuples": lambda: _source(
        "    for a in T:\n        for b in T:\n            for c in T:\n                pass",
        "T = (" + "1," * 256 + ")",
    ),
    "source: a long tuple": lambda: _source("    x[0] = T[1]", "T = (" + "1," * (_SIZE // 2) + ")"),
    "source: helpers of helpers": lambda: _source(
        "    x[0] = f30(n)",
        "\n".join(["def f0(a): return a+1"] + [f"def f{k}(a): return f{k - 1}(a) + f{k - 1}(a)" for k in range(1, 31)]),
    ),
    **{f"artifact: {name}": partial(_artifact, make) for name, make in SLOW.items()},
}


def _main(names: list[str]) -> None:
    for name in names:
        read = CASES[name]()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        try:
            read()
            result = "read"
        except hg.HologramError as error:
            result = f"{type(error).__name__} of {len(str(error))} characters"
        seconds = time.process_time() - start
        more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        print(json.dumps([name, seconds, more, result]), flush=True)


def measure(name: str, timeout: float = 120) -> tuple[float, float, str]:
    """Seconds and MB that reading a case takes, and what came out."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.worst", "--inside", name],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    _, seconds, more, result = json.loads(run.stdout)
    return seconds, more, result


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        _main(sys.argv[2:])
    else:
        for case in sys.argv[1:] or CASES:
            try:
                spent, memory, outcome = measure(case)
                print(f"{case}: {spent:.2f} s, {memory:.0f} MB, {outcome}", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                print(f"{case}: {type(error).__name__} {str(error)[-300:]}", flush=True)
