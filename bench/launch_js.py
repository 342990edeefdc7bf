"""`python -m bench.launch_js`: what a launch costs from JavaScript, beside the bare call of the same module.

The kernel and its 1,000 elements are those of bench/launch.py, in Node and in Chromium (software adapter), through the
public `program.run` with its promise awaited; 16 elements show what is left of a launch where the kernel takes no time.
Results are compared before anything is timed.
"""

# mypy: ignore-errors

from __future__ import annotations

import json
import os
import platform
import subprocess
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

import click

import hologram_web as hg
from bench.launch import N, saxpy
from e2e.browser import ROOT, Browser
from examples.edges.chromium import bundle
from hologram_web.plan.reader import read

__all__ = ["write_kernel"]

FOLDER = ROOT / "build" / "bench"


def write_kernel() -> dict[str, Any]:
    """The kernel as an artifact, and its module alone; gives what a bare call has to know."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    shapes = {name: ("n",) for name in "xyz"}
    raw = hg.compile(saxpy, shapes=shapes).to_bytes()
    (FOLDER / "launch.holo").write_bytes(raw)
    file = read(raw)
    (kernel,) = file.kernels
    (FOLDER / "launch.wasm").write_bytes(file.modules[kernel.wasm.module])
    scalars = [kernel.scalars[number][0] for number in kernel.wasm.scalars]
    memories = [kernel.memories[number].base for number in kernel.wasm.memories]
    return {"n": N, "block": kernel.block[0], "scalars": scalars, "memories": memories}


def in_node(args: dict[str, Any], job: str = "launches.mjs") -> Any:
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["node", "e2e/node.mjs", job, json.dumps(args), out.name], cwd=ROOT, check=True)
        answer = Path(out.name).read_bytes()
    size = int.from_bytes(answer[:8], "little")
    return json.loads(answer[8 : 8 + size])


@click.command()
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
@click.option("--repeats", default=2000, show_default=True, type=click.IntRange(1), help="Of each in a round.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, not tables.")
def main(rounds: int, repeats: int, as_json: bool) -> None:
    """What a launch costs from JavaScript."""
    bundle()
    args = {"n": N, "layout": write_kernel(), "rounds": rounds, "repeats": repeats}
    found = {"Node": in_node(args | {"backends": ["wasm"]})}
    with Browser() as browser:
        title = f"Chromium {browser.version}"
        found[title] = browser.run("launches.mjs", backends=["wasm", "webgpu"], seconds=560, **args).json
    if as_json:
        print(json.dumps(found, indent=1))
        return
    print(f"{date.today()}, {os.cpu_count()} cores ({platform.machine()}), medians of {rounds} rounds")
    for where, sides in found.items():
        print(f"\n| a launch in {where} | lanes | us | from to |\n|---|---|---|---|")
        for side in sides:
            spread = f"{side['from']:.2f} to {side['to']:.2f}"
            print(f"| {side['name']} | {side['lanes']:,} | {side['us']:.2f} | {spread} |")


if __name__ == "__main__":
    main()
