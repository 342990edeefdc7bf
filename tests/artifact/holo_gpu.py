"""Runs the WGSL of artifacts on wgpu, with docs/artifact.md as the only help."""

from __future__ import annotations

import struct

import wgpu

from hologram_web.errors import ExecutionError, LaunchError

from .holo_runner import CLASS_BYTES, CLASSES, KINDS, LARGEST, SIZES, Runner, parse

USAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
LIMITS = [
    "max-storage-buffers-per-shader-stage",
    "max-compute-invocations-per-workgroup",
    "max-compute-workgroup-size-x",
    "max-compute-workgroup-size-y",
    "max-compute-workgroup-size-z",
    "max-compute-workgroup-storage-size",
]


def device():
    adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    return adapter.request_device_sync(required_limits={name: adapter.limits[name] for name in LIMITS})


class GpuRunner(Runner):
    """As Runner, with shaders. Buffers are pairs of a GPU buffer and the size in bytes."""

    target = 1

    def __init__(self, raw, gpu, steps=1 << 26, seconds=10.0):
        self.file, self.steps, self.seconds, self.gpu, self.pipelines = parse(raw), steps, seconds, gpu, {}
        self.proven = 0  # launches without checks
        self.classes = gpu.create_buffer(size=CLASS_BYTES * CLASSES, usage=USAGE)

    def add(self, data):
        padded = data + bytes(max(-len(data) % 4, 4 - len(data)))
        self.buffers.append((self.gpu.create_buffer_with_data(data=padded, usage=USAGE), len(data)))

    def get(self, buffer, size):
        return bytes(self.gpu.queue.read_buffer(buffer))[:size]

    def put(self, buffer, data):
        self.gpu.queue.write_buffer(buffer, 0, data)

    def submit(self, record):
        encoder = self.gpu.create_command_encoder()
        record(encoder)
        self.gpu.queue.submit([encoder.finish()])

    def put_copy(self, target, source, size):
        self.submit(lambda encoder: encoder.copy_buffer_to_buffer(source, 0, target, 0, -(-size // 4) * 4))

    def launch(self, number, variant, origin, grid, lanes, scalars, memories, values):
        kernel = self.file["kernels"][number]
        grid, lanes = ([self.formula(n, values) for n in three] for three in (grid, lanes))
        if 0 in (*grid, *lanes):
            return
        if not variant:
            raise LaunchError(kernel["why_wgsl"])
        code = kernel["wgsl"][variant - 1]
        blocks = grid[0] * grid[1] * grid[2]
        words = [*grid, 0, *lanes, 0, blocks, self.steps + 1, 0, kernel["shared"], 0, 0, 0, 0]
        cells = []
        for place in code["scalars"]:
            ty = kernel["scalars"][place][1]
            size = max(SIZES[ty], 8)
            if scalars[place][0] == 3:
                cells.append((4 * len(words), self.buffers[scalars[place][1]][0], size))
                words += [0] * (size // 4)
            else:
                words += struct.unpack(f"<{size // 4}I", self.bits(scalars[place], ty, values).to_bytes(size, "little"))
        self.sizes = {}
        bound = []
        scratch = 0
        for kind, places in code["bindings"]:
            if kind == 2:
                scratch, blocks_at_once = places, 3  # any number will do
                bound.append(self.gpu.create_buffer_with_data(data=b"\x5a" * scratch * blocks_at_once, usage=USAGE))
                break
            for place in places:
                buffer, size = self.buffers[memories[place]]
                self.sizes[place] = CLASS_BYTES if kernel["memories"][place][0] == 2 else size
                words.append(self.sizes[place])
            bound.append(buffer)
        usage = wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_DST
        arguments = self.gpu.create_buffer(size=code["size"], usage=usage)
        status = self.gpu.create_buffer(size=32, usage=USAGE)
        shader, share = self.shader_for(code, kernel, grid, lanes, scalars, memories, values)
        layout, pipeline = self.pipeline(code, shader)
        entries = [
            {"binding": k, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
            for k, buffer in enumerate([status, arguments, *bound])
        ]
        group = self.gpu.create_bind_group(layout=layout, entries=entries)

        for first in range(0, blocks, blocks_at_once if scratch else blocks):
            count = min(blocks - first, blocks_at_once if scratch else blocks)
            words[8], words[13] = first + count, first
            raw = struct.pack(f"<{len(words)}I", *words)
            self.gpu.queue.write_buffer(arguments, 0, raw + bytes(code["size"] - len(raw)))

            def record(encoder, count=-(-count // share)):
                for place, buffer, size in cells:
                    encoder.copy_buffer_to_buffer(buffer, 0, arguments, place, size)
                compute = encoder.begin_compute_pass()
                compute.set_pipeline(pipeline)
                compute.set_bind_group(0, group)
                compute.dispatch_workgroups(min(count, 65535), -(-count // 65535))
                compute.end()

            self.submit(record)
        kind, at, base, lane, low, high, need, other = struct.unpack("<8I", self.get(status, 32))
        if kind:
            text = f"{KINDS[kind - 1]} at {at}, memory {base}, offset {low + (high << 32)}, need {need}, other {other}"
            raise ExecutionError(KINDS[kind - 1], origin - 1 if origin else at, text, lane=lane)

    def shader_for(self, code, kernel, grid, lanes, scalars, memories, values):
        """The first fast shader of which all conditions hold, and how many blocks a workgroup does."""
        numbers = []
        for scalar, (_, ty) in zip(scalars, kernel["scalars"], strict=True):
            bits = 0 if scalar[0] == 3 else self.bits(scalar, ty, values)
            number = bits - (1 << 8 * SIZES[ty]) if ty < 14 and bits >> (8 * SIZES[ty] - 1) else bits
            numbers.append(None if scalar[0] == 3 else number)
        for (kind, _, _), place in zip(kernel["memories"], memories, strict=True):
            numbers.append(CLASS_BYTES if kind == 2 else self.buffers[place][1])
        numbers += [*grid, *lanes, self.steps, LARGEST]
        given = {place: number for place, number in enumerate(numbers) if number is not None}
        for shader, blocks, conditions in code["fast"]:
            try:
                holds = all(self.evaluate(tokens, range(len(numbers)), given) >= 0 for tokens in conditions)
            except LaunchError:
                holds = False
            if holds:
                self.proven += 1
                return shader, blocks
        return code["shader"], 1

    def pipeline(self, code, shader):
        if shader not in self.pipelines:
            kinds = [
                "storage",
                "uniform",
                *("storage" if mode else "read-only-storage" for mode, _ in code["bindings"]),
            ]
            stage = wgpu.ShaderStage.COMPUTE
            entries = [{"binding": k, "visibility": stage, "buffer": {"type": kind}} for k, kind in enumerate(kinds)]
            layout = self.gpu.create_bind_group_layout(entries=entries)
            whole = self.gpu.create_pipeline_layout(bind_group_layouts=[layout])
            module = self.gpu.create_shader_module(code=self.file["shaders"][shader])
            compute = {"module": module, "entry_point": "main"}
            pipeline = self.gpu.create_compute_pipeline(layout=whole, compute=compute)
            self.pipelines[shader] = layout, pipeline
        return self.pipelines[shader]
