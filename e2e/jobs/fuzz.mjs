// Runs one artifact on a runtime that is kept from job to job; gives the bytes of written arrays, or the error.
import { number } from "./conformance.mjs";

const runtimes = new Map();

function runtimeOf(hologram, backend, threads) {
  const key = `${backend} ${threads}`;
  if (!runtimes.has(key)) runtimes.set(key, hologram.Runtime.create({ backend, threads }));
  return runtimes.get(key);
}

export default async function fuzz({ get, hologram }, { backend, threads, path, holo, scalars, arrays, ends }) {
  const bin = new Uint8Array(await get(path));
  const part = ([offset, length]) => bin.slice(offset, offset + length);
  const runtime = await runtimeOf(hologram, backend, threads);
  const args = {};
  for (const [name, [type, digits]] of Object.entries(scalars)) args[name] = number(type, digits);
  for (const [name, place] of Object.entries(arrays)) args[name] = part(place);
  const outputs = {};
  const blobs = [];
  let size = 0;
  try {
    const program = await runtime.load(part(holo));
    const written = program.ports.filter(({ access }) => access?.includes("write")).map(({ name }) => name);
    const result = await program.run(args, ends);
    program.dispose();
    for (const name of written) {
      const array = written.length === 1 ? result : result[name];
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      outputs[name] = [size, bytes.length];
      size += bytes.length;
      blobs.push(bytes);
    }
  } catch (error) {
    const { name, message, kind, instruction, detail, lane, buffer, offset } = error;
    return { json: { info: runtime.info, outputs: {}, error: { name, message, kind, instruction, detail, lane, buffer, offset } }, blobs: [] };
  }
  return { json: { info: runtime.info, outputs, error: null, taken: hologram.taken?.() }, blobs };
}
