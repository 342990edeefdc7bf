/** The tensor library's operations by their names: each is an artifact, loaded when it is first called. */
import type { Buffer } from "./buffer.js";
import { LaunchError, reading, telling, textOf } from "./errors.js";
import { product } from "./internal.js";
import type { Operations } from "./ops.gen.js";
import { OPERANDS, RESULTS, TYPES } from "./ops.gen.js";
import { unpacked } from "./packed.js";
import type { Input, Program } from "./program.js";
import type { Runtime } from "./runtime.js";

export type { Operations } from "./ops.gen.js";
/** What holds numbers of a type; where a list may be of several, it is F32. */
export interface Numbers {
  f32: Float32Array | readonly number[];
  i32: Int32Array | readonly number[];
  f16: Uint16Array | readonly number[];
}
/** An array: one of more than one axis says its shape, or is a Buffer, or the promise of one that another operation gives. */
export type Operand<T extends keyof Numbers = "f32"> =
  | Numbers[T]
  | { data: Numbers[T] | Buffer<T> | GPUBuffer; shape: readonly number[] }
  | Buffer<T>
  | Promise<Buffer<T>>;
export type OperationName = keyof Operations;

export const OPERATIONS = Object.keys(OPERANDS) as OperationName[];

const DATA = (value: any): Input => value?.data ?? value;

/** The shape that a value says. */
function shapeOf(value: any): readonly number[] | undefined {
  const shape = value?.shape ?? (value?.length >= 0 ? [value.length] : undefined);
  return Array.isArray(shape) ? shape : undefined;
}

/** The type of elements that a value says; a list says none. */
function typeOf(value: any): string | undefined {
  const data: any = DATA(value);
  return data?.dtype ?? (data instanceof Int32Array ? "i32" : data instanceof Float32Array ? "f32" : undefined);
}

/** A shape as one of so many axes: those in front are one, and where there are too few there are some of length 1. */
function fitted(shape: readonly number[], rank: number): number[] {
  const cut = shape.length - rank + 1;
  return cut < 1 ? [...Array<number>(1 - cut).fill(1), ...shape] : [product(shape.slice(0, cut)), ...shape.slice(cut)];
}

const without = (shape: readonly number[], axis: number) => shape.filter((_, k) => k !== axis);

/** How a shape is one of an operation's: along an axis, or with axes at the end or in front as one. */
function laid(shape: readonly number[], names: readonly string[], axis: number): number[] {
  if (names[2] === "inner") return [product(shape.slice(0, axis)), shape[axis]!, product(shape.slice(axis + 1))];
  if (names[2] === "spatial" && shape.length > 1) return [shape[0]!, shape[1]!, product(shape.slice(2))];
  return fitted(shape, names.length);
}

/** The shape of a result, with the axes that the first operand has. */
function restored(found: readonly number[], shape: readonly number[], names: readonly string[], out: readonly string[], axis: number): readonly number[] {
  if (names[2] === "inner") return [...shape.slice(0, axis), found[1]!, ...shape.slice(axis + 1)];
  if (names[2] === "spatial") return shape;
  if (out[0] !== names[0]) return found;
  return [...shape.slice(0, Math.max(shape.length - names.length + 1, 0)), ...found.slice(1)];
}

async function call(load: (name: string) => Promise<Program>, name: OperationName, given: readonly unknown[]): Promise<unknown> {
  const names: readonly string[] = OPERANDS[name];
  if (given.length < names.length || given.length > names.length + 1) {
    throw new LaunchError(`${name} takes ${names.join(", ") || "options"}: ${given.length} ${given.length === 1 ? "is" : "are"} given`);
  }
  const values = await Promise.all(given.slice(0, names.length));
  const { by, types } = TYPES[name] ?? { by: [], types: ["f32"] };
  const said = by.map((k) => reading(names[k]!, () => typeOf(values[k]))).find((found) => found && types.includes(found));
  const type = said ?? types[0];
  const program = await load(type === "f32" ? name : `${name}_${type}`);
  const ports = new Map(program.ports.map((port) => [port.name, port.shape]));
  const { axis: asked = 0, ...args }: Record<string, any> = reading("the options", () => ({ ...(given[names.length] as object | undefined) }));
  const results = RESULTS[name] ?? ["out"];
  const first = ports.get(names[0]!) ?? [];
  const shape = reading(names[0] ?? "", () => shapeOf(values[0]));
  const along = first[2] === "inner";
  const options = along ? { ...args, axis: asked } : (given[names.length] as object | undefined) ?? {};
  for (const key in options) {
    if ((along && key === "axis") || (ports.has(key) && !names.includes(key) && !results.includes(key))) continue;
    throw new LaunchError(`${name} has no option '${key}'`);
  }
  const rank = shape?.length ?? 1;
  const axis = asked < 0 ? asked + rank : asked;
  if (along && !(Number.isInteger(axis) && axis >= 0 && axis < rank)) {
    throw new LaunchError(`${name} has no axis ${textOf(asked)}: ${names[0]} has ${rank}`);
  }
  names.forEach((key, k) => {
    const found = reading(key, () => shapeOf(values[k]));
    const own = ports.get(key)!;
    const alike = own.join() === first.join(); // what has the shape of the first operand has all of it
    if (alike && found && `${found}` !== `${shape}` ) throw new LaunchError(`${key} of ${name} has the shape [${found}]; [${shape}] is expected`);
    const beside = along && own[2] === "inner" && found && shape;
    if (beside && `${without(found, axis)}` !== `${without(shape, axis)}`) {
      throw new LaunchError(`${key} of ${name} has the shape [${found}]; but for axis ${axis} it is [${shape}]`);
    }
    args[key] = (alike || beside) && found ? { data: reading(key, () => DATA(values[k])), shape: laid(found, own, axis) } : values[k];
  });
  const made = await program.run(args, { output: "buffer" });
  for (const key of shape ? results : []) {
    const result: { shape: readonly number[] } = results.length > 1 ? made[key] : made;
    result.shape = restored(result.shape, shape!, first, ports.get(key)!, axis);
  }
  return made;
}

/** The operations on a runtime: `const ops = operationsOn(runtime); const c = await ops.matmul(a, b)`. */
export function operationsOn(runtime: Runtime): Operations {
  if (typeof reading("the runtime", () => runtime?.load) !== "function") throw new LaunchError(`operationsOn takes a Runtime, not ${textOf(runtime)}`);
  const loaded = new Map<string, Promise<Program>>();
  function load(file: string): Promise<Program> {
    let program = loaded.get(file);
    if (!program) {
      program = unpacked(() => import("./ops/index.js"), file).then((bytes) => runtime.load(bytes));
      loaded.set(file, program);
      program.catch(() => loaded.delete(file)); // the next call tries again
    }
    return program;
  }
  const one = (name: OperationName) => (...given: unknown[]) => telling(() => call(load, name, given));
  return Object.fromEntries(OPERATIONS.map((name) => [name, one(name)])) as unknown as Operations;
}
