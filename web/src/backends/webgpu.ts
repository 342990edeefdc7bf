/** Runs artifacts on WebGPU: one command encoder and one submit for a run. */
import { AllocationFailed, BackendUnavailable, CompileError, InvalidBuffer, LaunchError } from "../errors.js";
import { faultOf } from "../faults.js";
import type { Artifact, Kernel, Variant } from "../plan.js";
import { CLASSES, CLASS_BYTES, launchesOf } from "../plan.js";
import { COMPUTE, USAGE } from "./adapter.js";
import type { Device, Job, Memory, Run } from "./device.js";
import { blocksOf, noCounts } from "./device.js";
import { checkSignal } from "./wasm.js";

const ROW = 65_535; // workgroups along one axis
const STRIDE = 256; // of status and arguments of launches: the coarsest alignment that devices ask for
const STATUS = 32;
const MOST_LAUNCHES = 4096; // of one submit
const MOST_FREE = 1 << 28; // bytes of freed buffers that are kept
const MEGABYTE = 1 << 20;

interface Place extends Memory {
  readonly buffer: GPUBuffer;
  readonly identity: GPUBuffer;
  /** Whether it is the device's own. */
  readonly owned: boolean;
}

interface Pipeline {
  readonly layout: GPUBindGroupLayout;
  readonly pipeline: GPUComputePipeline;
}

type Command = Job | { target: Place; source: Place };

const up = (bytes: number, to = 4): number => Math.max(Math.ceil(bytes / to), 1) * to;
/** Sizes that buffers have, so that freed ones serve again. */
const roomy = (bytes: number): number => (bytes > MEGABYTE ? up(bytes, MEGABYTE) : 2 ** Math.ceil(Math.log2(Math.max(bytes, STRIDE))));

/** Buffers by use, those that are free kept for the next who asks. */
class Pool {
  private readonly idle = new Map<string, GPUBuffer[]>();
  private bytes = 0;

  constructor(private readonly gpu: GPUDevice) {}

  take(size: number, usage: GPUBufferUsageFlags): { buffer: GPUBuffer; used: boolean } {
    const found = this.idle.get(`${roomy(size)} ${usage}`)?.pop();
    if (found) this.bytes -= found.size;
    return { buffer: found ?? this.gpu.createBuffer({ size: roomy(size), usage }), used: found !== undefined };
  }

  give(buffer: GPUBuffer): void {
    if (this.bytes + buffer.size > MOST_FREE) return buffer.destroy();
    const key = `${buffer.size} ${buffer.usage}`;
    this.idle.set(key, [...(this.idle.get(key) ?? []), buffer]);
    this.bytes += buffer.size;
  }
}

export class WebGpuDevice implements Device {
  readonly backend = "webgpu";
  readonly counts = noCounts();
  readonly classMemory: Place;
  lost: string | null = null;
  private readonly pool: Pool;
  private readonly data = USAGE.STORAGE | USAGE.COPY_SRC | USAGE.COPY_DST;
  private readonly pipelines = new Map<string, Promise<Pipeline>>();
  private readonly prepared = new WeakMap<Artifact, Map<Variant, Pipeline>>();
  private readonly numbers = new WeakMap<object, number>();
  private numbered = 0;
  /** Errors that the device still has to tell of. */
  private checks: Promise<GPUError | null>[] = [];
  private readonly clock: { set: GPUQuerySet; buffer: GPUBuffer } | null;

  /** `owned`: whether closing ends it. */
  constructor(
    readonly gpu: GPUDevice,
    private readonly owned = true,
  ) {
    void gpu.lost.then(({ message, reason }) => (this.lost = `the device was lost: ${message || reason}`));
    this.pool = new Pool(gpu);
    this.classMemory = this.allocate(CLASSES * CLASS_BYTES);
    this.counts.liveBytes = 0;
    this.clock = gpu.features.has("timestamp-query")
      ? {
          set: gpu.createQuerySet({ type: "timestamp", count: 2 }),
          buffer: gpu.createBuffer({ size: STRIDE, usage: USAGE.QUERY_RESOLVE | USAGE.COPY_SRC }),
        }
      : null;
  }

  /** Does something, and keeps the device's errors of it for the next who waits. */
  private guard<T>(work: () => T): T {
    const kinds: GPUErrorFilter[] = ["out-of-memory", "validation", "internal"];
    for (const kind of kinds) this.gpu.pushErrorScope(kind);
    try {
      return work();
    } finally {
      for (const _ of kinds) this.checks.push(this.gpu.popErrorScope().catch(() => null));
    }
  }

  /** Waits, and raises what the device has to tell. */
  private async wait(work: Promise<unknown>): Promise<void> {
    const checks = this.checks.splice(0);
    const outcomes = await Promise.allSettled([...checks, work]);
    if (outcomes.some(({ status }) => status === "rejected")) {
      // A lost device is why; it says so soon.
      await Promise.race([this.gpu.lost, new Promise((resolve) => setTimeout(resolve, 1000))]);
    }
    if (this.lost !== null) throw new BackendUnavailable("webgpu", this.lost);
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") throw new LaunchError(`WebGPU: ${outcome.reason}`);
      const error = outcome.value as GPUError | null | undefined;
      if (!error) continue;
      const memory = typeof GPUOutOfMemoryError !== "undefined" && error instanceof GPUOutOfMemoryError;
      throw new (memory ? AllocationFailed : LaunchError)(`WebGPU: ${error.message}`);
    }
  }

  // Code

  async prepare(file: Artifact): Promise<void> {
    if (this.prepared.has(file)) return;
    const found = new Map<Variant, Pipeline>();
    const used = new Map<Variant, Kernel>();
    for (const launch of launchesOf(file.steps, this.backend)) {
      const kernel = file.kernels[launch.kernel]!;
      if (typeof kernel.wgsl === "string") throw new CompileError(null, `${kernel.name || "a kernel"} has no WGSL: ${kernel.wgsl}`);
      used.set(kernel.wgsl[launch.variant - 1]!, kernel);
    }
    const work = [...used].map(async ([variant, kernel]) => {
      this.checkLimits(kernel, variant);
      const code = file.shaders[variant.shader]!.map((piece) => file.pieces[piece]!).join("");
      found.set(variant, await this.pipelineOf(kernel, variant, code));
    });
    await Promise.all(work);
    this.prepared.set(file, found);
  }

  private checkLimits({ name, block, shared }: Kernel, { bindings }: Variant): void {
    const needs: [number, keyof GPUSupportedLimits & string][] = [
      [block[0] * block[1] * block[2], "maxComputeInvocationsPerWorkgroup"],
      [block[0], "maxComputeWorkgroupSizeX"],
      [block[1], "maxComputeWorkgroupSizeY"],
      [block[2], "maxComputeWorkgroupSizeZ"],
      [bindings.length + 1, "maxStorageBuffersPerShaderStage"],
      [shared, "maxComputeWorkgroupStorageSize"],
    ];
    for (const [need, limit] of needs) this.checkLimit(name, need, limit);
  }

  private checkLimit(name: string, need: number, limit: keyof GPUSupportedLimits & string): void {
    const most = this.gpu.limits[limit] as number;
    if (need > most) throw new LaunchError(`${name || "a kernel"} needs ${need}, and ${limit} is ${most} on this adapter`);
  }

  private pipelineOf(kernel: Kernel, variant: Variant, code: string): Promise<Pipeline> {
    const key = `${variant.bindings.map(({ writable }) => Number(writable)).join("")} ${variant.size} ${code}`;
    let found = this.pipelines.get(key);
    if (!found) {
      this.pipelines.set(key, (found = this.compile(kernel, variant, code)));
      found.catch(() => this.pipelines.delete(key));
    }
    return found;
  }

  private async compile(kernel: Kernel, { size, bindings }: Variant, code: string): Promise<Pipeline> {
    const { gpu } = this;
    const buffers: GPUBufferBindingLayout[] = [
      { type: "storage", hasDynamicOffset: true, minBindingSize: STATUS },
      { type: "uniform", hasDynamicOffset: true, minBindingSize: size },
      ...bindings.map(({ writable }): GPUBufferBindingLayout => ({ type: writable ? "storage" : "read-only-storage" })),
    ];
    const entries = buffers.map((buffer, binding) => ({ binding, visibility: COMPUTE, buffer }));
    const layout = gpu.createBindGroupLayout({ entries });
    const module = gpu.createShaderModule({ code });
    try {
      const pipeline = await gpu.createComputePipelineAsync({
        layout: gpu.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: "main" },
      });
      this.counts.compiles++;
      return { layout, pipeline };
    } catch (error) {
      if (this.lost !== null) throw new BackendUnavailable("webgpu", this.lost);
      throw new CompileError(null, `the WGSL of ${kernel.name || "a kernel"} is refused: ${(error as Error).message}`);
    }
  }

  // Memory

  allocate(bytes: number, data?: Uint8Array): Place {
    if (bytes > this.gpu.limits.maxBufferSize) {
      throw new AllocationFailed(`${bytes} bytes: maxBufferSize is ${this.gpu.limits.maxBufferSize} on this adapter`);
    }
    return this.guard(() => {
      const { buffer, used } = this.pool.take(bytes, this.data);
      const place: Place = { buffer, bytes, identity: buffer, owned: true };
      if (data) this.put(place, data, 0);
      else if (used) this.submit((encoder) => encoder.clearBuffer(buffer));
      this.counts.liveBytes += bytes;
      return place;
    });
  }

  adopt(value: unknown, bytes?: number): Place | null {
    if (typeof GPUBuffer === "undefined" || !(value instanceof GPUBuffer)) return null;
    if (!(value.usage & USAGE.STORAGE) || (bytes !== undefined && value.size < up(bytes))) {
      throw new InvalidBuffer(`a GPUBuffer has to be of usage STORAGE and of ${up(bytes ?? 4)} bytes at least`);
    }
    return { buffer: value, bytes: bytes ?? value.size, identity: value, owned: false };
  }

  free(memory: Memory): void {
    const { buffer, owned } = memory as Place;
    if (!owned) return;
    this.counts.liveBytes -= memory.bytes;
    if (this.lost === null) this.pool.give(buffer);
  }

  write(memory: Memory, data: Uint8Array, offset: number): void {
    this.guard(() => this.put(memory as Place, data, offset));
  }

  /** The queue writes multiples of 4 bytes only; an offset is one. */
  private put({ buffer }: Place, data: Uint8Array, offset: number): void {
    const even = data.length - (data.length % 4);
    this.gpu.queue.writeBuffer(buffer, offset, data as BufferSource, 0, even);
    if (even === data.length) return;
    const rest = new Uint8Array(4);
    rest.set(data.subarray(even));
    this.gpu.queue.writeBuffer(buffer, offset + even, rest);
  }

  private submit(record: (encoder: GPUCommandEncoder) => void): void {
    const encoder = this.gpu.createCommandEncoder();
    record(encoder);
    this.gpu.queue.submit([encoder.finish()]);
    this.counts.submits++;
  }

  /** Copies memories out behind what `record` records, all in one submit and one mapping. */
  private fetch(
    memories: readonly (Place & { readonly at?: number })[],
    record?: (encoder: GPUCommandEncoder) => void,
  ): Promise<Uint8Array<ArrayBuffer>[]> {
    const starts: number[] = [];
    let size = 0;
    for (const { bytes } of memories) {
      starts.push(size);
      size += up(bytes, 8);
    }
    const staging = this.guard(() => {
      const { buffer } = this.pool.take(size, USAGE.MAP_READ | USAGE.COPY_DST);
      this.submit((encoder) => {
        record?.(encoder);
        memories.forEach(({ buffer: source, bytes }, k) => {
          if (bytes) encoder.copyBufferToBuffer(source, 0, buffer, starts[k]!, up(bytes));
        });
      });
      return buffer;
    });
    const mapped = staging.mapAsync(USAGE.MAP_READ, 0, up(size, 8));
    return this.wait(mapped).then(() => {
      const range = staging.getMappedRange(0, up(size, 8));
      const found = memories.map(({ bytes }, k) => new Uint8Array(range.slice(starts[k]!, starts[k]! + bytes)));
      staging.unmap();
      this.pool.give(staging);
      return found;
    });
  }

  async read(memory: Memory): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.fetch([memory as Place]))[0]!;
  }

  // Runs

  run(steps: number, signal: AbortSignal | undefined): Run {
    checkSignal(signal);
    let commands: Command[] = [];
    const flush = async (): Promise<void> => {
      const due = commands;
      commands = [];
      await this.execute(due, steps, []);
      checkSignal(signal);
    };
    const add = (command: Command): Promise<void> | void => {
      commands.push(command);
      return commands.length < MOST_LAUNCHES ? undefined : flush();
    };
    return {
      launch: (job) => {
        for (const { bytes } of job.memories) this.checkLimit(job.kernel.name, up(bytes), "maxStorageBufferBindingSize");
        this.counts.launches++;
        return add(job);
      },
      copy: (target, source) => add({ target: target as Place, source: source as Place }),
      finish: (reads) => this.execute(commands, steps, reads as Place[]),
    };
  }

  private execute(commands: readonly Command[], steps: number, reads: readonly Place[]): Promise<Uint8Array<ArrayBuffer>[]> {
    const jobs = commands.filter((command): command is Job => "kernel" in command);
    const offsets: number[] = [];
    let size = 0;
    for (const job of jobs) {
      offsets.push(size);
      size += up(variantOf(job).size, STRIDE);
    }
    const words = new Uint32Array(size / 4);
    jobs.forEach((job, k) => fill(words.subarray(offsets[k]! / 4), job, steps));
    const uniform = USAGE.UNIFORM | USAGE.COPY_DST;
    const bytes = jobs.length * STRIDE;
    const { given, status } = this.guard(() => {
      const found = { given: this.pool.take(size, uniform).buffer, status: this.pool.take(bytes, this.data).buffer };
      this.gpu.queue.writeBuffer(found.given, 0, words);
      return found;
    });
    const timed = this.clock !== null && jobs.length > 0;
    const time = timed ? [{ buffer: this.clock!.buffer, bytes: 16, identity: this.clock!.buffer, owned: false }] : [];
    const found = this.fetch([{ buffer: status, bytes, identity: status, owned: true }, ...reads, ...time], (encoder) => {
      if (bytes) encoder.clearBuffer(status, 0, bytes);
      this.record(encoder, commands, given, status, offsets);
      if (timed) encoder.resolveQuerySet(this.clock!.set, 0, 2, this.clock!.buffer, 0);
    });
    this.pool.give(given);
    this.pool.give(status);
    return found.then(([states, ...rest]) => {
      const clock = timed ? new BigUint64Array(rest.pop()!.buffer) : null;
      this.counts.milliseconds = clock && Number(clock[1]! - clock[0]!) / 1e6;
      jobs.forEach((job, k) => check(new DataView(states!.buffer, k * STRIDE, STATUS), job, steps));
      return rest;
    });
  }

  private record(
    encoder: GPUCommandEncoder,
    commands: readonly Command[],
    given: GPUBuffer,
    status: GPUBuffer,
    offsets: readonly number[],
  ): void {
    const groups = new Map<string, GPUBindGroup>();
    let pass: GPUComputePassEncoder | null = null;
    let number = 0;
    let passes = 0;
    const leave = () => {
      pass?.end();
      pass = null;
    };
    for (const command of commands) {
      if ("target" in command) {
        leave();
        encoder.copyBufferToBuffer(command.source.buffer, 0, command.target.buffer, 0, up(command.target.bytes));
        continue;
      }
      const variant = variantOf(command);
      const { layout, pipeline } = this.prepared.get(command.file)!.get(variant)!;
      const start = offsets[number]!;
      variant.scalars.forEach((place, k) => {
        const value = command.scalars[place]!;
        if (typeof value === "bigint") return;
        leave();
        encoder.copyBufferToBuffer((value as Place).buffer, 0, given, start + 64 + 8 * k, 8);
      });
      const bound = variant.bindings.map(({ memories }) => command.memories[memories[0]!] as Place);
      const key = [this.numberOf(layout), variant.size, ...bound.map(({ buffer, bytes }) => `${this.numberOf(buffer)} ${bytes}`)].join();
      let group = groups.get(key);
      if (!group) {
        const parts: GPUBufferBinding[] = [
          { buffer: status, size: STATUS },
          { buffer: given, size: variant.size },
          ...bound.map(({ buffer, bytes }) => ({ buffer, size: up(bytes) })),
        ];
        const entries = parts.map((resource, binding) => ({ binding, resource }));
        groups.set(key, (group = this.gpu.createBindGroup({ layout, entries })));
      }
      pass ??= encoder.beginComputePass(this.times(passes++));
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group, [number * STRIDE, start]);
      const blocks = blocksOf(command);
      pass.dispatchWorkgroups(Math.min(blocks, ROW), Math.ceil(blocks / ROW));
      number++;
    }
    leave();
  }

  private times(pass: number): GPUComputePassDescriptor {
    if (!this.clock) return {};
    const begin = pass ? {} : { beginningOfPassWriteIndex: 0 };
    return { timestampWrites: { querySet: this.clock.set, ...begin, endOfPassWriteIndex: 1 } };
  }

  private numberOf(part: object): number {
    const found = this.numbers.get(part) ?? this.numbered++;
    this.numbers.set(part, found);
    return found;
  }

  close(): void {
    if (this.owned) this.gpu.destroy();
  }
}

const variantOf = ({ kernel, launch }: Job): Variant => (kernel.wgsl as readonly Variant[])[launch.variant - 1]!;
const orderOf = (variant: Variant): number[] => variant.bindings.flatMap(({ memories }) => memories);

/** Writes the arguments of a launch. */
function fill(words: Uint32Array, job: Job, steps: number): void {
  const variant = variantOf(job);
  words.set(job.grid, 0);
  words.set(job.lanes, 4);
  words.set([blocksOf(job), Math.min(steps + 1, 2 ** 32 - 1), 0, job.kernel.shared], 8);
  let place = 16;
  for (const number of variant.scalars) {
    const value = job.scalars[number]!;
    if (typeof value === "bigint") words.set([Number(value & 0xffffffffn), Number(value >> 32n)], place);
    place += 2;
  }
  for (const number of orderOf(variant)) {
    words[place++] = job.kernel.memories[number]!.kind === 2 ? CLASS_BYTES : job.memories[number]!.bytes;
  }
}

/** Raises the fault of a launch, if it had one. */
function check(words: DataView, job: Job, steps: number): void {
  const kind = words.getUint32(0, true);
  if (!kind) return;
  const [at, base, lane] = [4, 8, 12].map((k) => words.getInt32(k, true)) as [number, number, number];
  const [need, other] = [24, 28].map((k) => words.getUint32(k, true)) as [number, number];
  const status = { kind, at, base, lane, offset: words.getBigInt64(16, true), need: BigInt(need), other };
  throw faultOf(job, orderOf(variantOf(job)), status, steps);
}
