// Made by `hologram-web build-ops --types web/src/ops.gen.ts`: do not edit.
import type { Buffer } from "./buffer.js";
import type { Operand } from "./ops.js";

/** What each takes, in order. */
export const OPERANDS = {
  abs: ["x"],
  neg: ["x"],
  sqrt: ["x"],
  exp: ["x"],
  log: ["x"],
  sin: ["x"],
  cos: ["x"],
  tan: ["x"],
  relu: ["x"],
  sigmoid: ["x"],
  tanh: ["x"],
  rcp: ["x"],
  rsqrt: ["x"],
  sign: ["x"],
  floor: ["x"],
  ceil: ["x"],
  round: ["x"],
  trunc: ["x"],
  log2: ["x"],
  log10: ["x"],
  erf: ["x"],
  gelu: ["x"],
  swish: ["x"],
  not: ["x"],
  add: ["a", "b"],
  sub: ["a", "b"],
  mul: ["a", "b"],
  div: ["a", "b"],
  pow: ["a", "b"],
  min: ["a", "b"],
  max: ["a", "b"],
  atan2: ["a", "b"],
  rem: ["a", "b"],
  and: ["a", "b"],
  or: ["a", "b"],
  xor: ["a", "b"],
  equal: ["a", "b"],
  not_equal: ["a", "b"],
  less: ["a", "b"],
  less_equal: ["a", "b"],
  greater: ["a", "b"],
  greater_equal: ["a", "b"],
  where: ["condition", "a", "b"],
  clip: ["x"],
  leaky_relu: ["x"],
  elu: ["x"],
  softplus: ["x"],
  lerp: ["a", "b"],
  to_f32: ["x"],
  to_i32: ["x"],
  to_f16: ["x"],
  matmul: ["a", "b"],
  linear: ["x", "weight", "bias"],
  batch_matmul: ["a", "b"],
  softmax: ["x"],
  log_softmax: ["x"],
  layer_norm: ["x", "gamma", "beta"],
  rms_norm: ["x", "gamma"],
  layer_scale: ["x", "scale"],
  batch_norm: ["x", "gamma", "beta", "mean", "variance"],
  group_norm: ["x", "gamma", "beta"],
  instance_norm: ["x", "gamma", "beta"],
  conv2d: ["x", "weight"],
  conv2d_same: ["x", "weight"],
  conv2d_half: ["x", "weight"],
  conv_transpose2d: ["x", "weight"],
  conv_transpose2d_twice: ["x", "weight"],
  max_pool2d: ["x"],
  avg_pool2d: ["x"],
  resize2d: ["x"],
  resize2d_nearest: ["x"],
  attention: ["q", "k", "v"],
  causal_attention: ["q", "k", "v"],
  rope: ["x", "angles"],
  fft: ["x"],
  ifft: ["x"],
  rfft: ["x"],
  irfft: ["x"],
  random: [],
  random_normal: [],
  cum_sum: ["x"],
  sort: ["x"],
  sort_descending: ["x"],
  sort_with_places: ["x"],
  top_k: ["x"],
  arg_max: ["x"],
  arg_min: ["x"],
  sum: ["x"],
  prod: ["x"],
  mean: ["x"],
  variance: ["x"],
  amax: ["x"],
  amin: ["x"],
  transpose: ["x"],
  gather: ["x", "indices"],
  scatter: ["x", "parts", "indices"],
  scatter_add: ["x", "parts", "indices"],
  concat: ["a", "b"],
  slice: ["x"],
  pad: ["x"],
  flip: ["x"],
} as const;

/** The types of those that are not for F32 alone, and which operands say what it is. */
export const TYPES: Readonly<Record<string, { by: readonly number[]; types: readonly string[] }>> = {
  abs: { by: [0], types: ["f32", "i32"] },
  neg: { by: [0], types: ["f32", "i32"] },
  relu: { by: [0], types: ["f32", "i32"] },
  sign: { by: [0], types: ["f32", "i32"] },
  not: { by: [0], types: ["i32"] },
  add: { by: [0, 1], types: ["f32", "i32"] },
  sub: { by: [0, 1], types: ["f32", "i32"] },
  mul: { by: [0, 1], types: ["f32", "i32"] },
  div: { by: [0, 1], types: ["f32", "i32"] },
  min: { by: [0, 1], types: ["f32", "i32"] },
  max: { by: [0, 1], types: ["f32", "i32"] },
  rem: { by: [0, 1], types: ["f32", "i32"] },
  and: { by: [0, 1], types: ["i32"] },
  or: { by: [0, 1], types: ["i32"] },
  xor: { by: [0, 1], types: ["i32"] },
  equal: { by: [0, 1], types: ["f32", "i32"] },
  not_equal: { by: [0, 1], types: ["f32", "i32"] },
  less: { by: [0, 1], types: ["f32", "i32"] },
  less_equal: { by: [0, 1], types: ["f32", "i32"] },
  greater: { by: [0, 1], types: ["f32", "i32"] },
  greater_equal: { by: [0, 1], types: ["f32", "i32"] },
  where: { by: [1, 2], types: ["f32", "i32"] },
  clip: { by: [0], types: ["f32", "i32"] },
  to_f32: { by: [0], types: ["f32", "i32", "f16"] },
  to_i32: { by: [0], types: ["f32", "i32", "f16"] },
  to_f16: { by: [0], types: ["f32", "i32", "f16"] },
  matmul: { by: [0, 1], types: ["f32", "i32", "f16"] },
  cum_sum: { by: [0], types: ["f32", "i32"] },
  sort: { by: [0], types: ["f32", "i32"] },
  sort_descending: { by: [0], types: ["f32", "i32"] },
  sort_with_places: { by: [0], types: ["f32", "i32"] },
  top_k: { by: [0], types: ["f32", "i32"] },
  arg_max: { by: [0], types: ["f32", "i32"] },
  arg_min: { by: [0], types: ["f32", "i32"] },
  sum: { by: [0], types: ["f32", "i32"] },
  prod: { by: [0], types: ["f32", "i32"] },
  amax: { by: [0], types: ["f32", "i32"] },
  amin: { by: [0], types: ["f32", "i32"] },
  transpose: { by: [0], types: ["f32", "i32"] },
  gather: { by: [0], types: ["f32", "i32", "f16"] },
  scatter: { by: [0, 1], types: ["f32", "i32"] },
  scatter_add: { by: [0, 1], types: ["f32", "i32"] },
  concat: { by: [0, 1], types: ["f32", "i32"] },
  slice: { by: [0], types: ["f32", "i32"] },
  pad: { by: [0], types: ["f32", "i32"] },
  flip: { by: [0], types: ["f32", "i32"] },
};

/** What is written by those that write several arrays. */
export const RESULTS: Readonly<Record<string, readonly string[]>> = {
  sort_with_places: ["values", "places"],
  top_k: ["values", "places"],
};

/** Sizes in brackets are those of the arrays. */
export interface Operations {
  /** Abs of each element: [n] to [n]. */
  abs(x: Operand): Promise<Buffer<"f32">>;
  abs(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Neg of each element: [n] to [n]. */
  neg(x: Operand): Promise<Buffer<"f32">>;
  neg(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Sqrt of each element: [n] to [n]. */
  sqrt(x: Operand): Promise<Buffer<"f32">>;
  /** Exp of each element: [n] to [n]. */
  exp(x: Operand): Promise<Buffer<"f32">>;
  /** Log of each element: [n] to [n]. */
  log(x: Operand): Promise<Buffer<"f32">>;
  /** Sin of each element: [n] to [n]. */
  sin(x: Operand): Promise<Buffer<"f32">>;
  /** Cos of each element: [n] to [n]. */
  cos(x: Operand): Promise<Buffer<"f32">>;
  /** Tan of each element: [n] to [n]. */
  tan(x: Operand): Promise<Buffer<"f32">>;
  /** Relu of each element: [n] to [n]. */
  relu(x: Operand): Promise<Buffer<"f32">>;
  relu(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Sigmoid of each element: [n] to [n]. */
  sigmoid(x: Operand): Promise<Buffer<"f32">>;
  /** Tanh of each element: [n] to [n]. */
  tanh(x: Operand): Promise<Buffer<"f32">>;
  /** Rcp of each element: [n] to [n]. */
  rcp(x: Operand): Promise<Buffer<"f32">>;
  /** Rsqrt of each element: [n] to [n]. */
  rsqrt(x: Operand): Promise<Buffer<"f32">>;
  /** Sign of each element: [n] to [n]. */
  sign(x: Operand): Promise<Buffer<"f32">>;
  sign(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Floor of each element: [n] to [n]. */
  floor(x: Operand): Promise<Buffer<"f32">>;
  /** Ceil of each element: [n] to [n]. */
  ceil(x: Operand): Promise<Buffer<"f32">>;
  /** Round of each element: [n] to [n]. */
  round(x: Operand): Promise<Buffer<"f32">>;
  /** Trunc of each element: [n] to [n]. */
  trunc(x: Operand): Promise<Buffer<"f32">>;
  /** Log2 of each element: [n] to [n]. */
  log2(x: Operand): Promise<Buffer<"f32">>;
  /** Log10 of each element: [n] to [n]. */
  log10(x: Operand): Promise<Buffer<"f32">>;
  /** Erf of each element: [n] to [n]. */
  erf(x: Operand): Promise<Buffer<"f32">>;
  /** Gelu of each element: [n] to [n]. */
  gelu(x: Operand): Promise<Buffer<"f32">>;
  /** Swish of each element: [n] to [n]. */
  swish(x: Operand): Promise<Buffer<"f32">>;
  /** Not of each element: [n] to [n]. */
  not(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Add, element by element: [n], [n] to [n]. */
  add(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  add(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Sub, element by element: [n], [n] to [n]. */
  sub(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  sub(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Mul, element by element: [n], [n] to [n]. */
  mul(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  mul(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Div, element by element: [n], [n] to [n]. */
  div(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  div(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Pow, element by element: [n], [n] to [n]. */
  pow(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Min, element by element: [n], [n] to [n]. */
  min(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  min(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Max, element by element: [n], [n] to [n]. */
  max(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  max(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Atan2, element by element: [n], [n] to [n]. */
  atan2(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Rem, element by element: [n], [n] to [n]. */
  rem(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  rem(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** And, element by element: [n], [n] to [n]. */
  and(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Or, element by element: [n], [n] to [n]. */
  or(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Xor, element by element: [n], [n] to [n]. */
  xor(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** 1 where a is equal to b, else 0: [n], [n] to [n]. */
  equal(a: Operand, b: Operand): Promise<Buffer<"i32">>;
  equal(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** 1 where a is other than b, else 0: [n], [n] to [n]. */
  not_equal(a: Operand, b: Operand): Promise<Buffer<"i32">>;
  not_equal(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** 1 where a is less than b, else 0: [n], [n] to [n]. */
  less(a: Operand, b: Operand): Promise<Buffer<"i32">>;
  less(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** 1 where a is at most b, else 0: [n], [n] to [n]. */
  less_equal(a: Operand, b: Operand): Promise<Buffer<"i32">>;
  less_equal(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** 1 where a is greater than b, else 0: [n], [n] to [n]. */
  greater(a: Operand, b: Operand): Promise<Buffer<"i32">>;
  greater(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** 1 where a is at least b, else 0: [n], [n] to [n]. */
  greater_equal(a: Operand, b: Operand): Promise<Buffer<"i32">>;
  greater_equal(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** A where the condition is not 0, else b: [n], [n], [n] to [n]. */
  where(condition: Operand<"i32">, a: Operand, b: Operand): Promise<Buffer<"f32">>;
  where(condition: Operand<"i32">, a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Each element within low and high: [n] to [n]. By default low 0, high 1. */
  clip(x: Operand, options?: { low?: number; high?: number }): Promise<Buffer<"f32">>;
  clip(x: Operand<"i32">, options?: { low?: number; high?: number }): Promise<Buffer<"i32">>;
  /** X, or slope times x below 0: [n] to [n]. By default slope 0.01. */
  leaky_relu(x: Operand, options?: { slope?: number }): Promise<Buffer<"f32">>;
  /** X, or alpha (exp(x) - 1): [n] to [n]. By default alpha 1. */
  elu(x: Operand, options?: { alpha?: number }): Promise<Buffer<"f32">>;
  /** Log(1 + exp(x)) of each element: [n] to [n]. */
  softplus(x: Operand): Promise<Buffer<"f32">>;
  /** A + (b - a) t: [n], [n] to [n]. By default t 0.5. */
  lerp(a: Operand, b: Operand, options?: { t?: number }): Promise<Buffer<"f32">>;
  /** Each element as f32: [n] to [n]. */
  to_f32(x: Operand): Promise<Buffer<"f32">>;
  to_f32(x: Operand<"i32">): Promise<Buffer<"f32">>;
  to_f32(x: Operand<"f16">): Promise<Buffer<"f32">>;
  /** Each element as i32: [n] to [n]. */
  to_i32(x: Operand): Promise<Buffer<"i32">>;
  to_i32(x: Operand<"i32">): Promise<Buffer<"i32">>;
  to_i32(x: Operand<"f16">): Promise<Buffer<"i32">>;
  /** Each element as f16: [n] to [n]. */
  to_f16(x: Operand): Promise<Buffer<"f16">>;
  to_f16(x: Operand<"i32">): Promise<Buffer<"f16">>;
  to_f16(x: Operand<"f16">): Promise<Buffer<"f16">>;
  /** The product of two matrices; axes in front of the last are rows of a: [m, k], [k, n] to [m, n]. */
  matmul(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  matmul(a: Operand<"i32">, b: Operand<"i32">): Promise<Buffer<"i32">>;
  matmul(a: Operand<"f16">, b: Operand<"f16">): Promise<Buffer<"f16">>;
  /** X times weight transposed, plus bias: [rows, k], [n, k], [n] to [rows, n]. */
  linear(x: Operand, weight: Operand, bias: Operand): Promise<Buffer<"f32">>;
  /** Products of as many matrices: [batch, m, k], [batch, k, n] to [batch, m, n]. */
  batch_matmul(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Softmax along the last axis: [rows, n] to [rows, n]. */
  softmax(x: Operand): Promise<Buffer<"f32">>;
  /** Its logarithm: [rows, n] to [rows, n]. */
  log_softmax(x: Operand): Promise<Buffer<"f32">>;
  /** Rows along the last axis with mean 0 and variance 1, scaled and shifted: [rows, n], [n], [n] to [rows, n]. By default eps 1e-05. */
  layer_norm(x: Operand, gamma: Operand, beta: Operand, options?: { eps?: number }): Promise<Buffer<"f32">>;
  /** Rows along the last axis by their root mean square, scaled: [rows, n], [n] to [rows, n]. By default eps 1e-05. */
  rms_norm(x: Operand, gamma: Operand, options?: { eps?: number }): Promise<Buffer<"f32">>;
  /** Rows along the last axis times a vector: [rows, n], [n] to [rows, n]. */
  layer_scale(x: Operand, scale: Operand): Promise<Buffer<"f32">>;
  /** Channels (axis 1) with the given mean and variance, scaled and shifted: [batch, channels, spatial], [channels], [channels], [channels], [channels] to [batch, channels, spatial]. By default eps 1e-05. */
  batch_norm(x: Operand, gamma: Operand, beta: Operand, mean: Operand, variance: Operand, options?: { eps?: number }): Promise<Buffer<"f32">>;
  /** So many groups of channels of each image with mean 0 and variance 1, scaled and shifted: [batch, channels, spatial], [channels], [channels] to [batch, channels, spatial]. By default eps 1e-05. */
  group_norm(x: Operand, gamma: Operand, beta: Operand, options: { groups: number; eps?: number }): Promise<Buffer<"f32">>;
  /** Each channel of each image with mean 0 and variance 1, scaled and shifted: [batch, channels, spatial], [channels], [channels] to [batch, channels, spatial]. By default eps 1e-05. */
  instance_norm(x: Operand, gamma: Operand, beta: Operand, options?: { eps?: number }): Promise<Buffer<"f32">>;
  /** NCHW and OIHW, where the kernel lies within the image: [batch, channels, h, w], [filters, channels, kh, kw] to [batch, filters, h - kh + 1, w - kw + 1]. */
  conv2d(x: Operand, weight: Operand): Promise<Buffer<"f32">>;
  /** 3 x 3 with zeros around: as large as x: [batch, channels, h, w], [filters, channels, 3, 3] to [batch, filters, h, w]. */
  conv2d_same(x: Operand, weight: Operand): Promise<Buffer<"f32">>;
  /** 3 x 3 with zeros around, at every other row and column: [batch, channels, h, w], [filters, channels, 3, 3] to [batch, filters, (h + 1) // 2, (w + 1) // 2]. */
  conv2d_half(x: Operand, weight: Operand): Promise<Buffer<"f32">>;
  /** The transposed convolution: each element of x spreads a kernel: [batch, filters, h, w], [filters, channels, kh, kw] to [batch, channels, h + kh - 1, w + kw - 1]. */
  conv_transpose2d(x: Operand, weight: Operand): Promise<Buffer<"f32">>;
  /** The transposed convolution whose kernels lie two rows and columns apart: [batch, filters, h, w], [filters, channels, kh, kw] to [batch, channels, (h - 1) * 2 + kh, (w - 1) * 2 + kw]. */
  conv_transpose2d_twice(x: Operand, weight: Operand): Promise<Buffer<"f32">>;
  /** The greatest of 2 x 2, NCHW: [batch, channels, h, w] to [batch, channels, h // 2, w // 2]. */
  max_pool2d(x: Operand): Promise<Buffer<"f32">>;
  /** The mean of 2 x 2, NCHW: [batch, channels, h, w] to [batch, channels, h // 2, w // 2]. */
  avg_pool2d(x: Operand): Promise<Buffer<"f32">>;
  /** Images of another size, linearly between pixels: [batch, channels, h, w] to [batch, channels, height, width]. */
  resize2d(x: Operand, options: { height: number; width: number }): Promise<Buffer<"f32">>;
  /** Images of another size, of the nearest pixels: [batch, channels, h, w] to [batch, channels, height, width]. */
  resize2d_nearest(x: Operand, options: { height: number; width: number }): Promise<Buffer<"f32">>;
  /** Softmax(q k^T / sqrt(d)) v for each batch and head: [batch, heads, queries, d], [batch, heads, keys, d], [batch, heads, keys, d] to [batch, heads, queries, d]. */
  attention(q: Operand, k: Operand, v: Operand): Promise<Buffer<"f32">>;
  /** A query sees the keys up to its own: [batch, heads, queries, d], [batch, heads, keys, d], [batch, heads, keys, d] to [batch, heads, queries, d]. */
  causal_attention(q: Operand, k: Operand, v: Operand): Promise<Buffer<"f32">>;
  /** Rotary position embedding: halves of d turned by the angles: [batch, positions, heads, d], [positions, d // 2] to [batch, positions, heads, d]. */
  rope(x: Operand, angles: Operand): Promise<Buffer<"f32">>;
  /** The Fourier transform of complex rows: [rows, n, 2] to [rows, n, 2]. */
  fft(x: Operand): Promise<Buffer<"f32">>;
  /** The inverse of fft: [rows, n, 2] to [rows, n, 2]. */
  ifft(x: Operand): Promise<Buffer<"f32">>;
  /** The Fourier transform of real rows: its first half: [rows, n] to [rows, n // 2 + 1, 2]. */
  rfft(x: Operand): Promise<Buffer<"f32">>;
  /** The inverse of rfft, for n numbers a row: [rows, n // 2 + 1, 2] to [rows, n]. */
  irfft(x: Operand, options: { n: number }): Promise<Buffer<"f32">>;
  /** Even from 0 to 1, by Philox: [count]. By default offset 0. */
  random(options: { count: number; seed: number; offset?: number }): Promise<Buffer<"f32">>;
  /** Of a normal distribution, by Philox: [count]. By default offset 0. */
  random_normal(options: { count: number; seed: number; offset?: number }): Promise<Buffer<"f32">>;
  /** Running sums along the last axis: [rows, n] to [rows, n]. */
  cum_sum(x: Operand): Promise<Buffer<"f32">>;
  cum_sum(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Sorted along the last axis: [rows, n] to [rows, n]. */
  sort(x: Operand): Promise<Buffer<"f32">>;
  sort(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** From the greatest to the least: [rows, n] to [rows, n]. */
  sort_descending(x: Operand): Promise<Buffer<"f32">>;
  sort_descending(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Sorted along the last axis, and where each was: [rows, n] to [rows, n], [rows, n]. */
  sort_with_places(x: Operand): Promise<{ values: Buffer<"f32">; places: Buffer<"i32"> }>;
  sort_with_places(x: Operand<"i32">): Promise<{ values: Buffer<"i32">; places: Buffer<"i32"> }>;
  /** The k greatest of each row, and where they are: [rows, n] to [rows, k], [rows, k]. */
  top_k(x: Operand, options: { k: number }): Promise<{ values: Buffer<"f32">; places: Buffer<"i32"> }>;
  top_k(x: Operand<"i32">, options: { k: number }): Promise<{ values: Buffer<"i32">; places: Buffer<"i32"> }>;
  /** Where each row is greatest: [rows, n] to [rows]. */
  arg_max(x: Operand): Promise<Buffer<"i32">>;
  arg_max(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Where each row is least: [rows, n] to [rows]. */
  arg_min(x: Operand): Promise<Buffer<"i32">>;
  arg_min(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** The sum of each row: [rows, n] to [rows]. */
  sum(x: Operand): Promise<Buffer<"f32">>;
  sum(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** The product of each row: [rows, n] to [rows]. */
  prod(x: Operand): Promise<Buffer<"f32">>;
  prod(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** The mean of each row: [rows, n] to [rows]. */
  mean(x: Operand): Promise<Buffer<"f32">>;
  /** The variance of each row: [rows, n] to [rows]. */
  variance(x: Operand): Promise<Buffer<"f32">>;
  /** The greatest of each row: [rows, n] to [rows]. */
  amax(x: Operand): Promise<Buffer<"f32">>;
  amax(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** The least of each row: [rows, n] to [rows]. */
  amin(x: Operand): Promise<Buffer<"f32">>;
  amin(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** A matrix with its rows as columns: [rows, n] to [n, rows]. */
  transpose(x: Operand): Promise<Buffer<"f32">>;
  transpose(x: Operand<"i32">): Promise<Buffer<"i32">>;
  /** Parts along an axis by their indices: [outer, n, inner], [count] to [outer, count, inner]. By default axis 0. */
  gather(x: Operand, indices: Operand<"i32">, options?: { axis?: number }): Promise<Buffer<"f32">>;
  gather(x: Operand<"i32">, indices: Operand<"i32">, options?: { axis?: number }): Promise<Buffer<"i32">>;
  gather(x: Operand<"f16">, indices: Operand<"i32">, options?: { axis?: number }): Promise<Buffer<"f16">>;
  /** X with other parts along an axis at these indices: [outer, n, inner], [outer, count, inner], [count] to [outer, n, inner]. By default axis 0. */
  scatter(x: Operand, parts: Operand, indices: Operand<"i32">, options?: { axis?: number }): Promise<Buffer<"f32">>;
  scatter(x: Operand<"i32">, parts: Operand<"i32">, indices: Operand<"i32">, options?: { axis?: number }): Promise<Buffer<"i32">>;
  /** X with parts added along an axis at these indices: [outer, n, inner], [outer, count, inner], [count] to [outer, n, inner]. By default axis 0. */
  scatter_add(x: Operand, parts: Operand, indices: Operand<"i32">, options?: { axis?: number }): Promise<Buffer<"f32">>;
  scatter_add(x: Operand<"i32">, parts: Operand<"i32">, indices: Operand<"i32">, options?: { axis?: number }): Promise<Buffer<"i32">>;
  /** Two arrays behind each other along an axis: [outer, n, inner], [outer, m, inner] to [outer, n + m, inner]. By default axis 0. */
  concat(a: Operand, b: Operand, options?: { axis?: number }): Promise<Buffer<"f32">>;
  concat(a: Operand<"i32">, b: Operand<"i32">, options?: { axis?: number }): Promise<Buffer<"i32">>;
  /** So many parts along an axis, from start, each so many steps on: [outer, n, inner] to [outer, count, inner]. By default start 0, step 1, axis 0. */
  slice(x: Operand, options: { start?: number; count: number; step?: number; axis?: number }): Promise<Buffer<"f32">>;
  slice(x: Operand<"i32">, options: { start?: number; count: number; step?: number; axis?: number }): Promise<Buffer<"i32">>;
  /** A value before and after, along an axis: [outer, n, inner] to [outer, before + n + after, inner]. By default before 0, after 0, value 0, axis 0. */
  pad(x: Operand, options?: { before?: number; after?: number; value?: number; axis?: number }): Promise<Buffer<"f32">>;
  pad(x: Operand<"i32">, options?: { before?: number; after?: number; value?: number; axis?: number }): Promise<Buffer<"i32">>;
  /** Backwards along an axis: [outer, n, inner] to [outer, n, inner]. By default axis 0. */
  flip(x: Operand, options?: { axis?: number }): Promise<Buffer<"f32">>;
  flip(x: Operand<"i32">, options?: { axis?: number }): Promise<Buffer<"i32">>;
}
