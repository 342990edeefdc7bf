/** Loops by hand over v128 (bench/hand/v128.wat): what memory and arithmetic of this engine give. They check themselves. */
const PAGE = 65536;

export async function open(_backend, threads = navigator.hardwareConcurrency) {
  return { does: ({ loop }) => Boolean(loop), prepare: (order, _inputs, get) => prepare(order, threads, get) };
}

/** A part of the bytes for each thread: the function's arguments. Sources are even pages, and targets lie behind all of them. */
function partsOf({ bytes, rounds, small }, threads) {
  const count = small ? 1 : threads;
  const size = Math.ceil(bytes / count / 128) * 128;
  const target = Math.ceil((count * size) / PAGE + 1) * PAGE;
  const parts = Array.from({ length: count }, (_, k) => [target + k * size, PAGE + k * size, size, rounds]);
  return { parts, pages: Math.ceil((target + count * size) / PAGE) };
}

function check(name, memory, [to, from, bytes]) {
  const [source, target] = [from, to].map((place) => new Float32Array(memory.buffer, place, bytes / 4));
  const wrong =
    name === "copy" ? target.findIndex((value, k) => value !== source[k]) >= 0
    : name === "read" ? target.slice(0, 4).reduce((a, b) => a + b) !== source.reduce((a, b) => a + b)
    : target.slice(0, 40).some((value) => value !== 2); // what x / 2 + 1 comes to, and 2 x / 2
  if (wrong) throw new Error(`the ${name} loop is wrong`);
}

async function prepare({ loop }, threads, get) {
  const shared = globalThis.crossOriginIsolated;
  const code = await WebAssembly.compile(await get(shared ? loop.shared : loop.module));
  const { parts, pages } = partsOf(loop, shared ? threads : 1);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: PAGE, shared });
  // Whole numbers up to 7, whose sums are exact, of the first bytes: adding up all of a large array would not be.
  new Float32Array(memory.buffer, PAGE, (parts.length * parts[0][2]) / 4).forEach((_, k, all) => (all[k] = k % 8));
  const run = await runner(code, memory, loop.name, parts);
  const checked = async (read) => {
    await run();
    if (read) for (const part of parts) check(loop.name, memory, part);
  };
  return Object.assign(checked, { threads: parts.length, close: run.close });
}

async function runner(code, memory, name, parts) {
  if (parts.length === 1) {
    const { exports } = await WebAssembly.instantiate(code, { env: { memory } });
    return () => exports[name](...parts[0]);
  }
  const workers = parts.map((part) => {
    const worker = new Worker(new URL("loop_worker.js", import.meta.url), { type: "module" });
    worker.postMessage({ code, memory, name, part });
    return worker;
  });
  const answers = () => Promise.all(workers.map((worker) => new Promise((resolve) => (worker.onmessage = resolve))));
  await answers();
  const run = () => {
    const done = answers();
    for (const worker of workers) worker.postMessage(null);
    return done;
  };
  return Object.assign(run, { close: () => workers.forEach((worker) => worker.terminate()) });
}
