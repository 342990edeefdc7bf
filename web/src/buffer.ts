/** Buffers: memory of the runtime's device that stays from run to run. */
import type { Device, Memory } from "./backends/device.js";
import { InvalidBuffer, Untold, reading, telling } from "./errors.js";
import { product } from "./formula.js";
import type { ElementsOf } from "./ports.js";
import type { RuntimeInfo } from "./runtime.js";
import type { Elements, Type } from "./types.js";
import { arrayOf, bytesIn, bytesOf, shownOf } from "./types.js";

const SHOWN = 6; // elements

/** @internal The devices that arrays come from. */
export const makers = new WeakMap<object, Pick<Device, "info">>();

/** @internal The elements that bytes of a device are. */
export function resultOf(device: Device, type: Type, bytes: Uint8Array): ReturnType<typeof arrayOf> {
  const found = arrayOf(type, bytes);
  makers.set(found, device);
  return found;
}

/** What computed a result, an array or a Buffer: the `info` of its runtime then. Undefined for what is no result. */
export const ranOn = (result: unknown): RuntimeInfo | undefined =>
  reading("the result", () => (result instanceof Buffer ? result["device"] : makers.get(result as object))?.info);

/** An array on the device. `runtime.buffer` makes it, and so does a run that is asked for buffers. */
export class Buffer<T extends Type = Type> {
  readonly length: number;
  /** What may be asked for: all; what runs and reads do that were started before `free`; nothing. */
  private state: 0 | 1 | 2 = 0;

  /** @internal */
  constructor(
    readonly dtype: T, // consoles of browsers show what is first
    readonly shape: readonly number[],
    private readonly place: Memory,
    private readonly device: Device,
    /** Runs work when what was asked for before has been handed over. */
    private readonly inTurn: <T>(work: () => T | Promise<T>) => Promise<T>,
  ) {
    this.length = product(shape);
  }

  /** Its type and shape, and on wasm the first elements as they are now. */
  toString(): string {
    const { device, dtype, length } = this;
    let head = this.usable ? "" : " freed";
    if (this.usable && device.look && device.lost === null) {
      const shown = Math.min(length, SHOWN);
      const elements = shownOf(dtype, device.look(this.place, shown * bytesOf(dtype)));
      head = ` [${elements.join(", ")}${length > shown ? ", ..." : ""}]`;
    }
    return `Buffer ${dtype}[${this.shape.join(", ")}]${head} on ${device.info?.device}`;
  }

  get nbytes(): number {
    return this.place.bytes;
  }

  /** The GPUBuffer that holds it, on WebGPU; it may be longer. */
  get gpuBuffer(): GPUBuffer | null {
    return this.device.backend === "webgpu" ? (this.memory().identity as GPUBuffer) : null;
  }

  /** The elements. Rejects with InvalidBuffer if the buffer was freed or lost. */
  async read(): Promise<ElementsOf<T>> {
    return resultOf(this.device, this.dtype, await this.bytes()) as ElementsOf<T>;
  }

  /** The elements as bytes, little-endian. Rejects with InvalidBuffer if the buffer was freed or lost. */
  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return telling(async () => {
      this.memory();
      const { found } = await this.inTurn(() => ({ found: this.device.read(this.memory(true)) }));
      return found;
    });
  }

  /** Copies elements in, from the element `offset` on; they are taken before this returns. */
  write(data: Elements, offset = 0): Promise<void> {
    const [bytes, at] = reading(
      "content",
      () => {
        const bytes = bytesIn("content", this.dtype, data).slice();
        const at = Number.isInteger(offset) ? offset * bytesOf(this.dtype) : NaN;
        this.memory();
        if (!(at >= 0 && at + bytes.length <= this.nbytes)) {
          throw new InvalidBuffer(`${bytes.length} bytes at offset ${at} do not fit a buffer of ${this.nbytes} bytes`);
        }
        return [bytes, at];
      },
      this.write,
    );
    return this.inTurn(() => writeTo(this.device, this.memory(true), bytes, at));
  }

  /** Gives the memory back. Runs that were started go on. */
  free(): void {
    if (this.state) return;
    this.state = 1;
    void this.inTurn(() => {
      this.state = 2;
      this.device.free(this.place);
    });
  }

  [Symbol.dispose](): void {
    this.free();
  }

  /** @internal Whether what is started now may use it, on a device that is there. */
  get usable(): boolean {
    return this.state === 0;
  }

  /** @internal Where it is, for what was `started` before it was freed, too. Raises InvalidBuffer. */
  memory(started = false, of: Device = this.device): Memory {
    if (this.state > +started) throw new InvalidBuffer("the buffer was freed");
    if (this.device.lost !== null) throw new InvalidBuffer(`the buffer is gone: ${this.device.lost}`);
    if (of !== this.device) throw new Untold("otherRuntime");
    return this.place;
  }
}

/** Writes bytes at any place; WebGPU writes whole words only. */
export async function writeTo(device: Device, memory: Memory, bytes: Uint8Array, at: number): Promise<void> {
  const end = at + bytes.length;
  if (at % 4 || (end % 4 && end < memory.bytes)) {
    const whole = await device.read(memory);
    whole.set(bytes, at);
    device.write(memory, whole, 0);
  } else device.write(memory, bytes, at);
}
