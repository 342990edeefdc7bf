/** The runtime: a device, what is loaded on it, and buffers. */
import type { AdapterInfo } from "./backends/adapter.js";
import { describeAdapter, openAdapter, openDevice, probe } from "./backends/adapter.js";
import type { Counts, Device, Memory } from "./backends/device.js";
import { WasmDevice } from "./backends/wasm.js";
import { WebGpuDevice } from "./backends/webgpu.js";
import { checked, readArtifact } from "./artifact.js";
import { Buffer } from "./buffer.js";
import { ArtifactError, BackendUnavailable, LaunchError } from "./errors.js";
import type { Artifact, Blob as Constant } from "./plan.js";
import { Program } from "./program.js";
import type { Type, TypedArray } from "./types.js";
import { TYPES, bytesIn, bytesOf } from "./types.js";

export type BackendName = "webgpu" | "wasm";

export interface RuntimeOptions {
  /** "auto" takes WebGPU if there is a real GPU that computes as it should, else wasm. */
  backend?: BackendName | "auto";
  /** A device to run on, so that its GPUBuffers can be passed. It is not replaced if it is lost. */
  device?: GPUDevice;
  /** Where adapters come from; by default navigator.gpu. */
  gpu?: GPU;
  powerPreference?: GPUPowerPreference;
}

export interface RuntimeInfo {
  readonly requested: BackendName | "auto";
  readonly selected: BackendName;
  /** Why this one. */
  readonly reason: string;
  /** null if no adapter was asked for, or there is none. */
  readonly adapter: AdapterInfo | null;
}

export type Stats = Readonly<Counts>;
export type Source = string | URL | ArrayBuffer | Uint8Array | Response | Blob;

export interface LoadOptions {
  /** What locations of constants outside the file are relative to; by default the address of the file. */
  base?: string | URL;
}

export class Runtime {
  private turn: Promise<unknown> = Promise.resolve();
  private closed = false;

  private constructor(
    readonly info: RuntimeInfo,
    private current: Device,
    /** Makes a device in place of one that was lost. */
    private readonly renew: () => Promise<Device>,
  ) {}

  /** Rejects with BackendUnavailable if the backend that was asked for cannot be had. */
  static async create(options: RuntimeOptions = {}): Promise<Runtime> {
    const { backend: requested = "auto", device, powerPreference = "high-performance" } = options;
    if (!["auto", "webgpu", "wasm"].includes(requested)) {
      throw new BackendUnavailable(String(requested), "there are 'auto', 'webgpu' and 'wasm'");
    }
    let reason = "it was asked for";
    let adapter: AdapterInfo | null = null;
    const info = (selected: BackendName): RuntimeInfo => ({ requested, selected, reason, adapter });
    if (device) {
      if (requested === "wasm") throw new BackendUnavailable("wasm", "a GPUDevice was given to run on");
      reason = "a GPUDevice was given";
      if (device.adapterInfo) adapter = describeAdapter(device.adapterInfo);
      const given = new WebGpuDevice(device, false);
      return new Runtime(info("webgpu"), given, async () => {
        throw new BackendUnavailable("webgpu", `${given.lost}: create a runtime on another device`);
      });
    }
    if (requested !== "wasm") {
      const gpu = options.gpu ?? (globalThis.navigator as Navigator | undefined)?.gpu;
      const open = async (): Promise<WebGpuDevice> => new WebGpuDevice(await openDevice(await openAdapter(gpu, powerPreference)));
      try {
        const found = await openAdapter(gpu, powerPreference);
        adapter = describeAdapter(found.info);
        const name = [adapter.vendor, adapter.architecture, adapter.description].filter(Boolean).join(" ");
        if (requested === "auto" && !adapter.real) throw new BackendUnavailable("webgpu", `the adapter ${name} is no GPU but a program`);
        const opened = await openDevice(found);
        const wrong = await probe(opened);
        adapter.inexact = wrong;
        const broken = wrong.filter((operation) => !["/", "sqrt", "subnormals"].includes(operation));
        if (requested === "auto" && broken.length) {
          opened.destroy();
          throw new BackendUnavailable("webgpu", `the adapter ${name} gets ${broken.join(", ")} wrong`);
        }
        if (requested === "auto") reason = `the adapter ${name} is a GPU`;
        return new Runtime(info("webgpu"), new WebGpuDevice(opened), open);
      } catch (error) {
        if (requested === "webgpu" || !(error instanceof BackendUnavailable)) throw error;
        reason = error.reason;
      }
    }
    const wasm = new WasmDevice();
    return new Runtime(info("wasm"), wasm, async () => wasm);
  }

  /** The GPUDevice, on WebGPU. */
  get gpuDevice(): GPUDevice | null {
    return this.current instanceof WebGpuDevice ? this.current.gpu : null;
  }

  /**
   * Reads an artifact, compiles it for the device, and puts its constants there. Rejects with ArtifactError for what is no
   * artifact, with CompileError or LaunchError for one that this device cannot run.
   */
  async load(source: Source, options: LoadOptions = {}): Promise<Program> {
    const { bytes, address } = await fetchBytes(source);
    const file = readArtifact(bytes);
    const base = options.base ?? address;
    const data = await Promise.all(file.blobs.map((blob) => blob.data ?? fetchConstant(blob, base)));
    return this.install(file, data);
  }

  private async install(file: Artifact, data: readonly Uint8Array[]): Promise<Program> {
    const program = new Program(this, file, data);
    await (await this.device()).prepare(file); // beside runs, which go on
    await this.inTurn(async () => program.prepare(await this.device()));
    return program;
  }

  /** A buffer of zeros of a shape (a length will do), or with the elements of an array. Raises AllocationFailed. */
  buffer(dtype: Type, content: number | readonly number[] | TypedArray, shape?: readonly number[]): Buffer {
    if (!TYPES.includes(dtype)) throw new LaunchError(`'${dtype}' is no type: there are ${TYPES.join(", ")}`);
    const data = ArrayBuffer.isView(content) ? bytesIn("buffer", dtype, content) : undefined;
    const size = bytesOf(dtype);
    const lengths = shape ?? (data ? [data.length / size] : typeof content === "number" ? [content] : (content as readonly number[]));
    const bytes = lengths.reduce((product, length) => product * length, size);
    if (!lengths.every((length) => Number.isSafeInteger(length) && length >= 0) || (data && data.length !== bytes)) {
      throw new LaunchError(`the shape [${lengths}] is not one of ${data ? data.length / size : "some"} elements`);
    }
    if (this.current.lost !== null) throw new BackendUnavailable(this.info.selected, this.current.lost);
    return this.adopt(this.current, this.current.allocate(bytes, data), dtype, lengths);
  }

  /** Counts since the device was opened. */
  stats(): Stats {
    return { ...this.current.counts };
  }

  /** Gives everything back; programs and buffers of the runtime cannot be used any more. */
  async close(): Promise<void> {
    await this.inTurn(() => {
      this.closed = true;
      this.current.close();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  // For programs and buffers

  /** @internal Does work when all that was asked for before has been handed to the device. */
  readonly inTurn = <T>(work: () => T | Promise<T>): Promise<T> => {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => {});
    return mine;
  };

  /** @internal The device, a new one if it was lost. */
  async device(): Promise<Device> {
    if (this.closed) throw new BackendUnavailable(this.info.selected, "the runtime was closed");
    if (this.current.lost !== null) this.current = await this.renew();
    return this.current;
  }

  /** @internal */
  adopt(device: Device, memory: Memory, dtype: Type, shape: readonly number[]): Buffer {
    return new Buffer(device, this.inTurn, memory, dtype, shape);
  }
}

async function fetchBytes(source: Source): Promise<{ bytes: Uint8Array; address: string | undefined }> {
  if (source instanceof Uint8Array) return { bytes: source, address: undefined };
  if (source instanceof ArrayBuffer) return { bytes: new Uint8Array(source), address: undefined };
  if (typeof source === "string" || source instanceof URL) source = await request(source);
  if (source instanceof Response) {
    if (!source.ok) throw new ArtifactError(`${source.url} cannot be read: status ${source.status}`);
    return { bytes: new Uint8Array(await source.arrayBuffer()), address: source.url || undefined };
  }
  if (source instanceof Blob) return { bytes: new Uint8Array(await source.arrayBuffer()), address: undefined };
  throw new ArtifactError("an artifact is read from an address, bytes, a Response or a Blob");
}

async function request(address: string | URL, headers: Record<string, string> = {}): Promise<Response> {
  try {
    return await fetch(address, { headers });
  } catch (error) {
    throw new ArtifactError(`${address} cannot be read: ${error}`);
  }
}

/** A constant beside the file: from the same origin, so that a file cannot reach further than its own server. */
async function fetchConstant({ location, offset, length, hash }: Constant, base: string | URL | undefined): Promise<Uint8Array> {
  if (base === undefined) throw new ArtifactError(`a constant is in ${location}: load the artifact from its address, or give a base`);
  if (!URL.canParse(location, base) || new URL(location, base).origin !== new URL(base).origin) {
    throw new ArtifactError(`a constant is in ${location}, which is on another server than the artifact`);
  }
  const response = await request(new URL(location, base), { Range: `bytes=${offset}-${offset + Math.max(length, 1) - 1}` });
  if (!response.ok) throw new ArtifactError(`${location} cannot be read: status ${response.status}`);
  const whole = new Uint8Array(await response.arrayBuffer());
  return checked(response.status === 206 ? whole.subarray(0, length) : whole.subarray(offset, offset + length), length, hash, location);
}
