/** BLAKE3, from wasm/blake3.wat. */
import { CODE } from "./blake3.gen.js";

/** Code that hashes: pieces of the data lie at INPUT, the hash is at 0 after the last. */
interface Exports {
  memory: WebAssembly.Memory;
  update(length: number, more: number): void;
}

export const PIECE = 65_536; // the most at a time; all but the last are as long
export const INPUT = 4096;
let instance: Exports | undefined;

export function hasher(): Exports {
  const code = Uint8Array.from(CODE.match(/../g)!, (digits) => parseInt(digits, 16));
  return new WebAssembly.Instance(new WebAssembly.Module(code)).exports as unknown as Exports;
}

/** The hash in hexadecimal digits. */
export function blake3(data: Uint8Array): string {
  const { memory, update } = (instance ??= hasher());
  for (let at = 0, more = true; more; at += PIECE) {
    const piece = data.subarray(at, at + PIECE);
    more = at + PIECE < data.length;
    new Uint8Array(memory.buffer).set(piece, INPUT);
    update(piece.length, Number(more));
  }
  return hex(new Uint8Array(memory.buffer, 0, 32));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
