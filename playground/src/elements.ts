/** The elements of a result as numbers. */
import { arrayOf } from "../../web/src/types.js";
import type { Result } from "./protocol.js";

type Numbers = ArrayLike<number | bigint>;

/** Numbers, or BigInts of types that need them. */
export function numbersOf({ type, bytes }: Result): Numbers {
  const found = arrayOf(type, bytes) as Numbers;
  if (type === "bf16") return new Float32Array(Uint32Array.from(found as Uint16Array, (bits) => bits << 16).buffer);
  return type === "f16" && found instanceof Uint16Array ? Array.from(found, half) : found;
}

/** An f16 from its bits, where the browser has no array of them. */
function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * 2 ** (Math.max(exponent, 1) - 25) * (exponent ? 1024 + fraction : fraction);
}

export function shown(value: number | bigint): string {
  return typeof value === "bigint" || Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(7)));
}
