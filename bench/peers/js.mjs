/** Loops in JavaScript over typed arrays: what one would write without a library. */
const CASES = {
  add: (z, x, y) => {
    for (let i = 0; i < z.length; i++) z[i] = x[i] + y[i];
  },
  sum: (z, x) => {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += x[i];
    z[0] = sum;
  },
  mandelbrot: (z, { most, step, width }) => {
    const f = Math.fround;
    for (let row = 0; row < width; row++) {
      for (let column = 0; column < width; column++) {
        const cx = f(f(column * f(step)) - 2);
        const cy = f(f(row * f(step)) - 1.5);
        let [x, y, rounds] = [0, 0, 0];
        while (rounds < most) {
          const xx = f(x * x);
          const yy = f(y * y);
          if (f(xx + yy) > 4) break;
          const xy = f(x * y);
          x = f(f(xx - yy) + cx);
          y = f(f(xy + xy) + cy);
          rounds++;
        }
        z[row * width + column] = rounds;
      }
    }
  },
  histogram: (z, x) => {
    z.fill(0);
    for (let i = 0; i < x.length; i++) z[x[i]]++;
  },
  search: (z, x, p) => {
    for (let i = 0; i < z.length; i++) {
      let k = 0;
      while (k < p.length && x[i + k] === p[k]) k++;
      z[i] = k === p.length ? 1 : 0;
    }
  },
  blur: (z, x, w) => {
    const side = Math.sqrt(x.length);
    for (let row = 0; row < side - 2; row++) {
      for (let column = 0; column < side - 2; column++) {
        let sum = 0;
        for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) sum += w[3 * i + j] * x[(row + i) * side + column + j];
        z[row * (side - 2) + column] = sum;
      }
    }
  },
  gray_scott: (z, x) => {
    const pixels = x.length / 2;
    const side = Math.sqrt(pixels);
    for (let row = 0; row < side; row++) {
      const up = (row ? row - 1 : side - 1) * side;
      const down = (row < side - 1 ? row + 1 : 0) * side;
      for (let column = 0; column < side; column++) {
        const left = row * side + (column ? column - 1 : side - 1);
        const right = row * side + (column < side - 1 ? column + 1 : 0);
        const at = row * side + column;
        const u = x[at];
        const v = x[pixels + at];
        const reaction = u * v * v;
        const aroundU = x[up + column] + x[down + column] + x[left] + x[right] - 4 * u;
        const aroundV = x[pixels + up + column] + x[pixels + down + column] + x[pixels + left] + x[pixels + right] - 4 * v;
        z[at] = u + (0.16 * aroundU - reaction + 0.037 * (1 - u));
        z[pixels + at] = v + (0.08 * aroundV + reaction - 0.097 * v);
      }
    }
  },
};

const TYPES = { float32: Float32Array, uint8: Uint8Array, uint32: Uint32Array };

export async function open() {
  return { does: ({ name }) => name in CASES, prepare };
}

async function prepare({ calls, name, result, scalars, size }, inputs) {
  const [z, between] = [0, 1].map(() => new TYPES[result](size));
  const [x, ...others] = Object.values(inputs).map(({ data }) => data);
  return async (read) => {
    let last = x;
    for (let call = 1; call <= calls; call++) {
      const next = (calls - call) % 2 ? between : z;
      CASES[name](next, last ?? scalars, ...others);
      last = next;
    }
    return read ? z.slice() : undefined;
  };
}
