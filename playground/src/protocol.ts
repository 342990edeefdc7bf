/** What the page and its two workers tell each other. */
import type { Type } from "../../web/src/types.js";

/** Where something is wrong: lines and columns count from 1, ends are behind the last character. */
export interface Place {
  line: number;
  column?: number;
  endLine?: number;
  endColumn?: number;
}

export interface Problem {
  message: string;
  place?: Place;
}

/** What a program takes: a number, or an array, whose elements are zeros if there are no bytes. */
export interface Input {
  name: string;
  type: Type;
  value?: number | bigint;
  shape?: number[];
  bytes?: Uint8Array<ArrayBuffer>;
}

export type Kind = "isa" | "wgsl" | "wat";

export interface Looked {
  unit: string;
  kind: Kind;
}

/** The page to Python: run this text, show the code of a unit; or only the code. */
export interface Question {
  id: number;
  text: string | null;
  look: Looked | null;
}

export interface Compiled {
  printed: string;
  /** Whose code can be looked at. */
  units: string[];
  problem?: Problem;
  /** The artifact, if there is a `program`, and what it takes. */
  file?: Uint8Array<ArrayBuffer>;
  inputs?: Input[];
  milliseconds: number;
}

/** Python to the page. */
export interface Answer {
  id: number;
  compiled: Compiled | null;
  look: Looked | null;
  code: string;
  /** Why there is no Python. */
  broken?: string;
}

export type Device = "wasm" | "webgpu";

/** An array that a run wrote. */
export interface Result {
  name: string;
  type: Type;
  shape: number[];
  bytes: Uint8Array<ArrayBuffer>;
}

/** What became of a program on a device. */
export interface Report {
  device: Device;
  /** The device and its adapter, in words. */
  label: string;
  failure?: string;
  /** The line of the program that failed. */
  line?: number;
  results: Result[];
  /** Milliseconds of all runs but the first, which compiles; they gave what the first gave, or `steady` is false. */
  times: number[];
  first: number;
  steady: boolean;
}

/** The page to the worker that runs programs. */
export interface Order {
  file: Uint8Array<ArrayBuffer>;
  inputs: Input[];
  devices: Device[];
}

/** And what comes back: a sign of life, or all reports. */
export type News = { doing: string } | { reports: Report[] };
