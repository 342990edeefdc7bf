"""`python -m bench.guards`: what checks cost. A kernel of this project against the same by hand, without any check.

Both run in the same WebAssembly memory, interleaved; times are of the thread, and of the kernels alone, without what a
launch does before. The kernel by hand is what one would write: one loop, addresses from the index, no checks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import click
import numpy as np
import wasmtime

import hologram_web as hg
from hologram_web.backends.wasm.arena import FastCall, shared

from .cases import saxpy
from .turns import in_turns

_WAT = """
(module
  (import "env" "memory" (memory 1 65536))
  (func (export "saxpy") (param $n i32) (param $a f32) (param $x i32) (param $y i32) (param $z i32) (local $i i32)
    loop
      local.get $z local.get $i i32.const 2 i32.shl i32.add
      local.get $a local.get $x local.get $i i32.const 2 i32.shl i32.add f32.load f32.mul
      local.get $y local.get $i i32.const 2 i32.shl i32.add f32.load f32.add
      f32.store
      local.get $i i32.const 1 i32.add local.tee $i
      local.get $n i32.lt_u br_if 0
    end)
  (func (export "call") (param $block i32)
    local.get $block i32.load
    local.get $block f32.load offset=4
    local.get $block i32.load offset=8
    local.get $block i32.load offset=12
    local.get $block i32.load offset=16
    call 0))
"""


def prepare(n: int) -> tuple[Callable[[], None], Callable[[], None]]:
    """What runs saxpy on n elements by the device, and by hand."""
    case = saxpy(n)
    device = hg.backends.WasmBackend(cache=False)
    arguments = dict(case.arguments)
    handles = {name: device.allocate_buffer(4 * n) for name in "xyz"}
    for name, handle in handles.items():
        device.copy_to_buffer(handle, case.arguments[name])
    program, params = case.program, hg.ExecutionParams(case.config, {**arguments, **handles})
    views = {name: device.view(handle) for name, handle in handles.items()}
    base = device._arena.bytes.ctypes.data
    block = device._arena.allocate(32)
    words = np.frombuffer(device._arena.block(block, 20).bytes, np.uint32)
    words[0], words[1] = n, np.float32(case.arguments["a"]).view(np.uint32)
    words[2:5] = [view.ctypes.data - base for view in views.values()]
    module = wasmtime.Module(device._engine, shared(bytes(wasmtime.wat2wasm(_WAT))))
    instance = wasmtime.Instance(device.native, module, [device._arena.memory])
    function = instance.exports(device.native)["call"]
    assert isinstance(function, wasmtime.Func)
    call = FastCall(device.native, function, 1)
    wanted = case.peer()

    def checked(run: Callable[[], object]) -> Callable[[], None]:
        views["z"][:] = 0
        run()
        assert (views["z"].view(np.float32) == wanted).all()
        return lambda: (run(), None)[1]

    checked(lambda: device.execute_program_with_params(program, params))
    (loaded,) = device._kernels.values()  # its argument block is still filled
    ours = checked(lambda: loaded.call(loaded.arguments, 0, case.config.blocks))
    return ours, checked(lambda: call(block))


@click.command()
@click.option("--rounds", default=31, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    """What checks cost: saxpy against the same by hand, without any."""
    print("| elements | by the compiler, ms | by hand, ms | compiler / hand |")
    print("| -------- | ------------------- | ----------- | --------------- |")
    for n in (1 << 18, 1 << 20, 1 << 22):
        repeats = (1 << 22) // n
        sides = {
            name: lambda run=run, repeats=repeats: [run() for _ in range(repeats)]
            for name, run in zip(("ours", "by hand"), prepare(n), strict=True)
        }
        found = in_turns(sides, rounds, time.thread_time)
        ours, theirs = (median(times) / repeats for times in found.values())
        print(f"| {n:8,} | {ours:19.3f} | {theirs:11.3f} | {ours / theirs:15.2f} |")


if __name__ == "__main__":
    main()
