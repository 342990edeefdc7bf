// Says what is missing where a script of package.json is called before anything was set up.
import { existsSync } from "node:fs";

const root = new URL("../", import.meta.url);
const missing = ["node_modules/esbuild", ".venv/bin/python"].filter((path) => !existsSync(new URL(path, root)));
if (missing.length) {
  console.error(`this needs ${missing.join(" and ")}, which ${missing.length > 1 ? "are" : "is"} not there: run make setup`);
  process.exitCode = 1;
}
