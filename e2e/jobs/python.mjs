// Runs Python in Pyodide, and gives what it gives; `sync` enters it so that it cannot wait.
import { boot } from "./pyodide.mjs";

export default async function python(tools, { code, sync = false, packaged = false }) {
  const { pyodide } = await boot(tools, { packaged });
  const options = { filename: "cell.py" };
  const found = sync ? pyodide.runPython(code, options) : await pyodide.runPythonAsync(code, options);
  return { json: found?.toJs?.({ dict_converter: Object.fromEntries }) ?? found ?? null };
}
