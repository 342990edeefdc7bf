// Nanoseconds of a bare call of a kernel's function, ours and by hand, in turns: bench/raw_call.py.

const ARGUMENTS = 64;
const BUFFERS = 4096;

/** A module's function on a memory of its own, with an argument block that is filled once, as docs/artifact.md says. */
async function opened(code, name, n) {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 });
  const { instance } = await WebAssembly.instantiate(code, { env: { memory, poll() {} } });
  const block = new DataView(memory.buffer, ARGUMENTS);
  [1, 1, 1, n, 1, 1].forEach((number, k) => block.setUint32(32 + 4 * k, number, true));
  block.setBigInt64(64, 2n ** 26n + 1n, true);
  block.setUint32(76, 1024, true);
  block.setUint32(88, n, true); // the length of z
  const arrays = [0, 1, 2].map((k) => new Float32Array(memory.buffer, BUFFERS + 4 * n * k, n));
  arrays.forEach(({ byteOffset, byteLength }, k) => {
    block.setUint32(96 + 8 * k, byteOffset, true);
    block.setUint32(100 + 8 * k, byteLength, true);
  });
  const [x, y, z] = arrays;
  x.forEach((_, k) => ((x[k] = k / 3), (y[k] = 7 - k)));
  const kernel = instance.exports[name];
  kernel(ARGUMENTS, 0, 1);
  if (z.some((value, k) => value !== Math.fround(x[k] + y[k]))) throw new Error("other results");
  return kernel;
}

export default async function rawCall({ get }, { n, sides, rounds, repeats }) {
  const kernels = [];
  for (const [path, name] of sides) kernels.push(await opened(await get(path), name, n));
  const times = kernels.map(() => []);
  for (let round = -rounds; round < rounds; round++) {
    kernels.forEach((kernel, side) => {
      const begun = performance.now();
      for (let repeat = 0; repeat < repeats; repeat++) kernel(ARGUMENTS, 0, 1);
      if (round >= 0) times[side].push((1e6 * (performance.now() - begun)) / repeats); // those before warm up
    });
  }
  return { json: times };
}
