/** Runs artifacts on the WebAssembly of the engine. */
import { AllocationFailed, ArtifactError, CompileError, Untold } from "../errors.js";
import { checkModules } from "../modules.js";
import type { Artifact, Kernel, Launch } from "../plan.js";
import { CLASSES, CLASS_BYTES, lanesOf } from "../plan.js";
import type { Device, Job, Memory, Run } from "./device.js";
import { blocksOf, checkSignal, noCounts } from "./device.js";

type KernelFunction = (block: number, begin: number, end: number) => void;

const PAGE = 65_536;
const BYTES = new TextDecoder("latin1"); // a character for each byte
const SCRATCH = 1024;
const HEAD = 88; // bytes of the argument block before its values
const PARTS = 16; // calls of a launch: the engine takes up the better code that it makes meanwhile only at a call
const SLICE_MS = 8; // a run with a signal looks at it about as often

interface Place extends Memory {
  readonly address: number;
  readonly identity: number;
}

const up = (bytes: number, to = 64): number => Math.max(Math.ceil(bytes / to), 1) * to;
const now = (): number => performance.now();

/** Parts of one linear memory, each at a multiple of 64. */
class Arena {
  readonly memory: WebAssembly.Memory;
  /** Gaps below `top`, by address. */
  private readonly gaps: { at: number; size: number }[] = [];
  private top = 64;

  constructor() {
    this.memory = reserve(65_536);
  }

  allocate(bytes: number): number {
    const size = up(bytes);
    const place = this.gaps.findIndex((gap) => gap.size >= size);
    if (place >= 0) {
      const gap = this.gaps[place]!;
      const { at } = gap;
      gap.at += size;
      gap.size -= size;
      if (gap.size === 0) this.gaps.splice(place, 1);
      return at;
    }
    const missing = this.top + size - this.memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.memory.grow(Math.ceil(missing / PAGE));
      } catch {
        throw new AllocationFailed(`${bytes} bytes of WebAssembly memory cannot be had: ${this.top} are in use`);
      }
    }
    this.top += size;
    return this.top - size;
  }

  free(at: number, bytes: number): void {
    let size = up(bytes);
    let place = this.gaps.findIndex((gap) => gap.at > at);
    if (place < 0) place = this.gaps.length;
    const before = this.gaps[place - 1];
    const after = this.gaps[place];
    if (after && at + size === after.at) {
      size += after.size;
      this.gaps.splice(place, 1);
    }
    if (before && before.at + before.size === at) {
      at = before.at;
      size += before.size;
      this.gaps.splice(--place, 1);
    }
    if (at + size === this.top) this.top = at;
    else this.gaps.splice(place, 0, { at, size });
  }
}

/** A memory that may grow as far as the engine lets it. */
function reserve(maximum: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: 32, maximum });
  } catch (error) {
    if (maximum <= 1024) throw new AllocationFailed(`no WebAssembly memory can be had: ${error}`);
    return reserve(maximum / 2);
  }
}

/**
 * What is made of a small module here and now: of what is compiled beside the page, on two busy cores, it was 2 to 25 ms
 * until the page heard. Null for large ones, and where the engine refuses: Chrome before 115 does from 4 KB on.
 */
function atOnce<T>(code: Uint8Array, make: () => T): T | null {
  try {
    return code.length < PAGE ? make() : null;
  } catch {
    return null;
  }
}

export class WasmDevice implements Device {
  readonly backend = "wasm";
  readonly counts = noCounts();
  lost: string | null = null;
  readonly classMemory: Place;
  private readonly arena = new Arena();
  private readonly scratch: number;
  private readonly functions = new Map<string, Promise<KernelFunction>>();
  private readonly prepared = new WeakMap<Artifact, Map<number, KernelFunction>>();

  constructor() {
    this.classMemory = this.allocate(CLASSES * CLASS_BYTES);
    this.scratch = this.arena.allocate(SCRATCH);
    this.counts.liveBytes = 0;
  }

  async prepare(file: Artifact, launches: readonly Launch[]): Promise<void> {
    if (this.prepared.has(file)) return;
    checkModules(file.modules);
    const modules = new Set<number>();
    for (const { kernel } of launches) {
      const { name, wasm } = file.kernels[kernel]!;
      if (typeof wasm === "string") throw new CompileError(null, `${name || "a kernel"} has no WebAssembly: ${wasm}`);
      modules.add(wasm.module);
    }
    const found = [...modules].map(async (number) => [number, await this.functionOf(file.modules[number]!)] as const);
    this.prepared.set(file, new Map(await Promise.all(found)));
  }

  private functionOf(code: Uint8Array): Promise<KernelFunction> {
    const key = BYTES.decode(code);
    let found = this.functions.get(key);
    if (!found) {
      this.functions.set(key, (found = this.compile(code)));
      found.catch(() => this.functions.delete(key));
    }
    return found;
  }

  private async compile(code: Uint8Array): Promise<KernelFunction> {
    try {
      const module = atOnce(code, () => new WebAssembly.Module(code as BufferSource)) ?? (await WebAssembly.compile(code as BufferSource));
      const given = { env: { memory: this.arena.memory } };
      const { exports } = atOnce(code, () => new WebAssembly.Instance(module, given)) ?? (await WebAssembly.instantiate(module, given));
      const kernel = exports["kernel"]; // quoted: the minifier renames other members of that name
      this.counts.compiles++;
      return kernel as KernelFunction;
    } catch (error) {
      throw new ArtifactError(`a module of the artifact cannot be used: ${(error as Error).message}`);
    }
  }

  bytes({ address, bytes }: Place): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.arena.memory.buffer as ArrayBuffer, address, bytes);
  }

  allocate(bytes: number, data?: Uint8Array): Place {
    const address = this.arena.allocate(bytes);
    const place: Place = { address, bytes, identity: address };
    if (data) this.bytes(place).set(data);
    else this.bytes(place).fill(0);
    this.counts.liveBytes += bytes;
    return place;
  }

  adopt(): null {
    return null;
  }

  free(memory: Memory): void {
    this.arena.free((memory as Place).address, memory.bytes);
    this.counts.liveBytes -= memory.bytes;
  }

  write(memory: Memory, data: Uint8Array, offset: number): void {
    this.bytes(memory as Place).set(data, offset);
  }

  async read(memory: Memory): Promise<Uint8Array<ArrayBuffer>> {
    return this.bytes(memory as Place).slice();
  }

  run(steps: number, signal: AbortSignal | undefined): Run {
    const start = now();
    let slept = start;
    const pause = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve));
      slept = now();
      checkSignal(signal);
    };
    const sliced = async (job: Job): Promise<void> => {
      const blocks = blocksOf(job);
      for (let begin = 0, size = 1; begin < blocks; ) {
        const before = now();
        const end = Math.min(begin + size, blocks);
        this.launch(job, begin, end, steps);
        begin = end;
        if (now() - before < SLICE_MS / 2) size *= 2;
        if (now() - slept > SLICE_MS) await pause();
      }
    };
    checkSignal(signal);
    return {
      launch: (job) => {
        this.counts.launches++;
        return signal ? sliced(job) : this.launch(job, 0, blocksOf(job), steps);
      },
      copy: (target, source) => this.bytes(target as Place).set(this.bytes(source as Place)),
      finish: async (reads) => {
        this.counts.submits++;
        this.counts.milliseconds = now() - start;
        return reads.map((memory) => this.bytes(memory as Place).slice());
      },
    };
  }

  /** Runs blocks of a launch. Raises ExecutionError. */
  private launch(job: Job, begin: number, end: number, steps: number): void {
    const { kernel } = job;
    const code = kernel.wasm as Exclude<Kernel["wasm"], string>;
    const values = HEAD + 8 * (code.scalars.length + code.memories.length);
    const shared = up(values);
    const spill = shared + up(kernel.shared);
    const size = spill + code.spill * lanesOf(kernel);
    const at = this.arena.allocate(size);
    try {
      const memory = new DataView(this.arena.memory.buffer);
      const block = new DataView(this.arena.memory.buffer, at);
      new Uint8Array(this.arena.memory.buffer, at, HEAD).fill(0);
      [...job.grid, ...job.lanes].forEach((number, k) => block.setUint32(32 + 4 * k, number, true));
      block.setUint32(56, kernel.shared, true);
      block.setUint32(60, at + shared, true);
      block.setBigInt64(64, BigInt(steps) + 1n, true);
      block.setUint32(72, at + spill, true);
      block.setUint32(76, this.scratch, true);
      let place = HEAD;
      for (const number of code.scalars) {
        const value = job.scalars[number]!;
        const bits = typeof value === "bigint" ? value : memory.getBigUint64((value as Place).address, true);
        block.setBigUint64(place, bits, true);
        place += 8;
      }
      for (const number of code.memories) {
        const { address, bytes } = job.memories[number] as Place;
        const { kind, base } = kernel.memories[number]!;
        block.setUint32(place, address + (kind === 2 ? CLASS_BYTES * (base as number) : 0), true);
        block.setUint32(place + 4, kind === 2 ? CLASS_BYTES : bytes, true);
        place += 8;
      }
      const run = this.prepared.get(job.file)!.get(code.module)!;
      const part = Math.ceil((end - begin) / PARTS);
      for (let first = begin; first < end && !block.getInt32(0, true); first += part) {
        this.call(run, kernel, at, first, Math.min(first + part, end));
      }
      const [kind, instruction, base, lane] = [0, 4, 8, 12].map((k) => block.getInt32(k, true)) as [
        number, number, number, number,
      ];
      if (!kind) return;
      const [offset, need] = [block.getBigInt64(16, true), block.getBigInt64(80, true)];
      const words = { kind, at: instruction, base, lane, offset, need, other: block.getInt32(28, true) };
      throw new Untold("faultOf", job, code.memories, words, steps);
    } finally {
      this.arena.free(at, size);
    }
  }

  private call(run: KernelFunction, kernel: Kernel, at: number, begin: number, end: number): void {
    try {
      run(at, begin, end);
    } catch (error) {
      throw new ArtifactError(`the code of ${kernel.name} ended in a trap, which kernels do not: ${error}`);
    }
  }

  close(why: string): void {
    this.lost = why;
    this.functions.clear();
  }
}

