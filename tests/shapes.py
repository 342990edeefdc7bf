"""Operations of the tensor library of random shapes and types against `cpu`: `python -m tests.shapes 200 wasm webgpu`.

Those that tests/accuracy.py does not have. Where isa.md says so, and for sums of products, whose order is in
docs/contract.md, the bits have to be its; such sums, and others, have isa.md's bounds, too: sqrt(k) * 2**-22 *
norm(a) * norm(b) from F64 for sums of products, 8 units of a row for norms, and half a unit for each of the two
roundings of the result. Nearly a third of the cases go beyond two tiles of every schedule. Behind each array lie
elements that nobody may touch.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from hologram_web.isa.types import Type
from hologram_web.tensor.families import operation
from hologram_web.tensor.operation import Operands

from . import windows
from .collective import UNIT, Array, Bound, Case, Chance, difference, listed, near, numbers, random_of, types_of, whole
from .fuzz.devices import PATIENT, open_devices

__all__ = ["CASES", "wrong"]

_LARGE = 0.3  # the part of the cases that goes beyond two tiles


def _floats(chance: Chance, size: int) -> Array:
    return random_of(chance).standard_normal(size)


def _sizes(chance: Chance, large: bool, count: int) -> list[int]:
    """Lengths, of a tile at most or of more than two; 0 and 1 are among them."""
    some = [chance.choice([0, 1, 2, 3, 7, chance.randint(1, 40)]) for _ in range(count)]
    return [chance.randint(130, 200) for _ in some] if large else some


def _flag(chance: Chance, name: str) -> str:
    return f", {name}={str(chance.random() < 0.5).lower()}"


# Products


def _product(chance: Chance, ty: str, large: bool, batch: int = 1, result: str = "", more: str = "") -> Case:
    m, n, k = _sizes(chance, large, 3)
    trans_a, trans_b = chance.random() < 0.5, chance.random() < 0.5
    alpha, beta = chance.choice([1.0, 0.5, -2.0]), chance.choice([0.0, 0.0, 1.0, -0.5])
    sizes, strides = {"a": m * k, "b": k * n, "c": m * n}, {}
    for name, size in sizes.items():
        strides[name] = size + (chance.randint(0, 5) if more else 0)
        if more and name != "c" and chance.random() < 0.2:
            strides[name] = 0
    lengths = {name: (batch - 1) * strides[name] * (batch > 0) + size for name, size in sizes.items()}
    lengths = {name: max(length, 0) for name, length in lengths.items()}
    make = _floats if ty in UNIT else lambda chance, size: numbers(chance, ty, size)
    arrays = {name: make(chance, length) for name, length in lengths.items()}
    text = f"[c], [a], [b], {f'{batch}, ' if more else ''}{m}, {n}, {k}, alpha={alpha}, beta={beta}"
    text += f", trans_a={str(trans_a).lower()}, trans_b={str(trans_b).lower()}"
    if more:
        text += f", strides={listed(strides.values())}"
    if chance.random() < 0.5:
        text, arrays["bias"] = f"{text}, bias=[bias]", make(chance, n)
    if ty not in UNIT:
        return Case(text, arrays)
    about = np.zeros(lengths["c"])
    for each in range(batch):
        left, right, old = (arrays[name][each * strides[name] :][: sizes[name]] for name in "abc")
        a = left.reshape(k, m).T if trans_a else left.reshape(m, k)
        b = right.reshape(n, k).T if trans_b else right.reshape(k, n)
        norms = np.sqrt((a * a).sum(1))[:, None] * np.sqrt((b * b).sum(0))[None, :]
        added = abs(beta * old.reshape(m, n)) + abs(arrays.get("bias", np.zeros(n)))
        about[each * strides["c"] :][: m * n] = (abs(alpha) * norms + added).ravel()
    return Case(text, arrays, {"c": near(result or ty, k, about)}, sums="batched_gemm" if more else "gemm")


def _batched(chance: Chance, ty: str, large: bool) -> Case:
    return _product(chance, ty, large, chance.choice([0, 1, 2, 3]), more="strides")


def _mixed(chance: Chance, ty: str, large: bool) -> Case:
    return _product(chance, ty, large, result="f32")


def _quantized(chance: Chance, ty: str, large: bool) -> Case:
    """The sum is exact, and the other steps are rounded one by one: the bits are the same."""
    m, n, k = _sizes(chance, large, 3)
    bits, each = chance.choice([8, 4]), chance.random() < 0.5
    many, least = n if each else 1, -128 if ty == "i8" else 0
    arrays = {
        "c": np.zeros(m * n),
        "a": random_of(chance).integers(least, least + 256, m * k),
        "b": random_of(chance).integers(least, least + 256, -(-k * n * bits // 8)),
        "a_scale": np.array([chance.uniform(0.01, 2)]),
        "b_scale": random_of(chance).uniform(0.01, 2, many),
    }
    text = f"[c], [a], [b], {m}, {n}, {k}, [a_scale], [b_scale], bits={bits}, per_channel={str(each).lower()}"
    for name, size in (("a_zero", 1), ("b_zero", many)):
        if chance.random() < 0.5:
            text, arrays[name] = f"{text}, {name}=[{name}]", random_of(chance).integers(least, least + 256, size)
    if chance.random() < 0.5:
        text, arrays["bias"] = f"{text}, bias=[bias]", _floats(chance, n)
    return Case(text, arrays)


def _sparse(chance: Chance, ty: str, large: bool) -> Case:
    m, n, k = (max(size, 1) for size in _sizes(chance, large, 3))
    counts = random_of(chance).integers(0, min(k, 20) + 1, m)
    ends = np.concatenate([[0], np.cumsum(counts)])
    alpha, beta = chance.choice([1.0, -2.0]), chance.choice([0.0, 0.5])
    arrays = {
        "c": _floats(chance, m * n),
        "a_values": _floats(chance, ends[-1]),
        "a_indices": random_of(chance).integers(0, k, ends[-1]),
        "a_ptr": ends,
        "b": _floats(chance, k * n),
    }
    about, rows = np.zeros((m, n)), arrays["b"].reshape(k, n)
    for i in range(m):
        here = slice(ends[i], ends[i + 1])
        squares = (rows[arrays["a_indices"][here]] ** 2).sum(0)
        about[i] = abs(alpha) * np.sqrt((arrays["a_values"][here] ** 2).sum() * squares)
    about += abs(beta) * abs(arrays["c"].reshape(m, n))
    text = f"[c], [a_values], [a_indices], [a_ptr], [b], {m}, {n}, {k}, alpha={alpha}, beta={beta}"
    bounds = {"c": near(ty, int(counts.max(initial=0)), about.ravel())}
    case = Case(text, arrays, bounds, sums="sparse_gemm")
    return whole(chance, ty, case, "c", "a_values", "b")


def _contraction(chance: Chance, ty: str, large: bool) -> Case:
    """Axes of the batch, free ones and contracted ones, in any order in each of the operands."""
    batch, free, inner = chance.randint(0, 1), [chance.randint(0, 2) for _ in "ab"], chance.randint(0, 2)
    most = 200 if large else 6
    names = list(range(batch + inner))
    lengths: dict[int, int] = {}
    for axis in names:
        lengths[axis] = chance.randint(1, 4)
    sides = []
    for side in (0, 1):
        own = [*names, *(100 * (side + 1) + axis for axis in range(free[side]))]
        for axis in own[len(names) :]:
            lengths[axis] = chance.randint(1, most if axis % 100 == 0 else 4)
        chance.shuffle(own)
        sides.append(own)
    if inner:
        lengths[batch] = chance.randint(130, 200) if large else chance.randint(0, 9)
    shapes = [tuple(lengths[axis] for axis in own) for own in sides]
    of_batch, of_inner = (
        tuple((sides[0].index(axis), sides[1].index(axis)) for axis in axes) for axes in (names[:batch], names[batch:])
    )
    arrays = {"a": _floats(chance, prod(shapes[0])), "b": _floats(chance, prod(shapes[1]))}
    numbers = {"shape_a": shapes[0], "shape_b": shapes[1], "contract_dims": of_inner, "batch_dims": of_batch}
    contracted: Any = operation("TensorContract").reference
    ones = {name: np.ones_like(values) for name, values in arrays.items()}
    squares = [
        contracted(np, Operands(numbers | {"ty": Type.F64}, {}), **(ones | {name: arrays[name] ** 2})).ravel()
        for name in ("a", "b")
    ]
    arrays = {"output": np.zeros(squares[0].size), **arrays}
    pairs = [f"({', '.join(f'{one}:{other}' for one, other in dims)})" for dims in (of_inner, of_batch)]
    text = f"[output], [a], [b], {listed(shapes[0])}, {listed(shapes[1])}, {pairs[0]}, batch_dims={pairs[1]}"
    k = prod(lengths[axis] for axis in names[batch:])
    case = Case(text, arrays, {"output": near(ty, k, np.sqrt(squares[0] * squares[1]))}, sums="tensor_contract")
    return whole(chance, ty, case, "a", "b")


# Norms


def _affine(ty: str, rows: int, beta: Array) -> Bound:
    """8 units of a row without what is added to it, and of that."""

    def bound(wanted: Array) -> Any:
        length = wanted.size // max(rows, 1)
        most = abs((wanted - beta).reshape(rows, length)).max(axis=1, keepdims=True, initial=0)
        return 8 * UNIT[ty] * (np.repeat(most, length, axis=1).ravel() + abs(beta))

    return bound


def _layer_norm(chance: Chance, ty: str, large: bool) -> Case:
    rows, n = chance.randint(0, 20), chance.randint(500, 1500) if large else chance.randint(8, 60)
    arrays = {"output": np.zeros(rows * n), "input": 3 * _floats(chance, rows * n)}
    arrays |= {"gamma": _floats(chance, n), "beta": numbers(chance, ty, n)}
    return Case(
        f"[output], [input], [gamma], [beta], {rows}, {n}", arrays,
        {"output": _affine(ty, rows, np.tile(arrays["beta"], rows))},
    )  # fmt: skip


def _channels(chance: Chance, ty: str, large: bool, groups: int = 0, given: bool = False) -> Case:
    """Norms of images: `groups` of channels, or each channel; with the mean and the variance `given`."""
    batch, channels = chance.randint(1, 3), chance.randint(1, 6) * max(groups, 1)
    spatial = chance.randint(300, 900) if large else chance.randint(8, 50)
    size = batch * channels * spatial
    arrays = {"output": np.zeros(size), "input": 3 * _floats(chance, size)}
    arrays |= {"gamma": _floats(chance, channels), "beta": numbers(chance, ty, channels)}
    text, more = "[output], [input], [gamma], [beta]", f"{groups}, " if groups else ""
    if given:
        arrays |= {"mean": numbers(chance, ty, channels), "variance": abs(_floats(chance, channels)) + 0.5}
        text += ", [mean], [variance]"
    beta = np.tile(np.repeat(arrays["beta"], spatial), batch)
    bound = _affine(ty, batch * (groups or channels), beta)
    return Case(f"{text}, {batch}, {channels}, {more}{spatial}", arrays, {"output": bound})


def _layer_scale(chance: Chance, ty: str, large: bool) -> Case:
    rows, n = _sizes(chance, large, 2)
    arrays = {"output": np.zeros(rows * n), "input": _floats(chance, rows * n), "scale": _floats(chance, n)}
    return Case(f"[output], [input], [scale], {rows}, {n}", arrays)


# What has the bits of `cpu`


def _cache(chance: Chance, ty: str, large: bool) -> Case:
    batch, heads, dim = chance.randint(0, 3), chance.randint(1, 4), chance.randint(130, 200) if large else 5
    longest = chance.randint(1, 20)
    size = batch * heads * dim
    arrays = {"cache": numbers(chance, ty, size * longest), "new_kv": numbers(chance, ty, size)}
    text = f"[cache], [new_kv], {chance.randrange(longest)}, {batch}, {heads}, {dim}, {longest}"
    return Case(text, arrays)


def _random_numbers(chance: Chance, ty: str, large: bool) -> Case:
    count, normal = chance.randint(1000, 5000) if large else chance.randint(0, 60), chance.random() < 0.5 and ty in UNIT
    text = f"[output], {count}, {chance.randrange(1 << 31)}, offset={chance.randrange(1 << 20)}"
    bound: dict[str, Bound] = {"output": lambda wanted: 8 * UNIT[ty] * abs(wanted)} if normal else {}
    return Case(text + ", normal=true" * normal, {"output": np.zeros(count)}, bound)


def _gather(chance: Chance, ty: str, large: bool, each: bool = False) -> Case:
    outer, length, inner, count = _sizes(chance, large, 4)
    outer, length = min(outer, 5), max(length, 1)
    arrays = {"output": np.zeros(outer * count * inner), "input": numbers(chance, ty, outer * length * inner)}
    arrays["indices"] = random_of(chance).integers(-length, length, outer * count * inner if each else count)
    return Case(f"[output], [input], [indices], {outer}, {length}, {inner}, {count}", arrays)


def _scatter(chance: Chance, ty: str, large: bool) -> Case:
    outer, length, inner, count = _sizes(chance, large, 4)
    outer, length = min(outer, 5), max(length, 1)
    arrays = {
        "output": numbers(chance, ty, outer * length * inner),
        "input": numbers(chance, ty, outer * count * inner),
        "indices": random_of(chance).integers(-length, length, count),
    }
    text, more = f"[output], [input], [indices], {outer}, {length}, {inner}, {count}", _flag(chance, "accumulate")
    if more.endswith("false") or ty not in UNIT:
        return Case(text + more, arrays)
    # Each sum is rounded where it is stored. Those below 2 / UNIT in 64ths are exact.
    before, added = abs(arrays["output"]).reshape(outer, length, inner), abs(arrays["input"])
    most, often = before.copy(), np.zeros(length)
    np.add.at(most.swapaxes(0, 1), arrays["indices"], added.reshape(outer, count, inner).swapaxes(0, 1))
    np.add.at(often, arrays["indices"], 1)
    far = np.where(most * 64 > 2 / UNIT[ty], often[:, None] * UNIT[ty] * most, 0).ravel()
    return Case(text + more, arrays, {"output": lambda wanted: far})


def _along(chance: Chance, ty: str, large: bool, more: tuple[str, ...] = ()) -> Case:
    outer, n, inner = _sizes(chance, large, 3)
    outer, n, inner = min(outer, 5), max(n, 1), chance.choice([1, max(inner, 1)])
    size = outer * n * inner
    arrays = {"output": np.zeros(size if more else outer * inner), "input": numbers(chance, ty, size)}
    text = f"[output], [input], {outer}, {n}, inner={inner}"
    return Case(text + "".join(_flag(chance, name) for name in more), arrays)


def _sums(chance: Chance, ty: str, large: bool) -> Case:
    return _along(chance, ty, large, ("exclusive", "reverse"))


def _sort(chance: Chance, ty: str, large: bool) -> Case:
    outer, n = chance.randint(0, 4), chance.randint(300, 1000) if large else chance.randint(0, 40)
    arrays = {"output": np.zeros(outer * n), "input": numbers(chance, ty, outer * n)}
    text = f"[output], [input], {outer}, {n}{_flag(chance, 'descending')}"
    if chance.random() < 0.5:
        text, arrays["indices"] = f"{text}, indices=[indices]", np.zeros(outer * n)
    return Case(text, arrays)


def _top_k(chance: Chance, ty: str, large: bool) -> Case:
    outer, n = chance.randint(0, 4), chance.randint(300, 1000) if large else chance.randint(0, 40)
    k = chance.randint(0, n)
    arrays = {"output": np.zeros(outer * k), "indices": np.zeros(outer * k), "input": numbers(chance, ty, outer * n)}
    return Case(f"[output], [indices], [input], {outer}, {n}, {k}{_flag(chance, 'largest')}", arrays)


def _copy(chance: Chance, ty: str, large: bool) -> Case:
    n = chance.randint(600, 5000) if large else chance.randint(0, 60)
    return Case(f"[output], [input], {n}", {"output": np.zeros(n), "input": numbers(chance, ty, n)})


def _fill(chance: Chance, ty: str, large: bool) -> Case:
    n = chance.randint(600, 5000) if large else chance.randint(0, 60)
    return Case(f"[output], {n}, {chance.choice([0.5, -2.0]) if ty in UNIT else 7}", {"output": np.zeros(n)})


def _shape(chance: Chance, large: bool) -> list[int]:
    shape = [chance.choice([0, 1, 2, 3, 5]) for _ in range(chance.randint(1, 4))]
    return [chance.randint(130, 200), chance.randint(2, 5), chance.randint(10, 60)] if large else shape


def _transpose(chance: Chance, ty: str, large: bool) -> Case:
    shape = _shape(chance, large)
    axes = chance.sample(range(len(shape)), len(shape))
    arrays = {"output": np.zeros(prod(shape)), "input": numbers(chance, ty, prod(shape))}
    return Case(f"[output], [input], {listed(shape)}, {listed(axes)}", arrays)


def _slice(chance: Chance, ty: str, large: bool) -> Case:
    shape = _shape(chance, large)
    start, stop = ([chance.randint(-length - 2, length + 2) for length in shape] for _ in range(2))
    step = [chance.choice([1, 1, 2, -1, -3]) for _ in shape]
    parts = [range(*slice(*part).indices(length)) for length, *part in zip(shape, start, stop, step, strict=True)]
    arrays = {"output": np.zeros(prod(map(len, parts))), "input": numbers(chance, ty, prod(shape))}
    return Case(f"[output], [input], {', '.join(map(listed, (shape, start, stop, step)))}", arrays)


def _pad(chance: Chance, ty: str, large: bool) -> Case:
    shape = _shape(chance, large)
    before, after = ([chance.choice([0, 0, 1, 3]) for _ in shape] for _ in range(2))
    made = prod(sum(each) for each in zip(before, shape, after, strict=True))
    arrays = {"output": np.zeros(made), "input": numbers(chance, ty, prod(shape))}
    value = chance.choice([0, 3])
    return Case(f"[output], [input], {', '.join(map(listed, (shape, before, after)))}, value={value}.0", arrays)


def _concat(chance: Chance, ty: str, large: bool) -> Case:
    outer, a, b, inner = _sizes(chance, large, 4)
    outer, inner = min(outer, 5), min(inner, 9)
    arrays = {"output": np.zeros(outer * (a + b) * inner), "a": numbers(chance, ty, outer * a * inner)}
    arrays["b"] = numbers(chance, ty, outer * b * inner)
    return Case(f"[output], [a], [b], {outer}, {a}, {b}, {inner}", arrays)


_SIGNS = ("abs", "neg", "relu", "sign")
_UNITS = {"rcp": 3, "sqrt": 3, "rsqrt": 6, "exp": 4, "log": 4, "sin": 4, "cos": 4, "tan": 4, "tanh": 4, "log2": 4,
          "log10": 4, "erf": 4, "sigmoid": 6, "gelu": 6, "swish": 6, "div": 3, "pow": 6, "atan2": 6}  # fmt: skip


def _function(case: Case, ty: str) -> Case:
    """On shaders functions of F32, and of what is computed in it, may be some units off: isa.md section 3."""
    if case.of in _UNITS and ty in UNIT and ty != "f64":
        case.shaders["dst_array"] = lambda wanted: _UNITS[case.of] * UNIT[ty] * abs(wanted)
    return case


def _map(chance: Chance, ty: str, large: bool) -> Case:
    n = chance.randint(600, 5000) if large else chance.randint(0, 60)
    arrays = {"dst_array": np.zeros(n), "src_array": numbers(chance, ty, n)}
    floats = [*list(_UNITS)[:-3], "floor", "ceil", "round", "trunc"] if ty in UNIT else ["not"]
    return _function(Case(f"[dst_array], [src_array], {n}", arrays, of=chance.choice([*_SIGNS, *floats])), ty)


def _map_binary(chance: Chance, ty: str, large: bool) -> Case:
    n = chance.randint(600, 5000) if large else chance.randint(0, 60)
    arrays = {"dst_array": np.zeros(n), "src_a": numbers(chance, ty, n), "src_b": numbers(chance, ty, n)}
    more = ["div", "rem", "pow", "atan2"] if ty in UNIT else ["div", "rem", "and", "or", "xor"]
    of = chance.choice(["add", "sub", "mul", "min", "max", *more])
    if of in ("div", "rem") and ty not in UNIT:
        arrays["src_b"] = np.where(arrays["src_b"] == 0, 7, arrays["src_b"])
    return _function(Case(f"[dst_array], [src_a], [src_b], {n}", arrays, of=of), ty)


def _reduced(chance: Chance, ty: str, large: bool) -> Case:
    """Sums of any numbers: the order is the same everywhere. Products of few that are not 1 or -1."""
    n, of = (
        chance.randint(4097, 20_000) if large else chance.randint(0, 3000),
        chance.choice(["add", "min", "max", "mul"]),
    )
    given = _floats(chance, n) if ty in UNIT else numbers(chance, ty, n)
    if of == "mul" and ty in UNIT:
        given = random_of(chance).choice([1.0, 1.0, 1.0, -1.0], n)
        given[: 2 * (n > 2)] = 1.5
    arrays = {"dst": np.zeros(1), "src_array": given}
    return Case(f"[dst], [src_array], {n}", arrays, of=of)


def _all_reduce(chance: Chance, ty: str, large: bool) -> Case:
    n = chance.randint(600, 5000) if large else chance.randint(0, 60)
    return Case(f"[buffer], {n}", {"buffer": numbers(chance, ty, n)}, of=chance.choice(["add", "min", "max", "mul"]))


CASES: dict[str, Callable[[Chance, str, bool], Case]] = {
    "parallel_map": _map, "parallel_map_binary": _map_binary, "parallel_reduce": _reduced,
    "gemm": _product, "batched_gemm": _batched, "mixed_precision_gemm": _mixed, "quantized_gemm": _quantized,
    "sparse_gemm": _sparse, "tensor_contract": _contraction, "layer_norm": _layer_norm,
    "batch_norm": lambda chance, ty, large: _channels(chance, ty, large, given=True),
    "group_norm": lambda chance, ty, large: _channels(chance, ty, large, groups=chance.randint(1, 3)),
    "instance_norm": _channels, "layer_scale": _layer_scale, "kv_cache_update": _cache, "random": _random_numbers,
    "gather": _gather, "gather_elements": lambda chance, ty, large: _gather(chance, ty, large, each=True),
    "scatter": _scatter, "cum_sum": _sums, "sort": _sort, "top_k": _top_k, "arg_min": _along,
    "arg_max": _along, "copy": _copy, "fill": _fill, "transpose": _transpose, "slice": _slice, "pad": _pad,
    "concat": _concat, "all_reduce": _all_reduce, "all_gather": _copy,
    **windows.CASES,
}  # fmt: skip


def wrong(name: str, seed: int, device: Any) -> str:
    """What is wrong with a random case of an instruction; empty if nothing is."""
    chance = random.Random(f"{name} {seed}")
    large, ty = chance.random() < _LARGE, chance.choice(types_of(name))
    case = CASES[name](chance, ty, large)
    told = difference(name, ty, case, device)
    return told and f"{name}{'.' + case.of if case.of else ''}.{ty} {case.text} (seed {seed}): {told}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.shapes")
    parser.add_argument("count", type=int, help="cases of each instruction")
    parser.add_argument("devices", nargs="+")
    parser.add_argument("--only", nargs="*", default=list(CASES), choices=CASES, help="of these instructions")
    parser.add_argument("--first", type=int, default=0, help="the first case's number")
    options = parser.parse_args()
    seeds, bad = range(options.first, options.first + options.count), 0
    for name, opened in zip(options.devices, open_devices(options.devices, PATIENT), strict=True):
        for each in options.only:
            begun = time.perf_counter()
            found = [text for seed in seeds if (text := wrong(each, seed, opened.device))]
            took = f"{time.perf_counter() - begun:.0f} s"
            print(f"{name}: {each}: {len(seeds)} cases, {len(found)} wrong, {took}", *found[:3], sep="\n  ", flush=True)
            bad += len(found)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
