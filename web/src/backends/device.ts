/** What a run needs of a device. */
import { Untold } from "../errors.js";
import type { BoundRun, Ends, Input } from "../program.js";
import type { RuntimeInfo } from "../runtime.js";
import type { Artifact, Backend, Kernel, Launch, Triple } from "../plan.js";

/** GPUBufferUsage; MAP_READ is GPUMapMode.READ, too. Not all places with WebGPU have them as globals. */
export const USAGE = { MAP_READ: 1, COPY_SRC: 4, COPY_DST: 8, UNIFORM: 64, STORAGE: 128, QUERY_RESOLVE: 512 };

/** Memory of a device: `bytes` of it belong to who asked for it. */
export interface Memory {
  readonly bytes: number;
  /** What it is a part of; two memories share bytes only if this is the same. */
  readonly identity: unknown;
}

/** A launch and all its numbers. A scalar that is a memory is its first bytes when the launch runs. */
export interface Job {
  readonly file: Artifact;
  /** Of the call around it. */
  readonly program: number;
  readonly launch: Launch;
  readonly kernel: Kernel;
  readonly grid: Triple<number>;
  readonly lanes: Triple<number>;
  readonly scalars: readonly (bigint | Memory)[];
  readonly memories: readonly Memory[];
}

export const blocksOf = ({ grid }: Job): number => grid[0] * grid[1] * grid[2];

/** A run. Steps run in order; a promise is to be waited for before the next one. */
export interface Run {
  launch(job: Job): void | Promise<void>;
  copy(target: Memory, source: Memory): void | Promise<void>;
  /**
   * The bytes of memories when all is done. All is handed over when this returns. Rejects with the first fault. More may
   * follow.
   */
  finish(reads: readonly Memory[]): Promise<Uint8Array<ArrayBuffer>[]>;
}

/** Raises ExecutionError if the run was ended. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new Untold("cancelled");
}

/** How many threads share a launch that is long enough, and the reason. */
export interface Threads {
  readonly number: number;
  readonly reason: string;
}

export interface Device {
  readonly backend: Backend;
  /** What the runtime on it says of it. */
  info?: RuntimeInfo;
  /** On wasm. */
  readonly threads?: Threads;
  /** On WebGPU. */
  readonly gpu?: GPUDevice;
  /** Kept from run to run. */
  readonly classMemory: Memory;
  readonly counts: Counts;
  /** Rounds of the shortest loop that a lane of a GPU takes for a second of a launch: in half of it. */
  speed?: number;
  /** Asked now and then: whether what runs is to end with Cancelled. */
  interrupted?: () => boolean;
  /** Why the device is gone; null while it is there. */
  readonly lost: string | null;
  /** Compiles the kernels of an artifact that launches run. Rejects with CompileError, LaunchError or ArtifactError. */
  prepare(file: Artifact, launches: readonly Launch[]): Promise<void>;
  /** Memory of zeros, or with these bytes, as many of them; zeros from the next run on, if it is used `soon`. Raises AllocationFailed. */
  allocate(bytes: number, data?: Uint8Array, soon?: boolean): Memory;
  /** The caller's own memory, if it is a kind that the device knows. Raises InvalidBuffer. */
  adopt(value: unknown, bytes?: number): Memory | null;
  free(memory: Memory): void;
  /** The first bytes of it as they are now, where that takes no waiting. */
  look?(memory: Memory, bytes: number): Uint8Array;
  write(memory: Memory, data: Uint8Array, offset: number): void;
  read(memory: Memory): Promise<Uint8Array<ArrayBuffer>>;
  /** Ends with StepLimit after `seconds`, where the device can. */
  run(steps: number, signal?: AbortSignal, seconds?: number): Run;
  /** Keeps a run that was done for those that are like it, where that is worth it. */
  keep?(bound: BoundRun, args: Record<string, Input>, ends: Ends): Replay | null;
  /** Ends it; `why` is why it is lost then. */
  close(why: string): void;
}

/** A run that is kept. */
export interface Replay {
  /** Does a run that is like it: gives the promise of its results, else null. */
  run(args: Record<string, unknown>, ends: Ends): Promise<unknown> | null;
  /** Whether a run is like it, which then has its arguments: `go` does it. Raises ExecutionError, untold. */
  fits(args: Record<string, unknown>, ends: Ends): boolean;
  go(): void;
  /** Gives its memory back. */
  free(): void;
}

export interface Counts {
  /** Bytes of buffers, temporaries and constants that are in use. */
  liveBytes: number;
  compiles: number;
  launches: number;
  submits: number;
  /** Of the last run: by the clock of the GPU where it has one, else of this machine, which waits for wasm only. */
  milliseconds: number | null;
}

export const noCounts = (): Counts => ({ liveBytes: 0, compiles: 0, launches: 0, submits: 0, milliseconds: null });
