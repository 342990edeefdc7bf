/** Runs artifacts on the WebAssembly of the engine. */
import { AllocationFailed, ArtifactError, CompileError, Untold } from "../errors.js";
import { slotOf, writeBits } from "../internal.js";
import { checkModules } from "../modules.js";
import type { Artifact, Kernel, Launch } from "../plan.js";
import { CLASSES, CLASS_BYTES, lanesOf } from "../plan.js";
import type { BoundRun, Ends, Input } from "../program.js";
import { Replay } from "./replay.js";
import type { Device, Job, Memory, Run } from "./device.js";
import { blocksOf, checkSignal, noCounts } from "./device.js";
import * as isa from "../isa.gen.js";

type KernelFunction = (block: number, begin: number, end: number) => void;

const PAGE = 65_536;
const BYTES = new TextDecoder("latin1"); // a character for each byte
const SCRATCH = 1024;
const HEAD = isa.WASM_VALUES; // bytes of the argument block before its values
// A launch is called in parts of about so many milliseconds: the engine takes up the better code that it makes meanwhile
// only at a call.
const PART_MS = 8;
const BREATH_MS = 50; // after as many the page has its turn; with a signal after each part
const POLL_MS = 20; // between two looks of a kernel at the clock
const FIRST_TICKS = 2 ** 20; // of a kernel that is called
const MOST_TICKS = 2 ** 30;

/** A launch with an argument block. */
export interface Call {
  readonly run: KernelFunction;
  /** Where the block is, with the kernel's shared memory and what it spills, and how many bytes that is. */
  readonly at: number;
  readonly size: number;
  readonly launch: Launch;
  readonly name: string;
  readonly blocks: number;
  /** Where in the memory the bits of each scalar are, if the code has it; in words, where addresses of memories are. */
  readonly scalars: readonly number[];
  readonly memories: readonly number[];
  /** What the block says of a fault. */
  fault(): Error;
}

export interface Place extends Memory {
  readonly address: number;
  readonly identity: number;
}

const up = (bytes: number, to = 64): number => Math.max(Math.ceil(bytes / to), 1) * to;
const clock = performance; // as a global it takes Chromium 190 ns to ask, so 70
export const now = (): number => clock.now();

/** Parts of one linear memory, each at a multiple of 64. */
class Arena {
  readonly memory: WebAssembly.Memory;
  /** The whole memory, anew when it has grown. */
  bytes!: Uint8Array<ArrayBuffer>;
  words!: Int32Array;
  view!: DataView;
  /** Gaps below `top`, by address. */
  private readonly gaps: { at: number; size: number }[] = [];
  private top = 64;

  constructor() {
    this.memory = reserve(65_536);
    this.look();
  }

  private look(): void {
    const buffer = this.memory.buffer as ArrayBuffer;
    this.bytes = new Uint8Array(buffer);
    this.words = new Int32Array(buffer);
    this.view = new DataView(buffer);
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
        this.look();
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
  /** The runs that are kept, oldest first. */
  readonly kept = new Set<Replay>();
  interrupted?: () => boolean;
  readonly classMemory: Place;
  readonly arena = new Arena();
  private readonly scratch: number;
  private readonly functions = new Map<string, Promise<KernelFunction>>();
  private readonly prepared = new WeakMap<Artifact, Map<number, KernelFunction>>();
  // Of the kernel that runs: the word that answers it, until when it may, when it looked last, and its ticks until now.
  private cancel = 0;
  private until = Infinity;
  private looked = 0;
  private ticks = 0;

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
      const given = { env: { memory: this.arena.memory, poll: this.poll } };
      const { exports } = atOnce(code, () => new WebAssembly.Instance(module, given)) ?? (await WebAssembly.instantiate(module, given));
      const kernel = exports["kernel"]; // quoted: the minifier renames other members of that name
      this.counts.compiles++;
      return kernel as KernelFunction;
    } catch (error) {
      throw new ArtifactError(`a module of the artifact cannot be used: ${(error as Error).message}`);
    }
  }

  bytes({ address, bytes }: Place): Uint8Array<ArrayBuffer> {
    return this.arena.bytes.subarray(address, address + bytes);
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

  /** What kernels call now and then: 1 ends them, -n gives them n more ticks. */
  private readonly poll = (): void => {
    const time = now();
    const grown = this.ticks * Math.min(POLL_MS / Math.max(time - this.looked, 0.01), 8);
    this.ticks = Math.min(Math.max(Math.floor(grown), 1024), MOST_TICKS);
    this.looked = time;
    this.arena.words[this.cancel] = time > this.until || this.interrupted?.() ? 1 : -this.ticks;
  };

  run(steps: number, signal?: AbortSignal, seconds = Infinity): Run {
    const start = now();
    const until = start + 1000 * seconds;
    const breath = signal ? PART_MS : BREATH_MS;
    let slept = start;
    const pause = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve));
      slept = now();
      checkSignal(signal);
    };
    checkSignal(signal);
    return {
      launch: (job) => {
        this.counts.launches++;
        const blocks = blocksOf(job);
        const part = this.start(job, steps, seconds);
        let begin = 0;
        let size = 1;
        /** Runs parts; says whether it is done, or the page has its turn before. */
        const go = (): boolean => {
          for (let time = now(); begin < blocks; ) {
            if (time > until) throw new Untold("timeIsUp", seconds);
            if (time - slept > breath) return false;
            if (this.interrupted?.()) throw new Untold("cancelled");
            const end = Math.min(begin + size, blocks);
            this.call(part, begin, end, time, until);
            begin = end;
            const before = time;
            time = now();
            if (time - before < PART_MS / 2) size *= 2;
          }
          return true;
        };
        const rest = async (): Promise<void> => {
          try {
            do await pause();
            while (!go());
          } finally {
            this.end(part);
          }
        };
        let done = true;
        try {
          done = go();
        } finally {
          if (done) this.end(part);
        }
        return done ? undefined : rest();
      },
      copy: (target, source) => this.bytes(target as Place).set(this.bytes(source as Place)),
      finish: async (reads) => {
        this.counts.submits++;
        this.counts.milliseconds = now() - start;
        return reads.map((memory) => this.bytes(memory as Place).slice());
      },
    };
  }

  /** A launch with its argument block, to be called for parts of its blocks, and to be ended. */
  start(job: Job, steps: number, seconds: number): Call {
    const { arena } = this;
    const { kernel, file, launch } = job;
    const code = kernel.wasm as Exclude<Kernel["wasm"], string>;
    const slots = code.scalars.map((number) => slotOf(kernel.scalars[number]!.type));
    const values = slots.reduce((sum, slot) => sum + slot, HEAD + 8 * code.memories.length);
    const shared = up(values);
    const spill = shared + up(kernel.shared);
    const size = spill + code.spill * lanesOf(kernel);
    const at = arena.allocate(size);
    const { words, view, bytes } = arena;
    bytes.fill(0, at, at + HEAD);
    const word = (place: number) => (at + place) >>> 2;
    words.set([...job.grid, ...job.lanes, kernel.shared, at + shared], word(isa.WASM_GRID));
    view.setBigInt64(at + isa.WASM_BUDGET, BigInt(steps) + 1n, true);
    words[word(isa.WASM_SPILL)] = at + spill;
    words[word(isa.WASM_SCRATCH)] = this.scratch;
    const scalars: number[] = [];
    let place = at + HEAD;
    code.scalars.forEach((number, k) => {
      const value = job.scalars[number]!;
      const slot = slots[k]!;
      scalars[number] = place;
      if (typeof value === "bigint") writeBits(view, place, slot, value);
      else bytes.copyWithin(place, (value as Place).address, (value as Place).address + slot);
      place += slot;
    });
    const memories: number[] = [];
    for (const number of code.memories) {
      const { address, bytes } = job.memories[number] as Place;
      const { kind, base } = kernel.memories[number]!;
      if (kind !== 2) memories[number] = place >>> 2;
      words[place >>> 2] = address + (kind === 2 ? CLASS_BYTES * (base as number) : 0);
      words[(place >>> 2) + 1] = kind === 2 ? CLASS_BYTES : bytes;
      place += 8;
    }
    const run = this.prepared.get(file)!.get(code.module)!;
    const fault = (): Untold<"cancelled" | "faultOf"> => {
      const { view } = arena;
      const fields = [isa.WASM_KIND, isa.WASM_AT, isa.WASM_BASE, isa.WASM_LANE, isa.WASM_OTHER];
      const [kind, instruction, base, lane, other] = fields.map((field) => view.getInt32(at + field, true)) as [
        number, number, number, number, number,
      ];
      const [offset, need] = [view.getBigInt64(at + isa.WASM_OFFSET, true), view.getBigInt64(at + isa.WASM_NEED, true)];
      for (const [start, end] of [[isa.WASM_KIND, isa.WASM_GRID], [isa.WASM_NEED, isa.WASM_VALUES]] as const) arena.bytes.fill(0, at + start, at + end); // for the next call
      if (this.interrupted?.()) return new Untold("cancelled");
      return new Untold("faultOf", job, code.memories, { kind, at: instruction, base, lane, offset, need, other }, steps, seconds);
    };
    return { run, at, size, launch, name: kernel.name, blocks: blocksOf(job), scalars, memories, fault };
  }

  end({ at, size }: Call): void {
    this.arena.free(at, size);
  }

  /** Calls the kernel for blocks. Raises ExecutionError, untold. */
  call(call: Call, begin: number, end: number, time: number, until: number): void {
    const { at } = call;
    this.cancel = (at + isa.WASM_CANCEL) >>> 2;
    this.until = until;
    this.looked = time;
    this.ticks = FIRST_TICKS;
    this.arena.words[this.cancel] = 0;
    this.arena.words[(at + isa.WASM_ALONE) >>> 2] = 1;
    try {
      call.run(at, begin, end);
    } catch (error) {
      throw new ArtifactError(`the code of ${call.name} ended in a trap, which kernels do not: ${error}`);
    }
    if (this.arena.words[at >>> 2] !== 0) throw call.fault();
  }

  keep(bound: BoundRun, args: Record<string, Input>, ends: Ends): Replay | null {
    return Replay.of(this, bound, args, ends);
  }

  close(why: string): void {
    this.lost = why;
    this.kept.clear();
    this.functions.clear();
  }
}

