// Milliseconds of launches on wasm with two threads beside one, in turns, and of two workers of no library as a control: bench/threads_js.py.

const UNIT = 4_000_000; // rounds of a loop of a few milliseconds
const SPIN = `
const spin = (rounds) => { let h = 7; for (let k = 0; k < rounds; k++) h = Math.imul(h ^ k, 16777619); return h; };
if (typeof require === "function") { const { parentPort } = require("worker_threads"); parentPort.on("message", (n) => parentPort.postMessage(spin(n))); }
else onmessage = ({ data }) => postMessage(spin(data));
`;

function spinner() {
  const node = globalThis.process?.getBuiltinModule?.("worker_threads");
  const worker = node ? new node.Worker(SPIN, { eval: true }) : new Worker(URL.createObjectURL(new Blob([SPIN])));
  const told = (resolve) => (node ? worker.once("message", resolve) : (worker.onmessage = resolve));
  const run = (rounds) => new Promise((resolve) => (told(resolve), worker.postMessage(rounds)));
  return { run, end: () => worker.terminate() };
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

export default async function crews({ get, hologram }, { rounds }) {
  const sides = [];
  const side = 512;
  for (const threads of [1, 2]) {
    const runtime = await hologram.Runtime.create({ backend: "wasm", threads });
    const load = async (name) => runtime.load(await get(`/build/e2e/threads/${name}.holo`));
    const [chain, mandelbrot, histogram] = [await load("chain"), await load("mandelbrot"), await load("histogram")];
    const [n, m] = [1 << 20, 1 << 18];
    const x = runtime.buffer("f32", Float32Array.from({ length: n }, (_, k) => (4 * k) / n - 2));
    const y = runtime.buffer("f32", n);
    const counts = runtime.buffer("i32", side * side);
    const numbers = runtime.buffer("u32", Uint32Array.from({ length: m }, (_, k) => Math.imul(k, 2654435761)));
    const bins = runtime.buffer("u32", 256);
    sides.push({
      runtime,
      "exp chain": [() => chain.run({ x, y, "y.shape0": n }), y],
      mandelbrot: [() => mandelbrot.run({ counts, "counts.shape0": side * side, side, most: 200 }), counts],
      "histogram by atomics": [() => histogram.run({ x: numbers, counts: bins, "x.shape0": m }), bins],
    });
  }
  const [one, two] = sides;
  const names = Object.keys(one).filter((name) => name !== "runtime");
  for (const name of names) {
    for (const { [name]: [run] } of sides) for (let turn = 0; turn < 8; turn++) await run();
    const [a, b] = [await one[name][1].read(), await two[name][1].read()];
    if (!a.every((value, k) => Object.is(value, b[k]))) throw new Error(`${name}: another result`);
  }
  const workers = [spinner(), spinner()];
  for (let turn = 0; turn < 5; turn++) await Promise.all(workers.map(({ run }) => run(UNIT)));
  const found = Object.fromEntries([...names, "control"].map((name) => [name, [[], []]]));
  for (let round = 0; round < rounds; round++) {
    found.control[0].push(await timed(() => workers[0].run(2 * UNIT)));
    found.control[1].push(await timed(() => Promise.all(workers.map(({ run }) => run(UNIT)))));
    for (const name of names) {
      found[name][0].push(await timed(one[name][0]));
      found[name][1].push(await timed(two[name][0]));
    }
  }
  for (const worker of workers) await worker.end();
  const { threads } = two.runtime;
  for (const { runtime } of sides) await runtime.close();
  return { json: { found, threads } };
}
