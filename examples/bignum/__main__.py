"""`python -m examples.bignum`: the plans on every native device, compared with Python's integers and timed."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import click
from rich.console import Console
from rich.table import Table

import hologram_web as hg

from .tasks import Task, make_tasks

console = Console(highlight=False, width=None if sys.stdout.isatty() else 110)


@click.command()
@click.option(
    "--device",
    "names",
    multiple=True,
    type=click.Choice(list(hg.backends.DEVICES)),
    help="A device to run on; may be given several times.  [default: all]",
)
@click.option("--count", default=512, show_default=True, type=click.IntRange(1), help="Numbers, or points, at least.")
@click.option(
    "--rounds", default=3, show_default=True, type=click.IntRange(1), help="Runs of each in turn; medians are shown."
)
def main(names: tuple[str, ...], count: int, rounds: int) -> None:
    """Products, powers and sums of points in the field of BN254, on every device and on Python's integers.

    The exit status is 1 if a number differs or a device does not run.
    """
    devices: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name in names or tuple(hg.backends.DEVICES):
        try:
            devices[name] = hg.backends.DEVICES[name]()
        except hg.BackendUnavailable as error:
            missing[name] = str(error)
    wrong = dict.fromkeys(devices, 0)
    table = Table(title="microseconds an operation", title_justify="left")
    for title in ("operation", "numbers", "Python", *devices):
        table.add_column(title, justify="left" if title == "operation" else "right")
    for task in make_tasks(count).values():
        table.add_row(task.name, str(task.count), *(f"{1e6 * t:,.2f}" for t in measure(task, devices, rounds, wrong)))
    table.add_row(
        "differing",
        "",
        "",
        *(f"[{'red' if count else 'green'}]{count}[/]" for count in wrong.values()),
        end_section=True,
    )
    console.print(table)
    for name, text in missing.items():
        console.print(f"{name}: {text}", style="red", markup=False)
    sys.exit(1 if missing or any(wrong.values()) else 0)


def measure(task: Task, devices: dict[str, Any], rounds: int, wrong: dict[str, int]) -> list[float]:
    """Seconds an operation takes on Python's integers and on each device, medians of processor time; what differs is
    counted in `wrong`. A run copies the arrays in and out; the first one, which compiles, does not count."""
    plan, given, expected = task.plan(), task.given(), task.expected()
    for name, device in devices.items():
        found = task.found(plan.run(device, **given))
        wrong[name] += sum(a != b for a, b in zip(found, expected, strict=True))
    ways: list[Callable[[], Any]] = [task.expected]
    ways += [lambda device=device: plan.run(device, **given) for device in devices.values()]  # type: ignore[misc]
    times: list[list[float]] = [[] for _ in ways]
    for _ in range(rounds):
        for way, found_times in zip(ways, times, strict=True):
            start = time.process_time()
            way()
            found_times.append(time.process_time() - start)
    return [statistics.median(values) / task.count for values in times]


if __name__ == "__main__":
    main()
