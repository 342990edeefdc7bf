"""ONNX's own tests of nodes (`onnx.backend.test.case.node`) on our devices: `python -m tests.onnx_nodes wasm cpu`.

A row of tests/onnx_rows.py says which collectives a node becomes. What none can be is `NotCovered`, and counted. Of
nodes with several results those that a row makes are compared, with the tolerance of the case.
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
from hologram_web.errors import UnsupportedInstruction, UnsupportedType

from .fuzz.devices import open_devices
from .onnx_node import Node, NotCovered, need
from .onnx_rows import ROWS

__all__ = ["cases", "counts", "verdict"]


@cache
def cases() -> list[Any]:
    """The cases of operators that have a row, of one node each."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        found: list[Any] = collect_testcases(None)
    return [case for case in found if len(case.model.graph.node) == 1 and case.model.graph.node[0].op_type in ROWS]


def _node(case: Any) -> Node:
    from onnx.helper import get_attribute_value

    given, wanted = case.data_sets[0]
    proto = case.model.graph.node[0]
    named = dict(zip((value.name for value in case.model.graph.input), given, strict=True))
    need(all(isinstance(value, (np.ndarray, np.generic)) for value in (*given, *wanted)), "no arrays")
    inputs = [np.asarray(named[name]) if name else None for name in proto.input]
    attributes = {attribute.name: get_attribute_value(attribute) for attribute in proto.attribute}
    return Node(proto.op_type, inputs, attributes, [np.asarray(value) for value in wanted])


def verdict(case: Any, device: Any) -> str:
    """Empty where a case passes; why it is not covered, after a colon; or what is wrong."""
    try:
        node = _node(case)
        text = ROWS[node.name](node)
        arrays = {f"y{i}": np.zeros(value.shape, value.dtype) for i, value in enumerate(node.wanted)}
        arrays |= {f"x{i}": value for i, value in enumerate(node.inputs) if value is not None} | node.made
        arrays = {name: value for name, value in arrays.items() if f"[{name}]" in text or f"[{name} +" in text}
        params = "".join(f".param {name}: buffer {Node.of(value)}\n" for name, value in arrays.items())
        program = hg.Program.from_text(f"{params}    {text}\n")
        program.validate()
    except NotCovered as error:
        return f": {error}"
    except hg.IsaError as error:
        if "does not work on" not in str(error):
            raise
        return f": {str(error).splitlines()[-1]}"
    buffers = {}
    for name, value in arrays.items():
        buffers[name] = hg.TypedBuffer.allocate(device, hg.Type[Node.of(value).upper()], value.size)
        if value.size:
            buffers[name].copy_to(np.ascontiguousarray(value).ravel())
    held = {name: buffer.raw() for name, buffer in buffers.items()}
    try:
        device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(1), held))
    except (UnsupportedInstruction, UnsupportedType) as error:
        return f": {error}"
    for number, wanted in enumerate(node.wanted):
        if f"y{number}" in buffers:
            found = np.asarray(buffers[f"y{number}"].copy_from()).reshape(wanted.shape)
            try:
                np.testing.assert_allclose(found, wanted, rtol=case.rtol, atol=case.atol)
            except AssertionError as error:
                return f"{case.name}: {' '.join(str(error).split())[:300]}"
    return ""


def counts(device: Any, wanted: Callable[[str], bool] = lambda name: True) -> Iterator[tuple[str, str, str]]:
    """The operator, the name and the verdict of each case whose operator is wanted."""
    for case in cases():
        operator = case.model.graph.node[0].op_type
        if wanted(operator):
            yield operator, case.name, verdict(case, device)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.onnx_nodes", description=__doc__)
    parser.add_argument("devices", nargs="*", default=["cpu", "wasm"])
    parser.add_argument("--only", default="", help="operators whose names begin with this")
    given = parser.parse_args()
    table: dict[str, dict[str, Counter[str]]] = {}
    for name, device in zip(given.devices, open_devices(given.devices), strict=True):
        for operator, case, found in counts(device.device, lambda each: each.startswith(given.only)):
            kind = "not covered" if found.startswith(":") else "failed" if found else "passed"
            table.setdefault(operator, {}).setdefault(name, Counter())[kind] += 1
            if found:
                print(f"{name}: {case}{found if found.startswith(':') else ' FAILED ' + found}", file=sys.stderr)
    print("| operator |", " | ".join(f"{name}: passed | failed" for name in given.devices), "| not covered |")
    print("|---" * (2 * len(given.devices) + 2) + "|")
    for operator, kinds in sorted(table.items()):
        cells = [str(kinds[name][kind]) for name in given.devices for kind in ("passed", "failed")]
        print(f"| {operator} |", " | ".join(cells), f"| {kinds[given.devices[0]]['not covered']} |")
    return int(any(each["failed"] for kinds in table.values() for each in kinds.values()))


if __name__ == "__main__":
    sys.exit(main())
