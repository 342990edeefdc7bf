import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import checks from "../../e2e/jobs/runtime.mjs";
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

test("the checks of e2e/jobs/runtime.mjs, on the WebAssembly of Node", { timeout: 120_000 }, async () => {
  const { found } = (await checks({ get, hologram, address }, { backend: "wasm" })).json;
  expect(Object.entries(found).filter(([, text]) => text !== null)).toEqual([]);
});

test("an artifact from before kernels asked whether they go on", async () => {
  const text = String(await get("/tests/artifact/golden/without_poll.txt"));
  const runtime = await hologram.Runtime.create({ backend: "wasm" });
  const plus = await runtime.load(new Uint8Array(Buffer.from(text, "base64")));
  expect([...(await plus.run({ x: new Uint32Array([1, 2, 3]) }))]).toEqual([2, 3, 4]);
});
