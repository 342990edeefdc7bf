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
  interpreter.runPython("import importlib, inspect, time; importlib.invalidate_caches()");
  const times = { import: interpreter.runPython(timed("import hologram_web as hg; hg.kernel, hg.compile, hg.u32")) };
  times.kernels = interpreter.runPython(timed("from examples.edges.pipeline import PLANS"));
  interpreter.runPython(GAUSSIAN);
  times.gaussian = [0, 1, 2, 3, 4].map(() => interpreter.runPython(timed("gaussian()")));
  return { times, compile: (name) => interpreter.runPython(`PLANS["${name}"]().to_bytes()`).toJs() };
}

const timed = (statement) => `
begun = time.perf_counter()
${statement}
1000 * (time.perf_counter() - begun)`;

// From the text of the Gaussian and of what stands before the first kernel to WebAssembly and WGSL.
const GAUSSIAN = `
import hologram_web as hg
from examples.edges import kernels
parts = inspect.getsource(kernels).split("@hg.kernel\\n")
text = parts[0] + next(part for part in parts if part.startswith("def gaussian_rows("))
def gaussian():
    kernel = hg.kernel_from_source(text, "gaussian_rows")
    shapes = dict.fromkeys(("luma", "blur_rows"), ("height", "width"))
    return hg.compile(kernel, grid=("width", "height"), block=(kernels.TILE, kernels.TILE), shapes=shapes).to_bytes()
`;
