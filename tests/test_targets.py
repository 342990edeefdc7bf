"""The targets, on the program of every filetest: Tint takes the shaders, V8 the modules. The devices run them all."""

from __future__ import annotations

import base64
import json
import statistics
import subprocess
import time
import tomllib
from functools import cache
from pathlib import Path

import pytest

from hologram_web.backends import WebGpuBackend
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.address import ON_CHIP, Space
from hologram_web.isa.lift import lift
from hologram_web.isa.program import Program
from hologram_web.isa.verify import analyze
from hologram_web.targets import wasm, wgsl

from .filetest import FOLDER, load
from .filetest_run import check

HERE = Path(__file__).parent


@cache
def cases():
    """For each filetest the cases of its first type, without collectives."""
    found = []
    for path in sorted(FOLDER.glob("**/*.atlas")):
        test = load(path)
        types: dict[tuple[str, str], None] = {}
        for case in test.cases():
            types.setdefault((case.ty, case.source))
            if case.run is None or (case.ty, case.source) != next(iter(types)):
                continue
            program = case.program()
            if not program.problems() and not any(i.row.collective for i in program.instructions):
                found.append(case)
    return found


def _refused(case):
    """Whether WebGPU's target refuses it: offsets beyond what its memories have, or what is for other devices only."""
    return case.test.path.startswith("faults/bounds_far") or not case.test.runs_on("webgpu")


@cache
def compiled():
    """(shaders, modules, seconds of both) by name, for one shape of block."""
    shaders: dict[str, str] = {}
    modules: dict[str, bytes] = {}
    seconds = []
    for case in cases():
        name = f"{case.test.path}:{case.ty}"
        program = lift(case.program())[0]
        start = time.perf_counter()
        analysis = analyze(program)
        if analysis.graph.entry < 0 or name in modules:
            continue
        function = optimize(build(analysis, (8, 4, 1)))
        modules[name] = wasm.compile_kernel(function).code
        if _refused(case):
            continue
        memories = [base for base in function.bases if base.space not in ON_CHIP]
        classes = [base for base in memories if base.space in (Space.CLASS, Space.PHI)]
        groups = [[base] for base in memories if base not in classes] + ([classes] if classes else [])
        kernel = wgsl.compile_kernel(function, groups, max(program.shared_memory, 64))
        shaders[name] = kernel.code
        shaders |= {f"{name}, fast {number}": fast.code for number, fast in enumerate(kernel.fast)}
        if "f16" in name:  # as for adapters with shader-f16, and for memories longer than a binding
            end = time.perf_counter()
            shared, parts = max(program.shared_memory, 64), [2] * len(groups)
            other = wgsl.compile_kernel(
                function, groups, shared, math="strict", canary=True, half=True, parts=parts, window=256
            )
            shaders[f"{name}, in parts"] = other.code
            start += time.perf_counter() - end
        seconds.append(time.perf_counter() - start)
        if any(instruction.row.name == "BarSync" for instruction in program.instructions):
            alone = wgsl.compile_kernel(optimize(build(analysis, (1, 1, 1))), groups, max(program.shared_memory, 64))
            shaders[f"{name}, of one lane"] = alone.code
        row = optimize(build(analysis, (64, 1, 1)))
        kernel = wgsl.compile_kernel(row, groups, 64)
        if "fn work(" in kernel.code:
            shaders[f"{name}, in packets"] = kernel.code
            shaders |= {f"{name}, in packets, fast {number}": fast.code for number, fast in enumerate(kernel.fast)}
    return shaders, modules, seconds


def _node(script, data):
    run = subprocess.run(
        ["node", str(HERE / script)], input=json.dumps(data), capture_output=True, text=True, timeout=100, check=False
    )
    assert run.stdout, run.stderr
    return json.loads(run.stdout.strip().splitlines()[-1])


@pytest.mark.parametrize(("shared", "proven"), [(0, 0), (4, 0), (8, 1)])
def test_places_outside_of_shared_memory_have_no_shader_without_checks(shared, proven):
    """Tint refuses a shader with a known place outside of an array, though nobody would run it."""
    text = ".param y: buffer u32 write\n lds.u32 r10, [shared + 4]\n stg.u32 [y], r10\n"
    function = optimize(build(analyze(Program.from_text(text)), (64, 1, 1)))
    groups = [[base] for base in function.bases if base.space not in ON_CHIP]
    assert len(wgsl.compile_kernel(function, groups, shared).fast) == proven


def test_tint_takes_every_shader():
    shaders, _, _ = compiled()
    assert len(shaders) > 150
    assert _node("tint.mjs", shaders) == {}


def test_tint_refuses_what_is_wrong():
    assert list(_node("tint.mjs", {"wrong": "fn main() -> u32 { return 1.5; }"})) == ["wrong"]


def test_long_local_memory_is_no_private_array():
    """Mesa's llvmpipe takes minutes to compile one of 4 KiB."""
    for size, private in ((512, True), (516, False), (4096, False)):
        program = Program.from_text(f".local {size}\nsts.u32 [.local + r252*4], r252\nlds.u32 r9, [.local + r253]")
        kernel = wgsl.compile_kernel(build(analyze(program), (8, 1, 1)), [], 0)
        assert ("local_memory:" in kernel.code) is private
        assert kernel.scratch == (0 if private else size * 8)


def test_v8_takes_every_module():
    _, modules, _ = compiled()
    assert _node("v8.mjs", {name: base64.b64encode(code).decode() for name, code in modules.items()}) == {}


def test_compile_time_is_printed(capsys):
    _, _, seconds = compiled()
    with capsys.disabled():
        print(f"\ncompiled {len(seconds)} programs for both targets: median {statistics.median(seconds) * 1e3:.2f} ms")


def test_launches_with_proven_accesses_run_the_shader_without_checks(monkeypatch):
    device, ran = WebGpuBackend(), []
    assert device.traits
    pipeline = device._gpu.pipeline

    def recorded(kernel, code):
        ran.append(any(code is fast.code for fast in kernel.fast))
        return pipeline(kernel, code)

    monkeypatch.setattr(device._gpu, "pipeline", recorded)
    for case in cases():
        if case.test.path == "launch/rows_off_flat.atlas":
            check(case.launch("webgpu"), device)
    # Not where the grid has rows (the shader is for one), nor where the last lane would be out of bounds.
    assert ran == [False, False, True, False]


def test_a_wheel_has_all_of_the_device_library():
    from hologram_web.targets.wgsl import library as texts

    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    used = {f"wgsl/{name}": f"hologram_web/_wgsl/{name}" for name in (*texts._FILES, texts._HALF)}
    assert included == used | {"wasm/crew.wat": "hologram_web/_wasm/crew.wat"}
