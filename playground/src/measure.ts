/** Runs a program on devices, in turn, so that what else the machine does meets all of them. */
import { Runtime } from "../../web/src/index.js";
import type { Buffer, Program } from "../../web/src/index.js";
import { arrayOf } from "../../web/src/types.js";
import type { Device, Input, Order, Report, Result } from "./protocol.js";
import { told } from "./words.js";

const MOST_RUNS = 31;
const LEAST_RUNS = 3;
const MILLISECONDS = 1500; // for each device, if that is enough for the least runs

/** A device with the program on it. */
class Way {
  readonly report: Report;
  private runtime!: Runtime;
  private program!: Program;
  private args: Record<string, Buffer | number | bigint> = {};
  private written: Buffer[] = [];
  private names: string[] = [];
  /** What has to be as before each run: arrays that are read and written. */
  private restored: [Buffer, Input][] = [];

  constructor(device: Device) {
    this.report = { device, label: device === "wasm" ? "WebAssembly" : "WebGPU", results: [], times: [], first: 0, steady: true };
  }

  /** Compiles and runs it for the first time, with what the results are. */
  async start({ file, inputs }: Order): Promise<void> {
    const { report } = this;
    this.runtime = await Runtime.create({ backend: report.device });
    report.label = labelOf(this.runtime);
    this.program = await this.runtime.load(file);
    const ports = new Map(this.program.ports.map((port) => [port.name, port]));
    for (const input of inputs) {
      const { name, type, value, shape, bytes } = input;
      if (shape === undefined) {
        this.args[name] = value!;
        continue;
      }
      const buffer = bytes ? this.runtime.buffer(type, arrayOf(type, bytes), { shape }) : this.runtime.buffer(type, { shape });
      this.args[name] = buffer;
      if (ports.get(name)?.access === "read_write") this.restored.push([buffer, input]);
    }
    const started = performance.now();
    const found = await this.program.run(this.args, { output: "buffer" });
    const named = (wanted: string): string[] => this.program.ports.filter(({ access }) => access === wanted).map(({ name }) => name);
    this.names = [...named("write"), ...named("read_write")]; // what a program is for comes first
    for (const name of this.names) this.args[name] ??= this.names.length === 1 ? found : found[name];
    this.written = this.names.map((name) => this.args[name] as Buffer);
    report.results = await this.read();
    report.first = performance.now() - started;
  }

  /** Runs it again, from the arrays on the device until the results are back. */
  async again(): Promise<void> {
    for (const [buffer, { type, bytes }] of this.restored) {
      await buffer.write(arrayOf(type, bytes ?? new Uint8Array(buffer.nbytes)));
    }
    const started = performance.now();
    const run = this.program.run(this.args, { output: "buffer" });
    const [, ...bytes] = await Promise.all([run, ...this.written.map((buffer) => buffer.bytes())]);
    this.report.times.push(performance.now() - started);
    this.report.steady &&= bytes.every((found, k) => same(found, this.report.results[k]!.bytes));
  }

  private async read(): Promise<Result[]> {
    const bytes = await Promise.all(this.written.map((buffer) => buffer.bytes()));
    return this.written.map((buffer, k) => ({ name: this.names[k]!, type: buffer.dtype, shape: [...buffer.shape], bytes: bytes[k]! }));
  }

  async close(): Promise<void> {
    await (this.runtime as Runtime | undefined)?.close();
  }

  fail(error: unknown): void {
    this.report.failure = told(error);
    const { line } = error as { line?: unknown };
    const found = /\bprogram\.py:(\d+)/.exec(typeof line === "string" ? line : this.report.failure);
    if (found) this.report.line = Number(found[1]);
  }
}

export const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, k) => byte === b[k]);

/** The device and its adapter in words; a program that stands in for a GPU is called software. */
function labelOf({ info, threads }: Runtime): string {
  if (info.selected === "wasm") return `WebAssembly, ${threads?.number ?? 1} thread${threads && threads.number > 1 ? "s" : ""}`;
  const { adapter } = info;
  const name = [adapter?.vendor, adapter?.architecture, adapter?.description].filter(Boolean).join(" ") || "an adapter without a name";
  return `WebGPU on ${name}${adapter?.real === false ? " (software, no GPU)" : ""}`;
}

/** Reports of all devices, in their order. */
export async function measure(order: Order, tell: (doing: string) => void): Promise<Report[]> {
  const ways = order.devices.map((device) => new Way(device));
  const going = new Set<Way>();
  for (const way of ways) {
    tell(`${way.report.label}: compiling, and the first run`);
    try {
      await way.start(order);
      going.add(way);
    } catch (error) {
      way.fail(error);
    }
  }
  for (let round = 0; round < MOST_RUNS && going.size; round++) {
    for (const way of going) {
      const spent = way.report.times.reduce((sum, time) => sum + time, 0);
      if (round >= LEAST_RUNS && spent > MILLISECONDS) continue;
      tell(`${way.report.label}: run ${round + 1}`);
      try {
        await way.again();
      } catch (error) {
        way.fail(error);
        going.delete(way);
      }
    }
  }
  await Promise.all(ways.map((way) => way.close().catch(() => {})));
  return ways.map((way) => way.report);
}
