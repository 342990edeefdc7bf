"""What several devices do together. A launch runs on one, where there is nothing to combine."""

# mypy: ignore-errors

from __future__ import annotations

from .arrange import OPERATIONS as ARRANGE
from .operation import Operands, TensorOperation

__all__ = ["OPERATIONS"]

_copy = next(each for each in ARRANGE if each.name == "Copy")


def _of_one(o):
    if len(o.devices) == 1:
        return None
    instead = "hg.all_reduce and hg.all_gather take buffers of several"
    return f"over {len(o.devices)} devices, and a launch runs on one: {instead}"


def _copied(o, traits):
    return _copy.launches(Operands({**o.values, "count": o.n}, o.first, o.most, o.late, o.fusion), traits)


OPERATIONS = (
    TensorOperation(
        "AllReduce",
        lambda o: {"buffer": o.n},
        lambda o, traits: [],
        lambda np, o, buffer: buffer,
        _of_one,
        updated=("buffer",),
        apart="on one device it writes nothing",
    ),
    TensorOperation(
        "AllGather",
        lambda o: {"input": o.n, "output": o.n},
        _copied,
        lambda np, o, input: input,
        _of_one,
        in_place=True,
    ),
)
