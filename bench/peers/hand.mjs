/** Shaders by hand (bench/hand): scalars and the number of lanes in a uniform, then the arrays, the result last. */
export async function open() {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  return { does: ({ shader }) => Boolean(shader), prepare: (order, inputs, get) => prepare(device, order, inputs, get) };
}

async function prepare(device, { lanes, result, shader, size, uniforms }, inputs, get) {
  const { COPY_DST, COPY_SRC, MAP_READ, STORAGE, UNIFORM } = GPUBufferUsage;
  const upload = (data, usage) => {
    const buffer = device.createBuffer({ size: Math.ceil(data.byteLength / 16) * 16, usage: usage | COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const words = new DataView(new ArrayBuffer(4 * (uniforms.length + 1)));
  uniforms.forEach(([type, value], k) => (type === "f32" ? words.setFloat32(4 * k, value, true) : words.setUint32(4 * k, value, true)));
  words.setUint32(4 * uniforms.length, lanes, true);
  const z = device.createBuffer({ size: 4 * size, usage: STORAGE | COPY_SRC });
  const staging = device.createBuffer({ size: 4 * size, usage: MAP_READ | COPY_DST });
  const buffers = [upload(words.buffer, UNIFORM), ...Object.values(inputs).map(({ data }) => upload(data, STORAGE)), z];
  const module = device.createShaderModule({ code: new TextDecoder().decode(await get(shader)) });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "run" } });
  // Those that the shader does not use are not in its layout.
  const used = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: used.filter(({ binding }) => binding || uniforms.length) });
  return async () => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.ceil(lanes / 256));
    pass.end();
    encoder.copyBufferToBuffer(z, 0, staging, 0, 4 * size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const found = staging.getMappedRange().slice(0);
    staging.unmap();
    return result === "float32" ? new Float32Array(found) : new Uint32Array(found);
  };
}
