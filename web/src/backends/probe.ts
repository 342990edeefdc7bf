/** Finds out whether a GPU computes as shaders need it. */
import type { Artifact, Kernel, Launch } from "../plan.js";
import type { AdapterInfo } from "./adapter.js";
import type { Device } from "./device.js";
import { noCounts } from "./device.js";

const LANES = 64;
const ROUNDS = 70_000; // some drivers end loops after 65,535 rounds
const NAMES = ["+", "-", "*", "/", "sqrt", "loops", "subnormals"];

// The fence keeps compilers from folding (a + b) - b; all numbers but the last are normal. The arguments have a zero.
const PROBE = `
@group(0) @binding(1) var<uniform> g: array<vec4u, 5>;
@group(0) @binding(2) var<storage, read_write> w: array<u32>;
fn fence(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ g[2].z); }
@compute @workgroup_size(${LANES}) fn main(@builtin(local_invocation_index) k: u32) {
let zero = g[2].z;
let a = bitcast<f32>(w[k]);
let b = bitcast<f32>(w[k + ${LANES}u]);
let sum = fence(a + b);
w[k + ${2 * LANES}u] = bitcast<u32>(sum);
w[k + ${3 * LANES}u] = bitcast<u32>(fence(sum - b));
w[k + ${4 * LANES}u] = bitcast<u32>(fence(a * b));
w[k + ${5 * LANES}u] = bitcast<u32>(fence(a / b));
w[k + ${6 * LANES}u] = bitcast<u32>(fence(sqrt(a)));
var h = k;
for (var i = 0u; i < ${ROUNDS}u + zero; i++) {
h = h * 1664525u + 1013904223u;
if (k > zero) { break; }
}
w[k + ${7 * LANES}u] = h;
w[k + ${8 * LANES}u] = bitcast<u32>(fence(a * bitcast<f32>(k + 64u + zero)));
}`;

const KERNEL: Kernel = {
  name: "probe",
  program: -1,
  block: [LANES, 1, 1],
  shared: 0,
  scalars: [],
  memories: [{ kind: 0, base: "", written: true }],
  wasm: "",
  wgsl: [{ shader: 0, counts: false, size: 80, scalars: [], bindings: [{ writable: true, memories: [0], scratch: 0 }], fast: [] }],
};

/** The operations, of NAMES, that the device gets wrong. */
export async function probe(device: Device): Promise<AdapterInfo["inexact"]> {
  const words = new Uint32Array(9 * LANES);
  const floats = new Float32Array(words.buffer);
  const expected = new Uint32Array(9 * LANES);
  const results = new Float32Array(expected.buffer);
  const part = (number: number, lane: number) => number * LANES + lane;
  for (let lane = 0; lane < LANES; lane++) {
    words[lane] = 0x3f800000 + ((lane * 0x9e3779b1) >>> 6); // 1 to 2^8
    words[part(1, lane)] = 0x40000000 + ((lane * 0x85ebca6b) >>> 6);
    const [a, b] = [floats[lane]!, floats[part(1, lane)]!];
    const sum = Math.fround(a + b);
    [sum, sum - b, a * b, a / b, Math.sqrt(a)].forEach((result, k) => (results[part(2 + k, lane)] = result));
    let hash = lane;
    for (let round = lane ? ROUNDS - 1 : 0; round < ROUNDS; round++) hash = (Math.imul(hash, 1664525) + 1013904223) >>> 0;
    expected[part(7, lane)] = hash;
    results[part(8, lane)] = a * (lane + 64) * 2 ** -149;
  }
  const file = { kernels: [KERNEL], pieces: [PROBE], shaders: [[0]] } as unknown as Artifact;
  const launch = { kernel: 0, variant: 1 } as Launch;
  const memory = device.allocate(words.byteLength, new Uint8Array(words.buffer));
  await device.prepare(file, [launch]);
  let [best, bytes]: [number, Uint8Array | undefined] = [Infinity, undefined];
  // The best of three: a processor that was busy elsewhere once made the GPU look 13 times as slow, and ended runs early.
  for (let round = 0; round < 3; round++) {
    const run = device.run(1, undefined);
    void run.launch({ file, program: 0, launch, kernel: KERNEL, grid: [1, 1, 1], lanes: [LANES, 1, 1], scalars: [], memories: [memory] });
    [bytes] = await run.finish([memory]);
    best = Math.min(best, device.counts.milliseconds || Infinity);
  }
  device.free(memory);
  Object.assign(device.counts, noCounts());
  if (best < Infinity) device.speed = (500 * ROUNDS) / best; // what rounds cost is known within a factor of two
  const found = new Uint32Array(bytes!.buffer);
  return NAMES.filter((_, k) => found.subarray(part(2 + k, 0), part(3 + k, 0)).some((word, lane) => word !== expected[part(2 + k, lane)]));
}
