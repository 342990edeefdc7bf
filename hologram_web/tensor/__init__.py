"""The tensor library: collectives as kernels of our own language. One file for each family of operations.

`hg.tensor.softmax` and its kin are functions of kernels, one for each collective: `dir(hg.tensor)` has their names.
"""

from __future__ import annotations

from typing import Any


def __dir__() -> list[str]:
    from ..isa.collectives import COLLECTIVE_ROWS

    return [row.mnemonic for row in COLLECTIVE_ROWS]


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name not in __dir__():
        raise AttributeError(f"hologram_web.tensor has no {name!r}")
    from ..frontends.python.collective_calls import CollectiveFunction

    return CollectiveFunction(f"tensor.{name}")
