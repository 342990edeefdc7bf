// A row of the table in this page: gets ready with a backend, its artifacts from files or from Python, and runs tasks.
import { openPython } from "./python.mjs";

const rows = new Map();

export default async function row({ get, hologram }, order) {
  if (order.what === "start") return { json: await start(get, hologram, order) };
  const { programs, args } = rows.get(order.row);
  const [program, given] = [programs.get(order.task), args.get(order.task)];
  const begun = performance.now();
  const found = await program.run(given);
  const ms = performance.now() - begun;
  const written = program.ports.filter(({ access }) => access === "write").map(({ name }) => name);
  const planes = written.length === 1 ? [found] : written.map((name) => found[name]);
  const sizes = planes.map((plane, k) => [written[k], plane.byteLength]);
  const blobs = planes.map((plane) => new Uint8Array(plane.buffer, plane.byteOffset, plane.byteLength));
  return order.keep ? { json: { ms, sizes }, blobs } : { json: { ms, sizes: [] } };
}

async function start(get, hologram, { row, backend, folder, python }) {
  const runtime = await hologram.Runtime.create({ backend });
  const tasks = JSON.parse(new TextDecoder().decode(await get(`${folder}/tasks.json`)));
  const compiler = python && (await openPython(get, python));
  const [programs, args, compile] = [new Map(), new Map(), {}];
  for (const task of tasks) {
    const file = python ? null : new Uint8Array(await get(`${folder}/${task.name}.holo`));
    const begun = performance.now();
    const made = file ?? compiler.compile(task.name);
    programs.set(task.name, await runtime.load(made));
    compile[task.name] = performance.now() - begun;
    if (python && !same(made, new Uint8Array(await get(`${folder}/${task.name}.holo`)))) {
      throw new Error(`${task.name}: Python made another artifact in the page than outside`);
    }
    const { rgb } = task.args;
    if (rgb) task.args.rgb = { data: new Uint8Array(await get(`${folder}/${rgb.file}`)), shape: rgb.shape };
    args.set(task.name, task.args);
  }
  rows.set(row, { programs, args });
  const { adapter } = runtime.info;
  const name = adapter && [adapter.vendor, adapter.architecture, adapter.description].filter(Boolean).join(" ");
  return { adapter: name && name + (adapter.real ? "" : ", no GPU"), compile, python: compiler?.times ?? null, kept: compiler?.kept() ?? null };
}

const same = (a, b) => a.length === b.length && a.every((byte, k) => byte === b[k]);
