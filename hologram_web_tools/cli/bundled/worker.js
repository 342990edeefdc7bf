// Python, its packages and main.py, all from this folder.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const tell = (line) => postMessage({ line });
try {
  const { packages } = await (await fetch("site.json")).json();
  const [source, pyodide] = await Promise.all([
    fetch("main.py").then((answer) => answer.text()),
    loadPyodide({ stdout: tell, stderr: tell }),
  ]);
  postMessage({ source, state: "Loading packages ..." });
  await pyodide.loadPackage(packages, { messageCallback: () => {} });
  pyodide.registerJsModule("hologram_web_runtime", await import("./hologram-web/pyodide.js"));
  postMessage({ state: "Running ..." });
  await pyodide.runPythonAsync(source, { filename: "main.py" });
  postMessage({ state: "Done.", ended: "done" });
} catch (error) {
  tell(`${error.message ?? error}`);
  postMessage({ state: "It ended with an error.", ended: "failed" });
}
