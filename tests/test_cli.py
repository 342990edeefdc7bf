"""The command line: what it prints, writes and refuses, and the server."""

from __future__ import annotations

import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import hologram_web as hg
from hologram_web.backends import WebGpuBackend
from hologram_web.cli.commands import commands
from hologram_web.cli.server import Mount, server

from .artifact.samples import powers, saxpy

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


def test_run_says_what_ran_and_what_came_out(folder):
    for device in ("cpu", "wasm"):
        output = call("run", "saxpy.holo", "a=2", "x=1,2,3", "y=1,1,1", "--device", device, "--rounds", "3")
        assert f"saxpy on {device}: it was asked for" in output
        assert "median of 2" in output
        assert output.splitlines()[-1].split() == ["y", "float32", "3", "3", "7", "5", "3", "5", "7"]


def test_names_with_types(folder):
    text = "import typing\nt = typing.TypeVar('t')\n\ndef k(x: hg.Array[t]):\n    x[hg.global_id()] *= 2\n"
    kernel = hg.kernel_from_source(text)
    hg.compile(kernel.specialize(t=hg.i32)).save("double.holo")
    assert call("run", "double.holo", "x=1,2").startswith("k[t=i32] on ")
    assert "k[t=i32]" in call("inspect", "double.holo")


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
    output = call("inspect", "powers.holo", "--isa", "--ir", "--wgsl", "--wat")
    for text in (
        "powers: an artifact",
        "BLAKE3 ",
        "[4]",
        "repeat $k0 below count - 1",
        "weighted(x=x, w=w, k=$k0 + 2): grid 1 x 1 x 1, blocks of 256 x 1 x 1, lanes 4 x 1 x 1",
        "mad.u32 r10, r10, r11, r3",
        "%0: u64 = special {GLOBAL_LANE_ID}",
        "@compute @workgroup_size(256, 1, 1)",
        "(import",
    ):
        assert text in output


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
        (("run", "saxpy.holo", "a=1", "x=1", "y=1,2", "--device", "cpu"), "LaunchError: y: f32[n] read_write has"),
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


def test_a_port_that_is_taken(folder):
    with server({"/": Mount(folder, "files")}, 0) as other:
        output = call("serve", "--port", str(other.server_port), code=2)
    assert f"port {other.server_port} is taken: give another one" in output


def test_what_the_server_gives(folder):
    (folder / "report").mkdir()
    (folder / "report" / "a.mjs").write_text("1")
    mounts = {"/": Mount(folder, "files"), "/other/": Mount(folder / "report", "the report")}
    with server(mounts, 0) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{running.server_port}"

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
        running.shutdown()


def test_the_package_needs_no_click():
    code = "import sys; sys.modules['click'] = None; import hologram_web; from hologram_web.cli import main; main()"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert found.returncode != 0
    assert "hologram-web needs click, which is not installed: pip install 'hologram-web[cli]'" in found.stderr
    version = subprocess.run(
        [sys.executable, "-m", "hologram_web", "--version"], capture_output=True, text=True, check=True
    )
    assert version.stdout == f"hologram-web, version {hg.__version__}\n"
