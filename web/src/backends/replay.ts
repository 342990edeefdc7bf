/**
 * Runs of few microseconds once more. What a run came to, launches with their argument blocks, is kept, and serves the next
 * run whose arguments have the same types and shapes: scalars that no formula uses, and Buffers, are written into the blocks
 * where they are others than before. Such a run is over when the call returns: its promise is resolved already.
 */
import type { Buffer } from "../buffer.js";
import { telling } from "../errors.js";
import { bytesOf, product, resultOf, scalarBits, slotOf, writeBits } from "../internal.js";
import type { BoundRun, Ends, Input } from "../program.js";
import type { Type } from "../types.js";
import { blocksOf } from "./device.js";
import { LONG_MS, now } from "./pace.js";
import type { Call, Place, WasmDevice } from "./wasm.js";

const MOST_MS = 16; // of a run that is kept, a frame: the page waits for it. Where threads may share longer ones, LONG_MS
const MOST_LATE = 3; // runs that take longer, one after the other: one may be the machine's fault
const MOST_BYTES = 1 << 22; // that one holds: argument blocks, temporaries, arrays that are copied
const MOST_HELD = 1 << 26; // by those of a device, of which each counts as LEAST more
const LEAST = 1 << 18;

const alike = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((length, k) => length === b[k]);

const NOTHING = {}; // no argument is this

/** Memory that a kept run has for itself. */
interface Own {
  readonly at: number;
  readonly bytes: number;
}

/** An argument that is given. */
interface Slot {
  readonly name: string;
  readonly type: Type;
  /** What was given last; nothing for what is copied at every run. */
  value: unknown;
  /** A Buffer that was given. */
  buffer: Buffer | null;
  /** Where a scalar's bits, or, in words, an array's address is in argument blocks. */
  readonly uses: readonly number[];
  /** Whether another scalar leads to the same launches. */
  readonly free: boolean;
  /** Where elements are copied to, and the class of what holds them. */
  readonly own: Own | null;
  readonly like: unknown;
}

/** A written array: one that was given, or one of the run's own. */
interface Result {
  readonly name: string;
  readonly type: Type;
  readonly slot: Slot | undefined;
  readonly own: Own | null;
}

export class Replay {
  private readonly slots: Slot[] = [];
  private readonly results: Result[] = [];
  private readonly cleared: Own[] = [];
  private readonly all: Own[] = [];
  private calls: readonly Call[] = [];
  private late = 0;

  /** Keeps a run, if it is short and small and all that it does is in its launches; else null. */
  static of(device: WasmDevice, bound: BoundRun, args: Record<string, Input>, ends: Ends): Replay | null {
    const { jobs, arrays } = bound;
    const known = arrays.every(({ port, value, memory }) => {
      const same = value === args[port.name] && Object.hasOwn(args, port.name) === (value !== undefined);
      return same && (memory || (ends.output === "array" && (value === undefined || ArrayBuffer.isView(value))));
    });
    const most = device.threads.number > 1 && jobs?.some((job) => job.kernel.parallel && blocksOf(job) > 1) ? LONG_MS : MOST_MS;
    if (!jobs || !known || device.counts.milliseconds! > most) return null;
    const kept = new Replay(device, bound, args, ends, most);
    if (kept.bytes() > MOST_BYTES) {
      kept.free();
      return null;
    }
    device.kept.add(kept);
    let held = 0;
    for (const each of [...device.kept].reverse()) if ((held += each.bytes() + LEAST) > MOST_HELD) each.free();
    return kept;
  }

  private constructor(
    private readonly device: WasmDevice,
    { jobs, arrays, temporaries, file }: BoundRun,
    args: Record<string, Input>,
    private readonly ends: Ends,
    private readonly most: number,
  ) {
    const { arena } = device;
    const calls = (this.calls = jobs!.map((job) => device.start(job, ends.steps, ends.seconds)));
    for (const { at, size } of calls) this.all.push({ at, bytes: size });
    const uses: number[][] = []; // by number of the buffer
    const scalars: number[][] = []; // by number of the port
    const use = (list: number[][], number: number, place: number | undefined) => place !== undefined && (list[number] ??= []).push(place);
    for (const { launch, scalars: bits, memories } of calls) {
      launch.memories.forEach((number, k) => use(uses, number, memories[k]));
      launch.scalars.forEach((argument, k) => argument.kind === 1 && use(scalars, argument.index, bits[k]));
    }
    const own = (number: number, bytes: number): Own => {
      const place = { at: arena.allocate(bytes), bytes };
      this.all.push(place);
      for (const word of uses[number] ?? []) arena.words[word] = place.at;
      return place;
    };
    arrays.forEach(({ port, value, memory, lengths }, number) => {
      const { name, type, access } = port;
      const place = memory ? null : own(number, product(lengths, bytesOf(type)));
      let slot: Slot | undefined;
      if (value !== undefined) {
        slot = { name, type, value, buffer: memory ? (value as Buffer) : null, uses: uses[number] ?? [], free: false, own: place, like: value.constructor };
        if (!memory) slot.value = NOTHING;
        this.slots.push(slot);
      } else this.cleared.push(place!);
      if (access !== "read") this.results.push({ name, type, slot, own: place });
    });
    temporaries.forEach(({ bytes }, k) => this.cleared.push(own(arrays.length + k, bytes)));
    const sized = new Set(file.formulas.flat());
    file.ports.forEach(({ name, type, access }, number) => {
      if (access !== "scalar") return;
      this.slots.push({ name, type, value: args[name], buffer: null, uses: scalars[number] ?? [], free: !sized.has(name), own: null, like: null });
    });
    const order = Object.keys(args);
    this.slots.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  }

  private bytes(): number {
    return this.all.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Does a run, if it is one like this: gives the promise of its results, else null. */
  run(args: Record<string, unknown>, ends: Ends): Promise<unknown> | null {
    if (!this.fits(args, ends)) return null;
    try {
      this.go();
      return Promise.resolve(this.found());
    } catch (error) {
      return telling(() => Promise.reject(error));
    }
  }

  /** Whether a run is one like this, which then has its arguments. */
  fits(args: Record<string, unknown>, { steps, seconds, output }: Ends): boolean {
    const { ends } = this;
    const same = steps === ends.steps && seconds === ends.seconds && output === ends.output;
    return same && this.device.lost === null && this.calls.length > 0 && this.takes(args);
  }

  /** Does the run that it has the arguments of. Raises ExecutionError, untold. */
  go(): void {
    const { device, calls, ends } = this;
    const { counts, arena } = device;
    for (const { at, bytes } of this.cleared) arena.bytes.fill(0, at, at + bytes);
    const start = now();
    const until = start + 1000 * ends.seconds;
    counts.submits++;
    try {
      for (const call of calls) {
        counts.launches++;
        device.call(call, 0, call.blocks, start, until);
      }
    } finally {
      counts.milliseconds = now() - start;
      this.late = counts.milliseconds > this.most ? this.late + 1 : 0;
      if (this.late > MOST_LATE) this.free();
    }
  }

  /** Whether a run with these arguments is like this one, which then has them. */
  private takes(args: Record<string, unknown>): boolean {
    const { slots } = this;
    let taken = 0;
    let moved = false;
    for (const name in args) {
      const slot = slots[taken++];
      if (slot === undefined || slot.name !== name) return false;
      const value = args[name];
      if (Object.is(value, slot.value)) {
        if (slot.buffer !== null && !slot.buffer.usable) return false;
      } else {
        if (!this.change(slot, value)) return false;
        moved ||= slot.buffer !== null;
      }
    }
    const proto = Object.getPrototypeOf(args); // whose names count for a loop, but not for a run
    return taken === slots.length && (proto === Object.prototype || proto === null) && !(moved && this.meet());
  }

  /** Takes another value for an argument, if it leads to the same launches. */
  private change(slot: Slot, value: any): boolean {
    const { type, uses, buffer, own, like } = slot;
    const { arena } = this.device;
    if (own) {
      if (value?.constructor !== like || !ArrayBuffer.isView(value) || value.byteLength !== own.bytes) return false;
      arena.bytes.set(new Uint8Array(value.buffer, value.byteOffset, own.bytes), own.at);
      return true;
    }
    if (buffer) {
      if (value?.constructor !== like || value.dtype !== type || !alike(value.shape, buffer.shape)) return false;
      const { address } = value.memory(false, this.device) as Place;
      for (const word of uses) arena.words[word] = address;
      slot.buffer = value;
    } else {
      if (!slot.free) return false;
      if (type === "f32" && typeof value === "number") {
        for (const at of uses) arena.view.setFloat32(at, value, true); // a fourth of the time that the general way takes
      } else {
        const bits = scalarBits(slot.name, type, value);
        for (const at of uses) writeBits(arena.view, at, slotOf(type), bits);
      }
    }
    slot.value = value;
    return true;
  }

  /** Whether two arrays are one Buffer now; if so, nobody relies on what was given last. */
  private meet(): boolean {
    const { slots } = this;
    const found = slots.some(({ buffer }, k) => buffer && slots.some((other, j) => j < k && other.buffer === buffer));
    if (found) for (const slot of slots) if (slot.buffer) slot.value = NOTHING;
    return found;
  }

  private found(): unknown {
    const { arena } = this.device;
    const { results } = this;
    const one = ({ type, slot, own }: Result) => (own ? resultOf(this.device, type, arena.bytes.slice(own.at, own.at + own.bytes)) : slot!.value);
    return results.length === 1 ? one(results[0]!) : Object.fromEntries(results.map((result) => [result.name, one(result)]));
  }

  /** Gives its memory back; it does no run any more. */
  free(): void {
    this.calls = [];
    for (const { at, bytes } of this.all.splice(0)) this.device.arena.free(at, bytes);
    this.device.kept.delete(this);
  }
}
