// What people meet first: errors as they are printed, files by their paths, what servers answer in place of files.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { Runtime } from "../src/index.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const samples = join(root, "build", "e2e");

/** What Node says of a program that uses the bundled runtime; files of the tests are beside it. */
async function says(program: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "holo-"));
  await symlink(samples, join(folder, "files"));
  const runtime = JSON.stringify(pathToFileURL(join(root, "web", "dist", "index.js")));
  await writeFile(join(folder, "mine.mjs"), `import { Runtime } from ${runtime};\nconst runtime = await Runtime.create({ backend: "wasm", threads: 1 });\n${program}`);
  return new Promise((resolve) => execFile(process.execPath, ["mine.mjs"], { cwd: folder }, (_, out, err) => resolve(out + err)));
}

const FAULT = `const beyond = await runtime.load("files/beyond.holo");
await beyond.run({ x: [1, 2], y: [0, 0] });
`;

test("an error of a run that nobody catches is its text, with the line of Python, and the caller's line", async () => {
  const found = await says(FAULT);
  expect(found).toMatch(/^file:\/\/\S+mine\.mjs:4\nawait beyond\.run\(\{ x: \[1, 2\], y: \[0, 0\] \}\);\n *\^\n/);
  expect(found).toMatch(/\nExecutionError: OutOfBounds at instruction \d+, lane 1: .*\nbeyond\.py:5: y\[i\] = x\[i \+ 1\]\n    at async file:\S+\n\nNode/);
  expect(found).not.toContain("/dist/");
});

test("an error within a call is the same", async () => {
  const found = await says(`runtime.buffer("f33", 1);`);
  expect(found).toMatch(/mine\.mjs:3\nruntime\.buffer\("f33", 1\);\n +\^\n\nLaunchError: 'f33' is no type: there are f16, .*\n    at file:/);
  expect(found).not.toContain("index.js");
  const written = await says(`runtime.buffer("f32", 1).write([1, 2]);`);
  expect(written).toMatch(/\n\nInvalidBuffer: 8 bytes at offset 0 do not fit a buffer of 4 bytes\n    at file:/);
});

test("console.log shows what errors and Buffers are, and no fields", async () => {
  const runtime = await Runtime.create({ backend: "wasm" });
  const error = await runtime.load(new Uint8Array(3)).then(null, (found) => found);
  expect(inspect(error)).toMatch(/^ArtifactError: these bytes are no artifact: they do not start with HOLO\n    at /);
  expect(inspect(runtime.buffer("i64", [1n, 2n]))).toBe("Buffer i64[2] [1, 2] on WebAssembly");
  expect(inspect(runtime.buffer("f16", [1, -2.5, 0.1]))).toBe("Buffer f16[3] [1, -2.5, 0.0999755859375] on WebAssembly");
  expect(inspect(runtime.buffer("bf16", [1, 3e38]))).toBe("Buffer bf16[2] [1, 3.00405527047391e+38] on WebAssembly");
  expect(inspect(runtime)).toBe("Runtime on WebAssembly");
  await runtime.close();
});

test("files are loaded by their paths and file: addresses, with what lies beside them", async () => {
  const runtime = await Runtime.create({ backend: "wasm" });
  const path = join(samples, "outside.holo");
  for (const source of [path, relative(process.cwd(), path), pathToFileURL(path), pathToFileURL(path).href]) {
    expect((await runtime.load(source)).name).toBe("powers");
  }
  const missing = runtime.load("no/such.holo");
  await expect(missing).rejects.toThrow(/^no\/such\.holo cannot be read: Error: ENOENT: no such file or directory, open '.*no\/such\.holo'$/);
  // a file reaches into its own folder only
  const folder = await mkdtemp(join(tmpdir(), "holo-"));
  await expect(runtime.load(await readFile(path), { base: pathToFileURL(join(folder, "deeper", "x.holo")) })).rejects.toThrow(/ENOENT|is not in the folder/);
  await runtime.close();
});

test("a page in place of a file is called one, with its address", async () => {
  const server = createServer((_, response) => response.end("\n<!doctype html><title>An application</title>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lost.holo`;
  const runtime = await Runtime.create({ backend: "wasm" });
  await expect(runtime.load(address)).rejects.toThrow(`${address} looks like HTML: does the server answer with a page where it has no such file?`);
  await runtime.close();
  server.close();
});
