"""What is computed of a convolution, a norm or the like is a part of its kernels: the same bits as a kernel behind."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.tensor.families import FAMILIES, operation

ops: Any = hg.ops
SHAPES = {
    "image": (2, 6, 9, 11),
    "w": (8, 6, 3, 3),
    "few": (3, 6, 3, 3),
    "alone": (12, 1, 3, 3),
    "one": (5, 6, 1, 1),
    "back": (6, 5, 3, 3),
    "bias": (8,),
    "six": (6,),
    "rows": (3, 5, 37),
    "gamma": (37,),
    "beta": (37,),
    "each": (3, 5, 1),
    "positions": (2, 5, 3, 7),
    "angles": (5, 3),
    "places": (6,),
}
# Contractions have the texts of products; those of others may read what was there before.
FAMILIES_WITH = [
    family
    for family, names in FAMILIES.items()
    if all(operation(name).epilogue is not None and not operation(name).updated for name in names)
    and family != "contract"
]
OPERATIONS: dict[str, Any] = {
    "conv2d": lambda a: ops.conv2d(a["image"], a["w"], padding=1, bias=a["bias"]),
    "few": lambda a: ops.conv2d(a["image"], a["few"], stride=2),
    "alone": lambda a: ops.conv2d(a["image"], a["alone"], groups=6, padding=1),
    "one": lambda a: ops.conv2d(a["image"], a["one"]),
    "transposed": lambda a: ops.conv_transpose2d(a["image"], a["back"], stride=2, padding=1),
    "max_pool2d": lambda a: ops.max_pool2d(a["image"], 3, padding=1, stride=2),
    "upsample2d": lambda a: ops.upsample2d(a["image"], (13, 5)),
    "batch_norm": lambda a: ops.batch_norm(a["image"], a["six"], a["six"], a["six"], a["six"]),
    "group_norm": lambda a: ops.group_norm(a["image"], a["six"], a["six"], 2),
    "layer_norm": lambda a: ops.layer_norm(a["rows"], a["gamma"], a["beta"]),
    "rms_norm": lambda a: ops.rms_norm(a["rows"], a["gamma"]),
    "log_softmax": lambda a: ops.log_softmax(a["rows"], axis=-1),
    "rope": lambda a: ops.rope(a["positions"], a["angles"]),
    "cumulative_sum": lambda a: xp.cumulative_sum(a["rows"], axis=1),
    "take": lambda a: xp.take(a["rows"], _whole(a["places"], 5), axis=1),
    "irfft": lambda a: xp.fft.irfft(xp.astype(a["rows"], hg.complex64).realize(), n=72),
}


def _whole(x: Any, most: int) -> Any:
    """Numbers below 1 as integers, of which the operation takes what is computed before it."""
    return (x * most).astype(xp.int32).realize()


# Shaders of a convolution take a second to compile: the others have the texts that they have on the other devices.
PLACES = [(device, name) for device in ("cpu", "wasm") for name in OPERATIONS]
PLACES += [("webgpu", name) for name in ("max_pool2d", "layer_norm", "rope", "take")]


@pytest.fixture(scope="module")
def ex(request: pytest.FixtureRequest) -> Iterator[hg.Executor]:
    with hg.Executor(request.param) as found:
        yield found


@pytest.fixture(scope="module")
def given(ex: hg.Executor) -> dict[str, Any]:
    rng = np.random.default_rng(19)
    return {name: ex.array(rng.random(shape, np.float32)) for name, shape in SHAPES.items()}


def _launches(text: str, kernel: str) -> int:
    return sum(line.startswith(f"{kernel}[") for line in text.splitlines())


@pytest.mark.parametrize(("ex", "name"), PLACES, indirect=["ex"], scope="module")
def test_the_same_bits_as_a_kernel_behind(ex: hg.Executor, given: dict[str, Any], name: str) -> None:
    made = OPERATIONS[name](given)
    other = ex.array(np.random.default_rng(2).random(made.shape, np.float32))

    def after(y: Any) -> Any:
        return xp.where(y > 0.25, (y * 0.5 - 0.125) * other, 0.0)

    fused = after(made)
    text = fused.explain()
    assert _launches(text, "map") == 0, text
    assert text.count("def epilogue") == 1
    assert not any(sign in text[text.index("def epilogue") :].partition("return")[0] for sign in ("//", "%"))
    alone = OPERATIONS[name](given).realize()
    np.testing.assert_array_equal(fused.numpy(), after(alone).numpy())


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
@pytest.mark.parametrize("ex", ["cpu", "wasm", "webgpu"], indirect=True)
def test_rows_and_columns_are_known(ex: hg.Executor, given: dict[str, Any], name: str) -> None:
    def after(y: Any) -> Any:
        return y * given["gamma"] + given["beta"] - given["each"]

    fused = after(OPERATIONS[name](given))
    text = fused.explain()
    assert _launches(text, "map") == 0, text
    assert not any(sign in text[text.index("def epilogue") :].partition("return")[0] for sign in ("//", "%"))
    np.testing.assert_array_equal(fused.numpy(), after(OPERATIONS[name](given).realize()).numpy())


@pytest.mark.parametrize("dtype", ["bool", "int32", "float16"])
@pytest.mark.parametrize("ex", ["cpu", "wasm"], indirect=True)
def test_what_is_written_may_be_of_another_type(ex: hg.Executor, given: dict[str, Any], dtype: str) -> None:
    for name in ("conv2d", "layer_norm"):
        made = OPERATIONS[name](given)
        fused = made > 1.0 if dtype == "bool" else (made * 10.0).astype(getattr(xp, dtype, hg.f16))
        assert _launches(fused.explain(), "map") == 0
        y = OPERATIONS[name](given).realize()
        wanted = y > 1.0 if dtype == "bool" else (y * 10.0).astype(getattr(xp, dtype, hg.f16))
        np.testing.assert_array_equal(fused.numpy(), wanted.numpy())


def test_what_others_read_or_a_division_would_find_stays_behind(wasm: hg.Executor) -> None:
    rng = np.random.default_rng(3)
    a = {name: wasm.array(rng.random(shape, np.float32)) for name, shape in SHAPES.items()}
    y = OPERATIONS["conv2d"](a)

    @hg.function(device=wasm)
    def several(x: Any) -> Any:
        y = ops.conv2d(x, a["w"])
        return xp.relu(y), xp.sum(y)

    assert "def epilogue" not in several.explain(a["image"])
    assert "def epilogue" not in (y + a["bias"].reshape((8, 1, 1))).explain()
    q = wasm.array(rng.random((1, 2, 16, 8), np.float32))
    assert "def epilogue" not in (ops.attention(q, q, q) * 2.0).explain()
    assert "def epilogue" not in (xp.softmax(xp.asarray(a["rows"])) * 2.0).explain()
    grown = y
    for _ in range(17):
        grown = xp.sin(grown + y)
    assert "def epilogue" not in grown.explain()
    np.testing.assert_allclose(xp.reshape(y, (-1,)).numpy(), y.numpy().ravel())


def test_training_keeps_what_relu_gives(wasm: hg.Executor) -> None:
    """Its derivative needs nothing else, so that the convolution's own result lies nowhere."""
    rng = np.random.default_rng(4)
    x, w = (wasm.array(rng.random(shape, np.float32) - np.float32(0.5)) for shape in ((2, 3, 8, 8), (4, 3, 3, 3)))
    step = hg.function(hg.value_and_grad(lambda w, x: (xp.relu(ops.conv2d(x, w)) ** 2).sum()), device=wasm)
    assert "def epilogue" in step.explain(w, x)

    def chosen(w: Any, x: Any) -> Any:
        y = ops.conv2d(x, w)
        return (xp.where(y > 0, y, 0.0) ** 2).sum()

    for made, wanted in zip(step(w, x), hg.function(hg.value_and_grad(chosen), device=wasm)(w, x), strict=True):
        np.testing.assert_allclose(made.numpy(), wanted.numpy(), rtol=1e-6)


@pytest.mark.parametrize("family", [*FAMILIES_WITH, "depthwise", "winograd"])
def test_no_text_reads_its_result_back(family: str) -> None:
    """As a row of the tensor library promises that has an epilogue."""
    results = {"quantized": "c"}.get(family, "output")
    tree = ast.parse(inspect.getsource(import_module(f"hologram_web.tensor.{family}")))
    found = 0
    for kernel in tree.body:
        if not isinstance(kernel, ast.FunctionDef) or results not in [each.arg for each in kernel.args.args]:
            continue
        stores = [
            target.value
            for each in ast.walk(kernel)
            if isinstance(each, ast.Assign)
            for target in each.targets
            if isinstance(target, ast.Subscript)
        ]
        uses = [each for each in ast.walk(kernel) if isinstance(each, ast.Name) and each.id == results]
        assert uses, kernel.name
        assert all(each in stores for each in uses), kernel.name
        found += 1
    assert found
