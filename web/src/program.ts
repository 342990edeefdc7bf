/** Programs that were loaded, and their runs. */
import type { Device, Job, Memory, Run } from "./backends/device.js";
import { checkSignal } from "./backends/wasm.js";
import { Buffer } from "./buffer.js";
import { ExecutionError, InvalidBuffer, LaunchError } from "./errors.js";
import { alignmentOf, misaligned, outside } from "./faults.js";
import type { Formula, Values } from "./formula.js";
import { evaluate, text, variableOf } from "./formula.js";
import type { Artifact, Bounds, Launch, Port, Step, Triple } from "./plan.js";
import { describe, lanesOf } from "./plan.js";
import type { Runtime } from "./runtime.js";
import type { Type, TypedArray } from "./types.js";
import { arrayOf, bytesIn, bytesOf, integerOf, isFloat, scalarBits } from "./types.js";

const MOST_STEPS = 2 ** 20;
const MOST_BYTES = 2 ** 48;
const DEFAULT_STEPS = 2 ** 26;

/** An array of more than one dimension that says its shape. */
export interface ShapedArray {
  data: TypedArray;
  shape: readonly number[];
}

export type Input = number | bigint | TypedArray | ShapedArray | Buffer | GPUBuffer;
export type Output = TypedArray | Buffer | GPUBuffer;

export interface RunOptions {
  /** Ends the run between its launches, on wasm also between blocks, with an ExecutionError of kind Cancelled. */
  signal?: AbortSignal;
  /** How often a lane may go around loops. By default 2^26. */
  steps?: number;
  /** What written arrays are given as, other than those for which a Buffer was passed. By default "array". */
  output?: "array" | "buffer";
}

/** What is given for a port that is an array. `bytes` are data to copy in, `memory` is there already. */
interface Given {
  value: Input;
  bytes?: Uint8Array;
  memory?: Memory;
  elements: number;
  shape: readonly number[] | null;
}

/** A program on a runtime: `runtime.load` makes it. */
export class Program {
  /** Constants on a device. */
  private constants: { device: Device; memories: Memory[] } | null = null;

  /** @internal */
  constructor(
    private readonly runtime: Runtime,
    private readonly file: Artifact,
    private readonly data: readonly Uint8Array[],
  ) {}

  get name(): string {
    return this.file.metadata["name"] ?? "";
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
  async run(args: Record<string, Input>, options: RunOptions = {}): Promise<any> {
    const { signal, steps = DEFAULT_STEPS, output = "array" } = options;
    if (!Number.isSafeInteger(steps) || steps < 1) throw new LaunchError(`steps is a positive integer, not ${steps}`);
    checkSignal(signal);
    const started = await this.runtime.inTurn(async () => {
      const device = await this.runtime.device();
      await this.prepare(device);
      return new Started(device, this.runtime, this.file, this.constants!.memories, args, steps, signal, output).start();
    });
    return started.results();
  }

  /** @internal Compiles the code for a device and puts the constants there. */
  async prepare(device: Device): Promise<void> {
    await device.prepare(this.file);
    if (this.constants?.device !== device) {
      this.constants = { device, memories: this.data.map((bytes) => device.allocate(bytes.length, bytes)) };
    }
  }

  /** Gives back the memory of its constants; the next run takes it again. */
  dispose(): void {
    const { constants } = this;
    this.constants = null;
    if (constants) void this.runtime.inTurn(() => constants.memories.forEach((memory) => constants.device.free(memory)));
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** @internal One run: binds the arguments, walks the plan, and collects the results. */
export class Started {
  private readonly values: Values = new Map();
  private readonly scalars = new Map<number, bigint>();
  private readonly shapes = new Map<Port, number[]>();
  private readonly given = new Map<Port, Given>();
  private readonly borrowed: Memory[] = [];
  private readonly written: { port: Port; memory: Memory; value: Output | null }[] = [];
  private memories: Memory[] = [];
  private left = MOST_STEPS;
  private done: Promise<Uint8Array<ArrayBuffer>[]> = Promise.resolve([]);

  constructor(
    private readonly device: Device,
    private readonly runtime: Runtime,
    private readonly file: Artifact,
    private readonly constants: readonly Memory[],
    args: Record<string, Input>,
    private readonly steps: number,
    private readonly signal: AbortSignal | undefined,
    private readonly output: "array" | "buffer",
  ) {
    this.bind(args);
  }

  // Arguments

  private bind(args: Record<string, Input>): void {
    const { ports } = this.file;
    const listed = ports.map(describe).join(", ") || "nothing";
    const unknown = Object.keys(args).find((name) => !ports.some((port) => port.name === name));
    if (unknown !== undefined) throw new LaunchError(`'${unknown}' is no port: it takes ${listed}`);
    ports.forEach((port, number) => {
      const value = Object.hasOwn(args, port.name) ? args[port.name] : undefined;
      if (value === undefined) {
        if (port.access !== "write") throw new LaunchError(`'${port.name}' is missing: it takes ${listed}`);
      } else if (port.access === "scalar") {
        const bits = scalarBits(port.name, port.type, value);
        this.scalars.set(number, bits);
        if (!isFloat(port.type)) this.values.set(port.name, integerOf(port.type, bits));
      } else {
        this.given.set(port, this.give(port, value));
      }
    });
    for (const [port, { shape }] of this.given) {
      shape?.forEach((length, k) => {
        const variable = variableOf(port.shape[k]!);
        if (variable !== undefined && !this.values.has(variable)) this.values.set(variable, length);
      });
    }
    for (const port of ports) if (port.access !== "scalar") this.shapes.set(port, this.shapeOf(port));
  }

  private give(port: Port, value: Input): Given {
    const what = describe(port);
    const size = bytesOf(port.type);
    const flat = (elements: number) => (port.shape.length === 1 ? [elements] : null);
    let given: Given;
    if (value instanceof Buffer) {
      if (value.dtype !== port.type) throw new LaunchError(`${what} takes a buffer of ${port.type}, not of ${value.dtype}`);
      given = { value, memory: value.memory(this.device), elements: value.length, shape: value.shape };
    } else if (ArrayBuffer.isView(value)) {
      const bytes = bytesIn(what, port.type, value);
      given = { value, bytes, elements: bytes.length / size, shape: flat(bytes.length / size) };
    } else if (typeof value === "object" && value !== null && "data" in value && ArrayBuffer.isView(value.data)) {
      const bytes = bytesIn(what, port.type, value.data);
      const elements = value.shape.reduce((product, length) => product * length, 1);
      if (elements * size !== bytes.length) {
        throw new LaunchError(`${what} is given ${bytes.length / size} elements with the shape [${value.shape}]`);
      }
      given = { value, bytes, elements, shape: value.shape };
    } else {
      const memory = this.device.adopt(value);
      if (!memory) throw new LaunchError(`${what} takes a typed array${this.device.backend === "wasm" ? "" : ", a GPUBuffer"} or a Buffer`);
      const elements = Math.floor(memory.bytes / size);
      given = { value, memory, elements, shape: flat(elements) };
    }
    if (given.shape && given.shape.length !== port.shape.length) {
      throw new LaunchError(`${what} has ${port.shape.length} dimensions: ${given.shape.length} are given, [${given.shape}]`);
    }
    return given;
  }

  /** The shape of an array. Raises LaunchError if another one is given. */
  private shapeOf(port: Port): number[] {
    const given = this.given.get(port);
    if (given && !given.shape) {
      const open = port.shape.map(variableOf).find((name) => name !== undefined && !this.values.has(name));
      if (open !== undefined) throw new LaunchError(`${describe(port)} needs its shape: give {data, shape}, or a Buffer that has it`);
    }
    const wanted = port.shape.map((formula) => evaluate(formula, this.values));
    const elements = wanted.reduce((product, length) => product * length, 1);
    const fits = !given || (given.shape ? given.shape.every((length, k) => length === wanted[k]) : given.elements === elements);
    if (!fits || wanted.some((length) => length < 0)) {
      throw new LaunchError(`${describe(port)} has the shape [${wanted}] here, not [${given?.shape ?? given?.elements ?? wanted}]`);
    }
    if (elements * bytesOf(port.type) >= MOST_BYTES) throw new LaunchError(`${describe(port)} has the shape [${wanted}] here, which is too large`);
    return wanted;
  }

  // Memory

  private borrow(bytes: number, data?: Uint8Array): Memory {
    const memory = this.device.allocate(bytes, data);
    this.borrowed.push(memory);
    return memory;
  }

  private allocate(run: Run): void | Promise<void> {
    const arrays = [...this.shapes.keys()];
    const copies: [Memory, Memory][] = [];
    const places = arrays.map((port): Memory => {
      const bytes = this.shapes.get(port)!.reduce((product, length) => product * length, bytesOf(port.type));
      const given = this.given.get(port);
      if (!given?.memory) return this.borrow(bytes, given?.bytes);
      return given.memory.bytes === bytes ? given.memory : this.device.adopt(given.value, bytes)!;
    });
    arrays.forEach((port, k) => {
      const same = arrays.filter((other, n) => other !== port && places[n]!.identity === places[k]!.identity);
      const writers = same.filter(({ access }) => access !== "read");
      if (port.access !== "read" && writers.length) {
        throw new InvalidBuffer(`${port.name}, ${writers[0]!.name} are one buffer, and more than one of them is written`);
      }
      if (port.access === "read" && writers.length) copies.push([this.borrow(places[k]!.bytes), places[k]!]);
    });
    arrays.forEach((port, k) => {
      if (port.access === "read") return;
      const { value } = this.given.get(port) ?? {};
      const kept = this.given.get(port)?.memory ? (value as Output) : null;
      this.written.push({ port, memory: places[k]!, value: kept });
    });
    const replaced = new Map(copies.map(([copy, original]) => [original, copy]));
    const inputs = places.map((place, k) => (arrays[k]!.access === "read" ? (replaced.get(place) ?? place) : place));
    const temporaries = this.file.temporaries.map(({ name, size }) => {
      const bytes = evaluate(size, this.values);
      if (bytes < 0 || bytes >= MOST_BYTES) throw new LaunchError(`the temporary ${name} has ${bytes} bytes (${text(size)})`);
      return this.borrow(bytes);
    });
    const constants = this.file.constants.map(({ blob }) => this.constants[blob]!);
    this.memories = [...inputs, ...temporaries, ...constants, this.device.classMemory];
    for (const [copy, original] of copies) void run.copy(copy, original);
  }

  // Steps

  /** Hands all work to a run; waits only where the device says so. */
  async record(run: Run): Promise<void> {
    this.allocate(run);
    await this.walk(run, this.file.steps, -1);
  }

  /** Hands all work to the device. */
  async start(): Promise<this> {
    try {
      const run = this.device.run(this.steps, this.signal);
      try {
        await this.record(run);
      } catch (error) {
        await run.finish([]); // what ran before may have had a fault of its own, which is the first
        throw error;
      }
      const reads = this.written.filter(({ value }) => !value && this.output === "array").map(({ memory }) => memory);
      this.done = run.finish(reads);
      this.done.catch(() => {}); // `results` raises it
      return this;
    } catch (error) {
      this.release();
      throw error;
    }
  }

  release(kept: readonly Memory[] = []): void {
    for (const memory of this.borrowed.splice(0)) if (!kept.includes(memory)) this.device.free(memory);
  }

  private count(): void {
    if (--this.left < 0) {
      throw new ExecutionError("StepLimit", null, `a plan runs at most ${MOST_STEPS} steps: split the work, or repeat less`);
    }
  }

  /** Runs steps; waits only where the device says so. */
  private async walk(run: Run, steps: readonly Step[], program: number): Promise<void> {
    for (const step of steps) {
      this.count();
      if (step.step === "repeat") {
        const rounds = evaluate(step.count, this.values);
        for (let round = 0; round < rounds; round++) {
          this.count();
          this.values.set(step.variable, round);
          await this.walk(run, step.body, program);
        }
        this.values.delete(step.variable);
      } else if (step.step === "target") {
        if (step.backend === this.device.backend) await this.walk(run, step.body, program);
      } else if (step.step === "call") {
        await this.walk(run, step.code, step.program);
      } else if (step.step === "bounds") {
        this.bounds(step, program);
      } else {
        const wait = step.step === "launch" ? this.launch(run, step, program) : this.copy(run, step.target, step.source);
        if (wait) await wait;
      }
    }
  }

  private bounds(step: Bounds, program: number): void {
    const [need, offset, size] = [step.need, step.offset, step.size].map((formula) => evaluate(formula, this.values)) as [
      number, number, number,
    ];
    if (need <= 0) return;
    const beyond = offset < 0 || offset > size - need;
    if (!beyond && offset % alignmentOf(step.type) === 0) return;
    const kind = beyond ? "OutOfBounds" : "MisalignedAccess";
    const detail = beyond ? outside(need, offset, step.memory, size) : misaligned(step.type, offset, step.memory);
    const line = this.file.programs[program]![step.instruction];
    throw new ExecutionError(kind, step.instruction, `${detail}, in ${line}`, { buffer: step.memory, offset });
  }

  private copy(run: Run, target: number, source: number): void | Promise<void> {
    const [to, from] = [this.memories[target]!, this.memories[source]!];
    if (Math.ceil(to.bytes / 4) !== Math.ceil(from.bytes / 4)) {
      throw new LaunchError(`a copy of ${from.bytes} bytes into ${to.bytes} bytes`);
    }
    return run.copy(to, from);
  }

  private launch(run: Run, launch: Launch, program: number): void | Promise<void> {
    const kernel = this.file.kernels[launch.kernel]!;
    const triple = (formulas: Triple<Formula>) => formulas.map((formula) => evaluate(formula, this.values)) as [number, number, number];
    const [grid, lanes] = [triple(launch.grid), triple(launch.lanes)];
    const fits = [...grid, ...lanes].every((number) => number >= 0 && number < 2 ** 32);
    if (!fits || lanes.some((count, k) => count > grid[k]! * kernel.block[k]!)) {
      throw new LaunchError(`[${lanes}] lanes do not fit a grid of [${grid}] blocks [${kernel.block}]`);
    }
    const total = grid[0] * grid[1] * grid[2] * lanesOf(kernel);
    if (total >= 2 ** 31) throw new LaunchError(`the launch has ${total} lanes: at most 2**31 - 1 are allowed; launch parts of it`);
    if (total === 0 || lanes.includes(0)) return;
    const scalars = launch.scalars.map((argument, k): bigint | Memory => {
      if (argument.kind === 0) return argument.bits;
      if (argument.kind === 1) return this.scalars.get(argument.index)!;
      if (argument.kind === 3) return this.memories[argument.index]!;
      const { name, type } = kernel.scalars[k]!;
      return scalarBits(name, type, evaluate(this.file.formulas[argument.index]!, this.values));
    });
    const memories = launch.memories.map((number) => this.memories[number]!);
    const job: Job = { file: this.file, program, launch, kernel, grid, lanes, scalars, memories };
    return run.launch(job);
  }

  // Results

  async results(): Promise<any> {
    const kept: Memory[] = [];
    try {
      const read = await this.done;
      const found = this.written.map(({ port, memory, value }): [string, Output] => {
        if (value) return [port.name, value];
        if (this.output === "array") return [port.name, arrayOf(port.type, read.shift()!)];
        kept.push(memory);
        return [port.name, this.runtime.adopt(this.device, memory, port.type, this.shapes.get(port)!)];
      });
      return found.length === 1 ? found[0]![1] : Object.fromEntries(found);
    } finally {
      this.release(kept);
    }
  }
}
