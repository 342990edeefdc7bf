"""How long a fresh page takes to its first result, which `make run` tells too, and a page by hand beside it.

    python -m bench.fresh [--rounds 3] [--beside ../other]

A page is a new tab of a browser that runs, with nothing cached: nine of each in a round, in turns. Those by hand
(bench/hand/first.mjs) draw the same histogram by the browser's own interfaces, with one small kernel and no checks;
ratios are of medians. With `--beside` there are pages of another checkout, its runtime and its files, too. Processor
time, of which the mean is told, is that of all processes of the browser until a tab has drawn: other work on the
machine changes it less.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import Any

import wasmtime

from examples.edges import reference
from examples.edges.chromium import ROOT, Chromium, bundle, drawn, fresh_page
from examples.edges.pictures import photograph
from examples.edges.tasks import Settings, make_tasks, save

FOLDER = ROOT / "build" / "fresh"
OTHER = FOLDER / "other"
HAND = Path(__file__).with_name("hand")
PAGE = """<!doctype html>
<html lang="en" data-backend="BACKEND">
<meta charset="utf-8">
<title>By hand</title>
<link rel="icon" href="data:,">
<script type="module" src="hand.mjs"></script>
<link rel="preload" href="CODE" as="fetch" crossorigin>
<link rel="preload" href="rgb.bin" as="fetch" crossorigin>
<canvas id="histogram" width="256" height="100"></canvas>
"""


_MADE = """import sys
from pathlib import Path
from examples.edges.pictures import photograph
from examples.edges.tasks import Settings, make_tasks, save
save(make_tasks(photograph(), Settings()), Path(sys.argv[1]))
"""


def _by_hand(folder: Path, backend: str) -> Path:
    """Writes the page by hand, and what it loads."""
    (folder / "hand.mjs").write_bytes((HAND / "first.mjs").read_bytes())
    (folder / "first.wgsl").write_bytes((HAND / "first.wgsl").read_bytes())
    (folder / "first.wasm").write_bytes(wasmtime.wat2wasm((HAND / "first.wat").read_text(encoding="utf-8")))
    code = {"wasm": "first.wasm", "webgpu": "first.wgsl"}[backend]
    page = folder / f"hand-{backend}.html"
    page.write_text(PAGE.replace("BACKEND", backend).replace("CODE", code), encoding="utf-8")
    return page


def _processor_time() -> dict[int, float]:
    """What each process below this one has taken so far, in ms; without Playwright's driver."""
    parents: dict[int, tuple[int, str, float]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, rest = place.read_text(encoding="utf-8").rsplit(")", 1)
        except OSError:  # it has ended
            continue
        fields = rest.split()
        parents[int(place.parent.name)] = int(fields[1]), name.split("(", 1)[1], int(fields[11]) + int(fields[12])
    below, found = {os.getpid()}, dict[int, float]()
    while new := {pid for pid, (parent, *_) in parents.items() if parent in below} - below:
        below |= new
        found |= {pid: 1000 * parents[pid][2] / os.sysconf("SC_CLK_TCK") for pid in new if parents[pid][1] != "node"}
    return found


def _opened(tab: Callable[[str], Any], here: Path) -> dict[str, float]:
    before, taken = _processor_time(), list[float]()
    found = drawn(tab, here, lambda: taken.extend(ms - before.get(pid, 0) for pid, ms in _processor_time().items()))
    return found | {"processor": sum(taken)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--beside", type=Path)
    given = parser.parse_args()
    bundle()
    photo, folder = photograph(), FOLDER / "edges"
    save(make_tasks(photo, Settings()), folder)
    pages = {"here": [fresh_page(folder, backend) for backend in ("wasm", "webgpu")]}
    pages["by hand"] = [_by_hand(folder, backend) for backend in ("wasm", "webgpu")]
    if given.beside:
        beside = given.beside.resolve()
        shutil.rmtree(OTHER, ignore_errors=True)
        shutil.copytree(beside / "web" / "dist", OTHER / "dist")
        made = [sys.executable, "-c", _MADE, str(OTHER)]
        subprocess.run(made, cwd=beside, env={**os.environ, "PYTHONPATH": str(beside)}, check=True)
        pages["beside"] = [fresh_page(OTHER, backend, "/build/fresh/other/dist") for backend in ("wasm", "webgpu")]
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with Chromium(folder) as chromium, chromium.browser.tabs() as tab:
        for page in pages["by hand"]:
            opened = tab(f"/{page.relative_to(ROOT).as_posix()}?plain")
            opened.wait_for_function("() => globalThis.drawn", timeout=30_000)
            assert opened.evaluate("() => globalThis.counts") == reference.histogram(photo).tolist()
            opened.close()
        for turn in range(9 * given.rounds):
            for k, backend in enumerate(("wasm", "webgpu")):
                for name in sorted(pages, reverse=turn % 2 == 1):
                    for what, ms in _opened(tab, pages[name][k]).items():
                        found[f"{backend} {what}"][name].append(ms)
    print(f"ms from a page's start, at a load of {os.getloadavg()[0]:.1f}")
    for what, sides in sorted(found.items()):
        for name, times in sides.items():
            middle = mean if what.endswith("processor") else median  # the kernel counts by 10 ms
            ratio = f"  {middle(times) / middle(sides['by hand']):.2f} of by hand" if "by hand" in sides else ""
            row = f"{middle.__name__:<6} {middle(times):6.1f}  least {min(times):6.1f}  of {len(times)}"
            print(f"{f'{what}, {name}':<28} {row}{ratio}")


if __name__ == "__main__":
    main()
