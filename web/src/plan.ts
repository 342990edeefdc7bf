/** What a plan consists of; docs/artifact.md says what each part means. */
import type { Formula } from "./formula.js";
import { product, text } from "./formula.js";
import type { Type } from "./types.js";
import { bytesOf } from "./types.js";

export const CLASS_BYTES = 12_288;
export const CLASSES = 96;

export type Access = "scalar" | "read" | "write" | "read_write";
/** In the order of the binary form. */
export const ACCESS: readonly Access[] = ["scalar", "read", "write", "read_write"];

/** An argument of a run: a scalar, or an array with a shape. */
export interface Port {
  readonly name: string;
  readonly type: Type;
  readonly access: Access;
  readonly shape: readonly Formula[];
}

export function describe(port: Port): string {
  const shape = port.access === "scalar" ? "" : `[${port.shape.map(text).join(", ")}] ${port.access}`;
  return `${port.name}: ${port.type}${shape}`;
}

export type Triple<T> = readonly [T, T, T];

/** What a parameter is given: bits, or a number of a port (1), a formula (2), or a buffer that holds it (3) or is it (4), or a value (6). */
export type Argument =
  | { readonly kind: 0; readonly bits: bigint }
  | { readonly kind: 1 | 2 | 3 | 4; readonly index: number }
  | { readonly kind: 6; readonly value: string };

/** As in the binary form. */
export const enum StepKind {
  Repeat = 1,
  Call,
  Launch,
  Copy,
  BoundsCheck,
  Target,
  Let,
  Read,
  When,
  Nest,
  Loop,
  Branch,
}

export interface Repeat {
  readonly step: StepKind.Repeat;
  readonly count: Formula;
  readonly variable: string;
  readonly body: readonly Step[];
}

export interface ProgramCall {
  readonly step: StepKind.Call;
  readonly program: number;
  readonly body: readonly Step[];
}

export interface Launch {
  readonly step: StepKind.Launch;
  readonly kernel: number;
  /** From 1; 0 if there is no WGSL. */
  readonly variant: number;
  /** 1 + index of the collective that this is a part of, or 0. */
  readonly origin: number;
  readonly grid: Triple<Formula>;
  readonly lanes: Triple<Formula>;
  readonly scalars: readonly Argument[];
  readonly memories: readonly number[];
}

export interface Copy {
  readonly step: StepKind.Copy;
  /** The target, and the source. */
  readonly memories: readonly [number, number];
}

export interface BoundsCheck {
  readonly step: StepKind.BoundsCheck;
  readonly need: Formula;
  readonly offset: Formula;
  readonly size: Formula;
  readonly type: Type;
  readonly instruction: number;
  readonly memory: string;
}

export type Backend = "wasm" | "webgpu";
/** In the order of the binary form. */
export const BACKENDS: readonly Backend[] = ["wasm", "webgpu"];

/** Steps for one kind of kernels only. */
export interface Target {
  readonly step: StepKind.Target;
  readonly backend: Backend;
  readonly body: readonly Step[];
}

/** A type of a value; predicates are 0 or 1. */
export type Kind = Type | "pred";

/** Computes a value; `values.ts` knows the operations. */
export interface Let {
  readonly step: StepKind.Let;
  readonly value: string;
  readonly type: Kind;
  readonly operation: number;
  readonly source: Kind;
  readonly args: readonly Argument[];
}

/** Takes a value from a buffer, when what ran before is done. */
export interface Read {
  readonly step: StepKind.Read;
  readonly value: string;
  readonly type: Type;
  readonly memories: readonly [number];
  readonly offset: Formula;
}

export interface When {
  readonly step: StepKind.When;
  /** A predicate. */
  readonly condition: string;
  readonly body: readonly Step[];
  readonly otherwise: readonly Step[];
}

/** Steps that a branch leaves (nest) or begins again (loop). */
export interface Nest {
  readonly step: StepKind.Nest | StepKind.Loop;
  readonly body: readonly Step[];
}

/** Goes to the nest or loop that stands so many levels around. */
export interface Branch {
  readonly step: StepKind.Branch;
  readonly levels: number;
}

export type Step = Repeat | ProgramCall | Launch | Copy | BoundsCheck | Target | Let | Read | When | Nest | Branch;

type Fields = Partial<Pick<Launch, "memories" | "scalars"> & Pick<Target, "backend"> & Pick<When, "body" | "otherwise">>;

/** The steps that a backend may come to, in their order, but those around others. */
export const reached = (steps: readonly Step[], on: Backend): Step[] =>
  steps.flatMap((step) => {
    const { backend = on, body, otherwise = [] } = step as Fields;
    return backend !== on ? [] : body ? reached([...body, ...otherwise], on) : [step];
  });

/** The numbers of the buffers that those steps read, write or are told the place of: files have temporaries of each backend. */
export const buffersOf = (steps: readonly Step[], on: Backend): unknown[] =>
  reached(steps, on).flatMap((step) => {
    const { memories = [], scalars = [] } = step as Fields;
    return [...memories, ...scalars.map((scalar) => scalar.kind === 3 && scalar.index)];
  });

/** A memory of a kernel: a parameter that is a buffer (0) or a pool (1), a class (2), the class memory (3). */
export interface KernelMemory {
  readonly kind: number;
  readonly base: string | number;
  readonly written: boolean;
}

export interface WasmCode {
  readonly module: number;
  readonly spill: number;
  readonly scalars: readonly number[];
  readonly memories: readonly number[];
  /** The module where the engine has relaxed SIMD; -1 if it is the same. */
  readonly relaxed: number;
}

export interface Variant {
  readonly shader: number;
  /** Whether lanes count the rounds of loops, so that nobody knows how long they take. */
  readonly counts: boolean;
  readonly size: number;
  readonly scalars: readonly number[];
  /** Those of no memory are scratch, with so many bytes for a block. */
  readonly bindings: readonly { readonly writable: boolean; readonly memories: readonly number[]; readonly scratch: number }[];
  /** Shaders without checks, for launches where no condition is negative; the first of them that may run does. */
  readonly fast: readonly Fast[];
}

/** A workgroup does so many `blocks`. */
export interface Fast {
  readonly shader: number;
  readonly counts: boolean;
  readonly blocks: number;
  readonly conditions: readonly Formula[];
}

export interface Kernel {
  readonly name: string;
  /** -1 in a part of a collective. */
  readonly program: number;
  readonly block: Triple<number>;
  readonly shared: number;
  readonly scalars: readonly { readonly name: string; readonly type: Type }[];
  readonly memories: readonly KernelMemory[];
  /** Whether blocks may run at the same time on several threads. */
  readonly parallel?: boolean;
  /** The code, or why there is none. */
  readonly wasm: WasmCode | string;
  readonly wgsl: readonly Variant[] | string;
}

/** Bytes of a constant. `location` is empty if they are in the file. */
export interface Blob {
  readonly length: number;
  readonly hash: string;
  readonly location: string;
  readonly offset: number;
  readonly data: Uint8Array | null;
}

export interface Artifact {
  readonly metadata: Readonly<Record<string, string>>;
  readonly ports: readonly Port[];
  readonly formulas: readonly Formula[];
  readonly temporaries: readonly { readonly name: string; readonly size: Formula }[];
  readonly constants: readonly { readonly name: string; readonly blob: number }[];
  readonly steps: readonly Step[];
  /** Names of formulas that have to be those of values; null if no step needs `values.ts`, which checks the others. */
  readonly computed: ReadonlySet<string> | null;
  /** The instructions of each program, as text. */
  readonly programs: readonly (readonly string[])[];
  readonly kernels: readonly Kernel[];
  readonly modules: readonly Uint8Array[];
  readonly pieces: readonly string[];
  readonly shaders: readonly (readonly number[])[];
  readonly blobs: readonly Blob[];
}

export const alignmentOf = (type: Type): number => Math.min(bytesOf(type), 16);
export const lanesOf = (kernel: Kernel): number => product(kernel.block);
