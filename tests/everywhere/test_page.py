"""The wheel for pages, and docs/pyodide.md as it is read: its Python runs natively (tests/test_docs.py) and here."""

from __future__ import annotations

import re
import sys
import traceback
from array import array
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

import hologram_web as hg

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pyodide.md"


@pytest.mark.page  # natively tests/test_docs.py runs it
def test_the_page_of_the_documentation(wait: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]) -> None:
    from pyodide.code import eval_code_async  # type: ignore[import-not-found]

    names: dict[str, Any] = {}
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 2
    for code, printed in blocks:
        wait(eval_code_async(code, names))
        assert capsys.readouterr().out == printed


@pytest.mark.page
def test_the_wheel_has_two_files_of_modules_with_lines_and_what_help_shows() -> None:
    from hologram_web.store.store import fingerprint

    package = Path(hg.__file__ or "").parent
    assert [path.name for path in package.rglob("*.py")] == ["__init__.py"]
    assert version("hologram-web") == hg.__version__
    assert len(fingerprint()) == 32
    found = [path.name.split(".")[0] for path in package.iterdir() if path.suffix in (".zst", ".bz2")]
    # Bytecode, what typical calls become, sources (two wheels), what modules read.
    assert sorted(found) == ["first", "library", "rest", "tensor", "texts"]
    for wrong in (hg.Program.from_text, hg.Program.from_json):
        with pytest.raises(hg.IsaError) as caught:
            wrong("nonsense r1")
        frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(caught.tb)[1:]]
        assert {file.split("/")[0] for file, _ in frames} == {"hologram_web"}
        assert all(line is not None and line > 10 for _, line in frames)
    assert hg.Executor.array.__doc__
    assert hg.Executor.array.__annotations__
    assert hg.Program.from_text.__doc__
    assert hg.block_sum.__doc__  # of language.pyi, which pages have not


@pytest.mark.page
@pytest.mark.parametrize("module", ["__main__", "backends.wasm", "backends.webgpu.gpu", "store.disk"])
def test_what_pages_cannot_use_says_so(module: str) -> None:
    with pytest.raises(ModuleNotFoundError, match="is not in the wheel for pages, where it could do nothing"):
        import_module(f"hologram_web.{module}")
    assert sys.modules.get(f"hologram_web.{module}") is None


@pytest.mark.page
@pytest.mark.parametrize("module", ["tensor.ordering", "runtime.stream", "frontends.python.collective_calls"])
def test_without_the_tensor_librarys_wheel_it_says_what_to_install(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    finder: Any = object.__new__(hg._Modules)  # type: ignore[attr-defined]  # of tools/page_init.py
    finder.found = {}
    monkeypatch.setattr(hg, "_FILES", [Path("tensor.bz2")])
    with pytest.raises(ModuleNotFoundError) as caught:
        finder.find_spec(f"hologram_web.{module}")
    assert str(caught.value) == (
        f"hologram_web.{module} is in hologram-web-tensor, which is not installed: "
        "await micropip.install('hologram-web[tensor]')"
    )
    assert finder.find_spec("hologram_web.nothing") is None


@pytest.mark.page
@pytest.mark.parametrize("name", ["webgpu"])
def test_a_lost_device_is_told_and_replaced(name: str, wait: Callable[[Any], Any]) -> None:
    double = hg.kernel_from_source("def double(x: hg.Array[hg.i32]):\n    x[hg.global_id()] *= 2\n").program
    ex = hg.Executor(name)
    old = ex.array(array("i", [1, 2, 3]))
    ex.run(double, 3, x=old)
    assert old.numpy().tolist() == [2, 4, 6]
    gpu = ex.device._session.runtime.gpuDevice
    gpu.destroy()
    wait(gpu.lost)
    for _ in range(2):
        with pytest.raises(hg.InvalidBuffer, match="the buffer is gone: the device was lost: "):
            old.numpy()
    new = ex.array(array("i", [4, 5]))
    ex.run(double, 2, x=new)
    assert new.numpy().tolist() == [8, 10]


ENDLESS = {
    "a loop": "def k(x: hg.Array[hg.i32]):\n    while x[0] == 0:\n        x[1] += 1\n",
    "blocks": "def k(x: hg.Array[hg.i32]):\n    for i in range(1000):\n        x[1] += x[0]\n",
}


def _waited(ex: Any, program: Any, lanes: int, x: Any) -> None:
    ex.run(program, lanes, x=x)  # does not wait
    x.numpy()


@pytest.mark.page
@pytest.mark.parametrize("name", ENDLESS)
def test_the_interrupt_buffer_ends_launches_on_wasm(name: str) -> None:
    import page_of_tests  # type: ignore[import-not-found]
    import pyodide_js  # type: ignore[import-not-found]

    kernel = hg.kernel_from_source(ENDLESS[name])
    with hg.Executor("wasm", limits=hg.Limits(steps=1 << 50)) as ex:
        x = ex.array(array("i", [1, 0]))
        ex.run(kernel.program, 1, x=x)  # compiled, and what it needs is imported
        x.numpy()
        x = ex.array(array("i", [0, 0]))
        pyodide_js.setInterruptBuffer(page_of_tests.interruptsAfter(600))
        try:
            with pytest.raises(KeyboardInterrupt):  # and not the clock's StepLimit, after 60 seconds
                _waited(ex, kernel.program, 1 if name == "a loop" else 1 << 28, x)
        finally:
            pyodide_js.setInterruptBuffer(None)
        assert x.numpy().tolist()[0] == 0  # the device is usable
        y = ex.array(array("i", [1, 0]))
        ex.run(kernel.program, 1, x=y)
        assert y.numpy().tolist()[0] == 1
