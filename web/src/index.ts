export type { AdapterInfo } from "./backends/adapter.js";
export { Buffer, ranOn } from "./buffer.js";
export * from "./errors.js";
/** @internal */
export { internal } from "./internal.js";
export type { Canvas } from "./present.js";
export type { Encoded, Recorded, Recording } from "./recording.js";
export type { Input, Output, Program, RunOptions, ShapedArray } from "./program.js";
export type { BackendName, LoadOptions, RuntimeInfo, RuntimeOptions, Shape, Source, Stats } from "./runtime.js";
export { Runtime } from "./runtime.js";
export type { Arguments, ElementsOf, Ports, PortType, Results } from "./ports.js";
export type { Elements, Type, TypedArray } from "./types.js";
