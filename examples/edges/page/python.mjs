// Python in the page: Pyodide with the wheel and the modules of the example, which make artifacts here.
import * as runtime from "/web/dist/pyodide.js";

/** `python` has the addresses of Pyodide, of the wheel, and of modules by their path. `times` are in ms. */
export async function openPython(get, { pyodide, wheel, modules }) {
  const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
  const interpreter = await loadPyodide({ indexURL: `${pyodide}/` });
  interpreter.registerJsModule("hologram_web_runtime", runtime);
  const site = interpreter.runPython("import site; site.getsitepackages()[0]");
  interpreter.unpackArchive(await get(wheel), "wheel", { extractDir: site });
  for (const [path, address] of Object.entries(modules)) {
    interpreter.FS.mkdirTree(`${site}/${path.slice(0, path.lastIndexOf("/"))}`);
    interpreter.FS.writeFile(`${site}/${path}`, new Uint8Array(await get(address)));
  }
  interpreter.runPython("import importlib, inspect, os, time; importlib.invalidate_caches()");
  const times = { import: interpreter.runPython(timed("import hologram_web as hg; hg.kernel, hg.compile, hg.u32")) };
  times.kernels = interpreter.runPython(timed("from examples.edges.pipeline import PLANS"));
  interpreter.runPython(COUNT);
  interpreter.runPython(GAUSSIAN);
  times.gaussian = [0, 1, 2, 3, 4].map(() => interpreter.runPython(timed("gaussian()")));
  return {
    times,
    compile: (name) => interpreter.runPython(`plan("${name}")`).toJs(),
    kept: () => interpreter.runPython("[store.made, store.found]").toJs(),
  };
}

const timed = (statement) => `
begun = time.perf_counter()
${statement}
1000 * (time.perf_counter() - begun)`;

// How many artifacts were made here, and how many on an earlier visit.
const COUNT = `
from hologram_web.store.store import compiled_store
store = compiled_store()
def plan(name):
    return PLANS[name]().to_bytes()
`;

// From the text of the Gaussian and of what stands before the first kernel to WebAssembly and WGSL.
const GAUSSIAN = `
import hologram_web as hg
from examples.edges import kernels
parts = inspect.getsource(kernels).split("@hg.kernel\\n")
text = parts[0] + next(part for part in parts if part.startswith("def gaussian_rows("))
def gaussian():
    os.environ["HOLOGRAM_WEB_CACHE"] = "off"
    kernel = hg.kernel_from_source(text, "gaussian_rows")
    shapes = dict.fromkeys(("luma", "blur_rows"), ("height", "width"))
    hg.compile(kernel, grid=("width", "height"), block=(kernels.TILE, kernels.TILE), shapes=shapes).to_bytes()
    del os.environ["HOLOGRAM_WEB_CACHE"]
`;
