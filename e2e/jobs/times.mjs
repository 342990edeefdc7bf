// Milliseconds of loading and running one saxpy of 100,000 elements, and of the edges of 512 x 512 pixels.

const ROUNDS = 15;
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

export default async function times({ get, hologram }, { backend }) {
  const runtime = await hologram.Runtime.create({ backend });
  const [width, height] = [512, 512];
  const rgb = new Uint8Array(3 * width * height).map((_, k) => (k * 2654435761) >>> 24);
  const x = new Float32Array(100_000).fill(1);
  const given = { saxpy: { a: 2, x, y: x }, edges: { low: 1536, high: 2560, rounds: 2, rgb: { data: rgb, shape: [height, width, 3] } } };
  const found = {};
  for (const [name, args] of Object.entries(given)) {
    const raw = await get(`/build/e2e/${name}.holo`);
    const start = performance.now();
    const program = await runtime.load(raw);
    const load = performance.now() - start;
    const runs = [];
    for (let round = 0; round < ROUNDS && performance.now() - start < 30_000; round++) {
      const before = performance.now();
      await program.run(args);
      runs.push(performance.now() - before);
    }
    const again = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = performance.now();
      await runtime.load(raw);
      again.push(performance.now() - before);
    }
    found[name] = { load, "load again": median(again), "first run": runs[0], run: median(runs), device: runtime.stats().milliseconds };
  }
  await runtime.close();
  return { json: found };
}
