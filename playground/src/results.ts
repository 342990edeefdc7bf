/** Shows an array that a run wrote: as a picture, a plot, a table or text. */
import { numbersOf, shown } from "./elements.js";
import type { Result } from "./protocol.js";
import { element } from "./words.js";

type View = (result: Result) => HTMLElement;

const MOST_TEXT = 2000; // elements
const [MOST_ROWS, MOST_COLUMNS] = [200, 64]; // of a table
const MOST_POINTS = 2000; // of a plot: of more, the least and the largest of each part
const SMALL = 256; // pictures that are no wider are enlarged

const isPicture = ({ type, shape }: Result): boolean =>
  (type === "u8" || type === "f32") &&
  (shape.length === 2 || (shape.length === 3 && (shape[2] === 3 || shape[2] === 4))) &&
  shape[0]! > 0 && shape[1]! > 0 && shape[0]! <= 8192 && shape[1]! <= 8192;

/** The views that fit a result; the first is the best. */
export function viewsOf(result: Result): [string, View][] {
  const { shape, type } = result;
  const wide = /\d{3,}$/.test(type);
  const plots: [string, View][] = shape.length === 1 && shape[0]! > 1 && !wide ? [["Plot", plot]] : [];
  const tables: [string, View][] = shape.length === 1 || shape.length === 2 ? [["Table", table]] : [];
  const flat = isPicture(result) && !(shape.length === 2 && (shape[1]! <= 8 || shape[0]! <= 2));
  const pictures: [string, View][] = isPicture(result) ? [["Picture", picture]] : [];
  const few = shape.length === 1 && shape[0]! <= 12;
  const ordered = flat ? [...pictures, ...tables] : few ? [...tables, ...plots] : [...plots, ...tables, ...pictures];
  return [...ordered, ["Text", text]];
}

function picture(result: Result): HTMLElement {
  const { shape, type, name } = result;
  const [height, width, channels = 1] = shape as [number, number, number?];
  const values = numbersOf(result) as ArrayLike<number>;
  const pixels = new ImageData(width, height);
  const level = type === "u8" ? (k: number) => values[k]! : (k: number) => 255 * values[k]!;
  for (let pixel = 0, at = 0; pixel < width * height; pixel++, at += channels) {
    for (let channel = 0; channel < 3; channel++) pixels.data[4 * pixel + channel] = level(at + (channels === 1 ? 0 : channel));
    pixels.data[4 * pixel + 3] = channels === 4 ? level(at + 3) : 255;
  }
  const label = `${name}: a picture, ${width} by ${height}`;
  const canvas = element("canvas", { width: String(width), height: String(height), role: "img", "aria-label": label });
  if (width <= SMALL) canvas.className = "small";
  canvas.getContext("2d")!.putImageData(pixels, 0, 0);
  return canvas;
}

function plot(result: Result): HTMLElement {
  const values = Array.from(numbersOf(result), Number);
  const points = thinned(values);
  const finite = values.filter(Number.isFinite);
  const [least, most] = finite.reduce(([a, b], y) => [Math.min(a, y), Math.max(b, y)], [Infinity, -Infinity]);
  const [width, height] = [640, 240];
  const span = most - least || 1;
  const place = ([k, y]: [number, number]) => `${((k / Math.max(values.length - 1, 1)) * width).toFixed(1)} ${(height - ((y - least) / span) * height).toFixed(1)}`;
  let path = "";
  let pen = "M";
  for (const point of points) {
    if (Number.isFinite(point[1])) {
      path += `${pen}${place(point)}`;
      pen = "L";
    } else pen = "M";
  }
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const ends = finite.length ? `from ${shown(least)} to ${shown(most)}` : "no finite number";
  const label = `${result.name}: a plot of ${values.length.toLocaleString("en")} elements, ${ends}`;
  for (const [name, value] of Object.entries({ viewBox: `0 -4 ${width} ${height + 8}`, preserveAspectRatio: "none", role: "img", "aria-label": label })) {
    svg.setAttribute(name, value);
  }
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  svg.append(line);
  const most_ = element("span", {}, finite.length ? shown(most) : "");
  const least_ = element("span", {}, finite.length ? shown(least) : "");
  const axis = element("div", { class: "axis" }, element("span", {}, "0"), element("span", {}, (values.length - 1).toLocaleString("en")));
  return element("div", { class: "plot" }, element("div", { class: "scale" }, most_, least_), svg, axis);
}

/** Points of a line that looks like that of all values. */
function thinned(values: readonly number[]): [number, number][] {
  if (values.length <= MOST_POINTS) return values.map((y, k) => [k, y]);
  const part = (2 * values.length) / MOST_POINTS;
  const found: [number, number][] = [];
  for (let start = 0; start < values.length; start += part) {
    const first = Math.floor(start);
    const last = Math.min(Math.floor(start + part), values.length);
    let [low, high] = [first, first];
    for (let k = first; k < last; k++) {
      if (values[k]! < values[low]!) low = k;
      if (values[k]! > values[high]!) high = k;
    }
    for (const k of [low, high].sort((a, b) => a - b)) found.push([k, values[k]!]);
  }
  return found;
}

function table(result: Result): HTMLElement {
  const values = numbersOf(result);
  const [rows, columns] = result.shape.length === 1 ? [result.shape[0]!, 1] : (result.shape as [number, number]);
  const [height, width] = [Math.min(rows, MOST_ROWS), Math.min(columns, MOST_COLUMNS)];
  const head = element("tr", {}, element("td"), ...Array.from({ length: width }, (_, k) => element("th", { scope: "col" }, result.shape.length === 1 ? result.name : String(k))));
  const body = Array.from({ length: height }, (_, row) =>
    element("tr", {}, element("th", { scope: "row" }, String(row)), ...Array.from({ length: width }, (_, k) => element("td", {}, shown(values[row * columns + k]!)))),
  );
  const found = element("div", { class: "table", tabindex: "0", role: "region", "aria-label": `${result.name} as a table` }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
  if (height < rows || width < columns) found.append(element("p", { class: "soft" }, `The first ${height} of ${rows.toLocaleString("en")} rows, ${width} of ${columns.toLocaleString("en")} columns.`));
  return found;
}

function text(result: Result): HTMLElement {
  const values = numbersOf(result);
  const nested = (axis: number, at: number, size: number): string => {
    if (axis === result.shape.length) return shown(values[at]!);
    const inner = size / result.shape[axis]!;
    const count = Math.min(result.shape[axis]!, Math.max(1, Math.floor(MOST_TEXT / Math.max(inner, 1))));
    const parts = Array.from({ length: count }, (_, k) => nested(axis + 1, at + k * inner, inner));
    if (count < result.shape[axis]!) parts.push("...");
    return `[${parts.join(axis === result.shape.length - 1 ? ", " : `,\n${" ".repeat(axis + 1)}`)}]`;
  };
  const size = result.shape.reduce((product, length) => product * length, 1);
  return element("pre", { tabindex: "0", role: "region", "aria-label": `${result.name} as text` }, size ? nested(0, 0, size) : "[]");
}

/** A result with buttons for its views. */
export function resultCard(result: Result): HTMLElement {
  const views = viewsOf(result);
  const body = element("div", { class: "view" });
  const buttons = views.map(([name, view], number) => {
    const button = element("button", { type: "button", "aria-pressed": "false" }, name);
    button.onclick = () => {
      for (const other of buttons) other.ariaPressed = String(other === button);
      body.replaceChildren(view(result));
    };
    if (number === 0) queueMicrotask(() => button.click());
    return button;
  });
  const size = `${result.type}[${result.shape.join(", ")}]`;
  const title = element("h2", {}, result.name, " ", element("span", { class: "soft" }, size));
  const chosen = element("div", { class: "views", role: "group", "aria-label": `${result.name} as` }, ...buttons);
  return element("section", { class: "result", "aria-label": result.name }, element("header", {}, title, chosen), body);
}
