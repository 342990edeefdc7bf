import { expect, test } from "vitest";
import { LaunchError } from "../src/errors.js";
import type { Type } from "../src/types.js";
import { untold } from "./untold.js";
import { TYPES, arrayOf, bytesIn, bytesOf, integerOf, scalarBits, shownOf } from "../src/types.js";

test("types have the numbers and sizes of the format", () => {
  expect(TYPES).toHaveLength(24);
  expect([0, 3, 4, 7, 13, 14, 17, 23].map((number) => TYPES[number])).toEqual([
    "f16", "f64", "i8", "i64", "i4096", "u8", "u64", "u4096",
  ]);
  expect(["f16", "bf16", "f32", "i64", "u4096"].map((type) => bytesOf(type as Type))).toEqual([2, 2, 4, 8, 512]);
});

// Bits that NumPy and ml_dtypes give.
test.each([
  ["f32", 0.1, 0x3dcccccd],
  ["f32", -0, 0x80000000],
  ["f16", 1, 0x3c00],
  ["f16", 65504, 0x7bff],
  ["f16", 65519.99, 0x7bff],
  ["f16", 65520, 0x7c00],
  ["f16", -Infinity, 0xfc00],
  ["f16", 2 ** -24, 1],
  ["f16", 2 ** -25, 0],
  ["f16", 2 ** -25 * 1.0000001, 1],
  ["f16", 1 + 2 ** -11, 0x3c00],
  ["f16", 1 + 3 * 2 ** -11, 0x3c02],
  ["f16", 2 ** -14 - 2 ** -25, 0x400],
  ["f16", NaN, 0x7e00],
  ["bf16", 1, 0x3f80],
  ["bf16", -3.3895313892515355e38, 0xff7f],
  ["bf16", 3.4e38, 0x7f80],
  ["bf16", 2 ** -133, 1],
  ["bf16", 1 + 2 ** -8, 0x3f80],
  ["bf16", 1 + 3 * 2 ** -8, 0x3f82],
  ["bf16", 5e-324, 0],
  ["i8", -128, 0x80],
  ["u8", 255, 0xff],
] as [Type, number, number][])("%s of %d", (type, number, bits) => {
  expect(scalarBits("x", type, number)).toBe(BigInt(bits));
});

test.each(["f16", "bf16"] as const)("every number of %s is shown, and has its bits again", (type) => {
  const all = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
  const shown = shownOf(type, new Uint8Array(all.buffer)) as number[];
  const [infinity, sign] = [type === "f16" ? 0x7c00 : 0x7f80, 0x8000];
  const isNumber = (bits: number) => (bits & ~sign) <= infinity;
  expect(shown.map(Number.isNaN)).toEqual(Array.from(all, (bits) => !isNumber(bits)));
  const other = [...all].filter((bits) => isNumber(bits) && scalarBits("x", type, shown[bits]!) !== BigInt(bits));
  expect(other).toEqual([]);
  expect([0, sign, infinity, infinity | sign].map((bits) => shown[bits])).toEqual([0, -0, Infinity, -Infinity]);
});

test("integers of 64 bits", () => {
  expect(scalarBits("x", "i64", -1n)).toBe(2n ** 64n - 1n);
  expect(scalarBits("x", "u64", 2n ** 64n - 1n)).toBe(2n ** 64n - 1n);
  expect(scalarBits("x", "f64", -2)).toBe(0xc000000000000000n);
  expect(scalarBits("x", "i256", -1n)).toBe(2n ** 256n - 1n);
  expect(scalarBits("x", "u4096", 2n ** 4096n - 1n)).toBe(2n ** 4096n - 1n);
  expect(integerOf("i8", 0x80n)).toBe(-128n);
  expect(integerOf("u8", 0x80n)).toBe(128n);
});

test.each([
  ["u8", 256, "x is 256; u8 is expected, 0 to 255"],
  ["i8", -129n, "x is -129; i8 is expected, -128 to 127"],
  ["i32", 1.5, "x is 1.5; i32 is expected, an integer"],
  ["i64", 2 ** 53, "x is 9007199254740992; i64 is expected: give a BigInt for integers that large"],
  ["i128", 2n ** 127n, `x is ${2n ** 127n}; i128 is expected, -2**127 to 2**127 - 1`],
  ["u256", -(2n ** 300n), "x is an integer of 301 bits; u256 is expected, 0 to 2**256 - 1"],
  ["u32", NaN, "x is NaN; u32 is expected, an integer"],
  ["f32", true, "x is true; f32 is expected, a number"],
] as [Type, unknown, string][])("%s of %s is refused", async (type, value, message) => {
  expect(await untold(() => scalarBits("x", type, value))).toEqual(new LaunchError(message));
});

const WIDE = TYPES.filter((type) => bytesOf(type as Type) > 8) as Type[];

test.each(WIDE)("BigInts of %s", (type) => {
  const bits = BigInt(8 * bytesOf(type));
  const [least, most] = type[0] === "i" ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  const values = [0n, 1n, least, least + 1n, most, most - 1n, 1n << 63n, 1n << 64n, (1n << 64n) - 1n, 0x123456789abcdef0123456789n];
  const bytes = bytesIn("x", type, values);
  expect(bytes).toHaveLength(values.length * bytesOf(type));
  expect(arrayOf(type, bytes)).toEqual(values);
  expect([...bytes.subarray(bytesOf(type), bytesOf(type) + 3)]).toEqual([1, 0, 0]);
  expect(bytesIn("x", type, bytes)).toEqual(bytes);
  expect(arrayOf(type, bytesIn("x", type, [7, BigInt("0xff"), BigInt("12345678901234567890")]))).toEqual([7n, 255n, 12345678901234567890n]);
  expect(arrayOf(type, new Uint8Array())).toEqual([]);
  for (const wrong of [least - 1n, most + 1n, 0.5, 2 ** 53, NaN, "1", null]) {
    expect(() => bytesIn("x", type, [1n, wrong as bigint])).toThrow(new LaunchError(`x: element 1, ${wrong}, is no ${type}`));
  }
  expect(() => bytesIn("x", type, new Uint8Array(17))).toThrow(LaunchError);
});

test("negative BigInts are in two's complement", () => {
  expect([...bytesIn("x", "i128", [-2n])]).toEqual([254, ...Array(15).fill(255)]);
  expect(arrayOf("i128", new Uint8Array(17).fill(255).subarray(1))).toEqual([-1n]);
  expect(arrayOf("u128", new Uint8Array(16).fill(255))).toEqual([2n ** 128n - 1n]);
  expect([...bytesIn("x", "u32", [1])]).toEqual([1, 0, 0, 0]);
});

test("arrays keep their place in a larger buffer", () => {
  const part = new Float32Array([1, 2, 3]).subarray(1);
  expect([...(arrayOf("f32", bytesIn("x", "f32", part).slice()) as Float32Array)]).toEqual([2, 3]);
  expect(() => bytesIn("x", "u32", part)).toThrow("x is of type Float32Array; a list or Uint32Array is expected");
});
