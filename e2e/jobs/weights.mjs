// A file whose constants lie in a second one, which a page streams: from wherever it comes, and what is wrong with it.

export default async function weights({ hologram }, { file, weights, x, shape, backend }) {
  const runtime = await hologram.Runtime.create({ backend });
  const live = runtime.stats().liveBytes;
  const run = async (options) => {
    const program = await runtime.load(file, options);
    const found = Array.from(await program.run({ x: { data: Float32Array.from(x), shape } }));
    program.dispose();
    return found;
  };
  const told = [];
  const found = { beside: await run({ progress: (done, total) => told.push([done, total]) }) };
  const bytes = await (await fetch(weights)).arrayBuffer();
  found.address = await run({ weights });
  found.bytes = await run({ weights: bytes });
  found.blob = await run({ weights: new Blob([bytes]) });
  found.response = await run({ weights: await fetch(weights) });
  found.stream = await run({ weights: (await fetch(weights)).body });
  const damaged = new Uint8Array(bytes.slice(0));
  damaged[damaged.length - 9] ^= 1;
  const errors = [];
  const controller = new AbortController();
  for (const options of [
    { weights: damaged },
    { weights: bytes.slice(0, -100) },
    { weights: `${weights}.none` },
    { weights: bytes, signal: controller.signal, progress: () => controller.abort() },
  ]) {
    errors.push(await runtime.load(file, options).then(() => "nothing", (error) => `${error}`));
  }
  await runtime.load(file).then((program) => program.dispose());
  const kept = runtime.stats().liveBytes - live;
  await runtime.close();
  return { json: { found, told, errors, kept } };
}
