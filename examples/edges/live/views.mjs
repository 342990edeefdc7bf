// How planes of the plan are made visible; examples/edges/pictures.py does the same for the report. Pictures are made where
// the planes are: on a GPU nothing is read back.

const BRIGHTEST = 40; // grey levels a pixel; hardly a gradient in a photograph is steeper
const COMPASS = [[255, 90, 95], [255, 159, 28], [255, 225, 77], [142, 224, 78], [46, 196, 182], [58, 134, 255], [138, 92, 246], [241, 91, 181]];
const MARKS = [[0, 0, 0], [58, 134, 255], [255, 255, 255]];

const level = (value) => value / 256; // integers have 8 bits after the point
const root = (value) => 255 * Math.sqrt(level(value) / BRIGHTEST);
const grey = (tone) => (value) => Array(3).fill(tone(value));
const coloured = (colours) => (value) => colours[value] ?? [255, 0, 255];

/** The colours of the eight directions, of which compass.py makes a picture. */
export const WAYS = new Uint8Array(COMPASS.flatMap((colour) => [...colour, 255]));

const smooth = grey(level);
const signed = grey((value) => 128 + (128 * level(value)) / BRIGHTEST);
const steep = grey(root);
const marked = coloured(MARKS);

/** By the name of a plane: what it shows, and the colour of a value; those that are pictures themselves have none. */
export const VIEWS = {
  rgb: ["The picture", null],
  luma: ["Luminance", smooth],
  blur_rows: ["Blurred along the rows", smooth],
  smooth: ["Blurred both ways", smooth],
  gx: ["Gradient to the right", signed],
  gy: ["Gradient downwards", signed],
  magnitude: ["Magnitude of the gradient", steep],
  direction: ["Its direction", null],
  thin: ["The highest pixels", steep],
  marks: ["Strong and weak pixels", marked],
  grown: ["After hysteresis", marked],
  edges: ["Edges", null],
};

/** The colours of all values that a plane of a type can have, by their bits: u8[count, 4], of 16 bits at most. */
export function coloursOf(name, type) {
  const colour = VIEWS[name][1];
  const bits = type.endsWith("8") ? 8 : 16;
  const bytes = new Uint8ClampedArray(4 << bits);
  for (let k = 0; k < 1 << bits; k++) bytes.set([...colour(type[0] === "i" ? (k << (32 - bits)) >> (32 - bits) : k), 255], 4 * k);
  return new Uint8Array(bytes.buffer);
}
