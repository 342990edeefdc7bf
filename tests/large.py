"""Operations of the tensor library on an array of more than 2^31 bytes: `python -m tests.large`, on the device wasm.

It needs 2.3 GB of memory. Each line is an operation, whether what it gave is right, and its seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

import hologram_web as hg

ROWS, COLUMNS = 560_000, 1000
COUNT = ROWS * COLUMNS  # of F32: 2.24 GB
LAST = f"[x + {4 * (COUNT - COLUMNS)}]"  # the last row
# What is done one after another with x, and what is in y then, from its first element on.
STEPS: list[tuple[str, Sequence[float]]] = [
    (f"fill.f32 [x], {COUNT}, 1.0", []),
    (f"fill.f32 [x + {4 * (COUNT - 1)}], 1, 3.0", []),
    (f"parallel_map.neg.f32 [x], [x], {COUNT}", []),
    (f"parallel_map_binary.add.f32 [x], [x], [x], {COUNT}", []),
    (f"parallel_reduce.min.f32 [y], [x], {COUNT}", [-6]),
    (f"parallel_reduce.add.f32 [y], [x], {COUNT}", [-2 * COUNT]),
    (f"arg_min.f32 [i], [x], 1, {COUNT}", [COUNT - 1]),
    (f"arg_min.f32 [i], [x], 1, {ROWS}, inner={COLUMNS}", [0] * (COLUMNS - 1) + [ROWS - 1]),
    (f"copy.f32 [y], {LAST}, {COLUMNS}", [-2] * (COLUMNS - 1) + [-6]),
    (f"gather.f32 [y], [x], [last], 1, {ROWS}, {COLUMNS}, 1", [-2] * (COLUMNS - 1) + [-6]),
    (f"layer_scale.f32 [y], {LAST}, [scale], 1, {COLUMNS}", [-1] * (COLUMNS - 1) + [-3]),
    (f"gemm.f32 [y], {LAST}, [scale], 1, 1, {COLUMNS}", [-COLUMNS - 2]),
    (f"softmax.f32 [y], {LAST}, 1, {COLUMNS}", [1 / (COLUMNS - 1 + np.exp(-4.0))] * 3),
]  # fmt: skip
_PARAMS = "".join(
    f".param {name}: buffer {ty} read_write\n"
    for name, ty in (("x", "f32"), ("y", "f32"), ("scale", "f32"), ("i", "i32"), ("last", "i32"))
)


def main() -> int:
    bad = 0
    with hg.Executor("wasm") as ex:
        arrays = {"x": ex.zeros(COUNT), "y": ex.zeros(COLUMNS), "scale": ex.array(np.full(COLUMNS, 0.5, np.float32))}
        arrays |= {"i": ex.array(np.zeros(COLUMNS, np.int32)), "last": ex.array(np.array([-1], np.int32))}
        for text, wanted in STEPS:
            program = hg.Program.from_text(f"{_PARAMS}    {text}\n")
            used = {param.name for param in program.params}
            start = time.perf_counter()
            ex.run(program, 1, **{name: array for name, array in arrays.items() if name in used})
            ex.sync()
            spent = time.perf_counter() - start
            found = arrays["i" if text.startswith("arg") else "y"].numpy()
            right = np.allclose(found[: len(wanted)], wanted, rtol=1e-5)
            bad += not right
            print(f"{'right' if right else 'WRONG'} {spent:6.2f} s  {text}", flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
