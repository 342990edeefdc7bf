// Operations by name, of the package as it is built into a folder: arrays go and come as JSON, each with its type and shape.

const CLASSES = { f32: Float32Array, i32: Int32Array, f16: globalThis.Float16Array };

export default async function ops(_, { folder, backend, calls }) {
  const { Runtime } = await import(`${folder}/index.js`);
  const { operationsOn } = await import(`${folder}/ops.js`);
  const runtime = await Runtime.create({ backend });
  const ops = operationsOn(runtime);
  const json = [];
  for (const { name, arrays, options } of calls) {
    const given = arrays.map(({ dtype, data, shape }) => runtime.buffer(dtype, CLASSES[dtype].from(data), { shape }));
    const made = await ops[name](...given, options);
    const results = made.read ? { out: made } : made;
    const found = {};
    for (const [key, buffer] of Object.entries(results)) {
      found[key] = { dtype: buffer.dtype, shape: buffer.shape, data: Array.from(await buffer.read(), String) };
      buffer.free();
    }
    json.push(found);
    given.forEach((buffer) => buffer.free());
  }
  runtime.close();
  return { json };
}
