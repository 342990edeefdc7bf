"""Runs the cells of a notebook as IPython does, without a server, and tells what each shows.

.venv/bin/python -m examples.notebooks.cells examples/notebooks/sound.ipynb

It prints a line of JSON for each cell of code: what it printed, and the forms of what it shows. Ends with 1 and the
error where a cell fails.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

__all__ = ["run"]


def run(notebook: Path) -> Iterator[dict[str, Any]]:
    """What the cells show, one after the other. Raises what a cell raises."""
    shell: Any = InteractiveShell.instance()
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with capture_output() as told:
                done = shell.run_cell("".join(cell["source"]), store_history=True)
            done.raise_error()
            forms = sorted(shell.display_formatter.format(done.result)[0]) if done.result is not None else []
            yield {"cell": cell["id"], "printed": told.stdout, "shows": forms}


if __name__ == "__main__":
    for shown in run(Path(sys.argv[1])):
        print(json.dumps(shown), flush=True)
