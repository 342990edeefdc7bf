"""What the lanes of a block do together, as docs/blocks.md defines it, over the typed numbers of the oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .namespace import _extreme
from .numbers import I32, TYPES, Num, OracleError, Ty, convert, default, kind_of

__all__ = ["OPERATIONS", "together"]

OPERATIONS: dict[str, Callable[[Num, Num], Num]] = {
    "sum": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "min": _extreme(1),
    "max": _extreme(-1),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def _identity(name: str, ty: Ty) -> Num:
    infinite = ty.kind == "f" and name in ("min", "max")
    least, most = (float("-inf"), float("inf")) if infinite else (0, 0) if ty.kind == "f" else (ty.low, ty.high)
    everything = -1 if ty.kind == "i" else most
    return Num(ty, {"prod": 1, "min": most, "max": least, "and": everything}.get(name, 0))


def _wide(ty: Ty) -> Ty:
    if ty.bits >= 32:
        return ty
    return TYPES["f32" if ty.kind == "f" else f"{ty.kind}32"]


def together(asked: dict[int, tuple[Any, ...]], size: int) -> dict[int, Num]:
    """What each lane gets, by the number of the lane; all of them asked for the same, with a value of its own."""
    names = {request[0] for request in asked.values()}
    if len(names) != 1:
        raise OracleError(f"lanes of a block came to {names}")
    (name,) = names
    values = {lane: request[1] for lane, request in asked.items()}
    if name in ("any", "all"):
        found = (any if name == "any" else all)(bool(value) for value in values.values())
        return dict.fromkeys(asked, Num(TYPES["u32"], int(found)))
    ty = default(kind_of(next(iter(values.values()))))
    if name.startswith("arg"):
        best = _reduced(name[3:], values, ty, size)
        return dict.fromkeys(asked, Num(I32, _first(values, best)))
    if name in OPERATIONS:
        return dict.fromkeys(asked, convert(_reduced(name, values, ty, size), ty))
    if name == "scan":
        return _scanned(asked, ty)
    return {lane: _taken(name, lane, values, int(asked[lane][2]), ty) for lane in asked}


def _reduced(name: str, values: dict[int, Any], ty: Ty, size: int) -> Num:
    wide = _wide(ty)
    slots = [convert(values[i], wide) if i in values else _identity(name, wide) for i in range(1024)]
    stride = 512
    while stride:
        if stride < size or stride == 1:
            slots[:stride] = map(OPERATIONS[name], slots[:stride], slots[stride : 2 * stride])
        stride //= 2
    return slots[0]


def _first(values: dict[int, Any], best: Num) -> int:
    return min(i for i, v in values.items() if bool(v == best) or (bool(v != v) and bool(best != best)))


def _scanned(asked: dict[int, tuple[Any, ...]], ty: Ty) -> dict[int, Num]:
    _, _, operation, exclusive = next(iter(asked.values()))
    wide = _wide(ty)
    combine = OPERATIONS[operation]
    slots = {lane: convert(request[1], wide) for lane, request in asked.items()}
    stride = 1
    while stride < 1024:
        before, slots = slots, {}
        for lane in range(max(asked) + 1):
            parts = [before[at] for at in (lane - stride, lane) if at in before]
            if parts:
                slots[lane] = combine(*parts) if len(parts) == 2 else parts[0]
        stride *= 2
    if exclusive:
        lanes = sorted(asked)
        slots = dict(zip(lanes, [_identity(operation, wide), *(slots[lane] for lane in lanes)], strict=False))
    return {lane: convert(slots[lane], ty) for lane in asked}


def _taken(name: str, lane: int, values: dict[int, Any], given: int, ty: Ty) -> Num:
    own, inside = lane - lane % 32, lane % 32
    source = {
        "broadcast": given,
        "shuffle": own + given % 32,
        "xor lanes": own + (inside ^ (given % 32)),
        "up": lane - given if 0 <= given <= inside else lane,
        "down": lane + given if 0 <= given <= 31 - inside else lane,
    }[name]
    return convert(values.get(source, values[lane]), ty)
