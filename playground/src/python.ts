/** The worker with Python: Pyodide, the wheels, and inside.py. It answers questions in their order. */
import type { loadPyodide as LoadPyodide } from "pyodide";
import * as runtime from "../../web/src/pyodide.js";
import type { Answer, Compiled, Looked, Question } from "./protocol.js";
import { told } from "./words.js";

interface Inside {
  /** Entered so that it may block. */
  compiled(text: string): Promise<Compiled>;
  view(unit: string, kind: string): string;
}

const at = (path: string): string => new URL(path, import.meta.url).href;

async function open(): Promise<Inside> {
  const pyodide = (await import(at("pyodide/pyodide.mjs"))) as { loadPyodide: typeof LoadPyodide };
  const get = async (name: string): Promise<ArrayBuffer> => {
    const response = await fetch(at(name));
    if (!response.ok) throw new Error(`${name}: status ${response.status}`);
    return response.arrayBuffer();
  };
  const names = ["wheels/hologram_web.whl", "wheels/hologram_web_tensor.whl", "wheels/hologram_web_tools.whl"];
  const [python, inside, ...wheels] = await Promise.all([pyodide.loadPyodide({ indexURL: at("pyodide/") }), get("inside.py"), ...names.map(get)]);
  python.registerJsModule("hologram_web_runtime", runtime);
  const site = python.runPython("import site; site.getsitepackages()[0]") as string;
  for (const wheel of wheels) python.unpackArchive(wheel, "wheel", { extractDir: site });
  python.FS.writeFile(`${site}/inside.py`, new Uint8Array(inside));
  python.runPython("import importlib; importlib.invalidate_caches()");
  const { view } = python.pyimport("inside") as unknown as Inside;
  const compiled = async (text: string): Promise<Compiled> => {
    const locals = python.toPy({ text });
    const found = await python.runPythonAsync("import inside\nawait inside.compiled(text)", { globals: locals });
    locals.destroy();
    const told = found.toJs({ dict_converter: Object.fromEntries }) as Compiled;
    found.destroy();
    return told;
  };
  return { compiled, view };
}

async function answer(inside: Inside, { id, text, look }: Question): Promise<Answer> {
  let compiled: Compiled | null = null;
  if (text !== null) {
    const started = performance.now();
    compiled = { ...(await inside.compiled(text)), milliseconds: performance.now() - started };
  }
  const units = compiled?.units;
  const seen: Looked | null = look && units ? (units.length ? { ...look, unit: units.includes(look.unit) ? look.unit : units[0]! } : null) : look;
  return { id, compiled, look: seen, code: seen ? inside.view(seen.unit, seen.kind) : "" };
}

const opened = open();
opened.then(
  () => globalThis.postMessage(null),
  () => {},
);
let turn: Promise<unknown> = opened.catch(() => {});
globalThis.onmessage = ({ data }: MessageEvent<Question>) => {
  const reply = async (): Promise<Answer> => answer(await opened, data);
  turn = turn.then(reply).then(globalThis.postMessage, (error: unknown) => {
    globalThis.postMessage({ id: data.id, compiled: null, look: null, code: "", broken: told(error) } satisfies Answer);
  });
};
