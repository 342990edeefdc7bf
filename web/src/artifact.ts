/** Reads `.holo` files. Whatever is not as docs/artifact.md says is an ArtifactError, before anything is believed. */
import { blake3, hex } from "./blake3.js";
import { Untold } from "./errors.js";
import type { Damage } from "./texts.js";
import type { Formula } from "./formula.js";
import { LARGEST, OPERATORS, product, variableOf } from "./formula.js";
import type { Argument, Artifact, Blob, Fast, Kernel, Kind, Port, Step, Triple, Variant, WasmCode } from "./plan.js";
import { ACCESS, BACKENDS, CLASSES, StepKind } from "./plan.js";
import type { Type } from "./types.js";
import { TYPES, bitsOf, isFloat, slotOf, view } from "./types.js";

// Version 1 had no conditions and no values, version 2 one fast shader, a block of it a workgroup, version 3 no relaxed module,
// version 4 nothing about shaders whose lanes count.
const VERSION = 5;
const MAGIC = "484f4c4f0d0a1a0a";
const SECTIONS = ["META", "PLAN", "PROG", "KERN", "WASM", "WGSL", "DATA"];
const HEADER = 64;
const FIRST = HEADER + 16 * SECTIONS.length;
/** Variables of conditions, behind those of scalars and memories: blocks and lanes along each axis, steps and rounds that a lane may take. */
export const LAUNCH_VARIABLES = ["x", "y", "z", "lx", "ly", "lz", "steps", "rounds"];
const NAME = /^[A-Za-z_$][A-Za-z0-9_$.]{0,127}$/;

const up = (number: number, to: number): number => Math.ceil(number / to) * to;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function sound(holds: boolean, what: Damage, ...where: unknown[]): asserts holds {
  if (!holds) throw new Untold("damaged", what, ...where);
}

/** Where sections lie: offset and length of each. The hash of the head fits. */
function readHeader(raw: Uint8Array, address: string): { version: number; head: number; places: [number, number][] } {
  const word = (at: number) => view(raw).getUint32(at, true);
  if (hex(raw.subarray(0, 8)) !== MAGIC) throw new Untold("noArtifact", raw, address);
  sound(raw.length >= FIRST, "short");
  const [version, head] = [word(8), word(12)];
  if (!version || version > VERSION) throw new Untold("otherVersion", version, VERSION);
  const sized = head % 64 === 0 && head >= FIRST && head <= 1 << 28;
  sound(word(24) === SECTIONS.length && !word(28) && sized, "header");
  const whole = raw.length === word(16) + word(20) * 2 ** 32 && raw.length >= head;
  sound(whole, "length", raw.length);
  const covered = raw.slice(32, head); // bytes 0 to 31 in place of the hash
  covered.set(raw.subarray(0, 32));
  sound(blake3(covered) === hex(raw.subarray(32, 64)), "hash");
  let end = FIRST;
  const places = SECTIONS.map((tag, number): [number, number] => {
    const at = HEADER + 16 * number;
    const [start, length] = [word(at + 4), word(at + 8)];
    const right = String.fromCharCode(...raw.subarray(at, at + 4)) === tag && start === up(end, 8) && !word(at + 12);
    end = start + length;
    sound(right && end <= head, "place", tag);
    return [start, length];
  });
  return { version, head, places };
}

/** The artifact in the bytes of a file, which came from an address. Raises ArtifactError. */
export function readArtifact(raw: Uint8Array, address = ""): Artifact {
  const { version, head, places } = readHeader(raw, address);

  // The section being read, and values of it

  let number = 0;
  let data = raw;
  let at = 0;

  function section<T>(which: number, read: () => T): T {
    const [start, length] = places[(number = which)]!;
    data = raw.subarray(start, start + length);
    at = 0;
    const found = read();
    must(at === length);
    return found;
  }

  function must(holds: boolean): asserts holds {
    sound(holds, "section", SECTIONS[number], at);
  }

  function bytes(count: number): Uint8Array {
    must(count <= data.length - at);
    return data.subarray(at, (at += count));
  }

  function below(limit: number): number {
    const value = bytes(1)[0]!;
    must(value < limit);
    return value;
  }

  function uint(limit = LARGEST): number {
    let value = 0;
    for (let count = 0, scale = 1; ; count++, scale *= 128) {
      const byte = below(256);
      must(count < 8 && (byte > 0 || count === 0));
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    must(value <= limit);
    return value;
  }

  const index = (items: { readonly length: number }): number => uint(items.length - 1);
  const pick = <T>(items: readonly T[]): T => items[index(items)]!;
  const flag = (): boolean => below(2) === 1;
  const counts = (): boolean => version < 5 || flag();
  const type = (): Type => TYPES[below(TYPES.length)] as Type;
  const valueType = (): Kind => ([...TYPES, "pred"] as Kind[])[below(TYPES.length + 1)]!;
  const three = <T>(read: () => T): Triple<T> => [read(), read(), read()];

  function string(raw = bytes(uint())): string {
    try {
      return UTF8.decode(raw);
    } catch {
      must(false);
    }
  }

  function list<T>(read: () => T, most = LARGEST): T[] {
    const length = uint(Math.min(data.length - at, most)); // every item has a byte at least
    return Array.from({ length }, read);
  }

  const different = (items: readonly unknown[]): void => must(new Set(items).size === items.length);

  /** Indices that are all different. */
  function order(items: readonly unknown[]): number[] {
    const found = list(() => index(items));
    different(found);
    return found;
  }

  function block(): Triple<number> {
    const found = three(() => uint(1024));
    const lanes = product(found);
    must(lanes > 0 && lanes <= 1024);
    return found;
  }

  // The sections

  const metadata = section(0, () => {
    must(data.length <= 1 << 20);
    try {
      const found: unknown = JSON.parse(string(bytes(data.length)));
      must(data[0] === 123 && Object.values(found as object).every((value) => typeof value === "string")); // 123 is {
      return found as Record<string, string>;
    } catch {
      must(false);
    }
  });

  const programs = section(2, () =>
    list(() => {
      must(hex(bytes(uint()).subarray(0, 4)) === "48475052");
      return string().split("\n");
    }),
  );

  const modules = section(4, () => list(() => bytes(uint())));

  const [pieces, shaders] = section(5, () => {
    const sizes: number[] = [];
    const texts = list(() => {
      const size = uint();
      sizes.push(size);
      return string(bytes(size));
    });
    let total = 0;
    const found = list(() => {
      const shader = list(() => index(texts));
      const size = shader.reduce((sum, piece) => sum + sizes[piece]!, 0);
      total += size;
      must(size <= 1 << 24 && total <= 1 << 26);
      return shader;
    });
    return [texts, found] as const;
  });

  let named = 0; // shaders of variants
  const kernels = section(3, () => {
    const found = list(kernel);
    must(shaders.length <= named);
    return found;
  });

  function kernel(): Kernel {
    const name = string();
    const program = uint(programs.length) - 1;
    const lanes = block();
    const shared = uint(1 << 25);
    const scalars = list(() => ({ name: string(), type: type() }));
    const memories = list(() => {
      const kind = below(4);
      return { kind, base: kind === 3 ? "" : kind === 2 ? uint(CLASSES - 1) : string(), written: flag() };
    });
    const parallel = flag();
    const module = uint(modules.length) - 1;
    const wasm: WasmCode | string =
      module < 0 ? string() : { module, spill: uint(1 << 20), scalars: order(scalars), memories: order(memories), relaxed: version > 3 ? uint(modules.length) - 1 : -1 };
    const variants = list((): Variant => {
      let scratched = false;
      const variant = {
        fast: [] as Fast[],
        shader: index(shaders),
        counts: counts(),
        size: uint(65_536),
        scalars: order(scalars),
        bindings: list(() => {
          const kind = below(scratched ? 0 : 3); // none follows scratch memory
          scratched = kind === 2;
          return { writable: !!kind, memories: kind < 2 ? order(memories) : [], scratch: kind < 2 ? 0 : 4 * uint(1e8) };
        }),
      };
      const { size, bindings } = variant;
      const bound = bindings.flatMap((binding) => binding.memories);
      different(bound);
      must(bindings.every((binding) => binding.memories.length || binding.scratch));
      const variables = [...scalars.map((_, k) => `s${k}`), ...memories.map((_, k) => `m${k}`), ...LAUNCH_VARIABLES];
      let shader = 0;
      do {
        named++;
        shader = version > 1 ? uint(shaders.length) : 0;
        if (shader) variant.fast.push({ shader: shader - 1, blocks: version > 2 ? uint(65_535) + 1 : 1, counts: counts(), conditions: list(() => tokens(variables), 64) });
      } while (shader && version > 2);
      must(size % 16 === 0 && size >= variant.scalars.reduce((sum, k) => sum + slotOf(scalars[k]!.type), 64 + 4 * bound.length));
      return variant;
    });
    return { name, program, block: lanes, shared, scalars, memories, parallel, wasm, wgsl: variants.length ? variants : string() };
  }

  const blobs = section(6, () => {
    let place = head;
    const found = list((): Blob => {
      const blob = { length: uint(), hash: hex(bytes(32)), location: string(), offset: uint(), data: null };
      const { length, location, offset } = blob;
      if (location) return blob;
      must(offset === 0 && length <= raw.length - place);
      const end = place + length;
      const inside = raw.subarray(place, end);
      if (blake3(inside) !== blob.hash) throw new Untold("otherHash", length);
      place = up(end, 64);
      sound(raw.subarray(end, place).every((byte) => !byte), "between");
      return { ...blob, data: inside };
    });
    sound(place === raw.length, "behind");
    return found;
  });

  // The plan

  /** Names that formulas may use: those of integer scalars and dimensions, of values, and of the at most 64 repeats around. */
  const known = new Set<string>();
  /** Names of formulas that have to be those of values, and whether there are steps with some. */
  const numbers = new Set<string>();
  let computes = false;
  const around: string[] = [];
  /** The names that a formula needs of repeats: files of 300 KB have 400,000 uses of one of 128 names. */
  const needs = new Map<Formula, readonly unknown[]>();
  let names: string[] = [];
  let formulas: Formula[] = [];
  let ports: Port[] = [];
  let scalars = known;
  /** Numbers of buffers: ports that are arrays, temporaries, constants, the class memory. */
  let arrays: Port[] = [];
  let constantsFrom = 0;
  let classMemory = 0;
  let stepCount = 0;

  const parts = section(1, () => {
    names = list(name);
    formulas = list(() => tokens(names));
    ports = list((): Port => {
      const port = { name: name(), type: type(), access: ACCESS[below(4)]! };
      return { ...port, shape: port.access === "scalar" ? [] : list(() => pick(formulas), 8) };
    });
    arrays = ports.filter(({ access }) => access !== "scalar");
    for (const port of ports) {
      const variables = port.access !== "scalar" ? port.shape.map(variableOf) : isFloat(port.type) ? [] : [port.name];
      for (const name of variables) if (name !== undefined) known.add(name);
    }
    must(ports.every((port) => port.access !== "scalar" || !isFloat(port.type) || !known.has(port.name)));
    scalars = new Set(ports.flatMap(({ name, access }) => (access === "scalar" ? [name] : [])));
    ports.forEach(({ shape }) => shape.forEach(inScope));
    const temporaries = list(() => ({ name: name(), size: formula() }));
    must(!numbers.size); // there are no values yet
    const constants = list(() => ({ name: name(), blob: index(blobs) }));
    constantsFrom = arrays.length + temporaries.length;
    classMemory = constantsFrom + constants.length;
    const all = [...ports, ...temporaries, ...constants].map(({ name }) => name);
    different(all);
    must(all.length <= 4096);
    return { ports, formulas, temporaries, constants, steps: steps(0, null) };
  });

  function name(): string {
    const found = string();
    must(NAME.test(found) && !OPERATORS.includes(found));
    return found;
  }

  function tokens(names: readonly string[]): Formula {
    let depth = 0;
    const code = list(() => {
      const kind = below(3 + OPERATORS.length);
      depth += kind < 3 ? 1 : -1;
      must(depth >= 1 && depth <= 32);
      if (kind > 2) return OPERATORS[kind - 3]!;
      if (kind === 2) return pick(names);
      const value = uint();
      must(kind === 0 || value > 0);
      return kind ? -value : value;
    }, 256);
    must(depth === 1);
    return code;
  }

  function inScope(formula: Formula): void {
    let found = needs.get(formula);
    if (!found) {
      found = [...new Set(formula)].filter((token) => typeof token === "string" && !OPERATORS.includes(token) && !known.has(token));
      needs.set(formula, found);
    }
    for (const name of found) if (!around.includes(name as string)) numbers.add(name as string);
  }

  function formula(): Formula {
    const found = pick(formulas);
    inScope(found);
    return found;
  }

  function steps(depth: number, call: Around): Step[] {
    must(depth <= 64);
    return list(() => step(depth + 1, call), 65_536);
  }

  function step(depth: number, call: Around): Step {
    must(++stepCount <= 65_536);
    const kind = below(13) as StepKind;
    computes ||= kind > StepKind.Copy;
    must(kind > 0 && (kind === StepKind.Repeat || kind >= StepKind.Target || (kind === StepKind.Call) === (call === null)));
    switch (kind) {
      case StepKind.Repeat: {
        const [count, variable] = [formula(), pick(names)];
        must(!around.includes(variable) && !known.has(variable) && !scalars.has(variable));
        around.push(variable);
        const body = steps(depth, call);
        around.pop();
        return { step: kind, count, variable, body };
      }
      case StepKind.Call: {
        const around = { program: index(programs), block: block() };
        uint(1 << 24); // shared memory, grid, lanes and arguments are for devices that compile the program
        three(formula);
        three(formula);
        list(() => must(argument().kind !== 3));
        return { step: kind, program: around.program, body: steps(depth, around) };
      }
      case StepKind.Launch:
        return launch(call!);
      case StepKind.Copy: {
        const memories = [buffer(true), uint(classMemory)] as const;
        must(memories[0] !== memories[1]);
        return { step: kind, memories };
      }
      case StepKind.BoundsCheck: {
        const [need, offset, size] = three(formula);
        return { step: kind, need, offset, size, type: type(), instruction: index(programs[call!.program]!), memory: string() };
      }
      case StepKind.Target:
        return { step: kind, backend: BACKENDS[below(2)]!, body: steps(depth, call) };
      case StepKind.Let:
        return { step: kind, value: pick(names), type: valueType(), operation: below(256), source: valueType(), args: list(argument) };
      case StepKind.Read:
        return { step: kind, value: pick(names), type: type(), memories: [buffer(false)], offset: formula() };
      case StepKind.When:
        return { step: kind, condition: pick(names), body: steps(depth, call), otherwise: steps(depth, call) };
      case StepKind.Branch:
        return { step: kind, levels: uint() };
      default:
        return { step: kind, body: steps(depth, call) };
    }
  }

  function launch({ program, block }: NonNullable<Around>): Step {
    const place = index(kernels);
    const kernel = kernels[place]!;
    const variants = typeof kernel.wgsl === "string" ? [] : kernel.wgsl;
    const variant = uint(variants.length);
    must(variant > 0 || !variants.length);
    const origin = uint(programs[program]!.length);
    const whole = kernel.program === program && String(kernel.block) === String(block) && !origin;
    must(kernel.program < 0 ? origin > 0 : whole);
    const [grid, lanes] = [three(formula), three(formula)];
    const scalars = kernel.scalars.map(({ type }) => {
      const found = argument();
      if (found.kind === 6) return found;
      if (found.kind === 0) must(!(found.bits >> BigInt(bitsOf(type))));
      else must(found.kind < 4 && (found.kind !== 2 || !isFloat(type)));
      if (found.kind === 1) must(ports[found.index]!.access === "scalar" && ports[found.index]!.type === type);
      return found;
    });
    const memories = kernel.memories.map(({ kind, written }) => {
      const found = buffer(written, true);
      must(kind < 2 || found === classMemory);
      return found;
    });
    const groups = (variants[variant - 1]?.bindings ?? []).map((binding) => new Set(binding.memories.map((k) => memories[k]!)));
    must(groups.every(({ size }) => size < 2));
    different(groups.flatMap((group) => [...group]));
    return { step: StepKind.Launch, kernel: place, variant, origin, grid, lanes, scalars, memories };
  }

  function argument(): Argument {
    const kind = below(7);
    if (kind === 6) {
      computes = true;
      return { kind, value: pick(names) };
    }
    if (kind === 0) return { kind, bits: view(bytes(8)).getBigUint64(0, true) };
    if (kind === 5) {
      const long = bytes(uint(512)).slice().reverse();
      must(long.length > 8 && long[0]! > 0);
      return { kind: 0, bits: BigInt(`0x${hex(long)}`) };
    }
    if (kind === 1) return { kind, index: index(ports) };
    if (kind === 2) {
      const place = index(formulas);
      inScope(formulas[place]!);
      return { kind, index: place };
    }
    const place = uint(classMemory - 1);
    must(kind === 4 || (place >= arrays.length && place < constantsFrom));
    return { kind: kind as 3 | 4, index: place };
  }

  function buffer(written: boolean, classes = false): number {
    const place = uint(classMemory - (classes ? 0 : 1));
    const fixed = arrays[place]?.access === "read" || (place >= constantsFrom && place < classMemory);
    must(!written || !fixed);
    return place;
  }

  return { metadata, ...parts, computed: computes || numbers.size ? numbers : null, programs, kernels, modules, pieces, shaders, blobs };
}


/** The call around a step. */
type Around = { readonly program: number; readonly block: Triple<number> } | null;
