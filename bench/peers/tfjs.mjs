import { setThreadsCount, setWasmPaths } from "@tensorflow/tfjs-backend-wasm";
import "@tensorflow/tfjs-backend-webgpu";
import * as tf from "@tensorflow/tfjs-core";

const CASES = {
  add: (x, y) => tf.add(x, y),
  exp_chain: (x, y) => tf.exp(tf.add(tf.mul(x, y), x)),
};

export async function open(backend) {
  setWasmPaths(new URL("../node_modules/@tensorflow/tfjs-backend-wasm/dist/", import.meta.url).href);
  setThreadsCount(navigator.hardwareConcurrency);
  await tf.setBackend(backend);
  if (tf.getBackend() !== backend) throw new Error(`it runs on ${tf.getBackend()}`);
  return { prepare };
}

async function prepare({ name, calls }, inputs) {
  const [x, y] = [tf.tensor1d(inputs.x), tf.tensor1d(inputs.y)];
  return async () => {
    const last = tf.tidy(() => {
      let z = x;
      for (let call = 0; call < calls; call++) z = CASES[name](z, y);
      return z;
    });
    const found = await last.data();
    last.dispose();
    return found;
  };
}
