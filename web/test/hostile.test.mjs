// Hostile artifacts, by hand (tests/artifact/hostile.py has the table): the reader in TypeScript says what Python says.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { readArtifact } from "../src/artifact.ts";
import { check } from "../src/values.ts";
import { ArtifactError, HologramError, Untold } from "../src/errors.ts";
import { Runtime } from "../src/index.ts";
import { checkModules } from "../src/modules.ts";

const json = (name) => JSON.parse(readFileSync(new URL(`../../build/e2e/${name}`, import.meta.url), "utf-8"));
const { modules, files, statuses } = json("hostile.json");
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));

let runtime;
beforeAll(async () => {
  runtime = await Runtime.create({ backend: "wasm" });
});

async function problem(code) {
  try {
    checkModules([code]);
    return null;
  } catch (error) {
    if (error instanceof Untold) return error.told();
    throw error;
  }
}

/** The error of work; that it comes soon is the time limit of each test. */
async function rejection(work) {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return null;
}

const saxpy = (program) => program.run({ a: 2, x: new Float32Array(4), y: new Float32Array(4) });

async function works() {
  const good = await runtime.load(bytes(files.find(([name]) => name === "a store")[1]));
  expect([...(await saxpy(good))].length).toBe(4);
}

test("both readers let the same modules pass", async () => {
  const wrong = [];
  for (const [name, code, fine] of modules) {
    const found = await problem(bytes(code));
    if ((found === null) !== fine) wrong.push([name, fine, found?.message]);
    if (found !== null) {
      expect(found).toBeInstanceOf(ArtifactError);
      expect(found.message).toMatch(/^module 0 of the artifact is none of a kernel: byte \d+ is wrong$/);
    }
  }
  expect(wrong).toEqual([]);
  expect(modules.filter(([, , fine]) => fine).length).toBeGreaterThan(100);
});

describe("a file with the module", () => {
  test.each(files)("%s", async (name, file, fine) => {
    const error = await rejection(() => runtime.load(bytes(file)));
    if (!fine) expect(error).toBeInstanceOf(ArtifactError);
    else if (error !== null) expect(error.message).toMatch(/^a module of the artifact cannot be used: /); // types on the stack
    await works();
  });
});

describe("status words", () => {
  test.each(statuses)("%s", async (name, file, told) => {
    const program = await runtime.load(bytes(file));
    const error = await rejection(() => saxpy(program));
    expect(error).toBeInstanceOf(HologramError);
    expect(error.name).toBe(told === "reports a fault that there is not" ? "ArtifactError" : "ExecutionError");
    expect(error.message).toContain(told);
    await works();
  });
});

const made = (name) => new Uint8Array(readFileSync(new URL(`../../build/e2e/${name}.holo`, import.meta.url)));

/** Milliseconds of the processor. */
function spent(work) {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** How many times slower than where the limit was set this machine goes through JavaScript: there it took 1.6 ms. */
function slowness() {
  const times = Array.from({ length: 5 }, () => spent(() => {
    const kept = new Map();
    for (let k = 0; k < 200_000; k++) kept.set(k & 1023, k + (kept.get((k * 7) & 1023) ?? 1));
  }));
  return Math.max(Math.min(...times) / 1.6, 1);
}

test.each(["repeats", "long_counts", "launches", "shapes"])("%s: less than a megabyte is read within a second", (name) => {
  const raw = made(name);
  expect(raw.length).toBeLessThan(1e6);
  const time = spent(() => {
    const file = readArtifact(raw);
    if (file.computed) check(file);
  });
  if (time > 1000) expect(time).toBeLessThan(1000 * slowness());
});

describe("plans that launch nothing", () => {
  const idle = ["idle_launches", "idle_calls", "idle_repeats", "idle_reads"];

  /** How a run ends where the clock goes 4 ms between two looks at it, however fast this machine is. */
  async function run(name, options) {
    const program = await runtime.load(made(name));
    let time = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += 4));
    const ended = await rejection(() => program.run({ a: 2, m: 0, x: new Float32Array(4), y: new Float32Array(4) }, options));
    clock.mockRestore();
    await works();
    return ended;
  }

  test.each(idle)("%s: the page lives, and an AbortSignal ends the run", async (name) => {
    const stop = new AbortController();
    let turns = 0; // of the page's own, in the middle of the run
    const timer = setInterval(() => ++turns === 3 && stop.abort(), 1);
    const ended = await run(name, { signal: stop.signal });
    clearInterval(timer);
    expect([ended.name, ended.kind]).toEqual(["ExecutionError", "Cancelled"]);
  });

  test.each(idle)("%s: the clock ends the run", async (name) => {
    const ended = await run(name, { seconds: 0.06 });
    expect(ended.message).toMatch(/^StepLimit: the launch did not end within 0.06 seconds: does a loop not end\? run/);
  });

  test("steps are counted", async () => {
    const ended = await run("idle_repeats", { seconds: 1e6 });
    expect([ended.name, ended.kind, ended.message]).toEqual([
      "ExecutionError",
      "StepLimit",
      "StepLimit: a plan runs at most 1048576 steps: split the work, or repeat less",
    ]);
  });
});

test.each(json("metadata.json"))("metadata may be called anything: %s", (file, metadata) => {
  const found = readArtifact(bytes(file)).metadata;
  expect(Object.entries(found)).toEqual(metadata);
});
