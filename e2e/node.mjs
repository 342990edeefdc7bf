// Runs a job in Node: node e2e/node.mjs JOB ARGUMENTS OUT, as e2e/driver.mjs does in a page.
import { readFile, writeFile } from "node:fs/promises";
import { pack } from "./pack.mjs";

const [, , job, args, out] = process.argv;
const root = new URL("..", import.meta.url);
const get = (path) => readFile(new URL(`.${path}`, root));
try {
  const { runtime = "web/dist/index.js", ...given } = JSON.parse(args);
  const hologram = await import(new URL(runtime, root));
  const { default: run } = await import(new URL(`e2e/jobs/${job}`, root));
  await writeFile(out, pack(await run({ get, hologram }, given)));
  process.exit(0);
} catch (error) {
  console.error(`${error?.stack ?? error}`); // left to Node it comes behind a line of minified code
  process.exit(1);
}
