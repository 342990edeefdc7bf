import { LaunchError, reading, telling, textOf } from "./errors.js";
import { unpacked } from "./packed.js";
import type { Program } from "./program.js";
import type { Runtime } from "./runtime.js";

/** The kernels of the standard library: an artifact for each lies beside this module, as a module in `stdlib/`. */
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
 * Loads a kernel of the standard library, of the package, or from the folder `stdlib/` at an address, as
 * `hologram-web build-stdlib` writes it. Raises LaunchError for a name that there is not, and what `runtime.load` raises.
 */
export function loadStdlib(runtime: Runtime, name: StdlibName, base?: string | URL): Promise<Program> {
  return telling(async () => {
    if (!STDLIB.includes(name)) throw new LaunchError(`the standard library has no '${textOf(name)}': it has ${STDLIB.join(", ")}`);
    if (typeof reading("the runtime", () => runtime?.load) !== "function") throw new LaunchError(`loadStdlib takes a Runtime first, not ${textOf(runtime)}`);
    if (base === undefined) return runtime.load(await unpacked(() => import("./stdlib/index.js"), name));
    return runtime.load(reading("the base", () => new URL(`stdlib/${name}.holo`, base)));
  });
}
