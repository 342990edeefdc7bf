"""Filetests by way of artifacts: every launch is made a plan, saved, read back, and run from the file's code alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hologram_web.backends.state import AtlasState, resonance_of
from hologram_web.isa import Immediate, Type
from hologram_web.isa.lift import Hidden, lift
from hologram_web.plan.builder import PlanBuilder
from hologram_web.runtime.compiled import CompiledProgram

from ..kept import kept_bytes
from .holo_runner import Runner

FILES: dict[tuple, bytes] = {}


class HoloDevice:
    """Launches by way of an artifact: what filetests need of a Backend. `saved` counts files. With `kept` they are
    written into build/artifacts, too, or "read" from there if they were made for these sources."""

    name = "holo"

    def __init__(self, runner=Runner, kept=None):
        self.runner, self.kept = runner, kept
        self.limits: Any = None
        self.memory: dict = {}
        self.saved = 0
        self.atlas = AtlasState()

    def allocate_buffer(self, size):
        handle = object()
        self.memory[handle] = bytearray(size)
        return handle

    def copy_to_buffer(self, handle, data):
        self.memory[handle][: len(data)] = data

    def copy_from_buffer(self, handle, out=None):
        found = bytes(self.memory[handle])
        if out is None:
            return found
        out[: len(found)] = found

    def free_buffer(self, handle):
        del self.memory[handle]

    def sync(self):
        pass

    allocate_pool, free_pool = allocate_buffer, free_buffer

    def copy_to_pool(self, handle, offset, data):
        self.copy_to_buffer(handle, data)

    def copy_from_pool(self, handle, offset, out):
        return self.copy_from_buffer(handle)

    def pool_size(self, handle):
        return len(self.memory[handle])

    def run(self, runner, scalars, arrays):
        return runner.run(scalars, arrays)

    def execute_program_with_params(self, program, params):
        """One launch as a plan, saved, read back, and run from the file; lanes and scalars are its arguments."""
        scalars = {"$x": params.launch.total_threads()}
        rules = params.launch.rules
        owners: dict = {}
        args: dict = {}
        builder = PlanBuilder(shapes={})
        lanes = params.launch.lanes
        linear = lanes is not None and replace(params.launch, promises=None) == type(params.launch).linear(
            lanes[0], params.launch.block.x
        )
        if linear:
            builder.scalar("$x", Type.U32)
        for param in program.params:
            value = params.args[param.name]
            if param.kind == "scalar":
                scalars[param.name] = (value if isinstance(value, Immediate) else Immediate.of(param.ty, value)).bits
                continue
            args[param.name] = owners.setdefault(value, param.name)
            if args[param.name] == param.name:
                builder.array(param.name, Type.U8, (f"{param.name}.len",))
        grid = "$x" if linear else params.launch
        for name, hidden in lift(program)[1].items():
            if isinstance(hidden, Hidden) and hidden.kind in ("phase", "footprint", "unity"):
                number = self.atlas.number(hidden, rules, program, params.args)
                if hidden.kind == "footprint":
                    args[str(name)] = number
                else:  # a scalar of the plan: of unity by itself
                    scalars[str(name)] = number
                    if hidden.kind == "phase":
                        args[str(name)] = builder.scalar(str(name), Type.U32)
        block, shared = params.launch.block, params.launch.shared_memory
        told = {"math": params.math} if params.math else {}
        key = (
            program.to_bytes(),
            params.math,
            "$x" if linear else repr(params.launch),
            block,
            shared,
            tuple(args.items()),
        )
        if key not in FILES:
            builder.launch(program, grid, block, args, shared_memory=shared)
            FILES.clear()  # the next run line may have the same program, the next file has not
            compiled = CompiledProgram.from_builder(builder, told)
            make = compiled.to_bytes
            FILES[key] = kept_bytes("artifacts", key, make, self.kept == "read") if self.kept else make()
        raw = FILES[key]
        self.saved += 1
        seconds = 10.0 if self.limits.seconds is None else self.limits.seconds
        runner = self.runner(raw, steps=min(self.limits.steps, 1 << 26), seconds=seconds)
        arrays = {name: (bytes(self.memory[handle]), (len(self.memory[handle]),)) for handle, name in owners.items()}
        for name, (data, _) in self.run(runner, scalars, arrays).items():
            if name == "$resonance":
                self.atlas.commit(resonance_of(data), rules)
                continue
            handle = next(handle for handle, owner in owners.items() if owner == name)
            self.memory[handle][:] = data
