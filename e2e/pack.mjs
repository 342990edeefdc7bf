/** What a job gives, as bytes: the length of its JSON in 8 bytes, the JSON, the blobs. */
export function pack({ json, blobs = [] }) {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const parts = [new Uint8Array(new BigUint64Array([BigInt(text.length)]).buffer), text, ...blobs];
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
