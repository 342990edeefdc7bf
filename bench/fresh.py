"""How long a fresh page takes to its first result, which `make run` tells too, and nothing else.

    python -m bench.fresh [--rounds 3] [--beside ../other/web/dist]

A page is a new tab of a browser that runs, with nothing cached: nine of them in a round for each device. With
`--beside` pages take the runtime of another folder, too, in turns.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections import defaultdict
from pathlib import Path
from statistics import median

from examples.edges.chromium import ROOT, Chromium, bundle, fresh_pages
from examples.edges.pictures import photograph
from examples.edges.tasks import Settings, make_tasks, save

FOLDER = ROOT / "build" / "fresh"
OTHER = FOLDER / "other"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--beside", type=Path)
    given = parser.parse_args()
    bundle()
    save(make_tasks(photograph(), Settings()), FOLDER / "edges")
    runtimes = {"here": "/web/dist"}
    if given.beside:
        shutil.rmtree(OTHER, ignore_errors=True)
        shutil.copytree(given.beside, OTHER)
        runtimes["beside"] = "/build/fresh/other"
    found: dict[str, list[float]] = defaultdict(list)
    with Chromium(FOLDER / "edges") as chromium:
        for turn in range(given.rounds):
            for name in sorted(runtimes, reverse=turn % 2 == 1):
                for what, times in fresh_pages(chromium, runtimes[name]).items():
                    found[f"{what}, {name}"] += times
    print(f"ms from a page's start, at a load of {os.getloadavg()[0]:.1f}")
    for what, times in sorted(found.items()):
        print(f"{what:<28} median {median(times):6.1f}  least {min(times):6.1f}  of {len(times)}")


if __name__ == "__main__":
    main()
