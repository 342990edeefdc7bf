/** Draws a Buffer to a canvas: on WebGPU where it lies, on WebAssembly through a picture of the canvas. */
import type { Device } from "./backends/device.js";
import type { GpuDevice, Place } from "./backends/webgpu.js";
import { LaunchError, Untold, reading } from "./errors.js";
import { Buffer, arrayOf, bytesOf } from "./internal.js";

export type Canvas = HTMLCanvasElement | OffscreenCanvas;

/** A picture as a shader and as a loop here take it. */
interface Picture {
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  /** 1 is grey, 3 is RGB, 4 is RGBA; 0 is a place among the colours. */
  readonly channels: number;
  readonly colours: Buffer | undefined;
}

const FRAGMENT = 2; // GPUShaderStage

function pictureOf(pixels: Buffer, colours: Buffer | undefined): Picture {
  const { dtype, shape } = pixels;
  const [height, width, channels = 1] = shape as [number, number, number?];
  const grey = shape.length === 2 || (shape.length === 3 && channels === 1);
  const fits = colours ? grey && /^[iu](8|16|32)$/.test(dtype) : (grey || (shape.length === 3 && (channels === 3 || channels === 4))) && /^(u8|f32)$/.test(dtype);
  if (!fits || !width || !height) {
    const takes = colours ? "integers of at most 32 bits [height, width]" : "u8 or f32 [height, width], or with 3 or 4 channels";
    throw new LaunchError(`a picture is ${takes}, not ${dtype}[${shape.join(", ")}]`);
  }
  if (colours && (colours.dtype !== "u8" || colours.shape.length !== 2 || colours.shape[1] !== 4 || !colours.length)) {
    throw new LaunchError(`colours are u8[count, 4], not ${colours.dtype}[${colours.shape.join(", ")}]`);
  }
  return { pixels, width, height, channels: colours ? 0 : channels, colours };
}

/** The context of a canvas, which has the size of the picture then. */
function contextOf<Kind extends "2d" | "webgpu">(canvas: Canvas, kind: Kind, { width, height }: Picture) {
  const context = reading("the canvas", () => (canvas as HTMLCanvasElement).getContext(kind));
  if (!context) throw new LaunchError(`the canvas has another context than '${kind}', which this backend draws with: take another canvas`);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  return context as Kind extends "2d" ? CanvasRenderingContext2D : GPUCanvasContext;
}

/** @internal Draws in the runtime's turn; gives what waits until the device has told of errors. */
export async function present(device: Device, canvas: Canvas, pixels: Buffer, colours: Buffer | undefined): Promise<() => Promise<void>> {
  const places = [...new Set([pixels, colours ?? pixels])].map((buffer) => {
    if (!reading("the picture", () => buffer instanceof Buffer)) throw new Untold("noPicture");
    return buffer.memory(true, device);
  });
  const picture = pictureOf(pixels, colours);
  if (!device.gpu) return put(device, canvas, picture).then(() => async () => {});
  const gpu = device as GpuDevice;
  draw(gpu, canvas, picture);
  return () => gpu.wait(Promise.resolve(), places as Place[], { steps: 0, seconds: Infinity, signal: undefined });
}

// On WebGPU

/** By device and what is drawn: pipelines. */
const known = new WeakMap<GPUDevice, Map<string, GPURenderPipeline>>();
/** Which device a context draws with. */
const configured = new WeakMap<GPUCanvasContext, GPUDevice>();

function shaderOf({ pixels: { dtype }, width, channels }: Picture): string {
  const bits = 8 * bytesOf(dtype);
  const several = 32 / bits;
  const word = `pixels[k / ${several}u]`;
  const integer = bits === 32 ? word : `(${word} >> (k % ${several}u * ${bits}u)) & ${2 ** bits - 1}u`;
  const [stored, element] = dtype === "f32" ? ["f32", word] : ["u32", channels ? `f32(${integer}) / 255.0` : integer];
  const part = (k: number) => `element(first + ${k}u)`;
  const results: Record<number, string> = {
    0: "let colour = unpack4x8unorm(colours[min(element(first), arrayLength(&colours) - 1u)]);",
    1: `let colour = vec4f(vec3f(${part(0)}), 1.0);`,
    3: `let colour = vec4f(${part(0)}, ${part(1)}, ${part(2)}, 1.0);`,
    4: `let colour = clamp(vec4f(${part(0)}, ${part(1)}, ${part(2)}, ${part(3)}), vec4f(), vec4f(1.0));`,
  };
  return `
@group(0) @binding(0) var<storage, read> pixels: array<${stored}>;
${channels ? "" : "@group(0) @binding(1) var<storage, read> colours: array<u32>;"}
fn element(k: u32) -> ${channels ? "f32" : "u32"} { return ${element}; }
@vertex fn corner(@builtin(vertex_index) k: u32) -> @builtin(position) vec4f {
  return vec4f(f32(k & 1u) * 4.0 - 1.0, f32(k & 2u) * 2.0 - 1.0, 0.0, 1.0);
}
@fragment fn pixel(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let first = (u32(at.y) * ${width}u + u32(at.x)) * ${Math.max(channels, 1)}u;
  ${results[channels]}
  return vec4f(colour.rgb * colour.a, colour.a);
}`;
}

function draw({ gpu, guard }: GpuDevice, canvas: Canvas, picture: Picture): void {
  const { pixels, colours, width, channels } = picture;
  const context = contextOf(canvas, "webgpu", picture);
  const format = globalThis.navigator?.gpu?.getPreferredCanvasFormat() ?? "bgra8unorm";
  const buffers = [pixels, ...(colours ? [colours] : [])];
  guard(() => {
    if (configured.get(context) !== gpu) {
      context.configure({ device: gpu, format, alphaMode: "premultiplied" });
      configured.set(context, gpu);
    }
    if (!known.has(gpu)) known.set(gpu, new Map());
    const pipelines = known.get(gpu)!;
    const key = [pixels.dtype, channels, width].join();
    let pipeline = pipelines.get(key);
    if (!pipeline) {
      const module = gpu.createShaderModule({ code: shaderOf(picture) });
      const entries = buffers.map((_, binding) => ({ binding, visibility: FRAGMENT, buffer: { type: "read-only-storage" as const } }));
      pipeline = gpu.createRenderPipeline({
        layout: gpu.createPipelineLayout({ bindGroupLayouts: [gpu.createBindGroupLayout({ entries })] }),
        vertex: { module, entryPoint: "corner" },
        fragment: { module, entryPoint: "pixel", targets: [{ format }] },
      });
      pipelines.set(key, pipeline);
    }
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer: buffer.memory(true).identity as GPUBuffer, size: Math.ceil(buffer.nbytes / 4) * 4 } }));
    const encoder = gpu.createCommandEncoder();
    const view = context.getCurrentTexture().createView();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: "clear", storeOp: "store" }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, gpu.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.draw(3);
    pass.end();
    gpu.queue.submit([encoder.finish()]);
  });
}

// On WebAssembly

async function put(device: Device, canvas: Canvas, picture: Picture): Promise<void> {
  const { pixels, width, height, channels, colours } = picture;
  const context = contextOf(canvas, "2d", picture);
  const bytes = await device.read(pixels.memory(true));
  const image = new ImageData(width, height);
  const { data } = image;
  if (colours) {
    const words = new Uint32Array(data.buffer);
    const table = new Uint32Array((await device.read(colours.memory(true))).buffer);
    const unsigned = pixels.dtype.replace("i", "u") as "u8";
    const places = arrayOf(unsigned, bytes) as Uint32Array;
    for (let k = 0; k < words.length; k++) words[k] = table[Math.min(places[k]!, table.length - 1)]!;
  } else {
    const values = arrayOf(pixels.dtype, bytes) as Float32Array;
    const scale = pixels.dtype === "f32" ? 255 : 1;
    for (let from = 0, to = 0; to < data.length; from += channels, to += 4) {
      for (let k = 0; k < 3; k++) data[to + k] = scale * values[from + (channels > 1 ? k : 0)]!;
      data[to + 3] = channels === 4 ? scale * values[from + 3]! : 255;
    }
  }
  context.putImageData(image, 0, 0);
}
