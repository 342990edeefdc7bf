import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf-8");

test("names that the bundle changes are marked where they are looked for", () => {
  // `"body" in step` was false in the bundle: launches in repeats and in steps of collectives had no code.
  const [list] = read("build.mjs").match(/(?<=const INTERNAL =)[^;]*/);
  const changed = new Set(list.match(/\w+/g));
  expect(changed).toContain("body");
  const files = readdirSync(new URL("../src", import.meta.url), { recursive: true }).filter((name) => name.endsWith(".ts"));
  const found = files.flatMap((file) =>
    [...read(`src/${file}`).matchAll(/(\/\* @__KEY__ \*\/ )?"(\w+)" in /g)]
      .filter(([, marked, name]) => changed.has(name) && !marked)
      .map(([text]) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});
