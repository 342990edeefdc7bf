/** Constants that lie beside an artifact. */
import { ArtifactError, LaunchError, textOf } from "./errors.js";
import type { Blob } from "./plan.js";

/** A constant beside the file: from the same origin, so that a file cannot reach further than its own server. */
export async function fetchConstant({ location, offset, length }: Blob, base: string | URL | undefined): Promise<Uint8Array> {
  if (base !== undefined && !URL.canParse(textOf(base))) throw new LaunchError(`base is a URL, not ${textOf(base)}`);
  if (base === undefined) throw new ArtifactError(`a constant is in ${location}: load the artifact from its address, or give a base`);
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
