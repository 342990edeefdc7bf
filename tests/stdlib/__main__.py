"""`python -m tests.stdlib [DEVICE or SIZE ...]`: all kernels against NumPy.

By default on all devices at all boundary sizes. Sizes beyond 65,537 are for
kernels whose lanes do not go around loops.
"""

from __future__ import annotations

import sys
import time

import hologram_web as hg
from hologram_web import stdlib

from ..everywhere.stdlib_cases import BOUNDARIES, LARGEST_OF_LOOPS, LOOPS
from .reference import problem


def checked(name: str, size: int, device: hg.Backend) -> str | None:
    try:
        return problem(name, size, device)
    except hg.HologramError as error:
        return f"{name}, {size}: {type(error).__name__}: {error}"


def main(words: list[str]) -> int:
    wrong = 0
    sizes = [int(word) for word in words if word.isdecimal()] or BOUNDARIES
    for device_name in [word for word in words if not word.isdecimal()] or ["cpu", "wasm", "webgpu"]:
        device = hg.backends.DEVICES[device_name]()
        for size in sizes:
            start = time.monotonic()
            ours = [name for name in stdlib.NAMES if size <= LARGEST_OF_LOOPS or name not in LOOPS]
            found = [text for name in ours if (text := checked(name, size, device)) is not None]
            wrong += len(found)
            print(f"{device_name}, {size:,}: {len(ours)} kernels, {time.monotonic() - start:.1f} s", *found, flush=True)
    print(f"{wrong} results are not NumPy's")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
