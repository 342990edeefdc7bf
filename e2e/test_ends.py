"""What ends runs on WebGPU in a page: a signal, the clock; and the runs behind them."""

from __future__ import annotations

import pytest

import hologram_web as hg

from .browser import Browser, NoBrowser
from .cases import BUILD

pytestmark = pytest.mark.timeout(300)

NESTED = """
def nested(y: hg.Array[hg.u32]):
    i = hg.global_id()
    for a in range(2000000000):
        for b in range(2000000000):
            y[i] ^= hg.u32(a + b)
"""
ROUNDS = """
def rounds(y: hg.Array[hg.u32], n: hg.i32):
    i = hg.global_id()
    for a in range(n):
        y[i] += hg.u32(1)
"""
LATE = "the launch did not end within 1 seconds: does a loop not end? run(args, { seconds }) allows more time"


@pytest.mark.parametrize("where", ["page", "worker"])
def test_runs_end(where: str) -> None:
    BUILD.mkdir(parents=True, exist_ok=True)
    for name, text in (("nested", NESTED), ("rounds", ROUNDS)):
        compiled = hg.compile(hg.kernel_from_source(text).program, grid="n_", shapes={"y": ("n_",)})
        compiled.save(BUILD / f"{name}.holo")
    try:
        with Browser() as browser:
            found = browser.run("ends.mjs", where, 240).json
    except NoBrowser as error:
        pytest.skip(str(error))
    for name in ("before", "afterAborted", "afterLate", "afterParts"):
        assert found[name] == [3, 3, 3, 3], name
    assert found["divided"]
    for name in ("aborted", "abortedInParts"):
        assert (found[name]["kind"], found[name]["message"]) == ("Cancelled", "Cancelled: the launch was cancelled")
        assert found[name]["milliseconds"] < 6000  # well before the clock; half a second where nobody else works
    # The clock of the page, or the lanes' patience, which says where.
    assert found["late"]["kind"] == "StepLimit"
    assert LATE in found["late"]["message"]
