"""What the lanes of a block do together: `hg.block_sum` and its kin, scans, shuffles. Loaded when a kernel calls one.

It is kernel code, block_library.py, over shared memory and barriers. Slots of lanes that a launch does not have are
never written, so they stay zero; what a slot of a reduction holds is coded, by xor with the bits of the identity, so
that zero means the identity.
"""

from __future__ import annotations

import ast
from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

from ...isa.operands import PRELOADED, Register
from ...isa.types import Type
from . import block_library
from .arithmetic import literal
from .emit import ArrayRef
from .names import BLOCKS
from .source import Definition, walk
from .types import INDEX, Value, default

if TYPE_CHECKING:
    from .calls import Calls

__all__ = ["call"]

_IDS = {name: Register(number) for number, (name, _) in PRELOADED.items()}
_IDS_OF_LANES = ("local_id", "global_id", "get_global_id", "block_lane")
_SOURCES = {"shuffle": "lane", "shuffle_up": "delta", "shuffle_down": "delta", "shuffle_xor": "mask"}


def call(kernel: Calls, node: ast.Call, name: str) -> Value:
    """Translates a block operation."""
    if name == "block_lane":
        kernel._no_keywords(node)
        kernel._arguments(node, "")
        return _lane(kernel)
    _all_come(kernel, node)
    if name == "block_scan":
        return _scan(kernel, node)
    kernel._no_keywords(node)
    if name in _SOURCES or name == "block_broadcast":
        given, source = kernel._arguments(node, f"value, {_SOURCES.get(name, 'lane')}")
        value, where = kernel.value(given), kernel.value(source)
        if not default(where.ty).is_integer:
            kernel.fail(source, f"a lane's number is an integer, not {where.ty}: convert with hg.i32(x)")
        if name == "block_broadcast":
            where = _in_block(kernel, source, where)
        find = block_library.SOURCES[name]
        return _result(kernel, node, given, value, block_library.taken, source=where, find=find)
    if name in block_library.COMPOSED:
        composed: Any = block_library.COMPOSED[name]
        return _value(kernel.inline(node, kernel.definition(composed)))
    (given,) = kernel._arguments(node, "value")
    operation = name.removeprefix("block_")
    return _result(kernel, node, given, kernel.value(given), block_library.reduced, operation=operation)


def _in_block(kernel: Calls, node: ast.expr, lane: Value) -> Value:
    """A lane's number that is less than the number of lanes of the block, else OutOfBounds."""
    number = kernel.register(node, lane, INDEX)
    lanes = kernel.op("MUL", Type.U32, _IDS["BLOCK_DIM_Z"], _IDS["BLOCK_DIM_Y"])
    lanes = kernel.convert(INDEX, Type.U32, kernel.op("MUL", Type.U32, lanes, _IDS["BLOCK_DIM_X"]))
    kernel.emit("CHK", number, lanes, "lanes_of_the_block", 0, 0)
    kernel.drop(lanes)
    return Value(INDEX, number)


def _scan(kernel: Calls, node: ast.Call) -> Value:
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    if not 1 <= len(node.args) <= 2 or not set(named) <= {"exclusive", "identity"}:
        kernel.fail(node, "write hg.block_scan(value, 'sum'), with exclusive=True and identity=0 if need be")
    operation = node.args[1] if len(node.args) == 2 else ast.copy_location(ast.Constant("sum"), node)
    exclusive = kernel.value(named["exclusive"]).const if "exclusive" in named else False
    if not isinstance(exclusive, bool):
        kernel.fail(named["exclusive"], "exclusive is True or False, known while translating")
    chosen = operation.value if isinstance(operation, ast.Constant) else kernel.static(operation)
    known = isinstance(chosen, str) and chosen in block_library.OPERATIONS
    if not known and not isinstance(chosen, (FunctionType, BuiltinFunctionType, Definition)):
        names = ", ".join(map(repr, block_library.OPERATIONS))
        kernel.fail(operation, f"block_scan does one of {names}, or takes a function of two values")
    if exclusive and not known and "identity" not in named:
        kernel.fail(node, "the first lane has nothing before it: say what it gets, identity=0")
    first = named.get("identity")
    value, scanned = kernel.value(node.args[0]), block_library.scanned
    return _result(kernel, node, node.args[0], value, scanned, chosen, first, exclusive=literal(exclusive))


def _value(found: Any) -> Value:
    assert isinstance(found, Value)
    return found


def _result(
    kernel: Calls,
    node: ast.Call,
    given: ast.expr,
    value: Value,
    function: Any,
    operation: Any = None,
    first: ast.expr | None = None,
    **more: Any,
) -> Value:
    """Inlines a function of the library, for the value of each lane, which `given` said. Small types go through 32
    bits: F16 and BF16 are added as F32 and rounded once, as the contract says of reductions."""
    ty = default(value.ty)
    wide = ty if ty.bits >= 32 else Type.F32 if ty.is_float else Type.I32 if ty.is_signed else Type.U32
    own, most = Value(wide, kernel.register(given, value, wide)), kernel.facts.most
    if function is block_library.reduced:
        combine, identity = _operation(kernel, node, operation, wide)
        bits = wide.encode(identity)
        code = wide.unsigned if bits else wide
        slots, result = _region(kernel, "slots", code, most), _region(kernel, "result", wide, 1)
        more = {"slots": slots, "result": result, "code": code, "identity": literal(bits)}
        more |= {"ty": wide, "combine": combine, "strides": _strides(most, 2)[::-1]}
    else:
        more |= {"ty": wide, "kept": _region(kernel, "kept", wide, most)}
        more["there"] = _region(kernel, "there", Type.U32, most)
    if function is block_library.scanned:
        more["strides"] = _strides(most, 1)
        combine, identity = operation, 0
        if isinstance(operation, str):
            combine, identity = _operation(kernel, node, operation, wide)
            more["inner"] = wide
        else:
            more["inner"] = ty
        number = Value(wide, const=identity) if first is None else kernel.value(first)
        more |= {"combine": combine, "first": Value(wide, kernel.register(first or node, number, wide))}
    checked, kernel.axes = kernel.axes, kernel.axes and not (operation is None or isinstance(operation, str))
    found = _inline(kernel, node, function, value=own, lane=_lane(kernel), **more)
    kernel.axes = checked
    return found if ty is wide else Value(ty, kernel.convert(ty, wide, kernel.register(node, found, wide)))


def _strides(most: int, first: int) -> tuple[int, ...]:
    """The powers of two from the first one on that are less than the lanes of a block."""
    return tuple(1 << k for k in range(first.bit_length() - 1, (most - 1).bit_length()))


def _operation(kernel: Calls, node: ast.Call, name: str, ty: Type) -> tuple[Any, int | float]:
    """What combines two values, and the identity."""
    combine = block_library.OPERATIONS[name]
    if name in ("and", "or", "xor") and ty.is_float:
        kernel.fail(node, f"{name} is of integers, not {ty}: use hg.bitcast(hg.u32, x)")
    most = {"prod": ty.one(), "min": ty.max_value, "max": ty.min_value, "and": -1}
    return combine, most.get(name, ty.zero())


def _inline(kernel: Calls, node: ast.Call, function: Any, **given: Any) -> Value:
    """A call of a function with values, arrays, types and functions that have no names in the kernel."""
    names = {f"${name}": value for name, value in given.items()}
    made = getattr(node, "inlined", None)  # the same in every pass: types of variables are kept by calls
    if made is None:
        read = [(name[1:], ast.copy_location(ast.Name(name, ast.Load()), node)) for name in names]
        keywords = [ast.copy_location(ast.keyword(name, value), node) for name, value in read]
        made = node.inlined = ast.copy_location(ast.Call(node.func, [], keywords), node)  # type: ignore[attr-defined]
    bound = kernel.scope.bound
    bound |= names
    with kernel.pinned(given["value"]), kernel.pinned(given["lane"]):
        found = _value(kernel.inline(made, kernel.definition(function)))
    for name in names:
        del bound[name]
    return found


def _region(kernel: Calls, kind: str, ty: Type, count: int) -> ArrayRef:
    """Shared memory of all operations of a kernel, at its start; their sizes are known in the next pass. What no lane
    reads before it is written is for all types together."""
    regions, key = kernel.facts.regions, (kind, ty.size_bytes if kind in ("slots", "result") else 0)
    needed = -(-count * ty.size_bytes // 16) * 16  # slots of vectors are aligned
    if regions.get(key, 0) < needed:
        regions[key] = needed
        kernel.facts.changed = True
    larger = sorted(regions, key=lambda one: (-one[1], one[0]))
    before = sum(regions[one] for one in larger[: larger.index(key)])
    return ArrayRef(f"block_{kind}", ty, 1, (count,), before)


def _lane(kernel: Calls) -> Value:
    """The number of the lane in its block, x fastest. (It is no question for an axis: all launches answer it.)"""
    row = kernel.op("MAD", Type.U32, _IDS["LANE_IDX_Z"], _IDS["BLOCK_DIM_Y"], _IDS["LANE_IDX_Y"])
    lane = kernel.op("MAD", Type.U32, row, _IDS["BLOCK_DIM_X"], _IDS["LANE_IDX_X"])
    return Value(INDEX, kernel.convert(INDEX, Type.U32, lane))


def _all_come(kernel: Calls, node: ast.Call) -> None:
    """Refuses what some lanes do not come to, where their numbers decide: all others find out at a barrier."""
    name = ast.unparse(node.func)
    inner: ast.AST
    apart = kernel.facts.apart or bool(_returns(kernel.calling[0].body, []))
    for function, inner in zip(kernel.calling, [*kernel.scope.path, node], strict=True):
        around, own = _around(function, inner), _numbers(function)
        apart |= any(isinstance(part, (ast.If, ast.While, ast.For, ast.IfExp, ast.BoolOp)) for part in around)
        for part in around:
            test = getattr(part, "test", getattr(part, "iter", None))
            if test is not None and inner not in walk(test) and _asks(test, own):
                kernel.fail(
                    node,
                    f"all lanes of a block come to {name}, and around it they are told apart by their numbers: compute "
                    "the value under the condition, and call it behind",
                )
        if function is not kernel.calling[0]:
            continue
        loop = next((part for part in around if isinstance(part, (ast.While, ast.For))), None)
        for way in _returns(function.body, []):
            early = (way[-1].lineno, way[-1].col_offset) < (inner.lineno, inner.col_offset)  # type: ignore[attr-defined]
            if (early or loop in way) and any(isinstance(part, ast.If) and _asks(part.test, own) for part in way):
                kernel.fail(
                    node,
                    f"all lanes of a block come to {name}, and some have returned before, by their numbers: put what "
                    "they skip under an if, and give them a value that changes nothing",
                )
    if apart and not kernel.facts.apart:
        kernel.facts.apart = kernel.facts.changed = True


def _around(outer: ast.AST, inner: ast.AST) -> list[ast.AST]:
    """What stands around a node, from the outside in."""
    for part in ast.iter_child_nodes(outer):
        if part is inner:
            return [outer]
        found = _around(part, inner)
        if found:
            return [outer, *found]
    return []


def _returns(body: list[Any], around: list[Any]) -> list[list[Any]]:
    """The returns of a kernel, each behind what stands around it."""
    found: list[list[Any]] = []
    for part in body:
        if isinstance(part, ast.Return):
            found.append([*around, part])
        elif not isinstance(part, ast.FunctionDef):
            for name in ("body", "orelse"):
                found += _returns(getattr(part, name, []), [*around, part])
    return found


def _numbers(function: ast.AST) -> set[str]:
    """The variables that are a lane's number, or computed from one."""
    found: set[str] = set()
    for part in walk(function):
        if isinstance(part, ast.Assign) and len(part.targets) == 1:
            target, value = part.targets[0], part.value
            several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            for one, of in zip(target.elts, value.elts, strict=False) if several else [(target, value)]:  # type: ignore[attr-defined]
                if isinstance(one, ast.Name) and isinstance(of, (ast.Call, ast.BinOp)) and _asks(of, found):
                    found.add(one.id)
    return found


def _asks(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression has a lane's number in it, but for elements of arrays and results of block operations."""
    if isinstance(node, ast.Call):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called in _IDS_OF_LANES or called in BLOCKS:
            return called in _IDS_OF_LANES
    if isinstance(node, ast.Subscript):
        return False
    own = isinstance(node, ast.Name) and node.id in names
    return own or any(_asks(part, names) for part in ast.iter_child_nodes(node))
