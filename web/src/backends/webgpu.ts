/** Runs artifacts on WebGPU: one command encoder and one submit for a run. */
import { AllocationFailed, BackendUnavailable, LaunchError, Untold } from "../errors.js";
import type { Values } from "../formula.js";
import { LARGEST, LAUNCH_VARIABLES, evaluate, integerOf, slotOf, view, writeBits } from "../internal.js";
import type { Artifact, Fast, Kernel, Launch, Variant } from "../plan.js";
import { CLASSES, CLASS_BYTES, lanesOf } from "../plan.js";
import type { Device, Job, Memory, Run } from "./device.js";
export { probe } from "./probe.js";
import * as isa from "../isa.gen.js";
import { USAGE, blocksOf, checkSignal, noCounts } from "./device.js";

/** What of an adapter's limits a device asks for; in the order of what kernels need. */
const LIMITS = [
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupStorageSize",
  "maxBufferSize",
] as const;

const COMPUTE = 4; // GPUShaderStage
const ROW = 65_535; // workgroups along one axis
const STRIDE = 256; // of status and arguments of launches: the coarsest alignment that devices ask for
const STATUS = 4 * isa.STATUS_WORDS;
const MOST_LAUNCHES = 4096; // after which a run submits
const MOST_FREE = 1 << 28; // bytes of freed buffers that are kept
const MEGABYTE = 1 << 20;
const MOST_SCRATCH = 1 << 26; // bytes that blocks have together, up to one block more: every adapter binds twice that

export interface Place extends Memory {
  readonly buffer: GPUBuffer;
  readonly identity: GPUBuffer;
  /** What the device has to tell of how it was made; undefined for what is not given back by free. */
  readonly made: readonly Promise<GPUError | null>[] | undefined;
}

export interface Pipeline {
  /** Whether lanes count the rounds of loops, so that nobody knows how long they take. */
  readonly counts: boolean;
  /** How many blocks a workgroup does. */
  readonly share: number;
  readonly layout: GPUBindGroupLayout;
  readonly pipeline: GPUComputePipeline;
}

/** Blocks of a launch: all, or as many as have scratch memory at a time. */
export interface Part extends Job {
  readonly code: Pipeline;
  readonly first: number;
  readonly blocks: number;
}

export type Command = Part | { target: Place; source: Place };

/** Commands, and what of the device it takes to record them. */
export interface Laid {
  readonly commands: readonly Command[];
  readonly jobs: readonly Part[];
  /** Of each launch: where its arguments are, and its bindings. */
  readonly offsets: readonly number[];
  readonly groups: readonly GPUBindGroup[];
  readonly given: GPUBuffer;
  readonly status: Place;
  readonly scratch: Place;
  /** Memory of the commands. */
  readonly used: readonly Place[];
}

/** And what recordings need, and runs in encoders of the caller's: recording.ts. */
export interface GpuDevice extends Device {
  readonly gpu: GPUDevice;
  /** Milliseconds of all launches that were waited for by the GPU's own clock; undefined where it has none. */
  readonly clocked: number | undefined;
  /** The code of a launch; `unsure` if it is without checks, and nobody knows that it is short. What was asked for it. */
  choose(job: Job, ends: Ends): { code: Pipeline | Promise<Pipeline>; unsure: boolean; fast: Fast | undefined; values: Values };
  lay(commands: readonly Command[], ends: Ends): Laid;
  tell(encoder: GPUCommandEncoder, laid: Laid, querySet: GPUQuerySet | null): void;
  /** Does commands, and gives the bytes of memories when all is done. Raises the first fault. */
  replay(laid: Laid, ends: Ends, reads: readonly Place[], first?: (encoder: GPUCommandEncoder) => void): Promise<Uint8Array<ArrayBuffer>[]>;
  release(laid: Laid): void;
  /** Raises the first fault of launches, if they had one. */
  check(laid: Laid, states: Uint8Array<ArrayBuffer>, ends: Ends): void;
  /** Does something, and keeps the device's errors of it for the next who waits. */
  guard<T>(work: () => T): T;
  /** Waits, and raises what the device has to tell, also of these memories. */
  wait(work: Promise<unknown>, places: readonly Place[], ends: Ends): Promise<void>;
  take(bytes: number, usage: GPUBufferUsageFlags): { buffer: GPUBuffer; used: boolean };
  give(buffer: GPUBuffer): void;
  /** Buffers that recordings use, so many: they serve nobody else. `free` says whether they were given back meanwhile. */
  readonly lent: WeakMap<GPUBuffer, { times: number; free: boolean }>;
  /** Writes zeros that the next submit would write. */
  settle(): void;
}
type Limit = keyof GPUSupportedLimits & string;

export interface Ends {
  readonly steps: number;
  readonly seconds: number;
  readonly signal: AbortSignal | undefined;
}

const parts = () => import("./parts.js");
const LIGHT = 2 ** 29; // rounds of loops, of all lanes together, of a launch that is short where software plays a GPU
const PACE = 32; // times as many of a GPU's, see backends/webgpu/gpu.py
const FEW_LANES = 2 ** 11; // of a launch that is not divided, and of the first part of another
const NO_ENDS: Ends = { steps: 0, seconds: Infinity, signal: undefined };

/** Waits for work until the signal or the clock ends the waiting. */
const within = <T>(work: Promise<T>, { seconds, signal }: Ends): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new Untold("cancelled"));
    const timer = setTimeout(() => reject(new Untold("timeIsUp", seconds)), Math.min(1000 * seconds, 2 ** 31 - 1));
    signal?.addEventListener("abort", stop);
    void work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    });
  });

const up = (bytes: number, to = 4): number => Math.max(Math.ceil(bytes / to), 1) * to;
/** Sizes that buffers have, so that freed ones serve again. */
const roomy = (bytes: number): number => (bytes > MEGABYTE ? up(bytes, MEGABYTE) : 2 ** Math.ceil(Math.log2(Math.max(bytes, STRIDE))));

/** A GPUDevice that can all that the adapter can. */
export async function openGpu(adapter: GPUAdapter): Promise<GPUDevice> {
  const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  const requiredFeatures: GPUFeatureName[] = adapter.features.has("timestamp-query") ? ["timestamp-query"] : [];
  try {
    return await adapter.requestDevice({ requiredFeatures, requiredLimits });
  } catch (error) {
    throw new BackendUnavailable("webgpu", `the adapter gives no device: ${error}`);
  }
}

/** Runs artifacts on `gpu`. `owned`: whether closing ends it. */
export function webGpuDevice(gpu: GPUDevice, owned = true): GpuDevice {
  const counts = noCounts();
  const data = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;
  const pipelines = new Map<string, Promise<Pipeline>>();
  const prepared = new WeakMap<Variant | Fast, Pipeline>();
  /** Errors that the device still has to tell of. */
  const checks: Promise<GPUError | null>[] = [];
  let lost: string | null = null;
  void gpu.lost.then(({ message, reason }) => (lost ??= `the device was lost: ${message || reason}`));

  function guard<T>(work: () => T, told = checks): T {
    const kinds: GPUErrorFilter[] = ["out-of-memory", "validation", "internal"];
    for (const kind of kinds) gpu.pushErrorScope(kind);
    try {
      return work();
    } finally {
      for (const _ of kinds) told.push(gpu.popErrorScope().catch(() => null));
    }
  }

  function checkLost(): void {
    if (lost !== null) throw new BackendUnavailable("webgpu", lost);
  }

  async function wait(work: Promise<unknown>, places: readonly Place[], ends: Ends): Promise<void> {
    const all = Promise.allSettled([...[...new Set(places)].flatMap(({ made }) => made ?? []), ...checks.splice(0), work] as Promise<any>[]);
    const outcomes = await within(all, ends);
    if (outcomes.some(({ status }) => status === "rejected")) {
      // A lost device is why; it says so soon.
      await Promise.race([gpu.lost, new Promise((resolve) => setTimeout(resolve, 1000))]);
    }
    checkLost();
    for (const outcome of outcomes) {
      const error = outcome.status === "rejected" ? outcome.reason : outcome.value;
      if (!error) continue;
      idle.clear(); // of what is there, this run's own may be no good
      idleBytes = 0;
      throw new (error.constructor.name === "GPUOutOfMemoryError" ? AllocationFailed : LaunchError)(`WebGPU: ${error.message}`);
    }
  }

  // Code

  async function prepare(file: Artifact, launches: readonly Launch[]): Promise<void> {
    const used = new Map<Variant, Kernel>();
    for (const launch of launches) {
      const kernel = file.kernels[launch.kernel]!;
      if (typeof kernel.wgsl === "string") throw new Untold("noShader", kernel);
      used.set(kernel.wgsl[launch.variant - 1]!, kernel);
    }
    // What runs without checks is what most launches run; another one is made when a launch needs it.
    await Promise.all([...used].map(([variant, kernel]) => made(file, kernel, variant, variant.fast[0])));
  }

  /** The pipeline of a variant, with checks or without them. */
  function made(file: Artifact, kernel: Kernel, variant: Variant, fast: Fast | undefined): Pipeline | Promise<Pipeline> {
    const code = fast ?? variant;
    const found = prepared.get(code);
    return found ?? pipelineOf(file, kernel, variant, code, fast?.blocks ?? 1).then((pipeline) => {
      prepared.set(code, pipeline);
      return pipeline;
    });
  }

  function checkLimit(name: string, need: number, limit: Limit): void {
    const most = gpu.limits[limit] as number;
    if (need > most) throw new Untold("limit", name, need, limit, most);
  }

  function pipelineOf(file: Artifact, kernel: Kernel, variant: Variant, { shader, counts: rounds }: Variant | Fast, share: number): Promise<Pipeline> {
    const { name } = kernel;
    const { size, bindings } = variant;
    const needs = [scratchOf(variant), bindings.length + 1, lanesOf(kernel), ...kernel.block, kernel.shared];
    LIMITS.forEach((limit, k) => checkLimit(name, needs[k]!, limit));
    const code = file.shaders[shader]!.map((piece) => file.pieces[piece]!).join("");
    const key = `${bindings.map(({ writable }) => writable)} ${size} ${code}`;
    let found = pipelines.get(key);
    if (!found) {
      pipelines.set(key, (found = compile()));
      found.catch(() => pipelines.delete(key));
    }
    return found;

    async function compile(): Promise<Pipeline> {
      const buffers: GPUBufferBindingLayout[] = [
        { type: "storage", hasDynamicOffset: true, minBindingSize: STATUS },
        { type: "uniform", hasDynamicOffset: true, minBindingSize: size },
        ...bindings.map(({ writable }): GPUBufferBindingLayout => ({ type: writable ? "storage" : "read-only-storage" })),
      ];
      const layout = gpu.createBindGroupLayout({ entries: buffers.map((buffer, binding) => ({ binding, visibility: COMPUTE, buffer })) });
      const module = gpu.createShaderModule({ code });
      if (rounds) parts().catch(() => {}); // beside the compiling; the launch tells what is wrong
      try {
        const pipeline = await gpu.createComputePipelineAsync({
          layout: gpu.createPipelineLayout({ bindGroupLayouts: [layout] }),
          compute: { module, entryPoint: "main" },
        });
        counts.compiles++;
        return { counts: rounds, share, layout, pipeline };
      } catch (error) {
        checkLost();
        throw new Untold("refused", name, error as Error);
      }
    }
  }

  // Memory

  /** Buffers that are free, by size and use. */
  const idle = new Map<string, GPUBuffer[]>();
  let idleBytes = 0;

  function take(bytes: number, usage: GPUBufferUsageFlags): { buffer: GPUBuffer; used: boolean } {
    const size = roomy(bytes);
    const found = idle.get(`${size} ${usage}`)?.pop();
    if (found) idleBytes -= size;
    return { buffer: found ?? gpu.createBuffer({ size, usage }), used: !!found };
  }

  const lent: GpuDevice["lent"] = new WeakMap();

  function give(buffer: GPUBuffer): void {
    const state = lent.get(buffer);
    if (state) state.free = true;
    else keep(buffer);
  }

  function keep(buffer: GPUBuffer): void {
    dirty.delete(buffer);
    if (idleBytes + buffer.size > MOST_FREE) return buffer.destroy();
    const key = `${buffer.size} ${buffer.usage}`;
    idle.set(key, [...(idle.get(key) ?? []), buffer]);
    idleBytes += buffer.size;
  }

  const placeOf = (buffer: GPUBuffer, bytes: number, made?: Place["made"]): Place => ({ buffer, bytes, identity: buffer, made });

  /** Buffers whose zeros the next submit writes: one of its own takes 0.1 to 0.8 ms. */
  const dirty = new Set<GPUBuffer>();
  const settle = () => void (dirty.size && guard(submit));

  function allocate(bytes: number, content?: Uint8Array, soon = false): Place {
    const most = gpu.limits.maxBufferSize;
    if (bytes > most) throw new AllocationFailed(`${bytes} bytes: maxBufferSize is ${most} on this adapter`);
    const made: Promise<GPUError | null>[] = [];
    return guard(() => {
      const { buffer, used } = take(bytes, data);
      if (content) put(buffer, content, 0);
      else if (used) {
        dirty.add(buffer);
        if (!soon) submit();
      }
      counts.liveBytes += bytes;
      return placeOf(buffer, bytes, made);
    }, made);
  }

  function adopt(value: unknown, bytes?: number): Place | null {
    if (typeof GPUBuffer === "undefined" || !(value instanceof GPUBuffer)) return null;
    if (!(value.usage & USAGE.STORAGE) || (bytes !== undefined && value.size < up(bytes))) {
      throw new Untold("gpuBuffer", up(bytes ?? 4));
    }
    return placeOf(value, bytes ?? value.size);
  }

  function free(memory: Memory): void {
    const { buffer, made } = memory as Place;
    if (!made) return;
    counts.liveBytes -= memory.bytes;
    void Promise.all(made).then((errors) => errors.some(Boolean) || (lost === null && give(buffer)));
  }

  /** The queue writes multiples of 4 bytes only; an offset is one. */
  function put(buffer: GPUBuffer, content: Uint8Array, offset: number): void {
    let whole = content;
    if (content.length % 4) (whole = new Uint8Array(up(content.length))).set(content);
    gpu.queue.writeBuffer(buffer, offset, whole as BufferSource);
  }

  function submit(record?: (encoder: GPUCommandEncoder) => void): void {
    const encoder = gpu.createCommandEncoder();
    dirty.forEach((buffer) => encoder.clearBuffer(buffer));
    dirty.clear();
    record?.(encoder);
    gpu.queue.submit([encoder.finish()]);
    counts.submits++;
  }

  /** Copies memories out behind what `record` records, all in one submit and one mapping. */
  async function fetch(
    memories: readonly Place[],
    used = memories,
    record?: (encoder: GPUCommandEncoder) => void,
    ends = NO_ENDS,
  ): Promise<Uint8Array<ArrayBuffer>[]> {
    let size = 0;
    const starts = memories.map(({ bytes }) => (size += up(bytes, 8)) - up(bytes, 8));
    size = up(size, 8);
    const staging = guard(() => {
      const { buffer } = take(size, USAGE.MAP_READ | USAGE.COPY_DST);
      submit((encoder) => {
        record?.(encoder);
        memories.forEach(({ buffer: source, bytes }, k) => {
          if (bytes) encoder.copyBufferToBuffer(source, 0, buffer, starts[k]!, up(bytes));
        });
      });
      return buffer;
    });
    // Whoever stops waiting leaves the buffer behind: it is collected when the GPU is done with it.
    await wait(staging.mapAsync(USAGE.MAP_READ, 0, size), used, ends);
    const range = staging.getMappedRange(0, size);
    const found = memories.map(({ bytes }, k) => new Uint8Array(range.slice(starts[k]!, starts[k]! + bytes)));
    staging.unmap();
    give(staging);
    return found;
  }

  // Runs

  const clock = gpu.features.has("timestamp-query") ? gpu.createQuerySet({ type: "timestamp", count: 2 }) : null;
  let clocked = 0;
  const ticks = clock && placeOf(gpu.createBuffer({ size: STRIDE, usage: USAGE.QUERY_RESOLVE | USAGE.COPY_SRC }), 16);

  function run(steps: number, signal?: AbortSignal, seconds = Infinity): Run {
    checkSignal(signal);
    const ends = { steps, seconds, signal };
    const commands: Command[] = [];
    const flush = (): Promise<void> => execute(commands.splice(0), ends, []).then(() => checkSignal(signal));
    const add = (...more: Command[]): Promise<void> | void => {
      if (commands.push(...more) >= MOST_LAUNCHES) return flush();
    };
    return {
      launch: (job) => {
        counts.launches++;
        const [blocks, lanes] = [blocksOf(job), lanesOf(job.kernel)];
        const { code, unsure } = choose(job, ends);
        const go = (code: Pipeline) => {
          if (blocks * lanes <= FEW_LANES || !(code.counts || unsure)) return add(...partsOf(job, code));
          const run = (first: number, end: number) => {
            commands.push(...partsOf(job, code, first, end));
            return end < blocks ? flush() : undefined;
          };
          return parts().then(({ inParts }) => inParts(blocks, FEW_LANES / lanes, seconds, run));
        };
        return "then" in code ? code.then(go) : go(code);
      },
      copy: (target, source) => add({ target: target as Place, source: source as Place }),
      finish: (reads) => execute(commands.splice(0), ends, reads as Place[]),
    };
  }

  function choose(job: Job, { steps, seconds }: Ends): ReturnType<GpuDevice["choose"]> {
    for (const { bytes } of job.memories) checkLimit(job.kernel.name, up(bytes), LIMITS[0]);
    const variant = variantOf(job);
    const values = valuesOf(job, steps);
    const short = proven(variant, values, Math.max(Math.floor((device.info?.adapter?.real ? PACE : 1) * LIGHT / (blocksOf(job) * lanesOf(job.kernel))), 1));
    const fast = short ?? proven(variant, values, patienceOf(seconds) || LARGEST);
    return { code: made(job.file, job.kernel, variant, fast), unsure: fast !== short, fast, values };
  }

  /** A lane's rounds of the shortest loop: as many as fit into the seconds. */
  const patienceOf = (seconds: number): number => (seconds < Infinity ? Math.min(seconds * device.speed!, 2 ** 32 - 1) : 0);

  async function execute(commands: readonly Command[], ends: Ends, reads: readonly Place[]): Promise<Uint8Array<ArrayBuffer>[]> {
    const laid = lay(commands, ends);
    const found = replay(laid, ends, reads);
    release(laid);
    return found;
  }

  async function replay(laid: Laid, ends: Ends, reads: readonly Place[], first?: (encoder: GPUCommandEncoder) => void): Promise<Uint8Array<ArrayBuffer>[]> {
    const { jobs, status, used } = laid;
    const time = ticks && jobs.length ? [ticks] : [];
    const found = fetch([status, ...reads, ...time], [...used, ...reads], (encoder) => {
      first?.(encoder);
      tell(encoder, laid, clock);
      for (const { buffer } of time) encoder.resolveQuerySet(clock!, 0, 2, buffer, 0);
    }, ends);
    const [states, ...rest] = await found;
    const [start, end] = time.length ? new BigUint64Array(rest.pop()!.buffer) : [];
    counts.milliseconds = start === undefined ? null : Number(end! - start) / 1e6;
    clocked += counts.milliseconds!;
    check(laid, states!, ends);
    return rest;
  }

  function lay(commands: readonly Command[], { steps, seconds }: Ends): Laid {
    const jobs = commands.filter((command): command is Part => !("target" in command));
    let size = 0;
    const offsets = jobs.map((job) => (size += up(variantOf(job).size, STRIDE)) - up(variantOf(job).size, STRIDE));
    const words = new Uint32Array(size / 4);
    jobs.forEach((job, k) => fill(words.subarray(offsets[k]! / 4), job, steps, patienceOf(seconds)));
    const bytes = jobs.length * STRIDE;
    const most = Math.max(0, ...jobs.map((job) => scratchOf(variantOf(job)) * job.blocks));
    const used = commands.flatMap((command) => ("target" in command ? [command.target, command.source] : (command.memories as Place[])));
    return guard(() => {
      const given = take(size, USAGE.UNIFORM | USAGE.COPY_DST).buffer;
      const [status, scratch] = [bytes, most].map((bytes) => placeOf(take(bytes, data).buffer, bytes)) as [Place, Place];
      gpu.queue.writeBuffer(given, 0, words);
      const known = new Map<string, GPUBindGroup>();
      const groups = jobs.map((job) => {
        const { bindings, size } = variantOf(job);
        const { layout } = job.code;
        const bound = bindings.map(({ memories }) => (job.memories[memories[0]!] as Place | undefined) ?? scratch);
        const key = [numberOf(layout), size, ...bound.map(({ buffer, bytes }) => `${numberOf(buffer)} ${bytes}`)].join();
        let group = known.get(key);
        if (!group) {
          const parts: GPUBufferBinding[] = [
            { buffer: status.buffer, size: STATUS },
            { buffer: given, size },
            ...bound.map(({ buffer, bytes }) => ({ buffer, size: up(bytes) })),
          ];
          known.set(key, (group = gpu.createBindGroup({ layout, entries: parts.map((resource, binding) => ({ binding, resource })) })));
        }
        return group;
      });
      return { commands, jobs, offsets, groups, given, status, scratch, used };
    });
  }

  function release({ given, status, scratch }: Laid): void {
    for (const buffer of [given, status.buffer, scratch.buffer]) give(buffer);
  }

  const numbers = new WeakMap<object, number>();
  let numbered = 0;

  function numberOf(part: object): number {
    if (!numbers.has(part)) numbers.set(part, numbered++);
    return numbers.get(part)!;
  }

  function tell(encoder: GPUCommandEncoder, { commands, offsets, groups, given, status }: Laid, querySet: GPUQuerySet | null): void {
    let pass: GPUComputePassEncoder | null = null;
    let number = 0;
    let begin: { beginningOfPassWriteIndex?: number } = { beginningOfPassWriteIndex: 0 };
    const copy = (source: Place, target: GPUBuffer, offset: number, bytes: number) => {
      pass?.end();
      pass = null;
      encoder.copyBufferToBuffer(source.buffer, 0, target, offset, bytes);
    };
    if (status.bytes) encoder.clearBuffer(status.buffer);
    for (const command of commands) {
      if ("target" in command) {
        copy(command.source, command.target.buffer, 0, up(command.target.bytes));
        continue;
      }
      const start = offsets[number]!;
      let place = start + 64;
      for (const number of variantOf(command).scalars) {
        const value = command.scalars[number]!;
        const slot = slotOf(command.kernel.scalars[number]!.type);
        if (typeof value !== "bigint") copy(value as Place, given, place, slot);
        place += slot;
      }
      if (!pass) {
        pass = encoder.beginComputePass(querySet ? { timestampWrites: { querySet, ...begin, endOfPassWriteIndex: 1 } } : {});
        begin = {};
      }
      pass.setPipeline(command.code.pipeline);
      pass.setBindGroup(0, groups[number]!, [number++ * STRIDE, start]);
      const count = Math.ceil(command.blocks / command.code.share);
      pass.dispatchWorkgroups(Math.min(count, ROW), Math.ceil(count / ROW));
    }
    pass?.end();
  }

  const classMemory = allocate(CLASSES * CLASS_BYTES);
  counts.liveBytes = 0;
  const device: GpuDevice = {
    backend: "webgpu",
    speed: 2 ** 27, // until it was probed, and where there is no clock
    gpu,
    counts,
    get clocked() {
      return clock ? clocked : undefined;
    },
    classMemory,
    get lost() {
      return lost;
    },
    prepare,
    allocate,
    adopt,
    free,
    write: (memory, content, offset) => guard(() => put((memory as Place).buffer, content, offset)),
    read: async (memory) => (await fetch([memory as Place]))[0]!,
    run,
    choose, lay, tell, replay, release, check, guard, wait, take, give, lent, settle,
    close: (why) => {
      lost = why;
      idle.forEach((buffers) => buffers.forEach((buffer) => buffer.destroy()));
      if (owned) gpu.destroy();
    },
  };
  return device;
}

const variantOf = ({ kernel, launch }: Job): Variant => (kernel.wgsl as readonly Variant[])[launch.variant - 1]!;
/** Bytes of scratch memory for a block. */
const scratchOf = ({ bindings }: Variant): number => bindings.at(-1)?.scratch || 0;
export function partsOf(job: Job, code: Pipeline, start = 0, end = blocksOf(job)): Part[] {
  const parts: Part[] = [];
  const most = Math.ceil(MOST_SCRATCH / scratchOf(variantOf(job)));
  for (let first = start; first < end; first += most) parts.push({ ...job, code, first, blocks: Math.min(end - first, most) });
  return parts;
}
const orderOf = (variant: Variant): number[] => variant.bindings.flatMap(({ memories }) => memories);

/** What conditions know, but for the rounds. */
function valuesOf(job: Job, steps: number): Values {
  const { kernel, scalars, grid, lanes } = job;
  const values: Values = new Map([...grid, ...lanes, steps].map((value, k) => [LAUNCH_VARIABLES[k]!, value]));
  scalars.forEach((value, k) => {
    if (typeof value === "bigint") values.set(`s${k}`, Number(integerOf(kernel.scalars[k]!.type, value)));
  });
  kernel.memories.forEach((_, k) => values.set(`m${k}`, bytesOfMemory(job, k)));
  return values;
}

/** The shader without checks that may run. What is not known, or leaves the range of numbers, proves nothing. */
function proven({ fast }: Variant, values: Values, rounds: number): Fast | undefined {
  values.set(LAUNCH_VARIABLES[7]!, rounds);
  return fast.find(({ conditions }) => {
    try {
      return conditions.every((condition) => evaluate(condition, values) >= 0);
    } catch {
      return false;
    }
  });
}

const bytesOfMemory = ({ kernel, memories }: Job, number: number): number =>
  kernel.memories[number]!.kind === 2 ? CLASS_BYTES : memories[number]!.bytes;

/** Writes the arguments of blocks. */
function fill(words: Uint32Array, job: Part, steps: number, patience: number): void {
  const variant = variantOf(job);
  words.set(job.grid, isa.WGSL_GRID);
  words.set(job.lanes, isa.WGSL_LANES);
  words[isa.WGSL_END] = job.first + job.blocks;
  words[isa.WGSL_STEPS] = Math.min(steps + 1, 2 ** 32 - 1);
  words[isa.WGSL_SHARED_SIZE] = job.kernel.shared;
  words[isa.WGSL_FIRST] = job.first;
  words[isa.WGSL_PATIENCE] = patience;
  let place: number = isa.WGSL_VALUES;
  for (const number of variant.scalars) {
    const value = job.scalars[number]!;
    const slot = slotOf(job.kernel.scalars[number]!.type);
    if (typeof value === "bigint") writeBits(view(words), 4 * place, slot, value);
    place += slot / 4;
  }
  for (const number of orderOf(variant)) {
    words[place++] = bytesOfMemory(job, number);
  }
}

function check({ jobs }: Laid, { buffer }: Uint8Array<ArrayBuffer>, { steps, seconds }: Ends): void {
  jobs.forEach((job, number) => {
    const status = new Int32Array(buffer, number * STRIDE, isa.STATUS_WORDS);
    if (status[isa.STATUS_KIND]) throw new Untold("gpuFault", job, orderOf(variantOf(job)), status, steps, seconds);
  });
}
