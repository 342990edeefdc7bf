"""Runs kernels of the WGSL target on wgpu, the plain way: memories go up, one dispatch runs, everything comes back.

For tests of the target; the webgpu device keeps buffers on the GPU and batches.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import wgpu

from hologram_web.backends import fault_text
from hologram_web.backends.host_device import HostDevice
from hologram_web.backends.launch import LaunchConfig
from hologram_web.backends.protocol import Limits
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.errors import ExecutionError, FaultKind, UnsupportedInstruction
from hologram_web.isa.address import Space
from hologram_web.isa.verify import Analysis, Base
from hologram_web.targets.wgsl import FAULT_KINDS, WgslKernel, compile_kernel

__all__ = ["WgslProbe"]

_ROW = 65535


class WgslProbe(HostDevice):
    """A device over NumPy arrays whose launches run on a GPU adapter. Programs with collectives are refused."""

    name = "wgsl"

    def __init__(self) -> None:
        super().__init__(Limits(steps=1 << 26))
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
        names = [
            "max-storage-buffer-binding-size",
            "max-buffer-size",
            "max-storage-buffers-per-shader-stage",
            "max-compute-invocations-per-workgroup",
            "max-compute-workgroup-size-x",
            "max-compute-workgroup-size-y",
            "max-compute-workgroup-size-z",
            "max-compute-workgroup-storage-size",
        ]
        self.gpu = adapter.request_device_sync(required_limits={name: adapter.limits[name] for name in names})
        self.pipelines: dict[Any, tuple[WgslKernel, dict[bool, Any]]] = {}
        self.fast = 0  # launches whose accesses were proven to be in bounds

    def _reserve(self, size: int) -> np.ndarray:
        return np.zeros(size, np.uint8)

    def _release(self, memory: np.ndarray) -> None:
        pass

    def _launch(self, analysis: Analysis, config: LaunchConfig, values: Mapping[str, Any]) -> None:
        if analysis.graph.entry < 0:
            return
        for index, instruction in enumerate(analysis.program.instructions):
            if instruction.row.collective:
                raise UnsupportedInstruction(index, "the probe runs lane programs only")
        memory = self._memory_of(analysis, values)
        scalars = {p.name: values[p.name] for p in analysis.program.params if p.kind == "scalar"}
        groups: dict[int, list[Base]] = {}
        owners = [b for b in memory if b in set(analysis.bases.values())]
        for base in owners:
            inside = base.space in (Space.CLASS, Space.PHI)
            groups.setdefault(id(self._classes()) if inside else id(memory[base]), []).append(base)
        parts = list(groups.values())
        shared = analysis.program.shared_memory + config.shared_memory
        key = (id(analysis), config.block, tuple(map(tuple, parts)), shared)
        if key not in self.pipelines:
            function = optimize(build(analysis, (config.block.x, config.block.y, config.block.z)))
            kernel = compile_kernel(function, parts, shared)
            self.pipelines[key] = kernel, {}
        kernel, pipelines = self.pipelines[key]
        sizes = {base: memory[base].size for base in kernel.bases}
        fast = kernel.proves(config.grid, scalars, sizes, shared)
        self.fast += fast
        code = (kernel.fast if fast else None) or kernel.code
        if fast not in pipelines:
            stage = {"module": self.gpu.create_shader_module(code=code), "entry_point": "main"}
            pipelines[fast] = self.gpu.create_compute_pipeline(layout="auto", compute=stage)
        self._run(analysis, config, memory, scalars, kernel, pipelines[fast], code)

    def _run(
        self, analysis: Any, config: Any, memory: Any, scalars: Any, kernel: WgslKernel, pipeline: Any, code: str
    ) -> None:
        usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
        words = np.zeros(16 + kernel.words, np.uint32)
        words[:3] = config.grid
        words[4:7] = config.lanes or [g * b for g, b in zip(config.grid, config.block, strict=True)]
        shared = analysis.program.shared_memory + config.shared_memory
        words[8:12] = config.blocks, min(self.limits.steps + 1, 0xFFFFFFFF), 0, shared
        for number, (name, _) in enumerate(kernel.scalars):
            words[16 + 2 * number :][:2] = scalars[name] & 0xFFFFFFFF, scalars[name] >> 32
        for number, base in enumerate(kernel.bases):
            words[16 + 2 * len(kernel.scalars) + number] = memory[base].size
        status = self.gpu.create_buffer(size=32, usage=usage)
        arguments = self.gpu.create_buffer_with_data(data=words, usage=wgpu.BufferUsage.UNIFORM)
        buffers = [status, arguments]
        arrays = []
        for group in kernel.groups:
            inside = group[0].space in (Space.CLASS, Space.PHI)
            array = self._classes() if inside else memory[group[0]]
            arrays.append(array)
            padded = np.zeros(max(-(-array.size // 4) * 4, 4), np.uint8)
            padded[: array.size] = array
            buffers.append(self.gpu.create_buffer_with_data(data=padded, usage=usage))
        entries = [
            {"binding": n, "resource": {"buffer": b, "offset": 0, "size": b.size}} for n, b in enumerate(buffers)
        ]
        group = self._bind(pipeline, entries, code)
        encoder = self.gpu.create_command_encoder()
        compute = encoder.begin_compute_pass()
        compute.set_pipeline(pipeline)
        compute.set_bind_group(0, group)
        compute.dispatch_workgroups(min(config.blocks, _ROW), -(-config.blocks // _ROW))
        compute.end()
        self.gpu.queue.submit([encoder.finish()])
        for array, buffer, written in zip(arrays, buffers[2:], kernel.written, strict=True):
            if not written:
                continue
            array[:] = np.frombuffer(self.gpu.queue.read_buffer(buffer), np.uint8)[: array.size]
        found = np.frombuffer(self.gpu.queue.read_buffer(status), np.uint32)
        if found[0]:
            raise self._fault(analysis, config, kernel, memory, found)

    def _bind(self, pipeline: Any, entries: list[Any], code: str) -> Any:
        """With an automatic layout only the bindings that the shader really uses may be given."""
        body = code[code.index("var<private> lane") :]
        names = {0: "status", 1: "arguments", **{n + 2: f"b{n}" for n in range(len(entries) - 2)}}
        used = [e for e in entries if re.search(rf"\b{names[e['binding']]}[\[.]", body)]
        return self.gpu.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=used)

    def _fault(self, analysis: Any, config: Any, kernel: WgslKernel, memory: Any, found: Any) -> ExecutionError:
        kind = FAULT_KINDS[int(found[0]) - 1]
        index, number, lane = (int(found[k]) for k in (1, 2, 3))
        offset = int(np.array([found[4], found[5]], np.uint32).view(np.int64)[0])
        need, other = int(found[6]), int(found[7])
        text = f", in {analysis.program.instructions[index]}"
        name, size = None, 0
        if number == len(kernel.bases):
            name, size = "shared memory", analysis.program.shared_memory
        elif number < len(kernel.bases):
            name, size = str(kernel.bases[number]), memory[kernel.bases[number]].size
        match kind:
            case FaultKind.DIVISION_BY_ZERO:
                detail = fault_text.DIVISOR
            case FaultKind.STEP_LIMIT:
                detail = fault_text.steps(self.limits.steps)
            case FaultKind.DIVERGENT_BARRIER:
                first, second = sorted([(index, lane), (other, offset)])
                detail = fault_text.divergent(lane // config.block_lanes, first[::-1], second[::-1])
                index, lane = first
                text = f", in {analysis.program.instructions[index]}"
            case FaultKind.MISALIGNED_ACCESS:
                detail = fault_text.misaligned(analysis.program.instructions[index].ty, offset, str(name))
            case _ if need:
                detail = fault_text.outside(need, offset, str(name), size)
            case _:
                detail = fault_text.no_coordinate(other, offset)
        return ExecutionError(kind, index, detail + text, lane=lane, buffer=name, offset=offset if name else None)
