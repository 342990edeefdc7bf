"""Arrays that are donated to functions: results in their memory, and what they are afterwards."""

# mypy: allow-untyped-defs, allow-untyped-calls

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp

RNG = np.random.default_rng(5)
X, Y, W = (RNG.normal(size=(6, 6)).astype("f4") for _ in range(3))


def swapped(x, y):
    return y + 1.0, x + 1.0


def both(x, y):
    return x + 1.0, x * 2.0


def turned_first(x, y):
    return x[::-1] * 2.0, x + 1.0


def turned_last(x, y):
    first = x + 1.0
    return first, x[::-1] * 2.0 + first


def chained(x, y):
    z = x * 2.0 + y
    return z, z.T + x, z.sum(axis=0)


def settled(x, y):
    return hg.while_loop(lambda s: s[0].max() > 1.0, lambda s: (s[0] * 0.5, s[1] + s[0]), (x, y))


def chosen(x, y):
    return hg.cond(x.sum() > y.sum(), lambda x, y: x - y, lambda x, y: y * x, x, y)


# By name: how many of x and y results are written into.
FUNCTIONS: dict[str, tuple[Callable[[Any, Any], Any], int]] = {
    "of each element": (lambda x, y: xp.exp(x) * 2.0 + y, 1),
    "of each element, of two": (lambda x, y: (x * y, x + y), 1),
    "twice the same": (lambda x, y: x * x + x, 1),
    "a transpose beside it": (lambda x, y: x + x.T, 0),
    "another's transpose beside it": (lambda x, y: x + y.T, 1),
    "turned around": (lambda x, y: x[::-1, :] * 2.0, 0),
    "of another shape": (lambda x, y: x.reshape(4, 9) * 2.0, 1),
    "spread": (lambda x, y: x[:1, :] + y, 1),
    "shorter": (lambda x, y: x[:3, :] + y[3:, :], 0),
    "a product": (lambda x, y: x @ y, 0),
    "what is added to a product": (lambda x, y: y - xp.asarray(W, device=x.device) @ x * 0.1, 1),
    "what is added to a product of it": (lambda x, y: x - x @ y * 0.1, 0),
    "sums of rows": (lambda x, y: x.sum(axis=1), 0),
    "sums of columns and more": (lambda x, y: x.sum(axis=0) + y[0], 0),
    "of both, exchanged": (swapped, 2),
    "two results": (both, 1),
    "what is read after it is written": (turned_first, 1),
    "what is read elsewhere after": (turned_last, 0),
    "results of a result": (chained, 2),
    "softmax": (lambda x, y: hg.ops.softmax(x) + y, 1),
    "sorted": (lambda x, y: xp.sort(x, axis=1), 0),
    "a loop": (settled, 0),
    "a choice": (chosen, 0),
    "itself": (lambda x, y: (x, y + 1.0), 2),
    "itself twice": (lambda x, y: (x, x, y), 2),
    "nothing of it": (lambda x, y: xp.ones((6, 6), device=x.device) * 3.0, 0),
    "bools": (lambda x, y: x > y, 0),
    "integers as wide": (lambda x, y: xp.astype(x, hg.i32), 1),
    "numbers half as wide": (lambda x, y: xp.astype(x, hg.f16), 0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_are_the_same_whether_it_is_donated_or_not(ex: hg.Executor, name: str) -> None:
    function, least = FUNCTIONS[name]
    plain, donating = hg.function(function, device=ex), hg.function(function, device=ex, donate=("x", "y"))
    wanted = hg.tree_leaves(plain(ex.array(X), ex.array(Y)))
    for again in (False, True):
        before = ex.stats()
        x, y = ex.array(X), ex.array(Y)
        found = hg.tree_leaves(donating(x, y))
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype is other.dtype
            np.testing.assert_array_equal(one.numpy(), other.numpy())
        after = ex.stats()
        assert after["donated"] - before["donated"] == 2
        assert after["reused"] - before["reused"] >= least
        if again:  # the first trace captured arrays, too
            bytes_of = {id(each.buffer): each.buffer.nbytes for each in found}
            assert after["live_bytes"] - before["live_bytes"] == sum(bytes_of.values())
        for array in (x, y):
            with pytest.raises(
                hg.InvalidBuffer, match=r"shape \(6, 6\) and f32 was donated to .* as [xy] at .*test_don"
            ):
                array.numpy()
        del found, one
        gc.collect(1)  # of all it would take a second, in a process that has run thousands of tests


@pytest.mark.parametrize("shape", [(1,), (3, 130), (257, 9), (70_001,)])
def test_of_many_blocks_and_threads(ex: hg.Executor, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(shape))
    start, other = (rng.normal(size=shape).astype("f4") for _ in range(2))

    def step(x, y):
        z = xp.tanh(x) * y + x
        if len(shape) == 2:
            z = z - (z @ z.T) @ x * 0.001
        return z, y * 0.5 + z

    donating, plain = hg.function(step, donate=("x", "y")), hg.function(step)
    x, y = ex.array(start), ex.array(other)
    a, b = ex.array(start), ex.array(other)
    for _ in range(3):
        (x, y), (a, b) = donating(x, y), plain(a, b)
    np.testing.assert_array_equal(x.numpy(), a.numpy())
    np.testing.assert_array_equal(y.numpy(), b.numpy())
    assert ex.stats()["reused"] >= 3


def test_using_it_says_which_call_took_it(ex: hg.Executor) -> None:
    @hg.function(donate="state")
    def advance(state, by):
        return {"at": state["at"] + by, "of": state["of"]}

    at, of = xp.asarray(X, device=ex), ex.array(Y)
    view, later = at[1:], at * 3.0  # are lazy: computed before the memory is taken
    state = advance({"at": at, "of": of}, 2.0)
    np.testing.assert_array_equal(view.numpy(), X[1:])
    np.testing.assert_array_equal(later.numpy(), X * 3)
    np.testing.assert_array_equal(state["at"].numpy(), X + 2)
    np.testing.assert_array_equal(state["of"].numpy(), Y)
    assert at.shape == (6, 6)
    assert repr(of)
    uses: list[Callable[[], Any]] = [
        at.numpy, (at + 1.0).numpy, of.tolist, lambda: of.fill(1.0), lambda: of.copy_from(of),
        lambda: np.asarray(of), lambda: of.from_numpy(X), lambda: advance({"at": at, "of": Y}, 1.0),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(
            hg.InvalidBuffer, match=r"donated to advance as state\.(at|of) at .*test_donation\.py:\d+, wh"
        ):
            use()
    at.buffer.free()  # nothing is left to free
    of.free()
    np.testing.assert_array_equal(state["at"].numpy(), X + 2)
    with ex.array(X) as gone:
        advance({"at": gone, "of": ex.array(Y)}, 1.0)


def test_memory_stays_as_it_was_in_a_loop(ex: hg.Executor) -> None:
    def step(params, state, x, y):
        def loss(params):
            return ((xp.tanh(x @ params["w"]) + params["b"] - y) ** 2).mean()

        value, gradient = hg.value_and_grad(loss)(params)
        state = hg.tree_map(lambda s, g: s * 0.9 + g, state, gradient)
        return hg.tree_map(lambda p, s: p - 0.05 * s, params, state), state, value

    train, again = hg.function(step, donate=(0, 1)), hg.function(step)

    def arrays() -> tuple[Any, Any]:
        return {"w": ex.array(X), "b": ex.zeros(6)}, {"w": ex.zeros((6, 6)), "b": ex.zeros(6)}

    (params, state), (x, y) = arrays(), (ex.array(Y), ex.array(W))
    losses, live = [], set()
    for _ in range(6):
        params, state, loss = train(params, state, x, y)
        losses.append(loss.item())
        live.add(ex.stats()["live_bytes"])
    assert len(live) == 1
    assert losses[-1] < losses[0]
    told = train.explain(params, state, x, y).splitlines()[-4:]
    assert told == [
        "donated params.b: result.0.b is written into it", "donated params.w: result.0.w is written into it",
        "donated state.b: result.1.b is written into it", "donated state.w: result.1.w is written into it",
    ]  # fmt: skip
    # The same without: other memory, the same bits.
    params, state = arrays()
    for loss in losses:
        params, state, value = again(params, state, x, y)
        assert value.item() == loss


def test_lengths_that_are_not_known(ex: hg.Executor) -> None:
    @hg.function(donate="x")
    def doubled(x: hg.Array[hg.f32, "n"], rows: hg.Array[hg.f32, "m", 3]):
        return x * 2.0, rows + 1.0

    for n, m in ((4, 2), (6, 2), (1, 1)):
        before = ex.stats()["reused"]
        x, rows = doubled(ex.array(np.ones(n, "f4")), ex.array(np.ones((m, 3), "f4")))
        assert x.tolist() == [2.0] * n
        assert rows.tolist() == [[2.0] * 3] * m
        assert ex.stats()["reused"] - before == 1


def test_what_cannot_be_donated_is_told(wasm: hg.Executor) -> None:
    kept = wasm.array(X)

    @hg.function(donate=("x",))
    def added(x, y):
        return x + y + kept

    for given in ((kept, Y), (wasm.array(X),) * 2):
        with pytest.raises(
            hg.LaunchError, match="x is donated to added, and is another argument, too, or is captured by"
        ):
            added(*given)
        given[0].numpy()  # is still there
    x = wasm.array(X)
    with pytest.raises(hg.LaunchError, match="added: missing a required argument: 'y'"):
        added(x)
    x.numpy()
    for donate, told in (("z", "no parameter 'z'"), (2, "no parameter 2"), (("x", -1), "no parameter -1")):
        with pytest.raises(hg.LaunchError, match=told):
            hg.function(lambda x, y: x, donate=donate)(x, x)
    with pytest.raises(hg.LaunchError, match=r"x of .* is in static="):
        hg.function(lambda x, y: x, donate="x", static=("x",))(x, x)
    with wasm.record(), pytest.raises(hg.LaunchError, match="added is recorded here, to run again"):
        added(x, wasm.array(Y))
    added(X, wasm.array(Y))  # NumPy's arrays are copied: the copies are donated
    assert X.sum() == x.numpy().sum()


def test_within_a_function_and_in_files_it_means_nothing(wasm: hg.Executor) -> None:
    inner = hg.function(lambda x: x + 1.0, donate="x")

    @hg.function(device=wasm, donate="x")
    def outer(x):
        return inner(x) * x

    found = wasm.run(outer.compile(hg.Array[hg.f32, 6, 6]), x=X)
    np.testing.assert_array_equal(found, (X + 1) * X)
    np.testing.assert_array_equal(outer(wasm.array(X)).numpy(), (X + 1) * X)
    np.testing.assert_allclose(hg.grad(lambda x: inner(x).sum())(wasm.array(X)).numpy(), np.ones((6, 6)))


def test_a_fault_leaves_no_memory_behind(wasm: hg.Executor) -> None:
    @hg.kernel
    def wrong(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
        i = hg.global_id()
        y[i] = x[i + 30]

    @hg.function(donate="x")
    def faulty(x):
        return hg.call_kernel(wrong, {"y": (36,)}, x=x.ravel())

    before = wasm.stats()["live_bytes"]
    for _ in range(3):
        with pytest.raises(hg.ExecutionError):
            faulty(wasm.array(X)).numpy()
        gc.collect()
    assert wasm.stats()["live_bytes"] == before
