import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterEach, expect, test, vi } from "vitest";
import threads from "../../e2e/jobs/threads.mjs";
import { Crew } from "../src/backends/crew.ts";
import * as hologram from "../src/index.ts";

const get = (path) => readFile(new URL(`../..${path}`, import.meta.url));
const load = async (runtime, name) => runtime.load(await get(`/build/e2e/threads/${name}.holo`));
const { Runtime } = hologram;

/** Shares all launches of several blocks, however short. */
const shareAll = () => vi.spyOn(Crew.prototype, "wants").mockImplementation(function () {
  return (this.wanted = true);
});

afterEach(() => vi.restoreAllMocks());

test("what e2e/jobs/threads.mjs does in pages, in Node", { timeout: 120_000 }, async () => {
  const lead = vi.spyOn(Crew.prototype, "lead");
  const { json: found } = await threads({ get, hologram }, { number: 2 });
  expect(lead).toHaveBeenCalled();
  expect(found.threads).toEqual({ number: 2, reason: "it was asked for" });
  expect(found.wrong).toEqual(["0", "65", "1.5", "2", "null"].map((asked) => `LaunchError: threads is a number of threads, 1 to 64, not ${asked}`));
  for (const name of ["chain", "mandelbrot", "counted", "plain", "afterAborted", "afterLate"]) expect(found[name], name).toBe(true);
  expect(found.faults).toEqual([true, true, true, true, true]);
  expect(found.aborted.kind).toBe("Cancelled");
  expect(found.late.kind).toBe("StepLimit");
});

test("a launch that is shared by three, however short", { timeout: 120_000 }, async () => {
  const shared = shareAll();
  const lead = vi.spyOn(Crew.prototype, "lead");
  const { json: found } = await threads({ get, hologram }, { number: 3, all: true });
  for (const name of ["met", "chain", "mandelbrot", "counted", "plain", "afterAborted", "afterLate"]) expect(found[name], name).toBe(true);
  expect(found.faults).toEqual([true, true, true, true, true]);
  expect(shared).toHaveBeenCalled();
  expect(lead.mock.calls.length).toBeGreaterThan(20);
});

const SLOW = { y: new Uint32Array(1 << 16), n: 2000 };

test("workers help with every program, also with one that they heard of later", { timeout: 60_000 }, async () => {
  const runtime = await hologram.Runtime.create({ backend: "wasm", threads: 2 });
  const device = await runtime.device();
  const [n, side] = [1 << 18, 512];
  const [chain, mandelbrot] = await Promise.all(
    ["chain", "mandelbrot"].map(async (name) => runtime.load(await get(`/build/e2e/threads/${name}.holo`))),
  );
  const [x, y, counts] = [runtime.buffer("f32", n), runtime.buffer("f32", n), runtime.buffer("i32", n)];
  const runs = [() => chain.run({ x, y, "y.shape0": n }), () => mandelbrot.run({ counts, "counts.shape0": n, side, most: 2000 })];
  for (const run of runs) {
    await run();
    const { arena, crew } = device;
    const taken = () => arena.words[(crew.workers[0].slot >>> 2) + 6];
    const before = taken();
    for (let turn = 0; turn < 500 && taken() === before; turn++) await run();
    expect(taken()).toBeGreaterThan(before);
  }
  await runtime.close();
});

test("no more than one thread, and why", { timeout: 60_000 }, async () => {
  const reasons = [];
  const reason = async (options) => {
    const runtime = await Runtime.create({ backend: "wasm", ...options });
    const slow = await load(runtime, "slow");
    for (let turn = 0; turn < 3; turn++) expect((await slow.run(SLOW)).every((value) => value === 0)).toBe(true);
    reasons.push(runtime.threads);
    return runtime;
  };
  vi.stubGlobal("crossOriginIsolated", false);
  await reason({});
  const { arena } = (await reason({ threads: 4 })).current; // its modules are as they are in the file
  expect(arena.memory.buffer).toBeInstanceOf(ArrayBuffer);
  vi.unstubAllGlobals();
  await reason({ threads: 1 });
  shareAll();
  const { getBuiltinModule } = process;
  function refuse() {
    throw new Error("no workers here");
  }
  process.getBuiltinModule = (name) => (name === "worker_threads" ? { Worker: refuse } : getBuiltinModule(name));
  try {
    await reason({ threads: 2 });
  } finally {
    process.getBuiltinModule = getBuiltinModule;
  }
  const isolated = "the page is not isolated: COOP and COEP";
  expect(reasons.map(({ number, reason }) => [number, reason])).toEqual([
    [1, isolated], [1, isolated], [1, "it was asked for"], [1, "workers cannot be had: Error: no workers here"],
  ]);
});

test("a worker that is lost does not hang a launch for longer than it may take, and the next one goes on without it", { timeout: 60_000 }, async () => {
  shareAll();
  const runtime = await Runtime.create({ backend: "wasm", threads: 2 });
  const slow = await load(runtime, "slow");
  const { crew } = runtime.current;
  const long = { y: new Uint32Array(1 << 18), n: 20_000 };
  await slow.run({ ...long, n: 2000 }, { seconds: 50 });
  const run = slow.run(long, { seconds: 1, steps: 2 ** 40 });
  setTimeout(() => crew.threads[0].terminate(), 300);
  await expect(run).rejects.toMatchObject({ name: "ExecutionError", kind: "StepLimit" });
  expect((await slow.run(SLOW)).every((value) => value === 0)).toBe(true);
  await runtime.close();
});

test("what was slower has another turn soon", () => {
  const code = { alone: 1, together: 1.5, atomic: false, turns: 0 };
  const alone = () => Crew.prototype.isBetterAlone(code, 100);
  const turns = (wanted) => Array.from({ length: 100 }, (_, k) => (alone() === wanted ? k + 1 : 0)).filter(Boolean);
  expect(turns(false)).toEqual([2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 96, 97]); // two launches: workers may sleep in the first
  code.together = 0.5;
  expect(turns(true)).toEqual([]);
  code.together = 1.5;
  expect([alone(), alone(), alone(), alone()]).toEqual([true, false, false, false]); // it begins anew
  Object.assign(code, { together: 0.5, turns: 0, atomic: true });
  expect(turns(true)).toEqual([2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 96, 97]); // how long one takes may change
});

test("short launches stay on one thread, and are over when run returns", { timeout: 60_000 }, async () => {
  const runtime = await Runtime.create({ backend: "wasm", threads: 2 });
  const slow = await load(runtime, "slow");
  const lead = vi.spyOn(Crew.prototype, "lead");
  const { took } = Crew.prototype; // whatever this machine takes for them, they are told to have taken 2 us
  vi.spyOn(Crew.prototype, "took").mockImplementation(function (code, blocks, _, together) {
    took.call(this, code, blocks, 0.002, together);
  });
  const y = runtime.buffer("u32", 1024);
  for (let turn = 0; turn < 200; turn++) await slow.run({ y, n: 1 });
  expect(lead.mock.calls.length).toBeLessThan(100); // the first ones of a slow machine
  expect(runtime.current.kept.size).toBe(1);
});

test.each([true, false])("Node ends with its runtime's workers asleep (closed: %s)", { timeout: 60_000 }, (closed) => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const outfile = `${root}/build/e2e/threads/runtime.mjs`;
  buildSync({ entryPoints: [`${root}/web/src/index.ts`], bundle: true, format: "esm", outfile });
  const code = `
    import { readFileSync } from "node:fs";
    import { Runtime } from "./build/e2e/threads/runtime.mjs";
    const runtime = await Runtime.create({ backend: "wasm", threads: 3 });
    const slow = await runtime.load(readFileSync("build/e2e/threads/slow.holo"));
    for (let turn = 0; turn < 8; turn++) await slow.run({ y: new Uint32Array(1 << 18), n: 300 }, { seconds: 50 });
    if (${closed}) await runtime.close();
    console.log("done");`;
  expect(String(execFileSync("node", ["--input-type=module", "-e", code], { cwd: root, timeout: 50_000 }))).toBe("done\n");
});
