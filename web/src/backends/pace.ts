/** What the thread that launches on wasm and the crew of others go by. */
// A launch is called in parts of about so many milliseconds: the engine takes up the better code that it makes meanwhile
// only at a call.
export const PART_MS = 8;
/** Of a launch that several threads share: to begin one takes 40 us and as long again until the others are awake. */
export const LONG_MS = 0.3;
export const SCRATCH = 1024; // bytes

const clock = performance; // as a global it takes Chromium 190 ns to ask, so 70
export const now = (): number => clock.now();
