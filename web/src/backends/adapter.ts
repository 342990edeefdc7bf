/** Finds a GPU, and finds out whether it computes as shaders need it. */
import { BackendUnavailable } from "../errors.js";

/** GPUBufferUsage; MAP_READ is GPUMapMode.READ, too. Not all places with WebGPU have them as globals. */
export const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128, QUERY_RESOLVE: 512 };
export const COMPUTE = 4; // GPUShaderStage

/** What of an adapter's limits a device asks for. */
const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupStorageSize",
] as const;

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|\bwarp\b|basic render|\bcpu\b/i;

export interface AdapterInfo {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
  /** Whether it is a GPU, not a program that stands in for one. */
  real: boolean;
  /** What F32 does not do as elsewhere: operations whose results are not the nearest numbers, "subnormals". */
  inexact: string[];
}

export async function openAdapter(gpu: GPU | undefined, power: GPUPowerPreference): Promise<GPUAdapter> {
  if (!gpu) throw new BackendUnavailable("webgpu", "there is no navigator.gpu here: it needs a browser with WebGPU, and https or localhost");
  let adapter: GPUAdapter | null = null;
  try {
    adapter = await gpu.requestAdapter({ powerPreference: power });
  } catch (error) {
    throw new BackendUnavailable("webgpu", String(error));
  }
  if (!adapter) throw new BackendUnavailable("webgpu", "the browser has no adapter");
  return adapter;
}

export async function openDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  const requiredFeatures: GPUFeatureName[] = adapter.features.has("timestamp-query") ? ["timestamp-query"] : [];
  try {
    return await adapter.requestDevice({ requiredFeatures, requiredLimits });
  } catch (error) {
    throw new BackendUnavailable("webgpu", `the adapter gives no device: ${error}`);
  }
}

/** What the adapter says of itself. */
export function describeAdapter(info: GPUAdapterInfo): AdapterInfo {
  const { vendor, architecture, device, description, isFallbackAdapter } = info;
  const software = isFallbackAdapter || SOFTWARE.test(`${vendor} ${architecture} ${device} ${description}`);
  return { vendor, architecture, device, description, real: !software, inexact: [] };
}

const LANES = 64;
const ROUNDS = 70_000; // some drivers end loops after 65,535 rounds
const NAMES = ["+", "-", "*", "/", "sqrt", "loops", "subnormals"];

// The fence keeps compilers from folding (a + b) - b; all numbers but the last are normal.
const PROBE = `
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> zero: vec4u;
fn fence(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ zero.x); }
@compute @workgroup_size(${LANES}) fn main(@builtin(local_invocation_index) lane: u32) {
  let a = bitcast<f32>(words[lane]);
  let b = bitcast<f32>(words[lane + ${LANES}u]);
  let sum = fence(a + b);
  words[lane + ${2 * LANES}u] = bitcast<u32>(sum);
  words[lane + ${3 * LANES}u] = bitcast<u32>(fence(sum - b));
  words[lane + ${4 * LANES}u] = bitcast<u32>(fence(a * b));
  words[lane + ${5 * LANES}u] = bitcast<u32>(fence(a / b));
  words[lane + ${6 * LANES}u] = bitcast<u32>(fence(sqrt(a)));
  var hash = lane;
  for (var round = 0u; round < ${ROUNDS}u + zero.x; round += 1u) {
    hash = hash * 1664525u + 1013904223u;
    if (lane > zero.x) { break; }
  }
  words[lane + ${7 * LANES}u] = hash;
  words[lane + ${8 * LANES}u] = bitcast<u32>(fence(a * bitcast<f32>(lane + 64u + zero.x)));
}`;

/** The operations, of NAMES, that the device gets wrong. */
export async function probe(device: GPUDevice): Promise<string[]> {
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
  const size = words.byteLength;
  const buffer = device.createBuffer({ size, usage: USAGE.STORAGE | USAGE.COPY_DST | USAGE.COPY_SRC });
  const zero = device.createBuffer({ size: 16, usage: USAGE.UNIFORM });
  const staging = device.createBuffer({ size, usage: USAGE.MAP_READ | USAGE.COPY_DST });
  device.queue.writeBuffer(buffer, 0, words);
  const module = device.createShaderModule({ code: PROBE });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "main" } });
  const entries = [buffer, zero].map((bound, binding) => ({ binding, resource: { buffer: bound } }));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(USAGE.MAP_READ);
  const found = new Uint32Array(staging.getMappedRange().slice(0));
  for (const used of [buffer, zero, staging]) used.destroy();
  return NAMES.filter((_, k) => found.subarray(part(2 + k, 0), part(3 + k, 0)).some((word, lane) => word !== expected[part(2 + k, lane)]));
}
