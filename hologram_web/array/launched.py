"""Kernels of the user's as nodes of graphs: launches whose results are arrays of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import LaunchError, like, outermost
from ..frontends.python.names import ArrayType
from ..isa.elements import ElementType, stored_as
from ..runtime.executor import Buffer
from .array import Array, array_of
from .creation import array_like, default_executor
from .node import ArrayNode, scalar
from .sizes import whole
from .types import NUMBERS

__all__ = ["KernelLaunch", "call_kernel"]

_BLOCKS = {1: (256, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}


class LaunchResult(NamedTuple):
    """What a kernel writes; `start` is the operand that it is before, without one it is zeros."""

    name: str
    dtype: ElementType
    shape: tuple[int, ...]
    start: int | None


class KernelLaunch(NamedTuple):
    """What a node has that is a launch: which parameters its operands are, and what it writes, which are its parts."""

    kernel: Any
    lanes: tuple[int, ...]
    block: tuple[int, int, int]
    operands: tuple[str, ...]
    results: tuple[LaunchResult, ...]

    @property
    def kind(self) -> str:
        return str(self.kernel.name)


@outermost
def call_kernel(
    kernel: Any, results: Mapping[str, Any], /, *, grid: Any = None, block: Any = None, **given: Any
) -> Any:
    """What a kernel writes, as an array, or as a dict by name if there are several: lazy, and a part of functions and
    their files. `results` has for each parameter that it writes a shape, of zeros, or an array whose elements are there
    before; `given` the others. `grid` and `block` are those of launches; by default there is a lane for each element
    of the results that the lane's number indexes. Raises LaunchError."""
    arrays = {name: array_like(each) for name, each in (given | dict(results)).items() if _is_array(each)}
    executor = next((each.executor for each in arrays.values()), None) or default_executor()
    if hasattr(kernel, "for_types"):  # with type variables
        kernel = kernel.for_types({name: stored_as(each.dtype) for name, each in arrays.items()})
    params: dict[str, Any] = kernel.params
    for name in (*results, *given):
        if name not in params or (name in results and name in given):
            raise LaunchError(f"{kernel.name} takes {', '.join(params)}, each once: not {name!r}{like(name, params)}")
    written: list[LaunchResult] = []
    operands: list[ArrayNode] = []
    names: list[str] = []
    writes = {param.name for param in kernel.program.params if param.access is not None and param.access.writes}
    for name, ty in params.items():
        if name in results:
            if not isinstance(ty, ArrayType):
                raise LaunchError(f"{name} is no array that {kernel.name} writes")
            start = arrays.get(name)
            shape = start.shape if start is not None else _shape(results[name])
            written.append(LaunchResult(name, ty.ty, shape, None if start is None else len(operands)))
            if start is None:
                _check(name, ty, ty.ty, shape)
                continue
            found = start
        elif name not in given:
            raise LaunchError(f"{name!r} is missing: {kernel.name} takes {', '.join(params)}")
        elif name in writes:
            raise LaunchError(f"{name} is written: name it in the results, with its shape or with what is in it before")
        elif isinstance(ty, ArrayType):
            found = array_of(given[name], executor)
        else:
            found = _number(name, given[name], ty, executor)
        if isinstance(ty, ArrayType):
            _check(name, ty, found.dtype, found.shape)
        operands.append(found.node)
        names.append(name)
    if not written:
        raise LaunchError(f"{kernel.name} gives nothing: name what it writes, {{'y': x.shape}}")
    shapes = {each.name: each.shape for each in written}
    lanes = tuple(map(whole, grid if isinstance(grid, Sequence) else (grid,))) if grid is not None else None
    lanes = lanes or _lanes(kernel, shapes)
    sides = (*(block if isinstance(block, Sequence) else (block,)), 1, 1)[:3] if block else _BLOCKS[len(lanes)]
    attrs = KernelLaunch(kernel.in_blocks(sides), lanes, sides, tuple(names), tuple(written))
    launch = ArrayNode("launch", tuple(operands), written[0].dtype, written[0].shape, attrs)
    made = {
        each.name: Array(ArrayNode("part", (launch,), each.dtype, each.shape, number), executor)
        for number, each in enumerate(written)
    }
    return made if len(made) > 1 else made[written[0].name]


def _is_array(value: Any) -> bool:
    return isinstance(value, (Array, Buffer))


def _shape(lengths: Any) -> tuple[int, ...]:
    return tuple(map(whole, lengths)) if isinstance(lengths, Sequence) else (whole(lengths),)


def _check(name: str, wanted: ArrayType, dtype: ElementType, shape: tuple[int, ...]) -> None:
    if dtype is not wanted.ty or len(shape) != wanted.ndim:
        raise LaunchError(f"{name} has shape {shape} and elements of {dtype}; {wanted} is expected")


def _number(name: str, value: Any, ty: Any, executor: Any) -> Array:
    """A number that is known when the kernel is launched."""
    if isinstance(value, NUMBERS):
        return Array(scalar(value, ty), executor)
    found = array_of(value, executor)
    if found.node.op != "scalar" or found.shape or found.dtype is not ty:
        raise LaunchError(f"{name} is a number of {ty}: give one, or a number that the function takes")
    return found


def _lanes(kernel: Any, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """A lane for each element of the results that its number indexes."""
    found: dict[int, int] = {}
    for array, axis, along in kernel.indexed if kernel.unplain is None else ():
        if array in shapes:
            found.setdefault(along, shapes[array][axis])
    if not kernel.indexed and kernel.unplain is None:
        return (1,)
    if sorted(found) != list(range(len(found))) or not found:
        raise LaunchError(f"{kernel.name}: how many lanes there are does not follow: say it, grid=(columns, rows)")
    return tuple(found[along] for along in range(len(found)))
