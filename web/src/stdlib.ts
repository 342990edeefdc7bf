import { ArtifactError, LaunchError, reading, textOf } from "./errors.js";
import type { Program } from "./program.js";
import type { Runtime } from "./runtime.js";

/** The kernels of the standard library: an artifact for each lies beside this module, in `stdlib/`. */
export const STDLIB = [
  "vector_add", "vector_sub", "vector_mul", "vector_div", "vector_min", "vector_max", "vector_pow", "vector_abs",
  "vector_neg", "vector_sqrt", "vector_rsqrt", "vector_exp", "vector_log", "vector_sin", "vector_cos", "vector_dot",
  "vector_sum", "vector_layer_norm", "matrix_gemm", "matrix_gemv", "activation_relu", "activation_sigmoid",
  "activation_tanh", "attention", "bias_gelu", "gelu", "leakyrelu", "relu", "sigmoid", "skip_layer_norm", "softmax",
  "tanh", "conv", "add", "sub", "mul", "div", "scalar_mul", "matmul", "gemm", "batch_normalization",
  "instance_normalization", "layer_norm", "averagepool", "global_average_pool", "reduce_mean", "reduce_sum", "concat",
  "flatten", "gather", "reshape", "slice", "squeeze", "transpose", "unsqueeze", "argmax", "cast", "constant", "range",
  "shape",
] as const;

export type StdlibName = (typeof STDLIB)[number];

/**
 * Loads a kernel of the standard library. `base` is the address that `stdlib/` is relative to, by default this module's.
 * Raises LaunchError for a name that there is not, and what `runtime.load` raises.
 */
export async function loadStdlib(runtime: Runtime, name: StdlibName, base: string | URL = import.meta.url): Promise<Program> {
  if (!STDLIB.includes(name)) throw new LaunchError(`the standard library has no '${textOf(name)}': it has ${STDLIB.join(", ")}`);
  if (typeof reading("the runtime", () => runtime?.load) !== "function") throw new LaunchError(`loadStdlib takes a Runtime first, not ${textOf(runtime)}`);
  const address = reading("the base", () => new URL(`stdlib/${name}.holo`, base));
  if (address.protocol !== "file:") return runtime.load(address);
  const files = "node:fs/promises"; // fetch reads no files in Node
  const found = (await import(/* @vite-ignore */ files)).readFile(address) as Promise<Uint8Array>;
  return runtime.load(
    await found.catch((error) => {
      throw new ArtifactError(`${address} cannot be read: ${error}`);
    }),
  );
}
