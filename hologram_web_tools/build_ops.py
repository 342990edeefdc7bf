"""Operations of the tensor library as files that pages and Node load by name: `hologram-web/ops` in JavaScript.

An operation is a collective on F32, or a function of an array, with sizes that are found out when it runs, one artifact
for each. The table here is the only one: the module of JavaScript and its types are written of it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hologram_web import Array, function
from hologram_web.isa import BinaryMapOperation, MapOperation, Program, Type
from hologram_web.plan.builder import PlanBuilder
from hologram_web.plan.formula import Formula
from hologram_web.runtime.compiled import CompiledProgram

__all__ = ["OPERATIONS", "NamedOperation", "build", "compiled", "typescript", "write_modules"]


class NamedOperation(NamedTuple):
    """`code` are instructions over the arrays, with the sizes of their shapes as scalars, or a function of an Array;
    `options` are numbers that a call may leave out. The array called `out` is the result."""

    code: str | Callable[[Any], Any]
    shapes: Mapping[str, tuple[str, ...]]
    text: str
    options: Mapping[str, float] = {}
    types: Mapping[str, Type] = {}


_ONE = {"x": ("n",), "out": ("n",)}
_TWO = {"a": ("n",), "b": ("n",), "out": ("n",)}
_ROWS = {"x": ("rows", "n"), "out": ("rows", "n")}
_EACH = {"x": ("rows", "n"), "out": ("rows",)}
_PLACES = {"out": Type.I32}
_IMAGE = ("batch", "channels", "h", "w")
_HALF = {"x": _IMAGE, "out": ("batch", "channels", "h // 2", "w // 2")}


_WINDOW = "[out], [x], batch, channels, h, w, 2, 2, stride=(2, 2)"
_ATTENTION = {
    "q": ("batch", "heads", "queries", "d"),
    "k": ("batch", "heads", "keys", "d"),
    "v": ("batch", "heads", "keys", "d"),
    "out": ("batch", "heads", "queries", "d"),
}
_ATTEND = "attention.f32 [out], [q], [k], [v], batch, heads, queries, keys, d"

OPERATIONS: dict[str, NamedOperation] = {
    **{
        name: NamedOperation(f"parallel_map.{name}.f32 [out], [x], n", _ONE, f"{name} of each element")
        for name in (each.name.lower() for each in MapOperation if each.name != "Not")
    },
    **{
        name: NamedOperation(f"parallel_map_binary.{name}.f32 [out], [a], [b], n", _TWO, f"{name}, element by element")
        for name in (each.name.lower() for each in BinaryMapOperation if each.name not in ("And", "Or", "Xor"))
    },
    "matmul": NamedOperation(
        "gemm.f32 [out], [a], [b], m, n, k",
        {"a": ("m", "k"), "b": ("k", "n"), "out": ("m", "n")},
        "the product of two matrices; axes in front of the last are rows of a",
    ),
    "linear": NamedOperation(
        "gemm.f32 [out], [x], [weight], rows, n, k, trans_b=true, bias=[bias]",
        {"x": ("rows", "k"), "weight": ("n", "k"), "bias": ("n",), "out": ("rows", "n")},
        "x times weight transposed, plus bias",
    ),
    "batch_matmul": NamedOperation(
        "batched_gemm.f32 [out], [a], [b], batch, m, n, k",
        {"a": ("batch", "m", "k"), "b": ("batch", "k", "n"), "out": ("batch", "m", "n")},
        "products of as many matrices",
    ),
    "softmax": NamedOperation("softmax.f32 [out], [x], rows, n", _ROWS, "softmax along the last axis"),
    "log_softmax": NamedOperation("log_softmax.f32 [out], [x], rows, n", _ROWS, "its logarithm"),
    "layer_norm": NamedOperation(
        "layer_norm.f32 [out], [x], [gamma], [beta], rows, n, eps=eps",
        {"x": ("rows", "n"), "gamma": ("n",), "beta": ("n",), "out": ("rows", "n")},
        "rows along the last axis with mean 0 and variance 1, scaled and shifted",
        {"eps": 1e-5},
    ),
    "rms_norm": NamedOperation(
        "rms_norm.f32 [out], [x], [gamma], rows, n, eps=eps",
        {"x": ("rows", "n"), "gamma": ("n",), "out": ("rows", "n")},
        "rows along the last axis by their root mean square, scaled",
        {"eps": 1e-5},
    ),
    "conv2d": NamedOperation(
        "conv2d.f32 [out], [x], [weight], batch, channels, filters, h, w, kh, kw",
        {
            "x": _IMAGE,
            "weight": ("filters", "channels", "kh", "kw"),
            "out": ("batch", "filters", "h - kh + 1", "w - kw + 1"),
        },
        "NCHW and OIHW, where the kernel lies within the image",
    ),
    "conv2d_same": NamedOperation(
        "conv2d.f32 [out], [x], [weight], batch, channels, filters, h, w, 3, 3, padding=(1, 1, 1, 1)",
        {"x": _IMAGE, "weight": ("filters", "channels", "3", "3"), "out": ("batch", "filters", "h", "w")},
        "3 x 3 with zeros around: as large as x",
    ),
    "max_pool2d": NamedOperation(f"max_pool2d.f32 {_WINDOW}", _HALF, "the greatest of 2 x 2, NCHW"),
    "avg_pool2d": NamedOperation(f"avg_pool2d.f32 {_WINDOW}", _HALF, "the mean of 2 x 2, NCHW"),
    "attention": NamedOperation(_ATTEND, _ATTENTION, "softmax(q k^T / sqrt(d)) v for each batch and head"),
    "causal_attention": NamedOperation(f"{_ATTEND}, causal=true", _ATTENTION, "a query sees the keys up to its own"),
    "cum_sum": NamedOperation("cum_sum.f32 [out], [x], rows, n", _ROWS, "running sums along the last axis"),
    "sort": NamedOperation("sort.f32 [out], [x], rows, n", _ROWS, "sorted along the last axis"),
    "arg_max": NamedOperation("arg_max.f32 [out], [x], rows, n", _EACH, "where each row is greatest", types=_PLACES),
    "arg_min": NamedOperation("arg_min.f32 [out], [x], rows, n", _EACH, "where each row is least", types=_PLACES),
    "sum": NamedOperation(lambda x: x.sum(axis=-1), _EACH, "the sum of each row"),
    "mean": NamedOperation(lambda x: x.mean(axis=-1), _EACH, "the mean of each row"),
    "amax": NamedOperation(lambda x: x.max(axis=-1), _EACH, "the greatest of each row"),
    "amin": NamedOperation(lambda x: x.min(axis=-1), _EACH, "the least of each row"),
    "transpose": NamedOperation(
        lambda x: x.T, {"x": ("rows", "n"), "out": ("n", "rows")}, "a matrix with its rows as columns"
    ),
    "gather": NamedOperation(
        "gather.f32 [out], [x], [indices], 1, rows, n, count",
        {"x": ("rows", "n"), "indices": ("count",), "out": ("count", "n")},
        "rows by their indices",
        types={"indices": Type.I32},
    ),
}  # fmt: skip


def _program(name: str, operation: NamedOperation, code: str) -> Program:
    sizes = sorted({size for shape in operation.shapes.values() for size in shape if size.isidentifier()})
    lines = [f".program {name}"]
    for array in operation.shapes:
        access = "write" if array == "out" else "read"
        lines.append(f".param {array}: buffer {operation.types.get(array, Type.F32)} {access}")
    lines += [f".param {size}: u32" for size in sizes if size in code.replace(",", " ").split()]
    lines += [f".param {option}: f32" for option in operation.options]
    return Program.from_text("\n".join([*lines, f"    {code}", ""]))


def _of_array(name: str, operation: NamedOperation, work: Callable[[Any], Any]) -> CompiledProgram:
    def made(x: Any) -> dict[str, Any]:
        return {"out": work(x)}

    made.__name__ = name
    made.__annotations__ = {"x": Array[(Type.F32, *operation.shapes["x"])]}
    return function(made).compile()


def compiled(name: str) -> CompiledProgram:
    """The plan of an operation, with sizes that arguments give."""
    operation = OPERATIONS[name]
    if not isinstance(operation.code, str):
        return _of_array(name, operation, operation.code)
    builder = PlanBuilder(name, shapes=operation.shapes)
    for option in operation.options:
        builder.scalar(option, Type.F32)
    made = _program(name, operation, operation.code)
    sizes = {
        each.name: Formula.of(each.name)
        for each in made.params
        if each.kind == "scalar" and each.name not in operation.options
    }
    builder.launch(made, 1, args=sizes)
    return CompiledProgram.from_builder(
        builder, {f"default.{key}": str(value) for key, value in operation.options.items()}
    )


def build(folder: Path, done: Callable[[], None] = lambda: None) -> int:
    """Writes all as modules of JavaScript and says how many bytes the artifacts have; `done` is called after each."""
    return write_modules(folder, ((name, compiled(name).to_bytes()) for name in OPERATIONS), done)


def write_modules(folder: Path, files: Iterable[tuple[str, bytes]], done: Callable[[], None] = lambda: None) -> int:
    """Artifacts as modules of JavaScript, which every bundler finds: one for each, and `index.js`, which loads them by
    their names. Says how many bytes the artifacts have."""
    folder.mkdir(parents=True, exist_ok=True)
    names, total = [], 0
    for name, data in files:
        (folder / f"{name}.js").write_text(f'export default "{base64.b64encode(data).decode()}";\n')
        names.append(name)
        total += len(data)
        done()
    lines = "".join(f'  {name}: () => import("./{name}.js"),\n' for name in names)
    (folder / "index.js").write_text(f"export const FILES = {{\n{lines}}};\n")
    return total


def typescript() -> str:
    """The module of TypeScript that says what there is: web/src/ops.gen.ts."""
    rows, methods = [], []
    for name, operation in OPERATIONS.items():
        arrays = [array for array in operation.shapes if array != "out"]
        rows.append(f"  {name}: {json.dumps(arrays)},\n")
        shapes = {array: f"[{', '.join(shape)}]" for array, shape in operation.shapes.items()}
        taken = ", ".join(f"{array}: Operand" for array in arrays)
        if operation.options:
            taken += f", options?: {{ {'; '.join(f'{key}?: number' for key in operation.options)} }}"
        given = ", ".join(shapes[array] for array in arrays)
        text = f"{operation.text[0].upper()}{operation.text[1:]}: {given} to {shapes['out']}."
        result = operation.types.get("out", Type.F32)
        methods.append(f'  /** {text} */\n  {name}({taken}): Promise<Buffer<"{result}">>;\n')
    taken, done = "".join(rows), "".join(methods)
    return (
        "// Made by `hologram-web build-ops --types web/src/ops.gen.ts`: do not edit.\n"
        'import type { Buffer } from "./buffer.js";\nimport type { Operand } from "./ops.js";\n\n'
        f"/** What each takes, in order. */\nexport const OPERANDS = {{\n{taken}}} as const;\n\n"
        f"/** Sizes in brackets are those of the arrays. */\nexport interface Operations {{\n{done}}}\n"
    )
