"""`python -m bench.checks`: what a check costs that nothing proves, in Chromium on its software adapter.

A gather `y[i] = x[idx[i]]` of 1 Mi elements whose indices nobody knows: the shader of our target, the same without a
check, and the same by hand with less and less of what a fault tells. Time of all threads of the GPU process, where
SwiftShader computes, in turns; indices in sequence and at random.
"""

# mypy: ignore-errors

from __future__ import annotations

import sys
from datetime import date
from statistics import median

import click

from e2e.browser import Browser, NoBrowser
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa import Program
from hologram_web.isa.verify import analyze
from hologram_web.targets import wgsl

from .peers.pages import of_gpu_process

_GATHER = """
    .param idx: buffer u32 read
    .param x: buffer f32 read
    .param y: buffer f32 write
        ldg.u32 r10, [idx + r255*4]
        ldg.f32 r11, [x + r10*4]
        stg.f32 [y + r255*4], r11
"""
_N = 1 << 20
_DISPATCHES = 20  # a turn
# Eight lanes an invocation, found as ours are; WORK is what one does, DONE what the invocation does at its end.
_BY_HAND = """
struct Status { kind: atomic<u32>, at: u32, base: u32, lane: u32, offset: vec2u, need: u32, other: u32 }
@group(0) @binding(0) var<storage, read_write> status: Status;
@group(0) @binding(1) var<uniform> arguments: array<vec4u, 5>;
@group(0) @binding(2) var<storage, read> b0: array<u32>;
@group(0) @binding(3) var<storage, read> b1: array<f32>;
@group(0) @binding(4) var<storage, read_write> b2: array<f32>;
var<private> greatest: u32;
var<private> site: u32;
var<private> place: u32;
fn work(i: u32TAKEN) {
  let index = b0[i];
  WORK
  b2[i] = b1[index];
}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let first = (arguments[3].y + (group.x + group.y * 65535u) * 8u) * 256u + index;
  let end = min(arguments[2].x * 256u, arguments[1].x);
  let limit = select(0u, (arguments[4].y - 4u) / 4u + 1u, arguments[4].y >= 4u);
  if (first >= end) { return; }
  let far = (end - 1u - first) / 256u * 256u;
  CALLS
  DONE
}
"""
_GREATEST = "greatest = max(greatest, index);"
_FOUND = "if (greatest >= limit) { %s }"
_FIRST = _FOUND % "if (atomicCompareExchangeWeak(&status.kind, 0u, 1u).exchanged) { %s }"
_OFFSET = "status.offset = vec2u({0} << 2u, {0} >> 30u);"
_PLACE = "status.lane = first; " + _OFFSET.format("greatest")
_ACCESS = "status.at = 1u; status.base = 1u; status.need = 4u;"
# As our errors have it: with the lane exactly, and all words of the status.
_ALL = f"{_ACCESS} status.other = 0u; status.lane = lane;"
_NOTED = "site = select(site, turn, index >= limit);"
_SITE = _FIRST.replace("greatest >= limit", "site != 0u") % (
    "let lane = first + min((site - 1u) * 256u, far); let found = %s; " + _OFFSET.format("found") + _ALL
)
_LOOK = "".join(
    f"if (b0[first + min({256 * turn}u, far)] == greatest) {{ lane = first + min({256 * turn}u, far); }}\n"
    for turn in range(8)
)
_SIDES = {
    "no check": ("", ""),
    "the greatest index, told by a store": (_GREATEST, _FOUND % "status.at = greatest;"),
    "by an atomic": (_GREATEST, _FOUND % "atomicMax(&status.kind, greatest);"),
    "the first one's lane and place": (_GREATEST, _FIRST % _PLACE),
    "and what it accessed": (_GREATEST, _FIRST % (_PLACE + _ACCESS)),
    "with the lane exactly: it is noted, and its index": (
        f"{_NOTED} place = select(place, index, index >= limit);",
        _SITE % "place",
    ),
    "the lane is noted alone, its index read again": (_NOTED, _SITE % "b0[lane]"),
    "the lane is looked for at the end": (
        _GREATEST,
        _FIRST % f"var lane = first; {_LOOK}{_OFFSET.format('greatest')} {_ALL}",
    ),
}
_PREPARE = """async ([texts, n, random]) => {
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const words = new Uint32Array(20);
  words.set([n / 256, 1, 1, 0, n, 1, 1, 0, n / 256]);
  words.fill(4 * n, 16);
  let seed = 1;
  const next = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % n;
  const indices = Uint32Array.from({ length: n }, (_, i) => (random ? next() : i));
  const numbers = Float32Array.from({ length: n }, (_, i) => i);
  const types = ["storage", "uniform", "read-only-storage", "read-only-storage", "storage"];
  const buffers = [new Uint32Array(16), words, indices, numbers, new Float32Array(n)].map((data, i) => {
    const kind = i === 1 ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE;
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | kind });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  });
  const layout = device.createBindGroupLayout({
    entries: types.map((type, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } })),
  });
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout, entries });
  const pipelines = {};
  globalThis.turn = async (name, count) => {
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipelines[name]);
    pass.setBindGroup(0, group);
    for (let i = 0; i < count; i++) pass.dispatchWorkgroups(n / 2048);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
  };
  const wrong = {};
  for (const [name, code] of Object.entries(texts)) {
    pipelines[name] = await device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: device.createShaderModule({ code }), entryPoint: "main" },
    });
    device.queue.writeBuffer(buffers[4], 0, new Float32Array(n).fill(-1));
    await globalThis.turn(name, 1);
    const read = device.createBuffer({ size: 4 * n + 4, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffers[4], 0, read, 0, 4 * n);
    encoder.copyBufferToBuffer(buffers[0], 0, read, 4 * n, 4);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    const found = new Float32Array(read.getMappedRange()); // the last one: whether a fault was told
    wrong[name] = found.reduce((sum, value, i) => sum + (value !== (i < n ? indices[i] : 0)), 0);
    read.destroy();
  }
  return wrong;
}"""


def _by_hand(work: str, done: str) -> str:
    taken, given = (", turn: u32, limit: u32", ", {}u, limit") if "limit" in work else ("", "")
    calls = "\n  ".join(f"work(first + min({256 * turn}u, far){given.format(turn + 1)});" for turn in range(8))
    text = _BY_HAND.replace("TAKEN", taken).replace("WORK", work)
    return text.replace("CALLS", calls).replace("DONE", done)


def shaders() -> dict[str, str]:
    """By name: those by hand, and the one of ours that launches here take, which checks the index alone."""
    hand = {name: _by_hand(*side) for name, side in _SIDES.items()}
    function = optimize(build(analyze(Program.from_text(_GATHER)), (256, 1, 1)))
    (fast,) = wgsl.compile_kernel(function, [[base] for base in function.bases], 0).fast
    return {**hand, "ours, which tells all": fast.code}


@click.command()
@click.option("--rounds", default=21, show_default=True, type=click.IntRange(1))
def main(rounds: int) -> None:
    """What a check costs that nothing proves, in Chromium on its software adapter."""
    texts = shaders()
    try:
        with Browser() as browser:
            rows: dict[str, list[str]] = {name: [] for name in texts}
            for random in (False, True):
                page = browser.page("/e2e/page.html")
                wrong = page.evaluate(_PREPARE, [texts, _N, random])
                if any(wrong.values()):
                    sys.exit(f"wrong results, nothing was timed: {wrong}")
                spent = of_gpu_process()
                times: dict[str, list[float]] = {name: [] for name in texts}
                for number in range(rounds):
                    for name in list(texts)[:: 1 if number % 2 else -1]:  # who goes first takes turns, too
                        begun = spent()
                        page.evaluate("given => turn(...given)", [name, _DISPATCHES])
                        times[name].append((spent() - begun) / 1e6 / _DISPATCHES)
                page.close()
                none = times["no check"]
                for name, ms in times.items():
                    ratio, least = median(ms) / median(none), min(ms) / min(none)
                    rows[name] += [f"{median(ms):.1f}", f"{ratio:.2f}", f"{least:.2f}"]
    except NoBrowser as error:
        sys.exit(str(error))
    print(f"{date.today()}, {rounds} rounds, {_N:,} elements, ms of processor time a dispatch\n")
    print("| check | in sequence, ms | ratio | of the least | at random, ms | ratio | of the least |")
    print("|---|---|---|---|---|---|---|")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
