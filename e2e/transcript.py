"""Does what docs/start_*.md say, as a stranger would: in an empty directory, with a release's files and no network.

A block of Python, JavaScript or HTML is written to the file that the words before it name last; where they say that it
is a cell, it is one of a notebook, and the text behind it is what the cell prints and shows. A line of a text that
begins with `$` is run, and what follows it is what it says, with `...` for anything; a text after "The page `NAME`
shows" is what `pre` has there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

from tests.test_docs import ROOT, STARTS, Block

__all__ = ["follow"]

# Programs write to a pipe that is as wide as the lines are.
_OFFLINE = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "npm_config_offline": "true", "COLUMNS": "300"}


# Runs the cells up to one as a notebook's kernel does, and says what the last prints and, without its marks, shows.
_CELLS = """
import json, re, sys
from html import unescape
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
shell = InteractiveShell.instance(colors="nocolor")
for cell in json.loads(sys.argv[1]):
    with capture_output() as told:
        done = shell.run_cell(cell, store_history=True)
print(re.sub(r"^Out\\[.*", "", told.stdout, flags=re.M | re.S), end="")
if done.result is not None:
    forms = shell.display_formatter.format(done.result)[0]
    shown = getattr(done.result, "html", None) or forms.get("text/html") or forms["text/plain"]
    print(*unescape(re.sub("<style.*?</style>|<[^>]+>", " ", shown, flags=re.S)).split())
"""


def follow(page: str, folder: Path, shown: Callable[[str, bool], str], made: Callable[[Path], object]) -> None:
    """Does what a page says. `shown` opens a page, and says what it has, after its button was pressed or before;
    `made` puts into a new environment what a network would bring."""
    cells: list[str] = []
    for block in STARTS[ROOT / "docs" / page]:
        words = _before(block)
        if block.kind == "python" and "cell" in words:
            cells.append(block.text)
        elif cells and block.kind == "text":
            done = _said([str(folder / "env" / "bin" / "python"), "-c", _CELLS, json.dumps(cells)], folder)
            _same(block.text, done, block.place)
        elif block.kind != "text":
            (folder / re.findall(r"`([\w.]+)`", words)[-1]).write_text(block.text, encoding="utf-8")
        elif block.text.startswith("$ "):
            for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
                command, _, expected = part.partition("\n")
                _same(expected, _said(["sh", "-c", f"{{ {command}\n}} 2>&1"], folder), f"{block.place}: {command}")
                if "-m venv" in command:
                    made(folder / command.split()[-1])
        else:
            name = re.findall(r"The page `([\w.]+)` shows", words)[-1]
            _same(block.text, shown(name, "is pressed" in words) + "\n", f"{block.place}: {name}")


def _before(block: Block) -> str:
    """The paragraph before a block."""
    lines = block.page.read_text(encoding="utf-8").split("\n")[: block.line - 2]
    return "\n".join(lines).rstrip().rpartition("\n\n")[2]


def _said(command: list[str], folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | _OFFLINE
    done = subprocess.run(command, cwd=folder, env=environment, check=False, stdout=subprocess.PIPE, encoding="utf-8")
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def _same(expected: str, found: str, place: str) -> None:
    assert OutputChecker().check_output(expected, found, ELLIPSIS), f"{place} says\n{found}and not\n{expected}"
