"""`python -m bench.first`: what the first run of each collective takes natively, from its text to machine code.

Each run is a process of its own, which has run a softmax before: milliseconds of its processor time, the least of the
whole, of what wasmtime took of it for machine code, and of the rest, which is ours: from the text to the module, and
its launch. At the end it says how many are within 60 ms by each, and which are not by ours alone. Once without anything
that was kept, and once as who installs the wheel has it: with an empty cache folder and the library that
`python -m hologram_web_tools.precompiled` makes. Modules have their bytecode. `--beside DIR` runs another checkout turn
by turn.

`--pyodide` runs each in a process of Node of its own, in Pyodide with the wheels for pages, behind a softmax, too, once
without the library of pages and once with it: milliseconds of the process' processor time until the result was read,
and the least that importing modules took of it, of which some have no bytecode, that the engine took for machine code,
and that is ours, imports among it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from datetime import date
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from hologram_web.store.disk import LIBRARY
from hologram_web_tools.typical import CALLS, PARAMS

_HERE = Path(__file__).resolve().parents[1]
# Neither the library nor the folder of caches; the library and an empty folder.
CACHES = {"from its text": "off", "as installed": "on"}
_RUN = """
import sys, time
import numpy as np
import wasmtime
import hologram_web as hg
compiled, code = wasmtime.Module.__init__, []
def timed(*args):
    start = time.process_time()
    compiled(*args)
    code.append(time.process_time() - start)
wasmtime.Module.__init__ = timed
executor = hg.Executor("wasm")
args = {name: executor.array(np.ones(65_536, np.float32)) for name in ("a", "b", "c", "bias")}
args |= {"i": executor.array(np.zeros(65_536, np.int32)), "p": executor.array(np.arange(65_536, dtype=np.int32))}
args |= {"q": executor.array(np.ones(65_536, np.int8)), "h": executor.array(np.ones(65_536, np.float16))}
for text in sys.argv[2:]:
    program = hg.Program.from_text(sys.argv[1] + "    " + text)
    code.clear()
    start = time.process_time()
    executor.run(program, 1, alpha=2.0, **args)
    spent = time.process_time() - start
print(1000 * spent, 1000 * sum(code))
"""
# In Pyodide, which has no NumPy: `first(PARAMS, texts)` gives milliseconds of the last text, and of these of imports.
_IN_PAGE = """
import builtins, os
import js
from array import array
os.environ["HOLOGRAM_WEB_CACHE"] = "{cache}"
import hologram_web as hg
from pyodide.code import run_js

run_js('''
globalThis.engineMs = 0;
globalThis.processorMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const timed = (start) => { globalThis.engineMs += processorMs() - start; };
for (const name of ["Module", "Instance"]) {
  WebAssembly[name] = new Proxy(WebAssembly[name], {
    construct(real, given) {
      const start = processorMs();
      try { return Reflect.construct(real, given); } finally { timed(start); }
    },
  });
}
for (const name of ["compile", "instantiate"]) {
  const real = WebAssembly[name];
  WebAssembly[name] = async (...given) => {
    const start = processorMs();
    try { return await real(...given); } finally { timed(start); }
  };
}
''')

class Importing:
    def __init__(self):
        self.real, self.depth, self.spent = builtins.__import__, 0, 0.0

    def __call__(self, *args, **named):
        self.depth += 1
        start = 0 if self.depth > 1 else js.processorMs()
        try:
            return self.real(*args, **named)
        finally:
            self.depth -= 1
            if not self.depth:
                self.spent += js.processorMs() - start

async def first(params, texts):
    executor = await hg.Executor.open("wasm")
    args = {name: executor.full(65_536, 1, hg.f32) for name in ("a", "b", "c", "bias")}
    args |= {"i": executor.full(65_536, 0, hg.i32), "p": executor.array(array("i", range(65_536)))}
    args |= {"q": executor.full(65_536, 1, hg.i8), "h": executor.full(65_536, 1, hg.f16)}
    builtins.__import__ = importing = Importing()
    for text in texts:
        program = hg.Program.from_text(params + "    " + text)
        importing.spent, js.engineMs = 0.0, 0.0
        start = js.processorMs()
        executor.run(program, 1, alpha=2.0, **args)
        await args["c"].read()
        spent = js.processorMs() - start
    return [spent, importing.spent, js.engineMs]

"""
_BEFORE = "softmax.f32 [c], [a], 64, 64"
_NATIVELY, _IN_PYODIDE = 60.0, 200.0  # milliseconds that are aimed at


def once(case: str, folder: Path, cache: str, bytecode: str) -> list[float]:
    """Milliseconds in a new process, and of these what wasmtime took for machine code."""
    with TemporaryDirectory() as place:
        env = {**os.environ, "PYTHONPATH": str(folder), "HOLOGRAM_WEB_CACHE": cache, "HOLOGRAM_WEB_CACHE_DIR": place}
        env |= {"PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
        words = [sys.executable, "-c", _RUN, PARAMS, _BEFORE, CALLS[case]]
        done = subprocess.run(words, env=env, cwd=folder, check=True, capture_output=True, text=True)
        return [float(number) for number in done.stdout.split()]


def in_pyodide(case: str, cache: str) -> list[float]:
    """Milliseconds in a new Pyodide of Node until the result is read, and of these what imports and the engine took."""
    from tests.where import in_node

    code = f"{_IN_PAGE.replace('{cache}', cache)}await first({PARAMS!r}, {[_BEFORE, CALLS[case]]!r})"
    found: list[float] = in_node("python.mjs", {"code": code})
    return found


def tell_pyodide(cases: list[str], rounds: int) -> None:
    from tests.where import write_bundle

    write_bundle(expected=False)
    print(f"{date.today()}, load {os.getloadavg()[0]:.1f}, {rounds} rounds\n")
    print("| case |", " | ".join(f"{way}, whole, ms | importing | engine | ours" for way in CACHES), "|")
    print("|---|" + "---|" * 4 * len(CACHES))
    least: dict[str, dict[str, float]] = {way: {} for way in CACHES}
    ours: dict[str, dict[str, float]] = {way: {} for way in CACHES}
    for case in cases:
        turns = [[in_pyodide(case, cache) for cache in CACHES.values()] for _ in range(rounds)]
        cells = []
        for way, runs in zip(CACHES, zip(*turns, strict=True), strict=True):
            whole, importing, engine = zip(*runs, strict=True)
            least[way][case], ours[way][case] = min(whole), min(spent - code for spent, _, code in runs)
            cells += [f"{ms:.0f}" for ms in (min(whole), min(importing), min(engine), ours[way][case])]
        print("|", " | ".join([case, *cells]), "|", flush=True)
    for way in CACHES:
        told = _within(least[way], ours[way], _IN_PYODIDE)
        print(f"\n{way}: median of the cases {median(least[way].values()):.0f} ms; {told}")


def _within(least: dict[str, float], ours: dict[str, float], aim: float) -> str:
    whole, alone = (sum(ms <= aim for ms in each.values()) for each in (least, ours))
    slow = ", ".join(case for case, ms in ours.items() if ms > aim) or "none"
    return f"{whole} of {len(least)} within {aim:.0f} ms, {alone} by what is ours; not by ours alone: {slow}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.first", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--case", action="append", choices=CALLS)
    parser.add_argument("--pyodide", action="store_true", help="in Pyodide, in Node")
    parser.add_argument("--beside", type=Path, help="another checkout")
    options = parser.parse_args()
    if options.pyodide:
        tell_pyodide(options.case or list(CALLS), options.rounds)
        return
    ways = {name: (_HERE, cache) for name, cache in CACHES.items()}
    if not LIBRARY.is_file():
        sys.exit("there is no library: python -m hologram_web_tools.precompiled makes it")
    if options.beside is not None:
        ways["beside, from its text"] = options.beside.resolve(), "off"
    print(f"{date.today()}, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds\n")
    print("| case |", " | ".join(f"{name}, whole, ms | wasmtime | ours" for name in ways), "|")
    print("|---|" + "---|" * 3 * len(ways))
    least: dict[str, dict[str, float]] = {name: {} for name in ways}
    ours: dict[str, dict[str, float]] = {name: {} for name in ways}
    with TemporaryDirectory() as bytecode:
        for case in options.case or CALLS:
            for way in ways.values():
                once(case, *way, bytecode)  # which writes bytecode
            turns = [[once(case, *way, bytecode) for way in ways.values()] for _ in range(options.rounds)]
            cells = []
            for name, each in zip(ways, zip(*turns, strict=True), strict=True):
                whole, code = zip(*each, strict=True)
                least[name][case], ours[name][case] = min(whole), min(all_of - part for all_of, part in each)
                cells += [f"{number:.0f}" for number in (min(whole), min(code), ours[name][case])]
            print("|", " | ".join([case, *cells]), "|", flush=True)
    for name in ways:
        print(f"\n{name}: {_within(least[name], ours[name], _NATIVELY)}")


if __name__ == "__main__":
    main()
