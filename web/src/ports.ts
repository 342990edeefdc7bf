/** The types of runs: what `hologram-web types` writes of a file says its ports. Types only, which pages do not load. */
import type { Buffer } from "./buffer.js";
import type { ShapedArray } from "./program.js";
import type { Type, TypedArray } from "./types.js";

/** What holds elements of up to 64 bits. An f16 is in a Float16Array where engines have that, which is of type TypedArray here. */
interface Arrays {
  f16: TypedArray; bf16: Uint16Array; f32: Float32Array; f64: Float64Array;
  i8: Int8Array; i16: Int16Array; i32: Int32Array; i64: BigInt64Array;
  u8: Uint8Array; u16: Uint16Array; u32: Uint32Array; u64: BigUint64Array;
}

/** The elements of a type, as they are read. */
export type ElementsOf<T extends Type> = T extends keyof Arrays ? Arrays[T] : bigint[];

export interface PortType {
  dtype: Type;
  access: "scalar" | "read" | "write" | "read_write";
  /** How many dimensions an array has. */
  rank?: number;
  /** Whether a scalar may be left out. */
  optional?: boolean;
}

/** The ports of a program, by their names. */
export type Ports = { [name: string]: PortType };

type Listed = readonly (number | bigint)[];
type Given<P extends PortType> = P["access"] extends "scalar"
  ? number | bigint
  : ElementsOf<P["dtype"]> | Listed | (Omit<ShapedArray, "data"> & { data: ElementsOf<P["dtype"]> | Listed | Buffer<P["dtype"]> | GPUBuffer }) | Buffer<P["dtype"]> | GPUBuffer;

type Optional<P extends PortType> = P["access"] extends "write" ? true : P["optional"] extends true ? true : false;
type Free<P extends Ports> = { [K in keyof P]: Optional<P[K]> extends true ? K : never }[keyof P];
type Written<P extends Ports> = { [K in keyof P]: P[K]["access"] extends "write" | "read_write" ? K : never }[keyof P];

/** What a run takes: arrays that are only written, and scalars with a default, may be left out. */
export type Arguments<P extends Ports> = { [K in Exclude<keyof P, Free<P>>]: Given<P[K]> } & { [K in Free<P>]?: Given<P[K]> };

type Result<P extends PortType, A, O> = A extends Buffer<Type> | GPUBuffer
  ? A
  : O extends { output: "buffer" }
    ? Buffer<P["dtype"]>
    : ElementsOf<P["dtype"]>;
type At<A, K> = K extends keyof A ? A[K] : undefined;
type Every<P extends Ports, A, O> = { [K in Written<P>]: Result<P[K], At<A, K>, O> };
type IsOne<T, All = T> = [T] extends [never] ? false : T extends unknown ? ([All] extends [T] ? true : false) : never;

/** What a run gives: one written array as it is, several by name. */
export type Results<P extends Ports, A, O> = string extends keyof P
  ? any
  : IsOne<Written<P>> extends true
    ? Every<P, A, O>[Written<P>]
    : Every<P, A, O>;

/** Arguments, none of which the program does not have. */
export type Exactly<P extends Ports, A> = A & { [K in Exclude<keyof A, keyof P>]: never };
