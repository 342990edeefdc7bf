"""What several devices of a process do together: buffers of them combined or joined, by way of the host."""

from __future__ import annotations

from hologram_web.errors import LaunchError
from hologram_web.isa.operands import ReduceOperation
from hologram_web.isa.program import Program
from hologram_web.isa.types import Type
from hologram_web.runtime import arrays
from hologram_web.runtime.executor import Buffer

__all__ = ["all_gather", "all_reduce"]

_COMBINING = {name: each.value for each in ReduceOperation for name in (each.name.lower(), each.value)}
_TEXT = """
.param x: buffer {ty} read_write
.param y: buffer {ty} read
    parallel_map_binary.{combine}.{ty} [x], [x], [y], {count}
"""


def all_reduce(operation: str, *buffers: Buffer) -> None:
    """Writes into each of the buffers, which may lie on several devices, what all of them are combined, element by
    element: "sum", "product", "min" or "max". The device of the first one does it, in the order of the buffers, so that
    all have the same bits. Raises LaunchError for buffers that differ in shape or type."""
    if operation not in _COMBINING:
        raise LaunchError(f"all_reduce combines by sum, product, min or max, not {operation!r}")
    _check("all_reduce", buffers, whole=True)
    if not buffers:
        return
    first, *others = buffers
    text = _TEXT.format(ty=first.dtype, combine=_COMBINING[operation], count=first.size)
    program = Program.from_text(text)
    for other in others:
        with first.executor.array(other) as moved:
            first.executor.run(program, 1, x=first, y=moved)
    if others:
        found = first.numpy()
        for other in others:
            other.from_numpy(found)


def all_gather(*buffers: Buffer) -> list[Buffer]:
    """For each of the buffers, which may lie on several devices, a new one on its device: all of them joined along the
    first axis. Raises LaunchError for buffers that differ in type, or in the lengths of other axes."""
    _check("all_gather", buffers, whole=False)
    if not buffers:
        return []
    found = arrays.numpy().concatenate([each.numpy() for each in buffers])
    return [each.executor.array(found, each.dtype) for each in buffers]


def _check(name: str, buffers: tuple[Buffer, ...], whole: bool) -> None:
    """Whether buffers go together: by their `whole` shape, or but for the first axis."""
    for number, each in enumerate(buffers):
        if not isinstance(each, Buffer) or not isinstance(each.dtype, Type):
            raise LaunchError(f"{name} takes buffers of numbers: number {number} is {each!r}")
        first = buffers[0]
        if not whole and not each.shape:
            raise LaunchError(f"{name} joins along the first axis: number {number} has none")
        if each.dtype is not first.dtype or each.shape[not whole :] != first.shape[not whole :]:
            raise LaunchError(
                f"{name}: number {number} has the shape {each.shape} of {each.dtype}, and number 0 {first.shape} "
                f"of {first.dtype}"
            )
