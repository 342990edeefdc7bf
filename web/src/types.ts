/** Types of elements, and what of JavaScript holds them. */
import { LaunchError, Untold, textOf } from "./errors.js";

const WIDTHS = [8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];

/** Names of types by their number in artifacts. */
export const TYPES = ["f16", "bf16", "f32", "f64", ...WIDTHS.map((n) => `i${n}`), ...WIDTHS.map((n) => `u${n}`)];

export type Type =
  | "f16" | "bf16" | "f32" | "f64"
  | "i8" | "i16" | "i32" | "i64" | "i128" | "i256" | "i512" | "i1024" | "i2048" | "i4096"
  | "u8" | "u16" | "u32" | "u64" | "u128" | "u256" | "u512" | "u1024" | "u2048" | "u4096";

export type TypedArray =
  | Int8Array | Int16Array | Int32Array | BigInt64Array
  | Uint8Array | Uint8ClampedArray | Uint16Array | Uint32Array | BigUint64Array
  | Float32Array | Float64Array;

/** Elements, as the caller has them. A list of numbers will do; those of types of more than 64 bits are BigInts. */
export type Elements = TypedArray | readonly (number | bigint)[];

interface ArrayClass {
  readonly name: string;
  new (buffer: ArrayBufferLike, offset?: number, length?: number): TypedArray;
}

export const bitsOf = (type: Type): number => Number(type.replace(/\D+/, ""));
export const bytesOf = (type: Type): number => bitsOf(type) / 8;
/** Bytes of a scalar in an argument block. */
export const slotOf = (type: Type): number => Math.max(bytesOf(type), 8);
export const isFloat = (type: Type): boolean => type[0] === "f" || type[0] === "b";
export const isSigned = (type: Type): boolean => type[0] === "i";

/**
 * The class of arrays that results of a type are. Engines that have Float16Array hold f16 as numbers; in others f16 is its
 * bits in a Uint16Array, as bf16 is everywhere. Types of more than 64 bits are taken as bytes, little-endian, too.
 */
function classOf(type: Type): ArrayClass {
  const bits = bitsOf(type);
  if (bits > 64) return Uint8Array;
  const name = `${bits === 64 && !isFloat(type) ? "Big" : ""}${{ f: "Float", i: "Int", u: "Uint" }[type[0]!]}${bits}Array`;
  return (globalThis as unknown as Record<string, ArrayClass>)[name] ?? Uint16Array;
}

/** The elements that bytes are. */
export function arrayOf(type: Type, bytes: Uint8Array): TypedArray | bigint[] {
  const size = bytesOf(type);
  if (size < 9) return new (classOf(type))(bytes.buffer, bytes.byteOffset, bytes.length / size);
  const data = view(bytes);
  const found = [];
  for (let end = size; end <= bytes.length; end += size) {
    const bits = readBits(data, end - size, size);
    found.push(isSigned(type) ? BigInt.asIntN(8 * size, bits) : bits);
  }
  return found;
}

/** Whether a value is a list of numbers; a typed array is none. */
export const isList = Array.isArray as (value: unknown) => value is readonly (bigint | number)[];

/** Whether a value can be the shape of an array. */
export const isShape = (value: unknown): value is readonly number[] =>
  isList(value) && [...value].every((length) => Number.isSafeInteger(length) && length >= 0);

/** The bytes of elements that are given for a type. Raises LaunchError for an array of another class, and in a list for what is no such number. */
export function bytesIn(what: string, type: Type, value: ArrayBufferView | readonly (bigint | number)[]): Uint8Array {
  const size = bytesOf(type);
  const kind = classOf(type);
  const given = (value as object | null)?.constructor?.name;
  if (isList(value)) {
    const bytes = new Uint8Array(size * value.length + 8); // words of 8 bytes are written
    const data = view(bytes);
    for (const [k, number] of value.entries()) {
      const bits = numberBits(type, number);
      if (bits === undefined) throw new LaunchError(`${what}: element ${k}, ${textOf(number)}, is no ${type}`);
      writeBits(data, k * size, size, bits);
    }
    return bytes.subarray(0, -8);
  }
  const allowed = [kind.name, ...(type === "u8" ? ["Uint8ClampedArray", "Buffer"] : type === "f16" ? ["Uint16Array"] : [])];
  if (!allowed.includes(given!) || value.byteLength % size) {
    throw new LaunchError(`${what} is of type ${given}; a list or ${kind.name} is expected`);
  }
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

/** The number that bytes are, as many as whole words of 8. */
export function readBits(data: DataView, at: number, size: number): bigint {
  let bits = 0n;
  for (let end = at + size; end > at; ) bits = (bits << 64n) | data.getBigUint64((end -= 8), true);
  return bits;
}

export function writeBits(data: DataView, at: number, size: number, bits: bigint): void {
  for (const end = at + size; at < end; at += 8, bits >>= 64n) data.setBigUint64(at, bits, true);
}

export const view = (bytes: ArrayBufferView): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The bit pattern of a number, if it is one of an integer type. */
function integerBits(type: Type, value: unknown): bigint | undefined {
  if (typeof value !== "bigint" && !Number.isSafeInteger(value)) return;
  const whole = BigInt(value as number);
  const bits = BigInt.asUintN(bitsOf(type), whole);
  return (isSigned(type) ? BigInt.asIntN(bitsOf(type), bits) : bits) === whole ? bits : undefined;
}

/** The same of a float type, too. */
function numberBits(type: Type, value: unknown): bigint | undefined {
  const float = typeof value === "bigint" || typeof value === "number" ? Number(value) : undefined;
  return !isFloat(type) ? integerBits(type, value) : float === undefined ? float : floatBits(type, float);
}

/** The bit pattern of a number as a scalar. Raises an untold LaunchError. */
export function scalarBits(name: string, type: Type, value: unknown): bigint {
  const bits = numberBits(type, value);
  if (bits === undefined) throw new Untold("scalar", name, type, value);
  return bits;
}

/** The integer that bits of an integer type are. */
export const integerOf = (type: Type, bits: bigint): bigint => (isSigned(type) ? BigInt.asIntN(bitsOf(type), bits) : bits);

/** Bits of the fraction, and the bias of the exponent, of a float of 16 bits. */
const layoutOf = (type: Type) => (type === "f16" ? [10, 15] : [7, 127]) as [number, number];

/** The number that bits of a float of 16 bits are. */
function floatOf(type: Type, bits: number): number {
  const [fraction, bias] = layoutOf(type);
  const unit = 2 ** fraction;
  const exponent = (bits & 0x7fff) >> fraction;
  const size = exponent > 2 * bias ? (bits % unit ? NaN : Infinity) : (exponent && unit) + (bits % unit);
  return (bits >> 15 ? -1 : 1) * size * 2 ** ((exponent || 1) - bias - fraction);
}

/** Elements as people read them: numbers, where an array holds bits of floats, too. */
export const shownOf = (type: Type, bytes: Uint8Array): (number | bigint)[] => {
  const elements = arrayOf(type, bytes);
  return Array.from(elements, (element: number | bigint) => (isFloat(type) && elements instanceof Uint16Array ? floatOf(type, element as number) : element));
};

/** The bit pattern of a number of a float type, rounded to nearest, ties to even. */
export function floatBits(type: Type, value: number): bigint {
  const data = new DataView(new ArrayBuffer(8));
  if (type === "f32") {
    data.setFloat32(0, value);
    return BigInt(data.getUint32(0));
  }
  data.setFloat64(0, value);
  if (type === "f64") return data.getBigUint64(0);
  const [fraction, bias] = layoutOf(type);
  const sign = data.getUint8(0) & 128;
  const size = Math.min(Math.abs(value), 2 ** (bias + 1)); // which is infinity
  data.setFloat64(0, size);
  // A sum in which the unit of the last place is that of the type rounds to it; then the bits are some of an F32's.
  const large = 2 ** (Math.max(((data.getUint16(0) >> 4) & 2047) - 1023, 1 - bias) - fraction + 52);
  data.setFloat32(0, (size + large - large) * 2 ** (bias - 127));
  return BigInt((sign << 8) + ((data.getUint32(0) >>> (23 - fraction)) & 0x7fff));
}
