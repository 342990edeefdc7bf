"""The benchmarks: whoever does a case, by hand or not, gets what NumPy gets. Small sizes; nothing is timed."""

from __future__ import annotations

import os
import pkgutil
from functools import partial
from importlib import import_module
from unittest.mock import patch

import numpy as np
import pytest
import wasmtime

import bench
import hologram_web as hg
from bench import (
    apart,
    arrays,
    chains,
    ends,
    epilogues,
    guards,
    launch,
    prologues,
    reductions,
    relaxed,
    rows_by_hand,
    rows_once,
    short,
    training,
    whole_by_hand,
)
from bench.__main__ import check, sides
from bench.by_hand import Gpu, variants
from bench.cases import CASES, block_sum, blur, mandelbrot, saxpy, total
from bench.gpu import arrays_of, program_of
from bench.gpu import cases as gpu_cases
from bench.peers import report
from bench.peers.cases import chain
from bench.peers.onnx import model
from bench.peers.tensors import TENSORS, convolution, product
from bench.peers.training import convnet, mlp
from bench.tensor import cases as tensor_cases
from bench.tensor import sides as tensor_sides
from bench.tiles_webgpu import TILES, shader
from hologram_web.backends import DEVICES

SMALL = {
    "saxpy": partial(saxpy, 1024),
    "sum": partial(total, 5000),
    "block_sum": partial(block_sum, 1024),
    "mandelbrot": partial(mandelbrot, 32, 50),
    "blur": partial(blur, 16),
}


@pytest.mark.parametrize("name", sorted(found.name for found in pkgutil.walk_packages(bench.__path__, "bench.")))
def test_every_benchmark_starts(name):
    """What it imports of ours is there; what it is set beside may be installed for it only."""
    try:
        with patch.dict(os.environ):  # some keep nothing: what other tests here keep is theirs
            import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name not in {"numba", "numexpr", "tinygrad"}:
            raise


@pytest.fixture(scope="module")
def gpu():
    return Gpu()


def test_every_case_is_here():
    assert list(SMALL) == list(CASES)
    assert {name for name, make in SMALL.items() if variants(make())} == {"saxpy", "block_sum", "mandelbrot"}


@pytest.mark.parametrize("name", SMALL)
def test_all_sides_agree(name, gpu):
    case = SMALL[name]()
    names = []
    for side, _, peer in sides(case, gpu, DEVICES):
        check(case, side, peer)
        names.append(side)
    assert {"cpu", "wasm", "NumPy"} <= set(names)
    assert ("our WGSL" in names) == (name != "sum")
    assert len(names) == len(set(names))


def test_chains_are_those_of_numpy():
    found = chains.turns(2, 1, size=1000)
    assert {*chains.CHAINS} < {*found}
    assert {len(times) for sides in found.values() for times in sides.values()} == {2}
    assert {side for sides in found.values() for side in sides} == {*chains.SIDES}


@pytest.mark.parametrize("case", [mlp(8, 20, 12), convnet(3, 11, (2, 3))], ids=["mlp", "convnet"])
def test_steps_of_training_are_those_of_numpy(case):
    assert {"ours", "NumPy", "mul_add", "fma"} < {*training.measured(case, 1)}
    assert any(name.startswith("gemm") for name in training.kernels(case))


@pytest.mark.parametrize("name", reductions.CASES)
def test_reductions_are_those_of_numpy(name):
    shape = (70, 33)[: len(reductions.CASES[name][0])]
    assert len(reductions.turns("wasm", name, 2, shape)["ours"]) == 2


@pytest.mark.parametrize("what", prologues.MAPS)
def test_products_of_what_is_computed_agree(what):
    for sizes in ((20, 33, 10), (70, 9, 80)):
        assert {len(times) for times in prologues.turns(what, sizes, 2).values()} == {2}


@pytest.mark.parametrize(
    ("name", "shapes"),
    [("conv2d 3 x 3, + x, relu", ((2, 3, 5, 7), (3, 3, 3, 3), (3,))), ("layer_norm, * w + b", ((5, 37), (37,), (37,)))],
)
def test_what_is_done_to_results_agrees(name, shapes):
    assert {len(times) for times in epilogues.turns(name, 2, shapes).values()} == {2}


@pytest.mark.parametrize("threads", [1, 2])
def test_launches_end_in_every_way(threads):
    """And the launch behind each is right."""
    assert {name: len(ms) for name, ms in ends.natively(threads, 1).items()} == dict.fromkeys(ends.ENDS, 1)


@pytest.mark.parametrize("what", relaxed.WAYS)
def test_ways_of_one_thing_leave_the_same(what):
    found = {way: relaxed.left(what, way) for way in relaxed.WAYS[what]}
    assert len(found) > 1
    assert len({*found.values()}) == 1
    assert len({*found[next(iter(found))]}) > 16


def test_bytes_that_lie_apart_are_the_same_by_hand():
    found = apart.left("grey of RGB")
    assert len(found) == 3
    assert len({*found}) == 1
    assert len({*found[0]}) > 16


@pytest.mark.parametrize("what", short.KERNELS)
def test_short_numbers_are_the_same_by_hand(what):
    found = short.left(what)
    assert len(found) == 2
    assert len({*found}) == 1
    assert len({*found[0]}) > 2


@pytest.mark.parametrize("what", arrays.CASES)
def test_arrays_have_the_right_results(what):
    assert len(arrays.here(what, "wasm", 1, 2, 200)) == 1


def test_all_launches_agree(capsys):
    names = [side.name for side in launch.sides()]  # each is checked
    plans = ["wasm, a plan of 1, Buffers", "wasm, a plan of 20, Buffers"]
    own = [*plans, "wasm, NumPy arrays", "wasm, the engine's own call"]
    assert names[:6] == ["wasm, Buffers", "wasm, a recording of 100", *own]
    told = capsys.readouterr().out
    assert ("left out: Numba" in told) != ("Numba, NumPy arrays" in names)


@pytest.mark.parametrize("name", ["saxpy", "block_sum", "mandelbrot"])
def test_a_wrong_result_ends_the_benchmark(name):
    case = SMALL[name]()
    wrong = case.peer().ravel().astype(np.float64) + 1
    with pytest.raises(SystemExit, match="results are not NumPy's: nothing was timed"):
        check(case, "wasm", (lambda: 0.0, lambda: wrong))


def test_a_kernel_by_hand_without_checks():
    for run in guards.prepare(1024):  # which compares
        run()


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize(
    "case",
    [
        product(1, 40, 30), product(23, 3, 5), product(64, 64, 64), product(520, 21, 259), product(6, 16, 513),
        convolution(1, 1, 7, 9), convolution(3, 5, 5, 8), convolution(3, 2, 2, 20),
    ],
    ids=lambda case: f"{case.name} {case.size}",
)  # fmt: skip
def test_whole_operations_by_hand(case, fused):
    """Natively; a second run finds what the first one left."""
    loop = whole_by_hand.written(case, fused)
    assert loop is not None
    store = wasmtime.Store()
    memory = wasmtime.Memory(store, wasmtime.MemoryType(wasmtime.Limits(loop.pages, None)))
    run = wasmtime.Instance(store, wasmtime.Module(store.engine, loop.text), [memory]).exports(store)["run"]
    assert isinstance(run, wasmtime.Func)
    for name, place in loop.places.items():
        memory.write(store, case.arrays[name].tobytes(), place)
    for _ in range(2):
        run(store)
        raw = bytes(memory.read(store, loop.result, loop.result + 4 * case.wanted.size))
        found = np.frombuffer(raw, np.float32).reshape(case.wanted.shape)
        assert np.abs(found - case.wanted).max() <= 1e-5 * np.abs(case.wanted).max()


@pytest.mark.parametrize("title", ["softmax_op", "layer_norm_op"])
def test_rows_by_the_tensor_library_are_those_of_kernels(title):
    case = TENSORS[title](side=40)
    found = case.ours("exact").run(hg.backends.WasmBackend(), **case.arrays)
    assert np.abs(found.reshape(case.wanted.shape) - case.wanted).max() <= case.tolerance * np.abs(case.wanted).max()


def test_what_has_no_loops_by_hand():
    for case in (product(2, 2, 2, 3), convolution(3, 1, 4, 8), convolution(3, 4, 4, 9), chain("add", n=1000)):
        assert whole_by_hand.written(case, fused=False) is None


@pytest.mark.parametrize("name", ["add", "exp_chain"])
def test_our_side_of_a_comparison_with_libraries(name):
    case = chain(name, calls=2, n=1000)
    z = case.arrays["x"]
    for _ in range(case.calls):
        z = case.ours("exact").run(hg.backends.WasmBackend(), x=z, y=case.arrays["y"])
    assert np.abs(z / case.wanted - 1).max() <= case.tolerance


def test_a_model_is_the_protobuf_of_its_nodes():
    assert model([("Add", "x y", "z")], {"x": [300], "y": [300]}, [300]).hex(" ") == (
        "08 08 3a 4d"  # version 8, a graph of 77 bytes
        " 0a 0e 0a 01 78 0a 01 79 12 01 7a 22 03 41 64 64"  # x, y, z, Add
        " 12 05 67 72 61 70 68"
        " 5a 10 0a 01 78 12 0b 0a 09 08 01 12 05 0a 03 08 ac 02"
        " 5a 10 0a 01 79 12 0b 0a 09 08 01 12 05 0a 03 08 ac 02"
        " 62 10 0a 01 7a 12 0b 0a 09 08 01 12 05 0a 03 08 ac 02"
        " 42 02 10 11"
    )


def test_operations_of_the_tensor_library_agree_with_others():
    """Each is compared before it would be timed."""
    with hg.Executor("wasm") as ex:
        found = [sorted(tensor_sides(case, ex, None)) for case in tensor_cases(small=True)]
    assert len(found) == 27
    assert {len(names) for names in found} == {2}


def test_first_runs_are_timed_of_every_collective() -> None:
    from hologram_web.tensor.families import FAMILIES
    from hologram_web_tools.typical import CALLS, PARAMS

    timed = {hg.Program.from_text(f"{PARAMS}    {text}").instructions[0].row.name for text in CALLS.values()}
    assert timed | {"Softmax"} == {name for names in FAMILIES.values() for name in names}


@pytest.mark.parametrize("case", gpu_cases(16), ids=lambda case: case.name)
def test_what_is_set_beside_a_gpu_is_what_wasm_computes(case):
    found = {}
    for device in ("wasm", "webgpu"):
        with hg.Executor(device, math="fast") as ex:
            found[device] = ex.zeros(case.result)
            arrays = {name: ex.array(x) for name, x in arrays_of(case).items()}
            ex.run(program_of(case), 1, y=found[device], **arrays)
            found[device] = found[device].numpy()
    largest = float(np.abs(found["wasm"]).max())
    np.testing.assert_allclose(found["webgpu"], found["wasm"], case.tolerance, case.tolerance * largest)


@pytest.mark.parametrize("tile", [tile for tile in TILES if tile.by != "quad"], ids=str)
def test_tiles_by_hand_are_shaders(gpu, tile):
    """Those with subgroups are for Chromium: naga takes no `enable subgroups`."""
    assert gpu.device.create_shader_module(code=shader(tile))
    with pytest.raises(Exception, match="no definition in scope"):
        gpu.device.create_shader_module(code=shader(tile).replace("let left", "let other"))


@pytest.mark.parametrize(
    ("both", "native", "said"),
    [
        (6.0, {}, "1.67 times the products and sums of one, so that no"),
        (5.8, {}, "1.72 times the products and sums of one, so that ratios"),
        (6.0, {"native threads": 1.81}, "1.67 times the products and sums of one, two native threads 1.81"),
        (6.0, {"native threads": 1.81}, "hashes, so that ratios"),
        (5.8, {"native threads": 1.69}, "1.69 times the hashes, so that no"),
    ],
)
def test_the_control_of_several_threads(both, native, said):
    """Two threads do twice as much in a bit more of the time, or they have not both processors."""
    rows = [
        {"case": "mul_add", "threads": threads, "operations": 1e6 * threads, "median": median} | native
        for threads, median in ((1, 5.0), (2, both))
    ]
    assert said in report.control(rows)
    assert report.control(rows[:1]) == ""


@pytest.mark.parametrize("case", rows_once.CASES)
def test_rows_that_are_read_once_and_again_have_the_same_bits(case):
    once, again = (run(1, True) for _, run in rows_once.native("wasm", case, 5, 70))
    assert once == again


@pytest.mark.parametrize("name", rows_by_hand.SIDES)
def test_rows_by_hand_are_those_of_numpy(name):
    rng = np.random.default_rng(7)
    x, g, b = rng.standard_normal(1 << 20), rng.random(1024), rng.random(1024)
    given = [each.astype(np.float32) for each in (x, g, b)]
    np.testing.assert_allclose(
        rows_by_hand.result(name, *given), rows_by_hand.wanted(name, *given), atol=2e-5, rtol=2e-5
    )
