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
  add: ["a", "b"],
  sub: ["a", "b"],
  mul: ["a", "b"],
  div: ["a", "b"],
  pow: ["a", "b"],
  min: ["a", "b"],
  max: ["a", "b"],
  atan2: ["a", "b"],
  rem: ["a", "b"],
  matmul: ["a", "b"],
  linear: ["x", "weight", "bias"],
  batch_matmul: ["a", "b"],
  softmax: ["x"],
  log_softmax: ["x"],
  layer_norm: ["x", "gamma", "beta"],
  rms_norm: ["x", "gamma"],
  conv2d: ["x", "weight"],
  conv2d_same: ["x", "weight"],
  max_pool2d: ["x"],
  avg_pool2d: ["x"],
  attention: ["q", "k", "v"],
  causal_attention: ["q", "k", "v"],
  cum_sum: ["x"],
  sort: ["x"],
  arg_max: ["x"],
  arg_min: ["x"],
  sum: ["x"],
  mean: ["x"],
  amax: ["x"],
  amin: ["x"],
  transpose: ["x"],
  gather: ["x", "indices"],
} as const;

/** Sizes in brackets are those of the arrays. */
export interface Operations {
  /** Abs of each element: [n] to [n]. */
  abs(x: Operand): Promise<Buffer<"f32">>;
  /** Neg of each element: [n] to [n]. */
  neg(x: Operand): Promise<Buffer<"f32">>;
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
  /** Add, element by element: [n], [n] to [n]. */
  add(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Sub, element by element: [n], [n] to [n]. */
  sub(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Mul, element by element: [n], [n] to [n]. */
  mul(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Div, element by element: [n], [n] to [n]. */
  div(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Pow, element by element: [n], [n] to [n]. */
  pow(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Min, element by element: [n], [n] to [n]. */
  min(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Max, element by element: [n], [n] to [n]. */
  max(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Atan2, element by element: [n], [n] to [n]. */
  atan2(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Rem, element by element: [n], [n] to [n]. */
  rem(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** The product of two matrices; axes in front of the last are rows of a: [m, k], [k, n] to [m, n]. */
  matmul(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** X times weight transposed, plus bias: [rows, k], [n, k], [n] to [rows, n]. */
  linear(x: Operand, weight: Operand, bias: Operand): Promise<Buffer<"f32">>;
  /** Products of as many matrices: [batch, m, k], [batch, k, n] to [batch, m, n]. */
  batch_matmul(a: Operand, b: Operand): Promise<Buffer<"f32">>;
  /** Softmax along the last axis: [rows, n] to [rows, n]. */
  softmax(x: Operand): Promise<Buffer<"f32">>;
  /** Its logarithm: [rows, n] to [rows, n]. */
  log_softmax(x: Operand): Promise<Buffer<"f32">>;
  /** Rows along the last axis with mean 0 and variance 1, scaled and shifted: [rows, n], [n], [n] to [rows, n]. */
  layer_norm(x: Operand, gamma: Operand, beta: Operand, options?: { eps?: number }): Promise<Buffer<"f32">>;
  /** Rows along the last axis by their root mean square, scaled: [rows, n], [n] to [rows, n]. */
  rms_norm(x: Operand, gamma: Operand, options?: { eps?: number }): Promise<Buffer<"f32">>;
  /** NCHW and OIHW, where the kernel lies within the image: [batch, channels, h, w], [filters, channels, kh, kw] to [batch, filters, h - kh + 1, w - kw + 1]. */
  conv2d(x: Operand, weight: Operand): Promise<Buffer<"f32">>;
  /** 3 x 3 with zeros around: as large as x: [batch, channels, h, w], [filters, channels, 3, 3] to [batch, filters, h, w]. */
  conv2d_same(x: Operand, weight: Operand): Promise<Buffer<"f32">>;
  /** The greatest of 2 x 2, NCHW: [batch, channels, h, w] to [batch, channels, h // 2, w // 2]. */
  max_pool2d(x: Operand): Promise<Buffer<"f32">>;
  /** The mean of 2 x 2, NCHW: [batch, channels, h, w] to [batch, channels, h // 2, w // 2]. */
  avg_pool2d(x: Operand): Promise<Buffer<"f32">>;
  /** Softmax(q k^T / sqrt(d)) v for each batch and head: [batch, heads, queries, d], [batch, heads, keys, d], [batch, heads, keys, d] to [batch, heads, queries, d]. */
  attention(q: Operand, k: Operand, v: Operand): Promise<Buffer<"f32">>;
  /** A query sees the keys up to its own: [batch, heads, queries, d], [batch, heads, keys, d], [batch, heads, keys, d] to [batch, heads, queries, d]. */
  causal_attention(q: Operand, k: Operand, v: Operand): Promise<Buffer<"f32">>;
  /** Running sums along the last axis: [rows, n] to [rows, n]. */
  cum_sum(x: Operand): Promise<Buffer<"f32">>;
  /** Sorted along the last axis: [rows, n] to [rows, n]. */
  sort(x: Operand): Promise<Buffer<"f32">>;
  /** Where each row is greatest: [rows, n] to [rows]. */
  arg_max(x: Operand): Promise<Buffer<"i32">>;
  /** Where each row is least: [rows, n] to [rows]. */
  arg_min(x: Operand): Promise<Buffer<"i32">>;
  /** The sum of each row: [rows, n] to [rows]. */
  sum(x: Operand): Promise<Buffer<"f32">>;
  /** The mean of each row: [rows, n] to [rows]. */
  mean(x: Operand): Promise<Buffer<"f32">>;
  /** The greatest of each row: [rows, n] to [rows]. */
  amax(x: Operand): Promise<Buffer<"f32">>;
  /** The least of each row: [rows, n] to [rows]. */
  amin(x: Operand): Promise<Buffer<"f32">>;
  /** A matrix with its rows as columns: [rows, n] to [n, rows]. */
  transpose(x: Operand): Promise<Buffer<"f32">>;
  /** Rows by their indices: [rows, n], [count] to [count, n]. */
  gather(x: Operand, indices: Operand): Promise<Buffer<"f32">>;
}
