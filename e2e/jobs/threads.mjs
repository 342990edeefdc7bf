// Threads of a runtime on wasm: that they are there, what they compute, how their launches end. Also in Node: web/test/threads.test.mjs.

const LANES = 1 << 14;

/** How it ended, and after how many milliseconds. */
async function ended(work) {
  const began = performance.now();
  let told = {};
  try {
    await work();
  } catch ({ name, kind, lane, message }) {
    told = { name, kind, lane, message };
  }
  return { ...told, milliseconds: performance.now() - began };
}

/** Workers that were made since, and not ended. */
function counted() {
  const { Worker } = globalThis;
  const found = { workers: 0 };
  if (Worker) {
    globalThis.Worker = class extends Worker {
      constructor(...args) {
        super(...args);
        found.workers++;
      }
      terminate() {
        found.workers--;
        super.terminate();
      }
    };
  }
  return found;
}

/** `all`: a runtime that shares all launches, so that it can be seen whether blocks run at the same time. */
export default async function threads({ get, hologram }, { number, all } = {}) {
  const count = counted();
  const runtime = await hologram.Runtime.create({ backend: "wasm", ...(number && { threads: number }) });
  const one = await hologram.Runtime.create({ backend: "wasm", threads: 1 });
  const load = async (name, on = runtime) => on.load(await get(`/build/e2e/threads/${name}.holo`));
  const found = { threads: runtime.threads, isolated: globalThis.crossOriginIsolated ?? null };
  const wrong = [0, 65, 1.5, "2", null].map((asked) => hologram.Runtime.create({ backend: "wasm", threads: asked }).catch((error) => `${error}`));
  found.wrong = await Promise.all(wrong);

  // Whether blocks run at the same time: until workers have started, they do not.
  const meet = await load("meet");
  const flags = runtime.buffer("u32", 2);
  for (let turn = 0; all && turn < 60 && !found.met; turn++) {
    await flags.write(new Uint32Array(2));
    const run = meet.run({ flags, y: new Uint32Array(LANES), rounds: 100, waits: 1 << 30 }, { seconds: 1 });
    found.met = await run.then(async () => (await flags.read())[1] === 1, () => false);
  }

  // Results.
  const x = Float32Array.from({ length: 1 << 18 }, (_, k) => k / 65_536 - 2);
  const bits = async (on, name, args) => {
    const program = await load(name, on);
    let last;
    for (let turn = 0; turn < 5; turn++) last = await program.run(args);
    return last;
  };
  const same = async (name, args) => {
    const [a, b] = [await bits(one, name, args), await bits(runtime, name, args)];
    return a.length > 0 && a.every((value, k) => Object.is(value, b[k])) && b.buffer instanceof ArrayBuffer;
  };
  found.chain = await same("chain", { x, "y.shape0": x.length });
  found.mandelbrot = await same("mandelbrot", { counts: new Int32Array(1 << 16), "counts.shape0": 1 << 16, side: 256, most: 500 });
  const lanes = 1 << 18;
  const counted_ = await load("counted");
  const [y, f] = [new Uint32Array([0, 0, 2 ** 31, 0, 0, 0]), new Float32Array(1)];
  const sums = await counted_.run({ y, f, z: new Uint32Array(lanes) }, { seconds: 60 });
  found.counted = [...sums.y, ...sums.f].join() === [lanes, lanes - 1, 0, 0, lanes - 1, lanes, lanes].join();
  found.plain = structuredClone(sums.y).length === 6 && (await new Blob([sums.z]).arrayBuffer()).byteLength === 4 * lanes;

  // Faults: that of the first lane, however often.
  const far = await load("far");
  found.faults = [];
  for (const first of [0, 255, 256, 5000, LANES - 1]) {
    const places = Uint32Array.from({ length: LANES }, (_, k) => (k < first ? k : k + (1 << 20)));
    const { kind, lane } = await ended(() => far.run({ x: places, y: new Uint32Array(LANES) }));
    found.faults.push(kind === "OutOfBounds" && lane === first);
  }

  // Ends: a signal, the clock; and a run behind each.
  const slow = await load("slow");
  const work = (n, options) => slow.run({ y: new Uint32Array(1 << 18), n }, { steps: 2 ** 40, ...options });
  const after = async () => (await work(3, { seconds: 60 })).every((value) => value === 0);
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 300);
  found.aborted = await ended(() => work(20_000, { seconds: 100, signal: abort.signal }));
  found.afterAborted = await after();
  found.late = await ended(() => work(2 ** 32 - 1, { seconds: 0.5 }));
  found.afterLate = await after();

  found.workers = count.workers;
  await runtime.close();
  await one.close();
  found.left = count.workers;
  return { json: found };
}
