// Validates WGSL with Tint, in Dawn without a GPU: reads {name: shader} from stdin, writes {name: [errors]}.
import { writeSync } from "node:fs";
import { create, globals } from "webgpu";

Object.assign(globalThis, globals);
let text = "";
for await (const part of process.stdin) text += part;
globalThis.gpu = create(["backend=null"]); // Dawn crashes once the instance is collected
const adapter = await globalThis.gpu.requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ["shader-f16"] });
const found = {};
for (const [name, code] of Object.entries(JSON.parse(text))) {
  device.pushErrorScope("validation");
  const info = await device.createShaderModule({ code }).getCompilationInfo();
  await device.popErrorScope();
  const errors = info.messages.filter((message) => message.type === "error");
  if (errors.length) found[name] = errors.map((error) => `${error.lineNum}:${error.linePos} ${error.message}`);
}
writeSync(1, `\n${JSON.stringify(found)}\n`); // Dawn writes its own messages to stdout, too
process.kill(process.pid, "SIGKILL"); // Dawn does not always survive its own exit handlers
