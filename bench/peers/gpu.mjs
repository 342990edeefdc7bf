import { GPU, input } from "gpu.js";

/** GPU.js compiles a function of JavaScript for each element; arrays go in and out with each call. */
const MODES = { wasm: ["webasm", "WebAssemblyKernel"], webgpu: ["webgpu", "WebGPUKernel"] };

const OPERATORS = {
  Add: "{0} + {1}", Sub: "{0} - {1}", Mul: "{0} * {1}", Div: "{0} / {1}", Max: "Math.max({0}, {1})", Min: "Math.min({0}, {1})",
  Abs: "Math.abs({0})", Relu: "Math.max({0}, 0)", Sqrt: "Math.sqrt({0})", Exp: "Math.exp({0})", Tanh: "Math.tanh({0})",
};

const CASES = {
  gemm: ({ x: { shape: [m, depth] }, y: { shape: [, n] } }) => ({
    output: [n, m], constants: { depth },
    text: `function (x, y) {
      let sum = 0;
      for (let k = 0; k < this.constants.depth; k++) sum += x[this.thread.y][k] * y[k][this.thread.x];
      return sum;
    }`,
  }),
  blur: ({ x: { shape: [side] } }) => ({
    output: [side - 2, side - 2],
    text: `function (x, w) {
      let sum = 0;
      for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) sum += w[3 * i + j] * x[this.thread.y + i][this.thread.x + j];
      return sum;
    }`,
  }),
  mandelbrot: (_, { most, step, width }) => ({
    output: [width, width], constants: { most, step },
    text: `function () {
      const cx = this.thread.x * this.constants.step - 2;
      const cy = this.thread.y * this.constants.step - 1.5;
      let x = 0;
      let y = 0;
      let rounds = 0;
      for (let round = 0; round < this.constants.most; round++) {
        const xx = x * x;
        const yy = y * y;
        if (xx + yy > 4) break;
        const xy = x * y;
        x = xx - yy + cx;
        y = xy + xy + cy;
        rounds += 1;
      }
      return rounds;
    }`,
  }),
  gray_scott: ({ x: { shape: [, side] } }) => ({
    output: [side, side, 2], constants: { side },
    text: `function (x) {
      const s = this.thread.z;
      const row = this.thread.y;
      const column = this.thread.x;
      let up = row - 1;
      if (up < 0) up = this.constants.side - 1;
      let down = row + 1;
      if (down > this.constants.side - 1) down = 0;
      let left = column - 1;
      if (left < 0) left = this.constants.side - 1;
      let right = column + 1;
      if (right > this.constants.side - 1) right = 0;
      const u = x[0][row][column];
      const v = x[1][row][column];
      const around = x[s][up][column] + x[s][down][column] + x[s][row][left] + x[s][row][right] - 4 * x[s][row][column];
      const reaction = u * v * v;
      if (s < 1) return u + (0.16 * around - reaction + 0.037 * (1 - u));
      return v + (0.08 * around + reaction - 0.097 * v);
    }`,
  }),
};

export async function open(backend) {
  const [mode, kind] = MODES[backend];
  const gpu = new GPU({ mode });
  const does = ({ columns, name, nodes }) => name in CASES || (nodes.length > 0 && !columns);
  return { does, prepare: (...given) => prepare(gpu, kind, ...given) };
}

function ofNodes(nodes, names, length) {
  const operand = (name) => (/^\d/.test(name) ? name : `${name}_`);
  const lines = names.map((name) => `const ${name}_ = ${name}[this.thread.x];`);
  for (const [operator, operands, result] of nodes) {
    const text = OPERATORS[operator].replace(/\{(\d)\}/g, (_, k) => operand(operands.split(" ")[k]));
    lines.push(`const ${result}_ = ${text};`);
  }
  return { output: [length], text: `function (${names.join(", ")}) { ${lines.join(" ")} return z_; }` };
}

async function prepare(gpu, kind, { calls, name, nodes, scalars }, inputs) {
  const names = Object.keys(inputs);
  const { text, ...settings } = CASES[name]?.(inputs, scalars) ?? ofNodes(nodes, names, inputs.x.data.length);
  const kernel = gpu.createKernel(text, { ...settings, asyncMode: true, precision: "single", tactic: "precision" });
  const given = (data, shape) => (shape.length > 1 ? input(data, [...shape].reverse()) : data);
  const [x, ...others] = names.map((name) => given(inputs[name].data, inputs[name].shape));
  const flat = (found) => (ArrayBuffer.isView(found) ? found : Float32Array.from([].concat(...found.map((part) => [...flat(part)]))));
  const joined = (found, size) => {
    const all = new Float32Array(size);
    let at = 0;
    for (const part of found.flat(2)) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  };
  const size = settings.output.reduce((a, b) => a * b);
  return async (read) => {
    let z = x;
    let found;
    for (let call = 0; call < calls; call++) {
      found = await (z === undefined ? kernel() : kernel(z, ...others));
      // Rows come as arrays of arrays, and go in again as one.
      if (call < calls - 1) z = Array.isArray(found) ? given(joined(found, size), inputs.x.shape) : found;
    }
    if (kernel.kernel.constructor.name !== kind) throw new Error(`it runs on ${kernel.kernel.constructor.name}: ${kernel.kernel.fallbackReason}`);
    return read ? (Array.isArray(found) ? joined(found, size) : flat(found)) : undefined;
  };
}
