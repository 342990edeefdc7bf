// A module worker with Python: compiles the kernels that it is sent, and gives the artifact.
import { loadPyodide } from "./pyodide/pyodide.mjs";
import * as runtime from "./runtime/pyodide.js";

const get = async (address) => {
  const response = await fetch(new URL(address, import.meta.url));
  if (!response.ok) throw new Error(`${address}: status ${response.status}`);
  return response.arrayBuffer();
};

async function open() {
  const [python, wheel, files] = await Promise.all([
    loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href }),
    get("hologram_web.whl"),
    get("python.json").then((bytes) => JSON.parse(new TextDecoder().decode(bytes))),
  ]);
  python.registerJsModule("hologram_web_runtime", runtime);
  const site = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(wheel, "wheel", { extractDir: site });
  python.FS.mkdirTree(`${site}/examples/edges`);
  for (const [path, text] of Object.entries(files)) python.FS.writeFile(`${site}/${path}`, text);
  return { python, file: `${site}/examples/edges/kernels.py` };
}

// What was imported from the text before is forgotten.
const COMPILE = `
import importlib, linecache, sys
importlib.invalidate_caches()
linecache.clearcache()
for name in [name for name in sys.modules if name.startswith("examples")]:
    del sys.modules[name]
from hologram_web.errors import HologramError
try:
    from examples.edges.pipeline import stages_plan
    found = (stages_plan().to_bytes(), None)
except (HologramError, SyntaxError, NameError, TypeError, ImportError, AttributeError) as error:
    found = (None, f"{type(error).__name__}: {error}")
found
`;

let opened;

globalThis.onmessage = async ({ data: source }) => {
  try {
    const begun = performance.now();
    const { python, file } = await (opened ??= open());
    const ready = performance.now();
    python.FS.writeFile(file, source);
    const found = python.runPython(COMPILE);
    const [bytes, error] = found.toJs();
    found.destroy();
    postMessage({ bytes, error, loading: ready - begun, compiling: performance.now() - ready });
  } catch (error) {
    opened = undefined;
    postMessage({ error: String(error) });
  }
};
