// Bundles web/src into web/dist: the runtime, and beside it the parts that it loads where they are needed. The parts take
// the classes of errors from the runtime, so that there is one of each.
import { build } from "esbuild";

const PARTS = ["backends/parts", "backends/wasm", "backends/webgpu", "outside", "stdlib", "texts", "tree"];

/** Private members, and parts of artifacts and of runs, which nobody outside sees: the minifier may rename them. */
const INTERNAL =
  "adopt allocate arena bindings bits blobs block blocks body bound classMemory closed constants counters " +
  "counts current elements file first formulas freed functions gaps given grid identity inTurn install kernel " +
  "kernels lanes launch lengths memories modules need owned pieces place port prepare prepared program programs reads " +
  "record release renew results runtime scalars scratch shader shaders spill state step tell temporaries told turn " +
  "variable variant blob index wgsl writable written";

let mangleCache = {};

/** What Python in Pyodide uses, whole: as a module, and as a script that the package for Python carries. */
async function bundleForPython(format, outfile, options = {}) {
  const target = "es2022";
  await build({ entryPoints: ["web/src/pyodide.ts"], bundle: true, format, target, outfile, minify: true, logLevel: "warning", ...options });
}

async function bundle(entries, filter, kind, path) {
  // Imports that the filter finds are left to the browser; `path` says where that file will be, by default where it is.
  const outside = (found) => (found.kind === kind ? { path: path ?? found.path, external: true } : undefined);
  const later = (found) => ({ path: found.path, external: found.kind === "dynamic-import" });
  const result = await build({
    entryPoints: entries.map((entry) => `web/src/${entry}.ts`),
    outbase: "web/src",
    outdir: "web/dist",
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    sourcemap: "external",
    logLevel: "warning",
    mangleProps: new RegExp(`^(${INTERNAL.replaceAll(" ", "|")})$`),
    mangleCache,
    plugins: [{ name: "outside", setup: ({ onResolve }) => (onResolve({ filter }, outside), onResolve({ filter: /^\.\/parts\.js$/ }, later)) }],
  });
  ({ mangleCache } = result);
}

await bundle(["index", "isa.gen"], /^\.\//, "dynamic-import");
for (const part of PARTS) {
  await bundle([part], /\/errors\.js$/, "import-statement", part.includes("/") ? "../index.js" : "./index.js");
}
await bundleForPython("esm", "web/dist/pyodide.js", { sourcemap: "external" });
await bundleForPython("iife", "hologram_web/page/runtime.js", { globalName: "runtime", footer: { js: "runtime" } });
