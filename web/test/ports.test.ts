/** The types of runs: what is wrong here is found by `npm run typecheck`, which reads the comments that expect errors. */
import { expect, expectTypeOf, test } from "vitest";
import type { Buffer, Program, Runtime } from "../src/index.js";

type Saxpy = Program<{
  a: { dtype: "f32"; access: "scalar" };
  x: { dtype: "f32"; access: "read"; rank: 1 };
  y: { dtype: "f32"; access: "read_write"; rank: 1 };
}>;
type Two = Program<{
  n: { dtype: "u32"; access: "scalar"; optional: true };
  wide: { dtype: "u256"; access: "write"; rank: 1 };
  bytes: { dtype: "u8"; access: "write"; rank: 2 };
}>;

/** Never called: it is read by the type checker. */
async function typed(runtime: Runtime) {
  const [x, y] = [new Float32Array(3), new Float32Array(3)];
  const saxpy = await runtime.load<Saxpy>("saxpy.holo");
  expectTypeOf(await saxpy.run({ a: 2, x, y })).toEqualTypeOf<Float32Array>();
  expectTypeOf(await saxpy.run({ a: 2, x, y }, { output: "buffer" })).toEqualTypeOf<Buffer<"f32">>();
  const kept = runtime.buffer("f32", 3);
  expectTypeOf(await kept.read()).toEqualTypeOf<Float32Array>();
  expectTypeOf(await saxpy.run({ a: 2, x, y: kept })).toEqualTypeOf<Buffer<"f32">>();
  await saxpy.run({ a: 2, x: { data: x, shape: [3] }, y });
  // @ts-expect-error x is missing
  await saxpy.run({ a: 2, y });
  // @ts-expect-error there is no z
  await saxpy.run({ a: 2, x, y, z: x });
  // @ts-expect-error of another type
  await saxpy.run({ a: 2, x: new Float64Array(3), y });
  // @ts-expect-error a Buffer of another type
  await saxpy.run({ a: 2, x: runtime.buffer("i32", 3), y });
  // @ts-expect-error an array where a number is expected
  await saxpy.run({ a: x, x, y });

  const two = await runtime.load<Two>("two.holo");
  const found = await two.run({});
  expectTypeOf(found).toEqualTypeOf<{ wide: bigint[]; bytes: Uint8Array }>();
  expectTypeOf((await two.run({ wide: runtime.buffer("u256", 3) })).wide).toEqualTypeOf<Buffer<"u256">>();

  const any = await runtime.load("any.holo"); // without types any arguments are taken
  expectTypeOf(await any.run({ q: 1 })).toBeAny();
}

test("types of runs are checked by the compiler", () => {
  expect(typed).toBeTypeOf("function");
});
