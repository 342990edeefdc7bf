// Bundles the playground into a folder: node playground/build.mjs FOLDER. What else it needs lies there already, as the
// service worker keeps all that is in the folder.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const folder = process.argv[2];
const source = import.meta.dirname;
const common = { bundle: true, format: "esm", target: "es2022", minify: true, logLevel: "warning" };

const entries = (names) => names.map((name) => join(source, "src", `${name}.ts`));
await build({ ...common, entryPoints: entries(["main", "python", "runner", "alone"]), outdir: folder });

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== "service.js")
  .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "/").length))
  .sort();
const hash = createHash("sha256");
for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
const define = { FILES: JSON.stringify(["./", ...files]), VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)) };
await build({ ...common, format: "iife", entryPoints: entries(["service"]), outdir: folder, define });
