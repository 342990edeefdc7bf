/** Reads `.holo` files. Whatever is not as docs/artifact.md says is an ArtifactError, before anything is believed. */
import { blake3, hex } from "./blake3.js";
import { ArtifactError } from "./errors.js";
import type { Formula } from "./formula.js";
import { LARGEST, OPERATORS, variableOf } from "./formula.js";
import type { Argument, Artifact, Blob, Kernel, KernelMemory, Port, Step, Triple, Variant, WasmCode } from "./plan.js";
import { ACCESS, BACKENDS, CLASSES } from "./plan.js";
import type { Type } from "./types.js";
import { TYPES, bitsOf, isFloat, view } from "./types.js";

const VERSION = 1;
const MAGIC = "484f4c4f0d0a1a0a";
const SECTIONS = ["META", "PLAN", "PROG", "KERN", "WASM", "WGSL", "DATA"];
const HEADER = 64;
const FIRST = HEADER + 16 * SECTIONS.length;
const NAME = /^[A-Za-z_$][A-Za-z0-9_$.]{0,127}$/;

const up = (number: number, to: number): number => Math.ceil(number / to) * to;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new ArtifactError(`damaged artifact: ${what}`);
}

/** Takes values off a section. */
class Reader {
  at = 0;

  constructor(
    readonly tag: string,
    readonly data: Uint8Array,
  ) {}

  fail(): never {
    throw new ArtifactError(`damaged artifact: section ${this.tag} is wrong at byte ${this.at}`);
  }

  must(holds: boolean): void {
    if (!holds) this.fail();
  }

  bytes(count: number): Uint8Array {
    this.must(count <= this.data.length - this.at);
    this.at += count;
    return this.data.subarray(this.at - count, this.at);
  }

  u8(limit: number): number {
    const value = this.bytes(1)[0]!;
    this.must(value < limit);
    return value;
  }

  uint(limit = LARGEST): number {
    let value = 0;
    for (let count = 0, scale = 1; ; count++, scale *= 128) {
      const byte = this.u8(256);
      this.must(count < 8 && (byte > 0 || count === 0));
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    this.must(value <= limit);
    return value;
  }

  index(length: number): number {
    const value = this.uint();
    this.must(value < length);
    return value;
  }

  string(): string {
    const raw = this.bytes(this.uint());
    try {
      return UTF8.decode(raw);
    } catch {
      this.fail();
    }
  }

  list<T>(read: () => T, most = LARGEST): T[] {
    const length = this.uint(Math.min(this.data.length - this.at, most)); // every item has a byte at least
    return Array.from({ length }, read);
  }

  three<T>(read: () => T): Triple<T> {
    return [read(), read(), read()];
  }

  /** Indices that are all different. */
  places(length: number): number[] {
    const found = this.list(() => this.index(length));
    this.must(new Set(found).size === found.length);
    return found;
  }

  type(): Type {
    return TYPES[this.u8(TYPES.length)] as Type;
  }

  flag(): boolean {
    return this.u8(2) === 1;
  }

  end(): void {
    this.must(this.at === this.data.length);
  }
}

/** Checks that a list of things has none twice. */
function different(what: string, keys: readonly string[]): void {
  must(new Set(keys).size === keys.length, `a ${what} is there twice`);
}

function readMetadata(raw: Uint8Array): Record<string, string> {
  let found: unknown;
  let text = "";
  try {
    text = UTF8.decode(raw);
    found = JSON.parse(text);
  } catch {
    must(false, "the metadata are no JSON");
  }
  must(raw.length <= 1 << 20 && typeof found === "object" && found !== null, "the metadata are no object");
  const points = (key: string) => Array.from(key, (character) => character.codePointAt(0)!);
  const entries = Object.entries(found).map(([key, value]) => ({ key, value: value as unknown, order: points(key) }));
  entries.sort((a, b) => {
    const place = a.order.findIndex((point, k) => point !== b.order[k]);
    return place < 0 ? a.order.length - b.order.length : a.order[place]! - (b.order[place] ?? -1);
  });
  must(entries.every(({ value }) => typeof value === "string"), "the metadata are not texts");
  const canonical = entries.map(({ key, value }) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  must(text === `{${canonical.join(",")}}`, "the metadata are not in canonical form");
  return found as Record<string, string>;
}

function readKernels(s: Reader, programs: number, modules: number, shaders: number): Kernel[] {
  const memory = (): KernelMemory => {
    const kind = s.u8(4);
    const base = kind === 3 ? "" : kind === 2 ? s.index(CLASSES) : s.string();
    return { kind, base, written: s.flag() };
  };
  return s.list((): Kernel => {
    const name = s.string();
    const program = s.uint(programs) - 1;
    const block = s.three(() => s.uint(1024));
    s.must(fitsBlock(block));
    const shared = s.uint(1 << 25);
    const scalars = s.list(() => ({ name: s.string(), type: s.type() }));
    s.must(scalars.every(({ type }) => bitsOf(type) <= 64));
    const memories = s.list(memory);
    s.flag(); // whether blocks may run at the same time
    const module = s.uint(modules) - 1;
    const wasm: WasmCode | string =
      module < 0
        ? s.string()
        : {
            module,
            spill: s.uint(1 << 20),
            scalars: s.places(scalars.length),
            memories: s.places(memories.length),
          };
    const variants = s.list((): Variant => {
      const shader = s.index(shaders);
      const size = s.uint(65_536);
      const places = s.places(scalars.length);
      const bindings = s.list(() => ({ writable: s.flag(), memories: s.places(memories.length) }));
      const bound = bindings.flatMap((binding) => binding.memories);
      s.must(bindings.every((binding) => binding.memories.length > 0));
      s.must(new Set(bound).size === bound.length);
      s.must(size % 16 === 0 && size >= 64 + 8 * places.length + 4 * bound.length);
      return { shader, size, scalars: places, bindings };
    });
    return { name, program, block, shared, scalars, memories, wasm, wgsl: variants.length ? variants : s.string() };
  });
}

/** The call around a step. */
type Around = { readonly program: number; readonly block: Triple<number> } | null;

function fitsBlock([x, y, z]: Triple<number>): boolean {
  return x * y * z >= 1 && x * y * z <= 1024;
}

/** Reads and checks the section PLAN. */
class PlanReader {
  readonly variables: string[];
  readonly formulas: Formula[];
  ports: Port[] = [];
  /** Names that formulas may use where the reader is. */
  private readonly known = new Set<string>();
  private readonly checked = new Set<number>();
  private usedFormulas = 0;
  private usedVariables = 0;
  private stepCount = 0;
  /** Numbers of buffers: ports that are arrays, temporaries, constants, the class memory. */
  private arrays: Port[] = [];
  private readonly scalars = new Set<string>();
  private constantsFrom = 0;
  private classMemory = 0;

  constructor(
    private readonly s: Reader,
    private readonly kernels: readonly Kernel[],
    private readonly programs: Artifact["programs"],
    private readonly blobs: number,
  ) {
    const name = (): string => {
      const found = s.string();
      s.must(NAME.test(found) && !OPERATORS.includes(found));
      return found;
    };
    this.variables = s.list(name);
    different("variable", this.variables);
    this.numbers = new Map(this.variables.map((variable, number) => [variable, number]));
    this.formulas = s.list(() => this.tokens());
    different("formula", this.formulas.map((formula) => JSON.stringify(formula)));
    this.name = name;
  }

  private readonly name: () => string;
  private readonly numbers: Map<string, number>;

  whole(): Pick<Artifact, "ports" | "formulas" | "temporaries" | "constants" | "steps"> {
    const { s } = this;
    const shapes: number[] = [];
    this.ports = s.list((): Port => {
      const [name, type, access] = [this.name(), s.type(), ACCESS[s.u8(4)]!];
      if (access !== "scalar") {
        return { name, type, access, shape: s.list(() => this.use(shapes), 8) };
      }
      s.must(bitsOf(type) <= 64);
      return { name, type, access, shape: [] };
    });
    for (const port of this.ports) {
      const names = port.access !== "scalar" ? port.shape.map(variableOf) : isFloat(port.type) ? [] : [port.name];
      for (const name of names) if (name !== undefined) this.known.add(name);
    }
    for (const port of this.ports) {
      const real = port.access !== "scalar" || !isFloat(port.type);
      s.must(real || !this.known.has(port.name));
    }
    const temporaries = s.list(() => ({ name: this.name(), size: this.use(shapes) }));
    for (const number of shapes) this.checkNames(number);
    const constants = s.list(() => ({ name: this.name(), blob: s.index(this.blobs) }));
    const names = [...this.ports, ...temporaries, ...constants].map(({ name }) => name);
    different("name", names);
    s.must(names.length <= 4096);
    this.arrays = this.ports.filter((port) => port.access !== "scalar");
    for (const port of this.ports) if (port.access === "scalar") this.scalars.add(port.name);
    this.constantsFrom = this.arrays.length + temporaries.length;
    this.classMemory = this.constantsFrom + constants.length;
    const steps = this.steps(0, null);
    s.must(this.usedFormulas === this.formulas.length);
    s.must(this.usedVariables === this.variables.length);
    s.end();
    return { ports: this.ports, formulas: this.formulas, temporaries, constants, steps };
  }

  private tokens(): Formula {
    const { s } = this;
    let depth = 0;
    const code = s.list(() => {
      const kind = s.u8(3 + OPERATORS.length);
      depth += kind < 3 ? 1 : -1;
      s.must(depth >= 1 && depth <= 32);
      if (kind > 2) return OPERATORS[kind - 3]!;
      if (kind === 2) return this.variables[s.index(this.variables.length)]!;
      const value = s.uint();
      s.must(kind === 0 || value > 0);
      return kind ? -value : value;
    }, 256);
    s.must(depth === 1);
    return code;
  }

  private use(later?: number[]): Formula {
    return this.formulas[this.useNumber(later)]!;
  }

  /** The number of a formula. Formulas and variables are numbered in the order of their first use. */
  private useNumber(later?: number[]): number {
    const number = this.s.index(this.formulas.length);
    this.s.must(number <= this.usedFormulas);
    const formula = this.formulas[number]!;
    if (number === this.usedFormulas) {
      this.usedFormulas++;
      for (const token of formula) if (typeof token === "string" && !OPERATORS.includes(token)) this.useVariable(token);
    }
    if (later) later.push(number);
    else this.checkNames(number);
    return number;
  }

  private useVariable(name: string): void {
    const number = this.numbers.get(name)!;
    this.s.must(number <= this.usedVariables);
    if (number === this.usedVariables) this.usedVariables++;
  }

  private checkNames(number: number): void {
    if (this.checked.has(number)) return;
    let global = true;
    for (const token of this.formulas[number]!) {
      if (typeof token !== "string" || OPERATORS.includes(token)) continue;
      this.s.must(this.known.has(token));
      global &&= !this.counters.has(token);
    }
    if (global) this.checked.add(number);
  }

  /** Variables of the repeats around the reader. */
  private readonly counters = new Set<string>();

  private steps(depth: number, call: Around): Step[] {
    this.s.must(depth <= 16);
    return this.s.list(() => this.step(depth, call), 65_536);
  }

  private step(depth: number, call: Around): Step {
    const { s } = this;
    s.must(++this.stepCount <= 65_536);
    const kind = s.u8(7);
    s.must(kind > 0 && (kind === 1 || (kind === 2) === (call === null)));
    const formula = () => this.use();
    if (kind === 1) {
      const count = formula();
      const variable = this.variables[s.index(this.variables.length)]!;
      this.useVariable(variable);
      s.must(!this.known.has(variable) && !this.scalars.has(variable));
      this.known.add(variable);
      this.counters.add(variable);
      const body = this.steps(depth + 1, call);
      this.known.delete(variable);
      this.counters.delete(variable);
      return { step: "repeat", count, variable, body };
    }
    if (kind === 2) {
      const number = s.index(this.programs.length);
      const block = s.three(() => s.uint(1024));
      s.must(fitsBlock(block));
      s.uint(1 << 24); // shared memory, grid, lanes and arguments are for devices that compile the program
      for (let count = 6; count > 0; count--) formula();
      s.list(() => {
        const argument = this.argument();
        s.must(argument.kind !== 3);
      });
      return { step: "call", program: number, code: this.steps(depth + 1, { program: number, block }) };
    }
    if (kind === 3) return this.launch(call!);
    if (kind === 4) {
      const target = this.buffer(true);
      const source = s.index(this.classMemory + 1);
      s.must(source !== target);
      return { step: "copy", target, source };
    }
    if (kind === 6) return { step: "target", backend: BACKENDS[s.u8(2)]!, body: this.steps(depth + 1, call) };
    const [need, offset, size] = s.three(formula);
    const type = s.type();
    const instruction = s.index(this.programs[call!.program]!.length);
    return { step: "bounds", need, offset, size, type, instruction, memory: s.string() };
  }

  private launch({ program, block }: NonNullable<Around>): Step {
    const { s } = this;
    const number = s.index(this.kernels.length);
    const kernel = this.kernels[number]!;
    const variants = typeof kernel.wgsl === "string" ? [] : kernel.wgsl;
    const variant = s.uint(variants.length);
    s.must(variant > 0 || variants.length === 0);
    const origin = s.uint(this.programs[program]!.length);
    const whole = kernel.program === program && kernel.block.join() === block.join() && origin === 0;
    s.must(kernel.program === -1 ? origin > 0 : whole);
    const grid = s.three(() => this.use());
    const lanes = s.three(() => this.use());
    const scalars = kernel.scalars.map(({ type }) => {
      const argument = this.argument();
      const { kind } = argument;
      const port = kind === 1 ? this.ports[argument.index]! : null;
      s.must(kind < 4 && (kind !== 2 || !isFloat(type)));
      s.must(kind !== 0 || argument.bits >> BigInt(bitsOf(type)) === 0n);
      s.must(port === null || (port.access === "scalar" && port.type === type));
      return argument;
    });
    const memories = kernel.memories.map(({ kind, written }) => {
      const place = this.buffer(written, true);
      s.must(kind < 2 || place === this.classMemory);
      return place;
    });
    const bindings = variants[variant - 1]?.bindings ?? [];
    const groups = bindings.map((binding) => new Set(binding.memories.map((k) => memories[k]!)));
    const bound = new Set(groups.flatMap((group) => [...group]));
    s.must(groups.every((group) => group.size === 1) && bound.size === groups.length);
    return { step: "launch", kernel: number, variant, origin, grid, lanes, scalars, memories };
  }

  private argument(): Argument {
    const { s } = this;
    const kind = s.u8(5);
    if (kind === 0) return { kind, bits: view(s.bytes(8)).getBigUint64(0, true) };
    if (kind === 1) return { kind, index: s.index(this.ports.length) };
    if (kind === 2) return { kind, index: this.useNumber() };
    const index = s.index(this.classMemory);
    s.must(kind === 4 || (index >= this.arrays.length && index < this.constantsFrom));
    return { kind: kind as 3 | 4, index };
  }

  private buffer(written: boolean, classes = false): number {
    const number = this.s.index(this.classMemory + (classes ? 1 : 0));
    const fixed = this.arrays[number]?.access === "read" || (number >= this.constantsFrom && number < this.classMemory);
    this.s.must(!written || !fixed);
    return number;
  }
}

function readBlobs(s: Reader, raw: Uint8Array, start: number): Blob[] {
  let place = start;
  const blobs = s.list((): Blob => {
    const length = s.uint();
    const hash = hex(s.bytes(32));
    const location = s.string();
    const offset = s.uint();
    if (location) return { length, hash, location, offset, data: null };
    s.must(offset === 0 && length <= raw.length - place);
    const blob = { length, hash, location, offset, data: checked(raw.subarray(place, place + length), length, hash, "") };
    const end = up(place + length, 64);
    must(zeros(raw.subarray(place + length, end)), "bytes between constants are not zero");
    place = end;
    return blob;
  });
  must(place === raw.length, "bytes follow the last constant");
  different("constant", blobs.filter((blob) => !blob.location).map((blob) => blob.hash));
  return blobs;
}

const zeros = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

/** The bytes of a constant, if they are what the hash is of. */
export function checked(data: Uint8Array, length: number, hash: string, location: string): Uint8Array {
  if (data.length !== length || blake3(data) !== hash) {
    const where = location ? `of ${location}` : "of the file";
    throw new ArtifactError(`a constant ${where} is damaged: its ${length} bytes do not have the hash they had`);
  }
  return data;
}

/** The artifact in the bytes of a file. Raises ArtifactError. */
export function readArtifact(raw: Uint8Array): Artifact {
  const data = view(raw);
  if (hex(raw.subarray(0, 8)) !== MAGIC) {
    throw new ArtifactError("these bytes are no artifact: they do not start with HOLO");
  }
  must(raw.length >= FIRST, "it ends too soon");
  const [version, head, fileLow, fileHigh, count, zero] = [8, 12, 16, 20, 24, 28].map((at) => data.getUint32(at, true)) as [
    number, number, number, number, number, number,
  ];
  if (version !== VERSION) {
    throw new ArtifactError(`the artifact has version ${version}; this release reads ${VERSION}: compile it again`);
  }
  const sized = head % 64 === 0 && head >= FIRST && head <= 1 << 28;
  must(count === SECTIONS.length && zero === 0 && sized, "its header is wrong");
  const whole = raw.length === fileLow + fileHigh * 2 ** 32 && raw.length >= head;
  must(whole, `${raw.length} bytes are not as many as it says; was it cut off?`);
  const digest = blake3(raw.subarray(0, 32), raw.subarray(HEADER, head));
  must(digest === hex(raw.subarray(32, 64)), "its hash does not fit");
  let place = FIRST;
  const [meta, plan, prog, kern, wasm, wgsl, blob] = SECTIONS.map((tag, number) => {
    const at = HEADER + 16 * number;
    const [offset, length, none] = [4, 8, 12].map((k) => data.getUint32(at + k, true)) as [number, number, number];
    const start = up(place, 8);
    const right = String.fromCharCode(...raw.subarray(at, at + 4)) === tag && offset === start && none === 0;
    must(right && length <= head - start, `section ${tag} is not where it has to be`);
    must(zeros(raw.subarray(place, start)), `bytes before section ${tag} are not zero`);
    place = start + length;
    return new Reader(tag, raw.subarray(start, place));
  }) as [Reader, Reader, Reader, Reader, Reader, Reader, Reader];
  must(up(place, 64) === head && zeros(raw.subarray(place, head)), "its head does not end where it says");

  const metadata = readMetadata(meta.data);
  const programs = prog.list(() => {
    const code = prog.bytes(prog.uint());
    prog.must(hex(code.subarray(0, 4)) === "48475052");
    return prog.string().split("\n");
  });
  const modules = wasm.list(() => wasm.bytes(wasm.uint()));
  different("module", modules.map((module) => blake3(module)));
  const sizes: number[] = [];
  const pieces = wgsl.list(() => {
    const start = wgsl.at;
    const piece = wgsl.string();
    sizes.push(wgsl.at - start);
    return piece;
  });
  different("piece of WGSL", pieces);
  let total = 0;
  const shaders = wgsl.list(() => {
    const shader = wgsl.list(() => wgsl.index(pieces.length));
    const size = shader.reduce((sum, piece) => sum + sizes[piece]!, 0);
    total += size;
    wgsl.must(size <= 1 << 24 && total <= 1 << 26);
    return shader;
  });
  const kernels = readKernels(kern, programs.length, modules.length, shaders.length);
  const blobs = readBlobs(blob, raw, head);
  for (const reader of [prog, wasm, wgsl, kern, blob]) reader.end();
  const parts = new PlanReader(plan, kernels, programs, blobs.length).whole();
  return { metadata, ...parts, programs, kernels, modules, pieces, shaders, blobs };
}
