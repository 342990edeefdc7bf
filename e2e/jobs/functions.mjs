// A file that hg.function made, run by name on typed arrays; numbers go and come as JSON. Or what explain says of its launches.

export default async function functions({ get, hologram }, { file, inputs, backend, explained }) {
  const runtime = await hologram.Runtime.create({ backend });
  const program = await runtime.load(await get(file));
  const given = Object.entries(inputs).map(([name, value]) => {
    if (value.data) return [name, { data: Float32Array.from(value.data), shape: value.shape }];
    return [name, Array.isArray(value) ? Float32Array.from(value) : value];
  });
  if (explained) return { json: await runtime.explain(program, Object.fromEntries(given)) };
  const found = await program.run(Object.fromEntries(given));
  return { json: Object.fromEntries(Object.entries(found).map(([name, array]) => [name, Array.from(array)])) };
}
