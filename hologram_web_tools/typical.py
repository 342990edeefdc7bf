"""Each collective at typical sizes, and the programs that these become on pages' targets, for the wheels of pages.

The tools' wheel has programs and kernels of the same calls for native installs: precompiled.py.
"""

from __future__ import annotations

import marshal
from typing import Any, ClassVar

from hologram_web.isa.launch import LaunchConfig
from hologram_web.isa.lift import lift
from hologram_web.isa.program import Program
from hologram_web.isa.verify import Analysis
from hologram_web.plan.kernels import LaneKernel, LearntFacts, WgslPart
from hologram_web.plan.lowering import lower_plan
from hologram_web.plan.plan import TARGETS
from hologram_web.plan.single import launch_plan
from hologram_web.tensor.programs import NAMED

__all__ = ["CALLS", "PARAMS", "page_library"]

PARAMS = """
    .param c: buffer f32 read_write
    .param a: buffer f32 read
    .param b: buffer f32 read
    .param bias: buffer f32 read
    .param i: buffer i32 read_write
    .param p: buffer i32 read
    .param q: buffer i8 read
    .param h: buffer f16 read
    .param alpha: f32
"""
CALLS = {
    "gemm 64": "gemm.f32 [c], [a], [b], 64, 64, 64",
    "gemm 64, epilogue": "gemm.f32 [c], [a], [b], 64, 64, 64, alpha=alpha, beta=0.5, bias=[bias], activation=relu",
    "gemm 256": "gemm.f32 [c], [a], [b], 256, 256, 256",
    "gemm 256, epilogue": "gemm.f32 [c], [a], [b], 256, 256, 256, alpha=alpha, beta=0.5, bias=[bias], activation=relu",
    "batched_gemm": "batched_gemm.f32 [c], [a], [b], 4, 64, 64, 64",
    "mixed_precision_gemm": "mixed_precision_gemm.f16 [c], [h], [h], 64, 64, 64",
    "quantized_gemm": "quantized_gemm.i8 [c], [q], [q], 64, 64, 64, [bias], [bias]",
    "sparse_gemm": "sparse_gemm.f32 [c], [a], [i], [p], [b], 64, 64, 64",
    "tensor_contract": "tensor_contract.f32 [c], [a], [b], (16, 8, 32), (32, 8, 16), (2:0)",
    "conv2d": "conv2d.f32 [c], [a], [b], 1, 16, 16, 28, 28, 3, 3, padding=(1, 1, 1, 1)",
    "conv2d, 1 x 1": "conv2d.f32 [c], [a], [b], 1, 16, 16, 28, 28, 1, 1",
    "conv2d, depthwise": "conv2d.f32 [c], [a], [b], 1, 16, 16, 28, 28, 3, 3, padding=(1, 1, 1, 1), groups=16",
    "conv_transpose2d": "conv_transpose2d.f32 [c], [a], [b], 1, 16, 16, 14, 14, 3, 3, stride=(2, 2)",
    "max_pool2d": "max_pool2d.f32 [c], [a], 1, 16, 28, 28, 2, 2, stride=(2, 2)",
    "avg_pool2d": "avg_pool2d.f32 [c], [a], 1, 16, 28, 28, 3, 3, padding=(1, 1, 1, 1)",
    "resize2d": "resize2d.f32 [c], [a], 1, 16, 28, 28, 56, 56",
    # Rows that registers have no room for: programs of those that they have are for one length each.
    "layer_norm": "layer_norm.f32 [c], [a], [b], [bias], 32, 2048",
    "rms_norm": "rms_norm.f32 [c], [a], [b], 32, 2048",
    "batch_norm": "batch_norm.f32 [c], [a], [b], [bias], [b], [bias], 4, 16, 64",
    "group_norm": "group_norm.f32 [c], [a], [b], [bias], 4, 16, 4, 512",
    "instance_norm": "instance_norm.f32 [c], [a], [b], [bias], 4, 8, 2048",
    "layer_scale": "layer_scale.f32 [c], [a], [b], 64, 64",
    "softmax": "softmax.f32 [c], [a], 32, 2048",
    "softmax, inner": "softmax.f32 [c], [a], 16, 64, inner=4",
    "log_softmax": "log_softmax.f32 [c], [a], 32, 2048",
    "attention": "attention.f32 [c], [a], [b], [bias], 1, 4, 64, 64, 32",
    "flash_attention": "flash_attention.f32 [c], [a], [b], [bias], 1, 4, 64, 64, 32",
    "rope": "rope.f32 [c], [a], [b], 1, 64, 4, 32",
    "kv_cache_update": "kv_cache_update.f32 [c], [a], 3, 1, 4, 64, 32",
    "fft": "fft.f32 [c], [a], 1024",
    "fft, a prime": "fft.f32 [c], [a], 1009",
    "random": "random.f32 [c], 4096, 7",
    "parallel_map": "parallel_map.exp.f32 [c], [a], 4096",
    "parallel_map_binary": "parallel_map_binary.add.f32 [c], [a], [b], 4096",
    "parallel_reduce": "parallel_reduce.add.f32 r20, [a], 4096",
    "arg_max": "arg_max.f32 [i], [a], 64, 64",
    "arg_min": "arg_min.f32 [i], [a], 64, 64",
    "cum_sum": "cum_sum.f32 [c], [a], 64, 64",
    "sort": "sort.f32 [c], [a], 64, 64",
    "top_k": "top_k.f32 [c], [i], [a], 64, 64, 4",
    "gather": "gather.f32 [c], [a], [p], 1, 64, 64, 64",
    "gather_elements": "gather_elements.f32 [c], [a], [p], 1, 64, 1, 64",
    "scatter": "scatter.f32 [c], [a], [p], 1, 64, 64, 64",
    "copy": "copy.f32 [c], [a], 4096",
    "fill": "fill.f32 [c], 4096, 1.0",
    "transpose": "transpose.f32 [c], [a], (64, 64), (1, 0)",
    "concat": "concat.f32 [c], [a], [b], 8, 64, 64, 8",
    "slice": "slice.f32 [c], [a], (64, 64), (8, 8), (48, 48), (1, 1)",
    "pad": "pad.f32 [c], [a], (64, 64), (1, 1), (1, 1)",
    "all_reduce": "all_reduce.add.f32 [c], 4096",
    "all_gather": "all_gather.f32 [c], [a], 4096",
}


class _Noted(LaneKernel):
    """A kernel that is kept, with its code, which is made after it."""

    kernels: ClassVar[dict[tuple[bytes, Any], LearntFacts]] = {}

    def __init__(self, program: int | None, analysis: Analysis, block: Any, *region: Any) -> None:
        super().__init__(program, analysis, block, *region)
        source = analysis.program.to_bytes()
        facts = self.kernels.setdefault((source, self.block), self.facts)
        if facts is not self.facts:
            self.facts = facts  # whose code is not made again


def page_library() -> tuple[bytes, ...]:
    """What pages have of these calls (hologram_web/tensor/made.py): of launches, where the counts are arguments, and of
    plans, where they are numbers."""
    NAMED.clear()
    _Noted.kernels.clear()
    for text in CALLS.values():
        program = Program.from_text(f"{PARAMS}    {text}")
        for each in (program, lift(program)[0]):
            aliases = {param.name: param.name for param in each.params if param.kind != "scalar"}
            plan = launch_plan(each, LaunchConfig(), (True, True, True), aliases)
            for target in TARGETS:
                lower_plan(plan, [each], (), {}, target=target, kernel=_Noted)
    return _packed({names: program.to_bytes() for names, program in NAMED.items()}, _Noted.kernels)


def _packed(programs: dict[tuple[str, ...], bytes], kernels: dict[tuple[bytes, Any], LearntFacts]) -> tuple[bytes, ...]:
    """What the file has: programs with what is known of their kernels, code for WebAssembly, and code for WebGPU."""
    about = {}
    codes: tuple[dict[Any, Any], dict[Any, Any]] = {}, {}
    for number, (names, source) in enumerate(sorted(programs.items())):
        program, ours = Program.from_bytes(source), []
        params = [
            (p.name, p.kind, None if p.ty is None else p.ty.id, None if p.access is None else p.access.value)
            for p in program.params
        ]
        for (of, block), facts in kernels.items():
            if of == source:
                ours.append((block, _plain(facts)))
                for key, part in facts.code.items():
                    place = codes[isinstance(key, tuple)].setdefault((number, block), {})
                    place[key] = _plain_wgsl(part) if isinstance(part, WgslPart) else tuple(part)
        more = program.shared_memory, program.local_memory, program.metadata.name, program.entry
        about[names] = number, source, params, ours, *more
    # In a version that all Pythons here read, and that does not go by who else holds an object.
    return tuple(marshal.dumps(part, 2) for part in (about, *codes))


def _plain(facts: LearntFacts) -> tuple[Any, ...]:
    bases = facts.bases
    places = [[k for k, base in enumerate(bases) if base in some] for some in (facts.written, facts.touched)]
    scalars = [(name, ty.id) for name, ty in facts.scalars.items()]
    return facts.name, scalars, [(int(base.space.value), base.name) for base in bases], *places, facts.idle


def _plain_wgsl(part: WgslPart) -> tuple[Any, ...]:
    fast = [
        (text, blocks, [each.code for each in conditions], counts) for text, blocks, conditions, counts in part.fast
    ]
    return *part[:-1], fast
