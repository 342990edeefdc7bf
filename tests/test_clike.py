"""The base for languages like C carries a second one: OpenCL C by a table of its own gives what filetests expect."""

from __future__ import annotations

import shutil

import pytest

from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.verify import analyze

from .clike_c import CBackend, opencl
from .filetest import FOLDER, load
from .filetest_run import check

NAMES = (
    "control/irreducible", "control/irreducible_three", "control/loop_swap", "control/loop_break", "control/phi_order",
    "control/loop_nested", "arithmetic/add", "arithmetic/div_signed", "arithmetic/small_results", "arithmetic/fma",
    "arithmetic/div_float", "data/cvt_float_int", "logic/rotl", "transcendental/exp",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_filetests_give_the_same_in_opencl(name, tmp_path):
    """Where there is no C compiler the texts are written, and not run. A golden text is to be read."""
    runs, seen = shutil.which("cc") is not None, set()
    for case in load(FOLDER / f"{name}.atlas").cases():
        if case.run is not None and (case.ty, case.source) not in seen and not case.program().problems():
            seen.add((case.ty, case.source))
            assert "kernel void" in opencl(optimize(build(analyze(case.program()), (8, 1, 1))))
            if runs:
                check(case.launch("cpu"), CBackend(tmp_path))
    assert seen
