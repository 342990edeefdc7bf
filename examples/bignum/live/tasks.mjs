// What the page computes: rows of numbers, edges first, then random ones.
import { P, add, affine, multiply, power, toMontgomery } from "./bigint.mjs";

const EDGES = [0n, 1n, 2n, P - 1n, P - 2n, toMontgomery(1n), toMontgomery(1n << 256n), P >> 1n, 1n << 253n, (1n << 128n) - 1n];
const EXPONENTS = [0n, 1n, 2n, P - 1n, P - 2n, P, 1n << 255n, (1n << 256n) - 1n];

function random(limit) {
  const words = crypto.getRandomValues(new BigUint64Array(5)); // 64 bits more than needed, so that all are as likely
  return words.reduce((value, word) => (value << 64n) | word, 0n) % limit;
}

const choice = (items) => items[Math.floor(Math.random() * items.length)];
const pairs = (a, b) => a.flatMap((x) => b.map((y) => [x, y]));

function filled(rows, count, make) {
  return [...rows.slice(0, count), ...Array.from({ length: Math.max(count - rows.length, 0) }, make)];
}

/** Affine points: infinity, and multiples of the generator. */
function points(count) {
  const found = [[0n, 0n]];
  let point = [1n, 2n, 1n];
  for (let k = 1; k < count; k++) {
    found.push(affine(...point));
    point = add(...point, 1n, 2n);
  }
  return found;
}

/** Points to add: infinity, equal and inverse ones come first. */
function sums(count) {
  const all = points(Math.min(count, 256) + 8);
  const [none, p, q] = [all[0], all[5], all[6]];
  const special = [[none, none], [none, p], [p, none], [p, p], [p, [p[0], P - p[1]]], [p, q]];
  return filled([...special, ...special], count, () => [choice(all), choice(all)]).map(([[x, y], second]) => {
    const infinite = x === 0n && y === 0n;
    const z = infinite ? 0n : 1n + random(P - 1n);
    return infinite ? [random(P), random(P), z, ...second] : [(x * z * z) % P, (y * z ** 3n) % P, z, ...second];
  });
}

/**
 * The tasks. `work` is what a plan does, on a row of BigInts; rows of those whose work takes long are fewer. `plain`
 * columns do not go through Montgomery form.
 */
export function makeTasks(count) {
  const fewer = Math.max(16, count >> 4);
  const added = sums(count);
  const products = filled(pairs(EDGES, EDGES), count, () => [random(P), random(P)]);
  const powers = filled(pairs(EDGES.slice(0, 4), EXPONENTS), fewer, () => [random(P), random(1n << 256n)]);
  return [
    { name: "multiply", work: multiply, columns: ["a", "b"], results: ["c"], rows: products },
    { name: "power", work: power, columns: ["base", "exponent"], results: ["result"], rows: powers, plain: ["exponent"] },
    { name: "add", work: add, columns: ["x1", "y1", "z1", "x2", "y2"], results: ["x3", "y3", "z3"], rows: added },
    { name: "affine", work: affine, columns: ["x", "y", "z"], results: ["ax", "ay"], rows: added.slice(0, fewer).map((row) => add(...row)) },
  ];
}
