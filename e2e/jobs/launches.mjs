// Microseconds of a launch of few lanes through the public `run`, beside the bare call of the same module: bench/launch_js.py.

const FACTOR = 2;
const ARGUMENTS = 64; // of the bare call: where its argument block, buffers and scratch memory are
const BUFFERS = 4096;

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** The kernel's function on a memory of its own, with a block that is filled once, as docs/artifact.md says. */
async function bareCall(code, { n, block, scalars, memories }, { x, y }) {
  const memory = new WebAssembly.Memory({ initial: 32, maximum: 65_536 });
  const { instance } = await WebAssembly.instantiate(code, { env: { memory, poll() {} } });
  const words = new DataView(memory.buffer, ARGUMENTS);
  const up = (4 * n + 63) & ~63;
  const at = Object.fromEntries(memories.map((name, k) => [name, BUFFERS + k * up]));
  for (const [name, data] of Object.entries({ x, y })) new Float32Array(memory.buffer, at[name], n).set(data);
  const blocks = Math.ceil(n / block);
  [blocks, 1, 1, n, 1, 1].forEach((number, k) => words.setUint32(32 + 4 * k, number, true));
  words.setBigInt64(64, 2n ** 26n + 1n, true);
  words.setUint32(76, 1024, true);
  let place = 88;
  for (const name of scalars) {
    if (name === "a") words.setFloat32(place, FACTOR, true);
    else words.setUint32(place, n, true); // a length
    place += 8;
  }
  for (const name of memories) {
    words.setUint32(place, at[name], true);
    words.setUint32(place + 4, 4 * n, true);
    place += 8;
  }
  const { kernel } = instance.exports;
  return [() => kernel(ARGUMENTS, 0, blocks), { bare: true, result: () => new Float32Array(memory.buffer, at.z, n).slice() }];
}

const RECORDED = 100; // launches in a submit

const SHADER = `
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&z)) { z[id.x] = ${FACTOR} * x[id.x] + y[id.x]; }
}`;

/** As many dispatches of a shader by hand in one submit, and a wait. */
async function byHand({ gpuDevice }, lanes, buffers, count) {
  const module = gpuDevice.createShaderModule({ code: SHADER });
  const pipeline = await gpuDevice.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "main" } });
  const entries = buffers.map(({ gpuBuffer }, binding) => ({ binding, resource: { buffer: gpuBuffer, size: 4 * lanes } }));
  const group = gpuDevice.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  return () => {
    const encoder = gpuDevice.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (let left = count; left; left--) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(Math.ceil(lanes / 256));
    }
    pass.end();
    gpuDevice.queue.submit([encoder.finish()]);
    return gpuDevice.queue.onSubmittedWorkDone();
  };
}

const TOLD = `
@group(0) @binding(0) var<storage, read_write> status: array<atomic<u32>, 8>;
@group(0) @binding(1) var<uniform> arguments: vec4u;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read> y: array<f32>;
@group(0) @binding(4) var<storage, read_write> z: array<f32>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arguments.x) { return; }
  if (id.x >= arrayLength(&z)) { atomicStore(&status[0], 1); return; }
  z[id.x] = bitcast<f32>(arguments.y) * x[id.x] + y[id.x];
}`;

/** The same where each dispatch has its own arguments, and words that tell a fault, which are read behind the last one. */
async function byHandTold({ gpuDevice }, lanes, buffers, count) {
  const [offset, size] = [256, 256 * count];
  const usage = GPUBufferUsage;
  const buffer = (usage) => gpuDevice.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_DST });
  const [status, block, staging] = [usage.STORAGE | usage.COPY_SRC, usage.UNIFORM, usage.MAP_READ].map(buffer);
  const words = new Uint32Array(size / 4);
  const factor = new Uint32Array(Float32Array.of(FACTOR).buffer)[0];
  for (let k = 0; k < count; k++) words.set([lanes, factor], (k * offset) / 4);
  gpuDevice.queue.writeBuffer(block, 0, words);
  const bound = [
    [{ type: "storage", hasDynamicOffset: true }, { buffer: status, size: 32 }],
    [{ type: "uniform", hasDynamicOffset: true }, { buffer: block, size: 16 }],
    ...buffers.map(({ gpuBuffer }, k) => [{ type: k < 2 ? "read-only-storage" : "storage" }, { buffer: gpuBuffer, size: 4 * lanes }]),
  ];
  const layout = gpuDevice.createBindGroupLayout({
    entries: bound.map(([buffer], binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer })),
  });
  const group = gpuDevice.createBindGroup({ layout, entries: bound.map(([, resource], binding) => ({ binding, resource })) });
  const pipeline = await gpuDevice.createComputePipelineAsync({
    layout: gpuDevice.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module: gpuDevice.createShaderModule({ code: TOLD }), entryPoint: "main" },
  });
  return async () => {
    const encoder = gpuDevice.createCommandEncoder();
    encoder.clearBuffer(status);
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (let k = 0; k < count; k++) {
      pass.setBindGroup(0, group, [k * offset, k * offset]);
      pass.dispatchWorkgroups(Math.ceil(lanes / 256));
    }
    pass.end();
    encoder.copyBufferToBuffer(status, 0, staging, 0, size);
    gpuDevice.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    staging.unmap();
  };
}

const FEW = 16; // lanes of a launch that takes no time

export default async function launches({ get, hologram }, { backends, n, layout, rounds, repeats }) {
  const [holo, code] = await Promise.all(["holo", "wasm"].map((kind) => get(`/build/bench/launch.${kind}`)));
  const sides = [];
  for (const backend of backends) {
    const runtime = await hologram.Runtime.create({ backend });
    const program = await runtime.load(holo);
    for (const lanes of [n, FEW]) {
      const x = Float32Array.from({ length: lanes }, (_, k) => k);
      const y = Float32Array.from(x).reverse();
      const [X, Y, Z] = [runtime.buffer("f32", x), runtime.buffer("f32", y), runtime.buffer("f32", lanes)];
      const args = { a: FACTOR, x: X, y: Y, z: Z };
      const wanted = x.map((value, k) => FACTOR * value + y[k]);
      const side = (name, run, more = {}) =>
        sides.push({ name, lanes, wanted, run, result: () => Z.read(), launches: 1, ...more });
      side(`${backend}: run, Buffers`, () => program.run(args));
      if (backend === "wasm") {
        side("the bare call of the module", ...(await bareCall(code, { ...layout, n: lanes }, { x, y })));
        let k = 0;
        const other = () => program.run({ ...args, a: k++ % 2 ? FACTOR : FACTOR + 1 });
        side("wasm: run, Buffers, another scalar each time", other, { odd: true });
      }
      if (backend === "webgpu") {
        const recording = await runtime.record(Array(RECORDED).fill([program, args]));
        const many = { launches: RECORDED };
        side(`webgpu: a recording of ${RECORDED} launches`, () => recording.replay(), many);
        let started = [];
        const handed = async () => {
          started.push(recording.replay());
          for (let turn = 0; turn < 8; turn++) await null; // it is submitted then
        };
        const settle = async () => void (await Promise.all(started), (started = []));
        side(`webgpu: the same, until it is submitted`, handed, { ...many, settle });
        side(`webgpu: ${RECORDED} dispatches by hand in a submit`, await byHand(runtime, lanes, [X, Y, Z], RECORDED), many);
        side(`webgpu: the same, with their own arguments and status`, await byHandTold(runtime, lanes, [X, Y, Z], RECORDED), many);
        side(`webgpu: ${RECORDED} runs, and one wait`, () => Promise.all(Array.from({ length: RECORDED }, () => program.run(args))), many);
      }
      let last;
      side(`${backend}: run, typed arrays`, async () => (last = await program.run({ a: FACTOR, x, y })), { result: () => last });
    }
  }
  const times = sides.map(() => []);
  for (const { name, run, result, wanted, odd } of sides) {
    for (let k = 0; k < 3 + (odd ?? 0); k++) await run();
    const found = await result();
    if (!wanted.every((value, k) => value === found[k])) throw new Error(`${name}: another result`);
  }
  for (let round = 0; round < rounds + 3; round++) {
    for (const [k, { run, launches, bare, name, settle }] of sides.entries()) {
      const count = Math.ceil(repeats / launches / (name.startsWith("webgpu") ? 20 : 1));
      const start = performance.now();
      if (bare) for (let left = count; left; left--) run();
      else for (let left = count; left; left--) await run();
      const end = performance.now();
      await settle?.();
      if (round > 2) times[k].push((1000 * (end - start)) / count / launches);
    }
  }
  const found = sides.map(({ name, lanes }, k) => ({ name, lanes, us: median(times[k]), from: Math.min(...times[k]), to: Math.max(...times[k]) }));
  return { json: found };
}
