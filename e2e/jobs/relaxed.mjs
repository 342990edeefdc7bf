// A file made with math="fast": what its products and sums are here, and where the engine is said to have no relaxed SIMD.
const RUNS = [
  ["fast", true],
  ["fast", false],
  ["exact", true],
];
const MADD = String.fromCharCode(0xfd, 0x85, 2);

export default async function relaxed({ get, hologram }) {
  const { validate, Module } = WebAssembly;
  const json = {};
  for (const [math, present] of RUNS) {
    const found = (json[`${math}, ${present ? "as it is" : "absent"}`] = { fused: false });
    const runtime = await hologram.Runtime.create({ backend: "wasm", threads: 1 });
    try {
      if (!present) WebAssembly.validate = () => false;
      WebAssembly.Module = function (code) {
        found.fused ||= String.fromCharCode(...code).includes(MADD);
        return new Module(code);
      };
      const program = await runtime.load(new Uint8Array(await get(`/build/e2e/relaxed.${math}.holo`)));
      const x = Float32Array.from({ length: 64 }, (_, k) => 1 + (k + 1) / 4096);
      found.z = [...(await program.run({ x }))];
    } finally {
      Object.assign(WebAssembly, { validate, Module });
    }
  }
  return { json, blobs: [] };
}
