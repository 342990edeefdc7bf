import { readFile } from "node:fs/promises";
import { beforeAll, expect, test, vi } from "vitest";
import * as hologram from "../src/index.ts";
import { logsOf, show } from "../src/prints.ts";

const get = (name) => readFile(new URL(`../../build/e2e/${name}`, import.meta.url));
let runtime;
let program;
beforeAll(async () => {
  runtime = await hologram.Runtime.create({ backend: "wasm" });
  program = await runtime.load(new Uint8Array(await get("printed.holo")));
});

const file = (prints, memories = [0]) => ({ metadata: { prints }, ports: [], steps: [{ memories }], temporaries: [{ name: "log" }] });
const LINES = ["lane 0: +0.10 True 0.033333335", "lane 1: -2.00 False -0.6666667", "lane 0: +1.10 True 0.36666667", "lane 0: +2.10 True 0.7"];

test("values in all formats are what Python shows", async () => {
  const wrong = [];
  for (const { prints, log, text } of JSON.parse(await get("printed.json"))) {
    const lines = [];
    show(logsOf(file(prints)), [new Uint8Array(Buffer.from(log, "hex"))], (line) => lines.push(line));
    if (`${lines.join("\n")}\n` !== text) wrong.push([prints, lines.join("\n"), text]);
  }
  expect(wrong).toEqual([]);
});

test("a run prints launch by launch, to a function or to the console", async () => {
  const lines = [];
  const x = () => new Float32Array([0.1, -2]);
  for (let run = 0; run < 3; run++) expect((await program.run({ x: x() }, { print: (line) => lines.push(line) }))[1]).toBe(-1);
  expect(lines).toEqual([...LINES, ...LINES, ...LINES]);
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    await program.run({ x: x() });
    expect(log.mock.calls).toEqual(LINES.map((line) => [line]));
  } finally {
    log.mockRestore();
  }
  expect(program.ports.map(({ name }) => name)).toEqual(["x"]);
  await expect(program.run({ x: x() }, { print: 3 })).rejects.toThrow("print is a function that takes a line, not 3");
});

test("results on the device leave the log out", async () => {
  const lines = [];
  const x = runtime.buffer("f32", new Float32Array([0.1, -2]));
  expect(await program.run({ x }, { output: "buffer", print: (line) => lines.push(line) })).toBe(x);
  expect(lines).toEqual(LINES);
});

test.each(["", "3", "[3]", '[["log",[["x"]]],["other",[]]]', '[["log",[[["f128","",""]]]]]', '[["log",[[["f32","q",""]]]]]', '[["log",[[["f32","",">9999"]]]]]', '[["log",[[5]]]]'].slice(1))(
  "damaged prints %s",
  (prints) => expect(() => logsOf(file(prints))).toThrow("damaged artifact: its prints: "),
);

test("a log that no step writes has no lines", () => {
  expect(logsOf(file('[["log",[["x"]]]]'), "wasm")).toHaveLength(1);
  expect(logsOf(file('[["log",[["x"]]]]', []), "wasm")).toEqual([]);
});

test("a log ends where no record of ours is, and says how many had no room", () => {
  const log = new Uint32Array([9, 4, 0, 0, 1, 7, 0, 0]);
  const lines = [];
  show(logsOf(file('[["log",[["x"]]]]')), [log], (line) => lines.push(line));
  expect(lines).toEqual(["x(4 more prints did not fit into the log of 8 words)"]);
});
