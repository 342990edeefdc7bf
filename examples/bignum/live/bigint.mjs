// The same on BigInts: plain residues modulo P, not in Montgomery form. Points are as in ../kernels.py.

export const P = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;

const modulo = (value) => {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
};

export const multiply = (a, b) => (a * b) % P;

export function power(base, exponent) {
  let result = 1n;
  for (const bit of exponent.toString(2)) {
    result = (result * result) % P;
    if (bit === "1") result = (result * base) % P;
  }
  return result;
}

/** 1 / a by Euclid's algorithm. */
export function inverse(a) {
  let [r, next, x, y] = [P, a, 0n, 1n];
  while (next) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [x, y] = [y, x - quotient * y];
  }
  return modulo(x);
}

export function add(x1, y1, z1, x2, y2) {
  if (x2 === 0n && y2 === 0n) return [x1, y1, z1];
  if (z1 === 0n) return [x2, y2, 1n];
  const zz = (z1 * z1) % P;
  const u = (x2 * zz) % P;
  let h = modulo(u - x1);
  let r = modulo(y2 * ((z1 * zz) % P) - y1);
  if (h === 0n && r === 0n) [h, r] = [2n * y1, (3n * x1 * x1) % P];
  const hh = (h * h) % P;
  const v = (x1 * hh) % P;
  const x = modulo(r * r - (x1 + u) * hh);
  return [x, modulo(r * (v - x) - y1 * ((h * hh) % P)), (z1 * h) % P];
}

export function affine(x, y, z) {
  if (z === 0n) return [0n, 0n];
  const i = inverse(z);
  const ii = (i * i) % P;
  return [(x * ii) % P, (y * ((i * ii) % P)) % P];
}

const BACK = inverse(2n ** 256n % P);
export const toMontgomery = (value) => (value << 256n) % P;
export const fromMontgomery = (value) => (value * BACK) % P;
