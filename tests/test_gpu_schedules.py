"""What is chosen for a GPU, which CI has none of: run by the software that plays one, with the same results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.backends.webgpu import WebGpuBackend
from hologram_web.backends.webgpu.gpu import Gpu
from hologram_web.isa.types import Type
from hologram_web.plan.formula import Formula
from hologram_web.plan.plan import KernelCode, WgslCode
from hologram_web.plan.reader import read
from hologram_web.plan.symbols import Symbol
from hologram_web.tensor import quantized
from hologram_web.tensor.matmul import choose
from hologram_web.tensor.schedules import traits_for
from hologram_web_tools.typical import PARAMS

RNG = np.random.default_rng(5)


def ran(text: str, shape: tuple[int, ...], arrays: dict[str, Any], math: str = "exact") -> Any:
    types = {"float32": "f32", "int32": "i32", "uint8": "u8", "int8": "i8"}
    kind = next(iter(arrays.values())).dtype
    params = [f".param {name}: buffer {types[x.dtype.name]} read" for name, x in arrays.items()]
    program = hg.Program.from_text("\n".join([f".param y: buffer {types[kind.name]} write", *params, f"    {text}"]))
    with hg.Executor("webgpu", math=math) as ex:
        given = {name: ex.array(x) for name, x in arrays.items()}
        result = ex.zeros(shape, getattr(hg, types[kind.name]))
        ex.run(program, 1, y=result, **given)
        return result.numpy()


def both(monkeypatch: pytest.MonkeyPatch, *case: Any, **more: Any) -> tuple[Any, Any]:
    """As the software that it is, and as if it were a GPU."""
    found = ran(*case, **more)
    monkeypatch.setattr(WebGpuBackend, "here", "gpu")
    return found, ran(*case, **more)


@pytest.mark.parametrize("count", [1, 31, 2048, 2049, 100_003])
@pytest.mark.parametrize("function", ["add", "max"])
def test_reductions_have_the_same_bits(monkeypatch: pytest.MonkeyPatch, function: str, count: int) -> None:
    x = RNG.standard_normal(count).astype("f4")
    one, other = both(monkeypatch, f"parallel_reduce.{function}.f32 [y], [x], {count}", (1,), {"x": x})
    assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("more", ["", ", causal=true", ", scale=0.3"])
@pytest.mark.parametrize(("queries", "keys", "size"), [(64, 64, 64), (70, 100, 40), (33, 31, 64), (5, 7, 3)])
def test_attention(monkeypatch: pytest.MonkeyPatch, queries: int, keys: int, size: int, more: str) -> None:
    """By products of matrices where sizes are large enough, which nobody knows when the plan is made."""
    q, k, v = (RNG.standard_normal((2, n, size)).astype("f4") for n in (queries, keys, keys))
    text = f"attention.f32 [y], [q], [k], [v], 1, 2, {queries}, {keys}, {size}{more}"
    scores = q @ k.swapaxes(1, 2) * (0.3 if "scale" in more else 1 / np.sqrt(size))
    if "causal" in more:
        scores = np.where(np.tri(queries, keys, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    wanted = weights / weights.sum(-1, keepdims=True) @ v
    for found in both(monkeypatch, text, q.shape, {"q": q, "k": k, "v": v}):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("more", ["", ", exclusive=true", ", reverse=true", ", exclusive=true, reverse=true"])
@pytest.mark.parametrize(("outer", "n", "inner"), [(1, 5000, 1), (3, 1025, 2), (2, 1024, 1), (1, 70_000, 1)])
@pytest.mark.parametrize(("kind", "math"), [("i4", "exact"), ("u1", "exact"), ("f4", "fast")])
def test_long_running_sums_come_in_pieces(outer: int, n: int, inner: int, more: str, kind: str, math: str) -> None:
    x = RNG.integers(0, 50, (outer, n, inner)).astype(kind)
    name = {"i4": "i32", "u1": "u8", "f4": "f32"}[kind]
    given = x[:, ::-1] if "reverse" in more else x
    wanted = np.cumsum(given, axis=1, dtype=kind)
    if "exclusive" in more:
        wanted = np.concatenate([np.zeros_like(wanted[:, :1]), wanted[:, :-1]], axis=1)
    wanted = wanted[:, ::-1] if "reverse" in more else wanted
    text = f"cum_sum.{name} [y], [x], {outer}, {n}, inner={inner}{more}"
    np.testing.assert_array_equal(ran(text, x.shape, {"x": x}, math=math), wanted)


@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((33, 70), (1, 0)),
        ((8, 100), (1, 0)),
        ((3, 40, 9), (0, 2, 1)),
        ((5, 1, 11, 4, 8), (4, 0, 2, 3, 1)),
        ((64, 7), (1, 0)),
    ],
)
@pytest.mark.parametrize("kind", ["f4", "u1"])
def test_transposed_by_tiles_in_shared_memory(
    monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...], order: tuple[int, ...], kind: str
) -> None:
    x = RNG.integers(0, 255, shape).astype(kind)
    text = f"transpose.{ {'f4': 'f32', 'u1': 'u8'}[kind] } [y], [x], {shape}, {order}"
    wanted = x.transpose(order)
    for found in both(monkeypatch, text, wanted.shape, {"x": x}):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(("m", "n", "k"), [(16, 32, 40), (100, 77, 33), (17, 31, 5), (600, 500, 3)])
def test_products_have_the_same_bits(monkeypatch: pytest.MonkeyPatch, m: int, n: int, k: int) -> None:
    a, b = (RNG.standard_normal(shape).astype("f4") for shape in ((m, k), (k, n)))
    one, other = both(monkeypatch, f"gemm.f32 [y], [a], [b], {m}, {n}, {k}", (m, n), {"a": a, "b": b})
    assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("n", [257, 1000, 1024, 1025])
@pytest.mark.parametrize("text", ["softmax.f32 [y], [x], 5, {0}", "layer_norm.f32 [y], [x], [g], [g], 5, {0}"])
def test_rows_that_registers_hold_have_the_same_bits(monkeypatch: pytest.MonkeyPatch, text: str, n: int) -> None:
    """The software reads those of more than 256 elements again."""
    x = {"x": RNG.standard_normal((5, n)).astype("f4")}
    given = x | {"g": x["x"][0]} if "[g]" in text else x
    one, other = both(monkeypatch, text.format(n), (5, n), given)
    assert one.tobytes() == other.tobytes()


def test_few_tiles_are_small_ones_on_a_gpu() -> None:
    for m, n, tile in ((512, 512, 2), (512, 513, 8), (16, 32, 2)):
        ((_, constants, _),) = choose(m, n, 100, Type.F32, traits_for("webgpu", here="gpu"))
        assert constants["ROWS"] == tile
    ((_, constants, _),) = choose(512, 512, 100, Type.F32, traits_for("webgpu"))
    assert constants["ROWS"] == 8


def test_a_launch_that_is_short_on_a_gpu_is_not_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """4,096 rows: 2 ** 28 rounds at most, half a second on a device of a 32nd of the pace of llvmpipe."""
    x = RNG.standard_normal((4096, 1024)).astype("f4")
    program = hg.Program.from_text(
        ".param y: buffer f32 write\n.param x: buffer f32 read\n    softmax.f32 [y], [x], 4096, 1024"
    )
    submits = []
    for pace in (1 / 32, 128):
        monkeypatch.setattr(Gpu, "pace", pace)
        WebGpuBackend.forget_kernels()  # what they chose for another pace, too
        with hg.Executor("webgpu") as ex:
            given, result = ex.array(x), ex.zeros(x.shape)
            ex.run(program, 1, y=result, x=given)
            ex.sync()
            submits.append(ex.device.stats.submits)
    WebGpuBackend.forget_kernels()
    assert submits[1] == 1 < submits[0]


@pytest.mark.parametrize(("m", "n", "k"), [(40, 70, 33), (5, 70, 8), (64, 40, 1), (31, 32, 0), (600, 500, 3)])
def test_products_of_bytes(monkeypatch: pytest.MonkeyPatch, m: int, n: int, k: int) -> None:
    """Of few rows or columns, on a GPU of a small result, tiles are smaller. Zero points are at an end of bytes."""
    a, b = (RNG.integers(-128, 128, shape).astype("i1") for shape in ((m, k or 1), (k or 1, n)))
    arrays = {"s": np.ones(1, "f4"), "a": a, "b": b, "z": np.full(1, -128, "i4")}
    text = f"quantized_gemm.i8 [y], [a], [b], {m}, {n}, {k}, [s], [s], a_zero=[z], b_zero=[z]"
    wanted = (a[:, :k].astype("i8") + 128) @ (b[:k].astype("i8") + 128)
    for found in both(monkeypatch, text, (m, n), arrays):
        np.testing.assert_array_equal(found, wanted)


def test_products_of_bytes_have_two_tiles() -> None:
    here, gpu = traits_for("webgpu"), traits_for("webgpu", here="gpu")
    assert quantized.choose(512, 512, here) == [(quantized.LARGE, 1)] == quantized.choose(1024, 512, gpu)
    for small in (quantized.choose(31, 512, here), quantized.choose(512, 31, here), quantized.choose(512, 512, gpu)):
        assert small == [(quantized.LITTLE, 1)]
    for m in (31, 32):
        ways = quantized.choose(Symbol(Formula(("m",))), 512, here)
        ran = [tile for tile, times in ways if times.formula.evaluate({"m": m})]
        assert ran == [quantized.LARGE if m == 32 else quantized.LITTLE]


@pytest.mark.parametrize(
    "text",
    [
        "conv2d.f32 [c], [a], [b], 2, 64, 64, 28, 28, 3, 3, padding=(1, 1, 1, 1)",
        "conv2d.f32 [c], [a], [b], 1, 16, 16, 56, 56, 3, 3, padding=(1, 1, 1, 1), groups=16",
        "conv2d.f32 [c], [a], [b], 1, 16, 32, 28, 28, 5, 5, stride=(2, 2), groups=2, bias=[bias]",
        "conv2d.f32 [c], [a], [b], 1, 16, 16, 28, 28, 1, 1, stride=(2, 2)",
        "gemm.f32 [c], [a], [b], 256, 256, 256",
        "gemm.f32 [c], [a], [b], 1, 256, 1024",
        "quantized_gemm.i8 [c], [q], [q], 64, 64, 64, [bias], [bias]",
        "attention.f32 [c], [a], [b], [bias], 1, 2, 64, 64, 32",
    ],
)
def test_shaders_of_files_have_a_form_without_checks(text: str) -> None:
    """With more conditions than a launch computes there would be none: convolutions took 9.5 times as long."""
    program = hg.Program.from_text(f"{PARAMS}    {text}")
    compiled = hg.compile(program, grid=hg.LaunchConfig(), shapes={each.name: (65_536,) for each in program.params})
    shaders = [(kernel.name, code) for kernel in read(compiled.to_bytes()).kernels for code in codes_of(kernel)]
    assert shaders
    assert [name for name, code in shaders if not code.fast] == []


def codes_of(kernel: KernelCode) -> tuple[WgslCode, ...]:
    return () if isinstance(kernel.wgsl, str) else kernel.wgsl


def test_traits_are_those_of_the_device() -> None:
    assert traits_for("webgpu", "fast", "gpu").gpu
    assert not traits_for("webgpu", "fast", "processor").gpu
    assert not traits_for("webgpu").gpu  # of files
    assert traits_for("wasm", here="processor").native
    assert not traits_for("wasm").native


def test_devices_of_other_kinds_do_not_share_plans_of_arrays() -> None:
    """A plan made on `cpu` has the tiles of files: wasm would run them when it came second."""
    shown = []
    for device in ("cpu", "wasm"):
        with hg.Executor(device) as ex:
            a, b = (xp.ones(shape, device=ex) for shape in ((64, 301), (301, 400)))
            shown.append((a.realize() @ b.realize()).explain())
    assert "gemm_fresh" in shown[0]
    assert "[301 x 8]" in shown[1]
