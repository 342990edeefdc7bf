"""Which operands are read where they lie, and which a kernel copies first, as docs/arrays.md says: explain() tells."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array.array import Array
from hologram_web.array.node import ArrayNode, copy_of, in_order
from hologram_web.tensor.families import operation

SHAPES = {"x": (4, 6), "y": (4, 3), "w": (6, 2), "s": (3, 4, 5), "one": (2, 4), "g": (6,), "f": (4,)}
SHAPES |= {"some": (2, 1, 4, 5), "all": (2, 3, 5, 4), "image": (1, 2, 5, 6), "k": (3, 2, 3, 3), "two": (2,)}


@hg.kernel
def doubled(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    y[i] = x[i] * 2.0


def _doubled(x: Any) -> Any:
    return hg.call_kernel(doubled, {"y": x.shape}, x=x)


_LIES = "takes elements as they lie in memory"
_TILES = "would compute it for each tile that reads it"
# What is computed, and of each operand that a kernel brings into memory before, why.
CASES: dict[str, tuple[Callable[[dict[str, Any]], Any], list[str]]] = {
    "maps and reductions": (lambda a: (a["x"][1:, ::-2] * 2.0 + a["y"][:3]).sum(axis=0), []),
    "matrices": (lambda a: a["x"] @ a["w"], []),
    "a transposed matrix": (lambda a: a["x"].T @ a["y"], []),
    "another shape": (lambda a: a["x"].reshape(2, 12) @ a["x"].reshape(12, 2), []),
    "transposed matrices of a stack": (lambda a: a["s"] @ a["s"].mT, []),
    "a matrix for all": (lambda a: a["one"] @ a["s"], []),
    "einsum of matrices": (lambda a: hg.ops.einsum("ji,jk->ik", a["x"], a["y"]), []),
    "rows from the second on": (lambda a: a["x"][1:] @ a["w"], []),
    "every second row": (lambda a: a["x"][::2] @ a["w"], []),
    "rows in reverse": (lambda a: a["x"][::-1] @ a["w"], []),
    "a row for all": (lambda a: xp.broadcast_to(a["x"][1], (4, 6)) @ a["w"], []),
    "some columns": (lambda a: a["x"][:, 1:5] @ a["w"][2:, 1:], []),
    "some columns of few rows": (lambda a: a["x"][:2, 1:4] @ a["s"].reshape(3, 20)[:, 2:19], []),
    "a column": (lambda a: a["x"] @ a["w"][:, 1], []),
    "a transposed part": (lambda a: a["x"][1:, 2:].T @ a["y"][:3], []),
    "parts of a stack": (lambda a: a["s"][1:, :, 2:] @ a["s"][:2, 1:, 2:].mT, []),
    "a stack in reverse": (lambda a: a["s"][::-1] @ a["s"].mT, [f"a copy: product {_LIES}"]),
    "every second column": (lambda a: a["x"][:, ::2] @ a["y"][:3], [f"a copy: product {_LIES}"]),
    "stacks of which some repeat": (lambda a: a["some"] @ a["all"], [f"a copy: product {_LIES}"]),
    "einsum in another order": (
        lambda a: hg.ops.einsum("bij,bkj->ik", a["s"], a["s"]), 2 * [f"a copy: product {_LIES}"]
    ),
    "a factor that is computed": (lambda a: (a["x"] * 2.0) @ a["w"], [f"computed before: product {_TILES}"]),
    "softmax along any axis": (lambda a: xp.softmax(a["s"], axis=0), []),
    "softmax of another shape": (lambda a: xp.softmax(a["x"].reshape(8, 3)), []),
    "running sums along any axis": (lambda a: xp.cumulative_sum(a["s"], axis=1), []),
    "the greatest along any axis": (lambda a: xp.argmax(a["s"], axis=1), []),
    "a choice along any axis": (lambda a: a["s"].take(a["i"], axis=1), []),
    "softmax of a part": (lambda a: xp.softmax(a["x"][1:]), []),
    "softmax of some columns": (lambda a: xp.softmax(a["x"][:, 1:5]), []),
    "softmax in reverse": (lambda a: xp.softmax(a["x"][::-2, ::-1]), []),
    "softmax of a row for all": (lambda a: xp.softmax(xp.broadcast_to(a["x"][1], (5, 6)) * 1.5), []),
    "softmax of overlapping parts": (lambda a: xp.softmax(a["x"].ravel()[:23] + a["x"].ravel()[1:]), []),
    "softmax in another order": (lambda a: xp.softmax(a["x"].T), ["a copy: Softmax would go across memory 3 times"]),
    "the greatest in another order": (lambda a: xp.argmax(a["x"].T, axis=1), []),
    "softmax of a map": (lambda a: xp.softmax(a["x"] * 2.0 + a["x"][:1]), []),
    "softmax of a mask": (lambda a: xp.softmax(xp.where(a["s"] > 0.5, a["s"], -1e9) + a["s"][0]), []),
    "softmax of halves": (lambda a: xp.softmax(a["x"].astype(hg.f16) * 2.0), []),
    "softmax of a map along another axis": (lambda a: xp.softmax(a["s"] * 2.0, axis=1), []),
    "softmax of a row along another axis": (
        lambda a: xp.softmax(a["s"] + a["s"][:1], axis=1),
        ["computed before: Softmax would divide to find each element"],
    ),
    "softmax of what is dear": (
        lambda a: xp.softmax(xp.exp(a["x"])), ["computed before: Softmax would compute exp 3 times for each element"]
    ),
    "softmax of what a product makes": (lambda a: xp.softmax((a["x"] @ a["w"]) * 2.0), []),
    "what two read": (
        lambda a: (lambda v: xp.softmax(v) + xp.cumulative_sum(v, axis=1))(a["x"] * 2.0),
        ["computed before: Softmax is not alone in reading it"],
    ),
    "running sums of a map": (lambda a: xp.cumulative_sum(xp.exp(a["s"]), axis=1), []),
    "the least of a map": (lambda a: xp.argmin(a["x"] * a["x"][0], axis=1), []),
    "a choice of a map": (lambda a: (a["x"] * 2.0).take(a["i"], axis=0), []),
    "a choice of few": (lambda a: (a["s"].reshape(12, 5) + a["s"][0, 0]).take(a["i"], axis=0), []),
    "a choice of many": (
        lambda a: (a["x"] + a["x"][0]).take(a["i"], axis=0),
        ["computed before: Gather would divide to find each element"],
    ),
    "arrays side by side": (lambda a: xp.concat([a["x"] * 2.0, a["x"][:, 1:3]], axis=1), []),
    "sorted": (lambda a: xp.sort(a["x"]), []),
    "sorted of a part": (lambda a: xp.sort(a["x"][1:]), []),
    "sorted of a map": (lambda a: xp.sort(a["x"] * 2.0), [f"computed before: Sort {_LIES}"]),
    "sorted along another axis": (lambda a: xp.sort(a["x"], axis=0), [f"a copy: Sort {_LIES}"]),
    "transforms": (lambda a: xp.fft.fft(a["z"]), []),
    "transforms of a part": (lambda a: xp.fft.fft(a["z"][1:]), []),
    "transforms along another axis": (lambda a: xp.fft.fft(a["z"], axis=0), [f"a copy: FFT {_LIES}"]),
    "a norm": (lambda a: hg.ops.layer_norm(a["x"].reshape(2, 2, 6), a["g"], a["g"]), []),
    "a norm of a sum": (lambda a: hg.ops.layer_norm(a["x"] + a["x"][::-1], a["g"], a["g"]), []),
    "a norm between maps": (lambda a: hg.ops.layer_norm(a["x"] * 2.0, a["g"], a["g"]) + a["x"], []),
    "a norm of some columns": (lambda a: hg.ops.rms_norm(a["x"][:, 2:], a["f"]), []),
    "a norm in another order": (
        lambda a: hg.ops.layer_norm(a["x"].T, a["f"], a["f"]), ["a copy: LayerNorm would go across memory 3 times"]
    ),
    "a norm of channels": (lambda a: hg.ops.group_norm(a["k"] * 2.0, a["two"], a["two"], 2), []),
    "images": (lambda a: hg.ops.conv2d(a["image"], a["k"]), []),
    "channels of an image": (lambda a: hg.ops.conv2d(a["image"][:, 1:], a["k"].reshape(6, 1, 3, 3)[2:4]), []),
    "channels of images": (
        lambda a: hg.ops.conv2d(a["k"][:, 1:], a["k"].reshape(6, 1, 3, 3)), [f"a copy: Conv2D {_LIES}"]
    ),
    "images in another order": (lambda a: hg.ops.conv2d(a["image"].mT, a["k"]), [f"a copy: Conv2D {_LIES}"]),
    "windows of a map": (lambda a: hg.ops.max_pool2d(hg.ops.relu(a["image"] - 0.5), 2), []),
    "means of windows of a map": (lambda a: hg.ops.avg_pool2d(a["image"] * 2.0, (2, 3)), []),
    "a kernel of one's own": (lambda a: _doubled(a["g"]), []),
    "a kernel of one's own on a view": (lambda a: _doubled(a["x"].reshape(24)), [f"a copy: doubled {_LIES}"]),
}  # fmt: skip


def _given(ex: hg.Executor) -> dict[str, Any]:
    rng = np.random.default_rng(18)
    found: dict[str, Any] = {
        name: xp.asarray(rng.random(shape, np.float32), device=ex) for name, shape in SHAPES.items()
    }
    found["i"] = xp.asarray(np.array([3, 1], np.int32), device=ex)
    found["z"] = xp.asarray(rng.random((4, 6), np.float32).astype(np.complex64), device=ex)
    return found


def _with_copies(made: Any) -> Any:
    """The same expression, whose nodes are computed one after the other."""
    found: dict[Any, Any] = {}
    for node in in_order([made.node]):
        args = tuple(found[arg] for arg in node.args)
        new = node if not args else ArrayNode(node.op, args, node.dtype, node.shape, node.attrs)
        if args and node.op not in ("launch", "part"):
            new = copy_of(new) if node.op == "view" else new
            Array(new, made.executor).realize()
        found[node] = new
    return Array(found[made.node], made.executor)


@pytest.fixture(scope="module")
def given() -> Iterator[dict[str, Any]]:
    with hg.Executor("wasm") as ex:
        yield _given(ex)


@pytest.mark.parametrize("name", CASES)
def test_what_is_brought_into_memory_before_is_told(given: dict[str, Any], name: str) -> None:
    make, whys = CASES[name]
    text = make(given).explain()
    launches = [line.strip() for line in text.splitlines() if line.strip().startswith("map[")]
    assert sorted(line.partition("): ")[2] for line in launches if "): " in line) == sorted(whys), text


@pytest.mark.parametrize("device", ["wasm", "webgpu", "cpu"])
def test_they_are_what_copies_give(device: str) -> None:
    """Beside what is made of the same arrays when each operand lies in memory of its own."""
    with hg.Executor(device) as ex:
        given = _given(ex)
        for name, (make, _) in CASES.items():
            plain = make(given)
            alone = _with_copies(plain)
            np.testing.assert_array_equal(plain.numpy(), alone.numpy(), name)


@pytest.mark.parametrize("device", ["cpu", "wasm"])
def test_what_lies_under_a_view_is_kept_for_who_reads_it_there(device: str) -> None:
    """The norm reads a copy of the view, which the product has no use for: it reads backwards what the view is of."""
    rng = np.random.default_rng(0)
    a, b = (rng.random((32, 32), np.float32) for _ in "ab")
    with hg.Executor(device) as ex:
        x, y = (xp.asarray(each, device=ex) for each in (a, b))
        view = (x @ y)[::-1]
        made = view @ (((hg.ops.rms_norm(view, xp.ones(32, device=ex)) @ y) @ y) @ y)
        lies = (a @ b)[::-1]
        norm = lies / np.sqrt((lies * lies).mean(1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(made.numpy(), lies @ (((norm @ b) @ b) @ b), rtol=1e-5)


def test_copies_in_functions_and_loops_are_told(given: dict[str, Any]) -> None:
    ordered = hg.function(lambda x: xp.sort(x.T) @ x)
    assert ordered.explain(given["x"]).count(": a copy: Sort takes elements as they lie in memory") == 1
    scanned = hg.function(lambda x: hg.scan(lambda c, v: (c + 1.0, xp.sort(v.T)), x[0, 0] * 0.0, x)[1])
    assert "  map[" in scanned.explain(given["s"])
    assert scanned.explain(given["s"]).count(": a copy: Sort takes") == 1


def test_why_nothing_is_computed_on_is_told(given: dict[str, Any]) -> None:
    """Of each operation that has no epilogue, also where its result has another shape before it is computed on."""
    heads = given["s"].reshape(1, 3, 4, 5)
    made = {
        "Softmax": xp.softmax(given["x"]),
        "CumSum": xp.cumulative_sum(given["x"], axis=1),
        "Sort": xp.sort(given["x"]),
        "Attention": hg.ops.attention(heads, heads, heads).reshape(60),
        "LayerNorm": hg.ops.layer_norm(given["x"], given["g"], given["g"]),
    }
    assert operation("LayerNorm").epilogue is not None
    why = "what is computed of it is a kernel behind it: "
    for name, array in made.items():
        row = operation(name)
        assert why not in array.explain()
        told = [line.partition(why)[2] for line in (array * 2.0).explain().splitlines() if why in line]
        assert told == (
            [row.apart or "its kernels take no function of what they write"] if row.epilogue is None else []
        )


@pytest.mark.parametrize("device", ["wasm", "webgpu"])
def test_parts_of_arrays_of_any_length(device: str) -> None:
    """Lengths that are not known when the plan is made: no copy, and the values of NumPy."""

    @hg.function
    def made(x: hg.Array[hg.f32, "n", "m"], y: hg.Array[hg.f32, "m", "k"]) -> Any:  # noqa: UP037
        return xp.softmax(x * 2.0 + x[0]), x[1:] @ y, xp.argmax(x * x, axis=1), x @ y[:, 1:]

    rng = np.random.default_rng(1)
    with hg.Executor(device) as ex:
        for n, m, k in ((3, 5, 2), (70, 33, 40)):
            x, y = rng.random((n, m), np.float32), rng.random((m, k), np.float32)
            given = [xp.asarray(each, device=ex) for each in (x, y)]
            soft, rows, greatest, columns = (each.numpy() for each in made(*given))
            away = np.exp(x * 2.0 + x[:1] - (x * 2.0 + x[:1]).max(axis=1, keepdims=True))
            np.testing.assert_allclose(soft, away / away.sum(axis=1, keepdims=True), rtol=1e-5)
            np.testing.assert_allclose(rows, x[1:] @ y, rtol=1e-5)
            np.testing.assert_array_equal(greatest, np.argmax(x * x, axis=1))
            np.testing.assert_allclose(columns, x @ y[:, 1:], rtol=1e-5)
        assert "a copy" not in made.explain(*given)
        assert "computed before" not in made.explain(*given)


def test_gradients_of_parts_and_of_what_is_computed() -> None:
    def loss(x: Any, y: Any) -> Any:
        soft = xp.softmax(x[1:, ::-1] * 2.0 + x[:3]) * x[1:]
        return (soft @ y[:, 1:] + xp.cumulative_sum(y[:3] * y[1:4], axis=1)[:, 1:] + x[:3, 2:5] @ y[1:4, :3]).sum()

    rng = np.random.default_rng(2)
    with hg.Executor("wasm") as ex:
        x, y = (xp.asarray(rng.random(shape), device=ex) for shape in ((4, 6), (6, 4)))
        found = hg.grad(loss, argnums=(0, 1))(x, y)
        for number, each in enumerate((x, y)):
            values, near = each.numpy(), np.zeros(each.shape)
            for place in np.ndindex(*each.shape):
                sides = []
                for step in (1e-6, -1e-6):
                    moved = values.copy()
                    moved[place] += step
                    given = [x, y]
                    given[number] = xp.asarray(moved, device=ex)
                    sides.append(float(loss(*given)))
                near[place] = (sides[0] - sides[1]) / 2e-6
            np.testing.assert_allclose(found[number].numpy(), near, rtol=1e-6, atol=1e-7)


def test_a_number_beyond_the_axis_is_a_fault_also_of_what_is_computed(given: dict[str, Any]) -> None:
    beyond = xp.asarray(np.array([1, 4], np.int32), device=given["x"].executor)
    for made in (given["x"] * 2.0, given["x"][:, ::-1] + given["x"]):
        with pytest.raises(hg.ExecutionError) as error:
            made.take(beyond, axis=0).numpy()
        assert error.value.kind == "OutOfBounds"
