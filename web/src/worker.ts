/** A worker of a pool: see pool.ts. It is a file of its own, which bundlers find by its address. */
import { Runtime } from "./index.js";
import type { Order, PoolResult, Reply } from "./pool.js";

type Port = { postMessage(message: Reply, transfer: ArrayBuffer[]): void };

let runtime: Promise<Runtime> | undefined;
const programs = new Map<string, ReturnType<Runtime["load"]>>();

const FIELDS = ["name", "message", "stack", "kind", "instruction", "detail", "lane", "buffer", "offset", "line", "backend", "reason"];

async function answer({ create, source, args, options }: Order): Promise<Partial<Reply>> {
  if (create) return { info: (await (runtime = Runtime.create(create))).info };
  const made = await runtime!;
  let program = typeof source === "string" ? programs.get(source) : undefined;
  if (!program) {
    program = made.load(source!);
    if (typeof source === "string") {
      programs.set(source, program);
      program.catch(() => programs.delete(source));
    }
  }
  const loaded = await program;
  try {
    return { result: (await loaded.run(args!, options)) as PoolResult };
  } finally {
    if (typeof source !== "string") loaded.dispose();
  }
}

async function work(port: Port, order: Order): Promise<void> {
  let reply: Partial<Reply>;
  try {
    reply = await answer(order);
  } catch (error) {
    const found = error as Record<string, unknown>;
    const fields = FIELDS.filter((field) => found[field] !== undefined).map((field) => [field, found[field]]);
    reply = { error: Object.fromEntries(fields) };
  }
  const { result = {} } = reply;
  const arrays = ArrayBuffer.isView(result) ? [result] : Object.values(result).filter(ArrayBuffer.isView);
  port.postMessage({ number: order.number, ...reply }, arrays.map(({ buffer }) => buffer as ArrayBuffer));
}

const { process } = globalThis as any;
const parent = process?.getBuiltinModule?.("node:worker_threads").parentPort;
if (parent) parent.on("message", (order: Order) => void work(parent, order));
else globalThis.onmessage = ({ data }: MessageEvent<Order>) => void work(globalThis as unknown as Port, data);
