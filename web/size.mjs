// What pages load, gzipped as servers do. A page that computes stays within the limit, wherever it runs. `texts` is loaded
// after an error in a run, `backends/crew` in isolated pages for launches on wasm that threads share, `outside` for artifacts whose constants lie in other files, `backends/parts` for launches on a GPU
// that may be long, `recording` and `present` when they are called for, `values` for plans that compute, `prints` for kernels that print.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 18_000;
const PAGES = {
  "on wasm": ["index", "backends/wasm"],
  "on webgpu": ["index", "backends/webgpu"],
  "isolated, on wasm": ["index", "backends/wasm", "backends/crew"],
  "all there is": ["index", "backends/webgpu", "backends/parts", "backends/wasm", "backends/crew", "explain", "outside", "present", "prints", "recording", "texts", "values"],
};

const packed = (part) => gzipSync(readFileSync(new URL(`dist/${part}.js`, import.meta.url)), { level: 9 }).length;
for (const [page, parts] of Object.entries(PAGES)) {
  const sizes = parts.map(packed);
  const total = sizes.reduce((sum, size) => sum + size);
  console.log(`${page}: ${total} bytes gzipped (${parts.map((part, k) => `${part} ${sizes[k]}`).join(", ")})`);
  if (page.startsWith("on ") && total > LIMIT) {
    console.error(`that is more than ${LIMIT}`);
    process.exitCode = 1;
  }
}
