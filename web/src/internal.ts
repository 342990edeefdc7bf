/** What the runtime shares with its parts, which are files of their own and need not have it twice: see build.mjs. */
export { LAUNCH_VARIABLES } from "./artifact.js";
export { INPUT, PIECE, hasher, hex } from "./blake3.js";
export { Buffer, resultOf } from "./buffer.js";
export { LARGEST, evaluate, product } from "./formula.js";
export { Program } from "./program.js";
export { arrayOf, bytesOf, integerOf, scalarBits, slotOf, view, writeBits } from "./types.js";
