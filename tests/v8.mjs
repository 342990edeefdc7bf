// Compiles WebAssembly modules with V8: reads {name: base64} from stdin, writes {name: error}.
import { writeSync } from "node:fs";

let text = "";
for await (const part of process.stdin) text += part;
const found = {};
for (const [name, code] of Object.entries(JSON.parse(text))) {
  try {
    new WebAssembly.Module(Buffer.from(code, "base64"));
  } catch (error) {
    found[name] = String(error);
  }
}
writeSync(1, JSON.stringify(found));
