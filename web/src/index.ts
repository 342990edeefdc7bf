export * from "./errors.js";
export type { InstructionInfo, OperandInfo } from "./isa.js";
export { INSTRUCTIONS, ISA_VERSION } from "./isa.gen.js";
