"""Bad input: a typed error with its whole text, and the next launch works."""

# mypy: ignore-errors

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import pytest

import hologram_web as hg
from hologram_web.backends import DEVICES, IN_PAGE

from .programs import saxpy

SIGNATURE = "(a: f32, x: Array[f32], y: Array[f32])"


@hg.kernel
def shift(x: hg.Array[hg.f32]):
    i = hg.global_id()
    value = x[i + 1]
    x[i] = value


@hg.kernel
def next_column(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32]):
    r, c = hg.global_id(1), hg.global_id(0)
    y[r * 4 + c] = x[r, c + 1]


@hg.kernel
def endless(x: hg.Array[hg.u32]):
    n = x[0]
    while n < 10:
        x[0] = n


@pytest.fixture(params=["wasm", "webgpu"])
def device(request: pytest.FixtureRequest) -> Any:
    """A device, on which a launch works afterwards."""
    try:
        found = DEVICES[request.param](limits=hg.Limits(steps=10_000))
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))
    yield found
    x, y = array("f", range(10)), array("f", [1.0] * 10)
    saxpy.on(found)[10](2.0, x, y)
    assert y.tolist() == [2.0 * k + 1 for k in range(10)]
    found.close()


def F(*values: float) -> array[float]:
    return array("f", values)


# In a page NumPy is not there.
WHAT = "an array.array, a memoryview, a typed array" if IN_PAGE else "a NumPy array"
NUMPYS = "{1}; f32 is expected: give {0}.astype('float32')"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ((1.0, F(1)), f"parameter 'y' is missing: the kernel takes {SIGNATURE}"),
        ((1.0, F(1), F(1), 1), f"4 arguments are given; 3 are expected: the kernel takes {SIGNATURE}"),
        (
            (1.0, array("d", [1]), F(1)),
            f"x has dtype {'f64; f32 is expected' if IN_PAGE else NUMPYS.format('x', 'float64')}",
        ),
        ((1.0, [1.0], F(1)), f"x is a list; Array[f32] is expected: give {WHAT} or a Buffer"),
        (("2", F(1), F(1)), "a is '2'; f32 is expected, a number"),
        (
            (1.0, F(1), bytes(4)),
            f"y has dtype {'u8; f32 is expected' if IN_PAGE else NUMPYS.format('y', 'uint8')}",
        ),
        (
            (1.0, F(1), memoryview(F(1)).toreadonly()),
            "y is read-only, and the kernel writes it: give a copy",
        ),
        (
            (1.0, F(1), memoryview(bytearray(16)).cast("f", (2, 2))),
            "y has 2 axes; 1 axis is expected",
        ),
    ],
    ids=["missing", "too many", "dtype", "list", "scalar", "bytes", "read-only", "axes"],
)
def test_arguments_that_do_not_fit(device: Any, args: Any, text: str) -> None:
    with pytest.raises(hg.LaunchError) as caught:
        saxpy.on(device)[1](*args)
    assert str(caught.value) == text


def test_an_index_out_of_range(device: Any) -> None:
    x = F(1, 2, 3)
    with pytest.raises(hg.ExecutionError) as caught:
        shift.on(device)[3](x)
    later = "" if IN_PAGE or device.name == "wasm" else " (launch 1 of this backend, shift)"
    assert str(caught.value) == (
        "OutOfBounds at instruction 2, lane 2: 4 bytes at offset 12 (index 3) "
        "are outside buffer x, which has 12 bytes (3 elements): check "
        f"the index against the length, in ldg.f32 r4, [x + r3*4 + 4]{later}"
    )
    assert (caught.value.kind, caught.value.buffer, caught.value.offset) == ("OutOfBounds", "buffer x", 12)
    assert "value = x[i + 1]" in caught.value.__notes__[0]
    assert x.tolist() == [1, 2, 3]


def test_an_index_beyond_its_axis(device: Any) -> None:
    x, y = memoryview(F(*range(12))).cast("B").cast("f", (3, 4)), F(*[0.0] * 12)
    launch = next_column.on(device)
    launch[(3, 3), (4, 4)](x, y)
    assert y.tolist() == [1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0]
    with pytest.raises(hg.ExecutionError) as caught:
        launch[(4, 1), (4, 4)](x, y, partial=True)
    later = "" if IN_PAGE or device.name == "wasm" else " (launch 2 of this backend, next_column)"
    at = caught.value.instruction
    assert str(caught.value) == (
        f"OutOfBounds at instruction {at}, lane 3: index 4 of axis 1 of x is beyond its length, which is 4: "
        f"check the index against the length, in {next_column.program.instructions[at]}{later}"
    )
    assert (caught.value.kind, caught.value.buffer, caught.value.offset) == ("OutOfBounds", None, None)
    assert caught.value.__notes__[0].endswith(": y[r * 4 + c] = x[r, c + 1]")


def test_a_loop_that_does_not_end(device: Any) -> None:
    with pytest.raises(hg.ExecutionError) as caught:
        endless.on(device)[1](array("I", [1]))
    assert caught.value.kind == "StepLimit"
    detail = "a lane went around loops more than 10000 times: does a loop not end?"
    assert detail in str(caught.value)


def test_a_fault_of_a_program_with_handles(device: Any) -> None:
    x = device.allocate_buffer(40)
    program = hg.Program.from_text(f"ldg.u32 r10, [buffer #{x.id} + r255*4]\nstg.u32 [buffer #{x.id} + r255*4], r10")
    device.execute_program(program, hg.LaunchConfig.linear(10))
    device.sync()
    with pytest.raises(hg.ExecutionError) as caught:  # noqa: PT012
        device.execute_program(program, hg.LaunchConfig.linear(11))
        device.sync()
    assert caught.value.buffer == f"buffer #{x.id}"
    assert str(caught.value).startswith(
        "OutOfBounds at instruction 0, lane 10: 4 bytes at offset 40 (index 10) "
        f"are outside buffer #{x.id}, which has 40 bytes (10 elements): "
        f"check the index against the length, in ldg.u32 r10, [buffer #{x.id} + r255*4]"
    )


def test_buffers_that_are_not_there(device: Any) -> None:
    x = device.allocate_buffer(4)
    device.free_buffer(x)
    with pytest.raises(hg.InvalidBuffer) as caught:
        device.copy_from_buffer(x)
    told = (
        f"BufferHandle(id={x.id}) is no buffer of this {device.name} backend: it was freed, or another backend made it"
    )
    assert str(caught.value) == told
    y = device.allocate_buffer(4)
    with pytest.raises(hg.InvalidBuffer, match="8 bytes at offset 0 do not fit a buffer of 4 bytes"):
        device.copy_to_buffer(y, bytes(8))
    with pytest.raises(TypeError, match="give bytes, an array or another object with the buffer protocol"):
        device.copy_to_buffer(y, 7)
    device.free_buffer(y)


def test_memory_that_cannot_be_had(device: Any) -> None:
    with pytest.raises(hg.AllocationFailed):  # noqa: PT012
        device.allocate_buffer(1 << 50)
        device.sync()
    with pytest.raises(hg.AllocationFailed, match="a size is a number of bytes from 0 on, not -1"):
        device.allocate_buffer(-1)


def test_ways_to_compute_that_there_are_not(device: Any) -> None:
    x = device.allocate_buffer(8)
    params = hg.ExecutionParams(hg.LaunchConfig.linear(1), {"x": x}, math="precise")
    program = hg.kernel_from_source("def k(x: hg.Array[hg.f64]):\n    x[0] = 1.0\n").program
    with pytest.raises(hg.LaunchError, match="math is 'exact', 'fast' or 'strict', not 'precise'"):
        device.execute_program_with_params(program, params)
    device.free_buffer(x)


def test_devices_that_are_not_there() -> None:
    with pytest.raises(hg.BackendUnavailable) as caught:
        hg.Executor("cuda")
    assert str(caught.value).startswith(
        "backend 'cuda' is not available: this release has no such device: WebGpuBackend"
    )
    if IN_PAGE:
        kernel = hg.kernel_from_source("def k(x: hg.Array[hg.i32]):\n    x[0] = 1\n")
        needing: tuple[Callable[[], object], ...] = (
            lambda: hg.Executor("cpu"),
            lambda: kernel.steps[1](array("i", [0])),
            lambda: kernel.debug[1](array("i", [0])),
        )
        for call in needing:
            with pytest.raises(hg.BackendUnavailable) as caught:
                call()
            assert str(caught.value) == (
                "backend 'cpu' is not available: there is no module 'numpy' here: await pyodide.loadPackage('numpy')"
            )


@pytest.mark.page  # natively tests/test_selection.py has it
def test_no_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    import js  # type: ignore[import-not-found]

    gpu = getattr(getattr(js, "navigator", None), "gpu", None)
    if gpu is None:
        text = "no navigator.gpu: it needs WebGPU, and https or localhost"
    else:
        text = "the browser has no adapter"
        monkeypatch.setattr(gpu, "requestAdapter", _nothing())
    with pytest.raises(hg.BackendUnavailable) as caught:
        hg.Executor("webgpu")
    assert str(caught.value) == f"backend 'webgpu' is not available: {text}"
    executor = hg.Executor("auto")
    assert executor.backend.selected == "wasm"
    assert executor.backend.reason == f"the fast device of processors; webgpu: {text}"


def _nothing() -> Any:
    """A function of JavaScript that gives a promise of null."""
    from pyodide.ffi import create_proxy, jsnull  # type: ignore[import-not-found]

    async def nothing(*_: Any) -> Any:
        return jsnull

    return create_proxy(nothing)


def test_kernels_that_cannot_be_translated() -> None:
    with pytest.raises(hg.TranslateError) as caught:
        hg.kernel_from_source("def k(x: hg.Array[hg.f32]):\n    x[0] = yield\n", file="cell")
    assert str(caught.value).startswith("cell:2:12: ")
    assert str(caught.value).endswith("\n    x[0] = yield\n           ^")


def test_artifacts_that_are_damaged() -> None:
    whole = hg.compile(saxpy.program, grid=4).to_bytes()
    assert hg.load(whole).to_bytes() == whole
    for raw, text in (
        (whole[:-1], "cut off"),
        (b"", "they do not start with HOLO"),
        (whole[:1000] + bytes([whole[1000] ^ 1]) + whole[1001:], "its hash does not fit"),
    ):
        with pytest.raises(hg.ArtifactError, match=text):
            hg.load(raw)


def test_a_fault_is_told_to_who_awaits(device: Any, wait: Callable[[Any], Any]) -> None:
    with hg.Executor(device.name) as ex:
        x = ex.array(F(1, 2, 3))

        async def run_and_read() -> Any:
            ex.run(shift.program, 3, x=x)
            return await x.read()

        with pytest.raises(hg.ExecutionError, match="OutOfBounds"):
            wait(run_and_read())
        assert ex.array(F(4)).numpy().tolist() == [4]


@pytest.mark.page  # natively tests/conformance.py has it
def test_what_was_sent_can_be_cancelled(device: Any) -> None:
    x = device.allocate_buffer(12)
    params = hg.ExecutionParams(hg.LaunchConfig.linear(2), {"x": x})
    device.cancel()  # nothing runs: does nothing
    device.execute_program_with_params(shift.program, params)
    device.sync()
    device.execute_program_with_params(shift.program, params)
    device._submit()
    device.cancel()
    with pytest.raises(hg.ExecutionError) as caught:
        device.sync()
    assert str(caught.value) == "Cancelled: the launch was cancelled"
    device.free_buffer(x)
