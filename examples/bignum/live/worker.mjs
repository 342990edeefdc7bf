// Runs the plans: devices and BigInt in turn, so that what else the machine does meets all of them.
import { Runtime } from "./runtime/index.js";
import { fromMontgomery, toMontgomery } from "./bigint.mjs";
import { makeTasks } from "./tasks.mjs";

const ROUNDS = 7;
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const told = (error) => (error?.name ? `${error.name}: ${error.message}` : String(error));
const devices = new Map();

/** The runtime on a device with the plans, compiled. */
async function open(backend) {
  if (!devices.has(backend)) {
    const start = performance.now();
    const runtime = await Runtime.create({ backend });
    const programs = {};
    for (const name of ["multiply", "power", "add", "affine"]) programs[name] = await runtime.load(`${name}.holo`);
    devices.set(backend, { runtime, programs });
    const { adapter } = runtime.info;
    const text = adapter ? [adapter.vendor, adapter.architecture, adapter.description].filter(Boolean).join(" ") : "";
    postMessage({ kind: "device", backend, adapter: text, real: adapter?.real ?? true, milliseconds: performance.now() - start });
  }
  return devices.get(backend);
}

const same = (a, b) => a.length === b.length && a.every((byte, k) => byte === b[k]);

/** A device's way to run a task: arrays lie there before, and the bytes of results come back. */
async function deviceWay(task, backend) {
  const { runtime, programs } = await open(backend);
  const program = programs[task.name];
  const args = Object.fromEntries(
    task.columns.map((name, k) => {
      const column = task.rows.map((row) => (task.plain?.includes(name) ? row[k] : toMontgomery(row[k])));
      return [name, runtime.buffer("u256", column)];
    }),
  );
  for (const name of task.results) args[name] = runtime.buffer("u256", task.rows.length);
  const way = {
    name: backend,
    run: async () => (await Promise.all([program.run(args), ...task.results.map((name) => args[name].bytes())])).slice(1),
    checked: 0,
    differing: 0,
    free: () => Object.values(args).forEach((buffer) => buffer.free()),
  };
  await program.run(args);
  const columns = await Promise.all(task.results.map(async (name) => (await args[name].read()).map(fromMontgomery)));
  way.first = await Promise.all(task.results.map((name) => args[name].bytes()));
  task.expected.forEach((wanted, k) => {
    way.checked += 1;
    if ([wanted].flat().some((value, column) => value !== columns[column][k])) way.differing += 1;
  });
  return way;
}

async function runTask(task, backends) {
  const work = () => task.rows.map((row) => task.work(...row));
  task.expected = work();
  const ways = [{ name: "bigint", run: async () => work(), checked: 0, differing: 0 }];
  for (const backend of backends) {
    try {
      ways.push(await deviceWay(task, backend));
    } catch (error) {
      postMessage({ kind: "failed", task: task.name, way: backend, text: told(error) });
    }
  }
  const times = new Map(ways.map((way) => [way, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) {
      const start = performance.now();
      const found = await way.run();
      times.get(way).push(performance.now() - start);
      if (way.first && !found.every((bytes, k) => same(bytes, way.first[k]))) way.differing += 1;
    }
  }
  for (const way of ways) {
    way.free?.();
    const { name, checked, differing } = way;
    const milliseconds = Math.max(median(times.get(way)), 1e-3);
    postMessage({ kind: "way", task: task.name, way: name, count: task.rows.length, milliseconds, checked, differing, rounds: ROUNDS });
  }
}

onmessage = async ({ data: { count, backends } }) => {
  try {
    for (const task of makeTasks(count)) {
      postMessage({ kind: "task", task: task.name, count: task.rows.length });
      await runTask(task, backends);
    }
    postMessage({ kind: "done" });
  } catch (error) {
    postMessage({ kind: "broken", text: told(error) });
  }
};
