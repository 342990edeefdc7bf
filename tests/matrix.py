"""Every operation of arrays for every type against NumPy, at boundary sizes, on strided and broadcast operands:

    python -m tests.matrix --device wasm
    python -m tests.matrix --device webgpu --each 1 --seed 3

`--each N` takes N checks of each operation and type, at shapes and layouts that the seed draws, `--of N` every Nth of a
seeded order, `--only NAME` those of operations with this in their names. `--where chromium` computes in Pyodide, in
pages, where NumPy is not. What differs is listed, and the exit status is 1. tests/test_matrix.py runs a slice of it.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

import argparse
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, NamedTuple

import numpy as np

import hologram_web as hg
from hologram_web import array_api as xp

from .matrix_cases import CASES, Case
from .namespace import NamespaceOn

__all__ = ["Check", "checks", "computed", "failure", "judged", "operands"]

# Of each type: its kind, what it is in NumPy (floats of 16 bits as F32, which holds them), and how far results may be.
TYPES: dict[str, tuple[str, str, float]] = {
    "bool": ("b", "?", 0.0),
    **{f"{sign}{bits}": ("i", f"{sign}{bits // 8}", 0.0) for sign in "iu" for bits in (8, 16, 32, 64)},
    "f16": ("f", "f4", 4e-3), "bf16": ("f", "f4", 3e-2), "f32": ("f", "f4", 2e-5), "f64": ("f", "f8", 1e-11),
    "complex64": ("c", "c8", 1e-4), "complex128": ("c", "c16", 1e-10),
}  # fmt: skip
_WIDE = ("f32", "f64", "complex64", "complex128")
_REAL = {"complex64": "f32", "complex128": "f64"}
_SUMS = {"bool": "i32", "i8": "i32", "i16": "i32", "u8": "u32", "u16": "u32"}

# Primes, and lengths beyond two blocks of lanes (256), rows (32) and tiles of products (64).
ANY = ((0,), (1,), (13,), (521,), (8209,), (0, 3), (3, 0), (1, 1), (7, 13), (131, 67), (3, 5, 7))
SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "any": ANY,
    "some": tuple(shape for shape in ANY if 0 not in shape),
    "matrix": ((1, 1), (1, 17), (7, 13), (131, 67), (67, 257)),
    "any matrix": ((0, 5), (5, 0), (1, 1), (1, 17), (7, 13), (131, 67), (67, 257)),
    "square": ((1, 1), (2, 2), (7, 7), (13, 13), (37, 37)),
    "spectrum": ((1,), (2,), (13,), (521,), (4, 8), (5, 7)),
}
LAYOUTS = ("plain", "strided", "reversed", "transposed", "offset", "broadcast")


class Check(NamedTuple):
    """One operation on operands of one type, shape and layout."""

    case: str
    ty: str
    shape: tuple[int, ...]
    layout: str

    def __str__(self) -> str:
        return f"{self.case}: {self.ty}{list(self.shape)}, {self.layout}"


def checks(seed: int = 0, of: int = 1, only: str = "", each: int = 0) -> list[Check]:
    """All of them in a seeded order, or every `of`th; of each operation and type the first `each`."""
    found = [
        Check(name, ty, shape, layout)
        for name, case in CASES.items()
        if only in name
        for ty, (kind, _, _) in TYPES.items()
        if kind in case.kinds and (ty in _WIDE or case.form not in ("square", "spectrum"))
        for shape in SHAPES[case.form]
        for layout in LAYOUTS
        # One row again and again is a singular matrix.
        if not (case.form == "square" and layout == "broadcast")
    ]
    Random(seed).shuffle(found)
    if each:
        seen: Counter[tuple[str, str]] = Counter()
        kept, found = found, []
        for check in kept:
            seen[check.case, check.ty] += 1
            if seen[check.case, check.ty] <= each:
                found.append(check)
    return found[::of]


def _drawn(rng: np.random.Generator, ty: str, shape: tuple[int, ...], values: str) -> np.ndarray[Any, Any]:
    kind, name, _ = TYPES[ty]
    if kind == "b":
        return rng.random(shape) < 0.6
    if kind == "i":
        return _integers(rng, np.iinfo(name), shape, values).astype(name)
    if kind == "c":
        real = "f4" if ty == "complex64" else "f8"
        made = _floats(rng, shape, values) + 1j * _floats(rng, shape, values).astype(real)
        return np.asarray(made).astype(name)
    return _floats(rng, shape, values).astype(name)


def _integers(rng: np.random.Generator, limits: Any, shape: tuple[int, ...], values: str) -> np.ndarray[Any, Any]:
    low, high = max(int(limits.min), -20), min(int(limits.max), 20)
    if values == "exponent":
        return rng.integers(0, 4, shape)
    if values.startswith("positive"):
        low = 1
    found = rng.integers(low, high, shape, endpoint=True)
    if values in ("nonzero", "near 1"):
        found = np.where(found == 0, 3, found)
    elif values == "any" and limits.bits < 64:  # the ends: what wraps
        found = np.where(rng.random(shape) < 0.05, rng.choice([int(limits.min), int(limits.max)], shape), found)
    return found


def _floats(rng: np.random.Generator, shape: tuple[int, ...], values: str) -> np.ndarray[Any, Any]:
    """Multiples of 1/8, which floats of 16 bits hold."""
    if values == "exponent":
        return rng.integers(-2, 3, shape) / 2
    if values == "near 1":
        return rng.choice([-1.0, 1.0], shape)
    if values == "regular":  # with a large diagonal
        eye = np.eye(*shape) if len(shape) == 2 else 0
        return rng.integers(-8, 9, shape) / 8 + eye * 2 * (shape[-1] if shape else 1)
    low, high = {"unit": (-7, 7), "positive": (1, 32), "positive from 1": (8, 32)}.get(values, (-32, 32))
    found = rng.integers(low, high, shape, endpoint=True) / 8
    return np.where(found == 0, 0.625, found) if values == "nonzero" else found


def _laid_out(shape: tuple[int, ...], layout: str) -> tuple[tuple[int, ...], Any]:
    """The shape that is made, and what makes a view of `shape` of it."""
    if layout == "strided":
        return (*shape[:-1], max(2 * shape[-1] - 1, 0)), lambda p, x: x[..., ::2]
    if layout == "reversed":
        return shape, lambda p, x: x[..., ::-1]
    if layout == "transposed":
        return shape[::-1], lambda p, x: p.permute_dims(x, tuple(range(len(shape)))[::-1])
    if layout == "offset":
        return (shape[0] + 1, *shape[1:]), lambda p, x: x[1:]
    if layout == "broadcast":
        return (1, *shape[1:]), lambda p, x: p.broadcast_to(x, shape)
    return shape, lambda p, x: x


def _layouts(check: Check, case: Case) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Shapes of operands with what makes views of them: the second one has the next layout, and where it may, fewer
    axes."""
    for number in range(case.operands):
        layout = LAYOUTS[(LAYOUTS.index(check.layout) + number) % len(LAYOUTS)]
        yield _laid_out(check.shape, "plain" if number and case.form == "square" else layout)


def operands(check: Check) -> list[np.ndarray[Any, Any]]:
    """What a check is done with, before views are made of it."""
    case, rng = CASES[check.case], np.random.default_rng(zlib.crc32(str(check).encode()))
    shapes = [shape for shape, _ in _layouts(check, case)]
    return [_drawn(rng, check.ty, shape, values) for shape, values in zip(shapes, case.values, strict=False)]


def computed(ex: hg.Executor, check: Check, arrays: Sequence[Any]) -> list[Any]:
    """Our results, without NumPy, of arrays with the elements of the operands."""
    case = CASES[check.case]
    views = [view for _, view in _layouts(check, case)]
    here = [view(xp, x.astype(_type(check.ty)).realize()) for x, view in zip(arrays, views, strict=True)]
    return _listed(case.run(NamespaceOn(ex), *here))


def _result(ty: str, gives: str) -> str | None:
    if gives == "float":
        return {"i64": "f64", "u64": "f64"}.get(ty, "f32") if TYPES[ty][0] in "bi" else ty
    if gives == "real":
        return _REAL.get(ty, ty)
    if gives == "sum":
        return _SUMS.get(ty, ty)
    return {"same": ty, "bool": "bool", "index": "i32"}.get(gives)


def _listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _seen(found: Any) -> np.ndarray[Any, Any]:
    """A result of ours for NumPy, which has no bfloat16."""
    return np.asarray(found.astype(hg.f32).numpy() if str(found.dtype) in ("f16", "bf16") else found.numpy())


def failure(ex: hg.Executor, check: Check) -> str:
    """What is wrong, or nothing."""
    given = operands(check)
    try:
        found = computed(ex, check, [xp.asarray(x, device=ex) for x in given])
        seen = [(str(each.dtype), _seen(each)) for each in found]
    except Exception as error:  # every error is one that the list has to show
        return f"{type(error).__name__}: {str(error)[:300]}"
    return judged(check, given, seen)


def judged(
    check: Check, given: Sequence[np.ndarray[Any, Any]], found: Sequence[tuple[str, np.ndarray[Any, Any]]]
) -> str:
    """What is wrong with results and their types for these operands, or nothing."""
    case = CASES[check.case]
    _, name, _ = TYPES[check.ty]
    there = [view(np, x) for x, (_, view) in zip(given, _layouts(check, case), strict=True)]
    if case.floats and TYPES[check.ty][0] == "i":
        there = [x.astype("f8" if name in ("i8", "u8") else "f4") for x in there]
    with np.errstate(all="ignore"):
        expected = _listed((case.theirs or (lambda *some: case.run(np, *some)))(*there))
    if len(found) != len(expected):
        return f"{len(found)} results, not {len(expected)}"
    wanted = _result(check.ty, case.gives)
    for (ty, result), right in zip(found, map(np.asarray, expected), strict=True):
        if wanted is not None and ty != wanted:
            return f"a result of {ty}, not {wanted}"
        if result.shape != right.shape:
            return f"a result of shape {result.shape}, not {right.shape}"
        if told := _differ(result, right, 0.0 if case.exact else TYPES[ty][2]):
            return told
    return ""


def _type(name: str) -> Any:
    return getattr(hg, {"bool": "bool_"}.get(name, name))


def _differ(found: np.ndarray[Any, Any], right: np.ndarray[Any, Any], tolerance: float) -> str:
    """Where results are not alike: the first place. Beside the largest element small ones may be further away."""
    if not right.size:
        return ""
    if right.dtype.kind in "iub" and found.dtype.kind in "iub":
        wrong = found != right.astype(found.dtype)
    else:
        finite = np.abs(right[np.isfinite(right)])
        near = tolerance * max(1.0, float(finite.max()) if finite.size else 1.0)
        wrong = ~np.isclose(found, right, rtol=tolerance, atol=near if tolerance else 0.0, equal_nan=True)
    if not wrong.any():
        return ""
    place = tuple(map(int, np.unravel_index(int(np.argmax(wrong)), wrong.shape)))
    return f"{int(wrong.sum())} of {wrong.size} differ, at {place} {found[place]!r} from {right[place]!r}"


@contextmanager
def _place(where: str, device: str) -> Iterator[Callable[[Sequence[Check]], Iterator[tuple[Check, str]]]]:
    """What says of checks, one after the other, what is wrong."""
    if where == "chromium":
        from .matrix_page import failures

        yield lambda wanted: failures(wanted, device)
    else:
        with hg.Executor(device) as ex:
            yield lambda wanted: ((check, failure(ex, check)) for check in wanted)


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="wasm")
    parser.add_argument("--where", choices=("native", "chromium"), default="native")
    parser.add_argument("--of", type=int, default=1, help="every so many-th check")
    parser.add_argument("--each", type=int, default=0, help="so many checks of each operation and type")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="operations with this in their names")
    parser.add_argument("--first", type=int, default=0, help="leave out so many checks of those")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no check after so long")
    options = parser.parse_args(given)
    wanted = checks(options.seed, options.of, options.only, options.each)[options.first :]
    wrong: Counter[str] = Counter()
    begun, done = time.perf_counter(), 0
    with _place(options.where, options.device) as found:
        for check, told in found(wanted):
            done += 1
            if told:
                wrong[check.case] += 1
                print(f"{check}: {told}", flush=True)
            if time.perf_counter() - begun > options.seconds:
                break
    took = time.perf_counter() - begun
    checked = f"{done:,} of {len(wanted):,} checks of {len(CASES)} operations"
    place = " in Chromium" if options.where == "chromium" else ""
    print(f"{options.device}{place}: {checked}, {wrong.total()} wrong, {took:.0f} s")
    for name, count in wrong.most_common():
        print(f"  {name}: {count}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
