/** What prints of kernels in Python show: lines, made of the logs of a run. Loaded for files that have some (docs/artifact.md). */
import { ArtifactError, textOf } from "./errors.js";
import { integerOf, scalarBits, view } from "./internal.js";
import type { Artifact, Backend } from "./plan.js";
import { buffersOf } from "./plan.js";
import type { Type } from "./types.js";
import { isFloat } from "./types.js";

/** A value in a text: its type, "bool" of truth values; how it is converted, "r" or "s"; and its format. */
type Shown = readonly [type: string, conversion: string, format: string];
type Print = readonly (string | Shown)[];
/** The number of a temporary, and what the prints show whose log it is. */
export type Log = readonly [at: number, prints: readonly Print[]];

const TYPE = /^(bool|b?f16|[fiu](32|64)|[iu](8|16))$/;
const FORMAT = /^(?:(.?)([<>=^]))?([-+ ]?)(z?)(#?)(0?)(\d{0,3})([,_]?)(?:\.(\d{1,3}))?([bcdeEfFgGnosxX%]?)$/su;

/** The logs of a file that its steps write on a backend: what never prints has none. Raises ArtifactError. */
export function logsOf(file: Artifact, backend: Backend): Log[] {
  const named = new Set(buffersOf(file.steps, backend));
  const arrays = file.ports.filter(({ access }) => access !== "scalar").length;
  try {
    const logs = (JSON.parse(file.metadata["prints"] ?? "[]") as [string, Print[]][]).map(([name, prints]) => {
      const at = file.temporaries.findIndex((temporary) => temporary.name === name);
      if (at < 0) throw `there is no ${name}`;
      for (const part of prints.flat()) {
        if (typeof part === "string") continue;
        const [type, conversion, format] = part;
        if (!TYPE.test(type) || !/^[rsa]?$/.test(conversion) || !FORMAT.test(format)) throw textOf(part);
      }
      return [at, prints] as const;
    });
    return logs.filter(([at]) => named.has(arrays + at));
  } catch (error) {
    throw new ArtifactError(`damaged artifact: its prints: ${textOf(error)}`);
  }
}

/** Gives the lines of logs to `print`: of each log lane by lane, of a lane in their order. */
export function show(logs: readonly Log[], read: readonly Uint8Array[], print: (line: string) => void = console.log): void {
  let text = "";
  logs.forEach(([, prints], number) => {
    if (!read[number]) return; // of a run that somebody else submits
    const data = view(read[number]!);
    const words = Math.floor(data.byteLength / 4);
    const word = (at: number) => data.getUint32(4 * at, true);
    const records: [lane: number, text: string][] = [];
    for (let at = 2; at < Math.min(word(0) + 2, words - 1); ) {
      const parts = prints[word(at)];
      const lane = word(at + 1);
      const size = (parts ?? []).reduce((sum, part) => sum + wordsOf(part), 2);
      if (!parts || at + size > words) break; // no record of ours
      let place = 4 * at + 8;
      const shown = parts.map((part) => {
        if (typeof part === "string") return part;
        const value = valueOf(part[0], data, place);
        place += 4 * wordsOf(part);
        return formatted(part, value);
      });
      records.push([lane, shown.join("")]);
      at += size;
    }
    text += records.sort(([a], [b]) => a - b).map(([, shown]) => shown).join("");
    if (word(1)) text += `(${word(1)} more prints did not fit into the log of ${words} words)\n`;
  });
  if (text) for (const line of text.replace(/\n$/, "").split("\n")) print(line);
}

const wordsOf = (part: string | Shown) => (typeof part === "string" ? 0 : part[0].endsWith("64") ? 2 : 1);

function valueOf(type: string, data: DataView, at: number): boolean | number | bigint {
  if (type === "bool") return data.getUint32(at, true) !== 0;
  if (type === "f64") return data.getFloat64(at, true);
  if (isFloat(type as Type)) return data.getFloat32(at, true);
  return type.endsWith("64") ? integerOf(type as Type, data.getBigUint64(at, true)) : BigInt(type[0] === "i" ? data.getInt32(at, true) : data.getUint32(at, true));
}

/** A value as Python formats it. */
function formatted([type, conversion, format]: Shown, value: boolean | number | bigint): string {
  const [, fill, align, sign, , alternate, zero, width, grouping, precision, kind] = FORMAT.exec(format)!;
  if (!format) return plain(type, value);
  if (conversion) {
    return padded([...plain("f64", value)].slice(0, precision === undefined ? undefined : +precision).join(""), "", fill || " ", align || "<", +width!);
  }
  const number = typeof value === "number" ? value : BigInt(value);
  const real = typeof number === "number" || /[eEfFgG%]/.test(kind!);
  let [prefix, digits] = ["", ""];
  let negative: boolean;
  if (real) {
    const x = Number(number) * (kind === "%" ? 100 : 1);
    negative = x < 0 || Object.is(x, -0);
    digits = float(Math.abs(x), kind!, precision === undefined ? undefined : +precision, !!alternate);
  } else {
    negative = number < 0n;
    const size = negative ? -number : number;
    const radix = { b: 2, o: 8, x: 16, X: 16 }[kind!] ?? 10;
    digits = kind === "c" ? String.fromCodePoint(Number(size)) : size.toString(radix);
    if (alternate && radix !== 10) prefix = `0${kind}`;
    if (kind === "X") digits = digits.toUpperCase();
  }
  if (kind === "%") digits += "%";
  const head = (negative ? "-" : sign === "-" ? "" : sign!) + prefix;
  const inZeros = !!zero && !align;
  if (grouping) {
    const [, whole, rest] = /^([0-9a-fA-F]*)(.*)$/s.exec(digits)!;
    const step = /[boxX]/.test(kind!) ? 4 : 3;
    const grouped = (found: string) => found.replace(new RegExp(`\\B(?=(.{${step}})+$)`, "g"), grouping);
    let long = whole!;
    if (inZeros && whole) while ((head + grouped(long) + rest).length < +width!) long = "0" + long;
    digits = grouped(long) + rest;
  }
  return padded(digits, head, inZeros ? "0" : fill || " ", inZeros ? "=" : align || (kind === "c" ? "<" : ">"), +width!);
}

function padded(digits: string, head: string, fill: string, align: string, width: number): string {
  const room = Math.max(width - [...head, ...digits].length, 0);
  const before = align === "<" ? 0 : align === "^" ? room >> 1 : room;
  if (align === "=") return head + fill.repeat(room) + digits;
  return fill.repeat(before) + head + digits + fill.repeat(room - before);
}

/** A value as `repr` shows it; floats have the fewest digits that are the same number of the type. */
function plain(type: string, value: boolean | number | bigint): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "bigint") return String(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const bits = (x: number) => scalarBits("", type as Type, x);
  let [x, count] = [Math.abs(value), 1];
  const size = bits(x);
  if (type !== "f64" && Number.isFinite(x)) {
    while (count < 17 && bits(Number(rounded(x, count).join("e"))) !== size) count++;
    x = Number(rounded(x, count).join("e"));
  }
  return sign + float(x, "", undefined, false);
}

/** The digits of a float that is not negative, as `float.__format__` has them. */
function float(x: number, kind: string, precision: number | undefined, alternate: boolean): string {
  const lower = kind.toLowerCase();
  const cased = (text: string) => (kind !== lower ? text.toUpperCase() : text);
  if (!Number.isFinite(x)) return cased(x !== x ? "nan" : "inf");
  if (lower === "f" || kind === "%") return fixed(x, precision ?? 6, alternate);
  if (lower === "e") return cased(scientific(...rounded(x, (precision ?? 6) + 1), alternate));
  const shortest = !kind && precision === undefined;
  const most = shortest ? 17 : Math.max(precision ?? 6, 1);
  const [digits, exponent] = shortest ? fewest(x) : rounded(x, most);
  const kept = alternate ? digits : digits.replace(/0+$/, "") || "0";
  const point = exponent + digits.length; // of digits before the point
  if (point <= -4 || point > (shortest ? 16 : kind ? most : most - 1)) return cased(scientific(kept, point - kept.length, alternate));
  const all = kept.padEnd(point, "0");
  const [whole, rest] = point > 0 ? [all.slice(0, point), all.slice(point)] : ["0", "0".repeat(-point) + all];
  return whole + (rest ? `.${rest}` : !kind ? ".0" : alternate ? "." : "");
}

function fixed(x: number, places: number, alternate: boolean): string {
  const digits = String(scaled(x, places)).padStart(places + 1, "0");
  const at = digits.length - places;
  return digits.slice(0, at) + (places ? `.${digits.slice(at)}` : alternate ? "." : "");
}

function scientific(digits: string, exponent: number, alternate: boolean): string {
  const size = /^0*$/.test(digits) ? 0 : exponent + digits.length - 1;
  const rest = digits.slice(1);
  return `${digits[0]}${rest ? `.${rest}` : alternate ? "." : ""}e${size < 0 ? "-" : "+"}${String(Math.abs(size)).padStart(2, "0")}`;
}

/** The fewest digits that are the same double, and the power of ten of the last of them. */
function fewest(x: number): [digits: string, exponent: number] {
  const [digits, size] = x.toExponential().split("e");
  const found = digits!.replace(".", "");
  return [found, Number(size) - found.length + 1];
}

/** So many digits, the last of which is rounded, and its power of ten. */
function rounded(x: number, count: number): [digits: string, exponent: number] {
  if (x === 0) return ["0".repeat(count), 1 - count];
  let exponent = Number(x.toExponential().split("e")[1]) - count + 1;
  if (scaled(x, -exponent) < 10n ** BigInt(count - 1)) exponent--; // the shortest digits were of the next power of ten
  let digits = String(scaled(x, -exponent));
  if (digits.length > count) digits = String(scaled(x, -++exponent));
  return [digits, exponent];
}

/** x * 10 ** places as an integer, exactly rounded, ties to even. */
function scaled(x: number, places: number): bigint {
  const data = new DataView(new ArrayBuffer(8));
  data.setFloat64(0, x);
  const field = data.getUint16(0) >> 4;
  const exponent = Math.max(field, 1) - 1075;
  let above = (data.getBigUint64(0) & ((1n << 52n) - 1n)) + (field ? 1n << 52n : 0n);
  let below = 1n;
  if (exponent > 0) above <<= BigInt(exponent);
  else below <<= BigInt(-exponent);
  if (places > 0) above *= 10n ** BigInt(places);
  else below *= 10n ** BigInt(-places);
  const [whole, rest] = [above / below, (above % below) * 2n];
  return rest > below || (rest === below && whole & 1n) ? whole + 1n : whole;
}
