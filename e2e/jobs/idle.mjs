// What a crew of workers costs while nothing is launched: processor time of all threads of Node, in seconds.

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export default async function idle({ get, hologram }, { threads, seconds }) {
  const runtime = await hologram.Runtime.create({ backend: "wasm", threads });
  const slow = await runtime.load(await get("/build/e2e/threads/slow.holo"));
  for (let time = 0; time < 5; time++) await slow.run({ y: new Uint32Array(1 << 14), n: 2000 }, { seconds: 60 });
  await sleep(500); // longer than they look for another launch
  const before = process.cpuUsage();
  await sleep(1000 * seconds);
  const { user, system } = process.cpuUsage(before);
  const number = runtime.threads.number;
  await runtime.close();
  return { json: { number, spent: (user + system) / 1e6 } };
}
