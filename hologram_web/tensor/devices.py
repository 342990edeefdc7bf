"""What several devices do together. A launch runs on one, where there is nothing to combine; those of a mesh do it by
way of the host (hologram_web_tools/several.py)."""

# mypy: ignore-errors

from __future__ import annotations

import json
from functools import cache

from ..isa.program import Program
from .arrange import OPERATIONS as ARRANGE
from .operation import Operands, PartLaunch, TensorOperation

__all__ = ["OPERATIONS"]

_copy = next(each for each in ARRANGE if each.name == "Copy")


def _of_one(o):
    if len(o.devices) == 1 or not o.here:
        return None
    return f"over {len(o.devices)} devices, and this launch runs on one: run it by hg.Mesh(...).run, on several"


@cache
def _elsewhere(name, target, ty, devices):
    """What stands in files, whose code is for runtimes with one device: a kernel without code, which says why."""
    why = f"it is over {devices} devices, and a page has one: natively hg.Mesh(...).run runs the file, on several"
    text = f".program {json.dumps(name)}\n.meta no_code {json.dumps(why)}\n.meta target {json.dumps(target)}\n"
    return Program.from_text(f"{text}.param x: buffer {ty} read_write\n    ldg.{ty} r10, [x]\n    stg.{ty} [x], r10\n")


def _in_file(o, traits, name, array):
    program = _elsewhere(name, traits.name, str(o.ty), len(o.devices))
    return [PartLaunch(lambda: (program, {"x": array}, {}), (1, 1, 1), (1, 1, 1))]


def _reduced(o, traits):
    return [] if len(o.devices) == 1 else _in_file(o, traits, "AllReduce", "buffer")


def _gathered(o, traits):
    if len(o.devices) > 1:
        return _in_file(o, traits, "AllGather", "output")
    return _copy.launches(Operands({**o.values, "count": o.n}, o.first, o.most, o.late, o.fusion), traits)


OPERATIONS = (
    TensorOperation(
        "AllReduce",
        lambda o: {"buffer": o.n},
        _reduced,
        lambda np, o, buffer: buffer,
        _of_one,
        updated=("buffer",),
        whole=False,
        apart="on one device it writes nothing",
    ),
    TensorOperation(
        "AllGather",
        lambda o: {"input": o.n, "output": o.n * len(o.devices)},
        _gathered,
        lambda np, o, input: input,
        _of_one,
        in_place=True,
    ),
)
