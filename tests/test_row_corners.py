"""Rows of Softmax, norms and ArgMax at their corners: none of them, infinite ones, long ones, one memory for all."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.tensor.operation import PIECE, ROW_LANES

LONG = PIECE * ROW_LANES + 1  # elements of a row that is added up in pieces


@pytest.fixture(scope="module", params=["wasm", "webgpu"])
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    with hg.Executor(request.param) as found:
        yield found


def _run(ex: hg.Executor, line: str, y: np.ndarray, **given: np.ndarray) -> np.ndarray:
    """What is in y after a collective."""
    ty = "i32" if y.dtype == np.int32 else "f32"
    params = "".join(f".param {name}: buffer f32 read\n" for name in given)
    program = hg.Program.from_text(f".param y: buffer {ty} read_write\n{params}.param n: u32\n    {line}\n")
    found = ex.array(y)
    ex.run(program, 1, y=found, n=0, **{name: ex.array(each) for name, each in given.items()})
    return found.numpy()


@pytest.mark.parametrize("inner", ["0", "n"])
@pytest.mark.parametrize("name", ["softmax", "log_softmax", "arg_max", "arg_min"])
def test_rows_without_elements_write_nothing(ex: hg.Executor, name: str, inner: str) -> None:
    """A row was written for each of `outer`, as if elements lay side by side."""
    before = np.full(6, 7, np.int32 if "arg" in name else np.float32)
    found = _run(ex, f"{name}.f32 [y], [x], 2, 3, inner={inner}", before, x=np.arange(6, dtype="f4"))
    np.testing.assert_array_equal(found, before)


def test_arrays_without_elements(ex: hg.Executor) -> None:
    x = xp.asarray(np.zeros((2, 3, 0), "f4"), device=ex)
    assert xp.softmax(x, axis=1).numpy().shape == (2, 3, 0)
    assert xp.argmax(x, axis=1).numpy().shape == (2, 0)
    assert xp.softmax(xp.asarray(np.zeros((2, 0), "f4"), device=ex)).numpy().shape == (2, 0)


@pytest.mark.parametrize("name", ["arg_max", "arg_min"])
def test_of_no_elements_none_is_the_greatest(ex: hg.Executor, name: str) -> None:
    """`cpu` raised NumPy's ValueError."""
    program = hg.Program.from_text(
        f".param y: buffer i32 write\n.param x: buffer f32 read\n    {name}.f32 [y], [x], 2, 0\n"
    )
    said = "instruction 0: Arg(Max|Min): input has no elements along its axis n, of which one would be the "
    y, x = np.full(2, 7, np.int32), np.ones(2, "f4")
    with hg.Executor("cpu") as cpu, pytest.raises(hg.CompileError, match=said):
        cpu.run(program, 1, y=cpu.array(y), x=cpu.array(x))
    for place in ("x", "x + 4", "x + 8"):  # in front of which there may be something
        with pytest.raises(hg.ExecutionError, match="outside buffer input"):
            _run(ex, f"{name}.f32 [y], [{place}], 2, n", y, x=x)
    assert _run(ex, f"{name}.f32 [y], [x], n, n", y, x=x).tolist() == [7, 7]


@pytest.mark.parametrize("n", [5, LONG])
@pytest.mark.parametrize("large", [np.inf, 3e19])
def test_squares_that_are_infinite_in_long_rows(ex: hg.Executor, n: int, large: float) -> None:
    """What is lost of an infinite sum is no number, and was added: finite elements became NaN in long rows only."""
    x = np.ones((2, n), "f4")
    x[0, 2] = large
    found = hg.ops.rms_norm(ex.array(x), ex.array(np.ones(n, "f4"))).numpy()
    assert np.isnan(found[0, 2]) == np.isinf(large)
    assert (np.delete(found[0], 2) == 0).all()
    np.testing.assert_allclose(found[1], 1, rtol=1e-4)


def test_sums_that_are_infinite_at_their_last_piece(ex: hg.Executor) -> None:
    """What was lost of it was minus infinity then, and the sum no number."""
    n = 2 * PIECE * ROW_LANES
    x = ex.array(np.full((1, n), 2.2e18, "f4"))
    assert (hg.ops.rms_norm(x, ex.array(np.ones(n, "f4"))).numpy() == 0).all()
    for sign in (1, -1):
        image = ex.array(np.full((1, 1, 1, 2 * PIECE), sign * 3e36, "f4"))
        assert hg.ops.avg_pool2d(image, (1, 2 * PIECE)).numpy().tolist() == [[[[sign * np.inf]]]]


@pytest.mark.parametrize("shape", [(3, 50), (2, 3000), (2, 40, 3)])
def test_log_softmax_far_from_zero(ex: hg.Executor, shape: tuple[int, ...]) -> None:
    """The greatest was added to the sum's logarithm first, and took its last bits: 30 units."""
    x = (np.random.default_rng(7).standard_normal(shape) + 1000).astype("f4")
    found = hg.ops.log_softmax(ex.array(x), axis=1).numpy()
    rows = x.astype("f8") - x.max(axis=1, keepdims=True)
    wanted = rows - np.log(np.exp(rows).sum(axis=1, keepdims=True))
    units = np.spacing(abs(wanted).max(axis=1, keepdims=True).astype("f4"))
    assert (abs(found - wanted) / units).max() <= 8


@pytest.mark.parametrize("n", [1, 40, LONG + 30])
def test_a_result_may_lie_where_the_rows_do(ex: hg.Executor, n: int) -> None:
    """As Softmax keeps exponentials in it, in whole and in part."""
    x = np.random.default_rng(n).standard_normal(3 * n).astype("f4")
    more = np.concatenate([x, x[: n + 1]])
    for line, given in (
        ("softmax.f32 [{0}], [{1}], 3, {2}", {}),
        ("softmax.f32 [{0}], [{1}], {2}, 3, inner=1", {}),
        ("softmax.f32 [{0}], [{1}], 1, {2}, inner=3", {}),
        ("layer_norm.f32 [{0}], [{1}], [g], [g], 3, {2}", {"g": x[:n]}),
    ):
        alone = _run(ex, line.format("y", "x", n), np.zeros(3 * n, "f4"), x=x, **given)
        there = _run(ex, line.format("y", "y", n), x.copy(), **given)
        assert there.tobytes() == alone.tobytes(), line
        beside = _run(ex, line.format(f"y + {4 * (n + 1)}", "y", n), more.copy(), **given)
        assert beside[n + 1 :].tobytes() == alone.tobytes(), line
        assert beside[: n + 1].tobytes() == x[: n + 1].tobytes()


@pytest.mark.parametrize("ty", [hg.f16, hg.f32])
def test_sizes_that_are_not_known_give_the_same_bits(ex: hg.Executor, ty: hg.Type) -> None:
    """Which of two texts is launched follows from sizes: rows short and long, elements side by side and apart."""

    def soft(x):
        return xp.softmax(x, axis=1)

    def norm(x, g):
        return hg.ops.layer_norm(x, g, g)

    soft.__annotations__ = {"x": hg.Array[ty, "a", "n", "b"]}
    norm.__annotations__ = {"x": hg.Array[ty, "a", "n"], "g": hg.Array[ty, "n"]}
    soft_of, norm_of = hg.function(soft, device=ex), hg.function(norm, device=ex)
    rng = np.random.default_rng(8)
    for n in (1, 1000, LONG - 1, LONG):
        for b in (1, 2):
            x = ex.array(rng.standard_normal((2, n, b)).astype("f4")).astype(ty).realize()
            assert soft_of(x).numpy().tobytes() == soft(x).numpy().tobytes(), (n, b)
        x, g = (ex.array(rng.standard_normal(shape).astype("f4")).astype(ty).realize() for shape in ((2, n), (n,)))
        assert norm_of(x, g).numpy().tobytes() == norm(x, g).numpy().tobytes(), n


@pytest.mark.parametrize(("height", "width"), [(1, 3000), (150, 200)])
def test_means_of_large_windows(ex: hg.Executor, height: int, width: int) -> None:
    """Lines of 1,000 elements, and 1,000 lines, were added up one by one: a mean was 17 units off. An
    infinite element makes no NaN of the windows that see it, nor of others."""
    x = np.random.default_rng(3).standard_normal((height + 2, width + 2)).astype("f4") + 1
    x[0, 0] = np.inf
    found = hg.ops.avg_pool2d(ex.array(x[None, None]), (height, width), stride=1).numpy()[0, 0]
    seen = np.lib.stride_tricks.sliding_window_view(x.astype("f8"), (height, width))
    wanted = seen.mean(axis=(2, 3))
    assert np.isinf(found[0, 0])
    found[0, 0] = wanted[0, 0] = 0
    assert (abs(found - wanted) / np.spacing(wanted.astype("f4"))).max() < 2


@pytest.mark.parametrize("device", ["cpu", "wasm"])
def test_sizes_fit_i32_also_where_there_is_no_element(device: str) -> None:
    """Of a launch; a file compares no size of what has no element."""
    calls = ("gemm.f32 [y], [y], [y], 0, 0, n", "softmax.f32 [y], [y], 0, n", "sort.f32 [y], [y], 0, n")
    text = "\n".join([".param y: buffer f32 read_write", ".param n: u64", *calls])
    with hg.Executor(device) as executor:
        y, program = executor.zeros(64, hg.f32), hg.Program.from_text(text)
        executor.run(program, 1, y=y, n=0)
        with pytest.raises(hg.LaunchError, match="n is 2147483648 here, which does not fit i32"):
            executor.run(program, 1, y=y, n=1 << 31)
