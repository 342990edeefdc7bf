/**
 * What Python in Pyodide uses of the runtime: batches of commands, one crossing for each, over the same devices.
 *
 * Python says what to do with numbered buffers and programs as one text of JSON and one view of bytes, and gets the bytes
 * of what it reads and the first error. A batch is one submit of the GPU, unless something is written after a launch.
 */
import { readArtifact } from "./artifact.js";
import type { Device, Memory, Replay, Run, Threads } from "./backends/device.js";
import { threadsOf } from "./backends/wasm.js";
import { type Buffer, writeTo } from "./buffer.js";
import type { GpuDevice, Place } from "./backends/webgpu.js";
import { BackendUnavailable, Untold } from "./errors.js";
import { Kept } from "./kept.js";
import type { Artifact } from "./plan.js";
import type { BoundRun, Ends, Input } from "./program.js";
import { bindRun, compileFor } from "./program.js";
import type { RuntimeInfo, RuntimeOptions } from "./runtime.js";
import type { CopyOf, Layout } from "./recording.js";
import { Runtime } from "./runtime.js";
import { bitsOf, isFloat, isSigned, view } from "./types.js";

type Bytes = Uint8Array<ArrayBuffer>;
/** Bits, in hexadecimal digits. */
type Scalars = Record<string, string>;

type Command =
  | ["allocate", buffer: number, bytes: number]
  | ["free", buffer: number]
  | ["write", buffer: number, offset: number, start: number, length: number]
  | ["read", buffer: number, offset: number, length: number]
  | ["load", program: number, start: number, length: number]
  | ["drop", program: number]
  | Start
  | ["record", recording: number, steps: number, seconds: number | null, pieces: readonly Piece[]]
  | ["replay", recording: number]
  | ["forget", recording: number];
type Start = ["run", program: number, scalars: Scalars, buffers: Record<string, number>, steps: number, seconds: number | null];
/** Of a recording; what is copied is as long as its target. */
type Piece = Start | ["clear", buffer: number] | ["copy", target: number, source: number];

export interface Answer {
  /** One for each command that reads, in order; empty if there was an error. */
  readonly reads: readonly Bytes[];
  /** The first error. */
  readonly error: Record<string, unknown> | undefined;
  /** Which recording's launch had it, and the how manieth it was. */
  readonly at: readonly [recording: number, piece: number] | undefined;
  /** Whether it was ended by Ctrl-C. */
  readonly interrupted: boolean;
}

// Undefined, not null, is Python's None.
const FIELDS = ["name", "message", "kind", "instruction", "detail", "lane", "buffer", "offset", "backend", "reason"] as const;

const told = async (thrown: unknown): Promise<Record<string, unknown>> => {
  const error = thrown instanceof Untold ? await thrown.told() : thrown;
  const found = (typeof error === "object" && error !== null ? error : { message: String(error) }) as Record<string, unknown>;
  return Object.fromEntries(FIELDS.map((name) => [name, found[name] ?? undefined]));
};

interface Started {
  readonly program: number;
  readonly bound: BoundRun;
  readonly args: Record<string, Input>;
}

/** Runs that are handed to the device together. */
interface Segment {
  readonly run: Run;
  readonly ends: Ends;
  readonly started: Started[];
}

/** Launches of Python's that it does again with one command. */
interface Recorded {
  readonly ends: Ends;
  readonly pieces: readonly Piece[];
  /** On WebGPU. */
  readonly layout: Layout | null;
}

const MOST_KEPT = 8; // launches of a program that are not alike

/** What came of a launch within the call: nothing, as it has to be a command; it is done; it had a fault; Ctrl-C. */
const [LATER, DONE, FAILED, STOPPED] = [0, 1, 2, 3];

/** Opened with the module: it has been read before Python is there. */
export const kept = new Kept();

export class Session {
  private readonly buffers = new Map<number, Buffer>();
  private readonly programs = new Map<number, Artifact>();
  private readonly kept = new Map<number, readonly Replay[]>(); // launches of programs that serve again
  private readonly recordings = new Map<number, Recorded>();
  private at: Answer["at"]; // what the answer says
  private failed: Promise<Record<string, unknown>> | undefined; // what went wrong since the last batch
  private turn: Promise<unknown>;
  private segment: Segment | null = null;
  private waiting = 0; // batches that are not handed over
  private cancelled = false;
  private stopped = false; // by Ctrl-C
  private controller = new AbortController(); // of the batches that wait
  private runtime!: Runtime;
  private device!: Device;

  /** Pyodide's module, where `setInterruptBuffer` leaves the buffer: 2 in it is Ctrl-C. */
  host: { Py_EmscriptenSignalBuffer?: Uint8Array } | undefined;

  /** When it is open. Rejects with BackendUnavailable, and so do batches, which need not wait for this. */
  readonly ready: Promise<this>;

  constructor(private readonly options: RuntimeOptions) {
    this.ready = this.open(options);
    this.turn = this.ready;
    this.turn.catch(() => {}); // batches tell
  }

  private async open(options: RuntimeOptions): Promise<this> {
    this.runtime = await Runtime.create(options);
    await kept.ready;
    await this.renew();
    return this;
  }

  /** Takes the runtime's device, which is another one after a loss; buffer 0 is its class memory. */
  private async renew(): Promise<void> {
    const device = await this.runtime.device();
    if (device === this.device) return;
    this.device = device;
    this.kept.clear();
    device.interrupted = () => this.interrupted();
    this.segment = null;
    this.buffers.set(0, this.runtime.adopt(device, device.classMemory, "u8", [device.classMemory.bytes]));
  }

  /**
   * Whether there is Ctrl-C, for the rest of a batch. It is taken out of the buffer: Python, which raises it, would meet it in
   * the callback that ends the waiting, where it ends the event loop.
   */
  private interrupted(): boolean {
    const buffer = this.host?.Py_EmscriptenSignalBuffer;
    if (buffer?.[0] === 2) {
      buffer[0] = 0;
      this.stopped = true;
    }
    return this.stopped;
  }

  /** On wasm, also before it is open. */
  get threads(): Threads | undefined {
    const { runtime, options } = this;
    return (runtime as Runtime | undefined) ? runtime.threads : threadsOf(options.threads);
  }

  /** When it is open. */
  get info(): RuntimeInfo | undefined {
    return (this.runtime as Runtime | undefined)?.info;
  }

  /** On WebGPU: `clocked` of the device. */
  get clock(): number | undefined {
    return (this.device as GpuDevice).clocked;
  }

  /** A buffer at once, so that what goes wrong is thrown at once. */
  allocate(number: number, bytes: number): void {
    this.buffers.set(number, this.runtime.buffer("u8", bytes));
  }

  /** Ends the batches that were submitted, before their next launch. */
  cancel(): void {
    this.cancelled = this.waiting > 0;
    if (this.cancelled) this.controller.abort();
  }

  /** Does what a batch without launches and reads says within the call. False if something waits. */
  now(text: string, data: Uint8Array): boolean {
    const { device, segment, waiting } = this;
    if (waiting || segment || (device as Device | undefined)?.backend !== "wasm" || device.lost !== null) return false;
    for (const command of JSON.parse(text) as Command[]) {
      try {
        if (command[0] === "write") {
          const memory = this.buffers.get(command[1])!.memory(false, device);
          device.write(memory, data.subarray(command[3], command[3] + command[4]), command[2]);
        } else if (command[0] === "free") {
          this.buffers.get(command[1])!.free();
          this.buffers.delete(command[1]);
        } else this.atOnce(command, data);
      } catch (error) {
        this.failed ??= told(error);
      }
    }
    return true;
  }

  /** Does what a batch says when those before are handed over. `data` is the session's from now on. */
  submit(text: string, data: Uint8Array): Promise<Answer> {
    const commands = JSON.parse(text) as Command[];
    this.waiting++;
    const handed = this.turn.then(() => this.execute(commands, data));
    this.turn = handed;
    return handed.then(({ answer }) => answer);
  }

  /** The answer comes when the device is done; the next batch need not wait for it. */
  private async execute(commands: readonly Command[], data: Uint8Array): Promise<{ answer: Promise<Answer> }> {
    let error = this.failed;
    this.failed = undefined;
    const failed = (found: unknown): void => void (error ??= told(found));
    const reads: { buffer: Buffer; offset: number; length: number }[] = [];
    const freed: Buffer[] = [];
    const ends: Promise<unknown>[] = [];
    try {
      await this.renew();
    } catch (found) {
      failed(found);
    }
    for (const command of commands) {
      try {
        switch (command[0]) {
          case "free":
            freed.push(this.buffers.get(command[1])!); // given back when launches before are handed over
            this.buffers.delete(command[1]);
            break;
          case "write":
            if (this.segment) ends.push(this.flush([]).catch(failed)); // writing overtakes what is not handed over
            await this.write(command[1], command[2], data.subarray(command[3], command[3] + command[4]));
            break;
          case "read":
            reads.push({ buffer: this.buffers.get(command[1])!, offset: command[2], length: command[3] });
            break;
          case "run":
            await this.start(command, (flushed) => ends.push(flushed.catch(failed)));
            break;
          case "record":
            await this.lay(command);
            break;
          case "replay":
            if (this.segment) ends.push(this.flush([]).catch(failed));
            ends.push(this.replay(command[1]).catch(failed));
            if (this.device.backend === "wasm") await ends.at(-1);
            break;
          case "forget":
            this.recordings.get(command[1])?.layout?.free();
            this.recordings.delete(command[1]);
            break;
          default:
            this.atOnce(command, data);
        }
      } catch (found) {
        failed(found);
      }
    }
    if (--this.waiting === 0 && this.cancelled) {
      this.cancelled = false;
      this.controller = new AbortController();
    }
    ends.push(this.read(reads).catch(failed));
    for (const buffer of freed) buffer.free();
    const interrupted = this.stopped;
    this.stopped = false;
    const answer = Promise.all(ends).then(async (found) => {
      const { at } = this;
      this.at = undefined;
      return { reads: error ? [] : (found.pop() as Bytes[]), error: await error, at, interrupted };
    });
    return { answer };
  }

  private argsOf(file: Artifact, scalars: Scalars, buffers: Record<string, number>): Record<string, Input> {
    const args: Record<string, Input> = {};
    for (const { name, type, access } of file.ports) {
      args[name] = access === "scalar" ? numberOf(type, scalars[name]!) : this.buffers.get(buffers[name]!)!;
    }
    return args;
  }

  private async start([, program, scalars, buffers, steps, seconds]: Start, flushed: (done: Promise<unknown>) => void): Promise<void> {
    const { device, segment } = this;
    const ends = endsOf(steps, seconds);
    // On wasm each launch has the seconds for itself, and there is no submit to share.
    const joins = segment && segment.ends.steps === steps && segment.ends.seconds === ends.seconds && device.backend !== "wasm";
    if (segment && !joins) flushed(this.flush([]));
    const file = this.programs.get(program)!;
    await compileFor(device, file);
    if (this.cancelled) throw new Untold("cancelled");
    const args = this.argsOf(file, scalars, buffers);
    if (this.again(program, args, ends)) return;
    const { signal } = this.controller;
    const bound = bindRun(device, this.runtime, file, [], args, { ...ends, signal });
    this.segment ??= { run: device.run(ends.steps, signal, ends.seconds), ends, started: [] };
    this.segment.started.push({ program, bound, args });
    await bound.record(this.segment.run);
  }

  /** Makes a recording: on WebGPU all of it is laid out now. */
  private async lay([, number, steps, seconds, pieces]: Extract<Command, ["record", ...unknown[]]>): Promise<void> {
    const { device } = this;
    const ends = endsOf(steps, seconds);
    const memory = (number: number) => this.buffers.get(number)!.memory(false, device);
    const { Layout } = await import("./recording.js");
    const parts = pieces.map((piece) => async () => {
      if (piece[0] === "copy") return { target: memory(piece[1]), source: memory(piece[2]) } as CopyOf;
      if (piece[0] === "clear") return { cleared: memory(piece[1]) as Place };
      const file = this.programs.get(piece[1])!;
      await compileFor(device, file);
      return bindRun(device, this.runtime, file, [], this.argsOf(file, piece[2], piece[3]), { ...ends, signal: undefined });
    });
    const layout = device.backend === "webgpu" ? await Layout.of(device, parts, { ...ends, signal: undefined }) : null;
    this.recordings.set(number, { ends, pieces, layout });
  }

  private async replay(number: number): Promise<void> {
    const { device } = this;
    const recorded = this.recordings.get(number);
    if (!recorded) return; // it could not be made, which was told
    const { pieces, layout, ends } = recorded;
    let at = 0;
    try {
      if (this.cancelled) throw new Untold("cancelled");
      if (layout) {
        if (layout.device !== device) throw new BackendUnavailable("webgpu", "the device of the recording was lost");
        await layout.replay({ ...ends, signal: this.controller.signal }, (piece) => (at = piece));
        return;
      }
      for (const piece of pieces) {
        if (piece[0] === "run") await this.start(piece, () => {});
        else {
          const memory = this.buffers.get(piece[1])!.memory(false, device);
          const bytes = piece[0] === "copy" ? await device.read(this.buffers.get(piece[2])!.memory(false, device)) : new Uint8Array(memory.bytes);
          device.write(memory, bytes, 0);
        }
        if (this.segment) await this.flush([]);
        at++;
      }
    } catch (error) {
      this.at ??= [number, at];
      throw error;
    }
  }

  /** Launches a program, if one was kept that is like it. Raises its fault. */
  private again(program: number, args: Record<string, Input>, ends: Ends): boolean {
    for (const kept of this.kept.get(program) ?? []) {
      if (kept.fits(args, ends)) {
        kept.go();
        return true;
      }
    }
    return false;
  }

  private keep({ program, bound, args }: Started, ends: Ends): void {
    const replay = this.device.keep?.(bound, args, ends);
    if (!replay || !this.programs.has(program)) return replay?.free();
    const kept = [replay, ...(this.kept.get(program) ?? [])];
    for (const old of kept.splice(MOST_KEPT)) old.free();
    this.kept.set(program, kept);
  }

  /** Does what a command says that neither launches nor reads nor frees. */
  private atOnce(command: Command, data: Uint8Array): void {
    const [what, number, start, length] = command as [string, number, number, number];
    if (what === "allocate") this.allocate(number, start);
    else if (what === "load") this.programs.set(number, readArtifact(data.subarray(start, start + length)));
    else {
      this.programs.delete(number);
      for (const kept of this.kept.get(number) ?? []) kept.free();
      this.kept.delete(number);
    }
  }

  /**
   * Launches a program again and again, called with the values of `names`: scalars, and numbers of buffers. `fixed` are the
   * other scalars. It says what came of a launch: 0 if it has to be a command, as something waits, or none like it was kept.
   */
  launcher(program: number, names: string, fixed: string, steps: number, seconds: number | null): (...values: (number | bigint)[]) => number {
    const ends = endsOf(steps, seconds);
    const given = names.split(" ");
    const args: Record<string, Input> = {};
    const buffers: boolean[] = [];
    const scalars = JSON.parse(fixed) as Scalars;
    let ports: Artifact["ports"] | undefined;
    return (...values) => {
      if (this.waiting || this.segment) return LATER;
      if (!ports) {
        ports = this.programs.get(program)?.ports ?? [];
        for (const { name, type, access } of ports) {
          args[name] = name in scalars ? numberOf(type, scalars[name]!) : 0; // in the order of the ports, as when it was kept
          const place = given.indexOf(name);
          if (place >= 0) buffers[place] = access !== "scalar";
        }
      }
      values.forEach((value, k) => (args[given[k]!] = buffers[k] ? this.buffers.get(value as number)! : value));
      try {
        return this.again(program, args, ends) ? DONE : LATER;
      } catch (error) {
        if (this.stopped) {
          this.stopped = false;
          return STOPPED;
        }
        this.failed ??= told(error);
        return FAILED;
      }
    };
  }

  /** Hands over what is recorded, and reads behind it; then the runs' temporaries are given back. */
  private async flush(memories: readonly Memory[]): Promise<Bytes[]> {
    const { segment, device } = this;
    this.segment = null;
    if (!segment) return Promise.all(memories.map((memory) => device.read(memory)));
    try {
      const found = await segment.run.finish(memories);
      for (const started of segment.started) this.keep(started, segment.ends);
      return found;
    } finally {
      for (const { bound } of segment.started) bound.release();
    }
  }

  private async read(reads: readonly { buffer: Buffer; offset: number; length: number }[]): Promise<Bytes[]> {
    let memories: Memory[] = [];
    try {
      memories = reads.map(({ buffer }) => buffer.memory(false, this.device));
    } catch (error) {
      await this.flush([]);
      throw error;
    }
    const found = await this.flush(memories);
    return found.map((bytes, k) => bytes.subarray(reads[k]!.offset, reads[k]!.offset + reads[k]!.length));
  }

  private async write(number: number, offset: number, part: Uint8Array): Promise<void> {
    const { device } = this;
    const memory = this.buffers.get(number)!.memory(false, device);
    await writeTo(device, memory, part, offset);
  }
}

const endsOf = (steps: number, seconds: number | null): Ends => ({ steps, seconds: seconds ?? Infinity, output: "buffer" });

/** The number that bits of a type are. */
function numberOf(type: string, digits: string): number | bigint {
  const bits = BigInt(`0x${digits}`);
  if (!isFloat(type as never)) return isSigned(type as never) ? BigInt.asIntN(bitsOf(type as never), bits) : bits;
  const data = view(new Uint8Array(8));
  data.setBigUint64(0, type === "bf16" ? bits << 16n : bits);
  if (type === "f64") return data.getFloat64(0);
  if (type !== "f16") return data.getFloat32(4);
  const [sign, exponent, fraction] = [bits >> 15n, (bits >> 10n) & 31n, bits & 1023n].map(Number) as [number, number, number];
  const size = exponent === 31 ? (fraction ? NaN : Infinity) : 2 ** Math.max(exponent - 25, -24) * (fraction + (exponent && 1024));
  return sign ? -size : size;
}

export { blake3 } from "./blake3.js";
