"""`python -m bench.orders`: what the order of its operands' axes costs TensorContract, natively on WebAssembly.

The same products, in turns in one process, by the processor's time: with axes that lie as in products, with those of a
batch in the middle, which are read where they lie, and with free axes on both sides of what is summed up, whose operand
is copied in order before. The least of each, and times what is in order takes.
"""

# mypy: ignore-errors

from __future__ import annotations

import os
from datetime import date
from functools import partial

import click
import numpy as np

import hologram_web as hg

from .turns import in_turns

__all__ = ["CASES", "text_of"]

# Shapes of a and b, what is summed up, and the batch.
CASES = {
    "in order": ("(8, 128, 128)", "(8, 128, 128)", "(2:1)", "(0:0)"),
    "batch of a in the middle": ("(128, 8, 128)", "(8, 128, 128)", "(2:1)", "(1:0)"),
    "both in the middle": ("(128, 8, 128)", "(128, 8, 128)", "(2:0)", "(1:1)"),
    "a copied": ("(8, 16, 128, 8)", "(8, 128, 128)", "(2:1)", "(0:0)"),
    "b copied": ("(8, 128, 128)", "(8, 16, 128, 8)", "(2:2)", "(0:0)"),
}
_SIZE = 8 * 128 * 128


def text_of(case: str) -> str:
    a, b, summed, batch = CASES[case]
    number = list(CASES).index(case)  # programs that read the same are one
    names = {name: f"{name}{number}" for name in "cab"}
    lines = [f".param {name}: buffer f32 {'write' if key == 'c' else 'read'}" for key, name in names.items()]
    operands = ", ".join(f"[{name}]" for name in names.values())
    return "\n".join([*lines, f"    tensor_contract.f32 {operands}, {a}, {b}, {summed}, batch_dims={batch}", ""])


@click.command(help=__doc__)
@click.option("--rounds", default=15, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    runs = {}
    with hg.Executor("wasm") as executor:
        some = np.random.default_rng(1).standard_normal(_SIZE).astype(np.float32)
        for number, case in enumerate(CASES):
            args = {f"{name}{number}": executor.array(some) for name in "cab"}
            runs[case] = partial(executor.run, hg.Program.from_text(text_of(case)), 1, **args)
            runs[case]()
        least = {case: min(each) for case, each in in_turns(runs, rounds).items()}
    print(f"{date.today()}, load {os.getloadavg()[0]:.1f}, least of {rounds} turns\n")
    print("| order | ms | times in order |\n|---|---|---|")
    for case, ms in least.items():
        print(f"| {case} | {ms:.2f} | {ms / least['in order']:.2f} |")


if __name__ == "__main__":
    main()
