"""Translates and compiles the tensor library for WebAssembly, for the wheel: `hologram_web/library.bin`.

    python -m hologram_web_tools.precompiled [FILE]
    python -m hologram_web_tools.precompiled --pages FILE

Each collective is run once at typical sizes, exactly and with `math="fast"`, in an empty cache folder. What that holds
then are the programs and kernels that first calls of who installs the wheel find (hologram_web/store/disk.py). Most
depend on no size, but on types, flags and tiles. Machine code is not in it: it is of one processor and one wasmtime.
Keys are those of the package that is imported, so tools/release.py runs this on the wheel that it built.

With `--pages` FILE is what tools/page_wheel.mjs makes the library of pages of: nothing is run, but compiled for both of
their devices.
"""

from __future__ import annotations

import marshal
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import hologram_web as hg
from hologram_web.store.disk import LIBRARY, Library

from .typical import CALLS, PARAMS, page_library

_FILES = ("program", "wasm")


def make(path: Path) -> int:
    """Writes the file; how many programs and kernels it has."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOLOGRAM_WEB_CACHE": "on", "HOLOGRAM_WEB_CACHE_DIR": folder}
        path.unlink(missing_ok=True)  # one that is there would be found
        for math in ("exact", "fast"):
            executor = hg.Executor("wasm", math=math)
            args = arguments(executor)
            for text in CALLS.values():
                executor.run(hg.Program.from_text(f"{PARAMS}    {text}"), 1, alpha=2.0, **args)
        library = Library(path)
        library.write(each for each in Path(folder).iterdir() if each.suffix[1:] in _FILES)
        return len(library)


def arguments(executor: hg.Executor) -> dict[str, Any]:
    """Arrays for all of the calls, on a device."""
    found = {name: executor.array(np.ones(65_536, np.float32)) for name in ("a", "b", "c", "bias")}
    found |= {"i": executor.array(np.zeros(65_536, np.int32)), "p": executor.array(np.arange(65_536, dtype=np.int32))}
    return found | {"q": executor.array(np.ones(65_536, np.int8)), "h": executor.array(np.ones(65_536, np.float16))}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pages"]:
        os.environ["HOLOGRAM_WEB_CACHE"] = "off"
        Path(sys.argv[2]).write_bytes(marshal.dumps(page_library(), 2))
        sys.exit()
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else LIBRARY
    print(f"{make(target)} programs and kernels in {target}, {target.stat().st_size:,} bytes")
