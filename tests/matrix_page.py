"""Checks of tests/matrix.py in Pyodide, in pages of Chromium without NumPy: what is sent there, and what is done there.

NumPy, here, makes the operands and judges the results; both go as bytes.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .matrix import Check

__all__ = ["failures", "run"]

_TOGETHER = 100  # checks in a page, whose memory goes with it
_SECONDS = 3000
# Formats of a memoryview, whose numbers of bytes are the same in pages.
_FORMATS = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q",
            "f4": "f", "f8": "d"}  # fmt: skip
_FILES = ("__init__", "matrix", "matrix_cases", "matrix_page", "namespace")


class _Absent(ModuleType):
    """What NumPy is while a module is imported that uses it in functions only."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self


def _sent(array: Any) -> dict[str, Any]:
    """An array of NumPy's as JSON: complex numbers as their two parts."""
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    return {
        "format": _FORMATS[f"{parts[0].dtype.kind}{parts[0].itemsize}"], "shape": array.shape,
        "parts": [base64.b64encode(part.tobytes()).decode() for part in parts],
    }  # fmt: skip


def failures(checks: Sequence[Check], device: str) -> Iterator[tuple[Check, str]]:
    """What is wrong with each check, or nothing."""
    import numpy as np

    from e2e.browser import Browser

    from .matrix import TYPES, judged, operands
    from .where import BUNDLE, ROOT, write_bundle

    bundle = BUNDLE.with_name("matrix.zip")
    names = [f"tests/{name}.py" for name in _FILES]
    write_bundle(expected=False, path=bundle, more={name: ROOT / name for name in names})
    for first in range(0, len(checks), _TOGETHER):
        some = checks[first : first + _TOGETHER]
        given = [operands(check) for check in some]
        pairs = zip(some, given, strict=True)
        order = {"device": device, "checks": [[check, list(map(_sent, each))] for check, each in pairs]}
        with Browser() as browser:
            how = {"names": order, "bundle": f"/build/pyodide/{bundle.name}", "inside": "tests.matrix_page"}
            made = browser.run("pyodide.mjs", "page", _SECONDS, **how).json["reports"]
        for check, arrays, result in zip(some, given, made, strict=True):
            if isinstance(result, str):
                yield check, result
                continue
            found = []
            for each in result:
                name = TYPES[each["type"]][1].replace("c8", "f4").replace("c16", "f8")
                parts = [np.frombuffer(base64.b64decode(part), name) for part in each["parts"]]
                whole = parts[0] if len(parts) == 1 else parts[0] + parts[1] * 1j
                found.append((each["type"], whole.reshape(each["shape"])))
            yield check, judged(check, arrays, found)


def run(order: str) -> str:
    """The results of some checks in this interpreter, which is Pyodide's, or what was raised; both are JSON."""
    import hologram_web as hg
    from hologram_web import array_api as xp

    sys.modules["numpy"] = _Absent("numpy")
    try:
        from .matrix import Check, computed
    finally:
        del sys.modules["numpy"]

    def array(sent: dict[str, Any], ex: hg.Executor) -> Any:
        parts = []
        for part in sent["parts"]:
            view = memoryview(base64.b64decode(part))
            if 0 in sent["shape"]:  # a memoryview has no such shape
                ty = xp.asarray(memoryview(bytes(16)).cast(sent["format"]), device=ex).dtype
                parts.append(xp.zeros(tuple(sent["shape"]), dtype=ty, device=ex))
            else:
                parts.append(xp.asarray(view.cast(sent["format"], sent["shape"]), device=ex))
        return parts[0] if len(parts) == 1 else parts[0] + parts[1] * 1j

    def made(each: Any) -> dict[str, Any]:
        name = str(each.dtype)
        parts = [xp.real(each), xp.imag(each)] if name.startswith("complex") else [each]
        parts = [part.astype(hg.f32) if name in ("f16", "bf16") else part for part in parts]
        sent = [base64.b64encode(memoryview(part).tobytes()).decode() for part in parts]
        return {"type": name, "shape": each.shape, "parts": sent}

    found: list[Any] = []
    given = json.loads(order)
    with hg.Executor(given["device"]) as ex:
        for (case, ty, shape, layout), sent in given["checks"]:
            try:
                check = Check(case, ty, tuple(shape), layout)
                found.append([made(each) for each in computed(ex, check, [array(each, ex) for each in sent])])
            except Exception as error:  # every error is one that the list has to show
                found.append(f"{type(error).__name__}: {str(error)[:300]}")
    return json.dumps(found)
