/**
 * Runs in workers, so that a page stays free for its own work: each worker has a runtime of its own, loads a program when it
 * first runs it, and sends arrays back without copying them.
 */
import { HologramError, LaunchError, named, optionsOf, reading, telling, textOf } from "./errors.js";
import { makers } from "./internal.js";
import type { Input, RunOptions } from "./program.js";
import type { RuntimeInfo, RuntimeOptions } from "./runtime.js";
import type { TypedArray } from "./types.js";

export interface PoolOptions extends Pick<RuntimeOptions, "backend" | "threads"> {
  /** How many workers; by default 2. */
  size?: number;
  /** Where the worker's file is, `hologram-web/worker`, if a bundler did not find it. */
  worker?: string | URL;
}

/** Arguments that can be sent: numbers, arrays, and arrays with their shapes. */
export type PoolArguments = Record<string, Exclude<Input, GPUBuffer>>;
export type PoolRunOptions = Pick<RunOptions, "steps" | "seconds"> & {
  /** Whether the arrays that are passed are handed over: they are empty afterwards, and nothing is copied. */
  transfer?: boolean;
};
export type PoolResult = TypedArray | bigint[] | Record<string, TypedArray | bigint[]>;

/** @internal What a worker is told: first how to make its runtime, then what to run. */
export interface Order {
  readonly number: number;
  readonly create?: RuntimeOptions;
  readonly source?: string | Uint8Array;
  readonly args?: PoolArguments;
  readonly options?: RunOptions;
}
/** @internal What a worker answers. */
export interface Reply {
  readonly number: number;
  readonly result?: PoolResult;
  readonly info?: RuntimeInfo;
  readonly error?: Record<string, unknown> & { name: string; message: string; stack?: string };
}

/** A worker of a page, or what is like it in Node. */
interface Thread {
  postMessage(message: Order, transfer: ArrayBuffer[]): void;
  terminate(): unknown;
  unref?(): void;
  ref?(): void;
}

/** An error of a worker's run: its name, text and fields are those that it had there. */
export class PoolError extends HologramError {
  declare name: string;

  constructor({ name, message, ...fields }: NonNullable<Reply["error"]>) {
    super(message);
    Object.assign(this, fields);
    Object.defineProperty(this, "name", { value: name });
  }
}

const NO_FILE = "its file cannot be loaded: bundle hologram-web/worker, and say where that is, Pool.create({ worker })";

interface Member {
  readonly thread: Thread;
  /** Runs that it was given and has not done. */
  busy: number;
}

export class Pool {
  private number = 0;
  private closed: string | null = null;
  private readonly waiting = new Map<number, { member: Member; resolve(reply: Reply): void; reject(error: unknown): void }>();
  private readonly members: Member[] = [];
  /** Of the first worker's runtime; all are made alike. */
  info!: RuntimeInfo;

  private constructor() {}

  /** Rejects with what `Runtime.create` rejects with in a worker, and LaunchError where there are no workers. */
  static create(options: PoolOptions = {}): Promise<Pool> {
    return telling(async () => {
      const { size = 2, worker, ...create } = optionsOf(options, "size", "backend", "threads", "worker");
      if (!Number.isInteger(size) || size < 1 || size > 64) throw new LaunchError(`size is a number of workers, 1 to 64, not ${textOf(size)}`);
      const pool = new Pool();
      try {
        for (let k = 0; k < size; k++) pool.members.push({ thread: await pool.open(worker), busy: 0 });
        const replies = await Promise.all(pool.members.map((member) => pool.ask(member, { create: { threads: 1, ...create } })));
        pool.info = replies[0]!.info!;
      } catch (error) {
        pool.close();
        throw error;
      }
      return pool;
    });
  }

  /**
   * Runs a program, of an address or its bytes, in the worker that has least to do. What is wrong rejects with a PoolError
   * that has the name, the text and the fields of the error there.
   */
  run(source: string | URL | Uint8Array, args: PoolArguments, options: PoolRunOptions = {}): Promise<PoolResult> {
    return telling(async () => {
      const { transfer = false, ...rest } = optionsOf(options, "steps", "seconds", "transfer");
      const address = source instanceof Uint8Array ? source : reading("the program", () => addressOf(source));
      const buffers = transfer ? [...new Set(Object.values(args).flatMap(buffersOf))] : [];
      const member = this.members.reduce((a, b) => (b.busy < a.busy ? b : a));
      const result = (await this.ask(member, { source: address, args, options: rest }, buffers)).result!;
      const whole = ArrayBuffer.isView(result) || Array.isArray(result);
      for (const each of whole ? [result] : Object.values(result)) makers.set(each, { info: this.info }); // for ranOn
      return result;
    });
  }

  /** Ends the workers; runs that are not done reject. */
  close(): void {
    this.end("the pool was closed");
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private end(why: string): void {
    this.closed ??= why;
    for (const { thread } of this.members) void thread.terminate();
    for (const { reject } of this.waiting.values()) reject(new LaunchError(this.closed));
    this.waiting.clear();
  }

  private ask(member: Member, order: Omit<Order, "number">, transfer: ArrayBuffer[] = []): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.closed !== null) return reject(new LaunchError(this.closed));
      const number = this.number++;
      try {
        member.thread.postMessage({ number, ...order }, transfer);
      } catch (error) {
        return reject(new LaunchError(`the arguments cannot be sent to a worker: ${textOf(error)}`));
      }
      if (!member.busy++) member.thread.ref?.();
      this.waiting.set(number, { member, resolve, reject });
    });
  }

  private take(reply: Reply): void {
    const found = this.waiting.get(reply.number);
    if (!found) return;
    this.waiting.delete(reply.number);
    if (!--found.member.busy) found.member.thread.unref?.(); // Node does not wait for workers that have nothing to do
    if (reply.error) found.reject(new PoolError(reply.error));
    else found.resolve(reply);
  }

  private async open(place?: string | URL): Promise<Thread> {
    const failed = (error: unknown) => this.end(`a worker failed: ${(error as Partial<Error> | null)?.message ?? NO_FILE}`);
    const { Worker: Made, process } = globalThis as any;
    if (Made) {
      // Written like this, Vite and webpack find the file.
      const worker: Worker = place ? new Worker(place, { type: "module" }) : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      worker.onmessage = ({ data }) => this.take(data as Reply);
      worker.onerror = failed;
      return worker;
    }
    const threads = process?.getBuiltinModule?.("node:worker_threads");
    if (!threads) throw new LaunchError("there are no workers here");
    const worker = new threads.Worker(place ?? new URL("./worker.js", import.meta.url));
    worker.on("message", (reply: Reply) => this.take(reply));
    worker.on("error", failed);
    return worker as Thread;
  }
}

named({ Pool });

/** An address as a worker understands it, which lies elsewhere. */
function addressOf(source: string | URL): string {
  const base = globalThis.location?.href;
  return base ? new URL(source, base).href : String(source);
}

/** The memory of arrays that can be handed over. */
function buffersOf(value: unknown): ArrayBuffer[] {
  const data = (value as { data?: unknown } | null)?.data ?? value;
  return ArrayBuffer.isView(data) && data.buffer instanceof ArrayBuffer ? [data.buffer] : [];
}
