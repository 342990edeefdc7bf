"""Without the second distribution: the core works, and what is missing says which extra has it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hologram_web as hg

ROOT = Path(__file__).resolve().parent.parent
HOW = "pip install 'hologram-web[tools]', in a page await micropip.install('hologram-web[tools]')"
KERNEL = "kernel = hg.kernel_from_source('def k(x: hg.Array[hg.i32]):\\n    x[hg.global_id()] *= 2\\n')\n"


GONE = """
import sys
class Gone:
    def find_spec(self, name, *_):
        if name == "hologram_web_tools":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Gone())
import hologram_web as hg
"""


def without_tools(code: str) -> str:
    run = [sys.executable, "-c", GONE + KERNEL + code]
    return subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_kernels_compile_and_run_without_the_tools() -> None:
    code = """
from array import array
x = array("i", [1, 2, 3])
kernel[3](x)
print(x.tolist(), len(hg.compile(kernel, grid=1).to_bytes()) > 100, {"circuit", "ProgramOptimizer"} & set(hg.__all__))
from hologram_web import *
"""
    assert without_tools(code) == "[2, 4, 6] True set()\n"


@pytest.mark.parametrize(
    ("code", "module"),
    [
        ("hg.circuit", "circuit"),
        ("import hologram_web.circuit", "circuit"),
        ("from hologram_web import kernel_json", "kernel_json"),
        ("hg.CircuitToIsa", "circuit.compile"),
        ("hg.JsonToIsa", "kernel_json"),
        ("hg.ProgramOptimizer", "optimizer"),
        ("kernel.program.optimize()", "optimizer"),
        ("kernel.steps", "debug.step"),
        ("kernel.debug", "debug.frames"),
        ("kernel.wgsl()", "explain"),
        ("kernel.explain('isa')", "explain"),
    ],
)
def test_what_is_missing_says_which_extra_has_it(code: str, module: str) -> None:
    text = f"hologram_web_tools.{module} is in hologram-web-tools, which is not installed: {HOW}"
    caught = f"try:\n    {code}\nexcept ModuleNotFoundError as error:\n    print(error, '|', error.name)"
    assert without_tools(caught) == f"{text} | hologram_web_tools\n"


def test_the_reference_and_the_command_line_say_so_too() -> None:
    text = f"is in hologram-web-tools, which is not installed: {HOW}"
    code = "try:\n    hg.Executor('cpu')\nexcept hg.BackendUnavailable as error:\n    print(error)"
    assert without_tools(code) == f"backend 'cpu' is not available: hologram_web_tools.cpu {text}\n"
    code = "from hologram_web.__main__ import main\ntry:\n    main()\nexcept SystemExit as end:\n    print(end)"
    assert without_tools(code) == f"hologram-web: hologram_web_tools.cli {text}\n"


def test_both_distributions_have_one_version() -> None:
    core, tools = (
        tomllib.loads((ROOT / path).read_text())["project"]
        for path in ("pyproject.toml", "hologram_web_tools/pyproject.toml")
    )
    assert core["version"] == tools["version"] == hg.__version__
    assert core["optional-dependencies"]["tools"] == [f"hologram-web-tools=={hg.__version__}"]
    hook = (ROOT / "hatch_build.py").read_text()
    assert re.search(r"hologram-web-tools=={self\.metadata\.version}; sys_platform != 'emscripten'", hook)
