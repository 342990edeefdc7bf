// The page of a library: prepares cases, checks what comes out, and times calls. A library's module exports
// `open(backend, threads)`, which gives `does(order)` and `prepare(order, inputs, get)`; that gives what does all calls of a case,
// waits for the last one, and reads its result into a typed array if asked to. `order` is what pages.py says of a case.
// `threads(workers)` is how many threads of the processor compute, the page's own among them; one, if it is not there.

const adapters = [];
const cases = new Map();
let dispatches = 0;
let workers = 0;
let library;
let readAlways;

/** Notes which adapters a library gets, what it dispatches, and how many workers it starts: nobody else is asked. */
function watch() {
  const { Worker } = globalThis;
  globalThis.Worker = class extends Worker {
    constructor(...options) {
      super(...options);
      workers++;
    }
  };
  if (typeof GPU === "undefined") return;
  const { requestAdapter } = GPU.prototype;
  GPU.prototype.requestAdapter = async function (...options) {
    const found = await requestAdapter.apply(this, options);
    if (found) adapters.push([found.info.vendor, found.info.architecture, found.info.description].join(" "));
    return found;
  };
  const pass = GPUComputePassEncoder.prototype;
  for (const name of ["dispatchWorkgroups", "dispatchWorkgroupsIndirect"]) {
    const dispatch = pass[name];
    pass[name] = function (...sizes) {
      dispatches++;
      return dispatch.apply(this, sizes);
    };
  }
}

const TYPES = { float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, uint32: Uint32Array };

async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.arrayBuffer();
}

async function load(order) {
  const inputs = {};
  for (const [name, { path, dtype, shape }] of Object.entries(order.arrays)) {
    inputs[name] = { data: new TYPES[dtype](await get(path)), dtype, shape };
  }
  return library.prepare(order, inputs, get);
}

export async function open(module, backend, threads) {
  watch();
  readAlways = backend === "webgpu"; // there nothing else tells that the work is done
  library = await (await import(module)).open(backend, threads ?? undefined);
  return { isolated: globalThis.crossOriginIsolated, cores: navigator.hardwareConcurrency };
}

export const does = (order) => library.does(order);

/** How many results are wrong, of the first run, and the largest error; and what it ran on. */
export async function prepare(order) {
  const run = await load(order);
  dispatches = 0;
  cases.set(order.title, { run, repeats: 1 });
  const found = await run(true);
  if (order.loop) return { wrong: 0, worst: 0, dispatches, adapters };
  const wanted = new Float64Array(await get(order.wanted));
  let wrong = found.length === wanted.length ? 0 : wanted.length;
  let worst = 0;
  wanted.forEach((value, k) => {
    const error = Math.abs(Number(found[k]) - value) / Math.max(Math.abs(value), order.least);
    if (!(error <= order.tolerance)) wrong++;
    worst = Math.max(worst, error);
  });
  return { wrong, worst, dispatches, adapters };
}

/** Runs for some time, so that engines have optimised; then a turn is as many runs as take `least` milliseconds. */
export async function warm(title, milliseconds, least) {
  const made = cases.get(title);
  const end = performance.now() + milliseconds;
  let best = Infinity;
  do {
    const begun = performance.now();
    await made.run(readAlways);
    best = Math.min(best, performance.now() - begun);
  } while (performance.now() < end);
  // A clock of 0.1 ms, as pages have that are not isolated, shows nothing of a short run.
  made.repeats = Math.max(1, Math.min(100000, Math.ceil(least / Math.max(best, 0.0001))));
  const [once] = await time(title, 1);
  made.repeats = Math.max(1, Math.ceil(least / Math.max(once, 0.0001)));
  return made.repeats;
}

export async function time(title, turns) {
  const { repeats, run } = cases.get(title);
  const found = [];
  for (let turn = 0; turn < turns; turn++) {
    const begun = performance.now();
    for (let repeat = 0; repeat < repeats; repeat++) await run(readAlways);
    found.push((performance.now() - begun) / repeats);
  }
  return found;
}

export const repeats = (title) => cases.get(title).repeats;

/** How many threads computed, as the library says, and how many workers the page has started. */
export function threads(title) {
  const { run } = cases.get(title);
  return { threads: run.threads ?? library.threads?.(workers) ?? 1, workers };
}

export function forget(title) {
  cases.get(title)?.run.close?.();
  cases.delete(title);
}

/** Milliseconds from the start of the visit to a first result: loads the library, compiles, runs, reads. */
export async function first(module, backend, order) {
  library = await (await import(module)).open(backend);
  const run = await load(order);
  const found = await run(true);
  return { ms: performance.now(), length: found.length };
}
