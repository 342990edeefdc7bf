"""Any operation of the tensor library on arrays, and its gradient."""

from __future__ import annotations

from math import prod
from types import SimpleNamespace
from typing import Any

from ..errors import LaunchError
from ..isa.elements import ElementType, stored_as
from ..isa.row import REQUIRED, Row
from ..isa.table import BY_NAME
from ..isa.types import Type
from ..runtime.executor import Buffer
from ..tensor.families import operation
from ..tensor.operation import Operands, extents, whole_factors
from . import creation, functions
from .array import Array
from .library_nodes import tensor
from .node import ArrayNode
from .sizes import is_symbolic

__all__ = ["apply", "gradients", "result_of"]


def apply(name: str, result: str = "", /, **given: Any) -> Array:
    """The elements of one result of an operation, by default the first one, along one axis: arrays and numbers by the
    names of its operands in the table of instructions; what is left out has its default. Raises CompileError and
    LaunchError."""
    row, result = BY_NAME[name], result or result_of(name)
    values: dict[str, Any] = {each.name: given.pop(each.name, each.default) for each in row.operands}
    if given:
        raise LaunchError(f"{name} has no operand {next(iter(given))!r}")
    values = {key: creation.array_like(value) if isinstance(value, Buffer) else value for key, value in values.items()}
    arrays = {each: value for each, value in values.items() if isinstance(value, Array)}
    first = next(iter(arrays.values()))
    ty = stored_as(first.dtype)
    written = [each.name for each in row.operands if each.kind in ("store", "rmw")]
    values["ty"] = ty
    for key, array in arrays.items():
        said = row.operands[row.positions[key]].type
        if said != "ty" and said in row.positions and values[said] is None:  # a type of its own
            values[said] = stored_as(array.dtype)
    _of_types(row, values, arrays)
    whole_factors(row, ty, values)
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    missing = [key for key, value in values.items() if value is REQUIRED and key not in written]
    if missing:
        raise LaunchError(f"{name} takes {missing[0]!r}")
    counts = extents(operation(name), Operands({**values, **dict.fromkeys(written, True)}, {}))
    for key, array in arrays.items():
        size, wanted = array.size, counts[key]
        if wanted is not None and (size < wanted or not (is_symbolic((size, wanted)) or size == wanted)):
            raise LaunchError(f"{name}: {key} has {size} elements, and {wanted} are needed")
    types: dict[str, ElementType] = {key: row.element_type(key, values) for key in written}
    # What is written besides is memory that nobody reads; a result that may be left out is.
    scratch = tuple(
        (key, counts[key] * types[key].size_bytes)
        for key in written
        if key != result and row.operands[row.positions[key]].default is REQUIRED
    )
    numbers = tuple((key, value) for key, value in values.items() if key not in (*arrays, *written, "ty"))
    node = tensor(name, result, types[result], (counts[result],), numbers, *arrays.items(), scratch=scratch)
    return Array(node, first.executor)


def _of_types(row: Row, values: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Raises LaunchError where an array is of another type than its operand, or of one that the operation has not."""
    for operand in (row.operands[position] for position in row.type_operands):
        ty = values[operand.name]
        if ty is not None and ty not in operand.allowed:
            said = next((key for key in arrays if (row.operands[row.positions[key]].type or "ty") == operand.name), "")
            listed = ", ".join(str(each) for each in sorted(operand.allowed, key=lambda each: each.id))
            raise LaunchError(
                f"{row.name}: {said or operand.name} is of {ty}; use one of {listed}: convert it with astype"
            )
    for key, array in arrays.items():
        if stored_as(array.dtype) is not (needed := row.element_type(key, values)):
            raise LaunchError(f"{row.name}: {key} is of {array.dtype}, and {needed} is needed: convert it with astype")


def gradients(node: ArrayNode, cotangent: Array) -> list[Array | None]:
    """Of an operation's arguments what the sum of cotangent * result changes by; None for those without a gradient,
    such as indices. Raises LaunchError for an operation that has none."""
    name, result, operands, numbers, _ = node.attrs
    found = operation(name)
    if found.gradient is None or result != result_of(name):
        raise LaunchError(f"{result} of {name} has no gradient")
    row = BY_NAME[name]
    values = {each.name: each.default for each in row.operands if each.default is not REQUIRED} | dict(numbers)
    executor = cotangent.executor
    arrays = {each: Array(arg, executor) for each, arg in zip(operands, node.args, strict=True)}
    made = found.gradient(NAMESPACE, Operands(values, {}), cotangent, Array(node, executor), **arrays)
    assert all(prod(made[each].shape) == arrays[each].size for each in made)
    return [made.get(each) for each in operands]


def result_of(name: str) -> str:
    """The result of an operation that is not places."""
    return next(each.name for each in BY_NAME[name].operands if each.kind in ("store", "rmw"))


NAMESPACE = SimpleNamespace(
    **{name: getattr(module, name) for module in (functions, creation) for name in module.__all__},
    int32=Type.I32,
    int64=Type.I64,
    apply=apply,
)
