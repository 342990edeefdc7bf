"""`python -m examples.edges`: run the plans everywhere, print the table, write the report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.table import Table

import hologram_web as hg
from hologram_web.store.store import compiled_store

from . import reference
from .chromium import CHROMIUM, ROOT, Chromium, Figure, InChromium, figures
from .pictures import CREDIT, photograph
from .report import write_report
from .rows import NATIVE, Expected, Native, Row, Runner, Scipy, measure
from .tasks import HIGH, LOW, ROUNDS, Settings, Task, make_tasks, save

console = Console(highlight=False, width=None if sys.stdout.isatty() else 130)

_NAMES = {
    **{name: name for name in NATIVE},
    **{f"{'pyodide' if python else 'js'}-{backend}": title for title, (backend, python) in CHROMIUM.items()},
}


@click.command()
@click.option(
    "--device",
    "names",
    multiple=True,
    type=click.Choice(list(_NAMES)),
    help="A row to run; may be given several times.  [default: all]",
)
@click.option("--out", default="build/report", show_default=True, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--photo",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A picture of your own.  [default: the photograph in scikit-image]",
)
@click.option("--low", default=LOW, show_default=True, help="Edges go on above that many grey levels a pixel ...")
@click.option("--high", default=HIGH, show_default=True, help="... and start above that many.")
@click.option(
    "--grow", default=ROUNDS, show_default=True, type=click.IntRange(0), help="How often edges grow by two pixels."
)
@click.option(
    "--rounds",
    default=5,
    show_default=True,
    type=click.IntRange(0),
    help="Runs after the first, of every device in turn; the median counts.",
)
def main(
    names: tuple[str, ...], out: Path, photo: Path | None, low: float, high: float, grow: int, rounds: int
) -> None:
    """Find the edges in a photograph, on every device, and compare each stage with SciPy.

    The exit status is 1 if a pixel differs or a device does not run, and 2 for wrong arguments.
    """
    folder = out.resolve()
    if not folder.is_relative_to(ROOT / "build"):
        raise click.UsageError(f"--out is a folder below {ROOT / 'build'}: pages fetch what is in it")
    try:
        picture = photograph() if photo is None else _read(photo)
        tasks = make_tasks(picture, Settings(low, high, grow))
        save(tasks, folder)
    except (hg.HologramError, OSError) as error:
        raise click.UsageError(f"{type(error).__name__}: {error}") from None
    scipy, *rows, found = run(tasks, folder, names or tuple(_NAMES), rounds)
    page = write_report(folder, picture, tasks, scipy, rows, found, CREDIT if photo is None else photo.name)
    console.print(_table(rows, scipy))
    for row in rows:
        if row.error:
            console.print(f"{row.title}: {row.error}", style="red", markup=False)
        for task, planes in row.differing.items():
            if wrong := ", ".join(f"{count:,} in {name}" for name, count in planes.items() if count):
                console.print(f"{row.title}, {task}: {wrong}", style="red", markup=False)
    if found:
        console.print(_figures(found))
    console.print(_growth(tasks["stages"], scipy))
    console.print(_compiled(rows))
    console.print(f"the pictures: {page}", soft_wrap=True)
    sys.exit(0 if all(row.good for row in rows) else 1)


def run(tasks: dict[str, Task], folder: Path, names: Sequence[str], rounds: int) -> tuple[Any, ...]:
    """The rows by these names, after the one of SciPy, and the figures, if all rows in Chromium are wanted."""
    runners: list[Runner] = [Scipy(), *(Native(name, folder) for name in NATIVE if name in names)]
    with ExitStack() as stack:
        chromium = stack.enter_context(Chromium(folder))
        pages = [InChromium(title, chromium) for name, title in _NAMES.items() if name in names and title in CHROMIUM]
        status = stack.enter_context(console.status("")) if console.is_terminal else None
        scipy, *rows = measure([*runners, *pages], tasks, rounds, status.update if status else lambda _: None)
        found = figures(chromium, pages) if len(pages) == len(CHROMIUM) else []
    floats = {name: value for name, value in tasks["floats"].args.items()}
    exact = reference.float_planes(**floats, dtype=np.float64)
    for row in rows:
        if not row.error:
            row.compare(Expected(scipy.planes, exact))
    return scipy, *rows, found


def _read(path: Path) -> NDArray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


def _table(rows: Sequence[Row], scipy: Row) -> Table:
    height, width = scipy.planes["edges"]["edges"].shape
    table = Table(title=f"edges of {width} x {height} pixels", title_justify="left")
    table.add_column("device")
    table.add_column("adapter", overflow="fold")
    for name in ("compile ms", "compiled", "run ms", "differing pixels", "max ULP"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for row in rows:
        colour = "green" if row.good else "red"
        cells = ("-",) * 5
        if not row.error:
            counts = f"[{colour}]{row.differing_integers:,}[/]", str(row.max_ulp)
            compiled = f"{row.compiled} of {row.compiled + row.kept}"
            cells = f"{row.compile_ms:.1f}", compiled, f"{row.ms('edges'):.1f}", *counts
        table.add_row(row.title, row.adapter, *cells, f"[{colour}]{row.verdict}[/]")
    table.caption = f"SciPy takes {scipy.ms('edges'):.1f} ms on one thread."
    table.caption_justify = "left"
    return table


def _figures(found: Sequence[Figure]) -> Table:
    table = Table(title="loading", title_justify="left")
    table.add_column("what")
    table.add_column("measured", justify="right")
    table.add_column("target", justify="right")
    table.add_column("")
    for figure in found:
        colour = "green" if figure.verdict == "met" else "red"
        table.add_row(figure.name, figure.text, figure.aim, f"[{colour}]{figure.verdict}[/]")
    return table


def _compiled(rows: Sequence[Row]) -> str:
    """What was compiled in this start, here and in pages, and what an earlier one left."""
    store = compiled_store()
    if store is None:
        return "nothing is kept for the next start"
    compiled = store.made + sum(row.compiled for row in rows if row.title not in NATIVE.values())
    kept = store.found + sum(row.kept for row in rows if row.title not in NATIVE.values())
    return f"compiled: {compiled} kernels and artifacts; {kept} were there (hologram-web cache info; cache clear)"


def _growth(task: Task, scipy: Row) -> str:
    """How far edges grew, by the reference."""
    steps, last = 1 + 2 * task.args["rounds"], int(scipy.planes["stages"]["changed"][0])
    whole = reference.connected(scipy.planes["stages"]["marks"])
    left = int(np.count_nonzero(whole != scipy.planes["stages"]["edges"]))
    if not left:
        return f"hysteresis: {steps} steps, {last} were needed; scikit-image's labels give the same edges"
    return f"hysteresis: {steps} steps are not enough, {left:,} pixels of edges are left out; try --grow"


if __name__ == "__main__":
    main()
