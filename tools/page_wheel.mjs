// Makes the wheels that pages load of the ordinary wheel, in Pyodide, so that the bytecode is of the Python that pages have.
// node tools/page_wheel.mjs WHEEL FOLDER [LIBRARY]
// LIBRARY is what `python -m hologram_web_tools.precompiled --pages LIBRARY` wrote; without it there is no third wheel.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { loadPyodide } from "pyodide";

const [, , wheel, folder, library] = process.argv;
try {
  const pyodide = await loadPyodide();
  for (const name of ["page_wheel.py", "page_init.py"]) {
    pyodide.FS.writeFile(name, readFileSync(new URL(name, import.meta.url)));
  }
  pyodide.FS.writeFile(basename(wheel), readFileSync(wheel));
  pyodide.globals.set("wheel", basename(wheel));
  pyodide.globals.set("library", pyodide.toPy(library ? new Uint8Array(readFileSync(library)) : new Uint8Array()));
  for (const made of pyodide.runPython("from page_wheel import convert; convert(wheel, bytes(library))").toJs()) {
    writeFileSync(join(folder, made), pyodide.FS.readFile(made));
    console.log(join(folder, made));
  }
  process.exit(0);
} catch (error) {
  console.error(`${error?.stack ?? error}`); // left to Node it comes behind a line of minified code
  process.exit(1);
}
