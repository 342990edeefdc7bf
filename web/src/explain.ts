/** Which code the launches of a run take, and why: `runtime.explain`; and how long each takes: `trace`. */
import type { Device, Job } from "./backends/device.js";
import type { Ends, GpuDevice } from "./backends/webgpu.js";
import { LaunchError, Untold, reading, telling, textOf } from "./errors.js";
import type { Formula, Values } from "./formula.js";
import { evaluate, text } from "./formula.js";
import { LAUNCH_VARIABLES, Program } from "./internal.js";
import type { Artifact, Launch, Step, Variant } from "./plan.js";
import { StepKind } from "./plan.js";
import type { Input, RunOptions } from "./program.js";
import type { Runtime } from "./runtime.js";

const SPECIAL = ["blocks.x", "blocks.y", "blocks.z", "lanes.x", "lanes.y", "lanes.z", "steps", "rounds"];
const MEMORIES = ["buffer ", "pool ", "class ", "class memory"];

function holds(condition: Formula, values: Values): boolean {
  try {
    return evaluate(condition, values) >= 0;
  } catch {
    return false; // what is not known, or leaves the range of numbers, proves nothing
  }
}

/** How people write the conditions of a kernel's shaders. */
function writer({ kernel }: Job): (condition: Formula) => string {
  const names = new Map(LAUNCH_VARIABLES.map((name, k) => [name, SPECIAL[k]!]));
  kernel.scalars.forEach(({ name }, k) => names.set(`s${k}`, name));
  kernel.memories.forEach(({ kind, base }, k) => names.set(`m${k}`, `bytes(${MEMORIES[kind]}${base})`));
  return (condition) => `${text(condition.map((token) => names.get(token as string) ?? token))} >= 0`;
}

/** What the file says of why launches are what they are: `why.*` of its metadata. */
function reasons({ steps, metadata }: Artifact): Map<Launch, string> {
  const found = new Map<Launch, string>();
  let [calls, launches] = [0, 0];
  const look = (steps: readonly Step[], of?: string): void =>
    steps.forEach((step) => {
      if (step.step === StepKind.Launch) {
        const why = [metadata[`why.launch.${launches++}`], of].filter(Boolean).join("; ");
        if (why) found.set(step, why);
      } else if (step.step === StepKind.Call) look(step.body, metadata[`why.call.${calls++}`]);
      else {
        if (/* @__KEY__ */ "body" in step) look(step.body, of);
        if (/* @__KEY__ */ "otherwise" in step) look(step.otherwise, of);
      }
    });
  look(steps);
  return found;
}

/** The shader of a launch, behind those that were looked at before, each with a condition that does not hold. */
function shaderOf(device: GpuDevice, job: Job, ends: Ends): string {
  const write = writer(job);
  const { fast, values } = device.choose(job, ends);
  const lines: string[] = [];
  const { kernel, variant } = job.launch;
  const others = (job.kernel.wgsl as readonly Variant[])[variant - 1]!.fast;
  if (!others.length) {
    const why = job.file.metadata[`why.webgpu.${kernel}.${variant - 1}`];
    return `one shader, with checks: ${why ?? "the file has no other, and does not say why"}`;
  }
  for (const each of others) {
    const name = `the shader without needless checks${each.blocks > 1 ? ` of ${each.blocks} blocks a workgroup` : ""}`;
    if (each === fast) return [...lines, `${name}, ${each.conditions.length ? "as " : "always"}${each.conditions.map(write).join(" and ")}`].join("; ");
    const open = each.conditions.filter((condition) => !holds(condition, values));
    lines.push(`not ${name}, as not ${open.map(write).join(" and not ")}`);
  }
  return [...lines, "the shader with checks"].join("; ");
}

/** The module of a launch. What of it is checked each block finds out. */
function moduleOf({ threads }: Device, { file, kernel, launch }: Job): string {
  const { relaxed } = kernel.wasm as Exclude<typeof kernel.wasm, string>;
  const fits = relaxed >= 0 && WebAssembly.validate(file.modules[relaxed] as BufferSource);
  const module = relaxed < 0 ? "the module" : fits ? "the module with relaxed SIMD" : "the exact module, as the engine has no relaxed SIMD";
  const alone = kernel.parallel === false ? "on one thread, as its blocks are not independent" : `on ${threads!.number} threads at most, as ${threads!.reason}`;
  const why = file.metadata[`why.wasm.${launch.kernel}`];
  return `${module}${why ? `, lanes one after another, because ${why}` : ""}, ${alone}; each block checks what it cannot prove`;
}

/** A launch of a run: times are milliseconds. What is in quotes here the minifier does not rename. */
export interface Span {
  /** The kernel's. */
  readonly name: string;
  readonly lanes: readonly number[];
  readonly blocks: readonly number[];
  /** Of its memories, each once. */
  readonly bytes: number;
  /** Since the run began. */
  readonly start: number;
  /** Until it was waited for. */
  readonly milliseconds: number;
  /** By the clock of the GPU; null on WebAssembly, and where the adapter has no `timestamp-query`. */
  readonly gpuMilliseconds: number | null;
  /** Which code it took, and why, as `runtime.explain` says it. */
  readonly code: string;
}

export interface Trace {
  readonly device: string;
  /** Why the spans have no `gpuMilliseconds`, if they have none. */
  readonly note: string | null;
  readonly spans: readonly Span[];
}

const NO_CLOCK = "the adapter has no timestamp-query to time it";
/** Among the arguments: where spans go. Nobody else looks for symbols there. */
const SPANS = Symbol("spans");

/**
 * Runs a program as `runtime.explain` does, and tells its launches, each of which is waited for. Raises what that raises. What
 * is traced is one run: code is made before.
 */
export const trace = (runtime: Runtime, program: Program, args: Record<string, Input>, options: Pick<RunOptions, "steps" | "seconds"> = {}): Promise<Trace> =>
  telling(async () => {
    if (typeof reading("the runtime", () => runtime?.explain) !== "function") throw new LaunchError(`trace takes a Runtime first, not ${textOf(runtime)}`);
    const spans: Span[] = [];
    await runtime.explain(program, reading("the arguments", () => ({ ...args, [SPANS]: spans }) as unknown as Record<string, Input>), options);
    const { selected, device } = runtime.info;
    const note = selected !== "webgpu" ? "WebAssembly runs on no GPU" : spans.every(({ gpuMilliseconds }) => gpuMilliseconds === null) ? NO_CLOCK : null;
    return { device, note, spans };
  });

/** The events of a trace that chrome://tracing and Perfetto show, to be written as JSON. */
export const chromeEvents = ({ device, spans }: Trace): { traceEvents: object[]; displayTimeUnit: "ms" } => ({
  traceEvents: [
    { ph: "M", name: "process_name", pid: 0, args: { name: device } },
    ...spans.map(({ name, "lanes": lanes, bytes, start, milliseconds, gpuMilliseconds, code }) => {
      const args = { "lanes": lanes.reduce((all, each) => all * each), bytes, code, ...(gpuMilliseconds === null ? {} : { gpu_ms: gpuMilliseconds }) };
      return { ph: "X", name, cat: "launch", pid: 0, tid: 0, ts: 1000 * start, dur: 1000 * milliseconds, args };
    }),
  ],
  displayTimeUnit: "ms",
});

/** Runs a program, and gives a line with the device and one for each launch. In the runtime's turn. */
export async function explain(runtime: Runtime, program: Program, args: Record<string, Input>, ends: Ends): Promise<string> {
  if (!reading("the program", () => program instanceof Program)) throw new LaunchError("what is explained is a program of the runtime");
  if (program.runtime !== runtime) throw new Untold("otherRuntime");
  const device = await runtime.device();
  await program.prepare(device);
  const bound = program.bind(device, args, { ...ends, output: "array" });
  const begin = () => device.run(ends.steps, ends.signal, ends.seconds);
  let run = begin();
  const lines = [`on ${runtime.info.device}`];
  const spans = (args as { [SPANS]?: Span[] })[SPANS];
  const clock = () => (device as GpuDevice).clocked;
  let whys: Map<Launch, string> | undefined;
  const end = async () => {
    await run.finish([]);
    run = begin();
  };
  const began = performance.now();
  try {
    await bound.record({
      launch: async (job) => {
        const onGpu = device.backend === "webgpu";
        const why = (whys ??= reasons(job.file)).get(job.launch);
        const code = `${onGpu ? shaderOf(device as GpuDevice, job, ends) : moduleOf(device, job)}${why ? `; ${why}` : ""}`;
        if (onGpu) await end(); // alone, so that the clock of the GPU counts it alone
        const [start, before] = [performance.now(), clock()];
        await run.launch(job);
        if (onGpu) await end();
        const milliseconds = performance.now() - start;
        const gpuMilliseconds = before === undefined ? null : clock()! - before;
        const timed = !onGpu ? "" : gpuMilliseconds === null ? `; ${NO_CLOCK}` : `; ${gpuMilliseconds.toFixed(3)} ms by the GPU's clock`;
        lines.push(`${job.kernel.name}: ${job.lanes.join(" x ")} lanes in ${job.grid.join(" x ")} blocks: ${code}${timed}`);
        const bytes = [...new Set(job.memories)].reduce((sum, memory) => sum + memory.bytes, 0);
        spans?.push({ name: job.kernel.name, "lanes": job.lanes, "blocks": job.grid, bytes, start: start - began, milliseconds, gpuMilliseconds, code });
      },
      copy: (...given) => run.copy(...given),
      finish: (...given) => run.finish(...given),
    });
    await run.finish([]);
  } finally {
    bound.release();
  }
  return lines.join("\n");
}
