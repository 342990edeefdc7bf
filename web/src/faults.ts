/** What faults say; `hologram_web/backends/fault_text.py` says the same, and texts without a number come from there. */
import type { Job } from "./backends/device.js";
import { blocksOf } from "./backends/device.js";
import { ArtifactError, ExecutionError } from "./errors.js";
import * as isa from "./isa.gen.js";
import { ADAPTER_LOOPS, DIVISOR, FAULT_KINDS, NOTES } from "./isa.gen.js";
import type { BoundsCheck, Triple } from "./plan.js";
import { CLASS_BYTES, alignmentOf, lanesOf } from "./plan.js";
import { TYPES, type Type, bytesOf, view } from "./types.js";

/** The status words of a kernel. `at` and `base` are -1 where there is none; `base` is a place in `order`. */
export interface Status {
  kind: number;
  at: number;
  base: number;
  lane: number;
  offset: bigint;
  need: bigint;
  other: number;
}

const CHECK = ": check the index against the length";

function outside(type: Type, need: number | bigint, offset: number | bigint, memory: string, size: number | bigint): string {
  const [many, at, element] = [BigInt(need), BigInt(offset), BigInt(bytesOf(type))];
  const one = many === element && at % element === 0n;
  const index = one ? ` (index ${at / element})` : "";
  const count = one && BigInt(size) / element;
  const elements = one ? ` (${count} element${count === 1n ? "" : "s"})` : "";
  return `${need} bytes at offset ${offset}${index} are outside ${memory}, which has ${size} bytes${elements}${CHECK}`;
}

/** An index on one axis of an array, in a line such as `chk r5, x.shape1, x, 1`. */
function offAxis(line: string, index: bigint, length: bigint): string {
  const [, , array, axis] = line.split(", ");
  const wrong = index < 0n ? `is negative, and the length is ${length}` : `is beyond its length, which is ${length}`;
  return `index ${index} of axis ${axis} of ${array} ${wrong}${CHECK}`;
}

function misaligned(type: Type, offset: number | bigint, memory: string): string {
  return `${type} at offset ${offset} of ${memory} is not aligned: the offset has to be a multiple of ${alignmentOf(type)}`;
}

export const clock = (seconds: number): string =>
  `the launch did not end within ${seconds} seconds: does a loop not end? run(args, { seconds }) allows more time`;

/** The type in an instruction such as `ldg.f32 r5, [x]`. */
function typeIn(line: string): Type {
  return line.split(/\s/)[0]!.split(".").pop() as Type;
}

/** The error of an operand of a collective that does not lie in its memory, or is not aligned there. */
export function boundsOf({ type, instruction, memory }: BoundsCheck, line: string, [need, offset, size]: Triple<bigint>): ExecutionError {
  const beyond = offset < 0n || offset > size - need;
  const detail = beyond ? outside(type, need, offset, memory, size) : misaligned(type, offset, memory);
  return new ExecutionError(beyond ? "OutOfBounds" : "MisalignedAccess", instruction, `${detail}, in ${line}`, { buffer: memory, offset: Number(offset) });
}

const MEMORIES = ["buffer ", "pool ", "class ", "class memory"];

/** The error of a launch whose kernel reported a fault. `order` are the memories of the kernel as its code has them. */
export function faultOf(job: Job, order: readonly number[], status: Status, steps: number, seconds?: number): ExecutionError | ArtifactError {
  const { kernel, launch } = job;
  let kind = FAULT_KINDS[status.kind - 1]!;
  const { offset, need, other } = status;
  const lines = job.file.programs[job.program]!;
  const line = (index: number) => lines[index] ?? "";
  let { at, lane } = status;
  const lanes = blocksOf(job) * lanesOf(kernel);
  const part = launch.origin > 0; // of which at means nothing
  const within = (number: number, least: number, end: number) => number >= least && number < end;

  /** Whether a kernel can report that. */
  function possible(): boolean {
    if (!within(status.kind, 1, FAULT_KINDS.length) || need < 0n || !within(lane, -1, lanes)) return false;
    if (!((part || within(at, -1, lines.length)) && within(status.base, -1, order.length + 2))) return false;
    if (kind === "Cancelled" || kind === "StepLimit") return true;
    if (kind === "DivergentBarrier") return !part && at >= 0 && within(other, 0, lines.length) && within(Number(offset), 0, lanes);
    if (kind === "OutOfBounds" && line(at).startsWith("chk ")) return !part;
    if (kind === "MisalignedAccess" || need > 0n) return status.base >= 0 && (part || TYPES.includes(typeIn(line(at))));
    return within(other, 0, NOTES.length);
  }

  if (!possible()) {
    const told = Object.entries(status).map(([name, value]) => `${name} ${value}`);
    return new ArtifactError(`${kernel.name || "a kernel"} reports a fault that there is not (${told.join(", ")}): its code is damaged or hostile`);
  }
  let memory: string | undefined;
  let size = kernel.shared;
  if (part) at = launch.origin - 1;
  if (status.base === order.length) {
    memory = "shared memory";
  } else if (status.base === order.length + 1) {
    [memory, size] = ["local memory", other];
  } else if (order[status.base] !== undefined) {
    const place = order[status.base]!;
    const { kind: of, base } = kernel.memories[place]!;
    memory = `${MEMORIES[of]}${base}`;
    size = of === 2 ? CLASS_BYTES : job.memories[place]!.bytes;
  }
  const noted = () => NOTES[other]!.replace("{}", String(offset));
  let detail: string;
  switch (kind) {
    case "DivergentBarrier": {
      const pairs = [[at, lane], [other, Number(offset)]].sort(([a], [b]) => a! - b!) as [[number, number], [number, number]];
      const [[first, one], [second, two]] = pairs;
      const block = Math.floor(lane / lanesOf(kernel));
      detail =
        `lanes of block ${block} wait at different places: lane ${one} at instruction ${first}, ` +
        `lane ${two} at instruction ${second}; let all lanes of a block reach the same bar_sync`;
      [at, lane] = [first, one];
      break;
    }
    case "DivisionByZero":
      detail = part ? `the divisor of element ${lane} is zero` : other ? noted() : DIVISOR;
      break;
    case "StepLimit":
      detail = other // on GPUs: it has steps left, but no patience
        ? clock(seconds!)
        : at >= 0
          ? `a lane went around loops more than ${steps} times: does a loop not end?`
          : ADAPTER_LOOPS;
      break;
    case "Cancelled": // a kernel, which sees no signal, ends by the clock
      kind = "StepLimit";
      detail = clock(seconds!);
      break;
    case "MisalignedAccess": {
      detail = misaligned(typeIn(line(at)), offset, String(memory));
      break;
    }
    default:
      if (line(at).startsWith("chk ")) detail = offAxis(line(at), offset, need + (BigInt(other >>> 0) << 32n));
      else detail = need > 0n ? outside(typeIn(line(at)), need, offset, String(memory), size) : noted();
  }
  if (line(at)) detail += `, in ${line(at)}`;
  const place = memory === undefined || part ? {} : { buffer: memory, offset: Number(offset) };
  const error = new ExecutionError(kind, at < 0 ? null : at, detail, { ...(lane < 0 || (part && need) ? {} : { lane }), ...place });
  const written = lineOf(job.file.metadata["source"], job.program, at);
  if (written) error.message += `\n${(error.line = written)}`;
  return error;
}

/** The line that an instruction was written as, of what the metadata say of it; undefined where they do not. */
function lineOf(source: string | undefined, program: number, instruction: number): string | undefined {
  try {
    const [places, runs] = JSON.parse(source!)[program] as [[string, number, string][], number[]];
    let place = -1;
    for (let k = 0, left = instruction; left >= 0 && k < runs.length; k += 2) [place, left] = [runs[k]!, left - runs[k + 1]!];
    const [file, line, text] = places[place]!;
    return instruction < 0 ? undefined : `${file}:${line}: ${text}`;
  } catch {
    return undefined; // no Python, or damaged: it changes nothing
  }
}

/** The same of the words in which a kernel on a GPU reports it. */
export function gpuFault(job: Job, order: readonly number[], words: Int32Array, steps: number, seconds: number): ReturnType<typeof faultOf> {
  const word = (field: number) => words[field]!;
  const [kind, at, base, lane] = [word(isa.STATUS_KIND), word(isa.STATUS_AT), word(isa.STATUS_BASE), word(isa.STATUS_LANE)];
  const offset = view(words).getBigInt64(4 * isa.STATUS_OFFSET, true);
  return faultOf(job, order, { kind, at, base, lane, offset, need: BigInt(word(isa.STATUS_NEED) >>> 0), other: word(isa.STATUS_OTHER) >>> 0 }, steps, seconds);
}
