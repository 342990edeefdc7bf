/** Buffers: memory of the runtime's device that stays from run to run. */
import type { Device, Memory } from "./backends/device.js";
import { InvalidBuffer } from "./errors.js";
import { product } from "./formula.js";
import type { Elements, Type } from "./types.js";
import { arrayOf, bytesIn, bytesOf } from "./types.js";

/** An array on the device. `runtime.buffer` makes it, and so does a run that is asked for buffers. */
export class Buffer {
  readonly length: number;
  private freed = false;

  /** @internal */
  constructor(
    private readonly device: Device,
    /** Runs work when what was asked for before has been handed over. */
    private readonly inTurn: <T>(work: () => T | Promise<T>) => Promise<T>,
    private readonly place: Memory,
    readonly dtype: Type,
    readonly shape: readonly number[],
  ) {
    this.length = product(shape);
  }

  get nbytes(): number {
    return this.place.bytes;
  }

  /** The GPUBuffer that holds it, on WebGPU; it may be longer. */
  get gpuBuffer(): GPUBuffer | null {
    return this.device.backend === "webgpu" ? (this.memory().identity as GPUBuffer) : null;
  }

  /** The elements. Rejects with InvalidBuffer if the buffer was freed or lost. */
  async read(): Promise<Elements> {
    return arrayOf(this.dtype, await this.bytes());
  }

  /** The elements as bytes, little-endian. Rejects with InvalidBuffer if the buffer was freed or lost. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.memory();
    const { found } = await this.inTurn(() => ({ found: this.device.read(this.memory()) }));
    return found;
  }

  /** Copies elements in, from the element `offset` on; they are taken before this returns. */
  write(data: Elements, offset = 0): Promise<void> {
    const bytes = bytesIn("write", this.dtype, data).slice();
    const at = offset * bytesOf(this.dtype);
    this.memory();
    if (!Number.isInteger(offset) || offset < 0 || at + bytes.length > this.nbytes) {
      throw new InvalidBuffer(`${bytes.length} bytes at offset ${at} do not fit a buffer of ${this.nbytes} bytes`);
    }
    if (at % 4) throw new InvalidBuffer(`the offset ${offset} is ${at} bytes: it has to be a multiple of 4`);
    return this.inTurn(() => this.device.write(this.memory(), bytes, at));
  }

  /** Gives the memory back. Runs that were started go on. */
  free(): void {
    if (this.freed) return;
    this.freed = true;
    void this.inTurn(() => this.device.free(this.place));
  }

  [Symbol.dispose](): void {
    this.free();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.free();
  }

  /** @internal Raises InvalidBuffer. */
  memory(of: Device = this.device): Memory {
    if (this.freed) throw new InvalidBuffer("the buffer was freed");
    if (this.device.lost !== null) throw new InvalidBuffer(`the buffer is gone: ${this.device.lost}`);
    if (of !== this.device) throw new InvalidBuffer("the buffer belongs to another runtime");
    return this.place;
  }
}
