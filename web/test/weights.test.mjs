import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readArtifact } from "../src/artifact.ts";
import { Runtime } from "../src/index.ts";

// `npm test` writes these with the package: see e2e/samples.py.
const samples = new URL("../../build/e2e/", import.meta.url);
const path = new URL("weighed.holo", samples).pathname;
const weights = new URL("weighed.safetensors", samples).pathname;
const TOTAL = 800_000; // bytes of the two constants

let runtime, server, address, raw, artifact;
const asked = [];
const answers = {
  "/weighed.holo": (response) => response.end(artifact),
  "/weighed.safetensors": (response) => response.end(raw),
  "/cut.safetensors": (response) => response.end(raw.subarray(0, raw.length - 7)),
  "/slow.safetensors": (response) => response.write(raw.subarray(0, 500_000)), // and no more
  "/broken.safetensors": (response) => response.write(raw.subarray(0, 500_000), () => response.destroy()),
};

beforeAll(async () => {
  runtime = await Runtime.create({ backend: "wasm", threads: 1 });
  [artifact, raw] = [await readFile(path), await readFile(weights)];
  server = createServer(({ url, headers }, response) => {
    asked.push([url, headers.range]);
    if (answers[url]) answers[url](response);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});

afterAll(async () => {
  await runtime.close();
  server.closeAllConnections();
  server.close();
});

async function right(program) {
  const y = await program.run({});
  expect(y.length).toBe(100_000);
  for (const i of [0, 1, 16_383, 16_384, 65_535, 99_999]) expect(y[i]).toBe(i * 3 + (i ^ 5));
}

/** A stream of pieces that are none of the sizes that anything has. */
function stream(size = 7_777, bytes = raw) {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(bytes.subarray(at, (at += size))));
      if (at >= bytes.length) controller.close();
    },
  });
}

const GIVEN = {
  "nothing, and a path": () => [path],
  "nothing, and a file: address": () => [pathToFileURL(path)],
  "nothing, and an address": () => [`${address}/weighed.holo`],
  "a path": () => [artifact, relative(process.cwd(), weights)],
  "a file: address": () => [artifact, pathToFileURL(weights)],
  "an address": () => [artifact, `${address}/weighed.safetensors`],
  "an ArrayBuffer": () => [artifact, new Uint8Array(raw).buffer],
  "bytes": () => [artifact, raw],
  "a Blob": () => [artifact, new Blob([raw])],
  "a Response": async () => [artifact, await fetch(`${address}/weighed.safetensors`)],
  "a stream": () => [artifact, stream()],
  "a stream of single bytes at first": () => [artifact, stream(1, raw.subarray(0, 300)).pipeThrough(then(raw.subarray(300)))],
};

const then = (rest) => new TransformStream({ flush: (controller) => controller.enqueue(new Uint8Array(rest)) });

describe.each(Object.keys(GIVEN))("weights from %s", (name) => {
  test("they fill the constants, and tell how far they are", async () => {
    const [source, weights] = await GIVEN[name]();
    const told = [];
    const before = runtime.stats().liveBytes;
    const program = await runtime.load(source, { weights, progress: (done, total) => told.push([done, total]) });
    expect(runtime.stats().liveBytes - before).toBe(TOTAL);
    expect(told.at(-1)).toEqual([TOTAL, TOTAL]);
    expect(told.length).toBe(14); // seven pieces of each
    expect(told.map(([done]) => done)).toEqual(told.map(([done]) => done).sort((a, b) => a - b));
    await right(program);
    program.dispose();
    if (/stream|Response/.test(name)) {
      await expect(program.run({})).rejects.toThrow("ArtifactError: the weights were a stream, which is read once: load the program again, or give their address".slice(15));
    } else await right(program); // which reads them again
    program.dispose();
    await runtime.inTurn(() => {});
    expect(runtime.stats().liveBytes).toBe(before);
  });
});

const ERRORS = {
  "of a stream that ends": [() => stream(5_000, raw.subarray(0, 500_000)), /^the constant b in 'weighed.safetensors', 400000 bytes at \d+, are not all there: was the file cut off\? get it again$/],
  "of bytes that are too few": [() => raw.subarray(0, 80), /^the constant a in 'weighed.safetensors', 400000 bytes at \d+, are not all there/],
  "of a file that was cut off": [() => `${address}/cut.safetensors`, /^the constant b in 'weighed.safetensors', 400000 bytes at \d+, are not all there/],
  "of a changed byte": [() => Uint8Array.from(raw).fill(9, raw.length - 1), /^the constant b in 'weighed.safetensors' is damaged: its 400000 bytes do not have the hash they had: get the file again that was saved with the artifact$/],
  "of other weights": [() => new Uint8Array(raw.length), /^the constant a in 'weighed.safetensors' is damaged/],
  "of an address without a file": [() => `${address}/none`, /^the constant a is in 'weighed.safetensors', which cannot be read: Error: status 404: put that file beside the artifact, or say by `weights` where it is$/],
  "of a path without a file": [() => "no/such", /^the constant a is in 'weighed.safetensors', which cannot be read: Error: ENOENT/],
  "of a connection that breaks": [() => `${address}/broken.safetensors`, /^the constant a is in 'weighed.safetensors', which cannot be read: TypeError/],
  "of a stream of texts": [() => new ReadableStream({ start: (controller) => (controller.enqueue("text"), controller.close()) }), /cannot be read: TypeError: the stream gives no bytes/],
  "of a stream that fails": [() => new ReadableStream({ start: (controller) => controller.error(new Error("no more")) }), /cannot be read: Error: no more/],
};

test.each(Object.entries(ERRORS))("an ArtifactError %s, and no memory is kept", async (_, [make, text]) => {
  const before = runtime.stats().liveBytes;
  const error = await runtime.load(artifact, { weights: make() }).then(null, (found) => found);
  expect(error.name).toBe("ArtifactError");
  expect(error.message).toMatch(text);
  expect(runtime.stats().liveBytes).toBe(before);
});

test("weights that nobody can find, and such that nobody wants", async () => {
  await expect(runtime.load(artifact)).rejects.toThrow("a constant is in 'weighed.safetensors': load the artifact from its address, or give `weights` or a base");
  const whole = await readFile(new URL("wide.holo", samples));
  await expect(runtime.load(whole, { weights: raw })).rejects.toThrow("weights is one file; the artifact has constants in no other file");
  const alone = join(await mkdtemp(join(tmpdir(), "holo-")), "weighed.holo");
  await writeFile(alone, artifact);
  await expect(runtime.load(alone)).rejects.toThrow(/^the constant a is in 'weighed.safetensors', which cannot be read: Error: ENOENT.*weights` where it is$/);
});

test.each([
  ["before", () => AbortSignal.abort(), () => weights],
  ["while a server is slow", () => AbortSignal.timeout(200), () => `${address}/slow.safetensors`],
  ["while a stream gives nothing", () => AbortSignal.timeout(50), () => new ReadableStream({ pull: () => new Promise(() => {}) })],
])("a signal ends the loading %s", async (_, signal, weights) => {
  const before = runtime.stats().liveBytes;
  const error = await runtime.load(artifact, { weights: weights(), signal: signal() }).then(null, (found) => found);
  expect([error.name, error.kind]).toEqual(["ExecutionError", "Cancelled"]);
  expect(runtime.stats().liveBytes).toBe(before);
});

test("a signal ends it between two pieces", async () => {
  const controller = new AbortController();
  const given = { weights: raw, signal: controller.signal, progress: (done) => done > 200_000 && controller.abort() };
  await expect(runtime.load(artifact, given)).rejects.toThrow("Cancelled");
  const failing = { weights: raw, progress: () => { throw new RangeError("mine"); } };
  await expect(runtime.load(artifact, failing)).rejects.toThrow("progress cannot be read: RangeError: mine");
});

test("a file is asked for once, whole if what is wanted is near its start", async () => {
  asked.length = 0;
  const program = await runtime.load(`${address}/weighed.holo`);
  expect(asked).toEqual([["/weighed.holo", undefined], ["/weighed.safetensors", undefined]]);
  program.dispose();
});

test("constants that share bytes, or lie in any order, are read in as many passes as it takes", async () => {
  const { fillerOf } = await import("../src/outside.ts");
  const file = readArtifact(new Uint8Array(artifact));
  const [a, b] = file.blobs;
  const names = [{ name: "b", blob: 0 }, { name: "a", blob: 1 }, { name: "again", blob: 2 }];
  const written = [];
  const device = { allocate: (bytes) => (written.push([bytes, []]), written.length - 1), write: (k, data) => written[k][1].push(...data), free() {} };
  await fillerOf({ ...file, blobs: [b, a, a], constants: names }, { weights: raw }, "")(device);
  const bytes = ({ offset, length }) => [...raw.subarray(offset, offset + length)];
  expect(written.map(([, data]) => Buffer.from(data).equals(Buffer.from(bytes(a))))).toEqual([false, true, true]);
  expect(Buffer.from(written[0][1]).equals(Buffer.from(bytes(b)))).toBe(true);
  await expect(fillerOf({ ...file, blobs: [b, a, a], constants: names }, { weights: stream() }, "")(device)).rejects.toThrow("is read once");
});
