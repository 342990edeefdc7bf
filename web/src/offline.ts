/** Files that are there without a network, too: what was loaded once is kept in IndexedDB. */
import { reading, telling } from "./errors.js";
import { Kept } from "./kept.js";
import type { Program } from "./program.js";
import type { LoadOptions, Runtime } from "./runtime.js";

/** Kept by their addresses; 16 MB, those used longest ago go first. */
let files: Kept | undefined;

/**
 * Loads an artifact of an address, and keeps it when it is one. Where the server cannot be asked, or fails, the one that was
 * kept is loaded. Rejects as `runtime.load` does.
 */
export function loadKept<P extends Program = Program>(runtime: Runtime, address: string | URL, options: LoadOptions = {}): Promise<P> {
  return telling(async () => {
    const url = reading("the address", () => new URL(address, globalThis.location?.href).href);
    files ??= new Kept(undefined, "hologram-web-files");
    const response = await fetch(url, { cache: "no-cache" }).catch(() => null);
    const base = { base: url, ...options };
    if (response?.ok) {
      const copy = response.clone();
      const program = await runtime.load<P>(response, base);
      files.put(url, new Uint8Array(await copy.arrayBuffer()));
      return program;
    }
    await files.ready;
    const kept = response && response.status < 500 ? undefined : files.get(url); // what the server says is gone is gone
    return kept ? runtime.load<P>(kept, base) : runtime.load<P>(response ?? url, options);
  });
}

/** When all that was loaded lies in the database: a visit that ends earlier may lose it. */
export const settled = async (): Promise<void> => files?.settled;

/** Forgets all files. */
export function forget(): void {
  (files ??= new Kept(undefined, "hologram-web-files")).clear();
}
