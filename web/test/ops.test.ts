import { afterAll, beforeAll, describe, expect, expectTypeOf, test, vi } from "vitest";
import { WasmDevice } from "../src/backends/wasm.js";
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

  test("memory is taken for this backend's temporaries alone", async () => {
    // On WebGPU attention has its scores in memory, 1 MiB of these; on WebAssembly a block keeps those of a few rows.
    const allocate = vi.spyOn(WasmDevice.prototype, "allocate");
    const rows = runtime.buffer("f32", { shape: [1, 1, 512, 32] });
    await ops.causal_attention(rows, rows, rows);
    expect(Math.max(...allocate.mock.calls.map(([bytes]) => bytes))).toBeLessThan(512 * 512);
    allocate.mockRestore();
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

  test("along an axis", async () => {
    const x = given([2, 3, 2], 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    expect(await found(ops.gather(x, [2, 0], { axis: 1 }))).toEqual([[2, 2, 2], [4, 5, 0, 1, 10, 11, 6, 7]]);
    expect(await found(ops.gather(x, [1]))).toEqual([[1, 3, 2], [6, 7, 8, 9, 10, 11]]);
    expect(await found(ops.gather([5, 6, 7], [2, -3]))).toEqual([[2], [7, 5]]);
    expect(await found(ops.concat(x, given([2, 3, 1], 20, 21, 22, 23, 24, 25), { axis: -1 }))).toEqual(
      [[2, 3, 3], [0, 1, 20, 2, 3, 21, 4, 5, 22, 6, 7, 23, 8, 9, 24, 10, 11, 25]],
    );
    expect(await found(ops.slice(x, { axis: 1, start: 1, count: 1 }))).toEqual([[2, 1, 2], [2, 3, 8, 9]]);
    expect(await found(ops.pad([1, 2], { before: 1, after: 2, value: 9 }))).toEqual([[5], [9, 1, 2, 9, 9]]);
    expect(await found(ops.flip(given([2, 2], 1, 2, 3, 4), { axis: 1 }))).toEqual([[2, 2], [2, 1, 4, 3]]);
    expect(await found(ops.scatter_add([1, 1, 1], [5, 7], [2, 2]))).toEqual([[3], [1, 1, 13]]);
    await expect(ops.slice(x, { axis: 1, start: 2, count: 2 })).rejects.toThrow("index 3 of axis 1 of x is beyond its length, which is 3");
    await expect(ops.flip(x, { axis: 3 })).rejects.toThrow("flip has no axis 3: x has 3");
    await expect(ops.concat(x, given([1, 1, 2], 1, 2), { axis: 1 })).rejects.toThrow("b of concat has the shape [1,1,2]; but for axis 1 it is [2,3,2]");
  });

  test("integers, several results, none given", async () => {
    const sum = await ops.add(ops.add(Int32Array.of(1, 2_000_000_001), Int32Array.of(2, 2)), runtime.buffer("i32", [0, 1]));
    expect([...(await sum.read())]).toEqual([3, 2_000_000_004]);
    expectTypeOf(sum).toEqualTypeOf<Buffer<"i32">>();
    expectTypeOf(ops.add([1], [2])).resolves.toEqualTypeOf<Buffer<"f32">>();
    expect(await found(ops.and([12, 10], Int32Array.of(10, -1)))).toEqual([[2], [8, 10]]);
    expect([...(await (await ops.add([7], Int32Array.of(2))).read())]).toEqual([9]);
    const rows = ops.gather({ data: Int32Array.of(1, 2, 3, 4), shape: [2, 2] }, [1]);
    expectTypeOf(rows).resolves.toEqualTypeOf<Buffer<"i32">>();
    expect(await found(rows)).toEqual([[1, 2], [3, 4]]);
    const { values, places } = await ops.top_k(given([2, 3], 1, 5, 3, 9, 8, 7), { k: 2 });
    expectTypeOf(places).toEqualTypeOf<Buffer<"i32">>();
    expect([values.shape, [...(await values.read())], [...(await places.read())]]).toEqual([[2, 2], [5, 3, 9, 8], [1, 2, 0, 1]]);
    const [shape, drawn] = await found(ops.random({ count: 5, seed: 1 }));
    expect(shape).toEqual([5]);
    expect(drawn.every((each) => each >= 0 && each < 1)).toBe(true);
    expect((await found(ops.random({ count: 2, seed: 1, offset: 3 })))[1]).toEqual(drawn.slice(3));
    const image = given([1, 2, 1, 2], 1, 3, 10, 30);
    expect((await found(ops.group_norm(image, [1, 1], [0, 1], { groups: 2, eps: 0 })))).toEqual([[1, 2, 1, 2], [-1, 1, 0, 2]]);
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
    // @ts-expect-error: one of each
    await expect(ops.add(Float32Array.of(1), Int32Array.of(1))).rejects.toThrow("b is of type Int32Array; a list or Float32Array is expected");
    // @ts-expect-error: k has to be said
    await expect(ops.top_k(a, {})).rejects.toThrow(/k/);
    // @ts-expect-error: has no axis
    await expect(ops.relu(a, { axis: 0 })).rejects.toThrow("relu has no option 'axis'");
    // @ts-expect-error: no Runtime
    expect(() => operationsOn(null)).toThrow("operationsOn takes a Runtime, not null");
    expect(OPERATIONS).toContain("attention");
    await expect(ops.attention(a, a, a)).rejects.toThrow("attention of the package cannot be loaded"); // the tests have some of them
  });
});
