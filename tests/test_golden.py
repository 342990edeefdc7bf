"""What the compiler makes of a few small programs, as text that people have read: IR, WebAssembly and WGSL.

A change of the compiler that changes these texts is looked at in the diff. They are written anew by

    python -m tests.test_golden
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa import Program
from hologram_web.isa.address import ON_CHIP
from hologram_web.isa.verify import analyze
from hologram_web.targets import wasm, wgsl
from hologram_web_tools.disassemble import disassemble

from .clike_c import opencl

FOLDER = Path(__file__).with_name("golden")
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.atlas"))


def texts(name: str) -> dict[str, str]:
    """The texts by file name, for blocks of 256 lanes."""
    program = Program.from_text((FOLDER / f"{name}.atlas").read_text(encoding="utf-8"))
    function = optimize(build(analyze(program), (256, 1, 1)))
    groups = [[base] for base in function.bases if base.space not in ON_CHIP]
    kernel = wgsl.compile_kernel(function, groups, program.shared_memory)
    another = {f"{name}.cl": opencl(function)} if name == "dot_rows" else {}  # by the base of WGSL
    return another | {
        f"{name}.ir": str(function),
        f"{name}.wat": disassemble(wasm.compile_kernel(function).code),
        f"{name}.wgsl": kernel.code,
        f"{name}.fast.wgsl": "\n".join(fast.code for fast in kernel.fast),
    }


@pytest.mark.parametrize("name", PROGRAMS)
def test_texts_are_those_that_were_read(name):
    for file, text in texts(name).items():
        assert (FOLDER / file).read_text(encoding="utf-8") == text, f"{file}: see the first lines of this test"


if __name__ == "__main__":
    for stem in PROGRAMS:
        for file, text in texts(stem).items():
            (FOLDER / file).write_text(text, encoding="utf-8")
