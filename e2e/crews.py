"""Artifacts of what threads share: `build/e2e/threads/*.holo`. `python -m bench.threads` and tests/test_threads.py have
them natively."""

from __future__ import annotations

import subprocess

import hologram_web as hg
from bench.threads import chain, histogram, mandelbrot
from tests.test_threads import COUNTED, FAR, SLOW

from .browser import ROOT
from .cases import BUILD

# Block 0 waits until another block has run: for ever, or as long as it may, where one thread runs one after the other.
MEET = """
def meet(flags: hg.Array[hg.u32], y: hg.Array[hg.u32], rounds: hg.i32, waits: hg.i32):
    i = hg.global_id()
    n = hg.u32(0)
    for k in range(rounds):
        n = n * hg.u32(5) + hg.u32(k)
    y[i] = n
    if i < 256:
        k = 0
        while k < waits and hg.atomic_add(flags, 0, 0) == 0:
            k += 1
        if i == 0:
            flags[1] = hg.u32(k < waits)
    else:
        hg.atomic_add(flags, 0, 1)
"""

# The runtime, but that all launches of several blocks are shared, however short.
ALL_SHARED = """
import { Crew } from "./web/src/backends/crew.ts";
Crew.prototype.wants = function () {
  return (this.wanted = true);
};
export * from "./web/src/index.ts";
"""

# The same, but that workers take all blocks, while who launches waits: it would have done a short launch before one is
# awake. `taken` says how many launches each worker took part in.
ON_WORKERS = """
import { Crew } from "./web/src/backends/crew.ts";
import { now } from "./web/src/backends/pace.ts";
const { lead } = Crew.prototype;
const [NEXT, TAKEN] = [16, 6];
let crew;
Crew.prototype.wants = function () {
  return (this.wanted = true);
};
Crew.prototype.lead = function (call, from, until, isLate, pause, signal) {
  crew = this;
  const { device, at } = this;
  const isLeft = () => device.threads.number > 1 && Atomics.load(device.arena.words, (at >>> 2) + NEXT) < call.blocks;
  const wait = async () => {
    for (await pause(); isLeft(); await pause()) isLate(now());
  };
  return lead.call(this, call, from, until, (time) => (isLate(time), isLeft()), wait, signal);
};
export const taken = () => crew?.workers.map(({ slot }) => crew.device.arena.words[(slot >>> 2) + TAKEN]) ?? [];
export * from "./web/src/index.ts";
"""

__all__ = ["FOLDER", "all_shared", "on_workers", "write"]

FOLDER = BUILD / "threads"


def all_shared() -> str:
    """Bundles the runtime whose launches are all shared, and says where it is."""
    return _bundled("all_shared", ALL_SHARED)


def on_workers() -> str:
    """The same of the runtime whose launches of several blocks are the workers' alone."""
    return _bundled("on_workers", ON_WORKERS)


def _bundled(name: str, text: str) -> str:
    FOLDER.mkdir(parents=True, exist_ok=True)
    out = FOLDER / f"{name}.js"
    command = ["node_modules/.bin/esbuild", "--bundle", "--format=esm", "--log-level=warning", f"--outfile={out}"]
    subprocess.run([*command, f"--sourcefile={name}.ts"], cwd=ROOT, input=text, text=True, check=True)
    return str(out.relative_to(ROOT))


def write() -> None:
    """Writes all artifacts."""
    # Each lane writes an element, too, so that its length is how many there are.
    writes = ".param z: buffer u32 write\n    stg.u32 [z + r255*4], r252\n"
    counted = COUNTED.replace("    mov_imm", f"{writes}    mov_imm", 1)
    programs: dict[str, tuple[hg.Program, dict[str, tuple[int | str, ...]]]] = {
        "chain": (chain.program, {"x": ("n",), "y": ("n",)}),
        "mandelbrot": (mandelbrot.program, {"counts": ("n",)}),
        "histogram": (histogram.program, {"x": ("n",), "counts": (256,)}),
        "counted": (hg.Program.from_text(counted), {"y": (6,), "f": (1,), "z": ("n",)}),
        "far": (hg.Program.from_text(FAR), {"x": ("n",), "y": ("n",)}),
        "meet": (hg.kernel_from_source(MEET).program, {"flags": (2,), "y": ("n",)}),
        "slow": (hg.Program.from_text(SLOW), {"y": ("lanes",)}),
    }
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (program, shapes) in programs.items():
        grid = "lanes" if name == "slow" else "n"
        hg.compile(program, grid=grid, shapes=shapes).save(FOLDER / f"{name}.holo")


if __name__ == "__main__":
    write()
