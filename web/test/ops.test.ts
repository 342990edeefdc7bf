import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import type { Buffer } from "../src/index.js";
import { Runtime } from "../src/index.js";
import type { Operations } from "../src/ops.js";
import { OPERATIONS, operationsOn } from "../src/ops.js";

let runtime: Runtime;
let ops: Operations;
beforeAll(async () => {
  runtime = await Runtime.create({ backend: "wasm" });
  ops = operationsOn(runtime);
});
afterAll(() => runtime.close());

const given = (shape: number[], ...data: number[]) => ({ data: new Float32Array(data), shape });
async function found(result: Promise<Buffer>): Promise<[readonly number[], number[]]> {
  const buffer = await result;
  return [buffer.shape, [...((await buffer.read()) as Float32Array)]];
}

describe("operations by name", () => {
  test("products, chained, of Buffers and data", async () => {
    const a = given([2, 3], 1, 2, 3, 4, 5, 6);
    const b = runtime.buffer("f32", [1, 0, 0, 1, 1, 1], { shape: [3, 2] });
    expect(await found(ops.matmul(a, b))).toEqual([[2, 2], [4, 5, 10, 11]]);
    expect(await found(ops.relu(ops.add(ops.matmul(a, b), given([2, 2], -10, 0, 0, -10))))).toEqual([[2, 2], [0, 5, 10, 1]]);
    expect(await found(ops.linear(a, given([2, 3], 1, 0, 0, 0, 1, 1), [10, 20]))).toEqual([[2, 2], [11, 25, 14, 31]]);
    expectTypeOf(ops.matmul(a, b)).resolves.toEqualTypeOf<Buffer<"f32">>();
    expectTypeOf(ops.arg_max(a)).resolves.toEqualTypeOf<Buffer<"i32">>();
  });

  test("axes in front are kept", async () => {
    const x = given([2, 2, 2], 0, 0, 1, 1, 5, 5, -1, -1);
    expect(await found(ops.softmax(x))).toEqual([[2, 2, 2], Array(8).fill(0.5)]);
    expect(await found(ops.arg_max(given([2, 1, 2], 3, 4, 9, 8)))).toEqual([[2, 1], [1, 0]]);
    expect(await found(ops.relu(x))).toEqual([[2, 2, 2], [0, 0, 1, 1, 5, 5, 0, 0]]);
    expect(await found(ops.matmul(x, given([2, 1], 1, 1)))).toEqual([[2, 2, 1], [0, 2, 10, -2]]);
    expect(await found(ops.softmax([1, 1]))).toEqual([[2], [0.5, 0.5]]);
    expect(await found(ops.relu([]))).toEqual([[0], []]);
    expect(await found(ops.sum(x))).toEqual([[2, 2], [0, 2, 10, -2]]);
    expect(await found(ops.sum([1, 2, 3.5]))).toEqual([[], [6.5]]);
    expect(await found(ops.transpose(given([2, 3], 1, 2, 3, 4, 5, 6)))).toEqual([[3, 2], [1, 4, 2, 5, 3, 6]]);
  });

  test("options, images", async () => {
    const [, rows] = await found(ops.layer_norm(given([1, 2], 1, 3), [1, 1], [0, 0], { eps: 3 }));
    expect(rows).toEqual([-0.5, 0.5]);
    expect((await found(ops.layer_norm(given([1, 2], 1, 3), [1, 1], [0, 0])))[1][1]).toBeCloseTo(1, 4);
    const image = given([1, 1, 2, 3], 1, 2, 3, 4, 5, 6);
    expect(await found(ops.conv2d(image, given([1, 1, 2, 2], 1, 0, 0, 1)))).toEqual([[1, 1, 1, 2], [6, 8]]);
  });

  test("mistakes", async () => {
    const a = given([2, 2], 1, 2, 3, 4);
    await expect(ops.add(a, given([4], 1, 2, 3, 4))).rejects.toThrow("b of add has the shape [4]; [2,2] is expected");
    await expect(ops.matmul(a, given([3, 1], 1, 2, 3))).rejects.toThrow("b has the shape [3,1]; [2,1] is expected, as b: f32[k, n] read");
    // @ts-expect-error: too few
    await expect(ops.matmul(a)).rejects.toThrow("matmul takes a, b: 1 is given");
    // @ts-expect-error: no such option
    await expect(ops.layer_norm(a, [1, 1], [0, 0], { epsilon: 1 })).rejects.toThrow("layer_norm has no option 'epsilon'");
    // @ts-expect-error: not an option
    await expect(ops.relu(a, { out: a })).rejects.toThrow("relu has no option 'out'");
    await expect(ops.matmul([1, 2], [3, 4])).rejects.toThrow(/b.* needs its shape/);
    // @ts-expect-error: no Runtime
    expect(() => operationsOn(null)).toThrow("operationsOn takes a Runtime, not null");
    expect(OPERATIONS).toContain("attention");
    await expect(ops.attention(a, a, a)).rejects.toThrow("attention of the package cannot be loaded"); // the tests have ten of them
  });
});
