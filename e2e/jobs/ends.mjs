// Runs that do not end by themselves on WebGPU: what ends them, after how many milliseconds, and a run behind them.
export default async function ends({ get, hologram }) {
  const runtime = await hologram.Runtime.create({ backend: "webgpu" });
  const load = async (name) => runtime.load(await get(`/build/e2e/${name}.holo`));
  const [nested, rounds] = [await load("nested"), await load("rounds")];
  const told = async (program, args, options, abort = null) => {
    const controller = new AbortController();
    let began = performance.now();
    const timer = abort === null ? undefined : setTimeout(() => ((began = performance.now()), controller.abort()), abort);
    try {
      await program.run(args, { signal: controller.signal, ...options });
      return { kind: "none" };
    } catch ({ kind, message }) {
      return { kind, message, milliseconds: performance.now() - began };
    } finally {
      clearTimeout(timer);
    }
  };
  // Of three turns the first that ends soon: a page that stands still for seconds comes to see the clock first.
  const soon = async (program, args, seconds) => {
    let found;
    for (let turn = 0; turn < 3 && !(found?.kind === "Cancelled" && found.milliseconds < 6000); turn++) {
      if (found) await small();
      found = await told(program, args(), { seconds }, 300);
    }
    return found;
  };
  const small = async () => [...(await rounds.run({ y: new Uint32Array(4), n: 3 }, { seconds: 60 }))]; // behind what the GPU is still at
  const many = () => ({ y: new Uint32Array(2 ** 22), n: 20_000 });
  await small();
  const found = { before: await small() };
  found.aborted = await soon(nested, () => ({ y: new Uint32Array(8) }), 8);
  found.afterAborted = await small();
  found.late = await told(nested, { y: new Uint32Array(8) }, { seconds: 1 });
  found.afterLate = await small();
  found.abortedInParts = await soon(rounds, many, 30);
  found.afterParts = await small();
  const lanes = 5 * 2 ** 14 + 77;
  const divided = await rounds.run({ y: Uint32Array.from({ length: lanes }, (_, k) => k % 7), n: 5 }, { seconds: 60 });
  found.divided = divided.every((value, k) => value === ((k % 7) + 5) >>> 0);
  await runtime.close();
  return { json: found };
}
