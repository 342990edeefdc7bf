/** The whole tree of errors: those of the runtime, and those that a compiler and its frontends raise. */
import { CompileError, HologramError } from "./errors.js";

export * from "./errors.js";

export interface IsaErrorDetails {
  /** One line per problem when a verifier found several. */
  problems?: readonly string[];
  /** Set by the text reader, counted from 1. */
  line?: number;
  column?: number;
}

/** A Program, or its text, bytes or JSON form, breaks a rule of the ISA. */
export class IsaError extends HologramError {
  override name = "IsaError";
  readonly problems: readonly string[];
  readonly line: number | null;
  readonly column: number | null;

  constructor(message: string, { problems = [message], line, column }: IsaErrorDetails = {}) {
    super(line === undefined ? message : `line ${line}, column ${column}: ${message}`);
    this.problems = problems;
    this.line = line ?? null;
    this.column = column ?? null;
  }
}

/** An instruction uses a type that this device or target does not have. */
export class UnsupportedType extends CompileError {
  override name = "UnsupportedType";
}

/** An instruction that this device or target does not run. */
export class UnsupportedInstruction extends CompileError {
  override name = "UnsupportedInstruction";
}

/** No such pool (freed, or another backend's), or a transfer that does not fit it. */
export class InvalidPool extends HologramError {
  override name = "InvalidPool";
}

/** A frontend cannot translate its source: `file`, `line` and `column` (from 1), `offset` (from 0) say where. */
export class TranslateError extends HologramError {
  override name = "TranslateError";

  constructor(
    message: string,
    readonly file: string | null = null,
    readonly line: number | null = null,
    readonly column: number | null = null,
    readonly offset: number | null = null,
  ) {
    const place = [file, line, column].filter((part) => part !== null).join(":");
    super(place ? `${place}: ${message}` : message);
  }
}
