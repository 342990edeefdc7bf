"""`python -m bench.tiles`: how near a matrix product with its tile in registers, written as an ordinary kernel, comes
to what the vector unit can do: natively, in Node and in Chromium.

A lane has `rows` x `columns` accumulators, a packet of four lanes 4 x `columns` columns. The second factor lies in
panels of that many columns, and the first row after row, or in strips of as many rows as a tile has, column after
column; so many steps along the depth are one round of the loop. Beside each kernel, in turns, a loop of twelve
independent chains of products and sums is the peak: as two instructions in the exact variant, as one in the fast one.
Results are compared before anything is timed; of each side the least time counts, since others at the machine only add
to it.
"""

# mypy: ignore-errors

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
import wasmtime

import hologram_web as hg
from bench.launch_js import in_node
from e2e.browser import Browser
from examples.edges.chromium import bundle
from hologram_web.backends.wasm import WasmBackend
from hologram_web.targets.wasm.encoder import FunctionBody, Module

__all__ = ["kernel", "product"]

_LANES, _CHAINS, _UNROLLED = 4, 12, 4


@dataclass(frozen=True)
class Tile:
    """What a lane makes: rows and columns, how many steps are a round, and whether the first factor is in strips."""

    rows: int
    columns: int
    steps: int = 4
    strips: bool = False

    def __str__(self) -> str:
        how = f", {self.steps} step{'s' * (self.steps > 1)}{', strips' * self.strips}"
        return f"{self.rows} x {self.columns}{how}"


TILES = (
    *(Tile(rows, 2) for rows in (4, 5, 6)),
    *(Tile(rows, 2, steps, True) for rows, steps in ((5, 2), (5, 4), (6, 2), (6, 4), (8, 2))),
)
_M, _N, _DEPTH = 120, 96, 256


def kernel(tile: Tile) -> Any:
    """c = a @ b; b lies in panels of 4 * columns columns, each row after row."""
    rows, columns, steps = tile.rows, tile.columns, tile.steps
    every = [(row, column) for row in range(rows) for column in range(columns)]
    width = _LANES * columns
    lines = [
        "def tiles(a: hg.Array[hg.f32], b: hg.Array[hg.f32], c: hg.Array[hg.f32], n: hg.i32, depth: hg.i32):",
        f"    first, top = hg.block_id(0) * {width} * depth + hg.local_id(0), hg.global_id(1) * {rows}",
        *(f"    a{row} = {'top * depth' if tile.strips else f'(top + {row}) * depth'}" for row in range(rows)),
        *(f"    c{row}{column} = hg.f32(0)" for row, column in every),
        f"    for some in range(depth // {steps}):",
        f"      for step in hg.static_range({steps}):",
        f"        k = some * {steps} + step",
        *(f"        b{column} = b[first + k * {width} + {_LANES * column}]" for column in range(columns)),
        *(line for row in range(rows) for line in _row(row, tile)),
        f"    left = hg.block_id(0) * {width} + hg.local_id(0)",
        *(f"    c[(top + {row}) * n + left + {_LANES * column}] = c{row}{column}" for row, column in every),
    ]
    return hg.kernel_from_source("\n".join(lines) + "\n")


def _row(row: int, tile: Tile) -> list[str]:
    """One element of a after the other: fewer wait in registers."""
    sums = (f"        c{row}{column} += x{row} * b{column}" for column in range(tile.columns))
    return [f"        x{row} = a[a{row} + {f'k * {tile.rows} + {row}' if tile.strips else 'k'}]", *sums]


class _Product:
    """A product on a device."""

    def __init__(self, device: WasmBackend, tile: Tile, m: int, n: int, depth: int) -> None:
        rows, width = tile.rows, _LANES * tile.columns
        self.device, self.program = device, kernel(tile).program
        random = np.random.default_rng(1)
        self.a, self.b = random.random((m, depth), np.float32), random.random((depth, n), np.float32)
        panels = np.ascontiguousarray(self.b.reshape(depth, n // width, width).transpose(1, 0, 2))
        strips = (
            np.ascontiguousarray(self.a.reshape(m // rows, rows, depth).transpose(0, 2, 1)) if tile.strips else self.a
        )
        self.buffers = {}
        for name, data in {"a": strips, "b": panels, "c": np.zeros((m, n), np.float32)}.items():
            self.buffers[name] = device.allocate_buffer(data.nbytes)
            device.view(self.buffers[name])[:] = data.view(np.uint8).ravel()
        lengths = {"a.shape0": m * depth, "b.shape0": depth * n, "c.shape0": m * n}
        config = hg.LaunchConfig(hg.GridDim(n // width, m // rows, 1), hg.BlockDim(_LANES, 1, 1))
        arguments = self.buffers | {"n": n, "depth": depth} | lengths
        wanted = {parameter.name for parameter in self.program.params}
        self.params = hg.ExecutionParams(config, {k: v for k, v in arguments.items() if k in wanted})

    def run(self) -> None:
        self.device.execute_program_with_params(self.program, self.params)

    def result(self) -> Any:
        return self.device.view(self.buffers["c"]).view(np.float32).reshape(len(self.a), -1).copy()


def product(device: WasmBackend, tile: Tile, m: int, n: int, depth: int) -> tuple[Any, Any]:
    """What a device computes, relative to what is right, and that, which is 1."""
    one = _Product(device, tile, m, n, depth)
    one.run()
    wanted = one.a.astype(np.float64) @ one.b
    return one.result() / wanted, np.ones_like(wanted)


def _peak(fused: bool) -> bytes:
    """A module whose kernel goes `end` rounds, of 48 products and sums each."""
    body = FunctionBody("kernel", ("i32", "i32", "i32"), (), exported=True)
    chains, factor = [body.local("v128") for _ in range(_CHAINS)], body.local("v128")
    put = body.code.extend
    put([("f32.const", 0x3F7FFFFF), ("f32x4.splat",), ("local.set", factor)])
    put([("loop", None)])
    for _ in range(_UNROLLED):
        for chain in chains:
            if fused:
                put([("local.get", chain), ("local.get", factor), ("local.get", chain), ("f32x4.relaxed_madd",)])
            else:
                put([("local.get", chain), ("local.get", factor), ("f32x4.mul",), ("local.get", chain)])
                put([("f32x4.add",)])
            put([("local.set", chain)])
    put([("local.get", 2), ("i32.const", 1), ("i32.sub",), ("local.tee", 2), ("br_if", 0), ("end",)])
    put([("i32.const", 128), *(("local.get", chain) for chain in chains), *[("v128.or",)] * (_CHAINS - 1)])
    put([("v128.store", 0, 0)])
    module = Module()
    module.add(body)
    return module.encode()


_ROUNDS, _AGAIN = 20_000, 5
_PEAK_FLOPS = 2 * 4 * _CHAINS * _UNROLLED * _ROUNDS


_USES = {"a": "read", "b": "read", "c": "write"}.items()


def _peak_here(fused: bool) -> Callable[[], object]:
    """The peak's loop, natively."""
    config = wasmtime.Config()
    config.shared_memory = True
    store = wasmtime.Store(wasmtime.Engine(config))
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(1, 65536)))
    run = wasmtime.Instance(store, wasmtime.Module(store.engine, _peak(fused)), [memory]).exports(store)["kernel"]
    return lambda: run(store, 0, 0, _ROUNDS)


def _native(rounds: int) -> dict[str, dict[str, float]]:
    """Least milliseconds by variant and side."""
    sides: dict[str, dict[str, Any]] = {}
    for variant in ("exact", "fast"):
        its = sides[variant] = {"peak": _peak_here(variant == "fast")}
        for tile in TILES:
            one = _Product(WasmBackend(cache=False, threads=1, math=variant), tile, _M, _N, _DEPTH)
            one.run()
            assert np.allclose(one.result(), one.a @ one.b, rtol=1e-4)
            its[str(tile)] = one.run
    least: dict[str, dict[str, float]] = {variant: {} for variant in sides}
    for _ in range(rounds):
        for variant, its in sides.items():
            for name, run in its.items():
                start = time.thread_time()
                run()
                took = 1000 * (time.thread_time() - start)
                least[variant][name] = min(took, least[variant].get(name, took))
    return least


def _arguments(rounds: int) -> dict[str, Any]:
    """What the job of Node and Chromium has to know."""
    sides = []
    for variant in ("exact", "fast"):
        code = base64.b64encode(_peak(variant == "fast")).decode()
        sides.append({"variant": variant, "name": "peak", "code": code, "rounds": _ROUNDS})
        for tile in TILES:
            device = WasmBackend(cache=False, math=variant)
            device.splats = False
            made = device.kernel_of(kernel(tile).program, (_LANES, 1, 1))
            side = {"variant": variant, "name": str(tile), "rows": tile.rows, "width": _LANES * tile.columns}
            side["strips"] = tile.strips
            side |= {"scalars": [name for name, _ in made.scalars], "memories": [base.name for base in made.bases]}
            sides.append(side | {"code": base64.b64encode(made.code).decode()})
    return {"sides": sides, "rounds": rounds, "m": _M, "n": _N, "depth": _DEPTH}


def _tell(where: str, least: dict[str, dict[str, float]]) -> None:
    flops = 2 * _M * _N * _DEPTH
    for variant, its in least.items():
        peak = _PEAK_FLOPS / its["peak"] / 1e6
        for name, took in its.items():
            rate = peak if name == "peak" else flops / took / 1e6
            click.echo(f"| {where} | {variant} | {name} | {rate:.1f} | {rate / peak:.2f} |")


def _products(sizes: list[int], rounds: int) -> None:
    """Whole products natively, one thread, beside the peaks, in turns: by the processor's time, the least of each."""
    for variant in ("exact", "fast"):
        with hg.Executor("wasm", threads=1, math=variant) as ex:
            peak, least = _peak_here(variant == "fast"), dict.fromkeys(["peak", *sizes], float("inf"))
            runs: dict[Any, Callable[[], object]] = {"peak": peak}
            for n in sizes:
                params = "".join(f".param {name}: buffer f32 {use}\n" for name, use in _USES)
                program = hg.Program.from_text(f"{params}    gemm.f32 [c], [a], [b], {n}, {n}, {n}\n")
                a, b = np.random.default_rng(1).random((2, n, n), np.float32)
                given = {"a": ex.array(a.ravel()), "b": ex.array(b.ravel()), "c": ex.zeros(n * n)}
                ex.run(program, 1, **given)
                assert np.allclose(given["c"].numpy().reshape(n, n), a @ b, rtol=1e-4)
                runs[n] = lambda program=program, given=given: (ex.run(program, 1, **given), ex.sync())
            for _ in range(rounds):
                for name, run in runs.items():
                    for _ in range(_AGAIN):  # the first one behind another is slower than the next
                        start = time.thread_time()
                        run()
                        least[name] = min(least[name], time.thread_time() - start)
        most = _PEAK_FLOPS / least["peak"]
        for n in sizes:
            rate = 2 * n**3 / least[n]
            click.echo(f"| native | {variant} | product of {n} | {rate / 1e9:.1f} | {rate / most:.2f} |")


@click.command()
@click.option("--rounds", default=200, show_default=True, type=click.IntRange(1))
@click.option("--only", default="native,node,chromium", show_default=True)
@click.option("--products", default="", help="Sizes of whole products natively, in place of all that: 512,1024.")
def main(rounds: int, only: str, products: str) -> None:
    """Matrix products with tiles in registers."""
    click.echo("| where | math | tile | GFLOP/s | of the peak |\n|---|---|---|---|---|")
    if products:
        _products([int(size) for size in products.split(",")], rounds)
        return
    if "native" in only:
        _tell("native", _native(rounds))
    if "node" in only or "chromium" in only:
        bundle()
        arguments = _arguments(rounds)
        if "node" in only:
            _tell("Node", in_node(arguments, "tiles.mjs"))
        if "chromium" in only:
            with Browser() as browser:
                _tell(f"Chromium {browser.version}", browser.run("tiles.mjs", seconds=560, **arguments).json)


if __name__ == "__main__":
    main()
