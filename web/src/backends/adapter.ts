/** Finds a GPU. */
import { BackendUnavailable } from "../errors.js";

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|\bwarp\b|basic render|\bcpu\b/i;

export interface AdapterInfo {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
  /** Whether it is a GPU, not a program that stands in for one. */
  real: boolean;
  /** What F32 does not do as elsewhere: operations whose results are not the nearest numbers, "subnormals". */
  inexact: string[];
}

export async function openAdapter(gpu: GPU, power: GPUPowerPreference): Promise<GPUAdapter> {
  let adapter: GPUAdapter | null = null;
  try {
    adapter = await gpu.requestAdapter({ powerPreference: power });
  } catch (error) {
    throw new BackendUnavailable("webgpu", String(error));
  }
  if (!adapter) throw new BackendUnavailable("webgpu", "the browser has no adapter");
  return adapter;
}

/** What the adapter says of itself. */
export function describeAdapter(info: GPUAdapterInfo): AdapterInfo {
  const { vendor, architecture, device, description, isFallbackAdapter } = info;
  const software = isFallbackAdapter || SOFTWARE.test(`${vendor} ${architecture} ${device} ${description}`);
  return { vendor, architecture, device, description, real: !software, inexact: [] };
}

/** Its names. */
export function nameOf(adapter: AdapterInfo | null): string {
  const { vendor, architecture, description, real } = adapter ?? ({} as Partial<AdapterInfo>);
  return `${[vendor, architecture, description].filter(Boolean).join(" ") || "an adapter without a name"}${real === false ? ", a program and no GPU" : ""}`;
}

const HARMLESS = ["/", "sqrt", "subnormals"];

/** Why an adapter is taken without being asked for. Raises BackendUnavailable if it is not. */
export function judge(adapter: AdapterInfo): string {
  const { real, inexact } = adapter;
  const name = `the adapter ${nameOf({ ...adapter, real: true })}`;
  const broken = inexact.filter((operation) => !HARMLESS.includes(operation)).join(", ");
  if (!real || broken) throw new BackendUnavailable("webgpu", real ? `${name} gets ${broken} wrong` : `${name} is no GPU but a program`);
  return `${name} is a GPU`;
}
