/** Our artifact on our runtime. Calls before the last write Buffers, and nobody waits for them. */
export async function open(backend) {
  const { Runtime } = await import("/web/dist/index.js");
  const runtime = await Runtime.create({ backend });
  if (runtime.info.selected !== backend) throw new Error(`it runs on ${runtime.info.selected}: ${runtime.info.reason}`);
  return { prepare: (order, inputs, get) => prepare(runtime, order, inputs, get) };
}

async function prepare(runtime, { calls, holo, scalars, size }, inputs, get) {
  const program = await runtime.load(await get(holo));
  const given = { ...scalars };
  for (const [name, data] of Object.entries(inputs)) given[name] = runtime.buffer("f32", data);
  const between = calls > 1 ? [0, 1].map(() => runtime.buffer("f32", size)) : [];
  return async () => {
    let { x } = given;
    for (let call = 1; call < calls; call++) {
      const z = between[call % 2];
      void program.run({ ...given, x, z });
      x = z;
    }
    return program.run(x ? { ...given, x } : given);
  };
}
