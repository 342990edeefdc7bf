/**
 * What Python in Pyodide uses of the runtime: batches of commands, one crossing for each, over the same devices.
 *
 * Python says what to do with numbered buffers and programs as one text of JSON and one view of bytes, and gets the bytes
 * of what it reads and the first error. A batch is one submit of the GPU, unless something is written after a launch.
 */
import { readArtifact } from "./artifact.js";
import type { Device, Memory, Run } from "./backends/device.js";
import { type Buffer, writeTo } from "./buffer.js";
import { Untold } from "./errors.js";
import { Kept } from "./kept.js";
import type { Artifact } from "./plan.js";
import { launchesOf } from "./plan.js";
import type { BoundRun, Input } from "./program.js";
import { bindRun } from "./program.js";
import type { RuntimeInfo, RuntimeOptions } from "./runtime.js";
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
  | ["run", program: number, scalars: Scalars, buffers: Record<string, number>, steps: number, seconds: number | null];

export interface Answer {
  /** One for each command that reads, in order; empty if there was an error. */
  readonly reads: readonly Bytes[];
  /** The first error. */
  readonly error: Record<string, unknown> | undefined;
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

/** Runs that are handed to the device together. */
interface Segment {
  readonly run: Run;
  readonly steps: number;
  readonly seconds: number | null;
  readonly started: BoundRun[];
}

/** Opened with the module: it has been read before Python is there. */
export const kept = new Kept();

export class Session {
  private readonly buffers = new Map<number, Buffer>();
  private readonly programs = new Map<number, Artifact>();
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

  constructor(options: RuntimeOptions) {
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

  /** When it is open. */
  get info(): RuntimeInfo | undefined {
    return (this.runtime as Runtime | undefined)?.info;
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
    let error: Promise<Record<string, unknown>> | undefined;
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
          case "allocate":
            this.allocate(command[1], command[2]);
            break;
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
          case "load":
            this.programs.set(command[1], readArtifact(data.subarray(command[2], command[2] + command[3])));
            break;
          case "drop":
            this.programs.delete(command[1]);
            break;
          case "run": {
            const [, program, scalars, buffers, steps, seconds] = command;
            const { segment } = this;
            // On wasm each launch has the seconds for itself, and there is no submit to share.
            const joins = segment && segment.steps === steps && segment.seconds === seconds && this.device.backend !== "wasm";
            if (segment && !joins) ends.push(this.flush([]).catch(failed));
            await this.record(this.programs.get(program)!, scalars, buffers, steps, seconds);
          }
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
    const answer = Promise.all(ends).then(async (found) => ({ reads: error ? [] : (found.pop() as Bytes[]), error: await error, interrupted }));
    return { answer };
  }

  private async record(file: Artifact, scalars: Scalars, buffers: Record<string, number>, steps: number, seconds: number | null): Promise<void> {
    const { device } = this;
    await device.prepare(file, launchesOf(file.steps, device.backend));
    if (this.cancelled) throw new Untold("cancelled");
    const args: Record<string, Input> = {};
    for (const { name, type, access } of file.ports) {
      args[name] = access === "scalar" ? numberOf(type, scalars[name]!) : this.buffers.get(buffers[name]!)!;
    }
    const { signal } = this.controller;
    const started = bindRun(device, this.runtime, file, [], args, "buffer", signal);
    this.segment ??= { run: device.run(steps, signal, seconds ?? Infinity), steps, seconds, started: [] };
    this.segment.started.push(started);
    await started.record(this.segment.run);
  }

  /** Hands over what is recorded, and reads behind it; then the runs' temporaries are given back. */
  private async flush(memories: readonly Memory[]): Promise<Bytes[]> {
    const { segment, device } = this;
    this.segment = null;
    if (!segment) return Promise.all(memories.map((memory) => device.read(memory)));
    try {
      return await segment.run.finish(memories);
    } finally {
      for (const started of segment.started) started.release();
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
