// How planes of the plan are made visible; examples/edges/pictures.py does the same for the report.

const BRIGHTEST = 40; // grey levels a pixel; hardly a gradient in a photograph is steeper
const COMPASS = [[255, 90, 95], [255, 159, 28], [255, 225, 77], [142, 224, 78], [46, 196, 182], [58, 134, 255], [138, 92, 246], [241, 91, 181]];
const MARKS = [[0, 0, 0], [58, 134, 255], [255, 255, 255]];

const level = (value) => value / 256; // integers have 8 bits after the point
const root = (value) => 255 * Math.sqrt(level(value) / BRIGHTEST);
const grey = (tone) => (value, _, put) => put(tone(value), tone(value), tone(value));
const coloured = (colours) => (value, _, put) => put(...(colours[value] ?? [255, 0, 255]));

const direction = (value, bright, put) => {
  const [r, g, b] = COMPASS[value & 7];
  const share = Math.min(root(bright) / 255, 1);
  put(r * share, g * share, b * share);
};

/** By the name of a plane: what it shows, and the colour of a value (null: it is colours itself). */
export const VIEWS = {
  rgb: ["The picture", null],
  luma: ["Luminance", grey(level)],
  blur_rows: ["Blurred along the rows", grey(level)],
  smooth: ["Blurred both ways", grey(level)],
  gx: ["Gradient to the right", grey((value) => 128 + (128 * level(value)) / BRIGHTEST)],
  gy: ["Gradient downwards", grey((value) => 128 + (128 * level(value)) / BRIGHTEST)],
  magnitude: ["Magnitude of the gradient", grey(root)],
  direction: ["Its direction", direction],
  thin: ["The highest pixels", grey(root)],
  marks: ["Strong and weak pixels", coloured(MARKS)],
  grown: ["After hysteresis", coloured(MARKS)],
  edges: ["Edges", grey((value) => value)],
};

/** The picture of a plane. */
export function picture(name, planes, width, height) {
  const image = new ImageData(width, height);
  const { data } = image;
  const plane = planes[name];
  const [, colour] = VIEWS[name];
  let at = 0;
  const put = (r, g, b) => {
    data[at++] = r;
    data[at++] = g;
    data[at++] = b;
    data[at++] = 255;
  };
  if (!colour) for (let k = 0; k < plane.length; k += 3) put(plane[k], plane[k + 1], plane[k + 2]);
  else for (let k = 0; k < plane.length; k++) colour(plane[k], planes.magnitude[k], put);
  return image;
}
