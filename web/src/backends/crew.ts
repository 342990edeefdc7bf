/**
 * Threads that share the blocks of a launch: workers in wasm/crew.wat, which says what they do and what lies in its words,
 * and who launches. It may be the thread of a page, which must not sleep: it takes blocks in parts, has its turns between
 * them, and waits for the others by a promise.
 */
import { CODE } from "../crew.gen.js";
import { Untold } from "../errors.js";
import * as isa from "../isa.gen.js";
import { checkSignal } from "./device.js";
import { LONG_MS, PART_MS, SCRATCH, now } from "./pace.js";
import type { Call, Code, WasmDevice } from "./wasm.js";

// Bytes of the crew's words and of a worker's slot; words of the one and of the other.
const [WORDS, SLOT] = [192, 64];
const [CALLS, END, ENDING, FAILED, NEXT, ACTIVE] = [1, 2, 9, 10, 16, 32];
const [KNOWN, TAKEN] = [3, 6];
const OPEN = -(2 ** 31);
const LEAST_MS = 0.004; // that a part takes at least
const SPIN_MS = 0.2; // until who waits sleeps
const LOOK_MS = 20; // between two looks of one who sleeps at what may end the launch
const START_MS = 5000; // for workers to start
const GRACE_MS = 2000; // for workers that were told to end
const TRIAL_MS = [20, 500]; // of a launch that is tried on one thread, without and with atomics
const TRIED = 32; // launches after which what was slower has another turn, at most

/** A worker: as text, so that pages and bundlers need no other file. Kernels that trap, which none does, end a launch by 2. */
const SOURCE = `
let own, env, words, place;
const take = ([module, memory, crew, slot, calls, kernels]) => {
  if (module) {
    own = new WebAssembly.Instance(module, { env: { memory, look() {} } }).exports;
    env = { memory, poll() { own.poll(); } };
    words = new Int32Array(memory.buffer);
    place = slot / 4;
  }
  for (const kernel of kernels) {
    const known = words[place + 3];
    if (known >= own.kernels.length) own.kernels.grow(64);
    own.kernels.set(known, new WebAssembly.Instance(kernel, { env }).exports.kernel);
    words[place + 3]++;
  }
  words[place + 5] = calls;
  for (;;) {
    try {
      return own.work(crew, slot);
    } catch {
      words[crew / 4 + ${FAILED}] = 2;
      Atomics.store(words, crew / 4 + ${NEXT}, words[crew / 4 + ${END}]);
      own.leave(crew);
    }
  }
};
if (typeof require === "function") require("worker_threads").parentPort.on("message", take);
else onmessage = ({ data }) => take(data);
`;

/** A worker of pages or of Node. */
interface Thread {
  postMessage(message: unknown): void;
  terminate(): unknown;
}

const REFUSED = "it could not be started: a content security policy has to have worker-src blob:";
let address: string | undefined; // of the source

function start(failed: (error: unknown) => void): Thread {
  const { Worker, process } = globalThis as any;
  const node = process?.getBuiltinModule?.("worker_threads");
  if (node) {
    const worker = new node.Worker(SOURCE, { eval: true, name: "hologram-web" });
    worker.on("error", failed);
    worker.unref();
    return worker;
  }
  const worker = new Worker((address ??= URL.createObjectURL(new Blob([SOURCE], { type: "text/javascript" }))), { name: "hologram-web" });
  worker.onerror = (event: ErrorEvent) => {
    event.preventDefault?.();
    failed(event.message || REFUSED);
  };
  return worker;
}

/** Sleeps until a word is another one, but not long. The timer keeps Node alive. */
async function asleep(words: Int32Array, place: number, value: number): Promise<void> {
  const heard = (Atomics as any).waitAsync?.(words, place, value, LOOK_MS);
  if (heard && !heard.async) return;
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, heard ? LOOK_MS : 0)));
  await Promise.race([late, ...(heard ? [heard.value] : [])]);
  clearTimeout(timer);
}

const ends = new FinalizationRegistry<Thread[]>((threads) => threads.forEach((thread) => thread.terminate()));

/** What a worker has for itself: its slot, and memory of a launch. */
interface Own {
  readonly slot: number;
  at: number;
  size: number;
}

export class Crew {
  private readonly at: number;
  private readonly workers: Own[];
  private readonly share: number; // log2 of how many parts are made of what is left
  private readonly kernels: WebAssembly.Module[] = [];
  private given = 0; // kernels that the workers have or will have
  private calls = 0;
  private readonly threads: Thread[] = [];
  private alone = false; // the launch that runs, because of what was measured
  /** Whether others are to help with it. */
  wanted = false;
  private started = 0;
  private leads = false;

  constructor(private readonly device: WasmDevice) {
    const { arena, threads } = device;
    const room = (bytes: number): number => {
      const at = arena.allocate(bytes);
      arena.bytes.fill(0, at, at + bytes);
      return at;
    };
    this.at = room(WORDS);
    this.workers = Array.from({ length: threads.number - 1 }, () => {
      const slot = room(SLOT);
      const scratch = arena.allocate(SCRATCH);
      arena.words[(slot >>> 2) + 2] = scratch;
      return { slot, at: 0, size: 0 };
    });
    this.share = 2 + Math.ceil(Math.log2(threads.number + 1));
    ends.register(device, this.threads);
  }

  /** Whether others are to help with a launch of which so many blocks took so long: whether it is long enough, and was no slower so. */
  wants({ code, blocks }: Call, begin: number, ms: number): boolean {
    if (begin) return (this.wanted = !this.alone && ms > LONG_MS / 2 && (ms / begin) * (blocks - begin) > LONG_MS);
    const { alone, together } = code;
    const isLong = blocks * (alone || together) > LONG_MS;
    // What is short, but takes longer this time, as others have the processor, is not shared either if that was slower.
    this.alone = isLong ? this.isBetterAlone(code, blocks) : alone > 0 && together > alone;
    return (this.wanted = isLong && !this.alone);
  }

  /**
   * More threads are slower where atomics meet on few words, and where others have the processors. What is not too long is
   * tried alone once. What was slower has another turn soon, as its workers may have been starting or late, and then ever
   * later.
   */
  private isBetterAlone(code: Code, blocks: number): boolean {
    const { alone, together, atomic } = code;
    if (!alone) return together * blocks < TRIAL_MS[Number(atomic)]!;
    const better = together > alone;
    const turn = (code.turns = better || atomic ? code.turns + 1 : 0);
    // Workers that sleep come late to the first launch, and what it takes says little: the second counts. (A softmax went on
    // alone by one look in two, 0.88 ms in place of 0.55.)
    const since = Math.min(turn % TRIED, turn - (1 << (31 - Math.clz32(turn))));
    return better !== (turn > 1 && since < 2);
  }

  /** Keeps how long blocks took: what else the machine does makes it longer, so that less is believed at once. */
  took(code: Code, blocks: number, ms: number, together: boolean): void {
    const known = together ? code.together : code.alone;
    let pace = ms / blocks;
    if (known > 0 && known < pace) pace = (known + pace) / 2;
    if (together) code.together = pace;
    else code.alone = pace;
  }

  /**
   * Runs a launch from a block on with all who are there. `isLate` says whether the page is to have its turn, which `pause`
   * gives it, and raises what ends the launch; `pause` does, too. Raises ExecutionError, untold.
   */
  async lead(
    call: Call,
    from: number,
    until: number,
    isLate: (time: number) => boolean,
    pause: () => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { device } = this;
    const { arena } = device;
    const { at, head, size, blocks, code } = call;
    const started = now();
    const pace = code.together || code.alone;
    for (const worker of this.workers) {
      if (worker.size < size) {
        if (worker.size) arena.free(worker.at, worker.size);
        worker.size = 0;
        worker.at = arena.allocate(size);
        worker.size = size;
      }
      const [words, place] = [arena.words, worker.at >>> 2];
      words.set([worker.at, worker.at + head], worker.slot >>> 2);
      words.fill(0, place, place + isa.WASM_GRID / 4);
    }
    const { words } = arena;
    const crew = this.at >>> 2;
    const [next, active] = [crew + NEXT, crew + ACTIVE];
    const taken = (): number => this.workers.reduce((sum, { slot }) => sum + words[(slot >>> 2) + TAKEN]!, 0);
    const before = taken();
    if (code.number < 0) code.number = this.kernels.push(code.module) - 1;
    const least = pace ? Math.max(Math.min(Math.floor(LEAST_MS / pace), blocks), 1) : 1;
    words.set([blocks, least, this.share, code.number, at, head, at + head, 0, 0], crew + END);
    this.leads = true;
    this.give(code.number);
    Atomics.store(words, next, from);
    Atomics.store(words, active, OPEN);
    this.wake(words);

    let ended: { readonly error: unknown; readonly time: number } | undefined;
    const end = (error?: unknown): void => {
      if (error) ended ??= { error, time: now() };
      for (const worker of this.workers) words[(worker.at + isa.WASM_CANCEL) >>> 2] = 1; // for kernels that do not ask
      Atomics.store(words, crew + ENDING, 1);
      Atomics.store(words, next, blocks);
    };
    let most = pace ? Math.max(Math.floor(PART_MS / pace), 1) : 1;
    try {
      // They start when the page has had its turn, in some browsers; but it does not wait for one that never comes.
      if (now() - this.started < START_MS && this.workers.some(({ slot }) => !words[(slot >>> 2) + KNOWN])) await pause();
      for (;;) {
        const time = now();
        if (isLate(time)) await pause();
        let begin = Atomics.load(words, next) >>> 0;
        if (begin >= blocks) break;
        const part = Math.max(Math.min((blocks - begin) >>> this.share, most), least);
        begin = Atomics.add(words, next, part) >>> 0;
        if (begin >= blocks) break;
        device.enter(call, begin, Math.min(begin + part, blocks), time, until, 0);
        if (words[at >>> 2]) {
          words[crew + FAILED] = 1;
          if (words[(at + isa.WASM_CANCEL) >>> 2]! > 0) end();
          else Atomics.store(words, next, blocks);
        }
        const ms = now() - time;
        if (ms < PART_MS / 2) most *= 2;
        else if (ms > PART_MS) most = Math.max(most >>> 1, 1);
      }
    } catch (error) {
      end(error);
    }
    Atomics.and(words, active, ~OPEN);
    for (const waits = now(); ; ) {
      const others = Atomics.load(words, active);
      if (!others) break;
      const time = now();
      if (time - waits < SPIN_MS) continue;
      try {
        checkSignal(signal);
        isLate(time);
      } catch (error) {
        end(error);
      }
      if (ended && time - ended.time > GRACE_MS) {
        this.fail("one did not end when it was told to");
        break;
      }
      await asleep(words, active, others);
    }
    this.leads = false;
    if (device.threads.number === 1) this.close();
    if (ended) throw ended.error;
    if (words[crew + FAILED]! > 1) throw new Untold("trapped", call.name, "in a worker");
    if (words[crew + FAILED]) throw this.fault(call);
    this.took(code, blocks - from, now() - started, taken() > before);
  }

  /** The fault of the first lane that has one, as on one thread; that it was told to end goes before. */
  private fault(call: Call): Error {
    const { words, bytes } = this.device.arena;
    const blocks = [call, ...this.workers].map(({ at }) => at).filter((at) => words[at >>> 2]);
    const lane = (at: number) => words[(at + isa.WASM_LANE) >>> 2]!;
    const first = blocks.reduce((one, other) => (lane(other) < lane(one) ? other : one));
    for (const [start, end] of [[isa.WASM_KIND, isa.WASM_GRID], [isa.WASM_NEED, isa.WASM_VALUES]] as const) {
      bytes.copyWithin(call.at + start, first + start, first + end);
    }
    return call.fault();
  }

  private wake(words: Int32Array): void {
    Atomics.add(words, this.at >>> 2, 1);
    Atomics.notify(words, this.at >>> 2);
  }

  /** Lets the workers have a kernel, if they have not: starts them, or calls them out of WebAssembly to hear of it. */
  private give(number: number): void {
    if (number < this.given || this.device.threads.number === 1) return;
    const kernels = this.kernels.slice(this.given);
    const { memory, words } = this.device.arena;
    this.given = this.kernels.length;
    if (this.threads.length) {
      this.calls++;
      this.threads.forEach((thread, k) => thread.postMessage([null, null, this.at, this.workers[k]!.slot, this.calls, kernels]));
      Atomics.store(words, (this.at >>> 2) + CALLS, this.calls);
      this.wake(words);
      return;
    }
    const code = Uint8Array.from(CODE.match(/../g)!, (digits) => parseInt(digits, 16));
    const module = new WebAssembly.Module(code);
    const crew = new WeakRef(this);
    this.started = now();
    try {
      for (const { slot } of this.workers) {
        const thread = start((error) => crew.deref()?.fail(`${error}`));
        this.threads.push(thread);
        thread.postMessage([module, memory, this.at, slot, 0, kernels]);
      }
    } catch (error) {
      this.fail(`${error}`);
    }
  }

  /** Goes on with one thread. */
  private fail(why: string): void {
    this.device.threads = { number: 1, reason: `workers cannot be had: ${why}` };
    if (!this.leads) this.close();
  }

  close(): void {
    for (const thread of this.threads.splice(0)) void thread.terminate();
  }
}
