/**
 * The errors of the runtime: the same tree, the same names and the same texts as in Python (`hologram_web.errors`). Those
 * that only a compiler raises are in `hologram-web/errors` (tree.ts), marked + here.
 *
 *     HologramError (alias BackendError)
 *     ├── IsaError +               a Program, its text, bytes or JSON is wrong
 *     ├── CompileError             a Program cannot be compiled: .instruction, .reason
 *     │   ├── UnsupportedType +
 *     │   └── UnsupportedInstruction +
 *     ├── BackendUnavailable       .backend, .reason
 *     ├── InvalidBuffer            no such buffer, or a transfer outside it
 *     ├── InvalidPool +
 *     ├── AllocationFailed
 *     ├── LaunchError              a launch configuration or an argument is wrong
 *     ├── ExecutionError           .kind, .instruction, .lane, .detail (alias ExecutionFailed)
 *     ├── ArtifactError
 *     └── TranslateError +         .file, .line, .column, .offset
 *
 * A minifier renames classes: `named` gives them back what they are called, which is the `name` of their errors.
 */

const MOST = 4000; // characters of a message

/**
 * @internal A message that quotes no more of what it is about than people read: words of more than 200 characters lose their middle,
 * and so does a text of more than 4,000, which begins with what is wrong and ends with what to do.
 */
export function shortened(text: string): string {
  const bounded = text.length > MOST ? `${text.slice(0, MOST - 1000)}...${text.slice(-1000)}` : text;
  return bounded.replace(/(\S{180})\S{4,}(\S{20})/g, "$1...$2");
}

/** @internal A value as text, of whatever kind it is. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return typeof value; // its toString throws
  }
}

/** Base class of every error that the runtime throws on purpose. Its text is bounded, whatever it quotes. */
export class HologramError extends Error {
  constructor(message = "") {
    super(shortened(message));
  }
}

/**
 * @internal An error as people see it: its text as it is now, and below it who called `from`: Node prints the line of the source that is
 * first there, and ours are minified. It prints fields, too, if it finds them, and the text has them.
 */
export function cleaned<T>(error: T, from: Function): T {
  if (error instanceof HologramError) {
    (Error as unknown as { captureStackTrace?: (error: Error, from: Function) => void }).captureStackTrace?.(error, from);
    for (const key of Object.keys(error)) Object.defineProperty(error, key, { enumerable: false });
  }
  return error;
}

/** A valid Program that this device or target cannot compile. `instruction` is its index, or null. */
export class CompileError extends HologramError {
  constructor(
    readonly instruction: number | null,
    readonly reason: string,
  ) {
    super(instruction === null ? reason : `instruction ${instruction}: ${reason}`);
  }
}

/** A device that was asked for cannot be had here, and why. */
export class BackendUnavailable extends HologramError {
  constructor(
    readonly backend: string,
    readonly reason: string,
  ) {
    super(`backend '${backend}' is not available: ${reason}`);
  }
}

/** No such buffer (freed, or another backend's), or a transfer that does not fit it. */
export class InvalidBuffer extends HologramError {}

/** Memory of the asked size cannot be had. */
export class AllocationFailed extends HologramError {}

/** A launch configuration, or an argument of a launch, is wrong. Nothing has run. */
export class LaunchError extends HologramError {}

/** What can go wrong while lanes run. */
export type FaultKind =
  | "OutOfBounds"
  | "DivisionByZero"
  | "MisalignedAccess"
  | "InvalidClass"
  | "NeighborIllegal"
  | "StepLimit"
  | "DivergentBarrier"
  | "PoolUseAfterFree"
  | "Cancelled"
  | "DataRace";

export interface FaultPlace {
  /** Global id of the lane. */
  lane?: number;
  /** The parameter (or "shared") and the byte offset of a faulting access. */
  buffer?: string;
  offset?: number;
}

/** A fault of a running launch. `instruction` is its index in the Program, or null where that is not known. */
export class ExecutionError extends HologramError {
  readonly lane: number | null;
  readonly buffer: string | null;
  readonly offset: number | null;
  /** The line of Python that it was, with its place, where the artifact says it: `kernel.py:5: y[i] = x[i + 1]`. */
  declare line?: string;

  constructor(
    readonly kind: FaultKind,
    readonly instruction: number | null,
    readonly detail: string,
    { lane, buffer, offset }: FaultPlace = {},
  ) {
    const where = instruction === null ? "" : ` at instruction ${instruction}`;
    const who = lane === undefined ? "" : `, lane ${lane}`;
    super(`${kind}${where}${who}: ${detail}`);
    this.lane = lane ?? null;
    this.buffer = buffer ?? null;
    this.offset = offset ?? null;
  }
}

type Texts = typeof import("./texts.js");

/** @internal Thrown in a run for an error of texts.ts, which is loaded when it is needed, by its name there. */
export class Untold<Name extends keyof Texts> extends HologramError {
  readonly given: Parameters<Texts[Name]>;

  constructor(
    readonly text: Name,
    ...given: Parameters<Texts[Name]>
  ) {
    super();
    this.given = given;
  }

  async told(): Promise<HologramError> {
    const texts = (await import("./texts.js")) as unknown as Record<Name, (...given: Parameters<Texts[Name]>) => HologramError>;
    return texts[this.text](...this.given);
  }
}

/**
 * @internal Takes what the caller gave. What goes wrong there, in a getter or with memory that was transferred, is a LaunchError; it
 * comes `from` the function that people call.
 */
export function reading<T>(what: string, take: () => T, from: Function = reading): T {
  try {
    return take();
  } catch (error) {
    throw cleaned(error instanceof HologramError ? error : new LaunchError(`${what} cannot be read: ${textOf(error)}`), from);
  }
}

/** @internal Options as they are now. Raises LaunchError, untold, for one that is not among the names. */
export const optionsOf = <T extends object>(given: T, ...names: (keyof T & string)[]): T =>
  reading("the options", () => {
    const found = { ...given };
    for (const name in found) if (!names.includes(name)) throw new Untold("noOption", name, names);
    return found;
  });

/** @internal Does work, and gives the errors that it throws their texts. */
export async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw cleaned(error instanceof Untold ? await error.told() : error, telling);
  }
}

/** A `.holo` file is damaged, hostile or of another version. */
export class ArtifactError extends HologramError {}

/** @internal Names classes, for consoles and for what errors say. */
export function named(classes: Record<string, Function>): void {
  for (const name in classes) Object.defineProperty(classes[name], "name", { value: name });
}

named({ HologramError, CompileError, BackendUnavailable, InvalidBuffer, AllocationFailed, LaunchError, ExecutionError, ArtifactError });
Object.defineProperty(HologramError.prototype, "name", {
  get() {
    return this.constructor.name;
  },
});

export { HologramError as BackendError, ExecutionError as ExecutionFailed };
