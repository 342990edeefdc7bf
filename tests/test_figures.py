"""Every figure in the texts is made by a command, lies in the code, or is counted here; the others are listed.

`python -m tests.test_figures` writes anew what is counted.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from datetime import date
from functools import cache, partial
from pathlib import Path

import pytest

from bench.cases import CASES
from examples.edges.chromium import build_page_wheel
from hologram_web.backends import DEVICES
from hologram_web.compiler.passes import PASSES
from hologram_web.isa.row import Effect, Row
from hologram_web.isa.table import LANE_ROWS, ROWS
from hologram_web.stdlib import NAMES
from hologram_web_tools.optimizer import PASSES as PROGRAM_PASSES

from .figures import ROOT, TEXTS, Figure, Marker, figures, markers, problem
from .fuzz.plan import STANDARD
from .where import write_tools_wheel, write_wheel

# Measured by hand: no command repeats it. Whoever writes a figure has a command for it, or adds it here.
ONCE = (
    "README.md: operations on an H200 beside PyTorch's CUDA, from docs/performance.md, 2026-11-29",
    "README.md: where the time of a product of 256 goes natively, by launch and by function, and products compiled "
    "with opt_level none, 2026-11-29",
    "README.md: products by hand and ours, old and new, in turns in one page of Chromium, the least of 240 to 300 "
    "runs, and the code that V8 14.1 makes of them, 2026-11-30",
    "README.md: products of small matrices b, lane for lane and in panels, by the processor's time, the mean of 800 "
    "runs in Node 25 and the least of 100 natively, 2026-11-30",
    "README.md: convolutions and one row by a matrix, before and after, in turns in one plain page of Chromium, "
    "processor time of its renderer, least of 25 to 60 turns, 2026-11-30",
    "README.md: attention, convolutions and products in one page of Chromium, old and new files in turns, the least of "
    "180 to 450 runs, 2026-11-29",
    "README.md: fused products of 512 in Node 25 (V8 14.1), our module with one thing after the other changed in its "
    "text, and by hand, in turns, the thread's time of the processor, the time that an eighth of 48 to 60 runs stays "
    "under, 2026-11-30",
    "README.md: kernels of a step of mlp natively, the least of 60 steps one behind the other, their sum, 2026-11-30",
    "README.md: fused products of 512 x 512 x k in one page of Chromium, in turns, rounds of two steps of k, of four, "
    "of eight, and by hand, least times, 2026-11-30",
    "README.md: products before and after, and by hand, in turns in one plain page of Chromium, processor time of its "
    "renderer, least of 13 turns of 40 ms, 2026-11-30",
    "README.md: rows, depthwise convolutions and products of bytes by hand in WGSL, in turns in one page of Chromium, "
    "processor time of its GPU process, medians of 5 to 11 turns at a load of 13 to 15, 2026-11-30",
    "README.md: our old and new texts in turns in one page of Chromium, processor time of its GPU process, medians of "
    "5 to 9 turns at a load of 13, 2026-11-30",
    "README.md: what SwiftShader's time is made of, shaders written by hand in Chromium by the time of the processor, "
    "2026-11-28",
    "README.md: adding and the chain of exponentials with several blocks a workgroup, 2026-11-23",
    "README.md: generated cases and the named ones by the processor's time, natively, one thread, 2026-11-24",
    "README.md: which programs of the fuzzer are packets, 2026-11-24",
    "README.md: rows by blocks of 16 lanes and in packets of 8, in Chromium, one thread, 2026-11-27",
    "README.md: constants in globals and relaxed modules in Chromium, one thread, 2026-11-23",
    "README.md: our tree in shared memory turned into the loop by hand in ten steps, each timed beside the others, "
    "2026-11-30",
    "README.md: generated cases of the seed 23 beside the named ones, natively, one thread, 2026-11-29",
    "README.md: a call of np.clip, and nine nodes with one, before and after, 2026-11-30",
    "README.md: launches of a chain's kernel and of a copy, before and after, 2026-11-29",
    "README.md: arrays rebuilt and a convnet's step, before and after in turns, 2026-11-29",
    "README.md: bench.training at a load of 1.4 before, the parts taken by themselves, 2026-11-30",
    "README.md: bench.training on the idle machine before that day, 2026-11-30",
    "README.md: kernels of a convnet's step, before and after; convolutions of 1 to 64 channels, 2026-11-29",
    "README.md: depthwise 3 x 3 in other forms, least times in Chromium, one thread, 2026-11-29",
    "README.md: rows in registers and read again on llvmpipe and wasmtime, both forms by turns in one process, "
    "2026-11-30",
    "README.md: both texts and all widths of packets by turns in one process, 2026-11-30",
    "README.md: least of 25 launches on wasm of both texts by turns, processor time, at a load of 15, 2026-11-30",
    "README.md: first runs in Node's Pyodide with the wheels for pages before the library and with it, in turns, "
    "2026-11-30",
    "README.md: the 85 kernels of the library by wasmtime with each cranelift_opt_level, 2026-11-29",
    "README.md: the compiler beside the one before packets, kernel by kernel in turns, 2026-11-27",
    "array_api.md: the suite on each device, 2026-11-29",
    "array_api.md: the suite on webgpu, at other commits, 2026-11-30",
    "array_api.md: the suite with 2025.12, 2026-11-29",
    "bignum.md: products of U256 in other ways, 2026-11-22",
    "blocks.md: subgroups beside a tree, 2026-11-23",
    "devices.md: what lanes, branches and checks cost in shaders, 2026-11-23",
    "devices.md: the same bench with two shaders more, 13 rounds at a load of 16, 2026-11-29",
    "devices.md: what subtracting costs on llvmpipe, 2026-11-23",
    "functions.md: how long functions of F64 take to compile, 2026-11-24",
    "install.md: what an installation brings, 2026-11-29",
    "install.md: pyodide-build 0.39.2 and pyodide-lock 0.2.1 with Python 3.13.0, 2026-11-28",
    "javascript.md: our shader by hand in workgroups of 256, 64 and 32, bench.launch_js at a load of 17, 2026-11-30",
    "optimizer.md: four rounds in one of the loops of a softmax and a layer norm, in Chromium, 2026-11-23",
    "optimizer.md: the same in shaders, by the time of the processor in Chromium's GPU process, python -m bench.peers "
    "--where webgpu --case softmax, 2026-11-28",
    "optimizer.md: divisions by constants in wasmtime, 2026-11-22",
    "performance.md: operations on an H200 beside PyTorch's CUDA, the GPU's clock, 2026-11-29",
    "pyodide.md: 120 rounds of 500 launches of both sizes in turn in a page, 2026-11-29",
    "pyodide.md: compiling the Gaussian of make run in Node's Pyodide, by its parts, and with and without looks for "
    "cycles, 2026-11-29",
    "pyodide.md: 60 compilations of the Gaussian in Node's Pyodide, with gc.callbacks, 2026-11-30",
    "wide.md: what llvmpipe takes to compile a private array, 2026-11-22",
)

_WORDS = {8: "eight", 9: "nine", 60: "Sixty"}


def _runs(row: Row) -> bool:
    return row.reference is not None or row.effect in (Effect.CONTROL, Effect.BARRIER)


@cache
def _module(name: str) -> int:
    case = CASES[name]()
    return len(DEVICES["wasm"](cache=False).compile_to_wasm(case.program, tuple(case.config.block)))


@cache
def _page(*parts: str) -> int:
    """Bytes that a page loads, gzipped."""
    from examples.edges.chromium import bundle

    bundle()
    return sum(len(gzip.compress((ROOT / "web/dist" / f"{part}.js").read_bytes(), 9)) for part in parts)


_ON_WASM, _ON_WEBGPU = ("index", "backends/wasm"), ("index", "backends/webgpu")
_BESIDE = (
    "backends/webgpu",
    "backends/parts",
    "backends/crew",
    "explain",
    "outside",
    "present",
    "prints",
    "recording",
    "texts",
    "values",
)


def _number(count: int) -> str:
    return f"{count:,}"


# Page, sentence with one number in brackets, what it has to be, and how far it may be off, as a part of it.
COUNTED: tuple[tuple[str, str, Callable[[], str | float], float], ...] = (
    ("docs/status.md", r"Of (\d+) lane instructions \d+ run", lambda: str(len(LANE_ROWS)), 0),
    ("docs/status.md", r"Of \d+ lane instructions (\d+) run", lambda: str(sum(map(_runs, LANE_ROWS))), 0),
    ("docs/status.md", r"of (\d+) collectives", lambda: str(len(ROWS) - len(LANE_ROWS)), 0),
    ("docs/status.md", r"\[standard library\]\(stdlib\.md\) of (\d+) kernels", lambda: str(len(NAMES)), 0),
    ("docs/measured.md", r"over the (\d+) kernels of the standard library", lambda: str(len(NAMES)), 0),
    ("docs/status.md", r"optimizer\]\(optimizer\.md\): (\w+) passes", lambda: _WORDS[len(PASSES)], 0),
    *(
        ("docs/measured.md", rf"\| {name} +\| +\d+ \| +([\d,]+) \|", partial(_module, name), 0.02)
        for name in ("saxpy", "mandelbrot", "blur")
    ),
    ("docs/measured.md", r"The runtime has ([\d,]+) bytes", lambda: _page(*_ON_WEBGPU), 0.01),
    ("docs/measured.md", r"page on WebGPU loads, gzipped +\| +([\d.]+) KB", lambda: _page(*_ON_WEBGPU) / 1000, 0.01),
    ("docs/status.md", r"a page loads (\d+) KB gzipped", lambda: _page(*_ON_WASM) / 1000, 0.05),
    ("docs/status.md", r"a page loads (\d+) KB gzipped", lambda: _page(*_ON_WEBGPU) / 1000, 0.05),
    ("CHANGELOG.md", r"loads (\d+) KB gzipped", lambda: _page(*_ON_WASM) / 1000, 0.05),
    ("CHANGELOG.md", r"loads (\d+) KB gzipped", lambda: _page(*_ON_WEBGPU) / 1000, 0.05),
    ("docs/javascript.md", r"\| on WebAssembly \| ([\d,]+) \|", lambda: _page(*_ON_WASM), 0.01),
    (
        "docs/javascript.md",
        r"\| on WebAssembly, isolated \| ([\d,]+) \|",
        lambda: _page(*_ON_WASM, "backends/crew"),
        0.01,
    ),
    ("docs/javascript.md", r"\| on WebGPU \| ([\d,]+) \|", lambda: _page(*_ON_WEBGPU), 0.01),
    (
        "docs/javascript.md",
        r"\| all there is \| ([\d,]+) \|",
        lambda: _page(*_ON_WASM, *_BESIDE),
        0.01,
    ),
    ("docs/stdlib.md", r"^(\w+) kernels on F32", lambda: _WORDS[len(NAMES)], 0),
    ("docs/pyodide.md", r"the median of the (\d+) kernels of the standard library", lambda: str(len(NAMES)), 0),
    ("docs/optimizer.md", r"(\d+) programs of the standard library, instructions", lambda: str(len(NAMES)), 0),
    ("docs/fuzzing.md", r"the standard run: ([\d,]+) programs on cpu", lambda: _number(sum(STANDARD.values())), 0),
    ("CHANGELOG.md", r"one table of (\d+) instructions", lambda: str(len(ROWS)), 0),
    ("CHANGELOG.md", r"the standard library: (\d+) kernels", lambda: str(len(NAMES)), 0),
    ("CHANGELOG.md", r"make programs smaller: (\w+) passes over instructions", lambda: _WORDS[len(PROGRAM_PASSES)], 0),
    ("bench/README.md", r"for the (\w+) kernels of the standard", lambda: _WORDS[len(NAMES)].lower(), 0),
)


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_every_figure_has_a_command(page: Path) -> None:
    """Those that have none are listed, with their lines."""
    name = page.relative_to(ROOT).as_posix()
    sentences = [re.compile(sentence) for where, sentence, _, _ in COUNTED if where == name]
    left = [f.place for f in figures(page, _text(page)) if not any(s.search(f.sentence) for s in sentences)]
    assert not left, "no command makes these: put a comment of tests/figures.py before them, or count them here"


@pytest.mark.parametrize("marker", [m for page in TEXTS for m in markers(page, _text(page))], ids=lambda m: m.place)
def test_what_makes_a_figure_is_there(marker: Marker) -> None:
    assert problem(marker, date.today()) == ""


def test_what_was_measured_by_hand_is_listed() -> None:
    found = [f"{m.page.name}: {m.text}" for page in TEXTS for m in markers(page, _text(page)) if m.kind == "once"]
    assert found == list(ONCE)


@pytest.mark.parametrize(("page", "sentence", "counted", "off"), COUNTED, ids=[f"{c[0]}-{c[1][:30]}" for c in COUNTED])
def test_counts(page: str, sentence: str, counted: Callable[[], str | float], off: float) -> None:
    """Of everything that can be counted, from the code itself."""
    found = re.search(sentence, _text(ROOT / page), re.MULTILINE)
    assert found, f"{page} has no sentence {sentence!r} any more: mend the list here"
    if off:
        assert float(found[1].replace(",", "")) == pytest.approx(counted(), rel=off)
    else:
        assert found[1] == counted()


def test_sizes_of_the_wheels(tmp_path: Path) -> None:
    """Within three parts of a hundred: they change with every commit. The one of pages is the very file that they load,
    with its metadata and license."""
    page, ordinary = build_page_wheel(ROOT / "build" / "wheel").stat().st_size, write_wheel(tmp_path).stat().st_size
    (tensor,) = (ROOT / "build" / "wheel").glob("hologram_web_tensor-*_wasm32.whl")
    (library,) = (ROOT / "build" / "wheel").glob("hologram_web_library-*_wasm32.whl")
    for name, sentence, size in (
        ("docs/measured.md", r"\| wheel that pages load +\| +(\d+) KB", page),
        ("docs/measured.md", r"\| wheel for everybody else +\| +(\d+) KB", ordinary),
        ("docs/pyodide.md", r"Today the ordinary wheel has (\d+) KB", ordinary),
        ("docs/pyodide.md", r"the one of the tools (\d+) KB", write_tools_wheel(tmp_path).stat().st_size),
        ("docs/pyodide.md", r"and the one for\s+pages (\d+) KB", page),
        ("docs/pyodide.md", r"of arrays has (\d+) KB", tensor.stat().st_size),
        ("docs/pyodide.md", r"of what it becomes (\d+) KB", library.stat().st_size),
        ("docs/cache.md", r"`hologram-web-library`, (\d+) KB", library.stat().st_size),
    ):
        found = re.search(sentence, _text(ROOT / name))
        assert found, f"{name} has no sentence {sentence!r} any more: mend the list here"
        assert float(found[1]) == pytest.approx(size / 1000, rel=0.03)
    assert page <= 450_000
    assert tensor.stat().st_size <= 200_000
    assert library.stat().st_size <= 440_000


def write_counts() -> None:
    """Puts what is counted into the pages, where it is off."""
    for page, sentence, counted, off in COUNTED:
        text = _text(ROOT / page)
        found = re.search(sentence, text, re.MULTILINE)
        assert found, f"{page} has no sentence {sentence!r} any more: mend the list here"
        is_right = (
            float(found[1].replace(",", "")) == pytest.approx(counted(), rel=off) if off else found[1] == counted()
        )
        if not is_right:
            value = counted()
            digits = len(found[1].partition(".")[2])
            new = value if isinstance(value, str) else f"{value:,.{digits}f}"
            start, end = found.span(1)
            if "|" in sentence:  # a cell of a table keeps its width
                while len(new) > end - start and text[start - 1 : start] == " " and text[start - 2] == " ":
                    start -= 1
                new = new.rjust(end - start)
            (ROOT / page).write_text(text[:start] + new + text[end:], encoding="utf-8")


def test_the_index_names_every_device() -> None:
    text = _text(ROOT / "docs" / "index.md")
    for name in DEVICES:
        assert f"`{name}`" in text


def test_support_has_the_devices_of_the_browser() -> None:
    text = _text(ROOT / "docs" / "support.md")
    names = re.search(r"^Run on \d{4}-\d\d-\d\d on (.*?);", text, re.MULTILINE)
    assert names
    assert names[1].split(", ") == [*DEVICES, "chromium-wasm", "chromium-webgpu"]


# The tests of the tests


def _found(text: str) -> list[str]:
    return [figure.text for figure in figures(ROOT / "README.md", text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes 3.5 ms, 1,024 bytes, 18 % and 2 times.", ["3.5 ms", "1,024 bytes", "18 %", "2 times"]),
        ("a 3-byte word, 12% of [4 KB](x.md)", ["3-byte", "12%", "4 KB"]),
        ("0.97 GB/s and 3 s", ["0.97 GB/s", "3 s"]),
        ("version 2.0.2, `4 bytes`, 2^26 times, 8 lanes, f32, 5 steps, 3 sentences", []),
        ("```\n3 ms\n```\n4 ms", ["4 ms"]),
        ("| case | ms |\n|---|---|\n| a | 3 |", ["a table with units"]),
        ("| case | items |\n|---|---|\n| a | 3 |", []),
        ("<!-- measured: make bench, 2026-01-02 -->\n3 ms\n\n4 ms\n## Next\n5 ms", ["5 ms"]),
        ("<!-- whole page fixed: README.md -->\n3 ms\n## Next\n5 ms", []),
        ("<!-- support -->\n3 ms\n## Next\n4 ms\n<!-- end of support -->\n5 ms", ["5 ms"]),
        ("<!-- a remark -->\n3 ms", ["3 ms"]),
    ],
)
def test_figures_are_found(text: str, found: list[str]) -> None:
    assert _found(text) == found


@pytest.mark.parametrize(
    ("kind", "text", "found"),
    [
        ("measured", "make bench, 2026-01-02", ""),
        ("measured", "python -m bench --rounds 15, 2026-01-02", ""),
        ("measured", ".venv/bin/python -m tests.fuzz --docs, 2026-01-02", ""),
        ("measured", "npm run size, 2026-01-02", ""),
        ("measured", "pytest -s e2e/test_pyodide.py -k timed, 2026-01-02", ""),
        ("measured", "make haste, 2026-01-02", "there is no command 'make haste'"),
        ("measured", "python -m bench.none, 2026-01-02", "there is no command 'python -m bench.none'"),
        ("measured", "npm run none, 2026-01-02", "there is no command 'npm run none'"),
        ("measured", "pytest e2e/none.py, 2026-01-02", "there is no command 'pytest e2e/none.py'"),
        ("measured", "looked at, 2026-01-02", "there is no command 'looked at'"),
        ("measured", "make bench", "'make bench' is no date"),
        ("measured", "make bench, 2026-02-30", "'2026-02-30' is no date"),
        ("measured", "make bench, 2026-01-04", "2026-01-04 is yet to come"),
        ("once", "looked at, 2026-01-02", ""),
        ("once", "looked at", "'looked at' is no date"),
        ("fixed", "tests/figures.py: GENERATED = {", ""),
        ("fixed", "tests/figures.py: nothing " + "of the kind", "tests/figures.py has no 'nothing of the kind'"),
        ("fixed", "tests/figures.py", "tests/figures.py has no ''"),
        ("fixed", "tests/none.py: a", "there is no tests/none.py"),
        ("whole page fixed", "tests/figures.py", ""),
        ("whole page fixed", "tests/none.py", "there is no tests/none.py"),
    ],
)
def test_comments_are_checked(kind: str, text: str, found: str) -> None:
    assert problem(Marker(ROOT / "README.md", 1, kind, text), date(2026, 1, 3)) == found


def test_where_a_figure_is_told() -> None:
    assert Figure(ROOT / "docs" / "wide.md", 7, "3 ms", "").place == "docs/wide.md:7: 3 ms"


if __name__ == "__main__":
    write_counts()
