import { getThreadsCount, setThreadsCount, setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import "@tensorflow/tfjs-backend-webgpu";
import * as tf from "@tensorflow/tfjs-core";

const OPERATORS = {
  Add: tf.add, Sub: tf.sub, Mul: tf.mul, Div: tf.div, Max: tf.maximum, Min: tf.minimum,
  Abs: tf.abs, Relu: tf.relu, Sqrt: tf.sqrt, Exp: tf.exp, Tanh: tf.tanh,
  ReduceSum: (x) => tf.sum(x, -1, true), ReduceMax: (x) => tf.max(x, -1, true),
};

function roll(x, by, axis) {
  const cut = by > 0 ? x.shape[axis] - by : -by;
  const [first, second] = tf.split(x, [cut, x.shape[axis] - cut], axis);
  return tf.concat([second, first], axis);
}

const around = (x) => tf.sub(tf.addN([roll(x, 1, 0), roll(x, -1, 0), roll(x, 1, 1), roll(x, -1, 1)]), tf.mul(x, 4));

const CASES = {
  sum: (x) => tf.sum(x),
  softmax: (x) => tf.softmax(x),
  gemm: (x, y) => tf.matMul(x, y),
  batched: (x, y) => tf.matMul(x, y),
  // In its own order: channels last, and so the result (pages.py).
  conv: (x, w) => (w.shape[3] === 1 ? tf.depthwiseConv2d(x, w, 1, "same") : tf.conv2d(x, w, 1, "same")),
  attention: (q, k, v) => tf.matMul(tf.softmax(tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(v.shape[2]))), v),
  blur: (x, w) => tf.conv2d(tf.reshape(x, [...x.shape, 1]), tf.reshape(w, [3, 3, 1, 1]), 1, "valid"),
  histogram: (x) => tf.bincount(x, [], 256),
  gray_scott: (x) => {
    const [u, v] = tf.unstack(x);
    const reaction = tf.mul(tf.mul(u, v), v);
    const nextU = tf.add(u, tf.add(tf.sub(tf.mul(around(u), 0.16), reaction), tf.mul(tf.sub(1, u), 0.037)));
    const nextV = tf.add(v, tf.sub(tf.add(tf.mul(around(v), 0.08), reaction), tf.mul(v, 0.037 + 0.06)));
    return tf.stack([nextU, nextV]);
  },
};

export async function open(backend) {
  setWasmPaths(new URL("../node_modules/@tensorflow/tfjs-backend-wasm/dist/", import.meta.url).href);
  const cores = navigator.hardwareConcurrency;
  // It takes at most half of the cores that it is told of, on two of them one: so it is told of twice as many.
  Object.defineProperty(navigator, "hardwareConcurrency", { value: 2 * cores, configurable: true });
  setThreadsCount(cores);
  if (backend === "webgpu") tf.env().set("WEBGPU_CPU_FORWARD", false); // small arrays would be computed elsewhere
  await tf.setBackend(backend);
  await tf.ready();
  delete navigator.hardwareConcurrency;
  if (tf.getBackend() !== backend) throw new Error(`it runs on ${tf.getBackend()}`);
  const does = ({ name, nodes }) => name in CASES || nodes.length > 0;
  // It starts eight workers, and uses of them what it is told to.
  const threads = () => (backend === "wasm" && globalThis.crossOriginIsolated ? getThreadsCount() : 1);
  return { does, prepare, threads };
}

function ofNodes(nodes, names, columns) {
  return (...given) => {
    const values = Object.fromEntries(names.map((name, k) => [name, given[k]]));
    const operand = (name) => (/^\d/.test(name) ? (name === "1/n" ? 1 / columns : Number(name)) : values[name]);
    for (const [operator, operands, result] of nodes) values[result] = OPERATORS[operator](...operands.split(" ").map(operand));
    return values.z;
  };
}

async function prepare({ calls, columns, name, nodes }, inputs) {
  const names = Object.keys(inputs);
  // It has no unsigned bytes: such arrays are int32.
  const tensor = ({ data, dtype, shape }) => tf.tensor(data, shape, dtype === "float32" ? dtype : "int32");
  const [x, ...others] = names.map((name) => tensor(inputs[name]));
  const step = CASES[name] ?? ofNodes(nodes, names, columns);
  return async (read) => {
    const last = tf.tidy(() => {
      let z = x;
      for (let call = 0; call < calls; call++) z = step(z, ...others);
      return z;
    });
    const found = read ? await last.data() : undefined;
    last.dispose();
    return found;
  };
}
