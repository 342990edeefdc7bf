import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf-8");

/** The names that the minifier may change. */
const changed = new Set(read("build.mjs").match(/(?<=const INTERNAL =)[^;]*/)[0].match(/\w+/g));

test("names that the bundle changes are marked where they are looked for", () => {
  // `"body" in step` was false in the bundle: launches in repeats and in steps of collectives had no code.
  expect(changed).toContain("body");
  const files = readdirSync(new URL("../src", import.meta.url), { recursive: true }).filter((name) => name.endsWith(".ts"));
  const found = files.flatMap((file) =>
    [...read(`src/${file}`).matchAll(/(\/\* @__KEY__ \*\/ )?"(\w+)" in /g)]
      .filter(([, marked, name]) => changed.has(name) && !marked)
      .map(([text]) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});

test("methods that people call keep their names in the bundle", () => {
  // `replay` of a recording was no function there.
  const methods = ["runtime", "program", "buffer", "recording"].flatMap((file) =>
    [...read(`src/${file}.ts`).matchAll(/^export class .*?^}/gms)].flatMap(([text]) =>
      [...text.matchAll(/(.*)\n  (?:static |async |get )*(\w+)(?:<[^(]*>)?\(.*\{$/gm)].filter(([, before]) => !before.includes("@internal")).map(([, , name]) => name),
    ),
  );
  expect(methods).toEqual(expect.arrayContaining(["create", "load", "record", "run", "encode", "dispose", "read", "write", "replay", "done"]));
  expect(methods.filter((name) => changed.has(name))).toEqual([]);
});
