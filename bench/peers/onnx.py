"""ONNX models of a few nodes, as bytes: the protobuf messages that ONNX Runtime Web reads, written by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["model"]

_FLOAT = 1  # TensorProto.DataType
_IR_VERSION, _OPSET = 8, 17


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])


def _array(name: str, shape: Sequence[int]) -> bytes:
    """A ValueInfoProto: an array of F32."""
    lengths = b"".join(_bytes(1, _number(1, length)) for length in shape)
    tensor = _number(1, _FLOAT) + _bytes(2, lengths)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def model(nodes: Sequence[tuple[str, str, str]], inputs: Mapping[str, Sequence[int]], result: Sequence[int]) -> bytes:
    """A model that gives `z`. A node is an operator, the names of its operands, and the name of its result."""
    graph = b""
    for operator, operands, name in nodes:
        node = b"".join(_bytes(1, operand.encode()) for operand in operands.split())
        graph += _bytes(1, node + _bytes(2, name.encode()) + _bytes(4, operator.encode()))
    graph += _bytes(2, b"graph")
    graph += b"".join(_bytes(11, _array(name, shape)) for name, shape in inputs.items())
    graph += _bytes(12, _array("z", result))
    return _number(1, _IR_VERSION) + _bytes(7, graph) + _bytes(8, _number(2, _OPSET))
