/** A program as files: the artifact, and a page that runs it without Python and without a server. */
import type { Input } from "./protocol.js";

export interface Alone {
  title: string;
  text: string;
  file: Uint8Array<ArrayBuffer>;
  inputs: readonly Input[];
}

export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const POLICY = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; worker-src blob:; img-src data: blob:";

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Bytes are base64, BigInts text with an n behind it, so that all of it is JSON. */
function json(value: unknown): string {
  const replaced = JSON.stringify(value, (_, found: unknown) => {
    if (found instanceof Uint8Array) return { base64: base64(found) };
    return typeof found === "bigint" ? { integer: String(found) } : found;
  });
  return replaced.replaceAll("<", "\\u003c");
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** The page, with the runtime and the program in it. */
export function pageOf({ title, text, file, inputs }: Alone, script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escaped(title)}: hologram_web</title>
<style>${style}</style>
<body class="alone">
<header><h1>${escaped(title)}</h1>
<p class="soft">Compiled from Python with hologram_web. It runs here, on your device; nothing is loaded, and nothing leaves this page.</p></header>
<main>
<div class="bar"><label>Devices <select id="devices"><option value="wasm,webgpu">all devices</option><option value="wasm">WebAssembly</option><option value="webgpu">WebGPU</option></select></label>
<button id="run" class="primary" type="button">Run</button> <span id="state" role="status"></span></div>
<div id="report"></div>
<details><summary>The program in Python</summary><pre tabindex="0" aria-label="The program in Python">${escaped(text)}</pre></details>
</main>
<script type="application/json" id="program">${json({ file, inputs })}</script>
<script type="module">${script.replaceAll("</script", "<\\/script")}</script>
</html>
`;
}
