// The runtime is loaded by every page that uses it: both devices, the reader, BLAKE3 and the texts of all errors.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 19_500;
const code = readFileSync(new URL("dist/index.js", import.meta.url));
const packed = gzipSync(code, { level: 9 }).length;
console.log(`web/dist/index.js: ${code.length} bytes, ${packed} gzipped (limit ${LIMIT})`);
if (packed > LIMIT) process.exit(1);
