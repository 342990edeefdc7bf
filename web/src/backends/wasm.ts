/** Runs artifacts on the WebAssembly of the engine. */
import { AllocationFailed, Untold } from "../errors.js";
import { slotOf, writeBits } from "../internal.js";
import { checkModules } from "../modules.js";
import type { Artifact, Kernel, Launch } from "../plan.js";
import { CLASSES, CLASS_BYTES, lanesOf } from "../plan.js";
import type { BoundRun, Ends, Input } from "../program.js";
import { PART_MS, SCRATCH, now } from "./pace.js";
import { Replay } from "./replay.js";
import type { Crew } from "./crew.js";
import type { Device, Job, Memory, Run, Threads } from "./device.js";
import { blocksOf, checkSignal, noCounts } from "./device.js";
import * as isa from "../isa.gen.js";

type KernelFunction = (block: number, begin: number, end: number) => void;

const PAGE = 65_536;
const BYTES = new TextDecoder("latin1"); // a character for each byte
const HEAD = isa.WASM_VALUES; // bytes of the argument block before its values
const BREATH_MS = 50; // after as many the page has its turn; with a signal after each part
const POLL_MS = 20; // between two looks of a kernel at the clock
const FIRST_TICKS = 2 ** 20; // of a kernel that is called
const MOST_TICKS = 2 ** 30;
const MEMORY = "\x03env\x06memory\x02"; // of an import: limits follow, whose first byte says whether it is shared
const MOST_THREADS = 8; // memory is as fast for few

/** A kernel of the device, and milliseconds that a block took of one thread and of several; 0 where nobody knows. */
export interface Code {
  readonly run: KernelFunction;
  readonly module: WebAssembly.Module;
  /** Whether it may have atomics: a constant may look like one. */
  readonly atomic: boolean;
  alone: number;
  together: number;
  turns: number;
  /** In the tables of a crew. */
  number: number;
}

/** A launch with an argument block. */
export interface Call {
  readonly code: Code;
  /** Where the block is, how many bytes, and how many with the kernel's shared memory and what it spills behind it. */
  readonly at: number;
  readonly head: number;
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

/** How many threads there can be. */
export function threadsOf(asked?: number): Threads {
  const { crossOriginIsolated, document, navigator, process } = globalThis as any;
  if (asked !== undefined && !(Number.isInteger(asked) && asked > 0 && asked < 65)) throw new Untold("option", "threads", asked);
  if (asked !== 1 && crossOriginIsolated === false) return { number: 1, reason: "the page is not isolated: COOP and COEP" };
  if (asked) return { number: asked, reason: "it was asked for" };
  // Who starts a worker in a worker may sleep for ever in Firefox 153: main thread and worker signal it by one condition
  // variable, on which both wait, and one is woken. Under load 24 of 600 hung, with no code of ours (docs/javascript.md).
  if (!document && /Firefox/.test(navigator?.userAgent)) return { number: 1, reason: "workers of workers may hang in Firefox" };
  const found = navigator?.hardwareConcurrency ?? process?.getBuiltinModule?.("os").availableParallelism() ?? 1;
  return { number: Math.min(found, MOST_THREADS), reason: `of ${found} processors` };
}

/** Parts of one linear memory, each at a multiple of 64. */
class Arena {
  readonly memory: WebAssembly.Memory;
  /** The whole memory, anew when it has grown. */
  bytes!: Uint8Array<ArrayBuffer>;
  words!: Int32Array<ArrayBuffer>;
  view!: DataView;
  /** Gaps below `top`, by address. */
  private readonly gaps: { at: number; size: number }[] = [];
  private top = 64;

  constructor(readonly shared: boolean) {
    this.memory = reserve(65_536, shared);
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
function reserve(maximum: number, shared: boolean): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: 32, maximum, shared });
  } catch (error) {
    if (maximum <= 1024) throw new AllocationFailed(`no WebAssembly memory can be had: ${error}`);
    return reserve(maximum / 2, shared);
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
  readonly arena: Arena;
  /** The other threads, if there are some, and when that is known. */
  private crew?: Crew;
  private readonly hired?: Promise<unknown>;
  /** Whether threads shared a launch of the last run. */
  private crewed = false;
  private readonly scratch: number;
  private readonly functions = new Map<string, Promise<Code>>();
  private readonly prepared = new WeakMap<Artifact, Map<number, Code>>();
  // Of the kernel that runs: the word that answers it, until when it may, when it looked last, and its ticks until now.
  private cancel = 0;
  private until = Infinity;
  private looked = 0;
  private ticks = 0;

  threads: Threads;

  constructor({ threads }: { threads?: number }) {
    this.threads = threadsOf(threads);
    this.arena = new Arena(this.threads.number > 1);
    if (this.arena.shared) {
      this.hired = import("./crew.js").then(
        ({ Crew }) => (this.crew = new Crew(this)),
        (error) => (this.threads = { number: 1, reason: `${error}` }),
      );
    }
    this.classMemory = this.allocate(CLASSES * CLASS_BYTES);
    this.scratch = this.arena.allocate(SCRATCH);
    this.counts.liveBytes = 0;
  }

  async prepare(file: Artifact, launches: readonly Launch[]): Promise<void> {
    await this.hired;
    if (this.prepared.has(file)) return;
    checkModules(file.modules);
    const modules = new Map<number, number>();
    for (const { kernel } of launches) {
      const { name, wasm } = file.kernels[kernel]!;
      if (typeof wasm === "string") throw new Untold("noWasm", name, wasm);
      const { module, relaxed } = wasm;
      modules.set(module, relaxed < 0 || !WebAssembly.validate(file.modules[relaxed] as BufferSource) ? module : relaxed);
    }
    const found = [...modules].map(async ([number, chosen]) => [number, await this.functionOf(file.modules[chosen]!)] as const);
    this.prepared.set(file, new Map(await Promise.all(found)));
  }

  private functionOf(code: Uint8Array): Promise<Code> {
    const key = BYTES.decode(code);
    let found = this.functions.get(key);
    if (!found) {
      if (this.arena.shared) (code = code.slice())[key.indexOf(MEMORY) + MEMORY.length] = 3;
      this.functions.set(key, (found = this.compile(code)));
      found.catch(() => this.functions.delete(key));
    }
    return found;
  }

  private async compile(code: Uint8Array): Promise<Code> {
    try {
      const module = atOnce(code, () => new WebAssembly.Module(code as BufferSource)) ?? (await WebAssembly.compile(code as BufferSource));
      const given = { env: { memory: this.arena.memory, poll: this.poll } };
      const { exports } = atOnce(code, () => new WebAssembly.Instance(module, given)) ?? (await WebAssembly.instantiate(module, given));
      const kernel = exports["kernel"]; // quoted: the minifier renames other members of that name
      this.counts.compiles++;
      return { run: kernel as KernelFunction, module, atomic: code.includes(0xfe), alone: 0, together: 0, turns: 0, number: -1 };
    } catch (error) {
      throw new Untold("unusable", error);
    }
  }

  bytes({ address, bytes }: Place): Uint8Array<ArrayBuffer> {
    return this.arena.bytes.subarray(address, address + bytes);
  }

  allocate(bytes: number, data?: Uint8Array): Place {
    const address = this.arena.allocate(bytes);
    const place: Place = { address, bytes, identity: address };
    if (data) this.write(place, data, 0);
    else new Float64Array(this.arena.memory.buffer, address, up(bytes) / 8).fill(0); // shared bytes take three times as long
    this.counts.liveBytes += bytes;
    return place;
  }

  adopt(): null {
    return null;
  }

  look(memory: Memory, bytes: number): Uint8Array {
    return this.bytes(memory as Place).slice(0, bytes);
  }

  free(memory: Memory): void {
    this.arena.free((memory as Place).address, memory.bytes);
    this.counts.liveBytes -= memory.bytes;
  }

  write(memory: Memory, data: Uint8Array, offset: number): void {
    // What is shared is set byte by byte where it is not aligned: 25 times as long.
    this.bytes(memory as Place).set(this.arena.shared && data.byteOffset & 7 ? data.slice() : data, offset);
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
    /** Raises what ends the run; says whether the page is to have its turn. */
    const isLate = (time: number): boolean => {
      if (time > until) throw new Untold("timeIsUp", seconds);
      if (this.interrupted?.()) throw new Untold("cancelled");
      return time - slept > breath;
    };
    checkSignal(signal);
    this.crewed = false;
    return {
      launch: (job) => {
        this.counts.launches++;
        const blocks = blocksOf(job);
        const part = this.start(job, steps, seconds);
        const first = now();
        const crew = this.threads.number > 1 && blocks > 1 && job.kernel.parallel ? this.crew : undefined;
        let begin = 0;
        let size = 1;
        /** Runs parts; says whether it is done, or others are to help, or the page has its turn before. */
        const go = (): boolean => {
          for (let time = now(); begin < blocks; ) {
            if (isLate(time)) return false;
            if (crew?.wants(part, begin, time - first)) return false;
            const end = Math.min(begin + size, blocks);
            this.call(part, begin, end, time, until);
            begin = end;
            const before = time;
            time = now();
            if (time - before < PART_MS / 2) size *= 2;
          }
          crew?.took(part.code, blocks, now() - first, false);
          return true;
        };
        const rest = async (): Promise<void> => {
          try {
            do {
              if (crew?.wanted) {
                this.crewed = true;
                return await crew.lead(part, begin, until, isLate, pause, signal);
              }
              await pause();
            } while (!go());
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
    const found = this.prepared.get(file)!.get(code.module)!;
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
    return { code: found, at, head: shared, size, launch, name: kernel.name, blocks: blocksOf(job), scalars, memories, fault };
  }

  end({ at, size }: Call): void {
    this.arena.free(at, size);
  }

  /** Calls the kernel for blocks. Raises ExecutionError, untold. */
  call(call: Call, begin: number, end: number, time: number, until: number): void {
    this.enter(call, begin, end, time, until, 1);
    if (this.arena.words[call.at >>> 2] !== 0) throw call.fault();
  }

  /** Calls the kernel for blocks, `alone` or not. What its block says of a fault stays there. */
  enter(call: Call, begin: number, end: number, time: number, until: number, alone: number): void {
    const { at } = call;
    this.cancel = (at + isa.WASM_CANCEL) >>> 2;
    this.until = until;
    this.looked = time;
    this.ticks = FIRST_TICKS;
    this.arena.words[this.cancel] = 0;
    this.arena.words[(at + isa.WASM_ALONE) >>> 2] = alone;
    try {
      call.code.run(at, begin, end);
    } catch (error) {
      throw new Untold("trapped", call.name, error);
    }
  }

  keep(bound: BoundRun, args: Record<string, Input>, ends: Ends): Replay | null {
    return this.crewed ? null : Replay.of(this, bound, args, ends);
  }

  close(why: string): void {
    this.lost = why;
    this.kept.clear();
    this.functions.clear();
    this.crew?.close();
  }
}

