"""`python -m bench.first`: what the first run of an operation takes natively, from its text to machine code.

Each run is a process of its own, without the cache on disk, which has run a softmax before, so that imports do not
count: milliseconds of its processor time, the least and the median. `--beside DIR` runs another checkout turn by turn.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

_HERE = Path(__file__).resolve().parents[1]
_PARAMS = """
    .param c: buffer f32 read_write
    .param a: buffer f32 read
    .param b: buffer f32 read
    .param bias: buffer f32 read
    .param alpha: f32
"""
CASES = {
    "gemm 64": "gemm.f32 [c], [a], [b], 64, 64, 64",
    "gemm 64, epilogue": "gemm.f32 [c], [a], [b], 64, 64, 64, alpha=alpha, beta=0.5, bias=[bias], activation=relu",
    "gemm 256": "gemm.f32 [c], [a], [b], 256, 256, 256",
    "gemm 256, epilogue": "gemm.f32 [c], [a], [b], 256, 256, 256, alpha=alpha, beta=0.5, bias=[bias], activation=relu",
    "layer_norm": "layer_norm.f32 [c], [a], [b], [bias], 64, 64",
}
_RUN = """
import sys, time
import numpy as np
import hologram_web as hg
executor = hg.Executor("wasm")
args = {name: executor.array(np.ones(65_536, np.float32)) for name in ("a", "b", "c", "bias")}
for text in sys.argv[2:]:
    program = hg.Program.from_text(sys.argv[1] + "    " + text)
    start = time.process_time()
    executor.run(program, 1, alpha=2.0, **args)
    spent = time.process_time() - start
print(1000 * spent)
"""


def once(case: str, folder: Path) -> float:
    """Milliseconds in a new process."""
    env = {**os.environ, "PYTHONPATH": str(folder), "HOLOGRAM_WEB_CACHE": "off"}
    words = [sys.executable, "-c", _RUN, _PARAMS, "softmax.f32 [c], [a], 64, 64", CASES[case]]
    return float(subprocess.run(words, env=env, cwd=folder, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.first", description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--case", action="append", choices=CASES)
    parser.add_argument("--beside", type=Path, help="another checkout")
    options = parser.parse_args()
    folders = [_HERE, *([options.beside.resolve()] if options.beside else [])]
    print("| case | least, ms | median |" + " beside, least | median | ratio of the least |" * (len(folders) - 1))
    for case in options.case or CASES:
        times = list(zip(*([once(case, folder) for folder in folders] for _ in range(options.rounds)), strict=True))
        cells = [f"{found(each):.0f}" for each in times for found in (min, median)]
        ratio = [f"{min(times[0]) / min(other):.2f}" for other in times[1:]]
        print("|", " | ".join([case, *cells, *ratio]), "|", flush=True)


if __name__ == "__main__":
    main()
