"""Convolutions, pools and resizes of random shapes and types against `cpu`: `python -m tests.windows 200 wasm webgpu`.

The bound is that of the contract: for sums of products sqrt(k) * 2**-22 * norm(a) * norm(b), norm(b) by the
greatest weight, and half a unit of the result; for the others 8 units of the greatest element.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg

from .fuzz.devices import open_devices, reference

__all__ = ["OPERATIONS", "wrong"]

Array = NDArray[np.float64]
OPERATIONS = ("conv2d", "conv_transpose2d", "max_pool2d", "avg_pool2d", "resize2d")
UNIT = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 2.0**-23, "f64": 2.0**-52}
_LARGE = 0.3  # the part of the cases that is larger than two tiles of a schedule


def _run(device: Any, ty: str, text: str, size: int, arrays: dict[str, Array]) -> Array:
    arrays = {"y": np.zeros(size), **arrays}
    params = "".join(f".param {name}: buffer {ty}\n" for name in arrays)
    program = hg.Program.from_text(f"{params}    {text}\n")
    buffers = {}
    for name, values in arrays.items():
        buffers[name] = hg.TypedBuffer.allocate(device, hg.Type[ty.upper()], values.size)
        if values.size:
            buffers[name].copy_to(values.ravel().tolist())
    held = {name: buffer.raw() for name, buffer in buffers.items()}
    device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), held))
    found = np.array(buffers["y"].copy_from())
    return found.astype(np.uint32).__lshift__(16).view(np.float32).astype(np.float64) if ty == "bf16" else found * 1.0


def _numbers(chance: random.Random, size: int) -> Array:
    """Multiples of 1/64, which every type holds."""
    return np.random.default_rng(chance.randrange(1 << 30)).integers(-96, 96, size) / 64.0


def wrong(name: str, seed: int, device: Any) -> str:
    """What is wrong with a random case of an instruction; empty if nothing is."""
    chance = random.Random(f"{name} {seed}")
    large, ty = chance.random() < _LARGE, chance.choice(list(UNIT))
    batch, groups = chance.choice([1, 1, 2, 3]), chance.choice([1, 1, 1, 2, 4])
    deep = (chance.randint(1, 24), chance.randint(1, 28)) if large else (chance.randint(0, 4), chance.randint(1, 5))
    height, width = (chance.randint(0, 30 if large else 9) for _ in "hw")
    kernel, stride, dilation = (
        [chance.choice(some) for _ in "hw"] for some in ((1, 2, 3, 3, 5), (1, 1, 2, 3), (1, 1, 2))
    )
    pads = [chance.choice([0, 0, 1, 2]) for _ in range(4)]
    channels, outs = (count * groups for count in deep)
    numbers = lambda values: f"({', '.join(map(str, values))})"  # noqa: E731
    window = f"stride={numbers(stride)}, padding={numbers(pads)}"
    image, more = f"{batch}, {channels}, {height}, {width}", ""
    arrays = {"x": _numbers(chance, batch * channels * height * width)}
    if name == "resize2d":
        height, width = max(height, 1), max(width, 1)
        arrays = {"x": _numbers(chance, batch * channels * height * width)}
        out = [chance.randint(0, 20), chance.randint(0, 20)]
        flags = ", ".join(f"{flag}={str(chance.random() < 0.5).lower()}" for flag in ("linear", "align_corners"))
        text = f"[y], [x], {batch}, {channels}, {height}, {width}, {out[0]}, {out[1]}, {flags}"
    elif "pool" in name:
        more = f", ceil_mode={str(chance.random() < 0.5).lower()}"
        more += f", dilation={numbers(dilation)}" if name == "max_pool2d" else ""
        text = f"[y], [x], {image}, {kernel[0]}, {kernel[1]}, {window}{more}"
    else:
        arrays["w"] = _numbers(chance, channels * outs // groups * kernel[0] * kernel[1])
        sizes = f"{batch}, {channels}, {outs}, {height}, {width}, {kernel[0]}, {kernel[1]}"
        text = f"[y], [x], [w], {sizes}, {window}, dilation={numbers(dilation)}, groups={groups}"
    size = batch * max(channels, outs) * max(40, height * 4 + 12) * max(40, width * 4 + 12)
    wanted = _run(reference(), ty, f"{name}.{ty} {text}", size, arrays)
    found = _run(device, ty, f"{name}.{ty} {text}", size, arrays)
    bound: Any = 8 * UNIT[ty] * np.abs(arrays["x"]).max(initial=0)
    if "w" in arrays:
        squares = {"x": arrays["x"] ** 2, "w": np.ones_like(arrays["w"])}
        norms = np.sqrt(_run(reference(), "f64", f"{name}.f64 {text}", size, squares))
        k = max(channels // groups * kernel[0] * kernel[1], 1)
        most = np.sqrt(k) * np.abs(arrays["w"]).max(initial=0)
        bound = np.sqrt(k) * 2.0**-22 * norms * most + UNIT[ty] * np.abs(wanted)
    with np.errstate(invalid="ignore"):
        far = np.abs(found - wanted)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted)) | (far <= bound)
    return "" if same.all() else f"{name}.{ty} {text} (seed {seed}): {np.flatnonzero(~same)[:5]} differ"


def main() -> int:
    count, *names = sys.argv[1:]
    bad = 0
    for name, opened in zip(names, open_devices(names), strict=True):
        for operation in OPERATIONS:
            found = [text for seed in range(int(count)) if (text := wrong(operation, seed, opened.device))]
            print(f"{name}: {operation}: {count} cases, {len(found)} wrong", *found[:3], sep="\n  ", flush=True)
            bad += len(found)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
