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
@group(0) @binding(1) var<uniform> given: array<vec4u, 5>;
@group(0) @binding(2) var<storage, read_write> words: array<u32>;
fn fence(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ given[2].z); }
@compute @workgroup_size(${LANES}) fn main(@builtin(local_invocation_index) lane: u32) {
  let zero = given[2].z;
  let a = bitcast<f32>(words[lane]);
  let b = bitcast<f32>(words[lane + ${LANES}u]);
  let sum = fence(a + b);
  words[lane + ${2 * LANES}u] = bitcast<u32>(sum);
  words[lane + ${3 * LANES}u] = bitcast<u32>(fence(sum - b));
  words[lane + ${4 * LANES}u] = bitcast<u32>(fence(a * b));
  words[lane + ${5 * LANES}u] = bitcast<u32>(fence(a / b));
  words[lane + ${6 * LANES}u] = bitcast<u32>(fence(sqrt(a)));
  var hash = lane;
  for (var round = 0u; round < ${ROUNDS}u + zero; round += 1u) {
    hash = hash * 1664525u + 1013904223u;
    if (lane > zero) { break; }
  }
  words[lane + ${7 * LANES}u] = hash;
  words[lane + ${8 * LANES}u] = bitcast<u32>(fence(a * bitcast<f32>(lane + 64u + zero)));
}`;

const KERNEL: Kernel = {
  name: "probe",
  program: -1,
  block: [LANES, 1, 1],
  shared: 0,
  scalars: [],
  memories: [{ kind: 0, base: "", written: true }],
  wasm: "",
  wgsl: [{ shader: 0, size: 80, scalars: [], bindings: [{ writable: true, memories: [0], scratch: 0 }] }],
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
  const run = device.run(1, undefined);
  void run.launch({ file, program: 0, launch, kernel: KERNEL, grid: [1, 1, 1], lanes: [LANES, 1, 1], scalars: [], memories: [memory] });
  const [bytes] = await run.finish([memory]);
  device.free(memory);
  Object.assign(device.counts, noCounts());
  const found = new Uint32Array(bytes!.buffer);
  return NAMES.filter((_, k) => found.subarray(part(2 + k, 0), part(3 + k, 0)).some((word, lane) => word !== expected[part(2 + k, lane)]));
}
