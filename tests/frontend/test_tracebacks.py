"""Tracebacks end at the user's line: no frames of this package, at most 12 lines in a notebook."""

# mypy: ignore-errors

from __future__ import annotations

import asyncio
import linecache
import os
import subprocess
import sys
import traceback

import numpy as np
import pytest
from IPython.core import ultratb

import hologram_web as hg

KERNEL = """\
import numpy as np
import hologram_web as hg

@hg.kernel
def shift(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    y[i] = x[i + 1]

x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
"""
WRONG = """\
@hg.kernel
def twice(x: hg.Array[hg.f32]):
    i = hg.gloabl_id()
    x[i] *= 2
"""
CELLS = [
    "shift[4](x, y)",
    "shift[3](x, y.astype(int))",
    "shift[3](x, z=y)",
    "shift['4'](x, y)",
    "shift(x)",
    "shift.check[4](x, y)",
    "shift.on('gpu')",
    "shift.specialize(T=hg.f32)",
    "hg.compile(shift, lanes=4, grid=4)",
    "hg.compile(shift, lanes=4).run(hg.backends.WasmBackend(), x, y)",
    "hg.Executor('gpu')",
    "hg.load(b'')",
    "hg.kernel_from_source('def k(x): pass')",
    "hg.sqrt(2)",
    "hg.Array[float]",
    "hg.Constant[list]",
    WRONG,
]


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    path = tmp_path_factory.mktemp("notebook") / "kernel.py"
    path.write_text(KERNEL)
    found = {}
    exec(compile(KERNEL, str(path), "exec"), found)
    return found


def raised(cell, names):
    """The error of a cell, whose first frame is this one."""
    file = f"<cell {abs(hash(cell))}>"
    linecache.cache[file] = len(cell), None, cell.splitlines(keepends=True), file
    try:
        exec(compile(cell, file, "exec"), names)
    except hg.HologramError as error:
        return error
    raise AssertionError(f"nothing is wrong with {cell}")


@pytest.mark.parametrize("cell", CELLS)
def test_the_last_frame_is_the_line_of_the_cell(cell, names):
    error = raised(cell, names)
    frames = traceback.extract_tb(error.__traceback__)
    assert [frame.line for frame in frames[1:]] == [cell.splitlines()[0]]
    assert error.__context__ is None or error.__suppress_context__


@pytest.mark.parametrize("cell", CELLS)
def test_a_notebook_shows_twelve_lines_at_most(cell, names):
    shown = ultratb.AutoFormattedTB(mode="Context", theme_name="nocolor")
    error = raised(cell, names)
    text = shown.stb2text(shown.structured_traceback(type(error), error, error.__traceback__.tb_next))
    assert 5 < len(text.strip().split("\n")) <= 12, text
    assert str(error).split("\n")[0] in text
    assert all(note in text for note in getattr(error, "__notes__", ()))


def test_asynchronously(names):
    async def launch():
        await names["shift"].launch_async(4, names["x"], names["y"])

    with pytest.raises(hg.ExecutionError) as caught:
        asyncio.run(launch())
    assert [frame.name for frame in caught.traceback][-1] == "launch"


def test_all_frames_for_those_who_look_for_a_bug():
    """HOLOGRAM_WEB_TRACEBACK=full keeps them."""
    code = "import hologram_web as hg\nhg.sqrt(2)"
    for value, kept in (("", False), ("full", True)):
        env = {**os.environ, "HOLOGRAM_WEB_TRACEBACK": value}
        found = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
        assert ("names.py" in found.stderr) is kept


def test_numbers_of_lines_are_right_behind_cut_frames(names):
    """The same launch twice: the second goes the prepared way."""
    for _ in range(2):
        error = raised("shift[4](x, y)", names)
        assert error.__notes__[0].endswith("kernel.py:7: y[i] = x[i + 1]")
        assert len(traceback.extract_tb(error.__traceback__)) == 2
    assert np.isfinite(names["y"]).all()
