"""`python -m bench.peers`: us and the libraries that people would take, at the same work.

In headless Chromium jax-js, TensorFlow.js, ONNX Runtime Web, GPU.js and loops in JavaScript, each in a page of its
own: on WebAssembly in isolated pages, where they have threads (`wasm`), and in plain ones (`wasm-plain`), and on
WebGPU, on the software adapter that Chromium brings (`webgpu`). Outside NumPy, numexpr and Numba, with one thread and
with all (`native`). `start` is a first result on a fresh page, and what had to be transferred.

Results are compared before anything is timed. A turn is as many runs as take some milliseconds, inputs being on the
device; what counts is the time of a run. Turns are interleaved, and medians taken. On WebGPU a run reads its last
result, as nothing else says that it is done; elsewhere nothing is copied, but where a library's interface does it with
each call (ort, gpu.js). Loops over v128 by hand, in the same engine and with as many threads, say what memory and
arithmetic give; those of arithmetic are timed in the turns of all cases, and their fastest turn is the peak.
Products and convolutions of 1 x 1 and of each channel are there whole by hand, too (`v128 by hand`), on one thread.

The libraries are installed into build/peers_web by npm, from bench/peers/package-lock.json, and into build/peers_py by
pip, from bench/peers/requirements.txt.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from operator import truediv
from pathlib import Path
from statistics import median
from typing import Any

import click

from e2e.browser import CACHING, Browser, NoBrowser

from ..threads import control
from . import report
from .cases import CASES as OTHERS
from .cases import PEAKS, Case, generated
from .pages import (
    FAST,
    HANDS,
    LIBRARIES,
    LOOPS,
    ONE,
    OURS,
    PagePeer,
    WrongResults,
    first_results,
    install,
    opened,
    orders,
)
from .processes import LOOPS_2, PARALLEL, Here, Loops, others
from .tensors import TENSORS
from .training import TRAINING

CASES = OTHERS | TENSORS | TRAINING
WHERE = ("wasm", "wasm-plain", "webgpu", "native", "start")
FIRST = (OURS, "jax-js", "tfjs", "ort", "gpu.js", "JavaScript")
WARM, TURN = 300.0, 8.0  # milliseconds
Row = dict[str, Any]
Make = Callable[[], Case]


def check(title: str, name: str, case: Case, found: tuple[int, float]) -> None:
    wrong, worst = found
    if wrong > case.strays * case.wanted.size:
        raise WrongResults(f"{title}, {name}: {wrong:,} are wrong, by {worst:.3g}")


@contextmanager
def if_right(name: str, refused: list[str]) -> Iterator[None]:
    """Tells that a library's results are wrong, which is not timed then. Ends the benchmark where ours are, or those of
    a loop by hand."""
    try:
        yield
    except WrongResults as wrong:
        if name.startswith((OURS, LOOPS, *HANDS)):
            sys.exit(f"{wrong}: nothing was timed")
        refused.append(str(wrong))


def rows_of(
    where: str,
    title: str,
    case: Case,
    times: dict[str, list[float]],
    told: dict[str, Row],
    beside: dict[str, list[float]] | None = None,
) -> Iterator[Row]:
    """The rows of a case: of every contender, in the order of the table. `beside` is what the named case took in the
    same turns, where a case is generated."""
    # The clock of plain pages goes by tenths of a millisecond: a turn of a test may take none.
    times, beside = (
        {name: [max(turn, 1e-4) for turn in ms] for name, ms in each.items()} for each in (times, beside or {})
    )
    best = min((median(ms) for name, ms in times.items() if not name.startswith((OURS, LOOPS, *HANDS))), default=None)
    for name, ms in times.items():
        threads = told[name]["threads"]
        work = case.work * (threads if case.bound in PEAKS else case.calls)
        named = beside.get(name)
        yield {
            "where": where,
            "case": title,
            "named": case.named,
            "size": case.size,
            "calls": case.calls if case.bound not in PEAKS else 1,
            "bytes": case.moved * case.calls,
            "operations": work,
            "by": name,
            **told[name],
            "ms": ms,
            "median": median(ms),
            "fastest": min(ms),
            "of the fastest peer": median(ms) / best if best and not name.endswith(ONE) else None,
            "of the named": median(map(truediv, ms, named)) if named else None,
        }


class Peaks:
    """Products and sums by hand, timed beside every case: in the first seconds of a browser they took four times as
    long as later, and a machine is not as fast at all times. `ready` prepares a case, and says what is told of it.
    Where there are several threads, native ones are the control: they say whether there are as many processors."""

    def __init__(
        self,
        where: str,
        cases: dict[str, Make],
        sides: Sequence[PagePeer] | Sequence[Loops],
        ready: Callable[[Any, str, Case], Row],
    ) -> None:
        self.where, self.sides = where, sides
        self.cases = {title: cases[title]() for title in PEAKS if title in cases and sides}
        self.about = {
            title: {side.name: ready(side, title, case) for side in sides} for title, case in self.cases.items()
        }
        self.times: dict[str, dict[str, list[float]]] = {
            title: {side.name: [] for side in sides} for title in self.cases
        }
        self.native: list[float] = []

    def turn(self) -> None:
        if self.cases and self.where in ("wasm", "native"):
            self.native.append(control())
        for title, times in self.times.items():
            for side in self.sides:
                times[side.name].append(side.time(title))

    def rows(self) -> Iterator[Row]:
        told = {"native threads": median(self.native)} if self.native else {}
        for title, case in self.cases.items():
            yield from (row | told for row in rows_of(self.where, title, case, self.times[title], self.about[title]))


def in_pages(
    browser: Browser,
    where: str,
    cases: dict[str, Make],
    names: Sequence[str],
    rounds: int,
    warm: float,
    refused: list[str],
    processor: bool = False,
) -> Iterator[Row]:
    backend, plain = where.removesuffix("-plain"), where.endswith("-plain")
    least = TURN if warm else 0

    def ready(peer: PagePeer, title: str, case: Case) -> Row:
        ran = peer.prepare(orders(title, case)[peer.name], 0, warm, least)
        return {"version": peer.version, "threads": peer.threads(title), "ran on": ran}

    with opened(browser, backend, plain, names, processor) as peers:
        peaks = Peaks(where, cases, [peer for peer in peers if peer.name.startswith(LOOPS)], ready)
        for _ in range(rounds):
            peaks.turn()
        for title, make in cases.items():
            if title in PEAKS:
                continue
            case = make()
            told = orders(title, case)
            asked, ran = list[PagePeer](), set[str]()
            for peer in peers:
                if peer.name in told and peer.does(told[peer.name]):
                    with if_right(peer.name, refused):
                        ran.add(peer.prepare(told[peer.name], case.strays, warm, least))
                        asked.append(peer)
            if len(ran) > 1:
                sys.exit(f"{title}: on several adapters, {', '.join(sorted(ran))}")
            beside: dict[str, list[float]] = {}
            if case.beside is not None:
                named = case.beside()
                its = orders(case.named, named)
                for peer in asked:
                    if peer.name.startswith(OURS) and peer.name in its:
                        peer.prepare(its[peer.name], named.strays, warm, least)
                        beside[peer.name] = []
            times: dict[str, list[float]] = {peer.name: [] for peer in asked}
            for _ in range(rounds):
                peaks.turn()
                for peer in asked:
                    times[peer.name].append(peer.time(title))
                    if peer.name in beside:
                        beside[peer.name].append(peer.time(case.named))
            about = {
                peer.name: {
                    "version": peer.version,
                    "threads": peer.threads(title),
                    "ran on": next(iter(ran)),
                }
                for peer in asked
            }
            yield from rows_of(where, title, case, times, about, beside)
            for peer in asked:
                for prepared in (title, case.named) if peer.name in beside else (title,):
                    peer.forget(prepared)
        yield from peaks.rows()


def natively(
    cases: dict[str, Make],
    names: Sequence[str],
    rounds: int,
    warm: float,
    refused: list[str],
    processor: bool = False,
) -> Iterator[Row]:
    ours = [Here(name + more) for name in (OURS, FAST) if name in names for more in ("", PARALLEL)]
    loops = [Loops(name) for name in (LOOPS, LOOPS_2) if LOOPS in names]
    for contender in (*ours, *loops):
        contender.clock = time.process_time if processor else time.perf_counter
    turn = TURN if warm else 1e-3

    def ready(side: Loops, title: str, case: Case) -> Row:
        side.prepare(title, case, warm, turn)
        return {"version": side.version, "threads": side.threads, "ran on": "CPU"}

    with others() as process:
        peaks = Peaks("native", cases, loops, ready)
        for _ in range(rounds):
            peaks.turn()
        for title, make in cases.items():
            if title in PEAKS:
                continue
            case = make()
            asked: list[tuple[str, Callable[[str], float]]] = []
            about: dict[str, Row] = {}
            for side in (*ours, *(loops if case.bound else ())):
                if (found := side.prepare(title, case, warm, turn)) is not None:
                    check(title, side.name, case, found)
                    asked.append((side.name, side.time))
                    about[side.name] = {"version": side.version, "threads": side.threads, "ran on": "CPU"}
            beside: dict[str, list[float]] = {}
            if case.beside is not None:
                named = case.beside()
                for side in ours:
                    if side.name in about and (found := side.prepare(case.named, named, warm, turn)) is not None:
                        check(case.named, side.name, named, found)
                        beside[side.name] = []
            for name, answer in process.prepare(title, case, warm, turn).items():
                with if_right(name, refused):
                    check(title, name, case, answer)
                    asked.append((name, lambda title, name=name: process.ask(time=title, by=name, processor=processor)))  # type: ignore[misc]
                    told, threads = process.contenders[name]
                    about[name] = {"version": told, "threads": threads, "ran on": "CPU"}
            times: dict[str, list[float]] = {name: [] for name, _ in asked}
            for _ in range(rounds):
                peaks.turn()
                for name, timed in asked:
                    times[name].append(timed(title))
                    if name in beside:
                        beside[name].append(timed(case.named))
            yield from rows_of("native", title, case, times, about, beside)
            for side in (*ours, *loops):
                side.forget(title)
                side.forget(case.named)
            process.ask(forget=title)
        yield from peaks.rows()


def at_first(browser: Browser, make: Make, names: Sequence[str], rounds: int) -> Iterator[Row]:
    """The first result of an addition of 256 elements, on WebAssembly."""
    case = make()
    told = {name: order for name, order in orders("first", case).items() if name in names and name in FIRST}
    times: dict[str, list[float]] = {name: [] for name in told}
    sizes: dict[str, tuple[int, int]] = {}
    for _ in range(rounds):
        for name, order in told.items():
            ms, *size = first_results(browser, "wasm", name, order)
            times[name].append(ms)
            sizes[name] = (size[0], size[1])
    about = {
        name: {
            "version": "",
            "threads": 1,
            "ran on": "WebAssembly",
            "transferred": sizes[name][0],
            "gzip": sizes[name][1],
        }
        for name in told
    }
    yield from rows_of("start", "first", case, times, about)


@click.command(help=__doc__)
@click.option("--where", multiple=True, type=click.Choice(WHERE), help="One of them.  [default: all]")
@click.option("--case", "titles", multiple=True, type=click.Choice(list(CASES)), help="One of them.  [default: all]")
@click.option("--by", "names", multiple=True, type=click.Choice(list(LIBRARIES)), help="In pages.  [default: all]")
@click.option("--seed", type=int, multiple=True, help="Five chains and two rows more, generated from this number.")
@click.option("--rounds", default=15, show_default=True, type=click.IntRange(1))
@click.option("--warm", default=WARM, show_default=True, help="Milliseconds for which each runs before it is timed.")
@click.option("--processor", is_flag=True, help="Time of the processors: natively, and on webgpu in the GPU process.")
@click.option("--json", "as_json", type=click.Path(path_type=Path), help="Where all turns are written.")
@click.option("--html", "as_html", type=click.Path(path_type=Path), help="Where a page with plots is written.")
@click.option("--compare", type=click.Path(exists=True, path_type=Path), help="The JSON of an earlier run.")
def main(
    where: tuple[str, ...],
    titles: tuple[str, ...],
    names: tuple[str, ...],
    seed: tuple[int, ...],
    rounds: int,
    warm: float,
    processor: bool,
    as_json: Path | None,
    as_html: Path | None,
    compare: Path | None,
) -> None:
    if processor and not {"webgpu", "native"}.issuperset(where or WHERE):
        sys.exit("the time of the processors is for --where webgpu and --where native")
    chosen: dict[str, Make] = {title: CASES[title] for title in titles or CASES}
    chosen |= {title: make for number in seed for title, make in generated(number).items()}
    chosen = {title: CASES[title] for title in PEAKS} | chosen
    refused: list[str] = []  # libraries with wrong results, by case
    run: dict[str, Any] = {
        "refused": refused,
        "date": str(date.today()),
        "machine": f"{os.cpu_count()} cores ({platform.machine()})",
        "load": [round(value, 1) for value in os.getloadavg()],
        "python": platform.python_version(),
        "rounds": rounds,
        "seeds": seed,
    }
    rows: list[Row] = []
    wrong: SystemExit | None = None
    try:
        if set(where or WHERE) - {"native"}:
            install()
        for place in where or WHERE:
            if place == "native":
                rows += natively(chosen, names or list(LIBRARIES), rounds, warm, refused, processor)
                continue
            with Browser(headers=CACHING) as browser:  # some of the libraries make code that a policy would forbid
                run["chromium"] = browser.version
                if place == "start":
                    rows += at_first(browser, CASES["call"], names or list(LIBRARIES), min(rounds, 7))
                else:
                    rows += in_pages(browser, place, chosen, names or list(LIBRARIES), rounds, warm, refused, processor)
    except NoBrowser as error:
        sys.exit(str(error))
    except SystemExit as error:  # what was measured before is told
        wrong = error
    run["load after"] = [round(value, 1) for value in os.getloadavg()]
    old = json.loads(compare.read_text(encoding="utf-8"))["rows"] if compare else []
    report.tables(run, rows, old)
    if as_json is not None:
        as_json.write_text(json.dumps({"run": run, "rows": rows}, indent=1) + "\n", encoding="utf-8")
    if as_html is not None:
        as_html.write_text(report.page(run, rows, old), encoding="utf-8")
    if wrong is not None:
        raise wrong


if __name__ == "__main__":
    main()
