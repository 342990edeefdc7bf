/** What the host does between launches of collectives: values, ways, checks. Loaded for plans that have such steps. */
import { Untold } from "./errors.js";
import type { Formula, Values } from "./formula.js";
import { OPERATORS } from "./formula.js";
import type { Argument, Artifact, Backend, Kind, Let, Nest, Step, Triple } from "./plan.js";
import { StepKind, alignmentOf } from "./plan.js";
import type { Type } from "./types.js";
import { bitsOf, bytesOf, floatBits, integerOf, isFloat, isSigned, readBits, scalarBits, view } from "./types.js";

/** By number, name and operands: `t` of the result's type, `a` of another one, `p` a predicate, `u` u32. */
const PRIMITIVES: readonly (readonly [name: string, takes: string])[] = [
  ...["mov t", "add tt", "sub tt", "mul tt", "div tt", "rem tt", "min tt", "max tt", "neg t", "abs t", "fma ttt", "sqrt t", "floor t"],
  ...["ceil t", "round t", "trunc t", "and tt", "or tt", "xor tt", "not t", "shl tu", "shr tu", "rotl tu", "popcount a", "clz a"],
  ...["ctz a", "inverse tt", "cvt a", "bitcast a", "select ptt", "eq aa", "lt aa", "le aa", "pand pp", "por pp", "pnot p"],
].map((row) => row.split(" ") as [string, string]);

const FLOATS = /^(fma|sqrt|floor|ceil|round|trunc)$/;
const INTEGERS = /^(and|or|xor|not|sh[lr]|rotl|inverse)$/;

/** Whether a primitive is there for a result and operands of these types. */
function fits(name: string, takes: string, type: Kind, source: Kind): boolean {
  if (takes[0] !== "a" && source !== type) return false;
  if (name === "mov") return true;
  if (takes[0] === "a") {
    if (source === "pred") return false;
    if (name === "cvt") return type !== "pred";
    if (name === "bitcast") return type !== "pred" && bitsOf(type) === bitsOf(source);
    return takes === "aa" ? type === "pred" : type === "u32" && !isFloat(source);
  }
  if (type === "pred") return takes[0] === "p" && name !== "select";
  return takes === "p" || takes === "pp" ? false : !(FLOATS.test(name) && !isFloat(type)) && !(INTEGERS.test(name) && isFloat(type));
}

const scratch = new DataView(new ArrayBuffer(8));

/** The number that bits of a float type are. */
function floatOf(type: Type, bits: bigint): number {
  if (type === "f64") {
    scratch.setBigUint64(0, bits);
    return scratch.getFloat64(0);
  }
  if (type !== "f16") {
    scratch.setUint32(0, Number(type === "f32" ? bits : bits << 16n));
    return scratch.getFloat32(0);
  }
  const [exponent, digits] = [Number((bits >> 10n) & 31n), Number(bits & 1023n)];
  const value = exponent === 31 ? (digits ? NaN : Infinity) : exponent ? (1024 + digits) * 2 ** (exponent - 25) : digits * 2 ** -24;
  return bits >> 15n ? -value : value;
}

const lengthOf = (x: bigint): number => (x ? x.toString(2).length : 0);

/** The bits of an integer times 2 ** exponent, rounded to nearest, ties to even. */
function rounded(type: Type, integer: bigint, exponent: number): bigint {
  if (!integer) return 0n;
  const [digits, bias] = { f16: [10, 15], bf16: [7, 127], f32: [23, 127], f64: [52, 1023] }[type as "f32"] as [number, number];
  const size = integer < 0n ? -integer : integer;
  const first = Math.max(lengthOf(size) - 1 + exponent, 1 - bias);
  const shift = BigInt(first - digits - exponent); // to units of the last place
  let whole = shift > 0n ? size >> shift : size << -shift;
  if (shift > 0n) {
    const [rest, half] = [size & ((1n << shift) - 1n), 1n << (shift - 1n)];
    if (rest > half || (rest === half && whole & 1n)) whole++;
  }
  const unit = BigInt(digits);
  const infinity = BigInt(2 * bias + 1) << unit;
  const found = (BigInt(first + bias - 1) << unit) + whole;
  return (found < infinity ? found : infinity) | (integer < 0n ? 1n << BigInt(bitsOf(type) - 1) : 0n);
}

/** A finite number as an integer times 2 ** exponent. */
function parts(x: number): [bigint, number] {
  scratch.setFloat64(0, x);
  const field = (scratch.getUint16(0) >> 4) & 2047;
  const digits = (scratch.getBigUint64(0) & ((1n << 52n) - 1n)) + (field ? 1n << 52n : 0n);
  return [x < 0 ? -digits : digits, Math.max(field, 1) - 1075];
}

function fma(type: Type, x: number, y: number, z: number): bigint {
  if (![x, y, z].every(Number.isFinite)) return floatBits(type, Number.isFinite(x) && Number.isFinite(y) ? z : x * y + z);
  const [[a, p], [b, q], [c, r]] = [parts(x), parts(y), parts(z)];
  const least = Math.min(p + q, r);
  const total = ((a * b) << BigInt(p + q - least)) + (c << BigInt(r - least));
  return total ? rounded(type, total, least) : floatBits(type, a * b ? 0 : x * y + z);
}

function nearestEven(x: number): number {
  return Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x);
}

const UNARY: Record<string, (x: number) => number> = {
  sqrt: Math.sqrt,
  floor: Math.floor,
  ceil: Math.ceil,
  round: nearestEven,
  trunc: Math.trunc,
};
const BINARY: Record<string, (x: number, y: number) => number> = {
  add: (x, y) => x + y,
  sub: (x, y) => x - y,
  mul: (x, y) => x * y,
  div: (x, y) => x / y,
  rem: (x, y) => x % y,
};

function onFloats(name: string, type: Type, args: readonly bigint[]): bigint {
  const [a, b] = [args[0]!, args[args.length - 1]!];
  const top = 1n << BigInt(bitsOf(type) - 1);
  if (name === "neg") return a ^ top;
  if (name === "abs") return a & ~top;
  const [x, y] = [floatOf(type, a), floatOf(type, b)];
  if (name === "min" || name === "max") {
    if (x !== x || y !== y) return x !== x ? a : b;
    if (x === y) return name === "min" ? a | b : a & b;
    return x < y === (name === "min") ? a : b;
  }
  if (bitsOf(type) === 16) return convert(type, "f32", onFloats(name, "f32", args.map((bits) => convert("f32", type, bits))));
  if (name === "fma") return fma(type, x, floatOf(type, args[1]!), y);
  const unary = UNARY[name];
  // Numbers of F32 as F64: + - * / and sqrt rounded twice are rounded right.
  return unary ? (name !== "sqrt" && !x ? a : floatBits(type, unary(x))) : floatBits(type, BINARY[name]!(x, y));
}

function convert(type: Type, source: Type, bits: bigint): bigint {
  if (!isFloat(source)) {
    const value = integerOf(source, bits);
    return isFloat(type) ? rounded(type, value, 0) : BigInt.asUintN(bitsOf(type), value);
  }
  const value = floatOf(source, bits);
  if (isFloat(type)) return floatBits(type, value);
  if (value !== value) return 0n;
  const width = BigInt(bitsOf(type));
  const [low, high] = isSigned(type) ? [-1n << (width - 1n), (1n << (width - 1n)) - 1n] : [0n, (1n << width) - 1n];
  const whole = Number.isFinite(value) ? BigInt(Math.trunc(value)) : value < 0 ? low : high;
  return BigInt.asUintN(Number(width), whole < low ? low : whole > high ? high : whole);
}

function inverse(a: bigint, modulus: bigint): bigint {
  if (modulus < 2n) return 0n;
  let [r, next, t, step] = [modulus, a % modulus, 0n, 1n];
  while (next) {
    const quotient = r / next;
    [r, next] = [next, r - quotient * next];
    [t, step] = [step, t - quotient * step];
  }
  return r === 1n ? (t + modulus) % modulus : 0n;
}

function onIntegers(name: string, type: Type, args: readonly bigint[]): bigint {
  const width = bitsOf(type);
  const [a, b] = [args[0]!, args[args.length - 1]!];
  const [x, y] = [integerOf(type, a), integerOf(type, b)];
  const by = b % BigInt(width);
  const found: Record<string, () => bigint> = {
    add: () => x + y,
    sub: () => x - y,
    mul: () => x * y,
    div: () => (y ? x / y : 0n),
    rem: () => (y ? x % y : 0n),
    min: () => (x < y ? x : y),
    max: () => (x < y ? y : x),
    neg: () => -x,
    abs: () => (x < 0n ? -x : x),
    and: () => a & b,
    or: () => a | b,
    xor: () => a ^ b,
    not: () => ~a,
    shl: () => a << by,
    shr: () => x >> by,
    rotl: () => (a << by) | (a >> (BigInt(width) - by)),
    inverse: () => inverse(a, b),
    popcount: () => BigInt(a.toString(2).replaceAll("0", "").length),
    clz: () => BigInt(width - lengthOf(a)),
    ctz: () => BigInt(a ? lengthOf(a & -a) - 1 : width),
  };
  return BigInt.asUintN(width, found[name]!());
}

/** The bits that a primitive gives for bits. */
function apply(name: string, type: Kind, source: Kind, args: readonly bigint[]): bigint {
  const [a, b, c] = args as [bigint, bigint, bigint];
  switch (name) {
    case "mov":
    case "bitcast":
      return a;
    case "select":
      return a ? b : c;
    case "pand":
      return a & b;
    case "por":
      return a | b;
    case "pnot":
      return 1n - a;
    case "cvt":
      return convert(type as Type, source as Type, a);
    case "eq":
    case "lt":
    case "le": {
      const of = source as Type;
      const [x, y] = isFloat(of) ? [floatOf(of, a), floatOf(of, b)] : [integerOf(of, a), integerOf(of, b)];
      return BigInt(name === "eq" ? x === y : name === "lt" ? x < y : x <= y);
    }
  }
  const of = (source === "pred" ? type : source) as Type;
  return isFloat(of) ? onFloats(name, of, args) : onIntegers(name, of, args);
}

/** Whether values and what computes them are as docs/artifact.md says. Raises ArtifactError, untold. */
export function check({ computed, ports, kernels, steps }: Artifact): void {
  const kinds = new Map<string, Kind>();
  const taken = new Set<string>();
  const lets: Let[] = [];
  const wanted: [name: string, type: Kind][] = [];
  const must = (holds: unknown, name: string): void => {
    if (!holds) throw new Untold("damaged", "value", name);
  };
  for (const { name, access, shape } of ports) {
    if (access === "scalar") taken.add(name);
    else for (const [only, more] of shape) if (more === undefined) taken.add(String(only));
  }
  const visit = (list: readonly Step[], nests: number): void => {
    for (const step of list) {
      if (step.step === StepKind.Let || step.step === StepKind.Read) {
        must((kinds.get(step.value) ?? step.type) === step.type, step.value);
        kinds.set(step.value, step.type);
        if (step.step === StepKind.Let) lets.push(step);
      } else if (step.step === StepKind.Launch) {
        step.scalars.forEach((arg, k) => arg.kind === 6 && wanted.push([arg.value, kernels[step.kernel]!.scalars[k]!.type]));
      } else if (step.step === StepKind.Branch) must(step.levels < nests, "of a branch");
      else if (step.step === StepKind.Call) visit(step.body, 0);
      else if (/* @__KEY__ */ "body" in step) {
        if (step.step === StepKind.Repeat) taken.add(step.variable);
        visit(step.body, nests + Number(step.step === StepKind.Nest || step.step === StepKind.Loop));
        if (step.step === StepKind.When) {
          wanted.push([step.condition, "pred"]);
          visit(step.otherwise, nests);
        }
      }
    }
  };
  visit(steps, 0);
  for (const name of kinds.keys()) must(!taken.has(name), name);
  for (const name of computed!) {
    const type = kinds.get(name);
    must(type === "pred" || (type && !isFloat(type)), name);
  }
  const fitting = (name: string, type: Kind) => kinds.get(name) === type || (kinds.get(name) === "pred" && type === "u32");
  for (const [name, type] of wanted) must(fitting(name, type), name);
  for (const { value, type, operation, source, args } of lets) {
    const [name, takes] = PRIMITIVES[operation] ?? ["", ""];
    must(name && fits(name, takes, type, source) && args.length === takes.length, value);
    operandTypes(takes, type, source).forEach((of, k) => {
      const arg = args[k]!;
      if (arg.kind === 0) must(!(arg.bits >> BigInt(of === "pred" ? 1 : bitsOf(of))), value);
      else if (arg.kind === 6) must(fitting(arg.value, of), value);
      else if (arg.kind === 1) must(ports[arg.index]!.access === "scalar" && ports[arg.index]!.type === of, value);
      else must(arg.kind === 2 && of !== "pred" && !isFloat(of), value);
    });
  }
}

/** What steps need of the run that they are in. */
export interface Around {
  /** Of the call around. */
  readonly program: number;
  readonly backend: Backend;
  readonly values: Values;
  /** Bits of ports that are scalars, by number. */
  readonly scalars: readonly bigint[];
  number(formula: Formula): number;
  /** Counts a round. */
  count(): void | Promise<void>;
  walk(steps: readonly Step[]): Promise<number>;
  /** The bytes of one, when all before is done. */
  read(buffer: number): Promise<Uint8Array[]>;
}

/** The values of a run. */
export class Computation {
  private readonly bits = new Map<string, bigint>();
  private readonly integers = new Map<string, bigint>();
  private withScalars = false; // whether integers has those of ports

  constructor(private readonly file: Artifact) {}

  /** The bits of a number that is known. Raises LaunchError, untold. */
  of = (around: Around, argument: Argument, type: Kind, name = "a value"): bigint => {
    if (argument.kind === 0) return argument.bits;
    if (argument.kind === 1) return around.scalars[argument.index]!;
    if (argument.kind === 2) return scalarBits(name, type as Type, around.number(this.file.formulas[argument.index]!));
    const found = argument.kind === 6 ? this.bits.get(argument.value) : undefined;
    if (found === undefined) throw new Untold("unset", [name], (argument as { value: string }).value);
    return found;
  };

  private keep({ values }: Around, name: string, type: Kind, found: bigint): void {
    this.bits.set(name, found);
    if (type !== "pred" && isFloat(type)) return;
    const integer = type === "pred" ? found : integerOf(type, found);
    this.integers.set(name, integer);
    values.set(name, Number(integer));
  }

  /** Runs a step; how many nests and loops further out steps go on at, or -1. */
  async step(step: Step, around: Around): Promise<number> {
    switch (step.step) {
      case StepKind.Let:
        this.keep(around, step.value, step.type, compute(step, (argument, type) => this.of(around, argument, type)));
        return -1;
      case StepKind.Read: {
        const [[bytes], at, size] = [(await around.read(step.memories[0])) as [Uint8Array], around.number(step.offset), bytesOf(step.type)];
        if (at < 0 || at > bytes.length - size) throw new Untold("readOf", at, size, bytes.length);
        const found = new Uint8Array(Math.ceil(size / 8) * 8);
        found.set(bytes.subarray(at, at + size));
        this.keep(around, step.value, step.type, readBits(view(found), 0, found.length));
        return -1;
      }
      case StepKind.When:
        return around.walk(this.of(around, { kind: 6, value: step.condition }, "pred") ? step.body : step.otherwise);
      case StepKind.BoundsCheck: {
        const numbers = this.exactly([step.need, step.offset, step.size], around);
        const [need, offset, size] = numbers;
        const inside = offset >= 0n && offset <= size - need && offset % BigInt(alignmentOf(step.type)) === 0n;
        if (need > 0n && !inside) throw new Untold("boundsOf", step, this.file.programs[around.program]![step.instruction]!, numbers);
        return -1;
      }
      case StepKind.Target:
        return step.backend === around.backend ? around.walk(step.body) : -1;
      case StepKind.Branch:
        return step.levels;
      default: {
        let levels: number;
        while ((levels = await around.walk((step as Nest).body)) === 0 && step.step === StepKind.Loop) await around.count();
        return Math.max(levels - 1, -1);
      }
    }
  }

  /** Numbers of any size. */
  private exactly(formulas: Triple<Formula>, { values, scalars }: Around): Triple<bigint> {
    if (!this.withScalars) {
      this.file.ports.forEach(({ name, type, access }, k) => {
        if (access === "scalar" && !isFloat(type)) this.integers.set(name, integerOf(type, scalars[k]!));
      });
      this.withScalars = true;
    }
    return formulas.map((formula) => evaluateExact(formula, values, this.integers)) as [bigint, bigint, bigint];
  }
}

const operandTypes = (takes: string, type: Kind, source: Kind): Kind[] =>
  [...takes].map((letter) => (letter === "t" ? type : letter === "a" ? source : letter === "p" ? "pred" : "u32"));

/** What a step computes; `bits` gives those of an operand of a type. */
function compute({ operation, type, source, args }: Let, bits: (argument: Argument, type: Kind) => bigint): bigint {
  const [name, takes] = PRIMITIVES[operation]!;
  const types = operandTypes(takes, type, source);
  return apply(name, type, source, args.map((arg, k) => bits(arg, types[k]!)));
}

const EXACT: ((a: bigint, b: bigint) => bigint)[] = [
  (a, b) => a + b,
  (a, b) => a - b,
  (a, b) => a * b,
  (a, b) => a / b - BigInt(a % b !== 0n && a < 0n !== b < 0n),
  (a, b) => a / b + BigInt(a % b !== 0n && a < 0n === b < 0n),
  (a, b) => (a < b ? a : b),
  (a, b) => (a < b ? b : a),
];

/** The value whatever its size. Raises as `evaluate` where there is none. */
function evaluateExact(formula: Formula, values: Values, exact: ReadonlyMap<string, bigint>): bigint {
  const stack: bigint[] = [];
  for (const token of formula) {
    const operator = OPERATORS.indexOf(token as string);
    if (operator >= 0) {
      const b = stack.pop()!;
      if (!b && (operator === 3 || operator === 4)) throw new Untold("zero", formula, values);
      stack.push(EXACT[operator]!(stack.pop()!, b));
      continue;
    }
    const number = typeof token === "number" ? token : (exact.get(token as string) ?? values.get(token as string));
    if (number === undefined) throw new Untold("unset", formula, token as string);
    stack.push(BigInt(number));
  }
  return stack[0]!;
}
