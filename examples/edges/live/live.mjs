// The page: a source of pictures, a runtime with the artifact, and what is shown of a run.
import { Runtime } from "./runtime/index.js";
import { VIEWS, WAYS, coloursOf } from "./views.mjs";

const LONGEST = 1024; // pixels along the longer side; larger pictures are made smaller
const VIDEO = 640;
const KEPT = 31; // times that a median is of

const $ = (id) => document.getElementById(id);
const sliders = ["low", "high", "rounds"].map($);
const work = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

/** The artifact: its address, or what Python made. */
let artifact = "edges.holo";
let runtime = null;
let program = null;
/** Makes the picture of the directions. */
let compass = null;
/** The picture: {width, height, rgb}. */
let image = null;
/** What the last run gave, on the device: Buffers by name. */
let planes = null;
let shown = "edges";
let times = [];
let video = null;

// Messages

function tell(text) {
  $("message").textContent = text;
  $("message").hidden = !text;
}

const told = (error) => (error?.name === "Error" || !error?.name ? String(error?.message ?? error) : `${error.name}: ${error.message}`);
const milliseconds = (value) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

// Pictures

/** Takes a bitmap, a canvas or a video as the picture. */
function take(source, width, height, longest) {
  const scale = Math.min(1, longest / Math.max(width, height));
  const [w, h] = [width, height].map((length) => Math.max(1, Math.round(length * scale)));
  Object.assign(work.canvas, { width: w, height: h });
  work.drawImage(source, 0, 0, w, h);
  const { data } = work.getImageData(0, 0, w, h);
  const rgb = new Uint8Array(3 * w * h);
  for (let from = 0, to = 0; to < rgb.length; from += 4) {
    rgb[to++] = data[from];
    rgb[to++] = data[from + 1];
    rgb[to++] = data[from + 2];
  }
  if (image?.width !== w || image?.height !== h) times = [];
  image = { width: w, height: h, rgb };
}

async function takeFile(blob, what) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(blob, { colorSpaceConversion: "none" });
  } catch {
    tell(`${what} is no picture that this browser can read: choose a PNG, JPEG or WebP file.`);
    return;
  }
  stopVideo();
  tell("");
  take(bitmap, bitmap.width, bitmap.height, LONGEST);
  bitmap.close();
  $("photo").ariaPressed = String(what === "the photograph");
  await run();
}

async function takePhotograph() {
  const response = await fetch("photo.png");
  if (!response.ok) return tell(`photo.png cannot be read: status ${response.status}`);
  await takeFile(await response.blob(), "the photograph");
}

// Webcam

function stopVideo() {
  for (const track of video?.srcObject?.getTracks() ?? []) track.stop();
  video = null;
  $("webcam").ariaPressed = "false";
  $("fps").textContent = "–";
}

async function startVideo() {
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { width: VIDEO } });
  } catch (error) {
    tell(`There is no webcam to be had: ${told(error)}`);
    return;
  }
  const mine = (video = Object.assign(document.createElement("video"), { srcObject: stream, muted: true, playsInline: true }));
  $("webcam").ariaPressed = "true";
  $("photo").ariaPressed = "false";
  await mine.play();
  const frames = [];
  while (video === mine) {
    take(mine, mine.videoWidth, mine.videoHeight, VIDEO);
    if (!(await run())) stopVideo();
    const now = performance.now();
    frames.push(now);
    while (frames[0] < now - 1000) frames.shift();
    if (frames.length > 1 && video) $("fps").textContent = `${((1000 * (frames.length - 1)) / (now - frames[0])).toFixed(1)} a second`;
    await new Promise(requestAnimationFrame);
  }
}

// Runs

/** Opens the device that is asked for, and loads the artifact there. */
async function open() {
  const before = runtime;
  [runtime, program, planes, times] = [null, null, null, []];
  await before?.close();
  const backend = $("backend").value;
  const start = performance.now();
  let opened = null;
  try {
    opened = await Runtime.create({ backend });
    const created = performance.now();
    const loaded = await opened.load(artifact);
    $("opened").textContent = milliseconds(created - start);
    $("load").textContent = milliseconds(performance.now() - created);
    compass = await opened.load("compass.holo");
    [runtime, program] = [opened, loaded]; // at once: a picture that comes meanwhile runs what is there
    if (before?.info.selected !== opened.info.selected) freshCanvases();
  } catch (error) {
    for (const id of ["selected", "adapter", "reason", "opened", "load", "run", "inside"]) $(id).textContent = "–";
    tell(told(error));
    await opened?.close();
    return;
  }
  const { selected, adapter, reason } = runtime.info;
  $("selected").textContent = { webgpu: "WebGPU", wasm: "WebAssembly" }[selected];
  const named = adapter && [adapter.vendor, adapter.architecture, adapter.description].filter(Boolean).join(" ");
  $("adapter").textContent = !named ? "none was asked for" : selected === "webgpu" ? named : `none; there is ${named}`;
  $("reason").textContent = reason;
}

let watched = null;

/** Tells when the GPU's device is lost; runs open a new one. */
function watch() {
  const [mine, gpu] = [runtime, runtime.gpuDevice];
  if (!gpu || gpu === watched) return;
  watched = gpu;
  gpu.lost.then(({ message, reason }) => {
    if (mine !== runtime) return;
    tell(`The device was lost: ${message || reason}. A new one is opened.`);
    run();
  });
}

let turn = Promise.resolve();
let waiting = false;

/** Runs the plan on the picture, after what runs now; whether it went well. Calls while one waits are that one. */
function run() {
  if (waiting) return turn;
  waiting = true;
  turn = turn.then(async () => {
    waiting = false;
    if (!program || !image) return false;
    const { width, height, rgb } = image;
    const [low, high, rounds] = sliders.map(({ valueAsNumber }) => valueAsNumber);
    const args = { rgb: { data: rgb, shape: [height, width, 3] }, low: 256 * low, high: 256 * high, rounds };
    let inside = null;
    for (let attempt = 0; ; attempt++) {
      try {
        const start = performance.now();
        watch();
        const made = await program.run(args, { output: "buffer" });
        times.push(performance.now() - start);
        inside = runtime.stats().milliseconds;
        const before = planes;
        planes = { rgb: runtime.buffer("u8", rgb, [height, width, 3]), ...made };
        await show(width, height);
        for (const plane of Object.values(before ?? {})) plane.free();
        break;
      } catch (error) {
        if (error.name === "BackendUnavailable" && !attempt) continue; // a lost device, of which `watch` tells
        tell(told(error));
        return false;
      }
    }
    times = times.slice(-KEPT);
    $("run").textContent = `${milliseconds(median(times))} (${times.length === 1 ? "first" : `${times.length} runs`})`;
    $("inside").textContent = inside === null ? "it has no clock" : milliseconds(inside);
    document.body.dataset.runs = String(Number(document.body.dataset.runs ?? 0) + 1);
    return true;
  });
  return turn;
}

// What is shown

const small = new Map(
  Object.entries(VIEWS).map(([name, [caption]]) => {
    const button = Object.assign(document.createElement("button"), { type: "button", ariaPressed: String(name === shown) });
    button.append(document.createElement("canvas"), caption);
    button.addEventListener("click", () => {
      shown = name;
      for (const [other, button] of small) button.ariaPressed = String(other === name);
      if (planes) showLarge(image.width, image.height).catch((error) => tell(told(error)));
    });
    $("planes").append(button);
    return [name, button];
  }),
);

/** A canvas draws with the device that drew on it first: another one takes others. */
function freshCanvases() {
  for (const canvas of document.querySelectorAll("canvas")) canvas.replaceWith(canvas.cloneNode());
}

async function show(width, height) {
  const drawn = [...small].map(([name, button]) => draw(button.querySelector("canvas"), name));
  await Promise.all([...drawn, showLarge(width, height)]);
}

function showLarge(width, height) {
  $("shown").textContent = VIEWS[shown][0];
  $("size").textContent = `${width} × ${height}`;
  return draw($("large"), shown);
}

/** Buffers of colours, by what they are for; they go with their device. */
let tables = { of: null, by: new Map() };

function table(key, make) {
  const of = runtime.gpuDevice ?? runtime;
  if (tables.of !== of) tables = { of, by: new Map() };
  const { by } = tables;
  if (!by.has(key)) {
    const bytes = make();
    by.set(key, runtime.buffer("u8", bytes, [bytes.length / 4, 4]));
  }
  return by.get(key);
}

/** Draws a plane where it lies. */
async function draw(canvas, name) {
  const plane = planes[name];
  if (name === "direction") {
    const picture = await compass.run({ direction: plane, magnitude: planes.magnitude, colours: table("ways", () => WAYS) }, { output: "buffer" });
    const drawn = runtime.present(canvas, picture);
    picture.free();
    await drawn;
  } else if (VIEWS[name][1]) {
    await runtime.present(canvas, plane, { colours: table(`${name} ${plane.dtype}`, () => coloursOf(name, plane.dtype)) });
  } else await runtime.present(canvas, plane);
}

// Controls

for (const slider of sliders) {
  const write = () => (document.querySelector(`output[for=${slider.id}]`).textContent = slider.id === "rounds" ? slider.value : Number(slider.value).toFixed(2));
  slider.addEventListener("input", () => {
    write();
    run();
  });
  write();
}
$("backend").addEventListener("change", async () => {
  tell("");
  await open();
  await run();
});
$("photo").addEventListener("click", takePhotograph);
$("file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  target.value = "";
  if (file) await takeFile(file, file.name);
});
$("webcam").addEventListener("click", () => {
  tell("");
  if (video) stopVideo();
  else startVideo();
});
for (const kind of ["dragenter", "dragover", "dragleave", "drop"]) {
  addEventListener(kind, (event) => {
    event.preventDefault();
    document.body.classList.toggle("over", kind === "dragenter" || kind === "dragover");
  });
}
addEventListener("drop", async ({ dataTransfer }) => {
  const [file] = dataTransfer.files;
  if (file) await takeFile(file, file.name);
  else tell("What was dropped is no file: save the picture, and drop the file.");
});

// Python

let python = null;
let original = "";

$("python").addEventListener("toggle", async () => {
  if (original) return;
  const response = await fetch("python.json");
  if (!response.ok) return tell(`python.json cannot be read: status ${response.status}`);
  original = (await response.json())["examples/edges/kernels.py"];
  $("source").value = original;
});
$("original").addEventListener("click", () => ($("source").value = original));
$("compile").addEventListener("click", async () => {
  $("compile").disabled = true;
  $("compiled").className = "";
  $("compiled").textContent = python ? "Compiling …" : "Loading Python …";
  python ??= new Worker("python.mjs", { type: "module" });
  const { bytes, error, loading, compiling } = await new Promise((resolve) => {
    python.onmessage = ({ data }) => resolve(data);
    python.onerror = (event) => resolve({ error: `the worker failed: ${event.message}` });
    python.postMessage($("source").value);
  });
  $("compile").disabled = false;
  $("compile").textContent = "Compile";
  if (error) {
    $("compiled").className = "bad";
    $("compiled").textContent = error;
    return;
  }
  tell("");
  artifact = bytes;
  await open();
  if (await run()) {
    const before = loading > 1 ? `Python loaded in ${milliseconds(loading)}, ` : "";
    $("compiled").textContent = `${before}compiled in ${milliseconds(compiling)}: ${bytes.length.toLocaleString("en")} bytes, which run above.`;
  }
});

await Promise.all([open(), takePhotograph()]);
if (!planes) await run(); // the photograph was there before the program
