"""Filetests in packets of 4, 8 and 16 lanes, wherever they can be: what they leave, and what faults name.

    python -m tests.widths
    python -m tests.widths --of 10 --only memory/ --devices quick-wasm4x2,quick-wasm8

`--of N` takes every Nth run line of those with the text of `--only` in their names. What differs is listed, and the
exit status is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

from .filetest import FOLDER, Case, load
from .filetest_run import check
from .fuzz.devices import open_devices

__all__ = ["WIDTHS", "cases", "differences"]

WIDTHS = ("wasm4x2", "wasm8", "wasm16x2")


def cases(only: str = "", of: int = 1) -> Iterator[Case]:
    """Those that run on wasm."""
    number = 0
    for path in sorted(FOLDER.glob("**/*.atlas")):
        test = load(path)
        if test.runs_on("wasm"):
            for case in test.cases():
                if case.run is not None and only in case.id:
                    if number % of == 0:
                        yield case
                    number += 1


def differences(names: tuple[str, ...], chosen: Iterator[Case]) -> tuple[int, list[str]]:
    """How many run lines there were, and where a device did something else."""
    opponents = open_devices(list(names))
    count, found = 0, []
    for case in chosen:
        count += 1
        for opponent in opponents:
            try:
                check(case.launch("wasm"), opponent.device)
            except Exception as error:  # whatever it is, it is a finding
                found.append(f"{case.id} on {opponent.name}: {type(error).__name__}: {error}")
    return count, found


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.widths", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", default=",".join(WIDTHS), help="%(default)s")
    parser.add_argument("--only", default="", help="text in the names")
    parser.add_argument("--of", type=int, default=1, help="every so manieth")
    options = parser.parse_args(words)
    start = time.process_time()
    count, found = differences(tuple(options.devices.split(",")), cases(options.only, options.of))
    print(*found, f"{count} run lines on {options.devices}: {len(found)} differ", sep="\n")
    print(f"{time.process_time() - start:.0f} s of processor time")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
