// Bundles web/src into web/dist: the runtime, and beside it the parts that it loads where they are needed. The parts take
// the classes of errors from the runtime, so that there is one of each.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { build } from "esbuild";
import { minify } from "terser";

const PARTS = ["backends/crew", "backends/parts", "backends/wasm", "backends/webgpu", "explain", "offline", "ops", "outside", "pool", "present", "prints", "recording", "stdlib", "texts", "tree", "values"];

/** Private members, and parts of artifacts and of runs, which nobody outside sees: the minifier may rename them. */
const INTERNAL =
  "addresses adopt again allocate anew arena arrays bindings bits blob blobs block blocks body bound calls choose " +
  "classMemory cleared closed commands constants counts current elements ends file first formulas " +
  "freed functions gaps given grid groups guard identity inTurn index install jobs kept kernel kernels laid lanes " +
  "late launch lay lent lengths made memories modules need offsets owned pieces place port prepare prepared program " +
  "programs reads release renew results runtime scalars scratch settle share shader shaders slots spill state step take " +
  "tell temporaries told turn unsure usable uses variable variant waiting wgsl writable written " +
  "parallel together turns alone head crew crewed atomic raiseLost keep looked ticks functionOf takes change meet fits top hired wants wanted enter uses computed operation condition otherwise levels conditions fast walk relaxed filler copy interrupted";

let mangleCache = {};

/** What Python in Pyodide uses, whole: as a module, and as a script that the package for Python carries. */
async function bundleForPython(format, outfile, options = {}) {
  // What its sessions never load: Python prints, reads constants of other files, and explains by itself.
  const later = {
    name: "later",
    setup: ({ onResolve }) => onResolve({ filter: /\/(explain|outside|present|prints)\.js$/ }, ({ path }) => ({ path, external: true })),
  };
  await packed({ entryPoints: ["web/src/pyodide.ts"], format, outfile, plugins: [later], ...options });
}

/**
 * Bundles by esbuild, which renames properties; terser does the rest, whose files are 6% smaller when they are gzipped.
 */
async function packed(options) {
  const { footer, ...rest } = options;
  const result = await build({ bundle: true, target: "es2022", minifySyntax: true, sourcemap: "external", logLevel: "warning", write: false, ...rest });
  const text = (path) => result.outputFiles.find((file) => file.path === path)?.text;
  for (const { path } of result.outputFiles) {
    if (path.endsWith(".map")) continue;
    mkdirSync(dirname(path), { recursive: true });
    const module = options.format === "esm";
    const { code, map } = await minify(text(path), {
      module,
      ecma: 2020,
      compress: { passes: 3 },
      sourceMap: { content: text(`${path}.map`) },
    });
    const made = code + (footer?.js ?? "");
    // A script that is the same stays as old as it is: wheels, which hold one, are not made anew then.
    if (module || !existsSync(path) || readFileSync(path, "utf8") !== made) writeFileSync(path, made);
    if (module) writeFileSync(`${path}.map`, map);
  }
  return result;
}

/** Of what a part imports, that which the runtime has already: see internal.ts. */
function shared(index) {
  const [names] = readFileSync("web/src/internal.ts", "utf8").match(/(?<=internal = )\[[^\]]*\]/);
  const contents = `import { internal } from "${index}";\nexport const ${names} = internal;`;
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: /\/internal\.js$/ }, () => ({ path: "internal", namespace: "shared" }));
    onResolve({ filter: /./, namespace: "shared" }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /./, namespace: "shared" }, () => ({ contents }));
  };
  return { name: "shared", setup };
}

async function bundle(entries, filter, kind, path) {
  // Imports that the filter finds are left to the browser; `path` says where that file will be, by default where it is.
  const outside = (found) => (found.kind === kind ? { path: path ?? found.path, external: true } : undefined);
  const later = (found) => ({ path: found.path, external: found.kind === "dynamic-import" });
  const result = await packed({
    entryPoints: entries.map((entry) => `web/src/${entry}.ts`),
    outbase: "web/src",
    outdir: "web/dist",
    format: "esm",
    mangleProps: new RegExp(`^(${INTERNAL.replaceAll(" ", "|")})$`),
    mangleCache,
    plugins: [
      ...(path ? [shared(path)] : []),
      { name: "outside", setup: ({ onResolve }) => (onResolve({ filter }, outside), onResolve({ filter: /^\.\/(crew|parts|(ops|stdlib)\/index)\.js$/ }, later)) },
    ],
  });
  ({ mangleCache } = result);
}

await bundle(["index", "isa.gen"], /^\.\//, "dynamic-import");
for (const part of PARTS) {
  await bundle([part], /\/errors\.js$/, "import-statement", part.includes("/") ? "../index.js" : "./index.js");
}
await bundle(["worker"], /\/index\.js$/, "import-statement");
await packed({ entryPoints: ["web/src/isolate.ts"], format: "iife", outfile: "web/dist/isolate.js" });
await bundleForPython("esm", "web/dist/pyodide.js");
await bundleForPython("iife", "hologram_web/page/runtime.js", { globalName: "runtime", footer: { js: "runtime" } });
// For Node, where tests run: as it is, and what it puts into pages is a function's text.
await build({ entryPoints: ["web/src/playwright.ts"], bundle: true, packages: "external", format: "esm", target: "es2022", outfile: "web/dist/playwright.js", logLevel: "warning" });
