import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Runtime } from "../src/index.js";
import { STDLIB, loadStdlib } from "../src/stdlib.js";

const base = new URL("../../build/e2e/", import.meta.url);

test("kernels of the standard library are loaded by name, and run", async () => {
  const runtime = await Runtime.create({ backend: "wasm" });
  const add = await loadStdlib(runtime, "vector_add"); // of the package, where they are modules
  expect(await add.run({ a: [1, 2, 3], b: [10, 20, 30], n: 2 })).toEqual(new Float32Array([11, 22])); // no array for the result
  const given = add.run({ a: [1, 2, 3], b: [10, 20, 30], c: [5, 5, 5], n: 2 });
  await expect(given).rejects.toThrow("c has the shape [3]; [2] is expected, as c: f32[n] write");
  const product = await loadStdlib(runtime, "matmul");
  expect(await product.run({ A: [1, 2, 3, 4, 5, 6], B: [1, 0, 2], M: 2, N: 1, K: 3 })).toEqual(new Float32Array([7, 16]));
  const softmax = await loadStdlib(runtime, "softmax", base);
  const found = await softmax.run({ X: new Float32Array([1, 1, -1e30]), n: 3 });
  expect(found).toEqual({ MaxVal: new Float32Array([1]), Y: new Float32Array([0.5, 0.5, 0]) });
  await runtime.close();
});

test("a folder that one has made, and a server that has none of it", async () => {
  const runtime = await Runtime.create({ backend: "wasm" });
  expect((await loadStdlib(runtime, "relu", base).then(null, (error) => error)).message).toMatch(/build\/e2e\/stdlib\/relu\.holo cannot be read: Error: ENOENT/);
  const server = createServer((_, response) => response.end("<html>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/assets/`;
  await expect(loadStdlib(runtime, "relu", address)).rejects.toThrow(`${address}stdlib/relu.holo looks like HTML`);
  server.close();
  await runtime.close();
});

test("other names are refused", async () => {
  expect(STDLIB).toHaveLength(60);
  const runtime = await Runtime.create({ backend: "wasm" });
  // @ts-expect-error: no such name
  const missing = loadStdlib(runtime, "vector_root", base);
  await expect(missing).rejects.toThrow("the standard library has no 'vector_root': it has vector_add, ");
  await runtime.close();
});
