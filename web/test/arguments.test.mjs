// Every place of the public API that takes something, with every wrong kind of thing: the answer is a typed error, or it works.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { HologramError, Runtime, ranOn } from "../src/index.ts";
import { loadStdlib } from "../src/stdlib.ts";

const json = (name) => JSON.parse(readFileSync(new URL(`../../build/e2e/${name}`, import.meta.url), "utf-8"));
const file = (name) => new Uint8Array(Buffer.from(json("samples.json")[name].holo, "base64"));
const made = (name) => new Uint8Array(readFileSync(new URL(`../../build/e2e/${name}.holo`, import.meta.url)));
const thrown = () => {
  throw new RangeError("thrown by the caller's object");
};
const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, thrown]));

function detached(array) {
  structuredClone(array.buffer ?? array, { transfer: [array.buffer ?? array] });
  return array;
}

function shrunk() {
  const buffer = new ArrayBuffer(16, { maxByteLength: 32 });
  const view = new Float32Array(buffer, 8, 2);
  buffer.resize(4);
  return view;
}

const VALUES = {
  null: () => null,
  undefined: () => undefined,
  "a Symbol": () => Symbol("s"),
  "a BigInt": () => 3n,
  "a huge BigInt": () => 1n << 100_000n,
  NaN: () => NaN,
  Infinity: () => Infinity,
  "-1": () => -1,
  1.5: () => 1.5,
  "2**60": () => 2 ** 60,
  text: () => "text",
  "a long text": () => "x".repeat(1e5),
  true: () => true,
  "an object": () => ({}),
  "an object without prototype": () => Object.create(null),
  "an object without text": () => ({ toString: thrown, valueOf: thrown }),
  "an object whose text is none": () => ({ toString: () => ({}) }),
  "a getter that throws": () => ({ get data() { return thrown(); }, get backend() { return thrown(); }, get a() { return thrown(); }, get aborted() { return thrown(); }, get base() { return thrown(); }, get steps() { return thrown(); } }),
  "a proxy that throws": () => new Proxy({}, traps),
  "a proxy of an array that throws": () => new Proxy([1], traps),
  "a revoked proxy": () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; },
  "a throwing thrower": () => ({ get data() { throw { toString: thrown }; } }),
  "a function": () => () => 3,
  "a list": () => [1, 2],
  "a list with a hole": () => [1n, , 3n], // eslint-disable-line no-sparse-arrays
  "a list of Symbols": () => [Symbol("s")],
  "a long list": () => Array(10_000).fill(1),
  "a Promise": () => Promise.resolve(3),
  "a Map": () => new Map(),
  "a Date": () => new Date(NaN),
  "an ArrayBuffer": () => new ArrayBuffer(8),
  "a detached ArrayBuffer": () => detached(new ArrayBuffer(8)),
  "a detached array": () => detached(new Float32Array(4)),
  "a detached list of bytes": () => detached(new Uint8Array(64)),
  "a view of shared memory": () => new Float32Array(new SharedArrayBuffer(16)),
  "shared memory": () => new SharedArrayBuffer(16),
  "a view of memory that shrank": shrunk,
  "a view of memory that may grow": () => new Float32Array(new ArrayBuffer(16, { maxByteLength: 32 })),
  "a DataView": () => new DataView(new ArrayBuffer(16)),
  "an array of another type": () => new Float64Array(4),
  "Node's Buffer": () => Buffer.alloc(16),
  "an array that lies about its class": () => Object.defineProperty(new Uint8Array(3), "constructor", { value: Float32Array }),
  "an array without a class": () => Object.defineProperty(new Float32Array(4), "constructor", { value: null }),
  "an odd number of bytes": () => new Uint8Array(7),
};

let runtime, other, good, saxpy, wide, outside;
beforeAll(async () => {
  runtime = await Runtime.create({ backend: "wasm" });
  other = await Runtime.create({ backend: "wasm" });
  good = file("saxpy");
  saxpy = await runtime.load(good);
  wide = await runtime.load(made("wide"));
  outside = made("outside");
});

const arrays = () => ({ a: 2, x: new Float32Array(4), y: new Float32Array(4) });

const buffers = () => ({ a: 2, x: runtime.buffer("f32", 4), y: runtime.buffer("f32", 4) });

const CALLS = {
  "create(v)": (v) => Runtime.create(v),
  "create({backend: v})": (v) => Runtime.create({ backend: v }),
  "create({device: v})": (v) => Runtime.create({ device: v }),
  "create({gpu: v})": (v) => Runtime.create({ backend: "webgpu", gpu: v }),
  "create({gpu: v}) of any backend": (v) => Runtime.create({ gpu: v }),
  "create({powerPreference: v})": (v) => Runtime.create({ powerPreference: v }),
  "load(v)": (v) => runtime.load(v),
  "load(file, v)": (v) => runtime.load(good, v),
  "load(file, {base: v})": (v) => runtime.load(outside, { base: v }),
  "load(file, {weights: v})": (v) => runtime.load(outside, { weights: v }),
  "load(file, {signal: v})": (v) => runtime.load(outside, { weights: new Uint8Array(9), signal: v }),
  "load(file, {progress: v})": (v) => runtime.load(outside, { weights: new Uint8Array(9), progress: v }),
  "buffer(v)": (v) => runtime.buffer(v, 4),
  "buffer(type, v)": (v) => runtime.buffer("f32", v),
  "buffer(type, 4, v)": (v) => runtime.buffer("f32", 4, v),
  "buffer(type, array, v)": (v) => runtime.buffer("f32", new Float32Array(4), v),
  "buffer(wide, v)": (v) => runtime.buffer("u128", v),
  "buffer(wide, [v])": (v) => runtime.buffer("u128", [1n, v]),
  "buffer(type, [v])": (v) => runtime.buffer("u8", [v]),
  "buffer(type, {shape: v})": (v) => runtime.buffer("f32", { shape: v }),
  "buffer(type, array, {shape: v})": (v) => runtime.buffer("f32", [1, 2], { shape: v }),
  "ranOn(v)": (v) => ranOn(v),
  "write(v)": (v) => runtime.buffer("f32", 8).write(v),
  "write(array, v)": (v) => runtime.buffer("f32", 8).write(new Float32Array(2), v),
  "write(wide)": (v) => runtime.buffer("u128", 8).write([v]),
  "run(v)": (v) => saxpy.run(v),
  "run({a: v})": (v) => saxpy.run({ ...arrays(), a: v }),
  "run({x: v})": (v) => saxpy.run({ ...arrays(), x: v }),
  "run({x: {data: v}})": (v) => saxpy.run({ ...arrays(), x: { data: v } }),
  "run({x: {data, shape: v}})": (v) => saxpy.run({ ...arrays(), x: { data: new Float32Array(4), shape: v } }),
  "run({x: {data, shape: [v]}})": (v) => saxpy.run({ ...arrays(), x: { data: new Float32Array(4), shape: [v] } }),
  "run({z: v})": (v) => saxpy.run({ ...arrays(), z: v }),
  "run of wide lists": (v) => wide.run({ x: v }),
  "run of wide numbers": (v) => wide.run({ x: [v] }),
  "run(args, v)": (v) => saxpy.run(arrays(), v),
  "run(args, {steps: v})": (v) => saxpy.run(arrays(), { steps: v }),
  "run(args, {signal: v})": (v) => saxpy.run(arrays(), { signal: v }),
  "run(args, {output: v})": (v) => saxpy.run(arrays(), { output: v }),
  "run(args) like one before": (v) => saxpy.run({ a: 2, x: new Float32Array(4), y: v }),
  "record(v)": (v) => runtime.record(v),
  "record([v])": (v) => runtime.record([v]),
  "record([[v, args]])": (v) => runtime.record([[v, buffers()]]),
  "record([[program, v]])": (v) => runtime.record([[saxpy, v]]),
  "record([[program, {x: v}]])": (v) => runtime.record([[saxpy, { ...buffers(), x: v }]]).then((recording) => recording.replay()),
  "record(runs, v)": (v) => runtime.record([[saxpy, buffers()]], v),
  "recording.replay(v)": async (v) => (await runtime.record([[saxpy, buffers()]])).replay(v),
  "recording.replay({signal: v})": async (v) => (await runtime.record([[saxpy, buffers()]])).replay({ signal: v }),
  "encode(v, args)": (v) => saxpy.encode(v, arrays()),
  "encode(encoder, v)": (v) => saxpy.encode({}, v),
  "encode(encoder, args, v)": (v) => saxpy.encode({}, arrays(), v),
  "present(v, buffer)": (v) => runtime.present(v, runtime.buffer("u8", { shape: [2, 2] })),
  "present(canvas, v)": (v) => runtime.present({ getContext: () => null }, v),
  "present(canvas, buffer, v)": (v) => runtime.present({ getContext: () => null }, runtime.buffer("u8", { shape: [2, 2] }), v),
  "present(canvas, buffer, {colours: v})": (v) => runtime.present({ getContext: () => null }, runtime.buffer("u8", { shape: [2, 2] }), { colours: v }),
  "loadStdlib(v)": (v) => loadStdlib(v, "relu"),
  "loadStdlib(runtime, v)": (v) => loadStdlib(runtime, v),
  "loadStdlib(runtime, name, v)": (v) => loadStdlib(runtime, "vector_add", v),
};

async function answer(call, value) {
  try {
    await CALLS[call](value);
    return null;
  } catch (error) {
    return error;
  }
}

describe.each(Object.keys(CALLS))("%s", (call) => {
  test("anything", async () => {
    const untyped = [];
    for (const [name, make] of Object.entries(VALUES)) {
      const error = await answer(call, make());
      if (error === null) continue;
      const typed = error instanceof HologramError && error.message && error.message.length < 5000 && error.name !== "HologramError";
      if (!typed || /undefined is not|\[object Promise\] is not/.test(error.message)) untyped.push([name, `${error.name}: ${error.message}`.slice(0, 300)]);
    }
    expect(untyped).toEqual([]);
    expect(Array.from(await saxpy.run(arrays()))).toEqual([0, 0, 0, 0]);
  });
});

const TEXTS = [
  ["run(args, {steps: v})", () => Symbol("s"), "LaunchError: steps is a positive integer, not Symbol(s)"],
  ["run(args, {output: v})", () => "list", "LaunchError: output is 'array' or 'buffer', not list"],
  ["run(args, {signal: v})", () => new AbortController(), "LaunchError: signal is an AbortSignal, not [object AbortController]"],
  ["run({a: v})", () => Symbol("s"), "LaunchError: a is a symbol; f32 is expected, a number"],
  ["run({x: v})", () => null, "LaunchError: x is null; a list, a typed array or a Buffer is expected, as x: f32[n] read"],
  [
    "run({x: v})",
    () => detached(new Float32Array(4)),
    "LaunchError: the arguments cannot be read: TypeError: Cannot perform %TypedArray%.prototype.slice on a detached ArrayBuffer",
  ],
  ["run({x: v})", VALUES["a getter that throws"], "LaunchError: the arguments cannot be read: RangeError: thrown by the caller's object"],
  ["run of wide numbers", () => Symbol("s"), "LaunchError: x: element 0, Symbol(s), is no i256"],
  ["write(v)", () => null, "LaunchError: content is of type undefined; a list or Float32Array is expected"],
  ["write(v)", () => 5, "LaunchError: content is of type Number; a list or Float32Array is expected"],
  ["write(array, v)", () => 3n, "InvalidBuffer: 8 bytes at offset NaN do not fit a buffer of 32 bytes"],
  ["buffer(v)", () => "f33".repeat(1e5), /^LaunchError: '(f33){59}f3\.\.\.3(f33){6}' is no type: there are f16, /],
  ["buffer(type, v)", () => Symbol("s"), "LaunchError: [Symbol(s)] is no shape"],
  ["buffer(type, array, v)", () => [2, 3], "LaunchError: [2,3] is no shape of 4 elements"],
  ["create({backend: v})", () => Symbol("s"), "BackendUnavailable: backend 'Symbol(s)' is not available: there are 'auto', 'webgpu' and 'wasm'"],
  ["create({device: v})", () => ({}), /^LaunchError: device cannot be read: TypeError: /],
  ["load(v)", () => detached(new ArrayBuffer(8)), /^LaunchError: the artifact cannot be read: TypeError: /],
  ["load(file, {base: v})", () => Symbol("s"), "LaunchError: base is a URL, not Symbol(s)"],
  ["load(file, {weights: v})", () => 5, "LaunchError: weights is an address, bytes, a Blob, a Response or a ReadableStream, not 5"],
  ["load(file, {weights: v})", () => detached(new ArrayBuffer(8)), /^LaunchError: the weights cannot be read: TypeError: /],
  ["load(file, {signal: v})", () => new AbortController(), "LaunchError: signal is an AbortSignal, not [object AbortController]"],
  ["load(file, {progress: v})", () => 5, "LaunchError: progress is a function, not 5"],
  ["loadStdlib(v)", () => null, "LaunchError: loadStdlib takes a Runtime first, not null"],
  ["loadStdlib(runtime, name, v)", () => "no", /^LaunchError: the base cannot be read: TypeError: /],
  ["loadStdlib(runtime, name, v)", () => "file:///no/", "ArtifactError: file:///no/stdlib/vector_add.holo cannot be read: Error: ENOENT: no such file or directory, open '/no/stdlib/vector_add.holo'"],
];

test.each(TEXTS)("%s: %s", async (call, make, text) => {
  const error = await answer(call, make());
  expect(`${error.name}: ${error.message}`).toMatch(typeof text === "string" ? new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`) : text);
});

test("Node's Buffer is taken when the run is asked for, like other arrays", async () => {
  const x = Buffer.from(new Float32Array([1, 2]).buffer);
  const y = runtime.buffer("f32", 2);
  const u8 = await runtime.buffer("u8", Buffer.from([1, 2])).read();
  expect([...u8]).toEqual([1, 2]);
  await expect(saxpy.run({ a: 1, x, y })).rejects.toThrow("is of type Buffer; a list or Float32Array is expected");
});

test("a buffer of another runtime, and a program of a runtime that was closed", async () => {
  await expect(saxpy.run({ ...arrays(), x: other.buffer("f32", 4) })).rejects.toThrow("the buffer belongs to another runtime");
  const program = await other.load(good);
  await other.close();
  await expect(program.run(arrays())).rejects.toThrow("backend 'wasm' is not available: the runtime was closed");
});

test("messages are bounded, and keep what to do", async () => {
  const error = await saxpy.run({ ...arrays(), [`${"y".repeat(300)} `.repeat(1e4)]: 1 }).then(null, (found) => found);
  expect(error.message.length).toBeLessThan(4000);
  expect(error.message).toMatch(/^'y{179}\.\.\.y{20} /);
  expect(error.message).toMatch(/ is no port: it takes a: f32, x: f32\[n\] read, y: f32\[n\] read_write$/);
});
