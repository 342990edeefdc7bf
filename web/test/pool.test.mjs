// The bundled pool, whose workers are files.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ranOn } from "../dist/index.js";
import { Pool } from "../dist/pool.js";

const saxpy = fileURLToPath(new URL("../../build/e2e/saxpy.holo", import.meta.url));

test("runs are shared by workers, and arrays are handed over where one says so", async () => {
  const pool = await Pool.create({ size: 2, backend: "wasm" });
  expect(pool.info).toMatchObject({ selected: "wasm", device: "WebAssembly" });
  const one = (a) => pool.run(saxpy, { a, x: [1, 2], y: [10, 20] });
  expect((await Promise.all([1, 2, 3, 4].map(one))).map((y) => [...y])).toEqual([1, 2, 3, 4].map((a) => [10 + a, 20 + 2 * a]));
  expect(ranOn(await one(5))).toMatchObject({ selected: "wasm", device: "WebAssembly" });
  const [x, y] = [new Float32Array([1]), new Float32Array([5])];
  expect([...(await pool.run(readFileSync(saxpy), { a: 2, x, y }))]).toEqual([7]);
  expect(x.length).toBe(1);
  expect([...(await pool.run(saxpy, { a: 2, x, y: { data: y, shape: [1] } }, { transfer: true }))]).toEqual([7]);
  expect([x.length, y.length]).toEqual([0, 0]);
  pool.close();
  await expect(one(1)).rejects.toThrow("the pool was closed");
});

test("errors are those of the worker's run", async () => {
  const pool = await Pool.create({ size: 1, backend: "wasm" });
  const beyond = fileURLToPath(new URL("../../build/e2e/beyond.holo", import.meta.url));
  const error = await pool.run(beyond, { x: [1, 2], y: [0, 0] }).then(null, (found) => found);
  expect(error).toMatchObject({ name: "ExecutionError", kind: "OutOfBounds", lane: 1, line: "beyond.py:5: y[i] = x[i + 1]" });
  expect(`${error}`).toMatch(/^ExecutionError: OutOfBounds .*\nbeyond\.py:5: y\[i\] = x\[i \+ 1\]$/);
  await expect(pool.run(saxpy, { a: 1, x: [1], y: [1], z: 2 })).rejects.toThrow("'z' is no port");
  await expect(pool.run(saxpy, { a: () => 1 })).rejects.toThrow(/cannot be sent to a worker: DataCloneError/);
  await expect(pool.run("no.holo", {})).rejects.toThrow("no.holo cannot be read");
  await expect(pool.run(saxpy, { a: 1, x: [1], y: [1] }, { output: "buffer" })).rejects.toThrow("there is no option 'output'");
  const running = pool.run(saxpy, { a: 1, x: [1], y: [1] });
  pool.close();
  await expect(running).rejects.toThrow("the pool was closed");
  await expect(Pool.create({ size: 0 })).rejects.toThrow("size is a number of workers, 1 to 64, not 0");
  await expect(Pool.create({ size: 1, backend: "webgpu" })).rejects.toMatchObject({ name: "BackendUnavailable", backend: "webgpu" });
});
