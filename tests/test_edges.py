"""The example `examples/edges`: every stage on every device found here equals SciPy, and mistakes are found."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import hologram_web as hg
from examples.edges.__main__ import main
from examples.edges.pipeline import PROGRAMS, REFERENCE, STAGES, photograph, run, run_reference

RANDOM = np.random.default_rng(7)


def _noise(width, height):
    return RANDOM.integers(0, 256, (height, width, 3), dtype=np.uint8)


def _stripes(width, height):
    """Black and white as hard as can be: the largest sums and gradients."""
    rows, columns = np.indices((height, width))
    return np.repeat(255 * ((columns // 3 + rows // 5) % 2).astype(np.uint8)[..., None], 3, axis=2)


PHOTOS = {
    "one pixel": _noise(1, 1),
    "one column": _noise(1, 17),
    "one row": _noise(17, 1),
    "less than a block": _noise(3, 2),
    "a block": _noise(16, 16),
    "blocks": _noise(48, 32),
    "a block and one": _noise(17, 3),
    "odd": _noise(33, 47),
    "white": np.full((20, 21, 3), 255, np.uint8),
    "stripes": _stripes(35, 40),
    "photograph": photograph()[100:163, 170:245],
}


@pytest.fixture(params=list(hg.backends.DEVICES))
def device(request):
    try:
        return hg.backends.DEVICES[request.param]()
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def programs():
    return {stage.name: stage.program() for stage in STAGES}


@pytest.mark.parametrize("photo", PHOTOS.values(), ids=PHOTOS)
def test_every_stage_equals_scipy(device, programs, photo):
    results = list(run([device], photo, programs))
    assert [(result.device, result.stage) for result in results] == [
        (name, stage) for stage in STAGES for name in (REFERENCE, device.name)
    ]
    assert sum(len(result.planes) for result in results) == 2 * 8
    assert all(result.first_ms > 0 and len(result.rounds_ms) == 1 for result in results)
    assert {name: count for result in results for name, count in result.differing.items() if count} == {}


def test_no_program_has_a_data_race(programs):
    results = list(run([hg.backends.CpuBackend(check_races=True)], _noise(37, 21), programs))
    assert [result.total_differing for result in results] == [0] * 2 * len(STAGES)


def test_a_missing_barrier_is_a_data_race(programs):
    text = programs["gaussian_rows"].to_text()
    raced = programs | {"gaussian_rows": hg.Program.from_text(text.replace("bar_sync 0", "mem_fence.block"))}
    with pytest.raises(hg.ExecutionError, match="DataRace"):
        list(run([hg.backends.CpuBackend(check_races=True)], _noise(20, 20), raced))


def test_the_reference_sees_edges_where_they_are():
    photo = np.zeros((12, 12, 3), np.uint8)
    photo[:, 6:] = 200
    expected = run_reference(photo)
    assert (expected["edges"][:, 5:7] == 255).all()
    assert (expected["edges"][:, [0, 1, 10, 11]] == 0).all()
    assert set(expected["direction"][:, 5:7].flat) == {0}  # brighter to the right
    assert (expected["luma"][:, 6:] == 200 * 256).all()  # grey stays as it is


def _pixels(path):
    with Image.open(path) as picture:
        return np.array(picture)


def _run(tmp_path, *options):
    small = tmp_path / "small.png"
    Image.fromarray(photograph()[100:140, 180:228]).save(small)
    out = tmp_path / "report"
    result = CliRunner().invoke(main, ["--device", "cpu", "--photo", str(small), "--out", str(out), *options])
    return result, out


def test_the_report_is_complete(tmp_path):
    result, out = _run(tmp_path)
    assert result.exit_code == 0, result.output
    assert "every pixel of every stage equals SciPy's" in result.output
    page = (out / "index.html").read_text(encoding="utf-8")
    pictures = set(re.findall(r'src="([^"]+)"', page))
    assert len(pictures) == 1 + 3 * 8  # the photograph; SciPy, cpu and the difference for each plane
    assert all(_pixels(out / picture).shape[:2] == (40, 48) for picture in pictures)
    assert not re.findall(r"https?://|url\(|@import|<script", page)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r'id="([^"]+)"', page))
    for stage in STAGES:
        assert stage.title in page
        assert f"{stage.name}.atlas" in page
    assert len(re.findall(r"(?s)<pre>(.*?)</pre>", page)) == 3 * len(STAGES)  # program, WGSL and WebAssembly
    assert page.count("@compute") == page.count("&quot;kernel&quot;") == len(STAGES)
    assert not _pixels(out / "edges-cpu-difference.png").any()


@pytest.mark.parametrize(
    ("program", "right", "wrong", "plane"),
    [
        ("gaussian_rows", "mov_imm.u32 r32, 18694", "mov_imm.u32 r32, 18695", "blur_rows"),  # a tap
        ("gaussian_cols", "mov_imm.i32 r21, 4", "mov_imm.i32 r21, 3", "smooth"),  # where the tile starts
        ("sobel", "bra zero, p5", "bra zero, !p5", "magnitude"),  # a branch
        ("threshold", "stg.u8 [edges + r255], r11", "", "edges"),  # nothing stored
    ],
    ids=["tap", "tile", "branch", "store"],
)
def test_a_wrong_program_is_found(tmp_path, program, right, wrong, plane):
    folder = Path(shutil.copytree(PROGRAMS, tmp_path / "programs"))
    file = folder / f"{program}.atlas"
    text = file.read_text()
    assert text.count(right) == 1
    file.write_text(text.replace(right, wrong))
    result, out = _run(tmp_path, "--programs", str(folder))
    assert result.exit_code == 1, result.output
    assert "pixels differ from SciPy's" in result.output
    assert "differing pixels on cpu" in (out / "index.html").read_text(encoding="utf-8")
    assert _pixels(out / f"{plane}-cpu-difference.png").any()


def test_a_broken_program_is_told(tmp_path):
    folder = Path(shutil.copytree(PROGRAMS, tmp_path / "programs"))
    (folder / "threshold.atlas").write_text("    add.u32 r1, r2\n")
    result, _ = _run(tmp_path, "--programs", str(folder))
    assert result.exit_code == 2
    assert "IsaError: line 1, column 5: add misses its operand 'rhs'" in result.output
