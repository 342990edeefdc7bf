"""`python -m examples.digits`: draws digits, trains on a device, says how many it reads, and writes a file for
JavaScript (--save) and the parameters (--weights)."""

from __future__ import annotations

import argparse
import time

import hologram_web as hg
from hologram_web import nn

from .data import drawn
from .model import accuracy, classifier, trained


def main() -> None:
    """Trains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="wasm")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--images", type=int, default=1000)
    parser.add_argument("--save", metavar="FILE.holo")
    parser.add_argument("--weights", metavar="FILE.safetensors")
    given = parser.parse_args()
    with hg.Executor(given.device) as ex:
        began = time.perf_counter()
        params, losses = trained(ex, *drawn(given.images, 1), given.epochs)
        seconds = time.perf_counter() - began
        print(
            f"{ex.backend.selected}: {given.epochs} epochs in {seconds:.1f} s, loss {losses[0]:.3f} to {losses[-1]:.3f}"
        )
        print(f"of 500 new digits {100 * accuracy(ex, params, *drawn(500, 2)):.1f} % are read")
        if given.weights:
            nn.save(params, given.weights)
        if given.save:
            classifier(ex, params).save(given.save)


if __name__ == "__main__":
    main()
