import { defaultDevice, grad, init, jit, lax, nn, numpy as np } from "@jax-js/jax";

const OPERATORS = {
  Add: np.add, Sub: np.subtract, Mul: np.multiply, Div: np.divide, Max: np.maximum, Min: np.minimum,
  Abs: np.abs, Relu: nn.relu, Sqrt: np.sqrt, Exp: np.exp, Tanh: np.tanh,
  ReduceSum: (x) => np.sum(x, -1, { keepdims: true }), ReduceMax: (x) => np.max(x, -1, { keepdims: true }),
};

const around = (x) => [[1, 0], [-1, 0], [1, 1], [-1, 1]].map(([by, axis]) => np.roll(x.ref, by, axis)).reduce((a, b) => a.add(b)).sub(x.mul(4));

const entropy = (logits, t) => {
  const rows = t.shape[0];
  return np.sum(nn.logSoftmax(logits, -1).mul(t)).mul(-1 / rows);
};
const strided = (x, w, b) => nn.relu(lax.convGeneralDilated(x, w, [2, 2], [[0, 0], [0, 0]]).add(b.reshape([1, -1, 1, 1])));

/** A step of training: the weights after it, one after the other. */
const training = (loss) => (x, t, ...weights) => {
  const gradients = grad((weights) => loss(weights, x, t))(weights.map((w) => w.ref));
  return np.concatenate(weights.map((w, k) => w.sub(gradients[k].mul(0.1)).reshape([-1])));
};

const CASES = {
  mlp: training(([w1, b1, w2, b2], x, t) => entropy(np.matmul(nn.relu(np.matmul(x, w1).add(b1)), w2).add(b2), t)),
  convnet: training(([w1, b1, w2, b2, w3, b3], x, t) => {
    const batch = x.shape[0];
    const k = strided(strided(x, w1, b1), w2, b2);
    return entropy(np.matmul(k.reshape([batch, -1]), w3).add(b3), t);
  }),
  sum: (x) => np.sum(x),
  softmax: (x) => nn.softmax(x, -1),
  gemm: (x, y) => np.matmul(x, y),
  batched: (x, y) => np.matmul(x, y),
  conv: (x, w) => {
    const pad = (w.shape[2] - 1) / 2;
    const featureGroupCount = x.shape[1] / w.shape[1];
    return lax.convGeneralDilated(x, w, [1, 1], [[pad, pad], [pad, pad]], { featureGroupCount });
  },
  attention: (q, k, v) => {
    const scores = np.matmul(q, k.transpose([0, 2, 1])).mul(1 / Math.sqrt(v.shape[2]));
    return np.matmul(nn.softmax(scores, -1), v);
  },
  fft: (x) => {
    const [real, imag] = [x.ref.slice([], 0), x.slice([], 1)];
    const found = np.fft.fft({ real, imag });
    return np.stack([found.real, found.imag], 1);
  },
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
