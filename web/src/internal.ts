/** What the runtime shares with its parts, which are files of their own and need not have it twice: see build.mjs. */
import { LAUNCH_VARIABLES } from "./artifact.js";
import { INPUT, PIECE, hasher, hex } from "./blake3.js";
import { Buffer, makers, resultOf } from "./buffer.js";
import { LARGEST, evaluate, product } from "./formula.js";
import { Program } from "./program.js";
import { arrayOf, bytesOf, integerOf, scalarBits, slotOf, view, writeBits } from "./types.js";

export { Buffer, INPUT, LARGEST, LAUNCH_VARIABLES, PIECE, Program, arrayOf, bytesOf, evaluate, hasher, hex, integerOf, makers, product, resultOf, scalarBits, slotOf, view, writeBits };

/** @internal The same by their places, which names would be longer than. */
export const internal = [Buffer, INPUT, LARGEST, LAUNCH_VARIABLES, PIECE, Program, arrayOf, bytesOf, evaluate, hasher, hex, integerOf, makers, product, resultOf, scalarBits, slotOf, view, writeBits];
