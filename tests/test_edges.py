"""The example `examples/edges`: every plane of every plan on every native device equals the reference, and mistakes are
found. e2e/test_edges.py has the rows in Chromium."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import hologram_web as hg
from examples.edges import kernels, pipeline, reference
from examples.edges.__main__ import main
from examples.edges.chromium import ROOT
from examples.edges.pictures import photograph
from examples.edges.reference import FLOAT_ERRORS
from examples.edges.rows import Expected, Native, Row, Scipy, measure, ulps
from examples.edges.stages import STORY
from examples.edges.tasks import Settings, make_tasks, save

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
def plans():
    """The plans, compiled once."""
    made = {name: make() for name, make in pipeline.PLANS.items()}
    return {name: lambda plan=plan: plan for name, plan in made.items()}


@pytest.fixture
def out():
    """A folder that the server of the pages has."""
    (ROOT / "build").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ROOT / "build", prefix="test-edges-") as folder:
        yield Path(folder)


@pytest.mark.parametrize("photo", PHOTOS.values(), ids=PHOTOS)
@pytest.mark.parametrize("grow", [0, 3])
def test_every_plane_equals_the_reference(device, plans, photo, grow):
    tasks = make_tasks(photo, Settings(rounds=grow), plans)
    exact = reference.float_planes(**tasks["floats"].args, dtype=np.float64)
    for name in ("edges", "stages", "floats", "histogram"):
        task = tasks[name]
        found, expected = task.plan.run(device, **task.args), task.expected()
        found = found if isinstance(found, dict) else dict.fromkeys(expected, found)
        assert found.keys() == expected.keys()
        assert {key: plane.dtype for key, plane in found.items()} == {key: p.dtype for key, p in expected.items()}
        assert {key: int((plane != expected[key]).sum()) for key, plane in found.items()} == dict.fromkeys(found, 0)
        if name == "floats":
            assert all(np.abs(found[key] - exact[key]).max() <= bound for key, bound in FLOAT_ERRORS.items())


def test_no_kernel_has_a_data_race(plans):
    checked = hg.backends.CpuBackend(check_races=True)
    tasks = make_tasks(_noise(37, 21), Settings(rounds=1), plans)
    for name in ("stages", "floats", "histogram"):
        tasks[name].plan.run(checked, **tasks[name].args)


def test_a_missing_barrier_is_a_data_race():
    text = Path(kernels.__file__).read_text()
    raced = hg.kernel_from_source(text.replace("    hg.barrier()\n", "", 1), "gaussian_rows")
    planes = np.zeros((20, 20), np.uint16), np.zeros((20, 20), np.uint16)
    with pytest.raises(hg.ExecutionError, match="DataRace"):
        raced.on(hg.backends.CpuBackend(check_races=True))[(20, 20), (16, 16)](*planes)


def test_the_text_of_the_kernels_gives_the_same_programs():
    text = Path(kernels.__file__).read_text()
    for name in kernels.__all__:
        if name != "TILE":
            assert hg.kernel_from_source(text, name).program.hash() == getattr(kernels, name).program.hash()


def test_the_reference_sees_edges_where_they_are():
    photo = np.zeros((12, 12, 3), np.uint8)
    photo[:, 6:] = 200
    expected = reference.integer_planes(photo, 6 * 256, 10 * 256, 2)
    assert (expected["edges"].max(axis=1) == 255).all()
    assert (expected["edges"][:, [0, 1, 2, 3, 8, 9, 10, 11]] == 0).all()
    assert (expected["edges"] > 0).sum() == 12  # one pixel thin
    assert set(expected["direction"][:, 5:7].flat) == {0}  # brighter to the right
    assert (expected["luma"][:, 6:] == 200 * 256).all()  # grey stays as it is


def test_growing_ends_where_labels_say():
    planes = reference.integer_planes(photograph(), 6 * 256, 10 * 256, 20)
    assert planes["changed"] == [39]
    np.testing.assert_array_equal(planes["edges"], reference.connected(planes["marks"]))
    short = reference.integer_planes(photograph(), 6 * 256, 10 * 256, 5)
    assert short["changed"] == [11]
    assert (short["edges"] != planes["edges"]).any()


def test_ulps():
    def far(a, b):
        return ulps(np.array(a, np.float32), np.array(b, np.float32))

    assert far([1, 2], [np.nextafter(np.float32(1), np.float32(2)), 2]) == 1
    assert far([-0.0], [0.0]) == far([], []) == 0
    assert far([-1e-45], [1e-45]) == 2
    assert far([np.nan], [1]) > 1 << 20


# Rows


def test_rows_hold_what_was_made_and_what_went_wrong(out, plans):
    tasks = make_tasks(_noise(40, 30), Settings(rounds=1), plans)
    save(tasks, out)
    assert hg.load(out / "stages.holo").to_bytes() == tasks["stages"].plan.to_bytes()

    class Broken(Native):
        def run(self, task, keep):
            raise hg.ExecutionError(hg.FaultKind.OUT_OF_BOUNDS, 3, "too far")

    broken = Broken("cpu", out)
    broken.title = "broken"
    scipy, good, bad = measure([Scipy(), Native("wasm", out), broken], tasks, 2, lambda _: None)
    exact = reference.float_planes(**tasks["floats"].args, dtype=np.float64)
    good.compare(Expected(scipy.planes, exact))
    assert (good.error, good.differing_integers, good.max_ulp, good.verdict) == ("", 0, 0, "the same")
    assert {name: len(ms) for name, ms in good.run_ms.items()} == dict.fromkeys(tasks, 2)
    assert good.good
    assert not bad.good
    assert bad.error.startswith("ExecutionError: OutOfBounds at instruction 3")
    assert bad.verdict == "did not run"


def test_a_row_counts_every_pixel_that_differs(out, plans):
    tasks = make_tasks(_noise(40, 30), Settings(rounds=1), plans)
    expected = {name: task.expected() for name, task in tasks.items()}
    exact = reference.float_planes(**tasks["floats"].args, dtype=np.float64)

    def row(**changes):
        planes = {name: {key: plane.copy() for key, plane in made.items()} for name, made in expected.items()}
        for task, plane in changes.items():
            planes[task] = plane(planes[task])
        found = Row("row", planes=planes)
        found.compare(Expected(expected, exact))
        return found

    def one(planes, name="smooth", place=(3, 4), by=1):
        planes[name][place] += by
        return planes

    assert row().verdict == "the same"
    assert row(stages=one).verdict == "1 differ"
    assert row(histogram=lambda planes: one(planes, "counts", 7)).verdict == "1 differ"
    assert row(edges=lambda planes: {}).differing_integers == 40 * 30
    assert row(floats=lambda planes: {}).verdict == "floats too far off"
    assert row(edges=lambda planes: {"edges": planes["edges"].astype(np.int8)}).differing_integers == 40 * 30
    near = row(floats=lambda planes: one(planes, "luma", (0, 0), np.float32(2e-5)))
    assert (near.good, near.verdict) == (True, "floats within bounds")
    assert near.max_ulp > 0
    far = row(floats=lambda planes: one(planes, "luma", (0, 0), np.float32(1e-3)))
    assert (far.good, far.verdict) == (False, "floats too far off")


# The command


def _pixels(path):
    with Image.open(path) as picture:
        return np.array(picture)


def _run(tmp_path, out, *options):
    small = tmp_path / "small.png"
    Image.fromarray(photograph()[100:140, 180:228]).save(small)
    arguments = ["--photo", str(small), "--out", str(out), "--grow", "2", "--rounds", "1", *options]
    return CliRunner().invoke(main, arguments)


def test_the_report_is_complete(tmp_path, out):
    result = _run(tmp_path, out, "--device", "cpu", "--device", "wasm")
    assert result.exit_code == 0, result.output
    assert result.output.count("the same") == 2
    page = (out / "index.html").read_text(encoding="utf-8")
    pictures = set(re.findall(r'src="([^"]+)"', page))
    assert pictures == {f"pictures/{path.name}" for path in (out / "pictures").iterdir()}
    assert all(_pixels(out / picture).shape[:2] in ((40, 48), (256, 320)) for picture in pictures)
    assert not re.findall(r"https?://|url\(|@import|<script", page)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(re.findall(r'id="([^"]+)"', page))
    for stage in STORY:
        assert stage.title in page
    assert len(re.findall(r"(?s)<pre\b[^>]*>(.*?)</pre>", page)) == 4 * 16  # kernels in Python, the ISA, WGSL and WAT
    assert page.count("@compute") == page.count("&quot;kernel&quot;") == 16
    assert page.count("none differ") == 2 * (11 + 2 + 1)  # planes of stages, of floats, Mandelbrot


def test_a_wrong_kernel_is_found(tmp_path, out, monkeypatch):
    text = Path(kernels.__file__).read_text()
    assert text.count("18694") == 1
    wrong = hg.kernel_from_source(text.replace("18694", "18695"), "gaussian_rows")
    monkeypatch.setattr(
        pipeline, "STAGES", tuple(wrong if stage.name == wrong.name else stage for stage in pipeline.STAGES)
    )
    result = _run(tmp_path, out, "--device", "cpu")
    assert result.exit_code == 1, result.output
    assert re.search(r"\d+ differ", result.output)
    assert re.search(r"cpu, stages: [\d,]+ in blur_rows", result.output)
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "pixels differ from SciPy, NumPy&#x27;s" in page or "pixels differ from SciPy, NumPy's" in page
    assert re.search(r'<p class="bad">[\d,]+ differ', page)


def test_a_device_that_is_not_there_is_a_row(tmp_path, out, monkeypatch):
    start = Native.start

    def started(self, tasks):
        if self.name == "webgpu":
            raise hg.BackendUnavailable("webgpu", "no adapter was found")
        return start(self, tasks)

    monkeypatch.setattr(Native, "start", started)
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    result = _run(tmp_path, out, "--device", "wasm", "--device", "webgpu", "--device", "js-wasm")
    assert result.exit_code == 1, result.output
    assert result.output.count("did not run") == 2
    assert "webgpu (wgpu): BackendUnavailable: " in result.output
    assert "Chromium JS + WASM: NoBrowser: " in result.output
    assert "did not run: webgpu (wgpu), Chromium JS + WASM" in (out / "index.html").read_text(encoding="utf-8")


def test_another_folder_is_refused(tmp_path):
    result = _run(tmp_path, tmp_path / "report")
    assert result.exit_code == 2
    assert "--out is a folder below" in result.output
