"""Operations of the tensor library as files that pages and Node load by name: `hologram-web/ops` in JavaScript.

An operation is a collective on F32, or a function of an array, with sizes that are found out when it runs, one artifact
for each. The table here is the only one: the module of JavaScript and its types are written of it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from hologram_web import Array, function, kernel_from_source
from hologram_web.isa import Program, Type
from hologram_web.plan.builder import PlanBuilder
from hologram_web.plan.formula import Formula
from hologram_web.runtime.compiled import CompiledProgram

from .named_operations import OPERATIONS, NamedOperation

__all__ = ["OPERATIONS", "NamedOperation", "build", "compiled", "files", "is_along", "typescript", "write_modules"]


def _options(operation: NamedOperation, ty: Type) -> dict[str, Type]:
    """The types of the options: those that are floats have the operation's, kernels have signs."""
    whole = Type.I32 if str(operation.code).startswith("def ") else Type.U32
    kinds = {key: ty if isinstance(default, float) else whole for key, default in operation.options.items()}
    return {
        key: default if isinstance(default := operation.options[key], Type) else kind for key, kind in kinds.items()
    }


def _text_of(name: str, operation: NamedOperation, ty: Type) -> str:
    """The program's text or the kernel's source."""
    assert isinstance(operation.code, str)
    scalars, code = _options(operation, ty), operation.code
    if code.startswith("="):
        arrays = ", ".join(f"{key}: hg.Array[hg.{operation.types.get(key, ty)}]" for key in operation.shapes)
        options = "".join(f", {key}: hg.{kind}" for key, kind in scalars.items())
        return f"def {name}_({arrays}{options}):\n    i = hg.global_id()\n    if i < len(out):\n        out[i] {code}\n"
    if code.startswith("def "):
        return code.replace("def ", "def _", 1).replace("hg.f32", f"hg.{ty}")
    used = set(re.findall(r"\w+", code))
    sizes = sorted({size for shape in operation.shapes.values() for size in shape if size.isidentifier()} & used)
    lines = [f".program {name}"]
    for array in operation.shapes:
        access = "write" if array in operation.results else "read"
        lines.append(f".param {array}: buffer {operation.types.get(array, ty)} {access}")
    lines += [f".param {size}: u32" for size in [*sizes, *operation.counts] if size not in scalars]
    lines += [f".param {key}: {kind}" for key, kind in scalars.items() if key in used]
    return "\n".join([*lines, f"    {code.replace('.f32', f'.{ty}')}", ""])


def _of_arrays(name: str, operation: NamedOperation, work: Callable[..., Any], ty: Type) -> CompiledProgram:
    def made(x: Any) -> dict[str, Any]:
        return {"out": work(x)}

    made.__name__ = name
    made.__annotations__ = {"x": Array[(ty, *operation.shapes["x"])]}
    return function(made).compile()


def compiled(name: str, ty: Type = Type.F32) -> CompiledProgram:
    """The plan of an operation, with sizes that arguments give."""
    operation = OPERATIONS[name]
    if not isinstance(operation.code, str):
        return _of_arrays(name, operation, operation.code, ty)
    builder = PlanBuilder(name)
    for array, shape in operation.shapes.items():
        builder.array(array, operation.types.get(array, ty), shape)
    kinds = _options(operation, ty)
    for key, kind in kinds.items():
        builder.scalar(key, kind)
    text = _text_of(name, operation, ty)
    if text.startswith("def "):
        builder.launch(kernel_from_source(text), tuple(map(Formula.of, operation.shapes["out"][::-1])))
    else:
        made = Program.from_text(text)
        scalars = (each.name for each in made.params if each.kind == "scalar" and each.name not in operation.options)
        builder.launch(made, 1, args={key: Formula.of(operation.counts.get(key, key)) for key in scalars})
    defaults = {key: value for key, value in operation.options.items() if not isinstance(value, Type)}
    texts = {f"default.{key}": str(int(v) if kinds[key].is_integer else v) for key, v in defaults.items()}
    return CompiledProgram.from_builder(builder, texts)


def files() -> dict[str, tuple[str, Type]]:
    """The operation and the type of each file: those of F32 have the operation's name alone."""
    each = ((name, ty) for name, operation in OPERATIONS.items() for ty in operation.dtypes)
    return {name if ty is Type.F32 else f"{name}_{ty}": (name, ty) for name, ty in each}


def build(folder: Path, done: Callable[[], None] = lambda: None) -> int:
    """Writes all as modules of JavaScript and says how many bytes the artifacts have; `done` is called after each."""
    return write_modules(folder, ((name, compiled(*which).to_bytes()) for name, which in files().items()), done)


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


def _method(name: str, operation: NamedOperation) -> str:
    """An operation's documentation, and a signature for each of its types: lists are of the first that fits."""
    arrays = [array for array in operation.shapes if array not in operation.results]
    options = [
        f"{key}{'' if isinstance(default, Type) else '?'}: number" for key, default in operation.options.items()
    ] + (["axis?: number"] if is_along(operation) else [])
    needed = any(isinstance(default, Type) for default in operation.options.values())
    shapes = {array: f"[{', '.join(shape)}]" for array, shape in operation.shapes.items()}
    given = ", ".join(shapes[array] for array in arrays)
    written = ", ".join(shapes[array] for array in operation.results)
    text = f"{operation.text[0].upper()}{operation.text[1:]}: {f'{given} to ' if given else ''}{written}."
    defaults = [f"{key} {value:g}" for key, value in operation.options.items() if not isinstance(value, Type)]
    if defaults or is_along(operation):
        text += f" By default {', '.join([*defaults, *(['axis 0'] if is_along(operation) else [])])}."
    lines = [f"  /** {text} */\n"]
    for ty in operation.dtypes:
        kinds = {array: operation.types.get(array, ty) for array in operation.shapes}
        taken = [f'{array}: Operand<"{kinds[array]}">'.replace('<"f32">', "") for array in arrays]
        if options:
            taken.append(f"options{'' if needed else '?'}: {{ {'; '.join(options)} }}")
        found = {array: f'Buffer<"{kinds[array]}">' for array in operation.results}
        several = "; ".join(f"{array}: {kind}" for array, kind in found.items())
        gives = found.get("out", f"{{ {several} }}")
        lines.append(f"  {name}({', '.join(taken)}): Promise<{gives}>;\n")
    return "".join(lines)


def is_along(operation: NamedOperation) -> bool:
    """Whether a call says which axis it is about."""
    return next(iter(operation.shapes.values()))[::2] == ("outer", "inner")


def typescript() -> str:
    """The module of TypeScript that says what there is: web/src/ops.gen.ts."""
    rows, types, results = [], [], []
    for name, operation in OPERATIONS.items():
        rows.append(
            f"  {name}: {json.dumps([array for array in operation.shapes if array not in operation.results])},\n"
        )
        if operation.dtypes != (Type.F32,):
            arrays = [array for array in operation.shapes if array not in operation.results]
            by = [k for k, array in enumerate(arrays) if array not in operation.types]
            types.append(f"  {name}: {{ by: {by}, types: {json.dumps(list(map(str, operation.dtypes)))} }},\n")
        if operation.results != ("out",):
            results.append(f"  {name}: {json.dumps(operation.results)},\n")
    chosen = "Readonly<Record<string, { by: readonly number[]; types: readonly string[] }>>"
    done = "".join(_method(name, operation) for name, operation in OPERATIONS.items())
    return (
        "// Made by `hologram-web build-ops --types web/src/ops.gen.ts`: do not edit.\n"
        'import type { Buffer } from "./buffer.js";\nimport type { Operand } from "./ops.js";\n\n'
        f"/** What each takes, in order. */\nexport const OPERANDS = {{\n{''.join(rows)}}} as const;\n\n"
        "/** The types of those that are not for F32 alone, and which operands say what it is. */\n"
        f"export const TYPES: {chosen} = {{\n{''.join(types)}}};\n\n"
        "/** What is written by those that write several arrays. */\n"
        f"export const RESULTS: Readonly<Record<string, readonly string[]>> = {{\n{''.join(results)}}};\n\n"
        f"/** Sizes in brackets are those of the arrays. */\nexport interface Operations {{\n{done}}}\n"
    )
