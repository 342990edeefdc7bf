/** Shows what came of a run on all devices: times, whether the results agree, and the results. */
import { compared } from "./equal.js";
import type { Report } from "./protocol.js";
import { resultCard } from "./results.js";
import { element, median, milliseconds } from "./words.js";

const NAMES = { wasm: "WebAssembly", webgpu: "WebGPU" };
const EXTRA = { class: "extra" }; // where there is room
const METHOD = "Devices take turns. A time is from the arrays on the device to the results read back; the first run compiles and is not among them.";

/** A report for people: the first result, times, other results; they are those of the first device that has some. */
export function reportOf(reports: readonly Report[]): HTMLElement[] {
  const done = reports.filter(({ failure }) => failure === undefined);
  const rows = reports.map(({ label, failure, times, first, device }) => {
    const cells = failure === undefined
      ? [element("td", { "data-median": device }, milliseconds(median(times))), element("td", EXTRA, milliseconds(Math.min(...times))), element("td", EXTRA, milliseconds(first)), element("td", {}, String(times.length))]
      : [element("td", { colspan: "4", class: "bad" }, failure)];
    return element("tr", {}, element("th", { scope: "row" }, label), ...cells);
  });
  const heads = ["Device", "Median", "Least", "First", "Runs"].map((text, k) => element("th", { scope: "col", ...(k === 2 || k === 3 ? EXTRA : {}) }, text));
  const times = element("table", { class: "times" }, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows));
  const scrolled = element("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Times" }, times);
  const found: HTMLElement[] = [scrolled, ...verdicts(done), element("p", { class: "soft" }, METHOD)];
  const [result, ...others] = done[0]?.results.map(resultCard) ?? [];
  return result ? [result, ...found, ...others] : found;
}

/** What can be said of devices beside each other; a ratio only if the results were found equal. */
function verdicts(done: readonly Report[]): HTMLElement[] {
  const lines: [string, string][] = done.filter(({ steady }) => !steady).map(({ label }) => ["bad", `${label}: later runs gave other results than the first.`]);
  const [one, other] = done;
  if (one && other) {
    const { equal, text } = compared(one, other);
    if (!equal) lines.push(["bad", `The devices disagree: ${text}. Times are not compared.`]);
    else if (one.steady && other.steady) {
      const [fast, slow] = median(one.times) <= median(other.times) ? [one, other] : [other, one];
      const ratio = median(slow.times) / median(fast.times);
      lines.push(["good", `${text}. ${NAMES[fast.device]} took ${milliseconds(median(fast.times))}, ${NAMES[slow.device]} ${ratio.toFixed(ratio < 10 ? 1 : 0)} times as long.`]);
    } else lines.push(["good", `${text}.`]);
  }
  return lines.map(([kind, text]) => element("p", { class: `verdict ${kind}` }, text));
}
