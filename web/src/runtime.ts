/** The runtime: a device, what is loaded on it, and buffers. */
import type { AdapterInfo } from "./backends/adapter.js";
import { describeAdapter, judge, nameOf, openAdapter } from "./backends/adapter.js";
import type { Counts, Device, Memory, Threads } from "./backends/device.js";
import { checkSignal } from "./backends/device.js";
import { readArtifact } from "./artifact.js";
import { Buffer } from "./buffer.js";
import { BackendUnavailable, LaunchError, Untold, named, optionsOf, reading, telling, textOf } from "./errors.js";
import { product } from "./formula.js";
import type { Canvas } from "./present.js";
import type { Input, RunOptions } from "./program.js";
import { Program, argumentsOf, endsOf } from "./program.js";
import type { Recorded, Recording } from "./recording.js";
import type { Elements, Type } from "./types.js";
import { TYPES, bytesIn, bytesOf, isList, isShape } from "./types.js";

export type BackendName = "webgpu" | "wasm";

export interface RuntimeOptions {
  /** "auto" takes WebGPU if there is a real GPU that computes as it should, else wasm. */
  backend?: BackendName | "auto";
  /** A device to run on, so that its GPUBuffers can be passed. It is not replaced if it is lost. */
  device?: GPUDevice;
  /** Where adapters come from; by default navigator.gpu. */
  gpu?: GPU;
  powerPreference?: GPUPowerPreference;
  /** How many threads share a launch on wasm at most, 1 to 64; by default as many as there are processors, 8 at most. */
  threads?: number;
}

export interface RuntimeInfo {
  readonly requested: BackendName | "auto";
  readonly selected: BackendName;
  /** Why this one. */
  readonly reason: string;
  /** null if no adapter was asked for, or there is none. */
  readonly adapter: AdapterInfo | null;
  /** What runs, as people say it: a program that stands in for a GPU is called one. */
  readonly device: string;
}

/** Shape of a buffer; of one axis its length will do. */
export type Shape = number | readonly number[];

export type Stats = Readonly<Counts>;
export type Source = string | URL | ArrayBuffer | Uint8Array | Response | Blob;

export interface LoadOptions {
  /** What locations of constants outside the file are relative to; by default the address of the file. */
  base?: string | URL;
  /** The file of the constants that are outside, where it does not lie beside the artifact; a stream is read once. */
  weights?: Source | ReadableStream<Uint8Array>;
  /** Ends the loading with an ExecutionError of kind Cancelled. */
  signal?: AbortSignal;
  /** Called as such constants come: how many bytes of them are there, and of how many. */
  progress?: (done: number, total: number) => void;
}

/** What tests put into a page (playwright.ts, hologram_web_tools/pytest_plugin.py): the device to take, and who wants to know. */
interface Pin {
  options: RuntimeOptions;
  created(runtime: Runtime): void;
}

export class Runtime {
  private turn: Promise<unknown> = Promise.resolve();
  /** @internal How much was asked for that has not been handed to the device. */
  waiting = 0;
  private closed = false;

  private constructor(
    private current: Device,
    /** Makes a device in place of one that was lost. */
    private readonly renew: () => Promise<Device>,
  ) {}

  get info(): RuntimeInfo {
    return this.current.info!;
  }

  /** Rejects with BackendUnavailable if the backend that was asked for cannot be had. */
  static create(options: RuntimeOptions = {}): Promise<Runtime> {
    return telling(async () => {
      const pin = (globalThis as { hologramPin?: Pin }).hologramPin;
      const runtime = await Runtime.open(pin ? { ...options, ...pin.options } : options);
      pin?.created(runtime);
      return runtime;
    });
  }

  private static async open(options: RuntimeOptions): Promise<Runtime> {
    const given = optionsOf(options, "backend", "device", "gpu", "powerPreference", "threads");
    const { backend: requested = "auto", device, powerPreference = "high-performance" } = given;
    if (!["auto", "webgpu", "wasm"].includes(requested)) {
      throw new Untold("noBackend", requested);
    }
    const described = (made: Device, reason: string, adapter: AdapterInfo | null): Device => {
      const selected = made.backend;
      made.info = { requested, selected, reason, adapter, device: selected === "wasm" ? "WebAssembly" : `WebGPU on ${nameOf(adapter)}` };
      return made;
    };
    if (device) {
      if (requested === "wasm") throw new BackendUnavailable("wasm", "a GPUDevice was given");
      const { webGpuDevice } = await import("./backends/webgpu.js");
      return reading("device", () => {
        const own = described(webGpuDevice(device, false), "a GPUDevice was given", device.adapterInfo ? describeAdapter(device.adapterInfo) : null);
        return new Runtime(own, async () => {
          throw new Untold("gaveDevice", own.lost);
        });
      });
    }
    let reason = "it was asked for";
    let adapter: AdapterInfo | null = null;
    if (requested !== "wasm") {
      const gpu = given.gpu ?? (globalThis.navigator as Navigator | undefined)?.gpu;
      try {
        if (!gpu) throw new BackendUnavailable("webgpu", "no navigator.gpu: it needs WebGPU, and https or localhost");
        const open = async () => {
          const found = await openAdapter(gpu, powerPreference);
          const info = (adapter = describeAdapter(found.info));
          const check = () => void (requested === "auto" && (reason = judge(info)));
          check();
          const { openGpu, probe, webGpuDevice } = await import("./backends/webgpu.js");
          const made = webGpuDevice(await openGpu(found));
          try {
            info.inexact = await probe(made);
            check();
          } catch (error) {
            made.close("");
            throw error;
          }
          return described(made, reason, info);
        };
        return new Runtime(await open(), open);
      } catch (error) {
        if (requested === "webgpu") throw error;
        reason = (error as BackendUnavailable).reason ?? "its probe failed"; // a driver's bug
      }
    }
    const { WasmDevice } = await import("./backends/wasm.js");
    const wasm = described(new WasmDevice(given), reason, adapter);
    return new Runtime(wasm, async () => wasm);
  }

  /** What runs. */
  toString(): string {
    return `Runtime on ${this.info.device}`;
  }

  /** How many threads share a launch that is long enough, and the reason: on wasm. */
  get threads(): Threads | undefined {
    return this.current.threads;
  }

  /** The GPUDevice, on WebGPU. */
  get gpuDevice(): GPUDevice | null {
    return this.current.gpu ?? null;
  }

  /**
   * Reads an artifact, compiles it for the device, and puts its constants there. Rejects with ArtifactError for what is no
   * artifact, with CompileError or LaunchError for one that this device cannot run. Constants outside the file are streamed to
   * the device, and checked.
   */
  load<P extends Program = Program>(source: Source, options: LoadOptions = {}): Promise<P> {
    return telling(async () => {
      const given = optionsOf(options, "base", "weights", "signal", "progress");
      const { bytes, address } = await fetchBytes(source, given.signal);
      const file = readArtifact(bytes, address);
      const outside = given.weights || file.blobs.some(({ data }) => !data);
      const program = new Program(this, file, outside ? (await import("./outside.js")).fillerOf(file, given, address) : undefined);
      await program.compile(await this.device()); // beside runs, which go on
      if (outside) await program.fill(await this.device());
      await this.inTurn(async () => program.prepare(await this.device()));
      return program as P;
    });
  }

  /**
   * A buffer with the elements of an array or a list, `buffer("f32", [3, 1, 2])`, of a shape if it is said, `{ shape }`; or
   * of zeros, of a length or `{ shape }`. Raises AllocationFailed, LaunchError.
   */
  buffer<T extends Type>(dtype: T, content: number | Elements | { shape: Shape }, shape?: Shape | { shape: Shape }): Buffer<T> {
    return reading("content", () => {
      if (!TYPES.includes(dtype)) throw new LaunchError(`'${dtype}' is no type: there are ${TYPES.join(", ")}`);
      const size = bytesOf(dtype);
      const data = isList(content) || ArrayBuffer.isView(content) ? bytesIn("content", dtype, content) : undefined;
      let given: unknown = shape ?? (data ? data.length / size : content);
      if (given instanceof Object && !isList(given)) {
        const { shape, ...rest } = given as { shape?: Shape };
        for (const name in rest) throw new LaunchError(`there is no option '${name}': there is shape`);
        given = shape;
      }
      const lengths = typeof given === "number" ? [given] : given;
      if (!isShape(lengths) || (data && data.length !== product(lengths, size))) {
        throw new LaunchError(`[${textOf(lengths)}] is no shape${data ? ` of ${data.length / size} elements` : ""}`);
      }
      if (this.current.lost !== null) this.raiseLost();
      return this.adopt(this.current, this.current.allocate(product(lengths, size), data), dtype, lengths);
    }, this.buffer);
  }

  /**
   * Records runs: `replay` of the Recording does them all, in order and on WebGPU in one submit. Scalars are taken now; arrays
   * are Buffers, or on WebGPU GPUBuffers. Rejects as `run` of a program does.
   */
  record(runs: readonly Recorded[], options: Pick<RunOptions, "steps" | "seconds"> = {}): Promise<Recording> {
    return telling(async () => {
      const ends = endsOf(options, "steps", "seconds");
      const given = reading("the runs", () => [...runs].map((run) => (isList(run) ? [run[0], argumentsOf(run[1])] : []) as unknown as Recorded));
      return this.inTurn(async () => (await import("./recording.js")).Recording.of(this, given, ends));
    });
  }

  /**
   * Draws a Buffer to a canvas, when what was asked for before is done: a picture [height, width], grey, or [height, width,
   * 3 or 4] of u8, or of f32 from 0 to 1; integers are places among `colours`, a Buffer u8[count, 4], if it is given. On
   * WebGPU nothing is read back. Rejects with LaunchError for other shapes and canvases.
   */
  present(canvas: Canvas, picture: Buffer, options: { colours?: Buffer } = {}): Promise<void> {
    return telling(async () => {
      const { colours } = optionsOf(options, "colours");
      const drawn = await this.inTurn(async () => (await import("./present.js")).present(await this.device(), canvas, picture, colours));
      await drawn();
    });
  }

  /**
   * Runs a program as its `run` does, and gives a line for each launch: which code it took, and why. Results are nobody's;
   * Buffers are written in place.
   */
  explain(program: Program, args: Record<string, Input>, options: Pick<RunOptions, "steps" | "seconds"> = {}): Promise<string> {
    return telling(async () => {
      const ends = endsOf(options, "steps", "seconds");
      const given = argumentsOf(args);
      return this.inTurn(async () => (await import("./explain.js")).explain(this, program, given, ends));
    });
  }

  /** Counts since the device was opened. */
  stats(): Stats {
    return { ...this.current.counts };
  }

  /** Gives everything back; programs and buffers of the runtime cannot be used any more. */
  async close(): Promise<void> {
    await this.inTurn(() => {
      this.closed = true;
      this.current.close("the runtime was closed");
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  // For programs and buffers

  /** @internal Does work when all that was asked for before has been handed to the device. */
  readonly inTurn = <T>(work: () => T | Promise<T>): Promise<T> => {
    this.waiting++;
    const done = () => void this.waiting--;
    const mine = this.turn.then(work);
    this.turn = mine.then(done, done);
    return mine;
  };

  private raiseLost(): void {
    throw new BackendUnavailable(this.info.selected, this.current.lost!);
  }

  /** @internal The device, a new one if it was lost. */
  async device(): Promise<Device> {
    if (this.closed) this.raiseLost();
    if (this.current.lost !== null) this.current = await this.renew();
    return this.current;
  }

  /** @internal */
  adopt<T extends Type>(device: Device, memory: Memory, dtype: T, shape: readonly number[]): Buffer<T> {
    return new Buffer(dtype, [...shape], memory, device, this.inTurn);
  }
}

named({ Buffer, Program, Runtime });
// What Node prints: of their fields the names are short, and tell nobody anything.
for (const { prototype } of [Buffer, Program, Runtime] as any[]) prototype[Symbol.for("nodejs.util.inspect.custom")] = prototype.toString;

async function fetchBytes(source: Source, signal?: AbortSignal): Promise<{ bytes: Uint8Array; address: string }> {
  const address = reading("the artifact", () => (typeof source === "string" || source instanceof URL ? source : null));
  const unreadable = (error: unknown) => {
    checkSignal(signal);
    throw new Untold("unreadable", address, error);
  };
  // Outside of pages a path is one of this machine.
  if (address !== null && !globalThis.location && !/^(https?|data|blob):/.test(textOf(address))) {
    return (await import("./outside.js")).readLocal(address).catch(unreadable);
  }
  const response = await (address === null
    ? reading("the artifact", () => (source instanceof Response ? source : new Response(source as BodyInit)))
    : fetch(address, { signal } as RequestInit).catch(unreadable));
  if (!response.ok) throw new Untold("unreadable", response.url, `status ${response.status}`);
  return { bytes: new Uint8Array(await response.arrayBuffer().catch(unreadable)), address: response.url };
}
