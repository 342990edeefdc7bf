"""ONNX models of a few nodes, as bytes: the protobuf messages that ONNX Runtime Web reads, written by hand."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from .nodes import Node

__all__ = ["model"]

_FLOAT, _INT64 = 1, 7  # TensorProto.DataType
_TYPES = {"float32": _FLOAT, "int8": 3, "int32": 6}
_INT, _INTS = 2, 7  # AttributeProto.AttributeType
_IR_VERSION, _OPSET = 8, 17


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7 & (1 << 57) - 1  # of a negative number ten bytes, as of 64 bits
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


def _array(name: str, shape: Sequence[int], dtype: str) -> bytes:
    """A ValueInfoProto: an array."""
    lengths = b"".join(_bytes(1, _number(1, length)) for length in shape)
    tensor = _number(1, _TYPES[dtype]) + _bytes(2, lengths)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def _constant(name: str, value: float | int) -> bytes:
    """A TensorProto: a number, or the axis of a reduction."""
    whole = isinstance(value, int)
    raw = struct.pack("<q" if whole else "<f", value)
    return (
        (_number(1, 1) if whole else b"")
        + _number(2, _INT64 if whole else _FLOAT)
        + _bytes(8, name.encode())
        + _bytes(9, raw)
    )


def _node(operator: str, operands: Sequence[str], name: str, attributes: Mapping[str, int | list[int]]) -> bytes:
    made = b"".join(_bytes(1, operand.encode()) for operand in operands)
    made += _bytes(2, name.encode()) + _bytes(4, operator.encode())
    for key, value in attributes.items():
        if isinstance(value, int):
            attribute = _number(3, value) + _number(20, _INT)
        else:
            attribute = b"".join(_number(8, number) for number in value) + _number(20, _INTS)
        made += _bytes(5, _bytes(1, key.encode()) + attribute)
    return made


def model(
    nodes: Sequence[Node],
    inputs: Mapping[str, Sequence[int]],
    result: Sequence[int],
    given: Mapping[str, Mapping[str, int | list[int]]] | None = None,
    dtypes: tuple[str, str] = ("float32", "float32"),
) -> bytes:
    """A model that gives `z`. Literals of nodes are constants, 1/n one over the length of a row; operators have the
    attributes that are `given`; `dtypes` are those of what goes in and comes out."""
    graph, constants = b"", dict[str, float | int]()
    for operator, names, name in nodes:
        operands = names.split()
        for operand in operands:
            if operand[0].isdigit():
                constants[operand] = 1 / inputs["x"][-1] if operand == "1/n" else float(operand)
        attributes = dict((given or {}).get(operator, {}))
        if operator == "ReduceSum" and len(inputs["x"]) > 1:  # its axes are an operand, of which others know nothing
            operands.append("last")
            constants["last"] = -1
        elif operator == "ReduceSum":
            attributes = {"keepdims": 0}
        elif operator == "ReduceMax":
            attributes = {"axes": [-1]}
        graph += _bytes(1, _node(operator, operands, name, attributes))
    graph += _bytes(2, b"graph")
    graph += b"".join(_bytes(5, _constant(name, value)) for name, value in constants.items())
    graph += b"".join(_bytes(11, _array(name, shape, dtypes[0])) for name, shape in inputs.items())
    graph += _bytes(12, _array("z", result, dtypes[1]))
    return _number(1, _IR_VERSION) + _bytes(7, graph) + _bytes(8, _number(2, _OPSET))
