// What the browser has of what WebAssembly may use.
const RELAXED = "0061736d010000000105016000017b030201000a0f010d004101fd0f4102fd0ffd80020b"; // i8x16.relaxed_swizzle

export default async function features() {
  const relaxed = WebAssembly.validate(Uint8Array.from(RELAXED.match(/../g), (pair) => parseInt(pair, 16)));
  return { json: { isolated: crossOriginIsolated, shared: typeof SharedArrayBuffer !== "undefined", relaxed }, blobs: [] };
}
