"""The command line: what it prints, writes and refuses, and the server."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import hologram_web as hg
from hologram_web.backends import WebGpuBackend
from hologram_web.plan.plan import Port
from hologram_web_tools.browsers import device_named
from hologram_web_tools.cli import commands as commands_module
from hologram_web_tools.cli import looks
from hologram_web_tools.cli import server as server_module
from hologram_web_tools.cli.clean import brief, cleaned
from hologram_web_tools.cli.commands import commands
from hologram_web_tools.cli.server import Mount, server, serving
from hologram_web_tools.declarations import declaration, type_name

from .artifact.samples import powers, saxpy
from .artifact.slow import SLOW

INVERT = """\
.program invert
.param x: buffer u8 read
.param y: buffer u8 write
    ldg.u8 r10, [x + r255]
    not.u8 r10, r10
    stg.u8 [y + r255], r10
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saxpy().save("saxpy.holo")
    powers().save("powers.holo")
    Path("invert.atlas").write_text(INVERT)
    shape = ("h", "w")
    hg.compile(hg.Program.from_text(INVERT), shapes={"x": shape, "y": shape}).save("invert.holo")
    return tmp_path


def call(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(commands, arguments)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def test_help_is_whole():
    """Half of the commands had a sentence that broke off."""
    assert "..." not in call("--help").partition("Commands:")[2]


def test_run_says_what_ran_and_what_came_out(folder):
    for device in ("cpu", "wasm"):
        output = call("run", "saxpy.holo", "a=2", "x=1,2,3", "y=1,1,1", "--device", device, "--rounds", "3")
        assert f"saxpy on {device}: it was asked for" in output
        assert "median of 2" in output
        assert output.splitlines()[-1].split() == ["y", "float32", "3", "3", "7", "5", "3", "5", "7"]


def test_a_terminal_is_told_what_is_being_done(folder, monkeypatch):
    told = []

    @contextmanager
    def working(what):
        told.append(what)
        yield told.append

    monkeypatch.setattr(commands_module, "working", working)
    call("run", "saxpy.holo", "a=2", "x=1,2,3", "y=1,1,1", "--device", "cpu", "--rounds", "3")
    assert told == ["opens a device", "runs on cpu", "round 2 of 3 on cpu", "round 3 of 3 on cpu"]


def test_names_with_types(folder):
    text = "import typing\nt = typing.TypeVar('t')\n\ndef k(x: hg.Array[t]):\n    x[hg.global_id()] *= 2\n"
    kernel = hg.kernel_from_source(text)
    hg.compile(kernel.specialize(t=hg.i32)).save("double.holo")
    assert call("run", "double.holo", "x=1,2").startswith("k[t=i32] on ")
    assert "k[t=i32]" in call("inspect", "double.holo")


def test_run_names_the_adapter(folder):
    output = call("run", "saxpy.holo", "a=2", "x=1", "y=1", "--device", "webgpu")
    found = json.loads(call("run", "saxpy.holo", "a=2", "x=1", "y=1", "--device", "webgpu", "--json"))["adapter"]
    program = "" if found["real"] else ", a program and no GPU"
    assert output.startswith(f"saxpy on webgpu on {found['device']}{program}: it was asked for\n")


def test_run_with_math(folder):
    numbers = ("a=1", "x=1e-45", "y=3e-45")
    found = call("run", "saxpy.holo", *numbers, "--device", "webgpu", "--math", "strict")
    assert found.splitlines()[-1].split()[:4] == ["y", "float32", "1", "4.2039e-45"]
    assert "f32_mul(" in WebGpuBackend._kernels.values()[-1].code


def test_arrays_from_files_results_to_files(folder):
    x = np.arange(5, dtype=np.float32)
    np.save("x.npy", x)
    for name in ("out.npy", "out.npz"):
        assert f"written: {name}" in call("run", "saxpy.holo", "a=3", "x=x.npy", "y=x.npy", "--device=cpu", "-o", name)
    assert (np.load("out.npy") == 4 * x).all()
    assert (np.load("out.npz")["y"] == 4 * x).all()
    picture = np.arange(12, dtype=np.uint8).reshape(3, 4)
    Image.fromarray(picture).save("in.png")
    call("run", "invert.holo", "x=in.png", "--device", "cpu", "-o", "out.png")
    assert (np.asarray(Image.open("out.png")) == 255 - picture).all()


def test_a_program_as_text(folder):
    assert "254 253" in call("run", "invert.atlas", "x=1,2", "y=0,0", "--device", "cpu")
    assert "a program; as an artifact" in call("inspect", "invert.atlas")


def test_inspect(folder):
    output = call("inspect", "powers.holo", "--isa", "--ir", "--lanes", "--wgsl", "--wat")
    for text in (
        "powers: an artifact",
        "BLAKE3 ",
        "[4]",
        "repeat $k0 below count - 1",
        "weighted(x=x, w=w, k=$k0 + 2): grid 1 x 1 x 1, blocks of 256 x 1 x 1, lanes 4 x 1 x 1",
        "mad.u32 r10, r10, r11, r3",
        "%0: u64 = special {GLOBAL_LANE_ID}",
        "reaches contiguous (4 bytes along x)",
        "@compute @workgroup_size(32, 1, 1)",
        "(import",
    ):
        assert text in output


def test_inspect_says_which_code_launches_take(folder):
    """As `runtime.explain` of pages does of one launch; of parts of collectives, too."""
    lines = call("inspect", "saxpy.holo", "--variants").splitlines()
    wasm, *webgpu = lines[lines.index("kernel 0 saxpy") + 1 :]
    assert wasm == "wasm: one module; each block checks what it cannot prove"
    first, second, last = webgpu
    assert first.startswith(
        "webgpu: the shader without needless checks of 8 blocks a workgroup if max(bytes(buffer x) - 3, 0) - "
    )
    assert second.startswith("else the shader without needless checks of 8 blocks a workgroup if ")
    assert all(line.endswith(" and 1 - blocks.y >= 0 and 1 - blocks.z >= 0") for line in (first, second))
    assert last == "else the shader with checks"
    params = ".param x: buffer f32 read\n.param y: buffer f32 write\n.param n: u32\n"
    hg.compile(
        hg.Program.from_text(f"{params}    parallel_reduce.add.f32 [y], [x], n\n"), shapes={"x": ("n",), "y": (1,)}
    ).save("sum.holo")
    found = json.loads(call("inspect", "sum.holo", "--variants", "--json"))["texts"]["variants"]
    assert {line.partition(":")[0] for told in found.values() for line in told.splitlines()} >= {"wasm", "webgpu"}
    assert any("this kernel is for the other target" in told for told in found.values())
    assert any(" if " in told and "bytes(buffer src_array)" in told for told in found.values()), found


def test_optimize(folder):
    Path("twice.atlas").write_text(
        ".param y: buffer u32 write\nmov_imm.u32 r2, 4\nadd.u32 r3, r2, r2\nstg.u32 [y], r3\n"
    )
    expected = ".param y: buffer u32 write\n    mov_imm.u32 r3, 8\n    stg.u32 [y], r3\n"
    head = "; 3 instructions, now 2: constant-propagation 1, dead-code 1\n"
    assert call("optimize", "twice.atlas") == head + expected
    assert call("optimize", "twice.atlas", "-o", "once.atlas") == "written: once.atlas\n"
    assert Path("once.atlas").read_text() == head + expected
    assert call("optimize", "once.atlas").startswith("; 2 instructions, now 2: nothing to do\n")
    assert call("optimize", "twice.atlas", "--pass", "dead-code").startswith("; 3 instructions, now 3: nothing to do")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "none.holo"), "none.holo: No such file or directory"),
        (("run", "x.npy"), "ArtifactError: these bytes are no artifact"),
        (("run", "saxpy.holo"), "LaunchError: 'a' is missing: saxpy takes a: f32"),
        (("run", "saxpy.holo", "a"), "'a' is no argument: write name=value"),
        (("run", "saxpy.holo", "b=1"), "'b' is no port: it takes a: f32"),
        (("run", "saxpy.holo", "a=1", "a=2"), "'a' is given twice"),
        (("run", "saxpy.holo", "a=one"), "a: f32 takes a number, not 'one'"),
        (("run", "saxpy.holo", "a=1", "x=one"), "takes numbers with commas between them"),
        (("run", "saxpy.holo", "a=1", "x=in.png"), "takes no image: images are u8"),
        (
            ("run", "saxpy.holo", "a=1", "x=1", "y=1,2", "--device", "cpu"),
            "LaunchError: y has the shape (2,); (1,) is expected",
        ),
        (("run", "invert.atlas", "x=300"), "x: u8[x.len] read cannot hold 300"),
        (("run", "invert.holo", "x=text.png"), "text.png is no image"),
        (("run", "saxpy.holo", "a=1", "x=broken.npy"), "broken.npy is no .npy file"),
        (("run", "saxpy.holo", "a=1", "x=1", "y=1", "--device", "cpu", "-o", "y.txt"), "written to .npz, .npy or .png"),
        (("run", "saxpy.holo", "a=1", "x=1", "y=1", "--device", "cpu", "-o", "y.png"), "a .png holds u8"),
        (("run", "saxpy.holo", "--device", "gpu"), "'gpu' is not one of"),
        (("run", "saxpy.holo", "--math", "exactly"), "'exactly' is not one of"),
        (("inspect", "text.atlas"), "IsaError: line 1"),
        (("inspect", "x.atlas"), "is no text"),
        (("optimize", "x.atlas"), "is no text"),
        (("optimize", "text.atlas"), "IsaError: line 1"),
        (("optimize", "empty.atlas", "--pass", "inline"), "there is no pass 'inline': use constant-propagation"),
        (("serve", "nowhere"), "does not exist"),
    ],
)
def test_wrong_input_is_told_without_a_traceback(folder, arguments, text):
    np.save("x.npy", np.arange(300))
    Path("broken.npy").write_bytes(b"\x93NUMPY")
    for name in ("text.png", "text.atlas"):
        Path(name).write_text("nothing of the kind")
    Path("x.atlas").write_bytes(b"\xff\xfe")
    Path("empty.atlas").write_text("")
    assert text in " ".join(call(*arguments, code=2).split())


_FOREIGN = "\x1b[2J\x1b]0;title\x07a\x9bb\u202ec\u2028d\x7fe\rf"
_CLEANED = r"\u001b[2J\u001b]0;title\u0007a\u009bb\u202ec\u2028d\u007fe\rf"


@pytest.mark.parametrize(
    ("text", "found", "in_lines"),
    [
        ("saxpy, größer 数", "saxpy, größer 数", "saxpy, größer 数"),
        (_FOREIGN, _CLEANED, _CLEANED),
        ("a\n\tb", r"a\n\tb", "a\n\tb"),
        ("\u200b\u2066\U000e0041\ud800", r"\u200b\u2066\udb40\udc41\ud800", r"\u200b\u2066\udb40\udc41\ud800"),
    ],
)
def test_what_is_not_printable_is_shown_as_escapes(text, found, in_lines):
    assert cleaned(text) == found
    assert cleaned(text, lines=True) == in_lines
    assert cleaned(found) == found


def test_long_texts_are_cut():
    assert brief("x" * 2000) == "x" * 2000
    assert brief("a" * 5_000_000 + "b" * 5_000_000) == f"{'a' * 1500} ... (10,000,000 characters) ... {'b' * 500}"


NOTES = {
    "repeats": ["3,595 more ports are not shown", "more steps of the schedule are not shown"],
    "long_counts": ["more steps of the schedule are not shown"],
    "launches": ["more steps of the schedule are not shown"],
    "shapes": ["3,595 more ports are not shown"],
}


@pytest.mark.parametrize("name", NOTES)
def test_inspect_shows_the_beginning_of_hostile_files(folder, name):
    """These, of less than 1 MB, took up to 22 s and printed up to 34 MB. What is left out is said at the end."""
    Path("slow.holo").write_bytes(SLOW[name]())
    output = call("inspect", "slow.holo")
    assert len(output) < 2_000_000
    assert output.splitlines()[-len(NOTES[name]) :] == NOTES[name]


@pytest.fixture
def foreign(tmp_path, monkeypatch):
    """Files whose every text was chosen by somebody else."""
    monkeypatch.chdir(tmp_path)
    program = hg.Program.from_text(INVERT)
    program.metadata.name = _FOREIGN
    hg.compile(program, metadata={"note": _FOREIGN, "long": "x" * 1_000_000, "markup": "[red]"}).save("foreign.holo")
    named = f"file{_FOREIGN}".replace("/", "")
    Path(f"{named}.atlas").write_text(program.to_text())
    Path(f"{named}.npy").write_text("none")
    return named


def _is_clean(output: str) -> bool:
    return all(character.isprintable() or character == "\n" for character in output)


def test_inspect_and_run_print_no_foreign_control_characters(foreign):
    output = call("inspect", "foreign.holo", "--isa", "--ir", "--wgsl", "--wat")
    assert _is_clean(output)
    assert output.startswith(f"{_CLEANED}: an artifact, ")
    assert f"note: {_CLEANED}\n" in output
    assert "markup: [red]\n" in output
    assert "x" * 100 in output
    assert "(1,000,000 characters)" in output
    assert len(output) < 100_000
    output = call("run", "foreign.holo", "x=1", "y=1", "--device", "cpu")
    assert _is_clean(output)
    assert output.startswith(f"{_CLEANED} on cpu: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "foreign.holo", "x={0}.npy", "y=1", "--device=cpu"),
        ("run", "foreign.holo", "{0}=1"),
        ("run", "foreign.holo", "x=1", "y=1", "--device=cpu", "-o", "{0}.txt"),
        ("run", "{0}.holo"),
        ("inspect", "{0}.none"),
        ("optimize", "{0}.none"),
        ("serve", "{0}"),
        ("{0}",),
        ("run", "foreign.holo", "--{0}"),
    ],
)
def test_errors_print_no_foreign_control_characters(foreign, arguments):
    output = call(*(argument.format(foreign) for argument in arguments), code=2)
    assert _is_clean(output)
    assert "title" in output


def test_programs_and_paths_are_printed_clean(foreign):
    output = call("optimize", f"{foreign}.atlas")
    assert _is_clean(output)
    assert hg.Program.from_text(output).metadata.name == _FOREIGN
    assert _is_clean(call("inspect", f"{foreign}.atlas"))
    assert _is_clean(call("optimize", f"{foreign}.atlas", "-o", f"{foreign}.out"))


def test_errors_of_the_command_line_are_short(foreign):
    assert len(call("run", "foreign.holo", "x=" + "1x" * 50_000, code=2)) < 2500
    assert len(call("run", "foreign.holo", "y" * 100_000, code=2)) < 2500


def test_a_port_that_is_taken(folder):
    with server({"/": Mount(folder, "files")}, 0) as other:
        output = call("serve", "--port", str(other.server_port), code=2)
    assert f"port {other.server_port} is taken: give another one" in output


def test_what_the_server_gives(folder):
    (folder / "report").mkdir()
    (folder / "report" / "a.mjs").write_text("1")
    mounts = {"/": Mount(folder, "files"), "/other/": Mount(folder / "report", "the report")}
    with serving(server(mounts, 0)) as address:

        def get(path, **headers):
            with urllib.request.urlopen(urllib.request.Request(address + path, headers=headers)) as answer:
                return answer.status, answer.headers, answer.read()

        status, headers, data = get("/saxpy.holo")
        assert (status, data) == (200, Path("saxpy.holo").read_bytes())
        assert headers["Content-Type"] == "application/octet-stream"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
        assert get("/other/a.mjs")[1]["Content-Type"] == "text/javascript"
        part = get("/saxpy.holo", Range="bytes=4-9")
        assert (part[0], part[1]["Content-Range"], part[2]) == (206, f"bytes 4-9/{len(data)}", data[4:10])
        for path in ("/%2e%2e/%2e%2e/etc/passwd", "/../../etc/passwd", "/none"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                get(path)
        with pytest.raises(urllib.error.HTTPError, match="416"):
            get("/saxpy.holo", Range=f"bytes={len(data)}-")


@pytest.fixture
def ask(tmp_path):
    """What a server of a folder answers to bytes; a link there leads out of it."""
    www, outside = tmp_path / "www", tmp_path / "outside"
    (www / "sub").mkdir(parents=True)
    (www / "linked").mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (www / "a.txt").write_text("0123456789")
    (www / "inner").symlink_to(www / "a.txt")
    (www / "link").symlink_to(outside / "secret.txt")
    (www / "folder").symlink_to(outside)
    (www / "linked" / "index.html").symlink_to(outside / "secret.txt")
    running = server({"/": Mount(www, "files")}, 0)
    with serving(running):

        def ask(path, *headers, host="127.0.0.1:{port}", method="GET"):
            lines = [f"{method} {path} HTTP/1.1", *([f"Host: {host}"] if host else []), *headers, "Connection: close"]
            raw = "\r\n".join([*lines, "", ""]).format(port=running.server_port).encode("latin-1")
            with socket.create_connection(("127.0.0.1", running.server_port), 10) as connection:
                connection.sendall(raw)
                found = b"".join(iter(lambda: connection.recv(65536), b""))
            head, _, body = found.partition(b"\r\n\r\n")
            return int(head.split()[1]), body

        yield ask


def test_what_cannot_be_written_is_told_before_a_run(folder, monkeypatch):
    """It ran for as long as it took, and then there was no such folder."""
    monkeypatch.setattr(commands_module, "open_backend", lambda *_, **__: pytest.fail("a device was opened"))
    arguments = ("run", "saxpy.holo", "a=2", "x=1", "y=1", "-o")
    for name, why in (
        ("nowhere/y.npz", "nowhere/y.npz cannot be written: there is no folder nowhere"),
        (".", "results are written to .npz, .npy or .png, not to "),
        ("y.txt", "results are written to .npz, .npy or .png, not to y.txt"),
        ("y.png", "a .png holds u8 of [height, width] or [height, width, 3], not y: f32[n] read_write"),
    ):
        assert why in call(*arguments, name, code=2)
    Path("y.npy").mkdir()
    assert "y.npy is a folder" in call(*arguments, "y.npy", code=2)


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("run saxpy.holo a=2 x=1,inf y=1,1 --device cpu", "program device reason adapter ms results written"),
        ("inspect saxpy.holo --isa", "name bytes blake3 metadata ports constants kernels texts notes"),
        ("optimize invert.atlas", "instructions passes program written"),
        ("types saxpy.holo", "name text written"),
        ("cache info", "folder limit held"),
        ("build-stdlib relu", "kernels bytes folder"),
        ("build-ops --types ops.ts", "operations bytes folder"),
        ("run saxpy.holo a=two x=1 y=1", "error"),
        ("run gone.holo", "error"),
    ],
)
def test_json(folder, line, keys):
    output = call(*line.split(), "--json", code=2 if keys == "error" else 0)
    found = json.loads(output.splitlines()[-1])  # after the progress on stderr
    assert " ".join(found) == keys
    if line.startswith("run saxpy.holo a=2"):
        assert found["results"]["y"] == {
            "dtype": "float32", "shape": [2], "least": 3.0, "most": None, "mean": None, "head": [3.0, None]
        }  # fmt: skip


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        ("rnu saxpy.holo", "NoSuchCommand", "No such command 'rnu'"),
        ("run", "MissingParameter", "Missing argument 'FILE'"),
        ("run saxpy.holo --jsno", "NoSuchOption", "No such option"),
        ("serve nowhere", "BadParameter", "Invalid value for '[FOLDER]'"),
        ("cache inf", "NoSuchCommand", "No such command 'inf'"),
    ],
)
def test_a_wrong_line_is_json_too(folder, line, kind, message):
    found = json.loads(call(*line.split(), "--json", code=2))["error"]
    assert found["message"].startswith(message)
    assert found["type"] in (kind, "UsageError")  # click 8.1 has no class for commands


def test_every_command_has_json():
    found = [*commands.commands.values(), *commands_module.cache_group.commands.values()]
    without = [each.name for each in found if not any(param.name == "as_json" for param in each.params)]
    assert without == ["cache"]  # a group


def test_types_quote_the_names_of_foreign_files(folder):
    assert call("types", "saxpy.holo", "--name", "Mine").splitlines()[2:4] == [
        "export type Mine = Program<{",
        '  "a": { dtype: "f32"; access: "scalar" };',
    ]
    assert "'a b' is no name of a type: AB would be one" in call("types", "saxpy.holo", "--name", "a b", code=2)
    evil: Any = SimpleNamespace(ports=[Port('a"; }>; evil()', hg.u8, hg.Access.WRITE, ())], defaults={})
    assert '  "a\\"; }>; evil()": { dtype: "u8"; access: "write"; rank: 0 };' in declaration(evil, "Evil").splitlines()
    assert [type_name(name) for name in ("edge_blur[t=f32]", "3d", "\u00e4")] == ["EdgeBlur", "Program3d", "Program"]


def test_doctor_says_what_is_missing_and_what_to_do(monkeypatch):
    monkeypatch.setattr(looks, "look_in", lambda path: None)
    found = {each["what"]: each for each in json.loads(call("doctor", "--json"))["found"]}
    assert {found[what]["state"] for what in ("device cpu", "device wasm", "numpy", "auto takes")} == {"there"}
    adapter = found["device webgpu"]
    if any(name in adapter["found"].lower() for name in ("llvmpipe", "swiftshader")):
        assert (adapter["state"], "plays a GPU" in adapter["advice"]) == ("note", True)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(
        looks, "_device", lambda name: looks.Diagnosis(f"device {name}", "missing", "", "why", name == "cpu")
    )
    told = call("doctor", code=1)
    for text in ("missing", "install Chromium", "install Node 20", "why"):
        assert text in told


@pytest.mark.parametrize(
    ("told", "state", "found", "advice"),
    [
        (None, "note", "/usr/bin/sh", "did not show a page"),
        (
            {"threads": True, "relaxed": True},
            "note",
            "WebAssembly with threads and relaxed SIMD; no WebGPU",
            "pages run",
        ),
        (
            {"webgpu": True},
            "note",
            "WebAssembly with one thread; WebGPU without an adapter",
            "pages run on WebAssembly",
        ),
        ({"threads": True, "adapter": "google swiftshader"}, "note", "threads; google swiftshader", "plays a GPU"),
        ({"threads": True, "adapter": "nvidia ada"}, "there", "WebAssembly with threads; nvidia ada", ""),
    ],
)
def test_doctor_says_what_pages_have(monkeypatch, told, state, found, advice):
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/sh" if name == "chromium" else None)
    monkeypatch.setattr("os.path.realpath", lambda path: path)
    monkeypatch.setattr(looks, "look_in", lambda path: told)
    (seen,) = looks._browsers()
    assert (seen.what, seen.state) == ("chromium", state)
    assert found in seen.found
    assert advice in seen.advice
    assert bool(seen.advice) == bool(advice)


def test_selftest(monkeypatch):
    monkeypatch.setattr(looks, "DEVICES", {"cpu": None, "wasm": None, "gone": None})
    found = [each.split() for each in call("selftest").splitlines()[1:]]
    assert [(row[0], "same" in row) for row in found[:8]] == [
        (name, True) for name in ("cpu", "wasm") for _ in range(4)
    ]
    assert found[8][:2] == ["gone", "missing"]
    monkeypatch.setitem(looks.CHECKS, "floats", lambda ex: ex.backend.selected)
    told = json.loads(call("selftest", "--json", code=1))["found"]
    assert [each["device"] for each in told if each["state"] == "differs"] == ["wasm"]


def test_selftest_names_the_adapter(monkeypatch):
    monkeypatch.setattr(looks, "DEVICES", {"webgpu": None})
    adapter = json.loads(call("selftest", "--json"))["found"][0]["adapter"]
    assert call("selftest").splitlines()[1].split("  ")[0].strip() == device_named("webgpu", adapter)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("LocalHost:{port}", 200),
        ("[::1]:{port}", 200),
        ("127.0.0.1", 421),
        ("127.0.0.1:1", 421),
        ("evil.example", 421),
        ("evil.example:{port}", 421),
        ("127.0.0.1.evil.example:{port}", 421),
        ("127.0.0.1:{port}\r\nHost: evil.example:{port}", 421),
        ("", 421),
    ],
)
def test_the_server_answers_for_its_own_names_only(ask, host, status):
    """Else a page of another name that leads here could read along (DNS rebinding)."""
    for method in ("GET", "HEAD"):
        assert ask("/a.txt", host=host, method=method)[0] == status
    if status == 421:
        assert b"This server answers for 127.0.0.1:" in ask("/a.txt", host=host)[1]


@pytest.mark.parametrize(
    ("path", "headers", "status", "body"),
    [
        ("/inner", (), 200, b"0123456789"),
        ("/link", (), 404, None),
        ("/link", ("Range: bytes=0-2",), 404, None),
        ("/folder/", (), 404, None),
        ("/folder/secret.txt", (), 404, None),
        ("/linked/", (), 404, None),
        ("/%00", (), 400, None),
        ("/a.txt%00", (), 400, None),
        ("/%1b[2J", (), 400, None),
        ("/\xff\xfe", (), 404, None),
        ("http://evil.example/a.txt", (), 400, None),
        ("a.txt", (), 400, None),
        ("*", (), 400, None),
        ("/" + "a" * 60_000, (), 404, None),
        ("/a.txt", ("Range: bytes=0-3",), 206, b"0123"),
        ("/a.txt", ("Range: bytes=4-",), 206, b"456789"),
        ("/a.txt", ("Range: bytes=4-" + "9" * 5000,), 206, b"456789"),
        ("/a.txt", (f"Range: bytes={'9' * 5000}-",), 416, b""),
        ("/a.txt", (f"Range: bytes={'9' * 19}-",), 416, b""),
        ("/a.txt", ("Range: bytes=5-2",), 416, b""),
        ("/a.txt", ("Range: bytes=\xb2-",), 200, b"0123456789"),
        ("/a.txt", ("Range: items=0-3",), 200, b"0123456789"),
        ("/a.txt", ("Content-Length: 36",), 200, b"0123456789"),
    ],
)
def test_what_the_server_does_not_do(ask, capfd, path, headers, status, body):
    found = ask(path, *headers)
    assert found[0] == status
    assert body in (None, found[1])
    assert b"secret" not in found[1]
    assert "Traceback" not in capfd.readouterr().err


def test_connections_that_time_out_are_not_told(folder, capfd, monkeypatch):
    running = server({"/": Mount(folder, "files")}, 0)
    monkeypatch.setattr(server_module._Handler, "timeout", 0.05)
    with serving(running), socket.create_connection(("127.0.0.1", running.server_port)) as kept:
        kept.sendall(b"GET /saxpy.holo HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % running.server_port)
        while kept.recv(65536):  # until the server closes it
            pass
    assert capfd.readouterr().err == ""


def test_the_package_needs_no_click():
    code = (
        "import sys; sys.modules['click'] = None; import hologram_web; from hologram_web_tools.cli import main; main()"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode != 0
    assert "hologram-web needs click, which is not installed: pip install click" in found.stderr
    version = subprocess.run(
        [sys.executable, "-m", "hologram_web", "--version"], capture_output=True, text=True, check=True
    )
    assert version.stdout == f"hologram-web, version {hg.__version__}\n"


def test_serve_says_its_address_as_json(folder, monkeypatch):
    monkeypatch.setattr(ThreadingHTTPServer, "serve_forever", lambda self: None)
    found = json.loads(call("serve", "--port", "0", "--json"))
    assert found["address"].startswith("http://127.0.0.1:")
    assert found["folder"] == "."
