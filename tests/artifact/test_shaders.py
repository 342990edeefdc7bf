"""The WGSL in artifacts: Tint takes it, and on an adapter it computes what the WebAssembly does."""

from __future__ import annotations

import json
import subprocess
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import hologram_web as hg
from examples.edges.pictures import photograph
from examples.edges.pipeline import PLANS, stages_plan
from examples.edges.reference import integer_planes
from hologram_web.errors import ExecutionError

from ..filetest import FOLDER, Fault, load
from ..filetest_run import check
from . import samples
from .holo_device import HoloDevice
from .holo_gpu import GpuRunner, device
from .test_compiled import LEVELS

# Programs of whose kinds llvmpipe shows all: collectives, cells, loops, classes, aliases, shared memory, 8 and 16 bits.
FILES = [
    "collective/chain", "collective/branch", "collective/loop", "collective/addresses", "collective/reduce_broadcast",
    "collective/kept_values", "collective/gemm", "collective/gemm_in_place", "collective/overlap",
    "collective/lanes_and_collectives", "data/copy_shared", "arithmetic/relu", "sync/bar_sync", "wide/large/mul",
]  # fmt: skip

LEFT_OUT = {"collective/reduce_broadcast.atlas:12": "Mesa 22 ends every loop of a shader after 65,535 rounds"}


@pytest.fixture(scope="module")
def gpu():
    return device()


def on_gpu(gpu, compiled, **given):
    plan = compiled.plan
    scalars = {n: hg.Immediate.of(port.ty, given[n]).bits for n, port in plan.scalars.items()}
    arrays = {n: (np.ascontiguousarray(given[n]).tobytes(), np.shape(given[n])) for n in plan.arrays if n in given}
    found = GpuRunner(compiled.to_bytes(), gpu).run(scalars, arrays)
    return {n: np.frombuffer(raw, plan.arrays[n].ty.numpy).reshape(shape) for n, (raw, shape) in found.items()}


def test_shaders_share_their_lines():
    shapes = dict.fromkeys("abc", (512, 512))
    text = "".join(f".param {name}: buffer f32 {'write' if name == 'c' else 'read'}\n" for name in shapes)
    compiled = hg.compile(hg.Program.from_text(f"{text}gemm.f32 [c], [a], [b], 512, 512, 512\n"), shapes=shapes)
    artifact = compiled.artifact
    checked, proven = (artifact.shader(number) for number in range(len(artifact.shaders)))
    assert sum(map(len, artifact.pieces)) < len(checked) < len(checked) + len(proven)
    assert not any(line.startswith(" ") for line in checked.splitlines())
    assert len(compiled.to_bytes()) <= 64_000  # 52,416 before strips, and tiles that read two steps at once


def test_tint_takes_every_shader():
    shaders: dict = {}
    for name, make in {**samples.SAMPLES, **PLANS}.items():
        artifact = make().artifact
        shaders |= {f"{name} {k}": artifact.shader(k) for k in range(len(artifact.shaders))}
    run = subprocess.run(
        ["node", str(Path(__file__).parents[1] / "tint.mjs")],
        input=json.dumps(shaders), capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert len(shaders) >= 20
    assert json.loads(run.stdout.strip().splitlines()[-1]) == {}


def test_samples(gpu):
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    np.testing.assert_array_equal(on_gpu(gpu, samples.saxpy(), a=0.5, x=x, y=y)["y"], 0.5 * x + y)
    x = np.arange(300, dtype=np.int32)
    found = on_gpu(gpu, samples.collectives(), x=x, n=300, rounds=3)
    for name, expected in zip("xy", samples.rounds_reference(x, 3), strict=True):
        np.testing.assert_array_equal(found[name], expected)
    x = np.array([1, 2, 3, 1 << 30], np.uint32)
    found = on_gpu(gpu, samples.powers(), count=4, x=x)["x"]
    np.testing.assert_array_equal(found, samples.powers_reference(x, 4))


def test_scalars_of_wide_integers(gpu):
    x = [3**100, 2**256 - 1, 7]
    data = np.frombuffer(hg.u256.pack(x), hg.u256.numpy)
    found = on_gpu(gpu, samples.field(), k=2**255 + 1, x=data)["y"]
    assert hg.u256.unpack(found.tobytes()) == samples.field_reference(x, 2**255 + 1)


def test_edges_of_a_part_of_the_photograph(gpu):
    photo = photograph()[100:147, 150:183]
    expected = integer_planes(photo, **LEVELS, rounds=2)
    found = on_gpu(gpu, stages_plan(), rgb=photo, rounds=2, **LEVELS)
    assert {name: int((plane != expected[name]).sum()) for name, plane in found.items()} == dict.fromkeys(found, 0)


@pytest.mark.parametrize("name", FILES)
def test_filetests(gpu, name):
    test = load(FOLDER / f"{name}.atlas")
    first = next(test.cases())
    for case in test.cases():
        if case.run is None or case.id in LEFT_OUT or case.ty != first.ty:
            continue
        if not isinstance(case.launch("cpu").expected, Fault):
            check(case.launch("cpu"), HoloDevice(partial(GpuRunner, gpu=gpu)))


def test_faults_are_reported(gpu):
    x = np.ones(3, np.float32)
    wide = hg.compile(samples.SAXPY, grid=5, shapes={"x": ("n",), "y": ("n",)})
    with pytest.raises(ExecutionError, match=r"OutOfBounds at 0, memory 0, offset 1[26], need 4, other 0"):
        on_gpu(gpu, wide, a=1, x=x, y=x)
