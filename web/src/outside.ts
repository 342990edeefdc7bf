/** Constants that lie outside an artifact, streamed to the device, and files of the machine where there is no page. */
import type { Device, Memory } from "./backends/device.js";
import { ArtifactError, LaunchError, Untold, reading, textOf } from "./errors.js";
import { INPUT, PIECE, hasher, hex } from "./internal.js";
import type { Artifact, Blob as Constant } from "./plan.js";
import type { LoadOptions } from "./runtime.js";

const BREATH_MS = 50; // after as many without a pause the page has its turn

/** A file that is read from `start` on. */
interface Stream {
  readonly start: number;
  /** The next bytes; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends it: what is being read is the end. */
  cancel(): unknown;
}
/** Opens a file to read the bytes between two places, and maybe more. */
type Open = (from: number, to: number, signal: AbortSignal | undefined) => Promise<Stream>;

/** A constant that is to be streamed, and where it goes. */
interface Wanted extends Constant {
  readonly what: string;
  readonly memory: Memory;
}

/** What makes the memory of all constants of a file, on any device, again where a device was lost. */
export function fillerOf(file: Artifact, options: LoadOptions, address: string): (device: Device) => Promise<Memory[]> {
  let { signal, progress } = options;
  const { weights, base = address || undefined } = options;
  const locations = [...new Set(file.blobs.flatMap(({ data, location }) => (data ? [] : [location])))];
  if (weights && locations.length !== 1) throw new ArtifactError(`weights is one file; the artifact has constants in ${locations.join(", ") || "no other file"}`);
  if (progress != null && typeof progress !== "function") throw new Untold("option", "progress", progress);
  if (signal != null && reading("signal", () => typeof signal!.aborted !== "boolean")) throw new Untold("option", "signal", signal);
  const opens = locations.map((location) => (weights ? given(weights) : beside(location, base)));
  const total = file.blobs.reduce((sum, { data, length }) => sum + (data ? 0 : length), 0);
  return async (device) => {
    let done = 0;
    const came = (bytes: number): void => {
      done += bytes;
      if (progress) reading("progress", () => progress!(done, total));
    };
    const memories: Memory[] = [];
    try {
      for (const { data, length } of file.blobs) memories.push(device.allocate(length, data ?? undefined));
      for (const [k, location] of locations.entries()) {
        const wanted = file.blobs.flatMap((blob, number): Wanted[] => {
          const names = file.constants.flatMap((each) => (each.blob === number ? [each.name] : []));
          return blob.data || blob.location !== location ? [] : [{ ...blob, what: `the constant ${names.join(" or ")}`, memory: memories[number]! }];
        });
        await all(device, wanted, opens[k]!, signal, came);
      }
    } catch (error) {
      memories.forEach((memory) => device.free(memory));
      throw error;
    }
    signal = progress = undefined; // were of this load
    return memories;
  };
}

/** Streams constants of one file, in the order of their places; those that share bytes by further passes. */
async function all(device: Device, wanted: Wanted[], open: Open, signal: AbortSignal | undefined, came: (bytes: number) => void): Promise<void> {
  for (let left = wanted.sort((a, b) => a.offset - b.offset); left.length; ) {
    let end = 0;
    const now = left.filter(({ offset, length }) => offset >= end && ((end = offset + length), true));
    left = left.filter((each) => !now.includes(each));
    await pass(device, now, open, signal, came);
  }
}

async function pass(device: Device, wanted: readonly Wanted[], open: Open, signal: AbortSignal | undefined, came: (bytes: number) => void): Promise<void> {
  const [first, last] = [wanted[0]!, wanted.at(-1)!];
  const { memory: code, update } = hasher();
  const input = new Uint8Array(code.buffer, INPUT, PIECE);
  const unreadable = (error: unknown): never => {
    if (signal?.aborted) throw new Untold("cancelled");
    if (error instanceof ArtifactError) throw error;
    const how = "put that file beside the artifact, or say by `weights` where it is";
    throw new ArtifactError(`${first.what} is in '${first.location}', which cannot be read: ${textOf(error)}: ${how}`);
  };
  const stream = await open(first.offset, last.offset + last.length, signal).catch(unreadable);
  const cancel = () => void stream.cancel();
  signal?.addEventListener("abort", cancel);
  let chunk: Uint8Array | undefined = new Uint8Array();
  let at = stream.start;
  let breath = performance.now() + BREATH_MS;

  /** The next bytes, up to so many; none at the end. */
  async function take(most: number): Promise<Uint8Array> {
    while (chunk && !chunk.length) chunk = await stream.read().catch(unreadable);
    if (signal?.aborted) throw new Untold("cancelled");
    const found = (chunk ?? new Uint8Array()).subarray(0, most);
    chunk = chunk?.subarray(found.length);
    at += found.length;
    return found;
  }

  try {
    for (const { what, location, offset, length, hash, memory } of wanted) {
      const must = (bytes: Uint8Array): Uint8Array => {
        if (bytes.length) return bytes;
        throw new ArtifactError(`${what} in '${location}', ${length} bytes at ${offset}, are not all there: was the file cut off? get it again`);
      };
      while (at < offset) must(await take(offset - at));
      let done = 0;
      do {
        const size = Math.min(PIECE, length - done);
        for (let filled = 0; filled < size; ) {
          const bytes = must(await take(size - filled));
          input.set(bytes, filled);
          filled += bytes.length;
        }
        if (size) device.write(memory, input.subarray(0, size), done);
        update(size, Number((done += size) < length));
        came(size);
        if (performance.now() > breath) {
          await new Promise((resolve) => setTimeout(resolve));
          breath = performance.now() + BREATH_MS;
        }
      } while (done < length);
      if (hex(new Uint8Array(code.buffer, 0, 32)) !== hash) {
        throw new ArtifactError(`${what} in '${location}' is damaged: its ${length} bytes do not have the hash they had: get the file again that was saved with the artifact`);
      }
    }
  } finally {
    signal?.removeEventListener("abort", cancel);
    cancel();
  }
}

// Where files are

/** A file beside the artifact: from the same origin, so that a file cannot reach further than its own server. */
function beside(location: string, base: string | URL | undefined): Open {
  if (base !== undefined && !URL.canParse(textOf(base))) throw new LaunchError(`base is a URL, not ${textOf(base)}`);
  if (base === undefined) throw new ArtifactError(`a constant is in '${location}': load the artifact from its address, or give \`weights\` or a base`);
  if (new URL(base).protocol === "file:") {
    const place = new URL(location, base);
    if (!place.href.startsWith(new URL(".", base).href)) throw new ArtifactError(`a constant is in '${location}', which is not in the folder of the artifact`);
    return (from) => local(place, from);
  }
  if (!URL.canParse(location, base) || new URL(location, base).origin !== new URL(base).origin) {
    throw new ArtifactError(`a constant is in '${location}', which is on another server than the artifact`);
  }
  return (...range) => fetched(new URL(location, base), ...range);
}

/** What the caller says has the constants. */
function given(weights: NonNullable<LoadOptions["weights"]>): Open {
  return reading("the weights", (): Open => {
    if (typeof weights === "string" || weights instanceof URL) {
      return isLocal(weights) ? (from) => local(urlOf(weights), from) : (...range) => fetched(weights, ...range);
    }
    if (weights instanceof Blob) return async (from) => streamed(weights.slice(from).stream(), from);
    if (ArrayBuffer.isView(weights) || weights instanceof ArrayBuffer) {
      const bytes = ArrayBuffer.isView(weights) ? new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength) : new Uint8Array(weights);
      return async (from) => {
        const left = [bytes.subarray(from)];
        return { start: from, read: async () => left.pop(), cancel: () => left.pop() };
      };
    }
    const body = weights instanceof Response ? answered(weights) : weights;
    if (!(body instanceof ReadableStream)) throw new Untold("option", "weights", weights);
    let fresh = true;
    return async () => {
      if (!fresh) throw new ArtifactError("the weights were a stream, which is read once: load the program again, or give their address");
      fresh = false;
      return streamed(body, 0);
    };
  });
}

function answered(response: Response): ReadableStream<Uint8Array> {
  const body = response["body"]; // quoted: the minifier renames other members of that name
  if (!response.ok || !body) throw new Error(`status ${response.status}`);
  return body;
}

/** A file at an address, from its start where that is near: parts of it are not kept by browsers. */
async function fetched(address: string | URL, from: number, to: number, signal: AbortSignal | undefined): Promise<Stream> {
  const headers: Record<string, string> = from > PIECE ? { Range: `bytes=${from}-${Math.max(to, from + 1) - 1}` } : {};
  const response = await fetch(address, { headers, signal: signal ?? null });
  return streamed(answered(response), response.status === 206 ? from : 0);
}

function streamed(body: ReadableStream<Uint8Array>, start: number): Stream {
  const reader = body.getReader();
  return {
    start,
    read: async () => {
      const { value } = await reader.read();
      if (value !== undefined && !(value instanceof Uint8Array)) throw new TypeError("the stream gives no bytes");
      return value;
    },
    cancel: () => reader.cancel().catch(() => {}),
  };
}

// Files of the machine

/** Modules of Node, which Deno and Bun have, too. By an import bundlers for pages would look for them. */
function builtIn(name: string): any {
  const { process } = globalThis as any;
  return process.getBuiltinModule(name);
}

/** Outside of pages a path is one of this machine. */
const isLocal = (place: string | URL): boolean => !globalThis.location && !/^(https?|data|blob):/.test(textOf(place));
const urlOf = (path: string | URL): URL => (URL.canParse(path) && new URL(path).protocol === "file:" ? new URL(path) : builtIn("node:url").pathToFileURL(String(path)));

/** A file of this machine, by its path or its URL. */
export async function readLocal(path: string | URL): Promise<{ bytes: Uint8Array; address: string }> {
  const file = urlOf(path);
  return { bytes: new Uint8Array(await builtIn("node:fs/promises").readFile(file)), address: file.href };
}

async function local(file: URL, start: number): Promise<Stream> {
  const handle = await builtIn("node:fs/promises").open(file);
  let at = start;
  return {
    start,
    read: async () => {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(16 * PIECE), 0, 16 * PIECE, at);
      at += bytesRead;
      return bytesRead ? buffer.subarray(0, bytesRead) : undefined;
    },
    cancel: () => handle.close().catch(() => {}),
  };
}
