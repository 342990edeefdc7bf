// Least milliseconds of loops by hand: modules whose `run` goes so many times, in turns (bench/bytes_by_hand.py).

export default async function byHand(_runtime, { sides, rounds }) {
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 65_536, shared: false });
  const runs = [];
  for (const { code, times } of sides) {
    const bytes = Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0));
    const { instance } = await WebAssembly.instantiate(bytes, { env: { memory, poll() {} } });
    runs.push(() => instance.exports.run(times));
  }
  const least = runs.map(() => Infinity);
  for (let round = 0; round < rounds; round++) {
    for (const [number, run] of runs.entries()) {
      const start = performance.now();
      run();
      least[number] = Math.min(least[number], performance.now() - start);
    }
  }
  return { json: least };
}
