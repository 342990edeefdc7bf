/**
 * For tests by @playwright/test: a page whose runtimes are on a pinned device, and have to run something there.
 *
 * test.use({ hologramDevice: "webgpu", hologramSoftware: true });
 *
 * Runtimes of workers are not pinned: say Runtime.create({ backend }) there. hologram_web_tools/pytest_plugin.py is its
 * like for pytest.
 */
import { expect, test as base } from "@playwright/test";
import type { BackendName, RuntimeInfo } from "./runtime.js";

/** What is used of Node, whose types the rest of this folder does without. */
declare const process: { env: Record<string, string | undefined>; platform: string };

export { expect };

/** What a runtime of the page was, and how much it ran. */
export interface Ran extends RuntimeInfo {
  launches: number;
}

export interface HologramFixtures {
  /** The runtimes of the page until now. */
  hologramRan: () => Promise<Ran[]>;
}

export interface HologramOptions {
  /** The device to take, whatever Runtime.create is asked for; by default wasm. */
  hologramDevice: BackendName;
  /** Whether a program that stands in for a GPU will do; Chromium is started with SwiftShader then. */
  hologramSoftware: boolean;
}

/** What Runtime.create looks for: the device to take, and who wants to know of the runtime. */
const pin = (device: BackendName): void => {
  const made: { info: RuntimeInfo; stats(): { launches: number } }[] = [];
  Object.assign(globalThis, {
    hologramPin: { options: { backend: device }, created: (runtime: (typeof made)[number]) => made.push(runtime) },
    hologramRan: () => made.map((runtime) => ({ ...runtime.info, launches: runtime.stats().launches })),
  });
};

/** What is wrong with what ran: nothing did, or on another device, or on an adapter that nobody asked for. */
function wrong(ran: readonly Ran[], device: BackendName, software: boolean): string {
  if (!ran.some(({ launches }) => launches)) {
    return `the page ran nothing on ${device}${ran.length ? "" : ": it created no Runtime"}`;
  }
  for (const { selected, reason, adapter, device: told } of ran) {
    if (selected !== device) return `the page ran on ${selected}, not on ${device}: ${reason}`;
    if (selected === "webgpu" && adapter && !adapter.real && !software) return `the page ran on ${told}: hologramSoftware: true takes it`;
  }
  return "";
}

/** Another default for an option of Playwright's, which configurations still change; its types have no word for that. */
const byDefault = <T>(value: T): T => [value, { option: true, scope: "worker" }] as unknown as T;

export const test = base.extend<HologramFixtures, HologramOptions>({
  hologramDevice: ["wasm", { option: true, scope: "worker" }],
  hologramSoftware: [false, { option: true, scope: "worker" }],
  trace: byDefault("retain-on-failure" as const),
  screenshot: byDefault("only-on-failure" as const),
  channel: byDefault(process.env["CHROMIUM"] ? undefined : "chromium"), // the whole one: its headless shell has no WebGPU
  launchOptions: [
    async ({ hologramSoftware, launchOptions }, use) => {
      const gpu = hologramSoftware ? ["--use-webgpu-adapter=swiftshader"] : process.platform === "linux" ? ["--enable-features=Vulkan"] : [];
      const own = process.env["CHROMIUM"] ? { executablePath: process.env["CHROMIUM"] } : {};
      const args = [...(launchOptions.args ?? []), "--enable-unsafe-webgpu", ...gpu];
      await use({ ...own, ...launchOptions, args });
    },
    { scope: "worker" },
  ],
  page: async ({ page, hologramDevice, hologramSoftware }, use, told) => {
    await page.addInitScript(pin, hologramDevice);
    await use(page);
    if (told.status !== told.expectedStatus) return;
    const problem = wrong(await read(page), hologramDevice, hologramSoftware);
    if (problem) throw new Error(problem);
  },
  hologramRan: async ({ page }, use) => use(() => read(page)),
});

const read = (page: { evaluate<R>(work: () => R): Promise<R> }): Promise<Ran[]> =>
  page.evaluate(() => (globalThis as { hologramRan?: () => Ran[] }).hologramRan?.() ?? []);
