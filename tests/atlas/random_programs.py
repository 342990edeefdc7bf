"""Random programs of Atlas and pool instructions: what devices make of them is the same, bit for bit.

python -m tests.atlas.random_programs --count 200 --devices wasm,webgpu
"""

from __future__ import annotations

import argparse
from random import Random
from typing import Any

import numpy as np

import hologram_web as hg
from hologram_web.backends import CpuBackend, ExecutionParams, LaunchConfig

WORDS = 4  # of a lane in every memory
CLASSES, BYTES, NUMBERS = range(10, 14), range(14, 16), range(20, 26)


def program(random: Random, steps: int, lanes: int) -> str:
    """The text of a program. Classes stay below 96, numbers are made to fit where they are used."""
    lines = [
        ".param x: buffer u32 read",
        ".param y: buffer u32 write",
        f"pool_alloc #3, {4 * WORDS * lanes}",
        f"mov_imm.u64 r30, {4 * WORDS}",
        "mul.u64 r30, r255, r30",
        "cvt.u32.u64 r31, r30",
    ]
    lines += [f"ldg.u32 r{r}, [x + r30 + {4 * (k % WORDS)}]" for k, r in enumerate(NUMBERS)]
    for k, r in enumerate((*CLASSES, *BYTES)):
        lines += [f"cvt.u8.u32 r{r}, r{NUMBERS[k]}", f"cls_get r{r}, r{r}"]
    labels, open_ends = 0, []

    def c() -> str:
        return f"r{random.choice(CLASSES)}"

    def n() -> str:
        return f"r{random.choice(NUMBERS)}"

    def reduced(limit: int, register: str) -> None:
        lines.extend([f"mov_imm.u32 r40, {limit}", f"rem.u32 {register}, {n()}, r40"])

    for _ in range(steps):
        kind = random.randrange(20)
        k = random.randrange(5)
        step = 4 * random.randrange(WORDS)
        if kind == 0:
            lines += [f"cvt.u8.u32 r41, {n()}", f"cls_get {c()}, r41"]
        elif kind == 1:
            lines.append(f"cls_get {c()}")
        elif kind == 2:
            lines.append(f"mirror {c()}, {c()}")
        elif kind == 3:
            lines.append(f"nbr_get {c()}, {c()}, {k}")
        elif kind == 4:
            lines.append(f"nbr_count {n()}, {c()}")
        elif kind == 5:
            lines += [f"unity_test p1{random.choice(['', f', {c()}'])}", f"sel.u32 {n()}, p1, {n()}, {n()}"]
        elif kind == 6:
            lines.append(f"phase_get {n()}")
        elif kind == 7:
            lines.append(f"phase_adv {random.randrange(1 << 16)}")
        elif kind == 8:
            lines.append(f"phase_read {n()}, {random.randrange(8)}")
        elif kind == 9:
            lines.append(f"phase_write {n()}, {random.randrange(8)}")
        elif kind == 10:
            reduced(96, "r42")
            reduced(48, "r43")
            reduced(256, "r44")
            lines += ["bound_map r45, r42, r43, r44", f"cvt.u32.u64 {n()}, r45"]
        elif kind == 11:
            reduced(18432, "r42")
            lines += ["mov_imm.u32 r43, 18432", "orbit_classify r42, r42, r43", f"orbit_representative {n()}, r42, r43"]
        elif kind == 12:
            modulus = random.choice([256, 65_536, 1 << 31])
            lines += ["mov_imm.u32 r42, 1", f"or.u32 r42, {n()}, r42", f"mov_imm.u32 r43, {modulus}"]
            lines.append(f"mult_inverse {n()}, r42, r43")
        elif kind == 13:
            for register in ("r42", "r43"):
                reduced(32, register)
                lines.append(f"cvt.u8.u32 {register}, {register}")
            lines += ["char_product r42, r42, r43", f"char_value r{random.choice(BYTES)}, r42, {c()}"]
        elif kind == 14:
            lines += [f"bitcast.i32.u32 r42, {n()}", f"res_accum.i32 {c()}, r42"]
        elif kind == 15:  # no infinity and no NaN
            lines += ["mov_imm.u32 r42, 0xbfffffff", f"and.u32 r42, {n()}, r42", "bitcast.f32.u32 r42, r42"]
            lines.append(f"res_accum.f32 {c()}, r42")
        elif kind in (16, 17):
            lines += [f"mov_imm.u32 r42, {step}", "add.u32 r42, r31, r42"]
            lines.append(f"nbr_store.u32 r42, {n()}, {k}" if kind == 16 else f"nbr_load.u32 {n()}, r42, {k}")
        elif kind == 18:
            lines += [f"mov_imm.u32 r42, {step}", "add.u32 r42, r31, r42"]
            lines.append(random.choice([f"pool_store.u32 #3, r42, {n()}", f"pool_load.u32 {n()}, #3, r42"]))
        else:
            labels += 1
            lines += [f"set.lt.u32 p0, {n()}, {n()}", f"bra skip{labels}, p0"]
            open_ends.append(labels)
        if open_ends and random.random() < 0.4:
            lines.append(f"skip{open_ends.pop()}:")
    lines += [f"skip{label}:" for label in reversed(open_ends)]
    lines.append("pool_free #3")
    for k, r in enumerate((*CLASSES, *BYTES)):
        lines += [f"cvt.u32.u8 r41, r{r}", f"mov_imm.u32 r42, {1 << 8 * (k % 3)}", "mul.u32 r41, r41, r42"]
        lines.append(f"add.u32 r{NUMBERS[k]}, r{NUMBERS[k]}, r41")
    lines += ["mov_imm.u64 r30, 24", "mul.u64 r30, r255, r30"]
    lines += [f"stg.u32 [y + r30 + {4 * k}], r{r}" for k, r in enumerate(NUMBERS)]
    return "\n".join(lines)


def run(backend: Any, text: str, config: LaunchConfig, data: bytes) -> tuple[bytes | None, Any, bytes]:
    """What is in y, the resonance, and the class memory afterwards."""
    backend.reset_class_memory()
    backend.atlas = type(backend.atlas)()
    backend.atlas.advance(700)
    count = config.total_threads()
    x, y = backend.allocate_buffer(len(data)), backend.allocate_buffer(24 * count)
    try:
        backend.copy_to_buffer(x, data)
        program = hg.Program.from_text(text)
        backend.execute_program_with_params(program, ExecutionParams(config, {"x": x, "y": y}))
        memory = b"".join(bytes(np.asarray(backend.class_memory(c))) for c in range(0, 96, 7))
        return backend.copy_from_buffer(y), backend.atlas.resonance, memory
    finally:
        backend.free_buffer(x)
        backend.free_buffer(y)


def differs(seed: int, backends: list[Any], steps: int = 30) -> str | None:
    """The program of a seed, if a device makes something else of it than cpu."""
    random = Random(f"atlas {seed}")
    config = LaunchConfig.linear(random.randrange(1, 300), random.choice([1, 3, 32]))
    text = program(random, steps, config.total_threads())
    data = np.random.default_rng(seed).integers(0, 1 << 32, WORDS * config.total_threads(), np.uint32).tobytes()
    wanted = run(CpuBackend(check_races=True), text, config, data)
    for backend in backends:
        if run(backend, text, config, data) != wanted:
            return f"seed {seed} on {backend.name}, {config}:\n{text}"
    return None


def main() -> None:
    from hologram_web.backends import WasmBackend, WebGpuBackend

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--devices", default="wasm,webgpu")
    options = parser.parse_args()
    kinds = {"wasm": WasmBackend, "webgpu": WebGpuBackend, "cpu": lambda: CpuBackend(lane_order="descending")}
    backends = [kinds[name]() for name in options.devices.split(",")]
    for seed in range(options.start, options.start + options.count):
        if problem := differs(seed, backends):
            raise SystemExit(problem)
    print(f"{options.count} programs, the same on cpu and {options.devices}")


if __name__ == "__main__":
    main()
