"""Every filetest as a file: each launch is made a plan, saved, and run from the WebAssembly that is stored in it."""

from __future__ import annotations

import re
from functools import cache

import pytest

from hologram_web.errors import CompileError

from ..filetest import FOLDER, Raises, load
from ..filetest_run import check
from .holo_device import HoloDevice

# What a plan without a clock cannot do, with the error or the reason.
LEFT_OUT = {
    "faults/step_limit_time.atlas:11": (AssertionError, "the fault StepLimit is expected, not None"),
    # A file has it, for meshes: that its code has no such kernel is told with another text.
    "tensor/all_reduce_devices.atlas:6": (AssertionError, "CompileError is expected, not LaunchError"),
}


@cache
def files():
    return [test for test in map(load, sorted(FOLDER.glob("**/*.atlas"))) if test.values("run")]


def _other_problem(launch, device):
    try:
        check(launch, device)
    except AssertionError as error:
        return error
    return None


@pytest.mark.parametrize("test", files(), ids=lambda test: test.path)
def test_stored_code_does_what_the_filetest_says(test):
    for case in test.cases():
        if case.run is None:
            continue
        device = HoloDevice(kept="written")  # for e2e/cases.py
        launch = case.launch("wasm")
        if case.id in LEFT_OUT:
            error, text = LEFT_OUT[case.id]
            with pytest.raises(error, match=text):
                check(launch, device)
        elif isinstance(launch.expected, Raises):
            other = _other_problem(launch, device)  # than a device has: a plan knows less, and says so before
            if other is not None:
                assert re.match(r"the text is another one|.* is expected, not", str(other)), case.id
                assert isinstance(other.__cause__, CompileError), case.id
                assert type(other.__cause__).__name__ == launch.expected.name, case.id
            assert device.saved == 0
        else:
            check(launch, device)
            assert device.saved == 1
