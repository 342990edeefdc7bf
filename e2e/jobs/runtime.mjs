// What the runtime does besides running programs. Each check throws if something is not as it has to be.

const equal = (found, expected, what) => {
  const [a, b] = [found, expected].map((value) => JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)));
  if (a !== b) throw new Error(`${what ?? "it"} is ${a}, not ${b}`);
};

async function rejects(work, name, text) {
  let error = null;
  try {
    await (typeof work === "function" ? work() : work);
  } catch (caught) {
    error = caught;
  }
  equal(error?.name, name, `the error (${error?.message})`);
  if (text !== undefined && !error.message.includes(text)) throw new Error(`the message is ${error.message}, without ${text}`);
  return error;
}

function gpuBufferOf({ gpuDevice }, data) {
  const buffer = gpuDevice.createBuffer({ size: data.byteLength, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
  gpuDevice.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

const CLASSES = { f32: Float32Array, u32: Uint32Array, i32: Int32Array, u8: Uint8Array, u16: Uint16Array };
const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** Arguments and results as samples.json has them. */
function unpacked(values) {
  const array = ({ type, shape, data }) => ({ data: new CLASSES[type](bytes(data).buffer), shape });
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === "object" ? array(value) : value]));
}

/** What stands in for a canvas on WebGPU: browsers without a GPU show nothing of a real one. `read` gives its pixels. */
function textured(device) {
  let texture;
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
  const context = { configure: ({ format }) => (context.format = format), getCurrentTexture: () => (texture = device.createTexture({ size: [canvas.width, canvas.height], format: context.format, usage })) };
  const canvas = {
    width: 1,
    height: 1,
    getContext: (kind) => (kind === "webgpu" ? context : null),
    async read() {
      const { width, height } = canvas;
      const buffer = device.createBuffer({ size: 256 * height, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, [width, height]);
      device.queue.submit([encoder.finish()]);
      await buffer.mapAsync(GPUMapMode.READ);
      const rows = new Uint8Array(buffer.getMappedRange().slice(0));
      const [red, blue] = context.format.startsWith("bgra") ? [2, 0] : [0, 2];
      const pixel = (at) => [rows[at + red], rows[at + 1], rows[at + blue], rows[at + 3]];
      return Array.from({ length: width * height }, (_, k) => pixel(256 * Math.floor(k / width) + 4 * (k % width))).flat();
    },
  };
  return canvas;
}

const checks = {
  async samples({ runtime, samples }) {
    for (const [name, { holo, args, results }] of Object.entries(samples)) {
      if (name === "everything" || name === "long") continue; // their code is none
      const program = await runtime.load(bytes(holo));
      equal(program.name, { collectives: "rounds" }[name] ?? name);
      for (let round = 0; round < 2; round++) {
        const found = await program.run(unpacked(args));
        for (const [key, { data }] of Object.entries(unpacked(results))) equal([...(found[key] ?? found)], [...data], `${name} ${key}`);
      }
      program.dispose();
    }
  },

  async buffers({ runtime }) {
    const buffer = runtime.buffer("f32", new Float32Array([1, 2, 3]));
    equal([buffer.dtype, buffer.shape, buffer.length, buffer.nbytes], ["f32", [3], 3, 12]);
    await buffer.write(new Float32Array([7]), 1);
    equal([...(await buffer.read())], [1, 7, 3]);
    await rejects(() => buffer.write(new Float32Array(3), 1), "InvalidBuffer", "do not fit");
    await rejects(() => buffer.write(new Int32Array(1)), "LaunchError", "content is of type Int32Array; a list or Float32Array is expected");
    buffer.free();
    buffer.free();
    await rejects(() => buffer.read(), "InvalidBuffer", "freed");
    const odd = runtime.buffer("u8", new Uint8Array([1, 2, 3, 4, 5]));
    equal([...(await odd.read())], [1, 2, 3, 4, 5]);
    equal((await runtime.buffer("u64", { shape: [2, 3] }).read()).length, 6);
    equal((await runtime.buffer("f32", 0).read()).length, 0);
    await rejects(async () => runtime.buffer("f33", 1), "LaunchError", "is no type");
    await rejects(async () => runtime.buffer("f32", { shape: [2, -1] }), "LaunchError", "[2,-1] is no shape");
    await rejects(async () => runtime.buffer("f32", { sizes: [2] }), "LaunchError", "there is no option 'sizes': there is shape");
    await rejects(async () => runtime.buffer("f32", new Float32Array(3), [2, 2]), "LaunchError", "shape");
    odd.free();
  },

  async "writes at any place"({ runtime }) {
    for (const [type, Class] of Object.entries(CLASSES)) {
      const buffer = runtime.buffer(type, new Class(11).fill(9));
      const wanted = Array(11).fill(9);
      for (const [at, length] of [[0, 1], [3, 2], [10, 1], [5, 5], [1, 9]]) {
        void buffer.write(new Class(length).fill(at), at);
        wanted.fill(at, at, at + length);
        equal([...(await buffer.read())], wanted, `${type} at ${at}`);
      }
      buffer.free();
    }
  },

  async "arguments are taken at the call"({ runtime, saxpy, pair }) {
    const x = new Float32Array([1, 1]);
    const y = runtime.buffer("f32", 2);
    const args = { a: 0, x, y };
    for (let k = 1; k <= 3; k++) {
      args.a = k;
      void saxpy.run(args); // 1 + 2 + 3
      x.fill(k + 1); // 1 * 1 + 2 * 2 + 3 * 3
    }
    equal([...(await y.read())], [14, 14]);
    const data = new Uint32Array([1, 2]);
    const run = pair.run({ m: { data, shape: [1, 2] } });
    data.fill(0);
    equal([...(await run).total], [3]);
    y.free();
  },

  async "what was started before free goes on"({ runtime, saxpy }) {
    const x = runtime.buffer("f32", new Float32Array([1, 2]));
    const y = runtime.buffer("f32", 2);
    const run = saxpy.run({ a: 2, x, y });
    x.free();
    const write = y.write(new Float32Array([5]), 1);
    const read = y.read();
    y.free();
    await run;
    await write;
    equal([...(await read)], [2, 5]);
    await rejects(saxpy.run({ a: 1, x, y: new Float32Array(2) }), "InvalidBuffer", "freed");
    await rejects(() => y.write(new Float32Array(1)), "InvalidBuffer", "freed");
  },

  async "memory is recycled, and zero when it is new"({ runtime, saxpy }) {
    const { liveBytes } = runtime.stats();
    for (let round = 0; round < 200; round++) {
      const buffer = runtime.buffer("u32", 1000);
      if (round % 50 === 0) equal((await buffer.read()).some((word) => word), false, "a new buffer");
      await buffer.write(new Uint32Array(1000).fill(round + 1));
      buffer.free();
    }
    for (let round = 0; round < 20; round++) await saxpy.run({ a: 1, x: new Float32Array(500), y: new Float32Array(500) });
    await runtime.buffer("u32", 0).read(); // what was freed is, when its turn comes
    equal(runtime.stats().liveBytes, liveBytes, "live bytes");
  },

  async "runs like the one before"({ runtime, load }) {
    const pick = await load("pick"); // y[i] = x[k[i]] + a
    const u32 = (...words) => runtime.buffer("u32", new Uint32Array(words));
    const [x, k, y, z] = [u32(10, 20, 30), u32(2, 0), u32(0, 0), u32(5, 1)];
    const args = { x, k, y, a: 1 };
    const three = async (more, wanted) => {
      for (const round of [1, 2, 3]) {
        const given = { ...args, ...more };
        equal((await pick.run(given)) === given.y, true, "the result");
        equal([...(await given.y.read())], wanted, `y, round ${round}`);
      }
    };
    await three({}, [31, 11]);
    await three({ a: 2n }, [32, 12]);
    await three({ a: 2 ** 32 - 1 }, [29, 9]);
    const { kind, lane, message } = await rejects(pick.run({ ...args, k: z }), "ExecutionError");
    equal([kind, lane, message.includes("index 5")], ["OutOfBounds", 0, true]);
    await three({}, [31, 11]);
    await rejects(pick.run({ ...args, k: z }), "ExecutionError", message);
    await three({ y: z }, [31, 11]);
    await three({ x: u32(4, 3, 2, 1), k: u32(3) , y: u32(0) }, [2]);
    const large = runtime.buffer("u8", 2 ** 25); // for which memory has to grow
    await three({ a: 0 }, [30, 10]);
    large.free();
    await three({ y: x, x: u32(1, 2), k: u32(1, 0, 1) }, [3, 2, 3]);
    await three({ x: z, k: u32(0, 0), y }, [32, 32]);
    for (const wanted of [[3, 4], [5, 4], [5, 6]]) {
      await y.write(new Uint32Array([wanted[1] - 1, wanted[0] - 1]));
      await pick.run({ ...args, x: y, k: u32(1, 0) });
      equal([...(await y.read())], wanted, "what is read and written, and so copied before");
    }
    void k.write(new Uint32Array([1, 1]));
    const first = pick.run(args);
    void k.write(new Uint32Array([0, 0]));
    const copied = first.then(() => {});
    const last = pick.run({ ...args, y: z });
    await Promise.all([copied, last]);
    equal([[...(await y.read())], [...(await z.read())]], [[3, 3], [4, 4]], "in the order of calls");
    const words = new Uint32Array([7, 8]);
    const arrays = [1, 2, 3].map((a) => pick.run({ x: words.fill(a), k: new Uint32Array([0, 1]), a }));
    equal((await Promise.all(arrays)).map((found) => [...found]), [[2, 2], [4, 4], [6, 6]], "arrays");
    const given = { x: words, k: new Uint32Array([0, 1]), y: words, a: 1 };
    const own = await pick.run(given);
    equal([[...(await pick.run(given))], [...own], [...words]], [[4, 4], [4, 4], [3, 3]], "other arrays");
    await rejects(pick.run({ ...args, a: -1 }), "LaunchError", "a is -1; u32 is expected");
    await rejects(pick.run({ ...args, b: 1 }), "LaunchError", "'b' is no port");
    await rejects(pick.run(Object.create(args, { x: { value: x, enumerable: true } })), "LaunchError", "'k' is missing");
    const broken = { ...args, get y() { throw new Error("no"); } };
    await rejects(pick.run(broken), "LaunchError", "cannot be read");
    await rejects(pick.run(args, { signal: AbortSignal.abort() }), "ExecutionError", "cancelled");
    await rejects(pick.run(args, { steps: 0 }), "LaunchError", "steps");
    await pick.run(args);
    x.free();
    for (const round of [1, 2]) {
      await rejects(pick.run(args), "InvalidBuffer", "freed");
      await y.read();
    }
    pick.dispose();
    await three({ x: u32(1, 1) }, [2, 2]);
    for (const buffer of [k, y, z]) buffer.free();
    const spread = await load("spread"); // y[k[i]] = i + 1
    for (const [k, wanted] of [[[0, 0], [2, 0]], [[1, 1], [0, 2]], [[0, 0], [2, 0]]]) {
      equal([...(await spread.run({ k: new Uint32Array(k) }))], wanted, "what is made of zeros");
    }
    const powers = await load("powers");
    const runs = async (program) => {
      const found = [];
      for (const count of [3, 3, 2, 2, 3]) found.push([...(await program.run({ count, x: new Uint32Array([2, 3, 4, 5]) }))]);
      return found;
    };
    const found = await runs(powers);
    equal([found[1], found[4], found[3]], [found[0], found[0], found[2]], "rounds");
    equal(String(found[0]) === String(found[2]), false, "two rounds are three");
  },

  async "recordings are done again with what Buffers hold"({ runtime, saxpy, pair, load }) {
    const [x, y, z] = [[1, 2], [0, 0], [0, 0]].map((data) => runtime.buffer("f32", new Float32Array(data)));
    const spread = await load("spread");
    const [k, s] = [runtime.buffer("u32", new Uint32Array([1, 1])), runtime.buffer("u32", 2)];
    const args = { a: 2, x, y };
    const recording = await runtime.record([[saxpy, args], [saxpy, { a: 10, x: y, y: z }], [spread, { k, y: s }]]);
    args.a = 5; // was taken
    const before = runtime.stats();
    const runs = [recording.replay(), recording.replay()]; // y: 2, 4, then 4, 8; z: 20, 40, then 60, 120
    const seen = z.read();
    await Promise.all(runs);
    equal([[...(await y.read())], [...(await seen)], [...(await s.read())]], [[4, 8], [60, 120], [0, 2]]);
    const { launches, submits } = runtime.stats();
    equal(launches - before.launches, 6);
    if (runtime.info.selected === "webgpu") equal(submits - before.submits, 5, "submits: two, and three reads");
    await x.write(new Float32Array([0, 1]));
    await recording.replay();
    equal([...(await y.read())], [4, 10]);
    await rejects(recording.replay({ signal: AbortSignal.abort() }), "ExecutionError", "cancelled");
    await k.write(new Uint32Array([1, 9]));
    const { kind, lane } = await rejects(recording.replay(), "ExecutionError", "index 9");
    equal([kind, lane], ["OutOfBounds", 1]);
    await rejects(runtime.record([[saxpy, { a: 1, x, y: new Float32Array(2) }]]), "LaunchError", "y: a recording takes Buffers");
    await rejects(runtime.record([[saxpy, { a: 1, x }]]), "LaunchError", "y: a recording takes Buffers");
    await rejects(runtime.record([[saxpy, { x, y }]]).then((found) => found.replay()), "LaunchError", "'a' is missing");
    await (await runtime.record([])).replay();
    x.free();
    await rejects(recording.replay(), "InvalidBuffer", "freed");
    recording.free();
    recording.free();
    await recording.replay();
    for (const buffer of [y, z, k, s]) buffer.free();
  },

  async "explain says which code launches take, and why"({ runtime, saxpy, load }) {
    const onGpu = runtime.info.selected === "webgpu";
    const saying = (found, ...texts) => {
      for (const text of texts) if (!found.includes(text)) throw new Error(`it says ${found}, not ${text}`);
    };
    const y = runtime.buffer("f32", 8);
    const proven = onGpu ? ["the shader without needless checks", ", as ", "bytes(buffer x) - "] : ["the module, ", "each block checks what it cannot prove"];
    saying(await runtime.explain(saxpy, { a: 2, x: new Float32Array(8).fill(3), y }), `on ${runtime.info.device}\n`, "8 x 1 x 1 lanes in 1 x 1 x 1 blocks: ", ...proven);
    equal([...(await y.read())], Array(8).fill(6));
    y.free();
    const only = onGpu ? "one shader, with checks: no condition of a launch bounds where lanes reach buffer y" : "each block checks";
    saying(await runtime.explain(await load("turned"), { a: 0, y: new Uint32Array(4) }), only);
    const shaped = (...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b)), shape });
    const product = { a: shaped(1, 3), b: shaped(3, 16), c: shaped(1, 16), beta: 0 };
    const one = onGpu ? "gemm_tiles_f32_f32_f32" : "gemm_thin_f32_f32_f32";
    saying(await runtime.explain(await load("product"), { ...product, m: 1, n: 16, k: 3 }), one);
    saying(await runtime.explain(await load("rows"), { x: shaped(2, 3) }), "; 3 passes, also of short rows: their length is not known");
    const spread = await load("spread");
    await rejects(runtime.explain(spread, { k: new Uint32Array([1, 9]), y: new Uint32Array(2) }), "ExecutionError", "index 9");
    await rejects(runtime.explain(saxpy, { a: 2 }), "LaunchError", "x");
    await rejects(runtime.explain({}, {}), "LaunchError", "a program");
    await rejects(runtime.explain(saxpy, { a: 2, x: new Float32Array(1), y: new Float32Array(1) }, { steps: 0 }), "LaunchError", "steps");
  },

  async "a file over several devices says who runs it"({ load }) {
    const x = new Float32Array([1, 2, 3]);
    await rejects(load("meeting").then((meeting) => meeting.run({ x })), "CompileError", "it is over 2 devices, and a page has one: natively hg.Mesh(...).run");
    equal([...x], [1, 2, 3]);
  },

  async "a trace has a span for each launch, with the GPU's own time"({ runtime, saxpy, load, explain }) {
    const { trace, chromeEvents } = await explain();
    const onGpu = runtime.info.selected === "webgpu";
    const clock = onGpu && runtime.gpuDevice.features.has("timestamp-query");
    const n = 1 << 20;
    const [x, y] = [3, 0].map((value) => runtime.buffer("f32", new Float32Array(n).fill(value)));
    const { device, note, spans } = await trace(runtime, saxpy, { a: 2, x, y });
    equal([...(await y.read())].every((value) => value === 6), true, "what it computes");
    equal(device, runtime.info.device);
    equal(note, onGpu ? (clock ? null : "the adapter has no timestamp-query to time it") : "WebAssembly runs on no GPU");
    equal(spans.map(({ lanes, bytes }) => [lanes, bytes]), [[[n, 1, 1], 8 * n]]);
    const [{ name, start, milliseconds, gpuMilliseconds, code }] = spans;
    equal([start >= 0, milliseconds > 0, code.length > 10], [true, true, true]);
    // A clock that goes in steps of 0.1 ms shows a million elements on a processor.
    equal(gpuMilliseconds === null ? null : 0 < gpuMilliseconds && gpuMilliseconds < milliseconds + 0.2, clock ? true : null, `${gpuMilliseconds} of ${milliseconds} ms`);
    const { traceEvents } = chromeEvents({ device, note, spans });
    equal(traceEvents[0].args.name, device);
    equal([traceEvents[1].name, traceEvents[1].dur, traceEvents[1].args.gpu_ms ?? null], [name, 1000 * milliseconds, clock ? gpuMilliseconds : null]);
    const many = await trace(runtime, await load("rows"), { x: { data: new Float32Array(6), shape: [2, 3] } });
    equal(many.spans.length > 1, true, "launches of a plan are told one by one");
    equal(many.spans.every((span, k) => k === 0 || span.start >= many.spans[k - 1].start + many.spans[k - 1].milliseconds), true, "they come one after the other");
    x.free();
    await rejects(trace(runtime, saxpy, { a: 2, x, y }), "InvalidBuffer", "freed");
    y.free();
    await rejects(trace({}, saxpy, {}), "LaunchError", "trace takes a Runtime first");
    await rejects(trace(runtime, {}, {}), "LaunchError", "a program");
    await rejects(trace(runtime, saxpy, { a: 2 }, { steps: 0 }), "LaunchError", "steps");
    const trap = { get a() { throw new Error("no"); } };
    await rejects(trace(runtime, saxpy, trap), "LaunchError", "the arguments cannot be read");
  },

  async "a run in an encoder of the caller's"({ runtime, saxpy, load }) {
    const { gpuDevice } = runtime;
    const [x, y] = [[1, 2], [10, 20]].map((data) => runtime.buffer("f32", new Float32Array(data)));
    if (!gpuDevice) {
      await rejects(saxpy.encode({}, { a: 1, x, y }), "BackendUnavailable", "the runtime is on wasm");
      return;
    }
    await y.read(); // what was freed before this check is given back
    const { liveBytes } = runtime.stats();
    const encoder = gpuDevice.createCommandEncoder();
    const first = saxpy.encode(encoder, { a: 2, x, y });
    x.free(); // its memory serves nobody until the run is done
    const twice = [await first, await saxpy.encode(encoder, { a: 3, x: y, y: new Float32Array([0, 1]) })];
    equal(twice[0].outputs === y, true, "the output");
    const made = twice[1].outputs;
    const staging = gpuDevice.createBuffer({ size: 8, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    encoder.copyBufferToBuffer(made.gpuBuffer, 0, staging, 0, 8);
    equal([...(await y.read())], [10, 20], "before it is submitted");
    const other = runtime.buffer("f32", new Float32Array([100, 100]));
    gpuDevice.queue.submit([encoder.finish()]);
    await Promise.all(twice.map((each) => each.done()));
    await twice[0].done();
    await staging.mapAsync(1);
    equal([[...(await y.read())], [...new Float32Array(staging.getMappedRange())]], [[12, 24], [36, 73]]);
    staging.destroy();
    const spread = await load("spread");
    const wrong = gpuDevice.createCommandEncoder();
    const broken = await spread.encode(wrong, { k: new Uint32Array([0, 7]) });
    gpuDevice.queue.submit([wrong.finish()]);
    await rejects(broken.done(), "ExecutionError", "index 7");
    equal([...(await broken.outputs.read())], [1, 0]);
    await rejects(spread.encode(wrong, { k: new Float32Array(1) }), "LaunchError", "Uint32Array");
    for (const buffer of [y, other, made, broken.outputs]) buffer.free();
    await runtime.buffer("u32", 0).read();
    equal(runtime.stats().liveBytes, liveBytes - 16, "live bytes");
  },

  async "pictures are drawn where they lie"({ runtime, saxpy }) {
    if (typeof OffscreenCanvas === "undefined") return; // Node
    const canvas = runtime.gpuDevice ? textured(runtime.gpuDevice) : new OffscreenCanvas(1, 1);
    const drawn = async (canvas, ...given) => {
      await runtime.present(canvas, ...given);
      const { width, height } = canvas;
      return [width, height, [...(canvas.read ? await canvas.read() : canvas.getContext("2d").getImageData(0, 0, width, height).data)]];
    };
    const opaque = (...colours) => colours.flatMap((colour) => [...(Array.isArray(colour) ? colour : [colour, colour, colour]), 255]);
    const buffers = [];
    const buffer = (...given) => (buffers.push(runtime.buffer(...given)), buffers.at(-1));
    const bytes = buffer("u8", new Uint8Array([0, 1, 2, 127, 128, 255]), [2, 3]);
    equal(await drawn(canvas, bytes), [3, 2, opaque(0, 1, 2, 127, 128, 255)], "grey");
    const rgb = buffer("u8", new Uint8Array([255, 0, 0, 0, 254, 1]), [1, 2, 3]);
    equal(await drawn(canvas, rgb), [2, 1, opaque([255, 0, 0], [0, 254, 1])], "RGB");
    const rgba = buffer("u8", new Uint8Array([255, 0, 51, 255, 0, 255, 0, 0]), [2, 1, 4]);
    equal(await drawn(canvas, rgba), [1, 2, [255, 0, 51, 255, 0, 0, 0, 0]], "RGBA");
    const floats = buffer("f32", new Float32Array([0, 1, 0.2, 9, -1, 0.6]), [1, 6]);
    equal(await drawn(canvas, floats), [6, 1, opaque(0, 255, 51, 255, 0, 153)], "floats");
    const four = buffer("f32", new Float32Array([1, 2, 0.4, 1, 1, 1, 1, 0]), [1, 2, 4]);
    equal(await drawn(canvas, four), [2, 1, [255, 255, 102, 255, 0, 0, 0, 0]], "floats, RGBA");
    const colours = buffer("u8", new Uint8Array(opaque([1, 2, 3], 9, [50, 0, 255])), [3, 4]);
    for (const [type, Class] of [["u8", Uint8Array], ["i16", Int16Array], ["u32", Uint32Array]]) {
      const places = buffer(type, new Class([1, 0, 2, 2, 99]), [1, 5]);
      const wanted = opaque(9, [1, 2, 3], [50, 0, 255], [50, 0, 255], [50, 0, 255]);
      equal(await drawn(canvas, places, { colours }), [5, 1, wanted], `colours of ${type}`);
    }
    const y = buffer("f32", 2);
    void saxpy.run({ a: 0.5, x: new Float32Array([1, 2]), y }); // what was asked for before is done
    await rejects(runtime.present(canvas, y), "LaunchError", "f32[2]");
    const late = buffer("f32", new Float32Array([0.2, 0.4]), [1, 2]);
    void late.write(new Float32Array([0.6]));
    equal(await drawn(canvas, late), [2, 1, opaque(153, 102)], "in order");
    const gone = runtime.present(canvas, late);
    late.free(); // what was started before goes on
    await gone;
    await rejects(runtime.present(canvas, floats, { colours }), "LaunchError", "integers of at most 32 bits");
    await rejects(runtime.present(canvas, bytes, { colours: bytes }), "LaunchError", "colours are u8[count, 4], not u8[2, 3]");
    const other = new OffscreenCanvas(1, 1);
    other.getContext("bitmaprenderer");
    await rejects(runtime.present(other, bytes), "LaunchError", "another context");
    await rejects(runtime.present(canvas, late), "InvalidBuffer", "freed");
    for (const each of buffers) each.free();
  },

  async "buffers are written in place, in the order of calls"({ runtime, saxpy }) {
    const x = runtime.buffer("f32", new Float32Array([1, 2, 3]));
    const y = runtime.buffer("f32", 3);
    const runs = [1, 2, 3].map((a) => saxpy.run({ a, x, y }));
    const seen = y.read();
    const late = y.write(new Float32Array([9, 9, 9]));
    equal([...(await seen)], [6, 12, 18]);
    equal((await Promise.all(runs)).every((found) => found === y), true, "the result");
    await late;
    const made = await saxpy.run({ a: 2, x, y: new Float32Array([1, 1, 1]) }, { output: "buffer" });
    equal([made.dtype, made.shape, [...(await made.read())]], ["f32", [3], [3, 5, 7]]);
    for (const buffer of [x, y, made]) buffer.free();
  },

  async "ports that share a buffer"({ runtime, saxpy, pair }) {
    const y = runtime.buffer("f32", new Float32Array([1, 2, 3]));
    await saxpy.run({ a: 10, x: y, y });
    equal([...(await y.read())], [11, 22, 33]);
    const both = runtime.buffer("u32", 3);
    const m = { data: new Uint32Array(3), shape: [3, 1] };
    await rejects(pair.run({ m, total: both, twice: runtime.buffer("u32", { shape: [3, 1] }) }).then(() => pair.run({ m, total: both, twice: both })), "LaunchError", "axes");
    const square = runtime.buffer("u32", { shape: [1, 1] });
    await rejects(pair.run({ m: square, total: both, twice: square }), "LaunchError");
  },

  async shapes({ runtime, pair }) {
    const data = new Uint32Array([1, 2, 3, 4, 5, 6]);
    const { total, twice } = await pair.run({ m: { data, shape: [2, 3] } });
    equal([[...total], [...twice]], [[6, 15], [2, 4, 6, 8, 10, 12]]);
    await rejects(pair.run({ m: data }), "LaunchError", "m: u32[h, w] read needs its shape");
    await rejects(pair.run({ m: { data, shape: [2, 2] } }), "LaunchError", "6 elements with the shape [2,2]");
    for (const shape of [[1.5, 4], [-2, -3], ["2", "3"], 6, "23", [2n, 3n]]) {
      await rejects(pair.run({ m: { data, shape } }), "LaunchError", "6 elements with the shape");
    }
    await rejects(pair.run({ m: { data, shape: [6] } }), "LaunchError", "m has 1 axis; 2 axes are expected");
    await rejects(pair.run({ m: { data, shape: [2, 3] }, total: new Uint32Array(3) }), "LaunchError", "total has the shape [3]; [2] is expected, as total: u32[h] write");
    const m = runtime.buffer("u32", data, { shape: [3, 2] });
    const made = await pair.run({ m }, { output: "buffer" });
    equal([made.total.shape, made.twice.shape, [...(await made.total.read())]], [[3], [3, 2], [3, 7, 11]]);
    const long = runtime.buffer("u32", data); // a Buffer, or the GPUBuffer of one, seen in another shape
    for (const one of [long, ...(runtime.gpuDevice ? [gpuBufferOf(runtime, data)] : [])]) {
      equal([...(await pair.run({ m: { data: one, shape: [2, 3] } })).total], [6, 15]);
    }
    for (const content of [null, {}, "3", new ArrayBuffer(4), 3n, 1.5]) {
      await rejects(async () => runtime.buffer("f32", content), "LaunchError", "is no shape");
    }
    equal(runtime.buffer("u32", data, { shape: 6 }).shape, [6]);
  },

  async "lists are data"({ runtime, saxpy }) {
    equal([...(await runtime.buffer("f32", [3, 1, 2]).read())], [3, 1, 2]);
    equal([...(await saxpy.run({ a: 2, x: [1, 2, 3], y: [10, 20, 30] }))], [12, 24, 36]);
    for (const type of [...Object.keys(CLASSES), "i16", "u8"]) {
      const big = type.endsWith("64") && !type.startsWith("f");
      const found = runtime.buffer(type, [2, 7, 1]);
      await found.write([big ? 5n : 5], 1);
      equal((await found.read()).join(), "2,5,1", type);
    }
    equal([...(await runtime.buffer("bf16", [1, -2]).read())], [0x3f80, 0xc000]);
    equal((await runtime.buffer("f32", [])).length, 0);
    await rejects(() => runtime.buffer("u8", [1, 256]), "LaunchError", "content: element 1, 256, is no u8");
    await rejects(() => runtime.buffer("f32", [1, , 2]), "LaunchError", "content: element 1, undefined, is no f32"); // eslint-disable-line no-sparse-arrays
    await rejects(saxpy.run({ a: 2, x: [1, "2"], y: [1, 2] }), "LaunchError", "x: element 1, 2, is no f32");
    await rejects(saxpy.run({ a: 2, x: [[1]], y: [1] }), "LaunchError", "x: element 0, 1, is no f32");
  },

  async "options that there are not"({ hologram, runtime, saxpy }) {
    const run = (options) => saxpy.run({ a: 2, x: [1], y: [1] }, options);
    for (let round = 0; round < 3; round++) {
      // also where a run like it is kept
      await rejects(run({ second: 1 }), "LaunchError", "there is no option 'second': did you mean seconds? there are signal, seconds, steps, output, print");
      equal([...(await run({ seconds: 5 }))], [3]);
    }
    await rejects(hologram.Runtime.create({ thread: 2 }), "LaunchError", "there is no option 'thread': did you mean threads? there are backend, device, gpu, powerPreference, threads");
    await rejects(runtime.load(new Uint8Array(3), { bases: "" }), "LaunchError", "did you mean base?");
    await rejects(runtime.record([], { output: "buffer" }), "LaunchError", "there is no option 'output': there are steps, seconds");
  },

  async "what kernels print"({ get, runtime }) {
    const printed = await runtime.load(await get("/build/e2e/printed.holo"));
    for (let run = 0; run < 2; run++) {
      const lines = [];
      await printed.run({ x: new Float32Array([0.1, -2]) }, { print: (line) => lines.push(line) });
      equal(lines, ["lane 0: +0.10 True 0.033333335", "lane 1: -2.00 False -0.6666667", "lane 0: +1.10 True 0.36666667", "lane 0: +2.10 True 0.7"]);
    }
  },

  async "what a Buffer and results tell of themselves"({ hologram, runtime, saxpy }) {
    const { selected, adapter, device } = runtime.info;
    const buffer = runtime.buffer("f32", [1, 2.5, 3, 4, 5, 6, 7, 8], { shape: [2, 4] });
    const head = selected === "wasm" ? " [1, 2.5, 3, 4, 5, 6, ...]" : "";
    equal(`${buffer}`, `Buffer f32[2, 4]${head} on ${device}`);
    equal(Object.keys(buffer).slice(0, 2), ["dtype", "shape"]); // what consoles of browsers show
    equal([hologram.Buffer.name, hologram.Runtime.name], ["Buffer", "Runtime"]);
    equal(device, selected === "wasm" ? "WebAssembly" : `WebGPU on ${device.slice(10)}`);
    if (selected === "webgpu") equal(device.includes("a program and no GPU"), !adapter.real);
    const given = { a: 2, x: runtime.buffer("f32", [1]), y: runtime.buffer("f32", [1]) };
    const results = [await saxpy.run({ a: 2, x: [1], y: [1] }), await saxpy.run(given), await buffer.read()];
    for (let round = 0; round < 3; round++) results.push(await saxpy.run({ a: 2, x: new Float32Array(1), y: new Float32Array(1) }));
    for (const result of results) equal(hologram.ranOn(result), runtime.info);
    equal(hologram.ranOn(new Float32Array(1)), undefined);
    buffer.free();
    equal(`${buffer}`, `Buffer f32[2, 4] freed on ${device}`);
  },

  async types({ halves }) {
    const h = new Uint16Array([0x3c00, 0x4000]); // 1, 2
    const b = new Uint16Array([0x4040, 0x4080]); // 3, 4
    const n = new BigInt64Array([-5n, 2n ** 62n]);
    const first = await halves.run({ h, b, n, k: 5 });
    equal([[...first.n], [...first.c]], [[0n, 2n ** 62n + 5n], [4, 6]]);
    equal([...(await halves.run({ h, b, n, k: -(2n ** 63n) })).n], [2n ** 63n - 5n, 2n ** 62n - 2n ** 63n]);
    if (typeof Float16Array !== "undefined") equal([...(await halves.run({ h: new Float16Array([1, 2]), b, n, k: 0 })).c], [4, 6]);
    const c = new Uint8ClampedArray(2);
    equal([...(await halves.run({ h, b, n, k: 0, c })).c], [4, 6]);
    await rejects(halves.run({ h, b, n, k: 2n ** 63n }), "LaunchError", "k is 9223372036854775808; i64 is expected, -9223372036854775808 to");
    await rejects(halves.run({ h, b, n, k: 2 ** 60 }), "LaunchError", "BigInt");
    await rejects(halves.run({ h, b, n, k: 0.5 }), "LaunchError", "k is 0.5; i64 is expected, an integer");
  },

  async "arguments that do not fit"({ saxpy, runtime }) {
    for (const nothing of [undefined, null, {}]) await rejects(saxpy.run(nothing), "LaunchError", "'a' is missing: it takes");
    const x = new Float32Array(3);
    const listed = "a: f32, x: f32[n] read, y: f32[n] read_write";
    equal(`${saxpy}`, `saxpy(${listed})`);
    equal(saxpy.ports[1], { name: "x", dtype: "f32", access: "read", shape: ["n"] });
    await rejects(saxpy.run({ a: 1, x }), "LaunchError", `'y' is missing: it takes ${listed}`);
    await rejects(saxpy.run({ a: 1, x, y: x, z: 1 }), "LaunchError", `'z' is no port: it takes ${listed}`);
    await rejects(saxpy.run({ a: 1, x, y: x, factor: 1 }), "LaunchError", `'factor' is no port: it takes ${listed}`);
    await rejects(saxpy.run({ A: 1, x, y: x }), "LaunchError", `'A' is no port: did you mean a? it takes ${listed}`);
    await rejects(saxpy.run({ a: "1", x, y: x }), "LaunchError", "a is '1'; f32 is expected, a number");
    await rejects(saxpy.run({ a: 1, x, y: new Float64Array(3) }), "LaunchError", "y is of type Float64Array; a list or Float32Array is expected");
    await rejects(saxpy.run({ a: 1, x, y: new Float32Array(4) }), "LaunchError", "y has the shape [4]; [3] is expected, as y: f32[n] read_write");
    await rejects(saxpy.run({ a: 1, x, y: runtime.buffer("u32", 3) }), "LaunchError", "y has dtype u32; f32 is expected");
    await rejects(saxpy.run({ a: 1, x, y: x }, { steps: 0 }), "LaunchError", "steps");
    equal((await saxpy.run({ a: 1, x: new Float32Array(0), y: new Float32Array(0) })).length, 0);
  },

  async limits({ runtime, load, pair }) {
    const powers = await load("powers");
    const x = new Uint32Array(4);
    for (const [seconds, text] of [[1000, "a plan runs at most 1048576 steps"], [0.2, "the launch did not end within 0.2 seconds"]]) {
      const error = await rejects(powers.run({ count: 2 ** 20, x }, { seconds }), "ExecutionError", text);
      equal([error.kind, error.instruction], ["StepLimit", null]);
    }
    const m = { data: new Uint32Array(200), shape: [2, 100] };
    const fault = await rejects(pair.run({ m }, { steps: 50 }), "ExecutionError", "a lane went around loops more than 50 times: does a loop not end?, in ");
    equal(fault.kind, "StepLimit");
    await pair.run({ m }, { steps: 100 });
    await rejects(async () => runtime.buffer("u8", 2 ** 46), "AllocationFailed");
  },

  async "an index beyond its axis"({ runtime, load }) {
    const slope = await load("slope");
    const x = { data: new Float32Array(12).fill(1), shape: [3, 4] };
    const y = { data: new Float32Array(12), shape: [3, 4] };
    await slope.run({ x, y, columns: 3 });
    const said = ": check the index against the length, in chk ";
    const fault = await rejects(slope.run({ x, y, columns: 4 }), "ExecutionError", `index 4 of axis 1 of x is beyond its length, which is 4${said}`);
    equal([fault.kind, fault.lane, fault.buffer, fault.offset], ["OutOfBounds", fault.lane, undefined, undefined]);
    const [, file, text] = /^(<kernel>):\d+: (.*)$/.exec(fault.line);
    equal([file, text], ["<kernel>", "y[r, c] = x[r, c + 1] - x[r, c]"]);
    equal(fault.message.split("\n")[1], fault.line);
    await slope.run({ x, y, columns: 3 });
    await rejects(slope.run({ x, y: { data: new Float32Array(6), shape: [3, 2] }, columns: 3 }), "LaunchError");
  },

  async "wide integers are BigInts"({ runtime, load }) {
    const wide = await load("wide");
    const x = [0n, -3n, 2n ** 200n + 1n, -(2n ** 255n)];
    const y = x.map((value) => BigInt.asUintN(256, value * value));
    equal(await wide.run({ x }), y);
    equal(await wide.run({ x: runtime.buffer("i256", x) }), y);
    equal(await wide.run({ x: { data: [7], shape: [1] } }), [49n]);
    const made = await wide.run({ x }, { output: "buffer" });
    equal([made.dtype, made.length, made.nbytes], ["u256", 4, 128]);
    equal(await made.read(), y);
    const raw = await made.bytes();
    equal([...raw.slice(32, 34), ...raw.slice(64, 65)], [9, 0, 1]);
    equal(await runtime.buffer("u256", raw).read(), y);
    await made.write([5n, 2n ** 256n - 1n], 1);
    equal(await made.read(), [y[0], 5n, 2n ** 256n - 1n, y[3]]);
    equal(await runtime.buffer("i128", [-1n, 1n, 2n, 3n], [2, 2]).read(), [-1n, 1n, 2n, 3n]);
    equal(await runtime.buffer("u4096", 2).read(), [0n, 0n]);
    equal(await runtime.buffer("u4096", [2]).read(), [2n]);
    await rejects(() => made.write([0n, -1n]), "LaunchError", "content: element 1, -1, is no u256");
    await rejects(() => made.write([1n, 2n], 3), "InvalidBuffer", "do not fit");
    await rejects(() => runtime.buffer("u128", [1n, 2n ** 128n]), "LaunchError", "content: element 1, 340282366920938463463374607431768211456, is no u128");
    await rejects(wide.run({ x: [2n ** 255n] }), "LaunchError", `x: element 0, ${2n ** 255n}, is no i256`);
    await rejects(wide.run({ x: [1.5] }), "LaunchError", "element 0, 1.5, is no i256");
    await rejects(wide.run({ x: new BigInt64Array(4) }), "LaunchError", "x is of type BigInt64Array; a list or Uint8Array is expected");
    equal([...(await runtime.buffer("u64", [1n, 2]).read())], [1n, 2n]);
  },

  async "scalars of wide integers are BigInts"({ load }) {
    const field = await load("field");
    const wrap = (value) => BigInt.asUintN(256, value);
    const wanted = (x, k) => {
      let m = 0n;
      for (const [factor, last] of [[k, -(3n ** 200n)], [BigInt(3 * x.length + 1), 1n]]) {
        x = x.map((value) => wrap(value * value * factor + factor * factor));
        m = last;
      }
      return [...x, wrap(x.reduce((sum, value) => sum + value, 0n) * m)];
    };
    const x = [0n, 2n ** 256n - 1n, 3n ** 150n];
    for (const k of [2n ** 255n + 7n, 1n]) equal(await field.run({ k, x }), wanted(x, k));
    equal(await field.run({ k: 7, x }), wanted(x, 7n));
    equal((await field.run({ k: 5n, x: Array(700).fill(3n) })).at(-1), wanted(Array(700).fill(3n), 5n).at(-1));
    const refused = (k, text) => rejects(field.run({ k, x }), "LaunchError", `k is ${text}`);
    await refused(2n ** 256n, "an integer of 257 bits; u256 is expected, 0 to 2**256 - 1");
    await refused(-1n, "-1; u256 is expected, 0 to 2**256 - 1");
    await refused(1.5, "1.5; u256 is expected, an integer");
    await refused("7", "'7'; u256 is expected, a number");
    await refused(2 ** 53, "9007199254740992; u256 is expected: give a BigInt for integers that large");
  },

  async "a run can be cancelled"({ load, saxpy }) {
    const x = new Float32Array(4);
    const aborted = await rejects(saxpy.run({ a: 1, x, y: x }, { signal: AbortSignal.abort() }), "ExecutionError", "cancelled");
    equal(aborted.kind, "Cancelled");
    const rounds = await load("collectives");
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    const args = { x: new Int32Array(5000), n: 5000, rounds: 20_000 };
    equal((await rejects(rounds.run(args, { signal: controller.signal }), "ExecutionError")).kind, "Cancelled");
    const x2 = new Int32Array([1, 2]);
    const found = await rounds.run({ x: x2, n: 2, rounds: 1 }, { signal: new AbortController().signal });
    equal([...found.x], [4, 8]);
  },

  async "a run on WebAssembly ends by the clock, also within loops that are counted"({ runtime, address }) {
    if (runtime.info.selected !== "wasm") return;
    const long = await runtime.load(`${address}/build/e2e/long.holo`);
    const detail = "the launch did not end within 0.3 seconds: does a loop not end? run(args, { seconds }) allows more time";
    const x = new Uint32Array(1);
    for (const [a, b, c] of [[60_000, 60_000, 60_000], [2 ** 32 - 1, 0, 0], [0, 0, 2 ** 32 - 1], [2 ** 32 - 1, 2 ** 32 - 1, 2 ** 32 - 1]]) {
      const start = performance.now();
      const error = await rejects(long.run({ a, b, c, x }, { seconds: 0.3, steps: 2 ** 40 }), "ExecutionError", detail);
      const took = performance.now() - start;
      if (took < 250 || took > 20_000) throw new Error(`it ended after ${took} ms`);
      equal(error.kind, "StepLimit");
      equal(error.instruction !== null && error.message.includes(", in loop "), true, error.message);
    }
    equal([...(await long.run({ a: 1, b: 2, c: 3, x }))], [24], "the next run");
    for (const seconds of [0, -1, NaN, "5", null]) {
      await rejects(long.run({ a: 1, b: 2, c: 3, x }, { seconds }), "LaunchError", `seconds is a number above 0, not ${seconds}`);
    }
    equal([...(await long.run({ a: 1, b: 2, c: 3, x }, { seconds: Infinity }))], [24]);
  },

  async "a launch of many blocks on WebAssembly lets the page go on, and can be cancelled"({ runtime, address }) {
    if (runtime.info.selected !== "wasm") return;
    const long = await runtime.load(`${address}/build/e2e/long.holo`);
    const args = { a: 0, b: 0, c: 60_000, x: new Uint32Array(2 ** 20) }; // 30 s
    let turns = 0;
    const timer = setInterval(() => turns++, 10);
    const clock = await rejects(long.run(args, { seconds: 1 }), "ExecutionError", "within 1 seconds");
    clearInterval(timer);
    equal([clock.kind, turns > 0], ["StepLimit", true], `${turns} turns of the page`);
    const controller = new AbortController();
    let aborted = 0;
    setTimeout(() => {
      aborted = performance.now();
      controller.abort();
    }, 100);
    const error = await rejects(long.run(args, { signal: controller.signal }), "ExecutionError", "the launch was cancelled");
    equal(error.kind, "Cancelled");
    if (!(performance.now() - aborted < 10_000)) throw new Error(`it ended ${performance.now() - aborted} ms after the signal`);
    equal([...(await long.run({ a: 1, b: 2, c: 3, x: new Uint32Array(2) }))], [24, 24], "the next run");
    const again = { ...args, c: 1_000_000, x: new Uint32Array(2 ** 14) }; // 8 s, like runs that are kept as they are short
    for (let turn = 0; turn < 3; turn++) await long.run({ ...again, c: 1 });
    const later = new AbortController();
    setTimeout(() => later.abort(), 100);
    equal((await rejects(long.run(again, { signal: later.signal }), "ExecutionError", "the launch was cancelled")).kind, "Cancelled");
  },

  async sources({ runtime, hologram, address }) {
    const url = `${address}/build/e2e/saxpy.holo`;
    const raw = await (await fetch(url)).arrayBuffer();
    for (const source of [url, new URL(url), raw, new Uint8Array(raw), new Blob([raw]), await fetch(url)]) {
      equal((await runtime.load(source)).name, "saxpy");
    }
    await rejects(runtime.load(`${address}/build/e2e/no.holo`), "ArtifactError", "status 404");
    await rejects(runtime.load(7), "ArtifactError");
    await rejects(runtime.load(new Uint8Array(10)), "ArtifactError", "they do not start with HOLO");
    await rejects(runtime.load(raw.slice(0, -1)), "ArtifactError", "cut off");
    const damaged = new Uint8Array(raw.slice(0));
    damaged[1000] ^= 1;
    await rejects(runtime.load(damaged), "ArtifactError", "its hash does not fit");
    equal(hologram.ArtifactError.name.length > 0, true);
  },

  async "constants beside the file"({ runtime, address }) {
    const url = `${address}/build/e2e/outside.holo`;
    const x = new Uint32Array([0, 1, 2, 3]);
    const expected = [...(await (await runtime.load(`${address}/build/e2e/powers.holo`)).run({ count: 3, x }))];
    equal([...(await (await runtime.load(url)).run({ count: 3, x }))], expected);
    const raw = await (await fetch(url)).arrayBuffer();
    equal([...(await (await runtime.load(raw, { base: url })).run({ count: 3, x }))], expected);
    await rejects(runtime.load(raw), "ArtifactError", "give `weights` or a base");
    await rejects(runtime.load(raw, { base: `${address}/build/e2e/else/` }), "ArtifactError", "status 404");
  },

  async "an artifact without code for the device"({ runtime, samples }) {
    const text = { wasm: "part has no WebAssembly: no WebAssembly for this", webgpu: "is refused: " }[runtime.info.selected];
    await rejects(runtime.load(bytes(samples.everything.holo)), "CompileError", text);
  },

  async "hostile shaders have typed errors, and the device works after each"({ runtime, get, saxpy }) {
    const shaders = JSON.parse(new TextDecoder().decode(await get("/build/e2e/shaders.json")));
    const args = () => ({ a: 2, x: new Float32Array(4).fill(1), y: new Float32Array(4) });
    for (const [name, file, told] of shaders) {
      const run = async () => (await runtime.load(bytes(file))).run(args());
      if (runtime.info.selected === "wasm") equal([...(await run())], [2, 2, 2, 2], name); // it takes no shader
      else await rejects(run, told.split(":")[0], told.slice(told.indexOf(" ") + 1));
      equal([...(await saxpy.run(args()))], [2, 2, 2, 2], `after ${name}`);
    }
  },

  async "GPUBuffers go in and come out"({ runtime, saxpy }) {
    const { gpuDevice } = runtime;
    if (runtime.info.selected === "wasm") return equal(gpuDevice, null);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
    const y = gpuDevice.createBuffer({ size: 16, usage });
    gpuDevice.queue.writeBuffer(y, 0, new Float32Array([1, 2, 3, 4]));
    const x = runtime.buffer("f32", new Float32Array([1, 1, 1, 1]));
    equal((await saxpy.run({ a: 2, x, y })) === y, true, "the result");
    equal([...(await saxpy.run({ a: 0, x: y, y: new Float32Array(4) }))], [0, 0, 0, 0]);
    equal([...(await saxpy.run({ a: 1, x: y, y: new Float32Array(4) }))], [3, 4, 5, 6]);
    equal((await saxpy.run({ a: 1, x: y, y: x.gpuBuffer ? x : y })) === x, true);
    equal([...(await x.read())], [4, 5, 6, 7]);
    const copy = gpuDevice.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST });
    await rejects(saxpy.run({ a: 1, x, y: copy }), "InvalidBuffer", "STORAGE");
    y.destroy();
    await rejects(saxpy.run({ a: 1, x, y }), "LaunchError", "WebGPU");
    equal([...(await saxpy.run({ a: 1, x: new Float32Array([1]), y: new Float32Array([1]) }))], [2]);
  },

  async "a device of the caller"({ runtime, hologram, load }) {
    if (runtime.info.selected === "wasm") return;
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const other = await hologram.Runtime.create({ device });
    equal([other.info.selected, other.info.reason, other.gpuDevice === device], ["webgpu", "a GPUDevice was given", true]);
    const saxpy = await other.load(await (await fetch("/build/e2e/saxpy.holo")).arrayBuffer());
    const x = new Float32Array([1, 2]);
    equal([...(await saxpy.run({ a: 2, x, y: x }))], [3, 6]);
    await rejects(hologram.Runtime.create({ backend: "wasm", device }), "BackendUnavailable");
    await other.close();
    await rejects(saxpy.run({ a: 2, x, y: x }), "BackendUnavailable", "the runtime was closed");
    const third = await hologram.Runtime.create({ device });
    device.destroy();
    await device.lost;
    await rejects(third.load(await (await fetch("/build/e2e/saxpy.holo")).arrayBuffer()), "BackendUnavailable", "create a runtime on another device");
  },

  async "a page goes on while pipelines are made"({ runtime, hologram, get }) {
    if (runtime.info.selected === "wasm") return;
    const other = await hologram.Runtime.create({ backend: "webgpu" });
    const saxpy = await other.load(await get("/build/e2e/saxpy.holo"));
    const args = { a: 2, x: new Float32Array([1, 2]), y: new Float32Array([1, 2]) };
    equal([...(await saxpy.run(args))], [3, 6]);
    const device = other.gpuDevice;
    let [waiting, release, loaded] = [0, null, false];
    const held = new Promise((resolve) => (release = resolve));
    device.createComputePipeline = () => {
      throw new Error("a pipeline is made while the page waits");
    };
    device.createComputePipelineAsync = async (what) => {
      waiting++;
      const made = await GPUDevice.prototype.createComputePipelineAsync.call(device, what);
      await held; // as long as a slow compiler takes
      return made;
    };
    const loading = other.load(await get("/build/e2e/pair.holo")).finally(() => (loaded = true));
    loading.catch(() => {}); // it is awaited below
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      equal([...(await saxpy.run(args))], [3, 6], "a run meanwhile");
    }
    equal([waiting > 0, loaded], [true, false], "that a pipeline is asked for, and that the file is there");
    release();
    const pair = await loading;
    equal([...(await pair.run({ m: { data: new Uint32Array([1, 2]), shape: [1, 2] } })).total], [3]);
    await other.close();
  },

  async "a buffer that the device did not make"({ runtime, hologram, get }) {
    if (runtime.info.selected === "wasm") return;
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const other = await hologram.Runtime.create({ device });
    const saxpy = await other.load(await get("/build/e2e/saxpy.holo"));
    const x = new Float32Array([1, 2]);
    device.createBuffer = ({ size }) => GPUDevice.prototype.createBuffer.call(device, { size, usage: 0 });
    const broken = other.buffer("f32", x);
    delete device.createBuffer;
    equal([...(await saxpy.run({ a: 2, x, y: x }))], [3, 6], "a run without it");
    await rejects(saxpy.run({ a: 2, x: broken, y: x }), "LaunchError", "WebGPU");
    await rejects(broken.read(), "LaunchError", "WebGPU");
    broken.free();
    const again = other.buffer("f32", x);
    equal([...(await saxpy.run({ a: 2, x: again, y: x }))], [3, 6], "a run with another");
    await other.close();
    device.destroy();
  },

  async "a lost device"({ runtime, saxpy }) {
    if (runtime.info.selected === "wasm") return;
    const x = new Float32Array([1, 2]);
    const old = runtime.buffer("f32", x);
    const device = runtime.gpuDevice;
    device.destroy();
    await device.lost;
    await rejects(() => old.read(), "InvalidBuffer", "the device was lost");
    equal([...(await saxpy.run({ a: 2, x, y: x }))], [3, 6]);
    equal(runtime.gpuDevice !== device, true, "the device");
    await rejects(saxpy.run({ a: 2, x, y: old }), "InvalidBuffer");
    const broken = saxpy.run({ a: 1, x: new Float32Array(100_000), y: new Float32Array(100_000) });
    runtime.gpuDevice.destroy();
    const outcome = await broken.then(() => "done", (error) => error.name);
    if (!["BackendUnavailable", "done"].includes(outcome)) throw new Error(`a run on a device that is lost gives ${outcome}`);
    equal([...(await saxpy.run({ a: 2, x, y: x }))], [3, 6]);
  },

  async stats({ runtime, saxpy }) {
    const before = runtime.stats();
    await saxpy.run({ a: 1, x: new Float32Array(1000), y: new Float32Array(1000) });
    const after = runtime.stats();
    equal([after.launches - before.launches, after.submits - before.submits], [1, 1]);
    equal(after.compiles, before.compiles);
    equal(after.milliseconds >= 0, true, "milliseconds");
  },

  async "two runtimes do not mix, and a closed one says so"({ runtime, hologram, load, get }) {
    const other = await hologram.Runtime.create({ backend: runtime.info.selected });
    const buffer = other.buffer("f32", 2);
    const saxpy = await load("saxpy");
    await rejects(saxpy.run({ a: 1, x: buffer, y: new Float32Array(2) }), "InvalidBuffer", "another runtime");
    const program = await other.load(await get("/build/e2e/saxpy.holo"));
    await other.close();
    const y = new Float32Array(2);
    await rejects(program.run({ a: 1, x: y, y }), "BackendUnavailable", "the runtime was closed");
    await rejects(() => buffer.read(), "InvalidBuffer", "the buffer is gone: the runtime was closed");
    await rejects(async () => buffer.write(y), "InvalidBuffer", "the runtime was closed");
    await rejects(async () => other.buffer("f32", 2), "BackendUnavailable", "the runtime was closed");
    buffer.free();
    await other.close();
    await rejects(other.load("/"), "ArtifactError");
  },

  async selection({ runtime, hologram }) {
    const { requested, selected, reason } = runtime.info;
    equal([requested === selected, reason], [true, "it was asked for"]);
    await rejects(hologram.Runtime.create({ backend: "cuda" }), "BackendUnavailable", "there are 'auto', 'webgpu' and 'wasm'");
    const empty = { requestAdapter: async () => null };
    await rejects(hologram.Runtime.create({ backend: "webgpu", gpu: empty }), "BackendUnavailable", "no adapter");
    const chosen = await hologram.Runtime.create({ gpu: empty });
    equal([chosen.info.requested, chosen.info.selected, chosen.info.reason], ["auto", "wasm", "the browser has no adapter"]);
    const { gpu } = globalThis.navigator ?? {};
    const { info } = await hologram.Runtime.create();
    equal(info.selected, "wasm"); // the adapter of the tests is no GPU
    if (gpu) equal([info.reason, info.adapter.real], ["the adapter google swiftshader is no GPU but a program", false]);
    else equal(info.reason.startsWith("no navigator.gpu: it needs"), true, info.reason);
  },
};

/** The checks, or those whose names have `only` in them, while one works on it. */
export default async function runtimeChecks({ get, hologram, address = globalThis.location?.origin, explain = () => import("../../web/dist/explain.js") }, { backend, only = "" }) {
  const samples = JSON.parse(new TextDecoder().decode(await get("/build/e2e/samples.json")));
  const runtime = await hologram.Runtime.create({ backend });
  const load = async (name) => runtime.load(await get(`/build/e2e/${name}.holo`));
  const programs = { saxpy: await load("saxpy"), pair: await load("pair"), halves: await load("halves") };
  const found = {};
  for (const [name, check] of Object.entries(checks)) {
    if (!name.includes(only)) continue;
    try {
      await check({ hologram, runtime, samples, load, get, address, explain, ...programs });
      found[name] = null;
    } catch (error) {
      found[name] = `${error.stack ?? error}`;
    }
  }
  const { info } = runtime;
  await runtime.close();
  return { json: { info, found } };
}
