// The edges in a fresh page without Python; `first` is when they are drawn, in ms from the start of the page.
import { Runtime } from "/web/dist/index.js";

const folder = new URLSearchParams(location.search).get("folder");
const opened = Runtime.create({ backend: "wasm" });
const [tasks, rgb] = await Promise.all([
  fetch(`${folder}/tasks.json`).then((answer) => answer.json()),
  fetch(`${folder}/rgb.bin`).then((answer) => answer.arrayBuffer()),
]);
const { args } = tasks.find(({ name }) => name === "edges");
const [height, width] = args.rgb.shape;
const program = await (await opened).load(`${folder}/edges.holo`);
const edges = await program.run({ ...args, rgb: { data: new Uint8Array(rgb), shape: args.rgb.shape } });
const canvas = Object.assign(document.querySelector("canvas"), { width, height });
const picture = new ImageData(width, height);
new Uint32Array(picture.data.buffer).set(Uint32Array.from(edges, (edge) => (edge ? 0xffffffff : 0xff000000)));
canvas.getContext("2d").putImageData(picture, 0, 0);
globalThis.first = performance.now();
