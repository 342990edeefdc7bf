import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import checks from "../../e2e/jobs/runtime.mjs";
import { Crew } from "../src/backends/crew.ts";
import * as hologram from "../src/index.ts";

const get = (path) => readFile(new URL(`../..${path}`, import.meta.url));
let server;
let address;

beforeAll(async () => {
  server = createServer(async ({ url, headers }, response) => {
    try {
      const data = await get(url);
      const range = /bytes=(\d+)-(\d+)/.exec(headers.range ?? "");
      response.statusCode = range ? 206 : 200;
      response.end(range ? data.subarray(Number(range[1]), Number(range[2]) + 1) : data);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
afterAll(() => server.close());

test.each(["as they are", "with threads for all launches"])("the checks of e2e/jobs/runtime.mjs, on the WebAssembly of Node, %s", { timeout: 120_000 }, async (how) => {
  const lead = vi.spyOn(Crew.prototype, "lead");
  if (how !== "as they are") {
    vi.stubGlobal("navigator", { hardwareConcurrency: 3 });
    vi.spyOn(Crew.prototype, "wants").mockImplementation(function () {
      return (this.wanted = true);
    });
  }
  const { found } = (await checks({ get, hologram, address, explain: () => import("../src/explain.ts") }, { backend: "wasm" })).json;
  expect(Object.entries(found).filter(([, text]) => text !== null)).toEqual([]);
  if (how !== "as they are") expect(lead.mock.calls.length).toBeGreaterThan(10);
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("an artifact from before kernels asked whether they go on", async () => {
  const text = String(await get("/tests/artifact/golden/without_poll.txt"));
  const runtime = await hologram.Runtime.create({ backend: "wasm" });
  const plus = await runtime.load(new Uint8Array(Buffer.from(text, "base64")));
  expect([...(await plus.run({ x: new Uint32Array([1, 2, 3]) }))]).toEqual([2, 3, 4]);
});

test("scalars that the kernel has default values for need not be given", async () => {
  const runtime = await hologram.Runtime.create({ backend: "wasm" });
  const scaled = await runtime.load(new Uint8Array(await get("/build/e2e/scaled.holo")));
  const x = new Float32Array([8, -2]);
  const runs = [{}, { by: 2 }, {}, { more: 1 }, { by: 2, more: 10n }];
  const found = [];
  for (const more of runs) found.push([...(await scaled.run({ x, ...more }))]);
  expect(found).toEqual([[1, -4], [13, -7], [1, -4], [5, 0], [26, 6]]);
  await expect(scaled.run({ by: 2 })).rejects.toThrow("'x' is missing: it takes x: f32[n] read_write, by: f32, more: i64");
  await expect(scaled.run({ x, more: undefined })).rejects.toThrow("more is undefined; i64 is expected, a number");
  await expect(scaled.run({ x, by: null })).rejects.toThrow("by is null");
});

test("elements of several numbers, complex ones here, are a last axis, which a list of numbers need not say", async () => {
  const runtime = await hologram.Runtime.create({ backend: "wasm" });
  const waves = await runtime.load(new Uint8Array(await get("/build/e2e/waves.holo")));
  expect(waves.ports.map(({ dtype, shape }) => `${dtype}[${shape}]`)).toEqual(["f32[n,2]", "f32[n,2]", "u8[n]"]);
  expect([waves.metadata["element.z"], waves.metadata["element.up"]]).toEqual(["complex64", "bool"]);
  const { out, up } = await waves.run({ z: new Float32Array([1, 2, 3, -4]) });
  expect([...out, ...up]).toEqual([-3, 5, -7, -23, 1, 0]);
  await expect(waves.run({ z: new Float32Array(5) })).rejects.toThrow("z has the shape [5]; [2.5,2] is expected");
});

test("a run of a collective is kept although it checks its operands, and others are not taken for it", async () => {
  const runtime = await hologram.Runtime.create({ backend: "wasm", threads: 1 });
  const total = await runtime.load(new Uint8Array(await get("/build/e2e/total.holo")));
  const [x, less] = [[1, 2, 4, 8], [16, 32]].map((values) => runtime.buffer("f32", values));
  const z = runtime.buffer("f32", 1);
  const sum = async (x, n) => (await (await total.run({ x, n, z })).read())[0];
  expect(await sum(x, 3)).toBe(7);
  const { kept } = total;
  expect(kept.length).toBe(1);
  await x.write(new Float32Array([3]), 0);
  expect(await sum(x, 3)).toBe(9);
  expect(total.kept).toBe(kept);
  expect(await sum(x, 4)).toBe(17);
  expect(await sum(less, 2)).toBe(48);
  await expect(sum(x, 5)).rejects.toThrow("parallel_reduce");
  await expect(sum(less, 3)).rejects.toThrow("parallel_reduce");
  expect(await sum(x, 0)).toBe(0);
  expect(await sum(x, 3)).toBe(9);
  expect(total.kept.length).toBeGreaterThan(3);
});
