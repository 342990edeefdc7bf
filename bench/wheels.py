"""What Python in a fresh page of Chromium takes with the wheel for pages, and with the ordinary one.

    python -m bench.wheels [--rounds 7]

Milliseconds of the clock from the wheel's bytes: to unpack it, to import what kernels need, and to compile a first
kernel to an artifact. One page of each, again and again; medians, and the least.
"""

from __future__ import annotations

import argparse
import os
import sys
from datetime import date
from pathlib import Path
from statistics import median

from e2e.browser import ROOT, Browser
from tests.where import write_page_wheel, write_wheel

PAGE = """async (wheel) => {
  const { loadPyodide } = await import("/node_modules/pyodide/pyodide.mjs");
  const python = await loadPyodide({ indexURL: "/node_modules/pyodide/" });
  python.registerJsModule("hologram_web_runtime", await import("/web/dist/pyodide.js"));
  const extractDir = python.runPython("import site; site.getsitepackages()[0]");
  const bytes = await (await fetch(wheel)).arrayBuffer();
  const timed = (work) => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  };
  const unpack = timed(() => python.unpackArchive(bytes, "wheel", { extractDir }));
  python.runPython("import importlib, os; importlib.invalidate_caches(); os.environ['HOLOGRAM_WEB_CACHE'] = 'off'");
  const imports = timed(() => python.runPython("import hologram_web as hg; hg.kernel, hg.compile, hg.u32"));
  const compile = timed(() => python.runPython(KERNEL));
  return { unpack, import: imports, "compile a first kernel": compile, all: unpack + imports + compile };
}"""
KERNEL = "def double(x: hg.Array[hg.i32]):\n    x[hg.global_id()] *= 2\n"


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.wheels")
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args(arguments).rounds
    folder = ROOT / "build" / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    wheels = {"for pages": write_page_wheel(folder), "ordinary": write_wheel(folder)}
    code = f"hg.compile(hg.kernel_from_source({KERNEL!r}), grid=1).to_bytes()"
    found: dict[str, list[dict[str, float]]] = {name: [] for name in wheels}
    with Browser() as browser:
        for _ in range(rounds):
            for name, wheel in wheels.items():
                page = browser.page("/e2e/page.html")
                found[name].append(page.evaluate(PAGE.replace("KERNEL", repr(code)), _address(wheel)))
                page.close()
    print(f"{date.today()}, Chromium, {rounds} pages each, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        "| ms | " + " | ".join(f"{name}, {wheels[name].stat().st_size / 1000:.0f} KB" for name in wheels) + " | ratio |"
    )
    print("|---|" + "---:|" * (len(wheels) + 1))
    for step in found["ordinary"][0]:
        times = {name: [row[step] for row in rows] for name, rows in found.items()}
        cells = [f"{median(ms):.0f}, least {min(ms):.0f}" for ms in times.values()]
        ratio = median(a / b for a, b in zip(times["ordinary"], times["for pages"], strict=True))
        print(f"| {step} | {' | '.join(cells)} | {ratio:.1f} |")


def _address(path: Path) -> str:
    return "/" + path.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    main(sys.argv[1:])
