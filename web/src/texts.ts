/** What errors of runs say: loaded after an error only. */
import { ArtifactError, BackendUnavailable, CompileError, ExecutionError, InvalidBuffer, LaunchError, textOf } from "./errors.js";
import type { Formula, Values } from "./formula.js";
import { text } from "./formula.js";
import type { Kernel, Port } from "./plan.js";
import { describe } from "./plan.js";
import type { Type } from "./types.js";
import { bitsOf, isFloat, isSigned } from "./types.js";
import { clock } from "./faults.js";

export { boundsOf, faultOf, gpuFault } from "./faults.js";

// Devices

export const noBackend = (name: unknown) => new BackendUnavailable(textOf(name), "there are 'auto', 'webgpu' and 'wasm'");

export const gaveDevice = (lost: string | null) => new BackendUnavailable("webgpu", `${lost}: create a runtime on another device`);

export const otherRuntime = () => new InvalidBuffer("the buffer belongs to another runtime");

export const timeIsUp = (seconds: number) => new ExecutionError("StepLimit", null, clock(seconds));

export const cancelled = () => new ExecutionError("Cancelled", null, "the launch was cancelled");

// Artifacts

/** Servers of single-page applications answer with a page where they have no file. */
export const noArtifact = (raw: Uint8Array, address: string) => {
  const page = new TextDecoder().decode(raw.subarray(0, 100)).trimStart().startsWith("<");
  const html = `${address || "the artifact"} looks like HTML: does the server answer with a page where it has no such file?`;
  return new ArtifactError(page ? html : "these bytes are no artifact: they do not start with HOLO");
};

const DAMAGES = {
  short: () => "it ends too soon",
  header: () => "its header is wrong",
  length: (bytes: unknown) => `${bytes} bytes are not as many as it says; was it cut off?`,
  hash: () => "its hash does not fit",
  place: (section: unknown) => `section ${section} is not where it has to be`,
  section: (section: unknown, at: unknown) => `section ${section} is wrong at byte ${at}`,
  value: (name: unknown) => `the value ${name} is not computed as it is used`,
  between: () => "bytes between constants are not zero",
  behind: () => "bytes follow the last constant",
};
export type Damage = keyof typeof DAMAGES;

export const damaged = (what: Damage, ...where: unknown[]) =>
  new ArtifactError(`damaged artifact: ${(DAMAGES[what] as (...where: unknown[]) => string)(...where)}`);

export const unreadable = (address: unknown, why: unknown) =>
  new ArtifactError(`${address === null ? "the artifact" : textOf(address)} cannot be read: ${textOf(why)}`);

export const otherVersion = (version: number, own: number) =>
  new ArtifactError(`the artifact has version ${version}; this release reads 1 to ${own}: compile it again`);

export const otherHash = (length: number) =>
  new ArtifactError(`a constant of the file is damaged: its ${length} bytes do not have the hash they had`);

// Code

export const noWasm = (name: string, why: string) => new CompileError(null, `${name || "a kernel"} has no WebAssembly: ${why}`);
export const unusable = (error: unknown) => new ArtifactError(`a module of the artifact cannot be used: ${(error as Error).message}`);
export const trapped = (name: string, error: unknown) => new ArtifactError(`the code of ${name} ended in a trap, which kernels do not: ${error}`);
export const module = (number: number, at: number) => new ArtifactError(`module ${number} of the artifact is none of a kernel: byte ${at} is wrong`);

const called = (name: string): string => name || "a kernel";

export const noShader = ({ name, wgsl }: Kernel) => new CompileError(null, `${called(name)} has no WGSL: ${wgsl}`);

export const refused = (name: string, error: Error) => new CompileError(null, `the WGSL of ${called(name)} is refused: ${error.message}`);

export const limit = (name: string, need: number, limit: string, most: number) =>
  new LaunchError(`${called(name)} needs ${need}, and ${limit} is ${most} on this adapter`);

export const gpuBuffer = (bytes: number) => new InvalidBuffer(`a GPUBuffer has to be of usage STORAGE and of ${bytes} bytes at least`);

// Arguments

const listed = (ports: readonly Port[]): string => `it takes ${ports.map(describe).join(", ") || "nothing"}`;

/** How many letters differ, are more or are missing. */
function distance(a: string, b: string): number {
  let row = [...a, ""].map((_, k) => k);
  for (const [y, letter] of [...b].entries()) {
    const above = row;
    row = [y + 1];
    for (let x = 0; x < a.length; x++) row.push(Math.min(row[x]! + 1, above[x + 1]! + 1, above[x]! + Number(a[x] !== letter)));
  }
  return row[a.length]!;
}

/** `: did you mean NAME?`, if one of the names is nearly this one, else a colon. */
function like(name: string, names: readonly string[]): string {
  const far = (other: string) => distance(name.toLowerCase(), other.toLowerCase());
  const [near] = [...names].sort((a, b) => far(a) - far(b));
  return near !== undefined && name.length < 100 && far(near) <= Math.max(name.length, near.length) * 0.3 ? `: did you mean ${near}?` : ":";
}

export const unknown = (name: string, ports: readonly Port[]) =>
  new LaunchError(`'${name}' is no port${like(name, ports.map((port) => port.name))} ${listed(ports)}`);

export const missing = ({ name }: Port, ports: readonly Port[]) => new LaunchError(`'${name}' is missing: ${listed(ports)}`);

export const otherType = (port: Port, type: Type) => new LaunchError(`${port.name} has dtype ${type}; ${port.type} is expected`);

/** A value that is given where another is expected: numbers and short texts as they are written, else what it is. */
function told(value: unknown): string {
  if (typeof value === "string" && value.length < 40) return `'${value}'`;
  if (value === null || ["number", "bigint", "boolean", "undefined"].includes(typeof value)) return textOf(value);
  const name = typeof value === "object" ? ((value as object).constructor?.name ?? "object") : typeof value;
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

export const otherLength = (port: Port, elements: number, shape: readonly number[]) =>
  new LaunchError(`${describe(port)} is given ${elements} elements with the shape [${textOf(shape)}]`);

export const noArray = (port: Port, backend: string, value: unknown) => {
  const what = `a list, a typed array${backend === "wasm" ? "" : ", a GPUBuffer"} or a Buffer`;
  return new LaunchError(`${port.name} is ${told(value)}; ${what} is expected, as ${describe(port)}`);
};

const axes = (count: number) => (count === 1 ? "1 axis" : `${count} axes`);

export const otherRank = (port: Port, shape: readonly number[]) => {
  const wanted = port.shape.length;
  return new LaunchError(`${port.name} has ${axes(shape.length)}; ${axes(wanted)} ${wanted === 1 ? "is" : "are"} expected`);
};

export const noShape = (port: Port) => new LaunchError(`${describe(port)} needs its shape: give {data, shape}, or a Buffer that has it`);

export const otherShape = (port: Port, wanted: readonly number[], given: number | readonly number[]) =>
  new LaunchError(`${port.name} has the shape [${given}]; [${wanted}] is expected, as ${describe(port)}`);

export const tooLarge = (port: Port, wanted: readonly number[]) =>
  new LaunchError(`${describe(port)} has the shape [${wanted}] here, which is too large`);

/** What is wrong with a number as a scalar. */
export function scalar(name: string, type: Type, value: unknown): LaunchError {
  const signed = isSigned(type);
  const bits = bitsOf(type) - (signed ? 1 : 0);
  const most = 1n << BigInt(bits);
  const range = bits < 65 ? `${signed ? -most : 0} to ${most - 1n}` : `${signed ? `-2**${bits}` : 0} to 2**${bits} - 1`;
  const digits = typeof value === "bigint" ? (value < 0n ? -value : value).toString(2).length : 0;
  let wanted = `, ${range}`;
  if ((typeof value !== "number" && typeof value !== "bigint") || isFloat(type)) wanted = ", a number";
  else if (typeof value === "number" && !Number.isInteger(value)) wanted = ", an integer";
  else if (typeof value === "number" && !Number.isSafeInteger(value)) wanted = ": give a BigInt for integers that large";
  return new LaunchError(`${name} is ${digits > 256 ? `an integer of ${digits} bits` : told(value)}; ${type} is expected${wanted}`);
}

export const oneBuffer = (port: Port, other: Port) =>
  new InvalidBuffer(`${port.name}, ${other.name} are one buffer, and more than one of them is written`);

// Sizes

const OPTIONS = {
  steps: "a positive integer",
  seconds: "a number above 0",
  output: "'array' or 'buffer'",
  signal: "an AbortSignal",
  print: "a function that takes a line",
  progress: "a function",
  weights: "an address, bytes, a Blob, a Response or a ReadableStream",
  threads: "a number of threads, 1 to 64",
};

export const noOption = (name: string, names: readonly string[]) =>
  new LaunchError(`there is no option '${name}'${like(name, names)} there are ${names.join(", ")}`);

export const option = (name: keyof typeof OPTIONS, value: unknown) =>
  new LaunchError(`${name} is ${OPTIONS[name]}, not ${textOf(value)}`);

export const noPicture = () => new LaunchError("pictures and colours are Buffers");

export const stepLimit = (most: number) =>
  new ExecutionError("StepLimit", null, `a plan runs at most ${most} steps: split the work, or repeat less`);

export const temporary = (name: string, bytes: number, size: Formula) =>
  new LaunchError(`the temporary ${name} has ${bytes} bytes (${text(size)})`);

export const readOf = (at: number, size: number, bytes: number) =>
  new LaunchError(`a value of ${size} bytes at offset ${at} is wanted of a buffer that has ${bytes}`);

export const copy = (from: number, to: number) => new LaunchError(`a copy of ${from} bytes into ${to} bytes`);

export const lanes = (lanes: readonly number[], grid: readonly number[], block: readonly number[]) =>
  new LaunchError(`[${lanes}] lanes do not fit a grid of [${grid}] blocks [${block}]`);

export const manyLanes = (total: number) =>
  new LaunchError(`the launch has ${total} lanes: at most 2**31 - 1 are allowed; launch parts of it`);

// Formulas

const where = (formula: Formula, values: Values): string => {
  const names = new Set(formula.filter((token): token is string => values.has(token as string)));
  const known = [...names].map((name) => `${name} = ${values.get(name)}`).join(", ");
  return known && ` with ${known}`;
};

export const unset = (formula: Formula, name: string) =>
  new LaunchError(`the formula ${text(formula)} needs ${name}: give the argument that has it`);

export const zero = (formula: Formula, values: Values) =>
  new LaunchError(`the formula ${text(formula)} divides by zero${where(formula, values)}`);

export const range = (formula: Formula, values: Values) =>
  new LaunchError(`the formula ${text(formula)} leaves the range of 53 bits${where(formula, values)}`);
