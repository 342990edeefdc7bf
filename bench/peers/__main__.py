"""`python -m bench.peers`: us, jax-js, TensorFlow.js and ONNX Runtime Web at the same work in headless Chromium.

Each library has a page of its own in one browser, and its inputs on its device; a timing is of one turn: the calls of a
case, and reading the last result into a typed array, by the page's clock. Turns are interleaved. Results are compared
with NumPy's before anything is timed, and pages say which adapter they got and what they dispatched on it. On WebGPU it
is the software adapter that Chromium brings, the same everywhere; `--backend wasm` compares WebAssembly, in isolated
pages with threads, and `--plain` in others. Shaders by hand (bench/hand) run beside us where there are some.

The libraries are installed into build/peers_web by npm, from the versions of bench/peers/package-lock.json.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np

from e2e.browser import CACHING, ROOT, Browser, NoBrowser

from ..__main__ import table
from .cases import CASES, Case
from .onnx import model

HERE = Path(__file__).resolve().parent
FOLDER = ROOT / "build" / "peers_web"
LOCK = "package-lock.json"
OURS, HAND = "ours", "hand"
PEERS = {
    OURS: "",
    "jax": "@jax-js/jax",
    "tfjs": "@tensorflow/tfjs-core",
    "ort": "onnxruntime-web",
    HAND: "",
}  # packages
OPEN = """async ([module, backend]) => {
  globalThis.peer = await import("/build/peers_web/out/page.js");
  return peer.open(module, backend);
}"""


@dataclass
class Side:
    """A library on a backend, in its page."""

    name: str
    page: Any

    def does(self, case: Case) -> bool:
        return self.name == OURS or bool(case.lanes if self.name == HAND else case.nodes)


def install() -> None:
    """The libraries, and the modules of their pages, bundled."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    before = FOLDER / "node_modules" / ".package-lock.json"
    wanted = (HERE / LOCK).read_bytes()
    if not before.is_file() or (FOLDER / LOCK).read_bytes() != wanted:
        for name in ("package.json", LOCK):
            shutil.copy(HERE / name, FOLDER)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=FOLDER, check=True)
    entries = [str(path) for path in sorted(HERE.glob("*.mjs"))]
    options = ["--bundle", "--format=esm", "--log-level=error", "--external:/web/*", f"--outdir={FOLDER / 'out'}"]
    environment = {**os.environ, "NODE_PATH": str(FOLDER / "node_modules")}
    subprocess.run([str(ROOT / "node_modules" / ".bin" / "esbuild"), *entries, *options], env=environment, check=True)
    subprocess.run(["npm", "run", "--silent", "bundle"], cwd=ROOT, check=True)


def write(name: str, data: bytes) -> str:
    """Where a page finds these bytes."""
    path = FOLDER / "data" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return f"/build/peers_web/data/{name}"


def order_of(title: str, case: Case, side: Side) -> dict[str, Any]:
    """What a page is told of a case."""
    arrays = {name: write(f"{title}.{name}", value.astype(np.float32).tobytes()) for name, value in case.arrays.items()}
    wanted = case.wanted.astype(np.float64)
    order: dict[str, Any] = {
        "title": title,
        "name": case.name,
        "calls": case.calls,
        "size": case.wanted.size,
        "arrays": arrays,
        "wanted": write(f"{title}.wanted", wanted.tobytes()),
        "tolerance": case.tolerance,
        "least": float(np.abs(wanted).max()) * 1e-3,  # relative to this, where a result is smaller
    }
    if side.name == OURS:
        order |= {"holo": write(f"{title}.holo", case.ours().to_bytes()), "scalars": case.scalars}
    elif side.name == HAND:
        scalars = [("f32" if name == "step" else "u32", value) for name, value in case.scalars.items()]
        shader = (HERE.parent / "hand" / f"{case.name}.wgsl").read_bytes()
        result = "f32" if case.wanted.dtype == np.float32 else "u32"
        order |= {"shader": write(f"{title}.wgsl", shader), "scalars": scalars, "lanes": case.lanes, "result": result}
    else:
        shapes = {name: value.shape for name, value in case.arrays.items()}
        order["model"] = write(f"{title}.onnx", model(case.nodes, shapes, case.wanted.shape))
    return order


def prepare(title: str, case: Case, side: Side, backend: str) -> str:
    """Lets a page check a case; what it ran on. Ends the benchmark where a result is wrong or came from elsewhere."""
    found = side.page.evaluate("order => peer.prepare(order)", order_of(title, case, side))
    if found["wrong"] > case.strays * case.wanted.size:
        sys.exit(
            f"{title}, {side.name}: {found['wrong']:,} results are wrong, by {found['worst']:.3g}: nothing was timed"
        )
    on_gpu = backend == "webgpu"
    if (found["dispatches"] > 0) != on_gpu or (on_gpu and len(set(found["adapters"])) != 1):
        sys.exit(f"{title}, {side.name}: {found['dispatches']} dispatches on {found['adapters']}: not {backend}")
    return str(found["adapters"][0]) if on_gpu else "WebAssembly"


def measure(
    browser: Browser, backend: str, plain: bool, names: Iterable[str], peers: Iterable[str], rounds: int
) -> Iterator[dict[str, Any]]:
    """A row for each case and side, in the order of the tables."""
    with ExitStack() as stack:
        sides = []
        for name in peers:
            if name == HAND and backend != "webgpu":
                continue
            page = browser.page(f"/e2e/page.html{'?plain' if plain else ''}")
            stack.callback(page.close)
            if page.evaluate(OPEN, [f"/build/peers_web/out/{name}.js", backend]) == plain:
                sys.exit(f"{name}: the page is {'' if plain else 'not '}isolated")
            sides.append(Side(name, page))
        versions = json.loads((HERE / LOCK).read_text(encoding="utf-8"))["packages"]
        ran: set[str] = set()
        for title in names:
            case = CASES[title]()
            asked = [side for side in sides if side.does(case)]
            ran |= {prepare(title, case, side, backend) for side in asked}
            if len(ran) > 1:
                sys.exit(f"{title}: on several adapters, {', '.join(sorted(ran))}")
            times: dict[str, list[float]] = {side.name: [] for side in asked}
            for _ in range(rounds):
                for side in asked:
                    times[side.name] += side.page.evaluate("title => peer.time(title, 1)", title)
            best = min(median(ms) for name, ms in times.items() if name != OURS) if len(asked) > 1 else None
            for side in asked:
                ms = times[side.name]
                yield {
                    "case": title,
                    "size": case.size,
                    "calls": case.calls,
                    "bytes": case.moved * case.calls,
                    "operations": case.work * case.calls,
                    "by": side.name,
                    "version": versions[f"node_modules/{PEERS[side.name]}"]["version"] if PEERS[side.name] else "",
                    "backend": backend,
                    "isolated": not plain,
                    "ran on": next(iter(ran)),
                    "ms": ms,
                    "median": median(ms),
                    "fastest": min(ms),
                    "of the fastest peer": median(ms) / best if best else None,
                }


def shown(row: dict[str, Any]) -> list[str]:
    rates = (row[what] / row["median"] / 1e6 for what in ("bytes", "operations"))
    spread = f"{row['fastest']:.2f} to {max(row['ms']):.2f}"
    ratio = "" if row["of the fastest peer"] is None else f"{row['of the fastest peer']:.2f}"
    by = f"{row['by']} {row['version']}".rstrip()
    return [row["case"], row["size"], by, f"{row['median']:.2f}", spread, *(f"{rate:.2f}" for rate in rates), ratio]


@click.command(help=__doc__)
@click.option("--case", "names", multiple=True, type=click.Choice(list(CASES)), help="One of them.  [default: all]")
@click.option("--peer", "peers", multiple=True, type=click.Choice(list(PEERS)), help="One of them.  [default: all]")
@click.option("--backend", default="webgpu", show_default=True, type=click.Choice(["webgpu", "wasm"]))
@click.option("--plain", is_flag=True, help="Pages without threads.")
@click.option("--rounds", default=15, show_default=True, type=click.IntRange(1))
@click.option("--json", "file", type=click.Path(path_type=Path), help="Where the rows are written, too.")
def main(
    names: tuple[str, ...], peers: tuple[str, ...], backend: str, plain: bool, rounds: int, file: Path | None
) -> None:
    install()
    try:
        with Browser(headers=CACHING) as browser:  # some of the libraries make code that a policy would forbid
            chosen = [title for title in names or CASES if backend == "webgpu" or CASES[title]().nodes]
            rows = list(measure(browser, backend, plain, chosen, peers or PEERS, rounds))
            version = browser.version
    except NoBrowser as error:
        sys.exit(str(error))
    pages = "plain" if plain else "isolated"
    machine = f"{os.cpu_count()} cores ({platform.machine()}), load {os.getloadavg()[0]:.1f}"
    where = f"Chromium {version}, {pages} pages, on {rows[0]['ran on']}"
    print(f"{date.today()}, {machine}, {where}; medians of {rounds} turns\n")
    header = "case|elements|by|ms a turn|from to|GB/s|G operations/s|times the fastest other's time"
    table(header, map(shown, rows))
    if file is not None:
        file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
