// How planes of the plan are made visible; examples/edges/pictures.py does the same for the report.

const BRIGHTEST = 40; // grey levels a pixel; hardly a gradient in a photograph is steeper
const COMPASS = [[255, 90, 95], [255, 159, 28], [255, 225, 77], [142, 224, 78], [46, 196, 182], [58, 134, 255], [138, 92, 246], [241, 91, 181]];
const MARKS = [[0, 0, 0], [58, 134, 255], [255, 255, 255]];

const level = (value) => value / 256; // integers have 8 bits after the point
const root = (value) => 255 * Math.sqrt(level(value) / BRIGHTEST);
const grey = (tone) => (value) => Array(3).fill(tone(value));
const coloured = (colours) => (value) => colours[value] ?? [255, 0, 255];

const smooth = grey(level);
const signed = grey((value) => 128 + (128 * level(value)) / BRIGHTEST);
const steep = grey(root);
const marked = coloured(MARKS);

/** By the name of a plane: what it shows, and the colour of a value; the picture and the directions have no table. */
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
  edges: ["Edges", grey((value) => value)],
};

/** What `colour` gives the numbers below `count`, as pixels: words of 32 bits. */
function pixels(colour, count) {
  const bytes = new Uint8ClampedArray(4 * count);
  for (let k = 0; k < count; k++) bytes.set([...colour(k), 255], 4 * k);
  return new Uint32Array(bytes.buffer);
}

// Twelve planes of 640 x 480 were 590 ms with a call for every pixel, and a webcam had 1.5 pictures a second.
const tables = new Map();

/** The pixels of all values that a plane of 8 or 16 bits can have, by their bits. */
function table(colour, bits, isSigned) {
  const key = `${bits} ${isSigned}`;
  if (!tables.has(colour)) tables.set(colour, {});
  return (tables.get(colour)[key] ??= pixels((k) => colour(isSigned ? (k << (32 - bits)) >> (32 - bits) : k), 1 << bits));
}

/** The pixels by 256 times a direction and the brightness of its gradient. */
const directions = pixels((k) => COMPASS[k >> 8].map((part) => (part * (k & 255)) / 255), COMPASS.length << 8);

/** The picture of a plane. */
export function picture(name, planes, width, height) {
  const image = new ImageData(width, height);
  const { data } = image;
  const words = new Uint32Array(data.buffer);
  const plane = planes[name];
  if (name === "rgb") {
    for (let from = 0, to = 0; to < data.length; from += 3, to += 4) {
      data[to] = plane[from];
      data[to + 1] = plane[from + 1];
      data[to + 2] = plane[from + 2];
      data[to + 3] = 255;
    }
  } else if (name === "direction") {
    const bright = table(steep, 16, false);
    for (let k = 0; k < words.length; k++) words[k] = directions[((plane[k] & 7) << 8) | (bright[planes.magnitude[k] & 0xffff] & 255)];
  } else {
    const bits = plane.BYTES_PER_ELEMENT === 1 ? 8 : 16;
    const colours = table(VIEWS[name][1], bits, plane instanceof Int8Array || plane instanceof Int16Array || plane instanceof Int32Array);
    const mask = colours.length - 1;
    for (let k = 0; k < words.length; k++) words[k] = colours[plane[k] & mask];
  }
  return image;
}
