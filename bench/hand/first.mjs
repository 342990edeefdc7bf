// A fresh page by hand, which bench/fresh.py opens beside examples/edges/page/first.mjs: the same histogram of the same
// picture, one small kernel, the browser's own interfaces, and nothing checked.
const begun = performance.now();
const drawn = { script: begun };
const get = (name) => fetch(name).then((answer) => answer.arrayBuffer());
const BINS = 256;

async function onWasm() {
  const [code, rgb] = await Promise.all([get("first.wasm"), get("rgb.bin")]);
  const { instance } = await WebAssembly.instantiate(code);
  const { memory, histogram } = instance.exports;
  memory.grow(Math.ceil(rgb.byteLength / 65536));
  new Uint8Array(memory.buffer, 4 * BINS, rgb.byteLength).set(new Uint8Array(rgb));
  histogram(4 * BINS, rgb.byteLength / 3);
  return new Uint32Array(memory.buffer, 0, BINS);
}

async function onWebGpu() {
  const file = Promise.all([get("first.wgsl"), get("rgb.bin")]);
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  const [text, rgb] = await file;
  const module = device.createShaderModule({ code: new TextDecoder().decode(text) });
  const making = device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  const buffer = (size, usage) => device.createBuffer({ size, usage });
  const picture = buffer(rgb.byteLength, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST);
  const counts = buffer(4 * BINS, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
  const staging = buffer(4 * BINS, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);
  device.queue.writeBuffer(picture, 0, rgb);
  const pipeline = await making;
  const entries = [picture, counts].map((buffer, binding) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(64);
  pass.end();
  encoder.copyBufferToBuffer(counts, 0, staging, 0, 4 * BINS);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  return new Uint32Array(staging.getMappedRange().slice(0));
}

const counts = await (document.documentElement.dataset.backend === "wasm" ? onWasm() : onWebGpu());
const bars = document.querySelector("#histogram").getContext("2d");
const most = Math.max(...counts);
counts.forEach((count, k) => bars.rect(k, 100, 1, (-100 * count) / most));
bars.fill();
drawn.histogram = performance.now();
globalThis.counts = [...counts];
globalThis.drawn = drawn;
