/** Launches that may be long; loaded with the first of them. */
import { Untold } from "../errors.js";

const PART_MS = 100; // that a part is to take

/** Runs the blocks of a launch, each part when the one before is done, so that a run can end between them. */
export async function inParts(blocks: number, few: number, seconds: number, run: (first: number, end: number) => Promise<void> | void): Promise<void> {
  const until = performance.now() + 1000 * seconds;
  for (let first = 0, size = Math.ceil(few); first < blocks; ) {
    const end = Math.min(first + size, blocks);
    const began = performance.now();
    await run(first, end);
    const time = performance.now();
    if (time > until) throw new Untold("timeIsUp", seconds);
    size = Math.ceil(size * Math.min(Math.max(PART_MS / (time - began), 1 / 8), 8));
    first = end;
  }
}
