/** A program in an address: its text, compressed, behind the #, which no server is sent. */

const NAME = "code=";

async function through(bytes: Uint8Array<ArrayBuffer>, stream: CompressionStream | DecompressionStream): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

export async function packed(text: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `#${NAME}${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** What an address holds: a text, the name of an example, or null. Rejects for a damaged text. */
export async function unpacked(hash: string): Promise<{ text: string } | { example: string } | null> {
  const held = hash.replace(/^#/, "");
  const named = /^(?:gallery|example)=([\w-]+)$/.exec(held);
  if (named) return { example: named[1]! };
  if (!held.startsWith(NAME)) return null;
  const binary = atob(held.slice(NAME.length).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = await through(Uint8Array.from(binary, (character) => character.charCodeAt(0)), new DecompressionStream("deflate-raw"));
  return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
}
