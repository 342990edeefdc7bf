"""hologram_web.testing: comparisons say where they fail, and the fixture gives every device."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.testing import assert_buffer_eq, assert_typed_buffer_eq, backend_fixture, run_program

backend = backend_fixture()
only_cpu = backend_fixture("cpu", limits=hg.Limits(steps=7), scope="module")


def _buffer(device, array):
    handle = device.allocate_buffer(np.asarray(array).nbytes)
    device.copy_to_buffer(handle, np.asarray(array))
    return handle


def test_equal_buffers(backend):
    handle = _buffer(backend, np.array([1, 2.5, math.nan, math.inf], np.float32))
    assert_buffer_eq(backend, handle, [1, 2.5, math.nan, math.inf])
    assert_buffer_eq(backend, handle, np.array([[1.000009], [2.499992]]))
    assert_buffer_eq(backend, handle, 1)
    assert_buffer_eq(backend, handle, [])
    assert_buffer_eq(backend, handle, [0x3F800000, 0x40200000], hg.u32, tolerance=0)
    wide = _buffer(backend, np.array([2**63, 1], np.uint64))
    assert_buffer_eq(backend, wide, [2**63 + 2**64], hg.u128)
    assert_buffer_eq(backend, wide, [-(2**63), 1], hg.i64, tolerance=0)
    half = _buffer(backend, np.array([0x3F80, 0xC000], np.uint16))
    assert_buffer_eq(backend, half, [1, -2], hg.bf16)


@pytest.mark.parametrize(
    ("expected", "options", "message"),
    [
        ([1, 2, 4], {}, "Buffer mismatch at index 2: expected 4, got 3.0"),
        ([1, 2.00002], {}, "Buffer mismatch at index 1: expected 2.00002, got 2.0"),
        ([1.000001], {"tolerance": 0}, "Buffer mismatch at index 0: expected 1.000001, got 1.0"),
        ([math.nan], {}, "Buffer mismatch at index 0: expected nan, got 1.0"),
        ([1, 2, 3, math.inf], {}, "Buffer mismatch at index 3: expected inf, got nan"),
        ([1, 2, 3, 0], {}, "Buffer mismatch at index 3: expected 0, got nan"),
        ([1, 2, 3, 4, 5], {}, "the buffer has 4 elements of f32, 5 are expected"),
        ([1, 2, 3], {"ty": hg.f64}, "the buffer has 2 elements of f64, 3 are expected"),
        ([0x3F800001], {"ty": hg.u32}, "Buffer mismatch at index 0: expected 1065353217, got 1065353216"),
    ],
)
def test_what_differs_is_told(backend, expected, options, message):
    handle = _buffer(backend, np.array([1, 2, 3, math.nan], np.float32))
    with pytest.raises(AssertionError) as caught:
        assert_buffer_eq(backend, handle, expected, **options)
    assert str(caught.value) == message


def test_typed_buffers(backend):
    x = hg.TypedBuffer.allocate(backend, hg.i16, 3)
    x.copy_to([1, -2, 3])
    assert_typed_buffer_eq(backend, x, [1, -2, 3])
    with pytest.raises(AssertionError) as caught:
        assert_typed_buffer_eq(backend, x, [1, -2, 2])
    assert str(caught.value) == "Typed buffer mismatch at index 2: expected 2, got 3"
    with pytest.raises(AssertionError) as caught:
        assert_typed_buffer_eq(backend, x, [1, -2])
    assert str(caught.value) == "the typed buffer has 3 elements, 2 are expected"


def test_run_program(backend):
    handle = backend.allocate_buffer(1024)
    store = [
        hg.Instruction.CVT(hg.u32, hg.u64, hg.r(1), hg.r(255)),
        hg.Instruction.STG(hg.u32, hg.Address.Register(hg.Address.Buffer(handle), hg.r(255), scale=4), hg.r(1)),
    ]
    run_program(backend, *store, config=hg.LaunchConfig.linear(3))
    assert_buffer_eq(backend, handle, [0, 1, 2, 0], hg.u32)
    run_program(backend, *store)
    assert_buffer_eq(backend, handle, np.arange(256), hg.u32)
    with pytest.raises(hg.ExecutionError):
        run_program(backend, *store, config=hg.LaunchConfig.linear(257))
    run_program(backend)


def test_options_go_to_the_device(only_cpu):
    assert only_cpu.name == "cpu"
    assert only_cpu.limits == hg.Limits(steps=7)


def test_a_device_that_is_not_there_is_skipped(pytester_file):
    outcome = pytester_file(
        """
import hologram_web as hg
from hologram_web.testing import backend_fixture

def nothing(**options):
    raise hg.BackendUnavailable("absent", "it is not there")

hg.backends.DEVICES = hg.testing.DEVICES = {"absent": nothing}
backend = backend_fixture()

def test_never(backend):
    assert False
"""
    )
    assert "1 skipped" in outcome
    assert "backend 'absent' is not available: it is not there" in outcome


@pytest.fixture
def pytester_file(tmp_path):
    """Runs a test file in a process of its own; what pytest printed."""
    import subprocess
    import sys

    def run(text):
        path = tmp_path / "test_some.py"
        path.write_text(text)
        command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(path)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout

    return run
