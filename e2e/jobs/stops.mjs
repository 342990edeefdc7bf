// How long until a run ends that is told to, by a signal and by the clock, and that the next one works: bench/ends.py.

const LONG = 100_000; // rounds of a lane, so that a block takes some milliseconds: signals fire between blocks
const FOREVER = 2 ** 32 - 1;

export default async function stops({ get, hologram }, { path, threads, lanes, wait, rounds }) {
  const runtime = await hologram.Runtime.create({ backend: "wasm", threads });
  const program = await runtime.load(await get(path));
  const work = (n, options) => program.run({ y: new Uint32Array(lanes), n }, { steps: 2 ** 40, seconds: 100, ...options });

  /** Milliseconds from when it is told to end until it has. */
  async function until(run, told) {
    let at;
    setTimeout(() => {
      at = performance.now();
      told();
    }, 1000 * wait);
    const kind = await run().then(
      () => "nothing",
      (error) => error.kind,
    );
    return [kind, performance.now() - at];
  }

  async function after() {
    const y = await work(3);
    if (!y.every((value, k) => value === 31 * k)) throw new Error("the run behind one that was ended is wrong");
  }

  await after();
  const found = { AbortSignal: [], clock: [] };
  for (let round = 0; round < rounds; round++) {
    const abort = new AbortController();
    const [kind, ms] = await until(
      () => work(LONG, { signal: abort.signal }),
      () => abort.abort(),
    );
    if (kind !== "Cancelled") throw new Error(`a run that was aborted ended with ${kind}`);
    found.AbortSignal.push(ms);
    await after();
    const begun = performance.now();
    const late = await work(FOREVER, { seconds: wait }).then(
      () => "nothing",
      (error) => error.kind,
    );
    if (late !== "StepLimit") throw new Error(`a run that was late ended with ${late}`);
    found.clock.push(performance.now() - begun - 1000 * wait);
    await after();
  }
  await runtime.close();
  return { json: found };
}
