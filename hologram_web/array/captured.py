"""What functions of arrays take from around them: names for it."""

from __future__ import annotations

import inspect
import re
from typing import Any

from ..plan.formula import OPERATORS
from ..runtime.executor import Buffer
from .array import Array
from .nested import flattened, paths

__all__ = ["captured_by"]

_NO_NAME = re.compile(r"[^A-Za-z0-9_$.]")


def captured_by(fn: Any) -> dict[int, str]:
    """The names that arrays have around a function and those that it calls, with the way to them in trees: by the id of
    the Buffer."""
    found: dict[int, str] = {}
    waiting, seen = [fn], set[int]()
    while waiting:
        plain = getattr(waiting[0], "__func__", waiting[0])  # of a method
        del waiting[0]
        if not inspect.isfunction(plain) or id(plain) in seen:
            continue
        seen.add(id(plain))
        around = inspect.getclosurevars(plain)
        for name, value in {**around.globals, **around.nonlocals}.items():
            waiting += [value.inlined] if hasattr(value, "inlined") else []
            leaves, form = flattened(value)
            for path, leaf in zip(paths(form, name), leaves, strict=True):
                buffer = leaf.node.held if type(leaf) is Array else leaf
                if type(buffer) is Buffer and path not in OPERATORS:
                    found.setdefault(id(buffer), _NO_NAME.sub("_", path)[:100])
    return found
