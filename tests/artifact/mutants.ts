// Reads and runs the mutants that tests/artifact/mutants.py sends: u32 length, u8 whether to run, bytes. Answers are lines
// of JSON: one of the reading, and one of the run if there is one.
import { readSync, writeSync } from "node:fs";
import { readArtifact } from "../../web/src/artifact.js";
import { check } from "../../web/src/values.js";
import { HologramError, Untold } from "../../web/src/errors.js";
import { evaluate } from "../../web/src/formula.js";
import { checkModules } from "../../web/src/modules.js";
import type { Artifact } from "../../web/src/plan.js";
import { Runtime } from "../../web/src/runtime.js";
import { arrayOf, bytesOf, isFloat } from "../../web/src/types.js";

const MOST = 64;
const DEADLINE = 500; // milliseconds, as in mutants_run.py

function take(count: number): Uint8Array | null {
  const found = new Uint8Array(count);
  for (let at = 0; at < count; ) {
    const more = readSync(0, found, at, count - at, null);
    if (more === 0) return null;
    at += more;
  }
  return found;
}

const say = (answer: object) => writeSync(1, `${JSON.stringify(answer)}\n`);

async function told(error: unknown): Promise<{ name: string; text: string; typed: boolean }> {
  const found = error instanceof Untold ? await error.told() : error;
  const typed = found instanceof HologramError && found.message.length < 5000;
  return typed ? { name: found.name, text: found.message, typed } : { name: "untyped", text: String(found), typed };
}

/** Small arguments for the ports. */
function argumentsOf({ ports }: Artifact): Record<string, unknown> {
  const values = new Map(ports.map(({ name, access }) => [name, access === "scalar" ? 3 : 4]));
  const given = ports.map(({ name, type, access, shape }) => {
    if (access === "scalar") return [name, isFloat(type) ? 0.5 : 3];
    const lengths = shape.map((formula) => {
      for (const token of formula) if (typeof token === "string" && !values.has(token)) values.set(token, 4);
      try {
        return Math.min(Math.max(evaluate(formula, values), 0), MOST);
      } catch {
        return 1;
      }
    });
    const elements = Math.min(lengths.reduce((product, length) => product * length, 1), 1 << 20);
    return [name, { data: arrayOf(type, new Uint8Array(elements * bytesOf(type))), shape: lengths }];
  });
  return Object.fromEntries(given);
}

let runtime: Runtime | null = null;
for (;;) {
  const head = take(5);
  if (!head) break;
  const raw = take(new DataView(head.buffer).getUint32(0, true))!;
  let file: Artifact | null = null;
  let refusal: { name: string; text: string } | null = null;
  const before = process.cpuUsage();
  try {
    file = readArtifact(raw);
    checkModules(file.modules);
    if (file.computed) check(file);
  } catch (error) {
    refusal = await told(error);
  }
  const { user, system } = process.cpuUsage(before);
  say({ refusal: refusal?.name ?? null, text: refusal?.text ?? "", seconds: (user + system) / 1e6 });
  if (refusal || !head[4]) continue;
  const start = process.cpuUsage();
  let ended = { name: "a result", text: "", typed: true };
  try {
    runtime ??= await Runtime.create({ backend: "wasm" });
    const program = await runtime.load(raw);
    await program.run(argumentsOf(file!) as never, { steps: 10_000, signal: AbortSignal.timeout(DEADLINE) });
    program.dispose();
  } catch (error) {
    ended = await told(error);
  }
  const spent = process.cpuUsage(start);
  say({ answer: `${ended.name}: ${ended.text}`, typed: ended.typed, seconds: (spent.user + spent.system) / 1e6 });
}
