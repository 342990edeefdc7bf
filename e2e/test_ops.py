"""Operations that JavaScript calls by their names, in pages, beside what their files give natively: each third of the
files, all of them with E2E_STEP=1."""

from __future__ import annotations

import os
import shutil
from typing import Any

import numpy as np
import pytest

from hologram_web.backends import WasmBackend
from hologram_web.isa import Type
from hologram_web_tools.build_ops import OPERATIONS, compiled, files, write_modules
from tests.test_build_ops import options_of, some_for

from .browser import ROOT, Browser

pytestmark = pytest.mark.timeout(600)

FOLDER = ROOT / "build" / "ops"
NUMPY = {"f32": np.float32, "i32": np.int32, "f16": np.float16}
TYPES = {np.dtype(ty): name for name, ty in NUMPY.items()}


def _these() -> dict[str, tuple[str, Type]]:
    return dict(list(files().items())[:: int(os.environ.get("E2E_STEP", "3"))])


@pytest.fixture(scope="module")
def calls() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What is called, and what its file gives natively."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    left_out = shutil.ignore_patterns("*.map", "*.d.ts", "ops", "stdlib")
    shutil.copytree(ROOT / "web" / "dist", FOLDER, ignore=left_out)
    programs = {file: compiled(*which) for file, which in _these().items()}
    write_modules(FOLDER / "ops", ((file, program.to_bytes()) for file, program in programs.items()))
    found = []
    for file, (name, ty) in _these().items():
        given, options = some_for(name, ty), options_of(name)
        arrays = [
            {"dtype": TYPES[each.dtype], "data": each.ravel().tolist(), "shape": each.shape} for each in given.values()
        ]
        result = programs[file].run(WasmBackend(), **given, **options)
        along = {"axis": 1} if next(iter(OPERATIONS[name].shapes.values()))[::2] == ("outer", "inner") else {}
        call = {"name": name, "arrays": arrays, "options": options | along}
        found.append((call, result if isinstance(result, dict) else {"out": result}))
    return found


@pytest.mark.parametrize("backend", ["wasm", "webgpu"])
def test_all_in_a_page(browser: Browser, calls: Any, backend: str) -> None:
    asked = [call for call, _ in calls]
    found = browser.run("ops.mjs", folder="/build/ops", backend=backend, calls=asked).json
    for (call, wanted), results in zip(calls, found, strict=True):
        assert set(results) == set(wanted), call["name"]
        for key, array in wanted.items():
            told = results[key]
            assert (told["dtype"], tuple(told["shape"])) == (TYPES[array.dtype], array.shape), call["name"]
            have = np.array(list(map(float, told["data"])), array.dtype).reshape(array.shape)
            if backend == "wasm" or array.dtype.kind == "i":
                np.testing.assert_array_equal(have, array, err_msg=call["name"])
            else:
                near = 2e-3 if array.dtype == np.float16 else 1e-5
                np.testing.assert_allclose(have, array, rtol=near, atol=near, err_msg=call["name"])
