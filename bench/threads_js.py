"""`python -m bench.threads_js`: the runtime of pages with two threads beside one, in turns, in Node and in an isolated
page of Chromium, with the kernels of bench/threads.py; and two workers of no library beside one, as a control.

Results are compared before anything is timed. Beside the medians of all rounds stand the least times, and the medians
of those rounds in which the control gained 1.7 at least: in others, other work had the second processor.
"""

# mypy: ignore-errors

from __future__ import annotations

from statistics import median
from typing import Any

import click

from bench.launch_js import in_node
from e2e import crews
from e2e.browser import WITH_WORKERS, Browser
from examples.edges.chromium import bundle

_ENOUGH = 1.7


def _tell(where: str, found: dict[str, Any]) -> None:
    times, threads = found["found"], found["threads"]
    one, two = times.pop("control")
    free = [k for k, (a, b) in enumerate(zip(one, two, strict=True)) if a / b >= _ENOUGH]
    click.echo(
        f"\n{where}, {threads['number']} threads ({threads['reason']}); control {median(one) / median(two):.2f},"
    )
    click.echo(f"{_ENOUGH} or more in {len(free)} of {len(one)} rounds")
    click.echo(f"{'':22} {'one, us':>10} {'two, us':>10} {'ratio':>6} {'of least':>8} {'free rounds':>11}")
    for name, (a, b) in times.items():
        least = min(a) / min(b)
        freed = f"{median(a[k] for k in free) / median(b[k] for k in free):.2f}" if free else "none"
        middle = median(a), median(b)
        row = f"{1000 * middle[0]:10.0f} {1000 * middle[1]:10.0f} {middle[0] / middle[1]:6.2f} {least:8.2f}"
        click.echo(f"{name:22} {row} {freed:>11}")


@click.command()
@click.option("--rounds", default=101, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    """Two threads beside one, from JavaScript."""
    bundle()
    crews.write()
    _tell("Node", in_node({"rounds": rounds}, "crews.mjs"))
    with Browser(headers=WITH_WORKERS) as browser:
        for place in ("page", "worker"):
            found = browser.run("crews.mjs", place, 560, rounds=rounds).json
            _tell(f"Chromium {browser.version}, {place}", found)


if __name__ == "__main__":
    main()
