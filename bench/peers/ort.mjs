import * as ort from "onnxruntime-web/webgpu";

/** Arrays stay on the GPU from call to call; on WebAssembly each call copies them in and out, as its interface has it. */
export async function open(backend) {
  ort.env.wasm.wasmPaths = new URL("../node_modules/onnxruntime-web/dist/", import.meta.url).href;
  ort.env.wasm.numThreads = globalThis.crossOriginIsolated ? navigator.hardwareConcurrency : 1;
  ort.env.logLevel = "error";
  const does = ({ model, shaders }) => Boolean(model) && (backend === "wasm" || shaders);
  const threads = () => ort.env.wasm.numThreads;
  return { does, prepare: (order, inputs, get) => prepare(backend, order, inputs, get), threads };
}

async function prepare(backend, { calls, model }, inputs, get) {
  const onGpu = backend === "webgpu";
  const options = { executionProviders: [backend], preferredOutputLocation: onGpu ? "gpu-buffer" : "cpu" };
  const session = await ort.InferenceSession.create(new Uint8Array(await get(model)), options);
  const device = onGpu ? await ort.env.webgpu.device : null;
  const { x, ...others } = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, tensorOf(device, input)]));
  return async (read) => {
    let z = x;
    for (let call = 0; call < calls; call++) {
      const before = z;
      ({ z } = await session.run({ x: before, ...others }));
      if (before !== x) before.dispose();
    }
    const found = read ? await z.getData() : undefined;
    z.dispose();
    return found;
  };
}

function tensorOf(device, { data, dtype, shape }) {
  if (!device) return new ort.Tensor(dtype, data, shape);
  const buffer = device.createBuffer({ size: data.byteLength, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return ort.Tensor.fromGpuBuffer(buffer, { dataType: "float32", dims: shape });
}
