import { boot } from "./pyodide.mjs";
export default async function python(tools, { code, bundle }) {
  const { pyodide } = await boot(tools, { packaged: true, bundle });
  const found = await pyodide.runPythonAsync(code, { filename: "cell.py" });
  return { json: found?.toJs?.() ?? found ?? null };
}
