"""Translates and compiles the tensor library for WebAssembly, for the wheel: `hologram_web/library.bin`.

    python -m hologram_web_tools.precompiled [FILE]

Each collective is run once at typical sizes, exactly and with `math="fast"`, in an empty cache folder. What that holds
then are the programs and kernels that first calls of who installs the wheel find (hologram_web/store/disk.py). Most
depend on no size, but on types, flags and tiles. Machine code is not in it: it is of one processor and one wasmtime.
Keys are those of the package that is imported, so tools/release.py runs this on the wheel that it built.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import hologram_web as hg
from hologram_web.store.disk import LIBRARY, Library

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
    "layer_norm": "layer_norm.f32 [c], [a], [b], [bias], 64, 64",
    "rms_norm": "rms_norm.f32 [c], [a], [b], 64, 64",
    "batch_norm": "batch_norm.f32 [c], [a], [b], [bias], [b], [bias], 4, 16, 64",
    "group_norm": "group_norm.f32 [c], [a], [b], [bias], 4, 16, 4, 64",
    "instance_norm": "instance_norm.f32 [c], [a], [b], [bias], 4, 16, 64",
    "layer_scale": "layer_scale.f32 [c], [a], [b], 64, 64",
    "softmax, inner": "softmax.f32 [c], [a], 16, 64, inner=4",
    "log_softmax": "log_softmax.f32 [c], [a], 64, 64",
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
_FILES = ("program", "wasm")


def make(path: Path) -> int:
    """Writes the file; how many programs and kernels it has."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOLOGRAM_WEB_CACHE": "on", "HOLOGRAM_WEB_CACHE_DIR": folder}
        path.unlink(missing_ok=True)  # one that is there would be found
        for math in ("exact", "fast"):
            executor = hg.Executor("wasm", math=math)
            args = arguments(executor)
            for text in CALLS.values():
                executor.run(hg.Program.from_text(f"{PARAMS}    {text}"), 1, alpha=2.0, **args)
        library = Library(path)
        library.write(each for each in Path(folder).iterdir() if each.suffix[1:] in _FILES)
        return len(library)


def arguments(executor: hg.Executor) -> dict[str, Any]:
    """Arrays for all of the calls, on a device."""
    found = {name: executor.array(np.ones(65_536, np.float32)) for name in ("a", "b", "c", "bias")}
    found |= {"i": executor.array(np.zeros(65_536, np.int32)), "p": executor.array(np.arange(65_536, dtype=np.int32))}
    return found | {"q": executor.array(np.ones(65_536, np.int8)), "h": executor.array(np.ones(65_536, np.float16))}


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else LIBRARY
    print(f"{make(target)} programs and kernels in {target}, {target.stat().st_size:,} bytes")
