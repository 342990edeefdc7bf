/** The script of a page that was made of a program: see download.ts. */
import { measure } from "./measure.js";
import type { Device, Order } from "./protocol.js";
import { reportOf } from "./report.js";
import { told } from "./words.js";

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

const { file, inputs } = JSON.parse($("program").textContent!, (_, found: unknown) => {
  const { base64, integer } = (found ?? {}) as { base64?: string; integer?: string };
  if (base64 !== undefined) return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return integer === undefined ? found : BigInt(integer);
}) as Pick<Order, "file" | "inputs">;

const [button, state, devices] = [$<HTMLButtonElement>("run"), $("state"), $<HTMLSelectElement>("devices")];

async function run(): Promise<void> {
  button.disabled = true;
  try {
    const tell = (doing: string): void => void (state.textContent = doing);
    const reports = await measure({ file, inputs, devices: devices.value.split(",") as Device[] }, tell);
    $("report").replaceChildren(...reportOf(reports));
    $("report").dataset["runs"] = "1";
    state.textContent = "";
  } catch (error) {
    state.textContent = told(error);
  }
  button.disabled = false;
}

button.onclick = () => void run();
void run();
