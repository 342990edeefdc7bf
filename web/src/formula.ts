/** Formulas over named integers; docs/artifact.md says what they are. */
import { Untold } from "./errors.js";

/** Tokens in postfix order: numbers, names, and members of OPERATORS. */
export type Formula = readonly (number | string)[];
export type Values = Map<string, number>;

export const LARGEST = Number.MAX_SAFE_INTEGER;

export const product = (lengths: readonly number[], size = 1): number => lengths.reduce((total, length) => total * length, size);

/** In the order of the binary form. */
export const OPERATORS = ["+", "-", "*", "//", "ceildiv", "min", "max"];

/** a / b without the fraction, and the remainder; both exact. */
function divide(a: number, b: number): [number, number] {
  const r = a % b;
  return [(a - r) / b, r];
}

const APPLY: ((a: number, b: number) => number)[] = [
  (a, b) => a + b,
  (a, b) => a - b,
  (a, b) => a * b,
  (a, b) => {
    const [t, r] = divide(a, b);
    return r === 0 || r < 0 === b < 0 ? t : t - 1;
  },
  (a, b) => {
    const [t, r] = divide(a, b);
    return r === 0 || r < 0 !== b < 0 ? t : t + 1;
  },
  Math.min,
  Math.max,
];

/** The variable that a formula is, if it is nothing else. */
export function variableOf(formula: Formula): string | undefined {
  const only = formula[0];
  return formula.length === 1 && typeof only === "string" ? only : undefined;
}

/** Raises an untold LaunchError where a variable has no value, a number is too large, or a divisor is zero. */
export function evaluate(formula: Formula, values: Values): number {
  const stack: number[] = [];
  for (const token of formula) {
    let number: number;
    const operator = OPERATORS.indexOf(token as string);
    if (typeof token === "number") {
      number = token;
    } else if (operator >= 0) {
      const b = stack.pop()!;
      if (b === 0 && (token === "//" || token === "ceildiv")) {
        throw new Untold("zero", formula, values);
      }
      number = APPLY[operator]!(stack.pop()!, b) + 0; // no -0
    } else {
      const value = values.get(token);
      if (value === undefined) {
        throw new Untold("unset", formula, token);
      }
      number = value;
    }
    if (!(Math.abs(number) <= LARGEST)) {
      throw new Untold("range", formula, values);
    }
    stack.push(number);
  }
  return stack[0]!;
}

/** The formula as people write it. */
export function text(formula: Formula): string {
  const stack: [text: string, binds: number][] = [];
  for (const token of formula) {
    const place = OPERATORS.indexOf(token as string);
    if (place < 0) {
      stack.push([String(token), 3]);
      continue;
    }
    const [b, bBinds] = stack.pop()!;
    const [a, aBinds] = stack.pop()!;
    const binds = place < 2 ? 1 : 2;
    if (place > 3) stack.push([`${token}(${a}, ${b})`, 3]);
    else stack.push([`${aBinds < binds ? `(${a})` : a} ${token} ${bBinds > binds ? b : `(${b})`}`, binds]);
  }
  return stack[0]![0];
}
