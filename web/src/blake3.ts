/** BLAKE3, from wasm/blake3.wat. */
import { CODE } from "./blake3.gen.js";

interface Exports {
  memory: WebAssembly.Memory;
  input: WebAssembly.Global;
  output: WebAssembly.Global;
  update(length: number, more: number): void;
}

const PIECE = 65_536;
let instance: Exports | undefined;

function exportsOf(): Exports {
  const code = Uint8Array.from(atob(CODE), (character) => character.charCodeAt(0));
  return new WebAssembly.Instance(new WebAssembly.Module(code)).exports as unknown as Exports;
}

/** The hash, in hexadecimal digits, of all parts one after the other. */
export function blake3(...parts: Uint8Array[]): string {
  const { memory, input, output, update } = (instance ??= exportsOf());
  const room = new Uint8Array(memory.buffer, input.value, PIECE);
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  let left = total;
  let filled = 0;
  const flush = () => {
    left -= filled;
    update(filled, left > 0 ? 1 : 0);
    filled = 0;
  };
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const count = Math.min(part.length - at, PIECE - filled);
      room.set(part.subarray(at, at + count), filled);
      at += count;
      filled += count;
      if (filled === PIECE) flush();
    }
  }
  if (filled || !total) flush();
  return hex(new Uint8Array(memory.buffer, output.value, 32));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
