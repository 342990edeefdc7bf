// What a frame takes of the processor, so that it can be told beside other work: measure.py runs it.
//
// The programs of reaction-diffusion (eight steps) and of Life (two generations), at 512 x 512, in Node on WebAssembly. Wants
// build/gallery, which python -m examples.gallery makes.
import { readFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { Runtime } from "../../web/dist/index.js";

const [SIDE, FRAMES] = [512, 300];
const shape = [SIDE, SIDE];
const some = (kind, of, value) => kind.from({ length: SIDE * SIDE }, () => (Math.random() < of ? value : 0));
const CASES = {
  "reaction.steps": (runtime) => ({
    u: runtime.buffer("f32", new Float32Array(SIDE * SIDE).fill(1), { shape }),
    v: runtime.buffer("f32", some(Float32Array, 0.02, 0.5), { shape }),
    picture: runtime.buffer("u8", { shape }),
    pairs: 4,
    feed: 0.0545,
    kill: 0.062,
  }),
  "life.steps": (runtime) => ({ cells: runtime.buffer("u8", some(Uint8Array, 0.2, 255), { shape }), pairs: 0 }),
};

for (const threads of [1, 2]) {
  const runtime = await Runtime.create({ backend: "wasm", threads });
  for (const [name, make] of Object.entries(CASES)) {
    const program = await runtime.load(await readFile(new URL(`../../build/gallery/programs/${name}.holo`, import.meta.url)));
    const args = make(runtime);
    const times = [];
    const before = process.cpuUsage();
    for (let frame = 0; frame < FRAMES; frame++) {
      const start = performance.now();
      await program.run(args, { output: "buffer" });
      times.push(performance.now() - start);
    }
    const { user, system } = process.cpuUsage(before);
    times.sort((a, b) => a - b);
    const told = { processor: (user + system) / 1000 / FRAMES, fastest: times[0], median: times[FRAMES >> 1], load: loadavg()[0] };
    console.log(name, `${threads} threads:`, Object.entries(told).map(([what, value]) => `${what} ${value.toFixed(2)}`).join(", "));
  }
  await runtime.close();
}
