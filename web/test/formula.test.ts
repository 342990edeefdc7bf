import { describe, expect, test } from "vitest";
import { LaunchError } from "../src/errors.js";
import type { Formula } from "../src/formula.js";
import { untold } from "./untold.js";
import { LARGEST, evaluate, text } from "../src/formula.js";

const values = (given: Record<string, number> = {}) => new Map(Object.entries(given));
const value = (...formula: Formula) => evaluate(formula, values({ n: 7, m: -3 }));

describe("values", () => {
  test.each([
    [7, 2, 3, 4],
    [-7, 2, -4, -3],
    [7, -2, -4, -3],
    [-7, -2, 3, 4],
    [6, 3, 2, 2],
    [-6, 3, -2, -2],
    [0, -5, 0, 0],
    [LARGEST, 2, (LARGEST - 1) / 2, (LARGEST + 1) / 2],
    [-LARGEST, 3, -3002399751580331, -3002399751580330],
    [LARGEST, LARGEST - 1, 1, 2],
  ])("%d // %d is %d, ceildiv %d", (a, b, floor, ceiling) => {
    expect(value(a, b, "//")).toBe(floor);
    expect(value(a, b, "ceildiv")).toBe(ceiling);
  });

  test("the others", () => {
    expect(value("n", "m", "+")).toBe(4);
    expect(value("n", "m", "-")).toBe(10);
    expect(value("n", "m", "*")).toBe(-21);
    expect(value("n", "m", "min")).toBe(-3);
    expect(value("n", "m", "max")).toBe(7);
    expect(Object.is(value(0, "m", "*"), 0)).toBe(true);
    expect(evaluate(["constructor"], values({ constructor: 5 }))).toBe(5);
  });

  test.each([
    [[1, 0, "//"], "the formula 1 // 0 divides by zero"],
    [["n", "k", "ceildiv"], "the formula ceildiv(n, k) divides by zero with n = 7, k = 0"],
    [[LARGEST, 1, "+"], `the formula ${LARGEST} + 1 leaves the range of 53 bits`],
    [["big", "big", "*"], "the formula big * big leaves the range of 53 bits with big = 4503599627370496"],
    [["huge"], "the formula huge leaves the range of 53 bits with huge = 9007199254740992"],
    [["other", 1, "+"], "the formula other + 1 needs other: give the argument that has it"],
    [["toString"], "the formula toString needs toString: give the argument that has it"],
  ] as [Formula, string][])("%j is a LaunchError", async (formula, message) => {
    const given = values({ n: 7, k: 0, big: 2 ** 52, huge: 2 ** 53 });
    expect(await untold(() => evaluate(formula, given))).toEqual(new LaunchError(message));
  });
});

test.each([
  [["a", "b", "+", "c", "*"], "(a + b) * c"],
  [["a", "b", "c", "-", "-"], "a - (b - c)"],
  [["a", "b", "-", "c", "-"], "a - b - c"],
  [["a", "b", "c", "*", "//"], "a // (b * c)"],
  [["a", 4, "*", 256, "ceildiv", 1, "max"], "max(ceildiv(a * 4, 256), 1)"],
] as [Formula, string][])("the text of %j", (formula, expected) => {
  expect(text(formula)).toBe(expected);
});
