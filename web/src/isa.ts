/** What the generated `isa.gen.ts` says of each instruction. The Python table of instructions is the only source. */
export interface OperandInfo {
  readonly name: string;
  readonly kind: string;
}

export interface InstructionInfo {
  /** The specification's name, such as `ADD`. */
  readonly name: string;
  /** Never renumbered. */
  readonly opcode: number;
  /** In program text, such as `add`. */
  readonly mnemonic: string;
  /** Executed once per launch by the whole device, not per lane. */
  readonly collective: boolean;
  readonly operands: readonly OperandInfo[];
}
