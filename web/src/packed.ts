/** Artifacts that the package has as modules, which every bundler finds: text, each imported when it is asked for. */
import { ArtifactError } from "./errors.js";

export type Files = Readonly<Record<string, () => Promise<{ default: string }>>>;

/** The bytes of one. Raises ArtifactError where a server does not have it. */
export async function unpacked(files: () => Promise<{ FILES: Files }>, name: string): Promise<Uint8Array> {
  try {
    const { FILES } = await files();
    const { default: text } = await FILES[name]!();
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch (error) {
    throw new ArtifactError(`${name} of the package cannot be loaded: ${error}`);
  }
}
