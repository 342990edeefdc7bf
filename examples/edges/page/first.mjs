// A fresh page without Python: the photograph's histogram, then its edges if there is a canvas for them. `drawn` has when
// each was drawn, in ms from the start of the page, which lies beside the files and has the browser fetch at once what
// the histogram needs.
import { Runtime } from "/web/dist/index.js";

const begun = performance.now(); // until here it is the browser's work: a process for the page, its files
const get = (name) => fetch(name).then((answer) => answer.arrayBuffer());
const load = async (file) => (await opened).load(await file);
const opened = Runtime.create({ backend: document.documentElement.dataset.backend });
const histogram = load(get("histogram.holo"));
const [tasks, bytes] = await Promise.all([get("tasks.json"), get("rgb.bin")]);
const { args } = JSON.parse(new TextDecoder().decode(tasks)).find(({ name }) => name === "edges");
const rgb = { data: new Uint8Array(bytes), shape: args.rgb.shape };
const drawn = { script: begun };

const running = (await histogram).run({ rgb });
const canvas = document.querySelector("#edges");
const file = canvas && get("edges.holo"); // beside the run: earlier it would keep the histogram waiting
const counts = await running;
const bars = document.querySelector("#histogram").getContext("2d");
const most = Math.max(...counts);
counts.forEach((count, k) => bars.rect(k, 100, 1, (-100 * count) / most));
bars.fill();
drawn.histogram = performance.now();

if (canvas) {
  const edges = await load(file); // only now: reading it would keep the histogram waiting
  const found = await edges.run({ ...args, rgb });
  const [height, width] = rgb.shape;
  Object.assign(canvas, { width, height });
  const picture = new ImageData(width, height);
  new Uint32Array(picture.data.buffer).set(Uint32Array.from(found, (edge) => (edge ? 0xffffffff : 0xff000000)));
  canvas.getContext("2d").putImageData(picture, 0, 0);
  drawn.edges = performance.now();
}
globalThis.drawn = drawn;
