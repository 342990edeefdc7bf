import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readArtifact } from "../src/artifact.ts";
import { check } from "../src/values.ts";
import { blake3, hex } from "../src/blake3.ts";
import { ArtifactError, Untold } from "../src/errors.ts";
import { checkModules } from "../src/modules.ts";
import { StepKind, describe as line } from "../src/plan.ts";

// `npm test` writes these with the package: see e2e/samples.py.
const folder = new URL("../../build/e2e/", import.meta.url);
const json = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf-8"));
const samples = json("samples.json");
const raw = (name) => new Uint8Array(Buffer.from(samples[name].holo, "base64"));
const everything = raw("everything");

function rehashed(bytes) {
  const head = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
  bytes.set(Buffer.from(blake3(Buffer.concat([bytes.subarray(0, 32), bytes.subarray(64, head)])), "hex"), 32);
  return bytes;
}

function problem(bytes) {
  try {
    const file = readArtifact(bytes);
    checkModules(file.modules);
    if (file.computed) check(file);
    return null;
  } catch (error) {
    if (error instanceof ArtifactError) return error.message;
    if (error instanceof Untold) return error.told().then(({ message }) => message);
    throw error;
  }
}

describe("BLAKE3", () => {
  // The package blake3 gives these of bytes that count to 250, again and again.
  test.each([
    [0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"],
    [1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"],
    [1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"],
    [102400, "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"],
  ])("of %d bytes", (length, digest) => {
    const data = Uint8Array.from({ length }, (_, k) => k % 251);
    expect(blake3(data)).toBe(digest);
  });
});

describe("golden files of tests/artifact", () => {
  const golden = new URL("../../tests/artifact/golden/", import.meta.url);
  const names = readdirSync(golden).filter((name) => name.startsWith("version_")).sort();
  const read = (name) => {
    const { hash, raw, ...file } = readArtifact(new Uint8Array(Buffer.from(readFileSync(new URL(name, golden), "latin1").replace(/\s/g, ""), "hex")));
    return file;
  };
  test.each(names)("%s has what the newest has", (name) => {
    expect(names.length).toBeGreaterThan(3);
    expect(read(name)).toEqual(read(names.at(-1)));
    expect(read(name).kernels).toHaveLength(2);
  });
});

test("an artifact with everything is read", () => {
  const file = readArtifact(everything);
  expect(file.metadata).toEqual({ name: "everything", ö: '"\\\n' });
  expect(file.ports.map(line)).toEqual(["a: f32", "x: f32[n] read", "y: f32[n * 2, 1] write"]);
  expect(file.temporaries.map(({ name }) => name)).toEqual(["t"]);
  expect(file.constants.map(({ name }) => name)).toEqual(["c", "d"]);
  expect(file.blobs.map(({ data }) => new TextDecoder().decode(data))).toEqual(["abc", "12345"]);
  const [call] = file.steps;
  expect(call?.step === StepKind.Call && call.body.map(({ step }) => step)).toEqual(
    expect.arrayContaining([StepKind.Launch, StepKind.BoundsCheck, StepKind.Repeat]),
  );
});

test("scalars of wide integers are read", () => {
  const [call] = readArtifact(raw("long")).steps;
  const [launch] = call.body;
  expect(launch.scalars).toEqual([
    { kind: 1, index: 0 },
    { kind: 0, bits: 3n ** 150n },
    { kind: 2, index: expect.any(Number) },
    { kind: 0, bits: 7n },
    { kind: 3, index: 1 },
  ]);
});

test.each(["everything", "long"])("what is damaged is refused where Python refuses it: %s", { timeout: 60_000 }, (name) => {
  // Python reads programs, too, which a runner of kernels looks past.
  const verdicts = json("damaged.json")[name];
  const everything = raw(name);
  const wrong = [];
  const more = [];
  for (const [place, value, fine] of verdicts) {
    const bytes = everything.slice();
    bytes[place] = value;
    const found = problem(rehashed(bytes));
    if (fine && found !== null) wrong.push([place, value, found]);
    if (fine === false && found === null) more.push(place);
  }
  expect(wrong).toEqual([]);
  const data = new DataView(everything.buffer);
  const [start, end] = [data.getUint32(100, true), data.getUint32(100, true) + data.getUint32(104, true)];
  expect(verdicts.filter(([, , fine]) => fine).length).toBeGreaterThan(50);
  expect(more.filter((place) => place < start || place >= end)).toEqual([]);
});

test("a hash that does not fit, and files that end too soon", async () => {
  for (let length = 0; length < everything.length; length += 7) {
    expect(await problem(everything.subarray(0, length))).not.toBe(null);
  }
  const bytes = raw("saxpy");
  for (let place = 0; place < bytes.length; place += 13) {
    const other = bytes.slice();
    other[place] ^= 1 << (place % 8);
    expect(await problem(other), `byte ${place}`).not.toBe(null);
  }
});

test("versions, lengths and zeros", async () => {
  const change = (place, value) => {
    const bytes = everything.slice();
    bytes[place] = value;
    return problem(bytes);
  };
  expect(await change(8, 6)).toBe("the artifact has version 6; this release reads 1 to 5: compile it again");
  expect(await change(0, 0)).toBe("these bytes are no artifact: they do not start with HOLO");
  expect(await change(28, 1)).toBe("damaged artifact: its header is wrong");
  expect(await change(23, 255)).toMatch("was it cut off?");
  expect(await change(everything.length - 1, 1)).toBe("damaged artifact: bytes between constants are not zero");
  expect(hex(new Uint8Array([0, 255]))).toBe("00ff");
});
