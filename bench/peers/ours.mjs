/** Our artifact on our runtime. Calls write Buffers; who reads the last one waits for its bytes and for faults at once. */
export async function open(backend, threads) {
  const { Runtime } = await import("/web/dist/index.js");
  const runtime = await Runtime.create(threads ? { backend, threads } : { backend });
  if (runtime.info.selected !== backend) throw new Error(`it runs on ${runtime.info.selected}: ${runtime.info.reason}`);
  // Workers are there once a run was long enough to share.
  const used = (workers) => (workers ? runtime.threads.number : 1);
  return { does: () => true, prepare: (order, inputs, get) => prepare(runtime, order, inputs, get), threads: used };
}

const NAMES = { float32: "f32", int8: "i8", uint8: "u8", uint32: "u32" };

async function prepare(runtime, { calls, holo, result, scalars, shape }, inputs, get) {
  const program = await runtime.load(await get(holo));
  const given = { ...scalars };
  for (const [name, { data, dtype, shape }] of Object.entries(inputs)) given[name] = runtime.buffer(NAMES[dtype], data, shape);
  const [z, between] = [0, 1].map(() => runtime.buffer(NAMES[result], { shape }));
  const { x } = given;
  return async (read) => {
    let last = x;
    let done;
    for (let call = 1; call <= calls; call++) {
      const next = (calls - call) % 2 ? between : z;
      done = program.run(x ? { ...given, x: last, z: next } : { ...given, z: next }, { seconds: 300 });
      last = next;
    }
    const [found] = await Promise.all([read ? z.read() : undefined, done]);
    return found;
  };
}
