// A fresh page without Python: the photograph's histogram, then its edges. `drawn` has when each was drawn, in ms from
// the start of the page.
import { Runtime } from "/web/dist/index.js";

const folder = new URLSearchParams(location.search).get("folder");
const get = (name) => fetch(`${folder}/${name}`).then((answer) => answer.arrayBuffer());
const opened = Runtime.create({ backend: "wasm" });
const files = Promise.all(["histogram.holo", "edges.holo"].map(get));
const [tasks, bytes] = await Promise.all([get("tasks.json"), get("rgb.bin")]);
const { args } = JSON.parse(new TextDecoder().decode(tasks)).find(({ name }) => name === "edges");
const rgb = { data: new Uint8Array(bytes), shape: args.rgb.shape };
const runtime = await opened;
const [histogram, edges] = await files;
const drawn = {};

const counts = await (await runtime.load(histogram)).run({ rgb });
const bars = document.querySelector("#histogram").getContext("2d");
const most = Math.max(...counts);
counts.forEach((count, k) => bars.fillRect(k, 100, 1, (-100 * count) / most));
drawn.histogram = performance.now();

const found = await (await runtime.load(edges)).run({ ...args, rgb });
const [height, width] = rgb.shape;
const canvas = Object.assign(document.querySelector("#edges"), { width, height });
const picture = new ImageData(width, height);
new Uint32Array(picture.data.buffer).set(Uint32Array.from(found, (edge) => (edge ? 0xffffffff : 0xff000000)));
canvas.getContext("2d").putImageData(picture, 0, 0);
drawn.edges = performance.now();
globalThis.drawn = drawn;
