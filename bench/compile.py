"""How long it takes from a Python text to WebAssembly and WGSL: the kernels of the standard library, and peers.

    python -m bench.compile [--rounds 7] [--peers] [--pyodide] [--beside ../other]

Milliseconds of processor time of one thread, so that a busy machine can measure it; the rounds of all kernels are
interleaved, medians are taken over rounds. `--peers` measures Numba and tinygrad beside it, in an environment of their
own, `build/peers`, which it makes. `--pyodide` measures in a worker of Chromium instead, where the wheel for pages runs
and nobody tells processor time: these are milliseconds of the clock, of each kernel's fastest round. `--beside`
measures kernel after kernel in turns with a process of another checkout, the least time of each, and bytes of modules.
`--verifying` times the verifier alone, on one long program.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import platform
import subprocess
import sys
import time
from datetime import date
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import hologram_web as hg
from hologram_web import stdlib
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa import Type
from hologram_web.isa.address import ON_CHIP
from hologram_web.isa.verify import analyze
from hologram_web.targets import wasm, wgsl
from hologram_web.tensor.matmul import STEPS as STEPS_OF_TILE
from hologram_web.tensor.matmul import TEXTS, TILE
from hologram_web.tensor.matmul import _same as same
from hologram_web.tensor.programs import program_of

PEERS = Path("build/peers")
PACKAGES = ("numba==0.68.1", "tinygrad==0.14.0")
CLOCK = time.perf_counter if sys.platform == "emscripten" else time.thread_time
STEPS = ("program", "passes", "WebAssembly", "WGSL")
# What a process of any checkout does: says which kernels are one shader, and compiles those that it is told.
TURNS = """
import json, sys
import hologram_web as hg
from bench.compile import analyze, build, compiled, optimize, stdlib, text_of, wasm
one = [name for name in stdlib.NAMES if name not in getattr(stdlib, "CALLS", ())]
one = [name for name in one if not any(i.row.collective for i in stdlib.kernel(name).program.instructions)]
print(json.dumps(one), flush=True)
for line in sys.stdin:
    text = text_of(line.strip())
    program = hg.kernel_from_source(text).program
    size = len(wasm.compile_kernel(optimize(build(analyze(program), (256, 1, 1)))).code)
    print(json.dumps([min(compiled(text)["both targets"] for _ in range(3)), size]), flush=True)
"""


def text_of(name: str) -> str:
    """The imports and the function of a kernel alone."""
    text = stdlib.source(name)
    kept = [
        ast.unparse(node)
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom)
        or (isinstance(node, ast.FunctionDef) and node.name == stdlib.kernel(name).name)
    ]
    return "\n".join(kept) + "\n"


def compiled(text: str) -> dict[str, float]:
    """Milliseconds of the steps from a text to the code of both targets."""
    times: list[float] = [CLOCK()]
    kernel = hg.kernel_from_source(text)
    analysis = analyze(kernel.program)
    times.append(CLOCK())
    function = optimize(build(analysis, (256, 1, 1)))
    times.append(CLOCK())
    wasm.compile_kernel(function)
    times.append(CLOCK())
    groups = [[base] for base in function.bases if base.space not in ON_CHIP]
    wgsl.compile_kernel(function, groups, kernel.program.shared_memory)
    times.append(CLOCK())
    spent = [1000 * (end - start) for start, end in pairwise(times)]
    return {**dict(zip(STEPS, spent, strict=True)), "both targets": sum(spent)}


def artifact(text: str, lanes: str) -> float:
    """Milliseconds from a text to an artifact: all shaders and modules, the plan, the file."""
    start = CLOCK()
    hg.compile(hg.kernel_from_source(text), grid=lanes).to_bytes()
    return 1000 * (CLOCK() - start)


def measured(rounds: int) -> dict[str, dict[str, float]]:
    """By kernel and step: medians of processor time, in Pyodide the least time."""
    found: dict[str, dict[str, list[float]]] = {}
    texts = {name: text_of(name) for name in stdlib.NAMES if name not in stdlib.CALLS}
    for number in range(rounds + 1):
        for name, text in texts.items():
            single = not any(i.row.collective for i in stdlib.kernel(name).program.instructions)
            times = {**(compiled(text) if single else {}), "artifact": artifact(text, stdlib.lanes(name))}
            if number:  # the first round warms up
                for step, ms in times.items():
                    found.setdefault(name, {}).setdefault(step, []).append(ms)
    pick = min if sys.platform == "emscripten" else median
    return {name: {step: pick(ms) for step, ms in steps.items()} for name, steps in found.items()}


def verifying(rounds: int) -> tuple[int, float]:
    """The instructions of the tiled product of matrices, a long program, and milliseconds of processor time that the
    verifier takes for them."""
    types = dict.fromkeys(("T", "U", "W"), Type.F32)
    constants = {**TILE, **types, **dict.fromkeys(("BATCHED", "BETA", "BIAS"), False), "EPILOGUE": same}
    constants |= {"STEPS": STEPS_OF_TILE, "REST": False}  # as of 512 x 512
    program = program_of(TEXTS["tiles"], constants)
    times = []
    for _ in range(10 * rounds):
        start = CLOCK()
        analyze(program)
        times.append(1000 * (CLOCK() - start))
    return len(program), median(times)


def tell_verifying(rounds: int) -> None:
    count, ms = verifying(rounds)
    print(f"verifying the tiled product of matrices ({count} instructions): {ms:.2f} ms")


def beside(other: Path, rounds: int) -> tuple[dict[str, list[float]], dict[str, list[int]]]:
    """By kernel least milliseconds to both targets, and bytes of the module, of this checkout and of another."""
    processes = []
    for folder in (Path(__file__).resolve().parents[1], other.resolve()):
        environment = {**os.environ, "PYTHONPATH": str(folder), "HOLOGRAM_WEB_CACHE": "off"}
        command, pipe = [sys.executable, "-c", TURNS], subprocess.PIPE
        processes.append(subprocess.Popen(command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, text=True))

    def answer(process: subprocess.Popen[str], name: str = "") -> Any:
        assert process.stdin is not None
        assert process.stdout is not None
        if name:
            process.stdin.write(f"{name}\n")
            process.stdin.flush()
        return json.loads(process.stdout.readline())

    here, there = map(answer, processes)
    names = [name for name in here if name in there]
    times, sizes = {name: [float("inf")] * 2 for name in names}, {name: [0, 0] for name in names}
    for _ in range(rounds):
        for name in names:
            for place, process in enumerate(processes):
                ms, sizes[name][place] = answer(process, name)
                times[name][place] = min(ms, times[name][place])
    for process in processes:
        process.communicate()
    return times, sizes


def tell_beside(other: Path, rounds: int) -> None:
    times, sizes = beside(other, rounds)
    print(f"{date.today()}, load {os.getloadavg()[0]:.1f}, {rounds} rounds, {len(times)} kernels\n")
    print("| | here, median of the kernels | there | ratio of these | median of the ratios |\n|---|---|---|---|---|")
    pairs: dict[str, list[list[float]]] = {
        "both targets, ms": [*times.values()],
        "bytes of the module": [[float(size) for size in pair] for pair in sizes.values()],
    }
    for what, found in pairs.items():
        own, others = (median(pair[place] for pair in found) for place in (0, 1))
        print(f"| {what} | {own:.2f} | {others:.2f} | {own / others:.2f} | {median(a / b for a, b in found):.2f} |")


def peers(rounds: int) -> dict[str, Any]:
    """What `peers.py` measures in an environment with Numba and tinygrad."""
    import venv  # which Pyodide has not

    python = PEERS / "bin" / "python"
    if not python.exists():
        venv.create(PEERS, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    script = Path(__file__).with_name("compile_peers.py")
    done = subprocess.run([python, script, str(rounds)], check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def in_pyodide(rounds: int) -> dict[str, dict[str, float]]:
    """What this file measures in Chromium. Raises NoBrowser."""
    from e2e.browser import Browser
    from tests.where import write_bundle

    write_bundle(expected=False)
    text = Path(__file__).read_text()
    code = f"""
import os, types
os.environ["HOLOGRAM_WEB_CACHE"] = "off"
bench = types.ModuleType("bench")
exec({text!r}, bench.__dict__)
bench.measured({rounds})
"""
    with Browser() as browser:
        found: dict[str, dict[str, float]] = browser.run("python.mjs", "worker", 600, code=code).json
    return found


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.compile")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--pyodide", action="store_true")
    parser.add_argument("--beside", type=Path, help="another checkout")
    parser.add_argument("--verifying", action="store_true", help="verifying the tiled product of matrices alone")
    options = parser.parse_args(arguments)
    if options.beside:
        tell_beside(options.beside, options.rounds)
        return
    if options.verifying:
        tell_verifying(options.rounds)
        return
    os.environ["HOLOGRAM_WEB_CACHE"] = "off"  # which would have the artifacts
    found = in_pyodide(options.rounds) if options.pyodide else measured(options.rounds)
    place = "Pyodide in Chromium" if options.pyodide else f"Python {platform.python_version()}"
    print(f"{date.today()}, {platform.machine()}, {place}, {options.rounds} rounds")
    print("| from a text to | median of the kernels, ms | slowest, ms | which |\n|---|---|---|---|")
    for step in (*STEPS, "both targets", "artifact"):
        ms = {name: steps[step] for name, steps in found.items() if step in steps}
        slowest = max(ms, key=ms.__getitem__)
        print(f"| {step} | {median(ms.values()):.2f} | {ms[slowest]:.2f} | {slowest} |")
    if not options.pyodide:
        print()
        tell_verifying(options.rounds)
    if not options.peers:
        return
    print("\n| kernel | by | ms |\n|---|---|---|")
    other = peers(options.rounds)
    for name, ways in other["times"].items():
        print(f"| {name} | ours, both targets | {found[name]['both targets']:.2f} |")
        for way, ms in ways.items():
            print(f"| {name} | {way} | {ms:.2f} |")
    print(f"\n{other['versions']}")


if __name__ == "__main__":
    main(sys.argv[1:])
