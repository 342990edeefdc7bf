/** Whether two devices gave the same, element by element. */
import { isFloat } from "../../web/src/types.js";
import { numbersOf } from "./elements.js";
import { same } from "./measure.js";
import type { Report, Result } from "./protocol.js";

const NEAR = 1e-5; // of the largest element: how far floats may be apart that two devices compute

export interface Comparison {
  equal: boolean;
  text: string;
}

export function compared(one: Report, other: Report): Comparison {
  const found = one.results.map((result, k) => differences(result, other.results[k]!));
  const different = found.findIndex(({ equal }) => !equal);
  if (different >= 0) return { equal: false, text: `${one.results[different]!.name} ${found[different]!.text}` };
  const near = found.some(({ text }) => text);
  return { equal: true, text: near ? `Results are equal, floats within ${NEAR.toExponential()} of the largest` : "Results are equal, bit by bit" };
}

/** Of two arrays that should be equal; an empty text for the same bits. */
function differences(one: Result, other: Result): Comparison {
  if (same(one.bytes, other.bytes)) return { equal: true, text: "" };
  const [a, b] = [numbersOf(one), numbersOf(other)];
  let [count, most, largest] = [0, 0, 0];
  for (let k = 0; k < a.length; k++) {
    const [x, y] = [Number(a[k]), Number(b[k])];
    if (Number.isFinite(x)) largest = Math.max(largest, Math.abs(x));
    if (x === y || (Number.isNaN(x) && Number.isNaN(y))) continue;
    count++;
    most = Math.max(most, Math.abs(x - y) || Infinity);
  }
  const equal = isFloat(one.type) && one.bytes.length === other.bytes.length && most <= NEAR * largest;
  return { equal, text: `differs in ${count.toLocaleString("en")} of ${a.length.toLocaleString("en")} elements, by up to ${most.toPrecision(3)}` };
}
