// A file that hg.function made, run by name on typed arrays; numbers go and come as JSON.

export default async function functions({ get, hologram }, { file, inputs, backend }) {
  const runtime = await hologram.Runtime.create({ backend });
  const program = await runtime.load(await get(file));
  const given = Object.entries(inputs).map(([name, value]) => {
    if (value.data) return [name, { data: Float32Array.from(value.data), shape: value.shape }];
    return [name, Array.isArray(value) ? Float32Array.from(value) : value];
  });
  const found = await program.run(Object.fromEntries(given));
  return { json: Object.fromEntries(Object.entries(found).map(([name, array]) => [name, Array.from(array)])) };
}
