"""Launches by way of an artifact: the program is compiled into a file, read back, and run from there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from hologram_web.backends import Limits
from hologram_web.compiler import driver
from hologram_web.errors import BackendUnavailable, CompileError, LaunchError, UnsupportedInstruction
from hologram_web.isa import Immediate
from hologram_web.plan import lowering
from hologram_web.runtime.making import load
from hologram_web.targets import wasm

from ..artifact.holo_device import FILES, HoloDevice
from ..artifact.holo_runner import CLASS_BYTES, CLASSES, Runner
from .packets import function_of, made_once

__all__ = ["FiledBackend", "FiledShaders", "HeldDevice", "LoadedBackend", "in_packets"]


@contextmanager
def in_packets(lanes: int) -> Iterator[None]:
    """Files that are made meanwhile have packets of so many lanes, wherever they can be, and no shaders."""
    FILES.clear()
    try:
        with (
            patch.object(wasm, "compile_kernel", partial(wasm.compile_kernel, packets=lanes)),
            patch.object(lowering, "lower_plan", partial(lowering.lower_plan, target="wasm")),
            patch.object(driver, "lane_function", function_of),
            made_once(),
        ):
            yield
    finally:
        FILES.clear()


class HeldDevice(HoloDevice):
    """Refuses what no artifact holds."""

    def __init__(self, runner: Any, limits: Limits | None) -> None:
        super().__init__(runner)
        self.limits = limits or Limits()

    def execute_program_with_params(self, program: Any, params: Any) -> None:
        """Raises UnsupportedInstruction for what no artifact holds, such as counts of more than 53 bits."""
        try:
            super().execute_program_with_params(program, params)
        except LaunchError as error:
            if "leaves the range of 53 bits" not in str(error):
                raise
            raise UnsupportedInstruction(None, str(error)) from None
        except CompileError as error:
            if "a plan cannot hold it" not in error.reason:
                raise
            raise UnsupportedInstruction(error.instruction, error.reason) from None


class FiledBackend(HeldDevice):
    """The WebAssembly of a file, run by the second reader of artifacts that the tests have."""

    name = "file"

    def __init__(self, limits: Limits | None = None, runner: Any = Runner) -> None:
        super().__init__(runner, limits)
        self.classes = np.zeros((CLASSES, CLASS_BYTES), np.uint8)

    def class_memory(self, number: int) -> Any:
        return self.classes[number]

    def reset_class_memory(self) -> None:
        self.classes[:] = 0

    def run(self, runner: Any, scalars: Any, arrays: Any) -> Any:
        """A run has class memory of its own: it is given what is there, and asked for it."""
        runner.put(runner.classes, self.classes.tobytes())
        found = runner.run(scalars, arrays)
        left = runner.get(runner.classes, self.classes.nbytes)
        self.classes[:] = np.frombuffer(left, np.uint8).reshape(self.classes.shape)
        return found


class FiledShaders(FiledBackend):
    """The WGSL of a file on wgpu, run by that reader."""

    name = "file-webgpu"

    def __init__(self, limits: Limits | None = None) -> None:
        try:
            from ..artifact.holo_gpu import GpuRunner, device

            gpu = device()
        except Exception as error:
            raise BackendUnavailable(self.name, str(error)) from None
        super().__init__(limits, partial(GpuRunner, gpu=gpu))


class _Loaded:
    """In the place of a runner of artifacts: `hologram_web.load`, and a device."""

    def __init__(self, device: Any, raw: bytes) -> None:
        self.device, self.compiled = device, load(raw)

    def run(self, scalars: dict[str, int], arrays: dict[str, Any]) -> dict[str, Any]:
        given: dict[str, Any] = {name: np.frombuffer(data, np.uint8) for name, (data, _) in arrays.items()}
        for port in self.compiled.ports:
            if port.access is None:
                given[port.name] = Immediate(port.ty, scalars[port.name])
        found = self.compiled.run(self.device, **given)
        written = [port.name for port in self.compiled.ports if port.access is not None and port.access.writes]
        outputs = found if len(written) != 1 else {written[0]: found}
        return {name: (array.tobytes(), array.shape) for name, array in outputs.items()}


class LoadedBackend(HeldDevice):
    """Files on a device of ours, which compiles their programs."""

    def __init__(self, device: Any) -> None:
        super().__init__(lambda raw, steps, seconds: _Loaded(device, raw), device.limits)
        self.device = device
        self.class_memory, self.reset_class_memory = device.class_memory, device.reset_class_memory
