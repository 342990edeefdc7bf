/** The two workers as the page sees them: one has Python, the other runs programs. Both can be ended at any time. */
import type { Answer, Compiled, Looked, News, Order, Report } from "./protocol.js";

const SECONDS = 15; // that a program may take until it is compiled

const startWorker = (name: string): Worker => new Worker(new URL(name, import.meta.url), { type: "module" });

/** An answer with the text that was compiled for it. */
export interface Told {
  answer: Answer;
  text: string | null;
}

interface Waiting {
  text: string | null;
  look: Looked | null;
  done(told: Told | null): void;
}

/**
 * Python. One question is with the worker at a time; of those that wait only the newest is kept, the others are answered
 * by null.
 */
export class Python {
  private worker!: Worker;
  private asked: Waiting | null = null;
  private next: Waiting | null = null;
  private count = 0;
  private clock: ReturnType<typeof setTimeout> | undefined;
  private open = false;
  /** Why no worker can be started. */
  private broken: string | null = null;

  /** `ready` is called when Python is there, at first and after it was ended. */
  constructor(private readonly ready: (there: boolean) => void) {
    this.start();
  }

  private start(): void {
    this.open = false;
    this.broken = null;
    this.ready(false);
    this.worker = startWorker("python.js");
    this.worker.onmessage = ({ data }: MessageEvent<Answer | null>) => {
      if (data === null) {
        this.open = true;
        this.ready(true);
        if (this.asked) this.watch();
      } else if (data.id === this.count) this.end(data);
    };
    this.worker.onerror = (event) => {
      this.broken = event.message || "the worker with Python cannot be started";
      this.end(this.failure(""));
    };
  }

  /** Runs a text, and looks at code of it; or only looks. */
  ask(text: string | null, look: Looked | null): Promise<Told | null> {
    return new Promise((done) => {
      const before = this.next;
      before?.done(null);
      this.next = { text: text ?? before?.text ?? null, look, done };
      this.hand();
    });
  }

  get busy(): boolean {
    return this.asked !== null;
  }

  private hand(): void {
    if (this.asked || !this.next) return;
    this.asked = this.next;
    this.next = null;
    if (this.broken) return this.end(this.failure(""));
    this.worker.postMessage({ id: ++this.count, text: this.asked.text, look: this.asked.look });
    if (this.open) this.watch();
  }

  private watch(): void {
    this.clock = setTimeout(() => this.stop(`it was stopped after ${SECONDS} seconds`), 1000 * SECONDS);
  }

  private end(answer: Answer): void {
    clearTimeout(this.clock);
    const { asked } = this;
    this.asked = null;
    asked?.done({ answer, text: asked.text });
    this.hand();
  }

  /** Ends what Python does; it starts anew. */
  stop(why: string): void {
    if (!this.asked) return;
    this.worker.terminate();
    this.start();
    this.end(this.failure(why));
  }

  private failure(message: string): Answer {
    const compiled: Compiled = { printed: "", units: [], problem: { message }, milliseconds: 0 };
    return { id: this.count, compiled, look: null, code: "", ...(this.broken ? { broken: this.broken } : {}) };
  }
}

/** A run on devices, in a worker of its own that ends with it. */
export class Run {
  private readonly worker = startWorker("runner.js");
  private end!: (reports: Report[] | null) => void;
  /** Null if it was stopped. */
  readonly reports: Promise<Report[] | null>;

  constructor(order: Order, tell: (doing: string) => void) {
    this.reports = new Promise((resolve, reject) => {
      this.end = resolve;
      this.worker.onmessage = ({ data }: MessageEvent<News>) => ("doing" in data ? tell(data.doing) : resolve(data.reports));
      this.worker.onerror = (event) => reject(new Error(event.message || "the worker that runs programs cannot be started"));
    });
    void this.reports.catch(() => {}).then(() => this.worker.terminate());
    this.worker.postMessage(order);
  }

  stop(): void {
    this.end(null);
  }
}
