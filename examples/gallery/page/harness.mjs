// What all pages of the gallery share: device, canvas, frames, controls, pointer, keys, and what was measured.
//
// A page calls gallery({ programs, controls, setup }): `programs` names its files, `controls` what a reader may set, and
// `setup(tools)` gives { frame, colours, pointer, key, moving }, of which only frame is needed: it starts runs and gives the
// Buffer to show. `setup` is called for each device, and again on restart; Buffers made by `tools.buffer` are freed then.
import { Runtime } from "./runtime/index.js";

const KEPT = 61; // frames that a median is of
const NAMES = { webgpu: "WebGPU", wasm: "WebAssembly" };

const $ = (id) => document.getElementById(id);
const name = document.body.dataset.name;
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const clamp = (value) => Math.min(Math.max(value, 0), 1);

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Colours from dark to bright for u8, or `count` values: u8[count, 4], between stops like "#ff8800". */
export function ramp(stops, count = 256) {
  const parts = stops.map((stop) => [1, 3, 5].map((k) => parseInt(stop.slice(k, k + 2), 16)));
  const bytes = new Uint8ClampedArray(4 * count);
  for (let k = 0; k < count; k++) {
    const place = (k / (count - 1)) * (parts.length - 1);
    const [low, part] = [Math.min(Math.floor(place), parts.length - 2), place - Math.min(Math.floor(place), parts.length - 2)];
    bytes.set([0, 1, 2].map((c) => parts[low][c] + (parts[low + 1][c] - parts[low][c]) * part), 4 * k);
    bytes[4 * k + 3] = 255;
  }
  return new Uint8Array(bytes.buffer);
}

/** Random numbers from 0 to 1, the same each time, so that pictures are. */
export function random(seed = 1) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A view that pointer and arrow keys turn around what is seen. */
export function orbit(turn, tilt) {
  const eye = { turn, tilt, moved: false };
  const move = (dx, dy) => {
    if (!dx && !dy) return false;
    [eye.turn, eye.tilt, eye.moved] = [eye.turn - dx, Math.min(Math.max(eye.tilt + dy, -0.2), 1.3), true];
    return true;
  };
  const keys = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
  eye.drag = (pointer) => pointer.down && move(5 * pointer.dx, 3 * pointer.dy);
  eye.key = (key) => key in keys && move(...keys[key]);
  return eye;
}

// What is told

function complain(error) {
  const text = typeof error === "string" ? error : !error?.name || error.name === "Error" ? String(error?.message ?? error) : `${error.name}: ${error.message}`;
  $("message").textContent = text;
  $("message").hidden = !text;
}

/** Which device computes, in words: a program that stands in for a GPU is never called one. */
function deviceText({ info, threads }) {
  if (info.selected === "wasm") {
    const { number, reason } = threads; // why there are not more: "of 2 processors" is no news
    return [`${NAMES.wasm}, ${number} ${number === 1 ? "thread" : "threads"}`, reason.startsWith("of ") ? "the processor" : `the processor; ${reason}`];
  }
  const { vendor, architecture, description, real } = info.adapter;
  const named = [vendor, architecture, description].filter(Boolean).join(" ") || "an adapter without a name";
  return [NAMES.webgpu, real ? named : `${named}, which is a program on the processor and no GPU`];
}

// Controls

/** A row of the panel: a slider, a choice, or a button, by what its description has. */
function control(key, { label, min, max, step, value, options, press, text }, changed) {
  if (press) return element("button", { type: "button", id: key, onclick: () => press() || changed(key) }, label);
  if (options) {
    const select = element("select", { id: key, onchange: () => changed(key, select.value) });
    select.append(...Object.entries(options).map(([option, title]) => element("option", { value: option, selected: option === value }, title)));
    return element("label", { className: "row" }, label, select);
  }
  if (text !== undefined) {
    const input = element("input", { type: "text", id: key, value: text, maxLength: max, spellcheck: false, oninput: () => changed(key, input.value) });
    return element("label", { className: "slider" }, label, input);
  }
  const output = element("output", {}, String(value));
  const slider = element("input", { type: "range", id: key, min, max, step, value });
  slider.oninput = () => {
    output.textContent = slider.value;
    changed(key, slider.valueAsNumber);
  };
  return element("label", { className: "slider" }, label, output, slider);
}

const initial = ({ value, options, text }) => value ?? text ?? (options && Object.keys(options)[0]);

// The page

export async function gallery({ programs, controls = {}, setup, media }) {
  const values = Object.fromEntries(Object.entries(controls).map(([key, one]) => [key, initial(one)]));
  const pointer = { x: 0.5, y: 0.5, dx: 0, dy: 0, down: false, shift: false };
  let [runtime, loaded, demo] = [null, {}, null];
  let buffers = [];
  let pending = [];
  let [paused, stale, opening] = [matchMedia("(prefers-reduced-motion: reduce)").matches, true, 0];
  let [shown, computed] = [[], []];

  const tools = {
    values,
    get runtime() {
      return runtime;
    },
    /** Of data and a shape, or of zeros of a shape. */
    buffer(type, content, shape) {
      const made = runtime.buffer(type, Array.isArray(content) && !shape ? { shape: content } : content, shape);
      buffers.push(made);
      return made;
    },
    /** Starts a run; the frame waits for it, and an error of it ends the frames. */
    run(program, args) {
      const started = loaded[program].run(args, { output: "buffer" });
      started.catch(() => {}); // the frame tells
      pending.push(started);
      return started;
    },
    say: (text) => ($("said").textContent = text),
    complain,
    restart: () => open(false),
    redraw: () => (stale = true),
    picture: (width, height) => media.picture(width, height),
    sound: (count) => media.sound(count),
  };

  $("own").append(...Object.entries(controls).map(([key, one]) => control(key, one, changed)));
  $("own").hidden = !Object.keys(controls).length;
  const started = media?.start({ complain, redraw: tools.redraw, panel: $("own") });
  document.body.dataset.made = ""; // what was hidden shows: style.css
  await started;

  function changed(key, value) {
    if (value !== undefined) values[key] = value;
    stale = true;
    if (controls[key].restarts) open(false);
  }

  /** Opens the device that is asked for, or keeps the one there is, and sets the demonstration up. */
  async function open(another) {
    const mine = ++opening;
    demo = null;
    complain("");
    try {
      if (another) {
        const before = runtime;
        runtime = null;
        buffers = [];
        await before?.close();
        const opened = await Runtime.create({ backend: $("backend").value });
        const files = await Promise.all(programs.map(async (program) => [program, await opened.load(`programs/${name}.${program}.holo`)]));
        if (mine !== opening) return await opened.close();
        [runtime, loaded] = [opened, Object.fromEntries(files)];
        const fresh = $("canvas").cloneNode(); // a canvas draws with the kind of device that drew on it first
        $("canvas").replaceWith(fresh);
      }
      for (const buffer of buffers.splice(0)) buffer.free();
      const made = await setup(tools);
      if (made.colours) made.colours = tools.buffer("u8", made.colours, [made.colours.length / 4, 4]);
      if (mine !== opening) return;
      [demo, stale, shown, computed] = [made, true, [], []];
      [$("device").textContent, $("adapter").textContent] = deviceText(runtime);
    } catch (error) {
      if (mine === opening) complain(error);
    }
  }

  async function draw(time) {
    const [mine, start] = [demo, performance.now()];
    pending = [];
    try {
      const picture = await mine.frame({ time, pointer });
      await Promise.all(pending);
      computed = [...computed, performance.now() - start].slice(-KEPT);
      if (mine !== demo) return;
      await runtime.present($("canvas"), picture, mine.colours && { colours: mine.colours });
      [pointer.dx, pointer.dy] = [0, 0];
      document.body.dataset.frames = String(Number(document.body.dataset.frames ?? 0) + 1);
    } catch (error) {
      if (mine !== demo) return;
      if (error.name === "BackendUnavailable") return await open(true); // a lost device
      complain(error);
      demo = null;
    }
    const now = performance.now();
    shown.push(now);
    while (shown[0] < now - 1000) shown.shift();
  }

  let told = 0;
  async function loop(time) {
    const moving = demo && !paused && (demo.moving?.() ?? true);
    if (demo && (moving || stale)) {
      stale = false;
      await draw(time);
    }
    if (time - told > 250) {
      told = time;
      const span = shown.at(-1) - shown[0];
      $("rate").textContent = moving && span > 500 ? ((1000 * (shown.length - 1)) / span).toFixed(1) : "–";
      $("computed").textContent = computed.length ? `${median(computed).toFixed(2)} ms` : "–";
      $("computed").title = computed.length ? `the fastest of ${computed.length}: ${Math.min(...computed).toFixed(2)} ms` : "";
    }
    requestAnimationFrame(loop);
  }

  // Pause, step, restart; pointer and keys

  function pause(on) {
    paused = on;
    shown = [];
    $("pause").textContent = on ? "Go on" : "Pause";
    $("pause").ariaPressed = String(on);
  }
  const step = () => {
    pause(true);
    stale = true;
  };
  const actions = { " ": () => pause(!paused), ".": step, r: () => open(false) };
  $("pause").onclick = actions[" "];
  $("step").onclick = step;
  $("restart").onclick = actions.r;
  $("backend").onchange = () => open(true);
  pause(paused);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest?.("input, select, textarea, button, a, summary");
    const action = !typing && (actions[event.key] ?? (event.target === $("stage") && demo?.key && (() => demo.key(event.key))));
    if (!action) return;
    if (action() !== false) event.preventDefault();
    stale = true;
  });

  function move(event) {
    const { left, top, width, height } = $("canvas").getBoundingClientRect();
    const [x, y] = [clamp((event.clientX - left) / width), clamp((event.clientY - top) / height)];
    pointer.dx += x - pointer.x;
    pointer.dy += y - pointer.y;
    Object.assign(pointer, { x, y, shift: event.shiftKey });
    demo?.pointer?.(pointer, event.type);
    stale ||= pointer.down;
  }
  const stage = $("stage");
  stage.addEventListener("pointerdown", (event) => {
    if (event.target !== $("canvas") || event.button) return;
    stage.setPointerCapture(event.pointerId);
    move(event);
    Object.assign(pointer, { down: true, dx: 0, dy: 0 });
    demo?.pointer?.(pointer, event.type);
    stale = true;
  });
  stage.addEventListener("pointermove", move);
  for (const kind of ["pointerup", "pointercancel"]) stage.addEventListener(kind, () => (pointer.down = false));
  stage.addEventListener("wheel", (event) => {
    if (!demo?.wheel) return;
    event.preventDefault();
    move(event);
    demo.wheel(event.deltaY, pointer);
    stale = true;
  });

  if (location.hash.slice(1) in NAMES) $("backend").value = location.hash.slice(1);
  await open(true);
  requestAnimationFrame(loop);
}
