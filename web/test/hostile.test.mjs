// Hostile artifacts, by hand (tests/artifact/hostile.py has the table): the reader in TypeScript says what Python says.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
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

/** The error of work, which comes soon: within a second, and five on a machine that does much else. */
async function rejection(work) {
  const start = performance.now();
  let found = null;
  try {
    await work();
  } catch (error) {
    found = error;
  }
  expect(performance.now() - start).toBeLessThan(5000);
  return found;
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

test.each(["repeats", "long_counts", "launches", "shapes"])("%s: less than a megabyte is read within a second", (name) => {
  const raw = made(name);
  expect(raw.length).toBeLessThan(1e6);
  const start = process.cpuUsage();
  const file = readArtifact(raw);
  if (file.computed) check(file);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(1000);
});

describe("plans that launch nothing", () => {
  const idle = ["idle_launches", "idle_calls", "idle_repeats", "idle_reads"];

  /** How a run ends, after how many milliseconds, and how long the page waited for its turn meanwhile. */
  async function run(name, options) {
    const program = await runtime.load(made(name));
    const start = performance.now();
    let [last, waited] = [start, 0];
    const timer = setInterval(() => {
      const time = performance.now();
      [last, waited] = [time, Math.max(waited, time - last)];
    }, 1);
    const ended = await rejection(() => program.run({ a: 2, m: 0, x: new Float32Array(4), y: new Float32Array(4) }, options));
    clearInterval(timer);
    await works();
    return { ended, took: performance.now() - start, waited };
  }

  test.each(idle)("%s: the page lives, and an AbortSignal ends the run", async (name) => {
    const { ended, took, waited } = await run(name, { signal: AbortSignal.timeout(60) });
    expect([ended.name, ended.kind]).toEqual(["ExecutionError", "Cancelled"]);
    expect(took).toBeLessThan(3000);
    expect(waited).toBeLessThan(2000); // 50 ms where nobody else works
  });

  test.each(idle)("%s: the clock ends the run", async (name) => {
    const { ended, took } = await run(name, { seconds: 0.06 });
    expect(ended.message).toMatch(/^StepLimit: the launch did not end within 0.06 seconds: does a loop not end\? run/);
    expect(took).toBeLessThan(3000);
  });

  test("steps are counted", async () => {
    const { ended } = await run("idle_repeats");
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
