// The page of a library: prepares cases, checks what comes out, and times calls. A library's module exports
// `open(backend)`, which gives `prepare(order, inputs, get)`, which gives what does all calls of a case and reads the last
// result into a typed array. `order` is what __main__.py says of a case.

const adapters = [];
let dispatches = 0;

/** Notes which adapters a library gets, and what it dispatches: nobody else is asked what it ran on. */
function watch() {
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

const get = async (path) => (await fetch(path)).arrayBuffer();
const cases = new Map();
let library;

export async function open(module, backend) {
  watch();
  library = await (await import(module)).open(backend);
  return globalThis.crossOriginIsolated;
}

/** How many results are wrong, of the first run, and the largest error; and what it dispatched, on which adapters. */
export async function prepare(order) {
  const inputs = {};
  for (const [name, path] of Object.entries(order.arrays)) inputs[name] = new Float32Array(await get(path));
  const run = await library.prepare(order, inputs, get);
  cases.set(order.title, run);
  dispatches = 0;
  const found = await run();
  const wanted = new Float64Array(await get(order.wanted));
  let wrong = found.length === wanted.length ? 0 : wanted.length;
  let worst = 0;
  wanted.forEach((value, k) => {
    const error = Math.abs(found[k] - value) / Math.max(Math.abs(value), order.least);
    if (!(error <= order.tolerance)) wrong++;
    worst = Math.max(worst, error);
  });
  return { wrong, worst, dispatches, adapters };
}

export async function time(title, rounds) {
  const run = cases.get(title);
  const found = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    await run();
    found.push(performance.now() - begun);
  }
  return found;
}
