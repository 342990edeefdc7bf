/** Programs that were loaded, and their runs. */
import type { Device, Job, Memory, Replay, Run } from "./backends/device.js";
import { checkSignal } from "./backends/device.js";
import { Buffer, resultOf } from "./buffer.js";
import { Untold, optionsOf, reading, telling } from "./errors.js";
import type { Formula, Values } from "./formula.js";
import { evaluate, product, text, variableOf } from "./formula.js";
import type { Artifact, Launch, Port, Step, Triple } from "./plan.js";
import { StepKind, buffersOf, describe, lanesOf, reached } from "./plan.js";
import type { Encoded } from "./recording.js";
import type { Runtime } from "./runtime.js";
import type { Arguments, Exactly, Ports, Results } from "./ports.js";
import type { Elements, Type } from "./types.js";
import { bytesIn, bytesOf, integerOf, isFloat, isList, isShape, scalarBits } from "./types.js";
import type { Around } from "./values.js";

const MOST_STEPS = 2 ** 20;
const MOST_BYTES = 2 ** 48;
const DEFAULT_STEPS = 2 ** 26;
const DEFAULT_SECONDS = 10;
const MOST_KEPT = 8; // runs of a program
const MOST_LAUNCHES = 16; // of a run that is kept
const LOOK = 4000; // work of steps between two looks at the clock: a millisecond, or 50 where all of it is dear
const BREATH_MS = 50; // after as many without a pause the page has its turn

/** An array of more than one dimension that says its shape. */
export interface ShapedArray {
  data: Elements | Buffer | GPUBuffer;
  shape: readonly number[];
}

export type Input = number | bigint | Elements | ShapedArray | Buffer | GPUBuffer;
export type Output = Elements | Buffer | GPUBuffer;

export interface RunOptions {
  /** Ends the run between its launches, on wasm also between blocks, with an ExecutionError of kind Cancelled. */
  signal?: AbortSignal;
  /** How long it may take, by default 10; then it ends with StepLimit, on wasm also within a loop. Infinity is allowed. */
  seconds?: number;
  /** How often a lane may go around loops. By default 2^26. */
  steps?: number;
  /** Gets each line that kernels print, where a file has such, when all has run. By default console.log. */
  print?: (line: string) => void;
  /** What written arrays are given as, other than those for which a Buffer was passed. By default "array". */
  output?: "array" | "buffer";
}

const OPTIONS: (keyof RunOptions)[] = ["signal", "seconds", "steps", "output", "print"];

/** How far a run may go, and what it gives. */
export type Ends = Required<Pick<RunOptions, "steps" | "seconds" | "output">>;
/** What ends the steps of a run, and what it gives. */
type RunLimits = Omit<Ends, "steps"> & { signal: AbortSignal | undefined; print?: RunOptions["print"] };

/** An array of a run. `bytes` are data to copy in, `memory` is there already, `shape` is what the arguments say. */
export interface ArrayArgument {
  readonly port: Port;
  readonly value?: Input;
  readonly bytes?: Uint8Array | undefined;
  readonly memory?: Memory | undefined;
  readonly elements?: number;
  readonly shape?: readonly number[] | undefined;
  /** The shape that it has. */
  lengths: readonly number[];
  /** Where it is on the device. */
  place: Memory;
}

/**
 * A program on a runtime: `runtime.load` makes it. Its ports are those that `hologram-web types` writes; without them any
 * arguments are taken, and what is wrong with them a run says.
 */
export class Program<P extends Ports = any> {
  /** Never there: by it the compiler tells programs of other ports apart. */
  declare readonly typed?: P;

  /** Constants on a device. */
  private constants: { device: Device; memories: Memory[] } | null = null;
  /** Runs that serve again, the last one first. */
  private kept: readonly Replay[] = [];

  /** @internal */
  constructor(
    /** @internal */
    readonly runtime: Runtime,
    private readonly file: Artifact,
    /** Makes the memory of constants, where some are outside the file. */
    private readonly filler: ((device: Device) => Promise<Memory[]>) | undefined,
  ) {}

  get name(): string {
    return this.metadata["name"] ?? "";
  }

  get metadata(): Readonly<Record<string, string>> {
    return this.file.metadata;
  }

  /** What a run takes, in order. */
  get ports(): readonly { name: string; dtype: Type; access: Port["access"]; shape: readonly string[] }[] {
    return this.file.ports.map(({ name, type, access, shape }) => ({ name, dtype: type, access, shape: shape.map(text) }));
  }

  toString(): string {
    return `${this.name || "program"}(${this.file.ports.map(describe).join(", ")})`;
  }

  /**
   * Runs it with an argument for each port, and gives the written arrays: one as it is, several by name. Arrays that are
   * only written may be left out where the other arguments give their shape.
   *
   * Typed arrays are copied in, and results are new ones. Buffers and GPUBuffers that are written are written in place.
   * Rejects with LaunchError, InvalidBuffer, AllocationFailed, ExecutionError, BackendUnavailable (a lost device).
   */
  run<const A extends Arguments<P>, const O extends RunOptions>(args: Exactly<P, A>, options: O = {} as O): Promise<Results<P, A, O>> {
    if (this.kept.length && !this.runtime.waiting) {
      try {
        for (const name in options) if (!OPTIONS.includes(name as keyof RunOptions)) return this.anew(args, options);
        const { signal, steps = DEFAULT_STEPS, seconds = DEFAULT_SECONDS, output = "array" } = options;
        const found = signal === undefined ? this.again(args, { steps, seconds, output }) : null; // none fires within a call
        if (found) return found;
      } catch {
        // What is wrong with the arguments is found again, and told.
      }
    }
    return this.anew(args, options);
  }

  /** The results of a run like one that is kept. */
  private again(args: Record<string, Input>, ends: Ends): Promise<any> | null {
    for (const kept of this.kept) {
      const found = kept.run(args, ends);
      if (found) return found;
    }
    return null;
  }

  private anew(args: Record<string, Input>, options: RunOptions): Promise<any> {
    return telling(async () => {
      const { signal, print, ...ends } = endsOf(options, ...OPTIONS);
      const given = argumentsOf(args);
      const results = await this.runtime.inTurn(async () => {
        const device = await this.runtime.device();
        await this.prepare(device);
        const again = signal ? null : this.again(given, ends);
        if (again) return () => again;
        const bound = this.bind(device, given, { ...ends, signal, print });
        const found = await start(bound, device.run(ends.steps, signal, ends.seconds));
        const kept = signal ? null : device.keep?.(bound, given, ends);
        if (kept) this.keep([kept, ...this.kept].slice(0, MOST_KEPT));
        return found;
      });
      return results();
    });
  }

  /**
   * Records a run into an encoder of the GPUDevice that the runtime is on; the caller submits it, once, and asks `done` how
   * it went. Rejects as `run` does, and with BackendUnavailable on wasm.
   */
  encode(encoder: GPUCommandEncoder, args: Record<string, Input>, options: Pick<RunOptions, "steps" | "seconds"> = {}): Promise<Encoded> {
    return telling(async () => {
      const ends = { ...endsOf(options, "steps", "seconds"), output: "buffer" as const };
      const given = argumentsOf(args);
      return this.runtime.inTurn(async () => (await import("./recording.js")).encode(this.runtime, encoder, [this, given], ends));
    });
  }

  /** @internal */
  bind(device: Device, args: Record<string, Input>, ends: RunLimits): BoundRun {
    return bindRun(device, this.runtime, this.file, this.constants!.memories, args, ends);
  }

  /** Keeps these runs, but not many. */
  private keep(runs: readonly Replay[]): void {
    for (const run of this.kept) if (!runs.includes(run)) run.free();
    this.kept = runs;
  }

  /** @internal Compiles the code for a device. */
  async compile(device: Device): Promise<void> {
    return compileFor(device, this.file);
  }

  /** @internal Compiles the code for a device and puts the constants there. */
  async prepare(device: Device): Promise<void> {
    await this.compile(device);
    if (this.constants?.device !== device) await this.fill(device);
  }

  /** @internal Puts the constants onto a device. */
  async fill(device: Device): Promise<void> {
    const { filler, file } = this;
    this.constants = { device, memories: filler ? await filler(device) : file.blobs.map(({ data }) => device.allocate(data!.length, data!)) };
  }

  /** Gives back the memory of its constants; the next run takes it again. */
  dispose(): void {
    const { constants } = this;
    this.constants = null;
    if (!constants) return;
    void this.runtime.inTurn(() => {
      this.keep([]);
      constants.memories.forEach((memory) => constants.device.free(memory));
    });
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** @internal Options, checked, with what they are by default. */
export function endsOf(options: RunOptions, ...names: (keyof RunOptions)[]): Ends & { signal: AbortSignal | undefined; print: RunOptions["print"] } {
  const { signal, print, steps = DEFAULT_STEPS, seconds = DEFAULT_SECONDS, output = "array" } = optionsOf(options, ...names);
  const check = (good: boolean, name: keyof RunOptions, value: unknown) => {
    if (!good) throw new Untold("option", name, value);
  };
  check(Number.isSafeInteger(steps) && steps > 0, "steps", steps);
  check(typeof seconds === "number" && seconds > 0, "seconds", seconds);
  check(["array", "buffer"].includes(output), "output", output);
  check(!print || typeof print === "function", "print", print);
  reading("signal", () => check(!signal || typeof signal.aborted === "boolean", "signal", signal));
  checkSignal(signal);
  return { signal, print, steps, seconds, output };
}

/** @internal Arguments as they are now. */
export const argumentsOf = (args: Record<string, Input>): Record<string, Input> =>
  reading("the arguments", () => {
    const found: Record<string, any> = { __proto__: null, ...args };
    for (const name in found) found[name] = taken(found[name]);
    return found;
  });

/** @internal A run with its arguments. */
export interface BoundRun {
  /** Hands all work to a run; waits only where the device says so. */
  record(run: Run): Promise<void>;
  /** What the results are made of, in order. */
  reads(): Memory[];
  /** The results, made of what was read. */
  results(read: Uint8Array<ArrayBuffer>[]): any;
  /** Gives back the memory of the run, but for results. */
  release(): void;
  readonly file: Artifact;
  readonly arrays: readonly ArrayArgument[];
  /** When it was recorded: its temporaries, and its launches if they are all that it does, and few. */
  readonly temporaries: readonly Memory[];
  readonly jobs: readonly Job[] | null;
}

/** What computes values: a bundle of its own, which few plans need. */
let evaluator: typeof import("./values.js") | undefined;

/** What makes lines of prints: the same. */
let printer: typeof import("./prints.js") | undefined;

/** Copies any typed array; Node's Buffer has another one, which copies nothing. */
const { slice } = Uint8Array.prototype;

/** An argument as it is now: what the caller does to it while the run waits for its turn does not matter. */
function taken(value: any): any {
  if (value instanceof Buffer) value.memory();
  else if (isList(value)) return [...value];
  else if (ArrayBuffer.isView(value)) return slice.call(value);
  else if (value?.data) return { data: taken(value.data), shape: taken(value.shape) };
  return value;
}

/** Hands all work to the device; gives what waits for the results. */
async function start(bound: BoundRun, run: Run): Promise<() => Promise<any>> {
  try {
    try {
      await bound.record(run);
    } catch (error) {
      await run.finish([]); // what ran before may have had a fault of its own, which is the first
      throw error;
    }
    const done = run.finish(bound.reads());
    done.catch(() => {}); // the results raise it
    return async () => {
      try {
        return bound.results(await done);
      } finally {
        bound.release();
      }
    };
  } catch (error) {
    bound.release();
    throw error;
  }
}

/** @internal Compiles the code of a file for a device, and loads what its steps compute with. */
export async function compileFor(device: Device, file: Artifact): Promise<void> {
  if (file.computed) {
    evaluator ??= await import("./values.js");
    evaluator.check(file);
  }
  if (file.metadata["prints"]) printer ??= await import("./prints.js");
  const launches = reached(file.steps, device.backend).filter(({ step }) => step === StepKind.Launch) as Launch[];
  return device.prepare(file, launches);
}

/** @internal Binds the arguments. Raises LaunchError, untold, and InvalidBuffer. */
export function bindRun(
  device: Device,
  runtime: Runtime,
  file: Artifact,
  constants: readonly Memory[],
  args: Record<string, Input>,
  { seconds, output, signal, print }: RunLimits,
): BoundRun {
  const { ports } = file;
  const values: Values = new Map();
  const computation = file.computed && new evaluator!.Computation(file);
  const scalars: bigint[] = []; // by the number of the port
  const arrays: ArrayArgument[] = [];
  const borrowed = new Set<Memory>();
  let memories: Memory[] = [];
  let temporaries: Memory[] = [];
  const logs = printer?.logsOf(file, device.backend) ?? [];
  let jobs: Job[] | null = logs[0] ? null : [];
  let left = MOST_STEPS;
  let work = 0; // since the last look at the clock: parts of formulas, kilobytes that are copied, and 8 for a step
  let breath = performance.now() + BREATH_MS;
  const until = breath + 1000 * seconds;

  // Arguments

  function bind(): void {
    for (const key in args) if (!ports.some(({ name }) => name === key)) throw new Untold("unknown", key, ports);
    ports.forEach((port, number) => {
      const { name, type, access } = port;
      const text = file.metadata["default." + name];
      if (text && !(name in args)) args[name] = +text; // as if it was given
      const value = args[name];
      if (value === undefined && access !== "write") throw new Untold("missing", port, ports);
      if (access !== "scalar") {
        arrays.push({ port, lengths: [], place: device.classMemory, ...(value !== undefined && give(port, value)) });
        return;
      }
      const bits = (scalars[number] = scalarBits(name, type, value));
      if (!isFloat(type)) values.set(name, Number(integerOf(type, bits)));
    });
    for (const { port, shape, elements } of arrays) {
      port.shape.forEach((formula, k) => {
        const variable = variableOf(formula)!; // what is none sets nothing that is looked for
        const length = shape ? shape[k]! : elements! / product(port.shape.slice(1).map(Number)); // NaN of other formulas
        if (length >= 0 && !values.has(variable)) values.set(variable, length);
      });
    }
    for (const array of arrays) array.lengths = lengthsOf(array);
  }

  function give(port: Port, value: Input): Partial<ArrayArgument> {
    let { data: array = value as ShapedArray["data"], shape } = (value ?? {}) as Partial<ShapedArray>;
    let bytes: Uint8Array | undefined;
    let memory: Memory | undefined;
    let elements: number;
    if (array instanceof Buffer) {
      if (array.dtype !== port.type) throw new Untold("otherType", port, array.dtype);
      memory = array.memory(true, device);
      elements = array.length;
      shape ??= array.shape;
    } else {
      if (ArrayBuffer.isView(array) || isList(array)) bytes = bytesIn(port.name, port.type, array);
      else memory = device.adopt(array) ?? undefined;
      elements = Math.floor((bytes?.length ?? memory?.bytes)! / bytesOf(port.type));
      if (elements !== elements) throw new Untold("noArray", port, device.backend, array);
    }
    if (shape != null && (!isShape(shape) || product(shape) !== elements)) throw new Untold("otherLength", port, elements, shape);
    if (shape && shape.length !== port.shape.length) throw new Untold("otherRank", port, shape);
    return { value: array, bytes, memory, elements, shape };
  }

  function lengthsOf({ port, value, elements, shape }: ArrayArgument): number[] {
    const open = port.shape.map(variableOf).some((name) => name && !values.has(name));
    if (value !== undefined && !shape && open) throw new Untold("noShape", port);
    const wanted = port.shape.map(numberOf);
    const count = product(wanted);
    const fits = shape ? String(shape) === String(wanted) : (elements ?? count) === count;
    if (!fits || !isShape(wanted)) throw new Untold("otherShape", port, wanted, shape ?? elements ?? wanted);
    if (count * bytesOf(port.type) >= MOST_BYTES) throw new Untold("tooLarge", port, wanted);
    return wanted;
  }

  const numberOf = (formula: Formula): number => {
    work += formula.length;
    return evaluate(formula, values);
  };
  const triple = (formulas: Triple<Formula>) => formulas.map(numberOf) as [number, number, number];

  // Memory

  function borrow(bytes: number, data?: Uint8Array): Memory {
    const memory = device.allocate(bytes, data, true);
    borrowed.add(memory);
    return memory;
  }

  function release(): void {
    for (const memory of borrowed) device.free(memory);
    borrowed.clear();
  }

  function allocate(run: Run): void {
    for (const array of arrays) {
      const { port, value, bytes, memory, lengths } = array;
      const size = product(lengths, bytesOf(port.type));
      array.place = !memory ? borrow(size, bytes) : memory.bytes === size ? memory : device.adopt(value, size)!;
    }
    const inputs = arrays.map((array) => {
      const { port, place } = array;
      const writer = arrays.find((other) => other !== array && other.port.access !== "read" && other.place.identity === place.identity);
      if (!writer) return place;
      if (port.access !== "read") throw new Untold("oneBuffer", port, writer.port);
      const copied = borrow(place.bytes);
      jobs = null;
      void run.copy(copied, place);
      return copied;
    });
    const named = buffersOf(file.steps, device.backend);
    temporaries = file.temporaries.map(({ name, size }, number) => {
      const bytes = named.includes(arrays.length + number) ? numberOf(size) : 0; // what only the other backend's steps name
      if (bytes < 0 || bytes >= MOST_BYTES) throw new Untold("temporary", name, bytes, size);
      return borrow(bytes);
    });
    memories = [...inputs, ...temporaries, ...file.constants.map(({ blob }) => constants[blob]!), device.classMemory];
  }

  // Steps

  /** Counts a step. Those that launch nothing end by the clock, too, let the page live and look at the signal. */
  function count(): void | Promise<void> {
    if (--left < 0) throw new Untold("stepLimit", MOST_STEPS);
    if ((work += 8) < LOOK) return;
    work = 0;
    const time = performance.now();
    if (time > until) throw new Untold("timeIsUp", seconds);
    if (time > breath) return pause();
  }

  async function pause(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve));
    breath = performance.now() + BREATH_MS;
    if (signal?.aborted || device.interrupted?.()) throw new Untold("cancelled");
  }

  /** Runs steps; waits only where the device says so. Gives how many nests and loops further out they go on at, or -1. */
  async function walk(run: Run, list: readonly Step[], program: number): Promise<number> {
    for (const step of list) {
      let wait = count();
      if (wait) await wait;
      let levels = -1;
      switch (step.step) {
        case StepKind.Repeat: {
          const rounds = numberOf(step.count);
          for (let round = 0; round < rounds && levels < 0; round++) {
            wait = count();
            if (wait) await wait;
            values.set(step.variable, round);
            levels = await walk(run, step.body, program);
          }
          values.delete(step.variable);
          break;
        }
        case StepKind.Call:
          await walk(run, step.body, step.program);
          break;
        case StepKind.Launch:
        case StepKind.Copy:
          wait = step.step === StepKind.Launch ? launch(run, step, program) : copy(run, ...(step.memories.map((number) => memories[number]) as [Memory, Memory]));
          if (wait) await wait;
          break;
        default:
          if (step.step > StepKind.Target) jobs = null; // what runs may depend on values; before, on formulas alone
          levels = await computation!.step(step, aroundOf(run, program));
      }
      if (levels >= 0) return levels;
    }
    return -1;
  }

  const aroundOf = (run: Run, program: number): Around => ({
    program,
    backend: device.backend,
    values,
    scalars,
    number: numberOf,
    count,
    walk: (list) => walk(run, list, program),
    read: (buffer) => {
      work += memories[buffer]!.bytes / 1000;
      return run.finish([memories[buffer]!]);
    },
  });

  function copy(run: Run, target: Memory, source: Memory): void | Promise<void> {
    if (Math.ceil(target.bytes / 4) !== Math.ceil(source.bytes / 4)) throw new Untold("copy", source.bytes, target.bytes);
    jobs = null;
    work += target.bytes / 1000;
    return run.copy(target, source);
  }

  function launch(run: Run, step: Launch, program: number): void | Promise<void> {
    const kernel = file.kernels[step.kernel]!;
    const [grid, lanes] = [triple(step.grid), triple(step.lanes)];
    const fits = [...grid, ...lanes].every((number) => number >>> 0 === number);
    if (!fits || lanes.some((length, k) => length > grid[k]! * kernel.block[k]!)) throw new Untold("lanes", lanes, grid, kernel.block);
    const total = product(grid, lanesOf(kernel));
    // Lanes of the last block that are off, as where lanes are rounded up to whole blocks, do not count.
    const last = lanes.map((length, k) => (length - 1) % kernel.block[k]!);
    const off = lanesOf(kernel) - 1 - last[0]! - kernel.block[0]! * (last[1]! + kernel.block[1]! * last[2]!);
    if (total - off >= 2 ** 31) throw new Untold("manyLanes", total);
    if (lanes.includes(0)) return; // as where the grid has none
    const given = step.scalars.map((argument, k): bigint | Memory => {
      if (argument.kind === 0) return argument.bits;
      if (argument.kind === 1) return scalars[argument.index]!;
      if (argument.kind === 3) return memories[argument.index]!;
      const { name, type } = kernel.scalars[k]!;
      if (argument.kind === 6) return computation!.of(aroundOf(run, program), argument, type, name);
      return scalarBits(name, type, numberOf(file.formulas[argument.index]!));
    });
    const job = { file, program, launch: step, kernel, grid, lanes, scalars: given, memories: step.memories.map((number) => memories[number]!) };
    if (jobs && (jobs.push(job) > MOST_LAUNCHES || step.scalars.some(({ kind }) => kind === 3))) jobs = null;
    return run.launch(job);
  }

  // Results

  bind();
  const written = arrays.filter(({ port }) => port.access !== "read");
  return {
    record: async (run) => {
      allocate(run);
      await walk(run, file.steps, -1);
    },
    reads: () => [...written.flatMap(({ memory, place }) => (memory || output !== "array" ? [] : [place])), ...logs.map(([at]) => temporaries[at]!)],
    results: (read) => {
      const found = written.map(({ port, memory, value, place, lengths }): [string, Output] => {
        if (memory) return [port.name, value as Output];
        if (output === "array") return [port.name, resultOf(device, port.type, read.shift()!)];
        borrowed.delete(place);
        return [port.name, runtime.adopt(device, place, port.type, lengths)];
      });
      printer?.show(logs, read, print);
      return found.length === 1 ? found[0]![1] : Object.fromEntries(found);
    },
    release,
    file,
    arrays,
    get temporaries() {
      return temporaries;
    },
    get jobs() {
      return jobs;
    },
  };
}
