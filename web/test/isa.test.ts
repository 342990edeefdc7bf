import { expect, test } from "vitest";
import { INSTRUCTIONS, ISA_VERSION } from "../src/isa.gen.js";

test("the version is a positive integer", () => {
  expect(Number.isInteger(ISA_VERSION) && ISA_VERSION > 0).toBe(true);
});

test.each(["name", "opcode", "mnemonic"] as const)("no two instructions share their %s", (key) => {
  expect(new Set(INSTRUCTIONS.map((row) => row[key])).size).toBe(INSTRUCTIONS.length);
});

test("operands of an instruction have different names", () => {
  for (const { name, operands } of INSTRUCTIONS) {
    expect(new Set(operands.map((operand) => operand.name)).size, name).toBe(operands.length);
  }
});

test("ADD is what every port of the ISA calls it", () => {
  expect(INSTRUCTIONS.find((row) => row.name === "ADD")).toMatchObject({ mnemonic: "add", collective: false });
});
