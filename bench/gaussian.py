"""What compiling the Gaussian of `make run` takes in Python in a page of Chromium, and in another checkout beside it.

    python -m bench.gaussian [--beside ../other] [--rounds 40]

Milliseconds of processor time of the page's main thread, so that a busy machine can measure it; what compiles
Pyodide's own code for speed is in other threads. Both checkouts are in one page, each with its wheel for pages, and
compile the Gaussian of this one, turn by turn, once all is imported and warm. Medians, and the least.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from statistics import median

import click

from e2e.browser import ROOT, Browser, NoBrowser

from .peers.pages import _ancestors as ancestors

PAGE = """async ([wheels, text]) => {
  const { loadPyodide } = await import("/node_modules/pyodide/pyodide.mjs");
  const runtime = await import("/web/dist/pyodide.js");
  const turns = await Promise.all(wheels.map(async (wheel) => {
    const python = await loadPyodide({ indexURL: "/node_modules/pyodide/" });
    python.registerJsModule("hologram_web_runtime", runtime);
    const extractDir = python.runPython("import site; site.getsitepackages()[0]");
    python.unpackArchive(await (await fetch(wheel)).arrayBuffer(), "wheel", { extractDir });
    python.globals.set("text", text);
    python.runPython("import importlib, os; importlib.invalidate_caches(); os.environ['HOLOGRAM_WEB_CACHE'] = 'off'");
    python.runPython(`
import hologram_web as hg
def gaussian():
    kernel = hg.kernel_from_source(text, "gaussian_rows")
    shapes = dict.fromkeys(("luma", "blur_rows"), ("height", "width"))
    return len(hg.compile(kernel, grid=("width", "height"), block=(16, 16), shapes=shapes).to_bytes())
`);
    return () => python.runPython("gaussian()");
  }));
  globalThis.turn = (number) => turns[number]();
}"""


def gaussian() -> str:
    """The text of the Gaussian, and what stands before the first kernel."""
    first, *kernels = (ROOT / "examples" / "edges" / "kernels.py").read_text().split("@hg.kernel\n")
    return first + next(part for part in kernels if part.startswith("def gaussian_rows("))


def wheel_of(checkout: Path, folder: Path) -> Path:
    """The wheel for pages of a checkout, in a folder that the server shows."""
    made = folder / ("here" if checkout == ROOT else "beside")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    code = f"from pathlib import Path; from tests.where import write_page_wheel; write_page_wheel(Path({str(made)!r}))"
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    subprocess.run([sys.executable, "-c", code], cwd=checkout, env=environment, check=True)
    return next(made.glob("hologram_web-*.whl"))


def of_main_thread(turn: Callable[[], object]) -> Callable[[], int]:
    """What tells how long the processors were in the main thread of the page that does these turns."""
    parents, found = {}, []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it may have ended meanwhile
            parents[process.name] = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[1]
            if "--type=renderer" in (process / "cmdline").read_text(errors="replace"):
                found.append(process / "task" / process.name / "schedstat")
    ours = [path for path in found if str(os.getpid()) in ancestors(path.parts[2], parents)]
    times = {path: int(path.read_text().split()[0]) for path in ours}
    turn()
    busy = max(times, key=lambda path: int(path.read_text().split()[0]) - times[path])
    return lambda: int(busy.read_text().split()[0])


@click.command(help=__doc__)
@click.option("--beside", type=click.Path(exists=True, path_type=Path), help="Another checkout.")
@click.option("--rounds", default=40, show_default=True, type=click.IntRange(1))
def main(beside: Path | None, rounds: int) -> None:
    folder = ROOT / "build" / "gaussian"
    checkouts = {"here": ROOT, **({} if beside is None else {"beside": beside.resolve()})}
    wheels = {name: wheel_of(checkout, folder) for name, checkout in checkouts.items()}
    try:
        with Browser() as browser:
            page = browser.page("/e2e/page.html")
            page.evaluate(PAGE, [["/" + path.relative_to(ROOT).as_posix() for path in wheels.values()], gaussian()])

            def turn(number: int) -> int:
                return page.evaluate("number => turn(number)", number)

            sizes = [[turn(number) for number in range(len(wheels))] for _ in range(8)].pop()
            page.wait_for_timeout(3000)  # until Pyodide's code that is used most is compiled again
            spent = of_main_thread(lambda: turn(0))
            times: list[list[float]] = [[] for _ in wheels]
            for number in range(rounds + 4):
                for which in range(len(wheels))[:: 1 if number % 2 else -1]:  # who goes first takes turns, too
                    begun = spent()
                    turn(which)
                    if number >= 4:
                        times[which].append((spent() - begun) / 1e6)
    except NoBrowser as error:
        sys.exit(str(error))
    print(f"{date.today()}, {rounds} rounds, load {os.getloadavg()[0]:.0f}\n")
    print("| checkout | bytes | ms | least |\n|---|---|---|---|")
    for name, size, ms in zip(wheels, sizes, times, strict=True):
        print(f"| {name} | {size:,} | {median(ms):.1f} | {min(ms):.1f} |")
    if beside is not None:
        pairs = [here / there for here, there in zip(*times, strict=True)]
        print(f"\nhere by beside: {median(pairs):.3f}, of the least times {min(times[0]) / min(times[1]):.3f}")


if __name__ == "__main__":
    main()
