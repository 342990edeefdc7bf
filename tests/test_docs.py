"""Every fenced block of README, CONTRIBUTING and docs is run, read or applied; what they name is there.

What follows ``` says what a block is: `python` and `js` (in Node) are run, all blocks of a file one after the other,
and a `text` block right behind one is what it prints; `atlas` is a valid program, or a filetest that passes; `sh` names
things there are, `sh run` is run; `diff` applies to the tree, and its filetests pass then; `text` is anything else.
Pages docs/start_*.md are followed as a whole, from a release's files: e2e/transcript.py.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest

import hologram_web as hg
from hologram_web import Program
from hologram_web.backends import DEVICES
from hologram_web.isa.table import LANE_ROWS, ROWS
from hologram_web_tools.build_ops import compiled, files, write_modules
from hologram_web_tools.build_stdlib import build

from .filetest import parse
from .filetest_run import check
from .where import node_with_jspi, write_page_wheel

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
START_KINDS = ("python", "js", "html", "text")
KINDS = ("python", "js", "atlas", "sh", "sh run", "diff", "text")
BIN = Path(sys.executable).parent


class Block(NamedTuple):
    page: Path
    line: int  # of the first line of the text
    kind: str
    text: str
    gap: bool  # whether there is prose between the block before and this one

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def _blocks(page: Path) -> list[Block]:
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").split("\n")
    start, fence, gap = -1, "", True
    for number, line in enumerate(lines):
        if not fence:
            match = re.match(r"\s*(`{3,}|~{3,})", line)
            if match:
                start, fence = number, match[1]
            elif line.strip():
                gap = True
        elif line.strip() == fence:
            kind = lines[start].strip().lstrip("`~").strip()
            found.append(Block(page, start + 2, kind, "\n".join(lines[start + 1 : number]) + "\n", gap))
            fence, gap = "", False
    assert not fence, f"{page}: a block that starts in line {start + 1} does not end"
    return found


STARTS = {page: _blocks(page) for page in PAGES if page.name.startswith("start_")}
BLOCKS = {page: _blocks(page) for page in PAGES if page not in STARTS}


def _of(*kinds):
    return [
        pytest.param(block, id=block.place) for blocks in BLOCKS.values() for block in blocks if block.kind in kinds
    ]


def test_every_block_of_a_start_says_what_it_is():
    assert [block.place for blocks in STARTS.values() for block in blocks if block.kind not in START_KINDS] == []


@pytest.mark.parametrize("page", BLOCKS, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page):
    for block in BLOCKS[page]:
        assert block.kind in KINDS, f"{block.place}: {block.kind!r} is none of {', '.join(KINDS)}"
        # The documentation tool takes one word for the language; more is for files that are read as they are.
        assert " " not in block.kind or page.parent == ROOT, block.place


def _run(block, names):
    """Runs Python, which may await. Newlines before it let tracebacks show the page's line."""
    text = "\n" * (block.line - 1) + block.text
    waits = eval(compile(text, str(block.page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if waits is not None:
        asyncio.run(waits)


def _with(kind):
    pages = [page for page, blocks in BLOCKS.items() if any(block.kind == kind for block in blocks)]
    return pytest.mark.parametrize("page", pages, ids=lambda page: page.name)


@_with("python")
def test_python(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("HOLOGRAM_WEB_CACHE", "HOLOGRAM_WEB_CACHE_DIR"):  # a page sets them
        monkeypatch.setenv(name, os.environ.get(name, ""))
    names = {"__name__": "__main__"}
    printed = ""
    for block in BLOCKS[page]:
        if block.kind == "python":
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                _run(block, names)
            printed = output.getvalue()
        elif block.kind == "text" and not block.gap and printed:
            assert block.text.rstrip() == printed.rstrip(), block.place
            printed = ""


@pytest.mark.skipif(not shutil.which("node"), reason="Node is needed to run JavaScript")
@_with("js")
def test_js(page, tmp_path, monkeypatch):
    """Runs the Python blocks in a folder, for the files that they write, then the JavaScript there."""
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for block in BLOCKS[page]:
        if block.kind == "python":
            _run(block, names)
    package = tmp_path / "node_modules" / "hologram-web"
    entries = [f"web/src/{name}.ts" for name in ("explain", "index", "offline", "ops", "pool", "stdlib", "worker")]
    command = [
        "npx",
        "--no-install",
        "esbuild",
        *entries,
        "--bundle",
        "--splitting",
        "--format=esm",
        "--log-level=error",
    ]
    made = ("--external:./ops/index.js", "--external:./stdlib/index.js")  # here by the commands that make them
    subprocess.run([*command, *made, f"--outdir={package}"], cwd=ROOT, check=True)
    exports = {".": "./index.js"} | {f"./{name}": f"./{name}.js" for name in ("offline", "ops", "pool", "stdlib")}
    exports["./trace"] = "./explain.js"
    (package / "package.json").write_text(json.dumps({"name": "hologram-web", "type": "module", "exports": exports}))
    build(package / "stdlib", ["vector_add"], modules=True)
    called = {name for block in BLOCKS[page] for name in re.findall(r"\bops\.(\w+)\(", block.text)}
    taken = {file: which for file, which in files().items() if which[0] in called}
    write_modules(package / "ops", ((file, compiled(*which).to_bytes()) for file, which in taken.items()))
    expected, parts, before = [], [], ""
    for block in BLOCKS[page]:
        if block.kind == "js":
            parts.append(f'{block.text}console.log("--");\n')
            expected.append("")
        elif block.kind == "text" and not block.gap and before == "js":
            expected[-1] = block.text
        before = block.kind
    write_page_wheel(tmp_path)
    (tmp_path / "node_modules" / "pyodide").symlink_to(ROOT / "node_modules" / "pyodide")
    (tmp_path / "page.mjs").write_text("".join(parts), encoding="utf-8")
    run = subprocess.run(
        [*node_with_jspi(), "page.mjs"], cwd=tmp_path, check=True, stdout=subprocess.PIPE, encoding="utf-8"
    )
    assert run.stdout == "".join(f"{text}--\n" for text in expected)


@pytest.mark.parametrize("block", _of("atlas"))
def test_atlas(block):
    if "\n; run:" not in block.text:
        Program.from_text(block.text).validate()
        return
    for case in parse(block.text, block.place).cases():
        for name, device in DEVICES.items():
            check(case.launch(name), device())


def _targets():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z]\w*):", text, re.M)), set(re.findall(r"\$\((\w+)\)", text))


def _exists(path):
    return any(
        (ROOT / folder / path).exists() for folder in ("", "hologram_web", "hologram_web_tools", "tests/filetests")
    )


def _check_command(words):
    targets, variables = _targets()
    program, *rest = words
    if program == "make":
        for word in rest:
            name, equals, _ = word.partition("=")
            assert name in (variables if equals else targets), f"make has no {word}"
        return
    if program.startswith(".venv/bin/"):
        assert (BIN / Path(program).name).exists(), program
    else:
        assert program in ("python3", "git", "mv", "cd"), f"{program} is not known here"
    if "-m" in rest:
        module = ROOT / rest[rest.index("-m") + 1].replace(".", "/")
        assert module.with_suffix(".py").exists() or (module / "__main__.py").exists(), module
    flags = ("-k", "-m")
    for before, word in zip(words, rest, strict=False):
        if "/" in word and before not in (*flags, ">"):
            assert _exists(word.partition("::")[0]), f"there is no {word}"


@pytest.mark.parametrize("block", _of("sh", "sh run"))
def test_sh(block):
    for line in block.text.splitlines():
        for command in re.split(r"&&|\|", line.partition(" #")[0]):
            _check_command(shlex.split(command))


@pytest.mark.parametrize("block", _of("sh run"))
def test_sh_run(block):
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    command = block.text.replace(".venv/bin/", "")
    subprocess.run(
        ["sh", "-ec", command], cwd=ROOT, env=environment, check=True, timeout=240, stdout=subprocess.DEVNULL
    )


_RUN_FILETEST = """
import sys
from pathlib import Path
from hologram_web.backends import DEVICES
from tests.filetest import load
from tests.filetest_run import check
for path in sys.argv[1:]:
    for case in load(Path(path).resolve()).cases():
        program = case.program()
        assert type(program).from_bytes(program.to_bytes()) == program == type(program).from_json(program.to_json())
        for name, device in DEVICES.items():
            check(case.launch(name), device())
            print(name, case.id)
"""


@pytest.mark.skipif(not shutil.which("git"), reason="git is needed to apply a diff")
@pytest.mark.parametrize("block", _of("diff"))
def test_diff(block, tmp_path):
    for folder in ("hologram_web", "hologram_web_tools", "tests", "wasm", "wgsl"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHONPATH"))}
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, env=clean, input=block.text.encode(), check=True)
    filetests = re.findall(r"^\+\+\+ b/(\S+\.atlas)$", block.text, re.M)
    run = [sys.executable, "-c", _RUN_FILETEST, *filetests]
    env = clean | {"PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(run, cwd=tmp_path, env=env, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    assert all(f"{device} " in ran for device in DEVICES)
    added = len(re.findall(r"^\+(?!\+\+ )", block.text, re.M))
    assert f"{added} lines:" in block.page.read_text(encoding="utf-8"), f"the diff adds {added} lines"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_are_named_exist(page):
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"`([\w./-]+/[\w.-]+\.\w+)`", text)
    assert not [path for path in named if not path.startswith("build/") and not _exists(path)]
    if page.parent == ROOT:  # mkdocs checks the links of the others
        links = re.findall(r"\]\((?!https?:)([^)#]+)", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        assert not [path for path in links if not (ROOT / path).exists()]


def test_counts_of_where_it_stands():
    collectives = [row.name for row in ROWS if row.collective]
    text = " ".join((ROOT / "docs" / "status.md").read_text(encoding="utf-8").split())
    assert f"Of {len(LANE_ROWS)} lane instructions {len(LANE_ROWS)} run" in text
    assert f"of {len(collectives)} collectives `{'`, `'.join(collectives[:-1])}` and `{collectives[-1]}`" in text


def test_places_beside_the_site_are_led_to(monkeypatch):
    """They are what `make serve` shows; pages of the reference lie in a folder."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import hooks

    served = re.findall(r'^    "(/.+/)": Mount', (ROOT / "tools" / "serve.py").read_text(encoding="utf-8"), re.M)
    assert {f"/{place}/" for place in hooks.BESIDE} == {*served, "/playground/", "/live/bignum/"}
    named = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    assert [place for place in hooks.BESIDE if f"`/{place}/`" not in named] == []
    html = "<p><code>/live/bignum/</code> <code>/gallery/x</code></p><th></th>"
    for url, up in (("status.html", ""), ("reference/python.html", "../")):
        link = f'<a href="{up}live/bignum/index.html"><code>/live/bignum/</code></a>'
        expected = f"<p>{link} <code>/gallery/x</code></p><td></td>"
        page: Any = SimpleNamespace(url=url)
        assert hooks.on_page_content(html, page=page) == expected


def test_the_front_page_has_parts_of_readme(monkeypatch):
    """How to install it, figures beside peers, and what to take instead: with links that lead into the site."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import hooks

    page = hooks.on_page_markdown((ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    assert re.findall(r"^## (.*)", page, re.M)[:3] == ["Install", "How fast", "Who it is for"]
    for part in ("\nmake release\n", "](performance.md)", "](wide.md)", "; bench has", "| Take instead | if |"):
        assert part in page
    links = re.findall(r"\]\(([\w./#-]+)\)", page)
    assert [link for link in links if not (ROOT / "docs" / link.partition("#")[0]).is_file()] == []
    with pytest.raises(ValueError, match="not enough values"):
        hooks.of_readme("No such section")


def test_powers_are_code(monkeypatch):
    """`2**32` outside of code begins what is bold, and takes its stars away."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import hooks

    texts = {path.name: path.read_text(encoding="utf-8") for path in PAGES} | {"python": "\n".join(hooks.python_page())}
    plain = {
        name: re.sub(r"^ *```.*?^ *```$|`[^`\n]*`|\\\*", "", text, flags=re.M | re.S) for name, text in texts.items()
    }
    assert [(name, found) for name, text in plain.items() for found in re.findall(r".*[\w)]\*\*?[\w(].*", text)] == []


def test_the_python_reference_has_every_name(monkeypatch):
    """Functions, classes and what kernels call, with signatures; modules and numbers have pages of their own."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import hooks

    page = "\n".join(hooks.python_page())
    values = {name: getattr(hg, name) for name in hg.__all__}
    names = [name for name, value in values.items() if callable(value) and not isinstance(value, ModuleType)]
    there = set(re.findall(r"^### hg\.(\w+)$", page, re.M))
    assert [name for name in names if name not in there] == []
    assert [name for name in hg.ops.__all__ if f"`{name}`" not in page] == []
    assert {"ops.conv2d", "testing.run_program", "notebook.view"} <= set(re.findall(r"^### (\S+)$", page, re.M))
    assert "compile(\n    program: Any,\n    *,\n    lanes: Any = None," in page
    assert "**run**" in page
