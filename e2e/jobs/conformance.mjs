// Runs cases that e2e/cases.py wrote; gives the bytes of written arrays, or the error, of each.

const decoder = new DataView(new ArrayBuffer(8));

/** The number that bits of a type are, as the runtime takes it. */
export function number(type, digits) {
  const bits = BigInt(`0x${digits}`);
  const width = Number(type.match(/\d+$/)[0]);
  if (type[0] === "u" || type[0] === "i") return type[0] === "u" ? bits : BigInt.asIntN(width, bits);
  decoder.setBigUint64(0, type === "bf16" ? bits << 16n : bits);
  if (type === "f64") return decoder.getFloat64(0);
  if (type !== "f16") return decoder.getFloat32(4);
  const [sign, exponent, fraction] = [bits >> 15n, (bits >> 10n) & 31n, bits & 1023n].map(Number);
  const size = exponent === 31 ? (fraction ? NaN : Infinity) : 2 ** Math.max(exponent - 25, -24) * (fraction + (exponent && 1024));
  return sign ? -size : size;
}

/** The bytes of BigInts. */
function packed(type, values) {
  const size = Number(type.slice(1)) / 8;
  const digits = values.map((value) => BigInt.asUintN(8 * size, value).toString(16).padStart(2 * size, "0").match(/../g).reverse());
  return Uint8Array.from(digits.flat(), (pair) => parseInt(pair, 16));
}

export default async function conformance({ get, hologram }, { backend, threads, these = [0], step = 1 }) {
  const rows = JSON.parse(new TextDecoder().decode(await get("/build/e2e/cases.json")));
  const bin = new Uint8Array(await get("/build/e2e/cases.bin"));
  const part = ([offset, length]) => bin.slice(offset, offset + length);
  const runtime = await hologram.Runtime.create({ backend, threads });
  const programs = new Map();
  // What only a clock ends keeps a GPU at work, which nothing interrupts.
  const ends = ({ seconds, webgpu }) => backend !== "webgpu" || seconds === null || webgpu;
  const mine = rows.filter((row, k) => these.includes(k % step) && ends(row));
  const load = (row) => {
    if (row && !programs.has(row.holo[0])) {
      const program = runtime.load(part(row.holo));
      program.catch(() => {}); // told below
      programs.set(row.holo[0], program);
    }
    return row && programs.get(row.holo[0]);
  };
  const found = [];
  const blobs = [];
  let size = 0;
  for (const [k, row] of mine.entries()) {
    for (let ahead = 1; ahead < 24; ahead++) load(mine[k + ahead]);
    const args = {};
    for (const [name, [type, digits]] of Object.entries(row.scalars)) args[name] = number(type, digits);
    for (const [name, place] of Object.entries(row.arrays)) args[name] = part(place);
    const answer = { id: row.id, outputs: {}, error: null };
    try {
      const program = await load(row);
      const written = program.ports.filter(({ access }) => access.includes("write"));
      const result = await program.run(args, { steps: Math.min(row.steps, 2 ** 26), ...(row.seconds && { seconds: row.seconds }) });
      for (const { name, dtype } of written) {
        const array = written.length === 1 ? result : result[name];
        const bytes = Array.isArray(array) ? packed(dtype, array) : new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
        answer.outputs[name] = [size, bytes.length];
        size += bytes.length;
        blobs.push(bytes);
      }
    } catch (error) {
      const { name, message, kind, instruction, detail, lane, buffer, offset } = error;
      answer.error = { name, message, kind, instruction, detail, lane, buffer, offset };
    }
    found.push(answer);
  }
  const stats = runtime.stats();
  await runtime.close();
  return { json: { info: runtime.info, threads: runtime.threads, stats, answers: found }, blobs };
}
