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
 * Each class sets `name` itself, because a minifier renames classes.
 */

const MOST = 4000; // characters of a message

/**
 * A message that quotes no more of what it is about than people read: words of more than 200 characters lose their middle,
 * and so does a text of more than 4,000, which begins with what is wrong and ends with what to do.
 */
export function shortened(text: string): string {
  const bounded = text.length > MOST ? `${text.slice(0, MOST - 1000)}...${text.slice(-1000)}` : text;
  return bounded.replace(/(\S{180})\S{4,}(\S{20})/g, "$1...$2");
}

/** A value as text, of whatever kind it is. */
export function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return typeof value; // its toString throws
  }
}

/** Base class of every error that the runtime throws on purpose. Its text is bounded, whatever it quotes. */
export class HologramError extends Error {
  override name = "HologramError";

  constructor(message = "") {
    super(shortened(message));
  }
}

/** A valid Program that this device or target cannot compile. `instruction` is its index, or null. */
export class CompileError extends HologramError {
  override name = "CompileError";

  constructor(
    readonly instruction: number | null,
    readonly reason: string,
  ) {
    super(instruction === null ? reason : `instruction ${instruction}: ${reason}`);
  }
}

/** A device that was asked for cannot be had here, and why. */
export class BackendUnavailable extends HologramError {
  override name = "BackendUnavailable";

  constructor(
    readonly backend: string,
    readonly reason: string,
  ) {
    super(`backend '${backend}' is not available: ${reason}`);
  }
}

/** No such buffer (freed, or another backend's), or a transfer that does not fit it. */
export class InvalidBuffer extends HologramError {
  override name = "InvalidBuffer";
}

/** Memory of the asked size cannot be had. */
export class AllocationFailed extends HologramError {
  override name = "AllocationFailed";
}

/** A launch configuration, or an argument of a launch, is wrong. Nothing has run. */
export class LaunchError extends HologramError {
  override name = "LaunchError";
}

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
  override name = "ExecutionError";
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
    override readonly name: Name,
    ...given: Parameters<Texts[Name]>
  ) {
    super();
    this.given = given;
  }

  async told(): Promise<HologramError> {
    const texts = (await import("./texts.js")) as unknown as Record<Name, (...given: Parameters<Texts[Name]>) => HologramError>;
    return texts[this.name](...this.given);
  }
}

/** Takes what the caller gave. What goes wrong there, in a getter or with memory that was transferred, is a LaunchError. */
export function reading<T>(what: string, take: () => T): T {
  try {
    return take();
  } catch (error) {
    if (error instanceof HologramError) throw error;
    throw new LaunchError(`${what} cannot be read: ${textOf(error)}`);
  }
}

/** Options as they are now. */
export const optionsOf = <T>(given: T): T => reading("the options", () => ({ ...given }));

/** Does work, and gives the errors that it throws their texts. */
export async function telling<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Untold ? await error.told() : error;
  }
}

/** A `.holo` file is damaged, hostile or of another version. */
export class ArtifactError extends HologramError {
  override name = "ArtifactError";
}

export { HologramError as BackendError, ExecutionError as ExecutionFailed };
