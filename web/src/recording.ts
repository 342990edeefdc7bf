/** Runs that are recorded: to be done again and again as one, or into an encoder of the caller's. */
import type { Device, Job, Memory } from "./backends/device.js";
import { USAGE, checkSignal } from "./backends/device.js";
import type { Command, Ends, GpuDevice, Laid, Place } from "./backends/webgpu.js";
import { partsOf } from "./backends/webgpu.js";
import { BackendUnavailable, LaunchError, Untold, optionsOf, reading, telling } from "./errors.js";
import { Program } from "./internal.js";
import type { BoundRun, Input, RunOptions } from "./program.js";
import type { Runtime } from "./runtime.js";

type Limits = Pick<Ends, "steps" | "seconds">;
export type Recorded = readonly [program: Program, args: Record<string, Input>];

/** What is laid out: a run with its arguments, when its code is there, a copy, or memory that is cleared. */
export type Piece = () => Promise<BoundRun | CopyOf | { readonly cleared: Place }>;
export type CopyOf = { readonly target: Place; readonly source: Place };

/** Keeps a buffer from serving others until the function that this gives is called. */
function lend({ lent, give }: GpuDevice, buffer: GPUBuffer): () => void {
  const state = lent.get(buffer) ?? { times: 0, free: false };
  state.times++;
  lent.set(buffer, state);
  return () => {
    if (--state.times) return;
    lent.delete(buffer);
    if (state.free) give(buffer);
  };
}

/** Runs laid out on a GPU. Their memory serves nobody else until they are freed. */
export class Layout {
  readonly bounds: BoundRun[] = [];
  laid!: Laid;
  /** Of which piece each launch is. */
  private readonly pieces: number[] = [];
  private readonly cleared: Place[] = [];
  private readonly returns: (() => void)[] = [];

  private constructor(readonly device: GpuDevice) {}

  static async of(device: Device, pieces: readonly Piece[], ends: Ends): Promise<Layout> {
    if (device.backend !== "webgpu") throw new BackendUnavailable("webgpu", "the runtime is on wasm, which has no encoders");
    const layout = new Layout(device as GpuDevice);
    try {
      await layout.fill(pieces, ends);
    } catch (error) {
      layout.free();
      throw error;
    }
    return layout;
  }

  private async fill(pieces: readonly Piece[], ends: Ends): Promise<void> {
    const { device } = this;
    const commands: Command[] = [];
    let number = 0;
    const launch = async (job: Job): Promise<void> => {
      const parts = partsOf(job, await device.choose(job, ends).code);
      commands.push(...parts);
      this.pieces.push(...parts.map(() => number));
    };
    const copy = (target: Memory, source: Memory): void => void commands.push({ target: target as Place, source: source as Place });
    for (const piece of pieces) {
      const bound = await piece();
      if (/* @__KEY__ */ "cleared" in bound) this.cleared.push(bound.cleared);
      else if (/* @__KEY__ */ "target" in bound) commands.push(bound);
      else {
        this.bounds.push(bound);
        await bound.record({ launch, copy, finish: async () => [] });
      }
      number++;
    }
    device.settle(); // what follows may be submitted by others
    this.laid = device.lay(commands, ends);
    const { given, status, scratch, used } = this.laid;
    for (const buffer of new Set([given, status.buffer, scratch.buffer, ...used.map(({ buffer }) => buffer)])) {
      this.returns.push(lend(device, buffer));
    }
  }

  /** Does all of it. Rejects with the first fault, of the piece that `blame` is told. */
  async replay(ends: Ends, blame: (piece: number) => void = () => {}): Promise<void> {
    const { device, laid } = this;
    device.counts.launches += laid.jobs.length;
    try {
      await device.replay(laid, ends, [], (encoder) => {
        // Temporaries and cleared memory, as runs find them.
        for (const { buffer } of this.cleared) encoder.clearBuffer(buffer);
        for (const { temporaries } of this.bounds) for (const memory of temporaries) encoder.clearBuffer((memory as Place).buffer);
      });
    } catch (error) {
      if (error instanceof Untold && error.text === "gpuFault") blame(this.pieces[laid.jobs.indexOf(error.given[0] as never)]!);
      throw error;
    }
  }

  free(): void {
    if (this.laid) this.device.release(this.laid);
    for (const bound of this.bounds.splice(0)) bound.release();
    for (const back of this.returns.splice(0)) back();
  }
}

/** A run as a piece of a layout. */
const pieceOf =
  (device: Device, [program, args]: Recorded, ends: Ends): Piece =>
  async () => {
    await program.prepare(device);
    return program.bind(device, args, { ...ends, output: "buffer" });
  };

/** Runs in order, to be done again and again with one call: on WebGPU in one submit. `runtime.record` makes it. */
export class Recording {
  private layout: Layout | null = null;

  private constructor(
    private readonly runtime: Runtime,
    private runs: readonly Recorded[],
    private readonly limits: Limits,
  ) {}

  /** @internal In the runtime's turn. */
  static async of(runtime: Runtime, runs: readonly Recorded[], { steps, seconds }: Limits): Promise<Recording> {
    for (const [program, args] of runs) {
      const isProgram = reading("the runs", () => (program as unknown) instanceof Program);
      if (!isProgram) throw new LaunchError("a run to record is [program, arguments]");
      if (program.runtime !== runtime) throw new Untold("otherRuntime");
      for (const { name, access } of program.ports) {
        const value = args[name];
        const there = reading("the arguments", () => value instanceof Object && !Array.isArray(value) && !ArrayBuffer.isView(value) && !("data" in value));
        if (access !== "scalar" && !there) throw new LaunchError(`${name}: a recording takes Buffers, which it reads and writes in place`);
      }
    }
    const recording = new Recording(runtime, runs, { steps, seconds });
    const device = await runtime.device();
    if (device.backend === "webgpu") {
      const ends = { steps, seconds, signal: undefined };
      const pieces = runs.map((run) => pieceOf(device, run, ends));
      recording.layout = await Layout.of(device, pieces, ends);
    }
    return recording;
  }

  /**
   * Does the runs, with the elements that their Buffers have now. Rejects with the first fault, and as `run` of a program
   * does. Launches on WebGPU are not divided: what may be long is better run by itself.
   */
  replay(options: Pick<RunOptions, "signal"> = {}): Promise<void> {
    return telling(async () => {
      const { signal } = optionsOf(options, "signal");
      reading("signal", () => {
        if (signal && typeof signal.aborted !== "boolean") throw new Untold("option", "signal", signal);
      });
      checkSignal(signal);
      reading("the arguments", () => {
        for (const [, args] of this.runs) for (const value of Object.values(args)) (value as { memory?(): unknown }).memory?.(); // raises
      });
      const { layout, limits } = this;
      if (!layout) {
        await Promise.all(this.runs.map(([program, args]) => program.run(args, { ...limits, ...(signal && { signal }) })));
        return;
      }
      const { done } = await this.runtime.inTurn(async () => {
        if ((await this.runtime.device()) !== layout.device) throw new BackendUnavailable("webgpu", "the device of the recording was lost");
        return this.runs.length ? { done: layout.replay({ ...limits, signal }) } : {};
      });
      await done;
    });
  }

  /** Gives its memory back; `replay` does nothing any more. */
  free(): void {
    this.runs = [];
    const { layout } = this;
    this.layout = null; // what is given back twice would serve two
    if (layout) void this.runtime.inTurn(() => layout.free());
  }

  [Symbol.dispose](): void {
    this.free();
  }
}

/** A run in an encoder of the caller's. */
export class Encoded {
  private outcome: Promise<void> | undefined;

  /** @internal */
  constructor(
    private readonly layout: Layout,
    private readonly staging: GPUBuffer,
    private readonly ends: Ends,
    /** What `run` would give with `output: "buffer"`: Buffers and GPUBuffers, written when the caller has submitted. */
    readonly outputs: any,
  ) {}

  /**
   * How it went, to be asked when the encoder was submitted: waits for the GPU, rejects with an ExecutionError if a lane had
   * a fault, and gives back the memory of the run. Until then its Buffers' memory serves nobody else, freed or not.
   */
  done(): Promise<void> {
    return (this.outcome ??= telling(async () => {
      const { layout, staging, ends } = this;
      const { device, laid } = layout;
      try {
        await device.wait(staging.mapAsync(USAGE.MAP_READ), laid.used, ends);
        const states = new Uint8Array(staging.getMappedRange().slice(0));
        staging.unmap();
        device.check(laid, states, ends);
      } finally {
        device.give(staging);
        layout.free();
      }
    }));
  }
}

/** @internal In the runtime's turn. */
export async function encode(runtime: Runtime, encoder: GPUCommandEncoder, run: Recorded, limits: Limits): Promise<Encoded> {
  const ends = { ...limits, signal: undefined };
  const opened = await runtime.device();
  const layout = await Layout.of(opened, [pieceOf(opened, run, ends)], ends);
  const { device, laid } = layout;
  const { jobs, status } = laid;
  const staging = device.guard(() => device.take(Math.max(status.bytes, 4), USAGE.MAP_READ | USAGE.COPY_DST).buffer);
  device.tell(encoder, laid, null);
  if (status.bytes) encoder.copyBufferToBuffer(status.buffer, 0, staging, 0, status.bytes);
  device.counts.launches += jobs.length;
  return new Encoded(layout, staging, ends, layout.bounds[0]!.results([]));
}
