"""`python -m bench.tiles_webgpu`: what tiles of matrix products can reach on the adapter that Chromium brings.

Shaders by hand, without checks: a lane makes so many rows and columns in registers from so many steps of k at once, as
the tensor library's tiles do, with products and sums fenced from each other (exact) or not. They differ in how operands
come: each element by itself, four neighbours of a row of the second factor as one `vec4`, an element of the first
factor read by one lane of four and told to the others (`quadBroadcast`), or a tile of both by way of shared memory.
Beside them is ours, exact and fast, as files have it. Results are compared with NumPy's before anything is timed; time
is the processors' in the GPU process, in turns, and reads nothing back but four numbers.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import Any

import click
import numpy as np

import hologram_web as hg
from bench.peers.pages import of_gpu_process
from e2e.browser import CACHING, Browser

__all__ = ["SHAPES", "TILES", "Tile", "shader"]

# m, n, k, and whether the first factor is turned: what a layer computes, and the gradient of its weights.
SHAPES = {"a layer": (128, 256, 784, False), "its gradient": (784, 256, 128, True)}


@dataclass(frozen=True)
class Tile:
    """A tile of ROWS x COLUMNS, whose operands come by "element", "vec4", "quad" or "shared"."""

    rows: int = 8
    columns: int = 8
    steps: int = 2
    by: str = "element"
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.rows} x {self.columns}, {self.steps} steps, {self.by}{'' if self.exact else ', not fenced'}"


TILES = (
    Tile(), Tile(by="vec4"), Tile(by="quad"), Tile(by="shared"), Tile(16, 4, by="quad"), Tile(4, 8), Tile(steps=1),
    Tile(steps=4), Tile(exact=False), Tile(by="vec4", exact=False), Tile(by="quad", exact=False),
    Tile(steps=4, exact=False), Tile(steps=4, by="vec4", exact=False), Tile(16, 4, by="quad", exact=False),
)  # fmt: skip
_SIDE = 8  # lanes of a block along each axis
_HEAD = """{enable}@group(0) @binding(0) var<uniform> given: array<vec4u, 3>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<{words}>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;
{shared}fn fence(x: f32) -> f32 {{ return bitcast<f32>(bitcast<u32>(x) ^ given[2].x); }}
@compute @workgroup_size({side}, {side}, 1)
fn main(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) lane: vec3u) {{
let m = given[0].x; let n = given[0].y; let k = given[0].z; let a_row = given[1].x; let a_step = given[1].y;
let top = (block.y * {side}u + lane.y) * {rows}u;
let left = block.x * {across}u + lane.x{four};
"""
_RUN = """async ([tiles, sizes, numbers, ours, file]) => {
  const gpu = await (await navigator.gpu.requestAdapter()).requestDevice({ requiredFeatures: ["subgroups"] });
  const { MAP_READ, COPY_DST, COPY_SRC, STORAGE, UNIFORM } = GPUBufferUsage;
  const [m, n, k] = sizes;
  const numbered = (size, which) => Float32Array.from({ length: size }, (_, i) => ((i * 7919 + which) % 64) / 64);
  const arrays = [m * k, k * n].map(numbered);
  const buffer = (bytes, usage) => gpu.createBuffer({ size: bytes, usage: usage | COPY_DST });
  const uniform = buffer(48, UNIFORM);
  gpu.queue.writeBuffer(uniform, 0, new Uint32Array(numbers));
  const data = [...arrays.map((array) => buffer(array.byteLength, STORAGE)), buffer(4 * m * n, STORAGE | COPY_SRC)];
  arrays.forEach((array, which) => gpu.queue.writeBuffer(data[which], 0, array));
  const staging = buffer(4 * m * n, MAP_READ);
  const read = async (encoder, bytes) => {
    encoder.copyBufferToBuffer(data[2], 0, staging, 0, bytes);
    gpu.queue.submit([encoder.finish()]);
    await staging.mapAsync(1, 0, bytes);
    const found = new Uint8Array(staging.getMappedRange(0, bytes).slice(0));
    staging.unmap();
    return found;
  };
  globalThis.runs = {};
  for (const [name, [code, grid]] of Object.entries(tiles)) {
    const module = gpu.createShaderModule({ code });
    const pipeline = await gpu.createComputePipelineAsync({ layout: "auto", compute: { module } });
    const entries = [uniform, ...data].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const group = gpu.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    runs[name] = async (times, whole) => {
      const encoder = gpu.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      for (let time = 0; time < times; time++) pass.dispatchWorkgroups(...grid);
      pass.end();
      return read(encoder, whole ? 4 * m * n : 16);
    };
  }
  const { Runtime } = await import("/web/dist/index.js");
  const runtime = await Runtime.create({ backend: "webgpu" });
  for (const [name, text] of Object.entries(ours)) {
    const program = await runtime.load(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
    const [a, b] = arrays.map((array, which) => runtime.buffer("f32", array, file[which]));
    const result = runtime.buffer("f32", { shape: file[2] });
    runs[name] = async (times, whole) => {
      let done;
      for (let time = 0; time < times; time++) done = program.run({ a, b, result });
      await done;
      return whole ? new Uint8Array((await result.read()).buffer) : undefined;
    };
  }
}"""
_RESULT = """async (name) => {
  const bytes = await runs[name](1, true);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}"""


def shader(tile: Tile) -> str:
    """A tile as WGSL."""
    rows, columns, steps, vec, quad = (
        range(tile.rows),
        range(tile.columns),
        range(tile.steps),
        tile.by == "vec4",
        "quad",
    )
    fenced: Callable[[str], str] = (lambda text: f"fence({text})") if tile.exact else (lambda text: f"({text})")
    shared = f"var<workgroup> xs: array<f32, {_SIDE * tile.rows * tile.steps}>;\n" * (tile.by == "shared")
    shared += f"var<workgroup> ys: array<f32, {_SIDE * tile.columns * tile.steps}>;\n" * (tile.by == "shared")
    lines = [
        _HEAD.format(
            enable="enable subgroups;\n" * (tile.by == quad), words="vec4f" if vec else "f32", shared=shared,
            side=_SIDE, rows=tile.rows, across=_SIDE * tile.columns, four=" * 4u" * vec,
        )
    ]  # fmt: skip
    column = [f"left + {j // 4 * 4 * _SIDE + j % 4 if vec else _SIDE * j}u" for j in columns]
    lines += [f"let row{i} = min(top + {i}u, m - 1u) * a_row;" for i in rows]
    lines += [f"let column{j} = min({column[j]}, n - 1u);" for j in columns]
    lines += [f"let own{i} = min(top + {i}u + (lane.x & 3u), m - 1u) * a_row;" for i in rows[::4] if tile.by == quad]
    lines += [f"var sum{i}_{j}: f32;" for i in rows for j in columns]
    lines.append(f"for (var round = 0u; round < k / {tile.steps}u; round++) {{")
    for step in steps:
        lines.append(f"let p{step} = round * {tile.steps}u + {step}u; let x{step} = p{step} * a_step;")
        lines += _loads(tile, step)
    if tile.by == "shared":
        lines.append("workgroupBarrier();")
        places = [(step, f"{step * _SIDE * tile.rows}u + lane.y * {tile.rows}u") for step in steps]
        lines += [f"let x{step}_{i} = xs[{at} + {i}u];" for step, at in places for i in rows]
        places = [(step, f"{step * _SIDE * tile.columns}u + lane.x") for step in steps]
        lines += [f"let y{step}_{j} = ys[{at} + {_SIDE * j}u];" for step, at in places for j in columns]
    for i in rows:
        for j in columns:
            total = f"sum{i}_{j}"
            for step in steps:
                total = fenced(f"{total} + {fenced(f'x{step}_{i} * y{step}_{j}')}")
            lines.append(f"sum{i}_{j} = {total};")
    lines += ["workgroupBarrier();"] * (tile.by == "shared") + ["}"]
    for i in rows:
        stores = [f"if ({column[j]} < n) {{ c[(top + {i}u) * n + {column[j]}] = sum{i}_{j}; }}" for j in columns]
        lines += [f"if (top + {i}u < m) {{", *stores, "}"]
    return "\n".join([*lines, "}"])


def _loads(tile: Tile, step: int) -> list[str]:
    """What a lane reads for a step."""
    if tile.by == "shared":
        # A lane of each row brings what its row has, and one of each column what that has.
        first, second = step * _SIDE * tile.rows, step * _SIDE * tile.columns
        left = [f"xs[{first}u + lane.y * {tile.rows}u + lane.x] = a[row_of + x{step}];"]
        right = [f"ys[{second}u + lane.x + {_SIDE}u * lane.y] = b[column_of + p{step} * n];"]
        if step == 0:
            left.insert(0, "let row_of = min(top + lane.x, m - 1u) * a_row;")
            right.insert(0, f"let column_of = min(left + {_SIDE}u * lane.y, n - 1u);")
        return left + right
    found = []
    for j in range(0, tile.columns, 4) if tile.by == "vec4" else ():
        found.append(f"let four{step}_{j} = b[(column{j} + p{step} * n) >> 2u];")
        found += [f"let y{step}_{j + part} = four{step}_{j}[{part}];" for part in range(4)]
    if tile.by != "vec4":
        found += [f"let y{step}_{j} = b[column{j} + p{step} * n];" for j in range(tile.columns)]
    for i in range(0, tile.rows, 4) if tile.by == "quad" else ():
        found.append(f"let own{step}_{i} = a[own{i} + x{step}];")
        found += [f"let x{step}_{i + part} = quadBroadcast(own{step}_{i}, {part}u);" for part in range(4)]
    if tile.by != "quad":
        found += [f"let x{step}_{i} = a[row{i} + x{step}];" for i in range(tile.rows)]
    return found


def _ours(m: int, n: int, k: int, turned: bool) -> dict[str, str]:
    """The files of a product."""
    found = {}
    for math in ("exact", "fast"):
        with hg.Executor("wasm", math=math) as ex:
            product = hg.function(lambda a, b: (a.T if turned else a) @ b, device=ex)
            first = hg.Array[(hg.f32, *((k, m) if turned else (m, k)))]
            compiled = product.compile(a=first, b=hg.Array[hg.f32, k, n])
        found["ours" if math == "exact" else 'ours, math="fast"'] = base64.b64encode(compiled.to_bytes()).decode()
    return found


def _wanted(m: int, n: int, k: int, turned: bool) -> Any:
    a, b = ((np.arange(size) * 7919 + which) % 64 / 64 for which, size in enumerate((m * k, k * n)))
    return (a.reshape(k, m).T if turned else a.reshape(m, k)) @ b.reshape(k, n)


@click.command()
@click.option("--rounds", default=15, show_default=True, type=click.IntRange(1))
@click.option("--times", default=4, show_default=True, type=click.IntRange(1), help="Products of a turn.")
def main(rounds: int, times: int) -> None:
    """Tiles of matrix products by hand on WebGPU in Chromium."""
    print(f"{date.today()}, load {os.getloadavg()[0]:.1f}, ms of the processors for a product, {rounds} turns\n")
    with Browser(headers=CACHING) as browser:
        page = browser.page("/e2e/page.html")
        for title, (m, n, k, turned) in SHAPES.items():
            ours = _ours(m, n, k, turned)
            tiles = {
                str(tile): [shader(tile), [-(-n // (_SIDE * tile.columns)), -(-m // (_SIDE * tile.rows)), 1]]
                for tile in TILES
            }
            numbers = [m, n, k, 0, 1 if turned else k, m if turned else 1, 0, 0, 0, 0, 0, 0]
            file = [(k, m) if turned else (m, k), (k, n), (m, n)]
            page.evaluate(_RUN, [tiles, [m, n, k], numbers, ours, file])
            wanted, spent = _wanted(m, n, k, turned), of_gpu_process()
            names = [*ours, *tiles]
            for name in names:
                found = np.frombuffer(base64.b64decode(page.evaluate(_RESULT, name)), np.float32).reshape(m, n)
                assert np.allclose(found, wanted, rtol=1e-4), name
            took: dict[str, list[float]] = {name: [] for name in names}
            for _ in range(rounds):
                for name in names:
                    begun = spent()
                    page.evaluate("([name, times]) => runs[name](times, false).then(() => null)", [name, times])
                    took[name].append((spent() - begun) / 1e6 / times)
            print(f"| {title}: {m} x {k} by {k} x {n} | ms | least | of ours |\n|---|---|---|---|")
            first = median(took["ours"])
            for name in names:
                print(
                    f"| {name} | {median(took[name]):.1f} | {min(took[name]):.1f} | {median(took[name]) / first:.2f} |"
                )
            print(flush=True)


if __name__ == "__main__":
    main()
