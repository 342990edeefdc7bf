"""ONNX's own tests of nodes (`onnx.backend.test.case.node`) on our devices: `python -m tests.onnx_nodes wasm cpu`.

A row of tests/onnx_rows.py says which collectives a node becomes, or where that has none, one of tests/onnx_arrays.py
which functions of arrays. What neither can is `NotCovered`, and counted. Of nodes with several results those that a row
makes are compared, with the tolerance of the case; those of functions have ONNX's type and shape, but places are I32.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

import hologram_web as hg
from hologram_web.array.array import Array as Lazy
from hologram_web.errors import UnsupportedInstruction, UnsupportedType
from hologram_web.runtime.arrays import to_type

from .fuzz.devices import LIMITS
from .onnx_arrays import ARRAYS
from .onnx_node import Array, Node, NotCovered, need
from .onnx_rows import ROWS

__all__ = ["cases", "counts", "operators", "verdict"]


@cache
def _collected() -> list[Any]:
    """The cases of one node each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        found: list[Any] = collect_testcases(None)
    return [case for case in found if len(case.model.graph.node) == 1]


def _name(case: Any) -> str:
    name: str = case.model.graph.node[0].op_type
    return name


def cases() -> list[Any]:
    """The cases of operators that have a row."""
    return [case for case in _collected() if _name(case) in ROWS or _name(case) in ARRAYS]


def operators() -> Counter[str]:
    """How many cases the operators without a row have."""
    return Counter(name for name in map(_name, _collected()) if name not in ROWS and name not in ARRAYS)


def _node(case: Any) -> Node:
    from onnx import TensorProto
    from onnx.helper import get_attribute_value
    from onnx.numpy_helper import to_array

    given, wanted = (
        [to_array(value) if isinstance(value, TensorProto) else value for value in values]
        for values in case.data_sets[0]
    )
    proto = case.model.graph.node[0]
    named = dict(zip((value.name for value in case.model.graph.input), given, strict=True))
    need(all(isinstance(value, (np.ndarray, np.generic)) for value in (*given, *wanted)), "no arrays")
    inputs = [np.asarray(named[name]) if name else None for name in proto.input]
    attributes = {attribute.name: get_attribute_value(attribute) for attribute in proto.attribute}
    return Node(proto.op_type, inputs, attributes, [np.asarray(value) for value in wanted])


def verdict(case: Any, executor: Any) -> str:
    """Empty where a case passes; why it is not covered, after a colon; or what is wrong."""
    why = ""
    for rows, run in ((ROWS, _by_instructions), (ARRAYS, _by_functions)):
        if (row := rows.get(_name(case))) is not None:
            try:
                node = _node(case)
                return _compared(case, node, run(node, row, executor))
            except (NotCovered, UnsupportedInstruction, UnsupportedType) as error:
                why = f": {error}"
    return why


def _by_instructions(node: Node, row: Any, executor: Any) -> dict[int, Array]:
    """The results that a program of the row's instructions writes. Raises NotCovered."""
    text = row(node)
    arrays = {f"y{i}": np.zeros(value.shape, value.dtype) for i, value in enumerate(node.wanted)}
    arrays |= {f"x{i}": value for i, value in enumerate(node.inputs) if value is not None} | node.made
    arrays = {name: value for name, value in arrays.items() if f"[{name}]" in text or f"[{name} +" in text}
    params = "".join(f".param {name}: buffer {Node.of(value)}\n" for name, value in arrays.items())
    try:
        program = hg.Program.from_text(f"{params}    {text}\n")
        program.validate()
    except hg.IsaError as error:
        if "does not work on" not in str(error):
            raise
        raise NotCovered(str(error).splitlines()[-1]) from None
    buffers = {}
    for name, value in arrays.items():
        buffers[name] = hg.TypedBuffer.allocate(executor.device, hg.Type[Node.of(value).upper()], value.size)
        if value.size:
            buffers[name].copy_to(np.ascontiguousarray(value).ravel())
    held = {name: buffer.raw() for name, buffer in buffers.items()}
    executor.device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), held))
    return {
        number: np.asarray(buffers[f"y{number}"].copy_from()).reshape(wanted.shape)
        for number, wanted in enumerate(node.wanted)
        if f"y{number}" in buffers
    }


def _by_functions(node: Node, row: Any, executor: Any) -> dict[int, Array]:
    """What the row's functions of arrays give. BF16, which NumPy lacks, goes in and out as F32, which loses nothing."""

    def held(value: Array | None) -> Any:
        if value is None:
            return None
        if value.dtype.name == "bfloat16":
            return held(value.astype(np.float32)).astype(hg.Type.BF16)
        Node.of(value)
        return hg.array_api.asarray(value, device=executor)

    found = row(node, *map(held, node.inputs))
    results: dict[int, Array] = {}
    for number, (made, wanted) in enumerate(
        zip(found if isinstance(found, tuple) else (found,), node.wanted, strict=False)
    ):
        assert isinstance(made, Lazy)
        short = wanted.dtype.name == "bfloat16"
        ty = hg.Type.BF16 if short else to_type(wanted.dtype)
        if made.shape != wanted.shape or (made.dtype is not ty and (made.dtype, ty) != (hg.Type.I32, hg.Type.I64)):
            raise TypeError(f"{made!r} where {wanted.shape} {ty} is wanted")
        if short:
            node.wanted[number] = wanted.astype(np.float32)
        results[number] = np.asarray((made.astype(hg.Type.F32) if short else made).numpy()).reshape(wanted.shape)
    return results


def _compared(case: Any, node: Node, found: dict[int, Array]) -> str:
    assert found
    for number, made in found.items():
        try:
            np.testing.assert_allclose(made, node.wanted[number], rtol=case.rtol, atol=case.atol)
        except AssertionError as error:
            return f"{case.name}: {' '.join(str(error).split())[:300]}"
    return ""


def counts(executor: Any, wanted: Callable[[str], bool] = lambda name: True) -> Iterator[tuple[str, str, str]]:
    """The operator, the name and the verdict of each case whose operator is wanted."""
    for case in cases():
        if wanted(_name(case)):
            yield _name(case), case.name, verdict(case, executor)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.onnx_nodes", description=__doc__)
    parser.add_argument("devices", nargs="*", default=["cpu", "wasm"])
    parser.add_argument("--only", default="", help="operators whose names begin with this")
    given = parser.parse_args()
    table: dict[str, dict[str, Counter[str]]] = {}
    for name in given.devices:
        with hg.Executor(name, limits=LIMITS) as executor:
            for operator, case, found in counts(executor, lambda each: each.startswith(given.only)):
                kind = "not covered" if found.startswith(":") else "failed" if found else "passed"
                table.setdefault(operator, {}).setdefault(name, Counter())[kind] += 1
                if found:
                    print(f"{name}: {case}{found if found.startswith(':') else ' FAILED ' + found}", file=sys.stderr)
    print("| operator |", " | ".join(f"{name}: passed | failed" for name in given.devices), "| not covered |")
    print("|---" * (2 * len(given.devices) + 2) + "|")
    for operator, kinds in sorted(table.items()):
        cells = [str(kinds[name][kind]) for name in given.devices for kind in ("passed", "failed")]
        print(f"| {operator} |", " | ".join(cells), f"| {kinds[given.devices[0]]['not covered']} |")
    without = operators()
    print(f"no row: {sum(without.values())} cases of", ", ".join(f"{name} {n}" for name, n in sorted(without.items())))
    return int(any(each["failed"] for kinds in table.values() for each in kinds.values()))


if __name__ == "__main__":
    sys.exit(main())
