import { defaultDevice, init, jit, lax, nn, numpy as np } from "@jax-js/jax";

const OPERATORS = {
  Add: np.add, Sub: np.subtract, Mul: np.multiply, Div: np.divide, Max: np.maximum, Min: np.minimum,
  Abs: np.abs, Relu: nn.relu, Sqrt: np.sqrt, Exp: np.exp, Tanh: np.tanh,
  ReduceSum: (x) => np.sum(x, -1, { keepdims: true }), ReduceMax: (x) => np.max(x, -1, { keepdims: true }),
};

const around = (x) => [[1, 0], [-1, 0], [1, 1], [-1, 1]].map(([by, axis]) => np.roll(x.ref, by, axis)).reduce((a, b) => a.add(b)).sub(x.mul(4));

const CASES = {
  sum: (x) => np.sum(x),
  softmax: (x) => nn.softmax(x, -1),
  gemm: (x, y) => np.matmul(x, y),
  blur: (x, w) => lax.conv(x.reshape([1, 1, ...x.shape]), w.reshape([1, 1, 3, 3]), [1, 1], "VALID"),
  gray_scott: (x) => {
    const [u, v] = [x.ref.slice(0), x.slice(1)];
    const reaction = u.ref.mul(v.ref).mul(v.ref);
    const fed = np.subtract(1, u.ref).mul(0.037);
    const nextU = u.ref.add(around(u).mul(0.16).sub(reaction.ref).add(fed));
    const nextV = v.ref.add(around(v.ref).mul(0.08).add(reaction).sub(v.mul(0.037 + 0.06)));
    return np.stack([nextU, nextV]);
  },
};

export async function open(backend) {
  await init(backend);
  defaultDevice(backend);
  const does = ({ name, nodes }) => name in CASES || nodes.length > 0;
  // The page itself waits for its workers.
  return { does, prepare: (...given) => prepare(backend, ...given), threads: (workers) => Math.max(workers, 1) };
}

/** Arrays are given away where they are used for the last time: that is how jax-js counts references. */
function ofNodes(nodes, names, columns) {
  const uses = {};
  for (const [, operands] of nodes) for (const name of operands.split(" ")) uses[name] = (uses[name] ?? 0) + 1;
  return (...given) => {
    const left = { ...uses };
    const values = Object.fromEntries(names.map((name, k) => [name, given[k]]));
    const operand = (name) => {
      if (/^\d/.test(name)) return name === "1/n" ? 1 / columns : Number(name);
      return --left[name] ? values[name].ref : values[name];
    };
    for (const [operator, operands, result] of nodes) values[result] = OPERATORS[operator](...operands.split(" ").map(operand));
    return values.z;
  };
}

async function prepare(backend, { calls, columns, name, nodes }, inputs) {
  const names = Object.keys(inputs);
  const [x, ...others] = names.map((name) => np.array(inputs[name].data, { shape: inputs[name].shape }));
  const step = jit(CASES[name] ?? ofNodes(nodes, names, columns));
  return async (read) => {
    let z = x.ref;
    for (let call = 0; call < calls; call++) z = step(z, ...others.map((other) => other.ref));
    if (read) return z.data();
    await z.blockUntilReady();
    z.dispose();
  };
}
