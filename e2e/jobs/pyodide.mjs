// Runs tests in Pyodide: those of tests/everywhere, as tests/where.py says, or of the array API standard's suite.

const FILES = "/tested"; // in the file system of Pyodide

/** An interrupt buffer in which somebody writes Ctrl-C `ms` from now; Python writes 0 whenever it has looked. */
function interruptsAfter(ms) {
  const at = performance.now() + ms;
  let seen = false;
  return {
    get 0() {
      return !seen && performance.now() > at ? 2 : 0;
    },
    set 0(_) {
      seen = performance.now() > at;
    },
  };
}

const BUNDLE = "/build/pyodide/bundle.zip";

export async function boot({ get }, { packaged = false, bundle = BUNDLE } = {}) {
  const { loadPyodide } = await import("../../node_modules/pyodide/pyodide.mjs");
  const lines = [];
  const note = (line) => lines.push(line);
  const pyodide = await loadPyodide({ stdout: note, stderr: note });
  // As a page does it that allows no strings to be evaluated; otherwise the package loads its own copy.
  if (!packaged) pyodide.registerJsModule("hologram_web_runtime", await import("../../web/dist/pyodide.js"));
  pyodide.registerJsModule("page_of_tests", { interruptsAfter });
  pyodide.unpackArchive(new Uint8Array(await get(bundle)), "zip", { extractDir: FILES });
  await pyodide.runPythonAsync(`import sys; sys.path.insert(0, '${FILES}')`);
  return { pyodide, lines };
}

export default async function tests(tools, { names, packaged, bundle, inside = "tests.everywhere.inside" }) {
  const { pyodide, lines } = await boot(tools, { packaged, bundle });
  pyodide.globals.set("names", JSON.stringify(names));
  try {
    const reports = await pyodide.runPythonAsync(`from ${inside} import run; run(names)`);
    return { json: { reports: JSON.parse(reports), lines } };
  } catch (error) {
    throw new Error(`${error}\n${lines.slice(-50).join("\n")}`);
  }
}
