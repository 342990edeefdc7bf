"""`python -m examples.edges`: run the pipeline, print the table, write the report."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import hologram_web as hg

from .code import generate
from .pipeline import CREDIT, LEVEL, PROGRAMS, REFERENCE, STAGES, Result, photograph, run
from .report import write_report

console = Console(highlight=False)


@click.command()
@click.option(
    "--device",
    "names",
    multiple=True,
    type=click.Choice(list(hg.backends.DEVICES)),
    help="A device to run on; may be given several times.  [default: all that are found here]",
)
@click.option("--out", default="build/report", show_default=True, type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--photo",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A picture of your own.  [default: the photograph in scikit-image]",
)
@click.option("--level", default=LEVEL / 256, show_default=True, help="An edge changes by more grey levels a pixel.")
@click.option(
    "--rounds",
    default=3,
    show_default=True,
    type=click.IntRange(1),
    help="Runs of a stage after the first, interleaved; the median counts.",
)
@click.option(
    "--programs",
    default=PROGRAMS,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Another folder of programs: change a copy of them and see which pixels differ.",
)
def main(names: tuple[str, ...], out: Path, photo: Path | None, level: float, rounds: int, programs: Path) -> None:
    """Find the edges in a photograph, on every device, and compare each stage with SciPy.

    The exit status is 1 if a pixel differs, and 2 if it cannot run.
    """
    try:
        loaded = {stage.name: stage.program(programs) for stage in STAGES}
        picture = photograph() if photo is None else _read(photo)
        level_q8 = round(level * 256)
        devices = list(_devices(names))
        results: list[Result] = []
        with Progress(
            TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=console, transient=True
        ) as progress:
            task = progress.add_task(STAGES[0].title, total=len(STAGES) * (len(devices) + 1))
            for result in run(devices, picture, loaded, level_q8, rounds):
                results.append(result)
                progress.update(task, advance=1, description=result.stage.title)
        height, width = picture.shape[:2]
        codes = {stage.name: generate(loaded[stage.name], stage.launch(width, height)) for stage in STAGES}
    except (hg.HologramError, OSError) as error:
        console.print(f"{type(error).__name__}: {error}", style="red", markup=False)
        sys.exit(2)
    console.print(_table(results))
    sources = {stage.name: stage.source(programs) for stage in STAGES}
    page = write_report(out, picture, results, sources, codes, CREDIT if photo is None else photo.name)
    differing = sum(result.total_differing for result in results)
    if differing:
        console.print(f"[red]{differing:,} pixels differ from SciPy's[/]")
    else:
        console.print("[green]every pixel of every stage equals SciPy's[/]")
    console.print(f"the pictures: {page}", soft_wrap=True)
    sys.exit(1 if differing else 0)


def _read(path: Path) -> NDArray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


def _devices(names: Iterable[str]) -> Iterator[hg.Backend]:
    """The devices of these names, or all that are found here. Raises BackendUnavailable for one that was asked for."""
    for name, device in hg.backends.DEVICES.items():
        if names and name not in names:
            continue
        try:
            yield device()
        except hg.BackendUnavailable as error:
            if names:
                raise
            console.print(f"{error}", style="dim", markup=False)


def _table(results: Sequence[Result]) -> Table:
    table = Table()
    table.add_column("by")
    table.add_column("stage")
    table.add_column("first, ms", justify="right")
    table.add_column("median, ms", justify="right")
    table.add_column("differing pixels", justify="right")
    for name in dict.fromkeys(result.device for result in results):
        for result in (result for result in results if result.device == name):
            count = result.total_differing
            table.add_row(
                name,
                result.stage.name,
                f"{result.first_ms:.1f}",
                f"{result.ms:.1f}",
                "-" if name == REFERENCE else f"[{'red' if count else 'green'}]{count:,}[/]",
                end_section=result.stage is STAGES[-1],
            )
    return table


if __name__ == "__main__":
    main()
