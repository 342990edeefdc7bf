"""`python -m tests.accuracy`: how far operations of the tensor library are from F64, on random shapes and types; those
in F64 from what NumPy computes in long doubles, which on x86 have 11 bits more.

The contract says how far they may be. What is told is the worst case of each operation and type, as a share of that:
all of them have to be at most 1. A third of the shapes go beyond two tiles.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import hologram_web as hg
from hologram_web.isa import Type
from hologram_web.isa.row import REQUIRED
from hologram_web.isa.table import BY_NAME
from hologram_web.tensor.families import operation
from hologram_web.tensor.operation import Operands
from hologram_web_tools.cpu.vector_ops import VECTOR_OPS

from .fuzz.devices import PATIENT, open_devices

__all__ = ["CASES", "Case", "share"]

Random = np.random.Generator
FLOATS = (Type.F16, Type.BF16, Type.F32, Type.F64)
_DIGITS = {Type.F16: 11, Type.BF16: 8, Type.F32: 24, Type.F64: 53}


@dataclass(frozen=True)
class Case:
    """An instruction: its numbers by name, elements of what it reads, how many elements it writes. `allowed` is how far
    each of them may be from F64, from what is wanted, without the rounding of the result."""

    numbers: dict[str, Any]
    arrays: dict[str, Any]
    count: int
    allowed: Callable[[Any, Type], Any]
    widest: Any = np.longdouble  # what its definition takes


def _length(chance: Random, most: int) -> int:
    """A third of the lengths are long."""
    return int(chance.integers(1, most if chance.random() < 0.34 else max(most // 8, 2)))


def _unit(ty: Type, most: int = 24) -> float:
    """One in the last place of what is computed with: halves are, in F32."""
    return 2.0 ** -(53 if ty is Type.F64 else most)


def _of_row(columns: int, inner: int = 1) -> Callable[[Any, Type], Any]:
    """8 in the last place that the greatest of the row has in the type; elements of a row lie `inner` apart."""

    def allowed(wanted: Any, ty: Type) -> Any:
        shape = (wanted.size // (columns * inner), columns, inner)
        most = np.abs(wanted.reshape(shape)).max(axis=1, keepdims=True)
        unit = np.ldexp(1.0 * (most > 0), np.frexp(most)[1] - _DIGITS[ty])
        return np.broadcast_to(8 * unit, shape).ravel()

    return allowed


def _fft(chance: Random) -> Case:
    n, batch = _length(chance, 3000), int(chance.integers(1, 4))
    inverse, real = bool(chance.integers(2)), bool(chance.integers(2))
    half, row = 2 * (n // 2 + 1), 2 * n
    read, written = (n, half) if real else (row, row)
    if inverse:
        read, written = written, read
    given = chance.standard_normal(batch * read)

    def allowed(wanted: Any, ty: Type) -> Any:
        norms = np.sqrt((wanted.reshape(batch, written) ** 2).sum(axis=1, keepdims=True))
        far = max(np.log2(n), 1) * (2.0**-51 if ty is Type.F64 else 2.0**-22)
        return np.broadcast_to(far * norms, (batch, written)).ravel()

    numbers = {"n": n, "batch": batch, "inverse": inverse, "real": real}
    return Case(numbers, {"input": given}, batch * written, allowed, widest=np.float64)


def _attention(chance: Random) -> Case:
    batch, heads = int(chance.integers(1, 3)), int(chance.integers(1, 4))
    queries, keys, dim = _length(chance, 200), _length(chance, 200), _length(chance, 90)
    sizes = {"query": queries, "key": keys, "value": keys}
    arrays = {name: chance.standard_normal(batch * heads * size * dim) for name, size in sizes.items()}
    causal = bool(chance.integers(2))
    if chance.integers(2):
        arrays["mask"] = np.where(chance.random(queries * keys) < 0.2, -np.inf, chance.standard_normal(queries * keys))
    numbers = {"batch": batch, "heads": heads, "seq_len": queries, "kv_len": keys, "head_dim": dim, "causal": causal}

    def allowed(wanted: Any, ty: Type) -> Any:
        norms = [np.sqrt((arrays[name].reshape(-1, dim) ** 2).sum(axis=1).max()) for name in ("query", "key")]
        scores = norms[0] * norms[1] / np.sqrt(dim)
        return np.sqrt(dim + keys) * 4 * _unit(ty) * np.abs(arrays["value"]).max() * (1 + scores) + 0 * wanted

    return Case(numbers, arrays, batch * heads * queries * dim, allowed)


def _rope(chance: Random) -> Case:
    batch, queries, heads, dim = (_length(chance, most) for most in (4, 50, 6, 90))
    size = batch * queries * heads * dim
    arrays = {"input": chance.standard_normal(size), "freqs": chance.random(queries * (dim // 2)) * 50}
    numbers = {"batch": batch, "seq_len": queries, "heads": heads, "head_dim": dim}
    return Case(numbers | {"interleaved": bool(chance.integers(2))}, arrays, size, _of_row(dim))


def _softmax(chance: Random) -> Case:
    outer, n, inner = _length(chance, 20), _length(chance, 900), int(chance.choice([1, 1, 2, 13]))
    count = outer * n * inner
    given = chance.standard_normal(count) * 5
    return Case({"outer": outer, "n": n, "inner": inner}, {"input": given}, count, _of_row(n, inner))


def _norm(chance: Random) -> Case:
    rows, n = _length(chance, 20), _length(chance, 900) + 1
    arrays = {"input": chance.standard_normal(rows * n) * 3, "gamma": chance.standard_normal(n)}
    return Case({"rows": rows, "n": n}, arrays, rows * n, _of_row(n))


CASES: dict[str, Callable[[Random], Case]] = {
    "FFT": _fft,
    "Attention": _attention,
    "FlashAttention": _attention,
    "RoPE": _rope,
    "Softmax": _softmax,
    "LogSoftmax": _softmax,
    "RMSNorm": _norm,
}


def share(device: Any, name: str, ty: Type, chance: Random) -> float:
    """How far a random case is from F64, of how far it may be."""
    case, row = CASES[name](chance), BY_NAME[name]
    wide = case.widest if ty is Type.F64 else np.float64  # what NumPy adds up in F64 may be as far from right
    rounded = {operand: _converted(ty, Type.F64, data) for operand, data in case.arrays.items()}
    exact = {operand: _converted(Type.F64, ty, data).astype(wide) for operand, data in rounded.items()}
    values = {operand.name: operand.default for operand in row.operands}
    values |= {"ty": ty} | case.numbers | dict.fromkeys(rounded, True)
    reference = operation(name).reference
    assert reference is not None
    wanted = np.asarray(reference(np, Operands(values, {}), **exact), wide).ravel()

    words, params = [], [f".param output: buffer {ty} write"]
    for operand in row.operands:
        if operand.name == "output" or operand.name in rounded:
            word = f"[{operand.name}]"
        elif operand.name in case.numbers:
            word = str(case.numbers[operand.name]).lower()
        else:
            continue
        words.append(word if operand.default is REQUIRED else f"{operand.name}={word}")
    params += [f".param {operand}: buffer {ty} read" for operand in rounded]
    program = hg.Program.from_text("\n".join([*params, f"    {row.mnemonic}.{ty} {', '.join(words)}"]))
    output = device.allocate_buffer(max(case.count * ty.size_bytes, 4))
    handles = {"output": output}
    for each, data in rounded.items():
        handles[each] = device.allocate_buffer(max(data.nbytes, 4))
        device.copy_to_buffer(handles[each], data.tobytes())
    device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), handles))
    found = np.frombuffer(device.copy_from_buffer(output)[: case.count * ty.size_bytes], ty.numpy)
    for handle in handles.values():
        device.free_buffer(handle)
    least = 2.0**-25 if ty is Type.F16 else 1e-300  # of subnormal results
    rounding = np.abs(wanted) * 2.0 ** -_DIGITS[ty] + least
    away = np.abs(_converted(Type.F64, ty, found) - wanted)
    return float((away / (case.allowed(wanted, ty) + rounding)).max(initial=0))


def _converted(ty: Type, source: Type, values: Any) -> Any:
    with np.errstate(invalid="ignore"):  # infinities are
        return values if ty is source else VECTOR_OPS.cvt(ty, source, values)


def worst(device: Any, name: str, count: int, seed: int) -> Iterator[tuple[Type, float]]:
    """The worst of `count` cases, by type."""
    for number, ty in enumerate(FLOATS):
        chance = np.random.default_rng((seed, number))
        yield ty, max(share(device, name, ty, chance) for _ in range(max(count // len(FLOATS), 1)))


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy", description=__doc__)
    parser.add_argument("--devices", default="wasm", help="names, with commas between them (%(default)s)")
    parser.add_argument("--only", default="", help="instructions whose names begin with this")
    parser.add_argument("--count", type=int, default=200, help="cases of each instruction (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(words)
    bad = 0
    names = options.devices.split(",")
    for name, opened in zip(names, open_devices(names, PATIENT), strict=True):
        for title in (each for each in CASES if each.startswith(options.only)):
            found = dict(worst(opened.device, title, options.count, options.seed))
            bad += sum(value > 1 for value in found.values())
            print(name, title, *(f"{ty} {value:.3f}" for ty, value in found.items()), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
