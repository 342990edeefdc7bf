/** The tensor library's operations by their names: each is an artifact, loaded when it is first called. */
import type { Buffer } from "./buffer.js";
import { LaunchError, reading, telling, textOf } from "./errors.js";
import { product } from "./internal.js";
import type { Operations } from "./ops.gen.js";
import { OPERANDS } from "./ops.gen.js";
import { unpacked } from "./packed.js";
import type { Input, Program, ShapedArray } from "./program.js";
import type { Runtime } from "./runtime.js";
import type { Elements } from "./types.js";

export type { Operations } from "./ops.gen.js";
/** An array: one of more than one axis says its shape, or is a Buffer, or the promise of one that another operation gives. */
export type Operand = Elements | ShapedArray | Buffer | Promise<Buffer>;
export type OperationName = keyof Operations;

export const OPERATIONS = Object.keys(OPERANDS) as OperationName[];

const DATA = (value: any): Input => value?.data ?? value;

/** The shape that a value says. */
function shapeOf(value: any): readonly number[] | undefined {
  const shape = value?.shape ?? (value?.length >= 0 ? [value.length] : undefined);
  return Array.isArray(shape) ? shape : undefined;
}

/** A shape with so many axes: those in front are one, and where there are too few there are some of length 1. */
function fitted(shape: readonly number[], rank: number): number[] {
  const cut = shape.length - rank + 1;
  return cut < 1 ? [...Array<number>(1 - cut).fill(1), ...shape] : [product(shape.slice(0, cut)), ...shape.slice(cut)];
}

async function call(program: Program, name: OperationName, given: readonly unknown[]): Promise<Buffer> {
  const names: readonly string[] = OPERANDS[name];
  if (given.length < names.length || given.length > names.length + 1) {
    throw new LaunchError(`${name} takes ${names.join(", ")}: ${given.length} ${given.length === 1 ? "is" : "are"} given`);
  }
  const values = await Promise.all(given.slice(0, names.length));
  const ports = new Map(program.ports.map((port) => [port.name, port.shape]));
  const args: Record<string, any> = reading("the options", () => ({ ...(given[names.length] as object | undefined) }));
  for (const key in args) {
    if (ports.has(key) && !names.includes(key) && key !== "out") continue;
    throw new LaunchError(`${name} has no option '${key}'`);
  }
  const first = ports.get(names[0]!)!;
  const shape = reading(names[0]!, () => shapeOf(values[0]));
  const lead = shape && [first.join(), shape.join()]; // what has the shape of the first operand has all of it
  names.forEach((key, k) => {
    const found = reading(key, () => shapeOf(values[k]));
    const alike = ports.get(key)!.join() === lead?.[0];
    if (alike && found && found.join() !== lead[1]) throw new LaunchError(`${key} of ${name} has the shape [${found}]; [${shape}] is expected`);
    args[key] = alike && shape ? { data: reading(key, () => DATA(values[k])), shape: fitted(shape, first.length) } : values[k];
  });
  const result = (await program.run(args, { output: "buffer" })) as Buffer;
  const out = ports.get("out")!;
  if (shape && out[0] === first[0]) {
    const own = Math.max(shape.length - first.length + 1, 0);
    (result as { shape: readonly number[] }).shape = [...shape.slice(0, own), ...result.shape.slice(1)];
  }
  return result;
}

/** The operations on a runtime: `const ops = operationsOn(runtime); const c = await ops.matmul(a, b)`. */
export function operationsOn(runtime: Runtime): Operations {
  if (typeof reading("the runtime", () => runtime?.load) !== "function") throw new LaunchError(`operationsOn takes a Runtime, not ${textOf(runtime)}`);
  const loaded = new Map<OperationName, Promise<Program>>();
  function load(name: OperationName): Promise<Program> {
    let program = loaded.get(name);
    if (!program) {
      program = unpacked(() => import("./ops/index.js"), name).then((bytes) => runtime.load(bytes));
      loaded.set(name, program);
      program.catch(() => loaded.delete(name)); // the next call tries again
    }
    return program;
  }
  const one = (name: OperationName) => (...given: unknown[]) => telling(async () => call(await load(name), name, given));
  return Object.fromEntries(OPERATIONS.map((name) => [name, one(name)])) as unknown as Operations;
}
