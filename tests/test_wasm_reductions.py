"""Reductions in vectors on `wasm` have the bits of `cpu`, and ArgMin and ArgMax find what NumPy's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg

TYPES = {"i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2", "i32": "i4", "i64": "i8", "u64": "u8", "f16": "f2"}
TYPES |= {"f32": "f4", "f64": "f8"}


def _data(ty: str, kind: str, count: int) -> np.ndarray[Any, Any]:
    rng, dtype = np.random.default_rng(count), np.dtype(TYPES[ty])
    if kind == "bits":
        return rng.integers(0, 256, count * dtype.itemsize, dtype="u1").view(dtype)
    if kind == "few":
        return rng.integers(0, 3, count).astype(dtype)
    data = rng.standard_normal(count) * (2e-6 if kind == "tiny" else 1)
    if kind == "infinite":
        data[count // 2] = -np.inf
    if kind == "zeros":
        data[:] = -0.0
    return data.astype(dtype)


def _kinds(ty: str) -> tuple[str, ...]:
    return ("bits", "few", "normal", "tiny", "infinite", "zeros") if ty[0] == "f" else ("bits", "few")


@pytest.mark.parametrize("ty", TYPES)
def test_parallel_reduce(ty: str) -> None:
    with hg.Executor("wasm", threads=1) as wasm, hg.Executor("cpu") as cpu:
        for count in (1, 33, 2049):
            for op in ("add", "max", "min", "mul"):
                program = hg.Program.from_text(
                    f".param z: buffer {ty}\n.param x: buffer {ty}\n    parallel_reduce.{op}.{ty} [z], [x], {count}\n"
                )
                for kind in _kinds(ty):
                    data, found = _data(ty, kind, count), []
                    for executor in (wasm, cpu):
                        out = executor.array(np.zeros(1, TYPES[ty]))
                        executor.run(program, 1, z=out, x=executor.array(data))
                        found.append(out.numpy())
                    alike = found[0].tobytes() == found[1].tobytes() or (found[0] != found[0] and found[1] != found[1])
                    assert alike, (op, count, kind, found)


@pytest.mark.parametrize("ty", TYPES)
@pytest.mark.parametrize(("op", "wanted"), [("arg_max", np.argmax), ("arg_min", np.argmin)])
def test_places(ty: str, op: str, wanted: Any) -> None:
    with hg.Executor("wasm", threads=1) as executor:
        for rows, n in ((3, 7), (2, 129), (2, 700)):
            program = hg.Program.from_text(
                f".param z: buffer i32\n.param x: buffer {ty}\n    {op}.{ty} [z], [x], {rows}, {n}\n"
            )
            for kind in _kinds(ty):
                data, out = _data(ty, kind, rows * n), executor.array(np.zeros(rows, "i4"))
                executor.run(program, 1, z=out, x=executor.array(data))
                assert (out.numpy() == wanted(data.reshape(rows, n), axis=1)).all(), (rows, n, kind)
