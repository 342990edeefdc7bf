/** The whole tree of errors: those of the runtime, and those that a compiler and its frontends raise. */
import { CompileError, HologramError, named } from "./errors.js";

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
export class UnsupportedType extends CompileError {}

/** An instruction that this device or target does not run. */
export class UnsupportedInstruction extends CompileError {}

/** No such pool (freed, or another backend's), or a transfer that does not fit it. */
export class InvalidPool extends HologramError {}

/** A frontend cannot translate its source: `file`, `line` and `column` (from 1), `offset` (from 0) say where. */
export class TranslateError extends HologramError {
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

named({ IsaError, UnsupportedType, UnsupportedInstruction, InvalidPool, TranslateError });
