"""What everybody computes. Chains and rows are nodes (nodes.py); of the rest all modules have their own text."""

# mypy: ignore-errors

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hologram_web as hg

from .. import cases as programs
from .nodes import LANES, NAMED, ROW_TWINS, TWINS, Node, kernel_text, of_numpy, operations, twin

__all__ = ["CASES", "PEAKS", "Case", "generated"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Case:
    """`wanted` is what `calls` calls give, of which each has for x what the one before gave.

    A call moves so many bytes and does so many operations, if nothing is moved twice. Results differ from what is
    wanted by at most `tolerance` relatively, but for a share of `strays`: those are pixels at the rim.
    """

    name: str
    size: str
    ours: Callable[[str], hg.CompiledProgram]  # with math="exact" or "fast"
    arrays: dict[str, Array]
    wanted: Array
    moved: int
    work: int
    calls: int = 1
    scalars: dict[str, float] = field(default_factory=dict)
    nodes: Sequence[Node] = ()
    columns: int = 0  # of the rows that the nodes work on, if they do
    bound: str = ""  # by which loop the memory's speed is measured beside it: copy or read; or the loop that it is
    lanes: int = 0  # of the shader by hand, if there is one
    result: str = "float32"
    tolerance: float = 1e-6
    strays: float = 0.0
    named: str = ""  # the case of which this one is a twin, and that case
    beside: Callable[[], Case] | None = None
    function: Callable[..., Any] | None = None  # the function of arrays that `ours` is made of, if it is of one


def _compiled(kernel: Any, grid: Any, shapes: dict[str, tuple[str | int, ...]]) -> Callable[[str], hg.CompiledProgram]:
    return lambda math: hg.compile(kernel, grid=grid, shapes=shapes, math=math)


def chain(name: str, nodes: Sequence[Node] | None = None, calls: int = 1, n: int = 1 << 22, named: str = "") -> Case:
    """Elements of x and y, of which the nodes make z."""
    nodes = nodes or NAMED[name]
    x, y = np.random.default_rng(1).random((2, n), np.float32) - np.float32(0.5)
    y = (y - np.float32(3.5)) / np.float32(4)  # -1 to -0.75: a chain of exponentials stays finite
    wanted = x.astype(np.float64)
    for _ in range(calls):
        wanted = of_numpy(nodes, {"x": wanted, "y": y.astype(np.float64)}, 0).astype(np.float32).astype(np.float64)
    kernel = hg.kernel_from_source(kernel_text(named or name, nodes))
    used = {operand for _, operands, _ in nodes for operand in operands.split()}
    arrays = {"x": x, "y": y}
    ours = _compiled(kernel, "n", {array: ("n",) for array in (*(name for name in arrays if name in used), "z")})
    work = int(operations(nodes) * n)
    # A sum of terms that cancel is compared with their size, a thousandth of the largest result at least.
    return Case(
        name, f"{n:,}", ours, {k: v for k, v in arrays.items() if k in used}, wanted,
        (4 + 4 * len(used & {"x", "y"})) * n, work, calls, nodes=nodes, bound="copy", tolerance=1e-5 * calls,
        named=named, beside=partial(chain, named, n=n) if named else None,
    )  # fmt: skip


def row(name: str, nodes: Sequence[Node] | None = None, side: int = 1024, named: str = "") -> Case:
    """Rows of x: what is reduced of each, and what comes of its elements with that."""
    nodes = nodes or NAMED[name]
    chance, columns = np.random.default_rng(5), max(side, LANES)
    x = chance.random((side, columns), np.float32) * np.float32(2) - np.float32(1)
    arrays = {"x": x}
    if "scale" in " ".join(operands for _, operands, _ in nodes):
        arrays |= {k: chance.random(columns, np.float32) + np.float32(0.5) for k in ("scale", "bias")}
    wanted = of_numpy(nodes, {k: v.astype(np.float64) for k, v in arrays.items()}, columns)
    kernel = hg.kernel_from_source(kernel_text(named or name, nodes, columns))
    shapes = {k: v.shape for k, v in arrays.items()} | {"z": x.shape}
    config = hg.LaunchConfig((side, 1, 1), (LANES, 1, 1))
    work = int(operations(nodes, columns) * x.size)
    return Case(
        name, f"{side} x {columns}", _compiled(kernel, config, shapes), arrays, wanted, 8 * x.size, work,
        # Means of a row that is summed up in order are off by 1e-6, and what is left may cancel with `bias`.
        nodes=nodes, columns=columns, bound="copy", tolerance=1e-4, named=named,
        beside=partial(row, named, side=side) if named else None,
    )  # fmt: skip


@hg.kernel
def _sum(x: hg.Array[hg.f32], z: hg.Array[hg.f32], n: hg.u32):
    hg.parallel_reduce(x, z, "sum", n)


def total(n: int = 1 << 22) -> Case:
    x = np.random.default_rng(2).random(n, np.float32)
    ours = _compiled(_sum, 1, {"x": (n,), "z": (1,)})
    wanted = np.array([x.sum(dtype=np.float64)])
    return Case("sum", f"{n:,}", ours, {"x": x}, wanted, 4 * n, n, scalars={"n": n}, bound="read", tolerance=1e-5)


def gemm(side: int) -> Case:
    x, y = np.random.default_rng(6).random((2, side, side), np.float32) - np.float32(0.5)
    program = hg.Program.from_text(f"""
        .program gemm
        .param x: buffer f32 read
        .param y: buffer f32 read
        .param z: buffer f32 write
            gemm.f32 [z], [x], [y], {side}, {side}, {side}
    """)
    ours = _compiled(program, hg.LaunchConfig(), dict.fromkeys("xyz", (side, side)))
    wanted, moved = x.astype(np.float64) @ y.astype(np.float64), 12 * side * side
    return Case("gemm", f"{side} x {side}", ours, {"x": x, "y": y}, wanted, moved, 2 * side**3, tolerance=1e-4)


@hg.kernel
def _histogram(x: hg.Array[hg.u8], z: hg.Array[hg.u32]):
    bins = hg.shared(hg.u32, 256)
    lane = hg.local_id()
    hg.barrier()
    for k in range(64):  # a block has 16 KiB, which caches hold: in steps of 64 KiB it took 1.4 times as long
        i = (hg.block_id() * 64 + k) * 256 + lane
        if i < len(x):
            hg.atomic_add(bins, hg.i32(x[i]), 1)
    hg.barrier()
    hg.atomic_add(z, lane, bins[lane])


@hg.kernel
def _zero(z: hg.Array[hg.u32]):
    z[hg.global_id()] = 0


def histogram(n: int = 1 << 22) -> Case:
    x = np.random.default_rng(7).integers(0, 256, n, np.uint8)

    shapes: dict[str, Any] = {"x": (n,), "z": (256,)}
    ours = lambda math: hg.compile([(_zero, 256), (_histogram, -(-n // 16384) * 256)], shapes=shapes, math=math)  # noqa: E731
    wanted = np.bincount(x, minlength=256)
    return Case("histogram", f"{n:,}", ours, {"x": x}, wanted, n, n, result="uint32", tolerance=0)


PATTERN = b"hologram"


@hg.kernel
def _search(x: hg.Array[hg.u8], p: hg.Array[hg.u8], z: hg.Array[hg.u8]):
    """1 where the pattern begins."""
    i = hg.global_id()
    if i < len(z):
        k = 0
        while k < len(p) and x[i + k] == p[k]:
            k += 1
        z[i] = hg.u8(k == len(p))


def search(n: int = 1 << 22) -> Case:
    """A text of the pattern's own letters, so that beginnings of it are everywhere."""
    chance, pattern = np.random.default_rng(8), np.frombuffer(PATTERN, np.uint8)
    text = pattern[chance.integers(0, pattern.size, n + pattern.size - 1)]
    for at in chance.integers(0, n, max(n >> 12, 1)):
        text[at : at + pattern.size] = pattern
    wanted = np.ones(n, np.uint8)
    for k, letter in enumerate(pattern):
        wanted &= text[k : k + n] == letter
    ours = _compiled(_search, n, {"x": (text.size,), "p": (pattern.size,), "z": (n,)})
    arrays = {"x": text, "p": pattern.copy()}
    return Case("search", f"{n:,}", ours, arrays, wanted, 2 * n, n, result="uint8", tolerance=0)


FEED, KILL, DU, DV = 0.037, 0.06, 0.16, 0.08


@hg.kernel
def _gray_scott(x: hg.Array[hg.f32, 3], z: hg.Array[hg.f32, 3]):
    """A step of two substances, u and v, that react and spread; the picture goes round at its edges."""
    row, column = hg.global_id(1), hg.global_id(0)
    height, width = x.shape[1], x.shape[2]
    if row < height and column < width:
        up = row - 1 if row > 0 else height - 1
        down = row + 1 if row < height - 1 else 0
        left = column - 1 if column > 0 else width - 1
        right = column + 1 if column < width - 1 else 0
        u, v = x[0, row, column], x[1, row, column]
        around_u = x[0, up, column] + x[0, down, column] + x[0, row, left] + x[0, row, right] - 4.0 * u
        around_v = x[1, up, column] + x[1, down, column] + x[1, row, left] + x[1, row, right] - 4.0 * v
        reaction = u * v * v
        z[0, row, column] = u + (DU * around_u - reaction + FEED * (1.0 - u))
        z[1, row, column] = v + (DV * around_v + reaction - (FEED + KILL) * v)


def gray_scott(side: int = 512, calls: int = 10) -> Case:
    state = np.zeros((2, side, side), np.float32)
    state[0] = 1
    middle = slice(side // 2 - side // 8, side // 2 + side // 8)
    state[0, middle, middle], state[1, middle, middle] = 0.5, 0.25
    state += np.random.default_rng(9).random(state.shape, np.float32) * np.float32(0.02)
    u, v = state.astype(np.float64)
    for _ in range(calls):
        around = [sum(np.roll(s, by, axis) for by in (1, -1) for axis in (0, 1)) - 4 * s for s in (u, v)]
        reaction = u * v * v
        u, v = u + (DU * around[0] - reaction + FEED * (1 - u)), v + (DV * around[1] + reaction - (FEED + KILL) * v)
    grid = hg.LaunchConfig.grid_2d(side, side, (min(side, 256), 1))
    ours = _compiled(_gray_scott, grid, dict.fromkeys("xz", (2, side, side)))
    pixels, wanted = side * side, np.stack([u, v])
    return Case(
        "gray_scott", f"{side} x {side}", ours, {"x": state}, wanted, 16 * pixels, 22 * pixels, calls, tolerance=1e-4
    )


WEIGHTS = np.array([1, 2, 1, 2, 4, 2, 1, 2, 1], np.float32) / np.float32(16)


@hg.kernel
def _blur(x: hg.Array[hg.f32, 2], w: hg.Array[hg.f32], z: hg.Array[hg.f32, 2]):
    """x has a rim of one pixel."""
    row, column = hg.global_id(1), hg.global_id(0)
    if row < z.shape[0] and column < z.shape[1]:
        total = 0.0
        for i in range(3):
            for j in range(3):
                total += w[3 * i + j] * x[row + i, column + j]
        z[row, column] = total


def blur(side: int = 1024) -> Case:
    x = np.random.default_rng(3).random((side + 2, side + 2), np.float32)
    shifted = [x[k // 3 : k // 3 + side, k % 3 : k % 3 + side].astype(np.float64) for k in range(9)]
    wanted = sum(float(weight) * part for weight, part in zip(WEIGHTS, shifted, strict=True))
    grid = hg.LaunchConfig.grid_2d(side, side, (min(side, 256), 1))
    ours = _compiled(_blur, grid, {"x": x.shape, "w": (9,), "z": (side, side)})
    moved = x.nbytes + 4 * side * side
    return Case("blur", f"{side} x {side}", ours, {"x": x, "w": WEIGHTS}, wanted, moved, 18 * side * side)


def _by_hand(case: programs.Case, **options: Any) -> Case:
    """A case of `bench` that has a shader by hand."""
    config = case.config
    arrays = {name: value for name, value in case.arguments.items() if name != "z" and isinstance(value, np.ndarray)}
    scalars = {name: float(v) for name, v in case.arguments.items() if not isinstance(v, np.ndarray)}
    shapes = {name: (v.size,) for name, v in case.arguments.items() if isinstance(v, np.ndarray)}
    ours = _compiled(case.program, config, shapes)
    wanted = case.peer().ravel()
    return Case(
        case.name, case.size, ours, arrays, wanted, case.moved, case.work, scalars=scalars, lanes=case.lanes,
        result=wanted.dtype.name, **options,
    )  # fmt: skip


PEAKS = ("mul_add", "fma")


def peak(name: str, vectors: int, rounds: int) -> Case:
    """Products and sums as fast as they go: so many of vectors of four a round, in chains that do not wait for each
    other."""
    none, work = np.empty(0), 8 * vectors * rounds
    return Case(name, f"{work:,}", _compiled(None, 1, {}), {}, none, 0, work, rounds, bound=name)


CASES: dict[str, Callable[..., Case]] = {
    "mul_add": partial(peak, "mul_add", 28, rounds=1 << 18),
    "fma": partial(peak, "fma", 10, rounds=1 << 20),
    "add": partial(chain, "add"),
    "add8": partial(chain, "add", calls=8, n=1 << 20),
    "fused8": partial(chain, "fused8"),
    "fused8_16mi": partial(chain, "fused8", n=1 << 24),
    "exp_chain": partial(chain, "exp_chain"),
    "exp_chain8": partial(chain, "exp_chain", calls=8, n=1 << 20),
    "tanh_sqrt": partial(chain, "tanh_sqrt"),
    "sum": total,
    "softmax": partial(row, "softmax"),
    "layer_norm": partial(row, "layer_norm"),
    "mandelbrot": lambda **sizes: _by_hand(programs.mandelbrot(**sizes), strays=0.01),
    "block_sum": lambda n=1 << 18: _by_hand(programs.block_sum(n)),
    "histogram": histogram,
    "gray_scott": gray_scott,
    "blur": blur,
    "search": search,
    "call": partial(chain, "add", n=256),  # so few elements that it is the call that takes time
    **{f"gemm{side}": partial(gemm, side) for side in (64, 128, 256, 512, 1024)},
}


def generated(seed: int) -> dict[str, Callable[..., Case]]:
    """Five chains and two rows that nobody has seen before."""
    chance = random.Random(seed)
    made: dict[str, Callable[..., Case]] = {}
    for make, names in ((chain, TWINS), (row, ROW_TWINS)):
        for name in names:
            title = f"{name}~{seed}" if f"{name}~{seed}" not in made else f"{name}~~{seed}"
            made[title] = partial(make, title, twin(NAMED[name], chance), named=name)
    return made
