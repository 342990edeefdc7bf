// Least milliseconds of matrix products with their tiles in registers, beside loops that do nothing else: bench/tiles.py.

const ARGUMENTS = 1024;
const BUFFERS = 65_536;

/** A side's run, or null if the engine has not its instructions. */
async function runOf(side, { m, n, depth }) {
  const code = Uint8Array.from(atob(side.code), (letter) => letter.charCodeAt(0));
  if (!WebAssembly.validate(code)) return null;
  const memory = new WebAssembly.Memory({ initial: 64, maximum: 65_536 });
  const { instance } = await WebAssembly.instantiate(code, { env: { memory, poll() {} } });
  const { kernel } = instance.exports;
  if (side.rounds) return () => kernel(0, 0, side.rounds);
  const words = new DataView(memory.buffer, ARGUMENTS);
  if (side.words) {
    for (const [place, value] of side.words) words.setUint32(place, value, true);
    new Uint8Array(memory.buffer, BUFFERS).forEach((_, k, all) => (all[k] = (k * 7919) >> 3));
    return () => {
      for (let call = 0; call < side.calls; call++) kernel(ARGUMENTS, 0, side.blocks);
      if (words.getUint32(0, true)) throw new Error(`a fault: ${words.getUint32(0, true)}`);
    };
  }
  const sizes = { a: m * depth, b: depth * n, c: m * n };
  const at = {};
  let place = BUFFERS;
  for (const [name, size] of Object.entries(sizes)) {
    at[name] = place;
    place += (4 * size + 4095) & ~4095;
  }
  const views = Object.fromEntries(Object.entries(at).map(([name, start]) => [name, new Float32Array(memory.buffer, start, sizes[name])]));
  for (const name of ["a", "b"]) views[name].forEach((_, k) => (views[name][k] = ((k * 7919) % 64) / 64));
  const grid = [n / side.width, m / side.rows, 1];
  [...grid, 4 * grid[0], 4 * grid[1], 1].forEach((number, k) => words.setUint32(32 + 4 * k, number, true));
  words.setUint32(28, 1, true);
  words.setBigInt64(64, 2n ** 60n, true);
  let next = 88;
  const numbers = { n, depth, "a.shape0": sizes.a, "b.shape0": sizes.b, "c.shape0": sizes.c };
  for (const name of side.scalars) {
    words.setUint32(next, numbers[name], true);
    next += 8;
  }
  for (const name of side.memories) {
    words.setUint32(next, at[name], true);
    words.setUint32(next + 4, 4 * sizes[name], true);
    next += 8;
  }
  const run = () => kernel(ARGUMENTS, 0, grid[0] * grid[1]);
  run();
  if (words.getUint32(0, true)) throw new Error(`a fault: ${words.getUint32(0, true)}`);
  for (let i = 0; i < m; i += 5) {
    for (let j = 0; j < n; j += 3) {
      let sum = 0;
      const left = (row, k) => (side.strips ? (row - (row % side.rows)) * depth + k * side.rows + (row % side.rows) : row * depth + k);
      const panel = Math.floor(j / side.width) * side.width * depth + (j % side.width);
      for (let k = 0; k < depth; k++) sum += views.a[left(i, k)] * views.b[panel + k * side.width];
      if (Math.abs(views.c[i * n + j] - sum) > 1e-3 * sum) throw new Error(`${side.name}: ${views.c[i * n + j]} for ${sum}`);
    }
  }
  return run;
}

export default async function tiles(_runtime, { sides, rounds, ...sizes }) {
  const runs = [];
  for (const side of sides) runs.push([side, await runOf(side, sizes)]);
  const least = {};
  for (let round = 0; round < 20 * rounds; round++) {
    for (const [{ variant, name }, run] of runs) {
      if (run === null) continue;
      const start = performance.now();
      run();
      const took = performance.now() - start;
      least[variant] ??= {};
      least[variant][name] = Math.min(took, least[variant][name] ?? took);
    }
  }
  return { json: least };
}
