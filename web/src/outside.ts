/** Constants that lie beside an artifact, and files of the machine where there is no page. */
import { ArtifactError, LaunchError, textOf } from "./errors.js";
import type { Blob } from "./plan.js";

/** A constant beside the file: from the same origin, so that a file cannot reach further than its own server. */
export async function fetchConstant({ location, offset, length }: Blob, base: string | URL | undefined): Promise<Uint8Array> {
  if (base !== undefined && !URL.canParse(textOf(base))) throw new LaunchError(`base is a URL, not ${textOf(base)}`);
  if (base === undefined) throw new ArtifactError(`a constant is in ${location}: load the artifact from its address, or give a base`);
  if (new URL(base).protocol === "file:") {
    const place = new URL(location, base);
    if (!place.href.startsWith(new URL(".", base).href)) throw new ArtifactError(`a constant is in ${location}, which is not in the folder of the artifact`);
    return readPart(place, offset, length).catch((error) => {
      throw new ArtifactError(`${location} cannot be read: ${error}`);
    });
  }
  if (!URL.canParse(location, base) || new URL(location, base).origin !== new URL(base).origin) {
    throw new ArtifactError(`a constant is in ${location}, which is on another server than the artifact`);
  }
  const headers = { Range: `bytes=${offset}-${offset + Math.max(length, 1) - 1}` };
  const response = await fetch(new URL(location, base), { headers }).catch((error) => {
    throw new ArtifactError(`${location} cannot be read: ${error}`);
  });
  if (!response.ok) throw new ArtifactError(`${location} cannot be read: status ${response.status}`);
  const whole = new Uint8Array(await response.arrayBuffer());
  return response.status === 206 ? whole.subarray(0, length) : whole.subarray(offset, offset + length);
}

/** Modules of Node, which Deno and Bun have, too. By an import bundlers for pages would look for them. */
function builtIn(name: string): any {
  const { process } = globalThis as any;
  return process.getBuiltinModule(name);
}

/** A file of this machine, by its path or its URL. */
export async function readLocal(path: string | URL): Promise<{ bytes: Uint8Array; address: string }> {
  const file = URL.canParse(path) && new URL(path).protocol === "file:" ? new URL(path) : (builtIn("node:url").pathToFileURL(String(path)) as URL);
  return { bytes: new Uint8Array(await builtIn("node:fs/promises").readFile(file)), address: file.href };
}

async function readPart(file: URL, offset: number, length: number): Promise<Uint8Array> {
  const handle = await builtIn("node:fs/promises").open(file);
  try {
    const bytes = new Uint8Array(length);
    const { bytesRead } = await handle.read(bytes, 0, length, offset);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
